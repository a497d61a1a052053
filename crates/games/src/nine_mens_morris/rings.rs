//! Random games of Nine Men's Morris, drawn without listing moves.
//!
//! For playouts the points are numbered ring by ring, the outer one first, each clockwise from its upper left corner: a
//! byte per ring, corners on even bits, the middles of sides on odd ones. So one shift moves all men to the next point
//! of their ring, or to the next ring, and what they reach and where they close mills is found for all men at once.

use perfectplay_core::{Payoff, Player, ZeroSum};

use super::{ALL, Men, Morris, Move, NONE, PATIENCE, PLACES, State, cells};
use crate::support::bits::Bits;

const MIDDLES: u32 = 0xaa_aaaa;
const CORNERS: u32 = 0x55_5555;

/// The bit of each point.
const BITS: [u8; 24] = {
    let mut bits = [0; 24];
    let mut p = 0;
    while p < 24 {
        let (x, y) = PLACES[p];
        let ring = 3 - if x.abs() > y.abs() { x.abs() } else { y.abs() };
        let clock = match (x.signum(), y.signum()) {
            (-1, 1) => 0,
            (0, 1) => 1,
            (1, 1) => 2,
            (1, 0) => 3,
            (1, -1) => 4,
            (0, -1) => 5,
            (-1, -1) => 6,
            _ => 7,
        };
        bits[p] = (8 * ring + clock) as u8;
        p += 1;
    }
    bits
};

fn to_rings(set: u32) -> u32 {
    cells(set).fold(0, |rings, p| rings | 1 << BITS[p as usize])
}

/// The point of a set of one, or none.
fn point(bit: u32) -> u8 {
    BITS.iter().position(|&b| 1 << b == bit).map_or(NONE, |p| p as u8)
}

/// Every man one point further on its ring, clockwise.
#[inline]
fn clockwise(men: u32) -> u32 {
    men << 1 & 0xfe_fefe | men >> 7 & 0x01_0101
}

/// The same the other way round.
#[inline]
fn back(men: u32) -> u32 {
    men >> 1 & 0x7f_7f7f | men << 7 & 0x80_8080
}

/// The middles whose two others on the line across the rings are men.
#[inline]
fn across(men: u32) -> u32 {
    (men << 8 | men >> 16) & (men >> 8 | men << 16) & MIDDLES
}

/// The middles between two men.
#[inline]
fn between(men: u32) -> u32 {
    clockwise(men) & back(men) & MIDDLES
}

/// The corners just before two men, clockwise.
#[inline]
fn before(men: u32) -> u32 {
    let one = back(men);
    one & back(one) & CORNERS
}

/// The corners just after two men, clockwise.
#[inline]
fn after(men: u32) -> u32 {
    let one = clockwise(men);
    one & clockwise(one) & CORNERS
}

/// Where one more man would close a mill, if the point is free.
#[inline]
fn closing(men: u32) -> u32 {
    across(men) | between(men) | before(men) | after(men)
}

/// The men in mills.
#[inline]
fn in_mills(men: u32) -> u32 {
    let sides = men & between(men);
    sides | clockwise(sides) | back(sides) | men & across(men)
}

/// The men of `set` that may be taken: those in no mill, or all.
#[inline]
fn takeable(set: u32) -> u32 {
    let free = set & !in_mills(set);
    if free == 0 { set } else { free }
}

/// The targets of up to four groups of moves, 32 bits for each, and those of them that close a mill and take a man.
struct Choices {
    targets: u128,
    closing: u128,
}

fn join(groups: [u32; 4]) -> u128 {
    let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    u128::from(pair(groups[0], groups[1])) | u128::from(pair(groups[2], groups[3])) << 64
}

/// A move as sets of at most one point each.
#[derive(Clone, Copy)]
pub(super) struct Step {
    from: u32,
    to: u32,
    take: u32,
}

impl Step {
    pub(super) fn as_move(self) -> Move {
        Move { from: point(self.from), to: point(self.to), take: point(self.take) }
    }
}

/// A position of a playout.
#[derive(Debug, PartialEq)]
pub(super) struct Board {
    apart: bool,
    /// Each player's men on the board.
    of: [u32; 2],
    hand: [u8; 2],
    /// Men on the board and in hand.
    men: [u8; 2],
    mover: Player,
    taking: bool,
    clock: u8,
    seen: u8,
    /// The positions since the last that cannot come back, if they matter.
    past: Option<Vec<u64>>,
}

fn position(of: [u32; 2], mover: Player, taking: bool) -> u64 {
    u64::from(of[0]) | u64::from(of[1]) << 24 | (mover.index() as u64) << 48 | u64::from(taking) << 49
}

impl Board {
    pub(super) fn new(rules: &Morris, state: &State) -> Self {
        let men = &state.men;
        let earlier = |men: &Men| position(men.of.map(to_rings), men.mover, men.taking);
        let past = || {
            let mut past = Vec::with_capacity(usize::from(PATIENCE) + 1);
            past.extend(rules.histories.positions(state.past).map(earlier));
            past.reverse();
            past
        };
        Board {
            apart: rules.apart,
            of: men.of.map(to_rings),
            hand: men.hand,
            men: [men.men(0) as u8, men.men(1) as u8],
            mover: men.mover,
            taking: men.taking,
            clock: state.clock,
            seen: state.seen,
            past: rules.draws.then(past),
        }
    }

    /// What ends the game before anybody looks for moves.
    #[inline]
    fn decided(&self) -> Option<ZeroSum> {
        if self.men[0] < 3 {
            Some(ZeroSum::win_for(Player::SECOND))
        } else if self.men[1] < 3 {
            Some(ZeroSum::win_for(Player::FIRST))
        } else {
            (!self.taking && (self.clock >= PATIENCE || self.seen >= 2)).then(ZeroSum::draw)
        }
    }

    /// The men of a side with three of them.
    #[inline]
    fn three(men: u32) -> [u32; 3] {
        let lowest = |set: u32| set & set.wrapping_neg();
        let (first, rest) = (lowest(men), men & men.wrapping_sub(1));
        [first, lowest(rest), rest & rest.wrapping_sub(1)]
    }

    /// Where the mover's men can go.
    #[inline]
    fn choices(&self, mine: u32, free: u32) -> Choices {
        let me = self.mover.index();
        let (targets, closing) = if self.hand[me] > 0 {
            ([free, 0, 0, 0], [closing(mine), 0, 0, 0])
        } else if self.men[me] == 3 {
            let [a, b, c] = Board::three(mine).map(|man| closing(mine ^ man));
            ([free, free, free, 0], [a, b, c, 0])
        } else {
            // Nobody closes the line along which it moves: it has just left it.
            let (across, between) = (across(mine), between(mine));
            let targets = [clockwise(mine), back(mine), (mine & MIDDLES) >> 8, (mine & MIDDLES) << 8];
            (targets, [across | before(mine), across | after(mine), between, between])
        };
        let targets = join(targets.map(|set| set & free));
        Choices { targets, closing: if self.apart { 0 } else { targets & join(closing) } }
    }

    /// Where the man came from that goes to `to` in this group of moves.
    #[inline]
    fn source(&self, mine: u32, to: u32, group: usize) -> u32 {
        let me = self.mover.index();
        if self.hand[me] > 0 {
            0
        } else if self.men[me] == 3 {
            Board::three(mine)[group]
        } else {
            [back(to), clockwise(to), to << 8, to >> 8][group]
        }
    }

    /// A random move, or how the game ended; all moves are equally likely.
    #[inline]
    pub(super) fn draw(&self, below: &mut impl FnMut(usize) -> usize) -> Result<Step, ZeroSum> {
        if let Some(payoff) = self.decided() {
            return Err(payoff);
        }
        let me = self.mover.index();
        let (mine, theirs) = (self.of[me], self.of[1 - me]);
        if self.taking {
            let takes = takeable(theirs);
            return Ok(Step { from: 0, to: 0, take: 1 << takes.nth(below(takes.count() as usize) as u32) });
        }
        let Choices { targets, closing } = self.choices(mine, ALL & !(mine | theirs));
        let count = targets.count() as usize;
        if count == 0 {
            return Err(ZeroSum::win_for(self.mover.opponent()));
        }
        let takes = if closing == 0 { 0 } else { takeable(theirs) };
        let others = (takes.count() as usize).saturating_sub(1);
        // First every target once, with the first man that can be taken there; then the other men.
        let choice = below(count + closing.count() as usize * others);
        let (target, take) = match choice.checked_sub(count) {
            None => {
                let target = targets.nth(choice as u32);
                (target, if closing.has(target) { takes & takes.wrapping_neg() } else { 0 })
            }
            Some(rest) => (closing.nth((rest / others) as u32), 1 << takes.nth(1 + (rest % others) as u32)),
        };
        let to = 1 << (target % 32);
        Ok(Step { from: self.source(mine, to, target as usize / 32), to, take })
    }

    /// Plays a legal move.
    #[inline]
    pub(super) fn play(&mut self, step: Step) {
        let left = position(self.of, self.mover, self.taking);
        let (me, they) = (self.mover.index(), self.mover.opponent().index());
        self.of[me] ^= step.from | step.to;
        self.of[they] ^= step.take;
        self.men[they] -= u8::from(step.take != 0);
        self.hand[me] -= u8::from(step.from == 0 && step.to != 0);
        self.taking = self.apart && self.of[they] != 0 && in_mills(self.of[me]) & step.to != 0;
        if !self.taking {
            self.mover = self.mover.opponent();
        }
        if step.from == 0 || step.take != 0 {
            (self.clock, self.seen) = (0, 0);
            self.past.iter_mut().for_each(Vec::clear);
        } else {
            self.clock += 1;
            let now = position(self.of, self.mover, self.taking);
            if let Some(past) = &mut self.past {
                past.push(left);
                self.seen = past.iter().filter(|&&earlier| earlier == now).count().min(2) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::dice;
    use perfectplay_core::{Game, Status};

    fn follows_the_rules(apart: bool, draws: bool) {
        let rules = Morris::new(apart, draws);
        let mut below = dice();
        for _ in 0..300 {
            let mut state = rules.start();
            let mut board = Board::new(&rules, &state);
            let payoff = loop {
                let step = match board.draw(&mut below) {
                    Ok(step) => step,
                    Err(payoff) => break payoff,
                };
                let mut moves = Vec::new();
                rules.expand(&state, &mut moves);
                assert!(moves.contains(&step.as_move()), "{:?} in {state:?}", step.as_move());
                rules.play(&mut state, step.as_move());
                board.play(step);
                assert_eq!(board, Board::new(&rules, &state));
            };
            assert_eq!(rules.status(&state), Status::Over(payoff));
        }
    }

    #[test]
    fn playouts_follow_the_rules() {
        for apart in [false, true] {
            follows_the_rules(apart, false);
            follows_the_rules(apart, true);
        }
    }
}
