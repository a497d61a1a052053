//! What a learner, a page or a drawing sees of a state: a board of cells, and a few numbers.

use crate::Game;

/// How cells lie beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lattice {
    /// Columns and rows. A cell at (x, y) touches (x ± 1, y) and (x, y ± 1), and by its corners the other four around.
    Square,
    /// Axial coordinates of hexagons: a cell at (x, y) touches (x ± 1, y), (x, y ± 1), (x + 1, y - 1) and (x - 1, y +
    /// 1).
    Hexagonal,
}

/// The cells of a board, and what can be said about a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How the cells lie.
    pub lattice: Lattice,
    /// Where each cell lies, as (column, row) counted from the lower left, or in axial coordinates.
    pub cells: Vec<(i16, i16)>,
    /// A cell's value is less than this.
    pub values: u8,
    /// What [`Features::numbers`] tells, in words: as many as it pushes.
    pub numbers: &'static [&'static str],
}

/// Board and numbers of a state, seen by the player to move. Provided: none.
///
/// Laws: as many values as cells, each less than [`Layout::values`]; as many numbers as [`Layout::numbers`]; states
/// with equal features have the same mover up to the exchange of players, as far as the rules treat players alike.
pub trait Features: Game {
    /// The board; `None` if the game has none.
    fn layout(&self) -> Option<Layout> {
        None
    }

    /// Pushes a value for every cell, from the mover's side: "mine" and "theirs" rather than "first" and "second".
    fn cell_values(&self, _state: &Self::State, _out: &mut Vec<u8>) {}

    /// Pushes a few numbers about the whole state that cells do not show, each about -1 … 1.
    fn numbers(&self, _state: &Self::State, _out: &mut Vec<f32>) {}
}
