//! The rules of a game.

use std::fmt::Debug;
use std::hash::Hash;

use crate::{Budget, Codec, Drawing, Estimate, Facts, Payoff, Perft, Player, Stop, TextError};

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

/// A move, where it leads, and what is proved about that state at first sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prospect<S, M> {
    /// The move.
    pub mv: M,
    /// The state after it.
    pub state: S,
    /// The first player's score there is at least this.
    pub lower: i32,
    /// The first player's score there is at most this.
    pub upper: i32,
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

    /// Plays uniformly random moves from `state` on until the game is over, but at most `most` of them; answers what it was
    /// worth (`None` if it did not end) and how many moves were played.
    ///
    /// `below(n)` draws a number from 0 to n - 1; `moves` is scratch space. Override where a board
    /// made for playouts is faster than states.
    fn playout(
        &self,
        mut state: Self::State,
        most: u32,
        moves: &mut Vec<Self::Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<Self::Payoff>, u32) {
        crate::playout::playout(self, &mut state, most, moves, below)
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

    /// The part of `player` in [`Game::heuristic`]. Searches for many players ask for a part only when they compare it:
    /// override it where a part costs less than the whole.
    ///
    /// Law: equal to the part of the whole guess.
    fn heuristic_of(&self, state: &Self::State, player: Player) -> f32 {
        self.heuristic(state).of(player)
    }

    /// How keys and moves are written into files that another run of the program reads; `None` if nobody said so, and then
    /// searches of this game cannot be saved.
    fn codec(&self) -> Option<Codec<Self::Key, Self::Move>> {
        None
    }

    /// Whether a state has the same key in every run of the program. Not so where keys hold numbers given in the order in
    /// which states were asked about: then searches that keep keys alone cannot be saved.
    fn lasting_keys(&self) -> bool {
        true
    }

    // ── hooks for alpha-beta: all may stay as they are; they change the speed, never a value ──

    /// Bounds on the first player's score under best play, proved by looking at this state alone.
    ///
    /// Law: the true score lies within them, in finished states as well. A solver that gets `lower == upper` looks no
    /// further.
    fn score_bounds(&self, _state: &Self::State) -> (i32, i32) {
        (i32::MIN, i32::MAX)
    }

    /// The moves that a solver must look at, the most promising first, with the states they lead to; or how the game ended.
    ///
    /// Like [`Game::expand`], but it may leave out a move if another one that it lists, or the bound for the mover that
    /// [`Game::score_bounds`] proves, is at least as good. Solvers ask only where those bounds leave something open.
    /// Override it where bounds and order of all successors are cheaper to find together. `moves` is scratch space.
    fn prospects(
        &self,
        state: &Self::State,
        moves: &mut Vec<Self::Move>,
        prospects: &mut Vec<Prospect<Self::State, Self::Move>>,
    ) -> Status<Self::Payoff> {
        moves.clear();
        let status = self.expand(state, moves);
        prospects.extend(moves.iter().map(|&mv| {
            let state = self.after(state, mv);
            let (lower, upper) = self.score_bounds(&state);
            Prospect { mv, state, lower, upper }
        }));
        status
    }

    /// How promising a legal move looks: greater is searched earlier.
    fn promise(&self, _state: &Self::State, _mv: Self::Move) -> i32 {
        0
    }

    /// A number that a move shares with moves like it in other states (from where to where, which cell …): searches keep
    /// statistics by it. Provided: all moves are alike.
    fn move_slot(&self, _state: &Self::State, _mv: Self::Move) -> usize {
        0
    }

    /// Pushes the legal moves that upset an unfinished state so much (captures, promotions …) that guessing before they
    /// are played out is unwise. Quiescence search follows them beyond its depth.
    fn noisy_moves(&self, _state: &Self::State, _moves: &mut Vec<Self::Move>) {}

    /// The state in which the mover has given up its turn; `None` where that says nothing (or the rules have no such idea).
    ///
    /// The null-move heuristic takes it that having the move is worth something there, so do not offer it in zugzwang-prone
    /// states. It need not be a legal move.
    fn pass(&self, _state: &Self::State) -> Option<Self::State> {
        None
    }

    /// How many bits [`Game::code`] takes; 0 if states have no code.
    fn code_bits(&self) -> u32 {
        0
    }

    /// A number below 2^[`Game::code_bits`] that this state shares with its images under symmetry at most.
    ///
    /// Tables that may not confuse states and have no room for whole keys rest on it.
    fn code(&self, _state: &Self::State) -> u64 {
        0
    }
}
