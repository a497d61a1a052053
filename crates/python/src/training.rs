//! Learning: the runs of `perfectplay train`, here or with games that are played elsewhere.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use perfectplay_core::{Observer, Progress, StopHandle};
use perfectplay_jobs::Task;
use perfectplay_learn::{Count, Listener, Request, SelfPlayed};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{guarded, value_error};
use crate::game::time_limit;
use crate::work::{Snapshot, Watch};

/// A run of `perfectplay train`.
#[pyclass(frozen, module = "perfectplay._native")]
pub(crate) struct Training {
    training: Mutex<perfectplay_learn::Training>,
    games: Option<u64>,
    seconds: Option<f64>,
}

#[pymethods]
impl Training {
    #[new]
    #[pyo3(signature = (game, model=None, method=None, seed=None, out=None, resume=None, games=None, seconds=None,
                        exam=0, log=None, record=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        game: String,
        model: Option<String>,
        method: Option<String>,
        seed: Option<u64>,
        out: Option<PathBuf>,
        resume: Option<PathBuf>,
        games: Option<u64>,
        seconds: Option<f64>,
        exam: u64,
        log: Option<PathBuf>,
        record: Option<PathBuf>,
    ) -> PyResult<Self> {
        let time = time_limit(seconds)?;
        let request = Request { game, model, method, seed, out, resume, games, time, exam, log, record };
        let (stop, snapshot) = (StopHandle::new(), Snapshot::default());
        let watch = Watch { stop: &stop, tell: None, snapshot: &snapshot, custom: None };
        let training = watch.run(py, || perfectplay_learn::Training::new(request))?.map_err(value_error)?;
        Ok(Training { training: Mutex::new(training), games, seconds })
    }

    /// Plays and learns here until a limit is reached. Stopped early, the run is saved.
    #[pyo3(signature = (threads=1, tell=None))]
    fn learn(&self, py: Python<'_>, threads: usize, tell: Option<Py<PyAny>>) -> PyResult<()> {
        self.watched(py, tell.as_ref(), |training, stop, seen| training.learn(Some(threads), stop, seen))
    }

    /// The file of the run as it is now, and the hash that jobs know it by.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, String)> {
        let (bytes, hash) = self.lock()?.snapshot();
        Ok((PyBytes::new(py, &bytes), hash))
    }

    /// Games of self-play by the model with this hash as the text of a job: at most so many, and so many after the next
    /// one to be learned; none if there are enough.
    fn job(&self, model: &str, after: u64, games: u64) -> PyResult<Option<String>> {
        let task = self.lock()?.task(model, after, games).map(Task::SelfPlay);
        Ok(task.map(|task| serde_json::to_string(&task).expect("plain data")))
    }

    /// Learns from what jobs have answered, in the order of their games, which took so many seconds; says whether the
    /// run has ended.
    #[pyo3(signature = (results, seconds, tell=None))]
    fn enter(&self, py: Python<'_>, results: Vec<String>, seconds: f64, tell: Option<Py<PyAny>>) -> PyResult<bool> {
        let read = |text: &String| serde_json::from_str::<SelfPlayed>(text);
        let results: Result<Vec<_>, _> = results.iter().map(read).collect();
        let results = results.map_err(|error| value_error(format!("these are no games of self-play: {error}")))?;
        self.watched(py, tell.as_ref(), |training, stop, seen| training.enter(&results, seconds, stop, seen))
    }

    /// Writes the file.
    fn save(&self) -> PyResult<()> {
        guarded(|| self.lock()?.save().map_err(value_error))
    }

    /// Writes the model for use elsewhere.
    fn export(&self, file: PathBuf) -> PyResult<()> {
        guarded(|| self.lock()?.export(&file).map_err(value_error))
    }

    /// Writes a page with curves.
    fn report(&self, file: PathBuf) -> PyResult<()> {
        guarded(|| self.lock()?.report(&file).map_err(value_error))
    }

    /// What `train --json` prints.
    fn document(&self) -> PyResult<String> {
        Ok(self.lock()?.document().to_string())
    }
}

impl Training {
    fn lock(&self) -> PyResult<MutexGuard<'_, perfectplay_learn::Training>> {
        self.training.try_lock().map_err(|_| value_error("the run is learning on another thread"))
    }

    fn watched<T: Send, W>(&self, py: Python<'_>, tell: Option<&Py<PyAny>>, work: W) -> PyResult<T>
    where
        W: FnOnce(&mut perfectplay_learn::Training, &StopHandle, &mut Told) -> Result<T, perfectplay_learn::Error>,
        W: Send,
    {
        let (stop, snapshot) = (StopHandle::new(), Snapshot::default());
        let watch = Watch { stop: &stop, tell, snapshot: &snapshot, custom: None };
        let mut training = self.lock()?;
        let before = training.run().count().seconds;
        let mut told = Told { snapshot: snapshot.clone(), games: self.games, seconds: self.seconds, before };
        let training = &mut *training;
        watch.run(py, || work(training, &stop, &mut told))?.map_err(value_error)
    }
}

/// Writes down how a run goes.
struct Told {
    snapshot: Snapshot,
    games: Option<u64>,
    seconds: Option<f64>,
    before: f64,
}

impl Listener for Told {
    fn game(&mut self, count: &Count) {
        let by_games = self.games.map(|most| count.games as f64 / most.max(1) as f64);
        let by_time = self.seconds.map(|most| (count.seconds - self.before) / most.max(1e-9));
        let share = by_games.into_iter().chain(by_time).reduce(f64::max).map(|share| share.min(1.0));
        let told = Progress { nodes: count.evaluations, bytes: 0, share, depth: None };
        let _: ControlFlow<()> = self.snapshot.progress(&told);
    }
}
