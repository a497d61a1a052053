//! Positions of games whose types are known only inside.

use std::path::Path;
use std::sync::Arc;

use perfectplay_core::{
    Budget, Clicks, Drawing, FullGame, Item, Model, Objective, Observer, Payoff, Perft, Player, Status, Stop, TextError,
};
use perfectplay_games::seam::Words;
use perfectplay_search::book::Book;
use perfectplay_search::oracle::backward_induction::{self, BackwardInduction};
use perfectplay_search::{AlgorithmInfo, Refusal, Search, Setup, TEAMS};

use crate::assemble::Pieces;
use crate::certify::{ProofFile, ProofLine};
use crate::evaluations::{self, Evaluations};
use crate::game::OpenGame;
use crate::matrix::Matrix;
use crate::playouts::{self, Playouts};
use crate::search::{AnySearch, RunningSearch};
use crate::tree::GameTree;
use crate::{Algorithm, Error, Report, assemble, book, models, teams};

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// -1, 0 or 1 for each player.
    pub gains: Vec<i32>,
    /// The score of each player.
    pub scores: Vec<i32>,
}

impl Ended {
    /// `player 1 wins`, `draw` …
    pub fn in_words(&self) -> String {
        crate::report::in_words(&self.gains, Objective::Gain)
    }
}

/// A position as [`perfectplay_core::Features`] tells it: seen by the player to move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureValues {
    /// A value for every cell of [`AnyGame::layout`](crate::AnyGame::layout).
    pub cells: Vec<u8>,
    /// A few numbers about the whole position.
    pub numbers: Vec<f32>,
}

/// Called with the text of a position and its value per player.
pub type OnPosition = Box<dyn FnMut(&str, &[i32]) + Send>;

/// A position of a game of some type.
pub trait AnyPosition: Send + Sync {
    /// The text with which the game was opened.
    fn game(&self) -> &str;
    /// The position in the game's notation.
    fn text(&self) -> String;
    /// Differs if the rules differ that the name stands for, as far as the facts and the first moves tell.
    fn fingerprint(&self) -> String;
    /// The position to look at.
    fn drawing(&self) -> Drawing;
    /// The legal moves, each with the cells of the drawing that stand for it.
    fn moves_on_board(&self) -> Vec<(String, Clicks)>;
    /// Who moves, or how it ended.
    fn status(&self) -> Result<Player, Ended>;
    /// What a learner sees, if the game has a board.
    fn features(&self) -> Option<FeatureValues>;
    /// The legal moves as players write them.
    fn moves(&self) -> Vec<String>;
    /// Plays one move.
    fn play(&mut self, text: &str) -> Result<(), TextError>;
    /// Counts move sequences.
    fn perft(&self, depth: usize, finished: bool, budget: &Budget) -> Result<Perft, Stop>;
    /// Plays random games from here, one after the other, until the budget is spent (its nodes are the moves).
    fn playouts(&self, seed: u64, budget: &Budget) -> Playouts;
    /// Asks the game's evaluation about children of positions of random games from here, until the budget is spent (its
    /// nodes are the evaluations).
    fn evaluations(&self, seed: u64, budget: &Budget) -> Evaluations;
    /// This position of the game whose heuristic is a model: what `eval=heuristic` means to its searches.
    fn with_model(&self, model: Arc<dyn Model>) -> Result<Box<dyn AnyPosition>, Error>;
    /// A search for this position.
    fn search(&self, algorithm: &Algorithm, setup: &Setup) -> Result<Box<dyn AnySearch>, Error>;
    /// The answer of a book about this position; `None` if the book does not hold it, or knows who wins where the score
    /// is asked for.
    fn ask_book(&self, book: &Book, objective: Objective) -> Option<Box<dyn AnySearch>>;
    /// The first player's value of this position by a book.
    fn book_value(&self, book: &Book, objective: Objective) -> Option<i32>;
    /// A strong solution: backward induction that calls `on_value` with every position, as it gets its value per
    /// player; for the length followed by the plies if somebody wins.
    fn strong(&self, objective: Objective, on_value: OnPosition) -> Result<Box<dyn AnySearch>, Error>;
    /// What the table in this file says about the position and all its moves, read with at most so many bytes.
    fn look_up(&self, file: &Path, memory: usize) -> Result<Report, Error>;
    /// Puts a proof of this position together from strategies that others wrote ([`AnySearch::write_side`]) for
    /// positions below it, and from what is known of further ones.
    fn assemble_proof(
        &self,
        pieces: &Pieces,
        file: ProofFile,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<ProofLine, Error>;
    /// The game tree below, `depth` plies deep, with the values found before the budget was spent.
    fn tree(
        &self,
        depth: usize,
        objective: Objective,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<GameTree, Error>;
    /// The normal form of the game from here on.
    fn matrix(&self, objective: Objective) -> Result<Matrix, Error>;
    /// A copy.
    fn clone_box(&self) -> Box<dyn AnyPosition>;

    /// Plays moves separated by white space or commas; run together (`443`) where every move is one character.
    fn play_all(&mut self, text: &str) -> Result<Vec<String>, TextError> {
        let mut played = Vec::new();
        for word in text.split([' ', '\t', '\n', ',']).filter(|w| !w.is_empty()) {
            let one_by_one = word.chars().count() > 1 && {
                let moves = self.moves();
                !moves.is_empty() && moves.iter().all(|m| m.chars().count() == 1)
            };
            let pieces: Vec<String> =
                if one_by_one { word.chars().map(String::from).collect() } else { vec![word.into()] };
            for piece in pieces {
                self.play(&piece).map_err(|e| TextError::new(format!("move {}: {e}", played.len() + 1)))?;
                played.push(piece);
            }
        }
        Ok(played)
    }
}

/// Winning soon makes sense where one wins and the other loses.
fn refuse_length<G: FullGame>(objective: Objective) -> Result<(), Error> {
    if objective != Objective::Length || G::Payoff::ZERO_SUM {
        return Ok(());
    }
    Err(Refusal::Other("--for length needs two players with opposed interests".into()).into())
}

/// A state of an opened game.
pub(crate) struct Position<G: FullGame> {
    pub(crate) opened: Arc<OpenGame<G>>,
    pub(crate) state: G::State,
}

// By hand: deriving would ask for `G: Clone`.
impl<G: FullGame> Clone for Position<G> {
    fn clone(&self) -> Self {
        Position { opened: self.opened.clone(), state: self.state }
    }
}

impl<G: FullGame> AnyPosition for Position<G> {
    fn game(&self) -> &str {
        &self.opened.spec
    }

    fn text(&self) -> String {
        self.opened.game.position_text(&self.state)
    }

    fn fingerprint(&self) -> String {
        let mut drawn = String::new();
        let mut state = self.state;
        let mut moves = Vec::new();
        for ply in 0..32 {
            moves.clear();
            self.opened.game.expand(&state, &mut moves);
            let Some(&mv) = moves.get(ply % moves.len().max(1)) else { break };
            drawn += &format!(" {}:{}", moves.len(), self.opened.game.move_text(&state, mv));
            self.opened.game.play(&mut state, mv);
        }
        format!("{:?}{drawn}", self.opened.game.facts())
    }

    fn drawing(&self) -> Drawing {
        let mover = self.status().ok();
        Drawing { players: self.opened.game.facts().players, mover, ..self.opened.game.drawing(&self.state) }
    }

    fn moves_on_board(&self) -> Vec<(String, Clicks)> {
        let game = &*self.opened.game;
        let before = game.drawing(&self.state);
        let mut moves = Vec::new();
        game.expand(&self.state, &mut moves);
        let clicks = |&mv: &G::Move| {
            let mut after = self.state;
            game.play(&mut after, mv);
            (game.move_text(&self.state, mv), game.drawing(&after).clicks_since(&before))
        };
        moves.iter().map(clicks).collect()
    }

    fn status(&self) -> Result<Player, Ended> {
        match self.opened.game.status(&self.state) {
            Status::Turn(mover) => Ok(mover),
            Status::Over(payoff) => {
                let players = || Player::all(payoff.players());
                let gains = players().map(|p| payoff.gain(p).value()).collect();
                Err(Ended { gains, scores: players().map(|p| payoff.score(p)).collect() })
            }
        }
    }

    fn features(&self) -> Option<FeatureValues> {
        self.opened.game.layout()?;
        let mut features = FeatureValues::default();
        self.opened.game.cell_values(&self.state, &mut features.cells);
        self.opened.game.numbers(&self.state, &mut features.numbers);
        Some(features)
    }

    fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.opened.game.expand(&self.state, &mut moves);
        moves.iter().map(|&m| self.opened.game.move_text(&self.state, m)).collect()
    }

    fn play(&mut self, text: &str) -> Result<(), TextError> {
        let mv = self.opened.game.parse_move(&self.state, text)?;
        self.opened.game.play(&mut self.state, mv);
        Ok(())
    }

    fn perft(&self, depth: usize, finished: bool, budget: &Budget) -> Result<Perft, Stop> {
        self.opened.game.perft(&self.state, depth, finished, budget)
    }

    fn playouts(&self, seed: u64, budget: &Budget) -> Playouts {
        playouts::play(&*self.opened.game, &self.state, seed, budget)
    }

    fn evaluations(&self, seed: u64, budget: &Budget) -> Evaluations {
        evaluations::measure(&*self.opened.game, &self.state, seed, budget)
    }

    fn with_model(&self, model: Arc<dyn Model>) -> Result<Box<dyn AnyPosition>, Error> {
        (self.opened.by_payoff.with_model)(&self.opened, &self.state, model)
    }

    fn search(&self, algorithm: &Algorithm, setup: &Setup) -> Result<Box<dyn AnySearch>, Error> {
        if let Some((name, asking)) = models::asked(algorithm)? {
            let model = models::load(&name, &self.opened.spec)?;
            return self.with_model(model.model())?.search(&asking, setup);
        }
        let mut without = algorithm.clone();
        let teams: Option<String> = TEAMS.take(&mut without.params)?;
        if let Some(teams) = teams {
            return teams::search(self, &teams, &without, setup);
        }
        algorithm.info.accepts(setup)?;
        refuse_length::<G>(setup.objective)?;
        match (self.opened.open(algorithm, &self.state, setup), self.widest()) {
            (Some(Err(Refusal::Elsewhere)) | None, Some(widest)) => widest.search(algorithm, setup),
            (Some(search), _) => Ok(self.running(search?, &algorithm.text, setup.objective, Some(algorithm.info))),
            (None, None) => {
                let (name, players) = (algorithm.info.name, self.opened.game.facts().players);
                Err(Error::Refused(Refusal::Other(format!(
                    "{name} needs two players with opposed interests; {} is a game for {players} with separate scores \
(teams=me, teams=leader or teams=1/… make two teams of them)",
                    self.opened.spec
                ))))
            }
        }
    }

    fn ask_book(&self, book: &Book, objective: Objective) -> Option<Box<dyn AnySearch>> {
        let search = (self.opened.by_payoff.books.as_ref()?.ask)(&self.opened.game, &self.state, objective, book)?;
        Some(self.running(search, book::NAME, objective, None))
    }

    fn book_value(&self, book: &Book, objective: Objective) -> Option<i32> {
        book.value(&*self.opened.game, &self.state, objective)
    }

    fn strong(&self, objective: Objective, mut on_value: OnPosition) -> Result<Box<dyn AnySearch>, Error> {
        refuse_length::<G>(objective)?;
        let game = self.opened.game.clone();
        let mut search = BackwardInduction::new(game.clone(), self.state, objective)?;
        search.on_value(Box::new(move |state, payoff| {
            let mut value: Vec<i32> = Player::all(payoff.players()).map(|p| objective.value(*payoff, p)).collect();
            value.extend(objective.plies(*payoff).map(|plies| plies as i32));
            on_value(&game.position_text(state), &value);
        }));
        let info = &backward_induction::INFO;
        Ok(self.running(Box::new(search), info.name, objective, Some(info)))
    }

    fn look_up(&self, file: &Path, memory: usize) -> Result<Report, Error> {
        let Some(look_up) = self.opened.by_payoff.look_up else {
            return Err(Refusal::Other("a table needs two players with opposed interests".into()).into());
        };
        look_up(self, file, memory)
    }

    fn assemble_proof(
        &self,
        pieces: &Pieces,
        file: ProofFile,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<ProofLine, Error> {
        let Some(assemble) = self.opened.by_payoff.assemble else { return Err(assemble::refusal()) };
        assemble(self, pieces, file, budget, observer)
    }

    fn tree(
        &self,
        depth: usize,
        objective: Objective,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<GameTree, Error> {
        if let Some(widest) = self.widest() {
            return widest.tree(depth, objective, budget, observer);
        }
        GameTree::build(&self.opened.game, &self.state, depth, objective, budget, observer)
    }

    fn matrix(&self, objective: Objective) -> Result<Matrix, Error> {
        if let Some(widest) = self.widest() {
            return widest.matrix(objective);
        }
        Matrix::of_game(&*self.opened.game, &self.state, objective)
    }

    fn clone_box(&self) -> Box<dyn AnyPosition> {
        Box::new(self.clone())
    }
}

impl<G: FullGame> Position<G> {
    /// The same position where everything is compiled, if that is not here: the bytes of a state are the same in all
    /// classes.
    fn widest(&self) -> Option<Box<dyn AnyPosition>> {
        let opened = self.opened.widest.clone()?;
        Some(Box::new(Position { opened, state: Words::pack(&self.state) }))
    }

    fn running(
        &self,
        search: Box<dyn Search<G>>,
        name: &str,
        objective: Objective,
        info: Option<&'static AlgorithmInfo>,
    ) -> Box<dyn AnySearch> {
        Box::new(RunningSearch::new(self.clone(), search, name, objective, info))
    }
}
