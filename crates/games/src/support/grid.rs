//! Boards of rows and columns: names of cells, rows of text, steps and symmetries.
//!
//! Cell = row · width + column; row 0 is the bottom row and cell 0 is `a1`.

use perfectplay_core::{Cell, Drawing, Player, TextError, column_letters};

use crate::support::bits::Bits;
use crate::support::fen;

/// The geometry of a board.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// `images[s][cell]`: where symmetry `s` takes the cell; 8 on a square board, 4 on another.
    images: Vec<Vec<u16>>,
}

/// One step in a fixed direction for a whole set at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<B> {
    left: u32,
    right: u32,
    landing: B,
}

impl<B: Bits> Step<B> {
    /// The cells one step away from `set`.
    #[inline(always)]
    pub(crate) fn of(self, set: B) -> B {
        (if self.right == 0 { set << self.left } else { set >> self.right }) & self.landing
    }
}

/// Right, up, left, down; then the diagonals.
pub(crate) const DIRECTIONS: [(i32, i32); 8] = [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];

impl Grid {
    pub(crate) fn new(width: u32, height: u32) -> Self {
        let image = |s: u32, cell: u32| {
            let (mut column, mut row) = (cell % width, cell / width);
            if s & 4 != 0 {
                (column, row) = (row, column);
            }
            if s & 1 != 0 {
                column = width - 1 - column;
            }
            if s & 2 != 0 {
                row = height - 1 - row;
            }
            (row * width + column) as u16
        };
        let symmetries = if width == height { 8 } else { 4 };
        let images = (0..symmetries).map(|s| (0..width * height).map(|c| image(s, c)).collect()).collect();
        Grid { width, height, images }
    }

    pub(crate) fn cells(&self) -> u32 {
        self.width * self.height
    }

    pub(crate) fn cell(&self, column: u32, row: u32) -> u32 {
        row * self.width + column
    }

    /// The cell `(columns, rows)` away, if it is on the board.
    pub(crate) fn moved(&self, cell: u32, (columns, rows): (i32, i32)) -> Option<u32> {
        let (column, row) = ((cell % self.width) as i32 + columns, (cell / self.width) as i32 + rows);
        let inside = (0..self.width as i32).contains(&column) && (0..self.height as i32).contains(&row);
        inside.then(|| self.cell(column as u32, row as u32))
    }

    pub(crate) fn full<B: Bits>(&self) -> B {
        (0..self.cells()).fold(B::none(), |set, c| set | B::bit(c))
    }

    pub(crate) fn step<B: Bits>(&self, direction: (i32, i32)) -> Step<B> {
        let by = direction.1 * self.width as i32 + direction.0;
        let landing = (0..self.cells()).filter_map(|c| self.moved(c, direction));
        let landing = landing.fold(B::none(), |set, c| set | B::bit(c));
        // On a board one cell wide or high a shift may leave the word; nothing lands there anyway.
        let by = if landing.is_none() { 0 } else { by };
        Step { left: by.max(0) as u32, right: (-by).max(0) as u32, landing }
    }

    pub(crate) fn name(&self, cell: u32) -> String {
        format!("{}{}", column_letters((cell % self.width) as usize), cell / self.width + 1)
    }

    pub(crate) fn symmetries(&self) -> usize {
        self.images.len()
    }

    pub(crate) fn image(&self, cell: u32, symmetry: usize) -> u32 {
        self.images[symmetry][cell as usize].into()
    }

    pub(crate) fn image_of<B: Bits>(&self, set: B, symmetry: usize) -> B {
        set.cells().fold(B::none(), |image, c| image | B::bit(self.image(c, symmetry)))
    }

    /// Rows from the top, as in chess.
    pub(crate) fn write(&self, piece: impl Fn(u32) -> Option<char>) -> String {
        let rows = (0..self.height).rev();
        let rows = rows.map(|r| fen::write_row((0..self.width).map(|c| piece(self.cell(c, r)))));
        rows.collect::<Vec<_>>().join("/")
    }

    /// What [`Grid::write`] wrote: the piece on each cell.
    pub(crate) fn read(&self, text: &str, pieces: &str) -> Result<Vec<Option<char>>, TextError> {
        let rows = fen::parse_rows(text, self.width as usize, self.height as usize, pieces)?;
        Ok(rows.into_iter().rev().flatten().collect())
    }

    pub(crate) fn draw(&self, cell: impl Fn(u32) -> Cell) -> Drawing {
        let rows = (0..self.height).rev().map(|r| (0..self.width).map(|c| cell(self.cell(c, r))).collect());
        Drawing::lettered(rows.collect())
    }
}

/// The cells of `board` that hold `piece`.
pub(crate) fn where_is<B: Bits>(board: &[Option<char>], piece: char) -> B {
    let cells = board.iter().enumerate().filter(|(_, p)| **p == Some(piece));
    cells.fold(B::none(), |set, (c, _)| set | B::bit(c as u32))
}

/// Splits off the sign of the mover, one of two, at the end of a position: `… x`.
pub(crate) fn split_mover<'a>(text: &'a str, signs: [&str; 2]) -> Result<(&'a str, Player), TextError> {
    let (board, sign) = text.trim().rsplit_once(' ').unwrap_or((text.trim(), ""));
    match signs.iter().position(|s| *s == sign) {
        Some(i) => Ok((board.trim_end(), Player::new(i))),
        None => Err(TextError::at(
            board.chars().count(),
            format!("expected the board, a space and who moves ({} or {}) at the end", signs[0], signs[1]),
        )),
    }
}

/// `x` for the first player, `o` for the second.
pub(crate) const SIGNS: [&str; 2] = ["x", "o"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_on_the_board() {
        for (width, height) in [(4, 3), (1, 5), (8, 8), (64, 1)] {
            let grid = Grid::new(width, height);
            for direction in DIRECTIONS {
                let step = grid.step::<u64>(direction);
                for cell in 0..grid.cells() {
                    let expected = grid.moved(cell, direction).map_or(0, |c| 1 << c);
                    assert_eq!(step.of(1u64 << cell), expected, "{width}x{height} {direction:?} {cell}");
                }
            }
        }
    }

    #[test]
    fn symmetries_permute_cells_and_differ() {
        let grid = Grid::new(3, 3);
        for s in 0..8 {
            assert_eq!(grid.image_of(grid.full::<u64>(), s), grid.full::<u64>());
            assert!((0..s).all(|t| grid.images[s] != grid.images[t]));
        }
        assert_eq!(Grid::new(3, 2).symmetries(), 4);
        assert_eq!(grid.name(5), "c2");
    }
}
