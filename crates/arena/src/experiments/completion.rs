//! Does completion win games? (Cohen-Solal 2025, §7, Table 1.)
//!
//! UBFM with completion plays against UBFM without, both with safest decisions and transpositions. For every ordered
//! pair of evaluations (the first for the side with completion, the second for the other) two games are played per
//! repetition, one in each seat. A win counts 1, a draw 0, a loss -1; a game's figure is the mean of its matches with a
//! 95 % interval, the overall figure the mean over games with a stratified bootstrap.
//!
//! What differs from the paper: its evaluations are networks learned by the authors, ours are the games' own heuristics
//! and random playouts; its limit is 10 s per move, ours a number of nodes; and since a heuristic leaves nothing to
//! chance, every pair of games begins with random moves of its own.

use std::time::{Duration, Instant};

use perfectplay_core::StopHandle;
use serde::Serialize;

use super::run_for;
use crate::match_play::{GameRecord, Rules};
use crate::runner::Tournament;
use crate::schedule::Job;
use crate::stats::{Interval, stratified_bootstrap, t_interval};
use crate::store::Store;
use crate::{Error, Openings, PlayerSpec};

/// A game of Table 1: its name here, in the paper, and the paper's mean and half-width in percent.
pub type Printed = (&'static str, &'static str, i32, i32);

/// Table 1 of Cohen-Solal 2025.
pub const TABLE: [Printed; 22] = [
    ("amazons:10", "Amazons", 1, 2),
    ("arimaa:limit=900", "Arimaa", 7, 1),
    ("ataxx:7,repetition=ends", "Ataxx", 55, 2),
    ("breakthrough:8x8", "Breakthrough", -1, 1),
    ("brazilian-draughts:endings=drawn", "Brazilian", 2, 0),
    ("canadian-draughts:endings=drawn", "Canadian", 6, 1),
    ("clobber:10x10", "Clobber", 0, 1),
    ("connect6:19", "Connect6", 0, 2),
    ("international-draughts:endings=drawn", "International", 4, 0),
    ("chess", "Chess", 1, 1),
    ("go:9", "Go 9", 0, 2),
    ("gomoku:15,opening=outer", "Gomoku", 0, 1),
    ("havannah:8", "Havannah", 0, 2),
    ("hex:11", "Hex 11", 0, 1),
    ("hex:13", "Hex 13", 0, 1),
    ("hex:19", "Hex 19", 0, 1),
    ("lines-of-action", "Lines of A.", 5, 1),
    ("othello:10", "Othello 10", 24, 1),
    ("othello:8", "Othello 8", 28, 1),
    ("santorini", "Santorini", 14, 2),
    ("surakarta:repetition=ends", "Surakarta", 4, 1),
    ("xiangqi:rules=olympiad", "Xiangqi", 11, 1),
];

/// The paper's overall mean and interval, in percent.
pub const PUBLISHED: (f64, f64, f64) = (6.34, 6.03, 6.66);

/// How large.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// Evaluations, as options of the algorithm.
    pub evaluations: Vec<&'static str>,
    /// Nodes per move.
    pub nodes: u64,
    /// How often every pair of evaluations meets.
    pub repetitions: u32,
    /// A longer match is a draw.
    pub longest: u32,
    /// Random moves at the beginning.
    pub plies: u32,
    /// The experiment ends after this time, with the matches played so far.
    pub time: Option<Duration>,
}

impl Size {
    /// Ends within two minutes on any machine.
    pub fn quick() -> Self {
        Size {
            evaluations: vec!["eval=heuristic", "eval=rollouts,playouts=1"],
            nodes: 150,
            repetitions: 100,
            longest: 400,
            plies: 4,
            time: Some(Duration::from_secs(95)),
        }
    }

    /// As many matches per game as in the paper, about 2,700.
    pub fn full() -> Self {
        Size {
            evaluations: vec![
                "eval=heuristic",
                "eval=heuristic,f=score",
                "eval=rollouts,playouts=1",
                "eval=rollouts,playouts=8",
            ],
            nodes: 10_000,
            repetitions: 84,
            longest: 1000,
            plies: 4,
            time: None,
        }
    }
}

/// What a game showed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The game.
    pub game: &'static str,
    /// As the paper calls it.
    pub name: &'static str,
    /// Matches played.
    pub matches: usize,
    /// The mean score of completion, in percent.
    pub mean: Option<f64>,
    /// 95 %, in percent.
    pub interval: Option<Interval>,
    /// The paper's mean and half-width, in percent.
    pub paper: (i32, i32),
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// A line per game.
    pub lines: Vec<Line>,
    /// Matches in all.
    pub matches: usize,
    /// The mean over games, in percent.
    pub mean: f64,
    /// By stratified bootstrap, in percent.
    pub interval: Interval,
    /// The paper's figures: mean, from, to.
    pub paper: (f64, f64, f64),
}

/// Plays it into `store`; `on_game` hears which game is played and how many matches there are. Stopped early, it tells
/// what was played so far.
pub fn run(
    games: &[Printed],
    size: &Size,
    seed: u64,
    store: &mut Store,
    stop: &StopHandle,
    on_game: &mut dyn FnMut(&str, usize),
) -> Result<Outcome, Error> {
    let started = Instant::now();
    let mut matches = 0;
    'repetitions: for repetition in 1..=size.repetitions {
        for (number, &(game, ..)) in games.iter().enumerate() {
            if stop.is_pulled() || size.time.is_some_and(|time| started.elapsed() >= time) {
                break 'repetitions;
            }
            on_game(game, matches);
            // In the first repetition every game gets its share of the time, so that none is left out.
            let share = size.time.map(|time| {
                let left = time.saturating_sub(started.elapsed());
                if repetition == 1 { left / (games.len() - number) as u32 } else { left }
            });
            let tournament = plan(game, size, repetition, seed)?;
            let before = tournament.games(store)?.len();
            run_for(&tournament, store, share, stop)?;
            matches += tournament.games(store)?.len() - before;
        }
    }
    outcome(games, size, seed, store)
}

/// The matches of a game: players 0 to E-1 complete, players E to 2E-1 do not.
fn plan(game: &'static str, size: &Size, repetitions: u32, seed: u64) -> Result<Tournament, Error> {
    let kinds = size.evaluations.len();
    let player = |completion: &str, evaluation: &str| {
        PlayerSpec::parse(&format!("ubfm:completion={completion},decision=safest,{evaluation}@nodes={}", size.nodes))
    };
    let mut players = Vec::new();
    for completion in ["on", "off"] {
        for evaluation in &size.evaluations {
            players.push(player(completion, evaluation)?);
        }
    }
    let opened = perfectplay_catalog::open(game)?;
    let pairs = (kinds * kinds) as u32;
    let openings = Openings::Random(size.plies).list(&*opened, Some(repetitions * pairs), 1, seed)?;
    let mut jobs = Vec::new();
    for round in 0..repetitions * pairs {
        let pair = (round % pairs) as usize;
        let (with, without) = (pair / kinds, kinds + pair % kinds);
        for seating in [vec![with, without], vec![without, with]] {
            jobs.push(Job::new(round, vec![with, without], seating, seed));
        }
    }
    let rules = Rules { longest: size.longest, ..Rules::default() };
    Tournament::with_jobs(
        game,
        players,
        openings,
        jobs,
        rules,
        &format!("completion, {} plies, seed {seed}", size.plies),
    )
}

fn outcome(games: &[Printed], size: &Size, seed: u64, store: &Store) -> Result<Outcome, Error> {
    let (mut lines, mut strata, mut matches) = (Vec::new(), Vec::new(), 0);
    for &(game, name, mean, half) in games {
        let played = plan(game, size, size.repetitions, seed)?.games(store)?;
        matches += played.len();
        let values = pair_means(&played, size.evaluations.len());
        let figures = (!values.is_empty()).then(|| t_interval(&values));
        lines.push(Line {
            game,
            name,
            matches: played.len(),
            mean: figures.map(|(mean, _)| 100.0 * mean),
            interval: figures.map(|(_, i)| i.map(|v| 100.0 * v.clamp(-1.0, 1.0))),
            paper: (mean, half),
        });
        strata.push(values);
    }
    if matches == 0 {
        return Err(Error::Request("no match was finished in the time given".into()));
    }
    let (mean, interval) = stratified_bootstrap(&strata, 10_000, seed);
    Ok(Outcome { lines, matches, mean: 100.0 * mean, interval: interval.map(|v| 100.0 * v), paper: PUBLISHED })
}

/// The score of completion, from -1 to 1, as the mean of each pair of matches (of a half pair, that of the one match).
fn pair_means(games: &[GameRecord], kinds: usize) -> Vec<f64> {
    let mut pairs: std::collections::BTreeMap<u32, (f64, f64)> = Default::default();
    for game in games {
        let seat = usize::from(game.job.seating[0] >= kinds);
        let pair = pairs.entry(game.job.round).or_default();
        *pair = (pair.0 + f64::from(game.gains[seat]), pair.1 + 1.0);
    }
    pairs.into_values().map(|(sum, count)| sum / count).collect()
}
