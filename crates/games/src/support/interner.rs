//! Values by number: the same number for equal values, for as long as the interner lives.
//!
//! Reading takes no lock, a new value one lock of many. Nothing is ever removed. Who asks for the number of the same
//! value again, as for every move of one position, is told without looking it up.

use std::cell::Cell;
use std::fmt::{self, Debug};
use std::hash::{BuildHasher, BuildHasherDefault, Hash};
use std::sync::{Mutex, PoisonError};

use hashbrown::HashTable;
use perfectplay_core::random::spread;
use rustc_hash::FxHasher;

/// Locks: threads that meet new values at the same time seldom wait for each other.
const SHARDS: usize = 64;

thread_local! {
    /// The number that this thread was told last, by whichever interner: a hint, since values are compared.
    static LAST: Cell<u32> = const { Cell::new(0) };
}

/// The values met so far.
pub(crate) struct Interner<T> {
    values: boxcar::Vec<T>,
    /// Numbers by the hash of their values.
    numbers: [Mutex<HashTable<u32>>; SHARDS],
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner { values: boxcar::Vec::new(), numbers: std::array::from_fn(|_| Mutex::default()) }
    }
}

impl<T> Debug for Interner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values", self.values.count())
    }
}

fn hash<T: Hash>(value: &T) -> u64 {
    // The low bits choose the shard, the high ones the place in it.
    spread(BuildHasherDefault::<FxHasher>::default().hash_one(value))
}

impl<T: Eq + Hash> Interner<T> {
    /// The value with this number, if there is one.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize)
    }

    /// Bytes held, about: values beside a flag each, and their places in the tables of numbers.
    pub(crate) fn bytes(&self) -> usize {
        self.values.count() * (size_of::<T>() + align_of::<T>() + 8)
    }

    /// The number of a value, a new one if it was not met before.
    #[inline]
    pub(crate) fn number(&self, value: T) -> u32 {
        let last = LAST.get();
        if self.get(last) == Some(&value) {
            return last;
        }
        let number = self.look_up(value);
        LAST.set(number);
        number
    }

    fn look_up(&self, value: T) -> u32 {
        let hash = hash(&value);
        let shard = &self.numbers[(hash % SHARDS as u64) as usize];
        let mut numbers = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let at = |number: u32| &self.values[number as usize];
        if let Some(&number) = numbers.find(hash, |&number| *at(number) == value) {
            return number;
        }
        let number = u32::try_from(self.values.push(value)).expect("memory ends before numbers do");
        numbers.insert_unique(hash, number, |&number| self::hash(at(number)));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_agree_on_numbers() {
        let interner = Interner::default();
        let run = || (0..20_000u64).map(|i| interner.number(i % 7_001)).collect::<Vec<_>>();
        let all: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(all.iter().all(|numbers| *numbers == all[0]));
        assert_eq!(interner.get(all[0][500]), Some(&500));
        assert_eq!(interner.get(7_001), None);
    }
}
