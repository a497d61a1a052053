//! What a state remembers of the game so far, where the rules ask for it: repetitions, superko.
//!
//! A [`Past`] is a list of positions, newest first, whose tails are shared between states, so a state with a long past is
//! still cheap to copy. Every entry also holds the move that left the position: a game can write its states as an early
//! position and the moves since then.
//!
//! [`Game::key`](perfectplay_core::Game::key) must tell different pasts apart *exactly*, and a key has a fixed size. So a
//! game numbers the pasts it is asked about ([`Pasts`]): equal numbers, equal pasts. The price is memory, one entry of a
//! table per past that was asked for, and for states with a past a lock. States without one pay nothing.

use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::hash::Hash;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Earlier positions and the moves that left them.
pub(crate) struct Past<P, M>(Option<Arc<Link<P, M>>>);

struct Link<P, M> {
    position: P,
    mv: M,
    length: u32,
    /// The game's id and its number for this past, once it was asked for.
    number: AtomicU64,
    before: Past<P, M>,
}

impl<P: Copy + Eq, M: Copy> Past<P, M> {
    /// No past.
    pub(crate) const NONE: Self = Past(None);

    /// How many positions it holds.
    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |link| link.length as usize)
    }

    /// Adds a position and the move that leaves it.
    pub(crate) fn push(&mut self, position: P, mv: M) {
        let before = Past(self.0.take());
        let length = before.len() as u32 + 1;
        self.0 = Some(Arc::new(Link { position, mv, length, number: AtomicU64::new(0), before }));
    }

    fn links(&self) -> impl Iterator<Item = &Link<P, M>> {
        std::iter::successors(self.0.as_deref(), |link| link.before.0.as_deref())
    }

    /// The positions, newest first.
    pub(crate) fn positions(&self) -> impl Iterator<Item = &P> {
        self.links().map(|link| &link.position)
    }

    /// All positions with the moves that left them, oldest first.
    pub(crate) fn oldest_first(&self) -> Vec<(P, M)> {
        let mut all: Vec<(P, M)> = self.links().map(|link| (link.position, link.mv)).collect();
        all.reverse();
        all
    }
}

impl<P, M> Clone for Past<P, M> {
    #[inline]
    fn clone(&self) -> Self {
        Past(self.0.clone())
    }
}

impl<P: Copy + Eq, M: Copy> PartialEq for Past<P, M> {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        for (a, b) in self.links().zip(other.links()) {
            if std::ptr::eq(a, b) {
                return true;
            }
            if a.position != b.position {
                return false;
            }
        }
        true
    }
}

impl<P: Copy + Eq, M: Copy> Eq for Past<P, M> {}

impl<P: Debug + Copy + Eq, M: Copy> Debug for Past<P, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.positions()).finish()
    }
}

/// One after the other: a long list must not be dropped by recursion.
impl<P, M> Drop for Past<P, M> {
    #[inline]
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut link) = next.and_then(Arc::into_inner) {
            next = link.before.0.take();
        }
    }
}

/// The numbers a game has given to pasts. Clones share them.
#[derive(Clone, Debug)]
pub struct Pasts<P> {
    game: u32,
    numbers: Arc<Mutex<HashMap<(u32, P), u32>>>,
}

impl<P> Default for Pasts<P> {
    fn default() -> Self {
        static GAMES: AtomicU32 = AtomicU32::new(1);
        Pasts { game: GAMES.fetch_add(1, Ordering::Relaxed), numbers: Arc::default() }
    }
}

impl<P: Copy + Eq + Hash> Pasts<P> {
    /// The number of a past: 0 for none, and otherwise another one for every sequence of positions.
    pub(crate) fn number<M: Copy>(&self, past: &Past<P, M>) -> u32 {
        let known = |link: &Link<P, M>| {
            let cached = link.number.load(Ordering::Relaxed);
            (cached >> 32 == u64::from(self.game)).then_some(cached as u32)
        };
        let mut number = 0;
        let mut new = Vec::new();
        for link in past.links() {
            if let Some(known) = known(link) {
                number = known;
                break;
            }
            new.push(link);
        }
        if !new.is_empty() {
            let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
            for link in new.into_iter().rev() {
                let next = numbers.len() as u32 + 1;
                number = *numbers.entry((number, link.position)).or_insert(next);
                link.number.store(u64::from(self.game) << 32 | u64::from(number), Ordering::Relaxed);
            }
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(positions: &[u8]) -> Past<u8, ()> {
        let mut past = Past::NONE;
        positions.iter().for_each(|&p| past.push(p, ()));
        past
    }

    #[test]
    fn pasts_are_equal_iff_their_numbers_are() {
        let (game, other) = (Pasts::default(), Pasts::default());
        let all = [past(&[]), past(&[1]), past(&[2]), past(&[1, 2]), past(&[2, 1]), past(&[1, 2, 1]), past(&[1, 2])];
        for (i, a) in all.iter().enumerate() {
            other.number(&all[all.len() - 1 - i]); // another game's numbers do not matter
            for b in &all {
                assert_eq!(a == b, game.number(a) == game.number(b), "{a:?} {b:?}");
            }
        }
        assert_eq!(game.number(&past(&[])), 0);
    }

    #[test]
    fn a_very_long_past_is_dropped() {
        let mut long = past(&[]);
        (0..1_000_000).for_each(|_| long.push(7, ()));
        assert_eq!(long.len(), 1_000_000);
        assert_eq!(long.clone().positions().count(), 1_000_000);
    }
}
