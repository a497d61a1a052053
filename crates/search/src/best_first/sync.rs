//! What the shared structures of this folder are made of: the processor's atomic words. The tests of races put those of
//! a model checker in their place, which runs every order in which threads can come (`tests/best_first_races.rs`).

pub(crate) use std::sync::atomic::{AtomicI64, AtomicU32, Ordering, fence};

/// Waits a little for another thread. On a busy machine that one may have been put to sleep.
#[inline]
pub(crate) fn pause(tries: u32) {
    if tries % 64 == 63 { std::thread::yield_now() } else { std::hint::spin_loop() }
}
