//! Asking for memory before it is needed.

/// Starts to fetch what `place` points to into the cache; the address may be any. Does nothing where the processor is
/// not known.
#[inline(always)]
pub(crate) fn prefetch<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint has no effect on the meaning of a program: it reads nothing and cannot fault, whatever the
        // address.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(place.cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// The same for a value that may lie across the border of two cache lines: both are asked for.
#[inline(always)]
pub(crate) fn prefetch_whole<T>(place: *const T) {
    prefetch(place);
    if const { size_of::<T>() > align_of::<T>() } {
        prefetch(place.cast::<u8>().wrapping_add(size_of::<T>() - 1));
    }
}

/// The same for what will be written: the other caches give it up.
#[inline(always)]
pub(crate) fn prefetch_to_write<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as above; a processor that does not know this hint does nothing.
    #[allow(unsafe_code)]
    unsafe {
        std::arch::asm!("prefetchw byte ptr [{}]", in(reg) place, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
