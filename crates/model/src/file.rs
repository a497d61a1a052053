//! Models in files: safetensors, with a header that says of which game the model is and how it was made.
//!
//! Tensors of a model with tables: `tuples` (all cells, one tuple after the other), `lengths`, `images`, `weights`, and
//! where it has patterns `patterns` (all cells of all places, 65535 outside the board), `patterns.sizes` (for each its
//! length, its places, its turns) and `patterns.turns`; of a model with layers: `weights`. Whatever else is in the file
//! belongs to who trains (`training.…`) and is left alone.
//!
//! The small form has weights of 6 bits (`weights.small`) with a factor per table (`weights.factors`), and all of the
//! file is compressed by Zstandard. Reading tells one form from the other.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use serde::{Deserialize, Serialize};

use crate::{MOST_ENTRIES, Mlp, Network, OUTSIDE, Pattern, Shape, Structure, Tuples};

/// Files of another version are refused.
pub const VERSION: u32 = 1;

/// The first bytes of what Zstandard wrote.
const COMPRESSED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// What a file says about its model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The format's version.
    pub version: u32,
    /// The game, as it was named for training.
    pub game: String,
    /// A fingerprint of the game's rules: games of one name may differ.
    pub rules: String,
    /// `tuples`, `mlp` or another name.
    pub kind: String,
    /// What it is asked about.
    pub shape: Shape,
    /// Whether viewers have tables of their own.
    pub sides: bool,
    /// Phases with tables of their own.
    pub phases: usize,
    /// The command that made it, and what it took.
    pub made_by: String,
}

/// Why a file cannot be used: one sentence.
#[derive(Debug)]
pub enum FileError {
    /// It cannot be read or written.
    Io(io::Error),
    /// It is not what it should be.
    Wrong(String),
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FileError::Io(error) => error.fmt(f),
            FileError::Wrong(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for FileError {}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        FileError::Io(error)
    }
}

fn wrong(reason: &str) -> FileError {
    FileError::Wrong(format!("this is no model of perfectplay: {reason}"))
}

/// A list of numbers in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    dtype: Dtype,
    bytes: Vec<u8>,
}

impl Tensor {
    /// Numbers with a point.
    pub fn floats(values: impl Iterator<Item = f32>) -> Self {
        Tensor { dtype: Dtype::F32, bytes: values.flat_map(f32::to_le_bytes).collect() }
    }

    /// Whole numbers of 16 bits.
    pub fn whole(values: impl Iterator<Item = u16>) -> Self {
        Tensor { dtype: Dtype::U16, bytes: values.flat_map(u16::to_le_bytes).collect() }
    }

    /// Bytes.
    pub fn bytes(bytes: Vec<u8>) -> Self {
        Tensor { dtype: Dtype::U8, bytes }
    }

    /// The numbers with a point.
    pub fn as_floats(&self) -> Result<Vec<f32>, FileError> {
        self.of(Dtype::F32)?;
        Ok(self.bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect())
    }

    /// The whole numbers of 16 bits.
    pub fn as_whole(&self) -> Result<Vec<u16>, FileError> {
        self.of(Dtype::U16)?;
        Ok(self.bytes.as_chunks::<2>().0.iter().map(|&b| u16::from_le_bytes(b)).collect())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn of(&self, dtype: Dtype) -> Result<(), FileError> {
        if self.dtype == dtype { Ok(()) } else { Err(wrong("a tensor has numbers of another kind")) }
    }
}

/// A file in memory.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// What it says.
    pub header: Header,
    /// The model.
    pub network: Network,
    /// What belongs to who trains, by name.
    pub training: BTreeMap<String, Tensor>,
}

/// The name of the header among the metadata.
const HEADER: &str = "perfectplay";
/// What the names of tensors for training begin with.
const TRAINING: &str = "training.";

/// The largest weight of the small form. Files with 8 bits are half as large again.
const LARGEST: f32 = 31.0;

impl ModelFile {
    /// Reads a file of either form.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::from_bytes(&fs::read(path)?)
    }

    /// Reads what was in a file of either form.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        if bytes.starts_with(&COMPRESSED) {
            return Self::from_bytes(&zstd::decode_all(bytes)?);
        }
        let broken = |error| wrong(&format!("{error}"));
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(broken)?;
        let header = metadata.metadata().as_ref().and_then(|entries| entries.get(HEADER));
        let header = header.ok_or_else(|| wrong("it has no header"))?;
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let Version { version } = serde_json::from_str(header).map_err(|_| wrong("its header tells no version"))?;
        if version != VERSION {
            return Err(FileError::Wrong(format!(
                "this model has the format {version}, and this program reads the format {VERSION}: train it again"
            )));
        }
        let header: Header = serde_json::from_str(header).map_err(|error| wrong(&format!("{error}")))?;
        let tensors = SafeTensors::deserialize(bytes).map_err(broken)?;
        let mut tensors: BTreeMap<String, Tensor> = tensors
            .iter()
            .map(|(name, view)| (name.to_owned(), Tensor { dtype: view.dtype(), bytes: view.data().to_vec() }))
            .collect();
        let network = network(&header, &tensors)?;
        tensors.retain(|name, _| name.starts_with(TRAINING));
        let training = tensors.into_iter().map(|(name, tensor)| (name[TRAINING.len()..].to_owned(), tensor)).collect();
        Ok(ModelFile { header, network, training })
    }

    /// The file, with every weight as it is.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut tensors = structure_of(&self.network);
        if !matches!(self.network, Network::Other(_)) {
            tensors.insert("weights".into(), Tensor::floats(weights_of(&self.network).into_iter()));
        }
        tensors.extend(self.training.iter().map(|(name, tensor)| (format!("{TRAINING}{name}"), tensor.clone())));
        self.with_header(&tensors)
    }

    /// The small form: weights of 6 bits in a byte each, compressed, without what training needs.
    pub fn to_small_bytes(&self) -> Vec<u8> {
        let mut tensors = structure_of(&self.network);
        if let Network::Other(_) = self.network {
            return zstd::encode_all(&self.with_header(&tensors)[..], 19).expect("writing to memory");
        }
        let weights = weights_of(&self.network);
        let (mut small, mut factors) = (vec![0u8; weights.len()], Vec::new());
        for table in parts(&self.network) {
            let largest = weights[table.clone()].iter().fold(0f32, |most, w| most.max(w.abs()));
            let factor = if largest > 0.0 { largest / LARGEST } else { 1.0 };
            factors.push(factor);
            for (small, weight) in small[table.clone()].iter_mut().zip(&weights[table]) {
                *small = (weight / factor).round() as i8 as u8;
            }
        }
        tensors.insert("weights.small".into(), Tensor { dtype: Dtype::I8, bytes: small });
        tensors.insert("weights.factors".into(), Tensor::floats(factors.into_iter()));
        zstd::encode_all(&self.with_header(&tensors)[..], 19).expect("writing to memory")
    }

    fn with_header(&self, tensors: &BTreeMap<String, Tensor>) -> Vec<u8> {
        let header = serde_json::to_string(&self.header).expect("a header is plain data");
        let views = tensors.iter().map(|(name, tensor)| {
            let shape = vec![tensor.bytes.len() * 8 / tensor.dtype.bitsize()];
            (name, TensorView::new(tensor.dtype, shape, &tensor.bytes).expect("as long as it says"))
        });
        serialize(views, Some(HashMap::from([(HEADER.to_owned(), header)]))).expect("plain tensors")
    }

    /// Writes the file, in the small form if its name ends in `.zst`. It is whole or not there at all, whenever the
    /// program is stopped.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let small = path.extension().is_some_and(|end| end == "zst");
        write_whole(path, &if small { self.to_small_bytes() } else { self.to_bytes() })
    }
}

/// Writes a file so that it is whole or not there at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let mut file = fs::File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    Ok(fs::rename(beside, path)?)
}

/// The tensors that say which tables there are; all there are of a network of another kind.
fn structure_of(network: &Network) -> BTreeMap<String, Tensor> {
    let tuples = match network {
        Network::Tuples(tuples) => tuples,
        Network::Mlp(_) => return BTreeMap::new(),
        Network::Other(other) => return other.tensors(),
    };
    let Structure { tuples, patterns, images, .. } = tuples.structure();
    let mut tensors = BTreeMap::from([
        ("tuples".into(), Tensor::whole(tuples.iter().flatten().copied())),
        ("lengths".into(), Tensor::whole(tuples.iter().map(|tuple| tuple.len() as u16))),
        ("images".into(), Tensor::whole(images.iter().flatten().copied())),
    ]);
    if !patterns.is_empty() {
        let sizes = patterns.iter().flat_map(|p| [p.length(), p.places.len(), p.turns.len()].map(|size| size as u16));
        let cells = patterns.iter().flat_map(|pattern| pattern.places.iter().flatten().copied());
        let turns = patterns.iter().flat_map(|pattern| pattern.turns.iter().flatten().copied());
        tensors.insert("patterns".into(), Tensor::whole(cells));
        tensors.insert("patterns.sizes".into(), Tensor::whole(sizes));
        tensors.insert("patterns.turns".into(), Tensor::bytes(turns.collect()));
    }
    tensors
}

/// The patterns that the tensors hold, if any.
fn patterns(shape: &Shape, tensors: &BTreeMap<String, Tensor>) -> Result<Vec<Pattern>, FileError> {
    let (Some(cells), Some(sizes), Some(turns)) =
        (tensors.get("patterns"), tensors.get("patterns.sizes"), tensors.get("patterns.turns"))
    else {
        return Ok(Vec::new());
    };
    let (cells, sizes) = (cells.as_whole()?, sizes.as_whole()?);
    let (mut cells, mut turns) = (cells.as_slice(), turns.as_bytes());
    let unfit = || wrong("its patterns do not fit its board");
    let mut patterns = Vec::new();
    for size in sizes.chunks(3) {
        let &[length, places, reads] = size else { return Err(unfit()) };
        let [length, places, reads] = [length, places, reads].map(usize::from);
        let entries = (shape.values + 1).checked_pow(length as u32);
        if length == 0 || places == 0 || entries.is_none_or(|entries| entries > MOST_ENTRIES) {
            return Err(unfit());
        }
        let (here, after) = cells.split_at_checked(length * places).ok_or_else(unfit)?;
        let (turned, left) = turns.split_at_checked(length * reads).ok_or_else(unfit)?;
        (cells, turns) = (after, left);
        let known = |&cell: &u16| cell == OUTSIDE || usize::from(cell) < shape.cells;
        if !here.iter().all(known) || !turned.iter().all(|&position| usize::from(position) < length) {
            return Err(unfit());
        }
        let places = here.chunks(length).map(<[u16]>::to_vec).collect();
        patterns.push(Pattern { places, turns: turned.chunks(length).map(<[u8]>::to_vec).collect() });
    }
    if cells.is_empty() && turns.is_empty() { Ok(patterns) } else { Err(unfit()) }
}

fn weights_of(network: &Network) -> Vec<f32> {
    match network {
        Network::Tuples(tuples) => tuples.weights().iter().map(crate::Weight::get).collect(),
        Network::Mlp(mlp) => mlp.weights().to_vec(),
        Network::Other(_) => Vec::new(),
    }
}

/// Which weights share a factor in the small form.
fn parts(network: &Network) -> Vec<std::ops::Range<usize>> {
    match network {
        Network::Tuples(tuples) => tuples.tables(),
        Network::Other(_) => Vec::new(),
        Network::Mlp(mlp) => {
            let len = mlp.weights().len();
            (0..len).step_by(crate::mlp::HIDDEN).map(|first| first..(first + crate::mlp::HIDDEN).min(len)).collect()
        }
    }
}

/// The model that the tensors hold. Nothing in the file is trusted.
fn network(header: &Header, tensors: &BTreeMap<String, Tensor>) -> Result<Network, FileError> {
    let get = |name: &str| tensors.get(name).ok_or_else(|| wrong(&format!("it lacks {name}")));
    let shape = header.shape.clone();
    let sizes = [shape.cells, shape.values, shape.players, shape.outputs, header.phases];
    if sizes.iter().any(|&size| size == 0 || size > 1 << 12) || shape.numbers > 1 << 12 || shape.values > 256 {
        return Err(wrong("its header has sizes that no game has"));
    }
    let mut network = match header.kind.as_str() {
        "tuples" => {
            let (cells, lengths, images) =
                (get("tuples")?.as_whole()?, get("lengths")?.as_whole()?, get("images")?.as_whole()?);
            let mut rest = cells.as_slice();
            let mut tuples = Vec::new();
            for length in lengths {
                let (tuple, after) =
                    rest.split_at_checked(length.into()).ok_or_else(|| wrong("its tuples are cut off"))?;
                tuples.push(tuple.to_vec());
                rest = after;
            }
            let images: Vec<Vec<u16>> = images.chunks(shape.cells).map(<[u16]>::to_vec).collect();
            let known = |list: &Vec<u16>| list.iter().all(|&cell| usize::from(cell) < shape.cells);
            let small = |tuple: &Vec<u16>| {
                let size = shape.values.checked_pow(tuple.len() as u32);
                size.is_some_and(|size| size <= MOST_ENTRIES)
            };
            let whole = images.iter().all(|image| image.len() == shape.cells && known(image)) && !images.is_empty();
            if !whole || !tuples.iter().all(|tuple| known(tuple) && small(tuple)) {
                return Err(wrong("its tuples do not fit its board"));
            }
            let patterns = patterns(&shape, tensors)?;
            let structure = Structure { tuples, patterns, images, sides: header.sides, phases: header.phases };
            Network::Tuples(Box::new(Tuples::new(shape, structure)))
        }
        "mlp" => {
            let weights = vec![0.0; crate::mlp::Parts::of(&shape).len];
            Network::Mlp(Mlp::new(shape, weights))
        }
        other => {
            let unknown = || {
                FileError::Wrong(format!(
                    "models of the kind \"{other}\" are unknown to this program: it was built without them (docs/learning.md)"
                ))
            };
            return Ok(Network::Other(crate::other_kind(other).ok_or_else(unknown)?(header, tensors)?));
        }
    };
    let unfit = || wrong("it has more or fewer weights than its header says");
    let parts = parts(&network);
    let count = parts.last().map_or(0, |part| part.end);
    match tensors.get("weights") {
        Some(weights) => {
            let weights = weights.as_floats()?;
            if weights.len() != count || !weights.iter().all(|w| w.is_finite()) {
                return Err(unfit());
            }
            match &mut network {
                Network::Tuples(tuples) => {
                    tuples.weights().iter().zip(weights).for_each(|(weight, value)| weight.set(value));
                }
                Network::Mlp(mlp) => mlp.weights_mut().copy_from_slice(&weights),
                Network::Other(_) => {}
            }
        }
        None => {
            let (small, factors) = (get("weights.small")?.as_bytes(), get("weights.factors")?.as_floats()?);
            let small: Vec<i8> = small.iter().map(|&byte| byte as i8).collect();
            let finite = factors.iter().all(|factor| (factor * f32::from(i8::MIN)).is_finite());
            if factors.len() != parts.len() || small.len() != count || !finite {
                return Err(unfit());
            }
            match &mut network {
                Network::Tuples(tuples) => tuples.set_bytes(&small, &factors),
                Network::Mlp(mlp) => {
                    for (part, factor) in parts.into_iter().zip(factors) {
                        let pairs = mlp.weights_mut()[part.clone()].iter_mut().zip(&small[part]);
                        pairs.for_each(|(weight, &byte)| *weight = f32::from(byte) * factor);
                    }
                }
                Network::Other(_) => {}
            }
        }
    }
    if let Network::Tuples(tuples) = &mut network {
        tuples.freeze();
    }
    Ok(network)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_another_version_are_refused() {
        let shape = Shape { cells: 2, values: 2, numbers: 0, players: 2, outputs: 1 };
        let structure = Structure { images: vec![vec![0, 1]], phases: 1, ..Structure::default() };
        let network = Network::Tuples(Box::new(Tuples::new(shape.clone(), structure)));
        let header = Header {
            version: VERSION + 1,
            game: "tic-tac-toe".into(),
            rules: String::new(),
            kind: network.kind().into(),
            shape,
            sides: false,
            phases: 1,
            made_by: String::new(),
        };
        let file = |version| {
            let header = Header { version, ..header.clone() };
            ModelFile { header, network: network.clone(), training: BTreeMap::new() }.to_bytes()
        };
        assert!(ModelFile::from_bytes(&file(VERSION)).is_ok());
        let refused = ModelFile::from_bytes(&file(VERSION + 1)).expect_err("another version").to_string();
        let (theirs, ours) = (VERSION + 1, VERSION);
        assert_eq!(
            refused,
            format!("this model has the format {theirs}, and this program reads the format {ours}: train it again")
        );
    }

    /// Patterns come back from what was written of them, and nothing that does not fit is taken.
    #[test]
    fn patterns_that_do_not_fit_are_refused() {
        let shape = Shape { cells: 3, values: 3, numbers: 0, players: 2, outputs: 1 };
        let pairs = Pattern { places: vec![vec![0, 1], vec![1, 2], vec![2, OUTSIDE]], turns: vec![vec![1, 0]] };
        let images = vec![vec![0, 1, 2]];
        let structure = Structure { patterns: vec![pairs.clone()], images, phases: 1, ..Structure::default() };
        let tensors = structure_of(&Network::Tuples(Box::new(Tuples::new(shape.clone(), structure))));
        assert_eq!(patterns(&shape, &tensors).unwrap(), [pairs]);
        let whole = |values: &[u16]| Tensor::whole(values.iter().copied());
        for (name, damaged) in [
            ("patterns", whole(&[0, 1, 1, 2, 2])),
            ("patterns", whole(&[0, 1, 1, 3, 2, OUTSIDE])),
            ("patterns.sizes", whole(&[2, 3])),
            ("patterns.sizes", whole(&[0, 3, 1])),
            ("patterns.sizes", whole(&[2, 0, 1])),
            ("patterns.sizes", whole(&[2, 2, 1])),
            ("patterns.sizes", whole(&[9, 3, 1])),
            ("patterns.turns", Tensor::bytes(vec![1, 2])),
            ("patterns.turns", Tensor::bytes(vec![1])),
            ("patterns.turns", whole(&[1, 0])),
        ] {
            let mut tensors = tensors.clone();
            tensors.insert(name.into(), damaged.clone());
            assert!(patterns(&shape, &tensors).is_err(), "{name}: {damaged:?}");
        }
    }
}
