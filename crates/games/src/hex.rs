//! Hex: link your two sides of a rhombus of hexagons.
//!
//! Cell `row · size + column`, row 0 on top, every row half a cell further to the right than the one above it:
//!
//! ```text
//!   a1 b1 c1
//!    a2 b2 c2        the neighbours of b2: b1 c1, a2 c2, a3 b3
//!     a3 b3 c3
//! ```
//!
//! The first colour (`X`) links top and bottom, the second (`O`) left and right. A full board has exactly one winner.
//!
//! Beside the stones a state holds those that hang together with their colour's first side (top or left). A stone joins
//! that set once, so keeping it is cheap, and whether the game is over is one look at the opposite side.

use perfectplay_core::{
    Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Lattice, Layout, Notation, OptionSet,
    OrderingHints, Params, Payoff, Persist, Plain, Player, Playouts, Setting, Shape, Sides, SolverHints, Status,
    Symmetric, TextError, Visitor, ZeroSum, options, plain_struct,
};

use crate::support::bits::{Bits, Wide};
use crate::support::{board, fen};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "hex",
    summary: "link your two sides of a rhombus of hexagons",
    players: "2",
    parameters: Parameters::docs,
    examples: &["hex:2", "hex:3,swap=off", "hex:4,swap=off", "hex:11", "hex:13,swap=off"],
    rules: "The players take turns to put a stone of their colour on an empty cell. The first colour (`X`) wins by a \
chain of stones from the top to the bottom side, the second (`O`) by one from left to right. Exactly one of them will \
succeed.

With `swap=on` the second player may answer the first stone with `swap`: the stone stays, the players exchange \
colours, and the first player goes on with the other colour.

Positions are written row by row from the top, `X`, `O` and numbers for runs of empty cells, with `swapped` after them \
if the players have exchanged colours. Moves are cells, `a1` in the top left corner, or `swap`.",
    sources: &["P. Hein (1942), J. Nash (1948)", "R. Hayward, B. Toft, Hex: The Full Story (2019)"],
};

options! {
    struct Parameters {
        size: u32 = Setting::whole("board-size", "cells along a side", 1..=19, 11).positional(),
        swap: bool = Setting::switch("swap", "whether the second player may take over the first stone", true),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size, swap } = Parameters::read(INFO.name, params)?;
    Ok(match size * size {
        ..=64 => visitor.zero_sum(Hex::<u64>::new(size, swap)),
        65..=128 => visitor.zero_sum(Hex::<u128>::new(size, swap)),
        129..=192 => visitor.zero_sum(Hex::<Wide<3>>::new(size, swap)),
        _ => visitor.zero_sum(Hex::<Wide<6>>::new(size, swap)),
    })
}

/// The rules on a board of this size.
#[derive(Clone, Debug)]
pub struct Hex<B> {
    size: u32,
    swap: bool,
    all: B,
    not_left: B,
    not_right: B,
    /// The side each colour's chain begins at, and the side it must reach.
    sides: [[B; 2]; 2],
    neighbours: Vec<B>,
    /// The first colour's guess, by who moves and how many stones fewer it needs, from minus all cells on.
    worth: [Vec<f32>; 2],
}

/// Stones by colour. Their number says which colour moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stones<B> {
    /// The stones of each colour.
    pub stones: [B; 2],
    /// Those of them that hang together with their colour's first side.
    linked: B,
    /// How many stones there are: counting them at every move would be half the work.
    count: u16,
    /// Whether the players have exchanged colours.
    pub swapped: bool,
}

plain_struct!(impl[B: Bits] Stones<B> { stones: [B; 2], linked: B, count: u16, swapped: bool });

impl<B: Bits> Stones<B> {
    fn all(&self) -> B {
        self.stones[0] | self.stones[1]
    }

    /// The colour to move.
    fn colour(&self) -> usize {
        usize::from(self.count % 2)
    }

    fn player(&self, colour: usize) -> Player {
        Player::new(colour ^ usize::from(self.swapped))
    }
}

/// A stone, or taking over the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A stone on this cell.
    Place(u16),
    /// The players exchange colours.
    Swap,
}

impl Plain for Move {
    const SIZE: usize = 2;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        match *self {
            Move::Place(cell) => cell.put(out),
            Move::Swap => u16::MAX.put(out),
        }
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let cell = u16::take(bytes)?;
        Some(if cell == u16::MAX { Move::Swap } else { Move::Place(cell) })
    }
}

impl<B: Bits> Hex<B> {
    /// The rules on `size` × `size` cells.
    ///
    /// # Panics
    /// If the board does not fit into `B`.
    pub fn new(size: u32, swap: bool) -> Self {
        assert!(size > 0 && size * size <= B::BITS, "{size}x{size} does not fit");
        let (all, top) = (board::all_cells::<B>(size, size), board::first_row::<B>(size));
        let left = board::first_column::<B>(size, size);
        let sides = [[top, top << (size * (size - 1))], [left, left << (size - 1)]];
        let (not_left, not_right) = (all & !left, all & !sides[1][1]);
        let cells = size * size;
        let worth = [0.5, -0.5].map(|tempo| {
            let ahead = |lead: u32| ((lead as f32 - cells as f32 + tempo) / 2.0).tanh() * 0.9;
            (0..=2 * cells).map(ahead).collect()
        });
        let mut hex = Hex { size, swap, all, not_left, not_right, sides, neighbours: Vec::new(), worth };
        hex.neighbours = (0..size * size).map(|cell| hex.around(B::bit(cell))).collect();
        hex
    }

    /// The cells next to those in `set` (some of `set` among them).
    #[inline]
    fn around(&self, set: B) -> B {
        let (from_left, from_right) = (set & self.not_left, set & self.not_right);
        let beside = from_left >> 1 | from_right << 1;
        let above = set >> self.size | from_right >> (self.size - 1);
        let below = set << self.size | from_left << (self.size - 1);
        (beside | above | below) & self.all
    }

    /// All of `within` that hangs together with `seed`.
    #[inline]
    fn flood(&self, seed: B, within: B) -> B {
        let (mut reached, mut edge) = (seed, seed);
        while !edge.is_none() {
            edge = self.around(edge) & within & !reached;
            reached = reached | edge;
        }
        reached
    }

    #[inline]
    fn place(&self, state: &mut Stones<B>, colour: usize, cell: u32) {
        let stone = B::bit(cell);
        state.stones[colour] = state.stones[colour] | stone;
        state.count += 1;
        let (own, linked) = (state.stones[colour], state.linked);
        if !(stone & self.sides[colour][0] | self.neighbours[cell as usize] & linked & own).is_none() {
            state.linked = linked | self.flood(stone, own & !linked);
        }
    }

    /// The colour that has linked its sides.
    #[inline]
    fn winner(&self, state: &Stones<B>) -> Option<usize> {
        (0..2).find(|&c| !(state.linked & state.stones[c] & self.sides[c][1]).is_none())
    }

    fn can_swap(&self, state: &Stones<B>) -> bool {
        self.swap && !state.swapped && state.count == 1
    }

    fn cell(&self, state: &Stones<B>, cell: u32) -> Cell {
        match (0..2).find(|&c| state.stones[c].has(cell)) {
            Some(colour) => Cell::Stone(Player::new(colour)),
            None => Cell::Empty,
        }
    }

    /// How many stones `colour` still needs if the other colour only looks on.
    fn distance(&self, state: &Stones<B>, colour: usize) -> u32 {
        let (own, open) = (state.stones[colour], self.all & !state.stones[1 - colour]);
        let [from, to] = self.sides[colour];
        let mut reached = self.flood(from & own, own); // what is reached with `steps` more stones
        let mut frontier = reached;
        let mut steps = 0;
        while (reached & to).is_none() {
            let next = (self.around(frontier) | if steps == 0 { from } else { B::none() }) & open & !reached;
            if next.is_none() {
                return self.size * self.size;
            }
            frontier = self.flood(next, own | next);
            reached = reached | frontier;
            steps += 1;
        }
        steps
    }
}

impl<B: Bits> Game for Hex<B> {
    type State = Stones<B>;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = (B, B);

    fn start(&self) -> Stones<B> {
        Stones { stones: [B::none(); 2], linked: B::none(), count: 0, swapped: false }
    }

    #[inline]
    fn expand(&self, state: &Stones<B>, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let status = self.status(state);
        if let Status::Turn(_) = status {
            (self.all & !state.all()).cells().for_each(|cell| moves.push(Move::Place(cell as u16)));
            if self.can_swap(state) {
                moves.push(Move::Swap);
            }
        }
        status
    }

    #[inline]
    fn status(&self, state: &Stones<B>) -> Status<ZeroSum> {
        match self.winner(state) {
            Some(colour) => Status::Over(ZeroSum::win_for(state.player(colour))),
            // On one cell the stone that could be taken over has already won.
            None => Status::Turn(state.player(state.colour())),
        }
    }

    #[inline]
    fn play(&self, state: &mut Stones<B>, mv: Move) {
        match mv {
            Move::Place(cell) => self.place(state, state.colour(), cell.into()),
            Move::Swap => state.swapped = true,
        }
    }

    /// Two disjoint sets; once the players have swapped, all stones and the first colour's among them, which is not
    /// empty.
    #[inline]
    fn key(&self, state: &Stones<B>) -> (B, B) {
        let [first, second] = state.stones;
        if state.swapped { (first | second, first) } else { (first, second) }
    }

    fn facts(&self) -> Facts {
        let cells = self.size * self.size;
        Facts {
            outcomes: Some(vec![-1, 1]),
            length: Some(cells + u32::from(self.swap)),
            states: Some(3f64.powi(cells as i32) * if self.swap { 2.0 } else { 1.0 }),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<B: Bits> Notation for Hex<B> {
    /// `3/1X1/3`, or `3/1X1/3 swapped`.
    fn position_text(&self, state: &Stones<B>) -> String {
        let rows = (0..self.size).map(|r| {
            fen::write_row((0..self.size).map(|c| match self.cell(state, r * self.size + c) {
                Cell::Stone(Player::FIRST) => Some('X'),
                Cell::Stone(_) => Some('O'),
                _ => None,
            }))
        });
        rows.collect::<Vec<_>>().join("/") + if state.swapped { " swapped" } else { "" }
    }

    fn parse_position(&self, text: &str) -> Result<Stones<B>, TextError> {
        let (rows, swapped) = match text.trim().split_once(' ') {
            None => (text.trim(), false),
            Some((rows, "swapped")) if self.swap => (rows, true),
            Some((_, rest)) => {
                let expected = if self.swap { "nothing or \"swapped\"" } else { "nothing" };
                return Err(TextError::new(format!("expected {expected} after the rows, got \"{rest}\"")));
            }
        };
        let rows = fen::parse_rows(rows, self.size as usize, self.size as usize, "XO")?;
        let mut state = Stones { swapped, ..self.start() };
        let cells = rows.iter().flatten().enumerate();
        for (cell, sign) in cells.filter_map(|(i, sign)| Some((i as u32, (*sign)?))) {
            self.place(&mut state, usize::from(sign == 'O'), cell);
        }
        let [x, o] = state.stones.map(B::count);
        if x != o && x != o + 1 || swapped && x == 0 {
            return Err(TextError::new(format!(
                "X must have as many stones as O or one more{}, but there are {x} X and {o} O",
                if swapped { ", at least one after a swap" } else { "" }
            )));
        }
        if let Some(winner) = self.winner(&state) {
            // The last stone must have made the link: some stone of the winner's, taken away, leaves none.
            let last_to_move = 1 - state.colour();
            let made_it = |cell: u32| !self.is_linked(winner, state.stones[winner] ^ B::bit(cell));
            if winner != last_to_move || !state.stones[winner].cells().any(made_it) || swapped && self.size == 1 {
                return Err(TextError::new("the game was over before the last stone was placed"));
            }
        }
        Ok(state)
    }

    fn move_text(&self, _: &Stones<B>, mv: Move) -> String {
        match mv {
            Move::Place(cell) => board::cell_name(cell.into(), self.size),
            Move::Swap => "swap".into(),
        }
    }

    fn drawing(&self, state: &Stones<B>) -> Drawing {
        let rows = (0..self.size).map(|r| (0..self.size).map(|c| self.cell(state, r * self.size + c)).collect());
        let drawing = Drawing {
            shape: Shape::Hex,
            sides: Sides::Rhombus,
            swapped: state.swapped,
            indents: (0..self.size as usize).collect(),
            row_labels: (1..=self.size).map(|r| r.to_string()).collect(),
            ..Drawing::lettered(rows.collect())
        };
        let drawing = drawing.with_legend(["top to bottom", "left to right"]);
        if state.swapped { drawing.with_note("the players have exchanged colours") } else { drawing }
    }
}

impl<B: Bits> Symmetric for Hex<B> {
    /// Half a turn.
    fn symmetries(&self) -> usize {
        2
    }

    fn transform(&self, state: &Stones<B>, index: usize) -> Stones<B> {
        if index == 0 {
            return *state;
        }
        let mut image = Stones { swapped: state.swapped, ..self.start() };
        for colour in 0..2 {
            for cell in state.stones[colour].cells() {
                self.place(&mut image, colour, self.size * self.size - 1 - cell);
            }
        }
        image
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        match mv {
            Move::Place(cell) if index == 1 => Move::Place((self.size * self.size) as u16 - 1 - cell),
            mv => mv,
        }
    }
}

impl<B: Bits> Playouts for Hex<B> {
    #[inline]
    fn random_move(
        &self,
        state: &Stones<B>,
        _: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Move, ZeroSum> {
        if let Status::Over(payoff) = self.status(state) {
            return Err(payoff);
        }
        let empty = self.all & !state.all();
        let cells = self.size * self.size - u32::from(state.count);
        let choice = below((cells + u32::from(self.can_swap(state))) as usize) as u32;
        Ok(if choice == cells { Move::Swap } else { Move::Place(empty.nth(choice) as u16) })
    }

    /// The whole board is filled in a random order. Then one colour has linked its sides, and when it first had is
    /// found by halving: a few floods instead of one for every stone.
    fn playout(
        &self,
        mut state: Stones<B>,
        most: u32,
        order: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        if let Status::Over(payoff) = self.status(&state) {
            return (Some(payoff), 0);
        }
        let mut before = 0;
        if self.can_swap(&state) && most > 0 && below((self.size * self.size) as usize) == 0 {
            (state.swapped, before) = (true, 1);
        }
        self.shuffle_empty(&state, order, below);
        let (winner, stones) = self.first_link(&state, order);
        let plies = before + stones;
        if plies <= most { (Some(ZeroSum::win_for(state.player(winner))), plies) } else { (None, most) }
    }
}

impl<B: Bits> Hex<B> {
    /// All empty cells in a random order.
    #[inline]
    fn shuffle_empty(&self, state: &Stones<B>, order: &mut Vec<Move>, below: &mut impl FnMut(usize) -> usize) {
        order.clear();
        order.extend((self.all & !state.all()).cells().map(|cell| Move::Place(cell as u16)));
        for i in (1..order.len()).rev() {
            order.swap(i, below(i + 1));
        }
    }

    /// Which colour links its sides if stones are put as `order` says until the board is full, and with how many of
    /// them.
    fn first_link(&self, state: &Stones<B>, order: &[Move]) -> (usize, u32) {
        let stone = |mv: &Move| match *mv {
            Move::Place(cell) => B::bit(cell.into()),
            Move::Swap => B::none(),
        };
        let next = state.colour();
        let of_colour = |colour: usize| order.iter().skip(colour ^ next).step_by(2);
        let full = |colour: usize| of_colour(colour).map(stone).fold(state.stones[colour], |all, one| all | one);
        let winner = usize::from(!self.is_linked(0, full(0)));
        // The winner has linked with `enough` stones of its own from `order`, and not with `few`.
        let (mut few, mut enough) = (0, of_colour(winner).len());
        let (mut stones, mut placed) = (full(winner), enough);
        while enough - few > 1 {
            let middle = few.midpoint(enough);
            let changed = of_colour(winner).skip(middle.min(placed)).take(middle.abs_diff(placed));
            stones = changed.map(stone).fold(stones, |all, one| all ^ one);
            placed = middle;
            if self.is_linked(winner, stones) {
                enough = middle;
            } else {
                few = middle;
            }
        }
        let others_before = enough - usize::from(winner == next);
        (winner, (enough + others_before) as u32)
    }

    /// Whether these stones link the sides of their colour.
    #[inline]
    fn is_linked(&self, colour: usize, stones: B) -> bool {
        let [from, to] = self.sides[colour];
        let (mut reached, mut edge) = (from & stones, from & stones);
        while !edge.is_none() && (edge & to).is_none() {
            edge = self.around(edge) & stones & !reached;
            reached = reached | edge;
        }
        !edge.is_none()
    }
}

impl<B: Bits> Heuristic for Hex<B> {
    /// Who needs fewer stones to link the sides.
    fn heuristic(&self, state: &Stones<B>) -> f32 {
        let [first, second] = [0, 1].map(|colour| self.distance(state, colour));
        let ahead = self.worth[state.colour()][(self.size * self.size + second - first) as usize];
        Estimate::from_fn(|p| if p == state.player(0) { ahead } else { -ahead })
    }
}

impl<B: Bits> Features for Hex<B> {
    fn layout(&self) -> Option<Layout> {
        let cells = (0..self.size * self.size).map(|cell| ((cell % self.size) as i16, (cell / self.size) as i16));
        Some(Layout {
            lattice: Lattice::Hexagonal,
            cells: cells.collect(),
            values: 3,
            numbers: &["the mover may take over the stone"],
        })
    }

    /// With rows and columns exchanged for the second colour: the mover always links top and bottom.
    fn cell_values(&self, state: &Stones<B>, out: &mut Vec<u8>) {
        let (size, colour) = (self.size, state.colour());
        let place = |cell: u32| if colour == 0 { cell } else { cell % size * size + cell / size };
        board::push_placed(size * size, state.stones[colour], state.stones[1 - colour], place, out);
    }

    fn numbers(&self, state: &Stones<B>, out: &mut Vec<f32>) {
        out.push(f32::from(u8::from(self.can_swap(state))));
    }

    fn viewer(&self, state: &Stones<B>) -> Player {
        state.player(state.colour())
    }
}
impl<B: Bits> SolverHints for Hex<B> {}
impl<B: Bits> OrderingHints for Hex<B> {}
impl<B: Bits> Persist for Hex<B> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::dice;

    /// A board filled in the same order, stone by stone, is won by the same colour with the same stone.
    #[test]
    fn playouts_follow_the_rules() {
        let below = &mut dice();
        for size in 1..=8 {
            let game = Hex::<u64>::new(size, false);
            for _ in 0..100 {
                let mut state = game.start();
                for _ in 0..below((size * size) as usize) {
                    if let Ok(mv) = game.random_move(&state, &mut Vec::new(), below) {
                        game.play(&mut state, mv);
                    }
                }
                if let Status::Over(payoff) = game.status(&state) {
                    assert_eq!(game.playout(state, 1000, &mut Vec::new(), below), (Some(payoff), 0));
                    continue;
                }
                let mut order = Vec::new();
                game.shuffle_empty(&state, &mut order, below);
                let (winner, stones) = game.first_link(&state, &order);
                for (i, &mv) in order.iter().enumerate() {
                    game.play(&mut state, mv);
                    let expected = (i + 1 == stones as usize).then_some(winner);
                    assert_eq!(game.winner(&state), expected, "{size}: {}", game.position_text(&state));
                    if expected.is_some() {
                        break;
                    }
                }
            }
        }
    }

    /// One of as many first moves as there are is to take over the stone, and a game that is cut short has no end.
    #[test]
    fn playouts_swap_and_stop() {
        let game = Hex::<u64>::new(3, true);
        let state = game.after(&game.start(), Move::Place(4));
        let payoff_of = |first: usize| {
            let mut draws = std::iter::once(first).chain(std::iter::repeat(0));
            game.playout(state, 100, &mut Vec::new(), &mut |_| draws.next().expect("as many as it likes"))
        };
        let ((kept, long), (swapped, longer)) = (payoff_of(1), payoff_of(0));
        assert_eq!((kept.map(|p| p.0), long + 1), (swapped.map(|p| -p.0), longer));
        let short = game.playout(game.start(), 2, &mut Vec::new(), &mut |_| 0);
        assert_eq!(short, (None, 2));
    }
}
