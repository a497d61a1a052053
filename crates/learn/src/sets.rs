//! Sets of evaluations that differ in strength: the same run of learning, looked at after a part of its time, twice
//! that, and so on. What experiments compare players with.
//!
//! A run in one thread is given processor time, so that sets made beside other work are as good as those made alone.
//! Each look writes the model in its small form and, until the set is complete, the whole run: after a kill the last
//! half of the time is done again at most.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use perfectplay_core::StopHandle;
use perfectplay_model::{FileError, ModelFile};

use crate::run::{Count, Error, Limits, Listener, Plan, Run, descends, expressive_terminal};

/// What learns: the functions that experiments were made with are those of this model, whatever the usual one is.
const MODEL: &str = "tuples:patterns=off";

/// Hears how much processor time was spent.
pub(crate) type Tell<'a> = dyn FnMut(Duration) + Send + 'a;

/// One set of a game.
#[derive(Clone, Debug)]
pub struct FunctionSet {
    /// The game.
    pub game: String,
    /// Which set: the seed of its run.
    pub number: u32,
    /// How many functions: at full time, at half of it, at a quarter …
    pub functions: u32,
    /// Processor time to learn.
    pub training: Duration,
    /// f_t, if another than [`expressive_terminal`].
    pub terminal: Option<String>,
}

impl FunctionSet {
    /// The names of its functions, the one that learned least first: their files in the folder, without the ending.
    pub fn names(&self) -> Vec<String> {
        (1..=self.functions).map(|function| self.name(function)).collect()
    }

    fn name(&self, function: u32) -> String {
        let game: String = self.game.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        let seconds = self.part(function).as_secs_f64();
        let f = self.terminal.as_ref().map_or(String::new(), |f| format!(".{f}"));
        format!("{game}.set{}{f}.{seconds}s", self.number)
    }

    /// The time after which a function is taken.
    fn part(&self, function: u32) -> Duration {
        self.training / (1 << (self.functions - function))
    }

    fn model(&self, folder: &Path, function: u32) -> PathBuf {
        folder.join(self.name(function) + ".zst")
    }

    fn state(&self, folder: &Path, function: u32) -> PathBuf {
        folder.join(self.name(function) + ".run")
    }

    /// What finished games count: so that they differ, unless somebody says otherwise.
    pub fn terminal(&self) -> Result<String, Error> {
        self.terminal.clone().map_or_else(|| expressive_terminal(&self.game).map(str::to_owned), Ok)
    }

    /// By Descent, or by temporal differences where a line of Descent costs too much.
    fn method(&self) -> Result<String, Error> {
        let (method, f) = (if descends(&self.game)? { "descent" } else { "td:choose=epsilon" }, self.terminal()?);
        Ok(format!("{method}{}f={f}", if method.contains(':') { ',' } else { ':' }))
    }

    /// Processor time that is still to be spent.
    pub fn left(&self, folder: &Path) -> Duration {
        let complete = (1..=self.functions).all(|function| self.model(folder, function).is_file());
        let begun = self.kept(folder).map_or(Duration::ZERO, |function| self.part(function));
        if complete { Duration::ZERO } else { self.training - begun }
    }

    /// The last look whose run can go on.
    fn kept(&self, folder: &Path) -> Option<u32> {
        (1..=self.functions).rev().find(|&function| self.state(folder, function).is_file())
    }

    /// How its functions were made.
    pub fn training_lines(&self, folder: &Path) -> Result<Vec<String>, FileError> {
        let line = |function| Ok(ModelFile::read(&self.model(folder, function))?.header.made_by);
        (1..=self.functions).map(line).collect()
    }

    /// Trains what is missing; `tell` hears how much of the time was spent. `false` if it was stopped before.
    pub fn train(&self, folder: &Path, stop: &StopHandle, tell: &mut Tell<'_>) -> Result<bool, Error> {
        let wrong = |error: io::Error| Error::Request(format!("cannot write into {}: {error}", folder.display()));
        if self.left(folder).is_zero() {
            return Ok(true);
        }
        fs::create_dir_all(folder).map_err(wrong)?;
        let kept = self.kept(folder);
        let run = match kept {
            Some(function) => Run::resume(ModelFile::read(&self.state(folder, function))?)?,
            None => Run::new(Plan {
                game: self.game.clone(),
                model: MODEL.into(),
                method: self.method()?,
                seed: self.number.into(),
            })?,
        };
        let begun = kept.map_or(Duration::ZERO, |function| self.part(function));
        let started = processor_time();
        let spent = || begun + (processor_time() - started);
        for function in kept.unwrap_or(1)..=self.functions {
            if kept != Some(function) {
                let inner = StopHandle::new();
                let mut clock = Clock { until: self.part(function), spent: &spent, inner: &inner, outer: stop, tell };
                run.go_on(&Limits { threads: 1, stop: inner.clone(), ..Limits::default() }, &mut clock);
                if stop.is_pulled() {
                    return Ok(false);
                }
                if function < self.functions {
                    run.saved().write(&self.state(folder, function))?;
                }
            }
            // A shorter run with this seed may have left the same function.
            if !self.model(folder, function).is_file() {
                run.file().write(&self.model(folder, function))?;
            }
            for earlier in 1..function {
                let _ = fs::remove_file(self.state(folder, earlier));
            }
        }
        Ok(true)
    }
}

/// Ends a run when its processor time is over.
struct Clock<'a> {
    until: Duration,
    spent: &'a (dyn Fn() -> Duration + Sync),
    inner: &'a StopHandle,
    outer: &'a StopHandle,
    tell: &'a mut Tell<'a>,
}

impl Listener for Clock<'_> {
    fn game(&mut self, _: &Count) {
        let spent = (self.spent)();
        (self.tell)(spent);
        if spent >= self.until || self.outer.is_pulled() {
            self.inner.pull();
        }
    }
}

/// The processor time of this thread; where the system does not tell it, that of the clock.
fn processor_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
    }
    #[cfg(not(unix))]
    {
        static STARTED: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        STARTED.get_or_init(std::time::Instant::now).elapsed()
    }
}
