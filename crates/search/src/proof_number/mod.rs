//! Proof-number search: PNS and multiple-outcome PNS on a tree or a graph, df-pn and its multiple-outcome form on a
//! table.

pub mod best_first;
pub(crate) mod depth_first;
pub mod df_mopns;
pub mod df_pn;
pub(crate) mod effort_numbers;
pub mod goals;
pub(crate) mod graph;
pub mod mopns;
pub mod pns;
pub(crate) mod proved_line;
pub(crate) mod report;
pub(crate) mod table;
pub(crate) mod tree;
