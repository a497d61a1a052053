//! The new children of a state, and their evaluations.
//!
//! Most evaluations are quick and are asked about all new children in one call. Some take seconds for that (rollouts of
//! a long game, a network); these are asked about a batch at a time, so that a stop request in between need not wait.
//! The size of a batch follows from how long the last one took.

use std::time::{Duration, Instant};

use perfectplay_core::{FullGame, Stop, side_by_side};

use crate::best_first::policy::Policy;

/// What one batch should take.
const BATCH_TIME: Duration = Duration::from_millis(5);

/// More states than most have children.
const MANY: usize = 1 << 12;

/// States by their numbers among the children, and as many evaluations as there are so far.
pub(crate) struct LeafBatch<S, D> {
    states: Vec<S>,
    children: Vec<usize>,
    data: Vec<D>,
    /// How many states can be evaluated in a batch_size milliseconds.
    batch_size: usize,
    calls: u32,
    /// Whether the last call took so long that the clock should be looked at after every opened state.
    pub(crate) slow: bool,
}

impl<S: Sync, D: Copy + Send> LeafBatch<S, D> {
    pub(crate) fn new() -> Self {
        LeafBatch { states: Vec::new(), children: Vec::new(), data: Vec::new(), batch_size: 1, calls: 0, slow: false }
    }

    /// An empty one that knows as much about how long evaluations take.
    pub(crate) fn fresh(&self) -> Self {
        let &LeafBatch { batch_size, calls, slow, .. } = self;
        LeafBatch { batch_size, calls, slow, ..Self::new() }
    }

    /// Forgets states and evaluations.
    pub(crate) fn clear(&mut self) {
        self.states.clear();
        self.children.clear();
        self.data.clear();
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there is no state.
    pub(crate) fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Whether there are evaluations.
    pub(crate) fn has_begun(&self) -> bool {
        !self.data.is_empty()
    }

    /// Whether so many states should be evaluated in one call.
    pub(crate) fn fits_one_call(&self, states: usize) -> bool {
        states <= self.batch_size
    }

    /// Appends a state.
    #[inline]
    pub(crate) fn push(&mut self, child: usize, state: S) {
        self.states.push(state);
        self.children.push(child);
    }

    /// The evaluations with the numbers of the children.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, D)> {
        self.children.iter().copied().zip(self.data.iter().copied())
    }

    /// Evaluates all states: quick ones in one call, slow ones in batches, side by side with the helpers.
    pub(crate) fn evaluate_all<G, P>(
        &mut self,
        game: &G,
        policy: &mut P,
        helpers: &mut [P],
        stop: impl Fn() -> Option<Stop>,
    ) -> Result<(), Stop>
    where
        G: FullGame<State = S>,
        P: Policy<G, Data = D>,
    {
        if self.fits_one_call(self.states.len()) && (helpers.is_empty() || !self.slow) || !policy.evaluates() {
            self.evaluate_at_once(game, policy);
            return Ok(());
        }
        self.evaluate_in_batches(game, policy, helpers, stop)
    }

    /// Goes on, batch by batch, until every state is evaluated.
    pub(crate) fn evaluate_in_batches<G, P>(
        &mut self,
        game: &G,
        policy: &mut P,
        helpers: &mut [P],
        stop: impl Fn() -> Option<Stop>,
    ) -> Result<(), Stop>
    where
        G: FullGame<State = S>,
        P: Policy<G, Data = D>,
    {
        while self.data.len() < self.states.len() {
            self.evaluate_batch(game, policy, helpers);
            if self.data.len() < self.states.len()
                && let Some(stop) = stop()
            {
                return Err(stop);
            }
        }
        Ok(())
    }

    /// Evaluates all states in one call. A quick evaluation is timed only now and then.
    pub(crate) fn evaluate_at_once<G: FullGame<State = S>, P: Policy<G, Data = D>>(
        &mut self,
        game: &G,
        policy: &mut P,
    ) {
        self.calls = self.calls.wrapping_add(1);
        if policy.evaluates() && (self.batch_size < MANY || self.calls.is_multiple_of(256)) {
            self.evaluate_batch(game, policy, &mut []);
        }
        if self.data.len() < self.states.len() {
            policy.leaves(game, &self.states[self.data.len()..], &mut self.data);
        }
    }

    fn evaluate_batch<G, P>(&mut self, game: &G, policy: &mut P, helpers: &mut [P])
    where
        G: FullGame<State = S>,
        P: Policy<G, Data = D>,
    {
        let left = &self.states[self.data.len()..];
        let count = self.batch_size.min(left.len().div_ceil(1 + helpers.len()));
        if count > 0 {
            let (own, rest) = left.split_at(count);
            let mut others: Vec<Vec<D>> = helpers.iter().map(|_| Vec::new()).collect();
            let started = Instant::now();
            let helped = helpers.iter_mut().zip(rest.chunks(count)).zip(&mut others);
            let jobs = helped.map(|((helper, states), data)| || helper.leaves(game, states, data));
            side_by_side(jobs, || policy.leaves(game, own, &mut self.data));
            let took = started.elapsed();
            // Whoever got no thread has done nothing: what lies behind is asked for again.
            others.iter_mut().take_while(|data| !data.is_empty()).for_each(|data| self.data.append(data));
            let fits = count as u128 * BATCH_TIME.as_nanos() / took.as_nanos().max(1);
            self.batch_size = (fits as usize).clamp(1, 4 * self.batch_size.min(MANY));
            self.slow = took > BATCH_TIME / 10;
        }
    }
}
