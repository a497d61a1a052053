//! Every state that can be reached from a root, numbered, with the moves between them: a graph that may have cycles.
//!
//! A walk in breadth looks at every state once, through exact keys; images under the game's symmetries are one state.
//! Several threads list moves and look up what is known; what is new is numbered in the order of one thread.
//! States are dropped once their moves are known. Memory: a key and its number, five bytes, and four per move.

use std::collections::VecDeque;
use std::mem::size_of;
use std::sync::Mutex;

use perfectplay_core::{FullGame, Meter, Plain, Player, Status, Stop, ZeroSum, share_out};
use rustc_hash::FxHashMap;

use crate::support::saved::require_stable_keys;
use crate::{Reader, SaveError, Writer};

/// Who moves in a state, or how the game ended there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    FirstMoves,
    SecondMoves,
    Drawn,
    FirstWon,
    SecondWon,
}

impl Kind {
    fn of(status: Status<ZeroSum>) -> Self {
        match status {
            Status::Turn(Player::FIRST) => Kind::FirstMoves,
            Status::Turn(_) => Kind::SecondMoves,
            Status::Over(ZeroSum(0)) => Kind::Drawn,
            Status::Over(ZeroSum(1..)) => Kind::FirstWon,
            Status::Over(_) => Kind::SecondWon,
        }
    }

    fn read(code: u8) -> Option<Self> {
        [Kind::FirstMoves, Kind::SecondMoves, Kind::Drawn, Kind::FirstWon, Kind::SecondWon]
            .get(usize::from(code))
            .copied()
    }
}

/// The graph, as far as it was walked.
pub(crate) struct Reachable<G: FullGame> {
    numbers: FxHashMap<G::Key, u32>,
    /// States whose moves were not looked at yet, in the order of their numbers.
    waiting: VecDeque<G::State>,
    /// Of the states looked at.
    pub(crate) kinds: Vec<Kind>,
    /// Where the moves of each of them end in `targets`.
    pub(crate) ends: Vec<usize>,
    /// Where the moves lead.
    pub(crate) targets: Vec<u32>,
    moves: Vec<G::Move>,
}

impl<G: FullGame<Payoff = ZeroSum>> Reachable<G> {
    /// Knows the root and nothing else.
    pub(crate) fn new(game: &G, root: G::State) -> Self {
        let numbers = std::iter::once((game.canonical_key(&root), 0)).collect();
        let waiting = std::iter::once(root).collect();
        Reachable { numbers, waiting, kinds: vec![], ends: vec![], targets: vec![], moves: vec![] }
    }

    /// How many states were met.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The number of a state, if it was met.
    pub(crate) fn number(&self, game: &G, state: &G::State) -> Option<u32> {
        self.numbers.get(&game.canonical_key(state)).copied()
    }

    /// All keys with the numbers of their states.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = (&G::Key, u32)> {
        self.numbers.iter().map(|(key, &number)| (key, number))
    }

    /// Whether all states were looked at.
    pub(crate) fn is_complete(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Looks at the next state. It is charged for what it meets, or for one node if that is nothing new.
    pub(crate) fn step(&mut self, game: &G, meter: &mut Meter) -> Option<Stop> {
        let &state = self.waiting.front()?;
        self.moves.clear();
        let status = game.expand(&state, &mut self.moves);
        if self.bytes_with(self.moves.len()) > meter.memory() || self.len() + self.moves.len() >= u32::MAX as usize {
            return Some(Stop::Memory);
        }
        self.waiting.pop_front();
        let before = self.len();
        for i in 0..self.moves.len() {
            let next = game.after(&state, self.moves[i]);
            let new = self.numbers.len() as u32;
            let number = *self.numbers.entry(game.canonical_key(&next)).or_insert(new);
            if number == new {
                self.waiting.push_back(next);
            }
            self.targets.push(number);
        }
        self.kinds.push(Kind::of(status));
        self.ends.push(self.targets.len());
        meter.spend((self.len() - before).max(1) as u64, 0)
    }

    /// Looks at the next states, with so many threads: the same as [`Reachable::step`], many times.
    pub(crate) fn steps(&mut self, game: &G, threads: usize, meter: &mut Meter) -> Option<Stop> {
        let (ahead, _) = self.waiting.as_slices();
        let ahead = &ahead[..ahead.len().min(threads * PIECES_PER_THREAD * PIECE)];
        let mut pieces: Vec<Mutex<Piece<G>>> = Vec::new();
        pieces.resize_with(ahead.len().div_ceil(PIECE), Mutex::default);
        share_out(&mut vec![Vec::new(); threads], pieces.len(), |moves, i| {
            let states = &ahead[i * PIECE..ahead.len().min((i + 1) * PIECE)];
            pieces[i].lock().expect("one thread has it").look(game, &self.numbers, states, moves);
        });
        for piece in pieces {
            let piece = piece.into_inner().expect("nobody panicked");
            if let Some(stop) = self.take_in(piece, meter) {
                return Some(stop);
            }
        }
        None
    }

    /// Takes in what a thread saw, up to where the memory or the budget ends.
    fn take_in(&mut self, piece: Piece<G>, meter: &mut Meter) -> Option<Stop> {
        let (mut first, mut unknown) = (0, piece.unknown.into_iter());
        for (kind, end) in piece.kinds.into_iter().zip(piece.ends) {
            let targets = &piece.targets[first..end];
            first = end;
            if self.bytes_with(targets.len()) > meter.memory() || self.len() + targets.len() >= u32::MAX as usize {
                return Some(Stop::Memory);
            }
            self.waiting.pop_front();
            let before = self.len();
            for &target in targets {
                let number = if target < UNKNOWN {
                    target
                } else {
                    let (key, state) = unknown.next().expect("one for each");
                    let new = self.numbers.len() as u32;
                    let number = *self.numbers.entry(key).or_insert(new);
                    if number == new {
                        self.waiting.push_back(state);
                    }
                    number
                };
                self.targets.push(number);
            }
            self.kinds.push(kind);
            self.ends.push(self.targets.len());
            if let Some(stop) = meter.spend((self.len() - before).max(1) as u64, 0) {
                return Some(stop);
            }
        }
        None
    }

    /// The moves of a state that was looked at.
    pub(crate) fn successors(&self, state: usize) -> &[u32] {
        let first = if state == 0 { 0 } else { self.ends[state - 1] };
        &self.targets[first..self.ends[state]]
    }

    /// Moves are no longer needed.
    pub(crate) fn forget_moves(&mut self) {
        (self.targets, self.ends) = (Vec::new(), Vec::new());
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.numbers.capacity() * 8 / 7 * (size_of::<(G::Key, u32)>() + 1)
            + self.waiting.capacity() * size_of::<G::State>()
            + self.kinds.capacity()
            + self.ends.capacity() * size_of::<usize>()
            + self.targets.capacity() * size_of::<u32>()
    }

    /// Bytes that it holds, at most, while a state with so many moves is looked at: what must grow is there twice.
    fn bytes_with(&self, moves: usize) -> usize {
        let entry = size_of::<(G::Key, u32)>() + 1;
        let grown = |full: bool, capacity: usize, size: usize| if full { 2 * capacity.max(4) * size } else { 0 };
        self.bytes()
            + grown(self.len() + moves > self.numbers.capacity(), self.numbers.capacity() * 8 / 7, entry)
            + grown(
                self.waiting.len() + moves > self.waiting.capacity(),
                self.waiting.capacity().max(moves),
                size_of::<G::State>(),
            )
            + grown(self.kinds.len() == self.kinds.capacity(), self.kinds.capacity(), 1 + size_of::<usize>())
            + grown(
                self.targets.len() + moves > self.targets.capacity(),
                self.targets.capacity().max(moves),
                size_of::<u32>(),
            )
    }

    /// See [`crate::Search::save`]. Waiting states are written whole: no line leads to them that is kept.
    pub(crate) fn save_to(&self, game: &G, to: &mut Writer<'_>) -> Result<(), SaveError> {
        require_stable_keys(game)?;
        to.put_len(self.numbers.len())?;
        for (key, number) in &self.numbers {
            to.put(*key)?;
            to.put(*number)?;
        }
        to.put_len(self.waiting.len())?;
        self.waiting.iter().try_for_each(|state| to.put(*state))?;
        to.put_len(self.kinds.len())?;
        self.kinds.iter().try_for_each(|&kind| to.put(kind as u8))?;
        to.put_len(self.ends.len())?;
        self.ends.iter().try_for_each(|&end| to.put(end as u64))?;
        Ok(to.put_all(&self.targets)?)
    }

    /// See [`crate::Search::restore`].
    pub(crate) fn restore_from(&mut self, game: &G, from: &mut Reader<'_>) -> Result<(), SaveError> {
        require_stable_keys(game)?;
        let count = from.get_len(G::Key::SIZE + 4)?;
        self.numbers = FxHashMap::with_capacity_and_hasher(count, Default::default());
        for _ in 0..count {
            let key = from.get()?;
            self.numbers.insert(key, from.get()?);
        }
        self.waiting = from.get_all::<G::State>()?.into();
        let kind = |code| Kind::read(code).ok_or(SaveError::Damaged("a state of no kind"));
        self.kinds = from.get_all::<u8>()?.into_iter().map(kind).collect::<Result<_, _>>()?;
        self.ends = from.get_all::<u64>()?.into_iter().map(|end| end as usize).collect();
        self.targets = from.get_all()?;
        let in_order = self.ends.is_sorted() && self.ends.last().is_none_or(|&end| end == self.targets.len());
        let known = self.kinds.len() + self.waiting.len() == count
            && self.numbers.len() == count
            && self.numbers.values().chain(&self.targets).all(|&number| (number as usize) < count);
        if in_order && known { Ok(()) } else { Err(SaveError::Damaged("moves that lead nowhere")) }
    }
}

/// States that a thread looks at in one go, and how often each thread comes back for more before it is all taken in.
const PIECE: usize = 64;
const PIECES_PER_THREAD: usize = 16;

/// The number of a state that had none when a thread looked.
const UNKNOWN: u32 = u32::MAX;

/// What a thread saw of some states.
struct Piece<G: FullGame> {
    kinds: Vec<Kind>,
    ends: Vec<usize>,
    targets: Vec<u32>,
    /// Those that had no number.
    unknown: Vec<(G::Key, G::State)>,
}

// By hand: deriving would ask for `G: Default`.
impl<G: FullGame> Default for Piece<G> {
    fn default() -> Self {
        Piece { kinds: vec![], ends: vec![], targets: vec![], unknown: vec![] }
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Piece<G> {
    fn look(&mut self, game: &G, numbers: &FxHashMap<G::Key, u32>, states: &[G::State], moves: &mut Vec<G::Move>) {
        for state in states {
            moves.clear();
            self.kinds.push(Kind::of(game.expand(state, moves)));
            for &mv in moves.iter() {
                let next = game.after(state, mv);
                let key = game.canonical_key(&next);
                let number = numbers.get(&key).copied().unwrap_or(UNKNOWN);
                self.targets.push(number);
                if number == UNKNOWN {
                    self.unknown.push((key, next));
                }
            }
            self.ends.push(self.targets.len());
        }
    }
}
