//! The small games on which solvers are compared with the oracles.

use perfectplay_core::{Payoff, ZeroSum};
use perfectplay_games::random::{RandomGame, RandomOptions, RandomPayoff, Turns};
use perfectplay_games::script::Script;

/// Zero-sum scripts: each caught a mistake once, or is an edge case.
pub(crate) fn zero_sum_scripts() -> Vec<Script<ZeroSum>> {
    let texts = [
        "only = 3",
        "a: 2 b\nb = -2",
        "[[3,12,8],[2,4,6],[14,5,2]]",
        "[[0,1],[0,-1]]",
        // A shared end that is reached at different depths, and two moves into the same position.
        "a: 1 x->b y->b z->c\nb: 2 x->c y->d\nc: 1 x->d y->e\nd = 0\ne = 1",
        // The same player moves several times.
        "a: 1 x->b y->c\nb: 1 x->c y->d\nc: 1 x->e y->f\nd = -1\ne = 2\nf = -3",
        "a: 2 x->b y->c\nb: 2 x->c y->d\nc: 1 x->e y->f\nd = -1\ne = 2\nf = -3",
        include_str!("../../../data/scripts/minimax.txt"),
        include_str!("../../../data/scripts/zugzwang.txt"),
    ];
    texts.iter().map(|text| Script::parse(text).expect("a good script")).collect()
}

/// Scripts for three players.
pub(crate) fn scripts<P: Payoff>() -> Vec<Script<P>> {
    let texts = [
        "[(1,2,3)]",
        include_str!("../../../data/scripts/deep-pruning.txt"),
        "[(10,8,2),[(6,6,8),[(8,2,10),(8,0,12)],(12,8,0)]]",
        include_str!("../../../data/scripts/max-n.txt"),
        include_str!("../../../data/scripts/kingmaker.txt"),
        // Negative scores, ties, and a player who moves twice.
        "a: 1 b c\nb: 1 d e\nc: 3 e f\nd = -1,-1,-1\ne = 0,5,-5\nf = 0,-5,5",
    ];
    texts.iter().map(|text| Script::parse(text).expect("a good script")).collect()
}

/// Random games of all kinds, `count` of them.
pub(crate) fn random_games<P: RandomPayoff>(count: u64) -> impl Iterator<Item = RandomGame<P>> {
    (0..count)
        .map(|seed| {
            let pick = |choices: &[u32], step: u64| choices[(seed / step) as usize % choices.len()];
            RandomGame::new(RandomOptions {
                draws: seed % 2 == 0,
                turns: if seed / 2 % 2 == 0 { Turns::Cyclic } else { Turns::Any },
                transpositions: f64::from(pick(&[0, 30, 60, 90], 4)) / 100.0,
                outcomes: pick(&[1, 3], 8),
                ties: pick(&[1, 1, 0], 1) == 1 || P::ZERO_SUM,
                depth: pick(&[3, 5, 6, 8, 10], 3),
                branching: pick(&[2, 3, 4], 5),
                seed,
                ..RandomOptions::default()
            })
        })
        .filter(|game| game.positions() <= 20_000)
}
