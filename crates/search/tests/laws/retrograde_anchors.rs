//! Games whose positions repeat, against what others published and against the definition: who can force a win within
//! 0, 1, 2 … plies, found by going through all positions once more for every ply.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use perfectplay_core::{
    Budget, FullGame, Gain, Game, LONGEST, Notation, Objective, Payoff, Player, Status, Stop, ZeroSum, plies_of,
};
use perfectplay_games::chess::Chess;
use perfectplay_games::chinese_checkers::ChineseCheckers;
use perfectplay_games::draughts::Rules as DraughtsRules;
use perfectplay_games::english_checkers::Checkers;
use perfectplay_games::go::{Go, Ko, Rules as GoRules};
use perfectplay_search::oracle::retrograde::Retrograde;
use perfectplay_search::{Search, Writer};
use rustc_hash::FxHashMap;

fn retrograde<G: FullGame<Payoff = ZeroSum>>(game: &Arc<G>, root: G::State) -> Retrograde<G> {
    let mut search = Retrograde::new(game.clone(), root, Objective::Length).unwrap();
    assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
    search
}

/// Everything that can be reached from `root`, and its value under [`Objective::Length`] by the definition.
fn by_definition<G: FullGame<Payoff = ZeroSum>>(game: &G, root: G::State) -> (Vec<G::State>, Vec<i32>)
where
    G::Key: Eq + Hash,
{
    let mut number = FxHashMap::from_iter([(game.key(&root), 0)]);
    let (mut states, mut next, mut movers) = (vec![root], Vec::new(), Vec::new());
    let mut moves = Vec::new();
    while let Some(&state) = states.get(next.len()) {
        moves.clear();
        movers.push(game.expand(&state, &mut moves));
        let after = moves.iter().map(|&mv| {
            let state = game.after(&state, mv);
            *number.entry(game.key(&state)).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            })
        });
        next.push(after.collect::<Vec<_>>());
    }
    let mut values = vec![0; states.len()];
    for player in [Player::FIRST, Player::SECOND] {
        let sign = ZeroSum::win_for(player).0;
        let is_win = |status: &Status<ZeroSum>| matches!(status, Status::Over(end) if end.gain(player) == Gain::Win);
        let mut won: Vec<bool> = movers.iter().map(is_win).collect();
        for plies in 0.. {
            let fresh: Vec<usize> = (0..states.len()).filter(|&i| won[i] && values[i] == 0).collect();
            if fresh.is_empty() && plies > 0 {
                break;
            }
            fresh.iter().for_each(|&i| values[i] = sign * (LONGEST - plies));
            let forced = |i: usize| match movers[i] {
                Status::Over(_) => won[i],
                Status::Turn(mover) if mover == player => next[i].iter().any(|&n| won[n]),
                Status::Turn(_) => next[i].iter().all(|&n| won[n]),
            };
            won = (0..states.len()).map(forced).collect();
        }
    }
    (states, values)
}

/// How many positions there are, after both ways agreed on each of them.
fn agree<G: FullGame<Payoff = ZeroSum>>(game: &Arc<G>, root: G::State) -> usize {
    let search = retrograde(game, root);
    let (states, values) = by_definition(&**game, root);
    for (state, value) in states.iter().zip(values) {
        assert_eq!(search.value(state), Some(ZeroSum(value)), "{}", game.position_text(state));
    }
    states.len()
}

fn checkers() -> Arc<Checkers> {
    Arc::new(Checkers::new(DraughtsRules { endless: true, ..DraughtsRules::english() }))
}

/// A king against a king on all 992 pairs of squares: 230 won, 654 drawn, 108 lost for the side to move, and the
/// longest win takes 11 plies (E. Trice, report of his database builder on damforum.nl; he counts 32 wins of that
/// length, the definition 34).
#[test]
fn king_against_king_in_checkers() {
    let game = checkers();
    let squares = 1..=32;
    let pairs = squares.clone().flat_map(|a| squares.clone().filter(move |&b| a != b).map(move |b| (a, b)));
    let mut searches: Vec<Retrograde<Checkers>> = Vec::new();
    let values: Vec<i32> = pairs
        .map(|(black, white)| {
            let state = game.parse_position(&format!("B:WK{white}:BK{black}")).unwrap();
            if let Some(value) = searches.iter().find_map(|search| search.value(&state)) {
                return value.0;
            }
            searches.push(retrograde(&game, state));
            searches.last().and_then(|search| search.value(&state)).expect("its own root").0
        })
        .collect();
    let count = |sign: i32| values.iter().filter(|value| value.signum() == sign).count();
    assert_eq!([count(1), count(0), count(-1)], [230, 654, 108]);
    let wins: Vec<u32> = values.iter().filter(|&&value| value > 0).map(|&value| plies_of(value)).collect();
    assert_eq!((wins.iter().max(), wins.iter().filter(|&&plies| plies == 11).count()), (Some(&11), 34));
    agree(&game, game.parse_position("B:WK1:BK32").unwrap());
}

/// Two against one, men and kings. (No published counts were found: the definition decides.)
#[test]
fn two_against_one_in_checkers() {
    let game = checkers();
    for position in ["B:WK1:BK29,K32", "B:W29:B4,K12"] {
        let positions = agree(&game, game.parse_position(position).unwrap());
        assert!(positions > 10_000, "{position}: {positions}");
    }
}

/// With simple ko both players can take and take back for ever (D. Fifield 2005, on the board of two lines), where
/// superko gives Black a point; there are 57 boards (Tromp and Farnebäck 2007).
#[test]
fn go_on_two_lines_with_simple_ko_goes_on_for_ever() {
    let game = Arc::new(Go::<u64>::new(2, GoRules { half_points: 0, ko: Ko::Simple, suicide: false }));
    let search = retrograde(&game, game.start());
    assert_eq!(search.value(&game.start()), Some(ZeroSum(0)));
    agree(&game, game.start());
    let (states, _) = by_definition(&*game, game.start());
    assert_eq!(states.iter().map(|state| state.stones).collect::<HashSet<_>>().len(), 57);
}

/// The small boards are all won by the first player (Sturtevant 2019, whose rule against blocking is `harmless` here).
#[test]
fn chinese_checkers_with_one_piece_is_won_by_the_first_player() {
    for harmless in [false, true] {
        let game = Arc::new(ChineseCheckers::<2, ZeroSum>::new(1, harmless, 0));
        let search = retrograde(&game, game.start());
        assert_eq!(search.value(&game.start()), Some(ZeroSum(LONGEST - 9)), "in 9 plies");
        agree(&game, game.start());
    }
}

#[test]
#[ignore = "takes a minute and half a gigabyte"]
fn chinese_checkers_with_three_pieces_is_won_by_the_first_player() {
    let game = Arc::new(ChineseCheckers::<2, ZeroSum>::new(2, true, 0));
    let search = retrograde(&game, game.start());
    assert_eq!(search.value(&game.start()), Some(ZeroSum(LONGEST - 29)), "in 29 plies");
    assert_eq!(search.states(), 3_542_556, "up to symmetry");
    // Whoever may leave a piece at home for ever does not lose.
    let game = Arc::new(ChineseCheckers::<2, ZeroSum>::new(2, false, 0));
    assert_eq!(retrograde(&game, game.start()).value(&game.start()), Some(ZeroSum(0)));
}

/// What a search would write to a file.
fn saved<G: FullGame<Payoff = ZeroSum>>(search: &Retrograde<G>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes);
    search.save(&mut writer).unwrap();
    writer.finish().unwrap();
    bytes
}

/// States have the same numbers, moves the same order, and positions the same values, whoever came first.
#[test]
fn any_number_of_threads_finds_the_same_to_the_byte() {
    let game = Arc::new(Chess::new(518, false));
    let root = game.parse_position("8/8/8/8/3k4/8/8/KR6 w - - 0 1").unwrap();
    let run = |threads: usize| {
        let mut search = Retrograde::new(game.clone(), root, Objective::Length).unwrap();
        let met = [1, 100, 8_000, 10_000].map(|nodes| {
            assert_eq!(search.run(&Budget { threads, ..Budget::nodes(nodes) }, &mut ()), Stop::Nodes);
            saved(&search)
        });
        assert_eq!(search.run(&Budget { threads, ..Budget::unlimited() }, &mut ()), Stop::Done);
        let mut values = Vec::new();
        assert!(search.strong_values(&mut |key, value| values.push((*key, value))));
        (met, values)
    };
    let (met, values) = run(1);
    assert!(values.len() > 20_000, "{} positions are too few", values.len());
    for threads in [2, 3, 7] {
        let (met_by_all, values_of_all) = run(threads);
        assert!(met_by_all == met && values_of_all == values, "{threads} threads");
    }
}
