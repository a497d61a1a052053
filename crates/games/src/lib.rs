//! The games. Each is one file: rules, notation, drawing, facts.
//!
//! ```
//! use perfectplay_core::{Game, Notation, Player, Status, ZeroSum};
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

pub mod draughts;
pub mod seam;
pub mod support;

pub mod amazons;
pub mod arimaa;
pub mod ataxx;
pub mod brazilian_draughts;
pub mod breakthrough;
pub mod canadian_draughts;
pub mod chess;
pub mod chexers;
pub mod chinese_checkers;
pub mod clobber;
pub mod connect6;
pub mod connect_four;
pub mod domineering;
pub mod dots_and_boxes;
pub mod english_checkers;
pub mod go;
pub mod gomoku;
pub mod havannah;
pub mod hex;
pub mod international_draughts;
pub mod lines_of_action;
pub mod mnk;
pub mod nim;
pub mod nine_mens_morris;
pub mod open_tricks;
pub mod othello;
pub mod random;
pub mod rolit;
pub mod santorini;
pub mod script;
pub mod surakarta;
pub mod tic_tac_toe;
pub mod woodpush;
pub mod xiangqi;

macro_rules! games {
    ($($module:ident),* $(,)?) => {
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

// A new game is a file, declared above, and a word here.
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
