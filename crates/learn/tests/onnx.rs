//! Exported models mean to another reader what they mean to us. The reader below knows nothing of this project: it
//! reads the format's records and computes its operators one by one.

use std::collections::HashMap;

use perfectplay_core::{FeatureBatch, Model, ModelScratch};
use perfectplay_learn::{Limits, Plan, Run, onnx};

/// A field of a record.
enum Field<'a> {
    Number(i64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return value;
        }
    }
}

fn record(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes) as i64),
            2 => {
                let (inner, rest) = bytes.split_at(varint(&mut { bytes }) as usize + varint_len(bytes));
                let inner = &inner[varint_len(bytes)..];
                bytes = rest;
                Field::Bytes(inner)
            }
            other => panic!("a field of type {other}"),
        };
        fields.push((key >> 3, field));
    }
    fields
}

fn varint_len(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1
}

fn all<'a>(record: &'a [(u64, Field<'a>)], field: u64) -> impl Iterator<Item = &'a [u8]> {
    record.iter().filter_map(move |(number, value)| match value {
        Field::Bytes(bytes) if *number == field => Some(*bytes),
        _ => None,
    })
}

fn numbers(record: &[(u64, Field<'_>)], field: u64) -> Vec<i64> {
    let number = |(n, value): &(u64, Field<'_>)| match value {
        Field::Number(value) if *n == field => Some(*value),
        _ => None,
    };
    record.iter().filter_map(number).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Numbers with their shape. All kinds of numbers are exact in 64 bits here.
#[derive(Clone, Debug)]
struct Tensor {
    shape: Vec<usize>,
    data: Vec<f64>,
}

impl Tensor {
    /// The value at a place of a larger shape, to which this one is stretched from the last axis on.
    fn stretched(&self, place: &[usize]) -> f64 {
        let skip = place.len() - self.shape.len();
        let at =
            self.shape.iter().zip(&place[skip..]).fold(0, |at, (&size, &i)| at * size + if size == 1 { 0 } else { i });
        self.data[at]
    }
}

fn places(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |places, &size| {
        places
            .iter()
            .flat_map(|place| (0..size).map(|i| [place.as_slice(), &[i]].concat()).collect::<Vec<_>>())
            .collect()
    })
}

fn elementwise(a: &Tensor, b: &Tensor, f: impl Fn(f64, f64) -> f64) -> Tensor {
    let rank = a.shape.len().max(b.shape.len());
    let size = |t: &Tensor, axis: usize| (axis + t.shape.len()).checked_sub(rank).map_or(1, |axis| t.shape[axis]);
    let shape: Vec<usize> = (0..rank).map(|axis| size(a, axis).max(size(b, axis))).collect();
    let data = places(&shape).iter().map(|place| f(a.stretched(place), b.stretched(place))).collect();
    Tensor { shape, data }
}

fn compute(operator: &str, inputs: &[&Tensor], attribute: i64) -> Tensor {
    let [a, rest @ ..] = inputs else { panic!("no input") };
    let map = |f: fn(f64) -> f64| Tensor { shape: a.shape.clone(), data: a.data.iter().map(|&x| f(x)).collect() };
    match operator {
        "Add" => elementwise(a, rest[0], |x, y| x + y),
        "Mul" => elementwise(a, rest[0], |x, y| x * y),
        "Div" => elementwise(a, rest[0], |x, y| x / y),
        "Equal" => elementwise(a, rest[0], |x, y| f64::from(u8::from(x == y))),
        "Floor" => map(f64::floor),
        "Relu" => map(|x| x.max(0.0)),
        "Tanh" => map(f64::tanh),
        "Cast" => map(f64::trunc),
        "Clip" => {
            Tensor { data: a.data.iter().map(|x| x.clamp(rest[0].data[0], rest[1].data[0])).collect(), ..(*a).clone() }
        }
        "Unsqueeze" => {
            let mut shape = a.shape.clone();
            shape.insert(rest[0].data[0] as usize, 1);
            Tensor { shape, data: a.data.clone() }
        }
        "Reshape" => Tensor { shape: vec![a.shape[0], a.shape[1..].iter().product()], data: a.data.clone() },
        "MatMul" => {
            let (n, k, m) = (a.shape[0], a.shape[1], rest[0].shape[1]);
            let cell = |i: usize, j: usize| (0..k).map(|x| a.data[i * k + x] * rest[0].data[x * m + j]).sum();
            Tensor { shape: vec![n, m], data: places(&[n, m]).iter().map(|p| cell(p[0], p[1])).collect() }
        }
        "ReduceSum" => {
            let (outer, size, inner) = (a.shape[0], a.shape[1], a.shape[2..].iter().product::<usize>());
            let cell = |p: &Vec<usize>| (0..size).map(|x| a.data[(p[0] * size + x) * inner + p[1]]).sum();
            let shape = [&[outer], &a.shape[2..]].concat();
            Tensor { shape, data: places(&[outer, inner]).iter().map(cell).collect() }
        }
        "Concat" => {
            assert_eq!(attribute, 1);
            let row = |t: &&Tensor, i: usize| t.data[i * t.shape[1]..][..t.shape[1]].to_vec();
            let data =
                (0..a.shape[0]).flat_map(|i| inputs.iter().flat_map(|t| row(t, i)).collect::<Vec<_>>()).collect();
            Tensor { shape: vec![a.shape[0], inputs.iter().map(|t| t.shape[1]).sum()], data }
        }
        "Gather" => {
            let row: usize = a.shape[1..].iter().product();
            let data = rest[0].data.iter().flat_map(|&at| a.data[at as usize * row..][..row].to_vec()).collect();
            Tensor { shape: [&rest[0].shape[..], &a.shape[1..]].concat(), data }
        }
        other => panic!("operator {other}"),
    }
}

/// Runs a model on these inputs.
fn run(model: &[u8], mut values: HashMap<String, Tensor>) -> Tensor {
    let model = record(model);
    let graph = record(all(&model, 7).next().unwrap());
    for tensor in all(&graph, 5).map(record) {
        let raw = all(&tensor, 9).next().unwrap_or(&[]);
        let data = match numbers(&tensor, 2)[0] {
            1 => raw.as_chunks::<4>().0.iter().map(|&b| f64::from(f32::from_le_bytes(b))).collect(),
            7 => raw.as_chunks::<8>().0.iter().map(|&b| i64::from_le_bytes(b) as f64).collect(),
            kind => panic!("numbers of kind {kind}"),
        };
        let shape = numbers(&tensor, 1).into_iter().map(|n| n as usize).collect();
        values.insert(text(all(&tensor, 8).next().unwrap()), Tensor { shape, data });
    }
    for node in all(&graph, 1).map(record) {
        let names: Vec<String> = all(&node, 1).map(text).collect();
        let inputs: Vec<&Tensor> = names.iter().map(|name| &values[name]).collect();
        let attribute = all(&node, 5).next().map_or(0, |a| numbers(&record(a), 3)[0]);
        let result = compute(&text(all(&node, 4).next().unwrap()), &inputs, attribute);
        values.insert(text(all(&node, 2).next().unwrap()), result);
    }
    values.remove("value").unwrap()
}

#[test]
fn another_reader_computes_the_same() {
    for (game, model) in [
        ("connect-four:5x4", "tuples:count=6,length=4,phases=3"),
        ("connect-four:5x4", "tuples:count=2,length=4,patterns=on"),
        ("dots-and-boxes:2x2", "tuples:count=4,length=5"),
        ("hex:4", "tuples:count=4,length=5,patterns=on"),
        ("mnk:4x3x3,players=3", "tuples:count=5,length=3,sides=on"),
        ("connect-four:5x4", "mlp"),
        ("dots-and-boxes:2x2", "mlp"),
        ("mnk:4x3x3,players=3", "mlp"),
    ] {
        let plan = Plan { game: game.into(), model: model.into(), method: "td".into(), seed: 3 };
        let trained = Run::new(plan).unwrap();
        trained.go_on(&Limits { games: Some(60), ..Limits::default() }, &mut ());
        let mut batch = FeatureBatch::default();
        (0..4).for_each(|seed| trained.sample_features(seed, &mut batch));
        let file = trained.file();
        let shape = file.network.shape().clone();
        let count = batch.len();
        let tensor = |columns: usize, data: Vec<f64>| Tensor { shape: vec![count, columns], data };
        let viewer = |p: usize| batch.viewers.iter().map(move |&v| f64::from(u8::from(usize::from(v) == p)));
        let by_player: Vec<Vec<f64>> = (0..shape.players).map(|p| viewer(p).collect()).collect();
        let viewers = (0..count).flat_map(|i| by_player.iter().map(|column| column[i]).collect::<Vec<_>>()).collect();
        let inputs = HashMap::from([
            ("cells".to_owned(), tensor(shape.cells, batch.cells.iter().map(|&c| f64::from(c)).collect())),
            ("viewer".to_owned(), tensor(shape.players, viewers)),
            ("numbers".to_owned(), tensor(shape.numbers, batch.numbers.iter().map(|&n| f64::from(n)).collect())),
        ]);
        let theirs = run(&onnx(&file).unwrap(), inputs);
        let mut ours = Vec::new();
        file.network.evaluate(&batch, &mut ModelScratch::default(), &mut ours);
        assert_eq!(theirs.data.len(), ours.len());
        assert!(ours.iter().any(|value| value.abs() > 0.01));
        for (a, b) in theirs.data.iter().zip(&ours) {
            assert!((a - f64::from(*b)).abs() < 1e-4, "{game} {model}: {a} and {b}");
        }
    }
}
