//! Counting move sequences: the standard way to compare two implementations of one set of rules.

use std::ops::Range;

use crate::{Budget, Game, Meter, Status, Stop, share_out};

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
/// Without `finished` the last ply is counted, not played. Several threads count the same. Stops early, with an error,
/// when the budget is used up.
pub fn perft<G: Game>(
    game: &G,
    state: &G::State,
    depth: usize,
    finished: bool,
    budget: &Budget,
) -> Result<Perft, Stop> {
    perft_by(game, state, depth, finished, budget, |state, ply, tally| tally.count(game, state, ply))
}

/// The same, by a function that does [`Tally::count`]: that of the game within, if `game` is a wrapper.
pub fn perft_by<G: Game>(
    game: &G,
    state: &G::State,
    depth: usize,
    finished: bool,
    budget: &Budget,
    count: impl Fn(&G::State, usize, &mut Tally) -> Result<(), Stop> + Sync,
) -> Result<Perft, Stop> {
    let perft = Perft { leaves: vec![0; depth], finished: vec![0; if finished { depth } else { 0 }] };
    let mut tally = Tally { depth, perft, meter: budget.start(), stop: None };
    if depth == 0 {
        return Ok(tally.perft);
    }
    if budget.threads <= 1 {
        count(state, 0, &mut tally)?;
        return Ok(tally.perft);
    }
    // Ply by ply, until there are enough states for all threads.
    let (mut states, mut ply) = (vec![*state], 0);
    while ply < depth && !states.is_empty() && states.len() < STATES_PER_THREAD * budget.threads {
        states = tally.next_ply(game, &states, ply)?;
        ply += 1;
    }
    let mut tallies: Vec<_> = (0..budget.threads).map(|_| tally.share(budget.threads)).collect();
    share_out(&mut tallies, states.len(), |tally, i| {
        if tally.stop.is_none() {
            // On this thread's own stack and heap: what it writes all the time shares no cache line with others.
            let mut own = Tally { perft: tally.perft.zeros(), meter: tally.meter.clone(), ..*tally };
            tally.stop = count(&states[i], ply, &mut own).err();
            tally.perft.add(&own.perft);
            tally.meter = own.meter;
        }
    });
    for part in tallies {
        if let Some(stop) = part.stop {
            return Err(stop);
        }
        tally.perft.add(&part.perft);
    }
    Ok(tally.perft)
}

/// So many states are shared out for each thread, so that all end at about the same time.
const STATES_PER_THREAD: usize = 64;

impl Perft {
    /// As many counts, all of them zero.
    fn zeros(&self) -> Perft {
        let zeros = |counts: &[u64]| vec![0; counts.len()];
        Perft { leaves: zeros(&self.leaves), finished: zeros(&self.finished) }
    }

    /// Adds another count, to the same depth.
    fn add(&mut self, other: &Perft) {
        let add = |sum: &mut [u64], more: &[u64]| sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        add(&mut self.leaves, &other.leaves);
        add(&mut self.finished, &other.finished);
    }
}

/// What one thread has counted.
pub struct Tally {
    depth: usize,
    perft: Perft,
    meter: Meter,
    stop: Option<Stop>,
}

impl Tally {
    /// Counts from nothing, with a part of what is left of the budget.
    fn share(&self, parts: usize) -> Self {
        Tally { perft: self.perft.zeros(), meter: self.meter.share(parts), ..*self }
    }

    /// Counts a state so many plies from the root, and all below it.
    pub fn count<G: Game>(&mut self, game: &G, state: &G::State, ply: usize) -> Result<(), Stop> {
        self.below(game, state, ply, &mut Vec::new())
    }

    /// With the moves of all states on the path, one after the other.
    fn below<G: Game>(&mut self, game: &G, state: &G::State, ply: usize, moves: &mut Vec<G::Move>) -> Result<(), Stop> {
        let first = moves.len();
        for i in self.visit(game, state, ply, moves)? {
            let next = game.after(state, moves[i]);
            self.below(game, &next, ply + 1, moves)?;
        }
        moves.truncate(first);
        Ok(())
    }

    /// Counts states of one ply; those of the next.
    fn next_ply<G: Game>(&mut self, game: &G, states: &[G::State], ply: usize) -> Result<Vec<G::State>, Stop> {
        let (mut next, mut moves) = (Vec::new(), Vec::new());
        for state in states {
            let played = self.visit(game, state, ply, &mut moves)?;
            next.extend(moves[played].iter().map(|&mv| game.after(state, mv)));
            moves.clear();
        }
        Ok(next)
    }

    /// Counts a state, and tells where its moves lie, if they are to be played.
    fn visit<G: Game>(
        &mut self,
        game: &G,
        state: &G::State,
        ply: usize,
        moves: &mut Vec<G::Move>,
    ) -> Result<Range<usize>, Stop> {
        if let Some(stop) = self.meter.spend(1, 0) {
            return Err(stop);
        }
        let first = moves.len();
        // Beyond the last ply it only matters whether the game is over, which may cost far less than its moves.
        let status = if ply < self.depth { game.expand(state, moves) } else { game.status(state) };
        let over = matches!(status, Status::Over(_));
        if over && ply > 0 && !self.perft.finished.is_empty() {
            self.perft.finished[ply - 1] += 1;
        }
        let last = moves.len();
        if ply < self.depth {
            self.perft.leaves[ply] += (last - first) as u64;
        }
        let played = ply + 1 < self.depth || !self.perft.finished.is_empty();
        Ok(if ply < self.depth && played { first..last } else { 0..0 })
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

    #[test]
    fn threads_count_the_same_and_share_the_budget() {
        let game = Listed::default();
        for (depth, finished) in (0..12).flat_map(|depth| [(depth, false), (depth, true)]) {
            let one = perft(&game, &0, depth, finished, &Budget::unlimited()).unwrap();
            for threads in [2, 3, 8] {
                let budget = Budget { threads, ..Budget::unlimited() };
                assert_eq!(perft(&game, &0, depth, finished, &budget).unwrap(), one, "{depth} {threads}");
            }
        }
        let (before, budget) = (game.0.load(Ordering::Relaxed), Budget { threads: 4, ..Budget::nodes(10_000) });
        assert_eq!(perft(&game, &0, 30, false, &budget), Err(Stop::Nodes));
        assert!(game.0.load(Ordering::Relaxed) - before <= 10_000);
    }
}
