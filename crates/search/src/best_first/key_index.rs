//! From keys to numbers: the transposition table of the best-first searches.
//!
//! It holds nothing but the numbers of nodes; the keys stay in the nodes and are compared in full, so a hit is exact.
//! A bucket is a cache line (`bucket.rs`); a full one runs over into the next. Nothing is ever removed: who drops nodes
//! builds a new table. A lookup costs one cache miss, which [`KeyIndex::prefetch`] hides, and a byte of hash keeps it
//! from looking at the wrong nodes.
//!
//! Several threads may look up and insert at a time. Who inserts locks the bucket where the key would be at home, and
//! for a moment the one with the free place: no key is entered twice. Locks are taken in the order of the buckets, and
//! a thread waits for the next one only where its own is full; not all can be full, so nobody waits for ever.
//!
//! A growing table would take seconds to move where it is large; [`KeyIndex::adopt`] moves a few entries at a time, so
//! that a search can be stopped in between.

use std::ops::Range;

use perfectplay_core::share_out;

use crate::best_first::bucket::{Bucket, PLACES};
use crate::support::hashing::bucket_of;
use crate::support::pages::{LARGE, Pages, Zeroed, held};
use crate::support::prefetch::prefetch;

/// Bytes from which on a table lies on large pages.
const LARGE_FROM: usize = 8 << 20;

/// Nodes that a thread moves at a time to a larger table: about a millisecond.
pub(crate) const ADOPTED_AT_A_TIME: usize = 1 << 15;

// SAFETY: atomic numbers, for which zero bytes are valid.
#[allow(unsafe_code)]
unsafe impl Zeroed for Bucket {}

/// What a lookup found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The node with this number.
    Node(u32),
    /// No such node; here is its place.
    Vacant(Vacancy),
}

/// A bucket with a free place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vacancy(usize);

/// Numbers by key.
pub(crate) struct KeyIndex {
    buckets: Pages<Bucket>,
    len: usize,
}

impl KeyIndex {
    /// A table with room for `entries`. The operating system provides its pages as they are touched.
    pub(crate) fn with_room_for(entries: usize) -> Self {
        Self::with_buckets(Self::buckets_for(entries))
    }

    /// How many buckets it takes to be at most four fifths full.
    pub(crate) fn buckets_for(entries: usize) -> usize {
        (entries * 5).div_ceil(4 * PLACES) + 1
    }

    /// A table of the size of another one.
    pub(crate) fn with_buckets(buckets: usize) -> Self {
        KeyIndex { buckets: Pages::zeroed(buckets, buckets * size_of::<Bucket>() >= LARGE_FROM), len: 0 }
    }

    fn bytes_of(buckets: usize) -> usize {
        held(buckets * size_of::<Bucket>(), LARGE_FROM)
    }

    /// What [`KeyIndex::with_room_for`] would hold.
    pub(crate) fn bytes_for(entries: usize) -> usize {
        Self::bytes_of(Self::buckets_for(entries))
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        Self::bytes_of(self.buckets())
    }

    /// Its size, for [`KeyIndex::with_buckets`].
    pub(crate) fn buckets(&self) -> usize {
        self.buckets.len()
    }

    /// How many entries it takes before it should grow.
    pub(crate) fn room(&self) -> usize {
        self.buckets() * PLACES * 4 / 5
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        bucket_of(hash, self.buckets())
    }

    #[inline]
    fn after(&self, bucket: usize) -> usize {
        if bucket + 1 == self.buckets() { 0 } else { bucket + 1 }
    }

    /// Asks for the cache line that a lookup of `hash` will read.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        prefetch(&raw const self.buckets[self.home(hash)]);
    }

    /// A node that a lookup of `hash` will most likely ask about.
    #[inline]
    pub(crate) fn first_alike(&self, hash: u64) -> Option<u32> {
        let bucket = &self.buckets[self.home(hash)];
        let alike = bucket.alike(hash as u8, bucket.filled());
        (alike != 0).then(|| bucket.node((alike.trailing_zeros() / 8) as usize))
    }

    /// Looks for a node with this hash that `is_it`.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Found {
        let mut at = self.home(hash);
        loop {
            let bucket = &self.buckets[at];
            let filled = bucket.filled();
            let mut alike = bucket.alike(hash as u8, filled);
            while alike != 0 {
                let node = bucket.node((alike.trailing_zeros() / 8) as usize);
                if is_it(node) {
                    return Found::Node(node);
                }
                alike &= alike - 1;
            }
            if filled < PLACES {
                return Found::Vacant(Vacancy(at));
            }
            at = self.after(at);
        }
    }

    /// Fills the place that [`KeyIndex::find`] offered, before anything else is filled.
    #[inline]
    pub(crate) fn fill(&mut self, at: Vacancy, hash: u64, node: u32) {
        debug_assert!(self.len < self.room(), "the table should have grown");
        self.buckets[at.0].fill(hash as u8, node);
        self.len += 1;
    }

    /// Finds a node or enters the one that `make` makes, whatever other threads do at the same time. There must be
    /// room.
    #[inline]
    pub(crate) fn find_or_insert(&self, hash: u64, is_it: impl Fn(u32) -> bool, make: impl FnOnce() -> u32) -> u32 {
        let home = self.home(hash);
        let _home = self.buckets[home].lock();
        match self.find(hash, is_it) {
            Found::Node(node) => node,
            Found::Vacant(Vacancy(mut at)) => {
                let node = make();
                if at == home {
                    self.buckets[home].fill(hash as u8, node);
                } else {
                    // Others may have filled it since: they had no lock to wait for.
                    while !self.fill_locked(at, hash, node) {
                        at = self.after(at);
                    }
                }
                node
            }
        }
    }

    #[cold]
    fn fill_locked(&self, at: usize, hash: u64, node: u32) -> bool {
        let bucket = &self.buckets[at];
        let _locked = bucket.lock();
        let fits = bucket.filled() < PLACES;
        if fits {
            bucket.fill(hash as u8, node);
        }
        fits
    }

    /// After threads have inserted: so many entries are there now.
    pub(crate) fn set_len(&mut self, len: usize) {
        self.len = len;
    }

    /// Lets the system provide memory for some buckets of an empty table, from number `from` on; says up to which.
    ///
    /// It comes with the first write, and takes milliseconds for a large page.
    pub(crate) fn provide(&mut self, from: usize, threads: usize) -> usize {
        const PIECE: usize = LARGE / size_of::<Bucket>();
        const PAGE: usize = 4096 / size_of::<Bucket>();
        let end = self.buckets().min(from + 2 * threads * PIECE);
        let buckets = &self.buckets[from..end];
        share_out(&mut vec![(); threads], buckets.len().div_ceil(PIECE), |(), piece| {
            let piece = &buckets[piece * PIECE..buckets.len().min((piece + 1) * PIECE)];
            piece.iter().step_by(PAGE).for_each(|bucket| bucket.touch());
        });
        end
    }

    /// Enters those of these nodes that `hash_of` has a hash for; none of them may be there already.
    pub(crate) fn adopt(&mut self, nodes: Range<usize>, threads: usize, hash_of: impl Fn(usize) -> Option<u64> + Sync) {
        let pieces = nodes.len().div_ceil(ADOPTED_AT_A_TIME);
        let alone = threads == 1;
        let mut entered = vec![0; threads];
        share_out(&mut entered, pieces, |entered, piece| {
            let from = nodes.start + piece * ADOPTED_AT_A_TIME;
            *entered += self.adopt_piece(from..nodes.end.min(from + ADOPTED_AT_A_TIME), alone, &hash_of);
        });
        self.len += entered.iter().sum::<usize>();
    }

    fn adopt_piece(&self, nodes: Range<usize>, alone: bool, hash_of: impl Fn(usize) -> Option<u64>) -> usize {
        const AHEAD: usize = 32; // lookups under way at a time
        let mut waiting = [(0, 0); AHEAD];
        let mut count = 0;
        for node in nodes {
            let Some(hash) = hash_of(node) else { continue };
            self.prefetch(hash);
            let first = std::mem::replace(&mut waiting[count % AHEAD], (hash, node as u32));
            if count >= AHEAD {
                self.enter(first, alone);
            }
            count += 1;
        }
        (count.saturating_sub(AHEAD)..count).for_each(|i| self.enter(waiting[i % AHEAD], alone));
        count
    }

    #[inline]
    fn enter(&self, (hash, node): (u64, u32), alone: bool) {
        let mut at = self.home(hash);
        loop {
            let bucket = &self.buckets[at];
            let _locked = (!alone).then(|| bucket.lock());
            if bucket.filled() < PLACES {
                bucket.fill(hash as u8, node);
                return;
            }
            at = self.after(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::hashing::hash;

    #[test]
    fn every_key_is_found_again_also_after_a_move() {
        let keys: Vec<u64> = (0..50_000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20).collect();
        let mut table = KeyIndex::with_room_for(keys.len());
        for (i, key) in keys.iter().enumerate() {
            let Found::Vacant(place) = table.find(hash(key), |n| keys[n as usize] == *key) else {
                panic!("not yet there")
            };
            table.fill(place, hash(key), i as u32);
        }
        let mut larger = KeyIndex::with_room_for(2 * keys.len());
        for nodes in [0..1, 1..7, 7..40_000, 40_000..keys.len()] {
            larger.adopt(nodes.clone(), 1, |i| Some(hash(&keys[i])));
            assert_eq!(larger.len, nodes.end);
        }
        let mut by_threads = KeyIndex::with_room_for(keys.len());
        assert_eq!(by_threads.provide(0, 3), by_threads.buckets());
        by_threads.adopt(0..keys.len(), 3, |i| Some(hash(&keys[i])));
        assert_eq!(by_threads.len, keys.len());
        let mut odd = KeyIndex::with_room_for(keys.len());
        odd.adopt(0..keys.len(), 1, |i| (i % 2 == 1).then(|| hash(&keys[i])));
        assert_eq!(odd.len, keys.len() / 2);
        assert!(matches!(odd.find(hash(&keys[2]), |n| keys[n as usize] == keys[2]), Found::Vacant(_)));
        for table in [table, larger, by_threads] {
            for (i, key) in keys.iter().enumerate() {
                assert_eq!(table.find(hash(key), |n| keys[n as usize] == *key), Found::Node(i as u32));
            }
            assert!(matches!(table.find(hash(&u64::MAX), |n| keys[n as usize] == u64::MAX), Found::Vacant(_)));
        }
    }

    #[test]
    fn threads_enter_every_key_once() {
        let keys: Vec<u64> = (0..3_000u64).map(|i| i % 1_000).collect();
        let (table, made) = (KeyIndex::with_room_for(1_000), std::sync::atomic::AtomicU32::new(0));
        // Few hashes: buckets run over.
        let enter = |key: u64| {
            table.find_or_insert(
                hash(&(key % 97)),
                |n| u64::from(n) == key,
                || {
                    made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    key as u32
                },
            )
        };
        std::thread::scope(|scope| {
            for start in 0..4 {
                let (keys, enter) = (&keys, &enter);
                scope.spawn(move || keys[start * 100..].iter().for_each(|&key| assert_eq!(u64::from(enter(key)), key)));
            }
        });
        assert_eq!(made.into_inner(), 1_000);
        assert_eq!(table.buckets.iter().map(Bucket::filled).sum::<usize>(), 1_000);
    }

    #[test]
    fn equal_hashes_run_over_into_the_next_buckets() {
        let mut table = KeyIndex::with_room_for(100);
        for i in 0..50 {
            let Found::Vacant(place) = table.find(u64::MAX, |n| n == i) else { panic!("not yet there") };
            table.fill(place, u64::MAX, i);
        }
        assert!((0..50).all(|i| table.find(u64::MAX, |n| n == i) == Found::Node(i)));
    }
}
