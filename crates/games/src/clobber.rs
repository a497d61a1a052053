//! Clobber: take an orthogonally adjacent enemy stone by stepping onto it; who cannot move loses.
//!
//! The board starts full, in a chequered pattern with the first player's stone on `a1`. Every move removes a stone, so
//! a game takes fewer moves than there are cells. A move is written as its two cells: `a1a2`.

use perfectplay_core::{
    Cell, Drawing, Facts, Features, Game, GameInfo, Heuristic, Layout, Look, Notation, OptionSet, OrderingHints,
    Params, Payoff, Persist, Plain, Player, Playouts, Sizes, SolverHints, Status, Symmetric, TextError, Visitor,
    ZeroSum, options, plain_struct,
};

use crate::support::bits::{Bits, Wide};
use crate::support::board::{self, first_column};
use crate::support::grid::{Grid, SIGNS, split_mover, where_is};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "clobber",
    summary: "take an adjacent enemy stone; who cannot loses",
    players: "2",
    parameters: Parameters::docs,
    examples: &["clobber:3x4", "clobber:5x6", "clobber:10x10"],
    rules: "The board starts full, stones of both players in a chequered pattern, the first player's on `a1`. A move \
takes one of one's own stones onto an orthogonally adjacent enemy stone, which leaves the board. Who cannot move loses.

Positions are written row by row from the top: `x` for the first player, `o` for the second, numbers for runs of empty \
cells, then who moves. Any position is accepted, as analysis of single regions needs it. A move is its two cells: \
`a1a2`.",
    sources: &["M. Albert, J. P. Grossman, R. Nowakowski, D. Wolfe, An Introduction to Clobber, Integers 5(2) (2005)"],
};

options! {
    struct Parameters {
        size: [u64; 2] = Sizes::new(["columns", "rows"], "size of the board, at most 256 cells", 1..=64, [10, 10]),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size } = Parameters::read(INFO.name, params)?;
    let [w, h] = size.map(|n| n as u32);
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
    /// All but the first column, and all but the last.
    not_first: B,
    not_last: B,
    /// How far a cell is from the one above it; 0 on a board of one row, on which no two stones are one on the other.
    row: u32,
    /// What the heuristic says of so many stones in reserve, counted from as many in arrears as there are cells.
    worth: Vec<f32>,
}

/// Who stands where and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stones<B> {
    /// The first player's stones, then the second's.
    pub of: [B; 2],
    /// Who moves.
    pub mover: Player,
}

/// The mover takes no room: no cell is in both sets, so if the second player moves, their complements are written,
/// which meet in the empty cells. A board without any needs codes of its own, with both a cell in both sets and one in
/// none.
impl<B: Bits> Plain for Stones<B> {
    const SIZE: usize = 2 * B::SIZE;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        let [x, o] = self.of;
        let code = match self.mover {
            Player::FIRST => [x, o],
            _ if !(x | o) != B::none() => [!x, !o],
            _ => full_code(x),
        };
        code.put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let [x, o] = <[B; 2]>::take(bytes)?;
        if (x & o).is_none() {
            Some(Stones { of: [x, o], mover: Player::FIRST })
        } else if !(x | o) == B::none() {
            Some(Stones { of: [!x, !o], mover: Player::SECOND })
        } else {
            take_full([x, o])
        }
    }
}

/// The code of a full board on which the second player moves.
#[cold]
fn full_code<B: Bits>(x: B) -> [B; 2] {
    let (one, two) = (B::bit(0), B::bit(0) | B::bit(1));
    if x.is_none() {
        [one, two]
    } else if (!x).is_none() {
        [two, one]
    } else {
        [x, x]
    }
}

/// The full board with this code.
#[cold]
fn take_full<B: Bits>(code: [B; 2]) -> Option<Stones<B>> {
    let x = [B::none(), !B::none(), code[0]].into_iter().find(|&x| full_code(x) == code)?;
    Some(Stones { of: [x, !x], mover: Player::SECOND })
}

/// A stone goes `from` … `to`, where an enemy stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Take {
    /// Where the stone was.
    pub from: u8,
    /// Where it goes.
    pub to: u8,
}

plain_struct!(impl[] Take { from: u8, to: u8 });

impl<B: Bits> Stones<B> {
    #[inline]
    fn mine(&self) -> B {
        self.of[self.mover.index()]
    }

    #[inline]
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
        let (full, first) = (grid.full::<B>(), first_column::<B>(width, height));
        let row = if height == 1 { 0 } else { width };
        let most = grid.cells() as i32;
        let worth = (-most..=most).map(|reserve| (reserve as f32 / 4.0).tanh() * 0.9).collect();
        Clobber { not_first: full & !first, not_last: full & !(first << (width - 1)), row, worth, grid }
    }

    /// The cells with an unlike stone to the right of them, and those with one above: each such pair is a move, whoever
    /// moves.
    #[inline]
    fn unlike(&self, mine: B, theirs: B) -> [B; 2] {
        let pairs = |mine_beyond: B, theirs_beyond: B| mine & theirs_beyond | theirs & mine_beyond;
        let across = pairs(mine >> 1, theirs >> 1) & self.not_last;
        [across, pairs(mine >> self.row, theirs >> self.row)]
    }

    /// The stones joined, through stones of any colour, to `live`.
    #[inline]
    fn joined(&self, mut live: B, stones: B) -> B {
        let (not_first, not_last) = (stones & self.not_first, stones & self.not_last);
        loop {
            let wide = live | live << 1 & not_first | live >> 1 & not_last;
            let grown = wide | (wide << self.row | wide >> self.row) & stones;
            if grown == live {
                return live;
            }
            live = grown;
        }
    }

    /// The two cells of a random move, the lower one first; `None` if there is none.
    #[inline]
    fn draw(&self, mine: B, theirs: B, below: &mut impl FnMut(usize) -> usize) -> Option<(u32, u32)> {
        let [across, upward] = self.unlike(mine, theirs);
        if self.grid.cells() <= 32 {
            let pair = random_cell(across.low_word() | upward.low_word() << 32, below)?;
            return Some((pair % 32, pair % 32 + if pair < 32 { 1 } else { self.row }));
        }
        let (across_count, upward_count) = (across.count(), upward.count());
        if across_count + upward_count == 0 {
            return None;
        }
        let choice = below((across_count + upward_count) as usize) as u32;
        let (cell, apart) = match choice.checked_sub(across_count) {
            None => (across.nth(choice), 1),
            Some(rest) => (upward.nth(rest), self.row),
        };
        Some((cell, cell + apart))
    }

    fn lost(&self, mover: Player) -> ZeroSum {
        ZeroSum::win_for(mover.opponent())
    }
}

/// `NTH[n][byte]`: the bit of `byte` that has `n` set bits below it.
const NTH: [[u8; 256]; 8] = {
    let mut nth = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut n, mut bit) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                nth[n][byte] = bit;
                n += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    nth
};

/// A random cell of the set; `None` if it is empty. Like counting and then looking for the n-th cell, but both go by
/// the same sums.
#[inline]
fn random_cell(set: u64, below: &mut impl FnMut(usize) -> usize) -> Option<u32> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let pairs = set - (set >> 1 & (0x55 * ONES));
    let nibbles = (pairs & (0x33 * ONES)) + (pairs >> 2 & (0x33 * ONES));
    let bytes = (nibbles + (nibbles >> 4)) & (0x0f * ONES);
    let up_to = bytes.wrapping_mul(ONES); // byte i: the cells in bytes 0 to i
    if set == 0 {
        return None;
    }
    let n = below((up_to >> 56) as usize) as u64;
    // The top bit of byte i is set if at most n cells are in bytes 0 to i: the cell sought lies beyond.
    let beyond = (((n * ONES) | (0x80 * ONES)) - up_to) >> 7 & ONES;
    let byte = (beyond.wrapping_mul(ONES) >> 56) as u32;
    let before = (up_to << 8) >> (8 * byte) & 0xff;
    let rest = (set >> (8 * byte)) as u8;
    Some(8 * byte + u32::from(NTH[(n - before) as usize & 7][usize::from(rest)]))
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

    #[inline]
    fn expand(&self, stones: &Stones<B>, moves: &mut Vec<Take>) -> Status<ZeroSum> {
        let (mine, theirs) = (stones.mine(), stones.theirs());
        let before = moves.len();
        let mut push = |taken: B, back: u32| {
            moves.extend(taken.cells().map(|to| Take { from: to.wrapping_add(back) as u8, to: to as u8 }));
        };
        push(mine << 1 & theirs & self.not_first, 1u32.wrapping_neg());
        push(mine << self.row & theirs, self.row.wrapping_neg());
        push(mine >> 1 & theirs & self.not_last, 1);
        push(mine >> self.row & theirs, self.row);
        if moves.len() == before {
            return Status::Over(self.lost(stones.mover));
        }
        Status::Turn(stones.mover)
    }

    #[inline]
    fn status(&self, stones: &Stones<B>) -> Status<ZeroSum> {
        let [across, upward] = self.unlike(stones.mine(), stones.theirs());
        if (across | upward).is_none() { Status::Over(self.lost(stones.mover)) } else { Status::Turn(stones.mover) }
    }

    #[inline]
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
    /// Rows from the top, `x` for the first player, `o` for the second, numbers for runs of empty cells, then who
    /// moves.
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
        self.grid
            .draw(|c| match [0, 1].map(|p: usize| stones.of[p].has(c)) {
                [true, _] => Cell::Stone(Player::FIRST),
                [_, true] => Cell::Stone(Player::SECOND),
                _ => Cell::Empty,
            })
            .with_look(Look::Checkered)
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

impl<B: Bits> Playouts for Clobber<B> {
    #[inline]
    fn random_move(
        &self,
        stones: &Stones<B>,
        _: &mut Vec<Take>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Take, ZeroSum> {
        let (low, high) = self.draw(stones.mine(), stones.theirs(), below).ok_or_else(|| self.lost(stones.mover))?;
        let [low, high] = [low as u8, high as u8];
        let take = if stones.mine().has(low.into()) { (low, high) } else { (high, low) };
        Ok(Take { from: take.0, to: take.1 })
    }

    /// Without saying which of two stones takes the other: the mover has one on the one cell or on the other.
    fn playout(
        &self,
        stones: Stones<B>,
        most: u32,
        _: &mut Vec<Take>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        let (mut mine, mut theirs) = (stones.mine(), stones.theirs());
        let mover = |ply: u32| if ply.is_multiple_of(2) { stones.mover } else { stones.mover.opponent() };
        for ply in 0..most {
            let Some((low, high)) = self.draw(mine, theirs, below) else { return (Some(self.lost(mover(ply))), ply) };
            let pair = B::bit(low) | B::bit(high);
            (mine, theirs) = (theirs & !pair, mine ^ pair);
        }
        let over = self.unlike(mine, theirs) == [B::none(); 2];
        (over.then(|| self.lost(mover(most))), most)
    }
}

impl<B: Bits> Heuristic for Clobber<B> {
    /// Both players always have the same number of moves; what differs is how many stones can still come to them: those
    /// joined, through stones of any colour, to an enemy.
    fn heuristic(&self, stones: &Stones<B>) -> f32 {
        let [x, o] = stones.of;
        let [across, upward] = self.unlike(x, o);
        let live = self.joined(across | upward, x | o);
        let reserve = (live & x).count() + self.grid.cells() - (live & o).count();
        self.worth[reserve as usize]
    }
}

impl<B: Bits> Features for Clobber<B> {
    fn layout(&self) -> Option<Layout> {
        Some(board::layout(self.grid.width, self.grid.height, 3, &[]))
    }

    /// Empty, mine, theirs.
    fn cell_values(&self, stones: &Stones<B>, out: &mut Vec<u8>) {
        let (mine, theirs) = (stones.mine(), stones.theirs());
        board::push_owners(0..self.grid.cells(), mine, theirs, out);
    }

    fn viewer(&self, stones: &Stones<B>) -> Player {
        stones.mover
    }
}

impl<B: Bits> SolverHints for Clobber<B> {}
impl<B: Bits> OrderingHints for Clobber<B> {}
impl<B: Bits> Persist for Clobber<B> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::{draws_evenly, plays_as_move_by_move};

    fn games() -> [Clobber<u64>; 4] {
        [(5, 6), (6, 7), (7, 1), (1, 7)].map(|(width, height)| Clobber::new(width, height))
    }

    #[test]
    fn random_moves_are_uniform() {
        for game in games() {
            draws_evenly(&game, &game.start());
        }
        let game = Clobber::<u128>::new(10, 10);
        draws_evenly(&game, &game.start());
        let game = Clobber::<u64>::new(5, 4);
        draws_evenly(&game, &game.parse_position("xo1xo/5/oxo2/1xxo1 o").unwrap());
    }

    #[test]
    fn playouts_follow_the_rules() {
        games().iter().for_each(|game| plays_as_move_by_move(game, 1000));
    }

    #[test]
    fn the_mover_takes_no_room() {
        let full = !0u64;
        for x in [0, 1, 3, full, full ^ 1, 0x5555_5555_5555_5555] {
            for o in [0, 1, 2, 7, full, !x].map(|o| o & !x) {
                for mover in [Player::FIRST, Player::SECOND] {
                    let (stones, mut bytes) = (Stones { of: [x, o], mover }, [0; 16]);
                    stones.put(&mut bytes);
                    assert_eq!(Stones::take(&bytes), Some(stones));
                }
            }
        }
        assert_eq!(Stones::<u32>::take(&[7, 0, 0, 0, 1, 0, 0, 0]), None);
    }
}
