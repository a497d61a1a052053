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
