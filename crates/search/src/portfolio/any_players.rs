//! Who takes part among any number of players. What they find is an equilibrium.

use std::sync::Arc;

use perfectplay_core::{FullGame, Params};

use super::induction::induction;
use super::{INFO, Member, Portfolio};
use crate::best_first::ubfm;
use crate::n_player::maxn;
use crate::{Refusal, Search, Setup};

/// For any number of players: best-first search and maxⁿ take turns, after induction where it may suffice.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    INFO.read::<()>(params)?;
    let facts = game.facts();
    let mut members: Vec<Member<G>> = induction(&facts).into_iter().collect();
    members.push(Member::new(&ubfm::INFO, ubfm::open));
    members.push(Member::new(&maxn::INFO, maxn::open));
    Ok(Box::new(Portfolio::new(game, root, setup, members)))
}
