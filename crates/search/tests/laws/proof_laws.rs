//! PNS and MOPNS against the oracle, against the paper's own formulas, and with every refinement.

use std::sync::Arc;

use crate::common::packed;
use perfectplay_core::{Budget, Game, Objective, Params, Player, Status, Stop, Verdict, ZeroSum};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::random::{RandomGame, RandomOptions, Turns};
use perfectplay_games::seam::Tiny;
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::proof_number::{df_mopns, df_pn, mopns, pns};
use perfectplay_search::{Search, Setup};
use proptest::prelude::*;

type Graph = Tiny<ZeroSum>;

fn games() -> impl Strategy<Value = RandomOptions> {
    (any::<u64>(), 3u32..8, 2u32..4, 1u32..5, any::<bool>(), any::<bool>()).prop_map(
        |(seed, depth, branching, outcomes, draws, cyclic)| {
            let turns = if cyclic { Turns::Cyclic } else { Turns::Any };
            RandomOptions { depth, branching, outcomes, draws, turns, seed, ..RandomOptions::default() }
        },
    )
}

fn search(game: &Arc<Graph>, name: &str, objective: Objective, options: &str) -> Box<dyn Search<Graph>> {
    let setup = Setup { objective, ..Setup::default() };
    let params = Params::parse(options).unwrap();
    match name {
        "pns" => pns::open(game.clone(), game.start(), &setup, params).unwrap(),
        "mopns" => mopns::open(game.clone(), game.start(), &setup, params).unwrap(),
        "df-pn" => df_pn::open(game.clone(), game.start(), &setup, params).unwrap(),
        "df-mopns" => df_mopns::open(game.clone(), game.start(), &setup, params).unwrap(),
        _ => unreachable!(),
    }
}

/// What the value is and how many nodes were created.
fn solve(mut search: Box<dyn Search<Graph>>) -> (i32, u64) {
    assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
    let answer = search.answer();
    (answer.verdict.solved().expect("solved").0, answer.effort.nodes)
}

/// A node of the paper's algorithm, written down as the paper has it: 2m numbers, no memory freed, always from the
/// root.
struct Plain {
    for_max: bool,
    state: <Graph as Game>::State,
    greater: Vec<u64>,
    smaller: Vec<u64>,
    children: Vec<Plain>,
}

const NEVER: u64 = u64::MAX;

struct Paper<'a> {
    game: &'a Graph,
    outcomes: Vec<i32>,
    objective: Objective,
    created: u64,
}

impl Paper<'_> {
    fn node(&mut self, state: <Graph as Game>::State) -> Plain {
        self.created += 1;
        let m = self.outcomes.len();
        let (mut greater, mut smaller) = (vec![1; m], vec![1; m]);
        greater[0] = 0;
        smaller[m - 1] = 0;
        let status = self.game.status(&state);
        if let Status::Over(payoff) = status {
            let real = self.outcomes.iter().position(|&o| o == self.objective.value(payoff, Player::FIRST)).unwrap();
            for o in 0..m {
                greater[o] = if o <= real { 0 } else { NEVER };
                smaller[o] = if o >= real { 0 } else { NEVER };
            }
        }
        Plain { for_max: status.mover() == Some(Player::FIRST), state, greater, smaller, children: vec![] }
    }

    fn value(root: &Plain) -> Option<usize> {
        (0..root.greater.len()).find(|&o| root.greater[o] == 0 && root.smaller[o] == 0)
    }

    fn descend(&mut self, node: &mut Plain, wanted: usize, feared: usize) {
        if node.children.is_empty() {
            let mut moves = Vec::new();
            self.game.expand(&node.state, &mut moves);
            node.children = moves.into_iter().map(|mv| self.node(self.game.after(&node.state, mv))).collect();
        } else {
            let effort = |c: &Plain| if node.for_max { c.greater[wanted] } else { c.smaller[feared] };
            let least = node.children.iter().map(effort).min().unwrap();
            let next = node.children.iter().position(|c| effort(c) == least).unwrap();
            self.descend(&mut node.children[next], wanted, feared);
        }
        for o in 0..self.outcomes.len() {
            let greater = node.children.iter().map(|c| c.greater[o]);
            let smaller = node.children.iter().map(|c| c.smaller[o]);
            (node.greater[o], node.smaller[o]) = if node.for_max {
                (greater.min().unwrap(), smaller.fold(0, u64::saturating_add))
            } else {
                (greater.fold(0, u64::saturating_add), smaller.min().unwrap())
            };
        }
    }

    fn solve(mut self) -> (i32, u64) {
        let mut root = self.node(self.game.start());
        let m = self.outcomes.len();
        loop {
            if let Some(rank) = Self::value(&root) {
                return (self.outcomes[rank], self.created);
            }
            let effort = |o: usize| root.greater[o].saturating_add(root.smaller[o]);
            // Ties: the better outcome for the mover.
            let (wanted, feared) = if root.for_max {
                let o = (0..m).rev().filter(|&o| root.greater[o] > 0).min_by_key(|&o| effort(o)).unwrap();
                (o, o.saturating_sub(1))
            } else {
                let o = (0..m).filter(|&o| root.smaller[o] > 0).min_by_key(|&o| effort(o)).unwrap();
                ((o + 1).min(m - 1), o)
            };
            self.descend(&mut root, wanted, feared);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_refinement_finds_the_value(options in games()) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        for objective in [Objective::Gain, Objective::Score] {
            let value = BackwardInduction::solve(game.clone(), game.start(), objective).unwrap();
            let value = objective.value(value, Player::FIRST);
            for options in [
                "", "mode=iterative", "current-node=off", "mobility=on", "heuristic=on", "mobility=on,heuristic=on",
                "prune=off", "squared=on", "squared=on,mobility=on", "table=on", "table=on,sum=weak",
            ] {
                prop_assert_eq!(solve(search(&game, "pns", objective, options)).0, value, "pns:{}", options);
            }
            for options in [
                "", "ties=worse", "current-node=off", "mobility=on", "heuristic=on", "prune=off", "nested=on",
                "nested=on,heuristic=on", "table=on", "table=on,sum=weak,ties=worse",
            ] {
                prop_assert_eq!(solve(search(&game, "mopns", objective, options)).0, value, "mopns:{}", options);
            }
            for options in [
                "", "epsilon=0", "epsilon=2", "sum=weak", "threshold-control=off", "mobility=on", "heuristic=on",
                "symmetry=off,sum=weak,epsilon=1",
            ] {
                for name in ["df-pn", "df-mopns"] {
                    prop_assert_eq!(solve(search(&game, name, objective, options)).0, value, "{}:{}", name, options);
                }
            }
            prop_assert_eq!(solve(search(&game, "df-pn", objective, "mode=iterative")).0, value);
            prop_assert_eq!(solve(search(&game, "df-mopns", objective, "ties=worse")).0, value);
        }
    }

    /// One tree with pairs of numbers, freed memory and no walks back to the root grows exactly the paper's tree.
    #[test]
    fn mopns_grows_the_tree_of_the_paper(options in games()) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        for objective in [Objective::Gain, Objective::Score] {
            let mut outcomes: Vec<i32> = game.facts().outcomes.unwrap();
            if objective == Objective::Gain {
                outcomes.iter_mut().for_each(|o| *o = o.signum());
                outcomes.dedup();
            }
            let expected = Paper { game: &game, outcomes, objective, created: 0 }.solve();
            for options in ["", "prune=off", "current-node=off", "prune=off,current-node=off"] {
                prop_assert_eq!(solve(search(&game, "mopns", objective, options)), expected, "{}", options);
            }
        }
    }

    /// Saffidine and Cazenave 2012, Prop. 3: with two outcomes MOPNS and PNS develop the same tree.
    #[test]
    fn two_outcomes_make_them_one(seed: u64, depth in 3u32..9) {
        let options = RandomOptions { depth, draws: false, seed, ..RandomOptions::default() };
        let game = packed(RandomGame::<ZeroSum>::new(options));
        for options in ["", "mobility=on", "heuristic=on", "table=on"] {
            let both = ["pns", "mopns"].map(|name| solve(search(&game, name, Objective::Gain, options)));
            prop_assert_eq!(both[0], both[1], "{}", options);
        }
    }

    /// Slices of a budget give the same result as one run; in between, what is said to be proved is true.
    #[test]
    fn slices_and_stops_are_harmless(options in games(), slice in 1u64..20) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let value = BackwardInduction::solve(game.clone(), game.start(), Objective::Score).unwrap();
        let mut legal = Vec::new();
        game.expand(&game.start(), &mut legal);
        for (name, options) in [
            ("pns", ""), ("pns", "squared=on"), ("pns", "table=on"), ("mopns", ""), ("mopns", "nested=on"),
            ("mopns", "table=on"), ("df-pn", ""), ("df-mopns", "epsilon=0"),
        ] {
            let whole = solve(search(&game, name, Objective::Score, options));
            let mut sliced = search(&game, name, Objective::Score, options);
            while sliced.run(&Budget::nodes(slice), &mut ()) != Stop::Done {
                let answer = sliced.answer();
                prop_assert!(answer.best_move().is_none_or(|mv| legal.contains(&mv)));
                match answer.verdict {
                    Verdict::Solved(found) => prop_assert_eq!(found, value),
                    Verdict::Bounds { lower, upper, .. } => prop_assert!(lower <= value && value <= upper),
                    _ => {}
                }
            }
            prop_assert_eq!(solve(sliced), whole, "{} {}", name, options);
        }
    }

    /// Lines lead to the value, at the end of the game.
    #[test]
    fn lines_lead_to_the_value(options in games()) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let mut oracle = BackwardInduction::new(game.clone(), game.start(), Objective::Score).unwrap();
        oracle.run(&Budget::unlimited(), &mut ());
        for (name, options) in [
            ("mopns", ""),
            ("mopns", "nested=on"),
            ("mopns", "table=on"),
            ("pns", ""),
            ("pns", "mode=iterative,table=on"),
            ("df-pn", ""),
            ("df-mopns", ""),
        ] {
            let mut search = search(&game, name, Objective::Score, options);
            search.run(&Budget::unlimited(), &mut ());
            let answer = search.answer();
            let value = answer.verdict.solved().unwrap();
            let mut state = game.start();
            for &mv in &answer.line {
                state = game.after(&state, mv);
                prop_assert_eq!(oracle.value(&state), Some(value), "{} {}", name, options);
            }
            prop_assert_eq!(game.status(&state), Status::Over(value));
            for report in answer.moves {
                let real = oracle.value(&game.after(&game.start(), report.mv)).unwrap();
                match report.verdict {
                    Verdict::Solved(found) => prop_assert_eq!(found, real),
                    Verdict::Bounds { lower, upper, .. } => prop_assert!(lower <= real && real <= upper),
                    _ => {}
                }
            }
        }
    }
}

fn large_game() -> Arc<Graph> {
    let game = |seed| {
        let options = RandomOptions {
            depth: 12,
            branching: 4,
            outcomes: 4,
            transpositions: 0.02,
            seed,
            ..RandomOptions::default()
        };
        RandomGame::<ZeroSum>::new(options)
    };
    packed((0..).map(game).find(|g| g.positions() > 20_000).expect("some are large"))
}

/// Memory used up: the search stops, holds no more than allowed, and tells what is proved.
#[test]
fn memory_is_respected() {
    let game = large_game();
    let value = BackwardInduction::solve(game.clone(), game.start(), Objective::Score).unwrap();
    for (name, options) in [("pns", ""), ("mopns", ""), ("mopns", "prune=off"), ("mopns", "nested=on")] {
        for memory in [200, 2_000, 20_000, 200_000] {
            let mut search = search(&game, name, Objective::Score, options);
            let stop = search.run(&Budget { memory: Some(memory), ..Budget::default() }, &mut ());
            let answer = search.answer();
            assert!(
                answer.effort.bytes <= memory.max(1000),
                "{name}:{options} holds {} of {memory}",
                answer.effort.bytes
            );
            match answer.verdict {
                Verdict::Solved(found) => assert_eq!(found, value),
                Verdict::Bounds { lower, upper, .. } => assert!(lower <= value && value <= upper),
                _ => assert_eq!(stop, Stop::Memory),
            }
        }
    }
}

/// A table far too small, and several threads: slower, and right.
#[test]
fn small_tables_and_threads_do_not_change_the_value() {
    let game = packed(ConnectFour::<u64>::new(4, 4));
    for objective in [Objective::Gain, Objective::Score] {
        let value = BackwardInduction::solve(game.clone(), game.start(), objective).unwrap();
        for name in ["df-pn", "df-mopns"] {
            for (memory, threads) in [(None, 1), (Some(30_000), 1), (Some(60_000), 1), (None, 2), (Some(30_000), 3)] {
                let setup = Setup { objective, ..Setup::default() };
                let open = if name == "df-pn" { df_pn::open } else { df_mopns::open };
                let mut search = open(game.clone(), game.start(), &setup, Params::default()).unwrap();
                let budget = Budget { memory, threads, ..Budget::default() };
                assert_eq!(search.run(&budget, &mut ()), Stop::Done);
                let answer = search.answer();
                let found = answer.verdict.solved().expect("solved");
                assert!(objective.compare(Player::FIRST, found, value).is_eq(), "{name} {memory:?} {threads}");
                let collections = answer.counts.iter().find(|c| c.0 == "collections").map_or(0, |c| c.1);
                assert_eq!(collections > 0, memory.is_some(), "{name} {memory:?}: {collections}");
            }
        }
    }
}

#[test]
fn freeing_saves_memory_and_changes_nothing_else() {
    let game = large_game();
    let [freed, kept] = ["prune=on", "prune=off"].map(|options| {
        let mut search = search(&game, "mopns", Objective::Score, options);
        search.run(&Budget::unlimited(), &mut ());
        search.answer()
    });
    assert_eq!((freed.verdict, freed.effort.nodes), (kept.verdict, kept.effort.nodes));
    assert!(freed.effort.bytes * 3 < kept.effort.bytes * 2, "{} against {}", freed.effort.bytes, kept.effort.bytes);
}

#[test]
fn bad_requests_get_a_sentence() {
    let game = packed(RandomGame::<ZeroSum>::new(RandomOptions::default()));
    let refusal = |name: &str, options: &str| {
        let params = Params::parse(options).unwrap();
        let setup = Setup::default();
        let result = match name {
            "pns" => pns::open(game.clone(), game.start(), &setup, params),
            _ => mopns::open(game.clone(), game.start(), &setup, params),
        };
        result.err().expect("refused").to_string()
    };
    assert_eq!(refusal("pns", "goal=5"), "goal must be an outcome of the game (-1 0 1), got \"5\"");
    assert_eq!(refusal("pns", "goal=loss"), "goal=loss is the worst outcome: it is certain, there is nothing to prove");
    assert_eq!(refusal("pns", "squared=on,table=on"), "squared=on works on a tree: set table=off");
    assert!(refusal("mopns", "squared=on").starts_with("mopns does not take \"squared=on\""));
}
