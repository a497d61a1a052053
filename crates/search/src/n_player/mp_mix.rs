//! MP-Mix (Zuckerman, Felner, Kraus 2009): which search to use is decided anew at every root, by how clearly somebody
//! leads.
//!
//! - The mover leads by `defend` or more: everybody will turn on it, so it plays [`crate::n_player::paranoid`].
//! - Somebody else leads by `attack` or more: it plays *directed offensive*, where the mover makes the leader's part as
//!   small as it can while all others maximise their own.
//! - Otherwise [`crate::n_player::maxn`].
//!
//! Who leads is the evaluation's guess. Proves nothing, except where it chose maxⁿ and that reached the end.

use std::sync::Arc;

use perfectplay_core::{Estimate, FullGame, Group, OptionSet, Params, Player, Setting, Status, options};

use crate::n_player::coalition::{Coalition, Replies};
use crate::n_player::deepening::{AS_THEY_ARE_FREE, Deepening, DepthOptions, Iteration, TableOptions};
use crate::n_player::maxn::Maxn;
use crate::n_player::maxn_pruning::Prune;
use crate::n_player::paranoid;
use crate::n_player::tie_rules::Ties;
use crate::n_player::vector_value::{LeafOptions, Leaves};
use crate::support::order::{ascending, key_of};
use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "mp-mix",
    summary: "paranoid when ahead, against the leader when behind, max^n otherwise",
    players: "any",
    exact: false,
    threads: Threads::Racing(AS_THEY_ARE_FREE),
    options: Options::docs,
};

options! {
    struct Options {
        depth: DepthOptions = Group,
        defend: f64 = Setting::fraction("defend", "lead of the mover from which it plays paranoid", 0.0..=1e9, 0.2),
        attack: f64 = Setting::fraction("attack", "lead of another player from which it is attacked", 0.0..=1e9, 0.2),
        table: TableOptions = Group,
        leaves: LeafOptions = Group,
    }
}

/// For any number of players. Who leads at the root, and by how much, decides here which of the three searches runs.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let options: Options = INFO.read(params)?;
    let (defend, attack) = (options.defend as f32, options.attack as f32);
    let (depths, bytes) = (options.depth.depths()?, options.table.bytes(setup.memory));
    let mut leaves = Leaves::new(INFO.name, &*game, setup, &options.leaves, false)?;
    let (leader, lead) = leader(&*game, &root, &mut leaves);
    let me = game.status(&root).mover().unwrap_or(leader);
    let maxn = |prune, target, leaves| -> Box<dyn Iteration<G>> {
        Box::new(Maxn::new(&game, &root, leaves, prune, Ties::Leftmost, bytes, target))
    };
    let (iteration, choice) = if leader == me && lead >= defend {
        let coalition = Coalition::new(&game, &root, leaves, setup.objective, Replies::All, bytes);
        (Box::new(coalition) as Box<dyn Iteration<G>>, paranoid::INFO.name.to_owned())
    } else if leader != me && lead >= attack {
        (maxn(Prune::default(), Some(leader), leaves), format!("against {leader}"))
    } else {
        (maxn(Prune { immediate: true, ..Prune::default() }, None, leaves), "max^n".to_owned())
    };
    let note = format!("{} plays {choice}: {leader} leads by {lead:.2}", INFO.name);
    Ok(Box::new(Deepening::new(&game, root, setup.objective, depths, iteration, vec![note])))
}

/// Who looks best, and by how much; the lowest seat if several do.
fn leader<G: FullGame>(game: &G, root: &G::State, leaves: &mut Leaves<G>) -> (Player, f32) {
    let value = match game.status(root) {
        Status::Over(payoff) => leaves.over(payoff),
        Status::Turn(_) => leaves.unread(*root),
    };
    let guess = leaves.estimate(game, &value);
    let keys: Vec<i64> = Player::all(leaves.scale.players).map(|p| !key_of(guess.of(p).into())).collect();
    let [first, second] = [0, 1].map(|place| Player::new(ascending(&keys)[place]));
    (first, guess.of(first) - guess.of(second))
}
