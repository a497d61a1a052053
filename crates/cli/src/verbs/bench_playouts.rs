//! `bench --playouts`: random games per second, the speed of a game's rules.
//!
//! One thread, moves drawn uniformly, from the start. Rates are per second of processor time where the system tells it.

use anyhow::Result;
use perfectplay_catalog::{GAMES, LONGEST_PLAYOUT, Playouts, open};
use perfectplay_core::Budget;
use serde_json::json;

use crate::args::{BenchArgs, stop_on_ctrl_c};
use crate::output::{Outcome, emit, emit_json, ended, grouped, table, table_text};
use crate::progress::Steps;

const SEED: u64 = 1;

pub(crate) fn run(args: &BenchArgs) -> Result<Outcome> {
    // The last example is the game as it is usually played.
    let usual = || GAMES.iter().filter_map(|game| game.examples.last().copied()).collect();
    let specs: Vec<&str> = args.game.as_deref().map_or_else(usual, |game| vec![game]);
    let budget = Budget::time(args.time);
    stop_on_ctrl_c(&budget.stop);
    let mut rows: Vec<(&str, Playouts)> = Vec::new();
    let steps = Steps::new("random games", specs.len(), "games");
    for spec in specs {
        rows.push((spec, open(spec)?.start().playouts(SEED, &budget)));
        steps.step();
        if budget.stop.is_pulled() {
            break;
        }
    }
    steps.finish();
    if args.json {
        let rows: Vec<_> = rows.iter().map(|(spec, p)| as_json(spec, p)).collect();
        emit_json(&rows)?;
    } else {
        emit(&as_table(&rows))?;
    }
    Ok(ended(&budget.stop, "what was measured until then is shown"))
}

fn per_second(count: u64, seconds: f64) -> f64 {
    count as f64 / seconds.max(1e-9)
}

fn as_json(spec: &str, p: &Playouts) -> serde_json::Value {
    json!({
        "game": spec, "playouts": p.games, "moves": p.moves, "unfinished": p.unfinished, "seconds": p.seconds,
        "playouts_per_second": per_second(p.games, p.seconds), "moves_per_second": per_second(p.moves, p.seconds),
    })
}

fn as_table(rows: &[(&str, Playouts)]) -> String {
    let mut list = table(&["game", "playouts/s", "moves/s", "moves per game"], &[1, 2, 3]);
    for (spec, p) in rows {
        let unfinished = if p.unfinished > 0 { " *" } else { "" };
        list.add_row([
            (*spec).to_owned(),
            grouped(per_second(p.games, p.seconds) as u64),
            grouped(per_second(p.moves, p.seconds) as u64),
            format!("{:.1}{unfinished}", p.moves as f64 / p.games as f64),
        ]);
    }
    let note = format!("* some games were broken off after {} moves\n", grouped(LONGEST_PLAYOUT.into()));
    let broken_off = rows.iter().any(|(_, p)| p.unfinished > 0);
    table_text(&list) + if broken_off { &note } else { "" }
}
