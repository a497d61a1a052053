//! One game, from sitting down to the record.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use perfectplay_catalog::AnyGame;
use perfectplay_core::{Objective, StopHandle};
use serde::{Deserialize, Serialize};

use crate::player::{Fault, PlayerSpec, Seat, timed};
use crate::schedule::Job;
use crate::{Error, Opening};

/// What holds for all games of a tournament.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Who is first: who wins, or who has the better score.
    pub objective: Objective,
    /// After so many moves beyond the opening the game is a draw.
    pub longest: u32,
    /// What an engine may take beyond its time before it loses; if it has no time per move, beyond a minute.
    pub grace: Duration,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { objective: Objective::Gain, longest: 1000, grace: Duration::from_secs(5) }
    }
}

/// Why a game was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// By the rules.
    Rules,
    /// Somebody played an illegal move, went away or did not answer: it loses to everybody else.
    Forfeit,
    /// It took too many moves: a draw.
    Length,
}

impl Ending {
    /// `rules`, `forfeit` or `length`.
    pub const fn name(self) -> &'static str {
        match self {
            Ending::Rules => "rules",
            Ending::Forfeit => "forfeit",
            Ending::Length => "length",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Ending::Rules, Ending::Forfeit, Ending::Length].into_iter().find(|e| e.name() == name)
    }
}

/// What a seat did in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// Moves it chose.
    pub moves: u32,
    /// Time for all of them.
    pub seconds: f64,
    /// Nodes for all of them, as far as told.
    pub nodes: u64,
    /// Depths of all of them added up, as far as told.
    pub depths: u64,
    /// How many told a depth.
    pub with_depth: u32,
}

/// A game that was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Which game of the tournament.
    pub job: Job,
    /// Where it began.
    pub opening: Opening,
    /// The moves after the opening.
    pub moves: Vec<String>,
    /// -1, 0 or 1 for each seat.
    pub gains: Vec<i32>,
    /// The game's own score for each seat; of a game not ended by the rules, the gain.
    pub scores: Vec<i32>,
    /// How it ended.
    pub ending: Ending,
    /// How it ended, in words.
    pub reason: String,
    /// What each seat did.
    pub played: Vec<Played>,
    /// Who sat there, as the players say themselves.
    pub versions: Vec<String>,
}

/// Plays a game; none if somebody pulled the stop handle.
pub fn play_game(
    game: &dyn AnyGame,
    players: &[PlayerSpec],
    opening: &Opening,
    job: &Job,
    rules: &Rules,
    stop: &StopHandle,
) -> Result<Option<GameRecord>, Error> {
    let seats = job.seating.len();
    let mut record = GameRecord {
        job: job.clone(),
        opening: opening.clone(),
        moves: Vec::new(),
        gains: vec![0; seats],
        scores: vec![0; seats],
        ending: Ending::Rules,
        reason: String::new(),
        played: vec![Played::default(); seats],
        versions: Vec::new(),
    };
    let mut position = opening.reach(game)?;
    let mut sitting = Vec::new();
    for (seat, &player) in job.seating.iter().enumerate() {
        let seed = job.seed.wrapping_add(seat as u64);
        let table = Seat { game, opening, seed, objective: rules.objective, stop, grace: rules.grace };
        match players[player].sit(&table) {
            Ok(player) => sitting.push(player),
            Err(_) if stop.is_pulled() => return Ok(None),
            Err(reason) => return Ok(Some(record.forfeit(seat, &reason))),
        }
    }
    record.versions = sitting.iter().map(|player| player.version()).collect();
    loop {
        let seat = match position.status() {
            Ok(mover) => mover.index(),
            Err(ended) => {
                record.reason = ended.in_words();
                (record.gains, record.scores) = (ended.gains, ended.scores);
                return Ok(Some(record));
            }
        };
        if record.moves.len() >= rules.longest as usize {
            record.ending = Ending::Length;
            record.reason = format!("draw after {} moves", rules.longest);
            return Ok(Some(record));
        }
        // A search that panics loses its game; it does not take the tournament down.
        let (choice, seconds) = timed(|| {
            catch_unwind(AssertUnwindSafe(|| sitting[seat].choose(&*position, stop)))
                .unwrap_or_else(|_| Err(Fault::Lost("it broke down".into())))
        });
        let choice = match choice {
            Ok(choice) => choice,
            Err(Fault::Stopped) => return Ok(None),
            Err(Fault::Lost(reason)) => return Ok(Some(record.forfeit(seat, &reason))),
        };
        record.played[seat].add(&choice, seconds);
        let before = position.clone_box();
        if let Err(error) = position.play(&choice.mv) {
            return Ok(Some(record.forfeit(seat, &format!("illegal move: {error}"))));
        }
        for (other, player) in sitting.iter_mut().enumerate() {
            match player.played(&*before, &choice.mv) {
                Ok(()) => {}
                Err(Fault::Stopped) => return Ok(None),
                Err(Fault::Lost(reason)) => return Ok(Some(record.forfeit(other, &reason))),
            }
        }
        record.moves.push(choice.mv);
    }
}

impl Played {
    fn add(&mut self, choice: &crate::Choice, seconds: f64) {
        self.moves += 1;
        self.seconds += seconds;
        self.nodes += choice.nodes.unwrap_or(0);
        if let Some(depth) = choice.depth {
            self.depths += u64::from(depth);
            self.with_depth += 1;
        }
    }
}

impl GameRecord {
    fn forfeit(mut self, seat: usize, reason: &str) -> Self {
        self.gains = vec![1; self.gains.len()];
        self.gains[seat] = -1;
        self.scores.clone_from(&self.gains);
        self.ending = Ending::Forfeit;
        let reason: String = reason.chars().take(400).collect();
        self.reason = format!("player {} forfeits: {reason}", seat + 1);
        self
    }

    /// How the player in `seat` did against the one in `other`: 1 better, 1/2 alike, 0 worse.
    pub fn duel(&self, seat: usize, other: usize, objective: Objective) -> f64 {
        let value = |s: usize| match objective {
            Objective::Gain | Objective::Length => self.gains[s],
            Objective::Score => self.scores[s],
        };
        match value(seat).cmp(&value(other)) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        }
    }
}
