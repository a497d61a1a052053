//! Games by name, algorithms by name.
//!
//! The generic code of `games` and `search` meets here, and only here: [`open()`] turns a text such as
//! `connect-four:5x4` into a boxed [`AnyGame`], [`AnyPosition::search`] a text such as `backward-induction` into a
//! boxed [`AnySearch`]. That happens once per search, never per node. Command line, web page and Python see nothing but
//! this crate.
//!
//! ```
//! use perfectplay_catalog::{Algorithm, open};
//! use perfectplay_core::{Budget, SolveStatus};
//!
//! let game = open("connect-four:4x4")?;
//! let mut position = game.start();
//! position.play_all("2 3")?;
//! let algorithm = Algorithm::parse("backward-induction")?;
//! let mut search = position.search(&algorithm, &Default::default())?;
//! search.run(&Budget::unlimited(), &mut ());
//! let report = search.report();
//! assert_eq!((report.status, report.value), (SolveStatus::Solved, Some(vec![0, 0])));
//! # Ok::<(), perfectplay_catalog::Error>(())
//! ```
#![forbid(unsafe_code)]

mod algorithms;
mod assemble;
mod book;
mod certify;
pub mod checkpoint;
mod describe;
mod evaluations;
mod game;
mod length_proof;
mod matrix;
mod model_cache;
mod models;
mod native;
mod playouts;
mod position;
mod report;
mod search;
mod table;
mod teams;
mod test_set;
mod tree;

use perfectplay_core::{FullGame, GameInfo, Params, Spec, TextError};
use perfectplay_search::Refusal;

pub use algorithms::{
    ALGORITHMS, GROWING, SAVABLE, TABLE_WRITER, default_analyst, default_solver, growing_in_words, opponent,
    uses_all_cores,
};
pub use assemble::{Pieces, ProofSide};
pub use book::{built_in_book, open_book};
pub use certify::{ProofFile, ProofLine};
pub use describe::{
    algorithm_json, facts_json, facts_text, game_json, growth_json, option_json, proof_json, refusal_json, table_json,
    table_verdict, threads_in_words, threads_used,
};
pub use evaluations::Evaluations;
pub use game::AnyGame;
pub use matrix::{Equilibrium, Matrix, rock_paper_scissors};
pub use model_cache::ReadModel;
pub use models::{
    MODEL_FOLDER, ModelEntry, add_model_folder, default_player, fingerprint, has_model, install_models,
    installed_models, load as load_model, model_line,
};
pub use perfectplay_games::GAMES;
pub use perfectplay_search::book::{Book, BookError, Built, Checked};
pub use perfectplay_search::{AlgorithmInfo, Reader, SaveError, Setup, Threads, Writer};
pub use playouts::{LONGEST_PLAYOUT, Playouts};
pub use position::{AnyPosition, Ended, FeatureValues, OnPosition};
pub use report::{Bounds, MoveLine, Report};
pub use search::AnySearch;
pub use table::TableLine;
pub use test_set::{Scored, SetResult};
pub use tree::{GameTree, TreeNode};

/// What went wrong between a user's words and a search: always one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// No game or algorithm has this name.
    Unknown(String),
    /// A text could not be understood.
    Text(TextError),
    /// The algorithm does not work on this game.
    Refused(Refusal),
    /// The question is too large for this way of answering it.
    TooLarge(String),
    /// The value is known, but a limit was reached before its proof was whole.
    Unproved(String),
    /// A file could not be written.
    Unwritable(String),
    /// A file could not be read, or says nothing about the question.
    Unreadable(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Unknown(text)
            | Error::TooLarge(text)
            | Error::Unproved(text)
            | Error::Unwritable(text)
            | Error::Unreadable(text) => f.write_str(text),
            Error::Text(error) => error.fmt(f),
            Error::Refused(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<TextError> for Error {
    fn from(error: TextError) -> Self {
        Error::Text(error)
    }
}

impl From<Refusal> for Error {
    fn from(error: Refusal) -> Self {
        Error::Refused(error)
    }
}

/// The game that `text` names, with its parameters.
pub fn open(text: &str) -> Result<Box<dyn AnyGame>, Error> {
    open_by(text, game::open)
}

/// The same behind the seam, though algorithms may be compiled for its very type: for who measures what the seam costs.
pub fn open_packed(text: &str) -> Result<Box<dyn AnyGame>, Error> {
    open_by(text, game::open_packed)
}

/// A game that no list holds, under this name: every algorithm works on it as on the others.
pub fn open_game<G: FullGame>(name: &str, game: G) -> Box<dyn AnyGame> {
    game::open_game(name, game)
}

fn open_by(text: &str, open: fn(&str, Spec) -> Option<game::Opened>) -> Result<Box<dyn AnyGame>, Error> {
    let spec = Spec::parse(text)?;
    let name = spec.name.clone();
    match open(text, spec) {
        Some(opened) => Ok(opened?),
        None => Err(Error::Unknown(unknown("game", &name, GAMES.iter().map(|g| g.name), "perfectplay games"))),
    }
}

/// What is known about the game called `name`.
pub fn game_info(name: &str) -> Option<&'static GameInfo> {
    GAMES.iter().copied().find(|g| g.name == name)
}

/// An algorithm with its options, not yet bound to a game.
#[derive(Clone, Debug)]
pub struct Algorithm {
    /// Which one.
    pub info: &'static AlgorithmInfo,
    /// What stood after the colon.
    pub params: Params,
    /// As it was written.
    pub text: String,
}

impl Algorithm {
    /// The algorithm that `text` names.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let spec = Spec::parse(text)?;
        match ALGORITHMS.iter().find(|a| a.name == spec.name) {
            Some(info) => Ok(Algorithm { info, params: spec.params, text: text.to_owned() }),
            None => {
                let names = ALGORITHMS.iter().map(|a| a.name);
                Err(Error::Unknown(unknown("algorithm", &spec.name, names, "perfectplay algorithms")))
            }
        }
    }
}

/// `there is no game "conect-four"; did you mean connect-four?`
fn unknown<'a>(kind: &str, name: &str, names: impl Iterator<Item = &'a str>, list: &str) -> String {
    let likeness = |candidate: &str| {
        let contained = candidate.contains(name) || name.contains(candidate);
        strsim::jaro_winkler(candidate, name) + if contained && name.len() > 2 { 0.2 } else { 0.0 }
    };
    let mut near: Vec<(f64, &str)> = names.map(|n| (likeness(n), n)).filter(|&(l, _)| l > 0.75).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<&str> = near.into_iter().take(3).map(|(_, n)| n).collect();
    match near.as_slice() {
        [] => format!("there is no {kind} \"{name}\"; `{list}` lists them all"),
        near => format!("there is no {kind} \"{name}\"; did you mean {}?", near.join(" or ")),
    }
}
