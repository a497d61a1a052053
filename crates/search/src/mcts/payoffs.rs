//! The payoffs that were proved, each once: a game has few of them, and thousands of states that are worth the same.
//! Threads share them; reading takes no lock.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use perfectplay_core::Payoff;
use rustc_hash::FxHashMap;

pub(super) struct Payoffs<P> {
    /// Numbers 1, 2 and 3, 4 to 7, and so on.
    blocks: [OnceLock<Box<[OnceLock<P>]>>; u32::BITS as usize],
    numbers: Mutex<FxHashMap<P, u32>>,
    bytes: AtomicUsize,
}

/// Those with the first few numbers, mostly win, draw and loss, are looked for before the map is.
const FEW: u32 = 3;

impl<P: Payoff> Payoffs<P> {
    pub(super) fn new() -> Self {
        let blocks = [const { OnceLock::new() }; u32::BITS as usize];
        Payoffs { blocks, numbers: Mutex::default(), bytes: AtomicUsize::new(0) }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The number of a payoff, never 0.
    pub(super) fn number(&self, payoff: P) -> u32 {
        if let Some(number) = (1..=FEW).find(|&number| self.get(number) == Some(payoff)) {
            return number;
        }
        let mut numbers = self.numbers.lock().expect("nobody panics with it");
        let next = numbers.len() as u32 + 1;
        let number = *numbers.entry(payoff).or_insert(next);
        if number == next {
            let block = self.blocks[next.ilog2() as usize]
                .get_or_init(|| (0..1 << next.ilog2()).map(|_| OnceLock::new()).collect());
            let _ = block[next as usize - block.len()].set(payoff); // it was empty
            let listed = (2 << next.ilog2()) * size_of::<OnceLock<P>>();
            self.bytes.store(listed + numbers.capacity() * (size_of::<(P, u32)>() + 1), Ordering::Relaxed);
        }
        number
    }

    /// The payoff with this number; none has 0.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<P> {
        let block = number.checked_ilog2()?;
        let block = self.blocks[block as usize].get()?;
        block[number as usize - block.len()].get().copied()
    }
}

#[cfg(test)]
mod tests {
    use perfectplay_core::ZeroSum;

    use super::*;

    #[test]
    fn threads_give_every_payoff_one_number() {
        let payoffs = Payoffs::new();
        let number_all =
            |first: i32| (0..1_000).map(|i| payoffs.number(ZeroSum((first + 7 * i) % 500))).collect::<Vec<_>>();
        let numbers: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|first| scope.spawn(move || number_all(first))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (first, numbers) in numbers.iter().enumerate() {
            for (i, &number) in numbers.iter().enumerate() {
                assert_eq!(payoffs.get(number), Some(ZeroSum((first as i32 + 7 * i as i32) % 500)));
            }
        }
        let most = numbers.iter().flatten().max();
        assert_eq!((most, payoffs.get(0), payoffs.get(501)), (Some(&500), None, None));
    }
}
