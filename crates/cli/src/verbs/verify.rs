//! `verify`: checks a certificate by the rules alone.

use std::time::Instant;

use anyhow::{Context, Result};
use perfectplay_check::{Error, Proof, check_file};
use perfectplay_core::Budget;
use serde_json::json;

use crate::args::{VerifyArgs, stop_on_ctrl_c};
use crate::output::{Outcome, bytes_text, emit, emit_json, grouped, rate_text, seconds_text};
use crate::progress::Bar;

pub(crate) fn run(args: &VerifyArgs) -> Result<Outcome> {
    let started = Instant::now();
    let budget = Budget { memory: Some(args.memory), ..Budget::default() };
    stop_on_ctrl_c(&budget.stop);
    let mut bar = Bar::new("verify", &budget);
    let checked = check_file(&args.file, args.memory, &mut bar);
    bar.finish();
    let seconds = started.elapsed().as_secs_f64();
    match checked {
        Ok(proof) if args.json => emit_json(&document(args, &proof, seconds))?,
        Ok(proof) => emit(&in_words(&proof, seconds))?,
        Err(error @ Error::Stopped) => {
            eprintln!("perfectplay: {}: {error}", args.file.display());
            return Ok(Outcome::NoAnswer);
        }
        Err(error) if !error.is_a_no() => return Err(error).context(args.file.display().to_string()),
        Err(error) => {
            if args.json {
                emit_json(&json!({ "file": args.file, "proved": false, "error": error.to_string() }))?;
            } else {
                eprintln!("perfectplay: {}: {error}", args.file.display());
            }
            return Ok(Outcome::No);
        }
    }
    Ok(Outcome::Done)
}

fn document(args: &VerifyArgs, proof: &Proof, seconds: f64) -> serde_json::Value {
    let part = |part: &perfectplay_check::Checked| {
        json!({ "part": part.part.name(), "states": part.states, "moves": part.moves, "ends": part.ends,
                "frontier": part.frontier })
    };
    json!({
        "file": args.file,
        "proved": true,
        "game": proof.header.game,
        "position": proof.header.position,
        "objective": proof.header.objective.name(),
        "value": proof.values(),
        "verdict": proof.value_in_words(),
        "statements": proof.sentences(),
        "parts": proof.parts.iter().map(part).collect::<Vec<_>>(),
        "states": proof.parts.iter().map(|p| p.states).sum::<u64>(),
        "bytes": proof.bytes,
        "seconds": seconds,
    })
}

fn in_words(proof: &Proof, seconds: f64) -> String {
    let mut out = format!("{}, position {}\n", proof.header.game, proof.header.position);
    out += &format!("proved: {}\n", proof.value_in_words());
    for sentence in proof.sentences() {
        out += &format!("  - {sentence}\n");
    }
    let (mut states, mut moves) = (0, 0);
    for part in &proof.parts {
        let (s, m, e) = (grouped(part.states), grouped(part.moves), grouped(part.ends));
        out += &format!("{}: {s} states, {m} moves played, {e} games ended\n", part.part.name());
        (states, moves) = (states + part.states, moves + part.moves);
    }
    let rate = rate_text(states + moves, seconds);
    out + &format!("checked in {} ({rate}), {}\n", seconds_text(seconds), bytes_text(proof.bytes as usize))
}
