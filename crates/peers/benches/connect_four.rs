//! The six test sets of Connect Four: ours beside `connect-four-ai` 1.0.0, no opening book, tables of 64 MiB, one
//! thread, a cold table for every position.

#[cfg(feature = "peers")]
fn main() {
    use std::sync::Arc;

    use perfectplay_core::{Game, Objective};
    use perfectplay_games::connect_four::ConnectFour;
    use perfectplay_peers::measure;
    use perfectplay_search::alpha_beta::exact_solver::Solver;

    let sets = [
        ("end-easy", 1000),
        ("middle-easy", 1000),
        ("middle-medium", 1000),
        ("begin-easy", 1000),
        ("begin-medium", 60),
        ("begin-hard", 20),
    ];
    let only = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let game = Arc::new(ConnectFour::<u64, 6>::with_size(7, 6));
    let mut ours = Solver::new(game.clone(), 64 << 20).expect("Connect Four has no cycles");
    let mut peer = connect_four_ai::Solver::empty();
    println!("set             lines      ours µs      peer µs  ratio   ours nodes   peer nodes  ours Mn/s");
    for (name, limit) in sets.into_iter().filter(|s| only.as_ref().is_none_or(|o| s.0 == o)) {
        let path = format!("{}/../../data/connect-four/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("the test set");
        let lines: Vec<&str> = text.lines().take(limit).collect();
        let (mut seconds, mut nodes) = ([0.0; 2], [0u64; 2]);
        // A first round warms up: it touches the tables' memory.
        for round in 0..2 {
            let lines = if round == 0 { &lines[..lines.len() / 10] } else { &lines[..] };
            (seconds, nodes) = ([0.0; 2], [0; 2]);
            for line in lines {
                let (moves, score) = line.split_once(' ').expect("moves and score");
                let score: i32 = score.parse().expect("a score");
                let state = moves.bytes().fold(game.start(), |s, b| game.after(&s, b - b'1'));
                let position = connect_four_ai::Position::from_moves(moves).expect("legal moves");
                let sign = if moves.len() % 2 == 0 { 1 } else { -1 };
                let cost = measure(|| {
                    let before = ours.nodes();
                    ours.forget();
                    assert_eq!(sign * ours.solve(&state, Objective::Score), score, "{line}");
                    ours.nodes() - before
                });
                (seconds[0], nodes[0]) = (seconds[0] + cost.seconds, nodes[0] + cost.nodes);
                let cost = measure(|| {
                    peer.reset();
                    assert_eq!(i32::from(peer.solve(&position)), score, "{line}");
                    peer.explored_positions as u64
                });
                (seconds[1], nodes[1]) = (seconds[1] + cost.seconds, nodes[1] + cost.nodes);
            }
        }
        let n = lines.len() as f64;
        println!(
            "{name:<14} {:>6} {:>12.1} {:>12.1} {:>6.3} {:>12.0} {:>12.0} {:>10.1}",
            lines.len(),
            seconds[0] / n * 1e6,
            seconds[1] / n * 1e6,
            seconds[0] / seconds[1],
            nodes[0] as f64 / n,
            nodes[1] as f64 / n,
            nodes[0] as f64 / seconds[0] / 1e6,
        );
    }
}

#[cfg(not(feature = "peers"))]
fn main() {
    println!("run with --features peers");
}
