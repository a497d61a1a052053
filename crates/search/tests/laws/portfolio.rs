//! What the portfolio does beside being right, which the laws of solvers check.

use std::sync::Arc;

use crate::common::packed;
use perfectplay_core::{Answer, Budget, Game, Params, SolveStatus, Stop, ZeroSum};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::domineering::{Domineering, Way};
use perfectplay_games::seam::Tiny;
use perfectplay_games::tic_tac_toe;
use perfectplay_search::portfolio::{every_move, two_players};
use perfectplay_search::{Reader, Search, Setup, Writer};

type Four = Tiny<ZeroSum>;

fn auto(game: &Arc<Four>) -> Box<dyn Search<Four>> {
    two_players::open(game.clone(), game.start(), &Setup { exact: true, ..Setup::default() }, Params::default())
        .unwrap()
}

fn told(answer: &Answer<Four>) -> impl PartialEq + std::fmt::Debug + use<> {
    (answer.verdict.solved(), answer.line.clone(), answer.effort.nodes, answer.counts.clone())
}

/// Limits on nodes make a run reproducible, and cutting them into pieces changes nothing.
#[test]
fn nodes_decide_whose_turn_it_is() {
    let game = packed(ConnectFour::<u64>::new(5, 4));
    for (whole, piece) in [(20_000, 20_000), (20_000, 777), (100_000, 3_210)] {
        let mut one = auto(&game);
        one.run(&Budget::nodes(whole), &mut ());
        let mut cut = auto(&game);
        let budget = Budget::nodes(piece);
        while budget.ledger.spent() < whole {
            let rest = piece.min(whole - budget.ledger.spent());
            if cut.run(&Budget { nodes: Some(rest), ..budget.clone() }, &mut ()) == Stop::Done {
                break;
            }
        }
        assert_eq!(told(&cut.answer()), told(&one.answer()), "{whole} nodes by {piece}");
    }
}

/// So does a caller who asks for a run that can be repeated, without a limit.
#[test]
fn a_run_can_be_repeated() {
    let game = packed(ConnectFour::<u64>::new(5, 4));
    let setup = Setup { exact: true, reproducible: true, ..Setup::default() };
    let once = |open: fn(Arc<Four>, _, &Setup, Params) -> _| {
        let mut search: Box<dyn Search<Four>> =
            Result::unwrap(open(game.clone(), game.start(), &setup, Params::default()));
        assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
        let answer = search.answer();
        (answer.line, answer.effort.nodes, answer.counts)
    };
    assert_eq!(once(two_players::open), once(two_players::open));
    assert_eq!(once(every_move::open), once(every_move::open));
}

/// The same for all moves at once.
#[test]
fn nodes_decide_which_move_is_looked_at() {
    let game = packed(ConnectFour::<u64>::new(5, 4));
    let open = || every_move::open(game.clone(), game.start(), &Setup::default(), Params::default()).unwrap();
    let known = |answer: &Answer<Four>| {
        let moves = answer.moves.iter().map(|report| format!("{:?} {:?}", report.mv, report.verdict));
        (moves.collect::<Vec<_>>(), answer.line.clone(), answer.effort.nodes)
    };
    for (whole, piece) in [(9_000, 777), (40_000, 1_234), (200_000, 3_210)] {
        let mut one = open();
        one.run(&Budget::nodes(whole), &mut ());
        let mut cut = open();
        let budget = Budget::nodes(piece);
        while budget.ledger.spent() < whole {
            let rest = piece.min(whole - budget.ledger.spent());
            if cut.run(&Budget { nodes: Some(rest), ..budget.clone() }, &mut ()) == Stop::Done {
                break;
            }
        }
        assert_eq!(known(&cut.answer()), known(&one.answer()), "{whole} nodes by {piece}");
    }
}

/// Also side by side, where another member would be faster: induction has its head start alone.
#[test]
fn small_games_get_all_positions_valued() {
    let game = packed(tic_tac_toe::new());
    for threads in [1, 2, 3] {
        let mut search = two_players::open(game.clone(), game.start(), &Setup::default(), Params::default()).unwrap();
        assert_eq!(search.run(&Budget { threads, ..Budget::unlimited() }, &mut ()), Stop::Done);
        assert_eq!(search.prover(), Some("backward-induction"), "{threads} threads");
        assert!(search.answer().counts.contains(&("positions", 5_478)));
    }
}

/// By nodes it is always the same one, and it is named.
#[test]
fn it_says_who_has_proved_it() {
    let game = packed(ConnectFour::<u64>::new(5, 4));
    let prover = || {
        let mut search = auto(&game);
        assert_eq!(search.run(&Budget::nodes(10_000_000), &mut ()), Stop::Done);
        assert_eq!(search.answer().verdict.solved(), Some(ZeroSum(0)));
        search.prover().expect("somebody proved it")
    };
    let first = prover();
    assert!(["df-mopns", "alpha-beta"].contains(&first) && prover() == first);
}

#[test]
fn members_search_side_by_side() {
    let game = packed(ConnectFour::<u64>::new(5, 4));
    for threads in [2, 3, 5] {
        let mut search = auto(&game);
        let budget = Budget { threads, ..Budget::unlimited() };
        assert_eq!(search.run(&budget, &mut ()), Stop::Done);
        let answer = search.answer();
        assert_eq!(answer.verdict.solved(), Some(ZeroSum(0)), "{threads} threads");
        assert!(!answer.line.is_empty());
    }
}

/// What can be saved goes on, the rest begins again.
#[test]
fn a_saved_portfolio_goes_on() {
    let game = packed(ConnectFour::<u64>::new(5, 4));
    let mut search = auto(&game);
    let mut slices = 0;
    while search.run(&Budget::nodes(10_000), &mut ()) != Stop::Done {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes);
        search.save(&mut writer).unwrap();
        writer.finish().unwrap();
        search = auto(&game);
        let mut input = bytes.as_slice();
        let mut reader = Reader::new(&mut input, bytes.len() as u64);
        search.restore(&mut reader).unwrap();
        reader.finish().unwrap();
        slices += 1;
        assert!(slices < 1000, "it does not end");
    }
    assert!(slices > 2);
    assert_eq!(search.answer().verdict.solved(), Some(ZeroSum(0)));
}

/// Guesses and bounds at once, and in the end the value of every move.
#[test]
fn every_move_gets_a_value() {
    let game = packed(Domineering::<u64>::new(4, 4, Way::Vertical));
    let mut search = every_move::open(game.clone(), game.start(), &Setup::default(), Params::default()).unwrap();
    assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
    let answer = search.answer();
    assert!(answer.moves.len() > 1 && answer.moves.iter().all(|m| m.verdict.status() == SolveStatus::Solved));
    let game = packed(tic_tac_toe::new());
    let mut search = every_move::open(game.clone(), game.start(), &Setup::default(), Params::default()).unwrap();
    assert_eq!(search.run(&Budget::nodes(50), &mut ()), Stop::Nodes);
    assert!(search.answer().moves.iter().all(|m| m.verdict.status() == SolveStatus::Unsolved));
    assert!(!search.answer().line.is_empty(), "the best guess, while induction has only begun");
}
