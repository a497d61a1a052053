//! What a game can tell a solver. All may stay as it is: it changes the speed, never a value.

use crate::{Game, Status};

/// A move, where it leads, and what is proved about that state at first sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor<S, M> {
    /// The move.
    pub mv: M,
    /// The state after it.
    pub state: S,
    /// The first player's score there is at least this.
    pub lower: i32,
    /// The first player's score there is at most this.
    pub upper: i32,
}

/// Bounds on scores, successors in the order a solver likes, and numbers for states.
pub trait SolverHints: Game {
    /// Bounds on the first player's score under best play, proved by looking at this state alone.
    ///
    /// Law: the true score lies within them, in finished states as well. A solver that gets `lower == upper` looks no
    /// further.
    fn score_bounds(&self, _state: &Self::State) -> (i32, i32) {
        (i32::MIN, i32::MAX)
    }

    /// The moves that a solver must look at, the most promising first, with the states they lead to; or how the game
    /// ended.
    ///
    /// Like [`Game::expand`], but it may leave out a move if another one that it lists, or the bound for the mover that
    /// [`SolverHints::score_bounds`] proves, is at least as good. Solvers ask only where those bounds leave something
    /// open.
    /// Override it where bounds and order of all successors are cheaper to find together. `moves` is scratch space.
    fn solver_successors(
        &self,
        state: &Self::State,
        moves: &mut Vec<Self::Move>,
        successors: &mut Vec<Successor<Self::State, Self::Move>>,
    ) -> Status<Self::Payoff> {
        moves.clear();
        let status = self.expand(state, moves);
        successors.extend(moves.iter().map(|&mv| {
            let state = self.after(state, mv);
            let (lower, upper) = self.score_bounds(&state);
            Successor { mv, state, lower, upper }
        }));
        status
    }

    /// How many bits [`SolverHints::exact_index`] takes; 0 if states have no such number.
    fn exact_index_bits(&self) -> u32 {
        0
    }

    /// A number below 2^[`SolverHints::exact_index_bits`] that this state shares with its images under symmetry at
    /// most.
    ///
    /// Tables that may not confuse states and have no room for whole keys rest on it.
    fn exact_index(&self, _state: &Self::State) -> u64 {
        0
    }
}
