//! How strong a model is while it learns: games against opponents that never change, and positions near the end of the
//! game whose values a solver knows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use perfectplay_catalog::{Algorithm, AnyPosition, Setup, open};
use perfectplay_core::random::SplitMix64;
use perfectplay_core::{Budget, Model, SolveStatus, StopHandle};
use serde::{Deserialize, Serialize};

use crate::Error;

/// Somebody to play against: an algorithm, and what a move may cost.
struct Opponent {
    name: String,
    algorithm: Algorithm,
    nodes: u64,
    /// A game is not over before so many moves: then it counts as a draw.
    longest: usize,
}

/// Games, or positions, beyond which nobody waits for an exam.
const LONGEST: usize = 400;
/// States that the learner may look at per move.
const NODES: u64 = 300;
/// What a solver may spend on the label of a position.
const LABEL_NODES: u64 = 20_000;
/// Positions with a label.
const LABELS: usize = 60;

/// The opponents and the labelled positions of a game.
pub struct Exam {
    game: String,
    learner: Algorithm,
    opponents: Vec<Opponent>,
    /// Positions as moves from the start, and what they are worth to each player.
    labels: Vec<(Vec<String>, Vec<i32>)>,
}

/// How much an exam may take.
#[derive(Clone, Debug)]
pub struct ExamLimits {
    /// Games against each opponent.
    pub games: u64,
    /// After this time no other round of games is begun, one against each opponent; the first one always is.
    pub time: Duration,
    /// Ends it before the next move; the round that is being played does not count.
    pub stop: StopHandle,
}

/// What an exam found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Marks {
    /// Games that were played against each opponent.
    #[serde(default)]
    pub exam_games: u64,
    /// Score from 0 to 1 against each opponent; nothing if no game was played.
    pub scores: Vec<(String, f64)>,
    /// Mean distance between the value one ply ahead and the solver's, over labelled positions, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_error: Option<f64>,
    /// Which part of all states has a value of the right sign, if the game is small enough to be solved whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right_states: Option<f64>,
}

impl Exam {
    /// Opponents for this game: chance, Monte-Carlo tree search, and the learner's own search with the evaluation that
    /// the game's author wrote, if there is one.
    pub fn new(game: &str, seed: u64) -> Result<Self, Error> {
        let opened = open(game)?;
        let facts = opened.facts();
        let search = if facts.acyclic { "ubfm:eval=heuristic,decision=safest" } else { "greedy:eval=heuristic" };
        let mut opponents = vec![opponent("random", "random", 1)?, opponent("mcts, 300 simulations", "mcts", 300)?];
        if facts.heuristic {
            opponents.push(opponent("hand-written evaluation, same search", search, NODES)?);
        }
        let mut exam =
            Exam { game: game.to_owned(), learner: Algorithm::parse(search)?, opponents, labels: Vec::new() };
        exam.label(seed)?;
        Ok(exam)
    }

    /// Random games, from their ends backwards as far as the solver can see.
    fn label(&mut self, seed: u64) -> Result<(), Error> {
        let mut dice = SplitMix64::new(seed);
        let opened = open(&self.game)?;
        let solver = Algorithm::parse("auto")?;
        for _ in 0..LABELS / 3 {
            let (mut position, mut moves) = (opened.start(), Vec::new());
            while position.status().is_ok() && moves.len() < LONGEST {
                let legal = position.moves();
                let mv = legal[dice.below(legal.len())].clone();
                position.play(&mv)?;
                moves.push(mv);
            }
            for back in [2, 4, 7] {
                let Some(line) = moves.len().checked_sub(back).map(|end| moves[..end].to_vec()) else { continue };
                let mut position = opened.start();
                line.iter().try_for_each(|mv| position.play(mv))?;
                let setup = Setup { exact: true, memory: Some(64 << 20), ..Setup::default() };
                let Ok(mut search) = position.search(&solver, &setup) else { return Ok(()) };
                search.run(&Budget::nodes(LABEL_NODES), &mut ());
                let report = search.report();
                match report.value {
                    Some(value) if report.status == SolveStatus::Solved => self.labels.push((line, value)),
                    _ => break,
                }
            }
        }
        Ok(())
    }

    /// Games against each opponent, and all labelled positions.
    pub fn take(&self, model: &Arc<dyn Model>, seed: u64, limits: &ExamLimits) -> Result<Marks, Error> {
        let started = Instant::now();
        let (mut exam_games, mut sums) = (0, vec![0.0; self.opponents.len()]);
        while exam_games < limits.games && (exam_games == 0 || started.elapsed() < limits.time) {
            let play = |opponent| self.play(model, opponent, seed + exam_games, &limits.stop);
            let Some(round) = self.opponents.iter().map(play).collect::<Result<Option<Vec<f64>>, Error>>()? else {
                break;
            };
            sums.iter_mut().zip(round).for_each(|(sum, score)| *sum += score);
            exam_games += 1;
        }
        let label_error = if limits.stop.is_pulled() { None } else { self.label_error(model)? };
        let names = self.opponents.iter().map(|opponent| opponent.name.clone());
        let scores = names.zip(sums.iter().map(|sum| sum / exam_games as f64)).filter(|_| exam_games > 0).collect();
        Ok(Marks { exam_games, scores, label_error, right_states: None })
    }

    /// One game after a few random plies; what it gave to the learner, or nothing if it was stopped. Two games after
    /// the same plies with seats exchanged follow each other.
    fn play(
        &self,
        model: &Arc<dyn Model>,
        opponent: &Opponent,
        seed: u64,
        stop: &StopHandle,
    ) -> Result<Option<f64>, Error> {
        let mut position = open(&self.game)?.start();
        let players = open(&self.game)?.facts().players;
        let seat = (seed % players as u64) as usize;
        let mut dice = SplitMix64::new(seed / players as u64);
        for _ in 0..2 + dice.below(3) {
            let legal = position.moves();
            if legal.is_empty() {
                break;
            }
            position.play(&legal[dice.below(legal.len())])?;
        }
        for _ in 0..opponent.longest {
            let mover = match position.status() {
                Ok(mover) => mover.index(),
                Err(ended) => return Ok(Some(f64::from(ended.gains[seat] + 1) / 2.0)),
            };
            if stop.is_pulled() {
                return Ok(None);
            }
            let mv = if mover == seat {
                choose(&*position.with_model(model.clone())?, &self.learner, NODES, dice.next_word())?
            } else {
                choose(&*position, &opponent.algorithm, opponent.nodes, dice.next_word())?
            };
            position.play(&mv)?;
        }
        Ok(Some(0.5))
    }

    fn label_error(&self, model: &Arc<dyn Model>) -> Result<Option<f64>, Error> {
        let greedy = Algorithm::parse("greedy:eval=heuristic")?;
        let mut errors = Vec::new();
        for (line, value) in &self.labels {
            let mut position = open(&self.game)?.start();
            line.iter().try_for_each(|mv| position.play(mv))?;
            let mut search = position.with_model(model.clone())?.search(&greedy, &Setup::default())?;
            search.run(&Budget::unlimited(), &mut ());
            let Some(estimate) = search.report().estimate else { continue };
            let apart = estimate.iter().zip(value).map(|(&guess, &value)| (f64::from(guess) - f64::from(value)).abs());
            errors.push(apart.sum::<f64>() / value.len() as f64);
        }
        Ok((!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64))
    }
}

fn opponent(name: &str, algorithm: &str, nodes: u64) -> Result<Opponent, Error> {
    Ok(Opponent { name: name.to_owned(), algorithm: Algorithm::parse(algorithm)?, nodes, longest: LONGEST })
}

/// The move that an algorithm plays.
fn choose(position: &dyn AnyPosition, algorithm: &Algorithm, nodes: u64, seed: u64) -> Result<String, Error> {
    let mut search = position.search(algorithm, &Setup { seed, memory: Some(256 << 20), ..Setup::default() })?;
    search.run(&Budget::nodes(nodes), &mut ());
    Ok(search.report().best_move.unwrap_or_else(|| position.moves()[0].clone()))
}
