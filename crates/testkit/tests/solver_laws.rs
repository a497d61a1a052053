//! The laws of solvers: one line per algorithm.

use perfectplay_testkit::{SolverLaws, solver_laws};

solver_laws!(
    backward_induction,
    any,
    perfectplay_search::backward_induction,
    "",
    SolverLaws::default().complete_lines()
);
solver_laws!(equilibria, any, perfectplay_search::equilibria, "", SolverLaws::default().complete_lines());
