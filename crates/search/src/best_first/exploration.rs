//! In which order to explore: the two abstract methods of the UMB class (Cohen-Solal 2025, Alg. 4), and six ways to
//! fill them in.
//!
//! `continue` decides whether a line goes on below a state it has just opened, `priority child` which unresolved child
//! it takes. Whatever they answer, a search with completion is complete (Cohen-Solal 2025, Theorem 9, with the
//! correction told in [`crate::best_first::main_loop`]): they decide how soon, not whether.

use std::cmp::Reverse;

use perfectplay_core::random::below;
use perfectplay_core::{Given, Setting, TextError, options};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::best_first::policy::{Pick, Visit};

/// The children among which to choose.
pub trait Choice {
    /// How many there are.
    fn len(&self) -> usize;
    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// How good it looks to the mover: (c, v) as one number; `None` if it may not be chosen, as it is resolved.
    fn rank(&self, i: usize) -> Option<i64>;
    /// n(s, s').
    fn visits(&self, i: usize) -> u32;
}

/// The two methods.
pub trait Explore: Clone + Send {
    /// Whether to go on below a state that was just opened.
    fn continues(&mut self, visit: Visit) -> bool;
    /// The child to visit, an open one; `None` if none is open.
    fn priority_child<C: Choice>(&mut self, children: &C, _visit: Visit) -> Option<usize> {
        best_dual(children)
    }
    /// The same child, and the one that would be next.
    fn pick<C: Choice>(&mut self, children: &C, visit: Visit) -> Option<Pick> {
        self.priority_child(children, visit).map(Pick::from)
    }
    /// How many random numbers were drawn, for those who leave something to chance.
    fn drawn(&self) -> u64 {
        0
    }
    /// Makes a new one the one that has drawn so many.
    fn draw(&mut self, _drawn: u64) {}
    /// The same again for another thread, the `number`th, with chances of its own.
    #[must_use]
    fn fork(&self, _number: u64) -> Self {
        self.clone()
    }
    /// Whether `priority_child` always takes one of the best ranked children, and leaves nothing to chance.
    fn is_greedy(&self) -> bool {
        true
    }
}

/// The best open child, the least visited among equals (completed_best_action_dual of Cohen-Solal 2025, Alg. 3).
#[inline]
pub fn best_dual<C: Choice>(children: &C) -> Option<usize> {
    child_of((0..children.len()).fold(NOBODY, |best, i| best.max(place(children, i))))
}

/// The same child as [`best_dual`], and the one that is next when it was visited and is worth what it was.
#[inline]
pub fn best_two_dual<C: Choice>(children: &C) -> Option<Pick> {
    let (best, next) = (0..children.len()).fold((NOBODY, NOBODY), |(best, next), i| {
        let place = place(children, i);
        (best.max(place), next.max(best.min(place)))
    });
    child_of(best).map(|child| Pick { child, next: child_of(next).unwrap_or(child) })
}

/// Less than the place of any open child.
const NOBODY: i128 = i128::MIN;

/// (rank, -n, -i) as one number, so that it is compared without a jump: this runs for every move on every line.
#[inline]
fn place<C: Choice>(children: &C, i: usize) -> i128 {
    let place = |rank| i128::from(rank) << 64 | i128::from(!children.visits(i)) << 32 | i128::from(!(i as u32));
    children.rank(i).map_or(NOBODY, place)
}

#[inline]
fn child_of(place: i128) -> Option<usize> {
    (place != NOBODY).then_some(!(place as u32) as usize)
}

/// The instances that have a name.
#[derive(Clone, Debug)]
pub enum Instance {
    /// Unbounded best-first minimax (Cohen-Solal 2025, Alg. 1): opens one state per iteration.
    Ubfm,
    /// Descent (Cohen-Solal 2025, Alg. 2): goes on to the end of the game.
    Descent,
    /// Opens up to so many states per iteration, one below the other: between UBFM (1) and Descent (no limit).
    Descend(u32),
    /// Goes on as Descent does down to so many plies below the root, from there on as UBFM does.
    DepthBounded(u32),
    /// Takes the child that was visited least, the best among equals: explores in breadth.
    LeastVisited,
    /// As UBFM, but takes any open child with this probability.
    EpsilonRandom(f64, Dice),
}

/// Dice that know how often they were thrown: a saved search is restored by throwing them as often.
#[derive(Clone, Debug)]
pub struct Dice {
    source: Xoshiro256PlusPlus,
    thrown: u64,
}

impl Dice {
    /// The same throws for the same seed.
    pub fn new(seed: u64) -> Self {
        Dice { source: Xoshiro256PlusPlus::seed_from_u64(seed), thrown: 0 }
    }

    fn fork(&self, number: u64) -> Self {
        Dice::new(self.source.clone().next_u64() ^ number)
    }

    fn throw(&mut self) -> u64 {
        self.thrown += 1;
        self.source.next_u64()
    }
}

impl Explore for Instance {
    #[inline]
    fn continues(&mut self, visit: Visit) -> bool {
        match self {
            Instance::Ubfm | Instance::LeastVisited | Instance::EpsilonRandom(..) => false,
            Instance::Descent => true,
            Instance::Descend(states) => visit.opened < *states,
            Instance::DepthBounded(plies) => visit.depth < *plies,
        }
    }

    #[inline]
    fn priority_child<C: Choice>(&mut self, children: &C, _visit: Visit) -> Option<usize> {
        match self {
            Instance::LeastVisited => {
                let open = (0..children.len()).filter_map(|i| Some((i, children.rank(i)?)));
                open.min_by_key(|&(i, rank)| (children.visits(i), Reverse(rank))).map(|(i, _)| i)
            }
            Instance::EpsilonRandom(epsilon, dice) => {
                if !chance(dice, *epsilon) {
                    return best_dual(children);
                }
                let open: Vec<usize> = (0..children.len()).filter(|&i| children.rank(i).is_some()).collect();
                (!open.is_empty()).then(|| open[below(dice.throw(), open.len())])
            }
            _ => best_dual(children),
        }
    }

    #[inline]
    fn pick<C: Choice>(&mut self, children: &C, visit: Visit) -> Option<Pick> {
        match self {
            Instance::LeastVisited | Instance::EpsilonRandom(..) => {
                self.priority_child(children, visit).map(Pick::from)
            }
            _ => best_two_dual(children),
        }
    }

    fn drawn(&self) -> u64 {
        if let Instance::EpsilonRandom(_, dice) = self { dice.thrown } else { 0 }
    }

    fn draw(&mut self, drawn: u64) {
        if let Instance::EpsilonRandom(_, dice) = self {
            (dice.thrown..drawn).for_each(|_| _ = dice.throw());
        }
    }

    fn fork(&self, number: u64) -> Self {
        match self {
            Instance::EpsilonRandom(epsilon, dice) => Instance::EpsilonRandom(*epsilon, dice.fork(number)),
            other => other.clone(),
        }
    }

    fn is_greedy(&self) -> bool {
        !matches!(self, Instance::LeastVisited | Instance::EpsilonRandom(..))
    }
}

fn chance(dice: &mut Dice, chance: f64) -> bool {
    ((dice.throw() >> 11) as f64) < chance * (1u64 << 53) as f64
}

/// The instances by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PolicyName {
    Ubfm,
    Descent,
    Descend,
    DepthBounded,
    LeastVisited,
    EpsilonRandom,
}

options! {
    /// Which instance, for the general form.
    pub(crate) struct PolicyOptions {
        policy: PolicyName = Setting::choice(
            "policy",
            "how to explore",
            &[
                ("ubfm", "", PolicyName::Ubfm),
                ("descent", "", PolicyName::Descent),
                ("descend", "opens up to k states per line", PolicyName::Descend),
                ("depth-bounded", "descends to k plies below the root", PolicyName::DepthBounded),
                ("least-visited", "", PolicyName::LeastVisited),
                ("epsilon-random", "any unresolved child with probability epsilon", PolicyName::EpsilonRandom),
            ],
        ),
        k: Given<u32> =
            Setting::whole("k", "for the policies descend and depth-bounded", 1..=1_000_000, 4).noticed(),
        epsilon: Given<f64> =
            Setting::fraction("epsilon", "for the policy epsilon-random", 0.0..=1.0, 0.1).noticed(),
    }
}

impl PolicyOptions {
    pub(crate) fn instance(&self, seed: u64) -> Result<Instance, TextError> {
        let unused = |name: &str| TextError::new(format!("{name} means nothing to this policy"));
        if self.k.given && !matches!(self.policy, PolicyName::Descend | PolicyName::DepthBounded) {
            return Err(unused("k"));
        }
        if self.epsilon.given && self.policy != PolicyName::EpsilonRandom {
            return Err(unused("epsilon"));
        }
        Ok(match self.policy {
            PolicyName::Ubfm => Instance::Ubfm,
            PolicyName::Descent => Instance::Descent,
            PolicyName::Descend => Instance::Descend(self.k.value),
            PolicyName::DepthBounded => Instance::DepthBounded(self.k.value),
            PolicyName::LeastVisited => Instance::LeastVisited,
            PolicyName::EpsilonRandom => Instance::EpsilonRandom(self.epsilon.value, Dice::new(seed)),
        })
    }
}
