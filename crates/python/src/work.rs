//! Long work beside an interpreter that must stay alive: it runs on a thread of its own, and the thread that asked for
//! it wakes up now and then to look for signals (releasing the interpreter's lock alone does not deliver Ctrl-C) and to
//! tell how it goes. So the work itself is done in one piece, as fast as from the command line.

use std::ops::ControlFlow;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use perfectplay_core::{Observer, Progress, StopHandle};
use pyo3::prelude::*;

use crate::custom::Custom;
use crate::errors::{broken, caught};

/// Between two looks for signals.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Between two calls of a progress function.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// Lines can be long, and Python code runs on this stack, too.
const STACK_BYTES: usize = 32 << 20;

/// What is known of work under way.
#[derive(Clone, Default)]
pub(crate) struct Snapshot(Arc<Mutex<Progress>>);

impl Snapshot {
    fn get(&self) -> Progress {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Snapshot {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = *progress;
        ControlFlow::Continue(())
    }
}

/// Who watches: what to call with progress, where it is written down, and the game whose own code may fail.
pub(crate) struct Watch<'a> {
    pub(crate) stop: &'a StopHandle,
    pub(crate) tell: Option<&'a Py<PyAny>>,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) custom: Option<&'a Custom>,
}

impl Watch<'_> {
    /// Runs `work`, which ends soon after the stop handle is pulled. An exception in a signal handler or a progress
    /// function pulls it, and is raised when the work has ended; so is one in the code of a game.
    pub(crate) fn run<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        let (done, ended, trouble) = py.detach(|| self.wait(work));
        if let Some(failure) = self.custom.and_then(|custom| custom.take_failure(py)) {
            return Err(failure);
        }
        let result = done.map_err(|panic| broken(&panic));
        let last = if trouble.is_none() { self.tell_now(py, ended) } else { Ok(()) };
        trouble.map_or(last, Err).and(result)
    }

    fn wait<T: Send>(&self, work: impl FnOnce() -> T + Send) -> (Result<T, String>, Instant, Option<PyErr>) {
        let started = Instant::now();
        let (sender, receiver) = mpsc::channel::<()>();
        let mut trouble = None;
        let done = std::thread::scope(|scope| {
            // Known to the interpreter for as long as it runs, so that code of a game is called at little cost.
            let body = move || {
                let done = caught(|| Python::attach(|py| py.detach(work)));
                drop(sender);
                done
            };
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, body);
            let thread = thread.map_err(|error| format!("no thread could be started: {error}"))?;
            let mut told = started;
            while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(LOOK_EVERY) {
                if trouble.is_some() {
                    continue;
                }
                let looked = Python::attach(|py| {
                    py.check_signals()?;
                    if self.tell.is_some() && told.elapsed() >= TELL_EVERY {
                        told = Instant::now();
                        self.tell_now(py, started)?;
                    }
                    Ok(())
                });
                trouble = looked.err();
                if trouble.is_some() || self.custom.is_some_and(Custom::failed) {
                    self.stop.pull();
                }
            }
            thread.join().unwrap_or_else(|_| Err("a thread panicked outside its work".into()))
        });
        (done, started, trouble)
    }

    /// nodes, bytes, share, depth, seconds
    fn tell_now(&self, py: Python<'_>, started: Instant) -> PyResult<()> {
        let Some(tell) = self.tell else { return Ok(()) };
        let Progress { nodes, bytes, share, depth } = self.snapshot.get();
        tell.call1(py, (nodes, bytes, share, depth, started.elapsed().as_secs_f64())).map(drop)
    }
}
