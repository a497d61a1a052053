//! The laws of solvers: one line per algorithm.

use perfectplay_testkit::{SolverLaws, solver_laws};

solver_laws!(
    backward_induction,
    any,
    perfectplay_search::backward_induction,
    "",
    SolverLaws::default().resumes().complete_lines()
);
solver_laws!(equilibria, any, perfectplay_search::equilibria, "", SolverLaws::default().resumes().complete_lines());

/// Proof-number search keeps a tree unless told otherwise, so it is spared the larger games.
fn small() -> SolverLaws {
    SolverLaws::default().resumes().most_states(6_000)
}

solver_laws!(pns, two_players, perfectplay_search::pns, "", small());
solver_laws!(pns_iterative, two_players, perfectplay_search::pns, "mode=iterative", small());
solver_laws!(pns_table, two_players, perfectplay_search::pns, "table=on", SolverLaws::default().resumes());
solver_laws!(pns_squared, two_players, perfectplay_search::pns, "squared=on", small());
solver_laws!(mopns, two_players, perfectplay_search::mopns, "", small());
solver_laws!(mopns_table, two_players, perfectplay_search::mopns, "table=on", SolverLaws::default().resumes());
solver_laws!(mopns_nested, two_players, perfectplay_search::mopns, "nested=on", small());
solver_laws!(df_pn, two_players, perfectplay_search::df_pn, "", SolverLaws::default().resumes());
solver_laws!(
    df_pn_weak,
    two_players,
    perfectplay_search::df_pn,
    "sum=weak,mobility=on",
    SolverLaws::default().resumes()
);
solver_laws!(df_mopns, two_players, perfectplay_search::df_mopns, "", SolverLaws::default().resumes());
