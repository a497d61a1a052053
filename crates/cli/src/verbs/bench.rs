//! `bench`: nodes, nodes per second and bytes per node of every algorithm on a fixed set of games.
//!
//! The node counts are a signature: with a seed and a node budget they change only when an algorithm does.

use anyhow::Result;
use perfectplay_catalog::{ALGORITHMS, Algorithm, AnyGame, Report, Setup, open, open_packed};
use perfectplay_core::Budget;
use serde_json::json;

use crate::args::{BenchArgs, stop_on_ctrl_c};
use crate::output::{Outcome, emit, emit_json, ended, grouped, rate_text, seconds_text, table, table_text};
use crate::verbs::solve::watched;

/// Small enough to finish, different enough to notice.
const SUITE: &[&str] = &["tic-tac-toe", "connect-four:4x4", "connect-four:7x6", "nim:3,4,5,players=3"];

/// Plain and iterative alpha-beta to a fixed depth, without an evaluation: how fast the searches themselves are.
const FIXED_DEPTH: &[(&str, &str)] = &[
    ("connect-four:7x6", "plain-alpha-beta:depth=9,eval=zero"),
    ("connect-four:7x6", "alpha-beta:depth=14,eval=zero,table-mib=64"),
    ("breakthrough:8x8", "plain-alpha-beta:depth=6,eval=zero"),
    ("breakthrough:8x8", "alpha-beta:depth=7,eval=zero,table-mib=64"),
];

pub(crate) fn run(args: &BenchArgs) -> Result<Outcome> {
    if let (Some(game), Some(path)) = (&args.game, &args.set) {
        return crate::verbs::bench_set::run(game, path, args);
    }
    if let Some(threads) = args.threads {
        return crate::verbs::bench_threads::run(args, threads.into());
    }
    if args.playouts {
        return crate::verbs::bench_playouts::run(args);
    }
    if args.evaluations {
        return crate::verbs::bench_evaluations::run(args);
    }
    let budget = Budget::nodes(args.nodes);
    stop_on_ctrl_c(&budget.stop);
    let reports = measure(args, &budget)?;
    if args.signature {
        emit(&signature(&reports))?;
    } else if args.json {
        let rows: Vec<_> = reports
            .iter()
            .map(|r| {
                json!({
                    "game": r.game, "algorithm": r.algorithm, "status": r.status.name(), "nodes": r.nodes,
                    "seconds": r.seconds, "nodes_per_second": r.nodes as f64 / r.seconds.max(1e-9), "bytes": r.bytes,
                })
            })
            .collect();
        emit_json(&rows)?;
    } else {
        let mut list = table(&["game", "algorithm", "answer", "nodes", "time", "nodes/s", "bytes/node"], &[3, 4, 5, 6]);
        for r in &reports {
            let per_node = r.bytes as f64 / r.nodes.max(1) as f64;
            list.add_row([
                r.game.clone(),
                r.algorithm.clone(),
                r.verdict(),
                grouped(r.nodes),
                seconds_text(r.seconds),
                rate_text(r.nodes, r.seconds),
                format!("{per_node:.1}"),
            ]);
        }
        emit(&table_text(&list))?;
    }
    Ok(ended(&budget.stop, "what was measured until then is shown"))
}

fn measure(args: &BenchArgs, budget: &Budget) -> Result<Vec<Report>> {
    let games: Vec<&str> = args.game.as_deref().map_or(SUITE.to_vec(), |g| vec![g]);
    let mut reports = Vec::new();
    for game in games {
        let names: Vec<&str> = match args.with.as_slice() {
            [] => ALGORITHMS.iter().map(|a| a.name).collect(),
            names => names.iter().map(String::as_str).collect(),
        };
        for name in names {
            match measure_one(&*open(game)?, name, budget) {
                // Without --with, every algorithm that takes the game.
                Err(_) if args.with.is_empty() => {}
                report => reports.extend(report?),
            }
            if args.packed
                && let Ok(Some(report)) = measure_one(&*open_packed(game)?, name, budget)
            {
                reports.push(Report { game: format!("{game} packed"), ..report });
            }
        }
    }
    if args.game.is_none() && args.with.is_empty() {
        for (game, name) in FIXED_DEPTH {
            reports.extend(measure_one(&*open(game)?, name, &Budget { nodes: None, ..budget.clone() })?);
        }
    }
    Ok(reports)
}

/// `None` if somebody asked to stop.
fn measure_one(game: &dyn AnyGame, name: &str, budget: &Budget) -> Result<Option<Report>> {
    if budget.stop.is_pulled() {
        return Ok(None);
    }
    let mut search = game.start().search(&Algorithm::parse(name)?, &Setup::default())?;
    Ok(Some(watched(&mut *search, &format!("{} {name}", game.spec()), budget, None).0))
}

/// A line per game and algorithm: what must not change by accident.
fn signature(reports: &[Report]) -> String {
    reports.iter().map(|r| format!("{} {} {} {}\n", r.game, r.algorithm, r.status, r.nodes)).collect()
}
