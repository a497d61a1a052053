//! Monte-Carlo tree search on several threads: how much faster two are than one, and how often they meet.
//!
//! `cargo bench -p perfectplay-search --bench mcts_threads -- [WHAT] [MILLISECONDS]`, where WHAT is a part of a game's
//! name, or `conflicts`. One and two threads in turn, five times; medians. `-- strength [MILLISECONDS] [FIRST]
//! [PAIRS]`: games of Connect Four, two threads against one with as much time for a move, from so many random openings,
//! each in both seatings.

use std::sync::Arc;
use std::time::{Duration, Instant};

use perfectplay_core::random::SplitMix64;
use perfectplay_core::{Budget, FullGame, Game as _, Params, Status};
use perfectplay_games::chess::Chess;
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::hex::Hex;
use perfectplay_search::mcts::uct;
use perfectplay_search::{Search, Setup};

const RUNS: usize = 5;

fn open<G: FullGame>(game: &Arc<G>, threads: usize) -> Box<dyn Search<G>> {
    let setup = Setup { threads, ..Setup::default() };
    uct::open(game.clone(), game.start(), &setup, Params::default()).expect("it takes every game")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn row<G: FullGame>(wanted: &str, name: &str, game: G, time: Duration) {
    if !name.contains(wanted) {
        return;
    }
    let game = Arc::new(game);
    let (mut rates, mut bytes) = ([vec![], vec![]], [0.0; 2]);
    for _ in 0..RUNS {
        for threads in [1, 2] {
            let mut search = open(&game, threads);
            let started = Instant::now();
            search.run(&Budget { threads, ..Budget::time(time) }, &mut ());
            let seconds = started.elapsed().as_secs_f64();
            let effort = search.answer().effort;
            rates[threads - 1].push(effort.nodes as f64 / seconds);
            bytes[threads - 1] = effort.bytes as f64 / effort.nodes as f64;
        }
    }
    let rates = rates.map(median);
    println!(
        "{name:18} {:>10.0} {:>10.0} simulations/s {:>6.3}x   {:>4.0} {:>4.0} bytes per simulation",
        rates[0],
        rates[1],
        rates[1] / rates[0],
        bytes[0],
        bytes[1]
    );
}

/// What threads do to each other: counts, which do not depend on how many cores there are, as far as the system lets
/// threads run in turns.
fn conflicts<G: FullGame>(name: &str, game: G, simulations: u64) {
    let game = Arc::new(game);
    for threads in [1, 2, 4, 8, 16, 32] {
        let mut search = open(&game, threads);
        search.run(&Budget { threads, ..Budget::nodes(simulations) }, &mut ());
        print!("{name:18} {threads:>3} threads");
        for (what, count) in search.answer().counts {
            print!(", {count} {what}");
        }
        println!();
    }
}

/// One game; what the first player gets.
fn game(four: &Arc<ConnectFour<u64>>, opening: &[u8], threads: [usize; 2], time: Duration) -> i32 {
    let mut state = four.start();
    opening.iter().for_each(|&mv| four.play(&mut state, mv));
    let open = |threads| {
        let setup =
            Setup { threads, seed: opening.iter().fold(1, |seed, &mv| 7 * seed + u64::from(mv)), ..Setup::default() };
        uct::open(four.clone(), state, &setup, Params::default()).expect("it takes every game")
    };
    let mut searches = threads.map(open);
    for ply in opening.len().. {
        if let Status::Over(payoff) = four.status(&state) {
            return payoff.0.signum();
        }
        let mover = ply % 2;
        searches[mover].run(&Budget { threads: threads[mover], ..Budget::time(time) }, &mut ());
        let mv = searches[mover].answer().best_move().expect("the game goes on");
        searches.iter_mut().for_each(|search| _ = search.advance(mv));
        four.play(&mut state, mv);
    }
    unreachable!("a board is full in the end")
}

/// Different openings of four plies after which nobody has won, in an order that is always the same.
fn openings(four: &ConnectFour<u64>) -> Vec<[u8; 4]> {
    let mut all: Vec<[u8; 4]> =
        (0..7_usize.pow(4)).map(|i| [343, 49, 7, 1].map(|power| (i / power % 7) as u8)).collect();
    let mut random = SplitMix64::new(1);
    (1..all.len()).rev().for_each(|i| all.swap(i, random.below(i + 1)));
    let mut seen = std::collections::HashSet::new();
    all.retain(|opening| {
        let mut state = four.start();
        opening.iter().for_each(|&mv| four.play(&mut state, mv));
        seen.insert(four.key(&state))
    });
    all
}

/// Points of two threads against one.
fn strength(time: Duration, first: usize, pairs: usize) {
    let four = Arc::new(ConnectFour::<u64>::new(7, 6));
    let (mut wins, mut draws, mut losses) = (0, 0, 0);
    for opening in openings(&four).iter().skip(first).take(pairs) {
        for (threads, sign) in [([2, 1], 1), ([1, 2], -1)] {
            match sign * game(&four, opening, threads, time) {
                1 => wins += 1,
                0 => draws += 1,
                _ => losses += 1,
            }
        }
    }
    println!("two threads against one, {time:?} a move: +{wins} ={draws} -{losses}");
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let time = Duration::from_millis(words.iter().find_map(|a| a.parse().ok()).unwrap_or(3_000));
    let wanted = words.iter().find(|a| a.parse::<u64>().is_err()).cloned().unwrap_or_default();
    if wanted == "strength" {
        let number = |i: usize| words.get(i).and_then(|word| word.parse().ok());
        return strength(time, number(2).unwrap_or(0), number(3).unwrap_or(250));
    }
    let (four, hex, chess) = (ConnectFour::<u64>::new(7, 6), Hex::<u128>::new(11, true), Chess::new(518, true));
    if wanted == "conflicts" {
        conflicts("connect-four:7x6", four, 300_000);
        conflicts("hex:11", hex, 100_000);
        conflicts("chess", chess, 10_000);
        return;
    }
    row(&wanted, "connect-four:7x6", four, time);
    row(&wanted, "hex:11", hex, time);
    row(&wanted, "chess", chess, time);
}
