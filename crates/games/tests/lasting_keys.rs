//! Keys that go into files: another run of the program must give the same key to the same state.

use perfectplay_core::{Game, Spec, Status};
use perfectplay_games::boxed::AnyBoxed;
use perfectplay_games::{GAMES, open_boxed};

/// States along a few lines of play, each with its key.
fn keys<G: Game>(game: &G, first_line: usize) -> Vec<G::Key> {
    let mut keys = Vec::new();
    let mut moves = Vec::new();
    // Asked about other states first, a game that numbers what it is asked about gives other numbers.
    for line in (first_line..6).chain(1..6) {
        if line == 1 {
            keys.clear();
        }
        let mut state = game.start();
        for ply in 0..12 {
            moves.clear();
            let Status::Turn(_) = game.expand(&state, &mut moves) else { break };
            game.play(&mut state, moves[(line * 7 + ply * ply) % moves.len()]);
            keys.push(game.key(&state));
            keys.push(game.canonical_key(&state));
        }
    }
    keys
}

/// Whether keys last, and whether the game says so.
fn check<G: Game>(one: &G, other: &G) -> (bool, bool) {
    (keys(one, 1) == keys(other, 4), one.lasting_keys())
}

#[test]
fn keys_that_are_said_to_last_do() {
    let mut without = Vec::new();
    for info in GAMES {
        for example in info.examples {
            let open = || open_boxed(Spec::parse(example).unwrap()).unwrap();
            let (Ok(one), Ok(other)) = (open(), open()) else { continue }; // a file that is not here
            let (lasts, said) = match (one, other) {
                (AnyBoxed::ZeroSum(a), AnyBoxed::ZeroSum(b)) => check(&a, &b),
                (AnyBoxed::ZeroSumLarge(a), AnyBoxed::ZeroSumLarge(b)) => check(&a, &b),
                (AnyBoxed::Two(a), AnyBoxed::Two(b)) => check(&a, &b),
                (AnyBoxed::Three(a), AnyBoxed::Three(b)) => check(&a, &b),
                (AnyBoxed::Four(a), AnyBoxed::Four(b)) => check(&a, &b),
                (AnyBoxed::Five(a), AnyBoxed::Five(b)) => check(&a, &b),
                (AnyBoxed::Six(a), AnyBoxed::Six(b)) => check(&a, &b),
                _ => unreachable!("one text, one type"),
            };
            assert!(lasts || !said, "the keys of {example} depend on what was asked before");
            if !lasts {
                without.push(info.name);
            }
        }
    }
    // The test can tell the difference.
    assert!(without.contains(&"chess") && without.contains(&"woodpush"), "{without:?}");
}
