//! Checks proofs by the rules alone.

use std::path::PathBuf;
use std::time::Instant;

use perfectplay_catalog::{proof_json, refusal_json, table_json};
use perfectplay_check::table::{check_table, is_table};
use perfectplay_check::{Error, check_file};
use perfectplay_core::StopHandle;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::errors::value_error;
use crate::game::Game;
use crate::work::{Snapshot, Watch};

/// What `verify --json` prints. The game is needed only if it is not one of ours.
#[pyfunction]
#[pyo3(signature = (file, memory, game=None, tell=None))]
pub(crate) fn verify(
    py: Python<'_>,
    file: PathBuf,
    memory: usize,
    game: Option<&Game>,
    tell: Option<Py<PyAny>>,
) -> PyResult<String> {
    let unread = |error: Error| {
        let reason = std::error::Error::source(&error).map_or(String::new(), |reason| format!(": {reason}"));
        value_error(format!("{}: {error}{reason}", file.display()))
    };
    let (stop, snapshot) = (StopHandle::new(), Snapshot::default());
    let custom = game.and_then(|game| game.custom.as_ref());
    let watch = Watch { stop: &stop, tell: tell.as_ref(), snapshot: &snapshot, custom: custom.map(|c| &**c) };
    let started = Instant::now();
    let table = is_table(&file).map_err(unread)?;
    let mut observer = (snapshot.clone(), stop.clone());
    let checked = watch.run(py, || match custom {
        _ if table => check_table(&file, memory).map(|checked| table_json(&file, &checked, 0.0)),
        Some(custom) => {
            let checked = custom.check_file(&file, memory, &mut Stoppable(&mut observer));
            checked.map(|proof| proof_json(&file, &proof, 0.0))
        }
        None => {
            let checked = check_file(&file, memory, &mut Stoppable(&mut observer));
            checked.map(|proof| proof_json(&file, &proof, 0.0))
        }
    })?;
    match checked {
        Ok(mut document) => {
            document["seconds"] = started.elapsed().as_secs_f64().into();
            Ok(document.to_string())
        }
        Err(Error::Stopped) => Err(PyKeyboardInterrupt::new_err(())),
        Err(error) if error.is_a_no() => Ok(refusal_json(&file, &error).to_string()),
        Err(error) => Err(unread(error)),
    }
}

/// Writes progress down, and stops when the handle is pulled.
struct Stoppable<'a>(&'a mut (Snapshot, StopHandle));

impl perfectplay_core::Observer for Stoppable<'_> {
    fn progress(&mut self, progress: &perfectplay_core::Progress) -> std::ops::ControlFlow<()> {
        self.0.0.progress(progress)?;
        if self.0.1.is_pulled() { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
    }
}
