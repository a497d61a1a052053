//! Threads that stay for all rounds of a search, where each round is over in milliseconds or less.
//!
//! A thread that slept for a short time is there in a tenth of a millisecond; one that must be started needs milliseconds
//! on busy cores (docs/performance.md). Work that is long, or comes once, is left to [`perfectplay_core::share_out`].

use std::sync::atomic::{AtomicUsize, Ordering};

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
        let next = AtomicUsize::new(0);
        let take_tasks = |worker: &mut W| {
            loop {
                let task = next.fetch_add(1, Ordering::Relaxed);
                if task >= tasks {
                    return;
                }
                work(worker, task);
            }
        };
        let needed = workers.len().min(self.threads).min(tasks);
        let Some((own, others)) = workers[..needed].split_first_mut() else { return };
        let Some(helpers) = self.helpers.as_ref().filter(|_| needed > 1) else { return take_tasks(own) };
        helpers.in_place_scope(|scope| {
            for worker in others {
                scope.spawn(|_| take_tasks(worker));
            }
            take_tasks(own);
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
