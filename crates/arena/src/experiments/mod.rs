//! Experiments, a file each: those of the papers, done again beside the published figures, and our own.

pub mod completion;
pub mod defaults;
pub mod learned;
pub mod mistakes;
pub mod mopns_tables;
pub mod paranoid_vs_maxn;
pub mod results;
mod scatter;
pub mod solvers;
pub mod won_positions;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use perfectplay_catalog::{AnySearch, Report};
use perfectplay_core::{Budget, StopHandle};

use crate::Error;
use crate::runner::{Progress, RunOptions, Tournament};
use crate::store::Store;

/// Runs a search that has this name, within a budget, and perhaps shows how it goes on.
pub type Search<'a> = &'a dyn Fn(&mut dyn AnySearch, &str, &Budget) -> Report;

/// Runs a tournament until it is complete, its time is over, or somebody stops it.
fn run_for(
    tournament: &Tournament,
    store: &mut Store,
    time: Option<Duration>,
    stop: &StopHandle,
    on_game: &mut dyn FnMut(&Progress<'_>),
) -> Result<(), Error> {
    let options = RunOptions::default();
    let (inner, outer) = (options.stop.clone(), stop.clone());
    let deadline = time.map(|time| Instant::now() + time);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if outer.is_pulled() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    inner.pull();
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        let result = tournament.run(store, &options, on_game);
        over.store(true, Ordering::Relaxed);
        result.map(drop)
    })
}
