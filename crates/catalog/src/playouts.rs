//! Random games, counted and timed: the speed test of a game's rules.

use std::time::Instant;

use perfectplay_core::random::SplitMix64;
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

/// Processor time of this thread where the system tells it, since the machine may be busy with other things; otherwise
/// time on the clock.
pub(crate) struct ThreadClock {
    begun: Instant,
    before: Option<f64>,
}

impl ThreadClock {
    pub(crate) fn start() -> Self {
        ThreadClock { begun: Instant::now(), before: thread_seconds() }
    }

    pub(crate) fn seconds(&self) -> f64 {
        match (self.before, thread_seconds()) {
            (Some(before), Some(now)) if now > before => now - before,
            _ => self.begun.elapsed().as_secs_f64(),
        }
    }
}

fn thread_seconds() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

/// Plays random games from `state`, one after the other, until the budget is spent (its nodes are the moves).
pub(crate) fn play<G: FullGame>(game: &G, state: &G::State, seed: u64, budget: &Budget) -> Playouts {
    let mut random = SplitMix64::new(seed);
    let mut below = |sides: usize| random.below(sides);
    let clock = ThreadClock::start();
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
    sum.seconds = clock.seconds();
    sum
}
