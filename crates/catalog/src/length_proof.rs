//! The proof that a player wins in n plies: a strategy of the winner that takes no longer, and one of the loser that
//! lasts as long.
//!
//! A state of the proof is a position with the plies left. Each move takes one of them, so positions may even repeat
//! without a circle in the proof. Who wins within so many plies is what the search remembers, or is searched again.

use std::sync::Arc;

use perfectplay_check::write::{FINISHED, Graph};
use perfectplay_check::{Claim, Part};
use perfectplay_core::{FullGame, Gain, Meter, Observer, Payoff, Player, Status, Verdict, ZeroSum, plies_of};
use perfectplay_search::Search;
use perfectplay_search::alpha_beta::shortest_win::ShortestWin;
use rustc_hash::FxHashMap;

use crate::Error;
use crate::certify::{Draft, REPORT_EVERY, Source, TABLE_BYTES, contradiction, report, stopped};

/// Both parts, or one if there is nothing to put off.
pub(crate) fn proof<G: FullGame<Payoff = ZeroSum>>(source: Source<'_, G>) -> Result<Draft, Error> {
    let ZeroSum(value) = source.value;
    let plies = plies_of(value);
    let claim = Claim::Value(value);
    if let Status::Over(_) = source.game.status(source.root) {
        return Ok(Draft { claim, parts: vec![] });
    }
    let winner = if value > 0 { Player::FIRST } else { Player::SECOND };
    let bytes = TABLE_BYTES.min(source.budget.memory.map_or(usize::MAX, |memory| memory / 4));
    let mut builder = Builder {
        game: source.game,
        search: source.search,
        solver: ShortestWin::new(source.game.clone(), bytes),
        meter: source.budget.start(),
        observer: source.observer,
        winner,
        graph: Graph::default(),
        numbers: FxHashMap::default(),
        open: Vec::new(),
    };
    let mut parts = Vec::new();
    for (part, owner) in [(Part::AtLeast, Player::FIRST), (Part::AtMost, Player::SECOND)] {
        let plies = if owner == winner { plies } else { plies - 1 };
        if plies > 0 {
            parts.push((part, builder.strategy(owner, plies, source.root)?));
        }
    }
    Ok(Draft { claim, parts })
}

struct Builder<'a, G: FullGame<Payoff = ZeroSum>> {
    game: &'a Arc<G>,
    search: &'a dyn Search<G>,
    solver: ShortestWin<G>,
    meter: Meter,
    observer: &'a mut dyn Observer,
    /// Of the whole game.
    winner: Player,
    graph: Graph,
    numbers: FxHashMap<(G::Key, u32), u32>,
    open: Vec<(u32, G::State, u32)>,
}

impl<G: FullGame<Payoff = ZeroSum>> Builder<'_, G> {
    /// The winner's strategy that wins within so many plies, or the loser's that is not lost by then.
    fn strategy(&mut self, owner: Player, plies: u32, root: &G::State) -> Result<Graph, Error> {
        self.graph = Graph::default();
        self.numbers = FxHashMap::default();
        self.number(root, plies);
        let (mut moves, mut children) = (Vec::new(), Vec::new());
        while let Some((at, state, plies)) = self.open.pop() {
            self.tell()?;
            moves.clear();
            children.clear();
            let mover = self.game.expand(&state, &mut moves).mover().ok_or_else(contradiction)?;
            if mover == owner {
                let choice = self.choose(&state, &moves, owner, plies)?;
                children.extend(self.child(&self.game.after(&state, moves[choice]), owner, plies)?);
                self.graph.prefer(at, choice, &children);
            } else {
                for &mv in &moves {
                    children.extend(self.child(&self.game.after(&state, mv), owner, plies)?);
                }
                self.graph.all(at, &children);
            }
        }
        Ok(std::mem::take(&mut self.graph))
    }

    /// What stands for a successor; nothing if the loser has lasted long enough by then.
    fn child(&mut self, next: &G::State, owner: Player, plies: u32) -> Result<Option<u32>, Error> {
        let last = owner != self.winner && plies == 1;
        Ok(match self.game.status(next) {
            Status::Over(payoff) if payoff.gain(self.winner) == Gain::Win && owner != self.winner => {
                return Err(contradiction());
            }
            _ if last => None,
            Status::Over(_) => Some(FINISHED),
            Status::Turn(_) => Some(self.number(next, plies - 1)),
        })
    }

    /// The first move that reaches the goal a ply sooner.
    fn choose(&mut self, state: &G::State, moves: &[G::Move], owner: Player, plies: u32) -> Result<usize, Error> {
        for (i, &mv) in moves.iter().enumerate() {
            if self.wins_within(&self.game.after(state, mv), plies - 1)? == (owner == self.winner) {
                return Ok(i);
            }
        }
        Err(contradiction())
    }

    fn wins_within(&mut self, state: &G::State, plies: u32) -> Result<bool, Error> {
        if let Verdict::Solved(ZeroSum(value)) = self.search.proved(state) {
            return Ok(ZeroSum(value).gain(self.winner) == Gain::Win && plies_of(value) <= plies);
        }
        self.solver.within(state, plies, self.winner, &mut self.meter).map_err(stopped)
    }

    fn number(&mut self, state: &G::State, plies: u32) -> u32 {
        *self.numbers.entry((self.game.key(state), plies)).or_insert_with(|| {
            let number = self.graph.add();
            self.open.push((number, *state, plies));
            number
        })
    }

    fn tell(&mut self) -> Result<(), Error> {
        if !self.graph.len().is_multiple_of(REPORT_EVERY) {
            return Ok(());
        }
        let entry = size_of::<((G::Key, u32), u32)>() + 1;
        let open = self.open.capacity() * size_of::<(u32, G::State, u32)>();
        let bytes = self.graph.bytes() + self.numbers.capacity() * 8 / 7 * entry + open;
        report(self.observer, &mut self.meter, self.graph.len(), bytes)
    }
}
