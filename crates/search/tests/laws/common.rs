//! What the tests of best-first search share.

use std::sync::Arc;

use perfectplay_core::random::below;
use perfectplay_core::{
    Answer, Facts, Features, FullGame, Game, Heuristic, Notation, OrderingHints, Params, Payoff, Persist, Player,
    Playouts, SolveStatus, SolverHints, Status, Symmetric, TextError,
};
use perfectplay_games::random::{RandomOptions, Turns};
use perfectplay_games::seam::Tiny;
use perfectplay_search::best_first::exploration::{Choice, Dice, Explore, Instance};
use perfectplay_search::best_first::policy::Visit;
use perfectplay_search::{Refusal, Search, Setup};
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// How an algorithm is opened.
pub(crate) type Open<G> = fn(Arc<G>, <G as Game>::State, &Setup, Params) -> Result<Box<dyn Search<G>>, Refusal>;

/// Games go behind the seam, as they do for users, so that every search is compiled for few types.
pub(crate) fn packed<G: FullGame>(game: G) -> Arc<Tiny<G::Payoff>> {
    Arc::new(Tiny::new(game))
}

/// However early a search was stopped, it tells of all moves, and which is best unless nothing tells them apart.
pub(crate) fn names_a_move_if_moves_differ<G: FullGame>(answer: &Answer<G>) {
    let alike = answer.moves.windows(2).all(|two| (two[0].verdict, two[0].visits) == (two[1].verdict, two[1].visits));
    let nothing_known = alike && answer.moves.len() > 1 && answer.verdict.status() == SolveStatus::Unsolved;
    assert!(!answer.moves.is_empty());
    assert_eq!(answer.best_move().is_none(), nothing_known, "a move, unless nothing tells them apart");
}

/// A game written down as a list: who moves and where to, or what the end is worth.
pub(crate) struct TableGame<P> {
    nodes: Vec<(Status<P>, Vec<u32>)>,
    facts: Facts,
}

pub(crate) fn table_game<P: Payoff>(nodes: Vec<(Result<Player, P>, Vec<u32>)>) -> TableGame<P> {
    let ends: Vec<P> = nodes.iter().filter_map(|n| n.0.err()).collect();
    let range = |p| {
        let scores = ends.iter().map(|e| e.score(p));
        (scores.clone().min().unwrap(), scores.max().unwrap())
    };
    let facts = Facts {
        scores: Player::all(P::PLAYERS).map(range).collect(),
        length: Some(nodes.len() as u32),
        alternating: false,
        sum: (-1000, 1000),
        ..Facts::win_draw_loss::<P>()
    };
    let status = |s| match s {
        Ok(mover) => Status::Turn(mover),
        Err(payoff) => Status::Over(payoff),
    };
    TableGame { nodes: nodes.into_iter().map(|(s, to)| (status(s), to)).collect(), facts }
}

impl<P: Payoff> Game for TableGame<P> {
    type State = u32;
    type Move = u32;
    type Payoff = P;
    type Key = u32;

    fn start(&self) -> u32 {
        0
    }

    fn expand(&self, &state: &u32, moves: &mut Vec<u32>) -> Status<P> {
        moves.extend(&self.nodes[state as usize].1);
        self.nodes[state as usize].0
    }

    fn play(&self, state: &mut u32, to: u32) {
        *state = to;
    }

    fn key(&self, &state: &u32) -> u32 {
        state
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

impl<P: Payoff> Notation for TableGame<P> {
    fn position_text(&self, state: &u32) -> String {
        state.to_string()
    }

    fn parse_position(&self, text: &str) -> Result<u32, TextError> {
        text.parse().map_err(|_| TextError::new("a number"))
    }

    fn move_text(&self, _: &u32, to: u32) -> String {
        to.to_string()
    }
}

impl<P: Payoff> Symmetric for TableGame<P> {}
impl<P: Payoff> Playouts for TableGame<P> {}
impl<P: Payoff> Heuristic for TableGame<P> {}
impl<P: Payoff> Features for TableGame<P> {}
impl<P: Payoff> SolverHints for TableGame<P> {}
impl<P: Payoff> OrderingHints for TableGame<P> {}
impl<P: Payoff> Persist for TableGame<P> {}

/// A policy of the tests' own: always the worst child, and on to the end every other time.
#[derive(Clone)]
pub(crate) struct WorstFirst;

impl Explore for WorstFirst {
    fn continues(&mut self, visit: Visit) -> bool {
        visit.depth.is_multiple_of(2)
    }

    fn priority_child<C: Choice>(&mut self, children: &C, _: Visit) -> Option<usize> {
        (0..children.len()).filter(|&i| children.rank(i).is_some()).min_by_key(|&i| children.rank(i))
    }

    fn is_greedy(&self) -> bool {
        false
    }
}

/// A random game without cycles, in which many lines lead to the same state.
pub(crate) fn random_game<P: Payoff>(seed: u64, payoff: impl Fn(&mut dyn FnMut(usize) -> usize) -> P) -> Arc<Tiny<P>> {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut roll = |sides: usize| below(dice.next_u64(), sides);
    let states = 2 + roll(60);
    let nodes = (0..states).map(|state| {
        let later = states - state - 1;
        if later == 0 || state > 0 && roll(5) == 0 {
            return (Err(payoff(&mut roll)), vec![]);
        }
        let mut to: Vec<u32> = (0..1 + roll(5)).map(|_| (state + 1 + roll(later)) as u32).collect();
        to.sort_unstable();
        to.dedup();
        (Ok(Player::new(roll(P::PLAYERS))), to)
    });
    packed(table_game(nodes.collect()))
}

/// Random games of less than so many plies.
pub(crate) fn random_options(plies: u32) -> impl Strategy<Value = RandomOptions> {
    let shape = (any::<u64>(), 2..plies, 2u32..5, prop_oneof![Just(0.0), Just(0.3), Just(0.6)]);
    (shape, 1u32..4, any::<bool>(), any::<bool>()).prop_map(
        |((seed, depth, branching, transpositions), outcomes, draws, cyclic)| {
            let turns = if cyclic { Turns::Cyclic } else { Turns::Any };
            RandomOptions { depth, branching, transpositions, outcomes, draws, turns, seed, ..RandomOptions::default() }
        },
    )
}

/// One search of each kind.
pub(crate) fn instances(seed: u64) -> Vec<Instance> {
    vec![
        Instance::Ubfm,
        Instance::Descent,
        Instance::Descend(2),
        Instance::DepthBounded(3),
        Instance::LeastVisited,
        Instance::EpsilonRandom(0.3, Dice::new(seed)),
    ]
}
