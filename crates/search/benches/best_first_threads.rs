//! Best-first search on several threads: how much faster two are than one, and how often lines meet.
//!
//! `cargo bench -p perfectplay-search --bench best_first_threads -- [WHAT] [STATES] [RUNS]`, where WHAT is a part of a
//! row's name, or `conflicts`. One and two threads in turn, five times unless told otherwise; medians. What the numbers
//! are compared with differs from machine to machine, their ratio less.

use std::sync::Arc;
use std::time::{Duration, Instant};

use perfectplay_core::{Budget, Estimate, EstimateOf, Evaluator, FullGame, ZeroSum};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::hex::Hex;
use perfectplay_games::othello::{Othello, Score};
use perfectplay_search::best_first::completion::TwoPlayers;
use perfectplay_search::best_first::exploration::Instance;
use perfectplay_search::best_first::main_loop::{BestFirst, LoopOptions};
use perfectplay_search::support::evaluations::Heuristic;

/// A call takes so long, for however many states.
struct Slow(Duration);

impl<G: FullGame> Evaluator<G> for Slow {
    fn evaluate(&mut self, game: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>) {
        let started = Instant::now();
        out.extend(states.iter().map(|state| {
            let noise = (game.position_text(state).len() % 7) as f32 / 7.0;
            EstimateOf::<G>::from_fn(|_| noise)
        }));
        while started.elapsed() < self.0 {
            std::hint::spin_loop();
        }
    }

    fn fork(&self) -> Option<Box<dyn Evaluator<G>>> {
        Some(Box::new(Slow(self.0)))
    }
}

#[derive(Clone, Copy)]
enum Guess {
    Zero,
    Heuristic,
    Slow,
}

type Search<G> = BestFirst<G, TwoPlayers<G, Instance>>;

fn search<G: FullGame<Payoff = ZeroSum>>(game: &Arc<G>, instance: &Instance, guess: Guess) -> Search<G> {
    let mut policy = TwoPlayers::new(instance.clone());
    policy.evaluator = match guess {
        Guess::Zero => None,
        Guess::Heuristic => Some(Box::new(Heuristic { scale: 1.0 })),
        Guess::Slow => Some(Box::new(Slow(Duration::from_micros(100)))),
    };
    BestFirst::new("bench", game.clone(), game.start(), policy, LoopOptions::default()).expect("acyclic")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Seconds and states of one run.
fn run<G: FullGame<Payoff = ZeroSum>>(
    game: &Arc<G>,
    instance: &Instance,
    guess: Guess,
    nodes: Option<u64>,
    threads: usize,
) -> (f64, u64) {
    let mut search = search(game, instance, guess);
    let started = Instant::now();
    search.run(&Budget { nodes, threads, ..Budget::unlimited() }, &mut ());
    (started.elapsed().as_secs_f64(), search.effort().nodes)
}

fn row<G: FullGame<Payoff = ZeroSum>>(
    (wanted, runs): (&str, u64),
    name: &str,
    game: G,
    instance: &Instance,
    guess: Guess,
    nodes: Option<u64>,
) {
    if !name.contains(wanted) {
        return;
    }
    let game = Arc::new(game);
    let (mut rates, mut times) = ([vec![], vec![]], [vec![], vec![]]);
    for _ in 0..runs {
        for threads in [1, 2] {
            let (seconds, states) = run(&game, instance, guess, nodes, threads);
            rates[threads - 1].push(states as f64 / seconds / 1e6);
            times[threads - 1].push(seconds);
        }
    }
    let (rates, times) = (rates.map(median), times.map(median));
    println!(
        "{name:38} {:>8.3} {:>8.3} M states/s {:>6.2}x   {:>8.2} {:>8.2} s {:>6.2}x",
        rates[0],
        rates[1],
        rates[1] / rates[0],
        times[0],
        times[1],
        times[0] / times[1]
    );
}

/// What lines do to each other, by number of threads: counts, which do not depend on how many cores there are, as far
/// as the system lets threads run in turns.
fn conflicts<G: FullGame<Payoff = ZeroSum>>(name: &str, game: G, instance: &Instance, guess: Guess, nodes: u64) {
    let game = Arc::new(game);
    for threads in [2, 4, 8, 16, 32] {
        let mut search = search(&game, instance, guess);
        search.run(&Budget { nodes: Some(nodes), threads, ..Budget::unlimited() }, &mut ());
        let tally = search.tally();
        let per_line = |count: u64| count as f64 / tally.iterations.max(1) as f64;
        println!(
            "{name:38} {threads:>3} threads, per line: {:>6.2} plies, {:>7.4} claimed leaves met, {:>7.4} visits taken \
back, {:>7.4} lines in vain, {:>6.3} values written, {:>5.2} states made",
            per_line(tally.plies),
            per_line(tally.met),
            per_line(tally.taken_back),
            per_line(tally.in_vain),
            per_line(tally.changed),
            per_line(tally.created)
        );
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let mut numbers = words.iter().filter_map(|a| a.parse().ok());
    let (states, runs) = (numbers.next().unwrap_or(10_000_000), numbers.next().unwrap_or(5));
    let wanted = words.iter().find(|a| a.parse::<u64>().is_err()).cloned().unwrap_or_default();
    let four = || ConnectFour::<u64>::new(7, 6);
    let searches = [("ubfm", Instance::Ubfm), ("descent", Instance::Descent)];
    let guesses = [("zero", Guess::Zero), ("heuristic", Guess::Heuristic)];
    let othello = || Othello::<u64>::new(8, Score::Empties);
    if wanted == "conflicts" {
        let states = states.min(1_000_000);
        for (name, instance) in &searches {
            for (guess_name, guess) in guesses {
                conflicts(&format!("{name} {guess_name} connect-four:7x6"), four(), instance, guess, states);
                conflicts(&format!("{name} {guess_name} othello"), othello(), instance, guess, states);
            }
        }
        conflicts("ubfm slow hex:11", Hex::<u128>::new(11, true), &Instance::Ubfm, Guess::Slow, 300_000);
        return;
    }
    let wanted = (wanted.as_str(), runs);
    for (name, instance) in &searches {
        for (guess_name, guess) in guesses {
            row(wanted, &format!("{name} {guess_name} connect-four:7x6"), four(), instance, guess, Some(states));
            row(wanted, &format!("{name} {guess_name} othello"), othello(), instance, guess, Some(states));
        }
    }
    row(wanted, "ubfm slow hex:11", Hex::<u128>::new(11, true), &Instance::Ubfm, Guess::Slow, Some(1_000_000));
    for (name, instance) in &searches {
        for (guess_name, guess) in guesses {
            let game = ConnectFour::<u64>::new(5, 5);
            row(wanted, &format!("{name} {guess_name} solve connect-four:5x5"), game, instance, guess, None);
        }
    }
}
