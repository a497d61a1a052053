//! `analyse`: what every move is worth.

use std::time::Duration;

use anyhow::{Result, bail};
use perfectplay_catalog::{Bounds, MoveLine, Report, default_analyst, default_player};
use perfectplay_core::{Facts, Gain, Objective, SolveStatus, Stop};

use super::solve::{headed, search};
use crate::args::SolveArgs;
use crate::output::{Outcome, emit, emit_json, grouped, table, table_text};

/// Who values moves where the program has a model of the game that plays better than without.
fn learned_analyst(facts: &Facts) -> String {
    let name = default_analyst(facts);
    if facts.players == 2 && facts.zero_sum { format!("{name}:eval=learned") } else { name.to_owned() }
}

/// How long to look if nobody says how long, and how far if it is to be the same every time.
const USUAL_TIME: Duration = Duration::from_secs(5);
const USUAL_NODES: u64 = 10_000_000;

pub(crate) fn run(mut args: SolveArgs) -> Result<Outcome> {
    let budget = &mut args.search.budget;
    let own_limit = budget.time.is_none() && budget.nodes.is_none();
    if own_limit && budget.reproducible {
        budget.nodes = Some(USUAL_NODES);
    } else if own_limit {
        budget.time = Some(USUAL_TIME);
    }
    let (position, mut report, saved) = match &args.table {
        Some(file) => {
            if args.search.with.is_some() || args.proof.is_some() || args.growth.is_some() || args.saving.asked() {
                bail!("--table answers by itself: leave --with, --proof, --growth and checkpoints out");
            }
            let position = args.at.position(&*args.at.game()?)?;
            let report = position.look_up(file, args.search.budget.for_search().unwrap_or(usize::MAX))?;
            (position, report, Ok(()))
        }
        // Guesses of a model that plays better are better guesses.
        None if default_player(&args.at.game).is_some() => search(&args, false, learned_analyst)?,
        None => search(&args, false, default_analyst)?,
    };
    report.best_moves_first();
    match report.stop.filter(|_| own_limit) {
        Some(Stop::Time) => {
            report.notes.push(format!("this is what {} s have shown; --time gives more", USUAL_TIME.as_secs()));
        }
        Some(Stop::Nodes) => {
            report.notes.push(format!("this is what {} nodes have shown; --nodes gives more", grouped(USUAL_NODES)));
        }
        _ => {}
    }
    let answered = report.best_move.is_some() || report.status == SolveStatus::Solved;
    if args.json {
        emit_json(&report)?;
    } else {
        emit(&headed(&*position, &report))?;
        emit(&moves_text(&report))?;
    }
    saved?;
    Ok(if answered { Outcome::Done } else { Outcome::NoAnswer })
}

/// A row for every move: the best is marked.
fn moves_text(report: &Report) -> String {
    let (Some(mover), false) = (report.mover, report.moves.is_empty()) else { return String::new() };
    let visited = report.moves.iter().any(|m| m.visits.is_some());
    let headers = ["", "move", "value", "", "visits"];
    let mut list = table(&headers[..4 + usize::from(visited)], &[4]);
    for line in &report.moves {
        let mark = if report.best_move.as_ref() == Some(&line.mv) { "*" } else { "" };
        let (value, standing) = worth(line, mover - 1, report.objective);
        let mut row = vec![mark.to_owned(), line.mv.clone(), value, standing.to_owned()];
        if visited {
            row.push(line.visits.map_or(String::new(), grouped));
        }
        list.add_row(row);
    }
    format!("\nvalues for player {mover}, who is to move; * is the move to play\n{}", table_text(&list))
}

/// What a move is worth to player `of`, and how sure that is.
fn worth(line: &MoveLine, of: usize, objective: Objective) -> (String, &'static str) {
    let exact = |value: i32| match (objective, value) {
        (Objective::Score, 0) => "0".into(),
        (Objective::Score, value) => format!("{value:+}"),
        (_, value) => Gain::of_sign(value).name().to_owned(),
    };
    match (&line.value, &line.bounds) {
        (Some(value), _) if line.resolved => {
            let plies = line.plies.map_or(String::new(), |plies| format!(" in {plies}"));
            (exact(value[of] as i32) + &plies, "proved")
        }
        (Some(value), _) => (format!("{:+.3}", value[of]), "guess"),
        (None, Some(Bounds { lower, upper })) => {
            // The bounds are those of the first player: for another one they change places.
            let (least, most) = (lower[of].min(upper[of]), lower[of].max(upper[of]));
            (format!("{} to {}", exact(least), exact(most)), "proved")
        }
        (None, None) => ("?".to_owned(), ""),
    }
}
