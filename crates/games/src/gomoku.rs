//! Gomoku: five stones in a row win. Also the rules that Connect6 shares with it.
//!
//! Free style: more than five win as well. With `opening=outer` the first stone must stand in one of the two outer
//! rings (on 15×15: 104 points), which takes away the first player's advantage.
//!
//! A state knows whether the last stone won, and whose rows are worth how much more: looking along four lines when a
//! stone is placed is cheaper than searching the whole board afterwards, and needs no memory of where the last stone
//! was. What there is to see on a line is looked up: a new stone shares a row with the `in_a_row - 1` points on either
//! side of it only.

use perfectplay_core::{
    Cell, Colour, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Layout, Look, Notation, OptionSet,
    OrderingHints, Params, Payoff, Persist, Plain, Player, Playouts, Setting, SolverHints, Status, Symmetric,
    TextError, Visitor, ZeroSum, options, plain_struct,
};

use crate::support::bits::{Bits, Wide};
use crate::support::board;
use crate::support::grid::{Grid, where_is};
use crate::support::playout::Bundles;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "gomoku",
    summary: "five stones in a row win",
    players: "2",
    parameters: Parameters::docs,
    examples: &["gomoku:5", "gomoku:15", "gomoku:15,opening=outer"],
    rules: "Players put a stone of theirs on an empty point in turn. Five or more in a straight row win; a full board \
without them is a draw. With `opening=outer` the first stone must stand in one of the two outer rings of the board.

Positions are written row by row from the top: `x` for the first player, `o` for the second, numbers for runs of empty \
points. Moves are points, `a1` in the lower left corner.",
    sources: &[
        "L. V. Allis, H. J. van den Herik, M. P. H. Huntjens, Go-Moku Solved by New Search Techniques, Computational \
Intelligence 12 (1996)",
        "Computer Olympiad: outer-open Gomoku",
    ],
};

options! {
    struct Parameters {
        size: u32 = Setting::whole("size", "points along a side", 3..=19, 15).positional(),
        outer: bool = Setting::choice(
            "opening",
            "where the first stone may stand",
            &[("free", "anywhere", false), ("outer", "in one of the two outer rings", true)],
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size, outer } = Parameters::read(INFO.name, params)?;
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
        ..=225 => visitor.zero_sum(InARow::<Wide<4>>::new(rules)),
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
    lines: Lines<B>,
    bundles: Bundles,
}

const OFF: u16 = u16::MAX;

/// The directions of lines.
const LINES: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];
/// Set in what a stone gains on a line if it completes a row there.
const WIN: u16 = 1 << 15;

/// What a new stone sees: the points beside it on four lines, each line as a number of one bit per point.
#[derive(Clone, Debug)]
struct Lines<B> {
    /// How many points a line has on either side.
    reach: u32,
    /// The points on the four lines through each point.
    near: Vec<B>,
    /// Which of those would lie beyond the edge, 16 bits for each line.
    off: Vec<u64>,
    /// Sixteen times the row plus the column: the difference of two tells how points lie to each other.
    places: Vec<u16>,
    /// The bit of a point on a line, by that difference.
    bits: [u8; 256],
    /// How far a line goes to both sides before it meets one of these points, as one number.
    spans: Vec<u8>,
    /// What a stone adds to its owner's rows, by the span without enemies and the own stones; with [`WIN`].
    gains: Vec<u16>,
    /// What it takes from its enemy's rows, by the span without own stones and the enemies.
    losses: Vec<u16>,
}

/// What a row is worth to its owner that holds so many stones of his and none of the enemy's: four times as much for
/// each more.
fn worth(stones: u32) -> u16 {
    (1 << (2 * stones)) - 1
}

impl<B: Bits> Lines<B> {
    fn new(grid: &Grid, in_a_row: u32) -> Self {
        let reach = in_a_row - 1;
        let steps = || (1..=reach as i32).flat_map(|i| [-i, i]);
        let ways = || LINES.into_iter().flat_map(move |(x, y)| steps().map(move |i| (i * x, i * y)));
        let near = |cell| ways().filter_map(|way| grid.moved(cell, way)).fold(B::none(), |set, c| set | B::bit(c));
        let bit = |line: u32, step: i32| 16 * line + (step + reach as i32 - i32::from(step > 0)) as u32;
        let mut bits = [0; 256];
        for (line, (x, y)) in (0..).zip(LINES) {
            steps().for_each(|i| bits[(128 + i * (16 * y + x)) as usize] = bit(line, i) as u8);
        }
        let off = |cell| {
            let beyond = (0..).zip(LINES).flat_map(|(line, (x, y))| steps().map(move |i| (line, i, (i * x, i * y))));
            let beyond = beyond.filter(|&(_, _, way)| grid.moved(cell, way).is_none());
            beyond.fold(0, |set, (line, i, _)| set | 1 << bit(line, i))
        };
        let patterns = 1u32 << (2 * reach);
        let spans = (0..patterns).map(|points| Span::up_to(points, reach));
        let ranges = || (0..=reach).flat_map(|left| (0..=reach).map(move |right| Span { left, right }));
        let all = || ranges().flat_map(|span| (0..patterns).map(move |stones| (span, stones)));
        Lines {
            reach,
            near: (0..grid.cells()).map(near).collect(),
            off: (0..grid.cells()).map(off).collect(),
            places: (0..grid.cells()).map(|c| (16 * (c / grid.width) + c % grid.width) as u16).collect(),
            bits,
            spans: spans.map(|span| (span.left * in_a_row + span.right) as u8).collect(),
            gains: all().map(|(span, stones)| span.gain(stones, reach)).collect(),
            losses: all().map(|(span, stones)| span.rows(stones, reach).map(worth).sum()).collect(),
        }
    }

    /// The stones of `set` near `cell`, as bits of the four lines.
    #[inline]
    fn through(&self, set: B, cell: u16) -> u64 {
        let place = 128u16.wrapping_sub(self.places[cell as usize]);
        let mut lines = 0;
        (set & self.near[cell as usize]).cells().for_each(|other| {
            lines |= 1 << self.bits[usize::from(self.places[other as usize].wrapping_add(place) as u8)];
        });
        lines
    }

    /// By how much a stone on `cell` puts its owner ahead, and whether it completes a row.
    #[inline]
    fn look(&self, own: B, theirs: B, cell: u16) -> (i32, bool) {
        let off = self.off[cell as usize];
        let (own, theirs) = (self.through(own, cell), self.through(theirs, cell));
        let (mut ahead, mut all) = (0, 0);
        for line in 0..4 {
            let part = |set: u64| (set >> (16 * line)) as usize & ((1 << (2 * self.reach)) - 1);
            let entry = |edge: u64, stones: u64| usize::from(self.spans[part(edge)]) << (2 * self.reach) | part(stones);
            let gain = self.gains[entry(theirs | off, own)];
            all |= gain;
            ahead += i32::from(gain & !WIN) + i32::from(self.losses[entry(own | off, theirs)]);
        }
        (ahead, all & WIN != 0)
    }
}

/// So many points to the left and to the right of a point on a line.
#[derive(Clone, Copy)]
struct Span {
    left: u32,
    right: u32,
}

impl Span {
    /// As far as none of `points` lies. The lower half of their bits are those to the left, the nearest last.
    fn up_to(points: u32, reach: u32) -> Self {
        let left = points & ((1 << reach) - 1);
        Span { left: left.leading_zeros() + reach - u32::BITS, right: (points >> reach).trailing_zeros().min(reach) }
    }

    /// For every row through the point that lies within: how many of `stones` it holds.
    fn rows(self, stones: u32, reach: u32) -> impl Iterator<Item = u32> {
        let row = (1u32 << reach) - 1;
        (0..=reach).filter(move |&left| left <= self.left && reach - left <= self.right).map(move |left| {
            // Bits next to each other are points next to each other, or the two beside the new stone.
            (stones >> (reach - left) & row).count()
        })
    }

    fn gain(self, stones: u32, reach: u32) -> u16 {
        let more = self.rows(stones, reach).map(|n| worth(n + 1) - worth(n)).sum::<u16>();
        more | if self.rows(stones, reach).any(|n| n == reach) { WIN } else { 0 }
    }
}

/// Who stands where. The number of stones says who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stones<B> {
    /// The first player's stones, then the second's.
    pub of: [B; 2],
    /// How many stones there are.
    count: u16,
    /// Whether the last stone completed a row.
    won: bool,
    /// How much more the first player's rows are worth than the second's.
    lead: i32,
}

/// The stones of both players. In four words each there are at most 225 points: then a key takes 56 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key<B>([B; 2]);

/// Of 225 points, those that take a bit for each player; the rest is a number with a digit of base three for each.
const AS_BITS: u32 = 210;

impl<B: Bits> Key<B> {
    const DENSE: bool = B::BITS == 256;

    /// The points from [`AS_BITS`] on as a number below 3^15.
    #[inline]
    fn digits(&self) -> u64 {
        let digits = |set: B| (set >> AS_BITS).cells().map(|cell| 3u64.pow(cell)).sum::<u64>();
        digits(self.0[0]) + 2 * digits(self.0[1])
    }
}

impl<B: Bits> Plain for Key<B> {
    const SIZE: usize = if Self::DENSE { 56 } else { 2 * B::SIZE };

    #[inline]
    fn put(&self, out: &mut [u8]) {
        if !Self::DENSE {
            return self.0.put(out);
        }
        let words = |set: B| -> [u64; 4] { std::array::from_fn(|i| (set >> (64 * i as u32)).low_word()) };
        let ([x0, x1, x2, x3], [o0, o1, o2, o3]) = (words(self.0[0]), words(self.0[1]));
        let last = |word: u64| word & ((1 << (AS_BITS - 192)) - 1);
        let packed: [u64; 7] = [
            x0,
            x1,
            x2,
            last(x3) | o0 << 18,
            o0 >> 46 | o1 << 18,
            o1 >> 46 | o2 << 18,
            o2 >> 46 | last(o3) << 18 | self.digits() << 36,
        ];
        packed.put(out);
    }

    fn take(bytes: &[u8]) -> Option<Self> {
        if !Self::DENSE {
            return Plain::take(bytes).map(Key);
        }
        let bits: [u64; 7] = Plain::take(bytes)?;
        let has = |at: u32| bits[(at / 64) as usize] >> (at % 64) & 1 == 1;
        let plane = |first: u32| (0..AS_BITS).filter(|&c| has(first + c)).fold(B::none(), |set, c| set | B::bit(c));
        let mut of = [plane(0), plane(AS_BITS)];
        let mut digits = bits[6] >> 36;
        for cell in AS_BITS..225 {
            match digits % 3 {
                0 => {}
                player => of[player as usize - 1] = of[player as usize - 1] | B::bit(cell),
            }
            digits /= 3;
        }
        (digits == 0).then_some(Key(of))
    }
}

plain_struct!(impl[B: Bits] Stones<B> { of: [B; 2], count: u16, won: bool, lead: i32 });

impl<B: Bits> InARow<B> {
    /// The game with these rules.
    ///
    /// # Panics
    /// If the board does not fit into `B`, or a row has no or more than six stones.
    pub fn new(rules: Rules) -> Self {
        let size = rules.size;
        assert!((1..=6).contains(&rules.in_a_row), "{} in a row", rules.in_a_row);
        assert!(size > 0 && size * size <= B::BITS, "{size}x{size} does not fit");
        let grid = Grid::new(size, size);
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
            next: (0..grid.cells()).map(|c| LINES.map(|line| next(c, line))).collect(),
            rows: (0..grid.cells()).flat_map(|c| LINES.into_iter().filter_map(move |line| row(c, line))).collect(),
            lines: Lines::new(&grid, rules.in_a_row),
            bundles: Bundles::new(grid.cells() as usize),
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

    /// Rows that only this player can still complete, weighed by how far they are.
    fn rows_worth(&self, mine: B, theirs: B) -> i32 {
        let open = self.rows.iter().filter(|&&row| (row & theirs).is_none());
        open.map(|&row| i32::from(worth((row & mine).count()))).sum()
    }

    fn lead(&self, [x, o]: [B; 2]) -> i32 {
        self.rows_worth(x, o) - self.rows_worth(o, x)
    }

    /// How many places the next stone has.
    #[inline]
    fn choices(&self, stones: &Stones<B>) -> usize {
        if stones.count == 0 { self.opening.count() as usize } else { self.next.len() - usize::from(stones.count) }
    }
}

impl<B: Bits> Game for InARow<B> {
    type State = Stones<B>;
    type Move = u16;
    type Payoff = ZeroSum;
    type Key = Key<B>;

    fn start(&self) -> Stones<B> {
        Stones { of: [B::none(); 2], count: 0, won: false, lead: 0 }
    }

    #[inline]
    fn expand(&self, stones: &Stones<B>, moves: &mut Vec<u16>) -> Status<ZeroSum> {
        let status = self.status(stones);
        if let Status::Turn(_) = status {
            self.free(stones).cells().for_each(|c| moves.push(c as u16));
        }
        status
    }

    #[inline]
    fn status(&self, stones: &Stones<B>) -> Status<ZeroSum> {
        if stones.won {
            Status::Over(ZeroSum::win_for(self.mover(stones.count - 1)))
        } else if u32::from(stones.count) == self.grid.cells() {
            Status::Over(ZeroSum::draw())
        } else {
            Status::Turn(self.mover(stones.count))
        }
    }

    #[inline]
    fn play(&self, stones: &mut Stones<B>, cell: u16) {
        let mover = self.mover(stones.count);
        let (mine, theirs) = (stones.of[mover.index()], stones.of[1 - mover.index()]);
        let (ahead, won) = self.lines.look(mine, theirs, cell);
        stones.of[mover.index()] = mine | B::bit(cell.into());
        stones.lead += if mover == Player::FIRST { ahead } else { -ahead };
        stones.won = won;
        stones.count += 1;
    }

    #[inline]
    fn key(&self, stones: &Stones<B>) -> Key<B> {
        Key(stones.of)
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
            return Err(TextError::new(format!(
                "of {all} stones {due} must be x and {} o, not {x} and {o}",
                all - due
            )));
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
        Ok(Stones { of, count, won, lead: self.lead(of) })
    }

    fn move_text(&self, _: &Stones<B>, cell: u16) -> String {
        self.grid.name(cell.into())
    }

    fn drawing(&self, stones: &Stones<B>) -> Drawing {
        self.grid
            .draw(|c| match stones.of.map(|set| set.has(c)) {
                [true, _] => Cell::Stone(Player::FIRST),
                [_, true] => Cell::Stone(Player::SECOND),
                _ => Cell::Empty,
            })
            .with_look(Look::Crossings)
            .in_colours([Colour::Black, Colour::White])
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
                let choice = below(self.choices(stones));
                Ok(self.free(stones).nth(choice as u32) as u16)
            }
        }
    }

    /// With a list of the empty points, from which one is drawn faster than from a set; nobody asks who is ahead on the
    /// way.
    fn playout(
        &self,
        mut stones: Stones<B>,
        most: u32,
        empty: &mut Vec<u16>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        let list = |stones: &Stones<B>, empty: &mut Vec<u16>| {
            empty.clear();
            empty.extend(self.free(stones).cells().map(|cell| cell as u16));
        };
        list(&stones, empty);
        let mut choices = self.bundles.begin();
        let mut ply = 0;
        loop {
            let mover = match self.status(&stones) {
                Status::Over(payoff) => return (Some(payoff), ply),
                Status::Turn(_) if ply == most => return (None, most),
                Status::Turn(mover) => mover.index(),
            };
            let first = stones.count == 0;
            let chosen = if first { below(empty.len()) } else { choices.next(empty.len(), below) };
            let cell = empty.swap_remove(chosen);
            let mine = &mut stones.of[mover];
            *mine = *mine | B::bit(cell.into());
            stones.won = self.wins(*mine, cell);
            stones.count += 1;
            // The first stone may not stand everywhere.
            if first {
                list(&stones, empty);
            }
            ply += 1;
        }
    }
}

impl<B: Bits> Heuristic for InARow<B> {
    /// Rows that can still be completed: one stone more in a row counts four times as much.
    fn heuristic(&self, stones: &Stones<B>) -> f32 {
        Estimate::from_fn(|_| (stones.lead as f32 / 400.0).tanh() * 0.9)
    }
}

impl<B: Bits> Features for InARow<B> {
    fn layout(&self) -> Option<Layout> {
        let numbers: &[&str] = if self.rules.stones_per_turn == 1 { &[] } else { &["the second stone of a turn"] };
        Some(board::layout(self.rules.size, self.rules.size, 3, numbers))
    }

    fn cell_values(&self, stones: &Stones<B>, out: &mut Vec<u8>) {
        let mover = self.mover(stones.count).index();
        board::push_owners(0..self.grid.cells(), stones.of[mover], stones.of[1 - mover], out);
    }

    fn numbers(&self, stones: &Stones<B>, out: &mut Vec<f32>) {
        if self.rules.stones_per_turn == 2 {
            out.push(f32::from(u8::from(stones.count > 0 && stones.count.is_multiple_of(2))));
        }
    }

    fn viewer(&self, stones: &Stones<B>) -> Player {
        self.mover(stones.count)
    }
}
impl<B: Bits> SolverHints for InARow<B> {}
impl<B: Bits> OrderingHints for InARow<B> {}
impl<B: Bits> Persist for InARow<B> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::{dice, ends_as_move_by_move};

    #[test]
    fn playouts_follow_the_rules() {
        let follow = |size, in_a_row, stones_per_turn, outer, most| {
            let game = InARow::<u64>::new(Rules { size, in_a_row, stones_per_turn, outer });
            let mut stones = game.start();
            ends_as_move_by_move(&game, &stones, most);
            let corner = game.parse_move(&stones, "a1").unwrap();
            game.play(&mut stones, corner);
            ends_as_move_by_move(&game, &stones, most);
        };
        follow(3, 3, 1, false, 1000);
        follow(5, 3, 1, true, 1000);
        follow(5, 4, 2, false, 1000);
        follow(5, 5, 1, true, 12);
    }

    fn knows_rows<B: Bits>(size: u32, in_a_row: u32, stones_per_turn: u32) {
        let game = InARow::<B>::new(Rules { size, in_a_row, stones_per_turn, outer: false });
        let mut below = dice();
        for _ in 0..20 {
            let mut stones = game.start();
            while let Ok(cell) = game.random_move(&stones, &mut Vec::new(), &mut below) {
                let mover = game.mover(stones.count).index();
                game.play(&mut stones, cell);
                assert_eq!(stones.lead, game.lead(stones.of), "{}", game.position_text(&stones));
                assert_eq!(stones.won, game.has_row(stones.of[mover]), "{}", game.position_text(&stones));
                assert_eq!(stones.won, game.wins(stones.of[mover], cell), "{}", game.position_text(&stones));
            }
        }
    }

    #[test]
    fn a_state_knows_what_its_rows_say() {
        for size in 3..=8 {
            knows_rows::<u64>(size, 5, 1);
            knows_rows::<u64>(size, 6, 2);
            knows_rows::<u64>(size, 3, 1);
        }
        knows_rows::<Wide<4>>(15, 5, 1);
        knows_rows::<Wide<6>>(19, 6, 2);
    }
}
