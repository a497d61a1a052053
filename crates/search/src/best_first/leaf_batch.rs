//! The new children of a state, and what they are guessed to be worth.
//!
//! Most evaluations are quick and are asked about all new children in one call. Some take seconds for that (rollouts of a long
//! game, a network); these are asked about a few at a time, so that a stop request in between need not wait. How many a few are is
//! learnt from how long the last ones took.

use std::time::{Duration, Instant};

use perfectplay_core::{FullGame, Meter, Stop};

use crate::best_first::main_loop::Policy;

/// What one call should take.
const PATIENCE: Duration = Duration::from_millis(5);

/// More states than most have children.
const MANY: usize = 1 << 12;

/// States by their numbers among the children, and as many guesses as there are so far.
pub(crate) struct LeafBatch<S, D> {
    states: Vec<S>,
    children: Vec<usize>,
    data: Vec<D>,
    /// How many states can be guessed at in a few milliseconds.
    few: usize,
    calls: u32,
    /// Whether the last call took so long that the clock should be looked at after every opened state.
    pub(crate) slow: bool,
}

impl<S, D: Copy> LeafBatch<S, D> {
    pub(crate) fn new() -> Self {
        LeafBatch { states: Vec::new(), children: Vec::new(), data: Vec::new(), few: 1, calls: 0, slow: false }
    }

    /// Forgets states and guesses.
    pub(crate) fn clear(&mut self) {
        self.states.clear();
        self.children.clear();
        self.data.clear();
    }

    /// Whether there are guesses.
    pub(crate) fn begun(&self) -> bool {
        !self.data.is_empty()
    }

    /// Whether so many states should be guessed at in one call.
    pub(crate) fn in_one_call(&self, states: usize) -> bool {
        states <= self.few
    }

    /// Appends a state.
    #[inline]
    pub(crate) fn push(&mut self, child: usize, state: S) {
        self.states.push(state);
        self.children.push(child);
    }

    /// The guesses with the numbers of the children.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, D)> {
        self.children.iter().copied().zip(self.data.iter().copied())
    }

    /// Goes on until there is a guess for every state.
    pub(crate) fn complete<G, P>(&mut self, game: &G, policy: &mut P, meter: &Meter) -> Result<(), Stop>
    where
        G: FullGame<State = S>,
        P: Policy<G, Data = D>,
    {
        while self.data.len() < self.states.len() {
            self.guess_at_a_few(game, policy);
            if self.data.len() < self.states.len()
                && let Some(stop) = meter.look()
            {
                return Err(stop);
            }
        }
        Ok(())
    }

    /// LeafBatch at all states in one call. Who is quick is timed only now and then.
    pub(crate) fn complete_at_once<G: FullGame<State = S>, P: Policy<G, Data = D>>(
        &mut self,
        game: &G,
        policy: &mut P,
    ) {
        self.calls = self.calls.wrapping_add(1);
        if policy.guesses() && (self.few < MANY || self.calls.is_multiple_of(256)) {
            self.guess_at_a_few(game, policy);
        }
        if self.data.len() < self.states.len() {
            policy.leaves(game, &self.states[self.data.len()..], &mut self.data);
        }
    }

    fn guess_at_a_few<G: FullGame<State = S>, P: Policy<G, Data = D>>(&mut self, game: &G, policy: &mut P) {
        let done = self.data.len();
        let count = self.few.min(self.states.len() - done);
        if count > 0 {
            let started = Instant::now();
            policy.leaves(game, &self.states[done..done + count], &mut self.data);
            let took = started.elapsed();
            let fits = count as u128 * PATIENCE.as_nanos() / took.as_nanos().max(1);
            self.few = (fits as usize).clamp(1, 4 * self.few.min(MANY));
            self.slow = took > PATIENCE / 10;
        }
    }
}
