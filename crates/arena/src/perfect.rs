//! `perfect`, a player that errs in nothing: it solves the position before each of its moves, wins as soon and loses as
//! late as possible, and leaves it to chance which of equal moves it plays.
//!
//! Where a game has a score, the score is what it plays for (in Connect Four it tells how soon the game is won),
//! otherwise the length. It takes as long as solving takes. The program's opening book is asked first, and what was
//! solved once is kept for all games of the player.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use perfectplay_catalog::{Algorithm, AnyGame, AnyPosition, Book, MoveLine, Report, Setup, built_in_book};
use perfectplay_core::{Budget, Objective, StopHandle};
use perfectplay_search::alpha_beta::iterative_deepening;
use perfectplay_search::portfolio::every_move;

use crate::dice::Dice;
use crate::player::{Choice, Fault, Player, Seat};

/// The best moves of a position, once they are known.
type Best = Arc<Mutex<Option<Vec<String>>>>;

/// What was solved, by the texts of positions.
#[derive(Debug, Default)]
pub(crate) struct Solved(Mutex<HashMap<String, Best>>);

struct Perfect {
    solved: Arc<Solved>,
    objective: Objective,
    solver: Algorithm,
    book: Option<Book>,
    dice: Dice,
}

/// Sits down, if the game can be solved that way.
pub(crate) fn sit(solved: &Arc<Solved>, table: &Seat<'_>) -> Result<Box<dyn Player>, String> {
    let (objective, solver) = way(table.game);
    let solver = Algorithm::parse(&solver).map_err(|error| error.to_string())?;
    let player = Perfect {
        solved: solved.clone(),
        objective,
        solver,
        book: built_in_book(table.game),
        dice: Dice::new(table.seed),
    };
    let position = table.opening.reach(table.game).map_err(|error| error.to_string())?;
    position.search(&player.solver, &player.setup()).map_err(|error| error.to_string())?;
    Ok(Box::new(player))
}

/// What is solved for, and who solves it.
fn way(game: &dyn AnyGame) -> (Objective, String) {
    let facts = game.facts();
    let has_score = facts.scores.iter().any(|&(low, high)| low < -1 || high > 1);
    if has_score && facts.acyclic {
        (Objective::Score, format!("{}:exact=on,all-moves=on", iterative_deepening::INFO.name))
    } else {
        (Objective::Length, every_move::INFO.name.to_owned())
    }
}

impl Perfect {
    fn setup(&self) -> Setup {
        Setup { objective: self.objective, ..Setup::default() }
    }

    /// All moves than which none is better, and the nodes it took to know.
    fn solve(&self, position: &dyn AnyPosition, stop: &StopHandle) -> Result<(Vec<String>, u64), Fault> {
        let from_book = self.book.as_ref().and_then(|book| position.ask_book(book, self.objective));
        if let Some(best) = from_book.and_then(|search| best_moves(&search.report())) {
            return Ok((best, 0));
        }
        let lost = |error: perfectplay_catalog::Error| Fault::Lost(error.to_string());
        let mut search = position.search(&self.solver, &self.setup()).map_err(lost)?;
        search.run(&Budget { stop: stop.clone(), ..Budget::default() }, &mut ());
        if stop.is_pulled() {
            return Err(Fault::Stopped);
        }
        let report = search.report();
        let unsolved = || Fault::Lost("it could not solve the position".into());
        Ok((best_moves(&report).ok_or_else(unsolved)?, report.nodes))
    }
}

/// The best of all moves, if all of them are proved.
fn best_moves(report: &Report) -> Option<Vec<String>> {
    let mover = report.mover? - 1;
    let worth = |line: &MoveLine| {
        let value = line.value.as_ref().filter(|_| line.resolved)?[mover] as i64;
        let soon = line.plies.map_or(0, i64::from) * -value.signum();
        Some((value, soon))
    };
    let worths: Vec<(i64, i64)> = report.moves.iter().map(worth).collect::<Option<_>>()?;
    let most = *worths.iter().max()?;
    let best = report.moves.iter().zip(&worths).filter(|(_, worth)| **worth == most);
    Some(best.map(|(line, _)| line.mv.clone()).collect())
}

impl Player for Perfect {
    fn version(&self) -> String {
        format!("perfectplay {}", env!("CARGO_PKG_VERSION"))
    }

    fn choose(&mut self, position: &dyn AnyPosition, stop: &StopHandle) -> Result<Choice, Fault> {
        let all =
            self.solved.0.lock().unwrap_or_else(PoisonError::into_inner).entry(position.text()).or_default().clone();
        // Who asks for the same position waits.
        let mut known = all.lock().unwrap_or_else(PoisonError::into_inner);
        let (best, nodes) = match &*known {
            Some(best) => (best, 0),
            None => {
                let (best, nodes) = self.solve(position, stop)?;
                (&*known.insert(best), nodes)
            }
        };
        let mv = best[self.dice.below(best.len())].clone();
        Ok(Choice { mv, nodes: Some(nodes), depth: None })
    }

    fn played(&mut self, _: &dyn AnyPosition, _: &str) -> Result<(), Fault> {
        Ok(())
    }
}
