//! The tree of a best-first proof-number search: small nodes, siblings side by side, freed memory used again.
//!
//! ```text
//!   nodes    first child 4 bytes · children 2 · mover 1 · move (1 byte in Connect Four)
//!   numbers  8 bytes per goal, in a second array with the same index: a descent reads the numbers of all siblings
//!            but follows only one of them
//! ```
//!
//! States are not kept: the search holds those on its path and replays moves. Children of one node are one block. A
//! freed block goes onto a list of blocks of its size, linked through the nodes themselves, and the next expansion with
//! as many moves takes it from there.

use perfectplay_core::Plain;

use crate::proof_number::effort_numbers::{Goals, Pair, Window};
use crate::support::memory::reserve_exact;
use crate::support::saved::{Reader, SaveError, Writer};

/// Index of a node.
pub(crate) type Id = u32;

/// The root.
pub(crate) const ROOT: Id = 0;
const NONE: Id = Id::MAX;

/// One position in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<M> {
    first: Id,
    count: u16,
    mover: u8,
    mv: M,
}

impl<M: Copy> Node<M> {
    /// The move that leads here; meaningless at the root.
    pub(crate) fn mv(&self) -> M {
        self.mv
    }

    /// Whether the first player moves here. Set when the node is evaluated.
    #[inline]
    pub(crate) fn for_max(&self) -> bool {
        self.mover == 0
    }

    /// The ids of its children; empty for a leaf.
    #[inline]
    pub(crate) fn children(&self) -> std::ops::Range<Id> {
        if self.count == 0 { 0..0 } else { self.first..self.first + Id::from(self.count) }
    }

    /// Whether it has no children (yet, or any more).
    #[inline]
    pub(crate) fn is_leaf(&self) -> bool {
        self.count == 0
    }
}

/// The arena.
#[derive(Clone, Debug)]
pub(crate) struct Tree<M, W> {
    goals: W,
    nodes: Vec<Node<M>>,
    numbers: Vec<Pair>,
    free: Vec<Id>, // by block size: the first free block
    held: usize,   // nodes in use
    limit: usize,  // nodes that may be allocated in all
    stack: Vec<(Id, u16)>,
}

impl<M: Plain, W: Goals> Tree<M, W> {
    /// Nothing but a root. `any` stands in for the root's move, which nobody reads.
    pub(crate) fn new(goals: W, any: M) -> Self {
        let root = Node { first: NONE, count: 0, mover: 0, mv: any };
        Tree {
            goals,
            nodes: vec![root],
            numbers: vec![Pair::UNIT; goals.count()],
            free: Vec::new(),
            held: 1,
            limit: NONE as usize,
            stack: Vec::new(),
        }
    }

    /// Forgets all nodes but the root, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.nodes.truncate(1);
        self.numbers.truncate(self.goals.count());
        self.nodes[0].count = 0;
        self.free.clear();
        self.held = 1;
    }

    /// Sets how many bytes it may hold.
    pub(crate) fn limit_bytes(&mut self, bytes: usize) {
        self.limit = (bytes / self.bytes_per_node()).min(NONE as usize);
    }

    /// Bytes that one node takes, numbers included.
    pub(crate) fn bytes_per_node(&self) -> usize {
        size_of::<Node<M>>() + self.goals.count() * size_of::<Pair>()
    }

    /// Bytes held now.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<M>>() + self.numbers.capacity() * size_of::<Pair>()
    }

    /// A node.
    #[inline]
    pub(crate) fn node(&self, id: Id) -> &Node<M> {
        &self.nodes[id as usize]
    }

    /// The numbers of a node, one pair per goal.
    #[inline]
    pub(crate) fn numbers(&self, id: Id) -> &[Pair] {
        let count = self.goals.count();
        &self.numbers[id as usize * count..][..count]
    }

    /// The numbers of a node, to be set.
    #[inline]
    pub(crate) fn numbers_mut(&mut self, id: Id) -> &mut [Pair] {
        let count = self.goals.count();
        &mut self.numbers[id as usize * count..][..count]
    }

    /// The numbers of all children of a node, child after child.
    #[inline]
    pub(crate) fn numbers_of_children(&self, node: Node<M>) -> &[Pair] {
        let (range, count) = (node.children(), self.goals.count());
        &self.numbers[range.start as usize * count..range.end as usize * count]
    }

    /// Notes who moves at a node.
    #[inline]
    pub(crate) fn set_mover(&mut self, id: Id, for_max: bool) {
        self.nodes[id as usize].mover = u8::from(!for_max);
    }

    /// Gives a leaf one child per move, and tells the first of them. `None` if there is no room.
    pub(crate) fn expand(&mut self, id: Id, moves: &[M]) -> Option<Id> {
        let count = u16::try_from(moves.len()).ok()?;
        let first = match self.free.get(moves.len()) {
            Some(&block) if block != NONE => {
                self.free[moves.len()] = self.nodes[block as usize].first;
                let block_nodes = &mut self.nodes[block as usize..][..moves.len()];
                for (node, &mv) in block_nodes.iter_mut().zip(moves) {
                    *node = Node { first: NONE, count: 0, mover: 0, mv };
                }
                block
            }
            _ => self.append(moves)?,
        };
        self.held += moves.len();
        let node = &mut self.nodes[id as usize];
        (node.first, node.count) = (first, count);
        Some(first)
    }

    /// Whether there is such a node.
    pub(crate) fn has(&self, id: Id) -> bool {
        (id as usize) < self.nodes.len()
    }

    /// Writes all nodes, those on the lists of free blocks among them.
    pub(crate) fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        to.put([self.held as u64, self.nodes.capacity() as u64])?;
        to.put_all(&self.free)?;
        to.put_len(self.nodes.len())?;
        for (node, pairs) in self.nodes.iter().zip(self.numbers.chunks_exact(self.goals.count())) {
            to.put((node.first, (node.count, node.mover)))?;
            to.put(node.mv)?;
            pairs.iter().try_for_each(|&pair| to.put(pair))?;
        }
        Ok(())
    }

    /// Reads what [`Tree::save`] wrote.
    pub(crate) fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        let [held, capacity]: [u64; 2] = from.get()?;
        self.held = held as usize;
        self.free = from.get_all()?;
        let count = from.get_len(7 + M::SIZE + 8 * self.goals.count())?;
        let capacity = (capacity as usize).clamp(count, count + count / 2 + 64);
        self.nodes.clear();
        self.numbers.clear();
        let numbers = capacity.saturating_mul(self.goals.count());
        if !reserve_exact(&mut self.nodes, capacity) || !reserve_exact(&mut self.numbers, numbers) {
            return Err(SaveError::no_memory());
        }
        for _ in 0..count {
            let (first, (number, mover)) = from.get()?;
            self.nodes.push(Node { first, count: number, mover, mv: from.get()? });
            for _ in 0..self.goals.count() {
                self.numbers.push(from.get()?);
            }
        }
        // Freed nodes hold leftovers, so nothing more can be said about single nodes.
        if count == 0 || self.free.iter().any(|&block| block != NONE && !self.has(block)) {
            return Err(SaveError::Damaged("nodes that do not belong together"));
        }
        Ok(())
    }

    fn append(&mut self, moves: &[M]) -> Option<Id> {
        let needed = self.nodes.len() + moves.len();
        if needed > self.nodes.capacity() {
            if needed > self.limit {
                return None;
            }
            // Half as much again, but no more than allowed: the last step uses up exactly what there is.
            let more = (needed + needed / 2).min(self.limit) - self.nodes.len();
            let fits = reserve_exact(&mut self.nodes, more);
            (fits && reserve_exact(&mut self.numbers, more * self.goals.count())).then_some(())?;
        }
        let first = self.nodes.len() as Id;
        self.nodes.extend(moves.iter().map(|&mv| Node { first: NONE, count: 0, mover: 0, mv }));
        self.numbers.resize(self.nodes.len() * self.goals.count(), Pair::UNIT);
        Some(first)
    }

    fn release_block(&mut self, first: Id, count: usize) {
        if self.free.len() <= count {
            self.free.resize(count + 1, NONE);
        }
        self.nodes[first as usize].first = self.free[count];
        self.free[count] = first;
        self.held -= count;
    }

    /// Frees everything below a node, which becomes a leaf and keeps its numbers.
    pub(crate) fn release_below(&mut self, id: Id) {
        // Blocks, not nodes: a freed block's first node holds the link to the next free one.
        let mut stack = std::mem::take(&mut self.stack);
        let block = |node: &mut Node<M>, stack: &mut Vec<(Id, u16)>| {
            if node.count > 0 {
                stack.push((node.first, node.count));
                node.count = 0;
            }
        };
        block(&mut self.nodes[id as usize], &mut stack);
        while let Some((first, count)) = stack.pop() {
            for node in &mut self.nodes[first as usize..][..count.into()] {
                block(node, &mut stack);
            }
            self.release_block(first, count.into());
        }
        self.stack = stack;
    }

    /// Frees everything below a node except one child with what is below it.
    pub(crate) fn keep_only(&mut self, id: Id, kept: Id) {
        let node = self.nodes[id as usize];
        if node.count == 1 {
            return;
        }
        for child in node.children().filter(|&c| c != kept) {
            self.release_below(child);
        }
        // The kept child moves to the front of the block; the rest of the block is free.
        let count = self.goals.count();
        self.nodes[node.first as usize] = self.nodes[kept as usize];
        let pairs = kept as usize * count..(kept as usize + 1) * count;
        self.numbers.copy_within(pairs, node.first as usize * count);
        self.nodes[id as usize].count = 1;
        self.release_block(node.first + 1, usize::from(node.count) - 1);
    }

    /// Frees what lies below nodes that cannot matter any more (Saffidine and Cazenave 2012, Prop. 4), everywhere;
    /// `relevant` is the window of the root.
    pub(crate) fn sweep(&mut self, relevant: Window) {
        let mut open = vec![(ROOT, relevant)];
        while let Some((id, above)) = open.pop() {
            let node = self.nodes[id as usize];
            if node.is_leaf() {
                continue;
            }
            let own = Window::of(self.numbers(id));
            let window = above.and(own);
            if window.closed() {
                // What is solved keeps the line of play that shows it.
                if !own.closed() {
                    self.release_below(id);
                }
                continue;
            }
            open.extend(node.children().map(|c| (c, window)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof_number::effort_numbers::{One, Two};

    #[test]
    fn nodes_are_as_small_as_promised() {
        assert_eq!(size_of::<Node<u8>>(), 8);
        assert_eq!(Tree::new(One, 0u8).bytes_per_node(), 16);
        assert_eq!(Tree::new(Two, 0u8).bytes_per_node(), 24);
    }

    #[test]
    fn freed_blocks_are_used_again() {
        let mut tree = Tree::new(One, 0u8);
        let first = tree.expand(ROOT, &[1, 2, 3]).unwrap();
        let below = tree.expand(first + 1, &[4, 5]).unwrap();
        tree.expand(below, &[6, 7]).unwrap();
        assert_eq!(tree.held, 8);
        tree.release_below(first + 1);
        assert_eq!(tree.held, 4);
        let length = tree.nodes.len();
        tree.expand(first, &[8, 9]).unwrap();
        tree.expand(first + 2, &[8, 9]).unwrap();
        assert_eq!(tree.nodes.len(), length, "nothing new was allocated");
        assert!(tree.node(first + 1).is_leaf());
    }

    #[test]
    fn one_line_can_be_kept() {
        let mut tree = Tree::new(One, 0u8);
        let first = tree.expand(ROOT, &[1, 2, 3]).unwrap();
        tree.expand(first, &[9]).unwrap();
        let below = tree.expand(first + 1, &[4, 5]).unwrap();
        tree.numbers_mut(first + 1)[0] = Pair::PROVED;
        tree.keep_only(ROOT, first + 1);
        let kept = tree.node(ROOT).children();
        assert_eq!(kept.len(), 1);
        assert_eq!(tree.node(kept.start).mv(), 2);
        assert_eq!(tree.numbers(kept.start), [Pair::PROVED]);
        assert_eq!(tree.node(kept.start).children(), below..below + 2);
        assert_eq!(tree.held, 4);
    }

    #[test]
    fn a_full_tree_says_so() {
        let mut tree = Tree::new(One, 0u8);
        tree.limit_bytes(16 * 4);
        let first = tree.expand(ROOT, &[1, 2]).unwrap();
        assert_eq!(tree.expand(first, &[1, 2]), None);
        assert!(tree.expand(first, &[1]).is_some());
        assert!(tree.bytes() <= 16 * 4);
    }
}
