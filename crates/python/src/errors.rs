//! Sentences as exceptions: what the command line says before exit code 2 is the text of a `ValueError` here.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::PyErr;
use pyo3::exceptions::{PyRuntimeError, PyValueError};

/// Bad input, in one sentence.
pub(crate) fn value_error(sentence: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(sentence.to_string())
}

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A panic is an error of ours. It becomes an exception, so that it need not also be printed.
pub(crate) fn keep_panics_quiet() {
    std::panic::set_hook(Box::new(|info| LAST_PANIC.with(|last| *last.borrow_mut() = info.to_string())));
}

/// Calls `f`; a panic becomes a sentence.
pub(crate) fn caught<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|_| LAST_PANIC.with(|last| last.borrow().replace('\n', " ")))
}

/// Calls `f`; a panic becomes a `RuntimeError`.
pub(crate) fn guarded<T>(f: impl FnOnce() -> Result<T, PyErr>) -> Result<T, PyErr> {
    caught(f).unwrap_or_else(|panic| Err(broken(&panic)))
}

/// An error of ours.
pub(crate) fn broken(panic: &str) -> PyErr {
    PyRuntimeError::new_err(format!("perfectplay made a mistake, please report it: {panic}"))
}
