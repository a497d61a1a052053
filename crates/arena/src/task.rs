//! Pieces of work that others can do: games of a tournament, a search with a fixed effort. What the texts look like
//! that hold them is the business of the crate `jobs`.

use std::path::PathBuf;
use std::time::Duration;

use perfectplay_catalog::{Algorithm, ProofFile, ProofSide, Report, Setup, open};
use perfectplay_core::{Budget, Objective, StopHandle};
use serde::{Deserialize, Serialize};

use crate::match_play::{GameRecord, Rules, play_game};
use crate::player::PlayerSpec;
use crate::schedule::{Job, Kind, Seatings};
use crate::{Conditions, Error, Opening, Openings, Store, Tournament};

/// Games to be played, each with its opening and its seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Games {
    /// The game.
    pub game: String,
    /// All players of the tournament, as on the command line.
    pub players: Vec<String>,
    /// `gain` or `score`.
    #[serde(default = "gain")]
    pub objective: String,
    /// A game that takes more moves is a draw.
    #[serde(default = "longest")]
    pub longest: u32,
    /// Seconds that an engine may take beyond its limit.
    #[serde(default = "grace")]
    pub grace: f64,
    /// Which games.
    pub games: Vec<Planned>,
}

/// A game of a tournament with all that it depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// Round, players, seats and seed.
    #[serde(flatten)]
    pub job: Job,
    /// Where it begins.
    pub opening: Opening,
}

/// A search of one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofTask {
    /// The game.
    pub game: String,
    /// Where to begin, in the game's notation; the start if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Moves from there.
    #[serde(default)]
    pub moves: Vec<String>,
    /// Who searches; with a goal, an algorithm that has the option `goal`.
    #[serde(default = "df_pn")]
    pub algorithm: String,
    /// Only ask whether the first player gets at least this much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<i32>,
    /// Write the strategy that answers the goal into this folder, under the job's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// `gain` or `score`.
    #[serde(default = "gain")]
    pub objective: String,
    /// The effort: so many nodes.
    pub nodes: u64,
    /// Bytes that the search may hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<usize>,
    /// For everything left to chance.
    #[serde(default)]
    pub seed: u64,
}

/// What a search of one position found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proved {
    /// All that the search says.
    pub report: Report,
    /// Whether the first player gets the goal, if that was asked and is proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<bool>,
    /// The file with the strategy that proves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<PathBuf>,
}

fn gain() -> String {
    Objective::Gain.name().into()
}

fn longest() -> u32 {
    Rules::default().longest
}

fn grace() -> f64 {
    Rules::default().grace.as_secs_f64()
}

fn df_pn() -> String {
    "df-pn".into()
}

fn objective(name: &str) -> Result<Objective, Error> {
    let known = Objective::parse(name).filter(|&objective| objective != Objective::Length);
    known.ok_or_else(|| Error::Request(format!("the objective must be gain or score, got \"{name}\"")))
}

fn rules(name: &str, longest: u32, grace: f64) -> Result<Rules, Error> {
    let grace =
        Duration::try_from_secs_f64(grace).map_err(|_| Error::Request(format!("a grace of {grace} seconds")))?;
    Ok(Rules { objective: objective(name)?, longest, grace })
}

fn stopped() -> Error {
    Error::Request("stopped before the work was done".into())
}

impl Games {
    /// Plays them; no result if somebody stops it early.
    pub fn play(&self, stop: &StopHandle) -> Result<Vec<GameRecord>, Error> {
        let game = open(&self.game)?;
        let players = self.players.iter().map(|text| PlayerSpec::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let rules = rules(&self.objective, self.longest, self.grace)?;
        let seats = game.facts().players;
        let fits = |job: &Job| job.seating.len() == seats && job.seating.iter().all(|&p| p < players.len());
        let mut records = Vec::new();
        for planned in &self.games {
            if !fits(&planned.job) {
                return Err(Error::Request(format!(
                    "the planned game {} does not fit {}",
                    planned.job.name(),
                    self.game
                )));
            }
            let record = play_game(&*game, &players, &planned.opening, &planned.job, &rules, stop)?;
            records.push(record.ok_or_else(stopped)?);
        }
        Ok(records)
    }
}

impl ProofTask {
    /// Searches; no result if somebody stops it early. A strategy is written under the name `id`.
    pub fn search(&self, id: &str, stop: &StopHandle) -> Result<Proved, Error> {
        let game = open(&self.game)?;
        let opening = Opening { position: self.position.clone(), moves: self.moves.clone() };
        let objective = objective(&self.objective)?;
        let setup = Setup { objective, seed: self.seed, exact: true, memory: self.memory, ..Setup::default() };
        let mut search = opening.reach(&*game)?.search(&Algorithm::parse(&self.with_goal(objective))?, &setup)?;
        let (nodes, memory) = (Some(self.nodes), self.memory);
        search.run(&Budget { nodes, memory, stop: stop.clone(), ..Budget::default() }, &mut ());
        if stop.is_pulled() {
            return Err(stopped());
        }
        let report = search.report();
        let reached = self.goal.and_then(|goal| reached(&report, goal));
        let mut strategy = None;
        if let (Some(goal), Some(reached), Some(folder), Some(_)) = (self.goal, reached, &self.folder, report.mover) {
            let side = ProofSide { at_least: reached, value: if reached { goal } else { goal - 1 } };
            let path = folder.join(format!("{id}.strategy"));
            let budget = Budget { memory, stop: stop.clone(), ..Budget::default() };
            search.write_side(side, ProofFile::new(&path)?, &budget, &mut ())?;
            strategy = Some(path);
        }
        Ok(Proved { report, reached, strategy })
    }

    fn with_goal(&self, objective: Objective) -> String {
        let Some(goal) = self.goal else { return self.algorithm.clone() };
        let goal = match (objective, goal) {
            (Objective::Gain, 1) => "win".to_owned(),
            (Objective::Gain, 0) => "draw".to_owned(),
            (_, goal) => goal.to_string(),
        };
        let separator = if self.algorithm.contains(':') { ',' } else { ':' };
        format!("{}{separator}goal={goal}", self.algorithm)
    }
}

/// Whether the first player gets at least so much, as far as it is proved.
fn reached(report: &Report, goal: i32) -> Option<bool> {
    let (lower, upper) = match (&report.value, &report.bounds) {
        (Some(value), _) => (value[0], value[0]),
        (None, Some(bounds)) => (bounds.lower[0], bounds.upper[0]),
        (None, None) => return None,
    };
    if lower >= goal {
        Some(true)
    } else if upper < goal {
        Some(false)
    } else {
        None
    }
}

/// A tournament as a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The game.
    pub game: String,
    /// The players, as on the command line.
    pub players: Vec<String>,
    /// Only the first player meets the others.
    #[serde(default)]
    pub gauntlet: bool,
    /// `orders`, `rotations` or `mixed`; what suits the game if none.
    #[serde(default)]
    pub seatings: Option<String>,
    /// `start`, `random:PLIES`, `all:PLIES` or `file:PATH`; what suits the game if none.
    #[serde(default)]
    pub openings: Option<String>,
    /// How many openings.
    #[serde(default)]
    pub rounds: Option<u32>,
    /// For everything left to chance.
    #[serde(default)]
    pub seed: u64,
    /// `gain` or `score`.
    #[serde(default = "gain")]
    pub objective: String,
    /// A game that takes more moves is a draw.
    #[serde(default = "longest")]
    pub longest: u32,
    /// Seconds that an engine may take beyond its limit.
    #[serde(default = "grace")]
    pub grace: f64,
}

impl Plan {
    /// The tournament, with all its games.
    pub fn tournament(&self) -> Result<Tournament, Error> {
        let players = self.players.iter().map(|text| PlayerSpec::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let named = |name: &String| {
            let all = [Seatings::Orders, Seatings::Rotations, Seatings::Mixed];
            let unknown = || Error::Request(format!("seatings must be orders, rotations or mixed, got \"{name}\""));
            all.into_iter().find(|s| s.name() == name).ok_or_else(unknown)
        };
        let conditions = Conditions {
            kind: if self.gauntlet { Kind::Gauntlet } else { Kind::RoundRobin },
            seatings: self.seatings.as_ref().map(named).transpose()?,
            openings: self.openings.as_deref().map(Openings::parse).transpose()?,
            rounds: self.rounds,
            seed: self.seed,
            rules: rules(&self.objective, self.longest, self.grace)?,
        };
        Tournament::new(&self.game, players, conditions)
    }
}

impl Tournament {
    /// The games that the store does not have yet, in the order in which they are played.
    pub fn left(&self, store: &Store) -> Result<Vec<Planned>, Error> {
        let played: std::collections::HashSet<String> = self.games(store)?.iter().map(|game| game.job.name()).collect();
        let left = self.jobs().iter().filter(|job| store.plays(job) && !played.contains(&job.name()));
        let planned = |job: &Job| Planned { job: job.clone(), opening: self.openings[job.round as usize].clone() };
        Ok(left.map(planned).collect())
    }

    /// These games as a piece of work.
    pub fn task(&self, games: Vec<Planned>) -> Games {
        Games {
            game: self.game().spec().to_owned(),
            players: self.players.iter().map(|player| player.text.clone()).collect(),
            objective: self.rules.objective.name().into(),
            longest: self.rules.longest,
            grace: self.rules.grace.as_secs_f64(),
            games,
        }
    }

    /// Commits games that were played elsewhere, each once; answers how many were new. Refuses a game that is not one
    /// of this tournament's.
    pub fn enter(&self, store: &mut Store, games: &[GameRecord]) -> Result<usize, Error> {
        let planned =
            |game: &GameRecord| self.place(&game.job.name()).is_some_and(|place| self.jobs()[place] == game.job);
        if let Some(game) = games.iter().find(|game| !planned(game)) {
            return Err(Error::Request(format!("the game {} is not one of this tournament", game.job.name())));
        }
        let id = self.begin(store)?;
        store.add_all(id, games)
    }
}
