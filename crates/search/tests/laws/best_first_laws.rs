//! The laws of unbounded best-first search: complete on every acyclic game, whatever the evaluation and the policy;
//! what is resolved is right and stays as it is.

use std::sync::Arc;

use crate::common::{WorstFirst, instances, names_a_move_if_moves_differ, packed, random_options, table_game};
use perfectplay_core::{
    Budget, Estimate, EstimateOf, Evaluator, FullGame, Game, Objective, Params, Payoff, Player, Scores, Status, Stop,
    Verdict, ZeroSum,
};
use perfectplay_games::nim::Nim;
use perfectplay_games::random::{RandomGame, RandomOptions, RandomPayoff};
use perfectplay_games::seam::Tiny;
use perfectplay_search::best_first::completion::{Resolution, TwoPlayers};
use perfectplay_search::best_first::decisions::Judge;
use perfectplay_search::best_first::exploration::Explore;
use perfectplay_search::best_first::main_loop::{BestFirst, LoopOptions};
use perfectplay_search::best_first::n_player::{ForMany, Generalisation, ManyPlayers};
use perfectplay_search::best_first::{descent, ubfm, umb};
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::oracle::equilibria::Equilibria;
use perfectplay_search::support::evaluations::{Hashed, Heuristic, Terminal};
use perfectplay_search::{Search, Setup};
use proptest::prelude::*;

/// The worst guesses there are: the opposite of the truth.
struct Liar<G: FullGame>(BackwardInduction<G>);

impl<G: FullGame> Evaluator<G> for Liar<G> {
    fn evaluate(&mut self, _: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>) {
        for state in states {
            let truth = self.0.value(state).expect("solved");
            out.push(EstimateOf::<G>::from_fn(|p| -1.5 * truth.score(p) as f32));
        }
    }
}

fn oracle<G: FullGame>(game: &Arc<G>, objective: Objective) -> BackwardInduction<G> {
    let mut oracle = BackwardInduction::new(game.clone(), game.start(), objective).unwrap();
    oracle.run(&Budget::unlimited(), &mut ());
    oracle
}

/// Nothing, noise, lies, or the game's own guess.
fn evaluator<G: FullGame>(game: &Arc<G>, seed: u64) -> Option<Box<dyn Evaluator<G>>> {
    match seed % 4 {
        0 => None,
        1 => Some(Box::new(Hashed { seed, scale: 2.0 })),
        2 => Some(Box::new(Liar(oracle(game, Objective::Gain)))),
        _ => Some(Box::new(Heuristic { scale: 1.0 })),
    }
}

/// Iterates until the root is resolved, at most 2·|S| times, and calls `look` after every iteration.
fn iterate<P: Payoff + RandomPayoff, J: Judge<Tiny<P>>>(
    search: &mut BestFirst<Tiny<P>, J>,
    mut look: impl FnMut(&BestFirst<Tiny<P>, J>),
    resolved: impl Fn(J::Data) -> bool,
) {
    let bound = 2 * search.game().facts().states.unwrap() as u64;
    while !resolved(search.tree().node(search.root()).data()) {
        assert!(search.iterations() < bound, "not resolved after 2|S| = {bound} iterations");
        search.iterate();
        look(search);
    }
}

fn check_two_players<X: Explore>(
    game: &Arc<Tiny<ZeroSum>>,
    explore: X,
    evaluator: Option<Box<dyn Evaluator<Tiny<ZeroSum>>>>,
    resolution: Resolution,
    reread: bool,
) {
    let objective = if let Resolution::Score(_) = resolution { Objective::Score } else { Objective::Gain };
    let truth = oracle(game, objective);
    let mut policy = TwoPlayers::new(explore);
    (policy.evaluator, policy.resolution) = (evaluator, resolution);
    if objective == Objective::Score {
        policy.terminal = Terminal::Score;
    }
    let options = LoopOptions { reread, ..LoopOptions::default() };
    let mut search = BestFirst::new("test", game.clone(), game.start(), policy, options).unwrap();
    let mut known = Vec::new();
    iterate(
        &mut search,
        |search| {
            for (id, node) in search.tree().nodes() {
                let id = id as usize;
                let data = node.data();
                if known.len() <= id {
                    known.push(None);
                }
                let now = (data.c(), if objective == Objective::Score { data.v() } else { 0.0 });
                if let Some(before) = known[id] {
                    assert_eq!((before, true), (now, data.r()), "Lemma 4: what is resolved stays as it is");
                }
                if data.r() {
                    known[id] = Some(now);
                }
                if resolution == Resolution::Weak {
                    assert!(data.c() == 0 || data.r(), "Lemma 5: |c| = 1 implies resolved");
                }
            }
        },
        |data| data.r(),
    );
    for (_, node) in search.tree().nodes().filter(|(_, n)| n.data().r()) {
        let value = truth.value(&node.key().resized()).unwrap();
        match objective {
            Objective::Gain => assert_eq!(i32::from(node.data().c()), value.gain(Player::FIRST).value()),
            Objective::Score | Objective::Length => assert_eq!(node.data().v(), value.0 as f32),
        }
    }
    let answer = search.answer();
    let solved = answer.verdict.solved().expect("solved");
    assert!(objective.compare(Player::FIRST, solved, truth.value(&game.start()).unwrap()).is_eq());
    if let Some(mv) = answer.best_move() {
        assert!(truth.strategy(&game.start()).contains(&mv), "the move is optimal");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn two_players_resolve_the_root_whatever_the_policy_and_the_evaluation(
        options in random_options(10), seed: u64, reread: bool,
    ) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let bounds = Resolution::Score([options.outcomes as f32; 2]);
        for resolution in [Resolution::Weak, Resolution::Strong, bounds] {
            for instance in instances(seed) {
                check_two_players(&game, instance.clone(), evaluator(&game, seed), resolution, reread);
            }
            check_two_players(&game, WorstFirst, None, resolution, reread);
        }
    }

    #[test]
    fn n_players_find_the_unique_value_if_f_breaks_ties(options in random_options(8), seed: u64, reread: bool) {
        let options = RandomOptions { ties: false, ..options };
        check_unique::<3>(options, seed, reread);
        check_unique::<4>(RandomOptions { depth: options.depth.min(5), ..options }, seed, reread);
        check_unique::<2>(options, seed, reread);
    }

    #[test]
    fn n_players_find_an_equilibrium_in_any_case(options in random_options(10), seed: u64, reread: bool) {
        check_member::<2>(options, seed, reread);
        check_member::<3>(options, seed, reread);
        check_member::<4>(RandomOptions { depth: options.depth.min(5), ..options }, seed, reread);
    }

    #[test]
    fn refinements_do_not_change_what_is_found(options in random_options(10), seed in 0u64..1000) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let value = BackwardInduction::solve(game.clone(), game.start(), Objective::Gain).unwrap().gain(Player::FIRST);
        for text in [
            "", "reread=on", "batch=off,eval=hashed", "keep=off", "strong=on", "f=score", "f=depth",
            "eval=rollouts,playouts=2", "eval=heuristic", "decision=safest", "generalisation=first,f=gain",
            "generalisation=second", "resolution=relaxed",
        ] {
            let params = Params::parse(text).unwrap();
            let setup = Setup { seed, ..Setup::default() };
            for open in [ubfm::open, descent::open] {
                let mut search = open(game.clone(), game.start(), &setup, params.clone()).unwrap();
                prop_assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
                let answer = search.answer();
                prop_assert_eq!(answer.verdict.solved().map(|v| v.gain(Player::FIRST)), Some(value), "{}", text);
                if text == "strong=on" {
                    prop_assert!(answer.moves.iter().all(|m| m.verdict.solved().is_some()));
                }
            }
        }
    }

    #[test]
    fn options_for_n_players_lead_to_equilibria(options in random_options(10), seed in 0u64..1000) {
        // Scores that are the gains: then all options are about the same preferences.
        let game = packed(RandomGame::<Scores<3>>::new(RandomOptions { outcomes: 1, ..options }));
        let set = Equilibria::solve(game.clone(), game.start(), Objective::Gain).unwrap();
        for text in ["f=gain", "f=depth", "strong=on", "strong=on,generalisation=second", "eval=rollouts,playouts=2",
                     "decision=safest-completed,eval=hashed", "batch=off,eval=hashed,resolution=relaxed"] {
            let found = solve_three(&game, Objective::Gain, text, seed);
            prop_assert!(found.is_none_or(|v| set.contains(&v)), "{text}: {found:?} is not among {set:?}");
        }
        let game = packed(RandomGame::<Scores<3>>::new(options));
        let set = Equilibria::solve(game.clone(), game.start(), Objective::Score).unwrap();
        for text in ["", "generalisation=second", "strong=on", "resolution=relaxed", "eval=hashed,reread=on"] {
            let found = solve_three(&game, Objective::Score, text, seed);
            let among = found.is_none_or(|v| set.iter().any(|e| e.scores == v.scores));
            prop_assert!(among, "{text}: {found:?} is not among {set:?}");
        }
    }

    #[test]
    fn a_budget_cut_into_slices_gives_the_same_tree(options in random_options(10), slice in 1u64..20) {
        let game = packed(RandomGame::<ZeroSum>::new(RandomOptions { depth: 8, ..options }));
        for instance in instances(options.seed) {
            let make = || {
                let policy = TwoPlayers::new(instance.clone());
                BestFirst::new("test", game.clone(), game.start(), policy, LoopOptions::default()).unwrap()
            };
            let (mut whole, mut sliced) = (make(), make());
            prop_assert_eq!(whole.run(&Budget::unlimited(), &mut ()), Stop::Done);
            while sliced.run(&Budget::nodes(slice), &mut ()) == Stop::Nodes {
                names_a_move_if_moves_differ(&sliced.answer());
            }
            prop_assert_eq!(whole.tree().signature(), sliced.tree().signature());
        }
    }

    #[test]
    fn the_tree_is_kept_from_move_to_move(options in random_options(10), nodes in 5u64..60) {
        let game = packed(RandomGame::<ZeroSum>::new(RandomOptions { depth: 8, ..options }));
        let mut truth = oracle(&game, Objective::Gain);
        truth.run(&Budget::unlimited(), &mut ());
        for instance in instances(options.seed) {
            let policy = TwoPlayers::new(instance);
            let options = LoopOptions::default();
            let mut search = BestFirst::new("test", game.clone(), game.start(), policy, options).unwrap();
            let mut state = game.start();
            loop {
                search.run(&Budget::nodes(nodes), &mut ());
                let mut legal = Vec::new();
                game.expand(&state, &mut legal);
                let Some(mv) = search.answer().best_move().or(legal.first().copied()) else { break };
                let before: Vec<_> = search.tree().nodes().map(|(_, n)| (n.key(), n.data())).collect();
                game.play(&mut state, mv);
                prop_assert!(Search::advance(&mut search, mv));
                search.tidy();
                // What is left is what can be reached, with the data it had.
                for (_, node) in search.tree().nodes() {
                    let id = search.tree().find(node.key()).unwrap();
                    prop_assert_eq!(search.tree().node(id).key(), node.key());
                    let known = before.contains(&(node.key(), node.data()));
                    prop_assert!(known || before.is_empty() || search.tree().len() == 1);
                }
                let closed = search.tree().nodes().filter(|(_, n)| n.data().r()).count() as u64;
                prop_assert_eq!(search.resolved(), closed);
            }
            prop_assert_eq!(search.root_state(), &state);
            search.run(&Budget::unlimited(), &mut ());
            prop_assert_eq!(search.answer().verdict, Verdict::Solved(truth.value(&state).unwrap()));
        }
    }

    #[test]
    fn little_memory_slows_a_search_down_and_does_not_mislead_it(options in random_options(10)) {
        let game = packed(RandomGame::<ZeroSum>::new(RandomOptions { depth: 9, branching: 4, ..options }));
        let value = BackwardInduction::solve(game.clone(), game.start(), Objective::Gain).unwrap().gain(Player::FIRST);
        for open in [ubfm::open, descent::open] {
            let params = Params::parse("when-full=drop").unwrap();
            let mut search = open(game.clone(), game.start(), &Setup::default(), params).unwrap();
            let budget = Budget { memory: Some(16_000), nodes: Some(200_000), ..Budget::default() };
            let stop = search.run(&budget, &mut ());
            let answer = search.answer();
            prop_assert!(answer.effort.bytes <= 16_000);
            match answer.verdict.solved() {
                Some(v) => prop_assert_eq!(v.gain(Player::FIRST), value),
                None => prop_assert!(stop != Stop::Done),
            }
        }
        let game = packed(RandomGame::<Scores<3>>::new(RandomOptions { depth: 9, branching: 4, ..options }));
        let set = Equilibria::solve(game.clone(), game.start(), Objective::Gain).unwrap();
        for text in ["when-full=drop", "when-full=drop,generalisation=second"] {
            let found = solve_three(&game, Objective::Gain, text, options.seed);
            prop_assert!(found.is_none_or(|v| set.contains(&v)), "{}: {:?} is not among {:?}", text, found, set);
        }
    }
}

/// The value that UBFMⁿ or Descentⁿ finds with these options, at the end of the line it names; `None` if memory was too
/// short.
fn solve_three(game: &Arc<Tiny<Scores<3>>>, objective: Objective, options: &str, seed: u64) -> Option<Scores<3>> {
    let setup = Setup { objective, seed, ..Setup::default() };
    let open = if seed.is_multiple_of(2) { ubfm::open } else { descent::open };
    let mut search = open(game.clone(), game.start(), &setup, Params::parse(options).unwrap()).unwrap();
    let memory = options.contains("drop").then_some(12_000);
    let stop = search.run(&Budget { memory, nodes: Some(100_000), ..Budget::default() }, &mut ());
    let answer = search.answer();
    let Some(value) = answer.verdict.solved() else {
        assert!(memory.is_some() && stop != Stop::Done, "{options}: {stop:?}");
        return None;
    };
    let mut end = game.start();
    answer.line.iter().for_each(|&mv| game.play(&mut end, mv));
    assert_eq!(game.status(&end), Status::Over(value), "{options}: the line leads to the value");
    Some(value)
}

/// All forms for n players.
fn forms() -> impl Iterator<Item = ForMany> {
    [Generalisation::First, Generalisation::Second]
        .into_iter()
        .flat_map(|generalisation| [false, true].map(|relaxed| ForMany { generalisation, relaxed }))
}

fn check_unique<const N: usize>(options: RandomOptions, seed: u64, reread: bool) {
    let game = packed(RandomGame::<Scores<N>>::new(options));
    let value = BackwardInduction::solve(game.clone(), game.start(), Objective::Gain).unwrap();
    for form in forms().filter(|f| !f.relaxed) {
        for instance in instances(seed) {
            let found = resolve(&game, instance.clone(), form, evaluator(&game, seed), reread);
            assert_eq!(found, value, "{form:?} {instance:?}");
        }
    }
}

fn check_member<const N: usize>(options: RandomOptions, seed: u64, reread: bool) {
    for form in forms() {
        // Relaxed resolution settles the gain only, so it is asked about games whose scores are the gains.
        let outcomes = if form.relaxed { 1 } else { options.outcomes };
        let game = packed(RandomGame::<Scores<N>>::new(RandomOptions { outcomes, ..options }));
        let set = Equilibria::solve(game.clone(), game.start(), Objective::Gain).unwrap();
        for instance in instances(seed) {
            let found = resolve(&game, instance.clone(), form, evaluator(&game, seed), reread);
            assert!(set.contains(&found), "{found:?} is not among {set:?}");
        }
    }
}

/// Runs to the end; what is resolved must stay as it is (Lemma 13).
fn resolve<const N: usize, X: Explore>(
    game: &Arc<Tiny<Scores<N>>>,
    explore: X,
    form: ForMany,
    evaluator: Option<Box<dyn Evaluator<Tiny<Scores<N>>>>>,
    reread: bool,
) -> Scores<N> {
    let mut policy = ManyPlayers::new(explore, form, &game.facts(), Terminal::Score, Objective::Gain);
    policy.evaluator = evaluator;
    let options = LoopOptions { reread, ..LoopOptions::default() };
    let mut search = BestFirst::new("test", game.clone(), game.start(), policy, options).unwrap();
    let mut known = Vec::new();
    iterate(
        &mut search,
        |search| {
            for (id, node) in search.tree().nodes() {
                let id = id as usize;
                if known.len() <= id {
                    known.push(None);
                }
                if let Some(before) = known[id] {
                    assert_eq!(before, node.data(), "what is resolved stays as it is");
                }
                if node.data().r {
                    known[id] = Some(node.data());
                }
            }
        },
        |data| data.r,
    );
    let answer = search.answer();
    let value = answer.verdict.solved().expect("solved");
    let root = search.tree().node(search.root()).data();
    assert_eq!(value.scores.map(|s| s as f32), root.v, "the line leads to the value");
    assert!(Player::all(N).all(|p| i32::from(root.c.get(p)) == value.gain(p).value()));
    value
}

/// Preferences are strict in podium Nim, so every form finds the one equilibrium, and the theorem names the winner.
#[test]
fn podium_nim_has_the_value_that_the_theorem_says() {
    for heaps in [&[1u8, 2][..], &[2, 3], &[1, 1, 1], &[2, 2, 2], &[3, 3, 3], &[1, 2, 4]] {
        let game = packed(Nim::<Scores<3>>::new(heaps, false));
        let last_mover_first = (0..3).all(|bit| heaps.iter().filter(|&&h| h >> bit & 1 == 1).count() % 3 == 0);
        for text in ["generalisation=first", "generalisation=second"] {
            for open in [ubfm::open, descent::open, umb::open] {
                let params = Params::parse(text).unwrap();
                let mut search = open(game.clone(), game.start(), &Setup::default(), params).unwrap();
                assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
                let value = search.answer().verdict.solved().unwrap();
                assert_eq!(value.score(Player::new(2)) == 2, last_mover_first, "{heaps:?}");
                assert_eq!(value, BackwardInduction::solve(game.clone(), game.start(), Objective::Gain).unwrap());
            }
        }
    }
}

/// Thousands of plies, no recursion.
#[test]
fn a_long_game_does_not_exhaust_the_stack() {
    let length = 50_000;
    let mut nodes: Vec<_> = (0..length).map(|i| (Ok(Player::new(i % 2)), vec![i as u32 + 1, length as u32])).collect();
    nodes.push((Err(ZeroSum(0)), vec![]));
    let game = packed(table_game(nodes));
    let mut search = descent::open(game.clone(), game.start(), &Setup::default(), Params::default()).unwrap();
    assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
    assert_eq!(search.answer().verdict.solved(), Some(ZeroSum(0)));
    assert_eq!(search.answer().line.len(), length); // all moves draw, and this line was visited
    let mut search = ubfm::open(game.clone(), game.start(), &Setup::default(), Params::default()).unwrap();
    search.run(&Budget::nodes(3_000), &mut ());
    names_a_move_if_moves_differ(&search.answer());
}
