//! Rows of numbers, all of one length, in one long list. Threads share the list: each has rows of its own to use, which
//! it was given ([`Rows::provide`]), and what it did not use comes back ([`Rows::settle`]). Who may look at a row in
//! use is agreed upon elsewhere.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::support::cells::{Cell, Cells};

/// What a row is like.
pub(super) trait Layout {
    /// Numbers in a row.
    const WORDS: usize;
    /// The one that tells, of a row out of use, which the next such row is.
    const LINK: usize;
}

/// The rows, or what one thread has of them. No row in use has number 0, except the first one of all.
pub(super) struct Rows<L> {
    cells: Arc<Cells<AtomicU32>>,
    /// Those that were never used.
    fresh: Range<u32>,
    /// Such rows that were given to threads and came back.
    left: Vec<Range<u32>>,
    /// The first and the last row out of use, 0 if there is none.
    free: (u32, u32),
    layout: PhantomData<L>,
}

/// Rows for which a small list has room.
const FEW: usize = 64;
/// Numbers of rows leave the highest bit free.
pub(super) const MOST: usize = (1 << 31) - 1;
/// Rows that a thread gets at a time.
const LEAST_PROVIDED: usize = 1 << 6;
const MOST_PROVIDED: usize = 1 << 11;
/// Rows out of use that a thread gets at a time.
const FREE_PROVIDED: usize = 1 << 6;

impl<L: Layout> Rows<L> {
    /// Nothing but row 0.
    pub(super) fn new() -> Self {
        let cells = Arc::new(Cells::new(FEW * L::WORDS));
        Rows { cells, fresh: 1..1, left: Vec::new(), free: (0, 0), layout: PhantomData }
    }

    /// Bytes of the rows that were ever used, or given to threads.
    pub(super) fn bytes(&self) -> usize {
        self.bytes_with(0)
    }

    fn bytes_with(&self, more: usize) -> usize {
        Cells::<AtomicU32>::bytes((self.fresh.start as usize + more) * L::WORDS)
    }

    /// How many rows were ever used.
    pub(super) fn used(&self) -> u32 {
        self.fresh.start
    }

    #[inline(always)]
    pub(super) fn row(&self, row: u32) -> &[AtomicU32] {
        &self.cells[row as usize * L::WORDS..][..L::WORDS]
    }

    /// So many rows, side by side.
    #[inline(always)]
    pub(super) fn rows(&self, first: u32, count: u32) -> impl Iterator<Item = &[AtomicU32]> {
        self.cells[first as usize * L::WORDS..][..count as usize * L::WORDS].chunks_exact(L::WORDS)
    }

    /// Whether a row can be taken, for which room may be made within so many bytes.
    #[inline]
    pub(super) fn has_one(&mut self, bytes: usize) -> bool {
        self.free.0 > 0 || self.has_room(1, bytes)
    }

    /// Whether so many rows side by side can be taken, for which room may be made within so many bytes.
    #[inline]
    pub(super) fn has_room(&mut self, count: usize, bytes: usize) -> bool {
        self.fresh.len() >= count && self.bytes_with(count) <= bytes || self.finds_room(count, bytes)
    }

    #[cold]
    fn finds_room(&mut self, count: usize, bytes: usize) -> bool {
        // By a quarter: it costs no more than to ask the system.
        self.bytes_with(count) <= bytes && (self.grow(count.max(self.fresh.end as usize / 4)) || self.grow(count))
    }

    /// Makes room for so many rows more; `false` if there is none, or if threads share the list.
    pub(super) fn grow(&mut self, more: usize) -> bool {
        let Some(cells) = Arc::get_mut(&mut self.cells) else { return false };
        let used = self.fresh.start as usize;
        let end = (used + more).max(FEW);
        let fits = end <= MOST && cells.reserve(end * L::WORDS, used * L::WORDS, MOST * L::WORDS);
        if fits {
            self.fresh.end = self.fresh.end.max(end as u32);
        }
        fits
    }

    /// Takes so many rows, side by side, for which there is room.
    #[inline]
    pub(super) fn take_side_by_side(&mut self, count: u32) -> u32 {
        debug_assert!(self.fresh.len() >= count as usize, "there was room");
        let first = self.fresh.start;
        self.fresh.start += count;
        first
    }

    /// Takes a row, for which there is room.
    #[inline]
    pub(super) fn take(&mut self) -> u32 {
        let row = self.free.0;
        if row == 0 {
            return self.take_side_by_side(1);
        }
        self.free.0 = self.row(row)[L::LINK].get();
        row
    }

    /// A row goes out of use.
    #[inline]
    pub(super) fn release(&mut self, row: u32) {
        if self.free.0 == 0 {
            self.free.1 = row;
        }
        self.row(row)[L::LINK].set(self.free.0);
        self.free.0 = row;
    }

    /// What a thread begins with: the list, but no row of it.
    pub(super) fn part(&self) -> Self {
        Rows { cells: self.cells.clone(), fresh: 0..0, left: Vec::new(), free: (0, 0), layout: PhantomData }
    }

    /// How many rows a thread gets at a time.
    pub(super) fn portion(&self) -> usize {
        (self.fresh.start as usize / 64).clamp(LEAST_PROVIDED, MOST_PROVIDED)
    }

    /// Makes sure that a thread can take so many rows side by side, within so many bytes; `false` if there are none,
    /// unless the list grows.
    pub(super) fn provide(&mut self, part: &mut Self, count: usize, bytes: usize) -> bool {
        for _ in 0..FREE_PROVIDED {
            if part.free.0 > 0 || self.free.0 == 0 {
                break;
            }
            let row = self.take();
            part.release(row);
        }
        if part.fresh.len() >= count {
            return true;
        }
        let rows = match self.left.iter().position(|rows| rows.len() >= count) {
            Some(i) => self.left.swap_remove(i),
            None => {
                let portion = self.portion().min(self.fresh.len()).max(count);
                let portion = if self.bytes_with(portion) <= bytes { portion } else { count };
                if portion > self.fresh.len() || self.bytes_with(portion) > bytes {
                    return false;
                }
                let first = self.take_side_by_side(portion as u32);
                first..first + portion as u32
            }
        };
        let before = std::mem::replace(&mut part.fresh, rows);
        before.for_each(|row| part.release(row));
        true
    }

    /// Takes back what a thread has left over.
    pub(super) fn settle(&mut self, part: Self) {
        if part.free.0 > 0 {
            if self.free.0 == 0 {
                self.free.1 = part.free.1;
            }
            self.row(part.free.1)[L::LINK].set(self.free.0);
            self.free.0 = part.free.0;
        }
        self.left.extend((!part.fresh.is_empty()).then_some(part.fresh));
        while let Some(i) = self.left.iter().position(|rows| rows.end == self.fresh.start) {
            self.fresh.start = self.left.swap_remove(i).start;
        }
    }

    /// How many rows are in use, if every other row that was ever used is free, and is so once.
    #[cfg(test)]
    pub(super) fn check(&self) -> usize {
        let mut free = std::collections::HashSet::new();
        let mut at = self.free.0;
        while at > 0 {
            assert!(at < self.fresh.start && free.insert(at), "free twice");
            assert!(self.row(at)[L::LINK].get() > 0 || at == self.free.1, "the last one is known");
            at = self.row(at)[L::LINK].get();
        }
        assert!(self.left.iter().cloned().flatten().all(|row| row < self.fresh.start && free.insert(row)));
        self.fresh.start as usize - free.len()
    }
}

#[cfg(test)]
mod tests {
    use perfectplay_core::random::SplitMix64;

    use super::*;

    struct Pair;

    impl Layout for Pair {
        const WORDS: usize = 2;
        const LINK: usize = 1;
    }

    const PLENTY: usize = usize::MAX;

    #[test]
    fn no_row_is_given_twice_and_none_is_lost() {
        let mut rows = Rows::<Pair>::new();
        let mut random = SplitMix64::new(3);
        let mut in_use = vec![];
        for round in 0..200 {
            let mut parts = [rows.part(), rows.part(), rows.part()];
            for _ in 0..random.below(300) {
                let part = &mut parts[random.below(3)];
                let count = 1 + random.below(if round % 2 == 0 { 9 } else { 200 });
                if random.below(3) == 0 && !in_use.is_empty() {
                    part.release(in_use.swap_remove(random.below(in_use.len())));
                } else if random.below(2) == 0 && part.has_one(PLENTY) {
                    in_use.push(part.take());
                } else if rows.provide(part, count, 100_000) {
                    assert!(part.has_room(count, PLENTY));
                    let first = part.take_side_by_side(count as u32);
                    in_use.extend(first..first + count as u32);
                }
            }
            parts.into_iter().for_each(|part| rows.settle(part));
            let distinct: std::collections::HashSet<_> = in_use.iter().collect();
            assert_eq!((distinct.len(), rows.check()), (in_use.len(), in_use.len() + 1), "and row 0");
            assert!(rows.bytes() <= 100_000);
            let _ = rows.has_room(500, 100_000);
        }
        assert!(in_use.len() > 5_000 && rows.used() as usize > in_use.len());
    }

    #[test]
    fn a_limit_is_kept_to_the_last_row() {
        let mut rows = Rows::<Pair>::new();
        while rows.has_room(3, 8_000) {
            rows.take_side_by_side(3);
        }
        assert_eq!(rows.bytes(), 8_000);
        rows.release(7);
        assert!(rows.has_one(8_000) && !rows.has_room(1, 8_000));
        assert_eq!(rows.take(), 7);
    }
}
