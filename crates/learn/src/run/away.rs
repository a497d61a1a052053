//! Games of self-play that are played elsewhere and learned here: a task as a text, and what comes back.
//!
//! A game depends on the file of the run, the seed and its number alone: which machine plays which games, and how many
//! in one task, changes nothing. The model stays as it is in the file while a task is done. Examples are learned in the
//! order of the games; with one game per round and no replay a run elsewhere is the run here, to the last bit.

use std::io::Read;
use std::path::PathBuf;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use perfectplay_core::StopHandle;
use perfectplay_model::Shape;

use super::*;

/// A hash of 128 bits (FNV-1a) in hexadecimal digits: what files and tasks are known by.
pub fn hash(bytes: &[u8]) -> String {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let start = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let hash = bytes.iter().fold(start, |hash: u128, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    format!("{hash:032x}")
}

/// Games of self-play to be played, by a model that is not changed meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayTask {
    /// The game.
    pub game: String,
    /// The [`hash`] of the file of the run, which says how games are played.
    pub model: String,
    /// Where that file lies, if it is not sent along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// For everything left to chance.
    #[serde(default)]
    pub seed: u64,
    /// The number of the first game, counted from 1.
    pub first: u64,
    /// How many.
    pub games: u64,
}

/// What came out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelfPlayed {
    /// The games.
    pub games: Vec<PlayedAway>,
    /// Their examples, one game after the other: viewers, cells, numbers and targets (32-bit floats), each for all
    /// states, compressed by Zstandard, in base 64.
    pub examples: String,
}

/// A game that was played elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedAway {
    /// What people read.
    #[serde(flatten)]
    pub line: GameLine,
    /// The moves by their numbers among the legal ones.
    pub numbers: Vec<u16>,
    /// States evaluated.
    pub evaluations: u64,
    /// States in the tree.
    pub states: u64,
    /// Resolved ones among them.
    pub resolved: u64,
    /// How many examples are its own.
    pub examples: usize,
}

impl SelfPlayTask {
    /// Plays. The file is read, unless somebody brings what is in it. Work that is stopped early has no result.
    pub fn run(&self, model: Option<&[u8]>, stop: &StopHandle) -> Result<SelfPlayed, Error> {
        let bytes = match (model, &self.file) {
            (Some(bytes), _) => bytes.to_vec(),
            (None, Some(file)) => std::fs::read(file)
                .map_err(|error| Error::Request(format!("cannot read the model {}: {error}", file.display())))?,
            (None, None) => return Err(Error::Request("the job names no file that holds its model".into())),
        };
        let found = hash(&bytes);
        if found != self.model {
            return Err(Error::Request(format!("the job is about the model {}, and this is {found}", self.model)));
        }
        let run = Run::resume(ModelFile::from_bytes(&bytes)?)?;
        if run.plan.game != self.game {
            return Err(Error::Request(format!("this is a model of {}, not of {}", run.plan.game, self.game)));
        }
        let (first, end) = (self.first.checked_sub(1), self.first.checked_add(self.games));
        let (Some(first), Some(_)) = (first, end) else {
            return Err(Error::Request("games are counted from 1".into()));
        };
        let (mut games, mut all) = (Vec::new(), Examples::default());
        for number in first..first + self.games {
            if stop.is_pulled() {
                return Err(Error::Request("stopped before the work was done".into()));
            }
            games.push(run.play_away(self.seed, number, &mut all));
        }
        Ok(SelfPlayed { games, examples: packed(&all) })
    }
}

impl Run {
    fn play_away(&self, seed: u64, number: u64, all: &mut Examples) -> PlayedAway {
        let mut examples = Examples::default();
        // Which other games the task has must not matter: nothing is kept for them.
        let table = Table { keeps: false, ..self.table(None) };
        let played = self.play_game(number, &table, &mut dice_of(seed, number), &mut examples);
        (0..examples.len()).for_each(|i| all.push_from(&examples, i));
        let Played { moves, opening, gains, evaluations, states, resolved } = played;
        let line = GameLine { game: number + 1, moves: self.game.texts(&moves), opening, gains };
        PlayedAway { line, numbers: moves, evaluations, states, resolved, examples: examples.len() }
    }

    /// Learns from games that were played elsewhere, which must be those that come next. They took so many seconds.
    pub fn learn_from(
        &self,
        played: &SelfPlayed,
        seconds: f64,
        end: &End,
        listener: &mut dyn Listener,
    ) -> Result<(), Error> {
        let (started, before) = (Instant::now(), self.count().seconds);
        let wrong = |reason: String| Error::Request(format!("these games cannot be learned: {reason}"));
        let next = self.next.load(Ordering::Relaxed);
        if let Some((game, due)) = played.games.iter().zip(next + 1..).find(|(game, due)| game.line.game != *due) {
            return Err(wrong(format!("game {} came where game {due} was expected", game.line.game)));
        }
        let count = played.games.iter().try_fold(0usize, |sum, game| sum.checked_add(game.examples));
        let all = count.and_then(|count| unpacked(&played.examples, count, self.game.shape()));
        let all = all.ok_or_else(|| wrong("their examples do not fit".into()))?;
        if played.games.iter().any(|game| game.numbers.len() < game.line.opening) {
            return Err(wrong("an opening is longer than its game".into()));
        }
        let listener = Mutex::new(listener);
        let mut first = 0;
        for game in &played.games {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let mut examples = Examples::default();
            (first..first + game.examples).for_each(|i| examples.push_from(&all, i));
            first += game.examples;
            let &PlayedAway { evaluations, states, resolved, .. } = game;
            let (moves, gains) = (game.numbers.clone(), game.line.gains.clone());
            let played = Played { moves, opening: game.line.opening, gains, evaluations, states, resolved };
            // What replay draws; the game's own dice are elsewhere.
            let mut dice = dice_of(!self.plan.seed, number);
            self.learn_game(
                (number, end),
                played,
                examples,
                &mut dice,
                || before + seconds + started.elapsed().as_secs_f64(),
                &listener,
            );
        }
        Ok(())
    }
}

fn packed(examples: &Examples) -> String {
    let FeatureBatch { viewers, cells, numbers } = &examples.batch;
    let floats = numbers.iter().chain(&examples.targets).flat_map(|number| number.to_le_bytes());
    let bytes: Vec<u8> = viewers.iter().chain(cells).copied().chain(floats).collect();
    BASE64_STANDARD.encode(zstd::encode_all(&bytes[..], 3).expect("writing to memory"))
}

/// What [`packed`] wrote, if it is so many examples of this shape. Nothing in the text is trusted.
fn unpacked(text: &str, count: usize, shape: &Shape) -> Option<Examples> {
    let per = 1 + shape.cells + 4 * (shape.numbers + shape.outputs);
    let (compressed, size) = (BASE64_STANDARD.decode(text).ok()?, count.checked_mul(per)?);
    let mut bytes = Vec::new();
    zstd::Decoder::new(&compressed[..]).ok()?.take(size as u64 + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() != size {
        return None;
    }
    let (viewers, rest) = bytes.split_at(count);
    let (cells, rest) = rest.split_at(count * shape.cells);
    let floats: Vec<f32> = rest.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    let (numbers, targets) = floats.split_at(count * shape.numbers);
    let fits = viewers.iter().all(|&viewer| usize::from(viewer) < shape.players)
        && cells.iter().all(|&cell| usize::from(cell) < shape.values)
        && floats.iter().all(|number| number.is_finite());
    let batch = FeatureBatch { viewers: viewers.to_vec(), cells: cells.to_vec(), numbers: numbers.to_vec() };
    fits.then(|| Examples { batch, targets: targets.to_vec() })
}
