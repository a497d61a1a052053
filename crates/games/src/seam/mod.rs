//! The seam between games and algorithms.
//!
//! Compiling every algorithm, and every law, for every game would take an hour. So algorithms are compiled for a few
//! types only: [`Packed`] games of a few sizes and kinds of payoff. Behind them is any game of that size:
//!
//! - a state is plain words, inline: the bytes of the game's own state ([`Plain`](perfectplay_core::Plain)), filled up;
//! - a key is the bytes of the game's own key, so it is as exact; a move is the bytes of the game's own move;
//! - a table of functions does the rest, with one virtual call for a whole list: all moves, all children with their
//!   keys, the order of all moves, guesses at many states. Nothing is allocated per state or per list.
//!
//! | class | state | key | move |
//! |---|---|---|---|
//! | tiny | 32 bytes | 16 bytes | 4 bytes |
//! | small | 80 | 32 | 8 |
//! | medium | 144 | 56 | 4 |
//! | large | 208 | 128 | 8 |
//! | three players with scores of their own | 56 | 48 | 4 |
//! | two, four, five or six of them | 112 | 96 | 4 |
//!
//! What fits no class is kept on the heap and known by number ([`Storage::Heap`]). [`open`] is the only place that
//! knows the classes; everybody else is a [`SeamVisitor`].

mod dispatch;
mod heap;
mod inline;
#[cfg(feature = "laws")]
mod laws;
mod learned;
mod packed;
mod payoffs;
mod rules;
mod teams;
mod widened;
mod words;

pub use dispatch::{ForSeveral, ForThree, NativeVisitor, SeamVisitor, Tiny, open, open_game, open_native};
pub use learned::with_model;
pub use packed::Packed;
pub use payoffs::ShownAs;
pub use rules::Storage;
pub use teams::{Teams, in_teams};
pub use widened::{Widest, is_widest, widened};
pub use words::{PackedMove, Words};
