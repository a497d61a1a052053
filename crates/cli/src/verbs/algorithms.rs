//! `algorithms`: what can be asked to search.

use anyhow::Result;
use perfectplay_catalog::{ALGORITHMS, Algorithm, algorithm_json, threads_in_words, threads_used};

use crate::args::ListArgs;
use crate::output::{Outcome, emit, emit_json, table, table_text};

pub(crate) fn run(args: &ListArgs) -> Result<Outcome> {
    let chosen = match &args.name {
        None => ALGORITHMS.to_vec(),
        Some(name) => vec![Algorithm::parse(name)?.info],
    };
    if args.json {
        emit_json(&chosen.iter().map(|algorithm| algorithm_json(algorithm)).collect::<Vec<_>>())?;
    } else if args.name.is_some() {
        for a in chosen {
            let exact = if a.exact { "can prove a value" } else { "gives estimates only" };
            let threads = threads_in_words(a.threads);
            emit(&format!("{}: {}\n\nplayers  {}\n{exact}\nthreads  {threads}\n", a.name, a.summary, a.players))?;
            for o in a.options() {
                emit(&format!("option   {}: {} (default {})\n", o.name, o.sentence(), o.default))?;
            }
            emit(&format!("\nWritten as --with {0} or --with {0}:OPTION=VALUE,OPTION=VALUE.\n", a.name))?;
        }
    } else {
        let mut list = table(&["algorithm", "players", "exact", "threads", "options", "summary"], &[]);
        for a in chosen {
            let options: Vec<String> = a.options().into_iter().map(|o| o.name).collect();
            let exact = if a.exact { "yes" } else { "no" };
            list.add_row([a.name, a.players, exact, threads_used(a.threads), &options.join(", "), a.summary]);
        }
        emit(&table_text(&list))?;
        emit("\n`perfectplay algorithms NAME` tells what its options mean.\n")?;
    }
    Ok(Outcome::Done)
}
