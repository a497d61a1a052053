//! The pieces as sets of points, where they go and what they attack.

use perfectplay_core::{Plain, Player};

pub(super) const FILES: usize = 9;
pub(super) const RANKS: usize = 10;
pub(super) const POINTS: usize = FILES * RANKS;
const STEPS: [isize; 4] = [1, -1, FILES as isize, -(FILES as isize)];

pub(super) const GENERAL: u8 = 1;
pub(super) const ADVISOR: u8 = 2;
pub(super) const ELEPHANT: u8 = 3;
pub(super) const HORSE: u8 = 4;
pub(super) const CHARIOT: u8 = 5;
pub(super) const CANNON: u8 = 6;
pub(super) const SOLDIER: u8 = 7;

const ALL: u128 = (1 << POINTS) - 1;
/// The points on each side of the river.
pub(super) const HALVES: [u128; 2] = [(1 << (POINTS / 2)) - 1, ALL & !((1 << (POINTS / 2)) - 1)];

/// The piece of `side`; Black's have the bit above the kind set.
pub(super) const fn piece(kind: u8, side: usize) -> u8 {
    kind | (side as u8) << 3
}

/// Whose half of the board a point lies in.
pub(super) fn half(at: usize) -> usize {
    usize::from(at / FILES >= RANKS / 2)
}

pub(super) fn in_palace(at: usize) -> bool {
    let (file, rank) = (at % FILES, at / FILES);
    (3..=5).contains(&file) && (rank <= 2 || rank >= 7)
}

fn mirror(at: u8) -> u8 {
    let files = FILES as u8;
    at / files * files + (files - 1 - at % files)
}

/// The least point of a set that is not empty.
#[inline]
fn lowest(set: u128) -> usize {
    set.trailing_zeros() as usize
}

#[inline]
fn has(set: u128, at: u8) -> bool {
    let half = if at < 64 { set as u64 } else { (set >> 64) as u64 };
    half >> (at & 63) & 1 != 0
}

/// A piece goes from one point to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Where it was.
    pub from: u8,
    /// Where it goes.
    pub to: u8,
}

impl Move {
    /// Both points as one number, never 0 and less than 2^14.
    #[inline]
    pub(super) fn points(self) -> u16 {
        u16::from(self.from) | u16::from(self.to) << 7
    }

    #[inline]
    pub(super) fn of_points(points: u16) -> Self {
        Move { from: (points & 127) as u8, to: (points >> 7) as u8 }
    }

    /// Whether a number could be that of two points.
    #[inline]
    pub(super) fn are_points(points: u16) -> bool {
        usize::from(points & 127) < POINTS && usize::from(points >> 7) < POINTS
    }

    pub(super) fn mirrored(self) -> Self {
        Move { from: mirror(self.from), to: mirror(self.to) }
    }
}

impl Plain for Move {
    const SIZE: usize = 2;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        (self.from, self.to).put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let (from, to) = Plain::take(bytes)?;
        (usize::from(from) < POINTS && usize::from(to) < POINTS).then_some(Move { from, to })
    }
}

/// The pieces and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    /// Three bits of the kind, and Black's points.
    pub(super) planes: [u128; 4],
    /// Who moves.
    pub mover: Player,
}

impl Plain for Board {
    const SIZE: usize = 49;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        for (i, plane) in self.planes.iter().enumerate() {
            (*plane as u64, (*plane >> 64) as u32).put(&mut out[12 * i..]);
        }
        self.mover.put(&mut out[48..]);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let halves: [(u64, u32); 4] = Plain::take(bytes)?;
        let planes = halves.map(|(low, high)| u128::from(low) | u128::from(high) << 64);
        let mover = Player::take(bytes.get(48..)?)?;
        let inside = planes.iter().all(|plane| plane & !ALL == 0);
        (inside && mover.index() < 2).then_some(Board { planes, mover })
    }
}

impl Board {
    pub(super) fn new(cells: &[u8; POINTS], mover: Player) -> Self {
        let mut planes = [0; 4];
        for (at, cell) in cells.iter().enumerate() {
            for (bit, plane) in planes.iter_mut().enumerate() {
                *plane |= u128::from(cell >> bit & 1) << at;
            }
        }
        Board { planes, mover }
    }

    /// The piece on each point.
    pub(super) fn cells(&self) -> [u8; POINTS] {
        std::array::from_fn(|at| self.kind_at(at) | ((self.planes[3] >> at & 1) as u8) << 3)
    }

    #[inline]
    fn kind_at(&self, at: usize) -> u8 {
        let bit = |plane: usize| (self.planes[plane] >> at) as u8 & 1;
        bit(0) | bit(1) << 1 | bit(2) << 2
    }

    #[inline]
    fn occupied(&self) -> u128 {
        self.planes[0] | self.planes[1] | self.planes[2]
    }

    /// The points of one side's pieces.
    #[inline]
    pub(super) fn of(&self, side: usize) -> u128 {
        if side == 1 { self.planes[3] } else { self.occupied() & !self.planes[3] }
    }

    /// The points of the pieces of one kind, of both sides.
    #[inline]
    pub(super) fn kind(&self, kind: u8) -> u128 {
        let plane = |bit: usize| if kind >> bit & 1 == 1 { self.planes[bit] } else { !self.planes[bit] };
        plane(0) & plane(1) & plane(2)
    }

    /// Plays a move; answers whether it takes something.
    #[inline]
    pub(super) fn play(&mut self, mv: Move) -> bool {
        let (from, to) = (1u128 << mv.from, 1u128 << mv.to);
        let takes = self.occupied() & to != 0;
        for plane in &mut self.planes {
            let moves = *plane & from != 0;
            *plane = *plane & !(from | to) | if moves { to } else { 0 };
        }
        self.mover = self.mover.opponent();
        takes
    }

    /// The position before a move that took nothing.
    #[inline]
    pub(super) fn before(mut self, points: u16) -> Self {
        let Move { from, to } = Move::of_points(points);
        self.play(Move { from: to, to: from });
        self
    }

    /// The move from here to the next position, if it is one that takes nothing.
    pub(super) fn quiet_move_to(&self, next: &Board) -> Option<Move> {
        let (left, entered) = (self.occupied() & !next.occupied(), next.occupied() & !self.occupied());
        if left.count_ones() != 1 || entered.count_ones() != 1 {
            return None;
        }
        let mv = Move { from: lowest(left) as u8, to: lowest(entered) as u8 };
        let mut after = *self;
        after.play(mv);
        (after == *next && self.of(self.mover.index()) & left != 0).then_some(mv)
    }

    pub(super) fn mirrored(&self) -> Self {
        let cells = self.cells();
        Board::new(&std::array::from_fn(|at| cells[usize::from(mirror(at as u8))]), self.mover)
    }
}

/// A short list.
#[derive(Clone, Copy, Debug)]
struct Few<T, const N: usize> {
    items: [T; N],
    len: u8,
}

impl<T: Copy + Default, const N: usize> Few<T, N> {
    #[inline]
    fn iter(&self) -> impl Iterator<Item = T> {
        self.items[..usize::from(self.len)].iter().copied()
    }
}

impl<T: Copy + Default, const N: usize> FromIterator<T> for Few<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(list: I) -> Self {
        let mut few = Few { items: [T::default(); N], len: 0 };
        for item in list {
            few.items[usize::from(few.len)] = item;
            few.len += 1;
        }
        few
    }
}

/// What can go wrong with the mover's moves: others need no test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    /// Moves from here must be tested,
    from: u128,
    /// and moves to here.
    to: u128,
}

impl Guard {
    /// Every move is tested.
    #[cfg(test)]
    pub(super) const ALL: Guard = Guard { from: ALL, to: ALL };
}

/// A side's pieces that attack from afar or by leaps.
#[derive(Clone, Copy)]
struct Attackers {
    /// Chariots, and the general: it must not be faced.
    direct: u128,
    cannons: u128,
    horses: u128,
    soldiers: u128,
}

impl Attackers {
    #[inline]
    fn of(board: &Board, side: usize) -> Self {
        let [a, b, c, _] = board.planes;
        let mine = board.of(side);
        // Generals are the only ones with the first bit alone, chariots the only ones with the first and the last.
        let direct = a & !b & mine;
        let (horses, cannons, soldiers) = (c & !a & !b & mine, c & !a & b & mine, a & b & c & mine);
        Attackers { direct, cannons, horses, soldiers }
    }

    #[inline]
    fn without(self, point: u128) -> Self {
        let Attackers { direct, cannons, horses, soldiers } = self;
        let [direct, cannons, horses, soldiers] = [direct, cannons, horses, soldiers].map(|set| set & !point);
        Attackers { direct, cannons, horses, soldiers }
    }
}

/// Where pieces can go, from each point.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// The points up to the edge in each of the four directions.
    rays: [[u128; 4]; POINTS],
    /// Where a general, an advisor and a soldier of each side go.
    general: [Few<u8, 4>; POINTS],
    advisor: [Few<u8, 4>; POINTS],
    soldier: [[Few<u8, 3>; POINTS]; 2],
    /// Where an elephant and a horse go, each with the point that must be free.
    elephant: [Few<(u8, u8), 4>; POINTS],
    horse: [Few<(u8, u8), 8>; POINTS],
    /// From where a horse attacks, with the point that must be free.
    horse_attacks: [Few<(u8, u8), 8>; POINTS],
    /// The same points as a set.
    horse_points: [u128; POINTS],
    /// From where a soldier of each side attacks.
    soldier_points: [[u128; POINTS]; 2],
}

/// The point some files and ranks away, if there is one.
fn moved(at: usize, (file, rank): (i32, i32)) -> Option<u8> {
    let (file, rank) = ((at % FILES) as i32 + file, (at / FILES) as i32 + rank);
    let inside = (0..FILES as i32).contains(&file) && (0..RANKS as i32).contains(&rank);
    inside.then(|| (rank * FILES as i32 + file) as u8)
}

fn lists<const N: usize>(ways: &[(i32, i32)], allowed: impl Fn(usize, usize) -> bool) -> [Few<u8, N>; POINTS] {
    std::array::from_fn(|at| {
        ways.iter().filter_map(|&way| moved(at, way)).filter(|&to| allowed(at, to.into())).collect()
    })
}

impl Tables {
    pub(super) fn new() -> Self {
        let straight = [(1, 0), (-1, 0), (0, 1), (0, -1)];
        let diagonal = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
        let horse_way = |leg: (i32, i32), side: i32| (2 * leg.0 + side * leg.1.abs(), 2 * leg.1 + side * leg.0.abs());
        let horse: [Few<(u8, u8), 8>; POINTS] = std::array::from_fn(|at| {
            let ways = straight.into_iter().flat_map(|leg| [1, -1].map(|side| (leg, horse_way(leg, side))));
            ways.filter_map(|(leg, way)| Some((moved(at, way)?, moved(at, leg)?))).collect()
        });
        let elephant = |at: usize| {
            let ways = diagonal.into_iter().map(|(x, y)| ((x, y), (2 * x, 2 * y)));
            let ways = ways.filter_map(|(eye, way)| Some((moved(at, way)?, moved(at, eye)?)));
            ways.filter(|&(to, _)| half(at) == half(to.into())).collect()
        };
        let forward = |side: usize| if side == 0 { 1 } else { -1 };
        let soldier = [0, 1].map(|side: usize| {
            lists(&[(0, forward(side)), (1, 0), (-1, 0)], |at, to| at / FILES != to / FILES || half(at) != side)
        });
        let horse_attacks: [Few<(u8, u8), 8>; POINTS] = std::array::from_fn(|to| {
            let from =
                |at: usize| horse[at].iter().filter(move |m| usize::from(m.0) == to).map(move |m| (at as u8, m.1));
            (0..POINTS).flat_map(from).collect()
        });
        let ray = |at: usize, way: (i32, i32)| {
            let points = std::iter::successors(moved(at, way), |&p| moved(p.into(), way));
            points.fold(0u128, |set, p| set | 1 << p)
        };
        let soldier_points = [0, 1].map(|side: usize| {
            let from =
                |to: usize| (0..POINTS).filter(move |&at| soldier[side][at].iter().any(|t| usize::from(t) == to));
            std::array::from_fn(|to| from(to).fold(0u128, |set, at| set | 1 << at))
        });
        Tables {
            rays: std::array::from_fn(|at| straight.map(|way| ray(at, way))),
            general: lists(&straight, |at, to| in_palace(to) && half(at) == half(to)),
            advisor: lists(&diagonal, |at, to| in_palace(to) && half(at) == half(to)),
            elephant: std::array::from_fn(elephant),
            horse_points: std::array::from_fn(|at| horse_attacks[at].iter().fold(0, |set, (from, _)| set | 1 << from)),
            horse_attacks,
            horse,
            soldier,
            soldier_points,
        }
    }

    /// The nearest point of `set` in a direction from where `set` was cut out.
    #[inline]
    fn nearest(set: u128, direction: usize) -> usize {
        if direction & 1 == 0 { lowest(set) } else { 127 - set.leading_zeros() as usize }
    }

    /// Whether a piece of the other side attacks `side`'s general; generals that face each other do.
    #[inline]
    pub(super) fn attacked(&self, board: &Board, side: usize) -> bool {
        let general = board.kind(GENERAL) & board.of(side);
        general != 0 && self.attacks(lowest(general), side, board.occupied(), &Attackers::of(board, 1 - side))
    }

    /// The same after a move of `side`.
    #[inline]
    pub(super) fn attacked_after(&self, board: &Board, mv: Move, side: usize) -> bool {
        let (from, to) = (1u128 << mv.from, 1u128 << mv.to);
        let general = board.kind(GENERAL) & board.of(side);
        let general = if general == from { to } else { general };
        let attackers = Attackers::of(board, 1 - side).without(to);
        self.attacks(lowest(general), side, board.occupied() & !from | to, &attackers)
    }

    #[inline]
    fn attacks(&self, at: usize, side: usize, occupied: u128, attackers: &Attackers) -> bool {
        let far = attackers.direct | attackers.cannons;
        for (direction, ray) in self.rays[at].iter().enumerate() {
            if ray & far == 0 {
                continue;
            }
            let line = ray & occupied;
            let first = 1u128 << Self::nearest(line, direction);
            if first & attackers.direct != 0 {
                return true;
            }
            let rest = line ^ first;
            if rest & attackers.cannons != 0 && 1u128 << Self::nearest(rest, direction) & attackers.cannons != 0 {
                return true;
            }
        }
        self.soldier_points[1 - side][at] & attackers.soldiers != 0
            || self.horse_points[at] & attackers.horses != 0 && {
                let attacks = |(from, leg): (u8, u8)| attackers.horses >> from & 1 != 0 && occupied >> leg & 1 == 0;
                self.horse_attacks[at].iter().any(attacks)
            }
    }

    /// Which moves of the mover might leave its general attacked.
    #[inline]
    pub(super) fn guard(&self, board: &Board, checked: bool) -> Guard {
        let side = board.mover.index();
        let general = board.kind(GENERAL) & board.of(side);
        if checked || general == 0 {
            return Guard { from: ALL, to: ALL };
        }
        let at = lowest(general);
        let (occupied, attackers) = (board.occupied(), Attackers::of(board, 1 - side));
        let far = attackers.direct | attackers.cannons;
        let mut guard = Guard { from: general, to: 0 };
        for (direction, ray) in self.rays[at].iter().enumerate().filter(|(_, ray)| *ray & far != 0) {
            let mut line = ray & occupied;
            let mut next = || {
                let point = if line == 0 { 0 } else { 1u128 << Self::nearest(line, direction) };
                line ^= point;
                point
            };
            let (first, second, third) = (next(), next(), next());
            if first & attackers.cannons != 0 {
                // A piece before it would be a screen.
                guard.to |= ray & !self.rays[lowest(first)][direction] & !first;
            }
            if second & attackers.direct != 0 {
                guard.from |= first;
            }
            if third & attackers.cannons != 0 {
                guard.from |= first | second;
            }
        }
        if self.horse_points[at] & attackers.horses != 0 {
            let hobbled = self.horse_attacks[at].iter().filter(|(from, _)| attackers.horses >> from & 1 != 0);
            guard.from |= hobbled.fold(0, |legs, (_, leg)| legs | 1 << leg);
        }
        guard
    }

    /// Which moves of the mover might let the generals face each other.
    pub(super) fn facing_guard(&self, board: &Board) -> Guard {
        let generals = board.kind(GENERAL);
        let mine = generals & board.of(board.mover.index());
        let theirs = generals & !mine;
        let mut guard = Guard { from: mine, to: 0 };
        if mine != 0 && theirs != 0 {
            let between = self.between(mine, theirs) & board.occupied();
            if between.is_power_of_two() {
                guard.from |= between;
            }
        }
        guard
    }

    /// The points between two on one file; none if they are on different files.
    fn between(&self, a: u128, b: u128) -> u128 {
        let low = lowest(a | b);
        let up = self.rays[low][2];
        let high = (a | b) & up;
        if high == 0 { 0 } else { up & (high - 1) }
    }

    /// Whether the two generals face each other on an open file.
    pub(super) fn facing(&self, board: &Board) -> bool {
        let generals = board.kind(GENERAL);
        if generals.count_ones() != 2 {
            return false;
        }
        let low = lowest(generals);
        let line = self.rays[low][2] & board.occupied();
        line != 0 && 1u128 << lowest(line) & generals != 0
    }

    /// Calls `found` with every move of the mover's pieces and whether its legality must be tested, until it answers
    /// true.
    #[inline]
    pub(super) fn any_move(&self, board: &Board, guard: &Guard, mut found: impl FnMut(Move, bool) -> bool) -> bool {
        let side = board.mover.index();
        let (mine, occupied) = (board.of(side), board.occupied());
        let mut pieces = mine;
        while pieces != 0 {
            let at = lowest(pieces);
            pieces &= pieces - 1;
            let (from, tested) = (at as u8, has(guard.from, at as u8));
            let mut go = |to: u8| found(Move { from, to }, tested || guard.to != 0 && has(guard.to, to));
            let mut enter = |to: u8| !has(mine, to) && go(to);
            let stop = match board.kind_at(at) {
                GENERAL => self.general[at].iter().any(enter),
                ADVISOR => self.advisor[at].iter().any(enter),
                SOLDIER => self.soldier[side][at].iter().any(enter),
                ELEPHANT => self.elephant[at].iter().any(|(to, eye)| !has(occupied, eye) && enter(to)),
                HORSE => self.horse[at].iter().any(|(to, leg)| !has(occupied, leg) && enter(to)),
                kind => any_slide(at, occupied, mine, kind == CANNON, go),
            };
            if stop {
                return true;
            }
        }
        false
    }
}

/// A chariot's or a cannon's moves: right, left, up, down.
#[inline]
fn any_slide(at: usize, occupied: u128, mine: u128, cannon: bool, mut go: impl FnMut(u8) -> bool) -> bool {
    let (file, rank) = (at % FILES, at / FILES);
    let row = (occupied >> (rank * FILES)) as u32 & 0x1ff;
    let column = column(occupied, file);
    let mut reach = |reach: Reach, step: isize| {
        let to = |distance: u32| at.wrapping_add_signed(step * distance as isize) as u8;
        let taken = if cannon { reach.second } else { reach.first };
        (1..=reach.open).any(|distance| go(to(distance))) || taken != 0 && !has(mine, to(taken)) && go(to(taken))
    };
    reach(Reach::up(row, file, FILES), STEPS[0])
        || reach(Reach::down(row, file), STEPS[1])
        || reach(Reach::up(column, rank, RANKS), STEPS[2])
        || reach(Reach::down(column, rank), STEPS[3])
}

/// How far a line is open in one direction, and at what distance its first two pieces stand; 0 if there is none.
struct Reach {
    open: u32,
    first: u32,
    second: u32,
}

impl Reach {
    /// Towards the high bits of a line of `length` points.
    #[inline]
    fn up(line: u32, at: usize, length: usize) -> Self {
        let pieces = line >> (at + 1);
        let rest = pieces & pieces.wrapping_sub(1);
        let distance = |set: u32| if set == 0 { 0 } else { set.trailing_zeros() + 1 };
        let room = (length - 1 - at) as u32;
        Reach { open: pieces.trailing_zeros().min(room), first: distance(pieces), second: distance(rest) }
    }

    /// Towards the low bits.
    #[inline]
    fn down(line: u32, at: usize) -> Self {
        let pieces = (u64::from(line) << (32 - at)) as u32;
        let gap = pieces.leading_zeros();
        let rest = pieces & !(0x8000_0000u32.checked_shr(gap).unwrap_or(0));
        let distance = |set: u32| if set == 0 { 0 } else { set.leading_zeros() + 1 };
        Reach { open: gap.min(at as u32), first: distance(pieces), second: distance(rest) }
    }
}

/// The occupied points of a file as a line.
#[inline]
fn column(occupied: u128, file: usize) -> u32 {
    // Each of the bits 0, 9, … 63 is moved to one of the eight highest; no two products meet.
    const BITS: u64 = 0x8040_2010_0804_0201;
    const TO_TOP: u64 = 0x0101_0101_0101_0101;
    let bits = occupied >> file;
    let low = (bits as u64 & BITS).wrapping_mul(TO_TOP) >> 56;
    low as u32 | ((bits >> 64) as u32 & 0x100) | ((bits >> 72) as u32 & 0x200)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_gathered_in_order() {
        for at in 0..POINTS {
            for file in 0..FILES {
                let expected = if at % FILES == file { 1 << (at / FILES) } else { 0 };
                assert_eq!(column(1 << at, file), expected);
            }
        }
        assert_eq!(column(ALL, 4), 0x3ff);
    }
}
