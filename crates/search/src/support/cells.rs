//! Long lists of atomic numbers, which threads share without any `unsafe` of their own. They grow without being copied,
//! and take memory as it is used (as the lists of the best-first searches do, `best_first/list.rs`).

use std::ops::Deref;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use perfectplay_core::Plain;

use crate::support::memory::available;
use crate::support::pages::{Pages, Zeroed, held};

/// A number that threads share. Who writes it and who may read it is agreed upon elsewhere.
pub(crate) trait Cell: Zeroed {
    /// What is in it.
    type Value: Copy;
    fn get(&self) -> Self::Value;
    fn set(&self, value: Self::Value);
}

macro_rules! cells {
    ($($cell:ty: $value:ty),*) => {$(
        // SAFETY: zero bytes are the number zero.
        #[allow(unsafe_code)]
        unsafe impl Zeroed for $cell {}

        impl Cell for $cell {
            type Value = $value;

            #[inline(always)]
            fn get(&self) -> $value {
                self.load(Ordering::Relaxed)
            }

            #[inline(always)]
            fn set(&self, value: $value) {
                self.store(value, Ordering::Relaxed);
            }
        }
    )*};
}

cells!(AtomicU32: u32, AtomicU64: u64);

/// From this size on a list asks for large pages: the last one is half empty on average.
const LARGE_FROM: usize = 16 << 20;
/// A list of this size has stopped being small: it moves to where it can grow to any size.
const MIDDLE: usize = 1 << 16;

/// So many of them as there can be; all are zero at first.
pub(crate) struct Cells<T> {
    pages: Pages<T>,
    large: bool,
}

impl<T: Cell> Cells<T> {
    /// With room for few.
    pub(crate) fn new(few: usize) -> Self {
        Cells { pages: Pages::zeroed(few, false), large: false }
    }

    /// Bytes that the first `used` of them take.
    pub(crate) fn bytes(used: usize) -> usize {
        held(used * size_of::<T>(), LARGE_FROM)
    }

    /// Makes room for so many, of at most `most`; `false` if the system has none. The first `used` are kept. The system
    /// is asked every time, so who adds one after the other asks for many at once.
    pub(crate) fn reserve(&mut self, needed: usize, used: usize, most: usize) -> bool {
        if needed > self.len() {
            let twice = (2 * needed).min(most);
            let whole = || Some(Pages::<T>::zeroed_later(most)).filter(|pages| pages.len() == most);
            // Where the system is strict about address space, the list is copied again and again.
            let larger = match twice * size_of::<T>() <= MIDDLE {
                true => Pages::zeroed(twice, false),
                false => whole().unwrap_or_else(|| Pages::zeroed_later(twice)),
            };
            if larger.len() < needed {
                return false;
            }
            self.iter().zip(larger.iter()).take(used).for_each(|(from, to)| to.set(from.get()));
            *self = Cells { pages: larger, large: false };
        }
        let bytes = needed * size_of::<T>();
        if bytes > LARGE_FROM && !self.large {
            self.large = true;
            self.pages.ask_for_large_pages();
        }
        available(bytes)
    }
}

impl<T> Deref for Cells<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.pages
    }
}

/// The most bytes of a value in words.
const MOST_BYTES: usize = 64;

/// Words that a value takes beside `shift` bytes that stand before it.
pub(crate) const fn words<P: Plain>(shift: usize) -> usize {
    assert!(shift + P::SIZE <= MOST_BYTES, "a move of so many bytes");
    (shift + P::SIZE).div_ceil(4)
}

/// Writes `head`, of which `shift` bytes count, and a value behind them.
#[inline]
pub(crate) fn put_words<P: Plain>(words: &[AtomicU32], shift: usize, head: u32, value: P) {
    let mut bytes = [0; MOST_BYTES];
    bytes[..4].copy_from_slice(&head.to_le_bytes());
    value.put(&mut bytes[shift..]);
    for (word, bytes) in words.iter().zip(bytes.as_chunks::<4>().0) {
        word.set(u32::from_le_bytes(*bytes));
    }
}

/// Reads what [`put_words`] wrote.
#[inline]
pub(crate) fn take_words<P: Plain>(words: &[AtomicU32], shift: usize) -> P {
    let mut bytes = [0; MOST_BYTES];
    for (word, bytes) in words.iter().zip(bytes.as_chunks_mut::<4>().0) {
        *bytes = word.get().to_le_bytes();
    }
    P::take(&bytes[shift..]).expect("a value was written there")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_stays_when_there_is_more_room() {
        let mut cells = Cells::<AtomicU32>::new(4);
        for i in 0..100_000 {
            assert!(i < cells.len() || cells.reserve(i + 1, i, 1 << 30));
            cells[i].set(i as u32);
        }
        assert!((0..100_000).all(|i| cells[i].get() == i as u32));
        assert_eq!(Cells::<AtomicU32>::bytes(100_000), 400_000);
    }

    #[test]
    fn values_stand_beside_what_is_before_them() {
        let cells = Cells::<AtomicU32>::new(4);
        put_words(&cells[..words::<u64>(3)], 3, 0x00aa_bbcc, 0x0102_0304_0506_0708_u64);
        assert_eq!((words::<u64>(3), cells[0].get()), (3, 0x08aa_bbcc));
        assert_eq!(take_words::<u64>(&cells[..3], 3), 0x0102_0304_0506_0708);
    }
}
