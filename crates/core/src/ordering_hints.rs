//! What a game can tell alpha-beta about its moves. All may stay as it is: it changes the speed, never a value.

use crate::{Heuristic, Player, Status};

/// What move ordering and its companions go by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderHint {
    /// [`OrderingHints::order_score`].
    pub score: i32,
    /// [`OrderingHints::history_index`].
    pub history: usize,
}

/// What a search of limited depth wants to know at the end of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaf<S, P> {
    /// Whose turn it is, or how the game ended.
    pub status: Status<P>,
    /// The part of the player that was asked for in [`Heuristic::heuristic`]; 0 if nobody was, or the game is over.
    pub guess: f32,
    /// The state there, if noisy moves begin in it. Most leaves have none, and states are dear to hand on.
    pub noisy: Option<S>,
}

/// Move order scores, indices for history tables, noisy moves for quiescence search, null moves.
pub trait OrderingHints: Heuristic {
    /// How promising a legal move looks: greater is searched earlier.
    fn order_score(&self, _state: &Self::State, _mv: Self::Move) -> i32 {
        0
    }

    /// A number that a move shares with moves like it in other states (from where to where, which cell …): searches
    /// keep statistics by it. Provided: all moves are alike.
    fn history_index(&self, _state: &Self::State, _mv: Self::Move) -> usize {
        0
    }

    /// Pushes both for each of these moves. Only a wrapper has reason to override this.
    fn order_hints(&self, state: &Self::State, moves: &[Self::Move], hints: &mut Vec<OrderHint>) {
        let hint = |&mv| OrderHint { score: self.order_score(state, mv), history: self.history_index(state, mv) };
        hints.extend(moves.iter().map(hint));
    }

    /// Pushes the legal moves that upset an unfinished state so much (captures, promotions …) that guessing before they
    /// are played out is unwise. Quiescence search follows them beyond its depth.
    fn noisy_moves(&self, _state: &Self::State, _moves: &mut Vec<Self::Move>) {}

    /// The state in which the mover has given up its turn; `None` where that says nothing (or the rules have no such
    /// idea).
    ///
    /// The null-move heuristic takes it that having the move is worth something there, so do not offer it in
    /// zugzwang-prone states. It need not be a legal move.
    fn null_move(&self, _state: &Self::State) -> Option<Self::State> {
        None
    }

    /// Plays the last move of a line and says all that a search asks there: one call, because most states are leaves.
    /// If the game goes on, tells the guess for `player`, and pushes the noisy moves if there is a list for them.
    /// Override it where these share work.
    #[inline]
    fn leaf(
        &self,
        state: &Self::State,
        mv: Self::Move,
        player: Option<Player>,
        noisy: Option<&mut Vec<Self::Move>>,
    ) -> Leaf<Self::State, Self::Payoff> {
        let state = self.after(state, mv);
        let mut leaf = Leaf { status: self.status(&state), guess: 0.0, noisy: None };
        if let Status::Turn(_) = leaf.status {
            leaf.guess = player.map_or(0.0, |player| self.heuristic_of(&state, player));
            if let Some(moves) = noisy {
                let before = moves.len();
                self.noisy_moves(&state, moves);
                leaf.noisy = (moves.len() > before).then_some(state);
            }
        }
        leaf
    }
}
