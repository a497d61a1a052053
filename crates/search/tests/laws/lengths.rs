//! Values and distances against their definition: who can force a win within 0, 1, 2 … plies, found by going through
//! all positions once more for every ply. On random games with cycles and without.

use std::sync::Arc;
use std::time::Duration;

use perfectplay_core::{
    Answer, Budget, FullGame, Game, LONGEST, Notation, Objective, Params, Payoff, Player, Status, Stop, ZeroSum,
};
use perfectplay_games::chess::Chess;
use perfectplay_games::random::{RandomGame, RandomOptions, Turns};
use perfectplay_search::alpha_beta::iterative_deepening;
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::oracle::retrograde::Retrograde;
use perfectplay_search::{Search, Setup, oracle::retrograde};

type Loopy = RandomGame<ZeroSum>;

/// The value of every position under [`Objective::Length`], by position.
fn truth(game: &Loopy) -> Vec<i32> {
    let states = 0..game.positions() as u32;
    let mut values = vec![0; states.len()];
    let mut within: [Vec<bool>; 2] = [Player::FIRST, Player::SECOND]
        .map(|p| states.clone().map(|s| game.status(&s) == Status::Over(ZeroSum::win_for(p))).collect());
    for plies in 0.. {
        for (player, sign) in [(0, 1), (1, -1)] {
            for state in states.clone().filter(|&s| within[player][s as usize]) {
                let value = &mut values[state as usize];
                *value = if *value == 0 { sign * (LONGEST - plies) } else { *value };
            }
        }
        let next = [0, 1].map(|p| states.clone().map(|s| forces(game, s, p, &within[p])).collect::<Vec<_>>());
        if next == within {
            return values;
        }
        within = next;
    }
    unreachable!("the sets cannot grow for ever")
}

/// Whether `player` has won in `state` or can move, or must be moved, to where it wins a ply sooner.
fn forces(game: &Loopy, state: u32, player: usize, within: &[bool]) -> bool {
    let mut moves = Vec::new();
    let sooner = |mv: &u8| within[game.after(&state, *mv) as usize];
    match game.expand(&state, &mut moves) {
        Status::Over(_) => within[state as usize],
        Status::Turn(mover) if mover.index() == player => moves.iter().any(sooner),
        Status::Turn(_) => moves.iter().all(sooner),
    }
}

fn games(count: u64) -> impl Iterator<Item = Arc<Loopy>> {
    (0..count).map(|seed| {
        let options = RandomOptions {
            depth: 3 + (seed % 7) as u32,
            branching: 2 + (seed % 3) as u32,
            transpositions: [0.2, 0.5][seed as usize % 2],
            cycles: [0.0, 0.15, 0.4, 0.7][seed as usize / 2 % 4],
            turns: if seed % 5 == 0 { Turns::Any } else { Turns::Cyclic },
            draws: seed % 3 != 0,
            seed,
            ..RandomOptions::default()
        };
        Arc::new(Loopy::new(options))
    })
}

#[test]
fn every_position_has_its_value_and_its_distance() {
    let (mut cyclic_wins, mut endless) = (0, 0);
    for game in games(600) {
        let truth = truth(&game);
        let mut search = Retrograde::new(game.clone(), game.start(), Objective::Length).unwrap();
        assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
        for state in 0..game.positions() as u32 {
            let Some(value) = search.value(&state) else { continue };
            assert_eq!(value.0, truth[state as usize], "position {state} of {:?}", game.facts());
            let over = matches!(game.status(&state), Status::Over(_));
            cyclic_wins += usize::from(!game.facts().acyclic && !over && value.0 != 0);
            endless += usize::from(!game.facts().acyclic && !over && value.0 == 0);
        }
        assert_eq!(search.states(), game.positions(), "all positions of a random game can be reached");
        if game.facts().acyclic {
            let mut induction = BackwardInduction::new(game.clone(), game.start(), Objective::Length).unwrap();
            induction.run(&Budget::unlimited(), &mut ());
            assert!((0..game.positions() as u32).all(|s| induction.value(&s).unwrap().0 == truth[s as usize]));
        }
    }
    assert!(cyclic_wins > 1000 && endless > 1000, "the games are too simple: {cyclic_wins} wins, {endless} draws");
}

#[test]
fn lines_and_moves_of_cyclic_games_keep_the_value() {
    for game in games(300) {
        let truth = truth(&game);
        let mut search = Retrograde::new(game.clone(), game.start(), Objective::Length).unwrap();
        search.run(&Budget::unlimited(), &mut ());
        let answer = search.answer();
        assert_eq!(answer.verdict.solved(), Some(ZeroSum(truth[0])));
        let mut state = game.start();
        for mv in &answer.line {
            let next = game.after(&state, *mv);
            let (here, there) = (truth[state as usize], truth[next as usize]);
            assert_eq!(there, here + here.signum(), "a move of the line gives something away");
            state = next;
        }
        if truth[0] != 0 {
            assert_eq!(answer.line.len() as i32, LONGEST - truth[0].abs());
        }
        for report in &answer.moves {
            let after = game.after(&game.start(), report.mv);
            assert_eq!(report.verdict.solved(), Some(ZeroSum(truth[after as usize])));
        }
    }
}

#[test]
fn a_limit_on_memory_is_kept_and_said() {
    let options =
        RandomOptions { depth: 12, branching: 6, transpositions: 0.1, cycles: 0.1, ..RandomOptions::default() };
    let game = Arc::new(Loopy::new(options));
    let setup = Setup { objective: Objective::Length, ..Setup::default() };
    for limit in [2_000, 20_000, 200_000] {
        let mut search = retrograde::open(game.clone(), 0, &setup, Default::default()).unwrap();
        let budget = Budget { memory: Some(limit), ..Budget::default() };
        assert_eq!(search.run(&budget, &mut ()), Stop::Memory);
        let answer = search.answer();
        assert!(answer.effort.bytes <= limit, "{} of {limit} bytes", answer.effort.bytes);
        assert!(answer.notes[0].contains("memory is used up"), "{:?}", answer.notes);
        assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done, "it goes on with more");
    }
    assert!(game.positions() > 10_000, "{} positions are too few", game.positions());
}

fn alpha_beta<G: FullGame<Payoff = ZeroSum>>(game: &Arc<G>, state: G::State, options: &str) -> Answer<G> {
    let setup = Setup { objective: Objective::Length, exact: true, ..Setup::default() };
    let options = Params::parse(options).unwrap();
    let mut search = iterative_deepening::open(game.clone(), state, &setup, options).unwrap();
    assert_eq!(search.run(&Budget::time(Duration::from_secs(120)), &mut ()), Stop::Done);
    search.answer()
}

/// Alpha-beta finds every win, also where positions repeat. (It would look for ever for one that is not there.)
#[test]
fn alpha_beta_finds_the_shortest_wins() {
    let mut found = [0; 2];
    for game in games(400) {
        let truth = truth(&game);
        for state in (0..game.positions() as u32).step_by(7).filter(|&s| truth[s as usize] != 0) {
            let answer = alpha_beta(&game, state, ["table-mib=1", "table=off"][state as usize % 2]);
            assert_eq!(answer.verdict.solved(), Some(ZeroSum(truth[state as usize])));
            assert_eq!(answer.line.len() as i32, LONGEST - truth[state as usize].abs());
            found[usize::from(game.facts().acyclic)] += 1;
        }
    }
    assert!(found[0] > 300 && found[1] > 300, "{found:?}");
}

/// Problems whose solutions everybody knows; the second is Morphy's.
#[test]
fn chess_mates_are_the_shortest() {
    let game = Arc::new(Chess::new(518, true));
    for (fen, plies) in [
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 3),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 5),
    ] {
        let state = game.parse_position(fen).unwrap();
        let answer = alpha_beta(&game, state, "table-mib=64");
        assert_eq!(answer.verdict.solved(), Some(ZeroSum(LONGEST - plies)), "{fen}");
        let end = answer.line.iter().fold(state, |state, &mv| game.after(&state, mv));
        assert_eq!((answer.line.len() as i32, game.status(&end)), (plies, Status::Over(ZeroSum(1))), "{fen}");
    }
}

/// The longest mates of endings, known since the first endgame databases (Thompson 1986): 10 and 16 moves.
#[test]
fn the_longest_mates_with_a_queen_and_with_a_rook() {
    let game = Arc::new(Chess::new(518, false));
    for (fen, moves) in [("8/8/8/8/3k4/8/8/KQ6 w - - 0 1", 10), ("8/8/8/8/3k4/8/8/KR6 w - - 0 1", 16)] {
        let root = game.parse_position(fen).unwrap();
        let mut search = Retrograde::new(game.clone(), root, Objective::Length).unwrap();
        assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
        // With the loser to move it takes one ply more than with the winner.
        assert_eq!(search.longest(), 2 * moves, "{fen}: {} positions", search.states());
    }
}

fn longest<G: FullGame<Payoff = ZeroSum>>(game: G, position: Option<&str>) -> (usize, u32, Option<ZeroSum>) {
    let game = Arc::new(game);
    let root = position.map_or(game.start(), |text| game.parse_position(text).unwrap());
    let mut search = Retrograde::new(game, root, Objective::Length).unwrap();
    assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
    (search.states(), search.longest(), search.value(&root))
}

/// With two bishops 19 moves, with bishop and knight 33 (Thompson 1986).
#[test]
#[ignore = "takes minutes and a gigabyte"]
fn the_longest_mates_with_two_minor_pieces() {
    for (fen, moves) in [("8/8/8/8/3k4/8/8/KBB5 w - - 0 1", 19), ("8/8/8/8/3k4/8/8/KBN5 w - - 0 1", 33)] {
        let (states, plies, _) = longest(Chess::new(518, false), Some(fen));
        eprintln!("{fen}: {states} positions, {plies} plies");
        assert_eq!(plies, 2 * moves, "{fen}");
    }
}
