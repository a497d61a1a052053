//! The marks by which lines that are under way at the same time avoid each other.
//!
//! A line counts a visit on every edge that it takes, at once: where several children look equally good, the next line
//! takes another. At its end it claims the leaf that it will open: a line that comes there turns back and takes the
//! next best. Both marks are taken back exactly: visits if the line ends without having done anything, the claim when
//! the leaf was opened or given up.

use super::sync::{AtomicU32, Ordering};

/// n(s, s'): how often the search went this way.
#[derive(Debug)]
pub(crate) struct Visits(AtomicU32);

impl Visits {
    pub(crate) fn new(count: u32) -> Self {
        Visits(AtomicU32::new(count))
    }

    #[inline]
    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// By a thread that is alone.
    #[inline]
    pub(crate) fn set(&self, count: u32) {
        self.0.store(count, Ordering::Relaxed);
    }

    /// Counts visits that begin.
    #[inline]
    pub(crate) fn begin(&self, count: u32) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// Takes back visits that led to nothing.
    pub(crate) fn take_back(&self, count: u32) {
        self.0.fetch_sub(count, Ordering::Relaxed);
    }
}

/// Says of a node what it is like; a leaf can be claimed, and who claims it may open it.
#[derive(Debug)]
pub(crate) struct Claimable(AtomicU32);

impl Claimable {
    pub(crate) fn new(word: u32) -> Self {
        Claimable(AtomicU32::new(word))
    }

    /// Whoever reads a word sees what was written before it was [`Claimable::set`].
    #[inline]
    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::Acquire)
    }

    /// Replaces the word and ends a claim: by the thread that claimed it, or one that is alone.
    #[inline]
    pub(crate) fn set(&self, word: u32) {
        self.0.store(word, Ordering::Release);
    }

    /// Replaces `free` by `claimed`; `false` if somebody else was there before.
    #[inline]
    pub(crate) fn claim(&self, free: u32, claimed: u32) -> bool {
        self.0.compare_exchange(free, claimed, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}
