//! One player against all others: alpha-beta on that player's part alone. The others make it as small as they can.
//!
//! What the others do in a round is a matter of [`Replies`]: all of them move ([`crate::n_player::paranoid`]), or only
//! the one whose move hurts most does, and the rest step aside ([`crate::n_player::brs`]). Then a round is two plies
//! deep, however many players there are.
//!
//! Contract of `search`, on the player's part: the value if it lies within the window, otherwise a bound beyond it.

use std::sync::Arc;

use perfectplay_core::{FullGame, Objective, OrderHint, Payoff, Player, Status, Verdict};

use crate::alpha_beta::textbook::table_search::Flag;
use crate::n_player::deepening::{Iteration, Look, LookOf, root_player};
use crate::n_player::memo_table::MemoTable;
use crate::n_player::root_split::{Claim, Found, RootSplit};
use crate::n_player::vector_value::{Leaves, Origin, Value};
use crate::support::order::by_score;
use crate::support::pausable_threads::{Interrupted, PauseHandle};

/// What the others do between two moves of the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replies {
    /// Everybody moves.
    All,
    /// One of them moves, the others skip their turn; where the game knows no skipping, as below.
    One,
    /// One of them moves as it likes, the others play what looks best at first sight.
    OnePlus,
}

/// The search to one depth, with what it keeps between depths.
pub(crate) struct Coalition<G: FullGame> {
    game: Arc<G>,
    leaves: Leaves<G>,
    objective: Objective,
    me: Player,
    replies: Replies,
    guided: bool,
    memo: MemoTable<G::Key, Remembered<G>>,
    moves: Vec<G::Move>,
    hints: Vec<OrderHint>,
    /// In which order to search them: rank and index.
    order: Vec<(i32, u32)>,
    /// The best lines from the nodes of the path.
    lines: Vec<Vec<G::Move>>,
    root_best: u32,
    root_values: Vec<Option<(Value<G>, u32)>>,
    /// With several threads.
    split: Option<Arc<RootSplit<Value<G>, G::Move>>>,
}

struct Remembered<G: FullGame> {
    value: Value<G>,
    flag: Flag,
    depth: u32,
    height: u32,
    best: u32,
}

/// The height of a tree that was not searched to its ends.
const OPEN: u32 = u32::MAX;

/// Where in a round a state is.
#[derive(Clone, Copy)]
struct Round {
    ply: usize,
    /// Whether one of the others has moved.
    replied: bool,
    /// How many stepped aside.
    aside: u8,
}

impl Round {
    fn next(self) -> Round {
        Round { ply: self.ply + 1, replied: false, aside: 0 }
    }
}

impl<G: FullGame> Coalition<G> {
    pub(crate) fn new(
        game: &Arc<G>,
        root: &G::State,
        leaves: Leaves<G>,
        objective: Objective,
        replies: Replies,
        bytes: usize,
    ) -> Self {
        Coalition {
            game: game.clone(),
            leaves,
            objective,
            me: root_player(&**game, root),
            replies,
            guided: game.facts().heuristic,
            memo: MemoTable::new(bytes),
            moves: Vec::new(),
            hints: Vec::new(),
            order: Vec::new(),
            lines: Vec::new(),
            root_best: 0,
            root_values: Vec::new(),
            split: None,
        }
    }

    /// The vector whose part for `me` is the value of `state`, and the height of the tree it rests on.
    fn search(
        &mut self,
        state: &G::State,
        depth: u32,
        round: Round,
        (alpha, beta): (i32, i32),
        pause: &mut PauseHandle,
    ) -> Result<(Value<G>, u32), Interrupted> {
        pause.tick(1)?;
        self.enter(round.ply);
        if depth == 0 {
            let (value, over) = self.leaves.leaf(&self.game, *state);
            return Ok((value, if over { 0 } else { OPEN }));
        }
        let first = self.moves.len();
        let mover = match self.game.expand(state, &mut self.moves) {
            Status::Over(payoff) => return Ok((self.leaves.over(payoff), 0)),
            Status::Turn(mover) => mover,
        };
        let round = if mover == self.me { Round { replied: false, aside: 0, ..round } } else { round };
        if round.replied {
            self.moves.truncate(first);
            return self.step_aside(state, depth, round, (alpha, beta), pause);
        }
        let key = (self.memo.is_on() && depth > 1 && round.ply > 0 && round.aside == 0).then(|| self.game.key(state));
        let mut hint = (round.ply == 0).then_some(self.root_best);
        if let Some(r) = key.and_then(|key| self.memo.get(&key)) {
            hint = Some(r.best);
            if r.depth == depth || r.height <= depth {
                let (mut value, height, flag) = (r.value.clone(), r.height, r.flag);
                let part = self.leaves.part(&self.game, &mut value, self.me);
                if match flag {
                    Flag::Exact => true,
                    Flag::Lower => part >= beta,
                    Flag::Upper => part <= alpha,
                } {
                    self.moves.truncate(first);
                    return Ok((value, height));
                }
            }
        }
        let (mut value, height, best) = self.branches(state, mover, depth, round, (alpha, beta), first, hint, pause)?;
        self.moves.truncate(first);
        if let Some(key) = key {
            let part = self.leaves.part(&self.game, &mut value, self.me);
            let flag = match part {
                part if part >= beta => Flag::Lower,
                part if part <= alpha => Flag::Upper,
                _ => Flag::Exact,
            };
            let remembered = Remembered { value: value.clone(), flag, depth, height, best };
            self.memo.put(key, remembered, depth);
        }
        Ok((value, height))
    }

    /// The best of all moves from `first` on, and of leaving the reply to somebody else.
    #[allow(clippy::too_many_arguments)]
    fn branches(
        &mut self,
        state: &G::State,
        mover: Player,
        depth: u32,
        round: Round,
        (mut alpha, mut beta): (i32, i32),
        first: usize,
        hint: Option<u32>,
        pause: &mut PauseHandle,
    ) -> Result<(Value<G>, u32, u32), Interrupted> {
        let mine = mover == self.me;
        let start = self.order.len();
        self.hints.clear();
        self.game.order_hints(state, &self.moves[first..], &mut self.hints);
        let scores = (0..).zip(&self.hints).map(|(i, h)| (if hint == Some(i) { i32::MAX } else { h.score }, i));
        self.order.extend(scores);
        by_score(&mut self.order[start..]);
        let mut best: Option<(i32, Value<G>, u32)> = None;
        let mut height = 0;
        let count = self.moves.len() - first;
        let split = self.split.clone().filter(|_| round.ply == 0 && depth > 1);
        let mut put_off = Vec::new();
        let mut turn = 0;
        while turn <= count + put_off.len() {
            // Moves in their order, those put off, and last what is no move.
            let n = if turn < count { turn } else { put_off.get(turn - count).copied().unwrap_or(count) };
            turn += 1;
            let index = if n < count { self.order[start + n].1 } else { u32::MAX };
            let claim = split.as_ref().filter(|_| n < count);
            let claim = claim.map(|split| split.claim(depth, index as usize, count, turn > count));
            let (mut value, below) = if let Some(Claim::PutOff) = claim {
                put_off.push(n);
                continue;
            } else if let Some(Claim::Use(found)) = claim {
                let Some(value) = self.found_by_another(found.value, found.line) else {
                    height = height.max(found.height.saturating_add(1));
                    continue;
                };
                (value, found.height)
            } else if n < count && depth == 1 {
                pause.tick(1)?;
                self.enter(round.ply + 1);
                let mv = self.moves[first + index as usize];
                let leaf = self.leaves.look(&self.game, state, mv, self.me);
                // Most leaves are no better: they are not worth a vector.
                if let (Some(part), Some((best, ..))) = (self.leaves.foreseen(&leaf, self.me), &best)
                    && if mine { part <= *best } else { part >= *best }
                {
                    self.leaves.components += 1;
                    height = OPEN;
                    continue;
                }
                let (value, over) = self.leaves.value(&self.game, state, mv, &leaf, self.me);
                (value, if over { 0 } else { OPEN })
            } else if n < count {
                if let Some(split) = &split {
                    alpha = alpha.max(split.alpha(depth, count));
                }
                let next = self.game.after(state, self.moves[first + index as usize]);
                let replied = !mine && self.replies != Replies::All;
                let (mut value, below) =
                    self.search(&next, depth - 1, Round { replied, ..round.next() }, (alpha, beta), pause)?;
                if let Some(split) = &split {
                    let part = self.leaves.part(&self.game, &mut value, self.me);
                    let is_known = part > alpha || alpha == i32::MIN;
                    let found = Found { value: is_known.then_some(value), height: below, line: self.line_below() };
                    let found = split.tell(depth, index as usize, count, is_known.then_some(part), found);
                    let Some(value) = self.found_by_another(found.value, found.line) else {
                        height = height.max(found.height.saturating_add(1));
                        continue;
                    };
                    (value, found.height)
                } else {
                    (value, below)
                }
            } else {
                let Some(found) = self.leave_it(state, mover, depth, round, (alpha, beta), pause)? else { break };
                found
            };
            height = height.max(below.saturating_add(1));
            let part = self.leaves.part(&self.game, &mut value, self.me);
            if best.as_ref().is_none_or(|(b, ..)| if mine { part > *b } else { part < *b }) {
                if round.ply == 0 && index != u32::MAX {
                    self.root_values[index as usize] = Some((value.clone(), below));
                }
                best = Some((part, value, index));
                self.remember_line(round.ply, (index != u32::MAX).then(|| self.moves[first + index as usize]));
            }
            if mine {
                alpha = alpha.max(part)
            } else {
                beta = beta.min(part)
            }
            if alpha >= beta {
                break;
            }
        }
        self.order.truncate(start);
        // Without a best move, others know one, and are deeper already.
        let (_, value, index) = best.ok_or(Interrupted)?;
        Ok((value, height, index))
    }

    /// An empty line from this ply on.
    fn enter(&mut self, ply: usize) {
        if self.lines.len() <= ply {
            self.lines.push(Vec::new());
        }
        self.lines[ply].clear();
    }

    /// The value that another thread found, with its line where a search would put it.
    fn found_by_another(&mut self, value: Option<Value<G>>, line: Vec<G::Move>) -> Option<Value<G>> {
        self.lines.resize_with(self.lines.len().max(2), Vec::new);
        self.lines[1] = line;
        value
    }

    fn line_below(&self) -> Vec<G::Move> {
        self.lines.get(1).cloned().unwrap_or_default()
    }

    fn remember_line(&mut self, ply: usize, mv: Option<G::Move>) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        upper[ply].clear();
        upper[ply].extend(mv);
        if mv.is_some() && self.replies == Replies::All {
            upper[ply].extend_from_slice(&lower[0]);
        }
    }

    /// What it is worth if this opponent leaves the reply to the next one; `None` if there is no next one.
    fn leave_it(
        &mut self,
        state: &G::State,
        mover: Player,
        depth: u32,
        round: Round,
        window: (i32, i32),
        pause: &mut PauseHandle,
    ) -> Result<Option<(Value<G>, u32)>, Interrupted> {
        let others = self.leaves.scale.players as u8 - 1;
        if mover == self.me || self.replies == Replies::All || round.aside + 1 >= others {
            return Ok(None);
        }
        let next = self.aside(state, mover);
        if self.game.status(&next).mover().is_none_or(|p| p == self.me) {
            return Ok(None);
        }
        let round = Round { aside: round.aside + 1, ..round.next() };
        self.search(&next, depth, round, window, pause).map(Some)
    }

    /// Somebody else has replied: this opponent has no choice.
    fn step_aside(
        &mut self,
        state: &G::State,
        depth: u32,
        round: Round,
        window: (i32, i32),
        pause: &mut PauseHandle,
    ) -> Result<(Value<G>, u32), Interrupted> {
        let Status::Turn(mover) = self.game.status(state) else { unreachable!("asked before") };
        let next = self.aside(state, mover);
        // Once round the table without `me`: a new round begins.
        let aside = round.aside + 1;
        let replied = usize::from(aside) < self.leaves.scale.players;
        let round = Round { replied, aside: if replied { aside } else { 0 }, ..round.next() };
        let depth = if replied { depth } else { depth - 1 };
        let (value, height) = self.search(&next, depth, round, window, pause)?;
        Ok((value, height.saturating_add(1)))
    }

    /// The state after `mover` did as little as it may.
    fn aside(&mut self, state: &G::State, mover: Player) -> G::State {
        if self.replies == Replies::One
            && let Some(next) = self.game.null_move(state)
        {
            return next;
        }
        let first = self.moves.len();
        self.game.expand(state, &mut self.moves);
        let greatest = self.moves[first..].iter().map(|&mv| self.game.order_score(state, mv)).max();
        let mut best: Option<(f32, G::State)> = None;
        for i in first..self.moves.len() {
            let mv = self.moves[i];
            if Some(self.game.order_score(state, mv)) != greatest {
                continue;
            }
            let next = self.game.after(state, mv);
            let looks = match self.game.status(&next) {
                Status::Over(payoff) => 2.0 * payoff.gain(mover).value() as f32,
                Status::Turn(_) if self.guided => self.game.heuristic_of(&next, mover),
                Status::Turn(_) => 0.0,
            };
            if best.as_ref().is_none_or(|(b, _)| looks > *b) {
                best = Some((looks, next));
            }
        }
        self.moves.truncate(first);
        best.expect("an unfinished state has moves").1
    }

    fn proof(&self, value: &Value<G>) -> Option<String> {
        let Origin::Over(payoff) = value.origin else { return None };
        let (me, worth) = (self.me, self.objective.value(payoff, self.me));
        (self.replies == Replies::All).then(|| {
            format!(
                "proved is a guarantee of {me} alone, not an equilibrium: whatever the others do, it can secure a {} \
of {worth}",
                self.objective.name()
            )
        })
    }
}

impl<G: FullGame> Iteration<G> for Coalition<G> {
    fn divide(mut self: Box<Self>, threads: usize) -> Vec<Box<dyn Iteration<G>>> {
        if threads == 1 {
            return vec![self];
        }
        self.memo.divide(threads);
        let split = Arc::new(RootSplit::new());
        let fork = |_| {
            let Coalition { game, leaves, objective, me, replies, guided, memo, .. } = &*self;
            Box::new(Coalition {
                game: game.clone(),
                leaves: leaves.fork(),
                objective: *objective,
                me: *me,
                replies: *replies,
                guided: *guided,
                memo: memo.fork(),
                moves: Vec::new(),
                hints: Vec::new(),
                order: Vec::new(),
                lines: Vec::new(),
                root_best: 0,
                root_values: Vec::new(),
                split: Some(split.clone()),
            }) as Box<dyn Iteration<G>>
        };
        (0..threads).map(fork).collect()
    }

    fn look(&mut self, root: &G::State, depth: u32, pause: &mut PauseHandle) -> Result<LookOf<G>, Interrupted> {
        if let Some(split) = &self.split {
            self.root_best = split.best();
        }
        self.order.clear();
        self.moves.clear();
        self.game.expand(root, &mut self.moves);
        let legal = std::mem::take(&mut self.moves);
        self.root_values = legal.iter().map(|_| None).collect();
        let round = Round { ply: 0, replied: false, aside: 0 };
        let (value, height) = self.search(root, depth, round, (i32::MIN, i32::MAX), pause)?;
        let line = self.lines[0].clone();
        self.root_best = legal.iter().position(|mv| line.first() == Some(mv)).unwrap_or(0) as u32;
        if let Some(split) = &self.split {
            split.set_best(self.root_best);
        }
        let values = std::mem::take(&mut self.root_values);
        let moves = values.iter().map(|known| match known {
            Some((value, _)) => Verdict::Estimated(self.leaves.estimate(&self.game, value)),
            None => Verdict::Unknown,
        });
        Ok(Look {
            moves: moves.collect(),
            verdict: Verdict::Estimated(self.leaves.estimate(&self.game, &value)),
            settled: height != OPEN,
            line,
            counts: vec![("components", self.leaves.components)],
            bytes: self.memo.bytes(),
            note: if height == OPEN { None } else { self.proof(&value) },
        })
    }
}
