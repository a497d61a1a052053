//! N-tuple networks (Lucas 2008): the values of a few cells are the digits of a number, and a table says what that
//! number is worth. The sum over all tables, squashed by tanh, is the evaluation.
//!
//! - Tables are shared by the symmetries of the game: every tuple is looked up in all images of the board, so symmetric
//!   states get equal values.
//! - Patterns are small tuples that mean the same wherever they lie: one table for all places (weight sharing, as in
//!   convolutional networks). What lies outside the board is a value of its own.
//! - There may be tables of their own for each viewer, and for each phase of the game (by how many cells are in use).
//! - Beside the tuples there are small tables for how often each value occurs, and for each of the numbers in steps.
//!
//! The digits are not multiplied out. For every cell and value there is a row with what it adds to all numbers; a
//! state's numbers are the sum of the rows of its cells, which is what vector units are for. (Where a row would be
//! mostly zeros there is a list of the numbers that a cell touches instead.) Two states that lie one after the other
//! differ in few cells most often, so only these are exchanged. The weights that were read are kept, too (within a
//! batch; from one to the next if nobody learns): where few cells differ, only tuples with one of them are read again.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use perfectplay_core::{FeatureBatch, Model, ModelScratch};

use crate::Shape;
use crate::structure::{Lookup, MOST_ENTRIES, Structure, lookups};
use crate::weight::Weight;

/// Steps that a number from -1 to 1 is cut into.
const STEPS: usize = 17;

/// The network.
#[derive(Clone, Debug)]
pub struct Tuples {
    shape: Shape,
    structure: Structure,
    /// For each cell and value what it adds to the numbers; empty where a cell is a digit of so few of them that a row
    /// would be mostly zeros.
    rows: Vec<u16>,
    /// How long a row is: one number per tuple and image, and per pattern and place.
    lookups: usize,
    /// How many of the lookups are of tuples: the first ones.
    of_tuples: usize,
    /// For each lookup, where its table begins; for one that reaches beyond the edge, the entry of an empty board.
    tables: Vec<u32>,
    /// Where the table of each tuple begins, then that of each pattern.
    starts: Vec<u32>,
    /// For each cell the lookups that it is a digit of, and where those of each cell begin.
    touches: Vec<Touch>,
    touches_of: Vec<u32>,
    /// Where the tables of counts and of numbers begin.
    counts: usize,
    numbers: usize,
    /// Entries of all tables of one side and phase.
    block: usize,
    weights: Vec<Weight>,
    /// The same in a byte each, if that is how they were written.
    bytes: Option<Bytes>,
    /// A number of its own if the weights do not change any more, otherwise 0.
    frozen: u64,
}

/// Weights in a byte each: to value a state reads hundreds of them from all over the tables, so it matters how many
/// are in the near caches. Times their factor they are the weights to the last bit.
#[derive(Clone, Debug)]
struct Bytes {
    weights: Vec<i8>,
    /// For each side and phase the factor of each lookup's table.
    factors: Vec<f32>,
}

/// How many networks were frozen so far.
static FROZEN: AtomicU64 = AtomicU64::new(0);

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
    /// Entries after that: of tuples, of counts and numbers, then of patterns.
    entries: Vec<u32>,
    /// How many entries are not of patterns.
    of_tuples: usize,
}

impl Active {
    /// The entries of tuples, counts and numbers, each as often as it is read.
    pub fn of_tuples(&self) -> &[u32] {
        &self.entries[..self.of_tuples]
    }

    /// The entries of patterns, each as often as it is read.
    pub fn of_patterns(&self) -> &[u32] {
        &self.entries[self.of_tuples..]
    }

    /// The weight of an entry.
    #[inline]
    pub fn weight(&self, entry: u32, outputs: usize, output: usize) -> usize {
        self.base + entry as usize * outputs + output
    }
}

impl Tuples {
    /// A network of these tuples whose weights are all 0.
    ///
    /// # Panics
    /// If a tuple has no cell, a cell that the board lacks, or too many.
    pub fn new(shape: Shape, structure: Structure) -> Self {
        let size = |base: usize, length: usize| {
            let size = base.pow(length as u32);
            assert!(size <= MOST_ENTRIES, "a table with more than {MOST_ENTRIES} entries");
            size as u32
        };
        let sizes = structure.tuples.iter().map(|tuple| size(shape.values, tuple.len()));
        let sizes = sizes.chain(structure.patterns.iter().map(|pattern| size(shape.values + 1, pattern.length())));
        let mut counts = 0;
        let starts: Vec<u32> = sizes
            .map(|size| {
                counts += size;
                counts - size
            })
            .collect();
        let of_tuples = structure.tuples.len() * structure.images.len();
        let planned: Vec<Lookup> = lookups(&shape, &structure, &starts).collect();
        let mut touches = vec![Vec::new(); shape.cells];
        for (lookup, planned) in (0u32..).zip(&planned) {
            for &(cell, digit) in &planned.digits {
                touches[usize::from(cell)].push(Touch {
                    lookup,
                    table: planned.table + planned.outside,
                    digit: digit as u16,
                });
            }
        }
        let mut touches_of = vec![0];
        touches_of.extend(touches.iter().scan(0, |end, of_cell| {
            *end += of_cell.len() as u32;
            Some(*end)
        }));
        let touches = touches.concat();
        let rows = rows(&shape, planned.len(), &touches, &touches_of);
        let tables = planned.iter().map(|lookup| lookup.table + lookup.outside).collect();
        let counts = counts as usize;
        let numbers = counts + shape.values * (shape.cells + 1);
        let block = numbers + shape.numbers * STEPS;
        let blocks = structure.phases * if structure.sides { shape.players } else { 1 };
        let weights = vec![Weight::default(); blocks * block * shape.outputs];
        let lookups = planned.len();
        Tuples {
            shape,
            structure,
            rows,
            lookups,
            of_tuples,
            tables,
            starts,
            touches,
            touches_of,
            counts,
            numbers,
            block,
            weights,
            bytes: None,
            frozen: 0,
        }
    }

    /// Replaces all weights by these bytes times the factors of their tables, in the order of [`Tuples::tables`].
    ///
    /// # Panics
    /// If there are more or fewer.
    pub fn set_bytes(&mut self, bytes: &[i8], factors: &[f32]) {
        let tables = self.tables();
        assert_eq!((bytes.len(), factors.len()), (self.weights.len(), tables.len()), "one byte per weight");
        for (table, factor) in tables.into_iter().zip(factors) {
            let pairs = self.weights[table.clone()].iter().zip(&bytes[table]);
            pairs.for_each(|(weight, &byte)| weight.set(f32::from(byte) * factor));
        }
        let per_block = self.starts.len() + self.shape.values + self.shape.numbers;
        let Structure { tuples, patterns, images, .. } = &self.structure;
        let of_tuples = (0..tuples.len()).flat_map(|table| std::iter::repeat_n(table, images.len()));
        let of_patterns = patterns.iter().zip(tuples.len()..);
        let of_patterns = of_patterns.flat_map(|(p, table)| std::iter::repeat_n(table, p.places.len()));
        let of_lookup: Vec<usize> = of_tuples.chain(of_patterns).collect();
        let of_blocks = factors.chunks(per_block).flat_map(|block| of_lookup.iter().map(|&table| block[table]));
        self.bytes = Some(Bytes { weights: bytes.to_vec(), factors: of_blocks.collect() });
    }

    /// From now on nobody changes weights: what was read for one state is kept for the next.
    pub fn freeze(&mut self) {
        self.frozen = FROZEN.fetch_add(1, Ordering::Relaxed) + 1;
    }

    /// From now on weights may be changed.
    pub fn thaw(&mut self) {
        self.frozen = 0;
        self.bytes = None;
    }

    /// How many places all patterns have.
    pub fn places_of_patterns(&self) -> usize {
        self.lookups - self.of_tuples
    }

    /// All entries of one side and phase.
    pub fn entries(&self) -> usize {
        self.block
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
        let mut starts: Vec<usize> = self.starts.iter().map(|&start| start as usize).collect();
        starts.extend((0..self.shape.values).map(|value| self.counts + value * (self.shape.cells + 1)));
        starts.extend((0..self.shape.numbers).map(|number| self.numbers + number * STEPS));
        starts.push(self.block);
        let outputs = self.shape.outputs;
        let blocks = self.weights.len() / (self.block * outputs).max(1);
        let table =
            |b: usize, pair: &[usize]| (b * self.block + pair[0]) * outputs..(b * self.block + pair[1]) * outputs;
        (0..blocks).flat_map(|b| starts.windows(2).map(move |pair| table(b, pair)).collect::<Vec<_>>()).collect()
    }

    /// Where the table of each pattern begins, and where the last one ends.
    pub fn starts_of_patterns(&self) -> Vec<u32> {
        let starts = self.starts[self.structure.tuples.len()..].iter().copied();
        starts.chain([self.counts as u32]).collect()
    }

    /// All lookups, those of tuples first.
    pub fn lookups(&self) -> impl Iterator<Item = Lookup> {
        lookups(&self.shape, &self.structure, &self.starts)
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
            if self.rows.is_empty() {
                let more = (now as u16).wrapping_sub(old as u16);
                for touch in self.touches_of(cell) {
                    let number = &mut numbers[touch.lookup as usize];
                    *number = number.wrapping_add(touch.digit.wrapping_mul(more));
                }
                continue;
            }
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

    /// The lookups that a cell is a digit of.
    #[inline]
    fn touches_of(&self, cell: usize) -> &[Touch] {
        &self.touches[self.touches_of[cell] as usize..self.touches_of[cell + 1] as usize]
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
        let (tuples, patterns) = digits.split_at(self.of_tuples);
        out.entries.extend(tuples.iter().zip(&self.tables).map(|(&digits, &table)| table + u32::from(digits)));
        out.entries.extend(self.small(counts, numbers).map(|entry| entry as u32));
        out.of_tuples = out.entries.len();
        // A place where nothing stands counts nothing: its weight stays 0.
        let patterns = patterns.iter().zip(&self.tables[self.of_tuples..]).filter(|(digits, _)| **digits != 0);
        out.entries.extend(patterns.map(|(&digits, &table)| table + u32::from(digits)));
    }

    /// The sum of the weights of one output.
    pub fn sum(&self, active: &Active, output: usize) -> f32 {
        let weight = |&entry| self.weights[active.weight(entry, self.shape.outputs, output)].get();
        active.entries.iter().map(weight).sum()
    }

    /// Reads the weights of all lookups, for each output in turn.
    fn read(&self, base: usize, digits: &[u16], weights: &mut Vec<f32>) {
        match &self.bytes {
            None => self.read_by(digits, weights, self.floats_at(base)),
            Some(bytes) => self.read_by(digits, weights, self.bytes_at(bytes, base)),
        }
    }

    /// The same, by what tells the weight at a place of the side and phase, of a lookup.
    #[inline(always)]
    fn read_by(&self, digits: &[u16], weights: &mut Vec<f32>, weight: impl Fn(usize, usize) -> f32) {
        let outputs = self.shape.outputs;
        weights.clear();
        for output in 0..outputs {
            let entries = digits.iter().zip(&self.tables).map(|(&digits, &table)| table as usize + usize::from(digits));
            weights.extend(entries.enumerate().map(|(lookup, entry)| weight(entry * outputs + output, lookup)));
        }
    }

    #[inline(always)]
    fn floats_at(&self, base: usize) -> impl Fn(usize, usize) -> f32 {
        let block = &self.weights[base..][..self.block * self.shape.outputs];
        move |place, _| block[place].get()
    }

    #[inline(always)]
    fn bytes_at<'a>(&self, bytes: &'a Bytes, base: usize) -> impl Fn(usize, usize) -> f32 + use<'a> {
        let size = self.block * self.shape.outputs;
        let block = &bytes.weights[base..][..size];
        let factors = &bytes.factors[base / size * self.lookups..][..self.lookups];
        move |place, lookup| f32::from(block[place]) * factors[lookup]
    }

    /// Brings the numbers in `scratch`, as [`Tuples::digits`] does, and the weights that were read for them to those of
    /// a board that differs in few cells.
    fn exchange(&self, base: usize, cells: &[u8], scratch: &mut [u16], weights: &mut [f32]) {
        match &self.bytes {
            None => self.exchange_by(cells, scratch, weights, self.floats_at(base)),
            Some(bytes) => self.exchange_by(cells, scratch, weights, self.bytes_at(bytes, base)),
        }
    }

    #[inline(always)]
    fn exchange_by(
        &self,
        cells: &[u8],
        scratch: &mut [u16],
        weights: &mut [f32],
        weight: impl Fn(usize, usize) -> f32,
    ) {
        let (lookups, outputs) = (self.lookups, self.shape.outputs);
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
            for touch in self.touches_of(cell) {
                let lookup = touch.lookup as usize;
                numbers[lookup] = numbers[lookup].wrapping_add(touch.digit.wrapping_mul(more));
                let entry = touch.table as usize + usize::from(numbers[lookup]);
                for output in 0..outputs {
                    weights[output * lookups + lookup] = weight(entry * outputs + output, lookup);
                }
            }
        }
    }

    /// Whether so many cells are few: what they touch, here and there, costs two or three times as much as the same
    /// number of lookups in a row (measured: Hex 11 gains a half by it, Connect Four a tenth, Breakthrough would lose).
    fn few(&self, cells: usize) -> bool {
        5 * cells * self.touches.len() <= 2 * self.lookups * self.shape.cells
    }
}

/// For each cell and value what it adds to the numbers of all lookups; empty where adding to the few that a cell
/// touches costs less than adding a row (16 numbers at once).
fn rows(shape: &Shape, lookups: usize, touches: &[Touch], touches_of: &[u32]) -> Vec<u16> {
    if touches.len() * 16 < lookups * shape.cells {
        return Vec::new();
    }
    let mut rows = vec![0u16; shape.cells * shape.values * lookups];
    for cell in 0..shape.cells {
        for touch in &touches[touches_of[cell] as usize..touches_of[cell + 1] as usize] {
            for value in 1..shape.values {
                let number = &mut rows[(cell * shape.values + value) * lookups + touch.lookup as usize];
                *number = number.wrapping_add(touch.digit.wrapping_mul(value as u16));
            }
        }
    }
    rows
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
        let ModelScratch { whole, floats: weights, held } = scratch;
        // Which side and phase the weights belong to; before the first state of a batch to none where a learner may
        // have changed them.
        let mut read_at = (self.frozen != 0 && held.0 == self.frozen).then_some(held.1);
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
        *held = (self.frozen, read_at.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::{OUTSIDE, Pattern};

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
        // Three in a row, wherever; the board turned by half reads it backwards.
        let places = (-1..39).map(|cell| [cell, cell + 1, cell + 2].map(|c| u16::try_from(c).ok().filter(|&c| c < 40)));
        let places = places.map(|place| place.map(|cell| cell.unwrap_or(OUTSIDE)).to_vec()).collect();
        let structure = Structure {
            tuples: (0..9).map(|_| tuple(seed)).collect(),
            patterns: vec![Pattern { places, turns: vec![vec![2, 1, 0]] }],
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
        // Batches of any size keep for the next what nobody changes.
        let (mut still, kept, mut apart) = (model.clone(), &mut ModelScratch::default(), Vec::new());
        still.freeze();
        for first in (0..batch.len()).step_by(7) {
            let mut part = FeatureBatch::default();
            (first..batch.len().min(first + 7)).for_each(|i| part.push(batch.get(i)));
            still.evaluate(&part, kept, &mut apart);
        }
        assert_eq!(together, apart);
        // Weights in bytes are the same weights.
        let factors: Vec<f32> = model.tables().iter().map(|_| next(seed) as f32 / u32::MAX as f32).collect();
        let bytes: Vec<i8> = model.weights.iter().map(|_| (next(seed) % 63) as i8 - 31).collect();
        let mut small = model.clone();
        small.set_bytes(&bytes, &factors);
        small.freeze();
        let mut floats = small.clone();
        floats.thaw();
        assert!(small.bytes.is_some() && floats.bytes.is_none());
        let [by_bytes, by_floats] = [&small, &floats].map(|model| {
            let mut values = Vec::new();
            model.evaluate(&batch, &mut ModelScratch::default(), &mut values);
            values
        });
        assert_eq!(by_bytes, by_floats);
        assert_ne!(by_bytes, together);
        // A learner changes weights between batches.
        model.weights.iter_mut().for_each(|weight| *weight = Weight::new(weight.get() / 2.0));
        let (mut later, mut fresh) = (Vec::new(), Vec::new());
        model.evaluate(&batch, scratch, &mut later);
        model.evaluate(&batch, &mut ModelScratch::default(), &mut fresh);
        assert_eq!(later, fresh);
        assert_ne!(later, together);
    }
}
