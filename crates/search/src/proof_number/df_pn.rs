//! Depth-first proof-number search (df-pn, Nagai 2002; Saffidine and Cazenave 2012, §4.6) with a transposition table of
//! fixed size.
//!
//! The same questions as [`crate::proof_number::pns`], one outcome after the other, but the tree is not kept: the
//! current line and a table do. So it solves what best-first search cannot hold, at the price of finding some things
//! again. How it works, and why it is right also where positions repeat, is told in
//! `crate::proof_number::depth_first`.
//!
//! Proves; two players; any game, also with repetitions (endless play is a draw). Memory: what is allowed and no more;
//! a full table makes it slower and never wrong. Several threads share the table.

use std::sync::Arc;

use perfectplay_core::{FullGame, Group, OptionSet, Params, Setting, ZeroSum, options};

use crate::proof_number::depth_first::{Settings, in_depth};
use crate::proof_number::goals::Outcomes;
use crate::proof_number::graph::Sum;
use crate::proof_number::pns::{HEURISTIC, Pns, Question, SUM, Shape, mobility};
use crate::proof_number::table::DEFAULT_BYTES;
use crate::proof_number::tree_search::{Options, Ties};
use crate::{A_SHARED_TABLE, AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "df-pn",
    summary: "depth-first proof-number search with a table of fixed size; safe where positions repeat; several threads",
    players: "2",
    exact: true,
    threads: Threads::Racing(A_SHARED_TABLE),
    options: DfPnOptions::docs,
};

options! {
    struct DfPnOptions {
        question: Question = Group,
        depth_first: DepthFirstOptions = Group,
    }
}

options! {
    /// How the depth-first search works.
    pub(crate) struct DepthFirstOptions {
        epsilon: f64 = Setting::fraction(
            "epsilon",
            "how much worse than its best rival a child may get before the search leaves it",
            0.0..=10.0,
            0.25,
        ),
        sum: Sum = SUM,
        threshold_control: bool = Setting::switch(
            "threshold-control",
            "on: do not leave a node before something new was seen below it (always on with several threads)",
            true,
        ),
        symmetry: bool = Setting::switch("symmetry", "on: mirror images share their numbers", true),
        bounds: bool = Setting::switch(
            "bounds",
            "on: a new leaf takes the bounds that the game itself proves for it (not where positions repeat)",
            true,
        ),
        mobility: bool = mobility(true),
        heuristic: bool = HEURISTIC,
    }
}

impl DepthFirstOptions {
    pub(crate) fn settings(&self, setup: &Setup, ties: Ties) -> Settings {
        let &DepthFirstOptions { epsilon, sum, threshold_control, symmetry, bounds, mobility, heuristic } = self;
        let options = Options { mobility, heuristic, ties, ..Options::USUAL };
        let memory = setup.memory.unwrap_or(DEFAULT_BYTES);
        Settings { options, epsilon, sum, threshold_control, symmetry, bounds, memory }
    }
}

/// For two opposed players, also where positions repeat; for the score it needs to know all outcomes beforehand.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let outcomes = Outcomes::of(&*game, setup.objective, INFO.name)?;
    let given: DfPnOptions = INFO.read(params)?;
    let mode = given.question.mode(&outcomes)?;
    let settings = given.depth_first.settings(setup, Options::USUAL.ties);
    Ok(Box::new(Pns::new(INFO.name, game, root, outcomes, mode, Shape::Table(settings, in_depth), settings.options)?))
}
