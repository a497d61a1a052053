//! `experiment defaults`: what `solve` gives somebody who names no algorithm, beside the best that any one algorithm
//! gives.

use std::time::Duration;

use anyhow::{Result, bail};
use perfectplay_arena::experiments::defaults::{BESIDES, FACTOR, Peer, Row, Terms, positions, row};
use perfectplay_catalog::Setup;

use crate::args::DefaultsArgs;
use crate::output::{Outcome, emit, emit_json, ended, seconds_text};
use crate::verbs::solve::watched;

/// What each search may take if no limit is named.
const USUAL_TIME: Duration = Duration::from_secs(20);

pub(crate) fn run(args: &DefaultsArgs) -> Result<Outcome> {
    let (mut budget, mut rows) = (args.budget.budget(), Vec::new());
    if budget.time.is_none() && budget.nodes.is_none() {
        budget.time = Some(USUAL_TIME);
    }
    let terms = Terms {
        setup: Setup { exact: true, ..args.budget.setup() },
        budget: budget.clone(),
        threads: &|algorithm| args.budget.threads_for(algorithm),
        peers: args.peers.iter().map(|text| peer(text)).collect::<Result<_>>()?,
    };
    if !args.json {
        emit(&line(["game", "answer", "default", "by", "best", "time", "peer"]))?;
    }
    for (game, position) in positions(&args.games) {
        let searched = row(game, position, &terms, &|search, name, budget| watched(search, name, budget, None).0)?;
        let Some(row) = searched else { continue };
        if !args.json {
            emit(&text(&row))?;
        }
        rows.push(row);
        if budget.stop.is_pulled() {
            break;
        }
    }
    if args.json {
        emit_json(&rows)?;
    } else {
        let near = rows.iter().filter(|row| row.is_near()).count();
        let all = rows.len();
        emit(&format!("{near} of {all}: at most {FACTOR} times the best time and {} ms\n", BESIDES * 1000.0))?;
    }
    Ok(ended(&budget.stop, "the positions until then are shown"))
}

fn text(row: &Row) -> String {
    let seconds = |seconds: Option<f64>| seconds.map_or("-".to_owned(), seconds_text);
    let default = seconds(row.default_seconds) + if row.is_near() { "" } else { " (!)" };
    let peer = row.peer_seconds.map(seconds_text).unwrap_or_default();
    let (by, best) = (row.proved_by.unwrap_or(""), row.best.unwrap_or("-"));
    line([&row.game, &row.answer, &default, by, best, &seconds(row.best_seconds), &peer])
}

/// Columns of a table whose rows are not known before.
fn line([game, answer, default, by, best, time, peer]: [&str; 7]) -> String {
    let text = format!("{game:<22} {answer:<24} {default:>12}  {by:<18} {best:<18} {time:>9} {peer:>9}");
    text.trim_end().to_owned() + "\n"
}

fn peer(text: &str) -> Result<Peer> {
    // Names of games may hold equal signs, but a command follows the last one before a blank.
    let game_ends = text.find(' ').unwrap_or(text.len());
    let Some(at) = text[..game_ends].rfind('=') else { bail!("--peer must be GAME=COMMAND, got \"{text}\"") };
    Ok(Peer { game: text[..at].to_owned(), command: text[at + 1..].to_owned() })
}
