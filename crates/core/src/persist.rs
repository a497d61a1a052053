//! What outlives a state: keys in files, memory in the game value.

use crate::Game;

/// Whether keys mean something to another run of the program, and what the game keeps in this one. How keys and moves
/// are written follows from their types ([`crate::Plain`]).
pub trait Persist: Game {
    /// Whether a state has the same key in every run of the program. Not so where keys hold numbers given in the order
    /// in which states were met: then searches that keep keys alone cannot be saved.
    fn stable_keys(&self) -> bool {
        true
    }

    /// Bytes that the game value itself keeps for states that were met: histories, say. They count against a search's
    /// memory.
    fn kept_bytes(&self) -> usize {
        0
    }
}
