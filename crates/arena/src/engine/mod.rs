//! Programs that play: as child processes, by UCI or by GTP. Whatever they do wrong loses a game and nothing else.

mod gtp;
mod process;
mod uci;

use perfectplay_core::Spec;

use crate::player::{Limits, Player, Seat};

/// An engine as a player's text names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EngineSpec {
    protocol: Protocol,
    /// Program and arguments.
    command: Vec<String>,
    /// What UCI sets before the game.
    options: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Uci,
    Gtp,
}

impl EngineSpec {
    /// Reads `uci:COMMAND?Name=value&Name=value` or `gtp:COMMAND`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (protocol, rest) = match text.split_once(':') {
            Some(("uci", rest)) => (Protocol::Uci, rest),
            Some(("gtp", rest)) => (Protocol::Gtp, rest),
            _ => return Err("expected uci:COMMAND or gtp:COMMAND".into()),
        };
        let (command, options) = match rest.rsplit_once('?') {
            Some((command, options)) if protocol == Protocol::Uci => (command, options),
            _ => (rest, ""),
        };
        let option = |part: &str| match part.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
            _ => Err(format!("expected options like ?Hash=64&Threads=1, got \"{part}\"")),
        };
        let options = options.split('&').filter(|part| !part.is_empty()).map(option).collect::<Result<_, _>>()?;
        let command = words(command)?;
        if command.is_empty() {
            return Err("expected a command after uci: or gtp:".into());
        }
        Ok(EngineSpec { protocol, command, options })
    }
}

/// Splits a command at white space; quotes keep words together.
fn words(text: &str) -> Result<Vec<String>, String> {
    let (mut all, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => all.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(format!("a quote is not closed in \"{text}\""));
    }
    all.extend(word);
    Ok(all)
}

/// Starts an engine for one game.
pub(crate) fn start(spec: &EngineSpec, limits: Limits, table: &Seat<'_>) -> Result<Box<dyn Player>, String> {
    let game = Spec::parse(table.game.spec()).map_err(|error| error.to_string())?;
    match spec.protocol {
        Protocol::Uci => uci::Uci::start(spec, limits, table, game).map(|p| Box::new(p) as Box<dyn Player>),
        Protocol::Gtp => gtp::Gtp::start(spec, limits, table, game).map(|p| Box::new(p) as Box<dyn Player>),
    }
}
