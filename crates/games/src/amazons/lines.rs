//! Random moves of Amazons, drawn without listing them.
//!
//! To draw a cell that an amazon reaches it is enough to know how far it gets in each of eight directions. So a playout
//! keeps the board line by line: for every row, column and diagonal the closed cells as bits of one number. The nearest
//! closed cells above and below an amazon's place on a line tell how far it gets there. A line is written twice, from
//! the lowest bit up and from the highest down, so that both are found by looking for the lowest bit.

use perfectplay_core::{Payoff, Player, ZeroSum};

use super::{Amazons, Move, Ply, Position, Stage};
use crate::support::bits::Bits;
use crate::support::playout::Digits;

/// Lines of the largest board: 11 rows, 11 columns and twice 21 diagonals.
pub(super) const LINES: usize = 64;
/// At least as many as its longest line has places, and one at either end.
pub(super) const PLACES: usize = 16;
/// One in every byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The lines of a board.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lines {
    /// What is closed on each line of an empty board: the places before its first and after its last cell.
    empty: [u32; LINES],
    /// The row, the column and the diagonals through each cell, and its place there, counted from one.
    through: Vec<[(u8, u8); 4]>,
    /// The bits of its place there.
    bits: Vec<[u32; 4]>,
    /// How far apart neighbours on these four are, as numbers of cells.
    steps: [i32; 4],
    /// An amazon never reaches more cells.
    most: usize,
}

impl Lines {
    pub(super) fn new(size: u32) -> Self {
        let n = size as usize;
        let mut empty = [!0; LINES];
        let through = |cell: usize| {
            let (x, y) = (cell % n, cell / n);
            let (left, above) = (n - 1 - x, n - 1 - y);
            let lines = [y, n + x, 2 * n + x + y, 4 * n - 1 + x + above];
            let places = [x, y, left.min(y), x.min(y)].map(|before| before as u8 + 1);
            std::array::from_fn(|i| (lines[i] as u8, places[i]))
        };
        let through: Vec<[(u8, u8); 4]> = (0..n * n).map(through).collect();
        for &(line, place) in through.iter().flatten() {
            empty[line as usize] ^= both_ways(place);
        }
        let step = size as i32;
        let bits = through.iter().map(|lines| lines.map(|(_, place)| both_ways(place))).collect();
        Lines { empty, through, bits, steps: [1, step, step - 1, step + 1], most: 4 * n - 4 }
    }

    /// For every line the cells on it whose place is less than 0, 1, 2 …
    pub(super) fn before<B: Bits>(&self) -> Box<[[B; PLACES]; LINES]> {
        let mut before = Box::new([[B::none(); PLACES]; LINES]);
        for (cell, lines) in (0..).zip(&self.through) {
            for &(line, place) in lines {
                let further = &mut before[line as usize][usize::from(place) + 1..];
                further.iter_mut().for_each(|set| *set = *set | B::bit(cell));
            }
        }
        before
    }
}

/// A place on a line, counted from both ends.
#[inline]
fn both_ways(place: u8) -> u32 {
    1 << place | 1 << (31 - place)
}

/// How many cells an amazon reaches: byte i counts those in directions 0 to i. Directions 2k and 2k + 1 are those up
/// and down the k-th line through it.
#[derive(Clone, Copy)]
struct Reach(u64);

impl Reach {
    fn count(self) -> usize {
        (self.0 >> 56) as usize
    }

    /// The direction and distance of the cell that has `n` before it.
    #[inline]
    fn nth(self, n: usize) -> (usize, i32) {
        // The top bit of a byte is set if at most n cells are counted there: the one sought lies beyond.
        let beyond = (((n as u64 * ONES) | (0x80 * ONES)) - self.0) >> 7 & ONES;
        let direction = (beyond.wrapping_mul(ONES) >> 56) as usize;
        let before = (self.0 << 8) >> (8 * direction) & 0xff;
        (direction, (n as u64 - before) as i32 + 1)
    }
}

/// A position of a playout.
#[derive(Debug, PartialEq)]
pub(super) struct Board<'a> {
    lines: &'a Lines,
    ply: Ply,
    /// What is closed on each line.
    closed: [u32; LINES],
    /// Where each player's amazons stand, in any order.
    amazons: [[u8; 4]; 2],
    /// How many cells are empty.
    empty: usize,
    mover: Player,
    stage: Stage,
}

impl<'a> Board<'a> {
    pub(super) fn new<B: Bits>(rules: &'a Amazons<B>, state: &Position<B>) -> Self {
        let occupied = state.occupied();
        let mut board = Board {
            lines: &rules.lines,
            ply: rules.ply,
            closed: rules.lines.empty,
            amazons: [[0; 4]; 2],
            empty: (rules.all & !occupied).count() as usize,
            mover: state.mover,
            stage: state.stage,
        };
        occupied.cells().for_each(|cell| board.toggle(cell as u8));
        for (places, set) in board.amazons.iter_mut().zip(state.amazons) {
            places.iter_mut().zip(set.cells()).for_each(|(place, cell)| *place = cell as u8);
        }
        board
    }

    /// Closes a cell, or opens it again.
    #[inline]
    pub(super) fn toggle(&mut self, cell: u8) {
        let bits = &self.lines.bits[cell as usize];
        for ((line, _), bits) in self.lines.through[cell as usize].into_iter().zip(bits) {
            self.closed[line as usize % LINES] ^= bits;
        }
    }

    /// How far an amazon on `cell` gets.
    #[inline]
    fn reach(&self, cell: u8) -> Reach {
        let mut lengths = 0;
        for (i, (line, place)) in self.lines.through[cell as usize].into_iter().enumerate() {
            // A line ends on both sides, so something is always found; the machine looks faster if told so.
            let closed = self.closed[line as usize % LINES];
            let up = (closed >> (place + 1) | 1 << 31).trailing_zeros();
            let down = (closed >> (32 - place) | 1 << 31).trailing_zeros();
            lengths |= u64::from(up | down << 8) << (16 * i);
        }
        Reach(lengths.wrapping_mul(ONES))
    }

    /// The lines through a cell, each with the first place an amazon on it gets to and the one after the last.
    #[inline]
    pub(super) fn spans(&self, cell: u8) -> [(usize, [usize; 2]); 4] {
        self.lines.through[cell as usize].map(|(line, place)| {
            let closed = self.closed[line as usize % LINES];
            let up = (closed >> place >> 1).trailing_zeros();
            let down = (closed >> (31 - place) >> 1).trailing_zeros();
            let place = u32::from(place);
            (line as usize % LINES, [(place - down) as usize, (place + up + 1) as usize])
        })
    }

    /// Whether a cell next to this one is open.
    #[inline]
    fn can_move(&self, cell: u8) -> bool {
        let through = &self.lines.through[cell as usize];
        through.iter().any(|&(line, place)| self.closed[line as usize % LINES] >> (place - 1) & 0b101 != 0b101)
    }

    /// The `n`-th of the cells that an amazon on `cell` reaches.
    #[inline]
    fn target(&self, cell: u8, reach: Reach, n: usize) -> u8 {
        let (direction, distance) = reach.nth(n);
        let step = self.lines.steps[direction / 2 % 4] * distance;
        (i32::from(cell) + if direction % 2 == 0 { step } else { -step }) as u8
    }

    /// A random move, or how the game ended; all moves are equally likely.
    #[inline]
    pub(super) fn draw(&mut self, below: &mut impl FnMut(usize) -> usize) -> Result<Move, ZeroSum> {
        let drawn = match self.stage {
            Stage::Walk(from) => Some(Move::Walk(from, self.draw_target(from, below))),
            Stage::Shoot(from) => Some(Move::Arrow(self.draw_target(from, below))),
            Stage::Begin if self.ply == Ply::Third => self.draw_amazon(below).map(Move::Choice),
            Stage::Begin => self.draw_turn(below),
        };
        drawn.ok_or_else(|| ZeroSum::win_for(self.mover.opponent()))
    }

    /// One of the cells that an amazon on `from` reaches.
    #[inline]
    fn draw_target(&self, from: u8, below: &mut impl FnMut(usize) -> usize) -> u8 {
        let reach = self.reach(from);
        self.target(from, reach, below(reach.count()))
    }

    /// One of the mover's amazons that can move: the first of them in a random order.
    #[inline]
    fn draw_amazon(&self, below: &mut impl FnMut(usize) -> usize) -> Option<u8> {
        let mut amazons = self.amazons[self.mover.index()];
        for left in (1..=4).rev() {
            let i = below(left);
            if self.can_move(amazons[i]) {
                return Some(amazons[i]);
            }
            amazons[i] = amazons[left - 1];
        }
        None
    }

    /// A turn, or its first half. Of turns there are thousands, so one is drawn among walks with as many arrows each as
    /// the board allows at most, again and again until the arrow exists.
    #[inline]
    fn draw_turn(&mut self, below: &mut impl FnMut(usize) -> usize) -> Option<Move> {
        let amazons = self.amazons[self.mover.index()].map(|cell| (cell, self.reach(cell)));
        let walks: usize = amazons.iter().map(|(_, reach)| reach.count()).sum();
        if walks == 0 {
            return None;
        }
        if self.ply == Ply::Half {
            let (from, to) = self.nth_walk(&amazons, below(walks));
            return Some(Move::Walk(from, to));
        }
        let most_arrows = self.lines.most.min(self.empty);
        loop {
            let choice = below(walks * most_arrows);
            let (from, to) = self.nth_walk(&amazons, choice / most_arrows);
            self.toggle(from);
            let arrows = self.reach(to);
            self.toggle(from);
            if choice % most_arrows < arrows.count() {
                return Some(Move::Turn(from, to, self.target(to, arrows, choice % most_arrows)));
            }
        }
    }

    /// The `n`-th walk, from where to where.
    #[inline]
    fn nth_walk(&self, amazons: &[(u8, Reach); 4], mut n: usize) -> (u8, u8) {
        for &(from, reach) in amazons {
            if n < reach.count() {
                return (from, self.target(from, reach, n));
            }
            n -= reach.count();
        }
        unreachable!("there are more walks")
    }

    /// Where a turn is three moves: ends the one that was begun, and plays whole ones as long as there are any and
    /// `most` has room for them. Tells how many moves that were.
    #[inline]
    pub(super) fn play_whole_turns(&mut self, most: u32, below: &mut impl FnMut(usize) -> usize) -> u32 {
        let mut plies = 0;
        while plies < most && self.stage != Stage::Begin {
            let Ok(mv) = self.draw(below) else { unreachable!("a turn that was begun can be ended") };
            self.play(mv);
            plies += 1;
        }
        while plies + 3 <= most && self.play_thirds(below) {
            plies += 3;
        }
        plies
    }

    /// Plays a turn of three moves, which are drawn with one random number; `false` if there is none.
    #[inline]
    fn play_thirds(&mut self, below: &mut impl FnMut(usize) -> usize) -> bool {
        let mut digits = Digits::new(below);
        let mut order = [0, 1, 2, 3];
        for left in (1..=4).rev() {
            let choice = digits.next(left) % 4;
            let amazon: usize = order[choice];
            order[choice] = order[left - 1];
            let from = self.amazons[self.mover.index()][amazon];
            let walks = self.reach(from);
            if walks.count() > 0 {
                let to = self.target(from, walks, digits.next(walks.count()));
                self.toggle(from);
                let arrows = self.reach(to);
                let arrow = self.target(to, arrows, digits.next(arrows.count()));
                self.toggle(to);
                self.amazons[self.mover.index()][amazon] = to;
                self.shoot(arrow);
                return true;
            }
        }
        false
    }

    fn walk(&mut self, from: u8, to: u8) {
        self.toggle(from);
        self.toggle(to);
        let amazons = &mut self.amazons[self.mover.index()];
        *amazons = amazons.map(|cell| if cell == from { to } else { cell });
    }

    fn shoot(&mut self, at: u8) {
        self.toggle(at);
        self.empty -= 1;
        self.mover = self.mover.opponent();
    }

    /// Plays a legal move.
    #[inline]
    pub(super) fn play(&mut self, mv: Move) {
        self.stage = match mv {
            Move::Turn(from, to, arrow) => {
                self.walk(from, to);
                self.shoot(arrow);
                Stage::Begin
            }
            Move::Choice(from) => Stage::Walk(from),
            Move::Walk(from, to) => {
                self.walk(from, to);
                Stage::Shoot(to)
            }
            Move::Arrow(at) => {
                self.shoot(at);
                Stage::Begin
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::dice;
    use perfectplay_core::{Game, Status};

    fn follows_the_rules<B: Bits>(size: u32, ply: Ply) {
        let rules = Amazons::<B>::new(size, ply);
        let mut below = dice();
        for _ in 0..10 {
            let mut state = rules.start();
            let mut board = Board::new(&rules, &state);
            let payoff = loop {
                let mv = match board.draw(&mut below) {
                    Ok(mv) => mv,
                    Err(payoff) => break payoff,
                };
                let mut moves = Vec::new();
                rules.expand(&state, &mut moves);
                assert!(moves.contains(&mv), "{mv:?} in {state:?}");
                rules.play(&mut state, mv);
                board.play(mv);
                board.amazons.iter_mut().for_each(|cells| cells.sort_unstable());
                assert_eq!(board, Board::new(&rules, &state));
            };
            assert_eq!(rules.status(&state), Status::Over(payoff));
        }
    }

    #[test]
    fn playouts_follow_the_rules() {
        for ply in [Ply::Full, Ply::Half, Ply::Third] {
            follows_the_rules::<u64>(4, ply);
            follows_the_rules::<u64>(7, ply);
            follows_the_rules::<u128>(11, ply);
        }
    }
}
