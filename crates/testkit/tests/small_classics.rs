//! Known values of small boards, each found by two algorithms that have nothing in common.

use std::sync::Arc;

use perfectplay_core::{Budget, Game, Objective, Params, Player, Scores, Spec, Stop, Visitor, ZeroSum};
use perfectplay_games::boxed::{Boxed, SMALL};
use perfectplay_search::{Search, Setup, backward_induction, pns};

struct Solve(Objective);

impl Visitor for Solve {
    type Output = i32;

    fn zero_sum<G: Game<Payoff = ZeroSum>>(self, game: G) -> i32 {
        let game = Arc::new(Boxed::<ZeroSum, SMALL>::new(Arc::new(game)));
        let setup = Setup { objective: self.0, ..Setup::default() };
        let value = |mut search: Box<dyn Search<_>>| {
            assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
            let value: ZeroSum = search.answer().verdict.solved().expect("no limit was set");
            self.0.value(value, Player::FIRST)
        };
        let induction = value(backward_induction::open(game.clone(), game.start(), &setup, Params::default()).unwrap());
        if self.0 == Objective::Gain {
            let proof = value(pns::open(game.clone(), game.start(), &setup, Params::default()).unwrap());
            assert_eq!(proof, induction, "proof-number search and backward induction disagree");
        }
        induction
    }

    fn scores<const N: usize, G: Game<Payoff = Scores<N>>>(self, _: G) -> i32 {
        unreachable!("games for two only")
    }
}

fn gain(spec: &str) -> i32 {
    perfectplay_games::open(Spec::parse(spec).unwrap(), Solve(Objective::Gain)).unwrap().unwrap()
}

fn score(spec: &str) -> i32 {
    perfectplay_games::open(Spec::parse(spec).unwrap(), Solve(Objective::Score)).unwrap().unwrap()
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
    for (size, boxes) in [("1x1", -1), ("1x2", 0), ("1x3", -1), ("1x4", 0), ("2x2", 2), ("2x3", -2)] {
        assert_eq!(score(&format!("dots-and-boxes:{size}")), boxes, "{size}");
        assert_eq!(gain(&format!("dots-and-boxes:{size}")), boxes.signum(), "{size}");
    }
}

#[test]
#[ignore = "minutes, some gigabytes"]
fn larger_dots_and_boxes() {
    assert_eq!(score("dots-and-boxes:3x3"), -3);
}

/// Two stones beside each other on the rim join two corners: one move too many for the second player, unless it may swap.
#[test]
fn havannah() {
    assert_eq!(gain("havannah:2,swap=off"), 1);
    assert_eq!(gain("havannah:2"), -1);
}
