//! Vectors of values, one whole number per player, as searches of limited depth for many players compare them.
//!
//! Exact ends and guesses share one scale. For the score a part is the score; for the gain among several players it is
//! `gain · K + score` with K beyond every difference of scores, so that the gain decides and the score breaks ties
//! ([`Objective::compare`]). A guess lies strictly between a player's worst and best end.
//!
//! Guesses are *lazy*: a [`Value`] remembers the state it comes from, and a part is worked out when a comparison reads
//! it (Farrugia 2019, after Luckhart and Irani 1986). On a uniform tree of depth d with b moves and n players that
//! takes Σ_{k < min(n, d)} b^(d-k) parts instead of n·b^d.

use perfectplay_core::{
    Estimate, Evaluator, Facts, FullGame, Game, Given, Leaf, Objective, Optional, Payoff, Player, Status, options,
};

use crate::support::common_options::PLAYOUTS;
use crate::support::evaluations::{Hashed, Rollouts, Terminal, playouts_without_rollouts};
use crate::{Refusal, Setup};

/// Players that fit a vector.
pub(crate) const MOST_PLAYERS: usize = 6;
/// One number per player; those beyond the last player are 0.
pub(crate) type Parts = [i32; MOST_PLAYERS];

/// One point of score, if the scores are small enough for it.
const UNIT: i64 = 1024;
/// Sums of six numbers below this are far from overflow in 64 bits, and single ones in 32 bits.
const MOST: i64 = 1 << 29;

/// Turns what games say into vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub(crate) objective: Objective,
    pub(crate) players: usize,
    /// K.
    weight: i32,
    unit: i32,
    /// True bounds on every part, of ends and guesses.
    pub(crate) least: Parts,
    pub(crate) greatest: Parts,
    /// No vector at an end has a greater sum than this; `None` if nothing is known.
    pub(crate) sum: Option<i64>,
}

impl Scale {
    pub(crate) fn new<P: Payoff>(name: &str, facts: &Facts, objective: Objective) -> Result<Self, Refusal> {
        let gain_only = P::ZERO_SUM && objective == Objective::Gain;
        let bounds = |p: usize| if gain_only { (0, 0) } else { facts.scores[p] };
        let players = facts.players;
        let spread = (0..players).map(|p| i64::from(bounds(p).1) - i64::from(bounds(p).0)).max().unwrap_or(0);
        let weight = if objective == Objective::Gain { spread + 1 } else { 0 };
        let ends = |p: usize| (i64::from(bounds(p).0) - weight, i64::from(bounds(p).1) + weight);
        let largest = (0..players).map(|p| ends(p).0.abs().max(ends(p).1.abs())).max().unwrap_or(1).max(1);
        let unit = (MOST / largest).min(UNIT);
        if players > MOST_PLAYERS || unit == 0 {
            return Err(Refusal::Other(format!("{name} needs scores below {MOST} and at most {MOST_PLAYERS} players")));
        }
        let part = |p: usize, end: i64| if p < players { (end * unit) as i32 } else { 0 };
        let sum = match objective {
            _ if P::ZERO_SUM => Some(0),
            Objective::Score if i64::from(facts.sum.1).abs() <= MOST => Some(i64::from(facts.sum.1) * unit),
            // Several players may win at once: gains have no bound on their sum.
            _ => None,
        };
        Ok(Scale {
            objective,
            players,
            weight: weight as i32,
            unit: unit as i32,
            least: std::array::from_fn(|p| if p < players { part(p, ends(p).0) } else { 0 }),
            greatest: std::array::from_fn(|p| if p < players { part(p, ends(p).1) } else { 0 }),
            sum,
        })
    }

    /// What an end is worth to `player`.
    #[inline]
    fn exact<P: Payoff>(&self, payoff: P, player: Player) -> i32 {
        let score = if P::ZERO_SUM && self.weight > 0 { 0 } else { payoff.score(player) };
        (payoff.gain(player).value() * self.weight + score) * self.unit
    }

    /// A guess on the scale of -1 to 1, between this player's worst and best end.
    #[inline]
    fn guess(&self, guess: f32, player: Player) -> i32 {
        let (least, greatest) = (self.least[player.index()], self.greatest[player.index()]);
        let (half, middle) = ((greatest - least) / 2, (greatest + least) / 2);
        self.within(middle + (guess * half as f32) as i32, player)
    }

    /// Moved strictly between the ends.
    #[inline]
    fn within(&self, part: i32, player: Player) -> i32 {
        let (least, greatest) = (self.least[player.index()], self.greatest[player.index()]);
        if greatest - least < 2 { least } else { part.clamp(least + 1, greatest - 1) }
    }

    /// Guesses from -1 to 1 as shares of the greatest sum: together they do not exceed it.
    fn shares(&self, guess: impl Fn(Player) -> f32) -> Parts {
        let least: i64 = self.least.iter().map(|&l| i64::from(l)).sum();
        // A little less, so that rounding cannot exceed the sum.
        let whole = (self.sum.expect("shares are of a sum") - least - 2 * self.players as i64).max(0) as f64;
        let weights: [f64; MOST_PLAYERS] = std::array::from_fn(|i| {
            if i < self.players { f64::from(guess(Player::new(i))).clamp(-1.0, 1.0) + 1.0 } else { 0.0 }
        });
        let all: f64 = weights.iter().sum();
        let mut parts = [0; MOST_PLAYERS];
        for player in Player::all(self.players) {
            let i = player.index();
            let share = if all > 0.0 { weights[i] / all } else { 1.0 / self.players as f64 };
            parts[i] = (i64::from(self.least[i]) + (share * whole) as i64).min(i64::from(self.greatest[i])) as i32;
            parts[i] = parts[i].min(self.within(parts[i], player)).max(self.least[i]);
        }
        parts
    }

    /// A part as users read it: gains from -1 to 1, or scores.
    fn readable(&self, part: i32, player: Player) -> f32 {
        match self.objective {
            Objective::Score => part as f32 / self.unit as f32,
            Objective::Gain | Objective::Length => {
                let (least, greatest) = (self.least[player.index()] as f32, self.greatest[player.index()] as f32);
                (2.0 * (part as f32 - least) / (greatest - least) - 1.0).clamp(-1.0, 1.0)
            }
        }
    }
}

/// Where a vector comes from.
pub(crate) enum Origin<G: FullGame> {
    /// An end of the game.
    Over(G::Payoff),
    /// An unfinished state.
    Open(G::State),
}

/// A vector, perhaps known in part.
pub(crate) struct Value<G: FullGame> {
    parts: Parts,
    /// One bit per part that is known.
    known: u8,
    /// One bit per part that was worked out before anybody asked.
    ready: u8,
    pub(crate) origin: Origin<G>,
}

impl<G: FullGame> Clone for Value<G> {
    fn clone(&self) -> Self {
        let origin = match &self.origin {
            Origin::Over(payoff) => Origin::Over(*payoff),
            Origin::Open(state) => Origin::Open(*state),
        };
        Value { parts: self.parts, known: self.known, ready: self.ready, origin }
    }
}

/// How unfinished states are guessed at.
#[derive(Clone, Copy)]
pub(crate) enum Guess {
    /// All players fare alike.
    Alike(Parts),
    /// The game's own heuristic, part by part.
    Heuristic,
    /// The heuristic as shares of the greatest sum.
    Shares,
    /// Random games, all parts at once.
    Rollouts(Rollouts),
    /// Noise, all parts at once.
    Hashed(Hashed),
}

impl Guess {
    fn new(
        name: GuessName,
        bounded: bool,
        playouts: u32,
        seed: u64,
        scale: &Scale,
        facts: &Facts,
    ) -> Result<Self, Refusal> {
        Ok(match name {
            GuessName::Zero if bounded => Guess::Alike(scale.shares(|_| 0.0)),
            GuessName::Zero => Guess::Alike(std::array::from_fn(|p| (scale.least[p] + scale.greatest[p]) / 2)),
            GuessName::Heuristic if facts.heuristic => Guess::Heuristic,
            GuessName::Shares if scale.sum.is_none() => {
                return Err(Refusal::Other(
                    "eval=shares needs a bound on the sum of all scores, and it is for the score only: use --for score"
                        .into(),
                ));
            }
            GuessName::Shares if facts.heuristic => Guess::Shares,
            GuessName::Heuristic | GuessName::Shares => {
                return Err(Refusal::Other("this game has no heuristic of its own: use eval=zero".into()));
            }
            GuessName::Rollouts => Guess::Rollouts(Rollouts { playouts, seed, terminal: Terminal::Gain }),
            GuessName::Hashed => Guess::Hashed(Hashed { seed, scale: 0.9 }),
        })
    }
}

/// The ways to guess, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GuessName {
    Heuristic,
    Shares,
    Zero,
    Rollouts,
    Hashed,
}

options! {
    /// How the leaves are valued.
    pub(crate) struct LeafOptions {
        eval: Option<GuessName> = Optional::choice(
            "eval",
            "guess at unfinished games",
            &[
                ("heuristic", "the game's own", GuessName::Heuristic),
                ("shares", "the heuristic as shares of a constant sum", GuessName::Shares),
                ("zero", "all fare alike", GuessName::Zero),
                ("rollouts", "", GuessName::Rollouts),
                ("hashed", "noise, for tests", GuessName::Hashed),
            ],
            "heuristic if the game has one; shares if pruning needs bounded sums",
        ),
        playouts: Given<u32> = PLAYOUTS,
    }
}

/// A state at the end of a line.
pub(crate) type LeafOf<G> = Leaf<<G as Game>::State, <G as Game>::Payoff>;

/// Values the leaves of a search, and counts what that takes.
pub(crate) struct Leaves<G: FullGame> {
    pub(crate) scale: Scale,
    guess: Guess,
    pub(crate) lazy: bool,
    /// Parts of guesses worked out.
    pub(crate) components: u64,
    buffer: Vec<<G::Payoff as Payoff>::Estimate>,
}

impl<G: FullGame> Leaves<G> {
    /// With `bounded`, guesses keep to the bound on the sum.
    pub(crate) fn new(
        name: &str,
        game: &G,
        setup: &Setup,
        options: &LeafOptions,
        bounded: bool,
    ) -> Result<Self, Refusal> {
        let facts = game.facts();
        let scale = Scale::new::<G::Payoff>(name, &facts, setup.objective)?;
        if options.playouts.given && options.eval != Some(GuessName::Rollouts) {
            return Err(playouts_without_rollouts().into());
        }
        if bounded && scale.sum.is_none() {
            return Err(Refusal::Other(
                "pruning by sums needs a bound on the sum of what players compare: gains of several players have none, \
so use --for score, with a game that bounds the sum of its scores"
                    .into(),
            ));
        }
        let bounded = bounded && !G::Payoff::ZERO_SUM; // opposed guesses add up to 0 anyhow
        let chosen = options.eval.unwrap_or(match (bounded, facts.heuristic) {
            (_, false) => GuessName::Zero,
            (true, true) => GuessName::Shares,
            (false, true) => GuessName::Heuristic,
        });
        if bounded && !matches!(chosen, GuessName::Shares | GuessName::Zero) {
            return Err(Refusal::Other(
                "pruning by sums needs guesses with a bounded sum: use eval=shares or eval=zero".into(),
            ));
        }
        let guess = Guess::new(chosen, bounded, options.playouts.value, setup.seed, &scale, &facts)?;
        Ok(Leaves { scale, guess, lazy: true, components: 0, buffer: Vec::new() })
    }

    /// The same for another thread.
    pub(crate) fn fork(&self) -> Self {
        Leaves { components: 0, buffer: Vec::new(), ..*self }
    }

    /// The vector of an end.
    #[inline]
    pub(crate) fn over(&self, payoff: G::Payoff) -> Value<G> {
        let mut parts = [0; MOST_PLAYERS];
        for player in Player::all(self.scale.players) {
            parts[player.index()] = self.scale.exact(payoff, player);
        }
        Value { parts, known: u8::MAX, ready: 0, origin: Origin::Over(payoff) }
    }

    /// The vector of an unfinished state: nothing of it if lazy, all otherwise.
    #[inline]
    pub(crate) fn open(&mut self, game: &G, state: G::State) -> Value<G> {
        let mut value = self.unread(state);
        if !self.lazy {
            self.all(game, &mut value);
        }
        value
    }

    /// The vector of an unfinished state, nothing of it known yet.
    pub(crate) fn unread(&self, state: G::State) -> Value<G> {
        Value { parts: [0; MOST_PLAYERS], known: 0, ready: 0, origin: Origin::Open(state) }
    }

    /// The vector of a state that is looked at no further, and whether it is an end.
    #[inline]
    pub(crate) fn leaf(&mut self, game: &G, state: G::State) -> (Value<G>, bool) {
        match game.status(&state) {
            Status::Over(payoff) => (self.over(payoff), true),
            Status::Turn(_) => (self.open(game, state), false),
        }
    }

    /// Looks at the state after `mv` with one call of the game: the part of `player` will be compared.
    #[inline]
    pub(crate) fn look(&self, game: &G, state: &G::State, mv: G::Move, player: Player) -> LeafOf<G> {
        game.leaf(state, mv, self.by_parts().then_some(player), None)
    }

    /// Whether guesses are worked out part by part.
    #[inline]
    fn by_parts(&self) -> bool {
        self.lazy && matches!(self.guess, Guess::Heuristic)
    }

    /// The part that [`Leaves::look`] asked for, if the game goes on there and guesses come part by part.
    #[inline]
    pub(crate) fn foreseen(&self, leaf: &LeafOf<G>, player: Player) -> Option<i32> {
        let open = self.by_parts() && matches!(leaf.status, Status::Turn(_));
        open.then(|| self.scale.guess(leaf.guess, player))
    }

    /// The vector of the state after `mv`, which [`Leaves::look`] looked at, and whether it is an end.
    #[inline]
    pub(crate) fn value(
        &mut self,
        game: &G,
        state: &G::State,
        mv: G::Move,
        leaf: &LeafOf<G>,
        player: Player,
    ) -> (Value<G>, bool) {
        if let Status::Over(payoff) = leaf.status {
            return (self.over(payoff), true);
        }
        let foreseen = self.foreseen(leaf, player);
        let mut value = self.open(game, game.after(state, mv));
        if let Some(part) = foreseen {
            value.parts[player.index()] = part;
            value.ready = 1 << player.index();
        }
        (value, false)
    }

    /// One part of a vector, worked out if it is not known yet.
    #[inline]
    pub(crate) fn part(&mut self, game: &G, value: &mut Value<G>, player: Player) -> i32 {
        if value.known & 1 << player.index() == 0 {
            self.work_out(game, value, player);
        }
        value.parts[player.index()]
    }

    #[inline]
    fn work_out(&mut self, game: &G, value: &mut Value<G>, player: Player) {
        let Origin::Open(state) = &value.origin else { unreachable!("all parts of an end are known") };
        if let Guess::Heuristic = self.guess {
            if value.ready & 1 << player.index() == 0 {
                value.parts[player.index()] = self.scale.guess(game.heuristic_of(state, player), player);
            }
            value.known |= 1 << player.index();
            self.components += 1;
        } else {
            self.all(game, value);
        }
    }

    /// All parts.
    fn all(&mut self, game: &G, value: &mut Value<G>) {
        let Origin::Open(state) = &value.origin else { return };
        let scale = self.scale;
        let parts = |guess: <G::Payoff as Payoff>::Estimate| -> Parts {
            let part = |p| if p < scale.players { scale.guess(guess.of(Player::new(p)), Player::new(p)) } else { 0 };
            std::array::from_fn(part)
        };
        value.parts = match &mut self.guess {
            Guess::Alike(parts) => *parts,
            Guess::Heuristic => parts(game.heuristic(state)),
            Guess::Shares => {
                let guess = game.heuristic(state);
                scale.shares(|p| guess.of(p))
            }
            Guess::Rollouts(rollouts) => {
                self.buffer.clear();
                rollouts.evaluate(game, std::slice::from_ref(state), &mut self.buffer);
                parts(self.buffer[0])
            }
            Guess::Hashed(hashed) => {
                self.buffer.clear();
                hashed.evaluate(game, std::slice::from_ref(state), &mut self.buffer);
                parts(self.buffer[0])
            }
        };
        self.components += u64::from((!value.known & ((1 << scale.players) - 1)).count_ones());
        value.known = u8::MAX;
    }

    /// A vector as users read it. Does not count.
    pub(crate) fn estimate(&mut self, game: &G, value: &Value<G>) -> <G::Payoff as Payoff>::Estimate {
        match &value.origin {
            Origin::Over(payoff) => payoff.estimate(self.scale.objective),
            Origin::Open(_) => {
                let (components, mut value): (u64, Value<G>) = (self.components, value.clone());
                self.all(game, &mut value);
                self.components = components;
                let there = |p: &Player| p.index() < self.scale.players;
                let part = |p: Player| self.scale.readable(value.parts[p.index()], p);
                Estimate::from_fn(|p| Some(p).filter(there).map_or(0.0, part))
            }
        }
    }
}
