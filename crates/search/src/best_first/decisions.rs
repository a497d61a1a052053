//! Which move to play once the search has ended, and what is said about it.
//!
//! - *best*: the greatest (c, v), most visited among equals (Cohen-Solal 2021, Alg. 4, 11).
//! - *safest*: the greatest (c, n, v): what the search came back to most often (Cohen-Solal 2021, Alg. 8, 13. Their
//!   text names the value before n; the algorithms do not, and we follow them).
//! - *best-completed*, *safest-completed* (Cohen-Solal 2021, Remark 10): c' is asked between c and the rest, the
//!   completion value that the state would have if its best line were certain. For two players c' = c, so they are best
//!   and safest.
//!
//! c comes first in all four, so a proved win is always played, and a proved loss never if there is anything else.

use std::cmp::Reverse;

use perfectplay_core::{Answer, Choice, FullGame, MoveReport, Objective, Setting, Status, Verdict};

use crate::best_first::main_loop::BestFirst;
use crate::best_first::policy::Policy;
use crate::best_first::tree::Family;

/// How to choose a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decision {
    /// (c, v, n)
    #[default]
    Best,
    /// (c, n, v)
    Safest,
    /// (c, c', v, n)
    BestCompleted,
    /// (c, c', n, v)
    SafestCompleted,
}

impl Decision {
    pub(crate) const OPTION: Setting<Choice<Decision>> = Setting::choice(
        "decision",
        "which move to play if no win is proved",
        &[
            ("best", "", Decision::Best),
            ("safest", "most visited", Decision::Safest),
            ("best-completed", "", Decision::BestCompleted),
            ("safest-completed", "", Decision::SafestCompleted),
        ],
    );

    /// The number of the chosen child; for each child (c, c', v, n), as numbers that grow with the mover's preference.
    ///
    /// The first among equals.
    pub fn choose(self, children: impl Iterator<Item = (i64, i64, i64, u32)>) -> usize {
        let key = |(c, c1, v, n): (i64, i64, i64, u32)| match self {
            Decision::Best => (c, 0, v, i64::from(n)),
            Decision::Safest => (c, 0, i64::from(n), v),
            Decision::BestCompleted => (c, c1, v, i64::from(n)),
            Decision::SafestCompleted => (c, c1, i64::from(n), v),
        };
        let best = children.enumerate().max_by_key(|&(i, child)| (key(child), Reverse(i)));
        best.expect("an opened state has children").0
    }
}

/// What turns a best-first search into one that answers.
pub trait Judge<G: FullGame>: Policy<G> {
    /// The move to play.
    fn decide(&self, family: &Family<'_, G, Self::Data>) -> usize;
    /// Whether the value of a state with this data is certain: the payoff at the end of its principal line.
    fn proved(&self, data: Self::Data) -> bool;
    /// What is to be settled.
    fn objective(&self) -> Objective;
    /// Sentences a user should read about an answer that is proved or not.
    fn notes(&self, _solved: bool) -> Vec<String> {
        vec![]
    }
}

impl<G: FullGame, P: Judge<G>> BestFirst<G, P> {
    /// What is known about a state.
    pub(crate) fn verdict(&self, id: u32, state: &G::State) -> Verdict<G::Payoff> {
        let data = self.tree().node(id).data();
        let proved = self.tree().node(id).mover().is_none() || self.policy.proved(data);
        let ending = if proved { self.ending(id, *state) } else { None };
        ending.map_or(Verdict::Estimated(self.policy.shown(data)), Verdict::Solved)
    }

    /// How the game ends if all follow the principal line.
    fn ending(&self, id: u32, mut state: G::State) -> Option<G::Payoff> {
        for (at, choice) in self.principal_line(id) {
            let family = self.tree().family(at).expect("the line goes through opened states");
            self.game().play(&mut state, family.mv(choice));
        }
        match self.game().status(&state) {
            Status::Over(payoff) => Some(payoff),
            Status::Turn(_) => None,
        }
    }

    /// What is known about the root and its moves.
    pub(crate) fn told(&self) -> Answer<G> {
        let mut legal = Vec::new();
        let (game, state) = (self.game(), self.root_state());
        let status = game.expand(state, &mut legal);
        let mut line = Vec::new();
        let mut moves: Vec<MoveReport<G>> =
            legal.iter().map(|&mv| MoveReport { mv, verdict: Verdict::Unknown, visits: Some(0) }).collect();
        if let Some(family) = self.tree().family(self.root()) {
            for report in &mut moves {
                // A resolved state may have lost some of its edges when memory was short.
                let Some(i) = (0..family.len()).find(|&i| family.mv(i) == report.mv) else { continue };
                report.verdict = self.verdict(family.id(i), &game.after(state, report.mv));
                report.visits = Some(family.visits(i).into());
            }
            let first = self.policy.decide(&family);
            line.push(family.mv(first));
            line.extend(
                self.principal_line(family.id(first)).map(|(id, choice)| {
                    self.tree().family(id).expect("the line goes through opened states").mv(choice)
                }),
            );
        }
        let stuck = self.drop_progress.has_stalled().then(|| {
            "what was dropped to save memory was found again and again, and nothing more was resolved: it needs more \
             memory"
                .to_owned()
        });
        let watched = (self.watched_with > 1)
            .then(|| format!("one thread of {} was used: lines are told one after the other", self.watched_with));
        let verdict = self.verdict(self.root(), state);
        let answer = Answer {
            mover: status.mover(),
            verdict,
            line,
            moves,
            effort: self.effort(),
            counts: vec![
                ("iterations", self.iterations()),
                ("states", self.tree().len() as u64),
                ("edges", self.tree().edge_count() as u64),
                ("resolved", self.resolved()),
                ("dropped", self.dropped()),
            ],
            notes: self.policy.notes(verdict.solved().is_some()).into_iter().chain(stuck).chain(watched).collect(),
        };
        let alike =
            answer.moves.windows(2).all(|two| (two[0].verdict, two[0].visits) == (two[1].verdict, two[1].visits));
        answer.reconciled(game, self.policy.objective()).without_placeholder(alike)
    }
}
