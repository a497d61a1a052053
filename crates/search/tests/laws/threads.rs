//! Several threads, thousands of times, on games so small that they are always in each other's way: what they prove is
//! what one thread proves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::{Open, packed, random_game};
use perfectplay_core::{
    Budget, Estimate, FullGame, Game, Objective, Params, Payoff, Scores, Stop, StopHandle, Verdict, ZeroSum,
};
use perfectplay_games::chess::Chess;
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::mnk::Mnk;
use perfectplay_games::seam::{Tiny, Words};
use perfectplay_search::mcts::uct;
use perfectplay_search::n_player::{brs, maxn, mp_mix, paranoid};
use perfectplay_search::oracle::backward_induction::{self, BackwardInduction};
use perfectplay_search::oracle::equilibria::Equilibria;
use perfectplay_search::proof_number::{df_mopns, df_pn};
use perfectplay_search::{Search, Setup};

fn two_players(seed: u64) -> Arc<Tiny<ZeroSum>> {
    random_game(seed, |roll| ZeroSum(roll(3) as i32 - 1))
}

fn three_players(seed: u64) -> Arc<Tiny<Scores<3>>> {
    random_game(seed, |roll| Scores::from_scores(&[roll(3) as i32, roll(3) as i32, roll(3) as i32]))
}

/// Searches to the end, in slices of so many nodes.
fn finish<G: FullGame>(search: &mut dyn Search<G>, threads: usize, nodes: u64) {
    for _ in 0..100_000 {
        match search.run(&Budget { threads, ..Budget::nodes(nodes) }, &mut ()) {
            Stop::Done => return,
            Stop::Nodes => {}
            other => panic!("{other}"),
        }
    }
    panic!("it does not end");
}

#[test]
fn two_players_find_the_value_with_any_number_of_threads() {
    let openers = [
        ("backward-induction", backward_induction::open as fn(_, _, &_, _) -> _),
        ("mcts", uct::open),
        ("df-pn", df_pn::open),
        ("df-mopns", df_mopns::open),
        ("maxn", maxn::open),
    ];
    for seed in 0..300 {
        let game = two_players(seed);
        let value = BackwardInduction::solve(game.clone(), game.start(), Objective::Gain).unwrap();
        let threads = 2 + seed as usize % 7;
        for (name, open) in openers {
            let setup = Setup { seed, threads, memory: Some(1 << 22), ..Setup::default() };
            let mut search: Box<dyn Search<_>> = open(game.clone(), game.start(), &setup, Params::default()).unwrap();
            finish(&mut *search, threads, [30, 300, 100_000][seed as usize % 3]);
            assert_eq!(search.answer().verdict.solved(), Some(value), "{name}, game {seed}, {threads} threads");
        }
    }
}

#[test]
fn induction_finds_the_same_to_the_last_state_and_others_find_an_equilibrium() {
    for seed in 0..600 {
        let (game, threads) = (three_players(seed), 2 + seed as usize % 7);
        let nodes = [5, 60, 100_000][seed as usize % 3];
        let all = Equilibria::solve(game.clone(), game.start(), Objective::Gain).unwrap();
        let mut one = BackwardInduction::new(game.clone(), game.start(), Objective::Gain).unwrap();
        let mut several = BackwardInduction::new(game.clone(), game.start(), Objective::Gain).unwrap();
        let mut equilibria = Equilibria::new(game.clone(), game.start(), Objective::Gain).unwrap();
        finish(&mut one, 1, u64::MAX - 1);
        finish(&mut several, threads, nodes);
        finish(&mut equilibria, threads, nodes);
        let states = game.facts().length.unwrap();
        assert!(
            (0..states).map(|state| Words::pack(&state)).all(|state| one.value(&state) == several.value(&state)),
            "game {seed}, {threads} threads"
        );
        let [a, b] = [one.answer(), several.answer()];
        assert_eq!((a.verdict, a.line, a.effort.nodes, a.counts), (b.verdict, b.line, b.effort.nodes, b.counts));
        assert_eq!(equilibria.values(&game.start()).unwrap(), all);
        let setup = Setup { seed, threads, ..Setup::default() };
        for (name, open) in [("mcts", uct::open as fn(_, _, &_, _) -> _), ("maxn", maxn::open)] {
            let mut search: Box<dyn Search<_>> = open(game.clone(), game.start(), &setup, Params::default()).unwrap();
            finish(&mut *search, threads, nodes);
            let value = search.answer().verdict.solved().unwrap();
            assert!(all.contains(&value), "{name}, game {seed}, {threads} threads");
        }
    }
}

/// Depth-first searches for many players find what one thread finds, with every way of pruning.
#[test]
fn many_players_find_the_same_values() {
    let searches: [(Open<Game3>, &str, Objective); 6] = [
        (maxn::open, "eval=hashed", Objective::Gain),
        (maxn::open, "prune=all", Objective::Score),
        (maxn::open, "prune=all,ties=order,table=off", Objective::Score),
        (paranoid::open, "eval=hashed", Objective::Gain),
        (brs::open, "plus=on,eval=hashed", Objective::Score),
        (mp_mix::open, "eval=hashed", Objective::Score),
    ];
    for seed in 0..300 {
        let (game, threads) = (three_players(seed), 2 + seed as usize % 7);
        for (i, (open, options, objective)) in searches.into_iter().enumerate() {
            let exact = i < 3;
            let setup = |threads| Setup { seed, objective, threads, memory: Some(1 << 20), ..Setup::default() };
            let found = |threads, nodes| {
                let params = Params::parse(&format!("depth=6,{options}")).unwrap();
                let mut search = open(game.clone(), game.start(), &setup(threads), params).unwrap();
                finish(&mut *search, threads, nodes);
                let answer = search.answer();
                match (answer.verdict, answer.mover) {
                    // Of a coalition's value only the part of the player to move counts.
                    (Verdict::Estimated(guess), Some(mover)) if !exact => Verdict::Estimated([guess.of(mover); 3]),
                    // In another order pruning leaves out other states, so that one of two searches of the same depth
                    // may see that nothing but ends decides.
                    (Verdict::Solved(value), _) if exact => {
                        let all = Equilibria::solve(game.clone(), game.start(), objective).unwrap();
                        assert!(all.contains(&value), "{options}, game {seed}, {threads}: {value:?}");
                        Verdict::Estimated(value.estimate(objective))
                    }
                    (verdict, _) => verdict,
                }
            };
            let one = found(1, 1_000_000);
            assert_eq!(found(threads, [9, 1_000_000][seed as usize % 2]), one, "{options}, game {seed}, {threads}");
        }
    }
}

type Game3 = Tiny<Scores<3>>;

/// The table of values grows many times, whoever is in it.
#[test]
fn larger_tables_lose_nothing() {
    let game = packed(ConnectFour::<u64>::new(4, 4));
    for threads in [1, 2, 3, 8, 100] {
        let mut search = BackwardInduction::new(game.clone(), game.start(), Objective::Gain).unwrap();
        finish(&mut search, threads, 20_000);
        assert_eq!(search.states(), 161_029, "{threads} threads");
        assert_eq!(search.answer().effort.nodes, 161_029);
    }
}

#[test]
fn reproducible_simulations_are_the_same_every_time() {
    the_same_every_time(&Arc::new(ConnectFour::<u64>::new(7, 6)));
    the_same_every_time(&packed(ConnectFour::<u64>::new(7, 6)));
    the_same_every_time(&packed(Mnk::<u64, 2, ZeroSum>::new(7, 7, 5)));
}

/// Also if a run is cut into slices, between two rounds.
fn the_same_every_time<G: FullGame>(game: &Arc<G>) {
    let search = |threads: usize, slices: &[u64]| {
        let setup = Setup { seed: 5, threads, reproducible: true, ..Setup::default() };
        let mut search = uct::open(game.clone(), game.start(), &setup, Params::default()).unwrap();
        for &nodes in slices {
            search.run(&Budget { threads, ..Budget::nodes(nodes) }, &mut ());
        }
        let answer = search.answer();
        let visits: Vec<_> = answer.moves.iter().map(|report| report.visits).collect();
        (answer.line, visits, answer.effort.nodes)
    };
    for threads in [2, 3] {
        let once = search(threads, &[4_800]);
        assert_eq!(once.2, 4_800);
        assert_eq!(once.1.iter().map(|visits| visits.unwrap()).sum::<u64>(), 4_799, "no virtual loss is left");
        assert_eq!(search(threads, &[4_800]), once);
        for rounds in [1, 3, 9, 50] {
            let first = 1 + rounds * 16 * threads as u64;
            assert_eq!(search(threads, &[first, 4_800 - first]), once, "after {rounds} rounds of {threads} threads");
        }
    }
    assert_ne!(search(2, &[4_800]).1, search(3, &[4_800]).1);
}

/// Also where a random game takes long.
#[test]
fn simulations_stop_when_they_are_asked_to() {
    let game = packed(Chess::new(518, true));
    for threads in [2, 3] {
        let setup = Setup { threads, ..Setup::default() };
        let mut search = uct::open(game.clone(), game.start(), &setup, Params::default()).unwrap();
        let mut best = Duration::MAX;
        for _ in 0..10 {
            let stop = StopHandle::new();
            let budget = Budget { threads, stop: stop.clone(), ..Budget::unlimited() };
            let asked = std::sync::Mutex::new(Instant::now());
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(40));
                    *asked.lock().unwrap() = Instant::now();
                    stop.pull();
                });
                assert_eq!(search.run(&budget, &mut ()), Stop::Cancelled);
            });
            best = best.min(asked.lock().unwrap().elapsed());
        }
        // The best of ten: on a busy machine a thread may have to wait for its turn.
        assert!(best <= Duration::from_millis(50), "{best:?}");
    }
}

/// A move played while the tree belongs to several threads keeps what is known below it.
#[test]
fn what_threads_know_is_kept_between_moves() {
    let game = packed(ConnectFour::<u64>::new(7, 6));
    for threads in [2, 5] {
        let setup = Setup { threads, ..Setup::default() };
        let mut search = uct::open(game.clone(), game.start(), &setup, Params::default()).unwrap();
        for _ in 0..4 {
            search.run(&Budget { threads, ..Budget::nodes(10_000) }, &mut ());
            let answer = search.answer();
            let mv = answer.best_move().unwrap();
            let visits = answer.moves.iter().find(|report| report.mv == mv).unwrap().visits.unwrap();
            assert!(search.advance(mv));
            let kept: u64 = search.answer().moves.iter().map(|report| report.visits.unwrap()).sum();
            assert_eq!(kept, visits - 1, "all but the first visit of the child itself");
        }
    }
}
