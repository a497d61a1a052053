//! Alpha-beta as in the textbook (Červeňan 2025, Algorithm B.1), fail-soft.
//!
//! α is what the first player has for sure elsewhere, β what the second player has. For a state whose minimax value at
//! this depth is s, and α < β, the answer v obeys
//!
//! ```text
//!   v ≤ α  ⇒  s ≤ v          α < v < β  ⇒  s = v          v ≥ β  ⇒  s ≥ v
//! ```
//!
//! Same value as [`crate::alpha_beta::textbook::minimax`], at best with the square root of its states. No table, no
//! ordering: moves are tried as the rules list them. For play take [`crate::alpha_beta::iterative_deepening`].

use std::sync::Arc;

use perfectplay_core::{FullGame, OptionSet, Params, Player, Status, ZeroSum};

use super::A_TEXTBOOK_VERSION;
use crate::alpha_beta::textbook::fixed_depth::{self, FixedDepthOptions, Method, Walk, nothing_yet};
use crate::support::pausable_threads::Interrupted;
use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "plain-alpha-beta",
    summary: "alpha-beta as in the textbook: fixed depth, no table, no ordering",
    players: "2",
    exact: true,
    threads: Threads::One(A_TEXTBOOK_VERSION),
    options: FixedDepthOptions::docs,
};

/// For two opposed players, in turns of any order; needs a depth where positions repeat.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    fixed_depth::open(INFO.name, &INFO.read(params)?, game, root, setup, AlphaBeta)
}

pub(crate) struct AlphaBeta;

impl<G: FullGame<Payoff = ZeroSum>> Method<G> for AlphaBeta {
    const GROWS: bool = true;

    fn value(
        &mut self,
        walk: &mut Walk<'_, G>,
        state: &G::State,
        depth: u32,
        mut alpha: i32,
        mut beta: i32,
    ) -> Result<i32, Interrupted> {
        walk.pause.tick(1)?;
        walk.enter(alpha, beta);
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
            let v = self.value(walk, &next, depth - 1, alpha, beta)?;
            if mover == Player::FIRST {
                value = value.max(v);
                alpha = alpha.max(value);
            } else {
                value = value.min(v);
                beta = beta.min(value);
            }
            if alpha >= beta {
                break; // the player who can avoid this state will
            }
        }
        walk.moves.truncate(first);
        Ok(walk.leave(value))
    }
}
