//! Memory into which a table will grow, provided by the system before it is needed.
//!
//! A large page takes the system a while, above all where the memory is new to a virtual machine: 2 to 8 ms. If a table
//! asks for it when it grows, all threads wait for all of it. Here whoever comes takes the next page, in proportion to
//! how full the table is, and the others go on searching.
//!
//! The model checker of `tests/races.rs` compiles this file, too, with its own atomics in the place of `super::sync`.

use std::ops::Range;

use super::pages::LARGE;
use super::sync::{AtomicUsize, Ordering};

/// Where the next page begins, in bytes.
pub(crate) struct Ahead(AtomicUsize);

impl Ahead {
    /// At the beginning.
    pub(crate) fn new() -> Self {
        Ahead(AtomicUsize::new(0))
    }

    /// A page of `bytes` that is due and that nobody else was given: from the time when `filled` is half of `full` on,
    /// all are due when it is full.
    pub(crate) fn next(&self, bytes: Range<usize>, filled: usize, full: usize) -> Option<Range<usize>> {
        let half = full / 2;
        let share = filled.saturating_sub(half).min(half) as f64 / half.max(1) as f64;
        let due = bytes.start + (bytes.len() as f64 * share) as usize;
        let at = self.0.load(Ordering::Relaxed);
        let from = at.max(bytes.start.next_multiple_of(LARGE));
        let ours =
            from < due && self.0.compare_exchange(at, from + LARGE, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        ours.then(|| from..(from + LARGE).min(bytes.end))
    }
}
