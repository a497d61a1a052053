//! Guessing the worth of unfinished states.

use crate::{Game, Payoff};

/// The kind of guess a game's payoff asks for.
pub type EstimateOf<G> = <<G as Game>::Payoff as Payoff>::Estimate;

/// An evaluation function f_θ: guesses at unfinished states, many at a time.
pub trait Evaluator<G: Game>: Send {
    /// Pushes one guess per state onto `out`. No state is finished. The same state always gets the same guess.
    fn evaluate(&mut self, game: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>);

    /// Another one that gives the same guesses, for another thread; `None` if there can be only one, which threads then
    /// use in turns.
    fn fork(&self) -> Option<Box<dyn Evaluator<G>>> {
        None
    }

    /// How many states it likes to be asked about at a time, at least: more than 1 if one call takes long and little
    /// longer for many states. A search then collects them.
    fn batch(&self) -> usize {
        1
    }
}
