//! What a Monte-Carlo search answers: which move to play, what it is worth, and how the other moves look.

use perfectplay_core::{Answer, Effort, Estimate, FullGame, MoveReport, Objective, Payoff, Player, Status, Verdict};

use super::uct::Mcts;
use crate::oracle::equilibria::one_of_several;

/// A move to play.
enum Choice {
    /// To this child.
    Tried(u32),
    /// Whichever would be tried next: all that were tried are lost.
    Untried,
}

impl<G: FullGame> Mcts<G> {
    /// What is known now.
    pub(super) fn report(&self) -> Answer<G> {
        let mut legal = Vec::new();
        let status = self.outlook.game.expand(&self.root, &mut legal);
        let report = |&mv: &G::Move| {
            let child = self.child_after(mv);
            MoveReport {
                mv,
                verdict: child.map_or(Verdict::Unknown, |id| self.verdict(id)),
                visits: Some(child.map_or(0, |id| self.tree.node(id).visits().into())),
            }
        };
        let moves: Vec<_> = legal.iter().map(report).collect();
        let several = !G::Payoff::ZERO_SUM && self.is_solved();
        let answer = Answer {
            mover: status.mover(),
            verdict: match status {
                Status::Over(payoff) => Verdict::Solved(payoff),
                Status::Turn(_) => self.verdict(0),
            },
            line: self.line(),
            moves,
            effort: Effort { nodes: self.simulations, bytes: self.bytes() },
            counts: self.counts(),
            notes: if several { vec![one_of_several(self.objective, "the first that it proved")] } else { vec![] },
        };
        answer.reconciled(&self.outlook.game, self.objective)
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        let mut counts = vec![("simulations", self.simulations), ("states", self.tree.states())];
        counts.extend(self.tally.counts());
        counts
    }

    /// The child to play: proved to be the best, or else the most visited one (or the one with the best mean) that is
    /// not proved lost.
    fn choose(&self, id: u32) -> Option<Choice> {
        let node = self.tree.node(id);
        let mover = node.mover();
        let settled = node.proof() > 0;
        let tried = self.tree.children(id).reduce(|best, child| {
            let better = match (self.proof(child), self.proof(best)) {
                (Some(a), Some(b)) => self.objective.compare(mover, a, b).is_gt(),
                (a, b) if settled => a.is_some() && b.is_none(),
                (Some(a), _) if self.is_unbeatable(a, mover) => true,
                (_, Some(b)) if self.is_unbeatable(b, mover) => false,
                (Some(_), _) if self.is_lost(child, mover) => false,
                (_, Some(_)) if self.is_lost(best, mover) => true,
                _ => self.liking(child, mover) > self.liking(best, mover),
            };
            if better { child } else { best }
        })?;
        let is_enough = self.proof(tried).is_some_and(|payoff| self.is_unbeatable(payoff, mover));
        let untried_is_better = node.has_untried() && !settled && !is_enough && self.is_lost(tried, mover);
        Some(if untried_is_better { Choice::Untried } else { Choice::Tried(tried) })
    }

    fn liking(&self, id: u32, mover: Player) -> (f32, f32) {
        let node = self.tree.node(id);
        let (visits, mean) = (node.visits() as f32, node.mean().of(mover));
        match (node.visits(), self.decides_by_mean()) {
            (0, _) => (f32::NEG_INFINITY, 0.0),
            (_, true) => (mean, visits),
            (_, false) => (visits, mean),
        }
    }

    fn verdict(&self, id: u32) -> Verdict<G::Payoff> {
        match (self.proof(id), self.tree.node(id).visits()) {
            (Some(payoff), _) => Verdict::Solved(payoff),
            (None, 0) => Verdict::Unknown,
            _ => {
                let scale = if self.objective == Objective::Score { self.outlook.terminal.1.recip() } else { 1.0 };
                Verdict::Estimated(Estimate::from_fn(|p| self.tree.node(id).mean().of(p) * scale))
            }
        }
    }

    /// The line of choices from the root on, as far as states were opened.
    fn line(&self) -> Vec<G::Move> {
        let (mut line, mut at, mut state) = (Vec::new(), 0, self.root);
        while let Some(choice) = self.choose(at) {
            let Choice::Tried(child) = choice else {
                let expand = |moves: &mut Vec<_>| _ = self.outlook.game.expand(&state, moves);
                line.push(self.tree.next_move(at, &mut Vec::new(), expand));
                break;
            };
            let mv = self.tree.node(child).mv();
            line.push(mv);
            self.outlook.game.play(&mut state, mv);
            at = child;
        }
        line
    }
}
