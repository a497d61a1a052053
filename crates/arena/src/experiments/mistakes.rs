//! How often a player's move gives away what the position is worth.
//!
//! Files say what every move is worth, or only what the position is worth; then a move that was chosen is solved.

use std::collections::{BTreeMap, HashMap};
use std::num::ParseIntError;

use perfectplay_catalog::{Algorithm, AnyGame, AnyPosition, Setup};
use perfectplay_core::{Budget, StopHandle};
use perfectplay_search::alpha_beta::iterative_deepening;
use serde::Serialize;

use crate::Error;

/// A position, the score of its mover, and the scores of its moves by column (none where the column is full), if the
/// file has them.
pub struct Solved {
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
    fn worth(&self, mv: &str, stop: &StopHandle, found: &mut Found) -> Result<Option<i32>, Error> {
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
                let solver = Algorithm::parse(iterative_deepening::INFO.name)?;
                let mut search = after.search(&solver, &Setup { exact: true, ..Setup::default() })?;
                let threads = std::thread::available_parallelism().map_or(1, usize::from);
                search.run(&Budget { stop: stop.clone(), threads, ..Budget::unlimited() }, &mut ());
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
pub struct Errs {
    /// Positions it was asked about.
    pub positions: usize,
    /// How often its move gave something away.
    pub mistakes: usize,
    /// What its searches created.
    pub nodes: u64,
    /// And how long they took.
    pub seconds: f64,
}

/// A player, and its results by set.
pub type Results = (String, BTreeMap<String, Errs>);

/// `middle-medium 4455… 3 s1 … s7`, or `4455… 3` in a file that has the name of its set.
pub fn read(game: &dyn AnyGame, name: &str, line: &str) -> Result<Solved, Error> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (set, line, score, moves) = match words.as_slice() {
        [line, score] => (name, line, score, None),
        [set, line, score, scores @ ..] if scores.len() == 7 => {
            (*set, line, score, Some(scores.iter().map(|score| score.parse().ok()).collect()))
        }
        _ => return Err(request("expected MOVES SCORE, or SET MOVES SCORE and seven scores")),
    };
    let mut position = game.start();
    position.play_all(line)?;
    let score = score.parse().map_err(|error: ParseIntError| request(error))?;
    Ok(Solved { set: set.to_owned(), line: (*line).to_owned(), position, score, moves })
}

fn request(text: impl ToString) -> Error {
    Error::Request(text.to_string())
}

/// Keeps the positions of these sets, or of all if none is named, and of each set the first ones.
pub fn choose(positions: &mut Vec<Solved>, sets: &[String], first: Option<usize>) {
    positions.retain(|solved| sets.is_empty() || sets.contains(&solved.set));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    positions.retain(|solved| {
        let count = counts.entry(solved.set.clone()).or_default();
        *count += 1;
        first.is_none_or(|first| *count <= first)
    });
}

/// What the players do in all positions until somebody stops them.
pub fn run(players: &[String], positions: &[Solved], setup: &Setup, budget: &Budget) -> Result<Vec<Results>, Error> {
    let mut found = Found::new();
    let mut results: Vec<Results> = Vec::new();
    for with in players {
        let algorithm = Algorithm::parse(with)?;
        let mut by_set: BTreeMap<String, Errs> = BTreeMap::new();
        for solved in positions {
            let mut search = solved.position.search(&algorithm, setup)?;
            search.run(budget, &mut ());
            if budget.stop.is_pulled() {
                break;
            }
            let report = search.report();
            // Nothing can be given away where all is lost.
            let worth = match &report.best_move {
                Some(_) if solved.score < 0 => Some(-1),
                Some(mv) => solved.worth(mv, &budget.stop, &mut found)?,
                None => None,
            };
            if budget.stop.is_pulled() {
                break;
            }
            let errs = by_set.entry(solved.set.clone()).or_default();
            errs.positions += 1;
            errs.mistakes += usize::from(worth.is_none_or(|worth| worth < solved.score.signum()));
            errs.nodes += report.nodes;
            errs.seconds += report.seconds;
        }
        results.push((with.clone(), by_set));
    }
    Ok(results)
}
