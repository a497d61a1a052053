//! How much a search may spend, and why it stopped.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Pulled by another thread (or by Ctrl-C) to end a search early. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct StopHandle(Arc<AtomicBool>);

impl StopHandle {
    /// A handle that nobody has pulled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks every search that holds a clone to stop.
    pub fn pull(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody pulled it.
    pub fn is_pulled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Tells how many bytes are held elsewhere on behalf of a search: by its game, say.
#[derive(Clone)]
pub struct HeldElsewhere(Arc<dyn Fn() -> usize + Send + Sync>);

impl HeldElsewhere {
    /// As `count` says.
    pub fn new(count: impl Fn() -> usize + Send + Sync + 'static) -> Self {
        HeldElsewhere(Arc::new(count))
    }

    /// How many, now.
    pub fn bytes(&self) -> usize {
        (self.0)()
    }
}

impl Default for HeldElsewhere {
    fn default() -> Self {
        HeldElsewhere::new(|| 0)
    }
}

impl fmt::Debug for HeldElsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.bytes())
    }
}

/// Why a search returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// It has nothing more to do: the question is answered.
    Done,
    /// The time is used up.
    Time,
    /// The nodes are used up.
    Nodes,
    /// The memory is used up.
    Memory,
    /// Somebody pulled the handle, or the observer asked for it.
    Cancelled,
    /// It could go on for ever without ever learning anything new, and the question is not answered.
    Stalled,
}

impl Stop {
    /// `done`, `time`, `nodes`, `memory`, `cancelled` or `stalled`.
    pub const fn name(self) -> &'static str {
        match self {
            Stop::Done => "done",
            Stop::Time => "time",
            Stop::Nodes => "nodes",
            Stop::Memory => "memory",
            Stop::Cancelled => "cancelled",
            Stop::Stalled => "stalled",
        }
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The limits of one call of a search. No limit is the default.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Wall-clock time for this call.
    pub time: Option<Duration>,
    /// Nodes that this call may create. With one thread and a seed, a node budget makes a run reproducible.
    pub nodes: Option<u64>,
    /// Bytes that the search may hold in all.
    pub memory: Option<usize>,
    /// What counts against `memory` beside what the search itself holds.
    pub held_elsewhere: HeldElsewhere,
    /// Threads it may use.
    pub threads: usize,
    /// Ends it early.
    pub stop: StopHandle,
    /// Where it is written down how many nodes were spent.
    pub ledger: Ledger,
}

/// Counts what was spent of node budgets, over any number of calls. Clones share one count.
///
/// Not quite the nodes created: work that creates nothing is charged, too, so that it ends. Who cuts a budget into
/// slices subtracts this, and then the slices together stop where one call would have stopped.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Arc<AtomicU64>);

impl Ledger {
    /// Begins with so much spent already.
    pub fn new(spent: u64) -> Self {
        Ledger(Arc::new(AtomicU64::new(spent)))
    }

    /// Writes down that a call has spent so many, where no [`Meter`] does it.
    pub fn spend(&self, nodes: u64) {
        self.0.fetch_add(nodes, Ordering::Relaxed);
    }

    /// What was spent by all calls that have ended.
    pub fn spent(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            time: None,
            nodes: None,
            memory: None,
            held_elsewhere: HeldElsewhere::default(),
            threads: 1,
            stop: StopHandle::new(),
            ledger: Ledger::default(),
        }
    }
}

impl Budget {
    /// No limit at all.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// At most so many nodes.
    pub fn nodes(nodes: u64) -> Self {
        Budget { nodes: Some(nodes), ..Self::default() }
    }

    /// At most so much time.
    pub fn time(time: Duration) -> Self {
        Budget { time: Some(time), ..Self::default() }
    }

    /// Bytes that the search itself may hold now.
    pub fn memory_left(&self) -> usize {
        self.memory.map_or(usize::MAX, |limit| limit.saturating_sub(self.held_elsewhere.bytes()))
    }

    /// Starts the clock.
    pub fn start(&self) -> Meter {
        let started = Instant::now();
        Meter {
            started,
            deadline: self.time.and_then(|t| started.checked_add(t)),
            nodes: Purse::new(self.nodes.unwrap_or(u64::MAX), &self.ledger),
            limit: self.memory.unwrap_or(usize::MAX),
            memory: self.memory_left(),
            held_elsewhere: self.held_elsewhere.clone(),
            until_look: 0,
            stop: self.stop.clone(),
        }
    }
}

/// A budget being spent. Ask it after every piece of work; it looks at the clock only now and then.
#[derive(Clone, Debug)]
pub struct Meter {
    started: Instant,
    deadline: Option<Instant>,
    nodes: Purse,
    /// Of all, and what of it the search itself may hold, as of the last look.
    limit: usize,
    memory: usize,
    held_elsewhere: HeldElsewhere,
    until_look: u64,
    stop: StopHandle,
}

/// Nodes that may still be created. Writes what was taken out of it into the ledger when it goes.
#[derive(Debug)]
struct Purse {
    left: u64,
    taken: u64,
    ledger: Ledger,
}

impl Purse {
    fn new(nodes: u64, ledger: &Ledger) -> Self {
        Purse { left: nodes, taken: 0, ledger: ledger.clone() }
    }
}

/// A copy accounts for what is taken from itself.
impl Clone for Purse {
    fn clone(&self) -> Self {
        Purse::new(self.left, &self.ledger)
    }
}

impl Drop for Purse {
    fn drop(&mut self) {
        self.ledger.spend(self.taken);
    }
}

/// Nodes between two looks at the clock: well under a millisecond of any search here.
const LOOK_EVERY: u64 = 256;

impl Meter {
    /// Spends `nodes` and says whether to stop now; `bytes` is what the search holds at this moment.
    pub fn spend(&mut self, nodes: u64, bytes: usize) -> Option<Stop> {
        self.nodes.left = self.nodes.left.saturating_sub(nodes);
        self.nodes.taken += nodes;
        if self.nodes.left == 0 {
            return Some(Stop::Nodes);
        }
        if bytes > self.memory {
            return Some(Stop::Memory);
        }
        if self.until_look > nodes {
            self.until_look -= nodes;
            return None;
        }
        self.until_look = LOOK_EVERY;
        if self.limit < usize::MAX {
            self.memory = self.limit.saturating_sub(self.held_elsewhere.bytes());
        }
        self.look()
    }

    /// Whether time or a stop request ends the search, looked up now.
    pub fn look(&self) -> Option<Stop> {
        if self.stop.is_pulled() {
            Some(Stop::Cancelled)
        } else if self.deadline.is_some_and(|d| Instant::now() >= d) {
            Some(Stop::Time)
        } else {
            None
        }
    }

    /// One of `parts` equal shares of what is left, for a thread of its own: same deadline, same handle.
    pub fn share(&self, parts: usize) -> Meter {
        let left = if self.nodes.left == u64::MAX { u64::MAX } else { (self.nodes.left / parts.max(1) as u64).max(1) };
        let nodes = Purse::new(left, &self.nodes.ledger);
        Meter { nodes, until_look: 0, ..self.clone() }
    }

    /// Nodes that may still be created.
    pub fn nodes_left(&self) -> u64 {
        self.nodes.left
    }

    /// Bytes that the search itself may hold.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_named_when_it_is_reached() {
        assert_eq!(Budget::nodes(10).start().spend(10, 0), Some(Stop::Nodes));
        assert_eq!(Budget { memory: Some(100), ..Budget::default() }.start().spend(1, 101), Some(Stop::Memory));
        assert_eq!(Budget::time(Duration::ZERO).start().spend(1, 0), Some(Stop::Time));
        let budget = Budget::unlimited();
        assert_eq!(budget.start().spend(1, 0), None);
        budget.stop.pull();
        assert_eq!(budget.start().spend(1, 0), Some(Stop::Cancelled));
    }

    #[test]
    fn the_ledger_adds_up_what_was_spent() {
        let budget = Budget { nodes: Some(100), ledger: Ledger::new(7), ..Budget::default() };
        let mut meter = budget.start();
        meter.spend(5, 0);
        let mut copy = meter.clone();
        copy.spend(10, 0);
        meter = copy; // as a search does that hands its meter to another one
        let mut share = meter.share(2);
        share.spend(20, 0);
        drop((meter, share));
        assert_eq!(budget.ledger.spent(), 7 + 5 + 10 + 20);
    }

    #[test]
    fn the_clock_is_looked_at_again_after_a_while() {
        let budget = Budget::unlimited();
        let mut meter = budget.start();
        assert_eq!(meter.spend(1, 0), None);
        budget.stop.pull();
        assert!((0..=LOOK_EVERY).any(|_| meter.spend(1, 0) == Some(Stop::Cancelled)));
    }
}
