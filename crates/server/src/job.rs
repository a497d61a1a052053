//! Jobs: what takes long. A thread each, which works in slices when its turn comes ([`crate::slots`]), so that many
//! pages share a few processors and each of them sees its search come on.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use perfectplay_arena::levels::Level;
use perfectplay_catalog::{
    Algorithm, AnySearch, GROWING, ProofFile, Report, Setup, built_in_book, default_analyst, default_player,
    default_solver, growing_in_words, growth_json, opponent,
};
use perfectplay_check::{Proof, Strategy, strategy};
use perfectplay_core::random::{SplitMix64, mix};
use perfectplay_core::{
    Budget, Growth, Objective, Observer, Progress, SolveStatus, Stop, StopHandle, TextError, parse_count,
    parse_duration, parse_size, seconds_text,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::{NamedTempFile, TempDir};
use tokio::sync::Notify;

use crate::games::{At, Games, Reached, TRAINING, with_trained_model};
use crate::limits::Limits;
use crate::session::{Pool, Session, Share};
use crate::slots::Slots;
use crate::tournament::Playing;
use crate::training::Training;

/// What a page asks for.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Ask {
    #[serde(flatten)]
    pub(crate) at: At,
    pub(crate) kind: Kind,
    /// The algorithm, or the way to learn; what suits the game and the question if none.
    pub(crate) with: Option<String>,
    #[serde(rename = "for")]
    objective: Option<String>,
    level: Option<u8>,
    pub(crate) time: Option<String>,
    nodes: Option<String>,
    memory: Option<String>,
    #[serde(default)]
    pub(crate) seed: u64,
    /// Of a solved position, also a proof.
    #[serde(default)]
    proof: bool,
    /// Of a tournament.
    #[serde(default)]
    pub(crate) players: Vec<String>,
    pub(crate) rounds: Option<u32>,
    /// Of a training: what is trained, how many games of self-play, and how many against each opponent of an exam.
    pub(crate) model: Option<String>,
    pub(crate) games: Option<String>,
    pub(crate) exam: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A machine's move.
    Move,
    /// What every move is worth.
    Analyse,
    /// What the position is worth.
    Solve,
    /// How a tree grows.
    Watch,
    /// Players against each other.
    Tournament,
    /// Learning to evaluate a game.
    Train,
}

/// A job, and what is known of it.
pub(crate) struct Job {
    pub(crate) stop: StopHandle,
    pub(crate) at: At,
    state: Mutex<State>,
    changed: Arc<Notify>,
    /// What the observer of a growing tree was told, a line each.
    growth: Mutex<Vec<String>>,
    proved: Mutex<Option<Proved>>,
    /// The file with what was learned.
    pub(crate) model: Mutex<Option<NamedTempFile>>,
}

#[derive(Default)]
struct State {
    version: u64,
    over: bool,
    told: Value,
}

/// A proof that was checked.
pub(crate) struct Proved {
    pub(crate) file: PathBuf,
    strategy: Box<dyn Strategy>,
    _folder: TempDir,
}

/// What a job may use of the server.
pub(crate) struct Means {
    pub(crate) slots: Arc<Slots>,
    /// For what works in longer turns.
    pub(crate) long_turns: Arc<Slots>,
    pub(crate) limits: Limits,
    pub(crate) memory: Arc<Pool>,
    /// Whose jobs may have trained a model.
    pub(crate) session: Arc<Session>,
}

impl Means {
    /// Memory of a job, until it is over.
    pub(crate) fn share(&self, bytes: usize) -> Result<Share, String> {
        let refusal = "all memory is lent to other searches: try again later, or with less";
        self.memory.take(bytes).ok_or_else(|| refusal.into())
    }
}

/// Short enough to stop at once, long enough to be worth the change of turns.
const FIRST_SLICE: Duration = Duration::from_millis(25);
const LONGEST_SLICE: Duration = Duration::from_millis(100);
/// Threads of searches have room for deep lines.
const STACK: usize = 16 << 20;
/// How much less pressing searches are than requests, as `nice` counts.
#[cfg(unix)]
const SEARCHES_WAIT: i32 = 5;
/// What a search may use if nothing is said.
const MOVE_MEMORY: usize = 32 << 20;
const USUAL_MEMORY: usize = 256 << 20;
const ANALYSIS_TIME: Duration = Duration::from_secs(5);
/// Nodes and bytes of a tree that is watched.
const WATCHED_NODES: u64 = 25_000;
const WATCHED_BYTES: usize = 48 << 20;

impl Job {
    /// The newest state, with its version; none before there is one.
    pub(crate) fn state(&self) -> Option<(u64, String)> {
        let state = self.state.lock().expect("nobody panics here");
        (state.version > 0).then(|| (state.version, state.told.to_string()))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.state.lock().expect("nobody panics here").over
    }

    /// Where the model is that it has trained.
    pub(crate) fn model_file(&self) -> Option<PathBuf> {
        self.model.lock().expect("nobody panics here").as_ref().map(|file| file.path().to_owned())
    }

    /// The lines of growth from this one on, at most so many.
    pub(crate) fn growth(&self, from: usize, most: usize) -> Vec<String> {
        let lines = self.growth.lock().expect("nobody panics here");
        lines.iter().skip(from).take(most).cloned().collect()
    }

    /// Something about its proof, if it has one.
    pub(crate) fn with_proof<T>(&self, look: impl FnOnce(&Proved) -> T) -> Option<T> {
        self.proved.lock().expect("nobody panics here").as_ref().map(look)
    }

    pub(crate) fn tell(&self, told: Value, over: bool) {
        let mut state = self.state.lock().expect("nobody panics here");
        *state = State { version: state.version + 1, over, told };
        drop(state);
        self.changed.notify_waiters();
    }
}

impl Proved {
    /// What the proof says to play in this position.
    pub(crate) fn choice(&self, position: &str) -> Option<String> {
        self.strategy.choice(position)
    }
}

/// Begins a job. What cannot be done is refused here, with a sentence.
pub(crate) fn begin(ask: Ask, means: Means, changed: Arc<Notify>) -> Result<Arc<Job>, String> {
    // A game of its own: what searches make it remember goes when they go.
    let reached = ask.at.reach(&Games::default())?;
    let work = Work::prepare(&ask, &reached, &means)?;
    let job = Arc::new(Job {
        stop: StopHandle::new(),
        at: ask.at.clone(),
        state: Mutex::default(),
        changed,
        growth: Mutex::default(),
        proved: Mutex::default(),
        model: Mutex::default(),
    });
    let mine = job.clone();
    let thread = thread::Builder::new().name("search".into()).stack_size(STACK).spawn(move || {
        // Whoever looks at a page comes before whoever searches.
        #[cfg(unix)]
        let _ = rustix::process::nice(SEARCHES_WAIT);
        let run = Run { ask, reached, means, job: &mine, started: Instant::now() };
        let done = catch_unwind(AssertUnwindSafe(|| run.work(work)));
        let error = match done {
            Ok(Ok(())) => return,
            Ok(Err(sentence)) => sentence,
            Err(_) => "the search broke off: this is a mistake in the program".into(),
        };
        mine.tell(json!({ "running": false, "error": error }), true);
    });
    thread.map_err(|error| format!("no thread could be started: {error}"))?;
    Ok(job)
}

/// What is to be done, checked as far as it can be beforehand.
enum Work {
    Search {
        search: Box<dyn AnySearch>,
        budget: Budget,
        _share: Share,
    },
    /// A move that is drawn, as weak players do now and then.
    Drawn(String),
    Tournament(Playing),
    Training(Box<Training>),
}

impl Work {
    fn prepare(ask: &Ask, reached: &Reached, means: &Means) -> Result<Self, String> {
        match ask.kind {
            Kind::Tournament => Playing::prepare(ask, reached, means).map(Work::Tournament),
            Kind::Train => Training::prepare(ask, reached, means).map(|training| Work::Training(Box::new(training))),
            Kind::Move => match drawn(ask, reached) {
                Some(mv) => Ok(Work::Drawn(mv)),
                None => searching(ask, reached, means),
            },
            _ => searching(ask, reached, means),
        }
    }
}

fn searching(ask: &Ask, reached: &Reached, means: &Means) -> Result<Work, String> {
    let facts = reached.game.facts();
    let name = match (&ask.with, ask.kind) {
        (Some(name), _) if !name.trim().is_empty() => name.as_str(),
        (_, Kind::Move) => default_player(&ask.at.game).unwrap_or_else(|| opponent(&ask.at.game, &facts)),
        (_, Kind::Analyse) => default_analyst(&facts),
        (_, Kind::Watch) => GROWING[0].name,
        _ => default_solver(&facts),
    };
    // The program may name any model, visitors only those that they have trained.
    let named = match ask.with.as_deref() {
        Some(with) if with == name => with_trained_model(name, |training| means.session.job(training)?.model_file())?,
        _ => name.to_owned(),
    };
    let algorithm = Algorithm::parse(&named).map_err(|error| error.to_string())?;
    let objective = match ask.objective.as_deref() {
        None | Some("") => Objective::Gain,
        Some(name) => {
            let refusal = || format!("\"{name}\" is no objective: {}", Objective::names_in_words());
            Objective::parse(name).ok_or_else(refusal)?
        }
    };
    let budget = budget(ask, &means.limits)?;
    let bytes = budget.memory.unwrap_or(USUAL_MEMORY);
    let share = means.share(bytes)?;
    let setup =
        Setup { objective, seed: ask.seed, memory: Some(bytes), exact: ask.kind == Kind::Solve, ..Setup::default() };
    // A book that comes with the program answers at once, for those who name no algorithm.
    let unnamed = ask.with.as_deref().is_none_or(|name| name.trim().is_empty()) && !ask.proof;
    let book = if unnamed { built_in_book(&*reached.game) } else { None };
    let answer = book.and_then(|book| reached.now.ask_book(&book, objective));
    let all = |search: &dyn AnySearch| search.report().moves.iter().all(|m| m.resolved);
    let answer = answer.filter(|search| ask.kind == Kind::Solve || ask.kind == Kind::Analyse && all(&**search));
    let search = match answer {
        Some(search) => search,
        None => reached.now.search(&algorithm, &setup).map_err(|error| error.to_string())?,
    };
    if ask.kind == Kind::Watch && !search.grows() {
        return Err(format!("{name} does not show how a tree grows: watch {}", growing_in_words()));
    }
    if ask.proof {
        search.can_prove().map_err(|error| error.to_string())?;
    }
    Ok(Work::Search { search, budget, _share: share })
}

/// What was typed, read; none if the field was left empty.
pub(crate) fn given<T>(
    text: &Option<String>,
    read: impl FnOnce(&str) -> Result<T, TextError>,
) -> Result<Option<T>, String> {
    let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    text.map(read).transpose().map_err(|error| error.to_string())
}

/// Nobody gets less than was asked for without a word.
pub(crate) fn refuse_more<T: PartialOrd>(
    flag: &str,
    asked: Option<T>,
    most: T,
    text: impl Fn(T) -> String,
) -> Result<(), String> {
    match asked {
        Some(asked) if asked > most => {
            let (asked, most) = (text(asked), text(most));
            Err(format!("{asked} is more than the {most} that a search may have here (`perfectplay serve {flag}`)"))
        }
        _ => Ok(()),
    }
}

fn budget(ask: &Ask, limits: &Limits) -> Result<Budget, String> {
    let time = given(&ask.time, parse_duration)?;
    let nodes = given(&ask.nodes, parse_count)?;
    let memory = given(&ask.memory, parse_size)?;
    refuse_more("--time", time, limits.time, |time| seconds_text(time.as_secs_f64()))?;
    refuse_more("--search-memory", memory, limits.search_memory, |bytes| format!("{} MiB", bytes >> 20))?;
    if ask.kind == Kind::Watch && nodes > Some(WATCHED_NODES) {
        return Err(format!("a tree that is watched has at most {WATCHED_NODES} states"));
    }
    let mut budget = Budget { time, nodes, ..Budget::default() };
    match ask.kind {
        Kind::Move if time.is_none() && nodes.is_none() => {
            budget = Level::number(ask.level.unwrap_or(perfectplay_arena::levels::USUAL)).limit(budget);
        }
        Kind::Analyse if time.is_none() && nodes.is_none() => budget.time = Some(ANALYSIS_TIME),
        Kind::Watch => budget.nodes = Some(nodes.unwrap_or(WATCHED_NODES).min(WATCHED_NODES)),
        _ => {}
    }
    let usual = if ask.kind == Kind::Move { MOVE_MEMORY } else { USUAL_MEMORY };
    budget.memory = Some(memory.unwrap_or(usual).min(limits.search_memory));
    budget.time = Some(budget.time.unwrap_or(limits.time).min(limits.time));
    Ok(budget)
}

/// The move of a level that plays at random now and then.
fn drawn(ask: &Ask, reached: &Reached) -> Option<String> {
    if ask.time.is_some() || ask.nodes.is_some() {
        return None;
    }
    let level = Level::number(ask.level?);
    let moves = reached.now.moves();
    let mut dice = SplitMix64::new(mix(ask.seed ^ mix(ask.at.moves.len() as u64)));
    let drawn = moves.get(dice.below(moves.len().max(1)))?.clone();
    (dice.below(100) < level.random).then_some(drawn)
}

/// A job at work.
pub(crate) struct Run<'a> {
    pub(crate) ask: Ask,
    reached: Reached,
    pub(crate) means: Means,
    pub(crate) job: &'a Job,
    pub(crate) started: Instant,
}

impl Run<'_> {
    fn work(&self, work: Work) -> Result<(), String> {
        match work {
            Work::Drawn(mv) => self.job.tell(json!({ "running": false, "move": mv }), true),
            Work::Search { mut search, budget, _share } => {
                let stop = self.slices(&mut *search, &budget);
                if self.ask.proof && stop != Stop::Cancelled && search.report().status == SolveStatus::Solved {
                    return self.prove(&mut *search, &budget);
                }
                self.job.tell(self.told(&search.report(), false, None), true);
            }
            Work::Tournament(playing) => return playing.run(self),
            Work::Training(training) => return training.run(self),
        }
        Ok(())
    }

    /// Spends a budget in turns with other jobs.
    fn slices(&self, search: &mut dyn AnySearch, budget: &Budget) -> Stop {
        let (mut slice, mut spent) = (FIRST_SLICE, Duration::ZERO);
        let mut watcher = Watcher { job: self.job, watches: self.ask.kind == Kind::Watch, bytes: 0, progress: None };
        let whole = budget.time.unwrap_or(self.means.limits.time);
        loop {
            let nodes = budget.nodes.map(|nodes| nodes.saturating_sub(budget.ledger.spent()));
            if nodes == Some(0) {
                search.stopped(Stop::Nodes);
                return Stop::Nodes;
            }
            let turn = self.means.slots.wait();
            if self.job.stop.is_pulled() {
                search.stopped(Stop::Cancelled);
                return Stop::Cancelled;
            }
            let began = Instant::now();
            let time = Some(slice.min(whole.saturating_sub(spent)));
            let part = Budget { time, nodes, stop: self.job.stop.clone(), ..budget.clone() };
            let stop = search.run(&part, &mut watcher);
            spent += began.elapsed();
            drop(turn);
            if stop != Stop::Time || spent >= whole || watcher.bytes > WATCHED_BYTES {
                return stop;
            }
            slice = (slice * 3 / 2).min(LONGEST_SLICE);
            self.job.tell(self.told(&search.report(), true, watcher.progress), false);
        }
    }

    /// What the page hears.
    fn told(&self, report: &Report, running: bool, progress: Option<Progress>) -> Value {
        let mut report = report.clone();
        report.best_moves_first();
        // Where a model lies is nobody's business.
        if let Some(with) = self.ask.with.as_ref().filter(|with| with.contains(TRAINING)) {
            report.algorithm = with.clone();
        }
        let mut told = json!({
            "running": running,
            "verdict": report.verdict(),
            "report": report,
            "elapsed": self.started.elapsed().as_secs_f64(),
        });
        if let Some(progress) = progress {
            told["progress"] = json!({ "share": progress.share, "depth": progress.depth });
        }
        if self.ask.kind == Kind::Watch {
            told["lines"] = self.job.growth.lock().expect("nobody panics here").len().into();
        }
        if self.ask.kind == Kind::Move && !running {
            // A search that was cut off before it looked at any move names none.
            told["move"] = report.best_move.clone().or_else(|| self.reached.now.moves().into_iter().next()).into();
        }
        told
    }

    /// Writes the proof, and checks it by the rules alone.
    fn prove(&self, search: &mut dyn AnySearch, budget: &Budget) -> Result<(), String> {
        self.phase(search, "writing the proof", Value::Null, false);
        let folder = TempDir::new().map_err(|error| format!("no room for a proof: {error}"))?;
        let path = folder.path().join("proof");
        let turn = self.means.slots.wait();
        let part = Budget { stop: self.job.stop.clone(), ..budget.clone() };
        let file = ProofFile::new(&path).map_err(|error| error.to_string())?;
        let written = search.write_proof(file, &part, &mut ()).map_err(|error| error.to_string())?;
        drop(turn);
        let about = json!({ "bytes": written.bytes, "states": written.states, "seconds": written.seconds });
        self.phase(search, "checking the proof by the rules alone", about.clone(), false);
        let turn = self.means.slots.wait();
        let began = Instant::now();
        let checked = strategy(&path, self.means.limits.search_memory, &mut Stopper(&self.job.stop));
        drop(turn);
        let (proof, strategy) = checked.map_err(|error| format!("the proof was refused: {error}"))?;
        let proved = Proved { file: path, strategy, _folder: folder };
        *self.job.proved.lock().expect("nobody panics here") = Some(proved);
        self.phase(search, "proved", proof_json(&proof, about, began.elapsed()), true);
        Ok(())
    }

    /// How far a proof has come.
    fn phase(&self, search: &dyn AnySearch, phase: &str, proof: Value, over: bool) {
        let mut told = self.told(&search.report(), !over, None);
        told["phase"] = phase.into();
        told["proof"] = proof;
        self.job.tell(told, over);
    }
}

fn proof_json(proof: &Proof, mut about: Value, took: Duration) -> Value {
    let parts = proof
        .parts
        .iter()
        .map(|part| json!({ "part": part.part.name(), "states": part.states, "moves": part.moves, "ends": part.ends }));
    about["verdict"] = proof.value_in_words().into();
    about["statements"] = proof.sentences().into();
    about["parts"] = parts.collect();
    about["checked_in"] = took.as_secs_f64().into();
    about
}

/// Writes down how a tree grows, and how far a search has come.
struct Watcher<'a> {
    job: &'a Job,
    watches: bool,
    bytes: usize,
    progress: Option<Progress>,
}

impl Observer for Watcher<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.progress = Some(*progress);
        ControlFlow::Continue(())
    }

    fn wants_growth(&self) -> bool {
        self.watches
    }

    fn growth(&mut self, growth: &Growth) -> ControlFlow<()> {
        let line = growth_json(growth).to_string();
        self.bytes += line.len();
        self.job.growth.lock().expect("nobody panics here").push(line);
        if self.bytes > WATCHED_BYTES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Ends the checking of a proof.
struct Stopper<'a>(&'a StopHandle);

impl Observer for Stopper<'_> {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        if self.0.is_pulled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
