//! `algorithms`: what can be asked to search.

use anyhow::Result;
use perfectplay_catalog::{ALGORITHMS, Algorithm};
use serde_json::{Value, json};

use crate::args::ListArgs;
use crate::output::{Outcome, emit, emit_json, table, table_text};

pub(crate) fn run(args: &ListArgs) -> Result<Outcome> {
    let chosen = match &args.name {
        None => ALGORITHMS.to_vec(),
        Some(name) => vec![Algorithm::parse(name)?.info],
    };
    if args.json {
        let as_json = |a: &&perfectplay_catalog::AlgorithmInfo| -> Value {
            let options = a.options.iter().map(|o| json!({"name": o.name, "meaning": o.meaning, "default": o.default}));
            json!({
                "name": a.name,
                "summary": a.summary,
                "players": a.players,
                "exact": a.exact,
                "options": options.collect::<Vec<_>>(),
            })
        };
        emit_json(&chosen.iter().map(as_json).collect::<Vec<_>>())?;
    } else if args.name.is_some() {
        for a in chosen {
            let exact = if a.exact { "can prove a value" } else { "gives estimates only" };
            emit(&format!("{}: {}\n\nplayers  {}\n{exact}\n", a.name, a.summary, a.players))?;
            for o in a.options {
                emit(&format!("option   {}: {} (default {})\n", o.name, o.meaning, o.default))?;
            }
        }
    } else {
        let mut list = table(&["algorithm", "players", "exact", "options", "summary"], &[]);
        for a in chosen {
            let options: Vec<&str> = a.options.iter().map(|o| o.name).collect();
            let exact = if a.exact { "yes" } else { "no" };
            list.add_row([a.name, a.players, exact, &options.join(", "), a.summary]);
        }
        emit(&table_text(&list))?;
        emit("\n`perfectplay algorithms NAME` tells what its options mean.\n")?;
    }
    Ok(Outcome::Done)
}
