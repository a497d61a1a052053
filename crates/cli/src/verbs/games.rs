//! `games`: what can be played.

use anyhow::{Result, bail};
use perfectplay_catalog::{AnyGame, GAMES, facts_text, game_json, model_line, open};
use perfectplay_core::GameInfo;
use serde_json::Value;

use crate::args::ListArgs;
use crate::output::{Outcome, emit, emit_json, table, table_text};

pub(crate) fn run(args: &ListArgs) -> Result<Outcome> {
    let chosen: Vec<&GameInfo> = match &args.name {
        None => GAMES.to_vec(),
        Some(name) => {
            // Opening also accepts parameters and suggests near names.
            let game = open(name)?;
            let name = perfectplay_core::Spec::parse(game.spec())?.name;
            GAMES.iter().copied().filter(|g| g.name == name).collect()
        }
    };
    let opened = |game: &GameInfo| -> Result<Box<dyn AnyGame>> {
        match (&args.name, game.examples.first()) {
            (Some(spec), _) => Ok(open(spec)?),
            (None, Some(example)) => Ok(open(example)?),
            (None, None) => bail!("{} has no example", game.name),
        }
    };
    if args.json {
        let told = |game: &&GameInfo| -> Result<Value> {
            let opened = opened(game)?;
            let mut told = game_json(game, &*opened);
            // Models are read for a game that was asked for, not for a list of all.
            if args.name.is_some() {
                told["model"] = model_line(opened.spec()).into();
            }
            Ok(told)
        };
        let list = chosen.iter().map(told).collect::<Result<Vec<Value>>>()?;
        emit_json(&list)?;
    } else if args.name.is_some() {
        for game in chosen {
            emit(&details(game, &*opened(game)?))?;
        }
    } else {
        let mut list = table(&["game", "players", "parameters", "summary"], &[]);
        for game in chosen {
            let parameters: Vec<String> = (game.parameters)().into_iter().map(|p| p.name).collect();
            list.add_row([game.name, game.players, &parameters.join(", "), game.summary]);
        }
        emit(&table_text(&list))?;
        emit("\n`perfectplay games NAME` tells more about one of them.\n")?;
    }
    Ok(Outcome::Done)
}

fn details(game: &GameInfo, opened: &dyn AnyGame) -> String {
    let mut out = format!("{}: {}\n\nplayers     {}\n", game.name, game.summary, game.players);
    for p in (game.parameters)() {
        out += &format!("parameter   {}: {} (default {})\n", p.name, p.sentence(), p.default);
    }
    out += &format!("examples    {}\n", game.examples.join("  "));
    out += &format!("facts       {}\n", facts_text(&opened.facts()));
    out += &format!("states      {}\n", opened.storage());
    if let Some(made_by) = model_line(opened.spec()) {
        out += &format!("model       {made_by}\n");
    }
    out += &format!("\n{}\n", game.rules);
    if !game.sources.is_empty() {
        out += &format!("\nsources     {}\n", game.sources.join("\n            "));
    }
    out
}
