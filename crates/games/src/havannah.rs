//! Havannah: a bridge between two corners, a fork between three sides, or a ring wins.
//!
//! Cells lie at (x, y), x to the right and y downwards, on the hexagon |x|, |y|, |x + y| < base around the centre; the
//! neighbours of a cell are at (±1, 0), (0, ±1), (1, -1), (-1, 1).
//!
//! What a new stone can complete:
//! - a bridge or a fork: its merged group touches two corners or three sides;
//! - a ring round a cell that is not the ring's own colour: then the stone joins two stretches of neighbours, separate
//!   round the stone, that hang together already;
//! - a ring round cells of its own colour only: then some cell and its six neighbours are all of that colour.
//!
//! So its group must be looked at only if the stone joins two stretches or lies on the edge; a state holds no more than
//! stones. Random games, in which every stone is followed by another, keep the groups as a forest of links instead,
//! each root with the corners and sides its group touches: there a stone costs a handful of steps, always.

use perfectplay_core::{
    Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Lattice, Layout, Notation, OptionSet,
    OrderingHints, Params, Payoff, Persist, Plain, Player, Playouts, Setting, Shape, Sides, SolverHints, Status,
    Symmetric, TextError, Visitor, ZeroSum, column_letters, options, plain_struct,
};

use crate::support::bits::{Bits, Wide};
use crate::support::playout::Bundles;
use crate::support::{board, fen};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "havannah",
    summary: "a bridge, a fork or a ring on a hexagon wins",
    players: "2",
    parameters: Parameters::docs,
    examples: &["havannah:2", "havannah:4,swap=off", "havannah:8", "havannah:10"],
    rules:
        "Players put a stone on an empty cell of a hexagonal board in turn. Three things win: a bridge joins two of \
the six corners, a fork joins three of the six sides (corners belong to no side), a ring surrounds at least one cell, \
whatever is on it. A full board without them is a draw. With `swap=on` the second player may answer the first stone \
with `swap`: the stone stays, the players exchange colours.

Positions are written row by row from the top, `X` for the first colour, `O` for the second, numbers for runs of empty \
cells, with `swapped` after them if the players have exchanged colours. Cells are a letter for the diagonal and a \
number for the row, counted from the bottom.",
    sources: &["C. Freeling, Havannah (1979)", "T. Ewalds, Playing and Solving Havannah (2012)"],
};

options! {
    struct Parameters {
        base: u32 = Setting::whole("base", "cells along a side", 2..=10, 8).positional(),
        swap: bool = Setting::switch("swap", "whether the second player may take over the first stone", true),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { base, swap } = Parameters::read(INFO.name, params)?;
    Ok(match 3 * base * (base - 1) + 1 {
        ..=64 => visitor.zero_sum(Havannah::<u64, 64>::new(base, swap)),
        65..=128 => visitor.zero_sum(Havannah::<u128, 128>::new(base, swap)),
        129..=169 => visitor.zero_sum(Havannah::<Wide<3>, 256>::new(base, swap)),
        _ => visitor.zero_sum(Havannah::<Wide<5>, 512>::new(base, swap)),
    })
}

/// The six neighbours in the order of the clock.
const AROUND: [(i32, i32); 6] = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];
/// Marks the root of a group; its low bits are the corners (6) and sides (6) the group touches.
const ROOT: u16 = 0x8000;
/// Marks a stone, with its colour in the bit below. The rest of a stone that is no root is the way to it.
const STONE: u16 = 0x4000;
const SIGN: u16 = 0x6000;
const LOW: u16 = 0x0fff;
const CORNERS: u16 = 0x003f;
const SIDES: u16 = 0x0fc0;

/// What a stone of `colour` is marked with.
fn sign(colour: usize) -> u16 {
    STONE | (colour as u16) << 13
}

/// The rules on a board of fewer than `N` cells, a power of two. One more after the last cell stands for all that is
/// beyond the edge, and is always empty.
#[derive(Clone, Debug)]
pub struct Havannah<B, const N: usize> {
    base: u32,
    swap: bool,
    all: B,
    /// Where each cell lies.
    places: Vec<(i32, i32)>,
    neighbours: Vec<[u16; 6]>,
    /// The same as sets.
    beside: Vec<B>,
    /// What each cell touches: a root of a group of one.
    touches: Vec<u16>,
    images: Vec<Vec<u16>>,
    bundles: Bundles,
}

/// Stones by colour. Their number says which colour moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stones<B> {
    /// The stones of each colour.
    pub stones: [B; 2],
    count: u16,
    /// Whether the players have exchanged colours.
    pub swapped: bool,
    /// Whether the last stone won.
    won: bool,
}

plain_struct!(impl[B: Bits] Stones<B> { stones: [B; 2], count: u16, swapped: bool, won: bool });

impl<B: Bits> Stones<B> {
    fn empty() -> Self {
        Stones { stones: [B::none(); 2], count: 0, swapped: false, won: false }
    }

    /// The colour to move.
    fn colour(&self) -> usize {
        usize::from(self.count % 2)
    }

    fn player(&self, colour: usize) -> Player {
        Player::new(colour ^ usize::from(self.swapped))
    }
}

/// For each stone its colour, and its parent in its group or what a root says; 0 where there is none.
type Links<const N: usize> = [u16; N];

/// The root of the group of `cell`; shortens the way on the way.
#[inline]
fn root<const N: usize>(links: &mut Links<N>, mut cell: u16) -> u16 {
    loop {
        let up = links[cell as usize % N];
        if up & ROOT != 0 {
            return cell;
        }
        let parent = up & LOW;
        let further = links[parent as usize % N];
        if further & ROOT != 0 {
            return parent;
        }
        links[cell as usize % N] = further;
        cell = further & LOW;
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

/// The cell, or one beyond all cells.
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

/// What is to be known of the stretches of own stones round a cell.
#[derive(Clone, Copy)]
struct Stretches {
    /// Where each begins, clockwise.
    begins: u8,
    /// The stones between two others: they may be the middle of a ring that this cell fills.
    middles: u8,
}

/// By the set of own stones.
const STRETCHES: [Stretches; 64] = {
    let mut all = [Stretches { begins: 0, middles: 0 }; 64];
    let mut own = 0;
    while own < 64 {
        let before = (own << 1 | own >> 5) & 0x3f;
        let after = own >> 1 | (own & 1) << 5;
        let begins = if own == 0x3f { 1 } else { own & !before };
        all[own] = Stretches { begins: begins as u8, middles: (own & before & after) as u8 };
        own += 1;
    }
    all
};

/// Whether a group that touches these corners and sides is a bridge or a fork. (Not every machine counts bits at once.)
#[inline]
fn joins(touched: u16) -> bool {
    let without_one = |set: u16| set & set.wrapping_sub(1);
    without_one(touched & CORNERS) | without_one(without_one(touched & SIDES)) != 0
}

impl<B: Bits, const N: usize> Havannah<B, N> {
    /// The rules with `base` cells along a side.
    ///
    /// # Panics
    /// If the board does not fit.
    pub fn new(base: u32, swap: bool) -> Self {
        let last = base as i32 - 1;
        let on = |(x, y): (i32, i32)| x.abs().max(y.abs()).max((x + y).abs()) <= last;
        let rows = (-last..=last).flat_map(|y| (-last..=last).map(move |x| (x, y)));
        let places: Vec<(i32, i32)> = rows.filter(|&p| on(p)).collect();
        assert!(N.is_power_of_two() && base >= 2 && places.len() < N.min(B::BITS as usize), "base {base} does not fit");
        let index = |place: (i32, i32)| places.iter().position(|&p| p == place).unwrap_or(places.len()) as u16;
        let neighbours = places.iter().map(|&(x, y)| AROUND.map(|(dx, dy)| index((x + dx, y + dy))));
        let neighbours: Vec<[u16; 6]> = neighbours.collect();
        let all = (0..places.len() as u32).fold(B::none(), |set, c| set | B::bit(c));
        let beside = |cells: &[u16; 6]| cells.iter().fold(B::none(), |set, &c| set | B::bit(c.into())) & all;
        // On side i the i-th of these is at its greatest; in a corner two of them are.
        let touches = |&(x, y): &(i32, i32)| {
            let extremes = [x, x + y, y, -x, -x - y, -y].map(|v| v == last);
            match (0..6).find(|&i| extremes[i]) {
                None => ROOT,
                Some(i) if extremes[(i + 1) % 6] => ROOT | 1 << i,
                Some(0) if extremes[5] => ROOT | 1 << 5,
                Some(i) => ROOT | 1 << (6 + i),
            }
        };
        let image = |s: usize, &(x, y): &(i32, i32)| {
            let z = -x - y;
            let (x, y) = [(x, y), (y, z), (z, x), (y, x), (z, y), (x, z)][s % 6];
            index(if s < 6 { (x, y) } else { (-x, -y) })
        };
        Havannah {
            base,
            swap,
            all,
            beside: neighbours.iter().map(beside).collect(),
            touches: places.iter().map(touches).collect(),
            bundles: Bundles::new(places.len()),
            images: (0..12).map(|s| places.iter().map(|p| image(s, p)).collect()).collect(),
            neighbours,
            places,
        }
    }

    fn cells(&self) -> usize {
        self.places.len()
    }

    fn free(&self, state: &Stones<B>) -> B {
        self.all & !(state.stones[0] | state.stones[1])
    }

    fn can_swap(&self, state: &Stones<B>) -> bool {
        self.swap && state.count == 1 && !state.swapped
    }

    /// Whether a new stone on `cell`, beside the stones `own`, completes something.
    #[inline]
    fn completes(&self, own: B, cell: u16) -> bool {
        if (self.beside[cell as usize] & own).is_none() {
            return false;
        }
        let neighbours = &self.neighbours[cell as usize];
        let mine = |i: usize| u32::from(own.has(neighbours[i].into())) << i;
        let Stretches { begins, middles } = STRETCHES[(0..6).map(mine).fold(0, |set, bit| set | bit) as usize];
        let touched = self.touches[cell as usize];
        let alone = begins & (begins - 1) == 0;
        !(alone && touched & LOW == 0) && self.completes_far(own, neighbours, begins.into(), touched)
            || middles != 0 && self.fills(own | B::bit(cell.into()), neighbours, middles.into())
    }

    /// Whether a stone that touches `touched` joins the groups of these stretches to something, or two that are one
    /// already.
    fn completes_far(&self, own: B, neighbours: &[u16; 6], mut begins: u32, mut touched: u16) -> bool {
        let mut seen = B::none();
        while begins != 0 {
            let start = neighbours[begins.trailing_zeros() as usize].into();
            begins &= begins - 1;
            if seen.has(start) {
                return true;
            }
            let (group, more) = self.group(own, start);
            seen = seen | group;
            touched |= more;
        }
        joins(touched)
    }

    /// The stones of `own` that hang together with `start`, and what they touch.
    #[inline]
    fn group(&self, own: B, start: u32) -> (B, u16) {
        let mut group = B::bit(start);
        let (mut edge, mut touched) = (group, 0);
        while !edge.is_none() {
            let mut next = B::none();
            edge.cells().for_each(|cell| {
                next = next | self.beside[cell as usize];
                touched |= self.touches[cell as usize];
            });
            edge = next & own & !group;
            group = group | edge;
        }
        (group, touched)
    }

    /// Whether one of `centres` (as indices of neighbours) has six neighbours among `own`.
    fn fills(&self, own: B, neighbours: &[u16; 6], centres: u32) -> bool {
        u64::from(centres).cells().any(|i| {
            let cell = neighbours[i as usize] as usize;
            self.neighbours[cell].iter().all(|&n| own.has(n.into()))
        })
    }

    /// Joins a new stone to the groups beside it and says whether it completes something.
    #[inline]
    fn join(&self, links: &mut Links<N>, colour: usize, cell: u16) -> bool {
        let sign = sign(colour);
        let neighbours = &self.neighbours[cell as usize];
        let own = |i: usize| u32::from(links[neighbours[i] as usize % N] & SIGN == sign) << i;
        let own = own(0) | own(1) | own(2) | own(3) | own(4) | own(5);
        let touched = self.touches[cell as usize];
        if own == 0 {
            links[cell as usize % N] = touched | sign;
            return false;
        }
        let Stretches { mut begins, middles } = STRETCHES[own as usize % 64];
        let first = neighbours[begins.trailing_zeros() as usize];
        begins &= begins - 1;
        let mut ring = false;
        if begins == 0 && touched == ROOT {
            // All its neighbours are of one group, to which it adds nothing: any stone of it will do as a parent.
            let up = links[first as usize % N];
            links[cell as usize % N] = sign | if up & ROOT != 0 { first } else { up & LOW };
        } else {
            let mut here = root(links, first);
            links[here as usize % N] |= touched;
            links[cell as usize % N] = sign | here;
            while begins != 0 {
                let root = root(links, neighbours[begins.trailing_zeros() as usize]);
                begins &= begins - 1;
                if root == here {
                    ring = true;
                } else {
                    links[root as usize % N] |= links[here as usize % N];
                    links[here as usize % N] = sign | root;
                    here = root;
                }
            }
            ring |= joins(links[here as usize % N]);
        }
        ring || middles != 0 && self.any_filled(links, neighbours, middles.into(), sign)
    }

    /// Whether one of `centres` (as indices of neighbours) has six neighbours with this sign.
    fn any_filled(&self, links: &Links<N>, neighbours: &[u16; 6], mut centres: u32, sign: u16) -> bool {
        while centres != 0 {
            let centre = neighbours[centres.trailing_zeros() as usize];
            if self.neighbours[centre as usize].iter().all(|&n| links[n as usize % N] & SIGN == sign) {
                return true;
            }
            centres &= centres - 1;
        }
        false
    }

    /// Whether these stones have won.
    fn has_won(&self, stones: B) -> bool {
        let mut links = [0; N];
        stones.cells().any(|cell| self.join(&mut links, 0, cell as u16))
    }

    /// The groups of both colours.
    fn links(&self, state: &Stones<B>) -> Links<N> {
        let mut links = [0; N];
        for (colour, set) in state.stones.into_iter().enumerate() {
            set.cells().for_each(|cell| _ = self.join(&mut links, colour, cell as u16));
        }
        links
    }

    fn name(&self, cell: u16) -> String {
        let (x, y) = self.places[cell as usize];
        let last = self.base as i32 - 1;
        format!("{}{}", column_letters((x + last) as usize), last - y + 1)
    }

    /// The cells row by row from the top.
    fn rows(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let last = self.base as i32 - 1;
        (-last..=last).map(|y| (0..self.cells()).filter(|&c| self.places[c].1 == y).collect())
    }

    fn parse_stones(&self, text: &str) -> Result<[B; 2], TextError> {
        let rows: Vec<&str> = text.split('/').collect();
        let expected = 2 * self.base as usize - 1;
        if rows.len() != expected {
            return Err(TextError::new(format!("expected {expected} rows, got {}", rows.len())));
        }
        let mut stones = [B::none(); 2];
        for (cells, row) in self.rows().zip(rows) {
            let pieces = fen::parse_rows(row, cells.len(), 1, "XO").map_err(|_| {
                TextError::new(format!("expected a row of {} cells (X, O, numbers), got \"{row}\"", cells.len()))
            })?;
            for (cell, piece) in cells.into_iter().zip(&pieces[0]) {
                if let Some(sign) = piece {
                    let colour = usize::from(*sign == 'O');
                    stones[colour] = stones[colour] | B::bit(cell as u32);
                }
            }
        }
        Ok(stones)
    }

    /// What the groups of a colour touch and how large they are.
    fn strength(&self, stones: B) -> f32 {
        let (mut links, mut sizes) = ([0; N], [0u16; N]);
        stones.cells().for_each(|cell| self.join_earlier(&mut links, stones, cell as u16));
        stones.cells().for_each(|cell| sizes[root(&mut links, cell as u16) as usize] += 1);
        let group = |cell: usize| {
            let goals = 2 * (links[cell] & CORNERS).count_ones() + (links[cell] & SIDES).count_ones();
            ((1 + goals) as f32 * f32::from(sizes[cell]).sqrt()).powi(2)
        };
        stones.cells().map(|cell| cell as usize).filter(|&cell| sizes[cell] > 0).map(group).sum()
    }

    /// Joins a stone to those before it; the first stone of a group is its root.
    #[inline]
    fn join_earlier(&self, links: &mut Links<N>, stones: B, cell: u16) {
        let [_, _, _, left, above, beyond] = self.neighbours[cell as usize];
        links[cell as usize] = self.touches[cell as usize];
        let mut join = |other: u16| {
            let (a, b) = (root(links, cell), root(links, other));
            if a != b {
                links[a.min(b) as usize] |= links[a.max(b) as usize];
                links[a.max(b) as usize] = a.min(b);
            }
        };
        // The one above lies beside both others.
        if stones.has(above.into()) {
            return join(above);
        }
        [left, beyond].into_iter().filter(|&other| stones.has(other.into())).for_each(join)
    }
}

impl<B: Bits, const N: usize> Game for Havannah<B, N> {
    type State = Stones<B>;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = [B; 2];

    fn start(&self) -> Stones<B> {
        Stones::empty()
    }

    #[inline]
    fn expand(&self, state: &Stones<B>, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let status = self.status(state);
        if let Status::Turn(_) = status {
            self.free(state).cells().for_each(|c| moves.push(Move::Place(c as u16)));
            if self.can_swap(state) {
                moves.push(Move::Swap);
            }
        }
        status
    }

    #[inline]
    fn status(&self, state: &Stones<B>) -> Status<ZeroSum> {
        if state.won {
            Status::Over(ZeroSum::win_for(state.player(1 - state.colour())))
        } else if usize::from(state.count) == self.cells() {
            Status::Over(ZeroSum::draw())
        } else {
            Status::Turn(state.player(state.colour()))
        }
    }

    #[inline]
    fn play(&self, state: &mut Stones<B>, mv: Move) {
        match mv {
            Move::Place(cell) => {
                let own = &mut state.stones[usize::from(state.count % 2)];
                state.won = self.completes(*own, cell);
                *own = *own | B::bit(cell.into());
                state.count += 1;
            }
            Move::Swap => state.swapped = true,
        }
    }

    /// Two disjoint sets; once the players have swapped, all stones and the first colour's among them, which is not
    /// empty.
    #[inline]
    fn key(&self, state: &Stones<B>) -> [B; 2] {
        let [first, second] = state.stones;
        if state.swapped { [first | second, first] } else { state.stones }
    }

    fn facts(&self) -> Facts {
        let cells = self.cells() as u32;
        Facts {
            length: Some(cells + u32::from(self.swap)),
            states: Some(2.0 * 3f64.powi(cells as i32)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<B: Bits, const N: usize> Notation for Havannah<B, N> {
    fn position_text(&self, state: &Stones<B>) -> String {
        let sign = |c: usize| match state.stones.map(|set| set.has(c as u32)) {
            [true, _] => Some('X'),
            [_, true] => Some('O'),
            _ => None,
        };
        let rows: Vec<String> = self.rows().map(|row| fen::write_row(row.into_iter().map(sign))).collect();
        rows.join("/") + if state.swapped { " swapped" } else { "" }
    }

    fn parse_position(&self, text: &str) -> Result<Stones<B>, TextError> {
        let (board, swapped) = match text.trim().strip_suffix(" swapped") {
            Some(board) => (board.trim_end(), true),
            None => (text.trim(), false),
        };
        let stones = self.parse_stones(board)?;
        let [x, o] = stones.map(Bits::count);
        if x != o && x != o + 1 {
            return Err(TextError::new(format!(
                "X must have as many stones as O or one more, but there are {x} X and {o} O"
            )));
        }
        if swapped && (!self.swap || x == 0) {
            return Err(TextError::new("nobody can have swapped here"));
        }
        let state = Stones { stones, count: (x + o) as u16, swapped, won: false };
        let last = stones[1 - state.colour()];
        let won = self.has_won(last);
        let without_last = || last.cells().any(|c| !self.has_won(last ^ B::bit(c)));
        if self.has_won(stones[state.colour()]) || won && !without_last() {
            return Err(TextError::new("the game was over before the last stone was placed"));
        }
        Ok(Stones { won, ..state })
    }

    fn move_text(&self, _: &Stones<B>, mv: Move) -> String {
        match mv {
            Move::Place(cell) => self.name(cell),
            Move::Swap => "swap".into(),
        }
    }

    fn drawing(&self, state: &Stones<B>) -> Drawing {
        let cell = |c: usize| match state.stones.map(|set| set.has(c as u32)) {
            [true, _] => Cell::Stone(Player::FIRST),
            [_, true] => Cell::Stone(Player::SECOND),
            _ => Cell::Empty,
        };
        let rows: Vec<Vec<usize>> = self.rows().collect();
        let height = rows.len();
        let drawing = Drawing {
            shape: Shape::Hex,
            sides: Sides::Hexagon,
            swapped: state.swapped,
            indents: rows.iter().map(|row| height - row.len()).collect(),
            row_labels: rows.iter().map(|row| self.name(row[0] as u16)).collect(),
            ..Drawing::square(rows.iter().map(|row| row.iter().map(|&c| cell(c)).collect()).collect())
        };
        let drawing = drawing.with_note("each row begins with the cell named at its left; letters go on to the right");
        if state.swapped { drawing.with_note("the players have exchanged colours") } else { drawing }
    }
}

impl<B: Bits, const N: usize> Symmetric for Havannah<B, N> {
    fn symmetries(&self) -> usize {
        self.images.len()
    }

    fn transform(&self, state: &Stones<B>, index: usize) -> Stones<B> {
        let images = &self.images[index];
        let image = |set: B| set.cells().fold(B::none(), |image, c| image | B::bit(images[c as usize].into()));
        Stones { stones: state.stones.map(image), ..*state }
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        match mv {
            Move::Place(cell) => Move::Place(self.images[index][cell as usize]),
            Move::Swap => Move::Swap,
        }
    }
}

impl<B: Bits, const N: usize> Playouts for Havannah<B, N> {
    fn random_move(
        &self,
        state: &Stones<B>,
        _: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Move, ZeroSum> {
        if let Status::Over(payoff) = self.status(state) {
            return Err(payoff);
        }
        let free = self.cells() - usize::from(state.count);
        let choice = below(free + usize::from(self.can_swap(state)));
        Ok(if choice == free { Move::Swap } else { Move::Place(self.free(state).nth(choice as u32) as u16) })
    }

    /// With links, and a list of the free cells, from which one is drawn faster than from a set.
    fn playout(
        &self,
        mut state: Stones<B>,
        most: u32,
        moves: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        if let Status::Over(payoff) = self.status(&state) {
            return (Some(payoff), 0);
        }
        moves.clear();
        moves.extend(self.free(&state).cells().map(|cell| Move::Place(cell as u16)));
        let mut links = self.links(&state);
        let mut choices = self.bundles.begin();
        for ply in 1..=most {
            if self.can_swap(&state) && below(moves.len() + 1) == 0 {
                state.swapped = true;
                continue;
            }
            let Move::Place(cell) = moves.swap_remove(choices.next(moves.len(), below)) else {
                unreachable!("swapping is not on the list")
            };
            if self.join(&mut links, state.colour(), cell) {
                return (Some(ZeroSum::win_for(state.player(state.colour()))), ply);
            }
            if moves.is_empty() {
                return (Some(ZeroSum::draw()), ply);
            }
            state.count += 1;
        }
        (None, most)
    }
}

impl<B: Bits, const N: usize> Heuristic for Havannah<B, N> {
    /// Large groups that touch corners and sides.
    fn heuristic(&self, state: &Stones<B>) -> f32 {
        let [first, second] = state.stones.map(|stones| self.strength(stones));
        let lead = (first - second) / (20.0 * self.base as f32);
        let value = lead.tanh() * 0.9;
        Estimate::from_fn(|player| if player == state.player(0) { value } else { -value })
    }
}

impl<B: Bits, const N: usize> Features for Havannah<B, N> {
    fn layout(&self) -> Option<Layout> {
        Some(Layout {
            lattice: Lattice::Hexagonal,
            cells: self.places.iter().map(|&(x, y)| (x as i16, y as i16)).collect(),
            values: 3,
            numbers: &["the mover may take over the stone"],
        })
    }

    fn cell_values(&self, state: &Stones<B>, out: &mut Vec<u8>) {
        let colour = state.colour();
        board::push_owners(0..self.cells() as u32, state.stones[colour], state.stones[1 - colour], out);
    }

    fn numbers(&self, state: &Stones<B>, out: &mut Vec<f32>) {
        out.push(f32::from(u8::from(self.can_swap(state))));
    }

    fn viewer(&self, state: &Stones<B>) -> Player {
        state.player(state.colour())
    }
}
impl<B: Bits, const N: usize> SolverHints for Havannah<B, N> {}
impl<B: Bits, const N: usize> OrderingHints for Havannah<B, N> {}
impl<B: Bits, const N: usize> Persist for Havannah<B, N> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::{dice, ends_as_move_by_move};

    fn over(game: &Havannah<u64, 64>, moves: &str) -> Option<Player> {
        let mut state = game.start();
        for text in moves.split(' ') {
            let mv = game.parse_move(&state, text).unwrap();
            game.play(&mut state, mv);
        }
        match game.status(&state) {
            Status::Over(payoff) => Player::all(2).find(|&p| payoff == ZeroSum::win_for(p)),
            Status::Turn(_) => None,
        }
    }

    #[test]
    fn the_three_ways_to_win() {
        let game = Havannah::<u64, 64>::new(4, false);
        // A bridge along the bottom side: a1 and d1 are corners.
        assert_eq!(over(&game, "a1 d4 b1 c4 c1 e4 d1"), Some(Player::FIRST));
        assert_eq!(over(&game, "a1 d4 b1 c4 c1 e4"), None);
        // A ring round the empty centre, then one round a stone of its own.
        assert_eq!(over(&game, "d5 a1 e5 b1 e4 g7 d3 f7 c3 a4 c4"), Some(Player::FIRST));
        assert_eq!(over(&game, "d5 a1 e5 b1 e4 g7 d3 f7 c3 a4 d4 a3 c4"), Some(Player::FIRST));
    }

    /// The three ways to win as the rules put them.
    fn won_by_the_rules(game: &Havannah<u64, 64>, stones: u64) -> bool {
        let beside = |c: u32| {
            game.neighbours[c as usize].iter().filter(|&&n| usize::from(n) < game.cells()).map(|&n| u32::from(n))
        };
        let flood = |from: u64, within: u64| {
            let mut reached = from & within;
            loop {
                let more = reached.cells().flat_map(beside).fold(reached, |set, n| set | 1 << n) & within;
                if more == reached {
                    return reached;
                }
                reached = more;
            }
        };
        let joined = stones.cells().any(|c| {
            let group = flood(1 << c, stones);
            let touched = group.cells().fold(0, |t, c| t | game.touches[c as usize]);
            (touched & CORNERS).count_ones() >= 2 || (touched & SIDES).count_ones() >= 3
        });
        let rim = (0..game.cells() as u32).filter(|&c| beside(c).count() < 6).fold(0u64, |set, c| set | 1 << c);
        let others = game.all & !stones;
        let enclosed = others != flood(rim, others);
        let full = |c: u32| beside(c).count() == 6 && beside(c).all(|n| stones.has(n));
        joined || enclosed || stones.cells().any(full)
    }

    #[test]
    fn wins_are_found_when_the_rules_say_so() {
        let game = Havannah::<u64, 64>::new(5, false);
        let mut below = dice();
        for _ in 0..300 {
            let mut state = game.start();
            while let Ok(mv) = game.random_move(&state, &mut Vec::new(), &mut below) {
                let colour = state.colour();
                game.play(&mut state, mv);
                assert_eq!(state.won, won_by_the_rules(&game, state.stones[colour]), "{}", game.position_text(&state));
            }
        }
    }

    #[test]
    fn playouts_follow_the_rules() {
        let game = Havannah::<u64, 64>::new(3, true);
        for position in ["3/4/5/4/3", "3/4/2X2/4/3", "3/4/2X2/4/3 swapped", "X1X/O1O1/5/4/3"] {
            ends_as_move_by_move(&game, &game.parse_position(position).unwrap(), 100);
        }
        ends_as_move_by_move(&game, &game.start(), 10);
        let game = Havannah::<u64, 64>::new(5, false);
        ends_as_move_by_move(&game, &game.start(), 100);
    }

    #[test]
    fn corners_belong_to_no_side() {
        let game = Havannah::<u64, 64>::new(4, false);
        let of = |touched: u16| game.touches.iter().filter(|&&t| t == touched | ROOT).count();
        for i in 0..6 {
            assert_eq!((of(1 << i), of(1 << (6 + i))), (1, 2));
        }
        assert_eq!(of(0), 37 - 6 - 12);
    }
}
