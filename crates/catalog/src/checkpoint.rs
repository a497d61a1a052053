//! Searches in files: a long run survives a crash, a power cut, a full disk.
//!
//! A file holds one search, with everything that tells which one it is; docs/checkpoints.md describes the format. It is
//! written beside its place (`FILE.tmp`), brought to the disk, and only then given its name; the one that had the name
//! before becomes `FILE.prev`. So at every moment there is a complete one, under one of the two names, and reading
//! falls back to the second if the first is missing or damaged.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use perfectplay_search::{Reader, SaveError, Writer};

use crate::{Algorithm, AnyPosition, AnySearch, Setup};

const MAGIC: &[u8; 8] = b"PPSEARCH";
/// Grows with every change of what searches write.
const FORMAT: u32 = 6;
const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// No text in a header is longer than this.
const LONGEST_TEXT: u64 = 1 << 20;

/// Which search a file belongs to: everything that decides what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What it is called, and its text.
    parts: [(&'static str, String); PARTS],
}

/// How many texts say what a search is about, and which of them is the algorithm.
const PARTS: usize = 6;
const ALGORITHM: usize = 3;

impl Question {
    /// The search that `position.search(algorithm, setup)` makes.
    pub fn new(position: &dyn AnyPosition, algorithm: &Algorithm, setup: &Setup) -> Self {
        let kind = if setup.exact { "a proof" } else { "a good move" };
        Question {
            parts: [
                ("game", position.game().to_owned()),
                ("position", position.text()),
                ("rules", position.fingerprint()),
                ("algorithm", algorithm.text.clone()),
                ("question", format!("{kind} for {}", setup.objective.name())),
                ("seed", setup.seed.to_string()),
            ],
        }
    }

    /// What is not as in `saved`, in a sentence.
    fn difference(&self, saved: &[String]) -> Option<String> {
        let (part, there) = self.parts.iter().zip(saved).find(|((_, here), there)| here != *there)?;
        Some(match part.0 {
            "rules" => "the game has changed since it was saved".into(),
            name => format!("it is about another {name}: {there:?}, not {:?}", part.1),
        })
    }
}

/// What a search has used up before it was saved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Time.
    pub seconds: f64,
    /// Of its node budget.
    pub nodes: u64,
    /// The limit on memory that it had: the size of tables depends on it.
    pub memory: Option<usize>,
}

/// Why a search could not be written to a file, or read from it: one sentence.
#[derive(Debug)]
pub struct CheckpointError(String);

impl std::fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CheckpointError {}

/// Where a search is saved.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    question: Question,
    /// Whether the file at `path` is known to be complete, and worth keeping as the previous one.
    complete: bool,
}

impl Checkpoint {
    /// A new file. Refuses to take the place of another search.
    pub fn create(path: &Path, question: Question) -> Result<Self, CheckpointError> {
        if let Some(taken) = [path.to_owned(), previous(path)].iter().find(|p| begins_with_magic(p)) {
            return Err(CheckpointError(format!(
                "{} holds a saved search: go on with --resume {}, or remove it",
                taken.display(),
                path.display()
            )));
        }
        Ok(Checkpoint { path: path.to_owned(), question, complete: false })
    }

    /// Its name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Saves the search. Whatever goes wrong, what was saved before is still there.
    pub fn save(&mut self, search: &dyn AnySearch, spent: &Spent) -> Result<(), CheckpointError> {
        self.write(search, spent).map_err(|error| {
            CheckpointError(match error {
                SaveError::Io(error) => format!("cannot save the search to {}: {error}", self.path.display()),
                other => other.to_string(),
            })
        })
    }

    fn write(&mut self, search: &dyn AnySearch, spent: &Spent) -> Result<(), SaveError> {
        let temporary = beside(&self.path, ".tmp");
        let result = write_file(&temporary, &self.question, search, spent);
        if result.is_err() {
            let _ = fs::remove_file(&temporary);
            return result;
        }
        if self.complete {
            fs::rename(&self.path, previous(&self.path))?;
        }
        fs::rename(&temporary, &self.path)?;
        self.complete = true;
        sync_folder(&self.path);
        Ok(())
    }
}

fn write_file(path: &Path, question: &Question, search: &dyn AnySearch, spent: &Spent) -> Result<(), SaveError> {
    let mut out = Summed { inner: File::create(path)?, sum: crc32fast::Hasher::new() };
    out.write_all(MAGIC)?;
    let mut writer = Writer::new(&mut out);
    writer.put(FORMAT)?;
    let texts = question.parts.iter().map(|(_, text)| text.as_str());
    for text in [PROGRAM].into_iter().chain(texts) {
        writer.put_all(text.as_bytes())?;
    }
    writer.put((spent.seconds, [spent.nodes, spent.memory.map_or(0, |m| m as u64)]))?;
    search.save(&mut writer)?;
    writer.finish()?;
    let sum = out.sum.finalize();
    out.inner.write_all(&sum.to_le_bytes())?;
    Ok(out.inner.sync_all()?)
}

/// A saved search, found and checked.
pub struct Saved {
    file: File,
    path: PathBuf,
    /// What it is about, in the order of a [`Question`].
    texts: Vec<String>,
    /// Where the search itself begins, and how long it is.
    body: (u64, u64),
    /// What it had used up.
    pub spent: Spent,
    /// Why the previous one was taken, if it was: a sentence.
    pub fallback: Option<String>,
}

/// Finds the search saved in `path`, or the one before if that is missing or damaged.
pub fn find(path: &Path) -> Result<Saved, CheckpointError> {
    let fail = |text: String| refusal(path, &text);
    let newest = open(path, path);
    let damage = match newest {
        Ok(saved) => return Ok(saved),
        Err(Trouble::Other(text)) => return Err(fail(text)),
        Err(Trouble::Damaged(text)) => text,
    };
    let before = previous(path);
    match open(&before, path) {
        Ok(saved) => {
            let fallback = format!("{}: {damage}; going on from {}", path.display(), before.display());
            Ok(Saved { fallback: Some(fallback), ..saved })
        }
        Err(Trouble::Other(text)) => Err(fail(format!("{damage}, and of {} {text}", before.display()))),
        Err(Trouble::Damaged(_)) => Err(fail(damage)),
    }
}

fn refusal(path: &Path, text: &str) -> CheckpointError {
    CheckpointError(format!("cannot resume from {}: {text}", path.display()))
}

impl Saved {
    /// The algorithm with its options, as it was written.
    pub fn algorithm(&self) -> &str {
        &self.texts[ALGORITHM]
    }

    /// Refuses another question than the one that was saved.
    pub fn check(&self, question: &Question) -> Result<(), CheckpointError> {
        question.difference(&self.texts).map_or(Ok(()), |text| Err(refusal(&self.path, &text)))
    }

    /// Makes `search`, newly made for the same `question`, the one that was saved; saving goes on under the same name.
    pub fn restore(mut self, question: Question, search: &mut dyn AnySearch) -> Result<Checkpoint, CheckpointError> {
        self.check(&question)?;
        let result = self.read(search);
        result.map_err(|e| refusal(&self.path, &e.to_string()))?;
        Ok(Checkpoint { path: self.path, question, complete: self.fallback.is_none() })
    }

    fn read(&mut self, search: &mut dyn AnySearch) -> Result<(), SaveError> {
        self.file.seek(SeekFrom::Start(self.body.0))?;
        let mut reader = Reader::new(&mut self.file, self.body.1);
        search.restore(&mut reader, self.spent.seconds)?;
        reader.finish()
    }
}

enum Trouble {
    /// The file is missing or not whole: the one before may do.
    Damaged(String),
    /// It is whole, but not the right one.
    Other(String),
}

impl From<SaveError> for Trouble {
    fn from(error: SaveError) -> Self {
        Trouble::Damaged(error.to_string())
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Trouble::Damaged(error.to_string())
    }
}

/// Checks the whole file, then reads what it is about.
fn open(file_path: &Path, path: &Path) -> Result<Saved, Trouble> {
    let mut file = File::open(file_path)?;
    let length = check_sum(&mut file)?;
    file.seek(SeekFrom::Start(MAGIC.len() as u64))?;
    let after_magic = length - MAGIC.len() as u64;
    let mut reader = Reader::new(&mut file, after_magic);
    let format: u32 = reader.get()?;
    let program = text(&mut reader)?;
    if (format, program.as_str()) != (FORMAT, PROGRAM) {
        let text =
            format!("it was saved by perfectplay {program} (format {format}); this is {PROGRAM} (format {FORMAT})");
        return Err(Trouble::Other(text));
    }
    let mut header = 4 + 8 + program.len() as u64;
    let mut texts = Vec::new();
    for _ in 0..PARTS {
        let text = text(&mut reader)?;
        header += 8 + text.len() as u64;
        texts.push(text);
    }
    let (seconds, [nodes, memory]): (f64, [u64; 2]) = reader.get()?;
    header += 24;
    let spent = Spent { seconds, nodes, memory: (memory > 0).then_some(memory as usize) };
    let body = (MAGIC.len() as u64 + header, after_magic - header);
    Ok(Saved { file, path: path.to_owned(), texts, body, spent, fallback: None })
}

fn text(reader: &mut Reader<'_>) -> Result<String, Trouble> {
    let bytes: Vec<u8> = reader.get_all()?;
    match String::from_utf8(bytes) {
        Ok(text) if text.len() as u64 <= LONGEST_TEXT => Ok(text),
        _ => Err(Trouble::Damaged("its header is not text".into())),
    }
}

/// The length of the file without its checksum, if the sum is right.
fn check_sum(file: &mut File) -> Result<u64, Trouble> {
    let damaged = |text: &str| Trouble::Damaged(text.into());
    let length = file.metadata()?.len().checked_sub(4).filter(|&l| l >= MAGIC.len() as u64);
    let length = length.ok_or_else(|| damaged("it is not a saved search"))?;
    let mut magic = [0; MAGIC.len()];
    file.read_exact(&mut magic)?;
    if magic != *MAGIC {
        return Err(damaged("it is not a saved search"));
    }
    let mut sum = crc32fast::Hasher::new();
    sum.update(&magic);
    let mut buffer = vec![0; 1 << 16];
    let mut left = length - MAGIC.len() as u64;
    while left > 0 {
        let chunk = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        file.read_exact(&mut buffer[..chunk])?;
        sum.update(&buffer[..chunk]);
        left -= chunk as u64;
    }
    let mut stored = [0; 4];
    file.read_exact(&mut stored)?;
    if u32::from_le_bytes(stored) != sum.finalize() {
        return Err(damaged("it is damaged: the checksum is wrong"));
    }
    Ok(length)
}

/// Passes bytes on and sums them up.
struct Summed {
    inner: File,
    sum: crc32fast::Hasher,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Where the last but one is kept.
fn previous(path: &Path) -> PathBuf {
    beside(path, ".prev")
}

fn begins_with_magic(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    File::open(path).and_then(|mut f| f.read_exact(&mut magic)).is_ok() && magic == *MAGIC
}

/// Brings the new names to the disk, where folders can be opened. Without it a power cut may bring back the old ones.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
