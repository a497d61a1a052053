//! Large blocks of memory on large pages.
//!
//! A table is read at random. With pages of 4 KiB nearly every read also misses the processor's address cache, and half of
//! a solver's time went there; pages of 2 MiB, where the system grants them, made Connect Four 7×6 about 1.4 times as fast.
//! The system hands the pages out as they are touched, so a large table costs nothing until it is used; but then a large page
//! costs a fraction of a millisecond, so short searches do better with small ones.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use memmap2::{MmapMut, MmapOptions};

/// A type for which a block of zero bytes is a value, and which is changed through shared references only.
///
/// # Safety
/// All-zero bytes must be a valid value.
#[allow(unsafe_code)]
pub(crate) unsafe trait Zeroed: Sync {}

/// A list with room for a fixed number of values, which never move.
pub(crate) struct Pages<T> {
    map: MmapMut,
    /// Bytes before the first value.
    skip: usize,
    len: usize,
    most: usize,
    /// Whether to ask for large pages as soon as there is enough to fill one.
    large: bool,
    kind: PhantomData<T>,
}

/// What a large page holds, on most machines.
const LARGE: usize = 2 << 20;

impl<T> Pages<T> {
    /// An empty list with room for `most` values, or for fewer if there is not so much address space. The system provides
    /// memory as it is touched, on large pages if it has them to spare and `large` is set.
    ///
    /// # Panics
    /// If there is no address space at all.
    pub(crate) fn with_room_for(mut most: usize, large: bool) -> Self {
        const { assert!(align_of::<T>() <= 4096, "maps begin at a page") };
        let bytes = |most: usize| most.saturating_mul(size_of::<T>()).max(1);
        let large = large && bytes(most) >= LARGE;
        let map = loop {
            let size = bytes(most).saturating_add(if large { LARGE } else { 0 });
            match MmapOptions::new().len(size).no_reserve_swap().map_anon() {
                Ok(map) => break map,
                Err(_) if most > 1 => most /= 2,
                Err(error) => panic!("no memory for a table: {error}"),
            }
        };
        let skip = if large { map.as_ptr().align_offset(LARGE) } else { 0 };
        Pages { map, skip, len: 0, most, large, kind: PhantomData }
    }

    /// How many values there can be.
    pub(crate) fn room(&self) -> usize {
        self.most
    }

    /// Appends values until there are `len`.
    ///
    /// # Panics
    /// If there is no room for so many.
    pub(crate) fn extend_to(&mut self, len: usize, mut value: impl FnMut() -> T) {
        assert!(len <= self.most, "no room for so many values");
        self.wish_for_large_pages(len);
        while self.len < len {
            // The map has room for `most` values from `skip` on, which is a multiple of a page.
            #[allow(unsafe_code)]
            unsafe {
                self.map.as_mut_ptr().add(self.skip).cast::<T>().add(self.len).write(value());
            }
            self.len += 1;
        }
    }

    /// Asks for large pages if `len` values will need more than one of them. Only a wish: small ones work, more slowly.
    fn wish_for_large_pages(&mut self, len: usize) {
        if self.large && len * size_of::<T>() > LARGE {
            self.large = false;
            #[cfg(target_os = "linux")]
            let _ = self.map.advise_range(memmap2::Advice::HugePage, self.skip, self.most * size_of::<T>());
        }
    }
}

impl<T: Zeroed> Pages<T> {
    /// So many values, all of them zero bytes.
    ///
    /// # Panics
    /// If there is not enough address space.
    pub(crate) fn zeroed(len: usize, large: bool) -> Self {
        let mut pages = Self::with_room_for(len, large);
        assert_eq!(pages.most, len, "enough address space for a table");
        pages.wish_for_large_pages(len);
        pages.len = len;
        pages
    }

    /// Makes every value zero again.
    pub(crate) fn clear(&mut self) {
        self.map.fill(0);
    }
}

impl<T> Deref for Pages<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // The map is page-aligned, lives as long as `self`, and its first `len` values are there: they were written, or are
        // zeros, of which `T` says that they are valid. Nobody refers to its bytes meanwhile.
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts(self.map.as_ptr().add(self.skip).cast(), self.len)
        }
    }
}

impl<T> DerefMut for Pages<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // As above, and `self` is borrowed for as long as the values can be changed.
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts_mut(self.map.as_mut_ptr().add(self.skip).cast(), self.len)
        }
    }
}

impl<T> Drop for Pages<T> {
    fn drop(&mut self) {
        // Every value is dropped once: the list is of no use afterwards.
        #[allow(unsafe_code)]
        unsafe {
            std::ptr::drop_in_place::<[T]>(&mut **self);
        }
    }
}
