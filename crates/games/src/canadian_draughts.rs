//! Canadian draughts: the international rules on 12×12. The rules are in [`crate::draughts`].

use perfectplay_core::{GameInfo, OptionSet, Params, TextError, Visitor};

use crate::draughts::{self, Draughts};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "canadian-draughts",
    summary: "draughts on 12x12, flying kings, the longest capture is forced",
    players: "2",
    parameters: draughts::Parameters::docs,
    examples: &["canadian-draughts", "canadian-draughts:endings=drawn"],
    rules: draughts::international_rules!("thirty", "W:W43-72:B1-30"),
    sources: &[
        "Association québécoise des joueurs de dames, rules",
        "R. Halbersma, dctl: move generation and perft counts",
    ],
};

/// On 12×12, whose 72 cells do not fit 64 bits.
pub type Canadian = Draughts<u128>;

/// The game with or without early draws.
pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    draughts::open_international::<u128, V>(&INFO, 12, params, visitor)
}
