//! Experiments of the papers, done again: each file computes one and knows the paper's figures.

pub mod mopns_tables;
mod scatter;
