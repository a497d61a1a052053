//! Who searches which move at the root, and what was found: for threads that search one depth together.
//!
//! Every thread has a search of its own. It takes a move that nobody has taken, and later looks up what the others
//! found. Moves that another thread has taken and not finished when nothing else is left it searches, too: whoever
//! comes first ends the depth for all. So nobody ever waits, whichever threads go on.

use std::sync::{Mutex, MutexGuard};

/// What is known of every move `M` at the root, at one depth: values `V`.
pub(crate) struct RootSplit<V, M>(Mutex<Board<V, M>>);

struct Board<V, M> {
    depth: u32,
    moves: Vec<Place<V, M>>,
    /// The greatest part of the root's player so far.
    alpha: i32,
    /// The best move at the last depth that was finished.
    best: u32,
}

enum Place<V, M> {
    Free,
    Taken,
    Found(Found<V, M>),
}

/// What a thread tells about a move.
#[derive(Clone)]
pub(crate) struct Found<V, M> {
    /// Its value; `None` if it is known not to be the best.
    pub(crate) value: Option<V>,
    pub(crate) height: u32,
    pub(crate) line: Vec<M>,
}

/// What to do about a move.
pub(crate) enum Claim<V, M> {
    Search,
    /// Another thread is at it.
    PutOff,
    Use(Found<V, M>),
}

impl<V: Clone, M: Clone> RootSplit<V, M> {
    pub(crate) fn new() -> Self {
        RootSplit(Mutex::new(Board { depth: 0, moves: Vec::new(), alpha: i32::MIN, best: 0 }))
    }

    /// The board of this depth; `None` if others are deeper already.
    fn board(&self, depth: u32, moves: usize) -> Option<MutexGuard<'_, Board<V, M>>> {
        let mut board = self.0.lock().expect("nobody panics at the board");
        if board.depth < depth {
            board.depth = depth;
            board.moves = (0..moves).map(|_| Place::Free).collect();
            board.alpha = i32::MIN;
        }
        (board.depth == depth).then_some(board)
    }

    /// What to do about a move, of so many. With `finally`, nothing is put off.
    pub(crate) fn claim(&self, depth: u32, index: usize, moves: usize, finally: bool) -> Claim<V, M> {
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

    /// Tells what was found, and returns what is known: a thread that came later, with more to compare with, may not
    /// have seen the value that another one found. `part` is what the value is worth to the root's player.
    pub(crate) fn tell(
        &self,
        depth: u32,
        index: usize,
        moves: usize,
        part: Option<i32>,
        found: Found<V, M>,
    ) -> Found<V, M> {
        let Some(mut board) = self.board(depth, moves) else { return found };
        if let Place::Found(known @ Found { value: Some(_), .. }) = &board.moves[index] {
            return known.clone();
        }
        board.alpha = board.alpha.max(part.unwrap_or(i32::MIN));
        board.moves[index] = Place::Found(found.clone());
        found
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads search the same move; the later one has its value to compare with already, and finds nothing better.
    #[test]
    fn a_value_once_told_stays() {
        let split = RootSplit::<&str, u8>::new();
        let found = |value| Found { value, height: 3, line: vec![] };
        assert!(matches!(split.claim(4, 1, 2, false), Claim::Search));
        assert!(matches!(split.claim(4, 1, 2, true), Claim::Search), "also the second one");
        assert_eq!(split.tell(4, 1, 2, None, found(None)).value, None);
        assert_eq!(split.tell(4, 1, 2, Some(2), found(Some("two"))).value, Some("two"));
        assert_eq!(split.tell(4, 1, 2, None, found(None)).value, Some("two"));
        assert!(matches!(split.claim(4, 1, 2, true), Claim::Use(Found { value: Some("two"), .. })));
        assert_eq!(split.alpha(4, 2), 2);
    }
}
