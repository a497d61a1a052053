//! Models for other programs, as ONNX (operators of version 13).
//!
//! Inputs, for any number N of states: `cells` (N × cells, the values as numbers), `viewer` (N × players, 1 for the one
//! whose side is told, 0 for the others), `numbers` (N × numbers). Output: `value` (N × outputs). The records of the
//! format are few, so they are written by hand.

use perfectplay_model::mlp::{HIDDEN, Parts, SECOND, inputs};
use perfectplay_model::{FileError, Mlp, ModelFile, Network, Shape, Tuples, Weight};

/// A message of the format's encoding: fields one after the other.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(bytes: &mut Vec<u8>, mut value: u64) {
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
    }

    fn number(mut self, field: u64, value: i64) -> Self {
        Self::varint(&mut self.0, field << 3);
        Self::varint(&mut self.0, value as u64);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        Self::varint(&mut self.0, field << 3 | 2);
        Self::varint(&mut self.0, bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    fn message(self, field: u64, message: &Message) -> Self {
        self.bytes(field, &message.0)
    }
}

/// Kinds of numbers.
const FLOAT: i64 = 1;
const INT64: i64 = 7;

/// A graph under construction.
#[derive(Default)]
struct Graph {
    message: Message,
    named: usize,
}

impl Graph {
    fn constant(&mut self, kind: i64, shape: &[usize], raw: &[u8]) -> String {
        self.named += 1;
        let name = format!("c{}", self.named);
        let mut tensor = Message::default();
        for &size in shape {
            tensor = tensor.number(1, size as i64);
        }
        let tensor = tensor.number(2, kind).text(8, &name).bytes(9, raw);
        self.message = std::mem::take(&mut self.message).message(5, &tensor);
        name
    }

    fn floats(&mut self, shape: &[usize], values: impl IntoIterator<Item = f32>) -> String {
        let raw: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
        self.constant(FLOAT, shape, &raw)
    }

    fn whole(&mut self, values: &[i64]) -> String {
        let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(INT64, &[values.len()], &raw)
    }

    /// An operator; answers the name of what it makes.
    fn node(&mut self, operator: &str, inputs: &[&str]) -> String {
        self.node_with(operator, inputs, None)
    }

    /// The same with an attribute that is a whole number.
    fn node_with(&mut self, operator: &str, inputs: &[&str], attribute: Option<(&str, i64)>) -> String {
        self.named += 1;
        let name = if operator == "Tanh" { "value".to_owned() } else { format!("n{}", self.named) };
        let mut node = Message::default();
        for input in inputs {
            node = node.text(1, input);
        }
        node = node.text(2, &name).text(4, operator);
        if let Some((attribute, value)) = attribute {
            node = node.message(5, &Message::default().text(1, attribute).number(3, value).number(20, 2));
        }
        self.message = std::mem::take(&mut self.message).message(1, &node);
        name
    }

    /// Which of the values each cell has: N × cells × values.
    fn one_hot(&mut self, values: std::ops::Range<usize>) -> String {
        let last = self.whole(&[2]);
        let column = self.node("Unsqueeze", &["cells", &last]);
        let values = self.floats(&[values.len()], values.map(|value| value as f32));
        let equal = self.node("Equal", &[&column, &values]);
        self.node_with("Cast", &[&equal], Some(("to", FLOAT)))
    }

    /// The sum over the second of three axes, or over the second of two.
    fn sum_second(&mut self, of: &str) -> String {
        let axis = self.whole(&[1]);
        self.node_with("ReduceSum", &[of, &axis], Some(("keepdims", 0)))
    }
}

/// The model of a file, if it is one of tables or layers.
pub fn export(file: &ModelFile) -> Result<Vec<u8>, FileError> {
    let mut graph = Graph::default();
    match &file.network {
        Network::Tuples(tuples) => tables(&mut graph, tuples),
        Network::Mlp(mlp) => layers(&mut graph, mlp),
        Network::Other(other) => {
            return Err(FileError::Wrong(format!("models of the kind {} are not written as ONNX", other.kind())));
        }
    }
    let Shape { cells, numbers, players, outputs, .. } = *file.network.shape();
    let value = |name: &str, size: usize| {
        let any = Message::default().text(2, "N");
        let fixed = Message::default().number(1, size as i64);
        let shape = Message::default().message(1, &any).message(1, &fixed);
        let tensor = Message::default().number(1, FLOAT).message(2, &shape);
        Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
    };
    let graph = graph
        .message
        .text(2, &file.header.game)
        .message(11, &value("cells", cells))
        .message(11, &value("viewer", players))
        .message(11, &value("numbers", numbers))
        .message(12, &value("value", outputs));
    let version = Message::default().text(1, "").number(2, 13);
    let model = Message::default()
        .number(1, 7)
        .text(2, "perfectplay")
        .text(6, &file.header.made_by)
        .message(7, &graph)
        .message(8, &version);
    Ok(model.0)
}

/// Where everything lies in a network of tables.
struct Places {
    /// What one more in a cell adds to the number of each lookup: a row per cell.
    digits: Vec<f32>,
    /// The first entry of each lookup.
    first: Vec<f32>,
    /// Where the tables of counts and numbers begin, and how many entries all have together.
    counts: Vec<usize>,
    numbers: Vec<usize>,
    block: usize,
    /// Entries of a table of numbers.
    steps: usize,
}

impl Places {
    fn of(model: &Tuples) -> Self {
        let (shape, structure) = (model.shape(), model.structure());
        let lookups: Vec<_> = model.lookups().collect();
        let mut digits = vec![0f32; shape.cells * lookups.len()];
        for (i, lookup) in lookups.iter().enumerate() {
            for &(cell, digit) in &lookup.digits {
                digits[usize::from(cell) * lookups.len() + i] += digit as f32;
            }
        }
        let all = model.tables();
        let first = structure.tuples.len() + structure.patterns.len();
        let rest = first + shape.values;
        let per_block = rest + shape.numbers;
        let begin = |table: usize| all[table].start / shape.outputs;
        Places {
            digits,
            first: lookups.iter().map(|lookup| (lookup.table + lookup.outside) as f32).collect(),
            counts: (first..rest).map(begin).collect(),
            numbers: (rest..per_block).map(begin).collect(),
            block: all[per_block - 1].end / shape.outputs,
            steps: all[per_block - 1].len() / shape.outputs,
        }
    }
}

/// Digits are linear in the cells, so the entries that a state reads are a product; then they are gathered and added
/// up.
fn tables(graph: &mut Graph, model: &Tuples) {
    let (shape, structure) = (model.shape(), model.structure());
    let layout = Places::of(model);
    let digits = graph.floats(&[shape.cells, layout.first.len()], layout.digits.iter().copied());
    let first = graph.floats(&[layout.first.len()], layout.first.iter().copied());
    let product = graph.node("MatMul", &["cells", &digits]);
    let lookups = graph.node("Add", &[&product, &first]);
    let one_hot = graph.one_hot(0..shape.values);
    let count = graph.sum_second(&one_hot);
    let rows = graph.floats(&[shape.values], layout.counts.iter().map(|&row| row as f32));
    let counts = graph.node("Add", &[&count, &rows]);
    let mut parts = vec![lookups, counts];
    if shape.numbers > 0 {
        let scale = graph.floats(&[1], [0.5 * (layout.steps - 1) as f32]);
        let shift = graph.floats(&[1], [0.5 * (layout.steps - 1) as f32 + 0.5]);
        let scaled = graph.node("Mul", &["numbers", &scale]);
        let shifted = graph.node("Add", &[&scaled, &shift]);
        let step = graph.node("Floor", &[&shifted]);
        let (least, most) = (graph.floats(&[], [0.0]), graph.floats(&[], [(layout.steps - 1) as f32]));
        let step = graph.node("Clip", &[&step, &least, &most]);
        let rows = graph.floats(&[shape.numbers], layout.numbers.iter().map(|&row| row as f32));
        parts.push(graph.node("Add", &[&step, &rows]));
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let entries = graph.node_with("Concat", &parts, Some(("axis", 1)));
    let entries = graph.node_with("Cast", &[&entries], Some(("to", INT64)));
    // The phase: cells in use, in steps; the side: whose tables.
    let empty = graph.floats(&[shape.values, 1], (0..shape.values).map(|value| if value == 0 { -1.0 } else { 0.0 }));
    let cells = graph.floats(&[1], [shape.cells as f32]);
    let less = graph.node("MatMul", &[&count, &empty]);
    let used = graph.node("Add", &[&less, &cells]);
    let (times, by) = (graph.floats(&[1], [structure.phases as f32]), graph.floats(&[1], [shape.cells as f32 + 1.0]));
    let product = graph.node("Mul", &[&used, &times]);
    let quotient = graph.node("Div", &[&product, &by]);
    let phase = graph.node("Floor", &[&quotient]);
    let side = |viewer: usize| if structure.sides { (viewer * structure.phases) as f32 } else { 0.0 };
    let sides = graph.floats(&[shape.players, 1], (0..shape.players).map(side));
    let side = graph.node("MatMul", &["viewer", &sides]);
    let block = graph.node("Add", &[&side, &phase]);
    let block = graph.node_with("Cast", &[&block], Some(("to", INT64)));
    let size = graph.whole(&[layout.block as i64]);
    let base = graph.node("Mul", &[&block, &size]);
    let at = graph.node("Add", &[&entries, &base]);
    let weights = model.weights();
    let weights = graph.floats(&[weights.len() / shape.outputs, shape.outputs], weights.iter().map(Weight::get));
    let read = graph.node_with("Gather", &[&weights, &at], Some(("axis", 0)));
    let sum = graph.sum_second(&read);
    graph.node("Tanh", &[&sum]);
}

fn layers(graph: &mut Graph, model: &Mlp) {
    let (shape, parts, weights) = (model.shape(), Parts::of(model.shape()), model.weights());
    let one_hot = graph.one_hot(1..shape.values);
    let flat = graph.whole(&[0, -1]);
    let cells = graph.node("Reshape", &[&one_hot, &flat]);
    let all = graph.node_with("Concat", &[&cells, "viewer", "numbers"], Some(("axis", 1)));
    let layer = |graph: &mut Graph, from: &str, sizes: [usize; 2], weights: Vec<f32>, bias: &[f32]| {
        let (matrix, bias) = (graph.floats(&sizes, weights), graph.floats(&[sizes[1]], bias.iter().copied()));
        let product = graph.node("MatMul", &[from, &matrix]);
        graph.node("Add", &[&product, &bias])
    };
    // A row per unit becomes a column.
    let turned = |from: usize, rows: usize, columns: usize| -> Vec<f32> {
        (0..columns).flat_map(|c| (0..rows).map(move |r| weights[from + r * columns + c])).collect()
    };
    let first = weights[..parts.bias1].to_vec();
    let sum = layer(graph, &all, [inputs(shape), HIDDEN], first, &weights[parts.bias1..parts.second]);
    let clipped = graph.node("Relu", &[&sum]);
    let second = turned(parts.second, SECOND, HIDDEN);
    let sum = layer(graph, &clipped, [HIDDEN, SECOND], second, &weights[parts.bias2..parts.last]);
    let clipped = graph.node("Relu", &[&sum]);
    let last = turned(parts.last, shape.outputs, SECOND);
    let sum = layer(graph, &clipped, [SECOND, shape.outputs], last, &weights[parts.bias3..]);
    graph.node("Tanh", &[&sum]);
}
