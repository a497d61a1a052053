//! Proof-number search: PNS and multiple-outcome PNS on a tree or a graph, df-pn and its multiple-outcome form on a
//! table.

pub(crate) mod depth_first;
pub mod df_mopns;
pub mod df_pn;
pub(crate) mod effort_numbers;
pub mod goals;
pub(crate) mod graph;
pub mod mopns;
mod node_word;
pub mod pns;
pub(crate) mod proved_line;
pub(crate) mod report;
mod side_by_side;
pub(crate) mod table;
pub(crate) mod tree;
pub mod tree_search;

/// What nodes that threads share are made of. A model checker has its own (`tests/races.rs`).
mod sync {
    pub(crate) use std::sync::atomic::{AtomicU64, Ordering};
}
