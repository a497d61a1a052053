//! Alpha-beta in all its forms: equal to minimax, whatever the options; and the two errata of the fifth paper.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::packed;
use perfectplay_core::{
    Budget, Facts, Features, FullGame, Game, Growth, Heuristic, Notation, Objective, Observer, OrderingHints, Params,
    Payoff, Persist, Player, Playouts, SolverHints, Status, Stop, Symmetric, TextError, Verdict, ZeroSum,
};
use perfectplay_games::breakthrough::{Breakthrough, Men, Step};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::random::{RandomGame, RandomOptions, Turns};
use perfectplay_games::script::Script;
use perfectplay_games::seam::Tiny;
use perfectplay_search::alpha_beta::exact_solver::{Solve, SolveOptions, Solver};
use perfectplay_search::alpha_beta::textbook::{minimax, negamax, null_move, plain_alpha_beta, table_search};
use perfectplay_search::alpha_beta::{iterative_deepening, mtdf};
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::{Search, Setup};
use proptest::prelude::*;

type Graph = Tiny<ZeroSum>;

fn open<G: FullGame<Payoff = ZeroSum>>(
    game: &Arc<G>,
    root: &G::State,
    name: &str,
    setup: &Setup,
) -> Box<dyn Search<G>> {
    let (name, options) = name.split_once(':').unwrap_or((name, ""));
    let params = Params::parse(options).unwrap();
    let open = match name {
        "minimax" => minimax::open,
        "plain-alpha-beta" => plain_alpha_beta::open,
        "negamax" => negamax::open,
        "null-move" => null_move::open,
        "table-search" => table_search::open,
        "alpha-beta" => iterative_deepening::open,
        "mtdf" => mtdf::open,
        _ => unreachable!("{name}"),
    };
    open(game.clone(), *root, setup, params).unwrap()
}

/// The value at the root, proved or not, and the best move.
fn value<G: FullGame<Payoff = ZeroSum>>(game: &Arc<G>, root: &G::State, name: &str, objective: Objective) -> f32 {
    value_by(game, root, name, objective, 1)
}

fn value_by<G: FullGame<Payoff = ZeroSum>>(
    game: &Arc<G>,
    root: &G::State,
    name: &str,
    objective: Objective,
    threads: usize,
) -> f32 {
    let mut search = open(game, root, name, &Setup { objective, ..Setup::default() });
    assert_eq!(search.run(&Budget { threads, ..Budget::unlimited() }, &mut ()), Stop::Done);
    match search.answer().verdict {
        Verdict::Solved(payoff) => objective.value(payoff, Player::FIRST) as f32,
        Verdict::Estimated(guess) => guess,
        other => panic!("{name}: {other:?}"),
    }
}

/// Every refinement switched off once, and a few together.
const ENGINES: &[&str] = &[
    "alpha-beta:table-mib=1,depth=D",
    "alpha-beta:table-mib=1,depth=D,table=off",
    "alpha-beta:table-mib=1,depth=D,table=off,pvs=off,aspiration=off,killers=off,history=off",
    "alpha-beta:table-mib=1,depth=D,pvs=off",
    "alpha-beta:table-mib=1,depth=D,aspiration=off",
    "alpha-beta:table-mib=1,depth=D,killers=off",
    "alpha-beta:table-mib=1,depth=D,history=off",
    "alpha-beta:table-mib=1,depth=D,etc=off",
    "alpha-beta:table-mib=1,depth=D,k-best=100",
    "mtdf:table-mib=1,depth=D",
    "mtdf:table-mib=1,depth=D,etc=off",
    "plain-alpha-beta:depth=D",
    "table-search:depth=D,entries=1",
    "table-search:depth=D,entries=7",
    "table-search:depth=D,entries=1000",
];

fn graphs(transpositions: f64, turns: Turns) -> impl Strategy<Value = RandomOptions> {
    (any::<u64>(), 3u32..8, 2u32..4, 1u32..5, any::<bool>()).prop_map(
        move |(seed, depth, branching, outcomes, draws)| RandomOptions {
            depth,
            branching,
            outcomes,
            draws,
            turns,
            seed,
            transpositions,
            ..RandomOptions::default()
        },
    )
}

/// A position of Connect Four after `moves` random moves, if the game is not over by then.
fn random_position<G: Game>(game: &G, moves: usize, mut seed: u64) -> G::State {
    let mut state = game.start();
    for _ in 0..moves {
        let mut legal = Vec::new();
        if let Status::Over(_) = game.expand(&state, &mut legal) {
            return random_position(game, moves, seed);
        }
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        game.play(&mut state, legal[(seed >> 33) as usize % legal.len()]);
    }
    match game.status(&state) {
        Status::Turn(_) => state,
        Status::Over(_) => random_position(game, moves, seed),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn at_any_depth_all_equal_minimax_on_trees(options in graphs(0.0, Turns::Any), depth in 1u32..6, score: bool) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let objective = if score { Objective::Score } else { Objective::Gain };
        let depth = depth.to_string();
        let expected = value(&game, &game.start(), &format!("minimax:depth={depth}"), objective);
        for name in ENGINES {
            let found = value(&game, &game.start(), &name.replace('D', &depth), objective);
            prop_assert_eq!(found, expected, "{}", name);
        }
    }

    #[test]
    fn to_the_end_all_equal_the_oracle_on_graphs(options in graphs(0.5, Turns::Any), score: bool) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let objective = if score { Objective::Score } else { Objective::Gain };
        let truth = BackwardInduction::solve(game.clone(), game.start(), objective).unwrap();
        let expected = objective.value(truth, Player::FIRST) as f32;
        let exact = ["alpha-beta:exact=on,table-mib=1", "alpha-beta:exact=on,table-mib=1,etc=off"];
        for name in ENGINES.iter().copied().chain(exact) {
            let found = value(&game, &game.start(), &name.replace('D', "100"), objective);
            prop_assert_eq!(found, expected, "{}", name);
        }
    }

    #[test]
    fn negamax_equals_minimax_where_turns_alternate(options in graphs(0.4, Turns::Cyclic), depth in 1u32..6) {
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let expected = value(&game, &game.start(), &format!("minimax:depth={depth}"), Objective::Score);
        prop_assert_eq!(value(&game, &game.start(), &format!("negamax:depth={depth}"), Objective::Score), expected);
    }

    #[test]
    fn at_any_depth_all_equal_minimax_on_connect_four(moves in 0usize..12, seed: u64, depth in 1u32..5, score: bool) {
        let objective = if score { Objective::Score } else { Objective::Gain };
        let game = packed(ConnectFour::<u64>::new(5, 4));
        let root = random_position(&*game, moves, seed);
        let depth = depth.to_string();
        let expected = value(&game, &root, &format!("minimax:depth={depth}"), objective);
        for name in ENGINES.iter().copied().chain(["negamax:depth=D"]) {
            prop_assert_eq!(value(&game, &root, &name.replace('D', &depth), objective), expected, "{}", name);
        }
    }

    #[test]
    fn late_positions_of_the_standard_board_are_solved_rightly(moves in 28usize..36, seed: u64) {
        let game = Arc::new(ConnectFour::<u64, 6>::with_size(7, 6));
        let root = random_position(&*game, moves, seed);
        let truth = BackwardInduction::solve(game.clone(), root, Objective::Score).unwrap();
        let mut solver = Solver::new(game, 1 << 16).unwrap();
        prop_assert_eq!(solver.solve(&root, Objective::Score), truth.score(Player::FIRST));
        prop_assert_eq!(solver.solve(&root, Objective::Gain).signum(), truth.score(Player::FIRST).signum());
    }

    #[test]
    fn the_bounds_of_connect_four_hold_late_on_wide_boards(
        (width, height) in prop::sample::select(vec![(5, 5), (6, 5), (7, 5), (7, 6), (5, 7), (8, 5)]),
        left in 8usize..17,
        seed: u64,
    ) {
        let game = packed(ConnectFour::<u64>::new(width, height));
        let root = random_position(&*game, (width * height) as usize - left, seed);
        let truth = BackwardInduction::solve(game.clone(), root, Objective::Score).unwrap();
        let (lower, upper) = game.score_bounds(&root);
        let text = game.position_text(&root);
        prop_assert!((lower..=upper).contains(&truth.0), "{text}: {} not in {lower}..={upper}", truth.0);
    }
}

/// Compares `score_bounds` and `successors` with the true score of every position; there must be positions that the
/// bounds settle and positions that they leave open.
fn bounds_hold_and_solver_successors_keep_the_value<G: FullGame<Payoff = ZeroSum>>(game: G) {
    let game = packed(game);
    let mut oracle = BackwardInduction::new(game.clone(), game.start(), Objective::Score).unwrap();
    oracle.run(&Budget::unlimited(), &mut ());
    let (mut tight, mut open) = (0u64, 0u64);
    for state in all_states(&*game) {
        let truth = oracle.value(&state).unwrap().0;
        let (lower, upper) = game.score_bounds(&state);
        assert!(lower <= truth && truth <= upper, "{}: {truth} not in {lower}..={upper}", game.position_text(&state));
        let Status::Turn(mover) = game.status(&state) else { continue };
        if lower == upper {
            tight += 1;
            continue;
        }
        open += 1;
        let mut successors = Vec::new();
        game.solver_successors(&state, &mut Vec::new(), &mut successors);
        let values = successors.iter().map(|p| {
            let value = oracle.value(&p.state).unwrap().0;
            assert_eq!(p.state, game.after(&state, p.mv));
            assert!(p.lower <= value && value <= p.upper, "{}", game.position_text(&p.state));
            value
        });
        let best = if mover == Player::FIRST { values.max() } else { values.min() };
        assert_eq!(best, Some(truth), "{}", game.position_text(&state));
    }
    assert!(tight > 0 && open > 0);
}

/// Every state that can be reached, once.
fn all_states<G: FullGame>(game: &G) -> Vec<G::State> {
    let (mut found, mut seen, mut moves) = (vec![game.start()], std::collections::HashSet::new(), Vec::new());
    seen.insert(game.key(&game.start()));
    let mut at = 0;
    while at < found.len() {
        moves.clear();
        game.expand(&found[at], &mut moves);
        for &mv in &moves {
            let next = game.after(&found[at], mv);
            if seen.insert(game.key(&next)) {
                found.push(next);
            }
        }
        at += 1;
    }
    found
}

#[test]
fn the_bounds_of_connect_four_hold_in_every_position_and_its_solver_successors_keep_the_value() {
    // Even and odd heights, even and odd numbers of cells: who follows differs.
    for (width, height) in [(4, 4), (3, 4), (6, 2), (4, 3), (3, 5), (5, 3), (7, 2), (4, 5)] {
        bounds_hold_and_solver_successors_keep_the_value(ConnectFour::<u64>::new(width, height));
    }
}

#[test]
fn the_bounds_of_breakthrough_hold_in_every_position() {
    bounds_hold_and_solver_successors_keep_the_value(Breakthrough::<u64>::new(3, 4, 2));
    bounds_hold_and_solver_successors_keep_the_value(Breakthrough::<u64>::new(2, 6, 1));
    bounds_hold_and_solver_successors_keep_the_value(Breakthrough::<u64>::new(3, 5, 1));
}

#[test]
fn the_hooks_of_breakthrough_say_what_the_rules_say() {
    let game = Breakthrough::<u64>::new(3, 5, 2);
    let men = |state: &Men<u64>| state.men.map(u64::count_ones);
    let (mut noisy_seen, mut quiet_seen) = (0, 0);
    for state in all_states(&game) {
        let (mut legal, mut noisy) = (Vec::new(), Vec::new());
        let Status::Turn(mover) = game.expand(&state, &mut legal) else { continue };
        game.noisy_moves(&state, &mut noisy);
        let settles = |mv| {
            let next = game.after(&state, mv);
            men(&next) != men(&state) || matches!(game.status(&next), Status::Over(_))
        };
        let expected: Vec<Step> = legal.iter().copied().filter(|&mv| settles(mv)).collect();
        let key = |step: &Step| (step.from, step.to);
        noisy.sort_by_key(key);
        assert_eq!(
            noisy,
            {
                let mut e = expected.clone();
                e.sort_by_key(key);
                e
            },
            "{}",
            game.position_text(&state)
        );
        noisy_seen += noisy.len();
        quiet_seen += legal.len() - noisy.len();

        let passed = game.null_move(&state).expect("a free move is always possible");
        assert_eq!((passed.men, passed.mover), (state.men, mover.opponent()));
        // A capture looks better than any quiet step of the same length.
        for &a in &expected {
            let captures = men(&game.after(&state, a)) != men(&state);
            let row = |step: Step| step.to / 3;
            let quiet = legal.iter().filter(|b| !expected.contains(b) && row(**b) == row(a));
            assert!(!captures || quiet.clone().all(|&b| game.order_score(&state, a) > game.order_score(&state, b)));
        }
        let slots: std::collections::HashSet<usize> = legal.iter().map(|&mv| game.history_index(&state, mv)).collect();
        assert_eq!(slots.len(), legal.len(), "moves of one state have slots of their own");
    }
    assert!(noisy_seen > 1000 && quiet_seen > 1000);
}

#[test]
fn mirror_images_share_a_code_and_nobody_else_does() {
    let game = packed(ConnectFour::<u64>::new(4, 4));
    let mut owners = HashMap::new();
    let mut todo = vec![game.start()];
    let mut seen = std::collections::HashSet::new();
    while let Some(state) = todo.pop() {
        if !seen.insert(game.key(&state)) {
            continue;
        }
        let code = game.exact_index(&state);
        assert!(code < 1 << game.exact_index_bits());
        assert_eq!(*owners.entry(code).or_insert(game.canonical_key(&state)), game.canonical_key(&state));
        let mut moves = Vec::new();
        game.expand(&state, &mut moves);
        todo.extend(moves.iter().map(|&mv| game.after(&state, mv)));
    }
}

fn set(name: &str) -> Vec<(Vec<u8>, i32)> {
    let path = format!("{}/../../data/connect-four/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let line = |line: &str| {
        let (moves, score) = line.split_once(' ').unwrap();
        (moves.bytes().map(|b| b - b'1').collect(), score.parse().unwrap())
    };
    text.lines().map(line).collect()
}

fn check_set(name: &str, limit: usize) {
    let game = Arc::new(ConnectFour::<u64, 6>::with_size(7, 6));
    let mut solver = Solver::new(game.clone(), 16 << 20).unwrap();
    let lines = set(name);
    assert_eq!(lines.len(), 1000);
    for (moves, score) in lines.iter().take(limit) {
        let state = moves.iter().fold(game.start(), |s, &mv| game.after(&s, mv));
        let sign = if moves.len() % 2 == 0 { 1 } else { -1 };
        assert_eq!(sign * solver.solve(&state, Objective::Score), *score, "{name}: {moves:?}");
    }
}

#[test]
fn the_easy_test_sets_are_right() {
    check_set("end-easy", 1000);
    check_set("middle-easy", 1000);
    check_set("begin-easy", 100);
    check_set("middle-medium", 40);
    check_set("begin-medium", 3);
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn all_test_sets_are_right() {
    for (name, limit) in [("begin-easy", 1000), ("middle-medium", 1000), ("begin-medium", 1000), ("begin-hard", 60)] {
        check_set(name, limit);
    }
}

#[test]
fn any_number_of_threads_finds_the_same_value() {
    let game = packed(ConnectFour::<u64>::new(5, 5));
    for (seed, moves) in [(1, 6), (2, 8), (3, 8)] {
        let root = random_position(&*game, moves, seed);
        for name in ["alpha-beta:exact=on,table-mib=4", "alpha-beta:depth=9,table-mib=4", "mtdf:depth=8,table-mib=4"] {
            let one = value_by(&game, &root, name, Objective::Score, 1);
            for threads in [2, 3] {
                assert_eq!(value_by(&game, &root, name, Objective::Score, threads), one, "{name}, {threads} threads");
            }
        }
    }
}

#[test]
fn a_solver_uses_nothing_unsound_and_says_so() {
    let game = packed(ConnectFour::<u64>::new(4, 4));
    let setup = Setup { exact: true, ..Setup::default() };
    let mut search = open(&game, &game.start(), "alpha-beta:null-move=on,k-best=1", &setup);
    search.run(&Budget::unlimited(), &mut ());
    let answer = search.answer();
    assert_eq!(answer.verdict, Verdict::Solved(ZeroSum(0)));
    assert_eq!(
        answer.notes,
        ["null-move is switched off: a proof cannot rest on it", "k-best is switched off: a proof cannot rest on it"]
    );
    // Asked not to prove, it may use them, and then it claims nothing.
    let mut search = open(&game, &game.start(), "alpha-beta:exact=off,k-best=1", &setup);
    search.run(&Budget::unlimited(), &mut ());
    assert!(matches!(search.answer().verdict, Verdict::Estimated(_)));
}

#[test]
fn negamax_refuses_games_whose_turns_do_not_alternate() {
    let game = packed(RandomGame::<ZeroSum>::new(RandomOptions { turns: Turns::Any, ..RandomOptions::default() }));
    let refusal = negamax::open(game.clone(), game.start(), &Setup::default(), Params::default()).err().unwrap();
    assert!(refusal.to_string().starts_with("negamax needs turns that strictly alternate"), "{refusal}");
}

#[test]
fn options_that_make_no_sense_are_refused_in_one_sentence() {
    let game = packed(ConnectFour::<u64>::new(4, 4));
    for (options, expected) in [
        ("depth=0", "depth must be a whole number from 1 to 250, got \"0\""),
        ("exact=on,depth=3", "exact=on proves the value and has no depth; give one of the two"),
        ("pvs=maybe", "pvs must be on or off, got \"maybe\""),
    ] {
        let params = Params::parse(options).unwrap();
        let refusal = iterative_deepening::open(game.clone(), game.start(), &Setup::default(), params).err().unwrap();
        assert_eq!(refusal.to_string(), expected);
    }
}

#[test]
fn time_is_kept() {
    let game = Arc::new(ConnectFour::<u64, 6>::with_size(7, 6));
    for name in ["alpha-beta", "alpha-beta:exact=on", "plain-alpha-beta:depth=30", "mtdf"] {
        // The best of a few attempts counts: tests share their machine with others.
        let late = (0..20).map(|_| {
            let mut search = open(&game, &game.start(), name, &Setup::default());
            let started = Instant::now();
            assert_eq!(search.run(&Budget::time(Duration::from_millis(50)), &mut ()), Stop::Time, "{name}");
            let spent = started.elapsed();
            assert!(spent >= Duration::from_millis(50), "{name}: {spent:?}");
            spent - Duration::from_millis(50)
        });
        let least = late.into_iter().find(|l| *l <= Duration::from_millis(20));
        assert!(least.is_some(), "{name} never kept within 20 ms of its time");
    }
}

// ── the errata ──

/// Each move adds something to the mover's own total; the score is the difference. A move is never worse than passing,
/// so the null-move heuristic may not change a value here.
#[derive(Clone, Copy)]
struct Race {
    plies: u32,
    second_begins: bool,
}

type Racing = (u32, i32, bool);

impl Game for Race {
    type State = Racing;
    type Move = i32;
    type Payoff = ZeroSum;
    type Key = Racing;

    fn start(&self) -> Racing {
        (self.plies, 0, self.second_begins)
    }

    fn expand(&self, &(left, difference, second): &Racing, moves: &mut Vec<i32>) -> Status<ZeroSum> {
        if left == 0 {
            return Status::Over(ZeroSum(difference));
        }
        // What a move adds depends on the ply, so that values are spread; the best move comes last.
        let most = 1 + (left * left * 7 % 11) as i32;
        moves.extend([1, most / 2 + 1, most]);
        Status::Turn(if second { Player::SECOND } else { Player::FIRST })
    }

    fn play(&self, state: &mut Racing, added: i32) {
        state.0 -= 1;
        state.1 += if state.2 { -added } else { added };
        state.2 = !state.2;
    }

    fn key(&self, state: &Racing) -> Racing {
        *state
    }

    fn facts(&self) -> Facts {
        let most = 11 * self.plies as i32;
        Facts { scores: vec![(-most, most); 2], outcomes: None, ..Facts::win_draw_loss::<ZeroSum>() }
    }
}

impl Notation for Race {
    fn position_text(&self, state: &Racing) -> String {
        format!("{state:?}")
    }

    fn parse_position(&self, text: &str) -> Result<Racing, TextError> {
        Err(TextError::new(text))
    }

    fn move_text(&self, _: &Racing, mv: i32) -> String {
        mv.to_string()
    }
}

impl Symmetric for Race {}
impl Playouts for Race {}
impl Heuristic for Race {}
impl Features for Race {}
impl SolverHints for Race {}

impl OrderingHints for Race {
    fn null_move(&self, &(left, difference, second): &Racing) -> Option<Racing> {
        (left > 1).then_some((left - 1, difference, !second))
    }
}

impl Persist for Race {}

/// Algorithm B.2 as it is printed: the window ends one below beta, and the second player's case is not mirrored.
fn printed_null_move(game: &Race, state: Racing, depth: i32, mut alpha: i32, mut beta: i32, passed: bool) -> i32 {
    let mut moves = Vec::new();
    let mover = match game.expand(&state, &mut moves) {
        Status::Over(payoff) => return payoff.0,
        Status::Turn(_) if depth <= 0 => return state.1,
        Status::Turn(mover) => mover,
    };
    if let Some(next) = game.null_move(&state).filter(|_| !passed) {
        let value = printed_null_move(game, next, depth - 1, alpha, beta - 1, true);
        if value >= beta {
            return beta;
        }
    }
    let mut value = if mover == Player::FIRST { i32::MIN } else { i32::MAX };
    for mv in moves {
        let v = printed_null_move(game, game.after(&state, mv), depth - 1, alpha, beta, false);
        if mover == Player::FIRST {
            value = value.max(v);
            alpha = alpha.max(value);
        } else {
            value = value.min(v);
            beta = beta.min(value);
        }
        if alpha >= beta {
            break;
        }
    }
    value
}

#[test]
fn null_moves_are_read_right() {
    let mut printed_wrong = 0;
    for plies in 2..9 {
        for second_begins in [false, true] {
            let race = Race { plies, second_begins };
            let game = packed(race);
            let truth = BackwardInduction::solve(game.clone(), game.start(), Objective::Score).unwrap().0;
            for name in ["null-move:reduction=0", "alpha-beta:table-mib=1,depth=100,null-move=on"] {
                let found = value(&game, &game.start(), name, Objective::Score);
                assert_eq!(found, truth as f32, "{name}, {plies} plies");
            }
            let printed = printed_null_move(&race, race.start(), 100, -1000, 1000, false);
            printed_wrong += i32::from(printed != truth);
        }
    }
    assert!(printed_wrong > 0, "the printed version would pass, so this tests nothing");
}

/// Algorithm B.4 as it is printed: the flag is set by comparing with alpha and beta after they were changed.
fn printed_table(
    game: &Graph,
    state: &<Graph as Game>::State,
    mut alpha: i32,
    mut beta: i32,
    table: &mut HashMap<<Graph as Game>::Key, (i32, char)>,
) -> i32 {
    if let Some(&(value, flag)) = table.get(&game.key(state)) {
        match flag {
            '=' => return value,
            '>' => alpha = alpha.max(value),
            _ => beta = beta.min(value),
        }
        if alpha >= beta {
            return value;
        }
    }
    let mut moves = Vec::new();
    let mover = match game.expand(state, &mut moves) {
        Status::Over(payoff) => return payoff.0,
        Status::Turn(mover) => mover,
    };
    let mut value = if mover == Player::FIRST { i32::MIN } else { i32::MAX };
    for mv in moves {
        let v = printed_table(game, &game.after(state, mv), alpha, beta, table);
        if mover == Player::FIRST {
            value = value.max(v);
            alpha = alpha.max(value);
        } else {
            value = value.min(v);
            beta = beta.min(value);
        }
        if alpha >= beta {
            break;
        }
    }
    let flag = if value <= alpha {
        '<'
    } else if value >= beta {
        '>'
    } else {
        '='
    };
    table.insert(game.key(state), (value, flag));
    value
}

#[test]
fn the_flags_of_the_table_are_read_right() {
    let mut printed_wrong = 0;
    for seed in 0..300 {
        let options = RandomOptions { depth: 7, outcomes: 4, transpositions: 0.5, seed, ..RandomOptions::default() };
        let game = packed(RandomGame::<ZeroSum>::new(options));
        let truth = BackwardInduction::solve(game.clone(), game.start(), Objective::Score).unwrap().0;
        assert_eq!(
            value(&game, &game.start(), "table-search:entries=5000", Objective::Score),
            truth as f32,
            "seed {seed}"
        );
        let printed = printed_table(&game, &game.start(), -1000, 1000, &mut HashMap::new());
        printed_wrong += u32::from(printed != truth);
    }
    assert!(printed_wrong > 0, "the printed version would pass, so this tests nothing");
}

// ── the tree, as an observer hears of it ──

#[derive(Default)]
struct Heard(Vec<Growth>);

impl Observer for Heard {
    fn wants_growth(&self) -> bool {
        true
    }

    fn growth(&mut self, growth: &Growth) -> ControlFlow<()> {
        self.0.push(growth.clone());
        ControlFlow::Continue(())
    }
}

/// The moves to the states that are left, and to those that are cut.
fn heard(name: &str) -> (Heard, Vec<String>, Vec<String>) {
    let game = packed(Script::<ZeroSum>::parse("[[3,12,8],[2,4,6],[14,5,2]]").unwrap());
    let setup = Setup { objective: Objective::Score, ..Setup::default() };
    let mut search = open(&game, &game.start(), name, &setup);
    let mut heard = Heard::default();
    // Cut into slices, as a page does.
    while search.run(&Budget::nodes(2), &mut heard) != Stop::Done {}
    let mut lines = HashMap::from([(0, String::new())]);
    for opened in heard.0.iter().flat_map(|growth| &growth.opened) {
        for (mv, child, new) in &opened.moves {
            assert!(new);
            lines.insert(child.state, format!("{}{mv}", lines[&opened.state]));
        }
    }
    let left = heard.0.iter().map(|growth| growth.line.concat()).collect();
    let cut = heard.0.iter().flat_map(|growth| &growth.cut).map(|state| lines[state].clone()).collect();
    (heard, left, cut)
}

#[test]
fn what_alpha_beta_cuts_is_told() {
    // The second move is worth at most 2 once its first reply is seen, and the first move is worth 3.
    let (heard_all, left, cut) = heard("plain-alpha-beta");
    assert_eq!(left, ["11", "12", "13", "1", "21", "2", "31", "32", "33", "3", ""]);
    assert_eq!(cut, ["22", "23"]);
    let second = heard_all.0[5].visited.last().unwrap();
    assert_eq!((second.window, second.value.as_slice()), (Some([3.0, f32::INFINITY]), [2.0, -2.0].as_slice()));
    assert!(!second.resolved, "2 is only a bound");
    let root = &heard_all.0.last().unwrap().visited[0];
    assert!(root.resolved && root.value == [3.0, -3.0]);
    let (_, left, cut) = heard("minimax");
    assert_eq!((left.len(), cut.len()), (13, 0), "minimax looks at everything");
}

#[test]
fn a_solver_that_is_paused_while_its_table_grows_goes_on_as_if_nothing_had_been() {
    let game = packed(ConnectFour::<u64>::new(5, 5));
    let options = SolveOptions { bytes: 32 << 20, ..SolveOptions::default() };
    let open = || Solve::new(game.clone(), game.start(), Objective::Gain, options, vec![]).unwrap();
    let slice = Budget { time: Some(Duration::from_micros(200)), ..Budget::default() };
    let (mut whole, mut sliced) = (open(), open());
    assert_eq!(whole.run(&Budget::default(), &mut ()), Stop::Done);
    while sliced.run(&slice, &mut ()) != Stop::Done {}
    assert_eq!(sliced.answer().effort.nodes, whole.answer().effort.nodes);
    // Others come in, for whom it must have grown as far as it may.
    for slices in 1..30 {
        let mut joined = open();
        for _ in 0..slices {
            joined.run(&slice, &mut ());
        }
        assert_eq!(joined.run(&Budget { threads: 2, ..Budget::default() }, &mut ()), Stop::Done);
        assert!(matches!(joined.answer().verdict, Verdict::Solved(ZeroSum(0))));
    }
}
