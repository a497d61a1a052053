//! Random games, counted and timed: the speed test of a game's rules.

use std::time::Instant;

use perfectplay_core::{Budget, FullGame};

/// What random games amounted to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Playouts {
    /// Games played to their end, or to [`LONGEST_PLAYOUT`].
    pub games: u64,
    /// Moves played in all of them.
    pub moves: u64,
    /// Games that were broken off.
    pub unfinished: u64,
    /// Processor time where the system tells it, otherwise time on the clock.
    pub seconds: f64,
}

/// Random games that do not end by themselves are broken off after so many moves.
pub const LONGEST_PLAYOUT: u32 = 20_000;

/// Processor time of this thread where the system tells it: the machine may be busy with other things.
fn thread_seconds() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

/// Plays random games from `state`, one after the other, until the budget is spent (its nodes are the moves).
pub(crate) fn play<G: FullGame>(game: &G, state: &G::State, seed: u64, budget: &Budget) -> Playouts {
    let mut random = seed;
    // Weyl sequence and mixer of SplitMix64; the high half scaled to the number of choices.
    let mut below = |sides: usize| {
        random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (random ^ random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((((mixed ^ mixed >> 31) >> 32) * sides as u64) >> 32) as usize
    };
    let (clock, before) = (Instant::now(), thread_seconds());
    let (mut meter, mut moves, mut sum) = (budget.start(), Vec::new(), Playouts::default());
    loop {
        let (payoff, plies) = game.playout(*state, LONGEST_PLAYOUT, &mut moves, &mut below);
        sum.games += 1;
        sum.moves += u64::from(plies);
        sum.unfinished += u64::from(payoff.is_none());
        if meter.spend(u64::from(plies).max(1), 0).is_some() {
            break;
        }
    }
    sum.seconds = match (before, thread_seconds()) {
        (Some(before), Some(now)) if now > before => now - before,
        _ => clock.elapsed().as_secs_f64(),
    };
    sum
}
