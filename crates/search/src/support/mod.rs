//! What several families share: options, threads that can be paused, saved searches, evaluations, memory on large pages.

pub(crate) mod common_options;
pub mod evaluations;
pub mod pages;
pub mod pausable_threads;
pub mod prefetch;
pub mod saved;
