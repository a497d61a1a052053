//! The numbers of states by their exact keys, in shards, so that threads can enter keys at the same time.

use std::hash::{BuildHasher, Hash};
use std::mem::size_of;
use std::sync::Mutex;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

/// Into how many shards keys are divided.
pub(super) const SHARDS: usize = 16;

type Table<K> = HashTable<(K, u32)>;

/// A map from keys to numbers.
pub(super) struct Numbers<K> {
    shards: [Table<K>; SHARDS],
}

/// What a key is found by.
#[inline]
pub(super) fn hash<K: Hash>(key: &K) -> u64 {
    FxBuildHasher.hash_one(key)
}

/// The shard of a key. A table uses the lowest and the highest bits of the hash.
#[inline]
pub(super) fn shard(hash: u64) -> usize {
    (hash >> 40) as usize % SHARDS
}

impl<K: Copy + Eq + Hash> Numbers<K> {
    pub(super) fn with_capacity(keys: usize) -> Self {
        let each = keys / SHARDS + keys / (4 * SHARDS);
        Numbers { shards: std::array::from_fn(|_| Table::with_capacity(each)) }
    }

    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(Table::len).sum()
    }

    #[inline]
    pub(super) fn get(&self, hash: u64, key: &K) -> Option<u32> {
        self.shards[shard(hash)].find(hash, |(k, _)| k == key).map(|&(_, number)| number)
    }

    /// The number of a key, which is `new` if it had none.
    pub(super) fn get_or_insert(&mut self, key: K, new: u32) -> u32 {
        let hash = hash(&key);
        get_or_insert(&mut self.shards[shard(hash)], hash, key, new)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, u32)> {
        self.shards.iter().flatten().map(|(key, number)| (key, *number))
    }

    /// Each shard for whoever takes it.
    pub(super) fn shards(&mut self) -> Vec<Mutex<Shard<'_, K>>> {
        self.shards.iter_mut().map(|table| Mutex::new(Shard(table))).collect()
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.shards.iter().map(bytes).sum()
    }

    /// Bytes that it may hold besides while so many keys are entered: a table that grows is there twice, and then twice
    /// as large.
    pub(super) fn bytes_to_enter(&self, keys: usize) -> usize {
        let grows = |table: &&Table<K>| table.len() + keys > table.capacity();
        self.shards.iter().filter(grows).map(|table| 2 * bytes(table).max(4 * size_of::<(K, u32)>())).sum()
    }
}

/// A part of the keys.
pub(super) struct Shard<'a, K>(&'a mut Table<K>);

impl<K: Copy + Eq + Hash> Shard<'_, K> {
    /// As [`Numbers::get_or_insert`].
    pub(super) fn get_or_insert(&mut self, hash: u64, key: K, new: u32) -> u32 {
        get_or_insert(self.0, hash, key, new)
    }

    /// Gives a key that is there another number.
    pub(super) fn renumber(&mut self, hash: u64, key: &K, number: u32) {
        if let Some(entry) = self.0.find_mut(hash, |(k, _)| k == key) {
            entry.1 = number;
        }
    }
}

#[inline]
fn get_or_insert<K: Copy + Eq + Hash>(table: &mut Table<K>, hash: u64, key: K, new: u32) -> u32 {
    match table.entry(hash, |(k, _)| *k == key, |(k, _)| self::hash(k)) {
        Entry::Occupied(entry) => entry.get().1,
        Entry::Vacant(entry) => entry.insert((key, new)).get().1,
    }
}

fn bytes<K>(table: &Table<K>) -> usize {
    table.capacity() * 8 / 7 * (size_of::<(K, u32)>() + 1)
}
