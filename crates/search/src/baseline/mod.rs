//! Players that every other must beat.

pub mod greedy;
pub mod random_play;
