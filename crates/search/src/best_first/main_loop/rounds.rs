//! Several lines at a time, in rounds: all threads follow lines (see [`crate::best_first::lines`]) until something must
//! be done that only one can do.

use perfectplay_core::{Budget, FullGame, Meter, Observer, Progress, Stop, side_by_side};

use super::{BestFirst, FIRST_IDLE, REPORT_EVERY, WhenFull};
use crate::best_first::leaf_batch::LeafBatch;
use crate::best_first::line_prefetch;
use crate::best_first::lines::{Halt, Round, Terms, Worker};
use crate::best_first::policy::Policy;
use crate::best_first::tree::NoRoom;

/// Lines of a thread in a tree that is larger than the caches: waits for memory overlap.
const LINES: usize = 8;

/// Lines of a thread, at most, that are evaluated together.
const MOST_LINES: usize = 64;

impl<G: FullGame, P: Policy<G>> BestFirst<G, P> {
    /// Goes on with several lines at a time, of several threads or for an evaluation that likes many states at once.
    pub(super) fn run_lines(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let mut meter = budget.start();
        let threads = budget.threads.max(1);
        let mut others: Vec<P> = (1..threads as u64).map(|number| self.policy.fork(number)).collect();
        let mut idle = FIRST_IDLE;
        if let Err(stop) = self.end_line(&mut meter) {
            return stop;
        }
        while !self.is_closed(self.root) {
            let changes = (self.created, self.resolved, self.tally.changed);
            match self.round(&mut others, idle, &mut meter, observer) {
                Some(Halt::Stop(stop)) => return stop,
                Some(Halt::NoRoom(children)) => {
                    if let Err(stop) = self.make_room_between_rounds(children, threads, &meter) {
                        return stop;
                    }
                }
                Some(Halt::Idle) if self.nothing_changes() => return Stop::Stalled,
                Some(Halt::Idle) | None => {}
            }
            let same = changes == (self.created, self.resolved, self.tally.changed);
            idle = if same { 2 * idle } else { FIRST_IDLE };
        }
        Stop::Done
    }

    /// Ends what one line alone has begun.
    fn end_line(&mut self, meter: &mut Meter) -> Result<(), Stop> {
        while self.line.active || self.eviction.is_some() {
            let before = self.created;
            self.walk(meter)?;
            if let Some(stop) = meter.spend(self.created - before, self.tree.bytes()) {
                return Err(stop);
            }
        }
        self.grow_index(1, meter)
    }

    /// Lets all threads follow lines until something must be done that only one can do.
    fn round(&mut self, others: &mut [P], idle: u64, meter: &mut Meter, observer: &mut dyn Observer) -> Option<Halt> {
        let threads = 1 + others.len();
        let memory = self.memory(meter);
        let stock = self.tree.stock();
        let (created, mut report_at) = (self.created, REPORT_EVERY);
        let batch = self.policy.batch();
        let (helpers, others) =
            if self.options.reproducible { (others, [].as_mut_slice()) } else { ([].as_mut_slice(), others) };
        let (lines, collects) = match (batch, self.options.reproducible) {
            (1, true) => (threads, Some(usize::MAX)),
            (1, false) => (if self.tree.len() >= line_prefetch::MIN_STATES { LINES } else { 1 }, None),
            (states, true) => (MOST_LINES, Some(states.saturating_mul(threads))),
            (states, false) => (MOST_LINES, Some(states)),
        };
        let round = Round::<G, P>::new(
            stock,
            Terms {
                game: &self.game,
                tree: &self.tree,
                root: self.root,
                root_state: self.root_state,
                played: self.played,
                reread: self.options.reread,
                memory,
                nodes: meter.nodes_left(),
                threads: 1 + others.len() as u64,
                idle,
                guesses: &self.guesses,
            },
        );
        let leaf_batch = std::mem::replace(&mut self.leaf_batch, LeafBatch::new());
        let root = self.root_state;
        let worker = |policy, helpers, batch| Worker::new(policy, helpers, lines, collects, batch, meter.clone(), root);
        let mut own = worker(&mut self.policy, helpers, leaf_batch.fresh());
        let mut workers: Vec<_> = others.iter_mut().map(|policy| worker(policy, &mut [], leaf_batch.fresh())).collect();
        let mut told = 0;
        let mut pulse = |spent: u64, bytes: usize| {
            let stop = meter.spend(spent - told, bytes);
            told = spent;
            if stop.is_none() && spent >= report_at {
                report_at = spent + REPORT_EVERY;
                let progress = Progress { nodes: created + spent, bytes, share: None, depth: None };
                if observer.progress(&progress).is_break() {
                    return Some(Stop::Cancelled);
                }
            }
            stop.or_else(|| meter.look())
        };
        side_by_side(workers.iter_mut().map(|worker| || worker.run(&round, None)), || {
            own.run(&round, Some(&mut pulse))
        });
        let (stock, spent, halt) = round.end();
        let mut spares = Vec::new();
        let guesses = &mut self.guesses;
        guesses.retain(|id, _| self.tree.known(*id).is_leaf());
        for worker in [own].into_iter().chain(workers) {
            let (spare, tally, unused, batch) = worker.into_parts();
            spares.push(spare);
            unused.into_iter().for_each(|(id, more)| guesses.entry(id).or_default().extend(more));
            self.leaf_batch = batch;
            self.tally.add(&tally);
            self.created += tally.created;
            self.resolved += tally.resolved;
            self.iterations += tally.iterations;
        }
        self.tree.settle(stock, spares, self.root);
        let stop = meter.spend(spent - told, self.tree.bytes());
        self.idle = 0;
        halt.or(stop.map(Halt::Stop))
    }

    /// Does what threads cannot do while they share the tree.
    fn make_room_between_rounds(&mut self, children: usize, threads: usize, meter: &Meter) -> Result<(), Stop> {
        let memory = self.memory(meter);
        // Enough for all to have places in store, where that is little.
        let mut wanted = children.max((self.tree.len() / 256).min(256) * threads);
        loop {
            match self.tree.make_room(wanted, memory) {
                Ok(()) => return Ok(()),
                Err(NoRoom::IndexMustGrow) => self.grow_index(threads, meter)?,
                Err(NoRoom::Full) if wanted > children => wanted = children,
                Err(NoRoom::Full) if self.options.when_full == WhenFull::Drop => {
                    self.forget_seldom_visited();
                    self.clear(meter)?;
                }
                Err(NoRoom::Full) => return Err(Stop::Memory),
            }
        }
    }
}
