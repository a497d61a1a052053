//! The unbounded minimax-based searches for two players (Cohen-Solal 2025, Alg. 4): the general form, and what all of
//! them share.
//!
//! With completion each of them proves the value of any acyclic game in at most 2·|S| iterations, whatever the
//! evaluation: an iteration opens a state or resolves one. Cost of an iteration: the moves on its line, each read
//! twice.
//!
//! [`crate::best_first::ubfm`] and [`crate::best_first::descent`] are the two instances with names of their own.

use std::sync::Arc;

use perfectplay_core::{FullGame, Objective, OptionInfo, Params, Payoff};

use crate::best_first::completion::{Resolution, TwoPlayers};
use crate::best_first::decisions::Decision;
use crate::best_first::exploration::{self, Instance};
use crate::best_first::main_loop::{BestFirst, LoopOptions, WhenFull};
use crate::best_first::n_player;
use crate::support::evaluations::{self, Terminal};
use crate::{AlgorithmInfo, Refusal, Search, Setup};

/// Name and options.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "umb",
    summary: "unbounded minimax-based search with a policy of your choice",
    players: "any",
    exact: true,
    options: &{
        let mut all = [exploration::OPTIONS[0]; 3 + OPTIONS.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = if i < 3 { exploration::OPTIONS[i] } else { OPTIONS[i - 3] };
            i += 1;
        }
        all
    },
};

/// Makes the search.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    mut params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let instance = Instance::take(&mut params, setup.seed)?;
    open_instance(&INFO, instance, game, root, setup, params)
}

/// The options of all unbounded minimax-based searches.
pub(crate) const OPTIONS: [OptionInfo; 13] = [
    OptionInfo {
        name: "completion",
        meaning: "on, or off: the basic algorithm, which proves nothing and can be stuck for ever",
        default: "on",
    },
    OptionInfo {
        name: "strong",
        meaning: "on: a state is resolved only when everything below it is, so that all winning moves are found",
        default: "off",
    },
    evaluations::OPTIONS[0],
    evaluations::OPTIONS[1],
    evaluations::OPTIONS[2],
    Decision::OPTION,
    OptionInfo {
        name: "reread",
        meaning: "on: look at the children of a state again before going on below it",
        default: "off",
    },
    OptionInfo {
        name: "batch",
        meaning: "on: evaluate all new children of a state in one call; off: one by one",
        default: "on",
    },
    OptionInfo { name: "keep", meaning: "on: keep the tree when a move is played; off: start anew", default: "on" },
    OptionInfo {
        name: "when-full",
        meaning: "when the memory is used up: stop, or drop unresolved states that were seldom visited",
        default: "stop",
    },
    OptionInfo {
        name: "stop-at-draw",
        meaning: "on: a line ends where the best child is resolved; not complete",
        default: "off",
    },
    n_player::OPTIONS[0],
    n_player::OPTIONS[1],
];

/// Takes the options of the loop.
fn take_loop_options(params: &mut Params) -> Result<LoopOptions, Refusal> {
    Ok(LoopOptions {
        reread: params.take_switch("reread", false)?,
        when_full: params.take_choice("when-full", &[("stop", WhenFull::Stop), ("drop", WhenFull::Drop)])?,
        keep: params.take_switch("keep", true)?,
    })
}

/// Makes one instance: for two players, or its n-player form if the payoff is not zero-sum or a generalisation is
/// named.
pub(crate) fn open_instance<G: FullGame>(
    info: &'static AlgorithmInfo,
    instance: Instance,
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    mut params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let options = take_loop_options(&mut params)?;
    let for_n = n_player::take(&mut params)?;
    let for_n = if G::Payoff::ZERO_SUM { for_n } else { Some(for_n.unwrap_or_default()) };
    let facts = game.facts();
    let default_f = if for_n.is_some() { "score" } else { "gain" };
    let terminal = Terminal::take(&mut params, setup.objective, default_f, &facts)?;
    let evaluator = evaluations::take::<G>(&mut params, setup.seed, terminal, &facts)?;
    let decision = Decision::take(&mut params)?;
    let completion = params.take_switch("completion", true)?;
    let strong = params.take_switch("strong", false)?;
    let stop_at_draw = params.take_switch("stop-at-draw", false)?;
    let batch = params.take_switch("batch", true)?;
    params.finish(info.name, info.options)?;
    let scale = if setup.objective == Objective::Score { 1.0 } else { terminal.scale(&facts) };
    if let Some(for_n) = for_n {
        if facts.players > n_player::Gains::PLAYERS {
            return Err(Refusal::Other(format!("{} takes at most {} players", info.name, n_player::Gains::PLAYERS)));
        }
        let mut policy = n_player::ManyPlayers::new(instance, for_n, &facts, terminal, setup.objective);
        (policy.evaluator, policy.decision, policy.batch) = (evaluator, decision, batch);
        (policy.stop_at_draw, policy.completion, policy.strong, policy.scale) =
            (stop_at_draw, completion, strong, scale);
        return Ok(Box::new(BestFirst::new(info.name, game, root, policy, options)?));
    }
    let mut policy = TwoPlayers::new(instance);
    if setup.objective == Objective::Score {
        policy = policy.for_score(&facts);
    }
    policy.resolution = match (completion, strong) {
        (false, true) => return Err(Refusal::Other("strong=on needs completion=on".into())),
        (false, false) => Resolution::Off,
        (true, true) if setup.objective == Objective::Score => Resolution::Score([f32::INFINITY; 2]),
        (true, true) => Resolution::Strong,
        (true, false) => policy.resolution,
    };
    (policy.terminal, policy.evaluator, policy.decision) = (terminal, evaluator, decision);
    (policy.stop_at_draw, policy.batch, policy.scale) = (stop_at_draw, batch, scale);
    Ok(Box::new(BestFirst::new(info.name, game, root, policy, options)?))
}
