//! Games written down move by move: explicit trees and graphs, for tests and for teaching.
//!
//! There are two notations; `#` begins a comment in both. **Named positions**, one per line, the first is the start:
//!
//! ```text
//! # NAME: PLAYER MOVE…   a position; a move is LABEL->NAME, or just the NAME it leads to
//! # NAME = PAYOFF        an end; one score per player, or one number for two players with opposed interests
//! start: 1  wait->quiet  attack->sharp
//! sharp: 2  defend->quiet  win
//! quiet = 0
//! win = -1, 1
//! ```
//!
//! Any player may move in any position, several moves may lead to the same position, and the order of lines is free
//! after the first. Between two players with opposed interests play may come back to a position, and a play without end
//! is then a draw; a script for more players in which it can is refused.
//!
//! **Nested lists** for trees: a list is a position, a vector or a number is an end, players move in turn. The moves
//! are `1`, `2`, …, and a position is named by the moves that lead to it: `2.1`, or `root`.
//!
//! ```text
//! [ (10,8,2), [ (6,6,8), [ (8,2,10), (0,9,11) ], (12,8,0) ] ]
//! ```
//!
//! Two players whose scores always add up to 0 make a zero-sum game. Otherwise the best score at an end wins and the
//! worst loses ([`Payoff::from_scores`]).
//!
//! ```
//! use perfectplay_core::{Game, Notation, ZeroSum};
//! use perfectplay_games::script::Script;
//!
//! let game = Script::<ZeroSum>::parse("start: 1 left->a right->b\na: 2 b c\nb = 3\nc = -2").unwrap();
//! let left = game.parse_move(&game.start(), "left")?;
//! assert_eq!(game.position_text(&game.after(&game.start(), left)), "a");
//! # Ok::<(), perfectplay_core::TextError>(())
//! ```

use std::collections::HashMap;

use perfectplay_core::{
    Drawing, Facts, Features, Game, GameInfo, Heuristic, Item, Notation, OptionDoc, OptionSet, OrderingHints, Params,
    Payoff, Persist, Player, Playouts, Scores, SolverHints, Status, Symmetric, TextError, UpToSix, Values, Visitor,
    ZeroSum, options,
};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "script",
    summary: "a game written down move by move, read from a file",
    players: "2-6",
    parameters: Parameters::docs,
    examples: &["script:[[3,12,8],[2,4,6],[14,5,2]]", "script:[(10,8,2),[(6,6,8),[(8,2,10),(0,9,11)],(12,8,0)]]"],
    rules: RULES,
    sources: &[
        "J. Červeňan, Mathematical Perspective on Selected Games and Algorithmic Aspects of Solving Them (2025), \
§2.3.2",
    ],
};

const RULES: &str = "A game that is written down position by position: who moves, where each move leads, and what the \
ends are worth to each player. Positions may be reached in several ways; two players with opposed interests may also \
come back to one, and a game without end is then a draw. `#` begins a comment. There are two notations.

**Named positions**, one per line; the first is the start, the order of the others is free:

```text
start: 1  wait->quiet  attack->sharp
sharp: 2  defend->quiet  win
quiet = 0
win = -1, 1
```

`NAME: PLAYER MOVES` is a position. The player is a number from 1 to 6; any player may move anywhere. A move is \
`LABEL->NAME`, or just the `NAME` it leads to, which is then its label, too. `NAME = PAYOFF` is an end: a score for \
each player, divided by commas, or one number for two players with opposed interests. Names and labels are any words \
without spaces.

**Nested lists** for trees, in a file or right after the colon. A list is a position, and its items are the moves `1`, \
`2`, …; a vector in parentheses or a number is an end. The players move in turn. A position is named by the moves that \
lead to it, as in `2.1`; the start is `root`:

```text
[ (10,8,2), [ (6,6,8), [ (8,2,10), (0,9,11) ], (12,8,0) ] ]
```

Scores are whole numbers from -1000000 to 1000000, all ends have scores for the same number of players, 2 to 6. Two \
players whose scores always add up to 0 make a zero-sum game. At an end the best score wins and the worst loses \
(`--for gain`, the default); `--for score` is about the numbers themselves.

The folder `data/scripts` of the source code has examples: `minimax.txt` (three times three moves, and what minimax \
makes of them), `zugzwang.txt` (nobody wants to move), `max-n.txt` (three players, each for itself), \
`deep-pruning.txt` (why deep pruning is wrong for three) and `kingmaker.txt` (two equilibria: somebody who cannot win \
decides who does):

```sh
perfectplay solve script:data/scripts/minimax.txt --for score
perfectplay show script:data/scripts/zugzwang.txt --tree --depth 4
perfectplay solve script:data/scripts/kingmaker.txt --with equilibria --for score
```";

options! {
    struct Parameters {
        given: String = Rest,
    }
}

/// All that stands after the colon, unsplit: nested lists have commas of their own.
struct Rest;

impl Item<String> for Rest {
    fn docs(&self) -> Vec<OptionDoc> {
        vec![OptionDoc {
            name: "FILE".into(),
            meaning: "a file of named positions or nested lists, or a nested list itself: [3,[5,-2]]".into(),
            default: "none: it must be given".into(),
            optional: true,
            values: Values::Text,
        }]
    }

    fn take(&self, params: &mut Params) -> Result<String, TextError> {
        Ok(params.take_raw())
    }
}

/// Files larger than this are not read.
const MOST_BYTES: u64 = 64 << 20;
/// Lists nested deeper than this are not read.
const MOST_NESTING: usize = 200;
/// Scores beyond ± this are refused, so that sums of scores fit.
const MOST_SCORE: i32 = 1_000_000;
const MOST_PLAYERS: usize = 6;

/// Reads a file, or the nested list itself.
pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { given } = Parameters::read(INFO.name, params)?;
    let outline = match given.trim() {
        "" => return Err(TextError::new("expected script:FILE or a nested list like script:[3,[5,-2]]")),
        list if list.starts_with('[') => Outline::parse(list)?,
        path => Outline::parse(&read(path)?).map_err(|e| TextError::new(format!("{path}: {e}")))?,
    };
    match (outline.players, outline.is_zero_sum()) {
        (2, true) => Ok(visitor.zero_sum(Script::<ZeroSum>::new(outline)?)),
        (3, _) => Ok(visitor.scores(Script::<Scores<3>>::new(outline)?)),
        _ => Ok(visitor.up_to_six(Script::<UpToSix>::new(outline)?)),
    }
}

fn read(path: &str) -> Result<String, TextError> {
    let cannot = |why: String| TextError::new(format!("cannot read the script {path:?}: {why}"));
    let found = std::fs::metadata(path).map_err(|e| cannot(e.to_string()))?;
    if !found.is_file() || found.len() > MOST_BYTES {
        return Err(cannot(format!("expected a file of at most {MOST_BYTES} bytes")));
    }
    std::fs::read_to_string(path).map_err(|e| cannot(e.to_string()))
}

/// A game read from text.
#[derive(Clone, Debug)]
pub struct Script<P> {
    nodes: Vec<Node>,
    statuses: Vec<Status<P>>,
    by_name: HashMap<String, u32>,
    facts: Facts,
}

impl<P: Payoff> Script<P> {
    /// Reads either notation. Refuses a game whose payoffs are not of the kind `P`.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        Self::new(Outline::parse(text)?)
    }

    fn new(outline: Outline) -> Result<Self, TextError> {
        if !P::fits(outline.players) || P::ZERO_SUM && !outline.is_zero_sum() {
            let sum = if P::ZERO_SUM { " with opposed interests" } else { "" };
            return Err(TextError::new(format!("expected a game for {} players{sum}", P::PLAYERS)));
        }
        let length = match outline.longest_play() {
            Err(_) if P::ZERO_SUM => None,
            length => Some(length?),
        };
        let status = |node: &Node| match &node.kind {
            Kind::Turn { mover, .. } => Status::Turn(*mover),
            Kind::Over(scores) => Status::Over(P::from_scores(scores)),
        };
        let statuses: Vec<Status<P>> = outline.nodes.iter().map(status).collect();
        let facts = outline.facts::<P>(length);
        let by_name = outline.nodes.iter().zip(0..).map(|(n, i)| (n.name.clone(), i)).collect();
        Ok(Script { nodes: outline.nodes, statuses, by_name, facts })
    }
}

/// A position or an end.
#[derive(Clone, Debug)]
struct Node {
    name: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Turn { mover: Player, moves: Vec<(String, u32)> },
    Over(Vec<i32>),
}

impl Node {
    fn targets(&self) -> impl Iterator<Item = u32> {
        let moves = match &self.kind {
            Kind::Turn { moves, .. } => moves.as_slice(),
            Kind::Over(_) => &[],
        };
        moves.iter().map(|&(_, target)| target)
    }
}

/// What a text says, before its kind of payoff is known.
struct Outline {
    players: usize,
    nodes: Vec<Node>,
}

impl Outline {
    fn parse(text: &str) -> Result<Self, TextError> {
        // Comments become spaces, so that places in the text stay what they are.
        let mut comment = false;
        let blank = |c: char| {
            comment = c != '\n' && (comment || c == '#');
            if comment { ' ' } else { c }
        };
        let text: String = text.chars().map(blank).collect();
        let outline = match text.trim_start().chars().next() {
            None => return Err(TextError::new("a script needs at least one position")),
            Some('[' | '(') => Nested::parse(&text)?,
            Some(_) => parse_lines(&text)?,
        };
        Ok(outline)
    }

    fn is_zero_sum(&self) -> bool {
        self.players == 2 && self.ends().all(|scores| scores[0] == -scores[1])
    }

    fn ends(&self) -> impl Iterator<Item = &[i32]> {
        self.nodes.iter().filter_map(|n| match &n.kind {
            Kind::Over(scores) => Some(scores.as_slice()),
            Kind::Turn { .. } => None,
        })
    }

    /// The moves of the longest play. Refuses a graph with a cycle.
    ///
    /// From the ends backwards: a position is settled when all its successors are. What stays unsettled leads to a
    /// cycle.
    fn longest_play(&self) -> Result<u32, TextError> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        let mut unsettled: Vec<usize> = vec![0; self.nodes.len()];
        for (node, id) in self.nodes.iter().zip(0..) {
            for target in node.targets() {
                before[target as usize].push(id);
                unsettled[id as usize] += 1;
            }
        }
        let mut height = vec![0; self.nodes.len()];
        let mut settled: Vec<usize> = (0..self.nodes.len()).filter(|&i| unsettled[i] == 0).collect();
        let mut done = 0;
        while let Some(&id) = settled.get(done) {
            done += 1;
            for &earlier in &before[id] {
                let earlier = earlier as usize;
                height[earlier] = height[earlier].max(height[id] + 1);
                unsettled[earlier] -= 1;
                if unsettled[earlier] == 0 {
                    settled.push(earlier);
                }
            }
        }
        match unsettled.iter().position(|&n| n > 0) {
            Some(id) => Err(self.cycle(id, &unsettled)),
            None => Ok(height.into_iter().max().unwrap_or(0)),
        }
    }

    /// Names a cycle below `id`: going on through unsettled positions must come back.
    fn cycle(&self, mut id: usize, unsettled: &[usize]) -> TextError {
        let mut path = Vec::new();
        while !path.contains(&id) {
            path.push(id);
            let next = self.nodes[id].targets().find(|&t| unsettled[t as usize] > 0);
            id = next.expect("an unsettled position has an unsettled successor") as usize;
        }
        let start = path.iter().position(|&p| p == id).expect("the position that came back");
        let cycle = path[start..].iter().chain([&id]).map(|&i| self.nodes[i].name.as_str());
        let cycle: Vec<&str> = cycle.take(12).collect();
        TextError::new(format!("play may not come back to a position, but it can: {}", cycle.join(" -> ")))
    }

    /// With the moves of the longest play, if there is one.
    fn facts<P: Payoff>(&self, length: Option<u32>) -> Facts {
        let range = |values: &mut dyn Iterator<Item = i32>| {
            values.fold((i32::MAX, i32::MIN), |(low, high), v| (low.min(v), high.max(v)))
        };
        let mut outcomes: Vec<i32> = self.ends().map(|s| s[0]).collect();
        outcomes.sort_unstable();
        outcomes.dedup();
        let mover = |node: &Node| match node.kind {
            Kind::Turn { mover, .. } => Some(mover),
            Kind::Over(_) => None,
        };
        let in_turn = |node: &Node| {
            let next = mover(node).map(|m| m.next(self.players));
            node.targets().filter_map(|t| mover(&self.nodes[t as usize])).all(|m| Some(m) == next)
        };
        Facts {
            players: self.players,
            alternating: self.nodes.iter().all(in_turn),
            scores: (0..self.players).map(|p| range(&mut self.ends().map(|s| s[p]))).collect(),
            sum: range(&mut self.ends().map(|s| s.iter().sum())),
            outcomes: Some(outcomes),
            acyclic: length.is_some(),
            length,
            states: Some(self.nodes.len() as f64),
            ..Facts::win_draw_loss::<P>()
        }
    }
}

// ── named positions ──

fn parse_lines(text: &str) -> Result<Outline, TextError> {
    let lines: Vec<Line> =
        text.lines().zip(1..).filter(|(l, _)| !l.trim().is_empty()).map(Line::split).collect::<Result<_, _>>()?;
    let mut ids: HashMap<&str, u32> = HashMap::new();
    for (line, id) in lines.iter().zip(0..) {
        if let Some(first) = ids.insert(line.name, id) {
            let first = lines[first as usize].number;
            return Err(line.error(format!("\"{}\" was described before, in line {first}", line.name)));
        }
    }
    let mut players = None;
    let mut nodes = Vec::with_capacity(lines.len());
    for line in &lines {
        let kind = if line.end { line.payoff(&mut players)? } else { line.turn(&ids)? };
        nodes.push(Node { name: line.name.to_owned(), kind });
    }
    let players = players.ok_or_else(|| TextError::new("a script needs at least one end, like: won = 1"))?;
    for (line, node) in lines.iter().zip(&nodes) {
        if let Kind::Turn { mover, .. } = node.kind
            && mover.index() >= players
        {
            return Err(
                line.error(format!("{mover} moves in \"{}\", but the payoffs are for {players} players", line.name))
            );
        }
    }
    Ok(Outline { players, nodes })
}

/// `NAME: …` or `NAME = …`.
struct Line<'a> {
    number: usize,
    name: &'a str,
    end: bool,
    rest: &'a str,
}

impl<'a> Line<'a> {
    fn split((text, number): (&'a str, usize)) -> Result<Self, TextError> {
        let wrong = || {
            TextError::new(format!(
                "line {number}: expected NAME: PLAYER MOVES or NAME = PAYOFF, got \"{}\"",
                text.trim()
            ))
        };
        let at = text.find([':', '=']).ok_or_else(wrong)?;
        let line =
            Line { number, name: text[..at].trim(), end: text[at..].starts_with('='), rest: text[at + 1..].trim() };
        let plain = !line.name.is_empty() && !line.name.contains(char::is_whitespace);
        if plain { Ok(line) } else { Err(wrong()) }
    }

    fn error(&self, message: String) -> TextError {
        TextError::new(format!("line {}: {message}", self.number))
    }

    fn payoff(&self, players: &mut Option<usize>) -> Result<Kind, TextError> {
        let inner = self.rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')).unwrap_or(self.rest);
        let scores = inner.split(',').map(|n| score(n.trim())).collect::<Option<Vec<i32>>>().ok_or_else(|| {
            self.error(format!("expected whole numbers from -{MOST_SCORE} to {MOST_SCORE}, got \"{}\"", self.rest))
        })?;
        payoff(scores, players).map(Kind::Over).map_err(|e| self.error(e))
    }

    fn turn(&self, ids: &HashMap<&str, u32>) -> Result<Kind, TextError> {
        let mut words = self.rest.split_whitespace();
        let number = words.next().and_then(|w| w.parse().ok()).filter(|n| (1..=MOST_PLAYERS).contains(n));
        let number = number.ok_or_else(|| {
            self.error(format!("expected a player from 1 to {MOST_PLAYERS} after \"{}:\"", self.name))
        })?;
        let mut moves: Vec<(String, u32)> = Vec::new();
        for word in words {
            let (label, target) = word.split_once("->").unwrap_or((word, word));
            let &id = ids.get(target).ok_or_else(|| self.error(format!("there is no position \"{target}\"")))?;
            if label.is_empty() || moves.iter().any(|(l, _)| l == label) {
                return Err(self.error(format!("the move \"{word}\" has no label or the same as another")));
            }
            moves.push((label.to_owned(), id));
        }
        if moves.is_empty() {
            return Err(self.error(format!("\"{}\" has no moves; an end is written NAME = PAYOFF", self.name)));
        }
        Ok(Kind::Turn { mover: Player::new(number - 1), moves })
    }
}

fn score(text: &str) -> Option<i32> {
    text.parse().ok().filter(|s| (-MOST_SCORE..=MOST_SCORE).contains(s))
}

/// One score per player; a single number stands for two opposed ones. All payoffs of a script are for as many players.
fn payoff(mut scores: Vec<i32>, players: &mut Option<usize>) -> Result<Vec<i32>, String> {
    if let [only] = scores[..] {
        scores.push(-only);
    }
    let expected = *players.get_or_insert(scores.len());
    if scores.len() > MOST_PLAYERS {
        return Err(format!("a payoff for {} players: at most {MOST_PLAYERS} are possible", scores.len()));
    }
    if scores.len() != expected {
        return Err(format!("a payoff for {} players, but the first one was for {expected}", scores.len()));
    }
    Ok(scores)
}

// ── nested lists ──

struct Nested<'a> {
    text: &'a [char],
    at: usize,
    players: Option<usize>,
    nodes: Vec<Node>,
    depths: Vec<usize>,
}

impl Nested<'_> {
    fn parse(text: &str) -> Result<Outline, TextError> {
        let text: Vec<char> = text.chars().collect();
        let mut reader = Nested { text: &text, at: 0, players: None, nodes: Vec::new(), depths: Vec::new() };
        reader.node("root".to_owned(), 0)?;
        if reader.peek().is_some() {
            return Err(reader.expected("nothing more"));
        }
        // Whose turn it is follows from the depth, once the number of players is known.
        let players = reader.players.expect("every list ends in payoffs");
        for (node, depth) in reader.nodes.iter_mut().zip(reader.depths) {
            if let Kind::Turn { mover, .. } = &mut node.kind {
                *mover = Player::new(depth % players);
            }
        }
        Ok(Outline { players, nodes: reader.nodes })
    }

    fn node(&mut self, name: String, depth: usize) -> Result<u32, TextError> {
        let id = self.nodes.len();
        self.nodes.push(Node { name: name.clone(), kind: Kind::Over(Vec::new()) });
        self.depths.push(depth);
        self.nodes[id].kind = match self.peek() {
            Some('[') if depth < MOST_NESTING => Kind::Turn { mover: Player::FIRST, moves: self.list(&name, depth)? },
            Some('[') => return Err(self.expected(&format!("at most {MOST_NESTING} lists inside each other"))),
            Some('(') => {
                let start = self.at;
                let scores = self.separated('(', ')', |reader, _| reader.number())?;
                Kind::Over(payoff(scores, &mut self.players).map_err(|e| TextError::at(start, e))?)
            }
            _ => {
                let start = self.at;
                let score = self.number()?;
                Kind::Over(payoff(vec![score], &mut self.players).map_err(|e| TextError::at(start, e))?)
            }
        };
        Ok(id as u32)
    }

    fn list(&mut self, name: &str, depth: usize) -> Result<Vec<(String, u32)>, TextError> {
        let targets = self.separated('[', ']', |reader, index| {
            let label = (index + 1).to_string();
            let name = if depth == 0 { label.clone() } else { format!("{name}.{label}") };
            Ok((label, reader.node(name, depth + 1)?))
        })?;
        Ok(targets)
    }

    /// At least one item between brackets.
    fn separated<T>(
        &mut self,
        open: char,
        close: char,
        mut item: impl FnMut(&mut Self, usize) -> Result<T, TextError>,
    ) -> Result<Vec<T>, TextError> {
        debug_assert_eq!(self.peek(), Some(open));
        let mut items = Vec::new();
        loop {
            self.at += 1;
            items.push(item(self, items.len())?);
            match self.peek() {
                Some(',') => {}
                Some(c) if c == close => break,
                _ => return Err(self.expected(&format!("\",\" or \"{close}\""))),
            }
        }
        self.at += 1;
        Ok(items)
    }

    fn number(&mut self) -> Result<i32, TextError> {
        self.peek();
        let digits = self.text[self.at..].iter().take_while(|c| c.is_ascii_digit() || "+-".contains(**c)).count();
        let text: String = self.text[self.at..self.at + digits].iter().collect();
        let number = score(&text).ok_or_else(|| self.expected("a number, a vector like (1,2,3) or a list"))?;
        self.at += digits;
        Ok(number)
    }

    /// The next character that is not white space.
    fn peek(&mut self) -> Option<char> {
        while self.text.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn expected(&self, what: &str) -> TextError {
        let got = self.text.get(self.at).map_or("the end".to_owned(), |c| format!("{:?}", c.to_string()));
        TextError::at(self.at, format!("expected {what}, got {got}"))
    }
}

impl<P: Payoff> Game for Script<P> {
    type State = u32;
    type Move = u32;
    type Payoff = P;
    type Key = u32;

    fn start(&self) -> u32 {
        0
    }

    fn expand(&self, &state: &u32, moves: &mut Vec<u32>) -> Status<P> {
        if let Kind::Turn { moves: labelled, .. } = &self.nodes[state as usize].kind {
            moves.extend(0..labelled.len() as u32);
        }
        self.statuses[state as usize]
    }

    fn status(&self, &state: &u32) -> Status<P> {
        self.statuses[state as usize]
    }

    fn play(&self, state: &mut u32, mv: u32) {
        if let Kind::Turn { moves, .. } = &self.nodes[*state as usize].kind {
            *state = moves[mv as usize].1;
        }
    }

    fn key(&self, &state: &u32) -> u32 {
        state
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

impl<P: Payoff> Notation for Script<P> {
    /// The name of the position.
    fn position_text(&self, &state: &u32) -> String {
        self.nodes[state as usize].name.clone()
    }

    fn parse_position(&self, text: &str) -> Result<u32, TextError> {
        let known = || {
            let names: Vec<&str> = self.nodes.iter().take(12).map(|n| n.name.as_str()).collect();
            let more = if self.nodes.len() > 12 { " …" } else { "" };
            TextError::new(format!("there is no position \"{text}\"; expected one of: {}{more}", names.join(" ")))
        };
        self.by_name.get(text).copied().ok_or_else(known)
    }

    /// The label of the move.
    fn move_text(&self, &state: &u32, mv: u32) -> String {
        match &self.nodes[state as usize].kind {
            Kind::Turn { moves, .. } => moves[mv as usize].0.clone(),
            Kind::Over(_) => String::new(),
        }
    }

    fn drawing(&self, &state: &u32) -> Drawing {
        let node = &self.nodes[state as usize];
        let note = match &node.kind {
            Kind::Turn { mover, moves } => {
                let moves = moves.iter().map(|(l, t)| format!("{l} -> {}", self.nodes[*t as usize].name));
                format!("{mover} to move: {}", moves.collect::<Vec<_>>().join(", "))
            }
            Kind::Over(scores) => {
                format!("over: ({})", scores.iter().map(i32::to_string).collect::<Vec<_>>().join(", "))
            }
        };
        Drawing::text(format!("{}: {note}", node.name))
    }
}

impl<P: Payoff> Symmetric for Script<P> {}
impl<P: Payoff> Playouts for Script<P> {}
impl<P: Payoff> Heuristic for Script<P> {}
impl<P: Payoff> Features for Script<P> {}
impl<P: Payoff> SolverHints for Script<P> {}
impl<P: Payoff> OrderingHints for Script<P> {}
impl<P: Payoff> Persist for Script<P> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Script::<ZeroSum>::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn both_notations_describe_the_same_tree() {
        let named = "root: 1 1->a 2->b\na: 2 1->c 2->d\nb = -1\nc = 2 # a comment\nd = (-3, 3)\n";
        let nested = "# a comment\n[ [2, (-3,\n 3)], -1 ]";
        let (named, nested) = (Script::<ZeroSum>::parse(named).unwrap(), Script::<ZeroSum>::parse(nested).unwrap());
        assert_eq!(named.facts(), nested.facts());
        for game in [named, nested] {
            let mut state = game.start();
            for mv in ["1", "2"] {
                let mv = game.parse_move(&state, mv).unwrap();
                game.play(&mut state, mv);
            }
            assert_eq!(game.status(&state), Status::Over(ZeroSum(-3)));
        }
    }

    #[test]
    fn facts_follow_from_the_text() {
        let facts = Script::<Scores<3>>::parse("a: 2 b c\nb: 2 c->d d->c\nc = 1,2,3\nd = 5,-2,0").unwrap().facts();
        assert_eq!((facts.alternating, facts.length, facts.sum), (false, Some(2), (3, 6)));
        assert_eq!(facts.scores, [(1, 5), (-2, 2), (0, 3)]);
        assert_eq!(facts.outcomes, Some(vec![1, 5]));
        assert!(Script::<ZeroSum>::parse("[[1,2],[3,4]]").unwrap().facts().alternating);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        assert_eq!(
            Script::<Scores<3>>::parse("a: 1 b\nb: 2 c\nc: 1 b x\nx = 1, 2, 3").unwrap_err().to_string(),
            "play may not come back to a position, but it can: b -> c -> b"
        );
        assert_eq!(error("\na: 1 b"), "line 2: there is no position \"b\"");
        assert_eq!(error("a = 1\n\na = 2"), "line 3: \"a\" was described before, in line 1");
        assert_eq!(error("a: 3 b\nb = 1"), "line 1: player 3 moves in \"a\", but the payoffs are for 2 players");
        assert_eq!(error("a: 1\nb = 1"), "line 1: \"a\" has no moves; an end is written NAME = PAYOFF");
        assert_eq!(error("a: 1 x->b x->b\nb = 1"), "line 1: the move \"x->b\" has no label or the same as another");
        assert_eq!(error("a = 1\nb = 1,2,3"), "line 2: a payoff for 3 players, but the first one was for 2");
        assert_eq!(error("hello"), "line 1: expected NAME: PLAYER MOVES or NAME = PAYOFF, got \"hello\"");
        assert_eq!(
            error("a = 99999999999").split(',').next(),
            Some("line 1: expected whole numbers from -1000000 to 1000000")
        );
        assert_eq!(error("[1,[2,3]"), "expected \",\" or \"]\", got the end (at character 9)");
        assert_eq!(error("[1,]"), "expected a number, a vector like (1,2,3) or a list, got \"]\" (at character 4)");
        assert_eq!(error("[1,2] 3"), "expected nothing more, got \"3\" (at character 7)");
        assert_eq!(error("[(1,2,3)]"), "expected a game for 2 players with opposed interests");
        assert_eq!(error("[(1,1),2]"), "expected a game for 2 players with opposed interests");
        assert_eq!(error(" # nothing"), "a script needs at least one position");
        assert!(error(&"[".repeat(100_000)).starts_with("expected at most 200 lists"));
    }

    #[test]
    fn two_opponents_may_come_back_to_a_position() {
        let facts = Script::<ZeroSum>::parse("a: 1 b\nb: 2 c\nc: 1 b x\nx = 1").unwrap().facts();
        assert_eq!((facts.acyclic, facts.length, facts.states), (false, None, Some(4.0)));
    }

    #[test]
    fn the_teaching_examples_can_be_read() {
        for file in std::fs::read_dir("../../data/scripts").unwrap() {
            let path = file.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(Outline::parse(&text).and_then(|o| o.longest_play()).is_ok(), "{path:?}");
        }
    }
}
