//! Backward induction (Červeňan 2025, §3.1): a state gets its value when all its successors have theirs.
//!
//! The proof of Zermelo's theorem values the states in layers S₁, S₂, …: S₁ are the states with finished successors
//! only, S₂ those with successors in S₁, and so on. Here a walk in depth reaches the same states in an order that needs
//! no layers: it values a state as it leaves it. What a value *is* and how it follows from the successors' values is
//! left to a [`Rule`], so that one walk serves both oracles: [`crate::oracle::backward_induction`] and
//! [`crate::oracle::equilibria`].
//!
//! It visits every reachable state once, through exact keys. Memory: one table entry per state, plus the current line.
//! It does not handle games with cycles (a state would wait for itself); it refuses them.
//!
//! Several threads walk at the same time and share the table. Each begins at another move of every state, so they meet
//! seldom, and where one of them was the others find the values. Two may value one state at the same time: they find
//! the same, and it counts once. So the result is that of one thread.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use perfectplay_core::random::below;
use perfectplay_core::{
    Budget, Effort, FullGame, Game, Meter, Observer, Plain, Player, Progress, Status, Stop, side_by_side,
};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::support::saved::require_stable_keys;
use crate::support::shared_map::SharedMap;
use crate::{Reader, Refusal, SaveError, Writer};

/// How values arise.
pub(crate) trait Rule<G: FullGame>: Send + Sync {
    /// What a state is worth.
    type Value: Clone + PartialEq + Send + Sync;
    /// The value of a finished game.
    fn finished(&self, payoff: G::Payoff) -> Self::Value;
    /// The value of a state in which `mover` chooses among successors worth `successors`.
    fn choose(&self, mover: Player, successors: &[Self::Value]) -> Self::Value;
    /// Writes a value.
    fn save(value: &Self::Value, to: &mut Writer<'_>) -> Result<(), SaveError>;
    /// Reads a value.
    fn restore(from: &mut Reader<'_>) -> Result<Self::Value, SaveError>;
    /// Bytes that a value holds beside its own size.
    fn heap_bytes(_value: &Self::Value) -> usize {
        0
    }
}

/// Called with every state and its value, as soon as it is known.
pub(crate) type OnValue<G, V> = Box<dyn FnMut(&<G as Game>::State, &V) + Send>;

/// A state on a line, waiting for its successors.
struct Open<G: FullGame> {
    state: G::State,
    key: G::Key,
    mover: Player,
    first_move: usize,
    first_value: usize,
    /// The move that is looked at first; the others follow, and then those before it.
    begin_at: usize,
}

/// Everything that all walkers see.
struct Shared<G: FullGame, R: Rule<G>> {
    game: Arc<G>,
    root: G::State,
    rule: R,
    values: SharedMap<G::Key, R::Value>,
    /// Bytes that values hold beside their own size, and how many of them are of finished games.
    heap_bytes: AtomicUsize,
    finished_states: AtomicU64,
    /// All are to come back: the root has its value, the table is crowded, or somebody asked for it.
    halt: AtomicBool,
}

/// The walk.
pub(crate) struct Induction<G: FullGame, R: Rule<G>> {
    shared: Shared<G, R>,
    /// The first one takes moves in the order of the rules.
    walkers: Vec<Walker<G, R>>,
    on_value: Option<OnValue<G, R::Value>>,
    /// Where a limit of nodes interrupts it must be the same every time: then one thread walks, whatever the budget
    /// says.
    reproducible: bool,
    /// The threads that the last run had no use for because of that.
    unused: Option<usize>,
}

/// A walk in depth. What it writes all the time shares no cache line with what another one does.
#[repr(align(128))]
struct Walker<G: FullGame, R: Rule<G>> {
    line: Vec<Open<G>>,
    moves: Vec<G::Move>,             // of the open states, one after the other
    successor_values: Vec<R::Value>, // of the open states, as far as known, in the order in which they were looked at
    reached: u64,
    /// They say at which move to begin, for all but the first walker.
    dice: Option<Xoshiro256PlusPlus>,
    untold: Untold,
}

/// What a walker has done and not yet told the others: counts that all change all the time would slow them down.
#[derive(Default)]
struct Untold {
    valued: usize,
    finished: u64,
    bytes: usize,
}

/// With several walkers, each tells after so many states.
const TELL_AT: usize = 64;

/// States between two reports to the observer.
const REPORT_EVERY: u64 = 1 << 14;

impl<G: FullGame, R: Rule<G>> Induction<G, R> {
    /// Prepares to value `root` and everything below it. Refuses games with cycles in the name of `algorithm`.
    pub(crate) fn new(algorithm: &'static str, game: Arc<G>, root: G::State, rule: R) -> Result<Self, Refusal> {
        if !game.facts().acyclic {
            return Err(Refusal::Cyclic { algorithm: algorithm.into() });
        }
        let shared = Shared {
            game,
            root,
            rule,
            values: SharedMap::new(),
            heap_bytes: AtomicUsize::new(0),
            finished_states: AtomicU64::new(0),
            halt: AtomicBool::new(false),
        };
        Ok(Induction { shared, walkers: vec![Walker::new(0)], on_value: None, reproducible: false, unused: None })
    }

    /// From now on, runs with equal budgets find the same, also if a limit of nodes interrupts them.
    pub(crate) fn reproducible(mut self, reproducible: bool) -> Self {
        self.reproducible = reproducible;
        self
    }

    /// See [`crate::Search::threads_used`].
    pub(crate) fn threads_used(&self, given: usize) -> usize {
        if self.unused.is_some() || self.tells_values() { 1 } else { given }
    }

    /// What to tell about threads that were not used.
    pub(crate) fn note(&self) -> Option<String> {
        self.unused.map(|threads| {
            format!("a run with a limit of nodes that is to be the same every time used one thread of {threads}")
        })
    }

    /// Calls `f` with every state that gets its value from now on, in the order of one thread.
    pub(crate) fn on_value(&mut self, f: OnValue<G, R::Value>) {
        self.on_value = Some(f);
    }

    /// Whether it tells values as they come: then it uses one thread.
    pub(crate) fn tells_values(&self) -> bool {
        self.on_value.is_some()
    }

    /// The value of any state below the root, if it is known already.
    pub(crate) fn value(&self, state: &G::State) -> Option<&R::Value> {
        self.shared.values.get(self.shared.game.key(state))
    }

    /// How many states have their value.
    pub(crate) fn states(&self) -> usize {
        self.shared.values.len()
    }

    /// How many of the states valued so far are finished games.
    pub(crate) fn finished_states(&self) -> u64 {
        self.shared.finished_states.load(Ordering::Relaxed)
    }

    /// The game.
    pub(crate) fn game(&self) -> &G {
        &self.shared.game
    }

    /// The state at which the walk begins.
    pub(crate) fn root(&self) -> &G::State {
        &self.shared.root
    }

    /// What it cost so far: nodes are states reached.
    pub(crate) fn effort(&self) -> Effort {
        let open: usize = self.walkers.iter().map(|walker| walker.line.len()).sum();
        Effort { nodes: (self.states() + open) as u64, bytes: self.shared.bytes() }
    }

    /// Goes on with the walk.
    pub(crate) fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let in_order = self.reproducible && budget.nodes.is_some();
        self.unused = Some(budget.threads).filter(|&threads| in_order && threads > 1);
        let threads = if in_order || self.tells_values() { 1 } else { budget.threads.max(1) };
        self.walkers.truncate(threads);
        self.walkers.extend((self.walkers.len()..threads).map(Walker::new));
        let whole = budget.start();
        let share = || if threads == 1 { whole.clone() } else { whole.share(threads) };
        let mut tasks: Vec<Task> = (0..threads).map(|_| Task { meter: share(), threads, stop: None }).collect();
        while self.value(&self.shared.root).is_none() {
            if let Some(stop) = ended(&tasks).or_else(|| self.make_room(&tasks[0].meter, threads)) {
                return stop;
            }
            self.walk(&mut tasks, observer);
        }
        self.walkers = vec![Walker::new(0)];
        Stop::Done
    }

    /// Lets the table grow if it must.
    fn make_room(&mut self, meter: &Meter, threads: usize) -> Option<Stop> {
        let longest = self.walkers.iter().map(|walker| walker.line.len()).max().unwrap_or(0);
        while self.shared.values.is_crowded(threads * (longest + 1 + TELL_AT)) {
            let heap = self.shared.heap_bytes.load(Ordering::Relaxed);
            if self.shared.values.bytes_to_grow() + heap > meter.memory() || !self.shared.values.grow(threads) {
                return Some(Stop::Memory);
            }
            if let Some(stop) = meter.look() {
                return Some(stop);
            }
        }
        None
    }

    /// All walk until they are told to come back or their part of the budget is used up. The first one stays on this
    /// thread.
    fn walk(&mut self, tasks: &mut [Task], observer: &mut dyn Observer) {
        let shared = &self.shared;
        shared.halt.store(false, Ordering::Relaxed);
        let (own, others) = self.walkers.split_first_mut().expect("there is always one");
        let (own_task, other_tasks) = tasks.split_first_mut().expect("a task for each");
        let others = others.iter_mut().zip(other_tasks);
        let others = others.map(|(walker, task)| || walker.walk(shared, task, &mut (), None));
        side_by_side(others, || own.walk(shared, own_task, observer, self.on_value.as_mut()));
    }

    /// See [`crate::Search::save`]. Open states of the first walker are known by the values of their successors, one
    /// after the other; other walkers begin again at the root, and find the values they had found.
    pub(crate) fn save_to(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        require_stable_keys(self.game())?;
        let Walker { line, successor_values, .. } = &self.walkers[0];
        to.put(self.finished_states())?;
        to.put_len(self.states())?;
        for (key, value) in self.shared.values.iter() {
            to.put(key)?;
            R::save(value, to)?;
        }
        to.put_len(line.len())?;
        for open in line {
            to.put(open.first_value as u64)?;
        }
        to.put_len(successor_values.len())?;
        successor_values.iter().try_for_each(|value| R::save(value, to))
    }

    /// See [`crate::Search::restore`].
    pub(crate) fn restore_from(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        let shared = &mut self.shared;
        require_stable_keys(&*shared.game)?;
        *shared.finished_states.get_mut() = from.get()?;
        let states = from.get_len(G::Key::SIZE)?;
        shared.values = SharedMap::with_room(states).ok_or_else(SaveError::no_memory)?;
        for _ in 0..states {
            let key = from.get()?;
            let value = R::restore(from)?;
            *shared.heap_bytes.get_mut() += R::heap_bytes(&value);
            shared.values.added(usize::from(shared.values.insert(key, value)));
        }
        let walker = &mut self.walkers[0];
        let first_values: Vec<u64> = from.get_all()?;
        let count = from.get_len(1)?;
        walker.successor_values = (0..count).map(|_| R::restore(from)).collect::<Result<_, _>>()?;
        walker.restore_line(shared, &first_values)?;
        walker.reached = (shared.values.len() + first_values.len()) as u64;
        Ok(())
    }
}

/// One walker's part of a budget, and why it ended.
#[repr(align(128))]
struct Task {
    meter: Meter,
    threads: usize,
    stop: Option<Stop>,
}

/// Why nobody goes on, if so: nodes are used up when all have used up their part of them.
fn ended(tasks: &[Task]) -> Option<Stop> {
    let for_all = tasks.iter().find_map(|task| task.stop.filter(|&stop| stop != Stop::Nodes));
    for_all.or_else(|| tasks.iter().all(|task| task.stop.is_some()).then_some(Stop::Nodes))
}

impl<G: FullGame, R: Rule<G>> Shared<G, R> {
    fn bytes(&self) -> usize {
        self.values.bytes() + self.heap_bytes.load(Ordering::Relaxed)
    }
}

impl<G: FullGame, R: Rule<G>> Walker<G, R> {
    fn new(number: usize) -> Self {
        let dice = (number > 0).then(|| Xoshiro256PlusPlus::seed_from_u64(number as u64));
        Walker { line: vec![], moves: vec![], successor_values: vec![], reached: 0, dice, untold: Untold::default() }
    }

    /// Walks on.
    fn walk(
        &mut self,
        shared: &Shared<G, R>,
        task: &mut Task,
        observer: &mut dyn Observer,
        mut on_value: Option<&mut OnValue<G, R::Value>>,
    ) {
        if task.stop.is_none() {
            task.stop = self.walk_on(shared, task, observer, &mut on_value);
        }
        self.tell(shared);
        // Whose nodes are used up leaves the others alone.
        if task.stop != Some(Stop::Nodes) {
            shared.halt.store(true, Ordering::Relaxed);
        }
    }

    /// `None` if it is done, or somebody else is, or the table is crowded.
    fn walk_on(
        &mut self,
        shared: &Shared<G, R>,
        task: &mut Task,
        observer: &mut dyn Observer,
        on_value: &mut Option<&mut OnValue<G, R::Value>>,
    ) -> Option<Stop> {
        if self.line.is_empty() {
            self.reach(shared, shared.root, shared.game.key(&shared.root), on_value);
            if let Some(stop) = task.meter.spend(1, 0).filter(|_| !self.line.is_empty()) {
                return Some(stop);
            }
        }
        while let Some(open) = self.line.last() {
            let (all, looked_at) = (self.moves.len() - open.first_move, self.successor_values.len() - open.first_value);
            if looked_at == all {
                self.leave(shared, on_value);
                continue;
            }
            let next = open.begin_at + looked_at;
            let mv = self.moves[open.first_move + if next < all { next } else { next - all }];
            let successor = shared.game.after(&open.state, mv);
            let key = shared.game.key(&successor);
            if let Some(value) = shared.values.get(key) {
                self.successor_values.push(value.clone());
                continue;
            }
            let coming = self.line.len() + 1 + self.untold.valued;
            if shared.values.is_crowded(task.threads * coming) || shared.halt.load(Ordering::Relaxed) {
                return None;
            }
            self.reach(shared, successor, key, on_value);
            // Only now: a call that may spend one node gets one node further.
            if let Some(stop) = task.meter.spend(1, shared.bytes()) {
                return Some(stop);
            }
            if task.threads > 1 && self.untold.valued >= TELL_AT {
                self.tell(shared);
            }
            if self.reached.is_multiple_of(REPORT_EVERY) {
                self.tell(shared);
                if self.report(shared, observer).is_break() {
                    return Some(Stop::Cancelled);
                }
            }
        }
        None
    }

    /// Reaches a state for the first time: values it if the game is over there, opens it otherwise.
    fn reach(
        &mut self,
        shared: &Shared<G, R>,
        state: G::State,
        key: G::Key,
        on_value: &mut Option<&mut OnValue<G, R::Value>>,
    ) {
        self.reached += 1;
        let first_move = self.moves.len();
        match shared.game.expand(&state, &mut self.moves) {
            Status::Over(payoff) => {
                let is_new = self.settle(shared, &state, key, shared.rule.finished(payoff), on_value);
                self.untold.finished += u64::from(is_new);
            }
            Status::Turn(mover) => {
                let moves = self.moves.len() - first_move;
                let begin_at = self.dice.as_mut().map_or(0, |dice| below(dice.next_u64(), moves));
                let first_value = self.successor_values.len();
                self.line.push(Open { state, key, mover, first_move, first_value, begin_at });
            }
        }
    }

    /// Leaves the last state of the line: all its successors are valued, so it is, too.
    fn leave(&mut self, shared: &Shared<G, R>, on_value: &mut Option<&mut OnValue<G, R::Value>>) {
        let open = self.line.pop().expect("a line that is not empty");
        let values = &mut self.successor_values[open.first_value..];
        values.rotate_right(open.begin_at); // now in the order of the rules
        let value = shared.rule.choose(open.mover, values);
        self.moves.truncate(open.first_move);
        self.successor_values.truncate(open.first_value);
        self.settle(shared, &open.state, open.key, value, on_value);
    }

    /// Whether nobody else has valued the state.
    fn settle(
        &mut self,
        shared: &Shared<G, R>,
        state: &G::State,
        key: G::Key,
        value: R::Value,
        on_value: &mut Option<&mut OnValue<G, R::Value>>,
    ) -> bool {
        if let Some(f) = on_value {
            f(state, &value);
        }
        let bytes = R::heap_bytes(&value);
        let is_new = shared.values.insert(key, value);
        if is_new {
            self.untold.valued += 1;
            self.untold.bytes += bytes;
        }
        is_new
    }

    fn tell(&mut self, shared: &Shared<G, R>) {
        let Untold { valued, finished, bytes } = std::mem::take(&mut self.untold);
        shared.values.added(valued);
        shared.finished_states.fetch_add(finished, Ordering::Relaxed);
        shared.heap_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The line whose states have their first values at these places.
    fn restore_line(&mut self, shared: &Shared<G, R>, first_values: &[u64]) -> Result<(), SaveError> {
        let mut state = shared.root;
        for (i, &first_value) in first_values.iter().enumerate() {
            let first_move = self.moves.len();
            let Status::Turn(mover) = shared.game.expand(&state, &mut self.moves) else {
                return Err(SaveError::Damaged("a line beyond the end of the game"));
            };
            let key = shared.game.key(&state);
            let open = Open { state, key, mover, first_move, first_value: first_value as usize, begin_at: 0 };
            self.line.push(open);
            if let Some(next) = first_values.get(i + 1) {
                let at = next.checked_sub(first_value).map(|looked_at| first_move as u64 + looked_at);
                let Some(&mv) = at.and_then(|at| self.moves.get(at as usize)) else {
                    return Err(SaveError::Damaged("a line that leads nowhere"));
                };
                shared.game.play(&mut state, mv);
            }
        }
        if first_values.last().is_some_and(|&first| first > self.successor_values.len() as u64) {
            return Err(SaveError::Damaged("a line without its values"));
        }
        Ok(())
    }

    /// The share of the tree to the left of the current line; a table makes the rest go faster than that.
    fn report(&self, shared: &Shared<G, R>, observer: &mut dyn Observer) -> ControlFlow<()> {
        let (mut share, mut width) = (0.0, 1.0);
        for (i, open) in self.line.iter().enumerate() {
            let (moves_end, values_end) = match self.line.get(i + 1) {
                Some(next) => (next.first_move, next.first_value),
                None => (self.moves.len(), self.successor_values.len()),
            };
            width /= (moves_end - open.first_move) as f64;
            share += width * (values_end - open.first_value) as f64;
        }
        observer.progress(&Progress {
            nodes: (shared.values.len() + self.line.len()) as u64,
            bytes: shared.bytes(),
            share: Some(share),
            depth: Some(self.line.len() as u32),
        })
    }
}
