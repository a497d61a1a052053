//! What the proof-number searches share: goals and effort numbers, the tree they grow, the table they keep.

pub mod best_first;
pub mod goals;
pub mod numbers;
pub mod tree;

pub mod depth_first;
pub mod graph;
pub mod report;
pub mod table;
