//! What `solve` gives somebody who names no algorithm, beside the best that any one algorithm gives on the same
//! position. The default should never be far behind.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use perfectplay_catalog::{ALGORITHMS, Algorithm, AlgorithmInfo, AnyPosition, Report, Setup, default_solver, open};
use perfectplay_core::{Budget, SolveStatus};
use perfectplay_search::alpha_beta::iterative_deepening;
use perfectplay_search::oracle::equilibria;
use perfectplay_search::portfolio::every_move;
use perfectplay_search::proof_number::{df_mopns, df_pn};
use serde::Serialize;

use super::Search;
use crate::Error;

/// Positions on which algorithms differ by up to a factor of ten thousand: game, and position if it is not the start.
const POSITIONS: &[(&str, &str)] = &[
    ("chess", "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1"),
    ("chess", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"),
    ("chess", "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"),
    ("chess:draws=loose", "8/8/8/8/3k4/8/8/KQ6 w - - 0 1"),
    ("english-checkers:draws=loose", "B:WK1:BK29,K32"),
    ("amazons:4", ""),
    ("ataxx:4", ""),
    ("breakthrough:4x4", ""),
    ("breakthrough:5x4", ""),
    ("breakthrough:4x5", ""),
    ("chinese-checkers:1,turns=0", ""),
    ("clobber:4x4", ""),
    ("clobber:4x5", ""),
    ("clobber:5x4", ""),
    ("connect-four:4x4", ""),
    ("connect-four:5x4", ""),
    ("connect-four:4x5", ""),
    ("connect-four:6x4", ""),
    ("connect-four:5x5", ""),
    ("connect-four:4x7", ""),
    ("connect-four:7x4", ""),
    ("connect-four:5x6", ""),
    ("connect-four:6x5", ""),
    ("domineering:5x5", ""),
    ("domineering:6x5", ""),
    ("domineering:6x6", ""),
    ("dots-and-boxes:2x2", ""),
    ("dots-and-boxes:3x2", ""),
    ("go:2", ""),
    ("go:3,komi=0", ""),
    ("havannah:3", ""),
    ("hex:3", ""),
    ("hex:4", ""),
    ("hex:4,swap=off", ""),
    ("mnk:3x4x3", ""),
    ("mnk:4x4x3", ""),
    ("mnk:5x4x3", ""),
    ("mnk:4x4x4", ""),
    ("nim:3,5,7", ""),
    ("othello:4", ""),
    ("tic-tac-toe", ""),
    ("woodpush:5x2", ""),
    ("woodpush:8x3", ""),
];

/// These are often the best: whoever comes after them need not be slower than they are.
const LIKELY: &[&str] = &[iterative_deepening::INFO.name, df_mopns::INFO.name, df_pn::INFO.name];

/// No use on these: they take a depth or a team, or answer another question.
const NOT_COMPARED: &[&str] = &[every_move::INFO.name, equilibria::INFO.name];

/// Searches that end sooner are run again, and the fastest of these runs counts: the clock is not that exact.
const RUN_AGAIN_BELOW: f64 = 1.0;
const RUNS: usize = 3;

/// The default may take so many times as long as the best,
pub const FACTOR: f64 = 2.0;
/// and so many seconds.
pub const BESIDES: f64 = 0.05;

/// One position.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The game.
    pub game: String,
    /// The position.
    pub position: String,
    /// What the default found.
    pub answer: String,
    /// How long it took, if it solved the position.
    pub default_seconds: Option<f64>,
    /// Who proved it, where several were at work.
    pub proved_by: Option<&'static str>,
    /// The fastest of all other algorithms, if one solved the position.
    pub best: Option<&'static str>,
    /// How long that took.
    pub best_seconds: Option<f64>,
    /// How long another program took, if one was named.
    pub peer_seconds: Option<f64>,
}

/// How searches are compared.
pub struct Terms<'a> {
    /// What they are told.
    pub setup: Setup,
    /// What each may cost.
    pub budget: Budget,
    /// How many threads an algorithm gets that was not named.
    pub threads: &'a dyn Fn(&AlgorithmInfo) -> usize,
    /// Other programs.
    pub peers: Vec<Peer>,
}

/// Game and position of all that are compared, or of these games only; an empty text is the start.
pub fn positions(games: &[String]) -> impl Iterator<Item = (&'static str, &'static str)> {
    POSITIONS.iter().copied().filter(|(game, _)| games.is_empty() || games.iter().any(|name| name == game))
}

/// The default and the best on one position; `None` if the default refuses it.
pub fn row(game: &str, position: &str, terms: &Terms<'_>, search: Search<'_>) -> Result<Option<Row>, Error> {
    let opened = open(game)?;
    let start = if position.is_empty() { opened.start() } else { opened.parse_position(position)? };
    let default = Algorithm::parse(default_solver(&opened.facts()))?;
    let Some(mut row) = compared(&*start, &default, terms, search)? else { return Ok(None) };
    row.peer_seconds = terms.peers.iter().find(|peer| peer.game == game).map(Peer::seconds).transpose()?;
    Ok(Some(row))
}

fn compared(
    start: &dyn AnyPosition,
    default: &Algorithm,
    terms: &Terms<'_>,
    search: Search<'_>,
) -> Result<Option<Row>, Error> {
    let (setup, budget, threads) = (&terms.setup, &terms.budget, (terms.threads)(default.info));
    let by_default = || {
        let (setup, budget) = (Setup { threads, ..setup.clone() }, Budget { threads, ..budget.clone() });
        solve(start, default, &setup, &budget, search)
    };
    let Some(mut told) = by_default()? else { return Ok(None) };
    let solved = |report: &Report| report.status == SolveStatus::Solved;
    // Nobody needs to know how much slower than the default, or than the best so far, one is.
    let mut limit = if solved(&told) { Some(Duration::from_secs_f64(told.seconds)) } else { None };
    let mut best: Option<(&'static str, f64)> = None;
    let compared =
        ALGORITHMS.iter().filter(|a| a.exact && a.name != default.info.name && !NOT_COMPARED.contains(&a.name));
    let mut names: Vec<_> = compared.map(|a| a.name).collect();
    names.sort_by_key(|name| LIKELY.iter().position(|likely| likely == name).unwrap_or(LIKELY.len()));
    for name in names {
        let budget = Budget { time: limit.into_iter().chain(budget.time).min(), ..budget.clone() };
        if budget.stop.is_pulled() {
            break;
        }
        let report = solve(start, &Algorithm::parse(name)?, setup, &budget, search)?.filter(solved);
        if let Some(report) = report.filter(|r| best.is_none_or(|(_, seconds)| r.seconds < seconds)) {
            best = Some((name, report.seconds));
            limit = Some(Duration::from_secs_f64(report.seconds));
        }
    }
    for _ in 1..RUNS {
        if told.seconds < RUN_AGAIN_BELOW && solved(&told) && !budget.stop.is_pulled() {
            told = faster(told, by_default()?.filter(solved));
        }
        if let Some((name, seconds)) = best.filter(|best| best.1 < RUN_AGAIN_BELOW && !budget.stop.is_pulled()) {
            let again = solve(start, &Algorithm::parse(name)?, setup, budget, search)?.filter(solved);
            best = Some((name, again.map_or(seconds, |again| again.seconds.min(seconds))));
        }
    }
    Ok(Some(Row {
        game: start.game().to_owned(),
        position: start.text(),
        answer: told.verdict(),
        default_seconds: solved(&told).then_some(told.seconds),
        proved_by: told.proved_by,
        best: best.map(|(name, _)| name),
        best_seconds: best.map(|(_, seconds)| seconds),
        peer_seconds: None,
    }))
}

fn faster(one: Report, other: Option<Report>) -> Report {
    match other {
        Some(other) if other.seconds < one.seconds => other,
        _ => one,
    }
}

impl Row {
    /// Whether the default is not far behind.
    pub fn is_near(&self) -> bool {
        match (self.default_seconds, self.best_seconds) {
            (Some(default), Some(best)) => default <= FACTOR * best + BESIDES,
            (default, None) => default.is_some(),
            (None, Some(_)) => false,
        }
    }
}

/// Another program that solves the start of a game.
pub struct Peer {
    /// The game.
    pub game: String,
    /// What the shell is asked to run.
    pub command: String,
}

impl Peer {
    /// The time of its fastest run, its start included.
    fn seconds(&self) -> Result<f64, Error> {
        let mut least = f64::INFINITY;
        for _ in 0..RUNS {
            let started = Instant::now();
            let status = Command::new("sh").args(["-c", &self.command]).stdout(Stdio::null()).status();
            let status = status.map_err(|error| Error::Request(format!("cannot run {}: {error}", self.command)))?;
            if !status.success() {
                return Err(Error::Request(format!("the peer of {} failed: {}", self.game, self.command)));
            }
            least = least.min(started.elapsed().as_secs_f64());
            if least >= RUN_AGAIN_BELOW {
                break;
            }
        }
        Ok(least)
    }
}

/// One search; `None` if the algorithm refuses the game.
fn solve(
    position: &dyn AnyPosition,
    algorithm: &Algorithm,
    setup: &Setup,
    budget: &Budget,
    search: Search<'_>,
) -> Result<Option<Report>, Error> {
    let name = format!("{} {}", position.game(), algorithm.text);
    Ok(position.search(algorithm, setup).ok().map(|mut opened| search(&mut *opened, &name, budget)))
}
