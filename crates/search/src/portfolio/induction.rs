//! Backward induction as a member: where there are few states, valuing all of them costs nothing and tells most.

use perfectplay_core::{Facts, FullGame};

use super::{Member, Spent};
use crate::oracle::backward_induction;

/// With so few states (a bound, and mostly far too high), valuing all of them costs nothing.
const FEW_STATES: f64 = 1e5;
/// The chance that induction gets before all others on such games.
const HEAD_START: Spent = Spent { seconds: 0.03, nodes: 30_000 };

/// Induction over all states, if there is reason to believe that they are few.
pub(super) fn induction<G: FullGame>(facts: &Facts) -> Option<Member<G>> {
    let few = facts.acyclic && facts.states.is_some_and(|states| states <= FEW_STATES);
    let member = Member::new(&backward_induction::INFO, backward_induction::open);
    few.then_some(Member { head_start: Some(HEAD_START), ..member })
}
