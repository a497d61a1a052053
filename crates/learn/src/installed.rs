//! Models that come with the program, embedded: `data/models` (docs/learning.md tells how each was made and measured).

use perfectplay_catalog::{ModelEntry, install_models};

macro_rules! models {
    ($($name:literal, $game:literal, $player:expr;)*) => {
        /// Every model of `data/models`: its name, its game, and the player that was measured to be stronger with it
        /// than the program's choice without.
        const MODELS: &[ModelEntry] = &[$(ModelEntry {
            name: $name,
            game: $game,
            player: $player,
            bytes: include_bytes!(concat!("../../../data/models/", $name, ".zst")),
        },)*];
    };
}

models! {
    "connect-four-7x6", "connect-four:7x6", Some("ubfm:eval=learned,decision=safest");
    "othello-8", "othello:8", Some("ubfm:eval=learned,decision=safest");
    "ataxx-7", "ataxx:7", Some("ubfm:eval=learned,decision=safest");
    "amazons-10", "amazons:10", None;
    "arimaa", "arimaa", None;
    "breakthrough-8x8", "breakthrough:8x8", Some("ubfm:eval=learned,decision=safest");
    "brazilian-draughts", "brazilian-draughts", None;
    "canadian-draughts", "canadian-draughts", None;
    "clobber-10x10", "clobber:10x10", None;
    "connect6-19", "connect6:19", None;
    "international-draughts", "international-draughts", None;
    "chess", "chess", None;
    "go-9", "go:9", None;
    "gomoku-15-opening-outer", "gomoku:15,opening=outer", None;
    "havannah-8", "havannah:8", Some("ubfm:eval=learned,decision=safest");
    "hex-11", "hex:11", Some("ubfm:eval=learned,decision=safest");
    "hex-13", "hex:13", Some("ubfm:eval=learned,decision=safest");
    "hex-19", "hex:19", None;
    "lines-of-action", "lines-of-action", Some("ubfm:eval=learned,decision=safest");
    "othello-10", "othello:10", Some("ubfm:eval=learned,decision=safest");
    "santorini", "santorini", Some("ubfm:eval=learned,decision=safest");
    "surakarta", "surakarta", Some("alpha-beta:eval=learned");
    "chinese-checkers-6-players-3", "chinese-checkers:6,players=3", Some("paranoid:eval=learned");
    "rolit-4-players-3", "rolit:4,players=3", None;
    "xiangqi-rules-olympiad", "xiangqi:rules=olympiad", None;
}

/// Makes them known to the catalog: `eval=learned` finds them.
pub fn install() {
    install_models(MODELS);
}
