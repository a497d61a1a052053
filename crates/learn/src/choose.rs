//! Which move a learner plays where nothing is proved: mostly good ones, at times others.

use perfectplay_core::random::below;
use rand_core::Rng;

use crate::options::Choose;

/// The numbers that chance gives.
pub(crate) type Dice = rand_xoshiro::Xoshiro256PlusPlus;

/// From 0 to 1, without 1.
pub(crate) fn unit(dice: &mut Dice) -> f64 {
    (dice.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A number below `sides`.
pub(crate) fn draw(dice: &mut Dice, sides: usize) -> usize {
    below(dice.next_u64(), sides)
}

/// How much is left to chance in one game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chance {
    choose: Choose,
    epsilon: f64,
}

impl Chance {
    /// What holds for the next game.
    pub(crate) fn new(choose: Choose, epsilon: Option<f64>, dice: &mut Dice) -> Self {
        let epsilon = match (choose, epsilon) {
            (_, Some(epsilon)) => epsilon,
            (Choose::Ordinal, None) => unit(dice),
            (Choose::Epsilon | Choose::Softmax, None) => 0.1,
        };
        Chance { choose, epsilon }
    }

    /// The number of the chosen move, and whether it is the best. `moves` hold how they rank, greater is better, and
    /// what they are worth to the mover.
    pub(crate) fn pick(self, moves: &[(i64, f32)], dice: &mut Dice) -> (usize, bool) {
        // Equals stand in an order that chance gives.
        let mut order: Vec<usize> = (0..moves.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, draw(dice, i + 1));
        }
        order.sort_by_key(|&i| std::cmp::Reverse(moves[i].0));
        let place = match self.choose {
            Choose::Ordinal => ordinal(order.len(), self.epsilon, dice),
            Choose::Epsilon if unit(dice) < self.epsilon => draw(dice, order.len()),
            Choose::Epsilon => 0,
            Choose::Softmax => softmax(order.iter().map(|&i| f64::from(moves[i].1)), self.epsilon, dice),
        };
        (order[place], moves[order[place]].0 == moves[order[0]].0)
    }
}

/// A place among `n`, the best first: with k candidates left the first of them is taken with probability
/// (ε'(k - 1) + 1) / k, otherwise it is dropped (Cohen-Solal 2020).
pub(crate) fn ordinal(n: usize, epsilon: f64, dice: &mut Dice) -> usize {
    for place in 0..n - 1 {
        let left = (n - place) as f64;
        if unit(dice) < (epsilon * (left - 1.0) + 1.0) / left {
            return place;
        }
    }
    n - 1
}

/// The probabilities of the ordinal distribution in closed form: place i of n has (1 - ε')^i (1 + ε'(n - 1 - i)) / n.
pub fn ordinal_probability(place: usize, n: usize, epsilon: f64) -> f64 {
    (1.0 - epsilon).powi(place as i32) * (1.0 + epsilon * (n - 1 - place) as f64) / n as f64
}

fn softmax(values: impl Iterator<Item = f64> + Clone, temperature: f64, dice: &mut Dice) -> usize {
    let best = values.clone().fold(f64::NEG_INFINITY, f64::max);
    let weight = |value: f64| if value == best { 1.0 } else { ((value - best) / temperature.max(1e-9)).exp() };
    let mut at = unit(dice) * values.clone().map(weight).sum::<f64>();
    for (place, value) in values.enumerate() {
        at -= weight(value);
        if at < 0.0 {
            return place;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    #[test]
    fn the_ordinal_distribution_is_the_published_one() {
        let expected = [2.0 / 3.0, 1.0 / 4.0, 1.0 / 12.0];
        let mut counts = [0u32; 3];
        let mut dice = Dice::seed_from_u64(1);
        (0..120_000).for_each(|_| counts[ordinal(3, 0.5, &mut dice)] += 1);
        for (place, expected) in expected.into_iter().enumerate() {
            assert!((ordinal_probability(place, 3, 0.5) - expected).abs() < 1e-12);
            let share = f64::from(counts[place]) / 120_000.0;
            assert!((share - expected).abs() < 0.006, "place {place}: {share}, expected {expected}"); // 4.4 deviations
        }
        let whole: f64 = (0..7).map(|place| ordinal_probability(place, 7, 0.3)).sum();
        assert!((whole - 1.0).abs() < 1e-12);
    }

    #[test]
    fn chance_can_be_taken_away() {
        let mut dice = Dice::seed_from_u64(2);
        let moves = [(1, 0.1), (5, 0.9), (5, 0.9), (0, -0.3)];
        for (choose, epsilon) in [(Choose::Ordinal, 1.0), (Choose::Epsilon, 0.0), (Choose::Softmax, 0.0)] {
            let chance = Chance::new(choose, Some(epsilon), &mut dice);
            let mut seen = [0; 4];
            (0..200).for_each(|_| seen[chance.pick(&moves, &mut dice).0] += 1);
            assert!(seen[0] == 0 && seen[3] == 0 && seen[1] > 50 && seen[2] > 50, "{choose:?}: {seen:?}");
        }
    }
}
