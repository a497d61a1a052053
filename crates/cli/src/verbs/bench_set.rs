//! `bench GAME --set FILE`: the exact score of every position of a test set, and what that costs.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context, Result, bail};
use perfectplay_catalog::{Scored, open};
use perfectplay_core::StopHandle;
use serde_json::json;

use crate::args::{BenchArgs, stop_on_ctrl_c};
use crate::output::{Outcome, emit, emit_json, grouped, rate_text, seconds_text};
use crate::progress::Steps;

pub(crate) fn run(game: &str, path: &Path, args: &BenchArgs) -> Result<Outcome> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut set = parse(&text).with_context(|| format!("in {}", path.display()))?;
    set.truncate(args.limit.unwrap_or(usize::MAX));
    let stop = StopHandle::new();
    stop_on_ctrl_c(&stop);
    let mut results = Vec::with_capacity(set.len());
    let steps = Steps::new(game, set.len(), "positions");
    open(game)?.score_set(&set, args.memory, &mut |result| {
        results.push(*result);
        steps.step();
        if stop.is_pulled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    steps.finish();
    let wrong: Vec<_> = set.iter().zip(&results).filter(|(line, result)| line.score != result.score).collect();
    let (nodes, seconds) = results.iter().fold((0, 0.0), |(n, s), r| (n + r.nodes, s + r.seconds));
    let count = results.len().max(1) as f64;
    if args.json {
        let wrong: Vec<_> =
            wrong.iter().map(|(l, r)| json!({"moves": l.moves, "expected": l.score, "found": r.score})).collect();
        emit_json(&json!({
            "game": game, "set": path.display().to_string(), "positions": results.len(), "wrong": wrong,
            "nodes": nodes, "seconds": seconds, "mean_nodes": nodes as f64 / count, "mean_seconds": seconds / count,
        }))?;
    } else {
        let mut out = format!("positions   {} of {}\n", grouped(results.len() as u64), grouped(set.len() as u64));
        out += &format!("wrong       {}\n", wrong.len());
        for (line, result) in wrong.iter().take(10) {
            out += &format!("            {}: expected {}, found {}\n", line.moves, line.score, result.score);
        }
        out += &format!("mean time   {}\n", seconds_text(seconds / count));
        out += &format!("mean nodes  {}\n", grouped((nodes as f64 / count).round() as u64));
        out += &format!("speed       {}\n", rate_text(nodes, seconds));
        emit(&out)?;
    }
    if !wrong.is_empty() {
        bail!("{} of {} scores are wrong", wrong.len(), results.len());
    }
    Ok(if results.len() == set.len() { Outcome::Done } else { Outcome::NoAnswer })
}

/// One position per line: moves, white space, score.
fn parse(text: &str) -> Result<Vec<Scored>> {
    let mut set = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let parts = line.trim().rsplit_once(char::is_whitespace);
        let parsed = parts.and_then(|(moves, score)| Some(Scored { moves: moves.into(), score: score.parse().ok()? }));
        match parsed {
            Some(scored) => set.push(scored),
            None => bail!("line {}: expected moves, a space and a score, got \"{line}\"", i + 1),
        }
    }
    Ok(set)
}
