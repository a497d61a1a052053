//! Draughts of all kinds on one code path: international (10×10), Brazilian (8×8), Canadian (12×12), English (8×8).
//!
//! Only dark squares are used. Players number them 1, 2, 3 … row by row from the top left; inside, one bit without a
//! square follows every second row, so that a step in a direction is the same shift everywhere and never runs over the
//! edge:
//!
//! ```text
//!     0   1   2   3            up left    >> 5      up right    >> 4
//!   4   5   6   7    (8)       down left  << 4      down right  << 5        here 8×8: 4 squares in a row
//!     9  10  11  12
//!  13  14  15  16   (17)
//! ```
//!
//! White moves up. Captured pieces are taken off when the move is complete and are in the way until then. Two captures
//! that lead from the same square to the same square and take the same pieces are one move.
//!
//! The state counts moves without progress and, for repetitions, remembers the positions since the last progress. Only
//! quiet moves of kings make no progress, so in most positions there is nothing to remember.

mod pdn;

use std::collections::HashSet;

use perfectplay_core::{
    Cell, Colour, Drawing, Estimate, Facts, Features, Figures, Game, GameInfo, Heuristic, Lattice, Layout, Look,
    Notation, OptionSet, OrderingHints, Params, Payoff, Persist, Plain, Player, Playouts, Setting, SolverHints, Status,
    Symmetric, TextError, Visitor, ZeroSum, options, plain_struct,
};

use crate::support::bits::Bits;
use crate::support::board::turn_note;
use crate::support::history::{Histories, History, PositionHistory};
use crate::support::playout;

/// What distinguishes the kinds of draughts.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Squares along a side.
    pub size: u32,
    /// Rows of men each player starts with.
    pub rows_of_men: u32,
    /// Whether Black moves first.
    pub black_first: bool,
    /// Whether kings go and capture over any distance.
    pub flying_kings: bool,
    /// Whether men capture backwards, too.
    pub men_capture_backwards: bool,
    /// Whether the capture that takes most pieces must be chosen.
    pub majority: bool,
    /// Whether a man that reaches the last row in the middle of a capture stops there and becomes a king.
    pub crowning_ends_move: bool,
    /// The game is a draw after so many moves of each player by kings only and without capture.
    pub quiet_limit: u8,
    /// The game is a draw when three pieces, a king among them, have not beaten one king in so many moves of each
    /// player.
    pub three_against_one: Option<u8>,
    /// Whether one or two kings against one king are a draw at once.
    pub few_kings_drawn: bool,
    /// Whether neither repetition nor a long time without progress ends the game: then it need not end, and states
    /// remember nothing.
    pub endless: bool,
}

impl Rules {
    /// The international family on a board of this size.
    pub const fn international(size: u32) -> Self {
        Rules {
            size,
            rows_of_men: size / 2 - 1,
            black_first: false,
            flying_kings: true,
            men_capture_backwards: true,
            majority: true,
            crowning_ends_move: false,
            quiet_limit: 25,
            three_against_one: Some(16),
            few_kings_drawn: false,
            endless: false,
        }
    }

    /// English draughts, the checkers of North America.
    pub const fn english() -> Self {
        Rules {
            size: 8,
            rows_of_men: 3,
            black_first: true,
            flying_kings: false,
            men_capture_backwards: false,
            majority: false,
            crowning_ends_move: true,
            quiet_limit: 40,
            three_against_one: None,
            few_kings_drawn: false,
            endless: false,
        }
    }
}

options! {
    /// What the games of the international family take.
    pub(crate) struct Parameters {
        few_kings_drawn: bool = Setting::choice(
            "endings",
            "one or two kings against one king",
            &[("play", "like any other ending", false), ("drawn", "a draw at once, as at the Computer Olympiad", true)],
        ),
    }
}

/// The rules of the international family, for so many men and this first position.
macro_rules! international_rules {
    ($men:literal, $start:literal) => {
        concat!(
            "Each player has ",
            $men,
            " men on the dark squares of the nearest rows; White, at the bottom, moves first. A man moves one square \
forward to an empty dark square. A man captures by jumping over an enemy next to it, in any direction, onto the empty \
square behind it; a king moves over any number of empty squares and captures a piece at any distance, landing on any \
empty square behind it. A capture goes on as long as it can. It is forced, and among all captures one that takes the \
most pieces must be chosen (men and kings count alike). Captured pieces stay on the board until the move is complete: \
they cannot be jumped twice and are in the way. A man whose move ends on the last row becomes a king. Who cannot move \
loses.

A draw: 25 moves of each side by kings only and without capture; 16 moves of each side with three pieces, at least one \
king among them, against a king; a position that occurs for the third time with the same player to move. With \
`endings=drawn` one or two kings against one king are a draw at once.

Positions are written as in PDN, `",
            $start,
            "` with `K` before the squares of kings, square 1 at the top left; moves as `32-28` and `32x23`, with the \
squares between where that could mean several captures. Captures that differ only in the way they go are one move."
        )
    };
}
pub(crate) use international_rules;

/// Opens a game of the international family.
pub(crate) fn open_international<B: Bits, V: Visitor>(
    info: &GameInfo,
    size: u32,
    params: Params,
    visitor: V,
) -> Result<V::Output, TextError> {
    let Parameters { few_kings_drawn } = Parameters::read(info.name, params)?;
    Ok(visitor.zero_sum(Draughts::<B>::new(Rules { few_kings_drawn, ..Rules::international(size) })))
}

const WHITE: usize = 0;
const BLACK: usize = 1;
/// Up left, up right, down left, down right.
const DIRECTIONS: [usize; 4] = [0, 1, 2, 3];

const fn forward(colour: usize) -> [usize; 2] {
    if colour == WHITE { [0, 1] } else { [2, 3] }
}

/// The rules on a board.
#[derive(Clone, Debug)]
pub struct Draughts<B> {
    rules: Rules,
    /// Squares in a row.
    half: u32,
    squares: B,
    /// The row where each colour's men become kings.
    last_row: [B; 2],
    histories: Histories<Position<B>>,
}

/// Who stands where and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position<B> {
    /// White's and Black's pieces.
    pub pieces: [B; 2],
    /// Those of them that are kings.
    pub kings: B,
    /// 0 if White moves, 1 if Black does.
    pub mover: u8,
}

impl<B: Bits> Plain for Position<B> {
    const SIZE: usize = 3 * B::SIZE + 1;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        ([self.pieces[0], self.pieces[1], self.kings], self.mover).put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let ([white, black, kings], mover) = <([B; 3], bool)>::take(bytes)?;
        Some(Position { pieces: [white, black], kings, mover: mover.into() })
    }
}

impl<B: Bits> Position<B> {
    fn mine(&self) -> B {
        self.pieces[usize::from(self.mover)]
    }

    fn theirs(&self) -> B {
        self.pieces[1 - usize::from(self.mover)]
    }

    /// Whether one side has a king and nothing else, and the other `others` pieces with a king among them.
    fn lone_king_against(&self, others: u32) -> bool {
        (0..2).any(|colour| {
            let (lone, rest) = (self.pieces[colour], self.pieces[1 - colour]);
            lone.count() == 1
                && !(lone & self.kings).is_none()
                && rest.count() == others
                && !(rest & self.kings).is_none()
        })
    }
}

/// A position and what the draw rules need to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State<B> {
    /// The board.
    pub position: Position<B>,
    /// Moves of kings, without capture, since the last other move.
    quiet: u8,
    /// Moves since three pieces have been hunting one king.
    hunt: u8,
    /// The positions since the last progress.
    history: History,
}

plain_struct!(impl[B: Bits] State<B> { position: Position<B>, quiet: u8, hunt: u8, history: History });

/// A move of one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    from: u8,
    to: u8,
    /// The n-th bit stands for the n-th of the enemy's pieces: no side has more than 30.
    captured: u32,
}

plain_struct!(impl[] Move { from: u8, to: u8, captured: u32 });

/// The bits of `set` by their ranks in `among`, which holds them all. Greater sets get greater numbers.
#[inline]
fn ranks<B: Bits>(set: B, among: B) -> u32 {
    set.cells().fold(0, |ranks, cell| ranks | 1 << (among & B::bit(cell).minus_one()).count())
}

/// The bits of `among` with these ranks.
#[inline]
fn ranked<B: Bits>(ranks: u32, among: B) -> B {
    ranks.cells().fold(B::none(), |set, rank| set | B::bit(among.nth(rank)))
}

/// All complete captures of one piece.
struct Captures<'a, B> {
    game: &'a Draughts<B>,
    colour: usize,
    theirs: B,
    empty: B,
    king: bool,
    ways: Ways,
    /// The squares the piece has touched, if somebody wants to know.
    path: Vec<u8>,
    /// Called for each: to, captured pieces, path.
    found: &'a mut dyn FnMut(u8, B, &[u8]),
    /// Searches that could be repeated in another order are remembered once there are many.
    looks: u32,
    seen: HashSet<(B, B)>,
}

/// So many looks ahead are made before places are remembered: hardly any capture needs more.
const LOOKS: u32 = 200;
/// So many looks are made to understand a move in which some squares of the way are left out.
const MOST_LOOKS: u32 = 1 << 20;

/// What is asked about the ways of captures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    /// Nothing.
    Unknown,
    /// One way for each capture.
    One,
    /// All ways.
    Every,
}

impl<B: Bits> Captures<'_, B> {
    fn go_on(&mut self, at: B, captured: B) {
        self.looks += 1;
        let give_up = match self.ways {
            Ways::Every => self.looks > MOST_LOOKS,
            _ => self.looks > LOOKS && !self.seen.insert((at, captured)),
        };
        if give_up {
            return;
        }
        let mut complete = !captured.is_none();
        let crowned = self.game.rules.crowning_ends_move
            && !self.king
            && complete
            && !(at & self.game.last_row[self.colour]).is_none();
        let flying = self.king && self.game.rules.flying_kings;
        let backwards = self.king || self.game.rules.men_capture_backwards;
        for direction in DIRECTIONS {
            if crowned || !backwards && !forward(self.colour).contains(&direction) {
                continue;
            }
            let mut over = self.game.step(at, direction);
            while flying && !(over & self.empty).is_none() {
                over = self.game.step(over, direction);
            }
            if (over & self.theirs & !captured).is_none() {
                continue;
            }
            let mut landing = self.game.step(over, direction);
            while !(landing & self.empty).is_none() {
                complete = false;
                if self.ways != Ways::Unknown {
                    self.path.push(landing.lowest() as u8);
                }
                self.go_on(landing, captured | over);
                self.path.pop();
                if !flying {
                    break;
                }
                landing = self.game.step(landing, direction);
            }
        }
        if complete {
            (self.found)(at.lowest() as u8, captured, &self.path);
        }
    }
}

impl<B: Bits> Draughts<B> {
    /// The rules on a board.
    ///
    /// # Panics
    /// If the board does not fit into `B`.
    pub fn new(rules: Rules) -> Self {
        let half = rules.size / 2;
        assert!(rules.size * half + half <= B::BITS, "{0}x{0} does not fit", rules.size);
        let row = |r: u32| (0..half).fold(B::none(), |set, c| set | B::bit(r * half + c + r / 2));
        Draughts {
            rules,
            half,
            squares: (0..rules.size).fold(B::none(), |set, r| set | row(r)),
            last_row: [row(0), row(rules.size - 1)],
            histories: Histories::default(),
        }
    }

    #[inline]
    fn step(&self, set: B, direction: usize) -> B {
        self.squares
            & match direction {
                0 => set >> (self.half + 1),
                1 => set >> self.half,
                2 => set << self.half,
                _ => set << (self.half + 1),
            }
    }

    /// The number players give to the square of a bit.
    fn number(&self, bit: u32) -> u32 {
        bit - bit / (2 * self.half + 1) + 1
    }

    /// The bit of a numbered square.
    fn bit(&self, number: u32) -> Option<u32> {
        let index = number.checked_sub(1).filter(|&i| i < self.rules.size * self.half)?;
        Some(index + index / (2 * self.half))
    }

    fn row(&self, bit: u32) -> u32 {
        (self.number(bit) - 1) / self.half
    }

    fn player(&self, colour: usize) -> Player {
        Player::new(colour ^ usize::from(self.rules.black_first))
    }

    fn mover(&self, position: &Position<B>) -> Player {
        self.player(position.mover.into())
    }

    /// Those of the mover's pieces that can capture something.
    fn capturers(&self, position: &Position<B>) -> B {
        let (mine, theirs) = (position.mine(), position.theirs());
        let empty = self.squares & !(mine | theirs);
        let colour = usize::from(position.mover);
        let mut capturers = B::none();
        for direction in DIRECTIONS {
            let back = 3 - direction;
            // Backwards from the landing square over the piece that could be taken to the piece that takes it.
            let next_to = self.step(self.step(empty, back) & theirs, back);
            let men_too = self.rules.men_capture_backwards || forward(colour).contains(&direction);
            capturers = capturers | next_to & mine & if men_too { mine } else { position.kings };
            if self.rules.flying_kings && !(mine & position.kings).is_none() {
                let mut line = next_to & empty;
                while !line.is_none() {
                    line = self.step(line, back);
                    capturers = capturers | line & mine & position.kings;
                    line = line & empty;
                }
            }
        }
        capturers
    }

    /// Every complete capture of the piece on `from`: where it ends, what it takes, which way it goes.
    fn captures(&self, position: &Position<B>, from: u32, ways: Ways, found: &mut dyn FnMut(u8, B, &[u8])) {
        let start = B::bit(from);
        let mut captures = Captures {
            game: self,
            colour: position.mover.into(),
            theirs: position.theirs(),
            empty: self.squares & !(position.pieces[0] | position.pieces[1]) | start,
            king: !(position.kings & start).is_none(),
            ways,
            path: if ways == Ways::Unknown { Vec::new() } else { vec![from as u8] },
            found,
            looks: 0,
            seen: HashSet::new(),
        };
        captures.go_on(start, B::none());
    }

    fn push_captures(&self, position: &Position<B>, capturers: B, moves: &mut Vec<Move>) {
        let first = moves.len();
        let mut most = 0;
        for from in capturers.cells() {
            self.captures(position, from, Ways::Unknown, &mut |to, captured, _| {
                let count = captured.count();
                if self.rules.majority && count > most {
                    moves.truncate(first);
                }
                most = most.max(count);
                if !self.rules.majority || count == most {
                    moves.push(Move { from: from as u8, to, captured: ranks(captured, position.theirs()) });
                }
            });
        }
        if most > 1 && moves.len() > first + 1 {
            moves[first..].sort_unstable();
            let mut kept = first + 1;
            for i in first + 1..moves.len() {
                if moves[i] != moves[kept - 1] {
                    moves[kept] = moves[i];
                    kept += 1;
                }
            }
            moves.truncate(kept);
        }
    }

    fn push_quiet_moves(&self, position: &Position<B>, moves: &mut Vec<Move>) {
        let mine = position.mine();
        let empty = self.squares & !(mine | position.theirs());
        let mut push = |from: u32, to: u32| moves.push(Move { from: from as u8, to: to as u8, captured: 0 });
        let colour = usize::from(position.mover);
        for direction in forward(colour) {
            for to in (self.step(mine & !position.kings, direction) & empty).cells() {
                push(self.step(B::bit(to), 3 - direction).lowest(), to);
            }
        }
        for from in (mine & position.kings).cells() {
            for direction in DIRECTIONS {
                let mut to = self.step(B::bit(from), direction) & empty;
                while !to.is_none() {
                    push(from, to.lowest());
                    if !self.rules.flying_kings {
                        break;
                    }
                    to = self.step(to, direction) & empty;
                }
            }
        }
    }

    /// Whether the mover can move at all. A king with nothing empty around it can only capture a neighbour.
    fn can_move(&self, position: &Position<B>) -> bool {
        let (mine, theirs) = (position.mine(), position.theirs());
        let empty = self.squares & !(mine | theirs);
        let colour = usize::from(position.mover);
        DIRECTIONS.into_iter().any(|direction| {
            let ahead = forward(colour).contains(&direction);
            let walkers = if ahead { mine } else { mine & position.kings };
            let takers = if ahead || self.rules.men_capture_backwards { mine } else { walkers };
            let jumped = self.step(takers, direction) & theirs;
            !((self.step(walkers, direction) | self.step(jumped, direction)) & empty).is_none()
        })
    }

    #[inline]
    fn moved(&self, before: &Position<B>, mv: Move) -> Position<B> {
        let mut position = *before;
        let (from, to) = (B::bit(mv.from.into()), B::bit(mv.to.into()));
        let captured = ranked(mv.captured, before.theirs());
        let colour = usize::from(before.mover);
        // A capture can end where it began.
        position.pieces[colour] = before.pieces[colour] & !from | to;
        position.pieces[1 - colour] = before.pieces[1 - colour] & !captured;
        position.kings = before.kings & !(from | captured);
        if !(before.kings & from | to & self.last_row[colour]).is_none() {
            position.kings = position.kings | to;
        }
        position.mover = 1 - before.mover;
        position
    }

    /// White's advantage in men.
    fn material(&self, position: &Position<B>) -> f32 {
        let king = if self.rules.flying_kings { 3.0 } else { 1.5 };
        let worth = |colour: usize| {
            let men = position.pieces[colour] & !position.kings;
            let advance = |bit| if colour == WHITE { self.rules.size - 1 - self.row(bit) } else { self.row(bit) };
            let rows: u32 = men.cells().map(advance).sum();
            let kings = (position.pieces[colour] & position.kings).count();
            men.count() as f32 + king * kings as f32 + 0.03 * rows as f32
        };
        worth(WHITE) - worth(BLACK)
    }

    /// White's advantage after the captures that are forced now, at most `depth` of them.
    fn settled(&self, position: &Position<B>, depth: u32, moves: &mut Vec<Move>) -> f32 {
        let capturers = self.capturers(position);
        if capturers.is_none() || depth == 0 {
            return self.material(position);
        }
        let first = moves.len();
        self.push_captures(position, capturers, moves);
        let white = usize::from(position.mover) == WHITE;
        let mut best = if white { f32::NEG_INFINITY } else { f32::INFINITY };
        for i in first..moves.len() {
            let value = self.settled(&self.moved(position, moves[i]), depth - 1, moves);
            best = if white { best.max(value) } else { best.min(value) };
        }
        moves.truncate(first);
        best
    }

    fn is_drawn(&self, state: &State<B>, past: &impl PositionHistory<Position<B>>) -> bool {
        if self.rules.endless {
            return false;
        }
        state.quiet >= 2 * self.rules.quiet_limit
            || self.rules.three_against_one.is_some_and(|limit| state.hunt >= 2 * limit)
            || self.rules.few_kings_drawn && {
                let [white, black] = state.position.pieces;
                let kings_only = (white | black) == state.position.kings;
                kings_only && (state.position.lone_king_against(1) || state.position.lone_king_against(2))
            }
            || state.quiet >= 8 && past.count(&state.position) >= 2
    }

    fn expand_with(
        &self,
        state: &State<B>,
        past: &impl PositionHistory<Position<B>>,
        moves: &mut Vec<Move>,
    ) -> Status<ZeroSum> {
        let position = &state.position;
        let mover = self.mover(position);
        let first = moves.len();
        let capturers = self.capturers(position);
        if capturers.is_none() {
            self.push_quiet_moves(position, moves);
        } else {
            self.push_captures(position, capturers, moves);
        }
        if moves.len() == first {
            Status::Over(ZeroSum::win_for(mover.opponent()))
        } else if self.is_drawn(state, past) {
            moves.truncate(first);
            Status::Over(ZeroSum::draw())
        } else {
            Status::Turn(mover)
        }
    }

    /// Plays a move with a past of its own: the history in the state stays as it is.
    fn play_with(&self, state: &mut State<B>, mv: Move, past: &mut impl PositionHistory<Position<B>>) {
        let before = state.position;
        let king = before.kings.has(mv.from.into());
        state.position = self.moved(&before, mv);
        if self.rules.endless {
            return;
        }
        if king && mv.captured == 0 {
            past.push(before);
            state.quiet += 1;
        } else {
            past.clear();
            state.quiet = 0;
        }
        let hunting = self.hunted(&before) && self.hunted(&state.position);
        state.hunt = if hunting { state.hunt + 1 } else { 0 };
    }

    fn hunted(&self, position: &Position<B>) -> bool {
        self.rules.three_against_one.is_some() && position.lone_king_against(3)
    }
}

impl<B: Bits> Game for Draughts<B> {
    type State = State<B>;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = State<B>;

    fn start(&self) -> State<B> {
        let men = self.rules.rows_of_men * self.half;
        let side = |first: u32| (first..first + men).filter_map(|n| self.bit(n)).fold(B::none(), |s, b| s | B::bit(b));
        let position = Position {
            pieces: [side(self.rules.size * self.half - men + 1), side(1)],
            kings: B::none(),
            mover: u8::from(self.rules.black_first),
        };
        State { position, quiet: 0, hunt: 0, history: History::NONE }
    }

    fn expand(&self, state: &State<B>, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let mut history = state.history;
        self.expand_with(state, &self.histories.past(&mut history), moves)
    }

    fn status(&self, state: &State<B>) -> Status<ZeroSum> {
        let mover = self.mover(&state.position);
        let mut history = state.history;
        if !self.can_move(&state.position) {
            Status::Over(ZeroSum::win_for(mover.opponent()))
        } else if self.is_drawn(state, &self.histories.past(&mut history)) {
            Status::Over(ZeroSum::draw())
        } else {
            Status::Turn(mover)
        }
    }

    fn play(&self, state: &mut State<B>, mv: Move) {
        let mut history = state.history;
        self.play_with(state, mv, &mut self.histories.past(&mut history));
        state.history = history;
    }

    fn key(&self, state: &State<B>) -> State<B> {
        *state
    }

    fn facts(&self) -> Facts {
        // Between two moves that are no quiet king's moves there are at most 2 · quiet_limit of them. A man goes one
        // row on with each quiet move, size - 1 in all, and two more for each piece that is captured backwards; at most
        // all pieces are captured.
        let men = 2 * self.rules.rows_of_men * self.half;
        let progress = men * (self.rules.size - 1) + 2 * men + men;
        Facts {
            acyclic: !self.rules.endless,
            history: !self.rules.endless,
            length: (!self.rules.endless).then_some((progress + 1) * (2 * u32::from(self.rules.quiet_limit) + 1)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<B: Bits> Notation for Draughts<B> {
    fn position_text(&self, state: &State<B>) -> String {
        self.write(state)
    }

    fn parse_position(&self, text: &str) -> Result<State<B>, TextError> {
        self.read(text)
    }

    fn move_text(&self, state: &State<B>, mv: Move) -> String {
        self.write_move(state, mv)
    }

    fn parse_move(&self, state: &State<B>, text: &str) -> Result<Move, TextError> {
        self.read_move(state, text)
    }

    fn drawing(&self, state: &State<B>) -> Drawing {
        let size = self.rules.size;
        let cell = |row: u32, column: u32| {
            if (row + column).is_multiple_of(2) {
                return Cell::Off;
            }
            let bit = row * self.half + column / 2 + row / 2;
            let king = state.position.kings.has(bit);
            match (0..2).find(|&c| state.position.pieces[c].has(bit)) {
                Some(WHITE) => Cell::Piece(self.player(WHITE), if king { 'W' } else { 'w' }),
                Some(_) => Cell::Piece(self.player(BLACK), if king { 'B' } else { 'b' }),
                None => Cell::Empty,
            }
        };
        let rows = (0..size).map(|r| (0..size).map(|c| cell(r, c)).collect()).collect();
        let row_labels = (0..size).map(|r| (r * self.half + 1).to_string()).collect();
        let names = if self.player(WHITE) == Player::FIRST { ["White", "Black"] } else { ["Black", "White"] };
        let turn = turn_note(self.status(state), names);
        let reading = Some("rows begin with the number of their first dark square");
        let drawing = Drawing { row_labels, reading, ..Drawing::square(rows) }.with_look(Look::Numbered);
        let (white, black) = (Colour::White, Colour::Black);
        let colours = if names[0] == "White" { [white, black] } else { [black, white] };
        drawing.with_figures(Figures::Draughts).in_colours(colours).with_note(turn)
    }
}

impl<B: Bits> Symmetric for Draughts<B> {}

impl<B: Bits> Playouts for Draughts<B> {
    /// The positions of a random game are a list of its own.
    fn playout(
        &self,
        state: State<B>,
        most: u32,
        moves: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        let line = self.histories.line(state.history);
        let draw = |(state, past): &mut (State<B>, _)| {
            moves.clear();
            match self.expand_with(state, past, moves) {
                Status::Turn(_) => Ok(moves[below(moves.len())]),
                Status::Over(payoff) => Err(payoff),
            }
        };
        playout::run((state, line), most, draw, |(state, past), mv| self.play_with(state, mv, past))
    }
}

impl<B: Bits> Heuristic for Draughts<B> {
    /// Men, kings and how far the men have come, once all captures that must follow have been made.
    fn heuristic(&self, state: &State<B>) -> f32 {
        let white = (self.settled(&state.position, 6, &mut Vec::new()) / 6.0).tanh() * 0.9;
        Estimate::from_fn(|p| if p == self.player(WHITE) { white } else { -white })
    }
}

impl<B: Bits> Features for Draughts<B> {
    /// The dark squares, as the mover sees them: for Black the board is turned.
    fn layout(&self) -> Option<Layout> {
        let cell = |index: u32| {
            let (row, column) = (index / self.half, index % self.half);
            ((2 * column + (row + 1) % 2) as i16, (self.rules.size - 1 - row) as i16)
        };
        let numbers: &[&str] = match self.rules.three_against_one {
            Some(_) => &["moves without progress", "occurrences before", "moves of three against one king"],
            None => &["moves without progress", "occurrences before"],
        };
        let cells = (0..self.rules.size * self.half).map(cell).collect();
        Some(Layout { lattice: Lattice::Square, cells, values: 5, numbers })
    }

    /// 0 empty, 1 my man, 2 my king, 3 their man, 4 their king.
    fn cell_values(&self, state: &State<B>, out: &mut Vec<u8>) {
        let position = &state.position;
        let squares = self.rules.size * self.half;
        let turned = usize::from(position.mover) == BLACK;
        out.extend((0..squares).map(|index| {
            let index = if turned { squares - 1 - index } else { index };
            let bit = index + index / (2 * self.half);
            let [mine, theirs, king] = [position.mine(), position.theirs(), position.kings].map(|set| set.has(bit));
            u8::from(mine) + 3 * u8::from(theirs) + u8::from(king)
        }));
    }

    fn numbers(&self, state: &State<B>, out: &mut Vec<f32>) {
        let clock = |count: u8, limit: u8| f32::from(count) / (2.0 * f32::from(limit));
        let before = self.histories.positions(state.history).filter(|p| **p == state.position).count();
        out.extend([clock(state.quiet, self.rules.quiet_limit), before as f32 / 2.0]);
        out.extend(self.rules.three_against_one.map(|limit| clock(state.hunt, limit)));
    }

    fn viewer(&self, state: &State<B>) -> Player {
        self.mover(&state.position)
    }
}
impl<B: Bits> SolverHints for Draughts<B> {}
impl<B: Bits> OrderingHints for Draughts<B> {}

impl<B: Bits> Persist for Draughts<B> {
    /// Keys hold numbers of histories, given as they are met.
    fn stable_keys(&self) -> bool {
        self.rules.endless
    }

    fn kept_bytes(&self) -> usize {
        self.histories.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captured_pieces_are_known_by_their_ranks() {
        let among = (0..72).filter(|n| n % 12 < 5).fold(0u128, |set, n| set | 1 << n);
        assert_eq!(among.count(), 30);
        let sets = (0..30).map(|i| among & !(0x5a5a_5a5a_5a5a_5a5a_5a5a << i)).chain([0, among]);
        let mut sets: Vec<u128> = sets.collect();
        sets.sort_unstable();
        let all: Vec<u32> = sets.iter().map(|&set| ranks(set, among)).collect();
        assert!(all.is_sorted());
        assert_eq!(all.iter().map(|&ranks| ranked(ranks, among)).collect::<Vec<_>>(), sets);
    }

    #[test]
    fn moves_are_found_between_remembered_positions() {
        let game = Draughts::<u64>::new(Rules::international(10));
        let text = "W:WK1:BK50:H3 moves 1-6 50-45 6-1 45-50";
        let state = game.parse_position(text).unwrap();
        assert_eq!(game.position_text(&state), text);
        assert_eq!(state.quiet, 7);
    }
}
