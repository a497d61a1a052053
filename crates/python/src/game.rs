//! Games and positions.

use std::path::PathBuf;
use std::sync::Arc;

use perfectplay_catalog::{
    ALGORITHMS, Algorithm, AnyGame, AnyPosition, GAMES, Pieces, ProofFile, ProofSide, Setup, algorithm_json,
    built_in_book, default_analyst, default_solver, facts_json, game_json,
};
use perfectplay_core::{Budget, Lattice, Objective, StopHandle};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::custom::Custom;
use crate::errors::{guarded, value_error};
use crate::search::Search;
use crate::work::{Snapshot, Watch};

/// The list that `perfectplay games --json` prints.
#[pyfunction]
pub(crate) fn games() -> PyResult<String> {
    guarded(|| {
        let mut list = Vec::new();
        for info in GAMES {
            let example = info.examples.first().copied().unwrap_or(info.name);
            list.push(game_json(info, &*perfectplay_catalog::open(example).map_err(value_error)?));
        }
        Ok(serde_json::Value::from(list).to_string())
    })
}

/// The list that `perfectplay algorithms --json` prints.
#[pyfunction]
pub(crate) fn algorithms() -> String {
    serde_json::Value::from(ALGORITHMS.iter().map(|info| algorithm_json(info)).collect::<Vec<_>>()).to_string()
}

/// The seconds that a text such as `2m30s` means.
#[pyfunction]
pub(crate) fn parse_duration(text: &str) -> PyResult<f64> {
    perfectplay_core::parse_duration(text).map(|time| time.as_secs_f64()).map_err(value_error)
}

/// The number that a text such as `5M` means.
#[pyfunction]
pub(crate) fn parse_count(text: &str) -> PyResult<u64> {
    perfectplay_core::parse_count(text).map_err(value_error)
}

/// The bytes that a text such as `2G` means.
#[pyfunction]
pub(crate) fn parse_size(text: &str) -> PyResult<usize> {
    perfectplay_core::parse_size(text).map_err(value_error)
}

/// The objective with this name.
pub(crate) fn objective(name: &str) -> PyResult<Objective> {
    let names = Objective::names_in_words();
    let unknown = || value_error(format!("the objective must be {names}, got \"{name}\""));
    Objective::parse(name).ok_or_else(unknown)
}

/// A game of some type, opened by name or brought by somebody.
#[pyclass(frozen, module = "perfectplay._native")]
pub(crate) struct Game {
    pub(crate) game: Box<dyn AnyGame>,
    pub(crate) custom: Option<Arc<Custom>>,
}

/// The game that `text` names.
#[pyfunction]
pub(crate) fn open(text: &str) -> PyResult<Game> {
    guarded(|| Ok(Game { game: perfectplay_catalog::open(text).map_err(value_error)?, custom: None }))
}

impl Game {
    /// Calls `f`; what the game's own code raised meanwhile comes first.
    pub(crate) fn call<T>(&self, py: Python<'_>, f: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
        let result = guarded(f);
        match self.custom.as_ref().and_then(|custom| custom.take_failure(py)) {
            Some(failure) => Err(failure),
            None => result,
        }
    }
}

#[pymethods]
impl Game {
    #[getter]
    fn spec(&self) -> &str {
        self.game.spec()
    }

    #[getter]
    fn storage(&self) -> &str {
        self.game.storage()
    }

    /// What is true of it, as JSON.
    fn facts(&self) -> String {
        facts_json(&self.game.facts()).to_string()
    }

    /// The names of the algorithms that work on it.
    fn algorithms(&self) -> Vec<&'static str> {
        self.game.algorithms().iter().map(|info| info.name).collect()
    }

    fn start(slf: Py<Self>, py: Python<'_>) -> PyResult<Position> {
        let position = slf.get().call(py, || Ok(slf.get().game.start()))?;
        Ok(Position { position, game: slf })
    }

    fn parse(slf: Py<Self>, py: Python<'_>, text: &str) -> PyResult<Position> {
        let position = slf.get().call(py, || slf.get().game.parse_position(text).map_err(value_error))?;
        Ok(Position { position, game: slf })
    }

    /// What reading this text had to overlook.
    fn note(&self, text: &str) -> Option<String> {
        self.game.position_note(text)
    }

    /// The board: lattice, cells, number of values, names of the numbers.
    fn layout(&self) -> Option<Layout> {
        let layout = self.game.layout()?;
        let lattice = match layout.lattice {
            Lattice::Square => "square",
            Lattice::Hexagonal => "hexagonal",
        };
        Some((lattice, layout.cells, layout.values, layout.numbers.to_vec()))
    }
}

type Layout = (&'static str, Vec<(i16, i16)>, u8, Vec<&'static str>);

/// A position. It never changes.
#[pyclass(frozen, module = "perfectplay._native")]
pub(crate) struct Position {
    pub(crate) position: Box<dyn AnyPosition>,
    pub(crate) game: Py<Game>,
}

impl Position {
    fn call<T>(&self, py: Python<'_>, f: impl FnOnce(&dyn AnyPosition) -> PyResult<T>) -> PyResult<T> {
        self.game.get().call(py, || f(&*self.position))
    }
}

#[pymethods]
impl Position {
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |position| Ok(position.text()))
    }

    /// The board as text.
    fn drawing(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |position| Ok(position.drawing().to_text(false)))
    }

    /// The board as a picture, with what changed since `before` marked.
    #[pyo3(signature = (before=None))]
    fn svg(&self, py: Python<'_>, before: Option<&Position>) -> PyResult<String> {
        self.call(py, |position| {
            let drawing = position.drawing();
            Ok(match before {
                Some(before) => drawing.marked_since(&before.position.drawing()).to_svg(),
                None => drawing.to_svg(),
            })
        })
    }

    /// Who moves, counted from 1, or the gains and scores of a finished game.
    #[allow(clippy::type_complexity)]
    fn status(&self, py: Python<'_>) -> PyResult<(Option<usize>, Option<(Vec<i32>, Vec<i32>)>)> {
        self.call(py, |position| {
            Ok(match position.status() {
                Ok(mover) => (Some(mover.index() + 1), None),
                Err(ended) => (None, Some((ended.gains, ended.scores))),
            })
        })
    }

    fn moves(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.call(py, |position| Ok(position.moves()))
    }

    fn play(&self, py: Python<'_>, text: &str) -> PyResult<Position> {
        let position = self.call(py, |position| {
            let mut next = position.clone_box();
            next.play(text).map_err(value_error)?;
            Ok(next)
        })?;
        Ok(Position { position, game: self.game.clone_ref(py) })
    }

    /// Plays several moves; beside the position, the moves one by one.
    fn play_all(&self, py: Python<'_>, text: &str) -> PyResult<(Position, Vec<String>)> {
        let (position, played) = self.call(py, |position| {
            let mut next = position.clone_box();
            let played = next.play_all(text).map_err(value_error)?;
            Ok((next, played))
        })?;
        Ok((Position { position, game: self.game.clone_ref(py) }, played))
    }

    /// Values of the cells (one byte each) and further numbers (32-bit floats), if the game has a board.
    #[allow(clippy::type_complexity)]
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)>> {
        let features = self.call(py, |position| Ok(position.features()))?;
        Ok(features.map(|features| {
            let numbers: Vec<u8> = features.numbers.iter().flat_map(|n| n.to_ne_bytes()).collect();
            (PyBytes::new(py, &features.cells), PyBytes::new(py, &numbers))
        }))
    }

    /// Counts the sequences of 1, 2, … moves.
    fn perft(&self, py: Python<'_>, depth: usize) -> PyResult<Vec<u64>> {
        let (budget, game) = (Budget::unlimited(), self.game.get());
        let watch =
            Watch { stop: &budget.stop, tell: None, snapshot: &Snapshot::default(), custom: game.custom.as_deref() };
        let counted = watch.run(py, || self.position.perft(depth, false, &budget))?;
        counted.map(|perft| perft.leaves).map_err(|stop| value_error(format!("stopped: {stop}")))
    }

    /// Plays random games for so long, or so many moves: games, moves, games broken off, seconds.
    #[pyo3(signature = (seed, seconds=None, moves=None))]
    fn playouts(
        &self,
        py: Python<'_>,
        seed: u64,
        seconds: Option<f64>,
        moves: Option<u64>,
    ) -> PyResult<(u64, u64, u64, f64)> {
        let stop = StopHandle::new();
        let budget = Budget { time: time_limit(seconds)?, nodes: moves, stop: stop.clone(), ..Budget::default() };
        let custom = self.game.get().custom.as_deref();
        let watch = Watch { stop: &stop, tell: None, snapshot: &Snapshot::default(), custom };
        let played = watch.run(py, || self.position.playouts(seed, &budget))?;
        Ok((played.games, played.moves, played.unfinished, played.seconds))
    }

    /// A search for this position. Without an algorithm: what `solve` (`exact`) or `analyse` would take.
    #[pyo3(signature = (algorithm, objective, seed, exact, memory=None, threads=1, reproducible=false))]
    #[allow(clippy::too_many_arguments)]
    fn search(
        &self,
        py: Python<'_>,
        algorithm: Option<&str>,
        objective: &str,
        seed: u64,
        exact: bool,
        memory: Option<usize>,
        threads: usize,
        reproducible: bool,
    ) -> PyResult<Search> {
        let setup = Setup { objective: self::objective(objective)?, seed, exact, memory, threads, reproducible };
        let default = if exact { default_solver } else { default_analyst };
        self.call(py, |position| {
            let game = self.game.get();
            let name = algorithm.unwrap_or_else(|| default(&game.game.facts()));
            let algorithm = Algorithm::parse(name).map_err(value_error)?;
            Search::new(position, &algorithm, setup, game.custom.clone())
        })
    }

    /// The search that was saved in this file, which must be about this position.
    #[pyo3(signature = (file, objective, seed))]
    fn resume(&self, py: Python<'_>, file: PathBuf, objective: &str, seed: u64) -> PyResult<Search> {
        let objective = self::objective(objective)?;
        self.call(py, |position| Search::resume(position, &file, objective, seed, self.game.get().custom.clone()))
    }

    /// The answer of the book that comes with the program: without `exact` only if it has the values of all moves.
    fn ask_book(&self, objective: &str, exact: bool) -> PyResult<Option<String>> {
        let objective = self::objective(objective)?;
        guarded(|| {
            let answer = built_in_book(&*self.game.get().game)
                .and_then(|book| self.position.ask_book(&book, objective))
                .map(|mut search| {
                    search.run(&Budget::unlimited(), &mut ());
                    search.report()
                })
                .filter(|report| exact || report.moves.iter().all(|mv| mv.resolved));
            Ok(answer.map(|mut report| {
                if exact {
                    report.moves.clear();
                } else {
                    report.best_moves_first();
                }
                serde_json::to_string(&report).expect("plain data")
            }))
        })
    }

    /// Puts a proof together from strategies of others: files, and (moves, at least, value) of further positions.
    #[pyo3(signature = (file, value, objective, parts, known, memory=None))]
    #[allow(clippy::too_many_arguments)]
    fn assemble_proof(
        &self,
        py: Python<'_>,
        file: PathBuf,
        value: i32,
        objective: &str,
        parts: Vec<PathBuf>,
        known: Vec<(Vec<String>, bool, i32)>,
        memory: Option<usize>,
    ) -> PyResult<String> {
        let known = known.into_iter().map(|(moves, at_least, value)| (moves, ProofSide { at_least, value })).collect();
        let pieces = Pieces { objective: self::objective(objective)?, value, parts, known };
        let (budget, snapshot) = (Budget { memory, ..Budget::default() }, Snapshot::default());
        let custom = self.game.get().custom.as_deref();
        let watch = Watch { stop: &budget.stop, tell: None, snapshot: &snapshot, custom };
        let file = ProofFile::new(&file).map_err(value_error)?;
        let written = watch.run(py, || self.position.assemble_proof(&pieces, file, &budget, &mut snapshot.clone()))?;
        written.map(|line| serde_json::to_string(&line).expect("plain data")).map_err(value_error)
    }

    /// The game tree below, drawn as `text`, `dot` or `svg`.
    fn tree(&self, py: Python<'_>, depth: usize, objective: &str, form: &str) -> PyResult<String> {
        let objective = self::objective(objective)?;
        if objective == Objective::Length {
            return Err(value_error("trees are drawn for gain or score"));
        }
        let (budget, snapshot) = (Budget::unlimited(), Snapshot::default());
        let custom = self.game.get().custom.as_deref();
        let watch = Watch { stop: &budget.stop, tell: None, snapshot: &snapshot, custom };
        let tree = watch.run(py, || self.position.tree(depth, objective, &budget, &mut snapshot.clone()))?;
        let tree = tree.map_err(value_error)?;
        match form {
            "text" => Ok(tree.to_text()),
            "dot" => Ok(tree.to_dot()),
            "svg" => Ok(tree.to_svg()),
            other => Err(value_error(format!("a tree is drawn as text, dot or svg, not as \"{other}\""))),
        }
    }
}

/// A limit in seconds.
pub(crate) fn time_limit(seconds: Option<f64>) -> PyResult<Option<std::time::Duration>> {
    let limit =
        |s| std::time::Duration::try_from_secs_f64(s).map_err(|_| value_error(format!("a time of {s} seconds")));
    seconds.map(limit).transpose()
}
