//! The payoffs that were proved, each once: a game has few of them, and thousands of states that are worth the same.

use perfectplay_core::Payoff;
use rustc_hash::FxHashMap;

pub(super) struct Payoffs<P> {
    list: Vec<P>,
    numbers: FxHashMap<P, u32>,
}

impl<P: Payoff> Payoffs<P> {
    pub(super) fn new() -> Self {
        Payoffs { list: Vec::new(), numbers: FxHashMap::default() }
    }

    pub(super) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<P>() + self.numbers.capacity() * (size_of::<(P, u32)>() + 1)
    }

    /// The number of a payoff, never 0.
    pub(super) fn number(&mut self, payoff: P) -> u32 {
        *self.numbers.entry(payoff).or_insert_with(|| {
            self.list.push(payoff);
            self.list.len() as u32
        })
    }

    /// The payoff with this number; none has 0.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<P> {
        (number > 0).then(|| self.list[number as usize - 1])
    }
}
