//! A search at work: it runs in slices, tells what it knows, is saved and resumed, and writes proofs.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Instant;

use perfectplay_catalog::checkpoint::{self, Checkpoint, Question, Spent};
use perfectplay_catalog::{Algorithm, AnyPosition, AnySearch, ProofFile, Report, Setup};
use perfectplay_core::{Budget, Ledger, Objective, Stop, StopHandle};
use pyo3::prelude::*;

use crate::custom::Custom;
use crate::errors::{guarded, value_error};
use crate::game::time_limit;
use crate::work::{Snapshot, Watch};

#[pyclass(frozen, module = "perfectplay._native")]
pub(crate) struct Search {
    state: Mutex<State>,
    custom: Option<Arc<Custom>>,
    /// Code of the game failed, or we did: what the search holds is not to be trusted.
    broken: AtomicBool,
}

/// A search. When it goes, threads of its own may still have to ask a game that is written in Python: the interpreter's
/// lock must not be held while they are waited for.
struct Held(Option<Box<dyn AnySearch>>);

impl std::ops::Deref for Held {
    type Target = dyn AnySearch;

    fn deref(&self) -> &Self::Target {
        self.0.as_deref().expect("it is there until it goes")
    }
}

impl std::ops::DerefMut for Held {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.as_deref_mut().expect("it is there until it goes")
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let search = self.0.take();
        Python::try_attach(|py| py.detach(move || drop(search)));
    }
}

/// What a search was made from: who saves it must say which one it is.
struct Asked {
    position: Box<dyn AnyPosition>,
    algorithm: Algorithm,
    setup: Setup,
}

struct State {
    search: Held,
    /// Which search it is; none if it has gone on to another position.
    asked: Option<Asked>,
    file: Option<Checkpoint>,
    ledger: Ledger,
    seconds: f64,
    memory: Option<usize>,
}

impl Search {
    pub(crate) fn new(
        position: &dyn AnyPosition,
        algorithm: &Algorithm,
        setup: Setup,
        custom: Option<Arc<Custom>>,
    ) -> PyResult<Self> {
        let search = position.search(algorithm, &setup).map_err(value_error)?;
        let (search, memory) = (Held(Some(search)), setup.memory);
        let asked = Some(Asked { position: position.clone_box(), algorithm: algorithm.clone(), setup });
        let state = State { search, asked, file: None, ledger: Ledger::default(), seconds: 0.0, memory };
        Ok(Search { state: Mutex::new(state), custom, broken: AtomicBool::new(false) })
    }

    pub(crate) fn resume(
        position: &dyn AnyPosition,
        file: &Path,
        objective: Objective,
        seed: u64,
        custom: Option<Arc<Custom>>,
    ) -> PyResult<Self> {
        let saved = checkpoint::find(file).map_err(value_error)?;
        let algorithm = Algorithm::parse(saved.algorithm()).map_err(value_error)?;
        let spent = saved.spent;
        let setup = |exact| Setup { objective, seed, exact, memory: spent.memory, ..Setup::default() };
        let question = |exact| Question::new(position, &algorithm, &setup(exact));
        // It may be either kind of search; if it is neither, what is wrong is told of the usual kind.
        let exact = saved.check(&question(true)).is_ok();
        let mut search = position.search(&algorithm, &setup(exact)).map_err(value_error)?;
        let file = saved.restore(question(exact), &mut *search).map_err(value_error)?;
        let state = State {
            search: Held(Some(search)),
            asked: Some(Asked { position: position.clone_box(), algorithm: algorithm.clone(), setup: setup(exact) }),
            file: Some(file),
            ledger: Ledger::new(spent.nodes),
            seconds: spent.seconds,
            memory: spent.memory,
        };
        Ok(Search { state: Mutex::new(state), custom, broken: AtomicBool::new(false) })
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, State>> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(value_error("this search was broken off by an error; begin a new one"));
        }
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::WouldBlock) => Err(value_error("the search is running on another thread")),
            Err(TryLockError::Poisoned(_)) => {
                Err(value_error("this search was broken off by an error; begin a new one"))
            }
        }
    }

    /// Runs `work` on the search while signals are looked for.
    fn watched<T: Send>(
        &self,
        py: Python<'_>,
        stop: &StopHandle,
        tell: Option<&Py<PyAny>>,
        work: impl FnOnce(&mut State, &mut Snapshot) -> T + Send,
    ) -> PyResult<T> {
        let mut state = self.lock()?;
        let (state, snapshot) = (&mut *state, Snapshot::default());
        let watch = Watch { stop, tell, snapshot: &snapshot, custom: self.custom.as_deref() };
        let (mut seen, ended) = (snapshot.clone(), AtomicBool::new(false));
        let result = watch.run(py, || {
            let result = work(state, &mut seen);
            ended.store(!self.custom.as_ref().is_some_and(|custom| custom.failed()), Ordering::Relaxed);
            result
        });
        // An interrupt leaves the search as it is; whatever kept the work from its end does not.
        if !ended.load(Ordering::Relaxed) {
            self.broken.store(true, Ordering::Relaxed);
        }
        result
    }
}

fn json(report: &Report) -> String {
    serde_json::to_string(report).expect("plain data")
}

#[pymethods]
impl Search {
    /// Spends a budget and says why it stopped.
    #[pyo3(signature = (seconds=None, nodes=None, memory=None, threads=1, tell=None))]
    fn run(
        &self,
        py: Python<'_>,
        seconds: Option<f64>,
        nodes: Option<u64>,
        memory: Option<usize>,
        threads: usize,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<&'static str> {
        let stop = StopHandle::new();
        let mut budget =
            Budget { time: time_limit(seconds)?, nodes, memory, threads, stop: stop.clone(), ..Budget::default() };
        let ended = self.watched(py, &stop, tell.as_ref(), move |state, seen| {
            budget.memory = memory.or(state.memory);
            budget.ledger = state.ledger.clone();
            let started = Instant::now();
            let stop = state.search.run(&budget, seen);
            state.seconds += started.elapsed().as_secs_f64();
            stop
        })?;
        Ok(Stop::name(ended))
    }

    /// What is known, as JSON: `all` of it as the search tells it, or as `solve` or `analyse` would print it.
    #[pyo3(signature = (form="all"))]
    fn report(&self, py: Python<'_>, form: &str) -> PyResult<String> {
        let state = self.lock()?;
        let text = guarded(|| {
            let mut report = state.search.report();
            match form {
                "solve" => report.moves.clear(),
                "analyse" => report.best_moves_first(),
                _ => {}
            }
            Ok(json(&report))
        });
        match self.custom.as_ref().and_then(|custom| custom.take_failure(py)) {
            Some(failure) => Err(failure),
            None => text,
        }
    }

    /// Goes on from the position after a move; `False` if the search cannot.
    fn advance(&self, mv: &str) -> PyResult<bool> {
        let mut state = self.lock()?;
        guarded(|| {
            let kept = state.search.advance(mv).map_err(value_error)?;
            if kept {
                (state.asked, state.file) = (None, None);
            }
            Ok(kept)
        })
    }

    /// Saves everything that going on depends on.
    fn save(&self, py: Python<'_>, file: PathBuf) -> PyResult<()> {
        let saved = self.watched(py, &StopHandle::new(), None, |state, _| {
            let spent = Spent { seconds: state.seconds, nodes: state.ledger.spent(), memory: state.memory };
            if state.file.as_ref().is_none_or(|checkpoint| checkpoint.path() != file) {
                let Some(Asked { position, algorithm, setup }) = &state.asked else {
                    return Err("a search that has gone on to another position cannot be saved".to_owned());
                };
                let question = Question::new(&**position, algorithm, setup);
                state.file = Some(Checkpoint::create(&file, question).map_err(|error| error.to_string())?);
            }
            let checkpoint = state.file.as_mut().expect("made above");
            checkpoint.save(&*state.search, &spent).map_err(|error| error.to_string())
        })?;
        saved.map_err(value_error)
    }

    /// Refuses, in a sentence, if no proof of this game's positions can be written.
    fn can_prove(&self) -> PyResult<()> {
        self.lock()?.search.can_prove().map_err(value_error)
    }

    /// Writes the proof of a solved position: its file, bytes, states and seconds, as JSON.
    #[pyo3(signature = (file, seconds=None, nodes=None, memory=None, tell=None))]
    fn prove(
        &self,
        py: Python<'_>,
        file: PathBuf,
        seconds: Option<f64>,
        nodes: Option<u64>,
        memory: Option<usize>,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let stop = StopHandle::new();
        let budget = Budget { time: time_limit(seconds)?, nodes, memory, stop: stop.clone(), ..Budget::default() };
        let file = ProofFile::new(&file).map_err(value_error)?;
        let written =
            self.watched(py, &stop, tell.as_ref(), move |state, seen| state.search.write_proof(file, &budget, seen))?;
        let line = written.map_err(value_error)?;
        Ok(serde_json::to_string(&line).expect("plain data"))
    }
}
