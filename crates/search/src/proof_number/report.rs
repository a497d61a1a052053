//! From windows of ranks to an [`Answer`].

use perfectplay_core::{Answer, Effort, FullGame, MoveReport, Status, Verdict, ZeroSum};

use crate::proof_number::effort_numbers::Window;
use crate::proof_number::goals::Outcomes;

/// What a proof-number search knows.
pub(crate) struct Findings<G: FullGame> {
    /// About the root.
    pub window: Window,
    /// About the moves at the root, as far as they were looked at.
    pub moves: Vec<(G::Move, Window)>,
    /// The line to play.
    pub line: Vec<G::Move>,
    /// What it cost.
    pub effort: Effort,
    /// Further numbers.
    pub counts: Vec<(&'static str, u64)>,
    /// Further sentences.
    pub notes: Vec<String>,
}

/// What to tell somebody whose threads were not all used by a search on a tree.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OneThread {
    /// How many there were.
    threads: usize,
    /// Whether somebody watched.
    watched: bool,
}

impl OneThread {
    /// With so many threads, and an observer who may want to see how the tree grows.
    pub(crate) fn of(threads: usize, watched: bool) -> Self {
        OneThread { threads, watched }
    }

    /// A sentence, if one thread was used. `nested` is whether every leaf has a search of its own.
    pub(crate) fn note(self, nested: bool) -> Option<String> {
        let why = match (nested, self.watched) {
            _ if self.threads < 2 => return None,
            (true, _) => "the search at a leaf is as long as all before it",
            (_, true) => "lines are told one after the other",
            _ => return None,
        };
        Some(format!("one thread of {} was used: {why}", self.threads))
    }
}

/// The answer for users.
pub(crate) fn answer<G: FullGame<Payoff = ZeroSum>>(
    game: &G,
    root: &G::State,
    outcomes: &Outcomes,
    findings: Findings<G>,
) -> Answer<G> {
    let mut legal = Vec::new();
    let status = game.expand(root, &mut legal);
    let known = |mv: &G::Move| findings.moves.iter().find(|(m, _)| m == mv).map(|&(_, window)| window);
    let report = |mv| {
        let verdict = outcomes.verdict(known(&mv).unwrap_or(Window::full(outcomes.goals())));
        MoveReport { mv, verdict, visits: None }
    };
    let verdict = match status {
        Status::Over(payoff) => Verdict::Solved(payoff),
        Status::Turn(_) => outcomes.verdict(findings.window),
    };
    let answer = Answer {
        mover: status.mover(),
        verdict,
        line: findings.line,
        moves: legal.into_iter().map(report).collect(),
        effort: findings.effort,
        counts: findings.counts,
        notes: findings.notes,
    };
    answer.reconciled(game, outcomes.objective())
}
