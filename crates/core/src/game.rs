//! The rules of a game, and nothing else.
//!
//! What an engine would like to know beyond the rules are capabilities, traits of their own ([`crate::Notation`],
//! [`crate::Symmetric`], [`crate::Playouts`], [`crate::Heuristic`], [`crate::Features`], [`crate::SolverHints`],
//! [`crate::OrderingHints`], [`crate::Persist`]), most of whose methods have answers already: an empty `impl` will do.

use std::fmt::Debug;
use std::hash::Hash;

use crate::{
    Facts, Features, Heuristic, Notation, OrderingHints, Payoff, Persist, Plain, Player, Playouts, SolverHints,
    Symmetric,
};

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

    /// The same with another kind of payoff.
    #[inline]
    pub fn map<Q>(self, f: impl FnOnce(P) -> Q) -> Status<Q> {
        match self {
            Status::Turn(player) => Status::Turn(player),
            Status::Over(payoff) => Status::Over(f(payoff)),
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
/// - what [`Game::facts`] says holds.
pub trait Game: Sized + Send + Sync + 'static {
    /// A position with everything that decides its future, as plain data. A game in which the past matters keeps it in
    /// its own value and puts its number into the state.
    type State: Eq + Debug + Send + Sync + Plain;
    /// One choice of the mover.
    type Move: Eq + Debug + Send + Sync + Plain;
    /// [`crate::ZeroSum`] or [`crate::Scores`].
    type Payoff: Payoff;
    /// Identifies a state exactly: a claim of proof may rest on it. Its `Hash` feeds all of it to the hasher, as a
    /// derived one does.
    type Key: Eq + Ord + Hash + Debug + Send + Sync + Plain;

    /// The state in which the game begins.
    fn start(&self) -> Self::State;

    /// Pushes the legal moves onto `moves` (which it does not clear) and says whose they are; or says how the game
    /// ended.
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
    #[inline]
    fn after(&self, state: &Self::State, mv: Self::Move) -> Self::State {
        let mut next = *state;
        self.play(&mut next, mv);
        next
    }

    /// Like [`Game::expand`], and for every move the state it leads to, with its key.
    #[inline]
    fn children(
        &self,
        state: &Self::State,
        moves: &mut Vec<Self::Move>,
        children: &mut Vec<(Self::State, Self::Key)>,
    ) -> Status<Self::Payoff> {
        let first = moves.len();
        let status = self.expand(state, moves);
        children.extend(moves[first..].iter().map(|&mv| {
            let child = self.after(state, mv);
            (child, self.key(&child))
        }));
        status
    }
}

/// A game with all its capabilities: what searches ask for.
pub trait FullGame:
    Game + Notation + Symmetric + Playouts + Heuristic + Features + SolverHints + OrderingHints + Persist
{
}

impl<G> FullGame for G where
    G: Game + Notation + Symmetric + Playouts + Heuristic + Features + SolverHints + OrderingHints + Persist
{
}
