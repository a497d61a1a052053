//! One ply ahead: the move after which the mover stands best by the evaluation, at random among equals.
//!
//! A win at once is taken, a loss at once is avoided; nothing else is proved.

use std::sync::Arc;

use perfectplay_core::random::below;
use perfectplay_core::{
    Answer, Budget, Effort, Estimate, EstimateOf, Evaluator, FullGame, Given, MoveReport, Objective, Observer,
    OptionSet, Params, Payoff, Status, Stop, Verdict, options,
};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::support::common_options::PLAYOUTS;
use crate::support::evaluations::{self, Guess, Terminal};
use crate::support::order::{ascending, key_of};
use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "greedy",
    summary: "the move that looks best one ply ahead, at random among equals",
    players: "any",
    exact: false,
    threads: Threads::One("it looks one ply ahead and no further"),
    options: Options::docs,
};

options! {
    struct Options {
        eval: Option<Guess> =
            evaluations::EVAL.left_open("heuristic where the game has one, otherwise rollouts"),
        playouts: Given<u32> = PLAYOUTS,
    }
}

/// For any number of players; leaves are rolled out where the game has no heuristic and no option asks otherwise.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let terminal = match setup.objective {
        Objective::Gain | Objective::Length => Terminal::Gain,
        Objective::Score => Terminal::Score,
    };
    let options: Options = INFO.read(params)?;
    let facts = game.facts();
    let usual = if facts.heuristic { Guess::Heuristic } else { Guess::Rollouts };
    let guess = options.eval.unwrap_or(usual);
    let evaluator = evaluations::evaluator::<G>(guess, options.playouts, setup.seed, terminal, &facts)?;
    let dice = Xoshiro256PlusPlus::seed_from_u64(setup.seed);
    Ok(Box::new(Greedy { game, root, objective: setup.objective, evaluator, dice, seen: Vec::new(), nodes: 0 }))
}

struct Greedy<G: FullGame> {
    game: Arc<G>,
    root: G::State,
    objective: Objective,
    /// `None`: all unfinished states are worth 0.
    evaluator: Option<Box<dyn Evaluator<G>>>,
    dice: Xoshiro256PlusPlus,
    /// The moves looked at, the one to play first.
    seen: Vec<(G::Move, Verdict<G::Payoff>)>,
    nodes: u64,
}

impl<G: FullGame> Greedy<G> {
    fn look(&mut self, mv: G::Move) -> Verdict<G::Payoff> {
        let state = self.game.after(&self.root, mv);
        self.nodes += 1;
        if let Status::Over(payoff) = self.game.status(&state) {
            return Verdict::Solved(payoff);
        }
        let mut guess: Vec<EstimateOf<G>> = Vec::new();
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.evaluate(&self.game, &[state], &mut guess);
        }
        Verdict::Estimated(guess.pop().unwrap_or_else(|| Estimate::from_fn(|_| 0.0)))
    }
}

impl<G: FullGame> Search<G> for Greedy<G> {
    fn run(&mut self, _: &Budget, _: &mut dyn Observer) -> Stop {
        let mut moves = Vec::new();
        let Status::Turn(mover) = self.game.expand(&self.root, &mut moves) else { return Stop::Done };
        if !self.seen.is_empty() {
            return Stop::Done;
        }
        for i in (1..moves.len()).rev() {
            moves.swap(i, below(self.dice.next_u64(), i + 1));
        }
        let seen: Vec<_> = moves.into_iter().map(|mv| (mv, self.look(mv))).collect();
        let worth = |verdict: &Verdict<G::Payoff>| match *verdict {
            Verdict::Solved(payoff) => payoff.estimate(self.objective).of(mover),
            Verdict::Estimated(guess) => guess.of(mover),
            _ => f32::NEG_INFINITY,
        };
        let keys: Vec<i64> = seen.iter().map(|(_, verdict)| !key_of(worth(verdict).into())).collect();
        self.seen = ascending(&keys).into_iter().map(|at| seen[at]).collect();
        Stop::Done
    }

    fn answer(&self) -> Answer<G> {
        let mut legal = Vec::new();
        let status = self.game.expand(&self.root, &mut legal);
        let verdict_of = |mv| self.seen.iter().find(|s| s.0 == mv).map_or(Verdict::Unknown, |s| s.1);
        let guess = match self.seen.first() {
            Some(&(_, Verdict::Solved(payoff))) => Verdict::Estimated(payoff.estimate(self.objective)),
            Some(&(_, verdict)) => verdict,
            None => Verdict::Unknown,
        };
        let answer = Answer {
            mover: status.mover(),
            verdict: if let Status::Over(payoff) = status { Verdict::Solved(payoff) } else { guess },
            line: self.seen.first().map(|s| s.0).into_iter().collect(),
            moves: legal.iter().map(|&mv| MoveReport { mv, verdict: verdict_of(mv), visits: None }).collect(),
            effort: Effort { nodes: self.nodes, bytes: 0 },
            counts: vec![],
            notes: vec![],
        };
        answer.reconciled(&self.game, self.objective)
    }

    fn advance(&mut self, mv: G::Move) -> bool {
        self.game.play(&mut self.root, mv);
        self.seen.clear();
        true
    }
}
