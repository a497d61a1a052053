//! One bucket of the index from keys to nodes, a cache line:
//!
//! ```text
//!   word   0   1   2  …  11 │ 12      13      14      │ 15
//!        numbers of nodes   │ one byte of hash each   │ places filled, and whether it is locked
//! ```
//!
//! It fills from the left, and nothing is removed. Readers need no lock: a place counts as filled after everything in
//! it, and the node it names, was written. Writers lock.

use super::sync::{AtomicU32, Ordering, pause};

pub(crate) const PLACES: usize = 12;
const WORDS: usize = 16;
const LOCKED: u32 = 1 << 31;

#[repr(align(64))]
pub(crate) struct Bucket([AtomicU32; WORDS]);

impl Bucket {
    /// An empty one.
    #[allow(dead_code, reason = "tables are made of zero bytes; tests make single buckets")]
    pub(crate) fn new() -> Self {
        Bucket(std::array::from_fn(|_| AtomicU32::new(0)))
    }

    /// How many places are filled.
    #[inline]
    pub(crate) fn filled(&self) -> usize {
        (self.0[15].load(Ordering::Acquire) & !LOCKED) as usize
    }

    /// The node in a place that is filled.
    #[inline]
    pub(crate) fn node(&self, place: usize) -> u32 {
        self.0[place].load(Ordering::Relaxed)
    }

    #[inline]
    fn bytes(&self, word: usize) -> u128 {
        u128::from(self.0[PLACES + word].load(Ordering::Relaxed))
    }

    /// Those of the first `filled` places that hold this byte, as bits 7, 15, 23 …; perhaps a few more.
    #[inline]
    pub(crate) fn alike(&self, byte: u8, filled: usize) -> u128 {
        const ONES: u128 = u128::MAX / 255;
        let bytes = self.bytes(0) | self.bytes(1) << 32 | self.bytes(2) << 64;
        let differences = bytes ^ (ONES * u128::from(byte));
        // The usual trick to find zero bytes; bytes beyond the filled places are masked out.
        differences.wrapping_sub(ONES) & !differences & (ONES << 7) & !(u128::MAX << (filled * 8))
    }

    /// Fills the next place: by a thread that has locked it, or is alone.
    #[inline]
    pub(crate) fn fill(&self, byte: u8, node: u32) {
        let count = self.0[15].load(Ordering::Relaxed);
        let place = (count & !LOCKED) as usize;
        self.0[place].store(node, Ordering::Relaxed);
        let bytes = &self.0[PLACES + place / 4];
        bytes.store(bytes.load(Ordering::Relaxed) | u32::from(byte) << (place % 4 * 8), Ordering::Relaxed);
        self.0[15].store(count + 1, Ordering::Release);
    }

    /// Waits until no other thread has it: nobody has one for longer than it takes to look at a few nodes.
    #[inline]
    pub(crate) fn lock(&self) -> Locked<'_> {
        let (word, mut tries) = (&self.0[15], 0);
        loop {
            // Who waits only reads.
            let now = word.load(Ordering::Relaxed);
            let free = now & LOCKED == 0;
            if free && word.compare_exchange(now, now | LOCKED, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                break;
            }
            pause(tries);
            tries += 1;
        }
        Locked(self)
    }

    /// Has the system provide memory for it.
    pub(crate) fn touch(&self) {
        self.0[15].store(0, Ordering::Relaxed);
    }
}

/// A bucket that is locked until this goes.
pub(crate) struct Locked<'a>(&'a Bucket);

impl Drop for Locked<'_> {
    #[inline]
    fn drop(&mut self) {
        let count = self.0.0[15].load(Ordering::Relaxed);
        self.0.0[15].store(count & !LOCKED, Ordering::Release);
    }
}
