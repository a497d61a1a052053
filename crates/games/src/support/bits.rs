//! Bitboards of any width behind one small trait.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use perfectplay_core::Plain;

/// A set of cells as bits: `u32`, `u64`, `u128`, or [`Wide`] for boards that need more.
pub trait Bits:
    Plain
    + Eq
    + Ord
    + Hash
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// How many cells fit.
    const BITS: u32;
    /// The set of this one cell.
    fn bit(cell: u32) -> Self;
    /// How many cells it holds.
    fn count(self) -> u32;
    /// The lowest cell. The set must not be empty.
    fn lowest(self) -> u32;
    /// The highest cell. The set must not be empty.
    fn highest(self) -> u32;
    /// The set without its lowest cell.
    fn without_lowest(self) -> Self;
    /// The cell that has `n` cells of the set below it. The set must have more than `n`.
    fn nth(self, n: u32) -> u32;
    /// The sum of two sets read as numbers, wrapping.
    fn plus(self, other: Self) -> Self;
    /// The cells 0 … 63 as a number.
    fn low_word(self) -> u64;
    /// The cells 0 … 63 from a number, as far as they fit.
    fn from_word(word: u64) -> Self;
    /// The set, read as a number, less one, wrapping: for a single cell, all lower cells; for none, all there are.
    fn minus_one(self) -> Self;

    /// The empty set.
    #[inline]
    fn none() -> Self {
        Self::default()
    }

    /// Whether it holds no cell.
    #[inline]
    fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Whether it holds `cell`.
    #[inline]
    fn has(self, cell: u32) -> bool {
        !(self & Self::bit(cell)).is_none()
    }

    /// The cells from low to high.
    fn cells(self) -> impl Iterator<Item = u32>;
}

#[inline]
fn one_by_one<B: Bits>(mut set: B) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (!set.is_none()).then(|| {
            let cell = set.lowest();
            set = set.without_lowest();
            cell
        })
    })
}

/// The machine has no single instruction for any step of [`one_by_one`] on so long a number.
#[inline]
fn word_by_word(set: u128) -> impl Iterator<Item = u32> {
    one_by_one(set as u64).chain(one_by_one((set >> 64) as u64).map(|cell| 64 + cell))
}

/// The position of the set bit with `n` set bits below it.
#[inline]
fn nth_bit(word: u64, n: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let pairs = word - ((word >> 1) & (0x55 * ONES));
    let nibbles = (pairs & (0x33 * ONES)) + ((pairs >> 2) & (0x33 * ONES));
    let bytes = (nibbles + (nibbles >> 4)) & (0x0f * ONES);
    let up_to = bytes.wrapping_mul(ONES); // byte i: the bits set in bytes 0 to i
    // The top bit of byte i is set if at most n bits are set up to byte i: the bit sought lies beyond it.
    let beyond = (((u64::from(n) * ONES) | (0x80 * ONES)) - up_to) >> 7 & ONES;
    let byte = (beyond.wrapping_mul(ONES) >> 56) as u32;
    let below = ((up_to << 8) >> (8 * byte)) as u32 & 0xff;
    let mut rest = word >> (8 * byte);
    for _ in below..n {
        rest &= rest - 1;
    }
    8 * byte + rest.trailing_zeros()
}

macro_rules! native {
    ($($int:ty, $nth:expr, $cells:expr);*) => {$(
        impl Bits for $int {
            const BITS: u32 = <$int>::BITS;
            #[inline]
            fn bit(cell: u32) -> Self {
                1 << cell
            }
            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline]
            fn highest(self) -> u32 {
                <$int>::BITS - 1 - self.leading_zeros()
            }
            #[inline]
            fn without_lowest(self) -> Self {
                self & self.wrapping_sub(1)
            }
            #[inline]
            fn nth(self, n: u32) -> u32 {
                $nth(self, n)
            }
            #[inline]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline]
            fn low_word(self) -> u64 {
                self as u64
            }
            #[inline]
            fn from_word(word: u64) -> Self {
                word as $int
            }
            #[inline]
            fn cells(self) -> impl Iterator<Item = u32> {
                $cells(self)
            }
            #[inline]
            fn minus_one(self) -> Self {
                self.wrapping_sub(1)
            }
        }
    )*};
}
native!(
    u32, |set: u32, n| nth_bit(set.into(), n), one_by_one;
    u64, nth_bit, one_by_one;
    u128, |set: u128, n| Wide([set as u64, (set >> 64) as u64]).nth(n), word_by_word
);

/// `64 * N` cells; word 0 holds the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Plain for Wide<N> {
    const SIZE: usize = 8 * N;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.0.put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        Plain::take(bytes).map(Wide)
    }
}

impl<const N: usize> Default for Wide<N> {
    fn default() -> Self {
        Wide([0; N])
    }
}

/// As numbers: the highest word decides.
impl<const N: usize> Ord for Wide<N> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

impl<const N: usize> PartialOrd for Wide<N> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

macro_rules! wordwise {
    ($($op:ident $method:ident),*) => {$(
        impl<const N: usize> $op for Wide<N> {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                Wide(std::array::from_fn(|i| self.0[i].$method(other.0[i])))
            }
        }
    )*};
}
wordwise!(BitAnd bitand, BitOr bitor, BitXor bitxor);

impl<const N: usize> Not for Wide<N> {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Wide(self.0.map(|w| !w))
    }
}

impl<const N: usize> Shl<u32> for Wide<N> {
    type Output = Self;
    #[inline]
    fn shl(self, by: u32) -> Self {
        let (words, bits) = ((by / 64) as usize, by % 64);
        let word = |i: usize| if i >= words { self.0[i - words] } else { 0 };
        Wide(std::array::from_fn(|i| match bits {
            0 => word(i),
            _ => word(i) << bits | if i > 0 { word(i - 1) >> (64 - bits) } else { 0 },
        }))
    }
}

impl<const N: usize> Shr<u32> for Wide<N> {
    type Output = Self;
    #[inline]
    fn shr(self, by: u32) -> Self {
        let (words, bits) = ((by / 64) as usize, by % 64);
        let word = |i: usize| if i + words < N { self.0[i + words] } else { 0 };
        Wide(std::array::from_fn(|i| match bits {
            0 => word(i),
            _ => word(i) >> bits | word(i + 1) << (64 - bits),
        }))
    }
}

impl<const N: usize> Bits for Wide<N> {
    const BITS: u32 = 64 * N as u32;

    #[inline]
    fn bit(cell: u32) -> Self {
        let mut set = Self::default();
        set.0[(cell / 64) as usize] = 1 << (cell % 64);
        set
    }

    /// Word by word: looking for the lowest cell from word 0 each time would cost more than all the rest.
    #[inline]
    fn cells(self) -> impl Iterator<Item = u32> {
        let words = self.0.into_iter().enumerate();
        words.flat_map(|(i, word)| word.cells().map(move |cell| 64 * i as u32 + cell))
    }

    #[inline]
    fn has(self, cell: u32) -> bool {
        self.0[(cell / 64) as usize] >> (cell % 64) & 1 != 0
    }

    #[inline]
    fn count(self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }

    #[inline]
    fn lowest(self) -> u32 {
        let word = self.0.iter().position(|&w| w != 0).expect("a set that is not empty");
        64 * word as u32 + self.0[word].trailing_zeros()
    }

    #[inline]
    fn highest(self) -> u32 {
        let word = self.0.iter().rposition(|&w| w != 0).expect("a set that is not empty");
        64 * word as u32 + 63 - self.0[word].leading_zeros()
    }

    #[inline]
    fn without_lowest(mut self) -> Self {
        if let Some(word) = self.0.iter_mut().find(|w| **w != 0) {
            *word &= *word - 1;
        }
        self
    }

    #[inline]
    fn nth(self, mut n: u32) -> u32 {
        for (i, word) in self.0.into_iter().enumerate() {
            let count = word.count_ones();
            if n < count {
                return 64 * i as u32 + nth_bit(word, n);
            }
            n -= count;
        }
        panic!("a set with more than n cells")
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        let mut carry = false;
        Wide(std::array::from_fn(|i| {
            let (sum, over) = self.0[i].overflowing_add(other.0[i]);
            let (sum, over2) = sum.overflowing_add(carry.into());
            carry = over || over2;
            sum
        }))
    }

    #[inline]
    fn low_word(self) -> u64 {
        self.0[0]
    }

    #[inline]
    fn from_word(word: u64) -> Self {
        let mut set = Self::default();
        set.0[0] = word;
        set
    }

    #[inline]
    fn minus_one(self) -> Self {
        let mut borrow = true;
        Wide(self.0.map(|word| {
            let (less, under) = word.overflowing_sub(borrow.into());
            borrow = under;
            less
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wide(value: u128) -> Wide<2> {
        Wide([value as u64, (value >> 64) as u64])
    }

    proptest! {
        #[test]
        fn wide_boards_behave_like_numbers(a: u128, b: u128, by in 0u32..128) {
            prop_assert_eq!(wide(a) & wide(b), wide(a & b));
            prop_assert_eq!(wide(a) | wide(b), wide(a | b));
            prop_assert_eq!(wide(a) ^ wide(b), wide(a ^ b));
            prop_assert_eq!(!wide(a), wide(!a));
            prop_assert_eq!(wide(a) << by, wide(a << by));
            prop_assert_eq!(wide(a) >> by, wide(a >> by));
            prop_assert_eq!(wide(a).plus(wide(b)), wide(a.wrapping_add(b)));
            prop_assert_eq!(wide(a).minus_one(), wide(a.wrapping_sub(1)));
            prop_assert_eq!(wide(a).low_word(), a.low_word());
            prop_assert_eq!(Wide::<2>::from_word(a.low_word()), wide(u128::from_word(a.low_word())));
            prop_assert_eq!(wide(a).cmp(&wide(b)), a.cmp(&b));
            prop_assert_eq!(wide(a).count(), a.count_ones());
            prop_assert!(wide(a).cells().eq(a.cells()) && one_by_one(a).eq(a.cells()));
            prop_assert_eq!(wide(a | 1).highest(), (a | 1).highest());
            prop_assert_eq!((a | 1).highest(), (a | 1).cells().last().unwrap());
            for set in [a, a & b, a | b] {
                for (n, cell) in set.cells().enumerate() {
                    prop_assert_eq!(set.nth(n as u32), cell);
                }
                for (n, cell) in (set as u64).cells().enumerate() {
                    prop_assert_eq!((set as u64).nth(n as u32), cell);
                }
            }
            prop_assert_eq!(Wide::<2>::bit(by), wide(1 << by));
        }
    }
}
