//! The Go Text Protocol, version 2. Points have the same names in it as in our game: no column i.

use std::time::{Duration, Instant};

use perfectplay_catalog::AnyPosition;
use perfectplay_core::{Player as Colour, Spec, StopHandle};
use perfectplay_games::go::size_and_komi;

use super::EngineSpec;
use super::process::Process;
use crate::player::{Choice, Fault, Limits, Player, Seat};

/// To start and to set up the board.
const START: Duration = Duration::from_secs(20);

/// Before the grace if no time per move is given.
const WITHOUT_TIME: Duration = Duration::from_secs(60);

pub(crate) struct Gtp {
    process: Process,
    name: String,
    /// A move that the engine has just chosen stands on its board already.
    chosen: Option<String>,
    patience: Duration,
}

impl Gtp {
    pub(crate) fn start(spec: &EngineSpec, limits: Limits, table: &Seat<'_>, game: Spec) -> Result<Self, String> {
        if game.name != "go" {
            return Err(format!("GTP engines play go here, not {}", game.name));
        }
        if table.opening.position.is_some() {
            return Err("GTP engines can begin at the start only".into());
        }
        let (size, komi) = size_and_komi(game.params).map_err(|error| error.to_string())?;
        let program = &spec.command[0];
        let said = |fault| match fault {
            Fault::Lost(reason) => format!("the engine {program} does not speak GTP: {reason}"),
            Fault::Stopped => "stopped".into(),
        };
        let process = Process::start(&spec.command, table.stop)?;
        let patience = limits.time.unwrap_or(WITHOUT_TIME) + table.grace;
        let mut engine = Gtp { process, name: String::new(), chosen: None, patience };
        let name = engine.ask("name", START).map_err(said)?;
        let version = engine.ask("version", START).unwrap_or_default();
        engine.name = format!("{name} {version}").trim().to_owned();
        let mut setup = vec![format!("boardsize {size}"), format!("komi {komi}"), "clear_board".into()];
        // Whole seconds per move; what is shorter, or counted in nodes, is for the engine's own arguments to say.
        if let Some(seconds) = limits.time.map(|t| t.as_secs()).filter(|&s| s > 0) {
            setup.push(format!("time_settings 0 {seconds} 1"));
        }
        for command in setup {
            engine.ask(&command, START).map_err(said)?;
        }
        let mut position = table.game.start();
        for mv in &table.opening.moves {
            engine.played(&*position, mv).map_err(said)?;
            position.play(mv).map_err(|error| error.to_string())?;
        }
        Ok(engine)
    }

    /// Sends a command and waits for what follows its `=`.
    fn ask(&mut self, command: &str, patience: Duration) -> Result<String, Fault> {
        self.process.send(command)?;
        let deadline = Instant::now() + patience;
        loop {
            let line = self.process.line(deadline)?;
            let (answer, good) = match (line.strip_prefix('='), line.strip_prefix('?')) {
                (Some(answer), _) => (answer.trim().to_owned(), true),
                (_, Some(answer)) => (answer.trim().to_owned(), false),
                _ => continue, // chatter
            };
            while !self.process.line(deadline)?.is_empty() {}
            return if good { Ok(answer) } else { Err(Fault::Lost(format!("it refused \"{command}\": {answer}"))) };
        }
    }
}

impl Player for Gtp {
    fn version(&self) -> String {
        self.name.clone()
    }

    fn choose(&mut self, position: &dyn AnyPosition, _: &StopHandle) -> Result<Choice, Fault> {
        let answer = self.ask(&format!("genmove {}", colour(position)), self.patience)?.to_ascii_lowercase();
        if answer == "resign" {
            return Err(Fault::Lost("it resigned".into()));
        }
        self.chosen = Some(answer.clone());
        Ok(Choice { mv: answer, ..Choice::default() })
    }

    fn played(&mut self, before: &dyn AnyPosition, mv: &str) -> Result<(), Fault> {
        if self.chosen.take().as_deref() == Some(mv) {
            return Ok(());
        }
        self.ask(&format!("play {} {mv}", colour(before)), self.patience).map(drop)
    }
}

fn colour(position: &dyn AnyPosition) -> &'static str {
    if position.status() == Ok(Colour::FIRST) { "black" } else { "white" }
}
