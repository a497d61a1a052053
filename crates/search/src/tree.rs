//! The tree that the best-first searches grow: nodes and edges in two arrays, and a table from keys to nodes.
//!
//! "Tree" is the papers' word. States are shared through their exact keys, so it is an acyclic graph, and a child's data
//! is always read from the child itself: a copy on the edge would go stale when another parent improves it.
//!
//! Nodes and edges know each other by number. A node keeps the state's key, not the state: a walk from the root plays the
//! moves again, which is cheap where states are small. With a key and data of 8 bytes each a node takes 24 bytes, an edge
//! 12 (moves of up to 4 bytes), and the table 6.7 to 13.3 bytes per state; [`Tree::bytes`] counts what is allocated.

use std::ops::Range;

use perfectplay_core::{Codec, Game, Plain, Player};

use crate::saved::{Reader, SaveError, Writer};
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

    /// What can be reached from `root`.
    pub(crate) fn reachable(&self, root: u32) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        seen[root as usize] = true;
        let mut todo = vec![root];
        while let Some(id) = todo.pop() {
            for edge in &self.edges[self.nodes[id as usize].edges()] {
                if !std::mem::replace(&mut seen[edge.child as usize], true) {
                    todo.push(edge.child);
                }
            }
        }
        seen
    }

    /// Keeps the nodes that `stay`, which are all that the edges kept lead to; numbers change, the order does not.
    ///
    /// Works in place: the old table goes first, so that less memory is held than before at any time. The new one is filled
    /// by [`Tree::grow_table`], a few nodes at a time.
    pub(crate) fn retain(&mut self, root: u32, stay: &[bool], keep: impl Fn(&Self, u32) -> Keep) -> u32 {
        const GONE: u32 = u32::MAX;
        self.table = Table::with_room_for(0);
        self.growing = None;
        let mut number = vec![GONE; self.nodes.len()];
        let mut opened = Vec::new();
        let mut next = 0;
        for id in (0..stay.len() as u32).filter(|&id| stay[id as usize]) {
            number[id as usize] = next;
            next += 1;
            let all = self.nodes[id as usize].edges();
            if !all.is_empty() {
                let kept = keep(self, id).edges(all);
                opened.push((kept.start as u32, kept.len() as u32, id));
            }
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
        self.growing = Some(Table::with_room_for(self.nodes.len() + self.nodes.len() / 4 + 64));
        root
    }
}

// ── to a file and back ──

impl<G: Game, D: Plain> Tree<G, D> {
    /// Writes nodes and edges; keys only if they last.
    pub(crate) fn save(&self, game: &G, codec: &Codec<G::Key, G::Move>, to: &mut Writer<'_>) -> Result<(), SaveError> {
        let lasting = game.lasting_keys();
        // Sizes decide when memory is used up: with the same ones the search goes on in the same way.
        to.put([self.nodes.capacity() as u64, self.edges.capacity() as u64])?;
        to.put([self.table.buckets() as u64, self.growing.as_ref().map_or(0, Table::buckets) as u64])?;
        to.put_len(self.nodes.len())?;
        for node in &self.nodes {
            if lasting {
                to.put_as(&codec.key, &node.key)?;
            }
            to.put(node.data)?;
            to.put([node.first, node.shape])?;
        }
        to.put_len(self.edges.len())?;
        for edge in &self.edges {
            to.put([edge.child, edge.visits])?;
            to.put_as(&codec.mv, &edge.mv)?;
        }
        Ok(())
    }

    /// Reads what [`Tree::save`] wrote; `state` is that of the node `root`.
    pub(crate) fn restore(
        game: &G,
        codec: &Codec<G::Key, G::Move>,
        state: &G::State,
        root: u32,
        from: &mut Reader<'_>,
    ) -> Result<Self, SaveError> {
        let lasting = game.lasting_keys();
        let capacities: [u64; 2] = from.get()?;
        let buckets: [u64; 2] = from.get()?;
        let root_key = game.key(state);
        let count = from.get_len(D::SIZE + 8)?;
        let mut nodes = Vec::new();
        nodes.reserve_exact(restored_capacity(capacities[0], count));
        for _ in 0..count {
            let key = if lasting { from.get_as(&codec.key)? } else { root_key };
            let data = from.get()?;
            let [first, shape] = from.get()?;
            nodes.push(Node { key, data, first, shape });
        }
        let count = from.get_len(8 + codec.mv.size)?;
        let mut edges = Vec::new();
        edges.reserve_exact(restored_capacity(capacities[1], count));
        for _ in 0..count {
            let [child, visits] = from.get()?;
            edges.push(Edge { child, visits, mv: from.get_as(&codec.mv)? });
        }
        let inside = |n: &Node<G::Key, D>| u64::from(n.first) + u64::from(n.shape >> 8) <= edges.len() as u64;
        let fits = nodes.iter().all(inside) && edges.iter().all(|e| (e.child as usize) < nodes.len());
        let size = |buckets: u64| buckets > 0 && buckets <= nodes.len() as u64 + (1 << 16);
        if !fits || root as usize >= nodes.len() || !size(buckets[0]) || !(buckets[1] == 0 || size(buckets[1])) {
            return Err(SaveError::Damaged("nodes and edges that do not belong together"));
        }
        let table = Table::with_buckets(buckets[0] as usize);
        let growing = (buckets[1] > 0).then(|| Table::with_buckets(buckets[1] as usize));
        let mut tree = Tree { nodes, edges, table, growing };
        if !lasting {
            tree.find_keys(game, state, root);
        } else if tree.nodes[root as usize].key != root_key {
            return Err(SaveError::Damaged("another root"));
        }
        let room = |table: &Table| tree.nodes.len() <= table.room();
        match &tree.growing {
            Some(larger) if !room(larger) => return Err(SaveError::Damaged("more nodes than room")),
            None if !room(&tree.table) => return Err(SaveError::Damaged("more nodes than room")),
            // The larger table is filled from the beginning before anything is looked up.
            Some(_) => {}
            None => tree.table.adopt(tree.nodes.len(), |i| hash(&tree.nodes[i].key)),
        }
        Ok(tree)
    }

    /// Finds all keys again by playing every move once. Every node can be reached from the root.
    fn find_keys(&mut self, game: &G, state: &G::State, root: u32) {
        let mut seen = vec![false; self.nodes.len()];
        seen[root as usize] = true;
        let mut todo = vec![(root, state.clone())];
        while let Some((id, state)) = todo.pop() {
            self.nodes[id as usize].key = game.key(&state);
            for edge in &self.edges[self.nodes[id as usize].edges()] {
                if !std::mem::replace(&mut seen[edge.child as usize], true) {
                    todo.push((edge.child, game.after(&state, edge.mv)));
                }
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

/// The capacity of a list that was saved, as far as it makes sense.
fn restored_capacity(capacity: u64, len: usize) -> usize {
    (capacity as usize).clamp(len, len + len / 8 + (1 << 12))
}

/// Makes room for `more` items and says how many bytes that took; `None` if it would take more than `left`.
///
/// Large arrays grow by a sixteenth, not to the double: the operating system moves their pages without copying them.
pub(crate) fn grow_a_little<T>(items: &mut Vec<T>, more: usize, left: usize) -> Option<usize> {
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
