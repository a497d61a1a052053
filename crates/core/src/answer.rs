//! What a search has to say.

use crate::{Game, Payoff, Player};

/// What is known about the worth of a state, and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict<P: Payoff> {
    /// Proved: this is the value.
    Solved(P),
    /// Proved: to the first player the value is at least `lower` and at most `upper`.
    Bounds {
        /// The first player can get this much.
        lower: P,
        /// The first player cannot get more.
        upper: P,
    },
    /// Not proved, only estimated.
    Estimated(P::Estimate),
    /// Nothing is known.
    Unknown,
}

impl<P: Payoff> Verdict<P> {
    /// How much of it is proved.
    pub const fn status(&self) -> SolveStatus {
        match self {
            Verdict::Solved(_) => SolveStatus::Solved,
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
    /// The best line known, the move to play first. Empty if the game is over or no move was looked at.
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
}
