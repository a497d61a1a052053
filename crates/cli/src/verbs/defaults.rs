//! `experiment defaults`: what `solve` gives somebody who names no algorithm, beside the best that any one algorithm
//! gives on the same position. The default should never be far behind.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use perfectplay_catalog::{ALGORITHMS, Algorithm, AnyPosition, Report, Setup, default_solver, open};
use perfectplay_core::{Budget, SolveStatus};
use serde::Serialize;

use crate::args::DefaultsArgs;
use crate::output::{Outcome, emit, emit_json, ended, seconds_text};
use crate::verbs::solve::watched;

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

/// What each search may take if no limit is named.
const USUAL_TIME: Duration = Duration::from_secs(20);

/// These are often the best: whoever comes after them need not be slower than they are.
const LIKELY: &[&str] = &["alpha-beta", "df-mopns", "df-pn"];

/// No use on these: they take a depth or a team, or answer another question.
const NOT_COMPARED: &[&str] = &["every-move", "equilibria"];

/// Searches that end sooner are run again, and the fastest of these runs counts: the clock is not that exact.
const RUN_AGAIN_BELOW: f64 = 1.0;
const RUNS: usize = 3;

/// The default may take so many times as long as the best, and so many seconds.
const FACTOR: f64 = 2.0;
const BESIDES: f64 = 0.05;

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
    peer_seconds: Option<f64>,
}

pub(crate) fn run(args: &DefaultsArgs) -> Result<Outcome> {
    let (mut budget, mut rows) = (args.budget.budget(), Vec::new());
    if budget.time.is_none() && budget.nodes.is_none() {
        budget.time = Some(USUAL_TIME);
    }
    let peers = args.peers.iter().map(|peer| Peer::parse(peer)).collect::<Result<Vec<_>>>()?;
    let setup = Setup { exact: true, ..args.budget.setup() };
    let wanted = |game: &&(&str, &str)| args.games.is_empty() || args.games.iter().any(|name| name == game.0);
    if !args.json {
        emit(&line(["game", "answer", "default", "by", "best", "time", "peer"]))?;
    }
    for (game, position) in POSITIONS.iter().filter(wanted) {
        let opened = open(game)?;
        let start = if position.is_empty() { opened.start() } else { opened.parse_position(position)? };
        let default = Algorithm::parse(default_solver(&opened.facts()))?;
        let threads = args.budget.threads_for(default.info);
        let Some(mut row) = row(&*start, &default, threads, &setup, &budget)? else { continue };
        row.peer_seconds = peers.iter().find(|peer| peer.game == *game).map(Peer::seconds).transpose()?;
        if !args.json {
            emit(&row.text())?;
        }
        rows.push(row);
        if budget.stop.is_pulled() {
            break;
        }
    }
    if args.json {
        emit_json(&rows)?;
    } else {
        let near = rows.iter().filter(|row| row.is_near()).count();
        let all = rows.len();
        emit(&format!("{near} of {all}: at most {FACTOR} times the best time and {} ms\n", BESIDES * 1000.0))?;
    }
    Ok(ended(&budget.stop, "the positions until then are shown"))
}

/// The default and the best on one position; `None` if the default refuses it.
fn row(
    start: &dyn AnyPosition,
    default: &Algorithm,
    threads: usize,
    setup: &Setup,
    budget: &Budget,
) -> Result<Option<Row>> {
    let by_default =
        || solve(start, default, &Setup { threads, ..setup.clone() }, &Budget { threads, ..budget.clone() });
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
        let report = solve(start, &Algorithm::parse(name)?, setup, &budget)?.filter(solved);
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
            let again = solve(start, &Algorithm::parse(name)?, setup, budget)?.filter(solved);
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
    fn is_near(&self) -> bool {
        match (self.default_seconds, self.best_seconds) {
            (Some(default), Some(best)) => default <= FACTOR * best + BESIDES,
            (default, None) => default.is_some(),
            (None, Some(_)) => false,
        }
    }

    fn text(&self) -> String {
        let seconds = |seconds: Option<f64>| seconds.map_or("-".to_owned(), seconds_text);
        let default = seconds(self.default_seconds) + if self.is_near() { "" } else { " (!)" };
        let peer = self.peer_seconds.map(seconds_text).unwrap_or_default();
        let (by, best) = (self.proved_by.unwrap_or(""), self.best.unwrap_or("-"));
        line([&self.game, &self.answer, &default, by, best, &seconds(self.best_seconds), &peer])
    }
}

/// Columns of a table whose rows are not known before.
fn line([game, answer, default, by, best, time, peer]: [&str; 7]) -> String {
    let text = format!("{game:<22} {answer:<24} {default:>12}  {by:<18} {best:<18} {time:>9} {peer:>9}");
    text.trim_end().to_owned() + "\n"
}

/// Another program that solves the start of a game.
struct Peer {
    game: String,
    command: String,
}

impl Peer {
    fn parse(text: &str) -> Result<Self> {
        // Names of games may hold equal signs, but a command follows the last one before a blank.
        let game_ends = text.find(' ').unwrap_or(text.len());
        let Some(at) = text[..game_ends].rfind('=') else { bail!("--peer must be GAME=COMMAND, got \"{text}\"") };
        Ok(Peer { game: text[..at].to_owned(), command: text[at + 1..].to_owned() })
    }

    /// The time of its fastest run, its start included.
    fn seconds(&self) -> Result<f64> {
        let mut least = f64::INFINITY;
        for _ in 0..RUNS {
            let started = Instant::now();
            let status = Command::new("sh").args(["-c", &self.command]).stdout(Stdio::null()).status();
            let status = status.with_context(|| format!("cannot run {}", self.command))?;
            if !status.success() {
                bail!("the peer of {} failed: {}", self.game, self.command);
            }
            least = least.min(started.elapsed().as_secs_f64());
            if least >= RUN_AGAIN_BELOW {
                break;
            }
        }
        Ok(least)
    }
}

/// One search with a progress line; `None` if the algorithm refuses the game.
fn solve(position: &dyn AnyPosition, algorithm: &Algorithm, setup: &Setup, budget: &Budget) -> Result<Option<Report>> {
    let name = format!("{} {}", position.game(), algorithm.text);
    match position.search(algorithm, setup) {
        Ok(mut search) => Ok(Some(watched(&mut *search, &name, budget, None).0)),
        Err(_) => Ok(None),
    }
}
