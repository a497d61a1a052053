//! What is learned from: features of states, and what they turned out to be worth.

use perfectplay_core::FeatureBatch;
use perfectplay_model::Shape;
use perfectplay_model::file::{FileError, Tensor};

use crate::choose::{Dice, draw};

/// States, and for each as many targets as the model has outputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Examples {
    /// The states.
    pub batch: FeatureBatch,
    /// What the outputs should be, state by state.
    pub targets: Vec<f32>,
}

impl Examples {
    /// Their numbers in an order that `draw` gives, which chooses one of so many: examples of one game are alike when
    /// they lie side by side.
    pub fn shuffled(&self, mut draw: impl FnMut(usize) -> usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, draw(i + 1));
        }
        order
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.batch.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.batch.is_empty()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.batch.clear();
        self.targets.clear();
    }

    /// The targets of one.
    pub fn targets_of(&self, i: usize) -> &[f32] {
        let outputs = self.targets.len() / self.len();
        &self.targets[i * outputs..][..outputs]
    }

    /// Appends one of another list.
    pub fn push_from(&mut self, other: &Examples, i: usize) {
        self.batch.push(other.batch.get(i));
        self.targets.extend_from_slice(other.targets_of(i));
    }
}

/// The examples of the last games.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Window {
    games: std::collections::VecDeque<Examples>,
}

impl Window {
    /// Appends the examples of a game, and forgets those of the oldest beyond `most` games.
    pub(crate) fn push(&mut self, game: Examples, most: usize) {
        if !game.is_empty() {
            self.games.push_back(game);
        }
        while self.games.len() > most {
            self.games.pop_front();
        }
    }

    /// Draws so many into `out`: all examples alike, or (stratified) all games alike.
    pub(crate) fn sample(&self, count: usize, stratified: bool, dice: &mut Dice, out: &mut Examples) {
        let ends: Vec<usize> = self
            .games
            .iter()
            .scan(0, |sum, game| {
                *sum += game.len();
                Some(*sum)
            })
            .collect();
        let Some(&all) = ends.last() else { return };
        for _ in 0..count {
            let game = if stratified {
                draw(dice, self.games.len())
            } else {
                let at = draw(dice, all);
                ends.partition_point(|&end| end <= at)
            };
            out.push_from(&self.games[game], draw(dice, self.games[game].len()));
        }
    }

    /// As tensors of a file: all examples, and how many belong to each game.
    pub(crate) fn save(&self) -> [(&'static str, Tensor); 5] {
        let games = || self.games.iter();
        [
            ("replay.games", Tensor::bytes(games().flat_map(|g| (g.len() as u64).to_le_bytes()).collect())),
            ("replay.viewers", Tensor::bytes(games().flat_map(|g| g.batch.viewers.iter().copied()).collect())),
            ("replay.cells", Tensor::bytes(games().flat_map(|g| g.batch.cells.iter().copied()).collect())),
            ("replay.numbers", Tensor::floats(games().flat_map(|g| g.batch.numbers.iter().copied()))),
            ("replay.targets", Tensor::floats(games().flat_map(|g| g.targets.iter().copied()))),
        ]
    }

    /// What [`Window::save`] wrote.
    pub(crate) fn restore<'a>(
        shape: &Shape,
        get: impl Fn(&str) -> Result<&'a Tensor, FileError>,
    ) -> Result<Self, FileError> {
        let cut = || FileError::Wrong("the examples in this file are cut off".into());
        let games = get("replay.games")?.as_bytes().as_chunks::<8>().0;
        let (viewers, cells) = (get("replay.viewers")?.as_bytes(), get("replay.cells")?.as_bytes());
        let (numbers, targets) = (get("replay.numbers")?.as_floats()?, get("replay.targets")?.as_floats()?);
        let mut window = Window::default();
        let mut first = 0usize;
        for &count in games {
            let end =
                usize::try_from(u64::from_le_bytes(count)).ok().and_then(|n| first.checked_add(n)).ok_or_else(cut)?;
            let part = |per: usize| first * per..end * per;
            let batch = FeatureBatch {
                viewers: viewers.get(part(1)).ok_or_else(cut)?.to_vec(),
                cells: cells.get(part(shape.cells)).ok_or_else(cut)?.to_vec(),
                numbers: numbers.get(part(shape.numbers)).ok_or_else(cut)?.to_vec(),
            };
            let targets = targets.get(part(shape.outputs)).ok_or_else(cut)?.to_vec();
            window.games.push_back(Examples { batch, targets });
            first = end;
        }
        Ok(window)
    }
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    fn game(value: u8, count: usize) -> Examples {
        let batch =
            FeatureBatch { viewers: vec![value % 2; count], cells: vec![value; 2 * count], numbers: vec![0.5; count] };
        Examples { batch, targets: vec![f32::from(value); count] }
    }

    #[test]
    fn a_window_forgets_draws_and_comes_back_from_a_file() {
        let mut window = Window::default();
        (0..5).for_each(|value| window.push(game(value, if value == 4 { 90 } else { 10 }), 3));
        let share = |stratified| {
            let mut out = Examples::default();
            window.sample(6000, stratified, &mut Dice::seed_from_u64(1), &mut out);
            assert!(out.targets.iter().all(|&t| t >= 2.0), "games 0 and 1 are forgotten");
            (0..out.len()).for_each(|i| assert_eq!(f32::from(out.batch.get(i).1[0]), out.targets_of(i)[0]));
            out.targets.iter().filter(|&&t| t == 4.0).count()
        };
        assert!((4700..5100).contains(&share(false)), "90 of 110");
        assert!((1850..2150).contains(&share(true)), "one of three games");
        let shape = Shape { cells: 2, values: 5, numbers: 1, players: 2, outputs: 1 };
        let saved: std::collections::BTreeMap<_, _> = window.save().into_iter().collect();
        assert_eq!(Window::restore(&shape, |name| Ok(&saved[name])).unwrap(), window);
    }
}
