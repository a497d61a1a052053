//! Who moves.

use std::fmt;

/// A seat at the board, counted from 0 inside and from 1 in all texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Player(u8);

impl Player {
    /// The player who moves first in most games.
    pub const FIRST: Player = Player(0);
    /// The other player of a two-player game.
    pub const SECOND: Player = Player(1);

    /// The player with this zero-based index.
    pub const fn new(index: usize) -> Self {
        debug_assert!(index < 256);
        Player(index as u8)
    }

    /// The zero-based index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The other one of two players.
    pub const fn opponent(self) -> Self {
        Player(1 - self.0)
    }

    /// The next seat in cyclic order among `players`.
    pub const fn next(self, players: usize) -> Self {
        let next = self.0 + 1;
        Player(if next as usize == players { 0 } else { next })
    }

    /// All players of a game for `players`.
    pub fn all(players: usize) -> impl DoubleEndedIterator<Item = Player> + Clone {
        (0..players).map(Player::new)
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "player {}", self.0 + 1)
    }
}
