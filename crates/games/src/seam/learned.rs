//! A game with an evaluation that was learned in place of the one that its author wrote: whatever a search would ask
//! the game's heuristic, it asks a model.
//!
//! Like teams, it is one more table of functions around a game's: same states, keys and moves, so every algorithm runs
//! on it and nothing more is compiled.

use std::cell::RefCell;
use std::sync::Arc;

use perfectplay_core::{
    Drawing, Estimate, Evaluation, Facts, FeatureBatch, Layout, Leaf, Model, OrderHint, Payoff, Player, Status, Stop,
    Successor, Tally, TextError,
};
use thread_local::ThreadLocal;

use super::packed::Packed;
use super::rules::{Below, Rules, Storage};
use super::words::{PackedMove, Words};

/// The game with this model as its heuristic. The model must fit the game's features.
pub fn with_model<P: Payoff, const S: usize, const K: usize, const M: usize>(
    game: &Packed<P, S, K, M>,
    model: Arc<dyn Model>,
) -> Packed<P, S, K, M> {
    Packed::from_rules(Learned { rules: game.rules().clone(), model, room: ThreadLocal::new() })
}

struct Learned<P: Payoff, const S: usize, const K: usize, const M: usize> {
    rules: Arc<dyn Rules<P, S, K, M>>,
    model: Arc<dyn Model>,
    room: ThreadLocal<RefCell<(Evaluation, Vec<P::Estimate>)>>,
}

impl<P: Payoff, const S: usize, const K: usize, const M: usize> Learned<P, S, K, M> {
    /// Calls `f` with the guesses at these states.
    fn ask<R>(&self, states: &[Words<S>], f: impl FnOnce(&[P::Estimate]) -> R) -> R {
        let room = self.room.get_or(|| RefCell::new((Evaluation::default(), Vec::new())));
        let (evaluation, guesses) = &mut *room.borrow_mut();
        guesses.clear();
        evaluation.evaluate::<P>(&*self.model, |batch| self.rules.features(states, batch), guesses);
        f(guesses)
    }
}

#[warn(clippy::missing_trait_methods)]
impl<P: Payoff, const S: usize, const K: usize, const M: usize> Rules<P, S, K, M> for Learned<P, S, K, M> {
    fn expand(&self, state: &Words<S>, moves: &mut Vec<PackedMove<M>>) -> Status<P> {
        self.rules.expand(state, moves)
    }

    fn status(&self, state: &Words<S>) -> Status<P> {
        self.rules.status(state)
    }

    fn after(&self, state: &Words<S>, mv: PackedMove<M>) -> Words<S> {
        self.rules.after(state, mv)
    }

    fn after_all(&self, state: &Words<S>, moves: &[PackedMove<M>]) -> Words<S> {
        self.rules.after_all(state, moves)
    }

    fn key(&self, state: &Words<S>) -> Words<K> {
        self.rules.key(state)
    }

    fn children(
        &self,
        state: &Words<S>,
        moves: &mut Vec<PackedMove<M>>,
        children: &mut Vec<(Words<S>, Words<K>)>,
    ) -> Status<P> {
        self.rules.children(state, moves, children)
    }

    fn canonical_key(&self, state: &Words<S>) -> Words<K> {
        self.rules.canonical_key(state)
    }

    fn heuristic(&self, state: &Words<S>) -> P::Estimate {
        self.ask(std::slice::from_ref(state), |guesses| guesses[0])
    }

    fn heuristic_of(&self, state: &Words<S>, player: Player) -> f32 {
        self.heuristic(state).of(player)
    }

    fn heuristics(&self, states: &[Words<S>], out: &mut Vec<P::Estimate>) {
        self.ask(states, |guesses| out.extend_from_slice(guesses));
    }

    fn random_move(&self, state: &Words<S>, below: Below<'_>) -> Result<PackedMove<M>, P> {
        self.rules.random_move(state, below)
    }

    fn playout(&self, state: &Words<S>, most: u32, below: Below<'_>) -> (Option<P>, u32) {
        self.rules.playout(state, most, below)
    }

    fn score_bounds(&self, state: &Words<S>) -> (i32, i32) {
        self.rules.score_bounds(state)
    }

    fn solver_successors(
        &self,
        state: &Words<S>,
        successors: &mut Vec<Successor<Words<S>, PackedMove<M>>>,
    ) -> Status<P> {
        self.rules.solver_successors(state, successors)
    }

    fn exact_index(&self, state: &Words<S>) -> u64 {
        self.rules.exact_index(state)
    }

    fn order_hint(&self, state: &Words<S>, mv: PackedMove<M>) -> OrderHint {
        self.rules.order_hint(state, mv)
    }

    fn order_hints(&self, state: &Words<S>, moves: &[PackedMove<M>], hints: &mut Vec<OrderHint>) {
        self.rules.order_hints(state, moves, hints);
    }

    fn noisy_moves(&self, state: &Words<S>, moves: &mut Vec<PackedMove<M>>) {
        self.rules.noisy_moves(state, moves);
    }

    fn null_move(&self, state: &Words<S>) -> Option<Words<S>> {
        self.rules.null_move(state)
    }

    fn leaf(
        &self,
        state: &Words<S>,
        mv: PackedMove<M>,
        player: Option<Player>,
        noisy: Option<&mut Vec<PackedMove<M>>>,
    ) -> Leaf<Words<S>, P> {
        let leaf = self.rules.leaf(state, mv, None, noisy);
        let guess = match (leaf.status, player) {
            (Status::Turn(_), Some(player)) => self.heuristic_of(&self.rules.after(state, mv), player),
            _ => 0.0,
        };
        Leaf { guess, ..leaf }
    }

    fn cell_values(&self, state: &Words<S>, out: &mut Vec<u8>) {
        self.rules.cell_values(state, out);
    }

    fn numbers(&self, state: &Words<S>, out: &mut Vec<f32>) {
        self.rules.numbers(state, out);
    }

    fn viewer(&self, state: &Words<S>) -> Player {
        self.rules.viewer(state)
    }

    fn features(&self, states: &[Words<S>], out: &mut FeatureBatch) {
        self.rules.features(states, out);
    }

    fn start(&self) -> Words<S> {
        self.rules.start()
    }

    fn facts(&self) -> Facts {
        Facts { heuristic: true, ..self.rules.facts() }
    }

    fn storage(&self) -> Storage {
        self.rules.storage()
    }

    fn position_text(&self, state: &Words<S>) -> String {
        self.rules.position_text(state)
    }

    fn parse_position(&self, text: &str) -> Result<Words<S>, TextError> {
        self.rules.parse_position(text)
    }

    fn position_note(&self, text: &str) -> Option<String> {
        self.rules.position_note(text)
    }

    fn move_text(&self, state: &Words<S>, mv: PackedMove<M>) -> String {
        self.rules.move_text(state, mv)
    }

    fn parse_move(&self, state: &Words<S>, text: &str) -> Result<PackedMove<M>, TextError> {
        self.rules.parse_move(state, text)
    }

    fn drawing(&self, state: &Words<S>) -> Drawing {
        self.rules.drawing(state)
    }

    fn symmetries(&self) -> usize {
        self.rules.symmetries()
    }

    fn transform(&self, state: &Words<S>, index: usize) -> Words<S> {
        self.rules.transform(state, index)
    }

    fn transform_move(&self, state: &Words<S>, mv: PackedMove<M>, index: usize) -> PackedMove<M> {
        self.rules.transform_move(state, mv, index)
    }

    fn count(&self, state: &Words<S>, ply: usize, tally: &mut Tally) -> Result<(), Stop> {
        self.rules.count(state, ply, tally)
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
    fn broken_law(&self, state: &Words<S>) -> Option<&'static str> {
        self.rules.broken_law(state)
    }
}
