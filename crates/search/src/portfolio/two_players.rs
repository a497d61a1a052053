//! Who takes part between two players with opposed interests.

use std::sync::Arc;

use perfectplay_core::{Facts, FullGame, Params, ZeroSum};

use super::induction::induction;
use super::{INFO, Member, Portfolio};
use crate::alpha_beta::iterative_deepening;
use crate::oracle::retrograde;
use crate::proof_number::{df_mopns, df_pn};
use crate::{Refusal, Search, Setup};

/// Where positions repeat and there are no more states than this (a bound, and mostly far too high), all of them may be
/// valued.
const FEW_STATES: f64 = 1e8;

/// Those that prove a value between two players.
pub(super) fn provers<G: FullGame<Payoff = ZeroSum>>(facts: &Facts) -> Vec<Member<G>> {
    let proof_numbers = match facts.acyclic {
        true => Member::new(&df_mopns::INFO, df_mopns::open),
        false => Member::new(&df_pn::INFO, df_pn::open),
    };
    let mut members = vec![proof_numbers, Member::new(&iterative_deepening::INFO, iterative_deepening::open)];
    if !facts.acyclic && facts.states.is_some_and(|states| states <= FEW_STATES) {
        members.push(Member::new(&retrograde::INFO, retrograde::open));
    }
    members
}

/// A search, from what a user said of it.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    INFO.read::<()>(params)?;
    let facts = game.facts();
    let members = induction(&facts).into_iter().chain(provers(&facts)).collect();
    Ok(Box::new(Portfolio::new(game, root, setup, members)))
}
