//! Monte-Carlo tree search: [`uct`] simulates and proves, its tree has nodes only for what was visited.

mod answer;
mod payoffs;
mod rows;
mod side_by_side;
mod tree;
pub mod uct;
