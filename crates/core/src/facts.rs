//! What a game says about itself, so that an algorithm can tell whether it applies.

use crate::Payoff;

/// True statements about a game. The laws in `testkit` check them; debug builds rely on them.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// How many players.
    pub players: usize,
    /// Whether all scores of a finished game add up to 0.
    pub zero_sum: bool,
    /// Whether no position can occur twice in one game. If not, values may not be found by plain induction.
    pub acyclic: bool,
    /// Whether the turn passes to the next player in cyclic order after every move.
    pub alternating: bool,
    /// Whether the state carries the past (repetition counts, superko …), so that transpositions hardly ever meet.
    pub history: bool,
    /// The least and the greatest score each player can end with: true bounds, perhaps loose.
    pub scores: Vec<(i32, i32)>,
    /// The least and the greatest sum of all scores.
    pub sum: (i32, i32),
    /// All outcomes that can happen, as scores of the first player, worst first; `None` if they cannot be listed.
    pub outcomes: Option<Vec<i32>>,
    /// No game takes more moves than this; `None` if no bound is known.
    pub length: Option<u32>,
    /// There are at most this many states; `None` if no bound is known.
    pub states: Option<f64>,
    /// Whether [`crate::Heuristic::heuristic`] says more than nothing.
    pub heuristic: bool,
}

impl Facts {
    /// The facts of an acyclic game with strictly alternating turns in which players only win, draw and lose.
    pub fn win_draw_loss<P: Payoff>() -> Self {
        Facts {
            players: P::PLAYERS,
            zero_sum: P::ZERO_SUM,
            acyclic: true,
            alternating: true,
            history: false,
            scores: vec![(-1, 1); P::PLAYERS],
            sum: if P::ZERO_SUM { (0, 0) } else { (2 - P::PLAYERS as i32, 0) },
            outcomes: Some(vec![-1, 0, 1]),
            length: None,
            states: None,
            heuristic: false,
        }
    }
}
