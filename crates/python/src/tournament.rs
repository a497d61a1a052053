//! Tournaments in the same store as the command line's, and work as texts.

use std::path::PathBuf;
use std::sync::Mutex;

use perfectplay_arena::stats::Sprt;
use perfectplay_arena::{End, GameRecord, Plan, Report, RunOptions, Shard, Store};
use perfectplay_core::StopHandle;
use perfectplay_jobs::Task;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::errors::{guarded, value_error};
use crate::work::{Snapshot, Watch};

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}

/// Does the work that this text describes; answers what `perfectplay job run` prints. `model` is what the file of a
/// self-play's model holds, if it is not to be read.
#[pyfunction]
#[pyo3(signature = (spec, model=None))]
pub(crate) fn run_job(py: Python<'_>, spec: &str, model: Option<&[u8]>) -> PyResult<String> {
    let task = task(spec)?;
    let (stop, snapshot) = (StopHandle::new(), Snapshot::default());
    let watch = Watch { stop: &stop, tell: None, snapshot: &snapshot, custom: None };
    let result = watch.run(py, || task.run(model, &stop))?;
    result.map(|result| json(&result)).map_err(value_error)
}

/// The id of the work that this text describes.
#[pyfunction]
pub(crate) fn job_id(spec: &str) -> PyResult<String> {
    task(spec).map(|task| task.id())
}

fn task(spec: &str) -> PyResult<Task> {
    serde_json::from_str(spec).map_err(|error| value_error(format!("this is no job: {error}")))
}

/// What a job with games answers.
#[derive(Deserialize)]
struct Played {
    games: Vec<GameRecord>,
}

/// A tournament: its games and the store that has those that were played.
#[pyclass(frozen, module = "perfectplay._native")]
pub(crate) struct Tournament {
    tournament: perfectplay_arena::Tournament,
    store: Mutex<Store>,
}

#[pymethods]
impl Tournament {
    #[new]
    #[pyo3(signature = (plan, store=None, shard=None))]
    fn new(plan: &str, store: Option<PathBuf>, shard: Option<&str>) -> PyResult<Self> {
        guarded(|| {
            let plan: Plan =
                serde_json::from_str(plan).map_err(|error| value_error(format!("this is no tournament: {error}")))?;
            let tournament = plan.tournament().map_err(value_error)?;
            let shard = shard.map(|text| text.parse::<Shard>().map_err(value_error)).transpose()?;
            let mut store = store.map_or_else(Store::in_memory, |file| Store::open(&file)).map_err(value_error)?;
            store.only(shard.unwrap_or(Shard::WHOLE));
            Ok(Tournament { tournament, store: Mutex::new(store) })
        })
    }

    /// The games that are not played yet, as JSON.
    fn left(&self) -> PyResult<String> {
        let store = self.store()?;
        guarded(|| Ok(json(&self.tournament.left(&store).map_err(value_error)?)))
    }

    /// These games, as `left` gave them, as the text of a job.
    fn job(&self, games: &str) -> PyResult<String> {
        let games = serde_json::from_str(games).map_err(|error| value_error(format!("these are no games: {error}")))?;
        Ok(json(&Task::Games(self.tournament.task(games))))
    }

    /// Enters the games that a job has answered, each once; answers how many were new.
    fn enter(&self, result: &str) -> PyResult<usize> {
        let played: Played =
            serde_json::from_str(result).map_err(|error| value_error(format!("these are no games: {error}")))?;
        let mut store = self.store()?;
        guarded(|| self.tournament.enter(&mut store, &played.games).map_err(value_error))
    }

    /// Lets every player sit down once, and refuses those that cannot.
    fn check(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let (stop, snapshot) = (StopHandle::new(), Snapshot::default());
        let watch = Watch { stop: &stop, tell: None, snapshot: &snapshot, custom: None };
        watch.run(py, || self.tournament.check(&stop))?.map_err(value_error)
    }

    /// Plays all that is left; `tell` hears how many games there are and how many there will be.
    #[pyo3(signature = (threads=None, sprt=None, restart=false, tell=None))]
    fn run(
        &self,
        py: Python<'_>,
        threads: Option<usize>,
        sprt: Option<&str>,
        restart: bool,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let stop = StopHandle::new();
        let sprt = sprt.map(|text| text.parse::<Sprt>().map_err(|error| value_error(format!("bad sprt: {error}"))));
        let options = RunOptions { threads, stop: stop.clone(), sprt: sprt.transpose()?, restart };
        let snapshot = Snapshot::default();
        let watch = Watch { stop: &stop, tell: tell.as_ref(), snapshot: &snapshot, custom: None };
        let mut store = self.store()?;
        let (store, mut seen) = (&mut *store, snapshot.clone());
        let ended = watch.run(py, || {
            self.tournament.run(store, &options, &mut |progress| {
                let share = Some(progress.done as f64 / progress.total.max(1) as f64);
                let told = perfectplay_core::Progress { nodes: progress.done as u64, bytes: 0, share, depth: None };
                let _ = perfectplay_core::Observer::progress(&mut seen, &told);
            })
        })?;
        let end = ended.map_err(value_error)?;
        guarded(|| self.told(store, Some(end), options.sprt))
    }

    /// What the games mean so far.
    fn report(&self) -> PyResult<String> {
        let store = self.store()?;
        guarded(|| self.told(&store, None, None))
    }
}

impl Tournament {
    fn store(&self) -> PyResult<std::sync::MutexGuard<'_, Store>> {
        self.store.try_lock().map_err(|_| value_error("the tournament is running on another thread"))
    }

    fn told(&self, store: &Store, end: Option<End>, sprt: Option<Sprt>) -> PyResult<String> {
        let (tournament, games) = (&self.tournament, self.tournament.games(store).map_err(value_error)?);
        let mut report = Report::new(tournament.game().spec(), &tournament.labels(), &games, tournament.objective());
        let left = tournament.left(store).map_err(value_error)?.len();
        report.planned = Some(games.len() + left);
        report.status = Some(end.unwrap_or(if left == 0 { End::Complete } else { End::Stopped }));
        report.sprt = sprt.map(|test| tournament.sequential(&test, &games));
        Ok(json(&report))
    }
}
