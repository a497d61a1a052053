//! What every exact algorithm needs to solve the same positions, side by side. The node counts do not depend on the
//! machine; what a node is depends on the algorithm (a state of a shared graph, a node of a tree, a visit …), so read
//! them with the bytes beside them.

use perfectplay_catalog::{ALGORITHMS, Algorithm, Report, Setup, open};
use perfectplay_core::Budget;

use super::Search;
use crate::Error;

/// Games on which algorithms differ.
const GAMES: &[&str] = &[
    "tic-tac-toe",
    "connect-four:4x4",
    "connect-four:5x4",
    "connect-four:5x5",
    "mnk:4x4x4",
    "hex:3",
    "breakthrough:4x4",
];

/// The reports of all searches until somebody stops them: of `games`, or of a fixed set if none is named, by the
/// algorithms in `with`, or by all that take the game if none is.
pub fn run(
    games: &[String],
    with: &[String],
    setup: &Setup,
    budget: &Budget,
    search: Search<'_>,
) -> Result<Vec<Report>, Error> {
    let games: Vec<&str> = if games.is_empty() { GAMES.to_vec() } else { games.iter().map(String::as_str).collect() };
    let names: Vec<String> = match with {
        [] => ALGORITHMS.iter().filter(|a| a.exact).map(|a| a.name.to_owned()).collect(),
        names => names.to_vec(),
    };
    let mut reports = Vec::new();
    for spec in games {
        let position = open(spec)?.start();
        for name in &names {
            let mut opened = match position.search(&Algorithm::parse(name)?, setup) {
                Ok(opened) => opened,
                Err(_) if with.is_empty() => continue,
                Err(error) => return Err(error.into()),
            };
            let mut report = search(&mut *opened, &format!("{spec} {name}"), budget);
            report.moves.clear();
            reports.push(report);
            if budget.stop.is_pulled() {
                return Ok(reports);
            }
        }
    }
    Ok(reports)
}
