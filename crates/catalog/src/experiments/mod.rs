//! Experiments of the papers, done again: each file computes one and knows the paper's figures.

pub mod mopns_tables;
mod scatter;

/// An experiment's name and what it shows, for lists and errors.
pub const EXPERIMENTS: &[(&str, &str)] =
    &[("mopns-tables", "MOPNS against PNS on Connect Four and Woodpush: Tables 1 and 2 and Figures 4 and 6 of 002")];
