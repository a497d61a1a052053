//! `verify`: checks a certificate by the rules alone.

use std::time::Instant;

use anyhow::{Context, Result};
use perfectplay_catalog::{proof_json, refusal_json, table_json, table_verdict};
use perfectplay_check::table::{check_table, is_table};
use perfectplay_check::{Error, Proof, check_file};
use perfectplay_core::Budget;

use crate::args::{VerifyArgs, stop_on_ctrl_c};
use crate::output::{Outcome, bytes_text, emit, emit_json, grouped, rate_text, seconds_text};
use crate::progress::Bar;

pub(crate) fn run(args: &VerifyArgs) -> Result<Outcome> {
    if is_table(&args.file).with_context(|| args.file.display().to_string())? {
        return table(args);
    }
    let started = Instant::now();
    let budget = Budget { memory: Some(args.memory), ..Budget::default() };
    stop_on_ctrl_c(&budget.stop);
    let mut bar = Bar::new("verify", &budget);
    let checked = check_file(&args.file, args.memory, &mut bar);
    bar.finish();
    let seconds = started.elapsed().as_secs_f64();
    match checked {
        Ok(proof) if args.json => emit_json(&proof_json(&args.file, &proof, seconds))?,
        Ok(proof) => emit(&in_words(&proof, seconds))?,
        Err(error @ Error::Stopped) => {
            eprintln!("perfectplay: {}: {error}", args.file.display());
            return Ok(Outcome::NoAnswer);
        }
        Err(error) => return refused(args, error),
    }
    Ok(Outcome::Done)
}

fn refused(args: &VerifyArgs, error: perfectplay_check::Error) -> Result<Outcome> {
    if !error.is_a_no() {
        return Err(error).context(args.file.display().to_string());
    }
    if args.json {
        emit_json(&refusal_json(&args.file, &error))?;
    } else {
        eprintln!("perfectplay: {}: {error}", args.file.display());
    }
    Ok(Outcome::No)
}

/// A table of all values, position by position.
fn table(args: &VerifyArgs) -> Result<Outcome> {
    let started = Instant::now();
    let checked = match check_table(&args.file, args.memory) {
        Ok(checked) => checked,
        Err(error) => return refused(args, error),
    };
    let seconds = started.elapsed().as_secs_f64();
    if args.json {
        emit_json(&table_json(&args.file, &checked, seconds))?;
        return Ok(Outcome::Done);
    }
    let ([won, drawn, lost], header) = (checked.won_drawn_lost, &checked.header);
    let verdict = table_verdict(&checked);
    let mut out = format!("{}, position {}\nproved: {verdict}\n", header.game, header.position);
    out += &format!("  - the values and distances of all {} positions are right\n", grouped(header.positions));
    out += &format!("won by player 1: {}, drawn: {}, won by player 2: {}", grouped(won), grouped(drawn), grouped(lost));
    out += &format!("; the longest win takes {} plies\n", checked.longest);
    let rate = rate_text(header.positions + checked.moves, seconds);
    emit(&format!("{out}checked in {} ({rate}), {}\n", seconds_text(seconds), bytes_text(checked.bytes as usize)))?;
    Ok(Outcome::Done)
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
