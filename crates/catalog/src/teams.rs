//! Any two-player algorithm on a game for many, whose players have joined into two teams.

use perfectplay_core::{Budget, FullGame, Observer, Payoff, Player, Status, Stop, TextError};
use perfectplay_games::seam::Teams;
use perfectplay_search::{Reader, Refusal, SaveError, Setup, Writer};

use crate::assemble::ProofSide;
use crate::certify::{ProofFile, ProofLine};
use crate::position::{AnyPosition, Position};
use crate::report::Report;
use crate::search::AnySearch;
use crate::table::TableLine;
use crate::{Algorithm, Error};

/// The algorithm on the game in which players have joined into the teams that `text` means.
pub(crate) fn search<G: FullGame>(
    position: &Position<G>,
    text: &str,
    algorithm: &Algorithm,
    setup: &Setup,
) -> Result<Box<dyn AnySearch>, Error> {
    let opened = &position.opened;
    let Some(open) = opened.by_payoff.teams else {
        return Err(Error::Refused(Refusal::Other(format!(
            "teams={text} needs a game for more than two players or with separate scores; {} has two opposed players",
            opened.spec
        ))));
    };
    let mover = position.status().ok();
    let teams = meant(position, text, mover.unwrap_or(Player::FIRST))?;
    let search = open(opened, &position.state, teams, setup.objective).search(algorithm, setup)?;
    Ok(Box::new(TeamSearch { search, teams, mover, moves: position.moves() }))
}

/// The teams that a user's word means in this position.
fn meant<G: FullGame>(position: &Position<G>, text: &str, mover: Player) -> Result<Teams, Error> {
    let (game, players) = (&position.opened.game, position.opened.game.facts().players);
    match text {
        "me" => Ok(Teams::alone(mover, players)),
        "leader" if !game.facts().heuristic => Err(Error::Refused(Refusal::Other(format!(
            "teams=leader needs a heuristic that says who leads, and {} has none",
            position.opened.spec
        )))),
        "leader" => {
            let part = |p: Player| match game.status(&position.state) {
                Status::Over(payoff) => payoff.score(p) as f32,
                Status::Turn(_) => game.heuristic_of(&position.state, p),
            };
            // The lowest seat among equals.
            let leader = Player::all(players).rev().max_by(|&a, &b| part(a).total_cmp(&part(b)));
            Ok(Teams::alone(leader.unwrap_or(mover), players))
        }
        _ => Ok(Teams::parse(text, players)?),
    }
}

/// A search of the game in teams, told as what it is.
struct TeamSearch {
    search: Box<dyn AnySearch>,
    teams: Teams,
    mover: Option<Player>,
    moves: Vec<String>,
}

impl AnySearch for TeamSearch {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        self.search.run(budget, observer)
    }

    fn report(&self) -> Report {
        let mut report = self.search.report();
        let members = |team| {
            let names: Vec<String> = self.teams.members(team).map(|p| (p.index() + 1).to_string()).collect();
            format!("player{} {}", if names.len() > 1 { "s" } else { "" }, names.join(" and "))
        };
        let (first, second) = (members(Player::FIRST), members(Player::SECOND));
        let against = if self.teams.members(Player::SECOND).count() > 1 { "hold together" } else { "does its worst" };
        let note = format!(
            "the value is that of a game of two teams: what {first} can secure if {second} {against}; it is no \
equilibrium of {}",
            report.game
        );
        report.notes.insert(0, note);
        report.teams = Some(self.teams.to_string());
        report.mover = self.mover.map(|p| p.index() + 1);
        report
    }

    fn stopped(&mut self, stop: Stop) {
        self.search.stopped(stop);
    }

    fn grows(&self) -> bool {
        self.search.grows()
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        self.search.save(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>, seconds: f64) -> Result<(), SaveError> {
        self.search.restore(from, seconds)
    }

    /// A certificate names a game, and a game in teams has no name.
    fn can_prove(&self) -> Result<(), Error> {
        Err(Error::Unproved("proofs are written for games as they are, not for games in teams".into()))
    }

    fn can_write_table(&self) -> Result<(), Error> {
        Err(Error::Unproved("tables are written for games as they are, not for games in teams".into()))
    }

    fn write_table(&self, _: ProofFile) -> Result<TableLine, Error> {
        Err(self.can_write_table().expect_err("it never can"))
    }

    fn write_proof(&mut self, _: ProofFile, _: &Budget, _: &mut dyn Observer) -> Result<ProofLine, Error> {
        Err(self.can_prove().expect_err("it never can"))
    }

    fn write_side(&mut self, _: ProofSide, _: ProofFile, _: &Budget, _: &mut dyn Observer) -> Result<ProofLine, Error> {
        Err(self.can_prove().expect_err("it never can"))
    }

    /// Teams are fixed at the root of each search.
    fn advance(&mut self, text: &str) -> Result<bool, TextError> {
        if self.moves.iter().any(|m| m == text) { Ok(false) } else { Err(TextError::illegal_move(text, &self.moves)) }
    }
}
