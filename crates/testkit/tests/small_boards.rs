//! Known values of small Hex, Othello and Breakthrough boards.

use std::collections::HashMap;
use std::sync::Arc;

use perfectplay_core::{Budget, FullGame, Game, Objective, Params, Payoff, Player, Status, ZeroSum};
use perfectplay_games::breakthrough::Breakthrough;
use perfectplay_games::hex::Hex;
use perfectplay_games::othello::{Othello, Score};
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::proof_number::pns;
use perfectplay_search::{Search, Setup};

/// The value by backward induction and, of a gain, by proof-number search.
fn value<G: FullGame<Payoff = ZeroSum>>(game: &Arc<G>, state: G::State, objective: Objective) -> i32 {
    let mut induction = BackwardInduction::new(game.clone(), state, objective).unwrap();
    induction.run(&Budget::unlimited(), &mut ());
    let value = objective.value(induction.answer().verdict.solved().unwrap(), Player::FIRST);
    if objective == Objective::Gain {
        assert_eq!(proven(game, state), value, "proof-number search and backward induction disagree");
    }
    value
}

fn proven<G: FullGame<Payoff = ZeroSum>>(game: &Arc<G>, state: G::State) -> i32 {
    let mut search = pns::open(game.clone(), state, &Setup::default(), Params::default()).unwrap();
    search.run(&Budget::unlimited(), &mut ());
    search.answer().verdict.solved().unwrap().gain(Player::FIRST).value()
}

/// Where an opening stone wins (`B`), row by row from the top.
fn winning_openings(size: u32, induction: bool) -> String {
    let game = Arc::new(Hex::<u64>::new(size, false));
    let mut moves = Vec::new();
    game.expand(&game.start(), &mut moves);
    let letters = moves.into_iter().map(|mv| {
        let after = game.after(&game.start(), mv);
        let gain = if induction { value(&game, after, Objective::Gain) } else { proven(&game, after) };
        if gain > 0 { 'B' } else { 'w' }
    });
    let rows: Vec<String> = letters.collect::<Vec<_>>().chunks(size as usize).map(|row| row.iter().collect()).collect();
    rows.join("/")
}

#[test]
fn hex_openings() {
    assert_eq!(winning_openings(2, true), "wB/Bw");
    assert_eq!(winning_openings(3, true), "wwB/BBB/Bww");
}

#[test]
fn hex_openings_on_four_by_four() {
    assert_eq!(winning_openings(4, false), "wwwB/wwBw/wBww/Bwww");
}

#[test]
fn with_the_swap_hex_is_a_win_for_the_second_player() {
    let game = Arc::new(Hex::<u64>::new(3, true));
    assert_eq!(value(&game, game.start(), Objective::Gain), -1);
}

#[test]
fn small_othello_is_won_by_the_second_player_by_eight() {
    for (score, value_of_it) in [(Score::Discs, -8), (Score::Empties, -10)] {
        let game = Arc::new(Othello::<u64>::new(4, score));
        assert_eq!(value(&game, game.start(), Objective::Gain), -1);
        assert_eq!(value(&game, game.start(), Objective::Score), value_of_it);
    }
}

/// Who wins, and after how many moves if the winner hurries and the loser delays.
fn race<G: FullGame<Payoff = ZeroSum>>(
    game: &G,
    state: &G::State,
    known: &mut HashMap<G::Key, (Player, u32)>,
) -> (Player, u32) {
    let key = game.key(state);
    if let Some(&result) = known.get(&key) {
        return result;
    }
    let mut moves = Vec::new();
    let result = match game.expand(state, &mut moves) {
        Status::Over(payoff) => (Player::new(usize::from(payoff.score(Player::FIRST) < 0)), 0),
        Status::Turn(mover) => {
            let results = moves.into_iter().map(|mv| race(game, &game.after(state, mv), known));
            // Winning soon is best, then losing late.
            let best = results.max_by_key(|&(winner, plies)| {
                let plies = i64::from(plies);
                if winner == mover { 1_000 - plies } else { plies - 1_000 }
            });
            let (winner, plies) = best.expect("a mover has moves");
            (winner, plies + 1)
        }
    };
    known.insert(key, result);
    result
}

#[test]
fn breakthrough_is_won_by_the_second_player() {
    for (columns, rows, plies) in [(2, 4, 8), (3, 4, 12), (2, 5, 10), (3, 5, 18)] {
        let game = Breakthrough::<u64>::new(columns, rows, 2);
        let found = race(&game, &game.start(), &mut HashMap::new());
        assert_eq!(found, (Player::SECOND, plies), "{columns}x{rows}");
    }
    for (columns, rows) in [(3, 4), (2, 5)] {
        let game = Arc::new(Breakthrough::<u64>::new(columns, rows, 2));
        assert_eq!(value(&game, game.start(), Objective::Gain), -1, "{columns}x{rows}");
    }
    let game = Arc::new(Breakthrough::<u64>::new(4, 4, 2));
    assert_eq!(proven(&game, game.start()), -1);
}
