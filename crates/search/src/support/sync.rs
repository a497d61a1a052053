//! What structures shared by threads are made of. A model checker has its own (`tests/races.rs`).

pub(crate) use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// A place that several threads may reach.
#[repr(transparent)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    #[cfg(test)]
    pub(crate) fn new(value: T) -> Self {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// For reading.
    #[inline]
    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    /// For writing.
    #[inline]
    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}

/// Waits for somebody who has a lock for a few instructions. On a busy machine it may have been put to sleep.
#[inline]
pub(crate) fn wait_a_moment(tries: &mut u32) {
    *tries += 1;
    if tries.is_multiple_of(100) { std::thread::yield_now() } else { std::hint::spin_loop() }
}
