//! From a file to a checked proof: the header names the game, the game's type chooses the code.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use perfectplay_core::{Game, Notation, Observer, Payoff, Spec, ZeroSum};
use perfectplay_games::seam::{self, Packed, SeamVisitor};
use rustc_hash::FxHashMap;

use crate::Error;
use crate::format::{self, Header, Part, Records};
use crate::verify::{Checked, Watch, verify, verify_parts};

/// A certificate that was checked from the first to the last record: its claim is true.
#[derive(Clone, Debug)]
pub struct Proof {
    /// What is proved.
    pub header: Header,
    /// By what.
    pub parts: Vec<Checked>,
    /// Length of the file.
    pub bytes: u64,
}

/// Checks the certificate in this file with at most so many bytes of memory. The observer sees how far it has come and
/// may stop it with [`Error::Stopped`].
pub fn check_file(path: &Path, memory: usize, observer: &mut dyn Observer) -> Result<Proof, Error> {
    run(Box::new(File::open(path)?), memory, false, observer).map(|(proof, _)| proof)
}

/// Checks a certificate that is in a file or in memory.
pub fn check(file: impl Read + Seek + Send + 'static, memory: usize) -> Result<Proof, Error> {
    run(Box::new(file), memory, false, &mut ()).map(|(proof, _)| proof)
}

/// Checks the certificate in this file, which must be about `game`, a game with this name that no list holds.
pub fn check_game_file<G: Game + Notation>(
    path: &Path,
    name: &str,
    game: G,
    memory: usize,
    observer: &mut dyn Observer,
) -> Result<Proof, Error> {
    let mut file: Box<dyn AnyFile> = Box::new(File::open(path)?);
    let bytes = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let (header, records) = format::open(file)?;
    about(&header, name)?;
    let (parts, _) = Job { header: &header, records, memory, keep: false, observer }.run(game)?;
    Ok(Proof { header, parts, bytes })
}

/// Checks the parts of a certificate that may have fewer than its claim needs; `watch` hears of every choice.
pub fn check_parts<G: Game + Notation>(
    path: &Path,
    name: &str,
    game: &G,
    memory: usize,
    watch: &mut impl Watch<G>,
    observer: &mut dyn Observer,
) -> Result<Header, Error> {
    let (header, records) = format::open(File::open(path)?)?;
    about(&header, name)?;
    verify_parts(game, &header, records, memory, watch, observer)?;
    Ok(header)
}

fn about(header: &Header, name: &str) -> Result<(), Error> {
    if header.game == name {
        return Ok(());
    }
    Err(Error::Senseless(format!("it is about \"{}\", not about \"{name}\"", header.game)))
}

/// Checks the certificate in this file and keeps what it says to play.
pub fn strategy(path: &Path, memory: usize, observer: &mut dyn Observer) -> Result<(Proof, Box<dyn Strategy>), Error> {
    let (proof, strategy) = run(Box::new(File::open(path)?), memory, true, observer)?;
    Ok((proof, strategy.expect("it was asked for")))
}

/// A file of some kind: what is read from it goes through a buffer, so this costs nothing.
trait AnyFile: Read + Seek + Send {}

impl<F: Read + Seek + Send> AnyFile for F {}

/// What a proof says to play.
pub trait Strategy: Send {
    /// The move in this position, both in the game's notation; `None` if the proof does not speak of it.
    fn choice(&self, position: &str) -> Option<String>;
}

type Found = Result<(Vec<Checked>, Option<Box<dyn Strategy>>), Error>;

fn run(
    mut file: Box<dyn AnyFile>,
    memory: usize,
    keep: bool,
    observer: &mut dyn Observer,
) -> Result<(Proof, Option<Box<dyn Strategy>>), Error> {
    let bytes = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let (header, records) = format::open(file)?;
    let spec = Spec::parse(&header.game)?;
    let unknown = || Error::Senseless(format!("there is no game called \"{}\"", spec.name));
    let job = Job { header: &header, records, memory, keep, observer };
    let found = seam::open(spec.clone(), job).ok_or_else(unknown)??;
    let (parts, strategy) = found?;
    Ok((Proof { header, parts, bytes }, strategy))
}

struct Job<'a> {
    header: &'a Header,
    records: Records<Box<dyn AnyFile>>,
    memory: usize,
    keep: bool,
    observer: &'a mut dyn Observer,
}

impl SeamVisitor for Job<'_> {
    type Output = Found;

    fn zero_sum<const S: usize, const K: usize, const M: usize>(self, game: Packed<ZeroSum, S, K, M>) -> Found {
        self.run(game)
    }

    fn several<P: Payoff, const S: usize, const K: usize, const M: usize>(self, game: Packed<P, S, K, M>) -> Found {
        self.run(game)
    }
}

impl Job<'_> {
    fn run<G: Game + Notation>(self, game: G) -> Found {
        if !self.keep {
            let parts = verify(&game, self.header, self.records, self.memory, &mut (), self.observer)?;
            return Ok((parts, None));
        }
        let mut book = Book { game, choices: FxHashMap::default() };
        let mut kept = Vec::new();
        let parts = {
            let mut watch = Kept { game: &book.game, kept: &mut kept };
            verify(&book.game, self.header, self.records, self.memory, &mut watch, self.observer)?
        };
        book.choices.reserve(kept.len());
        for (key, choice) in kept {
            book.choices.entry(key).or_insert(choice);
        }
        Ok((parts, Some(Box::new(book))))
    }
}

struct Kept<'a, G: Game + Notation> {
    game: &'a G,
    kept: &'a mut Vec<(G::Key, u32)>,
}

impl<G: Game + Notation> Watch<G> for Kept<'_, G> {
    fn chosen(&mut self, _: Part, state: &G::State, choice: usize) {
        self.kept.push((self.game.key(state), choice as u32));
    }
}

/// The moves by state. A state has one mover, so the strategies of two players do not get into each other's way.
struct Book<G: Game + Notation> {
    game: G,
    choices: FxHashMap<G::Key, u32>,
}

impl<G: Game + Notation> Strategy for Book<G> {
    fn choice(&self, position: &str) -> Option<String> {
        let state = self.game.parse_position(position).ok()?;
        let choice = *self.choices.get(&self.game.key(&state))?;
        let mut moves = Vec::new();
        self.game.expand(&state, &mut moves);
        moves.get(choice as usize).map(|&mv| self.game.move_text(&state, mv))
    }
}
