//! `teams=`: every two-player algorithm on games for many, and reports that say so.

use perfectplay_catalog::{ALGORITHMS, Algorithm, Error, Report, Setup, open};
use perfectplay_core::{Budget, Objective, SolveStatus, Stop};

fn report(game: &str, algorithm: &str, objective: Objective) -> Result<Report, Error> {
    let setup = Setup { objective, exact: true, memory: Some(8 << 20), ..Setup::default() };
    let mut search = open(game)?.start().search(&Algorithm::parse(algorithm)?, &setup)?;
    search.run(&Budget::unlimited(), &mut ());
    Ok(search.report())
}

const GAME: &str = "random:players=3,depth=4,outcomes=3,seed=4";

#[test]
fn every_two_player_algorithm_runs_on_teams_and_finds_the_same() {
    for (teams, objective) in [("me", Objective::Gain), ("1+3/2", Objective::Score)] {
        let truth = report(GAME, &format!("backward-induction:teams={teams}"), objective).unwrap();
        assert_eq!(truth.status, SolveStatus::Solved);
        for info in ALGORITHMS.iter().filter(|a| a.exact && a.name != "equilibria") {
            let text = format!("{}:teams={teams}", info.name);
            match report(GAME, &text, objective) {
                Ok(found) => assert_eq!((found.status, &found.value), (SolveStatus::Solved, &truth.value), "{text}"),
                Err(Error::Refused(_)) => {
                    // Negamax wants turns that alternate, others settle the gain only.
                    assert!(
                        ["negamax", "pns", "df-pn", "null-move", "retrograde"].contains(&info.name),
                        "{text} refused"
                    );
                }
                Err(error) => panic!("{text}: {error}"),
            }
        }
    }
}

#[test]
fn the_report_says_that_it_is_about_teams() {
    let found = report(GAME, "alpha-beta:teams=me", Objective::Gain).unwrap();
    assert_eq!((found.teams.as_deref(), found.mover), (Some("1/2+3"), Some(1)));
    assert!(found.notes[0].contains("what player 1 can secure if players 2 and 3 hold together"), "{:?}", found.notes);
    assert!(found.notes[0].contains("no equilibrium"), "{:?}", found.notes);
    assert!(found.verdict().starts_with("team "), "{}", found.verdict());
    let found = report(GAME, "alpha-beta:teams=2/13", Objective::Score).unwrap();
    assert!(found.verdict().contains("team 1 of 2/1+3 can secure a score of"), "{}", found.verdict());
}

#[test]
fn what_makes_no_sense_is_refused_with_a_sentence() {
    let refusal = |game, algorithm| report(game, algorithm, Objective::Gain).unwrap_err().to_string();
    assert!(refusal(GAME, "alpha-beta").contains("teams=me"));
    assert!(refusal(GAME, "alpha-beta:teams=1/2").contains("like 1/23"));
    assert!(refusal("tic-tac-toe", "alpha-beta:teams=me").contains("more than two players"));
    assert!(refusal("script:[(1,2,3),(3,2,1)]", "alpha-beta:teams=leader").contains("heuristic"));
}

#[test]
fn the_searches_for_many_players_are_there() {
    for algorithm in ["maxn", "maxn:prune=all", "paranoid", "brs", "brs:plus=on", "mp-mix"] {
        let found = report(GAME, algorithm, Objective::Score).unwrap();
        assert!(found.best_move.is_some() && found.stop == Some(Stop::Done), "{algorithm}: {found:?}");
        assert_eq!(
            found.status == SolveStatus::Solved,
            algorithm.starts_with("maxn") || found.notes[0].contains("max^n")
        );
    }
    assert!(
        report("mnk:3x3x3,players=3", "brs:plus=off", Objective::Gain).unwrap_err().to_string().contains("plus=on")
    );
}
