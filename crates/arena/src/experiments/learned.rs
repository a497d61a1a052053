//! What are learned evaluations worth? Each search that can ask one plays, at equal time, against itself with the
//! hand-written evaluation, against Monte-Carlo tree search, and against whom `play` would choose without models. In
//! games for more than two it sits alone, in every seat, among others of one kind.

use std::time::Duration;

use perfectplay_core::StopHandle;
use serde::Serialize;

use super::run_for;
use crate::match_play::{GameRecord, Rules};
use crate::runner::{Conditions, Tournament};
use crate::schedule::Job;
use crate::stats::{Interval, ScoreEstimate};
use crate::store::Store;
use crate::{Error, Openings, PlayerSpec};

/// How a comparison is played.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Time per move.
    pub time: Duration,
    /// Openings; each is played in every seating.
    pub rounds: u32,
    /// Random plies at the beginning.
    pub plies: u32,
    /// For what is left to chance.
    pub seed: u64,
}

/// How a player with a learned evaluation did against one without.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The game.
    pub game: String,
    /// Algorithm and options of the player with the model.
    pub player: String,
    /// Those of the other.
    pub against: String,
    /// Games.
    pub games: usize,
    /// The share of others it beat (alike counts half), from 0 to 1.
    pub score: f64,
    /// 95 %.
    pub interval: Interval,
    /// The share of games it won: among n equal players 1/n, as far as somebody wins.
    pub wins: f64,
    /// 95 %.
    pub wins_interval: Interval,
}

/// Searches that a model is tried with, for two players and for more.
const FOR_TWO: [&str; 2] = ["ubfm:decision=safest,", "alpha-beta:"];
const FOR_MANY: [&str; 2] = ["paranoid:", "ubfm:decision=safest,"];

/// Who meets whom: the player with the model first.
fn pairs(game: &str, model: &str) -> Result<Vec<[String; 2]>, Error> {
    let facts = perfectplay_catalog::open(game)?.facts();
    let usual = perfectplay_catalog::opponent(game, &facts).to_owned();
    let mut pairs = Vec::new();
    for search in if facts.players == 2 { FOR_TWO } else { FOR_MANY } {
        let learned = format!("{search}eval=learned:{model}");
        let mut against: Vec<String> = Vec::new();
        if facts.heuristic {
            against.push(format!("{search}eval=heuristic"));
        }
        // Whoever has a heuristic asks it by default.
        for other in ["mcts".to_owned(), usual.clone()] {
            let asked = against.iter().any(|a| a.split(':').next() == Some(&other));
            if !asked {
                against.push(other);
            }
        }
        pairs.extend(against.into_iter().map(|other| [learned.clone(), other]));
    }
    Ok(pairs)
}

/// Plays what the store does not have; a line per pair as soon as it is there.
pub fn run(
    game: &str,
    model: &str,
    terms: &Terms,
    store: &mut Store,
    stop: &StopHandle,
    on_line: &mut dyn FnMut(&Line),
) -> Result<(), Error> {
    for [player, against] in pairs(game, model)? {
        let limit = terms.time.as_secs_f64() * 1000.0;
        let specs = [&player, &against].map(|text| PlayerSpec::parse(&format!("{text}@time={limit}ms")));
        let specs = specs.into_iter().collect::<Result<_, _>>()?;
        let tournament = tournament(game, specs, terms)?;
        tournament.check(stop)?;
        run_for(&tournament, store, None, stop, &mut |_| {})?;
        let table = tournament.table(store)?;
        if stop.is_pulled() {
            break;
        }
        let wins = share_of_wins(&tournament.games(store)?);
        if let (Some(pair), Some(ScoreEstimate { score: wins, interval: wins_interval, .. })) =
            (table.pairs.first(), wins)
        {
            let (games, score, interval) = (pair.games, pair.score, pair.interval);
            on_line(&Line { game: game.into(), player, against, games, score, interval, wins, wins_interval });
        }
    }
    Ok(())
}

/// Two players take turns at moving first; of more, the first takes each seat once, and the second all the others.
fn tournament(game: &str, players: Vec<PlayerSpec>, terms: &Terms) -> Result<Tournament, Error> {
    let Terms { rounds, plies, seed, .. } = *terms;
    let opened = perfectplay_catalog::open(game)?;
    let (seats, openings) = (opened.facts().players, Openings::Random(plies));
    if seats == 2 {
        let conditions = Conditions { openings: Some(openings), rounds: Some(rounds), seed, ..Conditions::default() };
        return Tournament::new(game, players, conditions);
    }
    let list = openings.list(&*opened, Some(rounds), rounds, seed)?;
    let alone = |seat: usize| (0..seats).map(|other| usize::from(other != seat)).collect();
    let jobs = (0..rounds).flat_map(|round| (0..seats).map(move |seat| Job::new(round, vec![0, 1], alone(seat), seed)));
    let name = format!("alone in every seat, random:{plies}, seed {seed}");
    Tournament::with_jobs(game, players, list, jobs.collect(), Rules::default(), &name)
}

/// How often the first player won.
fn share_of_wins(games: &[GameRecord]) -> Option<ScoreEstimate> {
    let mut rounds = std::collections::BTreeMap::<u32, (f64, f64)>::new();
    for game in games {
        let seat = game.job.seating.iter().position(|&player| player == 0)?;
        let round = rounds.entry(game.job.round).or_default();
        *round = (round.0 + f64::from(u8::from(game.gains[seat] == 1)), round.1 + 1.0);
    }
    ScoreEstimate::from_blocks(&rounds.into_values().collect::<Vec<_>>())
}
