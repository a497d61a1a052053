//! Forgetting states: those that a move has made unreachable, or, when memory is used up, those that were seldom
//! visited.
//!
//! All of it is done a few states at a time, and between two pieces the tree is sound: a search can be stopped there,
//! answer and be saved, and goes on there later. First it is found out what stays; then edges that lead to what does
//! not stay are cut; then nobody can reach the rest, and its places are given away. At the end the table is filled
//! anew.

use perfectplay_core::{FullGame, Meter, Stop};

use crate::best_first::main_loop::{BestFirst, Step};
use crate::best_first::policy::Policy;
use crate::best_first::tree::Keep;
use crate::support::saved::{Reader, SaveError, Writer};

/// What is to stay, as far as it was found out, and how much of the rest is gone.
pub(crate) struct Eviction {
    /// Unresolved states stay open if they are entered by an edge with more visits than this; 0: all that can be
    /// reached stays.
    least: u32,
    phase: Phase,
    /// The unresolved states that stay open.
    stays_open: Vec<bool>,
    /// All states that stay, and how many they are.
    stays: Vec<bool>,
    count: u64,
    /// States to look at: what they lead to stays.
    todo: Vec<u32>,
    /// The next state to cut or to forget.
    next: u32,
    /// How many states there were.
    before: u64,
}

/// Whether forgetting and finding again still leads anywhere.
#[derive(Default)]
pub(crate) struct DropProgress {
    /// How many states were resolved one, two, … plies below the root, when there were most: first of those nearest to
    /// it.
    best: [u32; DEPTHS],
    /// How often states were forgotten since then.
    unsuccessful: u32,
}

/// Plies below the root that are looked at.
const DEPTHS: usize = 6;

/// So often in a row states are forgotten for nothing before the search gives up.
const PATIENCE: u32 = 100;

impl DropProgress {
    pub(crate) fn has_stalled(&self) -> bool {
        self.unsuccessful >= PATIENCE
    }

    fn count(&mut self, resolved: [u32; DEPTHS]) {
        self.unsuccessful = if resolved > self.best { 0 } else { self.unsuccessful.saturating_add(1) };
        self.best = self.best.max(resolved);
    }

    pub(crate) fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        to.put(self.best)?;
        Ok(to.put(self.unsuccessful)?)
    }

    pub(crate) fn restore(from: &mut Reader<'_>) -> Result<Self, SaveError> {
        Ok(DropProgress { best: from.get()?, unsuccessful: from.get()? })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Which states stay open?
    Opening,
    /// Which states stay?
    Counting,
    Cutting,
    Forgetting,
}

const PHASES: [Phase; 4] = [Phase::Opening, Phase::Counting, Phase::Cutting, Phase::Forgetting];

/// States looked at between two looks at the clock: under a millisecond.
const AT_A_TIME: usize = 1 << 12;

impl<G: FullGame, P: Policy<G>> BestFirst<G, P> {
    /// Begins to forget what cannot be reached from the root.
    pub(crate) fn forget_unreachable(&mut self) {
        self.forget(0, Phase::Counting);
    }

    /// Begins to forget what lies below seldom visited states, then below more often visited ones, until half of the
    /// states are gone.
    ///
    /// Stays: the principal line; all unresolved states entered by an edge with enough visits; the children of these;
    /// and below resolved ones the line that shows their value.
    pub(crate) fn forget_seldom_visited(&mut self) {
        self.forget(1, Phase::Opening);
    }

    fn forget(&mut self, least: u32, phase: Phase) {
        self.line_prefetch.reset();
        self.guesses.clear();
        self.eviction = Some(self.begin(least, phase));
    }

    fn begin(&self, least: u32, phase: Phase) -> Eviction {
        let places = self.tree.places();
        let mut eviction = Eviction {
            least,
            phase,
            stays_open: Vec::new(),
            stays: vec![false; places],
            count: 0,
            todo: vec![self.root],
            next: 0,
            before: self.tree.len() as u64,
        };
        if phase == Phase::Opening {
            eviction.stays_open = vec![false; places];
            eviction.todo.extend(self.principal_line(self.root).map(|(id, _)| id).filter(|&id| !self.is_closed(id)));
            eviction.todo.iter().for_each(|&id| eviction.stays_open[id as usize] = true);
        }
        eviction.stays[self.root as usize] = true;
        eviction
    }

    /// Goes on with forgetting until it is done or the meter says stop. Out of memory if too little could be forgotten.
    pub(crate) fn clear(&mut self, meter: &Meter) -> Result<Step, Stop> {
        while let Some(mut eviction) = self.eviction.take() {
            let phase_done = match eviction.phase {
                Phase::Opening | Phase::Counting => {
                    (0..AT_A_TIME).for_each(|_| self.mark(&mut eviction));
                    eviction.todo.is_empty()
                }
                Phase::Cutting | Phase::Forgetting => {
                    let end = eviction.stays.len().min(eviction.next as usize + AT_A_TIME) as u32;
                    (eviction.next..end).for_each(|id| self.cut_or_forget(id, &eviction));
                    eviction.next = end;
                    end as usize == eviction.stays.len()
                }
            };
            if !phase_done {
                self.eviction = Some(eviction);
            } else if eviction.phase == Phase::Forgetting {
                self.tree.refill_index();
                if eviction.least == 0 {
                    return Ok(Step::Deeper);
                }
                let now = self.tree.len() as u64;
                self.dropped += eviction.before - now;
                if now >= eviction.before / 10 * 9 {
                    return Err(Stop::Memory);
                }
                let resolved = self.resolved_by_depth();
                self.drop_progress.count(resolved);
                return if self.drop_progress.has_stalled() { Err(Stop::Stalled) } else { Ok(Step::Deeper) };
            } else {
                self.eviction = Some(self.next_phase(eviction));
            }
            // Only now: the shortest call gets a step further.
            if let Some(stop) = meter.look() {
                return Err(stop);
            }
        }
        Ok(Step::Deeper)
    }

    /// How many states are resolved one, two, … plies below the root.
    fn resolved_by_depth(&self) -> [u32; DEPTHS] {
        let mut seen = vec![false; self.tree.places()];
        let mut level = vec![self.root];
        let mut counts = [0; DEPTHS];
        for count in &mut counts {
            let mut next = Vec::new();
            for family in level.iter().filter_map(|&id| self.tree.family(id)) {
                for child in (0..family.len()).map(|i| family.id(i)) {
                    if std::mem::replace(&mut seen[child as usize], true) {
                        continue;
                    }
                    if self.is_closed(child) { *count += 1 } else { next.push(child) }
                }
            }
            level = next;
        }
        counts
    }

    fn next_phase(&self, mut eviction: Eviction) -> Eviction {
        eviction.next = 0;
        eviction.phase = match eviction.phase {
            Phase::Opening => {
                eviction.todo.push(self.root);
                Phase::Counting
            }
            Phase::Counting if eviction.least == 0 => Phase::Forgetting,
            Phase::Counting if eviction.count > eviction.before / 2 && eviction.least < 1 << 30 => {
                return self.begin(2 * eviction.least, Phase::Opening);
            }
            Phase::Counting => Phase::Cutting,
            Phase::Cutting | Phase::Forgetting => Phase::Forgetting,
        };
        eviction
    }

    /// Looks at one more state, if there is one: first for what stays open, then for all that stays.
    fn mark(&self, eviction: &mut Eviction) {
        let Some(id) = eviction.todo.pop() else { return };
        eviction.count += u64::from(eviction.phase == Phase::Counting);
        let Some(family) = self.tree.family(id) else { return };
        if eviction.phase == Phase::Opening {
            for i in 0..family.len() {
                let child = family.id(i);
                if family.visits(i) > eviction.least && !eviction.stays_open[child as usize] && !self.is_closed(child) {
                    eviction.stays_open[child as usize] = true;
                    eviction.todo.push(child);
                }
            }
            return;
        }
        let children = match self.kept(id, eviction) {
            Keep::All => 0..family.len(),
            Keep::One(i) => i..i + 1,
            Keep::None => 0..0,
        };
        for child in children.map(|i| family.id(i)) {
            if !std::mem::replace(&mut eviction.stays[child as usize], true) {
                eviction.todo.push(child);
            }
        }
    }

    /// Which of a node's edges stay.
    fn kept(&self, id: u32, eviction: &Eviction) -> Keep {
        match self.tree.family(id) {
            Some(_) if eviction.least == 0 || eviction.stays_open[id as usize] => Keep::All,
            Some(family) if self.policy.closed(family.data()) => Keep::One(self.policy.principal(&family)),
            _ => Keep::None,
        }
    }

    fn cut_or_forget(&mut self, id: u32, eviction: &Eviction) {
        let stays = eviction.stays[id as usize];
        if eviction.phase == Phase::Cutting && stays {
            let keep = self.kept(id, eviction);
            self.tree.prune(id, keep);
        } else if eviction.phase == Phase::Forgetting && !stays && !self.tree.node(id).is_vacant() {
            self.resolved -= u64::from(self.is_closed(id));
            self.tree.forget(id);
        }
    }
}

impl Eviction {
    pub(crate) fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        to.put([self.least, self.phase as u32, self.next])?;
        to.put([self.count, self.before])?;
        to.put_all(&self.stays_open)?;
        to.put_all(&self.stays)?;
        Ok(to.put_all(&self.todo)?)
    }

    /// Reads what was saved, for a tree with so many places.
    pub(crate) fn restore(places: usize, from: &mut Reader<'_>) -> Result<Self, SaveError> {
        let [least, phase, next] = from.get()?;
        let [count, before] = from.get()?;
        let (stays_open, stays, todo) = (from.get_all()?, from.get_all()?, from.get_all()?);
        let phase = *PHASES.get(phase as usize).ok_or(SaveError::Damaged("a phase that cannot be"))?;
        let eviction = Eviction { least, phase, stays_open, stays, count, todo, next, before };
        let open = if least == 0 { 0 } else { places };
        let lists = eviction.stays.len() == places && eviction.stays_open.len() == open;
        let numbers = eviction.todo.iter().all(|&id| (id as usize) < places) && next as usize <= places;
        (lists && numbers).then_some(eviction).ok_or(SaveError::Damaged("marks of another tree"))
    }
}
