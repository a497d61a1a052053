//! What changes weights: one learner per kind of model, behind one trait.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use perfectplay_core::{Layout, Model, OptionDoc, Params, TextError};
use perfectplay_model::file::{FileError, Tensor};
use perfectplay_model::{Network, Shape};

use crate::examples::Examples;

/// Learns from examples; several threads may do so at once.
pub trait Learner: Send + Sync {
    /// The model as it is now, or as it is at any time: what to evaluate with in the next game.
    fn model(&self) -> Arc<dyn Model>;
    /// Takes steps towards the targets, `pace` times as large as usual; answers the sum of squared errors before them.
    fn learn(&self, examples: &Examples, pace: f32) -> f64;
    /// A copy of the model.
    fn network(&self) -> Network;
    /// What going on depends on, beside the model.
    fn save(&self) -> BTreeMap<String, Tensor>;
    /// What [`Learner::save`] wrote.
    fn restore(&self, tensors: &BTreeMap<String, Tensor>) -> Result<(), FileError>;
}

/// What a new model depends on beside its options.
#[derive(Clone, Copy, Debug)]
pub struct ModelSeed<'a> {
    /// What it is asked about.
    pub shape: &'a Shape,
    /// Where the cells lie.
    pub layout: &'a Layout,
    /// What the symmetries do to the board: the identity first.
    pub images: &'a [Vec<u16>],
    /// For its first weights.
    pub seed: u64,
}

/// A learner, or why there is none.
pub type Begun = Result<Arc<dyn Learner>, TextError>;

/// A kind of model that programs may be built with or without.
#[derive(Debug)]
pub struct OtherModel {
    /// Its name after `--model`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub meaning: &'static str,
    /// Its options.
    pub docs: fn() -> Vec<OptionDoc>,
    /// A learner that knows nothing.
    pub begin: fn(Params, &ModelSeed<'_>) -> Begun,
    /// A learner that goes on with a network.
    pub resume: fn(Params, &Network, &ModelSeed<'_>) -> Begun,
}

static OTHERS: Mutex<Vec<&'static OtherModel>> = Mutex::new(Vec::new());

/// From now on models of this kind can be trained.
pub fn add_model(model: &'static OtherModel) {
    OTHERS.lock().unwrap_or_else(PoisonError::into_inner).push(model);
}

/// The kind of this name, if the program was built with it.
pub(crate) fn other_model(name: &str) -> Option<&'static OtherModel> {
    OTHERS.lock().unwrap_or_else(PoisonError::into_inner).iter().find(|model| model.name == name).copied()
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

/// A count as a tensor.
pub(crate) fn count(number: u64) -> Tensor {
    Tensor::bytes(number.to_le_bytes().to_vec())
}

/// A number of 64 bits.
pub(crate) fn read_count(tensor: &Tensor) -> Result<u64, FileError> {
    let bytes = tensor.as_bytes().try_into();
    bytes.map(u64::from_le_bytes).map_err(|_| FileError::Wrong("a count of 8 bytes was expected".into()))
}
