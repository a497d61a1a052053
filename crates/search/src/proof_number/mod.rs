//! Proof-number search: PNS and multiple-outcome PNS on a tree or a graph, df-pn and its multiple-outcome form on a
//! table.

pub mod best_first;
pub mod depth_first;
pub mod df_mopns;
pub mod df_pn;
pub mod effort_numbers;
pub mod goals;
pub mod graph;
pub mod mopns;
pub mod pns;
pub mod report;
pub mod table;
pub mod tree;
