//! What changes weights: one learner per kind of model, behind one trait.

use std::collections::BTreeMap;
use std::sync::Arc;

use perfectplay_core::Model;
use perfectplay_model::Network;
use perfectplay_model::file::{FileError, Tensor};

use crate::examples::Examples;

/// Learns from examples; several threads may do so at once.
pub trait Learner: Send + Sync {
    /// The model as it is now, or as it is at any time: what to evaluate with in the next game.
    fn model(&self) -> Arc<dyn Model>;
    /// Takes steps towards the targets; answers the sum of squared errors before them.
    fn learn(&self, examples: &Examples) -> f64;
    /// A copy of the model.
    fn network(&self) -> Network;
    /// What going on depends on, beside the model.
    fn save(&self) -> BTreeMap<String, Tensor>;
    /// What [`Learner::save`] wrote.
    fn restore(&self, tensors: &BTreeMap<String, Tensor>) -> Result<(), FileError>;
}

/// The tensor of this name.
pub(crate) fn tensor<'a>(tensors: &'a BTreeMap<String, Tensor>, name: &str) -> Result<&'a Tensor, FileError> {
    tensors.get(name).ok_or_else(|| {
        FileError::Wrong(format!(
            "training cannot go on from this file: it lacks {name}, which only files of runs have"
        ))
    })
}

/// A step, smaller by √2 after so many million examples.
pub(crate) fn decayed(rate: f64, decay: f64, examples: u64) -> f32 {
    (rate / (1.0 + examples as f64 / (decay * 1e6)).sqrt()) as f32
}
