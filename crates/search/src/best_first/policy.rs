//! What best-first searches differ in: the answers that [the loop](crate::best_first::main_loop) asks for.

use perfectplay_core::{EstimateOf, FullGame};

use crate::best_first::node_data::NodeData;
use crate::best_first::tree::Family;
use crate::support::evaluations::Finish;

/// What tells one best-first search from another.
pub trait Policy<G: FullGame>: Send {
    /// What a node carries: c, v and r, or whatever the search goes by.
    type Data: NodeData;
    /// The data of a finished game.
    fn terminal(&self, game: &G, end: &Finish<'_, G>) -> Self::Data;
    /// Pushes the data of new, unfinished states: one call for all new children of a state, or for a few if it takes
    /// long.
    fn leaves(&mut self, game: &G, states: &[G::State], out: &mut Vec<Self::Data>);
    /// The same again for another thread, the `number`th.
    fn fork(&mut self, number: u64) -> Self
    where
        Self: Sized;
    /// How many states [`Policy::leaves`] likes to be asked about in one call.
    fn batch(&self) -> usize {
        1
    }
    /// Whether [`Policy::leaves`] asks an evaluation, which may take long.
    fn evaluates(&self) -> bool {
        true
    }
    /// The data of a state, from its own and its children's.
    fn backup(&self, family: &Family<'_, G, Self::Data>) -> Self::Data;
    /// Which child to visit; `None` if there is no reason to visit any: the line ends here.
    fn priority_child(&mut self, family: &Family<'_, G, Self::Data>, visit: Visit) -> Option<usize>;
    /// The same child, and the one that would be next.
    fn pick(&mut self, family: &Family<'_, G, Self::Data>, visit: Visit) -> Option<Pick> {
        self.priority_child(family, visit).map(Pick::from)
    }
    /// Whether [`Policy::priority_child`] leaves nothing to chance, so that it can be asked ahead of time.
    fn foreseeable(&self) -> bool {
        false
    }
    /// Whether to go on below a state that was just opened.
    fn continues(&mut self, _family: &Family<'_, G, Self::Data>, _visit: Visit) -> bool {
        false
    }
    /// Whether a state needs no further visit. What is closed never opens again.
    fn closed(&self, data: Self::Data) -> bool;
    /// The child on the principal line.
    fn principal(&self, family: &Family<'_, G, Self::Data>) -> usize;
    /// Whether an iteration can end without any change, and so the search be stuck.
    fn can_stall(&self) -> bool {
        false
    }
    /// Whether [`Policy::priority_child`] may choose this child, now or after more visits that change no data.
    fn candidate(&self, _family: &Family<'_, G, Self::Data>, _child: usize) -> bool {
        true
    }
    /// How many random numbers were drawn.
    fn drawn(&self) -> u64 {
        0
    }
    /// Makes a new policy the one that has drawn so many.
    fn draw(&mut self, _drawn: u64) {}
    /// The guess at each player's result, to be shown to an observer.
    fn shown(&self, data: Self::Data) -> EstimateOf<G>;
}

/// Where a line has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// Plies below the root.
    pub depth: u32,
    /// States opened in this iteration, this one included.
    pub opened: u32,
}

/// A child to visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Its number among the children.
    pub child: usize,
    /// The one that would be picked next if nothing changed but the visit, as far as one knows. Only a hint.
    pub next: usize,
}

impl From<usize> for Pick {
    fn from(child: usize) -> Self {
        Pick { child, next: child }
    }
}
