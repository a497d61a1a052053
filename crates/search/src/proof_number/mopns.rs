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
    Answer, Budget, Choice, Effort, FullGame, Group, Observer, OptionSet, Params, Setting, Status, Stop, Verdict,
    ZeroSum, options,
};

use crate::proof_number::best_first::{Options, Prover, Ties};
use crate::proof_number::effort_numbers::Window;
use crate::proof_number::goals::{Aim, Outcomes};
use crate::proof_number::pns::{Refinements, Shape, ShapeOptions, prover};
use crate::proof_number::report::{Findings, answer};
use crate::{AlgorithmInfo, Reader, Refusal, SaveError, Search, Setup, Writer};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "mopns",
    summary: "multiple-outcome proof-number search: all outcomes at once, in one tree",
    players: "2",
    exact: true,
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

/// A search, from what a user said of it.
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

/// The search for the value.
pub struct Mopns<G: FullGame<Payoff = ZeroSum>> {
    game: Arc<G>,
    root: G::State,
    outcomes: Arc<Outcomes>,
    /// `None` if the game is over at the root.
    prover: Option<Box<dyn Prover<G>>>,
}

impl<G: FullGame<Payoff = ZeroSum>> Mopns<G> {
    /// Prepares the search; refusals are in the name of `algorithm`.
    pub fn new(
        algorithm: &'static str,
        game: Arc<G>,
        root: G::State,
        outcomes: Outcomes,
        shape: Shape,
        options: Options,
    ) -> Result<Self, Refusal> {
        if !game.facts().acyclic {
            return Err(Refusal::Cyclic { algorithm });
        }
        let outcomes = Arc::new(outcomes);
        let open = matches!(game.status(&root), Status::Turn(_));
        let prover = open.then(|| prover(&game, &root, &outcomes, Aim::All, shape, options));
        Ok(Mopns { game, root, outcomes, prover })
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Search<G> for Mopns<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let stop = self.prover.as_mut().and_then(|prover| prover.prove(budget.threads, &mut budget.start(), observer));
        stop.unwrap_or(Stop::Done)
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        self.prover.as_ref().map_or(Ok(()), |prover| prover.save(to))
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        self.prover.as_mut().map_or(Ok(()), |prover| prover.restore(from))
    }

    fn proved(&self, state: &G::State) -> Verdict<ZeroSum> {
        let window = self.prover.as_ref().and_then(|prover| prover.known(state));
        window.map_or(Verdict::Unknown, |window| self.outcomes.verdict(window))
    }

    fn answer(&self) -> Answer<G> {
        let findings = match &self.prover {
            None => Findings {
                window: Window::full(self.outcomes.goals()),
                moves: vec![],
                line: vec![],
                effort: Effort::default(),
                counts: vec![],
                notes: vec![],
            },
            Some(prover) => Findings {
                window: prover.window(),
                moves: prover.moves(),
                line: prover.line(),
                effort: Effort { nodes: prover.nodes(), bytes: prover.bytes() },
                counts: match prover.collections() {
                    0 => vec![("expansions", prover.expansions())],
                    n => vec![("expansions", prover.expansions()), ("collections", n)],
                },
                notes: vec![],
            },
        };
        answer(&*self.game, &self.root, &self.outcomes, findings)
    }
}
