//! `experiment mistakes`: how often a player's move gives away what the position is worth.

use anyhow::{Context, Result, bail};
use perfectplay_arena::experiments::mistakes::{self, Results, Solved, choose, read};
use perfectplay_catalog::open;

use crate::args::MistakesArgs;
use crate::output::{Outcome, emit, emit_json, ended, table, table_text};

pub(crate) fn run(args: &MistakesArgs) -> Result<Outcome> {
    let game = open("connect-four:7x6")?;
    let text = std::fs::read_to_string(&args.file).with_context(|| format!("cannot read {}", args.file.display()))?;
    let name = args.file.file_stem().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let mut positions: Vec<Solved> = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        positions.push(read(&*game, &name, line).with_context(|| format!("{}, line {number}", args.file.display()))?);
    }
    choose(&mut positions, &args.set, args.first);
    if positions.is_empty() {
        bail!("{} has no position of these sets", args.file.display());
    }
    let budget = args.budget.budget();
    let results = mistakes::run(&args.with, &positions, &args.budget.setup(), &budget)?;
    if args.json {
        emit_json(&results)?;
    } else {
        emit(&text_of(&results))?;
    }
    Ok(ended(&budget.stop, "the figures are of the positions before that"))
}

fn text_of(results: &[Results]) -> String {
    let mut list = table(&["player", "set", "positions", "mistakes", "%", "nodes/s"], &[2, 3, 4, 5]);
    for (player, sets) in results {
        for (set, errs) in sets {
            list.add_row(vec![
                player.clone(),
                set.clone(),
                errs.positions.to_string(),
                errs.mistakes.to_string(),
                format!("{:.1}", 100.0 * errs.mistakes as f64 / errs.positions as f64),
                format!("{:.0}", errs.nodes as f64 / errs.seconds.max(1e-9)),
            ]);
        }
    }
    table_text(&list)
}
