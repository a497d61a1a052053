//! A network of two hidden layers on sparse inputs: one per cell and value that is not 0 and viewer, one per number.
//!
//! The first layer is a sum of one row per cell in use. (Only exchanging the rows of cells that differ from the state
//! before would round differently, and a state's value must not depend on its neighbours.) Hidden units are clipped at
//! 0, outputs squashed by tanh.

use perfectplay_core::{FeatureBatch, Model, ModelScratch};

use crate::Shape;

/// Units of the two hidden layers.
pub const HIDDEN: usize = 128;
/// See [`HIDDEN`].
pub const SECOND: usize = 32;

/// The network.
#[derive(Clone, Debug, PartialEq)]
pub struct Mlp {
    shape: Shape,
    /// All weights: rows of the first layer, its biases; rows of the second (one per unit of it), biases; outputs.
    weights: Vec<f32>,
}

/// Where the parts of the weights begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Biases of the first layer.
    pub bias1: usize,
    /// The second layer.
    pub second: usize,
    /// Its biases.
    pub bias2: usize,
    /// The output layer, a row per output.
    pub last: usize,
    /// Its biases.
    pub bias3: usize,
    /// All there are.
    pub len: usize,
}

impl Parts {
    /// Of a network of this shape.
    pub fn of(shape: &Shape) -> Self {
        let bias1 = inputs(shape) * HIDDEN;
        let second = bias1 + HIDDEN;
        let bias2 = second + SECOND * HIDDEN;
        let last = bias2 + SECOND;
        let bias3 = last + shape.outputs * SECOND;
        Parts { bias1, second, bias2, last, bias3, len: bias3 + shape.outputs }
    }
}

/// Inputs: cells by value (all but 0), viewers, numbers.
pub fn inputs(shape: &Shape) -> usize {
    shape.cells * (shape.values - 1) + shape.players + shape.numbers
}

/// The inputs that are not 0, with their values.
pub fn active<'a>(
    shape: &'a Shape,
    (viewer, cells, numbers): (u8, &'a [u8], &'a [f32]),
) -> impl Iterator<Item = (usize, f32)> + 'a {
    let beyond = shape.cells * (shape.values - 1);
    let cells = cells.iter().enumerate().filter(|cell| *cell.1 > 0);
    let cells = cells.map(|(cell, &value)| (cell * (shape.values - 1) + usize::from(value) - 1, 1.0));
    let numbers = numbers.iter().enumerate().map(move |(i, &number)| (beyond + shape.players + i, number));
    cells.chain([(beyond + usize::from(viewer), 1.0)]).chain(numbers)
}

/// What the layers hold for one state, before and after clipping.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// Sums of the first layer.
    pub first: Vec<f32>,
    /// Sums of the second layer.
    pub second: Vec<f32>,
    /// Outputs.
    pub out: Vec<f32>,
}

impl Mlp {
    /// A network with these weights.
    ///
    /// # Panics
    /// If there are too many or too few.
    pub fn new(shape: Shape, weights: Vec<f32>) -> Self {
        assert_eq!(weights.len(), Parts::of(&shape).len, "as many weights as the shape asks for");
        Mlp { shape, weights }
    }

    /// What it is asked about.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// All weights.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// All weights, to change them.
    pub fn weights_mut(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    /// Adds `factor` times a row of the first layer.
    #[inline]
    fn add_row(&self, sums: &mut [f32], input: usize, factor: f32) {
        let row = &self.weights[input * HIDDEN..][..HIDDEN];
        sums.iter_mut().zip(row).for_each(|(sum, w)| *sum += factor * w);
    }

    /// All layers, from the inputs on.
    pub fn forward(&self, features: (u8, &[u8], &[f32]), layers: &mut Layers) {
        let parts = Parts::of(&self.shape);
        layers.first.clear();
        layers.first.extend_from_slice(&self.weights[parts.bias1..][..HIDDEN]);
        for (input, value) in active(&self.shape, features) {
            self.add_row(&mut layers.first, input, value);
        }
        self.above(parts, layers);
    }

    /// The layers above the first.
    fn above(&self, parts: Parts, Layers { first, second, out }: &mut Layers) {
        second.clear();
        out.clear();
        let first: &[f32; HIDDEN] = first.as_slice().try_into().expect("the first layer");
        let clipped = first.map(|x| x.max(0.0));
        let rows = self.weights[parts.second..].as_chunks::<HIDDEN>().0;
        let biases = &self.weights[parts.bias2..][..SECOND];
        second.extend(rows.iter().zip(biases).map(|(row, bias)| bias + dot(row, &clipped)));
        for output in 0..self.shape.outputs {
            let row = &self.weights[parts.last + output * SECOND..][..SECOND];
            let sum: f32 = row.iter().zip(second.iter()).map(|(w, x)| w * x.max(0.0)).sum();
            out.push((sum + self.weights[parts.bias3 + output]).tanh());
        }
    }
}

/// Sixteen sums side by side, then their sum.
#[inline]
fn dot(a: &[f32; HIDDEN], b: &[f32; HIDDEN]) -> f32 {
    let mut sums = [0f32; 16];
    for (a, b) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
        for i in 0..16 {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum()
}

impl Model for Mlp {
    fn outputs(&self) -> usize {
        self.shape.outputs
    }

    fn evaluate(&self, batch: &FeatureBatch, _: &mut ModelScratch, out: &mut Vec<f32>) {
        let mut layers = Layers::default();
        for i in 0..batch.len() {
            self.forward(batch.get(i), &mut layers);
            out.extend_from_slice(&layers.out);
        }
    }
}
