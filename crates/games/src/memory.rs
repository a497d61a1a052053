//! The positions a game has been through, for rules about repetition.
//!
//! A game takes its memory as a type: [`Forget`] where the rules do not look back (it takes no room), [`Recall`] where they
//! do. A memory holds the positions since the last move that cannot be undone (a capture, say): older ones cannot come
//! back. Keys hold the number that the game gave to this past, so they are exact: see `past.rs`.
//!
//! In texts the earlier positions follow the present one: `POSITION after OLDEST, …, NEWEST`.

use std::fmt::Debug;
use std::hash::Hash;

use perfectplay_core::TextError;

use crate::past::{Past, Pasts};

/// A position that can be remembered.
pub trait Position: Copy + Eq + Hash + Debug + Send + Sync + 'static {}

impl<P: Copy + Eq + Hash + Debug + Send + Sync + 'static> Position for P {}

/// What is remembered of earlier positions.
pub trait Memory<P: Position>: Clone + Eq + Debug + Default + Send + Sync + 'static {
    /// What a game needs to number pasts.
    type Numbers: Clone + Debug + Default + Send + Sync + 'static;
    /// The part of a key that tells pasts apart.
    type Number: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;
    /// Whether anything is remembered.
    const KEPT: bool;
    /// Remembers `position`, which is about to be left.
    fn push(&mut self, position: P);
    /// Forgets everything: the last move cannot be undone.
    fn clear(&mut self);
    /// How many positions are remembered.
    fn len(&self) -> usize;
    /// The positions remembered, newest first.
    fn positions(&self) -> impl Iterator<Item = &P>;
    /// What goes into the key.
    fn number(&self, numbers: &Self::Numbers) -> Self::Number;

    /// Whether nothing is remembered.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How often `position` was there before.
    #[inline]
    fn count(&self, position: &P) -> usize {
        self.positions().filter(|p| *p == position).count()
    }

    /// The positions remembered, oldest first.
    fn oldest_first(&self) -> Vec<P> {
        let mut positions: Vec<P> = self.positions().copied().collect();
        positions.reverse();
        positions
    }

    /// The memory with every position replaced.
    fn map(&self, f: impl Fn(&P) -> P) -> Self {
        let mut memory = Self::default();
        self.oldest_first().iter().for_each(|p| memory.push(f(p)));
        memory
    }
}

/// Nothing is remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Forget;

impl<P: Position> Memory<P> for Forget {
    type Numbers = ();
    type Number = ();
    const KEPT: bool = false;

    #[inline]
    fn push(&mut self, _: P) {}

    #[inline]
    fn clear(&mut self) {}

    #[inline]
    fn len(&self) -> usize {
        0
    }

    #[inline]
    fn positions(&self) -> impl Iterator<Item = &P> {
        std::iter::empty()
    }

    #[inline]
    fn number(&self, (): &()) {}
}

/// All positions since the last move that cannot be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recall<P: Position>(Past<P, ()>);

impl<P: Position> Default for Recall<P> {
    fn default() -> Self {
        Recall(Past::NONE)
    }
}

impl<P: Position> Memory<P> for Recall<P> {
    type Numbers = Pasts<P>;
    type Number = u32;
    const KEPT: bool = true;

    #[inline]
    fn push(&mut self, position: P) {
        self.0.push(position, ());
    }

    #[inline]
    fn clear(&mut self) {
        self.0 = Past::NONE;
    }

    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn positions(&self) -> impl Iterator<Item = &P> {
        self.0.positions()
    }

    fn number(&self, numbers: &Pasts<P>) -> u32 {
        numbers.number(&self.0)
    }
}

/// Evaluates an expression with a type that is [`Recall`] if something is to be remembered and [`Forget`] if not:
/// `with_memory!(kept, Board => M, f::<M>())`.
macro_rules! with_memory {
    ($kept:expr, $position:ty => $memory:ident, $then:expr) => {
        if $kept {
            type $memory = crate::memory::Recall<$position>;
            $then
        } else {
            type $memory = crate::memory::Forget;
            $then
        }
    };
}
pub(crate) use with_memory;

/// `now`, followed by the positions in `past`.
pub(crate) fn write<P: Position, M: Memory<P>>(now: String, past: &M, text: impl Fn(&P) -> String) -> String {
    if past.is_empty() {
        return now;
    }
    let earlier: Vec<String> = past.oldest_first().iter().map(text).collect();
    format!("{now} after {}", earlier.join(", "))
}

/// What [`write`] wrote: the present position, and the text of the earlier ones for [`read`].
pub(crate) fn split<P: Position, M: Memory<P>>(text: &str) -> Result<(&str, Option<&str>), TextError> {
    match text.split_once(" after ") {
        None => Ok((text.trim(), None)),
        Some((now, earlier)) if M::KEPT => Ok((now.trim(), Some(earlier))),
        Some((now, _)) => {
            Err(TextError::at(now.chars().count(), "with these rules a position does not depend on earlier ones"))
        }
    }
}

/// Reads the earlier positions. Each must satisfy `fits` (it can lead to the present one) and may stand there `most` times;
/// there must not be more than `plies` of them, if that is known.
pub(crate) fn read<P: Position, M: Memory<P>>(
    earlier: Option<&str>,
    parse: impl Fn(&str) -> Result<P, TextError>,
    fits: impl Fn(&P) -> bool,
    most: usize,
    plies: Option<usize>,
) -> Result<M, TextError> {
    let mut past = M::default();
    for text in earlier.into_iter().flat_map(|texts| texts.split(',')).map(str::trim) {
        let before = parse(text)?;
        if !fits(&before) || past.count(&before) >= most {
            return Err(TextError::new(format!("\"{text}\" cannot have come before this position")));
        }
        past.push(before);
    }
    match plies {
        Some(plies) if past.len() > plies => {
            Err(TextError::new(format!("there are more earlier positions than the {plies} plies they took")))
        }
        _ => Ok(past),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recall(positions: &[u64]) -> Recall<u64> {
        let mut memory = Recall::default();
        positions.iter().for_each(|&p| memory.push(p));
        memory
    }

    #[test]
    fn pasts_are_told_apart_exactly() {
        let numbers = Pasts::default();
        let pasts: [&[u64]; 7] = [&[], &[0], &[0, 0], &[1, 2], &[2, 1], &[1 << 32], &[1]];
        for (i, a) in pasts.iter().enumerate() {
            for (j, b) in pasts.iter().enumerate() {
                assert_eq!(i == j, recall(a).number(&numbers) == recall(b).number(&numbers), "{a:?} {b:?}");
            }
        }
        assert_eq!(recall(&[1, 2, 1]).count(&1), 2);
        assert_eq!(recall(&[1, 2]).map(|p| p + 1), recall(&[2, 3]));
        Memory::<u64>::number(&Forget, &());
    }

    #[test]
    fn the_past_is_written_after_the_present() {
        let parse = |text: &str| text.parse::<u64>().map_err(|_| TextError::new("a number"));
        let text = write("3".into(), &recall(&[1, 2]), u64::to_string);
        assert_eq!(text, "3 after 1, 2");
        let (now, earlier) = split::<u64, Recall<u64>>(&text).unwrap();
        assert_eq!((now, read(earlier, parse, |_| true, 1, Some(2))), ("3", Ok(recall(&[1, 2]))));
        assert!(read::<u64, Recall<u64>>(earlier, parse, |_| true, 1, Some(1)).is_err());
        assert!(read::<u64, Recall<u64>>(earlier, parse, |&p| p == 1, 1, None).is_err());
        assert!(read::<u64, Recall<u64>>(Some("1, 1"), parse, |_| true, 1, None).is_err());
        assert!(read::<u64, Recall<u64>>(Some("1, x"), parse, |_| true, 1, None).is_err());
        assert!(split::<u64, Forget>(&text).is_err());
        assert_eq!(split::<u64, Forget>("3"), Ok(("3", None)));
    }
}
