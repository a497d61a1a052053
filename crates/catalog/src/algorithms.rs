//! Which algorithms there are, and for which games.

use std::sync::Arc;

use perfectplay_core::{Facts, FullGame, Params, ZeroSum};
use perfectplay_search::{AlgorithmInfo, Refusal, Search, Setup, alpha_beta, best_first, oracle, proof_number};

type Open<G> = fn(Arc<G>, <G as perfectplay_core::Game>::State, &Setup, Params) -> Result<Box<dyn Search<G>>, Refusal>;

/// An algorithm for games of type `G`.
pub(crate) struct Entry<G: FullGame> {
    pub(crate) info: &'static AlgorithmInfo,
    pub(crate) open: Open<G>,
}

macro_rules! algorithms {
    (any: $($any:ident::$of_any:ident),*; two_players: $($($two:ident)::+),*;) => {
        /// Every algorithm, in the order in which users see them.
        pub const ALGORITHMS: &[&AlgorithmInfo] = &[
            $(&perfectplay_search::$any::$of_any::INFO,)*
            $(&perfectplay_search::$($two)::+::INFO,)*
        ];

        /// Those for any number of players.
        pub(crate) fn for_any<G: FullGame>() -> Vec<Entry<G>> {
            use perfectplay_search::*;
            vec![$(Entry { info: &$any::$of_any::INFO, open: $any::$of_any::open::<G> },)*]
        }

        /// Those that need two players with opposed interests.
        fn for_two<G: FullGame<Payoff = ZeroSum>>() -> Vec<Entry<G>> {
            use perfectplay_search::*;
            vec![$(Entry { info: &$($two)::+::INFO, open: $($two)::+::open::<G> },)*]
        }
    };
}

// A new algorithm is one file in `search` and one path here.
algorithms! {
    any: oracle::backward_induction, oracle::equilibria, best_first::ubfm, best_first::descent, best_first::umb, mcts::uct,
        baseline::greedy, baseline::random_play, n_player::maxn, n_player::paranoid, n_player::brs, n_player::mp_mix;
    two_players: oracle::retrograde, proof_number::pns, proof_number::mopns, proof_number::df_pn, proof_number::df_mopns,
        alpha_beta::iterative_deepening, alpha_beta::mtdf, alpha_beta::textbook::minimax,
        alpha_beta::textbook::plain_alpha_beta, alpha_beta::textbook::negamax, alpha_beta::textbook::null_move,
        alpha_beta::textbook::table_search;
}

/// All that work for two players with opposed interests.
pub(crate) fn for_zero_sum<G: FullGame<Payoff = ZeroSum>>() -> Vec<Entry<G>> {
    let mut algorithms = for_any();
    algorithms.extend(for_two());
    algorithms
}

/// More states than this are not valued one by one unless somebody asks for it.
const FEW_STATES: f64 = 3e7;

/// The algorithm that finds the shortest win for somebody who names none.
pub fn default_for_length(facts: &Facts) -> &'static str {
    match facts {
        Facts { acyclic: true, states: Some(states), .. } if *states <= FEW_STATES => {
            oracle::backward_induction::INFO.name
        }
        Facts { states: Some(states), .. } if *states <= FEW_STATES => oracle::retrograde::INFO.name,
        _ => alpha_beta::iterative_deepening::INFO.name,
    }
}

/// The algorithm for somebody who names none: a strong solution where the game is small, and otherwise what goes
/// furthest, be it to prove (`exact`) or to play.
pub fn default_algorithm(facts: &Facts, exact: bool) -> &'static str {
    let two = facts.players == 2 && facts.zero_sum;
    match facts {
        Facts { acyclic: true, states: Some(states), .. } if *states <= FEW_STATES => {
            oracle::backward_induction::INFO.name
        }
        Facts { acyclic: false, .. } if two && exact => proof_number::df_pn::INFO.name,
        _ if two => alpha_beta::iterative_deepening::INFO.name,
        _ => best_first::ubfm::INFO.name,
    }
}
