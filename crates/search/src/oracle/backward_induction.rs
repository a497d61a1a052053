//! The value of every reachable state by backward induction (Červeňan 2025, §3.1), and the optimal strategies that
//! follow (§3.2).
//!
//! *The mover takes the best for itself* (minimax for two players, maxⁿ for more). With ties, the first such move
//! decides; among three players and more the value found is therefore *one* equilibrium, unless preferences are strict.
//! [`crate::oracle::equilibria`] finds all of them.
//!
//! Exact; a strong solution. Cost: every reachable state once. It is the oracle against which all clever code is
//! tested.

use std::sync::Arc;

use perfectplay_core::{
    Answer, Budget, FullGame, MoveReport, Objective, Observer, OptionSet, Params, Payoff, Player, Status, Stop, Verdict,
};

use crate::oracle::equilibria::{FIRST_IN_THE_RULES, one_of_several};
use crate::oracle::induction::{Induction, OnValue, Rule};
use crate::{AlgorithmInfo, Reader, Refusal, SaveError, Search, Setup, Threads, Writer};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "backward-induction",
    summary: "the value of every reachable state, from the ends of the game backwards",
    players: "any",
    exact: true,
    threads: Threads::All,
    options: <()>::docs,
};

/// For any number of players; refuses games in which positions repeat.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    INFO.read::<()>(params)?;
    let mut search = BackwardInduction::new(game, root, setup.objective)?;
    search.walk = search.walk.reproducible(setup.reproducible);
    Ok(Box::new(search))
}

/// The mover takes what it likes best, the first among equals.
pub struct BestForMover(Objective);

impl<G: FullGame> Rule<G> for BestForMover {
    type Value = G::Payoff;

    fn finished(&self, payoff: G::Payoff) -> G::Payoff {
        self.0.finished(payoff)
    }

    fn choose(&self, mover: Player, successors: &[G::Payoff]) -> G::Payoff {
        self.0.before(best(self.0, mover, successors))
    }

    fn save(value: &G::Payoff, to: &mut Writer<'_>) -> Result<(), SaveError> {
        Ok(to.put(*value)?)
    }

    fn restore(from: &mut Reader<'_>) -> Result<G::Payoff, SaveError> {
        from.get()
    }
}

/// What the mover likes best, the first among equals.
fn best<P: Payoff>(objective: Objective, mover: Player, successors: &[P]) -> P {
    let better = |a, b| if objective.compare(mover, b, a).is_gt() { b } else { a };
    successors.iter().copied().reduce(better).expect("a state with a mover has successors")
}

/// A strong solver.
pub struct BackwardInduction<G: FullGame> {
    walk: Induction<G, BestForMover>,
    objective: Objective,
}

impl<G: FullGame> BackwardInduction<G> {
    /// Prepares to value `root` and all states below.
    pub fn new(game: Arc<G>, root: G::State, objective: Objective) -> Result<Self, Refusal> {
        let walk = Induction::new(INFO.name, game, root, BestForMover(objective))?;
        Ok(BackwardInduction { walk, objective })
    }

    /// The value of `state` in one call: for tests and small games.
    pub fn solve(game: Arc<G>, state: G::State, objective: Objective) -> Result<G::Payoff, Refusal> {
        let mut search = Self::new(game, state, objective)?;
        search.run(&Budget::unlimited(), &mut ());
        Ok(search.value(&state).expect("no limit was set"))
    }

    /// The value of any state below the root, if it is known already.
    pub fn value(&self, state: &G::State) -> Option<G::Payoff> {
        self.walk.value(state).copied()
    }

    /// How many states have their value.
    pub fn states(&self) -> usize {
        self.walk.states()
    }

    /// All optimal moves at `state` (Červeňan 2025, Lemmish 3.2.1 and 3.2.2): those whose value is the best for the
    /// mover.
    ///
    /// Empty if the game is over there or a successor has no value yet.
    pub fn strategy(&self, state: &G::State) -> Vec<G::Move> {
        let mut moves = Vec::new();
        let Status::Turn(mover) = self.walk.game().expand(state, &mut moves) else { return Vec::new() };
        let after = |&mv: &G::Move| self.value(&self.walk.game().after(state, mv));
        let Some(values) = moves.iter().map(after).collect::<Option<Vec<_>>>() else { return Vec::new() };
        let best = best(self.objective, mover, &values);
        let optimal = |value| self.objective.compare(mover, value, best).is_eq();
        moves.into_iter().zip(values).filter(|&(_, value)| optimal(value)).map(|(mv, _)| mv).collect()
    }

    /// Calls `f` with every state that gets its value from now on: a stream of the strong solution.
    pub fn on_value(&mut self, f: OnValue<G, G::Payoff>) {
        self.walk.on_value(f);
    }

    /// Play that begins with `first` and on which all movers then follow their first optimal move.
    fn line(&self, first: Option<G::Move>) -> Vec<G::Move> {
        let mut state = *self.walk.root();
        let mut line = Vec::new();
        let mut next = first;
        while let Some(mv) = next {
            self.walk.game().play(&mut state, mv);
            line.push(mv);
            next = self.strategy(&state).first().copied();
        }
        line
    }

    /// The best of the moves valued so far.
    fn best_so_far(&self, mover: Player, moves: &[MoveReport<G>]) -> Option<G::Move> {
        let mut best: Option<(G::Payoff, G::Move)> = None;
        for report in moves {
            let Some(value) = report.verdict.solved() else { continue };
            if best.is_none_or(|(b, _)| self.objective.compare(mover, value, b).is_gt()) {
                best = Some((value, report.mv));
            }
        }
        best.map(|(_, mv)| mv)
    }
}

impl<G: FullGame> Search<G> for BackwardInduction<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        self.walk.run(budget, observer)
    }

    fn threads_used(&self, given: usize) -> usize {
        self.walk.threads_used(given)
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        self.walk.save_to(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        self.walk.restore_from(from)
    }

    fn proved(&self, state: &G::State) -> Verdict<G::Payoff> {
        self.value(state).map_or(Verdict::Unknown, Verdict::Solved)
    }

    fn answer(&self) -> Answer<G> {
        let mut legal = Vec::new();
        let status = self.walk.game().expand(self.walk.root(), &mut legal);
        let report = |mv| {
            let value = self.value(&self.walk.game().after(self.walk.root(), mv));
            MoveReport { mv, verdict: value.map_or(Verdict::Unknown, Verdict::Solved), visits: None }
        };
        let moves: Vec<_> = legal.into_iter().map(report).collect();
        let (verdict, line) = match (status, self.value(self.walk.root())) {
            (Status::Over(payoff), _) => (Verdict::Solved(self.objective.finished(payoff)), Vec::new()),
            (_, Some(value)) => (Verdict::Solved(value), self.line(self.strategy(self.walk.root()).first().copied())),
            (Status::Turn(mover), None) => (Verdict::Unknown, self.line(self.best_so_far(mover, &moves))),
        };
        let several = verdict.solved().is_some() && !G::Payoff::ZERO_SUM;
        let answer = Answer {
            mover: status.mover(),
            verdict,
            line,
            moves,
            effort: self.walk.effort(),
            counts: vec![("positions", self.states() as u64), ("finished", self.walk.finished_states())],
            notes: several
                .then(|| one_of_several(self.objective, FIRST_IN_THE_RULES))
                .into_iter()
                .chain(self.walk.note())
                .collect(),
        };
        answer.reconciled(self.walk.game(), self.objective)
    }
}
