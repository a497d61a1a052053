//! Depth-first proof-number search (df-pn, Nagai 2002; Saffidine and Cazenave 2012, §4.6) with a transposition table of
//! fixed size.
//!
//! The same questions as [`crate::proof_number::pns`], one outcome after the other, but the tree is not kept: the
//! current line and a table do. So it solves what best-first search cannot hold, at the price of finding some things
//! again. How it works, and why it is right also where positions repeat, is told in
//! [`crate::proof_number::depth_first`].
//!
//! Proves; two players; any game, also with repetitions (endless play is a draw). Memory: what is allowed and no more;
//! a full table makes it slower and never wrong. Several threads share the table.

use std::sync::Arc;

use perfectplay_core::{FullGame, OptionInfo, Params, ZeroSum};

use crate::proof_number::best_first::Options;
use crate::proof_number::depth_first::Settings;
use crate::proof_number::goals::Outcomes;
use crate::proof_number::graph::Sum;
use crate::proof_number::pns::{self, GOAL, HEURISTIC, MODE, Pns, Shape, take_mode};
use crate::proof_number::table::DEFAULT_BYTES;
use crate::{AlgorithmInfo, Refusal, Search, Setup};

/// Name and options.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "df-pn",
    summary: "depth-first proof-number search with a table of fixed size; safe where positions repeat; several threads",
    players: "2",
    exact: true,
    options: &[MODE, GOAL, EPSILON, SUM, THRESHOLD_CONTROL, SYMMETRY, BOUNDS, MOBILITY, HEURISTIC],
};

pub(crate) const EPSILON: OptionInfo = OptionInfo {
    name: "epsilon",
    meaning: "how much worse than its best rival a child may get before the search leaves it, 0 to 10",
    default: "0.25",
};
pub(crate) const SUM: OptionInfo = OptionInfo {
    name: "sum",
    meaning: "plain, or weak: do not count shared positions several times",
    default: "plain",
};
pub(crate) const THRESHOLD_CONTROL: OptionInfo = OptionInfo {
    name: "threshold-control",
    meaning: "on: do not leave a node before something new was seen below it (always on with several threads)",
    default: "on",
};
pub(crate) const SYMMETRY: OptionInfo =
    OptionInfo { name: "symmetry", meaning: "on: mirror images share their numbers", default: "on" };

pub(crate) const BOUNDS: OptionInfo = OptionInfo {
    name: "bounds",
    meaning: "on: a new leaf takes the bounds that the game itself proves for it (not where positions repeat)",
    default: "on",
};

pub(crate) const MOBILITY: OptionInfo = OptionInfo { default: "on", ..pns::MOBILITY };

/// Takes the options of a depth-first search.
pub(crate) fn take_settings(params: &mut Params, setup: &Setup) -> Result<Settings, Refusal> {
    Ok(Settings {
        options: Options {
            mobility: params.take_switch("mobility", true)?,
            heuristic: params.take_switch("heuristic", false)?,
            ..Options::default()
        },
        epsilon: params.take_fraction("epsilon", 0.0..=10.0)?.unwrap_or(0.25),
        sum: params.take_choice("sum", &[("plain", Sum::Plain), ("weak", Sum::Weak)])?,
        threshold_control: params.take_switch("threshold-control", true)?,
        symmetry: params.take_switch("symmetry", true)?,
        bounds: params.take_switch("bounds", true)?,
        memory: setup.memory.unwrap_or(DEFAULT_BYTES),
    })
}

/// Makes the search.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    mut params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let outcomes = Outcomes::of(&*game, setup.objective, INFO.name)?;
    let mode = take_mode(&mut params, &outcomes)?;
    let settings = take_settings(&mut params, setup)?;
    params.finish(INFO.name, INFO.options)?;
    Ok(Box::new(Pns::new(INFO.name, game, root, outcomes, mode, Shape::Table(settings), settings.options)?))
}
