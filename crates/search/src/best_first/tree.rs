//! The tree that the best-first searches grow: nodes and edges in two arrays, and an index from keys to nodes.
//!
//! "Tree" is the papers' word. States are shared through their exact keys, so it is an acyclic graph, and a child's
//! data is always read from the child itself: a copy on the edge would go stale when another parent improves it.
//! Without the index it is a tree indeed: a state that is reached by two orders of moves is two nodes.
//!
//! Nodes and edges know each other by number, and the numbers stay: what is forgotten leaves its place to what comes
//! next. All parts that change are atomic words, so that threads can share a tree (`shared_tree.rs`); who is alone has
//! it to itself, as `&mut`, and pays nothing for that. A node keeps the state's key, not the state: a walk from the
//! root plays the moves again, which is cheap where states are small. With a key and data of 8 bytes each a node takes
//! 24 bytes, an edge 12 (moves of up to 4 bytes), and the index 6.7 to 13.3 bytes per state; [`Tree::bytes`] counts
//! what is held.

use std::ops::Range;

use perfectplay_core::{FullGame, Plain as _, Player};

use crate::best_first::key_index::{ADOPTED_AT_A_TIME, Found, KeyIndex};
use crate::best_first::list::{List, Places};
use crate::best_first::node_data::NodeData;
use crate::best_first::policy::Pick;
use crate::best_first::provisional::{Claimable, Visits};
use crate::best_first::sync::{AtomicU32, Ordering};
use crate::support::hashing::hash;
use crate::support::memory::available;
use crate::support::prefetch::{prefetch, prefetch_to_write, prefetch_whole};
use crate::support::saved::{Reader, SaveError, Writer};

pub(crate) mod shared;

/// A state that was met.
#[derive(Debug)]
pub struct Node<K, D: NodeData> {
    key: K,
    data: D::Cell,
    /// The first edge; of a vacant place the next one.
    first: AtomicU32,
    /// A [`Shape`].
    shape: Claimable,
}

/// Who moves, how many moves there are, and which of them will most likely be visited next.
///
/// ```text
///   bits 31 … 13            12 … 5                                4 … 0
///        number of edges    hint; of a leaf: whether it is claimed   mover, or finished, or vacant
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape(u32);

impl Shape {
    const FINISHED: u32 = 31;
    const VACANT: Shape = Shape(30);
    const MOST_EDGES: usize = (1 << 19) - 1;

    fn new(mover: Option<Player>) -> Self {
        let mover = mover.map_or(Self::FINISHED, |p| p.index() as u32);
        assert!(mover < Self::VACANT.0 || mover == Self::FINISHED, "at most 30 players");
        Shape(mover)
    }

    #[inline]
    fn mover(self) -> u32 {
        self.0 & 31
    }

    #[inline]
    fn edges(self) -> u32 {
        self.0 >> 13
    }

    #[inline]
    fn with_edges(self, count: u32) -> Self {
        Shape(count << 13 | self.mover())
    }

    #[inline]
    fn hint(self) -> u32 {
        self.0 >> 5 & 0xff
    }

    /// This leaf, claimed by who will open it.
    fn claimed(self) -> Self {
        self.with_hint(1)
    }

    /// Hints beyond the first 256 moves are not kept.
    #[inline]
    fn with_hint(self, hint: usize) -> Self {
        Shape(self.0 & !(0xff << 5) | if hint < 256 { (hint as u32) << 5 } else { 0 })
    }
}

/// A move that leads from one state to another.
#[derive(Debug)]
pub struct Edge<M> {
    child: u32,
    visits: Visits,
    mv: M,
}

impl<M: Copy> Edge<M> {
    fn new(child: u32, visits: u32, mv: M) -> Self {
        Edge { child, visits: Visits::new(visits), mv }
    }

    fn copy(&self) -> Self {
        Self::new(self.child, self.visits.get(), self.mv)
    }
}

impl<K: Copy, D: NodeData> Node<K, D> {
    fn new(key: K, data: D, mover: Option<Player>) -> Self {
        Self::from_parts(key, data, 0, Shape::new(mover))
    }

    fn from_parts(key: K, data: D, first: u32, shape: Shape) -> Self {
        Node { key, data: data.cell(), first: AtomicU32::new(first), shape: Claimable::new(shape.0) }
    }

    #[inline]
    fn shape(&self) -> Shape {
        Shape(self.shape.get())
    }

    #[inline]
    fn first(&self) -> u32 {
        self.first.load(Ordering::Relaxed)
    }

    /// Changes where the edges are, and then how many.
    #[inline]
    fn set_edges(&self, first: u32, shape: Shape) {
        self.first.store(first, Ordering::Relaxed);
        self.shape.set(shape.0);
    }

    /// The exact key of the state.
    pub fn key(&self) -> K {
        self.key
    }

    /// What the policy knows about it.
    #[inline]
    pub fn data(&self) -> D {
        D::load(&self.data)
    }

    /// Who moves; `None` if the game is over.
    pub fn mover(&self) -> Option<Player> {
        (!self.is_finished()).then(|| Player::new(self.shape().mover() as usize))
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.shape().mover() == Shape::FINISHED
    }

    /// Unfinished and not opened yet.
    pub(crate) fn is_leaf(&self) -> bool {
        self.shape().edges() == 0 && !self.is_finished()
    }

    pub(crate) fn is_vacant(&self) -> bool {
        self.shape() == Shape::VACANT
    }

    fn edges(&self) -> Range<usize> {
        let (first, count) = (self.first(), self.shape().edges());
        first as usize..(first + count) as usize
    }
}

/// A state that was opened, with its children.
pub struct Family<'a, G: FullGame, D: NodeData> {
    node: &'a Node<G::Key, D>,
    edges: &'a [Edge<G::Move>],
    nodes: Places<'a, Node<G::Key, D>>,
}

impl<G: FullGame, D: NodeData> Family<'_, G, D> {
    /// Who moves.
    #[inline]
    pub fn mover(&self) -> Player {
        Player::new(self.node.shape().mover() as usize)
    }

    /// The data of the state itself.
    #[inline]
    pub fn data(&self) -> D {
        self.node.data()
    }

    #[inline]
    fn child_of(&self, edge: &Edge<G::Move>) -> D {
        // SAFETY: an edge leads to a node that was written before it was.
        #[allow(unsafe_code)]
        unsafe { self.nodes.get(edge.child) }.data()
    }

    /// How many moves there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there is no move: never, as families are those of opened states.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The data of a child.
    #[inline]
    pub fn child(&self, i: usize) -> D {
        self.child_of(&self.edges[i])
    }

    /// The children's data and visits, in the order of the moves.
    #[inline]
    pub fn children(&self) -> impl Iterator<Item = (D, u32)> {
        self.edges.iter().map(|e| (self.child_of(e), e.visits.get()))
    }

    /// n(s, s').
    #[inline]
    pub fn visits(&self, i: usize) -> u32 {
        self.edges[i].visits.get()
    }

    /// The move that leads to a child.
    pub fn mv(&self, i: usize) -> G::Move {
        self.edges[i].mv
    }

    /// The number of the child's node.
    pub fn id(&self, i: usize) -> u32 {
        self.edges[i].child
    }

    /// What `choose` chooses when it does not see these children. Copies: for what is rare.
    pub(crate) fn without<T>(&self, avoided: &[usize], choose: impl FnOnce(&Family<'_, G, D>) -> T) -> (T, Vec<usize>) {
        let left: Vec<usize> = (0..self.len()).filter(|i| !avoided.contains(i)).collect();
        let edges: Vec<_> = left.iter().map(|&i| self.edges[i].copy()).collect();
        (choose(&Family { node: self.node, edges: &edges, nodes: self.nodes }), left)
    }
}

/// All states met, and the moves between them.
pub struct Tree<G: FullGame, D: NodeData> {
    nodes: List<Node<G::Key, D>>,
    edges: List<Edge<G::Move>>,
    vacant_nodes: Vacant,
    /// By number of edges.
    vacant_edges: Vec<Vacant>,
    /// `None`: states are not shared.
    index: Option<KeyIndex>,
    /// The index that will replace `index` when all nodes are in it.
    growing: Option<Growing>,
}

/// An index that is being filled.
struct Growing {
    index: KeyIndex,
    /// Buckets for which there is memory.
    provided: usize,
    /// Nodes that are in it.
    done: usize,
}

impl Growing {
    fn new(index: KeyIndex) -> Self {
        Growing { index, provided: 0, done: 0 }
    }
}

/// Places that are free again: the first one, which knows the next, and how many they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Vacant {
    first: u32,
    count: u32,
}

impl Vacant {
    const NONE: Vacant = Vacant { first: u32::MAX, count: 0 };
}

/// Why a state cannot be opened now.
pub(crate) enum NoRoom {
    /// No memory.
    Full,
    /// The index must grow first.
    IndexMustGrow,
}

/// Which of an opened node's edges stay.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    All,
    /// The one with this number.
    One(usize),
    None,
}

impl<G: FullGame, D: NodeData> Tree<G, D> {
    /// An empty one; with a `table` states are shared.
    pub(crate) fn new(table: bool) -> Self {
        Tree {
            nodes: List::new(),
            edges: List::new(),
            vacant_nodes: Vacant::NONE,
            vacant_edges: Vec::new(),
            index: table.then(|| KeyIndex::with_room_for(64)),
            growing: None,
        }
    }

    /// The node with this number.
    #[inline]
    pub fn node(&self, id: u32) -> &Node<G::Key, D> {
        &self.nodes[id as usize]
    }

    /// The node with this number, which came from an edge or from the index: while threads share the tree, the list
    /// does not know its length.
    #[inline]
    pub(crate) fn known(&self, id: u32) -> &Node<G::Key, D> {
        // SAFETY: numbers come to edges and to the index after the node was written, and stay in the list.
        #[allow(unsafe_code)]
        unsafe {
            self.nodes.places().get(id)
        }
    }

    /// All nodes with their numbers, which begin in the order in which they were met.
    pub fn nodes(&self) -> impl Iterator<Item = (u32, &Node<G::Key, D>)> {
        (0..).zip(self.nodes.iter()).filter(|(_, node)| !node.is_vacant())
    }

    /// How many nodes there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.nodes.len() - self.vacant_nodes.count as usize
    }

    /// Whether there is none: never, as there is a root.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All numbers of nodes are less than this.
    pub(crate) fn places(&self) -> usize {
        self.nodes.len()
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        let vacant: usize = (0..).zip(&self.vacant_edges).map(|(edges, v)| edges * v.count as usize).sum();
        self.edges.len() - vacant
    }

    /// A node with its children; `None` if it is finished or was not opened.
    #[inline]
    pub fn family(&self, id: u32) -> Option<Family<'_, G, D>> {
        let node = &self.nodes[id as usize];
        let edges = &self.edges[node.edges()];
        (!edges.is_empty()).then_some(Family { node, edges, nodes: self.nodes.places() })
    }

    /// The same while threads share the tree.
    #[inline]
    pub(crate) fn known_family(&self, id: u32) -> Option<Family<'_, G, D>> {
        let node = self.known(id);
        let count = node.shape().edges();
        // SAFETY: the edges were written before their number was set.
        #[allow(unsafe_code)]
        let edges = unsafe { self.edges.places().row(if count > 0 { node.first() } else { 0 }, count) };
        (count > 0).then_some(Family { node, edges, nodes: self.nodes.places() })
    }

    /// Whether states are shared: each has one node, which is found by its key.
    #[inline]
    pub fn has_table(&self) -> bool {
        self.index.is_some()
    }

    /// The node of a state, if it was met; one of them, if there are several. Slow while the index is being filled, and
    /// without it.
    pub fn find(&self, key: G::Key) -> Option<u32> {
        if self.growing.is_some() || !self.has_table() {
            return self.nodes().find(|(_, node)| node.key == key).map(|(id, _)| id);
        }
        self.find_hashed(key, hash(&key))
    }

    /// The node that a new child with this key and hash would share.
    #[inline]
    pub(crate) fn find_hashed(&self, key: G::Key, hash: u64) -> Option<u32> {
        match self.index.as_ref()?.find(hash, |n| self.known(n).key == key) {
            Found::Node(id) => Some(id),
            Found::Vacant(_) => None,
        }
    }

    /// The node of a state, made by `make` (its data and who moves, `None` if finished) if there is none to share.
    #[inline]
    pub(crate) fn find_or_add(&mut self, key: G::Key, hash: u64, make: impl FnOnce(u32) -> (D, Option<Player>)) -> u32 {
        let found = self.index.as_ref().map(|index| index.find(hash, |n| self.known(n).key == key));
        if let Some(Found::Node(id)) = found {
            return id;
        }
        let vacant = self.vacant_nodes.count > 0;
        let id = if vacant { self.vacant_nodes.first } else { self.nodes.len() as u32 };
        let (data, mover) = make(id);
        if let (Some(index), Some(Found::Vacant(place))) = (&mut self.index, found) {
            index.fill(place, hash, id);
        }
        let node = Node::new(key, data, mover);
        if vacant {
            let old = std::mem::replace(&mut self.nodes[id as usize], node);
            self.vacant_nodes = Vacant { first: old.first(), count: self.vacant_nodes.count - 1 };
        } else {
            self.nodes.push(node);
        }
        id
    }

    /// Takes so many places for the edges of a node, which [`Tree::put_edge`] must fill in turn.
    pub(crate) fn take_edges(&mut self, id: u32, count: usize) -> usize {
        let first = self.vacant_edges_for(count).map_or(self.edges.len(), |size| {
            let places = self.vacant_edges[size];
            let next = self.edges[places.first as usize].child;
            self.vacant_edges[size] = Vacant { first: next, count: places.count - 1 };
            self.leave_edges(places.first + count as u32, size - count);
            places.first as usize
        });
        let node = &self.nodes[id as usize];
        node.set_edges(first as u32, node.shape().with_edges(count as u32));
        first
    }

    /// Puts an edge into a place that was taken.
    #[inline]
    pub(crate) fn put_edge(&mut self, at: usize, child: u32, mv: G::Move) {
        let edge = Edge::new(child, 0, mv);
        if at == self.edges.len() {
            self.edges.push(edge);
        } else {
            self.edges[at] = edge;
        }
    }

    /// The size of the smallest vacant place for so many edges.
    fn vacant_edges_for(&self, count: usize) -> Option<usize> {
        (count..self.vacant_edges.len()).find(|&size| self.vacant_edges[size].count > 0)
    }

    fn leave_edges(&mut self, first: u32, count: usize) {
        if count > 0 {
            if self.vacant_edges.len() <= count {
                self.vacant_edges.resize(count + 1, Vacant::NONE);
            }
            let vacant = &mut self.vacant_edges[count];
            self.edges[first as usize].child = vacant.first;
            *vacant = Vacant { first, count: vacant.count + 1 };
        }
    }

    /// Keeps only some of a node's edges.
    pub(crate) fn prune(&mut self, id: u32, keep: Keep) {
        let edges = self.nodes[id as usize].edges();
        if keep == Keep::All || edges.is_empty() {
            return;
        }
        let kept = if let Keep::One(i) = keep { Some(self.edges[edges.start + i].copy()) } else { None };
        self.leave_edges(edges.start as u32, edges.len());
        if let Some(edge) = kept {
            let at = self.take_edges(id, 1);
            self.edges[at] = edge;
        } else {
            let node = &self.nodes[id as usize];
            node.set_edges(0, node.shape().with_edges(0));
        }
    }

    /// Forgets a node to which no edge leads. Until [`Tree::refill_index`] no state may be looked up.
    pub(crate) fn forget(&mut self, id: u32) {
        self.prune(id, Keep::None);
        self.nodes[id as usize].set_edges(self.vacant_nodes.first, Shape::VACANT);
        self.vacant_nodes = Vacant { first: id, count: self.vacant_nodes.count + 1 };
    }

    /// Counts a visit of a child and tells where it leads.
    #[inline]
    pub(crate) fn go(&mut self, id: u32, pick: Pick) -> (u32, G::Move) {
        let node = &self.nodes[id as usize];
        node.shape.set(node.shape().with_hint(pick.next).0);
        let edge = &self.edges[node.first() as usize + pick.child];
        edge.visits.set(edge.visits.get().saturating_add(1));
        (edge.child, edge.mv)
    }

    /// Replaces a node's data.
    #[inline]
    pub(crate) fn set_data(&mut self, id: u32, data: D) {
        data.store(&self.nodes[id as usize].data);
    }

    /// A number that two trees share if they have the same nodes and edges in the same order, with the same visits.
    pub fn signature(&self) -> u64 {
        let mix = |sum: u64, x: u64| (sum ^ x).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        let mover = |n: &Node<G::Key, D>| n.mover().map_or(0xff, |p| p.index() as u64);
        let nodes = self.nodes().map(|(_, n)| hash(&n.key) ^ u64::from(n.shape().edges()) << 8 ^ mover(n));
        let edges = self.edges.iter().map(|e| u64::from(e.child) << 32 | u64::from(e.visits.get()));
        nodes.chain(edges).fold(0xcbf2_9ce4_8422_2325, mix)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes()
            + self.edges.bytes()
            + self.index_bytes()
            + self.growing.as_ref().map_or(0, |growing| growing.index.bytes())
    }

    fn index_bytes(&self) -> usize {
        self.index.as_ref().map_or(0, KeyIndex::bytes)
    }

    /// How many nodes there can be before the index must grow.
    fn index_room(&self) -> usize {
        self.index.as_ref().map_or(usize::MAX, KeyIndex::room)
    }

    /// Makes room for `children` more nodes and edges, if that stays within `limit` bytes.
    pub(crate) fn make_room(&mut self, children: usize, limit: usize) -> Result<(), NoRoom> {
        if self.growing.is_some() {
            return Err(NoRoom::IndexMustGrow);
        }
        if self.len() + children > self.index_room() {
            let entries = self.index_room() * 2 + children;
            let bytes = self.bytes() - self.index_bytes() + KeyIndex::bytes_for(entries);
            if bytes > limit || entries > u32::MAX as usize - 1 || !available(KeyIndex::bytes_for(entries)) {
                return Err(NoRoom::Full);
            }
            self.renew_index(KeyIndex::buckets_for(entries));
            return Err(NoRoom::IndexMustGrow);
        }
        let nodes = children.saturating_sub(self.vacant_nodes.count as usize);
        let edges = if self.vacant_edges_for(children).is_some() { 0 } else { children };
        let bytes = self.index_bytes() + self.nodes.bytes_with(nodes) + self.edges.bytes_with(edges);
        let fits =
            bytes <= limit && children <= Shape::MOST_EDGES && self.nodes.reserve(nodes) && self.edges.reserve(edges);
        fits.then_some(()).ok_or(NoRoom::Full)
    }

    /// Enters some nodes into the index to come, with so many threads; `true` when all are there.
    pub(crate) fn grow_index(&mut self, threads: usize) -> bool {
        // A thread that is started has some milliseconds to do.
        let at_a_time = if threads == 1 { ADOPTED_AT_A_TIME } else { 4 * threads * ADOPTED_AT_A_TIME };
        let Some(Growing { index, provided, done }) = &mut self.growing else { return true };
        if *provided < index.buckets() {
            // In order: nodes are entered all over the index, and the first few thousand would wait for all of its
            // pages.
            *provided = index.provide(*provided, threads);
            return false;
        }
        let end = self.nodes.len().min(*done + at_a_time);
        index.adopt(*done..end, threads, |i| (!self.nodes[i].is_vacant()).then(|| hash(&self.nodes[i].key)));
        *done = end;
        if end == self.nodes.len() {
            self.index = self.growing.take().map(|growing| growing.index);
        }
        self.growing.is_none()
    }

    /// Begins with an empty index, which [`Tree::grow_index`] fills. The old one goes first: memory may be short.
    fn renew_index(&mut self, buckets: usize) {
        self.index = Some(KeyIndex::with_room_for(0));
        self.growing = None;
        self.growing = Some(Growing::new(KeyIndex::with_buckets(buckets)));
    }

    /// Fills the index anew, as [`Tree::forget`] asks for.
    pub(crate) fn refill_index(&mut self) {
        if let Some(index) = self.index_to_be() {
            self.renew_index(index.buckets());
        }
    }

    /// The index that is being filled; otherwise the one that there is.
    fn index_to_be(&self) -> Option<&KeyIndex> {
        self.growing.as_ref().map(|growing| &growing.index).or(self.index.as_ref())
    }
}

// ── prefetching ──

/// Edges that were prefetched.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PrefetchedEdges {
    first: u32,
    pub(crate) count: u32,
    /// The one expected to be taken.
    pub(crate) hint: u32,
}

impl<G: FullGame, D: NodeData> Tree<G, D> {
    /// Prefetches the bucket of the index that a state with this hash will need.
    #[inline]
    pub(crate) fn prefetch_bucket(&self, hash: u64) {
        if let Some(index) = &self.index {
            index.prefetch(hash);
        }
    }

    /// Prefetches the node with which a state with this hash will be compared.
    #[inline]
    pub(crate) fn prefetch_node(&self, hash: u64) {
        if let Some(id) = self.index.as_ref().and_then(|index| index.first_alike(hash)) {
            prefetch_whole(self.nodes.places().address(id));
        }
    }

    /// Prefetches a node's edges, or the first few of many.
    #[inline]
    pub(crate) fn prefetch_edges(&self, id: u32) -> PrefetchedEdges {
        self.prefetch_edges_by(id, prefetch)
    }

    /// The same where threads share the tree: a visit will be counted there, so other caches give it up at once.
    #[inline]
    pub(crate) fn prefetch_edges_to_write(&self, id: u32) -> PrefetchedEdges {
        self.prefetch_edges_by(id, prefetch_to_write)
    }

    #[inline]
    fn prefetch_edges_by(&self, id: u32, prefetch: impl Fn(*const u8)) -> PrefetchedEdges {
        let node = self.known(id);
        let shape = node.shape();
        let (first, count, most) = (node.first(), shape.edges(), 4 * LINE);
        let start: *const u8 = self.edges.places().address(first).cast();
        let end = (count as usize * size_of::<Edge<G::Move>>()).min(most);
        (0..end).step_by(LINE).chain([end]).for_each(|at| prefetch(start.wrapping_add(at)));
        PrefetchedEdges { first, count, hint: shape.hint() }
    }

    /// Prefetches the children, or the first few of many, when their edges are there.
    #[inline]
    pub(crate) fn prefetch_children(&self, ahead: PrefetchedEdges) {
        // SAFETY: they are the edges of a node, written before their number was set.
        #[allow(unsafe_code)]
        let edges = unsafe { self.edges.places().row(ahead.first, ahead.count.min(16)) };
        edges.iter().for_each(|edge| prefetch_whole(&raw const self.known(edge.child).data));
    }

    /// Where an edge leads, and how often it was taken.
    #[inline]
    pub(crate) fn edge_target(&self, ahead: PrefetchedEdges, choice: u32) -> (u32, u32) {
        let edge = &self.edges[(ahead.first + choice) as usize];
        (edge.child, edge.visits.get())
    }

    /// Counts visits that are only expected, and takes them back.
    pub(crate) fn add_virtual_visits(&mut self, ahead: PrefetchedEdges, choice: u32, visits: i32) {
        let edge = &self.edges[(ahead.first + choice) as usize];
        edge.visits.set(edge.visits.get().wrapping_add_signed(visits));
    }
}

/// Bytes that come from memory at once.
const LINE: usize = 64;

// ── to a file and back ──

impl<G: FullGame, D: NodeData> Tree<G, D> {
    /// Writes nodes and edges; keys only if they are stable.
    pub(crate) fn save(&self, game: &G, to: &mut Writer<'_>) -> Result<(), SaveError> {
        let stable = game.stable_keys();
        // The size of the index decides when memory is used up: with the same one the search goes on in the same way.
        to.put([
            self.index.as_ref().map_or(0, KeyIndex::buckets) as u64,
            self.growing.as_ref().map_or(0, |growing| growing.index.buckets()) as u64,
        ])?;
        to.put([self.vacant_nodes.first, self.vacant_nodes.count])?;
        to.put_all(&self.vacant_edges.iter().map(|v| (v.first, v.count)).collect::<Vec<_>>())?;
        to.put_len(self.nodes.len())?;
        for node in self.nodes.iter() {
            if stable {
                to.put(node.key)?;
            }
            to.put(node.data())?;
            to.put([node.first(), node.shape().0])?;
        }
        to.put_len(self.edges.len())?;
        for edge in self.edges.iter() {
            to.put([edge.child, edge.visits.get()])?;
            to.put(edge.mv)?;
        }
        Ok(())
    }

    /// Reads what [`Tree::save`] wrote; `state` is that of the node `root`.
    pub(crate) fn restore(
        game: &G,
        state: &G::State,
        root: u32,
        table: bool,
        from: &mut Reader<'_>,
    ) -> Result<Self, SaveError> {
        let stable = game.stable_keys();
        let buckets: [u64; 2] = from.get()?;
        let [first, count] = from.get()?;
        let vacant_nodes = Vacant { first, count };
        let vacant_edges =
            from.get_all::<(u32, u32)>()?.into_iter().map(|(first, count)| Vacant { first, count }).collect();
        let root_key = game.key(state);
        let count = from.get_len(D::SIZE + 8)?;
        let mut nodes = List::new();
        let no_room = SaveError::no_memory();
        if !nodes.reserve(count) {
            return Err(no_room);
        }
        for _ in 0..count {
            let key = if stable { from.get()? } else { root_key };
            let data = from.get()?;
            let [first, shape] = from.get()?;
            let shape = Shape(shape);
            // Nobody is about to open a leaf of a tree that was saved.
            let shape = if shape.edges() == 0 { shape.with_edges(0) } else { shape };
            nodes.push(Node::from_parts(key, data, first, shape));
        }
        let count = from.get_len(8 + G::Move::SIZE)?;
        let mut edges = List::new();
        if !edges.reserve(count) {
            return Err(no_room);
        }
        for _ in 0..count {
            let [child, visits] = from.get()?;
            edges.push(Edge::new(child, visits, from.get()?));
        }
        if table && !available(KeyIndex::bytes_for(count)) {
            return Err(no_room);
        }
        let size = |buckets: u64| buckets > 0 && buckets <= nodes.len() as u64 + (1 << 16);
        let index_sizes =
            if table { size(buckets[0]) && (buckets[1] == 0 || size(buckets[1])) } else { buckets == [0; 2] };
        let sizes = index_sizes && (root as usize) < nodes.len();
        let index = (sizes && table).then(|| KeyIndex::with_buckets(buckets[0] as usize));
        let growing = (sizes && buckets[1] > 0).then(|| Growing::new(KeyIndex::with_buckets(buckets[1] as usize)));
        let mut tree = Tree { nodes, edges, vacant_nodes, vacant_edges, index, growing };
        if !sizes || !tree.fits_together() {
            return Err(SaveError::Damaged("nodes and edges that do not belong together"));
        }
        if !stable {
            tree.find_keys(game, state, root);
        } else if tree.nodes[root as usize].key != root_key {
            return Err(SaveError::Damaged("another root"));
        }
        if tree.index_to_be().is_some_and(|index| tree.len() > index.room()) {
            return Err(no_room);
        }
        if let (Some(index), None) = (&mut tree.index, &tree.growing) {
            let hash_of = |i: usize| (!tree.nodes[i].is_vacant()).then(|| hash(&tree.nodes[i].key));
            index.adopt(0..tree.nodes.len(), 1, hash_of);
        }
        Ok(tree)
    }

    /// Whether no number leads out of a list, and every place is vacant or somebody's.
    fn fits_together(&self) -> bool {
        let inside = |n: &Node<G::Key, D>| n.first() as usize + n.shape().edges() as usize <= self.edges.len();
        let leads_to_a_node = |edge: &Edge<G::Move>| (edge.child as usize) < self.nodes.len();
        let sound = |n: &Node<G::Key, D>| inside(n) && self.edges[n.edges()].iter().all(leads_to_a_node);
        let mut at = self.vacant_nodes.first;
        let vacant_nodes = (0..self.vacant_nodes.count).all(|_| {
            let node = self.nodes.get(at as usize).filter(|n| n.is_vacant());
            at = node.map_or(at, |n| n.first());
            node.is_some()
        });
        let vacant_edges = (0..).zip(&self.vacant_edges).all(|(size, vacant)| {
            let mut at = vacant.first;
            (0..vacant.count).all(|_| {
                let edge = self.edges.get(at as usize).filter(|_| size > 0 && at as usize + size <= self.edges.len());
                at = edge.map_or(at, |e| e.child);
                edge.is_some()
            })
        });
        vacant_nodes && vacant_edges && self.nodes().all(|(_, n)| sound(n))
    }

    /// Finds all keys again by playing every move once. What cannot be reached from the root is forgotten.
    fn find_keys(&mut self, game: &G, state: &G::State, root: u32) {
        let mut seen = vec![false; self.nodes.len()];
        seen[root as usize] = true;
        let mut todo = vec![(root, *state)];
        while let Some((id, state)) = todo.pop() {
            self.nodes[id as usize].key = game.key(&state);
            for edge in &self.edges[self.nodes[id as usize].edges()] {
                if !std::mem::replace(&mut seen[edge.child as usize], true) {
                    todo.push((edge.child, game.after(&state, edge.mv)));
                }
            }
        }
        for id in (0..seen.len()).filter(|&id| !seen[id]) {
            if !self.nodes[id].is_vacant() {
                self.forget(id as u32);
            }
        }
    }

    /// The move of an edge and where it leads, if there is such an edge.
    pub(crate) fn edge(&self, id: u32, choice: u32) -> Option<(u32, G::Move)> {
        let node = self.nodes.get(id as usize)?;
        let edge = self.edges[node.edges()].get(choice as usize)?;
        Some((edge.child, edge.mv))
    }
}
