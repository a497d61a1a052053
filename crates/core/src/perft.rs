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
    let perft = Perft { leaves: vec![0; depth], finished: vec![0; if finished { depth } else { 0 }] };
    let mut count = Count { game, depth, perft, meter: budget.start(), moves: Vec::new() };
    if depth == 0 {
        return Ok(count.perft);
    }
    if budget.threads <= 1 {
        count.below(state, 0)?;
        return Ok(count.perft);
    }
    // Ply by ply, until there are enough states for all threads.
    let (mut states, mut ply) = (vec![*state], 0);
    while ply < depth && !states.is_empty() && states.len() < STATES_PER_THREAD * budget.threads {
        states = count.next_ply(&states, ply)?;
        ply += 1;
    }
    let (game, parts) = (count.game, budget.threads);
    let mut parts: Vec<_> = (0..parts).map(|_| (count.perft.zeros(), count.meter.share(parts), None)).collect();
    share_out(&mut parts, states.len(), |(perft, meter, stop), i| {
        if stop.is_none() {
            // On this thread's own stack and heap: what it writes all the time shares no cache line with others.
            let mut own = Count { game, depth, perft: perft.zeros(), meter: meter.clone(), moves: Vec::new() };
            *stop = own.below(&states[i], ply).err();
            perft.add(&own.perft);
            *meter = own.meter;
        }
    });
    for (perft, _, stop) in parts {
        if let Some(stop) = stop {
            return Err(stop);
        }
        count.perft.add(&perft);
    }
    Ok(count.perft)
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

struct Count<'a, G: Game> {
    game: &'a G,
    depth: usize,
    perft: Perft,
    meter: Meter,
    moves: Vec<G::Move>, // of all states on the path, one after the other
}

impl<G: Game> Count<'_, G> {
    /// Counts a state and all below it.
    fn below(&mut self, state: &G::State, ply: usize) -> Result<(), Stop> {
        let first = self.moves.len();
        for i in self.visit(state, ply)? {
            let next = self.game.after(state, self.moves[i]);
            self.below(&next, ply + 1)?;
        }
        self.moves.truncate(first);
        Ok(())
    }

    /// Counts states of one ply; those of the next.
    fn next_ply(&mut self, states: &[G::State], ply: usize) -> Result<Vec<G::State>, Stop> {
        let mut next = Vec::new();
        for state in states {
            let moves = self.visit(state, ply)?;
            next.extend(self.moves[moves].iter().map(|&mv| self.game.after(state, mv)));
            self.moves.clear();
        }
        Ok(next)
    }

    /// Counts a state, and tells where its moves lie, if they are to be played.
    fn visit(&mut self, state: &G::State, ply: usize) -> Result<Range<usize>, Stop> {
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
