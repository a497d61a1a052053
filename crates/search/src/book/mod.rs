//! Opening books: the exact value of every position of a game up to symmetry, within so many plies of the start.
//!
//! [`build()`] solves the positions of the last ply and finds those before them by minimax; [`Book`] is what it writes,
//! and answers by key; [`FromBook`] is a [`Search`](crate::Search) that has nothing left to search. [`check()`] proves
//! a book consistent: it holds every position and no other, what is not of the last ply follows from what comes after
//! it, and a sample of the last ply is solved again.
//!
//! Needs two players with opposed interests, positions that cannot repeat, and keys that mean the same in every run.

mod build;
mod check;
mod file;
mod from_book;
mod positions;

pub use build::{Built, Order, build};
pub use check::{Checked, check};
pub use file::{Book, BookError, Header};
pub use from_book::FromBook;
pub use positions::key_bytes;
