//! `experiment mopns-tables`: what Saffidine and Cazenave 2012 measured, measured again.

use anyhow::{Context, Result};
use perfectplay_arena::experiments::mopns_tables::{Block, FULL, Printed, QUICK};
use perfectplay_core::Budget;
use serde_json::json;

use crate::args::{MopnsTablesArgs, stop_on_ctrl_c};
use crate::output::{Outcome, emit, emit_json, grouped, seconds_text, table, table_text};
use crate::progress::Bar;

pub(crate) fn run(args: &MopnsTablesArgs) -> Result<Outcome> {
    let budget = Budget::unlimited();
    stop_on_ctrl_c(&budget.stop);
    let mut blocks = Vec::new();
    for problem in QUICK.iter().chain(FULL.iter().filter(|_| args.full)) {
        let mut bar = Bar::new(&problem.spec(), &budget);
        let block = match problem.run(&budget, &mut bar, &mut |_, _| {}) {
            Ok(block) => block,
            Err(stop) => {
                bar.finish();
                eprintln!("perfectplay: stopped ({}) within {}", stop.name(), problem.spec());
                return Ok(Outcome::NoAnswer);
            }
        };
        bar.finish();
        if let Some(folder) = &args.pictures {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
            let file = folder.join(format!("mopns-{}.svg", block.game.replace(':', "-")));
            std::fs::write(&file, block.picture()?).with_context(|| format!("cannot write {}", file.display()))?;
        }
        if !args.json {
            emit(&block_text(&block))?;
        }
        blocks.push(block);
    }
    if args.json {
        emit_json(&blocks.iter().map(document).collect::<Vec<_>>())?;
    }
    Ok(Outcome::Done)
}

/// One block as the paper prints it, with its figures beside ours.
fn block_text(block: &Block) -> String {
    let [mopns, pns] = block.totals();
    let [wins, draws, losses] = block.wins_draws_losses();
    let mut text = format!(
        "{}, {} sequences of {} moves: {wins} wins, {draws} draws, {losses} losses of the first player\n\n",
        block.game,
        block.rows.len(),
        block.plies
    );
    let mut rows = table(&["", "MOPNS", "PNS", "paper: MOPNS", "PNS"], &[1, 2, 3, 4]);
    let paper = |of: fn(&Printed) -> String| {
        block.paper.as_ref().map_or([String::new(), String::new()], |p| [of(&p[0]), of(&p[1])])
    };
    let mut add = |name: &str, ours: [String; 2], theirs: [String; 2]| {
        let [a, b] = ours;
        let [c, d] = theirs;
        rows.add_row([name.to_owned(), a, b, c, d]);
    };
    add("total time", [mopns, pns].map(|c| seconds_text(c.seconds)), paper(|p| seconds_text(p.seconds as f64)));
    add("total node creations", [mopns, pns].map(|c| grouped(c.nodes)), paper(|p| grouped(p.nodes)));
    add("total expansions", [mopns, pns].map(|c| grouped(c.expansions)), [String::new(), String::new()]);
    add("lowest time", block.lowest_time().map(|n| n.to_string()), paper(|p| p.lowest_time.to_string()));
    add("lowest node creations", block.lowest_nodes().map(|n| n.to_string()), paper(|p| p.lowest_nodes.to_string()));
    text.push_str(&table_text(&rows));
    if let Some(known) = block.known {
        let met = if known == [mopns.nodes, pns.nodes] { "met" } else { "NOT met" };
        let [a, b] = known.map(grouped);
        text.push_str(&format!("known node creations {a} and {b}: {met}\n"));
    }
    text.push('\n');
    text
}

fn document(block: &Block) -> serde_json::Value {
    let [mopns, pns] = block.totals();
    json!({
        "game": block.game,
        "plies": block.plies,
        "positions": block.rows.len(),
        "wins_draws_losses": block.wins_draws_losses(),
        "mopns": mopns,
        "pns": pns,
        "lowest_time": block.lowest_time(),
        "lowest_nodes": block.lowest_nodes(),
        "paper": block.paper,
        "known": block.known,
        "rows": block.rows,
    })
}
