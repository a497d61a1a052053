//! Algorithms compiled for a game's own type, shown as searches of the same game behind the seam.
//!
//! A node of Connect Four or Breakthrough costs so little that the seam is felt. So the searches that were measured to
//! gain by it are compiled for the type itself. Everything around them (reports, proofs, books, tables) knows the
//! packed game only: states, keys and moves are the same bytes, and change their type here, once per call, not per
//! node.

use std::sync::Arc;

use perfectplay_core::{
    Answer, Budget, FullGame, Game, Meter, MoveReport, Objective, Observer, Params, Stop, Verdict, ZeroSum,
};
use perfectplay_games::seam::{PackedMove, Tiny, Words};
use perfectplay_search::alpha_beta::exact_solver::{self, Scorer};
use perfectplay_search::{Reader, Refusal, SaveError, Search, Setup, Writer};

use crate::algorithms::{Entry, natively};

/// What is compiled for a type of its own, as searches of the packed game `G`.
pub(crate) trait Native<G: FullGame>: Send + Sync {
    /// The algorithm of this name; `None` if it is compiled for packed games only.
    fn open(
        &self,
        name: &str,
        root: &G::State,
        setup: &Setup,
        params: &Params,
    ) -> Option<Result<Box<dyn Search<G>>, Refusal>>;
    /// What tells the scores of positions with a table of `bytes`.
    fn scorer(&self, bytes: usize) -> Result<Box<dyn Scorer<G>>, Refusal>;
}

/// A game of a type that algorithms are compiled for.
pub(crate) struct Compiled<N: FullGame> {
    game: Arc<N>,
    algorithms: Vec<Entry<N>>,
}

impl<N: FullGame<Payoff = ZeroSum>> Compiled<N> {
    pub(crate) fn new(game: N) -> Self {
        Compiled { game: Arc::new(game), algorithms: natively() }
    }
}

type Packed = Tiny<ZeroSum>;
type State = <Packed as Game>::State;
type Key = <Packed as Game>::Key;
type Move = <Packed as Game>::Move;

impl<N: FullGame<Payoff = ZeroSum>> Native<Packed> for Compiled<N> {
    fn open(
        &self,
        name: &str,
        root: &State,
        setup: &Setup,
        params: &Params,
    ) -> Option<Result<Box<dyn Search<Packed>>, Refusal>> {
        let entry = self.algorithms.iter().find(|e| e.info.name == name)?;
        let search = (entry.open)(self.game.clone(), root.unpack(), setup, params.clone());
        Some(search.map(|search| Box::new(Shown(search)) as Box<dyn Search<Packed>>))
    }

    fn scorer(&self, bytes: usize) -> Result<Box<dyn Scorer<Packed>>, Refusal> {
        Ok(Box::new(Shown(exact_solver::scorer(self.game.clone(), bytes)?)))
    }
}

/// A native search or scorer, shown as one of the packed game.
struct Shown<T>(T);

#[warn(clippy::missing_trait_methods)]
impl<N: FullGame<Payoff = ZeroSum>> Search<Packed> for Shown<Box<dyn Search<N>>> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        self.0.run(budget, observer)
    }

    fn answer(&self) -> Answer<Packed> {
        let Answer { mover, verdict, line, moves, effort, counts, notes } = self.0.answer();
        let report = |r: MoveReport<N>| MoveReport { mv: Move::pack(r.mv), verdict: r.verdict, visits: r.visits };
        Answer {
            mover,
            verdict,
            line: line.into_iter().map(PackedMove::pack).collect(),
            moves: moves.into_iter().map(report).collect(),
            effort,
            counts,
            notes,
        }
    }

    fn advance(&mut self, mv: Move) -> bool {
        self.0.advance(mv.unpack())
    }

    fn grows(&self) -> bool {
        self.0.grows()
    }

    fn threads_used(&self, given: usize) -> usize {
        self.0.threads_used(given)
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        self.0.save(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        self.0.restore(from)
    }

    fn narrow(&mut self, lower: ZeroSum, upper: ZeroSum) {
        self.0.narrow(lower, upper);
    }

    fn prover(&self) -> Option<&'static str> {
        self.0.prover()
    }

    fn proved(&self, state: &State) -> Verdict<ZeroSum> {
        self.0.proved(&state.unpack())
    }

    fn strong_values(&self, each: &mut dyn FnMut(&Key, i32)) -> bool {
        self.0.strong_values(&mut |key, value| each(&Words::pack(key), value))
    }

    fn exceeds(&mut self, state: &State, alpha: i32, meter: &mut Meter) -> Option<Result<bool, Stop>> {
        self.0.exceeds(&state.unpack(), alpha, meter)
    }
}

impl<N: FullGame<Payoff = ZeroSum>> Scorer<Packed> for Shown<Box<dyn Scorer<N>>> {
    fn forget(&mut self) {
        self.0.forget();
    }

    fn score(&mut self, state: &State) -> i32 {
        self.0.score(&state.unpack())
    }

    fn value(&mut self, state: &State, objective: Objective, meter: &mut Meter) -> Result<i32, Stop> {
        self.0.value(&state.unpack(), objective, meter)
    }

    fn nodes(&self) -> u64 {
        self.0.nodes()
    }
}
