//! Dots and Boxes: draw a line between two neighbouring dots; who closes a box owns it and moves again.
//!
//! Any number of columns × rows of boxes. Lines are bits, the horizontal ones first, each kind row by row from the
//! bottom. The score is the first player's boxes minus the second's. Who owns which box does not matter for the rest of
//! the game, so a state holds only how many boxes the first player owns.
//!
//! A line is written as its two dots: `a1b1` is horizontal, `a1a2` vertical.

use perfectplay_core::{
    Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Lattice, Layout, Look, Notation, OptionSet,
    OrderingHints, Params, Persist, Plain, Player, Playouts, Sizes, SolverHints, Status, Symmetric, TextError, Visitor,
    ZeroSum, column_letters, options, plain_struct,
};

use crate::support::bits::{Bits, Wide};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "dots-and-boxes",
    summary: "draw lines between dots; who closes a box owns it and moves again",
    players: "2",
    parameters: Parameters::docs,
    examples: &["dots-and-boxes:1x3", "dots-and-boxes:2x2", "dots-and-boxes:4x4"],
    rules: "Players draw lines between neighbouring dots in turn. Who draws the fourth side of a box owns it and must \
move again, unless all lines are drawn: then most boxes win. The score is the difference in boxes.

Positions are rows of lines from the top, horizontal (`-`) and vertical (`|`) in turn with `.` where none is drawn, \
then the boxes of both players and who moves: `.-/|../-./.|./.. 0-0 1`. A line is its two dots: `a1b1` or `a1a2`.",
    sources: &[
        "E. Berlekamp, The Dots and Boxes Game (2000)",
        "J. Barker, R. Korf, Solving Dots-And-Boxes, AAAI (2012)",
    ],
};

options! {
    struct Parameters {
        size: [u64; 2] = Sizes::new(
            ["columns", "rows"],
            "boxes across and down, at most 256 lines in all",
            1..=64,
            [4, 4],
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size } = Parameters::read(INFO.name, params)?;
    let [w, h] = size.map(|n| n as u32);
    match w * (h + 1) + h * (w + 1) {
        ..=64 => Ok(visitor.zero_sum(DotsAndBoxes::<u64>::new(w, h))),
        65..=256 => Ok(visitor.zero_sum(DotsAndBoxes::<Wide<4>>::new(w, h))),
        lines => Err(TextError::new(format!("{w}x{h} boxes have {lines} lines, at most 256 are possible"))),
    }
}

/// The rules for so many boxes.
#[derive(Clone, Debug)]
pub struct DotsAndBoxes<B> {
    width: u32,
    height: u32,
    full: B,
    /// The four lines of each box, row by row from the bottom.
    boxes: Vec<B>,
    /// The one or two boxes beside each line.
    beside: Vec<(u8, u8)>,
    /// `images[s][line]`.
    images: Vec<Vec<u8>>,
}

/// The lines drawn, and the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines<B> {
    /// The lines drawn.
    pub drawn: B,
    /// Boxes of the first player, boxes of the second.
    pub boxes: [u8; 2],
    /// Who moves.
    pub mover: Player,
}

plain_struct!(impl[B: Plain] Lines<B> { drawn: B, boxes: [u8; 2], mover: Player });

impl<B: Bits> DotsAndBoxes<B> {
    /// The rules for `width` × `height` boxes.
    ///
    /// # Panics
    /// If the lines do not fit into `B`.
    pub fn new(width: u32, height: u32) -> Self {
        let lines = width * (height + 1) + height * (width + 1);
        assert!(width > 0 && height > 0 && lines <= B::BITS, "{width}x{height} does not fit");
        let mut game = DotsAndBoxes {
            width,
            height,
            full: (0..lines).fold(B::none(), |set, l| set | B::bit(l)),
            boxes: Vec::new(),
            beside: Vec::new(),
            images: Vec::new(),
        };
        let sides = |(c, r): (u32, u32)| {
            [game.horizontal(c, r), game.horizontal(c, r + 1), game.vertical(c, r), game.vertical(c + 1, r)]
        };
        let places = (0..height).flat_map(|r| (0..width).map(move |c| (c, r)));
        let boxes: Vec<[u32; 4]> = places.map(sides).collect();
        let beside = |line: u32| {
            let mut at = (0..boxes.len()).filter(|&b| boxes[b].contains(&line)).map(|b| b as u8);
            let first = at.next().expect("every line borders a box");
            (first, at.next().unwrap_or(first))
        };
        game.beside = (0..lines).map(beside).collect();
        game.boxes = boxes.iter().map(|b| b.iter().fold(B::none(), |set, &l| set | B::bit(l))).collect();
        let symmetries = if width == height { 8 } else { 4 };
        game.images = (0..symmetries).map(|s| (0..lines).map(|l| game.image(l, s) as u8).collect()).collect();
        game
    }

    /// The line from dot (c, r) to the right.
    fn horizontal(&self, c: u32, r: u32) -> u32 {
        r * self.width + c
    }

    /// The line from dot (c, r) upwards.
    fn vertical(&self, c: u32, r: u32) -> u32 {
        self.width * (self.height + 1) + r * (self.width + 1) + c
    }

    /// The two dots of a line.
    fn dots(&self, line: u32) -> [(u32, u32); 2] {
        match line.checked_sub(self.width * (self.height + 1)) {
            None => [(line % self.width, line / self.width), (line % self.width + 1, line / self.width)],
            Some(v) => [(v % (self.width + 1), v / (self.width + 1)), (v % (self.width + 1), v / (self.width + 1) + 1)],
        }
    }

    /// Lines and boxes on a lattice of dots, lines and boxes, row by row from the bottom.
    fn places(&self) -> impl Iterator<Item = (u32, u32)> {
        let width = self.width;
        let all = (0..=2 * self.height).flat_map(move |y| (0..=2 * width).map(move |x| (x, y)));
        all.filter(|(x, y)| x % 2 == 1 || y % 2 == 1)
    }

    fn image(&self, line: u32, symmetry: u32) -> u32 {
        let [a, b] = self.dots(line).map(|(mut c, mut r)| {
            if symmetry & 4 != 0 {
                (c, r) = (r, c);
            }
            (if symmetry & 1 != 0 { self.width - c } else { c }, if symmetry & 2 != 0 { self.height - r } else { r })
        });
        let (low, high) = (a.min(b), a.max(b));
        if low.1 == high.1 { self.horizontal(low.0, low.1) } else { self.vertical(low.0, low.1) }
    }

    /// How many boxes `drawn` closes beside `line`.
    #[inline]
    fn closed_beside(&self, drawn: B, line: u8) -> u8 {
        let (a, b) = self.beside[line as usize];
        let closed = |b: u8| self.boxes[b as usize] & !drawn == B::none();
        u8::from(closed(a)) + u8::from(a != b && closed(b))
    }

    fn score(&self, lines: &Lines<B>) -> i32 {
        i32::from(lines.boxes[0]) - i32::from(lines.boxes[1])
    }

    /// The signs of one row of lines.
    fn row(&self, drawn: B, lines: impl Iterator<Item = u32>, sign: char) -> String {
        lines.map(|l| if drawn.has(l) { sign } else { '.' }).collect()
    }

    /// The rows of lines from the top, each with the sign of a drawn line.
    fn rows(&self) -> impl Iterator<Item = (Vec<u32>, char)> + '_ {
        (0..=2 * self.height).rev().map(|i| {
            let r = i / 2;
            if i % 2 == 0 {
                ((0..self.width).map(|c| self.horizontal(c, r)).collect(), '-')
            } else {
                ((0..=self.width).map(|c| self.vertical(c, r)).collect(), '|')
            }
        })
    }

    fn parse_lines(&self, text: &str) -> Result<B, TextError> {
        let mut drawn = B::none();
        let mut at = 0;
        let mut rows = text.split('/');
        for (i, (lines, sign)) in self.rows().enumerate() {
            let row = rows
                .next()
                .ok_or_else(|| TextError::at(at, format!("expected {} rows of lines, got {i}", 2 * self.height + 1)))?;
            if row.chars().count() != lines.len() {
                return Err(TextError::at(at, format!("row {} of lines must have {} signs", i + 1, lines.len())));
            }
            for (j, (c, line)) in row.chars().zip(lines).enumerate() {
                match c {
                    '.' => {}
                    c if c == sign => drawn = drawn | B::bit(line),
                    c => return Err(TextError::at(at + j, format!("expected {sign} or . in this row, got \"{c}\""))),
                }
            }
            at += row.chars().count() + 1;
        }
        match rows.next() {
            None => Ok(drawn),
            Some(_) => Err(TextError::at(at, format!("expected only {} rows of lines", 2 * self.height + 1))),
        }
    }
}

impl<B: Bits> Game for DotsAndBoxes<B> {
    type State = Lines<B>;
    type Move = u8;
    type Payoff = ZeroSum;
    type Key = Lines<B>;

    fn start(&self) -> Lines<B> {
        Lines { drawn: B::none(), boxes: [0, 0], mover: Player::FIRST }
    }

    fn expand(&self, lines: &Lines<B>, moves: &mut Vec<u8>) -> Status<ZeroSum> {
        moves.extend((self.full & !lines.drawn).cells().map(|l| l as u8));
        self.status(lines)
    }

    fn status(&self, lines: &Lines<B>) -> Status<ZeroSum> {
        if lines.drawn == self.full { Status::Over(ZeroSum(self.score(lines))) } else { Status::Turn(lines.mover) }
    }

    fn play(&self, lines: &mut Lines<B>, line: u8) {
        lines.drawn = lines.drawn | B::bit(line.into());
        match self.closed_beside(lines.drawn, line) {
            0 => lines.mover = lines.mover.opponent(),
            closed => lines.boxes[lines.mover.index()] += closed,
        }
        if lines.drawn == self.full {
            lines.mover = Player::FIRST; // nobody moves: one state for both
        }
    }

    fn key(&self, lines: &Lines<B>) -> Lines<B> {
        *lines
    }

    fn facts(&self) -> Facts {
        let boxes = (self.width * self.height) as i32;
        let lines = self.full.count();
        Facts {
            alternating: false,
            scores: vec![(-boxes, boxes); 2],
            outcomes: Some((-boxes..=boxes).step_by(2).collect()),
            length: Some(lines),
            states: Some(2f64.powi(lines as i32 + 1) * f64::from(boxes + 1)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<B: Bits> Notation for DotsAndBoxes<B> {
    /// Rows of lines from the top, horizontal (`-`) and vertical (`|`) in turn, `.` where none is drawn; the boxes of
    /// both players; who moves: `.-/|../-./.|./.. 0-0 1`.
    fn position_text(&self, lines: &Lines<B>) -> String {
        let rows = self.rows().map(|(row, sign)| self.row(lines.drawn, row.into_iter(), sign));
        let rows = rows.collect::<Vec<_>>().join("/");
        format!("{rows} {}-{} {}", lines.boxes[0], lines.boxes[1], lines.mover.index() + 1)
    }

    fn parse_position(&self, text: &str) -> Result<Lines<B>, TextError> {
        let expected =
            || TextError::new("expected the rows of lines, the boxes of both players and who moves: … 0-0 1");
        let parts: Vec<&str> = text.split_whitespace().collect();
        let &[rows, score, mover] = parts.as_slice() else { return Err(expected()) };
        let drawn = self.parse_lines(rows)?;
        let (a, b) = score.split_once('-').ok_or_else(expected)?;
        let boxes: [u8; 2] = [a.parse().map_err(|_| expected())?, b.parse().map_err(|_| expected())?];
        let mover = match mover {
            "1" => Player::FIRST,
            "2" => Player::SECOND,
            _ => return Err(expected()),
        };
        let closed = self.boxes.iter().filter(|&&b| b & !drawn == B::none()).count();
        if usize::from(boxes[0]) + usize::from(boxes[1]) != closed {
            return Err(TextError::new(format!(
                "{closed} boxes are closed, but the score {score} adds up to another number"
            )));
        }
        let mover = if drawn == self.full { Player::FIRST } else { mover };
        Ok(Lines { drawn, boxes, mover })
    }

    fn move_text(&self, _: &Lines<B>, line: u8) -> String {
        self.dots(line.into()).map(|(c, r)| format!("{}{}", column_letters(c as usize), r + 1)).concat()
    }

    fn drawing(&self, lines: &Lines<B>) -> Drawing {
        let dot_row = |r: u32| {
            (0..=2 * self.width).map(move |i| match i % 2 {
                0 => Cell::Sign('+'),
                _ if lines.drawn.has(self.horizontal(i / 2, r)) => Cell::Sign('-'),
                _ => Cell::Off,
            })
        };
        let box_row = |r: u32| {
            (0..=2 * self.width).map(move |i| match i % 2 {
                0 if lines.drawn.has(self.vertical(i / 2, r)) => Cell::Sign('|'),
                1 if (self.boxes[(r * self.width + i / 2) as usize] & !lines.drawn).is_none() => Cell::Sign('#'),
                _ => Cell::Off,
            })
        };
        let rows = (0..=2 * self.height).rev();
        let rows = rows.map(|i| if i % 2 == 0 { dot_row(i / 2).collect() } else { box_row(i / 2).collect() }).collect();
        let label = |i: u32, text: String| if i.is_multiple_of(2) { text } else { String::new() };
        let drawing = Drawing {
            row_labels: (0..=2 * self.height).rev().map(|i| label(i, (i / 2 + 1).to_string())).collect(),
            column_labels: (0..=2 * self.width).map(|i| label(i, column_letters(i as usize / 2))).collect(),
            look: Look::Dots,
            ..Drawing::square(rows)
        };
        drawing.with_legend(lines.boxes.map(|boxes| format!("{boxes} boxes")))
    }
}

impl<B: Bits> Symmetric for DotsAndBoxes<B> {
    fn symmetries(&self) -> usize {
        self.images.len()
    }

    fn transform(&self, lines: &Lines<B>, index: usize) -> Lines<B> {
        let images = &self.images[index];
        let drawn = lines.drawn.cells().fold(B::none(), |set, l| set | B::bit(images[l as usize].into()));
        Lines { drawn, ..*lines }
    }

    fn transform_move(&self, _: &Self::State, line: u8, index: usize) -> u8 {
        self.images[index][line as usize]
    }
}

impl<B: Bits> Playouts for DotsAndBoxes<B> {
    fn random_move(
        &self,
        lines: &Lines<B>,
        _: &mut Vec<u8>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<u8, ZeroSum> {
        match self.status(lines) {
            Status::Over(payoff) => Err(payoff),
            Status::Turn(_) => {
                let free = self.full & !lines.drawn;
                Ok(free.nth(below(free.count() as usize) as u32) as u8)
            }
        }
    }
}

impl<B: Bits> Heuristic for DotsAndBoxes<B> {
    /// The score, and the boxes the mover can close now.
    fn heuristic(&self, lines: &Lines<B>) -> f32 {
        let ready = self.boxes.iter().filter(|&&b| (b & !lines.drawn).count() == 1).count() as f32;
        let score = self.score(lines) as f32;
        let score = if lines.mover == Player::FIRST { score + ready } else { score - ready };
        Estimate::from_fn(|_| (score / 4.0).tanh() * 0.9)
    }
}

impl<B: Bits> Features for DotsAndBoxes<B> {
    /// A lattice on which dots, lines and boxes are cells; the dots, which never change, are left out.
    fn layout(&self) -> Option<Layout> {
        let cells = self.places().map(|(x, y)| (x as i16, y as i16)).collect();
        Some(Layout { lattice: Lattice::Square, cells, values: 2, numbers: &["my boxes less theirs, of all"] })
    }

    /// Open or drawn; open or closed.
    fn cell_values(&self, lines: &Lines<B>, out: &mut Vec<u8>) {
        let set = |(x, y): (u32, u32)| match (x % 2, y % 2) {
            (1, 0) => lines.drawn.has(self.horizontal(x / 2, y / 2)),
            (0, _) => lines.drawn.has(self.vertical(x / 2, y / 2)),
            _ => (self.boxes[(y / 2 * self.width + x / 2) as usize] & !lines.drawn).is_none(),
        };
        out.extend(self.places().map(|place| u8::from(set(place))));
    }

    fn numbers(&self, lines: &Lines<B>, out: &mut Vec<f32>) {
        let ahead = if lines.mover == Player::FIRST { self.score(lines) } else { -self.score(lines) };
        out.push(ahead as f32 / self.boxes.len() as f32);
    }

    fn viewer(&self, lines: &Lines<B>) -> Player {
        lines.mover
    }
}

impl<B: Bits> SolverHints for DotsAndBoxes<B> {}
impl<B: Bits> OrderingHints for DotsAndBoxes<B> {}
impl<B: Bits> Persist for DotsAndBoxes<B> {}
