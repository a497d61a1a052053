//! Monte-Carlo tree search, beyond the laws of solvers.

use std::sync::Arc;

use crate::common::packed;
use perfectplay_core::{Budget, FullGame, Game, Notation, Params, Payoff, Player, Stop, Verdict, ZeroSum};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::mnk::Mnk3;
use perfectplay_games::tic_tac_toe;
use perfectplay_search::baseline::{greedy, random_play};
use perfectplay_search::mcts::uct;
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::{Search, Setup};

fn open<G: FullGame>(game: &Arc<G>, moves: &str, options: &str) -> Box<dyn Search<G>> {
    let mut state = game.start();
    for text in moves.split_whitespace() {
        let mv = game.parse_move(&state, text).unwrap();
        game.play(&mut state, mv);
    }
    uct::open(game.clone(), state, &Setup::default(), Params::parse(options).unwrap()).unwrap()
}

fn best<G: FullGame>(game: &G, state: &G::State, search: &dyn Search<G>) -> String {
    game.move_text(state, search.answer().best_move().unwrap())
}

#[test]
fn simulations_alone_find_the_defence() {
    let game = packed(ConnectFour::<u64>::new(7, 6));
    let moves = "1 4 2 4 7 4"; // the second player threatens to complete column 4
    let mut state = game.start();
    for text in moves.split_whitespace() {
        let mv = game.parse_move(&state, text).unwrap();
        game.play(&mut state, mv);
    }
    let mut search = open(&game, moves, "solver=off");
    assert_eq!(search.run(&Budget::nodes(3_000), &mut ()), Stop::Nodes);
    assert_eq!(best(&*game, &state, &*search), "4");
    assert!(matches!(search.answer().verdict, Verdict::Estimated(_)), "nothing is proved without the solver");
}

#[test]
fn every_simulation_meets_something_new_so_small_games_are_solved() {
    let game = packed(tic_tac_toe::new());
    let mut search = open(&game, "", "");
    assert_eq!(search.run(&Budget::nodes(600_000), &mut ()), Stop::Done);
    let answer = search.answer();
    assert_eq!(answer.verdict.solved(), Some(ZeroSum(0)));
    assert_eq!(answer.line.len(), 9, "a proved draw is shown to the end");
    assert_eq!(answer.effort.nodes, 46_694, "as in data/bench-signature.txt");

    let three = packed(Mnk3::<u64>::new(3, 2, 3));
    let mut search = open(&three, "", "");
    assert_eq!(search.run(&Budget::nodes(200_000), &mut ()), Stop::Done);
    let value = BackwardInduction::solve(three.clone(), three.start(), Default::default()).unwrap();
    assert_eq!(search.answer().verdict.solved().map(|v| v.gain(Player::FIRST)), Some(value.gain(Player::FIRST)));
}

#[test]
fn a_move_played_keeps_what_is_known_below_it() {
    let game = packed(ConnectFour::<u64>::new(5, 4));
    let mut search = open(&game, "", "");
    search.run(&Budget::nodes(20_000), &mut ());
    let answer = search.answer();
    let mv = answer.best_move().unwrap();
    let visits = answer.moves.iter().find(|m| m.mv == mv).unwrap().visits.unwrap();
    assert!(visits > 4_000);
    assert!(search.advance(mv));
    let kept: u64 = search.answer().moves.iter().map(|m| m.visits.unwrap()).sum();
    assert!(kept > visits / 2 && kept < visits, "{kept} of {visits}: all but those that ended at the child itself");
    assert!(search.answer().effort.bytes > 0);
}

#[test]
fn a_limit_on_memory_stops_it_with_an_answer() {
    let game = packed(ConnectFour::<u64>::new(7, 6));
    let mut search = open(&game, "", "");
    let budget = Budget { memory: Some(100_000), ..Budget::nodes(1_000_000) };
    assert_eq!(search.run(&budget, &mut ()), Stop::Memory);
    assert!(search.answer().effort.bytes <= 100_000);
    assert!(search.answer().best_move().is_some());
}

#[test]
fn greedy_takes_a_win_and_random_plays_anything() {
    let game = packed(tic_tac_toe::new());
    let mut state = game.start();
    for text in ["a1", "b1", "a2", "b2"] {
        let mv = game.parse_move(&state, text).unwrap();
        game.play(&mut state, mv);
    }
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..60 {
        let setup = Setup { seed, ..Setup::default() };
        let mut search = greedy::open(game.clone(), state, &setup, Params::parse("").unwrap()).unwrap();
        search.run(&Budget::unlimited(), &mut ());
        assert_eq!(best(&*game, &state, &*search), "a3");
        let mut search = random_play::open(game.clone(), state, &setup, Params::parse("").unwrap()).unwrap();
        search.run(&Budget::unlimited(), &mut ());
        seen.insert(best(&*game, &state, &*search));
    }
    assert_eq!(seen.len(), 5, "all five empty cells come up");
}
