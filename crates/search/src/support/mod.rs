//! What several families share: threads that can be paused, saved searches, evaluations, memory on large pages.

pub mod evaluations;
pub mod pages;
pub mod pausable_threads;
pub mod prefetch;
pub mod saved;
