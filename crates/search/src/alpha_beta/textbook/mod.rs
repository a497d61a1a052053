//! Minimax and alpha-beta as textbooks have them: fixed depth, one idea each.

pub(crate) mod fixed_depth;
pub mod minimax;
pub mod negamax;
pub mod null_move;
pub mod plain_alpha_beta;
pub mod table_search;
mod told;

/// Why they use one thread.
const A_TEXTBOOK_VERSION: &str = "it is the textbook version, to compare others with";
