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
    /// Cells that stand out, as row and column: those of the last move.
    pub marked: Vec<(usize, usize)>,
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
            marked: vec![],
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

    /// Marks what the last move did, told from the board as it was before: the cells that were empty and are not any
    /// more; if there is none, those where something else stands now. So a flipped disc is not marked and the disc that
    /// flipped it is. Nothing is marked on boards that do not have the same cells.
    #[must_use]
    pub fn marked_since(mut self, before: &Drawing) -> Self {
        let lengths = |drawing: &Drawing| drawing.rows.iter().map(Vec::len).collect::<Vec<_>>();
        if lengths(&self) != lengths(before) {
            return self;
        }
        let rows = self.rows.iter().zip(&before.rows).enumerate();
        let cells = rows.flat_map(|(i, (now, then))| {
            now.iter().zip(then).enumerate().map(move |(j, (&now, &then))| ((i, j), now, then))
        });
        let changed = cells.filter(|&(_, now, then)| now != then && !matches!(now, Cell::Off | Cell::Empty));
        let changed: Vec<_> = changed.map(|(at, _, then)| (at, then == Cell::Empty)).collect();
        let any_filled = changed.iter().any(|&(_, filled)| filled);
        self.marked = changed.into_iter().filter(|&(_, filled)| filled || !any_filled).map(|(at, _)| at).collect();
        self
    }

    /// The board for a terminal: with colours, marked cells are shown in reverse; without, they stand in parentheses.
    pub fn to_text(&self, colours: bool) -> String {
        let mut out = String::new();
        let labels = self.row_labels.iter().map(|l| l.chars().count()).max().map_or(0, |w| w + 1);
        let parentheses = !colours && !self.marked.is_empty();
        // A cell at the left edge needs a column for its parenthesis.
        let margin = labels.max(usize::from(parentheses));
        for (i, row) in self.rows.iter().enumerate() {
            let label = if labels > 0 { self.row_labels.get(i).map_or("", String::as_str) } else { "" };
            write!(out, "{label:>width$}", width = margin.saturating_sub(1)).expect("writing to a string");
            // What stands before cell `j`: the blank before the first belongs to the margin.
            let is_marked = |j: usize| self.marked.contains(&(i, j));
            let blank = |j: usize| match (j > 0 && is_marked(j - 1), is_marked(j)) {
                (false, true) if parentheses => '(',
                (true, false) if parentheses => ')',
                _ => ' ',
            };
            out.push_str(&" ".repeat(self.indents.get(i).copied().unwrap_or(0)));
            if margin > 0 {
                out.push(blank(0));
            }
            let mut line = String::new();
            for (j, &cell) in row.iter().enumerate() {
                line.push_str(&cell_text(cell, colours, is_marked(j)));
                line.push(blank(j + 1));
            }
            out.push_str(line.trim_end());
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
                if self.marked.contains(&(i, j)) {
                    let (x, r) = (left + indent + j * SIZE + SIZE / 2, SIZE / 2 - 2);
                    let _ = writeln!(
                        svg,
                        "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"none\" stroke=\"#222\" stroke-width=\"3\"/>"
                    );
                }
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

fn cell_text(cell: Cell, colours: bool, marked: bool) -> String {
    let (sign, owner) = match cell {
        Cell::Off => (' ', None),
        Cell::Empty => ('.', None),
        Cell::Blocked => ('*', None),
        Cell::Stone(player) => (sign(player), Some(player)),
        Cell::Piece(player, letter) => (letter, Some(player)),
        Cell::Sign(sign) => (sign, None),
    };
    let colour = owner.map(|player| ANSI[player.index() % ANSI.len()]);
    match (colour, marked) {
        (Some(colour), false) if colours => format!("\x1b[{colour}m{sign}\x1b[0m"),
        (colour, true) if colours => format!("\x1b[7;{}m{sign}\x1b[0m", colour.unwrap_or("39")),
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
    fn the_last_move_is_marked() {
        let [empty, x, o] = [Cell::Empty, Cell::Stone(Player::FIRST), Cell::Stone(Player::SECOND)];
        let before = Drawing::square(vec![vec![x, o, empty], vec![empty, o, x]]);
        let placed = Drawing::square(vec![vec![x, x, x], vec![empty, o, x]]).marked_since(&before);
        assert_eq!(placed.marked, [(0, 2)], "the disc that was placed, not the one that it flipped");
        assert_eq!(placed.to_text(false), " X X(X)\n . O X\n");
        assert!(placed.to_text(true).starts_with("\x1b[31mX\x1b[0m \x1b[31mX\x1b[0m \x1b[7;31mX\x1b[0m\n"));
        assert!(placed.to_svg().contains("stroke-width"));
        let moved = Drawing::lettered(vec![vec![empty, x, empty], vec![empty, o, x]]).marked_since(&before);
        assert_eq!(moved.to_text(false), "2 .(X).\n1 . O X\n  a b c\n", "a capture: where the piece stands now");
        let pair = Drawing::square(vec![vec![x, o, empty], vec![o, o, x]]);
        let pair = Drawing { marked: vec![(1, 0), (1, 1)], ..pair };
        assert_eq!(pair.to_text(false), " X O .\n(O O)X\n", "side by side in one pair of parentheses");
        assert_eq!(placed.clone().marked_since(&placed).to_text(false), "X X X\n. O X\n", "nothing has changed");
        let other = Drawing::square(vec![vec![x]]).marked_since(&before);
        assert!(other.marked.is_empty(), "another board");
    }

    #[test]
    fn columns_go_on_after_z() {
        assert_eq!([0, 25, 26, 51, 52].map(column_letters), ["a", "z", "aa", "az", "ba"]);
    }
}
