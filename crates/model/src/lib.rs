//! Evaluations that were learned: what they compute ([`Tuples`], [`Mlp`]), and the files they are kept in
//! ([`mod@file`]).
//!
//! Training them is the business of the crate `learn`; searches see nothing but the trait
//! [`Model`].
//!
//! ```
//! use perfectplay_core::{FeatureBatch, Model, ModelScratch};
//! use perfectplay_model::{Shape, Structure, Tuples};
//!
//! // Three cells in a row, each empty, mine or theirs; one tuple of two cells, looked up from both ends.
//! let shape = Shape { cells: 3, values: 3, numbers: 0, players: 2, outputs: 1 };
//! let images = vec![vec![0, 1, 2], vec![2, 1, 0]];
//! let model = Tuples::new(shape, Structure { tuples: vec![vec![0, 1]], images, phases: 1, ..Structure::default() });
//! model.weights()[1].set(0.5); // mine at the end, nothing beside it
//! let batch = FeatureBatch { viewers: vec![0, 0], cells: vec![1, 0, 0, 0, 0, 1], numbers: vec![] };
//! let mut values = Vec::new();
//! model.evaluate(&batch, &mut ModelScratch::default(), &mut values);
//! assert_eq!(values, [0.5f32.tanh(); 2]);
//! ```
#![forbid(unsafe_code)]

pub mod file;
pub mod mlp;
mod shape;
mod structure;
pub mod tuples;
mod weight;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use perfectplay_core::{FeatureBatch, Model, ModelScratch};

pub use file::{FileError, Header, ModelFile};
pub use mlp::Mlp;
pub use shape::Shape;
pub use structure::{Lookup, MOST_ENTRIES, OUTSIDE, Pattern, Structure};
pub use tuples::{Active, Tuples};
pub use weight::Weight;

/// A network of any kind.
#[derive(Clone, Debug)]
pub enum Network {
    /// Tables.
    Tuples(Box<Tuples>),
    /// Layers.
    Mlp(Mlp),
    /// What the program was built with beside these.
    Other(Arc<dyn OtherNetwork>),
}

/// A network of a kind that programs may be built with or without.
pub trait OtherNetwork: Model + std::fmt::Debug {
    /// The name of the kind.
    fn kind(&self) -> &'static str;
    /// What it is asked about.
    fn shape(&self) -> &Shape;
    /// All that its file holds.
    fn tensors(&self) -> BTreeMap<String, file::Tensor>;
}

/// Makes a network of what its file holds, trusting nothing in it.
pub type ReadOther = fn(&Header, &BTreeMap<String, file::Tensor>) -> Result<Arc<dyn OtherNetwork>, FileError>;

static OTHERS: Mutex<Vec<(&'static str, ReadOther)>> = Mutex::new(Vec::new());

/// From now on files of this kind can be read.
pub fn add_kind(kind: &'static str, read: ReadOther) {
    OTHERS.lock().unwrap_or_else(PoisonError::into_inner).push((kind, read));
}

/// What reads files of this kind, if the program was built with it.
fn other_kind(kind: &str) -> Option<ReadOther> {
    let others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    others.iter().find(|other| other.0 == kind).map(|other| other.1)
}

impl Network {
    /// What it is asked about.
    pub fn shape(&self) -> &Shape {
        match self {
            Network::Tuples(tuples) => tuples.shape(),
            Network::Mlp(mlp) => mlp.shape(),
            Network::Other(other) => other.shape(),
        }
    }

    /// `tuples`, `mlp` or another name.
    pub fn kind(&self) -> &'static str {
        match self {
            Network::Tuples(_) => "tuples",
            Network::Mlp(_) => "mlp",
            Network::Other(other) => other.kind(),
        }
    }
}

impl Model for Network {
    fn outputs(&self) -> usize {
        self.shape().outputs
    }

    fn evaluate(&self, batch: &FeatureBatch, scratch: &mut ModelScratch, out: &mut Vec<f32>) {
        match self {
            Network::Tuples(tuples) => tuples.evaluate(batch, scratch, out),
            Network::Mlp(mlp) => mlp.evaluate(batch, scratch, out),
            Network::Other(other) => other.evaluate(batch, scratch, out),
        }
    }
}
