//! A game of any class as a game of the largest.
//!
//! Algorithms that nobody measures (textbook versions, baselines, searches for many players on games for two) are
//! compiled for the largest class alone. A state of a smaller one is a prefix of the larger one's, so all it takes is
//! one more table of functions, which cuts states to size on the way in and fills them up on the way out.

use std::sync::Arc;

use perfectplay_core::{
    Drawing, Facts, FeatureBatch, Layout, Leaf, OrderHint, Payoff, Player, Status, Stop, Successor, Tally, TextError,
    ZeroSum,
};

use super::dispatch::Large;
use super::packed::Packed;
use super::rules::{Below, Rules, Storage};
use super::words::{PackedMove, Words};

/// A game of the largest class.
pub type Widest<P> = Large<P>;

/// Whether this is the largest class.
pub const fn is_widest(state: usize, key: usize, mv: usize) -> bool {
    let (states, keys, moves) = Widest::<ZeroSum>::WORDS;
    state == states && key == keys && mv == moves
}

/// The same game with states, keys and moves of the largest class.
pub fn widened<P: Payoff, const S: usize, const K: usize, const M: usize>(game: &Packed<P, S, K, M>) -> Widest<P> {
    Packed::from_rules(Widened { rules: game.rules().clone() })
}

struct Widened<P, const S: usize, const K: usize, const M: usize> {
    rules: Arc<dyn Rules<P, S, K, M>>,
}

/// Sends the moves that `list` pushes on to `moves`.
fn widen_moves<R, const M: usize, const T: usize>(
    moves: &mut Vec<PackedMove<T>>,
    list: impl FnOnce(&mut Vec<PackedMove<M>>) -> R,
) -> R {
    let mut narrow = Vec::new();
    let result = list(&mut narrow);
    moves.extend(narrow.iter().map(|mv| mv.resized()));
    result
}

#[warn(clippy::missing_trait_methods)]
impl<P, const S: usize, const K: usize, const M: usize, const S2: usize, const K2: usize, const M2: usize>
    Rules<P, S2, K2, M2> for Widened<P, S, K, M>
where
    P: Payoff,
{
    fn expand(&self, state: &Words<S2>, moves: &mut Vec<PackedMove<M2>>) -> Status<P> {
        widen_moves(moves, |list| self.rules.expand(&state.resized(), list))
    }

    fn status(&self, state: &Words<S2>) -> Status<P> {
        self.rules.status(&state.resized())
    }

    fn after(&self, state: &Words<S2>, mv: PackedMove<M2>) -> Words<S2> {
        self.rules.after(&state.resized(), mv.resized()).resized()
    }

    fn after_all(&self, state: &Words<S2>, moves: &[PackedMove<M2>]) -> Words<S2> {
        moves.iter().fold(state.resized(), |state, mv| self.rules.after(&state, mv.resized())).resized()
    }

    fn key(&self, state: &Words<S2>) -> Words<K2> {
        self.rules.key(&state.resized()).resized()
    }

    fn children(
        &self,
        state: &Words<S2>,
        moves: &mut Vec<PackedMove<M2>>,
        children: &mut Vec<(Words<S2>, Words<K2>)>,
    ) -> Status<P> {
        let mut narrow = Vec::new();
        let status = widen_moves(moves, |list| self.rules.children(&state.resized(), list, &mut narrow));
        children.extend(narrow.iter().map(|(child, key)| (child.resized(), key.resized())));
        status
    }

    fn canonical_key(&self, state: &Words<S2>) -> Words<K2> {
        self.rules.canonical_key(&state.resized()).resized()
    }

    fn heuristic(&self, state: &Words<S2>) -> P::Estimate {
        self.rules.heuristic(&state.resized())
    }

    fn heuristic_of(&self, state: &Words<S2>, player: Player) -> f32 {
        self.rules.heuristic_of(&state.resized(), player)
    }

    fn heuristics(&self, states: &[Words<S2>], out: &mut Vec<P::Estimate>) {
        let narrow: Vec<Words<S>> = states.iter().map(|state| state.resized()).collect();
        self.rules.heuristics(&narrow, out);
    }

    fn random_move(&self, state: &Words<S2>, below: Below<'_>) -> Result<PackedMove<M2>, P> {
        self.rules.random_move(&state.resized(), below).map(PackedMove::resized)
    }

    fn playout(&self, state: &Words<S2>, most: u32, below: Below<'_>) -> (Option<P>, u32) {
        self.rules.playout(&state.resized(), most, below)
    }

    fn score_bounds(&self, state: &Words<S2>) -> (i32, i32) {
        self.rules.score_bounds(&state.resized())
    }

    fn solver_successors(
        &self,
        state: &Words<S2>,
        successors: &mut Vec<Successor<Words<S2>, PackedMove<M2>>>,
    ) -> Status<P> {
        let mut narrow = Vec::new();
        let status = self.rules.solver_successors(&state.resized(), &mut narrow);
        successors.extend(narrow.iter().map(|s| Successor {
            mv: s.mv.resized(),
            state: s.state.resized(),
            lower: s.lower,
            upper: s.upper,
        }));
        status
    }

    fn exact_index(&self, state: &Words<S2>) -> u64 {
        self.rules.exact_index(&state.resized())
    }

    fn order_hint(&self, state: &Words<S2>, mv: PackedMove<M2>) -> OrderHint {
        self.rules.order_hint(&state.resized(), mv.resized())
    }

    fn order_hints(&self, state: &Words<S2>, moves: &[PackedMove<M2>], hints: &mut Vec<OrderHint>) {
        let narrow: Vec<PackedMove<M>> = moves.iter().map(|mv| mv.resized()).collect();
        self.rules.order_hints(&state.resized(), &narrow, hints);
    }

    fn noisy_moves(&self, state: &Words<S2>, moves: &mut Vec<PackedMove<M2>>) {
        widen_moves(moves, |list| self.rules.noisy_moves(&state.resized(), list));
    }

    fn null_move(&self, state: &Words<S2>) -> Option<Words<S2>> {
        self.rules.null_move(&state.resized()).map(|next| next.resized())
    }

    fn leaf(
        &self,
        state: &Words<S2>,
        mv: PackedMove<M2>,
        player: Option<Player>,
        noisy: Option<&mut Vec<PackedMove<M2>>>,
    ) -> Leaf<Words<S2>, P> {
        let (state, mv) = (state.resized(), mv.resized());
        let leaf = match noisy {
            None => self.rules.leaf(&state, mv, player, None),
            Some(noisy) => widen_moves(noisy, |list| self.rules.leaf(&state, mv, player, Some(list))),
        };
        Leaf { status: leaf.status, guess: leaf.guess, noisy: leaf.noisy.map(|state| state.resized()) }
    }

    fn cell_values(&self, state: &Words<S2>, out: &mut Vec<u8>) {
        self.rules.cell_values(&state.resized(), out);
    }

    fn numbers(&self, state: &Words<S2>, out: &mut Vec<f32>) {
        self.rules.numbers(&state.resized(), out);
    }

    fn viewer(&self, state: &Words<S2>) -> Player {
        self.rules.viewer(&state.resized())
    }

    fn features(&self, states: &[Words<S2>], out: &mut FeatureBatch) {
        let narrow: Vec<Words<S>> = states.iter().map(|state| state.resized()).collect();
        self.rules.features(&narrow, out);
    }

    fn start(&self) -> Words<S2> {
        self.rules.start().resized()
    }

    fn facts(&self) -> Facts {
        self.rules.facts()
    }

    fn storage(&self) -> Storage {
        self.rules.storage()
    }

    fn position_text(&self, state: &Words<S2>) -> String {
        self.rules.position_text(&state.resized())
    }

    fn parse_position(&self, text: &str) -> Result<Words<S2>, TextError> {
        self.rules.parse_position(text).map(|state| state.resized())
    }

    fn position_note(&self, text: &str) -> Option<String> {
        self.rules.position_note(text)
    }

    fn move_text(&self, state: &Words<S2>, mv: PackedMove<M2>) -> String {
        self.rules.move_text(&state.resized(), mv.resized())
    }

    fn parse_move(&self, state: &Words<S2>, text: &str) -> Result<PackedMove<M2>, TextError> {
        self.rules.parse_move(&state.resized(), text).map(PackedMove::resized)
    }

    fn drawing(&self, state: &Words<S2>) -> Drawing {
        self.rules.drawing(&state.resized())
    }

    fn symmetries(&self) -> usize {
        self.rules.symmetries()
    }

    fn transform(&self, state: &Words<S2>, index: usize) -> Words<S2> {
        self.rules.transform(&state.resized(), index).resized()
    }

    fn transform_move(&self, state: &Words<S2>, mv: PackedMove<M2>, index: usize) -> PackedMove<M2> {
        self.rules.transform_move(&state.resized(), mv.resized(), index).resized()
    }

    fn count(&self, state: &Words<S2>, ply: usize, tally: &mut Tally) -> Result<(), Stop> {
        self.rules.count(&state.resized(), ply, tally)
    }

    fn layout(&self) -> Option<Layout> {
        self.rules.layout()
    }

    fn exact_index_bits(&self) -> u32 {
        self.rules.exact_index_bits()
    }

    fn stable_keys(&self) -> bool {
        self.rules.stable_keys()
    }

    fn kept_bytes(&self) -> usize {
        self.rules.kept_bytes()
    }

    #[cfg(feature = "laws")]
    fn broken_law(&self, state: &Words<S2>) -> Option<&'static str> {
        self.rules.broken_law(&state.resized())
    }
}
