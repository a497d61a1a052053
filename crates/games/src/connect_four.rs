//! Connect Four: drop a stone into a column; four in a row win.
//!
//! Any width × height. A column takes one bit per row and one guard bit on top, so that lines cannot run from one
//! column into the next:
//!
//! ```text
//!   .  .  .  .        guard row
//!   3  8 13 18
//!   2  7 12 17        bit = column · (height + 1) + row,  here 4×4
//!   1  6 11 16
//!   0  5 10 15
//! ```
//!
//! The score is the number of stones the winner has left, counting the winning stone as played: positive if the first
//! player wins, 0 for a draw. It is the score of the well-known test sets, there seen from the player to move.

use perfectplay_core::{
    Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Layout, Look, Notation, OptionSet,
    OrderingHints, Params, Payoff, Persist, Player, Playouts, Sizes, SolverHints, Spec, Status, Successor, Symmetric,
    TextError, Visitor, ZeroSum, options, plain_struct,
};

use crate::support::bits::{Bits, Wide};
use crate::support::{board, fen};

mod insight;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "connect-four",
    summary: "drop stones into columns, four in a row win",
    players: "2",
    parameters: Parameters::docs,
    examples: &["connect-four:4x4", "connect-four:5x4", "connect-four:7x6"],
    rules:
        "The players take turns to drop a stone of theirs into a column that is not full; it falls to the lowest free \
cell. Four stones of one player in a row, upright, level or slanting, win. A full board without them is a draw.

The score is the number of stones the winner has not played yet, so faster wins score more.",
    sources: &[
        "J. Allen, Expert Play in Connect-Four (1990): the 7x6 board is a win for the first player",
        "J. Tromp, John's Connect Four Playground: values of other sizes",
    ],
};

options! {
    struct Parameters {
        size: [u64; 2] =
            Sizes::new(["columns", "rows"], "size of the board, columns × (rows + 1) at most 256", 1..=64, [7, 6]),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size } = Parameters::read(INFO.name, params)?;
    let [w, h] = size.map(|n| n as u32);
    match w * (h + 1) {
        49 if h == 6 => Ok(visitor.zero_sum(ConnectFour::<u64, 6>::with_size(w, h))),
        ..=64 => Ok(visitor.zero_sum(ConnectFour::<u64>::new(w, h))),
        65..=128 => Ok(visitor.zero_sum(ConnectFour::<u128>::new(w, h))),
        129..=256 => Ok(visitor.zero_sum(ConnectFour::<Wide<4>>::new(w, h))),
        bits => Err(TextError::new(format!(
            "a board of {w}x{h} is too large: columns × (rows + 1) is {bits}, at most 256 is possible"
        ))),
    }
}

/// The game on the standard board, if that is what `spec` names.
pub(crate) fn standard(spec: &Spec) -> Option<ConnectFour<u64, 6>> {
    (named_size(spec)? == [7, 6]).then(|| ConnectFour::with_size(7, 6))
}

/// The game on a board of up to 64 bits, if that is what `spec` names.
pub(crate) fn small(spec: &Spec) -> Option<ConnectFour<u64>> {
    let [width, height] = named_size(spec)?;
    (width * (height + 1) <= 64).then(|| ConnectFour::new(width as u32, height as u32))
}

fn named_size(spec: &Spec) -> Option<[u64; 2]> {
    (spec.name == INFO.name).then(|| Parameters::read(INFO.name, spec.params.clone()).ok())?.map(|given| given.size)
}

/// The rules on a board of this size.
///
/// If `HEIGHT` is not 0, it is the height, known to the compiler: shifts by constants make the standard board faster.
#[derive(Clone, Debug)]
pub struct ConnectFour<B, const HEIGHT: u32 = 0> {
    width: u32,
    height: u32,
    full: B,
    bottom: B,
    /// Cells from which an even number of cells, themselves included, leads to the top.
    leaders: B,
}

/// Who stands where. The number of stones says who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stones<B> {
    /// The stones of the player to move.
    pub mine: B,
    /// All stones.
    pub all: B,
}

plain_struct!(impl[B: Bits] Stones<B> { mine: B, all: B });

impl<B: Bits> Stones<B> {
    /// The stones of the player who moved last.
    pub fn theirs(self) -> B {
        self.mine ^ self.all
    }

    fn mover(self) -> Player {
        Player::new((self.all.count() % 2) as usize)
    }
}

impl<B: Bits> ConnectFour<B> {
    /// The rules on `width` columns of `height` rows.
    ///
    /// # Panics
    /// If the board with its guard row does not fit into `B`.
    pub fn new(width: u32, height: u32) -> Self {
        Self::with_size(width, height)
    }
}

impl<B: Bits, const HEIGHT: u32> ConnectFour<B, HEIGHT> {
    /// The rules on `width` columns of `height` rows, for any `HEIGHT`.
    ///
    /// # Panics
    /// If the board with its guard row does not fit into `B`, or `HEIGHT` is neither 0 nor `height`.
    pub fn with_size(width: u32, height: u32) -> Self {
        assert!(width > 0 && height > 0 && width * (height + 1) <= B::BITS, "{width}x{height} does not fit");
        assert!(HEIGHT == 0 || HEIGHT == height, "a board of {HEIGHT} rows has not {height}");
        let bottom = (0..width).fold(B::none(), |set, c| set | B::bit(c * (height + 1)));
        let rows = |first, step| (first..height).step_by(step).fold(B::none(), |set, r| set | bottom << r);
        ConnectFour { width, height, full: rows(0, 1), bottom, leaders: rows(height % 2, 2) }
    }

    #[inline]
    fn height(&self) -> u32 {
        if HEIGHT == 0 { self.height } else { HEIGHT }
    }

    /// Whether `stones` hold four in a row.
    #[inline]
    fn has_four(&self, stones: B) -> bool {
        let guard = self.height() + 1;
        // Four cells span three steps; where the board is too small for that, there is no such line (and no such
        // shift).
        [1, guard, guard - 1, guard + 1].into_iter().any(|step| {
            3 * step < B::BITS && {
                let pairs = stones & stones >> step;
                !(pairs & pairs >> (2 * step)).is_none()
            }
        })
    }

    /// The score of a win with the last of `stones` stones.
    fn winners_score(&self, stones: u32) -> i32 {
        ((self.width * self.height() + 2 - stones) / 2) as i32
    }

    fn cell(&self, stones: Stones<B>, column: u32, row: u32) -> Cell {
        let bit = column * (self.height() + 1) + row;
        match (stones.all.has(bit), stones.mine.has(bit)) {
            (false, _) => Cell::Empty,
            (true, true) => Cell::Stone(stones.mover()),
            (true, false) => Cell::Stone(stones.mover().opponent()),
        }
    }

    /// Whether the last stone can have been the one that ended the game: without it nobody has four.
    fn could_end_here(&self, stones: Stones<B>) -> bool {
        (0..self.width).any(|c| {
            let column = stones.all & self.column(c);
            let Some(top) = column.cells().last() else { return false };
            stones.theirs().has(top) && !self.has_four(stones.theirs() ^ B::bit(top))
        })
    }

    fn column(&self, column: u32) -> B {
        (0..self.height()).fold(B::none(), |set, r| set | B::bit(column * (self.height() + 1) + r))
    }
}

impl<B: Bits, const HEIGHT: u32> Game for ConnectFour<B, HEIGHT> {
    type State = Stones<B>;
    type Move = u8;
    type Payoff = ZeroSum;
    type Key = B;

    fn start(&self) -> Stones<B> {
        Stones { mine: B::none(), all: B::none() }
    }

    #[inline]
    fn expand(&self, stones: &Stones<B>, moves: &mut Vec<u8>) -> Status<ZeroSum> {
        let status = self.status(stones);
        if let Status::Turn(_) = status {
            moves.extend(self.playable(stones.all).cells().map(|cell| (cell / (self.height() + 1)) as u8));
        }
        status
    }

    #[inline]
    fn status(&self, stones: &Stones<B>) -> Status<ZeroSum> {
        if self.has_four(stones.theirs()) {
            let score = self.winners_score(stones.all.count());
            Status::Over(ZeroSum(if stones.mover() == Player::FIRST { -score } else { score }))
        } else if stones.all == self.full {
            Status::Over(ZeroSum::draw())
        } else {
            Status::Turn(stones.mover())
        }
    }

    #[inline]
    fn play(&self, stones: &mut Stones<B>, column: u8) {
        stones.mine = stones.theirs();
        let bottom = B::bit(u32::from(column) * (self.height() + 1));
        stones.all = stones.all | stones.all.plus(bottom);
    }

    /// Within a column of height h, stones of the mover plus all stones is a number from 2^h - 1 to 2^(h+1) - 2: one
    /// number per filling, and no carry into the next column.
    #[inline]
    fn key(&self, stones: &Stones<B>) -> B {
        stones.mine.plus(stones.all)
    }

    fn facts(&self) -> Facts {
        let cells = self.width * self.height();
        let (best, worst) = (self.winners_score(7.min(cells)), -self.winners_score(8.min(cells)));
        Facts {
            scores: vec![(worst, best), (-best, -worst)],
            outcomes: Some((worst..=best).collect()),
            length: Some(cells),
            states: Some((2f64.powi(self.height() as i32 + 1) - 1.0).powi(self.width as i32)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<B: Bits, const HEIGHT: u32> Notation for ConnectFour<B, HEIGHT> {
    /// Rows from the top, `X` for the first player, `O` for the second, numbers for runs of empty cells:
    /// `7/7/7/7/3O3/3X3`.
    fn position_text(&self, stones: &Stones<B>) -> String {
        let rows = (0..self.height()).rev().map(|r| {
            let cells = (0..self.width).map(|c| match self.cell(*stones, c, r) {
                Cell::Stone(Player::FIRST) => Some('X'),
                Cell::Stone(_) => Some('O'),
                _ => None,
            });
            fen::write_row(cells)
        });
        rows.collect::<Vec<_>>().join("/")
    }

    fn parse_position(&self, text: &str) -> Result<Stones<B>, TextError> {
        let rows = fen::parse_rows(text, self.width as usize, self.height() as usize, "XO")?;
        let (mut first, mut second) = (B::none(), B::none());
        for (row, cells) in rows.iter().rev().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                let Some(sign) = cell else { continue };
                let bit = B::bit(column as u32 * (self.height() + 1) + row as u32);
                if row > 0 && !(first | second).has(column as u32 * (self.height() + 1) + row as u32 - 1) {
                    return Err(TextError::new(format!(
                        "the stone in column {}, row {} hangs in the air",
                        column + 1,
                        row + 1
                    )));
                }
                *(if *sign == 'X' { &mut first } else { &mut second }) =
                    bit | if *sign == 'X' { first } else { second };
            }
        }
        let (x, o) = (first.count(), second.count());
        if x != o && x != o + 1 {
            return Err(TextError::new(format!(
                "X must have as many stones as O or one more, but there are {x} X and {o} O"
            )));
        }
        let mine = if x == o { first } else { second };
        let stones = Stones { mine, all: first | second };
        if self.has_four(stones.mine) || self.has_four(stones.theirs()) && !self.could_end_here(stones) {
            return Err(TextError::new("the game was over before the last stone was played"));
        }
        Ok(stones)
    }

    fn move_text(&self, _: &Stones<B>, column: u8) -> String {
        (column + 1).to_string()
    }

    fn drawing(&self, stones: &Stones<B>) -> Drawing {
        let rows =
            (0..self.height()).rev().map(|r| (0..self.width).map(|c| self.cell(*stones, c, r)).collect()).collect();
        Drawing { column_labels: (1..=self.width).map(|c| c.to_string()).collect(), ..Drawing::square(rows) }
            .with_look(Look::Wall)
    }
}

impl<B: Bits, const HEIGHT: u32> Symmetric for ConnectFour<B, HEIGHT> {
    fn symmetries(&self) -> usize {
        2
    }

    fn transform(&self, stones: &Stones<B>, index: usize) -> Stones<B> {
        if index == 0 {
            return *stones;
        }
        let mirror = |set: B| {
            let column = self.column(0);
            let columns = (0..self.width)
                .map(|c| (set >> (c * (self.height() + 1)) & column) << ((self.width - 1 - c) * (self.height() + 1)));
            columns.fold(B::none(), |all, c| all | c)
        };
        Stones { mine: mirror(stones.mine), all: mirror(stones.all) }
    }

    fn transform_move(&self, _: &Self::State, column: u8, index: usize) -> u8 {
        if index == 0 { column } else { self.width as u8 - 1 - column }
    }
}

impl<B: Bits, const HEIGHT: u32> Playouts for ConnectFour<B, HEIGHT> {}

impl<B: Bits, const HEIGHT: u32> Heuristic for ConnectFour<B, HEIGHT> {
    /// Cells that would complete a four: more of them is better.
    fn heuristic(&self, stones: &Stones<B>) -> f32 {
        let empty = self.full & !stones.all;
        let mine = self.threats(stones.mine, empty).count() as f32;
        let theirs = self.threats(stones.theirs(), empty).count() as f32;
        let movers = ((mine - theirs) / 4.0).tanh() * 0.9;
        Estimate::from_fn(|p| if p == stones.mover() { movers } else { -movers })
    }
}

impl<B: Bits, const HEIGHT: u32> Features for ConnectFour<B, HEIGHT> {
    fn layout(&self) -> Option<Layout> {
        Some(board::layout(self.width, self.height(), 4, &[]))
    }

    /// 3 where the next stone of a column will lie.
    fn cell_values(&self, stones: &Stones<B>, out: &mut Vec<u8>) {
        let cells = (0..self.height()).flat_map(|r| (0..self.width).map(move |c| c * (self.height() + 1) + r));
        let playable = self.playable(stones.all);
        board::push_owners(cells, stones.mine | playable, stones.theirs() | playable, out);
    }

    fn viewer(&self, stones: &Stones<B>) -> Player {
        stones.mover()
    }
}

impl<B: Bits, const HEIGHT: u32> SolverHints for ConnectFour<B, HEIGHT> {
    fn score_bounds(&self, stones: &Stones<B>) -> (i32, i32) {
        match self.status(stones) {
            Status::Over(ZeroSum(score)) => (score, score),
            Status::Turn(_) => self.insight(*stones).bounds(self),
        }
    }

    fn solver_successors(
        &self,
        stones: &Stones<B>,
        _: &mut Vec<u8>,
        successors: &mut Vec<Successor<Stones<B>, u8>>,
    ) -> Status<ZeroSum> {
        // The solver hears of every end before it comes, from the bounds.
        debug_assert!(matches!(self.status(stones), Status::Turn(_)));
        self.ordered(*stones, successors);
        Status::Turn(stones.mover())
    }

    fn exact_index_bits(&self) -> u32 {
        match self.width * (self.height() + 1) {
            bits @ ..=64 => bits,
            _ => 0,
        }
    }

    fn exact_index(&self, stones: &Stones<B>) -> u64 {
        self.mirrored_key(*stones).low_word()
    }
}

impl<B: Bits, const HEIGHT: u32> OrderingHints for ConnectFour<B, HEIGHT> {
    /// Threats that the move makes.
    fn order_score(&self, stones: &Stones<B>, column: u8) -> i32 {
        let bottom = B::bit(u32::from(column) * (self.height() + 1));
        let stone = stones.all.plus(bottom) & !stones.all;
        self.threats(stones.mine | stone, self.full & !stones.all).count() as i32
    }

    /// The cell.
    fn history_index(&self, stones: &Stones<B>, column: u8) -> usize {
        let bottom = B::bit(u32::from(column) * (self.height() + 1));
        (stones.all.plus(bottom) & !stones.all).lowest() as usize
    }
}

impl<B: Bits, const HEIGHT: u32> Persist for ConnectFour<B, HEIGHT> {}
