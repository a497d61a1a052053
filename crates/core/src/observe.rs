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

/// Told now and then how a search goes on; every method does nothing by default.
pub trait Observer {
    /// Called now and then, at most a few hundred times per second; `Break` stops the search with [`crate::Stop::Cancelled`].
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Watches nothing.
impl Observer for () {}
