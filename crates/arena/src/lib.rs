//! Matches, tournaments and experiments: which player is better, and how sure is that?
//!
//! A player is a text ([`PlayerSpec`]), a tournament a value ([`Tournament`]) whose games are all known before the
//! first one is played ([`Job`]). [`Tournament::run`] plays what the [`Store`] does not have yet and commits every game
//! as it ends, so a tournament that was killed goes on where it was. [`Table`] says what the games mean.
//!
//! ```
//! use perfectplay_arena::{Conditions, PlayerSpec, RunOptions, Store, Table, Tournament};
//!
//! let players = ["ubfm@nodes=200", "random"].map(|text| PlayerSpec::parse(text).unwrap());
//! let conditions = Conditions { rounds: Some(5), ..Conditions::default() };
//! let tournament = Tournament::new("tic-tac-toe", players.to_vec(), conditions)?;
//! let mut store = Store::in_memory()?;
//! tournament.run(&mut store, &RunOptions::default(), &mut |_| {})?;
//! let games = tournament.games(&store)?;
//! let table = Table::new(&tournament.labels(), &games);
//! assert_eq!(table.rows.iter().map(|row| row.games).collect::<Vec<_>>(), [10, 10]);
//! # Ok::<(), perfectplay_arena::Error>(())
//! ```

mod charts;
mod dice;
mod engine;
pub mod experiments;
mod export;
pub mod levels;
mod match_play;
mod opening;
mod perfect;
mod player;
mod report;
mod runner;
mod schedule;
pub mod stats;
mod store;
mod table;
mod task;

use perfectplay_core::TextError;

pub use export::{move_lists, pgn};
pub use match_play::{Ending, GameRecord, Played, Rules, play_game};
pub use opening::{Opening, Openings};
pub use player::{Choice, Fault, Limits, Player, PlayerSpec, Seat};
pub use report::{Incident, Report};
pub use runner::{Conditions, End, Progress, RunOptions, Tournament};
pub use schedule::{Job, Kind, Seatings};
pub use store::{Listed, Shard, Store};
pub use table::{Pair, Row, Table};
pub use task::{Games, Plan, Planned, ProofTask, Proved};

/// What went wrong before or between games: always one sentence. What goes wrong within a game loses that game instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A game or an algorithm.
    #[error(transparent)]
    Catalog(#[from] perfectplay_catalog::Error),
    /// A player's text.
    #[error("bad player \"{player}\": {reason}")]
    Player {
        /// As it was typed.
        player: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The store.
    #[error("cannot use the store {file}: {reason}")]
    Store {
        /// Its name.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Openings.
    #[error("bad openings: {0}")]
    Openings(String),
    /// Anything else that was asked for and cannot be.
    #[error("{0}")]
    Request(String),
}

impl From<TextError> for Error {
    fn from(error: TextError) -> Self {
        Error::Catalog(error.into())
    }
}
