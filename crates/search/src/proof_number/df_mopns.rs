//! Depth-first multiple-outcome proof-number search: what Saffidine and Cazenave 2012, §4.6 sketches,
//! [`crate::proof_number::mopns`] on a table of fixed size.
//!
//! The table keeps the numbers of all goals. The root chooses its attracting outcome; the search goes down for that
//! goal with two thresholds, and comes back when one of them is reached or another outcome has become cheaper. What is
//! learnt about one goal serves the others, as in the best-first form. See [`crate::proof_number::depth_first`].
//!
//! Proves; two players; acyclic games whose outcomes can be listed (for others see [`crate::proof_number::df_pn`]).
//! Memory: what is allowed and no more. Several threads share the table.

use std::sync::Arc;

use perfectplay_core::{FullGame, Params, ZeroSum};

use crate::proof_number::best_first::Options;
use crate::proof_number::depth_first::Settings;
use crate::proof_number::df_pn::{BOUNDS, EPSILON, MOBILITY, SUM, SYMMETRY, THRESHOLD_CONTROL, take_settings};
use crate::proof_number::goals::Outcomes;
use crate::proof_number::mopns::{Mopns, TIES, take_ties};
use crate::proof_number::pns::{HEURISTIC, Shape};
use crate::{AlgorithmInfo, Refusal, Search, Setup};

/// Name and options.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "df-mopns",
    summary: "depth-first multiple-outcome proof-number search with a table of fixed size; several threads",
    players: "2",
    exact: true,
    options: &[TIES, EPSILON, SUM, THRESHOLD_CONTROL, SYMMETRY, BOUNDS, MOBILITY, HEURISTIC],
};

/// Makes the search.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    mut params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let outcomes = Outcomes::of(&*game, setup.objective, INFO.name)?;
    let ties = take_ties(&mut params)?;
    let settings = take_settings(&mut params, setup)?;
    let settings = Settings { options: Options { ties, ..settings.options }, ..settings };
    params.finish(INFO.name, INFO.options)?;
    Ok(Box::new(Mopns::new(INFO.name, game, root, outcomes, Shape::Table(settings), settings.options)?))
}
