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

//OFFpub mod draughts;
pub mod seam;
pub mod support;

//OFFpub mod amazons;
//OFFpub mod arimaa;
//OFFpub mod ataxx;
//OFFpub mod brazilian_draughts;
pub mod breakthrough;
//OFFpub mod canadian_draughts;
//OFFpub mod chess;
//OFFpub mod chexers;
//OFFpub mod chinese_checkers;
//OFFpub mod clobber;
//OFFpub mod connect6;
pub mod connect_four;
//OFFpub mod domineering;
//OFFpub mod dots_and_boxes;
//OFFpub mod english_checkers;
//OFFpub mod go;
//OFFpub mod gomoku;
//OFFpub mod havannah;
pub mod hex;
//OFFpub mod international_draughts;
//OFFpub mod lines_of_action;
pub mod mnk;
pub mod nim;
//OFFpub mod nine_mens_morris;
//OFFpub mod open_tricks;
pub mod othello;
pub mod random;
//OFFpub mod rolit;
//OFFpub mod santorini;
pub mod script;
//OFFpub mod surakarta;
pub mod tic_tac_toe;
//OFFpub mod woodpush;
//OFFpub mod xiangqi;

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
    //OFFamazons,
    //OFFinternational_draughts,
    //OFFbrazilian_draughts,
    //OFFcanadian_draughts,
    //OFFenglish_checkers,
    //OFFgo,
    //OFFchess,
    //OFFarimaa,
    nim,
    //OFFchexers,
    //OFFchinese_checkers,
    //OFFrolit,
    //OFFopen_tricks,
    //OFFclobber,
    //OFFdomineering,
    //OFFdots_and_boxes,
    //OFFgomoku,
    //OFFconnect6,
    //OFFataxx,
    //OFFlines_of_action,
    //OFFnine_mens_morris,
    //OFFsantorini,
    //OFFsurakarta,
    //OFFhavannah,
    //OFFxiangqi,
    random,
    script,
    //OFFwoodpush,
}
