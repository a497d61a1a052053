//! The loop of all best-first searches.
//!
//! UBFM, Descent, the other members of the UMB class (Cohen-Solal 2025, Alg. 4) and their n-player forms differ in four
//! small answers: what a leaf is worth, how a state's data follows from its children's, which child to visit, and
//! whether to go on below a state that was just opened. A [`Policy`] gives these answers, [`BestFirst`] does the rest.
//!
//! One iteration walks from the root to a state that is opened there and then, or to several, and backs up everything
//! on the way. The papers write it as a recursion; here it is a loop over the line, however deep the line is.
//!
//! Where the papers err: a state on the line may have all its children closed, because other parents closed them. They
//! take for granted that this cannot be; here the line ends there and the state is backed up, which closes it.
//!
//! An iteration can be interrupted before any visit and goes on in the next call as if nothing had been: it does not
//! matter into how many slices a budget is cut.

mod rounds;

use std::ops::ControlFlow;
use std::sync::Arc;

use perfectplay_core::{
    Answer, Budget, Effort, Estimate, FullGame, Growth, Meter, Observer, Opened, Player, Progress, StateNow, Status,
    Stop, Verdict,
};
use rustc_hash::FxHashSet;

use crate::best_first::decisions::Judge;
use crate::best_first::eviction::{DropProgress, Eviction};
use crate::best_first::leaf_batch::LeafBatch;
use crate::best_first::line_prefetch::{self, LinePrefetch};
use crate::best_first::lines::{Guesses, Tally};
pub use crate::best_first::policy::{Pick, Policy, Visit};
use crate::best_first::tree::{NoRoom, Tree};
use crate::support::evaluations::Finish;
use crate::support::hashing::hash;
use crate::{Reader, Refusal, SaveError, Search, Writer};

/// What to do when the memory is used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenFull {
    /// Stop with what is known.
    #[default]
    Stop,
    /// Close unresolved states again that were seldom visited and that the principal line does not use, and go on.
    Drop,
}

/// Refinements of the loop. None changes what values are proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopOptions {
    /// Re-read the children of a state before going on below it: a transposition may have resolved one meanwhile.
    pub reread: bool,
    /// Whether a state that is reached by several orders of moves is one node.
    pub table: bool,
    /// What to do when the memory is used up.
    pub when_full: WhenFull,
    /// Whether the tree is kept when a move is played.
    pub keep: bool,
    /// Whether the same threads, seed and nodes must give the same tree every time.
    pub reproducible: bool,
}

impl Default for LoopOptions {
    fn default() -> Self {
        LoopOptions { reread: false, table: true, when_full: WhenFull::Stop, keep: true, reproducible: false }
    }
}

/// The way from the root to the state that is visited next.
struct Line<S> {
    /// Whether an iteration is under way.
    active: bool,
    state: S,
    at: u32,
    /// The nodes above and the edges taken there.
    above: Vec<(u32, u32)>,
    /// The nodes that were opened, and those that were made.
    opened: Vec<u32>,
    new: Vec<u32>,
    changed: bool,
}

/// A best-first search.
pub struct BestFirst<G: FullGame, P: Policy<G>> {
    game: Arc<G>,
    pub(crate) policy: P,
    pub(crate) tree: Tree<G, P::Data>,
    pub(crate) line_prefetch: LinePrefetch,
    options: LoopOptions,
    root_state: G::State,
    pub(crate) root: u32,
    /// Plies between the first root and this one.
    played: u32,
    line: Line<G::State>,
    moves: Vec<G::Move>,
    children: Vec<(G::State, G::Key)>,
    hashes: Vec<u64>,
    /// The new, unfinished ones among the children, with their nodes.
    fresh: Vec<(usize, u32)>,
    leaf_batch: LeafBatch<G::State, P::Data>,
    created: u64,
    pub(crate) resolved: u64,
    iterations: u64,
    idle: u64,
    pub(crate) dropped: u64,
    /// States that are being forgotten.
    pub(crate) eviction: Option<Eviction>,
    pub(crate) drop_progress: DropProgress,
    /// Evaluations that several lines had no time to use.
    pub(crate) guesses: Guesses<P::Data>,
    pub(crate) tally: Tally,
    /// Threads that were given and not used, as somebody watched the tree grow.
    pub(crate) watched_with: usize,
}

pub(crate) enum Step {
    Deeper,
    Finished,
}

/// Why the line cannot go on now.
enum Interruption {
    NoRoom(NoRoom),
    Stop(Stop),
}

impl From<NoRoom> for Interruption {
    fn from(reason: NoRoom) -> Self {
        Interruption::NoRoom(reason)
    }
}

/// Nodes between two reports of progress.
const REPORT_EVERY: u64 = 1 << 15;

/// Iterations without any change before it is asked for the first time whether any will ever change anything.
const FIRST_IDLE: u64 = 64;

impl<G: FullGame, P: Policy<G>> BestFirst<G, P> {
    /// A search from `root`. Refuses games with cycles in the name of `algorithm`.
    pub fn new(
        algorithm: &'static str,
        game: Arc<G>,
        root: G::State,
        policy: P,
        options: LoopOptions,
    ) -> Result<Self, Refusal> {
        if !game.facts().acyclic {
            return Err(Refusal::Cyclic { algorithm: algorithm.into() });
        }
        let line = Line {
            active: false,
            state: root,
            at: 0,
            above: Vec::new(),
            opened: Vec::new(),
            new: Vec::new(),
            changed: false,
        };
        let mut search = BestFirst {
            game,
            policy,
            tree: Tree::new(options.table),
            line_prefetch: LinePrefetch::default(),
            options,
            root_state: root,
            root: 0,
            played: 0,
            line,
            moves: Vec::new(),
            children: Vec::new(),
            hashes: Vec::new(),
            fresh: Vec::new(),
            leaf_batch: LeafBatch::new(),
            created: 0,
            resolved: 0,
            iterations: 0,
            idle: 0,
            dropped: 0,
            eviction: None,
            drop_progress: DropProgress::default(),
            guesses: Guesses::default(),
            tally: Tally::default(),
            watched_with: 1,
        };
        search.start_anew();
        Ok(search)
    }

    /// Begins with a tree of one node.
    fn start_anew(&mut self) {
        self.tree = Tree::new(self.options.table);
        self.resolved = 0;
        self.line.active = false;
        self.line.new.clear();
        self.leaf_batch.clear();
        self.eviction = None;
        self.guesses.clear();
        self.line_prefetch.reset();
        self.root = 0;
        let state = self.root_state;
        self.children.clear();
        self.moves.clear();
        let key = self.game.key(&state);
        self.children.push((state, key));
        self.hashes.clear();
        self.hashes.push(hash(&key));
        self.link_children(self.played, 0);
    }

    /// The game.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// The policy, to change it before the search begins.
    pub fn policy_mut(&mut self) -> &mut P {
        &mut self.policy
    }

    /// The state searched.
    pub fn root_state(&self) -> &G::State {
        &self.root_state
    }

    /// The node of the state searched.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// Everything known so far.
    pub fn tree(&self) -> &Tree<G, P::Data> {
        &self.tree
    }

    /// Iterations finished.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// States in the tree that are closed.
    pub fn resolved(&self) -> u64 {
        self.resolved
    }

    /// States dropped to save memory.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// What lines did that were under way at the same time.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// What it cost so far: nodes are states created.
    pub fn effort(&self) -> Effort {
        Effort { nodes: self.created, bytes: self.tree.bytes() }
    }

    /// One iteration, for tests that look at the tree between iterations. Nothing happens if the root is closed.
    pub fn iterate(&mut self) {
        let mut meter = Budget::unlimited().start();
        let before = self.iterations;
        while self.iterations == before && !self.is_closed(self.root) {
            let _ = self.walk(&mut meter);
        }
    }

    /// Iterates until the root is closed or the budget is spent.
    pub fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let watched = observer.wants_growth();
        self.watched_with = if watched { budget.threads.max(1) } else { 1 };
        if !watched && (budget.threads > 1 || self.policy.batch() > 1) {
            return self.run_lines(budget, observer);
        }
        let mut meter = budget.start();
        let (mut spent, mut report_at) = (self.created, self.created + REPORT_EVERY);
        while !self.is_closed(self.root) {
            match self.walk(&mut meter) {
                Err(stop) => return stop,
                Ok(Step::Deeper) if self.created == spent => continue,
                Ok(Step::Finished) if watched && self.show(observer).is_break() => return Stop::Cancelled,
                Ok(_) => {}
            }
            // What creates nothing must cost something, or a search that is stuck would never stop.
            if let Some(stop) = meter.spend((self.created - spent).max(1), self.tree.bytes()) {
                return stop;
            }
            // An evaluation or an observer may take long.
            if (self.leaf_batch.slow || watched)
                && let Some(stop) = meter.look()
            {
                return stop;
            }
            spent = self.created;
            if self.is_stuck() {
                return Stop::Stalled;
            }
            if self.created >= report_at {
                report_at = self.created + REPORT_EVERY;
                let depth = Some(self.line.above.len() as u32);
                let progress = Progress { nodes: self.created, bytes: self.tree.bytes(), share: None, depth };
                if observer.progress(&progress).is_break() {
                    return Stop::Cancelled;
                }
            }
        }
        Stop::Done
    }

    fn grow_index(&mut self, threads: usize, meter: &Meter) -> Result<(), Stop> {
        while !self.tree.grow_index(threads) {
            if let Some(stop) = meter.look() {
                return Err(stop);
            }
        }
        Ok(())
    }

    /// Bytes that the tree may hold.
    fn memory(&self, meter: &Meter) -> usize {
        // Forgetting takes lists of its own.
        if self.options.when_full == WhenFull::Drop { meter.memory() / 8 * 7 } else { meter.memory() }
    }

    /// Whether a state is finished or needs no further visit.
    pub fn is_closed(&self, id: u32) -> bool {
        let node = self.tree.node(id);
        node.is_finished() || self.policy.closed(node.data())
    }

    /// Goes on with the line until a state was opened or the line has ended; then everything above is backed up.
    fn walk(&mut self, meter: &mut Meter) -> Result<Step, Stop> {
        if self.eviction.is_some() {
            return self.clear(meter);
        }
        if !self.line.active {
            self.line.active = true;
            self.line.state.clone_from(&self.root_state);
            self.line.at = self.root;
            self.line.above.clear();
            self.line.opened.clear();
            self.line.new.clear();
            self.line.changed = false;
            self.leaf_batch.clear();
        }
        let memory = self.memory(meter);
        match self.visits(memory, meter) {
            Ok(Step::Deeper) => Ok(Step::Deeper),
            Ok(Step::Finished) => {
                self.finish();
                Ok(Step::Finished)
            }
            Err(Interruption::NoRoom(NoRoom::IndexMustGrow)) => self.grow_index(1, meter).map(|()| Step::Deeper),
            Err(Interruption::NoRoom(NoRoom::Full)) if self.options.when_full == WhenFull::Drop => {
                self.finish();
                self.forget_seldom_visited();
                Ok(Step::Finished)
            }
            Err(Interruption::NoRoom(NoRoom::Full)) => Err(Stop::Memory),
            Err(Interruption::Stop(stop)) => Err(stop),
        }
    }

    fn visits(&mut self, memory: usize, meter: &Meter) -> Result<Step, Interruption> {
        let prefetching = self.is_prefetching();
        loop {
            let id = self.line.at;
            let fresh = self.tree.node(id).is_leaf();
            if fresh {
                self.moves.clear();
                self.children.clear();
                self.game.children(&self.line.state, &mut self.moves, &mut self.children);
                self.tree.make_room(self.moves.len(), memory)?;
                self.prefetch_children();
                if self.leaf_batch.has_begun()
                    || !self.leaf_batch.fits_one_call(self.children.len()) && self.policy.evaluates()
                {
                    self.evaluate_children(meter).map_err(Interruption::Stop)?;
                }
                let first_edge = self.tree.take_edges(id, self.moves.len());
                self.link_children(self.played + self.line.above.len() as u32 + 1, first_edge);
                self.line.opened.push(id);
            }
            if fresh || self.options.reread {
                self.back_up(id);
            }
            if self.is_closed(id) {
                return Ok(Step::Finished);
            }
            let visit = Visit { depth: self.line.above.len() as u32, opened: self.line.opened.len() as u32 };
            let family = self.tree.family(id).expect("an opened node has edges");
            if fresh && !self.policy.continues(&family, visit) {
                return Ok(Step::Finished);
            }
            let pick = if prefetching {
                self.policy.pick(&family, visit)
            } else {
                self.policy.priority_child(&family, visit).map(Pick::from)
            };
            let Some(pick) = pick else {
                // All children were closed through other parents (the papers take for granted that this cannot be).
                self.back_up(id);
                return Ok(Step::Finished);
            };
            let (child, mv) = self.tree.go(id, pick);
            self.line.above.push((id, pick.child as u32));
            self.line.at = child;
            if fresh {
                self.line.state = self.children[pick.child].0;
                return Ok(Step::Deeper);
            }
            self.game.play(&mut self.line.state, mv);
        }
    }

    /// Backs up everything above the end of the line.
    fn finish(&mut self) {
        for i in (0..self.line.above.len()).rev() {
            self.back_up(self.line.above[i].0);
        }
        self.iterations += 1;
        self.idle = if self.line.changed || !self.line.new.is_empty() { 0 } else { self.idle + 1 };
        self.line.active = false;
        if self.is_prefetching() {
            self.line_prefetch.line_ended(&self.line.above, self.root);
        }
    }

    #[inline]
    fn back_up(&mut self, id: u32) {
        let Some(family) = self.tree.family(id) else { return };
        let data = self.policy.backup(&family);
        if family.data() != data {
            self.line.changed = true;
            self.resolved += u64::from(self.policy.closed(data) && !self.policy.closed(family.data()));
            self.tree.set_data(id, data);
        }
    }

    /// Prefetches what `self.children` will need.
    fn prefetch_children(&mut self) {
        self.hashes.clear();
        self.hashes.extend(self.children.iter().map(|(_, key)| hash(key)));
        self.hashes.iter().for_each(|&hash| self.tree.prefetch_bucket(hash));
        // The buckets are on their way, then the nodes found there: time for the cursors.
        if self.is_prefetching() {
            self.line_prefetch.advance(&mut self.tree, &mut self.policy);
            self.hashes.iter().for_each(|&hash| self.tree.prefetch_node(hash));
            self.line_prefetch.advance(&mut self.tree, &mut self.policy);
        }
    }

    /// Evaluates the new ones among the children, batch by batch. Interrupted, it goes on in the next call.
    fn evaluate_children(&mut self, meter: &Meter) -> Result<(), Stop> {
        if !self.leaf_batch.has_begun() {
            for (i, ((state, key), &hash)) in self.children.iter().zip(&self.hashes).enumerate() {
                if self.tree.find_hashed(*key, hash).is_none() && self.game.status(state).mover().is_some() {
                    self.leaf_batch.push(i, *state);
                }
            }
        }
        self.leaf_batch.evaluate_in_batches(&*self.game, &mut self.policy, &mut [], || meter.look())
    }

    #[inline]
    fn is_prefetching(&self) -> bool {
        self.tree.len() >= line_prefetch::MIN_STATES && self.policy.foreseeable()
    }

    /// Finds or makes the nodes of `self.children`, and edges to them by `self.moves` from `first_edge` on.
    fn link_children(&mut self, depth: u32, first_edge: usize) {
        let evaluated = self.leaf_batch.has_begun();
        let before = self.line.new.len();
        for (i, (&(state, key), &hash)) in self.children.iter().zip(&self.hashes).enumerate() {
            let child = self.tree.find_or_add(key, hash, |id| {
                self.line.new.push(id);
                match self.game.status(&state) {
                    Status::Over(payoff) => {
                        self.resolved += 1;
                        let end = Finish { state: &state, payoff, depth, choices: self.moves.len() as u32 };
                        (self.policy.terminal(&self.game, &end), None)
                    }
                    Status::Turn(mover) => {
                        if !evaluated {
                            self.leaf_batch.push(i, state);
                        }
                        self.fresh.push((i, id));
                        (P::Data::default(), Some(mover))
                    }
                }
            });
            if let Some(&mv) = self.moves.get(i) {
                self.tree.put_edge(first_edge + i, child, mv);
            }
        }
        self.created += (self.line.new.len() - before) as u64;
        if !evaluated {
            self.leaf_batch.evaluate_at_once(&*self.game, &mut self.policy);
        }
        // Two moves may lead to the same new state: then there is an evaluation too many.
        let mut evaluations = self.leaf_batch.iter();
        for (child, id) in self.fresh.drain(..) {
            let evaluation = evaluations.find(|evaluation| evaluation.0 == child);
            self.tree.set_data(id, evaluation.expect("every new state was evaluated").1);
        }
        drop(evaluations);
        self.leaf_batch.clear();
    }

    /// Whether no iteration will ever change anything again.
    ///
    /// True if every state that can still be chosen is closed or opened and has up-to-date data. Looking is expensive,
    /// so it is done only after 64, 128, 256 … iterations in a row without any change.
    fn is_stuck(&self) -> bool {
        self.policy.can_stall() && self.idle >= FIRST_IDLE && self.idle.is_power_of_two() && self.nothing_changes()
    }

    fn nothing_changes(&self) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = vec![self.root];
        while let Some(id) = todo.pop() {
            if self.tree.node(id).is_leaf() {
                return false;
            }
            let Some(family) = self.tree.family(id) else { continue };
            if self.policy.closed(family.data()) || !seen.insert(id) {
                continue;
            }
            if self.policy.backup(&family) != family.data() {
                return false;
            }
            todo.extend((0..family.len()).filter(|&i| self.policy.candidate(&family, i)).map(|i| family.id(i)));
        }
        true
    }

    /// The nodes of the principal line, from the root on.
    pub fn principal_line(&self, from: u32) -> impl Iterator<Item = (u32, usize)> {
        let mut at = from;
        std::iter::from_fn(move || {
            let family = self.tree.family(at)?;
            let choice = self.policy.principal(&family);
            let here = at;
            at = family.id(choice);
            Some((here, choice))
        })
    }

    /// Forgets at once what the last move made unreachable; otherwise the next [`BestFirst::run`] does.
    pub fn tidy(&mut self) {
        let meter = Budget::unlimited().start();
        while self.eviction.is_some() {
            let _ = self.clear(&meter);
        }
        while !self.tree.grow_index(1) {}
    }

    /// Goes on from the state after `mv`, with everything known about it; the rest is forgotten.
    pub fn advance(&mut self, mv: G::Move) {
        self.drop_progress = DropProgress::default();
        let child = self.tree.family(self.root).and_then(|f| (0..f.len()).find(|&i| f.mv(i) == mv).map(|i| f.id(i)));
        self.game.play(&mut self.root_state, mv);
        self.played += 1;
        self.line.active = false;
        self.idle = 0;
        match child {
            Some(child) if self.options.keep => {
                self.root = child;
                self.forget_unreachable();
            }
            _ => self.start_anew(),
        }
    }

    /// Goes on from the state after `mv`, which must have been met, and forgets nothing: for who wants to look at the
    /// whole tree when the game is over. Numbers of nodes stay.
    pub fn follow(&mut self, mv: G::Move) {
        let family = self.tree.family(self.root).expect("a state with moves that were looked at");
        let child = (0..family.len()).find(|&i| family.mv(i) == mv).map(|i| family.id(i));
        self.root = child.expect("a legal move");
        self.game.play(&mut self.root_state, mv);
        self.played += 1;
        self.line.active = false;
        self.idle = 0;
        self.line_prefetch.reset();
    }

    /// See [`crate::Search::save`].
    pub(crate) fn save_to(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        to.put([self.root, self.played])?;
        to.put([self.created, self.resolved, self.iterations, self.idle, self.dropped, self.policy.drawn()])?;
        to.put(self.line.at)?;
        to.put([self.line.active, self.line.changed, self.eviction.is_some()])?;
        to.put_all(&self.line.above)?;
        to.put_all(&self.line.opened)?;
        to.put_all(&self.line.new)?;
        self.drop_progress.save(to)?;
        self.tree.save(&self.game, to)?;
        self.eviction.as_ref().map_or(Ok(()), |eviction| eviction.save(to))
    }

    /// See [`crate::Search::restore`].
    pub(crate) fn restore_from(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        [self.root, self.played] = from.get()?;
        let drawn;
        [self.created, self.resolved, self.iterations, self.idle, self.dropped, drawn] = from.get()?;
        self.line.at = from.get()?;
        let eviction;
        [self.line.active, self.line.changed, eviction] = from.get()?;
        self.line.above = from.get_all()?;
        self.line.opened = from.get_all()?;
        self.line.new = from.get_all()?;
        self.policy.draw(drawn);
        self.guesses.clear();
        self.drop_progress = DropProgress::restore(from)?;
        self.tree = Tree::restore(&*self.game, &self.root_state, self.root, self.options.table, from)?;
        self.eviction = if eviction { Some(Eviction::restore(self.tree.places(), from)?) } else { None };
        if self.line.active {
            self.line.state.clone_from(&self.root_state);
            let mut at = self.root;
            for &(id, choice) in &self.line.above {
                let Some((child, mv)) = self.tree.edge(id, choice).filter(|_| id == at) else {
                    return Err(SaveError::Damaged("a line that leads nowhere"));
                };
                self.game.play(&mut self.line.state, mv);
                at = child;
            }
            if at != self.line.at {
                return Err(SaveError::Damaged("a line that ends elsewhere"));
            }
        }
        Ok(())
    }

    /// Tells the observer about the iteration that just ended.
    fn show(&self, observer: &mut dyn Observer) -> ControlFlow<()> {
        let mut new: FxHashSet<u32> = self.line.new.iter().copied().collect();
        let mut growth = Growth { iteration: self.iterations, nodes: self.created, ..Growth::default() };
        let mut state = self.root_state;
        let mut opened = self.line.opened.iter().peekable();
        for &(id, choice) in self.line.above.iter().chain([&(self.line.at, u32::MAX)]) {
            growth.visited.push(self.shown(id));
            let Some(family) = self.tree.family(id) else { break };
            if opened.next_if_eq(&&id).is_some() {
                let text = |i| self.game.move_text(&state, family.mv(i));
                let moves = (0..family.len()).map(|i| (text(i), self.shown(family.id(i)), new.remove(&family.id(i))));
                growth.opened.push(Opened { state: id, moves: moves.collect() });
            }
            if (choice as usize) < family.len() {
                let mv = family.mv(choice as usize);
                growth.line.push(self.game.move_text(&state, mv));
                self.game.play(&mut state, mv);
            }
        }
        observer.growth(&growth)
    }

    fn shown(&self, id: u32) -> StateNow {
        let estimate = self.policy.shown(self.tree.node(id).data());
        let value = Player::all(self.game.facts().players).map(|p| estimate.of(p) + 0.0).collect(); // no negative zero
        StateNow { state: id, value, resolved: self.is_closed(id), numbers: vec![], window: None }
    }
}

impl<G: FullGame, P: Judge<G>> Search<G> for BestFirst<G, P> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        BestFirst::run(self, budget, observer)
    }

    fn advance(&mut self, mv: G::Move) -> bool {
        BestFirst::advance(self, mv);
        true
    }

    fn grows(&self) -> bool {
        true
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        self.save_to(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        self.restore_from(from)
    }

    fn threads_used(&self, given: usize) -> usize {
        if self.watched_with > 1 { 1 } else { given }
    }

    fn proved(&self, state: &G::State) -> Verdict<G::Payoff> {
        if !self.tree().has_table() {
            // To look through all nodes for each state of a proof would take longer than the proof.
            return Verdict::Unknown;
        }
        let found = self.tree().find(self.game().key(state));
        found.map_or(Verdict::Unknown, |id| self.verdict(id, state))
    }

    fn answer(&self) -> Answer<G> {
        self.told()
    }
}
