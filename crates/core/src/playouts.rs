//! Walks through many states at once: random games and counts. A game may know a faster way than state by state.

use crate::{Budget, Game, Perft, Status, Stop};

/// Random moves, random games, lines of moves, and counts of them. All have answers already.
pub trait Playouts: Game {
    /// A legal move chosen uniformly, or how the game ended. `below(n)` draws a number from 0 to n - 1; `moves` is
    /// scratch space. Override where that is faster than listing all moves.
    fn random_move(
        &self,
        state: &Self::State,
        moves: &mut Vec<Self::Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Self::Move, Self::Payoff> {
        moves.clear();
        match self.expand(state, moves) {
            Status::Turn(_) => Ok(moves[below(moves.len())]),
            Status::Over(payoff) => Err(payoff),
        }
    }

    /// Plays uniformly random moves from `state` on until the game is over, but at most `most` of them; answers what it
    /// was worth (`None` if it did not end) and how many moves were played.
    ///
    /// `below(n)` draws a number from 0 to n - 1; `moves` is scratch space. Override where a board
    /// made for playouts is faster than states.
    fn playout(
        &self,
        mut state: Self::State,
        most: u32,
        moves: &mut Vec<Self::Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<Self::Payoff>, u32) {
        for ply in 0..most {
            match self.random_move(&state, moves, below) {
                Ok(mv) => self.play(&mut state, mv),
                Err(payoff) => return (Some(payoff), ply),
            }
        }
        (self.random_move(&state, moves, below).err(), most)
    }

    /// Plays moves one after the other. Only a wrapper has reason to override this.
    fn play_all(&self, state: &mut Self::State, moves: &[Self::Move]) {
        moves.iter().for_each(|&mv| self.play(state, mv));
    }

    /// Counts move sequences: see [`perft`](crate::perft). Only a wrapper has reason to override this.
    fn perft(&self, state: &Self::State, depth: usize, finished: bool, budget: &Budget) -> Result<Perft, Stop> {
        crate::perft(self, state, depth, finished, budget)
    }
}
