//! Watching a search at work.

use std::ops::ControlFlow;

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Nodes created so far.
    pub nodes: u64,
    /// Bytes held now.
    pub bytes: usize,
    /// The share of the work that is done, from 0 to 1, if the search can tell.
    pub share: Option<f64>,
    /// How deep it has looked, if that means something.
    pub depth: Option<u32>,
}

/// What one iteration of a search that grows a tree has done: enough to draw the tree and to keep the drawing up to
/// date.
///
/// Moves are texts and states have numbers, so that any page or program can show it. Two lines that lead to the same
/// state lead to the same number, unless the search cannot tell: textbook alpha-beta visits it once for each line. A
/// number is used again only when its state was forgotten; then it comes as a new one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Growth {
    /// Which iteration, from 1.
    pub iteration: u64,
    /// The moves from the root to the last state visited.
    pub line: Vec<String>,
    /// What the states on the line are worth now: the root, then one after each move.
    pub visited: Vec<StateNow>,
    /// The states opened, from the root down.
    pub opened: Vec<Opened>,
    /// States that are given up without a look: who can avoid the state above them will.
    pub cut: Vec<u32>,
    /// States created so far.
    pub nodes: u64,
}

/// A state as it stands after an iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateNow {
    /// Its number.
    pub state: u32,
    /// What it is thought to be worth to each player.
    pub value: Vec<f32>,
    /// Whether that is certain.
    pub resolved: bool,
    /// Of a proof-number search: for each goal, what it takes to prove and to disprove it; none if that cannot be done.
    pub numbers: Vec<[Option<u32>; 2]>,
    /// Of an alpha-beta search: α and β when the state was visited, as the first player counts. A value that is not
    /// between them is only a bound.
    pub window: Option<[f32; 2]>,
}

/// A state whose moves were looked at for the first time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opened {
    /// Its number.
    pub state: u32,
    /// Its moves, where they lead, and whether that is a new state: the others were met before, on this line or
    /// another.
    pub moves: Vec<(String, StateNow, bool)>,
}

/// Told now and then how a search goes on; every method does nothing by default.
pub trait Observer {
    /// Called now and then, at most a few hundred times per second; `Break` stops the search with
    /// [`crate::Stop::Cancelled`].
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Whether [`Observer::growth`] wants to be called; asked once per run, so that not watching costs nothing.
    fn wants_growth(&self) -> bool {
        false
    }

    /// Called after every iteration of a search that grows a tree; `Break` stops the search.
    fn growth(&mut self, _growth: &Growth) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Watches nothing.
impl Observer for () {}

/// Watches if there is somebody.
#[warn(clippy::missing_trait_methods)]
impl<O: Observer> Observer for Option<O> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.as_mut().map_or(ControlFlow::Continue(()), |observer| observer.progress(progress))
    }

    fn wants_growth(&self) -> bool {
        self.as_ref().is_some_and(O::wants_growth)
    }

    fn growth(&mut self, growth: &Growth) -> ControlFlow<()> {
        self.as_mut().map_or(ControlFlow::Continue(()), |observer| observer.growth(growth))
    }
}

/// Two that watch: either can stop the search.
#[warn(clippy::missing_trait_methods)]
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let first = self.0.progress(progress);
        self.1.progress(progress)?;
        first
    }

    fn wants_growth(&self) -> bool {
        self.0.wants_growth() || self.1.wants_growth()
    }

    fn growth(&mut self, growth: &Growth) -> ControlFlow<()> {
        let first = self.0.growth(growth);
        self.1.growth(growth)?;
        first
    }
}
