//! Brazilian draughts: the international rules on 8×8. The rules are in [`crate::draughts`].

use perfectplay_core::{GameInfo, Params, TextError, Visitor};

use crate::draughts::{self, Draughts};

/// Name and parameters.
pub const INFO: GameInfo = GameInfo {
    name: "brazilian-draughts",
    summary: "draughts on 8x8, flying kings, the longest capture is forced",
    players: "2",
    parameters: &[draughts::ENDINGS],
    examples: &["brazilian-draughts", "brazilian-draughts:endings=drawn"],
    rules: "Each player has twelve men on the dark squares of the nearest rows; White, at the bottom, moves first. A man moves one square forward to an empty dark square. A man captures by jumping over an enemy next to it, in any \
direction, onto the empty square behind it; a king moves over any number of empty squares and captures a piece at any \
distance, landing on any empty square behind it. A capture goes on as long as it can. It is forced, and among all captures \
one that takes the most pieces must be chosen (men and kings count alike). Captured pieces stay on the board until the \
move is complete: they cannot be jumped twice and are in the way. A man whose move ends on the last row becomes a king. \
Who cannot move loses.

A draw: 25 moves of each side by kings only and without capture; 16 moves of each side with three pieces, at least one \
king among them, against a king; a position that occurs for the third time with the same player to move. With \
`endings=drawn` one or two kings against one king are a draw at once.

Positions are written as in PDN, `W:W31-50:B1-20` with `K` before the squares of kings, square 1 at the top left; moves as \
`32-28` and `32x23`, with the squares between where that could mean several captures. Captures that differ only in the way \
they go are one move.",
    sources: &[
        "World Draughts Federation (FMJD), rules of Draughts-64",
        "R. Halbersma, dctl: move generation and perft counts",
    ],
};

/// The rules.
pub type Brazilian = Draughts<u64>;

/// The game with or without early draws.
pub fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    draughts::open_international::<u64, V>(&INFO, 8, params, visitor)
}
