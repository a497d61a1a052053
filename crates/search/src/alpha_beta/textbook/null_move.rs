//! Alpha-beta with the null-move heuristic (Červeňan 2025, Algorithm B.2).
//!
//! If a mover is still above its bound after giving up its turn, with a search of reduced depth, then a real move will
//! be above it, too: cut. That is a guess. Where having to move is a burden (zugzwang) it is wrong, so a value found
//! with it is never called proved.
//!
//! Read against the printed algorithm: the question is put with a null window *at the bound that is to be beaten*
//! (printed: from α to β - 1, below which no answer can reach β when the window is null); the second player's case
//! mirrors the first's; there are never two passes in a row; and the game decides where passing is a fair test
//! (`OrderingHints::null_move`).

use std::sync::Arc;

use perfectplay_core::{FullGame, Group, OptionSet, Params, Player, Setting, Status, ZeroSum, options};

use super::A_TEXTBOOK_VERSION;
use crate::alpha_beta::scale::INFINITE;
use crate::alpha_beta::textbook::fixed_depth::{self, FixedDepthOptions, Method, Walk, nothing_yet};
use crate::support::pausable_threads::Interrupted;
use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "null-move",
    summary: "alpha-beta with the null-move heuristic: faster, not exact",
    players: "2",
    exact: false,
    threads: Threads::One(A_TEXTBOOK_VERSION),
    options: Options::docs,
};

options! {
    struct Options {
        shared: FixedDepthOptions = Group,
        reduction: u32 = Setting::whole("reduction", "plies by which a null move is searched less deep", 0..=10, 2),
    }
}

/// For two opposed players; needs a depth where positions repeat.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let Options { shared, reduction } = INFO.read(params)?;
    fixed_depth::open(INFO.name, &shared, game, root, setup, NullMove { reduction, passed: false, cuts: 0 })
}

pub(crate) struct NullMove {
    pub(crate) reduction: u32,
    /// The last move was a pass.
    passed: bool,
    pub(crate) cuts: u64,
}

/// The window that asks for `mover` whether it reaches its bound: the first player β, the second player α.
pub(crate) fn null_window(mover: Player, alpha: i32, beta: i32) -> Option<(i32, i32)> {
    match mover {
        Player::FIRST if beta < INFINITE => Some((beta - 1, beta)),
        Player::SECOND if alpha > -INFINITE => Some((alpha, alpha + 1)),
        _ => None,
    }
}

impl NullMove {
    /// The bound that `mover` reaches even without moving, if it does.
    fn cut<G: FullGame<Payoff = ZeroSum>>(
        &mut self,
        walk: &mut Walk<'_, G>,
        state: &G::State,
        mover: Player,
        depth: u32,
        (alpha, beta): (i32, i32),
    ) -> Result<Option<i32>, Interrupted> {
        if self.passed || depth <= self.reduction {
            return Ok(None);
        }
        let (Some(next), Some((a, b))) = (walk.game.null_move(state), null_window(mover, alpha, beta)) else {
            return Ok(None);
        };
        self.passed = true;
        let value = self.value(walk, &next, depth - 1 - self.reduction, a, b)?;
        self.passed = false;
        let cut = if mover == Player::FIRST { value >= beta } else { value <= alpha };
        self.cuts += u64::from(cut);
        Ok(cut.then_some(if mover == Player::FIRST { beta } else { alpha }))
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Method<G> for NullMove {
    const SOUND: bool = false;

    fn value(
        &mut self,
        walk: &mut Walk<'_, G>,
        state: &G::State,
        depth: u32,
        mut alpha: i32,
        mut beta: i32,
    ) -> Result<i32, Interrupted> {
        walk.pause.tick(1)?;
        if depth == 0 {
            return Ok(walk.leaf(state));
        }
        let first = walk.moves.len();
        let mover = match walk.game.expand(state, &mut walk.moves) {
            Status::Over(payoff) => return Ok(walk.scale.exact(payoff)),
            Status::Turn(mover) => mover,
        };
        if let Some(bound) = self.cut(walk, state, mover, depth, (alpha, beta))? {
            walk.moves.truncate(first);
            return Ok(bound);
        }
        self.passed = false;
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
                break;
            }
        }
        walk.moves.truncate(first);
        Ok(value)
    }
}
