//! How fast an evaluation is, as searches ask it: the unfinished children of a state in one call.

use perfectplay_core::random::SplitMix64;
use perfectplay_core::{Budget, FullGame, Status};

use crate::playouts::ThreadClock;

/// What was evaluated, and how long it took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evaluations {
    /// States.
    pub states: u64,
    /// Calls; each is about the children of one state.
    pub calls: u64,
    /// Processor time where the system tells it, otherwise time on the clock.
    pub seconds: f64,
}

/// So many states are made ready before the clock starts: more than the nearest caches hold.
const STATES: usize = 100_000;
/// Random games are broken off after so many moves.
const LONGEST_GAME: u32 = 1_000;

/// Evaluates children of the states of random games from `state`, again and again, until the budget is spent (its nodes
/// are the states).
pub(crate) fn measure<G: FullGame>(game: &G, state: &G::State, seed: u64, budget: &Budget) -> Evaluations {
    let families = families(game, state, seed, budget);
    let (mut meter, mut guesses, mut sum) = (budget.start(), Vec::new(), Evaluations::default());
    let clock = ThreadClock::start();
    for children in families.iter().cycle() {
        guesses.clear();
        game.heuristics(children, &mut guesses);
        debug_assert_eq!(guesses.len(), children.len());
        sum.states += children.len() as u64;
        sum.calls += 1;
        if meter.spend(children.len() as u64, 0).is_some() {
            break;
        }
    }
    sum.seconds = clock.seconds();
    sum
}

/// The unfinished children of the states of random games.
fn families<G: FullGame>(game: &G, start: &G::State, seed: u64, budget: &Budget) -> Vec<Vec<G::State>> {
    let (mut random, mut families, mut found) = (SplitMix64::new(seed), Vec::new(), 0);
    let (mut moves, mut children) = (Vec::new(), Vec::new());
    while found < STATES && !budget.stop.is_pulled() {
        let (mut state, before) = (*start, found);
        for _ in 0..LONGEST_GAME {
            moves.clear();
            children.clear();
            if matches!(game.children(&state, &mut moves, &mut children), Status::Over(_)) || found >= STATES {
                break;
            }
            let unfinished = |child: &&(G::State, G::Key)| matches!(game.status(&child.0), Status::Turn(_));
            let family: Vec<G::State> = children.iter().filter(unfinished).map(|child| child.0).collect();
            state = children[random.below(children.len())].0;
            found += family.len();
            families.extend((!family.is_empty()).then_some(family));
        }
        // From here every game ends at once.
        if found == before {
            break;
        }
    }
    families
}
