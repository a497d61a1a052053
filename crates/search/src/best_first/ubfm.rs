//! Unbounded best-first minimax with completion (Cohen-Solal 2025, Alg. 1; Cohen-Solal 2021, Alg. 2); UBFMⁿ for n
//! players (Cohen-Solal 2021, Alg. 6, 14).
//!
//! Every iteration walks down the best line of unresolved states and opens one state at its end. Complete: see
//! [`crate::best_first::umb`], of which it is an instance, and [`crate::best_first::n_player`].

use std::sync::Arc;

use perfectplay_core::{FullGame, OptionSet, Params, ZeroSum};

use crate::best_first::exploration::Instance;
use crate::best_first::umb;
use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "ubfm",
    summary: "unbounded best-first minimax: looks further where the moves look best; with completion it proves",
    players: "any",
    exact: true,
    threads: Threads::All,
    options: umb::Options::docs,
};

/// For any number of players: [`umb::open`] with the policy of UBFM.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    umb::open_instance(INFO.name, Instance::Ubfm, game, root, setup, &INFO.read(params)?)
}

/// The same for two players with opposed interests, without the forms for many.
pub fn open_for_two<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    umb::open_for_two_as(INFO.name, Instance::Ubfm, game, root, setup, &INFO.read(params)?)
}
