//! From keys to buckets, for tables that keep whole keys.

use std::hash::{Hash, Hasher};

use perfectplay_core::random;
use rustc_hash::FxHasher;

/// A hash with all its bits mixed: the high ones choose the bucket, the low ones may tell its entries apart.
#[inline]
pub(crate) fn hash<K: Hash>(key: &K) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    random::spread(hasher.finish())
}

/// The one of `count` buckets that a hash falls into. With more buckets it is the same or a later one, so a table can
/// grow in place.
#[inline]
pub(crate) fn bucket_of(hash: u64, count: usize) -> usize {
    random::below(hash, count)
}
