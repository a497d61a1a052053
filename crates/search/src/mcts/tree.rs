//! The tree of a Monte-Carlo search, with nodes only for what was visited.
//!
//! A state may have thousands of moves of which a handful is ever tried. Its moves are shuffled when it is opened and
//! then tried in that order; a child gets its node when its turn comes. Until the last one had it, the state keeps a
//! record of what the order was: the moves, if they are few, or else those that come next and the random generator as
//! it was before it shuffled them, from which the order follows again.
//!
//! Children are a linked list at first, and move together when all were tried: only from then on does UCB1 look at all
//! of them, at every visit. The nodes that they leave are given to new children. A state with few moves takes all its
//! nodes at once, side by side: that is quicker and costs little.
//!
//! Threads share the list of nodes ([`Tree::part`]), but each works in a piece of the tree that nobody else looks at
//! (`side_by_side.rs`). So the numbers in a node are atomic, but nobody ever waits for them.

use std::marker::PhantomData;
use std::sync::atomic::AtomicU32;

use super::rows::{Layout, Rows};
use crate::support::cells::{Cell, put_words, take_words, words};
use perfectplay_core::random::below;
use perfectplay_core::{Estimate, Plain, Player};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A state as it was reached by one line, in a row of numbers:
///
/// ```text
///   visits · proof · moves · first · next · untried · fallback · mean (1 or more) · mover 1 byte · pending 2 · move
/// ```
pub(super) struct Node<'a, M, E> {
    words: &'a [AtomicU32],
    of: PhantomData<(M, E)>,
}

// By hand: deriving would ask for `M: Clone`.
impl<M, E> Clone for Node<'_, M, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, E> Copy for Node<'_, M, E> {}

const VISITS: usize = 0;
const PROOF: usize = 1;
const MOVES: usize = 2;
const FIRST: usize = 3;
const NEXT: usize = 4;
const UNTRIED: usize = 5;
const FALLBACK: usize = 6;
const MEAN: usize = 7;

/// Bytes before the move in its word.
const SHIFT: usize = 3;
const MOVER: u32 = 0xff;
/// One pending simulation, and all of them.
const ONE_PENDING: u32 = 1 << 8;
const PENDING: u32 = 0x7fff << 8;
const CLAIMED: u32 = 1 << 23;
/// A node counts up to so many pending simulations.
pub(super) const MOST_PENDING: usize = 0x7fff;

/// The row of a node.
pub(super) struct NodeRow<M, E>(PhantomData<(M, E)>);

impl<M: Plain, E: Plain> NodeRow<M, E> {
    /// Where mover, pending simulations and move are.
    const LAST: usize = MEAN + words::<E>(0);
}

impl<M: Plain, E: Plain> Layout for NodeRow<M, E> {
    const WORDS: usize = Self::LAST + words::<M>(SHIFT);
    const LINK: usize = NEXT;
}

impl<'a, M: Plain, E: Estimate> Node<'a, M, E> {
    const LAST: usize = NodeRow::<M, E>::LAST;

    /// Becomes one that was never visited.
    fn begin(self, mv: Option<M>) {
        self.words.iter().for_each(|word| word.set(0));
        self.set_mean(E::from_fn(|_| 0.0));
        if let Some(mv) = mv {
            put_words(&self.words[Self::LAST..], SHIFT, 0, mv);
        }
    }

    /// The same where no node ever was: all of it is zero.
    fn begin_fresh(self, mv: M) {
        debug_assert!(self.words.iter().all(|word| word.get() == 0) && self.mean() == E::from_fn(|_| 0.0));
        put_words(&self.words[Self::LAST..], SHIFT, 0, mv);
    }

    #[inline]
    pub(super) fn mean(self) -> E {
        take_words(&self.words[MEAN..Self::LAST], 0)
    }

    #[inline]
    pub(super) fn set_mean(self, mean: E) {
        put_words(&self.words[MEAN..Self::LAST], 0, 0, mean);
    }

    #[inline]
    pub(super) fn visits(self) -> u32 {
        self.words[VISITS].get()
    }

    #[inline]
    pub(super) fn set_visits(self, visits: u32) {
        self.words[VISITS].set(visits);
    }

    /// How many moves: 0 before the second visit.
    #[inline]
    pub(super) fn moves(self) -> u32 {
        self.words[MOVES].get()
    }

    /// The child that was tried first; 0 if none was.
    #[inline]
    fn first(self) -> u32 {
        self.words[FIRST].get()
    }

    /// The child of the same parent that was tried next, 0 for the last.
    #[inline]
    fn next(self) -> u32 {
        self.words[NEXT].get()
    }

    /// 0 when all children were tried. Otherwise the number of the record about those that were not, or, where all
    /// children have their nodes already, [`ADJACENT`] and the number of those that were tried.
    #[inline]
    fn untried(self) -> u32 {
        self.words[UNTRIED].get()
    }

    /// Whether there are moves that were never tried, of those that are known.
    #[inline]
    pub(super) fn has_untried(self) -> bool {
        self.untried() > 0
    }

    /// 0, or the number of what it is proved to be worth.
    #[inline]
    pub(super) fn proof(self) -> u32 {
        self.words[PROOF].get()
    }

    #[inline]
    pub(super) fn set_proof(self, proof: u32) {
        self.words[PROOF].set(proof);
    }

    /// The same for the best of the proved children, as long as the state itself is not proved.
    #[inline]
    pub(super) fn fallback(self) -> u32 {
        self.words[FALLBACK].get()
    }

    #[inline]
    pub(super) fn set_fallback(self, proof: u32) {
        self.words[FALLBACK].set(proof);
    }

    #[inline]
    fn last(self) -> &'a AtomicU32 {
        &self.words[Self::LAST]
    }

    /// Who moves, once the moves are known.
    #[inline]
    pub(super) fn mover(self) -> Player {
        Player::new((self.last().get() & MOVER) as usize)
    }

    /// The move that leads here; meaningless at the root.
    #[inline]
    pub(super) fn mv(self) -> M {
        take_words(&self.words[Self::LAST..], SHIFT)
    }

    /// Simulations on their way through here whose end is not known: each counts as a visit that leaves the mean as it
    /// is (Liu et al. 2020), until it is taken back.
    #[inline]
    pub(super) fn pending(self) -> u32 {
        (self.last().get() & PENDING) / ONE_PENDING
    }

    /// So many more are on their way.
    pub(super) fn begin_pending(self, simulations: u32) {
        self.last().set(self.last().get() + simulations * ONE_PENDING);
    }

    /// They have come back.
    pub(super) fn end_pending(self, simulations: u32) {
        self.last().set(self.last().get() - simulations * ONE_PENDING);
    }

    /// Whether a thread is at work here and below.
    #[inline]
    pub(super) fn is_claimed(self) -> bool {
        self.last().get() & CLAIMED > 0
    }

    pub(super) fn set_claimed(self, claimed: bool) {
        self.last().set(self.last().get() & !CLAIMED | if claimed { CLAIMED } else { 0 });
    }

    #[inline]
    pub(super) fn visits_with_pending(self) -> u32 {
        self.visits() + self.pending()
    }
}

/// Marks [`Node::untried`] where children have nodes before they are tried.
const ADJACENT: u32 = 1 << 31;

/// Children get nodes before they are tried if these take no more bytes: seven or fewer, with two players and small
/// moves.
const ADJACENT_BYTES: usize = 256;

/// What a state keeps as long as some of its children are untried, in a row of numbers: how many were tried, the child
/// that was tried last, and the order of the moves. These are listed one after the other where they are few; otherwise
/// there is the generator that shuffles them, and after it some of them: most states are never tried beyond the first.
struct Record;

const TRIED: usize = 0;
const LAST: usize = 1;
const ORDER: usize = 2;

/// The 82 moves of Go 9×9, at 2 bytes each: from there on it is cheaper to make moves again than to keep them.
const LISTED_BYTES: usize = 168;

impl Layout for Record {
    const WORDS: usize = ORDER + LISTED_BYTES / 4;
    const LINK: usize = LAST;
}

/// Numbers of a generator.
const GENERATOR: usize = 8;

/// How many moves have room after the generator.
const fn moves_ahead<M: Plain>() -> usize {
    (LISTED_BYTES - 4 * GENERATOR) / M::SIZE
}

/// Whether so many moves are listed.
fn are_listed<M: Plain>(moves: usize) -> bool {
    moves * M::SIZE <= LISTED_BYTES
}

fn set_bytes(words: &[AtomicU32], bytes: &[u8]) {
    for (word, bytes) in words.iter().zip(bytes.as_chunks().0) {
        word.set(u32::from_le_bytes(*bytes));
    }
}

/// Begins a record with the order of shuffled moves, which `dice` gave them.
fn begin_record<M: Plain>(record: &[AtomicU32], moves: &[M], dice: &Xoshiro256PlusPlus) {
    record[TRIED].set(0);
    record[LAST].set(0);
    let order = &record[ORDER..];
    if are_listed::<M>(moves.len()) {
        return set_moves(order, moves);
    }
    set_bytes(order, &dice.state());
    set_moves(&order[GENERATOR..], &moves[..moves_ahead::<M>()]);
}

fn set_moves<M: Plain>(words: &[AtomicU32], moves: &[M]) {
    let mut bytes = [0; LISTED_BYTES];
    moves.iter().enumerate().for_each(|(i, mv)| mv.put(&mut bytes[i * M::SIZE..]));
    set_bytes(words, &bytes[..(moves.len() * M::SIZE).next_multiple_of(4)]);
}

fn shuffle<M>(moves: &mut [M], dice: &mut Xoshiro256PlusPlus) {
    for i in (1..moves.len()).rev() {
        moves.swap(i, below(dice.next_u64(), i + 1));
    }
}

/// The generator of a record that lists no moves.
fn shuffler(record: &[AtomicU32]) -> Xoshiro256PlusPlus {
    let mut seed = [0; 32];
    for (bytes, word) in seed.as_chunks_mut::<4>().0.iter_mut().zip(&record[ORDER..]) {
        *bytes = word.get().to_le_bytes();
    }
    Xoshiro256PlusPlus::from_seed(seed)
}

/// One of the moves that [`set_moves`] wrote.
fn listed_move<M: Plain>(words: &[AtomicU32], i: usize) -> M {
    let at = i * M::SIZE;
    take_words(&words[at / 4..][..(at % 4 + M::SIZE).div_ceil(4)], at % 4)
}

/// The nodes and records, or what one thread has of them.
pub(super) struct Tree<M, E> {
    nodes: Rows<NodeRow<M, E>>,
    records: Rows<Record>,
    root: u32,
    /// How many states there are, untried children among them.
    states: u64,
    /// What there was no room for at last: so many nodes side by side, or a record.
    short_of: (usize, bool),
}

/// Nodes for which several threads have room from the beginning, if there is so much.
const MANY: usize = 1 << 14;

impl<M: Plain, E: Estimate> Tree<M, E> {
    /// A root that was never visited.
    pub(super) fn new() -> Self {
        let tree = Tree { nodes: Rows::new(), records: Rows::new(), root: 0, states: 1, short_of: (1, false) };
        tree.node(0).begin(None);
        tree
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.bytes() + self.records.bytes()
    }

    pub(super) fn states(&self) -> u64 {
        self.states
    }

    /// The first state of the tree, or of a thread's piece of it.
    #[inline]
    pub(super) fn root(&self) -> u32 {
        self.root
    }

    #[inline(always)]
    pub(super) fn node(&self, id: u32) -> Node<'_, M, E> {
        Node { words: self.nodes.row(id), of: PhantomData }
    }

    /// The children that were tried, in that order.
    pub(super) fn children(&self, id: u32) -> impl Iterator<Item = u32> {
        self.children_from(self.node(id).first())
    }

    /// A child and those that were tried after it.
    fn children_from(&self, first: u32) -> impl Iterator<Item = u32> {
        let some = |id: u32| (id > 0).then_some(id);
        std::iter::successors(some(first), move |&child| some(self.node(child).next()))
    }

    /// All children of a state where all were tried.
    #[inline]
    pub(super) fn all_children(&self, id: u32) -> impl Iterator<Item = (u32, Node<'_, M, E>)> {
        let node = self.node(id);
        debug_assert!(!node.has_untried());
        let rows = self.nodes.rows(node.first(), node.moves());
        (node.first()..).zip(rows.map(|words| Node { words, of: PhantomData }))
    }

    /// Shuffles the moves of a state, to be tried in this order from now on. `false`, and nothing is drawn, if `memory`
    /// has no room for a child.
    pub(super) fn open(
        &mut self,
        id: u32,
        mover: Player,
        moves: &mut [M],
        dice: &mut Xoshiro256PlusPlus,
        memory: usize,
    ) -> bool {
        let adjacent = moves.len() * NodeRow::<M, E>::WORDS * size_of::<u32>() <= ADJACENT_BYTES;
        let has_room = match adjacent {
            true => self.has_adjacent_room(moves.len(), memory),
            false => self.has_room(memory) && self.has_record_room(memory),
        };
        if !has_room {
            return false;
        }
        let before = dice.clone();
        shuffle(moves, dice);
        let (mut first, mut untried) = (0, ADJACENT);
        let count = moves.len() as u32;
        if adjacent {
            first = self.nodes.take_side_by_side(count);
            (first..).zip(&*moves).for_each(|(child, &mv)| self.node(child).begin_fresh(mv));
        } else {
            untried = self.records.take();
            begin_record(self.records.row(untried), moves, &before);
        }
        let node = self.node(id);
        node.words[MOVES].set(count);
        node.words[FIRST].set(first);
        node.words[UNTRIED].set(untried);
        node.last().set(node.last().get() & !MOVER | mover.index() as u32);
        self.states += u64::from(count);
        true
    }

    /// The next move to try; `expand` lists all moves, in the order of the rules, where they have to be shuffled again.
    pub(super) fn next_move(&self, id: u32, moves: &mut Vec<M>, expand: impl FnOnce(&mut Vec<M>)) -> M {
        let node = self.node(id);
        let untried = node.untried();
        if untried & ADJACENT > 0 {
            return self.node(node.first() + (untried ^ ADJACENT)).mv();
        }
        let record = self.records.row(untried);
        let (order, tried) = (&record[ORDER..], record[TRIED].get() as usize);
        if are_listed::<M>(node.moves() as usize) {
            return listed_move(order, tried);
        }
        let (ahead, in_order) = (&order[GENERATOR..], tried % moves_ahead::<M>());
        if in_order == 0 && tried > 0 {
            moves.clear();
            expand(moves);
            shuffle(moves, &mut shuffler(record));
            let rest = &moves[tried..];
            set_moves(ahead, &rest[..rest.len().min(moves_ahead::<M>())]);
        }
        listed_move(ahead, in_order)
    }

    /// Whether one child is untried, and the others will move when it is tried.
    pub(super) fn will_move(&self, id: u32) -> bool {
        let node = self.node(id);
        let untried = node.untried();
        untried > 0 && untried & ADJACENT == 0 && self.records.row(untried)[TRIED].get() + 1 == node.moves()
    }

    /// Adds the child to which the next move leads, unless `memory` has no room for it.
    pub(super) fn add_child(&mut self, id: u32, mv: M, memory: usize) -> Option<u32> {
        if self.node(id).untried() & ADJACENT > 0 {
            return Some(self.next_adjacent_child(id));
        }
        if self.will_move(id) {
            return self.add_last_child(id, mv, memory);
        }
        if !self.has_room(memory) {
            return None;
        }
        let child = self.nodes.take();
        self.node(child).begin(Some(mv));
        let node = self.node(id);
        let record = self.records.row(node.untried());
        let (tried, last) = (record[TRIED].get(), record[LAST].get());
        match tried {
            0 => node.words[FIRST].set(child),
            _ => self.node(last).words[NEXT].set(child),
        }
        record[TRIED].set(tried + 1);
        record[LAST].set(child);
        Some(child)
    }

    /// The next child where all have their nodes already.
    fn next_adjacent_child(&self, id: u32) -> u32 {
        let node = self.node(id);
        let tried = node.untried() ^ ADJACENT;
        let child = node.first() + tried;
        node.words[UNTRIED].set(if tried + 1 == node.moves() { 0 } else { ADJACENT | (tried + 1) });
        if tried > 0 {
            self.node(child - 1).words[NEXT].set(child);
        }
        child
    }

    /// The last child comes, and all of them move to where they lie side by side.
    fn add_last_child(&mut self, id: u32, mv: M, memory: usize) -> Option<u32> {
        let count = self.node(id).moves();
        if !self.has_adjacent_room(count as usize, memory) {
            return None;
        }
        let first = self.nodes.take_side_by_side(count);
        let last = first + count - 1;
        let mut from = self.node(id).first();
        for to in first..last {
            let next = self.node(from).next();
            self.copy(self, from, to, to + 1);
            self.nodes.release(from);
            from = next;
        }
        self.node(last).begin(Some(mv));
        let node = self.node(id);
        let record = node.untried();
        node.words[FIRST].set(first);
        node.words[UNTRIED].set(0);
        self.records.release(record);
        Some(last)
    }

    /// Copies a node of a tree to a place in this one; `next` comes after it there.
    fn copy(&self, tree: &Self, from: u32, to: u32, next: u32) {
        let (from, to) = (tree.node(from).words, self.node(to).words);
        from.iter().zip(to).for_each(|(from, to)| to.set(from.get()));
        to[NEXT].set(next);
    }

    /// Whether there is room for a node, which may be made for it within `memory`.
    fn has_room(&mut self, memory: usize) -> bool {
        self.nodes.has_one(memory.saturating_sub(self.records.bytes()))
    }

    fn has_record_room(&mut self, memory: usize) -> bool {
        let has_room = self.records.has_one(memory.saturating_sub(self.nodes.bytes()));
        self.short_of.1 |= !has_room;
        has_room
    }

    fn has_adjacent_room(&mut self, nodes: usize, memory: usize) -> bool {
        let has_room = self.nodes.has_room(nodes, memory.saturating_sub(self.records.bytes()));
        if !has_room {
            self.short_of.0 = nodes;
        }
        has_room
    }

    /// What a thread begins with: the nodes, but none for its own use.
    pub(super) fn part(&self) -> Self {
        let short_of = (1, self.records.used() > 1);
        Tree { nodes: self.nodes.part(), records: self.records.part(), root: 0, states: 0, short_of }
    }

    /// Makes room for so many threads to begin with, if there is so much.
    pub(super) fn prepare(&mut self, threads: usize) {
        let many = |used: u32, portion: usize| (used as usize / 4).max(4 * threads * portion);
        self.nodes.grow(many(self.nodes.used(), self.nodes.portion()).max(MANY));
        self.records.grow(many(self.records.used(), self.records.portion()));
    }

    /// Gives a thread what it needs for a simulation, within `memory`; `false` if that is not there.
    pub(super) fn provide(&mut self, part: &mut Self, memory: usize) -> bool {
        let (nodes, record) = part.short_of;
        let left = memory.saturating_sub(self.records.bytes());
        // One more to stand in for the top of its piece.
        if !self.nodes.provide(&mut part.nodes, nodes + 1, left) {
            return false;
        }
        let left = memory.saturating_sub(self.nodes.bytes());
        if record && !self.records.provide(&mut part.records, 1, left) {
            return false;
        }
        if part.root == 0 {
            part.root = part.nodes.take();
            part.node(part.root).begin(None);
        }
        true
    }

    /// Makes room for the threads that have these parts. A list grows only while nobody shares it, so they give back
    /// all but the tops of their pieces, and begin anew.
    pub(super) fn make_room(&mut self, parts: Vec<&mut Self>) {
        let mut kept = Vec::new();
        for part in parts {
            let (root, short_of) = (std::mem::take(&mut part.root), part.short_of);
            self.settle(std::mem::replace(part, Self::new()));
            kept.push((part, root, short_of));
        }
        self.prepare(kept.len());
        for (part, root, short_of) in kept {
            *part = Tree { root, short_of, ..self.part() };
        }
    }

    /// Takes back what a thread has left over.
    pub(super) fn settle(&mut self, mut part: Self) {
        if part.root > 0 {
            part.nodes.release(part.root);
        }
        self.nodes.settle(part.nodes);
        self.records.settle(part.records);
        self.states += part.states;
    }

    /// Moves all that is known of a state to another node, but not where that stands: its move, who comes next, and who
    /// is on the way.
    pub(super) fn transfer(&self, from: u32, to: u32) {
        let (from, to) = (self.node(from), self.node(to));
        for i in (0..NodeRow::<M, E>::LAST).filter(|&i| i != NEXT) {
            to.words[i].set(from.words[i].get());
        }
        to.last().set(to.last().get() & !MOVER | from.last().get() & MOVER);
    }

    /// The tree below a node, which becomes the root; none if there is no room for a copy.
    pub(super) fn below(&self, root: u32) -> Option<Self> {
        let mut kept = Self::new();
        kept.copy(self, root, 0, 0);
        let mut at = 0;
        while at < kept.nodes.used() {
            // As it was: its numbers are those of the nodes here.
            let (old, first) = (kept.node(at), kept.nodes.used());
            let (old_first, count, untried) = (old.first(), old.moves(), old.untried());
            match untried & ADJACENT > 0 {
                true => {
                    let moved = |next: u32| if next > 0 { next - old_first + first } else { 0 };
                    for child in old_first..old_first + count {
                        kept.append(self, child, |_| moved(self.node(child).next()))?;
                    }
                }
                false => {
                    for child in self.children_from(old_first) {
                        let is_last = self.node(child).next() == 0;
                        kept.append(self, child, |to| if is_last { 0 } else { to + 1 })?;
                    }
                }
            }
            if untried > 0 && untried & ADJACENT == 0 {
                kept.has_record_room(usize::MAX).then_some(())?;
                let record = kept.records.take();
                let (from, to) = (self.records.row(untried), kept.records.row(record));
                from.iter().zip(to).for_each(|(from, to)| to.set(from.get()));
                to[LAST].set(kept.nodes.used() - 1);
                kept.node(at).words[UNTRIED].set(record);
            }
            kept.node(at).words[FIRST].set(if old_first > 0 { first } else { 0 });
            kept.states += u64::from(count);
            at += 1;
        }
        Some(kept)
    }

    /// Checks that every visit of a state but the first went on to a child, that nobody is under way, and that every
    /// node that was ever used is in the tree or free, and once.
    #[cfg(test)]
    pub(super) fn check(&self) {
        let (mut nodes, mut records, mut states, mut open) = (0, 0, 1, vec![0]);
        while let Some(id) = open.pop() {
            let node = self.node(id);
            assert!(!node.is_claimed() && node.pending() == 0, "{} simulations are left", node.pending());
            let below: u32 = self.children(id).map(|child| self.node(child).visits()).sum();
            assert!(node.moves() == 0 || node.visits() == below + 1, "{} and {below} visits", node.visits());
            states += u64::from(node.moves());
            records += usize::from(node.has_untried() && node.untried() & ADJACENT == 0);
            nodes += 1;
            if node.untried() & ADJACENT > 0 {
                nodes += node.moves() as usize - (node.untried() ^ ADJACENT) as usize;
            }
            open.extend(self.children(id));
        }
        assert_eq!((self.nodes.check(), self.records.check(), self.states), (nodes, records + 1, states));
    }

    /// Appends a copy of another tree's node.
    fn append(&mut self, tree: &Self, from: u32, next: impl FnOnce(u32) -> u32) -> Option<()> {
        self.has_adjacent_room(1, usize::MAX).then_some(())?;
        let to = self.nodes.take_side_by_side(1);
        self.copy(tree, from, to, next(to));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    const PLENTY: usize = usize::MAX;

    /// The moves of a state in the order in which they are tried.
    fn tried_in_order<M: Plain + PartialEq>(moves: &[M], seed: u64) -> Vec<M> {
        let mut tree = Tree::<M, f32>::new();
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        assert!(tree.open(0, Player::SECOND, &mut moves.to_vec(), &mut dice, PLENTY));
        let mut scratch = Vec::new();
        while tree.node(0).has_untried() {
            let mv = tree.next_move(0, &mut scratch, |list| list.extend_from_slice(moves));
            tree.add_child(0, mv, PLENTY).unwrap();
        }
        assert_eq!(tree.node(0).mover(), Player::SECOND);
        assert!(tree.children(0).eq(tree.all_children(0).map(|(id, _)| id)), "side by side");
        tree.children(0).map(|id| tree.node(id).mv()).collect()
    }

    #[test]
    fn moves_are_tried_in_the_order_of_a_full_shuffle() {
        for count in (1..60).chain([500]) {
            let mut moves: Vec<u16> = (0..count).collect();
            let tried = tried_in_order(&moves, count.into());
            let wide: Vec<u64> = moves.iter().map(|&mv| mv.into()).collect();
            let tried_wide = tried_in_order(&wide, count.into());
            let mut dice = Xoshiro256PlusPlus::seed_from_u64(count.into());
            (1..moves.len()).rev().for_each(|i| moves.swap(i, below(dice.next_u64(), i + 1)));
            assert_eq!(tried, moves);
            assert!(tried_wide.iter().copied().eq(moves.iter().map(|&mv| mv.into())));
        }
    }

    /// By state, the moves of its children.
    type Children = Vec<(usize, Vec<u16>)>;

    /// Opens states and tries moves at random, beside a plain list of what was tried where.
    fn grown(steps: usize) -> (Tree<u16, f32>, Children) {
        let mut tree = Tree::<u16, f32>::new();
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut scratch = Vec::new();
        for _ in 0..steps {
            let mut id = 0;
            while tree.node(id).moves() > 0 && !tree.node(id).has_untried() {
                id = tree.node(id).first() + below(dice.next_u64(), tree.node(id).moves() as usize) as u32;
            }
            if tree.node(id).moves() == 0 {
                let count = 1 + below(dice.next_u64(), 40) as u16;
                assert!(tree.open(id, Player::FIRST, &mut (0..count).collect::<Vec<_>>(), &mut dice, PLENTY));
            }
            let count = tree.node(id).moves() as u16;
            let mv = tree.next_move(id, &mut scratch, |list| list.extend(0..count));
            let child = tree.add_child(id, mv, PLENTY).unwrap();
            tree.node(child).set_visits(1 + u32::from(mv));
        }
        let lists = all_lists(&tree);
        (tree, lists)
    }

    /// Every state's depth and tried moves, in depth-first order.
    fn all_lists(tree: &Tree<u16, f32>) -> Vec<(usize, Vec<u16>)> {
        let (mut lists, mut stack) = (Vec::new(), vec![(0, 0)]);
        while let Some((id, depth)) = stack.pop() {
            lists.push((depth, tree.children(id).map(|child| tree.node(child).mv()).collect()));
            stack.extend(tree.children(id).map(|child| (child, depth + 1)));
            assert!(tree.children(id).all(|child| tree.node(child).visits() == 1 + u32::from(tree.node(child).mv())));
        }
        lists
    }

    #[test]
    fn nodes_are_used_again_and_none_is_lost() {
        let (tree, lists) = grown(20_000);
        assert_eq!(lists.len(), 20_001, "a node for every child");
        assert!(
            lists.iter().all(|(_, moves)| moves.iter().collect::<std::collections::HashSet<_>>().len() == moves.len())
        );
        assert!(tree.nodes.used() < 30_000, "{} nodes: those left are used again", tree.nodes.used());
        let has_record = |id: u32| tree.node(id).has_untried() && tree.node(id).untried() & ADJACENT == 0;
        let (mut open, mut stack) = (0, vec![0]);
        while let Some(id) = stack.pop() {
            open += usize::from(has_record(id));
            stack.extend(tree.children(id));
        }
        assert_eq!(tree.records.check(), open + 1, "and the first, which nobody has");
        assert!((tree.records.used() as usize) < open + 100, "{} records for {open} states", tree.records.used());
    }

    #[test]
    fn what_is_kept_below_a_node_is_what_was_there() {
        let (tree, lists) = grown(5_000);
        let whole = tree.below(0).unwrap();
        assert_eq!(all_lists(&whole), lists);
        assert_eq!(whole.states(), tree.states());
        let child = tree.children(0).next().unwrap();
        let kept = tree.below(child).unwrap();
        let part: Vec<_> = all_lists(&kept).into_iter().map(|(depth, moves)| (depth + 1, moves)).collect();
        assert!(lists.windows(part.len()).any(|window| window == part));
        assert_eq!(kept.node(0).next(), 0);
    }

    #[test]
    fn without_room_nothing_is_drawn_and_nothing_changes() {
        let mut tree = Tree::<u16, f32>::new();
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(1);
        let before = dice.clone();
        assert!(!tree.open(0, Player::FIRST, &mut [1, 2, 3], &mut dice, tree.bytes()));
        assert_eq!((dice, tree.node(0).moves()), (before, 0));
    }
}
