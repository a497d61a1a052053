//! Every state that can be reached from a root, numbered, with the moves between them: a graph that may have cycles.
//!
//! A walk in breadth looks at every state once, through exact keys; images under the game's symmetries are one state.
//! Several threads list moves and look up what is known; what is new is numbered in the order of one thread.
//! States are dropped once their moves are known. Memory: a key and its number, five bytes, and four per move.

mod numbers;
mod side_by_side;

use std::collections::VecDeque;
use std::mem::size_of;

use perfectplay_core::{FullGame, Meter, Plain, Player, Status, Stop, ZeroSum};

use self::numbers::Numbers;
use self::side_by_side::Piece;
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
    numbers: Numbers<G::Key>,
    /// States whose moves were not looked at yet, in the order of their numbers.
    waiting: VecDeque<G::State>,
    /// Of the states looked at.
    pub(crate) kinds: Vec<Kind>,
    /// Where the moves of each of them end in `targets`.
    pub(crate) ends: Vec<usize>,
    /// Where the moves lead.
    pub(crate) targets: Vec<u32>,
    /// Scratch space: of one thread, of several.
    moves: Vec<G::Move>,
    pieces: Vec<Piece<G>>,
}

impl<G: FullGame<Payoff = ZeroSum>> Reachable<G> {
    /// Knows the root and nothing else.
    pub(crate) fn new(game: &G, root: G::State) -> Self {
        let mut numbers = Numbers::with_capacity(1);
        numbers.get_or_insert(game.canonical_key(&root), 0);
        let waiting = std::iter::once(root).collect();
        Reachable { numbers, waiting, kinds: vec![], ends: vec![], targets: vec![], moves: vec![], pieces: vec![] }
    }

    /// How many states were met.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len() + self.waiting.len()
    }

    /// The number of a state, if it was met.
    pub(crate) fn number(&self, game: &G, state: &G::State) -> Option<u32> {
        let key = game.canonical_key(state);
        self.numbers.get(numbers::hash(&key), &key)
    }

    /// All keys with the numbers of their states.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = (&G::Key, u32)> {
        self.numbers.iter()
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
        let moves = self.moves.len();
        if self.bytes_with(1, moves, moves) > meter.memory() || self.len() + moves >= u32::MAX as usize {
            return Some(Stop::Memory);
        }
        let before = self.len();
        for i in 0..moves {
            let next = game.after(&state, self.moves[i]);
            let new = self.len() as u32;
            let number = self.numbers.get_or_insert(game.canonical_key(&next), new);
            if number == new {
                self.waiting.push_back(next);
            }
            self.targets.push(number);
        }
        self.waiting.pop_front();
        self.kinds.push(Kind::of(status));
        self.ends.push(self.targets.len());
        meter.spend((self.len() - before).max(1) as u64, 0)
    }

    /// Where the moves of a state begin in `targets`.
    pub(crate) fn first_move(&self, state: usize) -> usize {
        if state == 0 { 0 } else { self.ends[state - 1] }
    }

    /// The moves of a state that was looked at.
    pub(crate) fn successors(&self, state: usize) -> &[u32] {
        &self.targets[self.first_move(state)..self.ends[state]]
    }

    /// Moves are no longer needed.
    pub(crate) fn forget_moves(&mut self) {
        (self.targets, self.ends) = (Vec::new(), Vec::new());
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.numbers.bytes()
            + self.waiting.capacity() * size_of::<G::State>()
            + self.kinds.capacity()
            + self.ends.capacity() * size_of::<usize>()
            + self.targets.capacity() * size_of::<u32>()
    }

    /// Bytes that it holds, at most, while so many more states are looked at, of which so many others are met by so
    /// many moves: what must grow is there twice.
    fn bytes_with(&self, states: usize, met: usize, moves: usize) -> usize {
        let grown = |used: usize, more: usize, capacity: usize, size: usize| {
            if used + more > capacity { 2 * capacity.max(more).max(4) * size } else { 0 }
        };
        self.bytes()
            + self.numbers.bytes_to_enter(met)
            + grown(self.waiting.len(), met, self.waiting.capacity(), size_of::<G::State>())
            + grown(self.kinds.len(), states, self.kinds.capacity(), 1 + size_of::<usize>())
            + grown(self.targets.len(), moves, self.targets.capacity(), size_of::<u32>())
    }

    /// See [`crate::Search::save`]. Waiting states are written whole: no line leads to them that is kept.
    pub(crate) fn save_to(&self, game: &G, to: &mut Writer<'_>) -> Result<(), SaveError> {
        require_stable_keys(game)?;
        to.put_len(self.numbers.len())?;
        for (key, number) in self.numbers.iter() {
            to.put(*key)?;
            to.put(number)?;
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
        self.numbers = Numbers::with_capacity(count);
        for _ in 0..count {
            let key = from.get()?;
            self.numbers.get_or_insert(key, from.get()?);
        }
        self.waiting = from.get_all::<G::State>()?.into();
        let kind = |code| Kind::read(code).ok_or(SaveError::Damaged("a state of no kind"));
        self.kinds = from.get_all::<u8>()?.into_iter().map(kind).collect::<Result<_, _>>()?;
        self.ends = from.get_all::<u64>()?.into_iter().map(|end| end as usize).collect();
        self.targets = from.get_all()?;
        let in_order = self.ends.is_sorted() && self.ends.last().is_none_or(|&end| end == self.targets.len());
        let in_range = |number: u32| (number as usize) < count;
        let known = self.kinds.len() + self.waiting.len() == count
            && self.numbers.len() == count
            && self.numbers.iter().map(|(_, number)| number).chain(self.targets.iter().copied()).all(in_range);
        if in_order && known { Ok(()) } else { Err(SaveError::Damaged("moves that lead nowhere")) }
    }
}
