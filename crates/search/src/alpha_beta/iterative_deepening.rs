//! The engine: iterative deepening over alpha-beta with everything that makes it fast. It is what `alpha-beta` means.
//!
//! Depth 1, then 2, then 3 …, each iteration guided by what the table remembers of the last. Every refinement is an
//! option that can be switched off; without the two unsound ones (`null-move`, `k-best`) and quiescence, the value at
//! depth d is that of [`crate::alpha_beta::textbook::minimax`] at depth d (a table may know more about a state than
//! depth d shows; then the value is better).
//!
//! - `pvs`: after the first move the others are only asked whether they are better, with a null window.
//! - `aspiration`: an iteration starts with a window around the last value and widens it if need be.
//! - `table`, `etc`: states seen before; all successors are looked up before the first is searched.
//! - `killers`, `history`: moves that cut off elsewhere come first (see `ordering.rs`).
//! - `quiescence`: beyond the last ply, noisy moves (`OrderingHints::noisy_moves`) are played out.
//! - `null-move`, `k-best`: cut on suspicion. Fast and wrong at times.
//!
//! A value is *settled* if it rests on finished games only, along every line that matters; then no deeper search can
//! change it. Contract of `Worker::search` as in [`crate::alpha_beta::textbook::plain_alpha_beta`].
//!
//! If a proof is wanted (no `depth`, and the caller asks to solve), the work goes to
//! [`crate::alpha_beta::exact_solver`], which has no estimates and uses nothing unsound; if the shortest win is wanted,
//! to [`crate::alpha_beta::shortest_win`].

use std::sync::atomic::{AtomicBool, Ordering as Atomic};
use std::sync::{Arc, Mutex, OnceLock};

use perfectplay_core::{
    Answer, Budget, Effort, FullGame, Leaf, MoveReport, Objective, Observer, OptionSet, Optional, OrderHint, Params,
    Player, Progress, Setting, Status, Stop, Verdict, ZeroSum, options,
};

use crate::alpha_beta::exact_solver::{Solve, SolveOptions};
use crate::alpha_beta::move_ordering::{Ordering, history_place};
use crate::alpha_beta::mtdf::mtdf;
use crate::alpha_beta::null_window::InProgress;
use crate::alpha_beta::scale::{INFINITE, Scale};
use crate::alpha_beta::shortest_win::Length;
use crate::alpha_beta::textbook::fixed_depth::EVAL;
use crate::alpha_beta::textbook::null_move::null_window;
use crate::alpha_beta::textbook::table_search::Flag;
use crate::alpha_beta::transposition_table::{Entry, Numbering, SETTLED, TranspositionTable, table_bytes};
use crate::support::common_options::{TABLE, TABLE_MIB, depth};
use crate::support::memory::{granted, note_of_less};
use crate::support::order::by_rank;
use crate::support::pausable_threads::{Interrupted, PausableThreads, PauseHandle};
use crate::{A_SHARED_TABLE, AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "alpha-beta",
    summary: "iterative deepening alpha-beta with a table; solves exactly, or plays as well as time allows",
    players: "2",
    exact: true,
    threads: Threads::Racing(A_SHARED_TABLE),
    options: EngineOptions::docs,
};

options! {
    pub(crate) struct EngineOptions {
        depth: Option<u32> = depth(DEEPEST as u64),
        exact: Option<bool> = Optional::switch(
            "exact",
            "on: prove the value, no estimates; off: deepen step by step",
            "on for solve without a depth, off otherwise",
        ),
        heuristic: bool = EVAL,
        table: bool = TABLE,
        table_mib: Option<usize> = TABLE_MIB.left_open("64, exact=on: 256"),
        pvs: bool = Setting::switch("pvs", "on or off: principal variation search", true),
        aspiration: bool = Setting::switch("aspiration", "on or off: start with a narrow window", true),
        killers: bool = Setting::switch("killers", "on or off: moves that cut off at the same ply first", true),
        history: bool = Setting::switch("history", "on or off: moves that cut off often first", true),
        etc: bool = Setting::switch("etc", "on or off: enhanced transposition cut-offs", true),
        quiescence: bool = Setting::switch("quiescence", "on or off: play noisy moves out", true),
        null_move: bool = Setting::switch("null-move", "on or off: the null-move heuristic (unsound)", false),
        k_best: Option<usize> =
            Optional::whole("k-best", "look at the K most promising moves only (unsound)", 1..=100_000, "all"),
        all_moves: bool =
            Setting::switch("all-moves", "on or off, exact=on: prove the value of every move", false),
    }
}

/// How an iteration finds its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driver {
    /// A window that may be narrow at first.
    Window,
    /// Null windows only.
    Mtdf,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) depth: u32,
    pub(crate) heuristic: bool,
    pub(crate) table: bool,
    pub(crate) bytes: usize,
    /// Large pages: for long searches.
    pub(crate) large_pages: bool,
    pub(crate) pvs: bool,
    pub(crate) aspiration: bool,
    pub(crate) killers: bool,
    pub(crate) history: bool,
    pub(crate) etc: bool,
    pub(crate) quiescence: bool,
    pub(crate) null_move: bool,
    pub(crate) k_best: usize,
    pub(crate) driver: Driver,
}

/// The deepest iteration; greater depths do not fit into the table.
const DEEPEST: u32 = 250;

/// For two opposed players, one window per iteration; the setup decides whether it proves or plays.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    open_with(&INFO, Driver::Window, game, root, setup, params)
}

pub(crate) fn open_with<G: FullGame<Payoff = ZeroSum>>(
    info: &AlgorithmInfo,
    driver: Driver,
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let given: EngineOptions = info.read(params)?;
    if setup.objective == Objective::Length {
        if given.depth.is_some() || given.exact == Some(false) {
            return Err(Refusal::Other(
                "--for length proves the shortest win: depth and exact=off make no sense".into(),
            ));
        }
        let bytes = (given.table_mib.unwrap_or(256) << 20).min(setup.memory.unwrap_or(usize::MAX));
        return Ok(Box::new(Length::new(game, root, if given.table { bytes } else { 0 })));
    }
    let exact = given.exact.unwrap_or(given.depth.is_none() && setup.exact && game.facts().acyclic);
    let wanted = given.table_mib.unwrap_or(if exact { 256 } else { 64 }) << 20;
    let options = Options {
        depth: given.depth.unwrap_or(DEEPEST),
        heuristic: given.heuristic,
        table: given.table,
        bytes: wanted.min(setup.memory.unwrap_or(usize::MAX)),
        large_pages: given.table_mib.is_some_and(|m| m >= 32),
        pvs: given.pvs,
        aspiration: given.aspiration,
        killers: given.killers,
        history: given.history,
        etc: given.etc,
        quiescence: given.quiescence,
        null_move: given.null_move,
        k_best: given.k_best.unwrap_or(usize::MAX),
        driver,
    };
    if !exact {
        return Ok(Box::new(Engine::new(game, root, setup, options)));
    }
    if given.depth.is_some() {
        return Err(Refusal::Other("exact=on proves the value and has no depth; give one of the two".into()));
    }
    let switched_off = [("null-move", given.null_move), ("k-best", given.k_best.is_some())];
    let note = |name: &str| format!("{name} is switched off: a proof cannot rest on it");
    let notes = switched_off.into_iter().filter(|s| s.1).map(|s| note(s.0)).collect();
    let solve =
        SolveOptions { bytes: options.bytes, table: options.table, etc: options.etc, all_moves: given.all_moves };
    Ok(Box::new(Solve::new(game, root, setup.objective, solve, notes)?))
}

/// Iterative deepening as a search.
pub(crate) struct Engine<G: FullGame<Payoff = ZeroSum>> {
    shared: Arc<Shared<G>>,
    threads: Option<PausableThreads>,
    /// About a table that had to be smaller.
    note: Option<String>,
}

struct Shared<G: FullGame> {
    game: Arc<G>,
    root: G::State,
    options: Options,
    scale: Scale,
    numbering: Numbering,
    table: OnceLock<TranspositionTable>,
    in_progress: InProgress,
    several: AtomicBool,
    found: Mutex<Found<G>>,
}

/// What the iterations have brought so far.
struct Found<G: FullGame> {
    legal: Vec<G::Move>,
    /// The iteration at work.
    depth: u32,
    /// The last finished one: its value, and whether no deeper one can change it.
    value: Option<(i32, bool)>,
    /// The move that was best in the last finished iteration, or is better in the one at work.
    best: Option<usize>,
    /// The window of the iteration at work, in steps around the last value.
    widenings: u32,
    failed: Option<(i32, bool)>,
}

impl<G: FullGame<Payoff = ZeroSum>> Engine<G> {
    pub(crate) fn new(game: Arc<G>, root: G::State, setup: &Setup, options: Options) -> Self {
        let facts = game.facts();
        let mut legal = Vec::new();
        game.expand(&root, &mut legal);
        let found = Found { legal, depth: 1, value: None, best: None, widenings: 0, failed: None };
        let shared = Shared {
            scale: Scale::new(&facts, setup.objective, options.heuristic),
            numbering: Numbering::of(&*game),
            game,
            root,
            options,
            table: OnceLock::new(),
            in_progress: InProgress::default(),
            several: AtomicBool::new(false),
            found: Mutex::new(found),
        };
        Engine { shared: Arc::new(shared), threads: None, note: None }
    }
}

/// Half the width of the first window of an iteration.
const ASPIRATION: i32 = 256;

impl<G: FullGame<Payoff = ZeroSum>> Shared<G> {
    fn table(&self) -> &TranspositionTable {
        self.table.get().expect("made before the threads starts")
    }

    /// One iteration after the other, until the root is settled.
    fn work(&self, pause: &mut PauseHandle) -> Result<(), Interrupted> {
        let ordering = Ordering::new(self.options.killers, self.options.history);
        let several = self.several.load(Atomic::Relaxed);
        let mut worker = Worker {
            shared: self,
            pause,
            ordering,
            moves: vec![],
            ranks: vec![],
            children: vec![],
            numbers: vec![],
            hints: vec![],
            several,
        };
        loop {
            worker.pause.begin_task()?;
            let (depth, guess, (alpha, beta)) = {
                let found = self.found.lock().expect("no holder panics");
                let settled = found.value.is_some_and(|(_, settled)| settled);
                if found.legal.is_empty() || settled || found.depth > self.options.depth {
                    return Ok(());
                }
                (found.depth, found.value.map_or(0, |v| v.0), found.window(&self.options))
            };
            let result = match self.options.driver {
                Driver::Window => worker.root(depth, alpha, beta),
                Driver::Mtdf => {
                    // The value is settled if the last answer from below and the last one from above are.
                    let (mut from_below, mut from_above) = (false, false);
                    let value = mtdf(guess, |alpha| {
                        let (value, settled) = worker.root(depth, alpha, alpha + 1)?;
                        *(if value > alpha { &mut from_below } else { &mut from_above }) = settled;
                        Ok(value)
                    });
                    value.map(|v| (v, from_below && from_above))
                }
            };
            let Ok((value, settled)) = result else { continue };
            let mut found = self.found.lock().expect("no holder panics");
            if !worker.pause.next_task() {
                continue;
            }
            if self.options.driver == Driver::Window
                && (value <= alpha && alpha > -INFINITE || value >= beta && beta < INFINITE)
            {
                found.widenings += 1;
                found.failed = Some((value, value >= beta));
            } else {
                found.value = Some((value, settled));
                found.depth += 1;
                self.table().age();
                (found.widenings, found.failed) = (0, None);
            }
        }
    }
}

impl<G: FullGame> Found<G> {
    /// The window of the next attempt: around the last value, wider after each failure.
    fn window(&self, options: &Options) -> (i32, i32) {
        match self.value {
            Some((value, _)) if options.aspiration && self.widenings < 3 && self.depth > 2 => {
                let reach = ASPIRATION << (2 * self.widenings);
                match self.failed {
                    None => (value - reach, value + reach),
                    Some((failed, true)) => (value - ASPIRATION, failed + reach),
                    Some((failed, false)) => (failed - reach, value + ASPIRATION),
                }
            }
            _ => (-INFINITE, INFINITE),
        }
    }
}

/// Plies beyond the last one for noisy moves.
const NOISY_PLIES: u32 = 24;
/// Depth from which the table is used: below, searching is faster than remembering.
const TABLE_FROM: u32 = 2;
/// Depth from which moves are put in order: at the last ply, trying a move costs less than ranking it.
const ORDER_FROM: u32 = 2;
/// Depth from which all successors are looked up first.
const ETC_FROM: u32 = 3;
/// Depth from which threads tell each other what they are at.
const TELL_FROM: u32 = 4;

/// One thread's search.
struct Worker<'a, G: FullGame> {
    shared: &'a Shared<G>,
    pause: &'a mut PauseHandle,
    ordering: Ordering<G::Move>,
    moves: Vec<G::Move>,
    /// Rank, index, and place in the history of the moves to try.
    ranks: Vec<(i64, u16, u16)>,
    /// Where moves lead whose successors are looked up first, and the numbers of these states.
    children: Vec<(G::State, G::Key)>,
    numbers: Vec<u64>,
    hints: Vec<OrderHint>,
    several: bool,
}

/// A value and whether it is settled.
type Value = (i32, bool);

impl<G: FullGame<Payoff = ZeroSum>> Worker<'_, G> {
    /// One search of the root.
    fn root(&mut self, depth: u32, alpha: i32, beta: i32) -> Result<Value, Interrupted> {
        self.moves.clear();
        self.ranks.clear();
        self.children.clear();
        self.numbers.clear();
        let root = self.shared.root;
        self.search(&root, None, depth, (alpha, beta), 0, false)
    }

    /// The value of `state`, `depth` plies deep; see the contract above. `number` is that of the state, if it is known.
    fn search(
        &mut self,
        state: &G::State,
        number: Option<u64>,
        depth: u32,
        (alpha, beta): (i32, i32),
        ply: u32,
        passed: bool,
    ) -> Result<Value, Interrupted> {
        self.pause.tick(1)?;
        let (shared, options) = (self.shared, self.shared.options);
        if depth == 0 {
            return self.leaf(state, alpha, beta);
        }
        let use_table = options.table && depth >= TABLE_FROM;
        let number = match number {
            None if use_table => shared.numbering.number(&*shared.game, state),
            known => known.unwrap_or(0),
        };
        let mut hint = None;
        if use_table && let Some(entry) = shared.table().get(number) {
            if let Some(value) = usable(&entry, depth, alpha, beta).filter(|_| ply > 0) {
                return Ok(value);
            }
            hint = entry.mv;
        }
        let (first, first_child) = (self.moves.len(), self.children.len());
        let look_up = use_table && options.etc && depth >= ETC_FROM && ply > 0;
        let mover = match self.expand(state, look_up) {
            Status::Over(payoff) => return Ok((shared.scale.exact(payoff), true)),
            Status::Turn(mover) => mover,
        };
        if options.null_move
            && !passed
            && ply > 0
            && let Some(bound) = self.null_move(state, mover, depth, alpha, beta, ply)?
        {
            self.moves.truncate(first);
            self.children.truncate(first_child);
            self.numbers.truncate(first_child);
            return Ok((bound, false));
        }
        let first_rank = self.ranks.len();
        if depth >= ORDER_FROM || options.k_best != usize::MAX {
            self.rank(state, mover, first, ply, hint);
        } else {
            self.ranks.extend((0..self.moves.len() - first).map(|i| (0, i as u16, 0)));
        }
        let node =
            Node { first, first_rank, first_child: look_up.then_some(first_child), mover, depth, alpha, beta, ply };
        let result = match self.cut_by_successors(&node) {
            Some(found) => found,
            None => self.successors(state, node)?,
        };
        self.moves.truncate(first);
        self.ranks.truncate(first_rank);
        self.children.truncate(first_child);
        self.numbers.truncate(first_child);
        let (value, settled, best) = result;
        if use_table {
            let depth = if settled { SETTLED } else { depth.min(u32::from(SETTLED) - 1) as u8 };
            self.shared.table().put(number, Entry { value, flag: Flag::of(value, alpha, beta), depth, mv: best });
        }
        Ok((value, settled))
    }

    /// Puts the moves on the stack, and if they will be looked up, where they lead.
    #[inline]
    fn expand(&mut self, state: &G::State, look_up: bool) -> Status<ZeroSum> {
        if !look_up {
            return self.shared.game.expand(state, &mut self.moves);
        }
        let first = self.children.len();
        let status = self.shared.game.children(state, &mut self.moves, &mut self.children);
        for &(_, key) in &self.children[first..] {
            let number = self.shared.numbering.of_key(key);
            self.shared.table().prefetch(number);
            self.numbers.push(number);
        }
        status
    }

    /// Puts the moves' ranks on the stack, and drops what `k-best` drops.
    fn rank(&mut self, state: &G::State, mover: Player, first: usize, ply: u32, hint: Option<u16>) {
        let game = &*self.shared.game;
        self.ordering.reach(ply as usize);
        let first_rank = self.ranks.len();
        self.hints.clear();
        game.order_hints(state, &self.moves[first..], &mut self.hints);
        for (i, (&mv, hints)) in self.moves[first..].iter().zip(&self.hints).enumerate() {
            let i = u16::try_from(i).unwrap_or(u16::MAX - 1);
            let place = history_place(mover.index(), hints.history);
            let rank = self.ordering.rank(hints.score, place, mv, ply as usize, hint == Some(i));
            self.ranks.push((rank, i, place));
        }
        let k = self.shared.options.k_best;
        if self.ranks.len() - first_rank > k {
            by_rank(&mut self.ranks[first_rank..]);
            self.ranks.truncate(first_rank + k);
        }
    }

    /// Whether the table already knows a successor that is good enough.
    fn cut_by_successors(&mut self, node: &Node) -> Option<(i32, bool, Option<u16>)> {
        let (first_child, table) = (node.first_child?, self.shared.table());
        for &(_, i, _) in &self.ranks[node.first_rank..] {
            let Some(entry) = table.get(self.numbers[first_child + usize::from(i)]) else { continue };
            if entry.depth != SETTLED && u32::from(entry.depth) < node.depth - 1 {
                continue;
            }
            let enough = match node.mover {
                Player::FIRST => entry.value >= node.beta && entry.flag != Flag::Upper,
                _ => entry.value <= node.alpha && entry.flag != Flag::Lower,
            };
            if enough {
                return Some((entry.value, entry.depth == SETTLED, Some(i)));
            }
        }
        None
    }

    /// Searches the successors in the order of their ranks.
    fn successors(&mut self, state: &G::State, node: Node) -> Result<(i32, bool, Option<u16>), Interrupted> {
        let Node { first, first_rank, first_child, mover, depth, ply, .. } = node;
        let (mut alpha, mut beta) = (node.alpha, node.beta);
        let maximises = mover == Player::FIRST;
        let count = self.ranks.len() - first_rank;
        let mut value = if maximises { -INFINITE } else { INFINITE };
        let mut best = None;
        let mut all_settled = count == self.moves.len() - first;
        let mut put_off = 0;
        let mut tried = 0;
        while tried < count {
            // The best of what is left comes to the front; equal ranks keep the order of the rules.
            if depth >= ORDER_FROM {
                let rest = &mut self.ranks[first_rank + tried..];
                let at = (0..rest.len()).max_by_key(|&i| (rest[i].0, std::cmp::Reverse(rest[i].1)));
                rest.swap(0, at.expect("not empty"));
            }
            let (_, i, place) = self.ranks[first_rank + tried];
            let mv = self.moves[first + usize::from(i)];
            let searched = if depth == 1 {
                self.successor(Child::Leaf(state, mv), (alpha, beta), maximises, tried > 0, 0, ply + 1)
            } else {
                let (next, number) = match first_child.map(|first| first + usize::from(i)) {
                    Some(child) => (self.children[child].0, Some(self.numbers[child])),
                    None => (self.shared.game.after(state, mv), None),
                };
                let in_progress = (self.several && depth >= TELL_FROM).then(|| {
                    let number = number.unwrap_or_else(|| self.shared.numbering.number(&*self.shared.game, &next));
                    self.shared.in_progress.by_number(number)
                });
                if let Some(in_progress) = in_progress
                    && tried > 0
                    && put_off < count
                    && in_progress.load(Atomic::Relaxed) > 0
                {
                    // Somebody is at it: last of all, and by then perhaps in the table.
                    put_off += 1;
                    self.ranks[first_rank + tried].0 = i64::MIN + (count - put_off) as i64;
                    continue;
                }
                if let Some(in_progress) = in_progress {
                    in_progress.fetch_add(1, Atomic::Relaxed);
                }
                let child = Child::Inner(&next, number);
                let searched = self.successor(child, (alpha, beta), maximises, tried > 0, depth - 1, ply + 1);
                if let Some(in_progress) = in_progress {
                    in_progress.fetch_sub(1, Atomic::Relaxed);
                }
                searched
            };
            let (v, settled) = searched?;
            tried += 1;
            all_settled &= settled;
            if best.is_none() || if maximises { v > value } else { v < value } {
                value = v;
                best = Some(i);
                if ply == 0 && node.alpha < v && v < node.beta {
                    self.prefer(i);
                }
            }
            if maximises {
                alpha = alpha.max(value)
            } else {
                beta = beta.min(value)
            }
            if alpha >= beta {
                if depth >= ORDER_FROM {
                    self.ordering.cut(place, mv, ply as usize, depth);
                }
                if ply == 0 {
                    self.prefer(i);
                }
                // One settled successor is enough to settle a bound.
                return Ok((value, settled, best));
            }
        }
        Ok((value, all_settled, best))
    }

    /// Makes a move at the root the one to play, unless another thread has finished this iteration meanwhile.
    fn prefer(&mut self, index: u16) {
        let mut found = self.shared.found.lock().expect("no holder panics");
        if self.pause.is_current() {
            found.best = Some(usize::from(index));
        }
    }

    /// Principal variation search: the first successor with the whole window, the others with a null window first.
    fn successor(
        &mut self,
        child: Child<'_, G>,
        (alpha, beta): (i32, i32),
        maximises: bool,
        later: bool,
        depth: u32,
        ply: u32,
    ) -> Result<Value, Interrupted> {
        let narrow = if maximises { (alpha, alpha.saturating_add(1)) } else { (beta.saturating_sub(1), beta) };
        if self.shared.options.pvs && later && i64::from(beta) - i64::from(alpha) > 1 {
            let (value, settled) = self.child(child, depth, narrow, ply)?;
            if value <= alpha || value >= beta || if maximises { value < narrow.1 } else { value > narrow.0 } {
                return Ok((value, settled));
            }
        }
        self.child(child, depth, (alpha, beta), ply)
    }

    #[inline]
    fn child(
        &mut self,
        child: Child<'_, G>,
        depth: u32,
        (alpha, beta): (i32, i32),
        ply: u32,
    ) -> Result<Value, Interrupted> {
        match child {
            Child::Inner(state, number) => self.search(state, number, depth, (alpha, beta), ply, false),
            Child::Leaf(parent, mv) => self.leaf_after(parent, mv, alpha, beta, NOISY_PLIES),
        }
    }

    /// The bound that the mover reaches even without moving, if it does (Červeňan 2025, B.2).
    fn null_move(
        &mut self,
        state: &G::State,
        mover: Player,
        depth: u32,
        alpha: i32,
        beta: i32,
        ply: u32,
    ) -> Result<Option<i32>, Interrupted> {
        const REDUCTION: u32 = 2;
        if depth <= REDUCTION {
            return Ok(None);
        }
        let (Some(next), Some((a, b))) = (self.shared.game.null_move(state), null_window(mover, alpha, beta)) else {
            return Ok(None);
        };
        let (value, _) = self.search(&next, None, depth - 1 - REDUCTION, (a, b), ply + 1, true)?;
        Ok(match mover {
            Player::FIRST => (value >= beta).then_some(beta),
            _ => (value <= alpha).then_some(alpha),
        })
    }

    /// What a state beyond the last ply is worth, noisy moves played out. The mover may also leave them alone.
    fn leaf(&mut self, state: &G::State, alpha: i32, beta: i32) -> Result<Value, Interrupted> {
        let (game, first) = (&*self.shared.game, self.moves.len());
        let (status, mut guess) = (game.status(state), 0.0);
        if let Status::Turn(_) = status {
            guess = self.shared.scale.wanted().map_or(0.0, |player| game.heuristic_of(state, player));
            if self.shared.options.quiescence {
                game.noisy_moves(state, &mut self.moves);
            }
        }
        self.play_out(&Leaf { status, guess, noisy: Some(*state) }, first, (alpha, beta), NOISY_PLIES)
    }

    /// The same after `mv`.
    fn leaf_after(
        &mut self,
        parent: &G::State,
        mv: G::Move,
        alpha: i32,
        beta: i32,
        plies: u32,
    ) -> Result<Value, Interrupted> {
        self.pause.tick(1)?;
        let first = self.moves.len();
        let noisy = (self.shared.options.quiescence && plies > 0).then_some(&mut self.moves);
        let leaf = self.shared.game.leaf(parent, mv, self.shared.scale.wanted(), noisy);
        self.play_out(&leaf, first, (alpha, beta), plies)
    }

    /// Plays the noisy moves of `leaf`, those from `first` on.
    #[inline]
    fn play_out(
        &mut self,
        leaf: &Leaf<G::State, ZeroSum>,
        first: usize,
        (mut alpha, mut beta): (i32, i32),
        plies: u32,
    ) -> Result<Value, Interrupted> {
        let mover = match leaf.status {
            Status::Over(payoff) => return Ok((self.shared.scale.exact(payoff), true)),
            Status::Turn(mover) => mover,
        };
        let mut value = self.shared.scale.guess(leaf.guess);
        let Some(state) = &leaf.noisy else { return Ok((value, false)) };
        for i in first..self.moves.len() {
            if mover == Player::FIRST {
                alpha = alpha.max(value)
            } else {
                beta = beta.min(value)
            }
            if alpha >= beta {
                break;
            }
            let (v, _) = self.leaf_after(state, self.moves[i], alpha, beta, plies - 1)?;
            value = if mover == Player::FIRST { value.max(v) } else { value.min(v) };
        }
        self.moves.truncate(first);
        Ok((value, false))
    }
}

/// Where a move leads.
enum Child<'a, G: FullGame> {
    /// To a state that is searched, and its number, if it is known.
    Inner(&'a G::State, Option<u64>),
    /// From this state to one at the end of the line.
    Leaf(&'a G::State, G::Move),
}

impl<G: FullGame> Copy for Child<'_, G> {}

impl<G: FullGame> Clone for Child<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

/// A state being searched: where its moves, ranks and, if they are listed, children begin, and its window.
struct Node {
    first: usize,
    first_rank: usize,
    first_child: Option<usize>,
    mover: Player,
    depth: u32,
    alpha: i32,
    beta: i32,
    ply: u32,
}

/// What the table says, if it says enough for this depth and window.
#[inline]
fn usable(entry: &Entry, depth: u32, alpha: i32, beta: i32) -> Option<Value> {
    let settled = entry.depth == SETTLED;
    let enough = match entry.flag {
        Flag::Exact => true,
        Flag::Lower => entry.value >= beta,
        Flag::Upper => entry.value <= alpha,
    };
    (enough && (settled || u32::from(entry.depth) >= depth)).then_some((entry.value, settled))
}

/// Whether the entry of a state whose value is proved to be `value` names a move that is proved to keep it.
fn keeps(entry: &Entry, mover: Player, value: i32) -> bool {
    let enough = match (entry.flag, mover) {
        (Flag::Exact, _) => entry.value == value,
        (Flag::Lower, Player::FIRST) => entry.value >= value,
        (Flag::Upper, Player::SECOND) => entry.value <= value,
        _ => false,
    };
    enough && entry.depth == SETTLED
}

impl<G: FullGame<Payoff = ZeroSum>> Search<G> for Engine<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        if self.threads.is_none() {
            let options = self.shared.options;
            let wanted = if options.table { options.bytes.min(table_bytes(&*self.shared.game, budget)) } else { 0 };
            let bytes = granted(wanted);
            self.note = note_of_less(wanted, bytes);
            self.shared.table.get_or_init(|| TranspositionTable::new(bytes, options.large_pages));
            let shared = self.shared.clone();
            self.threads = Some(PausableThreads::new(Some(2 * DEEPEST), move |pause| {
                if shared.work(pause).is_ok() {
                    pause.finish();
                }
            }));
        }
        let bytes = self.shared.table().bytes();
        if budget.memory.is_some_and(|limit| bytes > limit) {
            return Stop::Memory;
        }
        if budget.threads > 1 {
            self.shared.several.store(true, Atomic::Relaxed);
        }
        let shared = self.shared.clone();
        let progress = |nodes| {
            let depth = shared.found.lock().expect("no holder panics").depth;
            Progress { nodes, bytes, share: None, depth: Some(depth) }
        };
        self.threads.as_mut().expect("made above").run(budget, observer, progress)
    }

    fn answer(&self) -> Answer<G> {
        let found = self.shared.found.lock().expect("no holder panics");
        let (game, options, scale) = (&*self.shared.game, self.shared.options, self.shared.scale);
        let status = game.status(&self.shared.root);
        let sound = !options.null_move && options.k_best == usize::MAX;
        let proof = sound && (self.shared.numbering.exact || !options.table);
        let mut notes: Vec<String> = self.note.iter().cloned().collect();
        let verdict = match (status, found.value) {
            (Status::Over(payoff), _) => Verdict::Solved(payoff),
            (_, Some((value, true))) if proof => Verdict::Solved(scale.payoff(value)),
            (_, Some((value, settled))) => {
                if settled {
                    notes.push(unproved(sound).to_owned());
                }
                Verdict::Estimated(scale.estimate(value))
            }
            (_, None) => Verdict::Unknown,
        };
        let report = |(i, &mv): (usize, &G::Move)| {
            let verdict = if Some(i) == found.best { verdict } else { Verdict::Unknown };
            MoveReport { mv, verdict, visits: None }
        };
        let answer = Answer {
            mover: status.mover(),
            verdict,
            line: self.line(&found, verdict.solved().and(found.value).map(|v| v.0)),
            moves: found.legal.iter().enumerate().map(report).collect(),
            effort: Effort {
                nodes: self.threads.as_ref().map_or(0, PausableThreads::nodes),
                bytes: self.shared.table.get().map_or(0, TranspositionTable::bytes),
            },
            counts: vec![("depth", u64::from(found.depth - 1))],
            notes,
        };
        answer.reconciled(game, scale.objective())
    }
}

fn unproved(sound: bool) -> &'static str {
    if sound {
        "the value would not change with more depth, but the table holds hashes, so it is not called proved (exact=on \
or table=off proves)"
    } else {
        "the value would not change with more depth, but null-move or k-best may have skipped what matters, so it is \
not called proved"
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Engine<G> {
    /// The best move, if one was found, and what the table holds after it; if a value is proved, only moves that are
    /// proved to keep it.
    fn line(&self, found: &Found<G>, proved: Option<i32>) -> Vec<G::Move> {
        let game = &*self.shared.game;
        let best = found.best.and_then(|best| found.legal.get(best));
        let mut line: Vec<G::Move> = best.copied().into_iter().collect();
        let (Some(&mv), Some(table)) = (line.first(), self.shared.table.get()) else { return line };
        let mut state = game.after(&self.shared.root, mv);
        while line.len() < found.depth as usize {
            let mut moves = Vec::new();
            let Status::Turn(mover) = game.expand(&state, &mut moves) else { break };
            let entry = table.get(self.shared.numbering.number(game, &state));
            let entry = entry.filter(|entry| proved.is_none_or(|value| keeps(entry, mover, value)));
            let Some(&mv) = entry.and_then(|m| m.mv).and_then(|i| moves.get(usize::from(i))) else { break };
            line.push(mv);
            game.play(&mut state, mv);
        }
        line
    }
}
