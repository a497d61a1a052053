//! Plain data of any type in a fixed number of words.

use std::fmt;
use std::hash::{Hash, Hasher};

use perfectplay_core::Plain;

/// The bytes of a [`Plain`] value, filled up with zeros: equal words, equal values.
#[derive(Clone, Copy, Eq, PartialOrd, Ord)]
pub struct Words<const N: usize>([u64; N]);

impl<const N: usize> Words<N> {
    /// How many bytes fit.
    pub const BYTES: usize = 8 * N;

    /// Packs a value of at most [`Words::BYTES`] bytes.
    #[inline]
    pub fn pack<T: Plain>(value: &T) -> Self {
        let mut bytes = [[0u8; 8]; N];
        value.put(&mut bytes.as_flattened_mut()[..T::SIZE]);
        Words(bytes.map(u64::from_le_bytes))
    }

    /// The value that was packed.
    ///
    /// # Panics
    /// If no such value was packed.
    #[inline]
    pub fn unpack<T: Plain>(&self) -> T {
        let bytes = self.0.map(u64::to_le_bytes);
        T::take(&bytes.as_flattened()[..T::SIZE]).expect("what was packed is a value")
    }

    /// The same bytes in more words, or in fewer if nothing is lost.
    #[inline]
    pub fn resized<const T: usize>(&self) -> Words<T> {
        Words(std::array::from_fn(|i| self.0.get(i).copied().unwrap_or(0)))
    }
}

/// By hand: what is derived calls a function of the system for keys of more than four words.
impl<const N: usize> PartialEq for Words<N> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
    }
}

/// Word by word, without the zeros that fill it up: a key of one word hashes as that word does.
impl<const N: usize> Hash for Words<N> {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let used = self.0.iter().rposition(|&word| word != 0).map_or(1, |last| last + 1);
        self.0[..used].iter().for_each(|&word| hasher.write_u64(word));
    }
}

impl<const N: usize> fmt::Debug for Words<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|word| write!(f, "{word:016x}"))
    }
}

impl<const N: usize> Plain for Words<N> {
    const SIZE: usize = Self::BYTES;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.0.put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        Plain::take(bytes).map(Words)
    }
}

/// The bytes of a move, filled up with zeros. Aligned to four bytes, so that it wastes nothing beside numbers of 32
/// bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedMove<const N: usize>([u32; N]);

impl<const N: usize> PackedMove<N> {
    /// How many bytes fit.
    pub const BYTES: usize = 4 * N;

    /// Packs a move of at most [`PackedMove::BYTES`] bytes.
    #[inline]
    pub fn pack<M: Plain>(mv: M) -> Self {
        let mut bytes = [[0u8; 4]; N];
        mv.put(&mut bytes.as_flattened_mut()[..M::SIZE]);
        PackedMove(bytes.map(u32::from_le_bytes))
    }

    /// The move that was packed.
    ///
    /// # Panics
    /// If no such move was packed.
    #[inline]
    pub fn unpack<M: Plain>(self) -> M {
        let bytes = self.0.map(u32::to_le_bytes);
        M::take(&bytes.as_flattened()[..M::SIZE]).expect("what was packed is a move")
    }

    /// The same bytes in more words, or in fewer if nothing is lost.
    #[inline]
    pub(crate) fn resized<const T: usize>(self) -> PackedMove<T> {
        PackedMove(std::array::from_fn(|i| self.0.get(i).copied().unwrap_or(0)))
    }
}

impl<const N: usize> Plain for PackedMove<N> {
    const SIZE: usize = Self::BYTES;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.0.put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        Plain::take(bytes).map(PackedMove)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        let value = (7u8, [1u64, u64::MAX], Some(3u16));
        assert_eq!(Words::<3>::pack(&value).unpack::<(u8, [u64; 2], Option<u16>)>(), value);
        let mv = (9u8, 0xdead_beefu32, 700u16);
        assert_eq!(PackedMove::<2>::pack(mv).unpack::<(u8, u32, u16)>(), mv);
        let mut bytes = [0; 16];
        Words::<2>::pack(&5u8).put(&mut bytes);
        assert_eq!(Words::<2>::take(&bytes), Some(Words([5, 0])));
    }
}
