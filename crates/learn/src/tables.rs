//! Learning tables: stochastic gradient steps on the log loss of the outputs.
//!
//! With y = tanh x and a target t, both as chances (1 + y) / 2 and (1 + t) / 2, the log loss has the derivative y - t with
//! respect to x: unlike the squared error it does not fade where a wrong guess is sure of itself. A step takes away a part
//! of the error, shared among the weights that took part.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use perfectplay_core::{Model, ModelScratch};
use perfectplay_model::file::{FileError, Tensor};
use perfectplay_model::{Active, Network, Tuples, Weight};

use crate::examples::Examples;
use crate::learner::{Learner, count, decayed, read_count, tensor};
use crate::options::{Steps, TupleOptions};

/// Learns a [`Tuples`].
pub struct TableLearner {
    model: Arc<Tuples>,
    options: TupleOptions,
    /// Examples learned.
    learned: AtomicU64,
    /// For coherent steps: per weight the sum of all steps, and of their sizes.
    coherence: Option<[Vec<Weight>; 2]>,
}

impl TableLearner {
    /// Goes on with this model.
    pub fn new(model: Tuples, options: TupleOptions) -> Self {
        let coherent = options.steps == Steps::Coherence;
        let sums = || vec![Weight::default(); model.weights().len()];
        let coherence = coherent.then(|| [sums(), sums()]);
        TableLearner { model: Arc::new(model), options, learned: AtomicU64::new(0), coherence }
    }

    /// One step for one output of one state.
    #[inline]
    fn step(&self, active: &Active, output: usize, target: f32, rate: f32) -> f32 {
        let weights = self.model.weights();
        let error = target - self.model.sum(active, output).tanh();
        let step = rate * error / self.model.active() as f32;
        let outputs = self.model.outputs();
        match &self.coherence {
            None => active.weights(outputs, output).for_each(|at| weights[at].add(step)),
            Some([sums, sizes]) => {
                for at in active.weights(outputs, output) {
                    let (sum, size) = (sums[at].get(), sizes[at].get());
                    let coherent = if size > 0.0 { sum.abs() / size } else { 1.0 };
                    weights[at].add(step * coherent);
                    sums[at].set(sum + error);
                    sizes[at].set(size + error.abs());
                }
            }
        }
        error
    }
}

impl Learner for TableLearner {
    fn model(&self) -> Arc<dyn Model> {
        self.model.clone()
    }

    fn learn(&self, examples: &Examples) -> f64 {
        let first = self.learned.fetch_add(examples.len() as u64, Ordering::Relaxed);
        let rate = match self.options.steps {
            Steps::Plain => decayed(self.options.rate, self.options.decay, first),
            Steps::Coherence => self.options.rate as f32,
        };
        let (mut scratch, mut active, mut sum) = (ModelScratch::default(), Active::default(), 0.0);
        for i in 0..examples.len() {
            self.model.activate(examples.batch.get(i), &mut scratch, &mut active);
            for (output, &target) in examples.targets_of(i).iter().enumerate() {
                let error = self.step(&active, output, target, rate);
                sum += f64::from(error * error);
            }
        }
        sum
    }

    fn network(&self) -> Network {
        Network::Tuples((*self.model).clone())
    }

    fn save(&self) -> BTreeMap<String, Tensor> {
        let mut tensors = BTreeMap::from([("learned".to_owned(), count(self.learned.load(Ordering::Relaxed)))]);
        if let Some([sums, sizes]) = &self.coherence {
            tensors.insert("coherence.sums".into(), Tensor::floats(sums.iter().map(Weight::get)));
            tensors.insert("coherence.sizes".into(), Tensor::floats(sizes.iter().map(Weight::get)));
        }
        tensors
    }

    fn restore(&self, tensors: &BTreeMap<String, Tensor>) -> Result<(), FileError> {
        self.learned.store(read_count(tensor(tensors, "learned")?)?, Ordering::Relaxed);
        if let Some([sums, sizes]) = &self.coherence {
            for (name, list) in [("coherence.sums", sums), ("coherence.sizes", sizes)] {
                let values = tensor(tensors, name)?.as_floats()?;
                if values.len() != list.len() {
                    return Err(FileError::Wrong(format!("{name} does not fit the model")));
                }
                list.iter().zip(values).for_each(|(weight, value)| weight.set(value));
            }
        }
        Ok(())
    }
}
