//! Clobber: take an orthogonally adjacent enemy stone by stepping onto it; who cannot move loses.
//!
//! The board starts full, in a chequered pattern with the first player's stone on `a1`. Every move removes a stone, so a
//! game takes fewer moves than there are cells. A move is written as its two cells: `a1a2`.

use perfectplay_core::{Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Notation, OptionInfo, OrderingHints, Params, Payoff, Persist, Player, Playouts, SolverHints, Status, Symmetric, TextError, Visitor, ZeroSum};

use crate::support::bits::{Bits, Wide};
use crate::support::grid::{DIRECTIONS, Grid, SIGNS, Step, split_mover, where_is};

/// Name and parameters.
pub const INFO: GameInfo = GameInfo {
    name: "clobber",
    summary: "take an adjacent enemy stone; who cannot loses",
    players: "2",
    parameters: &[OptionInfo {
        name: "COLUMNSxROWS",
        meaning: "size of the board, also columns=…,rows=…; at most 256 cells",
        default: "10x10",
    }],
    examples: &["clobber:3x4", "clobber:5x6", "clobber:10x10"],
    rules: "The board starts full, stones of both players in a chequered pattern, the first player's on `a1`. A move takes one of \
one's own stones onto an orthogonally adjacent enemy stone, which leaves the board. Who cannot move loses.

Positions are written row by row from the top: `x` for the first player, `o` for the second, numbers for runs of empty cells, \
then who moves. Any position is accepted, as analysis of single regions needs it. A move is its two cells: `a1a2`.",
    sources: &["M. Albert, J. P. Grossman, R. Nowakowski, D. Wolfe, An Introduction to Clobber, Integers 5(2) (2005)"],
};

/// Builds the board type that fits the size.
pub fn open<V: Visitor>(mut params: Params, visitor: V) -> Result<V::Output, TextError> {
    let [columns, rows] = params.take_sizes(["columns", "rows"], 1..=64, [10, 10])?;
    params.finish(INFO.name, INFO.parameters)?;
    let (w, h) = (columns as u32, rows as u32);
    match w * h {
        ..=64 => Ok(visitor.zero_sum(Clobber::<u64>::new(w, h))),
        65..=128 => Ok(visitor.zero_sum(Clobber::<u128>::new(w, h))),
        129..=256 => Ok(visitor.zero_sum(Clobber::<Wide<4>>::new(w, h))),
        cells => Err(TextError::new(format!("a board of {w}x{h} has {cells} cells, at most 256 are possible"))),
    }
}

/// The rules on a board of this size.
#[derive(Clone, Debug)]
pub struct Clobber<B> {
    grid: Grid,
    steps: [Step<B>; 4],
}

/// Who stands where and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stones<B> {
    /// The first player's stones, then the second's.
    pub of: [B; 2],
    /// Who moves.
    pub mover: Player,
}

/// A stone goes `from` … `to`, where an enemy stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Take {
    /// Where the stone was.
    pub from: u8,
    /// Where it goes.
    pub to: u8,
}

impl<B: Bits> Stones<B> {
    fn mine(&self) -> B {
        self.of[self.mover.index()]
    }

    fn theirs(&self) -> B {
        self.of[1 - self.mover.index()]
    }
}

impl<B: Bits> Clobber<B> {
    /// The rules on `width` columns of `height` rows.
    ///
    /// # Panics
    /// If the board does not fit into `B`.
    pub fn new(width: u32, height: u32) -> Self {
        assert!(width > 0 && height > 0 && width * height <= B::BITS, "{width}x{height} does not fit");
        let grid = Grid::new(width, height);
        let steps = std::array::from_fn(|d| grid.step(DIRECTIONS[d]));
        Clobber { grid, steps }
    }

    /// The cells next to `set`.
    fn beside(&self, set: B) -> B {
        self.steps.iter().fold(B::none(), |all, step| all | step.of(set))
    }
}

impl<B: Bits> Game for Clobber<B> {
    type State = Stones<B>;
    type Move = Take;
    type Payoff = ZeroSum;
    type Key = Stones<B>;

    fn start(&self) -> Stones<B> {
        let colour = |c: u32| (c % self.grid.width + c / self.grid.width) % 2;
        let stones = |p| (0..self.grid.cells()).filter(|&c| colour(c) == p).fold(B::none(), |s, c| s | B::bit(c));
        Stones { of: [stones(0), stones(1)], mover: Player::FIRST }
    }

    fn expand(&self, stones: &Stones<B>, moves: &mut Vec<Take>) -> Status<ZeroSum> {
        let (mine, theirs) = (stones.mine(), stones.theirs());
        let before = moves.len();
        for (step, (columns, rows)) in self.steps.iter().zip(DIRECTIONS) {
            let back = -(rows * self.grid.width as i32 + columns);
            let taken = (step.of(mine) & theirs).cells();
            moves.extend(taken.map(|to| Take { from: (to as i32 + back) as u8, to: to as u8 }));
        }
        if moves.len() == before {
            return Status::Over(ZeroSum::win_for(stones.mover.opponent()));
        }
        Status::Turn(stones.mover)
    }

    fn status(&self, stones: &Stones<B>) -> Status<ZeroSum> {
        if (self.beside(stones.mine()) & stones.theirs()).is_none() {
            return Status::Over(ZeroSum::win_for(stones.mover.opponent()));
        }
        Status::Turn(stones.mover)
    }

    fn play(&self, stones: &mut Stones<B>, take: Take) {
        let (from, to) = (B::bit(take.from.into()), B::bit(take.to.into()));
        let me = stones.mover.index();
        stones.of[me] = stones.of[me] ^ (from | to);
        stones.of[1 - me] = stones.of[1 - me] ^ to;
        stones.mover = stones.mover.opponent();
    }

    fn key(&self, stones: &Stones<B>) -> Stones<B> {
        *stones
    }

    fn facts(&self) -> Facts {
        let cells = self.grid.cells();
        Facts {
            outcomes: Some(vec![-1, 1]),
            length: Some(cells - 1),
            states: Some(2.0 * 3f64.powi(cells as i32)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<B: Bits> Notation for Clobber<B> {
    /// Rows from the top, `x` for the first player, `o` for the second, numbers for runs of empty cells, then who moves.
    fn position_text(&self, stones: &Stones<B>) -> String {
        let sign = |c| if stones.of[0].has(c) { Some('x') } else { stones.of[1].has(c).then_some('o') };
        format!("{} {}", self.grid.write(sign), SIGNS[stones.mover.index()])
    }

    fn parse_position(&self, text: &str) -> Result<Stones<B>, TextError> {
        let (board, mover) = split_mover(text, SIGNS)?;
        let board = self.grid.read(board, "xo")?;
        Ok(Stones { of: [where_is(&board, 'x'), where_is(&board, 'o')], mover })
    }

    fn move_text(&self, _: &Stones<B>, take: Take) -> String {
        self.grid.name(take.from.into()) + &self.grid.name(take.to.into())
    }

    fn drawing(&self, stones: &Stones<B>) -> Drawing {
        self.grid.draw(|c| match [0, 1].map(|p: usize| stones.of[p].has(c)) {
            [true, _] => Cell::Stone(Player::FIRST),
            [_, true] => Cell::Stone(Player::SECOND),
            _ => Cell::Empty,
        })
    }
}

impl<B: Bits> Symmetric for Clobber<B> {
    fn symmetries(&self) -> usize {
        self.grid.symmetries()
    }

    fn transform(&self, stones: &Stones<B>, index: usize) -> Stones<B> {
        Stones { of: stones.of.map(|set| self.grid.image_of(set, index)), ..*stones }
    }

    fn transform_move(&self, _: &Self::State, take: Take, index: usize) -> Take {
        let image = |c: u8| self.grid.image(c.into(), index) as u8;
        Take { from: image(take.from), to: image(take.to) }
    }
}

impl<B: Bits> Playouts for Clobber<B> {}

impl<B: Bits> Heuristic for Clobber<B> {
    /// Both players always have the same number of moves; what differs is how many stones can still come to them: those
    /// joined, through stones of any colour, to an enemy.
    fn heuristic(&self, stones: &Stones<B>) -> f32 {
        let [x, o] = stones.of;
        let mut live = (self.beside(x) & o) | (self.beside(o) & x);
        loop {
            let grown = live | (self.beside(live) & (x | o));
            if grown == live {
                break;
            }
            live = grown;
        }
        let reserve = (live & x).count() as f32 - (live & o).count() as f32;
        Estimate::from_fn(|_| (reserve / 4.0).tanh() * 0.9)
    }
}

impl<B: Bits> Features for Clobber<B> {}
impl<B: Bits> SolverHints for Clobber<B> {}
impl<B: Bits> OrderingHints for Clobber<B> {}
impl<B: Bits> Persist for Clobber<B> {}
