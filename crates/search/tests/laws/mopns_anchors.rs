//! Node counts of best-first PNS and MOPNS on Connect Four, to the node.
//!
//! They were reached by an independent program under this convention: a tree without a table; finished games are
//! noticed when a child is created; all children are created and counted, and the root; columns from left to right, the
//! first least number wins; among equally cheap attracting outcomes the better one for the mover. PNS is charged with
//! the runs that prove the value: "≥ win" for a win, "≥ draw" for a loss, both for a draw.

use crate::common::packed;

use perfectplay_core::{Budget, FullGame, Game, Objective, Status, Stop, ZeroSum};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_search::Search;
use perfectplay_search::proof_number::goals::Outcomes;
use perfectplay_search::proof_number::mopns::Mopns;
use perfectplay_search::proof_number::pns::{Mode, Pns, Shape};
use perfectplay_search::proof_number::tree_search::{Options, on_tree};

#[derive(Debug, Default, PartialEq, Eq)]
struct Totals {
    wins_draws_losses: [u32; 3],
    mopns: u64,
    mopns_expansions: u64,
    pns: u64,
    pns_expansions: u64,
}

fn run<G: FullGame<Payoff = ZeroSum>>(search: &mut dyn Search<G>) -> (Option<i32>, u64, u64) {
    assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
    let answer = search.answer();
    (answer.verdict.solved().map(|v| v.0), answer.effort.nodes, answer.counts[0].1)
}

fn totals(width: u32, height: u32, options: Options) -> Totals {
    let game = packed(ConnectFour::<u64>::new(width, height));
    let mut states = vec![game.start()];
    for _ in 0..4 {
        let mut next = Vec::new();
        for state in states {
            let mut moves = Vec::new();
            assert!(matches!(game.expand(&state, &mut moves), Status::Turn(_)));
            next.extend(moves.into_iter().map(|mv| game.after(&state, mv)));
        }
        states = next;
    }
    let outcomes = Outcomes::of(&*game, Objective::Gain, "test").unwrap();
    let mut totals = Totals::default();
    for state in states {
        let mut mopns =
            Mopns::new("mopns", game.clone(), state, outcomes.clone(), Shape::Tree(on_tree), options).unwrap();
        let (value, nodes, expansions) = run(&mut mopns);
        totals.mopns += nodes;
        totals.mopns_expansions += expansions;
        let value = value.expect("solved");
        totals.wins_draws_losses[(1 - value) as usize] += 1;
        let goals: &[usize] = match value {
            1 => &[1],
            0 => &[0, 1],
            _ => &[0],
        };
        for &goal in goals {
            let mut pns =
                Pns::new("pns", game.clone(), state, outcomes.clone(), Mode::Goal(goal), Shape::Tree(on_tree), options)
                    .unwrap();
            let (_, nodes, expansions) = run(&mut pns);
            totals.pns += nodes;
            totals.pns_expansions += expansions;
        }
    }
    totals
}

#[test]
fn four_by_four() {
    let totals = totals(4, 4, Options::default());
    assert_eq!((totals.mopns, totals.pns), (1_920_138, 2_400_206));
}

#[test]
#[ignore = "takes a minute"]
fn four_by_five() {
    let totals = totals(4, 5, Options::default());
    let expected = Totals {
        wins_draws_losses: [16, 222, 18],
        mopns: 16_944_696,
        mopns_expansions: 6_377_277,
        pns: 20_082_774,
        pns_expansions: 7_345_162,
    };
    assert_eq!(totals, expected);
}

/// The independent program needed about 10.1 million (MOPNS) and 11.7 million (PNS) nodes when leaves start by
/// mobility.
#[test]
#[ignore = "takes a minute"]
fn four_by_five_with_mobility() {
    let totals = totals(4, 5, Options { mobility: true, ..Options::default() });
    assert_eq!(totals.wins_draws_losses, [16, 222, 18]);
    assert!((10_050_000..10_150_000).contains(&totals.mopns), "{}", totals.mopns);
    assert!((11_650_000..11_750_000).contains(&totals.pns), "{}", totals.pns);
}
