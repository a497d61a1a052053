//! The laws of solvers: one line per algorithm.

use perfectplay_testkit::{SolverLaws, solver_laws};

/// One algorithm of each family is asked about larger games, too.
const LARGER: u64 = 200_000;

solver_laws!(
    backward_induction,
    any,
    perfectplay_search::oracle::backward_induction,
    "",
    SolverLaws::default().resumes().saves().complete_lines().lengths()
);
solver_laws!(
    retrograde,
    two_players,
    perfectplay_search::oracle::retrograde,
    "",
    SolverLaws::default().resumes().saves().complete_lines().lengths()
);
solver_laws!(
    equilibria,
    any,
    perfectplay_search::oracle::equilibria,
    "",
    SolverLaws::default().resumes().saves().complete_lines()
);

/// Several algorithms in turn.
fn in_turns() -> SolverLaws {
    SolverLaws::default().by_the_clock()
}

solver_laws!(auto_two, two_players, perfectplay_search::portfolio::two_players, "", in_turns());
solver_laws!(auto_any, any, perfectplay_search::portfolio::any_players, "", in_turns());
solver_laws!(
    every_move,
    two_players,
    perfectplay_search::portfolio::every_move,
    "",
    in_turns().random_games(60).most_states(10_000)
);

/// Proof-number search keeps a tree unless told otherwise, so it is spared the larger games.
fn small() -> SolverLaws {
    whole().most_states(6_000)
}

solver_laws!(pns, two_players, perfectplay_search::proof_number::pns, "", small());
solver_laws!(pns_iterative, two_players, perfectplay_search::proof_number::pns, "mode=iterative", small());
solver_laws!(pns_table, two_players, perfectplay_search::proof_number::pns, "table=on", whole());
solver_laws!(pns_squared, two_players, perfectplay_search::proof_number::pns, "squared=on", small());
solver_laws!(mopns, two_players, perfectplay_search::proof_number::mopns, "", small());
solver_laws!(mopns_table, two_players, perfectplay_search::proof_number::mopns, "table=on", whole());

fn whole() -> SolverLaws {
    SolverLaws::default().resumes().saves().complete_lines()
}

/// For all but the plain forms.
fn some() -> SolverLaws {
    whole().random_games(60).most_states(10_000)
}

solver_laws!(ubfm, any, perfectplay_search::best_first::ubfm, "", whole().most_states(LARGER));
solver_laws!(ubfm_heuristic, any, perfectplay_search::best_first::ubfm, "eval=heuristic,reread=on", some());
solver_laws!(ubfm_second, any, perfectplay_search::best_first::ubfm, "generalisation=second", some());
solver_laws!(ubfm_strong, any, perfectplay_search::best_first::ubfm, "strong=on", some());
solver_laws!(ubfm_without_table, any, perfectplay_search::best_first::ubfm, "table=off", some().most_states(1_000));
solver_laws!(descent, any, perfectplay_search::best_first::descent, "", whole());
solver_laws!(descent_second, any, perfectplay_search::best_first::descent, "generalisation=second", some());
solver_laws!(
    descent_without_table,
    any,
    perfectplay_search::best_first::descent,
    "table=off,generalisation=second",
    some().most_states(1_000)
);
solver_laws!(umb_least_visited, any, perfectplay_search::best_first::umb, "policy=least-visited", some());
solver_laws!(umb_descend, any, perfectplay_search::best_first::umb, "policy=descend,k=3", some());
solver_laws!(umb_depth_bounded, any, perfectplay_search::best_first::umb, "policy=depth-bounded,k=3", some());
solver_laws!(umb_random, any, perfectplay_search::best_first::umb, "policy=epsilon-random,epsilon=0.3", some());
solver_laws!(mopns_nested, two_players, perfectplay_search::proof_number::mopns, "nested=on", small());
solver_laws!(df_pn, two_players, perfectplay_search::proof_number::df_pn, "", whole());
solver_laws!(
    df_pn_weak,
    two_players,
    perfectplay_search::proof_number::df_pn,
    "sum=weak,mobility=off,bounds=off",
    whole()
);
solver_laws!(df_mopns, two_players, perfectplay_search::proof_number::df_mopns, "", whole().most_states(LARGER));

// Simulations are many: the larger games are left out.
solver_laws!(
    mcts,
    any,
    perfectplay_search::mcts::uct,
    "",
    SolverLaws::default().resumes().complete_lines().random_games(120).most_states(6_000)
);
solver_laws!(
    mcts_heuristic,
    any,
    perfectplay_search::mcts::uct,
    "eval=heuristic,c=0.3",
    SolverLaws::default().resumes().complete_lines().random_games(30).most_states(800)
);

// Alpha-beta in all its forms.
solver_laws!(
    solver,
    two_players,
    perfectplay_search::alpha_beta::iterative_deepening,
    "exact=on,table-mib=1",
    SolverLaws::default().resumes().complete_lines().lengths().most_states(LARGER)
);
solver_laws!(
    solver_all_moves,
    two_players,
    perfectplay_search::alpha_beta::iterative_deepening,
    "exact=on,table-mib=1,all-moves=on",
    SolverLaws::default().resumes().complete_lines().random_games(60)
);
solver_laws!(
    solver_without_table,
    two_players,
    perfectplay_search::alpha_beta::iterative_deepening,
    "exact=on,table=off",
    SolverLaws::default().resumes().complete_lines().most_states(6_000).random_games(60)
);
solver_laws!(
    engine_without_table,
    two_players,
    perfectplay_search::alpha_beta::iterative_deepening,
    "table=off",
    SolverLaws::default().resumes().most_states(6_000).random_games(60)
);
solver_laws!(
    minimax,
    two_players,
    perfectplay_search::alpha_beta::textbook::minimax,
    "",
    SolverLaws::default().resumes().most_states(700).random_games(60)
);
solver_laws!(
    plain_alpha_beta,
    two_players,
    perfectplay_search::alpha_beta::textbook::plain_alpha_beta,
    "",
    SolverLaws::default().resumes().most_states(6_000).random_games(60)
);
solver_laws!(
    negamax,
    two_players,
    perfectplay_search::alpha_beta::textbook::negamax,
    "",
    SolverLaws::default().resumes().most_states(6_000).random_games(60)
);
solver_laws!(
    table_search,
    two_players,
    perfectplay_search::alpha_beta::textbook::table_search,
    "entries=1000",
    SolverLaws::default().resumes().most_states(6_000).random_games(60)
);

// maxⁿ and its prunings; those by sums are refused for the gain of several players.
solver_laws!(
    maxn,
    any,
    perfectplay_search::n_player::maxn,
    "table-mib=1",
    SolverLaws::default().resumes().most_states(6_000).random_games(60)
);
solver_laws!(
    maxn_pruned,
    any,
    perfectplay_search::n_player::maxn,
    "table-mib=1,prune=all,ties=order",
    SolverLaws::default().resumes().most_states(6_000).random_games(60)
);
