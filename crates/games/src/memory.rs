//! The positions a game has been through, for rules about repetition.
//!
//! A game takes its memory as a type: [`Forget`] where the rules do not look back (it takes no room and keys stay exact),
//! [`Recall`] where they do. A memory holds the positions since the last move that cannot be undone (a capture, say): older
//! ones cannot come back.
//!
//! A key must be small, so a `Recall` goes into it as a [`Fingerprint`]: the sequence of earlier positions read as the
//! coefficients of a polynomial, evaluated modulo 2⁶¹-1 at four points. Two different sequences of up to n words agree at a
//! random point with probability at most n / 2⁶¹, at all four with at most (n / 2⁶¹)⁴: for a thousand words that is below
//! 2⁻²⁰⁰ for each pair of states. The position itself is in the key as it is.
//!
//! In texts the earlier positions follow the present one: `POSITION after OLDEST, …, NEWEST`.

use std::fmt::Debug;
use std::hash::Hash;

use perfectplay_core::TextError;

/// A position as numbers.
pub trait Words: Copy + Eq + Debug + Send + Sync + 'static {
    /// Calls `put` with numbers that tell this position from all others, always as many.
    fn words(&self, put: &mut impl FnMut(u64));
}

/// What is remembered of earlier positions.
pub trait Memory<P: Words>: Clone + Eq + Debug + Default + Send + Sync + 'static {
    /// The part of a key that tells pasts apart.
    type Print: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;
    /// Whether anything is remembered.
    const KEPT: bool;
    /// Remembers `position`, which is about to be left.
    fn push(&mut self, position: P);
    /// Forgets everything: the last move cannot be undone.
    fn clear(&mut self);
    /// The positions remembered, oldest first.
    fn positions(&self) -> &[P];
    /// What goes into the key.
    fn print(&self) -> Self::Print;

    /// How often `position` was there before.
    fn count(&self, position: &P) -> usize {
        self.positions().iter().filter(|p| *p == position).count()
    }

    /// The memory with every position replaced.
    fn map(&self, f: impl Fn(&P) -> P) -> Self {
        let mut memory = Self::default();
        self.positions().iter().for_each(|p| memory.push(f(p)));
        memory
    }
}

/// Nothing is remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Forget;

impl<P: Words> Memory<P> for Forget {
    type Print = ();
    const KEPT: bool = false;

    #[inline]
    fn push(&mut self, _: P) {}

    #[inline]
    fn clear(&mut self) {}

    #[inline]
    fn positions(&self) -> &[P] {
        &[]
    }

    #[inline]
    fn print(&self) {}
}

/// All positions since the last move that cannot be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recall<P>(Vec<P>);

impl<P> Default for Recall<P> {
    fn default() -> Self {
        Recall(Vec::new())
    }
}

impl<P: Words> Memory<P> for Recall<P> {
    type Print = Fingerprint;
    const KEPT: bool = true;

    fn push(&mut self, position: P) {
        self.0.push(position);
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn positions(&self) -> &[P] {
        &self.0
    }

    fn print(&self) -> Fingerprint {
        let mut print = Fingerprint([1; 4]);
        for position in &self.0 {
            position.words(&mut |word| print.put(word));
        }
        print
    }
}

/// A sequence of numbers, nearly certainly told from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u64; 4]);

/// The points of evaluation, drawn at random once; the modulus is a prime.
const POINTS: [u64; 4] = [0x0d1b_2c3f_94a6_57e1, 0x13c9_77b0_6ed2_8a45, 0x0a84_f15d_33e9_c067, 0x1e60_b8a7_51f4_2d93];
const MODULUS: u64 = (1 << 61) - 1;

impl Fingerprint {
    fn put(&mut self, word: u64) {
        for half in [word >> 32, word & 0xffff_ffff] {
            for (value, point) in self.0.iter_mut().zip(POINTS) {
                *value = (times(*value, point) + half) % MODULUS;
            }
        }
    }
}

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(MODULUS)) as u64
}

/// `position`, followed by the earlier ones.
pub(crate) fn write(position: String, earlier: impl Iterator<Item = String>) -> String {
    let earlier: Vec<String> = earlier.collect();
    if earlier.is_empty() { position } else { format!("{position} after {}", earlier.join(", ")) }
}

/// What [`write`] wrote: the position and the earlier ones.
pub(crate) fn split<P: Words, M: Memory<P>>(text: &str) -> Result<(&str, Vec<&str>), TextError> {
    match text.split_once(" after ") {
        None => Ok((text.trim(), Vec::new())),
        Some((position, earlier)) if M::KEPT => Ok((position.trim(), earlier.split(',').map(str::trim).collect())),
        Some((position, _)) => {
            Err(TextError::at(position.chars().count(), "with these rules a position does not depend on earlier ones"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Words for u64 {
        fn words(&self, put: &mut impl FnMut(u64)) {
            put(*self);
        }
    }

    fn recall(positions: &[u64]) -> Recall<u64> {
        let mut memory = Recall::default();
        positions.iter().for_each(|&p| memory.push(p));
        memory
    }

    #[test]
    fn fingerprints_tell_sequences_apart() {
        let pasts: [&[u64]; 7] = [&[], &[0], &[0, 0], &[1], &[1, 2], &[2, 1], &[1 << 32]];
        for (i, a) in pasts.iter().enumerate() {
            for (j, b) in pasts.iter().enumerate() {
                assert_eq!(recall(a).print() == recall(b).print(), i == j, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn texts_carry_the_past() {
        let text = write("c".into(), ["a".to_owned(), "b".to_owned()].into_iter());
        assert_eq!(text, "c after a, b");
        assert_eq!(split::<u64, Recall<u64>>(&text), Ok(("c", vec!["a", "b"])));
        assert!(split::<u64, Forget>(&text).is_err());
        assert_eq!(split::<u64, Forget>("c"), Ok(("c", vec![])));
    }
}
