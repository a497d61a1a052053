//! `perft`: counting move sequences.

use std::time::Instant;

use anyhow::Result;
use perfectplay_core::{Budget, StopHandle};
use serde_json::json;

use crate::args::{PerftArgs, stop_on_ctrl_c};
use crate::output::{Outcome, emit, emit_json, grouped, rate_text, seconds_text, table, table_text};

pub(crate) fn run(args: &PerftArgs) -> Result<Outcome> {
    let game = args.at.game()?;
    let position = args.at.position(&*game)?;
    let stop = StopHandle::new();
    stop_on_ctrl_c(&stop);
    let budget = Budget { time: args.time, stop, ..Budget::default() };
    let started = Instant::now();
    let perft = match position.perft(args.depth, !args.bulk, &budget) {
        Ok(perft) => perft,
        Err(stop) => {
            eprintln!("perfectplay: stopped ({}) before the count was complete", stop.name());
            return Ok(Outcome::NoAnswer);
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    let finished: u64 = perft.finished.iter().sum();
    if args.json {
        let mut document = json!({
            "game": position.game(),
            "position": position.text(),
            "depth": args.depth,
            "counts": perft.leaves,
            "seconds": seconds,
        });
        if !args.bulk {
            document["finished"] = json!(perft.finished);
            document["finished_total"] = json!(finished);
        }
        emit_json(&document)?;
        return Ok(Outcome::Done);
    }
    let header: &[&str] = if args.bulk { &["ply", "sequences"] } else { &["ply", "sequences", "finished games"] };
    let mut list = table(header, &[0, 1, 2]);
    for (i, &leaves) in perft.leaves.iter().enumerate() {
        let mut row = vec![(i + 1).to_string(), grouped(leaves)];
        row.extend(perft.finished.get(i).map(|&n| grouped(n)));
        list.add_row(row);
    }
    emit(&table_text(&list))?;
    let visited: u64 = perft.leaves.iter().sum();
    if !args.bulk {
        emit(&format!("\n{} finished games in all\n", grouped(finished)))?;
    }
    emit(&format!("{} ({})\n", seconds_text(seconds), rate_text(visited, seconds)))?;
    Ok(Outcome::Done)
}
