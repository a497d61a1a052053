//! Learning tables: stochastic gradient steps on the log loss of the outputs.
//!
//! With y = tanh x and a target t, both as chances (1 + y) / 2 and (1 + t) / 2, the log loss has the derivative y - t
//! with respect to x: unlike the squared error it does not fade where a wrong guess is sure of itself. A step takes
//! away a part of the error, shared among the weights that took part: each takes the same step, however often it is
//! read, so that what is rare is not drowned by what every board is full of. Of a model with patterns a half falls to
//! them: less where they are on few places, since a step that were shared among a few stones would be many times too
//! large for a full board.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use perfectplay_core::{Model, ModelScratch};
use perfectplay_model::file::{FileError, Tensor};
use perfectplay_model::{Active, Network, Tuples, Weight};

use crate::examples::Examples;
use crate::learner::{Learner, count, decayed, read_count, tensor};
use crate::options::{Steps, TupleOptions};

/// Learns a [`Tuples`].
pub struct TableLearner {
    model: Arc<Tuples>,
    options: TupleOptions,
    /// Examples learned.
    learned: AtomicU64,
    /// For coherent steps: per weight the sum of all steps, and of their sizes.
    coherence: Option<[Vec<Weight>; 2]>,
    ties: Ties,
    /// What threads work with, while they do not.
    idle: Mutex<Vec<Workspace>>,
}

/// What finding the weights of a state takes.
struct Workspace {
    scratch: ModelScratch,
    active: Active,
    once: Once,
}

impl TableLearner {
    /// Goes on with this model.
    pub fn new(mut model: Tuples, options: TupleOptions) -> Self {
        model.thaw();
        let coherent = options.steps == Steps::Coherence;
        let sums = || vec![Weight::default(); model.weights().len()];
        let coherence = coherent.then(|| [sums(), sums()]);
        let (ties, learned) = (Ties::of(&model), AtomicU64::new(0));
        TableLearner { model: Arc::new(model), options, learned, coherence, ties, idle: Mutex::default() }
    }

    fn workspace(&self) -> Workspace {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| Workspace {
            scratch: ModelScratch::default(),
            active: Active::default(),
            once: Once::new(self.model.entries()),
        })
    }

    /// One step for one output of one state.
    #[inline]
    fn step(&self, active: &Active, once: &Once, output: usize, target: f32, rate: f32) -> f32 {
        let outputs = self.model.outputs();
        let error = target - self.model.sum(active, output).tanh();
        let places = self.model.places_of_patterns();
        let rate = if places == 0 { rate } else { rate / 2.0 };
        let share = rate / active.of_tuples().len() as f32;
        once.of_tuples().iter().for_each(|&entry| _ = self.change(active.weight(entry, outputs, output), error, share));
        let share = rate / places.max(1) as f32;
        for &entry in once.of_patterns() {
            let weight = self.change(active.weight(entry, outputs, output), error, share);
            for &tied in self.ties.to(entry) {
                self.model.weights()[active.weight(tied, outputs, output)].set(weight);
            }
        }
        error
    }

    /// A step for one weight; answers what it is now.
    #[inline]
    fn change(&self, at: usize, error: f32, rate: f32) -> f32 {
        let (weight, mut step) = (&self.model.weights()[at], rate * error);
        if let Some([sums, sizes]) = &self.coherence {
            let (sum, size) = (sums[at].get(), sizes[at].get());
            if size > 0.0 {
                step *= sum.abs() / size;
            }
            sums[at].set(sum + error);
            sizes[at].set(size + error.abs());
        }
        weight.add(step);
        weight.get()
    }
}

/// Entries of patterns that symmetries make of each other, and which therefore have the same weight.
struct Ties {
    /// The first entry of patterns.
    first: usize,
    /// For each entry the smallest of those that are tied to it.
    smallest: Vec<u32>,
    /// All entries, those that are tied side by side, and for each smallest one where its own begin and end.
    tied: Vec<u32>,
    places: Vec<Range<u32>>,
}

impl Ties {
    fn of(model: &Tuples) -> Self {
        let (starts, base) = (model.starts_of_patterns(), model.shape().values + 1);
        let patterns = model.structure().patterns.iter().zip(&starts);
        let smallest: Vec<u32> = patterns
            .flat_map(|(pattern, &start)| smallest(base, pattern.length(), &pattern.turns).map(move |e| start + e))
            .collect();
        let first = starts[0] as usize;
        let mut tied: Vec<u32> = (starts[0]..).take(smallest.len()).collect();
        tied.sort_by_key(|&entry| smallest[entry as usize - first]);
        let mut places = vec![0..0; smallest.len()];
        let mut end = 0;
        for same in tied.chunk_by(|&a, &b| smallest[a as usize - first] == smallest[b as usize - first]) {
            let begin = end;
            end += same.len() as u32;
            places[smallest[same[0] as usize - first] as usize - first] = begin..end;
        }
        Ties { first, smallest, tied, places }
    }

    /// What is tied to the smallest of them.
    #[inline]
    fn to(&self, entry: u32) -> &[u32] {
        let Range { start, end } = self.places[entry as usize - self.first];
        &self.tied[start as usize..end as usize]
    }
}

/// For each entry of a table the smallest of those that the turns make of it.
fn smallest(base: usize, length: usize, turns: &[Vec<u8>]) -> impl Iterator<Item = u32> {
    let digit = move |entry: usize, place: usize| entry / base.pow(place as u32) % base;
    let turned = move |entry: usize, turn: &[u8]| {
        turn.iter().rev().fold(0, |number, &from| number * base + digit(entry, usize::from(from)))
    };
    (0..base.pow(length as u32)).map(move |entry| {
        let smallest = turns.iter().map(|turn| turned(entry, turn)).min().unwrap_or(entry);
        smallest.min(entry) as u32
    })
}

/// The entries that a state reads, each once.
struct Once {
    /// For each entry the number of the state that read it last.
    met: Vec<u8>,
    state: u8,
    found: Vec<u32>,
    of_tuples: usize,
}

impl Once {
    fn new(entries: usize) -> Self {
        Once { met: vec![0; entries], state: 0, found: Vec::new(), of_tuples: 0 }
    }

    /// Takes those of another state; of entries that are tied the smallest.
    fn take(&mut self, active: &Active, ties: &Ties) {
        if self.state == u8::MAX {
            self.met.fill(0);
            self.state = 0;
        }
        self.state += 1;
        self.found.clear();
        active.of_tuples().iter().for_each(|&entry| self.meet(entry));
        self.of_tuples = self.found.len();
        active.of_patterns().iter().for_each(|&entry| self.meet(ties.smallest[entry as usize - ties.first]));
    }

    #[inline]
    fn meet(&mut self, entry: u32) {
        if std::mem::replace(&mut self.met[entry as usize], self.state) != self.state {
            self.found.push(entry);
        }
    }

    fn of_tuples(&self) -> &[u32] {
        &self.found[..self.of_tuples]
    }

    fn of_patterns(&self) -> &[u32] {
        &self.found[self.of_tuples..]
    }
}

impl Learner for TableLearner {
    fn model(&self) -> Arc<dyn Model> {
        self.model.clone()
    }

    fn learn(&self, examples: &Examples, pace: f32) -> f64 {
        let first = self.learned.fetch_add(examples.len() as u64, Ordering::Relaxed);
        let rate = match self.options.steps {
            Steps::Plain => decayed(self.options.rate, self.options.decay, first),
            Steps::Coherence => self.options.rate as f32,
        };
        let rate = pace * rate;
        let mut workspace = self.workspace();
        let (Workspace { scratch, active, once }, mut sum) = (&mut workspace, 0.0);
        for i in 0..examples.len() {
            self.model.activate(examples.batch.get(i), scratch, active);
            once.take(active, &self.ties);
            for (output, &target) in examples.targets_of(i).iter().enumerate() {
                let error = self.step(active, once, output, target, rate);
                sum += f64::from(error * error);
            }
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
        sum
    }

    fn network(&self) -> Network {
        Network::Tuples(Box::new((*self.model).clone()))
    }

    fn save(&self) -> BTreeMap<String, Tensor> {
        let mut tensors = BTreeMap::from([("learned".to_owned(), count(self.learned.load(Ordering::Relaxed)))]);
        if let Some([sums, sizes]) = &self.coherence {
            tensors.insert("coherence.sums".into(), Tensor::floats(sums.iter().map(Weight::get)));
            tensors.insert("coherence.sizes".into(), Tensor::floats(sizes.iter().map(Weight::get)));
        }
        tensors
    }

    fn restore(&self, tensors: &BTreeMap<String, Tensor>) -> Result<(), FileError> {
        self.learned.store(read_count(tensor(tensors, "learned")?)?, Ordering::Relaxed);
        if let Some([sums, sizes]) = &self.coherence {
            for (name, list) in [("coherence.sums", sums), ("coherence.sizes", sizes)] {
                let values = tensor(tensors, name)?.as_floats()?;
                if values.len() != list.len() {
                    return Err(FileError::Wrong(format!("{name} does not fit the model")));
                }
                list.iter().zip(values).for_each(|(weight, value)| weight.set(value));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use perfectplay_core::{FeatureBatch, OptionSet, Params};
    use perfectplay_model::{Pattern, Shape, Structure};

    use super::*;

    /// What one step does to the sum does not depend on how many entries there are, nor on how often each is read.
    #[test]
    fn a_step_takes_away_its_part_of_the_error() {
        let shape = Shape { cells: 6, values: 3, numbers: 0, players: 2, outputs: 1 };
        let images = vec![(0..6).collect::<Vec<u16>>(), (0..6).rev().collect()];
        let pairs = Pattern { places: (0..5).map(|c| vec![c, c + 1]).collect(), turns: vec![vec![1, 0]] };
        for patterns in [vec![], vec![pairs]] {
            let tuples = vec![vec![0, 1, 2], vec![3]];
            let structure = Structure { tuples, patterns, images: images.clone(), phases: 1, ..Structure::default() };
            let mut options = TupleOptions::read("tuples", Params::default()).unwrap();
            options.rate = 0.1;
            let learner = TableLearner::new(Tuples::new(shape.clone(), structure), options);
            // One stone is in two pairs that read alike, four in a row are in more.
            let batch = FeatureBatch { viewers: vec![0], cells: vec![0, 1, 1, 1, 2, 0], numbers: vec![] };
            let examples = Examples { batch: batch.clone(), targets: vec![1.0] };
            assert_eq!(learner.learn(&examples, 1.0), 1.0);
            let mut values = Vec::new();
            learner.model().evaluate(&batch, &mut ModelScratch::default(), &mut values);
            assert!((values[0].atanh() - 0.1).abs() < 1e-4, "{values:?}");
        }
    }
}
