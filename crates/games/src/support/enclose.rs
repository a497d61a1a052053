//! Enclosing discs in straight lines on a square board, as in Othello and Rolit.
//!
//! Cell `row · size + column`. All discs of one player move along a line together, by shifts; what could run over the
//! edge is kept out by a mask.

use crate::support::bits::Bits;
use crate::support::board;

/// A board on which discs are enclosed.
#[derive(Clone, Debug)]
pub(crate) struct Encloser<B> {
    pub(crate) size: u32,
    pub(crate) all: B,
    /// All but the first and the last column: discs there cannot be enclosed sideways.
    inner: B,
    pub(crate) corners: B,
}

impl<B: Bits> Encloser<B> {
    /// A board of `size` × `size` cells.
    ///
    /// # Panics
    /// If the size is odd, below 4, or does not fit into `B`.
    pub(crate) fn new(size: u32) -> Self {
        assert!(size.is_multiple_of(2) && size >= 4 && size * size <= B::BITS.min(256), "{size}x{size} does not fit");
        let all = board::all_cells::<B>(size, size);
        let left = board::first_column::<B>(size, size);
        let corners = [0, size - 1, size * (size - 1), size * size - 1];
        Encloser {
            size,
            all,
            inner: all & !(left | left << (size - 1)),
            corners: corners.into_iter().fold(B::none(), |set, cell| set | B::bit(cell)),
        }
    }

    /// For each of the four lines: how far a step is, and the enemy discs a line can run over.
    #[inline]
    fn lines(&self, theirs: B) -> [(u32, B); 4] {
        let inner = theirs & self.inner;
        [(1, inner), (self.size, theirs), (self.size + 1, inner), (self.size - 1, inner)]
    }

    /// Where `mine` can enclose some of `theirs`.
    #[inline]
    pub(crate) fn places(&self, mine: B, theirs: B) -> B {
        let empty = self.all & !(mine | theirs);
        let mut places = B::none();
        for (step, over) in self.lines(theirs) {
            let (mut up, mut down) = (mine << step & over, mine >> step & over);
            for _ in 0..self.size - 3 {
                up = up | up << step & over;
                down = down | down >> step & over;
            }
            places = places | up << step | down >> step;
        }
        places & empty
    }

    /// What a disc on `cell` turns over.
    #[inline]
    pub(crate) fn enclosed(&self, mine: B, theirs: B, cell: u32) -> B {
        let disc = B::bit(cell);
        let mut enclosed = B::none();
        for (step, over) in self.lines(theirs) {
            let (mut up, mut end) = (B::none(), disc << step);
            while !(end & over).is_none() {
                up = up | end;
                end = end << step;
            }
            if !(end & mine).is_none() {
                enclosed = enclosed | up;
            }
            let (mut down, mut end) = (B::none(), disc >> step);
            while !(end & over).is_none() {
                down = down | end;
                end = end >> step;
            }
            if !(end & mine).is_none() {
                enclosed = enclosed | down;
            }
        }
        enclosed
    }

    /// The four cells in the middle: top left, bottom right, top right, bottom left.
    pub(crate) fn centre(&self) -> [u32; 4] {
        let at = self.size / 2 - 1;
        [(0, 0), (1, 1), (0, 1), (1, 0)].map(|(r, c)| (at + r) * self.size + at + c)
    }
}
