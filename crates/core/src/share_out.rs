//! Pieces of work on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What a thread does. Boxed, so that what starts threads is compiled once, not for every piece of work.
pub type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Does `own` on the caller's thread and each of the `others` on a thread of its own, and returns when all are done.
///
/// If the system refuses a thread, its job is not done: others must be there to help only.
pub fn side_by_side<'a, J: FnOnce() + Send + 'a>(others: impl Iterator<Item = J>, mut own: impl FnMut()) {
    on_threads(others.map(|job| Box::new(job) as Job<'a>).collect(), &mut own);
}

fn on_threads(others: Vec<Job<'_>>, own: &mut dyn FnMut()) {
    if others.is_empty() {
        return own();
    }
    thread::scope(|scope| {
        for job in others {
            let _ = thread::Builder::new().spawn_scoped(scope, job);
        }
        own();
    });
}

/// Does the tasks 0 … `tasks` - 1, each once: a thread per worker, and whoever is free takes the next one.
///
/// One worker alone takes them in order, on the caller's thread. If the system refuses a thread, the others do its
/// work.
pub fn share_out<W: Send>(workers: &mut [W], tasks: usize, work: impl Fn(&mut W, usize) + Sync) {
    share_out_by(on_threads, workers, tasks, work);
}

/// As [`share_out`]; `run` does the jobs of the others on its threads and the last one on the caller's.
pub fn share_out_by<W: Send>(
    run: impl FnOnce(Vec<Job<'_>>, &mut dyn FnMut()),
    workers: &mut [W],
    tasks: usize,
    work: impl Fn(&mut W, usize) + Sync,
) {
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
    let take_tasks = &take_tasks;
    let others = others.iter_mut().map(|worker| Box::new(move || take_tasks(worker)) as Job<'_>).collect();
    run(others, &mut || take_tasks(own));
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
