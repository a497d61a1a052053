//! Backward induction, retrograde analysis and perft on several threads: how much faster two are than one.
//!
//! `cargo bench -p perfectplay-search --bench oracle_threads -- [WHAT] [RUNS]`, where WHAT is a part of a row's name.
//! One and two threads in turn, five times unless told otherwise; medians.

use std::sync::Arc;
use std::time::Instant;

use perfectplay_core::{Budget, Game, Notation as _, Objective, perft};
use perfectplay_games::chess::Chess;
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_search::Search as _;
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::oracle::retrograde::Retrograde;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints a row; `run` tells how many nodes it counted.
fn row(wanted: &str, name: &str, runs: usize, run: impl Fn(&Budget) -> (u64, f64)) {
    if !name.contains(wanted) {
        return;
    }
    let (mut rates, mut times) = ([vec![], vec![]], [vec![], vec![]]);
    for _ in 0..runs {
        for threads in [1, 2] {
            let (nodes, seconds) = run(&Budget { threads, ..Budget::unlimited() });
            rates[threads - 1].push(nodes as f64 / seconds / 1e6);
            times[threads - 1].push(seconds);
        }
    }
    let ([one, two], [one_time, two_time]) = (rates.map(median), times.map(median));
    println!(
        "{name:38} {one:>8.3} {two:>8.3} M nodes/s {:>6.2}x   {:>9.1} {:>9.1} ms {:>6.2}x",
        two / one,
        one_time * 1e3,
        two_time * 1e3,
        one_time / two_time
    );
}

fn induction(game: &Arc<ConnectFour<u64>>, budget: &Budget) -> (u64, f64) {
    let mut search = BackwardInduction::new(game.clone(), game.start(), Objective::Gain).expect("acyclic");
    let started = Instant::now();
    search.run(budget, &mut ());
    (search.states() as u64, started.elapsed().as_secs_f64())
}

/// All positions that a bishop and a knight can come to against a king.
fn retrograde(budget: &Budget) -> (u64, f64) {
    let game = Arc::new(Chess::new(518, false));
    let root = game.parse_position("8/8/8/8/3k4/8/8/KBN5 w - - 0 1").expect("a position");
    let mut search = Retrograde::new(game, root, Objective::Gain).expect("not for scores");
    let started = Instant::now();
    search.run(budget, &mut ());
    (search.states() as u64, started.elapsed().as_secs_f64())
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let runs = words.iter().find_map(|a| a.parse().ok()).unwrap_or(5);
    let wanted = words.iter().find(|a| a.parse::<u64>().is_err()).cloned().unwrap_or_default();
    let chess = Chess::new(518, true);
    for depth in [5, 6] {
        row(&wanted, &format!("perft chess {depth}"), runs, |budget| {
            let started = Instant::now();
            let counted = perft(&chess, &chess.start(), depth, true, budget).expect("no limit");
            (counted.leaves.iter().sum(), started.elapsed().as_secs_f64())
        });
    }
    for (width, height) in [(5, 4), (5, 5)] {
        let game = Arc::new(ConnectFour::<u64>::new(width, height));
        row(&wanted, &format!("backward-induction connect-four:{width}x{height}"), runs, |budget| {
            induction(&game, budget)
        });
    }
    row(&wanted, "retrograde KBNK", runs, retrograde);
}
