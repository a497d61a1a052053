//! The solver's table: proved bounds on the score of a state, in fixed memory, never confusing two states.
//!
//! A bucket is one cache line. What a state leaves in it depends on how large the game's keys are:
//!
//! - **[`SolverHints::exact_index`]** gives a state a number below 2^b. A bijection on b bits scrambles it; its upper
//!   bits choose the line and *all the rest* is stored, so line and entry together identify the code. One 64-bit word
//!   then holds everything:
//!
//!   ```text
//!   63                                                              0
//!   | rest of the code | generation | lower | upper | hint | effort |
//!   ```
//!
//!   A word is read and written in one piece, so threads need no lock and cannot see half an entry.
//! - Otherwise an entry holds the game's whole key, and each line has a lock of its own.
//!
//! When a line is full, entries of older generations go first, then the one whose subtree took the least effort.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};

use perfectplay_core::FullGame;
use rustc_hash::FxBuildHasher;

use crate::support::hashing::bucket_of;
use crate::support::pages::{Pages, Zeroed};

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

/// A state's place in the table: worked out once, early enough for the line to arrive from memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<K> {
    line: usize,
    rest: u64,
    key: Option<K>,
}

impl<K> Place<K> {
    /// A number that different states rarely share.
    pub(crate) fn hash(&self) -> u64 {
        (self.line as u64 ^ self.rest << 20).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// Proved bounds by state.
pub(crate) struct BoundsTable<G: FullGame> {
    kind: Kind<G::Key>,
    /// The least score the game can end with: bounds are stored as distances from it.
    least: i32,
    greatest: i32,
}

enum Kind<K> {
    Coded(Coded),
    Keyed { lines: KeyedLines<K>, generation: u32 },
}

type KeyedLine<K> = Mutex<[Option<Keyed<K>>; KEYED_SLOTS]>;

/// Lines that are made when they are first used, a block at a time: a large table costs nothing until then.
struct KeyedLines<K> {
    blocks: Vec<OnceLock<Box<[KeyedLine<K>]>>>,
}

/// Lines in a block.
const BLOCK: usize = 64;

impl<K: Copy> KeyedLines<K> {
    /// Room for `bytes`, and at least a block.
    fn new(bytes: usize) -> Self {
        let blocks = (bytes / (BLOCK * size_of::<KeyedLine<K>>())).max(1);
        KeyedLines { blocks: (0..blocks).map(|_| OnceLock::new()).collect() }
    }

    fn len(&self) -> usize {
        self.blocks.len() * BLOCK
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
}

const KEYED_SLOTS: usize = 2;
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

/// Lines from which on large pages pay.
const LARGE_PAGES_FROM: usize = (32 << 20) / size_of::<Line>();

/// Entries in a line.
const SLOTS: usize = 8;

#[repr(align(64))]
struct Line([AtomicU64; SLOTS]);

// SAFETY: zeroed atomics are valid, and dropping them does nothing.
#[allow(unsafe_code)]
unsafe impl Zeroed for Line {}

struct Coded {
    lines: Pages<Line>,
    code_bits: u32,
    rest_bits: u32,
    bound_bits: u32,
    generation_bits: u32,
    generation: u64,
}

impl<G: FullGame> BoundsTable<G> {
    /// A table of at most `bytes` (but at least one line) for scores from `least` to `greatest`.
    pub(crate) fn new(game: &G, bytes: usize, least: i32, greatest: i32) -> Self {
        let kind = match Coded::new(game.exact_index_bits(), bytes, greatest.abs_diff(least)) {
            Some(coded) => Kind::Coded(coded),
            None => Kind::Keyed { lines: KeyedLines::new(bytes), generation: 1 },
        };
        BoundsTable { kind, least, greatest }
    }

    /// Bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        match &self.kind {
            Kind::Coded(coded) => coded.lines.len() * size_of::<Line>(),
            Kind::Keyed { lines, .. } => lines.len() * size_of::<KeyedLine<G::Key>>(),
        }
    }

    /// Writes to all of an empty table, so that the system provides its memory now and not while somebody looks at the
    /// clock.
    pub(crate) fn touch(&mut self) {
        if let Kind::Coded(coded) = &mut self.kind {
            coded.lines.clear();
        }
        self.use_large_pages();
    }

    /// Moves a large table to large pages: for a search that has proved to be long. They make it faster, but each costs
    /// a fraction of a millisecond, which a short search would spend on nothing else.
    pub(crate) fn use_large_pages(&self) {
        if let Kind::Coded(coded) = &self.kind
            && coded.lines.len() >= LARGE_PAGES_FROM
        {
            coded.lines.use_large_pages();
        }
    }

    /// Forgets everything.
    pub(crate) fn forget(&mut self) {
        match &mut self.kind {
            Kind::Coded(coded) => coded.forget(),
            Kind::Keyed { generation, .. } => *generation += 1,
        }
    }

    /// Where `state` belongs.
    #[inline]
    pub(crate) fn place(&self, game: &G, state: &G::State) -> Place<G::Key> {
        match &self.kind {
            Kind::Coded(coded) => {
                let (line, rest) = coded.place(game.exact_index(state));
                Place { line, rest, key: None }
            }
            Kind::Keyed { lines, .. } => {
                let key = game.key(state);
                let hash = FxBuildHasher.hash_one(key);
                Place { line: bucket_of(hash, lines.len()), rest: 0, key: Some(key) }
            }
        }
    }

    /// Tells the processor that this place will be looked at soon.
    #[inline]
    pub(crate) fn prefetch(&self, place: &Place<G::Key>) {
        if let Kind::Coded(coded) = &self.kind {
            crate::support::prefetch::prefetch(&coded.lines[place.line]);
        }
    }

    /// What is known about the state that belongs there.
    #[inline]
    pub(crate) fn get(&self, place: &Place<G::Key>) -> Option<Known> {
        match &self.kind {
            Kind::Coded(coded) => coded.get(place, self.least),
            Kind::Keyed { lines, generation } => {
                let line = lines.line(place.line)?;
                let mine = |e: &&Keyed<G::Key>| Some(e.key) == place.key && e.generation == *generation;
                line.iter().flatten().find(mine).map(|e| e.known)
            }
        }
    }

    /// Remembers what is known, which took `effort` nodes to find out. Bounds beyond the game's range are cut to it.
    #[inline]
    pub(crate) fn put(&self, place: &Place<G::Key>, known: Known, effort: u64) {
        let known = Known { lower: known.lower.max(self.least), upper: known.upper.min(self.greatest), ..known };
        let effort = u64::from(effort.max(1).ilog2().min((1 << EFFORT_BITS) - 1));
        match &self.kind {
            Kind::Coded(coded) => coded.put(place, known, effort, self.least),
            Kind::Keyed { lines, generation } => {
                let (Some(key), Some(mut line)) = (place.key, lines.line(place.line)) else { return };
                let new = Keyed { key, known, effort: effort as u8, generation: *generation };
                let value = |slot: &Option<Keyed<G::Key>>| match slot {
                    Some(e) if e.key == key => (false, 0),
                    Some(e) if e.generation == *generation => (true, e.effort),
                    _ => (false, 1),
                };
                let slot = line.iter_mut().min_by_key(|slot| value(slot)).expect("a line has slots");
                *slot = Some(new);
            }
        }
    }
}

impl Coded {
    /// `None` if the entries do not fit into words.
    fn new(code_bits: u32, bytes: usize, range: u32) -> Option<Self> {
        let lines = (bytes / size_of::<Line>()).max(1);
        let line_bits = lines.ilog2().min(code_bits);
        let bound_bits = 32 - range.leading_zeros();
        let rest_bits = code_bits - line_bits;
        let used = rest_bits + 2 * bound_bits + HINT_BITS + EFFORT_BITS;
        if code_bits == 0 || used >= 64 {
            return None;
        }
        let lines = Pages::zeroed(1 << line_bits, false);
        if lines.len() < 1 << line_bits {
            return Self::new(code_bits, lines.len() * size_of::<Line>(), range);
        }
        Some(Coded { lines, code_bits, rest_bits, bound_bits, generation_bits: (64 - used).min(16), generation: 1 })
    }

    fn forget(&mut self) {
        self.generation += 1;
        if self.generation >> self.generation_bits != 0 {
            self.generation = 1;
            self.lines.clear();
        }
    }

    /// Line and rest of a code: together they determine it, because both steps can be undone on numbers of this width.
    #[inline]
    fn place(&self, code: u64) -> (usize, u64) {
        debug_assert!(code.leading_zeros() >= 64 - self.code_bits, "{code} does not fit into {} bits", self.code_bits);
        let mask = u64::MAX >> (64 - self.code_bits);
        let mixed = (code ^ code >> (self.code_bits / 2)).wrapping_mul(0x9E37_79B9_7F4A_7C15) & mask;
        ((mixed >> self.rest_bits) as usize, mixed & ((1 << self.rest_bits) - 1))
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
    fn get(&self, place: &Place<impl Copy>, least: i32) -> Option<Known> {
        let tag = self.tag(place.rest);
        let words = &self.lines[place.line].0;
        let word = words.iter().map(|w| w.load(Ordering::Relaxed)).find(|w| w >> self.tag_shift() == tag)?;
        let bound = |shift: u32| least + (word >> shift & ((1 << self.bound_bits) - 1)) as i32;
        let hint = word >> EFFORT_BITS & NO_HINT;
        Some(Known {
            lower: bound(HINT_BITS + EFFORT_BITS + self.bound_bits),
            upper: bound(HINT_BITS + EFFORT_BITS),
            hint: (hint != NO_HINT).then_some(hint as u8),
        })
    }

    #[inline]
    fn put(&self, place: &Place<impl Copy>, known: Known, effort: u64, least: i32) {
        let tag = self.tag(place.rest);
        let hint = known.hint.map_or(NO_HINT, |h| u64::from(h).min(NO_HINT));
        let bounds = ((known.lower - least) as u64) << self.bound_bits | (known.upper - least) as u64;
        let word = (tag << (2 * self.bound_bits) | bounds) << HINT_BITS | hint;
        let word = word << EFFORT_BITS | effort;
        let generation_mask = (1 << self.generation_bits) - 1;
        let (mut chosen, mut least_worth) = (0, u64::MAX);
        for (i, slot) in self.lines[place.line].0.iter().enumerate() {
            let old = slot.load(Ordering::Relaxed);
            let old_tag = old >> self.tag_shift();
            if old_tag == tag {
                chosen = i;
                break;
            }
            let current = old_tag & generation_mask == self.generation;
            let worth = if current { 1 + (old & ((1 << EFFORT_BITS) - 1)) } else { 0 };
            if worth < least_worth {
                (chosen, least_worth) = (i, worth);
            }
        }
        self.lines[place.line].0[chosen].store(word, Ordering::Relaxed);
    }
}
