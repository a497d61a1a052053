//! Evaluations that were learned, as whoever asks sees them.

use crate::{Estimate, FeatureBatch, Payoff, Player};

/// An evaluation that was learned: from features to what a state is worth.
///
/// Law: what is said about a state does not depend on the others in the batch, nor on what was asked before.
pub trait Model: Send + Sync {
    /// Numbers per state. One: the viewer's part of a game of two opposed players. Otherwise one per player, the
    /// viewer's first, then that of the player after it and so on.
    fn outputs(&self) -> usize;

    /// Appends [`Model::outputs`] numbers per state, on the scale of the gain: -1 … 1.
    fn evaluate(&self, batch: &FeatureBatch, scratch: &mut ModelScratch, out: &mut Vec<f32>);
}

/// Room that a model works in, so that nothing is allocated per state. What it holds is the model's affair.
#[derive(Clone, Debug, Default)]
pub struct ModelScratch {
    /// Whole numbers.
    pub whole: Vec<u16>,
    /// Others.
    pub floats: Vec<f32>,
    /// Of which model, by a number that no other has, and of which part of it the others are; 0: of none.
    pub held: (u64, usize),
}

/// Asks a model about states, with room for what is in between.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    batch: FeatureBatch,
    scratch: ModelScratch,
    outputs: Vec<f32>,
}

impl Evaluation {
    /// Pushes what `model` thinks of the states that `fill` puts into a batch. A value of this type asks one model
    /// only.
    #[inline]
    pub fn evaluate<P: Payoff>(
        &mut self,
        model: &dyn Model,
        fill: impl FnOnce(&mut FeatureBatch),
        out: &mut Vec<P::Estimate>,
    ) {
        self.batch.clear();
        self.outputs.clear();
        fill(&mut self.batch);
        model.evaluate(&self.batch, &mut self.scratch, &mut self.outputs);
        let seen_by_viewers = self.outputs.chunks_exact(model.outputs());
        out.extend(self.batch.viewers.iter().zip(seen_by_viewers).map(|(&viewer, part)| estimate::<P>(viewer, part)));
    }
}

/// What a model's numbers mean to each player: see [`Model::outputs`].
#[inline]
pub fn estimate<P: Payoff>(viewer: u8, outputs: &[f32]) -> P::Estimate {
    P::Estimate::from_fn(|player: Player| match outputs {
        [one] if player.index() == usize::from(viewer) => *one,
        [one] => -one,
        _ => outputs[(player.index() + outputs.len() - usize::from(viewer)) % outputs.len()],
    })
}
