//! Depth 1, then 2, then 3 …: what the depth-first searches for many players share. Each of them is an [`Iteration`] on
//! a page of its own.
//!
//! The answer is that of the last iteration that was finished. The recursion sleeps on a thread of its own when a
//! budget is used up (see [`crate::support::pausable_threads`]), so cutting a budget into slices changes nothing.
//! Several threads share out the moves at the root ([`crate::n_player::root_split`]).

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};

use perfectplay_core::{
    Answer, Budget, Effort, FullGame, Game, MoveReport, Objective, Observer, Payoff, Player, Progress, Setting, Status,
    Stop, TextError, Verdict, options,
};

use crate::support::common_options::{TABLE, TABLE_MIB, depth};
use crate::support::pausable_threads::{Interrupted, PausableThreads, PauseHandle};
use crate::{Refusal, Search};

/// Why two runs with several threads may differ.
pub(crate) const AS_THEY_ARE_FREE: &str =
    "threads take the moves at the root as they are free, and find different bounds";

/// The deepest iteration.
const DEEPEST: u32 = 1000;

options! {
    /// How deep to look.
    pub(crate) struct DepthOptions {
        depth: Option<u32> = depth(DEEPEST as u64),
        deepen: bool = Setting::switch("deepen", "on: depth 1, then 2, then 3 …; off: the given depth at once", true),
    }
}

impl DepthOptions {
    /// The depths to look to.
    pub(crate) fn depths(&self) -> Result<RangeInclusive<u32>, Refusal> {
        match (self.deepen, self.depth) {
            (true, depth) => Ok(1..=depth.unwrap_or(DEEPEST)),
            (false, Some(depth)) => Ok(depth..=depth),
            (false, None) => Err(TextError::new("deepen=off needs a depth").into()),
        }
    }
}

options! {
    /// What to remember.
    pub(crate) struct TableOptions {
        table: bool = TABLE,
        table_mib: usize = TABLE_MIB,
    }
}

impl TableOptions {
    /// Bytes for the table.
    pub(crate) fn bytes(&self, memory: Option<usize>) -> usize {
        if self.table { (self.table_mib << 20).min(memory.map_or(usize::MAX, |m| m / 2)) } else { 0 }
    }
}

/// What an iteration found.
pub(crate) struct Look<P: Payoff, M> {
    pub(crate) verdict: Verdict<P>,
    /// Whether no deeper iteration can find anything else.
    pub(crate) settled: bool,
    pub(crate) line: Vec<M>,
    /// Every move at the root, in the order of the rules.
    pub(crate) moves: Vec<Verdict<P>>,
    pub(crate) counts: Vec<(&'static str, u64)>,
    pub(crate) bytes: usize,
    /// A sentence about this answer.
    pub(crate) note: Option<String>,
}

pub(crate) type LookOf<G> = Look<<G as Game>::Payoff, <G as Game>::Move>;

/// A search to a given depth.
pub(crate) trait Iteration<G: FullGame>: Send + 'static {
    /// Looks `depth` plies ahead from the unfinished state `root`.
    /// May be called again after it was interrupted.
    fn look(&mut self, root: &G::State, depth: u32, pause: &mut PauseHandle) -> Result<LookOf<G>, Interrupted>;

    /// Before the first look: the searches of so many threads, this one's table divided among them.
    fn divide(self: Box<Self>, threads: usize) -> Vec<Box<dyn Iteration<G>>>;
}

/// Iterative deepening as a search.
pub(crate) struct Deepening<G: FullGame> {
    shared: Arc<Shared<G>>,
    /// Until the threads take it.
    iteration: Option<Box<dyn Iteration<G>>>,
    threads: Option<PausableThreads>,
    /// As many as there were in the first call: the table was divided among them.
    most_threads: usize,
    notes: Vec<String>,
}

struct Shared<G: FullGame> {
    game: Arc<G>,
    objective: Objective,
    status: Status<G::Payoff>,
    root: G::State,
    legal: Vec<G::Move>,
    depths: RangeInclusive<u32>,
    /// The deepest finished iteration and its depth.
    found: Mutex<Option<(u32, LookOf<G>)>>,
}

impl<G: FullGame> Deepening<G> {
    pub(crate) fn new(
        game: &Arc<G>,
        root: G::State,
        objective: Objective,
        depths: RangeInclusive<u32>,
        iteration: Box<dyn Iteration<G>>,
        notes: Vec<String>,
    ) -> Self {
        let mut legal = Vec::new();
        let status = game.expand(&root, &mut legal);
        let shared =
            Arc::new(Shared { game: game.clone(), objective, status, root, legal, depths, found: Mutex::new(None) });
        Deepening { shared, iteration: Some(iteration), threads: None, most_threads: 1, notes }
    }
}

impl<G: FullGame> Shared<G> {
    /// Depth by depth, which are the tasks of the threads: whoever is first ends a depth for all.
    fn work(&self, iteration: &mut dyn Iteration<G>, pause: &mut PauseHandle) -> Result<(), Interrupted> {
        loop {
            let depth = self.depths.start() + pause.begin_task()? as u32;
            if self.legal.is_empty() || depth > *self.depths.end() {
                return Ok(());
            }
            let Ok(look) = iteration.look(&self.root, depth, pause) else { continue };
            let mut found = self.found.lock().expect("no holder panics");
            if found.as_ref().is_none_or(|&(deepest, _)| deepest < depth) {
                let settled = look.settled;
                *found = Some((depth, look));
                if settled {
                    return Ok(());
                }
            }
            pause.next_task();
        }
    }
}

impl<G: FullGame> Search<G> for Deepening<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        if let Some(iteration) = self.iteration.take() {
            let shared = self.shared.clone();
            self.most_threads = budget.threads.max(1);
            let iterations = Mutex::new(iteration.divide(self.most_threads));
            self.threads = Some(PausableThreads::new(Some(*shared.depths.end()), move |pause| {
                let mut iteration = iterations.lock().expect("no holder panics").pop().expect("one for each thread");
                if shared.work(&mut *iteration, pause).is_ok() {
                    pause.finish();
                }
            }));
        }
        let shared = &self.shared;
        let progress = |nodes| {
            let found = shared.found.lock().expect("no holder panics");
            let (depth, bytes) = found.as_ref().map_or((0, 0), |(depth, look)| (*depth, look.bytes));
            Progress { nodes, bytes, share: None, depth: Some(depth + 1) }
        };
        let budget = Budget { threads: budget.threads.min(self.most_threads), ..budget.clone() };
        self.threads.as_mut().expect("made above").run(&budget, observer, progress)
    }

    fn answer(&self) -> Answer<G> {
        let found = self.shared.found.lock().expect("no holder panics");
        let look = found.as_ref().map(|(_, look)| look);
        let unknown =
            if let Status::Over(payoff) = self.shared.status { Verdict::Solved(payoff) } else { Verdict::Unknown };
        let report = |(i, &mv): (usize, &G::Move)| {
            let verdict = look.map_or(Verdict::Unknown, |l| l.moves[i]);
            MoveReport { mv, verdict, visits: None }
        };
        let mut counts = vec![("depth", found.as_ref().map_or(0, |(depth, _)| u64::from(*depth)))];
        counts.extend(look.iter().flat_map(|l| l.counts.iter().copied()));
        let answer = Answer {
            mover: self.shared.status.mover(),
            verdict: look.map_or(unknown, |l| l.verdict),
            line: look.map_or(vec![], |l| l.line.clone()),
            moves: self.shared.legal.iter().enumerate().map(report).collect(),
            effort: Effort {
                nodes: self.threads.as_ref().map_or(0, PausableThreads::nodes),
                bytes: look.map_or(0, |l| l.bytes),
            },
            counts,
            notes: self.notes.iter().cloned().chain(look.and_then(|l| l.note.clone())).collect(),
        };
        answer.reconciled(&self.shared.game, self.shared.objective)
    }
}

/// The player to move at the root; any if the game is over.
pub(crate) fn root_player<G: FullGame>(game: &G, root: &G::State) -> Player {
    game.status(root).mover().unwrap_or(Player::FIRST)
}
