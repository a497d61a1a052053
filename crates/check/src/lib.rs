//! Checks claims by the rules alone. This crate has never seen a search.
//!
//! - [`check_file`] checks a certificate: the claim about a position's value that `perfectplay solve --proof` writes,
//!   with
//!   strategies that prove it. [`mod@format`] and [`mod@write`] hold the file format, [`mod@verify`] the checker.
//! - [`strategy`] checks a certificate, too, and then tells what it says to play.
//! - [`mod@table`] holds and checks the values of all positions that can be reached, as retrograde analysis writes
//!   them.
//! - [`replay`] checks a line of moves.
//!
//! ```
//! use perfectplay_check::replay;
//! use perfectplay_core::{Game, Status, ZeroSum};
//! use perfectplay_games::connect_four::ConnectFour;
//!
//! let game = ConnectFour::<u64>::new(7, 6);
//! let end = replay(&game, game.start(), &[3, 3, 2, 2, 1, 1, 0])?;
//! assert_eq!(game.status(&end), Status::Over(ZeroSum(18)));
//! assert!(replay(&game, game.start(), &[3, 9]).is_err());
//! # Ok::<(), perfectplay_check::Illegal>(())
//! ```
#![forbid(unsafe_code)]

pub mod bytes;
mod error;
pub mod format;
mod open;
mod say;
pub mod table;
pub mod verify;
pub mod write;

use perfectplay_core::Game;

pub use error::Error;
pub use format::{Claim, Header, Part, VERSION};
pub use open::{Proof, Strategy, check, check_file, check_game_file, check_parts, strategy};
pub use verify::Checked;

/// A move that the rules do not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {} of the line is not legal", index + 1)]
pub struct Illegal {
    /// Which move of the line, counted from 0.
    pub index: usize,
}

/// The state after `line`, every move of which must be legal.
pub fn replay<G: Game>(game: &G, mut state: G::State, line: &[G::Move]) -> Result<G::State, Illegal> {
    let mut legal = Vec::new();
    for (index, &mv) in line.iter().enumerate() {
        legal.clear();
        game.expand(&state, &mut legal);
        if !legal.contains(&mv) {
            return Err(Illegal { index });
        }
        game.play(&mut state, mv);
    }
    Ok(state)
}
