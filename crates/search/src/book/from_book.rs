//! A search that knows the answer from a book.

use perfectplay_core::{
    Answer, Budget, Effort, FullGame, MoveReport, Objective, Observer, Player, Status, Stop, Verdict, ZeroSum,
};

use crate::Search;
use crate::book::Book;

/// The answer of a book about a position that it holds: its value, those of the moves that stay within the book or end
/// the game, and a line on which both keep what they have as far as the book goes.
pub struct FromBook<G: FullGame<Payoff = ZeroSum>> {
    mover: Option<Player>,
    value: i32,
    line: Vec<G::Move>,
    moves: Vec<(G::Move, Option<i32>)>,
}

impl<G: FullGame<Payoff = ZeroSum>> FromBook<G> {
    /// `None` if the book does not hold the position, or not the values asked for.
    pub fn new(game: &G, root: &G::State, objective: Objective, book: &Book) -> Option<Self> {
        let value = book.value(game, root, objective)?;
        let known = |state: &G::State| match game.status(state) {
            Status::Over(payoff) => Some(objective.value(payoff, Player::FIRST)),
            Status::Turn(_) => book.value(game, state, objective),
        };
        let mut legal = Vec::new();
        let mover = game.expand(root, &mut legal).mover();
        let moves = legal.iter().map(|&mv| (mv, known(&game.after(root, mv)))).collect();
        let (mut state, mut line) = (*root, Vec::new());
        while let Some(&mv) = legal.iter().find(|&&mv| known(&game.after(&state, mv)) == Some(value)) {
            game.play(&mut state, mv);
            line.push(mv);
            legal.clear();
            game.expand(&state, &mut legal);
        }
        Some(FromBook { mover, value, line, moves })
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Search<G> for FromBook<G> {
    fn run(&mut self, _: &Budget, _: &mut dyn Observer) -> Stop {
        Stop::Done
    }

    fn answer(&self) -> Answer<G> {
        let verdict = |value: Option<i32>| value.map_or(Verdict::Unknown, |value| Verdict::Solved(ZeroSum(value)));
        let report = |&(mv, value): &(G::Move, _)| MoveReport { mv, verdict: verdict(value), visits: None };
        Answer {
            mover: self.mover,
            verdict: verdict(Some(self.value)),
            line: self.line.clone(),
            moves: self.moves.iter().map(report).collect(),
            effort: Effort::default(),
            counts: vec![],
            notes: vec![],
        }
    }
}
