//! A search that is saved now and then, and goes on after it was stopped, killed or cut off.

use std::time::{Duration, Instant};

use anyhow::Result;
use perfectplay_catalog::checkpoint::{self, Checkpoint, Question, Saved, Spent};
use perfectplay_catalog::{Algorithm, AnyPosition, AnySearch, SAVABLE, Setup, Writer};
use perfectplay_core::{Budget, Ledger, Stop};

use crate::args::{SolveArgs, stop_on_termination};
use crate::growth::GrowthFile;
use crate::progress::{self, Bar};

/// The algorithm named; or the one in the file to resume from; or the usual one, if it can be saved on this game, or
/// the first that can.
fn algorithm(
    position: &dyn AnyPosition,
    setup: &Setup,
    saved: Option<&Saved>,
    usual: &Algorithm,
    args: &SolveArgs,
) -> Result<Algorithm> {
    if args.search.with.is_some() {
        return Ok(usual.clone());
    }
    if let Some(saved) = saved {
        return Ok(Algorithm::parse(saved.algorithm())?);
    }
    let savable = |algorithm: &Algorithm| {
        let search = position.search(algorithm, setup);
        search.is_ok_and(|search| search.save(&mut Writer::new(&mut std::io::sink())).is_ok())
    };
    let candidates = SAVABLE.iter().filter_map(|info| Algorithm::parse(info.name).ok());
    let mut candidates = std::iter::once(usual.clone()).chain(candidates);
    Ok(candidates.find(savable).unwrap_or_else(|| usual.clone()))
}

/// Runs the search in slices and saves it after each. Beside the search: whether the last save went well, and its
/// growth could be written. What cannot be done is refused before any work.
pub(crate) fn run(
    position: &dyn AnyPosition,
    mut setup: Setup,
    usual: &Algorithm,
    mut budget: Budget,
    args: &SolveArgs,
) -> Result<(Box<dyn AnySearch>, Result<()>)> {
    let SolveArgs { saving, proof, growth, .. } = args;
    stop_on_termination(&budget.stop);
    let saved = saving.resume.as_deref().map(checkpoint::find).transpose()?;
    let algorithm = &algorithm(position, &setup, saved.as_ref(), usual, args)?;
    let question = Question::new(position, algorithm, &setup);
    saved.as_ref().map_or(Ok(()), |saved| saved.check(&question))?;
    let before = saved.as_ref().map_or(Spent::default(), |s| s.spent);
    setup.memory = setup.memory.or(before.memory);
    budget.memory = setup.memory;
    budget.ledger = Ledger::new(before.nodes);
    let mut search = position.search(algorithm, &setup)?;
    if proof.is_some() {
        search.can_prove()?;
    }
    let name = algorithm.info.name;
    let watchers =
        (Bar::new(name, &budget), GrowthFile::open(growth.as_deref(), &*search, name, saving.resume.is_some())?);
    let mut file = None;
    if let Some(saved) = saved {
        if let Some(text) = &saved.fallback {
            eprintln!("perfectplay: {text}");
        }
        file = Some(saved.restore(question.clone(), &mut *search)?);
    }
    let mut resumed = file.is_some();
    if let Some(path) = saving.checkpoint.as_deref().filter(|&path| Some(path) != saving.resume.as_deref()) {
        file = Some(Checkpoint::create(path, question)?);
        resumed = false;
    }
    let file = file.expect("one of the two files was named");
    let mut saver = Saver { file, search, budget, started: Instant::now(), before, watchers };
    if !resumed {
        // Whoever cannot save says so before work is done.
        saver.save()?;
    }
    let failure = saver.run(saving.every);
    let (bar, growth) = saver.watchers;
    bar.finish();
    let saved = failure.map_or(Ok(()), |error| Err(error.into()));
    Ok((saver.search, saved.and(growth.map_or(Ok(()), GrowthFile::finish))))
}

struct Saver {
    file: Checkpoint,
    search: Box<dyn AnySearch>,
    budget: Budget,
    started: Instant,
    before: Spent,
    watchers: (Bar, Option<GrowthFile>),
}

impl Saver {
    /// Until it is done or stopped. What went wrong with the last save, if it did.
    fn run(&mut self, every: Duration) -> Option<checkpoint::CheckpointError> {
        let mut failure = None;
        loop {
            let time_left = self.budget.time.map(|t| t.saturating_sub(self.started.elapsed()));
            let nodes_left = self.budget.nodes.map(|n| n.saturating_sub(self.budget.ledger.spent()));
            if nodes_left == Some(0) {
                self.search.stopped(Stop::Nodes);
                return failure;
            }
            let time = Some(time_left.map_or(every, |left| left.min(every)));
            let slice = Budget { time, nodes: nodes_left, ..self.budget.clone() };
            let stop = progress::run(&mut *self.search, &slice, &mut self.watchers);
            if stop == Stop::Done {
                return failure;
            }
            match self.save() {
                Ok(()) => failure = None,
                Err(error) => {
                    if failure.is_none() {
                        eprintln!("perfectplay: {error}; the search goes on");
                    }
                    failure = Some(error);
                }
            }
            let out_of_time = self.budget.time.is_some_and(|t| self.started.elapsed() >= t);
            if stop != Stop::Time || out_of_time {
                return failure;
            }
            if self.budget.stop.is_pulled() {
                self.search.stopped(Stop::Cancelled);
                return failure;
            }
        }
    }

    fn save(&mut self) -> Result<(), checkpoint::CheckpointError> {
        let spent = Spent {
            seconds: self.before.seconds + self.started.elapsed().as_secs_f64(),
            nodes: self.budget.ledger.spent(),
            memory: self.budget.memory,
        };
        self.file.save(&*self.search, &spent)?;
        self.watchers.0.saved();
        Ok(())
    }
}
