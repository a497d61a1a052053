//! Players, and the texts that name them:
//!
//! ```text
//! ubfm:eval=heuristic,decision=safest@time=1s     an algorithm, its options, what a move may cost
//! alpha-beta:depth=6                              one that ends by itself
//! perfect                                         one that solves every position before it moves
//! uci:/usr/games/stockfish?Threads=1@nodes=5000   an engine, options for it, what a move may cost
//! gtp:gnugo --mode gtp --level 1
//! ```

use std::sync::Arc;
use std::time::{Duration, Instant};

use perfectplay_catalog::{Algorithm, AnyGame, AnyPosition, AnySearch, Setup};
use perfectplay_core::{Budget, Objective, Spec, Stop, StopHandle, TextError, parse_count, parse_duration, parse_size};

use crate::engine::{self, EngineSpec};
use crate::perfect::{self, Solved};
use crate::{Error, Opening};

/// Somebody who plays one game in one seat.
pub trait Player: Send {
    /// Name and version, as far as it tells.
    fn version(&self) -> String;
    /// The move in this position, in which it is to move.
    fn choose(&mut self, position: &dyn AnyPosition, stop: &StopHandle) -> Result<Choice, Fault>;
    /// A move was played, by whomever; `before` is the position in which.
    fn played(&mut self, before: &dyn AnyPosition, mv: &str) -> Result<(), Fault>;
}

/// A move and what it took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// In the game's notation.
    pub mv: String,
    /// Nodes created for it, if told.
    pub nodes: Option<u64>,
    /// How deep it looked, if told.
    pub depth: Option<u32>,
}

/// Why there is no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Somebody pulled the stop handle: the game does not count.
    Stopped,
    /// The player's own fault: it loses, for this reason.
    Lost(String),
}

/// What a move may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Nodes: does not depend on the machine.
    pub nodes: Option<u64>,
    /// Bytes held.
    pub memory: Option<usize>,
    /// Threads; one if not given. An engine is told in its own words.
    pub threads: Option<usize>,
}

/// Nodes per move if nothing else ends a search: quick, and the same everywhere.
const USUAL_NODES: u64 = 10_000;

/// A player as a text names it.
#[derive(Clone, Debug)]
pub struct PlayerSpec {
    /// As it was typed.
    pub text: String,
    kind: Kind,
    limits: Limits,
}

#[derive(Clone, Debug)]
enum Kind {
    Search(Algorithm),
    Engine(EngineSpec),
    Perfect(Arc<Solved>),
}

impl PlayerSpec {
    /// Reads `NAME[:OPTIONS][@LIMITS]`, `perfect`, `uci:COMMAND[?OPTIONS][@LIMITS]` or `gtp:COMMAND[@LIMITS]`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let bad = |reason: String| Error::Player { player: text.into(), reason };
        let (who, limits) = match text.rsplit_once('@') {
            Some((who, limits)) if limits.is_empty() || limits.contains('=') => (who, Some(limits)),
            Some((_, limits)) if !text.contains('/') => {
                return Err(bad(format!("after @ expected time=…, nodes=…, memory=… or threads=…, got \"{limits}\"")));
            }
            _ => (text, None),
        };
        let limits = limits.map(Limits::parse).transpose().map_err(bad)?;
        let kind = match who.split_once(':') {
            None if who == "perfect" && limits.is_some() => {
                return Err(bad("a perfect player takes what solving takes: leave the limits out".into()));
            }
            None if who == "perfect" => Kind::Perfect(Arc::default()),
            Some(("uci" | "gtp", _)) if limits.is_some_and(|limits| limits.threads.is_some()) => {
                return Err(bad("an engine is given threads by its own options, as in uci:COMMAND?Threads=2".into()));
            }
            Some(("uci" | "gtp", _)) => Kind::Engine(EngineSpec::parse(who).map_err(bad)?),
            _ => Kind::Search(Algorithm::parse(who).map_err(|error| bad(error.to_string()))?),
        };
        let unlimited = limits.unwrap_or_default();
        let limits = match &kind {
            // What looks to a given depth ends by itself.
            Kind::Search(algorithm) if unlimited.time.is_none() && unlimited.nodes.is_none() => {
                let by_itself = Spec::parse(&algorithm.text).is_ok_and(|mut s| s.params.take("depth").is_some());
                Limits { nodes: (!by_itself).then_some(USUAL_NODES), ..unlimited }
            }
            _ => unlimited,
        };
        Ok(PlayerSpec { text: text.into(), kind, limits })
    }

    /// What a move may cost.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The same player, whose moves cost no more than `most` either.
    #[must_use]
    pub fn within(mut self, most: &Limits) -> Self {
        fn least<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
            a.into_iter().chain(b).min()
        }
        let Limits { time, nodes, memory, threads } = self.limits;
        self.limits = Limits {
            time: least(time, most.time),
            nodes: least(nodes, most.nodes),
            memory: least(memory, most.memory),
            threads: least(threads, most.threads),
        };
        self
    }

    /// Sits down to play one game. An error here is a reason not to begin: the algorithm does not play this game, the
    /// engine does not start.
    pub fn sit(&self, table: &Seat<'_>) -> Result<Box<dyn Player>, String> {
        match &self.kind {
            Kind::Search(algorithm) => {
                let mut player = Searcher {
                    algorithm: algorithm.clone(),
                    limits: self.limits,
                    setup: Setup {
                        objective: table.objective,
                        seed: table.seed,
                        memory: self.limits.memory,
                        threads: self.limits.threads.unwrap_or(1),
                        ..Setup::default()
                    },
                    search: None,
                    nodes_before: 0,
                };
                let position = table.opening.reach(table.game).map_err(|error| error.to_string())?;
                // A refusal should be told before the first move.
                player.search = Some(position.search(algorithm, &player.setup).map_err(|error| error.to_string())?);
                Ok(Box::new(player))
            }
            Kind::Engine(spec) => engine::start(spec, self.limits, table),
            Kind::Perfect(solved) => perfect::sit(solved, table),
        }
    }
}

/// What a player is told when it sits down.
pub struct Seat<'a> {
    /// The game.
    pub game: &'a dyn AnyGame,
    /// Where it begins.
    pub opening: &'a Opening,
    /// For what is left to chance.
    pub seed: u64,
    /// What counts.
    pub objective: Objective,
    /// Ends everything early.
    pub stop: &'a StopHandle,
    /// What an engine may take beyond its time before it loses.
    pub grace: Duration,
}

impl Limits {
    fn parse(text: &str) -> Result<Self, String> {
        let mut limits = Limits::default();
        for part in text.split(',') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let understood = match name.trim() {
                "time" => parse_duration(value).map(|time| limits.time = Some(time)),
                "nodes" => parse_count(value).map(|nodes| limits.nodes = Some(nodes)),
                "memory" => parse_size(value).map(|bytes| limits.memory = Some(bytes)),
                "threads" => parse_threads(value).map(|threads| limits.threads = Some(threads)),
                _ => return Err(format!("after @ expected time=…, nodes=…, memory=… or threads=…, got \"{part}\"")),
            };
            understood.map_err(|error| format!("bad {}: {error}", name.trim()))?;
        }
        if limits.time.is_some_and(|time| time.is_zero()) || limits.nodes == Some(0) {
            return Err(format!("a move takes some time and nodes, so neither can be 0, as in \"{text}\""));
        }
        Ok(limits)
    }
}

fn parse_threads(text: &str) -> Result<usize, TextError> {
    match text.trim().parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err(TextError::new(format!("expected a number of threads from 1 to 1024, got \"{text}\""))),
    }
}

/// An algorithm of ours. Its tree is kept from move to move where it can be.
struct Searcher {
    algorithm: Algorithm,
    limits: Limits,
    setup: Setup,
    search: Option<Box<dyn AnySearch>>,
    nodes_before: u64,
}

impl Player for Searcher {
    fn version(&self) -> String {
        format!("perfectplay {}", env!("CARGO_PKG_VERSION"))
    }

    fn choose(&mut self, position: &dyn AnyPosition, stop: &StopHandle) -> Result<Choice, Fault> {
        let budget = Budget {
            time: self.limits.time,
            nodes: self.limits.nodes,
            memory: self.limits.memory,
            threads: self.setup.threads,
            stop: stop.clone(),
            ..Budget::default()
        };
        let search = match &mut self.search {
            Some(search) => search,
            None => {
                self.nodes_before = 0;
                let made = position.search(&self.algorithm, &self.setup);
                self.search.insert(made.map_err(|error| Fault::Lost(error.to_string()))?)
            }
        };
        let ended = search.run(&budget, &mut ());
        if stop.is_pulled() {
            return Err(Fault::Stopped);
        }
        let report = search.report();
        let nodes = report.nodes.saturating_sub(self.nodes_before);
        self.nodes_before = report.nodes;
        if ended == Stop::Memory {
            self.search = None; // the next move begins with an empty tree, not with a full one
        }
        let depth = report.counts.iter().find(|(name, _)| *name == "depth").map(|&(_, depth)| depth as u32);
        // A search that was given too little to look at anything still has to move.
        match report.best_move.or_else(|| position.moves().into_iter().next()) {
            Some(mv) => Ok(Choice { mv, nodes: Some(nodes), depth }),
            None => Err(Fault::Lost("it named no move within its limits".into())),
        }
    }

    fn played(&mut self, _: &dyn AnyPosition, mv: &str) -> Result<(), Fault> {
        let kept = self.search.as_mut().is_some_and(|search| search.advance(mv).unwrap_or(false));
        if !kept {
            self.search = None;
        }
        Ok(())
    }
}

/// How long something took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let result = work();
    (result, started.elapsed().as_secs_f64())
}
