//! A few entries that threads add and that never change afterwards: a bucket of [`super::shared_map`].
//!
//! Who adds an entry has the bucket locked. Who looks one up does not: an entry is written before it is counted, and
//! nothing that was counted is written again, so readers need no lock and no cache line travels because of them.
//!
//! The model checker of `tests/races.rs` compiles this file, too, with its own atomics in the place of `super::sync`.

use std::mem::MaybeUninit;

use super::sync::{AtomicU8, Ordering, UnsafeCell, wait_a_moment};

/// Entries in a bucket: with keys of 16 bytes and values of four it is a cache line.
pub(crate) const SLOTS: usize = 3;

/// In the state of a bucket, beside the number of its entries.
const LOCKED: u8 = 1 << 7;
const OVERFLOWED: u8 = 1 << 6;
const FILLED: u8 = OVERFLOWED - 1;

/// A block of zero bytes is an empty bucket.
pub(crate) struct Bucket<K, V> {
    keys: [UnsafeCell<MaybeUninit<K>>; SLOTS],
    values: [UnsafeCell<MaybeUninit<V>>; SLOTS],
    state: AtomicU8,
}

// SAFETY: entries are written under the lock, before they are counted, and only read afterwards.
#[allow(unsafe_code)]
unsafe impl<K: Send + Sync, V: Send + Sync> Sync for Bucket<K, V> {}

/// A bucket to which nobody else adds.
pub(crate) struct Locked<'a, K, V> {
    bucket: &'a Bucket<K, V>,
    state: u8,
}

impl<K: Copy + Eq, V> Bucket<K, V> {
    /// Without entries.
    #[cfg(test)]
    pub(crate) fn new() -> Self {
        let keys = std::array::from_fn(|_| UnsafeCell::new(MaybeUninit::uninit()));
        let values = std::array::from_fn(|_| UnsafeCell::new(MaybeUninit::uninit()));
        Bucket { keys, values, state: AtomicU8::new(0) }
    }

    /// The value of a key; if it is not here, whether it may be in the next bucket.
    #[inline]
    pub(crate) fn get(&self, key: K) -> Result<&V, bool> {
        self.find(key, self.state.load(Ordering::Acquire))
    }

    #[inline]
    fn find(&self, key: K, state: u8) -> Result<&V, bool> {
        for i in 0..usize::from(state & FILLED) {
            // SAFETY: what is counted was written before, and is never written again.
            #[allow(unsafe_code)]
            let found = self.keys[i].with(|place| unsafe { (*place).assume_init() });
            if found == key {
                // SAFETY: as above.
                #[allow(unsafe_code)]
                return Ok(self.values[i].with(|place| unsafe { (*place).assume_init_ref() }));
            }
        }
        Err(state & OVERFLOWED > 0)
    }

    /// Waits until nobody else has it locked.
    #[inline]
    pub(crate) fn lock(&self) -> Locked<'_, K, V> {
        let mut tries = 0;
        loop {
            let state = self.state.load(Ordering::Relaxed) & !LOCKED;
            let locked = self.state.compare_exchange_weak(state, state | LOCKED, Ordering::Acquire, Ordering::Relaxed);
            if locked.is_ok() {
                return Locked { bucket: self, state };
            }
            wait_a_moment(&mut tries);
        }
    }

    /// All entries.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        let filled = usize::from(self.state.load(Ordering::Acquire) & FILLED);
        self.keys.iter().zip(&self.values).take(filled).map(|(key, value)| {
            // SAFETY: as in `find`.
            #[allow(unsafe_code)]
            let key = key.with(|place| unsafe { (*place).assume_init() });
            // SAFETY: as above.
            #[allow(unsafe_code)]
            (key, value.with(|place| unsafe { (*place).assume_init_ref() }))
        })
    }
}

impl<K: Copy + Eq, V> Locked<'_, K, V> {
    /// The value of a key; if it is not here, whether it may be in the next bucket.
    pub(crate) fn get(&self, key: K) -> Result<&V, bool> {
        self.bucket.find(key, self.state)
    }

    /// Adds an entry, or gives it back if there is no room; then some keys are in the next bucket from now on.
    pub(crate) fn add(&mut self, key: K, value: V) -> Result<(), V> {
        let i = usize::from(self.state & FILLED);
        if i == SLOTS {
            self.state |= OVERFLOWED;
            return Err(value);
        }
        // SAFETY: the lock is ours, so nobody else writes; nobody reads a place that is not counted.
        #[allow(unsafe_code)]
        self.bucket.keys[i].with_mut(|place| unsafe { (*place).write(key) });
        // SAFETY: as above.
        #[allow(unsafe_code)]
        self.bucket.values[i].with_mut(|place| unsafe { (*place).write(value) });
        self.state += 1;
        Ok(())
    }
}

impl<K, V> Drop for Locked<'_, K, V> {
    fn drop(&mut self) {
        self.bucket.state.store(self.state, Ordering::Release);
    }
}

impl<K, V> Drop for Bucket<K, V> {
    fn drop(&mut self) {
        if std::mem::needs_drop::<V>() {
            let filled = usize::from(self.state.load(Ordering::Relaxed) & FILLED);
            for value in &self.values[..filled] {
                // SAFETY: it is there, and nobody will look at it again.
                #[allow(unsafe_code)]
                value.with_mut(|place| unsafe { (*place).assume_init_drop() });
            }
        }
    }
}
