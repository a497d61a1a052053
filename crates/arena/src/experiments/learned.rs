//! What are learned evaluations worth? Each search that can ask one plays, at equal time, against itself with the
//! hand-written evaluation, against Monte-Carlo tree search, and against whom `play` would choose without models.

use std::time::Duration;

use perfectplay_core::StopHandle;
use serde::Serialize;

use super::run_for;
use crate::runner::{Conditions, Tournament};
use crate::stats::Interval;
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
    /// From 0 to 1.
    pub score: f64,
    /// 95 %.
    pub interval: Interval,
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
        let conditions = Conditions {
            openings: Some(Openings::Random(terms.plies)),
            rounds: Some(terms.rounds),
            seed: terms.seed,
            ..Conditions::default()
        };
        let tournament = Tournament::new(game, specs.into_iter().collect::<Result<_, _>>()?, conditions)?;
        tournament.check(stop)?;
        run_for(&tournament, store, None, stop)?;
        let table = tournament.table(store)?;
        if stop.is_pulled() {
            break;
        }
        if let Some(pair) = table.pairs.first() {
            let (games, score, interval) = (pair.games, pair.score, pair.interval);
            on_line(&Line { game: game.into(), player, against, games, score, interval });
        }
    }
    Ok(())
}
