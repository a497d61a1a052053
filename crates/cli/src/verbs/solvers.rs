//! `experiment solvers`: what every exact algorithm needs to solve the same positions, side by side.

use anyhow::Result;
use perfectplay_arena::experiments::solvers;
use perfectplay_catalog::{AnySearch, Report, Setup};
use perfectplay_core::{Budget, Objective, Stop, StopHandle};

use crate::args::SolversArgs;
use crate::output::{Outcome, bytes_text, emit, emit_json, ended, grouped, seconds_text, table, table_text};
use crate::verbs::solve::watched;

/// What each search may create if no limit is named.
const NODES: u64 = 10_000_000;

pub(crate) fn run(args: &SolversArgs) -> Result<Outcome> {
    let mut budget = args.budget.budget();
    if budget.time.is_none() && budget.nodes.is_none() && budget.memory.is_none() {
        budget.nodes = Some(NODES);
    }
    let objective: Objective = args.objective.into();
    let setup = Setup { objective, exact: true, ..args.budget.setup() };
    let search = |search: &mut dyn AnySearch, name: &str, budget: &Budget| watched(search, name, budget, None).0;
    let reports = solvers::run(&args.games, &args.with, &setup, &budget, &search)?;
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
