//! Best-Reply Search (Schadd and Winands 2011) and BRS+ (Esser, Gras, Winands, Schadd, Lanctot 2013).
//!
//! Between two moves of the root's player only one opponent replies, the one whose move is worst for the root's player,
//! so a round is two plies deep for any number of players and the root's player gets to see more of its own moves. In
//! BRS the other opponents skip their turn ([`OrderingHints::null_move`]), which leads to states that may not be legal.
//! In BRS+ (`plus=on`) they play the move that comes first in move ordering ([`OrderingHints::order_score`], then the
//! heuristic after the move, then the order of the rules), so every state is legal and turns are kept.
//!
//! Proves nothing: the game it searches is not the game. Cost: about ((n-1)·b·b)^(d/2), the square root of it at best.

use std::sync::Arc;

use perfectplay_core::{FullGame, OptionInfo, Params, Status};

use crate::n_player::coalition::{Coalition, Replies};
use crate::n_player::deepening::{DEEPEN, DEPTH, Deepening, TABLE, TABLE_MIB, take_depths, take_table};
use crate::n_player::vector_value::{EVAL, Leaves, PLAYOUTS};
use crate::{AlgorithmInfo, Refusal, Search, Setup};

/// Name and options.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "brs",
    summary: "best-reply search: only the opponent with the worst reply moves (plus=on: BRS+)",
    players: "any",
    exact: false,
    options: &[
        DEPTH,
        DEEPEN,
        OptionInfo {
            name: "plus",
            meaning: "on or off: opponents that do not reply play their first move in move ordering instead of none",
            default: "off",
        },
        TABLE,
        TABLE_MIB,
        EVAL,
        PLAYOUTS,
    ],
};

/// Makes the search.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    mut params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let depths = take_depths(&mut params)?;
    let plus = params.take_switch("plus", false)?;
    let bytes = take_table(&mut params, setup.memory)?;
    let leaves = Leaves::take(INFO.name, &*game, setup, &mut params, false)?;
    params.finish(INFO.name, INFO.options)?;
    if !plus && matches!(game.status(&root), Status::Turn(_)) && game.null_move(&root).is_none() {
        return Err(Refusal::Other(
            "brs needs to know what it means to skip a turn, and this game does not say it here: use brs:plus=on"
                .into(),
        ));
    }
    let replies = if plus { Replies::OnePlus } else { Replies::One };
    let coalition = Coalition::new(&game, &root, leaves, setup.objective, replies, bytes);
    let note =
        "best-reply search looks at a game in which one opponent moves per round; it proves nothing about this one";
    Ok(Box::new(Deepening::new(&*game, root, depths, Box::new(coalition), vec![note.into()])))
}
