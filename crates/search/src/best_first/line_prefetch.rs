//! LinePrefetch walk the lines of the next iterations ahead of time, so that the memory they lead through is there when it is needed.
//!
//! In a tree of millions of states every line ends in a part that was not visited for a long time. Each ply there costs two
//! waits for memory, one after the other: for the edges, and then for the children they lead to. Nothing can be done about
//! that within a line. But the next lines can be foreseen: where several children look equally good the least visited is
//! next, and a node keeps as a hint which child was second when it was visited last. A few line_prefetch, each a few iterations
//! ahead, follow the hints. A step of a scout reads what its last step asked for, asks for what its next one will read, and
//! leaves the word to the next scout; the steps are taken while the search itself waits for its table.
//!
//! LinePrefetch change nothing but the time that is needed. Where all guesses are equal, 99 of 100 plies are as they foresaw.

use perfectplay_core::FullGame;

use crate::best_first::main_loop::{Policy, Visit};
use crate::best_first::tree::{Asked, Tree};

/// How many line_prefetch there are, and so how many iterations they are ahead. More of them ask for more than the first cache holds.
const COUNT: usize = 8;

/// Plies below the root in which two line_prefetch may be at the same node.
const TOP: usize = 8;

/// Who follows an edge that was taken so often will find the node in the cache.
const OFTEN: u32 = 2048;

/// Iterations for which they stay at home when they were wrong too often.
const REST: u32 = 1 << 12;

/// States from which on it pays.
pub(crate) const FROM: usize = 1 << 18;

/// Steps per pause. Two pauses per opened state bring a scout from the root to the end of a line, in most games.
const STEPS: usize = 12;

#[derive(Clone, Copy, Default)]
struct Scout {
    away: bool,
    at: u32,
    /// Whether the node lies in the cache anyway.
    near: bool,
    /// The node's edges; none if the node itself was asked for.
    asked: Asked,
    depth: usize,
    /// Whether no other scout was seen at the last node.
    alone: bool,
    /// The nodes at the top and the edges taken there.
    top: [(u32, u32); TOP],
}

impl Scout {
    /// One that sets out.
    fn at(root: u32) -> Self {
        Scout { away: true, at: root, near: true, ..Scout::default() }
    }

    /// How many plies of a line it has foreseen; all if it stayed at home.
    fn foreseen(&self, line: &[(u32, u32)]) -> usize {
        let seen = &self.top[..self.depth.min(TOP)];
        let same = seen.iter().zip(line).take_while(|(a, b)| a == b).count();
        if same == seen.len() || same == line.len() { usize::MAX } else { same }
    }
}

#[derive(Default)]
pub(crate) struct LinePrefetch {
    all: [Scout; COUNT],
    turn: usize,
    oldest: usize,
    /// Iterations for which they stay at home.
    rest: u32,
    /// Grows when they are right, and falls when they are wrong.
    trust: i32,
}

impl LinePrefetch {
    /// After an iteration: the scout that walked its line sets out again from the root, for the iteration after those of the
    /// others. If it went wrong at the root, so did the others, and all begin anew.
    ///
    /// If they are wrong too often, all rest for a while: where every guess moves the best line, they are only in the way.
    pub(crate) fn send(&mut self, line: &[(u32, u32)], root: u32) {
        let now = self.oldest;
        self.oldest = (now + 1) % COUNT;
        if self.rest > 0 {
            self.rest -= 1;
            return;
        }
        let foreseen = self.all[now].foreseen(line);
        self.trust = (self.trust + if foreseen < TOP / 2 { -4 } else { 1 }).min(64);
        if foreseen > 0 {
            self.all[now] = Scout::at(root);
        } else {
            // The next line is walked before a scout could be: its own stays at home.
            self.all = [Scout::at(root); COUNT];
            self.all[self.oldest] = Scout::default();
            self.turn = (now + 2) % COUNT;
        }
        if self.trust < -64 {
            *self = LinePrefetch { rest: REST, ..LinePrefetch::default() };
        }
    }

    /// Calls all of them back: numbers of nodes are no longer what they were.
    pub(crate) fn recall(&mut self) {
        *self = LinePrefetch::default();
    }

    /// Some steps of all in turn.
    pub(crate) fn walk<G: FullGame, P: Policy<G>>(&mut self, tree: &mut Tree<G, P::Data>, policy: &mut P) {
        for _ in 0..STEPS {
            let turn = self.turn;
            self.turn = (turn + 1) % COUNT;
            if self.all[turn].away {
                self.step(turn, tree, policy);
            }
        }
    }

    #[inline]
    fn step<G: FullGame, P: Policy<G>>(&mut self, turn: usize, tree: &mut Tree<G, P::Data>, policy: &mut P) {
        let scout = &mut self.all[turn];
        if scout.asked.count == 0 {
            scout.asked = tree.ask_for_edges(scout.at);
            scout.away = scout.asked.count > 0;
            if !scout.away || !scout.near {
                return;
            }
        }
        let asked = scout.asked;
        tree.ask_for_children(asked);
        let choice = if scout.alone { asked.hint } else { self.among_others(turn, tree, policy) };
        let scout = &mut self.all[turn];
        if scout.depth < TOP {
            scout.top[scout.depth] = (scout.at, choice);
        }
        let (child, visits) = tree.along(asked, choice);
        scout.depth += 1;
        (scout.at, scout.near, scout.asked) = (child, visits >= OFTEN, Asked::default());
    }

    /// What will be chosen at a node that other line_prefetch may have passed: they are counted as visits.
    #[inline(never)]
    fn among_others<G: FullGame, P: Policy<G>>(
        &mut self,
        turn: usize,
        tree: &mut Tree<G, P::Data>,
        policy: &mut P,
    ) -> u32 {
        let Scout { at, asked, depth, .. } = self.all[turn];
        // The line of the oldest one is being walked: its visits were counted.
        let others = || self.all.iter().enumerate().filter(|(i, _)| *i != self.oldest).map(|(_, scout)| scout);
        let passed = || others().filter(|s| s.depth > depth && s.top[depth].0 == at).map(|s| s.top[depth].1);
        if depth >= TOP || passed().next().is_none() {
            self.all[turn].alone = true;
            return asked.hint;
        }
        passed().for_each(|choice| tree.visit(asked, choice, 1));
        let family = tree.family(at).expect("it has edges");
        let choice = policy.priority_child(&family, Visit { depth: depth as u32, opened: 0 });
        passed().for_each(|choice| tree.visit(asked, choice, -1));
        choice.map_or(asked.hint, |choice| choice as u32)
    }
}
