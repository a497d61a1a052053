//! A game for many as a game for two: its players in two teams (the paranoid and alliance reductions of Sturtevant and
//! Korf 2000).
//!
//! A team moves whenever one of its members does, and the only thing that counts is what the *first* team gets: it
//! maximises, the second one minimises. For the gain that is the best gain among its members, for the score the sum of
//! its members' scores. One player against all others is the paranoid reduction.
//!
//! The value is what the first team can secure if the second holds together. It is no equilibrium of the real game, in
//! which nobody has to hold together.
//!
//! The result is a [`Packed`] zero-sum game with the states, keys and moves of the one it was made from. The catalog
//! makes it from a game of the largest class, so every two-player algorithm runs on it and nothing more is compiled.

use std::sync::Arc;

use perfectplay_core::{
    Drawing, Estimate, Facts, FeatureBatch, Layout, Leaf, Objective, OrderHint, Payoff, Player, Status, Stop,
    Successor, Tally, TextError, ZeroSum,
};

use super::packed::Packed;
use super::rules::{Below, Rules, Storage};
use super::words::{PackedMove, Words};

/// Who plays with whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Teams {
    players: usize,
    /// One bit per member of the first team.
    first: u32,
}

impl Teams {
    /// One player against all others.
    pub fn alone(player: Player, players: usize) -> Self {
        Teams { players, first: 1 << player.index() }
    }

    /// Reads `1/23` or `1/2+3`: the first team, a stroke, the second; players are counted from 1.
    pub fn parse(text: &str, players: usize) -> Result<Self, TextError> {
        let wrong = || {
            let rest: String = (2..=players).map(|p| p.to_string()).collect();
            TextError::new(format!(
                "teams must be me, leader, or two teams with each of the {players} players once, like 1/{rest}; \
got \"{text}\""
            ))
        };
        let (first, second) = text.split_once('/').ok_or_else(wrong)?;
        let mut all = 0;
        let mut team = |members: &str| {
            let mut team = 0;
            for digit in members.chars().filter(|&c| c != '+') {
                let member = digit.to_digit(10).filter(|&p| 1 <= p && p as usize <= players).ok_or_else(wrong)? - 1;
                if all & 1 << member != 0 {
                    return Err(wrong());
                }
                team |= 1u32 << member;
                all |= 1 << member;
            }
            if team == 0 { Err(wrong()) } else { Ok(team) }
        };
        let (first, _) = (team(first)?, team(second)?);
        if all != (1 << players) - 1 { Err(wrong()) } else { Ok(Teams { players, first }) }
    }

    /// The team of a player: the first or the second.
    pub fn team(&self, player: Player) -> Player {
        if self.first & 1 << player.index() != 0 { Player::FIRST } else { Player::SECOND }
    }

    /// The members of a team.
    pub fn members(&self, team: Player) -> impl Iterator<Item = Player> + Clone + use<> {
        let teams = *self;
        Player::all(self.players).filter(move |&p| teams.team(p) == team)
    }

    /// What the first team gets, as the score of a zero-sum game.
    fn payoff<P: Payoff>(&self, payoff: P, objective: Objective) -> ZeroSum {
        let members = self.members(Player::FIRST);
        ZeroSum(match objective {
            Objective::Gain | Objective::Length => members.map(|p| payoff.gain(p).value()).max().unwrap_or(0),
            Objective::Score => members.map(|p| payoff.score(p)).sum(),
        })
    }
}

impl std::fmt::Display for Teams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let team = |team| self.members(team).map(|p| (p.index() + 1).to_string()).collect::<Vec<_>>().join("+");
        write!(f, "{}/{}", team(Player::FIRST), team(Player::SECOND))
    }
}

/// The game in which these teams play for this objective. States, keys and moves are those of `game`.
pub fn in_teams<P: Payoff, const S: usize, const K: usize, const M: usize>(
    game: &Packed<P, S, K, M>,
    teams: Teams,
    objective: Objective,
) -> Packed<ZeroSum, S, K, M> {
    Packed::from_rules(Teamed { rules: game.rules().clone(), teams, objective })
}

struct Teamed<P, const S: usize, const K: usize, const M: usize> {
    rules: Arc<dyn Rules<P, S, K, M>>,
    teams: Teams,
    objective: Objective,
}

/// Longer lists of outcomes are not written out.
const MOST_OUTCOMES: i32 = 1000;

impl<P: Payoff, const S: usize, const K: usize, const M: usize> Teamed<P, S, K, M> {
    fn in_teams(&self, status: Status<P>) -> Status<ZeroSum> {
        match status {
            Status::Turn(mover) => Status::Turn(self.teams.team(mover)),
            Status::Over(payoff) => Status::Over(self.payoff(payoff)),
        }
    }

    fn payoff(&self, payoff: P) -> ZeroSum {
        self.teams.payoff(payoff, self.objective)
    }

    /// The mean of the first team's parts.
    fn mean(&self, part: impl Fn(Player) -> f32) -> f32 {
        let members = self.teams.members(Player::FIRST);
        members.clone().map(part).sum::<f32>() / members.count() as f32
    }
}

#[warn(clippy::missing_trait_methods)]
impl<P: Payoff, const S: usize, const K: usize, const M: usize> Rules<ZeroSum, S, K, M> for Teamed<P, S, K, M> {
    fn expand(&self, state: &Words<S>, moves: &mut Vec<PackedMove<M>>) -> Status<ZeroSum> {
        self.in_teams(self.rules.expand(state, moves))
    }

    fn status(&self, state: &Words<S>) -> Status<ZeroSum> {
        self.in_teams(self.rules.status(state))
    }

    fn after(&self, state: &Words<S>, mv: PackedMove<M>) -> Words<S> {
        self.rules.after(state, mv)
    }

    fn after_all(&self, state: &Words<S>, moves: &[PackedMove<M>]) -> Words<S> {
        self.rules.after_all(state, moves)
    }

    fn key(&self, state: &Words<S>) -> Words<K> {
        self.rules.key(state)
    }

    fn children(
        &self,
        state: &Words<S>,
        moves: &mut Vec<PackedMove<M>>,
        children: &mut Vec<(Words<S>, Words<K>)>,
    ) -> Status<ZeroSum> {
        self.in_teams(self.rules.children(state, moves, children))
    }

    fn canonical_key(&self, state: &Words<S>) -> Words<K> {
        self.rules.canonical_key(state)
    }

    fn heuristic(&self, state: &Words<S>) -> f32 {
        let guess = self.rules.heuristic(state);
        self.mean(|p| guess.of(p))
    }

    fn heuristic_of(&self, state: &Words<S>, player: Player) -> f32 {
        let mean = self.mean(|p| self.rules.heuristic_of(state, p));
        if player == Player::FIRST { mean } else { -mean }
    }

    fn heuristics(&self, states: &[Words<S>], out: &mut Vec<f32>) {
        out.extend(states.iter().map(|state| self.heuristic(state)));
    }

    fn random_move(&self, state: &Words<S>, below: Below<'_>) -> Result<PackedMove<M>, ZeroSum> {
        self.rules.random_move(state, below).map_err(|payoff| self.payoff(payoff))
    }

    fn playout(&self, state: &Words<S>, most: u32, below: Below<'_>) -> (Option<ZeroSum>, u32) {
        let (end, plies) = self.rules.playout(state, most, below);
        (end.map(|payoff| self.payoff(payoff)), plies)
    }

    /// Bounds of the first player's score say nothing about a team.
    fn score_bounds(&self, _: &Words<S>) -> (i32, i32) {
        (i32::MIN, i32::MAX)
    }

    /// All moves: what the game leaves out, it leaves out by bounds that do not hold here.
    fn solver_successors(
        &self,
        state: &Words<S>,
        successors: &mut Vec<Successor<Words<S>, PackedMove<M>>>,
    ) -> Status<ZeroSum> {
        let mut moves = Vec::new();
        let status = self.expand(state, &mut moves);
        successors.extend(moves.iter().map(|&mv| {
            let (lower, upper) = (i32::MIN, i32::MAX);
            Successor { mv, state: self.after(state, mv), lower, upper }
        }));
        status
    }

    fn exact_index(&self, state: &Words<S>) -> u64 {
        self.rules.exact_index(state)
    }

    fn order_hint(&self, state: &Words<S>, mv: PackedMove<M>) -> OrderHint {
        self.rules.order_hint(state, mv)
    }

    fn order_hints(&self, state: &Words<S>, moves: &[PackedMove<M>], hints: &mut Vec<OrderHint>) {
        self.rules.order_hints(state, moves, hints);
    }

    fn noisy_moves(&self, state: &Words<S>, moves: &mut Vec<PackedMove<M>>) {
        self.rules.noisy_moves(state, moves);
    }

    fn null_move(&self, state: &Words<S>) -> Option<Words<S>> {
        self.rules.null_move(state)
    }

    fn leaf(
        &self,
        state: &Words<S>,
        mv: PackedMove<M>,
        player: Option<Player>,
        noisy: Option<&mut Vec<PackedMove<M>>>,
    ) -> Leaf<Words<S>, ZeroSum> {
        let leaf = self.rules.leaf(state, mv, None, noisy);
        let status = self.in_teams(leaf.status);
        let guess = match (status, player) {
            (Status::Turn(_), Some(player)) => self.heuristic_of(&self.rules.after(state, mv), player),
            _ => 0.0,
        };
        Leaf { status, guess, noisy: leaf.noisy }
    }

    fn cell_values(&self, state: &Words<S>, out: &mut Vec<u8>) {
        self.rules.cell_values(state, out);
    }

    fn numbers(&self, state: &Words<S>, out: &mut Vec<f32>) {
        self.rules.numbers(state, out);
    }

    /// A player of the game itself, not a team: cells are told from that player's side.
    fn viewer(&self, state: &Words<S>) -> Player {
        self.rules.viewer(state)
    }

    fn features(&self, states: &[Words<S>], out: &mut FeatureBatch) {
        self.rules.features(states, out);
    }

    fn start(&self) -> Words<S> {
        self.rules.start()
    }

    fn facts(&self) -> Facts {
        let facts = self.rules.facts();
        let (low, high) = match self.objective {
            Objective::Gain | Objective::Length => (-1, 1),
            Objective::Score => {
                let members = self.teams.members(Player::FIRST).map(|p| facts.scores[p.index()]);
                members.fold((0i32, 0i32), |(l, h), (a, b)| (l.saturating_add(a), h.saturating_add(b)))
            }
        };
        let few = high.checked_sub(low).is_some_and(|n| n <= MOST_OUTCOMES);
        Facts {
            players: 2,
            zero_sum: true,
            alternating: facts.alternating && facts.players == 2,
            scores: vec![(low, high), (high.saturating_neg(), low.saturating_neg())],
            sum: (0, 0),
            outcomes: few.then(|| (low..=high).collect()),
            ..facts
        }
    }

    fn storage(&self) -> Storage {
        self.rules.storage()
    }

    fn position_text(&self, state: &Words<S>) -> String {
        self.rules.position_text(state)
    }

    fn parse_position(&self, text: &str) -> Result<Words<S>, TextError> {
        self.rules.parse_position(text)
    }

    fn position_note(&self, text: &str) -> Option<String> {
        self.rules.position_note(text)
    }

    fn move_text(&self, state: &Words<S>, mv: PackedMove<M>) -> String {
        self.rules.move_text(state, mv)
    }

    fn parse_move(&self, state: &Words<S>, text: &str) -> Result<PackedMove<M>, TextError> {
        self.rules.parse_move(state, text)
    }

    fn drawing(&self, state: &Words<S>) -> Drawing {
        self.rules.drawing(state)
    }

    fn symmetries(&self) -> usize {
        self.rules.symmetries()
    }

    fn transform(&self, state: &Words<S>, index: usize) -> Words<S> {
        self.rules.transform(state, index)
    }

    fn transform_move(&self, state: &Words<S>, mv: PackedMove<M>, index: usize) -> PackedMove<M> {
        self.rules.transform_move(state, mv, index)
    }

    fn count(&self, state: &Words<S>, ply: usize, tally: &mut Tally) -> Result<(), Stop> {
        self.rules.count(state, ply, tally)
    }

    fn layout(&self) -> Option<Layout> {
        self.rules.layout()
    }

    fn exact_index_bits(&self) -> u32 {
        self.rules.exact_index_bits()
    }

    fn stable_keys(&self) -> bool {
        self.rules.stable_keys()
    }

    fn kept_bytes(&self) -> usize {
        self.rules.kept_bytes()
    }

    #[cfg(feature = "laws")]
    fn broken_law(&self, state: &Words<S>) -> Option<&'static str> {
        self.rules.broken_law(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_are_read_and_written() {
        let teams = Teams::parse("1/23", 3).unwrap();
        assert_eq!(teams, Teams::alone(Player::FIRST, 3));
        assert_eq!(teams.to_string(), "1/2+3");
        assert_eq!(Teams::parse("4+2/1+3", 4).unwrap().to_string(), "2+4/1+3");
        for wrong in ["", "1", "1/2", "1/22", "1/23/", "12/3x", "/123", "123/", "0/123", "1/234"] {
            let error = Teams::parse(wrong, 3).unwrap_err().to_string();
            assert!(error.contains("like 1/23"), "{wrong}: {error}");
        }
    }
}
