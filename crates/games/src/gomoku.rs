//! Gomoku: five stones in a row win. Also the rules that Connect6 shares with it.
//!
//! Free style: more than five win as well. With `opening=outer` the first stone must stand in one of the two outer rings
//! (on 15×15: 104 points), which takes away the first player's advantage.
//!
//! A state knows whether the last stone won: looking along four lines when the stone is placed is cheaper than searching
//! the whole board afterwards, and needs no memory of where the last stone was.

use perfectplay_core::{Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Notation, OptionInfo, OrderingHints, Params, Payoff, Persist, Player, Playouts, SolverHints, Status, Symmetric, TextError, Visitor, ZeroSum};

use crate::support::bits::{Bits, Wide};
use crate::support::grid::{Grid, where_is};

/// Name and parameters.
pub const INFO: GameInfo = GameInfo {
    name: "gomoku",
    summary: "five stones in a row win",
    players: "2",
    parameters: &[
        OptionInfo { name: "SIZE", meaning: "points along a side, also size=…; 3 to 19", default: "15" },
        OptionInfo {
            name: "opening",
            meaning: "free, or outer: the first stone stands in one of the two outer rings",
            default: "free",
        },
    ],
    examples: &["gomoku:5", "gomoku:15", "gomoku:15,opening=outer"],
    rules: "Players put a stone of theirs on an empty point in turn. Five or more in a straight row win; a full board without them \
is a draw. With `opening=outer` the first stone must stand in one of the two outer rings of the board.

Positions are written row by row from the top: `x` for the first player, `o` for the second, numbers for runs of empty points. Moves \
are points, `a1` in the lower left corner.",
    sources: &["L. V. Allis, H. J. van den Herik, M. P. H. Huntjens, Go-Moku Solved by New Search Techniques, Computational Intelligence 12 (1996)", "Computer Olympiad: outer-open Gomoku"],
};

/// Builds the board type that fits the size.
pub fn open<V: Visitor>(mut params: Params, visitor: V) -> Result<V::Output, TextError> {
    let size = params.take_first_number("size", 3..=19)?.unwrap_or(15) as u32;
    let outer = params.take_choice("opening", &[("free", false), ("outer", true)])?;
    params.finish(INFO.name, INFO.parameters)?;
    Ok(open_rows(Rules { size, in_a_row: 5, stones_per_turn: 1, outer }, visitor))
}

/// What tells the games of this family apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Points along a side.
    pub size: u32,
    /// So many stones in a row win; more do as well.
    pub in_a_row: u32,
    /// 1, or 2: then the first turn has one stone and every later turn two.
    pub stones_per_turn: u32,
    /// Whether the first stone must stand in one of the two outer rings.
    pub outer: bool,
}

pub(crate) fn open_rows<V: Visitor>(rules: Rules, visitor: V) -> V::Output {
    match rules.size * rules.size {
        ..=64 => visitor.zero_sum(InARow::<u64>::new(rules)),
        65..=128 => visitor.zero_sum(InARow::<u128>::new(rules)),
        129..=256 => visitor.zero_sum(InARow::<Wide<4>>::new(rules)),
        _ => visitor.zero_sum(InARow::<Wide<6>>::new(rules)),
    }
}

/// Stones in a row on a square board.
#[derive(Clone, Debug)]
pub struct InARow<B> {
    rules: Rules,
    grid: Grid,
    full: B,
    /// Where the first stone may stand.
    opening: B,
    /// Four lines through every point, each as the next points one way and the other; [`OFF`] beyond the edge.
    next: Vec<[[u16; 2]; 4]>,
    /// Every place for a winning row.
    rows: Vec<B>,
}

const OFF: u16 = u16::MAX;

/// Who stands where. The number of stones says who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stones<B> {
    /// The first player's stones, then the second's.
    pub of: [B; 2],
    /// How many stones there are.
    count: u16,
    /// Whether the last stone completed a row.
    won: bool,
}

impl<B: Bits> InARow<B> {
    /// The game with these rules.
    ///
    /// # Panics
    /// If the board does not fit into `B`.
    pub fn new(rules: Rules) -> Self {
        let size = rules.size;
        assert!(size > 0 && size * size <= B::BITS, "{size}x{size} does not fit");
        let grid = Grid::new(size, size);
        let lines = [(1, 0), (0, 1), (1, 1), (1, -1)];
        let next = |cell, (columns, rows): (i32, i32)| {
            [(columns, rows), (-columns, -rows)].map(|way| grid.moved(cell, way).map_or(OFF, |c| c as u16))
        };
        let row = |cell, (columns, rows): (i32, i32)| {
            let mut points = (0..rules.in_a_row as i32).map(|i| grid.moved(cell, (i * columns, i * rows)));
            points.try_fold(B::none(), |set, point| Some(set | B::bit(point?)))
        };
        let in_ring = |cell: u32| {
            let near = |x: u32| x.min(size - 1 - x) < 2;
            near(cell % size) || near(cell / size)
        };
        let opening = (0..grid.cells()).filter(|&c| !rules.outer || in_ring(c));
        InARow {
            rules,
            full: grid.full(),
            opening: opening.fold(B::none(), |set, c| set | B::bit(c)),
            next: (0..grid.cells()).map(|c| lines.map(|line| next(c, line))).collect(),
            rows: (0..grid.cells()).flat_map(|c| lines.into_iter().filter_map(move |line| row(c, line))).collect(),
            grid: grid.clone(),
        }
    }

    /// Who places the stone after `count` stones.
    #[inline]
    fn mover(&self, count: u16) -> Player {
        let turn = if self.rules.stones_per_turn == 1 { count } else { count.div_ceil(2) };
        Player::new(usize::from(turn % 2))
    }

    /// Whether the stone on `cell` is part of a winning row of `stones`.
    #[inline]
    fn wins(&self, stones: B, cell: u16) -> bool {
        (0..4).any(|line| {
            let run = |way: usize| {
                let mut length = 0;
                let mut at = self.next[cell as usize][line][way];
                while at != OFF && stones.has(at.into()) {
                    length += 1;
                    at = self.next[at as usize][line][way];
                }
                length
            };
            1 + run(0) + run(1) >= self.rules.in_a_row
        })
    }

    fn has_row(&self, stones: B) -> bool {
        self.rows.iter().any(|&row| row & !stones == B::none())
    }

    /// Where the next stone may stand.
    #[inline]
    fn free(&self, stones: &Stones<B>) -> B {
        if stones.count == 0 { self.opening } else { self.full & !(stones.of[0] | stones.of[1]) }
    }

    /// Rows that only one player can still complete, weighed by how far they are.
    fn solver_successors(&self, mine: B, theirs: B) -> f32 {
        let open = self.rows.iter().filter(|&&row| (row & theirs).is_none());
        open.map(|&row| 4f32.powi((row & mine).count() as i32) - 1.0).sum()
    }
}

impl<B: Bits> Game for InARow<B> {
    type State = Stones<B>;
    type Move = u16;
    type Payoff = ZeroSum;
    type Key = [B; 2];

    fn start(&self) -> Stones<B> {
        Stones { of: [B::none(); 2], count: 0, won: false }
    }

    fn expand(&self, stones: &Stones<B>, moves: &mut Vec<u16>) -> Status<ZeroSum> {
        let status = self.status(stones);
        if let Status::Turn(_) = status {
            moves.extend(self.free(stones).cells().map(|c| c as u16));
        }
        status
    }

    fn status(&self, stones: &Stones<B>) -> Status<ZeroSum> {
        if stones.won {
            Status::Over(ZeroSum::win_for(self.mover(stones.count - 1)))
        } else if u32::from(stones.count) == self.grid.cells() {
            Status::Over(ZeroSum::draw())
        } else {
            Status::Turn(self.mover(stones.count))
        }
    }

    fn play(&self, stones: &mut Stones<B>, cell: u16) {
        let mine = &mut stones.of[self.mover(stones.count).index()];
        *mine = *mine | B::bit(cell.into());
        stones.won = self.wins(*mine, cell);
        stones.count += 1;
    }

    fn key(&self, stones: &Stones<B>) -> [B; 2] {
        stones.of
    }

    fn facts(&self) -> Facts {
        let cells = self.grid.cells();
        Facts {
            alternating: self.rules.stones_per_turn == 1,
            length: Some(cells),
            states: Some(3f64.powi(cells as i32)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<B: Bits> Notation for InARow<B> {
    /// Rows from the top, `x` for the first player, `o` for the second, numbers for runs of empty points.
    fn position_text(&self, stones: &Stones<B>) -> String {
        self.grid.write(|c| if stones.of[0].has(c) { Some('x') } else { stones.of[1].has(c).then_some('o') })
    }

    fn parse_position(&self, text: &str) -> Result<Stones<B>, TextError> {
        let board = self.grid.read(text.trim(), "xo")?;
        let of: [B; 2] = [where_is(&board, 'x'), where_is(&board, 'o')];
        let [x, o] = of.map(Bits::count);
        let count = (x + o) as u16;
        let due = (0..count).filter(|&c| self.mover(c) == Player::FIRST).count() as u32;
        if x != due {
            let all = x + o;
            return Err(TextError::new(format!("of {all} stones {due} must be x and {} o, not {x} and {o}", all - due)));
        }
        if count > 0 && (of[0] & self.opening).is_none() {
            return Err(TextError::new("the first stone must stand in one of the two outer rings"));
        }
        let last = if count == 0 { Player::FIRST } else { self.mover(count - 1) };
        let [mine, theirs] = [of[last.index()], of[1 - last.index()]];
        let won = self.has_row(mine);
        // The last stone ended the game: without it there was no row.
        let could_end = || mine.cells().any(|c| !self.has_row(mine ^ B::bit(c)));
        if self.has_row(theirs) || won && !could_end() {
            return Err(TextError::new("the game was over before the last stone was placed"));
        }
        Ok(Stones { of, count, won })
    }

    fn move_text(&self, _: &Stones<B>, cell: u16) -> String {
        self.grid.name(cell.into())
    }

    fn drawing(&self, stones: &Stones<B>) -> Drawing {
        self.grid.draw(|c| match stones.of.map(|set| set.has(c)) {
            [true, _] => Cell::Stone(Player::FIRST),
            [_, true] => Cell::Stone(Player::SECOND),
            _ => Cell::Empty,
        })
    }
}

impl<B: Bits> Symmetric for InARow<B> {
    fn symmetries(&self) -> usize {
        self.grid.symmetries()
    }

    fn transform(&self, stones: &Stones<B>, index: usize) -> Stones<B> {
        Stones { of: stones.of.map(|set| self.grid.image_of(set, index)), ..*stones }
    }

    fn transform_move(&self, _: &Self::State, cell: u16, index: usize) -> u16 {
        self.grid.image(cell.into(), index) as u16
    }
}

impl<B: Bits> Playouts for InARow<B> {
    fn random_move(
        &self,
        stones: &Stones<B>,
        _: &mut Vec<u16>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<u16, ZeroSum> {
        match self.status(stones) {
            Status::Over(payoff) => Err(payoff),
            Status::Turn(_) => {
                let free = self.free(stones);
                Ok(free.nth(below(free.count() as usize) as u32) as u16)
            }
        }
    }
}

impl<B: Bits> Heuristic for InARow<B> {
    /// Rows that can still be completed: one stone more in a row counts four times as much.
    fn heuristic(&self, stones: &Stones<B>) -> f32 {
        let [x, o] = stones.of;
        let difference = self.prospects(x, o) - self.prospects(o, x);
        Estimate::from_fn(|_| (difference / 400.0).tanh() * 0.9)
    }
}

impl<B: Bits> Features for InARow<B> {}
impl<B: Bits> SolverHints for InARow<B> {}
impl<B: Bits> OrderingHints for InARow<B> {}
impl<B: Bits> Persist for InARow<B> {}
