//! A map of exact keys to which many threads add at once, and which loses nothing.
//!
//! An entry lies in the bucket to which its key belongs, or, if that is full, in one of the next ([`write_once`]
//! has the protocol). Reading takes no lock. Growing needs the map alone: those who add look at
//! [`SharedMap::is_crowded`] and come back; it goes on in steps, between which everything can be found and a search can
//! be stopped.

use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};

use perfectplay_core::share_out;

use super::ahead::Ahead;
use super::hashing::{bucket_of, hash};
use super::memory::available;
use super::pages::{LARGE, Pages, Zeroed};
use super::prefetch::prefetch;
use super::write_once::{Bucket, SLOTS};

// SAFETY: zero bytes are an empty bucket: neither locked nor filled.
#[allow(unsafe_code)]
unsafe impl<K: Send + Sync, V: Send + Sync> Zeroed for Bucket<K, V> {}

const FIRST_BUCKETS: usize = 64;
/// Buckets that a thread moves at a time where that is little, and bytes otherwise: they fill a large page of the new
/// table, which the system provides to one thread, and not to several at once.
const PIECE: usize = 1 << 11;
const PIECE_BYTES: usize = LARGE / 2;
/// Bytes that every thread moves in a step of growth: some milliseconds.
const STEP_BYTES: usize = LARGE;

/// The map.
pub(crate) struct SharedMap<K, V> {
    buckets: Pages<Bucket<K, V>>,
    /// While it grows: what it had before, and how many buckets of that have moved.
    before: Option<(Pages<Bucket<K, V>>, usize)>,
    /// When threads share it: what it will have when it has grown, if it is large.
    next: Option<Pages<Bucket<K, V>>>,
    ahead: Ahead,
    /// Entries, as far as it was told.
    len: AtomicUsize,
}

impl<K: Copy + Eq + Hash + Send + Sync, V: Clone + Send + Sync> SharedMap<K, V> {
    pub(crate) fn new() -> Self {
        Self::of(Pages::zeroed(FIRST_BUCKETS, false))
    }

    fn of(buckets: Pages<Bucket<K, V>>) -> Self {
        SharedMap { buckets, before: None, next: None, ahead: Ahead::new(), len: AtomicUsize::new(0) }
    }

    /// A map with room for so many entries; none if the system has no memory for it. Entries that come in the order of
    /// another map's buckets need it: in a map that grows under them all would lie in the same few buckets.
    pub(crate) fn with_room(entries: usize) -> Option<Self> {
        let mut wanted = FIRST_BUCKETS;
        while is_crowded(entries, wanted) {
            wanted *= 2;
        }
        let bytes = wanted * size_of::<Bucket<K, V>>();
        available(bytes).then_some(())?;
        let buckets = Pages::zeroed(wanted, bytes >= LARGE);
        (buckets.len() == wanted).then(|| Self::of(buckets))
    }

    /// How many entries there are, as far as it was told.
    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Counts so many entries that were added. Who adds tells now and then: a count that all threads change all the
    /// time would slow them down.
    pub(crate) fn added(&self, entries: usize) {
        self.len.fetch_add(entries, Ordering::Relaxed);
    }

    pub(crate) fn bytes(&self) -> usize {
        let before = self.before.as_ref().map_or(0, |(before, _)| before.len());
        (self.buckets.len() + before) * size_of::<Bucket<K, V>>()
    }

    /// Whether it should grow before `more` entries come.
    #[inline]
    pub(crate) fn is_crowded(&self, more: usize) -> bool {
        self.before.is_some() || is_crowded(self.len() + more, self.buckets.len())
    }

    /// How many entries may come before it should grow.
    pub(crate) fn room(&self) -> usize {
        if self.before.is_some() { 0 } else { (self.buckets.len() * SLOTS * 7 / 10).saturating_sub(self.len()) }
    }

    /// Asks for the memory that [`SharedMap::get`] will read.
    #[inline]
    pub(crate) fn prefetch(&self, key: K) {
        let bucket = &raw const self.buckets[bucket_of(hash(&key), self.buckets.len())];
        prefetch(bucket);
        prefetch(bucket.cast::<u8>().wrapping_add(size_of::<Bucket<K, V>>() - 1));
    }

    /// The value of a key, if it has one.
    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<&V> {
        let hash = hash(&key);
        let found = get_from(&self.buckets, hash, key);
        found.or_else(|| self.before.as_ref().and_then(|(before, _)| get_from(before, hash, key)))
    }

    /// Adds an entry that is not yet counted; `false` if the key has a value already. Not while it grows.
    #[inline]
    pub(crate) fn insert(&self, key: K, value: V) -> bool {
        debug_assert!(self.before.is_none());
        insert_into(&self.buckets, key, value)
    }

    /// Prepares to grow while threads add. Who calls this has memory for it.
    pub(crate) fn prepare_to_grow(&mut self) {
        let (wanted, size) = (2 * self.buckets.len(), size_of::<Bucket<K, V>>());
        let is_ready = self.next.as_ref().is_some_and(|next| next.len() == wanted);
        if !is_ready && self.before.is_none() && wanted * size > LARGE && available(wanted * size) {
            (self.next, self.ahead) = (Some(Pages::zeroed(wanted, true)), Ahead::new());
        }
    }

    /// Has the system provide some of the memory into which it will grow, if that is due now that there are so many
    /// entries: see [`Ahead`].
    pub(crate) fn look_ahead(&self, entries: usize) {
        if let Some(next) = &self.next
            && let Some(bytes) = self.ahead.next(0..size_of_val(&**next), entries, self.len() + self.room())
        {
            next.populate(bytes);
        }
    }

    /// Bytes that it holds for a while when it grows next.
    pub(crate) fn bytes_to_grow(&self) -> usize {
        if self.before.is_some() { self.bytes() } else { 3 * self.bytes() }
    }

    /// Grows by one step, with so many threads, until it is no longer crowded. `false` if the system has no memory for
    /// it.
    pub(crate) fn grow(&mut self, threads: usize) -> bool {
        let Some((before, moved)) = &mut self.before else {
            let wanted = 2 * self.buckets.len();
            if !available(wanted * size_of::<Bucket<K, V>>()) {
                return false;
            }
            let large = wanted * size_of::<Bucket<K, V>>() >= LARGE;
            let ready = self.next.take().filter(|next| next.len() == wanted);
            let larger = ready.unwrap_or_else(|| Pages::zeroed(wanted, large));
            if larger.len() < wanted {
                return false;
            }
            self.before = Some((std::mem::replace(&mut self.buckets, larger), 0));
            return true;
        };
        let size = size_of::<Bucket<K, V>>();
        let length = if before.len() * size < STEP_BYTES { PIECE } else { PIECE_BYTES.div_ceil(size) };
        let end = before.len().min(*moved + threads * STEP_BYTES.div_ceil(size));
        let (from, to) = (&before[*moved..end], &self.buckets);
        share_out(&mut vec![(); threads], from.len().div_ceil(length), |(), piece| {
            let piece = &from[piece * length..from.len().min((piece + 1) * length)];
            for (key, value) in piece.iter().flat_map(Bucket::iter) {
                insert_into(to, key, value.clone());
            }
        });
        *moved = end;
        if end == before.len() {
            self.before = None;
        }
        true
    }

    /// All entries.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        let (before, moved) = self.before.as_ref().map_or((&[][..], 0), |(before, moved)| (&before[..], *moved));
        self.buckets.iter().chain(&before[moved..]).flat_map(Bucket::iter)
    }
}

/// Whether so many entries are too many for so many buckets.
#[inline]
fn is_crowded(entries: usize, buckets: usize) -> bool {
    entries * 10 > buckets * SLOTS * 7
}

#[inline]
fn get_from<K: Copy + Eq, V>(buckets: &[Bucket<K, V>], hash: u64, key: K) -> Option<&V> {
    let mut at = bucket_of(hash, buckets.len());
    loop {
        match buckets[at].get(key) {
            Ok(value) => return Some(value),
            Err(false) => return None,
            Err(true) => at = if at + 1 == buckets.len() { 0 } else { at + 1 },
        }
    }
}

/// Who adds a key has the bucket locked to which it belongs, until it lies there or in one of the next: so no key is
/// added twice.
#[inline]
fn insert_into<K: Copy + Eq + Hash, V>(buckets: &[Bucket<K, V>], key: K, mut value: V) -> bool {
    let mut at = bucket_of(hash(&key), buckets.len());
    let mut home = buckets[at].lock();
    let Err(mut elsewhere) = home.get(key) else { return false };
    value = match home.add(key, value) {
        Ok(()) => return true,
        Err(value) => value,
    };
    loop {
        at = if at + 1 == buckets.len() { 0 } else { at + 1 };
        let mut next = buckets[at].lock();
        if elsewhere {
            match next.get(key) {
                Ok(_) => return false,
                Err(further) => elsewhere = further,
            }
        }
        value = match next.add(key, value) {
            Ok(()) => return true,
            Err(value) => value,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::write_once::Bucket;

    #[test]
    fn a_bucket_tells_whether_to_look_further() {
        let bucket = Bucket::<u64, u64>::new();
        for key in 0..SLOTS as u64 {
            assert_eq!(bucket.get(key), Err(false));
            bucket.lock().add(key, key + 1).unwrap();
            assert_eq!(bucket.get(key), Ok(&(key + 1)));
        }
        assert_eq!(bucket.lock().add(9, 10), Err(10));
        assert_eq!(bucket.get(9), Err(true));
        assert_eq!(bucket.iter().map(|(key, _)| key).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn every_key_is_added_once_and_found_at_every_step_of_growth() {
        let mut map = SharedMap::<u64, Vec<u64>>::new();
        for round in 0..20u64 {
            while map.is_crowded(4 * 3000) {
                assert!(map.grow(3));
                assert!((0..round * 3000).all(|key| map.get(key) == Some(&vec![key])), "while it grows");
            }
            map.prepare_to_grow();
            let mut added = vec![0; 4];
            share_out(&mut added, 4, |added: &mut usize, _| {
                let keys = (round * 3000..(round + 1) * 3000).filter(|&key| map.insert(key, vec![key]));
                *added += keys.count();
                map.look_ahead(map.len() + *added);
            });
            assert_eq!(added.iter().sum::<usize>(), 3000, "by whomever");
            map.added(3000);
        }
        assert_eq!((map.len(), map.iter().count()), (60_000, 60_000));
        assert_eq!(map.get(60_000), None);
        let copy = SharedMap::with_room(map.len()).unwrap();
        map.iter().for_each(|(key, value)| assert!(copy.insert(key, value.clone())));
        copy.added(map.len());
        assert!((0..60_000).all(|key| copy.get(key) == Some(&vec![key])) && !copy.is_crowded(0));
    }

    #[test]
    fn every_page_is_given_once_and_in_time() {
        let (ahead, bytes) = (Ahead::new(), 3 * LARGE + 5..7 * LARGE);
        assert_eq!(ahead.next(bytes.clone(), 50, 100), None);
        let all: Vec<_> = (50..=100).filter_map(|filled| ahead.next(bytes.clone(), filled, 100)).collect();
        assert_eq!(all, [4, 5, 6].map(|page| page * LARGE..(page + 1) * LARGE));
        assert_eq!(ahead.next(bytes, 100, 100), None);
        // The table has grown.
        assert_eq!(ahead.next(7 * LARGE..14 * LARGE, 60, 100), Some(7 * LARGE..8 * LARGE));
    }
}
