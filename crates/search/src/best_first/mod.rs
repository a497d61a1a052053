//! Best-first search with completion: UBFM, Descent and the rest of the UMB class, for two players and for many.
//!
//! [`main_loop`] walks and backs up, [`tree`] holds the states (`key_index` finds them by key). What the loop asks is a
//! [`policy`]: [`completion`] and [`n_player`] say what a state is worth, [`exploration`] where to go next,
//! [`decisions`] which move to play.

pub(crate) mod bucket;
pub mod completion;
pub mod decisions;
pub mod descent;
pub(crate) mod eviction;
pub mod exploration;
pub(crate) mod key_index;
pub(crate) mod leaf_batch;
pub(crate) mod line_prefetch;
pub mod lines;
pub(crate) mod list;
pub mod main_loop;
pub mod n_player;
pub mod node_data;
pub mod policy;
pub(crate) mod provisional;
pub(crate) mod sync;
pub mod tree;
pub mod ubfm;
pub mod umb;
pub(crate) mod versioned;
