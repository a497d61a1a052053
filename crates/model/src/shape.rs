//! What a model is asked about: how many cells, values and numbers a state has, and how many outputs there are.

use perfectplay_core::{Facts, Layout};
use serde::{Deserialize, Serialize};

/// The form of a game's features, and of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Cells of the board.
    pub cells: usize,
    /// A cell's value is less than this.
    pub values: usize,
    /// Numbers beside the cells.
    pub numbers: usize,
    /// Players, each of whom may be the viewer.
    pub players: usize,
    /// One for two opposed players, otherwise one per player.
    pub outputs: usize,
}

impl Shape {
    /// That of a game with a board.
    pub fn new(layout: &Layout, facts: &Facts, opposed: bool) -> Self {
        Shape {
            cells: layout.cells.len(),
            values: layout.values.into(),
            numbers: layout.numbers.len(),
            players: facts.players,
            outputs: if opposed { 1 } else { facts.players },
        }
    }
}
