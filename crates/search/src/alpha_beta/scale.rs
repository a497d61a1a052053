//! Exact values and guesses on one scale of whole numbers, as searches of limited depth need them.

use perfectplay_core::{Facts, Objective, Player, ZeroSum};

/// One point of gain or score.
const UNIT: i32 = 1024;
/// Beyond every value.
pub(crate) const INFINITE: i32 = i32::MAX;

/// Turns what games say into whole numbers, first player's view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    objective: Objective,
    least: i32,
    greatest: i32,
    guess: bool,
}

impl Scale {
    /// With `heuristic`, unfinished games are guessed by the game's own heuristic, if it has one; otherwise as 0.
    pub(crate) fn new(facts: &Facts, objective: Objective, heuristic: bool) -> Self {
        let (least, greatest) = match objective {
            Objective::Gain | Objective::Length => (-1, 1),
            Objective::Score => facts.scores[0],
        };
        let most = i32::MAX / UNIT - 1;
        Scale { objective, least: least.max(-most), greatest: greatest.min(most), guess: heuristic && facts.heuristic }
    }

    /// What the numbers are about.
    pub(crate) fn objective(&self) -> Objective {
        self.objective
    }

    /// What a finished game is worth.
    #[inline]
    pub(crate) fn exact(&self, payoff: ZeroSum) -> i32 {
        self.objective.value(payoff, Player::FIRST).clamp(self.least, self.greatest) * UNIT
    }

    /// Whose part of the game's heuristic is wanted, if any.
    #[inline]
    pub(crate) fn wanted(&self) -> Option<Player> {
        self.guess.then_some(Player::FIRST)
    }

    /// The first player's guess at an unfinished game, strictly between the best and the worst end.
    #[inline]
    pub(crate) fn guess(&self, guess: f32) -> i32 {
        if !self.guess {
            return 0;
        }
        let end = if guess > 0.0 { self.greatest.max(0) } else { -self.least.min(0) };
        let value = (guess * (end * UNIT) as f32) as i32;
        value.clamp(self.least * UNIT + 1, (self.greatest * UNIT - 1).max(self.least * UNIT + 1))
    }

    /// The payoff behind an exact value.
    pub(crate) fn payoff(&self, value: i32) -> ZeroSum {
        ZeroSum(value.div_euclid(UNIT))
    }

    /// A value as a guess.
    pub(crate) fn estimate(&self, value: i32) -> f32 {
        value as f32 / UNIT as f32
    }
}
