//! A position as something to look at: one description, drawn as text or as SVG.

use std::fmt::Write;

use crate::Player;

/// What stands on one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// No cell of the board.
    Off,
    /// An empty cell.
    Empty,
    /// A cell that nobody can use.
    Blocked,
    /// A player's stone: `X`, `O`, `#`, `+` … by player in text.
    Stone(Player),
    /// A player's piece with a letter of its own.
    Piece(Player, char),
    /// A neutral sign.
    Sign(char),
}

/// How cells lie next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Rows and columns.
    Square,
    /// Hexagons: every row begins half a cell further to the right per unit of its indent.
    Hex,
}

/// A drawn board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The tiling.
    pub shape: Shape,
    /// The rows from top to bottom.
    pub rows: Vec<Vec<Cell>>,
    /// For [`Shape::Hex`]: half cells before each row. Empty means none.
    pub indents: Vec<usize>,
    /// Written left of each row; empty for none.
    pub row_labels: Vec<String>,
    /// Written under the columns; empty for none.
    pub column_labels: Vec<String>,
    /// Lines under the board: what the cells do not show.
    pub notes: Vec<String>,
}

const SIGNS: [char; 6] = ['X', 'O', '#', '+', '%', '@'];
const ANSI: [&str; 6] = ["31", "33", "36", "32", "35", "34"];
const FILL: [&str; 6] = ["#d1495b", "#edae49", "#30638e", "#2e8b57", "#7b4fa3", "#444444"];

impl Drawing {
    /// No board, only text.
    pub fn text(text: impl Into<String>) -> Self {
        Drawing { notes: text.into().lines().map(str::to_owned).collect(), ..Drawing::square(Vec::new()) }
    }

    /// A board of squares.
    pub fn square(rows: Vec<Vec<Cell>>) -> Self {
        Drawing {
            shape: Shape::Square,
            rows,
            indents: vec![],
            row_labels: vec![],
            column_labels: vec![],
            notes: vec![],
        }
    }

    /// A board of squares with columns a, b, c … and rows numbered from the bottom.
    pub fn lettered(rows: Vec<Vec<Cell>>) -> Self {
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        let row_labels = (1..=rows.len()).rev().map(|r| r.to_string()).collect();
        let column_labels = (0..width).map(column_letters).collect();
        Drawing { row_labels, column_labels, ..Drawing::square(rows) }
    }

    /// Adds a line under the board.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The board for a terminal, with or without colours.
    pub fn to_text(&self, colours: bool) -> String {
        let mut out = String::new();
        let margin = self.row_labels.iter().map(|l| l.chars().count()).max().map_or(0, |w| w + 1);
        for (i, row) in self.rows.iter().enumerate() {
            if margin > 0 {
                let label = self.row_labels.get(i).map_or("", String::as_str);
                write!(out, "{label:>width$} ", width = margin - 1).expect("writing to a string");
            }
            out.push_str(&" ".repeat(self.indents.get(i).copied().unwrap_or(0)));
            let cells: Vec<String> = row.iter().map(|c| cell_text(*c, colours)).collect();
            out.push_str(cells.join(" ").trim_end());
            out.push('\n');
        }
        if !self.column_labels.is_empty() {
            let indent = self.indents.last().copied().unwrap_or(0);
            // Only the last character of a label fits, so that columns stay in line.
            let labels = self.column_labels.iter().map(|l| l.chars().last().unwrap_or(' ').to_string());
            let labels = labels.collect::<Vec<_>>().join(" ");
            writeln!(out, "{}{labels}", " ".repeat(margin + indent)).expect("writing to a string");
        }
        for note in &self.notes {
            out.push_str(note);
            out.push('\n');
        }
        out
    }

    /// The board as a self-contained SVG picture.
    pub fn to_svg(&self) -> String {
        const SIZE: usize = 40;
        let left = if self.row_labels.is_empty() { 10 } else { 36 };
        let widest = self.rows.iter().enumerate();
        let widest = widest.map(|(i, r)| 2 * r.len() + self.indents.get(i).copied().unwrap_or(0)).max().unwrap_or(0);
        let note_width = self.notes.iter().map(|n| n.chars().count() * 8).max().unwrap_or(0);
        let width = left + (widest * SIZE / 2).max(note_width) + 10;
        let board_height = self.rows.len() * SIZE + 10;
        let height = board_height + 24 + 18 * self.notes.len();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"14\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fdfaf3\"/>\n"
        );
        for (i, row) in self.rows.iter().enumerate() {
            let y = 10 + i * SIZE + SIZE / 2;
            if let Some(label) = self.row_labels.get(i) {
                let _ = writeln!(
                    svg,
                    "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                    left - 8,
                    y + 5,
                    escape_xml(label)
                );
            }
            let indent = self.indents.get(i).copied().unwrap_or(0) * SIZE / 2;
            for (j, &cell) in row.iter().enumerate() {
                svg_cell(&mut svg, self.shape, cell, left + indent + j * SIZE + SIZE / 2, y, SIZE);
            }
        }
        let indent = self.indents.last().copied().unwrap_or(0) * SIZE / 2;
        for (j, label) in self.column_labels.iter().enumerate() {
            let (x, y) = (left + indent + j * SIZE + SIZE / 2, board_height + 14);
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", escape_xml(label));
        }
        for (i, note) in self.notes.iter().enumerate() {
            let _ =
                writeln!(svg, "<text x=\"{left}\" y=\"{}\">{}</text>", board_height + 34 + 18 * i, escape_xml(note));
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// a, b, … z, aa, ab …
pub fn column_letters(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    if index < 26 { letter.to_string() } else { column_letters(index / 26 - 1) + &letter.to_string() }
}

fn sign(player: Player) -> char {
    SIGNS[player.index() % SIGNS.len()]
}

fn cell_text(cell: Cell, colours: bool) -> String {
    let (sign, owner) = match cell {
        Cell::Off => (' ', None),
        Cell::Empty => ('.', None),
        Cell::Blocked => ('*', None),
        Cell::Stone(player) => (sign(player), Some(player)),
        Cell::Piece(player, letter) => (letter, Some(player)),
        Cell::Sign(sign) => (sign, None),
    };
    match owner {
        Some(player) if colours => format!("\x1b[{}m{sign}\x1b[0m", ANSI[player.index() % ANSI.len()]),
        _ => sign.to_string(),
    }
}

fn svg_cell(svg: &mut String, shape: Shape, cell: Cell, x: usize, y: usize, size: usize) {
    if cell == Cell::Off {
        return;
    }
    let ground = if cell == Cell::Blocked { "#8a8578" } else { "#f3e3bf" };
    let half = size / 2;
    let _ = match shape {
        Shape::Square => writeln!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{size}\" height=\"{size}\" fill=\"{ground}\" stroke=\"#8a6f3c\"/>",
            x - half,
            y - half
        ),
        Shape::Hex => {
            let corners = [(0, -2), (2, -1), (2, 1), (0, 2), (-2, 1), (-2, -1)];
            let points = corners.map(|(dx, dy)| {
                format!("{},{:.1}", x as i64 + dx * half as i64 / 2, y as f64 + f64::from(dy) * size as f64 / 3.0)
            });
            writeln!(svg, "<polygon points=\"{}\" fill=\"{ground}\" stroke=\"#8a6f3c\"/>", points.join(" "))
        }
    };
    let owner = match cell {
        Cell::Stone(player) | Cell::Piece(player, _) => Some(player),
        _ => None,
    };
    if let Some(player) = owner {
        let (fill, r) = (FILL[player.index() % FILL.len()], half * 3 / 4);
        let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{fill}\" stroke=\"#333\"/>");
    }
    if let Cell::Piece(_, letter) | Cell::Sign(letter) = cell {
        let colour = if owner.is_some() { "#fff" } else { "#333" };
        let letter = escape_xml(&letter.to_string());
        let _ =
            writeln!(svg, "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"{colour}\">{letter}</text>", y + 5);
    }
}

/// `text` with the characters that mean something in XML written as entities.
pub fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_as_text_and_as_a_picture() {
        let rows = vec![
            vec![Cell::Empty, Cell::Stone(Player::FIRST)],
            vec![Cell::Stone(Player::SECOND), Cell::Piece(Player::FIRST, '<')],
        ];
        let drawing = Drawing::lettered(rows).with_note("player 1 to move");
        assert_eq!(drawing.to_text(false), "2 . X\n1 O <\n  a b\nplayer 1 to move\n");
        assert!(drawing.to_text(true).contains("\x1b[31mX\x1b[0m"));
        let svg = drawing.to_svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.contains("&lt;"));
    }

    #[test]
    fn columns_go_on_after_z() {
        assert_eq!([0, 25, 26, 51, 52].map(column_letters), ["a", "z", "aa", "az", "ba"]);
    }
}
