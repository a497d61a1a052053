//! Searches of limited depth for any number of players: maxⁿ with its prunings, paranoid, best-reply, MP-Mix.

pub mod brs;
pub(crate) mod coalition;
pub(crate) mod deepening;
pub mod maxn;
pub(crate) mod maxn_pruning;
pub(crate) mod memo_table;
pub mod mp_mix;
pub mod paranoid;
pub(crate) mod root_split;
pub(crate) mod tie_rules;
pub(crate) mod vector_value;
