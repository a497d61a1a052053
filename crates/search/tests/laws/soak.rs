//! Random games without end: every search that uses threads, with 2 to 8 of them, finds what backward induction finds.
//!
//! `SOAK_MINUTES=60 cargo test --release -p perfectplay-search --test laws soak -- --ignored --nocapture`

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::{Open, random_game};
use perfectplay_core::{
    Answer, Budget, Estimate, Game, Objective, Params, Payoff, Player, Scores, Stop, Verdict, ZeroSum,
};
use perfectplay_games::seam::Tiny;
use perfectplay_search::alpha_beta::{iterative_deepening, mtdf};
use perfectplay_search::best_first::{descent, ubfm, umb};
use perfectplay_search::mcts::uct;
use perfectplay_search::n_player::{brs, maxn, mp_mix, paranoid};
use perfectplay_search::oracle::backward_induction::{self, BackwardInduction};
use perfectplay_search::oracle::equilibria::{self, Equilibria};
use perfectplay_search::oracle::retrograde;
use perfectplay_search::portfolio::{any_players, every_move, two_players};
use perfectplay_search::proof_number::{df_mopns, df_pn, mopns, pns};
use perfectplay_search::{Search, Setup};

type Game2 = Tiny<ZeroSum>;
type Game3 = Tiny<Scores<3>>;
type Kind<G> = (&'static str, Open<G>, &'static str);

const FOR_TWO: [Kind<Game2>; 25] = [
    ("backward-induction", backward_induction::open, ""),
    ("equilibria", equilibria::open, ""),
    ("retrograde", retrograde::open, ""),
    ("ubfm", ubfm::open_for_two, ""),
    ("ubfm", ubfm::open_for_two, "eval=rollouts"),
    ("ubfm", ubfm::open, "generalisation=second"),
    ("descent", descent::open_for_two, ""),
    ("umb", umb::open_for_two, "policy=epsilon-random,epsilon=0.3"),
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
    ("maxn", maxn::open, "table=off"),
    ("alpha-beta", iterative_deepening::open, "exact=on,table-mib=1"),
    ("mtdf", mtdf::open, "table-mib=1"),
    ("auto", two_players::open, ""),
    ("every-move", every_move::open, ""),
];

const FOR_THREE: [Kind<Game3>; 8] = [
    ("backward-induction", backward_induction::open, ""),
    ("ubfm", ubfm::open, ""),
    ("ubfm", ubfm::open, "generalisation=second"),
    ("descent", descent::open, ""),
    ("umb", umb::open, "policy=least-visited"),
    ("mcts", uct::open, ""),
    ("maxn", maxn::open, ""),
    ("auto", any_players::open, ""),
];

/// What only guesses where there are three players: as deep as one thread, with the same guess.
const GUESSING: [Kind<Game3>; 3] = [
    ("paranoid", paranoid::open, "depth=6,eval=hashed"),
    ("brs", brs::open, "depth=6,eval=hashed,plus=on"),
    ("mp-mix", mp_mix::open, "depth=6,eval=hashed"),
];

/// Searches a game to the end, in slices, and gives the answer.
fn searched<P: Payoff>(
    (name, open, options): Kind<Tiny<P>>,
    seed: u64,
    threads: usize,
    game: &Arc<Tiny<P>>,
) -> (String, Answer<Tiny<P>>) {
    let nodes = [1, 30, 300, 100_000][seed as usize / 7 % 4];
    let setup = Setup { seed, threads, exact: true, memory: Some(1 << 22), ..Setup::default() };
    let place = format!("{name}:{options}, game {seed}, {threads} threads");
    let mut search = open(game.clone(), game.start(), &setup, Params::parse(options).unwrap()).expect(&place);
    for slice in 0.. {
        match search.run(&Budget { threads, ..Budget::nodes(nodes) }, &mut ()) {
            Stop::Done => break,
            Stop::Nodes => assert!(slice < 1_000_000, "{place}: it does not end"),
            other => panic!("{place}: {other}"),
        }
    }
    (place, search.answer())
}

fn check_game(seed: u64) {
    let threads = 2 + seed as usize % 7;
    let game = random_game(seed, |roll| ZeroSum(roll(3) as i32 - 1));
    let value = BackwardInduction::solve(game.clone(), game.start(), Objective::Gain).unwrap();
    for kind in FOR_TWO {
        let (place, answer) = searched(kind, seed, threads, &game);
        let found = answer.verdict.solved().expect(&place);
        assert_eq!(found.gain(Player::FIRST), value.gain(Player::FIRST), "{place}");
    }
    let game = random_game(seed, |roll| Scores::<3>::from_scores(&[(); 3].map(|()| roll(3) as i32)));
    let values = Equilibria::solve(game.clone(), game.start(), Objective::Gain).unwrap();
    let mut equilibria = Equilibria::new(game.clone(), game.start(), Objective::Gain).unwrap();
    while equilibria.run(&Budget { threads, ..Budget::nodes(100) }, &mut ()) != Stop::Done {}
    assert_eq!(equilibria.values(&game.start()).unwrap(), values, "equilibria, game {seed}, {threads} threads");
    for kind in FOR_THREE {
        let (place, answer) = searched(kind, seed, threads, &game);
        let found = answer.verdict.solved().expect(&place);
        assert!(values.contains(&found), "{place}: {found:?}");
    }
    for kind in GUESSING {
        let (place, several) = searched(kind, seed, threads, &game);
        let (_, one) = searched(kind, seed, 1, &game);
        // Of a coalition's value only the part of the player to move counts. Whether what reached the end also counts
        // as proved depends on what was pruned before, and so on who came first.
        let guess = |answer: &Answer<Game3>| match (answer.verdict, answer.mover) {
            (Verdict::Estimated(guess), Some(mover)) => Some(guess.of(mover)),
            (Verdict::Solved(payoff), Some(mover)) => Some(payoff.gain(mover).value() as f32),
            _ => None,
        };
        if let Some(found) = several.verdict.solved() {
            assert!(values.contains(&found), "{place}: {found:?}");
        }
        assert_eq!(guess(&several), guess(&one), "{place}");
    }
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
    println!("{games} games, {} searches of each, {minutes} minutes", FOR_TWO.len() + FOR_THREE.len() + GUESSING.len());
}
