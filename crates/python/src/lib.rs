//! The native half of the Python package: texts and numbers in, texts and numbers out. Everything a Python programmer
//! sees is made of it in `python/perfectplay`.
//!
//! Searches run on a thread of their own, without the interpreter's lock, while the calling thread looks for signals
//! ([`work`]). Nothing panics into Python ([`errors`]).
#![forbid(unsafe_code)]

mod custom;
mod errors;
mod game;
mod search;
mod tournament;
mod training;
mod verify;
mod work;

use pyo3::prelude::*;

/// The interpreter's lock is relied on: free-threaded interpreters turn it on when they import this.
#[pymodule(gil_used = true)]
mod _native {
    #[pymodule_export]
    use crate::game::{Game, Position, algorithms, games, open, parse_count, parse_duration, parse_size};

    #[pymodule_export]
    use crate::custom::open_custom;

    #[pymodule_export]
    use crate::search::Search;

    #[pymodule_export]
    use crate::tournament::{Tournament, job_id, run_job};

    #[pymodule_export]
    use crate::training::Training;

    #[pymodule_export]
    use crate::verify::verify;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::errors::keep_panics_quiet();
        perfectplay_learn::install();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
