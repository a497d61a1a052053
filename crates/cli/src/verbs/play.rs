//! `play`: a person against an algorithm, in the terminal.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use perfectplay_catalog::{Algorithm, AnyPosition, default_player};
use perfectplay_check::{Strategy, strategy};
use perfectplay_core::{Player, Record, Spec, TextError};

use crate::args::PlayArgs;
use crate::output::{Outcome, colours, emit};
use crate::verbs::show::load;

const HELP: &str = "Type a move, or: moves (list them), hint (ask the machine), undo (take back), quit.\n";

/// Bytes that checking a proof may hold.
const PROOF_MEMORY: usize = 4 << 30;

/// Time per move of the machine if no budget was given.
const USUAL_TIME: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &PlayArgs) -> Result<Outcome> {
    let mut table = Table::sit_down(args)?;
    emit(HELP)?;
    let ended = table.play();
    table.save()?;
    ended?;
    Ok(Outcome::Done)
}

struct Table<'a> {
    args: &'a PlayArgs,
    algorithm: Algorithm,
    record: Record,
    position: Box<dyn AnyPosition>,
    before: Vec<Box<dyn AnyPosition>>, // one for each move played here
    proof: Option<Box<dyn Strategy>>,
}

impl<'a> Table<'a> {
    fn sit_down(args: &'a PlayArgs) -> Result<Self> {
        let game = args.at.game()?;
        let players = game.facts().players;
        if args.seat > players {
            bail!("--as must be from 0 to {players}, got {}", args.seat);
        }
        let algorithm = args.search.algorithm(&*game, default_player)?;
        let (record, position) = match &args.load {
            Some(file) => {
                let (record, position) = load(file)?;
                if Spec::parse(&record.game)? != Spec::parse(&args.at.game)? {
                    bail!("{} holds a match of {}, not of {}", file.display(), record.game, args.at.game);
                }
                (record, position)
            }
            None => {
                let mut position = match &args.at.position {
                    Some(text) => game.parse_position(text)?,
                    None => game.start(),
                };
                let moves = position.play_all(args.at.moves.as_deref().unwrap_or(""))?;
                let start = args.at.position.clone();
                (Record { game: args.at.game.clone(), position: start, tags: vec![], moves }, position)
            }
        };
        // An algorithm that refuses the game should say so before the first move.
        position.search(&algorithm, &args.search.setup())?;
        let proof = args.proof.as_deref().map(|file| proof(file, &args.at.game)).transpose()?;
        Ok(Table { args, algorithm, record, position, before: Vec::new(), proof })
    }

    fn play(&mut self) -> Result<()> {
        let mut lines = io::stdin().lock().lines();
        loop {
            emit(&format!("\n{}", self.position.drawing().to_text(colours())))?;
            let mover = match self.position.status() {
                Ok(mover) => mover,
                Err(ended) => {
                    return emit(&format!("\nGame over: {} (scores {:?}).\n", ended.in_words(), ended.scores));
                }
            };
            if mover.index() + 1 != self.args.seat {
                let Some(mv) = self.machines_move()? else { return Ok(()) };
                emit(&format!("\n{} plays {mv}\n", capital(mover)))?;
                self.make(&mv)?;
                continue;
            }
            if !self.persons_turn(mover, &mut lines)? {
                return Ok(());
            }
        }
    }

    /// Reads commands until a move is made; false if the person leaves.
    fn persons_turn(&mut self, mover: Player, lines: &mut impl Iterator<Item = io::Result<String>>) -> Result<bool> {
        loop {
            if io::stdin().is_terminal() {
                emit(&format!("{}> ", capital(mover)))?;
            }
            let Some(line) = lines.next().transpose()? else { return Ok(false) };
            match line.trim() {
                "" => {}
                "quit" | "exit" | "q" => return Ok(false),
                "help" | "?" => emit(HELP)?,
                "moves" => emit(&format!("{}\n", self.position.moves().join(" ")))?,
                "hint" => {
                    let hint = self.machines_move()?.unwrap_or_else(|| "none".into());
                    emit(&format!("hint: {hint}\n"))?;
                }
                "undo" => {
                    if self.undo() {
                        return Ok(true);
                    }
                    emit("There is nothing to take back.\n")?;
                }
                mv => match self.make(mv) {
                    Ok(()) => return Ok(true),
                    Err(error) => emit(&format!("{error}\n"))?,
                },
            }
        }
    }

    fn make(&mut self, mv: &str) -> Result<(), TextError> {
        let before = self.position.clone_box();
        self.position.play(mv)?;
        self.before.push(before);
        self.record.moves.push(mv.to_owned());
        Ok(())
    }

    /// Takes back moves until it is the person's turn again.
    fn undo(&mut self) -> bool {
        let is_persons = |p: &dyn AnyPosition| p.status().is_ok_and(|m| m.index() + 1 == self.args.seat);
        let Some(to) = self.before.iter().rposition(|p| is_persons(&**p)) else { return false };
        self.record.moves.truncate(self.record.moves.len() - (self.before.len() - to));
        self.position = self.before.swap_remove(to);
        self.before.truncate(to);
        true
    }

    fn machines_move(&self) -> Result<Option<String>> {
        if let Some(mv) = self.proof.as_ref().and_then(|proof| proof.choice(&self.position.text())) {
            return Ok(Some(mv));
        }
        let mut budget = self.args.search.budget.budget();
        if budget.time.is_none() && budget.nodes.is_none() {
            budget.time = Some(USUAL_TIME);
        }
        let report = super::solve::run(&*self.position, &self.args.search.setup(), &self.algorithm, &budget)?;
        // A search that was given too little to look at anything still has to move.
        Ok(report.best_move.or_else(|| self.position.moves().into_iter().next()))
    }

    fn save(&mut self) -> Result<()> {
        let Some(file): Option<&PathBuf> = self.args.save.as_ref() else { return Ok(()) };
        self.record.tags.retain(|(name, _)| name != "Result");
        let result = match self.position.status() {
            Ok(_) => "*".to_owned(),
            Err(ended) => ended.scores.iter().map(i32::to_string).collect::<Vec<_>>().join(" "),
        };
        self.record.tags.push(("Result".into(), result));
        io::stdout().flush().ok();
        std::fs::write(file, self.record.to_text()).with_context(|| format!("cannot write {}", file.display()))
    }
}

/// The strategy in this file, once it is checked, and what it claims.
fn proof(file: &Path, game: &str) -> Result<Box<dyn Strategy>> {
    let (proof, strategy) = strategy(file, PROOF_MEMORY).with_context(|| file.display().to_string())?;
    if Spec::parse(&proof.header.game)? != Spec::parse(game)? {
        bail!("{} is a proof about {}, not about {game}", file.display(), proof.header.game);
    }
    emit(&format!("Proved: {} from {}.\n", proof.value_in_words(), proof.header.position))?;
    Ok(strategy)
}

fn capital(player: Player) -> String {
    format!("Player {}", player.index() + 1)
}
