//! For tests: a random move must be uniform, however it is drawn.

use perfectplay_core::{Notation, Playouts};

/// Draws a number below another one, always the same sequence.
pub(crate) fn dice() -> impl FnMut(usize) -> usize {
    let mut random = 1u64;
    move |sides| {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (((random >> 32) * sides as u64) >> 32) as usize
    }
}

/// Draws 400 times as many moves as there are and counts.
///
/// # Panics
/// If a move comes too seldom or too often: 120 off the mean of 400 is six times the standard deviation.
pub(crate) fn draws_evenly<G: Playouts + Notation>(game: &G, state: &G::State) {
    let (mut moves, mut scratch) = (Vec::new(), Vec::new());
    game.expand(state, &mut moves);
    let mut counts = vec![0i32; moves.len()];
    let mut below = dice();
    for _ in 0..400 * moves.len() {
        let Ok(drawn) = game.random_move(state, &mut scratch, &mut below) else { panic!("the game is not over") };
        counts[moves.iter().position(|&mv| mv == drawn).expect("a legal move")] += 1;
    }
    let uneven = moves.iter().zip(&counts).find(|(_, count)| (**count - 400).abs() > 120);
    if let Some((&mv, count)) = uneven {
        panic!(
            "{} came {count} times, expected about 400, in {}",
            game.move_text(state, mv),
            game.position_text(state)
        );
    }
}

/// With the same dice, a playout of at most `most` moves goes as a game move by move does, and so do those after it.
pub(crate) fn plays_as_move_by_move<G: Playouts>(game: &G, most: u32) {
    let mut dice = [dice(), dice()];
    for _ in 0..100 {
        let (mut state, mut plies, mut moves) = (game.start(), 0, Vec::new());
        let end = loop {
            let drawn = game.random_move(&state, &mut moves, &mut dice[0]);
            moves.clear();
            assert_eq!(drawn.is_err(), game.expand(&state, &mut moves).mover().is_none());
            match drawn {
                Err(payoff) => break Some(payoff),
                Ok(_) if plies == most => break None,
                Ok(mv) => game.play(&mut state, mv),
            }
            plies += 1;
        };
        let playout = game.playout(game.start(), most, &mut moves, &mut dice[1]);
        assert_eq!(playout, (end, plies));
        if end.is_none() {
            dice[1](1); // the last draw of the game move by move
        }
    }
}
