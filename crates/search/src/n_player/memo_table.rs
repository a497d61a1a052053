//! A table from exact keys to whatever a search for many players remembers. It grows up to a limit, then forgets.
//!
//! A key has two places. While both are free it takes either; then the first keeps what took more work, the second what
//! came last.

use std::hash::Hash;

use crate::support::hashing::hash;
use crate::support::memory::reserve_exact;

pub(crate) struct MemoTable<K, V> {
    places: Vec<Option<Entry<K, V>>>,
    filled: usize,
    most: usize,
}

struct Entry<K, V> {
    key: K,
    work: u32,
    value: V,
}

/// Places of a new table.
const FIRST_SIZE: usize = 256;

impl<K: Eq + Hash + Copy, V> MemoTable<K, V> {
    /// A table that takes at most `bytes` (of its own, beside what values own); 0 for none.
    pub(crate) fn new(bytes: usize) -> Self {
        let most = bytes / size_of::<Option<Entry<K, V>>>();
        MemoTable { places: Vec::new(), filled: 0, most: if most < 2 { 0 } else { 1 << most.ilog2() } }
    }

    /// An empty table that takes as much as this one may.
    pub(crate) fn fork(&self) -> Self {
        MemoTable { places: Vec::new(), filled: 0, most: self.most }
    }

    /// From now on it may take one of so many parts only, rounded down. To be called before it holds anything.
    pub(crate) fn divide(&mut self, parts: usize) {
        let most = self.most / parts.max(1);
        self.most = if most < 2 { 0 } else { 1 << most.ilog2() };
    }

    pub(crate) fn bytes(&self) -> usize {
        self.places.len() * size_of::<Option<Entry<K, V>>>()
    }

    /// Whether it can hold anything.
    pub(crate) fn is_on(&self) -> bool {
        self.most > 0
    }

    #[inline]
    fn place(&self, key: &K) -> usize {
        (hash(key) >> 20) as usize & (self.places.len() - 1)
    }

    #[inline]
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        if self.places.is_empty() {
            return None;
        }
        let place = self.place(key);
        let there = |p: usize| self.places[p].as_ref().filter(|e| e.key == *key).map(|e| &e.value);
        there(place).or_else(|| there(place ^ 1))
    }

    pub(crate) fn put(&mut self, key: K, value: V, work: u32) {
        if 2 * self.filled >= self.places.len() && self.places.len() < self.most {
            self.grow();
        }
        self.enter(Entry { key, work, value });
    }

    fn enter(&mut self, entry: Entry<K, V>) {
        if self.places.is_empty() {
            return;
        }
        let place = self.place(&entry.key);
        let is_it = |e: &Option<Entry<K, V>>| e.as_ref().is_some_and(|e| e.key == entry.key);
        let goes = |e: &Option<Entry<K, V>>| e.as_ref().is_none_or(|e| e.work <= entry.work);
        let (first, second) = (&self.places[place], &self.places[place ^ 1]);
        let into_second = is_it(second) || first.is_some() && (second.is_none() || !goes(first));
        let at = if into_second && !is_it(first) { place ^ 1 } else { place };
        self.filled += usize::from(self.places[at].is_none());
        self.places[at] = Some(entry);
    }

    fn grow(&mut self) {
        let size = (2 * self.places.len()).max(FIRST_SIZE).min(self.most);
        let mut places = Vec::new();
        if !reserve_exact(&mut places, size) {
            self.most = self.places.len();
            return;
        }
        places.resize_with(size, || None);
        let old = std::mem::replace(&mut self.places, places);
        self.filled = 0;
        for entry in old.into_iter().flatten() {
            self.enter(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_confuses_keys_and_forgets_only_when_it_may_not_grow() {
        let mut memo = MemoTable::<u64, u64>::new(1 << 20);
        for key in 0..5_000 {
            memo.put(key, key + 1, 1);
        }
        assert!((0..5_000).all(|key| memo.get(&key).is_none_or(|&v| v == key + 1)));
        assert!((0..5_000).filter(|key| memo.get(key).is_some()).count() > 4_000);
        let mut small = MemoTable::<u64, u64>::new(64 * size_of::<Option<Entry<u64, u64>>>());
        (0..5_000).for_each(|key| small.put(key, key + 1, (key % 7) as u32));
        assert_eq!(small.places.len(), 64);
        assert!((0..5_000).all(|key| small.get(&key).is_none_or(|&v| v == key + 1)));
        assert_eq!(small.get(&4_999), Some(&5_000), "the last one is always there");
        let none = MemoTable::<u64, u64>::new(0);
        assert!(!none.is_on() && none.get(&1).is_none());
    }
}
