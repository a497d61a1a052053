//! What a learner, a page or a drawing sees of a state: a board of cells, and a few numbers.

use crate::{Game, Player, Status};

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
/// with equal features have the same mover up to the exchange of players, as far as the rules treat players alike; the
/// viewer of an unfinished state is its mover.
pub trait Features: Game {
    /// The board; `None` if the game has none.
    fn layout(&self) -> Option<Layout> {
        None
    }

    /// Pushes a value for every cell, from the mover's side: "mine" and "theirs" rather than "first" and "second".
    fn cell_values(&self, _state: &Self::State, _out: &mut Vec<u8>) {}

    /// Pushes a few numbers about the whole state that cells do not show, each about -1 … 1.
    fn numbers(&self, _state: &Self::State, _out: &mut Vec<f32>) {}

    /// From whose side cells and numbers are told: who moves, or in a finished state whose turn it would be. Override
    /// where that costs less than listing moves, and wherever finished states have features.
    fn viewer(&self, state: &Self::State) -> Player {
        match self.status(state) {
            Status::Turn(mover) => mover,
            Status::Over(_) => Player::FIRST,
        }
    }

    /// Appends the features of many states. Only a wrapper has reason to override this.
    fn features(&self, states: &[Self::State], out: &mut FeatureBatch) {
        for state in states {
            out.viewers.push(self.viewer(state).index() as u8);
            self.cell_values(state, &mut out.cells);
            self.numbers(state, &mut out.numbers);
        }
    }
}

/// The features of several states, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureBatch {
    /// From whose side each is told.
    pub viewers: Vec<u8>,
    /// As many values per state as the board has cells.
    pub cells: Vec<u8>,
    /// As many per state as [`Layout::numbers`] has.
    pub numbers: Vec<f32>,
}

impl FeatureBatch {
    /// How many states.
    pub fn len(&self) -> usize {
        self.viewers.len()
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.viewers.is_empty()
    }

    /// Forgets all states.
    pub fn clear(&mut self) {
        self.viewers.clear();
        self.cells.clear();
        self.numbers.clear();
    }

    /// Viewer, cells and numbers of one state.
    pub fn get(&self, i: usize) -> (u8, &[u8], &[f32]) {
        let (cells, numbers) = (self.cells.len() / self.len(), self.numbers.len() / self.len());
        (self.viewers[i], &self.cells[i * cells..][..cells], &self.numbers[i * numbers..][..numbers])
    }

    /// Appends one state of another batch.
    pub fn push(&mut self, (viewer, cells, numbers): (u8, &[u8], &[f32])) {
        self.viewers.push(viewer);
        self.cells.extend_from_slice(cells);
        self.numbers.extend_from_slice(numbers);
    }
}
