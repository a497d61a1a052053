//! Tic-tac-toe: three in a row on nine cells. The rules are those of [`crate::mnk`].

use perfectplay_core::{GameInfo, OptionSet, Params, TextError, Visitor};

use crate::mnk::Mnk2;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "tic-tac-toe",
    summary: "three in a row on nine cells",
    players: "2",
    parameters: <()>::docs,
    examples: &["tic-tac-toe"],
    rules: "Players put a stone of theirs on an empty cell of a board of three by three in turn. Three in a row, a \
column or a diagonal win; a full board is a draw.",
    sources: &[
        "J. Červeňan, Mathematical Perspective on Selected Games and Algorithmic Aspects of Solving Them (2025), §2.3",
    ],
};

/// Three in a row on 3×3.
pub type TicTacToe = Mnk2<u64>;

/// The game.
pub fn new() -> TicTacToe {
    TicTacToe::new(3, 3, 3)
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    <()>::read(INFO.name, params)?;
    Ok(visitor.zero_sum(new()))
}
