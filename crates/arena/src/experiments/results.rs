//! Results that outlive their store: what the figures of an experiment need of a match, as a text of one line.
//!
//! A store keeps every move and is too large to be kept everywhere. A summary keeps these lines, and all figures can be
//! computed from them again: the store and a summary lead to the same [`Match`]es.
//!
//! ```
//! use perfectplay_arena::experiments::results::Match;
//!
//! // Round 7: player 5 sat first and lost to player 2 by the rules. They moved 30 and 31 times, in 120 and 123 ms, and
//! // told no depth.
//! let text = "7 5,2 -1,1 rules 30,31 120000,123456 0,0 0,0";
//! let read: Match = text.parse()?;
//! assert_eq!((read.plies(), read.to_string()), (61, text.to_owned()));
//! # Ok::<(), String>(())
//! ```

use std::fmt;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::match_play::{Ending, GameRecord};
use crate::schedule::Job;

/// A match that was played: lists have an entry per seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Match {
    /// As in its [`Job`], which it names together with the seating.
    pub round: u32,
    /// Who sat there, as numbers of players.
    pub seating: Vec<usize>,
    /// -1, 0 or 1.
    pub gains: Vec<i32>,
    /// How it ended.
    pub ending: Ending,
    /// Moves chosen.
    pub moves: Vec<u64>,
    /// Time for all of them.
    pub microseconds: Vec<u64>,
    /// Depths of all of them added up, as far as told.
    pub depths: Vec<u64>,
    /// How many told a depth.
    pub with_depth: Vec<u64>,
}

impl Match {
    /// Whether this is what was to be played.
    pub fn is(&self, job: &Job) -> bool {
        self.round == job.round && self.seating == job.seating
    }

    /// Moves of all seats.
    pub fn plies(&self) -> u64 {
        self.moves.iter().sum()
    }

    /// Time of all seats.
    pub fn seconds(&self) -> f64 {
        self.microseconds.iter().sum::<u64>() as f64 / 1e6
    }
}

impl From<&GameRecord> for Match {
    fn from(game: &GameRecord) -> Self {
        Match {
            round: game.job.round,
            seating: game.job.seating.clone(),
            gains: game.gains.clone(),
            ending: game.ending,
            moves: game.played.iter().map(|seat| seat.moves.into()).collect(),
            microseconds: game.played.iter().map(|seat| (seat.seconds * 1e6).round() as u64).collect(),
            depths: game.played.iter().map(|seat| seat.depths).collect(),
            with_depth: game.played.iter().map(|seat| seat.with_depth.into()).collect(),
        }
    }
}

impl fmt::Display for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Match { round, seating, gains, ending, moves, microseconds, depths, with_depth } = self;
        write!(f, "{round} {} {} {} ", list(seating), list(gains), ending.name())?;
        write!(f, "{} {} {} {}", list(moves), list(microseconds), list(depths), list(with_depth))
    }
}

impl From<Match> for String {
    fn from(played: Match) -> Self {
        played.to_string()
    }
}

impl TryFrom<String> for Match {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for Match {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        read(text).ok_or_else(|| format!("\"{text}\" is not the result of a match"))
    }
}

fn read(text: &str) -> Option<Match> {
    let fields: Vec<&str> = text.split(' ').collect();
    let [round, seating, gains, ending, moves, microseconds, depths, with_depth] = fields[..] else { return None };
    let seats = seating.split(',').count();
    Some(Match {
        round: round.parse().ok()?,
        seating: numbers(seating, seats)?,
        gains: numbers(gains, seats).filter(|gains| gains.iter().all(|gain| (-1..=1).contains(gain)))?,
        ending: Ending::from_name(ending)?,
        moves: counts(moves, seats)?,
        microseconds: counts(microseconds, seats)?,
        depths: counts(depths, seats)?,
        with_depth: counts(with_depth, seats)?,
    })
}

fn list<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// A number for each seat.
fn numbers<T: FromStr>(text: &str, seats: usize) -> Option<Vec<T>> {
    let numbers: Option<Vec<T>> = text.split(',').map(|number| number.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() == seats)
}

/// Counts that can be added up: none is larger than what a match could take, microseconds of twelve days.
fn counts(text: &str, seats: usize) -> Option<Vec<u64>> {
    numbers(text, seats).filter(|counts| counts.iter().all(|&count| count < 1 << 40))
}

/// What a summary says; `take` answers why it cannot be used, if it cannot.
pub(crate) fn read_summary<T: DeserializeOwned>(
    file: &Path,
    take: impl FnOnce(T) -> Result<(), String>,
) -> Result<(), Error> {
    let unusable = |reason: String| Error::Request(format!("cannot go on with {}: {reason}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| unusable(error.to_string()))?;
    let summary = serde_json::from_str(&text);
    let summary =
        summary.map_err(|error| unusable(format!("it is no summary with the results of matches ({error})")))?;
    take(summary).map_err(unusable)
}
