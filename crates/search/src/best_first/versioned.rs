//! Values that are read whole while others replace them: of one word, or of several, until they are final.
//!
//! Of several words:
//!
//! ```text
//!   bits 31 … 2     1           0
//!        version    writing     final
//! ```
//!
//! A reader looks at the word before and after and reads again if it has changed. Readers write nothing, so they do not
//! take cache lines from each other. The words of the value must be atomic for themselves.

use super::sync::{AtomicI64, AtomicU32, Ordering, fence, pause};

#[derive(Debug)]
pub(crate) struct Versioned(AtomicU32);

const FINAL: u32 = 1;
const WRITING: u32 = 2;
const VERSION: u32 = 4;

impl Versioned {
    pub(crate) fn new(is_final: bool) -> Self {
        Versioned(AtomicU32::new(u32::from(is_final)))
    }

    /// What `read` reads, whole, and whether it is final.
    #[inline]
    pub(crate) fn read<T>(&self, read: impl Fn() -> T) -> (T, bool) {
        let mut tries = 0;
        loop {
            let before = self.0.load(Ordering::Acquire);
            if before & WRITING == 0 {
                let value = read();
                fence(Ordering::Acquire);
                if before & FINAL != 0 || self.0.load(Ordering::Relaxed) == before {
                    return (value, before & FINAL != 0);
                }
            }
            pause(tries);
            tries += 1;
        }
    }

    /// Lets one thread at a time write, unless the value is final. `write` says whether it has written, and whether it
    /// is final now.
    pub(crate) fn write(&self, write: impl FnOnce() -> Option<bool>) {
        let mut tries = 0;
        let before = loop {
            let before = self.0.load(Ordering::Relaxed);
            if before & FINAL != 0 {
                return;
            }
            let writing = before | WRITING;
            if before & WRITING == 0
                && self.0.compare_exchange(before, writing, Ordering::Acquire, Ordering::Relaxed).is_ok()
            {
                break before;
            }
            pause(tries);
            tries += 1;
        };
        // Who sees a new word of the value sees after it that somebody is writing.
        fence(Ordering::Release);
        let after = match write() {
            Some(is_final) => before.wrapping_add(VERSION) | u32::from(is_final),
            None => before,
        };
        self.0.store(after, Ordering::Release);
    }

    /// By a thread that is alone.
    pub(crate) fn set(&self, is_final: bool) {
        self.0.store(u32::from(is_final), Ordering::Release);
    }
}

/// A value of one word.
#[derive(Debug)]
pub struct OneWord(AtomicI64);

impl OneWord {
    pub(crate) fn new(word: i64) -> Self {
        OneWord(AtomicI64::new(word))
    }

    #[inline]
    pub(crate) fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }

    /// By a thread that is alone.
    #[inline]
    pub(crate) fn set(&self, word: i64) {
        self.0.store(word, Ordering::Relaxed);
    }

    /// Replaces the word by what `next` makes of it, unless that is `None`: asked again if somebody else was faster.
    #[inline]
    pub(crate) fn update(&self, mut next: impl FnMut(i64) -> Option<i64>) -> Option<(i64, i64)> {
        let mut now = self.get();
        loop {
            let new = next(now)?;
            match self.0.compare_exchange(now, new, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(old) => return Some((old, new)),
                Err(other) => now = other,
            }
        }
    }
}
