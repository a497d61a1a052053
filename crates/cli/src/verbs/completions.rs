//! `completions`: what the definitions of the command line give, and functions that ask the program itself for names of
//! games and algorithms, their options and values (the hidden verb `words`).

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;
use perfectplay_catalog::{ALGORITHMS, GAMES};
use perfectplay_core::{OptionDoc, Values};

use crate::args::{Cli, CompletionArgs, WordKind, WordsArgs};
use crate::output::{Outcome, emit};

pub(crate) fn run(args: &CompletionArgs) -> Result<Outcome> {
    let mut out = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "perfectplay", &mut out);
    let script = String::from_utf8(out)?;
    emit(&match args.shell {
        Shell::Bash => script + include_str!("../completions/perfectplay.bash"),
        Shell::Fish => script + include_str!("../completions/perfectplay.fish"),
        Shell::Zsh => zsh(&script),
        _ => script,
    })?;
    Ok(Outcome::Done)
}

/// The functions stand before the script's last lines, which begin the completion.
fn zsh(script: &str) -> String {
    let named = |line: &str| {
        let kind = if line.contains("--with=") || line.contains(":NAME[") {
            "_perfectplay_algorithm"
        } else if line.contains("'::game ") || line.contains("':game ") {
            "_perfectplay_game"
        } else {
            return line.to_owned();
        };
        line.replace(":_default", &format!(":{kind}"))
    };
    let lines: Vec<String> = script.lines().map(named).collect();
    let (first, rest) = lines.split_first().expect("a script has lines");
    format!("{first}\n{}\n{}\n", include_str!("../completions/perfectplay.zsh"), rest.join("\n"))
}

/// A line for everything that can stand where `word` does.
pub(crate) fn words(args: &WordsArgs) -> Result<Outcome> {
    let found = match args.kind {
        WordKind::Game => {
            let known = GAMES.iter().map(|g| (g.name, g.parameters));
            let examples = GAMES.iter().flat_map(|g| g.examples).map(|e| (*e).to_owned());
            let mut found = candidates(&args.word, known.map(|(name, options)| (name, options())));
            found.extend(examples.filter(|e| args.word.contains(':') && e.starts_with(&args.word)));
            found
        }
        WordKind::Algorithm => candidates(&args.word, ALGORITHMS.iter().map(|a| (a.name, a.options()))),
    };
    emit(&found.iter().map(|word| format!("{word}\n")).collect::<String>())?;
    Ok(Outcome::Done)
}

/// Names that begin with `word`; or after `NAME:` the options that were not given yet; or after `OPTION=` its values.
fn candidates(word: &str, mut known: impl Iterator<Item = (&'static str, Vec<OptionDoc>)>) -> Vec<String> {
    let Some((name, given)) = word.split_once(':') else {
        return known.map(|(name, _)| name.to_owned()).filter(|name| name.starts_with(word)).collect();
    };
    let Some((_, options)) = known.find(|(known, _)| *known == name) else { return vec![] };
    let (others, last) = given.rsplit_once(',').map_or(("", given), |(others, last)| (others, last));
    let before = &word[..word.len() - last.len()];
    let ends: Vec<String> = match last.split_once('=') {
        Some((option, _)) => {
            let values = options.iter().filter(|o| o.name == option).flat_map(|o| values_of(&o.values));
            values.map(|value| format!("{option}={value}")).collect()
        }
        None => {
            let is_given = |o: &OptionDoc| others.split(',').any(|g| g.split_once('=').is_some_and(|g| g.0 == o.name));
            // A positional option has no name but a form, as SIZE.
            let named = options.iter().filter(|o| !o.name.contains(|c: char| c.is_ascii_uppercase()) && !is_given(o));
            named.map(|o| format!("{}=", o.name)).collect()
        }
    };
    ends.iter().filter(|end| end.starts_with(last)).map(|end| format!("{before}{end}")).collect()
}

fn values_of(values: &Values) -> Vec<&str> {
    match values {
        Values::Switch => vec!["on", "off"],
        Values::Choice(words) => words.iter().map(|(name, _)| *name).collect(),
        Values::Whole(_) | Values::Fraction(_) | Values::Text => vec![],
    }
}
