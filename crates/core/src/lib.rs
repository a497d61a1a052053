//! The vocabulary of `perfectplay`: what a game is, who plays it, what it is worth, and what a search may spend.
//!
//! No search lives here. A game is one value that implements [`Game`]:
//!
//! ```
//! use perfectplay_core::*;
//!
//! /// Take one or two matches from the heap; who takes the last one wins.
//! struct Matches(u8);
//!
//! impl Game for Matches {
//!     type State = (u8, Player);
//!     type Move = u8;
//!     type Payoff = ZeroSum;
//!     type Key = (u8, Player);
//!     fn start(&self) -> (u8, Player) {
//!         (self.0, Player::FIRST)
//!     }
//!     fn expand(&self, &(left, mover): &(u8, Player), moves: &mut Vec<u8>) -> Status<ZeroSum> {
//!         if left == 0 {
//!             return Status::Over(ZeroSum::win_for(mover.opponent()));
//!         }
//!         moves.extend(1..=left.min(2));
//!         Status::Turn(mover)
//!     }
//!     fn play(&self, state: &mut (u8, Player), taken: u8) {
//!         *state = (state.0 - taken, state.1.opponent());
//!     }
//!     fn key(&self, state: &(u8, Player)) -> (u8, Player) {
//!         *state
//!     }
//!     fn facts(&self) -> Facts {
//!         Facts { length: Some(self.0.into()), ..Facts::win_draw_loss::<ZeroSum>() }
//!     }
//! }
//!
//! impl Notation for Matches {
//!     fn position_text(&self, &(left, mover): &(u8, Player)) -> String {
//!         format!("{left} {}", mover.index() + 1)
//!     }
//!     fn parse_position(&self, text: &str) -> Result<(u8, Player), TextError> {
//!         let expected = || TextError::new(format!("expected \"MATCHES PLAYER\", got \"{text}\""));
//!         let (left, mover) = text.split_once(' ').ok_or_else(expected)?;
//!         let left = left.parse().ok().filter(|&n| n <= self.0).ok_or_else(expected)?;
//!         let mover = match mover { "1" => Player::FIRST, "2" => Player::SECOND, _ => return Err(expected()) };
//!         Ok((left, mover))
//!     }
//!     fn move_text(&self, _: &(u8, Player), taken: u8) -> String {
//!         taken.to_string()
//!     }
//! }
//!
//! let game = Matches(3);
//! let mut state = game.start();
//! for text in ["2", "1"] {
//!     let mv = game.parse_move(&state, text)?;
//!     game.play(&mut state, mv);
//! }
//! assert_eq!(game.status(&state), Status::Over(ZeroSum::win_for(Player::SECOND)));
//! assert_eq!(perft(&game, &game.start(), 3, true, &Budget::unlimited()).unwrap().finished, [0, 2, 1]);
//! # Ok::<(), TextError>(())
//! ```
#![forbid(unsafe_code)]

mod answer;
mod budget;
mod drawing;
mod evaluate;
mod facts;
mod features;
mod game;
mod heuristic;
mod length;
mod model;
mod notation;
mod observe;
mod options;
mod ordering_hints;
mod payoff;
mod perft;
mod persist;
mod plain;
mod player;
mod playouts;
pub mod random;
mod record;
mod share_out;
mod solver_hints;
mod spec;
mod symmetric;
mod text;
mod units;
mod visit;

pub use answer::{Answer, Effort, MoveReport, SolveStatus, Verdict};
pub use budget::{Budget, HeldElsewhere, Ledger, Meter, Stop, StopHandle};
pub use drawing::{Cell, Clicks, Colour, Drawing, Figures, Look, Shape, Sides, column_letters, escape_xml, sign_of};
pub use evaluate::{EstimateOf, Evaluator};
pub use facts::Facts;
pub use features::{FeatureBatch, Features, Lattice, Layout};
pub use game::{FullGame, Game, Status};
pub use heuristic::Heuristic;
pub use length::{LONGEST, one_ply_earlier, plies_of};
pub use model::{Evaluation, Model, ModelScratch, estimate};
pub use notation::Notation;
pub use observe::{Growth, Observer, Opened, Progress, StateNow};
pub use options::{
    Bounded, Choice, Fraction, Given, Group, Item, Kind, Noticed, Numbers, OptionDoc, OptionSet, Optional, Setting,
    Sizes, Switch, Text, Values, Whole,
};
pub use ordering_hints::{Leaf, OrderHint, OrderingHints};
pub use payoff::{Estimate, Gain, Objective, Payoff, Scores, UpToSix, ZeroSum};
pub use perft::{Perft, Tally, perft, perft_by};
pub use persist::Persist;
pub use plain::Plain;
pub use player::Player;
pub use playouts::Playouts;
pub use record::Record;
pub use share_out::{Job, share_out, share_out_by, side_by_side};
pub use solver_hints::{SolverHints, Successor};
pub use spec::{GameInfo, Params, Spec};
pub use symmetric::Symmetric;
pub use text::TextError;
pub use units::{grouped, parse_count, parse_duration, parse_size, seconds_text};
pub use visit::Visitor;
