//! Positions and moves as people write and draw them.

use crate::{Drawing, Game, Status, TextError};

/// Texts of positions and moves, both ways, and drawings.
///
/// Law: every text written can be read back.
pub trait Notation: Game {
    /// The position in the notation its players use (FEN where there is one).
    fn position_text(&self, state: &Self::State) -> String;

    /// Reads what [`Notation::position_text`] writes. Refuses what cannot be a position of this game.
    fn parse_position(&self, text: &str) -> Result<Self::State, TextError>;

    /// What reading this text had to overlook: one sentence for who wrote it. Provided: nothing.
    fn position_note(&self, _text: &str) -> Option<String> {
        None
    }

    /// A legal move as players write it.
    fn move_text(&self, state: &Self::State, mv: Self::Move) -> String;

    /// Reads a legal move. Provided: compares `text` with the text of every legal move, then again ignoring case.
    fn parse_move(&self, state: &Self::State, text: &str) -> Result<Self::Move, TextError> {
        let mut moves = Vec::new();
        if let Status::Over(_) = self.expand(state, &mut moves) {
            return Err(TextError::new(format!("no move can be played: the game is over (got \"{text}\")")));
        }
        let texts: Vec<String> = moves.iter().map(|&m| self.move_text(state, m)).collect();
        let found = texts.iter().position(|t| t == text).or_else(|| {
            let mut same = texts.iter().enumerate().filter(|(_, t)| t.eq_ignore_ascii_case(text));
            match (same.next(), same.next()) {
                (Some((i, _)), None) => Some(i),
                _ => None,
            }
        });
        found.map(|i| moves[i]).ok_or_else(|| TextError::illegal_move(text, &texts))
    }

    /// The position as a board that can be drawn. Provided: the position's text.
    fn drawing(&self, state: &Self::State) -> Drawing {
        Drawing::text(self.position_text(state))
    }
}
