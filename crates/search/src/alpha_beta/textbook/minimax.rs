//! Minimax to a fixed depth: every line, no pruning. The yardstick for everything that follows (Cohen-Solal 2025, §2;
//! Červeňan 2025, §4.1).
//!
//! ```text
//!   value(s, 0) = what s is worth          value(s, d) = best over moves m of value(s·m, d - 1), for the mover
//! ```
//!
//! Exact if no line is longer than the depth. Cost: b^d states for d plies with b moves each.

use std::sync::Arc;

use perfectplay_core::{FullGame, OptionSet, Params, Player, Status, ZeroSum};

use super::A_TEXTBOOK_VERSION;
use crate::alpha_beta::scale::INFINITE;
use crate::alpha_beta::textbook::fixed_depth::{self, FixedDepthOptions, Method, Walk, nothing_yet};
use crate::support::pausable_threads::Interrupted;
use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "minimax",
    summary: "plain minimax to a fixed depth, to compare others with",
    players: "2",
    exact: true,
    threads: Threads::One(A_TEXTBOOK_VERSION),
    options: FixedDepthOptions::docs,
};

/// For two opposed players; needs a depth where positions repeat.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    fixed_depth::open(INFO.name, &INFO.read(params)?, game, root, setup, Minimax)
}

pub(crate) struct Minimax;

impl<G: FullGame<Payoff = ZeroSum>> Method<G> for Minimax {
    const WINDOW: bool = false;
    const GROWS: bool = true;

    fn value(
        &mut self,
        walk: &mut Walk<'_, G>,
        state: &G::State,
        depth: u32,
        _: i32,
        _: i32,
    ) -> Result<i32, Interrupted> {
        walk.pause.tick(1)?;
        walk.enter(-INFINITE, INFINITE);
        if depth == 0 {
            let value = walk.leaf(state);
            return Ok(walk.leave(value));
        }
        let first = walk.moves.len();
        let mover = match walk.game.expand(state, &mut walk.moves) {
            Status::Over(payoff) => return Ok(walk.leave(walk.scale.exact(payoff))),
            Status::Turn(mover) => mover,
        };
        walk.opened(state, mover, first);
        let mut value = nothing_yet(mover);
        for i in first..walk.moves.len() {
            let next = walk.game.after(state, walk.moves[i]);
            let v = self.value(walk, &next, depth - 1, 0, 0)?;
            value = if mover == Player::FIRST { value.max(v) } else { value.min(v) };
        }
        walk.moves.truncate(first);
        Ok(walk.leave(value))
    }
}
