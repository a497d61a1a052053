//! What a mover does if two vectors give it the same.
//!
//! maxⁿ finds one equilibrium, and ties decide which: the mover does not care, the others may. So the rule is an
//! explicit option, and pruning must respect it: a branch that can only tie may be cut where the earlier one wins ties,
//! and may not be where it does not.

use perfectplay_core::{Choice, Setting};

use crate::oracle::equilibria::FIRST_IN_THE_RULES;

/// Which of two vectors that are equal to the mover it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ties {
    /// The one of the move that comes first in the rules, in whatever order moves are looked at.
    Leftmost,
    /// The one that gives the root's player less (everybody suspects the root of the worst); then leftmost. The root's
    /// player itself takes the leftmost. Values depend on who is at the root, so tables live as long as one root.
    MinimiseRoot,
    /// The one that gives less to the next player in seat order, then to the one after it, and so on: a total order on
    /// vectors for each player. The value is then unique, whatever the order of moves; of equal vectors the leftmost.
    Order,
}

impl Ties {
    /// Which move it is.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Ties::Leftmost => FIRST_IN_THE_RULES,
            Ties::MinimiseRoot => "the one that gives the player at the root least",
            Ties::Order => "the one that gives the next players least",
        }
    }
}

pub(crate) const TIES: Setting<Choice<Ties>> = Setting::choice(
    "ties",
    "which of several moves that are equal to the mover",
    &[
        ("leftmost", "", Ties::Leftmost),
        ("minimise-root", "least for the player at the root", Ties::MinimiseRoot),
        ("order", "least for the next player, then the next …", Ties::Order),
    ],
);
