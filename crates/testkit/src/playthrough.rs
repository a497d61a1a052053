//! A game written out move by move, to be compared with the file `data/playthroughs/GAME.txt`.
//!
//! A golden file shows at a glance what a change of rules, notation or move order does. `UPDATE_GOLDEN=1` in the
//! environment writes the file anew instead of comparing it.

use std::fmt::Write;

use perfectplay_core::{FullGame, Payoff, Player, Status};
use perfectplay_games::seam::Packed;

use crate::explore::random_game;
use crate::spec::{OnPacked, visit_packed};
use crate::{Dice, data};

/// Moves and legal moves that are written out.
const MOST_MOVES: usize = 60;
const MOST_LEGAL: usize = 40;

/// One random game of the game called `spec`.
pub fn write(spec: &str, seed: u64) -> String {
    struct Play(u64);
    impl OnPacked for Play {
        type Output = String;
        fn on<P: Payoff, const S: usize, const K: usize, const M: usize>(self, game: Packed<P, S, K, M>) -> String {
            play(&game, self.0)
        }
    }
    format!("game: {spec}\nseed: {seed}\n\n{}", visit_packed(spec, Play(seed)))
}

/// Compares a random game with the golden file of the game called `name`.
///
/// # Panics
/// If it differs, or there is no file.
pub fn compare(name: &str, spec: &str) {
    let path = data(&format!("playthroughs/{name}.txt"));
    let found = write(spec, 1);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(data("playthroughs")).expect("a folder that can be written");
        std::fs::write(&path, &found).expect("a file that can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let line = found.lines().zip(expected.lines()).position(|(f, e)| f != e).unwrap_or(expected.lines().count());
    assert!(
        found == expected,
        "{name} plays differently from line {} of {} on:\n  {}\ninstead of\n  {}\n(UPDATE_GOLDEN=1 writes the file \
anew)",
        line + 1,
        path.display(),
        found.lines().nth(line).unwrap_or("the end"),
        expected.lines().nth(line).unwrap_or("the end"),
    );
}

fn play<G: FullGame>(game: &G, seed: u64) -> String {
    let mut text = String::new();
    for (state, mv) in random_game(game, &game.start(), MOST_MOVES, &mut Dice::new(seed)) {
        let _ = writeln!(text, "position: {}", game.position_text(&state));
        let mut moves = Vec::new();
        match game.expand(&state, &mut moves) {
            Status::Turn(mover) => {
                let legal: Vec<String> = moves.iter().take(MOST_LEGAL).map(|&m| game.move_text(&state, m)).collect();
                let more = if moves.len() > MOST_LEGAL { " …" } else { "" };
                let _ = writeln!(text, "{mover}, {} moves: {}{more}", moves.len(), legal.join(" "));
            }
            Status::Over(payoff) => {
                let scores =
                    Player::all(payoff.players()).map(|p| format!("{} {}", payoff.gain(p).name(), payoff.score(p)));
                let _ = writeln!(text, "over: {}", scores.collect::<Vec<_>>().join(", "));
            }
        }
        if let Some(mv) = mv {
            let _ = writeln!(text, "move: {}\n", game.move_text(&state, mv));
        }
    }
    text
}
