//! The engine's transposition table: of fixed size, shared by threads without locks.
//!
//! A bucket is a cache line of four entries. An entry is two words, `key xor data` and `data`: two threads that write
//! at the same time can leave halves of different entries side by side, but those do not fit together and are taken for
//! no entry.
//!
//! ```text
//!   data:  | value 32 | move 16 | depth 8 | generation 6 | flag 2 |
//! ```
//!
//! The key is a state's number of 64 bits. Where the game's key is one, it is exact; otherwise it is a hash, good
//! enough to play by and no ground for a proof ([`Numbering::exact`]).
//!
//! In a full bucket the entry with the least depth goes, those of earlier searches before those of this one.

use std::any::Any;
use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use perfectplay_core::random::spread;
use perfectplay_core::{Budget, FullGame};
use rustc_hash::FxBuildHasher;

use crate::alpha_beta::textbook::table_search::Flag;
use crate::support::hashing::bucket_of;
use crate::support::pages::{Pages, Zeroed};
use crate::support::prefetch::prefetch;

/// The depth of a value that holds for every depth.
pub(crate) const SETTLED: u8 = u8::MAX;

/// What is known about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) value: i32,
    pub(crate) flag: Flag,
    pub(crate) depth: u8,
    /// Index of the best move in the order of the rules.
    pub(crate) mv: Option<u16>,
}

const SLOTS: usize = 4;
const NO_MOVE: u64 = 0xFFFF;
const GENERATIONS: u8 = 64;

#[repr(align(64))]
struct Bucket([[AtomicU64; 2]; SLOTS]);

// SAFETY: zeroed atomics are valid, and dropping them does nothing.
#[allow(unsafe_code)]
unsafe impl Zeroed for Bucket {}

pub(crate) struct TranspositionTable {
    buckets: Pages<Bucket>,
    generation: AtomicU8,
}

/// How states get their numbers.
#[derive(Clone, Copy)]
pub(crate) struct Numbering {
    pub(crate) exact: bool,
}

impl Numbering {
    pub(crate) fn of<G: FullGame>(game: &G) -> Self {
        let key = game.key(&game.start());
        Numbering { exact: (&key as &dyn Any).is::<u64>() }
    }

    #[inline]
    pub(crate) fn number<G: FullGame>(&self, game: &G, state: &G::State) -> u64 {
        self.of_key(game.key(state))
    }

    /// The number of the state with this key.
    #[inline]
    pub(crate) fn of_key<K: Hash + 'static>(&self, key: K) -> u64 {
        match (&key as &dyn Any).downcast_ref::<u64>() {
            // Scrambled by steps that can be undone, so that buckets fill evenly.
            Some(&key) => spread(key),
            None => {
                let hash = FxBuildHasher.hash_one(key);
                (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
            }
        }
    }
}

/// Bytes for a table: all that the budget leaves, or half of it where the game itself will keep more and more.
pub(crate) fn table_bytes<G: FullGame>(game: &G, budget: &Budget) -> usize {
    budget.memory_left() / if game.stable_keys() { 1 } else { 2 }
}

impl TranspositionTable {
    /// A table of at most `bytes`, at least one bucket.
    pub(crate) fn new(bytes: usize, large_pages: bool) -> Self {
        let buckets = (bytes / size_of::<Bucket>()).max(1);
        TranspositionTable { buckets: Pages::zeroed(buckets, large_pages), generation: AtomicU8::new(1) }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>()
    }

    /// A new search begins: what is there may be used, and goes first.
    pub(crate) fn age(&self) {
        let next = self.generation.load(Ordering::Relaxed) % (GENERATIONS - 1) + 1;
        self.generation.store(next, Ordering::Relaxed);
    }

    #[inline]
    fn bucket(&self, number: u64) -> &Bucket {
        &self.buckets[bucket_of(number, self.buckets.len())]
    }

    /// Starts to fetch what is known of a state.
    #[inline]
    pub(crate) fn prefetch(&self, number: u64) {
        prefetch(self.bucket(number));
    }

    #[inline]
    pub(crate) fn get(&self, number: u64) -> Option<Entry> {
        self.bucket(number).0.iter().find_map(|[check, data]| {
            let data = data.load(Ordering::Relaxed);
            (data != 0 && check.load(Ordering::Relaxed) ^ data == number).then(|| unpack(data))
        })
    }

    #[inline]
    pub(crate) fn put(&self, number: u64, entry: Entry) {
        let generation = self.generation.load(Ordering::Relaxed);
        let bucket = self.bucket(number);
        let mut chosen = (u32::MAX, 0);
        for (i, [check, data]) in bucket.0.iter().enumerate() {
            let old = data.load(Ordering::Relaxed);
            if old == 0 || check.load(Ordering::Relaxed) ^ old == number {
                chosen.1 = i;
                break;
            }
            let current = (old >> 2) as u8 % GENERATIONS == generation;
            let worth = u32::from(current) << 8 | (old >> 8) as u32 & 0xFF;
            if worth < chosen.0 {
                chosen = (worth, i);
            }
        }
        let data = pack(entry, generation);
        let [check, word] = &bucket.0[chosen.1];
        check.store(number ^ data, Ordering::Relaxed);
        word.store(data, Ordering::Relaxed);
    }
}

/// Never 0: the generation is not.
fn pack(entry: Entry, generation: u8) -> u64 {
    let flag = match entry.flag {
        Flag::Exact => 0,
        Flag::Lower => 1,
        Flag::Upper => 2,
    };
    let mv = entry.mv.map_or(NO_MOVE, u64::from);
    u64::from(entry.value as u32) << 32 | mv << 16 | u64::from(entry.depth) << 8 | u64::from(generation) << 2 | flag
}

fn unpack(data: u64) -> Entry {
    let mv = data >> 16 & NO_MOVE;
    Entry {
        value: (data >> 32) as u32 as i32,
        flag: [Flag::Exact, Flag::Lower, Flag::Upper][(data as usize & 3).min(2)],
        depth: (data >> 8) as u8,
        mv: (mv != NO_MOVE).then_some(mv as u16),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_two_words_and_a_bucket_a_cache_line() {
        assert_eq!(size_of::<Bucket>(), 64);
        assert_eq!(align_of::<Bucket>(), 64);
    }

    #[test]
    fn what_is_put_in_comes_out_and_torn_entries_do_not() {
        let table = TranspositionTable::new(64, false);
        let entry = Entry { value: -77, flag: Flag::Lower, depth: 9, mv: Some(3) };
        table.put(12345, entry);
        assert_eq!(table.get(12345), Some(entry));
        assert_eq!(table.get(12346), None);
        // Another thread's data beside this entry's check.
        table.buckets[0].0[0][1].store(pack(Entry { value: 5, ..entry }, 1), Ordering::Relaxed);
        assert_eq!(table.get(12345), None);
    }

    #[test]
    fn the_shallowest_entry_of_a_full_bucket_goes_first_and_old_ones_before_it() {
        let table = TranspositionTable::new(64, false);
        let at = |depth| Entry { value: 0, flag: Flag::Exact, depth, mv: None };
        for n in 0..4u64 {
            table.put(n + 1, at(10 + n as u8));
        }
        table.put(9, at(1));
        assert_eq!((table.get(1), table.get(9)), (None, Some(at(1))));
        table.age();
        table.put(10, at(0));
        table.put(11, at(0));
        assert_eq!(table.get(10), Some(at(0)), "newer, though shallower");
        assert_eq!((table.get(9), table.get(2)), (None, None));
    }
}
