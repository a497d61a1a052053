//! Rectangular boards: names of cells, and bitboards turned and mirrored.
//!
//! Cell `row · width + column`, row 0 at the bottom, so `a1` is cell 0.

use perfectplay_core::{Lattice, Layout, Player, Status, TextError, column_letters};

use crate::support::bits::Bits;

/// `White to move` where players have names; or that it is over, which the board itself may not show: after a
/// repetition there may be moves enough.
pub fn turn_note<P>(status: Status<P>, names: [&str; 2]) -> String {
    match status {
        Status::Turn(mover) => format!("{} to move", names[usize::from(mover != Player::FIRST)]),
        Status::Over(_) => "the game is over".into(),
    }
}

/// `a1`, `b1` … by column and row.
pub fn cell_name(cell: u32, width: u32) -> String {
    format!("{}{}", column_letters((cell % width) as usize), cell / width + 1)
}

/// Reads a cell at the beginning of `text`; answers the cell and what follows it.
pub fn split_cell(text: &str, width: u32, height: u32) -> Option<(u32, &str)> {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let digits = text[letters..].bytes().take_while(u8::is_ascii_digit).count();
    let (name, rest) = text.split_at(letters + digits);
    let (column, row) = name.split_at(letters);
    if letters == 0 || letters > 2 || digits > 3 || row.starts_with('0') {
        return None;
    }
    let column = column.bytes().fold(0, |n, c| 26 * n + u32::from(c.to_ascii_lowercase() - b'a') + 1) - 1;
    let row: u32 = row.parse::<u32>().ok()? - 1;
    (column < width && row < height).then_some((row * width + column, rest))
}

/// The cell called `text`.
pub fn parse_cell(text: &str, width: u32, height: u32) -> Result<u32, TextError> {
    match split_cell(text, width, height) {
        Some((cell, "")) => Ok(cell),
        _ => {
            let last = cell_name(width * height - 1, width);
            Err(TextError::new(format!("expected a cell from a1 to {last}, got \"{text}\"")))
        }
    }
}

/// The cells of the first column.
pub fn first_column<B: Bits>(width: u32, height: u32) -> B {
    (0..height).fold(B::none(), |set, row| set | B::bit(row * width))
}

/// The cells of the first row.
pub fn first_row<B: Bits>(width: u32) -> B {
    (0..width).fold(B::none(), |set, column| set | B::bit(column))
}

/// All cells.
pub fn all_cells<B: Bits>(width: u32, height: u32) -> B {
    let row = first_row::<B>(width);
    (0..height).fold(B::none(), |set, r| set | row << (r * width))
}

/// Left and right exchanged.
pub fn mirror<B: Bits>(set: B, width: u32, height: u32) -> B {
    let first = first_column::<B>(width, height);
    (0..width).fold(B::none(), |image, c| image | (set >> c & first) << (width - 1 - c))
}

/// The image of a cell under symmetry `index` of a square board with `size` rows: bit 0 mirrors the columns, bit 1 the
/// rows, bit 2 then exchanges columns and rows. Indices 0 … 3 are also the symmetries of a rectangle of `width`.
pub fn square_image(cell: u32, width: u32, height: u32, index: usize) -> u32 {
    let (mut column, mut row) = (cell % width, cell / width);
    if index & 1 != 0 {
        column = width - 1 - column;
    }
    if index & 2 != 0 {
        row = height - 1 - row;
    }
    if index & 4 != 0 {
        debug_assert_eq!(width, height);
        (column, row) = (row, column);
    }
    row * width + column
}

/// The image of a set under [`square_image`].
pub fn square_images<B: Bits>(set: B, width: u32, height: u32, index: usize) -> B {
    set.cells().fold(B::none(), |image, cell| image | B::bit(square_image(cell, width, height, index)))
}

/// What a learner sees of the board: cell by cell, `values` for each, and `numbers`.
pub fn layout(width: u32, height: u32, values: u8, numbers: &'static [&'static str]) -> Layout {
    let place = |cell: u32| ((cell % width) as i16, (cell / width) as i16);
    Layout { lattice: Lattice::Square, cells: (0..width * height).map(place).collect(), values, numbers }
}

/// The same with row 0 on top.
pub fn layout_from_top(width: u32, height: u32, values: u8, numbers: &'static [&'static str]) -> Layout {
    let mut layout = layout(width, height, values, numbers);
    layout.cells.iter_mut().for_each(|(_, row)| *row = height as i16 - 1 - *row);
    layout
}

/// For each of these cells 1 if it is mine, 2 if it is theirs, 0 if it is neither.
#[inline]
pub fn push_owners<B: Bits>(cells: impl Iterator<Item = u32>, mine: B, theirs: B, out: &mut Vec<u8>) {
    out.extend(cells.map(|cell| u8::from(mine.has(cell)) + 2 * u8::from(theirs.has(cell))));
}

/// The same for a whole board that this viewer sees with every cell at `place` of it.
#[inline]
pub fn push_placed<B: Bits>(cells: u32, mine: B, theirs: B, place: impl Fn(u32) -> u32, out: &mut Vec<u8>) {
    let first = out.len();
    out.resize(first + cells as usize, 0);
    let board = &mut out[first..];
    mine.cells().for_each(|cell| board[place(cell) as usize] = 1);
    theirs.cells().for_each(|cell| board[place(cell) as usize] = 2);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_names() {
        for (cell, name) in [(0, "a1"), (9, "j1"), (10, "a2"), (99, "j10")] {
            assert_eq!(cell_name(cell, 10), name);
            assert_eq!(parse_cell(name, 10, 10), Ok(cell));
        }
        for name in ["", "a", "1", "a0", "k1", "a11", "a01", "a1 ", "a1b", "é1", "aaa1", "a9999999999"] {
            assert!(parse_cell(name, 10, 10).is_err(), "{name}");
        }
        assert_eq!(split_cell("B2xc3", 10, 10), Some((11, "xc3")));
    }

    #[test]
    fn turning_a_board() {
        assert_eq!(mirror(0b001_100u64, 3, 2), 0b100_001);
        assert_eq!(square_images(0b001_100u64, 3, 2, 1), 0b100_001);
        let images: std::collections::BTreeSet<u32> = (0..8).map(|i| square_image(1, 4, 4, i)).collect();
        assert_eq!(images.len(), 8);
    }
}
