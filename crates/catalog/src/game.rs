//! Games whose types are known only inside, and how they are opened.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use perfectplay_core::{Budget, Facts, FullGame, Layout, Model, Objective, Observer, Payoff, Spec, TextError, ZeroSum};
use perfectplay_games::seam::{self, NativeVisitor, Packed, SeamVisitor, Teams, Tiny, Widest, in_teams, widened};
use perfectplay_search::alpha_beta::exact_solver::{self, Scorer};
use perfectplay_search::book::{Book, BookError, Built, Checked, Header};
use perfectplay_search::{AlgorithmInfo, Refusal, Search, Setup};

use crate::algorithms::{ALGORITHMS, Entry, for_any, for_zero_sum, measured};
use crate::assemble::{self, Assemble};
use crate::certify::{self, Prove, ProveSide};
use crate::native::{Compiled, Native};
use crate::position::{AnyPosition, Position};
use crate::test_set::{self, Scored, SetResult};
use crate::{Algorithm, Error, Report, book, models, table};

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
    /// The board that [`AnyPosition::features`] tells values of; none if it has none.
    fn layout(&self) -> Option<Layout>;
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
    /// The same game where everything is compiled; `None` if this is it.
    pub(crate) widest: Everything,
    /// The same game as a type of its own.
    pub(crate) native: Option<Box<dyn Native<G>>>,
    storage: String,
}

/// What depends on the kind of payoff.
pub(crate) struct ByPayoff<G: FullGame> {
    /// For two players with opposed interests only; see [`OpenGame::scorer`].
    scorer: Option<OpenScorer<G>>,
    pub(crate) prove: Prove<G>,
    /// For two players with opposed interests only.
    pub(crate) prove_side: Option<ProveSide<G>>,
    /// For two players with opposed interests only.
    pub(crate) assemble: Option<Assemble<G>>,
    /// For two players with opposed interests only.
    pub(crate) books: Option<book::Tools<G>>,
    /// For two players with opposed interests only.
    pub(crate) look_up: Option<LookUp<G>>,
    /// For all other games.
    pub(crate) teams: Option<OpenTeams<G>>,
    pub(crate) with_model: OpenWithModel<G>,
}

/// Answers from a table.
type LookUp<G> = fn(&Position<G>, &Path, usize) -> Result<Report, Error>;

type OpenScorer<G> = fn(Arc<G>, usize) -> Result<Box<dyn Scorer<G>>, Refusal>;

/// The same position of the game in which these teams play.
type OpenTeams<G> = fn(&OpenGame<G>, &<G as perfectplay_core::Game>::State, Teams, Objective) -> Box<dyn AnyPosition>;

/// The same position of the game whose heuristic is a model.
type OpenWithModel<G> =
    fn(&OpenGame<G>, &<G as perfectplay_core::Game>::State, Arc<dyn Model>) -> Result<Box<dyn AnyPosition>, Error>;

impl<G: FullGame> OpenGame<G> {
    /// The search that `algorithm` names, as it is compiled for this type or natively; `None` if it is for neither.
    pub(crate) fn open(
        &self,
        algorithm: &Algorithm,
        root: &G::State,
        setup: &Setup,
    ) -> Option<Result<Box<dyn Search<G>>, Refusal>> {
        let name = algorithm.info.name;
        match self.native.as_ref().and_then(|native| native.open(name, root, setup, &algorithm.params)) {
            Some(Err(Refusal::Elsewhere)) | None => {
                let entry = self.algorithms.iter().find(|e| e.info.name == name)?;
                Some((entry.open)(self.game.clone(), *root, setup, algorithm.params.clone()))
            }
            found => found,
        }
    }

    /// What tells the scores of positions with a table of `bytes`; `None` where interests are not opposed.
    pub(crate) fn scorer(&self, bytes: usize) -> Option<Result<Box<dyn Scorer<G>>, Refusal>> {
        match &self.native {
            Some(native) => Some(native.scorer(bytes)),
            None => self.by_payoff.scorer.map(|open| open(self.game.clone(), bytes)),
        }
    }
}

impl<G: FullGame<Payoff = ZeroSum>> OpenGame<G> {
    fn zero_sum(
        spec: &str,
        game: G,
        storage: String,
        algorithms: Vec<Entry<G>>,
        (widest, native): (Everything, Option<Box<dyn Native<G>>>),
        with_model: OpenWithModel<G>,
    ) -> Arc<Self> {
        let by_payoff = ByPayoff {
            scorer: Some(exact_solver::scorer),
            prove: certify::two_players,
            prove_side: Some(certify::one_side),
            assemble: Some(assemble::proof),
            books: Some(book::Tools::new()),
            look_up: Some(table::look_up),
            teams: None,
            with_model,
        };
        let (spec, game) = (spec.to_owned(), Arc::new(game));
        Arc::new(OpenGame { spec, game, algorithms, by_payoff, widest, native, storage })
    }
}

/// What is compiled for the largest class only.
type Everything = Option<Arc<OpenGame<Widest<ZeroSum>>>>;

impl<const S: usize, const K: usize, const M: usize> OpenGame<Packed<ZeroSum, S, K, M>> {
    /// Opens a game of any class.
    fn packed(
        spec: &str,
        game: Packed<ZeroSum, S, K, M>,
        native: Option<Box<dyn Native<Packed<ZeroSum, S, K, M>>>>,
    ) -> Arc<Self> {
        let compiled =
            native.as_ref().map(|_| "native: algorithms that gain by it are compiled for this very type".to_owned());
        let storage = compiled.unwrap_or_else(|| storage(&game));
        let widest = || {
            let (game, storage) = (widened(&game), storage.clone());
            OpenGame::zero_sum(spec, game, storage, for_zero_sum(), (None, None), OpenGame::two_with_model)
        };
        let everything = (!const { seam::is_widest(S, K, M) }).then(widest);
        // Other branches are not compiled.
        let algorithms = if const { seam::is_widest(S, K, M) } { for_zero_sum() } else { measured() };
        OpenGame::zero_sum(spec, game, storage, algorithms, (everything, native), Self::two_with_model)
    }

    fn two_with_model(&self, state: &seam::Words<S>, model: Arc<dyn Model>) -> Result<Box<dyn AnyPosition>, Error> {
        models::refuse_other_outputs(&*self.game, &*model)?;
        let opened = OpenGame::packed(&self.spec, seam::with_model(&self.game, model), None);
        Ok(Box::new(Position { opened, state: *state }))
    }
}

impl<P: Payoff, const S: usize, const K: usize, const M: usize> OpenGame<Packed<P, S, K, M>> {
    fn several(spec: &str, game: Packed<P, S, K, M>) -> Arc<Self> {
        let storage = storage(&game);
        let by_payoff = ByPayoff {
            scorer: None,
            prove: certify::several_players,
            prove_side: None,
            assemble: None,
            books: None,
            look_up: None,
            teams: Some(Self::in_teams),
            with_model: Self::several_with_model,
        };
        Arc::new(OpenGame {
            spec: spec.to_owned(),
            game: Arc::new(game),
            algorithms: for_any(),
            by_payoff,
            widest: None,
            native: None,
            storage,
        })
    }

    fn in_teams(&self, state: &seam::Words<S>, teams: Teams, objective: Objective) -> Box<dyn AnyPosition> {
        // Teams are of the largest class, so that nothing is compiled for them alone.
        let opened = OpenGame::packed(&self.spec, in_teams(&widened(&self.game), teams, objective), None);
        Box::new(Position { opened, state: state.resized() })
    }

    fn several_with_model(&self, state: &seam::Words<S>, model: Arc<dyn Model>) -> Result<Box<dyn AnyPosition>, Error> {
        models::refuse_other_outputs(&*self.game, &*model)?;
        let opened = OpenGame::several(&self.spec, seam::with_model(&self.game, model));
        Ok(Box::new(Position { opened, state: *state }))
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
    match seam::open_native(&spec, Opener { spec: text }) {
        Some(game) => Some(Ok(game)),
        None => open_packed(text, spec),
    }
}

/// The same behind the seam, whatever its type.
pub(crate) fn open_packed(text: &str, spec: Spec) -> Option<Opened> {
    seam::open(spec, Opener { spec: text })
}

/// A game that has no name in any list.
pub(crate) fn open_game<G: FullGame>(name: &str, game: G) -> Box<dyn AnyGame> {
    seam::open_game(game, Opener { spec: name })
}

struct Opener<'a> {
    spec: &'a str,
}

impl SeamVisitor for Opener<'_> {
    type Output = Box<dyn AnyGame>;

    fn zero_sum<const S: usize, const K: usize, const M: usize>(self, game: Packed<ZeroSum, S, K, M>) -> Self::Output {
        Box::new(OpenGame::packed(self.spec, game, None))
    }

    fn several<P: Payoff, const S: usize, const K: usize, const M: usize>(
        self,
        game: Packed<P, S, K, M>,
    ) -> Self::Output {
        Box::new(OpenGame::several(self.spec, game))
    }
}

impl NativeVisitor for Opener<'_> {
    type Output = Box<dyn AnyGame>;

    fn native<G: FullGame<Payoff = ZeroSum>>(self, game: G, packed: Tiny<ZeroSum>) -> Self::Output {
        Box::new(OpenGame::packed(self.spec, packed, Some(Box::new(Compiled::new(game)))))
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

    fn layout(&self) -> Option<Layout> {
        self.game.layout()
    }

    fn storage(&self) -> &str {
        &self.storage
    }

    fn algorithms(&self) -> Vec<&'static AlgorithmInfo> {
        let has = |name| self.algorithms.iter().any(|e| e.info.name == name);
        let everything = self.widest.as_ref().map_or(vec![], |widest| widest.algorithms());
        let known = |info: &&AlgorithmInfo| has(info.name) || everything.iter().any(|e| e.name == info.name);
        ALGORITHMS.iter().copied().filter(known).collect()
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
        let books = self.by_payoff.books.as_ref().ok_or_else(book::refusal)?;
        let header = Header { game: self.spec.clone(), objective, plies };
        (books.build)(self, header, out, budget, observer)
    }

    fn check_book(&self, book: &Book, sample: usize, budget: &Budget) -> Result<Checked, BookError> {
        let books = self.by_payoff.books.as_ref().ok_or_else(book::refusal)?;
        (books.check)(self, book, sample, budget)
    }
}
