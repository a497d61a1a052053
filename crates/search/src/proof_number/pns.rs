//! Proof-number search (Saffidine and Cazenave 2012, §3): is the value at least o? Asked for several outcomes o, it
//! finds the value.
//!
//! Best-first: the leaf that is expanded next is the one whose settling helps most to prove *and* to disprove the goal.
//! A game with m outcomes takes about lg m goals if the middle one is always asked (`mode=dichotomic`), up to m - 1 if
//! outcomes are eliminated one by one from the mover's best (`mode=iterative`); `goal=O` asks one question only.
//!
//! Proves; finite acyclic games of two players. Cost: memory grows with the tree (16 bytes a node and the move). With
//! `table=on` equal positions are one node. See [`crate::proof_number::mopns`] for all outcomes in one tree.

use std::sync::Arc;

use perfectplay_core::{
    Answer, Budget, Choice, Effort, FullGame, Game, Group, Observer, OptionSet, Optional, Params, Plain, Player,
    Setting, Status, Stop, Switch, Verdict, ZeroSum, options,
};

use crate::proof_number::depth_first::Settings;
use crate::proof_number::effort_numbers::Window;
use crate::proof_number::goals::{Aim, Outcomes};
use crate::proof_number::graph::{Sum, on_graph};
use crate::proof_number::proved_line::{Ground, ProvedLine, Questions, Spent};
use crate::proof_number::report::{Findings, OneThread, answer};
use crate::proof_number::tree_search::{Options, Prover, RACING, on_tree};
use crate::support::saved::require_stable_keys;
use crate::{AlgorithmInfo, Reader, Refusal, SaveError, Search, Setup, Threads, Writer};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "pns",
    summary: "proof-number search: looks where least is left to prove, for one outcome after the other",
    players: "2",
    exact: true,
    threads: Threads::Racing(RACING),
    options: PnsOptions::docs,
};

options! {
    struct PnsOptions {
        question: Question = Group,
        refinements: Refinements = Group,
        squared: bool =
            Setting::switch("squared", "on: PN², a search of its own at every new leaf", Options::USUAL.nested),
        shape: ShapeOptions = Group,
    }
}

options! {
    /// What to ask for.
    pub(crate) struct Question {
        order: Mode = Setting::choice(
            "mode",
            "in which order outcomes are asked for",
            &[
                ("dichotomic", "the middle one of those left", Mode::Dichotomic),
                ("iterative", "from the mover's best on", Mode::Iterative),
            ],
        ),
        goal: Option<String> = Optional::text(
            "goal",
            "only ask whether the first player gets at least this outcome: win, draw or a score",
            "none: find the value",
        ),
    }
}

options! {
    /// How the search on a tree or a graph is refined.
    pub(crate) struct Refinements {
        current_node: bool = Setting::switch(
            "current-node",
            "on: go on where numbers did not change, off: always from the root; the tree is the same",
            Options::USUAL.current_node,
        ),
        mobility: bool = mobility(Options::USUAL.mobility),
        heuristic: bool = HEURISTIC,
        prune: bool = Setting::switch(
            "prune",
            "on: free what cannot matter any more (not with table=on)",
            Options::USUAL.prune,
        ),
    }
}

options! {
    /// What the search grows.
    pub(crate) struct ShapeOptions {
        table: bool = Setting::switch("table", "on: equal positions are one node", false),
        sum: Sum = SUM,
    }
}

pub(crate) const fn mobility(default: bool) -> Setting<Switch> {
    Setting::switch("mobility", "on: a new leaf starts with its number of moves as effort", default)
}

pub(crate) const HEURISTIC: Setting<Switch> = Setting::switch(
    "heuristic",
    "on: a new leaf starts with effort by the game's own evaluation",
    Options::USUAL.heuristic,
);

pub(crate) const SUM: Setting<Choice<Sum>> = Setting::choice(
    "sum",
    "how efforts are added up where equal positions are one node",
    &[("plain", "", Sum::Plain), ("weak", "do not count shared positions several times", Sum::Weak)],
);

/// In which order outcomes are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The middle one of those left.
    Dichotomic,
    /// The mover's best one of those left.
    Iterative,
    /// One question: at least the outcome of rank goal + 1?
    Goal(usize),
}

/// Makes what grows a tree.
type OnTree<G> = fn(Arc<G>, <G as Game>::State, Arc<Outcomes>, Aim, Options) -> Box<dyn Prover<G>>;
/// Makes what grows a graph.
type OnGraph<G> = fn(Arc<G>, <G as Game>::State, Arc<Outcomes>, Aim, Options, Sum) -> Box<dyn Prover<G>>;
/// Makes what fills a table.
type WithTable<G> = fn(Arc<G>, <G as Game>::State, Arc<Outcomes>, Aim, Settings) -> Box<dyn Prover<G>>;

/// What the search grows, and what makes it: who never names a shape does not compile it.
pub enum Shape<G: FullGame<Payoff = ZeroSum>> {
    /// A tree: equal positions are different nodes.
    Tree(OnTree<G>),
    /// A graph: equal positions are one node.
    Graph(Sum, OnGraph<G>),
    /// A table; see [`crate::proof_number::df_pn`].
    Table(Settings, WithTable<G>),
}

impl Question {
    /// Which outcomes to ask for, and when.
    pub(crate) fn mode(&self, outcomes: &Outcomes) -> Result<Mode, Refusal> {
        let Some(text) = &self.goal else { return Ok(self.order) };
        match outcomes.parse(text)?.checked_sub(1) {
            Some(goal) => Ok(Mode::Goal(goal)),
            None => {
                let message = format!("goal={text} is the worst outcome: it is certain, there is nothing to prove");
                Err(Refusal::Other(message))
            }
        }
    }
}

impl ShapeOptions {
    /// `nested` is the name of the switch for searches at the leaves, if it is on: they need a tree.
    pub(crate) fn shape<G: FullGame<Payoff = ZeroSum>>(&self, nested: Option<&str>) -> Result<Shape<G>, Refusal> {
        match (self.table, nested) {
            (false, _) => Ok(Shape::Tree(on_tree)),
            (true, None) => Ok(Shape::Graph(self.sum, on_graph)),
            (true, Some(name)) => Err(Refusal::Other(format!("{name}=on works on a tree: set table=off"))),
        }
    }
}

impl Refinements {
    pub(crate) fn options(&self, nested: bool) -> Options {
        let &Refinements { current_node, mobility, heuristic, prune } = self;
        Options { current_node, mobility, heuristic, prune, nested, ..Options::USUAL }
    }
}

/// For two opposed players; refuses games in which positions repeat, and `squared` on a graph.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let outcomes = Outcomes::of(&*game, setup.objective, INFO.name)?;
    let given: PnsOptions = INFO.read(params)?;
    let mode = given.question.mode(&outcomes)?;
    let shape = given.shape.shape(given.squared.then_some("squared"))?;
    Ok(Box::new(Pns::new(INFO.name, game, root, outcomes, mode, shape, given.refinements.options(given.squared))?))
}

/// Proof-number search over the outcomes.
pub struct Pns<G: FullGame<Payoff = ZeroSum>> {
    ground: Ground<G>,
    root: G::State,
    mode: Mode,
    mover: Option<Player>,
    /// What finished questions proved.
    window: Window,
    moves: Vec<(G::Move, Window)>,
    /// With the last question answered: whoever writes the proof down asks what it knew.
    line: ProvedLine<G>,
    /// The question being asked.
    current: Option<Box<dyn Prover<G>>>,
    asked: u64,
    /// The most that a finished question held.
    bytes: usize,
    one_thread: OneThread,
}

impl<G: FullGame<Payoff = ZeroSum>> Pns<G> {
    /// Prepares the search; refusals are in the name of `algorithm`.
    pub fn new(
        algorithm: &'static str,
        game: Arc<G>,
        root: G::State,
        outcomes: Outcomes,
        mode: Mode,
        shape: Shape<G>,
        options: Options,
    ) -> Result<Self, Refusal> {
        if !game.facts().acyclic && !matches!(shape, Shape::Table(..)) {
            return Err(Refusal::Cyclic { algorithm: algorithm.into() });
        }
        let mut window = Window::full(outcomes.goals());
        let status = game.status(&root);
        if let Status::Over(payoff) = status {
            let rank = outcomes.rank(payoff);
            window = Window { pessimistic: rank, optimistic: rank };
        }
        Ok(Pns {
            mover: status.mover(),
            ground: Ground { game, outcomes: Arc::new(outcomes), shape, options },
            root,
            mode,
            window,
            moves: Vec::new(),
            line: ProvedLine::new(),
            current: None,
            asked: 0,
            bytes: 0,
            one_thread: OneThread::default(),
        })
    }

    /// The goal to ask about next; `None` if the value is known or the one question answered.
    fn next_goal(&self) -> Option<usize> {
        let (low, high) = (usize::from(self.window.pessimistic), usize::from(self.window.optimistic));
        if self.window.closed() {
            return None;
        }
        match self.mode {
            Mode::Goal(_) if self.asked > 0 => None,
            Mode::Goal(goal) => Some(goal),
            Mode::Dichotomic => Some((low + high - 1) / 2),
            Mode::Iterative if self.mover == Some(Player::FIRST) => Some(high - 1),
            Mode::Iterative => Some(low),
        }
    }

    /// Takes over what the finished question about `goal` proved.
    fn conclude(&mut self, prover: Box<dyn Prover<G>>, goal: usize) {
        let found = prover.window();
        // A run shows a good move for the mover if it proved something in the mover's favour.
        let for_mover = match self.mover {
            Some(Player::FIRST) => found.pessimistic > 0,
            _ => usize::from(found.optimistic) < self.ground.outcomes.goals(),
        };
        self.window = self.window.and(found);
        if for_mover || self.line.moves.is_empty() || self.whole_line_counts() {
            self.line.moves = prover.line();
        }
        if self.moves.is_empty() {
            self.moves = prover.moves();
        } else {
            for ((_, window), (_, found)) in self.moves.iter_mut().zip(prover.moves()) {
                *window = window.and(found);
            }
        }
        self.bytes = self.bytes.max(prover.bytes());
        self.line.take_over(prover, Aim::Goal(goal), self.questions());
        if self.window.closed() && !self.whole_line_counts() {
            self.line.moves.truncate(1);
        }
    }

    /// What keeps the value, once it is known.
    fn questions(&self) -> Questions {
        Questions::about(self.window.pessimistic, self.ground.outcomes.goals())
    }

    /// Where positions repeat, moves that keep a value may go round in circles: the line is its first move.
    fn extends_line(&self) -> bool {
        self.window.closed() && self.mover.is_some() && self.ground.game.facts().acyclic
    }

    /// The moves after the first one answer one question only: they belong to the value if it is the best or the worst.
    fn whole_line_counts(&self) -> bool {
        let value = usize::from(self.window.pessimistic);
        self.window.closed() && (value == 0 || value == self.ground.outcomes.goals())
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Search<G> for Pns<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let mut meter = budget.start();
        self.one_thread = OneThread::of(budget.threads, self.grows() && observer.wants_growth());
        while let Some(goal) = self.next_goal() {
            let mut prover = match self.current.take() {
                Some(prover) => prover,
                None => {
                    self.line.release();
                    self.ground.prover(&self.root, Aim::Goal(goal))
                }
            };
            prover.watch(observer.wants_growth());
            let stop = prover.prove(budget.threads, &mut meter, observer);
            prover.watch(false);
            if let Some(stop) = stop {
                self.current = Some(prover);
                return stop;
            }
            self.asked += 1;
            self.conclude(prover, goal);
        }
        if !self.extends_line() {
            return Stop::Done;
        }
        let questions = self.questions();
        let stop = self.line.extend(&self.ground, &self.root, questions, budget.threads, &mut meter, observer);
        self.bytes = self.bytes.max(self.line.bytes());
        stop.unwrap_or(Stop::Done)
    }

    fn grows(&self) -> bool {
        matches!(self.ground.shape, Shape::Tree(_))
    }

    fn threads_used(&self, given: usize) -> usize {
        if self.one_thread.note(self.ground.options.nested).is_some() { 1 } else { given }
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        // Refused now, not only when the first question has been asked.
        if !matches!(self.ground.shape, Shape::Tree(_)) {
            require_stable_keys(&*self.ground.game)?;
        }
        to.put(self.window)?;
        to.put([self.asked, self.bytes as u64])?;
        self.line.save(self.extends_line(), to)?;
        to.put_len(self.moves.len())?;
        for (mv, window) in &self.moves {
            to.put(*mv)?;
            to.put(*window)?;
        }
        to.put(self.current.is_some())?;
        self.current.as_ref().map_or(Ok(()), |prover| prover.save(to))
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        self.window = from.get()?;
        let bytes: u64;
        [self.asked, bytes] = from.get()?;
        self.bytes = bytes as usize;
        self.line.restore(&self.ground, &self.root, self.questions(), from)?;
        self.moves.clear();
        for _ in 0..from.get_len(G::Move::SIZE + 4)? {
            self.moves.push((from.get()?, from.get()?));
        }
        if from.get()? {
            // The question follows from what the finished ones proved.
            let goal = self.next_goal().ok_or(SaveError::Damaged("a question that has been answered"))?;
            let mut prover = self.ground.prover(&self.root, Aim::Goal(goal));
            prover.restore(from)?;
            self.current = Some(prover);
        }
        Ok(())
    }

    fn proved(&self, state: &G::State) -> Verdict<ZeroSum> {
        let window = match &self.current {
            Some(prover) => prover.known(state),
            None => self.line.known(state),
        };
        window.map_or(Verdict::Unknown, |window| self.ground.outcomes.verdict(window))
    }

    fn answer(&self) -> Answer<G> {
        let current = self.current.as_deref();
        let mut line = match current {
            Some(prover) if self.line.moves.is_empty() => prover.line(),
            _ => self.line.moves.clone(),
        };
        if !self.window.closed() {
            line.truncate(1); // the moves after the first one answer one question only
        }
        let mut spent = self.line.spent();
        current.iter().for_each(|prover| spent += Spent::of(*prover));
        let mut counts =
            vec![("expansions", spent.expansions), ("questions", self.asked + u64::from(current.is_some()))];
        if let Shape::Table(..) = self.ground.shape {
            counts.push(("collections", spent.collections));
        }
        counts.extend(spent.tally.counts());
        let repeats = !self.ground.game.facts().acyclic;
        let notes = repeats.then(|| "positions can repeat in this game: endless play counts as a draw".to_owned());
        let findings = Findings {
            window: self.window,
            moves: if self.moves.is_empty() { current.map_or(vec![], |p| p.moves()) } else { self.moves.clone() },
            line,
            effort: Effort { nodes: spent.nodes, bytes: current.map_or(self.bytes, |p| p.bytes()) },
            counts,
            notes: notes.into_iter().chain(self.one_thread.note(self.ground.options.nested)).collect(),
        };
        answer(&*self.ground.game, &self.root, &self.ground.outcomes, findings)
    }
}
