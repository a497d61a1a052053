//! Best-first proof-number search on a directed acyclic graph: equal positions are one node.
//!
//! A node may have several parents, and only those on the current path hear of its new numbers. The others find out
//! when the search comes to them: every node is recomputed before the search goes below it, and if that changes its
//! numbers the search first goes back up. So each step either corrects a number or expands a leaf, and all numbers on
//! the path of an expansion are right.
//!
//! A sum over successors counts a shared leaf once per way to it (the *double count*), so effort can look far greater
//! than it is. `sum=weak` replaces the sum by the greatest summand and one for each other open successor: never too
//! large. Irrelevant nodes are not freed here: another parent may need them. Keys are exact.
//!
//! **Several threads** have a path each on the same graph. A thread walks to the most proving leaf, goes back a few
//! steps and takes what lies below as its *piece*: there it searches as one thread would, until the goal is settled or
//! it has made some nodes. Every node counts the paths to pieces that go through it, and who chooses a successor adds a
//! quarter of its effort for each: a virtual number that goes away with the path. So threads part as far up as another
//! successor is about as good, and what they write lies in their own caches.
//!
//! Pieces may overlap, so everything is safe whoever comes when. A leaf is expanded by who claims it first; whoever
//! comes second waits a moment. Numbers follow from those of the successors. One that was computed from successors
//! which have changed meanwhile is corrected by who comes next, as above. What is settled follows from what is settled,
//! and is never written again: so what is proved is right.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use perfectplay_core::{FullGame, Meter, Observer, Plain, Player, Progress, Status, Stop, ZeroSum, side_by_side};

use crate::proof_number::effort_numbers::{Goals, Many, Pair, PairAt, Window, least_effort, own_effort};
use crate::proof_number::goals::{Aim, Outcomes, settle};
use crate::proof_number::node_word::{self, Leaf, MOST_PATHS, Node};
use crate::proof_number::tree_search::{self, Leaves, Options, Prover, Tally};
use crate::support::apart::Apart;
use crate::support::cells::{Cell, Cells, put_words, take_words, words};
use crate::support::pages::LARGE;
use crate::support::prefetch::prefetch;
use crate::support::saved::{Reader, SaveError, Writer, require_stable_keys};
use crate::support::shared_map::SharedMap;

/// How the side that must refute all successors counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// The sum.
    Plain,
    /// The greatest one, plus one for each other.
    Weak,
}

/// The search on a graph. The game must not be over at `root`.
pub(crate) fn on_graph<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    outcomes: Arc<Outcomes>,
    aim: Aim,
    options: Options,
    sum: Sum,
) -> Box<dyn Prover<G>> {
    let goals = Many(aim.count(&outcomes)); // one instance, not one for each number of goals
    Box::new(OnGraph::new(game, root, outcomes, aim, options, sum, goals))
}

type Id = u32;

#[derive(Clone, Copy)]
struct Step<S> {
    node: Id,
    state: S,
}

/// What all threads see.
struct Graph<G: FullGame<Payoff = ZeroSum>, W: Goals> {
    game: Arc<G>,
    outcomes: Arc<Outcomes>,
    aim: Aim,
    goals: W,
    sum: Sum,
    ids: SharedMap<G::Key, Id>,
    /// Each with its numbers behind it.
    nodes: Cells<AtomicU64>,
    /// Moves and successors.
    edges: Cells<AtomicU32>,
    root: Id,
    root_state: G::State,
}

/// Places for nodes and edges that are not in use.
#[derive(Clone, Debug, Default)]
struct Places {
    nodes: Range<Id>,
    edges: Range<u32>,
}

/// Such places in pieces.
#[derive(Debug, Default)]
struct Left {
    nodes: Vec<Range<Id>>,
    edges: Vec<Range<u32>>,
}

/// A path from the root and what goes on at its end, on cache lines of its own.
#[repr(align(128))]
struct Walker<G: FullGame<Payoff = ZeroSum>> {
    path: Vec<Step<G::State>>,
    goal: usize,
    leaves: Leaves<G::Move>,
    moves: Vec<G::Move>,
    /// The successors of the node that is being expanded, and their keys.
    successors: Vec<(G::State, G::Key)>,
    fresh: Vec<Pair>,
    places: Places,
    tally: Tally,
    expansions: u64,
    /// Nodes that the map of keys was not told of.
    created: usize,
    /// With several threads: steps of the path that its nodes count, steps to the top of the piece and with it (0 on
    /// the way to one), and nodes that may still be made there.
    counted: usize,
    piece: usize,
    nodes_left: u64,
}

/// The search.
pub(crate) struct OnGraph<G: FullGame<Payoff = ZeroSum>, W: Goals> {
    graph: Graph<G, W>,
    options: Options,
    /// Of one thread. Its places are all that were never used, as far as the system has given any.
    walker: Walker<G>,
    /// Places that came back from threads.
    left: Left,
    most_bytes: usize,
    until_report: u64,
}

/// The most nodes and edges that have numbers.
const MOST: usize = u32::MAX as usize;
/// For so many there is room at first.
const FEW: usize = 64;

impl<G: FullGame<Payoff = ZeroSum>, W: Goals> Graph<G, W> {
    /// Words of an edge: where it leads, and the move.
    const WORDS: usize = 1 + words::<G::Move>(0);

    /// A node and its numbers.
    #[inline]
    fn record(&self, id: Id) -> &[AtomicU64] {
        let size = 1 + self.goals.count();
        &self.nodes[id as usize * size..][..size]
    }

    #[inline]
    fn node(&self, id: Id) -> Node {
        node_word::look(&self.record(id)[0])
    }

    #[inline]
    fn numbers_of(&self, id: Id) -> &[AtomicU64] {
        &self.record(id)[1..]
    }

    #[inline]
    fn successor(&self, edge: u32) -> Id {
        self.edges[edge as usize * Self::WORDS].get()
    }

    #[inline]
    fn mv(&self, edge: u32) -> G::Move {
        take_words(&self.edges[edge as usize * Self::WORDS..][1..Self::WORDS], 0)
    }

    fn put_edge(&self, edge: u32, mv: G::Move, to: Id) {
        let words = &self.edges[edge as usize * Self::WORDS..][..Self::WORDS];
        words[0].set(to);
        put_words(&words[1..], 0, 0, mv);
    }

    /// The successors of a node, with their edges.
    fn successors(&self, node: Node) -> impl Iterator<Item = (u32, Id)> + '_ {
        edges_of(node).map(|edge| (edge, self.successor(edge)))
    }

    fn done(&self) -> bool {
        Window::of(self.numbers_of(self.root)).closed()
    }

    fn attracting_goal(&self, options: Options) -> usize {
        let pairs = self.numbers_of(self.root);
        tree_search::attracting_goal(pairs, Window::of(pairs), self.node(self.root).for_max(), options.ties)
    }

    #[inline]
    fn combine(&self, node: Node, goal: usize) -> Pair {
        debug_assert!(node.count() > 0, "without successors everything would seem settled");
        let pairs = self.successors(node).map(|(_, to)| self.numbers_of(to)[goal].pair());
        match self.sum {
            Sum::Plain => Pair::of_successors(node.for_max(), pairs),
            Sum::Weak => Pair::of_successors_weak(node.for_max(), pairs),
        }
    }

    /// The numbers of a node from those of its successors, while others may change them; whether they changed. Those of
    /// a leaf stay: the root is one until the thread that has claimed it is done.
    fn recompute_together(&self, id: Id) -> bool {
        let node = self.node(id);
        if node.count() == 0 {
            return false;
        }
        let mut changed = false;
        for (goal, cell) in self.numbers_of(id).iter().enumerate() {
            let is_final = |bits| Pair::from_bits(bits).closed();
            changed |= node_word::follow(cell, is_final, || self.combine(node, goal).bits());
        }
        changed
    }

    /// Puts a position into the first free place for nodes.
    fn put_node(&self, id: Id, state: &G::State, walker: &mut Walker<G>) {
        let status = self.game.status(state);
        let for_max = status.mover() == Some(Player::FIRST);
        self.record(id)[0].set(Node::leaf(for_max).bits());
        match status {
            Status::Over(payoff) => settle(self.aim.rank(self.outcomes.rank(payoff)), &mut walker.fresh),
            Status::Turn(_) => walker.leaves.number(&*self.game, state, for_max, &mut walker.fresh),
        }
        self.numbers_of(id).iter().zip(&walker.fresh).for_each(|(cell, pair)| cell.set(pair.bits()));
    }

    /// The node of a position, new if it was never reached before, and whether it is.
    fn reach(&self, state: &G::State, key: G::Key, walker: &mut Walker<G>) -> (Id, bool) {
        if let Some(&id) = self.ids.get(key) {
            return (id, false);
        }
        let id = walker.places.nodes.start;
        self.put_node(id, state, walker);
        if self.ids.insert(key, id) {
            walker.places.nodes.start += 1;
            return (id, true);
        }
        // Another thread was faster.
        (*self.ids.get(key).expect("it was there already"), false)
    }

    /// Gives the last node of the path its successors, new or known; tells how many are new. `moves` are its moves, and
    /// there is room.
    fn expand(&self, walker: &mut Walker<G>) -> u64 {
        let Step { node, state } = *walker.path.last().expect("the path begins at the root");
        let first = walker.places.edges.start;
        let mut successors = std::mem::take(&mut walker.successors);
        successors.extend(walker.moves.iter().map(|&mv| {
            let successor = self.game.after(&state, mv);
            let key = self.game.key(&successor);
            self.ids.prefetch(key);
            (successor, key)
        }));
        // All of them are on their way from memory before the first one is looked up.
        let mut created = 0;
        for (i, (successor, key)) in successors.drain(..).enumerate() {
            let (to, new) = self.reach(&successor, key, walker);
            prefetch(&raw const self.nodes[to as usize * (1 + self.goals.count())]);
            created += u64::from(new);
            self.put_edge(first + i as u32, walker.moves[i], to);
        }
        walker.successors = successors;
        walker.places.edges.start += walker.moves.len() as u32;
        walker.expansions += 1;
        node_word::open(&self.record(node)[0], first, walker.moves.len() as u16);
        created
    }

    fn principal(&self, id: Id, rank: u16) -> Option<(u32, Id)> {
        let node = self.node(id);
        self.successors(node).find(|&(_, to)| {
            let window = Window::of(self.numbers_of(to));
            if node.for_max() { window.pessimistic >= rank } else { window.optimistic <= rank }
        })
    }

    /// The edge to play: one that keeps what is proved for the mover, or else the one of least effort, if there is one.
    fn best(&self, id: Id, goal: usize) -> Option<(u32, Id)> {
        let own = Window::of(self.numbers_of(id));
        let node = self.node(id);
        let sure = if node.for_max() { own.pessimistic } else { own.optimistic };
        let nothing = if node.for_max() { 0 } else { self.goals.count() as u16 };
        if own.closed() || sure != nothing {
            return self.principal(id, sure);
        }
        least_effort(self.successors(node).map(|edge| (edge, effort(node, self.numbers_of(edge.1)[goal].pair()))))
    }

    fn window_of(&self, id: Id) -> Window {
        self.aim.window(Window::of(self.numbers_of(id)), &self.outcomes)
    }
}

/// The edges of a node.
#[inline]
fn edges_of(node: Node) -> Range<u32> {
    node.first()..node.first() + u32::from(node.count())
}

/// What the mover would have to do.
#[inline]
fn effort(node: Node, pair: Pair) -> u32 {
    own_effort(node.for_max(), pair)
}

impl<G: FullGame<Payoff = ZeroSum>> Walker<G> {
    fn new(aim: Aim, outcomes: &Outcomes, options: Options, goals: usize) -> Self {
        Walker {
            path: Vec::new(),
            goal: 0,
            leaves: Leaves::new(aim, outcomes, options),
            moves: Vec::new(),
            successors: Vec::new(),
            fresh: vec![Pair::UNIT; goals],
            places: Places::default(),
            tally: Tally::default(),
            expansions: 0,
            created: 0,
            counted: 0,
            piece: 0,
            nodes_left: 0,
        }
    }

    fn last(&self) -> Step<G::State> {
        *self.path.last().expect("the path begins at the root")
    }

    /// Lists the moves of the last node on the path.
    fn list_moves(&mut self, game: &G) {
        let state = self.last().state;
        self.moves.clear();
        game.expand(&state, &mut self.moves);
    }
}

impl<G: FullGame<Payoff = ZeroSum>, W: Goals> OnGraph<G, W> {
    /// Prepares the search. The game must not be over at `root`.
    pub(crate) fn new(
        game: Arc<G>,
        root: G::State,
        outcomes: Arc<Outcomes>,
        aim: Aim,
        options: Options,
        sum: Sum,
        goals: W,
    ) -> Self {
        let mut walker = Walker::new(aim, &outcomes, options, goals.count());
        walker.places = Places { nodes: 0..FEW as Id, edges: 0..FEW as u32 };
        let graph = Graph {
            game,
            outcomes,
            aim,
            goals,
            sum,
            ids: SharedMap::new(),
            nodes: Cells::new(FEW * (1 + goals.count())),
            edges: Cells::new(FEW * Graph::<G, W>::WORDS),
            root: 0,
            root_state: root,
        };
        let mut search =
            OnGraph { graph, options, walker, left: Left::default(), most_bytes: usize::MAX, until_report: 0 };
        search.begin(&root);
        search
    }

    /// Begins at a position, new or known.
    fn begin(&mut self, root: &G::State) {
        if self.make_room(1, usize::MAX, 1).is_none() {
            return; // the system has no memory: it will soon be noticed
        }
        let (id, new) = self.graph.reach(root, self.graph.game.key(root), &mut self.walker);
        self.graph.ids.added(usize::from(new));
        (self.graph.root, self.graph.root_state) = (id, *root);
        self.walker.path.clear();
        self.walker.path.push(Step { node: id, state: *root });
        self.walker.goal = self.graph.attracting_goal(self.options);
    }

    fn bytes_with(&self, nodes: usize, edges: usize) -> usize {
        Cells::<AtomicU64>::bytes(nodes * (1 + self.graph.goals.count()))
            + Cells::<AtomicU32>::bytes(edges * Graph::<G, W>::WORDS)
    }

    fn used(&self) -> (usize, usize) {
        (self.walker.places.nodes.start as usize, self.walker.places.edges.start as usize)
    }

    /// Makes room for so many successors, if that stays within `limit` bytes; with so many threads.
    fn make_room(&mut self, successors: usize, limit: usize, threads: usize) -> Option<()> {
        let (nodes, edges) = self.used();
        let (nodes, edges) = (nodes + successors, edges + successors);
        let held = self.bytes_with(nodes, edges);
        while self.graph.ids.is_crowded(successors) {
            let grown = self.graph.ids.bytes_to_grow();
            (grown.saturating_add(held) <= limit && self.graph.ids.grow(threads)).then_some(())?;
        }
        (self.graph.ids.bytes() + held <= limit).then_some(())?;
        let places = &self.walker.places;
        if nodes > places.nodes.end as usize || edges > places.edges.end as usize {
            self.grow(nodes, edges).then_some(())?;
        }
        Some(())
    }

    /// Has the system provide places for so many in all, and for half as many again.
    #[cold]
    fn grow(&mut self, nodes: usize, edges: usize) -> bool {
        if nodes > MOST || edges > MOST {
            return false;
        }
        let (used_nodes, used_edges) = self.used();
        let [nodes, edges] = [nodes, edges].map(|needed| (needed + needed / 2).min(MOST));
        let (size, words) = (1 + self.graph.goals.count(), Graph::<G, W>::WORDS);
        let graph = &mut self.graph;
        let fits = graph.nodes.reserve(nodes * size, used_nodes * size, MOST * size)
            && graph.edges.reserve(edges * words, used_edges * words, MOST * words);
        if fits {
            (self.walker.places.nodes.end, self.walker.places.edges.end) = (nodes as Id, edges as u32);
        }
        fits
    }

    /// The numbers of a node from those of its successors; whether they changed.
    fn recompute(&mut self, id: Id) -> bool {
        let node = self.graph.node(id);
        let mut changed = false;
        for goal in 0..self.graph.goals.count() {
            self.walker.fresh[goal] = self.graph.combine(node, goal);
        }
        for (cell, fresh) in self.graph.numbers_of(id).iter().zip(&self.walker.fresh) {
            changed |= cell.pair() != *fresh;
            cell.set(fresh.bits());
        }
        changed
    }

    fn most_proving(&self, id: Id) -> (u32, Id) {
        let (node, goal) = (self.graph.node(id), self.walker.goal);
        let least = effort(node, self.graph.numbers_of(id)[goal].pair());
        let found =
            self.graph.successors(node).find(|&(_, to)| effort(node, self.graph.numbers_of(to)[goal].pair()) == least);
        found.expect("the least effort is some successor's")
    }

    /// Goes on with one thread until the root is solved, the budget used up, or so many nodes are expanded.
    fn prove_alone(&mut self, expansions: u64, meter: &mut Meter, observer: &mut dyn Observer) -> Option<Stop> {
        while !self.graph.done() && self.walker.expansions < expansions {
            let id = self.walker.last().node;
            let mut created = 0;
            if self.graph.node(id).count() == 0 {
                self.walker.list_moves(&self.graph.game);
                let fits = self.walker.moves.len() <= usize::from(u16::MAX);
                let memory = meter.memory().min(self.most_bytes);
                if !fits || self.make_room(self.walker.moves.len(), memory, 1).is_none() {
                    return Some(Stop::Memory);
                }
                created = self.graph.expand(&mut self.walker);
                self.graph.ids.added(created as usize);
            }
            if self.recompute(id) {
                // The parent must hear of it, or the root choose anew.
                if self.walker.path.len() > 1 {
                    self.walker.path.pop();
                }
                if self.walker.path.len() == 1 {
                    self.recompute(self.graph.root);
                    self.walker.goal = self.graph.attracting_goal(self.options);
                }
            } else {
                let (edge, to) = self.most_proving(id);
                let state = self.graph.game.after(&self.walker.last().state, self.graph.mv(edge));
                self.walker.path.push(Step { node: to, state });
            }
            if let Some(stop) = meter.spend(created, self.bytes()) {
                return (!self.graph.done()).then_some(stop);
            }
            self.until_report += created;
            if self.until_report >= REPORT_EVERY {
                self.until_report = 0;
                let depth = Some(self.walker.path.len() as u32);
                let progress = Progress { nodes: self.nodes(), bytes: self.bytes(), share: None, depth };
                if observer.progress(&progress).is_break() {
                    return Some(Stop::Cancelled);
                }
            }
        }
        None
    }

    fn prove_together(&mut self, threads: usize, meter: &mut Meter, observer: &mut dyn Observer) -> Option<Stop> {
        while !self.graph.done() {
            self.make_room_for_all(threads, meter);
            match self.round(threads, meter, observer) {
                Some(Halt::Stop(stop)) => return (!self.graph.done()).then_some(stop),
                None => {}
                // One thread finds out whether there is really none.
                Some(Halt::NoRoom) => {
                    self.make_room_for_all(threads, meter);
                    if let Some(stop) = self.prove_alone(self.walker.expansions + 1, meter, observer) {
                        return Some(stop);
                    }
                }
            }
        }
        None
    }

    /// So that all have enough to do, if there is memory for it.
    fn make_room_for_all(&mut self, threads: usize, meter: &Meter) {
        let _ = self.make_room(threads * LEAST_PLACES, meter.memory().min(self.most_bytes), threads);
    }

    /// What threads may use: places until the map of keys must grow, within the memory.
    fn stock(&mut self, threads: usize, memory: usize) -> Stock {
        let (nodes, edges) = self.used();
        let left: usize = self.left.nodes.iter().map(Range::len).sum();
        let more = self.graph.ids.room().saturating_sub(left).min(nodes / 2 + threads * LEAST_PLACES);
        let memory = memory.min(self.most_bytes);
        if self.graph.ids.bytes_to_grow().saturating_add(2 * self.bytes_with(nodes, edges)) <= memory {
            self.graph.ids.prepare_to_grow();
        }
        let memory = memory.saturating_sub(self.graph.ids.bytes());
        let places = &self.walker.places;
        let wanted = (nodes + more, edges + 4 * more);
        if wanted.0 > places.nodes.end as usize || wanted.1 > places.edges.end as usize {
            self.grow(wanted.0, wanted.1);
        }
        let places = &self.walker.places;
        let end = |range: &Range<u32>, more: usize| range.start + (range.len().min(more)) as u32;
        let (mut node_end, mut edge_end) = (end(&places.nodes, more), end(&places.edges, 16 * more));
        // Close to the limit: as many edges as nodes, or half as many nodes, until it fits.
        while self.bytes_with(node_end as usize, edge_end as usize) > memory && edge_end > places.edges.start {
            node_end = places.nodes.start + (node_end - places.nodes.start) / 2;
            edge_end = places.edges.start + (edge_end - places.edges.start) / 2;
        }
        let places = &self.walker.places;
        let fresh = Places { nodes: places.nodes.start..node_end, edges: places.edges.start..edge_end };
        Stock { fresh, left: std::mem::take(&mut self.left), halt: None }
    }

    /// All walk until something ends it.
    fn round(&mut self, threads: usize, meter: &mut Meter, observer: &mut dyn Observer) -> Option<Halt> {
        let threads = threads.min(MOST_PATHS);
        let stock = self.stock(threads, meter.memory());
        let before = self.bytes();
        let graph = &self.graph;
        let walker = || Walker::new(graph.aim, &graph.outcomes, self.options, graph.goals.count());
        let mut walkers: Vec<Walker<G>> = (0..threads).map(|_| walker()).collect();
        let round = Round {
            graph,
            options: self.options,
            nodes_before: graph.ids.len() as u64,
            nodes: meter.nodes_left(),
            threads: threads as u64,
            spent: Apart(AtomicU64::new(0)),
            halted: AtomicBool::new(false),
            stock: Mutex::new(stock),
        };
        let mut report_at = REPORT_EVERY;
        let mut pulse = |spent: u64| {
            if spent < report_at {
                return true;
            }
            report_at = spent + REPORT_EVERY;
            let progress = Progress { nodes: graph.ids.len() as u64 + spent, bytes: before, share: None, depth: None };
            observer.progress(&progress).is_continue()
        };
        let (own, others) = walkers.split_first_mut().expect("one thread at least");
        let clock = meter.clone();
        let others = others.iter_mut().map(|walker| || walker.walk_together(&round, &clock, &mut |_| true));
        side_by_side(others, || own.walk_together(&round, meter, &mut pulse));
        let spent = round.spent.0.into_inner();
        let Stock { fresh, left, halt } = round.stock.into_inner().expect("nobody panics here");
        self.left = left;
        self.walker.places.nodes.start = fresh.nodes.start;
        self.walker.places.edges.start = fresh.edges.start;
        for walker in walkers {
            self.graph.ids.added(walker.created);
            self.walker.expansions += walker.expansions;
            self.walker.tally += walker.tally;
            self.left.nodes.push(walker.places.nodes);
            self.left.edges.push(walker.places.edges);
        }
        self.left.nodes.retain(|places| !places.is_empty());
        self.left.edges.retain(|places| !places.is_empty());
        self.walker.path.truncate(1);
        self.walker.goal = self.graph.attracting_goal(self.options);
        let stop = meter.spend(spent, self.bytes());
        halt.or(stop.map(Halt::Stop))
    }
}

/// Why all threads end their round.
#[derive(Clone, Copy, Debug)]
enum Halt {
    Stop(Stop),
    NoRoom,
}

/// Places that threads take from, and why they end.
struct Stock {
    fresh: Places,
    left: Left,
    halt: Option<Halt>,
}

/// What all threads are told.
struct Round<'a, G: FullGame<Payoff = ZeroSum>, W: Goals> {
    graph: &'a Graph<G, W>,
    options: Options,
    nodes_before: u64,
    nodes: u64,
    threads: u64,
    spent: Apart<AtomicU64>,
    halted: AtomicBool,
    stock: Mutex<Stock>,
}

/// Places for nodes or edges that a thread takes at a time. If there are many it takes a large page: the system
/// provides it to one thread, and not to several at once.
const LEAST_PLACES: usize = 1 << 6;
/// The most nodes that a thread makes in a piece.
const MOST_NODES: u64 = 1 << 11;
/// They are one of so many parts of all nodes at most: small graphs are searched in small pieces.
const PART: u64 = 16;
/// Steps between two looks at the clock, and nodes that a thread makes before it tells.
const LOOK_EVERY: u32 = 256;
const TELL_AT: u64 = 64;

impl<G: FullGame<Payoff = ZeroSum>, W: Goals> Round<'_, G, W> {
    /// Nodes that may still be made.
    fn nodes_left(&self) -> u64 {
        self.nodes.saturating_sub(self.spent.0.load(Ordering::Relaxed))
    }

    fn halt(&self, halt: Halt) {
        self.stock.lock().expect("nobody panics here").halt.get_or_insert(halt);
        self.halted.store(true, Ordering::Relaxed);
    }

    /// Makes sure that there are places for so many successors.
    fn provide(&self, places: &mut Places, successors: usize) -> bool {
        if places.nodes.len() >= successors && places.edges.len() >= successors {
            return true;
        }
        let mut stock = self.stock.lock().expect("nobody panics here");
        let Stock { fresh, left, .. } = &mut *stock;
        let refill = |own: &mut Range<u32>, left: &mut Vec<Range<u32>>, fresh: &mut Range<u32>, most: usize| {
            if own.len() >= successors {
                return true;
            }
            if let Some(i) = left.iter().position(|places| places.len() >= successors) {
                std::mem::swap(own, &mut left[i]);
                return true;
            }
            let share = (fresh.len() / (2 * self.threads as usize)).min(most).max(LEAST_PLACES.max(successors));
            let end = fresh.start + share.min(fresh.len()) as u32;
            // What is left of one's own is lost, unless the new places come right behind it.
            *own = if own.end == fresh.start { own.start..end } else { fresh.start..end };
            fresh.start = end;
            own.len() >= successors
        };
        let (node, edge) = (size_of_val(self.graph.record(0)), 4 * Graph::<G, W>::WORDS);
        refill(&mut places.nodes, &mut left.nodes, &mut fresh.nodes, LARGE / node)
            && refill(&mut places.edges, &mut left.edges, &mut fresh.edges, LARGE / edge)
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Walker<G> {
    /// Searches one piece after the other until the round ends. `pulse` hears what all have spent, and says whether to
    /// go on.
    fn walk_together<W: Goals>(&mut self, round: &Round<'_, G, W>, clock: &Meter, pulse: &mut dyn FnMut(u64) -> bool) {
        let graph = round.graph;
        self.path.push(Step { node: graph.root, state: graph.root_state });
        self.count_path(graph, 1);
        let (mut steps, mut untold) = (0, 0);
        while !round.halted.load(Ordering::Relaxed) {
            let created = self.step_together(round).unwrap_or_else(|halt| {
                round.halt(halt);
                0
            });
            untold += created;
            steps += 1;
            let look = steps % LOOK_EVERY == 0;
            if look || created > 0 && untold >= (round.nodes_left() / (2 * round.threads)).clamp(1, TELL_AT) {
                let spent = round.spent.0.fetch_add(untold, Ordering::Relaxed) + untold;
                untold = 0;
                graph.ids.look_ahead((round.nodes_before + spent) as usize);
                if spent >= round.nodes {
                    round.halt(Halt::Stop(Stop::Nodes));
                }
                if !pulse(spent) {
                    round.halt(Halt::Stop(Stop::Cancelled));
                }
            }
            if look && let Some(stop) = clock.look() {
                round.halt(Halt::Stop(stop));
            }
        }
        round.spent.0.fetch_add(untold, Ordering::Relaxed);
        self.count_path(graph, 0);
    }

    /// So many steps of the path are counted by its nodes from now on.
    fn count_path<W: Goals>(&mut self, graph: &Graph<G, W>, steps: usize) {
        for step in self.path.iter().take(steps).skip(self.counted) {
            node_word::enter(&graph.record(step.node)[0]);
        }
        for step in self.path.iter().take(self.counted).skip(steps) {
            node_word::leave(&graph.record(step.node)[0]);
        }
        self.counted = steps;
    }

    /// The path ends after so many steps, one at least.
    fn go_back<W: Goals>(&mut self, graph: &Graph<G, W>, steps: usize) {
        let steps = steps.max(1);
        self.count_path(graph, self.counted.min(steps));
        self.path.truncate(steps);
    }

    /// At the most proving leaf: a piece around it begins where no other thread has one.
    fn begin_piece<W: Goals>(&mut self, round: &Round<'_, G, W>) {
        let all = round.nodes_before + round.spent.0.load(Ordering::Relaxed);
        self.nodes_left = (all / (PART * round.threads)).clamp(1, MOST_NODES);
        let last = self.path.len() - 1;
        let back = self.nodes_left.ilog2() as usize / 2;
        let others = |i: usize| round.graph.node(self.path[i].node).paths() > u32::from(i < self.counted);
        let top = (last.saturating_sub(back)..last).find(|&i| !others(i)).unwrap_or(last);
        self.piece = top + 1;
        self.count_path(round.graph, self.piece);
        self.tally.claims += 1;
    }

    /// Back to above the piece, which must hear of its numbers.
    fn end_piece<W: Goals>(&mut self, graph: &Graph<G, W>) {
        let top = std::mem::take(&mut self.piece) - 1;
        self.go_back(graph, top);
    }

    /// Leaves the last node of the path, whose numbers have changed; at the top of the piece goes on there if its goal
    /// is open.
    fn step_back<W: Goals>(&mut self, graph: &Graph<G, W>) {
        let last = self.path.len();
        if self.piece < last {
            self.go_back(graph, last - 1);
        } else if graph.numbers_of(self.last().node)[self.goal].pair().closed() {
            self.end_piece(graph);
        }
    }

    /// One step: a leaf is expanded, a number corrected, or the path goes on; how many nodes are new.
    fn step_together<W: Goals>(&mut self, round: &Round<'_, G, W>) -> Result<u64, Halt> {
        let graph = round.graph;
        let Step { node: id, state } = self.last();
        if self.path.len() == 1 {
            graph.recompute_together(id);
            if graph.done() {
                return Err(Halt::Stop(Stop::Done));
            }
            self.goal = graph.attracting_goal(round.options);
        }
        let node = graph.node(id);
        if node.count() == 0 && !graph.numbers_of(id)[self.goal].pair().closed() {
            return self.expand_together(round);
        }
        // Others may have settled it.
        let changed = graph.recompute_together(id);
        self.tally.written += u64::from(changed);
        if changed || graph.numbers_of(id)[self.goal].pair().closed() {
            self.step_back(graph);
            return Ok(0);
        }
        if self.piece > 0 && self.nodes_left == 0 {
            self.end_piece(graph);
            return Ok(0);
        }
        let virtual_effort = |to: Id| {
            let pair = graph.numbers_of(to)[self.goal].pair();
            let effort = u64::from(effort(node, pair));
            (!pair.closed()).then(|| effort + (effort / 4 + 1) * u64::from(graph.node(to).paths()))
        };
        let open = graph.successors(node).filter_map(|(edge, to)| virtual_effort(to).map(|effort| (effort, edge, to)));
        // The first one among equals; if all have been settled meanwhile, the node will be recomputed.
        if let Some((_, edge, to)) = open.min_by_key(|&(effort, ..)| effort) {
            self.path.push(Step { node: to, state: graph.game.after(&state, graph.mv(edge)) });
        }
        Ok(0)
    }

    /// Expands the leaf at the end of the path, if nobody else does; how many nodes are new.
    fn expand_together<W: Goals>(&mut self, round: &Round<'_, G, W>) -> Result<u64, Halt> {
        let graph = round.graph;
        let cell = &graph.record(self.last().node)[0];
        if self.piece == 0 {
            self.begin_piece(round);
        }
        match node_word::claim(cell) {
            Leaf::Ours => {}
            Leaf::Opened => return Ok(0),
            Leaf::Claimed => {
                self.tally.met += 1;
                thread::yield_now();
                return Ok(0);
            }
        }
        self.list_moves(&graph.game);
        let fits = self.moves.len() <= usize::from(u16::MAX);
        if !fits || !round.provide(&mut self.places, self.moves.len()) {
            node_word::withdraw(cell);
            return Err(Halt::NoRoom);
        }
        let created = graph.expand(self);
        self.created += created as usize;
        self.nodes_left = self.nodes_left.saturating_sub(created.max(1));
        Ok(created)
    }
}

/// Nodes between two reports.
const REPORT_EVERY: u64 = 1 << 15;

impl<G: FullGame<Payoff = ZeroSum>, W: Goals> Prover<G> for OnGraph<G, W> {
    fn prove(&mut self, threads: usize, meter: &mut Meter, observer: &mut dyn Observer) -> Option<Stop> {
        if threads > 1 {
            return self.prove_together(threads, meter, observer);
        }
        self.prove_alone(u64::MAX, meter, observer)
    }

    fn window(&self) -> Window {
        self.graph.window_of(self.graph.root)
    }

    fn moves(&self) -> Vec<(G::Move, Window)> {
        let graph = &self.graph;
        let root = graph.node(graph.root);
        graph.successors(root).map(|(edge, to)| (graph.mv(edge), graph.window_of(to))).collect()
    }

    fn line(&self) -> Vec<G::Move> {
        let mut line = Vec::new();
        let mut id = self.graph.root;
        while let Some((edge, to)) = self.graph.best(id, self.walker.goal) {
            line.push(self.graph.mv(edge));
            id = to;
        }
        line
    }

    fn nodes(&self) -> u64 {
        self.graph.ids.len() as u64
    }

    fn expansions(&self) -> u64 {
        self.walker.expansions
    }

    fn tally(&self) -> Tally {
        self.walker.tally
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        let graph = &self.graph;
        require_stable_keys(&*graph.game)?;
        to.put([self.walker.goal as u64, self.walker.expansions, self.until_report])?;
        // Places that nobody uses are written, too: they are leaves to which nothing leads.
        let (nodes, edges) = self.used();
        to.put_len(nodes)?;
        for id in 0..nodes as Id {
            let node = graph.node(id);
            to.put((node.first(), (node.count(), node.for_max())))?;
            graph.numbers_of(id).iter().try_for_each(|cell| to.put(cell.pair()))?;
        }
        let mut written = vec![false; edges];
        let all = (0..nodes as Id).flat_map(|id| edges_of(graph.node(id)));
        all.for_each(|edge| written[edge as usize] = true);
        let any = written.iter().position(|&written| written).map(|edge| graph.mv(edge as u32));
        to.put_len(if any.is_some() { edges } else { 0 })?;
        for (edge, any) in (0..edges as u32).zip(any.into_iter().cycle()) {
            let written = written[edge as usize];
            to.put(if written { graph.mv(edge) } else { any })?;
            to.put(if written { graph.successor(edge) } else { 0 })?;
        }
        to.put_len(graph.ids.len())?;
        for (key, id) in graph.ids.iter() {
            to.put(key)?;
            to.put(*id)?;
        }
        to.put_len(self.walker.path.len())?;
        Ok(self.walker.path.iter().try_for_each(|step| to.put(step.node))?)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        require_stable_keys(&*self.graph.game)?;
        let goal;
        [goal, self.walker.expansions, self.until_report] = from.get()?;
        self.walker.goal = goal as usize;
        let goals = self.graph.goals.count();
        let nodes = from.get_len(7 + 8 * goals)?;
        self.walker.places.nodes.start = 0; // nothing of what was there counts
        self.walker.places.edges.start = 0;
        self.left = Left::default();
        if !self.grow(nodes, 0) {
            return Err(SaveError::no_memory());
        }
        self.walker.places.nodes.start = nodes as Id;
        for id in 0..nodes as Id {
            let (first, (count, for_max)): (u32, (u16, bool)) = from.get()?;
            self.graph.record(id)[0].set(Node::leaf(for_max).with_edges(first, count).bits());
            for cell in self.graph.numbers_of(id) {
                cell.set(from.get::<Pair>()?.bits());
            }
        }
        let edges = from.get_len(G::Move::SIZE + 4)?;
        if !self.grow(nodes, edges) {
            return Err(SaveError::no_memory());
        }
        self.walker.places.edges.start = edges as u32;
        for edge in 0..edges as u32 {
            let mv = from.get()?;
            self.graph.put_edge(edge, mv, from.get()?);
        }
        let keys = from.get_len(G::Key::SIZE + 4)?;
        self.graph.ids = SharedMap::with_room(keys).ok_or_else(SaveError::no_memory)?;
        let mut fits = keys <= nodes;
        for _ in 0..keys {
            let (key, id) = (from.get()?, from.get()?);
            fits &= (id as usize) < nodes;
            self.graph.ids.added(usize::from(self.graph.ids.insert(key, id)));
        }
        let graph = &self.graph;
        let inside = |id: Id| graph.node(id).first() as usize + usize::from(graph.node(id).count()) <= edges;
        fits &= (0..nodes as Id).all(inside) && (0..edges as u32).all(|edge| (graph.successor(edge) as usize) < nodes);
        if !fits || self.walker.goal >= goals {
            return Err(SaveError::Damaged("nodes and edges that do not belong together"));
        }
        let path: Vec<Id> = from.get_all()?;
        let root = path.first().copied().filter(|&root| (root as usize) < nodes);
        self.graph.root = root.ok_or(SaveError::Damaged("no line"))?;
        self.walker.path.clear();
        self.walker.path.push(Step { node: self.graph.root, state: self.graph.root_state });
        for &node in path.iter().skip(1) {
            let last = self.walker.last();
            let leads = |&(_, to): &(u32, Id)| to == node;
            let Some((edge, _)) = self.graph.successors(self.graph.node(last.node)).find(leads) else {
                return Err(SaveError::Damaged("a line that leads nowhere"));
            };
            let state = self.graph.game.after(&last.state, self.graph.mv(edge));
            self.walker.path.push(Step { node, state });
        }
        Ok(())
    }

    fn reroot(&mut self, root: &G::State) -> bool {
        self.begin(root);
        true
    }

    fn limit(&mut self, bytes: usize) {
        self.most_bytes = bytes;
    }

    fn known(&self, state: &G::State) -> Option<Window> {
        self.graph.ids.get(self.graph.game.key(state)).map(|&id| self.graph.window_of(id))
    }

    fn bytes(&self) -> usize {
        let (nodes, edges) = self.used();
        self.graph.ids.bytes() + self.bytes_with(nodes, edges)
    }
}

#[cfg(test)]
mod tests {
    use perfectplay_core::{Budget, Game as _, Objective};
    use perfectplay_games::connect_four::ConnectFour;

    use super::*;

    /// Nothing is left of paths and claims, every key has a node of its own, and what is settled follows from what is
    /// settled.
    fn check(search: &OnGraph<ConnectFour<u64>, Many>) {
        let graph = &search.graph;
        let mut ids: Vec<Id> = graph.ids.iter().map(|(_, &id)| id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), graph.ids.len(), "a node for each key");
        for id in ids {
            let node = graph.node(id);
            assert_eq!(node.bits(), Node::leaf(node.for_max()).with_edges(node.first(), node.count()).bits());
            for (goal, cell) in graph.numbers_of(id).iter().enumerate() {
                let is_settled = cell.pair().closed();
                assert!(!is_settled || node.count() == 0 || graph.combine(node, goal) == cell.pair(), "node {id}");
            }
        }
    }

    #[test]
    fn paths_are_taken_back_and_what_is_settled_stays() {
        let game = Arc::new(ConnectFour::<u64>::new(4, 4));
        for (sum, threads) in [(Sum::Plain, 2), (Sum::Weak, 2), (Sum::Plain, 8), (Sum::Weak, 3)] {
            let outcomes = Arc::new(Outcomes::of(&*game, Objective::Gain, "test").unwrap());
            let options = Options::default();
            let mut search = OnGraph::new(game.clone(), game.start(), outcomes, Aim::All, options, sum, Many(2));
            for slice in 0.. {
                let threads = [threads, 1][usize::from(slice % 5 == 4)];
                let stop = search.prove(threads, &mut Budget::nodes([3, 500, 5_000][slice % 3]).start(), &mut ());
                check(&search);
                if stop.is_none() {
                    break;
                }
            }
            assert_eq!(search.window(), Window { pessimistic: 1, optimistic: 1 }, "a draw");
            assert!(search.walker.tally.claims > 50, "{:?}", search.walker.tally);
        }
    }
}
