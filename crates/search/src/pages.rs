//! Large blocks of zeroed memory on large pages.
//!
//! A table is read at random. With pages of 4 KiB nearly every read also misses the processor's address cache, and half of
//! a solver's time went there; pages of 2 MiB, where the system grants them, made Connect Four 7×6 about 1.4 times as fast.
//! The system hands the pages out as they are touched, so a large table costs nothing until it is used; but then a large page
//! costs a fraction of a millisecond, so short searches do better with small ones.

use std::marker::PhantomData;
use std::ops::Deref;

use memmap2::MmapMut;

/// A type for which a block of zero bytes is a value, and which is changed through shared references only.
///
/// # Safety
/// All-zero bytes must be a valid value, and dropping a value must not matter.
#[allow(unsafe_code)]
pub(crate) unsafe trait Zeroed: Sync {}

/// `len` values, all zero bytes at first.
pub(crate) struct Pages<T> {
    map: MmapMut,
    len: usize,
    kind: PhantomData<T>,
}

impl<T: Zeroed> Pages<T> {
    /// Asks the system for memory, on large pages if it has them to spare and `large` is set.
    ///
    /// # Panics
    /// If there is not enough address space.
    pub(crate) fn new(len: usize, large: bool) -> Self {
        let map = MmapMut::map_anon((len * size_of::<T>()).max(1)).expect("enough address space for a table");
        // Only a wish: without it the table works, more slowly.
        #[cfg(target_os = "linux")]
        if large {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = large;
        Pages { map, len, kind: PhantomData }
    }

    /// Makes every value zero again.
    pub(crate) fn clear(&mut self) {
        self.map.fill(0);
    }
}

impl<T: Zeroed> Deref for Pages<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        const { assert!(align_of::<T>() <= 4096, "maps begin at a page") };
        // The map is page-aligned, lives as long as `self`, has room for `len` values, and began as zeros, which `T` says
        // is a valid value. Nobody takes a reference to its bytes while this one lives: `clear` needs `&mut self`.
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts(self.map.as_ptr().cast(), self.len)
        }
    }
}
