//! Other libraries, measured beside ours in one process and one thread. The benchmarks are in `benches/`:
//!
//! ```text
//! cargo bench -p perfectplay-peers --features peers --bench connect_four
//! cargo bench -p perfectplay-peers --features peers --bench generic
//! ```
//!
//! Runs alternate, so that a busy machine is as unkind to one as to the other, and the least of several times counts.

use std::time::Instant;

/// What somebody needed.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Seconds.
    pub seconds: f64,
    /// Nodes.
    pub nodes: u64,
}

/// Time and nodes of one run of `work`, which returns its nodes.
pub fn measure(work: impl FnOnce() -> u64) -> Cost {
    let started = Instant::now();
    let nodes = work();
    Cost { seconds: started.elapsed().as_secs_f64(), nodes }
}

/// The cheaper one.
pub fn least(a: Option<Cost>, b: Cost) -> Option<Cost> {
    Some(a.filter(|a| a.seconds <= b.seconds).unwrap_or(b))
}

/// Millions of nodes per second.
pub fn rate(cost: Cost) -> f64 {
    cost.nodes as f64 / cost.seconds / 1e6
}
