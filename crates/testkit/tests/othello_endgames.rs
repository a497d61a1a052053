//! Endgames of the FFO test agree with their published scores (`data/othello/ffo.txt`).

use std::sync::Arc;

use perfectplay_core::{Game, Notation, Objective, Player};
use perfectplay_games::othello::{Discs, Othello, Score};
use perfectplay_search::alpha_beta::exact_solver::Solver;

fn solver(score: Score) -> (Arc<Othello<u64>>, Solver<Othello<u64>>) {
    let game = Arc::new(Othello::<u64>::new(8, score));
    (game.clone(), Solver::new(game, 32 << 20).expect("no position repeats"))
}

/// The score for the player to move.
fn scored(solver: &mut Solver<Othello<u64>>, state: &Discs<u64>) -> i32 {
    let score = solver.solve(state, Objective::Score);
    if state.mover == Player::FIRST { score } else { -score }
}

#[test]
fn published_scores() {
    let (game, mut solver) = solver(Score::Empties);
    let mut count = 0;
    for line in include_str!("../../../data/othello/ffo.txt").lines().filter(|line| !line.starts_with('#')) {
        let [number, cells, mover, score] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let state = game.parse_position(&format!("{cells} {mover}")).expect("a position");
        let start = std::time::Instant::now();
        let n = solver.nodes();
        let s = scored(&mut solver, &state);
        eprintln!("{number} {s} {score} {:?} {}", start.elapsed(), solver.nodes() - n);
        assert_eq!(s, score.parse::<i32>().expect("a score"), "FFO {number}");
        count += 1;
    }
    assert_eq!(count, 14);
}

/// Every move of FFO 20, as published; after the first one cells stay empty, and discs alone give another score.
#[test]
fn published_scores_of_every_move() {
    let position = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X";
    for (mv, score, discs) in [("h5", 6, 1), ("g6", -2, -2), ("f6", -4, -4), ("h6", -10, -10)] {
        let of = |rule: Score| {
            let (game, mut solver) = solver(rule);
            let state = game.parse_position(position).expect("a position");
            let mv = game.parse_move(&state, mv).expect("a move");
            -scored(&mut solver, &game.after(&state, mv))
        };
        assert_eq!((of(Score::Empties), of(Score::Discs)), (score, discs), "{mv}");
    }
}
