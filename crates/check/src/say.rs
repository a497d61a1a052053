//! What is proved, in words.

use perfectplay_core::{Gain, Objective, plies_of};

use crate::format::{Claim, Part};
use crate::open::Proof;

impl Proof {
    /// The value: `player 1 wins`, `draw`, `player 2 wins by 8`, `(1, -1, 0)` …
    pub fn value_in_words(&self) -> String {
        match (&self.header.claim, self.header.objective) {
            (Claim::Value(0), _) => "draw".into(),
            (Claim::Value(value), Objective::Gain) => format!("player {} wins", winner(*value)),
            (Claim::Value(value), Objective::Length) => {
                let plies = if plies_of(*value) == 1 { "ply" } else { "plies" };
                format!("player {} wins in {} {plies}", winner(*value), plies_of(*value))
            }
            (Claim::Value(value), Objective::Score) => format!("player {} wins by {}", winner(*value), value.abs()),
            (Claim::Equilibrium(payoff), objective) => {
                let won: Vec<usize> = (1..).zip(payoff).filter(|(_, p)| p.0 == Gain::Win).map(|(i, _)| i).collect();
                match (objective, won.as_slice()) {
                    (Objective::Gain, [one]) => format!("player {one} wins"),
                    _ => list(&self.values()),
                }
            }
        }
    }

    /// What every player gets.
    pub fn values(&self) -> Vec<i32> {
        match (&self.header.claim, self.header.objective) {
            (Claim::Value(value), Objective::Length) => vec![value.signum(), -value.signum()],
            (Claim::Value(value), _) => vec![*value, -value],
            (Claim::Equilibrium(payoff), Objective::Gain | Objective::Length) => {
                payoff.iter().map(|p| p.0.value()).collect()
            }
            (Claim::Equilibrium(payoff), Objective::Score) => payoff.iter().map(|p| p.1).collect(),
        }
    }

    /// One sentence per thing that is proved.
    pub fn sentences(&self) -> Vec<String> {
        if self.parts.is_empty() && !matches!(self.header.claim, Claim::Equilibrium(_)) {
            return vec!["the game is over in this position".into()];
        }
        let mut sentences: Vec<String> = self.parts.iter().map(|checked| self.sentence(checked.part)).collect();
        if let (Claim::Value(value), [only]) = (&self.header.claim, self.parts.as_slice()) {
            let most = if only.part == Part::AtLeast { "more" } else { "less" };
            sentences.push(match self.header.objective {
                Objective::Length => "nobody wins a game that goes on in less than one ply".into(),
                Objective::Gain => {
                    format!("nobody can get more than that: {} is the most there is", outcome(value.abs()))
                }
                Objective::Score => format!("the rules allow player 1 no {most} than {value:+}"),
            });
        }
        sentences
    }

    fn sentence(&self, part: Part) -> String {
        let (owner, sign) = match part {
            Part::AtLeast => (1, 1),
            Part::AtMost => (2, -1),
            Part::Equilibrium => {
                return format!(
                    "if all play as written, the players get {}, and nobody gains by another move, there or after any \
                     other move",
                    list(&self.values())
                );
            }
        };
        let value = match &self.header.claim {
            Claim::Value(value) => sign * value,
            Claim::Equilibrium(_) => 0,
        };
        match self.header.objective {
            Objective::Length if value > 0 => {
                format!("player {owner} has a strategy that wins within {} plies", plies_of(value))
            }
            Objective::Length if value < 0 => {
                format!("player {owner} has a strategy that is not lost within {} plies", plies_of(value) - 1)
            }
            Objective::Gain if value > 0 => format!("player {owner} has a strategy that always wins"),
            Objective::Gain | Objective::Length => format!("player {owner} has a strategy that never loses"),
            Objective::Score => format!("player {owner} has a strategy that always gets at least {value:+}"),
        }
    }
}

fn winner(value: i32) -> usize {
    if value > 0 { 1 } else { 2 }
}

fn outcome(value: i32) -> &'static str {
    if value > 0 { "a win" } else { "a draw" }
}

fn list(values: &[i32]) -> String {
    let parts: Vec<String> = values.iter().map(i32::to_string).collect();
    format!("({})", parts.join(", "))
}
