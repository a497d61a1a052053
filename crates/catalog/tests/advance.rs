//! A search that is kept from move to move.

use perfectplay_catalog::{Algorithm, Setup, open};
use perfectplay_core::Budget;

#[test]
fn a_tree_is_kept_when_moves_are_played() {
    let position = open("connect-four:5x4").unwrap().start();
    let mut search = position.search(&Algorithm::parse("ubfm").unwrap(), &Setup::default()).unwrap();
    search.run(&Budget::nodes(5_000), &mut ());
    let states = |report: perfectplay_catalog::Report| report.counts.iter().find(|c| c.0 == "states").unwrap().1;
    let before = states(search.report());
    let best = search.report().best_move.unwrap();
    assert_eq!(search.advance(&best), Ok(true));
    assert_eq!(search.report().mover, Some(2));
    // What cannot be reached any more is forgotten before anything new is looked at.
    search.run(&Budget::nodes(1), &mut ());
    let kept = states(search.report());
    assert!(1 < kept && kept < before, "{kept} of {before} states were kept");
    assert!(search.advance("9").is_err());
    let mut oracle = position.search(&Algorithm::parse("backward-induction").unwrap(), &Setup::default()).unwrap();
    assert_eq!(oracle.advance("1"), Ok(false));
}
