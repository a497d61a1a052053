//! Best-first search without its transposition table: a tree in which a state that is reached by several orders of
//! moves is several nodes. What is proved is the same; where no state is reached twice, so is everything else.

use std::collections::HashMap;
use std::sync::Arc;

use crate::common::{Open, instances, names_a_move_if_moves_differ, packed, random_options};
use perfectplay_core::{
    Budget, Evaluator, FullGame, Game, Growth, Objective, Observer, Params, Payoff, Player, Scores, Stop, Verdict,
    ZeroSum,
};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::mnk::Mnk;
use perfectplay_games::nim::Nim;
use perfectplay_games::random::{RandomGame, RandomOptions};
use perfectplay_games::seam::Tiny;
use perfectplay_search::best_first::completion::{Resolution, TwoPlayers};
use perfectplay_search::best_first::decisions::Judge;
use perfectplay_search::best_first::exploration::Instance;
use perfectplay_search::best_first::main_loop::{BestFirst, LoopOptions, WhenFull};
use perfectplay_search::best_first::n_player::{ForMany, Generalisation, ManyPlayers};
use perfectplay_search::best_first::policy::Policy;
use perfectplay_search::best_first::{descent, ubfm, umb};
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::oracle::equilibria::Equilibria;
use perfectplay_search::support::evaluations::{Hashed, Terminal};
use perfectplay_search::{Reader, Refusal, SaveError, Search, Setup, Writer};
use proptest::prelude::*;

const NO_TABLE: LoopOptions =
    LoopOptions { table: false, reread: false, when_full: WhenFull::Stop, keep: true, reproducible: false };

/// Small enough for all their lines.
fn games() -> impl Strategy<Value = RandomOptions> {
    (random_options(7), prop_oneof![Just(0.3), Just(0.6)])
        .prop_map(|(options, transpositions)| RandomOptions { transpositions, ..options })
}

fn noise<G: FullGame>(seed: u64) -> Option<Box<dyn Evaluator<G>>> {
    (!seed.is_multiple_of(3)).then(|| Box::new(Hashed { seed, scale: 2.0 }) as Box<dyn Evaluator<G>>)
}

fn threads(threads: usize) -> Budget {
    Budget { threads, ..Budget::unlimited() }
}

type TwoPlayerSearch<G> = BestFirst<G, TwoPlayers<G, Instance>>;

fn two_players<G: FullGame>(
    game: &Arc<G>,
    instance: Instance,
    seed: u64,
    resolution: Resolution,
    options: LoopOptions,
) -> TwoPlayerSearch<G> {
    let mut policy = TwoPlayers::new(instance);
    (policy.evaluator, policy.resolution) = (noise(seed), resolution);
    if let Resolution::Score(_) = resolution {
        (policy.terminal, policy.objective) = (Terminal::Score, Objective::Score);
    }
    BestFirst::new("test", game.clone(), game.start(), policy, options).unwrap()
}

/// Every node but the root has one edge that leads to it, and the state that its line leads to.
fn is_a_tree<G: FullGame, P: Policy<G>>(search: &BestFirst<G, P>) {
    let (tree, game) = (search.tree(), search.game());
    let mut parents: HashMap<u32, u32> = HashMap::new();
    let mut todo = vec![(search.root(), *search.root_state())];
    while let Some((id, state)) = todo.pop() {
        assert_eq!(tree.node(id).key(), game.key(&state));
        let Some(family) = tree.family(id) else { continue };
        for i in 0..family.len() {
            assert_eq!(parents.insert(family.id(i), id), None, "a node with two parents");
            todo.push((family.id(i), game.after(&state, family.mv(i))));
        }
    }
    assert_eq!(parents.len() + 1, tree.len(), "nothing is lost");
}

/// Solves, and compares every resolved node with backward induction.
fn check_two_players(game: &Arc<Tiny<ZeroSum>>, search: &mut TwoPlayerSearch<Tiny<ZeroSum>>, count: usize) {
    let objective = search.policy().objective;
    let mut truth = BackwardInduction::new(game.clone(), game.start(), objective).unwrap();
    truth.run(&Budget::unlimited(), &mut ());
    assert_eq!(search.run(&threads(count), &mut ()), Stop::Done);
    is_a_tree(search);
    for (_, node) in search.tree().nodes().filter(|(_, node)| node.data().r()) {
        let (value, data) = (truth.value(&node.key().resized()).unwrap(), node.data());
        match objective {
            Objective::Gain => assert_eq!(i32::from(data.c()), value.gain(Player::FIRST).value()),
            _ => assert_eq!(data.v(), value.0 as f32),
        }
    }
    let closed = search.tree().nodes().filter(|(_, node)| node.data().r()).count();
    assert_eq!(search.resolved(), closed as u64);
    let answer = search.answer();
    let solved = answer.verdict.solved().expect("solved");
    assert!(objective.compare(Player::FIRST, solved, truth.value(&game.start()).unwrap()).is_eq());
    if let Some(mv) = answer.best_move() {
        assert!(truth.strategy(&game.start()).contains(&mv), "the move is optimal");
    }
    if count == 1 {
        assert!(search.iterations() <= 2 * search.tree().len() as u64, "every line opens a node or resolves one");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn two_players_resolve_the_root(
        options in games(), seed: u64, reread: bool, count in 1usize..=4, reproducible: bool,
    ) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let form = LoopOptions { reread, reproducible, ..NO_TABLE };
        for resolution in [Resolution::Weak, Resolution::Strong, Resolution::Score([options.outcomes as f32; 2])] {
            for instance in instances(seed) {
                let mut search = two_players(&game, instance, seed, resolution, form);
                check_two_players(&game, &mut search, count);
            }
        }
    }

    #[test]
    fn n_players_find_equilibria(options in games(), seed: u64, count in 1usize..=3) {
        for generalisation in [Generalisation::First, Generalisation::Second] {
            let form = ForMany { generalisation, relaxed: false };
            let game = packed(RandomGame::<Scores<3>>::new(RandomOptions { ties: false, ..options }));
            let value = BackwardInduction::solve(game.clone(), game.start(), Objective::Gain).unwrap();
            let strict = packed(RandomGame::<Scores<3>>::new(options));
            let set = Equilibria::solve(strict.clone(), strict.start(), Objective::Gain).unwrap();
            for instance in instances(seed) {
                prop_assert_eq!(resolve(&game, instance.clone(), form, seed, count), value);
                let found = resolve(&strict, instance, form, seed, count);
                prop_assert!(set.contains(&found), "{:?} is not among {:?}", found, set);
            }
        }
    }

    /// A state is opened with everything below it: with the table once, without it once for each line that leads there.
    #[test]
    fn whole_graphs_have_no_more_states_than_lines(options in games(), seed: u64) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        for instance in instances(seed) {
            let [with, without] = [LoopOptions::default(), NO_TABLE].map(|form| {
                let mut search = two_players(&game, instance.clone(), seed, Resolution::Strong, form);
                assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
                search.effort().nodes
            });
            prop_assert!(with == game.facts().states.unwrap() as u64 && without >= with, "{} and {}", with, without);
            prop_assert_eq!(without, lines(&*game, game.start()));
        }
    }

    /// Then the table finds nothing, and all is the same: nodes, visits, line. (Several threads come home when a table
    /// must grow, so their lines are others.)
    #[test]
    fn games_without_transpositions_grow_the_same_tree(options in games(), seed: u64, nodes in 1u64..200) {
        let options = RandomOptions { transpositions: 0.0, ..options };
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let three = packed(RandomGame::<Scores<3>>::new(options));
        for instance in instances(seed) {
            for budget in [Budget::nodes(nodes), Budget::unlimited()] {
                let [with, without] = [LoopOptions::default(), NO_TABLE].map(|form| {
                    let mut search = two_players(&game, instance.clone(), seed, Resolution::Weak, form);
                    grown(&mut search, &budget)
                });
                prop_assert_eq!(with, without);
                let [with, without] = [LoopOptions::default(), NO_TABLE].map(|form| {
                    let mut search = many_players(&three, instance.clone(), ForMany::default(), seed, form);
                    grown(&mut search, &budget)
                });
                prop_assert_eq!(with, without);
            }
        }
    }

    /// Moves, what they make unreachable, several threads and saved searches.
    #[test]
    fn a_search_goes_on_after_moves_and_after_it_was_saved(options in games(), seed: u64, nodes in 5u64..60) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let mut truth = BackwardInduction::new(game.clone(), game.start(), Objective::Gain).unwrap();
        truth.run(&Budget::unlimited(), &mut ());
        let instance = instances(seed)[seed as usize % 6].clone();
        let mut search = two_players(&game, instance, seed, Resolution::Weak, NO_TABLE);
        let mut state = game.start();
        loop {
            let count = 1 + (seed >> (search.effort().nodes % 60)) as usize % 3;
            search.run(&Budget { nodes: Some(nodes), ..threads(count) }, &mut ());
            let mut legal = Vec::new();
            game.expand(&state, &mut legal);
            let Some(mv) = search.answer().best_move().or(legal.first().copied()) else { break };
            game.play(&mut state, mv);
            prop_assert!(Search::advance(&mut search, mv));
            let saved = saved(&search);
            search.tidy();
            is_a_tree(&search);
            let closed = search.tree().nodes().filter(|(_, node)| node.data().r()).count();
            prop_assert_eq!(search.resolved(), closed as u64);
            // What was saved before anything was forgotten becomes the same.
            let mut policy = TwoPlayers::new(Instance::Ubfm);
            policy.evaluator = noise(seed);
            let mut again = BestFirst::new("test", game.clone(), state, policy, NO_TABLE).unwrap();
            again.restore(&mut Reader::new(&mut saved.as_slice(), saved.len() as u64)).unwrap();
            again.tidy();
            prop_assert_eq!(again.tree().signature(), search.tree().signature());
        }
        prop_assert_eq!(search.run(&threads(2), &mut ()), Stop::Done);
        prop_assert_eq!(search.answer().verdict, Verdict::Solved(truth.value(&state).unwrap()));
    }

    #[test]
    fn little_memory_slows_a_search_down_and_does_not_mislead_it(options in games(), count in 1usize..=3) {
        let game = packed(RandomGame::<ZeroSum>::new(RandomOptions { depth: 9, branching: 4, ..options }));
        let value = BackwardInduction::solve(game.clone(), game.start(), Objective::Gain).unwrap().gain(Player::FIRST);
        for open in [ubfm::open, descent::open] {
            let params = Params::parse("table=off,when-full=drop").unwrap();
            let mut search = open(game.clone(), game.start(), &Setup::default(), params).unwrap();
            let budget = Budget { memory: Some(16_000), nodes: Some(50_000), ..threads(count) };
            let stop = search.run(&budget, &mut ());
            let answer = search.answer();
            prop_assert!(answer.effort.bytes <= 16_000);
            match answer.verdict.solved() {
                Some(v) => prop_assert_eq!(v.gain(Player::FIRST), value),
                None => prop_assert!(stop != Stop::Done),
            }
        }
    }
}

/// What a search did: nodes, visits and data in its signature, and what it says.
fn grown<G: FullGame, P: Judge<G>>(search: &mut BestFirst<G, P>, budget: &Budget) -> (Stop, [u64; 3], Vec<G::Move>) {
    let stop = search.run(budget, &mut ());
    (stop, [search.tree().signature(), search.effort().nodes, search.iterations()], search.answer().line)
}

/// How many lines of moves there are, cut off anywhere.
fn lines<G: FullGame>(game: &G, state: G::State) -> u64 {
    let mut moves = Vec::new();
    game.expand(&state, &mut moves);
    1 + moves.iter().map(|&mv| lines(game, game.after(&state, mv))).sum::<u64>()
}

type ManySearch = BestFirst<Tiny<Scores<3>>, ManyPlayers<Tiny<Scores<3>>, Instance>>;

fn many_players(
    game: &Arc<Tiny<Scores<3>>>,
    instance: Instance,
    form: ForMany,
    seed: u64,
    options: LoopOptions,
) -> ManySearch {
    let mut policy = ManyPlayers::new(instance, form, &game.facts(), Terminal::Score, Objective::Gain);
    policy.evaluator = noise(seed);
    BestFirst::new("test", game.clone(), game.start(), policy, options).unwrap()
}

fn resolve(game: &Arc<Tiny<Scores<3>>>, instance: Instance, form: ForMany, seed: u64, count: usize) -> Scores<3> {
    let mut search = many_players(game, instance, form, seed, NO_TABLE);
    assert_eq!(search.run(&threads(count), &mut ()), Stop::Done);
    is_a_tree(&search);
    let value = search.answer().verdict.solved().expect("solved");
    let root = search.tree().node(search.root()).data();
    assert_eq!(value.scores.map(|s| s as f32), root.v, "the line leads to the value");
    value
}

fn saved<G: FullGame>(search: &dyn Search<G>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes);
    search.save(&mut writer).unwrap();
    writer.finish().unwrap();
    bytes
}

fn solved<G: FullGame>(open: Open<G>, game: &Arc<G>, options: &str) -> (G::Payoff, u64) {
    let params = Params::parse(options).unwrap();
    let mut search = open(game.clone(), game.start(), &Setup::default(), params).unwrap();
    assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
    let answer = search.answer();
    (answer.verdict.solved().expect("solved"), answer.effort.nodes)
}

/// The same value, and more nodes for it.
fn compare<G: FullGame>(game: G, options: &str) {
    let game = packed(game);
    for open in [ubfm::open as Open<Tiny<G::Payoff>>, descent::open, umb::open] {
        let (value, nodes) = solved(open, &game, options);
        let (same, more) = solved(open, &game, &format!("{options}table=off"));
        assert!(value == same && nodes < more, "{value:?} with {nodes} nodes, {same:?} with {more}");
    }
}

#[test]
fn real_games_have_the_same_value_and_more_nodes() {
    compare(Mnk::<u64, 2, ZeroSum>::new(3, 3, 3), "");
    compare(ConnectFour::<u64>::new(4, 3), "eval=heuristic,");
    compare(Nim::<Scores<3>>::new(&[1, 2, 3], false), "");
    compare(Nim::<Scores<3>>::new(&[1, 2, 3], false), "generalisation=second,");
}

/// Draws every move: all states are new.
#[derive(Default)]
struct Watcher {
    moves: usize,
}

impl Observer for Watcher {
    fn wants_growth(&self) -> bool {
        true
    }

    fn growth(&mut self, growth: &Growth) -> std::ops::ControlFlow<()> {
        let moves = || growth.opened.iter().flat_map(|opened| &opened.moves);
        assert!(moves().all(|(.., new)| *new), "every node is new");
        self.moves += moves().count();
        assert_eq!(growth.nodes, self.moves as u64 + 1);
        std::ops::ControlFlow::Continue(())
    }
}

#[test]
fn whoever_watches_hears_of_a_node_for_every_move() {
    let game = packed(ConnectFour::<u64>::new(4, 4));
    for instance in [Instance::Ubfm, Instance::Descent] {
        let mut search = two_players(&game, instance, 1, Resolution::Weak, NO_TABLE);
        let mut watcher = Watcher::default();
        assert_eq!(search.run(&Budget::nodes(5_000), &mut watcher), Stop::Nodes);
        assert!(watcher.moves >= 4_900);
    }
}

/// Its memory is nodes and edges, no index; limits hold also where they are too small for one.
#[test]
fn there_is_no_index_in_memory() {
    let game = packed(ConnectFour::<u64>::new(7, 6));
    let mut search = two_players(&game, Instance::Ubfm, 0, Resolution::Weak, NO_TABLE);
    assert_eq!(search.run(&Budget::nodes(400_000), &mut ()), Stop::Nodes);
    let (tree, pages) = (search.tree(), 4 << 20);
    assert!(tree.bytes() <= 24 * tree.len() + 12 * tree.edge_count() + pages, "{} bytes", tree.bytes());
    for (count, options) in [(1, ""), (1, ",when-full=drop"), (2, ""), (2, ",when-full=drop")] {
        let params = Params::parse(&format!("table=off{options}")).unwrap();
        let mut search = ubfm::open(game.clone(), game.start(), &Setup::default(), params).unwrap();
        let budget = Budget { memory: Some(4 << 20), nodes: Some(600_000), ..threads(count) };
        assert_eq!(search.run(&budget, &mut ()), if options.is_empty() { Stop::Memory } else { Stop::Nodes });
        assert!(search.answer().effort.bytes <= 4 << 20);
        names_a_move_if_moves_differ(&search.answer());
    }
}

/// What was saved with a table cannot go on without it, nor the other way round.
#[test]
fn a_saved_search_belongs_to_its_kind() {
    let game = packed(ConnectFour::<u64>::new(5, 4));
    for table in [false, true] {
        let form = LoopOptions { table, ..LoopOptions::default() };
        let mut search = two_players(&game, Instance::Ubfm, 1, Resolution::Weak, form);
        search.run(&Budget::nodes(1_000), &mut ());
        let bytes = saved(&search);
        let mut other = two_players(&game, Instance::Ubfm, 1, Resolution::Weak, LoopOptions { table: !table, ..form });
        let refused = other.restore(&mut Reader::new(&mut bytes.as_slice(), bytes.len() as u64));
        assert!(matches!(refused, Err(SaveError::Damaged(_))), "{refused:?}");
    }
}

/// Its tree has no end, and neither has a line of Descent.
#[test]
fn games_with_cycles_are_refused_as_ever() {
    let options = RandomOptions { cycles: 0.5, ..RandomOptions::default() };
    let game = packed(RandomGame::<ZeroSum>::new(options));
    for open in [ubfm::open, descent::open, umb::open] {
        let refused = open(game.clone(), game.start(), &Setup::default(), Params::parse("table=off").unwrap());
        assert!(matches!(refused.err(), Some(Refusal::Cyclic { .. })));
    }
}
