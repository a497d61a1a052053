//! Several threads on the tree of a best-first proof-number search.
//!
//! A thread walks from the root to the most proving leaf, goes back a few steps, and *claims* the piece of the tree
//! below: it searches there by itself, as one thread would, until the goal is settled in that piece or it has made some
//! nodes. Then it gives the piece back and carries the numbers upwards. Walking, claiming and giving back are done by
//! one thread at a time; in between nobody waits for anybody, because a piece is looked at by its owner only.
//!
//! **Virtual numbers.** For the others a claimed piece is a leaf. Who comes there raises its numbers by a quarter, up
//! to the root, and walks again: soon another leaf is the most proving one. Nothing of this stays: when the piece is
//! given back it gets its true numbers, and all above are computed from these. Raised numbers are neither 0 nor
//! infinite, so they prove nothing; what is proved is proved by true numbers, whoever comes when.
//!
//! **Memory.** Threads free what can no longer matter in their pieces into lists of their own. What lies above a
//! claimed piece is not freed; the last one to come back from there does it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

use perfectplay_core::{FullGame, Meter, Observer, Progress, Stop, ZeroSum, side_by_side};

use super::effort_numbers::{Goals, LARGEST, PairAt, Window};
use super::tree::{Id, ROOT};
use super::tree_search::{OnTree, Prover, REPORT_EVERY, Step};
use crate::support::cells::Cell;

/// The most nodes that a thread makes before it gives its piece back.
const MOST_NODES: u64 = 1 << 11;
/// It is one of so many parts of all nodes at most: small trees are searched in small pieces.
const PART: u64 = 16;
/// Walks that come to claimed pieces before a thread waits for others to come back.
const TRIES: usize = 64;
/// Nodes between two looks at the clock.
const LOOK_EVERY: u64 = 256;

/// Why all come back.
#[derive(Clone, Copy, Debug)]
enum Halt {
    /// The root is solved, or the budget is used up.
    Stop(Stop),
    /// Somebody found no room.
    NoRoom,
}

/// What one thread at a time has.
struct Top<'a, G: FullGame<Payoff = ZeroSum>, W: Goals> {
    search: &'a mut OnTree<G, W>,
    meter: &'a mut Meter,
    /// By thread: the way to the piece that it has claimed; empty if it has none.
    claims: Vec<Vec<Id>>,
    /// Threads that wait.
    waiting: usize,
    halt: Option<Halt>,
}

/// What all threads see.
struct Shared<'a, G: FullGame<Payoff = ZeroSum>, W: Goals> {
    top: Mutex<Top<'a, G, W>>,
    came_back: Condvar,
    halted: AtomicBool,
}

/// A thread's own, on cache lines of its own.
#[repr(align(128))]
struct Worker<G: FullGame<Payoff = ZeroSum>, W: Goals> {
    number: usize,
    search: OnTree<G, W>,
    /// The node that stands in for the top of its piece: that one itself belongs to all.
    place: Id,
    /// The way from the root to its piece.
    way: Vec<Step<G::State>>,
    /// Nodes that it may make there, and children for which it found no room.
    nodes: u64,
    short_of: u16,
    clock: Meter,
}

impl<G: FullGame<Payoff = ZeroSum>, W: Goals> OnTree<G, W> {
    /// Searches with several threads until the root is solved or the budget used up.
    pub(super) fn prove_side_by_side(
        &mut self,
        threads: usize,
        meter: &mut Meter,
        observer: &mut dyn Observer,
    ) -> Option<Stop> {
        while self.places.len() < threads
            && let Some(place) = self.tree.take_place()
        {
            self.places.push(place);
        }
        let threads = threads.min(self.places.len());
        if threads < 2 {
            return self.prove_within(u64::MAX, meter, observer);
        }
        while !self.done() {
            self.tree.prepare(threads);
            match self.round(threads, meter, observer) {
                Some(Halt::Stop(stop)) => return (!self.done()).then_some(stop),
                None => {}
                // One thread finds out whether there is really none.
                Some(Halt::NoRoom) => {
                    if let Some(stop) = self.prove_within(self.expansions + 1, meter, observer) {
                        return Some(stop);
                    }
                }
            }
        }
        None
    }

    /// All work until something ends it.
    fn round(&mut self, threads: usize, meter: &mut Meter, observer: &mut dyn Observer) -> Option<Halt> {
        self.path.truncate(1);
        let worker = |number| Worker {
            number,
            search: self.part(),
            place: self.places[number],
            way: Vec::new(),
            nodes: 0,
            short_of: 1,
            clock: meter.clone(),
        };
        let mut workers: Vec<Worker<G, W>> = (0..threads).map(worker).collect();
        let claims = vec![Vec::new(); threads];
        let shared = Shared {
            top: Mutex::new(Top { search: self, meter, claims, waiting: 0, halt: None }),
            came_back: Condvar::new(),
            halted: AtomicBool::new(false),
        };
        let (own, others) = workers.split_first_mut().expect("one thread at least");
        let others = others.iter_mut().map(|worker| || worker.work(&shared, &mut ()));
        side_by_side(others, || own.work(&shared, observer));
        let halt = shared.top.into_inner().expect("nobody panics at the top").halt;
        workers.into_iter().for_each(|worker| self.tree.settle(worker.search.tree));
        self.path.truncate(1);
        self.path[0].relevant = self.asked.and(Window::of(self.tree.numbers(ROOT)));
        self.goal = self.attracting_goal();
        halt
    }
}

impl<'a, G: FullGame<Payoff = ZeroSum>, W: Goals> Shared<'a, G, W> {
    fn top(&self) -> MutexGuard<'_, Top<'a, G, W>> {
        self.top.lock().expect("nobody panics at the top")
    }

    /// All are to come back; the first reason counts.
    fn halt(&self, top: &mut Top<'a, G, W>, halt: Halt) {
        top.halt.get_or_insert(halt);
        self.halted.store(true, Ordering::Relaxed);
        self.came_back.notify_all();
    }
}

impl<G: FullGame<Payoff = ZeroSum>, W: Goals> Worker<G, W> {
    /// What a thread does until all are to come back.
    fn work(&mut self, shared: &Shared<'_, G, W>, observer: &mut dyn Observer) {
        let mut report_at = 0;
        loop {
            let mut top = shared.top();
            if let Some(stop) = top.give_back(self) {
                shared.halt(&mut top, Halt::Stop(stop));
            }
            if top.waiting > 0 {
                shared.came_back.notify_all();
            }
            if top.halt.is_none() && !top.provide(self) {
                shared.halt(&mut top, Halt::NoRoom);
            }
            while top.halt.is_none() && !top.claim(self) {
                top.search.tally.waits += 1;
                top.waiting += 1;
                top = shared.came_back.wait(top).expect("nobody panics at the top");
                top.waiting -= 1;
            }
            if top.halt.is_some() {
                return;
            }
            let (nodes, bytes) = (top.search.nodes, top.search.bytes());
            drop(top);
            if nodes >= report_at {
                let first = report_at == 0;
                report_at = nodes + REPORT_EVERY;
                let depth = Some(self.way.len() as u32);
                if !first && observer.progress(&Progress { nodes, bytes, share: None, depth }).is_break() {
                    shared.halt(&mut shared.top(), Halt::Stop(Stop::Cancelled));
                }
            }
            if let Some(stop) = self.search_piece(&shared.halted) {
                shared.halt(&mut shared.top(), Halt::Stop(stop));
            }
        }
    }

    /// Searches its piece as one thread would; why all should come back, if so.
    fn search_piece(&mut self, halted: &AtomicBool) -> Option<Stop> {
        let search = &mut self.search;
        let mut look_at = LOOK_EVERY;
        while search.asked.and(Window::of(search.tree.numbers(self.place))).contains(search.goal) {
            search.descend();
            if search.expand().is_err() {
                self.short_of = search.moves.len() as u16;
                return None;
            }
            while !search.update_one() {}
            if search.nodes >= look_at {
                look_at = search.nodes + LOOK_EVERY;
                if let Some(stop) = self.clock.look() {
                    return Some(stop);
                }
            }
            if search.nodes >= self.nodes || halted.load(Ordering::Relaxed) {
                return None;
            }
        }
        None
    }
}

impl<G: FullGame<Payoff = ZeroSum>, W: Goals> Top<'_, G, W> {
    /// Whether a piece lies below a node, or is that node.
    fn in_progress(claims: &[Vec<Id>], id: Id) -> bool {
        claims.iter().any(|claim| claim.contains(&id))
    }

    /// Makes sure that a thread can expand a node.
    fn provide(&mut self, worker: &mut Worker<G, W>) -> bool {
        self.search.tree.provide(&mut worker.search.tree, worker.short_of)
    }

    /// Finds a piece for a thread; `false` if nothing is free.
    fn claim(&mut self, worker: &mut Worker<G, W>) -> bool {
        let search = &mut *self.search;
        for _ in 0..TRIES {
            search.path.truncate(1);
            search.path[0].relevant = search.asked.and(Window::of(search.tree.numbers(ROOT)));
            search.goal = search.attracting_goal();
            search.descend();
            let leaf = search.path.last().expect("the path begins at the root").node;
            if self.claims.iter().any(|claim| claim.last() == Some(&leaf)) {
                search.tally.met += 1;
                raise(search);
                continue;
            }
            let threads = self.claims.len() as u64;
            let nodes = (search.nodes / (PART * threads)).clamp(1, MOST_NODES);
            worker.nodes = nodes.min(self.meter.nodes_left() / threads).max(1);
            // Back a few steps, but not to where others are.
            let back = nodes.ilog2() as usize / 2;
            let meets =
                |claim: &Vec<Id>| search.path.iter().zip(claim).take_while(|(step, id)| step.node == **id).count();
            let first_free = self.claims.iter().map(meets).max().unwrap_or(0);
            let last = search.path.len() - 1;
            search.path.truncate(last.saturating_sub(back).max(first_free) + 1);
            self.claims[worker.number].extend(search.path.iter().map(|step| step.node));
            worker.way.clear();
            worker.way.extend_from_slice(&search.path);
            worker.begin(search.goal);
            search.tally.claims += 1;
            return true;
        }
        false
    }

    /// Takes over what a thread found out about its piece, if it has one; why all should come back, if so.
    fn give_back(&mut self, worker: &mut Worker<G, W>) -> Option<Stop> {
        let piece = self.claims[worker.number].last().copied()?;
        self.claims[worker.number].clear();
        let search = &mut *self.search;
        let before = Window::of(search.tree.numbers(piece));
        search.tree.transfer(worker.place, piece);
        let created = std::mem::take(&mut worker.search.nodes);
        search.nodes += created;
        search.expansions += std::mem::take(&mut worker.search.expansions);
        let last = worker.way.len() - 1;
        let mut changed = vec![];
        changed.extend((Window::of(search.tree.numbers(piece)) != before).then_some(last));
        for ply in (0..last).rev() {
            let Some((before, after)) = search.renumber(worker.way[ply].node) else { break };
            search.tally.written += 1;
            changed.extend((before != after).then_some(ply));
        }
        if search.options.prune {
            self.free(&worker.way, &changed);
        }
        let stop = self.meter.spend(created, 0);
        if self.search.done() { Some(Stop::Done) } else { stop }
    }

    /// Frees what can no longer matter on a way and beside it, as far as nobody is at work there.
    fn free(&mut self, way: &[Step<G::State>], changed: &[usize]) {
        let (search, claims) = (&mut *self.search, &self.claims);
        let mut above = search.asked;
        for (ply, step) in way.iter().enumerate() {
            let own = Window::of(search.tree.numbers(step.node));
            let relevant = above.and(own);
            if ply == 0 && relevant.closed() {
                return;
            }
            if relevant.closed() && !Self::in_progress(claims, step.node) {
                match own.closed() {
                    true => search.keep_line(step.node, own.pessimistic),
                    false => search.tree.release_below(step.node),
                }
                return;
            }
            if changed.contains(&ply) && !relevant.closed() {
                if ply == 0 {
                    search.tree.sweep(search.asked, |id| Self::in_progress(claims, id));
                }
                for child in search.tree.node(step.node).children() {
                    let window = Window::of(search.tree.numbers(child));
                    if relevant.and(window).closed() && !window.closed() && !Self::in_progress(claims, child) {
                        search.tree.release_below(child);
                    }
                }
            }
            above = relevant;
        }
    }
}

impl<G: FullGame<Payoff = ZeroSum>, W: Goals> Worker<G, W> {
    /// Sets out at the end of its way.
    fn begin(&mut self, goal: usize) {
        let Step { node, relevant, state } = *self.way.last().expect("a way begins at the root");
        let search = &mut self.search;
        search.tree.transfer(node, self.place);
        search.asked = relevant;
        search.goal = goal;
        search.root = (self.way.len() == 1).then_some(self.place);
        search.path.clear();
        search.path.push(Step { node: self.place, relevant, state });
    }
}

/// Raises the numbers of the claimed piece at the end of the path, as the others see it.
fn raise<G: FullGame<Payoff = ZeroSum>, W: Goals>(search: &mut OnTree<G, W>) {
    let piece = search.path.last().expect("the path begins at the root").node;
    let more = |number: u32| number.saturating_add(number / 4 + 1).min(LARGEST);
    for cell in search.tree.numbers(piece) {
        let mut pair = cell.pair();
        if !pair.closed() {
            (pair.proof, pair.disproof) = (more(pair.proof), more(pair.disproof));
            cell.set(pair.bits());
        }
    }
    for ply in (0..search.path.len() - 1).rev() {
        if search.renumber(search.path[ply].node).is_none() {
            break;
        }
        search.tally.written += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    use perfectplay_core::{Budget, Game as _, Objective};
    use perfectplay_games::connect_four::ConnectFour;

    use super::*;
    use crate::proof_number::effort_numbers::{Pair, Two};
    use crate::proof_number::goals::{Aim, Outcomes};
    use crate::proof_number::tree_search::Options;

    /// Every number follows from those below it, or is that of a new leaf: nothing is left of virtual ones.
    fn check<G: FullGame<Payoff = ZeroSum>>(search: &mut OnTree<G, Two>) {
        let mut open = vec![ROOT];
        let mut reached = 0;
        while let Some(id) = open.pop() {
            reached += 1;
            let node = search.tree.node(id);
            // What lies below irrelevant nodes is freed, and their numbers stay.
            let is_new = |cell: &AtomicU64| cell.pair().closed() || cell.pair() == Pair::UNIT;
            match node.is_leaf() {
                true => assert!(search.options.prune || search.tree.numbers(id).iter().all(is_new)),
                false => assert!(search.renumber(id).is_none() || search.options.prune, "node {id}"),
            }
            open.extend(node.children());
        }
        assert_eq!(reached + search.places.len(), search.tree.check_places(), "no node is lost or there twice");
    }

    #[test]
    fn virtual_numbers_are_taken_back_and_no_node_is_lost() {
        let game = Arc::new(ConnectFour::<u64>::new(4, 4));
        for (prune, threads) in [(false, 2), (true, 2), (false, 8), (true, 8), (true, 3)] {
            let outcomes = Arc::new(Outcomes::of(&*game, Objective::Gain, "test").unwrap());
            let options = Options { prune, ..Options::default() };
            let mut search = OnTree::new(game.clone(), game.start(), outcomes, Aim::All, options, Two);
            for slice in 0.. {
                let threads = [threads, 1][usize::from(slice % 5 == 4)];
                let stop = search.prove(threads, &mut Budget::nodes([3, 500, 20_000][slice % 3]).start(), &mut ());
                check(&mut search);
                if stop.is_none() {
                    break;
                }
            }
            assert_eq!(search.window(), Window { pessimistic: 1, optimistic: 1 }, "a draw");
            assert!(search.tally.claims > 100);
        }
    }
}
