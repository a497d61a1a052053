//! How often does a player win what is won? It takes the winning side of positions that are solved, against `perfect`,
//! who loses as late as possible, or against anybody else.
//!
//! Two measures of learned evaluations in the literature are of this kind: Connect Four by one ply, moving first,
//! against a perfect player (Thill 2015; Konen's GBG), and Hex from first moves that win, against MCTS (GBG).

use std::collections::BTreeSet;

use perfectplay_catalog::{Algorithm, AnyGame, AnyPosition, Setup, built_in_book, default_solver, open};
use perfectplay_core::{Budget, Objective, StopHandle};
use serde::Serialize;

use super::run_for;
use crate::match_play::Rules;
use crate::runner::Tournament;
use crate::schedule::Job;
use crate::stats::{Interval, ScoreEstimate};
use crate::store::Store;
use crate::{Error, Opening, Openings, PlayerSpec};

/// A position that is won.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Won {
    /// The moves that lead there.
    pub moves: Vec<String>,
    /// Who wins, counted from 1.
    pub winner: usize,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The game.
    pub game: String,
    /// Who had won positions.
    pub player: String,
    /// Who played against it.
    pub against: String,
    /// Positions that are won.
    pub positions: usize,
    /// Games.
    pub games: usize,
    /// How many games differ from all others.
    pub different: usize,
    /// Games that the player won.
    pub wins: usize,
    /// Games that nobody won.
    pub draws: usize,
    /// Games that the other won.
    pub losses: usize,
    /// The share of wins, from 0 to 1.
    pub share: f64,
    /// 95 %.
    pub interval: Interval,
}

fn for_two(game: &str) -> Result<Box<dyn AnyGame>, Error> {
    let opened = open(game)?;
    let facts = opened.facts();
    if facts.players == 2 && facts.zero_sum {
        return Ok(opened);
    }
    Err(Error::Request(format!("a won position needs two players with opposed interests, and {game} has others")))
}

/// Which positions are looked at.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// All after so many plies.
    pub plies: u32,
    /// Instead of all so many, after random moves.
    pub sample: Option<u32>,
    /// Who solves them: what `solve` uses if none. The opening book is asked first.
    pub solver: Option<String>,
    /// For random moves.
    pub seed: u64,
}

/// Those of the positions that are won; `tell` hears how many are done, and of how many. `None` if somebody stopped it.
pub fn find(
    game: &str,
    wanted: &Wanted,
    stop: &StopHandle,
    tell: &mut dyn FnMut(usize, usize),
) -> Result<Option<Vec<Won>>, Error> {
    let opened = for_two(game)?;
    let solver = Algorithm::parse(wanted.solver.as_deref().unwrap_or(default_solver(&opened.facts())))?;
    let plies = wanted.plies;
    let openings = if wanted.sample.is_some() { Openings::Random(plies) } else { Openings::All(plies) };
    let openings = openings.list(&*opened, wanted.sample, 1, wanted.seed)?;
    let mut won = Vec::new();
    for (done, opening) in openings.iter().enumerate() {
        tell(done, openings.len());
        let Some(value) = value(&*opened, &*opening.reach(&*opened)?, &solver, stop)? else { return Ok(None) };
        if value != 0 {
            won.push(Won { moves: opening.moves.clone(), winner: if value > 0 { 1 } else { 2 } });
        }
    }
    if won.is_empty() {
        return Err(Error::Request(format!("no position of {game} after {plies} plies is won by anybody")));
    }
    Ok(Some(won))
}

/// What the first player gains; `None` if somebody stopped it.
fn value(
    game: &dyn AnyGame,
    position: &dyn AnyPosition,
    solver: &Algorithm,
    stop: &StopHandle,
) -> Result<Option<i32>, Error> {
    let from_book = built_in_book(game).and_then(|book| position.book_value(&book, Objective::Gain));
    if from_book.is_some() {
        return Ok(from_book);
    }
    let mut search = position.search(solver, &Setup::default())?;
    search.run(&Budget { stop: stop.clone(), ..Budget::default() }, &mut ());
    if stop.is_pulled() {
        return Ok(None);
    }
    let unsolved = || Error::Request(format!("{} did not solve {}", solver.text, position.text()));
    Ok(Some(search.report().value.ok_or_else(unsolved)?[0]))
}

/// A line for each, as [`read`] reads it: the moves and the number of who wins.
pub fn text_of(won: &[Won]) -> String {
    won.iter().map(|won| format!("{} {}\n", won.moves.join(" "), won.winner)).collect()
}

/// Reads `MOVES WINNER`, a line each; empty lines and lines with `#` do not count. Who wins is believed.
pub fn read(game: &str, text: &str) -> Result<Vec<Won>, Error> {
    let opened = for_two(game)?;
    let mut won = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty()) {
        if line.starts_with('#') {
            continue;
        }
        let bad = |reason: String| Error::Request(format!("line {number}: {reason}"));
        let (moves, winner) = line.rsplit_once(' ').unwrap_or(("", line));
        let winner = match winner {
            "1" => 1,
            "2" => 2,
            other => return Err(bad(format!("expected moves and who wins, 1 or 2, got \"{other}\""))),
        };
        let mut position = opened.start();
        let moves = position.play_all(moves).map_err(|error| bad(error.to_string()))?;
        if position.status().is_err() {
            return Err(bad("the game is over there".into()));
        }
        won.push(Won { moves, winner });
    }
    if won.is_empty() {
        return Err(Error::Request("there is no position".into()));
    }
    Ok(won)
}

/// Plays `rounds` games from each position, as far as the store does not have them.
pub fn run(
    game: &str,
    won: &[Won],
    [player, against]: [&str; 2],
    rounds: u32,
    seed: u64,
    store: &mut Store,
    stop: &StopHandle,
) -> Result<Option<Line>, Error> {
    let specs = [player, against].map(PlayerSpec::parse).into_iter().collect::<Result<Vec<_>, _>>()?;
    let repeated = || (0..rounds).flat_map(|_| won);
    let openings = repeated().map(|won| Opening { position: None, moves: won.moves.clone() }).collect();
    let job = |(round, won): (u32, &Won)| {
        let seating = if won.winner == 1 { vec![0, 1] } else { vec![1, 0] };
        Job::new(round, vec![0, 1], seating, seed)
    };
    let jobs: Vec<Job> = (0..).zip(repeated()).map(job).collect();
    let name = format!("won positions, seed {seed}: {}", text_of(won));
    let tournament = Tournament::with_jobs(game, specs, openings, jobs, Rules::default(), &name)?;
    tournament.check(stop)?;
    run_for(&tournament, store, None, stop, &mut |_| {})?;
    let games = tournament.games(store)?;
    let gains = games.iter().map(|game| game.gains[usize::from(game.job.seating[0] != 0)]);
    let count = |gain: i32| gains.clone().filter(|&g| g == gain).count();
    let blocks: Vec<(f64, f64)> = gains.clone().map(|gain| (f64::from(u8::from(gain == 1)), 1.0)).collect();
    let different: BTreeSet<_> = games.iter().map(|game| (&game.opening.moves, &game.moves)).collect();
    Ok(ScoreEstimate::from_blocks(&blocks).map(|estimate| Line {
        game: game.into(),
        player: player.into(),
        against: against.into(),
        positions: won.len(),
        games: games.len(),
        different: different.len(),
        wins: count(1),
        draws: count(0),
        losses: count(-1),
        share: estimate.score,
        interval: estimate.interval,
    }))
}
