//! `match`, `tournament` and `tournament report`.

use anyhow::{Context, Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use perfectplay_arena::stats::{Interval, Sprt, SprtState};
use perfectplay_arena::{
    Conditions, End, GameRecord, Kind, Listed, Openings, PlayerSpec, Progress, Report, Rules, RunOptions, Seatings,
    Shard, Store, Tournament, move_lists, pgn,
};
use perfectplay_catalog::open;
use perfectplay_core::{Objective, StopHandle};
use serde_json::json;

use crate::args::{
    ArenaArgs, MatchArgs, MergeArgs, ReportArgs, ReportFormat, SeatingsArg, TournamentArgs, TournamentVerb,
    stop_on_ctrl_c,
};
use crate::output::{Outcome, emit, emit_json, grouped, seconds_text, table, table_text};

pub(crate) fn run_match(args: &MatchArgs) -> Result<Outcome> {
    play(&args.game, &[args.first.clone(), args.second.clone()], Kind::RoundRobin, &args.arena)
}

pub(crate) fn run(args: &TournamentArgs) -> Result<Outcome> {
    match (&args.sub, &args.game) {
        (Some(TournamentVerb::Report(args)), _) => report(args),
        (Some(TournamentVerb::Merge(args)), _) => merge(args),
        (None, Some(game)) => {
            let kind = if args.gauntlet { Kind::Gauntlet } else { Kind::RoundRobin };
            play(game, &args.players, kind, &args.arena)
        }
        (None, None) => Err(anyhow!("expected a game and players")),
    }
}

fn play(game: &str, players: &[String], kind: Kind, args: &ArenaArgs) -> Result<Outcome> {
    let players = players.iter().map(|text| PlayerSpec::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let test = args.sprt.as_deref().map(|text| text.parse::<Sprt>().map_err(|error| anyhow!("bad --sprt: {error}")));
    let conditions = Conditions {
        kind,
        seatings: args.seatings.map(|seatings| match seatings {
            SeatingsArg::Orders => Seatings::Orders,
            SeatingsArg::Rotations => Seatings::Rotations,
            SeatingsArg::Mixed => Seatings::Mixed,
        }),
        openings: args.openings.as_deref().map(Openings::parse).transpose()?,
        rounds: args.rounds,
        seed: args.seed,
        rules: Rules { objective: args.objective.of_payoffs()?, longest: args.longest, grace: args.grace },
    };
    let stop = StopHandle::new();
    stop_on_ctrl_c(&stop);
    let options = RunOptions {
        threads: args.threads.map(usize::from),
        stop: stop.clone(),
        sprt: test.transpose()?,
        restart: args.restart,
    };
    let tournament = Tournament::new(game, players, conditions)?;
    tournament.check(&stop)?;
    let mut store = Store::open(&args.store)?;
    store.only(args.shard.unwrap_or(Shard::WHOLE));
    let mut bar = Bar::new();
    let labels = tournament.labels();
    let end = tournament
        .run(&mut store, &options, &mut |progress| bar.draw(game, &labels, tournament.objective(), progress))?;
    bar.finish();
    let games = tournament.games(&store)?;
    let mut report = Report::new(game, &labels, &games, tournament.objective());
    report.planned = Some(games.len() + tournament.left(&store)?.len());
    report.status = Some(end);
    report.sprt = options.sprt.map(|test| tournament.sequential(&test, &games));
    if args.json {
        emit_json(&report)?;
    } else {
        emit(&text_of(&report))?;
    }
    if end == End::Stopped {
        eprintln!(
            "perfectplay: stopped after {} of {} games; the same command goes on (store {})",
            games.len(),
            report.planned.unwrap_or_default(),
            args.store.display()
        );
        return Ok(Outcome::NoAnswer);
    }
    Ok(Outcome::Done)
}

fn report(args: &ReportArgs) -> Result<Outcome> {
    let store = Store::open_existing(&args.store)?;
    let all = store.list()?;
    if args.list && args.json {
        let line = |t: &Listed| {
            json!({
                "number": t.id, "game": t.game, "games": t.games, "version": t.version, "players": t.labels,
                "objective": t.objective.name(),
            })
        };
        emit_json(&all.iter().map(line).collect::<Vec<_>>())?;
        return Ok(Outcome::Done);
    }
    if args.list {
        let mut list = table(&["number", "game", "games", "version", "players"], &[0, 2]);
        for t in &all {
            let id = t.id.to_string();
            list.add_row([id, t.game.clone(), t.games.to_string(), t.version.clone(), t.labels.join(", ")]);
        }
        emit(&table_text(&list))?;
        return Ok(Outcome::Done);
    }
    let chosen = match args.id {
        Some(id) => {
            all.iter().find(|t| t.id == id).with_context(|| format!("there is no tournament {id} in the store"))?
        }
        None => all.last().context("there is no tournament in the store")?,
    };
    let mut games = store.games(chosen.id)?;
    if args.without_times {
        games.iter_mut().flat_map(|game| &mut game.played).for_each(|seat| seat.seconds = 0.0);
    }
    let report = Report::new(&chosen.game, &chosen.labels, &games, chosen.objective);
    let text = match args.format {
        _ if args.json => serde_json::to_string_pretty(&report)? + "\n",
        ReportFormat::Text => text_of(&report),
        ReportFormat::Csv => report.csv(),
        ReportFormat::Html => report.html(&games).map_err(|error| anyhow!(error))?,
        ReportFormat::Pgn => pgn(&*open(&chosen.game)?, &chosen.labels, &games)?,
        ReportFormat::Moves => move_lists(&chosen.game, &chosen.labels, &games),
    };
    match &args.output {
        Some(file) => std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?,
        None => emit(&text)?,
    }
    Ok(Outcome::Done)
}

/// Puts the games of several stores into one; a game that is there already is not counted again.
fn merge(args: &MergeArgs) -> Result<Outcome> {
    let sources = args.stores.iter().map(|file| Store::open_existing(file)).collect::<Result<Vec<_>, _>>()?;
    let mut store = Store::open(&args.store)?;
    let mut new = 0;
    for source in &sources {
        new += store.merge(source)?;
    }
    if args.json {
        emit_json(&json!({ "store": args.store, "stores": sources.len(), "new": new }))?;
    } else {
        let (into, count) = (args.store.display(), sources.len());
        emit(&format!("{} games from {count} stores are new in {into}\n", grouped(new as u64)))?;
    }
    Ok(Outcome::Done)
}

/// The tables for a terminal.
fn text_of(report: &Report) -> String {
    let mut text = format!("{}: {} games", report.game, grouped(report.games as u64));
    match (report.planned, report.status) {
        (Some(planned), Some(End::Complete)) if planned == report.games => text.push('\n'),
        (Some(planned), Some(status)) => text.push_str(&format!(" of {}, {status}\n", grouped(planned as u64))),
        _ => text.push('\n'),
    }
    text.push('\n');
    let header =
        ["", "player", "rating", "±", "games", "wins", "draws", "losses", "score", "95 %", "time/move", "nodes/move"];
    let mut rows = table(&header, &[0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    for (place, row) in (1..).zip(&report.table) {
        rows.add_row([
            place.to_string(),
            row.player.clone(),
            format!("{:.0}", row.rating),
            format!("{:.0}", (row.rating_interval.1 - row.rating_interval.0) / 2.0),
            row.games.to_string(),
            row.wins.to_string(),
            row.draws.to_string(),
            row.losses.to_string(),
            percent(row.score),
            range(row.interval),
            seconds_text(row.seconds),
            grouped(row.nodes.round() as u64),
        ]);
    }
    text.push_str(&table_text(&rows));
    if !report.pairs.is_empty() {
        text.push('\n');
        let mut rows = table(
            &["pair", "games", "+", "=", "-", "score", "95 %", "Elo", "95 %", "better", "pairs 0 ½ 1 1½ 2"],
            &[1, 2, 3, 4, 5, 6, 7, 8, 9],
        );
        for pair in &report.pairs {
            let [a, b] = pair.players;
            let elo = |e: Option<f64>, end: &str| e.map_or(end.to_owned(), |e| format!("{e:+.0}"));
            rows.add_row([
                format!("{} – {}", report.players[a], report.players[b]),
                pair.games.to_string(),
                pair.wins.to_string(),
                pair.draws.to_string(),
                pair.losses.to_string(),
                percent(pair.score),
                range(pair.interval),
                elo(pair.elo, if pair.score > 0.5 { "+∞" } else { "-∞" }),
                format!("{} … {}", elo(pair.elo_interval[0], "-∞"), elo(pair.elo_interval[1], "+∞")),
                percent(pair.superiority),
                pair.pentanomial.map_or(String::new(), |c| c.map(|n| n.to_string()).join(" ")),
            ]);
        }
        text.push_str(&table_text(&rows));
    }
    if let Some(state) = &report.sprt {
        text.push_str(&format!("\n{}\n", sprt_text(state)));
    }
    for (count, incident) in report.incidents.iter().enumerate() {
        if count == 0 {
            text.push_str(&format!("\n{} games did not end by the rules:\n", report.incidents.len()));
        }
        if count == 10 {
            text.push_str("  …\n");
            break;
        }
        let who = incident.player.as_ref().map_or(String::new(), |player| format!(" ({player})"));
        text.push_str(&format!("  {}{who}: {}\n", incident.game, incident.reason));
    }
    text
}

fn sprt_text(state: &SprtState) -> String {
    use perfectplay_arena::stats::Verdict;
    let verdict = match state.verdict {
        Verdict::Open => "not decided",
        Verdict::H0 => "elo0 is accepted",
        Verdict::H1 => "elo1 is accepted",
    };
    format!("SPRT: LLR {:.2} ({:.2} … {:.2}): {verdict}", state.llr, state.lower, state.upper)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn range(Interval(low, high): Interval) -> String {
    format!("{:.1} … {:.1}", low * 100.0, high * 100.0)
}

/// Games played and who is ahead, drawn on standard error if that is a terminal.
struct Bar {
    bar: ProgressBar,
    drawn: Option<std::time::Instant>,
}

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} games, {elapsed}, {eta} left\n{msg}");
        bar.set_style(style.expect("a template that was tried"));
        Bar { bar, drawn: None }
    }

    fn draw(&mut self, game: &str, labels: &[String], objective: Objective, progress: &Progress<'_>) {
        let now = std::time::Instant::now();
        if self.bar.is_hidden() || self.drawn.is_some_and(|d| now - d < std::time::Duration::from_millis(300)) {
            return;
        }
        self.drawn = Some(now);
        self.bar.set_prefix(game.to_owned());
        self.bar.set_length(progress.total as u64);
        self.bar.set_position(progress.done as u64);
        self.bar.set_message(live(game, labels, progress.games, objective, progress.sprt));
    }

    fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// A line per player, best first.
fn live(game: &str, labels: &[String], games: &[GameRecord], objective: Objective, sprt: Option<SprtState>) -> String {
    let report = Report::new(game, labels, games, objective);
    let line = |row: &perfectplay_arena::Row| {
        let counts = format!("+{} ={} -{}", row.wins, row.draws, row.losses);
        format!("  {:>7}  {:>14}  {counts:<16} {}", percent(row.score), range(row.interval), row.player)
    };
    let mut lines: Vec<String> = report.table.iter().map(line).collect();
    lines.extend(sprt.as_ref().map(|state| format!("  {}", sprt_text(state))));
    lines.join("\n")
}
