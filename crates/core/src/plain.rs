//! Values as bytes, for files that another run of the program reads: always as many bytes, least significant first.

use crate::{Gain, Player, Scores, ZeroSum};

/// A value that is written as so many bytes, the same on every machine.
pub trait Plain: Copy {
    /// How many bytes it takes.
    const SIZE: usize;
    /// Appends them.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads the first [`Plain::SIZE`] of `bytes`; `None` if they are not a value.
    fn take(bytes: &[u8]) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Plain for $number {
            const SIZE: usize = size_of::<$number>();

            #[inline]
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn take(bytes: &[u8]) -> Option<Self> {
                bytes.first_chunk().map(|&bytes| Self::from_le_bytes(bytes))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, u128, i32, i64, f32, f64);

impl Plain for bool {
    const SIZE: usize = 1;

    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn take(bytes: &[u8]) -> Option<Self> {
        bytes.first().filter(|&&b| b < 2).map(|&b| b == 1)
    }
}

impl<A: Plain, B: Plain> Plain for (A, B) {
    const SIZE: usize = A::SIZE + B::SIZE;

    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(bytes: &[u8]) -> Option<Self> {
        Some((A::take(bytes)?, B::take(bytes.get(A::SIZE..)?)?))
    }
}

impl<T: Plain, const N: usize> Plain for [T; N] {
    const SIZE: usize = N * T::SIZE;

    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|item| item.put(out));
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let mut items = [T::take(bytes)?; N];
        for (i, item) in items.iter_mut().enumerate().skip(1) {
            *item = T::take(bytes.get(i * T::SIZE..)?)?;
        }
        Some(items)
    }
}

impl Plain for Player {
    const SIZE: usize = 1;

    fn put(&self, out: &mut Vec<u8>) {
        out.push(self.index() as u8);
    }

    fn take(bytes: &[u8]) -> Option<Self> {
        bytes.first().map(|&b| Player::new(b.into()))
    }
}

impl Plain for Gain {
    const SIZE: usize = 1;

    fn put(&self, out: &mut Vec<u8>) {
        out.push((self.value() + 1) as u8);
    }

    fn take(bytes: &[u8]) -> Option<Self> {
        [Gain::Loss, Gain::Draw, Gain::Win].get(usize::from(*bytes.first()?)).copied()
    }
}

impl Plain for ZeroSum {
    const SIZE: usize = 4;

    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(bytes: &[u8]) -> Option<Self> {
        i32::take(bytes).map(ZeroSum)
    }
}

impl<const N: usize> Plain for Scores<N> {
    const SIZE: usize = 5 * N;

    fn put(&self, out: &mut Vec<u8>) {
        self.gains.put(out);
        self.scores.put(out);
    }

    fn take(bytes: &[u8]) -> Option<Self> {
        Some(Scores { gains: Plain::take(bytes)?, scores: Plain::take(bytes.get(N..)?)? })
    }
}

/// How values of type `T` are written: what [`Plain`] says, as a value that a game can hand out.
#[derive(Debug)]
pub struct Form<T> {
    /// How many bytes each takes.
    pub size: usize,
    /// Appends them.
    pub put: fn(&T, &mut Vec<u8>),
    /// Reads the first `size` bytes; `None` if they are not a value.
    pub take: fn(&[u8]) -> Option<T>,
}

// By hand: deriving would ask for `T: Copy`.
impl<T> Clone for Form<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Form<T> {}

impl<T: Plain> Form<T> {
    /// As the type says.
    pub const fn plain() -> Self {
        Form { size: T::SIZE, put: T::put, take: T::take }
    }
}

/// How a game's keys and moves are written.
#[derive(Debug)]
pub struct Codec<K, M> {
    /// Keys.
    pub key: Form<K>,
    /// Moves.
    pub mv: Form<M>,
}

impl<K, M> Clone for Codec<K, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, M> Copy for Codec<K, M> {}

impl<K: Plain, M: Plain> Codec<K, M> {
    /// As the types say.
    pub const fn plain() -> Self {
        Codec { key: Form::plain(), mv: Form::plain() }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;
    use crate::Payoff;

    fn goes_and_comes_back<T: Plain + PartialEq + Debug>(value: T) {
        let mut bytes = Vec::new();
        value.put(&mut bytes);
        assert_eq!(bytes.len(), T::SIZE, "{value:?}");
        assert_eq!(T::take(&bytes), Some(value));
        assert_eq!(T::take(&bytes[..T::SIZE - 1]), None, "{value:?} needs all its bytes");
    }

    #[test]
    fn what_is_written_is_read_again() {
        goes_and_comes_back(-7i64);
        goes_and_comes_back((3u8, [1u64, u64::MAX]));
        goes_and_comes_back([1.5f32, -0.0, f32::MAX]);
        goes_and_comes_back(Player::SECOND);
        goes_and_comes_back(ZeroSum(-12));
        goes_and_comes_back(Scores::<3>::from_scores(&[1, -4, 9]));
        goes_and_comes_back(true);
        assert_eq!((bool::take(&[2]), Gain::take(&[3])), (None, None));
    }
}
