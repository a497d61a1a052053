//! `show`: positions, trees, matrices.

use anyhow::{Context, Result, bail};
use perfectplay_catalog::{AnyPosition, Matrix, TreeNode, facts_text, open, rock_paper_scissors};
use perfectplay_core::{Budget, Drawing, OptionSet, Record, Setting, Spec, options};
use serde_json::{Value, json};

use crate::args::{Format, ShowArgs, stop_on_ctrl_c};
use crate::output::{Outcome, colours, emit, emit_json, ended, table, table_text};
use crate::progress::Bar;

/// The one game without a tree: both players choose at once.
const SIMULTANEOUS: &str = "rock-paper-scissors";

pub(crate) fn run(args: &ShowArgs) -> Result<Outcome> {
    let spec = Spec::parse(&args.at.game)?;
    if spec.name == SIMULTANEOUS {
        return simultaneous(args, spec);
    }
    let position = position(args)?;
    match (args.tree, args.matrix) {
        (true, _) => return tree(args, &*position),
        (_, true) => matrix(args, &position.matrix(args.objective.of_payoffs()?)?)?,
        _ => board(args, &*position, &drawing(args, &*position)?)?,
    }
    Ok(Outcome::Done)
}

fn position(args: &ShowArgs) -> Result<Box<dyn AnyPosition>> {
    let Some(file) = &args.record else {
        let game = args.at.game()?;
        return args.at.position(&*game);
    };
    let (record, position) = load(file)?;
    if Spec::parse(&record.game)? != Spec::parse(&args.at.game)? {
        bail!("{} holds a match of {}, not of {}", file.display(), record.game, args.at.game);
    }
    Ok(position)
}

/// A saved match and its last position.
pub(crate) fn load(file: &std::path::Path) -> Result<(Record, Box<dyn AnyPosition>)> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let record = Record::parse(&text).with_context(|| format!("{} is not a match", file.display()))?;
    let game = open(&record.game)?;
    let mut position = match &record.position {
        Some(text) => game.parse_position(text)?,
        None => game.start(),
    };
    position.play_all(&record.moves.join(" ")).with_context(|| format!("in {}", file.display()))?;
    Ok((record, position))
}

/// The position with its last move marked, if that is known.
fn drawing(args: &ShowArgs, position: &dyn AnyPosition) -> Result<Drawing> {
    let (start, moves) = match &args.record {
        Some(file) => {
            let (record, _) = load(file)?;
            (record.position, record.moves.join(" "))
        }
        None => (args.at.position.clone(), args.at.moves.clone().unwrap_or_default()),
    };
    let game = args.at.game()?;
    let start = start.map_or_else(|| Ok(game.start()), |text| game.parse_position(&text))?;
    let moves = start.clone_box().play_all(&moves)?;
    let Some((_, earlier)) = moves.split_last() else { return Ok(position.drawing()) };
    let mut before = start;
    before.play_all(&earlier.join(" "))?;
    Ok(position.drawing().marked_since(&before.drawing()))
}

fn board(args: &ShowArgs, position: &dyn AnyPosition, drawing: &Drawing) -> Result<()> {
    if args.json {
        let (mover, ended) = match position.status() {
            Ok(mover) => (Some(mover.index() + 1), None),
            Err(ended) => (None, Some(json!({"gains": ended.gains, "scores": ended.scores}))),
        };
        return emit_json(&json!({
            "game": position.game(),
            "position": position.text(),
            "mover": mover,
            "ended": ended,
            "moves": position.moves(),
        }));
    }
    match args.format {
        Format::Svg => {
            let moves = position.moves_on_board();
            return emit(&drawing.clone().with_targets(moves.iter().map(|(_, clicks)| clicks)).to_svg());
        }
        Format::Dot => bail!("--format dot draws trees: add --tree"),
        Format::Text => {}
    }
    let mut out = drawing.to_text(colours());
    out += &format!("\nposition  {}\n", position.text());
    match position.status() {
        Ok(mover) => out += &format!("to move   {mover}\nmoves     {}\n", position.moves().join(" ")),
        Err(ended) => out += &format!("over      {} (scores {:?})\n", ended.in_words(), ended.scores),
    }
    out += &format!("facts     {}\n", facts_text(&args.at.game()?.facts()));
    emit(&out)
}

/// A tree whose values were not all found before somebody asked to stop is shown all the same.
fn tree(args: &ShowArgs, position: &dyn AnyPosition) -> Result<Outcome> {
    let budget = Budget::unlimited();
    stop_on_ctrl_c(&budget.stop);
    let mut bar = Bar::new("values of the tree", &budget);
    let tree = position.tree(args.depth, args.objective.of_payoffs()?, &budget, &mut bar);
    bar.finish();
    let tree = tree?;
    if args.json {
        emit_json(&tree_json(&tree.root))?;
    } else {
        emit(&match args.format {
            Format::Text => tree.to_text(),
            Format::Dot => tree.to_dot(),
            Format::Svg => tree.to_svg(),
        })?;
    }
    Ok(ended(&budget.stop, "values that were not found are missing"))
}

fn tree_json(node: &TreeNode) -> Value {
    let children: Vec<Value> = node
        .children
        .iter()
        .map(|(mv, child)| {
            let mut child = tree_json(child);
            child["move"] = json!(mv);
            child
        })
        .collect();
    json!({
        "mover": node.mover.map(|p| p.index() + 1),
        "value": node.value,
        "scores": node.scores.as_ref().or(node.value.as_ref().filter(|_| node.mover.is_none())),
        "cut": node.cut,
        "children": children,
    })
}

options! {
    struct Simultaneous {
        rounds: u64 = Setting::whole("rounds", "how often they choose", 1..=5, 1).positional(),
    }
}

fn simultaneous(args: &ShowArgs, spec: Spec) -> Result<Outcome> {
    let Simultaneous { rounds } = Simultaneous::read(SIMULTANEOUS, spec.params)?;
    if !args.matrix {
        bail!("in {SIMULTANEOUS} both players choose at once, so it has no tree or board: use --matrix");
    }
    matrix(args, &rock_paper_scissors(rounds as u32)?)?;
    Ok(Outcome::Done)
}

fn matrix(args: &ShowArgs, matrix: &Matrix) -> Result<()> {
    let equilibrium = matrix.equilibrium();
    if args.json {
        let mix = equilibrium.map(|e| json!({"value": clean(e.value), "rows": e.rows, "columns": e.columns}));
        return emit_json(&json!({
            "rows": matrix.rows, "columns": matrix.columns, "payoffs": matrix.cells, "equilibrium": mix,
        }));
    }
    if args.format != Format::Text {
        bail!("a matrix is shown as text or with --json");
    }
    let mut header = vec!["p1 \\ p2"];
    header.extend(matrix.columns.iter().map(String::as_str));
    let mut list = table(&header, &(1..header.len()).collect::<Vec<_>>());
    for (name, cells) in matrix.rows.iter().zip(&matrix.cells) {
        let mut row = vec![name.clone()];
        row.extend(cells.iter().map(|[a, b]| format!("({a},{b})")));
        list.add_row(row);
    }
    emit(&table_text(&list))?;
    let Some(mix) = equilibrium else { return Ok(()) };
    emit(&format!("\nvalue for player 1: {}\n", clean(mix.value)))?;
    emit(&format!("player 1 plays {}\n", mix_text(&matrix.rows, &mix.rows)))?;
    emit(&format!("player 2 plays {}\n", mix_text(&matrix.columns, &mix.columns)))
}

/// Rounded to what a linear program can be trusted with; never -0.
fn clean(value: f64) -> f64 {
    (value * 1e9).round() / 1e9 + 0.0
}

fn mix_text(names: &[String], weights: &[f64]) -> String {
    let parts = names.iter().zip(weights).filter(|(_, w)| **w > 1e-9);
    parts.map(|(n, w)| format!("{n} {:.4}", w)).collect::<Vec<_>>().join(", ")
}
