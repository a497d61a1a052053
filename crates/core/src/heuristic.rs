//! Guesses that the game's author wrote by hand.

use crate::{Estimate, EstimateOf, Game, Player};

/// A hand-written guess at the worth of a state, on the scale of the gain (-1 … 1) for every player. Provided: zero.
///
/// Only asked of unfinished states, and only if [`crate::Facts::heuristic`] says that there is one.
pub trait Heuristic: Game {
    /// The guess.
    fn heuristic(&self, _state: &Self::State) -> EstimateOf<Self> {
        Estimate::from_fn(|_| 0.0)
    }

    /// The part of `player` in [`Heuristic::heuristic`]. Searches for many players ask for a part only when they
    /// compare it:
    /// override it where a part costs less than the whole.
    ///
    /// Law: equal to the part of the whole guess.
    fn heuristic_of(&self, state: &Self::State, player: Player) -> f32 {
        self.heuristic(state).of(player)
    }

    /// Pushes the guesses at many states. Override where many at once cost less than one by one.
    fn heuristics(&self, states: &[Self::State], out: &mut Vec<EstimateOf<Self>>) {
        out.extend(states.iter().map(|state| self.heuristic(state)));
    }
}
