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
//!
//! Threads share the arrays ([`Tree::part`]): each has places and free blocks of its own, and a part of the tree that
//! nobody else looks at (`side_by_side.rs`). So the numbers in the arrays are atomic, but nobody ever waits for them.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

use perfectplay_core::Plain;

use crate::proof_number::effort_numbers::{Goals, Pair, Window};
use crate::support::cells::{Cell, Cells, put_words, take_words, words};
use crate::support::saved::{Reader, SaveError, Writer};

/// Index of a node.
pub(crate) type Id = u32;

/// The root.
pub(crate) const ROOT: Id = 0;
const NONE: Id = Id::MAX;

/// One position in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    first: Id,
    count: u16,
    mover: u8,
}

impl Node {
    /// Whether the first player moves here. Set when the node is evaluated.
    #[inline]
    pub(crate) fn for_max(&self) -> bool {
        self.mover == 0
    }

    /// The ids of its children; empty for a leaf.
    #[inline]
    pub(crate) fn children(&self) -> Range<Id> {
        if self.count == 0 { 0..0 } else { self.first..self.first + Id::from(self.count) }
    }

    /// Whether it has no children (yet, or any more).
    #[inline]
    pub(crate) fn is_leaf(&self) -> bool {
        self.count == 0
    }
}

/// The arrays.
struct Arena {
    nodes: Cells<AtomicU32>,
    numbers: Cells<AtomicU64>,
}

/// Nodes for which a small tree has room.
const FEW: usize = 64;

/// The arena, or what one thread has of it.
pub(crate) struct Tree<M, W> {
    goals: W,
    arena: Arc<Arena>,
    /// Places that were never used.
    fresh: Range<Id>,
    /// Such places that were handed out to threads and came back.
    left: Vec<Range<Id>>,
    /// By block size: the first free block, and where a list that was empty at first ends.
    free: Vec<Id>,
    ends: Vec<Id>,
    held: isize,  // nodes in use; fewer than none, if a thread frees what others made
    limit: usize, // nodes that may be allocated in all
    stack: Vec<(Id, u16)>,
    any: M, // where a move must stand that nobody reads
}

/// Places that a thread gets at a time, and free blocks.
const LEAST_PLACES: usize = 1 << 5;
const MOST_PLACES: usize = 1 << 11;
const BLOCKS: usize = 32;

/// Bytes of a node's second word before its move: the number of children and the mover.
const SHIFT: usize = 3;

impl<M: Plain, W: Goals> Tree<M, W> {
    /// The first child's id, then everything else.
    const WORDS: usize = 1 + words::<M>(SHIFT);

    /// Nothing but a root. `any` stands in for the root's move, which nobody reads.
    pub(crate) fn new(goals: W, any: M) -> Self {
        let nodes = Cells::new(FEW * Self::WORDS);
        let numbers = Cells::new(FEW * goals.count().max(1));
        let tree = Tree {
            goals,
            arena: Arc::new(Arena { nodes, numbers }),
            fresh: 1..FEW as Id,
            left: Vec::new(),
            free: Vec::new(),
            ends: Vec::new(),
            held: 1,
            limit: NONE as usize,
            stack: Vec::new(),
            any,
        };
        tree.put_leaf(ROOT, any);
        tree
    }

    /// Forgets all nodes but the root, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.fresh.start = 1;
        self.put(ROOT, Node { count: 0, ..self.node(ROOT) });
        self.free.clear();
        self.left.clear();
        self.held = 1;
    }

    /// Sets how many bytes it may hold.
    pub(crate) fn limit_bytes(&mut self, bytes: usize) {
        self.limit = (bytes / self.bytes_per_node()).min(NONE as usize);
    }

    /// Bytes that one node takes, numbers included.
    pub(crate) fn bytes_per_node(&self) -> usize {
        4 * Self::WORDS + self.goals.count() * size_of::<Pair>()
    }

    /// Bytes held now.
    pub(crate) fn bytes(&self) -> usize {
        let used = self.fresh.start as usize;
        Cells::<AtomicU32>::bytes(used * Self::WORDS) + Cells::<AtomicU64>::bytes(used * self.goals.count())
    }

    #[inline]
    fn words(&self, id: Id) -> &[AtomicU32] {
        &self.arena.nodes[id as usize * Self::WORDS..][..Self::WORDS]
    }

    /// A node.
    #[inline]
    pub(crate) fn node(&self, id: Id) -> Node {
        let words = self.words(id);
        let rest = words[1].get();
        Node { first: words[0].get(), count: rest as u16, mover: (rest >> 16) as u8 }
    }

    /// The move that leads to a node; meaningless at the root.
    #[inline]
    pub(crate) fn mv(&self, id: Id) -> M {
        take_words(&self.words(id)[1..], SHIFT)
    }

    #[inline]
    fn put(&self, id: Id, node: Node) {
        let words = self.words(id);
        words[0].set(node.first);
        let rest = u32::from(node.count) | u32::from(node.mover) << 16;
        words[1].set(words[1].get() & 0xff00_0000 | rest);
    }

    #[inline]
    fn put_leaf(&self, id: Id, mv: M) {
        let words = self.words(id);
        words[0].set(NONE);
        put_words(&words[1..], SHIFT, 0, mv);
    }

    /// The numbers of a node, one pair per goal.
    #[inline]
    pub(crate) fn numbers(&self, id: Id) -> &[AtomicU64] {
        let count = self.goals.count();
        &self.arena.numbers[id as usize * count..][..count]
    }

    /// Sets the numbers of a node.
    #[inline]
    pub(crate) fn set_numbers(&self, id: Id, pairs: &[Pair]) {
        self.numbers(id).iter().zip(pairs).for_each(|(cell, pair)| cell.set(pair.bits()));
    }

    /// The numbers of all children of a node, child after child.
    #[inline]
    pub(crate) fn numbers_of_children(&self, node: Node) -> &[AtomicU64] {
        let (range, count) = (node.children(), self.goals.count());
        &self.arena.numbers[range.start as usize * count..range.end as usize * count]
    }

    /// Notes who moves at a leaf.
    #[inline]
    pub(crate) fn set_leaf_mover(&self, id: Id, for_max: bool) {
        let rest = &self.words(id)[1];
        rest.set(rest.get() & 0xff00_0000 | u32::from(!for_max) << 16);
    }

    /// Gives a leaf one child per move, and tells the first of them. `None` if there is no room.
    pub(crate) fn expand(&mut self, id: Id, moves: &[M]) -> Option<Id> {
        let count = u16::try_from(moves.len()).ok()?;
        let first = self.take_block(count)?;
        for (child, &mv) in (first..).zip(moves) {
            self.put_leaf(child, mv);
        }
        self.put(id, Node { first, count, ..self.node(id) });
        Some(first)
    }

    /// Whether there is such a node.
    pub(crate) fn has(&self, id: Id) -> bool {
        id < self.fresh.start
    }

    /// Writes all nodes, those on the lists of free blocks among them.
    pub(crate) fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        let used = self.fresh.start;
        to.put([self.held as u64, u64::from(used)])?;
        to.put_all(&self.free)?;
        to.put_len(used as usize)?;
        for id in 0..used {
            let node = self.node(id);
            to.put((node.first, (node.count, node.mover)))?;
            to.put(self.mv(id))?;
            self.numbers(id).iter().try_for_each(|cell| to.put(Pair::from_bits(cell.get())))?;
        }
        Ok(())
    }

    /// Reads what [`Tree::save`] wrote.
    pub(crate) fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        let [held, _]: [u64; 2] = from.get()?;
        self.held = held as isize;
        self.free = from.get_all()?;
        self.ends = vec![NONE; self.free.len()];
        self.left.clear();
        let count = from.get_len(7 + M::SIZE + 8 * self.goals.count())?;
        if count == 0 || count > NONE as usize {
            return Err(SaveError::Damaged("nodes that do not belong together"));
        }
        self.fresh.start = 0; // nothing of what was there counts
        if count > self.fresh.end as usize && !self.grow(count) {
            return Err(SaveError::no_memory());
        }
        self.fresh.start = count as Id;
        for id in 0..count as Id {
            let (first, (number, mover)) = from.get()?;
            self.put_leaf(id, from.get()?);
            self.put(id, Node { first, count: number, mover });
            for goal in 0..self.goals.count() {
                self.numbers(id)[goal].set(from.get::<Pair>()?.bits());
            }
        }
        // Freed nodes hold leftovers, so nothing more can be said about single nodes.
        if self.free.iter().any(|&block| block != NONE && !self.has(block)) {
            return Err(SaveError::Damaged("nodes that do not belong together"));
        }
        Ok(())
    }

    /// Makes room for so many nodes in all.
    #[cold]
    fn grow(&mut self, nodes: usize) -> bool {
        let Some(arena) = Arc::get_mut(&mut self.arena) else { return false };
        let (used, most) = (self.fresh.start as usize, NONE as usize);
        let goals = self.goals.count();
        let fits = arena.nodes.reserve(nodes * Self::WORDS, used * Self::WORDS, most * Self::WORDS)
            && arena.numbers.reserve(nodes * goals, used * goals, most * goals);
        if fits {
            self.fresh.end = nodes as Id;
        }
        fits
    }

    /// A free block of so many nodes, or a new one.
    #[inline]
    fn take_block(&mut self, count: u16) -> Option<Id> {
        let first = self.take_free_block(count).or_else(|| self.append(count))?;
        self.held += count as isize;
        Some(first)
    }

    #[inline]
    fn take_free_block(&mut self, count: u16) -> Option<Id> {
        let list = self.free.get_mut(usize::from(count)).filter(|list| **list != NONE)?;
        let block = *list;
        *list = self.arena.nodes[block as usize * Self::WORDS].get();
        Some(block)
    }

    #[inline]
    fn append(&mut self, count: u16) -> Option<Id> {
        if self.fresh.len() < usize::from(count) || self.fresh.start as usize + usize::from(count) > self.limit {
            return self.append_after_all(count);
        }
        let first = self.fresh.start;
        self.fresh.start += Id::from(count);
        Some(first)
    }

    /// Where there are no fresh places, within the limit.
    #[cold]
    fn append_after_all(&mut self, count: u16) -> Option<Id> {
        let needed = self.fresh.start as usize + usize::from(count);
        // Half as much again, but no more than allowed: the last step uses up exactly what there is.
        if needed <= self.limit && self.grow((needed + needed / 2).min(self.limit)) {
            return self.append(count);
        }
        self.carve(count);
        self.take_free_block(count)
    }

    /// Makes blocks of this size of the places that came back from threads.
    fn carve(&mut self, count: u16) {
        for mut range in std::mem::take(&mut self.left) {
            while range.len() >= usize::from(count) {
                self.link_block(range.start, count.into());
                range.start += Id::from(count);
            }
            self.link_block(range.start, range.len());
        }
    }

    /// Puts a block onto the list of its size.
    #[inline]
    fn link_block(&mut self, first: Id, count: usize) {
        if count == 0 {
            return;
        }
        if self.free.len() <= count {
            self.free.resize(count + 1, NONE);
            self.ends.resize(count + 1, NONE);
        }
        if self.free[count] == NONE {
            self.ends[count] = first;
        }
        self.link(first, self.free[count]);
        self.free[count] = first;
    }

    /// Notes which free block comes after this one.
    #[inline]
    fn link(&self, block: Id, next: Id) {
        self.arena.nodes[block as usize * Self::WORDS].set(next);
    }

    fn release_block(&mut self, first: Id, count: usize) {
        self.link_block(first, count);
        self.held -= count as isize;
    }

    /// What a thread begins with: the arrays, but no place in them.
    pub(crate) fn part(&self) -> Self {
        Tree {
            goals: self.goals,
            arena: self.arena.clone(),
            fresh: 0..0,
            left: Vec::new(),
            free: Vec::new(),
            ends: Vec::new(),
            held: 0,
            limit: NONE as usize,
            stack: Vec::new(),
            any: self.any,
        }
    }

    /// Makes sure that a thread has places for so many children; `false` if there are none, unless something grows.
    pub(crate) fn provide(&mut self, part: &mut Self, count: u16) -> bool {
        if part.has_room(count) {
            return true;
        }
        for _ in 0..BLOCKS {
            let Some(block) = self.take_free_block(count) else { break };
            part.link_block(block, count.into());
        }
        if part.has_room(count) {
            return true;
        }
        let left = self.left.iter().position(|range| range.len() >= usize::from(count));
        let places = left.map(|i| self.left.swap_remove(i)).or_else(|| {
            let end = (self.fresh.end as usize).min(self.limit);
            let len = end.saturating_sub(self.fresh.start as usize).min(self.places().max(count.into()));
            let places = self.fresh.start..self.fresh.start + len as Id;
            (len >= usize::from(count)).then(|| {
                self.fresh.start = places.end;
                places
            })
        });
        let Some(places) = places else { return false };
        let before = std::mem::replace(&mut part.fresh, places);
        self.fill(&before);
        part.link_block(before.start, before.len());
        true
    }

    /// Whether there is room for so many children without asking anybody.
    #[inline]
    fn has_room(&self, count: u16) -> bool {
        self.fresh.len() >= count.into() || self.free.get(usize::from(count)).is_some_and(|&block| block != NONE)
    }

    /// Makes room for so many threads to begin with, if it may.
    pub(crate) fn prepare(&mut self, threads: usize) {
        let needed = self.fresh.start as usize + threads * self.places();
        if needed > self.fresh.end as usize {
            self.grow((needed + needed / 2).min(self.limit));
        }
    }

    /// Places that a thread gets at a time.
    fn places(&self) -> usize {
        (self.fresh.start as usize / 64).clamp(LEAST_PLACES, MOST_PLACES)
    }

    /// Nodes that nobody has written yet stand in the way of saving.
    fn fill(&self, places: &Range<Id>) {
        places.clone().for_each(|id| self.put_leaf(id, self.any));
    }

    /// Takes back what a thread has left over.
    pub(crate) fn settle(&mut self, part: Self) {
        for (count, &first) in part.free.iter().enumerate().filter(|(_, first)| **first != NONE) {
            if self.free.len() <= count {
                self.free.resize(count + 1, NONE);
                self.ends.resize(count + 1, NONE);
            }
            if self.free[count] == NONE {
                self.ends[count] = part.ends[count];
            }
            self.link(part.ends[count], self.free[count]);
            self.free[count] = first;
        }
        self.held += part.held;
        self.fill(&part.fresh);
        self.left.extend((!part.fresh.is_empty()).then_some(part.fresh));
    }

    /// A node of its own, without a move, that a thread can let another one stand in for.
    pub(crate) fn take_place(&mut self) -> Option<Id> {
        let place = self.take_block(1)?;
        self.put_leaf(place, self.any);
        Some(place)
    }

    /// Moves everything but the move from one node to another; what is left is a leaf with the same numbers.
    pub(crate) fn transfer(&self, from: Id, to: Id) {
        let node = self.node(from);
        self.put(to, node);
        self.put(from, Node { count: 0, ..node });
        self.numbers(from).iter().zip(self.numbers(to)).for_each(|(from, to)| to.set(from.get()));
    }

    /// How many nodes are in use, if every other place that was ever used is free, and is so once.
    #[cfg(test)]
    pub(crate) fn check_places(&self) -> usize {
        let mut free = std::collections::HashSet::new();
        for (count, &block) in self.free.iter().enumerate() {
            let mut at = block;
            while at != NONE {
                assert!((at..at + count as Id).all(|id| self.has(id) && free.insert(id)), "free twice");
                at = self.node(at).first;
            }
        }
        assert!(self.left.iter().flat_map(|range| range.clone()).all(|id| self.has(id) && free.insert(id)));
        assert_eq!(self.held, self.fresh.start as isize - free.len() as isize);
        self.held as usize
    }

    /// Frees everything below a node, which becomes a leaf and keeps its numbers.
    pub(crate) fn release_below(&mut self, id: Id) {
        // Blocks, not nodes: a freed block's first node holds the link to the next free one.
        let mut stack = std::mem::take(&mut self.stack);
        self.cut(id, &mut stack);
        while let Some((first, count)) = stack.pop() {
            (first..first + Id::from(count)).for_each(|id| self.cut(id, &mut stack));
            self.release_block(first, count.into());
        }
        self.stack = stack;
    }

    /// Makes a leaf of a node; the block of its children goes onto the stack.
    fn cut(&self, id: Id, stack: &mut Vec<(Id, u16)>) {
        let node = self.node(id);
        if node.count > 0 {
            stack.push((node.first, node.count));
            self.put(id, Node { count: 0, ..node });
        }
    }

    /// Frees everything below a node except one child with what is below it.
    pub(crate) fn keep_only(&mut self, id: Id, kept: Id) {
        let node = self.node(id);
        if node.count == 1 {
            return;
        }
        for child in node.children().filter(|&c| c != kept) {
            self.release_below(child);
        }
        // The kept child moves to the front of the block; the rest of the block is free.
        let (mv, below) = (self.mv(kept), self.node(kept));
        self.put_leaf(node.first, mv);
        self.put(node.first, below);
        self.numbers(kept).iter().zip(self.numbers(node.first)).for_each(|(from, to)| to.set(from.get()));
        self.put(id, Node { count: 1, ..node });
        self.release_block(node.first + 1, usize::from(node.count) - 1);
    }

    /// Frees what lies below nodes that cannot matter any more (Saffidine and Cazenave 2012, Prop. 4), everywhere;
    /// `relevant` is the window of the root. What lies above a place where a thread is at work stays.
    pub(crate) fn sweep(&mut self, relevant: Window, in_progress: impl Fn(Id) -> bool) {
        let mut open = vec![(ROOT, relevant)];
        while let Some((id, above)) = open.pop() {
            let node = self.node(id);
            if node.is_leaf() {
                continue;
            }
            let own = Window::of(self.numbers(id));
            let window = above.and(own);
            // What is solved keeps the line of play that shows it.
            if own.closed() {
                continue;
            }
            if window.closed() && !in_progress(id) {
                self.release_below(id);
                continue;
            }
            open.extend(node.children().map(|c| (c, window)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof_number::effort_numbers::{One, PairAt, Two};

    #[test]
    fn nodes_are_as_small_as_promised() {
        assert_eq!(4 * Tree::<u8, One>::WORDS, 8);
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
        let length = tree.fresh.start;
        tree.expand(first, &[8, 9]).unwrap();
        tree.expand(first + 2, &[8, 9]).unwrap();
        assert_eq!(tree.fresh.start, length, "nothing new was allocated");
        assert!(tree.node(first + 1).is_leaf());
    }

    #[test]
    fn one_line_can_be_kept() {
        let mut tree = Tree::new(One, 0u8);
        let first = tree.expand(ROOT, &[1, 2, 3]).unwrap();
        tree.expand(first, &[9]).unwrap();
        let below = tree.expand(first + 1, &[4, 5]).unwrap();
        tree.set_numbers(first + 1, &[Pair::PROVED]);
        tree.keep_only(ROOT, first + 1);
        let kept = tree.node(ROOT).children();
        assert_eq!(kept.len(), 1);
        assert_eq!(tree.mv(kept.start), 2);
        assert_eq!(tree.numbers(kept.start)[0].pair(), Pair::PROVED);
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
