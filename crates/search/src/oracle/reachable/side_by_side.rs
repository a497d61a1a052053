//! Several threads look at states at the same time, and number what they meet in the order of one thread.
//!
//! A round has three parts. Threads take pieces of the states that wait, list their moves and look the states after
//! them up. They share the keys that were not found by shards, and enter each with its place in the round for a number.
//! Then those that came first have the next numbers: while these are put where places stood, shard by shard, one thread
//! appends what was seen to the lists and another one the new states to those that wait.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use perfectplay_core::{FullGame, Meter, Stop, ZeroSum};

use super::numbers::{Numbers, SHARDS, hash, shard};
use super::{Kind, Reachable};
use crate::support::team::Team;

/// States that a thread looks at in one go, and how often and how long each thread comes back for more in a round: long
/// beside the time in which threads wait for each other, short for somebody who wants to stop.
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

/// What a thread needs while it looks: moves, and the states after them with the hashes of their keys.
struct Scratch<G: FullGame> {
    moves: Vec<G::Move>,
    met: Vec<(u64, G::Key, G::State)>,
}

// By hand: deriving would ask for `G: Default`.
impl<G: FullGame> Default for Scratch<G> {
    fn default() -> Self {
        Scratch { moves: vec![], met: vec![] }
    }
}

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

    fn look(&mut self, game: &G, numbers: &Numbers<G::Key>, states: &[G::State], scratch: &mut Scratch<G>) {
        let Scratch { moves, met } = scratch;
        self.clear();
        met.clear();
        for state in states {
            moves.clear();
            self.kinds.push(Kind::of(game.expand(state, moves)));
            met.extend(moves.iter().map(|&mv| {
                let state = game.after(state, mv);
                let key = game.canonical_key(&state);
                (hash(&key), key, state)
            }));
            self.ends.push(met.len());
        }
        // Only now: they are far apart in memory, and a processor waits for many at once.
        for &(hash, key, state) in met.iter() {
            let number = numbers.get(hash, &key).unwrap_or(UNKNOWN);
            self.targets.push(number);
            if number == UNKNOWN {
                self.by_shard[shard(hash)].push(self.unknown.len() as u32);
                self.unknown.push(Unknown { hash, key, state, first: AtomicU32::new(0) });
            }
        }
    }

    /// The unknown states with their places in the round.
    fn unknown(&self) -> impl Iterator<Item = (u32, &Unknown<G>)> {
        (self.before..).zip(&self.unknown)
    }

    /// Those of a shard.
    fn of_shard(&self, shard: usize) -> impl Iterator<Item = (u32, &Unknown<G>)> {
        self.by_shard[shard].iter().map(|&i| (self.before + i, &self.unknown[i as usize]))
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Reachable<G> {
    /// Looks at the next states, with all threads: the same as [`Reachable::step`], many times.
    pub(crate) fn steps(&mut self, game: &G, team: &Team, meter: &mut Meter) -> Option<Stop> {
        let mut pieces = std::mem::take(&mut self.pieces);
        let looked_at = self.look(game, team, &mut pieces);
        let stop = if self.has_room(looked_at, meter) {
            let nodes = self.enter(looked_at, team);
            meter.spend(nodes, 0)
        } else {
            // Near a limit one state at a time, up to where it is.
            let states = looked_at.iter().map(|piece| piece.kinds.len()).sum();
            std::iter::repeat_with(|| self.step(game, meter)).take(states).find_map(|stop| stop)
        };
        self.pieces = pieces;
        stop
    }

    /// The pieces that threads had time for.
    fn look<'a>(&self, game: &G, team: &Team, pieces: &'a mut Vec<Piece<G>>) -> &'a [Piece<G>] {
        let (ahead, _) = self.waiting.as_slices();
        let ahead = &ahead[..ahead.len().min(team.threads() * PIECES_PER_THREAD * PIECE)];
        let wanted = ahead.len().div_ceil(PIECE);
        pieces.resize_with(wanted.max(pieces.len()), Piece::default);
        pieces.iter_mut().for_each(|piece| piece.kinds.clear());
        let started = Instant::now();
        let shared: Vec<_> = pieces[..wanted].iter_mut().map(Mutex::new).collect();
        let mut workers: Vec<_> = (0..team.threads()).map(|_| Scratch::default()).collect();
        team.share_out_with(&mut workers, wanted, |scratch, i| {
            if i == 0 || started.elapsed() < ROUND {
                let states = &ahead[i * PIECE..ahead.len().min((i + 1) * PIECE)];
                shared[i].lock().expect("one thread has it").look(game, &self.numbers, states, scratch);
            }
        });
        drop(shared);
        let looked_at = pieces.iter().take_while(|piece| !piece.kinds.is_empty()).count();
        let mut before = 0;
        for piece in &mut pieces[..looked_at] {
            piece.before = before;
            before += piece.unknown.len() as u32;
        }
        &pieces[..looked_at]
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

    /// Takes in what was seen; tells how many nodes that costs.
    fn enter(&mut self, pieces: &[Piece<G>], team: &Team) -> u64 {
        let known = self.len() as u32;
        let shards = self.numbers.shards();
        team.share_out(SHARDS, |shard| {
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
        let numbers: Vec<u32> = pieces.iter().flat_map(Piece::unknown).map(number).collect();
        let lists = Mutex::new((Lists { kinds: &mut self.kinds, ends: &mut self.ends, targets: &mut self.targets }, 0));
        let waiting = Mutex::new(&mut self.waiting);
        team.share_out(2 + SHARDS, |task| match task {
            0 => {
                let (lists, nodes) = &mut *lists.lock().expect("one thread has them");
                *nodes = pieces.iter().map(|piece| lists.append(piece, &numbers)).sum();
            }
            1 => put_behind(&mut waiting.lock().expect("one thread has them"), pieces),
            _ => {
                let mut renumbered = shards[task - 2].lock().expect("one thread has it");
                for (place, unknown) in pieces.iter().flat_map(|piece| piece.of_shard(task - 2)) {
                    if unknown.is_first(place) {
                        renumbered.renumber(unknown.hash, &unknown.key, numbers[place as usize]);
                    }
                }
            }
        });
        lists.into_inner().expect("nobody has them").1
    }
}

/// New states wait instead of those that were looked at.
fn put_behind<G: FullGame<Payoff = ZeroSum>>(waiting: &mut VecDeque<G::State>, pieces: &[Piece<G>]) {
    let looked_at: usize = pieces.iter().map(|piece| piece.kinds.len()).sum();
    waiting.drain(..looked_at);
    let new = |&(place, unknown): &(u32, &Unknown<G>)| unknown.is_first(place);
    waiting.extend(pieces.iter().flat_map(Piece::unknown).filter(new).map(|(_, unknown)| unknown.state));
}

/// What is known of the states that were looked at: see [`Reachable`].
struct Lists<'a> {
    kinds: &'a mut Vec<Kind>,
    ends: &'a mut Vec<usize>,
    targets: &'a mut Vec<u32>,
}

impl Lists<'_> {
    /// Adds what a piece has, with numbers where unknown states were met; `numbers` has one for each place at which a
    /// state came first. Tells how many nodes the piece costs.
    fn append<G: FullGame<Payoff = ZeroSum>>(&mut self, piece: &Piece<G>, numbers: &[u32]) -> u64 {
        let (base, mut begin, mut nodes) = (self.targets.len(), 0, 0);
        let mut unknown = piece.unknown();
        for &end in &piece.ends {
            let mut new = 0;
            self.targets.extend(piece.targets[begin..end].iter().map(|&target| {
                if target != UNKNOWN {
                    return target;
                }
                let (place, unknown) = unknown.next().expect("one for each");
                new += u64::from(unknown.is_first(place));
                numbers[unknown.first.load(Ordering::Relaxed) as usize]
            }));
            nodes += new.max(1);
            begin = end;
        }
        self.kinds.extend_from_slice(&piece.kinds);
        self.ends.extend(piece.ends.iter().map(|end| base + end));
        nodes
    }
}
