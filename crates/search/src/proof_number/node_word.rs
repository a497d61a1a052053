//! A node of the graph in one number that threads share, and what they do with it and with its effort numbers.
//!
//! ```text
//!   first edge 4 bytes · successors 2 · whose turn, claimed 1 · paths that go through it 1
//! ```
//!
//! The model checker of `tests/races.rs` compiles this file, too, with its own atomics in the place of `super::sync`.

use super::sync::{AtomicU64, Ordering};

const COUNT: u32 = 32;
const FOR_MAX: u64 = 1 << 48;
/// Somebody is expanding it.
const CLAIMED: u64 = 1 << 49;
const PATH: u64 = 1 << 56;

/// Paths that a node can count.
pub(crate) const MOST_PATHS: usize = 255;

/// What the number says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node(u64);

impl Node {
    /// Without successors.
    pub(crate) fn leaf(for_max: bool) -> Self {
        Node(if for_max { FOR_MAX } else { 0 })
    }

    /// With these.
    pub(crate) fn with_edges(self, first: u32, count: u16) -> Self {
        Node(self.0 | u64::from(first) | u64::from(count) << COUNT)
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) fn first(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    pub(crate) fn count(self) -> u16 {
        (self.0 >> COUNT) as u16
    }

    #[inline]
    pub(crate) fn for_max(self) -> bool {
        self.0 & FOR_MAX > 0
    }

    #[inline]
    pub(crate) fn paths(self) -> u32 {
        (self.0 >> 56) as u32
    }
}

/// What there is to do at a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    /// It is ours to expand.
    Ours,
    /// Another thread is expanding it.
    Claimed,
    /// Another thread has expanded it.
    Opened,
}

/// The node as it is now; if it has edges, they can be read.
#[inline]
pub(crate) fn look(cell: &AtomicU64) -> Node {
    Node(cell.load(Ordering::Acquire))
}

/// Claims a leaf, if nobody else has.
pub(crate) fn claim(cell: &AtomicU64) -> Leaf {
    loop {
        let now = look(cell);
        match now {
            _ if now.count() > 0 => return Leaf::Opened,
            _ if now.0 & CLAIMED > 0 => return Leaf::Claimed,
            _ => {}
        }
        // Paths may come and go meanwhile.
        if cell.compare_exchange_weak(now.0, now.0 | CLAIMED, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            return Leaf::Ours;
        }
    }
}

/// Gives a claimed leaf its successors, whose edges are written. A search alone need not claim it.
pub(crate) fn open(cell: &AtomicU64, first: u32, count: u16) {
    let claimed = cell.load(Ordering::Relaxed) & CLAIMED;
    let opened = u64::from(first) | u64::from(count) << COUNT;
    cell.fetch_add(opened.wrapping_sub(claimed), Ordering::AcqRel);
}

/// Leaves a claimed leaf to others.
pub(crate) fn withdraw(cell: &AtomicU64) {
    cell.fetch_and(!CLAIMED, Ordering::AcqRel);
}

/// A path goes through the node from now on.
#[inline]
pub(crate) fn enter(cell: &AtomicU64) {
    cell.fetch_add(PATH, Ordering::Relaxed);
}

/// It does so no longer.
#[inline]
pub(crate) fn leave(cell: &AtomicU64) {
    cell.fetch_sub(PATH, Ordering::Relaxed);
}

/// Brings a number up to date with what it follows from, while others may do the same; whether this has changed it.
/// What is final is never written again. If what it follows from changes meanwhile, it may be behind afterwards.
#[inline]
pub(crate) fn follow(cell: &AtomicU64, is_final: impl Fn(u64) -> bool, compute: impl Fn() -> u64) -> bool {
    loop {
        let own = cell.load(Ordering::Acquire);
        if is_final(own) {
            return false;
        }
        let fresh = compute();
        if fresh == own {
            return false;
        }
        if cell.compare_exchange(own, fresh, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            return true;
        }
    }
}
