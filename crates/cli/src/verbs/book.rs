//! `book build`, `book show`, `book verify`: opening books.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use perfectplay_catalog::{Book, BookError, Built, open};
use perfectplay_core::Stop;
use serde_json::json;

use crate::args::{BookBuildArgs, BookShowArgs, BookVerifyArgs, budget, stop_on_termination};
use crate::output::{Outcome, bytes_text, emit, emit_json, grouped, rate_text, seconds_text};
use crate::progress::Bar;

pub(crate) fn build(args: &BookBuildArgs) -> Result<Outcome> {
    let game = open(&args.game)?;
    let out = args.out.clone().unwrap_or_else(|| default_file(&args.game));
    let (budget, started) = (budget(args.time, args.memory, args.threads), Instant::now());
    let mut bar = Bar::new("book", &budget);
    stop_on_termination(&budget.stop);
    let built = game.build_book(args.plies, args.objective.into(), &out, &budget, &mut bar);
    bar.finish();
    let (built, seconds) = (built?, started.elapsed().as_secs_f64());
    let bytes = if built.stop == Stop::Done { Some(std::fs::metadata(&out)?.len()) } else { None };
    if args.json {
        emit_json(&json!({
            "file": out, "game": args.game, "plies": args.plies, "stop": built.stop.name(),
            "positions": built.positions, "last_ply": built.leaves, "solved": built.solved,
            "solved_before": built.found, "nodes": built.nodes, "seconds": seconds, "bytes": bytes,
        }))?;
    } else {
        emit(&built_text(args, &built, &out, bytes, seconds))?;
    }
    Ok(if built.stop == Stop::Done { Outcome::Done } else { Outcome::NoAnswer })
}

/// `connect-four-7x6.book`
fn default_file(game: &str) -> PathBuf {
    let name: String = game.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    format!("{name}.book").into()
}

fn built_text(args: &BookBuildArgs, built: &Built, out: &std::path::Path, bytes: Option<u64>, seconds: f64) -> String {
    let (leaves, solved) = (grouped(built.leaves as u64), grouped(built.solved as u64));
    let mut text = match bytes {
        Some(bytes) => {
            let (positions, bytes) = (grouped(built.positions as u64), bytes_text(bytes as usize));
            format!("{}: {positions} positions within {} plies, {bytes}\n", out.display(), args.plies)
        }
        None => format!("no book yet (stopped: {}); the same command goes on with it\n", built.stop),
    };
    text +=
        &format!("last ply    {solved} of {leaves} positions solved, {} of them before\n", grouped(built.found as u64));
    text += &format!("nodes       {} ({})\n", grouped(built.nodes), rate_text(built.nodes, seconds));
    text + &format!("time        {}\n", seconds_text(seconds))
}

pub(crate) fn show(args: &BookShowArgs) -> Result<Outcome> {
    let book = Book::read(&args.file)?;
    let header = book.header();
    if args.json {
        let counts: Vec<_> = book.counts().iter().map(|(value, n)| json!({ "value": value, "positions": n })).collect();
        emit_json(&json!({
            "file": args.file, "game": header.game, "objective": header.objective.name(), "plies": header.plies,
            "positions": book.positions(), "values": counts,
        }))?;
        return Ok(Outcome::Done);
    }
    let mut out = format!("{}: every position up to symmetry within {} plies\n", header.game, header.plies);
    out += &format!("positions   {}\n", grouped(book.positions() as u64));
    let counts: Vec<String> = book.counts().iter().map(|(value, n)| format!("{value:+}: {}", grouped(*n))).collect();
    out += &format!("{:<11} {} (for player 1)\n", header.objective.name(), counts.join(", "));
    emit(&out)?;
    Ok(Outcome::Done)
}

pub(crate) fn verify(args: &BookVerifyArgs) -> Result<Outcome> {
    let started = Instant::now();
    let book = Book::read(&args.file)?;
    let game = open(&book.header().game).with_context(|| args.file.display().to_string())?;
    let checked = game.check_book(&book, args.sample, &budget(args.time, args.memory, 1));
    let seconds = started.elapsed().as_secs_f64();
    let checked = match checked {
        Err(BookError::Wrong(text)) => {
            if args.json {
                emit_json(&json!({ "file": args.file, "right": false, "error": text }))?;
            } else {
                eprintln!("perfectplay: {}: {text}", args.file.display());
            }
            return Ok(Outcome::No);
        }
        other => other?,
    };
    let done = checked.stop == Stop::Done;
    if args.json {
        emit_json(&json!({
            "file": args.file, "game": book.header().game, "right": done.then_some(true), "stop": checked.stop.name(),
            "followed": checked.followed, "last_ply": checked.leaves, "solved_again": checked.solved,
            "seconds": seconds,
        }))?;
    } else {
        let (followed, leaves) = (grouped(checked.followed as u64), grouped(checked.leaves as u64));
        let head = if done { "right".to_owned() } else { format!("not checked in full (stopped: {})", checked.stop) };
        emit(&format!(
            "{}: {head}\n  - {followed} positions follow from those after them\n  - {} of {leaves} positions of the \
last ply were solved again\nchecked in {}\n",
            book.header().game,
            grouped(checked.solved as u64),
            seconds_text(seconds)
        ))?;
    }
    Ok(if done { Outcome::Done } else { Outcome::NoAnswer })
}
