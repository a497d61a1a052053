//! Alpha-beta: [`iterative_deepening`] with a `transposition_table` and `move_ordering` to play, [`exact_solver`]
//! to prove, [`shortest_win`] to count plies, and the [`textbook`] versions to learn from and to compare with.

pub(crate) mod bounds_table;
pub mod exact_solver;
pub mod iterative_deepening;
pub(crate) mod move_ordering;
pub mod mtdf;
pub(crate) mod null_window;
pub(crate) mod scale;
pub mod shortest_win;
pub mod textbook;
pub(crate) mod transposition_table;
