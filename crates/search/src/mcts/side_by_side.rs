//! Several threads on one tree.
//!
//! Walking down the tree and backing up are done by one thread at a time, playing random games by all of them at once.
//! A thread takes the tree for several simulations: it walks down as many times, marks the states on the way as pending
//! (virtual losses: the next walk goes where fewer are), leaves the tree to the others while it plays, and then takes
//! the marks back and backs up. So visits and means are exactly those of the simulations that have ended, proofs are
//! those of one thread, and no state is added twice. How many threads pay depends on how much of a simulation is the
//! random game.
//!
//! [`Setup::reproducible`](crate::Setup::reproducible): all threads take their simulations from the tree in turn, play, and
//! give them back in turn.

use std::sync::{Mutex, MutexGuard};
use std::thread;

use perfectplay_core::{FullGame, Game, Meter, Observer, Stop};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::uct::{End, Leaf, Mcts, Outlook, REPORT_EVERY};

/// Simulations for which a thread takes the tree at a time.
const AT_A_TIME: usize = 8;
/// A node counts up to so many pending simulations.
const MOST_PENDING: usize = u8::MAX as usize;

/// A thread's own: the random games it has to play.
pub(super) struct Simulator<G: FullGame> {
    dice: Xoshiro256PlusPlus,
    moves: Vec<G::Move>,
    lines: Vec<Line<G>>,
}

/// A simulation on its way.
struct Line<G: FullGame> {
    path: Vec<u32>,
    /// How often children had moved when the path was walked.
    moved: u64,
    /// The moves of the path: they find it again if nodes have moved.
    moves: Vec<G::Move>,
    state: G::State,
    end: Option<End<<G as Game>::Payoff>>,
}

impl<G: FullGame> Simulator<G> {
    fn play(&mut self, outlook: &Outlook<G>) {
        for line in self.lines.iter_mut().filter(|line| line.end.is_none()) {
            line.end = Some(outlook.look(line.state, &mut self.dice, &mut self.moves));
        }
    }
}

impl<G: FullGame> Mcts<G> {
    /// Simulates with so many threads.
    pub(super) fn side_by_side(&mut self, threads: usize, mut meter: Meter, observer: &mut dyn Observer) -> Stop {
        let threads = threads.min(MOST_PENDING);
        let at_a_time = AT_A_TIME.min(MOST_PENDING / threads);
        if self.tree[0].visits == 0 {
            // Otherwise all would begin by looking at the root.
            let has_room = self.simulate(meter.memory());
            if let Some(stop) = if has_room { meter.spend(1, self.bytes()) } else { Some(Stop::Memory) } {
                return if self.tree[0].proof > 0 { Stop::Done } else { stop };
            }
        }
        while self.players.len() < threads {
            let seed = self.seed ^ (self.players.len() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let dice = Xoshiro256PlusPlus::seed_from_u64(seed);
            self.players.push(Simulator { dice, moves: Vec::new(), lines: Vec::new() });
        }
        let mut players = std::mem::take(&mut self.players);
        let stop = match self.reproducible {
            true => self.in_step(&mut players[..threads], at_a_time, &mut meter, observer),
            false => self.at_will(&mut players[..threads], at_a_time, &meter, observer),
        };
        self.players = players;
        stop
    }

    /// Everybody takes the tree as it is free.
    fn at_will(
        &mut self,
        players: &mut [Simulator<G>],
        at_a_time: usize,
        meter: &Meter,
        observer: &mut dyn Observer,
    ) -> Stop {
        let (outlook, parts) = (self.outlook.clone(), players.len());
        let tree = Mutex::new((self, None));
        let (own, others) = players.split_first_mut().expect("one thread at least");
        thread::scope(|scope| {
            for player in others {
                let (tree, outlook, mut meter) = (&tree, &outlook, meter.share(parts));
                let work = move || work(tree, outlook, player, at_a_time, &mut meter, &mut ());
                let _ = thread::Builder::new().spawn_scoped(scope, work); // if refused, the others do its work
            }
            work(&tree, &outlook, own, at_a_time, &mut meter.share(parts), observer);
        });
        let (mcts, stop) = tree.into_inner().expect("nobody panics at the tree");
        match stop {
            _ if mcts.tree[0].proof > 0 => Stop::Done,
            Some(stop) => stop,
            None => Stop::Nodes,
        }
    }

    /// Everybody in turn, and all at the same time.
    fn in_step(
        &mut self,
        players: &mut [Simulator<G>],
        at_a_time: usize,
        meter: &mut Meter,
        observer: &mut dyn Observer,
    ) -> Stop {
        let outlook = self.outlook.clone();
        let mut stop = None;
        while stop.is_none() && self.tree[0].proof == 0 {
            let before = self.simulations;
            for player in players.iter_mut() {
                stop = stop.or_else(|| self.take_lines(player, at_a_time, meter));
            }
            thread::scope(|scope| {
                let (own, others) = players.split_first_mut().expect("one thread at least");
                for player in others {
                    let _ = thread::Builder::new().spawn_scoped(scope, || player.play(&outlook));
                }
                own.play(&outlook);
            });
            for player in players.iter_mut() {
                player.play(&outlook); // if the system refused a thread
                self.give_back(player);
            }
            if before / REPORT_EVERY != self.simulations / REPORT_EVERY
                && observer.progress(&self.progress()).is_break()
            {
                stop = stop.or(Some(Stop::Cancelled));
            }
        }
        if self.tree[0].proof > 0 { Stop::Done } else { stop.expect("nothing else ends it") }
    }

    /// Walks down the tree for a thread; why there will be no more, if so.
    fn take_lines(&mut self, player: &mut Simulator<G>, at_a_time: usize, meter: &mut Meter) -> Option<Stop> {
        for _ in 0..at_a_time {
            if self.tree[0].proof > 0 {
                return None;
            }
            match self.descend(meter.memory()) {
                None => return Some(Stop::Memory),
                Some(Leaf::Known(end)) => {
                    self.simulations += 1;
                    self.back_up(end);
                }
                Some(Leaf::New(state)) => {
                    let path = std::mem::take(&mut self.path);
                    for &id in &path {
                        self.tree[id as usize].pending += 1;
                    }
                    let moves = path[1..].iter().filter_map(|&id| self.tree[id as usize].mv).collect();
                    player.lines.push(Line { path, moved: self.tree.moved(), moves, state, end: None });
                }
            }
            if let Some(stop) = meter.spend(1, self.bytes()) {
                return Some(stop);
            }
        }
        None
    }

    /// Takes the marks of a thread's simulations back, and backs them up.
    fn give_back(&mut self, player: &mut Simulator<G>) {
        for line in player.lines.drain(..) {
            self.path = line.path;
            if line.moved != self.tree.moved() {
                self.find_again(&line.moves);
            }
            for i in 0..self.path.len() {
                self.tree[self.path[i] as usize].pending -= 1;
            }
            self.simulations += 1;
            self.back_up(line.end.expect("it was played"));
        }
    }

    /// The path of these moves.
    fn find_again(&mut self, moves: &[G::Move]) {
        let mut at = 0;
        self.path.clear();
        self.path.push(0);
        for &mv in moves {
            at = self.tree.children(at).find(|&id| self.tree[id].mv == Some(mv)).expect("no node is ever lost");
            self.path.push(at as u32);
        }
    }
}

/// The tree, and why the work ends.
type Shared<'a, G> = Mutex<(&'a mut Mcts<G>, Option<Stop>)>;

/// What a thread does until its part of the budget is used up, or somebody says that all are to stop.
fn work<G: FullGame>(
    tree: &Shared<'_, G>,
    outlook: &Outlook<G>,
    player: &mut Simulator<G>,
    at_a_time: usize,
    meter: &mut Meter,
    observer: &mut dyn Observer,
) {
    let lock = || -> MutexGuard<'_, (&mut Mcts<G>, Option<Stop>)> {
        let free = tree.try_lock().ok();
        let waited = free.is_none();
        let mut taken = free.unwrap_or_else(|| tree.lock().expect("nobody panics at the tree"));
        taken.0.taken += 1;
        taken.0.waited += u64::from(waited);
        taken
    };
    let mut reported = 0;
    let mut ended = None;
    loop {
        let mut shared = lock();
        shared.0.give_back(player);
        if ended.is_none() && shared.1.is_none() {
            ended = shared.0.take_lines(player, at_a_time, meter);
            if let Some(Stop::Memory | Stop::Time | Stop::Cancelled) = ended {
                shared.1 = ended;
            }
        }
        let is_over = ended.is_some() || shared.1.is_some() || shared.0.tree[0].proof > 0;
        if is_over && player.lines.is_empty() {
            return;
        }
        let (now, progress) = (shared.0.simulations / REPORT_EVERY, shared.0.progress());
        drop(shared);
        if now > reported {
            reported = now;
            if observer.progress(&progress).is_break() {
                lock().1 = Some(Stop::Cancelled);
            }
        }
        player.play(outlook);
    }
}
