//! Playing at random to the end: the cheapest look at a game, and the speed test of its rules.

use crate::{Game, Status};

/// The provided [`Game::playout`].
pub(crate) fn playout<G: Game>(
    game: &G,
    state: &mut G::State,
    most: u32,
    moves: &mut Vec<G::Move>,
    below: &mut impl FnMut(usize) -> usize,
) -> (Option<G::Payoff>, u32) {
    for ply in 0..most {
        match game.random_move(state, moves, below) {
            Ok(mv) => game.play(state, mv),
            Err(payoff) => return (Some(payoff), ply),
        }
    }
    (game.random_move(state, moves, below).err(), most)
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
