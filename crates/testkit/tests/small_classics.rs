//! Known values of small boards, each found by two algorithms that have nothing in common.

use std::sync::Arc;

use perfectplay_core::{Budget, FullGame, Game, Objective, Params, Player, Scores, Spec, Stop, Visitor, ZeroSum};
use perfectplay_games::seam::Packed;
use perfectplay_search::best_first::descent;
use perfectplay_search::oracle::backward_induction;
use perfectplay_search::proof_number::pns;
use perfectplay_search::{Search, Setup};

/// One class for all, so that algorithms are compiled for it only.
type Any = Packed<ZeroSum, 18, 8, 2>;

struct Pack;

impl Visitor for Pack {
    type Output = Any;
    fn zero_sum<G: FullGame<Payoff = ZeroSum>>(self, game: G) -> Any {
        Packed::new(game)
    }
    fn scores<const N: usize, G: FullGame<Payoff = Scores<N>>>(self, _: G) -> Any {
        panic!("this is no game for two")
    }
}

fn open(spec: &str) -> Arc<Any> {
    Arc::new(perfectplay_games::open(Spec::parse(spec).unwrap(), Pack).unwrap().unwrap())
}

fn value(mut search: Box<dyn Search<Any>>, objective: Objective) -> i32 {
    assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
    objective.value(search.answer().verdict.solved().expect("no limit was set"), Player::FIRST)
}

/// Win, draw or loss by backward induction and by proof-number search, whose tree is small where games are short.
fn gain(spec: &str) -> i32 {
    let (game, setup, objective) = (open(spec), Setup::default(), Objective::Gain);
    let induction = backward_induction::open(game.clone(), game.start(), &setup, Params::default()).unwrap();
    let proof = pns::open(game.clone(), game.start(), &setup, Params::default()).unwrap();
    let found = value(induction, objective);
    assert_eq!(value(proof, objective), found, "{spec}: proof-number search and backward induction disagree");
    found
}

/// The score by backward induction and by descent, which both know a position again when they meet it.
fn score(spec: &str) -> i32 {
    let (game, objective) = (open(spec), Objective::Score);
    let setup = Setup { objective, ..Setup::default() };
    let induction = backward_induction::open(game.clone(), game.start(), &setup, Params::default()).unwrap();
    let best_first = descent::open(game.clone(), game.start(), &setup, Params::default()).unwrap();
    let found = value(induction, objective);
    assert_eq!(value(best_first, objective), found, "{spec}: descent and backward induction disagree");
    found
}

/// Who moves first wins, or loses, on these boards.
#[test]
fn clobber() {
    for size in ["1x2", "1x4", "1x8", "2x2", "2x4", "2x5", "2x7", "4x4"] {
        assert_eq!(gain(&format!("clobber:{size}")), 1, "{size}");
    }
    for size in ["1x6", "2x3", "2x6", "3x4"] {
        assert_eq!(gain(&format!("clobber:{size}")), -1, "{size}");
    }
}

#[test]
#[ignore = "minutes"]
fn larger_clobber() {
    for size in ["2x8", "4x5"] {
        assert_eq!(gain(&format!("clobber:{size}")), 1, "{size}");
    }
    assert_eq!(gain("clobber:3x6"), -1);
}

/// Square boards after Breuker, Uiterwijk and van den Herik (2000).
#[test]
fn domineering() {
    for (size, winner) in [(2, 1), (3, 1), (4, 1), (5, -1)] {
        assert_eq!(gain(&format!("domineering:{size}x{size}")), winner, "{size}");
        assert_eq!(gain(&format!("domineering:{size}x{size},first=horizontal")), winner, "{size}");
    }
}

#[test]
fn dots_and_boxes() {
    for (size, boxes) in [("1x1", -1), ("1x2", 0), ("1x3", -1), ("1x4", 0), ("2x2", 2)] {
        assert_eq!(score(&format!("dots-and-boxes:{size}")), boxes, "{size}");
    }
}

#[test]
#[ignore = "minutes, some gigabytes"]
fn larger_dots_and_boxes() {
    assert_eq!(score("dots-and-boxes:2x3"), -2);
    assert_eq!(score("dots-and-boxes:3x3"), -3);
}

/// Two stones beside each other on the rim join two corners: one move too many for the second player, unless it may
/// swap.
#[test]
fn havannah() {
    assert_eq!(gain("havannah:2,swap=off"), 1);
    assert_eq!(gain("havannah:2"), -1);
}
