//! Several threads on one tree.
//!
//! A thread walks down from the root to a state that has a small part of all visits, and *claims* the piece of the tree
//! below: it simulates there by itself, as one thread would, some dozens of times at most. Then it gives the piece back
//! and backs up, all of these simulations at once. Walking, claiming and giving back are done by one thread at a time;
//! in between nobody waits for anybody, because a piece is looked at by its owner only. (A node of the owner's stands
//! in for the top of the piece, so that nothing is written beside what others read.)
//!
//! **Virtual visits.** On the way to a claimed piece all its simulations count as visits, until they are taken back:
//! the next walk goes where fewer are. They leave means as they are (Liu et al. 2020): to count them as lost (Chaslot,
//! Winands and van den Herik 2008) would keep all threads but one away from the best move, because dozens are on their
//! way at once. A walk that comes to a claimed piece all the same takes the next best.
//!
//! So visits and means are exactly those of the simulations that have ended, and proofs are those of one thread:
//! whoever looks at a state is alone with it.
//!
//! [`Setup::reproducible`](crate::Setup::reproducible): all threads claim pieces in turn, work at the same time, and
//! give them back in turn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use perfectplay_core::{Estimate, EstimateOf, FullGame, Meter, Observer, Progress, Stop, side_by_side};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::tree::MOST_PENDING;
use super::uct::{Mcts, REPORT_EVERY};
use crate::support::team::Team;

/// A piece has one of so many parts of all visits at most, times the number of threads.
const PARTS: u32 = 16;
/// A thread simulates in a piece at most so many times, and no more than a part of the visits that it had before.
const MOST_SIMULATIONS: u32 = 64;
const SHARE: u32 = 8;
/// How long it should take at most: others, and who wants to stop it, wait so long.
const LONG: Duration = Duration::from_micros(200);
/// Threads that work in step simulate so many times each before they look at the budget.
const IN_STEP: u32 = 16;
/// Claimed pieces to which a walk may come before the thread waits for others to come back.
const TRIES: usize = 64;
/// So many claims after one that was in vain pieces become larger again.
const RECOVERY: u32 = 64;
const MOST_THREADS: usize = MOST_PENDING / MOST_SIMULATIONS as usize;

/// How often threads met.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    pieces: u64,
    met: u64,
    waits: u64,
    lock_waits: u64,
}

impl Tally {
    pub(super) fn counts(&self) -> Vec<(&'static str, u64)> {
        if self.pieces == 0 {
            return vec![];
        }
        vec![
            ("pieces", self.pieces),
            ("claimed pieces met", self.met),
            ("waits for a piece", self.waits),
            ("waits for the top", self.lock_waits),
        ]
    }
}

/// A thread's own, on cache lines of its own.
#[repr(align(128))]
struct Worker<G: FullGame> {
    /// Its piece, as a search of its own.
    search: Mcts<G>,
    /// The way from the root to its piece; empty if it has none.
    way: Vec<u32>,
    /// How often it may simulate there, how often it did, and what came out at the top of the piece in all.
    allowed: u32,
    done: u32,
    sum: EstimateOf<G>,
    /// How often it may simulate if it shall not take long.
    soon: u32,
}

impl<G: FullGame> Worker<G> {
    fn new(search: Mcts<G>) -> Self {
        Worker { search, way: Vec::new(), allowed: 0, done: 0, sum: Estimate::from_fn(|_| 0.0), soon: 1 }
    }

    /// Whether there is something to do for it. (What is proved is simulated again only where proofs do not count.)
    fn has_work(&self) -> bool {
        self.done < self.allowed && !(self.search.has_solver() && self.search.is_solved())
    }

    /// Simulates in its piece as one thread would, until there is no room.
    fn play(&mut self, halted: &AtomicBool) {
        while self.has_work()
            && let Some(worth) = self.search.simulate(usize::MAX)
        {
            self.done += 1;
            let sum = self.sum;
            self.sum = Estimate::from_fn(|p| sum.of(p) + worth.of(p));
            if halted.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    /// The same, and learns how long it takes.
    fn play_for_a_while(&mut self, halted: &AtomicBool) {
        let started = Instant::now();
        self.play(halted);
        let took = started.elapsed();
        if took > LONG {
            self.soon = (self.soon / 2).max(1);
        } else if took < LONG / 2 && self.done == self.soon {
            self.soon = (2 * self.soon).min(MOST_SIMULATIONS);
        }
    }
}

/// Why all come back.
#[derive(Clone, Copy, Debug)]
enum Halt {
    /// The root is solved, or the budget is used up.
    Stop(Stop),
    /// Somebody found no room.
    NoRoom,
}

/// What came of looking for a piece.
enum Claim {
    /// There is one.
    Found,
    /// All are claimed.
    Wait,
    /// Nobody may begin anything more.
    Over(Halt),
}

/// What one thread at a time has.
struct Top<'a, G: FullGame> {
    search: &'a mut Mcts<G>,
    meter: &'a mut Meter,
    /// Simulations that were allowed and have not come back.
    under_way: u64,
    threads: u32,
    /// By how many halvings pieces are smaller than they should be, and claims until there is one fewer.
    smaller: u32,
    until_larger: u32,
    waiting: usize,
    halt: Option<Halt>,
}

impl<'a, G: FullGame> Top<'a, G> {
    fn new(search: &'a mut Mcts<G>, meter: &'a mut Meter, threads: usize) -> Self {
        let threads = threads as u32;
        Top { search, meter, under_way: 0, threads, smaller: 0, until_larger: 0, waiting: 0, halt: None }
    }

    /// Finds a piece for a thread, for so many simulations at most.
    fn claim(&mut self, worker: &mut Worker<G>, most: u32) -> Claim {
        if self.search.is_solved() {
            return Claim::Over(Halt::Stop(Stop::Done));
        }
        let left = self.meter.nodes_left().saturating_sub(self.under_way);
        if left == 0 {
            return Claim::Over(Halt::Stop(Stop::Nodes));
        }
        if !self.search.tree.provide(&mut worker.search.tree, self.meter.memory()) {
            return Claim::Over(Halt::NoRoom);
        }
        let mut in_the_way = Vec::new();
        while in_the_way.len() <= TRIES {
            match self.walk(&in_the_way) {
                Walk::To(state) => {
                    self.hand_over(worker, state, u64::from(most).min(left) as u32);
                    return Claim::Found;
                }
                Walk::InTheWay(0) => break,
                Walk::InTheWay(id) => in_the_way.push(id),
                Walk::NoRoom => return Claim::Over(Halt::NoRoom),
            }
            self.search.tally.met += 1;
        }
        self.search.tally.waits += 1;
        Claim::Wait
    }

    /// Makes pieces smaller: there are not enough.
    fn divide(&mut self) {
        self.smaller = (self.smaller + 1).min(u32::BITS - 1);
        self.until_larger = RECOVERY;
    }

    /// Walks down to the top of a piece that is free; the path tells which way.
    fn walk(&mut self, in_the_way: &[u32]) -> Walk<G> {
        let search = &mut *self.search;
        let small = (search.tree.node(0).visits() / (PARTS * self.threads)) >> self.smaller;
        let (mut at, mut state) = (0, search.root);
        search.path.clear();
        search.path.push(0);
        loop {
            let node = search.tree.node(at);
            if node.is_claimed() {
                return Walk::InTheWay(at);
            }
            let is_small = node.visits() <= small && node.pending() == 0; // nobody is at work below
            if is_small || node.moves() == 0 || node.proof() > 0 {
                return Walk::To(state);
            }
            let next = if !node.has_untried() {
                search.select(at, |id, child| !child.is_claimed() && !in_the_way.contains(&id))
            } else if search.tree.will_move(at) && node.pending() > 0 {
                None // others must find their pieces where they were
            } else {
                match search.try_next(at, &state, self.meter.memory()) {
                    None => return Walk::NoRoom,
                    child => child,
                }
            };
            let Some(next) = next else { return Walk::InTheWay(at) };
            at = next;
            search.path.push(at);
            search.outlook.game.play(&mut state, search.tree.node(at).mv());
        }
    }

    /// The piece at the end of the path belongs to a thread from now on.
    fn hand_over(&mut self, worker: &mut Worker<G>, state: G::State, most: u32) {
        let search = &mut *self.search;
        std::mem::swap(&mut worker.way, &mut search.path);
        let (&top, above) = worker.way.split_last().expect("a way begins at the root");
        let node = search.tree.node(top);
        worker.allowed = (node.visits() / SHARE).clamp(1, most);
        worker.done = 0;
        worker.sum = Estimate::from_fn(|_| 0.0);
        worker.search.root = state;
        search.tree.transfer(top, worker.search.tree.root());
        node.set_claimed(true);
        above.iter().for_each(|&id| search.tree.node(id).begin_pending(worker.allowed));
        self.under_way += u64::from(worker.allowed);
        search.tally.pieces += 1;
        self.until_larger = self.until_larger.saturating_sub(1);
        if self.until_larger == 0 && self.smaller > 0 {
            self.smaller -= 1;
            self.until_larger = RECOVERY;
        }
    }

    /// Takes over what a thread found out about its piece, if it has one; why all should come back, if so.
    fn give_back(&mut self, worker: &mut Worker<G>) -> Option<Stop> {
        let search = &mut *self.search;
        let (&top, above) = worker.way.split_last()?;
        above.iter().for_each(|&id| search.tree.node(id).end_pending(worker.allowed));
        search.tree.transfer(worker.search.tree.root(), top);
        let node = search.tree.node(top);
        node.set_claimed(false);
        self.under_way -= u64::from(worker.allowed);
        search.simulations += u64::from(worker.done);
        std::mem::swap(&mut worker.way, &mut search.path);
        worker.way.clear();
        if worker.done == 0 {
            return None;
        }
        if let Some(parent) = search.path.len().checked_sub(2) {
            let worth = Estimate::from_fn(|p| worker.sum.of(p) / worker.done as f32);
            let proof = if node.proof() > 0 { search.prove(search.path[parent]) } else { 0 };
            search.back_up(parent + 1, worth, proof, worker.done);
        }
        let stop = self.meter.spend(worker.done.into(), search.bytes());
        if search.is_solved() { Some(Stop::Done) } else { stop }
    }
}

/// Where a walk ended.
enum Walk<G: FullGame> {
    /// At this state, whose piece is free.
    To(G::State),
    /// At this node: it is claimed, or all ways from it are.
    InTheWay(u32),
    /// Where a child has to be added.
    NoRoom,
}

/// What all threads see.
struct Shared<'a, G: FullGame> {
    top: Mutex<Top<'a, G>>,
    came_back: Condvar,
    halted: AtomicBool,
}

impl<'a, G: FullGame> Shared<'a, G> {
    fn top(&self) -> MutexGuard<'_, Top<'a, G>> {
        match self.top.try_lock() {
            Ok(top) => top,
            Err(TryLockError::Poisoned(_)) => panic!("nobody panics at the top"),
            Err(TryLockError::WouldBlock) => {
                let mut top = self.top.lock().expect("nobody panics at the top");
                top.search.tally.lock_waits += 1;
                top
            }
        }
    }

    /// All are to come back; the first reason counts.
    fn halt(&self, top: &mut Top<'a, G>, halt: Halt) {
        top.halt.get_or_insert(halt);
        self.halted.store(true, Ordering::Relaxed);
        self.came_back.notify_all();
    }

    /// What a thread does until all are to come back.
    fn work(&self, worker: &mut Worker<G>, clock: &Meter, observer: &mut dyn Observer) {
        let mut reported = None;
        loop {
            let stop = clock.look();
            let mut top = self.top();
            if let Some(stop) = top.give_back(worker).or(stop) {
                self.halt(&mut top, Halt::Stop(stop));
            }
            if top.waiting > 0 {
                self.came_back.notify_all();
            }
            loop {
                if top.halt.is_some() {
                    return;
                }
                let most = worker.soon;
                match top.claim(worker, most) {
                    Claim::Found => break,
                    // What others have under way is all that there is.
                    Claim::Over(Halt::Stop(Stop::Nodes)) => return,
                    Claim::Over(halt) => self.halt(&mut top, halt),
                    Claim::Wait => {
                        top.divide();
                        top.waiting += 1;
                        top = self.came_back.wait(top).expect("nobody panics at the top");
                        top.waiting -= 1;
                    }
                }
            }
            let (nodes, bytes) = (top.search.simulations, top.search.bytes());
            drop(top);
            let now = nodes / REPORT_EVERY;
            if *reported.get_or_insert(now) < now {
                reported = Some(now);
                let depth = Some((worker.way.len() + worker.search.path.len()) as u32);
                if observer.progress(&Progress { nodes, bytes, share: None, depth }).is_break() {
                    self.halt(&mut self.top(), Halt::Stop(Stop::Cancelled));
                }
            }
            worker.play_for_a_while(&self.halted);
        }
    }
}

impl<G: FullGame> Mcts<G> {
    /// Simulates with so many threads.
    pub(super) fn side_by_side(&mut self, threads: usize, mut meter: Meter, observer: &mut dyn Observer) -> Stop {
        let threads = threads.min(MOST_THREADS);
        while self.others.len() < threads {
            let seed = self.seed ^ (self.others.len() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.others.push(Xoshiro256PlusPlus::seed_from_u64(seed));
        }
        let (mut round, mut before) = (0, self.simulations);
        // Before anything is known all would begin at the root.
        let mut is_alone = self.tree.node(0).visits() == 0;
        loop {
            // If there was room for nothing, one thread finds out whether there is really none.
            if is_alone {
                if self.simulate(meter.memory()).is_none() {
                    return Stop::Memory;
                }
                if let Some(stop) = meter.spend(1, self.bytes()) {
                    return if self.is_solved() { Stop::Done } else { stop };
                }
            }
            self.tree.prepare(threads);
            let dice: Vec<_> = self.others.drain(..threads).collect();
            let mut workers: Vec<Worker<G>> = dice.into_iter().map(|dice| Worker::new(self.part(dice))).collect();
            let halt = match self.reproducible {
                true => self.in_step(&mut workers, &mut round, &mut meter, observer),
                false => self.at_will(&mut workers, &mut meter, observer),
            };
            is_alone = std::mem::replace(&mut before, self.simulations) == self.simulations;
            let settled = workers.into_iter().map(|worker| {
                self.tree.settle(worker.search.tree);
                worker.search.dice
            });
            self.others.splice(..0, settled);
            match halt {
                Halt::NoRoom => {}
                Halt::Stop(_) if self.is_solved() => return Stop::Done,
                Halt::Stop(stop) => return stop,
            }
        }
    }

    /// Everybody claims a piece when it has given the last one back.
    fn at_will(&mut self, workers: &mut [Worker<G>], meter: &mut Meter, observer: &mut dyn Observer) -> Halt {
        let clock = meter.clone();
        let top = Mutex::new(Top::new(self, meter, workers.len()));
        let shared = Shared { top, came_back: Condvar::new(), halted: AtomicBool::new(false) };
        let (own, others) = workers.split_first_mut().expect("one thread at least");
        let others = others.iter_mut().map(|worker| || shared.work(worker, &clock, &mut ()));
        side_by_side(others, || shared.work(own, &clock, observer));
        let top = shared.top.into_inner().expect("nobody panics at the top");
        top.halt.unwrap_or(Halt::Stop(Stop::Nodes))
    }

    /// Everybody in turn, and all at the same time. What a round has left is done when there is room again.
    fn in_step(
        &mut self,
        workers: &mut [Worker<G>],
        round: &mut u32,
        meter: &mut Meter,
        observer: &mut dyn Observer,
    ) -> Halt {
        let threads = workers.len();
        let team = Team::new(threads);
        let mut top = Top::new(self, meter, threads);
        loop {
            if *round == 0 {
                *round = IN_STEP * threads as u32;
            }
            let before = top.search.simulations / REPORT_EVERY;
            let halt = top.step(workers, &team, round);
            let is_due = before < top.search.simulations / REPORT_EVERY;
            if is_due && observer.progress(&top.search.progress()).is_break() {
                return halt.unwrap_or(Halt::Stop(Stop::Cancelled));
            }
            if let Some(halt) = halt {
                return halt;
            }
        }
    }
}

static NOT_HALTED: AtomicBool = AtomicBool::new(false);

impl<G: FullGame> Top<'_, G> {
    /// All claim a piece as far as the round has simulations left, work, and give it back.
    fn step(&mut self, workers: &mut [Worker<G>], team: &Team, round: &mut u32) -> Option<Halt> {
        let mut halt = None;
        for i in 0..workers.len() {
            if *round == 0 {
                break;
            }
            let most = IN_STEP.min(*round);
            let mut claim = self.claim(&mut workers[i], most);
            if matches!(claim, Claim::Over(Halt::NoRoom)) {
                self.make_room(workers);
                claim = self.claim(&mut workers[i], most);
            }
            match claim {
                Claim::Found => *round -= workers[i].allowed,
                Claim::Wait => break,
                Claim::Over(why) => {
                    halt = Some(why);
                    break;
                }
            }
        }
        let claimed = workers.iter().filter(|worker| !worker.way.is_empty()).count();
        let mut has_room = true;
        while has_room && workers[..claimed].iter().any(Worker::has_work) {
            play_all(workers, team);
            for i in 0..claimed {
                has_room &= !workers[i].has_work() || self.provide(workers, i);
            }
        }
        if !has_room {
            halt = Some(Halt::NoRoom);
        }
        for worker in &mut workers[..claimed] {
            *round += worker.allowed - worker.done;
            let stop = self.give_back(worker).map(Halt::Stop);
            halt = stop.or(halt);
        }
        // What is under way is all that was left, and it has come back.
        match halt {
            Some(Halt::Stop(Stop::Nodes)) if self.meter.nodes_left() > 0 => None,
            halt => halt,
        }
    }

    /// Gives one of them what it needs for a simulation; `false` if that is not there.
    fn provide(&mut self, workers: &mut [Worker<G>], i: usize) -> bool {
        let memory = self.meter.memory();
        self.search.tree.provide(&mut workers[i].search.tree, memory) || {
            self.make_room(workers);
            self.search.tree.provide(&mut workers[i].search.tree, memory)
        }
    }

    /// Room must not decide who claims what and when: then it would matter where a run was cut into slices.
    fn make_room(&mut self, workers: &mut [Worker<G>]) {
        self.search.tree.make_room(workers.iter_mut().map(|worker| &mut worker.search.tree).collect());
    }
}

/// All play at the same time.
fn play_all<G: FullGame>(workers: &mut [Worker<G>], team: &Team) {
    let workers: Vec<_> = workers.iter_mut().map(Mutex::new).collect();
    team.share_out(workers.len(), |i| workers[i].lock().expect("each is played by one").play(&NOT_HALTED));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use perfectplay_core::{Budget, Game as _, Params};
    use perfectplay_games::connect_four::ConnectFour;
    use perfectplay_games::hex::Hex;
    use perfectplay_games::mnk::Mnk3;

    use super::*;
    use crate::{Search, Setup};

    /// Searches in slices, with now one and now several threads, and looks at the whole tree after each while it is
    /// small, and after many of all kinds later on.
    fn nothing_is_lost<G: FullGame>(game: G, options: &str, simulations: u64) {
        let game = Arc::new(game);
        for (threads, reproducible) in [(2, false), (3, false), (8, false), (32, false), (2, true), (5, true)] {
            let setup = Setup { threads, reproducible, ..Setup::default() };
            let mut search = Mcts::open(game.clone(), game.start(), &setup, Params::parse(options).unwrap()).unwrap();
            let mut spent = 0;
            for slice in 0.. {
                let threads = [threads, 1][usize::from(slice % 4 == 3)];
                let nodes = [1, 700, 64, 5_000, 3][slice % 5];
                let stop = search.run(&Budget { threads, ..Budget::nodes(nodes) }, &mut ());
                spent += nodes;
                if spent < 5_000 || slice % 7 == 0 || stop == Stop::Done {
                    search.tree.check();
                }
                let visits = u64::from(search.tree.node(0).visits());
                assert_eq!(visits, search.simulations, "{threads} threads");
                assert!(if stop == Stop::Done { visits <= spent } else { visits == spent }, "{visits} of {spent}");
                if stop == Stop::Done || spent > simulations {
                    break;
                }
                assert_eq!(stop, Stop::Nodes);
            }
            assert!(search.tally.pieces > 100 && search.tally.pieces < search.simulations);
        }
    }

    #[test]
    fn every_simulation_counts_once_and_no_node_is_lost() {
        nothing_is_lost(ConnectFour::<u64>::new(7, 6), "", 60_000);
        nothing_is_lost(ConnectFour::<u64>::new(4, 4), "", 300_000);
        nothing_is_lost(ConnectFour::<u64>::new(4, 4), "solver=off,c=0", 30_000);
        nothing_is_lost(Hex::<u128>::new(5, true), "playouts=2", 30_000);
        nothing_is_lost(Mnk3::<u64>::new(4, 3, 3), "eval=rollouts", 30_000);
    }

    /// Where there is room for little, threads come back again and again and end when there is none.
    #[test]
    fn memory_is_used_up_and_no_more() {
        let game = Arc::new(Hex::<u128>::new(7, true));
        for (threads, reproducible) in [(2, false), (8, false), (3, true)] {
            for memory in [30_000, 200_000, 2_000_000] {
                let setup = Setup { threads, reproducible, ..Setup::default() };
                let mut search = Mcts::open(game.clone(), game.start(), &setup, Params::default()).unwrap();
                let budget = Budget { memory: Some(memory), threads, ..Budget::unlimited() };
                assert_eq!(search.run(&budget, &mut ()), Stop::Memory);
                search.tree.check();
                let used = search.bytes();
                assert!(used <= memory && used > memory - 20_000, "{used} of {memory}, {threads} threads");
            }
        }
    }
}
