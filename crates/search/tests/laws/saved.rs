//! Searches that are saved and restored again and again. The laws in `testkit` do this for every algorithm; here are
//! the cases with states of their own: nested searches, a budget of single nodes.

use std::sync::Arc;

use crate::common::packed;
use perfectplay_core::{Answer, Budget, Game, Ledger, Params, Stop, ZeroSum};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::seam::Tiny;
use perfectplay_search::oracle::backward_induction;
use perfectplay_search::proof_number::pns;
use perfectplay_search::{Reader, Search, Setup, Writer};

type Four = Tiny<ZeroSum>;

fn new(game: &Arc<Four>, options: Option<&str>) -> Box<dyn Search<Four>> {
    let setup = Setup::default();
    match options {
        Some(options) => pns::open(game.clone(), game.start(), &setup, Params::parse(options).unwrap()).unwrap(),
        None => backward_induction::open(game.clone(), game.start(), &setup, Params::default()).unwrap(),
    }
}

/// Spends `limit` nodes in slices of `slice`, on another search each time.
fn patchwork(new: impl Fn() -> Box<dyn Search<Four>>, limit: u64, slice: u64) -> Answer<Four> {
    let (ledger, mut search) = (Ledger::default(), new());
    while ledger.spent() < limit {
        let budget = Budget { ledger: ledger.clone(), ..Budget::nodes(slice.min(limit - ledger.spent())) };
        if search.run(&budget, &mut ()) == Stop::Done {
            break;
        }
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes);
        search.save(&mut writer).unwrap();
        writer.finish().unwrap();
        search = new();
        let mut input = bytes.as_slice();
        let mut reader = Reader::new(&mut input, bytes.len() as u64);
        search.restore(&mut reader).unwrap();
        reader.finish().unwrap();
    }
    search.answer()
}

#[test]
fn a_patchwork_is_the_same_as_one_piece() {
    let game = packed(ConnectFour::<u64>::new(4, 4));
    for options in [Some(""), Some("squared=on"), Some("table=on"), Some("squared=on,prune=off"), None] {
        for (limit, slice) in [(9_000, 700), (9_000, 61), (300, 1), (40_000, 9_999)] {
            let mut whole = new(&game, options);
            whole.run(&Budget::nodes(limit), &mut ());
            let whole = whole.answer();
            let found = patchwork(|| new(&game, options), limit, slice);
            let told = |a: &Answer<Four>| (a.verdict, a.line.clone(), a.effort.nodes, a.counts.clone());
            assert_eq!(told(&found), told(&whole), "{options:?} {limit} nodes by {slice}");
            assert!(whole.effort.bytes > 0);
        }
    }
}
