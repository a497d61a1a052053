//! A game for many as a game for two: its players in two teams (003, paranoid and alliance reductions).
//!
//! A team moves whenever one of its members does, and the only thing that counts is what the *first* team gets: it maximises,
//! the second one minimises. For the gain that is the best gain among its members, for the score the sum of its members'
//! scores. One player against all others is the paranoid reduction.
//!
//! The value is what the first team can secure if the second holds together. It is no equilibrium of the real game, in which
//! nobody has to hold together.
//!
//! The result is a [`Boxed`] zero-sum game with the states and moves of the box it was made from, so every two-player
//! algorithm runs on it and nothing more is compiled.

use std::hash::Hasher;
use std::sync::Arc;

use perfectplay_core::{Budget, Drawing, Facts, Objective, Payoff, Perft, Player, Status, Stop, TextError, ZeroSum};

use crate::boxed::{Boxed, LARGE, Nth, Rules, Shared};

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
                "teams must be me, leader, or two teams with each of the {players} players once, like 1/{rest}; got \"{text}\""
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
    fn worth<P: Payoff>(&self, payoff: P, objective: Objective) -> ZeroSum {
        let members = self.members(Player::FIRST);
        ZeroSum(match objective {
            Objective::Gain => members.map(|p| payoff.gain(p).value()).max().unwrap_or(0),
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

/// The game in which these teams play for this objective. States and moves are those of `game`.
pub fn in_teams<P: Payoff, const W: usize>(
    game: &Boxed<P, W>,
    teams: Teams,
    objective: Objective,
) -> Boxed<ZeroSum, LARGE> {
    Boxed::from_rules(Arc::new(Teamed { rules: game.rules().clone(), teams, objective }))
}

struct Teamed<P> {
    rules: Arc<dyn Rules<P>>,
    teams: Teams,
    objective: Objective,
}

/// Longer lists of outcomes are not written out.
const MOST_OUTCOMES: i32 = 1000;

impl<P: Payoff> Teamed<P> {
    fn status(&self, status: Status<P>) -> Status<ZeroSum> {
        match status {
            Status::Turn(mover) => Status::Turn(self.teams.team(mover)),
            Status::Over(payoff) => Status::Over(self.teams.worth(payoff, self.objective)),
        }
    }
}

impl<P: Payoff> Rules<ZeroSum> for Teamed<P> {
    fn start(&self) -> Shared {
        self.rules.start()
    }

    fn expand(&self, state: &Shared) -> (Status<ZeroSum>, u32) {
        let (status, count) = self.rules.expand(state);
        (self.status(status), count)
    }

    fn status(&self, state: &Shared) -> Status<ZeroSum> {
        self.status(self.rules.status(state))
    }

    fn play(&self, state: &Shared, mv: Nth) -> Shared {
        self.rules.play(state, mv)
    }

    fn write_key(&self, state: &Shared, tape: &mut dyn Hasher) {
        self.rules.write_key(state, tape);
    }

    fn write_canonical_key(&self, state: &Shared, tape: &mut dyn Hasher) {
        self.rules.write_canonical_key(state, tape);
    }

    fn facts(&self) -> Facts {
        let facts = self.rules.facts();
        let (low, high) = match self.objective {
            Objective::Gain => (-1, 1),
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

    fn position_text(&self, state: &Shared) -> String {
        self.rules.position_text(state)
    }

    fn parse_position(&self, text: &str) -> Result<Shared, TextError> {
        self.rules.parse_position(text)
    }

    fn move_text(&self, state: &Shared, mv: Nth) -> String {
        self.rules.move_text(state, mv)
    }

    fn parse_move(&self, state: &Shared, text: &str) -> Result<Nth, TextError> {
        self.rules.parse_move(state, text)
    }

    fn drawing(&self, state: &Shared) -> Drawing {
        self.rules.drawing(state)
    }

    /// The mean of the first team's parts.
    fn heuristic(&self, state: &Shared, player: Player) -> f32 {
        let members = self.teams.members(Player::FIRST);
        let mean = members.clone().map(|p| self.rules.heuristic(state, p)).sum::<f32>() / members.count() as f32;
        if player == Player::FIRST { mean } else { -mean }
    }

    fn symmetries(&self) -> usize {
        self.rules.symmetries()
    }

    fn transform(&self, state: &Shared, index: usize) -> Shared {
        self.rules.transform(state, index)
    }

    fn transform_move(&self, state: &Shared, mv: Nth, index: usize) -> Nth {
        self.rules.transform_move(state, mv, index)
    }

    fn random_move(&self, state: &Shared, below: &mut dyn FnMut(usize) -> usize) -> Result<Nth, ZeroSum> {
        self.rules.random_move(state, below).map_err(|payoff| self.teams.worth(payoff, self.objective))
    }

    fn playout(&self, state: &Shared, most: u32, below: &mut dyn FnMut(usize) -> usize) -> (Option<ZeroSum>, u32) {
        let (end, plies) = self.rules.playout(state, most, below);
        (end.map(|payoff| self.teams.worth(payoff, self.objective)), plies)
    }

    fn perft(&self, state: &Shared, depth: usize, finished: bool, budget: &Budget) -> Result<Perft, Stop> {
        self.rules.perft(state, depth, finished, budget)
    }

    fn broken_promise(&self, state: &Shared) -> Option<&'static str> {
        self.rules.broken_promise(state)
    }

    fn lasting_keys(&self) -> bool {
        self.rules.lasting_keys()
    }

    /// Bounds of the first player's score say nothing about a team.
    fn score_bounds(&self, _: &Shared) -> (i32, i32) {
        (i32::MIN, i32::MAX)
    }

    fn promise(&self, state: &Shared, mv: Nth) -> i32 {
        self.rules.promise(state, mv)
    }

    fn move_slot(&self, state: &Shared, mv: Nth) -> usize {
        self.rules.move_slot(state, mv)
    }

    fn noisy_moves(&self, state: &Shared, moves: &mut Vec<Nth>) {
        self.rules.noisy_moves(state, moves);
    }

    fn pass(&self, state: &Shared) -> Option<Shared> {
        self.rules.pass(state)
    }

    fn code_bits(&self) -> u32 {
        self.rules.code_bits()
    }

    fn code(&self, state: &Shared) -> u64 {
        self.rules.code(state)
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
