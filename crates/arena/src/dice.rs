//! Seeds. Everything left to chance follows from the tournament's seed and a name, never from the order in which
//! threads work.

use perfectplay_core::random;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A seed for the thing called `name`: FNV-1a over its bytes, mixed with the tournament's seed.
pub(crate) fn seed_for(seed: u64, name: &str) -> u64 {
    let mut hash =
        name.bytes().fold(0xcbf2_9ce4_8422_2325, |h: u64, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    hash ^= seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // 63 bits, so that SQLite can hold it.
    random::mix(hash) >> 1
}

/// Dice whose algorithm is named, so that seeds keep their meaning.
pub(crate) struct Dice(Xoshiro256PlusPlus);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// From 0 to `sides` - 1.
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        random::below(self.0.next_u64(), sides)
    }
}
