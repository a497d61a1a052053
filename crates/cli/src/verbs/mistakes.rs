//! `experiment mistakes`: how often a player's move gives away what the position is worth.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use perfectplay_catalog::{Algorithm, AnyGame, AnyPosition, open};
use serde::Serialize;

use crate::args::MistakesArgs;
use crate::output::{Outcome, emit, emit_json, ended, table, table_text};

/// A position, the score of its mover, and the scores of its moves by column; none where the column is full.
struct Solved {
    set: String,
    position: Box<dyn AnyPosition>,
    score: i32,
    moves: Vec<Option<i32>>,
}

/// A player's result on one set.
#[derive(Default, Serialize)]
struct Errs {
    positions: usize,
    mistakes: usize,
    nodes: u64,
    seconds: f64,
}

pub(crate) fn run(args: &MistakesArgs) -> Result<Outcome> {
    let game = open("connect-four:7x6")?;
    let text = std::fs::read_to_string(&args.file).with_context(|| format!("cannot read {}", args.file.display()))?;
    let mut sets: Vec<Solved> = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        sets.push(read(&*game, line).with_context(|| format!("{}, line {number}", args.file.display()))?);
    }
    sets.retain(|solved| args.set.is_empty() || args.set.contains(&solved.set));
    if sets.is_empty() {
        bail!("{} has no position of these sets", args.file.display());
    }
    let budget = args.budget.budget();
    let mut results: Vec<(String, BTreeMap<&str, Errs>)> = Vec::new();
    for with in &args.with {
        let algorithm = Algorithm::parse(with)?;
        let mut by_set: BTreeMap<&str, Errs> = BTreeMap::new();
        for solved in &sets {
            let mut search = solved.position.search(&algorithm, &args.budget.setup())?;
            search.run(&budget, &mut ());
            if budget.stop.is_pulled() {
                break;
            }
            let report = search.report();
            let column: Option<usize> = report.best_move.as_ref().and_then(|mv| mv.parse().ok());
            let score = column.and_then(|column| *solved.moves.get(column.wrapping_sub(1))?);
            let errs = by_set.entry(&solved.set).or_default();
            errs.positions += 1;
            errs.mistakes += usize::from(score.is_none_or(|score| score.signum() < solved.score.signum()));
            errs.nodes += report.nodes;
            errs.seconds += report.seconds;
        }
        results.push((with.clone(), by_set));
    }
    if args.json {
        emit_json(&results)?;
    } else {
        emit(&text_of(&results))?;
    }
    Ok(ended(&budget.stop, "the figures are of the positions before that"))
}

/// `middle-medium 4455… 3 s1 … s7`
fn read(game: &dyn AnyGame, line: &str) -> Result<Solved> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [set, moves, score, scores @ ..] = words.as_slice() else { bail!("expected SET MOVES SCORE and seven scores") };
    let mut position = game.start();
    position.play_all(moves)?;
    let moves: Vec<Option<i32>> = scores.iter().map(|score| score.parse().ok()).collect();
    if moves.len() != 7 {
        bail!("expected seven scores, got {}", moves.len());
    }
    Ok(Solved { set: (*set).to_owned(), position, score: score.parse()?, moves })
}

fn text_of(results: &[(String, BTreeMap<&str, Errs>)]) -> String {
    let mut list = table(&["player", "set", "positions", "mistakes", "%", "nodes/s"], &[2, 3, 4, 5]);
    for (player, sets) in results {
        for (set, errs) in sets {
            list.add_row(vec![
                player.clone(),
                (*set).to_owned(),
                errs.positions.to_string(),
                errs.mistakes.to_string(),
                format!("{:.1}", 100.0 * errs.mistakes as f64 / errs.positions as f64),
                format!("{:.0}", errs.nodes as f64 / errs.seconds.max(1e-9)),
            ]);
        }
    }
    table_text(&list)
}
