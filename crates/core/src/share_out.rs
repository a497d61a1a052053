//! Pieces of work on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does the tasks 0 … `tasks` - 1, each once: a thread per worker, and whoever is free takes the next one.
///
/// One worker alone takes them in order, on the caller's thread. If the system refuses a thread, the others do its work.
pub fn share_out<W: Send>(workers: &mut [W], tasks: usize, work: impl Fn(&mut W, usize) + Sync) {
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
    let needed = workers.len().min(tasks);
    let Some((own, others)) = workers[..needed].split_first_mut() else { return };
    thread::scope(|scope| {
        for worker in others {
            let _ = thread::Builder::new().spawn_scoped(scope, || take_tasks(worker));
        }
        take_tasks(own);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once() {
        for (threads, tasks) in [(1, 10), (3, 0), (3, 2), (4, 1000)] {
            let mut done = vec![Vec::new(); threads];
            share_out(&mut done, tasks, |done: &mut Vec<usize>, task| done.push(task));
            let mut all = done.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..tasks));
        }
    }
}
