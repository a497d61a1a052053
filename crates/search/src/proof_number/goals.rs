//! The outcomes of a game as ranks 0 … m-1, worst for the first player first, and the m-1 goals between them.
//!
//! Goal k is "the first player gets at least the outcome of rank k + 1". For a finite game the worst outcome is certain
//! and nothing beats the best, so of the 2m effort numbers of Saffidine and Cazenave 2012, §4.1 these 2(m-1) are left:
//! G of rank k + 1 is the proof number of goal k, and S of rank k its disproof number.

use perfectplay_core::{FullGame, Gain, Objective, Player, TextError, Verdict, ZeroSum};

use crate::Refusal;
use crate::proof_number::effort_numbers::{Pair, Window};

/// The outcomes that are told apart.
#[derive(Clone, Debug)]
pub struct Outcomes {
    objective: Objective,
    values: Vec<i32>,
    rank_of: Vec<u16>, // by value, from the least on
}

/// More outcomes than this make no sense as separate goals.
const MOST: usize = 4096;

impl Outcomes {
    /// The outcomes of `game` under `objective`; refuses, in the name of `algorithm`, if the game cannot list them.
    pub fn of<G: FullGame<Payoff = ZeroSum>>(
        game: &G,
        objective: Objective,
        algorithm: &'static str,
    ) -> Result<Self, Refusal> {
        let facts = game.facts();
        let listed = facts.outcomes;
        let mut values: Vec<i32> = match (objective, listed) {
            (Objective::Gain | Objective::Length, None) => vec![-1, 0, 1],
            (Objective::Gain | Objective::Length, Some(list)) => {
                list.iter().map(|&s| Gain::of_sign(s).value()).collect()
            }
            (Objective::Score, Some(list)) => list,
            (Objective::Score, None) => {
                return Err(Refusal::Other(format!(
                    "{algorithm} needs to know all outcomes beforehand, and this game cannot list its scores; solve it \
for gain"
                )));
            }
        };
        if !facts.acyclic {
            values.push(0); // endless play
        }
        values.sort_unstable();
        values.dedup();
        if values.is_empty() || values.len() > MOST {
            return Err(Refusal::Other(format!(
                "{algorithm} tells 1 to {MOST} outcomes apart, and this game lists {}; solve it for gain",
                values.len()
            )));
        }
        Ok(Self::new(objective, values))
    }

    fn new(objective: Objective, values: Vec<i32>) -> Self {
        let (least, most) = (values[0], values[values.len() - 1]);
        let mut rank_of = vec![u16::MAX; most.abs_diff(least) as usize + 1];
        for (rank, &value) in values.iter().enumerate() {
            rank_of[value.abs_diff(least) as usize] = rank as u16;
        }
        Outcomes { objective, values, rank_of }
    }

    /// The same outcomes, but everything beyond `low` and `high` counts as `low` or `high`.
    ///
    /// A value found there is exact between the two, and a bound at either end.
    ///
    /// # Panics
    /// If no outcome lies between them.
    #[must_use]
    pub fn within(self, low: i32, high: i32) -> Self {
        Self::new(self.objective, self.values.into_iter().filter(|v| (low..=high).contains(v)).collect())
    }

    /// The questions that prove `value`: at least this much, and not the next better outcome.
    pub fn deciding_goals(&self, value: i32) -> impl Iterator<Item = usize> {
        let rank = self.values.iter().position(|&v| v == value);
        let (goals, rank) = (self.goals(), rank.expect("a value is an outcome"));
        rank.checked_sub(1).into_iter().chain((rank < goals).then_some(rank))
    }

    /// What the outcomes are outcomes of.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// How many goals: one less than outcomes.
    pub fn goals(&self) -> usize {
        self.values.len() - 1
    }

    /// What users see for a rank: the gain or the score of the first player.
    pub fn value(&self, rank: usize) -> i32 {
        self.values[rank]
    }

    /// The rank of a finished game.
    #[inline]
    pub fn rank(&self, payoff: ZeroSum) -> u16 {
        let value =
            self.objective.value(payoff, Player::FIRST).clamp(self.values[0], self.values[self.values.len() - 1]);
        let rank = self.rank_of[value.wrapping_sub(self.values[0]) as u32 as usize];
        debug_assert_ne!(rank, u16::MAX, "the game said that {value} cannot happen");
        rank
    }

    /// The worst and the best rank possible if the first player's score lies between these bounds.
    #[inline]
    pub fn ranks(&self, lower: i32, upper: i32) -> (u16, u16) {
        let value = |score: i32| match self.objective {
            Objective::Gain | Objective::Length => Gain::of_sign(score).value(),
            Objective::Score => score,
        };
        let (lower, upper) = (value(lower), value(upper));
        let worst = self.values.partition_point(|&v| v < lower);
        let best = self.values.partition_point(|&v| v <= upper).saturating_sub(1);
        (worst as u16, best as u16)
    }

    /// The rank of the outcome that `text` names: a value, or `loss`, `draw`, `win` under gain.
    pub fn parse(&self, text: &str) -> Result<usize, TextError> {
        let named = [Gain::Loss, Gain::Draw, Gain::Win].into_iter().find(|g| g.name() == text);
        let value = match (self.objective, named) {
            (Objective::Gain, Some(gain)) => Some(gain.value()),
            _ => text.parse().ok(),
        };
        let rank = value.and_then(|v| self.values.iter().position(|&w| w == v));
        rank.ok_or_else(|| {
            let list: Vec<String> = self.values.iter().map(|v| v.to_string()).collect();
            TextError::new(format!("goal must be an outcome of the game ({}), got \"{text}\"", list.join(" ")))
        })
    }

    /// What a window of ranks says in the user's terms.
    pub fn verdict(&self, window: Window) -> Verdict<ZeroSum> {
        let payoff = |rank: u16| ZeroSum(self.values[rank as usize]);
        if window == Window::full(self.goals()) && !window.closed() {
            return Verdict::Unknown;
        }
        Verdict::bounds(self.objective, payoff(window.pessimistic), payoff(window.optimistic))
    }
}

/// The numbers of a finished game whose outcome has rank `rank`.
pub fn settle(rank: u16, pairs: &mut [Pair]) {
    for (goal, pair) in pairs.iter_mut().enumerate() {
        *pair = if rank as usize > goal { Pair::PROVED } else { Pair::DISPROVED };
    }
}

/// The goals a search works on: all of a game's, or a single one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Every goal at once: multiple-outcome search.
    All,
    /// This one: proof-number search.
    Goal(usize),
}

impl Aim {
    /// Closes the goals that the worst and the best possible rank decide.
    #[inline]
    pub fn close(self, (worst, best): (u16, u16), pairs: &mut [Pair]) {
        for (index, pair) in pairs.iter_mut().enumerate() {
            let goal = if let Aim::Goal(goal) = self { goal } else { index };
            if usize::from(worst) > goal {
                *pair = Pair::PROVED;
            } else if usize::from(best) <= goal {
                *pair = Pair::DISPROVED;
            }
        }
    }

    /// The rank as far as the aim tells outcomes apart.
    #[inline]
    pub fn rank(self, rank: u16) -> u16 {
        match self {
            Aim::All => rank,
            Aim::Goal(goal) => u16::from(rank as usize > goal),
        }
    }

    /// A window over the aim's own outcomes, in ranks of all the game's outcomes.
    pub fn window(self, own: Window, outcomes: &Outcomes) -> Window {
        match self {
            Aim::All => own,
            Aim::Goal(goal) => Window {
                pessimistic: if own.pessimistic == 1 { goal as u16 + 1 } else { 0 },
                optimistic: if own.optimistic == 0 { goal as u16 } else { outcomes.goals() as u16 },
            },
        }
    }

    /// How many goals it keeps numbers for.
    pub fn count(self, outcomes: &Outcomes) -> usize {
        match self {
            Aim::All => outcomes.goals(),
            Aim::Goal(_) => 1,
        }
    }
}

/// How sure a guess makes each goal look: 0 … 1, falling from goal to goal.
///
/// The guess lies on the scale of the gain; goals are spread evenly over it.
pub fn likelihood(guess: f32, goal: usize, goals: usize) -> f32 {
    let middle = (2 * goal + 1) as f32 / goals as f32 - 1.0;
    (0.5 + (guess - middle) / 2.0).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perfectplay_core::Game as _;
    use perfectplay_games::connect_four::ConnectFour;

    #[test]
    fn ranks_are_ordered_for_the_first_player() {
        let game = ConnectFour::<u64>::new(4, 4);
        let gains = Outcomes::of(&game, Objective::Gain, "x").unwrap();
        assert_eq!([-5, 0, 3].map(|s| gains.rank(ZeroSum(s))), [0, 1, 2]);
        let scores = Outcomes::of(&game, Objective::Score, "x").unwrap();
        assert_eq!(scores.value(0), game.facts().outcomes.unwrap()[0]);
        assert_eq!(scores.goals() + 1, game.facts().outcomes.unwrap().len());
        let narrow = scores.clone().within(-1, 2);
        assert_eq!([-5, -1, 0, 2, 4].map(|s| narrow.rank(ZeroSum(s))), [0, 0, 1, 3, 3]);
        let deciding = |value| gains.deciding_goals(value).collect::<Vec<_>>();
        assert_eq!([-1, 0, 1].map(deciding), [vec![0], vec![0, 1], vec![1]]);
        assert_eq!(gains.parse("draw"), Ok(1));
        assert!(gains.parse("2").is_err());
    }

    #[test]
    fn better_goals_look_less_likely() {
        for guess in [-1.0, -0.3, 0.0, 0.8] {
            assert!(likelihood(guess, 0, 2) >= likelihood(guess, 1, 2));
        }
    }
}
