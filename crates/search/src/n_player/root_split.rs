//! Who searches which move at the root, and what was found: for threads that search one depth together.
//!
//! Every thread has a search of its own. It takes a move that nobody has taken, and later looks up what the others
//! found. Moves that another thread has taken and not finished when nothing else is left it searches, too: whoever
//! comes first ends the depth for all. So nobody ever waits, whichever threads go on.

use std::sync::{Mutex, MutexGuard};

use perfectplay_core::FullGame;

use crate::n_player::vector_value::Value;

/// What is known of every move at the root, at one depth.
pub(crate) struct RootSplit<G: FullGame>(Mutex<Board<G>>);

struct Board<G: FullGame> {
    depth: u32,
    moves: Vec<Place<G>>,
    /// The greatest part of the root's player so far.
    alpha: i32,
    /// The best move at the last depth that was finished.
    best: u32,
}

enum Place<G: FullGame> {
    Free,
    Taken,
    Found(Found<G>),
}

/// What a thread tells about a move.
pub(crate) struct Found<G: FullGame> {
    /// Its value; `None` if it is known not to be the best.
    pub(crate) value: Option<Value<G>>,
    pub(crate) height: u32,
    pub(crate) line: Vec<G::Move>,
}

impl<G: FullGame> Clone for Found<G> {
    fn clone(&self) -> Self {
        Found { value: self.value.clone(), height: self.height, line: self.line.clone() }
    }
}

/// What to do about a move.
pub(crate) enum Claim<G: FullGame> {
    Search,
    /// Another thread is at it.
    PutOff,
    Use(Found<G>),
}

impl<G: FullGame> RootSplit<G> {
    pub(crate) fn new() -> Self {
        RootSplit(Mutex::new(Board { depth: 0, moves: Vec::new(), alpha: i32::MIN, best: 0 }))
    }

    /// The board of this depth; `None` if others are deeper already.
    fn board(&self, depth: u32, moves: usize) -> Option<MutexGuard<'_, Board<G>>> {
        let mut board = self.0.lock().expect("nobody panics at the board");
        if board.depth < depth {
            board.depth = depth;
            board.moves = (0..moves).map(|_| Place::Free).collect();
            board.alpha = i32::MIN;
        }
        (board.depth == depth).then_some(board)
    }

    /// What to do about a move, of so many. With `finally`, nothing is put off.
    pub(crate) fn claim(&self, depth: u32, index: usize, moves: usize, finally: bool) -> Claim<G> {
        let Some(mut board) = self.board(depth, moves) else { return Claim::Search };
        match &board.moves[index] {
            Place::Found(found) => Claim::Use(found.clone()),
            Place::Taken if !finally => Claim::PutOff,
            _ => {
                board.moves[index] = Place::Taken;
                Claim::Search
            }
        }
    }

    /// Tells what was found; `part` is what a value is worth to the root's player.
    pub(crate) fn tell(&self, depth: u32, index: usize, moves: usize, part: Option<i32>, found: Found<G>) {
        if let Some(mut board) = self.board(depth, moves) {
            board.alpha = board.alpha.max(part.unwrap_or(i32::MIN));
            board.moves[index] = Place::Found(found);
        }
    }

    /// What the root's player can have at least.
    pub(crate) fn alpha(&self, depth: u32, moves: usize) -> i32 {
        self.board(depth, moves).map_or(i32::MIN, |board| board.alpha)
    }

    /// The best move at the last depth that somebody finished.
    pub(crate) fn best(&self) -> u32 {
        self.0.lock().expect("nobody panics at the board").best
    }

    pub(crate) fn set_best(&self, best: u32) {
        self.0.lock().expect("nobody panics at the board").best = best;
    }
}
