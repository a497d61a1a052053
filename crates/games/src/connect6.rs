//! Connect6: six stones in a row win; one stone first, then two in every turn.
//!
//! Every stone is a move of its own, so a player moves twice in a row. The order of the two does not matter: both
//! orders lead to the same state. The rules are those of [`crate::gomoku`] with other numbers.

use perfectplay_core::{GameInfo, OptionInfo, Params, TextError, Visitor};

use crate::gomoku::{Rules, open_rows};

/// The entry in the list of games.
pub const INFO: GameInfo = GameInfo {
    name: "connect6",
    summary: "six stones in a row win; one stone first, then two in every turn",
    players: "2",
    parameters: &[OptionInfo { name: "SIZE", meaning: "points along a side, also size=…; 3 to 19", default: "19" }],
    examples: &["connect6:7", "connect6:19"],
    rules: "The first player puts one stone; from then on every turn puts two. Six or more stones of one player in a \
straight row win, and the game ends with the stone that makes them; a full board without them is a draw.

Every stone is a move of its own, so a player moves twice in a row. Positions and points are written as in Gomoku; the \
number of stones says who moves.",
    sources: &["I-C. Wu, D.-Y. Huang, H.-C. Chang, Connect6, ICGA Journal 28(4) (2005)"],
};

/// Builds the board type that fits the size.
pub fn open<V: Visitor>(mut params: Params, visitor: V) -> Result<V::Output, TextError> {
    let size = params.take_first_number("size", 3..=19)?.unwrap_or(19) as u32;
    params.finish(INFO.name, INFO.parameters)?;
    Ok(open_rows(Rules { size, in_a_row: 6, stones_per_turn: 2, outer: false }, visitor))
}
