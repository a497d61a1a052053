//! `perft`: counting move sequences.

use std::time::Instant;

use anyhow::Result;
use perfectplay_catalog::AnyPosition;
use perfectplay_core::{Budget, Perft, Stop, StopHandle};
use serde_json::json;

use crate::args::{PerftArgs, cores, stop_on_ctrl_c};
use crate::output::{Outcome, emit, emit_json, grouped, rate_text, seconds_text, table, table_text};
use crate::progress::Steps;

pub(crate) fn run(args: &PerftArgs) -> Result<Outcome> {
    let game = args.at.game()?;
    let position = args.at.position(&*game)?;
    let stop = StopHandle::new();
    stop_on_ctrl_c(&stop);
    let threads = args.threads.map_or_else(cores, usize::from);
    let budget = Budget { time: args.time, stop, threads, ..Budget::default() };
    let started = Instant::now();
    let perft = match count(&*position, args.depth as usize, !args.bulk, &budget) {
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

/// Counts move by move, so that it can be said how far it is.
fn count(position: &dyn AnyPosition, depth: usize, finished: bool, budget: &Budget) -> Result<Perft, Stop> {
    let moves = position.moves();
    if depth < 2 || moves.is_empty() {
        return position.perft(depth, finished, budget);
    }
    let mut sum = Perft { leaves: vec![0; depth], finished: vec![0; if finished { depth } else { 0 }] };
    sum.leaves[0] = moves.len() as u64;
    let started = Instant::now();
    let steps = Steps::new("perft", moves.len(), "moves");
    for mv in moves {
        let mut child = position.clone_box();
        child.play(&mv).expect("the game lists this move");
        let time = budget.time.map(|limit| limit.saturating_sub(started.elapsed()));
        let below = child.perft(depth - 1, finished, &Budget { time, ..budget.clone() })?;
        let add = |sum: &mut [u64], below: &[u64]| sum.iter_mut().skip(1).zip(below).for_each(|(s, b)| *s += b);
        add(&mut sum.leaves, &below.leaves);
        add(&mut sum.finished, &below.finished);
        if finished && child.status().is_err() {
            sum.finished[0] += 1;
        }
        steps.step();
    }
    steps.finish();
    Ok(sum)
}
