//! Which algorithms there are, and for which games.

use std::sync::Arc;

use perfectplay_core::{Facts, Game, Params, ZeroSum};
use perfectplay_search::{AlgorithmInfo, Refusal, Search, Setup};

type Open<G> = fn(Arc<G>, <G as Game>::State, &Setup, Params) -> Result<Box<dyn Search<G>>, Refusal>;

/// An algorithm for games of type `G`.
pub(crate) struct Entry<G: Game> {
    pub(crate) info: &'static AlgorithmInfo,
    pub(crate) open: Open<G>,
}

macro_rules! algorithms {
    (any: $($any:ident),*; two_players: $($two:ident),*;) => {
        /// Every algorithm, in the order in which users see them.
        pub const ALGORITHMS: &[&AlgorithmInfo] =
            &[$(&perfectplay_search::$any::INFO,)* $(&perfectplay_search::$two::INFO,)*];

        /// Those for any number of players.
        pub(crate) fn for_any<G: Game>() -> Vec<Entry<G>> {
            vec![$(Entry { info: &perfectplay_search::$any::INFO, open: perfectplay_search::$any::open::<G> },)*]
        }

        /// Those that need two players with opposed interests.
        pub(crate) fn for_two<G: Game<Payoff = ZeroSum>>() -> Vec<Entry<G>> {
            vec![$(Entry { info: &perfectplay_search::$two::INFO, open: perfectplay_search::$two::open::<G> },)*]
        }
    };
}

// A new algorithm is one file in `search` and one word here.
algorithms! {
    any: backward_induction, equilibria, ubfm, descent, umb, mcts, greedy, random_play, maxn, paranoid, brs,
        mp_mix;
    two_players: pns, mopns, df_pn, df_mopns, engine, mtdf, minimax, alpha_beta, negamax, null_move, table_search;
}

/// More states than this are not valued one by one unless somebody asks for it.
const FEW_STATES: f64 = 3e7;

/// The algorithm for somebody who names none: a strong solution where the game is small, and otherwise what goes furthest,
/// be it to prove (`exact`) or to play.
pub fn default_algorithm(facts: &Facts, exact: bool) -> &'static str {
    let two = facts.players == 2 && facts.zero_sum;
    match facts {
        Facts { acyclic: true, states: Some(states), .. } if *states <= FEW_STATES => "backward-induction",
        Facts { acyclic: false, .. } if two && exact => "df-pn",
        _ if two => "alpha-beta",
        _ => "ubfm",
    }
}
