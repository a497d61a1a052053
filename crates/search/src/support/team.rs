//! Threads that stay for all rounds of a search, where each round is over in milliseconds or less.
//!
//! A thread that slept for a short time is there in a tenth of a millisecond; one that must be started needs
//! milliseconds on busy cores (docs/performance.md). Work that is long, or comes once, is left to
//! [`perfectplay_core::share_out`].

use perfectplay_core::{Job, share_out_by};
use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// The caller and its helpers.
pub(crate) struct Team {
    threads: usize,
    /// All but the caller; nobody if it works alone, or if the system refuses threads.
    helpers: Option<ThreadPool>,
}

impl Team {
    /// So many threads, of which the caller is one.
    pub(crate) fn new(threads: usize) -> Self {
        let threads = threads.max(1);
        let helpers = ThreadPoolBuilder::new().num_threads(threads - 1).thread_name(|id| format!("helper {id}"));
        Team { threads, helpers: (threads > 1).then(|| helpers.build().ok()).flatten() }
    }

    /// How many there are.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Does the tasks 0 … `tasks` - 1, each once: whoever is free takes the next one.
    pub(crate) fn share_out(&self, tasks: usize, work: impl Fn(usize) + Sync) {
        self.share_out_with(&mut vec![(); self.threads], tasks, |(), task| work(task));
    }

    /// As [`Team::share_out`]; each thread has one of the `workers` to itself.
    pub(crate) fn share_out_with<W: Send>(&self, workers: &mut [W], tasks: usize, work: impl Fn(&mut W, usize) + Sync) {
        let threads = workers.len().min(self.threads);
        share_out_by(|others, own| self.run(others, own), &mut workers[..threads], tasks, work);
    }

    fn run(&self, others: Vec<Job<'_>>, own: &mut dyn FnMut()) {
        let Some(helpers) = self.helpers.as_ref().filter(|_| !others.is_empty()) else { return own() };
        helpers.in_place_scope(|scope| {
            others.into_iter().for_each(|job| scope.spawn(|_| job()));
            own();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_of_every_round_is_done_once() {
        for threads in [1, 2, 5] {
            let team = Team::new(threads);
            for tasks in [0, 1, 2, 10, 1000] {
                let mut done = vec![Vec::new(); threads];
                team.share_out_with(&mut done, tasks, |done: &mut Vec<usize>, task| done.push(task));
                let mut all = done.concat();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..tasks), "{tasks} tasks on {threads} threads");
            }
        }
    }

    #[test]
    #[should_panic(expected = "a task")]
    fn the_panic_of_a_helper_reaches_the_caller() {
        Team::new(2).share_out(100, |task| assert!(task < 50, "a task"));
    }
}
