//! Which tables a network of tuples has, and where each is looked up.

use crate::Shape;

/// No table has more entries than this, so that a number fits 16 bits.
pub const MOST_ENTRIES: usize = 1 << 16;

/// In the place of a pattern: a cell that the board does not have.
pub const OUTSIDE: u16 = u16::MAX;

/// A tuple whose table is the same wherever it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The cells of each place, in the same order; [`OUTSIDE`] beyond the edge. A set of cells is there once, whatever
    /// symmetries read it in another order ([`Pattern::turns`]).
    pub places: Vec<Vec<u16>>,
    /// The other orders in which symmetries read a place: position `k` of it shows what is at position `turn[k]`.
    pub turns: Vec<Vec<u8>>,
}

/// Which tuples there are, and what has tables of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Which cells.
    pub tuples: Vec<Vec<u16>>,
    /// What means the same in many places.
    pub patterns: Vec<Pattern>,
    /// What the symmetries make of the board: in image `i`, cell `c` shows what is on cell `images[i][c]`. The first is
    /// the identity.
    pub images: Vec<Vec<u16>>,
    /// Whether each viewer has tables of its own.
    pub sides: bool,
    /// The game is cut into so many phases.
    pub phases: usize,
}

impl Pattern {
    /// Cells of each place.
    pub fn length(&self) -> usize {
        self.places.first().map_or(0, Vec::len)
    }
}

/// A place where a table is looked up.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// The first entry of the table.
    pub table: u32,
    /// Each cell with what its value is multiplied by.
    pub digits: Vec<(u16, u32)>,
    /// What is added for cells beyond the edge.
    pub outside: u32,
}

impl Lookup {
    fn new(table: u32, base: usize, cells: impl Iterator<Item = u16>) -> Self {
        let mut lookup = Lookup { table, digits: Vec::new(), outside: 0 };
        let mut digit = 1;
        for cell in cells {
            match cell {
                OUTSIDE => lookup.outside += digit * (base as u32 - 1),
                cell => lookup.digits.push((cell, digit)),
            }
            digit = digit.wrapping_mul(base as u32);
        }
        lookup
    }
}

/// All lookups of a structure in their order, those of tuples first.
pub(crate) fn lookups<'a>(
    shape: &'a Shape,
    structure: &'a Structure,
    starts: &'a [u32],
) -> impl Iterator<Item = Lookup> + 'a {
    let Structure { tuples, patterns, images, .. } = structure;
    let (of_tuples, of_patterns) = starts.split_at(tuples.len());
    let of_tuples = tuples.iter().zip(of_tuples).flat_map(move |(tuple, &start)| {
        let seen = |image: &'a Vec<u16>| tuple.iter().map(move |&cell| image[usize::from(cell)]);
        images.iter().map(move |image| Lookup::new(start, shape.values, seen(image)))
    });
    let of_patterns = patterns.iter().zip(of_patterns).flat_map(move |(pattern, &start)| {
        pattern.places.iter().map(move |place| Lookup::new(start, shape.values + 1, place.iter().copied()))
    });
    of_tuples.chain(of_patterns)
}
