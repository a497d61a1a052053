//! The games. Each is one file: rules, notation, drawing, facts.
//!
//! ```
//! use perfectplay_core::{Game, Player, Status, ZeroSum};
//! use perfectplay_games::connect_four::ConnectFour;
//!
//! let game = ConnectFour::<u64>::new(7, 6);
//! let mut state = game.start();
//! for text in ["4", "4", "3", "3", "2", "2", "1"] {
//!     let column = game.parse_move(&state, text)?;
//!     game.play(&mut state, column);
//! }
//! assert_eq!(game.position_text(&state), "7/7/7/7/1OOO3/XXXX3");
//! assert_eq!(game.status(&state), Status::Over(ZeroSum(18))); // the first player has 18 of 21 + 1 stones left
//! # Ok::<(), perfectplay_core::TextError>(())
//! ```
#![forbid(unsafe_code)]

use perfectplay_core::{GameInfo, Spec, TextError, Visitor};

pub mod bits;
pub mod board;
pub mod boxed;
pub mod draughts;
mod enclose;
mod fen;
mod grid;
pub mod memory;
mod past;
mod playout;
pub mod teams;
#[cfg(test)]
mod uniform;

macro_rules! games {
    ($($module:ident),* $(,)?) => {
        $(pub mod $module;)*

        /// Every game, in the order in which users see them.
        pub const GAMES: &[&GameInfo] = &[$(&$module::INFO),*];

        /// Opens the game that `spec` names and hands it to `visitor`; `None` if there is no such game.
        pub fn open<V: Visitor>(spec: Spec, visitor: V) -> Option<Result<V::Output, TextError>> {
            $(if spec.name == $module::INFO.name {
                return Some($module::open(spec.params, visitor));
            })*
            None
        }
    };
}

/// Opens the game that `spec` names if it is one of those with types worth compiling algorithms for ([`Game::NATIVE`]).
///
/// [`Game::NATIVE`]: perfectplay_core::Game::NATIVE
pub fn open_native<V: Visitor>(spec: Spec, visitor: V) -> Option<Result<V::Output, TextError>> {
    match spec.name.as_str() {
        "connect-four" => Some(connect_four::open(spec.params, visitor)),
        "mnk" => Some(mnk::open(spec.params, visitor)),
        "breakthrough" => Some(breakthrough::open(spec.params, visitor)),
        "chexers" => Some(chexers::open(spec.params, visitor)),
        "chinese-checkers" => Some(chinese_checkers::open(spec.params, visitor)),
        "hex" => Some(hex::open(spec.params, visitor)),
        _ => None,
    }
}

/// Opens the game that `spec` names in a box; `None` if there is no such game.
///
/// Not generic: what the box needs of every game is compiled in this crate, once. (Not again for its unit tests, which do
/// not use it.)
#[cfg(not(test))]
pub fn open_boxed(spec: Spec) -> Option<Result<boxed::AnyBoxed, TextError>> {
    open(spec, boxed::Boxer)
}

// A new game is one file and one word here.
games! {
    tic_tac_toe,
    mnk,
    connect_four,
    breakthrough,
    hex,
    othello,
    amazons,
    international_draughts,
    brazilian_draughts,
    canadian_draughts,
    english_checkers,
    go,
    chess,
    arimaa,
    nim,
    chexers,
    chinese_checkers,
    rolit,
    open_tricks,
    clobber,
    domineering,
    dots_and_boxes,
    gomoku,
    connect6,
    ataxx,
    lines_of_action,
    nine_mens_morris,
    santorini,
    surakarta,
    havannah,
    xiangqi,
    random,
    script,
    woodpush,
}
