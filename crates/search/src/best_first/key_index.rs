//! From keys to numbers: the transposition table of the best-first searches.
//!
//! It holds nothing but the numbers of nodes; the keys stay in the nodes and are compared in full, so a hit is exact.
//! One bucket is one cache line:
//!
//! ```text
//!   word   0   1   2  …  11 │ 12      13      14      │ 15
//!        numbers of nodes   │ one byte of hash each   │ places filled
//! ```
//!
//! A bucket fills from the left; a full one runs over into the next. Nothing is ever removed: who drops nodes builds a
//! new table. A lookup costs one cache miss, which [`KeyIndex::prefetch`] hides, and a byte of hash keeps it from
//! looking at the wrong nodes.
//!
//! A growing table would take seconds to move where it is large; [`KeyIndex::adopt`] moves a few entries at a time, so
//! that a search can be stopped in between.

use std::ops::Range;

use crate::support::hashing::bucket_of;
use crate::support::pages::{Pages, Zeroed, held};
use crate::support::prefetch::prefetch;

const PLACES: usize = 12;
const WORDS: usize = 16;

/// Bytes from which on a table lies on large pages.
const LARGE_FROM: usize = 8 << 20;

#[repr(align(64))]
struct Bucket([u32; WORDS]);

// SAFETY: plain numbers, for which zero bytes are valid.
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

/// A free place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vacancy {
    bucket: usize,
    place: usize,
}

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

    /// The places of a bucket that hold this byte, as bits 7, 15, 23 …; perhaps a few more.
    #[inline]
    fn alike(words: &[u32; WORDS], byte: u8) -> u128 {
        const ONES: u128 = u128::MAX / 255;
        let bytes = u128::from(words[12]) | u128::from(words[13]) << 32 | u128::from(words[14]) << 64;
        let differences = bytes ^ (ONES * u128::from(byte));
        // The usual trick to find zero bytes; bytes beyond the filled places are masked out.
        differences.wrapping_sub(ONES) & !differences & (ONES << 7) & !(u128::MAX << (words[15] * 8))
    }

    /// A node that a lookup of `hash` will most likely ask about.
    #[inline]
    pub(crate) fn first_alike(&self, hash: u64) -> Option<u32> {
        let words = &self.buckets[self.home(hash)].0;
        let alike = Self::alike(words, hash as u8);
        (alike != 0).then(|| words[(alike.trailing_zeros() / 8) as usize])
    }

    /// Looks for a node with this hash that `is_it`.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Found {
        let byte = hash as u8;
        let mut bucket = self.home(hash);
        loop {
            let words = &self.buckets[bucket].0;
            let mut alike = Self::alike(words, byte);
            while alike != 0 {
                let node = words[(alike.trailing_zeros() / 8) as usize];
                if is_it(node) {
                    return Found::Node(node);
                }
                alike &= alike - 1;
            }
            let place = words[15] as usize;
            if place < PLACES {
                return Found::Vacant(Vacancy { bucket, place });
            }
            bucket = self.after(bucket);
        }
    }

    /// The place for a node that is known not to be there.
    #[inline]
    fn vacancy(&self, hash: u64) -> Vacancy {
        let mut bucket = self.home(hash);
        loop {
            let place = self.buckets[bucket].0[15] as usize;
            if place < PLACES {
                return Vacancy { bucket, place };
            }
            bucket = self.after(bucket);
        }
    }

    /// Fills the place that [`KeyIndex::find`] offered, before anything else is filled.
    #[inline]
    pub(crate) fn fill(&mut self, at: Vacancy, hash: u64, node: u32) {
        debug_assert!(self.len < self.room(), "the table should have grown");
        let words = &mut self.buckets[at.bucket].0;
        words[at.place] = node;
        words[PLACES + at.place / 4] |= u32::from(hash as u8) << (at.place % 4 * 8);
        words[15] += 1;
        self.len += 1;
    }

    /// Lets the system provide memory for some buckets of an empty table, from number `from` on; says up to which.
    ///
    /// It comes with the first write, and takes milliseconds for a large page.
    pub(crate) fn provide(&mut self, from: usize) -> usize {
        const AT_A_TIME: usize = (4 << 20) / size_of::<Bucket>();
        const PAGE: usize = 4096 / size_of::<Bucket>();
        let end = self.buckets().min(from + AT_A_TIME);
        self.buckets[from..end].iter_mut().step_by(PAGE).for_each(|bucket| bucket.0[15] = 0);
        end
    }

    /// Enters those of these nodes that `hash_of` has a hash for; none of them may be there already.
    pub(crate) fn adopt(&mut self, nodes: Range<usize>, hash_of: impl Fn(usize) -> Option<u64>) {
        const AHEAD: usize = 16; // lookups under way at a time
        let mut waiting = [(0, 0); AHEAD];
        let mut count = 0;
        for node in nodes {
            let Some(hash) = hash_of(node) else { continue };
            self.prefetch(hash);
            let first = std::mem::replace(&mut waiting[count % AHEAD], (hash, node as u32));
            if count >= AHEAD {
                self.enter(first);
            }
            count += 1;
        }
        (count.saturating_sub(AHEAD)..count).for_each(|i| self.enter(waiting[i % AHEAD]));
    }

    #[inline]
    fn enter(&mut self, (hash, node): (u64, u32)) {
        self.fill(self.vacancy(hash), hash, node);
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
            larger.adopt(nodes.clone(), |i| Some(hash(&keys[i])));
            assert_eq!(larger.len, nodes.end);
        }
        let mut odd = KeyIndex::with_room_for(keys.len());
        odd.adopt(0..keys.len(), |i| (i % 2 == 1).then(|| hash(&keys[i])));
        assert_eq!(odd.len, keys.len() / 2);
        assert!(matches!(odd.find(hash(&keys[2]), |n| keys[n as usize] == keys[2]), Found::Vacant(_)));
        for table in [table, larger] {
            for (i, key) in keys.iter().enumerate() {
                assert_eq!(table.find(hash(key), |n| keys[n as usize] == *key), Found::Node(i as u32));
            }
            assert!(matches!(table.find(hash(&u64::MAX), |n| keys[n as usize] == u64::MAX), Found::Vacant(_)));
        }
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
