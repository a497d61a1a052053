//! Where games begin. Two players who leave nothing to chance would play one game over and over; openings make games
//! differ, and since every opening is played in every seating, none favours anybody.

use std::collections::HashSet;
use std::path::PathBuf;

use perfectplay_catalog::{AnyGame, AnyPosition};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::dice::{Dice, seed_for};

/// A place to begin: a position (the game's own start if none) and moves from there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// In the game's notation.
    pub position: Option<String>,
    /// Played from that position.
    pub moves: Vec<String>,
}

impl Opening {
    /// The position it leads to.
    pub fn reach(&self, game: &dyn AnyGame) -> Result<Box<dyn AnyPosition>, Error> {
        let mut position = match &self.position {
            Some(text) => game.parse_position(text)?,
            None => game.start(),
        };
        for mv in &self.moves {
            position.play(mv)?;
        }
        Ok(position)
    }
}

/// Which openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Openings {
    /// The start of the game, always.
    Start,
    /// So many random moves, other ones each round.
    Random(u32),
    /// The lines of a file: moves, or a position, or a position, `;` and moves. Empty lines and lines with `#` do not
    /// count.
    File(PathBuf),
    /// Every position that can be reached in so many moves, once each.
    All(u32),
}

/// More positions after k plies than this are not all played.
const MOST: usize = 100_000;

/// How often random moves are drawn again if they end the game or repeat an opening.
const TRIES: u64 = 40;

impl Openings {
    /// `start`, `random:PLIES`, `all:PLIES` or `file:PATH`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let expected =
            || Error::Openings(format!("expected start, random:PLIES, all:PLIES or file:PATH, got \"{text}\""));
        let (kind, value) = text.split_once(':').unwrap_or((text, ""));
        let plies = || value.parse().ok().filter(|&n| n <= 1000).ok_or_else(expected);
        match kind {
            "start" if value.is_empty() => Ok(Openings::Start),
            "random" => Ok(Openings::Random(plies()?)),
            "all" => Ok(Openings::All(plies()?)),
            "file" if !value.is_empty() => Ok(Openings::File(value.into())),
            _ => Err(expected()),
        }
    }

    /// What is played if nobody says anything: up to four random moves, fewer where games are short.
    pub fn usual(game: &dyn AnyGame) -> Self {
        let plies = game.facts().length.map_or(4, |length| (length / 4).min(4));
        if plies == 0 { Openings::Start } else { Openings::Random(plies) }
    }

    /// How [`Openings::parse`] reads it.
    pub fn text(&self) -> String {
        match self {
            Openings::Start => "start".into(),
            Openings::Random(plies) => format!("random:{plies}"),
            Openings::All(plies) => format!("all:{plies}"),
            Openings::File(path) => format!("file:{}", path.display()),
        }
    }

    /// The openings for `rounds` rounds; without a number, as many as there are (random ones have no end: `usual`).
    pub fn list(&self, game: &dyn AnyGame, rounds: Option<u32>, usual: u32, seed: u64) -> Result<Vec<Opening>, Error> {
        let all = match self {
            Openings::Start => vec![Opening::default()],
            Openings::Random(plies) => return random(game, *plies, rounds.unwrap_or(usual), seed),
            Openings::File(path) => read(game, path)?,
            Openings::All(plies) => every(game, *plies)?,
        };
        let rounds = rounds.map_or(if *self == Openings::Start { usual as usize } else { all.len() }, |n| n as usize);
        Ok(all.into_iter().cycle().take(rounds).collect())
    }
}

/// Random moves; other positions every round as long as that is easy.
fn random(game: &dyn AnyGame, plies: u32, rounds: u32, seed: u64) -> Result<Vec<Opening>, Error> {
    let mut seen = HashSet::new();
    let mut openings = Vec::new();
    for round in 0..rounds {
        let mut last = None;
        for attempt in 0..TRIES {
            let mut dice = Dice::new(seed_for(seed, &format!("opening {round} {attempt}")));
            let Some((moves, text)) = walk(game, plies, &mut dice) else { continue };
            last = Some(moves);
            if seen.insert(text) {
                break;
            }
        }
        let moves =
            last.ok_or_else(|| Error::Openings(format!("{plies} random moves end {} nearly always", game.spec())))?;
        openings.push(Opening { position: None, moves });
    }
    Ok(openings)
}

/// Random moves and the position they lead to; none if the game ends on the way.
fn walk(game: &dyn AnyGame, plies: u32, dice: &mut Dice) -> Option<(Vec<String>, String)> {
    let mut position = game.start();
    let mut played = Vec::new();
    for _ in 0..plies {
        let moves = position.moves();
        let mv = moves.get(dice.below(moves.len().max(1)))?;
        position.play(mv).ok()?;
        played.push(mv.clone());
    }
    position.status().ok()?;
    Some((played, position.text()))
}

fn read(game: &dyn AnyGame, path: &PathBuf) -> Result<Vec<Opening>, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::Openings(format!("cannot read {}: {error}", path.display())))?;
    let mut openings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let opening = read_line(game, line)
            .map_err(|error| Error::Openings(format!("{}, line {number}: {error}", path.display())))?;
        openings.push(opening);
    }
    if openings.is_empty() {
        return Err(Error::Openings(format!("{} has no openings", path.display())));
    }
    Ok(openings)
}

/// `moves`, `position` or `position; moves`.
fn read_line(game: &dyn AnyGame, line: &str) -> Result<Opening, Error> {
    let mut position = game.start();
    let opening = match line.split_once(';') {
        Some((text, moves)) => {
            position = game.parse_position(text.trim())?;
            Opening { position: Some(text.trim().into()), moves: position.play_all(moves)? }
        }
        None => match position.play_all(line) {
            Ok(moves) => Opening { position: None, moves },
            Err(no_moves) => {
                position = game.parse_position(line).map_err(|_| no_moves)?;
                Opening { position: Some(line.into()), moves: vec![] }
            }
        },
    };
    match position.status() {
        Ok(_) => Ok(opening),
        Err(_) => Err(Error::Request("the game is over there".into())),
    }
}

/// Every unfinished position after `plies` plies, each once, by the first way that leads there.
fn every(game: &dyn AnyGame, plies: u32) -> Result<Vec<Opening>, Error> {
    let mut level = vec![(Vec::new(), game.start())];
    for _ in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for (moves, position) in &level {
            for mv in position.moves() {
                let mut after = position.clone_box();
                after.play(&mv)?;
                if after.status().is_ok() && seen.insert(after.text()) {
                    let mut moves: Vec<String> = moves.clone();
                    moves.push(mv);
                    next.push((moves, after));
                }
            }
            if next.len() > MOST {
                return Err(Error::Openings(format!(
                    "more than {MOST} positions of {} after {plies} plies",
                    game.spec()
                )));
            }
        }
        level = next;
    }
    if level.is_empty() {
        return Err(Error::Openings(format!("no game of {} is still going on after {plies} plies", game.spec())));
    }
    Ok(level.into_iter().map(|(moves, _)| Opening { position: None, moves }).collect())
}
