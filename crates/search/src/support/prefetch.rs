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
