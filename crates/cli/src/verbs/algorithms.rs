//! `algorithms`: what can be asked to search.

use anyhow::Result;
use perfectplay_catalog::{ALGORITHMS, Algorithm, AlgorithmInfo};
use perfectplay_core::{OptionDoc, Values};
use serde_json::{Value, json};

use crate::args::ListArgs;
use crate::output::{Outcome, emit, emit_json, table, table_text};

pub(crate) fn run(args: &ListArgs) -> Result<Outcome> {
    let chosen = match &args.name {
        None => ALGORITHMS.to_vec(),
        Some(name) => vec![Algorithm::parse(name)?.info],
    };
    if args.json {
        emit_json(&chosen.iter().map(|algorithm| as_json(algorithm)).collect::<Vec<_>>())?;
    } else if args.name.is_some() {
        for a in chosen {
            let exact = if a.exact { "can prove a value" } else { "gives estimates only" };
            emit(&format!("{}: {}\n\nplayers  {}\n{exact}\n", a.name, a.summary, a.players))?;
            for o in a.options() {
                emit(&format!("option   {}: {} (default {})\n", o.name, o.sentence(), o.default))?;
            }
            emit(&format!("\nWritten as --with {0} or --with {0}:OPTION=VALUE,OPTION=VALUE.\n", a.name))?;
        }
    } else {
        let mut list = table(&["algorithm", "players", "exact", "options", "summary"], &[]);
        for a in chosen {
            let options: Vec<String> = a.options().into_iter().map(|o| o.name).collect();
            let exact = if a.exact { "yes" } else { "no" };
            list.add_row([a.name, a.players, exact, &options.join(", "), a.summary]);
        }
        emit(&table_text(&list))?;
        emit("\n`perfectplay algorithms NAME` tells what its options mean.\n")?;
    }
    Ok(Outcome::Done)
}

fn as_json(a: &AlgorithmInfo) -> Value {
    json!({
        "name": a.name,
        "summary": a.summary,
        "players": a.players,
        "exact": a.exact,
        "options": a.options().iter().map(option_json).collect::<Vec<_>>(),
    })
}

/// An option with all that a form needs.
pub(crate) fn option_json(option: &OptionDoc) -> Value {
    let mut told = json!({
        "name": option.name,
        "meaning": option.meaning,
        "default": option.default,
        "optional": option.optional,
        "kind": option.kind(),
    });
    match &option.values {
        Values::Whole(range) => (told["min"], told["max"]) = (json!(range.start()), json!(range.end())),
        Values::Fraction(range) => (told["min"], told["max"]) = (json!(range.start()), json!(range.end())),
        Values::Choice(words) => {
            told["choices"] = words.iter().map(|(name, meaning)| json!({"name": name, "meaning": meaning})).collect();
        }
        Values::Switch | Values::Text => {}
    }
    told
}
