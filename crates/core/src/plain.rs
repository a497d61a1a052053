//! Values as bytes, always as many, least significant first: for files that another run of the program reads, and for
//! states whose type is not known where they are kept.

use crate::{Gain, Player, Scores, UpToSix, ZeroSum};

/// A value that is written as so many bytes, the same on every machine.
pub trait Plain: Copy + 'static {
    /// How many bytes it takes.
    const SIZE: usize;
    /// Writes them to the first [`Plain::SIZE`] of `out`.
    fn put(&self, out: &mut [u8]);
    /// Reads the first [`Plain::SIZE`] of `bytes`; `None` if they are not a value.
    fn take(bytes: &[u8]) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Plain for $number {
            const SIZE: usize = size_of::<$number>();

            #[inline]
            fn put(&self, out: &mut [u8]) {
                out[..Self::SIZE].copy_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn take(bytes: &[u8]) -> Option<Self> {
                bytes.first_chunk().map(|&bytes| Self::from_le_bytes(bytes))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, u128, i8, i16, i32, i64, f32, f64);

impl Plain for () {
    const SIZE: usize = 0;

    #[inline]
    fn put(&self, _: &mut [u8]) {}

    fn take(_: &[u8]) -> Option<Self> {
        Some(())
    }
}

impl Plain for bool {
    const SIZE: usize = 1;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        out[0] = u8::from(*self);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        bytes.first().filter(|&&b| b < 2).map(|&b| b == 1)
    }
}

impl<A: Plain, B: Plain> Plain for (A, B) {
    const SIZE: usize = A::SIZE + B::SIZE;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.0.put(out);
        self.1.put(&mut out[A::SIZE..]);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        Some((A::take(bytes)?, B::take(bytes.get(A::SIZE..)?)?))
    }
}

impl<A: Plain, B: Plain, C: Plain> Plain for (A, B, C) {
    const SIZE: usize = A::SIZE + B::SIZE + C::SIZE;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        ((self.0, self.1), self.2).put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        <((A, B), C)>::take(bytes).map(|((a, b), c)| (a, b, c))
    }
}

/// A flag and the value; of nothing all bytes are zero.
impl<T: Plain> Plain for Option<T> {
    const SIZE: usize = 1 + T::SIZE;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        out[0] = u8::from(self.is_some());
        match self {
            Some(value) => value.put(&mut out[1..]),
            None => out[1..Self::SIZE].fill(0),
        }
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        match bool::take(bytes)? {
            true => Some(Some(T::take(bytes.get(1..)?)?)),
            false => Some(None),
        }
    }
}

/// Makes a struct [`Plain`]: its fields, one after the other.
///
/// ```
/// use perfectplay_core::{Plain, plain_struct};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Cell<B> {
///     bits: B,
///     marked: bool,
/// }
/// plain_struct!(impl[B: Plain] Cell<B> { bits: B, marked: bool });
///
/// let mut bytes = [0; 5];
/// Cell { bits: 7u32, marked: true }.put(&mut bytes);
/// assert_eq!(bytes, [7, 0, 0, 0, 1]);
/// assert_eq!(Cell::take(&bytes), Some(Cell { bits: 7u32, marked: true }));
/// ```
#[macro_export]
macro_rules! plain_struct {
    (impl[$($generics:tt)*] $type:ty { $($field:ident: $kind:ty),* $(,)? }) => {
        impl<$($generics)*> $crate::Plain for $type {
            const SIZE: usize = 0 $(+ <$kind as $crate::Plain>::SIZE)*;

            #[inline]
            fn put(&self, out: &mut [u8]) {
                let at = 0;
                $(
                    $crate::Plain::put(&self.$field, &mut out[at..]);
                    let at = at + <$kind as $crate::Plain>::SIZE;
                )*
                let _ = at;
            }

            #[inline]
            fn take(bytes: &[u8]) -> Option<Self> {
                let at = 0;
                $(
                    let $field: $kind = $crate::Plain::take(bytes.get(at..)?)?;
                    let at = at + <$kind as $crate::Plain>::SIZE;
                )*
                let _ = at;
                Some(Self { $($field),* })
            }
        }
    };
}

impl<T: Plain, const N: usize> Plain for [T; N] {
    const SIZE: usize = N * T::SIZE;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        for (i, item) in self.iter().enumerate() {
            item.put(&mut out[i * T::SIZE..]);
        }
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

    #[inline]
    fn put(&self, out: &mut [u8]) {
        out[0] = self.index() as u8;
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        bytes.first().map(|&b| Player::new(b.into()))
    }
}

impl Plain for Gain {
    const SIZE: usize = 1;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        out[0] = (self.value() + 1) as u8;
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        [Gain::Loss, Gain::Draw, Gain::Win].get(usize::from(*bytes.first()?)).copied()
    }
}

impl Plain for ZeroSum {
    const SIZE: usize = 4;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.0.put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        i32::take(bytes).map(ZeroSum)
    }
}

impl Plain for UpToSix {
    const SIZE: usize = 1 + Scores::<6>::SIZE;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        let (players, scores) = self.parts();
        out[0] = players;
        scores.put(&mut out[1..]);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let players = bytes.first().copied().filter(|players| (2..=6).contains(players))?;
        Some(UpToSix::new(players, Plain::take(&bytes[1..])?))
    }
}

impl<const N: usize> Plain for Scores<N> {
    const SIZE: usize = 5 * N;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.gains.put(out);
        self.scores.put(&mut out[N..]);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        Some(Scores { gains: Plain::take(bytes)?, scores: Plain::take(bytes.get(N..)?)? })
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;
    use crate::Payoff;

    fn goes_and_comes_back<T: Plain + PartialEq + Debug>(value: T) {
        let mut bytes = vec![0xff; T::SIZE];
        value.put(&mut bytes);
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
        goes_and_comes_back(UpToSix::from_scores(&[1, -4, 9, 2]));
        goes_and_comes_back(true);
        goes_and_comes_back((Some(3u16), None::<u32>, 1u8));
        assert_eq!((bool::take(&[2]), Gain::take(&[3])), (None, None));
    }
}
