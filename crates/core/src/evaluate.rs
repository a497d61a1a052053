//! Guessing the worth of unfinished states.

use crate::{Game, Payoff};

/// The kind of guess a game's payoff asks for.
pub type EstimateOf<G> = <<G as Game>::Payoff as Payoff>::Estimate;

/// An evaluation function f_θ: guesses at unfinished states, many at a time.
pub trait Evaluator<G: Game>: Send {
    /// Pushes one guess per state onto `out`. No state is finished. The same state always gets the same guess.
    fn evaluate(&mut self, game: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>);
}
