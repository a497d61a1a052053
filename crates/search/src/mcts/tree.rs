//! The tree of a Monte-Carlo search, with nodes only for what was visited.
//!
//! A state may have thousands of moves of which a handful is ever tried. Its moves are shuffled when it is opened and
//! then tried in that order; a child gets its node when its turn comes. Until the last one had it, the state keeps a
//! record of what the order was: the moves, if they are few, or else the random generator as it was before it shuffled
//! them, from which the order follows again.
//!
//! Children are a linked list at first, and move together when all were tried: only from then on does UCB1 look at all
//! of them, at every visit. The nodes that they leave are given to new children. A state with few moves takes all its
//! nodes at once, side by side: that is quicker and costs little.

use std::ops::{Index, IndexMut, Range};

use crate::support::memory::reserve_exact;
use perfectplay_core::random::below;
use perfectplay_core::{Estimate, Plain, Player};
use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// A state as it was reached by one line.
#[derive(Clone, Copy)]
pub(super) struct Node<M, E> {
    pub(super) mean: E,
    pub(super) visits: u32,
    /// How many moves: 0 before the second visit.
    pub(super) moves: u32,
    /// The child that was tried first; 0 if none was.
    first: u32,
    /// The child of the same parent that was tried next, 0 for the last; for a node out of use, the next such node.
    next: u32,
    /// 0 when all children were tried. Otherwise one more than the index of the record about those that were not, or,
    /// where all children have their nodes already, [`ADJACENT`] and the number of those that were tried.
    untried: u32,
    /// 0, or the number of what it is proved to be worth.
    pub(super) proof: u32,
    /// The same for the best of the proved children, as long as the state itself is not proved.
    pub(super) fallback: u32,
    /// Who moves, once the moves are known.
    mover: u8,
    /// Simulations on their way through here whose end is not known: each counts as a visit that the one who moved here
    /// has lost (Chaslot, Winands and van den Herik 2008), until it is taken back.
    pub(super) pending: u8,
    /// The move that leads here; none leads to the root.
    pub(super) mv: Option<M>,
}

impl<M, E: Estimate> Node<M, E> {
    fn new(mv: Option<M>) -> Self {
        let mean = E::from_fn(|_| 0.0);
        Node {
            mean,
            visits: 0,
            moves: 0,
            first: 0,
            next: 0,
            untried: 0,
            proof: 0,
            fallback: 0,
            mover: 0,
            pending: 0,
            mv,
        }
    }

    pub(super) fn mover(&self) -> Player {
        Player::new(self.mover.into())
    }

    #[inline]
    pub(super) fn visits_with_pending(&self) -> u32 {
        self.visits + u32::from(self.pending)
    }

    /// The mean for the one who moved here.
    #[inline]
    pub(super) fn mean_with_pending(&self, mover: Player) -> f32 {
        let mean = self.mean.of(mover);
        if self.pending == 0 {
            return mean;
        }
        let (visits, lost) = (self.visits as f32, f32::from(self.pending));
        (mean * visits - lost) / (visits + lost)
    }

    /// Whether there are moves that were never tried, of those that are known.
    pub(super) fn has_untried(&self) -> bool {
        self.untried > 0
    }
}

/// Marks [`Node::untried`] where children have nodes before they are tried.
const ADJACENT: u32 = 1 << 31;

/// Children get nodes before they are tried if these take no more bytes: seven or fewer, with two players and small
/// moves.
const ADJACENT_BYTES: usize = 256;

/// What a state keeps as long as some of its children are untried.
#[derive(Clone)]
struct Untried {
    order: Order,
    tried: u32,
    /// The child that was tried last; for a record out of use, the next such record.
    last: u32,
}

/// In which order moves are tried.
#[derive(Clone)]
enum Order {
    /// One after the other, where they are few.
    Listed([u8; LISTED_BYTES]),
    /// As this generator shuffles them.
    Shuffled(Xoshiro256PlusPlus),
}

impl Untried {
    /// Takes the order of shuffled moves, which `dice` gave them. No more is written than must be: most lists are
    /// short.
    #[inline]
    fn begin<M: Plain>(&mut self, moves: &[M], dice: Xoshiro256PlusPlus) {
        (self.tried, self.last) = (0, 0);
        if moves.len() * M::SIZE > LISTED_BYTES {
            self.order = Order::Shuffled(dice);
            return;
        }
        if let Order::Shuffled(_) = self.order {
            self.order = Order::Listed([0; LISTED_BYTES]);
        }
        if let Order::Listed(bytes) = &mut self.order {
            moves.iter().enumerate().for_each(|(i, mv)| mv.put(&mut bytes[i * M::SIZE..]));
        }
    }
}

/// The 82 moves of Go 9×9, at 2 bytes each: from there on it is cheaper to make moves again than to keep them. With the
/// tag it makes a whole number of words.
const LISTED_BYTES: usize = 167;

/// The root is node 0.
pub(super) struct Tree<M, E> {
    nodes: Vec<Node<M, E>>,
    /// The first node out of use, 0 if there is none.
    free_node: u32,
    untried: Vec<Untried>,
    /// The first record out of use, in the way of [`Node::untried`].
    free_record: u32,
    /// How many states there are, untried children among them.
    states: u64,
    /// How often children have moved together: then their nodes have other numbers.
    moved: u64,
}

/// Scratch space.
pub(super) struct Scratch<M> {
    pub(super) moves: Vec<M>,
    draws: Vec<u32>,
}

impl<M> Scratch<M> {
    pub(super) fn new() -> Self {
        Scratch { moves: Vec::new(), draws: Vec::new() }
    }
}

impl<M, E> Index<usize> for Tree<M, E> {
    type Output = Node<M, E>;

    #[inline]
    fn index(&self, id: usize) -> &Node<M, E> {
        &self.nodes[id]
    }
}

impl<M, E> IndexMut<usize> for Tree<M, E> {
    #[inline]
    fn index_mut(&mut self, id: usize) -> &mut Node<M, E> {
        &mut self.nodes[id]
    }
}

impl<M: Plain, E: Estimate> Tree<M, E> {
    /// A root that was never visited.
    pub(super) fn new() -> Self {
        Self::with_root(Node::new(None))
    }

    fn with_root(root: Node<M, E>) -> Self {
        let nodes = vec![root];
        Tree { nodes, free_node: 0, untried: Vec::new(), free_record: 0, states: 1, moved: 0 }
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<M, E>>() + self.untried.capacity() * size_of::<Untried>()
    }

    pub(super) fn moved(&self) -> u64 {
        self.moved
    }

    pub(super) fn states(&self) -> u64 {
        self.states
    }

    /// The children that were tried, in that order.
    pub(super) fn children(&self, id: usize) -> impl Iterator<Item = usize> {
        let some = |id: u32| (id > 0).then_some(id as usize);
        std::iter::successors(some(self.nodes[id].first), move |&child| some(self.nodes[child].next))
    }

    /// All children of a state where all were tried.
    #[inline]
    pub(super) fn all_children(&self, id: usize) -> (Range<usize>, &[Node<M, E>]) {
        debug_assert!(!self.nodes[id].has_untried());
        let first = self.nodes[id].first as usize;
        let range = first..first + self.nodes[id].moves as usize;
        (range.clone(), &self.nodes[range])
    }

    /// Shuffles the moves of a state, to be tried in this order from now on. `false`, and nothing is drawn, if `memory`
    /// has no room for a child.
    pub(super) fn open(
        &mut self,
        id: usize,
        mover: Player,
        moves: &mut [M],
        dice: &mut Xoshiro256PlusPlus,
        memory: usize,
    ) -> bool {
        let adjacent = moves.len() * size_of::<Node<M, E>>() <= ADJACENT_BYTES;
        let has_room = match adjacent {
            true => self.has_adjacent_room(moves.len(), memory),
            false => self.has_room(memory) && self.has_record_room(memory),
        };
        if !has_room {
            return false;
        }
        let before = dice.clone();
        for i in (1..moves.len()).rev() {
            moves.swap(i, below(dice.next_u64(), i + 1));
        }
        let (mut first, mut untried) = (0, ADJACENT);
        if adjacent {
            first = self.nodes.len() as u32;
            self.nodes.extend(moves.iter().map(|&mv| Node::new(Some(mv))));
        } else {
            untried = self.take_record();
            self.untried[untried as usize - 1].begin(moves, before);
        }
        let (count, mover) = (moves.len() as u32, mover.index() as u8);
        let node = &mut self.nodes[id];
        (node.moves, node.mover, node.first, node.untried) = (count, mover, first, untried);
        self.states += u64::from(count);
        true
    }

    /// The next move to try; `expand` lists all moves, in the order of the rules.
    pub(super) fn next_move(&self, id: usize, scratch: &mut Scratch<M>, expand: impl FnOnce(&mut Vec<M>)) -> M {
        let Node { first, untried, .. } = self.nodes[id];
        if untried & ADJACENT > 0 {
            return self.nodes[(first + (untried ^ ADJACENT)) as usize].mv.expect("children are reached by moves");
        }
        let Untried { order, tried, .. } = &self.untried[untried as usize - 1];
        match order {
            Order::Listed(bytes) => M::take(&bytes[*tried as usize * M::SIZE..]).expect("a move was written there"),
            Order::Shuffled(dice) => {
                let Scratch { moves, draws } = scratch;
                moves.clear();
                expand(moves);
                moves[place_before_shuffle(*tried as usize, moves.len(), dice.clone(), draws)]
            }
        }
    }

    /// Adds the child to which the next move leads, unless `memory` has no room for it.
    pub(super) fn add_child(&mut self, id: usize, mv: M, memory: usize) -> Option<usize> {
        let node = self.nodes[id];
        if node.untried & ADJACENT > 0 {
            return Some(self.next_adjacent_child(id));
        }
        let at = node.untried as usize - 1;
        let Untried { tried, last, .. } = self.untried[at];
        if tried + 1 == node.moves {
            return self.add_last_child(id, mv, memory);
        }
        if !self.has_room(memory) {
            return None;
        }
        let child = self.take_node(Node::new(Some(mv)));
        match tried {
            0 => self.nodes[id].first = child,
            _ => self.nodes[last as usize].next = child,
        }
        (self.untried[at].tried, self.untried[at].last) = (tried + 1, child);
        Some(child as usize)
    }

    /// The next child where all have their nodes already.
    fn next_adjacent_child(&mut self, id: usize) -> usize {
        let node = &mut self.nodes[id];
        let tried = node.untried ^ ADJACENT;
        let child = (node.first + tried) as usize;
        node.untried = if tried + 1 == node.moves { 0 } else { ADJACENT | (tried + 1) };
        if tried > 0 {
            self.nodes[child - 1].next = child as u32;
        }
        child
    }

    /// The last child comes, and all of them move to where they lie side by side.
    fn add_last_child(&mut self, id: usize, mv: M, memory: usize) -> Option<usize> {
        let node = self.nodes[id];
        if !self.has_adjacent_room(node.moves as usize, memory) {
            return None;
        }
        self.moved += 1;
        let first = self.nodes.len() as u32;
        let mut from = node.first;
        while from > 0 {
            let child = self.nodes[from as usize];
            self.nodes.push(Node { next: self.nodes.len() as u32 + 1, ..child });
            self.nodes[from as usize].next = std::mem::replace(&mut self.free_node, from);
            from = child.next;
        }
        self.nodes.push(Node::new(Some(mv)));
        self.untried[node.untried as usize - 1].last = std::mem::replace(&mut self.free_record, node.untried);
        (self.nodes[id].first, self.nodes[id].untried) = (first, 0);
        Some(self.nodes.len() - 1)
    }

    fn take_node(&mut self, node: Node<M, E>) -> u32 {
        let id = self.free_node;
        if id > 0 {
            self.free_node = std::mem::replace(&mut self.nodes[id as usize], node).next;
            return id;
        }
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    fn take_record(&mut self) -> u32 {
        let number = self.free_record;
        if number > 0 {
            self.free_record = self.untried[number as usize - 1].last;
            return number;
        }
        self.untried.push(Untried { order: Order::Listed([0; LISTED_BYTES]), tried: 0, last: 0 });
        self.untried.len() as u32
    }

    /// Whether there is room for a node, which may be made for it within `memory`.
    fn has_room(&mut self, memory: usize) -> bool {
        self.free_node > 0 || self.has_adjacent_room(1, memory)
    }

    fn has_record_room(&mut self, memory: usize) -> bool {
        let left = memory.saturating_sub(self.bytes());
        self.free_record > 0 || reserve(&mut self.untried, 1, left)
    }

    fn has_adjacent_room(&mut self, nodes: usize, memory: usize) -> bool {
        let left = memory.saturating_sub(self.bytes());
        reserve(&mut self.nodes, nodes, left)
    }

    /// The tree below a node, which becomes the root.
    pub(super) fn below(&self, root: usize) -> Self {
        let mut kept = Self::with_root(Node { mv: None, next: 0, ..self.nodes[root] });
        let mut at = 0;
        while at < kept.nodes.len() {
            let (old, first) = (kept.nodes[at], kept.nodes.len() as u32);
            let mut from = old.first;
            if old.untried & ADJACENT > 0 {
                let shift = |next: u32| if next > 0 { next - old.first + first } else { 0 };
                let children = &self.nodes[old.first as usize..][..old.moves as usize];
                kept.nodes.extend(children.iter().map(|&child| Node { next: shift(child.next), ..child }));
                from = 0;
            }
            while from > 0 {
                let child = self.nodes[from as usize];
                let next = if child.next > 0 { kept.nodes.len() as u32 + 1 } else { 0 };
                kept.nodes.push(Node { next, ..child });
                from = child.next;
            }
            if old.untried > 0 && old.untried & ADJACENT == 0 {
                let record = self.untried[old.untried as usize - 1].clone();
                kept.untried.push(Untried { last: kept.nodes.len() as u32 - 1, ..record });
                kept.nodes[at].untried = kept.untried.len() as u32;
            }
            kept.nodes[at].first = if old.first > 0 { first } else { 0 };
            kept.states += u64::from(old.moves);
            at += 1;
        }
        kept.nodes.shrink_to_fit();
        kept.untried.shrink_to_fit();
        kept
    }
}

/// Where the one of `count` values that `dice` shuffle to `place` lies before: the swaps of [`Tree::open`] undone, as
/// many as have to do with that place.
fn place_before_shuffle(place: usize, count: usize, mut dice: Xoshiro256PlusPlus, draws: &mut Vec<u32>) -> usize {
    let swapped = place.max(1)..count; // no later swap moves what is at `place`
    draws.clear();
    draws.extend(swapped.clone().rev().map(|i| below(dice.next_u64(), i + 1) as u32));
    swapped.zip(draws.iter().rev()).fold(place, |at, (i, &drawn)| match drawn as usize {
        drawn if at == i => drawn,
        drawn if at == drawn => i,
        _ => at,
    })
}

/// Numbers of nodes and records leave the highest bit free.
const MOST: usize = ADJACENT as usize - 1;

/// Makes room for `more` values, if they fit into so many bytes `left`. A list grows by a quarter, not to the double:
/// within a limit, more of the memory can be used.
fn reserve<T>(list: &mut Vec<T>, more: usize, left: usize) -> bool {
    let spare = list.capacity() - list.len();
    if more > spare {
        let wanted = (list.capacity() / 4).max(more).max(64);
        let fits = left / size_of::<T>();
        if fits < more || list.capacity() + wanted > MOST {
            return false;
        }
        return reserve_exact(list, spare + wanted.min(fits));
    }
    true
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
        let mut scratch = Scratch::new();
        while tree[0].has_untried() {
            let mv = tree.next_move(0, &mut scratch, |list| list.extend_from_slice(moves));
            tree.add_child(0, mv, PLENTY).unwrap();
        }
        assert_eq!(tree[0].mover(), Player::SECOND);
        assert!(tree.children(0).eq(tree.all_children(0).0), "side by side");
        tree.children(0).map(|id| tree[id].mv.unwrap()).collect()
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
        let mut scratch = Scratch::new();
        for _ in 0..steps {
            let mut id = 0;
            while tree[id].moves > 0 && !tree[id].has_untried() {
                let (range, _) = tree.all_children(id);
                id = range.start + below(dice.next_u64(), range.len());
            }
            if tree[id].moves == 0 {
                let count = 1 + below(dice.next_u64(), 40) as u16;
                assert!(tree.open(id, Player::FIRST, &mut (0..count).collect::<Vec<_>>(), &mut dice, PLENTY));
            }
            let count = tree[id].moves as u16;
            let mv = tree.next_move(id, &mut scratch, |list| list.extend(0..count));
            let child = tree.add_child(id, mv, PLENTY).unwrap();
            tree[child].visits = 1 + u32::from(mv);
        }
        let lists = all_lists(&tree);
        (tree, lists)
    }

    /// Every state's depth and tried moves, in depth-first order.
    fn all_lists(tree: &Tree<u16, f32>) -> Vec<(usize, Vec<u16>)> {
        let (mut lists, mut stack) = (Vec::new(), vec![(0, 0)]);
        while let Some((id, depth)) = stack.pop() {
            lists.push((depth, tree.children(id).map(|child| tree[child].mv.unwrap()).collect()));
            stack.extend(tree.children(id).map(|child| (child, depth + 1)));
            assert!(tree.children(id).all(|child| tree[child].visits == 1 + u32::from(tree[child].mv.unwrap())));
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
        assert!(tree.nodes.len() < 30_000, "{} nodes: those left are used again", tree.nodes.len());
        let open = tree.nodes.iter().filter(|node| node.untried > 0 && node.untried & ADJACENT == 0).count();
        assert!(tree.untried.len() < open + 100, "{} records for {open} states", tree.untried.len());
    }

    #[test]
    fn what_is_kept_below_a_node_is_what_was_there() {
        let (tree, lists) = grown(5_000);
        let whole = tree.below(0);
        assert_eq!(all_lists(&whole), lists);
        assert_eq!(whole.states(), tree.states());
        let child = tree.children(0).next().unwrap();
        let kept = tree.below(child);
        let part: Vec<_> = all_lists(&kept).into_iter().map(|(depth, moves)| (depth + 1, moves)).collect();
        assert!(lists.windows(part.len()).any(|window| window == part));
        assert_eq!(kept[0].mv, None);
    }

    #[test]
    fn without_room_nothing_is_drawn_and_nothing_changes() {
        let mut tree = Tree::<u16, f32>::new();
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(1);
        let before = dice.clone();
        assert!(!tree.open(0, Player::FIRST, &mut [1, 2, 3], &mut dice, tree.bytes()));
        assert_eq!((dice, tree[0].moves), (before, 0));
    }
}
