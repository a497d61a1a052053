//! Searches at work on positions, whose types are known only inside.

use std::time::{Duration, Instant};

use perfectplay_check::Header;
use perfectplay_core::{Budget, FullGame, HeldElsewhere, Objective, Observer, Payoff, Stop, TextError, Verdict};
use perfectplay_search::{AlgorithmInfo, Reader, SaveError, Search, Writer};

use crate::Error;
use crate::assemble::{self, ProofSide};
use crate::certify::{self, Draft, ProofFile, ProofLine, Source};
use crate::position::Position;
use crate::report::{Context, Report};
use crate::table::{self, TableLine};

/// A search of some type at work on a position.
pub trait AnySearch: Send {
    /// Spends a budget; may be called again.
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop;
    /// What is known now.
    fn report(&self) -> Report;
    /// Notes why its caller will not go on.
    fn stopped(&mut self, stop: Stop);
    /// Goes on from the position after a move, with what is known about it; `false` if the search cannot, and a new one
    /// must be made for that position.
    fn advance(&mut self, text: &str) -> Result<bool, TextError>;
    /// Whether an observer is told how a tree grows.
    fn grows(&self) -> bool;
    /// Writes everything that going on depends on.
    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError>;
    /// Takes the place of the search that `save` wrote, after it had run for so many seconds.
    fn restore(&mut self, from: &mut Reader<'_>, seconds: f64) -> Result<(), SaveError>;
    /// Whether a proof of this game's positions can be written; a sentence if not.
    fn can_prove(&self) -> Result<(), Error>;
    /// Whether a table of all values can be written of this search; a sentence if not.
    fn can_write_table(&self) -> Result<(), Error>;
    /// Writes the values of all positions, if the search has them all.
    fn write_table(&self, file: ProofFile) -> Result<TableLine, Error>;
    /// Writes the proof of a solved position, as long as the budget lasts. Refuses if the position is not solved.
    fn write_proof(
        &mut self,
        file: ProofFile,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<ProofLine, Error>;
    /// Writes one strategy, of what is proved about a position that need not be solved: a part for
    /// [`AnyPosition::assemble_proof`](crate::AnyPosition::assemble_proof).
    fn write_side(
        &mut self,
        side: ProofSide,
        file: ProofFile,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<ProofLine, Error>;
}

/// A search, and what it is told about.
pub(crate) struct RunningSearch<G: FullGame> {
    position: Position<G>,
    search: Box<dyn Search<G>>,
    name: String,
    objective: Objective,
    spent: Duration,
    stop: Option<Stop>,
    /// Its entry in the list, if it has one.
    info: Option<&'static AlgorithmInfo>,
    /// What it was given last.
    threads: usize,
}

impl<G: FullGame> RunningSearch<G> {
    pub(crate) fn new(
        position: Position<G>,
        search: Box<dyn Search<G>>,
        name: &str,
        objective: Objective,
        info: Option<&'static AlgorithmInfo>,
    ) -> Self {
        let (name, spent) = (name.to_owned(), Duration::ZERO);
        RunningSearch { position, search, name, objective, spent, stop: None, info, threads: 1 }
    }
}

impl<G: FullGame> AnySearch for RunningSearch<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let started = Instant::now();
        let game = self.position.opened.game.clone();
        let budget = Budget { held_elsewhere: HeldElsewhere::new(move || game.kept_bytes()), ..budget.clone() };
        let stop = self.search.run(&budget, observer);
        self.threads = budget.threads;
        self.spent += started.elapsed();
        self.stop = Some(stop);
        stop
    }

    fn report(&self) -> Report {
        let context = Context {
            game: &self.position.opened.spec,
            algorithm: &self.name,
            proved_by: self.search.prover(),
            objective: self.objective,
            seconds: self.spent.as_secs_f64(),
            stop: self.stop,
            threads: self.search.threads_used(self.info.map_or(1, |info| info.used(self.threads))),
        };
        let mut answer = self.search.answer();
        answer.notes.extend(self.info.and_then(|info| info.note_on(self.threads)));
        Report::new(&*self.position.opened.game, &self.position.state, answer, context)
    }

    fn stopped(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    fn advance(&mut self, text: &str) -> Result<bool, TextError> {
        let game = &self.position.opened.game;
        let mv = game.parse_move(&self.position.state, text)?;
        let kept = self.search.advance(mv);
        if kept {
            game.play(&mut self.position.state, mv);
            self.stop = None;
        }
        Ok(kept)
    }

    fn grows(&self) -> bool {
        self.search.grows()
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        self.search.save(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>, seconds: f64) -> Result<(), SaveError> {
        self.spent = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        self.search.restore(from)
    }

    fn can_prove(&self) -> Result<(), Error> {
        if self.objective == Objective::Length {
            return Ok(()); // wins can be proved where positions repeat, too
        }
        certify::refuse_cycles(&*self.position.opened.game)
    }

    fn can_write_table(&self) -> Result<(), Error> {
        table::can_write(&*self.position.opened.game, &self.name)
    }

    fn write_table(&self, file: ProofFile) -> Result<TableLine, Error> {
        table::write(&self.position, &*self.search, file)
    }

    fn write_proof(
        &mut self,
        file: ProofFile,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<ProofLine, Error> {
        let started = Instant::now();
        let value = match self.search.answer().verdict {
            Verdict::Solved(value) => value,
            Verdict::Equilibria(_) => {
                let reason =
                    "there is no proof: of several equilibria none is the value; another algorithm chooses one";
                return Err(Error::Unproved(reason.into()));
            }
            _ => return Err(Error::Unproved("there is no proof: the position is not solved".into())),
        };
        let (opened, root) = (&self.position.opened, &self.position.state);
        let (objective, search) = (self.objective, &mut *self.search);
        let draft =
            (opened.by_payoff.prove)(Source { game: &opened.game, root, objective, value, search, budget, observer })?;
        file.write(header(&self.position, objective, &draft), draft, started)
    }

    fn write_side(
        &mut self,
        side: ProofSide,
        file: ProofFile,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<ProofLine, Error> {
        let started = Instant::now();
        let (opened, root) = (&self.position.opened, &self.position.state);
        let (objective, search) = (self.objective, &mut *self.search);
        let Some(prove) = opened.by_payoff.prove_side else { return Err(assemble::refusal()) };
        let value = G::Payoff::from_scores(&[side.value, -side.value]);
        let source = Source { game: &opened.game, root, objective, value, search, budget, observer };
        let draft = prove(source, side.part())?;
        file.write(header(&self.position, objective, &draft), draft, started)
    }
}

/// What a certificate says it is about.
pub(crate) fn header<G: FullGame>(position: &Position<G>, objective: Objective, draft: &Draft) -> Header {
    Header {
        game: position.opened.spec.clone(),
        position: position.opened.game.position_text(&position.state),
        objective,
        claim: draft.claim.clone(),
        parts: draft.parts.iter().map(|(part, graph)| (*part, graph.len() as u64)).collect(),
    }
}
