//! Searches of limited depth for any number of players: maxⁿ with its prunings, paranoid, best-reply, MP-Mix.

pub mod brs;
pub mod coalition;
pub mod deepening;
pub mod maxn;
pub mod maxn_pruning;
pub mod memo_table;
pub mod mp_mix;
pub mod paranoid;
pub mod tie_rules;
pub mod vector_value;
