//! `play`: people against an algorithm, in the terminal.

mod input;
mod machine;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use perfectplay_catalog::{
    Algorithm, AnyGame, AnyPosition, Ended, built_in_book, default_player, default_solver, opponent,
};
use perfectplay_check::{Strategy, strategy};
use perfectplay_core::{Budget, Cell, Drawing, Player, Record, Spec, StopHandle, TextError};

use self::input::{Event, Input};
use self::machine::{Machine, value_text};
use crate::args::PlayArgs;
use crate::output::{Outcome, colours, emit, line_text};
use crate::progress::Bar;
use crate::verbs::show::load;

/// Moves of a line that are shown.
const LINE_SHOWN: usize = 12;

/// What can be typed beside moves.
const COMMANDS: [(&str, &str, &str); 9] = [
    ("moves", "", "list the legal moves"),
    ("hint", "", "what the machine would play for you at its best, with the value and the line"),
    ("eval", "[on|off]", "what the position is worth; with on, after every move"),
    ("undo", "", "take back your last move"),
    ("replay", "", "go through the match so far"),
    ("save", "[FILE]", "write the match to a file"),
    ("resign", "", "give up"),
    ("help", "", "this list"),
    ("quit", "", "leave"),
];

/// Bytes that checking a proof may hold.
const PROOF_MEMORY: usize = 4 << 30;

/// So many positions are all valued within the time of a hint.
const FEW_STATES: f64 = 1e5;

/// Columns of a list of moves.
const WIDTH: usize = 100;

pub(crate) fn run(args: &PlayArgs) -> Result<Outcome> {
    let mut table = Table::sit_down(args)?;
    emit(&table.introduction())?;
    table.show()?;
    while table.turn()? {}
    table.failure.map_or(Ok(Outcome::Done), Err)
}

struct Table<'a> {
    args: &'a PlayArgs,
    machine: Machine,
    record: Record,
    /// From the beginning: one more than there are moves.
    positions: Vec<Box<dyn AnyPosition>>,
    proof: Option<Box<dyn Strategy>>,
    input: Input,
    /// Where the match is written to.
    file: Option<PathBuf>,
    /// The last attempt to write it failed.
    failure: Option<anyhow::Error>,
    /// Whether every position is valued.
    evaluates: bool,
    /// The end was told.
    told: bool,
}

impl<'a> Table<'a> {
    fn sit_down(args: &'a PlayArgs) -> Result<Self> {
        let game = args.at.game()?;
        let players = game.facts().players;
        let alone = args.seats == [0];
        if let Some(seat) = args.seats.iter().find(|&&seat| seat > players || (seat == 0 && !alone)) {
            bail!("--as must be 0 or players from 1 to {players}, got {seat}");
        }
        let (record, positions) = beginning(args, &*game)?;
        let facts = game.facts();
        let usual = || default_player(&args.at.game).unwrap_or_else(|| opponent(&args.at.game, &facts));
        let algorithm = Algorithm::parse(args.search.with.as_deref().unwrap_or_else(usual))?;
        let few = facts.acyclic && facts.states.is_some_and(|states| states <= FEW_STATES);
        let solver = Algorithm::parse(default_solver(&facts))?;
        let adviser = if few && args.search.with.is_none() { &solver } else { &algorithm }.clone();
        let book = if args.search.with.is_none() { built_in_book(&*game) } else { None };
        let mut machine = Machine::new(algorithm, adviser, solver, book, args);
        machine.check(&**positions.last().expect("there is a beginning"))?;
        let input = Input::open();
        let proof = args.proof.as_deref().map(|file| proof(file, &args.at.game, input.stop_handle())).transpose()?;
        let file = args.save.clone().or_else(|| args.load.clone());
        let (evaluates, told, failure) = (false, false, None);
        let mut table = Table { args, machine, record, positions, proof, input, file, failure, evaluates, told };
        if args.save.is_some() {
            // A file that cannot be written is refused before the first move.
            table.write()?;
        }
        Ok(table)
    }

    fn position(&self) -> &dyn AnyPosition {
        &**self.positions.last().expect("there is a beginning")
    }

    fn is_persons(&self, player: Player) -> bool {
        self.args.seats.contains(&(player.index() + 1))
    }

    /// Who sits where, and how to begin.
    fn introduction(&self) -> String {
        let players = self.args.at.game().map_or(0, |game| game.facts().players);
        let (yours, others): (Vec<Player>, Vec<Player>) = Player::all(players).partition(|&p| self.is_persons(p));
        let mut out = match yours.as_slice() {
            [] => String::new(),
            [you] => format!("You are {}. ", self.name(*you)),
            several => format!("You are {}. ", list(several.iter().map(|&p| self.name(p)).collect())),
        };
        out += &match (yours.is_empty(), others.is_empty()) {
            (true, _) => format!("The machine plays alone: {}", self.machine.in_words()),
            (_, true) => format!("Nobody plays against you; hints come from {}", self.machine.adviser_in_words()),
            _ => format!("Against you: {}", self.machine.in_words()),
        };
        let by_proof = if self.proof.is_some() { ", and the proof where it says something" } else { "" };
        let how = if yours.is_empty() { "" } else { " Type a move, or help." };
        format!("{out}{by_proof}.{how}\n")
    }

    /// `player 1 (X)`, with the sign of the player's stones if it has some.
    fn name(&self, player: Player) -> String {
        let sign = sign(&*self.positions[0], player);
        sign.map_or(player.to_string(), |sign| format!("{player} ({sign})"))
    }

    fn drawing(&self, ply: usize) -> Drawing {
        let now = self.positions[ply].drawing();
        if ply == 0 { now } else { now.marked_since(&self.positions[ply - 1].drawing()) }
    }

    fn show(&self) -> Result<()> {
        emit(&format!("\n{}", self.drawing(self.positions.len() - 1).to_text(colours())))
    }

    /// Until somebody has moved, or moves were taken back; false to leave.
    fn turn(&mut self) -> Result<bool> {
        match self.position().status() {
            Ok(mover) if self.is_persons(mover) => {
                if self.evaluates {
                    self.evaluate()?;
                }
                self.listen(Some(mover))
            }
            Ok(mover) => self.machines_turn(mover),
            Err(ended) => {
                if !self.told {
                    self.told = true;
                    emit(&self.end_text(&ended))?;
                }
                if self.args.seats == [0] { Ok(false) } else { self.listen(None) }
            }
        }
    }

    fn end_text(&self, ended: &Ended) -> String {
        let (words, scores) = (ended.in_words(), &ended.scores);
        let yours = match self.args.seats.as_slice() {
            &[seat] if seat > 0 => match ended.gains[seat - 1] {
                1 => " You win!",
                0 => "",
                _ => " You lose.",
            },
            _ => "",
        };
        format!("\nGame over: {words} (scores {scores:?}).{yours}\n")
    }

    fn machines_turn(&mut self, mover: Player) -> Result<bool> {
        let by_proof = self.proof.as_ref().and_then(|proof| proof.choice(&self.position().text()));
        let (mv, report) = match by_proof {
            Some(mv) => (mv, None),
            None => {
                let (stop, ply) = (self.input.stop_handle(), self.record.moves.len());
                let position = self.positions.last().expect("there is a beginning");
                let Some(choice) = self.machine.choose(&**position, ply, stop)? else { return Ok(false) };
                (choice.mv, choice.report)
            }
        };
        if let Some(event) = self.input.signal() {
            // The move was not thought through: whoever stays sees it thought of again.
            return Ok(!self.leaves(&event)?);
        }
        emit(&format!("\n{} ({}) plays {mv}\n", capital(mover), self.machine.name()))?;
        self.make(&mv)?;
        if let Some(report) = report.filter(|_| self.evaluates) {
            emit(&format!("Before that: {}, line {}\n", value_text(&report), line_text(&report.pv, LINE_SHOWN)))?;
        }
        self.show()?;
        Ok(true)
    }

    /// Reads commands until the position changes; false if the person leaves.
    fn listen(&mut self, mover: Option<Player>) -> Result<bool> {
        loop {
            if io::stdin().is_terminal() {
                let who = mover.map_or("Over".to_owned(), |mover| first_capital(&self.name(mover)));
                emit(&format!("{who}> "))?;
            }
            let line = match self.input.next() {
                Event::Line(line) => line,
                Event::End => {
                    // Without a terminal nobody asked for a file that has no name.
                    if io::stdin().is_terminal() || self.args.save.is_some() {
                        emit("\n")?;
                        self.keep()?;
                    }
                    return Ok(false);
                }
                event if self.leaves(&event)? => return Ok(false),
                _ => continue,
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            let Some(&word) = words.first() else { continue };
            // A move is a move, even if it is called like a command.
            let is_move = words.len() == 1 && self.position().moves().iter().any(|mv| mv == word);
            match (if is_move { "" } else { word }, &words[1..]) {
                ("quit" | "exit" | "q", []) => return Ok(false),
                ("help" | "?", []) => emit(&help())?,
                ("moves", []) => emit(&wrapped(&self.position().moves()))?,
                ("hint", []) => self.hint()?,
                ("eval", []) => self.evaluate()?,
                ("eval", ["on"]) => {
                    self.evaluates = true;
                    self.evaluate()?;
                }
                ("eval", ["off"]) => self.evaluates = false,
                ("undo", []) if self.undo() => {
                    self.show()?;
                    return Ok(true);
                }
                ("undo", []) => emit("There is nothing to take back.\n")?,
                ("replay", []) => self.replay()?,
                ("save", []) => self.keep()?,
                ("save", [file]) => {
                    self.file = Some(file.into());
                    self.keep()?;
                }
                ("resign", []) if mover.is_some() => {
                    let text = format!("{} resigns.", capital(mover.expect("asked above")));
                    emit(&format!("{text}\n"))?;
                    self.finish(&text.to_lowercase())?;
                    return Ok(false);
                }
                ("resign", []) => emit("The game is over.\n")?,
                _ => match self.make(line.trim()) {
                    Ok(()) => {
                        self.show()?;
                        return Ok(true);
                    }
                    Err(error) => emit(&self.not_understood(&words, &error))?,
                },
            }
        }
    }

    /// Whether a signal ends the match: Ctrl-C asks, and again means yes.
    fn leaves(&mut self, event: &Event) -> Result<bool> {
        let question = if self.record.moves.is_empty() { "Quit?" } else { "Save and quit?" };
        let mut event = event.clone();
        let mut asked = false;
        loop {
            match event {
                Event::Interrupt if !asked => {
                    asked = true;
                    emit(&format!("\n{question} (y or Ctrl-C again: yes; n: go on) "))?;
                }
                Event::Line(line) => match line.trim().to_ascii_lowercase().as_str() {
                    "y" | "yes" | "" => break,
                    "n" | "no" => return Ok(false),
                    _ => emit("y or n? ")?,
                },
                Event::Interrupt | Event::End | Event::Terminate => {
                    emit("\n")?;
                    break;
                }
            }
            event = self.input.next();
        }
        self.keep()?;
        Ok(true)
    }

    fn not_understood(&self, words: &[&str], error: &TextError) -> String {
        let word = words[0];
        if let Some((name, form, _)) = COMMANDS.iter().find(|(name, ..)| *name == word) {
            return format!("The command is: {}\n", format!("{name} {form}").trim_end());
        }
        let likeness = |name: &str| strsim::jaro_winkler(name, &word.to_lowercase());
        let near = COMMANDS.iter().map(|(name, ..)| *name).max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        match near.filter(|name| likeness(name) > 0.8) {
            Some(name) => format!("\"{word}\" is neither a legal move nor a command; did you mean {name}?\n"),
            None => format!("{error} (or a command: see help)\n"),
        }
    }

    fn hint(&mut self) -> Result<()> {
        if self.position().status().is_err() {
            return emit("The game is over.\n");
        }
        let report = self.machine.hint(self.position(), self.input.stop_handle())?;
        match &report.best_move {
            Some(mv) => {
                emit(&format!("hint: {mv}: {}, line {}\n", value_text(&report), line_text(&report.pv, LINE_SHOWN)))
            }
            None => emit("hint: none, the limit was too low\n"),
        }
    }

    fn evaluate(&mut self) -> Result<()> {
        if self.position().status().is_err() {
            return Ok(());
        }
        let report = self.machine.hint(self.position(), self.input.stop_handle())?;
        emit(&format!("evaluation: {}\n", value_text(&report)))
    }

    fn make(&mut self, mv: &str) -> Result<(), TextError> {
        let mut position = self.position().clone_box();
        position.play(mv)?;
        self.positions.push(position);
        self.record.moves.push(mv.to_owned());
        self.machine.played(mv);
        self.autosave();
        Ok(())
    }

    /// Takes back moves until it is the person's turn again.
    fn undo(&mut self) -> bool {
        let before = &self.positions[..self.positions.len() - 1];
        let Some(to) = before.iter().rposition(|p| p.status().is_ok_and(|mover| self.is_persons(mover))) else {
            return false;
        };
        self.positions.truncate(to + 1);
        self.record.moves.truncate(to);
        self.machine.forget();
        self.told = false;
        self.autosave();
        true
    }

    /// Shows every position from the beginning; on a terminal one after the other.
    fn replay(&mut self) -> Result<()> {
        for ply in 0..self.positions.len() {
            let text = match ply.checked_sub(1).map(|before| (self.positions[before].status(), before)) {
                Some((Ok(mover), before)) => format!("{ply}. {mover} played {}", self.record.moves[before]),
                _ => "the beginning".into(),
            };
            emit(&format!("\n{text}\n{}", self.drawing(ply).to_text(colours())))?;
            if io::stdin().is_terminal() && ply + 1 < self.positions.len() {
                emit("Enter: next; anything else: stop ")?;
                match self.input.next() {
                    Event::Line(line) if line.trim().is_empty() => {}
                    _ => return Ok(()),
                }
            }
        }
        Ok(())
    }

    /// Saves the match, in a file of a name of its own if it has none, and says where.
    fn keep(&mut self) -> Result<()> {
        if self.record.moves.is_empty() && self.file.is_none() {
            return Ok(());
        }
        if self.file.is_none() {
            self.file = Some(free_file(&self.args.at.game));
        }
        match self.write() {
            Ok(()) => {
                self.failure = None;
                let file = self.file.as_ref().expect("named above").display();
                emit(&format!("Saved in {file}; perfectplay play '{}' --load '{file}' goes on.\n", self.args.at.game))
            }
            Err(error) => {
                emit(&format!("{error:#}\n"))?;
                self.failure = Some(error);
                Ok(())
            }
        }
    }

    /// After every change, so that nothing is lost.
    fn autosave(&mut self) {
        if self.args.save.is_some() {
            self.failure = self.write().err();
        }
    }

    fn write(&mut self) -> Result<()> {
        let result = match self.position().status() {
            Ok(_) => "*".to_owned(),
            Err(ended) => ended.scores.iter().map(i32::to_string).collect::<Vec<_>>().join(" "),
        };
        self.write_with(&result)
    }

    fn write_with(&mut self, result: &str) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        self.record.tags.retain(|(name, _)| name != "Result");
        self.record.tags.push(("Result".into(), result.into()));
        std::fs::write(file, self.record.to_text()).with_context(|| format!("cannot write {}", file.display()))
    }

    /// The match has ended by this, and not by the rules.
    fn finish(&mut self, result: &str) -> Result<()> {
        if self.args.save.is_some() { self.write_with(result.trim_end_matches('.')) } else { Ok(()) }
    }
}

/// The match so far, and its positions.
fn beginning(args: &PlayArgs, game: &dyn AnyGame) -> Result<(Record, Vec<Box<dyn AnyPosition>>)> {
    let mut record = match &args.load {
        Some(file) => {
            let (record, _) = load(file)?;
            if Spec::parse(&record.game)? != Spec::parse(&args.at.game)? {
                bail!("{} holds a match of {}, not of {}", file.display(), record.game, args.at.game);
            }
            record
        }
        None => Record { game: args.at.game.clone(), position: args.at.position.clone(), tags: vec![], moves: vec![] },
    };
    let start = match &record.position {
        Some(text) => game.parse_position(text)?,
        None => game.start(),
    };
    if args.load.is_none() {
        record.moves = start.clone_box().play_all(args.at.moves.as_deref().unwrap_or(""))?;
    }
    let mut positions = vec![start];
    for mv in &record.moves {
        let mut position = positions.last().expect("the start").clone_box();
        position.play(mv)?;
        positions.push(position);
    }
    Ok((record, positions))
}

/// The strategy in this file, once it is checked, and what it claims.
fn proof(file: &Path, game: &str, stop: StopHandle) -> Result<Box<dyn Strategy>> {
    let budget = Budget { memory: Some(PROOF_MEMORY), stop, ..Budget::default() };
    let mut bar = Bar::new("checking the proof", &budget);
    let checked = strategy(file, PROOF_MEMORY, &mut bar);
    bar.finish();
    let (proof, strategy) = checked.with_context(|| file.display().to_string())?;
    if Spec::parse(&proof.header.game)? != Spec::parse(game)? {
        bail!("{} is a proof about {}, not about {game}", file.display(), proof.header.game);
    }
    emit(&format!("Proved: {} from {}.\n", proof.value_in_words(), proof.header.position))?;
    Ok(strategy)
}

/// The sign of a player's stones, as the first moves show it.
fn sign(start: &dyn AnyPosition, player: Player) -> Option<String> {
    const PLIES: usize = 8;
    let mut position = start.clone_box();
    for _ in 0..PLIES {
        let drawing = position.drawing();
        if drawing.rows.iter().flatten().any(|&cell| cell == Cell::Stone(player)) {
            let stone = Drawing::square(vec![vec![Cell::Stone(player)]]).to_text(colours());
            return Some(stone.trim_end().to_owned());
        }
        let moves = position.moves();
        position.play(moves.get(moves.len() / 2)?).ok()?;
    }
    None
}

/// A file that does not exist yet, named after the game.
fn free_file(game: &str) -> PathBuf {
    let name: String = game.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let names = std::iter::once(format!("{name}.match")).chain((2..).map(|n| format!("{name}-{n}.match")));
    names.map(PathBuf::from).find(|file| !file.exists()).expect("some number is free")
}

fn help() -> String {
    let line = |(name, form, text): &(&str, &str, &str)| format!("  {:<14} {text}\n", format!("{name} {form}"));
    format!("Type a move, or:\n{}", COMMANDS.iter().map(line).collect::<String>())
}

/// Words in lines of at most [`WIDTH`] characters.
fn wrapped(words: &[String]) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in words {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            out.push('\n');
            column = 0;
        }
        if column > 0 {
            out.push(' ');
            column += 1;
        }
        out += word;
        column += length;
    }
    out + "\n"
}

fn list(parts: Vec<String>) -> String {
    match parts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => parts.concat(),
    }
}

fn capital(player: Player) -> String {
    first_capital(&player.to_string())
}

fn first_capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use perfectplay_catalog::{GAMES, Setup, open};

    use super::*;

    #[test]
    fn every_game_has_an_opponent_that_plays_it() {
        for example in GAMES.iter().flat_map(|game| game.examples) {
            let Ok(game) = open(example) else { continue }; // a script that is not here
            let name = opponent(example, &game.facts());
            let search = game.start().search(&Algorithm::parse(name).unwrap(), &Setup::default());
            assert!(search.is_ok(), "{example}: {name}: {:?}", search.err());
        }
    }

    #[test]
    fn moves_are_listed_in_lines_that_fit() {
        let words: Vec<String> = (0..100).map(|n| format!("a{n}")).collect();
        let text = wrapped(&words);
        assert!(text.lines().count() > 1 && text.lines().all(|line| line.len() <= WIDTH));
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), words);
    }
}
