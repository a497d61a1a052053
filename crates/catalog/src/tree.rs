//! The extensive form (Červeňan 2025, §2.3.2): the game tree of a small game, drawn as text, as Graphviz DOT or as SVG.

use std::fmt::Write;
use std::sync::Arc;

use perfectplay_core::{Budget, Colour, FullGame, Objective, Observer, Payoff, Player, Status};
use perfectplay_search::Search;
use perfectplay_search::oracle::backward_induction::BackwardInduction;

use crate::Error;

/// A tree to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameTree {
    /// The position at the top.
    pub root: TreeNode,
}

/// A position in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// Who moves; none if the game is over.
    pub mover: Option<Player>,
    /// The value per player, as far as it is known.
    pub value: Option<Vec<i32>>,
    /// At an end where the value is not the score: the score per player, as the game gives it.
    pub scores: Option<Vec<i32>>,
    /// The moves and where they lead.
    pub children: Vec<(String, TreeNode)>,
    /// Moves that were left out because the tree goes no deeper.
    pub cut: usize,
}

/// More nodes than this nobody can read.
const MOST_NODES: usize = 5_000;

/// States that may be valued for the numbers at the nodes.
const MOST_STATES: u64 = 2_000_000;

impl GameTree {
    pub(crate) fn build<G: FullGame>(
        game: &Arc<G>,
        state: &G::State,
        depth: usize,
        objective: Objective,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<Self, Error> {
        let mut values = BackwardInduction::new(game.clone(), *state, objective).ok();
        if let Some(search) = &mut values {
            search.run(&Budget { nodes: Some(budget.nodes.unwrap_or(MOST_STATES)), ..budget.clone() }, observer);
        }
        let mut builder = Builder { game: &**game, values, objective, nodes: 0 };
        Ok(GameTree { root: builder.node(state, depth)? })
    }

    /// Indented lines.
    pub fn to_text(&self) -> String {
        let mut out = self.root.label() + "\n";
        text_below(&self.root, "", &mut out);
        out
    }

    /// Graphviz DOT: boxes for player 1, ellipses and further shapes for the others, plain text at the ends.
    pub fn to_dot(&self) -> String {
        let mut out =
            String::from("digraph game {\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n");
        dot_below(&self.root, &mut 0, &mut out);
        out.push_str("}\n");
        out
    }

    /// A self-contained picture.
    pub fn to_svg(&self) -> String {
        let mut placed = Vec::new();
        let mut next_leaf = 0.0;
        place(&self.root, 0, None, &mut next_leaf, &mut placed);
        draw(&placed, next_leaf)
    }
}

struct Builder<'a, G: FullGame> {
    game: &'a G,
    values: Option<BackwardInduction<G>>,
    objective: Objective,
    nodes: usize,
}

impl<G: FullGame> Builder<'_, G> {
    fn node(&mut self, state: &G::State, depth: usize) -> Result<TreeNode, Error> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            let text = format!("the tree has more than {MOST_NODES} nodes; ask for fewer plies with --depth");
            return Err(Error::TooLarge(text));
        }
        let mut moves = Vec::new();
        let status = self.game.expand(state, &mut moves);
        let value = match status {
            Status::Over(payoff) => Some(payoff),
            Status::Turn(_) => self.values.as_ref().and_then(|v| v.value(state)),
        };
        let players = |payoff: G::Payoff| Player::all(payoff.players());
        let value: Option<Vec<i32>> = value.map(|v| players(v).map(|p| self.objective.value(v, p)).collect());
        let scores = match status {
            Status::Over(payoff) => Some(players(payoff).map(|p| payoff.score(p)).collect()),
            Status::Turn(_) => None,
        };
        let scores = scores.filter(|scores| Some(scores) != value.as_ref());
        let mut node = TreeNode { mover: status.mover(), value, scores, children: Vec::new(), cut: 0 };
        if depth == 0 {
            node.cut = moves.len();
        } else {
            for mv in moves {
                let text = self.game.move_text(state, mv);
                node.children.push((text, self.node(&self.game.after(state, mv), depth - 1)?));
            }
        }
        Ok(node)
    }
}

impl TreeNode {
    /// The score at an end, the value elsewhere.
    fn value_text(&self) -> String {
        let shown = self.scores.as_deref().or(self.value.as_deref());
        shown.map_or("?".into(), numbers_text)
    }

    fn label(&self) -> String {
        let cut = if self.cut > 0 { format!(", {} moves …", self.cut) } else { String::new() };
        match self.mover {
            Some(mover) => format!("{mover}: {}{cut}", self.value_text()),
            None => match (&self.scores, &self.value) {
                (Some(scores), Some(value)) => format!("end: {}, gain {}", numbers_text(scores), numbers_text(value)),
                _ => format!("end: {}", self.value_text()),
            },
        }
    }
}

/// One number if the other follows from it.
fn numbers_text(numbers: &[i32]) -> String {
    match numbers {
        &[a, b] if a == -b => a.to_string(),
        numbers => format!("({})", numbers.iter().map(i32::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn text_below(node: &TreeNode, indent: &str, out: &mut String) {
    for (i, (mv, child)) in node.children.iter().enumerate() {
        let last = i + 1 == node.children.len();
        let (branch, trunk) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let _ = writeln!(out, "{indent}{branch}{mv} → {}", child.label());
        text_below(child, &format!("{indent}{trunk}"), out);
    }
}

fn dot_below(node: &TreeNode, next: &mut usize, out: &mut String) -> usize {
    const SHAPES: [&str; 6] = ["box", "ellipse", "diamond", "hexagon", "octagon", "trapezium"];
    let id = *next;
    *next += 1;
    let shape = node.mover.map_or("plaintext", |p| SHAPES[p.index() % SHAPES.len()]);
    let _ = writeln!(out, "  n{id} [shape={shape}, label=\"{}\"];", node.value_text());
    for (mv, child) in &node.children {
        let to = dot_below(child, next, out);
        let _ = writeln!(out, "  n{id} -> n{to} [label=\"{}\"];", mv.replace('\\', "\\\\").replace('"', "\\\""));
    }
    id
}

/// A node with its place: leaves stand side by side, a parent over the middle of its children.
struct Placed<'a> {
    node: &'a TreeNode,
    x: f64,
    level: usize,
    parent: Option<(usize, &'a str)>,
}

fn place<'a>(
    node: &'a TreeNode,
    level: usize,
    parent: Option<(usize, &'a str)>,
    next_leaf: &mut f64,
    placed: &mut Vec<Placed<'a>>,
) -> usize {
    let index = placed.len();
    placed.push(Placed { node, x: 0.0, level, parent });
    let mut ends = None;
    for (mv, child) in &node.children {
        let at = place(child, level + 1, Some((index, mv)), next_leaf, placed);
        let x = placed[at].x;
        ends = Some(ends.map_or((x, x), |(first, _)| (first, x)));
    }
    placed[index].x = match ends {
        Some((first, last)) => f64::midpoint(first, last),
        None => {
            *next_leaf += 1.0;
            *next_leaf - 0.5
        }
    };
    index
}

fn draw(placed: &[Placed<'_>], leaves: f64) -> String {
    let widest = placed.iter().map(|p| p.node.value_text().chars().count()).max().unwrap_or(1);
    let (step_x, step_y) = ((widest * 8 + 22).max(40) as f64, 80.0);
    let levels = placed.iter().map(|p| p.level).max().unwrap_or(0);
    let (width, height) = (leaves * step_x + 20.0, levels as f64 * step_y + 70.0);
    let at = |p: &Placed<'_>| (10.0 + p.x * step_x, 35.0 + p.level as f64 * step_y);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fdfaf3\"/>\n"
    );
    for p in placed {
        let Some((parent, mv)) = p.parent else { continue };
        let ((x1, y1), (x2, y2)) = (at(&placed[parent]), at(p));
        // The way play goes: the child has its parent's value.
        let best = p.node.value.is_some() && p.node.value == placed[parent].node.value;
        let (colour, stroke) = if best { ("#222", 2.5) } else { ("#bbb", 1.0) };
        let _ = writeln!(
            svg,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" \
stroke-width=\"{stroke}\"/><text x=\"{:.1}\" y=\"{:.1}\" fill=\"#555\" font-size=\"11\">{}</text>",
            x1 + (x2 - x1) * 0.62,
            y1 + (y2 - y1) * 0.62 - 3.0,
            perfectplay_core::escape_xml(mv)
        );
    }
    for p in placed {
        let (x, y) = at(p);
        let half = widest as f64 * 4.0 + 8.0;
        let _ = match p.node.mover {
            Some(mover) => {
                let colour = Colour::PLAYERS[mover.index() % Colour::PLAYERS.len()];
                let (fill, ink) = (colour.fill(), colour.ink());
                writeln!(
                    svg,
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"24\" rx=\"{}\" fill=\"{fill}\"/>\
                     <text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{ink}\">{}</text>",
                    x - half,
                    y - 12.0,
                    2.0 * half,
                    if mover == Player::FIRST { 3 } else { 12 },
                    y + 4.5,
                    p.node.value_text()
                )
            }
            None => writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{:.1}\" font-weight=\"bold\">{}</text>",
                y + 4.5,
                p.node.value_text()
            ),
        };
    }
    svg.push_str("</svg>\n");
    svg
}
