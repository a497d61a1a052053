//! N-tuple networks (Lucas 2008): the values of a few cells are the digits of a number, and a table says what that
//! number is worth. The sum over all tables, squashed by tanh, is the evaluation.
//!
//! - Tables are shared by the symmetries of the game: every tuple is looked up in all images of the board, so symmetric
//!   states get equal values.
//! - There may be tables of their own for each viewer, and for each phase of the game (by how many cells are in use).
//! - Beside the tuples there are small tables for how often each value occurs, and for each of the numbers in steps.
//!
//! The digits are not multiplied out. For every cell and value there is a row with what it adds to all numbers; a
//! state's numbers are the sum of the rows of its cells, which is what vector units are for. Two states that lie one
//! after the other differ in few cells most often, so only these are exchanged. Within a batch the weights that were read
//! are kept, too: where few cells differ, only tuples with one of them are read again.

use std::ops::Range;

use perfectplay_core::{FeatureBatch, Model, ModelScratch};

use crate::Shape;
use crate::weight::Weight;

/// Steps that a number from -1 to 1 is cut into.
const STEPS: usize = 17;

/// No table has more entries than this, so that a number fits 16 bits.
pub const MOST_ENTRIES: usize = 1 << 16;

/// Which tuples there are, and what has tables of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// Which cells.
    pub tuples: Vec<Vec<u16>>,
    /// What the symmetries make of the board: in image `i`, cell `c` shows what is on cell `images[i][c]`. The first is
    /// the identity.
    pub images: Vec<Vec<u16>>,
    /// Whether each viewer has tables of its own.
    pub sides: bool,
    /// The game is cut into so many phases.
    pub phases: usize,
}

/// The network.
#[derive(Clone, Debug)]
pub struct Tuples {
    shape: Shape,
    structure: Structure,
    /// For each cell and value what it adds to the numbers.
    rows: Vec<u16>,
    /// How long a row is: one number per tuple and image.
    lookups: usize,
    /// For each lookup, where its table begins.
    tables: Vec<u32>,
    /// For each cell the lookups that it is a digit of, and where those of each cell begin.
    touches: Vec<Touch>,
    touches_of: Vec<u32>,
    /// Where the tables of counts and of numbers begin.
    counts: usize,
    numbers: usize,
    /// Entries of all tables of one side and phase.
    block: usize,
    weights: Vec<Weight>,
}

/// A cell as a digit of a lookup.
#[derive(Clone, Copy, Debug)]
struct Touch {
    lookup: u32,
    /// Where the lookup's table begins.
    table: u32,
    /// What a cell of value 1 adds to the lookup's number.
    digit: u16,
}

/// Which entries a state reads.
#[derive(Clone, Debug, Default)]
pub struct Active {
    /// The first weight of its side and phase.
    base: usize,
    /// Entries after that.
    pub entries: Vec<u32>,
}

impl Active {
    /// The weights of one output.
    #[inline]
    pub fn weights(&self, outputs: usize, output: usize) -> impl Iterator<Item = usize> {
        self.entries.iter().map(move |&entry| self.base + entry as usize * outputs + output)
    }
}

impl Tuples {
    /// A network of these tuples whose weights are all 0.
    ///
    /// # Panics
    /// If a tuple has no cell, a cell that the board lacks, or too many.
    pub fn new(shape: Shape, structure: Structure) -> Self {
        let sizes: Vec<usize> = structure.tuples.iter().map(|tuple| shape.values.pow(tuple.len() as u32)).collect();
        assert!(sizes.iter().all(|&size| size <= MOST_ENTRIES), "a table with more than {MOST_ENTRIES} entries");
        let lookups = structure.tuples.len() * structure.images.len();
        let mut rows = vec![0u16; shape.cells * shape.values * lookups];
        let (mut tables, mut first) = (Vec::new(), 0u32);
        let mut touches = vec![Vec::new(); shape.cells];
        for (tuple, &size) in structure.tuples.iter().zip(&sizes) {
            for image in &structure.images {
                let mut digit = 1usize;
                for &cell in tuple {
                    let (cell, lookup) = (usize::from(image[usize::from(cell)]), tables.len());
                    for value in 1..shape.values {
                        let at = (cell * shape.values + value) * lookups + lookup;
                        rows[at] = rows[at].wrapping_add((digit * value) as u16);
                    }
                    touches[cell].push(Touch { lookup: lookup as u32, table: first, digit: digit as u16 });
                    digit *= shape.values;
                }
                tables.push(first);
            }
            first += size as u32;
        }
        let mut touches_of = vec![0];
        touches_of.extend(touches.iter().scan(0, |end, of_cell| {
            *end += of_cell.len() as u32;
            Some(*end)
        }));
        let touches = touches.concat();
        let counts = first as usize;
        let numbers = counts + shape.values * (shape.cells + 1);
        let block = numbers + shape.numbers * STEPS;
        let blocks = structure.phases * if structure.sides { shape.players } else { 1 };
        let weights = vec![Weight::default(); blocks * block * shape.outputs];
        Tuples { shape, structure, rows, lookups, tables, touches, touches_of, counts, numbers, block, weights }
    }

    /// What it is asked about.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its tuples.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// All weights.
    pub fn weights(&self) -> &[Weight] {
        &self.weights
    }

    /// The weights of every table, as they lie one after the other: all of a side and phase, then the next.
    pub fn tables(&self) -> Vec<Range<usize>> {
        let mut starts: Vec<usize> = self.tables.iter().map(|&first| first as usize).collect();
        starts.dedup();
        starts.extend((0..self.shape.values).map(|value| self.counts + value * (self.shape.cells + 1)));
        starts.extend((0..self.shape.numbers).map(|number| self.numbers + number * STEPS));
        starts.push(self.block);
        let outputs = self.shape.outputs;
        let blocks = self.weights.len() / (self.block * outputs).max(1);
        let table =
            |b: usize, pair: &[usize]| (b * self.block + pair[0]) * outputs..(b * self.block + pair[1]) * outputs;
        (0..blocks).flat_map(|b| starts.windows(2).map(move |pair| table(b, pair)).collect::<Vec<_>>()).collect()
    }

    /// How many weights a state reads for one output.
    pub fn active(&self) -> usize {
        self.lookups + self.shape.values + self.shape.numbers
    }

    /// Brings the numbers in `scratch` to those of a board with these cells. They hold the numbers of each lookup, then
    /// how often each value occurs, then the cells they were made from.
    fn digits(&self, cells: &[u8], scratch: &mut Vec<u16>) {
        let (lookups, values) = (self.lookups, self.shape.values);
        let size = lookups + values + cells.len();
        let fresh = scratch.len() != size;
        if fresh {
            scratch.clear();
            scratch.resize(size, 0);
            scratch[lookups] = cells.len() as u16;
        }
        let (numbers, rest) = scratch.split_at_mut(lookups);
        let (counts, before) = rest.split_at_mut(values);
        // Beginning anew costs a row for every cell in use.
        if !fresh && 2 * changed(cells, before) > cells.len() {
            numbers.fill(0);
            counts.fill(0);
            before.fill(0);
            counts[0] = cells.len() as u16;
        }
        for (cell, (&now, before)) in cells.iter().zip(before).enumerate() {
            let old = usize::from(*before);
            let now = usize::from(now);
            if now == old {
                continue;
            }
            counts[old] -= 1;
            counts[now] += 1;
            *before = now as u16;
            let row = |value: usize| &self.rows[(cell * values + value) * lookups..][..lookups];
            match (old, now) {
                (0, _) => numbers.iter_mut().zip(row(now)).for_each(|(n, add)| *n = n.wrapping_add(*add)),
                (_, 0) => numbers.iter_mut().zip(row(old)).for_each(|(n, less)| *n = n.wrapping_sub(*less)),
                _ => numbers
                    .iter_mut()
                    .zip(row(now).iter().zip(row(old)))
                    .for_each(|(n, (add, less))| *n = n.wrapping_add(add.wrapping_sub(*less))),
            }
        }
    }

    /// The first weight of the state's side and phase.
    #[inline]
    fn base(&self, viewer: u8, empty: u16) -> usize {
        let used = self.shape.cells - usize::from(empty);
        let phase = used * self.structure.phases / (self.shape.cells + 1);
        let side = if self.structure.sides { usize::from(viewer) } else { 0 };
        (side * self.structure.phases + phase) * self.block * self.shape.outputs
    }

    #[inline]
    fn step(number: f32) -> usize {
        (((number + 1.0) * 0.5 * (STEPS - 1) as f32 + 0.5) as usize).min(STEPS - 1)
    }

    /// Small tables: how often each value occurs, and the numbers.
    #[inline]
    fn small<'a>(&'a self, counts: &'a [u16], numbers: &'a [f32]) -> impl Iterator<Item = usize> + 'a {
        let row = self.shape.cells + 1;
        let counts =
            counts.iter().enumerate().map(move |(value, &count)| self.counts + value * row + usize::from(count));
        let numbers = numbers.iter().enumerate().map(|(i, &number)| self.numbers + i * STEPS + Self::step(number));
        counts.chain(numbers)
    }

    /// Finds the entries that a state reads.
    pub fn activate(
        &self,
        (viewer, cells, numbers): (u8, &[u8], &[f32]),
        scratch: &mut ModelScratch,
        out: &mut Active,
    ) {
        self.digits(cells, &mut scratch.whole);
        let (digits, rest) = scratch.whole.split_at(self.lookups);
        let counts = &rest[..self.shape.values];
        out.base = self.base(viewer, counts[0]);
        out.entries.clear();
        out.entries.extend(digits.iter().zip(&self.tables).map(|(&digits, &table)| table + u32::from(digits)));
        out.entries.extend(self.small(counts, numbers).map(|entry| entry as u32));
    }

    /// The sum of the weights of one output.
    pub fn sum(&self, active: &Active, output: usize) -> f32 {
        active.weights(self.shape.outputs, output).map(|at| self.weights[at].get()).sum()
    }

    /// Reads the weights of all lookups, for each output in turn.
    fn read(&self, base: usize, digits: &[u16], weights: &mut Vec<f32>) {
        let outputs = self.shape.outputs;
        let block = &self.weights[base..][..self.block * outputs];
        weights.clear();
        for output in 0..outputs {
            let entries = digits.iter().zip(&self.tables).map(|(&digits, &table)| table as usize + usize::from(digits));
            weights.extend(entries.map(|entry| block[entry * outputs + output].get()));
        }
    }

    /// Brings the numbers in `scratch`, as [`Tuples::digits`] does, and the weights that were read for them to those of a
    /// board that differs in few cells.
    fn exchange(&self, base: usize, cells: &[u8], scratch: &mut [u16], weights: &mut [f32]) {
        let (lookups, outputs) = (self.lookups, self.shape.outputs);
        let block = &self.weights[base..][..self.block * outputs];
        let (numbers, rest) = scratch.split_at_mut(lookups);
        let (counts, before) = rest.split_at_mut(self.shape.values);
        for (cell, (&now, before)) in cells.iter().zip(before).enumerate() {
            let now = u16::from(now);
            if now == *before {
                continue;
            }
            counts[usize::from(*before)] -= 1;
            counts[usize::from(now)] += 1;
            let more = now.wrapping_sub(*before);
            *before = now;
            for touch in &self.touches[self.touches_of[cell] as usize..self.touches_of[cell + 1] as usize] {
                let lookup = touch.lookup as usize;
                numbers[lookup] = numbers[lookup].wrapping_add(touch.digit.wrapping_mul(more));
                let entry = touch.table as usize + usize::from(numbers[lookup]);
                for output in 0..outputs {
                    weights[output * lookups + lookup] = block[entry * outputs + output].get();
                }
            }
        }
    }

    /// Whether so many cells are few: what they touch, here and there, costs two or three times as much as the same number
    /// of lookups in a row (measured: Hex 11 gains a half by it, Connect Four a tenth, Breakthrough would lose).
    fn few(&self, cells: usize) -> bool {
        5 * cells * self.touches.len() <= 2 * self.lookups * self.shape.cells
    }
}

/// In how many cells a board differs from the one before.
fn changed(cells: &[u8], before: &[u16]) -> usize {
    cells.iter().zip(before).filter(|(now, before)| u16::from(**now) != **before).count()
}

/// The sum, eight at a time.
fn sum(weights: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    let (by_8, left) = weights.as_chunks::<8>();
    for weights in by_8 {
        sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
    }
    sums.iter_mut().zip(left).for_each(|(sum, weight)| *sum += weight);
    sums.iter().sum()
}

impl Model for Tuples {
    fn outputs(&self) -> usize {
        self.shape.outputs
    }

    fn evaluate(&self, batch: &FeatureBatch, scratch: &mut ModelScratch, out: &mut Vec<f32>) {
        let (lookups, outputs) = (self.lookups, self.shape.outputs);
        let ModelScratch { whole, floats: weights } = scratch;
        // Which side and phase the weights belong to; before the first state of a batch to none, since a learner may have
        // changed them.
        let mut read_at = None;
        for i in 0..batch.len() {
            let (viewer, cells, numbers) = batch.get(i);
            let empty = cells.iter().filter(|&&value| value == 0).count();
            let base = self.base(viewer, empty as u16);
            if read_at == Some(base) && self.few(changed(cells, &whole[lookups + self.shape.values..])) {
                self.exchange(base, cells, whole, weights);
            } else {
                self.digits(cells, whole);
                self.read(base, &whole[..lookups], weights);
                read_at = Some(base);
            }
            let block = &self.weights[base..][..self.block * outputs];
            for output in 0..outputs {
                let counts = &whole[lookups..][..self.shape.values];
                let small = self.small(counts, numbers).map(|entry| block[entry * outputs + output].get());
                out.push((sum(&weights[output * lookups..][..lookups]) + small.sum::<f32>()).tanh());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers as good as random.
    fn next(seed: &mut u64) -> usize {
        *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (*seed >> 33) as usize
    }

    #[test]
    fn what_few_changed_cells_leave_is_read_again_as_if_all_had_been() {
        let seed = &mut 1;
        let shape = Shape { cells: 40, values: 3, numbers: 1, players: 3, outputs: 3 };
        let tuple = |seed: &mut u64| (0..5).map(|i| (next(seed) % 8 * 5 + i) as u16).collect();
        let structure = Structure {
            tuples: (0..9).map(|_| tuple(seed)).collect(),
            images: vec![(0..40).collect(), (0..40).rev().collect()],
            sides: true,
            phases: 2,
        };
        let mut model = Tuples::new(shape, structure);
        for weight in &mut model.weights {
            *weight = Weight::new(next(seed) as f32 / u32::MAX as f32 - 0.25);
        }
        assert!(model.few(2) && !model.few(20));
        let (mut batch, mut board) = (FeatureBatch::default(), vec![0u8; 40]);
        for state in 0..300 {
            // Mostly a cell or two; at times a whole board, or another viewer.
            for _ in 0..if state % 50 == 49 { 60 } else { 1 + state % 2 } {
                board[next(seed) % 40] = (next(seed) % 3) as u8;
            }
            batch.push(((state / 20 % 3) as u8, &board, &[0.1]));
        }
        let (mut together, scratch) = (Vec::new(), &mut ModelScratch::default());
        model.evaluate(&batch, scratch, &mut together);
        let mut alone = Vec::new();
        for i in 0..batch.len() {
            let mut one = FeatureBatch::default();
            one.push(batch.get(i));
            model.evaluate(&one, &mut ModelScratch::default(), &mut alone);
        }
        assert_eq!(together, alone);
        // A learner changes weights between batches.
        model.weights.iter_mut().for_each(|weight| *weight = Weight::new(weight.get() / 2.0));
        let (mut later, mut fresh) = (Vec::new(), Vec::new());
        model.evaluate(&batch, scratch, &mut later);
        model.evaluate(&batch, &mut ModelScratch::default(), &mut fresh);
        assert_eq!(later, fresh);
        assert_ne!(later, together);
    }
}
