//! Values and theorems that are known from elsewhere.

use std::sync::Arc;

use perfectplay_core::{Budget, FullGame, Game, Notation, Objective, Payoff, Player, Scores, ZeroSum};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::mnk::{Mnk2, Mnk3};
use perfectplay_games::nim::{Heaps, Nim};
use perfectplay_games::script::Script;
use perfectplay_games::tic_tac_toe;
use perfectplay_search::Search;
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::oracle::equilibria::Equilibria;

fn solved<G: FullGame>(game: G) -> BackwardInduction<G> {
    let game = Arc::new(game);
    let mut search = BackwardInduction::new(game.clone(), game.start(), Objective::Gain).unwrap();
    search.run(&Budget::unlimited(), &mut ());
    search
}

/// The value of the start and the number of positions.
fn value<G: FullGame>(game: G) -> (G::Payoff, usize) {
    let search = solved(game);
    (search.answer().verdict.solved().unwrap(), search.states())
}

fn winner<G: FullGame<Payoff = ZeroSum>>(game: G) -> i32 {
    value(game).0.gain(Player::FIRST).value()
}

#[test]
fn tic_tac_toe_is_a_draw_of_5478_positions() {
    assert_eq!(value(tic_tac_toe::new()), (ZeroSum(0), 5478));
}

#[test]
fn three_in_a_row_for_three_is_a_draw() {
    let search = solved(Mnk3::<u64>::new(3, 3, 3));
    let answer = search.answer();
    assert_eq!(answer.verdict.solved(), Some(Scores::draw()));
    let count = |name| answer.counts.iter().find(|(n, _)| *n == name).unwrap().1;
    assert_eq!(count("positions") - count("finished"), 24_394);
}

#[test]
fn three_in_a_row_is_won_on_larger_boards() {
    assert_eq!(winner(Mnk2::<u64>::new(3, 4, 3)), 1);
    assert_eq!(winner(Mnk2::<u64>::new(4, 3, 3)), 1);
}

#[test]
fn small_boards_of_connect_four() {
    assert_eq!(value(ConnectFour::<u64>::new(4, 4)), (ZeroSum(0), 161_029));
    assert_eq!(value(ConnectFour::<u64>::new(4, 5)), (ZeroSum(0), 1_706_255));
}

#[test]
#[ignore = "half a minute, a gigabyte"]
fn larger_boards() {
    assert_eq!(winner(Mnk2::<u64>::new(4, 4, 3)), 1);
    assert_eq!(winner(Mnk2::<u64>::new(4, 4, 4)), 0);
    assert_eq!(value(ConnectFour::<u64>::new(5, 4)), (ZeroSum(0), 3_945_711));
    assert_eq!(value(ConnectFour::<u64>::new(4, 6)), (ZeroSum(0), 15_835_683));
}

#[test]
fn scripts_have_the_values_they_claim() {
    let scores = |text: &str| {
        let game = Arc::new(Script::<Scores<3>>::parse(text).unwrap());
        let values = Equilibria::solve(game, 0, Objective::Score).unwrap();
        values.iter().map(|v| v.scores).collect::<Vec<_>>()
    };
    let deep = include_str!("../../../data/scripts/deep-pruning.txt");
    assert_eq!(scores(deep), [[10, 8, 2]]);
    assert_eq!(scores(&deep.replace("(8,2,10), (0,9,11)", "(8,2,10), (8,0,12)")), [[12, 8, 0]]);
    assert_eq!(scores(include_str!("../../../data/scripts/max-n.txt")), [[7, 3, 6]]);
    let mut kingmaker = scores(include_str!("../../../data/scripts/kingmaker.txt"));
    kingmaker.sort_unstable();
    assert_eq!(kingmaker, [[1, 1, 1], [2, 0, 0]]);
    let two = |text| {
        BackwardInduction::solve(Arc::new(Script::<ZeroSum>::parse(text).unwrap()), 0, Objective::Score).unwrap()
    };
    assert_eq!(two(include_str!("../../../data/scripts/minimax.txt")), ZeroSum(3));
    assert_eq!(two(include_str!("../../../data/scripts/zugzwang.txt")), ZeroSum(0));
}

/// The previous player comes first iff every binary column of the heaps adds up to 0 modulo the number of players.
fn podium_theorem<P: Payoff>() {
    let game = Arc::new(Nim::<P>::new(&[7, 7, 7], false));
    let mut search = BackwardInduction::new(game.clone(), game.start(), Objective::Score).unwrap();
    search.run(&Budget::unlimited(), &mut ());
    let mut looked_at = 0;
    for text in positions(P::PLAYERS) {
        let Ok(state) = game.parse_position(&text) else { continue }; // nobody can be to move there
        let heaps = |i| u32::from(Heaps::heap(state, i));
        let balanced = (0..3).all(|bit| (0..3).map(|i| heaps(i) >> bit & 1).sum::<u32>() % P::PLAYERS as u32 == 0);
        let previous = Player::new((state.mover().index() + P::PLAYERS - 1) % P::PLAYERS);
        let value = search.value(&state).unwrap();
        let first = Player::all(P::PLAYERS).max_by_key(|&p| value.score(p)).unwrap();
        assert_eq!(first == previous, balanced, "{text}: {value:?}");
        looked_at += 1;
    }
    assert_eq!(looked_at, search.states());
}

fn positions(players: usize) -> impl Iterator<Item = String> {
    (0..512).flat_map(move |n: u32| (1..=players).map(move |p| format!("{},{},{} {p}", n & 7, n >> 3 & 7, n >> 6)))
}

#[test]
fn nim_follows_its_theorem() {
    podium_theorem::<ZeroSum>();
    podium_theorem::<Scores<3>>();
    podium_theorem::<Scores<4>>();
}
