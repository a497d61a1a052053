//! What states are worth: the terminal evaluations f_t of finished games, and evaluations f_θ of unfinished ones.
//!
//! All that a search with completion proves rests on the gain f_b. f_t and f_θ only guide it: they decide which of two
//! wins is preferred, and where to look first.

use perfectplay_core::random::below;
use perfectplay_core::{
    Estimate, EstimateOf, Evaluator, Facts, FullGame, Objective, OptionInfo, Params, Payoff, Player, TextError,
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
}

impl Terminal {
    /// What a game that ended at ply `depth` is worth to `player`.
    pub fn value<P: Payoff>(self, payoff: P, player: Player, depth: u32) -> f32 {
        match self {
            Terminal::Gain => payoff.gain(player).value() as f32,
            Terminal::Score => payoff.score(player) as f32,
            Terminal::Depth { length } => {
                payoff.gain(player).value() as f32 * (f64::from(length) - f64::from(depth) + 1.0).max(1.0) as f32
            }
        }
    }

    /// No finished game is worth more than this to `player`.
    pub fn bound(self, facts: &Facts, player: Player) -> f32 {
        match self {
            Terminal::Gain => 1.0,
            Terminal::Score => facts.scores[player.index()].1 as f32,
            Terminal::Depth { length } => length.max(1) as f32,
        }
    }

    /// The size of a sure win, to bring guesses on the scale of the gain to the scale of f_t.
    pub fn scale(self, facts: &Facts) -> f32 {
        match self {
            Terminal::Gain => 1.0,
            Terminal::Score => {
                facts.scores.iter().map(|&(low, high)| low.abs().max(high.abs())).max().unwrap_or(1).max(1) as f32
            }
            Terminal::Depth { length } => length.max(1) as f32,
        }
    }

    /// Takes the option `f`. Solving for the score needs the score.
    pub(crate) fn take(
        params: &mut Params,
        objective: Objective,
        default: &str,
        facts: &Facts,
    ) -> Result<Self, Refusal> {
        let named = params.take("f");
        let f = named.as_deref().unwrap_or(if objective == Objective::Score { "score" } else { default });
        let terminal = match f {
            "gain" => Terminal::Gain,
            "score" => Terminal::Score,
            "depth" => match facts.length {
                Some(length) => Terminal::Depth { length },
                None => return Err(Refusal::Other("f=depth needs a game whose length is bounded".into())),
            },
            other => return Err(TextError::new(format!("f must be one of gain, score, depth, got \"{other}\"")).into()),
        };
        if objective == Objective::Score && terminal != Terminal::Score {
            return Err(Refusal::Other(format!("to solve for the score, f must be score, not {f}")));
        }
        // f_t is kept as a 32-bit float, which is exact for whole numbers up to here.
        let exact = |&(low, high): &(i32, i32)| low.abs().max(high.abs()) <= 1 << 24;
        if terminal == Terminal::Score && !facts.scores.iter().all(exact) {
            return Err(Refusal::Other("the scores of this game are too large for f=score: use f=gain".into()));
        }
        Ok(terminal)
    }
}

/// f_θ = 0: the search is guided by what it proves and by what it visited least.
pub struct Zero;

impl<G: FullGame> Evaluator<G> for Zero {
    fn evaluate(&mut self, _: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>) {
        out.extend(states.iter().map(|_| EstimateOf::<G>::from_fn(|_| 0.0)));
    }
}

/// The mean of `playouts` games of random moves. The dice depend on the seed and the state only, so that the same state
/// always gets the same guess; for the same reason [`Terminal::Depth`] counts the plies of a playout from that state.
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
}

/// Noise that depends on the seed and the state only: what a search proves may not depend on its guesses.
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
}

/// The options of evaluations.
pub(crate) const OPTIONS: [OptionInfo; 3] = [
    OptionInfo {
        name: "f",
        meaning: "what a finished game counts: gain, score, or depth (early wins and late losses are better)",
        default: "gain; score for n players and when solving for the score",
    },
    OptionInfo {
        name: "eval",
        meaning: "guess at unfinished states: zero, rollouts, heuristic (the game's own), hashed (noise, for tests)",
        default: "zero",
    },
    OptionInfo { name: "playouts", meaning: "random games per state for eval=rollouts", default: "10" },
];

/// Takes the options `eval` and `playouts`; `None` is [`Zero`].
pub(crate) fn take<G: FullGame>(
    params: &mut Params,
    seed: u64,
    terminal: Terminal,
    facts: &Facts,
) -> Result<Option<Box<dyn Evaluator<G>>>, Refusal> {
    take_or("zero", params, seed, terminal, facts)
}

/// The same with another default for `eval`.
pub(crate) fn take_or<G: FullGame>(
    default: &str,
    params: &mut Params,
    seed: u64,
    terminal: Terminal,
    facts: &Facts,
) -> Result<Option<Box<dyn Evaluator<G>>>, Refusal> {
    let playouts = params.take_number("playouts", 1..=1_000_000)?;
    let mut names = ["zero", "rollouts", "heuristic", "hashed"].map(|name| (name, name));
    names.sort_by_key(|&(name, _)| name != default); // the first is the default
    let name = params.take_choice("eval", &names)?;
    if playouts.is_some() && name != "rollouts" {
        return Err(TextError::new("playouts means something only with eval=rollouts").into());
    }
    let scale = terminal.scale(facts);
    Ok(match name {
        "rollouts" => Some(Box::new(Rollouts { playouts: playouts.unwrap_or(10) as u32, seed, terminal })),
        "heuristic" if !facts.heuristic => {
            return Err(Refusal::Other("this game has no heuristic of its own: use eval=rollouts or eval=zero".into()));
        }
        "heuristic" => Some(Box::new(Heuristic { scale })),
        "hashed" => Some(Box::new(Hashed { seed, scale })),
        _ => None,
    })
}
