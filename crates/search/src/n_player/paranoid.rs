//! Paranoid search: the player at the root against everybody else (Farrugia 2019; Sturtevant and Korf 2000).
//!
//! Alpha-beta with a table on the n-player game as it is, so the line is legal and nothing is wrapped; to run *another*
//! two-player algorithm on the same reduction, use its option `teams=me`. Searched to the end it finds what the player
//! can secure whatever the others do: a guarantee, and no prediction, for the others are not really in league. So the
//! verdict stays an estimate and a note tells the guarantee.
//!
//! Cost: b^(d·(n-1)/n) states at best, b^(2d/3) for three players.

use std::sync::Arc;

use perfectplay_core::{FullGame, Group, OptionSet, Params, options};

use crate::n_player::coalition::{Coalition, Replies};
use crate::n_player::deepening::{AS_THEY_ARE_FREE, Deepening, DepthOptions, TableOptions};
use crate::n_player::vector_value::{LeafOptions, Leaves};
use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "paranoid",
    summary: "alpha-beta as if all others played together against the player to move",
    players: "any",
    exact: false,
    threads: Threads::Racing(AS_THEY_ARE_FREE),
    options: Options::docs,
};

options! {
    struct Options {
        depth: DepthOptions = Group,
        table: TableOptions = Group,
        leaves: LeafOptions = Group,
    }
}

/// For any number of players; estimates count only the part of the player to move.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let options: Options = INFO.read(params)?;
    let (depths, bytes) = (options.depth.depths()?, options.table.bytes(setup.memory));
    let leaves = Leaves::new(INFO.name, &*game, setup, &options.leaves, false)?;
    let coalition = Coalition::new(&game, &root, leaves, setup.objective, Replies::All, bytes);
    let note = "of the estimate only the part of the player to move counts: what it gets if all others play against it";
    Ok(Box::new(Deepening::new(&game, root, setup.objective, depths, Box::new(coalition), vec![note.into()])))
}
