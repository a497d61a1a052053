//! `solve` and `analyse`: one search, told in full.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, bail};
use perfectplay_catalog::{Algorithm, AnyPosition, AnySearch, OnPosition, ProofFile, Report, Setup};
use perfectplay_core::{Budget, SolveStatus, Stop};

use crate::args::SolveArgs;
use crate::growth::GrowthFile;
use crate::output::{
    Outcome, bytes_text, colours, emit, emit_json, grouped, rate_text, seconds_text, table, table_text,
};
use crate::progress::Bar;
use crate::verbs::saving;

pub(crate) fn solve(args: &SolveArgs) -> Result<Outcome> {
    let (position, mut report, saved) = search(args, true)?;
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

pub(crate) fn analyse(args: &SolveArgs) -> Result<Outcome> {
    let (position, report, saved) = match &args.table {
        Some(file) => {
            if args.search.with.is_some() || args.proof.is_some() || args.growth.is_some() || args.saving.asked() {
                bail!("--table answers by itself: leave --with, --proof, --growth and checkpoints out");
            }
            let position = args.at.position(&*args.at.game()?)?;
            let report = position.look_up(file, args.search.budget.for_search().unwrap_or(usize::MAX))?;
            (position, report, Ok(()))
        }
        None => search(args, false)?,
    };
    let answered = report.mover.is_none() || report.best_move.is_some();
    if args.json {
        emit_json(&report)?;
    } else {
        emit(&headed(&*position, &report))?;
        emit(&moves_text(&report))?;
    }
    saved?;
    Ok(if answered { Outcome::Done } else { Outcome::NoAnswer })
}

/// With `exact`, algorithms that can either prove or play prove. Beside the report: whether the search and its growth
/// could be written, if they were to be; the report is told first.
fn search(args: &SolveArgs, exact: bool) -> Result<(Box<dyn AnyPosition>, Report, Result<()>)> {
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
    let mut algorithm = args.search.algorithm(&*game, exact)?;
    let table = args.table.as_deref().map(ProofFile::new).transpose()?;
    if table.is_some() && args.search.with.is_none() {
        algorithm = Algorithm::parse("retrograde")?;
    }
    let setup = Setup { exact, ..args.search.setup() };
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
    Ok((position, proved(&mut *search, report, &budget, proof)?, saved))
}

/// The report of a search that has run, with its proof if one is wanted.
fn proved(search: &mut dyn AnySearch, mut report: Report, budget: &Budget, proof: Option<ProofFile>) -> Result<Report> {
    let Some(file) = proof else { return Ok(report) };
    if report.status != SolveStatus::Solved {
        report.notes.push("no proof was written: the position is not solved".into());
        return Ok(report);
    }
    let mut bar = Bar::new("proof");
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
pub(crate) fn run(
    position: &dyn AnyPosition,
    setup: &Setup,
    algorithm: &perfectplay_catalog::Algorithm,
    budget: &Budget,
) -> Result<Report> {
    Ok(watched(&mut *position.search(algorithm, setup)?, algorithm.info.name, budget, None).0)
}

fn watched(
    search: &mut dyn AnySearch,
    name: &str,
    budget: &Budget,
    growth: Option<GrowthFile>,
) -> (Report, Result<()>) {
    let mut watchers = (Bar::new(name), growth);
    search.run(budget, &mut watchers);
    watchers.0.finish();
    (search.report(), watchers.1.map_or(Ok(()), GrowthFile::finish))
}

/// The board and what is known about it.
fn headed(position: &dyn AnyPosition, report: &Report) -> String {
    let mut out = match report.mover {
        Some(mover) => format!("{}, player {mover} to move\n\n", report.game),
        None => format!("{}, game over\n\n", report.game),
    };
    out += &position.drawing().to_text(colours());
    out += "\n";
    out += &match report.status {
        SolveStatus::Solved => format!("{}: proved by {}\n", report.verdict(), report.algorithm),
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
    out += &format!("time        {}\n", seconds_text(report.seconds));
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

fn moves_text(report: &Report) -> String {
    if report.moves.is_empty() {
        return String::new();
    }
    let mut list = table(&["move", "value", "", "visits"], &[1, 3]);
    for m in &report.moves {
        let value = m.value.as_deref().map_or("?".into(), values_text);
        let value = m.plies.map_or(value.clone(), |plies| format!("{value} in {plies}"));
        let visits = m.visits.map_or(String::new(), grouped);
        list.add_row([m.mv.as_str(), &value, if m.resolved { "proved" } else { "estimate" }, &visits]);
    }
    format!("\n{}", table_text(&list))
}

/// One number if the others follow from it.
fn values_text(values: &[f32]) -> String {
    let text = |v: f32| if v.fract() == 0.0 { format!("{v:+}") } else { format!("{v:+.3}") };
    match values {
        &[a, b] if a == -b => text(a),
        values => values.iter().map(|&v| text(v)).collect::<Vec<_>>().join(" "),
    }
}
