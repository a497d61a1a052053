//! Large blocks of memory on large pages.
//!
//! A table is read at random. With pages of 4 KiB nearly every read also misses the processor's address cache, and half
//! of a solver's time went there; pages of 2 MiB, where the system grants them, made Connect Four 7×6 about 1.4 times
//! as fast. The system hands the pages out as they are touched, so a large table costs nothing until it is used; but
//! then a large page costs a fraction of a millisecond, so short searches do better with small ones.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

#[cfg(target_os = "linux")]
use memmap2::UncheckedAdvice;
use memmap2::{MmapMut, MmapOptions};

use perfectplay_core::share_out;

use crate::support::memory::{RESERVE, UNASKED, available};

/// A type for which a block of zero bytes is a value.
///
/// # Safety
/// All-zero bytes must be a valid value.
#[allow(unsafe_code)]
pub(crate) unsafe trait Zeroed: Sync {}

/// A list with room for a fixed number of values, which never move.
pub(crate) struct Pages<T> {
    /// Where the first value is. The block behind it is zeroed, has room for `most` values, and is ours alone.
    start: NonNull<T>,
    len: usize,
    most: usize,
    /// From how many bytes on large pages are asked for; never again once they were.
    large_from: usize,
    block: Block,
}

/// Where the memory comes from.
enum Block {
    /// From the allocator: little ones come and go by the thousand.
    Small(Layout),
    /// From the system.
    Mapped(MmapMut),
}

// SAFETY: the values are owned, as those of a `Vec` are.
#[allow(unsafe_code)]
unsafe impl<T: Send> Send for Pages<T> {}
// SAFETY: as above; a shared list gives out shared values only.
#[allow(unsafe_code)]
unsafe impl<T: Sync> Sync for Pages<T> {}

/// What a large page holds, on most machines.
pub(crate) const LARGE: usize = 2 << 20;

/// What so many bytes take if they lie on large pages from `large_from` on.
pub(crate) fn held(bytes: usize, large_from: usize) -> usize {
    if bytes >= large_from { bytes.next_multiple_of(LARGE) } else { bytes }
}

/// Blocks up to this size are small: the allocator has them at hand, and the system clears every page of a map.
const SMALL: usize = 1 << 20;

impl<T> Pages<T> {
    /// An empty list with room for `most` values, or for fewer if there is not so much address space. The system
    /// provides memory as it is touched, from `large_from` bytes on in large pages, if it has them to spare.
    pub(crate) fn with_room_for(most: usize, large_from: usize) -> Self {
        const { assert!(align_of::<T>() <= 4096 && size_of::<T>() > 0, "maps begin at a page") };
        let most = most.max(1);
        match Layout::array::<T>(most) {
            Ok(layout) if layout.size() <= SMALL && available(layout.size()) => Self::small(most, layout),
            _ => None,
        }
        .unwrap_or_else(|| Self::mapped(most, large_from))
    }

    fn small(most: usize, layout: Layout) -> Option<Self> {
        // SAFETY: the size is not zero: there is at least one value, of at least one byte.
        #[allow(unsafe_code)]
        let block = unsafe { alloc_zeroed(layout) };
        let start = NonNull::new(block.cast())?;
        Some(Pages { start, len: 0, most, large_from: usize::MAX, block: Block::Small(layout) })
    }

    fn mapped(mut most: usize, large_from: usize) -> Self {
        let bytes = |most: usize| most.saturating_mul(size_of::<T>());
        let large = bytes(most) >= large_from.max(LARGE);
        let mut map = loop {
            let size = bytes(most).saturating_add(if large { LARGE } else { 0 });
            let map = |size: usize| MmapOptions::new().len(size).no_reserve_swap().map_anon();
            // With the reserve first, which must be left to others.
            match map(size.saturating_add(RESERVE)).and_then(|_| map(size)) {
                Ok(map) => break map,
                Err(_) => most = (most / 2).max(1),
            }
            if let Ok(layout) = Layout::array::<T>(most)
                && layout.size() <= UNASKED.max(size_of::<T>())
            {
                return Self::small(most, layout).unwrap_or_else(|| handle_alloc_error(layout));
            }
        };
        let skip = if large { map.as_ptr().align_offset(LARGE) } else { 0 };
        let start = NonNull::new(map[skip..].as_mut_ptr().cast()).expect("a map is somewhere");
        Pages {
            start,
            len: 0,
            most,
            large_from: if large { large_from } else { usize::MAX },
            block: Block::Mapped(map),
        }
    }

    /// How many values there can be.
    pub(crate) fn room(&self) -> usize {
        self.most
    }

    /// Where the first value is, or will be.
    #[inline]
    pub(crate) fn start(&self) -> *const T {
        self.start.as_ptr()
    }

    /// Counts values that were written into the room behind the last one.
    ///
    /// # Safety
    /// The first `len` are there.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn set_len(&mut self, len: usize) {
        assert!(len <= self.most, "no room for so many values");
        self.wish_for_large_pages(len);
        self.len = len;
    }

    /// Appends values until there are `len`, with so many threads.
    ///
    /// # Panics
    /// If there is no room for so many.
    pub(crate) fn extend_to(&mut self, len: usize, threads: usize, value: impl Fn() -> T + Sync)
    where
        T: Send + Sync,
    {
        assert!(len <= self.most, "no room for so many values");
        self.wish_for_large_pages(len);
        let (first, piece) = (self.len, LARGE.div_ceil(size_of::<T>()));
        let pages = &*self;
        share_out(&mut vec![(); threads], len.saturating_sub(first).div_ceil(piece), |(), n| {
            let from = first + n * piece;
            for i in from..len.min(from + piece) {
                // SAFETY: the block has room for `most` values, nothing lies behind the last one, and every piece is
                // written by one thread.
                #[allow(unsafe_code)]
                unsafe {
                    pages.start.add(i).write(value());
                }
            }
        });
        self.len = len.max(first);
    }

    /// Appends a value.
    ///
    /// # Panics
    /// If there is no room.
    #[inline]
    pub(crate) fn push(&mut self, value: T) {
        assert!(self.len < self.most, "no room for so many values");
        self.wish_for_large_pages(self.len + 1);
        // SAFETY: the block has room for `most` values.
        #[allow(unsafe_code)]
        unsafe {
            self.start.add(self.len).write(value);
        }
        self.len += 1;
    }

    /// Moves everything to a longer list, and gives memory back on the way: both together hold little more than one of
    /// them.
    pub(crate) fn move_to(self, longer: &mut Pages<T>) {
        const { assert!(!std::mem::needs_drop::<T>(), "values are moved as bytes") };
        const AT_A_TIME: usize = 1 << 14; // fills whole pages, whatever the size of a value
        for values in self.chunks(AT_A_TIME) {
            for value in values {
                // SAFETY: nobody uses the value in its old place again, and it has nothing to drop.
                #[allow(unsafe_code)]
                longer.push(unsafe { std::ptr::read(value) });
            }
            #[cfg(target_os = "linux")]
            if let Block::Mapped(map) = &self.block {
                let at = values.as_ptr() as usize - map.as_ptr() as usize;
                // SAFETY: these values are not read again: the list ends here, and they need not be dropped.
                #[allow(unsafe_code)]
                let _ = unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, at, size_of_val(values)) };
            }
        }
    }

    /// Asks for large pages if there are enough values to fill them. Only a wish: small ones work, more slowly.
    #[inline]
    fn wish_for_large_pages(&mut self, len: usize) {
        if len * size_of::<T>() > self.large_from {
            self.large_from = usize::MAX;
            #[cfg(target_os = "linux")]
            if let Block::Mapped(map) = &self.block {
                let skip = self.start.as_ptr() as usize - map.as_ptr() as usize;
                let _ = map.advise_range(memmap2::Advice::HugePage, skip, self.most * size_of::<T>());
            }
        }
    }
}

impl<T> Pages<T> {
    /// Asks for large pages from now on, as others may read and write. Only a wish, too.
    pub(crate) fn ask_for_large_pages(&self) {
        #[cfg(target_os = "linux")]
        if let Block::Mapped(map) = &self.block {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
    }
}

impl<T> Pages<T> {
    /// Has the system provide memory for these bytes, whatever is or will be there: a large page takes a while, in
    /// which others can go on. Only a wish, too.
    pub(crate) fn populate(&self, bytes: std::ops::Range<usize>) {
        #[cfg(target_os = "linux")]
        if let Block::Mapped(map) = &self.block {
            let skip = self.start.as_ptr() as usize - map.as_ptr() as usize;
            let end = bytes.end.min(self.most * size_of::<T>());
            if bytes.start < end {
                let _ = map.advise_range(memmap2::Advice::PopulateWrite, skip + bytes.start, end - bytes.start);
            }
        }
    }
}

impl<T: Zeroed> Pages<T> {
    /// So many values, all of them zero bytes; halved until there is address space for them.
    pub(crate) fn zeroed(len: usize, large: bool) -> Self {
        let mut pages = Self::with_room_for(len, if large { LARGE } else { usize::MAX });
        pages.len = len.min(pages.most);
        pages.wish_for_large_pages(pages.len);
        pages
    }

    /// The same without large pages, but where they could be: until somebody asks for them.
    pub(crate) fn zeroed_later(len: usize) -> Self {
        let mut pages = Self::with_room_for(len, LARGE);
        pages.len = len.min(pages.most);
        pages.large_from = usize::MAX;
        pages
    }

    /// Makes every value zero again.
    pub(crate) fn clear(&mut self) {
        // SAFETY: the values are zero bytes again, which are valid, as `T` says; it has nothing to drop.
        #[allow(unsafe_code)]
        unsafe {
            self.start.write_bytes(0, self.len);
        }
    }
}

impl<T> Deref for Pages<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the first `len` values are there: they were written, or are zeros, of which `T` says that they are
        // valid.
        #[allow(unsafe_code)]
        unsafe {
            NonNull::slice_from_raw_parts(self.start, self.len).as_ref()
        }
    }
}

impl<T> DerefMut for Pages<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and `self` is borrowed for as long as the values can be changed.
        #[allow(unsafe_code)]
        unsafe {
            NonNull::slice_from_raw_parts(self.start, self.len).as_mut()
        }
    }
}

impl<T> Drop for Pages<T> {
    fn drop(&mut self) {
        // SAFETY: every value is dropped once, and the block given back as it was taken: the list is of no use
        // afterwards.
        #[allow(unsafe_code)]
        unsafe {
            NonNull::slice_from_raw_parts(self.start, self.len).drop_in_place();
            if let Block::Small(layout) = self.block {
                dealloc(self.start.as_ptr().cast(), layout);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where address space is short, lists move again and again, also from large pages to large pages.
    #[test]
    fn nothing_is_lost_when_a_list_moves() {
        let fill = |large_from| {
            let (count, mut values) = (0..3_000_000u32, Pages::with_room_for(4_000_000, large_from));
            count.for_each(|i| values.push(i));
            values
        };
        for large_from in [LARGE, usize::MAX] {
            let mut longer = Pages::with_room_for(8_000_000, LARGE);
            fill(large_from).move_to(&mut longer);
            assert!(longer.iter().copied().eq(0..3_000_000));
        }
    }
}
