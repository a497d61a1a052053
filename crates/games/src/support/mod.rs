//! What several games share: bitboards, boards, notations, histories.

pub mod bits;
pub mod board;
pub(crate) mod enclose;
pub(crate) mod fen;
pub(crate) mod gather;
pub(crate) mod grid;
pub mod history;
pub(crate) mod interner;
pub(crate) mod playout;
#[cfg(test)]
pub(crate) mod uniform;
