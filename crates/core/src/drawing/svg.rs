//! Drawings as SVG: for files, notebooks and pages.
//!
//! Colours are attributes, never styles, so that a page with a strict content policy can take a picture in; what stands
//! beside the board has the colour of the text around it.

use std::fmt::Write;

use super::figures::{self, Figure};
use super::{Cell, Colour, Drawing, Figures, Look, Shape, Sides, text};
use crate::Player;

/// The distance of two cells.
const SIZE: f64 = 40.0;
/// The distance of two rows of hexagons, and their size: a point upwards, as wide as [`SIZE`].
const HEX_ROW: f64 = SIZE * 0.866;
const HEX_RADIUS: f64 = SIZE / 1.732;

const INK: &str = "#5f5138";
const GROUND: &str = "#f1e4c8";
const LIGHT: &str = "#f3ead7";
const DARK: &str = "#c8ae85";
const WOOD: &str = "#e4c48b";
const WALL: &str = "#3f4a5a";
const BLOCKED: &str = "#8a8375";
pub(super) const MARKED: &str = "#f7dc6f";
const MARKED_DARK: &str = "#e0b83c";
const ACCENT: &str = "#b3261e";
/// Sides of a hexagon, which belong to nobody.
const SIDES: [&str; 2] = ["#5f5138", "#a8946d"];

/// Characters of a line of text that fit into so much width.
const CHARACTER: f64 = 7.2;
/// The least width of a whole picture: so that a legend fits.
const LEAST_WIDTH: f64 = 300.0;

impl Drawing {
    /// The board as a self-contained SVG picture, with its legend and notes; readable on light and dark ground.
    pub fn to_svg(&self) -> String {
        let mut board = Picture::new(self, false);
        let (left, top) = (board.left, board.top);
        let width = board.width.max(LEAST_WIDTH);
        board.shift((width - board.width) / 2.0);
        board.draw();
        let below = self.below(width - 20.0);
        let height = board.height + 22.0 * below.len() as f64 + if below.is_empty() { 4.0 } else { 12.0 };
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"perfectplay\" width=\"{w}\" height=\"{h}\" \
             viewBox=\"0 0 {w} {h}\" font-family=\"system-ui,sans-serif\" font-size=\"14\" role=\"img\">\n\
             <style>.perfectplay{{color:#24211b}}.perfectplay>.page{{fill:#fdfbf6}}\
             @media(prefers-color-scheme:dark){{.perfectplay{{color:#e8e4da}}.perfectplay>.page{{fill:#23262b}}}}\
             </style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n",
            w = n(width),
            h = n(height),
        );
        svg += &board.out;
        let left = if self.rows.is_empty() { 10.0 } else { left.max(top) };
        for (i, line) in below.iter().enumerate() {
            line.draw(&mut svg, left, board.height + 18.0 + 22.0 * i as f64);
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// The board alone, for a page that shows legend and notes itself. Every cell has an element of class `cell` with
    /// its row, column and centre, its name and what stands on it, to be clicked at and written upon.
    pub fn to_board_svg(&self, flipped: bool) -> String {
        let mut board = Picture::new(self, flipped);
        board.draw();
        board.cells();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"board\" viewBox=\"0 0 {} {}\" \
font-size=\"14\">\n{}</svg>\n",
            n(board.width),
            n(board.height),
            board.out
        )
    }

    /// What a cell is called: by its labels where there are some.
    pub fn cell_name(&self, (row, column): (usize, usize)) -> String {
        match (self.row_labels.get(row), self.column_labels.get(column)) {
            _ if self.look == Look::Numbered => match self.number((row, column)) {
                Some(number) => number.to_string(),
                None => String::new(),
            },
            (Some(row), Some(column)) if !row.is_empty() && !column.is_empty() => format!("{column}{row}"),
            _ => format!("row {}, column {}", row + 1, column + 1),
        }
    }

    /// What stands there, in words.
    pub fn cell_in_words(&self, at: (usize, usize)) -> String {
        let cell = self.cell(at);
        let colour = |player| self.colour(player).name();
        match (cell, self.figures) {
            (Cell::Off | Cell::Empty, _) => "empty".into(),
            (Cell::Blocked, _) => "blocked".into(),
            (Cell::Stone(player), _) | (Cell::Piece(player, _), Figures::Plain) => format!("{} stone", colour(player)),
            (Cell::Piece(player, letter), Figures::Chess | Figures::Xiangqi) => {
                format!("{} {}", colour(player), figures::name(letter, self.figures == Figures::Xiangqi))
            }
            (Cell::Piece(player, letter), Figures::Draughts) => {
                format!("{} {}", colour(player), if letter.is_uppercase() { "king" } else { "man" })
            }
            (Cell::Piece(player, letter), _) => format!("{} {letter}", colour(player)),
            (Cell::Sign(sign), _) => sign.to_string(),
        }
    }

    /// The number of a square that can be used, where these are numbered.
    fn number(&self, at: (usize, usize)) -> Option<usize> {
        let mut used = self.places().filter(|&place| self.cell(place) != Cell::Off);
        used.position(|place| place == at).map(|index| index + 1)
    }

    /// Whose stones have the colour of `player`.
    pub fn holder(&self, player: Player) -> Player {
        if self.swapped && player.index() < 2 { player.opponent() } else { player }
    }

    /// What the picture shows of a player's stones, in words: `player 1 is blue: 12 discs`.
    pub fn legend_lines(&self) -> Vec<(Player, String)> {
        let line = |i: usize| {
            let (player, about) = (Player::new(i), self.legend.iter().find(|(player, _)| player.index() == i));
            let moves = if self.mover == Some(self.holder(player)) { ", to move" } else { "" };
            let about = about.map_or(String::new(), |(_, text)| format!(": {text}"));
            (player, format!("{} is {}{about}{moves}", self.holder(player), self.colour(player).name()))
        };
        if self.rows.is_empty() { vec![] } else { (0..self.players).map(line).collect() }
    }

    /// The lines below the board, none wider than `width`.
    fn below(&self, width: f64) -> Vec<Line> {
        let most = (width / CHARACTER).max(20.0) as usize;
        let mut lines = Vec::new();
        for (player, text) in self.legend_lines() {
            let mut swatch = Some(self.colour(player));
            lines.extend(wrap(&text, most - 3).into_iter().map(|text| Line {
                swatch: swatch.take(),
                indent: true,
                text,
            }));
        }
        let notes = self.notes.iter().flat_map(|note| wrap(note, most));
        lines.extend(notes.map(|text| Line { swatch: None, indent: false, text }));
        lines
    }
}

/// A line of text below the board.
struct Line {
    swatch: Option<Colour>,
    indent: bool,
    text: String,
}

impl Line {
    fn draw(&self, svg: &mut String, x: f64, y: f64) {
        if let Some(colour) = self.swatch {
            disc(svg, (x + 7.0, y - 5.0), 6.5, colour);
        }
        let x = if self.indent { x + 22.0 } else { x };
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" font-size=\"13\" fill=\"currentColor\">{}</text>",
            n(x),
            n(y),
            escape_xml(&self.text)
        );
    }
}

/// `text` in lines of at most `most` characters, as far as its words allow.
fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("never empty");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= most {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// A board being drawn.
struct Picture<'a> {
    drawing: &'a Drawing,
    flipped: bool,
    out: String,
    /// Where the field of cells begins, and how large it is.
    left: f64,
    top: f64,
    field: (f64, f64),
    /// Of the whole board with its labels.
    width: f64,
    height: f64,
}

type Point = (f64, f64);

impl<'a> Picture<'a> {
    fn new(drawing: &'a Drawing, flipped: bool) -> Self {
        let hex = drawing.shape == Shape::Hex;
        let rows = drawing.rows.len() as f64;
        let indent = |i: usize| drawing.indents.get(i).copied().unwrap_or(0);
        let widest = drawing.rows.iter().enumerate().map(|(i, row)| 2 * row.len() + indent(i)).max().unwrap_or(0);
        let tall = if hex { (rows - 1.0) * HEX_ROW + 2.0 * HEX_RADIUS } else { rows * SIZE };
        let field = if rows == 0.0 { (0.0, 0.0) } else { (widest as f64 * SIZE / 2.0, tall) };
        let margin = match (drawing.look, drawing.sides) {
            (Look::Loops, _) => 2.3 * SIZE,
            (_, Sides::None) => 8.0,
            _ => 14.0,
        };
        let labels = drawing.row_labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        // Rows of hexagons have their labels where they begin.
        let left = margin + if labels > 0 { 8.0 + 8.0 * labels as f64 } else { 0.0 };
        let bottom = margin + if drawing.column_labels.is_empty() { 0.0 } else { 16.0 };
        let (width, height) = match rows {
            0.0 => (0.0, 0.0),
            // Labels on one side only would push a board out of the middle.
            _ => (left + field.0 + if hex { left } else { margin }, margin + field.1 + bottom),
        };
        let flipped = flipped && drawing.look != Look::Wall; // stones fall downwards
        Picture { drawing, flipped, out: String::new(), left, top: margin, field, width, height }
    }

    /// Moves everything to the right.
    fn shift(&mut self, by: f64) {
        self.left += by;
        self.width += 2.0 * by;
    }

    fn centre(&self, (row, column): (usize, usize)) -> Point {
        let indent = self.drawing.indents.get(row).copied().unwrap_or(0) as f64;
        let x = (column as f64 + 0.5 + indent / 2.0) * SIZE;
        let y = match self.drawing.shape {
            Shape::Square => (row as f64 + 0.5) * SIZE,
            Shape::Hex => row as f64 * HEX_ROW + HEX_RADIUS,
        };
        let (x, y) = if self.flipped { (self.field.0 - x, self.field.1 - y) } else { (x, y) };
        (self.left + x, self.top + y)
    }

    fn draw(&mut self) {
        if self.drawing.rows.is_empty() {
            return;
        }
        match self.drawing.look {
            Look::Tiles | Look::Checkered | Look::Numbered | Look::Towers => self.tiles(),
            Look::Crossings | Look::Loops | Look::River => self.crossings(),
            Look::Rings => self.rings(),
            Look::Dots => self.dots(),
            Look::Wall => self.wall(),
            Look::Holes => self.holes(),
            Look::Bare => {}
        }
        self.rim();
        let drawing = self.drawing;
        if drawing.look != Look::Dots {
            for at in drawing.places() {
                self.piece(at);
            }
        }
        for &at in &drawing.targets {
            self.target(at);
        }
        self.labels();
    }

    fn tiles(&mut self) {
        for at in self.drawing.places() {
            let cell = self.drawing.cell(at);
            let checkered = matches!(self.drawing.look, Look::Checkered | Look::Numbered);
            let dark = checkered && (at.0 + at.1) % 2 == self.dark_parity();
            let fill = match cell {
                Cell::Off if !checkered => continue,
                Cell::Blocked if self.drawing.look == Look::Tiles => BLOCKED,
                _ if self.drawing.marked.contains(&at) => [MARKED, MARKED_DARK][usize::from(dark)],
                _ if dark => DARK,
                _ if checkered => LIGHT,
                _ => GROUND,
            };
            let (x, y) = self.centre(at);
            let half = SIZE / 2.0;
            let _ = match self.drawing.shape {
                Shape::Square => {
                    let stroke = if checkered { String::new() } else { format!(" stroke=\"{INK}\"") };
                    let (x, y) = (n(x - half), n(y - half));
                    writeln!(self.out, "<rect x=\"{x}\" y=\"{y}\" width=\"40\" height=\"40\" fill=\"{fill}\"{stroke}/>")
                }
                Shape::Hex => {
                    let points: Vec<String> = (0..6).map(|i| hex_corner((x, y), i)).map(pair).collect();
                    writeln!(self.out, "<polygon points=\"{}\" fill=\"{fill}\" stroke=\"{INK}\"/>", points.join(" "))
                }
            };
            if self.drawing.look == Look::Numbered
                && let Some(number) = self.drawing.number(at)
            {
                let _ = writeln!(
                    self.out,
                    "<text x=\"{}\" y=\"{}\" font-size=\"9\" fill=\"{INK}\">{number}</text>",
                    n(x - 18.0),
                    n(y - 10.5)
                );
            }
        }
        if self.drawing.shape == Shape::Square && self.drawing.look != Look::Tiles {
            let (x, y, w, h) = (n(self.left), n(self.top), n(self.field.0), n(self.field.1));
            let _ = writeln!(
                self.out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"{INK}\"/>"
            );
        }
    }

    /// The lower left corner is dark, as in chess; where only dark squares are used, these are.
    fn dark_parity(&self) -> usize {
        if self.drawing.look == Look::Numbered {
            let first = self.drawing.places().find(|&at| self.drawing.cell(at) != Cell::Off);
            return first.map_or(1, |(row, column)| (row + column) % 2);
        }
        (self.drawing.rows.len() - 1) % 2
    }

    fn panel(&mut self, fill: &str) {
        let out = if self.drawing.look == Look::Loops { 2.0 * SIZE - 8.0 } else { 2.0 };
        let _ = writeln!(
            self.out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{fill}\"/>",
            n(self.left - out),
            n(self.top - out),
            n(self.field.0 + 2.0 * out),
            n(self.field.1 + 2.0 * out)
        );
    }

    fn line(&mut self, a: Point, b: Point, attributes: &str) {
        let _ = writeln!(
            self.out,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {attributes}/>",
            n(a.0),
            n(a.1),
            n(b.0),
            n(b.1)
        );
    }

    fn between(&mut self, a: (usize, usize), b: (usize, usize)) {
        self.line(self.centre(a), self.centre(b), &format!("stroke=\"{INK}\" stroke-width=\"1.2\""));
    }

    fn crossings(&mut self) {
        self.panel(WOOD);
        let (last_row, last_column) = (self.drawing.rows.len() - 1, self.drawing.rows[0].len() - 1);
        for row in 0..=last_row {
            self.between((row, 0), (row, last_column));
        }
        let river = self.drawing.look == Look::River;
        let bank = last_row / 2;
        for column in 0..=last_column {
            if river && column != 0 && column != last_column {
                self.between((0, column), (bank, column));
                self.between((bank + 1, column), (last_row, column));
            } else {
                self.between((0, column), (last_row, column));
            }
        }
        match self.drawing.look {
            Look::River => {
                let (left, right) = (last_column / 2 - 1, last_column / 2 + 1);
                for (near, far) in [(0, 2), (last_row, last_row - 2)] {
                    self.between((near, left), (far, right));
                    self.between((near, right), (far, left));
                }
            }
            Look::Loops => self.loops(last_row, last_column),
            _ => self.stars(last_row, last_column),
        }
    }

    /// The dots of a Go board.
    fn stars(&mut self, last_row: usize, last_column: usize) {
        if last_row != last_column || last_row < 8 {
            return;
        }
        let edge = if last_row < 12 { 2 } else { 3 };
        let mut at = vec![edge, last_row - edge];
        if last_row.is_multiple_of(2) {
            at.push(last_row / 2);
        }
        for &row in &at {
            for &column in &at {
                let (x, y) = self.centre((row, column));
                let _ = writeln!(self.out, "<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{INK}\"/>", n(x), n(y));
            }
        }
    }

    /// From the second and third line of one side around the corner to those of the next.
    fn loops(&mut self, last_row: usize, last_column: usize) {
        for (row, column, right, down) in [
            (0, 0, 1.0, 1.0),
            (0, last_column, -1.0, 1.0),
            (last_row, 0, 1.0, -1.0),
            (last_row, last_column, -1.0, -1.0),
        ] {
            let (x, y) = self.centre((row, column));
            for steps in [1.0, 2.0] {
                let r = steps * SIZE;
                let (sx, sy) = (x + right * r, y + down * r);
                let sweep = u8::from(right * down < 0.0);
                // Three quarters of a circle around the corner.
                let _ = writeln!(
                    self.out,
                    "<path d=\"M{},{} A{r},{r} 0 1 {sweep} {},{}\" fill=\"none\" stroke=\"{INK}\" \
stroke-width=\"1.2\"/>",
                    n(sx),
                    n(y),
                    n(x),
                    n(sy)
                );
            }
        }
    }

    fn rings(&mut self) {
        self.panel(WOOD);
        let last = self.drawing.rows.len() - 1;
        let middle = last / 2;
        for ring in 0..middle {
            let (near, far) = (ring, last - ring);
            for (a, b) in [((near, near), (near, far)), ((far, near), (far, far))] {
                self.between(a, b);
                self.between((a.1, a.0), (b.1, b.0));
            }
        }
        let inner = middle - 1;
        for (a, b) in [((0, middle), (inner, middle)), ((last - inner, middle), (last, middle))] {
            self.between(a, b);
            self.between((a.1, a.0), (b.1, b.0));
        }
        for at in self.drawing.places().filter(|&at| self.drawing.cell(at) == Cell::Empty) {
            let (x, y) = self.centre(at);
            let _ = writeln!(self.out, "<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{INK}\"/>", n(x), n(y));
        }
    }

    fn dots(&mut self) {
        let places: Vec<_> = self.drawing.places().collect();
        let marked = |at: &(usize, usize)| self.drawing.marked.contains(at);
        for &at in places.iter().filter(|at| at.0 % 2 == 1 && at.1 % 2 == 1) {
            if self.drawing.cell(at) != Cell::Off {
                let (x, y) = self.centre(at);
                let side = 2.0 * SIZE - 12.0;
                let (x, y) = (n(x - side / 2.0), n(y - side / 2.0));
                let _ = writeln!(
                    self.out,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" rx=\"4\" fill=\"{DARK}\"/>"
                );
            }
        }
        for &at in places.iter().filter(|at| (at.0 + at.1) % 2 == 1) {
            let ((x, y), across) = (self.centre(at), at.0 % 2 == 0);
            let (dx, dy) = if across { (SIZE, 0.0) } else { (0.0, SIZE) };
            let attributes = match self.drawing.cell(at) {
                Cell::Off | Cell::Empty => {
                    "stroke=\"#8a8375\" stroke-opacity=\".35\" stroke-dasharray=\"2 6\"".to_owned()
                }
                _ if marked(&at) => format!("stroke=\"{ACCENT}\" stroke-width=\"6\" stroke-linecap=\"round\""),
                _ => "stroke=\"currentColor\" stroke-width=\"4\" stroke-linecap=\"round\"".to_owned(),
            };
            self.line((x - dx, y - dy), (x + dx, y + dy), &attributes);
        }
        for &at in places.iter().filter(|at| at.0 % 2 == 0 && at.1 % 2 == 0) {
            let (x, y) = self.centre(at);
            let _ = writeln!(self.out, "<circle cx=\"{}\" cy=\"{}\" r=\"5.5\" fill=\"currentColor\"/>", n(x), n(y));
        }
    }

    fn wall(&mut self) {
        self.panel(WALL);
        for at in self.drawing.places() {
            let (x, y) = self.centre(at);
            let _ = writeln!(self.out, "<circle cx=\"{}\" cy=\"{}\" r=\"16.5\" fill=\"{LIGHT}\"/>", n(x), n(y));
        }
    }

    fn holes(&mut self) {
        for at in self.drawing.places().filter(|&at| self.drawing.cell(at) != Cell::Off) {
            let (x, y) = self.centre(at);
            let _ = writeln!(
                self.out,
                "<circle cx=\"{}\" cy=\"{}\" r=\"16\" fill=\"{GROUND}\" stroke=\"{INK}\"/>",
                n(x),
                n(y)
            );
        }
    }

    /// The sides of a board of hexagons.
    fn rim(&mut self) {
        if self.drawing.sides == Sides::None {
            return;
        }
        let last = self.drawing.rows.len() - 1;
        for (row, column) in self.drawing.places() {
            let end = self.drawing.rows[row].len() - 1;
            for direction in 0..6 {
                let fill = match self.drawing.sides {
                    Sides::Rhombus => rhombus_side((row, column), direction, last, end)
                        .map(|player| self.drawing.colour(Player::new(player)).fill()),
                    _ => hexagon_side((row, column), direction, last, end).map(|side| SIDES[side % 2]),
                };
                let Some(fill) = fill else { continue };
                let at = self.centre((row, column));
                let turn = if self.flipped { 3 } else { 0 };
                let (a, b) = (hex_corner(at, direction + turn), hex_corner(at, direction + turn + 1));
                self.line(a, b, &format!("stroke=\"{fill}\" stroke-width=\"6\" stroke-linecap=\"round\""));
            }
        }
    }

    fn piece(&mut self, at: (usize, usize)) {
        let (cell, (x, y)) = (self.drawing.cell(at), self.centre(at));
        let (look, figures) = (self.drawing.look, self.drawing.figures);
        match cell {
            Cell::Off | Cell::Empty => {}
            Cell::Blocked if look == Look::Towers => self.tower((x, y), 4),
            Cell::Blocked if look == Look::Tiles => {}
            Cell::Blocked => {
                let _ = writeln!(self.out, "<circle cx=\"{}\" cy=\"{}\" r=\"11\" fill=\"{BLOCKED}\"/>", n(x), n(y));
            }
            Cell::Sign(_) if look == Look::Rings => {}
            Cell::Sign(level @ '1'..='3') if look == Look::Towers => self.tower((x, y), level as u32 - '0' as u32),
            Cell::Sign('|') if look == Look::Bare => self.line(
                (x, y - 14.0),
                (x, y + 14.0),
                "stroke=\"#b98a4a\" stroke-width=\"6\" stroke-linecap=\"round\"",
            ),
            Cell::Sign(sign) => self.letter((x, y), sign, INK),
            Cell::Stone(player) => self.stone((x, y), player),
            Cell::Piece(player, letter) => match figures {
                Figures::Plain => self.stone((x, y), player),
                Figures::Chess => match figures::chess(letter) {
                    Some(figure) => self.figure((x, y + 1.0), figure, self.drawing.colour(player), 1.15),
                    None => self.lettered((x, y), player, letter),
                },
                Figures::Xiangqi => self.xiangqi((x, y), player, letter),
                Figures::Draughts => {
                    disc(&mut self.out, (x, y), 15.0, self.drawing.colour(player));
                    self.ring((x, y), 10.5, self.drawing.colour(player).ink(), 0.35);
                    if letter.is_uppercase() {
                        let ink = self.drawing.colour(player).ink();
                        let shape = figures::SMALL_CROWN;
                        let _ = writeln!(
                            self.out,
                            "<path d=\"{shape}\" transform=\"translate({})\" fill=\"{ink}\"/>",
                            pair((x, y))
                        );
                    }
                }
                _ if look == Look::Towers => {
                    let level = "XABC".find(letter).or("OPQR".find(letter)).unwrap_or(0);
                    self.tower((x, y), level as u32);
                    disc(&mut self.out, (x, y), 9.0, self.drawing.colour(player));
                }
                _ => self.lettered((x, y), player, letter),
            },
        }
        let tiled = matches!(look, Look::Tiles | Look::Checkered | Look::Numbered | Look::Towers);
        if self.drawing.marked.contains(&at) && !tiled {
            match cell.owner() {
                Some(_) if figures == Figures::Xiangqi => self.ring((x, y), 19.0, ACCENT, 1.0),
                Some(player) => self.ring((x, y), 6.5, self.drawing.colour(player).ink(), 1.0),
                None => self.ring((x, y), 15.0, ACCENT, 1.0),
            }
        }
    }

    fn stone(&mut self, (x, y): Point, player: Player) {
        let colour = self.drawing.colour(player);
        match (self.drawing.figures, player.index()) {
            (Figures::CrossesAndRings, 0) => {
                for side in [-1.0, 1.0] {
                    let (a, b) = ((x - 11.0, y - 11.0 * side), (x + 11.0, y + 11.0 * side));
                    self.line(
                        a,
                        b,
                        &format!("stroke=\"{}\" stroke-width=\"6\" stroke-linecap=\"round\"", colour.fill()),
                    );
                }
            }
            (Figures::CrossesAndRings, 1) => {
                let _ = writeln!(
                    self.out,
                    "<circle cx=\"{}\" cy=\"{}\" r=\"11.5\" fill=\"none\" stroke=\"{}\" stroke-width=\"6\"/>",
                    n(x),
                    n(y),
                    colour.fill()
                );
            }
            _ => {
                let crossings = matches!(self.drawing.look, Look::Crossings | Look::Loops);
                disc(&mut self.out, (x, y), if crossings { 17.5 } else { 15.0 }, colour);
                if self.drawing.players > 2 {
                    // Six colours are too many for some eyes.
                    self.letter((x, y), char::from(b'1' + player.index() as u8), colour.ink());
                }
            }
        }
    }

    fn lettered(&mut self, at: Point, player: Player, letter: char) {
        let colour = self.drawing.colour(player);
        disc(&mut self.out, at, 15.0, colour);
        self.letter(at, letter, colour.ink());
    }

    fn letter(&mut self, (x, y): Point, letter: char, fill: &str) {
        let letter = escape_xml(&letter.to_string());
        let _ = writeln!(
            self.out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"15\" font-weight=\"600\" \
fill=\"{fill}\">{letter}</text>",
            n(x),
            n(y + 5.0)
        );
    }

    fn ring(&mut self, (x, y): Point, r: f64, stroke: &str, opacity: f64) {
        let opacity = if opacity < 1.0 { format!(" stroke-opacity=\"{opacity}\"") } else { String::new() };
        let _ = writeln!(
            self.out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{r}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"2.2\"{opacity}/>",
            n(x),
            n(y)
        );
    }

    fn figure(&mut self, at: Point, figure: &Figure, colour: Colour, scale: f64) {
        let Figure { outline, detail } = figure;
        let _ = writeln!(
            self.out,
            "<g transform=\"translate({}) scale({scale})\"><path d=\"{outline}\" fill=\"{}\" stroke=\"{}\" \
             stroke-width=\"1.2\" stroke-linejoin=\"round\"/><path d=\"{detail}\" fill=\"none\" stroke=\"{}\" \
             stroke-width=\"1.2\" stroke-linecap=\"round\"/></g>",
            pair(at),
            colour.fill(),
            colour.edge(),
            if colour == Colour::Black { "#d9d4c7" } else { colour.edge() },
        );
    }

    fn xiangqi(&mut self, at: Point, player: Player, letter: char) {
        let colour = self.drawing.colour(player);
        let Some(figure) = figures::xiangqi(letter) else { return self.lettered(at, player, letter) };
        let (x, y) = at;
        let fill = colour.fill();
        let _ = writeln!(
            self.out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"17.5\" fill=\"#fbf3df\" stroke=\"{fill}\" stroke-width=\"2.4\"/>\
             <g transform=\"translate({x},{y})\"><path d=\"{}\" fill=\"{fill}\"/>\
             <path d=\"{}\" fill=\"none\" stroke=\"#fbf3df\" stroke-width=\"1.4\" stroke-linecap=\"round\"/></g>",
            figure.outline,
            figure.detail,
            x = n(x),
            y = n(y),
        );
    }

    /// A building of so many levels seen from above; the fourth is a dome.
    fn tower(&mut self, (x, y): Point, levels: u32) {
        const SHADES: [&str; 3] = ["#ddd2bb", "#c9bb9c", "#b2a17d"];
        for (level, shade) in (0..levels.min(3)).zip(SHADES) {
            let side = 34.0 - 7.0 * f64::from(level);
            let (x, y) = (n(x - side / 2.0), n(y - side / 2.0));
            let _ = writeln!(
                self.out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" rx=\"3\" fill=\"{shade}\" \
stroke=\"{INK}\"/>"
            );
        }
        if levels == 4 {
            let _ = writeln!(self.out, "<circle cx=\"{}\" cy=\"{}\" r=\"8.5\" fill=\"{WALL}\"/>", n(x), n(y));
        }
    }

    fn target(&mut self, at: (usize, usize)) {
        let (x, y) = self.centre(at);
        let (r, fill, stroke) =
            if self.drawing.cell(at).is_vacant() { (5, "#1d1b16", "none") } else { (17, "none", "#1d1b16") };
        let _ = writeln!(
            self.out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{r}\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"2\" \
opacity=\".4\"/>",
            n(x),
            n(y)
        );
    }

    fn labels(&mut self) {
        let drawing = self.drawing;
        let hex = drawing.shape == Shape::Hex;
        let out = if drawing.look == Look::Loops { 2.0 * SIZE } else { 0.0 };
        for (row, text) in drawing.row_labels.iter().enumerate() {
            let last = drawing.rows.get(row).map_or(0, |row| row.len().saturating_sub(1));
            let (x, y) = self.centre((row, if self.flipped { last } else { 0 }));
            let x = if hex { x - SIZE / 2.0 - 10.0 } else { self.left - 6.0 - out };
            self.label((x, y + 4.5), "end", text);
        }
        let bottom = self.top + self.field.1 + 16.0 + out;
        for (column, text) in drawing.column_labels.iter().enumerate() {
            let row = if self.flipped { 0 } else { drawing.rows.len() - 1 };
            self.label((self.centre((row, column)).0, bottom), "middle", text);
        }
    }

    fn label(&mut self, (x, y): Point, anchor: &str, text: &str) {
        let (x, y, text) = (n(x), n(y), escape_xml(text));
        let look = "font-size=\"13\" fill=\"currentColor\"";
        let _ = writeln!(self.out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" {look}>{text}</text>");
    }

    /// Something to click at for every cell.
    fn cells(&mut self) {
        for at in self.drawing.places() {
            let (x, y) = self.centre(at);
            let (w, h) = match self.drawing.look {
                Look::Dots if at.0 % 2 == 0 && at.1 % 2 == 0 || at.0 % 2 == 1 && at.1 % 2 == 1 => continue,
                Look::Dots if at.0 % 2 == 0 => (SIZE * 1.5, 24.0),
                Look::Dots => (24.0, SIZE * 1.5),
                _ if self.drawing.shape == Shape::Hex => (SIZE - 4.0, HEX_ROW),
                _ => (SIZE, SIZE),
            };
            let _ = writeln!(
                self.out,
                "<rect class=\"cell\" data-at=\"{},{}\" data-name=\"{}\" data-what=\"{}\" x=\"{}\" y=\"{}\" \
                 width=\"{w}\" height=\"{h}\" rx=\"6\" fill=\"#000\" fill-opacity=\"0\"/>",
                at.0,
                at.1,
                escape_xml(&self.drawing.cell_name(at)),
                escape_xml(&self.drawing.cell_in_words(at)),
                n(x - w / 2.0),
                n(y - h / 2.0),
            );
        }
    }
}

/// A stone.
fn disc(svg: &mut String, (x, y): Point, r: f64, colour: Colour) {
    let _ = writeln!(
        svg,
        "<circle cx=\"{}\" cy=\"{}\" r=\"{r}\" fill=\"{}\" stroke=\"{}\"/>",
        n(x),
        n(y),
        colour.fill(),
        colour.edge()
    );
}

/// Corners of a hexagon, clockwise; side `i`, from corner `i` to the next, looks to the upper right, right, lower right
/// …
fn hex_corner((x, y): Point, i: usize) -> Point {
    let angle = (i as f64 * 60.0 - 90.0).to_radians();
    (x + HEX_RADIUS * angle.cos(), y + HEX_RADIUS * angle.sin())
}

/// Whose a side of a cell is on the rim of a rhombus, by player.
fn rhombus_side((row, column): (usize, usize), direction: usize, last: usize, end: usize) -> Option<usize> {
    match direction {
        0 | 5 if row == 0 => Some(0),
        2 | 3 if row == last => Some(0),
        3 | 4 if column == 0 => Some(1),
        0 | 1 if column == end => Some(1),
        _ => None,
    }
}

/// Which of the six sides of a hexagon a side of a cell lies on.
fn hexagon_side((row, column): (usize, usize), direction: usize, last: usize, end: usize) -> Option<usize> {
    let middle = last / 2;
    match direction {
        0 | 5 if row == 0 => Some(0),
        2 | 3 if row == last => Some(3),
        0 if column == end && row <= middle => Some(1),
        1 if column == end => Some(if row <= middle { 1 } else { 2 }),
        2 if column == end && row >= middle => Some(2),
        5 if column == 0 && row <= middle => Some(5),
        4 if column == 0 => Some(if row <= middle { 5 } else { 4 }),
        3 if column == 0 && row >= middle => Some(4),
        _ => None,
    }
}

/// A number with at most one digit after the point.
fn n(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn pair((x, y): Point) -> String {
    format!("{},{}", n(x), n(y))
}

/// The sign that stands for a player's stones in text: `X`, `O` …
pub fn sign_of(player: Player) -> char {
    text::sign(player)
}

/// `text` with the characters that mean something in XML written as entities.
pub fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
