//! What a search has to say.
//!
//! An [`Answer`] is *one claim*. Its verdict, its line and what it says of single moves must not contradict each other:
//!
//! - bounds whose ends are the same under the objective are a value ([`Verdict::bounds`] is the only way to make
//!   bounds);
//! - what is proved about the moves is proved about the root: a proved win of one move is a proved win;
//! - if something is proved in the mover's favour, the first move of the line is proved to keep it, or there is no
//!   line;
//! - a line is what the search looked at and would play. A move that merely comes first in the rules is no line.
//!
//! [`Answer::reconciled`] sees to the first three, the algorithms to the last; the laws of solvers check all four.

use std::cmp::Ordering;

use crate::{Gain, Game, LONGEST, Objective, Payoff, Player};

/// What is known about the worth of a state, and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict<P: Payoff> {
    /// Proved: this is the value.
    Solved(P),
    /// Proved: to the first player the value is at least `lower` and at most `upper`, which differ. Made by
    /// [`Verdict::bounds`].
    #[non_exhaustive]
    Bounds {
        /// The first player can get this much.
        lower: P,
        /// The first player cannot get more.
        upper: P,
    },
    /// Proved: this many values, two or more, are each the value of an equilibrium. None of them is *the* value.
    Equilibria(u32),
    /// Not proved, only estimated.
    Estimated(P::Estimate),
    /// Nothing is known.
    Unknown,
}

impl<P: Payoff> Verdict<P> {
    /// Proved: to the first player the value is at least `lower` and at most `upper`. Where the objective does not tell
    /// them apart and interests are opposed, that is the value; between a loss and a win nothing is known.
    pub fn bounds(objective: Objective, lower: P, upper: P) -> Self {
        let order = objective.compare(Player::FIRST, lower, upper);
        debug_assert!(order.is_le(), "{lower:?} is more than {upper:?}");
        let gains = [lower, upper].map(|payoff| payoff.gain(Player::FIRST));
        if lower == upper || P::ZERO_SUM && order.is_eq() {
            // Of two wins the less, of two losses the less: what is proved for certain.
            Verdict::Solved(if lower.score(Player::FIRST) > 0 { lower } else { upper })
        } else if objective == Objective::Gain && gains == [Gain::Loss, Gain::Win] {
            Verdict::Unknown
        } else {
            Verdict::Bounds { lower, upper }
        }
    }

    /// How much of it is proved.
    pub const fn status(&self) -> SolveStatus {
        match self {
            Verdict::Solved(_) | Verdict::Equilibria(_) => SolveStatus::Solved,
            Verdict::Bounds { .. } => SolveStatus::Bounds,
            Verdict::Estimated(_) | Verdict::Unknown => SolveStatus::Unsolved,
        }
    }

    /// The value, if it is proved.
    pub fn solved(&self) -> Option<P> {
        match *self {
            Verdict::Solved(value) => Some(value),
            _ => None,
        }
    }

    /// What the first player is sure of, and what it cannot exceed, if that is proved.
    fn proved_bounds(&self) -> (Option<P>, Option<P>) {
        match *self {
            Verdict::Solved(value) => (Some(value), Some(value)),
            Verdict::Bounds { lower, upper } => (Some(lower), Some(upper)),
            _ => (None, None),
        }
    }

    /// What is proved in favour of `player`, of two with opposed interests.
    fn sure_of(&self, player: Player) -> Option<P> {
        let (lower, upper) = self.proved_bounds();
        if player == Player::FIRST { lower } else { upper }
    }
}

/// How much of a value is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SolveStatus {
    /// All of it.
    Solved,
    /// That it lies between two bounds.
    Bounds,
    /// Nothing.
    Unsolved,
}

impl SolveStatus {
    /// `solved`, `bounds` or `unsolved`.
    pub const fn name(self) -> &'static str {
        match self {
            SolveStatus::Solved => "solved",
            SolveStatus::Bounds => "bounds",
            SolveStatus::Unsolved => "unsolved",
        }
    }
}

impl std::fmt::Display for SolveStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What a search spent since it was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Nodes created.
    pub nodes: u64,
    /// Bytes held now.
    pub bytes: usize,
}

/// One move at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport<G: Game> {
    /// The move.
    pub mv: G::Move,
    /// What is known about the state it leads to.
    pub verdict: Verdict<G::Payoff>,
    /// How often the search went this way, if it counts that.
    pub visits: Option<u64>,
}

/// What a search found out about its root. Always usable, however early the search was stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer<G: Game> {
    /// Who moves at the root; `None` if the game is over there.
    pub mover: Option<Player>,
    /// The worth of the root.
    pub verdict: Verdict<G::Payoff>,
    /// The best line known, the move to play first; see the first page of this module for what it may be. Empty if the
    /// game is over, no move was looked at, or none is known to keep what is proved.
    pub line: Vec<G::Move>,
    /// Every move at the root, in the order of the rules; empty if the search does not tell.
    pub moves: Vec<MoveReport<G>>,
    /// What it cost.
    pub effort: Effort,
    /// Further numbers worth knowing, each with its name: positions valued, iterations …
    pub counts: Vec<(&'static str, u64)>,
    /// Sentences a user should read: which equilibrium this is, which option was switched off and why …
    pub notes: Vec<String>,
}

impl<G: Game> Answer<G> {
    /// The move to play.
    pub fn best_move(&self) -> Option<G::Move> {
        self.line.first().copied()
    }

    /// The same as one claim: what the moves prove belongs to the verdict, and the line begins with a move that keeps
    /// what is proved for the mover.
    #[must_use]
    pub fn reconciled(mut self, game: &G, objective: Objective) -> Self {
        let Some(mover) = self.mover else { return self };
        if !G::Payoff::ZERO_SUM {
            if let Some(value) = self.verdict.solved() {
                self.begin_line(|report| report.verdict.solved() == Some(value));
            }
            return self;
        }
        let (least, greatest) = match objective {
            Objective::Gain => (-1, 1),
            Objective::Score => game.facts().scores[0],
            Objective::Length => (-LONGEST, LONGEST),
        };
        let [least, greatest] = [least, greatest].map(|score| G::Payoff::from_scores(&[score, -score]));
        let compare = |a, b| objective.compare(Player::FIRST, a, b);
        self.take_over(mover, objective, least, greatest);
        let (worst, better) =
            if mover == Player::FIRST { (least, Ordering::Greater) } else { (greatest, Ordering::Less) };
        if let Some(sure) = self.verdict.sure_of(mover).filter(|&sure| compare(sure, worst) == better) {
            let keeps = |held| compare(held, sure) != better.reverse();
            self.begin_line(|report| {
                report.verdict.sure_of(mover).map(|held| objective.before(held)).is_some_and(keeps)
            });
        }
        self
    }

    /// The same without its line if nothing is proved and the search finds all moves alike: the one that happens to be
    /// named first is no better than the others. An only move stays.
    #[must_use]
    pub fn without_placeholder(mut self, alike: bool) -> Self {
        if alike && self.moves.len() > 1 && self.verdict.status() == SolveStatus::Unsolved {
            self.line.clear();
        }
        self
    }

    /// Takes what is proved about the moves into the verdict. A guess gives way to a value only: bounds would say less.
    fn take_over(&mut self, mover: Player, objective: Objective, least: G::Payoff, greatest: G::Payoff) {
        let compare = |a: &G::Payoff, b: &G::Payoff| objective.compare(Player::FIRST, *a, *b);
        let (lower, upper) = self.verdict.proved_bounds();
        let (mut lower, mut upper) = (lower.unwrap_or(least), upper.unwrap_or(greatest));
        // The mover gets at least what one move gives, and at most what the best of all moves can give.
        let before = |bound: Option<G::Payoff>| bound.map(|bound| objective.before(bound));
        let bounds =
            || self.moves.iter().map(|report| report.verdict.proved_bounds()).map(|b| (before(b.0), before(b.1)));
        if mover == Player::FIRST {
            lower = bounds().filter_map(|b| b.0).chain([lower]).max_by(compare).expect("not empty");
            let most = bounds().map(|b| b.1.unwrap_or(greatest)).max_by(compare);
            upper = most.into_iter().chain([upper]).min_by(compare).expect("not empty");
        } else {
            upper = bounds().filter_map(|b| b.1).chain([upper]).min_by(compare).expect("not empty");
            let least = bounds().map(|b| b.0.unwrap_or(least)).min_by(compare);
            lower = least.into_iter().chain([lower]).max_by(compare).expect("not empty");
        }
        let says_nothing = compare(&lower, &least).is_le() && compare(&upper, &greatest).is_ge();
        self.verdict = match (self.verdict, Verdict::bounds(objective, lower, upper)) {
            (known @ Verdict::Solved(_), _) => known,
            (Verdict::Bounds { .. } | Verdict::Unknown, _) if says_nothing => Verdict::Unknown,
            (known @ Verdict::Estimated(_), Verdict::Bounds { .. } | Verdict::Unknown) => known,
            (_, found) => found,
        }
    }

    /// Lets the line begin with a move that `keeps` what is proved: its own first move if that does, any other, or
    /// none. Where nothing is said of single moves, the line stands.
    fn begin_line(&mut self, keeps: impl Fn(&MoveReport<G>) -> bool) {
        if self.moves.is_empty() {
            return;
        }
        let first = self.best_move();
        if !self.moves.iter().any(|report| Some(report.mv) == first && keeps(report)) {
            self.line = self.moves.iter().find(|&report| keeps(report)).map(|report| report.mv).into_iter().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ZeroSum;

    #[test]
    fn bounds_that_the_objective_does_not_tell_apart_are_a_value() {
        let bounds = |objective, lower, upper| Verdict::bounds(objective, ZeroSum(lower), ZeroSum(upper));
        assert_eq!(bounds(Objective::Gain, 1, 21), Verdict::Solved(ZeroSum(1)));
        assert_eq!(bounds(Objective::Gain, -21, -3), Verdict::Solved(ZeroSum(-3)));
        assert_eq!(bounds(Objective::Score, 4, 4), Verdict::Solved(ZeroSum(4)));
        assert_eq!(bounds(Objective::Score, 1, 21).status(), SolveStatus::Bounds);
        assert_eq!(bounds(Objective::Gain, 0, 1).status(), SolveStatus::Bounds);
        assert_eq!(bounds(Objective::Gain, -7, 1), Verdict::Unknown);
    }
}
