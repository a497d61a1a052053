//! Counts that other programs found, in `data/perft/GAME.json`: a list of entries like
//!
//! ```json
//! {
//!   "kind": "perft",
//!   "game": "connect-four:7x6",
//!   "position": "start",
//!   "counts": { "1": 7, "2": 49 },
//!   "sources": ["name of a program, with its version"],
//!   "independent_sources": { "1": 4, "2": 4 }
//! }
//! ```
//!
//! `game` is the name as on the command line, `position` the game's own notation. Kinds, and what is counted:
//! - `perft`: sequences of exactly so many moves (the key); games that ended earlier do not count;
//! - `finished`: games that end with exactly this move;
//! - `game_outcomes`: all complete games, under the key `total`;
//! - `unique_positions`: different positions after exactly so many moves;
//! - `positions`: different positions that can be reached, finished or not, under the key `total`;
//! - `unfinished_positions`: the same without finished ones.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use perfectplay_core::{Budget, FullGame, Game, Notation, Payoff, Playouts, Status};
use perfectplay_games::seam::{Packed, Words};
use rustc_hash::FxHashSet;
use serde::Deserialize;

use crate::data;
use crate::spec::{OnPacked, visit_packed};

/// One line of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What is counted.
    pub kind: Kind,
    /// The game as on the command line.
    pub game: String,
    /// `start`, or a position in the game's notation.
    pub position: String,
    /// By number of moves, or `total`.
    pub counts: BTreeMap<String, u64>,
    /// Who counted.
    pub sources: Vec<String>,
    /// How many of the sources agree on each count without sharing code.
    pub independent_sources: BTreeMap<String, u32>,
}

/// What an entry counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Sequences of moves.
    Perft,
    /// Complete games by length.
    Finished,
    /// Complete games.
    GameOutcomes,
    /// Positions by number of moves.
    UniquePositions,
    /// Positions.
    Positions,
    /// Positions in which somebody is to move.
    UnfinishedPositions,
}

/// How much to count.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Counts larger than this are not computed.
    pub count: u64,
    /// A deeper count is not begun if it would probably take longer than this.
    pub time: Duration,
}

impl Patience {
    /// For every run of the tests.
    pub const SHORT: Patience = Patience { count: 20_000_000, time: Duration::from_millis(250) };
    /// For a night.
    pub const LONG: Patience = Patience { count: u64::MAX, time: Duration::from_secs(600) };
}

/// The entries for the game called `name`; empty if there is no table.
///
/// # Panics
/// If the table cannot be read.
pub fn load(name: &str) -> Vec<Entry> {
    let path = data(&format!("perft/{name}.json"));
    let Ok(text) = std::fs::read_to_string(&path) else { return Vec::new() };
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of the games that have a table.
///
/// # Panics
/// If the folder cannot be read.
pub fn names() -> Vec<String> {
    let folder = std::fs::read_dir(data("perft")).expect("the folder data/perft");
    let stem = |file: std::io::Result<std::fs::DirEntry>| Some(file.ok()?.path().file_stem()?.to_str()?.to_owned());
    let mut names: Vec<String> = folder.filter_map(stem).collect();
    names.sort();
    names
}

/// Compares an entry with our rules, as far as patience goes, and says how many of its counts were compared.
///
/// # Panics
/// If a count differs.
pub fn check(entry: &Entry, patience: Patience) -> usize {
    visit_packed(&entry.game, Check { entry, patience })
}

struct Check<'a> {
    entry: &'a Entry,
    patience: Patience,
}

impl OnPacked for Check<'_> {
    type Output = usize;

    fn on<P: Payoff, const S: usize, const K: usize, const M: usize>(self, game: Packed<P, S, K, M>) -> usize {
        let entry = self.entry;
        let state = match entry.position.as_str() {
            "start" => game.start(),
            text => game.parse_position(text).unwrap_or_else(|e| panic!("{} {text}: {e}", entry.game)),
        };
        match entry.kind {
            Kind::Perft => self.deeper(|depth| {
                game.perft(&state, depth, false, &Budget::unlimited()).expect("no limit").leaves[depth - 1]
            }),
            Kind::Finished => self.deeper(|depth| {
                game.perft(&state, depth, true, &Budget::unlimited()).expect("no limit").finished[depth - 1]
            }),
            Kind::UniquePositions => self.deeper(|depth| level(&game, &state, depth).len() as u64),
            Kind::GameOutcomes => self.total(|| count_games(&game, &state)),
            Kind::Positions => self.total(|| count_positions(&game, &state, |_| true)),
            Kind::UnfinishedPositions => self.total(|| count_positions(&game, &state, |s| s.mover().is_some())),
        }
    }
}

impl Check<'_> {
    /// Compares depth by depth, until a count would be too large or take too long.
    fn deeper(&self, mut count: impl FnMut(usize) -> u64) -> usize {
        let mut by_depth: Vec<(usize, u64)> = Vec::new();
        for (depth, &expected) in &self.entry.counts {
            by_depth.push((depth.parse().expect("counts by number of moves"), expected));
        }
        by_depth.sort_unstable();
        let (mut compared, mut last_count, mut last_time) = (0, 1, Duration::ZERO);
        for (depth, expected) in by_depth {
            let growth = expected as f64 / last_count as f64;
            if expected > self.patience.count || last_time.mul_f64(growth) > self.patience.time {
                break;
            }
            let started = Instant::now();
            // The position itself, before any move, may be in a table: nothing to count.
            let found = if depth == 0 { 1 } else { count(depth) };
            assert_eq!(
                found, expected,
                "{:?} of {} at depth {depth}, {}",
                self.entry.kind, self.entry.game, self.entry.position
            );
            (last_time, last_count, compared) = (started.elapsed(), expected.max(1), compared + 1);
        }
        compared
    }

    fn total(&self, count: impl FnOnce() -> u64) -> usize {
        let expected = self.entry.counts["total"];
        if expected > self.patience.count / 40 {
            return 0;
        }
        assert_eq!(count(), expected, "{:?} of {}, {}", self.entry.kind, self.entry.game, self.entry.position);
        1
    }
}

/// The different states after exactly `depth` moves.
fn level<G: FullGame>(game: &G, state: &G::State, depth: usize) -> Vec<G::State> {
    let mut states = vec![*state];
    for _ in 0..depth {
        let (mut seen, mut next, mut moves) = (FxHashSet::default(), Vec::new(), Vec::new());
        for state in &states {
            moves.clear();
            game.expand(state, &mut moves);
            for &mv in &moves {
                let successor = game.after(state, mv);
                if seen.insert(game.key(&successor)) {
                    next.push(successor);
                }
            }
        }
        states = next;
    }
    states
}

/// No game has more moves than its longest, and finished games are counted at every length.
fn count_games<P: Payoff, const S: usize, const K: usize, const M: usize>(
    game: &Packed<P, S, K, M>,
    state: &Words<S>,
) -> u64 {
    let length = game.facts().length.expect("a bound on the length, to count all games");
    let perft = game.perft(state, length as usize, true, &Budget::unlimited()).expect("no limit");
    perft.finished.iter().sum()
}

fn count_positions<G: FullGame>(game: &G, state: &G::State, counts: impl Fn(Status<G::Payoff>) -> bool) -> u64 {
    let (mut seen, mut open, mut moves) = (FxHashSet::from_iter([game.key(state)]), vec![*state], Vec::new());
    let mut found = 0;
    while let Some(state) = open.pop() {
        moves.clear();
        found += u64::from(counts(game.expand(&state, &mut moves)));
        for &mv in &moves {
            let successor = game.after(&state, mv);
            if seen.insert(game.key(&successor)) {
                open.push(successor);
            }
        }
    }
    found
}
