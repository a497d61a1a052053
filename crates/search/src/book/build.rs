//! Making a book.
//!
//! The positions of the last ply are solved one after the other, several threads at several of them; each keeps its
//! table from one position to the next. Every value goes to a log beside the book as soon as it is known, so whoever
//! comes again after an interruption, however rude, loses the positions at work and no other. At last the values of
//! earlier plies follow by minimax, the book is written under another name and takes its own in one step, and the log
//! goes.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use perfectplay_core::{Budget, FullGame, Meter, Observer, Player, Progress, Status, Stop, side_by_side};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::alpha_beta::exact_solver::Scorer;
use crate::book::file::{Book, BookError, Header};
use crate::book::positions::{Listed, key_bytes, list};

/// What book is wanted, and where.
#[derive(Clone, Debug)]
pub struct Order {
    /// What it is about.
    pub header: Header,
    /// The file.
    pub out: PathBuf,
}

/// How far a book has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Built {
    /// [`Stop::Done`] if the book is there.
    pub stop: Stop,
    /// Positions of the last ply that have to be solved.
    pub leaves: usize,
    /// How many of them are.
    pub solved: usize,
    /// How many of these were in the log.
    pub found: usize,
    /// All positions of the book.
    pub positions: usize,
    /// Nodes looked at this time.
    pub nodes: u64,
}

/// First values by key.
type Values = FxHashMap<Box<[u8]>, i32>;

/// Builds a book, or goes on with one that was interrupted, a thread per scorer.
pub fn build<G: FullGame>(
    game: &G,
    order: &Order,
    scorers: Vec<Box<dyn Scorer<G>>>,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Built, BookError> {
    let listed = match list(game, order.header.plies, budget)? {
        Ok(listed) => listed,
        Err(stop) => return Ok(Built { stop, leaves: 0, solved: 0, found: 0, positions: 0, nodes: 0 }),
    };
    let leaves: Vec<&Listed<G>> = listed.iter().filter(|l| l.ply == order.header.plies).collect();
    let (log, mut values) = Log::open(&order.out, &order.header)?;
    let wanted: FxHashSet<&[u8]> = leaves.iter().map(|l| &*l.key).collect();
    values.retain(|key, _| wanted.contains(&**key));
    let found = values.len();
    let open: Vec<&Listed<G>> = leaves.iter().copied().filter(|l| !values.contains_key(&l.key)).collect();
    let task = Task { open: &open, next: AtomicUsize::new(0), nodes: AtomicU64::new(0), log: Mutex::new(log), order };
    let mut built =
        Built { stop: Stop::Done, leaves: leaves.len(), solved: found, found, positions: listed.len(), nodes: 0 };
    task.solve(scorers, budget, observer, &mut built, &mut values)?;
    built.nodes = task.nodes.into_inner();
    if built.stop == Stop::Done {
        minimax(game, &listed, &order.header, &mut values)?;
        let entries: Vec<(Box<[u8]>, i32)> = values.into_iter().collect();
        write_whole(&order.out, &Book::new(order.header.clone(), &entries)?.to_bytes())?;
        let log = log_path(&order.out);
        fs::remove_file(&log).map_err(BookError::io(&log))?;
    }
    Ok(built)
}

struct Task<'a, G: FullGame> {
    open: &'a [&'a Listed<G>],
    next: AtomicUsize,
    nodes: AtomicU64,
    log: Mutex<Log>,
    order: &'a Order,
}

/// What a thread says.
enum News {
    Solved(usize, i32),
    Stopped(Stop),
    Failed(BookError),
}

impl<G: FullGame> Task<'_, G> {
    fn solve(
        &self,
        scorers: Vec<Box<dyn Scorer<G>>>,
        budget: &Budget,
        observer: &mut dyn Observer,
        built: &mut Built,
        values: &mut Values,
    ) -> Result<(), BookError> {
        let (sender, news) = mpsc::channel();
        let mut failed = None;
        let (meter, threads) = (budget.start(), scorers.len());
        let jobs = scorers.into_iter().map(|scorer| {
            let (sender, meter) = (sender.clone(), meter.share(threads));
            move || self.work(scorer, meter, &sender)
        });
        let jobs: Vec<_> = jobs.collect();
        drop(sender);
        side_by_side(jobs.into_iter(), || {
            loop {
                match news.recv_timeout(Duration::from_millis(50)) {
                    Ok(News::Solved(at, value)) => {
                        values.insert(self.open[at].key.clone(), value);
                        built.solved += 1;
                    }
                    Ok(News::Stopped(stop)) => built.stop = stop,
                    Ok(News::Failed(error)) => {
                        budget.stop.pull();
                        failed = Some(error);
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                }
                let share = (built.leaves > 0).then(|| built.solved as f64 / built.leaves as f64);
                let nodes = self.nodes.load(Ordering::Relaxed);
                let progress = Progress { nodes, bytes: budget.memory.unwrap_or(0), share, depth: None };
                if observer.progress(&progress).is_break() {
                    budget.stop.pull();
                }
            }
        });
        if built.stop == Stop::Done && built.solved < built.leaves && failed.is_none() {
            built.stop = Stop::Memory; // there is none for a single thread
        }
        failed.map_or(Ok(()), Err)
    }

    fn work(&self, mut scorer: Box<dyn Scorer<G>>, mut meter: Meter, news: &mpsc::Sender<News>) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(listed) = self.open.get(at) else { return };
            let before = scorer.nodes();
            let value = scorer.value(&listed.state, self.order.header.objective, &mut meter);
            self.nodes.fetch_add(scorer.nodes() - before, Ordering::Relaxed);
            let told = match value {
                Err(stop) => News::Stopped(stop),
                Ok(value) => match self.log.lock().expect("no holder panics").add(&listed.key, value) {
                    Ok(()) => News::Solved(at, value),
                    Err(error) => News::Failed(error),
                },
            };
            let go_on = matches!(told, News::Solved(..));
            if news.send(told).is_err() || !go_on {
                return;
            }
        }
    }
}

/// The values of all positions before the last ply. A position's successors may be of its own ply, where different
/// numbers of moves lead to the same one; they are never its predecessors.
fn minimax<G: FullGame>(game: &G, listed: &[Listed<G>], header: &Header, values: &mut Values) -> Result<(), BookError> {
    let mut open: Vec<&Listed<G>> = listed.iter().rev().filter(|l| !values.contains_key(&l.key)).collect();
    while !open.is_empty() {
        let before = open.len();
        open.retain(|l| match best(game, &l.state, header, |key| values.get(key).copied()) {
            Some(value) => {
                values.insert(l.key.clone(), value);
                false
            }
            None => true,
        });
        if open.len() == before {
            return Err(BookError::Wrong("the values of earlier plies do not follow from those of the last".into()));
        }
    }
    Ok(())
}

/// The first player's value of a state by those of its successors, if `value` knows them all.
pub(super) fn best<G: FullGame>(
    game: &G,
    state: &G::State,
    header: &Header,
    value: impl Fn(&[u8]) -> Option<i32>,
) -> Option<i32> {
    let mut moves = Vec::new();
    let Status::Turn(mover) = game.expand(state, &mut moves) else { return None };
    let mut best: Option<i32> = None;
    for mv in moves {
        let next = game.after(state, mv);
        let value = match game.status(&next) {
            Status::Over(payoff) => header.objective.value(payoff, Player::FIRST),
            Status::Turn(_) => value(&key_bytes(game, &next))?,
        };
        best = Some(best.map_or(value, |b| if mover == Player::FIRST { b.max(value) } else { b.min(value) }));
    }
    best
}

/// `FILE.part`
fn log_path(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// What is solved, a record each: the length of the key, the key, the value, a checksum of these.
struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// The log of a book, and what is in it already. A record that an interruption cut is cut off.
    fn open(out: &Path, header: &Header) -> Result<(Log, Values), BookError> {
        let path = log_path(out);
        let failed = BookError::io(&path);
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(&path).map_err(&failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(&failed)?;
        let title = Book::new(header.clone(), &[])?.to_bytes();
        if bytes.len() < title.len() && title.starts_with(&bytes) {
            file.set_len(0).map_err(&failed)?;
            bytes.clone_from(&title);
            append(&mut file, 0, &title).map_err(&failed)?;
        }
        let Some(mut rest) = bytes.strip_prefix(&title[..]) else {
            return Err(BookError::Wrong(format!(
                "{} is the unfinished part of another book; remove it or choose another file",
                path.display()
            )));
        };
        let mut values = Values::default();
        while let Some((key, value, after)) = record(rest) {
            values.insert(key.into(), value);
            rest = after;
        }
        file.set_len((bytes.len() - rest.len()) as u64).map_err(&failed)?;
        Ok((Log { path, file }, values))
    }

    fn add(&mut self, key: &[u8], value: i32) -> Result<(), BookError> {
        let mut bytes = vec![key.len() as u8];
        bytes.extend(key);
        bytes.extend(value.to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        let end = self.file.metadata().map_err(BookError::io(&self.path))?.len();
        append(&mut self.file, end, &bytes).map_err(BookError::io(&self.path))
    }
}

fn append(file: &mut File, at: u64, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::{Seek, SeekFrom};
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)?;
    file.sync_data()
}

/// The first record of `bytes`, and what comes after it.
fn record(bytes: &[u8]) -> Option<(&[u8], i32, &[u8])> {
    let length = 1 + usize::from(*bytes.first()?);
    let (body, rest) = bytes.split_at_checked(length + 4)?;
    let (checksum, rest) = rest.split_first_chunk::<4>()?;
    let value = body[length..].try_into().ok()?;
    (crc32fast::hash(body).to_le_bytes() == *checksum).then(|| (&body[1..length], i32::from_le_bytes(value), rest))
}

/// Writes a file that is there as a whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), BookError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let write = || {
        let mut file = File::create(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    write().map_err(BookError::io(path))
}
