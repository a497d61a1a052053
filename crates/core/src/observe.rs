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

/// What one iteration of a search that grows a tree has done. Moves are texts, so that any page or program can show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Growth {
    /// Which iteration, from 1.
    pub iteration: u64,
    /// The moves from the root to the last state visited.
    pub line: Vec<String>,
    /// The states created, in the order of their creation.
    pub new_states: Vec<NewState>,
    /// States created so far.
    pub nodes: u64,
    /// What the root is now thought to be worth to each player.
    pub value: Vec<f32>,
    /// Whether the root is resolved.
    pub resolved: bool,
}

/// A state that an iteration created.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewState {
    /// The moves from the root.
    pub line: Vec<String>,
    /// What it is thought to be worth to each player.
    pub value: Vec<f32>,
    /// Whether that is certain.
    pub resolved: bool,
}

/// Told now and then how a search goes on; every method does nothing by default.
pub trait Observer {
    /// Called now and then, at most a few hundred times per second; `Break` stops the search with [`crate::Stop::Cancelled`].
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
