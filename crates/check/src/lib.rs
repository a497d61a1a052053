//! Checks claims by the rules alone. This crate has never seen a search.
//!
//! For now it replays lines: whoever says that a line of moves is legal and ends the game with a certain payoff can be
//! checked here.
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

use perfectplay_core::Game;

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
