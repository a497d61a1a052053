//! Several threads look at states at the same time, and number what they meet in the order of one thread.
//!
//! A round has four parts. Threads take pieces of the states that wait, list their moves and look the states after them
//! up. They share the keys that were not found by shards, and enter each with its place in the round for a number.
//! One of them gives those that came first the next numbers. These are put where places stood, by all again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use perfectplay_core::{FullGame, Meter, Stop, ZeroSum, share_out};

use super::numbers::{Numbers, SHARDS, hash, shard};
use super::{Kind, Reachable};

/// States that a thread looks at in one go, and how often and how long each thread comes back for more in a round: long
/// beside the start of a thread, short for somebody who wants to stop.
const PIECE: usize = 16;
const PIECES_PER_THREAD: usize = 256;
const ROUND: Duration = Duration::from_millis(15);

/// A target that had no number when a thread looked.
const UNKNOWN: u32 = u32::MAX;

/// What a thread saw of some states.
pub(super) struct Piece<G: FullGame> {
    kinds: Vec<Kind>,
    ends: Vec<usize>,
    targets: Vec<u32>,
    /// The states after moves that had no number, in the order of the moves, and which of them are of each shard.
    unknown: Vec<Unknown<G>>,
    by_shard: [Vec<u32>; SHARDS],
    /// How many unknown states the pieces before it have.
    before: u32,
}

struct Unknown<G: FullGame> {
    hash: u64,
    key: G::Key,
    state: G::State,
    /// The first place in the round at which it is.
    first: AtomicU32,
}

impl<G: FullGame> Unknown<G> {
    /// Whether no other place before this one has the same state.
    fn is_first(&self, place: u32) -> bool {
        self.first.load(Ordering::Relaxed) == place
    }
}

// By hand: deriving would ask for `G: Default`.
impl<G: FullGame> Default for Piece<G> {
    fn default() -> Self {
        let by_shard = Default::default();
        Piece { kinds: vec![], ends: vec![], targets: vec![], unknown: vec![], by_shard, before: 0 }
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Piece<G> {
    fn clear(&mut self) {
        self.kinds.clear();
        self.ends.clear();
        self.targets.clear();
        self.unknown.clear();
        self.by_shard.iter_mut().for_each(Vec::clear);
    }

    fn look(&mut self, game: &G, numbers: &Numbers<G::Key>, states: &[G::State], moves: &mut Vec<G::Move>) {
        for state in states {
            moves.clear();
            self.kinds.push(Kind::of(game.expand(state, moves)));
            for &mv in moves.iter() {
                let state = game.after(state, mv);
                let key = game.canonical_key(&state);
                let hash = hash(&key);
                let number = numbers.get(hash, &key).unwrap_or(UNKNOWN);
                self.targets.push(number);
                if number == UNKNOWN {
                    self.by_shard[shard(hash)].push(self.unknown.len() as u32);
                    self.unknown.push(Unknown { hash, key, state, first: AtomicU32::new(0) });
                }
            }
            self.ends.push(self.targets.len());
        }
    }

    /// The unknown states of a shard with their places in the round.
    fn of_shard(&self, shard: usize) -> impl Iterator<Item = (u32, &Unknown<G>)> {
        self.by_shard[shard].iter().map(|&i| (self.before + i, &self.unknown[i as usize]))
    }

    /// Puts numbers where unknown states were met; `numbers` has one for each place at which a state came first.
    fn resolve(&mut self, numbers: &[u32]) {
        let mut unknown = self.unknown.iter();
        for target in self.targets.iter_mut().filter(|target| **target == UNKNOWN) {
            let first = unknown.next().expect("one for each").first.load(Ordering::Relaxed);
            *target = numbers[first as usize];
        }
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Reachable<G> {
    /// Looks at the next states, with so many threads: the same as [`Reachable::step`], many times.
    pub(crate) fn steps(&mut self, game: &G, threads: usize, meter: &mut Meter) -> Option<Stop> {
        let mut pieces = std::mem::take(&mut self.pieces);
        let looked_at = self.look(game, threads, &mut pieces);
        let stop = if self.has_room(looked_at, meter) {
            self.enter(looked_at, threads, meter)
        } else {
            // Near a limit one state at a time, up to where it is.
            let states = looked_at.iter().map(|piece| piece.kinds.len()).sum();
            std::iter::repeat_with(|| self.step(game, meter)).take(states).find_map(|stop| stop)
        };
        self.pieces = pieces;
        stop
    }

    /// The pieces that threads had time for.
    fn look<'a>(&self, game: &G, threads: usize, pieces: &'a mut Vec<Piece<G>>) -> &'a mut [Piece<G>] {
        let (ahead, _) = self.waiting.as_slices();
        let ahead = &ahead[..ahead.len().min(threads * PIECES_PER_THREAD * PIECE)];
        let wanted = ahead.len().div_ceil(PIECE);
        pieces.resize_with(wanted.max(pieces.len()), Piece::default);
        pieces.iter_mut().for_each(Piece::clear);
        let started = Instant::now();
        let shared: Vec<_> = pieces[..wanted].iter_mut().map(Mutex::new).collect();
        share_out(&mut vec![Vec::new(); threads], wanted, |moves, i| {
            if i == 0 || started.elapsed() < ROUND {
                let states = &ahead[i * PIECE..ahead.len().min((i + 1) * PIECE)];
                shared[i].lock().expect("one thread has it").look(game, &self.numbers, states, moves);
            }
        });
        drop(shared);
        let looked_at = pieces.iter().take_while(|piece| !piece.kinds.is_empty()).count();
        let mut before = 0;
        for piece in &mut pieces[..looked_at] {
            piece.before = before;
            before += piece.unknown.len() as u32;
        }
        &mut pieces[..looked_at]
    }

    /// Whether all that was met can be taken in, whatever of it is new.
    fn has_room(&self, pieces: &[Piece<G>], meter: &Meter) -> bool {
        let unknown: usize = pieces.iter().map(|piece| piece.unknown.len()).sum();
        let (states, moves) =
            pieces.iter().fold((0, 0), |(s, m), piece| (s + piece.kinds.len(), m + piece.targets.len()));
        self.bytes_with(states, unknown, moves) <= meter.memory()
            && self.len() + unknown < UNKNOWN as usize
            && ((unknown + states) as u64) < meter.nodes_left()
    }

    fn enter(&mut self, pieces: &mut [Piece<G>], threads: usize, meter: &mut Meter) -> Option<Stop> {
        let known = self.len() as u32;
        let shards = self.numbers.shards();
        share_out(&mut vec![(); threads], SHARDS, |(), shard| {
            let mut numbers = shards[shard].lock().expect("one thread has it");
            for (place, unknown) in pieces.iter().flat_map(|piece| piece.of_shard(shard)) {
                let first = numbers.get_or_insert(unknown.hash, unknown.key, known + place) - known;
                unknown.first.store(first, Ordering::Relaxed);
            }
        });
        let mut next = known;
        let number = |(place, unknown): (u32, &Unknown<G>)| {
            let number = next;
            next += u32::from(unknown.is_first(place));
            number
        };
        let numbers: Vec<u32> = (0..).zip(pieces.iter().flat_map(|piece| &piece.unknown)).map(number).collect();
        share_out(&mut vec![(); threads], SHARDS, |(), shard| {
            let mut renumbered = shards[shard].lock().expect("one thread has it");
            for (place, unknown) in pieces.iter().flat_map(|piece| piece.of_shard(shard)) {
                if unknown.is_first(place) {
                    renumbered.renumber(unknown.hash, &unknown.key, numbers[place as usize]);
                }
            }
        });
        drop(shards);
        let shared: Vec<_> = pieces.iter_mut().map(Mutex::new).collect();
        share_out(&mut vec![(); threads], shared.len(), |(), i| {
            shared[i].lock().expect("one thread has it").resolve(&numbers);
        });
        drop(shared);
        pieces.iter().fold(None, |stop, piece| self.append(piece, meter).or(stop))
    }

    /// Adds what a piece has at the ends of all lists; tells if the budget ends.
    fn append(&mut self, piece: &Piece<G>, meter: &mut Meter) -> Option<Stop> {
        let (base, mut met) = (self.targets.len(), self.len());
        let (mut begin, mut nodes) = (0, 0);
        for &end in &piece.ends {
            let before = met;
            piece.targets[begin..end].iter().for_each(|&target| met += usize::from(target as usize == met));
            nodes += (met - before).max(1);
            begin = end;
        }
        let is_first = |(i, unknown): &(usize, &Unknown<G>)| unknown.is_first(piece.before + *i as u32);
        self.waiting.drain(..piece.kinds.len());
        self.waiting.extend(piece.unknown.iter().enumerate().filter(is_first).map(|(_, unknown)| unknown.state));
        self.kinds.extend_from_slice(&piece.kinds);
        self.ends.extend(piece.ends.iter().map(|end| base + end));
        self.targets.extend_from_slice(&piece.targets);
        meter.spend(nodes as u64, 0)
    }
}
