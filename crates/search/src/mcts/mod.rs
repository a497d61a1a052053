//! Monte-Carlo tree search.

pub mod uct;
