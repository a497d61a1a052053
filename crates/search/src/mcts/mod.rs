//! Monte-Carlo tree search.

mod payoffs;
mod tree;
pub mod uct;
