//! Adam (Kingma and Ba 2015): steps along the mean of the gradient over the root of its mean square.

use std::collections::BTreeMap;

use perfectplay_model::file::{FileError, Tensor};

use crate::learner::{count, read_count, tensor};

/// How fast the means forget.
const DECAY: [f32; 2] = [0.9, 0.999];

/// What it remembers of each weight's gradient.
#[derive(Clone, Debug)]
pub struct Adam {
    /// Its mean, and the mean of its square.
    moments: [Vec<f32>; 2],
    steps: u64,
    /// Examples learned so far.
    pub learned: u64,
}

/// One step.
#[derive(Debug)]
pub struct AdamStep<'a> {
    moments: &'a mut [Vec<f32>; 2],
    /// Means that began at 0 are too small.
    correct: [f32; 2],
    rate: f32,
}

impl Adam {
    /// For so many weights.
    pub fn new(weights: usize) -> Self {
        Adam { moments: [vec![0.0; weights], vec![0.0; weights]], steps: 0, learned: 0 }
    }

    /// The next step, of this size.
    pub fn step(&mut self, rate: f32) -> AdamStep<'_> {
        self.steps += 1;
        let correct = DECAY.map(|decay| 1.0 - decay.powi(self.steps.min(10_000) as i32));
        AdamStep { moments: &mut self.moments, correct, rate }
    }

    /// What going on depends on.
    pub fn save(&self) -> BTreeMap<String, Tensor> {
        let [means, squares] = self.moments.each_ref().map(|moments| Tensor::floats(moments.iter().copied()));
        BTreeMap::from([
            ("learned".to_owned(), count(self.learned)),
            ("steps".to_owned(), count(self.steps)),
            ("adam.means".to_owned(), means),
            ("adam.squares".to_owned(), squares),
        ])
    }

    /// What [`Adam::save`] gave.
    pub fn restore(&mut self, tensors: &BTreeMap<String, Tensor>) -> Result<(), FileError> {
        self.learned = read_count(tensor(tensors, "learned")?)?;
        self.steps = read_count(tensor(tensors, "steps")?)?;
        for (moments, name) in self.moments.iter_mut().zip(["adam.means", "adam.squares"]) {
            let values = tensor(tensors, name)?.as_floats()?;
            if values.len() != moments.len() {
                return Err(FileError::Wrong(format!("{name} does not fit the model")));
            }
            *moments = values;
        }
        Ok(())
    }
}

impl AdamStep<'_> {
    /// Changes the weight with this number.
    #[inline]
    pub fn along(&mut self, gradient: f32, number: usize, weight: &mut f32) {
        let [mean, square] = self.moments.each_mut().map(|moments| &mut moments[number]);
        *mean += (1.0 - DECAY[0]) * (gradient - *mean);
        *square += (1.0 - DECAY[1]) * (gradient * gradient - *square);
        *weight -= self.rate * (*mean / self.correct[0]) / ((*square / self.correct[1]).sqrt() + 1e-8);
    }
}
