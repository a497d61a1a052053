//! Which algorithms there are, and for which games.

use std::sync::Arc;

use perfectplay_core::{Facts, FullGame, Params, ZeroSum};
use perfectplay_search::{AlgorithmInfo, Refusal, Search, Setup, alpha_beta, mcts, n_player, oracle, portfolio};

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
            &portfolio::INFO,
            $(&perfectplay_search::$any::$of_any::INFO,)*
            $(&perfectplay_search::$($two)::+::INFO,)*
        ];

        /// Those for any number of players, whatever their interests.
        fn common<G: FullGame>() -> Vec<Entry<G>> {
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
    two_players: portfolio::every_move, oracle::retrograde, proof_number::pns, proof_number::mopns, proof_number::df_pn, proof_number::df_mopns,
        alpha_beta::iterative_deepening, alpha_beta::mtdf, alpha_beta::textbook::minimax,
        alpha_beta::textbook::plain_alpha_beta, alpha_beta::textbook::negamax, alpha_beta::textbook::null_move,
        alpha_beta::textbook::table_search;
}

/// All that work for two players with opposed interests.
pub(crate) fn for_zero_sum<G: FullGame<Payoff = ZeroSum>>() -> Vec<Entry<G>> {
    let auto = Entry { info: &portfolio::INFO, open: portfolio::two_players::open };
    std::iter::once(auto).chain(common()).chain(for_two()).collect()
}

/// All that work for any number of players.
pub(crate) fn for_any<G: FullGame>() -> Vec<Entry<G>> {
    let auto = Entry { info: &portfolio::INFO, open: portfolio::any_players::open };
    std::iter::once(auto).chain(common()).collect()
}

/// What solves a game for somebody who names no algorithm.
pub fn default_solver(_: &Facts) -> &'static str {
    portfolio::INFO.name
}

/// What values moves for somebody who names no algorithm.
pub fn default_analyst(facts: &Facts) -> &'static str {
    if two_opposed(facts) { portfolio::every_move::INFO.name } else { portfolio::INFO.name }
}

fn two_opposed(facts: &Facts) -> bool {
    facts.players == 2 && facts.zero_sum
}

/// Up to so many states, and to so very few, a game can be seen to its end while somebody waits.
const FEW_STATES: f64 = 3e7;
const VERY_FEW_STATES: f64 = 1e5;

/// Games that Monte-Carlo tree search plays better than searches that rest on the game's evaluation (docs/play.md has
/// the table).
const PLAYED_BY_PLAYOUTS: &[&str] = &["clobber", "connect-four", "domineering", "go", "havannah", "hex", "rolit"];

/// The strongest player for somebody who names none; `game` is its name with parameters.
pub fn opponent(game: &str, facts: &Facts) -> &'static str {
    let name = game.split([':', '(']).next().unwrap_or(game).trim();
    let two = two_opposed(facts);
    let states = facts.states.filter(|_| facts.acyclic).unwrap_or(f64::INFINITY);
    match () {
        // What can be seen to its end is played perfectly.
        () if two && states <= FEW_STATES => alpha_beta::iterative_deepening::INFO.name,
        () if states <= VERY_FEW_STATES => oracle::backward_induction::INFO.name,
        () if PLAYED_BY_PLAYOUTS.contains(&name) => mcts::uct::INFO.name,
        () if two => alpha_beta::iterative_deepening::INFO.name,
        () => n_player::paranoid::INFO.name,
    }
}
