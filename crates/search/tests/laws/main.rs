//! The laws of all searches, in one program: what several files search is compiled once.

mod common;

mod alpha_beta_laws;
mod best_first_cases;
mod best_first_laws;
mod best_first_table;
mod best_first_threads;
mod book_laws;
mod coalition_laws;
mod lengths;
mod maxn_laws;
mod mcts;
mod mopns_anchors;
mod options;
mod portfolio;
mod proof_laws;
mod proof_number_threads;
mod repetition;
mod retrograde_anchors;
mod saved;
mod soak;
mod threads;
