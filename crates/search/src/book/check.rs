//! Is a book true to the rules?

use perfectplay_core::{Budget, FullGame, Stop};

use crate::alpha_beta::exact_solver::Scorer;
use crate::book::build::best;
use crate::book::file::{Book, BookError};
use crate::book::positions::{Listed, list};

/// What was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// [`Stop::Done`] if all was looked at.
    pub stop: Stop,
    /// Positions that follow from those after them.
    pub followed: usize,
    /// Positions of the last ply.
    pub leaves: usize,
    /// How many of these were solved again.
    pub solved: usize,
}

/// Looks at every position, and solves `sample` positions of the last ply again, spread evenly over all.
pub fn check<G: FullGame>(
    game: &G,
    book: &Book,
    sample: usize,
    scorer: &mut dyn Scorer<G>,
    budget: &Budget,
) -> Result<Checked, BookError> {
    let header = book.header();
    let mut checked = Checked { stop: Stop::Done, followed: 0, leaves: 0, solved: 0 };
    let listed = match list(game, header.plies, budget)? {
        Ok(listed) => listed,
        Err(stop) => return Ok(Checked { stop, ..checked }),
    };
    let wrong = |l: &Listed<G>, text: String| BookError::Wrong(format!("{}: {text}", game.position_text(&l.state)));
    for l in &listed {
        let Some(value) = book.by_key(&l.key) else { return Err(wrong(l, "this position is missing".into())) };
        if l.ply == header.plies {
            checked.leaves += 1;
            continue;
        }
        let best = best(game, &l.state, header, |key| book.by_key(key));
        if best != Some(value) {
            let best = best.map_or("unknown".to_owned(), |best| best.to_string());
            return Err(wrong(l, format!("the book says {value}, by the positions after it it is {best}")));
        }
        checked.followed += 1;
    }
    if listed.len() != book.positions() {
        let more = book.positions() - listed.len();
        return Err(BookError::Wrong(format!("the book has {more} positions that cannot come up within its plies")));
    }
    let leaves: Vec<&Listed<G>> = listed.iter().filter(|l| l.ply == header.plies).collect();
    let mut meter = budget.start();
    for i in 0..sample.min(leaves.len()) {
        let l = leaves[i * leaves.len() / sample.min(leaves.len())];
        match scorer.value(&l.state, header.objective, &mut meter) {
            Err(stop) => return Ok(Checked { stop, ..checked }),
            Ok(value) if Some(value) == book.by_key(&l.key) => checked.solved += 1,
            Ok(value) => return Err(wrong(l, format!("the book says something else, but its value is {value}"))),
        }
    }
    Ok(checked)
}
