//! Test sets: positions whose scores are known.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use perfectplay_core::{FullGame, Player};
use perfectplay_search::Refusal;

use crate::Error;
use crate::game::OpenGame;
use crate::position::{AnyPosition, Position};

/// A position of a test set, and its score for the player to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scored {
    /// The moves from the start.
    pub moves: String,
    /// As the set says.
    pub score: i32,
}

/// How a position of a test set went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetResult {
    /// The score that was found, for the player to move.
    pub score: i32,
    /// States looked at.
    pub nodes: u64,
    /// Time it took.
    pub seconds: f64,
}

/// Finds the exact score of one position after the other: see [`AnyGame::score_set`](crate::AnyGame::score_set).
pub(crate) fn score<G: FullGame>(
    opened: &Arc<OpenGame<G>>,
    set: &[Scored],
    bytes: usize,
    each: &mut dyn FnMut(&SetResult) -> ControlFlow<()>,
) -> Result<(), Error> {
    let game = &opened.game;
    let Some(scorer) = opened.scorer(bytes) else {
        return Err(Refusal::Other("scoring a set needs two players with opposed interests".into()).into());
    };
    let mut scorer = scorer?;
    for line in set {
        let mut position = Position { opened: opened.clone(), state: game.start() };
        position.play_all(&line.moves)?;
        let sign = if game.status(&position.state).mover() == Some(Player::SECOND) { -1 } else { 1 };
        scorer.forget();
        let (started, before) = (Instant::now(), scorer.nodes());
        let score = sign * scorer.score(&position.state);
        let result = SetResult { score, nodes: scorer.nodes() - before, seconds: started.elapsed().as_secs_f64() };
        if each(&result).is_break() {
            break;
        }
    }
    Ok(())
}
