//! Best-Reply Search (Schadd and Winands 2011) and BRS+ (Esser, Gras, Winands, Schadd, Lanctot 2013).
//!
//! Between two moves of the root's player only one opponent replies, the one whose move is worst for the root's player,
//! so a round is two plies deep for any number of players and the root's player gets to see more of its own moves. In
//! BRS the other opponents skip their turn (`OrderingHints::null_move`), which leads to states that may not be legal.
//! In BRS+ (`plus=on`) they play the move that comes first in move ordering (`OrderingHints::order_score`, then the
//! heuristic after the move, then the order of the rules), so every state is legal and turns are kept. It is the
//! default wherever a game does not say what it means to skip a turn.
//!
//! Proves nothing: the game it searches is not the game. Cost: about ((n-1)·b·b)^(d/2), the square root of it at best.

use std::sync::Arc;

use perfectplay_core::{FullGame, Group, OptionSet, Optional, Params, Status, options};

use crate::n_player::coalition::{Coalition, Replies};
use crate::n_player::deepening::{AS_THEY_ARE_FREE, Deepening, DepthOptions, TableOptions};
use crate::n_player::vector_value::{LeafOptions, Leaves};
use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "brs",
    summary: "best-reply search: only the opponent with the worst reply moves (plus=on: BRS+)",
    players: "any",
    exact: false,
    threads: Threads::Racing(AS_THEY_ARE_FREE),
    options: Options::docs,
};

options! {
    struct Options {
        depth: DepthOptions = Group,
        plus: Option<bool> = Optional::switch(
            "plus",
            "on or off: opponents that do not reply play their first move in move ordering instead of none",
            "off where the game says what it means to skip a turn, otherwise on",
        ),
        table: TableOptions = Group,
        leaves: LeafOptions = Group,
    }
}

/// For any number of players; `plus=off` is refused where the game does not say what skipping a turn means.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let options: Options = INFO.read(params)?;
    let (depths, bytes) = (options.depth.depths()?, options.table.bytes(setup.memory));
    let leaves = Leaves::new(INFO.name, &*game, setup, &options.leaves, false)?;
    let skips = !matches!(game.status(&root), Status::Turn(_)) || game.null_move(&root).is_some();
    if options.plus == Some(false) && !skips {
        return Err(Refusal::Other(format!(
            "{0}:plus=off needs to know what it means to skip a turn, and this game does not say it here: use \
{0}:plus=on",
            INFO.name
        )));
    }
    let replies = if options.plus.unwrap_or(!skips) { Replies::OnePlus } else { Replies::One };
    let coalition = Coalition::new(&game, &root, leaves, setup.objective, replies, bytes);
    let note =
        "best-reply search looks at a game in which one opponent moves per round; it proves nothing about this one";
    Ok(Box::new(Deepening::new(&game, root, setup.objective, depths, Box::new(coalition), vec![note.into()])))
}
