//! `bench --evaluations`: how many states an evaluation values per second, asked as searches ask it.
//!
//! One thread. Rates are per second of processor time where the system tells it.

use anyhow::{Result, bail};
use perfectplay_catalog::{Evaluations, has_model, installed_models, load_model, open};
use perfectplay_core::Budget;
use serde_json::json;

use crate::args::{BenchArgs, stop_on_ctrl_c};
use crate::output::{Outcome, emit, emit_json, ended, rate_text, table, table_text};

const SEED: u64 = 1;

/// What was measured of a game and one of its evaluations.
type Row<'a> = (&'a str, &'static str, Evaluations);

pub(crate) fn run(args: &BenchArgs) -> Result<Outcome> {
    let learnable = || installed_models().iter().map(|entry| entry.game).collect();
    let specs: Vec<&str> = args.game.as_deref().map_or_else(learnable, |game| vec![game]);
    let budget = Budget::time(args.time);
    stop_on_ctrl_c(&budget.stop);
    let mut rows: Vec<Row> = Vec::new();
    for spec in specs {
        let game = open(spec)?;
        let position = game.start();
        if args.model.is_some() || has_model(spec) {
            let model = load_model(args.model.as_deref().unwrap_or_default(), spec)?;
            rows.push((spec, "learned", position.with_model(model.model())?.evaluations(SEED, &budget)));
        }
        if game.facts().heuristic && !budget.stop.is_pulled() {
            rows.push((spec, "hand-written", position.evaluations(SEED, &budget)));
        }
        if budget.stop.is_pulled() {
            break;
        }
    }
    if rows.is_empty() {
        bail!("{} has neither a learned nor a hand-written evaluation", args.game.as_deref().unwrap_or_default());
    }
    if args.json {
        emit_json(&rows.iter().map(as_json).collect::<Vec<_>>())?;
    } else {
        let mut list = table(&["game", "evaluation", "evaluations/s", "states per call"], &[2, 3]);
        for (spec, evaluation, e) in &rows {
            let per_call = format!("{:.1}", e.states as f64 / e.calls.max(1) as f64);
            list.add_row([(*spec).to_owned(), (*evaluation).to_owned(), rate_text(e.states, e.seconds), per_call]);
        }
        emit(&table_text(&list))?;
    }
    Ok(ended(&budget.stop, "what was measured until then is shown"))
}

fn as_json((spec, evaluation, e): &Row<'_>) -> serde_json::Value {
    json!({
        "game": spec, "evaluation": evaluation, "evaluations": e.states, "calls": e.calls, "seconds": e.seconds,
        "evaluations_per_second": e.states as f64 / e.seconds.max(1e-9),
    })
}
