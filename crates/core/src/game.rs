//! The rules of a game.

use std::fmt::Debug;
use std::hash::Hash;

use crate::{Budget, Drawing, Estimate, Facts, Payoff, Perft, Player, Stop, TextError};

/// Whose turn it is, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status<P> {
    /// This player must choose one of the moves.
    Turn(Player),
    /// The game is over and this is what it was worth.
    Over(P),
}

impl<P> Status<P> {
    /// The player to move, if the game is not over.
    pub fn mover(&self) -> Option<Player> {
        match self {
            Status::Turn(player) => Some(*player),
            Status::Over(_) => None,
        }
    }
}

/// The rules, as a value: board size and variant live in `self`.
///
/// Both two players and many share one convention: *the mover maximises its own part of the payoff*. There is no sign
/// to flip, so double moves and passes need no special care.
///
/// Laws (checked by `testkit`):
/// - `expand` is deterministic; it pushes at least one move if it answers [`Status::Turn`] and none otherwise;
/// - equal keys ⇔ equal states, among the states of one game value;
/// - every text written can be read back;
/// - what [`Game::facts`] says holds.
pub trait Game: Sized + Send + Sync + 'static {
    /// A position with everything that decides its future.
    type State: Clone + Eq + Debug + Send + Sync + 'static;
    /// One choice of the mover.
    type Move: Copy + Eq + Debug + Send + Sync + 'static;
    /// [`crate::ZeroSum`] or [`crate::Scores`].
    type Payoff: Payoff;
    /// Identifies a state exactly: a claim of proof may rest on it. Its `Hash` feeds all of it to the hasher, as a derived
    /// one does.
    type Key: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;

    /// Whether the catalog compiles every algorithm for this very type. That is the fastest way to search and costs
    /// seconds of compile time per type and algorithm; other games are searched behind a box.
    const NATIVE: bool = false;

    /// The state in which the game begins.
    fn start(&self) -> Self::State;

    /// Pushes the legal moves onto `moves` (which it does not clear) and says whose they are; or says how the game ended.
    ///
    /// One call, because many games learn that they are over only by generating moves.
    fn expand(&self, state: &Self::State, moves: &mut Vec<Self::Move>) -> Status<Self::Payoff>;

    /// Plays a legal move.
    fn play(&self, state: &mut Self::State, mv: Self::Move);

    /// The exact key of a state.
    fn key(&self, state: &Self::State) -> Self::Key;

    /// What is true of this game.
    fn facts(&self) -> Facts;

    /// Whose turn it is or how the game ended, without the moves. Override where that is cheaper than `expand`.
    fn status(&self, state: &Self::State) -> Status<Self::Payoff> {
        self.expand(state, &mut Vec::new())
    }

    /// The state after `mv`.
    fn after(&self, state: &Self::State, mv: Self::Move) -> Self::State {
        let mut next = state.clone();
        self.play(&mut next, mv);
        next
    }

    /// A legal move chosen uniformly, or how the game ended. `below(n)` draws a number from 0 to n - 1; `moves` is
    /// scratch space. Override where that is faster than listing all moves.
    fn random_move(
        &self,
        state: &Self::State,
        moves: &mut Vec<Self::Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Self::Move, Self::Payoff> {
        crate::playout::random_move(self, state, moves, below)
    }

    /// Counts move sequences: see [`perft`](crate::perft). Only a wrapper has reason to override this.
    fn perft(&self, state: &Self::State, depth: usize, finished: bool, budget: &Budget) -> Result<Perft, Stop>
    where
        Self: Sized,
    {
        crate::perft(self, state, depth, finished, budget)
    }

    // ── text ──

    /// The position in the notation its players use (FEN where there is one).
    fn position_text(&self, state: &Self::State) -> String;

    /// Reads what [`Game::position_text`] writes. Refuses what cannot be a position of this game.
    fn parse_position(&self, text: &str) -> Result<Self::State, TextError>;

    /// A legal move as players write it.
    fn move_text(&self, state: &Self::State, mv: Self::Move) -> String;

    /// Reads a legal move. Provided: compares `text` with the text of every legal move, then again ignoring case.
    fn parse_move(&self, state: &Self::State, text: &str) -> Result<Self::Move, TextError> {
        let mut moves = Vec::new();
        if let Status::Over(_) = self.expand(state, &mut moves) {
            return Err(TextError::new(format!("no move can be played: the game is over (got \"{text}\")")));
        }
        let texts: Vec<String> = moves.iter().map(|&m| self.move_text(state, m)).collect();
        let found = texts.iter().position(|t| t == text).or_else(|| {
            let mut same = texts.iter().enumerate().filter(|(_, t)| t.eq_ignore_ascii_case(text));
            match (same.next(), same.next()) {
                (Some((i, _)), None) => Some(i),
                _ => None,
            }
        });
        found.map(|i| moves[i]).ok_or_else(|| TextError::illegal_move(text, &texts))
    }

    /// The position as a board that can be drawn. Provided: the position's text.
    fn drawing(&self, state: &Self::State) -> Drawing {
        Drawing::text(self.position_text(state))
    }

    // ── optional capabilities ──

    /// How many symmetries the rules have, the identity (index 0) among them.
    fn symmetries(&self) -> usize {
        1
    }

    /// The image of a state under symmetry `index`.
    fn transform(&self, state: &Self::State, index: usize) -> Self::State {
        debug_assert_eq!(index, 0, "this game declares no symmetry but the identity");
        state.clone()
    }

    /// The image of a legal move of `state` under symmetry `index`: playing it commutes with [`Game::transform`].
    fn transform_move(&self, _state: &Self::State, mv: Self::Move, index: usize) -> Self::Move {
        debug_assert_eq!(index, 0, "this game declares no symmetry but the identity");
        mv
    }

    /// One key for a state and all its images. Override where the least image can be found faster.
    fn canonical_key(&self, state: &Self::State) -> Self::Key {
        let images = (1..self.symmetries()).map(|i| self.key(&self.transform(state, i)));
        images.fold(self.key(state), Ord::min)
    }

    /// A hand-written guess at the worth of a state, on the scale of the gain (-1 … 1) for every player.
    ///
    /// Only asked of unfinished states, and only if the facts say that there is one.
    fn heuristic(&self, _state: &Self::State) -> <Self::Payoff as Payoff>::Estimate {
        Estimate::from_fn(|_| 0.0)
    }
}
