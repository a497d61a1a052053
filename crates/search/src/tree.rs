//! The tree that the best-first searches grow: nodes and edges in two arrays, and a table from keys to nodes.
//!
//! "Tree" is the papers' word. States are shared through their exact keys, so it is an acyclic graph, and a child's data
//! is always read from the child itself: a copy on the edge would go stale when another parent improves it.
//!
//! Nodes and edges know each other by number. A node keeps the state's key, not the state: a walk from the root plays the
//! moves again, which is cheap where states are small. With a key and data of 8 bytes each a node takes 24 bytes, an edge
//! 12 (moves of up to 4 bytes), and the table 6.7 to 13.3 bytes per state; [`Tree::bytes`] counts what is allocated.

use std::ops::Range;

use perfectplay_core::{Game, Player};

use crate::table::{Found, Table, hash};

/// A state that was met.
#[derive(Clone, Copy, Debug)]
pub struct Node<K, D> {
    key: K,
    data: D,
    first: u32,
    /// The number of edges and, in the low byte, the mover.
    shape: u32,
}

/// A move that leads from one state to another.
#[derive(Clone, Copy, Debug)]
pub struct Edge<M> {
    child: u32,
    /// n(s, s'): how often the search went this way.
    visits: u32,
    mv: M,
}

const FINISHED: u32 = 0xff;

impl<K: Copy, D: Copy> Node<K, D> {
    /// The exact key of the state.
    pub fn key(&self) -> K {
        self.key
    }

    /// What the policy knows about it.
    pub fn data(&self) -> D {
        self.data
    }

    /// Who moves; `None` if the game is over.
    pub fn mover(&self) -> Option<Player> {
        (!self.is_finished()).then(|| Player::new((self.shape & 0xff) as usize))
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.shape & 0xff == FINISHED
    }

    /// Unfinished and not opened yet.
    pub(crate) fn is_leaf(&self) -> bool {
        self.shape >> 8 == 0 && !self.is_finished()
    }

    fn edges(&self) -> Range<usize> {
        self.first as usize..(self.first + (self.shape >> 8)) as usize
    }
}

/// A state that was opened, with its children.
pub struct Family<'a, G: Game, D> {
    node: &'a Node<G::Key, D>,
    edges: &'a [Edge<G::Move>],
    nodes: &'a [Node<G::Key, D>],
}

impl<G: Game, D: Copy> Family<'_, G, D> {
    /// Who moves.
    #[inline]
    pub fn mover(&self) -> Player {
        Player::new((self.node.shape & 0xff) as usize)
    }

    /// The data of the state itself.
    #[inline]
    pub fn data(&self) -> D {
        self.node.data
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
        self.nodes[self.edges[i].child as usize].data
    }

    /// The children's data and visits, in the order of the moves.
    #[inline]
    pub fn children(&self) -> impl Iterator<Item = (D, u32)> {
        self.edges.iter().map(|e| (self.nodes[e.child as usize].data, e.visits))
    }

    /// n(s, s').
    #[inline]
    pub fn visits(&self, i: usize) -> u32 {
        self.edges[i].visits
    }

    /// The move that leads to a child.
    pub fn mv(&self, i: usize) -> G::Move {
        self.edges[i].mv
    }

    /// The number of the child's node.
    pub fn id(&self, i: usize) -> u32 {
        self.edges[i].child
    }
}

/// All states met, and the moves between them.
pub struct Tree<G: Game, D> {
    nodes: Vec<Node<G::Key, D>>,
    edges: Vec<Edge<G::Move>>,
    table: Table,
    /// The larger table that will replace `table` when all nodes have moved.
    growing: Option<Table>,
}

/// Why a state cannot be opened now.
pub(crate) enum Wait {
    /// No memory.
    Full,
    /// The table must grow first.
    Grow,
}

/// Which of an opened node's edges stay.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    All,
    /// The one with this number.
    One(usize),
    None,
}

impl Keep {
    fn edges(self, all: Range<usize>) -> Range<usize> {
        match self {
            Keep::All => all,
            Keep::One(i) => all.start + i..all.start + i + 1,
            Keep::None => 0..0,
        }
    }
}

impl<G: Game, D: Copy> Tree<G, D> {
    pub(crate) fn new() -> Self {
        Tree { nodes: Vec::new(), edges: Vec::new(), table: Table::with_room_for(64), growing: None }
    }

    /// The node with this number.
    pub fn node(&self, id: u32) -> &Node<G::Key, D> {
        &self.nodes[id as usize]
    }

    /// All nodes, in the order in which they were met.
    pub fn nodes(&self) -> &[Node<G::Key, D>] {
        &self.nodes
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// A node with its children; `None` if it is finished or was not opened.
    #[inline]
    pub fn family(&self, id: u32) -> Option<Family<'_, G, D>> {
        let node = &self.nodes[id as usize];
        let edges = &self.edges[node.edges()];
        (!edges.is_empty()).then_some(Family { node, edges, nodes: &self.nodes })
    }

    /// The node of a state, if it was met.
    pub fn find(&self, key: G::Key) -> Option<u32> {
        match self.table.find(hash(&key), |n| self.nodes[n as usize].key == key) {
            Found::Node(id) => Some(id),
            Found::Vacant(_) => None,
        }
    }

    /// Asks for the place in the table that a state with this hash will need.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        self.table.prefetch(hash);
    }

    /// The node of a state, made by `make` (its data and who moves, `None` if finished) if it was not met before.
    #[inline]
    pub(crate) fn find_or_add(&mut self, key: G::Key, hash: u64, make: impl FnOnce(u32) -> (D, Option<Player>)) -> u32 {
        match self.table.find(hash, |n| self.nodes[n as usize].key == key) {
            Found::Node(id) => id,
            Found::Vacant(place) => {
                let id = self.nodes.len() as u32;
                let (data, mover) = make(id);
                self.table.fill(place, hash, id);
                let shape = mover.map_or(FINISHED, |p| p.index() as u32);
                self.nodes.push(Node { key, data, first: 0, shape });
                id
            }
        }
    }

    /// Appends an edge; [`Tree::adopt_edges`] says whose it is.
    #[inline]
    pub(crate) fn push_edge(&mut self, child: u32, mv: G::Move) {
        self.edges.push(Edge { child, visits: 0, mv });
    }

    /// Gives all edges from number `first` on to a node.
    #[inline]
    pub(crate) fn adopt_edges(&mut self, id: u32, first: usize) {
        let node = &mut self.nodes[id as usize];
        node.first = first as u32;
        node.shape |= ((self.edges.len() - first) as u32) << 8;
    }

    /// Counts a visit of a child and tells where it leads.
    #[inline]
    pub(crate) fn go(&mut self, id: u32, choice: usize) -> (u32, G::Move) {
        let edge = &mut self.edges[self.nodes[id as usize].first as usize + choice];
        edge.visits = edge.visits.saturating_add(1);
        (edge.child, edge.mv)
    }

    /// Replaces a node's data.
    #[inline]
    pub(crate) fn set_data(&mut self, id: u32, data: D) {
        self.nodes[id as usize].data = data;
    }

    /// A number that two trees share if they have the same nodes and edges in the same order, with the same visits.
    pub fn signature(&self) -> u64 {
        let mix = |sum: u64, x: u64| (sum ^ x).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        let nodes = self.nodes.iter().map(|n| hash(&n.key) ^ u64::from(n.shape));
        let edges = self.edges.iter().map(|e| u64::from(e.child) << 32 | u64::from(e.visits));
        nodes.chain(edges).fold(0xcbf2_9ce4_8422_2325, mix)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<G::Key, D>>()
            + self.edges.capacity() * size_of::<Edge<G::Move>>()
            + self.table.bytes()
            + self.growing.as_ref().map_or(0, Table::bytes)
    }

    /// Makes room for `children` more nodes and edges, if that stays within `limit` bytes.
    pub(crate) fn make_room(&mut self, children: usize, limit: usize) -> Result<(), Wait> {
        if self.growing.is_some() {
            return Err(Wait::Grow);
        }
        if self.nodes.len() + children > self.table.room() {
            let entries = self.table.room() * 2 + children;
            if self.bytes() + Table::bytes_for(entries) > limit || entries > u32::MAX as usize - 1 {
                return Err(Wait::Full);
            }
            self.growing = Some(Table::with_room_for(entries));
            return Err(Wait::Grow);
        }
        let held = self.bytes();
        let left = limit.saturating_sub(held);
        let left = left - grow_a_little(&mut self.nodes, children, left).ok_or(Wait::Full)?;
        if self.edges.len() + children > u32::MAX as usize {
            return Err(Wait::Full);
        }
        grow_a_little(&mut self.edges, children, left).ok_or(Wait::Full)?;
        Ok(())
    }

    /// Moves some nodes into the larger table; `true` when all have moved.
    pub(crate) fn grow_table(&mut self) -> bool {
        const AT_A_TIME: usize = 1 << 15; // under a millisecond
        let Some(larger) = &mut self.growing else { return true };
        let end = self.nodes.len().min(larger.len() + AT_A_TIME);
        larger.adopt(end, |i| hash(&self.nodes[i].key));
        let done = end == self.nodes.len();
        if done {
            self.table = self.growing.take().expect("it is there");
        }
        done
    }

    /// Keeps what can be reached from `root` through the edges that stay; numbers change, the order does not.
    ///
    /// Works in place: the old table goes first, so that less memory is held than before at any time.
    pub(crate) fn retain(&mut self, root: u32, keep: impl Fn(&Self, u32) -> Keep) -> u32 {
        const GONE: u32 = u32::MAX;
        self.table = Table::with_room_for(0);
        self.growing = None;
        let mut number = vec![GONE; self.nodes.len()];
        let mut opened = Vec::new();
        let mut todo = vec![root];
        number[root as usize] = 0;
        while let Some(id) = todo.pop() {
            let all = self.nodes[id as usize].edges();
            let kept = if all.is_empty() { 0..0 } else { keep(self, id).edges(all) };
            opened.push((kept.start as u32, kept.len() as u32, id));
            for e in kept {
                let child = self.edges[e].child;
                if number[child as usize] == GONE {
                    number[child as usize] = 0;
                    todo.push(child);
                }
            }
        }
        let mut next = 0;
        for n in number.iter_mut().filter(|n| **n != GONE) {
            *n = next;
            next += 1;
        }
        // Edges lie in the order in which nodes were opened: moved in that order, none is overwritten before it has moved.
        opened.sort_unstable();
        let mut end = 0;
        for (first, count, id) in opened {
            let node = &mut self.nodes[id as usize];
            (node.first, node.shape) = (if count == 0 { 0 } else { end as u32 }, count << 8 | node.shape & 0xff);
            for e in first..first + count {
                let edge = self.edges[e as usize];
                self.edges[end] = Edge { child: number[edge.child as usize], ..edge };
                end += 1;
            }
        }
        self.edges.truncate(end);
        for (old, &new) in number.iter().enumerate().filter(|(_, new)| **new != GONE) {
            self.nodes[new as usize] = self.nodes[old];
        }
        self.nodes.truncate(next as usize);
        let root = number[root as usize];
        drop(number);
        self.nodes.shrink_to(self.nodes.len() / 16 * 17);
        self.edges.shrink_to(self.edges.len() / 16 * 17);
        self.table = Table::with_room_for(self.nodes.len() + self.nodes.len() / 4 + 64);
        self.table.adopt(self.nodes.len(), |i| hash(&self.nodes[i].key));
        root
    }
}

/// Makes room for `more` items and says how many bytes that took; `None` if it would take more than `left`.
///
/// Large arrays grow by a sixteenth, not to the double: the operating system moves their pages without copying them.
fn grow_a_little<T>(items: &mut Vec<T>, more: usize, left: usize) -> Option<usize> {
    let old = items.capacity();
    if items.len() + more <= old {
        return Some(0);
    }
    let fits = left / size_of::<T>();
    let wanted = (old / 16).max(more).max(64).min(fits);
    (items.len() + more <= old + wanted).then(|| {
        items.reserve_exact(old + wanted - items.len());
        (items.capacity() - old) * size_of::<T>()
    })
}
