//! Counting move sequences: the standard way to compare two implementations of one set of rules.

use crate::{Budget, Game, Meter, Status, Stop};

/// Sequences by length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Perft {
    /// `leaves[d - 1]`: sequences of exactly `d` moves. Games that ended earlier do not count.
    pub leaves: Vec<u64>,
    /// `finished[d - 1]`: games that ended with move `d`. Empty if they were not asked for.
    pub finished: Vec<u64>,
}

/// Counts the sequences of 1 … `depth` moves from `state`, and with `finished` also the games that end on the way.
///
/// Without `finished` the last ply is counted, not played. Stops early, with an error, when the budget is used up.
pub fn perft<G: Game>(
    game: &G,
    state: &G::State,
    depth: usize,
    finished: bool,
    budget: &Budget,
) -> Result<Perft, Stop> {
    let mut count = Count {
        game,
        depth,
        perft: Perft { leaves: vec![0; depth], finished: vec![0; if finished { depth } else { 0 }] },
        meter: budget.start(),
        moves: Vec::new(),
    };
    if depth > 0 {
        count.below(state, 0)?;
    }
    Ok(count.perft)
}

struct Count<'a, G: Game> {
    game: &'a G,
    depth: usize,
    perft: Perft,
    meter: Meter,
    moves: Vec<G::Move>, // of all states on the path, one after the other
}

impl<G: Game> Count<'_, G> {
    fn below(&mut self, state: &G::State, ply: usize) -> Result<(), Stop> {
        if let Some(stop) = self.meter.spend(1, 0) {
            return Err(stop);
        }
        let first = self.moves.len();
        // Beyond the last ply it only matters whether the game is over, which may cost far less than its moves.
        let status = if ply < self.depth { self.game.expand(state, &mut self.moves) } else { self.game.status(state) };
        let over = matches!(status, Status::Over(_));
        if over && ply > 0 && !self.perft.finished.is_empty() {
            self.perft.finished[ply - 1] += 1;
        }
        let last = self.moves.len();
        if ply < self.depth {
            self.perft.leaves[ply] += (last - first) as u64;
            if ply + 1 < self.depth || !self.perft.finished.is_empty() {
                for i in first..last {
                    let next = self.game.after(state, self.moves[i]);
                    self.below(&next, ply + 1)?;
                }
            }
        }
        self.moves.truncate(first);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::{Facts, Player, ZeroSum};

    /// Three moves everywhere, for ever; listing them is counted.
    #[derive(Default)]
    struct Listed(AtomicU64);

    impl Game for Listed {
        type State = u8;
        type Move = u8;
        type Payoff = ZeroSum;
        type Key = u8;

        fn start(&self) -> u8 {
            0
        }

        fn expand(&self, _: &u8, moves: &mut Vec<u8>) -> Status<ZeroSum> {
            self.0.fetch_add(1, Ordering::Relaxed);
            moves.extend(0..3);
            Status::Turn(Player::FIRST)
        }

        fn status(&self, _: &u8) -> Status<ZeroSum> {
            Status::Turn(Player::FIRST)
        }

        fn play(&self, _: &mut u8, _: u8) {}

        fn key(&self, _: &u8) -> u8 {
            0
        }

        fn facts(&self) -> Facts {
            Facts { acyclic: false, ..Facts::win_draw_loss::<ZeroSum>() }
        }
    }

    #[test]
    fn moves_beyond_the_last_ply_are_not_listed() {
        let game = Listed::default();
        let counted = perft(&game, &0, 2, true, &Budget::unlimited()).unwrap();
        assert_eq!((counted.leaves, counted.finished), (vec![3, 9], vec![0, 0]));
        assert_eq!(game.0.into_inner(), 1 + 3, "the start and what follows it");
    }
}
