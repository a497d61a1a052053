//! Lines that are under way at the same time: several threads, each with one line or a few in turns, on one tree.
//!
//! All lines follow the same rules as the one line of [`crate::best_first::main_loop`]. A line counts its visits on the
//! way and claims the leaf at its end (`provisional.rs`). Where it comes to a leaf that another line has claimed it
//! takes its last visit back, goes on to the next best child, or further up; where nothing is free it ends without a
//! trace. So no state is opened twice, and a line is turned back only while another one is opening a state: somebody
//! always gets on, and nobody waits.
//!
//! Every state is evaluated before others can see it. Data is backed up from children's data alone
//! (`node_data.rs`), what is resolved is never touched again, and it is resolved only if its children were seen to be:
//! so what is proved is right, whoever comes when.
//!
//! A thread in a large tree has several lines and takes a step of each in turn. A step reads what the last one
//! prefetched, and prefetches what the next one will read: waits for memory overlap, also where nothing can be
//! foreseen. Lines that wait for an evaluation which likes many states at once are evaluated together.
//!
//! Near the root every line counts its visits on the same few edges, which would travel from core to core all the time.
//! So a thread keeps to the `Subtree` of a much visited node for a while: it counts the visits of its next `STAY`
//! lines on the way there at once, begins these lines there, and takes back what it did not use. What is above is
//! backed up when it leaves: after these lines, or as soon as that node is no longer the best child of the one above.

use std::ops::Deref;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use perfectplay_core::{FullGame, Game, Meter, Player, Status, Stop};
use rustc_hash::FxHashMap;

use crate::best_first::leaf_batch::LeafBatch;
use crate::best_first::policy::{Policy, Visit};
use crate::best_first::tree::shared::{Spare, Stock};
use crate::best_first::tree::{PrefetchedEdges, Tree};
use crate::support::apart::Apart;
use crate::support::evaluations::Finish;
use crate::support::hashing::hash;

/// Why all threads end their round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The root is closed, or the budget is used up.
    Stop(Stop),
    /// There is no room for so many children; something must grow.
    NoRoom(usize),
    /// Nothing has changed for long.
    Idle,
}

/// What all threads are told.
pub(crate) struct Terms<'a, G: FullGame, P: Policy<G>> {
    pub(crate) game: &'a G,
    pub(crate) tree: &'a Tree<G, P::Data>,
    pub(crate) root: u32,
    pub(crate) root_state: G::State,
    /// Plies between the first root and this one.
    pub(crate) played: u32,
    pub(crate) reread: bool,
    /// Bytes that the tree may hold.
    pub(crate) memory: usize,
    /// What may be spent, and by how many threads.
    pub(crate) nodes: u64,
    pub(crate) threads: u64,
    /// Lines in a row that change nothing before it is asked whether any ever will.
    pub(crate) idle: u64,
    /// Evaluations of children, by leaf, that an earlier round had no time to use.
    pub(crate) guesses: &'a Guesses<P::Data>,
}

/// What all threads see.
pub(crate) struct Round<'a, G: FullGame, P: Policy<G>> {
    terms: Terms<'a, G, P>,
    halted: Apart<AtomicBool>,
    spent: Apart<AtomicU64>,
    stock: Apart<Mutex<(Stock, Option<Halt>)>>,
}

impl<'a, G: FullGame, P: Policy<G>> Deref for Round<'a, G, P> {
    type Target = Terms<'a, G, P>;

    #[inline]
    fn deref(&self) -> &Terms<'a, G, P> {
        &self.terms
    }
}

/// Evaluations of a leaf's children, by their numbers.
pub(crate) type Guesses<D> = FxHashMap<u32, Vec<(usize, D)>>;

impl<'a, G: FullGame, P: Policy<G>> Round<'a, G, P> {
    pub(crate) fn new(stock: Stock, terms: Terms<'a, G, P>) -> Self {
        Round {
            terms,
            halted: Apart(AtomicBool::new(false)),
            spent: Apart(AtomicU64::new(0)),
            stock: Apart(Mutex::new((stock, None))),
        }
    }

    #[inline]
    fn is_halted(&self) -> bool {
        self.halted.0.load(Ordering::Relaxed)
    }

    /// Ends the round; the first reason counts.
    pub(crate) fn halt(&self, reason: Halt) {
        self.stock.0.lock().expect("nobody panics here").1.get_or_insert(reason);
        self.halted.0.store(true, Ordering::Relaxed);
    }

    /// Bytes held now.
    pub(crate) fn bytes(&self) -> usize {
        self.tree.bytes_with(&self.stock.0.lock().expect("nobody panics here").0)
    }

    /// Makes sure that there are places for so many children.
    fn provide(&self, spare: &mut Spare, children: usize) -> bool {
        self.tree.provided(spare, children) || self.take_from_stock(spare, children)
    }

    #[cold]
    fn take_from_stock(&self, spare: &mut Spare, children: usize) -> bool {
        let mut stock = self.stock.0.lock().expect("nobody panics here");
        let provided = self.tree.hand_out(&mut stock.0, spare, children, self.memory);
        let ahead = self.tree.ahead(&mut stock.0, self.memory);
        drop(stock);
        self.tree.populate(ahead);
        provided
    }

    /// What was left in the stock, what was spent, and why it ended.
    pub(crate) fn end(self) -> (Stock, u64, Option<Halt>) {
        let (stock, halt) = self.stock.0.into_inner().expect("nobody panics here");
        (stock, self.spent.0.into_inner(), halt)
    }
}

/// What is left of a thread when a round ends.
type Parts<G, P> =
    (Spare, Tally, Guesses<<P as Policy<G>>::Data>, LeafBatch<<G as Game>::State, <P as Policy<G>>::Data>);

/// What a thread has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// States made.
    pub created: u64,
    /// States closed.
    pub resolved: u64,
    /// Lines that got to their end.
    pub iterations: u64,
    /// Plies of all lines.
    pub plies: u64,
    /// How often a line came to a leaf that another one had claimed.
    pub met: u64,
    /// Visits that were taken back.
    pub taken_back: u64,
    /// Lines for which nothing was free.
    pub in_vain: u64,
    /// Nodes whose data was replaced.
    pub changed: u64,
    /// Calls of the evaluation.
    pub calls: u64,
}

impl Tally {
    /// Adds another thread's.
    pub fn add(&mut self, other: &Tally) {
        self.created += other.created;
        self.resolved += other.resolved;
        self.iterations += other.iterations;
        self.plies += other.plies;
        self.met += other.met;
        self.taken_back += other.taken_back;
        self.in_vain += other.in_vain;
        self.changed += other.changed;
        self.calls += other.calls;
    }
}

/// What a line does in its next step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Begins.
    Idle,
    /// Looks at the edges of a node, which were prefetched.
    Edges(PrefetchedEdges),
    /// Takes one of the children, which were prefetched.
    Choose,
    /// Looks at the buckets of a leaf's children, which were prefetched. From here on the leaf is claimed.
    Lookup,
    /// Looks the children up in nodes that were prefetched.
    Find,
    /// Waits for evaluations.
    Guess,
}

/// A line. It shares no cache line with another thread's.
#[repr(align(128))]
struct Line<G: FullGame, D> {
    stage: Stage,
    state: G::State,
    at: u32,
    /// The nodes above and the edges taken there.
    above: Vec<(u32, u32)>,
    /// How many of them are above the subtree in which it began, and the number of that.
    skipped: usize,
    subtree: u64,
    /// Children that were not free, with the number of plies above them.
    avoided: Vec<(usize, usize)>,
    /// States opened.
    opened: u32,
    /// Whether anything was made or changed.
    changed: bool,
    /// How often it turned back.
    turns: u32,
    moves: Vec<G::Move>,
    children: Vec<(G::State, G::Key)>,
    hashes: Vec<u64>,
    found: Vec<Child<D>>,
}

/// A child of a leaf that is being opened.
#[derive(Clone, Copy)]
enum Child<D> {
    /// It was met before.
    Old(u32),
    /// It was not; who moves, and its data as soon as it is known.
    New(Option<Player>, D),
}

/// Where a thread's lines begin for a while.
struct Subtree<S, D> {
    /// How many there were before.
    number: u64,
    root: u32,
    state: S,
    /// The data that its root had.
    data: D,
    /// The nodes above and the edges that lead there.
    above: Vec<(u32, u32)>,
    /// Lines for which visits are counted there, and which have not begun.
    left: u32,
}

/// Lines that begin in a subtree, at most. In builds with assertions few, so that tests with small trees get there.
const STAY: u32 = if cfg!(debug_assertions) { 4 } else { 64 };

/// Visits from which on a child's subtree is large enough for so many.
const STAY_FROM: u32 = 16 * STAY;

/// A line that turned back so often gives up.
const MOST_TURNS: u32 = 24;

/// Nodes between two looks at the clock and at what the others have spent.
const LOOK_EVERY: u64 = 256;

/// What a thread has for itself.
pub(crate) struct Worker<'p, G: FullGame, P: Policy<G>> {
    policy: &'p mut P,
    /// Others that evaluate a part of what is slow to evaluate.
    helpers: &'p mut [P],
    lines: Vec<Line<G, P::Data>>,
    /// So many of them begin again when they end: fewer where they are in each other's way.
    active: usize,
    /// Lines that had ended and leaves met when that was looked at last.
    ended: u64,
    met: u64,
    subtree: Subtree<G::State, P::Data>,
    batch: LeafBatch<G::State, P::Data>,
    /// Whether lines wait for each other to be evaluated together; until there are so many states.
    collects: Option<usize>,
    /// Whether a line found nothing free since states were evaluated last: then no other begins before.
    nothing_free: bool,
    pub(crate) spare: Spare,
    pub(crate) tally: Tally,
    pub(crate) guesses: Guesses<P::Data>,
    clock: Meter,
    unspent: u64,
    look_at: u64,
    idle: u64,
}

/// Called now and then by the thread that has an observer: whether to stop.
pub(crate) type Pulse<'a> = &'a mut dyn FnMut(u64, usize) -> Option<Stop>;

impl<'p, G: FullGame, P: Policy<G>> Worker<'p, G, P> {
    pub(crate) fn new(
        policy: &'p mut P,
        helpers: &'p mut [P],
        lines: usize,
        collects: Option<usize>,
        batch: LeafBatch<G::State, P::Data>,
        clock: Meter,
        root: G::State,
    ) -> Self {
        let line = || Line {
            stage: Stage::Idle,
            state: root,
            at: 0,
            above: Vec::new(),
            skipped: 0,
            subtree: 0,
            avoided: Vec::new(),
            opened: 0,
            changed: false,
            turns: 0,
            moves: Vec::new(),
            children: Vec::new(),
            hashes: Vec::new(),
            found: Vec::new(),
        };
        Worker {
            policy,
            helpers,
            lines: (0..lines).map(|_| line()).collect(),
            active: lines,
            ended: 0,
            met: 0,
            subtree: Subtree { number: 0, root: 0, state: root, data: P::Data::default(), above: Vec::new(), left: 0 },
            batch,
            collects,
            nothing_free: false,
            spare: Spare::default(),
            tally: Tally::default(),
            guesses: Guesses::default(),
            clock,
            unspent: 0,
            look_at: 0,
            idle: 0,
        }
    }

    /// What it knows about the speed of the evaluation.
    pub(crate) fn into_parts(self) -> Parts<G, P> {
        (self.spare, self.tally, self.guesses, self.batch)
    }

    /// Follows lines until the round ends.
    pub(crate) fn run(&mut self, round: &Round<'_, G, P>, mut pulse: Option<Pulse<'_>>) {
        let mut under_way = self.lines.len();
        while !round.is_halted() {
            under_way = under_way.max(self.active);
            while under_way > self.active && self.lines[under_way - 1].stage == Stage::Idle {
                under_way -= 1;
            }
            let mut moved = false;
            for i in 0..under_way {
                moved |= self.step(i, round);
            }
            if !moved {
                if self.lines.iter().any(|line| line.stage == Stage::Guess) {
                    self.evaluate_together(round);
                } else {
                    std::thread::yield_now();
                }
                self.look_at = 0;
            }
            if self.unspent >= self.look_at {
                self.look(round, &mut pulse);
            }
        }
        for i in 0..self.lines.len() {
            self.give_up(i, round);
        }
        self.leave_subtree(round);
        round.spent.0.fetch_add(self.unspent, Ordering::Relaxed);
    }

    /// Tells what it spent, and looks at the clock.
    #[cold]
    fn look(&mut self, round: &Round<'_, G, P>, pulse: &mut Option<Pulse<'_>>) {
        let spent = round.spent.0.fetch_add(self.unspent, Ordering::Relaxed) + self.unspent;
        self.unspent = 0;
        self.keep_apart();
        let left = round.nodes.saturating_sub(spent);
        self.look_at = if self.batch.slow { 1 } else { (left / (2 * round.threads)).clamp(1, LOOK_EVERY) };
        let stop = match pulse {
            _ if left == 0 => Some(Stop::Nodes),
            Some(pulse) => pulse(spent, round.bytes()),
            None => self.clock.look(),
        };
        if let Some(stop) = stop {
            round.halt(Halt::Stop(stop));
        }
    }

    /// Where one leaf is much better than the others, lines meet there all the time: fewer of them get on better.
    fn keep_apart(&mut self) {
        let (ended, met) = (self.tally.iterations - self.ended, self.tally.met - self.met);
        if ended < 32 || self.collects.is_some() {
            return;
        }
        if met * 4 > ended {
            self.active = (self.active / 2).max(1);
        } else if met * 16 < ended {
            self.active = (self.active * 2).min(self.lines.len());
        }
        (self.ended, self.met) = (self.tally.iterations, self.tally.met);
    }

    fn closed(&self, id: u32, round: &Round<'_, G, P>) -> bool {
        let node = round.tree.known(id);
        node.is_finished() || self.policy.closed(node.data())
    }

    /// One step of a line, and the first of the next one if it has ended; `false` if it has to wait.
    #[inline]
    fn step(&mut self, i: usize, round: &Round<'_, G, P>) -> bool {
        let moved = self.step_on(i, round);
        if moved && self.collects.is_none() && self.lines[i].stage == Stage::Idle {
            self.begin(i, round);
        }
        moved
    }

    #[inline]
    fn step_on(&mut self, i: usize, round: &Round<'_, G, P>) -> bool {
        match self.lines[i].stage {
            Stage::Idle => self.begin(i, round),
            Stage::Edges(edges) => {
                round.tree.prefetch_children(edges);
                self.lines[i].stage = Stage::Choose;
                true
            }
            Stage::Choose => self.choose(i, round),
            Stage::Lookup => {
                self.lines[i].hashes.iter().for_each(|&hash| round.tree.prefetch_node(hash));
                self.lines[i].stage = Stage::Find;
                true
            }
            Stage::Find => {
                self.find(i, round);
                if self.collects.is_none() {
                    self.evaluate_together(round);
                }
                true
            }
            Stage::Guess => false,
        }
    }

    fn begin(&mut self, i: usize, round: &Round<'_, G, P>) -> bool {
        if i >= self.active {
            return false;
        }
        let waiting = || self.lines.iter().any(|line| line.stage == Stage::Guess);
        if self.collects.is_some_and(|states| self.batch.len() >= states || self.nothing_free && waiting()) {
            return false;
        }
        if self.closed(round.root, round) {
            round.halt(Halt::Stop(Stop::Done));
            return false;
        }
        if self.subtree.left == 0 || !self.stays(round) {
            self.leave_subtree(round);
            self.enter_subtree(round);
        }
        self.subtree.left -= 1;
        let (line, subtree) = (&mut self.lines[i], &self.subtree);
        line.state.clone_from(&subtree.state);
        line.at = subtree.root;
        line.above.clone_from(&subtree.above);
        (line.skipped, line.subtree) = (subtree.above.len(), subtree.number);
        line.avoided.clear();
        (line.opened, line.changed, line.turns) = (0, false, 0);
        let moved = self.arrive(i, round);
        // Its edges are in the cache: every line of this thread begins there.
        if matches!(self.lines[i].stage, Stage::Edges(_)) { self.choose(i, round) } else { moved }
    }

    /// Whether the next line should begin in the same subtree: its root is still the best child of the node above.
    #[inline]
    fn stays(&mut self, round: &Round<'_, G, P>) -> bool {
        let data = round.tree.known(self.subtree.root).data();
        if data == self.subtree.data {
            return !self.closed(self.subtree.root, round);
        }
        self.subtree.data = data;
        let Some(&(parent, choice)) = self.subtree.above.last() else { return true };
        let visit = Visit { depth: self.subtree.above.len() as u32 - 1, opened: 0 };
        let family = round.tree.known_family(parent).expect("the way leads through it");
        !self.closed(self.subtree.root, round) && self.policy.priority_child(&family, visit) == Some(choice as usize)
    }

    /// Goes from the root to where the next lines begin: that is the root itself if threads need not keep apart, and
    /// where nothing was free.
    fn enter_subtree(&mut self, round: &Round<'_, G, P>) {
        let subtree = &mut self.subtree;
        (subtree.root, subtree.left) = (round.root, STAY);
        subtree.state.clone_from(&round.root_state);
        let foreseeable = self.policy.foreseeable() && !self.policy.can_stall();
        let stays = round.threads > 1 && self.collects.is_none() && foreseeable && !self.nothing_free;
        while let Some(family) = round.tree.known_family(subtree.root).filter(|_| stays) {
            let visit = Visit { depth: subtree.above.len() as u32, opened: 0 };
            let Some(choice) = self.policy.priority_child(&family, visit) else { break };
            if family.visits(choice) < STAY_FROM {
                break;
            }
            let (child, mv) = round.tree.begin_visits(&family, choice, STAY);
            subtree.above.push((subtree.root, choice as u32));
            round.game.play(&mut subtree.state, mv);
            subtree.root = child;
        }
        subtree.data = round.tree.known(subtree.root).data();
        self.tally.plies += subtree.above.len() as u64;
    }

    /// Takes back the visits of lines that did not begin there, and backs up what is above.
    fn leave_subtree(&mut self, round: &Round<'_, G, P>) {
        let left = std::mem::take(&mut self.subtree.left);
        self.subtree.number += 1;
        while let Some((id, choice)) = self.subtree.above.pop() {
            round.tree.take_visits_back(id, choice, left);
            self.back_up(id, round);
        }
    }

    /// At a node: claims it if it is a leaf.
    #[inline]
    fn arrive(&mut self, i: usize, round: &Round<'_, G, P>) -> bool {
        let at = self.lines[i].at;
        match round.tree.claim(at) {
            None if self.closed(at, round) => self.finish(i, round),
            None => self.lines[i].stage = Stage::Edges(round.tree.prefetch_edges_to_write(at)),
            Some(true) => {
                let line = &mut self.lines[i];
                line.moves.clear();
                line.children.clear();
                round.game.children(&line.state, &mut line.moves, &mut line.children);
                line.hashes.clear();
                line.hashes.extend(line.children.iter().map(|(_, key)| hash(key)));
                line.hashes.iter().for_each(|&hash| round.tree.prefetch_bucket(hash));
                line.stage = Stage::Lookup;
            }
            Some(false) => {
                self.tally.met += 1;
                return self.turn_back(i, round);
            }
        }
        true
    }

    fn visit(&self, i: usize) -> Visit {
        Visit { depth: self.lines[i].above.len() as u32, opened: self.lines[i].opened }
    }

    /// Takes the best child that is free.
    #[inline]
    fn choose(&mut self, i: usize, round: &Round<'_, G, P>) -> bool {
        let at = self.lines[i].at;
        if round.reread && self.lines[i].avoided.is_empty() {
            self.lines[i].changed |= self.back_up(at, round);
            if self.closed(at, round) {
                self.finish(i, round);
                return true;
            }
        }
        let visit = self.visit(i);
        let family = round.tree.known_family(at).expect("an opened node has edges");
        let line = &mut self.lines[i];
        let depth = line.above.len();
        let avoided = line.avoided.iter().any(|&(plies, _)| plies == depth);
        let pick = if avoided {
            let here: Vec<usize> = line.avoided.iter().filter(|a| a.0 == depth).map(|a| a.1).collect();
            let (pick, left) = family.without(&here, |family| self.policy.priority_child(family, visit));
            pick.map(|choice| left[choice])
        } else {
            self.policy.priority_child(&family, visit)
        };
        let Some(choice) = pick else {
            if avoided {
                return self.turn_back(i, round);
            }
            // All children were closed through other parents.
            self.lines[i].changed |= self.back_up(at, round);
            self.finish(i, round);
            return true;
        };
        let (child, mv) = round.tree.begin_visits(&family, choice, 1);
        line.above.push((at, choice as u32));
        line.at = child;
        round.game.play(&mut line.state, mv);
        self.arrive(i, round)
    }

    /// Nothing is free here: back to the node above, and to another child.
    #[cold]
    fn turn_back(&mut self, i: usize, round: &Round<'_, G, P>) -> bool {
        let line = &mut self.lines[i];
        line.turns += 1;
        // What was opened must be backed up: the line ends here.
        if line.opened > 0 || line.above.len() == line.skipped || line.turns > MOST_TURNS {
            self.leave(i, round);
            return false;
        }
        let (parent, choice) = line.above.pop().expect("it is not empty");
        round.tree.take_visits_back(parent, choice, 1);
        self.tally.taken_back += 1;
        let depth = line.above.len();
        line.avoided.retain(|&(plies, _)| plies <= depth);
        line.avoided.push((depth, choice as usize));
        line.at = parent;
        line.state.clone_from(&round.root_state);
        for &(id, choice) in &line.above {
            let family = round.tree.known_family(id).expect("the line went through it");
            round.game.play(&mut line.state, family.mv(choice as usize));
        }
        line.stage = Stage::Choose;
        true
    }

    /// Ends a line that cannot go on: what it has opened counts, otherwise it leaves no trace.
    fn leave(&mut self, i: usize, round: &Round<'_, G, P>) {
        if self.lines[i].opened > 0 {
            self.finish(i, round);
            return;
        }
        let line = &mut self.lines[i];
        self.tally.taken_back += line.above.len() as u64;
        self.tally.in_vain += 1;
        self.nothing_free = true;
        line.above.drain(..).rev().for_each(|(id, choice)| round.tree.take_visits_back(id, choice, 1));
        line.stage = Stage::Idle;
        self.leave_subtree(round);
    }

    /// At the end of a round.
    fn give_up(&mut self, i: usize, round: &Round<'_, G, P>) {
        match self.lines[i].stage {
            Stage::Idle => return,
            Stage::Edges(_) | Stage::Choose => {}
            Stage::Lookup | Stage::Find | Stage::Guess => round.tree.release(self.lines[i].at),
        }
        self.leave(i, round);
    }

    /// Finds out which children of a claimed leaf are new, and what their data is, as far as that needs no evaluation.
    #[inline]
    fn find(&mut self, i: usize, round: &Round<'_, G, P>) {
        let line = &mut self.lines[i];
        let depth = round.played + line.above.len() as u32 + 1;
        let known = round.guesses.get(&line.at);
        line.found.clear();
        for (child, ((state, key), &hash)) in line.children.iter().zip(&line.hashes).enumerate() {
            line.found.push(match round.tree.find_hashed(*key, hash) {
                Some(id) => Child::Old(id),
                None => match round.game.status(state) {
                    Status::Over(payoff) => {
                        let end = Finish { state, payoff, depth, choices: line.children.len() as u32 };
                        Child::New(None, self.policy.terminal(round.game, &end))
                    }
                    Status::Turn(mover) => {
                        let guess = known.and_then(|known| known.iter().find(|(number, _)| *number == child));
                        if guess.is_none() {
                            self.batch.push(i << 32 | child, *state);
                        }
                        Child::New(Some(mover), guess.map_or(P::Data::default(), |guess| guess.1))
                    }
                },
            });
        }
        line.stage = Stage::Guess;
    }

    /// Evaluates the new states of all lines that wait for it, and opens their leaves.
    #[inline]
    fn evaluate_together(&mut self, round: &Round<'_, G, P>) {
        self.nothing_free = false;
        let clock = &self.clock;
        let stop = || if round.is_halted() { Some(Stop::Cancelled) } else { clock.look() };
        let stopped = self.batch.evaluate_all(round.game, self.policy, self.helpers, stop);
        self.tally.calls += u64::from(!self.batch.is_empty());
        for (number, data) in self.batch.iter() {
            let Child::New(_, guess) = &mut self.lines[number >> 32].found[number & 0xffff_ffff] else { continue };
            *guess = data;
        }
        if let Err(stop) = stopped {
            round.halt(Halt::Stop(stop));
            let all = self.batch.iter().map(|(number, data)| (number >> 32, (number & 0xffff_ffff, data)));
            for (i, guess) in all {
                self.guesses.entry(self.lines[i].at).or_default().push(guess);
            }
            self.batch.clear();
            return;
        }
        self.batch.clear();
        for i in 0..self.lines.len() {
            if self.lines[i].stage == Stage::Guess {
                self.open(i, round);
            }
        }
    }

    /// Opens a claimed leaf whose children are evaluated.
    #[inline]
    fn open(&mut self, i: usize, round: &Round<'_, G, P>) {
        let line = &mut self.lines[i];
        if !round.provide(&mut self.spare, line.children.len()) {
            round.halt(Halt::NoRoom(line.children.len()));
            return;
        }
        let created = self.tally.created;
        for (child, ((_, key), &hash)) in line.found.iter_mut().zip(line.children.iter().zip(&line.hashes)) {
            let Child::New(mover, data) = *child else { continue };
            let (id, made) = round.tree.find_or_insert(&mut self.spare, *key, hash, || (data, mover));
            self.tally.created += u64::from(made);
            self.tally.resolved += u64::from(made && mover.is_none());
            *child = Child::Old(id);
        }
        let ids = line.found.iter().map(|child| if let Child::Old(id) = *child { id } else { unreachable!() });
        round.tree.open(&mut self.spare, line.at, ids.zip(line.moves.iter().copied()));
        self.unspent += (self.tally.created - created).max(1);
        line.opened += 1;
        line.changed = true;
        let at = line.at;
        self.back_up(at, round);
        let visit = self.visit(i);
        let family = round.tree.known_family(at).expect("it was opened");
        if self.closed(at, round) || !self.policy.continues(&family, visit) {
            self.finish(i, round);
        } else {
            self.lines[i].stage = Stage::Choose;
        }
    }

    /// Backs up everything above the end of the line. What is above its subtree is backed up when the thread leaves,
    /// or, if it has left, as far as it changes.
    #[inline]
    fn finish(&mut self, i: usize, round: &Round<'_, G, P>) {
        let mut changed = true;
        for ply in (0..self.lines[i].above.len()).rev() {
            let line = &self.lines[i];
            if ply < line.skipped && (!changed || line.subtree == self.subtree.number) {
                break;
            }
            changed = self.back_up(self.lines[i].above[ply].0, round);
            self.lines[i].changed |= changed;
        }
        let line = &mut self.lines[i];
        line.stage = Stage::Idle;
        self.tally.iterations += 1;
        self.tally.plies += (line.above.len() - line.skipped) as u64;
        // What opens nothing must cost something, or a search that is stuck would never stop.
        self.unspent += u64::from(line.opened == 0);
        self.idle = if line.changed { 0 } else { self.idle + 1 };
        if self.policy.can_stall() && self.idle >= round.idle {
            round.halt(Halt::Idle);
        }
    }

    /// Computes a node's data anew; whether it has changed.
    #[inline]
    fn back_up(&mut self, id: u32, round: &Round<'_, G, P>) -> bool {
        let policy = &*self.policy;
        let replaced = round.tree.update(id, |family, now| {
            // What is closed stays as it is, also if a child has come to look better since.
            if policy.closed(now) {
                return None;
            }
            let data = policy.backup(family);
            (data != now).then_some(data)
        });
        let Some((old, new)) = replaced else { return false };
        self.tally.changed += 1;
        self.tally.resolved += u64::from(policy.closed(new) && !policy.closed(old));
        true
    }
}
