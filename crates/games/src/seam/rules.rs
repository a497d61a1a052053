//! What a game can do, without its types: the table of functions behind the seam.

use perfectplay_core::{
    Drawing, Facts, FeatureBatch, Layout, Leaf, OrderHint, Payoff, Player, Status, Stop, Successor, Tally, TextError,
};

use super::words::{PackedMove, Words};

/// Draws a number below another one.
pub(crate) type Below<'a> = &'a mut dyn FnMut(usize) -> usize;

/// The methods of [`FullGame`](perfectplay_core::FullGame) on packed states of `S` words with keys of `K` words and
/// moves of `M` half words.
pub(crate) trait Rules<P: Payoff, const S: usize, const K: usize, const M: usize>: Send + Sync {
    // What is asked millions of times per second.
    fn expand(&self, state: &Words<S>, moves: &mut Vec<PackedMove<M>>) -> Status<P>;
    fn status(&self, state: &Words<S>) -> Status<P>;
    fn after(&self, state: &Words<S>, mv: PackedMove<M>) -> Words<S>;
    fn after_all(&self, state: &Words<S>, moves: &[PackedMove<M>]) -> Words<S>;
    fn key(&self, state: &Words<S>) -> Words<K>;
    fn children(
        &self,
        state: &Words<S>,
        moves: &mut Vec<PackedMove<M>>,
        children: &mut Vec<(Words<S>, Words<K>)>,
    ) -> Status<P>;
    fn canonical_key(&self, state: &Words<S>) -> Words<K>;
    fn heuristic(&self, state: &Words<S>) -> P::Estimate;
    fn heuristic_of(&self, state: &Words<S>, player: Player) -> f32;
    fn heuristics(&self, states: &[Words<S>], out: &mut Vec<P::Estimate>);
    fn random_move(&self, state: &Words<S>, below: Below<'_>) -> Result<PackedMove<M>, P>;
    fn playout(&self, state: &Words<S>, most: u32, below: Below<'_>) -> (Option<P>, u32);
    fn score_bounds(&self, state: &Words<S>) -> (i32, i32);
    fn solver_successors(
        &self,
        state: &Words<S>,
        successors: &mut Vec<Successor<Words<S>, PackedMove<M>>>,
    ) -> Status<P>;
    fn exact_index(&self, state: &Words<S>) -> u64;
    fn order_hint(&self, state: &Words<S>, mv: PackedMove<M>) -> OrderHint;
    fn order_hints(&self, state: &Words<S>, moves: &[PackedMove<M>], hints: &mut Vec<OrderHint>);
    fn noisy_moves(&self, state: &Words<S>, moves: &mut Vec<PackedMove<M>>);
    fn null_move(&self, state: &Words<S>) -> Option<Words<S>>;
    fn leaf(
        &self,
        state: &Words<S>,
        mv: PackedMove<M>,
        player: Option<Player>,
        noisy: Option<&mut Vec<PackedMove<M>>>,
    ) -> Leaf<Words<S>, P>;
    fn cell_values(&self, state: &Words<S>, out: &mut Vec<u8>);
    fn numbers(&self, state: &Words<S>, out: &mut Vec<f32>);
    fn viewer(&self, state: &Words<S>) -> Player;
    fn features(&self, states: &[Words<S>], out: &mut FeatureBatch);

    // What is asked now and then.
    fn start(&self) -> Words<S>;
    fn facts(&self) -> Facts;
    fn storage(&self) -> Storage;
    fn position_text(&self, state: &Words<S>) -> String;
    fn parse_position(&self, text: &str) -> Result<Words<S>, TextError>;
    fn position_note(&self, text: &str) -> Option<String>;
    fn move_text(&self, state: &Words<S>, mv: PackedMove<M>) -> String;
    fn parse_move(&self, state: &Words<S>, text: &str) -> Result<PackedMove<M>, TextError>;
    fn drawing(&self, state: &Words<S>) -> Drawing;
    fn symmetries(&self) -> usize;
    fn transform(&self, state: &Words<S>, index: usize) -> Words<S>;
    fn transform_move(&self, state: &Words<S>, mv: PackedMove<M>, index: usize) -> PackedMove<M>;
    fn count(&self, state: &Words<S>, ply: usize, tally: &mut Tally) -> Result<(), Stop>;
    fn layout(&self) -> Option<Layout>;
    fn exact_index_bits(&self) -> u32;
    fn stable_keys(&self) -> bool;
    fn kept_bytes(&self) -> usize;
    #[cfg(feature = "laws")]
    fn broken_law(&self, state: &Words<S>) -> Option<&'static str>;
}

/// How the states of a game are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Inline, as plain words: what state, key and move take, in bytes.
    Packed {
        /// Of [`Words::BYTES`] for states.
        state: usize,
        /// Of [`Words::BYTES`] for keys.
        key: usize,
        /// Of [`PackedMove::BYTES`].
        mv: usize,
    },
    /// On the heap, by number: no class has room for them.
    Heap,
}
