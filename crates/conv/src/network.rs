//! What the network computes, and its file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use burn::tensor::activation::{relu, tanh};
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor as Numbers, TensorData};
use perfectplay_core::random::mix;
use perfectplay_core::{FeatureBatch, Layout, Model, ModelScratch};
use perfectplay_model::file::{FileError, Tensor};
use perfectplay_model::{Header, OtherNetwork, Shape};

use crate::KIND;

/// Channels after the last convolution, and units of the hidden dense layer.
const NARROW: usize = 8;
const HIDDEN: usize = 64;
/// States that are evaluated in one piece.
const PIECE: usize = 256;

/// A network, with its weights in one list.
#[derive(Clone, Debug)]
pub struct Conv {
    shape: Shape,
    /// Column and row of each cell, from 0 on.
    places: Vec<[u16; 2]>,
    /// Channels and blocks.
    size: [usize; 2],
    weights: Vec<f32>,
}

impl Conv {
    /// A new one, with small random weights.
    pub fn new(shape: &Shape, layout: &Layout, size: [usize; 2], seed: u64) -> Self {
        let least = |axis: fn(&(i16, i16)) -> i16| layout.cells.iter().map(axis).min().unwrap_or(0);
        let (x0, y0) = (least(|cell| cell.0), least(|cell| cell.1));
        let places = layout.cells.iter().map(|&(x, y)| [(x - x0) as u16, (y - y0) as u16]).collect();
        let mut conv = Conv { shape: shape.clone(), places, size, weights: Vec::new() };
        let mut state = seed;
        let mut uniform = || {
            state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15));
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for (range, inputs) in conv.parts() {
            // A variance of 2 / inputs keeps the scale from layer to layer; biases (no inputs) begin at 0.
            let width = if inputs == 0 { 0.0 } else { (6.0 / inputs as f64).sqrt() };
            conv.weights.extend(range.map(|_| (uniform() * width) as f32));
        }
        conv
    }

    /// Width and height of the picture.
    fn extent(&self) -> [usize; 2] {
        [0, 1].map(|axis| 1 + self.places.iter().map(|place| place[axis]).max().map_or(0, usize::from))
    }

    fn planes(&self) -> usize {
        self.shape.values + 1 + self.shape.players + self.shape.numbers
    }

    /// Where the weights and biases of each layer lie, and how many inputs a unit of the layer has (0 for biases).
    fn parts(&self) -> Vec<(Range<usize>, usize)> {
        let ([channels, blocks], [width, height]) = (self.size, self.extent());
        let mut layers = vec![(channels, 9 * self.planes())];
        layers.extend(std::iter::repeat_n((channels, 9 * channels), 2 * blocks));
        layers.extend([(NARROW, channels), (HIDDEN, NARROW * width * height), (self.shape.outputs, HIDDEN)]);
        let mut at = 0;
        let mut part = |len: usize, inputs: usize| {
            at += len;
            (at - len..at, inputs)
        };
        layers.iter().flat_map(|&(units, inputs)| [part(units * inputs, inputs), part(units, 0)]).collect()
    }

    /// The weights.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The weights, to change them.
    pub fn weights_mut(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    /// The states as pictures.
    pub(crate) fn picture<'a>(
        &self,
        states: impl ExactSizeIterator<Item = (u8, &'a [u8], &'a [f32])>,
        device: &Device,
    ) -> Numbers<4> {
        let ([width, height], planes, count) = (self.extent(), self.planes(), states.len());
        let area = width * height;
        let mut picture = vec![0f32; count * planes * area];
        for ((viewer, cells, numbers), picture) in states.zip(picture.chunks_exact_mut(planes * area)) {
            for (&[x, y], &value) in self.places.iter().zip(cells) {
                let at = usize::from(y) * width + usize::from(x);
                picture[usize::from(value) * area + at] = 1.0;
                picture[self.shape.values * area + at] = 1.0;
            }
            let mut plane = |number: usize, value: f32| {
                picture[(self.shape.values + 1 + number) * area..][..area].fill(value);
            };
            plane(viewer.into(), 1.0);
            numbers.iter().enumerate().for_each(|(i, &value)| plane(self.shape.players + i, value));
        }
        Numbers::from_data(TensorData::new(picture, [count, planes, height, width]), device)
    }

    /// The outputs for pictures, before tanh; `weights` are those of this network or others of the same form.
    pub(crate) fn sums(&self, weights: &Numbers<1>, picture: Numbers<4>) -> Numbers<2> {
        let ([channels, blocks], count) = (self.size, picture.dims()[0]);
        let parts = self.parts();
        let mut layers = parts.chunks_exact(2).map(|layer| {
            let take = |part: &(Range<usize>, usize)| weights.clone().slice([part.0.clone()]);
            (take(&layer[0]), take(&layer[1]))
        });
        let mut layer = || layers.next().expect("as many as there are");
        let mut convolve = |x: Numbers<4>, units: usize, side: usize| {
            let ((weights, biases), inputs) = (layer(), x.dims()[1]);
            let around = [(side / 2, side / 2); 2];
            let options = ConvOptions { stride: [1, 1], padding: around, dilation: [1, 1], groups: 1 };
            conv2d(x, weights.reshape([units, inputs, side, side]), Some(biases), options)
        };
        let mut x = relu(convolve(picture, channels, 3));
        for _ in 0..blocks {
            let inner = relu(convolve(x.clone(), channels, 3));
            x = relu(x + convolve(inner, channels, 3));
        }
        let x = relu(convolve(x, NARROW, 1));
        let inputs = x.dims()[1..].iter().product::<usize>();
        let mut dense = |x: Numbers<2>, units: usize| {
            let ((weights, biases), inputs) = (layer(), x.dims()[1]);
            x.matmul(weights.reshape([units, inputs]).transpose()) + biases.reshape([1, units])
        };
        let hidden = relu(dense(x.reshape([count, inputs]), HIDDEN));
        dense(hidden, self.shape.outputs)
    }

    /// The network in a file. Nothing in it is trusted.
    pub fn read(header: &Header, tensors: &BTreeMap<String, Tensor>) -> Result<Arc<dyn OtherNetwork>, FileError> {
        let wrong = |reason: &str| FileError::Wrong(format!("this is no model of perfectplay: {reason}"));
        let get = |name: &str| tensors.get(name).ok_or_else(|| wrong(&format!("it lacks {name}")));
        let places: Vec<[u16; 2]> = get("places")?.as_whole()?.as_chunks::<2>().0.to_vec();
        let size = get("size")?.as_whole()?;
        let &[channels, blocks] = size.as_slice() else { return Err(wrong("it tells no size")) };
        let fits = places.len() == header.shape.cells && places.iter().flatten().all(|&place| place < 256);
        if !fits || !(1..=1024).contains(&channels) || blocks > 64 {
            return Err(wrong("its board does not fit"));
        }
        let size = [channels.into(), blocks.into()];
        let conv = Conv { shape: header.shape.clone(), places, size, weights: get("weights")?.as_floats()? };
        let expected = conv.parts().last().map_or(0, |part| part.0.end);
        if conv.weights.len() != expected || !conv.weights.iter().all(|weight| weight.is_finite()) {
            return Err(wrong("it has more or fewer weights than it says"));
        }
        Ok(Arc::new(conv))
    }

    /// A copy of a network that is one of these.
    pub(crate) fn again(network: &dyn OtherNetwork) -> Option<Self> {
        let tensors = network.tensors();
        let size = tensors.get("size")?.as_whole().ok()?;
        Some(Conv {
            shape: network.shape().clone(),
            places: tensors.get("places")?.as_whole().ok()?.as_chunks::<2>().0.to_vec(),
            size: [(*size.first()?).into(), (*size.get(1)?).into()],
            weights: tensors.get("weights")?.as_floats().ok()?,
        })
    }
}

impl Model for Conv {
    fn outputs(&self) -> usize {
        self.shape.outputs
    }

    fn evaluate(&self, batch: &FeatureBatch, _: &mut ModelScratch, out: &mut Vec<f32>) {
        self.evaluate_on(&Device::flex(), batch, out);
    }
}

impl Conv {
    /// The same on another device.
    pub(crate) fn evaluate_on(&self, device: &Device, batch: &FeatureBatch, out: &mut Vec<f32>) {
        let weights = Numbers::<1>::from_data(TensorData::new(self.weights.clone(), [self.weights.len()]), device);
        for first in (0..batch.len()).step_by(PIECE) {
            let states = first..(first + PIECE).min(batch.len());
            let picture = self.picture(states.map(|i| batch.get(i)), device);
            let values = tanh(self.sums(&weights, picture)).into_data();
            out.extend(values.try_to_vec::<f32>().expect("numbers of 32 bits"));
        }
    }
}

impl OtherNetwork for Conv {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn tensors(&self) -> BTreeMap<String, Tensor> {
        BTreeMap::from([
            ("places".to_owned(), Tensor::whole(self.places.iter().flatten().copied())),
            ("size".to_owned(), Tensor::whole(self.size.iter().map(|&n| n as u16))),
            ("weights".to_owned(), Tensor::floats(self.weights.iter().copied())),
        ])
    }
}
