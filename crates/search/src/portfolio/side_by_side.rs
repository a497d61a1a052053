//! Members on threads of their own.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use perfectplay_core::{Budget, Effort, FullGame, Observer, Progress, Stop, StopHandle, side_by_side};

use super::{FIRST_SLICE, Portfolio, left_of, total};
use crate::Threads;

/// How often the stop handle is looked at and progress is told.
const POLL_EVERY: Duration = Duration::from_millis(5);
/// After so long, and then after a part of the time spent, members exchange what they have proved.
const ROUND: Duration = Duration::from_millis(50);
const LATER_ROUNDS: f64 = 1.0 / 8.0;
/// Until a member has searched for so many seconds, each has one thread: tables that several threads share are large
/// from the beginning, and small questions are answered before these are there.
const ALONE: f64 = 0.1;

/// What a member tells from its thread.
#[derive(Default)]
struct Told {
    nodes: AtomicU64,
    bytes: AtomicUsize,
    cancel: AtomicBool,
}

impl Observer for &Told {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.nodes.store(progress.nodes, Ordering::Relaxed);
        self.bytes.store(progress.bytes, Ordering::Relaxed);
        if self.cancel.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<G: FullGame> Portfolio<G> {
    /// Rounds in which as many members as there are threads search at once, each with its part of the threads.
    pub(super) fn side_by_side(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let (started, spent_before) = (Instant::now(), budget.ledger.spent());
        loop {
            let left = match left_of(budget, started, spent_before) {
                Ok(left) => left,
                Err(stop) => return stop,
            };
            let round = self.next_round(budget.threads);
            let Some(&first) = round.first() else { return self.nobody_left() };
            let length = match self.members[first].head_start {
                Some(most) => {
                    let rest = most.seconds - self.members[first].spent.seconds;
                    Duration::from_secs_f64(rest.max(FIRST_SLICE.seconds))
                }
                None => ROUND.max(started.elapsed().mul_f64(LATER_ROUNDS)),
            };
            let threads = if self.slowest() < ALONE { round.len() } else { budget.threads };
            let part = Budget {
                time: Some(left.time.map_or(length, |left| left.min(length))),
                nodes: left.nodes.map(|left| (left / round.len() as u64).max(1)),
                memory: self.part_of(budget.memory),
                ..budget.clone()
            };
            let parts: Vec<(usize, Budget)> = round
                .iter()
                .zip(self.shares(&round, threads))
                .map(|(&i, threads)| (i, Budget { threads, ..part.clone() }))
                .collect();
            let Some(stops) = self.round(&parts, budget, observer) else { return Stop::Cancelled };
            if stops.is_empty() {
                return Stop::Memory; // there is none for a single thread
            }
            // All are noted, so that no proof is lost.
            if stops.into_iter().fold(false, |done, (i, stop)| self.settled(i, stop) || done) {
                return Stop::Done;
            }
        }
    }

    /// As many as there are threads, who has had least first; whoever has a head start has it alone. Others are not
    /// made before they are needed.
    fn next_round(&mut self, threads: usize) -> Vec<usize> {
        let mut round = Vec::new();
        for i in self.in_order(false) {
            let ahead = round.first().is_some_and(|&first: &usize| self.members[first].head_start.is_some());
            if ahead || round.len() == threads {
                break;
            }
            if self.prepare_or_end(i) {
                round.push(i);
            }
        }
        round
    }

    /// What the member that has searched longest has had, in seconds.
    fn slowest(&self) -> f64 {
        self.members.iter().map(|member| member.spent.seconds).fold(0.0, f64::max)
    }

    /// How many of the threads each of these members gets: one, and those that can use more share the rest.
    fn shares(&self, round: &[usize], threads: usize) -> Vec<usize> {
        let mut shares = vec![1; round.len()];
        let uses_more = |&at: &usize| !matches!(self.members[round[at]].info.threads, Threads::One(_));
        let able: Vec<usize> = (0..round.len()).filter(uses_more).collect();
        let rest = threads.saturating_sub(round.len());
        able.iter().cycle().take(rest).for_each(|&at| shares[at] += 1);
        shares
    }

    /// Lets them search until one has solved it or the round is over; `None` if the observer ended it.
    fn round(
        &mut self,
        round: &[(usize, Budget)],
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Option<Vec<(usize, Stop)>> {
        let beside = self.members.iter().enumerate().filter(|(i, _)| !round.iter().any(|(j, _)| j == i));
        let before = total(beside.map(|(_, member)| member.effort));
        let told: Vec<Told> = round.iter().map(|_| Told::default()).collect();
        let halt = StopHandle::new();
        let mut stops = Vec::new();
        let mut cancelled = false;
        let (sender, ended) = mpsc::channel();
        let part_of = |i: usize| round.iter().find(|(j, _)| *j == i).map(|(_, part)| part);
        let members = self.members.iter_mut().enumerate();
        let chosen = members.filter_map(|(i, member)| Some((i, member, part_of(i)?)));
        let jobs = chosen.zip(&told).map(|((i, member, part), told)| {
            let part = Budget { stop: halt.clone(), ..part.clone() };
            let sender = sender.clone();
            move || {
                let stop = member.run(&part, &mut &*told);
                // Who waits for it has gone only if another thread panicked.
                let _ = sender.send((i, stop, member.has_value()));
            }
        });
        let jobs: Vec<_> = jobs.collect();
        drop(sender);
        side_by_side(jobs.into_iter(), || {
            loop {
                match ended.recv_timeout(POLL_EVERY) {
                    Ok((i, stop, solved)) => {
                        stops.push((i, stop));
                        if solved && stop == Stop::Done {
                            halt.pull();
                        }
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                }
                let sum = |sum: Effort, t: &Told| Effort {
                    nodes: sum.nodes + t.nodes.load(Ordering::Relaxed),
                    bytes: sum.bytes + t.bytes.load(Ordering::Relaxed),
                };
                let Effort { nodes, bytes } = told.iter().fold(before, sum);
                if observer.progress(&Progress { nodes, bytes, share: None, depth: None }).is_break() {
                    cancelled = true;
                    told.iter().for_each(|t| t.cancel.store(true, Ordering::Relaxed));
                }
                if cancelled || budget.stop.is_pulled() {
                    halt.pull();
                }
            }
        });
        (!cancelled).then_some(stops)
    }
}
