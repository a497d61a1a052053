//! Learned evaluations by name: `eval=learned:FILE`, `eval=learned:NAME`, `eval=learned`.
//!
//! A model replaces the heuristic of a game (`perfectplay_games::seam::with_model`), so every algorithm that can ask
//! the heuristic can ask a model, and none knows of it: the option is taken here, before the search is made.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use perfectplay_core::{FullGame, Layout, Model, Payoff, Spec};
use perfectplay_model::{FileError, ModelFile};
use perfectplay_search::{LEARNED, Refusal};

use crate::algorithms::two_opposed;
use crate::model_cache::{self, ReadModel, Source};
use crate::{Algorithm, Error};

/// The variable that names the folder of models.
pub const MODEL_FOLDER: &str = "PERFECTPLAY_MODELS";

/// A model that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct ModelEntry {
    /// Its name: that of its file in `data/models`.
    pub name: &'static str,
    /// The game it was trained for.
    pub game: &'static str,
    /// The player that was measured to be stronger with it than the one without (docs/learning.md), if there is one.
    pub player: Option<&'static str>,
    /// Its file.
    pub bytes: &'static [u8],
}

static INSTALLED: OnceLock<&'static [ModelEntry]> = OnceLock::new();

/// Makes models known that come with the program: once, before the first is asked for. (They are kept by the crate
/// `learn`, which is above this one.)
pub fn install_models(models: &'static [ModelEntry]) {
    let _ = INSTALLED.set(models);
}

/// The models that come with the program.
pub fn installed_models() -> &'static [ModelEntry] {
    INSTALLED.get().copied().unwrap_or_default()
}

static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// From now on models are looked for by name in this folder, too, before all others.
pub fn add_model_folder(folder: &Path) {
    FOLDERS.lock().expect("no holder panics").insert(0, folder.to_owned());
}

/// The name that stands for the game's own model.
const OWN: &str = "";

/// Which model an algorithm is to ask, if any, and the algorithm that asks the heuristic instead.
pub(crate) fn asked(algorithm: &Algorithm) -> Result<Option<(String, Algorithm)>, Error> {
    // What is asked for now: the text stays as it was typed.
    if algorithm.params.clone().take("eval").is_none_or(|eval| !eval.starts_with(LEARNED.0)) {
        return Ok(None);
    }
    let Some((name, rest)) = algorithm.text.split_once([':', '(']) else { return Ok(None) };
    let options: Vec<&str> = rest.trim_end_matches(')').split(',').map(str::trim).collect();
    let learned = |option: &&str| {
        let (key, value) = option.split_once('=')?;
        let model = value.trim().strip_prefix(LEARNED.0)?;
        let model = if model.is_empty() { Some(OWN) } else { model.strip_prefix(':') };
        model.filter(|_| key.trim().eq_ignore_ascii_case("eval")).map(|model| model.trim().to_owned())
    };
    let Some(model) = options.iter().find_map(learned) else { return Ok(None) };
    let Some(instead) = algorithm.info.asks_heuristic() else {
        let reason =
            format!("{} asks no evaluation of the game, so eval=learned means nothing to it", algorithm.info.name);
        return Err(Refusal::Other(reason).into());
    };
    let others = options.iter().filter(|option| learned(option).is_none()).copied();
    let options: Vec<&str> = std::iter::once(instead).filter(|option| !option.is_empty()).chain(others).collect();
    let params = Spec::parse(&format!("{name}:{}", options.join(",")))?.params;
    Ok(Some((model, Algorithm { params, ..algorithm.clone() })))
}

/// A model has as many outputs as the game's payoffs have parts.
pub(crate) fn refuse_other_outputs<G: FullGame>(game: &G, model: &dyn Model) -> Result<(), Error> {
    let expected = if G::Payoff::ZERO_SUM { 1 } else { game.facts().players };
    if model.outputs() == expected {
        return Ok(());
    }
    Err(Refusal::Other(format!("this model has {} outputs, and the game needs {expected}", model.outputs())).into())
}

/// What tells a board from others of games of the same name: how many play, and the first moves. Rules that only say
/// when a game is drawn, or how it is scored, make no difference to a model.
pub fn fingerprint(game: &str) -> Result<String, Error> {
    let opened = crate::open(game)?;
    let (mut text, mut position) = (format!("{} players", opened.facts().players), opened.start());
    for ply in 0..32 {
        let moves = position.moves();
        let Some(mv) = moves.get(ply % moves.len().max(1)) else { break };
        text += &format!(" {}:{mv}", moves.len());
        position.play(mv)?;
    }
    Ok(format!("{:08x}", crc32fast::hash(text.as_bytes())))
}

/// The model called `name` (a file, a name in the folder of models, a model of the program, or the game's own), if it
/// is one of `game`.
pub fn load(name: &str, game: &str) -> Result<Arc<ReadModel>, Error> {
    if name == OWN {
        return own(game)?.ok_or_else(|| {
            let reason = format!(
                "there is no model of {game}: train one with `perfectplay train {game}`, and name it: eval=learned:FILE"
            );
            Error::Unreadable(reason)
        });
    }
    let unreadable =
        |error: FileError, path: &Path| Error::Unreadable(format!("cannot use the model {}: {error}", path.display()));
    let folders = FOLDERS.lock().expect("no holder panics").clone();
    let files = |folder: PathBuf| ["", ".safetensors", ".zst"].map(|end| folder.join(format!("{name}{end}")));
    let places = std::iter::once(PathBuf::from(name)).chain(folders.into_iter().chain(folder()).flat_map(files));
    let found = places.into_iter().find(|path| path.is_file());
    let file = match found {
        Some(path) => read_file(&path).map_err(|error| unreadable(error, &path))?,
        None => match installed_models().iter().find(|entry| entry.name == name) {
            Some(entry) => read(entry),
            None => {
                return Err(Error::Unreadable(format!(
                    "there is no model \"{name}\": no such file, and none of that name"
                )));
            }
        },
    };
    let reason = if !is_about(&file, game)? {
        format!("{name} is a model of {}, not of {game}", file.header.game)
    } else if !sees_alike(&file, game)? {
        format!("{name} sees {game} otherwise than this version of the program: train it again")
    } else {
        return Ok(file);
    };
    Err(Error::Unreadable(reason))
}

fn read(entry: &ModelEntry) -> Arc<ReadModel> {
    let read = model_cache::get(&Source::Program(entry.name), || ModelFile::from_bytes(entry.bytes));
    read.expect("as it was written")
}

fn read_file(path: &Path) -> Result<Arc<ReadModel>, FileError> {
    model_cache::get(&Source::file(path)?, || ModelFile::read(path))
}

/// Whether the two have the same name, the same board and, as far as can be told, the same moves.
fn is_about(file: &ReadModel, game: &str) -> Result<bool, Error> {
    let name = |text: &str| Spec::parse(text).map(|spec| spec.name).ok();
    Ok(name(&file.header.game) == name(game)
        && cells(game)? == Some(file.network.shape().cells)
        && file.header.rules == fingerprint(game)?)
}

/// Whether the model is asked about the same values and numbers as when it was trained.
fn sees_alike(file: &ReadModel, game: &str) -> Result<bool, Error> {
    let shape = file.network.shape();
    let alike = |layout: Layout| (layout.values.into(), layout.numbers.len()) == (shape.values, shape.numbers);
    Ok(crate::open(game)?.layout().is_some_and(alike))
}

/// How many cells the board has, if there is one.
fn cells(game: &str) -> Result<Option<usize>, Error> {
    Ok(crate::open(game)?.layout().map(|layout| layout.cells.len()))
}

/// Where models are looked for by name.
fn folder() -> Option<PathBuf> {
    let given = std::env::var_os(MODEL_FOLDER).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/share/perfectplay/models"));
    given.or_else(home)
}

/// The entry of the model that comes with the program for this game.
fn entry(game: &str) -> Option<&'static ModelEntry> {
    let name = |text: &str| Spec::parse(text).map(|spec| spec.name).ok();
    let candidates = installed_models().iter().filter(|entry| name(entry.game) == name(game));
    let board = |game: &str| Some((cells(game).ok()??, fingerprint(game).ok()?));
    let mine = board(game)?;
    candidates.into_iter().find(|entry| board(entry.game).is_some_and(|other| other == mine))
}

/// The game's own model: the newest in the folder of models, otherwise the one that comes with the program.
fn own(game: &str) -> Result<Option<Arc<ReadModel>>, Error> {
    Ok(newest(game)?.or_else(|| entry(game).map(read)))
}

/// The newest model of this game in the folder of models.
fn newest(game: &str) -> Result<Option<Arc<ReadModel>>, Error> {
    let mut files: Vec<(std::time::SystemTime, PathBuf)> = folder()
        .and_then(|folder| std::fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .filter_map(|file| Some((file.as_ref().ok()?.metadata().ok()?.modified().ok()?, file.ok()?.path())))
        .collect();
    files.sort();
    for (_, path) in files.into_iter().rev() {
        if let Ok(file) = read_file(&path)
            && is_about(&file, game)?
            && sees_alike(&file, game)?
        {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// Whether `eval=learned` finds a model of this game.
pub fn has_model(game: &str) -> bool {
    own(game).is_ok_and(|model| model.is_some())
}

/// The player with the game's own model, if it is to play where nobody names another: a model that somebody put into
/// the folder is, one of the program if it was measured to be the strongest.
pub fn default_player(game: &str) -> Option<&'static str> {
    let measured = entry(game).and_then(|entry| entry.player);
    let own = || newest(game).ok().flatten();
    measured.or_else(|| own().and_then(|_| usual_player(game)))
}

/// Who plays with a model that nobody measured.
fn usual_player(game: &str) -> Option<&'static str> {
    let facts = crate::open(game).ok()?.facts();
    Some(if two_opposed(&facts) { "ubfm:eval=learned,decision=safest" } else { "paranoid:eval=learned" })
}

/// How the game's own model was made, if there is one.
pub fn model_line(game: &str) -> Option<String> {
    Some(own(game).ok()??.header.made_by.clone())
}
