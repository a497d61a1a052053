//! English draughts, or checkers: 8×8, short kings, any capture may be chosen. The rules are in [`crate::draughts`].

use perfectplay_core::{GameInfo, OptionSet, Params, Setting, TextError, Visitor, options};

use crate::draughts::{Draughts, Rules};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "english-checkers",
    summary: "draughts on 8x8, short kings, any capture may be chosen",
    players: "2",
    parameters: Parameters::docs,
    examples: &["english-checkers", "english-checkers:draws=loose"],
    rules: "Each player has twelve men on the dark squares of the nearest rows; Black, at the top, moves first. A man \
moves one square forward, a king one square in any direction. A man captures forward by jumping over an enemy next to \
it onto the empty square behind it, a king in any direction. A capture is forced and goes on as long as it can, but \
any of the captures may be chosen. A man that reaches the last row becomes a king and its move ends there. Who cannot \
move loses.

A draw: 40 moves of each side by kings only and without capture, or a position that occurs for the third time with the \
same player to move. With draws=loose neither is: a game need not end, and then counts as a draw.

Positions are written as in PDN, `B:W21-32:B1-12` with `K` before the squares of kings, square 1 at the top left; \
moves as `11-15` and `15x24`, with the squares between where that could mean several captures. Captures that differ \
only in the way they go are one move.",
    sources: &[
        "American Checker Federation, rules of the game",
        "R. Halbersma, dctl: move generation and perft counts",
        "J. Schaeffer et al., Checkers Is Solved (2007): a draw",
    ],
};

/// On 8×8.
pub type Checkers = Draughts<u64>;

options! {
    struct Parameters {
        endless: bool = Setting::choice(
            "draws",
            "what makes a draw",
            &[
                ("rules", "third repetition, 40 moves without progress", false),
                ("loose", "nothing; positions may return for ever", true),
            ],
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { endless } = Parameters::read(INFO.name, params)?;
    Ok(visitor.zero_sum(Checkers::new(Rules { endless, ..Rules::english() })))
}
