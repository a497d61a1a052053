//! From a game whose type is known only at run time to generic code.

use crate::{FullGame, Scores, UpToSix, ZeroSum};

/// Receives a game together with its type.
///
/// The first method lets the receiver treat zero-sum games, for which more algorithms exist, apart from the rest.
pub trait Visitor {
    /// What it makes of the game.
    type Output;
    /// A two-player zero-sum game.
    fn zero_sum<G: FullGame<Payoff = ZeroSum>>(self, game: G) -> Self::Output;
    /// Any other game.
    fn scores<const N: usize, G: FullGame<Payoff = Scores<N>>>(self, game: G) -> Self::Output;
    /// The same, of a type that is compiled once for all numbers of players.
    fn up_to_six<G: FullGame<Payoff = UpToSix>>(self, game: G) -> Self::Output;
}
