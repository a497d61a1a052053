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
