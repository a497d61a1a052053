//! Writing the parts of a proof: from a graph in memory to records in an order that can be read in one pass.
//!
//! A state is spelled out when all states that lead to it have been, the one announced first before the others. Where
//! every move leads one step further from the start (a stone more on the board …) that is the order of a breadth-first
//! walk; where states are reached on ways of different lengths, no state is written twice all the same.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use perfectplay_core::Gain;

use crate::Error;
use crate::bytes::put;
use crate::format::{Packer, put_payoff};

/// In place of a child: the game is over there.
pub const FINISHED: u32 = u32::MAX;

/// Everything but the finished states of one part. State 0 is the position about which the claim is.
#[derive(Default)]
pub struct Graph {
    states: Vec<Entry>,
    children: Vec<u32>,
    /// Of an equilibrium: the payoffs that states are claimed to have.
    pub payoffs: Vec<Vec<(Gain, i32)>>,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    first: usize,
    count: u32,
    choice: u32,
    claim: u32,
    all: bool,
}

/// No move is preferred.
const NONE: u32 = u32::MAX;

impl Graph {
    /// Makes room for one more state; says its number.
    pub fn add(&mut self) -> u32 {
        self.states.push(Entry::default());
        u32::try_from(self.states.len() - 1).expect("fewer states than 2^32 fit into memory")
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<Entry>() + self.children.capacity() * size_of::<u32>()
    }

    /// The state's player follows a strategy: move number `choice` leads to `child`.
    pub fn choose(&mut self, state: u32, choice: usize, child: u32) {
        self.prefer(state, choice, &[child]);
        self.states[state as usize].all = false;
    }

    /// Every move is possible; `children` are in the order of the rules.
    pub fn all(&mut self, state: u32, children: &[u32]) {
        let entry = &mut self.states[state as usize];
        (entry.first, entry.count) = (self.children.len(), children.len() as u32);
        (entry.choice, entry.all) = (NONE, true);
        self.children.extend_from_slice(children);
    }

    /// In an equilibrium: move number `choice` is played although every move is possible.
    pub fn prefer(&mut self, state: u32, choice: usize, children: &[u32]) {
        self.all(state, children);
        self.states[state as usize].choice = choice as u32;
    }

    /// In an equilibrium: what the state is worth, as an index into the payoffs.
    pub fn claim(&mut self, state: u32, payoff: u32) {
        self.states[state as usize].claim = payoff;
    }

    fn children(&self, state: u32) -> &[u32] {
        let entry = &self.states[state as usize];
        &self.children[entry.first..entry.first + entry.count as usize]
    }

    /// Writes a strategy.
    pub fn write_strategy(&self, packer: &mut Packer) -> Result<(), Error> {
        self.write(packer, |order, state, out| {
            let choice = self.states[state as usize].choice;
            if choice != NONE {
                put(out, choice.into());
            }
            for &child in self.children(state) {
                put(out, order.code(child).0);
            }
        })
    }

    /// Writes an equilibrium.
    pub fn write_equilibrium(&self, packer: &mut Packer) -> Result<(), Error> {
        // Payoffs are numbered in the order in which the file comes to them.
        let mut numbers = vec![None; self.payoffs.len()];
        let mut next = 0..;
        if let Some(root) = self.states.first() {
            numbers[root.claim as usize] = next.next();
        }
        self.write(packer, |order, state, out| {
            let children = self.children(state);
            let Entry { choice, all, .. } = self.states[state as usize];
            put(out, u64::from(choice) << 1 | u64::from(all));
            for (i, &child) in children.iter().enumerate() {
                let (code, is_new) = order.code(child);
                put(out, code);
                if !is_new || !all || i == choice as usize {
                    continue;
                }
                let claim = self.states[child as usize].claim as usize;
                let known = numbers[claim];
                let number = *numbers[claim].get_or_insert_with(|| next.next().expect("there is always one more"));
                put(out, number);
                if known.is_none() {
                    put_payoff(out, &self.payoffs[claim]);
                }
            }
        })
    }

    fn write(&self, packer: &mut Packer, mut record: impl FnMut(&mut Order, u32, &mut Vec<u8>)) -> Result<(), Error> {
        let mut order = Order::new(self);
        while let Some(state) = order.next() {
            let (pick, out) = (order.pick(state), packer.out());
            put(out, pick);
            record(&mut order, state, out);
            packer.flush()?;
        }
        Ok(())
    }
}

/// Which state comes next, and what number it has in the file.
struct Order {
    /// Moves that lead to the state and are not written yet.
    parents: Vec<u32>,
    numbers: Vec<u32>,
    announced: u32,
    /// Announced, with all parents written.
    ready: BinaryHeap<Reverse<(u32, u32)>>,
    /// Numbers announced and written before an older one was.
    ahead: BTreeSet<u32>,
    oldest: u32,
}

const UNANNOUNCED: u32 = u32::MAX;

impl Order {
    fn new(graph: &Graph) -> Self {
        let mut parents = vec![0; graph.len()];
        for &child in graph.children.iter().filter(|&&c| c != FINISHED) {
            parents[child as usize] += 1;
        }
        let mut order = Order {
            parents,
            numbers: vec![UNANNOUNCED; graph.len()],
            announced: 0,
            ready: BinaryHeap::new(),
            ahead: BTreeSet::new(),
            oldest: 0,
        };
        if !graph.is_empty() {
            order.numbers[0] = 0;
            order.announced = 1;
            order.ready.push(Reverse((0, 0)));
        }
        order
    }

    fn next(&mut self) -> Option<u32> {
        self.ready.pop().map(|Reverse((_, state))| state)
    }

    /// How far the state is from the oldest one announced and not yet written.
    fn pick(&mut self, state: u32) -> u64 {
        let number = self.numbers[state as usize];
        let pick = number - self.oldest;
        self.ahead.insert(number);
        while self.ahead.remove(&self.oldest) {
            self.oldest += 1;
        }
        pick.into()
    }

    /// What stands for a child, and whether it is announced here.
    fn code(&mut self, child: u32) -> (u64, bool) {
        if child == FINISHED {
            return (1, false);
        }
        let at = child as usize;
        let is_new = self.numbers[at] == UNANNOUNCED;
        let code = if is_new {
            self.numbers[at] = self.announced;
            self.announced += 1;
            0
        } else {
            u64::from(self.announced - self.numbers[at]) + 1
        };
        self.parents[at] -= 1;
        if self.parents[at] == 0 {
            self.ready.push(Reverse((self.numbers[at], child)));
        }
        (code, is_new)
    }
}
