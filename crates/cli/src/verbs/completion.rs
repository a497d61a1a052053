//! `experiment completion`: what Cohen-Solal 2025, §7 measured, measured again.

use anyhow::{Result, bail};
use indicatif::ProgressBar;
use perfectplay_arena::experiments::completion::{Outcome as Found, Printed, Size, TABLE, run as play};
use perfectplay_arena::stats::Interval;

use crate::args::CompletionExperimentArgs;
use crate::output::{Outcome, emit, emit_json, ended, table, table_text};

pub(crate) fn run(args: &CompletionExperimentArgs) -> Result<Outcome> {
    let games = chosen(&args.games)?;
    let size = if args.full { Size::full() } else { Size::quick() };
    let (mut store, stop) = args.played.begin()?;
    let bar = ProgressBar::new_spinner();
    let found = play(&games, &size, args.played.seed, &mut store, &stop, &mut |game, matches| {
        bar.set_message(format!("{matches} matches, now {game}"));
        bar.tick();
    });
    bar.finish_and_clear();
    let found = found?;
    if args.played.json {
        emit_json(&found)?;
    } else {
        emit(&text_of(&found, &size))?;
    }
    Ok(ended(&stop, "the games until then are shown, and are kept if --store names a file"))
}

fn chosen(names: &[String]) -> Result<Vec<Printed>> {
    if names.is_empty() {
        return Ok(TABLE.to_vec());
    }
    let mut games = Vec::new();
    for name in names {
        match TABLE.iter().find(|(game, ..)| game == name) {
            Some(&game) => games.push(game),
            None => {
                let all: Vec<&str> = TABLE.iter().map(|(game, ..)| *game).collect();
                bail!("{name} is not in the paper's table; expected some of {}", all.join(" "));
            }
        }
    }
    Ok(games)
}

fn text_of(found: &Found, size: &Size) -> String {
    let mut rows = table(&["game", "matches", "completion", "95 %", "paper"], &[1, 2, 3, 4]);
    for line in &found.lines {
        rows.add_row([
            line.name.to_owned(),
            line.matches.to_string(),
            line.mean.map_or("–".into(), |mean| format!("{mean:+.1} %")),
            line.interval.map_or(String::new(), |Interval(low, high)| format!("{low:+.1} … {high:+.1}")),
            format!("{:+} % ± {} %", line.paper.0, line.paper.1),
        ]);
    }
    let (mean, low, high) = found.paper;
    format!(
        "UBFM with completion against UBFM without: +1 for a win, -1 for a loss; {} nodes per move, evaluations \
         {}\n\n{}\nall games: {:+.2} % in [{:+.2} %, {:+.2} %] over {} matches; \
         the paper: {mean:+.2} % in [{low:+.2} %, {high:+.2} %]\n",
        size.nodes,
        size.evaluations.join(" | "),
        table_text(&rows),
        found.mean,
        found.interval.0,
        found.interval.1,
        found.matches,
    )
}
