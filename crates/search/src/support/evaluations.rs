//! What states are worth: the terminal evaluations f_t of finished games, and evaluations f_θ of unfinished ones.
//!
//! All that a search with completion proves rests on the gain f_b. f_t and f_θ only guide it: they decide which of two
//! wins is preferred, and where to look first.

use std::sync::{Arc, Mutex, PoisonError};

use perfectplay_core::random::below;
use perfectplay_core::{
    Cell, Choice, Estimate, EstimateOf, Evaluator, Facts, FullGame, Gain, Game, Given, Objective, Optional, Payoff,
    Player, Setting, TextError,
};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Refusal;
use crate::support::hashing::hash;

/// f_t.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// The gain: -1, 0 or 1.
    Gain,
    /// The game's own score.
    Score,
    /// Additive depth: a win at ply p is worth P - p + 1, a loss the negative, a draw 0, where no game takes more than
    /// P plies. Early wins and late losses are preferred.
    ///
    /// p counts from the first state searched. Where one finished state can be reached in different numbers of plies,
    /// the first way by which the search met it counts.
    Depth {
        /// P.
        length: u32,
    },
    /// Multiplicative depth: a win at ply p is worth P / p, a loss the negative, a draw 0. As above otherwise.
    Ratio {
        /// P.
        length: u32,
    },
    /// Presence: a win is worth one more than the winner has pieces on the board, a loss the negative, a draw 0.
    Presence {
        /// More pieces do not count.
        most: u32,
    },
    /// Mobility: a win is worth one more than there were moves to choose the last one from (the winner's, as a rule), a
    /// loss the negative, a draw 0. Of several ways to one finished state the first counts.
    Mobility {
        /// More moves do not count.
        most: u32,
    },
}

/// A game that is over.
#[derive(Clone, Copy, Debug)]
pub struct Finish<'a, G: Game> {
    /// Its last state.
    pub state: &'a G::State,
    /// What it was worth.
    pub payoff: G::Payoff,
    /// Plies from the first state searched.
    pub depth: u32,
    /// Moves from which the last one was chosen.
    pub choices: u32,
}

impl Terminal {
    /// What a finished game is worth to each player.
    pub fn values<G: FullGame>(self, game: &G, end: &Finish<'_, G>) -> EstimateOf<G> {
        let count = match self {
            Terminal::Presence { .. } => presence(game, end),
            Terminal::Mobility { .. } => end.choices,
            _ => end.depth,
        };
        EstimateOf::<G>::from_fn(|p| self.value(end.payoff, p, count))
    }

    /// What a finished game is worth to `player`; `count` is the ply at which it ended, or what else this f_t counts.
    pub fn value<P: Payoff>(self, payoff: P, player: Player, count: u32) -> f32 {
        match self {
            Terminal::Presence { most } | Terminal::Mobility { most } => {
                payoff.gain(player).value() as f32 * (1 + count.min(most)) as f32
            }
            Terminal::Gain => payoff.gain(player).value() as f32,
            Terminal::Score => payoff.score(player) as f32,
            Terminal::Depth { length } => {
                payoff.gain(player).value() as f32 * (f64::from(length) - f64::from(count) + 1.0).max(1.0) as f32
            }
            Terminal::Ratio { length } => {
                payoff.gain(player).value() as f32 * (f64::from(length) / f64::from(count.max(1))).max(1.0) as f32
            }
        }
    }

    /// No finished game is worth more than this to `player`.
    pub fn bound(self, facts: &Facts, player: Player) -> f32 {
        match self {
            Terminal::Gain => 1.0,
            Terminal::Score => facts.scores[player.index()].1 as f32,
            Terminal::Depth { length } | Terminal::Ratio { length } => length.max(1) as f32,
            Terminal::Presence { most } | Terminal::Mobility { most } => (1 + most) as f32,
        }
    }

    /// The size of a sure win, to bring guesses on the scale of the gain to the scale of f_t.
    pub fn scale(self, facts: &Facts) -> f32 {
        match self {
            Terminal::Gain => 1.0,
            Terminal::Score => {
                facts.scores.iter().map(|&(low, high)| low.abs().max(high.abs())).max().unwrap_or(1).max(1) as f32
            }
            Terminal::Depth { length } | Terminal::Ratio { length } => length.max(1) as f32,
            Terminal::Presence { most } | Terminal::Mobility { most } => (1 + most) as f32,
        }
    }

    /// What the option `f` means; `usual` holds if it is not given. Solving for the score needs the score.
    pub(crate) fn choose(
        f: Option<Ending>,
        usual: Ending,
        objective: Objective,
        facts: &Facts,
    ) -> Result<Self, Refusal> {
        let terminal = match f.unwrap_or(if objective == Objective::Score { Ending::Score } else { usual }) {
            Ending::Gain => Terminal::Gain,
            Ending::Score => Terminal::Score,
            Ending::Depth => match facts.length {
                Some(length) => Terminal::Depth { length },
                None => return Err(Refusal::Other("f=depth needs a game whose length is bounded".into())),
            },
            Ending::Ratio => match facts.length {
                Some(length) => Terminal::Ratio { length },
                None => return Err(Refusal::Other("f=ratio needs a game whose length is bounded".into())),
            },
        };
        if objective == Objective::Score && terminal != Terminal::Score {
            return Err(Refusal::Other("to solve for the score, f must be score".into()));
        }
        // f_t is kept as a 32-bit float, which is exact for whole numbers up to here.
        let exact = |&(low, high): &(i32, i32)| low.abs().max(high.abs()) <= 1 << 24;
        if terminal == Terminal::Score && !facts.scores.iter().all(exact) {
            return Err(Refusal::Other("the scores of this game are too large for f=score: use f=gain".into()));
        }
        Ok(terminal)
    }
}

/// The pieces on the board of a player that won.
fn presence<G: FullGame>(game: &G, end: &Finish<'_, G>) -> u32 {
    let drawing = game.drawing(end.state);
    let won = |cell: &&Cell| cell.owner().is_some_and(|player| end.payoff.gain(player) == Gain::Win);
    drawing.rows.iter().flatten().filter(won).count() as u32
}

/// f_θ = 0: the search is guided by what it proves and by what it visited least.
pub struct Zero;

impl<G: FullGame> Evaluator<G> for Zero {
    fn evaluate(&mut self, _: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>) {
        out.extend(states.iter().map(|_| EstimateOf::<G>::from_fn(|_| 0.0)));
    }

    fn fork(&self) -> Option<Box<dyn Evaluator<G>>> {
        Some(Box::new(Zero))
    }
}

/// The mean of `playouts` games of random moves. The dice depend on the seed and the state only, so that the same state
/// always gets the same guess; for the same reason [`Terminal::Depth`] counts the plies of a playout from that state.
#[derive(Clone, Copy, Debug)]
pub struct Rollouts {
    /// How many games.
    pub playouts: u32,
    /// For the dice.
    pub seed: u64,
    /// What the end of a game counts.
    pub terminal: Terminal,
}

/// A random game longer than this counts as a draw.
pub(crate) const LONGEST_PLAYOUT: u32 = 100_000;

impl<G: FullGame> Evaluator<G> for Rollouts {
    fn evaluate(&mut self, game: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>) {
        for state in states {
            let mut dice = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ hash(&game.key(state)));
            let (mut moves, mut below) = (Vec::new(), |sides| below(dice.next_u64(), sides));
            let mut end = || game.playout(*state, LONGEST_PLAYOUT, &mut moves, &mut below);
            let ends: Vec<_> = (0..self.playouts).map(|_| end()).collect();
            let value = |(payoff, ply): (Option<G::Payoff>, u32), p| {
                payoff.map_or(0.0, |payoff| self.terminal.value(payoff, p, ply))
            };
            let sum = |p| ends.iter().map(|&end| value(end, p)).sum::<f32>();
            out.push(EstimateOf::<G>::from_fn(|p| sum(p) / self.playouts as f32));
        }
    }

    fn fork(&self) -> Option<Box<dyn Evaluator<G>>> {
        Some(Box::new(Rollouts { ..*self }))
    }
}

/// The game's own guess, brought to the scale of f_t.
pub struct Heuristic {
    /// What a sure win counts.
    pub scale: f32,
}

impl<G: FullGame> Evaluator<G> for Heuristic {
    fn evaluate(&mut self, game: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>) {
        let first = out.len();
        game.heuristics(states, out);
        for guess in &mut out[first..] {
            *guess = EstimateOf::<G>::from_fn(|p| guess.of(p) * self.scale);
        }
    }

    fn fork(&self) -> Option<Box<dyn Evaluator<G>>> {
        Some(Box::new(Heuristic { ..*self }))
    }
}

/// Noise that depends on the seed and the state only: what a search proves may not depend on its guesses.
#[derive(Clone, Copy, Debug)]
pub struct Hashed {
    /// For the noise.
    pub seed: u64,
    /// What a sure win counts.
    pub scale: f32,
}

impl<G: FullGame> Evaluator<G> for Hashed {
    fn evaluate(&mut self, game: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>) {
        for state in states {
            let mut dice = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ hash(&game.key(state)));
            out.push(EstimateOf::<G>::from_fn(|_| {
                ((dice.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0) * self.scale
            }));
        }
    }

    fn fork(&self) -> Option<Box<dyn Evaluator<G>>> {
        Some(Box::new(Hashed { ..*self }))
    }
}

/// An evaluation that several threads use in turns.
struct InTurns<G>(Arc<Mutex<Box<dyn Evaluator<G>>>>);

#[warn(clippy::missing_trait_methods)]
impl<G: FullGame> Evaluator<G> for InTurns<G> {
    fn evaluate(&mut self, game: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>) {
        // A thread that panicked at it ends the search; the others need not add to that.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).evaluate(game, states, out);
    }

    fn fork(&self) -> Option<Box<dyn Evaluator<G>>> {
        Some(Box::new(InTurns(self.0.clone())))
    }

    fn batch(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).batch()
    }
}

/// The same evaluation for another thread.
pub(crate) fn forked<G: FullGame>(evaluator: &mut Option<Box<dyn Evaluator<G>>>) -> Option<Box<dyn Evaluator<G>>> {
    let only = evaluator.take()?;
    let shared: Box<dyn Evaluator<G>> = match only.fork() {
        Some(_) => only,
        None => Box::new(InTurns(Arc::new(Mutex::new(only)))),
    };
    evaluator.insert(shared).fork()
}

/// What a finished game counts, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Gain,
    Score,
    Depth,
    Ratio,
}

pub(crate) const F: Optional<Choice<Ending>> = Optional::choice(
    "f",
    "what a finished game counts",
    &[
        ("gain", "", Ending::Gain),
        ("score", "", Ending::Score),
        ("depth", "early wins and late losses are better", Ending::Depth),
        ("ratio", "the same, as quotients of lengths", Ending::Ratio),
    ],
    "gain; score for n players and when solving for the score",
);

/// The evaluations of unfinished states, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    Zero,
    Rollouts,
    Heuristic,
    Hashed,
}

pub(crate) const EVAL: Setting<Choice<Guess>> = Setting::choice(
    "eval",
    "guess at unfinished states",
    &[
        ("zero", "", Guess::Zero),
        ("rollouts", "", Guess::Rollouts),
        ("heuristic", "the game's own", Guess::Heuristic),
        ("hashed", "noise, for tests", Guess::Hashed),
    ],
);

/// What the options `eval` and `playouts` mean; `None` is [`Zero`].
pub(crate) fn evaluator<G: FullGame>(
    guess: Guess,
    playouts: Given<u32>,
    seed: u64,
    terminal: Terminal,
    facts: &Facts,
) -> Result<Option<Box<dyn Evaluator<G>>>, Refusal> {
    if playouts.given && guess != Guess::Rollouts {
        return Err(playouts_without_rollouts().into());
    }
    let scale = terminal.scale(facts);
    Ok(match guess {
        Guess::Zero => None,
        Guess::Rollouts => Some(Box::new(Rollouts { playouts: playouts.value, seed, terminal })),
        Guess::Heuristic if !facts.heuristic => {
            return Err(Refusal::Other("this game has no heuristic of its own: use eval=rollouts or eval=zero".into()));
        }
        Guess::Heuristic => Some(Box::new(Heuristic { scale })),
        Guess::Hashed => Some(Box::new(Hashed { seed, scale })),
    })
}

pub(crate) fn playouts_without_rollouts() -> TextError {
    TextError::new("playouts means something only with eval=rollouts")
}
