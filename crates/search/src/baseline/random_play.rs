//! A move drawn at random, all alike: the player that every other must beat.

use std::sync::Arc;

use perfectplay_core::random::below;
use perfectplay_core::{Answer, Budget, Effort, FullGame, Observer, OptionSet, Params, Status, Stop, Verdict};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "random",
    summary: "a random move: the player that every other must beat",
    players: "any",
    exact: false,
    threads: Threads::One("it searches nothing"),
    options: <()>::docs,
};

/// For every game; only the seed matters.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    INFO.read::<()>(params)?;
    let dice = Xoshiro256PlusPlus::seed_from_u64(setup.seed);
    Ok(Box::new(RandomPlay { game, root, dice, choice: None }))
}

struct RandomPlay<G: FullGame> {
    game: Arc<G>,
    root: G::State,
    dice: Xoshiro256PlusPlus,
    choice: Option<G::Move>,
}

impl<G: FullGame> Search<G> for RandomPlay<G> {
    fn run(&mut self, _: &Budget, _: &mut dyn Observer) -> Stop {
        if self.choice.is_none() {
            let mut below = |sides| below(self.dice.next_u64(), sides);
            self.choice = self.game.random_move(&self.root, &mut Vec::new(), &mut below).ok();
        }
        Stop::Done
    }

    fn answer(&self) -> Answer<G> {
        let status = self.game.status(&self.root);
        Answer {
            mover: status.mover(),
            verdict: if let Status::Over(payoff) = status { Verdict::Solved(payoff) } else { Verdict::Unknown },
            line: self.choice.into_iter().collect(),
            moves: vec![],
            effort: Effort::default(),
            counts: vec![],
            notes: vec![],
        }
    }

    fn advance(&mut self, mv: G::Move) -> bool {
        self.game.play(&mut self.root, mv);
        self.choice = None;
        true
    }
}
