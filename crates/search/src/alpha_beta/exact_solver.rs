//! Solving by alpha-beta: the exact score, or win, draw or loss, by a few null-window proofs (Červeňan 2025, B.1, B.4
//! taken to the end).
//!
//! [`Solver`] answers one question after the other on the caller's thread; [`Solve`] is the same as a [`Search`]: with
//! budgets, threads, the best line, and if asked for the value of every move.
//!
//! Proves. Needs a game in which no position repeats. Nothing unsound is used: no null move, no k-best, no hash that
//! could confuse two states.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use perfectplay_core::{
    Answer, Budget, Effort, FullGame, Meter, MoveReport, Objective, Observer, Payoff, Player, Progress, Status, Stop,
    Verdict, ZeroSum,
};

use crate::alpha_beta::bounds_table::BoundsTable;
use crate::alpha_beta::iterative_deepening;
use crate::alpha_beta::null_window::{Count, InProgress, Options, Prover, Stacks, Window};
use crate::alpha_beta::transposition_table::table_bytes;
use crate::support::memory::{granted, note_of_less};
use crate::support::order::ascending;
use crate::support::pausable_threads::{Interrupted, PausableThreads, PauseHandle};
use crate::{Refusal, Search};

/// The range in which every score of `game` lies.
fn range<G: FullGame>(game: &G) -> (i32, i32) {
    game.facts().scores[0]
}

/// Solves positions of one game, with one table, on one thread.
///
/// ```
/// use std::sync::Arc;
/// use perfectplay_core::{Game, Objective};
/// use perfectplay_games::connect_four::ConnectFour;
/// use perfectplay_search::alpha_beta::exact_solver::Solver;
///
/// let game = Arc::new(ConnectFour::<u64>::new(5, 4));
/// let mut solver = Solver::new(game.clone(), 1 << 20)?;
/// assert_eq!(solver.solve(&game.start(), Objective::Score), 0);
/// # Ok::<(), perfectplay_search::Refusal>(())
/// ```
pub struct Solver<G: FullGame<Payoff = ZeroSum>> {
    game: Arc<G>,
    table: BoundsTable<G>,
    stacks: Stacks<G>,
    range: (i32, i32),
    nodes: u64,
}

impl<G: FullGame<Payoff = ZeroSum>> Solver<G> {
    /// A solver with a table of `bytes`.
    pub fn new(game: Arc<G>, bytes: usize) -> Result<Self, Refusal> {
        refuse_cycles(&*game)?;
        let range = range(&*game);
        let table = BoundsTable::new(&*game, granted(bytes), range.0, range.1);
        Ok(Solver { game, table, stacks: Stacks::default(), range, nodes: 0 })
    }

    /// The first player's score under best play (for [`Objective::Gain`]: one with the same sign).
    pub fn solve(&mut self, state: &G::State, objective: Objective) -> i32 {
        let mut nodes = self.nodes;
        let value = self.settle(state, objective, &mut nodes).expect("a mere count interrupts nothing");
        self.nodes = nodes;
        value
    }

    fn settle(&mut self, state: &G::State, objective: Objective, count: &mut impl Count) -> Result<i32, Interrupted> {
        if let Status::Over(payoff) = self.game.status(state) {
            return Ok(payoff.score(Player::FIRST));
        }
        let options = Options { table: true, etc: true };
        let mut prover = Prover::new(&*self.game, &self.table, None, options, &mut self.stacks);
        let mut window = start(&*self.game, state, self.range, objective);
        loop {
            if let Some(value) = window.settled() {
                return Ok(value);
            }
            let alpha = window.question();
            let value = prover.test(state, alpha, count)?;
            window.answer(alpha, value);
        }
    }

    /// Whether the first player's score in `state` is more than `alpha`.
    pub fn exceeds(&mut self, state: &G::State, alpha: i32, meter: &mut Meter) -> Result<bool, Stop> {
        let options = Options { table: true, etc: true };
        let prover = Prover::new(&*self.game, &self.table, None, options, &mut self.stacks);
        exceeds(&*self.game, prover, state, alpha, meter)
    }

    /// States looked at since the solver was made.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Forgets what the table holds, to measure positions from a cold start.
    pub fn forget(&mut self) {
        self.table.forget();
    }
}

fn exceeds<G: FullGame<Payoff = ZeroSum>>(
    game: &G,
    mut prover: Prover<'_, G>,
    state: &G::State,
    alpha: i32,
    meter: &mut Meter,
) -> Result<bool, Stop> {
    if let Status::Over(payoff) = game.status(state) {
        return Ok(payoff.score(Player::FIRST) > alpha);
    }
    let mut metered = Metered::new(meter);
    let value = prover.test(state, alpha, &mut metered);
    value.map(|value| value > alpha).map_err(|_| metered.stopped())
}

/// Counts nodes against a budget.
pub(crate) struct Metered<'a> {
    meter: &'a mut Meter,
    nodes: u64,
    stop: Option<Stop>,
}

impl<'a> Metered<'a> {
    pub(crate) fn new(meter: &'a mut Meter) -> Self {
        Metered { meter, nodes: 0, stop: None }
    }

    /// Why it interrupted.
    pub(crate) fn stopped(&self) -> Stop {
        self.stop.unwrap_or(Stop::Cancelled)
    }
}

impl Count for Metered<'_> {
    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn tick(&mut self, nodes: u64) -> Result<(), Interrupted> {
        self.nodes += nodes;
        self.stop = self.meter.spend(nodes, 0);
        if self.stop.is_some() { Err(Interrupted) } else { Ok(()) }
    }
}

/// Something that tells the exact score of one position after the other, whatever the game's type.
pub trait Scorer<G: FullGame>: Send {
    /// Forgets everything: the next score is found from a cold start.
    fn forget(&mut self);
    /// The first player's score under best play.
    fn score(&mut self, state: &G::State) -> i32;
    /// The first player's value for `objective`, if the meter allows.
    fn value(&mut self, state: &G::State, objective: Objective, meter: &mut Meter) -> Result<i32, Stop>;
    /// States looked at so far.
    fn nodes(&self) -> u64;
}

impl<G: FullGame<Payoff = ZeroSum>> Scorer<G> for Solver<G> {
    fn forget(&mut self) {
        self.table.forget();
    }

    fn score(&mut self, state: &G::State) -> i32 {
        self.solve(state, Objective::Score)
    }

    fn value(&mut self, state: &G::State, objective: Objective, meter: &mut Meter) -> Result<i32, Stop> {
        let mut metered = Metered { meter, nodes: 0, stop: None };
        let score = self.settle(state, objective, &mut metered);
        let stop = metered.stop;
        self.nodes += metered.nodes;
        score.map(|score| objective.value(ZeroSum(score), Player::FIRST)).map_err(|_| stop.unwrap_or(Stop::Cancelled))
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }
}

/// A boxed scorer with a table of `bytes`.
pub fn scorer<G: FullGame<Payoff = ZeroSum>>(game: Arc<G>, bytes: usize) -> Result<Box<dyn Scorer<G>>, Refusal> {
    let mut solver = Solver::new(game.clone(), 0)?;
    solver.table = BoundsTable::filled(&*game, granted(bytes), solver.range.0, solver.range.1);
    Ok(Box::new(solver))
}

fn refuse_cycles<G: FullGame>(game: &G) -> Result<(), Refusal> {
    if game.facts().acyclic {
        return Ok(());
    }
    Err(Refusal::Cyclic { algorithm: format!("{} without a depth", iterative_deepening::INFO.name).into() })
}

fn start<G: FullGame>(game: &G, state: &G::State, (least, greatest): (i32, i32), objective: Objective) -> Window {
    let (lower, upper) = game.score_bounds(state);
    Window::new(lower.max(least), upper.min(greatest), objective)
}

/// What the solver is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolveOptions {
    /// Bytes of the table.
    pub bytes: usize,
    /// Remember states; `off` searches the tree.
    pub table: bool,
    /// Enhanced transposition cut-offs.
    pub etc: bool,
    /// Settle every move at the root, not only the best one.
    pub all_moves: bool,
}

impl Default for SolveOptions {
    fn default() -> Self {
        SolveOptions { bytes: 256 << 20, table: true, etc: true, all_moves: false }
    }
}

/// A solver as a search.
pub struct Solve<G: FullGame<Payoff = ZeroSum>> {
    shared: Arc<Shared<G>>,
    threads: Option<PausableThreads>,
    notes: Vec<String>,
}

struct Shared<G: FullGame<Payoff = ZeroSum>> {
    game: Arc<G>,
    root: G::State,
    objective: Objective,
    options: SolveOptions,
    table: std::sync::OnceLock<BoundsTable<G>>,
    in_progress: InProgress,
    several: AtomicBool,
    found: Mutex<Found<G>>,
}

struct Found<G: FullGame> {
    window: Window,
    questions: u64,
    line: Vec<G::Move>,
    /// In the order of the rules.
    moves: Vec<(G::Move, Window)>,
}

impl<G: FullGame> Found<G> {
    /// A move at the root is proved to be worth `value` to the mover, on its side of `alpha`.
    fn choose(&mut self, mv: G::Move, alpha: i32, value: i32) {
        self.line = vec![mv];
        if let Some((_, window)) = self.moves.iter_mut().find(|(m, _)| *m == mv) {
            window.answer(alpha, value);
        }
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Solve<G> {
    /// Prepares to solve `root`. `notes` go into the answer.
    pub fn new(
        game: Arc<G>,
        root: G::State,
        objective: Objective,
        options: SolveOptions,
        notes: Vec<String>,
    ) -> Result<Self, Refusal> {
        refuse_cycles(&*game)?;
        let range = range(&*game);
        let mut legal = Vec::new();
        let window = match game.expand(&root, &mut legal) {
            Status::Over(ZeroSum(score)) => Window::new(score, score, objective),
            Status::Turn(_) => start(&*game, &root, range, objective),
        };
        let child = |&mv: &G::Move| match game.status(&game.after(&root, mv)) {
            Status::Over(ZeroSum(score)) => (mv, Window::new(score, score, objective)),
            Status::Turn(_) => (mv, start(&*game, &game.after(&root, mv), range, objective)),
        };
        let moves = legal.iter().map(child).collect();
        let found = Mutex::new(Found { window, questions: 0, line: vec![], moves });
        let table = std::sync::OnceLock::new();
        let several = AtomicBool::new(false);
        let shared =
            Shared { game, root, objective, options, table, in_progress: InProgress::default(), several, found };
        Ok(Solve { shared: Arc::new(shared), threads: None, notes })
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Shared<G> {
    fn table(&self) -> &BoundsTable<G> {
        self.table.get().expect("made before the threads starts")
    }

    fn prover<'a>(&'a self, stacks: &'a mut Stacks<G>) -> Prover<'a, G> {
        let in_progress = self.several.load(Ordering::Relaxed).then_some(&self.in_progress);
        let options = Options { table: self.options.table, etc: self.options.etc };
        Prover::new(&*self.game, self.table(), in_progress, options, stacks)
    }

    /// What every thread does.
    fn work(&self, pause: &mut PauseHandle) {
        if self.questions(pause).is_ok() {
            pause.finish();
        }
    }

    fn questions(&self, pause: &mut PauseHandle) -> Result<(), Interrupted> {
        self.settle(&self.root, pause, |found| &mut found.window)?;
        let count = self.found.lock().expect("no holder panics").moves.len();
        if self.options.all_moves {
            for i in 0..count {
                let mv = self.found.lock().expect("no holder panics").moves[i].0;
                let state = self.game.after(&self.root, mv);
                self.settle(&state, pause, |found| &mut found.moves[i].1)?;
            }
        }
        self.find_line(pause)
    }

    /// Asks about `state` until its window is settled; all threads ask the same question, the first answer counts.
    fn settle(
        &self,
        state: &G::State,
        pause: &mut PauseHandle,
        window: impl Fn(&mut Found<G>) -> &mut Window,
    ) -> Result<(), Interrupted> {
        let mut stacks = Stacks::default();
        loop {
            pause.begin_task()?;
            let asked = *window(&mut self.found.lock().expect("no holder panics"));
            if asked.settled().is_some() {
                return Ok(());
            }
            let alpha = asked.question();
            let mut prover = self.prover(&mut stacks);
            let Ok(value) = prover.test(state, alpha, pause) else { continue };
            let choice = prover.choice.filter(|_| *state == self.root);
            let mut found = self.found.lock().expect("no holder panics");
            if pause.next_task() {
                found.questions += 1;
                window(&mut found).answer(alpha, value);
                if let Some((mv, value)) = choice {
                    found.choose(mv, alpha, value);
                }
            }
        }
    }

    /// A line on which both sides keep what they have.
    fn find_line(&self, pause: &mut PauseHandle) -> Result<(), Interrupted> {
        let mut state = self.root;
        let mut line = Vec::new();
        let value = self.found.lock().expect("no holder panics").window.settled().expect("settled before");
        while let Some(mv) = self.keep(&state, value, pause)? {
            self.game.play(&mut state, mv);
            line.push(mv);
            let mut found = self.found.lock().expect("no holder panics");
            found.line.clone_from(&line);
            if let [only] = line[..]
                && let Some((_, window)) = found.moves.iter_mut().find(|(mv, _)| *mv == only)
            {
                *window = Window::new(value, value, self.objective);
            }
        }
        Ok(())
    }

    /// The first move after which the mover still has `value`.
    fn keep(&self, state: &G::State, value: i32, pause: &mut PauseHandle) -> Result<Option<G::Move>, Interrupted> {
        let mut moves = Vec::new();
        let Status::Turn(mover) = self.game.expand(state, &mut moves) else { return Ok(None) };
        // Of the first player's score: more than alpha keeps it for the first, at most alpha for the second player.
        let alpha = match (self.objective, mover == Player::FIRST) {
            (Objective::Score, true) => Some(value - 1),
            (Objective::Score, false) => Some(value),
            (Objective::Gain | Objective::Length, true) => (value >= 0).then_some(value.signum() - 1),
            (Objective::Gain | Objective::Length, false) => (value <= 0).then_some(value.signum()),
        };
        let Some(alpha) = alpha else {
            return Ok(moves.first().copied()); // a lost game stays lost
        };
        self.likely_first(state, &mut moves);
        let mut last = None;
        for mv in moves {
            let next = self.game.after(state, mv);
            let score = match self.game.status(&next) {
                Status::Over(payoff) => payoff.score(Player::FIRST),
                Status::Turn(_) => loop {
                    pause.begin_task()?;
                    if let Ok(score) = self.prover(&mut Stacks::default()).test(&next, alpha, pause) {
                        break score;
                    }
                },
            };
            last = Some(mv);
            if (score > alpha) == (mover == Player::FIRST) {
                break;
            }
        }
        Ok(last)
    }

    /// Puts the move that was best when the state was searched first, then the others as the solver tries them: to look
    /// for a move that keeps the value in the order of the rules takes more nodes than the proof.
    fn likely_first(&self, state: &G::State, moves: &mut [G::Move]) {
        let (mut scratch, mut successors) = (Vec::new(), Vec::new());
        if let Status::Over(_) = self.game.solver_successors(state, &mut scratch, &mut successors) {
            return;
        }
        let table = self.table();
        let known = self.options.table.then(|| table.get(&table.place(&*self.game, state))).flatten();
        let hint = known.and_then(|known| known.hint).map(usize::from).filter(|&hint| hint < successors.len());
        if let Some(hint) = hint {
            successors[..=hint].rotate_right(1);
        }
        let place = |mv: &G::Move| successors.iter().position(|s| s.mv == *mv).map_or(i64::MAX, |place| place as i64);
        let keys: Vec<i64> = moves.iter().map(place).collect();
        let sorted: Vec<G::Move> = ascending(&keys).into_iter().map(|at| moves[at]).collect();
        moves.copy_from_slice(&sorted);
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Search<G> for Solve<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        if self.threads.is_none() {
            let (game, options) = (&*self.shared.game, self.shared.options);
            let wanted = if options.table { options.bytes.min(table_bytes(&*self.shared.game, budget)) } else { 0 };
            let bytes = granted(wanted);
            self.notes.extend(note_of_less(wanted, bytes));
            let (least, greatest) = range(game);
            self.shared.table.get_or_init(|| BoundsTable::new(game, bytes, least, greatest));
            let (plies, shared) = (game.facts().length, self.shared.clone());
            self.threads = Some(PausableThreads::new(plies, move |pause| shared.work(pause)));
        }
        let table = self.shared.table();
        if budget.memory.is_some_and(|limit| table.most_bytes() > limit) {
            return Stop::Memory;
        }
        if budget.threads > 1 {
            self.shared.several.store(true, Ordering::Relaxed);
            table.grow_fully();
        }
        let threads = self.threads.as_mut().expect("made above");
        threads.run(budget, observer, |nodes| Progress { nodes, bytes: table.bytes(), share: None, depth: None })
    }

    fn narrow(&mut self, lower: ZeroSum, upper: ZeroSum) {
        let narrowed = self.shared.found.lock().expect("no holder panics").window.narrow(lower.0, upper.0);
        if let Some(threads) = self.threads.as_ref().filter(|_| narrowed) {
            threads.end_task(); // what is being asked may have been answered
        }
    }

    fn exceeds(&mut self, state: &G::State, alpha: i32, meter: &mut Meter) -> Option<Result<bool, Stop>> {
        let (table, options) = (self.shared.table.get()?, self.shared.options);
        let (mut stacks, options) = (Stacks::default(), Options { table: options.table, etc: options.etc });
        let prover = Prover::new(&*self.shared.game, table, None, options, &mut stacks);
        Some(exceeds(&*self.shared.game, prover, state, alpha, meter))
    }

    fn answer(&self) -> Answer<G> {
        let found = self.shared.found.lock().expect("no holder panics");
        let game = &*self.shared.game;
        let bytes = self.shared.table.get().map_or(0, BoundsTable::bytes);
        let verdict = |w: &Window| match w.settled() {
            Some(value) => Verdict::Solved(ZeroSum(value)),
            None if (w.lower, w.upper) == range(game) => Verdict::Unknown,
            None => Verdict::bounds(self.shared.objective, ZeroSum(w.lower), ZeroSum(w.upper)),
        };
        let mover = game.status(&self.shared.root).mover();
        let answer = Answer {
            mover,
            verdict: verdict(&found.window),
            line: found.line.clone(),
            moves: found
                .moves
                .iter()
                .map(|(mv, w)| MoveReport { mv: *mv, verdict: verdict(w), visits: None })
                .collect(),
            effort: Effort { nodes: self.threads.as_ref().map_or(0, PausableThreads::nodes), bytes },
            counts: vec![("questions", found.questions)],
            notes: self.notes.clone(),
        };
        answer.reconciled(game, self.shared.objective)
    }
}
