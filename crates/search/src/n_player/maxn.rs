//! maxⁿ for any number of players, depth by depth (Farrugia 2019; Luckhart and Irani 1986).
//!
//! ```text
//!   value(s, 0) = a vector of guesses        value(s, d) = the value(s·m, d - 1) that is best for the mover of s
//! ```
//!
//! With two players of opposed interests it is minimax. With more it finds *one* equilibrium of the game it sees: where
//! moves are equal to the mover, `tie_rules` decide, and other equilibria may exist. Nobody is guaranteed its part,
//! unlike in minimax. An iteration that met nothing but ends has solved the game in that sense, and the search stops.
//!
//! - The mover is read off the state, so any order of turns will do.
//! - `prune`: see `maxn_pruning.rs`. Exact; refused where the facts of the game do not carry it.
//! - `lazy`: parts of guesses are worked out when they are compared; `components` counts them, over the finished
//!   iterations.
//! - `table`: vectors by exact key, used for the very depth they were found with, or for any depth if nothing but ends
//!   lies below within it. So it changes no value. Cut nodes are not stored.
//!
//! Cost: b^d states; with perfect order and shallow pruning ((1 + √(4b-3))/2)^d. No allocation per node beyond the
//! game's.

use std::sync::Arc;

use perfectplay_core::{
    FullGame, Group, OptionSet, OrderHint, Params, Payoff, Player, Setting, Status, Verdict, options,
};

use crate::n_player::deepening::{
    AS_THEY_ARE_FREE, Deepening, DepthOptions, Iteration, Look, LookOf, TableOptions, root_player,
};
use crate::n_player::maxn_pruning::{Cut, Frame, PRUNE, Prune};
use crate::n_player::memo_table::MemoTable;
use crate::n_player::root_split::{Claim, Found, RootSplit};
use crate::n_player::tie_rules::{TIES, Ties};
use crate::n_player::vector_value::{LeafOf, LeafOptions, Leaves, Origin, Value};
use crate::oracle::equilibria::one_of_several;
use crate::support::order::by_score;
use crate::support::pausable_threads::{Interrupted, PauseHandle};
use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "maxn",
    summary: "max^n, depth by depth: every player maximises its own part; pruning where it is exact",
    players: "any",
    exact: true,
    threads: Threads::Racing(AS_THEY_ARE_FREE),
    options: Options::docs,
};

options! {
    struct Options {
        depth: DepthOptions = Group,
        prune: Prune = PRUNE,
        ties: Ties = TIES,
        lazy: bool = Setting::switch("lazy", "on or off: guess only the parts that are compared", true),
        table: TableOptions = Group,
        leaves: LeafOptions = Group,
    }
}

/// For any number of players, whatever their interests.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let options: Options = INFO.read(params)?;
    let (depths, bytes) = (options.depth.depths()?, options.table.bytes(setup.memory));
    let mut leaves = Leaves::new(INFO.name, &*game, setup, &options.leaves, options.prune.by_sums())?;
    leaves.lazy = options.lazy;
    let maxn = Maxn::new(&game, &root, leaves, options.prune, options.ties, bytes, None);
    Ok(Box::new(Deepening::new(&game, root, setup.objective, depths, Box::new(maxn), vec![])))
}

/// The search to one depth, with what it keeps between depths.
pub(crate) struct Maxn<G: FullGame> {
    pub(crate) game: Arc<G>,
    pub(crate) leaves: Leaves<G>,
    pub(crate) prune: Prune,
    pub(crate) ties: Ties,
    pub(crate) root_player: Player,
    /// The root's player wants this player's part to be small, and nothing else.
    pub(crate) target: Option<Player>,
    memo: MemoTable<G::Key, Remembered<G>>,
    /// The nodes of the path, and their moves one after the other.
    pub(crate) frames: Vec<Frame<G>>,
    moves: Vec<G::Move>,
    hints: Vec<OrderHint>,
    /// In which order to search them: rank and index.
    order: Vec<(i32, u32)>,
    /// Moves left out on speculation: index, and the most they can be worth to the mover.
    pending: Vec<(usize, i64)>,
    /// The value of every move at the root, if this iteration found it, and its height.
    root_values: Vec<Option<(Value<G>, u32)>>,
    root_best: usize,
    cuts: u64,
    searched_again: u64,
    /// With several threads.
    split: Option<Arc<RootSplit<Value<G>, G::Move>>>,
}

/// A node's value in the table.
struct Remembered<G: FullGame> {
    value: Value<G>,
    depth: u32,
    height: u32,
    best: u32,
}

/// The height of a tree that was not searched to its ends.
const OPEN: u32 = u32::MAX;

/// What a node brings.
struct Outcome<G: FullGame> {
    value: Value<G>,
    /// Plies to the last end below, or [`OPEN`].
    height: u32,
    /// Whether this is the value, and no mere vector that will not be taken.
    exact: bool,
    /// How many nodes above have no value of their own, either.
    tainted: u8,
    /// Left out on speculation: the most it can be worth to the parent's mover.
    speculative: Option<i64>,
}

impl<G: FullGame> Outcome<G> {
    fn exact(value: Value<G>, height: u32) -> Self {
        Outcome { value, height, exact: true, tainted: 0, speculative: None }
    }
}

impl<G: FullGame> Maxn<G> {
    pub(crate) fn new(
        game: &Arc<G>,
        root: &G::State,
        leaves: Leaves<G>,
        prune: Prune,
        ties: Ties,
        bytes: usize,
        target: Option<Player>,
    ) -> Self {
        let (game, root_player, memo) = (game.clone(), root_player(&**game, root), MemoTable::new(bytes));
        Self::begin(game, leaves, prune, ties, root_player, target, memo)
    }

    fn begin(
        game: Arc<G>,
        leaves: Leaves<G>,
        prune: Prune,
        ties: Ties,
        root_player: Player,
        target: Option<Player>,
        memo: MemoTable<G::Key, Remembered<G>>,
    ) -> Self {
        Maxn {
            game,
            leaves,
            prune,
            ties,
            root_player,
            target,
            memo,
            frames: Vec::new(),
            moves: Vec::new(),
            hints: Vec::new(),
            order: Vec::new(),
            pending: Vec::new(),
            root_values: Vec::new(),
            root_best: 0,
            cuts: 0,
            searched_again: 0,
            split: None,
        }
    }

    /// The value of `state`, `depth` ≥ 1 plies deep.
    fn search(
        &mut self,
        state: &G::State,
        depth: u32,
        ply: usize,
        pause: &mut PauseHandle,
    ) -> Result<Outcome<G>, Interrupted> {
        pause.tick(1)?;
        let first = self.moves.len();
        let mover = match self.game.expand(state, &mut self.moves) {
            Status::Over(payoff) => {
                self.enter(ply, Player::FIRST);
                return Ok(Outcome::exact(self.leaves.over(payoff), 0));
            }
            Status::Turn(mover) => mover,
        };
        self.enter(ply, mover);
        let key = (self.memo.is_on() && depth > 1 && ply > 0).then(|| self.game.key(state));
        let remembered = key.and_then(|key| self.memo.get(&key));
        if let Some(r) = remembered
            && (r.depth == depth || r.height <= depth)
        {
            let outcome = Outcome::exact(r.value.clone(), r.height);
            self.moves.truncate(first);
            return Ok(outcome);
        }
        let hint = if ply == 0 { Some(self.root_best as u32) } else { remembered.map(|r| r.best) };
        let keep = remembered.is_some_and(|r| r.height != OPEN);
        let outcome = self.branches(state, depth, ply, first, hint, pause)?;
        if let Some(key) = key.filter(|_| outcome.exact && !keep) {
            let (value, best) = (outcome.value.clone(), self.frames[ply].best_index as u32);
            let remembered = Remembered { value, depth, height: outcome.height, best };
            self.memo.put(key, remembered, if outcome.height == OPEN { depth } else { OPEN });
        }
        self.moves.truncate(first);
        Ok(outcome)
    }

    /// A fresh frame for the node at `ply`.
    fn enter(&mut self, ply: usize, mover: Player) {
        if self.frames.len() == ply {
            self.frames.push(Frame {
                mover,
                best: None,
                best_index: 0,
                current: 0,
                need: 0,
                last: false,
                pending: false,
                barrier: false,
                line: Vec::new(),
            });
        }
        let frame = &mut self.frames[ply];
        frame.mover = mover;
        frame.best = None;
        frame.pending = false;
        frame.barrier = false;
        frame.line.clear();
    }

    /// Searches the moves from `first` on.
    fn branches(
        &mut self,
        state: &G::State,
        depth: u32,
        ply: usize,
        first: usize,
        hint: Option<u32>,
        pause: &mut PauseHandle,
    ) -> Result<Outcome<G>, Interrupted> {
        let (count, first_in_order, first_pending) = (self.moves.len() - first, self.order.len(), self.pending.len());
        if self.prune.any() {
            self.put_in_order(state, first, hint);
        }
        let greatest = self.leaves.scale.greatest[self.frames[ply].mover.index()];
        let (mut height, mut exact, mut tainted) = (0, true, 0);
        let (mut stopped, mut left_out) = (None, None);
        let split = self.split.clone().filter(|_| ply == 0 && depth > 1);
        let mut put_off = Vec::new();
        let mut turn = 0;
        while turn < count + put_off.len() {
            let n = if turn < count { turn } else { put_off[turn - count] };
            turn += 1;
            let index = if self.prune.any() { self.order[first_in_order + n].1 as usize } else { n };
            if self.prune.any() {
                let need = self.need(ply, index);
                if self.prune.immediate && need > greatest {
                    self.cuts += 1;
                    continue;
                }
                self.frames[ply].need = need;
            }
            (self.frames[ply].current, self.frames[ply].last) = (index, n + 1 == count && split.is_none());
            let outcome = match split.as_ref().map(|split| split.claim(depth, index, count, turn > count)) {
                Some(Claim::PutOff) => {
                    put_off.push(n);
                    continue;
                }
                Some(Claim::Use(found)) => match self.found_by_another(found) {
                    (Some(value), below) => Outcome::exact(value, below),
                    (None, below) => {
                        height = height.max(below.saturating_add(1));
                        continue;
                    }
                },
                _ if depth > 1 => self.branch(state, depth, ply, first + index, pause)?,
                _ => {
                    pause.tick(1)?;
                    let compared = self.compared(ply);
                    let leaf = self.leaves.look(&self.game, state, self.moves[first + index], compared);
                    // Most leaves are no better: they are not worth a vector.
                    if count > 1 && ply > 0 && self.is_refused_leaf(ply, index, &leaf, compared) {
                        height = OPEN;
                        continue;
                    }
                    self.leaf_outcome(state, first + index, &leaf, compared)
                }
            };
            if let Some(split) = split.as_ref().filter(|_| outcome.speculative.is_none() && outcome.tainted == 0) {
                split.tell(depth, index, count, None, self.as_found(&outcome));
            }
            height = height.max(outcome.height.saturating_add(1));
            if let Some(most) = outcome.speculative {
                self.pending.push((index, most));
                self.frames[ply].pending = true;
                left_out = Some(outcome.value);
                continue;
            }
            if outcome.tainted > 0 {
                (exact, tainted) = (false, outcome.tainted - 1);
            }
            let improved = self.consider(ply, first, index, outcome, depth, count);
            if improved && turn < count && ply > 0 && self.prune.by_sums() {
                stopped = self.cut(ply);
                if stopped.is_some() {
                    break;
                }
            }
        }
        self.order.truncate(first_in_order);
        if stopped.is_none() && self.pending.len() > first_pending {
            let (resolved, deeper) = self.resolve(state, depth, ply, first, first_pending, pause)?;
            (exact, height) = (exact && resolved, height.max(deeper));
        }
        self.pending.truncate(first_pending);
        let value = self.frames[ply].best.take().or(left_out).expect("a node has moves");
        let mut outcome = Outcome { value, height, exact, tainted, speculative: None };
        if let Some(cut) = stopped {
            self.cuts += 1;
            outcome.exact = false;
            match cut {
                Cut::Sure(levels) => outcome.tainted = outcome.tainted.max(levels),
                Cut::Speculative(most) => outcome.speculative = Some(most),
            }
        }
        Ok(outcome)
    }

    /// The value of a move at the root, if it has one, and its height; its line is put where a search would put it.
    fn found_by_another(&mut self, found: Found<Value<G>, G::Move>) -> (Option<Value<G>>, u32) {
        self.enter(1, Player::FIRST);
        self.frames[1].line = found.line;
        (found.value, found.height)
    }

    /// What other threads should know of a move at the root that was just searched. One that was cut is refused,
    /// because of a move that they know, too.
    fn as_found(&self, outcome: &Outcome<G>) -> Found<Value<G>, G::Move> {
        let value = outcome.exact.then(|| outcome.value.clone());
        Found { value, height: outcome.height, line: self.frames[1].line.clone() }
    }

    /// What was best before first, then by the game's order scores.
    fn put_in_order(&mut self, state: &G::State, first: usize, hint: Option<u32>) {
        let start = self.order.len();
        self.hints.clear();
        self.game.order_hints(state, &self.moves[first..], &mut self.hints);
        let scores = (0..).zip(&self.hints).map(|(i, h)| (if hint == Some(i) { i32::MAX } else { h.score }, i));
        self.order.extend(scores);
        let sorted = self.order[start..].is_sorted_by(|a, b| a.0 >= b.0);
        if !sorted {
            by_score(&mut self.order[start..]);
        }
    }

    /// One move deeper.
    #[inline]
    fn branch(
        &mut self,
        state: &G::State,
        depth: u32,
        ply: usize,
        at: usize,
        pause: &mut PauseHandle,
    ) -> Result<Outcome<G>, Interrupted> {
        if depth > 1 {
            let next = self.game.after(state, self.moves[at]);
            return self.search(&next, depth - 1, ply + 1, pause);
        }
        pause.tick(1)?;
        let compared = self.compared(ply);
        let leaf = self.leaves.look(&self.game, state, self.moves[at], compared);
        Ok(self.leaf_outcome(state, at, &leaf, compared))
    }

    /// Whose part is compared at `ply`.
    #[inline]
    fn compared(&self, ply: usize) -> Player {
        let mover = self.frames[ply].mover;
        self.target.filter(|_| mover == self.root_player).unwrap_or(mover)
    }

    fn leaf_outcome(&mut self, state: &G::State, at: usize, leaf: &LeafOf<G>, compared: Player) -> Outcome<G> {
        let (value, over) = self.leaves.value(&self.game, state, self.moves[at], leaf, compared);
        Outcome::exact(value, if over { 0 } else { OPEN })
    }

    /// Whether the node at `ply` does not take this leaf of move `index`, as far as the part that is compared tells.
    #[inline]
    fn is_refused_leaf(&mut self, ply: usize, index: usize, leaf: &LeafOf<G>, compared: Player) -> bool {
        let Some(part) = self.leaves.foreseen(leaf, compared) else { return false };
        let Frame { mover, best: Some(best), .. } = &mut self.frames[ply] else { return false };
        let refused = if self.target.is_some() && *mover == self.root_player {
            part > self.leaves.part(&self.game, best, compared)
        } else {
            part < self.need(ply, index)
        };
        self.leaves.components += u64::from(refused); // otherwise it is counted when the vectors are compared
        refused
    }

    /// Takes the vector of move `index` if it is better.
    #[inline]
    fn consider(
        &mut self,
        ply: usize,
        first: usize,
        index: usize,
        mut outcome: Outcome<G>,
        depth: u32,
        count: usize,
    ) -> bool {
        if ply == 0 && outcome.exact {
            self.root_values[index] = Some((outcome.value.clone(), outcome.height));
        }
        // A part that nothing is compared with stays unread.
        if count > 1 && !self.takes(ply, &mut outcome.value, index) {
            return false;
        }
        let (upper, lower) = self.frames.split_at_mut(ply + 1);
        let frame = &mut upper[ply];
        frame.best = Some(outcome.value);
        frame.best_index = index;
        frame.line.clear();
        frame.line.push(self.moves[first + index]);
        if depth > 1 {
            frame.line.extend_from_slice(&lower[0].line);
        }
        true
    }

    /// Searches again what was left out on speculation, as far as it can matter. Says whether the best vector is the
    /// node's value, and how high the trees were.
    fn resolve(
        &mut self,
        state: &G::State,
        depth: u32,
        ply: usize,
        first: usize,
        first_pending: usize,
        pause: &mut PauseHandle,
    ) -> Result<(bool, u32), Interrupted> {
        let mut height = 0;
        while self.pending.len() > first_pending {
            if self.is_refused(ply) {
                return Ok((false, height));
            }
            let (index, most) = self.pending.pop().expect("there is one");
            let need = self.need(ply, index);
            if most < i64::from(need) {
                continue;
            }
            self.searched_again += 1;
            let frame = &mut self.frames[ply];
            (frame.current, frame.need, frame.last, frame.barrier) = (index, need, false, true);
            let outcome = self.branch(state, depth, ply, first + index, pause)?;
            self.frames[ply].barrier = false;
            height = height.max(outcome.height.saturating_add(1));
            self.consider(ply, first, index, outcome, depth, usize::MAX);
        }
        Ok((true, height))
    }

    fn verdict(&mut self, value: &Value<G>, height: u32) -> Verdict<G::Payoff> {
        match value.origin {
            Origin::Over(payoff) if height != OPEN && self.target.is_none() => Verdict::Solved(payoff),
            _ => Verdict::Estimated(self.leaves.estimate(&self.game, value)),
        }
    }
}

impl<G: FullGame> Iteration<G> for Maxn<G> {
    fn divide(mut self: Box<Self>, threads: usize) -> Vec<Box<dyn Iteration<G>>> {
        if threads == 1 {
            return vec![self];
        }
        self.memo.divide(threads);
        let split = Arc::new(RootSplit::new());
        let fork = |_| {
            let Maxn { game, leaves, prune, ties, root_player, target, memo, .. } = &*self;
            let fresh = Maxn::begin(game.clone(), leaves.fork(), *prune, *ties, *root_player, *target, memo.fork());
            Box::new(Maxn { split: Some(split.clone()), ..fresh }) as Box<dyn Iteration<G>>
        };
        (0..threads).map(fork).collect()
    }

    fn look(&mut self, root: &G::State, depth: u32, pause: &mut PauseHandle) -> Result<LookOf<G>, Interrupted> {
        if let Some(split) = &self.split {
            self.root_best = split.best() as usize;
        }
        self.order.clear();
        self.pending.clear();
        self.moves.clear();
        self.game.expand(root, &mut self.moves);
        self.root_values = (0..self.moves.len()).map(|_| None).collect();
        self.moves.clear();
        let outcome = self.search(root, depth, 0, pause)?;
        self.root_best = self.frames[0].best_index;
        if let Some(split) = &self.split {
            split.set_best(self.root_best as u32);
        }
        let one_equilibrium = outcome.height != OPEN && self.target.is_none() && !G::Payoff::ZERO_SUM;
        let moves = std::mem::take(&mut self.root_values);
        let moves = moves.iter().map(|known| match known {
            Some((value, height)) => self.verdict(value, *height),
            None => Verdict::Unknown,
        });
        Ok(Look {
            moves: moves.collect(),
            verdict: self.verdict(&outcome.value, outcome.height),
            settled: outcome.height != OPEN,
            line: self.frames[0].line.clone(),
            counts: vec![
                ("components", self.leaves.components),
                ("cuts", self.cuts),
                ("searched again", self.searched_again),
            ],
            bytes: self.memo.bytes(),
            note: one_equilibrium.then(|| one_of_several(self.leaves.scale.objective, self.ties.in_words())),
        })
    }
}
