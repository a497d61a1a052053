//! One file per verb.

pub(crate) mod algorithms;
pub(crate) mod analyse;
pub(crate) mod bench;
pub(crate) mod bench_playouts;
pub(crate) mod bench_set;
pub(crate) mod book;
pub(crate) mod completion;
pub(crate) mod completions;
pub(crate) mod defaults;
pub(crate) mod games;
pub(crate) mod man;
pub(crate) mod mopns_tables;
pub(crate) mod paranoid_vs_maxn;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod saving;
pub(crate) mod show;
pub(crate) mod solve;
pub(crate) mod solvers;
pub(crate) mod tournament;
pub(crate) mod verify;
