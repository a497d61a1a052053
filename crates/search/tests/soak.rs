//! Random games without end: every search that uses threads, with 2 to 8 of them, finds what backward induction finds.
//!
//! `SOAK_MINUTES=60 cargo test --release -p perfectplay-search --test soak -- --ignored --nocapture`

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{TableGame, random_game};
use perfectplay_core::{Budget, Objective, Params, Payoff, Player, Stop, ZeroSum};
use perfectplay_search::alpha_beta::{iterative_deepening, mtdf};
use perfectplay_search::best_first::{descent, ubfm, umb};
use perfectplay_search::mcts::uct;
use perfectplay_search::n_player::maxn;
use perfectplay_search::oracle::backward_induction::{self, BackwardInduction};
use perfectplay_search::oracle::{equilibria, retrograde};
use perfectplay_search::portfolio::two_players;
use perfectplay_search::proof_number::{df_mopns, df_pn, mopns, pns};
use perfectplay_search::{Refusal, Search, Setup};

type Game2 = TableGame<ZeroSum>;
type Open = fn(Arc<Game2>, u32, &Setup, Params) -> Result<Box<dyn Search<Game2>>, Refusal>;

const SEARCHES: [(&str, Open, &str); 22] = [
    ("backward-induction", backward_induction::open, ""),
    ("equilibria", equilibria::open, ""),
    ("retrograde", retrograde::open, ""),
    ("ubfm", ubfm::open, ""),
    ("ubfm", ubfm::open, "generalisation=second"),
    ("descent", descent::open, ""),
    ("umb", umb::open, "policy=epsilon-random,epsilon=0.3"),
    ("mcts", uct::open, ""),
    ("pns", pns::open, ""),
    ("pns", pns::open, "prune=off,mobility=on"),
    ("pns", pns::open, "table=on"),
    ("pns", pns::open, "table=on,sum=weak"),
    ("mopns", mopns::open, ""),
    ("mopns", mopns::open, "current-node=off"),
    ("mopns", mopns::open, "table=on"),
    ("mopns", mopns::open, "table=on,sum=weak"),
    ("df-pn", df_pn::open, ""),
    ("df-mopns", df_mopns::open, ""),
    ("maxn", maxn::open, ""),
    ("alpha-beta", iterative_deepening::open, "exact=on,table-mib=1"),
    ("mtdf", mtdf::open, "table-mib=1"),
    ("auto", two_players::open, ""),
];

/// Searches a game to the end, in slices.
fn check((name, open, options): (&str, Open, &str), seed: u64, value: ZeroSum, game: &Arc<Game2>) {
    let threads = 2 + seed as usize % 7;
    let nodes = [1, 30, 300, 100_000][seed as usize / 7 % 4];
    let setup = Setup { seed, threads, exact: true, memory: Some(1 << 22), ..Setup::default() };
    let place = format!("{name}:{options}, game {seed}, {threads} threads");
    let mut search = open(game.clone(), 0, &setup, Params::parse(options).unwrap()).expect(&place);
    for slice in 0.. {
        match search.run(&Budget { threads, ..Budget::nodes(nodes) }, &mut ()) {
            Stop::Done => break,
            Stop::Nodes => assert!(slice < 1_000_000, "{place}: it does not end"),
            other => panic!("{place}: {other}"),
        }
    }
    let found = search.answer().verdict.solved().expect(&place);
    assert_eq!(found.gain(Player::FIRST), value.gain(Player::FIRST), "{place}");
}

fn check_game(seed: u64) {
    let game = random_game(seed, |roll| ZeroSum(roll(3) as i32 - 1));
    let value = BackwardInduction::solve(game.clone(), 0, Objective::Gain).unwrap();
    SEARCHES.iter().for_each(|&search| check(search, seed, value, &game));
}

#[test]
fn a_few_games() {
    (0..40).map(|seed| seed * 7_919).for_each(check_game);
}

/// As long as the environment says, or a minute.
#[test]
#[ignore = "takes as long as it is told to"]
fn games_without_end() {
    let minutes = std::env::var("SOAK_MINUTES").map_or(1, |minutes| minutes.parse().expect("a whole number"));
    let (started, mut games) = (Instant::now(), 0);
    while started.elapsed() < Duration::from_secs(60 * minutes) {
        check_game(1_000_000 + games);
        games += 1;
    }
    println!("{games} games, {} searches of each, {minutes} minutes", SEARCHES.len());
}
