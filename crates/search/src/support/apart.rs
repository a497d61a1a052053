//! What many threads read beside what one of them writes all the time.

/// On a cache line of its own, or on two: neighbours are fetched together.
#[repr(align(128))]
pub(crate) struct Apart<T>(pub(crate) T);
