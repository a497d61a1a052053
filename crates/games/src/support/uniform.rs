//! For tests: a random move must be uniform, however it is drawn.

use perfectplay_core::{Game, Notation, Playouts};

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

/// How a random game ended, if it did, and after how many moves.
type End<G> = (Option<<G as Game>::Payoff>, u32);

/// Where a playout draws in its own way: from `state` on, playouts of at most `most` moves end as games move by move
/// do, as often and after as many moves.
///
/// # Panics
/// If an end comes too seldom or too often, by more than five times the standard deviation.
pub(crate) fn ends_as_move_by_move<G: Playouts>(game: &G, state: &G::State, most: u32) {
    const GAMES: u32 = 20_000;
    let (mut below, mut moves) = (dice(), Vec::new());
    let mut ends: Vec<(End<G>, [u32; 2])> = Vec::new();
    let mut count = |end: End<G>, side: usize| match ends.iter_mut().find(|(e, _)| *e == end) {
        Some((_, counts)) => counts[side] += 1,
        None => ends.push((end, std::array::from_fn(|i| u32::from(i == side)))),
    };
    for _ in 0..GAMES {
        count(game.playout(*state, most, &mut moves, &mut below), 0);
        let (mut at, mut plies) = (*state, 0);
        let end = loop {
            match game.random_move(&at, &mut moves, &mut below) {
                Err(payoff) => break Some(payoff),
                Ok(_) if plies == most => break None,
                Ok(mv) => game.play(&mut at, mv),
            }
            plies += 1;
        };
        count((end, plies), 1);
    }
    for (end, counts) in ends {
        let [by_playouts, by_moves] = counts.map(f64::from);
        let deviation = (by_playouts + by_moves).sqrt().max(2.0);
        assert!((by_playouts - by_moves).abs() <= 5.0 * deviation, "{end:?} came {counts:?} times");
    }
}
