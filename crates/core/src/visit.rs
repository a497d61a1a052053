//! From a game whose type is known only at run time to generic code.

use crate::{FullGame, Scores, ZeroSum};

/// Receives a game together with its type.
///
/// The two methods let the receiver treat zero-sum games, for which more algorithms exist, apart from the rest.
pub trait Visitor {
    /// What it makes of the game.
    type Output;
    /// A two-player zero-sum game.
    fn zero_sum<G: FullGame<Payoff = ZeroSum>>(self, game: G) -> Self::Output;
    /// Any other game.
    fn scores<const N: usize, G: FullGame<Payoff = Scores<N>>>(self, game: G) -> Self::Output;
}
