//! The loop of all best-first searches.
//!
//! UBFM, Descent, the other members of the UMB class (001 Alg. 4) and their n-player forms differ in four small answers:
//! what a leaf is worth, how a state's data follows from its children's, which child to visit, and whether to go on below
//! a state that was just opened. A [`Policy`] gives these answers, [`BestFirst`] does the rest.
//!
//! One iteration walks from the root to a state that is opened there and then, or to several, and backs up everything on
//! the way. The papers write it as a recursion; here it is a loop over the line, however deep the line is.
//!
//! Where the papers err: a state on the line may have all its children closed, because other parents closed them. They
//! take for granted that this cannot be; here the line ends there and the state is backed up, which closes it.
//!
//! An iteration can be interrupted before any visit and goes on in the next call as if nothing had been: it does not
//! matter into how many slices a budget is cut.

use std::ops::ControlFlow;
use std::sync::Arc;

use perfectplay_core::{
    Budget, Effort, Estimate, EstimateOf, Game, Growth, Meter, NewState, Observer, Payoff, Plain, Player, Progress,
    Status, Stop,
};

use crate::Refusal;
use crate::saved::{Reader, SaveError, Writer, codec};
use crate::table::hash;
use crate::tree::{Family, Keep, Tree, Wait};

/// What tells one best-first search from another.
pub trait Policy<G: Game>: Send {
    /// What a node carries: c, v and r, or whatever the search goes by.
    type Data: Plain + Default + PartialEq + Send;
    /// The data of a finished game, reached `depth` plies below the first root.
    fn terminal(&self, payoff: G::Payoff, depth: u32) -> Self::Data;
    /// Pushes the data of new, unfinished states: one call for all new children of a state.
    fn leaves(&mut self, game: &G, states: &[G::State], out: &mut Vec<Self::Data>);
    /// The data of a state, from its own and its children's.
    fn backup(&self, family: &Family<'_, G, Self::Data>) -> Self::Data;
    /// Which child to visit; `None` if there is no reason to visit any: the line ends here.
    fn priority_child(&mut self, family: &Family<'_, G, Self::Data>, visit: Visit) -> Option<usize>;
    /// Whether to go on below a state that was just opened.
    fn continues(&mut self, _family: &Family<'_, G, Self::Data>, _visit: Visit) -> bool {
        false
    }
    /// Whether a state needs no further visit. What is closed never opens again.
    fn closed(&self, data: Self::Data) -> bool;
    /// The child on the principal line.
    fn principal(&self, family: &Family<'_, G, Self::Data>) -> usize;
    /// Whether an iteration can end without any change, and so the search be stuck.
    fn can_stall(&self) -> bool {
        false
    }
    /// Whether [`Policy::priority_child`] may choose this child, now or after more visits that change no data.
    fn candidate(&self, _family: &Family<'_, G, Self::Data>, _child: usize) -> bool {
        true
    }
    /// How many random numbers were drawn.
    fn drawn(&self) -> u64 {
        0
    }
    /// Makes a new policy the one that has drawn so many.
    fn draw(&mut self, _drawn: u64) {}
    /// The guess at each player's result, to be shown to an observer.
    fn shown(&self, data: Self::Data) -> EstimateOf<G>;
}

/// Where a line has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// Plies below the root.
    pub depth: u32,
    /// States opened in this iteration, this one included.
    pub opened: u32,
}

/// What to do when the memory is used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenFull {
    /// Stop with what is known.
    #[default]
    Stop,
    /// Close unresolved states again that were seldom visited and that the principal line does not use, and go on.
    Drop,
}

/// Refinements of the loop. None changes what is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopOptions {
    /// Re-read the children of a state before going on below it: a transposition may have resolved one meanwhile.
    pub reread: bool,
    /// What to do when the memory is used up.
    pub when_full: WhenFull,
    /// Whether the tree is kept when a move is played.
    pub keep: bool,
}

impl Default for LoopOptions {
    fn default() -> Self {
        LoopOptions { reread: false, when_full: WhenFull::Stop, keep: true }
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
    opened: u32,
    changed: bool,
    /// Nodes from this one on are new.
    first_new: u32,
}

/// A best-first search.
pub struct BestFirst<G: Game, P: Policy<G>> {
    game: Arc<G>,
    pub(crate) policy: P,
    tree: Tree<G, P::Data>,
    options: LoopOptions,
    root_state: G::State,
    root: u32,
    /// Plies between the first root and this one.
    played: u32,
    line: Line<G::State>,
    moves: Vec<G::Move>,
    children: Vec<(G::State, G::Key, u64)>,
    fresh: Vec<G::State>,
    fresh_ids: Vec<u32>,
    fresh_data: Vec<P::Data>,
    created: u64,
    resolved: u64,
    iterations: u64,
    idle: u64,
    dropped: u64,
    /// Memory is used up and nothing was dropped yet.
    dropping: bool,
    marks: Option<Marks>,
}

/// What is to stay when memory is used up, as far as it was found out.
struct Marks {
    /// Edges need more visits than this.
    least: u32,
    /// The unresolved states that stay open.
    stays_open: Vec<bool>,
    /// All states that stay, and how many they are.
    stays: Vec<bool>,
    count: usize,
    /// Whether those that stay open are known, and those that stay are being counted.
    counting: bool,
    todo: Vec<u32>,
}

enum Step {
    Deeper,
    Finished,
}

/// Nodes between two reports of progress.
const REPORT_EVERY: u64 = 1 << 15;

impl<G: Game, P: Policy<G>> BestFirst<G, P> {
    /// A search from `root`. Refuses games with cycles in the name of `algorithm`.
    pub fn new(
        algorithm: &'static str,
        game: Arc<G>,
        root: G::State,
        policy: P,
        options: LoopOptions,
    ) -> Result<Self, Refusal> {
        if !game.facts().acyclic {
            return Err(Refusal::Cyclic { algorithm });
        }
        let line = Line {
            active: false,
            state: root.clone(),
            at: 0,
            above: Vec::new(),
            opened: 0,
            changed: false,
            first_new: 0,
        };
        let mut search = BestFirst {
            game,
            policy,
            tree: Tree::new(),
            options,
            root_state: root,
            root: 0,
            played: 0,
            line,
            moves: Vec::new(),
            children: Vec::new(),
            fresh: Vec::new(),
            fresh_ids: Vec::new(),
            fresh_data: Vec::new(),
            created: 0,
            resolved: 0,
            iterations: 0,
            idle: 0,
            dropped: 0,
            dropping: false,
            marks: None,
        };
        search.plant();
        Ok(search)
    }

    /// Begins with a tree of one node.
    fn plant(&mut self) {
        self.tree = Tree::new();
        self.resolved = 0;
        self.line.active = false;
        (self.dropping, self.marks) = (false, None);
        self.root = 0;
        let state = self.root_state.clone();
        self.children.clear();
        self.moves.clear();
        let key = self.game.key(&state);
        self.children.push((state, key, hash(&key)));
        self.meet(self.played);
    }

    /// The game.
    pub fn game(&self) -> &G {
        &self.game
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
        let mut meter = budget.start();
        let watched = observer.wants_growth();
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

    fn is_closed(&self, id: u32) -> bool {
        let node = self.tree.node(id);
        node.is_finished() || self.policy.closed(node.data())
    }

    /// Goes on with the line until a state was opened or the line has ended; then everything above is backed up.
    fn walk(&mut self, meter: &mut Meter) -> Result<Step, Stop> {
        if self.dropping {
            return self.drop_unused(meter);
        }
        if !self.line.active {
            self.line.active = true;
            self.line.state.clone_from(&self.root_state);
            self.line.at = self.root;
            self.line.above.clear();
            self.line.opened = 0;
            self.line.changed = false;
            self.line.first_new = self.tree.nodes().len() as u32;
        }
        // Dropping takes lists of its own.
        let memory = if self.options.when_full == WhenFull::Drop { meter.memory() / 8 * 7 } else { meter.memory() };
        match self.visits(memory) {
            Ok(Step::Deeper) => Ok(Step::Deeper),
            Ok(Step::Finished) => {
                self.finish();
                Ok(Step::Finished)
            }
            Err(Wait::Grow) => {
                while !self.tree.grow_table() {
                    if let Some(stop) = meter.look() {
                        return Err(stop);
                    }
                }
                Ok(Step::Deeper)
            }
            Err(Wait::Full) if self.options.when_full == WhenFull::Drop => {
                self.finish();
                self.dropping = true;
                self.drop_unused(meter)
            }
            Err(Wait::Full) => Err(Stop::Memory),
        }
    }

    fn visits(&mut self, memory: usize) -> Result<Step, Wait> {
        loop {
            let id = self.line.at;
            let fresh = self.tree.node(id).is_leaf();
            if fresh {
                self.moves.clear();
                self.game.expand(&self.line.state, &mut self.moves);
                self.tree.make_room(self.moves.len(), memory)?;
                self.open(id);
                self.line.opened += 1;
            }
            if fresh || self.options.reread {
                self.back_up(id);
            }
            if self.is_closed(id) {
                return Ok(Step::Finished);
            }
            let visit = Visit { depth: self.line.above.len() as u32, opened: self.line.opened };
            let family = self.tree.family(id).expect("an opened node has edges");
            if fresh && !self.policy.continues(&family, visit) {
                return Ok(Step::Finished);
            }
            let Some(choice) = self.policy.priority_child(&family, visit) else {
                // All children were closed through other parents (the papers take for granted that this cannot be).
                self.back_up(id);
                return Ok(Step::Finished);
            };
            let (child, mv) = self.tree.go(id, choice);
            self.line.above.push((id, choice as u32));
            self.line.at = child;
            self.game.play(&mut self.line.state, mv);
            if fresh {
                return Ok(Step::Deeper);
            }
        }
    }

    /// Backs up everything above the end of the line.
    fn finish(&mut self) {
        for i in (0..self.line.above.len()).rev() {
            self.back_up(self.line.above[i].0);
        }
        self.iterations += 1;
        let grown = self.tree.nodes().len() as u32 > self.line.first_new;
        self.idle = if self.line.changed || grown { 0 } else { self.idle + 1 };
        self.line.active = false;
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

    /// Gives the node its children. `self.moves` holds its moves and there is room.
    fn open(&mut self, id: u32) {
        self.children.clear();
        for &mv in &self.moves {
            let child = self.game.after(&self.line.state, mv);
            let key = self.game.key(&child);
            let hash = hash(&key);
            self.tree.prefetch(hash);
            self.children.push((child, key, hash));
        }
        let first = self.tree.edge_count();
        self.meet(self.played + self.line.above.len() as u32 + 1);
        self.tree.adopt_edges(id, first);
    }

    /// Finds or makes the nodes of `self.children`, and edges to them by `self.moves`.
    fn meet(&mut self, depth: u32) {
        self.fresh.clear();
        self.fresh_ids.clear();
        self.fresh_data.clear();
        let before = self.tree.nodes().len();
        for (i, (state, key, hash)) in self.children.drain(..).enumerate() {
            let child = self.tree.find_or_add(key, hash, |id| match self.game.status(&state) {
                Status::Over(payoff) => {
                    self.resolved += 1;
                    (self.policy.terminal(payoff, depth), None)
                }
                Status::Turn(mover) => {
                    self.fresh.push(state);
                    self.fresh_ids.push(id);
                    (P::Data::default(), Some(mover))
                }
            });
            if let Some(&mv) = self.moves.get(i) {
                self.tree.push_edge(child, mv);
            }
        }
        self.created += (self.tree.nodes().len() - before) as u64;
        if !self.fresh.is_empty() {
            self.policy.leaves(&self.game, &self.fresh, &mut self.fresh_data);
            for (&id, &data) in self.fresh_ids.iter().zip(&self.fresh_data) {
                self.tree.set_data(id, data);
            }
        }
    }

    /// Whether no iteration will ever change anything again.
    ///
    /// True if every state that can still be chosen is closed or opened and has up-to-date data. Looking is expensive, so
    /// it is done only after 64, 128, 256 … iterations in a row without any change.
    fn is_stuck(&self) -> bool {
        if !self.policy.can_stall() || self.idle < 64 || !self.idle.is_power_of_two() {
            return false;
        }
        let mut seen = rustc_hash::FxHashSet::default();
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

    /// Keeps what can be reached from `root`.
    fn retain_reachable(&mut self, root: u32) {
        self.root = self.tree.retain(root, &self.tree.reachable(root), |_, _| Keep::All);
        while !self.tree.grow_table() {}
        self.forget_line();
    }

    /// After nodes got new numbers.
    fn forget_line(&mut self) {
        self.line.active = false;
        self.line.above.clear();
        (self.dropping, self.marks) = (false, None);
        self.resolved = (0..self.tree.nodes().len() as u32).filter(|&id| self.is_closed(id)).count() as u64;
    }

    /// Forgets what lies below seldom visited states, then below more often visited ones, until half of the states are gone.
    ///
    /// Stays: the principal line; all unresolved states entered by an edge with enough visits; the children of these; and
    /// below resolved ones the line that shows their value. Out of memory if that does not free a tenth.
    ///
    /// Can be interrupted while it marks what stays and goes on there in the next call; only moving it takes place at once.
    fn drop_unused(&mut self, meter: &Meter) -> Result<Step, Stop> {
        const AT_A_TIME: usize = 1 << 12;
        let before = self.tree.nodes().len();
        let mut marks = self.marks.take().unwrap_or_else(|| self.begin_marks(1));
        loop {
            if !marks.todo.is_empty() {
                (0..AT_A_TIME).for_each(|_| self.mark(&mut marks));
            } else if !marks.counting {
                marks.counting = true;
                marks.stays = vec![false; before];
                marks.stays[self.root as usize] = true;
                marks.todo.push(self.root);
            } else if marks.count > before / 2 && marks.least < 1 << 30 {
                marks = self.begin_marks(2 * marks.least);
            } else {
                break;
            }
            // Only now: the shortest call gets a step further.
            if let Some(stop) = meter.look() {
                self.marks = Some(marks);
                return Err(stop);
            }
        }
        let Marks { stays, stays_open, .. } = marks;
        // Taken out for a moment, because the policy is asked while the tree changes.
        let mut tree = std::mem::replace(&mut self.tree, Tree::new());
        self.root = tree.retain(self.root, &stays, |tree, id| self.kept(tree, id, &stays_open));
        self.tree = tree;
        self.forget_line();
        self.dropped += (before - self.tree.nodes().len()) as u64;
        if self.tree.nodes().len() < before / 10 * 9 { Ok(Step::Deeper) } else { Err(Stop::Memory) }
    }

    /// What stays of a node's edges.
    fn kept(&self, tree: &Tree<G, P::Data>, id: u32, stays_open: &[bool]) -> Keep {
        match tree.family(id) {
            Some(_) if stays_open[id as usize] => Keep::All,
            Some(family) if self.policy.closed(family.data()) => Keep::One(self.policy.principal(&family)),
            _ => Keep::None,
        }
    }

    /// Begins to look for what stays if edges need more than `least` visits.
    fn begin_marks(&self, least: u32) -> Marks {
        let mut stays_open = vec![false; self.tree.nodes().len()];
        let mut todo = vec![self.root];
        todo.extend(self.principal_line(self.root).map(|(id, _)| id).filter(|&id| !self.is_closed(id)));
        todo.iter().for_each(|&id| stays_open[id as usize] = true);
        Marks { least, stays_open, stays: Vec::new(), todo, counting: false, count: 0 }
    }

    /// Looks at one more state, if there is one: first for what stays open, then for all that stays.
    fn mark(&self, marks: &mut Marks) {
        let Some(id) = marks.todo.pop() else { return };
        marks.count += usize::from(marks.counting);
        let Some(family) = self.tree.family(id) else { return };
        if !marks.counting {
            for i in 0..family.len() {
                let child = family.id(i);
                if family.visits(i) > marks.least && !marks.stays_open[child as usize] && !self.is_closed(child) {
                    marks.stays_open[child as usize] = true;
                    marks.todo.push(child);
                }
            }
            return;
        }
        let children = match self.kept(&self.tree, id, &marks.stays_open) {
            Keep::All => 0..family.len(),
            Keep::One(i) => i..i + 1,
            Keep::None => 0..0,
        };
        for child in children.map(|i| family.id(i)) {
            if !std::mem::replace(&mut marks.stays[child as usize], true) {
                marks.todo.push(child);
            }
        }
    }

    /// Goes on from the state after `mv`, with everything known about it; the rest is forgotten.
    pub fn advance(&mut self, mv: G::Move) {
        let child = self.tree.family(self.root).and_then(|f| (0..f.len()).find(|&i| f.mv(i) == mv).map(|i| f.id(i)));
        self.game.play(&mut self.root_state, mv);
        self.played += 1;
        self.line.active = false;
        self.idle = 0;
        match child {
            Some(child) if self.options.keep => self.retain_reachable(child),
            _ => self.plant(),
        }
    }

    /// See [`crate::Search::save`].
    pub(crate) fn save_to(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        let codec = codec(&*self.game)?;
        to.put([self.root, self.played])?;
        to.put([self.created, self.resolved, self.iterations, self.idle, self.dropped, self.policy.drawn()])?;
        to.put([self.line.at, self.line.opened, self.line.first_new])?;
        to.put([self.line.active, self.line.changed, self.dropping])?;
        to.put_all(&self.line.above)?;
        self.tree.save(&self.game, &codec, to)
    }

    /// See [`crate::Search::restore`].
    pub(crate) fn restore_from(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        let codec = codec(&*self.game)?;
        [self.root, self.played] = from.get()?;
        let drawn;
        [self.created, self.resolved, self.iterations, self.idle, self.dropped, drawn] = from.get()?;
        [self.line.at, self.line.opened, self.line.first_new] = from.get()?;
        [self.line.active, self.line.changed, self.dropping] = from.get()?;
        self.line.above = from.get_all()?;
        self.policy.draw(drawn);
        self.tree = Tree::restore(&*self.game, &codec, &self.root_state, self.root, from)?;
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
        let (above, first_new) = (&self.line.above, self.line.first_new);
        let (mut state, mut line, mut new_states) = (self.root_state.clone(), Vec::new(), Vec::new());
        let mut at = self.root;
        for step in above.iter().map(Some).chain([None]) {
            if let Some(family) = self.tree.family(at) {
                for i in (0..family.len()).filter(|&i| family.id(i) >= first_new) {
                    let mut line = line.clone();
                    line.push(self.game.move_text(&state, family.mv(i)));
                    let data = family.child(i);
                    let resolved = self.is_closed(family.id(i));
                    new_states.push(NewState { line, value: self.shown(data), resolved });
                }
                if let Some(&(_, choice)) = step {
                    let mv = family.mv(choice as usize);
                    line.push(self.game.move_text(&state, mv));
                    self.game.play(&mut state, mv);
                    at = family.id(choice as usize);
                }
            }
        }
        observer.growth(&Growth {
            iteration: self.iterations,
            line,
            new_states,
            nodes: self.created,
            value: self.shown(self.tree.node(self.root).data()),
            resolved: self.is_closed(self.root),
        })
    }

    fn shown(&self, data: P::Data) -> Vec<f32> {
        let estimate = self.policy.shown(data);
        Player::all(G::Payoff::PLAYERS).map(|p| estimate.of(p)).collect()
    }
}
