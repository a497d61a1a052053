//! Random numbers that are the same on every machine: from words to choices, and a generator for those who need few of
//! them.

/// Scales a random word to a number from 0 to `sides` - 1: the upper half of their product. (Up to `sides` in 2^64
/// throws are uneven: nobody will notice.)
#[inline]
pub const fn below(random_word: u64, sides: usize) -> usize {
    ((random_word as u128 * sides as u128) >> 64) as usize
}

/// The generator SplitMix64 (Steele, Lea and Flood 2014): one word of state, every seed is a good one.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The sequence of this seed.
    pub const fn new(seed: u64) -> Self {
        SplitMix64(seed)
    }

    /// The next word.
    #[inline]
    pub const fn next_word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// The next word, scaled to a number from 0 to `sides` - 1.
    #[inline]
    pub const fn below(&mut self, sides: usize) -> usize {
        below(self.next_word(), sides)
    }
}

/// Spreads what words differ in over their upper bits, in two steps that can be undone: less than [`mix`] does, and
/// enough to choose a bucket by.
#[inline]
pub const fn spread(word: u64) -> u64 {
    (word ^ word >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Makes every bit of a word depend on all of them: the last step of SplitMix64. It can be undone, so different words
/// stay different.
#[inline]
pub const fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first words of the reference implementation (Vigna's splitmix64.c).
    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix64::new(1_234_567);
        let words: [u64; 3] = std::array::from_fn(|_| random.next_word());
        assert_eq!(words, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn every_number_below_comes_up_and_no_other() {
        let mut random = SplitMix64::new(0);
        let mut counts = [0; 6];
        (0..6_000).for_each(|_| counts[random.below(6)] += 1);
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        assert_eq!((below(0, 6), below(u64::MAX, 6), below(u64::MAX, 1)), (0, 5, 0));
    }
}
