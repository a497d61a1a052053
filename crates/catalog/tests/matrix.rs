//! Normal forms, compared with the paper's table.

use perfectplay_catalog::rock_paper_scissors;

/// Červeňan 2025, Table A.1, the gain of player 1.
const TWO_ROUNDS: [[i32; 9]; 9] = [
    [0, -1, 1, -1, -2, 0, 1, 0, 2],
    [1, 0, -1, 0, -1, -2, 2, 1, 0],
    [-1, 1, 0, -2, 0, -1, 0, 2, 1],
    [1, 0, 2, 0, -1, 1, -1, -2, 0],
    [2, 1, 0, 1, 0, -1, 0, -1, -2],
    [0, 2, 1, -1, 1, 0, -2, 0, -1],
    [-1, -2, 0, 1, 0, 2, 0, -1, 1],
    [0, -1, -2, 2, 1, 0, 1, 0, -1],
    [-2, 0, -1, 0, 2, 1, -1, 1, 0],
];

#[test]
fn two_rounds_of_rock_paper_scissors_are_the_table_of_the_paper() {
    let matrix = rock_paper_scissors(2).unwrap();
    assert_eq!(matrix.rows[..4], ["(R,R)", "(R,P)", "(R,S)", "(P,R)"]);
    for (row, expected) in matrix.cells.iter().zip(TWO_ROUNDS) {
        assert_eq!(row[..], expected.map(|v| [v, -v]));
    }
}

#[test]
fn rock_paper_scissors_is_fair_and_no_reply_beats_the_mix() {
    for rounds in 1..=3 {
        let matrix = rock_paper_scissors(rounds).unwrap();
        let mix = matrix.equilibrium().unwrap();
        assert!(mix.value.abs() < 1e-9);
        assert!((mix.rows.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        for c in 0..matrix.columns.len() {
            let result: f64 = mix.rows.iter().zip(&matrix.cells).map(|(p, row)| p * f64::from(row[c][0])).sum();
            assert!(result > -1e-9);
        }
    }
    assert!(rock_paper_scissors(0).is_err() && rock_paper_scissors(6).is_err());
}
