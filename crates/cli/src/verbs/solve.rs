//! `solve` and `analyse`: one search, told in full.

use anyhow::Result;
use perfectplay_catalog::{AnyPosition, Report};
use perfectplay_core::Budget;

use crate::args::{SearchArgs, SolveArgs};
use crate::output::{
    Outcome, bytes_text, colours, emit, emit_json, grouped, rate_text, seconds_text, table, table_text,
};
use crate::progress::Bar;

pub(crate) fn solve(args: &SolveArgs) -> Result<Outcome> {
    let (position, mut report) = search(args)?;
    report.moves.clear();
    let solved = report.status == "solved";
    if args.json {
        emit_json(&report)?;
    } else {
        emit(&headed(&*position, &report))?;
    }
    Ok(if solved { Outcome::Done } else { Outcome::NoAnswer })
}

pub(crate) fn analyse(args: &SolveArgs) -> Result<Outcome> {
    let (position, report) = search(args)?;
    let answered = report.mover.is_none() || report.best_move.is_some();
    if args.json {
        emit_json(&report)?;
    } else {
        emit(&headed(&*position, &report))?;
        emit(&moves_text(&report))?;
    }
    Ok(if answered { Outcome::Done } else { Outcome::NoAnswer })
}

fn search(args: &SolveArgs) -> Result<(Box<dyn AnyPosition>, Report)> {
    let game = args.at.game()?;
    let position = args.at.position(&*game)?;
    let algorithm = args.search.algorithm(&*game)?;
    let report = run(&*position, &args.search, &algorithm, &args.search.budget.budget())?;
    Ok((position, report))
}

/// One search with a progress line.
pub(crate) fn run(
    position: &dyn AnyPosition,
    args: &SearchArgs,
    algorithm: &perfectplay_catalog::Algorithm,
    budget: &Budget,
) -> Result<Report> {
    let mut search = position.search(algorithm, &args.setup())?;
    let mut bar = Bar::new(algorithm.info.name);
    search.run(budget, &mut bar);
    bar.finish();
    Ok(search.report())
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
        "solved" => format!("{}: proved by {}\n", report.verdict(), report.algorithm),
        "bounds" => format!("{}: proved by {}, not solved\n", report.verdict(), report.algorithm),
        _ => format!("not solved by {} (stopped: {})\n", report.algorithm, report.stop.unwrap_or("not run")),
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
