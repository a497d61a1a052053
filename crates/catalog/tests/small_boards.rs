//! Known values of small boards, each found by two algorithms that have nothing in common.

use std::collections::HashMap;

use perfectplay_catalog::{Algorithm, AnyPosition, Setup, open};
use perfectplay_core::{Budget, Game, Objective, Payoff, Player, Status, Stop, ZeroSum};
use perfectplay_games::breakthrough::Breakthrough;

/// What a position is worth to the first player.
fn value(position: &dyn AnyPosition, algorithm: &str, objective: Objective) -> i32 {
    let setup = Setup { objective, ..Setup::default() };
    let mut search = position.search(&Algorithm::parse(algorithm).unwrap(), &setup).unwrap();
    assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
    let value = search.report().value.expect("no limit was set")[0];
    if objective == Objective::Gain { value.signum() } else { value }
}

fn agreed(spec: &str, algorithms: [&str; 2], objective: Objective) -> i32 {
    let start = open(spec).unwrap().start();
    let [one, other] = algorithms.map(|algorithm| value(&*start, algorithm, objective));
    assert_eq!(one, other, "{spec}: {algorithms:?} disagree");
    one
}

/// Win, draw or loss by backward induction and by proof-number search, whose tree is small where games are short.
fn gain(spec: &str) -> i32 {
    agreed(spec, ["backward-induction", "pns"], Objective::Gain)
}

/// The score by backward induction and by descent, which both know a position again when they meet it.
fn score(spec: &str) -> i32 {
    agreed(spec, ["backward-induction", "descent"], Objective::Score)
}

/// Who moves first wins, or loses, on these boards.
#[test]
fn clobber() {
    for size in ["1x2", "1x4", "1x8", "2x2", "2x4", "2x5", "2x7", "4x4"] {
        assert_eq!(gain(&format!("clobber:{size}")), 1, "{size}");
    }
    for size in ["1x6", "2x3", "2x6", "3x4"] {
        assert_eq!(gain(&format!("clobber:{size}")), -1, "{size}");
    }
}

#[test]
#[ignore = "minutes"]
fn larger_clobber() {
    for size in ["2x8", "4x5"] {
        assert_eq!(gain(&format!("clobber:{size}")), 1, "{size}");
    }
    assert_eq!(gain("clobber:3x6"), -1);
}

/// Square boards after Breuker, Uiterwijk and van den Herik (2000).
#[test]
fn domineering() {
    for (size, winner) in [(2, 1), (3, 1), (4, 1), (5, -1)] {
        assert_eq!(gain(&format!("domineering:{size}x{size}")), winner, "{size}");
        assert_eq!(gain(&format!("domineering:{size}x{size},first=horizontal")), winner, "{size}");
    }
}

#[test]
fn dots_and_boxes() {
    for (size, boxes) in [("1x1", -1), ("1x2", 0), ("1x3", -1), ("1x4", 0), ("2x2", 2)] {
        assert_eq!(score(&format!("dots-and-boxes:{size}")), boxes, "{size}");
    }
}

#[test]
#[ignore = "minutes, some gigabytes"]
fn larger_dots_and_boxes() {
    assert_eq!(score("dots-and-boxes:2x3"), -2);
    assert_eq!(score("dots-and-boxes:3x3"), -3);
}

/// Two stones beside each other on the rim join two corners: one move too many for the second player, unless it may
/// swap.
#[test]
fn havannah() {
    assert_eq!(gain("havannah:2,swap=off"), 1);
    assert_eq!(gain("havannah:2"), -1);
}

/// Where an opening stone wins (`B`), row by row from the top.
fn winning_openings(size: usize, algorithms: &[&str]) -> String {
    let game = open(&format!("hex:{size},swap=off")).unwrap();
    let letters: Vec<char> = game
        .start()
        .moves()
        .iter()
        .map(|mv| {
            let mut after = game.start();
            after.play(mv).unwrap();
            let found: Vec<i32> = algorithms.iter().map(|name| value(&*after, name, Objective::Gain)).collect();
            assert!(found.iter().all(|&gain| gain == found[0]), "{mv}: {algorithms:?} disagree");
            if found[0] > 0 { 'B' } else { 'w' }
        })
        .collect();
    let rows: Vec<String> = letters.chunks(size).map(|row| row.iter().collect()).collect();
    rows.join("/")
}

#[test]
fn hex_openings() {
    assert_eq!(winning_openings(2, &["backward-induction", "pns"]), "wB/Bw");
    assert_eq!(winning_openings(3, &["backward-induction", "pns"]), "wwB/BBB/Bww");
    assert_eq!(winning_openings(4, &["pns"]), "wwwB/wwBw/wBww/Bwww");
}

#[test]
fn with_the_swap_hex_is_a_win_for_the_second_player() {
    assert_eq!(gain("hex:3"), -1);
}

#[test]
fn small_othello_is_won_by_the_second_player_by_eight() {
    for (rule, points) in [("discs", -8), ("empties", -10)] {
        let spec = format!("othello:4,score={rule}");
        assert_eq!(gain(&spec), -1);
        assert_eq!(score(&spec), points);
    }
}

/// Who wins, and after how many moves if the winner hurries and the loser delays.
fn race<G: Game<Payoff = ZeroSum>>(
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
    for size in ["3x4", "2x5"] {
        assert_eq!(gain(&format!("breakthrough:{size}")), -1, "{size}");
    }
    assert_eq!(value(&*open("breakthrough:4x4").unwrap().start(), "pns", Objective::Gain), -1);
}
