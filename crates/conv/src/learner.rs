//! Steps: burn's gradient of the log loss, Adam's steps along it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, RwLock};

use burn::tensor::activation::tanh;
use burn::tensor::{Device, Tensor as Numbers, TensorData};
use perfectplay_core::random::{below, mix};
use perfectplay_core::{FeatureBatch, Model, ModelScratch, TextError};
use perfectplay_learn::{Adam, Examples, Learner};
use perfectplay_model::Network;
use perfectplay_model::file::{FileError, Tensor};

use crate::{Conv, ConvOptions, Place};

/// Learns a [`Conv`].
pub struct ConvLearner {
    options: ConvOptions,
    /// What the symmetries do to the board.
    images: Vec<Vec<u16>>,
    training: Mutex<Training>,
    now: Arc<Snapshot>,
}

struct Training {
    conv: Conv,
    adam: Adam,
}

/// The network as it was after the last step.
struct Snapshot {
    conv: RwLock<Arc<Conv>>,
    device: Device,
}

impl Model for Snapshot {
    fn outputs(&self) -> usize {
        self.conv.read().expect("no holder panics").outputs()
    }

    fn evaluate(&self, batch: &FeatureBatch, _: &mut ModelScratch, out: &mut Vec<f32>) {
        let conv = self.conv.read().expect("no holder panics").clone();
        conv.evaluate_on(&self.device, batch, out);
    }
}

fn device(place: Place) -> Result<Device, TextError> {
    match place {
        Place::Cpu => Ok(Device::flex()),
        #[cfg(feature = "gpu")]
        Place::Gpu => Ok(Device::wgpu(Default::default())),
        #[cfg(not(feature = "gpu"))]
        Place::Gpu => {
            Err(TextError::new("this program was built without graphics cards: build it with --features gpu"))
        }
    }
}

impl ConvLearner {
    /// Goes on with this network.
    pub fn new(conv: Conv, images: Vec<Vec<u16>>, options: ConvOptions) -> Result<Self, TextError> {
        let now = Arc::new(Snapshot { conv: RwLock::new(Arc::new(conv.clone())), device: device(options.device)? });
        let adam = Adam::new(conv.weights().len());
        let training = Mutex::new(Training { conv, adam });
        Ok(ConvLearner { options, images, training, now })
    }
}

impl Training {
    /// The gradient of the mean loss of these states, and the sum of their squared errors.
    fn gradient(&self, states: &Examples, device: &Device) -> (Vec<f32>, f64) {
        let device = device.clone().autodiff();
        let weights = self.conv.weights();
        let weights =
            Numbers::<1>::from_data(TensorData::new(weights.to_vec(), [weights.len()]), &device).require_grad();
        let picture = self.conv.picture((0..states.len()).map(|i| states.batch.get(i)), &device);
        let sums = self.conv.sums(&weights, picture);
        let targets = TensorData::new(states.targets.clone(), [states.len(), self.conv.outputs()]);
        let targets = Numbers::<2>::from_data(targets, &device);
        let errors = tanh(sums.clone()) - targets.clone();
        let squared = f64::from((errors.clone() * errors).sum().into_scalar::<f32>());
        // With y = tanh x the log loss is ln cosh x - t x but for a constant; |x| + ln(1 + exp(-2|x|)) does not
        // overflow.
        let size = sums.clone().abs();
        let loss = size.clone() + ((size * -2.0).exp() + 1.0).log() - targets * sums;
        let gradients = (loss.sum() / states.len() as f32).backward();
        let gradient = weights.grad(&gradients).expect("all weights take part");
        (gradient.into_data().try_to_vec().expect("numbers of 32 bits"), squared)
    }

    fn step(&mut self, gradient: &[f32], rate: f32) {
        let mut step = self.adam.step(rate);
        for (number, (weight, &gradient)) in self.conv.weights_mut().iter_mut().zip(gradient).enumerate() {
            step.along(gradient, number, weight);
        }
    }
}

impl Learner for ConvLearner {
    fn model(&self) -> Arc<dyn Model> {
        self.now.clone()
    }

    fn learn(&self, examples: &Examples, pace: f32) -> f64 {
        let mut training = self.training.lock().expect("no holder panics");
        let mut state = training.adam.learned;
        let mut draw = |sides: usize| {
            state = mix(state.wrapping_add(1));
            below(state, sides)
        };
        let order = examples.shuffled(&mut draw);
        let mut sum = 0.0;
        for part in order.chunks(self.options.batch) {
            let mut states = Examples::default();
            for &i in part {
                let (viewer, cells, numbers) = examples.batch.get(i);
                let image = &self.images[draw(self.images.len())];
                let turned: Vec<u8> = image.iter().map(|&cell| cells[usize::from(cell)]).collect();
                states.batch.push((viewer, &turned, numbers));
                states.targets.extend_from_slice(examples.targets_of(i));
            }
            let (gradient, squared) = training.gradient(&states, &self.now.device);
            training.step(&gradient, pace * self.options.rate as f32);
            training.adam.learned += part.len() as u64;
            sum += squared;
        }
        *self.now.conv.write().expect("no holder panics") = Arc::new(training.conv.clone());
        sum
    }

    fn network(&self) -> Network {
        Network::Other(Arc::new(self.training.lock().expect("no holder panics").conv.clone()))
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
    use perfectplay_learn::{Plan, Run};

    use super::*;

    /// The mean log loss, written out.
    fn loss(conv: &Conv, states: &Examples, device: &Device) -> f64 {
        let weights = Numbers::<1>::from_data(TensorData::new(conv.weights().to_vec(), [conv.weights().len()]), device);
        let picture = conv.picture((0..states.len()).map(|i| states.batch.get(i)), device);
        let sums = conv.sums(&weights, picture).into_data().try_to_vec::<f32>().unwrap();
        let terms = sums.iter().zip(&states.targets).map(|(&x, &t)| f64::from(x).cosh().ln() - f64::from(t * x));
        terms.sum::<f64>() / states.len() as f64
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        crate::install();
        let model = "conv:channels=4,blocks=1".into();
        let run = Run::new(Plan { game: "tic-tac-toe".into(), model, method: "descent".into(), seed: 3 }).unwrap();
        let Network::Other(network) = run.file().network else { panic!("it is no other kind") };
        let conv = Conv::again(&*network).unwrap();
        let mut states = Examples::default();
        (0..4).for_each(|seed| run.sample_features(seed, &mut states.batch));
        states.targets = (0..states.batch.len()).map(|i| (i % 5) as f32 / 2.0 - 1.0).collect();
        let training = Training { conv: conv.clone(), adam: Adam::new(0) };
        let device = Device::flex();
        let (gradient, _) = training.gradient(&states, &device);
        assert!(gradient.iter().filter(|slope| slope.abs() > 1e-3).count() > gradient.len() / 4);
        let differs = (0..gradient.len()).step_by(7).filter(|&i| {
            let beside = |by: f32| {
                let mut other = conv.clone();
                other.weights_mut()[i] += by;
                loss(&other, &states, &device)
            };
            let slope = (beside(0.005) - beside(-0.005)) / 0.01;
            (slope - f64::from(gradient[i])).abs() > 0.01 + 0.02 * slope.abs()
        });
        // Where a unit changes its mind within the step, the slope is none.
        let differs = differs.count();
        assert!(differs * 7 * 50 <= gradient.len(), "{differs} of {}", gradient.len() / 7);
    }
}
