//! Proof-number search in depth (df-pn), for one goal or for all goals at once, on a table of fixed size.
//!
//! The transformation of Nagai 2002: a node is searched until its proof or disproof number reaches a threshold, chosen
//! so that until then the best-first search would not have left it. Only the current line and a table are needed.
//! Several goals share the table; the root chooses its attracting outcome and the two thresholds of Saffidine and
//! Cazenave 2012, §4.6 belong to that goal.
//!
//! - *1 + ε* (Pawlewicz and Lew 2007): a child may exceed its rival by the factor 1 + ε, so the search changes its mind
//!   less often.
//! - *Threshold control*: a node is not left before some new position was looked at below it. Where lines meet again,
//!   or entries were lost, thresholds alone could send the search to and fro without any progress.
//! - *Weak sum*: see [`crate::proof_number::effort_numbers::Pair::of_successors_weak`].
//! - *A full table* loses entries (see [`crate::proof_number::table`]); a node keeps the numbers of its children while
//!   it is on the line, so the search goes on, more slowly.
//! - *Threads* search the same root on the same table. A node that one of them is in looks to the others as if its
//!   threshold were reached already (Kaneko's virtual numbers), so they spread out.
//!
//! # Games in which positions repeat
//!
//! Endless play is a draw. So a position that stands on the line already settles the goal, always in the same sense:
//! against "more than a draw", for "at least a draw". What follows from that holds only on lines that contain the
//! repeated positions: the graph-history interaction. Every settled node therefore carries the positions *above it*
//! that its proof relies on. If there are none, the result holds anywhere and goes into the table. If there are some,
//! it goes into a second table, from which it is taken only on lines that contain them all (a line with more positions
//! on it has only more repetitions, all in the same sense). A node drops itself from the list: its own repetitions
//! happen below it, wherever it stands. The other sense never relies on repetitions. Nothing rests on a hash.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use perfectplay_core::{FullGame, Meter, Observer, Plain, Player, Progress, Status, Stop, ZeroSum, side_by_side};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::proof_number::effort_numbers::{INFINITE, LARGEST, Pair, Window, least_effort, own_effort};
use crate::proof_number::goals::{Aim, Outcomes, settle};
use crate::proof_number::graph::Sum;
use crate::proof_number::table::{EffortTable, effort_table};
use crate::proof_number::tree_search::{self, Leaves, Options, Prover};
use crate::support::apart::Apart;
use crate::support::saved::{Reader, SaveError, Writer, require_stable_keys};

/// What can be chosen.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How new leaves start; only `mobility`, `heuristic` and `ties` matter here.
    pub options: Options,
    /// The ε of 1 + ε.
    pub epsilon: f64,
    /// How the side that must refute all successors counts them.
    pub sum: Sum,
    /// Not to leave a node before something new was seen below it.
    pub threshold_control: bool,
    /// Whether positions and their mirror images share their numbers.
    pub symmetry: bool,
    /// Whether a new leaf takes the bounds that the game itself proves for it ([`SolverHints::score_bounds`]).
    pub bounds: bool,
    /// Bytes for the table.
    pub memory: usize,
}

/// The search. The game must not be over at `root`.
pub(crate) fn in_depth<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    outcomes: Arc<Outcomes>,
    aim: Aim,
    settings: Settings,
) -> Box<dyn Prover<G>> {
    Box::new(DepthFirst::new(game, root, outcomes, aim, settings))
}

/// What all threads see.
struct Shared<G: FullGame> {
    game: Arc<G>,
    outcomes: Arc<Outcomes>,
    aim: Aim,
    /// How many.
    goals: usize,
    settings: Settings,
    table: Box<dyn EffortTable<G::Key>>,
    /// If positions can repeat: whether a repetition proves the goal (or disproves it).
    repetition: Option<bool>,
    nodes: Apart<AtomicU64>,
    /// The root is settled.
    done: AtomicBool,
    /// All threads are to stop.
    halt: AtomicBool,
    /// All threads are to wait until the table has made room.
    crowded: AtomicBool,
}

/// Positions above a node that its result relies on.
type Reliance<K> = Option<Arc<[K]>>;

/// Results that rely on other positions, by position.
type PathDependent<K> = FxHashMap<K, Vec<Arc<[K]>>>;

/// A successor of a node on the line.
struct Child<M, K> {
    mv: M,
    key: K,
    relies_on: Reliance<K>,
    /// The effort at which another thread will come back from it; 0 if none is there.
    elsewhere: u32,
}

/// A node on the line.
struct Frame<G: FullGame> {
    state: G::State,
    key: G::Key,
    for_max: bool,
    first: usize,
    chosen: usize,
    limits: Pair,
    mark: u32,
    seen_at_entry: u64,
    nodes_at_entry: u64,
}

/// One thread's line, on cache lines of its own.
#[repr(align(128))]
struct Worker<G: FullGame> {
    line: Vec<Frame<G>>,
    children: Vec<Child<G::Move, G::Key>>,
    numbers: Vec<Pair>,
    on_line: FxHashSet<G::Key>,
    path_dependent: PathDependent<G::Key>,
    path_dependent_keys: usize,
    most_path_dependent_keys: usize,
    goal: usize,
    fresh: Vec<Pair>,
    peeked: Vec<Pair>,
    moves: Vec<G::Move>,
    /// The unfinished successors of the node being entered: which child each is, its state, and whether the first
    /// player moves.
    successors: Vec<(usize, G::State, bool)>,
    leaves: Leaves<G::Move>,
    nodes: u64,
    seen: u64,
    /// Empty slots of the table that it took and did not tell yet.
    taken: usize,
    threads: usize,
    /// Set when the root is settled.
    result: Option<Solution<G>>,
}

/// What a finished search leaves.
struct Solution<G: FullGame> {
    numbers: Vec<Pair>,
    moves: Vec<(G::Move, Vec<Pair>)>,
    line: Vec<G::Move>,
}

/// The search.
pub(crate) struct DepthFirst<G: FullGame<Payoff = ZeroSum>> {
    shared: Shared<G>,
    root: G::State,
    workers: Vec<Worker<G>>,
    /// New positions that searches of other roots looked at.
    seen_before: u64,
}

/// Keys kept in the list of path-dependent results, per thread; fewer if they would take a sixteenth of the memory.
const MOST_PATH_DEPENDENT_KEYS: usize = 1 << 20;
/// Nodes that a thread creates before it says so to the others.
const COUNT_EVERY: u64 = 1 << 10;
/// Nodes below a node after which it is worth a look whether another thread has settled it.
const LOOK_AGAIN: u64 = 1 << 8;
/// Nodes between two reports.
const REPORT_EVERY: u64 = 1 << 15;

impl<G: FullGame<Payoff = ZeroSum>> Shared<G> {
    fn key(&self, state: &G::State) -> G::Key {
        if self.settings.symmetry { self.game.canonical_key(state) } else { self.game.key(state) }
    }

    fn combine(&self, for_max: bool, successors: impl Iterator<Item = Pair>) -> Pair {
        match self.settings.sum {
            Sum::Plain => Pair::of_successors(for_max, successors),
            Sum::Weak => Pair::of_successors_weak(for_max, successors),
        }
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Worker<G> {
    fn empty(shared: &Shared<G>) -> Self {
        let (count, settings) = (shared.goals, shared.settings);
        Worker {
            line: Vec::new(),
            children: Vec::new(),
            numbers: Vec::new(),
            on_line: FxHashSet::default(),
            path_dependent: FxHashMap::default(),
            path_dependent_keys: 0,
            most_path_dependent_keys: (settings.memory / 16 / size_of::<G::Key>()).min(MOST_PATH_DEPENDENT_KEYS),
            goal: 0,
            fresh: vec![Pair::UNIT; count],
            peeked: vec![Pair::UNIT; count],
            moves: Vec::new(),
            successors: Vec::new(),
            leaves: Leaves::new(shared.aim, &shared.outcomes, settings.options),
            nodes: 0,
            seen: 0,
            taken: 0,
            threads: 1,
            result: None,
        }
    }

    fn new(shared: &Shared<G>, root: &G::State) -> Self {
        let mut worker = Worker::empty(shared);
        let unlimited = Pair { proof: INFINITE, disproof: INFINITE };
        let created = worker.enter(shared, *root, shared.key(root), unlimited);
        shared.nodes.0.fetch_add(created, Ordering::Relaxed);
        worker
    }

    /// Puts a node at the end of the line and looks up its successors. Tells how many there are.
    fn enter(&mut self, shared: &Shared<G>, state: G::State, key: G::Key, limits: Pair) -> u64 {
        let count = shared.goals;
        let first = self.children.len();
        self.moves.clear();
        let Status::Turn(mover) = shared.game.expand(&state, &mut self.moves) else {
            unreachable!("finished games are settled and never entered")
        };
        let for_max = mover == Player::FIRST;
        let nodes_at_entry = self.nodes;
        self.nodes += self.moves.len() as u64;
        // Marks are read by those who choose among siblings: what counts there is the effort of the parent's mover.
        let mark = match self.line.last() {
            Some(parent) if self.threads > 1 => own_effort(parent.for_max, limits).min(LARGEST),
            _ => 0,
        };
        if let Some(parent) = self.line.last().filter(|_| mark > 0) {
            let numbers = &self.numbers[parent.chosen * count..][..count];
            self.taken += usize::from(shared.table.mark(key, numbers, mark));
        }
        if shared.repetition.is_some() {
            self.on_line.insert(key);
        }
        self.numbers.resize((first + self.moves.len()) * count, Pair::UNIT);
        for &mv in &self.moves {
            let successor = shared.game.after(&state, mv);
            let child = self.children.len();
            let key = match shared.game.status(&successor) {
                Status::Over(payoff) => {
                    let numbers = &mut self.numbers[child * count..][..count];
                    settle(shared.aim.rank(shared.outcomes.rank(payoff)), numbers);
                    key
                }
                Status::Turn(mover) => {
                    let key = shared.key(&successor);
                    shared.table.prefetch(key);
                    self.successors.push((child, successor, mover == Player::FIRST));
                    key
                }
            };
            self.children.push(Child { mv, key, relies_on: None, elsewhere: 0 });
        }
        // All of them are on their way from memory before the first one is looked at.
        let mut successors = std::mem::take(&mut self.successors);
        for (child, successor, for_max) in successors.drain(..) {
            self.children[child].relies_on = self.look_up(shared, &successor, child, for_max);
        }
        self.successors = successors;
        self.line.push(Frame {
            state,
            key,
            for_max,
            first,
            chosen: first,
            limits,
            mark,
            seen_at_entry: self.seen,
            nodes_at_entry,
        });
        self.moves.len() as u64
    }

    /// The first numbers of an unfinished successor: of a repetition, from the tables, or a guess.
    fn look_up(&mut self, shared: &Shared<G>, state: &G::State, child: usize, for_max: bool) -> Reliance<G::Key> {
        let (key, count) = (self.children[child].key, shared.goals);
        let pairs = &mut self.numbers[child * count..][..count];
        let known = shared.table.get(key, pairs).0;
        if let Some(proves) = shared.repetition
            && !(known && pairs[0].closed())
        {
            let settled = if proves { Pair::PROVED } else { Pair::DISPROVED };
            if self.on_line.contains(&key) {
                pairs[0] = settled;
                return Some(Arc::new([key]));
            }
            let usable = |list: &&Arc<[G::Key]>| list.iter().all(|k| self.on_line.contains(k));
            if let Some(list) = self.path_dependent.get(&key).and_then(|lists| lists.iter().find(usable)) {
                pairs[0] = settled;
                return Some(list.clone());
            }
        }
        if !known {
            self.leaves.number(&*shared.game, state, for_max, pairs);
            if shared.settings.bounds {
                let (lower, upper) = shared.game.score_bounds(state);
                shared.aim.close(shared.outcomes.ranks(lower, upper), pairs);
            }
        }
        None
    }

    /// The numbers of the last node from those of its children, into `fresh`.
    fn recompute(&mut self, shared: &Shared<G>) {
        let frame = self.line.last().expect("the line begins at the root");
        let count = shared.goals;
        let pairs = &self.numbers[frame.first * count..];
        for goal in 0..count {
            let successors = pairs.chunks_exact(count).map(|c| c[goal]);
            self.fresh[goal] = shared.combine(frame.for_max, successors);
        }
    }

    /// One step: leaves the last node or enters a child. Tells how many nodes were created; `None` when the root is
    /// settled.
    fn step(&mut self, shared: &Shared<G>) -> Option<u64> {
        let count = shared.goals;
        let depth = self.line.len();
        self.recompute(shared);
        let frame = self.line.last().expect("the line begins at the root");
        let (first, for_max, seen_at_entry) = (frame.first, frame.for_max, frame.seen_at_entry);
        // With several threads another one may have settled this node while this one was below it.
        let below = self.nodes - frame.nodes_at_entry;
        if self.threads > 1 && depth > 1 && below >= LOOK_AGAIN && !self.fresh[self.goal].closed() {
            let known = shared.table.get(frame.key, &mut self.peeked).0;
            if known && self.peeked[self.goal].closed() {
                self.fresh.copy_from_slice(&self.peeked);
                self.leave(shared);
                return Some(0);
            }
        }
        if depth == 1 {
            if Window::of(&self.fresh).closed() {
                self.conclude(shared);
                return None;
            }
            self.choose_goal(shared);
        }
        let frame = self.line.last().expect("the line begins at the root");
        let (own, limits) = (self.fresh[self.goal], frame.limits);
        let moved_on = !shared.settings.threshold_control && self.threads == 1 || self.seen > seen_at_entry;
        let reached = own.proof >= limits.proof || own.disproof >= limits.disproof;
        if depth > 1 && (own.closed() || reached && moved_on) {
            self.leave(shared);
            return Some(0);
        }
        for child in &mut self.children[first..] {
            child.elsewhere = 0;
        }
        loop {
            let (best, rival) = self.two_best(first, count, for_max);
            let effort = own_effort(for_max, self.numbers[best * count + self.goal]).max(self.children[best].elsewhere);
            if depth > 1 && moved_on && effort >= own_effort(for_max, limits) {
                // Everything worth looking at is being looked at by others.
                self.leave(shared);
                return Some(0);
            }
            let key = self.children[best].key;
            let (known, elsewhere) = shared.table.get(key, &mut self.peeked);
            let local = &mut self.numbers[best * count..][..count];
            if known && *local != self.peeked[..] {
                local.copy_from_slice(&self.peeked);
                return Some(0);
            }
            if elsewhere > self.children[best].elsewhere {
                self.children[best].elsewhere = elsewhere;
                continue;
            }
            let child_limits = self.limits_below(shared, best, rival, own, limits);
            let frame = self.line.last_mut().expect("the line begins at the root");
            frame.chosen = best;
            let state = shared.game.after(&frame.state, self.children[best].mv);
            // Counted after the frame took its mark: what is new for the parent, too.
            let created = self.enter(shared, state, key, child_limits);
            self.seen += u64::from(!known);
            return Some(created);
        }
    }

    /// The child with the least effort for the mover, and the least effort among the others.
    #[inline]
    fn two_best(&self, first: usize, count: usize, for_max: bool) -> (usize, u32) {
        let (mut best, mut least, mut rival) = (first, INFINITE, INFINITE);
        for (i, child) in self.children.iter().enumerate().skip(first) {
            let effort = own_effort(for_max, self.numbers[i * count + self.goal]).max(child.elsewhere);
            if effort < least {
                rival = least;
                (best, least) = (i, effort);
            } else {
                rival = rival.min(effort);
            }
        }
        (best, rival)
    }

    /// How far the chosen child is searched: until its rival is better by ε, or until the node itself reaches a limit.
    fn limits_below(&self, shared: &Shared<G>, best: usize, rival: u32, own: Pair, limits: Pair) -> Pair {
        let frame = self.line.last().expect("the line begins at the root");
        let count = shared.goals;
        let turn = |pair: Pair| if frame.for_max { pair } else { pair.swapped() };
        let (own, limits, child) = (turn(own), turn(limits), turn(self.numbers[best * count + self.goal]));
        let stretched = (f64::from(rival) * (1.0 + shared.settings.epsilon)).ceil() as u32;
        let rival = stretched.max(rival.saturating_add(1)).min(if rival == INFINITE { INFINITE } else { LARGEST });
        let rest = match shared.settings.sum {
            Sum::Plain => own.disproof - child.disproof.min(own.disproof),
            Sum::Weak => {
                let others = self.numbers[frame.first * count..].chunks_exact(count).map(|c| turn(c[self.goal]));
                others.filter(|p| p.disproof > 0).count() as u32 - 1
            }
        };
        let all = if limits.disproof >= LARGEST { limits.disproof } else { limits.disproof.saturating_sub(rest) };
        turn(Pair { proof: limits.proof.min(rival), disproof: all.max(1) })
    }

    /// At the root: the goal to pursue, and how far until another one looks cheaper (the two thresholds of Saffidine
    /// and Cazenave 2012, §4.6).
    fn choose_goal(&mut self, shared: &Shared<G>) {
        let pairs = &self.fresh;
        let window = Window::of(pairs);
        let ties = shared.settings.options.ties;
        let for_max = self.line[0].for_max;
        self.goal = tree_search::attracting_goal(pairs, window, for_max, ties);
        let mut limits = Pair { proof: INFINITE, disproof: INFINITE };
        let others = (usize::from(window.pessimistic)..usize::from(window.optimistic)).filter(|&g| g != self.goal);
        if let Some(cheapest) = others.map(|g| tree_search::attraction(pairs, for_max, g)).min() {
            let own = own_effort(for_max, pairs[self.goal]);
            let beside = tree_search::attraction(pairs, for_max, self.goal) - u64::from(own);
            let stretched = (cheapest as f64 * (1.0 + shared.settings.epsilon)).ceil() as u64;
            let until = (stretched.saturating_sub(beside) + 1).clamp(u64::from(own) + 1, u64::from(LARGEST)) as u32;
            *(if for_max { &mut limits.proof } else { &mut limits.disproof }) = until;
        }
        self.line[0].limits = limits;
    }

    /// Takes the last node, whose numbers are in `fresh`, off the line.
    fn leave(&mut self, shared: &Shared<G>) {
        let count = shared.goals;
        let relies_on = self.reliance(shared);
        let frame = self.line.pop().expect("the line is longer than the root");
        if shared.repetition.is_some() {
            self.on_line.remove(&frame.key);
        }
        match &relies_on {
            None => {
                let work = self.nodes - frame.nodes_at_entry;
                self.taken += usize::from(shared.table.put(frame.key, &self.fresh, work, frame.mark));
            }
            Some(list) => {
                shared.table.unmark(frame.key, frame.mark);
                self.remember_path_dependent(frame.key, list.clone());
            }
        }
        self.children.truncate(frame.first);
        self.numbers.truncate(frame.first * count);
        let chosen = self.line.last().expect("the line begins at the root").chosen;
        self.numbers[chosen * count..][..count].copy_from_slice(&self.fresh);
        self.children[chosen].relies_on = relies_on;
    }

    /// The positions above the last node that its result relies on.
    fn reliance(&self, shared: &Shared<G>) -> Reliance<G::Key> {
        let proves = shared.repetition?;
        let settled = if proves { Pair::PROVED } else { Pair::DISPROVED };
        let frame = self.line.last().expect("the line begins at the root");
        if self.fresh[0] != settled {
            return None;
        }
        let settling = self.children[frame.first..].iter().zip(&self.numbers[frame.first..]);
        let settling = settling.filter(|(_, pair)| **pair == settled).map(|(child, _)| &child.relies_on);
        let length = |list: &&Reliance<G::Key>| list.as_ref().map_or(0, |l| l.len());
        let mut keys: Vec<G::Key> = if frame.for_max == proves {
            // The mover needs one of them: the one that relies on least. If there is none, another thread settled the
            // node.
            settling.min_by_key(length)?.iter().flat_map(|l| l.iter().copied()).collect()
        } else {
            settling.flatten().flat_map(|l| l.iter().copied()).collect()
        };
        keys.sort_unstable();
        keys.dedup();
        keys.retain(|&k| k != frame.key);
        (!keys.is_empty()).then(|| keys.into())
    }

    fn remember_path_dependent(&mut self, key: G::Key, list: Arc<[G::Key]>) {
        if self.path_dependent_keys > self.most_path_dependent_keys {
            // What the line needs is kept by the line.
            self.path_dependent.clear();
            self.path_dependent_keys = 0;
        }
        let lists = self.path_dependent.entry(key).or_default();
        if !lists.contains(&list) {
            self.path_dependent_keys += list.len() + 2;
            lists.push(list);
        }
    }

    /// The root is settled: keeps what the answer needs.
    fn conclude(&mut self, shared: &Shared<G>) {
        let count = shared.goals;
        let root = &self.line[0];
        self.taken += usize::from(shared.table.put(root.key, &self.fresh, self.nodes, 0));
        let numbers = |i: usize| self.numbers[i * count..][..count].to_vec();
        let moves: Vec<_> =
            (0..self.children.len()).take(self.root_moves()).map(|i| (self.children[i].mv, numbers(i))).collect();
        let line = line(shared, &root.state, root.for_max, &self.fresh, &moves);
        let moves = (0..moves.len()).map(|i| (self.children[i].mv, self.certain(i, count))).collect();
        self.result = Some(Solution { numbers: self.fresh.clone(), moves, line });
        shared.done.store(true, Ordering::Relaxed);
    }

    /// The numbers of a child as far as they hold for the child itself, not only after the root.
    fn certain(&self, child: usize, count: usize) -> Vec<Pair> {
        match self.children[child].relies_on {
            None => self.numbers[child * count..][..count].to_vec(),
            Some(_) => vec![Pair::UNIT; count],
        }
    }

    fn root_moves(&self) -> usize {
        self.line.get(1).map_or(self.children.len(), |frame| frame.first)
    }

    fn run(&mut self, shared: &Shared<G>, meter: &mut Meter, observer: Option<&mut dyn Observer>) -> Option<Stop> {
        let mut uncounted = 0;
        let stop = self.steps(shared, meter, observer, &mut uncounted);
        shared.nodes.0.fetch_add(uncounted, Ordering::Relaxed);
        shared.table.took(std::mem::take(&mut self.taken));
        stop
    }

    /// Steps until the root is settled or something stops it; nodes that are not yet in the common count are
    /// `uncounted`.
    fn steps(
        &mut self,
        shared: &Shared<G>,
        meter: &mut Meter,
        mut observer: Option<&mut dyn Observer>,
        uncounted: &mut u64,
    ) -> Option<Stop> {
        let mut until_report = REPORT_EVERY;
        let mut until_look = 0u32;
        let tell_at = shared.table.tell_at(self.threads);
        let flags = [&shared.done, &shared.halt, &shared.crowded];
        while flags.iter().all(|flag| !flag.load(Ordering::Relaxed)) {
            let created = self.step(shared)?;
            if self.taken >= tell_at && shared.table.took(std::mem::take(&mut self.taken)) {
                shared.crowded.store(true, Ordering::Relaxed);
            }
            if created == 0 {
                // Steps without new nodes take time, too.
                until_look += 1;
                if until_look == 1 << 10 {
                    until_look = 0;
                    if let Some(stop) = meter.look() {
                        return Some(stop);
                    }
                }
                continue;
            }
            *uncounted += created;
            if *uncounted >= COUNT_EVERY {
                shared.nodes.0.fetch_add(std::mem::take(uncounted), Ordering::Relaxed);
            }
            if let Some(stop) = meter.spend(created, 0) {
                return Some(stop);
            }
            until_report = until_report.saturating_sub(created);
            if until_report == 0
                && let Some(observer) = observer.as_deref_mut()
            {
                until_report = REPORT_EVERY;
                let progress = Progress {
                    nodes: shared.nodes.0.load(Ordering::Relaxed),
                    bytes: shared.table.bytes(),
                    share: None,
                    depth: Some(self.line.len() as u32),
                };
                if observer.progress(&progress).is_break() {
                    return Some(Stop::Cancelled);
                }
            }
        }
        None
    }

    /// The line as moves and numbers; states and their keys are found again from the root.
    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        to.put([self.goal as u64, self.nodes, self.seen])?;
        to.put_all(&self.numbers)?;
        to.put_len(self.children.len())?;
        for child in &self.children {
            to.put(child.mv)?;
            to.put(child.key)?;
            to.put(child.elsewhere)?;
            to.put_all(child.relies_on.as_deref().unwrap_or(&[]))?;
        }
        to.put_len(self.line.len())?;
        for frame in &self.line {
            to.put([frame.first as u64, frame.chosen as u64, frame.seen_at_entry, frame.nodes_at_entry])?;
            to.put((frame.limits, frame.mark))?;
        }
        to.put_len(self.path_dependent.len())?;
        for (key, lists) in &self.path_dependent {
            to.put(*key)?;
            to.put_len(lists.len())?;
            lists.iter().try_for_each(|list| to.put_all(list))?;
        }
        Ok(())
    }

    fn restore(shared: &Shared<G>, root: &G::State, from: &mut Reader<'_>) -> Result<Self, SaveError> {
        let mut worker = Worker::empty(shared);
        let goal;
        [goal, worker.nodes, worker.seen] = from.get()?;
        worker.goal = goal as usize;
        worker.numbers = from.get_all()?;
        for _ in 0..from.get_len(G::Move::SIZE + G::Key::SIZE + 12)? {
            let (mv, key) = (from.get()?, from.get()?);
            let (elsewhere, list) = (from.get()?, from.get_all()?);
            worker.children.push(Child { mv, key, elsewhere, relies_on: (!list.is_empty()).then(|| list.into()) });
        }
        let count = worker.children.len();
        if worker.numbers.len() != count * shared.goals || worker.goal >= shared.goals {
            return Err(SaveError::Damaged("moves without numbers"));
        }
        let mut state = *root;
        for i in 0..from.get_len(44)? {
            let [first, chosen, seen_at_entry, nodes_at_entry]: [u64; 4] = from.get()?;
            let (limits, mark) = from.get()?;
            let (first, chosen) = (first as usize, chosen as usize);
            if i > 0 {
                let above: &Frame<G> = &worker.line[i - 1];
                state = shared.game.after(&above.state, worker.children[above.chosen].mv);
            }
            let key = shared.key(&state);
            let Some(mover) = shared.game.status(&state).mover().filter(|_| first <= chosen && chosen < count) else {
                return Err(SaveError::Damaged("a line that leads nowhere"));
            };
            if let Some(above) = worker.line.last().filter(|_| mark > 0) {
                let count = shared.goals;
                let numbers = &worker.numbers[above.chosen * count..][..count];
                worker.taken += usize::from(shared.table.mark(key, numbers, mark));
            }
            if shared.repetition.is_some() {
                worker.on_line.insert(key);
            }
            let for_max = mover == Player::FIRST;
            let state = state;
            let frame = Frame { state, key, for_max, first, chosen, limits, mark, seen_at_entry, nodes_at_entry };
            worker.line.push(frame);
        }
        for _ in 0..from.get_len(G::Key::SIZE + 8)? {
            let key = from.get()?;
            for _ in 0..from.get_len(8)? {
                worker.remember_path_dependent(key, from.get_all()?.into());
            }
        }
        if worker.line.is_empty() { Err(SaveError::Damaged("no line")) } else { Ok(worker) }
    }

    /// Gives its marks back; the line is of no more use.
    fn give_up(&mut self, shared: &Shared<G>) {
        for frame in self.line.drain(..).filter(|f| f.mark > 0) {
            shared.table.unmark(frame.key, frame.mark);
        }
    }
}

/// Play in which both sides keep to what is proved, as far as the table still knows it.
fn line<G: FullGame<Payoff = ZeroSum>>(
    shared: &Shared<G>,
    root: &G::State,
    for_max: bool,
    numbers: &[Pair],
    root_moves: &[(G::Move, Vec<Pair>)],
) -> Vec<G::Move> {
    let value = Window::of(numbers).pessimistic;
    let keeps = |for_max: bool, pairs: &[Pair]| {
        let window = Window::of(pairs);
        if for_max { window.pessimistic >= value } else { window.optimistic <= value }
    };
    let mut line = Vec::new();
    let Some((mv, _)) = root_moves.iter().find(|(_, pairs)| keeps(for_max, pairs)) else { return line };
    line.push(*mv);
    // Where positions repeat, proved moves alone may go round in circles.
    if shared.repetition.is_some() {
        return line;
    }
    let mut state = shared.game.after(root, *mv);
    let (mut moves, mut pairs) = (Vec::new(), vec![Pair::UNIT; shared.goals]);
    while let Status::Turn(mover) = shared.game.expand(&state, &mut moves) {
        let next = moves.drain(..).find(|&mv| {
            let successor = shared.game.after(&state, mv);
            pairs.fill(Pair::UNIT);
            match shared.game.status(&successor) {
                Status::Over(payoff) => settle(shared.aim.rank(shared.outcomes.rank(payoff)), &mut pairs),
                Status::Turn(_) => {
                    if !shared.table.get(shared.key(&successor), &mut pairs).0 && shared.settings.bounds {
                        let (lower, upper) = shared.game.score_bounds(&successor);
                        shared.aim.close(shared.outcomes.ranks(lower, upper), &mut pairs);
                    }
                }
            }
            Window::of(&pairs).closed() && keeps(mover == Player::FIRST, &pairs)
        });
        let Some(mv) = next else { break };
        line.push(mv);
        shared.game.play(&mut state, mv);
    }
    line
}

impl<G: FullGame<Payoff = ZeroSum>> DepthFirst<G> {
    /// Prepares the search. The game must not be over at `root`. Where positions repeat, `aim` must be a single goal.
    pub(crate) fn new(game: Arc<G>, root: G::State, outcomes: Arc<Outcomes>, aim: Aim, settings: Settings) -> Self {
        let repetition = match aim {
            Aim::Goal(goal) if !game.facts().acyclic => Some(usize::from(outcomes.rank(ZeroSum(0))) > goal),
            _ => None,
        };
        let symmetry = settings.symmetry && game.symmetries() > 1;
        // Bounds are about games that end.
        let settings = Settings { symmetry, bounds: settings.bounds && game.facts().acyclic, ..settings };
        let goals = aim.count(&outcomes);
        let shared = Shared {
            table: effort_table(goals, game.key(&root), settings.memory),
            game,
            outcomes,
            aim,
            goals,
            settings,
            repetition,
            nodes: Apart(AtomicU64::new(1)),
            done: AtomicBool::new(false),
            halt: AtomicBool::new(false),
            crowded: AtomicBool::new(false),
        };
        DepthFirst { shared, root, workers: Vec::new(), seen_before: 0 }
    }

    /// Makes room in the table, unless something stops it.
    fn make_room(&mut self, meter: &Meter) -> Option<Stop> {
        while self.shared.table.is_crowded() {
            self.shared.table.make_room(self.workers.len());
            if let Some(stop) = meter.look() {
                return Some(stop);
            }
        }
        None
    }

    /// All threads search until the root is settled, the table is crowded, or something stops them.
    fn round(&mut self, meters: &mut [Meter], observer: &mut dyn Observer) -> Option<Stop> {
        let shared = &self.shared;
        shared.halt.store(false, Ordering::Relaxed);
        shared.crowded.store(false, Ordering::Relaxed);
        let (mine, others) = self.workers.split_first_mut().expect("at least one worker");
        let (my_meter, meters) = meters.split_first_mut().expect("a meter for each worker");
        let others = others.iter_mut().zip(meters).map(|(worker, meter)| || _ = worker.run(shared, meter, None));
        let mut stop = None;
        side_by_side(others, || {
            stop = mine.run(shared, my_meter, Some(observer));
            if stop.is_some_and(|stop| stop != Stop::Nodes) {
                shared.halt.store(true, Ordering::Relaxed);
            }
        });
        stop
    }

    fn solution(&self) -> Option<&Solution<G>> {
        self.workers.iter().find_map(|w| w.result.as_ref())
    }

    fn window_of(&self, pairs: &[Pair]) -> Window {
        self.shared.aim.window(Window::of(pairs), &self.shared.outcomes)
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Prover<G> for DepthFirst<G> {
    fn prove(&mut self, threads: usize, meter: &mut Meter, observer: &mut dyn Observer) -> Option<Stop> {
        let threads = threads.max(1);
        self.shared.table.limit_bytes(self.shared.settings.memory.min(meter.memory()));
        for mut surplus in self.workers.drain(threads.min(self.workers.len())..) {
            surplus.give_up(&self.shared);
        }
        while self.workers.len() < threads {
            self.workers.push(Worker::new(&self.shared, &self.root));
        }
        self.workers.iter_mut().for_each(|w| w.threads = threads);
        let share = || if threads == 1 { meter.clone() } else { meter.share(threads) };
        let mut meters: Vec<Meter> = (0..threads).map(|_| share()).collect();
        let stop = loop {
            if let Some(stop) = self.make_room(meter) {
                break Some(stop);
            }
            let stop = self.round(&mut meters, observer);
            if stop.is_some() || !self.shared.crowded.load(Ordering::Relaxed) {
                break stop;
            }
        };
        *meter = meters.swap_remove(0);
        if self.solution().is_some() { None } else { stop.or(Some(Stop::Nodes)) }
    }

    fn window(&self) -> Window {
        match self.solution() {
            Some(solution) => self.window_of(&solution.numbers),
            None => {
                let mut pairs = vec![Pair::UNIT; self.shared.goals];
                if let Some(worker) = self.workers.first() {
                    let (root, count) = (&worker.line[0], self.shared.goals);
                    let numbers = &worker.numbers[..worker.root_moves() * count];
                    for (goal, pair) in pairs.iter_mut().enumerate() {
                        *pair = self.shared.combine(root.for_max, numbers.chunks_exact(count).map(|c| c[goal]));
                    }
                }
                self.window_of(&pairs)
            }
        }
    }

    fn moves(&self) -> Vec<(G::Move, Window)> {
        if let Some(solution) = self.solution() {
            return solution.moves.iter().map(|(mv, pairs)| (*mv, self.window_of(pairs))).collect();
        }
        let Some(worker) = self.workers.first() else { return vec![] };
        let count = self.shared.goals;
        let window = |i: usize| (worker.children[i].mv, self.window_of(&worker.certain(i, count)));
        (0..worker.root_moves()).map(window).collect()
    }

    fn line(&self) -> Vec<G::Move> {
        if let Some(solution) = self.solution() {
            return solution.line.clone();
        }
        let Some(worker) = self.workers.first() else { return vec![] };
        // Unsettled: a move that keeps what is proved for the mover, or the one of least effort, if there is one.
        let for_max = worker.line[0].for_max;
        let count = self.shared.goals;
        let numbers = || worker.numbers[..worker.root_moves() * count].chunks_exact(count).enumerate();
        let sure = numbers().map(|(i, pairs)| {
            let window = Window::of(pairs);
            let sure = if for_max { window.pessimistic } else { count as u16 - window.optimistic };
            (sure, Reverse(i))
        });
        let best = match sure.max() {
            Some((1.., Reverse(i))) => Some(i),
            _ => least_effort(numbers().map(|(i, pairs)| (i, own_effort(for_max, pairs[worker.goal])))),
        };
        best.map(|i| worker.children[i].mv).into_iter().collect()
    }

    fn nodes(&self) -> u64 {
        self.shared.nodes.0.load(Ordering::Relaxed)
    }

    fn expansions(&self) -> u64 {
        self.seen_before + self.workers.iter().map(|w| w.seen).sum::<u64>()
    }

    fn bytes(&self) -> usize {
        self.shared.table.bytes()
    }

    fn collections(&self) -> u64 {
        self.shared.table.collections()
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        require_stable_keys(&*self.shared.game)?;
        to.put([self.nodes(), self.seen_before])?;
        self.shared.table.save(to)?;
        to.put_len(self.workers.len())?;
        // What a worker settled last it will settle again at once: its result is not written.
        self.workers.iter().try_for_each(|worker| worker.save(to))
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        require_stable_keys(&*self.shared.game)?;
        let nodes;
        [nodes, self.seen_before] = from.get()?;
        self.shared.nodes.0.store(nodes, Ordering::Relaxed);
        self.shared.table.restore(from)?;
        for _ in 0..from.get_len(1)? {
            self.workers.push(Worker::restore(&self.shared, &self.root, from)?);
        }
        Ok(())
    }

    fn reroot(&mut self, root: &G::State) -> bool {
        self.seen_before = self.expansions();
        for mut worker in self.workers.drain(..) {
            worker.give_up(&self.shared);
        }
        self.shared.done.store(false, Ordering::Relaxed);
        self.root = *root;
        true
    }

    fn limit(&mut self, bytes: usize) {
        self.shared.settings.memory = self.shared.settings.memory.min(bytes);
        self.shared.table.limit_bytes(self.shared.settings.memory);
    }

    fn known(&self, state: &G::State) -> Option<Window> {
        let mut pairs = vec![Pair::UNIT; self.shared.goals];
        let (found, _) = self.shared.table.get(self.shared.key(state), &mut pairs);
        found.then(|| self.window_of(&pairs))
    }
}
