//! Experiments of the papers, done again over the arena.

pub mod completion;
