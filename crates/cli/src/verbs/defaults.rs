//! `experiment defaults`: what `solve` gives somebody who names no algorithm, beside the best that any one algorithm
//! gives on the same position. The default should never be far behind.

use std::time::Duration;

use anyhow::Result;
use perfectplay_catalog::{ALGORITHMS, Algorithm, AnyPosition, Report, Setup, default_solver, open};
use perfectplay_core::{Budget, SolveStatus};
use serde::Serialize;

use crate::args::DefaultsArgs;
use crate::output::{Outcome, emit, emit_json, ended, seconds_text, table, table_text};
use crate::verbs::solve::watched;

/// Positions on which algorithms differ by up to a factor of ten thousand: game, and position if it is not the start.
const POSITIONS: &[(&str, &str)] = &[
    ("chess", "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1"),
    ("chess", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"),
    ("chess", "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"),
    ("amazons:4", ""),
    ("ataxx:4", ""),
    ("breakthrough:4x4", ""),
    ("breakthrough:4x5", ""),
    ("clobber:5x4", ""),
    ("connect-four:4x4", ""),
    ("connect-four:5x4", ""),
    ("connect-four:5x5", ""),
    ("connect-four:6x5", ""),
    ("domineering:5x5", ""),
    ("domineering:6x6", ""),
    ("dots-and-boxes:3x2", ""),
    ("go:3,komi=0", ""),
    ("hex:3", ""),
    ("hex:4", ""),
    ("mnk:3x4x3", ""),
    ("mnk:4x4x4", ""),
    ("nim:3,5,7", ""),
    ("othello:4", ""),
    ("tic-tac-toe", ""),
];

/// What each search may take if no limit is named.
const USUAL_TIME: Duration = Duration::from_secs(20);

/// No use on these: they take a depth or a team, or answer another question.
const NOT_COMPARED: &[&str] = &["every-move", "equilibria"];

/// One position.
#[derive(Debug, Serialize)]
struct Row {
    game: String,
    position: String,
    answer: String,
    default_seconds: Option<f64>,
    proved_by: Option<&'static str>,
    best: Option<&'static str>,
    best_seconds: Option<f64>,
}

pub(crate) fn run(args: &DefaultsArgs) -> Result<Outcome> {
    let (mut budget, mut rows) = (args.budget.budget(), Vec::new());
    if budget.time.is_none() && budget.nodes.is_none() {
        budget.time = Some(USUAL_TIME);
    }
    let setup = Setup { seed: args.budget.seed, memory: args.budget.for_search(), exact: true, ..Setup::default() };
    let wanted = |game: &&(&str, &str)| args.games.is_empty() || args.games.iter().any(|name| name == game.0);
    for (game, position) in POSITIONS.iter().filter(wanted) {
        let opened = open(game)?;
        let start = if position.is_empty() { opened.start() } else { opened.parse_position(position)? };
        let default = default_solver(&opened.facts());
        let Some(told) = solve(&*start, default, &setup, &budget)? else { continue };
        let mut best: Option<(&'static str, f64)> = None;
        for info in ALGORITHMS.iter().filter(|a| a.exact && a.name != default && !NOT_COMPARED.contains(&a.name)) {
            if budget.stop.is_pulled() {
                break;
            }
            // Nobody needs to know how much slower than the best so far it is.
            let time = best.map(|(_, seconds)| Duration::from_secs_f64(seconds + 0.01));
            let budget = Budget { time: time.into_iter().chain(budget.time).min(), ..budget.clone() };
            let solved = solve(&*start, info.name, &setup, &budget)?.filter(|r| r.status == SolveStatus::Solved);
            if let Some(report) = solved.filter(|r| best.is_none_or(|(_, seconds)| r.seconds < seconds)) {
                best = Some((info.name, report.seconds));
            }
        }
        rows.push(Row {
            game: (*game).to_owned(),
            position: start.text(),
            answer: told.verdict(),
            default_seconds: (told.status == SolveStatus::Solved).then_some(told.seconds),
            proved_by: told.proved_by,
            best: best.map(|(name, _)| name),
            best_seconds: best.map(|(_, seconds)| seconds),
        });
        if budget.stop.is_pulled() {
            break;
        }
    }
    let done = || ended(&budget.stop, "the positions until then are shown");
    if args.json {
        emit_json(&rows)?;
        return Ok(done());
    }
    let mut list = table(&["game", "position", "answer", "default", "by", "best", "time"], &[3, 6]);
    for row in rows {
        let seconds = |seconds: Option<f64>| seconds.map_or("-".to_owned(), seconds_text);
        let (default, best) = (seconds(row.default_seconds), seconds(row.best_seconds));
        let (by, name) = (row.proved_by.unwrap_or(""), row.best.unwrap_or(""));
        list.add_row([&row.game, &row.position, &row.answer, &default, by, name, &best]);
    }
    emit(&table_text(&list))?;
    Ok(done())
}

/// One search with a progress line; `None` if the algorithm refuses the game.
fn solve(position: &dyn AnyPosition, name: &str, setup: &Setup, budget: &Budget) -> Result<Option<Report>> {
    match position.search(&Algorithm::parse(name)?, setup) {
        Ok(mut search) => Ok(Some(watched(&mut *search, &format!("{} {name}", position.game()), budget, None).0)),
        Err(_) => Ok(None),
    }
}
