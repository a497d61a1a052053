//! Which positions a book holds.

use perfectplay_core::{Budget, FullGame, Plain, Status, Stop};
use rustc_hash::FxHashSet;

use crate::Refusal;
use crate::book::BookError;

/// The key of a state or one of its images, the least as a number: most significant byte first, without leading zeros.
/// So it does not depend on how many bytes a key is filled up with.
pub fn key_bytes<G: FullGame>(game: &G, state: &G::State) -> Box<[u8]> {
    let bytes = |index| {
        let key = game.key(&game.transform(state, index));
        let mut bytes = vec![0; G::Key::SIZE];
        key.put(&mut bytes);
        bytes.reverse();
        bytes
    };
    let least = (0..game.symmetries().max(1)).map(bytes).min().unwrap_or_default();
    let zeros = least.iter().take_while(|&&byte| byte == 0).count();
    least[zeros..].into()
}

/// A position of a book.
pub(super) struct Listed<G: FullGame> {
    pub(super) key: Box<[u8]>,
    pub(super) state: G::State,
    /// Moves that lead to it, at least.
    pub(super) ply: u32,
}

/// Every position within `plies` of the start that is not over, once up to symmetry, by plies.
pub(super) fn list<G: FullGame>(
    game: &G,
    plies: u32,
    budget: &Budget,
) -> Result<Result<Vec<Listed<G>>, Stop>, BookError> {
    if !game.stable_keys() {
        return Err(refused("books need keys that mean the same in every run, and this game's number its past anew"));
    }
    let bytes_each = size_of::<Listed<G>>() + 2 * G::Key::SIZE + 48;
    let mut meter = budget.start();
    let (mut listed, mut seen, mut moves) = (Vec::new(), FxHashSet::default(), Vec::new());
    let start = Listed { key: key_bytes(game, &game.start()), state: game.start(), ply: 0 };
    if matches!(game.status(&start.state), Status::Over(_)) {
        return Ok(Ok(listed));
    }
    seen.insert(start.key.clone());
    listed.push(start);
    let mut at = 0;
    while let Some(&Listed { state, ply, .. }) = listed.get(at).filter(|l| l.ply < plies) {
        moves.clear();
        game.expand(&state, &mut moves);
        for &mv in &moves {
            let next = game.after(&state, mv);
            if matches!(game.status(&next), Status::Over(_)) {
                continue;
            }
            let key = key_bytes(game, &next);
            if seen.insert(key.clone()) {
                listed.push(Listed { key, state: next, ply: ply + 1 });
            }
        }
        match meter.spend(moves.len() as u64, listed.len() * bytes_each) {
            Some(Stop::Memory) => {
                return Err(refused("so many plies have more positions than the memory holds; ask for fewer plies"));
            }
            Some(stop) => return Ok(Err(stop)),
            None => at += 1,
        }
    }
    Ok(Ok(listed))
}

pub(super) fn refused(text: &str) -> BookError {
    BookError::Refused(Refusal::Other(text.to_owned()))
}
