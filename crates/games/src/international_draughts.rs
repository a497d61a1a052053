//! International draughts: 10×10, flying kings, the longest capture is forced. The rules are in [`crate::draughts`].

use perfectplay_core::{GameInfo, OptionSet, Params, TextError, Visitor};

use crate::draughts::{self, Draughts};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "international-draughts",
    summary: "draughts on 10x10, flying kings, the longest capture is forced",
    players: "2",
    parameters: draughts::Parameters::docs,
    examples: &["international-draughts", "international-draughts:endings=drawn"],
    rules: draughts::international_rules!("twenty", "W:W31-50:B1-20"),
    sources: &[
        "World Draughts Federation (FMJD), official rules",
        "R. Halbersma, dctl: move generation and perft counts",
    ],
};

/// On 10×10, of whose cells half are played on: they fit 64 bits.
pub type International = Draughts<u64>;

/// The game with or without early draws.
pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    draughts::open_international::<u64, V>(&INFO, 10, params, visitor)
}
