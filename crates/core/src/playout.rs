//! Playing at random to the end: the cheapest look at a game, and the speed test of its rules.

use crate::{Game, Status};

/// Plays uniformly random moves until the game is over; answers what it was worth and how many moves it took.
///
/// `below(n)` draws a number from 0 to n - 1. `state` is left in the final state; `moves` is scratch space.
///
/// Games without a bound on their length may go on for very long.
pub fn playout<G: Game>(
    game: &G,
    state: &mut G::State,
    moves: &mut Vec<G::Move>,
    below: &mut impl FnMut(usize) -> usize,
) -> (G::Payoff, u32) {
    let mut plies = 0;
    loop {
        match game.random_move(state, moves, below) {
            Ok(mv) => game.play(state, mv),
            Err(payoff) => return (payoff, plies),
        }
        plies += 1;
    }
}

/// The provided [`Game::random_move`].
pub(crate) fn random_move<G: Game>(
    game: &G,
    state: &G::State,
    moves: &mut Vec<G::Move>,
    below: &mut impl FnMut(usize) -> usize,
) -> Result<G::Move, G::Payoff> {
    moves.clear();
    match game.expand(state, moves) {
        Status::Turn(_) => Ok(moves[below(moves.len())]),
        Status::Over(payoff) => Err(payoff),
    }
}
