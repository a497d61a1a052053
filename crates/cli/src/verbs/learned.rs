//! `experiment learned`: what the models of the program, or one of yours, are worth.

use std::time::Duration;

use anyhow::{Result, bail};
use perfectplay_arena::experiments::learned::{Line, Terms, run as play};
use perfectplay_arena::stats::Interval;
use perfectplay_catalog::{has_model, installed_models};

use crate::args::LearnedArgs;
use crate::output::{Outcome, emit, emit_json, ended};

/// Time per move if nobody says how much.
const USUAL_TIME: Duration = Duration::from_millis(50);

pub(crate) fn run(args: &LearnedArgs) -> Result<Outcome> {
    let mut games = args.games.clone();
    if games.is_empty() {
        games = installed_models().iter().map(|entry| entry.game.to_owned()).collect();
    }
    if args.model.is_some() && games.len() != 1 {
        bail!("--model names the model of one game: name that game");
    }
    let missing = |game: &&String| args.model.is_none() && !has_model(game);
    if let Some(game) = games.iter().find(missing) {
        bail!("there is no model of {game}: train one with `perfectplay train {game}`, and name it with --model");
    }
    let (mut store, stop) = args.played.begin()?;
    let terms =
        Terms { time: args.time.unwrap_or(USUAL_TIME), rounds: args.rounds, plies: args.plies, seed: args.played.seed };
    let mut lines: Vec<Line> = Vec::new();
    for game in &games {
        let model = args.model.as_deref().unwrap_or_default();
        let mut failed = Ok(());
        play(game, model, &terms, &mut store, &stop, &mut |line| {
            if !args.played.json {
                let header = "game, player with the model, against: games, score, 95 %, games won, 95 %\n";
                failed = emit(&(if lines.is_empty() { header.to_owned() } else { String::new() } + &text_of(line)));
            }
            lines.push(line.clone());
        })?;
        failed?;
        if stop.is_pulled() {
            break;
        }
    }
    if args.played.json {
        emit_json(&lines)?;
    }
    Ok(ended(&stop, "the games until then are kept if --store names a file"))
}

fn text_of(line: &Line) -> String {
    let Line { game, player, against, games, score, interval, wins, wins_interval } = line;
    let percent = |share: &f64, Interval(low, high): &Interval| {
        let [share, low, high] = [share, low, high].map(|share| 100.0 * share);
        format!("{share:.0} %, {low:.0} … {high:.0}")
    };
    let (score, wins) = (percent(score, interval), percent(wins, wins_interval));
    format!("{game}  {player}  {against}: {games}, {score}, {wins}\n")
}
