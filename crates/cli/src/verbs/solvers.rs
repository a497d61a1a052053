//! `experiment solvers`: what every exact algorithm needs to solve the same positions, side by side. The node counts do
//! not depend on the machine; what a node is depends on the algorithm (a state of a shared graph, a node of a tree, a
//! visit …), so read them with the bytes beside them.

use anyhow::Result;
use perfectplay_catalog::{ALGORITHMS, Algorithm, Report, Setup, open};
use perfectplay_core::{Objective, Stop, StopHandle};

use crate::args::SolversArgs;
use crate::output::{Outcome, bytes_text, emit, emit_json, ended, grouped, seconds_text, table, table_text};
use crate::verbs::solve::watched;

/// Games on which algorithms differ.
const GAMES: &[&str] = &[
    "tic-tac-toe",
    "connect-four:4x4",
    "connect-four:5x4",
    "connect-four:5x5",
    "mnk:4x4x4",
    "hex:3",
    "breakthrough:4x4",
];

/// What each search may create if no limit is named.
const NODES: u64 = 10_000_000;

pub(crate) fn run(args: &SolversArgs) -> Result<Outcome> {
    let mut budget = args.budget.budget();
    if budget.time.is_none() && budget.nodes.is_none() && budget.memory.is_none() {
        budget.nodes = Some(NODES);
    }
    let objective: Objective = args.objective.into();
    let setup = Setup { objective, exact: true, ..args.budget.setup() };
    let games: Vec<&str> =
        if args.games.is_empty() { GAMES.to_vec() } else { args.games.iter().map(String::as_str).collect() };
    let names: Vec<String> = match args.with.as_slice() {
        [] => ALGORITHMS.iter().filter(|a| a.exact).map(|a| a.name.to_owned()).collect(),
        names => names.to_vec(),
    };
    let mut reports = Vec::new();
    for spec in games {
        let position = open(spec)?.start();
        for name in &names {
            let mut search = match position.search(&Algorithm::parse(name)?, &setup) {
                Ok(search) => search,
                // Without --with, every algorithm that takes the game.
                Err(_) if args.with.is_empty() => continue,
                Err(error) => return Err(error.into()),
            };
            let mut report = watched(&mut *search, &format!("{spec} {name}"), &budget, None).0;
            report.moves.clear();
            reports.push(report);
            if budget.stop.is_pulled() {
                return tell(args.json, &reports, &budget.stop);
            }
        }
    }
    tell(args.json, &reports, &budget.stop)
}

fn tell(json: bool, reports: &[Report], stop: &StopHandle) -> Result<Outcome> {
    let done = || ended(stop, "the searches until then are shown");
    if json {
        emit_json(&reports)?;
        return Ok(done());
    }
    let mut list = table(&["game", "algorithm", "answer", "nodes", "memory", "time", "stop"], &[3, 4, 5]);
    for r in reports {
        list.add_row([
            r.game.clone(),
            r.algorithm.clone(),
            r.verdict(),
            grouped(r.nodes),
            bytes_text(r.bytes),
            seconds_text(r.seconds),
            r.stop.map_or("", Stop::name).to_owned(),
        ]);
    }
    emit(&table_text(&list))?;
    Ok(done())
}
