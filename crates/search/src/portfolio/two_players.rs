//! Who takes part between two players with opposed interests.

use std::sync::Arc;

use perfectplay_core::{Facts, FullGame, Objective, Params, ZeroSum};

use super::induction::induction;
use super::{INFO, Member, Portfolio};
use crate::alpha_beta::iterative_deepening;
use crate::oracle::retrograde;
use crate::proof_number::{df_mopns, df_pn};
use crate::{Refusal, Search, Setup};

/// Where positions repeat and there are no more states than this (a bound, and mostly far too high), all of them may be
/// valued.
const FEW_STATES: f64 = 1e8;

/// Those that prove a value between two players. Two of them, so that neither costs the other more than its own time.
pub(super) fn provers<G: FullGame<Payoff = ZeroSum>>(facts: &Facts, objective: Objective) -> Vec<Member<G>> {
    if facts.acyclic {
        return acyclic();
    }
    let alpha_beta = || Member::new(&iterative_deepening::INFO, iterative_deepening::open);
    let few = facts.states.is_some_and(|states| states <= FEW_STATES);
    let retrograde = few.then(|| Member::new(&retrograde::INFO, retrograde::open));
    // Where positions repeat, alpha-beta cannot prove a draw, but it counts plies, which proof numbers do not.
    match objective {
        Objective::Length => std::iter::once(alpha_beta()).chain(retrograde).collect(),
        _ => vec![Member::new(&df_pn::INFO, df_pn::open), retrograde.unwrap_or_else(alpha_beta)],
    }
}

/// The same where no position repeats.
fn acyclic<G: FullGame<Payoff = ZeroSum>>() -> Vec<Member<G>> {
    vec![
        Member::new(&df_mopns::INFO, df_mopns::open),
        Member::new(&iterative_deepening::INFO, iterative_deepening::open),
    ]
}

/// For two opposed players: the game's facts choose the members, none of which is made yet.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    INFO.read::<()>(params)?;
    let facts = game.facts();
    let members = induction(&facts).into_iter().chain(provers(&facts, setup.objective)).collect();
    Ok(Box::new(Portfolio::new(game, root, setup, members)))
}

/// The same for games in which no position repeats: what others need is not compiled for them.
pub fn open_acyclic<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    INFO.read::<()>(params)?;
    let members = induction(&game.facts()).into_iter().chain(acyclic()).collect();
    Ok(Box::new(Portfolio::new(game, root, setup, members)))
}
