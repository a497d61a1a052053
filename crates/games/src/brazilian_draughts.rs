//! Brazilian draughts: the international rules on 8×8. The rules are in [`crate::draughts`].

use perfectplay_core::{GameInfo, OptionSet, Params, TextError, Visitor};

use crate::draughts::{self, Draughts};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "brazilian-draughts",
    summary: "draughts on 8x8, flying kings, the longest capture is forced",
    players: "2",
    parameters: draughts::Parameters::docs,
    examples: &["brazilian-draughts", "brazilian-draughts:endings=drawn"],
    rules: draughts::international_rules!("twelve", "W:W21-32:B1-12"),
    sources: &[
        "World Draughts Federation (FMJD), rules of Draughts-64",
        "R. Halbersma, dctl: move generation and perft counts",
    ],
};

/// On 8×8.
pub type Brazilian = Draughts<u64>;

/// The game with or without early draws.
pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    draughts::open_international::<u64, V>(&INFO, 8, params, visitor)
}
