//! The solver's table: proved bounds on the score of a state, in fixed memory, never confusing two states.
//!
//! A bucket is one cache line. What a state leaves in it depends on how large the game's keys are:
//!
//! - **[`SolverHints::exact_index`]** gives a state a number below 2^b. A bijection on b bits scrambles it; its upper
//!   bits choose the line and *all the rest* is stored, so line and entry together identify the index. One 64-bit word
//!   then holds everything:
//!
//!   ```text
//!   63                                                               0
//!   | rest of the index | generation | lower | upper | hint | effort |
//!   ```
//!
//!   A word is read and written in one piece, so threads need no lock and cannot see half an entry.
//! - Otherwise an entry holds the game's whole key, and each line has a lock of its own.
//!
//! When a line is full, entries of older generations go first, then the one whose subtree took the least effort.
//!
//! **It grows.** The system takes longer to hand out 256 MiB than most positions take to solve. So only the first lines
//! are used until a part of their slots are taken; then there are several times as many. Lines are chosen by upper
//! bits, so what is in line n moves to lines 4n to 4n + 3 (or 2n and 2n + 1), from the last line to the first within
//! the same memory, and nothing is lost. That is for one thread; before there are several, the table grows as far as it
//! may. It may take longer than a stop request can wait, because the memory is new, so it is done in steps, between
//! which a search can be paused; but nothing can be looked up before the last of them.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};

use perfectplay_core::FullGame;
use rustc_hash::FxBuildHasher;

use crate::support::hashing::bucket_of;
use crate::support::pages::{LARGE, Pages, Zeroed};

/// What is known about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// The first player's score is at least this.
    pub lower: i32,
    /// The first player's score is at most this.
    pub upper: i32,
    /// Which of the candidate moves was best; only a hint where to begin.
    pub hint: Option<u8>,
}

impl Known {
    /// Both together.
    #[inline]
    pub(crate) fn and(self, other: Known) -> Known {
        Known { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper), hint: other.hint.or(self.hint) }
    }

    /// The bound that says on which side of `alpha` the score lies, if one does.
    #[inline]
    pub(crate) fn settles(&self, alpha: i32) -> Option<i32> {
        if self.lower > alpha {
            Some(self.lower)
        } else if self.upper <= alpha {
            Some(self.upper)
        } else {
            None
        }
    }

    /// With the answer `value` to the question whether the score is more than `alpha`.
    #[inline]
    pub(crate) fn with(self, value: i32, alpha: i32) -> Known {
        if value > alpha { Known { lower: value, ..self } } else { Known { upper: value, ..self } }
    }
}

/// Where a state belongs, however large the table is: worked out once, early enough for the line to arrive from memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<K> {
    /// The scrambled index, or a hash of the key.
    index_or_hash: u64,
    key: Option<K>,
}

impl<K> Place<K> {
    /// A number that different states rarely share.
    pub(crate) fn hash(&self) -> u64 {
        self.index_or_hash.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// Proved bounds by state.
pub(crate) struct BoundsTable<G: FullGame> {
    kind: Kind<G::Key>,
    /// The least score the game can end with: bounds are stored as distances from it.
    least: i32,
    greatest: i32,
    /// Slots taken since it last grew, and by what were there then.
    taken: AtomicUsize,
    /// It grows as soon as more are taken.
    grow_at: AtomicUsize,
}

/// Bytes that are used at first.
const FIRST: usize = 1 << 16;
/// By how much it grows: to four times as many lines of indices, to twice as many of keys, which are larger.
const GROWTH_BITS: u32 = 2;
const KEYED_GROWTH_BITS: u32 = 1;
/// The part of the slots that are taken when it grows: so few that hardly a line is full.
const GROW_AT: usize = 4;
const KEYED_GROW_AT: usize = 2;
/// From this size on, large pages.
const LARGE_FROM: usize = LARGE;
/// Lines that are moved in one step of growing: at most a large page or two.
const AT_A_TIME: usize = 1 << 13;

enum Kind<K> {
    Indexed(IndexedLines),
    Keyed(KeyedLines<K>),
}

type KeyedLine<K> = Mutex<[Option<Keyed<K>>; KEYED_SLOTS]>;

/// Lines that are made when they are first used, a block at a time.
struct KeyedLines<K> {
    blocks: Vec<OnceLock<Box<[KeyedLine<K>]>>>,
    /// Lines in use.
    used: AtomicUsize,
    /// Lines in use when it has grown for the last time.
    most: usize,
    /// Lines that are still to be moved while it grows.
    to_move: AtomicUsize,
    generation: u32,
}

/// Lines in a block.
const BLOCK: usize = 64;

const KEYED_SLOTS: usize = 4;
const HINT_BITS: u32 = 4;
const NO_HINT: u64 = 15;
const EFFORT_BITS: u32 = 5;

#[derive(Clone, Copy)]
struct Keyed<K> {
    key: K,
    known: Known,
    effort: u8,
    generation: u32,
}

/// Entries in a line.
const SLOTS: usize = 8;

#[repr(align(64))]
struct Line([AtomicU64; SLOTS]);

// SAFETY: zeroed atomics are valid, and dropping them does nothing.
#[allow(unsafe_code)]
unsafe impl Zeroed for Line {}

struct IndexedLines {
    /// All there may ever be.
    lines: Pages<Line>,
    index_bits: u32,
    /// Of the lines in use, as a power of two.
    line_bits: AtomicU32,
    most_line_bits: u32,
    /// Lines that are still to be moved while it grows.
    to_move: AtomicUsize,
    bound_bits: u32,
    generation_bits: u32,
    generation: u64,
}

impl<G: FullGame> BoundsTable<G> {
    /// A table of at most `bytes` (but at least one line) for scores from `least` to `greatest`.
    pub(crate) fn new(game: &G, bytes: usize, least: i32, greatest: i32) -> Self {
        let kind = match IndexedLines::new(game.exact_index_bits(), bytes, greatest.abs_diff(least), FIRST) {
            Some(lines) => Kind::Indexed(lines),
            None => Kind::Keyed(KeyedLines::new(bytes)),
        };
        let (taken, grow_at) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let table = BoundsTable { kind, least, greatest, taken, grow_at };
        table.grow_at.store(table.next_growth(), Ordering::Relaxed);
        table
    }

    /// The same at its full size at once, with all its memory handed out: not while somebody looks at the clock.
    pub(crate) fn filled(game: &G, bytes: usize, least: i32, greatest: i32) -> Self {
        let mut table = Self::new(game, bytes, least, greatest);
        // From the start, so that there is room for as many generations as can be.
        if let Some(mut indexed) =
            IndexedLines::new(game.exact_index_bits(), bytes, greatest.abs_diff(least), usize::MAX)
        {
            indexed.lines.ask_for_large_pages();
            indexed.lines.clear();
            table.kind = Kind::Indexed(indexed);
        }
        table.grow_fully();
        table
    }

    /// Bytes that are in use.
    pub(crate) fn bytes(&self) -> usize {
        self.lines_in_use() * self.line_bytes()
    }

    /// Bytes that it may come to use.
    pub(crate) fn most_bytes(&self) -> usize {
        self.most_lines() * self.line_bytes()
    }

    fn line_bytes(&self) -> usize {
        match &self.kind {
            Kind::Indexed(_) => size_of::<Line>(),
            Kind::Keyed(_) => size_of::<KeyedLine<G::Key>>(),
        }
    }

    fn lines_in_use(&self) -> usize {
        match &self.kind {
            Kind::Indexed(lines) => 1 << lines.line_bits.load(Ordering::Relaxed),
            Kind::Keyed(lines) => lines.used.load(Ordering::Relaxed),
        }
    }

    fn most_lines(&self) -> usize {
        match &self.kind {
            Kind::Indexed(lines) => 1 << lines.most_line_bits,
            Kind::Keyed(lines) => lines.most,
        }
    }

    /// So many slots are taken when it grows; none are, if it cannot.
    fn next_growth(&self) -> usize {
        let lines = self.lines_in_use();
        match &self.kind {
            _ if lines >= self.most_lines() => usize::MAX,
            Kind::Indexed(_) => lines * SLOTS / GROW_AT,
            Kind::Keyed(_) => lines * KEYED_SLOTS / KEYED_GROW_AT,
        }
    }

    /// Grows, or goes on with that, for a step. Whether it can be used again.
    #[cold]
    pub(crate) fn grow(&self) -> bool {
        if self.lines_in_use() >= self.most_lines() {
            return true;
        }
        let grown = match &self.kind {
            Kind::Indexed(lines) => lines.grow(),
            Kind::Keyed(lines) => lines.grow(),
        };
        if grown {
            self.grow_at.store(self.next_growth(), Ordering::Relaxed);
        }
        grown
    }

    /// To its full size, before several threads use it: growing is for one alone.
    pub(crate) fn grow_fully(&self) {
        while self.lines_in_use() < self.most_lines() {
            self.grow();
        }
    }

    /// Forgets everything. Not while it grows.
    pub(crate) fn forget(&mut self) {
        *self.taken.get_mut() = 0;
        match &mut self.kind {
            Kind::Indexed(lines) => lines.forget(),
            Kind::Keyed(lines) => lines.generation += 1,
        }
    }

    /// Where `state` belongs.
    #[inline]
    pub(crate) fn place(&self, game: &G, state: &G::State) -> Place<G::Key> {
        match &self.kind {
            Kind::Indexed(lines) => Place { index_or_hash: lines.scrambled(game.exact_index(state)), key: None },
            Kind::Keyed(_) => {
                let key = game.key(state);
                Place { index_or_hash: FxBuildHasher.hash_one(key), key: Some(key) }
            }
        }
    }

    /// Tells the processor that this place will be looked at soon.
    #[inline]
    pub(crate) fn prefetch(&self, place: &Place<G::Key>) {
        if let Kind::Indexed(lines) = &self.kind {
            crate::support::prefetch::prefetch(&lines.lines[lines.split(place.index_or_hash).0]);
        }
    }

    /// What is known about the state that belongs there.
    #[inline]
    pub(crate) fn get(&self, place: &Place<G::Key>) -> Option<Known> {
        match &self.kind {
            Kind::Indexed(lines) => lines.get(place.index_or_hash, self.least),
            Kind::Keyed(lines) => lines.get(place),
        }
    }

    /// Remembers what is known, which took `effort` nodes to find out. Bounds beyond the game's range are cut to it.
    /// Says whether the table must [`grow`](Self::grow) now.
    #[inline]
    #[must_use]
    pub(crate) fn put(&self, place: &Place<G::Key>, known: Known, effort: u64) -> bool {
        let known = Known { lower: known.lower.max(self.least), upper: known.upper.min(self.greatest), ..known };
        let effort = u64::from(effort.max(1).ilog2().min((1 << EFFORT_BITS) - 1));
        let took = match &self.kind {
            Kind::Indexed(lines) => lines.put(place.index_or_hash, known, effort, self.least),
            Kind::Keyed(lines) => lines.put(place, known, effort as u8),
        };
        let grow_at = self.grow_at.load(Ordering::Relaxed);
        if took && grow_at != usize::MAX {
            // By one thread alone, so that nothing is lost between reading and writing.
            let taken = self.taken.load(Ordering::Relaxed) + 1;
            self.taken.store(taken, Ordering::Relaxed);
            return taken > grow_at;
        }
        false
    }
}

impl<K: Copy + Eq + std::hash::Hash> KeyedLines<K> {
    /// Room for `bytes`, and at least a line.
    fn new(bytes: usize) -> Self {
        let room = (bytes / size_of::<KeyedLine<K>>()).max(1);
        let first = (FIRST / size_of::<KeyedLine<K>>()).max(1);
        let growths = (room / first).max(1).ilog2() / KEYED_GROWTH_BITS * KEYED_GROWTH_BITS;
        let used = room >> growths;
        let blocks = room.div_ceil(BLOCK);
        KeyedLines {
            blocks: (0..blocks).map(|_| OnceLock::new()).collect(),
            used: AtomicUsize::new(used),
            most: used << growths,
            to_move: AtomicUsize::new(0),
            generation: 1,
        }
    }

    /// `None` if the system has no memory for it.
    #[inline]
    fn line(&self, index: usize) -> Option<MutexGuard<'_, [Option<Keyed<K>>; KEYED_SLOTS]>> {
        let block = self.blocks[index / BLOCK].get_or_init(Self::block);
        block.get(index % BLOCK).map(|line| line.lock().expect("no holder panics"))
    }

    #[cold]
    fn block() -> Box<[KeyedLine<K>]> {
        let mut lines = Vec::new();
        if lines.try_reserve_exact(BLOCK).is_ok() {
            lines.extend((0..BLOCK).map(|_| Mutex::new([None; KEYED_SLOTS])));
        }
        lines.into_boxed_slice()
    }

    #[inline]
    fn line_of(&self, hash: u64) -> Option<MutexGuard<'_, [Option<Keyed<K>>; KEYED_SLOTS]>> {
        self.line(bucket_of(hash, self.used.load(Ordering::Relaxed)))
    }

    #[inline]
    fn get(&self, place: &Place<K>) -> Option<Known> {
        let line = self.line_of(place.index_or_hash)?;
        let mine = |e: &&Keyed<K>| Some(e.key) == place.key && e.generation == self.generation;
        line.iter().flatten().find(mine).map(|e| e.known)
    }

    /// Whether a slot was taken that nobody needed.
    #[inline]
    fn put(&self, place: &Place<K>, known: Known, effort: u8) -> bool {
        let (Some(key), Some(mut line)) = (place.key, self.line_of(place.index_or_hash)) else { return false };
        let value = |slot: &Option<Keyed<K>>| match slot {
            Some(e) if e.key == key => (0, 0),
            Some(e) if e.generation == self.generation => (2, e.effort),
            _ => (1, 0),
        };
        let slot = line.iter_mut().min_by_key(|slot| value(slot)).expect("a line has slots");
        let took = value(slot).0 == 1;
        *slot = Some(Keyed { key, known, effort, generation: self.generation });
        took
    }

    /// A step; whether it was the last one.
    fn grow(&self) -> bool {
        let lines = self.used.load(Ordering::Relaxed);
        let more = lines << KEYED_GROWTH_BITS;
        let (moved, left) = step(&self.to_move, lines);
        for index in moved {
            if self.blocks[index / BLOCK].get().is_none() {
                continue;
            }
            let entries = self.line(index).map_or([None; KEYED_SLOTS], |mut line| std::mem::take(&mut *line));
            for entry in entries.into_iter().flatten().filter(|e| e.generation == self.generation) {
                let index = bucket_of(FxBuildHasher.hash_one(entry.key), more);
                let mut line = self.line(index);
                if let Some(slot) = line.as_deref_mut().and_then(|line| line.iter_mut().find(|slot| slot.is_none())) {
                    *slot = Some(entry);
                }
            }
        }
        if left == 0 {
            self.used.store(more, Ordering::Relaxed);
        }
        left == 0
    }
}

/// The lines that the next step of growing moves, the last ones first, and how many are left after it; of `lines` in
/// all if it is the first.
fn step(to_move: &AtomicUsize, lines: usize) -> (std::iter::Rev<std::ops::Range<usize>>, usize) {
    let end = Some(to_move.load(Ordering::Relaxed)).filter(|&end| end > 0).unwrap_or(lines);
    let left = end.saturating_sub(AT_A_TIME);
    to_move.store(left, Ordering::Relaxed);
    ((left..end).rev(), left)
}

impl IndexedLines {
    /// With `first` bytes in use at first. `None` if the entries do not fit into words.
    fn new(index_bits: u32, bytes: usize, range: u32, first: usize) -> Option<Self> {
        let lines = (bytes / size_of::<Line>()).max(1);
        let most_line_bits = lines.ilog2().min(index_bits);
        let bound_bits = 32 - range.leading_zeros();
        // Without the rest of the index, and with at least one bit for the generation.
        let fixed = 2 * bound_bits + HINT_BITS + EFFORT_BITS + 1;
        let least_line_bits = (index_bits + fixed).saturating_sub(64);
        if index_bits == 0 || least_line_bits > most_line_bits {
            return None;
        }
        let first_bits = (first / size_of::<Line>()).max(1).ilog2();
        let line_bits = first_bits.clamp(least_line_bits, most_line_bits);
        let lines = Pages::zeroed_later(1 << most_line_bits);
        if lines.len() < 1 << most_line_bits {
            return Self::new(index_bits, lines.len() * size_of::<Line>(), range, first);
        }
        let generation_bits = (64 - (index_bits - line_bits) - (fixed - 1)).min(16);
        let line_bits = AtomicU32::new(line_bits);
        let to_move = AtomicUsize::new(0);
        Some(IndexedLines {
            lines,
            index_bits,
            line_bits,
            most_line_bits,
            to_move,
            bound_bits,
            generation_bits,
            generation: 1,
        })
    }

    fn forget(&mut self) {
        self.generation += 1;
        if self.generation >> self.generation_bits != 0 {
            self.generation = 1;
            self.lines.clear();
        }
    }

    /// A bijection on indices, so that they fill lines evenly.
    #[inline]
    fn scrambled(&self, index: u64) -> u64 {
        debug_assert!(
            index.leading_zeros() >= 64 - self.index_bits,
            "{index} does not fit into {} bits",
            self.index_bits
        );
        let mask = u64::MAX >> (64 - self.index_bits);
        (index ^ index >> (self.index_bits / 2)).wrapping_mul(0x9E37_79B9_7F4A_7C15) & mask
    }

    /// Line and rest of a scrambled index: together they determine it.
    #[inline]
    fn split(&self, index: u64) -> (usize, u64) {
        let rest_bits = self.index_bits - self.line_bits.load(Ordering::Relaxed);
        ((index >> rest_bits) as usize, index & ((1 << rest_bits) - 1))
    }

    fn tag_shift(&self) -> u32 {
        2 * self.bound_bits + HINT_BITS + EFFORT_BITS
    }

    /// What an entry for `rest` begins with.
    #[inline]
    fn tag(&self, rest: u64) -> u64 {
        rest << self.generation_bits | self.generation
    }

    #[inline]
    fn get(&self, index: u64, least: i32) -> Option<Known> {
        let (line, rest) = self.split(index);
        let tag = self.tag(rest);
        let words = &self.lines[line].0;
        let word = words.iter().map(|w| w.load(Ordering::Relaxed)).find(|w| w >> self.tag_shift() == tag)?;
        let bound = |shift: u32| least + (word >> shift & ((1 << self.bound_bits) - 1)) as i32;
        let hint = word >> EFFORT_BITS & NO_HINT;
        Some(Known {
            lower: bound(HINT_BITS + EFFORT_BITS + self.bound_bits),
            upper: bound(HINT_BITS + EFFORT_BITS),
            hint: (hint != NO_HINT).then_some(hint as u8),
        })
    }

    /// Whether a slot was taken that nobody needed.
    #[inline]
    fn put(&self, index: u64, known: Known, effort: u64, least: i32) -> bool {
        let (line, rest) = self.split(index);
        let tag = self.tag(rest);
        let hint = known.hint.map_or(NO_HINT, |h| u64::from(h).min(NO_HINT));
        let bounds = ((known.lower - least) as u64) << self.bound_bits | (known.upper - least) as u64;
        let word = (tag << (2 * self.bound_bits) | bounds) << HINT_BITS | hint;
        let word = word << EFFORT_BITS | effort;
        let generation_mask = (1 << self.generation_bits) - 1;
        let (mut chosen, mut least_worth) = (0, u64::MAX);
        for (i, slot) in self.lines[line].0.iter().enumerate() {
            let old = slot.load(Ordering::Relaxed);
            let old_tag = old >> self.tag_shift();
            if old_tag == tag {
                (chosen, least_worth) = (i, u64::MAX);
                break;
            }
            let current = old_tag & generation_mask == self.generation;
            let worth = if current { 1 + (old & ((1 << EFFORT_BITS) - 1)) } else { 0 };
            if worth < least_worth {
                (chosen, least_worth) = (i, worth);
            }
        }
        self.lines[line].0[chosen].store(word, Ordering::Relaxed);
        least_worth == 0
    }

    /// A step; whether it was the last one.
    fn grow(&self) -> bool {
        let line_bits = self.line_bits.load(Ordering::Relaxed);
        let more_bits = (line_bits + GROWTH_BITS).min(self.most_line_bits);
        let (added, rest_bits) = (more_bits - line_bits, self.index_bits - more_bits);
        let (shift, generation_mask) = (self.tag_shift(), (1 << self.generation_bits) - 1);
        let begins = self.to_move.load(Ordering::Relaxed) == 0;
        if begins && size_of::<Line>() << more_bits >= LARGE_FROM {
            self.lines.ask_for_large_pages();
        }
        let (moved, left) = step(&self.to_move, 1 << line_bits);
        for line in moved {
            let words: [u64; SLOTS] = std::array::from_fn(|i| self.lines[line].0[i].load(Ordering::Relaxed));
            self.lines[line].0.iter().for_each(|slot| slot.store(0, Ordering::Relaxed));
            for word in words.into_iter().filter(|word| word >> shift & generation_mask == self.generation) {
                let rest = word >> shift >> self.generation_bits;
                let line = line << added | (rest >> rest_bits) as usize;
                let tag = self.tag(rest & ((1 << rest_bits) - 1));
                let empty = self.lines[line].0.iter().find(|slot| slot.load(Ordering::Relaxed) == 0);
                let empty = empty.expect("what comes from one line has room in one");
                empty.store(tag << shift | word & ((1 << shift) - 1), Ordering::Relaxed);
            }
        }
        if left == 0 {
            self.line_bits.store(more_bits, Ordering::Relaxed);
        }
        left == 0
    }
}

#[cfg(test)]
mod tests {
    use perfectplay_core::random::mix;

    use super::*;

    fn entries(count: u64) -> impl Iterator<Item = (u64, Known)> {
        (0..count).map(|i| {
            let lower = (i % 9) as i32 - 4;
            (mix(i) >> 24, Known { lower, upper: lower + (i % 3) as i32, hint: Some((i % 15) as u8) })
        })
    }

    /// As much as fits into the least of it, found again after every growth.
    #[test]
    fn nothing_is_lost_when_indices_are_spread_over_more_lines() {
        let table = IndexedLines::new(40, 1 << 24, 8, 1 << 12).unwrap();
        assert_eq!(table.line_bits.load(Ordering::Relaxed), 6);
        let all: Vec<_> = entries(128).map(|(index, known)| (table.scrambled(index), known)).collect();
        all.iter().for_each(|&(index, known)| assert!(table.put(index, known, 3, -4)));
        while table.line_bits.load(Ordering::Relaxed) < table.most_line_bits {
            all.iter().for_each(|&(index, known)| assert_eq!(table.get(index, -4), Some(known)));
            assert!(entries(1000).skip(128).all(|(index, _)| table.get(table.scrambled(index), -4).is_none()));
            while !table.grow() {}
        }
        all.iter().for_each(|&(index, known)| assert_eq!(table.get(index, -4), Some(known)));
    }

    #[test]
    fn nothing_is_lost_when_keys_are_spread_over_more_lines() {
        let lines = KeyedLines::<u64>::new(1 << 22);
        let (first, most) = (lines.used.load(Ordering::Relaxed), lines.most);
        assert!(first < most / 8 && most * size_of::<KeyedLine<u64>>() > (1 << 22) * 9 / 10);
        let place = |key: u64| Place { index_or_hash: FxBuildHasher.hash_one(key), key: Some(key) };
        let all: Vec<_> = entries(first as u64 / 8).filter(|&(key, known)| lines.put(&place(key), known, 1)).collect();
        while lines.used.load(Ordering::Relaxed) < most {
            let kept = |(key, known): &(u64, Known)| lines.get(&place(*key)) == Some(*known);
            assert!(all.iter().all(kept), "{} lines", lines.used.load(Ordering::Relaxed));
            while !lines.grow() {}
        }
    }
}
