//! Best-first proof-number search on a tree, for one goal (PNS) or for all goals at once
//! (MOPNS; Saffidine and Cazenave 2012, §3 and §4).
//!
//! Descend to the most proving leaf, give it its children, carry the new numbers upwards; again until the root is
//! solved. With several goals the root chooses, before each descent, the goal that looks cheapest: its *attracting
//! outcome*. In terms of goals (see [`crate::proof_number::goals`]) the rest of Algorithm 1 is then proof-number search
//! for that goal: at the first player's nodes the least proof number, at the second's the least disproof number. So one
//! piece of code serves both, and on a game with two outcomes they are the same by construction (Saffidine and Cazenave
//! 2012, Prop. 3).
//!
//! Proves values of finite acyclic games. Transpositions are not noticed (see `crate::proof_number::graph`). Memory
//! grows with the tree; when it is used up the search stops with the bounds that are proved.

use std::sync::Arc;

use perfectplay_core::{
    Estimate, FullGame, Growth, Meter, Observer, Opened, Player, Progress, StateNow, Status, Stop, ZeroSum,
};

use crate::proof_number::effort_numbers::{
    Goals, INFINITE, Many, One, Pair, PairAt, Two, Window, least_effort, own_effort,
};
use crate::proof_number::goals::{Aim, Outcomes, likelihood, settle};
use crate::proof_number::tree::{Id, ROOT, Tree};
use crate::support::saved::{Reader, SaveError, Writer};

/// Which attracting outcome is taken among equally cheap ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The better one for the mover at the root.
    Better,
    /// The worse one.
    Worse,
}

/// The refinements of Saffidine and Cazenave 2012, §4.6 and §4.5.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Go on from the node whose numbers did not change, instead of from the root. Same tree, less walking.
    pub current_node: bool,
    /// A new leaf starts with its number of moves as the effort of the side that must refute them all.
    pub mobility: bool,
    /// A new leaf starts with more effort for the side that the game's own evaluation disfavours.
    pub heuristic: bool,
    /// Free what cannot matter any more.
    pub prune: bool,
    /// PN²: a new leaf starts with the numbers of a search of its own.
    pub nested: bool,
    /// Among equally cheap goals.
    pub ties: Ties,
}

impl Options {
    /// What is best on the whole.
    pub const USUAL: Options = Options {
        current_node: true,
        mobility: false,
        heuristic: false,
        prune: true,
        nested: false,
        ties: Ties::Better,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self::USUAL
    }
}

/// Why a run on several threads cannot be repeated.
pub(super) const RACING: &str = "where a thread searches depends on how far the others are";

/// What several threads did to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pieces that were searched by a thread of their own.
    pub claims: u64,
    /// How often a descent came to where another thread was at work, and numbers were raised there for the time being.
    pub met: u64,
    /// How often a thread found nothing to do until another one came back.
    pub waits: u64,
    /// Numbers written that several threads can see.
    pub written: u64,
}

impl Tally {
    /// What to tell of it: nothing, if there was one thread.
    pub(super) fn counts(self) -> impl Iterator<Item = (&'static str, u64)> {
        let Tally { claims, met, waits, written } = self;
        let counts = [("claims", claims), ("claims met", met), ("waits", waits), ("shared writes", written)];
        counts.into_iter().filter(move |_| claims > 0)
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.claims += other.claims;
        self.met += other.met;
        self.waits += other.waits;
        self.written += other.written;
    }
}

/// A search for the proof of one goal or of a value, at work: what the algorithms drive.
pub trait Prover<G: FullGame<Payoff = ZeroSum>>: Send {
    /// Goes on until the aim is settled (`None`) or the budget is used up. Not all searches can use several threads.
    fn prove(&mut self, threads: usize, meter: &mut Meter, observer: &mut dyn Observer) -> Option<Stop>;
    /// What is proved about the root, in ranks of the game's outcomes.
    fn window(&self) -> Window;
    /// Whether to tell observers from now on how its tree grows, if it has one.
    fn watch(&mut self, _told: bool) {}
    /// What is proved about the moves at the root; empty if it was not expanded.
    fn moves(&self) -> Vec<(G::Move, Window)>;
    /// The line of play that shows the value, or that looks best so far.
    fn line(&self) -> Vec<G::Move>;
    /// Nodes created.
    fn nodes(&self) -> u64;
    /// Nodes given their children.
    fn expansions(&self) -> u64;
    /// How threads met.
    fn tally(&self) -> Tally {
        Tally::default()
    }
    /// Bytes held.
    fn bytes(&self) -> usize;
    /// See [`crate::Search::save`].
    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError>;
    /// See [`crate::Search::restore`].
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError>;
    /// What is still known about any state.
    fn known(&self, _state: &G::State) -> Option<Window> {
        None
    }
    /// Begins at another position, keeping all that is known; `false` if it cannot.
    fn reroot(&mut self, _root: &G::State) -> bool {
        false
    }
    /// Holds no more bytes than this from now on; for searches that can be rerooted.
    fn limit(&mut self, _bytes: usize) {}
    /// How often a full table was cleared of what took little work.
    fn collections(&self) -> u64 {
        0
    }
}

/// The search on a tree. The game must not be over at `root`.
pub fn on_tree<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    outcomes: Arc<Outcomes>,
    aim: Aim,
    options: Options,
) -> Box<dyn Prover<G>> {
    match aim.count(&outcomes) {
        1 => Box::new(OnTree::new(game, root, outcomes, aim, options, One)),
        2 => Box::new(OnTree::new(game, root, outcomes, aim, options, Two)),
        goals => Box::new(OnTree::new(game, root, outcomes, aim, options, Many(goals))),
    }
}

/// The goal that looks cheapest at the root (Saffidine and Cazenave 2012, §4.4), among those in `window`: the mover
/// wants outcome o with the least G(o) + S(o) among those it is not sure of.
pub(super) fn attracting_goal<P: PairAt>(pairs: &[P], window: Window, for_max: bool, ties: Ties) -> usize {
    let open = usize::from(window.pessimistic)..usize::from(window.optimistic);
    // `min_by_key` takes the first among equals, so the preferred ones come first.
    if for_max == (ties == Ties::Better) {
        open.rev().min_by_key(|&goal| attraction(pairs, for_max, goal)).unwrap_or(0)
    } else {
        open.min_by_key(|&goal| attraction(pairs, for_max, goal)).unwrap_or(0)
    }
}

/// G(o) + S(o) for the outcome that the mover wants if it pursues `goal`: a first player who wants o = k + 1 pursues
/// goal k; so does a second player who wants o = k.
#[inline]
pub(super) fn attraction<P: PairAt>(pairs: &[P], for_max: bool, goal: usize) -> u64 {
    let (own, beside) = if for_max {
        (pairs[goal].pair().proof, pairs.get(goal + 1).map_or(0, |p| p.pair().disproof))
    } else {
        (pairs[goal].pair().disproof, if goal == 0 { 0 } else { pairs[goal - 1].pair().proof })
    };
    u64::from(own) + u64::from(beside)
}

/// How new, unfinished leaves start (Saffidine and Cazenave 2012, §4.6): with 1 and 1, or with better guesses.
pub(super) struct Leaves<M> {
    aim: Aim,
    /// The goals of the game.
    all: usize,
    options: Options,
    /// Room for the moves of a leaf.
    replies: Vec<M>,
}

impl<M> Leaves<M> {
    pub(super) fn new(aim: Aim, outcomes: &Outcomes, options: Options) -> Self {
        Leaves { aim, all: outcomes.goals(), options, replies: Vec::new() }
    }

    /// The first numbers of a leaf.
    #[inline(always)]
    pub(super) fn number<G>(&mut self, game: &G, state: &G::State, for_max: bool, pairs: &mut [Pair])
    where
        G: FullGame<Payoff = ZeroSum, Move = M>,
    {
        pairs.fill(Pair::UNIT);
        if self.options.mobility || self.options.heuristic {
            self.guess(game, state, for_max, pairs);
        }
    }

    /// The same with guesses.
    fn guess<G>(&mut self, game: &G, state: &G::State, for_max: bool, pairs: &mut [Pair])
    where
        G: FullGame<Payoff = ZeroSum, Move = M>,
    {
        if self.options.mobility {
            self.replies.clear();
            game.expand(state, &mut self.replies);
            let base = Pair { proof: 1, disproof: self.replies.len() as u32 };
            pairs.fill(if for_max { base } else { base.swapped() });
        }
        if self.options.heuristic {
            let guess = game.heuristic(state).of(Player::FIRST);
            for (index, pair) in pairs.iter_mut().enumerate() {
                let likely = likelihood(guess, if let Aim::Goal(goal) = self.aim { goal } else { index }, self.all);
                pair.proof += ((1.0 - likely) * DOUBT).round() as u32;
                pair.disproof += (likely * DOUBT).round() as u32;
            }
        }
    }
}

/// A node on the way from the root.
#[derive(Clone, Copy)]
pub(super) struct Step<S> {
    pub(super) node: Id,
    /// (α, β): outside of it nothing that is found here can matter to the root.
    pub(super) relevant: Window,
    pub(super) state: S,
}

/// The search.
pub struct OnTree<G: FullGame<Payoff = ZeroSum>, W: Goals> {
    game: Arc<G>,
    outcomes: Arc<Outcomes>,
    aim: Aim,
    pub(super) goals: W,
    pub(super) options: Options,
    leaves: Leaves<G::Move>,
    pub(super) tree: Tree<G::Move, W>,
    pub(super) path: Vec<Step<G::State>>,
    /// Whether an observer is told how the tree grows.
    told: bool,
    /// What the caller wants to know about the root; all of it, unless this search is nested.
    pub(super) asked: Window,
    /// The goal of the current descents.
    pub(super) goal: usize,
    nested: Option<Box<OnTree<G, W>>>,
    /// Children of the last node on the path that still await their nested search.
    waiting: std::ops::Range<Id>,
    pub(super) moves: Vec<G::Move>,
    fresh: Vec<Pair>,
    pub(super) nodes: u64,
    pub(super) expansions: u64,
    until_report: u64,
    /// The root, or what stands in for it: all its moves are kept.
    pub(super) root: Option<Id>,
    /// For each thread a node of the tree that is its own.
    pub(super) places: Vec<Id>,
    /// How threads met.
    pub(super) tally: Tally,
}

/// Nodes between two reports.
pub(super) const REPORT_EVERY: u64 = 1 << 16;
/// How much effort a hopeless guess adds.
const DOUBT: f32 = 4.0;

impl<G: FullGame<Payoff = ZeroSum>, W: Goals> OnTree<G, W> {
    /// Prepares the search. The game must not be over at `root`.
    pub fn new(game: Arc<G>, root: G::State, outcomes: Arc<Outcomes>, aim: Aim, options: Options, goals: W) -> Self {
        let mut moves = Vec::new();
        game.expand(&root, &mut moves);
        let nested = options.nested.then(|| {
            let options = Options { nested: false, ..options };
            Box::new(Self::new(game.clone(), root, outcomes.clone(), aim, options, goals))
        });
        let mut search = OnTree {
            tree: Tree::new(goals, moves[0]),
            leaves: Leaves::new(aim, &outcomes, options),
            game,
            outcomes,
            aim,
            goals,
            options,
            path: Vec::new(),
            told: false,
            asked: Window::full(goals.count()),
            goal: 0,
            nested,
            waiting: 0..0,
            moves,
            fresh: vec![Pair::UNIT; goals.count()],
            nodes: 1,
            expansions: 0,
            until_report: REPORT_EVERY,
            root: Some(ROOT),
            places: Vec::new(),
            tally: Tally::default(),
        };
        search.begin(root);
        search
    }

    /// The same search for another thread, with a part of the tree that it will be told.
    pub(super) fn part(&self) -> Self {
        OnTree {
            tree: self.tree.part(),
            leaves: Leaves::new(self.aim, &self.outcomes, self.options),
            game: self.game.clone(),
            outcomes: self.outcomes.clone(),
            path: Vec::new(),
            nested: None,
            waiting: 0..0,
            moves: Vec::new(),
            fresh: self.fresh.clone(),
            nodes: 0,
            expansions: 0,
            root: None,
            places: Vec::new(),
            tally: Tally::default(),
            ..*self
        }
    }

    /// Starts anew at `root`, keeping the memory and the counts.
    fn begin(&mut self, root: G::State) {
        self.tree.clear();
        self.evaluate(ROOT, &root);
        let relevant = self.asked.and(Window::of(self.tree.numbers(ROOT)));
        self.path.clear();
        self.path.push(Step { node: ROOT, relevant, state: root });
        self.goal = self.attracting_goal();
    }

    /// Whether the root is solved, as far as it was asked about.
    pub(super) fn done(&self) -> bool {
        Window::of(self.tree.numbers(ROOT)).and(self.asked).closed()
    }

    pub(super) fn attracting_goal(&self) -> usize {
        let pairs = self.tree.numbers(ROOT);
        let window = self.asked.and(Window::of(pairs));
        attracting_goal(pairs, window, self.tree.node(ROOT).for_max(), self.options.ties)
    }

    /// Walks down to the most proving leaf.
    pub(super) fn descend(&mut self) {
        loop {
            let step = self.path.last().expect("the path begins at the root");
            // Saffidine and Cazenave 2012, Prop. 5: the search never comes to a node that cannot matter.
            debug_assert!(step.relevant.contains(self.goal), "{:?} does not contain {}", step.relevant, self.goal);
            if self.tree.node(step.node).is_leaf() {
                return;
            }
            let child = self.most_proving_child(step.node);
            let state = self.game.after(&step.state, self.tree.mv(child));
            let relevant = step.relevant.and(Window::of(self.tree.numbers(child)));
            self.path.push(Step { node: child, relevant, state });
        }
    }

    /// The first child with the least effort, which is the effort of the node itself.
    #[inline]
    fn most_proving_child(&self, id: Id) -> Id {
        let node = self.tree.node(id);
        let own = self.tree.numbers(id)[self.goal].pair();
        let of_children = self.tree.numbers_of_children(node).chunks_exact(self.goals.count());
        let mut pairs = of_children.map(|c| c[self.goal].pair());
        let index = if node.for_max() {
            pairs.position(|p| p.proof == own.proof)
        } else {
            pairs.position(|p| p.disproof == own.disproof)
        };
        node.children().start + index.expect("the least effort is some child's") as Id
    }

    /// Creates the children of the leaf at the end of the path; all of them count.
    pub(super) fn expand(&mut self) -> Result<u64, Stop> {
        let step = self.path.last().expect("the path begins at the root");
        let id = step.node;
        let state = step.state;
        self.moves.clear();
        self.game.expand(&state, &mut self.moves);
        let first = match self.tree.expand(id, &self.moves) {
            Some(first) => first,
            None => {
                if self.options.prune && self.path[0].node == ROOT {
                    self.tree.sweep(self.asked, |_| false);
                }
                self.tree.expand(id, &self.moves).ok_or(Stop::Memory)?
            }
        };
        for i in 0..self.moves.len() {
            let child = self.game.after(&state, self.moves[i]);
            self.evaluate(first + i as Id, &child);
        }
        let created = self.moves.len() as u64;
        self.nodes += created;
        self.expansions += 1;
        if self.nested.is_some() {
            self.waiting = first..first + created as Id;
        }
        Ok(created)
    }

    /// Gives a new node its first numbers.
    #[inline]
    fn evaluate(&mut self, id: Id, state: &G::State) {
        match self.game.status(state) {
            Status::Over(payoff) => settle(self.aim.rank(self.outcomes.rank(payoff)), &mut self.fresh),
            Status::Turn(mover) => {
                let for_max = mover == Player::FIRST;
                self.tree.set_leaf_mover(id, for_max);
                self.leaves.number(&*self.game, state, for_max, &mut self.fresh);
            }
        }
        self.tree.set_numbers(id, &self.fresh);
    }

    /// PN² (Saffidine and Cazenave 2012, §4.6): each new leaf gets the numbers of a search with as many descents as
    /// this one has made so far.
    fn search_waiting(&mut self, meter: &mut Meter, observer: &mut dyn Observer) -> Result<(), Stop> {
        let Some(mut nested) = self.nested.take() else { return Ok(()) };
        let result = loop {
            if self.waiting.is_empty() {
                break Ok(());
            }
            let id = self.waiting.start;
            if !Window::of(self.tree.numbers(id)).closed() {
                let step = self.path.last().expect("the path begins at the root");
                if nested.expansions == 0 {
                    nested.asked = step.relevant;
                    nested.begin(self.game.after(&step.state, self.tree.mv(id)));
                }
                match nested.prove_within(self.expansions, meter, observer) {
                    // What it found out until its memory was full is still right.
                    None | Some(Stop::Memory) => {}
                    Some(stop) => break Err(stop),
                }
                let found = nested.tree.numbers(ROOT).iter().zip(&mut self.fresh);
                found.for_each(|(cell, pair)| *pair = cell.pair());
                self.tree.set_numbers(id, &self.fresh);
                nested.expansions = 0;
            }
            self.waiting.start += 1;
        };
        self.nested = Some(nested);
        result
    }

    /// Recomputes numbers from the end of the path upwards, as long as they change.
    fn update(&mut self) {
        while !self.update_one() {}
        if self.path.len() == 1 {
            self.goal = self.attracting_goal();
        }
    }

    /// Recomputes the numbers of the last node on the path; `false` if those above it must be recomputed, too.
    #[inline]
    pub(super) fn update_one(&mut self) -> bool {
        let id = self.path.last().expect("the path begins at the root").node;
        let changed = self.recompute(id);
        if self.path.len() == 1 || !changed && self.options.current_node {
            return true;
        }
        self.path.pop();
        false
    }

    /// The numbers of a node from those of its children; whether they changed.
    #[inline]
    fn recompute(&mut self, id: Id) -> bool {
        let Some((before, after)) = self.renumber(id) else { return false };
        if before != after {
            self.bounds_changed(id, after);
        }
        true
    }

    /// The same without freeing anything: what the numbers proved before, and what they prove now; `None` if they did
    /// not change.
    #[inline]
    pub(super) fn renumber(&mut self, id: Id) -> Option<(Window, Window)> {
        let node = self.tree.node(id);
        let count = self.goals.count();
        let pairs = self.tree.numbers_of_children(node);
        for goal in 0..count {
            let of_children = pairs.chunks_exact(count).map(|c| c[goal].pair());
            self.fresh[goal] = Pair::of_successors(node.for_max(), of_children);
        }
        let own = self.tree.numbers(id);
        if self.options.nested {
            // A nested search may have settled goals that its successors, asked about less, leave open.
            for (fresh, own) in self.fresh.iter_mut().zip(own).filter(|(_, own)| own.pair().closed()) {
                *fresh = own.pair();
            }
        }
        if own.iter().zip(&self.fresh).all(|(own, fresh)| own.pair() == *fresh) {
            return None;
        }
        let windows = (Window::of(own), Window::of(&self.fresh));
        self.tree.set_numbers(id, &self.fresh);
        Some(windows)
    }

    /// Frees what a node's new bounds make irrelevant (Saffidine and Cazenave 2012, §4.5): below the node, or below its
    /// children.
    fn bounds_changed(&mut self, id: Id, own: Window) {
        let above = self.path.iter().rev().nth(1).map_or(self.asked, |step| step.relevant);
        let relevant = above.and(own);
        self.path.last_mut().expect("the path begins at the root").relevant = relevant;
        if !self.options.prune {
            return;
        }
        if self.root == Some(id) {
            if id == ROOT && !relevant.closed() {
                self.tree.sweep(self.asked, |_| false);
            }
        } else if own.closed() {
            self.keep_line(id, own.pessimistic);
        } else if relevant.closed() {
            self.tree.release_below(id);
        } else {
            for child in self.tree.node(id).children() {
                let window = Window::of(self.tree.numbers(child));
                if relevant.and(window).closed() && !window.closed() {
                    self.tree.release_below(child);
                }
            }
        }
    }

    /// Frees what lies below a solved node, except the line of play that shows its value.
    pub(super) fn keep_line(&mut self, id: Id, rank: u16) {
        match self.principal_child(id, rank) {
            Some(kept) => self.tree.keep_only(id, kept),
            None => self.tree.release_below(id),
        }
    }

    /// A child that gives the mover `rank`, the value of the node. There is one, unless a nested search found the
    /// value.
    fn principal_child(&self, id: Id, rank: u16) -> Option<Id> {
        let node = self.tree.node(id);
        let gives = |&child: &Id| {
            let window = Window::of(self.tree.numbers(child));
            if node.for_max() { window.pessimistic >= rank } else { window.optimistic <= rank }
        };
        node.children().find(gives)
    }

    /// Goes on, but makes no more than so many descents in all.
    pub(super) fn prove_within(
        &mut self,
        descents: u64,
        meter: &mut Meter,
        observer: &mut dyn Observer,
    ) -> Option<Stop> {
        loop {
            let mut created = 0;
            if self.waiting.is_empty() {
                if self.done() || self.expansions >= descents {
                    return None;
                }
                self.descend();
                match self.expand() {
                    Ok(new) => created = new,
                    Err(stop) => return Some(stop),
                }
                // Nested searches may be interrupted: what was created is charged before they begin, and once.
                if self.nested.is_some()
                    && let Some(stop) = meter.spend(std::mem::take(&mut created), 0)
                {
                    return Some(stop);
                }
            }
            if let Err(stop) = self.search_waiting(meter, observer) {
                return Some(stop);
            }
            let line: Vec<Id> = if self.told { self.path.iter().map(|step| step.node).collect() } else { vec![] };
            let growth = self.told.then(|| self.begin_growth());
            self.update();
            if let Some(growth) = growth
                && observer.growth(&self.end_growth(growth, &line)).is_break()
            {
                return (!self.done()).then_some(Stop::Cancelled);
            }
            if let Some(stop) = meter.spend(created, 0) {
                return (!self.done()).then_some(stop);
            }
            self.until_report = self.until_report.saturating_sub(created);
            if self.until_report == 0 && self.report(observer).is_break() {
                return Some(Stop::Cancelled);
            }
        }
    }

    /// What the descent that has just been made did, told while its path is still there and nothing is freed.
    #[cold]
    fn begin_growth(&self) -> Growth {
        let move_text = |state: &G::State, id: Id| self.game.move_text(state, self.tree.mv(id));
        let line = self.path.windows(2).map(|steps| move_text(&steps[0].state, steps[1].node)).collect();
        let last = self.path.last().expect("the path begins at the root");
        let child = |id: Id| (move_text(&last.state, id), self.shown(id), true);
        let moves = self.tree.node(last.node).children().map(child).collect();
        let opened = vec![Opened { state: last.node, moves }];
        Growth { iteration: self.expansions, line, visited: vec![], opened, nodes: self.nodes, ..Growth::default() }
    }

    /// The same with the numbers on its line as they are now.
    #[cold]
    fn end_growth(&self, growth: Growth, line: &[Id]) -> Growth {
        Growth { visited: line.iter().map(|&id| self.shown(id)).collect(), ..growth }
    }

    fn shown(&self, id: Id) -> StateNow {
        let effort = |number: u32| (number < INFINITE).then_some(number);
        let pairs = self.tree.numbers(id).iter().map(PairAt::pair);
        let numbers = pairs.map(|pair| [effort(pair.proof), effort(pair.disproof)]).collect();
        let window = self.window_of(id);
        let resolved = Window::of(self.tree.numbers(id)).closed();
        let known =
            (window.pessimistic == window.optimistic).then(|| self.outcomes.value(window.pessimistic.into()) as f32);
        StateNow {
            state: id,
            value: known.map_or(vec![], |value| vec![value, -value]),
            resolved,
            numbers,
            window: None,
        }
    }

    #[cold]
    fn report(&mut self, observer: &mut dyn Observer) -> std::ops::ControlFlow<()> {
        self.until_report = REPORT_EVERY;
        observer.progress(&Progress {
            nodes: self.nodes(),
            bytes: self.bytes(),
            share: None,
            depth: Some(self.path.len() as u32),
        })
    }

    /// Everything but the root's state: that of a nested search follows from the outer one.
    fn save_to(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        to.put([self.nodes, self.expansions, self.until_report, self.goal as u64])?;
        to.put([self.waiting.start, self.waiting.end])?;
        to.put(self.asked)?;
        // A nested search that has not begun will set out anew, and its old path leads nowhere.
        let path = if self.expansions == 0 { &self.path[..1] } else { &self.path };
        to.put_len(path.len())?;
        for step in path {
            to.put((step.node, step.relevant))?;
        }
        self.tree.save(to)?;
        if let Some(nested) = &self.nested {
            nested.save_to(to)?;
        }
        Ok(())
    }

    fn restore_from(&mut self, root: G::State, from: &mut Reader<'_>) -> Result<(), SaveError> {
        let goal;
        [self.nodes, self.expansions, self.until_report, goal] = from.get()?;
        [self.waiting.start, self.waiting.end] = from.get()?;
        self.asked = from.get()?;
        self.places.clear();
        let path: Vec<(Id, Window)> = from.get_all()?;
        self.tree.restore(from)?;
        let known =
            path.iter().all(|&(node, _)| self.tree.has(node)) && self.waiting.clone().all(|id| self.tree.has(id));
        if !known || path.is_empty() || goal as usize >= self.goals.count() {
            return Err(SaveError::Damaged("a line outside of the tree"));
        }
        self.goal = goal as usize;
        self.path.clear();
        let mut state = root;
        for (node, relevant) in path {
            if node != ROOT {
                self.game.play(&mut state, self.tree.mv(node));
            }
            self.path.push(Step { node, relevant, state });
        }
        if let Some(mut nested) = self.nested.take() {
            // At work on the first child that waits, or between two children, and then its tree does not matter.
            if !self.waiting.is_empty() {
                self.game.play(&mut state, self.tree.mv(self.waiting.start));
            }
            nested.restore_from(state, from)?;
            self.nested = Some(nested);
        }
        Ok(())
    }

    fn window_of(&self, id: Id) -> Window {
        self.aim.window(Window::of(self.tree.numbers(id)), &self.outcomes)
    }

    /// The child to play: one that keeps what is proved for the mover, or else the one of least effort, if there is
    /// one.
    fn best_child(&self, id: Id) -> Option<Id> {
        let own = Window::of(self.tree.numbers(id));
        let node = self.tree.node(id);
        if own.closed() || node.for_max() && own.pessimistic > 0 {
            return self.principal_child(id, own.pessimistic);
        }
        if !node.for_max() && usize::from(own.optimistic) < self.goals.count() {
            return self.principal_child(id, own.optimistic);
        }
        let next = if node.for_max() { own.pessimistic } else { own.optimistic - 1 };
        let goal = if own.contains(self.goal) { self.goal } else { next.into() };
        let numbers = self.tree.numbers_of_children(node).chunks_exact(self.goals.count());
        least_effort(node.children().zip(numbers.map(|c| own_effort(node.for_max(), c[goal].pair()))))
    }

    /// Bytes one node takes.
    pub fn bytes_per_node(&self) -> usize {
        self.tree.bytes_per_node()
    }
}

impl<G: FullGame<Payoff = ZeroSum>, W: Goals> Prover<G> for OnTree<G, W> {
    fn prove(&mut self, threads: usize, meter: &mut Meter, observer: &mut dyn Observer) -> Option<Stop> {
        let memory = meter.memory();
        match &mut self.nested {
            Some(nested) => {
                nested.tree.limit_bytes(memory / 2);
                self.tree.limit_bytes(memory / 2);
            }
            None => self.tree.limit_bytes(memory),
        }
        if threads > 1 && self.nested.is_none() && !self.told {
            return self.prove_side_by_side(threads, meter, observer);
        }
        self.prove_within(u64::MAX, meter, observer)
    }

    fn watch(&mut self, told: bool) {
        self.told = told;
    }

    fn window(&self) -> Window {
        self.window_of(ROOT)
    }

    fn moves(&self) -> Vec<(G::Move, Window)> {
        // While nested searches are under way, the children's numbers are not those that the root was told.
        let children = self.tree.node(ROOT).children();
        children.map(|child| (self.tree.mv(child), self.window_of(child))).collect()
    }

    fn line(&self) -> Vec<G::Move> {
        let mut line = Vec::new();
        let mut id = ROOT;
        // Children that still wait for their first numbers do not bear out those of their parent.
        let unfinished = self.path.last().filter(|_| !self.waiting.is_empty()).map(|step| step.node);
        while !self.tree.node(id).is_leaf() && Some(id) != unfinished {
            let Some(child) = self.best_child(id) else { break };
            line.push(self.tree.mv(child));
            id = child;
        }
        line
    }

    fn nodes(&self) -> u64 {
        self.nodes + self.nested.as_ref().map_or(0, |n| n.nodes)
    }

    fn expansions(&self) -> u64 {
        self.expansions
    }

    fn tally(&self) -> Tally {
        self.tally
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        self.save_to(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        self.restore_from(self.path[0].state, from)
    }

    fn bytes(&self) -> usize {
        self.tree.bytes() + self.nested.as_ref().map_or(0, |n| n.tree.bytes())
    }
}
