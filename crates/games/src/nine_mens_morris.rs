//! Nine Men's Morris: close mills to take the enemy's men; who is left with two, or cannot move, loses.
//!
//! ```text
//!   7  0 ------- 1 ------- 2
//!   6  |   3 --- 4 --- 5   |
//!   5  |   |   6 7 8   |   |        points by number, row by row
//!   4  9  10  11   12 13  14
//!   3  |   |  15 16 17 |   |
//!   2  |  18 -- 19 -- 20   |
//!   1 21 ------ 22 ------ 23
//!      a   b   c d e   f   g
//! ```
//!
//! Moving men back and forth would never end, so 100 plies without placing or taking are a draw, and so is the third
//! occurrence of a position; the state remembers the positions it needs for that (see [`crate::support::history`]).

use perfectplay_core::{
    Cell, Colour, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Lattice, Layout, Look, Notation,
    OptionSet, OrderingHints, Params, Payoff, Persist, Plain, Player, Playouts, Setting, SolverHints, Status,
    Symmetric, TextError, Visitor, ZeroSum, options, plain_struct,
};

use crate::support::history::{self, Histories, History, PositionHistory};
use crate::support::playout;

mod rings;
use rings::{Board, Step};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "nine-mens-morris",
    summary: "close mills to take the enemy's men until two are left",
    players: "2",
    parameters: Parameters::docs,
    examples: &["nine-mens-morris:repetition=free", "nine-mens-morris:removal=ply", "nine-mens-morris"],
    rules: "Each side has nine men. They are first placed on empty points in turn, then moved along lines to adjacent \
empty points; a player with three men left may move to any empty point. Who closes a mill, three men on a line, takes \
an enemy man that is in no mill (any, if all are). A player with fewer than three men, or without a move, loses. A \
position that occurs for the third time, and 100 plies without placing or taking a man, are draws.

Taking is part of the move: `a4xd3`, `a4-a7xb4`. With `removal=ply` it is a move of its own: `xb4`. Positions are the \
24 points row by row from the top (`W`, `B`, `.`), the men White and Black still have to place, who moves, and the \
plies since a man was placed or taken. The state holds the positions since then, written after the position: `… after \
OLDEST, …`; with `repetition=free` it does not.",
    sources: &[
        "R. Gasser, Solving Nine Men's Morris, Computational Intelligence 12 (1996): a draw",
        "World Merels Federation: draws",
    ],
};

options! {
    struct Parameters {
        apart: bool = Setting::choice(
            "removal",
            "when a man is taken",
            &[("move", "with the move that closes the mill", false), ("ply", "by a move of its own", true)],
        ),
        draw: bool = Setting::choice(
            "repetition",
            "what happens if positions repeat",
            &[
                ("draw", "the third occurrence is one", true),
                ("free", "nothing until 100 plies without progress, a draw in any case", false),
            ],
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { apart, draw } = Parameters::read(INFO.name, params)?;
    Ok(visitor.zero_sum(Morris::new(apart, draw)))
}

/// Plies without placing or taking that end the game.
const PATIENCE: u8 = 100;
const POINTS: u32 = 24;
const ALL: u32 = (1 << POINTS) - 1;
const NONE: u8 = u8::MAX;

const MILLS: [[u8; 3]; 16] = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [9, 10, 11],
    [12, 13, 14],
    [15, 16, 17],
    [18, 19, 20],
    [21, 22, 23],
    [0, 9, 21],
    [3, 10, 18],
    [6, 11, 15],
    [1, 4, 7],
    [16, 19, 22],
    [8, 12, 17],
    [5, 13, 20],
    [2, 14, 23],
];

/// The points as columns and rows from the centre, row by row from the top.
const PLACES: [(i8, i8); 24] = [
    (-3, 3),
    (0, 3),
    (3, 3),
    (-2, 2),
    (0, 2),
    (2, 2),
    (-1, 1),
    (0, 1),
    (1, 1),
    (-3, 0),
    (-2, 0),
    (-1, 0),
    (1, 0),
    (2, 0),
    (3, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
    (-2, -2),
    (0, -2),
    (2, -2),
    (-3, -3),
    (0, -3),
    (3, -3),
];

/// The mills and neighbours of all points, and whether taking a man is a move of its own.
#[derive(Clone, Debug)]
pub struct Morris {
    apart: bool,
    /// The two mills through each point.
    mills: [[u32; 2]; 24],
    beside: [u32; 24],
    images: Vec<[u8; 24]>,
    /// Whether the third occurrence of a position is a draw.
    draws: bool,
    histories: Histories<Men>,
}

/// Who stands where, what is still to be placed, and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Men {
    /// The first player's (White's) men, then the second's.
    pub of: [u32; 2],
    /// Men still to be placed.
    pub hand: [u8; 2],
    /// Who moves.
    pub mover: Player,
    /// Whether the mover has closed a mill and must take a man now. Never, where taking is part of the move.
    pub taking: bool,
}

impl Men {
    /// Men on the board and in hand.
    fn men(&self, player: usize) -> u32 {
        self.of[player].count_ones() + u32::from(self.hand[player])
    }
}

/// A word for each side: the points it holds, and in the byte that is left what it has in hand; beside White's also who
/// moves.
impl Plain for Men {
    const SIZE: usize = 8;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        let flags = self.mover.index() as u32 | u32::from(self.taking) << 1;
        let [white, black] = [0, 1].map(|p| self.of[p] | u32::from(self.hand[p]) << POINTS);
        [white | flags << (POINTS + 4), black].put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let words = <[u32; 2]>::take(bytes)?;
        let flags = words[0] >> (POINTS + 4);
        Some(Men {
            of: words.map(|word| word & ALL),
            hand: words.map(|word| (word >> POINTS & 15) as u8),
            mover: Player::new((flags & 1) as usize),
            taking: flags & 2 != 0,
        })
    }
}

/// A position with what the rules need of its past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The men.
    pub men: Men,
    /// Plies since a man was placed or taken.
    clock: u8,
    /// How often this position was there before.
    seen: u8,
    past: History,
}

plain_struct!(impl[] State { men: Men, clock: u8, seen: u8, past: History });

/// A man comes from somewhere, goes somewhere and takes one: each of these may be absent (255).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Where it was, unless it comes from the hand.
    pub from: u8,
    /// Where it goes, unless a man is only taken.
    pub to: u8,
    /// The man that is taken, if any.
    pub take: u8,
}

plain_struct!(impl[] Move { from: u8, to: u8, take: u8 });

fn cells(mut set: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let cell = set.trailing_zeros() as u8;
            set &= set - 1;
            cell
        })
    })
}

fn name(point: u8) -> String {
    let (x, y) = PLACES[point as usize];
    format!("{}{}", char::from((b'd' as i8 + x) as u8), y + 4)
}

impl Morris {
    /// The rules; `apart` makes the taking of a man a move of its own, `draws` the third occurrence of a position a
    /// draw.
    pub fn new(apart: bool, draws: bool) -> Self {
        let mut mills = [[0; 2]; 24];
        let mut beside = [0; 24];
        for mill in MILLS {
            let set = mill.iter().fold(0, |set, &p| set | 1 << p);
            for p in mill.map(usize::from) {
                mills[p][usize::from(mills[p][0] != 0)] = set;
            }
            for (a, b) in [(mill[0], mill[1]), (mill[1], mill[2])] {
                beside[a as usize] |= 1 << b;
                beside[b as usize] |= 1 << a;
            }
        }
        let image = |s: usize, (mut x, mut y): (i8, i8)| {
            if s & 4 != 0 {
                (x, y) = (y, x);
            }
            if s & 1 != 0 {
                x = -x;
            }
            if s & 2 != 0 {
                y = -y;
            }
            if s & 8 != 0 {
                let ring = x.abs().max(y.abs());
                (x, y) = (x / ring * (4 - ring), y / ring * (4 - ring)); // inside out: x and y are 0 or ±ring
            }
            PLACES.iter().position(|&p| p == (x, y)).expect("symmetries keep the points") as u8
        };
        let images = (0..16).map(|s| std::array::from_fn(|p| image(s, PLACES[p]))).collect();
        Morris { apart, mills, beside, images, draws, histories: Histories::default() }
    }

    #[inline]
    fn in_mill(&self, men: u32, point: u8) -> bool {
        self.mills[point as usize].iter().any(|&mill| mill & !men == 0)
    }

    /// The men of `set` that may be taken: those in no mill, or all.
    fn takeable(&self, set: u32) -> u32 {
        let free = cells(set).filter(|&p| !self.in_mill(set, p)).fold(0, |free, p| free | 1 << p);
        if free == 0 { set } else { free }
    }

    /// Whether the mover's men can go anywhere.
    fn can_move(&self, men: &Men) -> bool {
        let mine = men.of[men.mover.index()];
        let free = ALL & !(men.of[0] | men.of[1]);
        men.taking
            || men.hand[men.mover.index()] > 0
            || mine.count_ones() == 3
            || cells(mine).any(|p| self.beside[p as usize] & free != 0)
    }

    /// What ends the game before anybody looks for moves.
    #[inline]
    fn decided(&self, state: &State) -> Option<ZeroSum> {
        let men = &state.men;
        if men.men(0) < 3 {
            Some(ZeroSum::win_for(Player::SECOND))
        } else if men.men(1) < 3 {
            Some(ZeroSum::win_for(Player::FIRST))
        } else {
            (!men.taking && (state.clock >= PATIENCE || state.seen >= 2)).then(ZeroSum::draw)
        }
    }

    /// Pushes the move, once for every man it may take.
    #[inline]
    fn push(&self, men: &Men, from: u8, to: u8, takeable: &mut Option<u32>, moves: &mut Vec<Move>) {
        let me = men.mover.index();
        let mine = if from == NONE { men.of[me] } else { men.of[me] ^ 1 << from } | 1 << to;
        let takes = if !self.apart && self.in_mill(mine, to) {
            *takeable.get_or_insert_with(|| self.takeable(men.of[1 - me]))
        } else {
            0
        };
        if takes == 0 {
            moves.push(Move { from, to, take: NONE });
        } else {
            moves.extend(cells(takes).map(|take| Move { from, to, take }));
        }
    }

    fn men_text(&self, men: &Men) -> String {
        let sign = |p: u32| match men.of.map(|set| set >> p & 1) {
            [1, _] => 'W',
            [_, 1] => 'B',
            _ => '.',
        };
        let points: String = (0..POINTS).map(sign).collect();
        format!("{points} {} {} {}", men.hand[0], men.hand[1], ["W", "B"][men.mover.index()])
    }

    /// Reads the men, and what follows them.
    fn parse_men<'a>(&self, text: &'a str) -> Result<(Men, Vec<&'a str>), TextError> {
        let expected = || {
            TextError::new("expected 24 points (W, B or .), the men White and Black have in hand, who moves (W or B)")
        };
        let mut parts: Vec<&str> = text.split_whitespace().collect();
        if parts.len() < 4 {
            return Err(expected());
        }
        let rest = parts.split_off(4);
        if parts[0].chars().count() != POINTS as usize {
            return Err(TextError::at(0, format!("expected 24 points, got {}", parts[0].chars().count())));
        }
        let mut of = [0; 2];
        for (p, c) in parts[0].chars().enumerate() {
            match c {
                'W' => of[0] |= 1 << p,
                'B' => of[1] |= 1 << p,
                '.' => {}
                c => return Err(TextError::at(p, format!("expected W, B or ., got \"{c}\""))),
            }
        }
        let hand = [parts[1].parse().map_err(|_| expected())?, parts[2].parse().map_err(|_| expected())?];
        let mover = match parts[3] {
            "W" => Player::FIRST,
            "B" => Player::SECOND,
            _ => return Err(expected()),
        };
        let men = Men { of, hand, mover, taking: false };
        if (0..2).any(|p| hand[p] > 9 || men.men(p) > 9) {
            return Err(TextError::new("a side has nine men in all"));
        }
        if men.men(0) < 3 && men.men(1) < 3 {
            return Err(TextError::new("one side must have three men or more"));
        }
        Ok((men, rest))
    }

    /// White places first, and both place in turn.
    fn check_hands(&self, men: &Men) -> Result<(), TextError> {
        let [white, black] = men.hand;
        let white_is_next = (men.mover == Player::FIRST) != men.taking;
        if if white_is_next { white == black } else { black == white + 1 || white == 0 && black == 0 } {
            return Ok(());
        }
        Err(TextError::new(format!(
            "White and Black place in turn, so they cannot have {white} and {black} men in hand now"
        )))
    }
}

impl Game for Morris {
    type State = State;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = State;

    fn start(&self) -> State {
        let men = Men { of: [0; 2], hand: [9; 2], mover: Player::FIRST, taking: false };
        State { men, clock: 0, seen: 0, past: History::NONE }
    }

    fn expand(&self, state: &State, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        if let Some(payoff) = self.decided(state) {
            return Status::Over(payoff);
        }
        let (men, me) = (&state.men, state.men.mover.index());
        let free = ALL & !(men.of[0] | men.of[1]);
        let before = moves.len();
        let mut takeable = None;
        if men.taking {
            moves.extend(cells(self.takeable(men.of[1 - me])).map(|take| Move { from: NONE, to: NONE, take }));
        } else if men.hand[me] > 0 {
            for to in cells(free) {
                self.push(men, NONE, to, &mut takeable, moves);
            }
        } else {
            let flies = men.of[me].count_ones() == 3;
            for from in cells(men.of[me]) {
                let targets = if flies { free } else { free & self.beside[from as usize] };
                for to in cells(targets) {
                    self.push(men, from, to, &mut takeable, moves);
                }
            }
        }
        if moves.len() == before {
            return Status::Over(ZeroSum::win_for(men.mover.opponent()));
        }
        Status::Turn(men.mover)
    }

    fn status(&self, state: &State) -> Status<ZeroSum> {
        match self.decided(state) {
            Some(payoff) => Status::Over(payoff),
            None if self.can_move(&state.men) => Status::Turn(state.men.mover),
            None => Status::Over(ZeroSum::win_for(state.men.mover.opponent())),
        }
    }

    fn play(&self, state: &mut State, mv: Move) {
        let before = state.men;
        let men = &mut state.men;
        let me = men.mover.index();
        if mv.to != NONE {
            men.of[me] |= 1 << mv.to;
            if mv.from == NONE {
                men.hand[me] -= 1;
            } else {
                men.of[me] ^= 1 << mv.from;
            }
        }
        if mv.take != NONE {
            men.of[1 - me] ^= 1 << mv.take;
        }
        men.taking = self.apart && mv.to != NONE && men.of[1 - me] != 0 && self.in_mill(men.of[me], mv.to);
        if !men.taking {
            men.mover = men.mover.opponent();
        }
        let lasts = mv.take != NONE || mv.from == NONE;
        state.clock = if lasts { 0 } else { state.clock + 1 };
        if self.draws {
            let mut past = self.histories.past(&mut state.past);
            if lasts {
                past.clear()
            } else {
                past.push(before)
            }
            state.seen = past.count(&state.men).min(2) as u8;
        }
    }

    fn key(&self, state: &State) -> State {
        *state
    }

    /// 18 men are placed, at most 16 taken; between two of these at most 100 plies go by.
    fn facts(&self) -> Facts {
        Facts {
            alternating: !self.apart,
            history: self.draws,
            length: Some(18 + 16 + 17 * u32::from(PATIENCE)),
            states: (!self.draws).then(|| 4.0 * 100.0 * f64::from(PATIENCE + 1) * 3f64.powi(24)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl Notation for Morris {
    fn position_text(&self, state: &State) -> String {
        let taking = if state.men.taking { " take" } else { "" };
        let now = format!("{} {}{taking}", self.men_text(&state.men), state.clock);
        history::write(now, &self.histories.oldest_first(state.past), |men| self.men_text(men))
    }

    fn parse_position(&self, text: &str) -> Result<State, TextError> {
        let (now, earlier) = history::split(text, self.draws)?;
        let (mut men, rest) = self.parse_men(now)?;
        men.taking = rest.last() == Some(&"take");
        let clock = match rest[..rest.len() - usize::from(men.taking)] {
            [] => Some(0),
            [clock] => clock.parse().ok().filter(|&c| c <= PATIENCE),
            _ => None,
        };
        let clock = clock.ok_or_else(|| {
            TextError::new(format!(
                "after the mover come the plies without placing or taking, 0 to {PATIENCE}, and perhaps take"
            ))
        })?;
        self.check_hands(&men)?;
        let mine = men.of[men.mover.index()];
        let closed = || cells(mine).any(|p| self.in_mill(mine, p));
        if men.taking && !(self.apart && closed() && men.of[1 - men.mover.index()] != 0) {
            return Err(TextError::new("there is nothing to take here"));
        }
        let parse = |text: &str| match self.parse_men(text)? {
            (before, rest) if rest.is_empty() => Ok(before),
            _ => Err(TextError::new(format!("expected the men, those in hand and the mover, got \"{text}\""))),
        };
        let counts = |men: &Men| (men.of.map(u32::count_ones), men.hand);
        let past = history::read(earlier, parse, |before| counts(before) == counts(&men), 2, Some(clock.into()))?;
        let seen = past.iter().filter(|&&before| before == men).count().min(2) as u8;
        Ok(State { men, clock, seen, past: self.histories.from_oldest(past) })
    }

    fn move_text(&self, _: &State, mv: Move) -> String {
        let part = |sign: &str, point: u8| if point == NONE { String::new() } else { sign.to_owned() + &name(point) };
        let dash = if mv.from == NONE { "" } else { "-" };
        part("", mv.from) + &part(dash, mv.to) + &part("x", mv.take)
    }

    fn drawing(&self, state: &State) -> Drawing {
        let men = &state.men;
        let cell = |x: i8, y: i8| match PLACES.iter().position(|&p| p == (x, y)) {
            Some(p) => match men.of.map(|set| set >> p & 1) {
                [1, _] => Cell::Stone(Player::FIRST),
                [_, 1] => Cell::Stone(Player::SECOND),
                _ => Cell::Empty,
            },
            None if x == 0 => Cell::Off,
            None if y.abs() > x.abs() => Cell::Sign('-'),
            None => Cell::Sign('|'),
        };
        let rows = (-3..=3).rev().map(|y| (-3..=3).map(|x| cell(x, y)).collect()).collect();
        let drawing = Drawing::lettered(rows).with_legend(men.hand.map(|hand| format!("{hand} in hand")));
        let drawing = drawing.with_look(Look::Rings).in_colours([Colour::White, Colour::Black]);
        if men.taking { drawing.with_note("a man must be taken") } else { drawing }
    }
}

impl Symmetric for Morris {
    /// Turns and mirrors, and the inner and the outer square exchanged.
    fn symmetries(&self) -> usize {
        self.images.len()
    }

    fn transform(&self, state: &State, index: usize) -> State {
        let images = &self.images[index];
        let image = |men: &Men| Men {
            of: men.of.map(|set| cells(set).fold(0, |all, p| all | 1 << images[p as usize])),
            ..*men
        };
        State { men: image(&state.men), past: self.histories.map(state.past, image), ..*state }
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        let image = |p: u8| if p == NONE { NONE } else { self.images[index][p as usize] };
        Move { from: image(mv.from), to: image(mv.to), take: image(mv.take) }
    }
}

impl Playouts for Morris {
    fn random_move(
        &self,
        state: &State,
        _: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Move, ZeroSum> {
        Board::new(self, state).draw(below).map(Step::as_move)
    }

    /// On a board kept ring by ring.
    fn playout(
        &self,
        state: State,
        most: u32,
        _: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        playout::run(Board::new(self, &state), most, |board| board.draw(below), Board::play)
    }
}

impl Heuristic for Morris {
    /// Men, and points they can go to.
    fn heuristic(&self, state: &State) -> f32 {
        let men = &state.men;
        let free = ALL & !(men.of[0] | men.of[1]);
        let room =
            |p: usize| cells(men.of[p]).map(|c| (self.beside[c as usize] & free).count_ones()).sum::<u32>() as f32;
        let taking = if men.taking { [1.0, -1.0][men.mover.index()] } else { 0.0 };
        let ahead = men.men(0) as f32 - men.men(1) as f32 + taking;
        Estimate::from_fn(|_| (ahead / 2.0 + (room(0) - room(1)) / 20.0).tanh() * 0.9)
    }
}

impl Features for Morris {
    fn layout(&self) -> Option<Layout> {
        let cells = PLACES.iter().map(|&(x, y)| (i16::from(x) + 3, i16::from(y) + 3)).collect();
        let numbers =
            &["my men in hand", "theirs", "a man must be taken", "plies without progress", "earlier occurrences"];
        Some(Layout { lattice: Lattice::Square, cells, values: 3, numbers })
    }

    /// Empty, mine, theirs.
    fn cell_values(&self, state: &State, out: &mut Vec<u8>) {
        let me = state.men.mover.index();
        let [mine, theirs] = [me, 1 - me].map(|p| state.men.of[p]);
        out.extend((0..POINTS).map(|p| (mine >> p & 1) as u8 + 2 * (theirs >> p & 1) as u8));
    }

    fn numbers(&self, state: &State, out: &mut Vec<f32>) {
        let (men, me) = (&state.men, state.men.mover.index());
        out.extend([me, 1 - me].map(|p| f32::from(men.hand[p]) / 9.0));
        out.push(f32::from(u8::from(men.taking)));
        out.extend([f32::from(state.clock) / f32::from(PATIENCE), f32::from(state.seen) / 2.0]);
    }

    fn viewer(&self, state: &State) -> Player {
        state.men.mover
    }
}

impl SolverHints for Morris {}
impl OrderingHints for Morris {}

impl Persist for Morris {
    /// Where positions are remembered, keys hold the numbers of histories, given in the order in which they were met.
    fn stable_keys(&self) -> bool {
        !self.draws
    }

    fn kept_bytes(&self) -> usize {
        self.histories.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::draws_evenly;

    #[test]
    fn random_moves_are_uniform() {
        for apart in [false, true] {
            let game = Morris::new(apart, false);
            for text in [
                "........................ 9 9 W",
                "WW.BB................... 7 7 W",
                "WW.BB..W...B.W..B.....W. 0 0 W", // slides, one closes a mill
                "W..BB..W...B.W..B.....W. 0 0 B", // slides, none does
                "W.W.B..W...B....B....... 0 0 W", // flies
            ] {
                draws_evenly(&game, &game.parse_position(text).unwrap());
            }
        }
    }
}
