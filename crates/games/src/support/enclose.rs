//! Enclosing discs in straight lines on a square board, as in Othello and Rolit.
//!
//! Cell `row · size + column`. Where a player can enclose something is found by shifts, which move all discs along a
//! line together; what could run over the edge is kept out by a mask. What one disc encloses is found line by line: a
//! carry runs over the enemy discs of a line upwards, and downwards the highest cell is sought that has none.

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
    /// What lies beyond each cell, along the four lines upwards (to greater numbers) and downwards.
    beyond: Vec<[[B; 4]; 2]>,
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
        let ray = |cell: u32, (rows, columns): (i32, i32)| {
            let step = |&(row, column): &(i32, i32)| Some((row + rows, column + columns));
            let on_board = |&(row, column): &(i32, i32)| [row, column].iter().all(|n| (0..size as i32).contains(n));
            let cells = std::iter::successors(Some(((cell / size) as i32, (cell % size) as i32)), step);
            let bit = |(row, column): (i32, i32)| B::bit((row * size as i32 + column) as u32);
            cells.skip(1).take_while(on_board).fold(B::none(), |set, cell| set | bit(cell))
        };
        let rays =
            |cell| [1, -1].map(|way| [(0, 1), (1, 0), (1, 1), (1, -1)].map(|(r, c)| ray(cell, (way * r, way * c))));
        Encloser {
            size,
            all,
            inner: all & !(left | left << (size - 1)),
            corners: corners.into_iter().fold(B::none(), |set, cell| set | B::bit(cell)),
            beyond: (0..size * size).map(rays).collect(),
        }
    }

    /// Where `mine` can enclose some of `theirs`.
    #[inline]
    pub(crate) fn places(&self, mine: B, theirs: B) -> B {
        // Shifts by a number that is known when this is compiled are much quicker.
        match self.size {
            8 => self.places_on(8, mine, theirs),
            size => self.places_on(size, mine, theirs),
        }
    }

    #[inline(always)]
    fn places_on(&self, size: u32, mine: B, theirs: B) -> B {
        let inner = theirs & self.inner;
        let mut places = B::none();
        for (step, over) in [(1, inner), (size, theirs), (size + 1, inner), (size - 1, inner)] {
            let (mut up, mut down) = (mine << step & over, mine >> step & over);
            up = up | up << step & over;
            down = down | down >> step & over;
            // From now on two cells at a time.
            let up_over = over & over << step;
            let down_over = up_over >> step;
            for _ in 0..(size - 4) / 2 {
                up = up | up << (2 * step) & up_over;
                down = down | down >> (2 * step) & down_over;
            }
            places = places | up << step | down >> step;
        }
        places & self.all & !(mine | theirs)
    }

    /// What a disc on `cell` turns over.
    #[inline]
    pub(crate) fn enclosed(&self, mine: B, theirs: B, cell: u32) -> B {
        let [up, down] = &self.beyond[cell as usize];
        let above = B::bit(cell) << 1;
        let mut enclosed = B::none();
        for &line in up {
            // All but the line is full, so the carry comes to its first cell that is not theirs, and empties those
            // before.
            let carried = (theirs | !line).plus(above);
            let run = line & theirs & !carried;
            enclosed = enclosed | if (carried & line & mine).is_none() { B::none() } else { run };
        }
        for &line in down {
            // Where there is no such cell, cell 0 stands in: it is not on the line, or not mine.
            let end = B::bit((line & !theirs | B::bit(0)).highest()) & line & mine;
            enclosed = enclosed | line & !(end | end.minus_one());
        }
        enclosed
    }

    /// The four cells in the middle: top left, bottom right, top right, bottom left.
    pub(crate) fn centre(&self) -> [u32; 4] {
        let at = self.size / 2 - 1;
        [(0, 0), (1, 1), (0, 1), (1, 0)].map(|(r, c)| (at + r) * self.size + at + c)
    }
}
