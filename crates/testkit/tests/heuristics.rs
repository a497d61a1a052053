//! A hand-written evaluation is worth its name if following it one move deep beats playing at random.

use perfectplay_core::{Estimate, FullGame, Payoff, Player, Status};
use perfectplay_games::seam::Packed;
use perfectplay_testkit::{Dice, OnPacked, visit_packed};

/// So many games, with all colours.
struct GreedyAgainstRandom(usize);

impl OnPacked for GreedyAgainstRandom {
    type Output = f64;
    fn on<P: Payoff, const S: usize, const K: usize, const M: usize>(self, game: Packed<P, S, K, M>) -> f64 {
        greedy_against_random(&game, self.0)
    }
}

/// Of 1 in all, over so many games, with all colours.
fn greedy_against_random<G: FullGame>(game: &G, games: usize) -> f64 {
    const MOST_MOVES: usize = 400;
    let mut dice = Dice::new(1);
    let mut points = 0.0;
    for g in 0..games {
        let me = Player::new(g % G::Payoff::PLAYERS);
        let mut state = game.start();
        points += 0.5; // a game that does not end counts as a draw
        for _ in 0..MOST_MOVES {
            let mut moves = Vec::new();
            match game.expand(&state, &mut moves) {
                Status::Over(payoff) => {
                    points += f64::from(payoff.gain(me).value()) / 2.0;
                    break;
                }
                Status::Turn(mover) => {
                    let chosen =
                        if mover == me { best(game, &state, &moves, me, &mut dice) } else { dice.below(moves.len()) };
                    game.play(&mut state, moves[chosen]);
                }
            }
        }
    }
    points / games as f64
}

/// The move after which the game looks best to `me`; any of them if there are several.
fn best<G: FullGame>(game: &G, state: &G::State, moves: &[G::Move], me: Player, dice: &mut Dice) -> usize {
    let mut best = (f32::MIN, 0, 0);
    for (i, &mv) in moves.iter().enumerate() {
        let next = game.after(state, mv);
        let worth = match game.status(&next) {
            Status::Over(payoff) => 2.0 * payoff.gain(me).value() as f32,
            Status::Turn(_) => game.heuristic(&next).of(me),
        };
        let tie = dice.below(1 << 20);
        if (worth, tie) > (best.0, best.1) {
            best = (worth, tie, i);
        }
    }
    best.2
}

#[test]
fn one_move_deep_beats_random() {
    for spec in [
        "clobber:5x6",
        "domineering:6x6",
        "dots-and-boxes:3x3",
        "gomoku:9",
        "connect6:9",
        "ataxx:5",
        "lines-of-action:repetition=free",
        "nine-mens-morris:repetition=free",
        "santorini",
        "surakarta",
        "havannah:4,swap=off",
        "xiangqi:repetition=free",
    ] {
        let points = visit_packed(spec, GreedyAgainstRandom(40));
        println!("{spec}: {points:.3}");
        assert!(points > 0.65, "{spec}: {points}");
    }
}

/// Among several players who play at random, one that looks a move ahead must win far more often than its share.
#[test]
fn one_move_deep_beats_several_at_random() {
    for (spec, games) in [
        ("chexers:repetition=free", 30),
        ("chinese-checkers:3,players=3", 30),
        ("chinese-checkers:6,players=6", 12),
        ("rolit:6", 32),
    ] {
        let points = visit_packed(spec, GreedyAgainstRandom(games));
        println!("{spec}: {points:.3}");
        assert!(points > 0.55, "{spec}: {points}");
    }
}
