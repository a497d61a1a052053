//! What several families share: options, threads that can be paused, saved searches, evaluations, hashing, memory and
//! whether there is any.

pub(crate) mod ahead;
pub(crate) mod apart;
pub(crate) mod cells;
pub(crate) mod common_options;
pub mod evaluations;
pub(crate) mod hashing;
pub(crate) mod memory;
pub mod order;
pub(crate) mod pages;
pub(crate) mod pausable_threads;
pub(crate) mod prefetch;
pub mod saved;
pub(crate) mod shared_map;
mod sync;
pub(crate) mod team;
mod write_once;
