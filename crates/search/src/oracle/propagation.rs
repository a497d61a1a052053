//! Values and distances on a graph with cycles, from the finished games backwards (retrograde analysis).
//!
//! A queue holds the states whose value is known, the nearest to their end first. Taking a state from it, each state
//! with a move to it either has its winning move, or one refutation less to hope for: when none is left it is lost. A
//! value is final when it is set, and wins and losses come in the order of their distance, so a win is the fastest and
//! a loss the slowest. What never gets a value is a draw: each side can avoid losing for ever.
//!
//! Several threads take states of the same distance at the same time: which of them values a state does not matter.
//!
//! Cost: every move once. Memory: 20 bytes a state and four a move, for the moves in the other direction.

use std::mem::size_of;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use perfectplay_core::{FullGame, LONGEST, Meter, Stop, ZeroSum, one_ply_earlier, plies_of};

use crate::oracle::reachable::{Kind, Reachable};
use crate::support::team::Team;
use crate::{Reader, SaveError, Writer};

/// Where the moves to each state come from.
#[derive(Default)]
struct Predecessors {
    /// Where those of each state begin in `sources`; one more than there are states.
    first: Vec<usize>,
    sources: Vec<u32>,
    /// Moves counted so far, then states whose moves were turned around.
    counted: usize,
    placed: usize,
    /// So many states belong to one thread, and where the moves to each such share end in `sources`.
    share: usize,
    ends: Vec<usize>,
}

/// Values being spread.
#[derive(Default)]
pub(crate) struct Propagation {
    predecessors: Predecessors,
    /// The first player's values under [`perfectplay_core::Objective::Length`]; 0 where nothing is known.
    values: Vec<AtomicI32>,
    /// Moves of each state that are not known to lose.
    open: Vec<AtomicU32>,
    /// States with a value; those before `done` have been told to their predecessors.
    queue: Vec<u32>,
    done: usize,
    is_linked: bool,
    /// Scratch space.
    valued: Vec<u32>,
}

/// States that a thread takes in one go, and how often it does before all look at the clock.
const PIECE: usize = 256;
const PIECES_PER_THREAD: usize = 64;

/// Moves between two looks at the clock: some milliseconds.
const LOOK_EVERY: usize = 1 << 20;

impl Propagation {
    /// Turns all moves around and values the finished games; may be called again after a stop.
    pub(crate) fn link<G: FullGame<Payoff = ZeroSum>>(
        &mut self,
        graph: &mut Reachable<G>,
        team: &Team,
        meter: &mut Meter,
    ) -> Option<Stop> {
        if self.is_linked {
            return None;
        }
        let (states, moves) = (graph.kinds.len(), graph.targets.len());
        let needed = graph.bytes() + states * (size_of::<usize>() + 12) + moves * size_of::<u32>();
        if needed > meter.memory() {
            return Some(Stop::Memory);
        }
        if let Some(stop) = self.predecessors.link(graph, team, meter) {
            return Some(stop);
        }
        self.open = (0..states).map(|state| AtomicU32::new(graph.successors(state).len() as u32)).collect();
        let value = |kind: &Kind| match kind {
            Kind::FirstWon => LONGEST,
            Kind::SecondWon => -LONGEST,
            _ => 0,
        };
        self.values = graph.kinds.iter().map(value).map(AtomicI32::new).collect();
        self.queue = Vec::with_capacity(states);
        self.queue.extend((0..states as u32).filter(|&state| *self.values[state as usize].get_mut() != 0));
        self.is_linked = true;
        graph.forget_moves();
        None
    }

    /// Takes the next state from the queue.
    pub(crate) fn step(&mut self, kinds: &[Kind], meter: &mut Meter) -> Option<Stop> {
        let &state = self.queue.get(self.done)?;
        self.done += 1;
        let mut valued = std::mem::take(&mut self.valued);
        self.tell_predecessors(state, kinds, &mut valued);
        self.queue.append(&mut valued);
        self.valued = valued;
        meter.spend(1, 0)
    }

    /// Takes the next states of the same distance from the queue, with all threads.
    pub(crate) fn steps(&mut self, kinds: &[Kind], team: &Team, meter: &mut Meter) -> Option<Stop> {
        let &state = self.queue.get(self.done)?;
        let distance = |state: u32| plies_of(self.values[state as usize].load(Ordering::Relaxed));
        let nearest = distance(state);
        let as_near = self.queue[self.done..].partition_point(|&state| distance(state) == nearest);
        let taken = as_near.min(team.threads() * PIECES_PER_THREAD * PIECE).min(meter.nodes_left() as usize).max(1);
        if taken < 2 * PIECE {
            return self.step(kinds, meter);
        }
        let states = &self.queue[self.done..self.done + taken];
        let mut valued = vec![Vec::new(); team.threads()];
        team.share_out_with(&mut valued, taken.div_ceil(PIECE), |valued, piece| {
            for &state in &states[piece * PIECE..taken.min((piece + 1) * PIECE)] {
                self.tell_predecessors(state, kinds, valued);
            }
        });
        let from = self.queue.len();
        self.queue.extend(valued.into_iter().flatten());
        self.queue[from..].sort_unstable(); // whoever found them
        self.done += taken;
        meter.spend(taken as u64, 0)
    }

    /// Tells the states with a move to a valued one; `valued` are those that have their value now.
    #[inline]
    fn tell_predecessors(&self, state: u32, kinds: &[Kind], valued: &mut Vec<u32>) {
        let value = self.values[state as usize].load(Ordering::Relaxed);
        let winner = if value > 0 { Kind::FirstMoves } else { Kind::SecondMoves };
        let [first, end] = [0, 1].map(|i| self.predecessors.first[state as usize + i]);
        for &before in &self.predecessors.sources[first..end] {
            let at = before as usize;
            if self.values[at].load(Ordering::Relaxed) != 0 {
                continue;
            }
            let was_last = kinds[at] != winner && self.open[at].fetch_sub(1, Ordering::Relaxed) == 1;
            if kinds[at] == winner || was_last {
                let new = one_ply_earlier(value);
                let set = self.values[at].compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed);
                valued.extend(set.is_ok().then_some(before));
            }
        }
    }

    /// Whether all values are known.
    pub(crate) fn is_done(&self) -> bool {
        self.is_linked && self.done == self.queue.len()
    }

    /// The value of a state, as far as it is known.
    pub(crate) fn value(&self, state: u32) -> Option<i32> {
        let value = self.values.get(state as usize)?.load(Ordering::Relaxed);
        (value != 0 || self.is_done()).then_some(value)
    }

    /// States that somebody wins, the farthest from its end last.
    pub(crate) fn decided(&self) -> &[u32] {
        &self.queue
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        let Predecessors { first, sources, .. } = &self.predecessors;
        first.capacity() * size_of::<usize>()
            + 4 * (sources.capacity() + self.values.capacity() + self.open.capacity() + self.queue.capacity())
    }

    /// See [`crate::Search::save`].
    pub(crate) fn save_to(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        to.put(self.is_linked)?;
        if !self.is_linked {
            return Ok(()); // the moves are still there to begin again
        }
        to.put_len(self.predecessors.first.len())?;
        self.predecessors.first.iter().try_for_each(|&first| to.put(first as u64))?;
        to.put_all(&self.predecessors.sources)?;
        to.put_len(self.values.len())?;
        self.values.iter().try_for_each(|value| to.put(value.load(Ordering::Relaxed)))?;
        to.put_len(self.open.len())?;
        self.open.iter().try_for_each(|open| to.put(open.load(Ordering::Relaxed)))?;
        to.put_all(&self.queue)?;
        Ok(to.put(self.done as u64)?)
    }

    /// See [`crate::Search::restore`].
    pub(crate) fn restore_from(&mut self, states: usize, from: &mut Reader<'_>) -> Result<(), SaveError> {
        *self = Propagation::default();
        if !from.get::<bool>()? {
            return Ok(());
        }
        let first: Vec<usize> = from.get_all::<u64>()?.into_iter().map(|first| first as usize).collect();
        self.predecessors = Predecessors { first, sources: from.get_all()?, ..Predecessors::default() };
        self.values = from.get_all()?.into_iter().map(AtomicI32::new).collect();
        self.open = from.get_all()?.into_iter().map(AtomicU32::new).collect();
        self.queue = from.get_all()?;
        self.done = from.get::<u64>()? as usize;
        self.is_linked = true;
        let Predecessors { first, sources, .. } = &self.predecessors;
        let fits = first.len() == states + 1
            && first.is_sorted()
            && first.last() == Some(&sources.len())
            && self.values.len() == states
            && self.open.len() == states
            && self.done <= self.queue.len()
            && self.queue.iter().chain(sources).all(|&state| (state as usize) < states);
        if fits { Ok(()) } else { Err(SaveError::Damaged("values of no state")) }
    }
}

impl Predecessors {
    /// Sorts the moves by where they lead: counts them, adds up, puts each in its place. Every thread reads all moves
    /// and takes those to its own share of the states, so that the order does not depend on how many there are.
    fn link<G: FullGame<Payoff = ZeroSum>>(
        &mut self,
        graph: &Reachable<G>,
        team: &Team,
        meter: &Meter,
    ) -> Option<Stop> {
        let (states, moves) = (graph.kinds.len(), graph.targets.len());
        if self.first.is_empty() {
            self.first = vec![0; states + 1];
            self.share = states.div_ceil(team.threads()).max(1);
        }
        while self.counted < moves {
            let end = moves.min(self.counted + LOOK_EVERY);
            let shares: Vec<_> = self.first[..states].chunks_mut(self.share).map(Mutex::new).collect();
            team.share_out(shares.len(), |i| {
                let mut counts = shares[i].lock().expect("one thread has it");
                for &target in &graph.targets[self.counted..end] {
                    if let Some(count) = counts.get_mut((target as usize).wrapping_sub(i * self.share)) {
                        *count += 1;
                    }
                }
            });
            self.counted = end;
            if let Some(stop) = meter.look() {
                return Some(stop);
            }
        }
        if self.sources.len() < moves {
            // Now the end of each state's share; filling it backwards makes it the beginning.
            let mut sum = 0;
            for first in &mut self.first {
                sum += *first;
                *first = sum;
            }
            self.ends = self.first[..states].chunks(self.share).filter_map(|ends| ends.last().copied()).collect();
            self.sources = vec![0; moves];
        }
        while self.placed < states {
            let begin = graph.first_move(self.placed);
            let end = graph.ends.partition_point(|&end| end <= begin + LOOK_EVERY).clamp(self.placed + 1, states);
            self.place(graph, self.placed..end, team);
            self.placed = end;
            if let Some(stop) = meter.look() {
                return Some(stop);
            }
        }
        None
    }

    /// Puts the moves of some states in their places.
    fn place<G: FullGame<Payoff = ZeroSum>>(&mut self, graph: &Reachable<G>, states: Range<usize>, team: &Team) {
        let mut sources = &mut self.sources[..];
        let mut begin = 0;
        let ends = self.first[..graph.kinds.len()].chunks_mut(self.share);
        let shares = ends.zip(&self.ends).map(|(ends, &end)| {
            let (own, rest) = std::mem::take(&mut sources).split_at_mut(end - begin);
            let share = Mutex::new((begin, ends, own));
            (sources, begin) = (rest, end);
            share
        });
        let shares: Vec<_> = shares.collect();
        team.share_out(shares.len(), |i| {
            let (begin, ends, own) = &mut *shares[i].lock().expect("one thread has it");
            for state in states.clone() {
                for &target in graph.successors(state) {
                    if let Some(end) = ends.get_mut((target as usize).wrapping_sub(i * self.share)) {
                        *end -= 1;
                        own[*end - *begin] = state as u32;
                    }
                }
            }
        });
    }
}
