//! Games whose types are known only inside, and how they are opened.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use perfectplay_core::{Budget, Facts, FullGame, Objective, Observer, Payoff, Scores, Spec, TextError, ZeroSum};
use perfectplay_games::seam::{self, Packed, SeamVisitor, Teams, in_teams};
use perfectplay_search::alpha_beta::exact_solver::{self, Scorer};
use perfectplay_search::book::{Book, BookError, Built, Checked};
use perfectplay_search::{AlgorithmInfo, Refusal};

use crate::algorithms::{Entry, for_any, for_zero_sum};
use crate::certify::{self, Prove};
use crate::position::{AnyPosition, Position};
use crate::test_set::{self, Scored, SetResult};
use crate::{Error, book};

/// A game of some type.
pub trait AnyGame: Send + Sync {
    /// The text it was opened with.
    fn spec(&self) -> &str;
    /// What is true of it.
    fn facts(&self) -> Facts;
    /// The position in which it begins.
    fn start(&self) -> Box<dyn AnyPosition>;
    /// The position written in the game's notation.
    fn parse_position(&self, text: &str) -> Result<Box<dyn AnyPosition>, TextError>;
    /// What reading this text had to overlook: one sentence for who wrote it.
    fn position_note(&self, text: &str) -> Option<String>;
    /// How its states reach the algorithms, in words.
    fn storage(&self) -> &str;
    /// The algorithms that work on it.
    fn algorithms(&self) -> Vec<&'static AlgorithmInfo>;
    /// Finds the exact score of one position after the other, each from a cold start with a table of `bytes`; `each`
    /// hears of every result and may end it.
    fn score_set(
        &self,
        set: &[Scored],
        bytes: usize,
        each: &mut dyn FnMut(&SetResult) -> ControlFlow<()>,
    ) -> Result<(), Error>;
    /// Builds the opening book of so many plies, or goes on with it, a table per thread.
    fn build_book(
        &self,
        plies: u32,
        objective: Objective,
        out: &Path,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<Built, BookError>;
    /// Looks whether a book of this game follows from the rules, and solves `sample` positions of its last ply again.
    fn check_book(&self, book: &Book, sample: usize, budget: &Budget) -> Result<Checked, BookError>;
}

/// A game with its name and its algorithms, shared by all its positions.
pub(crate) struct OpenGame<G: FullGame> {
    pub(crate) spec: String,
    pub(crate) game: Arc<G>,
    pub(crate) algorithms: Vec<Entry<G>>,
    pub(crate) by_payoff: ByPayoff<G>,
    storage: String,
}

/// What depends on the kind of payoff.
pub(crate) struct ByPayoff<G: FullGame> {
    /// For two players with opposed interests only.
    pub(crate) scorer: Option<OpenScorer<G>>,
    pub(crate) prove: Prove<G>,
    /// For two players with opposed interests only.
    pub(crate) from_book: Option<book::Ask<G>>,
    /// For all other games.
    pub(crate) teams: Option<OpenTeams<G>>,
}

type OpenScorer<G> = fn(Arc<G>, usize) -> Result<Box<dyn Scorer<G>>, Refusal>;

/// The same position of the game in which these teams play.
type OpenTeams<G> = fn(&OpenGame<G>, &<G as perfectplay_core::Game>::State, Teams, Objective) -> Box<dyn AnyPosition>;

impl<G: FullGame<Payoff = ZeroSum>> OpenGame<G> {
    fn zero_sum(spec: &str, game: G, storage: String) -> Arc<Self> {
        let by_payoff = ByPayoff {
            scorer: Some(exact_solver::scorer),
            prove: certify::two_players,
            from_book: Some(book::ask),
            teams: None,
        };
        Arc::new(OpenGame {
            spec: spec.to_owned(),
            game: Arc::new(game),
            algorithms: for_zero_sum(),
            by_payoff,
            storage,
        })
    }
}

impl<P: Payoff, const S: usize, const K: usize, const M: usize> OpenGame<Packed<P, S, K, M>> {
    fn several(spec: &str, game: Packed<P, S, K, M>) -> Arc<Self> {
        let storage = storage(&game);
        let by_payoff =
            ByPayoff { scorer: None, prove: certify::several_players, from_book: None, teams: Some(Self::in_teams) };
        Arc::new(OpenGame { spec: spec.to_owned(), game: Arc::new(game), algorithms: for_any(), by_payoff, storage })
    }

    fn in_teams(&self, state: &seam::Words<S>, teams: Teams, objective: Objective) -> Box<dyn AnyPosition> {
        let opened = OpenGame::zero_sum(&self.spec, in_teams(&self.game, teams, objective), self.storage.clone());
        Box::new(Position { opened, state: *state })
    }
}

/// `packed: state 67 of 80 bytes, key 32 of 32, move 2 of 8`
fn storage<P: Payoff, const S: usize, const K: usize, const M: usize>(game: &Packed<P, S, K, M>) -> String {
    let (states, keys, moves) = (seam::Words::<S>::BYTES, seam::Words::<K>::BYTES, seam::PackedMove::<M>::BYTES);
    match game.storage() {
        seam::Storage::Packed { state, key, mv } => {
            format!("packed: state {state} of {states} bytes, key {key} of {keys}, move {mv} of {moves}")
        }
        seam::Storage::Heap => "heap-allocated fallback: its states, keys or moves fit no class".to_owned(),
    }
}

/// A game, or what is wrong with its parameters.
pub(crate) type Opened = Result<Box<dyn AnyGame>, TextError>;

/// Opens the game that `spec` names: the only place where games and algorithms are multiplied.
pub(crate) fn open(text: &str, spec: Spec) -> Option<Opened> {
    seam::open(spec, Opener { spec: text })
}

/// The same behind the seam, whatever its type.
pub(crate) fn open_packed(text: &str, spec: Spec) -> Option<Opened> {
    seam::open_packed(spec, Opener { spec: text })
}

struct Opener<'a> {
    spec: &'a str,
}

impl SeamVisitor for Opener<'_> {
    type Output = Box<dyn AnyGame>;

    fn native<G: FullGame<Payoff = ZeroSum>>(self, game: G) -> Self::Output {
        Box::new(OpenGame::zero_sum(self.spec, game, "native: algorithms are compiled for this very type".to_owned()))
    }

    fn zero_sum<const S: usize, const K: usize, const M: usize>(self, game: Packed<ZeroSum, S, K, M>) -> Self::Output {
        let storage = storage(&game);
        Box::new(OpenGame::zero_sum(self.spec, game, storage))
    }

    fn several<const N: usize, const S: usize, const K: usize, const M: usize>(
        self,
        game: Packed<Scores<N>, S, K, M>,
    ) -> Self::Output {
        Box::new(OpenGame::several(self.spec, game))
    }
}

impl<G: FullGame> AnyGame for Arc<OpenGame<G>> {
    fn spec(&self) -> &str {
        &self.spec
    }

    fn facts(&self) -> Facts {
        self.game.facts()
    }

    fn start(&self) -> Box<dyn AnyPosition> {
        Box::new(Position { opened: self.clone(), state: self.game.start() })
    }

    fn parse_position(&self, text: &str) -> Result<Box<dyn AnyPosition>, TextError> {
        match self.game.parse_position(text) {
            Ok(state) => Ok(Box::new(Position { opened: self.clone(), state })),
            Err(error) => Err(TextError::new(format!("bad position: {error}"))),
        }
    }

    fn position_note(&self, text: &str) -> Option<String> {
        self.game.position_note(text)
    }

    fn storage(&self) -> &str {
        &self.storage
    }

    fn algorithms(&self) -> Vec<&'static AlgorithmInfo> {
        self.algorithms.iter().map(|e| e.info).collect()
    }

    fn score_set(
        &self,
        set: &[Scored],
        bytes: usize,
        each: &mut dyn FnMut(&SetResult) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        test_set::score(self, set, bytes, each)
    }

    fn build_book(
        &self,
        plies: u32,
        objective: Objective,
        out: &Path,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<Built, BookError> {
        book::build(self, (plies, objective, out), budget, observer)
    }

    fn check_book(&self, book: &Book, sample: usize, budget: &Budget) -> Result<Checked, BookError> {
        book::check(self, book, sample, budget)
    }
}
