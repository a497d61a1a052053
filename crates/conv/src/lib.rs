//! `--model conv`: a small residual network that sees the board as a picture, through burn.
//!
//! Planes of the picture: one per value of a cell, which cells belong to the board, who looks, and the numbers of the
//! state. A convolution of 3×3, some residual blocks of two such, a convolution of 1×1 to few channels, two dense
//! layers, tanh. No layer looks at more than one state, so that a state gets the same value in any batch (but for
//! rounding).
//!
//! All weights are one list, and so is their gradient, which is burn's; steps are Adam's (Kingma and Ba 2015), taken
//! here. Processor or graphics card is chosen at run time (`device=gpu`, built with the feature `gpu`).

mod learner;
mod network;

use std::sync::Arc;

use perfectplay_core::{OptionSet, Params, Setting, TextError, options};
use perfectplay_learn::{Begun, ModelSeed, OtherModel};
use perfectplay_model::Network;

pub use learner::ConvLearner;
pub use network::Conv;

/// The name of the kind, in files and after `--model`.
pub const KIND: &str = "conv";

/// Where it is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the processor.
    Cpu,
    /// On a graphics card.
    Gpu,
}

options! {
    /// What can be said about it.
    pub struct ConvOptions {
        /// Channels of every layer.
        pub channels: usize = Setting::whole("channels", "channels of each layer", 1..=1024, 32),
        /// Residual blocks.
        pub blocks: usize = Setting::whole("blocks", "residual blocks of two layers", 0..=64, 2),
        /// The step of Adam.
        pub rate: f64 = Setting::fraction("rate", "the step of Adam", 0.000001..=0.1, 0.001),
        /// Examples per step.
        pub batch: usize = Setting::whole("batch", "examples per step", 1..=65_536, 128),
        /// Where it is computed.
        pub device: Place = Setting::choice(
            "device",
            "where it is computed",
            &[("cpu", "on the processor", Place::Cpu), ("gpu", "on a graphics card", Place::Gpu)],
        ),
    }
}

static MODEL: OtherModel = OtherModel {
    name: KIND,
    meaning: "a residual network that sees the board as a picture",
    docs: ConvOptions::docs,
    begin,
    resume,
};

/// Makes it known: `train --model conv`, and `eval=learned` with files of this kind.
pub fn install() {
    perfectplay_model::add_kind(KIND, Conv::read);
    perfectplay_learn::add_model(&MODEL);
}

fn begin(params: Params, seed: &ModelSeed<'_>) -> Begun {
    let options = ConvOptions::read(KIND, params)?;
    let conv = Conv::new(seed.shape, seed.layout, [options.channels, options.blocks], seed.seed);
    Ok(Arc::new(ConvLearner::new(conv, seed.images.to_vec(), options)?))
}

fn resume(params: Params, network: &Network, seed: &ModelSeed<'_>) -> Begun {
    let options = ConvOptions::read(KIND, params)?;
    let other = || TextError::new("this file holds another kind of model than it says");
    let Network::Other(network) = network else { return Err(other()) };
    let conv = Conv::again(&**network).ok_or_else(other)?;
    Ok(Arc::new(ConvLearner::new(conv, seed.images.to_vec(), options)?))
}
