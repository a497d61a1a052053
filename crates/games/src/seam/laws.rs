//! Laws of a game that the seam would hide, because what it lists it lists only once. Tests ask for them.

use perfectplay_core::{Estimate, FullGame, Payoff, Plain, Player};

/// The first law that the game breaks in this state.
pub(crate) fn broken<G: FullGame>(game: &G, state: &G::State) -> Option<&'static str> {
    let mut moves = Vec::new();
    let status = game.expand(state, &mut moves);
    let count = moves.len();
    let again = game.expand(state, &mut moves);
    if status != again || moves.len() != 2 * count || moves[..count] != moves[count..] {
        return Some("expand must append the same moves each time");
    }
    if status != game.status(state) {
        return Some("status and expand disagree");
    }
    if (0..count.min(100)).any(|i| moves[..i].contains(&moves[i])) {
        return Some("a move is there twice");
    }
    moves.truncate(count);
    let play_differs = |&mv: &G::Move| {
        let mut played = *state;
        game.play(&mut played, mv);
        played != game.after(state, mv)
    };
    if moves.iter().take(8).any(play_differs) {
        return Some("play and after disagree");
    }
    if !comes_back(state) || !comes_back(&game.key(state)) || !moves.iter().all(comes_back) {
        return Some("a state, key or move is not read back as it was written");
    }
    if status.mover().is_some() && game.facts().heuristic {
        let guess = game.heuristic(state);
        if Player::all(G::Payoff::PLAYERS).any(|p| guess.of(p) != game.heuristic_of(state, p)) {
            return Some("heuristic_of is not the part of heuristic");
        }
    }
    None
}

fn comes_back<T: Plain + PartialEq>(value: &T) -> bool {
    let mut bytes = vec![0; T::SIZE];
    value.put(&mut bytes);
    T::take(&bytes).as_ref() == Some(value)
}
