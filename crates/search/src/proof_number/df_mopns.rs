//! Depth-first multiple-outcome proof-number search: what Saffidine and Cazenave 2012, §4.6 sketches,
//! [`crate::proof_number::mopns`] on a table of fixed size.
//!
//! The table keeps the numbers of all goals. The root chooses its attracting outcome; the search goes down for that
//! goal with two thresholds, and comes back when one of them is reached or another outcome has become cheaper. What is
//! learnt about one goal serves the others, as in the best-first form. See `crate::proof_number::depth_first`.
//!
//! Proves; two players; acyclic games whose outcomes can be listed (for others see [`crate::proof_number::df_pn`]).
//! Memory: what is allowed and no more. Several threads share the table.

use std::sync::Arc;

use perfectplay_core::{FullGame, Group, OptionSet, Params, ZeroSum, options};

use crate::proof_number::depth_first::in_depth;
use crate::proof_number::df_pn::DepthFirstOptions;
use crate::proof_number::goals::Outcomes;
use crate::proof_number::mopns::{Mopns, TIES};
use crate::proof_number::pns::Shape;
use crate::proof_number::tree_search::Ties;
use crate::{A_SHARED_TABLE, AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "df-mopns",
    summary: "depth-first multiple-outcome proof-number search with a table of fixed size; several threads",
    players: "2",
    exact: true,
    threads: Threads::Racing(A_SHARED_TABLE),
    options: DfMopnsOptions::docs,
};

options! {
    struct DfMopnsOptions {
        ties: Ties = TIES,
        depth_first: DepthFirstOptions = Group,
    }
}

/// For two opposed players; refuses games in which positions repeat, or whose outcomes are not known beforehand.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let outcomes = Outcomes::of(&*game, setup.objective, INFO.name)?;
    let given: DfMopnsOptions = INFO.read(params)?;
    let settings = given.depth_first.settings(setup, given.ties);
    Ok(Box::new(Mopns::new(INFO.name, game, root, outcomes, Shape::Table(settings, in_depth), settings.options)?))
}
