//! A tree that several threads grow together.
//!
//! Nothing that a thread reads ever moves, and what is new is told by one word at the end: a node by its place in the
//! index or by an edge that leads to it, edges by their number in the node. What cannot be done in this way (a larger
//! index, longer lists, forgetting) waits until all threads have ended their round and the tree belongs to one again.
//!
//! Places come from a [`Stock`], some at a time, so that threads seldom wait for each other and seldom write to the
//! same cache line. What is left over in the end becomes vacant.

use super::*;
use crate::support::pages::LARGE;

/// What is handed out while threads share a tree: places for nodes and edges.
pub(crate) struct Stock {
    /// How long the lists are, with what was handed out.
    nodes: usize,
    edges: usize,
    vacant_nodes: Vacant,
    vacant_edges: Vec<Vacant>,
    /// Bytes of both lists for which memory was asked for.
    reached: [usize; 2],
}

/// Bytes of both lists for which memory should be asked for.
pub(crate) type Ahead = [Range<usize>; 2];

/// Places that a thread has taken and not used yet.
#[derive(Default)]
pub(crate) struct Spare {
    nodes: Vec<u32>,
    edges: Range<u32>,
    /// Rows of edges that were too short.
    scraps: Vec<Range<u32>>,
}

impl Spare {
    /// Takes a row of edges that was provided.
    fn take_edges(&mut self, count: u32) -> u32 {
        let first = self.edges.start;
        self.edges.start += count;
        debug_assert!(self.edges.start <= self.edges.end, "there was room");
        first
    }

    fn change_edges(&mut self, edges: Range<u32>) {
        self.scraps.push(std::mem::replace(&mut self.edges, edges));
    }

    fn into_rows(self) -> impl Iterator<Item = Range<u32>> {
        self.scraps.into_iter().chain([self.edges]).filter(|row| !row.is_empty())
    }
}

/// Places that a thread takes at a time, at most: others wait meanwhile.
const AT_A_TIME: usize = 256;

impl<G: FullGame, D: NodeData> Tree<G, D> {
    /// Begins to be shared.
    pub(crate) fn stock(&mut self) -> Stock {
        Stock {
            nodes: self.nodes.len(),
            edges: self.edges.len(),
            vacant_nodes: std::mem::replace(&mut self.vacant_nodes, Vacant::NONE),
            vacant_edges: std::mem::take(&mut self.vacant_edges),
            reached: [0; 2],
        }
    }

    /// Bytes held while it is shared.
    pub(crate) fn bytes_with(&self, stock: &Stock) -> usize {
        self.bytes_for(stock.nodes, stock.edges)
    }

    fn bytes_for(&self, nodes: usize, edges: usize) -> usize {
        List::<Node<G::Key, D>>::bytes_for(nodes) + List::<Edge<G::Move>>::bytes_for(edges) + self.index_bytes()
    }

    /// Hands out places for `children` new nodes and edges, and for some more while they are few beside all there are.
    /// `false` if they would not fit into `limit` bytes, or if something must grow first.
    pub(crate) fn hand_out(&self, stock: &mut Stock, spare: &mut Spare, children: usize, limit: usize) -> bool {
        let more = (stock.nodes / 256).clamp(children, children.max(AT_A_TIME));
        self.hand_out_some(stock, spare, children, more, limit)
            || more > children && self.hand_out_some(stock, spare, children, children, limit)
    }

    fn hand_out_some(&self, stock: &mut Stock, spare: &mut Spare, need: usize, more: usize, limit: usize) -> bool {
        let nodes = if spare.nodes.len() < need { more } else { 0 };
        let edges = if spare.edges.len() < need { more } else { 0 };
        let new_nodes = nodes.saturating_sub(stock.vacant_nodes.count as usize);
        let vacant = (need..stock.vacant_edges.len()).find(|&size| stock.vacant_edges[size].count > 0);
        let new_edges = if vacant.is_some() { 0 } else { edges };
        let bytes = self.bytes_for(stock.nodes + new_nodes, stock.edges + new_edges);
        let entries = stock.nodes + new_nodes - stock.vacant_nodes.count.saturating_sub(nodes as u32) as usize;
        let fits = bytes <= limit
            && need <= Shape::MOST_EDGES
            && entries <= self.index_room()
            && stock.nodes + new_nodes <= self.nodes.room()
            && stock.edges + new_edges <= self.edges.room();
        if !fits {
            return false;
        }
        for _ in 0..nodes - new_nodes {
            let id = stock.vacant_nodes.first;
            stock.vacant_nodes = Vacant { first: self.known(id).first(), count: stock.vacant_nodes.count - 1 };
            spare.nodes.push(id);
        }
        // The last is taken first.
        spare.nodes.extend((stock.nodes as u32..(stock.nodes + new_nodes) as u32).rev());
        stock.nodes += new_nodes;
        match vacant {
            Some(size) if edges > 0 => {
                let places = stock.vacant_edges[size];
                // SAFETY: vacant edges were written, before the tree was shared.
                #[allow(unsafe_code)]
                let next = unsafe { self.edges.places().get(places.first) }.child;
                stock.vacant_edges[size] = Vacant { first: next, count: places.count - 1 };
                spare.change_edges(places.first..places.first + size as u32);
            }
            _ if edges > 0 => {
                spare.change_edges(stock.edges as u32..(stock.edges + edges) as u32);
                stock.edges += edges;
            }
            _ => {}
        }
        true
    }

    /// What will be needed soon, unless it might be too much.
    pub(crate) fn ahead(&self, stock: &mut Stock, limit: usize) -> Ahead {
        if self.bytes_with(stock) + 2 * LARGE > limit {
            return [0..0, 0..0];
        }
        let [nodes, edges] = &mut stock.reached;
        [List::<Node<G::Key, D>>::ahead(stock.nodes, nodes), List::<Edge<G::Move>>::ahead(stock.edges, edges)]
    }

    /// Asks for it.
    pub(crate) fn populate(&self, [nodes, edges]: Ahead) {
        self.nodes.populate(nodes);
        self.edges.populate(edges);
    }

    /// Whether so many children can be made without asking for more places.
    #[inline]
    pub(crate) fn provided(&self, spare: &Spare, children: usize) -> bool {
        spare.nodes.len() >= children && spare.edges.len() >= children
    }

    /// Claims a leaf; `None` if it is none, `Some(false)` if another line has claimed it.
    #[inline]
    pub(crate) fn claim(&self, id: u32) -> Option<bool> {
        let node = self.known(id);
        let shape = node.shape();
        if shape.edges() > 0 || shape.mover() == Shape::FINISHED {
            return None;
        }
        let free = shape.with_edges(0);
        if node.shape.claim(free.0, free.claimed().0) {
            return Some(true);
        }
        // It may have been opened in between.
        if node.shape().edges() > 0 { None } else { Some(false) }
    }

    /// Gives a claimed leaf up.
    pub(crate) fn release(&self, id: u32) {
        let node = self.known(id);
        node.shape.set(node.shape().with_edges(0).0);
    }

    /// The node of a state, made with this data if there is none to share; and whether it was made.
    #[inline]
    pub(crate) fn find_or_insert(
        &self,
        spare: &mut Spare,
        key: G::Key,
        hash: u64,
        make: impl FnOnce() -> (D, Option<Player>),
    ) -> (u32, bool) {
        let mut made = false;
        let insert = || {
            made = true;
            let id = spare.nodes.pop().expect("places were provided");
            self.prefetch_spare(spare);
            let (data, mover) = make();
            // SAFETY: the place was handed out to this thread alone; others are told by the index and by edges.
            #[allow(unsafe_code)]
            unsafe {
                self.nodes.write(id, Node::new(key, data, mover));
            }
            id
        };
        let id = match &self.index {
            Some(index) => index.find_or_insert(hash, |n| self.known(n).key == key, insert),
            None => insert(),
        };
        (id, made)
    }

    /// Prefetches the place of a node that will be made soon: whoever locks the next bucket waits until this one's is
    /// written.
    #[inline]
    fn prefetch_spare(&self, spare: &Spare) {
        const AHEAD: usize = 8;
        if let Some(&id) = spare.nodes.len().checked_sub(AHEAD).and_then(|place| spare.nodes.get(place)) {
            prefetch_to_write(self.nodes.places().address(id));
        }
    }

    /// Opens a claimed leaf: these are its edges.
    pub(crate) fn open(&self, spare: &mut Spare, id: u32, edges: impl ExactSizeIterator<Item = (u32, G::Move)>) {
        let count = edges.len() as u32;
        let first = spare.take_edges(count);
        for (place, (child, mv)) in (first..).zip(edges) {
            // SAFETY: the place was handed out to this thread alone; others are told when the number of edges is set.
            #[allow(unsafe_code)]
            unsafe {
                self.edges.write(place, Edge::new(child, 0, mv));
            }
        }
        let node = self.known(id);
        node.set_edges(first, node.shape().with_edges(count));
    }

    /// Counts visits and tells where they lead.
    #[inline]
    pub(crate) fn begin_visits(&self, family: &Family<'_, G, D>, choice: usize, count: u32) -> (u32, G::Move) {
        let edge = &family.edges[choice];
        edge.visits.begin(count);
        (edge.child, edge.mv)
    }

    /// Takes visits back.
    pub(crate) fn take_visits_back(&self, id: u32, choice: u32, count: u32) {
        let family = self.known_family(id).expect("the line went through it");
        family.edges[choice as usize].visits.take_back(count);
    }

    /// Computes a node's data anew, whatever other threads do at the same time. Tells what was replaced by what.
    #[inline]
    pub(crate) fn update(&self, id: u32, mut next: impl FnMut(&Family<'_, G, D>, D) -> Option<D>) -> Option<(D, D)> {
        let family = self.known_family(id)?;
        D::update(&family.node.data, |now| next(&family, now))
    }

    /// Ends being shared: what was handed out and not used is vacant.
    pub(crate) fn settle(&mut self, stock: Stock, spares: Vec<Spare>, root: u32) {
        let unused_nodes: Vec<u32> = spares.iter().flat_map(|spare| spare.nodes.iter().copied()).collect();
        let unused_edges: Vec<Range<u32>> = spares.into_iter().flat_map(Spare::into_rows).collect();
        let key = self.nodes[0].key;
        for &id in &unused_nodes {
            // SAFETY: it was handed out and not used, and no other thread is left.
            #[allow(unsafe_code)]
            unsafe {
                self.nodes.write(id, Node::from_parts(key, D::default(), 0, Shape::VACANT));
            }
        }
        // A move that is one, for edges that lead nowhere. If there is none, nothing was opened.
        let before = self.edges.len();
        let any = self.edges.first().map(|edge| edge.mv).or_else(|| self.known_family(root).map(|family| family.mv(0)));
        let fresh = unused_edges.iter().cloned().flatten().filter(|&place| place as usize >= before);
        for (place, mv) in fresh.filter_map(|place| Some((place, any?))) {
            // SAFETY: as above.
            #[allow(unsafe_code)]
            unsafe {
                self.edges.write(place, Edge::new(0, 0, mv));
            }
        }
        // SAFETY: what was handed out was written, by who used it or above.
        #[allow(unsafe_code)]
        unsafe {
            self.nodes.set_len(stock.nodes);
            self.edges.set_len(if any.is_some() { stock.edges } else { 0 });
        }
        (self.vacant_nodes, self.vacant_edges) = (stock.vacant_nodes, stock.vacant_edges);
        for id in unused_nodes {
            self.nodes[id as usize].set_edges(self.vacant_nodes.first, Shape::VACANT);
            self.vacant_nodes = Vacant { first: id, count: self.vacant_nodes.count + 1 };
        }
        for row in unused_edges.into_iter().filter(|_| any.is_some()) {
            self.leave_edges(row.start, row.len());
        }
        let len = self.len();
        if let Some(index) = &mut self.index {
            index.set_len(len);
        }
    }
}
