//! A table of effort numbers of limited size that many threads share and that never fails when it is full.
//!
//! Keys are exact and stored whole, so a proof can rest on what is found here. Positions lie in buckets of five. Each
//! bucket has a lock of its own, on the cache line that a lookup reads anyway: threads do not wait for each other, and
//! no line travels between them that would not have to.
//!
//! A table begins small and grows while it may. When it is crowded and may not grow, garbage is collected (as in Nagai
//! 2002): the work below a sample of the entries tells which half of them is cheap to find again, and that half goes,
//! in one part of the table at a time. A bucket that is full loses its cheapest entry. What is lost only costs time.
//!
//! Growing and collecting need the table alone: those who search look at [`EffortTable::took`] and come back when it is
//! crowded. Both go on in steps, between which everything can be found and a search can be stopped.

use std::cell::UnsafeCell;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustc_hash::FxHasher;

use perfectplay_core::{Plain, share_out};

use crate::proof_number::effort_numbers::{Goals, Many, One, Pair, Two};
use crate::support::hashing::bucket_of;
use crate::support::pages::{LARGE, Pages};
use crate::support::prefetch::prefetch;
use crate::support::saved::{Reader, SaveError, Writer};

/// Memory of a table for which nobody set a limit.
pub(crate) const DEFAULT_BYTES: usize = 1 << 30;

/// Positions in a bucket: with keys of 8 bytes and one goal it takes two cache lines.
const SLOTS: usize = 5;
const FIRST_BUCKETS: usize = 256;
/// Buckets that a thread moves or sweeps in one step: a few milliseconds.
const AT_A_TIME: usize = 1 << 15;
/// Of these it takes so many at a time, if there are others.
const PIECE: usize = 1 << 12;
/// Buckets whose entries tell how much work is much.
const SAMPLE: usize = 256;

/// One position. `work` is 0 for an empty slot.
#[derive(Clone)]
struct Slot<K, N> {
    key: K,
    work: u32,
    /// The effort at which the thread that is searching the position will come back; 0 if nobody is.
    in_progress: u32,
    numbers: N,
}

impl<K, N> Slot<K, N> {
    /// Takes a mark back, unless it is another thread's by now.
    fn take_back(&mut self, mark: u32) {
        if self.in_progress == mark {
            self.in_progress = 0;
        }
    }
}

struct Bucket<K, N> {
    locked: AtomicBool,
    slots: UnsafeCell<[Slot<K, N>; SLOTS]>,
}

// SAFETY: slots are reached through `lock` or a unique reference only.
#[allow(unsafe_code)]
unsafe impl<K: Send, N: Send> Sync for Bucket<K, N> {}

/// The slots of a locked bucket.
struct Locked<'a, K, N>(&'a Bucket<K, N>);

impl<K, N> Bucket<K, N> {
    /// Waits until no other thread has it. Nobody has one for longer than it takes to look at five slots.
    #[inline]
    fn lock(&self) -> Locked<'_, K, N> {
        let mut tries = 0u32;
        while self.locked.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            tries += 1;
            // On a busy machine the other one may have been put to sleep.
            if tries.is_multiple_of(100) { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
        Locked(self)
    }
}

impl<K, N> Locked<'_, K, N> {
    #[inline]
    fn slots(&mut self) -> &mut [Slot<K, N>; SLOTS] {
        // SAFETY: only one `Locked` exists for a bucket at a time, and it is borrowed for as long as the slots are.
        #[allow(unsafe_code)]
        unsafe {
            &mut *self.0.slots.get()
        }
    }
}

impl<K, N> Drop for Locked<'_, K, N> {
    #[inline]
    fn drop(&mut self) {
        self.0.locked.store(false, Ordering::Release);
    }
}

/// The table as those who search see it: for how many goals it keeps numbers is no part of its type, so that searches
/// are compiled once for all of them.
pub(crate) trait EffortTable<K>: Send + Sync {
    /// Asks for the memory that [`EffortTable::get`] will read.
    fn prefetch(&self, key: K);
    /// Copies the numbers of a position into `pairs`, if they are known. Tells whether they are, and for a position
    /// that another thread is searching the effort at which it will come back (0 if nobody is).
    fn get(&self, key: K, pairs: &mut [Pair]) -> (bool, u32);
    /// Stores the numbers of a position, found with so much work. What is already settled stays settled. Takes back the
    /// mark, if there is one. Tells whether it took an empty slot, for [`EffortTable::took`].
    fn put(&self, key: K, pairs: &[Pair], work: u64, mark: u32) -> bool;
    /// Tells the other threads that a position is being searched until its effort reaches `effort`; these are its
    /// numbers so far. Tells whether it took an empty slot.
    fn mark(&self, key: K, pairs: &[Pair], effort: u32) -> bool;
    /// Takes such a mark back, if it is still there.
    fn unmark(&self, key: K, mark: u32);
    /// How many slots each of so many threads may take before it tells: few enough not to fill the table unnoticed. One
    /// thread alone tells at once: what it does then does not depend on how often it is interrupted.
    fn tell_at(&self, threads: usize) -> usize;
    /// Counts so many slots that were empty. Tells whether the table is crowded now.
    fn took(&self, slots: usize) -> bool;
    /// Whether it should [make room](EffortTable::make_room): three eighths full, so that few buckets overflow, or
    /// three quarters if it cannot grow.
    fn is_crowded(&self) -> bool;
    /// Grows or collects garbage by one step, with so many threads; to be called until it is no longer crowded.
    fn make_room(&mut self, threads: usize);
    /// Sets how much it may hold; what is too much goes.
    fn limit_bytes(&mut self, bytes: usize);
    /// Bytes held now.
    fn bytes(&self) -> usize;
    /// How often a part of it was freed of garbage.
    fn collections(&self) -> u64;
    /// Writes all entries and where they lie; marks are left out.
    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError>;
    /// Reads what [`EffortTable::save`] wrote.
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError>;
}

/// An empty table for so many goals that will hold no more than about `bytes`. Any key will do for `any`.
pub(crate) fn effort_table<K: Plain + Eq + Hash + Send + Sync>(
    goals: usize,
    any: K,
    bytes: usize,
) -> Box<dyn EffortTable<K>> {
    match goals {
        1 => Box::new(Table::new(One, any, bytes)),
        2 => Box::new(Table::new(Two, any, bytes)),
        n => Box::new(Table::new(Many(n), any, bytes)),
    }
}

/// The table for goals of one kind.
struct Table<K, W: Goals> {
    goals: W,
    /// Any key, for empty slots.
    any: K,
    /// Bytes it may hold, and so many buckets.
    limit: usize,
    most: usize,
    buckets: Pages<Bucket<K, W::Numbers>>,
    /// How many buckets are in use, and how many will be when it has grown.
    used: usize,
    target: usize,
    /// While it grows: entries from this bucket on, of those in use, have moved to where they belong among `target`
    /// buckets.
    moved_from: usize,
    /// Slots filled, as far as it was told.
    filled: AtomicUsize,
    /// Where to collect next.
    sweep: usize,
    collections: u64,
}

impl<K: Plain + Eq + Hash + Send + Sync, W: Goals> Table<K, W> {
    /// An empty table that will hold no more than about `bytes`. Any key will do for `any`.
    fn new(goals: W, any: K, bytes: usize) -> Self {
        let buckets = Pages::with_room_for(Self::most(goals, bytes), LARGE);
        let mut table = Table {
            goals,
            any,
            limit: bytes,
            most: buckets.room(),
            buckets,
            used: 0,
            target: 0,
            moved_from: 0,
            filled: AtomicUsize::new(0),
            sweep: 0,
            collections: 0,
        };
        table.extend_to(FIRST_BUCKETS.min(table.most), 1);
        table.settle(table.buckets.len());
        table
    }

    /// How many buckets so many bytes hold.
    fn most(goals: W, bytes: usize) -> usize {
        let bucket = size_of::<Bucket<K, W::Numbers>>() + SLOTS * goals.heap();
        (bytes / bucket).clamp(1, u32::MAX as usize / SLOTS)
    }

    fn extend_to(&mut self, buckets: usize, threads: usize) {
        let any = self.any;
        let empty = || std::array::from_fn(|_| empty_slot(any));
        let bucket = || Bucket { locked: AtomicBool::new(false), slots: UnsafeCell::new(empty()) };
        self.buckets.extend_to(buckets, threads, bucket);
    }

    /// All entries lie where they belong among so many buckets.
    fn settle(&mut self, buckets: usize) {
        (self.used, self.target, self.moved_from) = (buckets, buckets, buckets);
    }

    /// Positions held now, as far as it was told.
    fn len(&self) -> usize {
        self.filled.load(Ordering::Relaxed)
    }

    /// Where a key with this hash lies now.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        let home = bucket_of(hash, self.used);
        if home < self.moved_from { home } else { bucket_of(hash, self.target) }
    }

    /// Moves the entries of some buckets to where they belong when it has grown. From the last one down: entries move
    /// up or stay, and where they go everything has moved already.
    fn move_up(&mut self, threads: usize) {
        let end = self.moved_from;
        // From here on entries go beyond the end, so that it does not matter which of them moves first.
        let beyond = (end as u128 * self.used as u128).div_ceil(self.target as u128) as usize;
        let first = end.saturating_sub(threads * AT_A_TIME).max(beyond);
        if threads > 1 && end - first >= threads * PIECE {
            let mut lost = vec![0; threads];
            share_out(&mut lost, (end - first).div_ceil(PIECE), |lost, piece| {
                let from = first + piece * PIECE;
                for bucket in &self.buckets[from..end.min(from + PIECE)] {
                    let slots = bucket.lock().slots().each_mut().map(take);
                    for slot in slots.into_iter().filter(|slot| slot.work > 0) {
                        let home = bucket_of(hash(slot.key), self.target);
                        *lost += usize::from(!replace_cheapest(self.buckets[home].lock().slots(), slot));
                    }
                }
            });
            *self.filled.get_mut() -= lost.iter().sum::<usize>();
            self.moved_from = first;
            return;
        }
        for from in (end.saturating_sub(AT_A_TIME)..end).rev() {
            let slots = self.buckets[from].slots.get_mut().each_mut().map(take);
            self.moved_from = from;
            for slot in slots.into_iter().filter(|slot| slot.work > 0) {
                let took = self.adopt(slot);
                *self.filled.get_mut() -= usize::from(!took);
            }
        }
    }

    /// Puts a whole slot where it belongs. Tells whether it took an empty one.
    fn adopt(&mut self, slot: Slot<K, W::Numbers>) -> bool {
        let home = self.home(hash(slot.key));
        replace_cheapest(self.buckets[home].slots.get_mut(), slot)
    }

    /// Drops the half of the entries with the least work below them from one part of the table, as far as a sample can
    /// tell.
    fn collect(&mut self) {
        let part = self.sweep..self.used.min(self.sweep + AT_A_TIME);
        self.sweep = if part.end == self.used { 0 } else { part.end };
        self.collections += 1;
        let buckets = &mut self.buckets[part];
        let step = (buckets.len() / SAMPLE).max(1);
        let sample = buckets.iter_mut().step_by(step).flat_map(|bucket| bucket.slots.get_mut());
        let mut sample: Vec<u32> = sample.map(|slot| slot.work).filter(|&work| work > 0).collect();
        sample.sort_unstable();
        let least = sample.get(sample.len() / 2).copied().unwrap_or(u32::MAX);
        for slot in buckets.iter_mut().flat_map(|bucket| bucket.slots.get_mut()) {
            if slot.work > 0 && slot.work <= least {
                take(slot);
                *self.filled.get_mut() -= 1;
            }
        }
    }
}

impl<K: Plain + Eq + Hash + Send + Sync, W: Goals> EffortTable<K> for Table<K, W> {
    #[inline]
    fn prefetch(&self, key: K) {
        let bucket: *const Bucket<K, W::Numbers> = &self.buckets[self.home(hash(key))];
        prefetch(bucket);
        prefetch(bucket.cast::<u8>().wrapping_add(64));
    }

    #[inline]
    fn get(&self, key: K, pairs: &mut [Pair]) -> (bool, u32) {
        let mut bucket = self.buckets[self.home(hash(key))].lock();
        match find(bucket.slots(), key) {
            Some(slot) => {
                pairs.copy_from_slice(slot.numbers.as_ref());
                (true, slot.in_progress)
            }
            None => (false, 0),
        }
    }

    fn put(&self, key: K, pairs: &[Pair], work: u64, mark: u32) -> bool {
        let work = work.clamp(1, u64::from(u32::MAX)) as u32;
        let mut bucket = self.buckets[self.home(hash(key))].lock();
        if let Some(slot) = find(bucket.slots(), key) {
            slot.take_back(mark);
            for (old, &new) in slot.numbers.as_mut().iter_mut().zip(pairs) {
                if !old.closed() {
                    *old = new;
                }
            }
            slot.work = slot.work.saturating_add(work);
            return false;
        }
        replace_cheapest(bucket.slots(), Slot { key, work, in_progress: 0, numbers: W::keep(pairs) })
    }

    fn mark(&self, key: K, pairs: &[Pair], effort: u32) -> bool {
        let mut bucket = self.buckets[self.home(hash(key))].lock();
        if let Some(slot) = find(bucket.slots(), key) {
            slot.in_progress = effort;
            return false;
        }
        replace_cheapest(bucket.slots(), Slot { key, work: 1, in_progress: effort, numbers: W::keep(pairs) })
    }

    fn unmark(&self, key: K, mark: u32) {
        let mut bucket = self.buckets[self.home(hash(key))].lock();
        if let Some(slot) = find(bucket.slots(), key) {
            slot.take_back(mark);
        }
    }

    fn tell_at(&self, threads: usize) -> usize {
        if threads == 1 { 1 } else { (self.used * SLOTS / (16 * threads)).clamp(1, 64) }
    }

    #[inline]
    fn took(&self, slots: usize) -> bool {
        self.filled.fetch_add(slots, Ordering::Relaxed);
        self.is_crowded()
    }

    #[inline]
    fn is_crowded(&self) -> bool {
        let eighths = if self.used < self.most { 3 } else { 6 };
        self.used < self.target || self.len() >= self.used * SLOTS * eighths / 8
    }

    fn make_room(&mut self, threads: usize) {
        if self.used == self.most {
            self.collect();
        } else if self.used == self.target {
            self.target = (2 * self.used).min(self.most);
        } else if self.buckets.len() < self.target {
            self.extend_to(self.target.min(self.buckets.len() + threads * AT_A_TIME), threads);
        } else {
            self.move_up(threads);
            if self.moved_from == 0 {
                self.settle(self.target);
            }
        }
    }

    fn limit_bytes(&mut self, bytes: usize) {
        if bytes == self.limit {
            return;
        }
        let most = Self::most(self.goals, bytes);
        if (self.target..=self.buckets.room()).contains(&most) {
            (self.limit, self.most) = (bytes, most);
            return;
        }
        let mut other = Self::new(self.goals, self.any, bytes);
        other.extend_to(self.buckets.len().min(other.most), 1);
        other.settle(other.buckets.len());
        for slot in self.buckets.iter_mut().flat_map(|bucket| bucket.slots.get_mut()).filter(|slot| slot.work > 0) {
            let took = other.adopt(take(slot));
            *other.filled.get_mut() += usize::from(took);
        }
        other.collections = self.collections;
        *self = other;
    }

    fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket<K, W::Numbers>>() + self.len() * self.goals.heap()
    }

    fn collections(&self) -> u64 {
        self.collections
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        let shape = [self.buckets.len(), self.used, self.target, self.moved_from, self.sweep];
        to.put(shape.map(|number| number as u64))?;
        to.put(self.collections)?;
        to.put_len(
            self.buckets.iter().map(|bucket| bucket.lock().slots().iter().filter(|s| s.work > 0).count()).sum(),
        )?;
        for (number, bucket) in self.buckets.iter().enumerate() {
            for (place, slot) in bucket.lock().slots().iter().enumerate().filter(|(_, slot)| slot.work > 0) {
                to.put([(number * SLOTS + place) as u32, slot.work])?;
                to.put(slot.key)?;
                slot.numbers.as_ref().iter().try_for_each(|&pair| to.put(pair))?;
            }
        }
        Ok(())
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        let shape: [u64; 5] = from.get()?;
        self.collections = from.get()?;
        let count = self.goals.count();
        let filled = from.get_len(8 + K::SIZE + 8 * count)?;
        // A table is never nearly empty for long.
        if shape.iter().any(|&number| number > 64 * filled as u64 + (1 << 16)) {
            return Err(SaveError::Damaged("an empty table that is too large"));
        }
        let [len, used, target, moved_from, sweep] = shape.map(|number| number as usize);
        let whole = used > 0 && moved_from <= used && used <= target && used <= len && len <= target && sweep < used;
        if !whole || (moved_from < used && len < target) {
            return Err(SaveError::Damaged("a table that does not hold together"));
        }
        self.buckets = Pages::with_room_for(self.most.max(target), LARGE);
        self.most = self.buckets.room();
        if self.most < target {
            return Err(SaveError::no_memory());
        }
        self.extend_to(len, 1);
        (self.used, self.target, self.moved_from, self.sweep) = (used, target, moved_from, sweep);
        self.filled = AtomicUsize::new(filled);
        let mut pairs = vec![Pair::UNIT; count];
        for _ in 0..filled {
            let [at, work]: [u32; 2] = from.get()?;
            let key = from.get()?;
            for pair in &mut pairs {
                *pair = from.get()?;
            }
            let Some(bucket) = self.buckets.get_mut(at as usize / SLOTS) else {
                return Err(SaveError::Damaged("an entry outside of its table"));
            };
            bucket.slots.get_mut()[at as usize % SLOTS] = Slot { key, work, in_progress: 0, numbers: W::keep(&pairs) };
        }
        Ok(())
    }
}

#[inline]
fn find<K: Copy + Eq, N>(slots: &mut [Slot<K, N>; SLOTS], key: K) -> Option<&mut Slot<K, N>> {
    slots.iter_mut().find(|slot| slot.key == key && slot.work > 0)
}

/// Puts a slot into an empty one's place or, if there is none, into the place of the one with the least work. Tells
/// which.
fn replace_cheapest<K, N>(slots: &mut [Slot<K, N>; SLOTS], new: Slot<K, N>) -> bool {
    let cheapest = slots.iter_mut().min_by_key(|slot| slot.work).expect("a bucket has slots");
    let was_empty = cheapest.work == 0;
    *cheapest = new;
    was_empty
}

fn empty_slot<K, N: Default>(any: K) -> Slot<K, N> {
    Slot { key: any, work: 0, in_progress: 0, numbers: N::default() }
}

/// Empties a slot.
fn take<K: Copy, N: Default>(slot: &mut Slot<K, N>) -> Slot<K, N> {
    std::mem::replace(slot, empty_slot(slot.key))
}

#[inline]
fn hash<K: Hash>(key: K) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    let mixed = hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts an entry and makes room as a search would.
    fn put<W: Goals>(table: &mut Table<u64, W>, key: u64, pairs: &[Pair], work: u64) {
        let took = table.put(key, pairs, work, 0);
        table.took(usize::from(took));
        while table.is_crowded() {
            table.make_room(1);
        }
    }

    fn pair(key: u64) -> Pair {
        Pair { proof: key as u32 + 1, disproof: 7 }
    }

    #[test]
    fn what_is_kept_is_right_and_much_work_is_kept() {
        let mut table = Table::new(One, 0, 200_000);
        for key in 0..100_000u64 {
            put(&mut table, key, &[pair(key)], if key % 100 == 0 { 1_000_000 } else { 1 + key % 7 });
        }
        assert!(table.collections() > 0);
        assert!(table.bytes() <= 200_000);
        let mut found = [Pair::UNIT];
        let mut kept = [0, 0];
        for key in 0..100_000u64 {
            if table.get(key, &mut found).0 {
                assert_eq!(found, [pair(key)]);
                kept[usize::from(key % 100 == 0)] += 1;
            }
        }
        assert!(kept[1] > 990, "{kept:?}: nearly all entries with much work are there");
        assert!(kept[0] > 1000, "{kept:?}: the room is used");
        assert_eq!(kept[0] + kept[1], table.len());
    }

    #[test]
    fn nearly_everything_is_kept_while_it_can_grow_and_at_every_step_of_it() {
        // The last growth is to twice the size, or to one third more.
        for (threads, bytes) in [(1, 64 << 20), (3, 64 << 20), (2, 45 << 20)] {
            let mut table = Table::new(Many(3), 0, bytes);
            let mut found = [Pair::UNIT; 3];
            let mut present = |table: &Table<u64, Many>, keys: u64| {
                (0..keys).filter(|&key| table.get(key, &mut found).0 && found == [pair(key); 3]).count() as u64
            };
            for key in 0..300_000u64 {
                let took = table.put(key, &[pair(key); 3], 1 + key, 0);
                table.took(usize::from(took));
                while table.is_crowded() {
                    table.make_room(threads);
                    if key > 10_000 {
                        let there = present(&table, key + 1);
                        assert!(there * 10 > key * 9, "{there} of {key}");
                        assert_eq!(there, table.len() as u64);
                    }
                }
            }
            assert_eq!(table.collections(), 0);
        }
    }

    #[test]
    fn settled_stays_settled() {
        let table = Table::new(One, 0, 10_000);
        table.put(1u64, &[Pair::PROVED], 1, 0);
        table.put(1, &[Pair::UNIT], 1, 0);
        let mut found = [Pair::UNIT];
        assert_eq!((table.get(1, &mut found), found), ((true, 0), [Pair::PROVED]));
        assert_eq!(table.get(2, &mut found), (false, 0));
    }

    #[test]
    fn a_mark_is_seen_until_it_is_taken_back() {
        let table = Table::new(One, 0, 10_000);
        let mut found = [Pair::PROVED];
        table.mark(1u64, &[Pair::UNIT], 5);
        assert_eq!((table.get(1, &mut found), found), ((true, 5), [Pair::UNIT]));
        table.mark(1, &[Pair::PROVED], 9);
        table.unmark(1, 5);
        assert_eq!((table.get(1, &mut found), found), ((true, 9), [Pair::UNIT]), "a mark changes no numbers");
        table.unmark(1, 9);
        assert_eq!(table.get(1, &mut found), (true, 0));
    }

    #[test]
    fn the_limit_can_fall_and_rise() {
        let mut table = Table::new(One, 0, 1_000_000);
        (0..10_000u64).for_each(|key| put(&mut table, key, &[Pair::UNIT], key));
        table.limit_bytes(50_000);
        assert!(table.bytes() <= 50_000, "{}", table.bytes());
        let left = table.len();
        assert!(left > 1000);
        table.limit_bytes(500_000);
        assert_eq!(table.len(), left);
        (0..10_000u64).for_each(|key| put(&mut table, key, &[Pair::UNIT], key));
        assert!(table.len() > 5_000);
    }

    #[test]
    fn threads_see_whole_entries() {
        let table = Table::new(One, 0, 4_000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut found = [Pair::UNIT];
                    for key in (0..50_000u64).map(|i| i % 500) {
                        table.put(key, &[pair(key)], 1, 0);
                        if table.get(key, &mut found).0 {
                            assert_eq!(found, [pair(key)]);
                        }
                    }
                });
            }
        });
    }
}
