//! Symmetries of the rules.

use crate::Game;

/// Maps of states onto states that the rules do not notice. Provided: the identity alone.
pub trait Symmetric: Game {
    /// How many symmetries the rules have, the identity (index 0) among them.
    fn symmetries(&self) -> usize {
        1
    }

    /// The image of a state under symmetry `index`.
    fn transform(&self, state: &Self::State, index: usize) -> Self::State {
        debug_assert_eq!(index, 0, "this game declares no symmetry but the identity");
        *state
    }

    /// The image of a legal move of `state` under symmetry `index`: playing it commutes with [`Symmetric::transform`].
    fn transform_move(&self, _state: &Self::State, mv: Self::Move, index: usize) -> Self::Move {
        debug_assert_eq!(index, 0, "this game declares no symmetry but the identity");
        mv
    }

    /// One key for a state and all its images. Override where the least image can be found faster, or where a state has
    /// symmetries that not all states have (a board without pawns can be turned): states with the same key must have
    /// the same value.
    fn canonical_key(&self, state: &Self::State) -> Self::Key {
        let images = (1..self.symmetries()).map(|i| self.key(&self.transform(state, i)));
        images.fold(self.key(state), Ord::min)
    }
}
