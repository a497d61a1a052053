//! Several algorithms on one question, because none is best at all: proof numbers find forced wins in wide games,
//! alpha-beta solves games whose value lies in the last moves, induction is unbeaten where there are few states.
//!
//! Each member gets slices in turn, short ones at first; whoever has had least for its share comes next. So a question
//! that takes the best of n equal members time t is answered in little more than n·t. Bounds that one member proves are
//! handed to the others ([`Search::narrow`]) and put together: one may prove that the first player does not lose,
//! another that it does not win.
//!
//! - Slices are measured in time, or in nodes where the budget is in nodes or the caller asks for a run that can be
//!   repeated.
//! - A member is made when its first slice comes, and its table with it. Memory is divided by shares.
//! - With several threads, members search side by side.
//!
//! Proves what its members prove. The answer says who did.

pub mod any_players;
pub mod every_move;
mod induction;
mod side_by_side;
pub mod two_players;

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use perfectplay_core::{
    Answer, Budget, Effort, FullGame, Meter, Observer, OptionSet, Params, Payoff, Player, Progress, Status, Stop,
    Verdict,
};

use crate::support::order::{ascending, key_of};
use crate::support::saved::require_stable_keys;
use crate::{AlgorithmInfo, Reader, Refusal, SaveError, Search, Setup, Threads, Writer};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "auto",
    summary: "several algorithms share time and memory, and bounds that one of them proves; the default of solve",
    players: "any",
    exact: true,
    threads: Threads::Racing(SIDE_BY_SIDE),
    options: <()>::docs,
};

/// Why two runs may differ.
const SIDE_BY_SIDE: &str = "its algorithms run side by side, and the clock says how far each of them comes";

/// Makes a member's search.
type Open<G> = fn(Arc<G>, <G as perfectplay_core::Game>::State, &Setup, Params) -> Result<Box<dyn Search<G>>, Refusal>;

/// An algorithm that takes part.
pub(crate) struct Member<G: FullGame> {
    info: &'static AlgorithmInfo,
    open: Open<G>,
    /// As after the colon in `--with NAME:…`.
    options: &'static str,
    /// It comes before the others, until it has had so much; after that it is out.
    head_start: Option<Spent>,
    search: Option<Box<dyn Search<G>>>,
    /// What it says and what it costs, as of its last slice: asking is not free.
    verdict: Verdict<G::Payoff>,
    effort: Effort,
    spent: Spent,
    /// Why it will not go on in this run.
    ended: Option<Stop>,
}

/// What a member has had.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Spent {
    seconds: f64,
    nodes: u64,
}

impl Spent {
    fn measured(self, by_nodes: bool) -> f64 {
        if by_nodes { self.nodes as f64 } else { self.seconds }
    }
}

impl<G: FullGame> Member<G> {
    fn new(info: &'static AlgorithmInfo, open: Open<G>) -> Self {
        Member {
            info,
            open,
            options: "",
            head_start: None,
            search: None,
            verdict: Verdict::Unknown,
            effort: Effort::default(),
            spent: Spent::default(),
            ended: None,
        }
    }

    fn may_go_on(&self, by_nodes: bool) -> bool {
        let had_its_chance = |most: Spent| {
            let enough = self.spent.measured(by_nodes) >= most.measured(by_nodes);
            enough && self.spent.nodes >= LEAST_CHANCE
        };
        self.ended.is_none() && !self.head_start.is_some_and(had_its_chance)
    }

    /// The less, the sooner it comes. Who has the value goes on alone: it is only looking for its line.
    fn rank(&self, by_nodes: bool) -> f64 {
        if self.has_value() || self.head_start.is_some() { -1.0 } else { self.spent.measured(by_nodes) }
    }

    fn has_value(&self) -> bool {
        self.verdict.solved().is_some()
    }

    /// Asks its search what it knows now.
    fn look(&mut self) {
        let answer = self.search.as_ref().map(|search| search.answer());
        (self.verdict, self.effort) =
            answer.map_or((Verdict::Unknown, Effort::default()), |answer| (answer.verdict, answer.effort));
    }
}

/// The search that lets them work.
pub struct Portfolio<G: FullGame> {
    game: Arc<G>,
    root: G::State,
    setup: Setup,
    members: Vec<Member<G>>,
    /// Who has proved the value, alone.
    solver: Option<usize>,
    /// Whose slice was cut short, and by how many nodes.
    turn: Option<(usize, u64)>,
}

/// Nodes that a head start has at least, however long they take: on a busy machine small games end in the same way.
const LEAST_CHANCE: u64 = 8_000;
/// The first slices, and the part of all that was spent that a later one takes.
const FIRST_SLICE: Spent = Spent { seconds: 0.002, nodes: 1000 };
const SLICE: f64 = 1.0 / 40.0;
/// Up to this length a slice may take a larger part: whoever is interrupted finds its caches full of what others left
/// there.
const SHORT: f64 = 0.02;
const SHORT_SLICE: f64 = 1.0 / 8.0;
/// No slice is longer than this.
const LONGEST: f64 = 1.0;

impl<G: FullGame> Portfolio<G> {
    /// Prepares the search; the first member begins.
    pub(crate) fn new(game: Arc<G>, root: G::State, setup: &Setup, members: Vec<Member<G>>) -> Self {
        Portfolio { game, root, setup: setup.clone(), members, solver: None, turn: None }
    }

    /// Makes the search of member `i`, if it is not there.
    fn prepare(&mut self, i: usize) -> Result<(), Refusal> {
        if self.members[i].search.is_none() {
            let setup = Setup { memory: self.part_of(self.setup.memory), ..self.setup.clone() };
            self.members[i].info.settles(self.setup.objective)?;
            let options = Params::parse(self.members[i].options)?;
            let mut search = (self.members[i].open)(self.game.clone(), self.root, &setup, options)?;
            if let Some((lower, upper)) = self.bounds() {
                search.narrow(lower, upper);
            }
            self.members[i].search = Some(search);
        }
        Ok(())
    }

    /// The same; one that refuses the game is out, and `false` says so.
    fn prepare_or_end(&mut self, i: usize) -> bool {
        let ready = self.prepare(i).is_ok();
        if !ready {
            self.members[i].ended = Some(Stop::Stalled);
        }
        ready
    }

    /// One member's part of the memory.
    fn part_of(&self, memory: Option<usize>) -> Option<usize> {
        memory.map(|bytes| bytes / self.members.len())
    }

    /// Those that can go on, who has had least first.
    fn in_order(&self, by_nodes: bool) -> Vec<usize> {
        let keys: Vec<i64> = self.members.iter().map(|member| key_of(member.rank(by_nodes))).collect();
        ascending(&keys).into_iter().filter(|&i| self.members[i].may_go_on(by_nodes)).collect()
    }

    /// The next slice, by what all have spent.
    fn slice(&self) -> Spent {
        let nodes: u64 = self.members.iter().map(|m| m.spent.nodes).sum();
        let seconds: f64 = self.members.iter().map(|m| m.spent.seconds).sum();
        Spent {
            seconds: (seconds * SHORT_SLICE).min(SHORT).max(seconds * SLICE).clamp(FIRST_SLICE.seconds, LONGEST),
            nodes: FIRST_SLICE.nodes.max((nodes as f64 * SLICE) as u64),
        }
    }

    /// One member after the other, until the question is answered, nobody can go on, or the budget is used up.
    fn in_turns(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let (started, by_nodes) = (Instant::now(), by_nodes(budget, &self.setup));
        let spent_before = budget.ledger.spent();
        loop {
            let left = match left_of(budget, started, spent_before) {
                Ok(left) => left,
                Err(stop) => return stop,
            };
            // A slice that the last budget cut short goes on: budgets by nodes add up to one.
            let turn = self.turn.take().filter(|turn| by_nodes && self.members[turn.0].may_go_on(by_nodes));
            let slice = self.slice();
            let Some((next, nodes)) = turn.or_else(|| Some((*self.in_order(by_nodes).first()?, slice.nodes))) else {
                return self.nobody_left();
            };
            if !self.prepare_or_end(next) {
                continue;
            }
            let time = (!by_nodes).then_some(Duration::from_secs_f64(slice.seconds));
            let part = Budget {
                time: [time, left.time].into_iter().flatten().min(),
                nodes: by_nodes.then(|| left.nodes.map_or(nodes, |left| left.min(nodes))),
                memory: self.part_of(budget.memory),
                threads: 1,
                ..budget.clone()
            };
            let mut watcher = Watcher { observer: &mut *observer, before: self.effort_beside(next), broke: false };
            let had = self.members[next].spent.nodes;
            let stop = self.members[next].run(&part, &mut watcher);
            let broke = watcher.broke;
            let rest = nodes.saturating_sub(self.members[next].spent.nodes - had);
            self.turn = (by_nodes && rest > 0).then_some((next, rest));
            if self.settled(next, stop) {
                return Stop::Done;
            }
            if broke {
                return Stop::Cancelled;
            }
        }
    }

    /// Takes note of how member `i` ended its slice, and tells the others what it proved. Whether that answers it all.
    fn settled(&mut self, i: usize, stop: Stop) -> bool {
        if matches!(stop, Stop::Done | Stop::Memory | Stop::Stalled) {
            self.members[i].ended = Some(stop);
        }
        match self.members[i].verdict {
            Verdict::Solved(_) if stop == Stop::Done => {
                self.solver = Some(i);
                return true;
            }
            // The value is there, and the member is still looking for its line.
            Verdict::Solved(_) => return false,
            Verdict::Bounds { .. } => {}
            _ => return false,
        }
        let Some((lower, upper)) = self.bounds() else { return false };
        for member in &mut self.members {
            if let Some(search) = &mut member.search {
                search.narrow(lower, upper);
            }
        }
        self.closed()
    }

    /// Whether members have proved the value together.
    fn closed(&self) -> bool {
        let same = |(lower, upper)| self.setup.objective.compare(Player::FIRST, lower, upper).is_eq();
        self.members.iter().all(|m| !m.has_value()) && self.bounds().is_some_and(same)
    }

    /// What all members together have proved: the greatest lower and the least upper bound. With two players only.
    fn bounds(&self) -> Option<(G::Payoff, G::Payoff)> {
        if !G::Payoff::ZERO_SUM {
            return None;
        }
        let objective = self.setup.objective;
        let ends = |member: &Member<G>| match member.verdict {
            Verdict::Bounds { lower, upper, .. } => Some((lower, upper)),
            Verdict::Solved(value) => Some((value, value)),
            _ => None,
        };
        let tighter = |a: (G::Payoff, G::Payoff), b: (G::Payoff, G::Payoff)| {
            let lower = if objective.compare(Player::FIRST, b.0, a.0).is_gt() { b.0 } else { a.0 };
            let upper = if objective.compare(Player::FIRST, b.1, a.1).is_lt() { b.1 } else { a.1 };
            (lower, upper)
        };
        self.members.iter().filter_map(ends).reduce(tighter)
    }

    /// What somebody thinks it is worth.
    fn guess(&self) -> Option<<G::Payoff as Payoff>::Estimate> {
        self.members.iter().find_map(|member| match member.verdict {
            Verdict::Estimated(estimate) => Some(estimate),
            _ => None,
        })
    }

    /// Why nobody can go on.
    fn nobody_left(&self) -> Stop {
        let ended = |stop: Stop| self.members.iter().any(|m| m.ended == Some(stop));
        [Stop::Memory, Stop::Stalled].into_iter().find(|&stop| ended(stop)).unwrap_or(Stop::Stalled)
    }

    /// What all members but `i` have spent.
    fn effort_beside(&self, i: usize) -> Effort {
        let others = self.members.iter().enumerate().filter(|&(j, _)| j != i);
        total(others.map(|(_, member)| member.effort))
    }

    /// Whose answer is the answer: who has solved it; who proved what the mover can be sure of; who has a guess.
    fn spokesman(&self, mover: Player) -> Option<usize> {
        let sure = |i: usize| match self.members[i].verdict {
            Verdict::Bounds { lower, upper, .. } => Some((i, if mover == Player::FIRST { lower } else { upper })),
            _ => None,
        };
        let better = |a: (usize, G::Payoff), b: (usize, G::Payoff)| {
            if self.setup.objective.compare(mover, b.1, a.1).is_gt() { b } else { a }
        };
        let all = || 0..self.members.len();
        self.solver
            .or_else(|| all().find(|&i| self.members[i].has_value()))
            .or_else(|| all().filter_map(sure).reduce(better).map(|(i, _)| i))
            .or_else(|| all().find(|&i| matches!(self.members[i].verdict, Verdict::Estimated(_))))
            .or_else(|| all().find(|&i| self.members[i].search.is_some()))
    }
}

/// Whether slices are measured in nodes: then the same run can be repeated.
fn by_nodes(budget: &Budget, setup: &Setup) -> bool {
    budget.nodes.is_some() || setup.reproducible
}

/// What is left of limits.
struct Left {
    time: Option<Duration>,
    nodes: Option<u64>,
}

/// What is left of `budget` since `started`, when `spent_before` nodes had been spent; or that nothing is.
fn left_of(budget: &Budget, started: Instant, spent_before: u64) -> Result<Left, Stop> {
    let nodes = budget.nodes.map(|n| n.saturating_sub(budget.ledger.spent() - spent_before));
    let time = budget.time.map(|t| t.saturating_sub(started.elapsed()));
    if budget.stop.is_pulled() {
        Err(Stop::Cancelled)
    } else if nodes == Some(0) {
        Err(Stop::Nodes)
    } else if time == Some(Duration::ZERO) {
        Err(Stop::Time)
    } else {
        Ok(Left { time, nodes })
    }
}

fn total(efforts: impl Iterator<Item = Effort>) -> Effort {
    efforts.fold(Effort::default(), |sum, e| Effort { nodes: sum.nodes + e.nodes, bytes: sum.bytes + e.bytes })
}

impl<G: FullGame> Member<G> {
    /// One slice.
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let (started, before) = (Instant::now(), budget.ledger.spent());
        let stop = self.search.as_mut().map_or(Stop::Stalled, |search| search.run(budget, observer));
        self.spent.seconds += started.elapsed().as_secs_f64();
        let nodes = budget.ledger.spent() - before;
        // One that ends its slice without a node must not come again at once; one that was interrupted may.
        let interrupted = matches!(stop, Stop::Time | Stop::Cancelled);
        self.spent.nodes += if interrupted { nodes } else { nodes.max(1) };
        self.look();
        stop
    }
}

/// Tells of one member's progress as part of all.
struct Watcher<'a> {
    observer: &'a mut dyn Observer,
    before: Effort,
    broke: bool,
}

impl Observer for Watcher<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let (nodes, bytes) = (self.before.nodes + progress.nodes, self.before.bytes + progress.bytes);
        let told = self.observer.progress(&Progress { nodes, bytes, share: None, ..*progress });
        self.broke = told.is_break();
        told
    }
}

impl<G: FullGame> Search<G> for Portfolio<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        if self.solver.is_some() || self.closed() {
            return Stop::Done;
        }
        for member in self.members.iter_mut().filter(|m| m.ended == Some(Stop::Memory)) {
            member.ended = None; // there may be more of it this time
        }
        if budget.threads > 1 { self.side_by_side(budget, observer) } else { self.in_turns(budget, observer) }
    }

    fn answer(&self) -> Answer<G> {
        let status = self.game.status(&self.root);
        let spokesman = self.spokesman(status.mover().unwrap_or(Player::FIRST));
        let Some(search) = spokesman.and_then(|i| self.members[i].search.as_ref()) else {
            let verdict = match status {
                Status::Over(payoff) => Verdict::Solved(payoff),
                Status::Turn(_) => Verdict::Unknown,
            };
            let (line, moves, counts, notes) = (vec![], vec![], vec![], vec![]);
            return Answer { mover: status.mover(), verdict, line, moves, effort: Effort::default(), counts, notes };
        };
        let begun = || self.members.iter().filter(|member| member.search.is_some());
        let effort = total(begun().map(|member| member.effort));
        let shares: Vec<_> = begun().map(|member| (member.info.name, member.effort.nodes)).collect();
        let mut answer = search.answer();
        if let (None, Some((lower, upper))) = (answer.verdict.solved(), self.bounds()) {
            answer.verdict = Verdict::bounds(self.setup.objective, lower, upper);
        }
        answer.effort = effort;
        if shares.len() > 1 {
            answer.counts.extend(shares);
        }
        answer.reconciled(&self.game, self.setup.objective)
    }

    fn prover(&self) -> Option<&'static str> {
        self.solver.map(|i| self.members[i].info.name)
    }

    fn advance(&mut self, mv: G::Move) -> bool {
        self.game.play(&mut self.root, mv);
        (self.solver, self.turn) = (None, None);
        for member in &mut self.members {
            if !member.search.as_mut().is_some_and(|search| search.advance(mv)) {
                (member.search, member.spent) = (None, Spent::default());
            }
            member.look();
            member.ended = None;
        }
        true
    }

    /// Members that cannot be saved begin again.
    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        require_stable_keys(&*self.game)?;
        let (member, nodes) = self.turn.unwrap_or_default();
        to.put([member as u64, nodes])?;
        for member in &self.members {
            let search = member.search.as_ref();
            let search = search.filter(|search| search.save(&mut Writer::new(&mut io::sink())).is_ok());
            to.put([member.spent.seconds.to_bits(), member.spent.nodes, u64::from(search.is_some())])?;
            if let Some(search) = search {
                search.save(to)?;
            }
        }
        Ok(())
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        let [member, nodes]: [u64; 2] = from.get()?;
        self.turn = (nodes > 0 && member < self.members.len() as u64).then_some((member as usize, nodes));
        for i in 0..self.members.len() {
            let [seconds, nodes, saved]: [u64; 3] = from.get()?;
            // Also of those that begin again: the others must not wait until they have caught up.
            self.members[i].spent = Spent { seconds: f64::from_bits(seconds), nodes };
            if saved == 1 {
                self.prepare(i).map_err(|_| SaveError::Damaged("a member that refuses the game"))?;
                self.members[i].search.as_mut().expect("made just now").restore(from)?;
                self.members[i].look();
            }
        }
        Ok(())
    }

    fn proved(&self, state: &G::State) -> Verdict<G::Payoff> {
        let known = self.members.iter().filter_map(|m| m.search.as_ref()).map(|search| search.proved(state));
        known.reduce(|a, b| if a.solved().is_some() { a } else { b }).unwrap_or(Verdict::Unknown)
    }

    fn exceeds(&mut self, state: &G::State, alpha: i32, meter: &mut Meter) -> Option<Result<bool, Stop>> {
        let searches = self.members.iter_mut().filter_map(|m| m.search.as_mut());
        searches.filter_map(|search| search.exceeds(state, alpha, meter)).next()
    }
}
