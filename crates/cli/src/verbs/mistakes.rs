//! `experiment mistakes`: how often a player's move gives away what the position is worth.
//!
//! Files say what every move is worth, or only what the position is worth; then a move that was chosen is solved.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, bail};
use perfectplay_catalog::{Algorithm, AnyGame, AnyPosition, Setup, open};
use perfectplay_core::Budget;
use serde::Serialize;

use crate::args::{MistakesArgs, cores};
use crate::output::{Outcome, emit, emit_json, ended, table, table_text};

/// A position, the score of its mover, and the scores of its moves by column (none where the column is full), if the
/// file has them.
struct Solved {
    set: String,
    line: String,
    position: Box<dyn AnyPosition>,
    score: i32,
    moves: Option<Vec<Option<i32>>>,
}

/// What moves were found to be worth to who made them, by all moves up to them.
type Found = HashMap<String, i32>;

impl Solved {
    /// The sign of what a move is worth to who makes it; `None` if it is no move, or the solver was stopped.
    fn worth(&self, mv: &str, budget: &Budget, found: &mut Found) -> Result<Option<i32>> {
        if let Some(moves) = &self.moves {
            let column: Option<usize> = mv.parse().ok();
            return Ok(column.and_then(|column| *moves.get(column.wrapping_sub(1))?).map(i32::signum));
        }
        let line = format!("{}{mv}", self.line);
        if let Some(&known) = found.get(&line) {
            return Ok(Some(known));
        }
        let mut after = self.position.clone_box();
        after.play(mv)?;
        let mover = match self.position.status() {
            Ok(mover) => mover.index(),
            Err(_) => return Ok(None),
        };
        let value = match after.status() {
            Err(ended) => Some(ended.gains[mover]),
            Ok(_) => {
                let mut search =
                    after.search(&Algorithm::parse("alpha-beta")?, &Setup { exact: true, ..Setup::default() })?;
                search.run(&Budget { stop: budget.stop.clone(), threads: cores(), ..Budget::unlimited() }, &mut ());
                search.report().value.map(|value| value[mover])
            }
        };
        let value = value.map(i32::signum);
        value.into_iter().for_each(|value| _ = found.insert(line.clone(), value));
        Ok(value)
    }
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
    let name = args.file.file_stem().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let mut sets: Vec<Solved> = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        sets.push(read(&*game, &name, line).with_context(|| format!("{}, line {number}", args.file.display()))?);
    }
    sets.retain(|solved| args.set.is_empty() || args.set.contains(&solved.set));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    sets.retain(|solved| {
        let count = counts.entry(solved.set.clone()).or_default();
        *count += 1;
        args.first.is_none_or(|first| *count <= first)
    });
    if sets.is_empty() {
        bail!("{} has no position of these sets", args.file.display());
    }
    let budget = args.budget.budget();
    let mut found = Found::new();
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
            // Nothing can be given away where all is lost.
            let worth = match &report.best_move {
                Some(_) if solved.score < 0 => Some(-1),
                Some(mv) => solved.worth(mv, &budget, &mut found)?,
                None => None,
            };
            if budget.stop.is_pulled() {
                break;
            }
            let errs = by_set.entry(&solved.set).or_default();
            errs.positions += 1;
            errs.mistakes += usize::from(worth.is_none_or(|worth| worth < solved.score.signum()));
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

/// `middle-medium 4455… 3 s1 … s7`, or `4455… 3` in a file that has the name of its set.
fn read(game: &dyn AnyGame, name: &str, line: &str) -> Result<Solved> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (set, line, score, moves) = match words.as_slice() {
        [line, score] => (name, line, score, None),
        [set, line, score, scores @ ..] if scores.len() == 7 => {
            (*set, line, score, Some(scores.iter().map(|score| score.parse().ok()).collect()))
        }
        _ => bail!("expected MOVES SCORE, or SET MOVES SCORE and seven scores"),
    };
    let mut position = game.start();
    position.play_all(line)?;
    Ok(Solved { set: set.to_owned(), line: (*line).to_owned(), position, score: score.parse()?, moves })
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
