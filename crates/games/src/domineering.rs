//! Domineering: one player covers two cells above each other, the other two cells side by side; who cannot loses.
//!
//! A move is written as its two cells, the lower or left one first: `a1a2` is vertical, `a1b1` horizontal. A position
//! says only which cells are covered (`#`), so any shape of board can be analysed: cover what does not belong to it.

use perfectplay_core::{
    Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Layout, Notation, OptionSet, OrderingHints,
    Params, Payoff, Persist, Plain, Player, Playouts, Setting, Sizes, SolverHints, Status, Symmetric, TextError,
    Visitor, ZeroSum, options, plain_struct,
};

use crate::support::bits::{Bits, Wide};
use crate::support::board;
use crate::support::grid::{Grid, Step, split_mover, where_is};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "domineering",
    summary: "cover two cells, one player upright, the other across; who cannot loses",
    players: "2",
    parameters: Parameters::docs,
    examples: &["domineering:4x4", "domineering:5x5", "domineering:8x8"],
    rules: "One player covers two free cells above each other with a domino, the other two free cells side by side. \
Who cannot move loses. With `first=horizontal` the player of horizontal dominoes begins.

Positions are written row by row from the top, `#` for covered cells and numbers for runs of free ones, then who \
moves: `v` or `h`. Any set of cells may be covered, so boards of any shape can be analysed. A move is its two cells: \
`a1a2` or `a1b1`.",
    sources: &[
        "D. Breuker, J. Uiterwijk, J. van den Herik, Solving 8x8 Domineering, Theoretical Computer Science 230 (2000)",
        "N. Bullock, Domineering: Solving Large Combinatorial Search Spaces (2002)",
    ],
};

options! {
    struct Parameters {
        size: [u64; 2] = Sizes::new(["columns", "rows"], "size of the board, at most 256 cells", 1..=64, [8, 8]),
        first: Way = Setting::choice(
            "first",
            "how the first player covers cells",
            &[
                ("vertical", "two above each other", Way::Vertical),
                ("horizontal", "two side by side", Way::Horizontal),
            ],
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size, first } = Parameters::read(INFO.name, params)?;
    let [w, h] = size.map(|n| n as u32);
    match w * h {
        ..=64 => Ok(visitor.zero_sum(Domineering::<u64>::new(w, h, first))),
        65..=127 => Ok(visitor.zero_sum(Domineering::<u128>::new(w, h, first))),
        128..=256 => Ok(visitor.zero_sum(Domineering::<Wide<5>>::new(w, h, first))),
        cells => Err(TextError::new(format!("a board of {w}x{h} has {cells} cells, at most 256 are possible"))),
    }
}

/// How a player lays dominoes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Two cells above each other.
    Vertical,
    /// Two cells side by side.
    Horizontal,
}

/// The rules on a board of this size.
#[derive(Clone, Debug)]
pub struct Domineering<B> {
    grid: Grid,
    full: B,
    first: Way,
    /// From the second cell of a domino back to its first, for each player.
    back: [Step<B>; 2],
    /// From the first cell of a domino to its second, as a difference, for each player.
    ahead: [u32; 2],
}

/// What is covered and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cover<B> {
    /// The covered cells.
    pub covered: B,
    /// Who moves.
    pub mover: Player,
}

impl<B: Bits> Cover<B> {
    /// Whether the mover takes a byte beside the set; else the highest bit. Small keys have room for it, large ones do
    /// not.
    const APART: bool = B::BITS <= 64;
}

impl<B: Bits> Plain for Cover<B> {
    const SIZE: usize = B::SIZE + Self::APART as usize;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        if Self::APART {
            (self.covered, self.mover).put(out);
        } else if self.mover == Player::FIRST {
            self.covered.put(out);
        } else {
            (self.covered | B::bit(B::BITS - 1)).put(out);
        }
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        if Self::APART {
            return <(B, Player)>::take(bytes).map(|(covered, mover)| Cover { covered, mover });
        }
        let (set, last) = (B::take(bytes)?, B::BITS - 1);
        Some(Cover { covered: set & !B::bit(last), mover: Player::new(set.has(last).into()) })
    }
}

/// The two cells of a domino.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domino {
    /// The lower or left one.
    pub low: u8,
    /// The upper or right one.
    pub high: u8,
}

plain_struct!(impl[] Domino { low: u8, high: u8 });

impl<B: Bits> Domineering<B> {
    /// The rules on `width` columns of `height` rows.
    ///
    /// # Panics
    /// If the board does not fit into `B`.
    pub fn new(width: u32, height: u32, first: Way) -> Self {
        let room = if Cover::<B>::APART { B::BITS } else { B::BITS - 1 };
        assert!(width > 0 && height > 0 && width * height <= room, "{width}x{height} does not fit");
        let grid = Grid::new(width, height);
        let ways = if first == Way::Vertical { [(0, -1), (-1, 0)] } else { [(-1, 0), (0, -1)] };
        let ahead = ways.map(|(_, rows)| if rows == 0 { 1 } else { width });
        Domineering { full: grid.full(), first, back: ways.map(|way| grid.step(way)), ahead, grid }
    }

    /// The first cells of all dominoes that `player` could lay.
    fn places(&self, cover: &Cover<B>, player: Player) -> B {
        let free = self.full & !cover.covered;
        free & self.back[player.index()].of(free)
    }

    /// `v` and `h`, the first player's sign first.
    fn signs(&self) -> [&'static str; 2] {
        if self.first == Way::Vertical { ["v", "h"] } else { ["h", "v"] }
    }
}

impl<B: Bits> Game for Domineering<B> {
    type State = Cover<B>;
    type Move = Domino;
    type Payoff = ZeroSum;
    type Key = Cover<B>;

    fn start(&self) -> Cover<B> {
        Cover { covered: B::none(), mover: Player::FIRST }
    }

    fn expand(&self, cover: &Cover<B>, moves: &mut Vec<Domino>) -> Status<ZeroSum> {
        let ahead = self.ahead[cover.mover.index()];
        let places = self.places(cover, cover.mover).cells();
        moves.extend(places.map(|c| Domino { low: c as u8, high: (c + ahead) as u8 }));
        self.status(cover)
    }

    fn status(&self, cover: &Cover<B>) -> Status<ZeroSum> {
        if self.places(cover, cover.mover).is_none() {
            return Status::Over(ZeroSum::win_for(cover.mover.opponent()));
        }
        Status::Turn(cover.mover)
    }

    fn play(&self, cover: &mut Cover<B>, domino: Domino) {
        cover.covered = cover.covered | B::bit(domino.low.into()) | B::bit(domino.high.into());
        cover.mover = cover.mover.opponent();
    }

    fn key(&self, cover: &Cover<B>) -> Cover<B> {
        *cover
    }

    fn facts(&self) -> Facts {
        let cells = self.grid.cells();
        Facts {
            outcomes: Some(vec![-1, 1]),
            length: Some(cells / 2),
            states: Some(2f64.powi(cells as i32 + 1)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<B: Bits> Notation for Domineering<B> {
    /// Rows from the top, `#` for covered cells, numbers for runs of free ones, then who moves: `v` or `h`.
    fn position_text(&self, cover: &Cover<B>) -> String {
        let sign = |c| cover.covered.has(c).then_some('#');
        format!("{} {}", self.grid.write(sign), self.signs()[cover.mover.index()])
    }

    fn parse_position(&self, text: &str) -> Result<Cover<B>, TextError> {
        let (board, mover) = split_mover(text, self.signs())?;
        Ok(Cover { covered: where_is(&self.grid.read(board, "#")?, '#'), mover })
    }

    fn move_text(&self, _: &Cover<B>, domino: Domino) -> String {
        self.grid.name(domino.low.into()) + &self.grid.name(domino.high.into())
    }

    fn drawing(&self, cover: &Cover<B>) -> Drawing {
        self.grid.draw(|c| if cover.covered.has(c) { Cell::Blocked } else { Cell::Empty })
    }
}

impl<B: Bits> Symmetric for Domineering<B> {
    /// Mirrors only: turning the board by a quarter would exchange the players.
    fn symmetries(&self) -> usize {
        4
    }

    fn transform(&self, cover: &Cover<B>, index: usize) -> Cover<B> {
        Cover { covered: self.grid.image_of(cover.covered, index), ..*cover }
    }

    fn transform_move(&self, _: &Self::State, domino: Domino, index: usize) -> Domino {
        let [a, b] = [domino.low, domino.high].map(|c| self.grid.image(c.into(), index) as u8);
        Domino { low: a.min(b), high: a.max(b) }
    }
}

impl<B: Bits> Playouts for Domineering<B> {
    #[inline]
    fn random_move(
        &self,
        cover: &Cover<B>,
        _: &mut Vec<Domino>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Domino, ZeroSum> {
        let places = self.places(cover, cover.mover);
        if places.is_none() {
            return Err(ZeroSum::win_for(cover.mover.opponent()));
        }
        let low = places.nth(below(places.count() as usize) as u32);
        Ok(Domino { low: low as u8, high: (low + self.ahead[cover.mover.index()]) as u8 })
    }
}

impl<B: Bits> Heuristic for Domineering<B> {
    /// Who has more places left.
    fn heuristic(&self, cover: &Cover<B>) -> f32 {
        let places = |p| self.places(cover, p).count() as f32;
        Estimate::from_fn(|_| ((places(Player::FIRST) - places(Player::SECOND)) / 6.0).tanh() * 0.9)
    }
}

impl<B: Bits> Features for Domineering<B> {
    fn layout(&self) -> Option<Layout> {
        Some(board::layout(self.grid.width, self.grid.height, 2, &["lays upright (1) or across (-1)"]))
    }

    /// Free, covered.
    fn cell_values(&self, cover: &Cover<B>, out: &mut Vec<u8>) {
        out.extend((0..self.grid.cells()).map(|c| u8::from(cover.covered.has(c))));
    }

    fn numbers(&self, cover: &Cover<B>, out: &mut Vec<f32>) {
        let upright = (self.first == Way::Vertical) == (cover.mover == Player::FIRST);
        out.push(if upright { 1.0 } else { -1.0 });
    }

    fn viewer(&self, cover: &Cover<B>) -> Player {
        cover.mover
    }
}

impl<B: Bits> SolverHints for Domineering<B> {}
impl<B: Bits> OrderingHints for Domineering<B> {}
impl<B: Bits> Persist for Domineering<B> {}
