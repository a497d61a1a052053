//! Proof-number search on several threads: how much faster two are than one, and what they do to each other.
//!
//! `cargo bench -p perfectplay-search --bench proof_number_threads -- [WHAT] [ROUNDS]`, where WHAT is a part of an
//! algorithm's name with its options, or `conflicts`. Connect Four 5×5 by best-first searches, m,n,k 5×4×4 by those in
//! depth; one and two threads in turn, three times or as often as told; medians.

use std::sync::Arc;
use std::time::Instant;

use perfectplay_core::{Budget, FullGame, Params, ZeroSum};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::mnk::Mnk2;
use perfectplay_search::proof_number::{df_mopns, df_pn, mopns, pns};
use perfectplay_search::{Refusal, Search, Setup};

type Open<G> = fn(Arc<G>, <G as perfectplay_core::Game>::State, &Setup, Params) -> Result<Box<dyn Search<G>>, Refusal>;

fn open<G: FullGame<Payoff = ZeroSum>>(
    game: &Arc<G>,
    (open, options): (Open<G>, &str),
    threads: usize,
) -> Box<dyn Search<G>> {
    let setup = Setup { threads, ..Setup::default() };
    open(game.clone(), game.start(), &setup, Params::parse(options).expect("options")).expect("it takes this game")
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// What is measured, and how often.
struct Wanted {
    what: String,
    rounds: usize,
}

impl Wanted {
    fn row<G: FullGame<Payoff = ZeroSum>>(&self, name: &str, game: G, search: (Open<G>, &str)) {
        let name = format!("{name}:{}", search.1);
        if !name.contains(&self.what) {
            return;
        }
        let game = Arc::new(game);
        let (mut rates, mut times) = ([vec![], vec![]], [vec![], vec![]]);
        for _ in 0..self.rounds {
            for threads in [1, 2] {
                let started = Instant::now();
                let mut search = open(&game, search, threads);
                search.run(&Budget { threads, ..Budget::default() }, &mut ());
                let seconds = started.elapsed().as_secs_f64();
                rates[threads - 1].push(search.answer().effort.nodes as f64 / seconds / 1e6);
                times[threads - 1].push(seconds);
            }
        }
        let ([one, two], [alone, together]) = (rates.map(|r| median(&r)), times.map(|t| median(&t)));
        println!(
            "{name:18} {one:>6.2} {two:>6.2} M nodes/s {:>5.2}x   {alone:>6.2} {together:>6.2} s {:>5.2}x",
            two / one,
            alone / together
        );
    }

    /// What threads do to each other: counts, which do not depend on how many cores there are, as far as the system
    /// lets threads run in turns.
    fn conflicts<G: FullGame<Payoff = ZeroSum>>(&self, name: &str, game: G, search: (Open<G>, &str)) {
        let game = Arc::new(game);
        for threads in [1, 2, 4, 8, 16, 32] {
            let mut run = open(&game, search, threads);
            run.run(&Budget { threads, ..Budget::default() }, &mut ());
            let answer = run.answer();
            print!("{:18} {threads:>3} threads, {} nodes", format!("{name}:{}", search.1), answer.effort.nodes);
            answer.counts.iter().for_each(|(what, count)| print!(", {count} {what}"));
            println!();
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let rounds = words.iter().find_map(|a| a.parse().ok()).unwrap_or(3);
    let what = words.iter().find(|a| a.parse::<usize>().is_err()).cloned().unwrap_or_default();
    let four = |height| ConnectFour::<u64>::new(5, height);
    let wanted = Wanted { what, rounds };
    if wanted.what == "conflicts" {
        wanted.conflicts("pns", four(4), (pns::open, "table=on"));
        wanted.conflicts("mopns", four(4), (mopns::open, "table=on"));
        return;
    }
    wanted.row("pns", four(5), (pns::open, "table=on"));
    wanted.row("mopns", four(5), (mopns::open, "table=on"));
    wanted.row("pns", four(5), (pns::open, ""));
    wanted.row("mopns", four(5), (mopns::open, ""));
    wanted.row("df-pn", Mnk2::<u64>::new(5, 4, 4), (df_pn::open, ""));
    wanted.row("df-mopns", Mnk2::<u64>::new(5, 4, 4), (df_mopns::open, ""));
}
