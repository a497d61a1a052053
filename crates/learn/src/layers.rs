//! Learning layers: backpropagation of the log loss (see `tables.rs`), steps by Adam (Kingma and Ba 2015).
//!
//! Rows of the first layer whose inputs were 0 in all examples of a step are left alone, moments and all: most inputs
//! are 0 most of the time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, RwLock};

use perfectplay_core::{FeatureBatch, Model, ModelScratch};
use perfectplay_model::file::{FileError, Tensor};
use perfectplay_model::mlp::{HIDDEN, Layers, Mlp, Parts, SECOND, active, inputs};
use perfectplay_model::{Network, Shape};
use rand_core::SeedableRng;

use crate::adam::Adam;
use crate::choose::{Dice, draw, unit};
use crate::examples::Examples;
use crate::learner::{Learner, decayed};
use crate::options::MlpOptions;

/// Learns a [`Mlp`].
pub struct LayerLearner {
    options: MlpOptions,
    /// What the symmetries do to the board.
    images: Vec<Vec<u16>>,
    training: Mutex<Training>,
    now: Arc<Snapshot>,
}

/// The model as it was after the last step: who evaluates need not wait for who learns.
struct Snapshot(RwLock<Arc<Mlp>>, usize);

impl Model for Snapshot {
    fn outputs(&self) -> usize {
        self.1
    }

    fn evaluate(&self, batch: &FeatureBatch, scratch: &mut ModelScratch, out: &mut Vec<f32>) {
        let model = self.0.read().expect("no holder panics").clone();
        model.evaluate(batch, scratch, out);
    }
}

struct Training {
    model: Mlp,
    adam: Adam,
    gradient: Vec<f32>,
    /// Rows of the first layer that the gradient touches.
    rows: Vec<usize>,
    touched: Vec<bool>,
}

/// Small random weights, so that units differ.
fn begin(shape: &Shape, dice: &mut Dice) -> Mlp {
    let parts = Parts::of(shape);
    let typical = (shape.cells as f64 / 2.0).max(4.0);
    let spread = |at: usize| match at {
        at if at < parts.bias1 => (2.0 / typical).sqrt(),
        at if (parts.second..parts.bias2).contains(&at) => (2.0 / HIDDEN as f64).sqrt(),
        at if (parts.last..parts.bias3).contains(&at) => 0.1 * (1.0 / SECOND as f64).sqrt(),
        _ => 0.0,
    };
    // The sum of three uniform numbers is normal enough.
    let mut normal = || (0..3).map(|_| 2.0 * unit(dice) - 1.0).sum::<f64>();
    Mlp::new(shape.clone(), (0..parts.len).map(|at| (normal() * spread(at)) as f32).collect())
}

impl LayerLearner {
    /// A new network for a game with these symmetries.
    pub fn new(shape: &Shape, images: Vec<Vec<u16>>, options: MlpOptions, seed: u64) -> Self {
        Self::of(begin(shape, &mut Dice::seed_from_u64(seed)), images, options)
    }

    /// Goes on with this model.
    pub fn of(model: Mlp, images: Vec<Vec<u16>>, options: MlpOptions) -> Self {
        let len = model.weights().len();
        let now = Arc::new(Snapshot(RwLock::new(Arc::new(model.clone())), model.outputs()));
        let touched = vec![false; inputs(model.shape())];
        let training = Training { model, adam: Adam::new(len), gradient: vec![0.0; len], rows: vec![], touched };
        LayerLearner { options, images, training: Mutex::new(training), now }
    }
}

impl Training {
    /// Adds the gradient of one example's loss; answers its squared error.
    fn add_gradient(&mut self, features: (u8, &[u8], &[f32]), targets: &[f32], layers: &mut Layers) -> f64 {
        self.model.forward(features, layers);
        let (parts, weights) = (Parts::of(self.model.shape()), self.model.weights());
        let clipped: Vec<f32> = layers.first.iter().map(|x| x.max(0.0)).collect();
        let (mut second, mut first) = ([0f32; SECOND], [0f32; HIDDEN]);
        let mut sum = 0.0;
        for (output, (&y, &target)) in layers.out.iter().zip(targets).enumerate() {
            let error = y - target;
            sum += f64::from(error * error);
            self.gradient[parts.bias3 + output] += error;
            let at = parts.last + output * SECOND;
            for unit in 0..SECOND {
                if layers.second[unit] > 0.0 {
                    self.gradient[at + unit] += error * layers.second[unit];
                    second[unit] += error * weights[at + unit];
                }
            }
        }
        for (unit, &error) in second.iter().enumerate().filter(|(_, error)| **error != 0.0) {
            self.gradient[parts.bias2 + unit] += error;
            let row = parts.second + unit * HIDDEN..parts.second + (unit + 1) * HIDDEN;
            self.gradient[row.clone()].iter_mut().zip(&clipped).for_each(|(g, x)| *g += error * x);
            first.iter_mut().zip(&weights[row]).for_each(|(e, w)| *e += error * w);
        }
        first.iter_mut().zip(&layers.first).for_each(|(error, &x)| *error = if x > 0.0 { *error } else { 0.0 });
        self.gradient[parts.bias1..][..HIDDEN].iter_mut().zip(&first).for_each(|(g, e)| *g += e);
        for (input, value) in active(self.model.shape(), features) {
            if !std::mem::replace(&mut self.touched[input], true) {
                self.rows.push(input);
            }
            self.gradient[input * HIDDEN..][..HIDDEN].iter_mut().zip(&first).for_each(|(g, e)| *g += value * e);
        }
        sum
    }

    /// A step of Adam along the mean gradient of so many examples, which is then 0 again.
    fn step(&mut self, rate: f32, examples: usize) {
        let parts = Parts::of(self.model.shape());
        let share = 1.0 / examples as f32;
        let (mut step, weights) = (self.adam.step(rate), self.model.weights_mut());
        let mut along = |range: std::ops::Range<usize>| {
            for at in range {
                step.along(std::mem::take(&mut self.gradient[at]) * share, at, &mut weights[at]);
            }
        };
        for input in self.rows.drain(..) {
            self.touched[input] = false;
            along(input * HIDDEN..(input + 1) * HIDDEN);
        }
        along(parts.bias1..parts.len);
    }
}

impl Learner for LayerLearner {
    fn model(&self) -> Arc<dyn Model> {
        self.now.clone()
    }

    fn learn(&self, examples: &Examples, pace: f32) -> f64 {
        let mut training = self.training.lock().expect("no holder panics");
        let mut dice = Dice::seed_from_u64(training.adam.learned);
        let order = examples.shuffled(|sides| draw(&mut dice, sides));
        let (mut layers, mut turned, mut sum) = (Layers::default(), Vec::new(), 0.0);
        for batch in order.chunks(self.options.batch) {
            for &i in batch {
                let (viewer, cells, numbers) = examples.batch.get(i);
                let image = if self.options.augment { draw(&mut dice, self.images.len()) } else { 0 };
                turned.clear();
                turned.extend(self.images[image].iter().map(|&cell| cells[usize::from(cell)]));
                sum += training.add_gradient((viewer, &turned, numbers), examples.targets_of(i), &mut layers);
            }
            let rate = pace * decayed(self.options.rate, self.options.decay, training.adam.learned);
            training.step(rate, batch.len());
            training.adam.learned += batch.len() as u64;
        }
        *self.now.0.write().expect("no holder panics") = Arc::new(training.model.clone());
        sum
    }

    fn network(&self) -> Network {
        Network::Mlp(self.training.lock().expect("no holder panics").model.clone())
    }

    fn save(&self) -> BTreeMap<String, Tensor> {
        self.training.lock().expect("no holder panics").adam.save()
    }

    fn restore(&self, tensors: &BTreeMap<String, Tensor>) -> Result<(), FileError> {
        self.training.lock().expect("no holder panics").adam.restore(tensors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perfectplay_core::OptionSet;
    use perfectplay_core::Params;

    /// The log loss of an output y = tanh x and a target, whose derivative with respect to x is y - target.
    fn loss(model: &Mlp, features: (u8, &[u8], &[f32]), targets: &[f32]) -> f64 {
        let mut layers = Layers::default();
        model.forward(features, &mut layers);
        let one = |(&y, &t): (&f32, &f32)| {
            let (y, t) = (f64::from(y), f64::from(t));
            -0.5 * ((1.0 + t) * ((1.0 + y) / 2.0).ln() + (1.0 - t) * ((1.0 - y) / 2.0).ln())
        };
        layers.out.iter().zip(targets).map(one).sum()
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let shape = Shape { cells: 9, values: 4, numbers: 2, players: 3, outputs: 3 };
        let options = MlpOptions::take(&mut Params::default()).unwrap();
        let learner = LayerLearner::new(&shape, vec![(0..9).collect()], options, 7);
        let mut training = learner.training.lock().unwrap();
        let (cells, numbers, targets) = ([0, 1, 2, 3, 0, 0, 1, 1, 2], [0.5, -0.25], [0.9, -0.3, 0.1]);
        let features = (2, &cells[..], &numbers[..]);
        training.add_gradient(features, &targets, &mut Layers::default());
        let parts = Parts::of(&shape);
        let mut dice = Dice::seed_from_u64(1);
        let parts = [
            0..parts.bias1,
            parts.bias1..parts.second,
            parts.second..parts.bias2,
            parts.bias2..parts.last,
            parts.last..parts.len,
        ];
        let mut compared = 0;
        for part in parts {
            for _ in 0..300 {
                let at = part.start + draw(&mut dice, part.len());
                let gradient = f64::from(training.gradient[at]);
                let mut at_step = |step: f32| {
                    let before = training.model.weights()[at];
                    training.model.weights_mut()[at] = before + step;
                    let value = loss(&training.model, features, &targets);
                    training.model.weights_mut()[at] = before;
                    value
                };
                let difference = (at_step(0.01) - at_step(-0.01)) / 0.02;
                let fine = (at_step(0.005) - at_step(-0.005)) / 0.01;
                if (difference - fine).abs() > 1e-4 {
                    continue; // a unit begins or ceases to count within the step
                }
                assert!(
                    (gradient - difference).abs() < 2e-3 + 0.02 * difference.abs(),
                    "{at}: {gradient} {difference}"
                );
                compared += usize::from(gradient != 0.0);
            }
        }
        assert!(compared > 200, "{compared} gradients were compared");
    }
}
