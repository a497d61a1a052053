//! Threads that search recursively and can be stopped and resumed at any node.
//!
//! A recursive search cannot leave its recursion when a budget is used up and come back to the same place. So it runs
//! on threads of its own: when the budget is spent they are paused where they are, with the next budget they go on. A
//! search cut into slices visits exactly the nodes of an uncut one, and the caller's thread is free to watch the
//! clock.
//!
//! All threads do the same work. Whoever solves the current task first ends it with [`PauseHandle::next_task`]; the
//! others notice at one of their next nodes, unwind with [`Interrupted`], and take up the next task.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::support::memory::granted;
use perfectplay_core::{Budget, Observer, Progress, Stop};

/// The recursion must be left: the task is settled, or the search is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interrupted;

type Work = dyn Fn(&mut PauseHandle) + Send + Sync;

pub(crate) struct PausableThreads {
    shared: Arc<Shared>,
    work: Arc<Work>,
    threads: Vec<JoinHandle<()>>,
    least_stack: usize,
}

struct Shared {
    /// The control has changed: every thread should check it.
    check_requested: AtomicBool,
    task: AtomicU64,
    nodes: AtomicU64,
    /// The count of nodes at which to stop.
    node_limit: AtomicU64,
    control: Mutex<Control>,
    changed: Condvar,
}

#[derive(Default)]
struct Control {
    /// Threads with a lower number may run.
    may_run: usize,
    /// How many are paused or have ended.
    paused: usize,
    stop: Option<Stop>,
    finished: bool,
    quit: bool,
    panicked: bool,
}

/// Nodes between two checks of what the others want.
const CHECK_EVERY: u64 = 128;
/// How often the waiting caller looks at the stop handle and reports progress: more often at first, because whoever
/// stops a search soon after it began waits for it.
const POLL_EVERY: Duration = Duration::from_millis(5);
const FIRST_POLL: Duration = Duration::from_micros(100);
/// Address space for each thread's recursion; memory is used only as far as the recursion goes.
const STACK: usize = 256 << 20;
/// More than a call takes for one ply of recursion, and than what is called at the last one.
const STACK_PER_PLY: usize = 8 << 10;
const STACK_AT_LEAST: usize = 8 << 20;

impl PausableThreads {
    /// Every thread calls `work` once; it returns when there is nothing more to do.
    ///
    /// Where address space is short, a thread gets less of it, but enough to look `plies` ahead.
    pub(crate) fn new(plies: Option<u32>, work: impl Fn(&mut PauseHandle) + Send + Sync + 'static) -> Self {
        let shared = Shared {
            check_requested: AtomicBool::new(false),
            task: AtomicU64::new(0),
            nodes: AtomicU64::new(0),
            node_limit: AtomicU64::new(0),
            control: Mutex::default(),
            changed: Condvar::new(),
        };
        let least_stack = plies.map_or(STACK, |plies| STACK_PER_PLY.saturating_mul(plies as usize).min(STACK));
        let least_stack = least_stack.max(STACK_AT_LEAST);
        PausableThreads { shared: Arc::new(shared), work: Arc::new(work), threads: Vec::new(), least_stack }
    }

    /// Nodes counted so far; exact whenever the threads are paused.
    pub(crate) fn nodes(&self) -> u64 {
        self.shared.nodes.load(Ordering::Relaxed)
    }

    /// Ends the current task for all, though nobody has solved it: they take it up again as it stands now.
    pub(crate) fn end_task(&self) {
        self.shared.task.fetch_add(1, Ordering::AcqRel);
    }

    /// Lets the threads work until all is done or the budget is used up.
    pub(crate) fn run(
        &mut self,
        budget: &Budget,
        observer: &mut dyn Observer,
        progress: impl FnMut(u64) -> Progress,
    ) -> Stop {
        let before = self.nodes();
        let stop = self.work(budget, observer, progress);
        budget.ledger.spend(self.nodes() - before);
        stop
    }

    fn work(
        &mut self,
        budget: &Budget,
        observer: &mut dyn Observer,
        mut progress: impl FnMut(u64) -> Progress,
    ) -> Stop {
        let started = Instant::now();
        let deadline = budget.time.and_then(|t| started.checked_add(t));
        let wanted = budget.threads.max(1);
        {
            let mut control = self.shared.lock();
            if control.finished {
                return Stop::Done;
            }
            control.stop = None;
            control.may_run = wanted;
            let limit = budget.nodes.map_or(u64::MAX, |n| self.nodes().saturating_add(n));
            self.shared.node_limit.store(limit, Ordering::Relaxed);
            self.shared.check_requested.store(false, Ordering::Relaxed);
            self.shared.changed.notify_all();
        }
        while self.threads.len() < wanted && self.spawn() {}
        if self.threads.is_empty() {
            return Stop::Memory;
        }
        let mut control = self.shared.lock();
        loop {
            assert!(!control.panicked, "a thread of the search panicked");
            if control.finished {
                return Stop::Done;
            }
            if let Some(stop) = control.stop
                && control.paused == self.threads.len()
            {
                return stop;
            }
            let poll = (started.elapsed() / 4).clamp(FIRST_POLL, POLL_EVERY);
            let left = deadline.map_or(poll, |d| d.saturating_duration_since(Instant::now()).min(poll));
            let timed_out;
            (control, timed_out) = {
                let (control, result) =
                    self.shared.changed.wait_timeout(control, left).expect("the control is never poisoned");
                (control, result.timed_out())
            };
            if control.stop.is_none() {
                if budget.stop.is_pulled() {
                    self.shared.request_stop(&mut control, Stop::Cancelled);
                } else if deadline.is_some_and(|d| Instant::now() >= d) {
                    self.shared.request_stop(&mut control, Stop::Time);
                } else if timed_out {
                    drop(control);
                    let progress = progress(self.nodes());
                    let flow = observer.progress(&progress);
                    let full = progress.bytes > budget.memory_left();
                    control = self.shared.lock();
                    if control.stop.is_none() && (full || flow.is_break()) {
                        self.shared.request_stop(&mut control, if full { Stop::Memory } else { Stop::Cancelled });
                    }
                }
            }
        }
    }

    /// One thread more; `false` if the system has no memory for it.
    fn spawn(&mut self) -> bool {
        let (shared, work) = (self.shared.clone(), self.work.clone());
        let id = self.threads.len();
        let stack = granted(STACK);
        if stack < self.least_stack {
            return false;
        }
        let thread = std::thread::Builder::new().name(format!("search {id}")).stack_size(stack).spawn(move || {
            let notice = PanicNotice(shared.clone());
            let mut pause = PauseHandle { shared, id, nodes: 0, counted: 0, next_check: 0, task: 0, abandoned: false };
            work(&mut pause);
            pause.leave();
            drop(notice);
        });
        self.threads.extend(thread); // which may have been refused
        self.threads.len() > id
    }
}

impl Drop for PausableThreads {
    fn drop(&mut self) {
        self.shared.lock().quit = true;
        self.shared.check_requested.store(true, Ordering::Relaxed);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A panic in it was reported by `run`.
            let _ = thread.join();
        }
    }
}

/// Tells the caller if a thread panics.
struct PanicNotice(Arc<Shared>);

impl Drop for PanicNotice {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().panicked = true;
            self.0.changed.notify_all();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Control> {
        self.control.lock().expect("nobody panics at the control")
    }

    fn request_stop(&self, control: &mut Control, stop: Stop) {
        control.stop = Some(stop);
        control.may_run = 0;
        self.check_requested.store(true, Ordering::Relaxed);
    }
}

/// One thread's count of nodes, and the place where it can be paused.
pub(crate) struct PauseHandle {
    shared: Arc<Shared>,
    id: usize,
    /// Nodes of this thread.
    pub(crate) nodes: u64,
    counted: u64,
    next_check: u64,
    task: u64,
    abandoned: bool,
}

impl PauseHandle {
    /// Counts `nodes`. Pauses here if the budget is used up; says if the recursion must be left.
    #[inline]
    pub(crate) fn tick(&mut self, nodes: u64) -> Result<(), Interrupted> {
        self.nodes += nodes;
        if self.nodes >= self.next_check { self.check() } else { Ok(()) }
    }

    /// Whether nobody has ended the task that this thread is at.
    pub(crate) fn is_current(&self) -> bool {
        self.task == self.shared.task.load(Ordering::Acquire)
    }

    /// Takes up the current task and gives its number. Fails if there is nothing more to do.
    pub(crate) fn begin_task(&mut self) -> Result<u64, Interrupted> {
        loop {
            self.task = self.shared.task.load(Ordering::Acquire);
            match self.check() {
                Ok(()) => return Ok(self.task),
                Err(interrupted) if self.abandoned => return Err(interrupted),
                Err(_) => {} // the task ended at this moment
            }
        }
    }

    /// Ends the current task for all. `false` if somebody else ended it before.
    pub(crate) fn next_task(&mut self) -> bool {
        let next = self.task + 1;
        let ended = self.shared.task.compare_exchange(self.task, next, Ordering::AcqRel, Ordering::Acquire);
        ended.is_ok()
    }

    /// The whole work is done.
    pub(crate) fn finish(&mut self) {
        self.count();
        self.shared.lock().finished = true;
        self.shared.check_requested.store(true, Ordering::Relaxed);
        self.shared.changed.notify_all();
    }

    /// Adds this thread's nodes to those of all, and gives the sum.
    fn count(&mut self) -> u64 {
        let fresh = self.nodes - self.counted;
        self.counted = self.nodes;
        self.shared.nodes.fetch_add(fresh, Ordering::Relaxed) + fresh
    }

    /// Pauses here if the budget is used up; says if the recursion must be left.
    #[cold]
    pub(crate) fn check(&mut self) -> Result<(), Interrupted> {
        let total = self.count();
        if self.shared.check_requested.load(Ordering::Relaxed)
            || total >= self.shared.node_limit.load(Ordering::Relaxed)
        {
            self.wait_until_allowed(total)?;
        } else if self.id > 0 && self.next_check == 0 {
            // The first check of a new thread: it may have been started for a run that is over.
            self.wait_until_allowed(total)?;
        }
        let until_limit = self.shared.node_limit.load(Ordering::Relaxed).saturating_sub(total);
        // One thread alone stops at the very node of its limit.
        self.next_check = self.nodes + CHECK_EVERY.min(until_limit).max(1);
        if self.task != self.shared.task.load(Ordering::Relaxed) { Err(Interrupted) } else { Ok(()) }
    }

    /// Waits until this thread may run.
    fn wait_until_allowed(&mut self, total: u64) -> Result<(), Interrupted> {
        let mut control = self.shared.lock();
        loop {
            if control.quit || control.finished {
                self.abandoned = true;
                return Err(Interrupted);
            }
            if control.stop.is_none() && total >= self.shared.node_limit.load(Ordering::Relaxed) {
                self.shared.request_stop(&mut control, Stop::Nodes);
            }
            if self.id < control.may_run {
                return Ok(());
            }
            control.paused += 1;
            self.shared.changed.notify_all();
            while self.id >= control.may_run && !control.quit && !control.finished {
                control = self.shared.changed.wait(control).expect("the control is never poisoned");
            }
            control.paused -= 1;
        }
    }

    fn leave(&mut self) {
        self.count();
        self.shared.lock().paused += 1;
        self.shared.changed.notify_all();
    }
}
