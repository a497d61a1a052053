//! Cursors that walk the lines of the next iterations ahead of time, so that the memory they lead through is there when
//! it is needed.
//!
//! In a tree of millions of states every line ends in a part that was not visited for a long time. Each ply there costs
//! two waits for memory, one after the other: for the edges, and then for the children they lead to. Nothing can be
//! done about that within a line. But the next lines can be predicted: where several children look equally good the
//! least visited is next, and a node keeps as a hint which child was second when it was visited last. A few cursors,
//! each a few iterations ahead, follow the hints. A step of a cursor reads what its last step prefetched, prefetches
//! what its next one will read, and leaves the turn to the next cursor; the steps are taken while the search itself
//! waits for its table.
//!
//! Cursors change nothing but the time that is needed. Where all evaluations are equal, 99 of 100 plies are as
//! predicted.

use perfectplay_core::FullGame;

use crate::best_first::policy::{Policy, Visit};
use crate::best_first::tree::{PrefetchedEdges, Tree};

/// How many cursors there are, and so how many iterations they are ahead. More of them prefetch more than the first
/// cache holds.
const COUNT: usize = 8;

/// Plies below the root in which two cursors may be at the same node.
const SHARED_PLIES: usize = 8;

/// Visits of an edge from which on the node it leads to is in the cache anyway.
const CACHED_VISITS: u32 = 2048;

/// Iterations without prefetching after too many wrong predictions.
const PAUSE: u32 = 1 << 12;

/// States from which on it pays.
pub(crate) const MIN_STATES: usize = 1 << 18;

/// Steps per call. Two calls per opened state bring a cursor from the root to the end of a line, in most games.
const STEPS: usize = 12;

#[derive(Clone, Copy, Default)]
struct Cursor {
    active: bool,
    at: u32,
    /// Whether the node lies in the cache anyway.
    cached: bool,
    /// The node's edges; none if the node itself was prefetched.
    edges: PrefetchedEdges,
    depth: usize,
    /// Whether no other cursor was seen at the last node.
    alone: bool,
    /// The first nodes and the edges taken there.
    prefix: [(u32, u32); SHARED_PLIES],
}

impl Cursor {
    /// One that begins.
    fn at(root: u32) -> Self {
        Cursor { active: true, at: root, cached: true, ..Cursor::default() }
    }

    /// How many plies of a line it has predicted; all if it was not active.
    fn predicted(&self, line: &[(u32, u32)]) -> usize {
        let seen = &self.prefix[..self.depth.min(SHARED_PLIES)];
        let same = seen.iter().zip(line).take_while(|(a, b)| a == b).count();
        if same == seen.len() || same == line.len() { usize::MAX } else { same }
    }
}

#[derive(Default)]
pub(crate) struct LinePrefetch {
    cursors: [Cursor; COUNT],
    turn: usize,
    oldest: usize,
    /// Iterations left without prefetching.
    pause: u32,
    /// Grows with right predictions, and falls with wrong ones.
    confidence: i32,
}

impl LinePrefetch {
    /// After an iteration: the cursor that predicted its line begins again at the root, for the iteration after those
    /// of the others. If it was wrong at the root, so were the others, and all begin again.
    ///
    /// If they are wrong too often, all pause for a while: where every evaluation moves the best line, they are only in
    /// the way.
    pub(crate) fn line_ended(&mut self, line: &[(u32, u32)], root: u32) {
        let now = self.oldest;
        self.oldest = (now + 1) % COUNT;
        if self.pause > 0 {
            self.pause -= 1;
            return;
        }
        let predicted = self.cursors[now].predicted(line);
        self.confidence = (self.confidence + if predicted < SHARED_PLIES / 2 { -4 } else { 1 }).min(64);
        if predicted > 0 {
            self.cursors[now] = Cursor::at(root);
        } else {
            // The next line is walked before a cursor could be: its own stays inactive.
            self.cursors = [Cursor::at(root); COUNT];
            self.cursors[self.oldest] = Cursor::default();
            self.turn = (now + 2) % COUNT;
        }
        if self.confidence < -64 {
            *self = LinePrefetch { pause: PAUSE, ..LinePrefetch::default() };
        }
    }

    /// Begins anew: numbers of nodes are no longer what they were.
    pub(crate) fn reset(&mut self) {
        *self = LinePrefetch::default();
    }

    /// Some steps of all in turn.
    pub(crate) fn advance<G: FullGame, P: Policy<G>>(&mut self, tree: &mut Tree<G, P::Data>, policy: &mut P) {
        for _ in 0..STEPS {
            let turn = self.turn;
            self.turn = (turn + 1) % COUNT;
            if self.cursors[turn].active {
                self.step(turn, tree, policy);
            }
        }
    }

    #[inline]
    fn step<G: FullGame, P: Policy<G>>(&mut self, turn: usize, tree: &mut Tree<G, P::Data>, policy: &mut P) {
        let cursor = &mut self.cursors[turn];
        if cursor.edges.count == 0 {
            cursor.edges = tree.prefetch_edges(cursor.at);
            cursor.active = cursor.edges.count > 0;
            if !cursor.active || !cursor.cached {
                return;
            }
        }
        let edges = cursor.edges;
        tree.prefetch_children(edges);
        let choice = if cursor.alone { edges.hint } else { self.choice_after_others(turn, tree, policy) };
        let cursor = &mut self.cursors[turn];
        if cursor.depth < SHARED_PLIES {
            cursor.prefix[cursor.depth] = (cursor.at, choice);
        }
        let (child, visits) = tree.edge_target(edges, choice);
        cursor.depth += 1;
        (cursor.at, cursor.cached, cursor.edges) = (child, visits >= CACHED_VISITS, PrefetchedEdges::default());
    }

    /// What will be chosen at a node that other cursors may have passed: they count as visits.
    #[inline(never)]
    fn choice_after_others<G: FullGame, P: Policy<G>>(
        &mut self,
        turn: usize,
        tree: &mut Tree<G, P::Data>,
        policy: &mut P,
    ) -> u32 {
        let Cursor { at, edges, depth, .. } = self.cursors[turn];
        // The line of the oldest one is being walked: its visits were counted.
        let others = || self.cursors.iter().enumerate().filter(|(i, _)| *i != self.oldest).map(|(_, cursor)| cursor);
        let passed = || others().filter(|c| c.depth > depth && c.prefix[depth].0 == at).map(|c| c.prefix[depth].1);
        if depth >= SHARED_PLIES || passed().next().is_none() {
            self.cursors[turn].alone = true;
            return edges.hint;
        }
        passed().for_each(|choice| tree.add_virtual_visits(edges, choice, 1));
        let family = tree.family(at).expect("it has edges");
        let choice = policy.priority_child(&family, Visit { depth: depth as u32, opened: 0 });
        passed().for_each(|choice| tree.add_virtual_visits(edges, choice, -1));
        choice.map_or(edges.hint, |choice| choice as u32)
    }
}
