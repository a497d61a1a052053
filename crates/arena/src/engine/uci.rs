//! The Universal Chess Interface, as chess engines and (with `UCI_Variant`) Fairy-Stockfish speak it.

use std::time::{Duration, Instant};

use perfectplay_catalog::AnyPosition;
use perfectplay_core::{Spec, StopHandle};
use perfectplay_games::{breakthrough, chess};

use super::EngineSpec;
use super::process::Process;
use crate::player::{Choice, Fault, Limits, Player, Seat};

/// To start and to read networks or tables.
const START: Duration = Duration::from_secs(20);

/// Per move if no limit is given.
const USUAL_TIME: Duration = Duration::from_millis(100);

/// Before the grace if a move is limited by nodes only.
const BY_NODES: Duration = Duration::from_secs(60);

pub(crate) struct Uci {
    process: Process,
    name: String,
    notation: Notation,
    /// `fen …` or `startpos`.
    base: String,
    moves: Vec<String>,
    go: String,
    patience: Duration,
}

impl Uci {
    pub(crate) fn start(spec: &EngineSpec, limits: Limits, table: &Seat<'_>, game: Spec) -> Result<Self, String> {
        let dialect = Dialect::of(&game)?;
        let program = &spec.command[0];
        let said = |fault| match fault {
            Fault::Lost(reason) => format!("the engine {program} does not speak UCI: {reason}"),
            Fault::Stopped => "stopped".into(),
        };
        let mut process = Process::start(&spec.command, table.stop)?;
        let offer = Offer::ask(&mut process).map_err(said)?;
        for (name, value) in dialect.options(spec, &offer, program)? {
            process.send(&format!("setoption name {name} value {value}")).map_err(said)?;
        }
        for line in ["ucinewgame", "isready"] {
            process.send(line).map_err(said)?;
        }
        wait_for(&mut process, "readyok", Instant::now() + START).map_err(said)?;
        let base = match (&table.opening.position, dialect.variant) {
            (None, "chess") => format!("fen {}", table.game.start().text()),
            (None, _) => "startpos".into(),
            (Some(position), "chess") => format!("fen {position}"),
            (Some(_), variant) => return Err(format!("engines can begin {variant} at the start only")),
        };
        // A position may bring moves of its own, which tell of repetitions.
        let (base, before) = base.split_once(" moves").unwrap_or((&base, ""));
        let mut moves: Vec<String> = before.split_whitespace().map(str::to_owned).collect();
        moves.extend(table.opening.moves.iter().map(|mv| dialect.notation.theirs(mv)));
        let (go, patience) = go(limits, table.grace);
        Ok(Uci { process, name: offer.name, notation: dialect.notation, base: base.into(), moves, go, patience })
    }
}

/// The command for a move, and how long its answer may take.
fn go(limits: Limits, grace: Duration) -> (String, Duration) {
    let time = limits.time.or_else(|| limits.nodes.is_none().then_some(USUAL_TIME));
    let mut go = String::from("go");
    if let Some(nodes) = limits.nodes {
        go.push_str(&format!(" nodes {nodes}"));
    }
    if let Some(time) = time {
        go.push_str(&format!(" movetime {}", time.as_millis().max(1)));
    }
    (go, time.unwrap_or(BY_NODES) + grace)
}

impl Player for Uci {
    fn version(&self) -> String {
        self.name.clone()
    }

    fn choose(&mut self, _: &dyn AnyPosition, stop: &StopHandle) -> Result<Choice, Fault> {
        let moves = if self.moves.is_empty() { String::new() } else { format!(" moves {}", self.moves.join(" ")) };
        self.process.send(&format!("position {}{moves}", self.base))?;
        self.process.send(&self.go)?;
        let deadline = Instant::now() + self.patience;
        let mut choice = Choice::default();
        loop {
            let line = self.process.line(deadline)?;
            let mut words = line.split_whitespace();
            match words.next() {
                Some("info") => heed(words, &mut choice),
                Some("bestmove") => {
                    let mv = words.next().unwrap_or("(none)");
                    if mv == "(none)" || mv == "0000" {
                        return Err(Fault::Lost(if stop.is_pulled() { "stopped" } else { "it named no move" }.into()));
                    }
                    choice.mv = self.notation.ours(mv);
                    return Ok(choice);
                }
                _ => {}
            }
        }
    }

    fn played(&mut self, _: &dyn AnyPosition, mv: &str) -> Result<(), Fault> {
        self.moves.push(self.notation.theirs(mv));
        Ok(())
    }
}

/// Takes depth and nodes from a line of information.
fn heed<'a>(mut words: impl Iterator<Item = &'a str>, choice: &mut Choice) {
    while let Some(word) = words.next() {
        match word {
            "depth" => choice.depth = words.next().and_then(|w| w.parse().ok()).or(choice.depth),
            "nodes" => choice.nodes = words.next().and_then(|w| w.parse().ok()).or(choice.nodes),
            "string" | "pv" => return,
            _ => {}
        }
    }
}

fn wait_for(process: &mut Process, word: &str, deadline: Instant) -> Result<(), Fault> {
    while process.line(deadline)? != word {}
    Ok(())
}

/// What an engine says about itself.
struct Offer {
    name: String,
    options: Vec<String>,
    variants: Vec<String>,
}

impl Offer {
    fn ask(process: &mut Process) -> Result<Self, Fault> {
        let mut offer = Offer { name: "unnamed engine".into(), options: Vec::new(), variants: Vec::new() };
        let deadline = Instant::now() + START;
        process.send("uci")?;
        loop {
            let line = process.line(deadline)?;
            if line == "uciok" {
                return Ok(offer);
            } else if let Some(name) = line.strip_prefix("id name ") {
                offer.name = name.to_owned();
            } else if let Some(option) = line.strip_prefix("option name ") {
                let (name, kind) = option.split_once(" type ").unwrap_or((option, ""));
                if name == "UCI_Variant" {
                    offer.variants = kind.split(" var ").skip(1).map(|v| v.trim().to_owned()).collect();
                }
                offer.options.push(name.to_owned());
            }
        }
    }

    fn has(&self, option: &str) -> bool {
        self.options.iter().any(|o| o.eq_ignore_ascii_case(option))
    }
}

/// How engines name a game of ours and write its moves.
struct Dialect {
    variant: &'static str,
    chess960: bool,
    notation: Notation,
}

impl Dialect {
    fn of(game: &Spec) -> Result<Self, String> {
        let params = game.params.clone();
        let dialect = |variant, notation| Dialect { variant, chess960: false, notation };
        match game.name.as_str() {
            "chess" => {
                let chess960 = chess::is_chess960(params).map_err(|error| error.to_string())?;
                Ok(Dialect { chess960, ..dialect("chess", Notation::Same) })
            }
            "breakthrough" => {
                let usual = breakthrough::is_usual(params).map_err(|error| error.to_string())?;
                usual
                    .then(|| dialect("breakthrough", Notation::Same))
                    .ok_or("engines play breakthrough on 8x8 only".into())
            }
            "xiangqi" => Ok(dialect("xiangqi", Notation::RanksFromOne)),
            name => Err(format!("UCI engines play chess, breakthrough and xiangqi here, not {name}")),
        }
    }

    /// What to set: the game, and what the user wants.
    fn options(&self, spec: &EngineSpec, offer: &Offer, program: &str) -> Result<Vec<(String, String)>, String> {
        for (name, _) in &spec.options {
            if !offer.has(name) {
                return Err(format!("the engine {program} has no option \"{name}\""));
            }
        }
        let given = |name: &str| spec.options.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
        let mut options = spec.options.clone();
        if !given("UCI_Variant") {
            if offer.variants.iter().any(|v| v == self.variant) {
                options.insert(0, ("UCI_Variant".into(), self.variant.into()));
            } else if self.variant != "chess" {
                return Err(format!("the engine {program} does not play {}", self.variant));
            }
        }
        if self.chess960 {
            options.push(("UCI_Chess960".into(), "true".into()));
        }
        Ok(options)
    }
}

/// How moves are written.
#[derive(Clone, Copy)]
enum Notation {
    /// As we write them.
    Same,
    /// We count ranks from 0, the engine from 1.
    RanksFromOne,
}

impl Notation {
    fn theirs(self, mv: &str) -> String {
        self.shifted(mv, 1)
    }

    fn ours(self, mv: &str) -> String {
        self.shifted(mv, -1)
    }

    fn shifted(self, mv: &str, by: i32) -> String {
        if let Notation::Same = self {
            return mv.to_owned();
        }
        let (mut text, mut number) = (String::new(), String::new());
        for c in mv.chars().chain([' ']) {
            if c.is_ascii_digit() {
                number.push(c);
                continue;
            }
            if let Ok(rank) = std::mem::take(&mut number).parse::<i32>() {
                text.push_str(&(rank + by).to_string());
            }
            text.push(c);
        }
        text.trim_end().to_owned()
    }
}
