//! What a saved search must know about keys.

use crate::Game;

/// Whether keys mean something to another run of the program. How keys and moves are written follows from their types
/// ([`crate::Plain`]).
pub trait Persist: Game {
    /// Whether a state has the same key in every run of the program. Not so where keys hold numbers given in the order in
    /// which states were met: then searches that keep keys alone cannot be saved.
    fn stable_keys(&self) -> bool {
        true
    }
}
