//! Speed and memory of best-first search: states per second, bytes per state, and how both change as the tree grows.
//!
//! `cargo bench -p perfectplay-search --bench best_first [STATES]`. Written by hand and not with a benchmark framework,
//! because the question is how one search slows down while it grows to ten million states, not how long a short piece
//! of code takes on average. For each size the best of several runs counts. What the system took of it is named apart:
//! in a virtual machine most of that is the host looking for memory, and depends on what ran before.

use std::sync::Arc;
use std::time::Instant;

use perfectplay_core::{Budget, Game};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_search::best_first::completion::TwoPlayers;
use perfectplay_search::best_first::exploration::Instance;
use perfectplay_search::best_first::main_loop::{BestFirst, LoopOptions};

type Search = BestFirst<ConnectFour<u64>, TwoPlayers<ConnectFour<u64>, Instance>>;

fn search(instance: &Instance) -> Search {
    let game = Arc::new(ConnectFour::<u64>::new(7, 6));
    let root = game.start();
    BestFirst::new("bench", game, root, TwoPlayers::new(instance.clone()), LoopOptions::default()).expect("acyclic")
}

/// Seconds that the system worked for this process, where it tells; in hundredths.
fn system_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = told.rsplit(')').next().unwrap_or_default();
    fields.split_whitespace().nth(12).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0) / 100.0
}

fn main() {
    let most = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(10_000_000);
    println!("Connect Four 7x6, zero evaluation, one thread");
    println!(
        "{:9} {:>10} {:>12} {:>12} {:>10} {:>10} {:>14} {:>10}",
        "search", "states", "Mstates/s", "iterations", "ns/iter", "of system", "bytes/state", "edges"
    );
    for (name, instance) in [("ubfm", Instance::Ubfm), ("descent", Instance::Descent)] {
        let mut states = 100_000;
        while states <= most {
            let (mut best, mut of_system) = (f64::INFINITY, 0.0);
            let mut done = search(&instance);
            for _ in 0..if states < 1_000_000 { 12 } else { 3 } {
                let mut fresh = search(&instance);
                let (started, before) = (Instant::now(), system_seconds());
                fresh.run(&Budget::nodes(states), &mut ());
                let took = started.elapsed().as_secs_f64();
                if took < best {
                    (best, of_system) = (took, system_seconds() - before);
                }
                done = fresh;
            }
            let tree = done.tree();
            let count = tree.len() as f64;
            let per_state = (tree.bytes() as f64 - 12.0 * tree.edge_count() as f64) / count;
            println!(
                "{name:9} {count:>10} {:>12.2} {:>12} {:>10.0} {:>10.0} {per_state:>14.1} {:>10}",
                count / best / 1e6,
                done.iterations(),
                best * 1e9 / done.iterations() as f64,
                of_system * 1e9 / done.iterations() as f64,
                tree.edge_count()
            );
            states *= 10;
        }
    }
}
