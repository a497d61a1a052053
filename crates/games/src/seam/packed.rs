//! Any game, as a game whose states are plain words.

use std::sync::Arc;

use perfectplay_core::{
    Budget, Drawing, EstimateOf, Facts, FeatureBatch, Features, FullGame, Game, Heuristic, Layout, Leaf, Notation,
    OrderHint, OrderingHints, Payoff, Perft, Persist, Player, Playouts, SolverHints, Status, Stop, Successor,
    Symmetric, Tally, TextError, perft_by,
};

use super::heap::Heap;
use super::inline::{Inline, fits};
use super::payoffs::ShownAs;
use super::rules::{Rules, Storage};
use super::words::{PackedMove, Words};

/// Any game with payoffs of type `P`, its states in `S` words, its keys in `K`, its moves in `M` half words.
pub struct Packed<P, const S: usize, const K: usize, const M: usize> {
    rules: Arc<dyn Rules<P, S, K, M>>,
}

impl<P: Payoff, const S: usize, const K: usize, const M: usize> Packed<P, S, K, M> {
    /// Puts `game` behind the seam: inline if its states, keys and moves fit, otherwise on the heap.
    pub fn new<G: FullGame<Payoff: ShownAs<P>>>(game: G) -> Self {
        if const { Self::fits::<G>() } {
            Self::from_rules(Inline::new(game))
        } else {
            Self::from_rules(Heap::new(game))
        }
    }

    /// Words of a state and a key, half words of a move.
    pub(crate) const WORDS: (usize, usize, usize) = (S, K, M);

    /// Whether the states, keys and moves of `G` fit.
    pub const fn fits<G: FullGame>() -> bool {
        fits::<G, S, K, M>()
    }

    pub(crate) fn from_rules(rules: impl Rules<P, S, K, M> + 'static) -> Self {
        Packed { rules: Arc::new(rules) }
    }

    pub(crate) fn rules(&self) -> &Arc<dyn Rules<P, S, K, M>> {
        &self.rules
    }

    /// How its states are kept.
    pub fn storage(&self) -> Storage {
        self.rules.storage()
    }

    /// A law of games that the game breaks in this state and that the seam would hide. Tests ask for it.
    #[cfg(feature = "laws")]
    pub fn broken_law(&self, state: &Words<S>) -> Option<&'static str> {
        self.rules.broken_law(state)
    }
}

#[warn(clippy::missing_trait_methods)]
impl<P: Payoff, const S: usize, const K: usize, const M: usize> Game for Packed<P, S, K, M> {
    type State = Words<S>;
    type Move = PackedMove<M>;
    type Payoff = P;
    type Key = Words<K>;

    fn start(&self) -> Words<S> {
        self.rules.start()
    }

    #[inline]
    fn expand(&self, state: &Words<S>, moves: &mut Vec<PackedMove<M>>) -> Status<P> {
        self.rules.expand(state, moves)
    }

    #[inline]
    fn play(&self, state: &mut Words<S>, mv: PackedMove<M>) {
        *state = self.rules.after(state, mv);
    }

    #[inline]
    fn key(&self, state: &Words<S>) -> Words<K> {
        self.rules.key(state)
    }

    fn facts(&self) -> Facts {
        self.rules.facts()
    }

    #[inline]
    fn status(&self, state: &Words<S>) -> Status<P> {
        self.rules.status(state)
    }

    #[inline]
    fn after(&self, state: &Words<S>, mv: PackedMove<M>) -> Words<S> {
        self.rules.after(state, mv)
    }

    #[inline]
    fn children(
        &self,
        state: &Words<S>,
        moves: &mut Vec<PackedMove<M>>,
        children: &mut Vec<(Words<S>, Words<K>)>,
    ) -> Status<P> {
        self.rules.children(state, moves, children)
    }
}

#[warn(clippy::missing_trait_methods)]
impl<P: Payoff, const S: usize, const K: usize, const M: usize> Notation for Packed<P, S, K, M> {
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
}

#[warn(clippy::missing_trait_methods)]
impl<P: Payoff, const S: usize, const K: usize, const M: usize> Symmetric for Packed<P, S, K, M> {
    fn symmetries(&self) -> usize {
        self.rules.symmetries()
    }

    fn transform(&self, state: &Words<S>, index: usize) -> Words<S> {
        self.rules.transform(state, index)
    }

    fn transform_move(&self, state: &Words<S>, mv: PackedMove<M>, index: usize) -> PackedMove<M> {
        self.rules.transform_move(state, mv, index)
    }

    #[inline]
    fn canonical_key(&self, state: &Words<S>) -> Words<K> {
        self.rules.canonical_key(state)
    }
}

#[warn(clippy::missing_trait_methods)]
impl<P: Payoff, const S: usize, const K: usize, const M: usize> Playouts for Packed<P, S, K, M> {
    fn random_move(
        &self,
        state: &Words<S>,
        _moves: &mut Vec<PackedMove<M>>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<PackedMove<M>, P> {
        self.rules.random_move(state, below)
    }

    fn playout(
        &self,
        state: Words<S>,
        most: u32,
        _moves: &mut Vec<PackedMove<M>>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<P>, u32) {
        self.rules.playout(&state, most, below)
    }

    fn play_all(&self, state: &mut Words<S>, moves: &[PackedMove<M>]) {
        *state = self.rules.after_all(state, moves);
    }

    fn perft(&self, state: &Words<S>, depth: usize, finished: bool, budget: &Budget) -> Result<Perft, Stop> {
        let count = |state: &Words<S>, ply, tally: &mut Tally| self.rules.count(state, ply, tally);
        perft_by(self, state, depth, finished, budget, count)
    }
}

#[warn(clippy::missing_trait_methods)]
impl<P: Payoff, const S: usize, const K: usize, const M: usize> Heuristic for Packed<P, S, K, M> {
    #[inline]
    fn heuristic(&self, state: &Words<S>) -> EstimateOf<Self> {
        self.rules.heuristic(state)
    }

    #[inline]
    fn heuristic_of(&self, state: &Words<S>, player: Player) -> f32 {
        self.rules.heuristic_of(state, player)
    }

    #[inline]
    fn heuristics(&self, states: &[Words<S>], out: &mut Vec<EstimateOf<Self>>) {
        self.rules.heuristics(states, out);
    }
}

#[warn(clippy::missing_trait_methods)]
impl<P: Payoff, const S: usize, const K: usize, const M: usize> Features for Packed<P, S, K, M> {
    fn layout(&self) -> Option<Layout> {
        self.rules.layout()
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
}

#[warn(clippy::missing_trait_methods)]
impl<P: Payoff, const S: usize, const K: usize, const M: usize> SolverHints for Packed<P, S, K, M> {
    #[inline]
    fn score_bounds(&self, state: &Words<S>) -> (i32, i32) {
        self.rules.score_bounds(state)
    }

    #[inline]
    fn solver_successors(
        &self,
        state: &Words<S>,
        _moves: &mut Vec<PackedMove<M>>,
        successors: &mut Vec<Successor<Words<S>, PackedMove<M>>>,
    ) -> Status<P> {
        self.rules.solver_successors(state, successors)
    }

    fn exact_index_bits(&self) -> u32 {
        self.rules.exact_index_bits()
    }

    #[inline]
    fn exact_index(&self, state: &Words<S>) -> u64 {
        self.rules.exact_index(state)
    }
}

#[warn(clippy::missing_trait_methods)]
impl<P: Payoff, const S: usize, const K: usize, const M: usize> OrderingHints for Packed<P, S, K, M> {
    fn order_score(&self, state: &Words<S>, mv: PackedMove<M>) -> i32 {
        self.rules.order_hint(state, mv).score
    }

    fn history_index(&self, state: &Words<S>, mv: PackedMove<M>) -> usize {
        self.rules.order_hint(state, mv).history
    }

    #[inline]
    fn order_hints(&self, state: &Words<S>, moves: &[PackedMove<M>], hints: &mut Vec<OrderHint>) {
        self.rules.order_hints(state, moves, hints);
    }

    #[inline]
    fn noisy_moves(&self, state: &Words<S>, moves: &mut Vec<PackedMove<M>>) {
        self.rules.noisy_moves(state, moves);
    }

    #[inline]
    fn null_move(&self, state: &Words<S>) -> Option<Words<S>> {
        self.rules.null_move(state)
    }

    #[inline]
    fn leaf(
        &self,
        state: &Words<S>,
        mv: PackedMove<M>,
        player: Option<Player>,
        noisy: Option<&mut Vec<PackedMove<M>>>,
    ) -> Leaf<Words<S>, P> {
        self.rules.leaf(state, mv, player, noisy)
    }
}

#[warn(clippy::missing_trait_methods)]
impl<P: Payoff, const S: usize, const K: usize, const M: usize> Persist for Packed<P, S, K, M> {
    fn stable_keys(&self) -> bool {
        self.rules.stable_keys()
    }

    fn kept_bytes(&self) -> usize {
        self.rules.kept_bytes()
    }
}
