//! What a finished game is worth, exactly; and, under another type, what somebody thinks an unfinished one is worth.
//!
//! The papers keep two functions on finished games apart: the *gain* f_b, which is loss, draw or win for each player,
//! and the *terminal evaluation* f_t, which says more (a score, a distance). Here every [`Payoff`] answers both:
//! [`Payoff::gain`] and [`Payoff::score`].
//!
//! Exact values are `Payoff`s. Guesses are [`Estimate`]s. Nothing turns the second into the first.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::atomic::{self, AtomicU32};

use crate::{FullGame, Plain, Player, Visitor};

/// The gain f_b of one player: what everybody means by losing, drawing and winning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
pub enum Gain {
    /// -1
    Loss = -1,
    /// 0
    Draw = 0,
    /// +1
    Win = 1,
}

impl Gain {
    /// The gain that has the sign of `score`.
    pub const fn of_sign(score: i32) -> Self {
        match score {
            i32::MIN..=-1 => Gain::Loss,
            0 => Gain::Draw,
            1.. => Gain::Win,
        }
    }

    /// -1, 0 or 1.
    pub const fn value(self) -> i32 {
        self as i32
    }

    /// `loss`, `draw` or `win`.
    pub const fn name(self) -> &'static str {
        match self {
            Gain::Loss => "loss",
            Gain::Draw => "draw",
            Gain::Win => "win",
        }
    }
}

/// What a solver is asked to settle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Objective {
    /// Win, draw or loss. With three players and more, equal gains are told apart by the score (Cohen-Solal 2021, Def.
    /// 12).
    #[default]
    Gain,
    /// The game's own score.
    Score,
    /// Win, draw or loss, and how soon: two opposed players, the winner in a hurry, the loser not. Values are then not
    /// payoffs of the game but numbers of plies (see [`Objective::finished`] and [`Objective::before`]).
    Length,
}

impl Objective {
    /// All there are.
    pub const ALL: [Objective; 3] = [Objective::Gain, Objective::Score, Objective::Length];

    /// What `payoff` is worth to `player` under this objective, as it is shown to users.
    pub fn value<P: Payoff>(self, payoff: P, player: Player) -> i32 {
        match self {
            Objective::Gain | Objective::Length => payoff.gain(player).value(),
            Objective::Score => payoff.score(player),
        }
    }

    /// Which of two payoffs `player` prefers.
    pub fn compare<P: Payoff>(self, player: Player, a: P, b: P) -> Ordering {
        let rank = |p: P| match self {
            Objective::Gain if P::ZERO_SUM => (p.gain(player), 0),
            Objective::Gain => (p.gain(player), p.score(player)),
            Objective::Score | Objective::Length => (Gain::Draw, p.score(player)),
        };
        rank(a).cmp(&rank(b))
    }

    /// What to say to somebody who names another: `gain, score or length`.
    pub fn names_in_words() -> String {
        let [others @ .., last] = Self::ALL.map(Self::name);
        format!("{} or {last}", others.join(", "))
    }

    /// What it means, in a line of help.
    pub const fn meaning(self) -> &'static str {
        match self {
            Objective::Gain => "Win, draw or loss",
            Objective::Score => "The game's own score",
            Objective::Length => "Win, draw or loss, and in how many plies: the fastest win, the slowest loss",
        }
    }

    /// The objective that has this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|objective| objective.name() == name)
    }

    /// `gain`, `score` or `length`.
    pub const fn name(self) -> &'static str {
        match self {
            Objective::Gain => "gain",
            Objective::Score => "score",
            Objective::Length => "length",
        }
    }
}

impl std::fmt::Display for Objective {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The exact worth of a finished game to each player.
///
/// There are two families: [`ZeroSum`] for two players whose interests are opposed, and [`Scores`] for everything else.
pub trait Payoff: Plain + Eq + Hash + Debug + Send + Sync + 'static {
    /// For how many players there is room: all of them, but for [`UpToSix`].
    const PLAYERS: usize;
    /// Whether there are two players and what one gains the other loses.
    const ZERO_SUM: bool;
    /// The guess that stands where a payoff of this kind is not known.
    type Estimate: Estimate;

    /// `winner` wins, everybody else loses; scores are the gains.
    fn win_for(winner: Player) -> Self;
    /// Nobody wins; all scores 0.
    fn draw() -> Self;
    /// The payoff with these scores (one per player). The best score wins and the worst loses; if all are equal it is a
    /// draw.
    fn from_scores(scores: &[i32]) -> Self;
    /// f_b: loss, draw or win for `player`.
    fn gain(self, player: Player) -> Gain;
    /// The game's own score for `player`.
    fn score(self, player: Player) -> i32;
    /// Whether so many players can share it.
    fn fits(players: usize) -> bool {
        players == Self::PLAYERS
    }
    /// How many players share it.
    fn players(self) -> usize {
        Self::PLAYERS
    }
    /// This payoff as a guess that happens to be right: gains, or scores.
    fn estimate(self, objective: Objective) -> Self::Estimate {
        Self::Estimate::from_fn(|p| objective.value(self, p) as f32)
    }
    /// Hands `game` to the visitor's method for this kind of payoff.
    fn accept<G: FullGame<Payoff = Self>, V: Visitor>(game: G, visitor: V) -> V::Output;
}

/// A guess at the worth of an unfinished game to each player.
pub trait Estimate: Plain + PartialEq + Debug + Send + Sync + 'static {
    /// Made from each player's part. [`f32`] asks for the first player's only.
    fn from_fn(part: impl FnMut(Player) -> f32) -> Self;
    /// The part of `player`.
    fn of(self, player: Player) -> f32;
    /// Room for a guess in memory that threads share: every part is read and written whole, for itself.
    type Parts: Debug + Send + Sync + 'static;
    /// Such room, with this guess in it.
    fn parts(self) -> Self::Parts;
    /// Reads all parts.
    fn read(parts: &Self::Parts) -> Self;
    /// Writes all parts.
    fn write(self, parts: &Self::Parts);
}

/// The guess for a zero-sum game: the first player's part.
impl Estimate for f32 {
    type Parts = AtomicU32;

    fn parts(self) -> AtomicU32 {
        AtomicU32::new(self.to_bits())
    }

    #[inline]
    fn read(parts: &AtomicU32) -> f32 {
        f32::from_bits(parts.load(atomic::Ordering::Relaxed))
    }

    #[inline]
    fn write(self, parts: &AtomicU32) {
        parts.store(self.to_bits(), atomic::Ordering::Relaxed);
    }

    fn from_fn(mut part: impl FnMut(Player) -> f32) -> Self {
        part(Player::FIRST)
    }

    fn of(self, player: Player) -> f32 {
        if player == Player::FIRST { self } else { -self }
    }
}

impl<const N: usize> Estimate for [f32; N] {
    type Parts = [AtomicU32; N];

    fn parts(self) -> [AtomicU32; N] {
        self.map(f32::parts)
    }

    #[inline]
    fn read(parts: &[AtomicU32; N]) -> Self {
        parts.each_ref().map(f32::read)
    }

    #[inline]
    fn write(self, parts: &[AtomicU32; N]) {
        self.iter().zip(parts).for_each(|(part, room)| part.write(room));
    }

    fn from_fn(mut part: impl FnMut(Player) -> f32) -> Self {
        std::array::from_fn(|i| part(Player::new(i)))
    }

    fn of(self, player: Player) -> f32 {
        self[player.index()]
    }
}

/// Two players, opposed interests: the score of the first player. Its sign is the gain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ZeroSum(pub i32);

impl Payoff for ZeroSum {
    const PLAYERS: usize = 2;
    const ZERO_SUM: bool = true;
    type Estimate = f32;

    fn win_for(winner: Player) -> Self {
        ZeroSum(if winner == Player::FIRST { 1 } else { -1 })
    }

    fn draw() -> Self {
        ZeroSum(0)
    }

    fn from_scores(scores: &[i32]) -> Self {
        assert!(scores.len() == 2 && scores[0] == -scores[1], "two opposed scores");
        ZeroSum(scores[0])
    }

    fn gain(self, player: Player) -> Gain {
        Gain::of_sign(self.score(player))
    }

    fn score(self, player: Player) -> i32 {
        if player == Player::FIRST { self.0 } else { -self.0 }
    }

    fn accept<G: FullGame<Payoff = Self>, V: Visitor>(game: G, visitor: V) -> V::Output {
        visitor.zero_sum(game)
    }
}

/// Any number of players, each with a gain and a score of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scores<const N: usize> {
    /// f_b for each player.
    pub gains: [Gain; N],
    /// The game's own score for each player.
    pub scores: [i32; N],
}

impl<const N: usize> Payoff for Scores<N> {
    const PLAYERS: usize = N;
    const ZERO_SUM: bool = false;
    type Estimate = [f32; N];

    fn win_for(winner: Player) -> Self {
        let gains = std::array::from_fn(|i| if i == winner.index() { Gain::Win } else { Gain::Loss });
        Scores { gains, scores: gains.map(Gain::value) }
    }

    fn draw() -> Self {
        Scores { gains: [Gain::Draw; N], scores: [0; N] }
    }

    fn from_scores(scores: &[i32]) -> Self {
        let scores: [i32; N] = scores.try_into().expect("one score per player");
        let (best, worst) = scores.iter().fold((i32::MIN, i32::MAX), |(b, w), &s| (b.max(s), w.min(s)));
        let gains = scores.map(|s| match s {
            _ if best == worst => Gain::Draw,
            s if s == best => Gain::Win,
            s if s == worst => Gain::Loss,
            _ => Gain::Draw,
        });
        Scores { gains, scores }
    }

    fn gain(self, player: Player) -> Gain {
        self.gains[player.index()]
    }

    fn score(self, player: Player) -> i32 {
        self.scores[player.index()]
    }

    fn accept<G: FullGame<Payoff = Self>, V: Visitor>(game: G, visitor: V) -> V::Output {
        visitor.scores(game)
    }
}

/// [`Scores`] of two to six players in one type, so that algorithms can be compiled once for all of them. How many
/// there are, [`Facts`](crate::Facts) say; whoever is not there has a draw and no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UpToSix {
    players: u8,
    scores: Scores<6>,
}

impl UpToSix {
    pub(crate) const fn new(players: u8, scores: Scores<6>) -> Self {
        UpToSix { players, scores }
    }

    pub(crate) const fn parts(self) -> (u8, Scores<6>) {
        (self.players, self.scores)
    }
}

impl<const N: usize> From<Scores<N>> for UpToSix {
    fn from(payoff: Scores<N>) -> Self {
        let gains = std::array::from_fn(|i| payoff.gains.get(i).copied().unwrap_or(Gain::Draw));
        let scores = std::array::from_fn(|i| payoff.scores.get(i).copied().unwrap_or(0));
        UpToSix { players: N as u8, scores: Scores { gains, scores } }
    }
}

impl Payoff for UpToSix {
    const PLAYERS: usize = 6;
    const ZERO_SUM: bool = false;
    type Estimate = [f32; 6];

    fn win_for(winner: Player) -> Self {
        Scores::<6>::win_for(winner).into()
    }

    fn draw() -> Self {
        Scores::<6>::draw().into()
    }

    fn from_scores(scores: &[i32]) -> Self {
        match scores.len() {
            2 => Scores::<2>::from_scores(scores).into(),
            3 => Scores::<3>::from_scores(scores).into(),
            4 => Scores::<4>::from_scores(scores).into(),
            5 => Scores::<5>::from_scores(scores).into(),
            _ => Scores::<6>::from_scores(scores).into(),
        }
    }

    fn gain(self, player: Player) -> Gain {
        self.scores.gain(player)
    }

    fn score(self, player: Player) -> i32 {
        self.scores.score(player)
    }

    fn players(self) -> usize {
        self.players.into()
    }

    fn fits(players: usize) -> bool {
        (2..=Self::PLAYERS).contains(&players)
    }

    fn accept<G: FullGame<Payoff = Self>, V: Visitor>(game: G, visitor: V) -> V::Output {
        visitor.up_to_six(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn podium_scores_make_the_best_win_and_the_worst_lose() {
        let p = Scores::<4>::from_scores(&[1, 3, 0, 2]);
        assert_eq!(p.gains, [Gain::Draw, Gain::Win, Gain::Loss, Gain::Draw]);
        assert_eq!(Scores::<3>::from_scores(&[2, 2, 2]).gains, [Gain::Draw; 3]);
    }

    #[test]
    fn who_is_not_there_has_nothing() {
        let payoff = UpToSix::from(Scores::<4>::from_scores(&[1, 3, 0, 2]));
        assert_eq!((payoff.players(), payoff), (4, UpToSix::from_scores(&[1, 3, 0, 2])));
        assert_eq!(Player::all(6).map(|p| payoff.score(p)).collect::<Vec<_>>(), [1, 3, 0, 2, 0, 0]);
        assert_eq!(Player::all(6).map(|p| payoff.gain(p).value()).collect::<Vec<_>>(), [0, 1, -1, 0, 0, 0]);
    }

    #[test]
    fn gains_come_before_scores_and_scores_break_ties_only_among_several_players() {
        let better = Scores::<3> { gains: [Gain::Draw; 3], scores: [2, 0, 0] };
        let worse = Scores::<3> { gains: [Gain::Draw; 3], scores: [1, 5, 0] };
        assert_eq!(Objective::Gain.compare(Player::FIRST, better, worse), Ordering::Greater);
        assert_eq!(Objective::Gain.compare(Player::FIRST, ZeroSum(9), ZeroSum(1)), Ordering::Equal);
        assert_eq!(Objective::Score.compare(Player::SECOND, ZeroSum(9), ZeroSum(1)), Ordering::Less);
    }
}
