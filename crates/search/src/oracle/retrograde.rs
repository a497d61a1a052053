//! Retrograde analysis: the value of every reachable state, and how soon it is won, in a game whose positions may
//! repeat.
//!
//! A play without end is a draw. First a walk finds all states that can be reached (`reachable.rs`); then
//! values spread from the finished games backwards (`propagation.rs`), as in the endgame databases of
//! chess (Ströhlein 1970, Thompson 1986). What gets no value is a draw.
//!
//! Exact, a strong solution, for two players with opposed interests: win, draw or loss, with the distance in plies
//! (fastest win, slowest loss). Not for scores. Cost: every state and every move twice. Memory: all of them at once; if
//! the limit is too low it stops and tells how far it came. Games without cycles work as well.

use std::sync::Arc;

use perfectplay_core::{
    Answer, Budget, Effort, FullGame, Meter, MoveReport, Objective, Observer, OptionSet, Params, Progress, Status,
    Stop, Verdict, ZeroSum, one_ply_earlier, plies_of,
};
use rustc_hash::FxHashSet;

use crate::oracle::propagation::Propagation;
use crate::oracle::reachable::{Kind, Reachable};
use crate::support::team::Team;
use crate::{AlgorithmInfo, Reader, Refusal, SaveError, Search, Setup, Threads, Writer};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "retrograde",
    summary: "value and distance of every reachable state from the ends backwards, where positions may repeat, too",
    players: "2",
    exact: true,
    threads: Threads::All,
    options: <()>::docs,
};

/// For two opposed players, also where positions repeat; refuses to settle the score.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    INFO.read::<()>(params)?;
    Ok(Box::new(Retrograde::new(game, root, setup.objective)?))
}

/// A strong solver.
pub struct Retrograde<G: FullGame<Payoff = ZeroSum>> {
    game: Arc<G>,
    root: G::State,
    objective: Objective,
    graph: Reachable<G>,
    values: Propagation,
    out_of_memory: bool,
}

/// Steps between two reports to the observer.
const REPORT_EVERY: u64 = 1 << 13;
/// A line of a draw goes on for so many moves at most.
const LONGEST_DRAWN_LINE: usize = 200;

impl<G: FullGame<Payoff = ZeroSum>> Retrograde<G> {
    /// Prepares to value `root` and everything that can be reached from it.
    pub fn new(game: Arc<G>, root: G::State, objective: Objective) -> Result<Self, Refusal> {
        if objective == Objective::Score {
            return Err(Refusal::Other(format!(
                "{} finds wins and how long they take, not scores; use --for gain or --for length",
                INFO.name
            )));
        }
        let graph = Reachable::new(&*game, root);
        Ok(Retrograde { game, root, objective, graph, values: Propagation::default(), out_of_memory: false })
    }

    /// The value of any state that can be reached, as under [`Objective::Length`], if it is known already.
    pub fn value(&self, state: &G::State) -> Option<ZeroSum> {
        let number = self.graph.number(&self.game, state)?;
        self.values.value(number).map(ZeroSum)
    }

    /// How many states were found.
    pub fn states(&self) -> usize {
        self.graph.len()
    }

    /// The longest of all fastest wins, in plies.
    pub fn longest(&self) -> u32 {
        let last = self.values.decided().last();
        last.and_then(|&state| self.values.value(state)).map_or(0, plies_of)
    }

    /// Explores, links, spreads; then there is nothing more to do.
    fn work(&mut self, team: &Team, meter: &mut Meter) -> Option<Stop> {
        if !self.graph.is_complete() {
            return match team.threads() {
                1 => self.graph.step(&self.game, meter),
                _ => self.graph.steps(&self.game, team, meter),
            };
        }
        self.values.link(&mut self.graph, team, meter).or_else(|| match team.threads() {
            1 => self.values.step(&self.graph.kinds, meter),
            _ => self.values.steps(&self.graph.kinds, team, meter),
        })
    }

    fn progress(&self) -> Progress {
        let decided = self.values.decided();
        let distance = decided.last().and_then(|&state| self.values.value(state)).map(plies_of);
        let share = self.game.facts().states.filter(|_| decided.is_empty()).map(|all| self.states() as f64 / all);
        Progress { nodes: self.states() as u64, bytes: self.bytes(), share, depth: distance }
    }

    fn bytes(&self) -> usize {
        self.graph.bytes() + self.values.bytes()
    }

    /// As the objective has it: plies count for the length alone.
    fn shown(&self, value: ZeroSum) -> ZeroSum {
        if self.objective == Objective::Length { value } else { ZeroSum(value.0.signum()) }
    }

    fn verdict(&self, state: &G::State) -> Verdict<ZeroSum> {
        self.value(state).map_or(Verdict::Unknown, |value| Verdict::Solved(self.shown(value)))
    }

    /// The best move in a state: the first of those that win soonest, draw, or lose latest.
    fn best(&self, state: &G::State) -> Option<G::Move> {
        let mut moves = Vec::new();
        self.game.expand(state, &mut moves).mover()?;
        let value = self.value(state)?;
        let keeps = |mv: &G::Move| {
            self.value(&self.game.after(state, *mv)).is_some_and(|next| one_ply_earlier(next.0) == value.0)
        };
        moves.into_iter().find(keeps)
    }

    /// Best play of both sides, up to the end or, in a draw, up to the first position that returns.
    fn line(&self) -> Vec<G::Move> {
        let (mut state, mut line) = (self.root, Vec::new());
        let mut met = FxHashSet::default();
        let won = self.value(&state).is_some_and(|value| value.0 != 0);
        while let Some(mv) = self.best(&state) {
            if !met.insert(self.game.key(&state)) || !won && line.len() >= LONGEST_DRAWN_LINE {
                break;
            }
            line.push(mv);
            self.game.play(&mut state, mv);
        }
        line
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(ZeroSum(value)) = self.value(&self.root) {
            if value != 0 && self.objective == Objective::Gain {
                let winner = if value > 0 { 1 } else { 2 };
                notes.push(format!("player {winner} wins in {} plies, and no faster", plies_of(value)));
            }
            if !self.game.facts().acyclic {
                notes.push("a game without end counts as a draw".into());
            }
        } else if self.out_of_memory {
            notes.push(format!(
                "the memory is used up: all positions that can be reached must fit at once, and {} were found so far",
                self.states()
            ));
        }
        notes
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Search<G> for Retrograde<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let mut meter = budget.start();
        let team = Team::new(budget.threads);
        self.out_of_memory = false;
        let mut steps = 0u64;
        while !self.values.is_done() {
            if let Some(stop) = self.work(&team, &mut meter) {
                self.out_of_memory = stop == Stop::Memory;
                return stop;
            }
            steps += if team.threads() > 1 { REPORT_EVERY / 4 } else { 1 }; // many states at a time
            if steps.is_multiple_of(REPORT_EVERY) && observer.progress(&self.progress()).is_break() {
                return Stop::Cancelled;
            }
        }
        Stop::Done
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        self.graph.save_to(&self.game, to)?;
        self.values.save_to(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        self.graph.restore_from(&self.game, from)?;
        self.values.restore_from(self.graph.len(), from)
    }

    fn proved(&self, state: &G::State) -> Verdict<ZeroSum> {
        self.verdict(state)
    }

    fn strong_values(&self, each: &mut dyn FnMut(&G::Key, i32)) -> bool {
        if self.values.is_done() {
            self.graph.numbers().for_each(|(key, number)| each(key, self.values.value(number).unwrap_or(0)));
        }
        self.values.is_done()
    }

    fn answer(&self) -> Answer<G> {
        let mut legal = Vec::new();
        let status = self.game.expand(&self.root, &mut legal);
        let verdict = match status {
            Status::Over(payoff) => Verdict::Solved(self.objective.finished(payoff)),
            Status::Turn(_) => self.verdict(&self.root),
        };
        let report = |&mv| MoveReport { mv, verdict: self.verdict(&self.game.after(&self.root, mv)), visits: None };
        let over = |kind: &&Kind| !matches!(kind, Kind::FirstMoves | Kind::SecondMoves);
        let mut counts = vec![
            ("positions", self.states() as u64),
            ("finished", self.graph.kinds.iter().filter(over).count() as u64),
        ];
        if self.values.is_done() {
            let decided = self.values.decided().len();
            counts.extend([("drawn", (self.states() - decided) as u64), ("longest win", self.longest().into())]);
        }
        let answer = Answer {
            mover: status.mover(),
            verdict,
            line: self.line(),
            moves: legal.iter().map(report).collect(),
            effort: Effort { nodes: self.states() as u64, bytes: self.bytes() },
            counts,
            notes: self.notes(),
        };
        answer.reconciled(&self.game, self.objective)
    }
}
