//! Alpha-beta with a transposition table (Červeňan 2025, Algorithm B.4).
//!
//! A state reached on several paths is searched once. The table holds a value, the depth it was found with, and what it
//! is: exact, a lower bound or an upper bound. Contract as in [`crate::alpha_beta::textbook::plain_alpha_beta`].
//!
//! Read against the printed algorithm: what a value is follows from *the window the call was entered with*. Printed, it
//! is compared with α and β after they were raised to it, and every exact value at a maximising state becomes a bound.
//!
//! The table here is the simplest there is: one entry per place, the newer one stays, whole keys. A fast one is in
//! `crate::alpha_beta::transposition_table`.

use std::hash::BuildHasher;
use std::sync::Arc;

use perfectplay_core::{FullGame, Group, OptionSet, Params, Player, Setting, Status, ZeroSum, options};
use rustc_hash::FxBuildHasher;

use super::A_TEXTBOOK_VERSION;
use crate::alpha_beta::textbook::fixed_depth::{self, FixedDepthOptions, Method, Walk, nothing_yet};
use crate::support::memory::granted;
use crate::support::pausable_threads::Interrupted;
use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "table-search",
    summary: "alpha-beta with a transposition table, as in the textbook",
    players: "2",
    exact: true,
    threads: Threads::One(A_TEXTBOOK_VERSION),
    options: Options::docs,
};

options! {
    struct Options {
        shared: FixedDepthOptions = Group,
        entries: usize = Setting::whole("entries", "places in the table", 1..=100_000_000, 1_000_000),
    }
}

/// For two opposed players; the table has as many entries as were asked for and memory allows.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let Options { shared, entries } = INFO.read(params)?;
    let fit = setup.memory.unwrap_or(usize::MAX) / size_of::<Option<Entry<G::Key>>>();
    let fit = granted(entries.min(fit).saturating_mul(size_of::<Option<Entry<G::Key>>>()))
        / size_of::<Option<Entry<G::Key>>>();
    let method = TableSearch { entries: vec![None; fit.max(1)] };
    fixed_depth::open(INFO.name, &shared, game, root, setup, method)
}

/// What a stored value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flag {
    Exact,
    Lower,
    Upper,
}

impl Flag {
    /// What `value` is if it was found with this window at the entry.
    pub(crate) fn of(value: i32, alpha: i32, beta: i32) -> Flag {
        if value <= alpha {
            Flag::Upper
        } else if value >= beta {
            Flag::Lower
        } else {
            Flag::Exact
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Entry<K> {
    key: K,
    value: i32,
    depth: u32,
    flag: Flag,
}

pub(crate) struct TableSearch<K> {
    entries: Vec<Option<Entry<K>>>,
}

impl<K: Copy + Eq + std::hash::Hash> TableSearch<K> {
    fn place(&self, key: K) -> usize {
        (FxBuildHasher.hash_one(key) % self.entries.len() as u64) as usize
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Method<G> for TableSearch<G::Key> {
    fn bytes(&self) -> usize {
        std::mem::size_of_val(self.entries.as_slice())
    }

    fn value(
        &mut self,
        walk: &mut Walk<'_, G>,
        state: &G::State,
        depth: u32,
        mut alpha: i32,
        mut beta: i32,
    ) -> Result<i32, Interrupted> {
        walk.pause.tick(1)?;
        let key = walk.game.key(state);
        let place = self.place(key);
        if let Some(entry) = self.entries[place].filter(|e| e.key == key && e.depth >= depth) {
            match entry.flag {
                Flag::Exact => return Ok(entry.value),
                Flag::Lower => alpha = alpha.max(entry.value),
                Flag::Upper => beta = beta.min(entry.value),
            }
            if alpha >= beta {
                return Ok(entry.value);
            }
        }
        let entered = (alpha, beta);
        let first = walk.moves.len();
        let status = if depth == 0 { None } else { Some(walk.game.expand(state, &mut walk.moves)) };
        let value = match status {
            None => walk.leaf(state),
            Some(Status::Over(payoff)) => walk.scale.exact(payoff),
            Some(Status::Turn(mover)) => {
                let mut value = nothing_yet(mover);
                for i in first..walk.moves.len() {
                    let next = walk.game.after(state, walk.moves[i]);
                    let v = self.value(walk, &next, depth - 1, alpha, beta)?;
                    if mover == Player::FIRST {
                        value = value.max(v);
                        alpha = alpha.max(value);
                    } else {
                        value = value.min(v);
                        beta = beta.min(value);
                    }
                    if alpha >= beta {
                        break;
                    }
                }
                walk.moves.truncate(first);
                value
            }
        };
        let flag = match status {
            Some(Status::Turn(_)) => Flag::of(value, entered.0, entered.1),
            _ => Flag::Exact,
        };
        self.entries[place] = Some(Entry { key, value, depth, flag });
        Ok(value)
    }
}
