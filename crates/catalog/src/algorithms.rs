//! Which algorithms there are, and for which games.

use std::sync::Arc;

use perfectplay_core::{Facts, FullGame, Params, ZeroSum};
use perfectplay_search::{
    AlgorithmInfo, Refusal, Search, Setup, alpha_beta, baseline, best_first, mcts, n_player, oracle, portfolio,
    proof_number,
};

type Open<G> = fn(Arc<G>, <G as perfectplay_core::Game>::State, &Setup, Params) -> Result<Box<dyn Search<G>>, Refusal>;

/// An algorithm for games of type `G`.
pub(crate) struct Entry<G: FullGame> {
    pub(crate) info: &'static AlgorithmInfo,
    pub(crate) open: Open<G>,
}

macro_rules! list {
    ($($($path:ident)::+),* $(,)?) => {
        vec![$(Entry { info: &$($path)::+::INFO, open: $($path)::+::open }),*]
    };
}

/// Every algorithm, in the order in which users see them. A new one is one file in `search`, a line here, and a line in
/// the list below that says for which games it is compiled.
pub const ALGORITHMS: &[&AlgorithmInfo] = &[
    &portfolio::INFO,
    &oracle::backward_induction::INFO,
    &oracle::equilibria::INFO,
    &best_first::ubfm::INFO,
    &best_first::descent::INFO,
    &best_first::umb::INFO,
    &mcts::uct::INFO,
    &baseline::greedy::INFO,
    &baseline::random_play::INFO,
    &n_player::maxn::INFO,
    &n_player::paranoid::INFO,
    &n_player::brs::INFO,
    &n_player::mp_mix::INFO,
    &portfolio::every_move::INFO,
    &oracle::retrograde::INFO,
    &proof_number::pns::INFO,
    &proof_number::mopns::INFO,
    &proof_number::df_pn::INFO,
    &proof_number::df_mopns::INFO,
    &alpha_beta::iterative_deepening::INFO,
    &alpha_beta::mtdf::INFO,
    &alpha_beta::textbook::minimax::INFO,
    &alpha_beta::textbook::plain_alpha_beta::INFO,
    &alpha_beta::textbook::negamax::INFO,
    &alpha_beta::textbook::null_move::INFO,
    &alpha_beta::textbook::table_search::INFO,
];

/// What is compiled for every type with two opposed players: where the speed of a node is what users measure.
pub(crate) fn measured<G: FullGame<Payoff = ZeroSum>>() -> Vec<Entry<G>> {
    let mut entries = gaining();
    entries.extend(list![oracle::retrograde, portfolio::every_move]);
    entries.extend([
        Entry { info: &best_first::ubfm::INFO, open: best_first::ubfm::open_for_two },
        Entry { info: &best_first::descent::INFO, open: best_first::descent::open_for_two },
        Entry { info: &best_first::umb::INFO, open: best_first::umb::open_for_two },
        Entry { info: &portfolio::INFO, open: portfolio::two_players::open },
    ]);
    entries
}

/// What is compiled for games that are no less than a fifth faster natively, and play without repetition, and mcts,
/// which gains a sixth and plays Connect Four. The rest gains less, or is seldom asked for.
pub(crate) fn natively<G: FullGame<Payoff = ZeroSum>>() -> Vec<Entry<G>> {
    let mut entries = gaining();
    entries.push(Entry { info: &portfolio::INFO, open: portfolio::two_players::open_acyclic });
    entries
}

/// What both have.
fn gaining<G: FullGame<Payoff = ZeroSum>>() -> Vec<Entry<G>> {
    list![
        oracle::backward_induction,
        mcts::uct,
        proof_number::pns,
        proof_number::mopns,
        proof_number::df_pn,
        proof_number::df_mopns,
        alpha_beta::iterative_deepening,
        alpha_beta::mtdf,
    ]
}

/// All that work for two players with opposed interests: compiled once, for the largest class. Other types come here
/// with what is not in their own list ([`Refusal::Elsewhere`]).
pub(crate) fn for_zero_sum<G: FullGame<Payoff = ZeroSum>>() -> Vec<Entry<G>> {
    let mut entries = several_players();
    entries.extend(list![
        alpha_beta::textbook::minimax,
        alpha_beta::textbook::plain_alpha_beta,
        alpha_beta::textbook::negamax,
        alpha_beta::textbook::null_move,
        alpha_beta::textbook::table_search,
    ]);
    entries.extend(measured());
    entries
}

/// What was made for any number of players; for two there is something better.
fn several_players<G: FullGame>() -> Vec<Entry<G>> {
    list![
        oracle::equilibria,
        best_first::ubfm,
        best_first::descent,
        best_first::umb,
        baseline::greedy,
        baseline::random_play,
        n_player::maxn,
        n_player::paranoid,
        n_player::brs,
        n_player::mp_mix,
    ]
}

/// All that work for any number of players.
pub(crate) fn for_any<G: FullGame>() -> Vec<Entry<G>> {
    let mut entries = several_players();
    entries.extend(list![oracle::backward_induction, mcts::uct]);
    entries.push(Entry { info: &portfolio::INFO, open: portfolio::any_players::open });
    entries
}

/// Those that tell how their tree grows, as they are opened without options ([`Search::grows`]).
pub const GROWING: [&AlgorithmInfo; 7] = [
    &best_first::ubfm::INFO,
    &best_first::descent::INFO,
    &best_first::umb::INFO,
    &proof_number::pns::INFO,
    &proof_number::mopns::INFO,
    &alpha_beta::textbook::minimax::INFO,
    &alpha_beta::textbook::plain_alpha_beta::INFO,
];

/// Their names in a sentence: `a, b or c`.
pub fn growing_in_words() -> String {
    let (last, others) = GROWING.split_last().expect("there are some");
    let others: Vec<&str> = others.iter().map(|info| info.name).collect();
    format!("{} or {}", others.join(", "), last.name)
}

/// Tried in turn where somebody wants a search saved, names no algorithm, and the usual one cannot be.
pub const SAVABLE: [&AlgorithmInfo; 3] =
    [&proof_number::df_mopns::INFO, &proof_number::mopns::INFO, &best_first::ubfm::INFO];

/// What writes a table of all values ([`AnySearch::can_write_table`](crate::AnySearch::can_write_table)).
pub const TABLE_WRITER: &AlgorithmInfo = &oracle::retrograde::INFO;

/// What solves a game for somebody who names no algorithm.
pub fn default_solver(_: &Facts) -> &'static str {
    portfolio::INFO.name
}

/// What values moves for somebody who names no algorithm.
pub fn default_analyst(facts: &Facts) -> &'static str {
    if two_opposed(facts) { portfolio::every_move::INFO.name } else { portfolio::INFO.name }
}

/// Whether it searches with all cores for somebody who names no number of threads: members of a portfolio do not share
/// one core where there are more.
pub fn uses_all_cores(algorithm: &AlgorithmInfo) -> bool {
    [portfolio::INFO.name, portfolio::every_move::INFO.name].contains(&algorithm.name)
}

pub(crate) fn two_opposed(facts: &Facts) -> bool {
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
