//! Proof-number search on several threads, thousands of times, on games so small that all are always in each other's
//! way: what is proved at any time is right.

use std::sync::Arc;

use crate::common::{packed, random_game};
use perfectplay_core::{Budget, FullGame, Game, Objective, Params, Payoff, Player, Status, Stop, Verdict, ZeroSum};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::seam::Tiny;
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::proof_number::{mopns, pns};
use perfectplay_search::{Reader, Refusal, Search, Setup, Writer};

fn two_players(seed: u64) -> Arc<Tiny<ZeroSum>> {
    random_game(seed, |roll| ZeroSum(roll(3) as i32 - 1))
}

const WAYS: [(&str, &str); 8] = [
    ("pns", ""),
    ("pns", "prune=off,current-node=off"),
    ("pns", "table=on"),
    ("pns", "table=on,sum=weak,mobility=on"),
    ("mopns", ""),
    ("mopns", "mobility=on"),
    ("mopns", "table=on"),
    ("mopns", "table=on,sum=weak"),
];

fn open<G: FullGame<Payoff = ZeroSum>>(
    game: &Arc<G>,
    (name, options): (&str, &str),
    threads: usize,
) -> Box<dyn Search<G>> {
    let open = if name == "pns" { pns::open } else { mopns::open };
    let setup = Setup { threads, ..Setup::default() };
    open(game.clone(), game.start(), &setup, Params::parse(options).unwrap()).unwrap()
}

/// Whether a claim about the root holds.
fn holds(verdict: &Verdict<ZeroSum>, value: ZeroSum) -> bool {
    let gain = |payoff: ZeroSum| payoff.gain(Player::FIRST).value();
    match verdict {
        Verdict::Solved(claim) => gain(*claim) == gain(value),
        Verdict::Bounds { lower, upper, .. } => (gain(*lower)..=gain(*upper)).contains(&gain(value)),
        _ => true,
    }
}

/// Searches to the end, in slices of so many nodes; `between` may exchange the search.
fn finish<G: FullGame<Payoff = ZeroSum>>(
    mut search: Box<dyn Search<G>>,
    value: ZeroSum,
    nodes: u64,
    mut between: impl FnMut(Box<dyn Search<G>>) -> (Box<dyn Search<G>>, usize),
) -> Box<dyn Search<G>> {
    for _ in 0..1_000_000 {
        let threads;
        (search, threads) = between(search);
        let stop = search.run(&Budget { threads, ..Budget::nodes(nodes) }, &mut ());
        assert!(holds(&search.answer().verdict, value), "{:?} of {value:?}", search.answer().verdict);
        match stop {
            Stop::Done => return search,
            Stop::Nodes => {}
            other => panic!("{other}"),
        }
    }
    panic!("it does not end");
}

#[test]
fn the_value_is_right_with_any_number_of_threads() {
    for seed in 0..800 {
        let game = two_players(seed);
        let value = BackwardInduction::solve(game.clone(), game.start(), Objective::Gain).unwrap();
        let threads = 2 + seed as usize % 7;
        let way = WAYS[seed as usize / 7 % WAYS.len()];
        let nodes = [1, 30, 300, 100_000][seed as usize % 4];
        let search = finish(open(&game, way, threads), value, nodes, |search| (search, threads));
        let answer = search.answer();
        assert!(answer.verdict.solved().is_some(), "{way:?}, game {seed}, {threads} threads");
        let end = answer.line.iter().fold(game.start(), |state, &mv| game.after(&state, mv));
        let Status::Over(reached) = game.status(&end) else { panic!("{way:?}, game {seed}: {:?}", answer.line) };
        assert_eq!(reached, value, "{way:?}, game {seed}, {threads} threads: {:?}", answer.line);
    }
}

/// Whatever threads have left behind can be saved, and any number of threads goes on with it.
#[test]
fn searches_are_saved_between_slices_of_any_number_of_threads() {
    let game = packed(ConnectFour::<u64>::new(4, 4));
    for way in WAYS {
        let mut slice = 0;
        finish(open(&game, way, 8), ZeroSum(0), 40_000, |search| {
            let mut bytes = Vec::new();
            let mut writer = Writer::new(&mut bytes);
            search.save(&mut writer).unwrap();
            writer.finish().unwrap();
            let (mut restored, len) = (open(&game, way, 8), bytes.len() as u64);
            restored.restore(&mut Reader::new(&mut bytes.as_slice(), len)).unwrap();
            assert_eq!(restored.answer().verdict, search.answer().verdict);
            slice += 1;
            (restored, [2, 1, 8, 3][slice % 4])
        });
    }
}

/// Threads share the memory that there is.
#[test]
fn memory_is_a_limit_for_all_threads_together() {
    let game = packed(ConnectFour::<u64>::new(5, 5));
    for way in WAYS {
        for memory in [100_000, 1_000_000] {
            let mut search = open(&game, way, 4);
            let budget = Budget { memory: Some(memory), threads: 4, nodes: Some(30_000_000), ..Budget::default() };
            let stop = search.run(&budget, &mut ());
            let bytes = search.answer().effort.bytes;
            assert!(bytes <= memory, "{bytes} bytes of {memory}: {way:?}");
            assert!(matches!(stop, Stop::Memory | Stop::Nodes), "{stop}: {way:?}");
            assert!(search.answer().effort.nodes > memory as u64 / 200, "{way:?}");
        }
    }
}

#[test]
fn a_stop_request_ends_all_threads() {
    let game = packed(ConnectFour::<u64>::new(7, 6));
    for way in WAYS {
        let mut search = open(&game, way, 3);
        let budget = Budget { threads: 3, ..Budget::default() };
        let stop = budget.stop.clone();
        let mut reports = 0;
        struct Pull<'a>(&'a mut u32, perfectplay_core::StopHandle);
        impl perfectplay_core::Observer for Pull<'_> {
            fn progress(&mut self, _: &perfectplay_core::Progress) -> std::ops::ControlFlow<()> {
                *self.0 += 1;
                self.1.pull();
                std::ops::ControlFlow::Continue(())
            }
        }
        assert_eq!(search.run(&budget, &mut Pull(&mut reports, stop)), Stop::Cancelled, "{way:?}");
        assert!(reports > 0 && search.answer().verdict.solved().is_none());
    }
}

/// What one thread finds does not depend on threads that others were given.
#[test]
fn reproducible_runs_are_refused_with_the_reason() -> Result<(), Refusal> {
    for info in [pns::INFO, mopns::INFO] {
        let setup = |threads| Setup { threads, reproducible: true, ..Setup::default() };
        info.accepts(&setup(1))?;
        let refused = info.accepts(&setup(2)).unwrap_err().to_string();
        assert!(refused.contains("cannot be reproducible"), "{refused}");
    }
    Ok(())
}
