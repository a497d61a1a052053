//! Multiple-outcome proof-number search (Saffidine and Cazenave 2012, §4): the value of a game with any number of
//! outcomes, in one tree.
//!
//! Every node carries effort numbers for all outcomes. Before each descent the root chooses its attracting outcome, the
//! one that seems cheapest to prove among those the mover is not sure of; the descent is proof-number search for it.
//! What is learnt about one outcome serves the others, and relevancy bounds, like those of alpha-beta, free subtrees
//! that can no longer matter. In the paper's experiments and in ours it creates fewer nodes than two well-chosen runs
//! of PNS.
//!
//! Proves; finite acyclic games of two players whose outcomes can be listed. Cost: memory grows with the tree, 8 bytes
//! per outcome but one, 8 more and the move per node.

use std::sync::Arc;

use perfectplay_core::{
    Answer, Budget, Choice, Effort, FullGame, Group, Observer, OptionSet, Params, Plain, Setting, Status, Stop,
    Verdict, ZeroSum, options,
};

use crate::proof_number::effort_numbers::Window;
use crate::proof_number::goals::{Aim, Outcomes};
use crate::proof_number::pns::{Refinements, Shape, ShapeOptions};
use crate::proof_number::proved_line::{Ground, ProvedLine, Questions, Spent};
use crate::proof_number::report::{Findings, OneThread, answer};
use crate::proof_number::tree_search::{Options, Prover, RACING, Ties};
use crate::{AlgorithmInfo, Reader, Refusal, SaveError, Search, Setup, Threads, Writer};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "mopns",
    summary: "multiple-outcome proof-number search: all outcomes at once, in one tree",
    players: "2",
    exact: true,
    threads: Threads::Racing(RACING),
    options: MopnsOptions::docs,
};

options! {
    struct MopnsOptions {
        ties: Ties = TIES,
        refinements: Refinements = Group,
        nested: bool =
            Setting::switch("nested", "on: a search of its own at every new leaf, as in PN²", Options::USUAL.nested),
        shape: ShapeOptions = Group,
    }
}

pub(crate) const TIES: Setting<Choice<Ties>> = Setting::choice(
    "ties",
    "which outcome, seen by the mover, attracts among equally cheap ones",
    &[("better", "", Ties::Better), ("worse", "", Ties::Worse)],
);

/// For two opposed players; refuses games in which positions repeat, and `nested` on a graph.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let outcomes = Outcomes::of(&*game, setup.objective, INFO.name)?;
    let given: MopnsOptions = INFO.read(params)?;
    let shape = given.shape.shape(given.nested.then_some("nested"))?;
    let options = Options { ties: given.ties, ..given.refinements.options(given.nested) };
    Ok(Box::new(Mopns::new(INFO.name, game, root, outcomes, shape, options)?))
}

/// The window of the root, and of every move.
type Settled<G> = (Window, Vec<(<G as perfectplay_core::Game>::Move, Window)>);

/// The search for the value.
pub struct Mopns<G: FullGame<Payoff = ZeroSum>> {
    ground: Ground<G>,
    root: G::State,
    /// `None` if the game is over at the root, or the value is known.
    prover: Option<Box<dyn Prover<G>>>,
    /// What is known when it has ended.
    settled: Option<Settled<G>>,
    line: ProvedLine<G>,
    one_thread: OneThread,
}

impl<G: FullGame<Payoff = ZeroSum>> Mopns<G> {
    /// Prepares the search; refusals are in the name of `algorithm`.
    pub fn new(
        algorithm: &'static str,
        game: Arc<G>,
        root: G::State,
        outcomes: Outcomes,
        shape: Shape<G>,
        options: Options,
    ) -> Result<Self, Refusal> {
        if !game.facts().acyclic {
            return Err(Refusal::Cyclic { algorithm: algorithm.into() });
        }
        let open = matches!(game.status(&root), Status::Turn(_));
        let ground = Ground { game, outcomes: Arc::new(outcomes), shape, options };
        let prover = open.then(|| ground.prover(&root, Aim::All));
        Ok(Mopns { ground, root, prover, settled: None, line: ProvedLine::new(), one_thread: OneThread::default() })
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Search<G> for Mopns<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let mut meter = budget.start();
        self.one_thread = OneThread::of(budget.threads, self.grows() && observer.wants_growth());
        if let Some(mut prover) = self.prover.take() {
            prover.watch(observer.wants_growth());
            let stop = prover.prove(budget.threads, &mut meter, observer);
            prover.watch(false);
            if let Some(stop) = stop {
                self.prover = Some(prover);
                return stop;
            }
            self.settled = Some((prover.window(), prover.moves()));
            self.line.moves = prover.line();
            self.line.take_over(prover, Aim::All, Questions::All);
        }
        let stop = self.line.extend(&self.ground, &self.root, Questions::All, budget.threads, &mut meter, observer);
        stop.unwrap_or(Stop::Done)
    }

    fn grows(&self) -> bool {
        matches!(self.ground.shape, Shape::Tree(_))
    }

    fn threads_used(&self, given: usize) -> usize {
        if self.one_thread.note(self.ground.options.nested).is_some() { 1 } else { given }
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        to.put(self.prover.is_some())?;
        if let Some(prover) = &self.prover {
            return prover.save(to);
        }
        to.put(self.settled.is_some())?;
        if let Some((window, moves)) = &self.settled {
            to.put(*window)?;
            to.put_len(moves.len())?;
            for (mv, window) in moves {
                to.put(*mv)?;
                to.put(*window)?;
            }
        }
        self.line.save(true, to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        if from.get()? {
            let prover = self.prover.as_mut().ok_or(SaveError::Damaged("a search of a finished game"))?;
            return prover.restore(from);
        }
        self.prover = None;
        if from.get()? {
            let window = from.get()?;
            let mut moves = Vec::new();
            for _ in 0..from.get_len(G::Move::SIZE + 4)? {
                moves.push((from.get()?, from.get()?));
            }
            self.settled = Some((window, moves));
        }
        self.line.restore(&self.ground, &self.root, Questions::All, from)
    }

    fn proved(&self, state: &G::State) -> Verdict<ZeroSum> {
        let window = match &self.prover {
            Some(prover) => prover.known(state),
            None => self.line.known(state),
        };
        window.map_or(Verdict::Unknown, |window| self.ground.outcomes.verdict(window))
    }

    fn answer(&self) -> Answer<G> {
        let (window, moves) = match (&self.prover, &self.settled) {
            (Some(prover), _) => (prover.window(), prover.moves()),
            (None, Some(settled)) => settled.clone(),
            (None, None) => (Window::full(self.ground.outcomes.goals()), vec![]),
        };
        let mut spent = self.line.spent();
        self.prover.iter().for_each(|prover| spent += Spent::of(&**prover));
        let mut counts = vec![("expansions", spent.expansions)];
        counts.extend((spent.collections > 0).then_some(("collections", spent.collections)));
        counts.extend(spent.tally.counts());
        let bytes = self.prover.as_ref().map_or(0, |prover| prover.bytes()) + self.line.bytes();
        let findings = Findings {
            window,
            moves,
            line: self.prover.as_ref().map_or_else(|| self.line.moves.clone(), |prover| prover.line()),
            effort: Effort { nodes: spent.nodes, bytes },
            counts,
            notes: self.one_thread.note(self.ground.options.nested).into_iter().collect(),
        };
        answer(&*self.ground.game, &self.root, &self.ground.outcomes, findings)
    }
}
