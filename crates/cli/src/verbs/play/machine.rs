//! The machine's side of the table: an algorithm, what a move may cost, and how often it plays at random.

use anyhow::Result;
use perfectplay_arena::levels::{LEVELS, Level, USUAL, limit_text};
use perfectplay_catalog::{Algorithm, AnyPosition, AnySearch, Book, Report, Setup};
use perfectplay_core::random::{SplitMix64, mix};
use perfectplay_core::{Budget, Objective, Stop, StopHandle};

use crate::args::PlayArgs;
use crate::verbs::solve::{values_text, watched};

/// What a search may hold if nothing else is said: its tree is kept from move to move.
const USUAL_MEMORY: usize = 1 << 30;

/// The part of a hint's limits that the look for the fastest win may take.
const PART_FOR_LENGTH: u32 = 4;

pub(crate) struct Machine {
    algorithm: Algorithm,
    /// Who gives hints: where there are few positions, one that knows them all.
    adviser: Algorithm,
    /// Who tells how soon somebody wins.
    solver: Algorithm,
    /// What hints are taken from before anybody searches.
    book: Option<Book>,
    setup: Setup,
    /// Of one move; its stop handle is replaced for every search.
    budget: Budget,
    /// Of a hint: all that the machine has.
    full: Budget,
    /// Of a hundred moves, those played at random.
    random: usize,
    limits: String,
    /// Of the position that is on the board, if it was kept.
    search: Option<Box<dyn AnySearch>>,
}

/// A move, and the report of the search if there was one.
pub(crate) struct Choice {
    pub(crate) mv: String,
    pub(crate) report: Option<Report>,
}

impl Machine {
    pub(crate) fn new(
        algorithm: Algorithm,
        adviser: Algorithm,
        solver: Algorithm,
        book: Option<Book>,
        args: &PlayArgs,
    ) -> Self {
        let mut budget = args.search.budget.with_stop(StopHandle::new());
        budget.memory = budget.memory.or(Some(USUAL_MEMORY));
        let named = budget.time.is_some() || budget.nodes.is_some();
        let number = args.level.unwrap_or(USUAL);
        let level = Level::number(number);
        let full = if named { budget.clone() } else { LEVELS[LEVELS.len() - 1].limit(budget.clone()) };
        let (budget, random, limits) = if named {
            let limits = limit_text(budget.nodes, budget.time);
            (budget, 0, limits)
        } else {
            (level.limit(budget), level.random, format!("level {number}: {}", level.in_words()))
        };
        let setup = args.search.setup();
        Machine { algorithm, adviser, solver, book, setup, budget, full, random, limits, search: None }
    }

    /// `alpha-beta, level 9: 1 s a move`.
    pub(crate) fn in_words(&self) -> String {
        format!("{}, {}", self.algorithm.text, self.limits)
    }

    /// `backward-induction, 1 s a move`: who gives hints.
    pub(crate) fn adviser_in_words(&self) -> String {
        format!("{}, {}", self.adviser.text, limit_text(self.full.nodes, self.full.time))
    }

    /// The algorithm's name.
    pub(crate) fn name(&self) -> &'static str {
        self.algorithm.info.name
    }

    /// Whether it plays this game: one that refuses should say so before the first move.
    pub(crate) fn check(&mut self, position: &dyn AnyPosition) -> Result<()> {
        self.search = Some(position.search(&self.algorithm, &self.setup)?);
        Ok(())
    }

    /// Its move after `ply` moves; none if the game is over. The same seed gives the same moves, as far as nodes and
    /// not time limit the search.
    pub(crate) fn choose(
        &mut self,
        position: &dyn AnyPosition,
        ply: usize,
        stop: StopHandle,
    ) -> Result<Option<Choice>> {
        let moves = position.moves();
        let mut dice = SplitMix64::new(mix(self.setup.seed ^ mix(ply as u64)));
        let Some(drawn) = (!moves.is_empty()).then(|| moves[dice.below(moves.len())].clone()) else { return Ok(None) };
        if dice.below(100) < self.random {
            return Ok(Some(Choice { mv: drawn, report: None }));
        }
        let search = match &mut self.search {
            Some(search) => search,
            None => self.search.insert(position.search(&self.algorithm, &self.setup)?),
        };
        let report = watched(&mut **search, self.algorithm.info.name, &Budget { stop, ..self.budget.clone() }, None).0;
        if report.stop == Some(Stop::Memory) {
            self.search = None; // the next move begins with an empty tree, not with a full one
        }
        // A search that was cut off before it looked at any move names none.
        let mv = report.best_move.clone().unwrap_or(drawn);
        Ok(Some(Choice { mv, report: Some(report) }))
    }

    /// What it thinks of a position at its best: what a book says; the fastest win or the slowest loss, if it is found
    /// in a part of the time; or what the adviser finds.
    pub(crate) fn hint(&self, position: &dyn AnyPosition, stop: StopHandle) -> Result<Report> {
        let budget = Budget { stop, ..self.full.clone() };
        let told = self.book.as_ref().and_then(|book| position.ask_book(book, self.setup.objective));
        if let Some(report) = told.map(|search| search.report()).filter(|report| report.best_move.is_some()) {
            return Ok(report);
        }
        if self.setup.objective == Objective::Gain
            && let Some(report) = self.length(position, &budget)?
        {
            return Ok(report);
        }
        let mut search = position.search(&self.adviser, &self.setup)?;
        Ok(watched(&mut *search, self.adviser.info.name, &budget, None).0)
    }

    /// How soon somebody wins; none if nobody does, or nobody knows.
    fn length(&self, position: &dyn AnyPosition, budget: &Budget) -> Result<Option<Report>> {
        let setup = Setup { objective: Objective::Length, exact: true, ..self.setup.clone() };
        let Ok(mut search) = position.search(&self.solver, &setup) else { return Ok(None) };
        let time = budget.time.map(|time| time / PART_FOR_LENGTH);
        let nodes = budget.nodes.map(|nodes| nodes.div_ceil(u64::from(PART_FOR_LENGTH)));
        let report = watched(&mut *search, "length", &Budget { time, nodes, ..budget.clone() }, None).0;
        Ok(Some(report).filter(|report| report.plies.is_some()))
    }

    /// A move was played, by whomever.
    pub(crate) fn played(&mut self, mv: &str) {
        let kept = self.search.as_mut().is_some_and(|search| search.advance(mv).unwrap_or(false));
        if !kept {
            self.search = None;
        }
    }

    /// The position has changed in another way.
    pub(crate) fn forget(&mut self) {
        self.search = None;
    }
}

/// `player 1 wins (proved)`, `estimate +0.250 for player 1`.
pub(crate) fn value_text(report: &Report) -> String {
    match (&report.value, &report.bounds, &report.estimate) {
        (None, None, None) => "nothing is known".into(),
        (None, None, Some(estimate)) => match (estimate.as_slice(), report.mover) {
            (&[a, b], Some(mover)) if a == -b => {
                format!("estimate {} for player {mover}", values_text(&[if mover == 1 { a } else { b }]))
            }
            _ => format!("estimate {}, by player", values_text(estimate)),
        },
        _ => format!("{} (proved)", report.verdict()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use perfectplay_catalog::open;

    use super::*;
    use crate::args::{Cli, Verb};

    /// The machine as the command line makes it, limited by nodes alone: the same on every machine.
    fn machine(level: u8, with: &str, seed: u64) -> Machine {
        let (level, seed) = (level.to_string(), seed.to_string());
        let words = ["perfectplay", "play", "-", "--level", &level, "--with", with, "--seed", &seed];
        let Verb::Play(args) = Cli::parse_from(words).verb else { panic!("another verb") };
        let algorithm = Algorithm::parse(with).unwrap();
        let mut machine = Machine::new(algorithm.clone(), algorithm.clone(), algorithm, None, &args);
        machine.budget.time = None;
        machine
    }

    /// Points of the first of two machines in a game that it begins or not.
    fn points(game: &str, [a, b]: [u8; 2], with: &str, round: u64) -> f64 {
        let mut machines = [machine(a, with, round), machine(b, with, round + 1000)];
        let begins = (round % 2) as usize;
        let mut position = open(game).unwrap().start();
        for ply in 0.. {
            let mover = match position.status() {
                Ok(mover) => mover,
                Err(ended) => return f64::from(ended.gains[begins] + 1) / 2.0,
            };
            let seat = (mover.index() + begins) % 2;
            let choice = machines[seat].choose(&*position, ply, StopHandle::new()).unwrap().unwrap();
            position.play(&choice.mv).unwrap();
            machines.iter_mut().for_each(|machine| machine.played(&choice.mv));
        }
        unreachable!("every game ends")
    }

    #[test]
    fn higher_levels_win_against_lower_ones() {
        let fast: &[[u8; 2]] = &[[4, 1], [6, 3], [7, 5]];
        for (game, with, pairs) in [("breakthrough:6x6", "alpha-beta", fast), ("connect-four:6x5", "mcts", &fast[..2])]
        {
            for &pair in pairs {
                let sum: f64 = (0..10).map(|round| points(game, pair, with, round)).sum();
                assert!(sum >= 7.0, "{game}, {with}: level {} scores {sum} of 10 against level {}", pair[0], pair[1]);
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_game() {
        let game = |seed| {
            let mut position = open("tic-tac-toe").unwrap().start();
            let mut machine = machine(2, "alpha-beta", seed);
            let mut moves = Vec::new();
            while let Some(choice) = machine.choose(&*position, moves.len(), StopHandle::new()).unwrap() {
                position.play(&choice.mv).unwrap();
                machine.played(&choice.mv);
                moves.push(choice.mv);
            }
            moves
        };
        assert_eq!(game(1), game(1));
        assert!((2..9).any(|seed| game(seed) != game(1)));
    }
}
