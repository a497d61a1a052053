//! Models that were read, for as long as they are asked for: many searches in a row ask the same few, and to read a
//! large one takes longer than a short search.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use perfectplay_core::Model;
use perfectplay_model::{FileError, Header, ModelFile, Network};

/// A model as searches ask it.
#[derive(Debug)]
pub struct ReadModel {
    /// What its file says.
    pub header: Header,
    /// The model.
    pub network: Arc<Network>,
}

impl ReadModel {
    /// What searches ask.
    pub fn model(&self) -> Arc<dyn Model> {
        self.network.clone()
    }
}

/// Where a model was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// Among those that come with the program.
    Program(&'static str),
    /// In a file of that time and length: another one may lie there later.
    File(PathBuf, SystemTime, u64),
}

impl Source {
    pub(crate) fn file(path: &Path) -> Result<Self, FileError> {
        let metadata = std::fs::metadata(path)?;
        Ok(Source::File(path.to_owned(), metadata.modified()?, metadata.len()))
    }
}

/// So many are kept though nobody asks them.
const KEPT: usize = 6;

/// The last one first.
static MODELS: Mutex<Vec<(Source, Arc<ReadModel>)>> = Mutex::new(Vec::new());

/// The model of this source, which `read` reads if it was not kept.
pub(crate) fn get(
    source: &Source,
    read: impl FnOnce() -> Result<ModelFile, FileError>,
) -> Result<Arc<ReadModel>, FileError> {
    let kept = |models: &mut Vec<(Source, Arc<ReadModel>)>| {
        let at = models.iter().position(|(kept, _)| kept == source)?;
        models[..=at].rotate_right(1);
        Some(models[0].1.clone())
    };
    let models = || MODELS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(model) = kept(&mut models()) {
        return Ok(model);
    }
    let ModelFile { header, network, .. } = read()?;
    let model = Arc::new(ReadModel { header, network: Arc::new(network) });
    let mut models = models();
    // Another thread may have read it meanwhile.
    Ok(kept(&mut models).unwrap_or_else(|| {
        models.insert(0, (source.clone(), model.clone()));
        models.truncate(KEPT);
        model
    }))
}

#[cfg(test)]
mod tests {
    use perfectplay_model::{Shape, Structure, Tuples};

    use super::*;

    fn file(made_by: &str) -> ModelFile {
        let shape = Shape { cells: 2, values: 2, numbers: 0, players: 2, outputs: 1 };
        let structure = Structure { images: vec![vec![0, 1]], phases: 1, ..Structure::default() };
        let network = Network::Tuples(Box::new(Tuples::new(shape.clone(), structure)));
        let header = Header {
            version: 1,
            game: String::new(),
            rules: String::new(),
            kind: "tuples".into(),
            shape,
            sides: false,
            phases: 1,
            made_by: made_by.into(),
        };
        ModelFile { header, network, training: Default::default() }
    }

    #[test]
    fn a_model_is_read_once_until_its_file_changes_or_many_others_are_asked_for() {
        let at = |length| Source::File("one of a test".into(), SystemTime::UNIX_EPOCH, length);
        let read = |source: &Source, made_by: &'static str| get(source, || Ok(file(made_by))).unwrap();
        let first = read(&at(1), "first");
        assert!(Arc::ptr_eq(&first, &read(&at(1), "unread")));
        assert_eq!(read(&at(2), "second").header.made_by, "second");
        assert!(get(&at(3), || Err(FileError::Wrong("broken".into()))).is_err());
        assert!(Arc::ptr_eq(&first, &read(&at(1), "unread")), "what was asked for last is kept");
        (10..10 + KEPT as u64).for_each(|length| _ = read(&at(length), "other"));
        assert_eq!(read(&at(1), "again").header.made_by, "again");
    }
}
