//! A run with all that people want of it: looks at it with exams, a file that is always whole, an end, a document.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use perfectplay_core::StopHandle;
use serde_json::{Value, json};

use crate::curve::{Point, html, picture};
use crate::run::{Count, Error, GameLine, Limits, Listener, Plan, Run, usual_method};
use crate::{End, Exam, ExamLimits, Marks, ModelFile, SelfPlayTask, SelfPlayed, Tensor, hash, onnx, write_whole};

/// How long to learn if nobody says how long.
const USUAL_TIME: Duration = Duration::from_secs(600);
/// A run is saved at least so often.
const SAVE_EVERY: Duration = Duration::from_secs(60);
/// Looks at the run, each with an exam.
const LOOKS: u32 = 10;
/// An exam takes no longer than this part of the learning since the last one, unless that is less than the shortest.
const EXAM_PART: f64 = 0.5;
const SHORTEST_EXAM: Duration = Duration::from_secs(2);
/// The tensors in which a file keeps its curve, and how many threads it was begun with.
const CURVE: &str = "curve";
const THREADS: &str = "threads";

/// What somebody asks for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The game.
    pub game: String,
    /// What is trained; `tuples` if nobody says.
    pub model: Option<String>,
    /// The way to learn; what suits the game if nobody says.
    pub method: Option<String>,
    /// For everything left to chance; 0 if nobody says.
    pub seed: Option<u64>,
    /// Where the model is written; named after the game, or where it was, if nobody says.
    pub out: Option<PathBuf>,
    /// Go on with this file.
    pub resume: Option<PathBuf>,
    /// Games in all.
    pub games: Option<u64>,
    /// Time from now on; ten minutes if there is no limit at all.
    pub time: Option<Duration>,
    /// Games against each opponent of an exam, at most; 0: no exams.
    pub exam: u64,
    /// Gets a JSON line per look.
    pub log: Option<PathBuf>,
    /// Gets a JSON line per game of self-play.
    pub record: Option<PathBuf>,
}

/// A run at work.
pub struct Training {
    run: Run,
    request: Request,
    out: PathBuf,
    points: Vec<Point>,
    threads: usize,
    exam: Option<Exam>,
    /// Seconds of learning before this call.
    before: f64,
    looked: Count,
    looks: u32,
    saved: Instant,
    recorder: Option<Recorder>,
}

/// Says which file could not be written.
fn write(path: &Path, written: Result<(), impl std::fmt::Display>) -> Result<(), Error> {
    written.map_err(|error| Error::Request(format!("cannot write {}: {error}", path.display())))
}

impl Training {
    /// Begins, or goes on with a file.
    pub fn new(mut request: Request) -> Result<Self, Error> {
        if request.games.is_none() {
            request.time.get_or_insert(USUAL_TIME);
        }
        let (run, points, threads, out) = match &request.resume {
            Some(path) => Self::resumed(&request, path)?,
            None => Self::begun(&request)?,
        };
        let exam = if request.exam > 0 { Some(Exam::new(&request.game, run.plan().seed)?) } else { None };
        let recorder = request.record.as_ref().map(|path| Recorder::new(path, request.resume.is_some())).transpose()?;
        let (before, looked, saved) = (run.count().seconds, run.count(), Instant::now());
        Ok(Training { run, request, out, points, threads, exam, before, looked, looks: 0, saved, recorder })
    }

    fn resumed(request: &Request, path: &Path) -> Result<(Run, Vec<Point>, usize, PathBuf), Error> {
        if request.model.is_some() || request.method.is_some() || request.seed.is_some() {
            return Err(Error::Request("a run that goes on has its model, its method and its seed".into()));
        }
        let unread = |error| Error::Request(format!("cannot go on with {}: {error}", path.display()));
        let file = ModelFile::read(path).map_err(unread)?;
        if file.header.game != request.game {
            let (path, game) = (path.display(), &request.game);
            return Err(Error::Request(format!("{path} is a model of {}, not of {game}", file.header.game)));
        }
        let curve = file.training.get(CURVE).and_then(|curve| serde_json::from_slice(curve.as_bytes()).ok());
        let before = file.training.get(THREADS).and_then(|threads| serde_json::from_slice(threads.as_bytes()).ok());
        let out = request.out.clone().unwrap_or_else(|| path.to_owned());
        Ok((Run::resume(file)?, curve.unwrap_or_default(), before.unwrap_or(1), out))
    }

    fn begun(request: &Request) -> Result<(Run, Vec<Point>, usize, PathBuf), Error> {
        let game = request.game.clone();
        perfectplay_catalog::open(&game)?; // names that nobody knows are refused with what is near
        let method = match &request.method {
            Some(method) => method.clone(),
            None => usual_method(&game)?.to_owned(),
        };
        let name = || game.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect::<String>();
        let out = request.out.clone().unwrap_or_else(|| format!("{}.safetensors", name()).into());
        let model = request.model.clone().unwrap_or_else(|| "tuples".into());
        let run = Run::new(Plan { game, model, method, seed: request.seed.unwrap_or(0) })?;
        // A seed asks for a run that can be repeated.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if request.seed.is_some() { 1 } else { cores };
        // A file that cannot be written is refused before the first game.
        write(&out, write_whole(&out, &saved(&run, &[], threads).to_bytes()))?;
        Ok((run, Vec::new(), threads, out))
    }

    /// Plays and learns here until a limit is reached.
    /// With so many threads; if nobody says, as many as before, and all cores at the beginning unless there is a seed.
    pub fn learn(
        &mut self,
        threads: Option<usize>,
        stop: &StopHandle,
        listener: &mut dyn Listener,
    ) -> Result<(), Error> {
        self.threads = threads.unwrap_or(self.threads);
        let threads = self.threads;
        loop {
            let spent = self.run.count().seconds - self.looked.seconds;
            let slice = self
                .part()
                .map_or(SAVE_EVERY, |part| Duration::from_secs_f64((part - spent).max(0.01)).min(SAVE_EVERY));
            let left = self.request.time.map(|time| time.saturating_sub(self.learned()));
            let time = Some(left.map_or(slice, |left| left.min(slice)));
            let games = self.next_look(self.run.count().games);
            let limits = Limits { games, time, threads, stop: stop.clone(), end: self.end() };
            let mut both = Both { recorder: self.recorder.as_mut(), listener };
            self.run.go_on(&limits, &mut both);
            if self.pause(stop, listener)? {
                return Ok(());
            }
        }
    }

    /// Between games: looks at the run if it is time to, saves it, and says whether it has ended.
    fn pause(&mut self, stop: &StopHandle, listener: &mut dyn Listener) -> Result<bool, Error> {
        let count = self.run.count();
        let games_done = self.request.games.is_some_and(|most| count.games >= most);
        let time_done = self.request.time.is_some_and(|time| self.learned() >= time);
        let ends = games_done || time_done || stop.is_pulled();
        let due = match self.part() {
            Some(part) => count.seconds - self.looked.seconds >= part - 0.05,
            None => self.next_look(self.looked.games).is_some_and(|games| count.games >= games),
        };
        if (due || ends) && count.games > self.looked.games {
            self.look(count, stop, listener)?;
        }
        if ends || self.saved.elapsed() >= SAVE_EVERY {
            self.save()?;
            self.recorder.as_mut().map_or(Ok(()), Recorder::flush)?;
        }
        Ok(ends)
    }

    fn look(&mut self, count: Count, stop: &StopHandle, listener: &mut dyn Listener) -> Result<(), Error> {
        self.looks += 1;
        let marks = match &self.exam {
            Some(exam) if !stop.is_pulled() => {
                let time = Duration::from_secs_f64((count.seconds - self.looked.seconds) * EXAM_PART);
                let limits = ExamLimits { games: self.request.exam, time: time.max(SHORTEST_EXAM), stop: stop.clone() };
                let marks = exam.take(&self.run.model(), u64::from(self.looks) * 1000, &limits)?;
                Marks { right_states: self.run.right_states()?, ..marks }
            }
            _ => Marks::default(),
        };
        let point = Point::between(&self.looked, &count, marks);
        listener.look(&point);
        if let Some(log) = &self.request.log {
            let file = OpenOptions::new().create(true).append(true).open(log);
            write(log, file.and_then(|mut file| file.write_all(point.json_line().as_bytes())))?;
        }
        self.points.push(point);
        self.looked = count;
        Ok(())
    }

    /// Time learned since this began. Exams do not count.
    fn learned(&self) -> Duration {
        Duration::from_secs_f64((self.run.count().seconds - self.before).max(0.0))
    }

    /// Where the run will end.
    fn end(&self) -> End {
        let seconds = self.request.time.map(|time| self.before..self.before + time.as_secs_f64());
        End { games: self.request.games, seconds }
    }

    /// Seconds between two looks, if there is a limit of time.
    fn part(&self) -> Option<f64> {
        self.request.time.map(|time| time.as_secs_f64() / f64::from(LOOKS))
    }

    /// The number of games at the next look. Counted in games, looks come after the same games however often the run
    /// was stopped.
    fn next_look(&self, games: u64) -> Option<u64> {
        let most = self.request.games?;
        let between = (most / u64::from(LOOKS)).max(1);
        Some(most.min((games / between + 1) * between))
    }

    /// Writes the file.
    pub fn save(&mut self) -> Result<(), Error> {
        self.saved = Instant::now();
        write(&self.out, write_whole(&self.out, &saved(&self.run, &self.points, self.threads).to_bytes()))
    }

    /// The file of the run as it is now, and its hash: what tasks of self-play are about.
    pub fn snapshot(&self) -> (Vec<u8>, String) {
        let bytes = self.run.saved().to_bytes();
        let hash = hash(&bytes);
        (bytes, hash)
    }

    /// The next games, at most so many, as a task about a snapshot; none if there are enough.
    pub fn task(&self, model: &str, after: u64, games: u64) -> Option<SelfPlayTask> {
        let first = self.run.count().games + after + 1;
        let most = self.request.games.map_or(u64::MAX, |most| most.saturating_sub(first - 1));
        let (games, Plan { game, seed, .. }) = (games.min(most), self.run.plan().clone());
        (games > 0).then(|| SelfPlayTask { game, model: model.to_owned(), file: None, seed, first, games })
    }

    /// Learns from the next games, which were played elsewhere and took so many seconds; says whether the run has
    /// ended. If one of the results does not fit, none is learned that comes after it.
    pub fn enter(
        &mut self,
        results: &[SelfPlayed],
        seconds: f64,
        stop: &StopHandle,
        listener: &mut dyn Listener,
    ) -> Result<bool, Error> {
        let end = self.end();
        for (i, played) in results.iter().enumerate() {
            let mut both = Both { recorder: self.recorder.as_mut(), listener };
            self.run.learn_from(played, if i == 0 { seconds } else { 0.0 }, &end, &mut both)?;
        }
        self.pause(stop, listener)
    }

    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// All looks.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Where the model is written.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Writes the model for use elsewhere: ONNX, small or whole, as its name ends.
    pub fn export(&self, path: &Path) -> Result<(), Error> {
        let file = self.run.file();
        write(
            path,
            match path.extension().and_then(|end| end.to_str()) {
                Some("onnx") => onnx(&file).and_then(|bytes| write_whole(path, &bytes)),
                _ => file.write(path),
            },
        )
    }

    /// Writes a page with curves.
    pub fn report(&self, path: &Path) -> Result<(), Error> {
        let page = html(&self.run.file().header.made_by, &self.points).map_err(Error::Request)?;
        write(path, std::fs::write(path, page))
    }

    /// Draws how the scores of exams grew, as SVG.
    pub fn picture(&self, path: &Path) -> Result<(), Error> {
        let none = || "there is no learning curve to draw, since no exam was taken".to_owned();
        let picture = picture(&self.points).unwrap_or_else(|| Err(none())).map_err(Error::Request)?;
        write(path, std::fs::write(path, picture))
    }

    /// What `train --json` prints.
    pub fn document(&self) -> Value {
        let (count, made_by) = (self.run.count(), self.run.file().header.made_by);
        json!({
            "game": self.request.game, "file": self.out, "made_by": made_by, "games": count.games, "plies": count.plies,
            "evaluations": count.evaluations, "examples": count.examples, "seconds": count.seconds, "curve": self.points,
        })
    }
}

/// A run with its curve and its number of threads.
fn saved(run: &Run, points: &[Point], threads: usize) -> ModelFile {
    let mut file = run.saved();
    let curve = Tensor::bytes(serde_json::to_vec(points).expect("plain data"));
    file.training.insert(CURVE.into(), curve);
    file.training.insert(THREADS.into(), Tensor::bytes(threads.to_string().into_bytes()));
    file
}

/// Writes games down.
struct Recorder {
    path: PathBuf,
    file: BufWriter<File>,
    failed: Option<io::Error>,
}

impl Recorder {
    fn new(path: &Path, append: bool) -> Result<Self, Error> {
        let file = OpenOptions::new().create(true).write(true).append(append).truncate(!append).open(path);
        let file = file.map_err(|error| Error::Request(format!("cannot write {}: {error}", path.display())))?;
        Ok(Recorder { path: path.to_owned(), file: BufWriter::new(file), failed: None })
    }

    fn flush(&mut self) -> Result<(), Error> {
        let failed = self.failed.take().map_or(Ok(()), Err);
        write(&self.path, failed.and_then(|()| self.file.flush()))
    }
}

/// Who records, and who listens.
struct Both<'a> {
    recorder: Option<&'a mut Recorder>,
    listener: &'a mut dyn Listener,
}

impl Listener for Both<'_> {
    fn game(&mut self, count: &Count) {
        self.listener.game(count);
    }

    fn wants_games(&self) -> bool {
        self.recorder.is_some() || self.listener.wants_games()
    }

    fn record(&mut self, game: &GameLine) {
        self.listener.record(game);
        if let Some(recorder) = &mut self.recorder {
            let line = serde_json::to_string(game).expect("plain data") + "\n";
            recorder.failed = recorder.failed.take().or_else(|| recorder.file.write_all(line.as_bytes()).err());
        }
    }
}
