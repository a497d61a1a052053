//! Alpha-beta written for one side only (Červeňan 2025, Algorithm B.3): the mover's value is the greatest of the
//! negated values of its successors.
//!
//! Values and window are the mover's here, and change sign from ply to ply; the contract is that of
//! [`crate::alpha_beta::textbook::plain_alpha_beta`]. That needs turns that strictly alternate. A game with double
//! moves or passes is refused; [`crate::alpha_beta::textbook::plain_alpha_beta`] takes it.

use std::sync::Arc;

use perfectplay_core::{FullGame, OptionSet, Params, Player, Status, ZeroSum};

use super::A_TEXTBOOK_VERSION;
use crate::alpha_beta::scale::INFINITE;
use crate::alpha_beta::textbook::fixed_depth::{self, FixedDepthOptions, Method, Walk};
use crate::alpha_beta::textbook::plain_alpha_beta;
use crate::support::pausable_threads::Interrupted;
use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "negamax",
    summary: "alpha-beta written for one side, for games with strictly alternating turns",
    players: "2",
    exact: true,
    threads: Threads::One(A_TEXTBOOK_VERSION),
    options: FixedDepthOptions::docs,
};

/// For two opposed players; refuses games in which turns do not strictly alternate.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    if !game.facts().alternating {
        return Err(Refusal::Other(format!(
            "{} needs turns that strictly alternate, and in this game they do not; {} takes it",
            INFO.name,
            plain_alpha_beta::INFO.name
        )));
    }
    fixed_depth::open(INFO.name, &INFO.read(params)?, game, root, setup, Negamax)
}

pub(crate) struct Negamax;

impl<G: FullGame<Payoff = ZeroSum>> Method<G> for Negamax {
    fn value(
        &mut self,
        walk: &mut Walk<'_, G>,
        state: &G::State,
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> Result<i32, Interrupted> {
        let color = match walk.game.status(state) {
            Status::Turn(Player::FIRST) => 1,
            _ => -1,
        };
        let (a, b) = if color == 1 { (alpha, beta) } else { (-beta, -alpha) };
        Ok(color * negamax(walk, state, depth, a, b, color)?)
    }
}

fn negamax<G: FullGame<Payoff = ZeroSum>>(
    walk: &mut Walk<'_, G>,
    state: &G::State,
    depth: u32,
    mut alpha: i32,
    beta: i32,
    color: i32,
) -> Result<i32, Interrupted> {
    walk.pause.tick(1)?;
    if depth == 0 {
        return Ok(color * walk.leaf(state));
    }
    let first = walk.moves.len();
    if let Status::Over(payoff) = walk.game.expand(state, &mut walk.moves) {
        return Ok(color * walk.scale.exact(payoff));
    }
    let mut value = -INFINITE;
    for i in first..walk.moves.len() {
        let next = walk.game.after(state, walk.moves[i]);
        value = value.max(-negamax(walk, &next, depth - 1, -beta, -alpha, -color)?);
        alpha = alpha.max(value);
        if alpha >= beta {
            break;
        }
    }
    walk.moves.truncate(first);
    Ok(value)
}
