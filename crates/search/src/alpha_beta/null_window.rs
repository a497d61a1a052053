//! Proofs with a null window on exact scores: the heart of the solver.
//!
//! [`Prover::test`] asks one question about a state of true score s (first player's view): is it more than α? Its
//! answer v is *fail-soft*, it may say more than was asked:
//!
//! ```text
//!   v > α  ⇒  v ≤ s          v ≤ α  ⇒  s ≤ v
//! ```
//!
//! Searches with a null window cut off most; the exact score follows from a few of them ([`Window`]). There is no depth
//! and no estimate here, so everything that ends up in the table is proved and stays true.
//!
//! What a state's own look ([`SolverHints::score_bounds`]) or the table settles among the successors is used before the
//! first of them is searched (enhanced transposition cut-off, one ply of look-ahead). All successors' table lines are
//! fetched at once, so the processor waits for memory once per state instead of once per successor.
//!
//! Several threads share the table. Each prefers successors that nobody else is at work on (the idea of ABDADA).
//!
//! Cost: the stack grows with the length of the game, nothing else; the table has a fixed size. Needs a game without
//! cycles.

use std::sync::atomic::{AtomicU32, Ordering};

use perfectplay_core::{FullGame, Objective, Payoff, Player, Status, Successor, ZeroSum};

use crate::alpha_beta::bounds_table::{BoundsTable, Known, Place};
use crate::support::pausable_threads::{Interrupted, PauseHandle};

/// A successor that is not settled at first sight.
#[derive(Clone, Copy)]
struct Open<K> {
    /// Which of the successors.
    index: u32,
    place: Place<K>,
    known: Known,
    done: bool,
}

/// States that some thread is at work on, by a small hash: a mistake only costs time.
pub(crate) struct InProgress(Vec<AtomicU32>);

/// Places in it.
const MARKS: usize = 1 << 14;
/// Plies from the root within which threads tell each other what they are at: below that, subtrees are too small.
const TELL_UP_TO: u32 = 18;

impl Default for InProgress {
    fn default() -> Self {
        InProgress((0..MARKS).map(|_| AtomicU32::new(0)).collect())
    }
}

impl InProgress {
    pub(crate) fn by_number(&self, number: u64) -> &AtomicU32 {
        &self.0[(number >> 20) as usize % MARKS]
    }

    fn at<K: Copy>(&self, place: &Place<K>) -> &AtomicU32 {
        &self.0[(place.hash() >> 16) as usize % MARKS]
    }
}

/// One thread's tools.
pub(crate) struct Prover<'a, G: FullGame<Payoff = ZeroSum>> {
    game: &'a G,
    table: &'a BoundsTable<G>,
    /// If there are several threads.
    in_progress: Option<&'a InProgress>,
    options: Options,
    stacks: &'a mut Stacks<G>,
    /// The last question was answered in favour of the mover: by this move, which is worth at least this to it.
    pub(crate) choice: Option<(G::Move, i32)>,
}

/// What the states on the path have left to do, one after the other.
pub(crate) struct Stacks<G: FullGame> {
    moves: Vec<G::Move>,
    successors: Vec<Successor<G::State, G::Move>>,
    open: Vec<Open<G::Key>>,
}

impl<G: FullGame> Default for Stacks<G> {
    fn default() -> Self {
        Stacks { moves: vec![], successors: vec![], open: vec![] }
    }
}

/// What can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Use the table at all.
    pub(crate) table: bool,
    /// Look all successors up before the first is searched.
    pub(crate) etc: bool,
}

impl<'a, G: FullGame<Payoff = ZeroSum>> Prover<'a, G> {
    pub(crate) fn new(
        game: &'a G,
        table: &'a BoundsTable<G>,
        in_progress: Option<&'a InProgress>,
        options: Options,
        stacks: &'a mut Stacks<G>,
    ) -> Self {
        stacks.open.clear();
        stacks.successors.clear();
        Prover { game, table, in_progress, options, stacks, choice: None }
    }

    /// Whether the score of `state` is more than `alpha`; see the contract above.
    pub(crate) fn test(&mut self, state: &G::State, alpha: i32, pause: &mut impl Count) -> Result<i32, Interrupted> {
        self.stacks.open.clear();
        self.stacks.successors.clear();
        self.choice = None;
        let (lower, upper) = self.game.score_bounds(state);
        let place = self.table.place(self.game, state);
        let mut known = Known { lower, upper, hint: None };
        if self.options.table
            && let Some(found) = self.table.get(&place)
        {
            known = known.and(found);
        }
        match known.settles(alpha) {
            Some(value) => Ok(value),
            None => self.search(state, place, known, alpha, 0, pause),
        }
    }

    /// Searches a state about which too little is known.
    fn search(
        &mut self,
        state: &G::State,
        place: Place<G::Key>,
        known: Known,
        alpha: i32,
        ply: u32,
        pause: &mut impl Count,
    ) -> Result<i32, Interrupted> {
        let (first, first_open, started) = (self.stacks.successors.len(), self.stacks.open.len(), pause.nodes());
        let mover = match self.game.solver_successors(state, &mut self.stacks.moves, &mut self.stacks.successors) {
            Status::Over(payoff) => return Ok(payoff.score(Player::FIRST)),
            Status::Turn(mover) => mover,
        };
        pause.tick((self.stacks.successors.len() - first) as u64)?;
        let maximises = mover == Player::FIRST;
        let (value, hint) = match self.look_ahead(first, maximises, alpha) {
            Look::Cut(value, index) => (value, Some(index)),
            Look::Rest(best) => {
                if let Some(hint) = known.hint {
                    let open = &mut self.stacks.open[first_open..];
                    if let Some(at) = open.iter().position(|o| o.index == u32::from(hint)) {
                        open[..=at].rotate_right(1);
                    }
                }
                self.search_open(first, first_open, best, maximises, alpha, ply, pause)?
            }
        };
        if ply == 0 && (value > alpha) == maximises {
            self.choice = hint.map(|index| (self.stacks.successors[first + index as usize].mv, value));
        }
        self.stacks.successors.truncate(first);
        self.stacks.open.truncate(first_open);
        // A move that was left out is no better than the proved bound.
        let value = value.clamp(known.lower, known.upper);
        if self.options.table {
            let hint = hint.and_then(|i| u8::try_from(i).ok());
            let found = Known { hint, ..known.with(value, alpha) };
            if self.table.put(&place, found, pause.nodes() - started) {
                self.grow(pause)?;
            }
        }
        Ok(value)
    }

    /// Lets the table grow. The search may be paused meanwhile, but not be left before the end.
    #[cold]
    fn grow(&self, pause: &mut impl Count) -> Result<(), Interrupted> {
        let mut looked = Ok(());
        while !self.table.grow() {
            looked = looked.and_then(|()| pause.look());
        }
        looked
    }

    /// What the successors' own bounds and the table say; what they leave open is put on the stack.
    #[inline]
    fn look_ahead(&mut self, first: usize, maximises: bool, alpha: i32) -> Look {
        let first_open = self.stacks.open.len();
        let mut best = if maximises { i32::MIN } else { i32::MAX };
        for index in first..self.stacks.successors.len() {
            let successor = &self.stacks.successors[index];
            let known = Known { lower: successor.lower, upper: successor.upper, hint: None };
            let index = (index - first) as u32;
            match known.settles(alpha) {
                Some(value) if (value > alpha) == maximises => return Look::Cut(value, index),
                Some(value) => best = if maximises { best.max(value) } else { best.min(value) },
                None => {
                    let place = self.table.place(self.game, &successor.state);
                    self.table.prefetch(&place);
                    self.stacks.open.push(Open { index, place, known, done: false });
                }
            }
        }
        if self.options.table && self.options.etc {
            for open in &mut self.stacks.open[first_open..] {
                if let Some(found) = self.table.get(&open.place) {
                    open.known = open.known.and(found);
                    match open.known.settles(alpha) {
                        Some(value) if (value > alpha) == maximises => return Look::Cut(value, open.index),
                        _ => {}
                    }
                }
            }
        }
        Look::Rest(best)
    }

    /// Searches the successors left open, first those that no other thread is at.
    #[allow(clippy::too_many_arguments)]
    fn search_open(
        &mut self,
        first: usize,
        first_open: usize,
        mut best: i32,
        maximises: bool,
        alpha: i32,
        ply: u32,
        pause: &mut impl Count,
    ) -> Result<(i32, Option<u32>), Interrupted> {
        let mut best_index = None;
        for second_time in [false, true] {
            let mut put_off = false;
            for at in first_open..self.stacks.open.len() {
                let Open { index, place, mut known, done } = self.stacks.open[at];
                if done {
                    continue;
                }
                let in_progress = self.in_progress.filter(|_| ply < TELL_UP_TO).map(|b| b.at(&place));
                if self.options.table
                    && (in_progress.is_some() || !self.options.etc)
                    && let Some(found) = self.table.get(&place)
                {
                    known = known.and(found);
                }
                let value = match (known.settles(alpha), in_progress) {
                    (Some(value), _) => value,
                    (None, Some(in_progress)) => {
                        if !second_time && at > first_open && in_progress.load(Ordering::Relaxed) > 0 {
                            put_off = true;
                            continue;
                        }
                        in_progress.fetch_add(1, Ordering::Relaxed);
                        let state = self.stacks.successors[first + index as usize].state;
                        let value = self.search(&state, place, known, alpha, ply + 1, pause);
                        in_progress.fetch_sub(1, Ordering::Relaxed);
                        value?
                    }
                    (None, None) => {
                        let state = self.stacks.successors[first + index as usize].state;
                        self.search(&state, place, known, alpha, ply + 1, pause)?
                    }
                };
                self.stacks.open[at].done = true;
                if if maximises { value > best } else { value < best } {
                    (best, best_index) = (value, Some(index));
                }
                if (value > alpha) == maximises {
                    return Ok((best, best_index));
                }
            }
            if !put_off {
                break;
            }
        }
        Ok((best, best_index))
    }
}

enum Look {
    /// This value, by this successor, is enough.
    Cut(i32, u32),
    /// The best of what is settled already.
    Rest(i32),
}

/// Counts nodes and says when to leave.
pub(crate) trait Count {
    fn nodes(&self) -> u64;
    fn tick(&mut self, nodes: u64) -> Result<(), Interrupted>;
    /// The same for work that creates no nodes.
    fn look(&mut self) -> Result<(), Interrupted> {
        self.tick(0)
    }
}

impl Count for PauseHandle {
    #[inline]
    fn nodes(&self) -> u64 {
        self.nodes
    }

    #[inline]
    fn tick(&mut self, nodes: u64) -> Result<(), Interrupted> {
        PauseHandle::tick(self, nodes)
    }

    fn look(&mut self) -> Result<(), Interrupted> {
        self.check()
    }
}

/// Only counts.
impl Count for u64 {
    #[inline]
    fn nodes(&self) -> u64 {
        *self
    }

    #[inline]
    fn tick(&mut self, nodes: u64) -> Result<(), Interrupted> {
        *self += nodes;
        Ok(())
    }
}

/// Where the score of the root lies, and which question to ask next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) lower: i32,
    pub(crate) upper: i32,
    objective: Objective,
    /// How far from 0 it reached at first.
    reach: i32,
}

impl Window {
    pub(crate) fn new(lower: i32, upper: i32, objective: Objective) -> Self {
        Window { lower, upper, objective, reach: lower.saturating_neg().max(upper) }
    }

    /// The value, as far as the objective asks for it.
    pub(crate) fn settled(&self) -> Option<i32> {
        let gain = |score| ZeroSum(score).gain(Player::FIRST);
        match self.objective {
            Objective::Score => (self.lower == self.upper).then_some(self.lower),
            Objective::Gain | Objective::Length => {
                (gain(self.lower) == gain(self.upper)).then_some(if self.lower > 0 { self.lower } else { self.upper })
            }
        }
    }

    /// The α to test next.
    ///
    /// For the gain: is it a win, is it a loss. For the score: questions far from 0 are about short games and cheap, so
    /// as long as the window reaches more than half as far as at first, a quarter is cut from its longer end; then
    /// comes the dearest question, who wins; then the window is halved.
    pub(crate) fn question(&self) -> i32 {
        let Window { lower, upper, objective, reach } = *self;
        if objective == Objective::Gain {
            return if upper > 0 { 0.max(lower) } else { -1 };
        }
        // Wide enough for a score as large as an i32.
        let (low, high) = (i64::from(lower), i64::from(upper));
        let (far, cut) = if -low >= high { (-low, low * 3 / 4) } else { (high, high * 3 / 4) };
        if 2 * far > i64::from(reach) && (low..high).contains(&cut) {
            cut as i32
        } else if lower < 0 && upper > 0 {
            0
        } else {
            low.midpoint(high).clamp(low, high - 1) as i32
        }
    }

    /// Takes bounds into account that others proved, of the gain if that is the objective. Whether anything is new.
    pub(crate) fn narrow(&mut self, lower: i32, upper: i32) -> bool {
        let before = *self;
        match self.objective {
            Objective::Score => {
                self.lower = self.lower.max(lower);
                self.upper = self.upper.min(upper);
            }
            Objective::Gain | Objective::Length => {
                if lower >= 0 {
                    self.lower = self.lower.max(lower.signum());
                }
                if upper <= 0 {
                    self.upper = self.upper.min(upper.signum());
                }
            }
        }
        *self != before
    }

    /// Takes an answer into account.
    pub(crate) fn answer(&mut self, alpha: i32, value: i32) {
        if value > alpha {
            self.lower = self.lower.max(value);
        } else {
            self.upper = self.upper.min(value);
        }
    }
}
