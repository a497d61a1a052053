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

use std::mem::size_of;
use std::ops::ControlFlow;
use std::sync::Arc;

use perfectplay_core::{Budget, Effort, FullGame, Game, Observer, Plain, Player, Progress, Status, Stop};
use rustc_hash::FxHashMap;

use crate::support::memory::reserve_entries;
use crate::support::saved::require_stable_keys;
use crate::{Reader, Refusal, SaveError, Writer};

/// How values arise.
pub(crate) trait Rule<G: FullGame>: Send {
    /// What a state is worth.
    type Value: Clone + PartialEq + Send;
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

/// A state on the current line, waiting for its successors.
struct Open<G: FullGame> {
    state: G::State,
    key: G::Key,
    mover: Player,
    first_move: usize,
    first_value: usize,
}

/// The walk.
pub(crate) struct Induction<G: FullGame, R: Rule<G>> {
    game: Arc<G>,
    root: G::State,
    rule: R,
    values: FxHashMap<G::Key, R::Value>,
    heap_bytes: usize,
    line: Vec<Open<G>>,
    moves: Vec<G::Move>,             // of the open states, one after the other
    successor_values: Vec<R::Value>, // of the open states, as far as known
    finished_states: u64,
    nodes: u64,
    on_value: Option<OnValue<G, R::Value>>,
}

/// States between two reports to the observer.
const REPORT_EVERY: u64 = 1 << 14;

impl<G: FullGame, R: Rule<G>> Induction<G, R> {
    /// Prepares to value `root` and everything below it. Refuses games with cycles in the name of `algorithm`.
    pub(crate) fn new(algorithm: &'static str, game: Arc<G>, root: G::State, rule: R) -> Result<Self, Refusal> {
        if !game.facts().acyclic {
            return Err(Refusal::Cyclic { algorithm });
        }
        Ok(Induction {
            game,
            root,
            rule,
            values: FxHashMap::default(),
            heap_bytes: 0,
            line: Vec::new(),
            moves: Vec::new(),
            successor_values: Vec::new(),
            finished_states: 0,
            nodes: 0,
            on_value: None,
        })
    }

    /// Calls `f` with every state that gets its value from now on.
    pub(crate) fn on_value(&mut self, f: OnValue<G, R::Value>) {
        self.on_value = Some(f);
    }

    /// The value of any state below the root, if it is known already.
    pub(crate) fn value(&self, state: &G::State) -> Option<&R::Value> {
        self.values.get(&self.game.key(state))
    }

    /// All values, by key.
    pub(crate) fn values(&self) -> &FxHashMap<G::Key, R::Value> {
        &self.values
    }

    /// How many of the states valued so far are finished games.
    pub(crate) fn finished_states(&self) -> u64 {
        self.finished_states
    }

    /// The game.
    pub(crate) fn game(&self) -> &G {
        &self.game
    }

    /// The state at which the walk begins.
    pub(crate) fn root(&self) -> &G::State {
        &self.root
    }

    /// What it cost so far: nodes are states reached.
    pub(crate) fn effort(&self) -> Effort {
        Effort { nodes: self.nodes, bytes: self.bytes() }
    }

    /// Goes on with the walk.
    pub(crate) fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let mut meter = budget.start();
        if self.value(&self.root).is_none() && self.line.is_empty() {
            self.reach(self.root, self.game.key(&self.root));
            if let Some(stop) = meter.spend(1, 0).filter(|_| !self.line.is_empty()) {
                return stop;
            }
        }
        while let Some(open) = self.line.last() {
            let looked_at = self.successor_values.len() - open.first_value;
            let Some(&mv) = self.moves.get(open.first_move + looked_at) else {
                self.leave();
                continue;
            };
            let successor = self.game.after(&open.state, mv);
            let key = self.game.key(&successor);
            if let Some(value) = self.values.get(&key) {
                self.successor_values.push(value.clone());
                continue;
            }
            if self.bytes_with_one_more() > meter.memory() || !reserve_entries(&mut self.values, self.line.len() + 1) {
                return Stop::Memory;
            }
            self.reach(successor, key);
            // Only now: a call that may spend one node gets one node further.
            if let Some(stop) = meter.spend(1, 0) {
                return stop;
            }
            if self.nodes.is_multiple_of(REPORT_EVERY) && self.report(observer).is_break() {
                return Stop::Cancelled;
            }
        }
        Stop::Done
    }

    /// Reaches a state for the first time: values it if the game is over there, opens it otherwise.
    fn reach(&mut self, state: G::State, key: G::Key) {
        self.nodes += 1;
        let first_move = self.moves.len();
        match self.game.expand(&state, &mut self.moves) {
            Status::Over(payoff) => {
                self.finished_states += 1;
                self.settle(&state, key, self.rule.finished(payoff));
            }
            Status::Turn(mover) => {
                self.line.push(Open { state, key, mover, first_move, first_value: self.successor_values.len() });
            }
        }
    }

    /// Leaves the last state of the line: all its successors are valued, so it is, too.
    fn leave(&mut self) {
        let open = self.line.pop().expect("a line that is not empty");
        let value = self.rule.choose(open.mover, &self.successor_values[open.first_value..]);
        self.moves.truncate(open.first_move);
        self.successor_values.truncate(open.first_value);
        self.settle(&open.state, open.key, value);
    }

    fn settle(&mut self, state: &G::State, key: G::Key, value: R::Value) {
        if let Some(f) = &mut self.on_value {
            f(state, &value);
        }
        self.heap_bytes += R::heap_bytes(&value);
        self.values.insert(key, value);
    }

    fn bytes(&self) -> usize {
        self.table_bytes(self.values.capacity()) + self.heap_bytes
    }

    /// A table that must grow holds the old and the new entries for a while.
    fn bytes_with_one_more(&self) -> usize {
        let full = self.values.len() + self.line.len() + 1 >= self.values.capacity();
        self.bytes() + if full { self.table_bytes(2 * self.values.capacity()) } else { 0 }
    }

    fn table_bytes(&self, capacity: usize) -> usize {
        capacity * 8 / 7 * (size_of::<(G::Key, R::Value)>() + 1)
    }

    /// See [`crate::Search::save`]. Open states are known by the values of their successors, one after the other.
    pub(crate) fn save_to(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        require_stable_keys(&*self.game)?;
        to.put([self.finished_states, self.nodes])?;
        to.put([self.values.capacity() as u64, self.values.len() as u64])?;
        for (key, value) in &self.values {
            to.put(*key)?;
            R::save(value, to)?;
        }
        to.put_len(self.line.len())?;
        for open in &self.line {
            to.put(open.first_value as u64)?;
        }
        to.put_len(self.successor_values.len())?;
        self.successor_values.iter().try_for_each(|value| R::save(value, to))
    }

    /// See [`crate::Search::restore`].
    pub(crate) fn restore_from(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        require_stable_keys(&*self.game)?;
        [self.finished_states, self.nodes] = from.get()?;
        let capacity: u64 = from.get()?;
        let count = from.get_len(G::Key::SIZE)?;
        if !reserve_entries(&mut self.values, (capacity as usize).clamp(count, 2 * count + 64)) {
            return Err(SaveError::no_memory());
        }
        for _ in 0..count {
            let key = from.get()?;
            let value = R::restore(from)?;
            self.heap_bytes += R::heap_bytes(&value);
            self.values.insert(key, value);
        }
        let first_values: Vec<u64> = from.get_all()?;
        let count = from.get_len(1)?;
        self.successor_values = (0..count).map(|_| R::restore(from)).collect::<Result<_, _>>()?;
        let mut state = self.root;
        for (i, &first_value) in first_values.iter().enumerate() {
            let first_move = self.moves.len();
            let Status::Turn(mover) = self.game.expand(&state, &mut self.moves) else {
                return Err(SaveError::Damaged("a line beyond the end of the game"));
            };
            let key = self.game.key(&state);
            let open = Open { state, key, mover, first_move, first_value: first_value as usize };
            self.line.push(open);
            if let Some(next) = first_values.get(i + 1) {
                let at = next.checked_sub(first_value).map(|looked_at| first_move as u64 + looked_at);
                let Some(&mv) = at.and_then(|at| self.moves.get(at as usize)) else {
                    return Err(SaveError::Damaged("a line that leads nowhere"));
                };
                self.game.play(&mut state, mv);
            }
        }
        if first_values.last().is_some_and(|&first| first > count as u64) {
            return Err(SaveError::Damaged("a line without its values"));
        }
        Ok(())
    }

    /// The share of the tree to the left of the current line; a table makes the rest go faster than that.
    fn report(&self, observer: &mut dyn Observer) -> ControlFlow<()> {
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
            nodes: self.nodes,
            bytes: self.bytes(),
            share: Some(share),
            depth: Some(self.line.len() as u32),
        })
    }
}
