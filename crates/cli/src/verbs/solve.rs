//! `solve`: one search, told in full.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};
use perfectplay_catalog::{
    Algorithm, AnyGame, AnyPosition, AnySearch, OnPosition, ProofFile, Report, Setup, TABLE_WRITER, built_in_book,
    default_solver, open_book,
};
use perfectplay_core::{Budget, Facts, SolveStatus, Stop};

use crate::args::SolveArgs;
use crate::growth::GrowthFile;
use crate::output::{Outcome, bytes_text, colours, emit, emit_json, grouped, rate_text, seconds_text};
use crate::progress::{self, Bar};
use crate::verbs::saving;

pub(crate) fn solve(args: &SolveArgs) -> Result<Outcome> {
    let (position, mut report, saved) = search(args, true, default_solver)?;
    report.moves.clear();
    let solved = report.status == SolveStatus::Solved
        && (args.proof.is_none() || report.proof.is_some())
        && (args.table.is_none() || report.table.is_some());
    if args.json {
        emit_json(&report)?;
    } else {
        emit(&headed(&*position, &report))?;
    }
    saved?;
    Ok(if solved { Outcome::Done } else { Outcome::NoAnswer })
}

/// With `exact`, algorithms that can either prove or play prove. Beside the report: whether the search and its growth
/// could be written, if they were to be; the report is told first.
pub(crate) fn search<T: AsRef<str>>(
    args: &SolveArgs,
    exact: bool,
    default: fn(&Facts) -> T,
) -> Result<(Box<dyn AnyPosition>, Report, Result<()>)> {
    let game = args.at.game()?;
    let position = args.at.position(&*game)?;
    let budget = args.search.budget.budget();
    // A file that cannot be written is refused before the search begins.
    let proof = args.proof.as_deref().map(ProofFile::new).transpose()?;
    if args.strong {
        let mut values = Values::new(args.values.as_deref())?;
        let mut search = position.strong(args.search.objective.into(), values.sink())?;
        if proof.is_some() {
            search.can_prove()?;
        }
        let name = search.report().algorithm;
        let report = watched(&mut *search, &name, &budget, None).0;
        values.finish()?;
        return Ok((position, proved(&mut *search, report, &budget, proof)?, Ok(())));
    }
    let (answered, missing) = from_book(args, &*game, &*position, exact)?;
    if let Some(mut search) = answered.filter(|_| args.table.is_none()) {
        search.run(&budget, &mut ());
        return Ok((position, search.report(), Ok(())));
    }
    let mut algorithm = args.search.algorithm(&*game, default)?;
    let table = args.table.as_deref().map(ProofFile::new).transpose()?;
    if table.is_some() && args.search.with.is_none() {
        algorithm = Algorithm::parse(TABLE_WRITER.name)?;
    }
    // What is saved can be taken up on another machine: there it goes on in the same way.
    let threads = if args.saving.asked() { budget.threads } else { args.search.budget.threads_for(algorithm.info) };
    let (setup, budget) = (Setup { exact, threads, ..args.search.setup() }, Budget { threads, ..budget });
    let (mut search, mut report, saved) = if args.saving.asked() {
        if table.is_some() {
            position.search(&algorithm, &setup)?.can_write_table()?;
        }
        let (search, saved) = saving::run(&*position, setup, &algorithm, budget.clone(), args)?;
        let report = search.report();
        (search, report, saved)
    } else {
        let mut search = position.search(&algorithm, &setup)?;
        if proof.is_some() {
            search.can_prove()?;
        }
        if table.is_some() {
            search.can_write_table()?;
        }
        let name = algorithm.info.name;
        let growth = GrowthFile::open(args.growth.as_deref(), &*search, name, false)?;
        let (report, written) = watched(&mut *search, name, &budget, growth);
        (search, report, written)
    };
    if let Some(file) = table {
        match search.write_table(file) {
            Ok(line) => report.table = Some(line),
            Err(error @ perfectplay_catalog::Error::Unproved(_)) => report.notes.push(error.to_string()),
            Err(error) => return Err(error.into()),
        }
    }
    let mut report = proved(&mut *search, report, &budget, proof)?;
    report.notes.extend(missing);
    Ok((position, report, saved))
}

/// A search that has nothing to do: a book has the answer.
type FromBook = Option<Box<dyn AnySearch>>;

/// The answer of a book, if one has it: of the position, and without `exact` of all its moves. Beside it what is to be
/// said if the book that was named has not.
fn from_book(
    args: &SolveArgs,
    game: &dyn AnyGame,
    position: &dyn AnyPosition,
    exact: bool,
) -> Result<(FromBook, Option<String>)> {
    let book = match &args.book {
        Some(path) => Some(open_book(path, game)?),
        None if args.search.with.is_some() || args.proof.is_some() || args.growth.is_some() => None,
        None if args.saving.asked() => None,
        None => built_in_book(game),
    };
    let answer = book.and_then(|book| position.ask_book(&book, args.search.objective.into()));
    let answer = answer.filter(|search| exact || search.report().moves.iter().all(|m| m.resolved));
    let missing = args.book.as_ref().filter(|_| answer.is_none());
    Ok((answer, missing.map(|path| format!("{} does not tell the answer", path.display()))))
}

/// The report of a search that has run, with its proof if one is wanted.
fn proved(search: &mut dyn AnySearch, mut report: Report, budget: &Budget, proof: Option<ProofFile>) -> Result<Report> {
    let Some(file) = proof else { return Ok(report) };
    if report.status != SolveStatus::Solved {
        report.notes.push("no proof was written: the position is not solved".into());
        return Ok(report);
    }
    let mut bar = Bar::new("proof", budget);
    let written = search.write_proof(file, budget, &mut bar);
    bar.finish();
    match written {
        Ok(line) => report.proof = Some(line),
        Err(error @ perfectplay_catalog::Error::Unproved(_)) => report.notes.push(error.to_string()),
        Err(error) => return Err(error.into()),
    }
    Ok(report)
}

/// The file for all positions and values of a strong solution, if one was asked for.
struct Values {
    file: Option<(PathBuf, Arc<Mutex<File>>)>,
}

type File = (BufWriter<fs::File>, io::Result<()>);

impl Values {
    fn new(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Values { file: None }) };
        let file = fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let file = Arc::new(Mutex::new((BufWriter::new(file), Ok(()))));
        Ok(Values { file: Some((path.to_owned(), file)) })
    }

    fn sink(&mut self) -> OnPosition {
        let Some((_, file)) = self.file.clone() else { return Box::new(|_, _| {}) };
        Box::new(move |position, value| {
            let (writer, result) = &mut *file.lock().expect("nobody panics while writing");
            if result.is_ok() {
                let value: Vec<String> = value.iter().map(i32::to_string).collect();
                *result = writeln!(writer, "{position}\t{}", value.join(" "));
            }
        })
    }

    /// Reports the first thing that went wrong while writing.
    fn finish(self) -> Result<()> {
        let Some((path, file)) = self.file else { return Ok(()) };
        let (writer, result) = &mut *file.lock().expect("nobody panics while writing");
        let result = std::mem::replace(result, Ok(())).and_then(|()| writer.flush());
        result.with_context(|| format!("cannot write {}", path.display()))
    }
}

/// One search with a progress line.
pub(crate) fn watched(
    search: &mut dyn AnySearch,
    name: &str,
    budget: &Budget,
    growth: Option<GrowthFile>,
) -> (Report, Result<()>) {
    let bar = Bar::new(name, budget).counting_from(search.report().nodes);
    let mut watchers = (bar, growth);
    progress::run(search, budget, &mut watchers);
    watchers.0.finish();
    (search.report(), watchers.1.map_or(Ok(()), GrowthFile::finish))
}

/// The board and what is known about it.
pub(crate) fn headed(position: &dyn AnyPosition, report: &Report) -> String {
    let mut out = match report.mover {
        Some(mover) => format!("{}, player {mover} to move\n\n", report.game),
        None => format!("{}, game over\n\n", report.game),
    };
    out += &position.drawing().to_text(colours());
    out += "\n";
    let prover = match report.proved_by {
        Some(member) => format!("{} ({member})", report.algorithm),
        None => report.algorithm.clone(),
    };
    out += &match report.status {
        SolveStatus::Solved => format!("{}: proved by {}\n", report.verdict(), prover),
        SolveStatus::Bounds => format!("{}: proved by {}, not solved\n", report.verdict(), report.algorithm),
        SolveStatus::Unsolved => {
            format!("not solved by {} (stopped: {})\n", report.algorithm, report.stop.map_or("not run", Stop::name))
        }
    };
    if let (None, Some(estimate)) = (&report.value, &report.estimate) {
        out += &format!("estimate    {}\n", values_text(estimate));
    }
    if !report.pv.is_empty() {
        out += &format!("best line   {}\n", report.pv.join(" "));
    }
    for (name, count) in &report.counts {
        out += &format!("{name:<11} {}\n", grouped(*count));
    }
    let rate = rate_text(report.nodes, report.seconds);
    out += &format!("nodes       {} ({rate})\n", grouped(report.nodes));
    let threads = if report.threads > 1 { format!(", {} threads", report.threads) } else { String::new() };
    out += &format!("time        {}{threads}\n", seconds_text(report.seconds));
    out += &format!("memory      {}\n", bytes_text(report.bytes));
    if let Some(proof) = &report.proof {
        let (bytes, states) = (bytes_text(proof.bytes as usize), grouped(proof.states));
        out += &format!("proof       {}: {states} states, {bytes}, {}\n", proof.file, seconds_text(proof.seconds));
    }
    if let Some(table) = &report.table {
        let (bytes, positions) = (bytes_text(table.bytes as usize), grouped(table.positions));
        out += &format!("table       {}: {positions} positions, {bytes}\n", table.file);
    }
    for note in &report.notes {
        out += &format!("note: {note}\n");
    }
    out
}

/// One number if the others follow from it.
pub(crate) fn values_text(values: &[f32]) -> String {
    let text = |v: f32| if v.fract() == 0.0 { format!("{v:+}") } else { format!("{v:+.3}") };
    match values {
        &[a, b] if a == -b => text(a),
        values => values.iter().map(|&v| text(v)).collect::<Vec<_>>().join(" "),
    }
}
