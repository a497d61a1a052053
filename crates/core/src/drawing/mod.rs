//! A position as something to look at: one description, drawn as text for a terminal and as SVG for everything else.
//!
//! A game says what stands where, what kind of board that is and which colours its players have; [`Drawing::to_text`]
//! and [`Drawing::to_svg`] do the rest. No picture knows a game.

mod clicks;
mod colour;
mod figures;
mod svg;
mod text;

pub use clicks::Clicks;
pub use colour::Colour;
pub use svg::{escape_xml, sign_of};

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

impl Cell {
    /// Whose it is.
    pub fn owner(self) -> Option<Player> {
        match self {
            Cell::Stone(player) | Cell::Piece(player, _) => Some(player),
            _ => None,
        }
    }

    fn is_vacant(self) -> bool {
        matches!(self, Cell::Off | Cell::Empty)
    }
}

/// How cells lie next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Rows and columns.
    Square,
    /// Hexagons: every row begins half a cell further to the right per unit of its indent.
    Hex,
}

/// What the board looks like in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// Squares or hexagons side by side.
    #[default]
    Tiles,
    /// Light and dark squares.
    Checkered,
    /// Light and dark squares, of which the dark ones are numbered from the top; only these can be used.
    Numbered,
    /// Pieces stand on the crossings of lines.
    Crossings,
    /// Crossings, with loops around the corners.
    Loops,
    /// Crossings, with a river between the halves and a palace on either side.
    River,
    /// Places in three squares, one inside the other, joined in the middles of their sides.
    Rings,
    /// Dots in every second row and column; between them lines, which enclose boxes.
    Dots,
    /// A wall with round holes, into which stones fall from above: a click anywhere in a column means the column.
    Wall,
    /// Round holes to put stones in.
    Holes,
    /// Squares that are built upon: signs 1 to 3 are levels, letters of pieces tell the level that they stand on.
    Towers,
    /// Signs only, without a board around them.
    Bare,
}

/// How pieces look in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Figures {
    /// Stones are discs, and so are pieces, with their letter on them.
    #[default]
    Discs,
    /// Letters of pieces are not shown: who owns them is all there is to know.
    Plain,
    /// The first player's stones are crosses, the second player's are rings.
    CrossesAndRings,
    /// The men of chess by their letters.
    Chess,
    /// The men of Xiangqi by their letters.
    Xiangqi,
    /// Men, and kings by their capital letters.
    Draughts,
}

/// Who the sides of a board of hexagons belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// Nobody in particular.
    #[default]
    None,
    /// A rhombus: top and bottom to the first player, left and right to the second.
    Rhombus,
    /// A hexagon, whose six sides and corners are told from each other.
    Hexagon,
}

/// A drawn board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The tiling.
    pub shape: Shape,
    /// What the board looks like.
    pub look: Look,
    /// What the pieces look like.
    pub figures: Figures,
    /// Whose its sides are.
    pub sides: Sides,
    /// The players' colours.
    pub colours: Vec<Colour>,
    /// The rows from top to bottom.
    pub rows: Vec<Vec<Cell>>,
    /// For [`Shape::Hex`]: half cells before each row. Empty means none.
    pub indents: Vec<usize>,
    /// Written left of each row; empty for none.
    pub row_labels: Vec<String>,
    /// Written under the columns; empty for none.
    pub column_labels: Vec<String>,
    /// Something about a player's stones: counts, where they are going.
    pub legend: Vec<(Player, String)>,
    /// How to read the text, where a picture explains itself.
    pub reading: Option<&'static str>,
    /// Lines under the board: what the cells do not show.
    pub notes: Vec<String>,
    /// Cells that stand out, as row and column: those of the last move.
    pub marked: Vec<(usize, usize)>,
    /// Cells that the next move may go to, if that is worth a mark.
    pub targets: Vec<(usize, usize)>,
    /// The first two players have exchanged colours: the second has the stones of the first.
    pub swapped: bool,
    /// How many players there are, if a picture shall name them all.
    pub players: usize,
    /// Who is to move, if a picture shall tell.
    pub mover: Option<Player>,
}

impl Drawing {
    /// No board, only text.
    pub fn text(text: impl Into<String>) -> Self {
        Drawing { notes: text.into().lines().map(str::to_owned).collect(), ..Drawing::square(Vec::new()) }
    }

    /// A board of squares.
    pub fn square(rows: Vec<Vec<Cell>>) -> Self {
        Drawing {
            shape: Shape::Square,
            look: Look::default(),
            figures: Figures::default(),
            sides: Sides::default(),
            colours: Colour::PLAYERS.to_vec(),
            rows,
            indents: vec![],
            row_labels: vec![],
            column_labels: vec![],
            legend: vec![],
            reading: None,
            notes: vec![],
            marked: vec![],
            targets: vec![],
            swapped: false,
            players: 0,
            mover: None,
        }
    }

    /// A board of squares with columns a, b, c … and rows numbered from the bottom.
    pub fn lettered(rows: Vec<Vec<Cell>>) -> Self {
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        let row_labels = (1..=rows.len()).rev().map(|r| r.to_string()).collect();
        let column_labels = (0..width).map(column_letters).collect();
        Drawing { row_labels, column_labels, ..Drawing::square(rows) }
    }

    /// The same on another kind of board.
    #[must_use]
    pub fn with_look(self, look: Look) -> Self {
        Drawing { look, ..self }
    }

    /// The same with other pieces.
    #[must_use]
    pub fn with_figures(self, figures: Figures) -> Self {
        Drawing { figures, ..self }
    }

    /// The players' colours, by player.
    #[must_use]
    pub fn in_colours<const N: usize>(self, colours: [Colour; N]) -> Self {
        Drawing { colours: colours.to_vec(), ..self }
    }

    /// Adds a line under the board.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says something about each player's stones, beginning with the first player's.
    #[must_use]
    pub fn with_legend<T: Into<String>>(mut self, texts: impl IntoIterator<Item = T>) -> Self {
        self.legend = texts.into_iter().enumerate().map(|(i, text)| (Player::new(i), text.into())).collect();
        self
    }

    /// A player's colour.
    pub fn colour(&self, player: Player) -> Colour {
        self.colours[player.index() % self.colours.len()]
    }

    /// What stands there; nothing outside of the board.
    pub fn cell(&self, (row, column): (usize, usize)) -> Cell {
        self.rows.get(row).and_then(|row| row.get(column)).copied().unwrap_or(Cell::Off)
    }

    /// All places, row by row.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.rows.iter().enumerate().flat_map(|(i, row)| (0..row.len()).map(move |j| (i, j)))
    }

    /// Marks what the last move did, told from the board as it was before: the cells that were empty and are not any
    /// more; if there is none, those where something else stands now. So a flipped disc is not marked and the disc that
    /// flipped it is. Nothing is marked on boards that do not have the same cells.
    #[must_use]
    pub fn marked_since(mut self, before: &Drawing) -> Self {
        let lengths = |drawing: &Drawing| drawing.rows.iter().map(Vec::len).collect::<Vec<_>>();
        if lengths(&self) == lengths(before) {
            self.marked = self.arrived_since(before);
        }
        self
    }
}

/// a, b, … z, aa, ab …
pub fn column_letters(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    if index < 26 { letter.to_string() } else { column_letters(index / 26 - 1) + &letter.to_string() }
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
        assert!(drawing.to_text(true).contains("\x1b[34mX\x1b[0m"));
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
        assert!(placed.to_text(true).starts_with("\x1b[34mX\x1b[0m \x1b[34mX\x1b[0m \x1b[7;34mX\x1b[0m\n"));
        assert!(placed.to_svg().contains(svg::MARKED));
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
