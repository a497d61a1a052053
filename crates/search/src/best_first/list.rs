//! Long lists that grow without being copied.
//!
//! A list of the best-first searches may come to hold gigabytes. A `Vec` would be copied again and again, or keep much
//! room in reserve; and its memory lies on small pages, which cost a walk through the page tables at nearly every read
//! at random. This one moves, when it stops being small, to address space in which it can grow to any size, and lies on
//! large pages from some megabytes on. (What it holds by then stays on small ones until the system finds time to change
//! that. To move it at once would take up to 50 ms where the memory is new to a virtual machine, too long for a stop
//! request to wait.)

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};

use crate::support::pages::{LARGE, Pages, held};

/// Bytes of an empty list, and of one that should no longer be copied.
const SMALL: usize = 1 << 11;
const MIDDLE: usize = 1 << 16;

/// From this size on a list lies on large pages. The last one is half empty on average: that should be little beside
/// the rest.
const LARGE_FROM: usize = 16 << 20;

/// The most values that have a number.
const MOST: usize = u32::MAX as usize;

/// A list with numbers of 32 bits.
pub(crate) struct List<T>(Pages<T>);

impl<T> List<T> {
    pub(crate) fn new() -> Self {
        List(Self::pages_for(0))
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes_with(0)
    }

    /// Bytes held with so many values more.
    pub(crate) fn bytes_with(&self, more: usize) -> usize {
        Self::bytes_for(self.len() + more)
    }

    /// Bytes that so many values take.
    pub(crate) fn bytes_for(values: usize) -> usize {
        held(values * size_of::<T>(), LARGE_FROM)
    }

    /// How many values there can be before the list must move.
    pub(crate) fn room(&self) -> usize {
        self.0.room()
    }

    /// Makes room for so many values more; `false` if there is none.
    pub(crate) fn reserve(&mut self, more: usize) -> bool {
        let needed = self.len() + more;
        if needed > self.0.room() && needed <= MOST {
            let mut larger = Self::pages_for(needed);
            // A list that would have to move again at once has no room: it would do nothing else.
            if larger.room() > needed {
                std::mem::replace(&mut self.0, Self::pages_for(0)).move_to(&mut larger);
                self.0 = larger;
            }
        }
        needed <= self.0.room()
    }

    /// An empty list with room for so many values, and for some more.
    fn pages_for(values: usize) -> Pages<T> {
        let twice = (2 * values).min(MOST);
        if twice * size_of::<T>() <= MIDDLE {
            return Pages::with_room_for(twice.max(SMALL / size_of::<T>()), usize::MAX);
        }
        // Where the system is strict about address space, the list is moved again and again.
        let whole = Some(Pages::with_room_for(MOST, LARGE_FROM)).filter(|pages| pages.room() == MOST);
        whole.unwrap_or_else(|| Pages::with_room_for(twice, LARGE_FROM))
    }

    /// Appends a value.
    ///
    /// # Panics
    /// If there is no room.
    #[inline]
    pub(crate) fn push(&mut self, value: T) {
        self.0.push(value);
    }
}

/// What threads do that share a list: they agree elsewhere on who writes which place, and tell each other when it is
/// written. Meanwhile the list does not move, and its length is what it was before.
#[allow(unsafe_code)]
impl<T> List<T> {
    /// All places, for who knows which of them are written.
    #[inline]
    pub(crate) fn places(&self) -> Places<'_, T> {
        Places { start: self.0.start(), list: PhantomData }
    }

    /// Writes a place.
    ///
    /// # Safety
    /// There is room for it, and no other thread reads or writes it before it is told.
    #[inline]
    pub(crate) unsafe fn write(&self, place: u32, value: T) {
        debug_assert!((place as usize) < self.room());
        // SAFETY: as the caller says. Values have nothing to drop (`Pages::move_to` makes sure of that).
        unsafe { self.0.start().cast_mut().add(place as usize).write(value) }
    }

    /// Has the system provide memory for what comes behind the first `used` places, a large page in advance, so that
    /// not all threads wait for it at once. `reached` are the bytes up to which it was done.
    pub(crate) fn ahead(used: usize, reached: &mut usize) -> Range<usize> {
        let used = used * size_of::<T>();
        let from = (used / LARGE * LARGE).max(*reached);
        let end = if used < LARGE_FROM { 0 } else { (used + LARGE).next_multiple_of(LARGE) };
        *reached = end.max(*reached);
        from..end
    }

    /// Does that.
    pub(crate) fn populate(&self, bytes: Range<usize>) {
        if !bytes.is_empty() {
            self.0.populate(bytes);
        }
    }

    /// Counts the places that were written.
    ///
    /// # Safety
    /// All of them were.
    pub(crate) unsafe fn set_len(&mut self, len: usize) {
        // SAFETY: as the caller says.
        unsafe { self.0.set_len(len) }
    }
}

/// The places of a list, whatever its length.
pub(crate) struct Places<'a, T> {
    start: *const T,
    list: PhantomData<&'a List<T>>,
}

impl<T> Clone for Places<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Places<'_, T> {}

#[allow(unsafe_code)]
impl<'a, T> Places<'a, T> {
    /// What is in a place.
    ///
    /// # Safety
    /// It was written, and this thread was told.
    #[inline]
    pub(crate) unsafe fn get(self, place: u32) -> &'a T {
        // SAFETY: as the caller says.
        unsafe { &*self.start.add(place as usize) }
    }

    /// What is in a row of places.
    ///
    /// # Safety
    /// They were written, and this thread was told.
    #[inline]
    pub(crate) unsafe fn row(self, first: u32, count: u32) -> &'a [T] {
        // SAFETY: as the caller says.
        unsafe { std::slice::from_raw_parts(self.start.add(first as usize), count as usize) }
    }

    /// Where a place is, whatever is there: for prefetching.
    #[inline]
    pub(crate) fn address(self, place: u32) -> *const T {
        self.start.wrapping_add(place as usize)
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for List<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_there_after_the_move() {
        let mut list = List::new();
        for i in 0..5_000_000u32 {
            assert!(list.reserve(1));
            list.push(i);
            if i.is_power_of_two() || i == 100_000 {
                assert!(list.iter().copied().eq(0..=i), "{i}");
            }
        }
        assert_eq!(list.bytes(), 20 << 20, "large pages");
        assert!(list.iter().copied().eq(0..5_000_000));
        list[7] = 0;
        assert_eq!((list[6], list[7], list.len()), (6, 0, 5_000_000));
    }
}
