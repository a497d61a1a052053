//! Resolved states, kept for later games: what one game has proved the next need not prove again.
//!
//! A table of fixed size in which the newest entry takes its place, so that what a run does follows from what it has
//! done. Whole keys are kept: what is found is what was proved.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use perfectplay_core::random::{below, mix};
use perfectplay_core::{EstimateOf, FullGame, Game, Plain};
use perfectplay_search::best_first::main_loop::{BestFirst, Pick, Policy, Visit};
use perfectplay_search::best_first::tree::Family;
use perfectplay_search::support::evaluations::Finish;

/// Bytes that a table takes when the first state is kept.
const BYTES: usize = 64 << 20;

/// What is known of states by their keys.
pub(crate) struct Resolved<K, D> {
    places: Vec<Option<(K, D)>>,
}

impl<K, D> Default for Resolved<K, D> {
    fn default() -> Self {
        Resolved { places: Vec::new() }
    }
}

impl<K: Plain + Eq + Hash, D: Plain> Resolved<K, D> {
    fn place(&self, key: &K) -> usize {
        let mut hasher = rustc_hash::FxHasher::default();
        key.hash(&mut hasher);
        below(mix(hasher.finish()), self.places.len())
    }

    fn get(&self, key: &K) -> Option<D> {
        if self.places.is_empty() {
            return None;
        }
        self.places[self.place(key)].filter(|entry| entry.0 == *key).map(|entry| entry.1)
    }

    fn put(&mut self, key: K, data: D) {
        if self.places.is_empty() {
            self.places.resize(BYTES / size_of::<Option<(K, D)>>(), None);
        }
        let place = self.place(&key);
        self.places[place] = Some((key, data));
    }

    /// All entries, one after the other.
    pub(crate) fn save(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (key, data) in self.places.iter().flatten() {
            let first = bytes.len();
            bytes.resize(first + K::SIZE + D::SIZE, 0);
            key.put(&mut bytes[first..]);
            data.put(&mut bytes[first + K::SIZE..]);
        }
        bytes
    }

    /// What [`Resolved::save`] wrote; `None` if it did not.
    pub(crate) fn restore(bytes: &[u8]) -> Option<Self> {
        let mut resolved = Self::default();
        let entries = bytes.chunks_exact(K::SIZE + D::SIZE);
        if !entries.remainder().is_empty() {
            return None;
        }
        for entry in entries {
            resolved.put(K::take(entry)?, D::take(&entry[K::SIZE..])?);
        }
        Some(resolved)
    }
}

/// The table of a run, for all its threads.
pub(crate) type Shared<G, P> = Arc<Mutex<Resolved<<G as Game>::Key, <P as Policy<G>>::Data>>>;

pub(crate) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps what a search has resolved.
pub(crate) fn keep<G: FullGame, P: Policy<G>>(shared: &Shared<G, P>, search: &BestFirst<G, Remembering<G, P>>) {
    let mut resolved = locked(shared);
    for (id, node) in search.tree().nodes() {
        let data = node.data();
        if search.policy().closed(data) && search.tree().family(id).is_some() {
            resolved.put(node.key(), data);
        }
    }
}

/// A policy to which new states are resolved that were resolved before.
pub(crate) struct Remembering<G: FullGame, P: Policy<G>> {
    pub(crate) policy: P,
    /// `None`: nothing is remembered.
    pub(crate) resolved: Option<Shared<G, P>>,
}

impl<G: FullGame, P: Policy<G>> Policy<G> for Remembering<G, P> {
    type Data = P::Data;

    fn leaves(&mut self, game: &G, states: &[G::State], out: &mut Vec<P::Data>) {
        let first = out.len();
        self.policy.leaves(game, states, out);
        let Some(resolved) = &self.resolved else { return };
        let resolved = locked(resolved);
        for (state, data) in states.iter().zip(&mut out[first..]) {
            if let Some(known) = resolved.get(&game.key(state)) {
                *data = known;
            }
        }
    }

    fn fork(&mut self, number: u64) -> Self {
        Remembering { policy: self.policy.fork(number), resolved: self.resolved.clone() }
    }

    fn terminal(&self, game: &G, end: &Finish<'_, G>) -> P::Data {
        self.policy.terminal(game, end)
    }

    fn batch(&self) -> usize {
        self.policy.batch()
    }

    fn evaluates(&self) -> bool {
        self.policy.evaluates()
    }

    fn backup(&self, family: &Family<'_, G, P::Data>) -> P::Data {
        self.policy.backup(family)
    }

    fn priority_child(&mut self, family: &Family<'_, G, P::Data>, visit: Visit) -> Option<usize> {
        self.policy.priority_child(family, visit)
    }

    fn pick(&mut self, family: &Family<'_, G, P::Data>, visit: Visit) -> Option<Pick> {
        self.policy.pick(family, visit)
    }

    fn foreseeable(&self) -> bool {
        self.policy.foreseeable()
    }

    fn continues(&mut self, family: &Family<'_, G, P::Data>, visit: Visit) -> bool {
        self.policy.continues(family, visit)
    }

    fn closed(&self, data: P::Data) -> bool {
        self.policy.closed(data)
    }

    fn principal(&self, family: &Family<'_, G, P::Data>) -> usize {
        self.policy.principal(family)
    }

    fn can_stall(&self) -> bool {
        self.policy.can_stall()
    }

    fn candidate(&self, family: &Family<'_, G, P::Data>, child: usize) -> bool {
        self.policy.candidate(family, child)
    }

    fn drawn(&self) -> u64 {
        self.policy.drawn()
    }

    fn draw(&mut self, drawn: u64) {
        self.policy.draw(drawn);
    }

    fn shown(&self, data: P::Data) -> EstimateOf<G> {
        self.policy.shown(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_kept_and_comes_back_from_a_file() {
        let mut table = Resolved::<u64, i32>::default();
        assert_eq!(table.get(&7), None);
        let many = 2 * BYTES as u64 / size_of::<Option<(u64, i32)>>() as u64;
        (0..many).for_each(|key| table.put(key, key as i32));
        assert_eq!(table.get(&(many - 1)), Some(many as i32 - 1));
        let kept = (0..many).filter(|key| table.get(key).is_some()).count() as u64;
        assert!((many / 4..many / 2).contains(&kept), "{kept} of {many}");
        assert!((0..many).filter_map(|key| Some((key, table.get(&key)?))).all(|(key, data)| key as i32 == data));
        let saved = table.save();
        let again = Resolved::<u64, i32>::restore(&saved).unwrap();
        assert!(again.places == table.places);
        assert!(Resolved::<u64, i32>::restore(&saved[1..]).is_none());
    }
}
