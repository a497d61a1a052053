//! A tournament: all its games, played on several threads, each game a pure function of its seed (if its players are),
//! committed one by one.

use std::collections::HashMap;
use std::sync::mpsc;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use perfectplay_catalog::{AnyGame, open};
use perfectplay_core::{Objective, StopHandle};
use serde::Serialize;
use serde_json::json;

use crate::match_play::{GameRecord, Rules, play_game};
use crate::player::{PlayerSpec, Seat};
use crate::schedule::{Job, Kind, Seatings, jobs};
use crate::stats::{Sample, Sprt, SprtState, Verdict};
use crate::store::Store;
use crate::{Error, Opening, Openings, Table};

/// Rounds if nobody says how many and openings have no end.
const USUAL_ROUNDS: u32 = 10;

/// How a tournament is played.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// Who meets whom.
    pub kind: Kind,
    /// Who sits where; what suits the game if none.
    pub seatings: Option<Seatings>,
    /// Where games begin; what suits the game if none.
    pub openings: Option<Openings>,
    /// How many openings are played; all there are, or ten, if none.
    pub rounds: Option<u32>,
    /// For everything left to chance.
    pub seed: u64,
    /// What holds for every game.
    pub rules: Rules,
}

/// Players, a game, and all the games to be played.
pub struct Tournament {
    game: Box<dyn AnyGame>,
    pub(crate) players: Vec<PlayerSpec>,
    pub(crate) openings: Vec<Opening>,
    jobs: Vec<Job>,
    pub(crate) rules: Rules,
    key: String,
    /// Places among the jobs, by name; made when somebody asks.
    places: OnceLock<HashMap<String, usize>>,
}

/// How to run it.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Games at the same time; as many as there are cores if none.
    pub threads: Option<usize>,
    /// Ends it early; games under way do not count.
    pub stop: StopHandle,
    /// Stop as soon as this test is decided (two players).
    pub sprt: Option<Sprt>,
    /// Forget the games played before.
    pub restart: bool,
}

/// Told after every game.
pub struct Progress<'a> {
    /// Games played, those of earlier runs included.
    pub done: usize,
    /// Games to be played in all.
    pub total: usize,
    /// All games so far.
    pub games: &'a [GameRecord],
    /// The test, if there is one.
    pub sprt: Option<SprtState>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// All games are played.
    Complete,
    /// The test is decided.
    Decided,
    /// Somebody pulled the stop handle.
    Stopped,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            End::Complete => "complete",
            End::Decided => "decided",
            End::Stopped => "stopped",
        })
    }
}

impl Tournament {
    /// Plans a tournament. Engines are not started yet: see [`Tournament::check`].
    pub fn new(game: &str, players: Vec<PlayerSpec>, conditions: Conditions) -> Result<Self, Error> {
        let opened = open(game)?;
        let seats = opened.facts().players;
        if players.len() < 2 {
            return Err(Error::Request("a tournament needs two players or more".into()));
        }
        let seatings = conditions.seatings.unwrap_or_else(|| Seatings::usual(seats, players.len()));
        if seatings != Seatings::Mixed && players.len() < seats {
            return Err(Error::Request(format!(
                "{game} has {seats} seats, and {} players cannot fill them once each: use mixed seatings",
                players.len()
            )));
        }
        if conditions.rules.longest == 0 {
            return Err(Error::Request("games need at least one move".into()));
        }
        let openings = conditions.openings.clone().unwrap_or_else(|| Openings::usual(&*opened));
        let list = openings.list(&*opened, conditions.rounds, USUAL_ROUNDS, conditions.seed)?;
        let jobs = jobs(conditions.kind, seatings, players.len(), seats, list.len() as u32, conditions.seed);
        // Everything that decides which games these are, but not how many: more rounds go on with the same tournament.
        let key = json!({
            "game": game,
            "players": players.iter().map(|p| &p.text).collect::<Vec<_>>(),
            "kind": conditions.kind.name(),
            "seatings": seatings.name(),
            "openings": identity(&openings),
            "seed": conditions.seed,
            "objective": conditions.rules.objective.name(),
            "longest": conditions.rules.longest,
            "version": env!("CARGO_PKG_VERSION"),
        });
        let key = key.to_string();
        Ok(Tournament {
            game: opened,
            players,
            openings: list,
            jobs,
            rules: conditions.rules,
            key,
            places: OnceLock::new(),
        })
    }

    /// A tournament whose games somebody else has planned: the round of a job is the number of its opening. `name`
    /// stands for all that decides which games these are beside the game, the players and the rules.
    pub fn with_jobs(
        game: &str,
        players: Vec<PlayerSpec>,
        openings: Vec<Opening>,
        jobs: Vec<Job>,
        rules: Rules,
        name: &str,
    ) -> Result<Self, Error> {
        let opened = open(game)?;
        let seats = opened.facts().players;
        let fits = |job: &Job| {
            job.seating.len() == seats
                && job.seating.iter().all(|&p| p < players.len())
                && (job.round as usize) < openings.len()
        };
        if !jobs.iter().all(fits) {
            return Err(Error::Request(format!("a planned game does not fit {game}")));
        }
        let key = json!({
            "game": game,
            "players": players.iter().map(|p| &p.text).collect::<Vec<_>>(),
            "plan": name,
            "objective": rules.objective.name(),
            "longest": rules.longest,
            "version": env!("CARGO_PKG_VERSION"),
        });
        let (key, places) = (key.to_string(), OnceLock::new());
        Ok(Tournament { game: opened, players, openings, jobs, rules, key, places })
    }

    /// The game.
    pub fn game(&self) -> &dyn AnyGame {
        &*self.game
    }

    /// All games there are to play.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// Leaves out what was played elsewhere.
    pub(crate) fn leave_out(&mut self, played: impl Fn(&Job) -> bool) {
        self.jobs.retain(|job| !played(job));
        self.places = OnceLock::new();
    }

    /// The place among the jobs of the one with this name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places.get_or_init(|| self.jobs.iter().map(Job::name).zip(0..).collect()).get(name).copied()
    }

    /// What is compared.
    pub fn objective(&self) -> Objective {
        self.rules.objective
    }

    /// A name per player; one that is given twice gets a number.
    pub fn labels(&self) -> Vec<String> {
        let texts: Vec<&String> = self.players.iter().map(|p| &p.text).collect();
        texts
            .iter()
            .enumerate()
            .map(|(i, text)| match texts[..i].iter().filter(|t| t == &text).count() {
                0 => text.to_string(),
                before => format!("{text} #{}", before + 1),
            })
            .collect()
    }

    /// Lets every player sit down once: engines are started, algorithms look at the game. Answers what the players call
    /// themselves.
    pub fn check(&self, stop: &StopHandle) -> Result<Vec<String>, Error> {
        let opening = &self.openings[0];
        let (game, rules) = (&*self.game, &self.rules);
        let seat = Seat { game, opening, seed: 0, objective: rules.objective, stop, grace: rules.grace };
        let sit = |player: &PlayerSpec| {
            let sitting = player.sit(&seat);
            sitting.map(|p| p.version()).map_err(|reason| Error::Player { player: player.text.clone(), reason })
        };
        self.players.iter().map(sit).collect()
    }

    /// The number of this tournament in the store.
    pub(crate) fn begin(&self, store: &mut Store) -> Result<i64, Error> {
        let players: Vec<(String, String)> =
            self.labels().into_iter().zip(self.players.iter().map(|p| p.text.clone())).collect();
        store.enter(&self.key, self.game.spec(), self.rules.objective, &players)
    }

    /// The games of this tournament in the store, in the order of [`Tournament::jobs`].
    pub fn games(&self, store: &Store) -> Result<Vec<GameRecord>, Error> {
        let Some(id) = store.find(&self.key)? else { return Ok(Vec::new()) };
        self.stored(store, id)
    }

    /// Those of the stored games that belong to this plan: an earlier one may have had more rounds.
    fn stored(&self, store: &Store, id: i64) -> Result<Vec<GameRecord>, Error> {
        let mut games: Vec<(usize, GameRecord)> = Vec::new();
        for game in store.games(id)? {
            if let Some(place) = self.place(&game.job.name()) {
                games.push((place, game));
            }
        }
        games.sort_by_key(|&(place, _)| place);
        Ok(games.into_iter().map(|(_, game)| game).collect())
    }

    /// The table of the games in the store.
    pub fn table(&self, store: &Store) -> Result<Table, Error> {
        Ok(Table::for_objective(&self.labels(), &self.games(store)?, self.rules.objective))
    }

    /// Plays all games that the store does not have yet, and commits each of them. `on_game` hears of every game, and
    /// once at the beginning.
    pub fn run(
        &self,
        store: &mut Store,
        options: &RunOptions,
        on_game: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<End, Error> {
        if options.sprt.is_some() && (self.players.len() != 2 || self.game.facts().players != 2) {
            return Err(Error::Request("a sequential test needs two players and a game for two".into()));
        }
        let id = self.begin(store)?;
        if options.restart {
            store.clear(id)?;
        }
        let done = store.done(id)?;
        let mut games = self.stored(store, id)?;
        let ours = |job: &&Job| store.plays(job) && !done.contains(&job.name());
        let left: Vec<&Job> = self.jobs.iter().filter(ours).collect();
        let total = self.jobs.iter().filter(|job| store.plays(job) || done.contains(&job.name())).count();
        let sprt = |games: &[GameRecord]| options.sprt.map(|test| self.sequential(&test, games));
        let mut state = sprt(&games);
        on_game(&Progress { done: games.len(), total, games: &games, sprt: state });
        if decided(state) {
            return Ok(End::Decided);
        }
        if left.is_empty() {
            return Ok(End::Complete);
        }
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = options.threads.unwrap_or_else(cores).clamp(1, left.len());
        // Pulled by us as well as by the user.
        let stop = StopHandle::new();
        let queue = Mutex::new(left.into_iter());
        let (sender, results) = mpsc::channel();
        let mut failure = None;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, queue, stop) = (sender.clone(), &queue, stop.clone());
                scope.spawn(move || {
                    while !stop.is_pulled() && !options.stop.is_pulled() {
                        let Some(job) = queue.lock().expect("nobody panics while holding it").next() else { break };
                        let opening = &self.openings[job.round as usize];
                        let result = play_game(&*self.game, &self.players, opening, job, &self.rules, &stop);
                        if sender.send(result).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            loop {
                let result = match results.recv_timeout(Duration::from_millis(20)) {
                    Ok(result) => result,
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        if options.stop.is_pulled() {
                            stop.pull();
                        }
                        continue;
                    }
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                };
                let committed = result.and_then(|game| match game {
                    Some(game) => store.add(id, &game).map(|new| new.then_some(game)),
                    None => Ok(None),
                });
                match committed {
                    Ok(Some(game)) => games.push(game),
                    Ok(None) => continue,
                    Err(error) => {
                        failure.get_or_insert(error);
                        stop.pull();
                        continue;
                    }
                }
                state = sprt(&games);
                on_game(&Progress { done: games.len(), total, games: &games, sprt: state });
                if decided(state) || options.stop.is_pulled() {
                    stop.pull();
                }
            }
        });
        match failure {
            Some(error) => Err(error),
            None if decided(state) => Ok(End::Decided),
            None if self.games(store)?.len() < total => Ok(End::Stopped),
            None => Ok(End::Complete),
        }
    }

    /// The test after the longest beginning of the plan whose games are all played: how fast which thread was does not
    /// matter to it.
    pub fn sequential(&self, test: &Sprt, games: &[GameRecord]) -> SprtState {
        let points: std::collections::HashMap<String, f64> = games
            .iter()
            .map(|game| {
                let seat = usize::from(game.job.seating[0] != 0);
                (game.job.name(), game.duel(seat, 1 - seat, self.rules.objective))
            })
            .collect();
        let mut counts = [0; 5];
        let mut state = test.state(&Sample::pentanomial(counts));
        for pair in self.jobs.chunks(2) {
            let Some(sum) = pair.iter().map(|job| points.get(&job.name())).sum::<Option<f64>>() else { break };
            counts[(sum * 2.0).round() as usize] += 1;
            state = test.state(&Sample::pentanomial(counts));
            if decided(Some(state)) {
                break;
            }
        }
        state
    }
}

fn decided(state: Option<SprtState>) -> bool {
    state.is_some_and(|state| state.verdict != Verdict::Open)
}

/// Openings from a file are what the file says, not what it is called.
fn identity(openings: &Openings) -> String {
    match openings {
        Openings::File(path) => std::fs::read_to_string(path).unwrap_or_default(),
        other => other.text(),
    }
}
