//! Connect6: six stones in a row win; one stone first, then two in every turn.
//!
//! Every stone is a move of its own, so a player moves twice in a row. The order of the two does not matter: both
//! orders lead to the same state. The rules are those of [`crate::gomoku`] with other numbers.

use perfectplay_core::{GameInfo, OptionSet, Params, Setting, TextError, Visitor, options};

use crate::gomoku::{Rules, open_rows};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "connect6",
    summary: "six stones in a row win; one stone first, then two in every turn",
    players: "2",
    parameters: Parameters::docs,
    examples: &["connect6:7", "connect6:19"],
    rules: "The first player puts one stone; from then on every turn puts two. Six or more stones of one player in a \
straight row win, and the game ends with the stone that makes them; a full board without them is a draw.

Every stone is a move of its own, so a player moves twice in a row. Positions and points are written as in Gomoku; the \
number of stones says who moves.",
    sources: &["I-C. Wu, D.-Y. Huang, H.-C. Chang, Connect6, ICGA Journal 28(4) (2005)"],
};

options! {
    struct Parameters {
        size: u32 = Setting::whole("size", "points along a side", 3..=19, 19).positional(),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size } = Parameters::read(INFO.name, params)?;
    Ok(open_rows(Rules { size, in_a_row: 6, stones_per_turn: 2, outer: false }, visitor))
}
