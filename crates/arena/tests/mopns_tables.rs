//! The paper's tables, to the node.

use perfectplay_arena::experiments::mopns_tables::{FULL, QUICK, sequences};
use perfectplay_core::Budget;
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::woodpush::Woodpush;

#[test]
fn the_smallest_block_is_known_to_the_node() {
    let problem = FULL[0];
    let mut told = 0;
    let block = problem.run(&Budget::unlimited(), &mut (), &mut |done, _| told = done).unwrap();
    assert_eq!((block.rows.len(), told), (256, 256));
    assert_eq!(Some(block.totals().map(|t| t.nodes)), block.known);
    assert!(block.lowest_nodes()[0] > block.lowest_nodes()[1], "MOPNS wins on most");
    assert_eq!(block.picture().unwrap().matches("<circle").count(), 256);
}

#[test]
fn sequences_are_as_many_as_in_the_paper() {
    let count = |game: Woodpush, plies| sequences(&game, plies).len();
    assert_eq!(count(Woodpush::new(8, 3), 4), 99);
    assert_eq!(count(Woodpush::new(13, 2), 8), 256);
    assert_eq!(sequences(&ConnectFour::<u64>::new(5, 5), 4).len(), 625);
}

/// Minutes. `perfectplay experiment mopns-tables --full` does the same.
#[test]
#[ignore = "takes minutes"]
fn every_known_total_is_met() {
    for problem in QUICK.iter().chain(FULL) {
        let block = problem.run(&Budget::unlimited(), &mut (), &mut |_, _| {}).unwrap();
        if block.known.is_some() {
            assert_eq!(Some(block.totals().map(|t| t.nodes)), block.known, "{}", problem.spec());
        }
    }
}
