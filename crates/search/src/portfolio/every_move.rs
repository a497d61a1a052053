//! The value of every move, not only of the best: a portfolio of its own for the state after each, in slices.
//!
//! Within milliseconds every move has a guess or a bound; then all are refined in turn, the most promising first, until
//! each is proved. Where there are few states, induction over all of them comes first and settles it at once.
//!
//! Proves, with enough time: two players. Memory is divided among the moves.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

use perfectplay_core::{
    Answer, Budget, Effort, Estimate, FullGame, MoveReport, Objective, Observer, OptionSet, Params, Player, Status,
    Stop, Verdict, ZeroSum,
};

use super::SIDE_BY_SIDE;
use super::induction::induction;
use super::two_players::provers;
use super::{Left, Member, Portfolio, Watcher, by_nodes, left_of, total};
use crate::alpha_beta::iterative_deepening;
use crate::support::saved::require_stable_keys;
use crate::{AlgorithmInfo, Reader, Refusal, SaveError, Search, Setup, Threads, Writer};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "every-move",
    summary: "the value of every move, each by the algorithms of auto in turn; the default of analyse",
    players: "2",
    exact: true,
    threads: Threads::Racing(SIDE_BY_SIDE),
    options: <()>::docs,
};

/// For two opposed players; members are made when their slices come.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    INFO.read::<()>(params)?;
    Ok(Box::new(EveryMove::new(game, root, setup)))
}

/// Bytes for all tables if nobody says how many.
const MEMORY: usize = 1 << 30;
/// The first slice of a move, and the part of all that was spent that a later one takes.
const FIRST_SLICE: Duration = Duration::from_millis(4);
const FIRST_NODES: u64 = 2000;
const SLICE: f64 = 1.0 / 40.0;

/// The search.
pub(crate) struct EveryMove<G: FullGame<Payoff = ZeroSum>> {
    game: Arc<G>,
    root: G::State,
    setup: Setup,
    mover: Option<Player>,
    /// Over all states, if they are few.
    whole: Option<Portfolio<G>>,
    branches: Vec<Branch<G>>,
    spent: f64,
    /// Whether it was given anything to spend: guesses at moves are no answer yet.
    begun: bool,
    /// Whose slice was cut short, and by how many nodes.
    turn: Option<(usize, u64)>,
}

/// A move and the search of the state after it.
struct Branch<G: FullGame> {
    mv: G::Move,
    state: G::State,
    search: Option<Portfolio<G>>,
    /// What is known, as of its last slice.
    verdict: Verdict<G::Payoff>,
    guess: f32,
    line: Vec<G::Move>,
    effort: Effort,
    served: f64,
    ended: Option<Stop>,
}

impl<G: FullGame<Payoff = ZeroSum>> EveryMove<G> {
    pub(crate) fn new(game: Arc<G>, root: G::State, setup: &Setup) -> Self {
        let mut moves = Vec::new();
        let mover = game.expand(&root, &mut moves).mover();
        let facts = game.facts();
        let branch = |mv: G::Move| {
            let state = game.after(&root, mv);
            let verdict = match game.status(&state) {
                Status::Over(payoff) => Verdict::Solved(payoff),
                Status::Turn(_) if facts.heuristic => Verdict::Estimated(game.heuristic(&state)),
                Status::Turn(_) => Verdict::Unknown,
            };
            let guess = match verdict {
                Verdict::Estimated(estimate) => estimate,
                Verdict::Solved(value) => setup.objective.value(value, Player::FIRST) as f32,
                _ => 0.0,
            };
            let ended = verdict.solved().map(|_| Stop::Done);
            let (line, effort) = (vec![], Effort { nodes: 1, bytes: 0 });
            Branch { mv, state, search: None, verdict, guess, line, effort, served: 0.0, ended }
        };
        let branches = moves.into_iter().map(branch).collect();
        let whole = induction(&facts).map(|member| Portfolio::new(game.clone(), root, setup, vec![member]));
        let memory = Some(setup.memory.unwrap_or(MEMORY));
        let setup = Setup { memory, ..setup.clone() };
        EveryMove { game, root, setup, mover, whole, branches, spent: 0.0, begun: false, turn: None }
    }

    /// Who comes next: who has had least, and of those the one with the best estimate for the mover.
    fn next(&self) -> Option<usize> {
        let able = (0..self.branches.len()).filter(|&i| self.branches[i].ended.is_none());
        able.min_by(|&a, &b| {
            let (a, b) = (&self.branches[a], &self.branches[b]);
            a.served
                .total_cmp(&b.served)
                .then_with(|| self.estimate_for_mover(b).total_cmp(&self.estimate_for_mover(a)))
        })
    }

    fn estimate_for_mover(&self, branch: &Branch<G>) -> f32 {
        self.mover.map_or(0.0, |mover| branch.guess.of(mover))
    }

    /// The searches of a branch: one that guesses, and those that prove.
    fn portfolio(&self, state: G::State) -> Portfolio<G> {
        let memory = self.setup.memory.map(|bytes| bytes / self.branches.len().max(1));
        let setup = Setup { memory, ..self.setup.clone() };
        let guesses =
            Member { options: "exact=off", ..Member::new(&iterative_deepening::INFO, iterative_deepening::open) };
        let members = std::iter::once(guesses).chain(provers(&self.game.facts(), self.setup.objective)).collect();
        Portfolio::new(self.game.clone(), state, &setup, members)
    }

    /// Whose slice comes next, and how many nodes it takes if nodes count. A slice that the last budget cut short goes
    /// on: budgets by nodes add up to one.
    fn next_slice(&mut self, by_nodes: bool) -> Option<(usize, u64)> {
        let cut = self.turn.take().filter(|turn| by_nodes && self.branches[turn.0].ended.is_none());
        cut.or_else(|| Some((self.next()?, FIRST_NODES.max((self.spent * SLICE) as u64))))
    }

    /// One slice for one move.
    fn serve(
        &mut self,
        (i, nodes): (usize, u64),
        left: &Left,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Option<Stop> {
        if self.branches[i].search.is_none() {
            self.branches[i].search = Some(self.portfolio(self.branches[i].state));
        }
        let by_nodes = by_nodes(budget, &self.setup);
        let time = FIRST_SLICE.max(Duration::from_secs_f64(self.spent * SLICE).min(Duration::from_secs(1)));
        let part = Budget {
            time: if by_nodes { left.time } else { Some(left.time.map_or(time, |left| left.min(time))) },
            nodes: by_nodes.then(|| left.nodes.map_or(nodes, |left| left.min(nodes))),
            memory: budget.memory.map(|bytes| bytes / self.branches.len()),
            ..budget.clone()
        };
        let others = self.branches.iter().enumerate().filter(|&(j, _)| j != i);
        let before = total(others.map(|(_, branch)| branch.effort));
        let mut watcher = Watcher { observer, before, broke: false };
        let branch = &mut self.branches[i];
        let search = branch.search.as_mut().expect("made above");
        let (started, spent) = (Instant::now(), budget.ledger.spent());
        let stop = search.run(&part, &mut watcher);
        let spent = budget.ledger.spent() - spent;
        let cost = if by_nodes { spent as f64 } else { started.elapsed().as_secs_f64() };
        let rest = nodes.saturating_sub(spent);
        self.turn = (by_nodes && rest > 0).then_some((i, rest));
        branch.take(self.setup.objective);
        branch.served += cost;
        self.spent += cost;
        if matches!(stop, Stop::Done | Stop::Memory | Stop::Stalled) {
            (branch.ended, branch.search) = (Some(stop), None); // what it held is free for the others
        }
        watcher.broke.then_some(Stop::Cancelled)
    }

    /// Induction over the whole game, where that is cheap. Tells how it ended; not, if it has had its chance.
    fn by_induction(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Option<Stop> {
        let whole = self.whole.as_mut()?;
        match whole.run(budget, observer) {
            Stop::Done => {
                let answer = whole.answer();
                for (branch, known) in self.branches.iter_mut().zip(&answer.moves) {
                    (branch.verdict, branch.ended) = (known.verdict, Some(Stop::Done));
                }
                Some(Stop::Done)
            }
            Stop::Memory | Stop::Stalled => {
                self.whole = None;
                None
            }
            stop => Some(stop),
        }
    }

    /// What looks best for the mover; of wins the shortest known, of losses the longest.
    fn best(&self) -> Option<&Branch<G>> {
        let length =
            |b: &Branch<G>| if self.estimate_for_mover(b) < 0.0 { b.line.len() as i64 } else { -(b.line.len() as i64) };
        let known = self.branches.iter().filter(|b| b.is_known());
        known.reduce(|a, b| {
            let order = self.estimate_for_mover(b).total_cmp(&self.estimate_for_mover(a)).then_with(|| {
                match (a.verdict, b.verdict) {
                    (Verdict::Solved(_), Verdict::Solved(_)) => length(b).cmp(&length(a)),
                    _ => Ordering::Equal,
                }
            });
            if order.is_gt() { b } else { a }
        })
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Branch<G> {
    /// Whether there is a guess, at least.
    fn is_known(&self) -> bool {
        !matches!(self.verdict, Verdict::Unknown)
    }

    /// What its search says now.
    fn take(&mut self, objective: Objective) {
        let Some(search) = &self.search else { return };
        let answer = search.answer();
        (self.line, self.effort) = (answer.line, answer.effort);
        if let Some(guess) = search.guess() {
            self.guess = guess;
        }
        match answer.verdict {
            Verdict::Solved(value) => self.guess = objective.value(value, Player::FIRST) as f32,
            Verdict::Unknown => return,
            _ => {}
        }
        self.verdict = answer.verdict;
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Search<G> for EveryMove<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        self.begun = true;
        let (started, spent_before) = (Instant::now(), budget.ledger.spent());
        if let Some(stop) = self.by_induction(budget, observer) {
            return stop;
        }
        for branch in self.branches.iter_mut().filter(|b| b.ended == Some(Stop::Memory)) {
            branch.ended = None; // there may be more of it this time
        }
        loop {
            let left = match left_of(budget, started, spent_before) {
                Ok(left) => left,
                Err(stop) => return stop,
            };
            let Some(next) = self.next_slice(by_nodes(budget, &self.setup)) else {
                let unsettled = self.branches.iter().find_map(|b| b.ended.filter(|&stop| stop != Stop::Done));
                return unsettled.unwrap_or(Stop::Done);
            };
            if let Some(stop) = self.serve(next, &left, budget, observer) {
                return stop;
            }
        }
    }

    fn answer(&self) -> Answer<G> {
        let report = |b: &Branch<G>| MoveReport { mv: b.mv, verdict: b.verdict, visits: None };
        let best = self.best();
        let verdict = match (self.game.status(&self.root), best) {
            (Status::Over(payoff), _) => Verdict::Solved(payoff),
            (Status::Turn(_), Some(best)) => Verdict::Estimated(best.guess),
            (Status::Turn(_), None) => Verdict::Unknown,
        };
        let line = best.map_or(vec![], |b| std::iter::once(b.mv).chain(b.line.iter().copied()).collect());
        let proved = self.branches.iter().filter(|b| b.verdict.solved().is_some()).count() as u64;
        let whole = self.whole.as_ref().map(|whole| whole.answer());
        let effort = whole.iter().map(|a| a.effort).chain(self.branches.iter().map(|b| b.effort));
        if !self.begun && matches!(verdict, Verdict::Estimated(_)) {
            let (line, moves, counts, notes) = (vec![], vec![], vec![], vec![]);
            return Answer {
                mover: self.mover,
                verdict: Verdict::Unknown,
                line,
                moves,
                effort: total(effort),
                counts,
                notes,
            };
        }
        let answer = Answer {
            mover: self.mover,
            verdict,
            // Induction has no line before it is done.
            line: whole.as_ref().map(|whole| whole.line.clone()).filter(|line| !line.is_empty()).unwrap_or(line),
            moves: self.branches.iter().map(report).collect(),
            effort: total(effort),
            counts: vec![("moves", self.branches.len() as u64), ("proved", proved)],
            notes: vec![],
        };
        let worse = |b: &Branch<G>| {
            b.is_known() && best.is_some_and(|best| self.estimate_for_mover(b) < self.estimate_for_mover(best))
        };
        let alike = !self.branches.iter().any(worse);
        answer.reconciled(&*self.game, self.setup.objective).without_placeholder(alike)
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        require_stable_keys(&*self.game)?;
        let (branch, nodes) = self.turn.unwrap_or_default();
        to.put([self.spent.to_bits(), branch as u64, nodes])?;
        for branch in &self.branches {
            to.put([branch.served.to_bits(), u64::from(branch.search.is_some())])?;
            if let Some(search) = &branch.search {
                search.save(to)?;
            }
        }
        Ok(())
    }

    /// Moves whose search had ended begin again: their values were not written.
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        self.begun = true;
        let [spent, branch, nodes]: [u64; 3] = from.get()?;
        self.spent = f64::from_bits(spent);
        self.turn = (nodes > 0 && branch < self.branches.len() as u64).then_some((branch as usize, nodes));
        for i in 0..self.branches.len() {
            let [served, begun]: [u64; 2] = from.get()?;
            self.branches[i].served = f64::from_bits(served);
            if begun == 1 {
                let mut search = self.portfolio(self.branches[i].state);
                search.restore(from)?;
                self.branches[i].search = Some(search);
                let objective = self.setup.objective;
                self.branches[i].take(objective);
            }
        }
        Ok(())
    }
}
