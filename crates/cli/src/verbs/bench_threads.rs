//! `bench --threads N`: what N threads gain over one, in turns, medians of several runs.

use std::time::{Duration, Instant};

use anyhow::Result;
use perfectplay_catalog::{Algorithm, AnyPosition, Setup, open};
use perfectplay_core::{Budget, Objective};
use serde_json::json;

use crate::args::{BenchArgs, stop_on_ctrl_c};
use crate::output::{Outcome, emit, emit_json, ended, grouped, seconds_text};
use crate::progress::Steps;

/// A piece of work.
struct Work {
    game: &'static str,
    /// A position in the game's notation, and moves from there; either may be empty.
    position: &'static str,
    moves: &'static str,
    /// An algorithm, or `perft` and its depth.
    algorithm: &'static str,
    objective: Objective,
    /// How long it runs, or how many nodes it makes, if it does not end by itself.
    time: Option<Duration>,
    nodes: Option<u64>,
}

const fn work(game: &'static str, algorithm: &'static str) -> Work {
    Work { game, position: "", moves: "", algorithm, objective: Objective::Gain, time: None, nodes: None }
}

const A_WHILE: Option<Duration> = Some(Duration::from_secs(3));

const TEN_MILLION: Option<u64> = Some(10_000_000);

/// Some for every family of searches. The slow evaluation is that by random games: about half a millisecond for the
/// children of a state of Hex 11.
const WORKS: &[Work] = &[
    Work { nodes: TEN_MILLION, ..work("connect-four:7x6", "ubfm:eval=zero") },
    Work { nodes: TEN_MILLION, ..work("connect-four:7x6", "ubfm:eval=heuristic") },
    Work { nodes: TEN_MILLION, ..work("othello", "ubfm:eval=zero") },
    Work { nodes: TEN_MILLION, ..work("othello", "ubfm:eval=heuristic") },
    Work { nodes: TEN_MILLION, ..work("connect-four:7x6", "descent:eval=zero") },
    Work { nodes: TEN_MILLION, ..work("connect-four:7x6", "descent:eval=heuristic") },
    Work { nodes: TEN_MILLION, ..work("othello", "descent:eval=zero") },
    Work { nodes: TEN_MILLION, ..work("othello", "descent:eval=heuristic") },
    work("connect-four:5x5", "ubfm"),
    work("connect-four:5x5", "descent"),
    Work { time: A_WHILE, ..work("hex:11", "ubfm:eval=rollouts") },
    Work { time: A_WHILE, ..work("connect-four:7x6", "mcts") },
    Work { time: A_WHILE, ..work("hex:11", "mcts") },
    Work { time: A_WHILE, ..work("chess", "mcts") },
    work("connect-four:5x5", "pns"),
    work("connect-four:5x5", "mopns"),
    work("connect-four:5x5", "pns:table=on"),
    work("connect-four:5x5", "mopns:table=on"),
    work("connect-four:5x5", "backward-induction"),
    Work { position: "8/8/8/8/3k4/8/8/KBN5 w - - 0 1", ..work("chess:draws=loose", "retrograde") },
    work("chess", "perft:5"),
    Work { moves: "4 4", objective: Objective::Score, ..work("connect-four:7x6", "alpha-beta") },
    work("mnk:5x4x4", "df-pn"),
    work("chinese-checkers:6,players=3", "maxn:depth=5,deepen=off"),
];

/// Nodes and seconds.
type Run = (u64, f64);

pub(crate) fn run(args: &BenchArgs, threads: usize) -> Result<Outcome> {
    let budget = Budget::unlimited();
    stop_on_ctrl_c(&budget.stop);
    let chosen = |work: &&Work| {
        let family = work.algorithm.split(':').next().unwrap_or_default();
        args.game.as_deref().is_none_or(|game| game == work.game)
            && (args.with.is_empty() || args.with.iter().any(|name| name == work.algorithm || name == family))
    };
    let works: Vec<&Work> = WORKS.iter().filter(chosen).collect();
    let rounds = usize::from(args.rounds);
    let steps = Steps::new("threads", works.len() * rounds * 2, "runs");
    if !args.json {
        emit(&line(["algorithm", "game", "1 thread", &format!("{threads} threads"), "nodes/s", "time"]))?;
    }
    let mut rows = Vec::new();
    'works: for work in works {
        let mut runs: [Vec<Run>; 2] = Default::default();
        for _ in 0..rounds {
            for (runs, threads) in runs.iter_mut().zip([1, threads]) {
                let run = measure(work, &Budget { threads, ..budget.clone() })?;
                if budget.stop.is_pulled() {
                    break 'works;
                }
                runs.push(run);
                steps.step();
            }
        }
        // As soon as it is known: all of them take long.
        if !args.json {
            emit(&as_line(work, &runs))?;
        }
        rows.push((work, runs));
    }
    steps.finish();
    if args.json {
        emit_json(&rows.iter().map(|(work, runs)| as_json(work, runs, threads)).collect::<Vec<_>>())?;
    }
    Ok(ended(&budget.stop, "what was measured until then is shown"))
}

fn measure(work: &Work, budget: &Budget) -> Result<Run> {
    let game = open(work.game)?;
    let mut position = if work.position.is_empty() { game.start() } else { game.parse_position(work.position)? };
    position.play_all(work.moves)?;
    let budget = Budget { time: work.time, nodes: work.nodes, ..budget.clone() };
    // What it takes to give the memory back is not counted.
    if let Some(depth) = work.algorithm.strip_prefix("perft:") {
        let (depth, started) = (depth.parse()?, Instant::now());
        let leaves = perft(&*position, depth, &budget);
        return Ok((leaves, started.elapsed().as_secs_f64()));
    }
    let setup = Setup { objective: work.objective, exact: true, threads: budget.threads, ..Setup::default() };
    let started = Instant::now();
    let mut search = position.search(&Algorithm::parse(work.algorithm)?, &setup)?;
    search.run(&budget, &mut ());
    let seconds = started.elapsed().as_secs_f64();
    Ok((search.report().nodes, seconds))
}

fn perft(position: &dyn AnyPosition, depth: usize, budget: &Budget) -> u64 {
    position.perft(depth, true, budget).map_or(0, |counts| counts.leaves.iter().sum())
}

/// The middle one of what `of` makes of the runs.
fn median(runs: &[Run], of: impl Fn(&Run) -> f64) -> f64 {
    let mut values: Vec<f64> = runs.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn rate(&(nodes, seconds): &Run) -> f64 {
    nodes as f64 / seconds.max(1e-9)
}

/// Nodes per second and time, N threads against one; time only where the work ends by itself.
fn gains(work: &Work, [one, several]: &[Vec<Run>; 2]) -> (f64, Option<f64>) {
    let seconds = |run: &Run| run.1;
    let time = median(one, seconds) / median(several, seconds);
    let ends = work.time.is_none() && work.nodes.is_none();
    (median(several, rate) / median(one, rate), ends.then_some(time))
}

fn as_json(work: &Work, runs: &[Vec<Run>; 2], threads: usize) -> serde_json::Value {
    let (rate, time) = gains(work, runs);
    json!({
        "game": work.game, "position": work.position, "moves": work.moves, "algorithm": work.algorithm,
        "threads": threads, "nodes_per_second_gain": rate, "time_gain": time, "one": runs[0], "several": runs[1],
    })
}

fn as_line(work: &Work, runs: &[Vec<Run>; 2]) -> String {
    let told = |runs: &[Run]| {
        let seconds = median(runs, |run| run.1);
        format!("{}/s, {}", grouped(median(runs, rate) as u64), seconds_text(seconds))
    };
    let (rate, time) = gains(work, runs);
    let game = [work.game, work.position, work.moves].into_iter().filter(|text| !text.is_empty());
    line([
        work.algorithm,
        &game.collect::<Vec<_>>().join(" "),
        &told(&runs[0]),
        &told(&runs[1]),
        &format!("{rate:.2}×"),
        &time.map_or(String::new(), |time| format!("{time:.2}×")),
    ])
}

/// Columns of a fixed width: no row knows those that follow.
fn line([algorithm, game, one, several, rate, time]: [&str; 6]) -> String {
    format!("{algorithm:<24} {game:<30} {one:>24} {several:>24} {rate:>8} {time:>8}\n")
}
