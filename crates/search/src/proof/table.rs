//! A table of effort numbers of fixed size that many threads share and that never fails when it is full.
//!
//! Keys are exact and stored whole, so a proof can rest on what is found here. The table is cut into shards, each behind a
//! lock of its own and each an open-addressing array that doubles until its share of the memory is used. Then garbage is
//! collected (Nagai's scheme): the work below a sample of the entries tells which half is cheap to find again, and that
//! half goes. What is lost only costs time.

use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHasher;

use perfectplay_core::Form;

use super::numbers::{Goals, Pair};
use crate::saved::{Reader, SaveError, Writer};

/// Memory of a table for which nobody set a limit.
pub const DEFAULT_BYTES: usize = 1 << 30;

/// One position. `work` is 0 for an empty slot.
#[derive(Clone, Copy)]
struct Slot<K> {
    key: K,
    work: u32,
}

struct Shard<K> {
    slots: Vec<Slot<K>>,
    numbers: Vec<Pair>,
    filled: usize,
    most: usize,
    collections: u64,
    /// Positions that some thread is searching now, with the effort at which it will come back.
    busy: Vec<(K, u32)>,
}

/// The table.
pub struct Table<K, W> {
    goals: W,
    shards: Box<[Mutex<Shard<K>>]>,
}

const SHARDS: usize = 64;
const FIRST_SLOTS: usize = 64;
const SAMPLE: usize = 512;

impl<K: Copy + Eq + Hash, W: Goals> Table<K, W> {
    /// An empty table that will hold no more than about `bytes`.
    pub fn new(goals: W, bytes: usize) -> Self {
        let shard = || {
            Mutex::new(Shard {
                slots: Vec::new(),
                numbers: Vec::new(),
                filled: 0,
                most: 0,
                collections: 0,
                busy: Vec::new(),
            })
        };
        let table = Table { goals, shards: (0..SHARDS).map(|_| shard()).collect() };
        table.limit_bytes(bytes);
        table
    }

    /// Sets how much it may hold; what is too much goes.
    pub fn limit_bytes(&self, bytes: usize) {
        let slot = size_of::<Slot<K>>() + self.goals.count() * size_of::<Pair>();
        // While a shard is rebuilt its old and new entries exist side by side: leave room for one more shard.
        let most = (bytes / (SHARDS + 1) / slot).max(16);
        for shard in &self.shards {
            let mut shard = locked(shard);
            shard.most = most;
            while shard.slots.len() > most {
                self.collect(&mut shard);
            }
        }
    }

    /// Bytes held now.
    pub fn bytes(&self) -> usize {
        let bytes = |shard: &Mutex<Shard<K>>| {
            let shard = locked(shard);
            shard.slots.capacity() * size_of::<Slot<K>>() + shard.numbers.capacity() * size_of::<Pair>()
        };
        self.shards.iter().map(bytes).sum()
    }

    /// Positions held now.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| locked(shard).filled).sum()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How often garbage was collected, counted by shards.
    pub fn collections(&self) -> u64 {
        self.shards.iter().map(|shard| locked(shard).collections).sum()
    }

    /// Copies the numbers of a position into `pairs`, if they are known. Tells whether they are, and for a position that
    /// another thread is searching the effort at which it will come back (0 if nobody is).
    pub fn get(&self, key: K, pairs: &mut [Pair]) -> (bool, u32) {
        let hash = hash(key);
        let shard = locked(self.shard(hash));
        let busy = shard.busy.iter().filter(|(k, _)| *k == key).map(|&(_, effort)| effort).max().unwrap_or(0);
        let found = shard.find(hash, key).ok();
        if let Some(slot) = found {
            let count = self.goals.count();
            pairs.copy_from_slice(&shard.numbers[slot * count..][..count]);
        }
        (found.is_some(), busy)
    }

    /// Stores the numbers of a position, found with so much work. What is already settled stays settled.
    pub fn put(&self, key: K, pairs: &[Pair], work: u64) {
        let hash = hash(key);
        let count = self.goals.count();
        let work = work.clamp(1, u64::from(u32::MAX)) as u32;
        let mut shard = locked(self.shard(hash));
        let slot = match shard.find(hash, key) {
            Ok(slot) => {
                for (old, &new) in shard.numbers[slot * count..][..count].iter_mut().zip(pairs) {
                    if !old.closed() {
                        *old = new;
                    }
                }
                let old = &mut shard.slots[slot];
                old.work = old.work.saturating_add(work);
                return;
            }
            Err(slot) if shard.has_room() => slot,
            Err(_) => {
                if shard.slots.len() < shard.most {
                    let slots = (2 * shard.slots.len()).clamp(FIRST_SLOTS, shard.most.max(FIRST_SLOTS)).min(shard.most);
                    self.rebuild(&mut shard, slots, key, 0);
                } else {
                    self.collect_with(&mut shard, key);
                }
                match shard.find(hash, key) {
                    Err(slot) if shard.has_room() => slot,
                    _ => return, // a table too small to be of use
                }
            }
        };
        shard.slots[slot] = Slot { key, work };
        shard.numbers[slot * count..][..count].copy_from_slice(pairs);
        shard.filled += 1;
    }

    /// Tells the other threads that a position is being searched until its effort reaches `effort`.
    pub fn mark(&self, key: K, effort: u32) {
        locked(self.shard(hash(key))).busy.push((key, effort));
    }

    /// Takes one such mark back.
    pub fn unmark(&self, key: K, effort: u32) {
        let mut shard = locked(self.shard(hash(key)));
        if let Some(at) = shard.busy.iter().position(|&mark| mark == (key, effort)) {
            shard.busy.swap_remove(at);
        }
    }

    /// Writes all entries and where they lie; marks are left out.
    pub(crate) fn save(&self, form: &Form<K>, to: &mut Writer<'_>) -> Result<(), SaveError> {
        for shard in &self.shards {
            let shard = locked(shard);
            to.put([shard.slots.len() as u64, shard.collections])?;
            to.put_len(shard.filled)?;
            let numbers = shard.numbers.chunks_exact(self.goals.count());
            for (i, (slot, pairs)) in shard.slots.iter().zip(numbers).enumerate().filter(|(_, (slot, _))| slot.work > 0)
            {
                to.put([i as u32, slot.work])?;
                to.put_as(form, &slot.key)?;
                pairs.iter().try_for_each(|&pair| to.put(pair))?;
            }
        }
        Ok(())
    }

    /// Reads what [`Table::save`] wrote.
    pub(crate) fn restore(&self, form: &Form<K>, any: K, from: &mut Reader<'_>) -> Result<(), SaveError> {
        let count = self.goals.count();
        for shard in &self.shards {
            let mut shard = locked(shard);
            let [slots, collections]: [u64; 2] = from.get()?;
            let filled = from.get_len(8 + form.size + 8 * count)?;
            // A shard is never less than a quarter full for long, but after its entries were thrown away.
            if slots > 64 * filled as u64 + (1 << 16) {
                return Err(SaveError::Damaged("an empty table that is too large"));
            }
            shard.slots = vec![Slot { key: any, work: 0 }; slots as usize];
            shard.numbers = vec![Pair::UNIT; slots as usize * count];
            (shard.filled, shard.collections) = (filled, collections);
            for _ in 0..filled {
                let [i, work]: [u32; 2] = from.get()?;
                let key = from.get_as(form)?;
                let Some(slot) = shard.slots.get_mut(i as usize) else {
                    return Err(SaveError::Damaged("an entry outside of its table"));
                };
                *slot = Slot { key, work };
                for goal in 0..count {
                    shard.numbers[i as usize * count + goal] = from.get()?;
                }
            }
        }
        Ok(())
    }

    fn shard(&self, hash: u64) -> &Mutex<Shard<K>> {
        &self.shards[(hash >> 58) as usize % SHARDS]
    }

    fn collect(&self, shard: &mut Shard<K>) {
        if let Some(any) = shard.slots.iter().find(|s| s.work > 0).map(|s| s.key) {
            self.collect_with(shard, any);
        } else {
            (shard.slots, shard.numbers) = (Vec::new(), Vec::new());
        }
    }

    /// Drops the half of the entries with the least work below them, as far as a sample can tell.
    fn collect_with(&self, shard: &mut Shard<K>, any: K) {
        shard.collections += 1;
        let step = (shard.slots.len() / SAMPLE).max(1);
        let mut sample: Vec<u32> = shard.slots.iter().step_by(step).map(|s| s.work).filter(|&w| w > 0).collect();
        sample.sort_unstable();
        let least = sample.get(sample.len() / 2).copied().unwrap_or(u32::MAX);
        let slots = shard.slots.len().min(shard.most);
        self.rebuild(shard, slots, any, least);
    }

    /// Moves all entries with more than `least` work into a new array of so many slots.
    fn rebuild(&self, shard: &mut Shard<K>, slots: usize, any: K, least: u32) {
        let count = self.goals.count();
        let old_slots = std::mem::replace(&mut shard.slots, vec![Slot { key: any, work: 0 }; slots]);
        let old_numbers = std::mem::replace(&mut shard.numbers, vec![Pair::UNIT; slots * count]);
        shard.filled = 0;
        for (i, old) in old_slots.into_iter().enumerate() {
            if old.work <= least || !shard.has_room() {
                continue;
            }
            if let Err(slot) = shard.find(hash(old.key), old.key) {
                shard.slots[slot] = old;
                shard.numbers[slot * count..][..count].copy_from_slice(&old_numbers[i * count..][..count]);
                shard.filled += 1;
            }
        }
    }
}

impl<K: Copy + Eq> Shard<K> {
    fn has_room(&self) -> bool {
        4 * (self.filled + 1) <= 3 * self.slots.len()
    }

    /// The slot of a key, or the empty slot where it belongs.
    #[inline]
    fn find(&self, hash: u64, key: K) -> Result<usize, usize> {
        if self.slots.is_empty() {
            return Err(0);
        }
        let mut at = ((hash & 0xffff_ffff) as usize * self.slots.len()) >> 32;
        loop {
            let slot = &self.slots[at];
            if slot.work == 0 {
                return Err(at);
            }
            if slot.key == key {
                return Ok(at);
            }
            at = if at + 1 == self.slots.len() { 0 } else { at + 1 };
        }
    }
}

/// A thread that panicked left whole entries behind: each is written in one go.
fn locked<T>(shard: &Mutex<T>) -> MutexGuard<'_, T> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
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
    use super::super::numbers::One;
    use super::*;

    #[test]
    fn what_is_kept_is_right_and_much_work_is_kept() {
        let table = Table::new(One, 200_000);
        let pair = |key: u64| Pair { proof: key as u32 + 1, disproof: 7 };
        for key in 0..100_000u64 {
            table.put(key, &[pair(key)], if key % 100 == 0 { 1_000_000 } else { 1 + key % 7 });
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
    }

    #[test]
    fn settled_stays_settled() {
        let table = Table::new(One, 10_000);
        table.put(1u64, &[Pair::PROVED], 1);
        table.put(1, &[Pair::UNIT], 1);
        let mut found = [Pair::UNIT];
        assert_eq!((table.get(1, &mut found), found), ((true, 0), [Pair::PROVED]));
        assert_eq!(table.get(2, &mut found), (false, 0));
    }

    #[test]
    fn marks_are_seen_until_they_are_taken_back() {
        let table = Table::new(One, 10_000);
        table.mark(1u64, 5);
        table.mark(1, 9);
        assert_eq!(table.get(1, &mut [Pair::UNIT]), (false, 9));
        table.unmark(1, 9);
        assert_eq!(table.get(1, &mut [Pair::UNIT]), (false, 5));
    }

    #[test]
    fn the_limit_can_fall() {
        let table = Table::new(One, 1_000_000);
        (0..10_000u64).for_each(|key| table.put(key, &[Pair::UNIT], key));
        table.limit_bytes(50_000);
        assert!(table.bytes() <= 50_000, "{}", table.bytes());
        assert!(!table.is_empty());
    }
}
