//! The laws of best-first search with several threads, and with several lines of one thread: what is proved is right
//! and stays, no state is lost or made twice, marks are taken back exactly, limits hold, and where it is asked for the
//! same tree grows every time.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::common::{WorstFirst, names_a_move_if_moves_differ, packed};
use perfectplay_core::{
    Budget, Estimate, EstimateOf, Evaluator, FullGame, Game, Objective, Params, Payoff, Player, Scores, Stop,
    StopHandle, Verdict, ZeroSum,
};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::mnk::Mnk;
use perfectplay_games::random::{RandomGame, RandomOptions, Turns};
use perfectplay_games::script::Script;
use perfectplay_games::seam::Tiny;
use perfectplay_search::best_first::completion::{Resolution, TwoPlayers};
use perfectplay_search::best_first::exploration::{Dice, Explore, Instance};
use perfectplay_search::best_first::main_loop::{BestFirst, LoopOptions};
use perfectplay_search::best_first::n_player::{ForMany, Generalisation, ManyPlayers};
use perfectplay_search::best_first::policy::Policy;
use perfectplay_search::best_first::{descent, ubfm, umb};
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::oracle::equilibria::Equilibria;
use perfectplay_search::support::evaluations::{Hashed, Heuristic, Terminal};
use perfectplay_search::{Reader, Search, Setup, Writer};
use proptest::prelude::*;

fn games() -> impl Strategy<Value = RandomOptions> {
    let shape = (any::<u64>(), 2u32..11, 2u32..5, prop_oneof![Just(0.0), Just(0.3), Just(0.6)]);
    (shape, 1u32..4, any::<bool>(), any::<bool>()).prop_map(
        |((seed, depth, branching, transpositions), outcomes, draws, cyclic)| {
            let turns = if cyclic { Turns::Cyclic } else { Turns::Any };
            let depth = if transpositions == 0.0 { depth.min(7) } else { depth };
            RandomOptions { depth, branching, transpositions, outcomes, draws, turns, seed, ..RandomOptions::default() }
        },
    )
}

fn instance(seed: u64) -> Instance {
    match seed % 6 {
        0 | 1 => Instance::Ubfm,
        2 => Instance::Descent,
        3 => Instance::Descend(2),
        4 => Instance::LeastVisited,
        _ => Instance::EpsilonRandom(0.3, Dice::new(seed)),
    }
}

/// One that there is only once, and that likes to be asked about several states at a time.
struct Single(u64, usize);

impl<G: FullGame> Evaluator<G> for Single {
    fn evaluate(&mut self, game: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>) {
        Hashed { seed: self.0, scale: 2.0 }.evaluate(game, states, out);
    }

    fn batch(&self) -> usize {
        self.1
    }
}

fn evaluator<G: FullGame>(seed: u64) -> Option<Box<dyn Evaluator<G>>> {
    match seed / 6 % 5 {
        0 => None,
        1 => Some(Box::new(Hashed { seed, scale: 2.0 })),
        2 => Some(Box::new(Heuristic { scale: 1.0 })),
        3 => Some(Box::new(Single(seed, 1))),
        _ => Some(Box::new(Single(seed, 9))),
    }
}

fn threads(threads: usize) -> Budget {
    Budget { threads, ..Budget::unlimited() }
}

/// What holds of every tree between two runs.
fn check_tree<G: FullGame, P: Policy<G>>(search: &BestFirst<G, P>, kept: bool) {
    let (tree, game) = (search.tree(), search.game());
    let keys: HashSet<G::Key> = tree.nodes().map(|(_, node)| node.key()).collect();
    assert_eq!(keys.len(), tree.len(), "no state is there twice");
    let mut entered: HashMap<u32, u64> = HashMap::new();
    let (mut states, mut seen) = (vec![(search.root(), *search.root_state())], HashSet::new());
    let mut edges = 0;
    while let Some((id, state)) = states.pop() {
        if !seen.insert(id) {
            continue;
        }
        assert_eq!(tree.node(id).key(), game.key(&state));
        assert_eq!(tree.find(game.key(&state)), Some(id), "the index leads to the node");
        let Some(family) = tree.family(id) else { continue };
        let mut moves = Vec::new();
        game.expand(&state, &mut moves);
        assert!((0..family.len()).map(|i| family.mv(i)).eq(moves), "an opened state has all its moves");
        edges += family.len();
        for i in 0..family.len() {
            *entered.entry(family.id(i)).or_default() += u64::from(family.visits(i));
            states.push((family.id(i), game.after(&state, family.mv(i))));
        }
    }
    if kept {
        assert_eq!((seen.len(), edges), (tree.len(), tree.edge_count()), "nothing is lost");
        assert_eq!(search.effort().nodes, tree.len() as u64, "nothing was made in vain");
        // Every line that enters a state ends there or leaves it: visits taken back are gone.
        *entered.entry(search.root()).or_default() += search.iterations();
        let mut ends = 0;
        for (id, _) in tree.nodes() {
            let left = tree.family(id).map_or(0, |f| (0..f.len()).map(|i| u64::from(f.visits(i))).sum::<u64>());
            let entered = entered.get(&id).copied().unwrap_or(0);
            assert!(entered >= left, "{entered} lines came and {left} left");
            ends += entered - left;
        }
        assert_eq!(ends, search.iterations(), "every line ends once");
    }
}

fn two_players<X: Explore>(
    game: &Arc<Tiny<ZeroSum>>,
    explore: X,
    seed: u64,
    resolution: Resolution,
    options: LoopOptions,
) -> BestFirst<Tiny<ZeroSum>, TwoPlayers<Tiny<ZeroSum>, X>> {
    let mut policy = TwoPlayers::new(explore);
    (policy.evaluator, policy.resolution) = (evaluator(seed), resolution);
    if let Resolution::Score(_) = resolution {
        (policy.terminal, policy.objective) = (Terminal::Score, Objective::Score);
    }
    BestFirst::new("test", game.clone(), game.start(), policy, options).unwrap()
}

/// Solves in slices and looks at every resolved state in between.
fn check_two_players<X: Explore>(
    game: &Arc<Tiny<ZeroSum>>,
    explore: X,
    (seed, count, slice): (u64, usize, Option<u64>),
    resolution: Resolution,
    options: LoopOptions,
) {
    let objective = if let Resolution::Score(_) = resolution { Objective::Score } else { Objective::Gain };
    let mut truth = BackwardInduction::new(game.clone(), game.start(), objective).unwrap();
    truth.run(&Budget::unlimited(), &mut ());
    let mut search = two_players(game, explore, seed, resolution, options);
    let mut known = HashMap::new();
    let budget = Budget { nodes: slice, ..threads(count) };
    loop {
        let stop = search.run(&budget, &mut ());
        for (_, node) in search.tree().nodes().filter(|(_, node)| node.data().r()) {
            let (value, data) = (truth.value(&node.key().resized()).unwrap(), node.data());
            match objective {
                Objective::Gain => assert_eq!(i32::from(data.c()), value.gain(Player::FIRST).value()),
                _ => assert_eq!(data.v(), value.0 as f32),
            }
            known.insert(node.key(), data);
        }
        for (key, data) in &known {
            let id = search.tree().find(*key).expect("it was there");
            assert_eq!(search.tree().node(id).data(), *data, "what is resolved stays as it is");
        }
        check_tree(&search, true);
        let closed = search.tree().nodes().filter(|(_, node)| node.data().r()).count();
        assert_eq!(search.resolved(), closed as u64);
        if stop == Stop::Done {
            break;
        }
        assert_eq!(stop, Stop::Nodes);
    }
    let lines = if options.reproducible || seed / 6 % 5 == 4 { 64 } else { 1 };
    assert!(
        search.iterations() <= 2 * (game.facts().states.unwrap() as usize * count * lines) as u64,
        "{}",
        search.iterations()
    );
    let answer = search.answer();
    let solved = answer.verdict.solved().expect("solved");
    assert!(objective.compare(Player::FIRST, solved, truth.value(&game.start()).unwrap()).is_eq());
    if let Some(mv) = answer.best_move() {
        assert!(truth.strategy(&game.start()).contains(&mv), "the move is optimal");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn threads_resolve_the_root_whatever_the_policy_and_the_evaluation(
        options in games(), seed: u64, count in 2usize..=8,
        slice in prop_oneof![Just(None), (20u64..200).prop_map(Some)],
        reread: bool, reproducible: bool
    ) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let bounds = Resolution::Score([options.outcomes as f32; 2]);
        let form = LoopOptions { reread, reproducible, ..LoopOptions::default() };
        for resolution in [Resolution::Weak, Resolution::Strong, bounds] {
            check_two_players(&game, instance(seed), (seed, count, slice), resolution, form);
        }
        check_two_players(&game, WorstFirst, (seed, count, slice), Resolution::Weak, form);
    }

    #[test]
    fn threads_find_equilibria(options in games(), seed: u64, count in 2usize..=8) {
        let options = RandomOptions { depth: options.depth.min(8), ..options };
        for generalisation in [Generalisation::First, Generalisation::Second] {
            let form = ForMany { generalisation, relaxed: false };
            // Without ties there is one value.
            let game = packed(RandomGame::<Scores<3>>::new(RandomOptions { ties: false, ..options }));
            let value = BackwardInduction::solve(game.clone(), game.start(), Objective::Gain).unwrap();
            prop_assert_eq!(resolve(&game, form, seed, count), value);
            let game = packed(RandomGame::<Scores<3>>::new(options));
            let set = Equilibria::solve(game.clone(), game.start(), Objective::Gain).unwrap();
            let found = resolve(&game, form, seed, count);
            prop_assert!(set.contains(&found), "{:?} is not among {:?}", found, set);
        }
    }

    #[test]
    fn the_same_tree_grows_every_time_if_asked(
        options in games(), seed: u64, count in 2usize..=5, nodes in 10u64..500,
    ) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let form = LoopOptions { reproducible: true, ..LoopOptions::default() };
        let grow = || {
            let mut search = two_players(&game, instance(seed), seed, Resolution::Weak, form);
            let stop = search.run(&Budget { nodes: Some(nodes), ..threads(count) }, &mut ());
            (stop, search.tree().signature(), search.iterations(), search.answer().line)
        };
        prop_assert_eq!(grow(), grow());
    }

    #[test]
    fn a_search_goes_on_after_moves_and_after_it_was_saved(options in games(), seed: u64, nodes in 5u64..60) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let mut truth = BackwardInduction::new(game.clone(), game.start(), Objective::Gain).unwrap();
        truth.run(&Budget::unlimited(), &mut ());
        let open = if seed.is_multiple_of(2) { ubfm::open } else { descent::open };
        let new = |state: &_| open(game.clone(), *state, &Setup::default(), Params::default()).unwrap();
        let (mut state, mut search) = (game.start(), new(&game.start()));
        loop {
            // Sometimes one thread, sometimes several.
            let count = 1 + (seed >> (search.answer().effort.nodes % 60)) as usize % 4;
            search.run(&Budget { nodes: Some(nodes), ..threads(count) }, &mut ());
            let mut legal = Vec::new();
            game.expand(&state, &mut legal);
            let Some(mv) = search.answer().best_move().or(legal.first().copied()) else { break };
            game.play(&mut state, mv);
            prop_assert!(search.advance(mv));
            let mut bytes = Vec::new();
            let mut writer = Writer::new(&mut bytes);
            search.save(&mut writer).unwrap();
            writer.finish().unwrap();
            search = new(&state);
            search.restore(&mut Reader::new(&mut bytes.as_slice(), bytes.len() as u64)).unwrap();
        }
        prop_assert_eq!(search.run(&threads(3), &mut ()), Stop::Done);
        prop_assert_eq!(search.answer().verdict, Verdict::Solved(truth.value(&state).unwrap()));
    }

    #[test]
    fn little_memory_slows_threads_down_and_does_not_mislead_them(options in games(), count in 2usize..=4) {
        let game = packed(RandomGame::<ZeroSum>::new(RandomOptions { depth: 9, branching: 4, ..options }));
        let value = BackwardInduction::solve(game.clone(), game.start(), Objective::Gain).unwrap().gain(Player::FIRST);
        for (open, text) in [
            (ubfm::open as fn(_, _, &_, _) -> _, "when-full=drop"),
            (descent::open, "when-full=drop"),
            (ubfm::open, ""),
        ] {
            let params = Params::parse(text).unwrap();
            let mut search = open(game.clone(), game.start(), &Setup::default(), params).unwrap();
            let budget = Budget { memory: Some(16_000), nodes: Some(50_000), ..threads(count) };
            let stop = search.run(&budget, &mut ());
            let answer = search.answer();
            prop_assert!(answer.effort.bytes <= 16_000, "{} bytes", answer.effort.bytes);
            match answer.verdict.solved() {
                Some(v) => prop_assert_eq!(v.gain(Player::FIRST), value),
                None => {
                    prop_assert!(stop != Stop::Done && (text.is_empty() == (stop == Stop::Memory) || !text.is_empty()));
                }
            }
        }
    }
}

fn resolve(game: &Arc<Tiny<Scores<3>>>, form: ForMany, seed: u64, count: usize) -> Scores<3> {
    let mut policy = ManyPlayers::new(instance(seed), form, &game.facts(), Terminal::Score, Objective::Gain);
    policy.evaluator = evaluator(seed);
    let mut search = BestFirst::new("test", game.clone(), game.start(), policy, LoopOptions::default()).unwrap();
    assert_eq!(search.run(&threads(count), &mut ()), Stop::Done);
    check_tree(&search, true);
    let value = search.answer().verdict.solved().expect("solved");
    let root = search.tree().node(search.root()).data();
    assert_eq!(value.scores.map(|s| s as f32), root.v, "the line leads to the value");
    value
}

/// Trees large enough that threads are at work in them at the same time, with many transpositions.
#[test]
fn threads_at_work_on_whole_games() {
    let game = packed(ConnectFour::<u64>::new(4, 4));
    for (number, instance) in [Instance::Ubfm, Instance::Descent].into_iter().enumerate() {
        for count in [2, 3, 8] {
            let mut policy = TwoPlayers::new(instance.clone());
            policy.evaluator = if count == 3 { Some(Box::new(Heuristic { scale: 1.0 })) } else { None };
            let options = LoopOptions { reread: number == 1, ..LoopOptions::default() };
            let mut search = BestFirst::new("test", game.clone(), game.start(), policy, options).unwrap();
            assert_eq!(search.run(&threads(count), &mut ()), Stop::Done);
            assert_eq!(search.answer().verdict.solved().map(|v| v.0), Some(0));
            assert!(search.tree().len() <= 161_029, "no more states than there are");
            check_tree(&search, true);
        }
    }
    let game = packed(Mnk::<u64, 2, ZeroSum>::new(3, 4, 3));
    let mut search = ubfm::open(game.clone(), game.start(), &Setup::default(), Params::default()).unwrap();
    assert_eq!(search.run(&threads(4), &mut ()), Stop::Done);
    assert_eq!(search.answer().verdict.solved().map(|v| v.gain(Player::FIRST).value()), Some(1));
}

/// Also in a tree so large that every thread has several lines.
#[test]
fn several_lines_of_each_thread_keep_the_laws() {
    let game = packed(ConnectFour::<u64>::new(7, 6));
    for (instance, count) in [(Instance::Ubfm, 2), (Instance::Descent, 4)] {
        let policy = TwoPlayers::new(instance);
        let mut search = BestFirst::new("test", game.clone(), game.start(), policy, LoopOptions::default()).unwrap();
        for _ in 0..3 {
            assert_eq!(search.run(&Budget { nodes: Some(200_000), ..threads(count) }, &mut ()), Stop::Nodes);
        }
        check_tree(&search, true);
        assert!(search.tree().len() < 610_000, "{} states", search.tree().len());
    }
}

#[test]
fn threads_notice_that_they_are_stuck() {
    let game = packed(Script::<ZeroSum>::parse("[1,[3]]").unwrap());
    let setup = Setup { objective: Objective::Score, ..Setup::default() };
    for (text, reproducible) in [("completion=off", false), ("completion=off", true)] {
        let setup = Setup { reproducible, ..setup.clone() };
        let mut search = ubfm::open(game.clone(), game.start(), &setup, Params::parse(text).unwrap()).unwrap();
        assert_eq!(search.run(&threads(3), &mut ()), Stop::Stalled);
    }
    let mut search = umb::open(game.clone(), game.start(), &setup, Params::default()).unwrap();
    assert_eq!(search.run(&threads(3), &mut ()), Stop::Done);
    assert_eq!(search.answer().verdict.solved(), Some(ZeroSum(3)));
}

/// Counts calls and states.
struct Counted(Arc<AtomicU64>, Arc<AtomicU64>, usize);

impl<G: FullGame> Evaluator<G> for Counted {
    fn evaluate(&mut self, _: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>) {
        self.0.fetch_add(1, Ordering::Relaxed);
        self.1.fetch_add(states.len() as u64, Ordering::Relaxed);
        out.extend(states.iter().map(|_| EstimateOf::<G>::from_fn(|_| 0.0)));
    }

    fn batch(&self) -> usize {
        self.2
    }
}

#[test]
fn leaves_of_several_lines_are_evaluated_together() {
    let game = packed(ConnectFour::<u64>::new(7, 6));
    for (count, reproducible) in [(1, false), (2, false), (2, true)] {
        let (calls, states) = <(Arc<AtomicU64>, Arc<AtomicU64>)>::default();
        let mut policy = TwoPlayers::new(Instance::Ubfm);
        policy.evaluator = Some(Box::new(Counted(calls.clone(), states.clone(), 64)));
        let options = LoopOptions { reproducible, ..LoopOptions::default() };
        let mut search = BestFirst::new("test", game.clone(), game.start(), policy, options).unwrap();
        search.run(&Budget { nodes: Some(20_000), ..threads(count) }, &mut ());
        let per_call = states.load(Ordering::Relaxed) / calls.load(Ordering::Relaxed);
        assert!(per_call > 30, "{per_call} states per call");
        check_tree(&search, true);
    }
}

/// Takes its time.
struct Slow(Duration);

impl<G: FullGame> Evaluator<G> for Slow {
    fn evaluate(&mut self, game: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>) {
        std::thread::sleep(self.0 * states.len() as u32);
        Hashed { seed: 1, scale: 1.0 }.evaluate(game, states, out);
    }

    fn fork(&self) -> Option<Box<dyn Evaluator<G>>> {
        Some(Box::new(Slow(self.0)))
    }
}

/// The slices are shorter than one evaluation of all children: what was found out is not lost.
#[test]
fn slow_evaluations_are_not_repeated_from_slice_to_slice() {
    let game = packed(ConnectFour::<u64>::new(7, 6));
    for reproducible in [false, true] {
        let mut policy = TwoPlayers::new(Instance::Ubfm);
        policy.evaluator = Some(Box::new(Slow(Duration::from_millis(3))));
        let options = LoopOptions { reproducible, ..LoopOptions::default() };
        let mut search = BestFirst::new("test", game.clone(), game.start(), policy, options).unwrap();
        let mut slices = 0;
        while search.tree().len() < 30 {
            search.run(&Budget { time: Some(Duration::from_millis(1)), ..threads(2) }, &mut ());
            slices += 1;
            assert!(slices < 1_000, "only {} states", search.tree().len());
        }
    }
}

#[test]
fn threads_stop_when_they_are_asked_to() {
    let game = packed(ConnectFour::<u64>::new(7, 6));
    for text in ["", "when-full=drop", "eval=rollouts,playouts=20"] {
        let mut best = Duration::MAX;
        let mut search =
            ubfm::open(game.clone(), game.start(), &Setup::default(), Params::parse(text).unwrap()).unwrap();
        for _ in 0..10 {
            let stop = StopHandle::new();
            let budget = Budget { memory: Some(20 << 20), stop: stop.clone(), ..threads(3) };
            let asked = std::sync::Mutex::new(Instant::now());
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(40));
                    *asked.lock().unwrap() = Instant::now();
                    stop.pull();
                });
                search.run(&budget, &mut ());
            });
            if stop.is_pulled() {
                best = best.min(asked.lock().unwrap().elapsed());
            }
            names_a_move_if_moves_differ(&search.answer());
        }
        // The best of ten: on a busy machine a thread may have to wait for its turn.
        assert!(best <= Duration::from_millis(50), "{text}: {best:?}");
    }
}
