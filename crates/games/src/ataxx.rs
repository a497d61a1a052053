//! Ataxx: grow or jump, and turn every enemy beside the new piece; most pieces win.
//!
//! A piece grows onto an empty cell beside it (a new piece appears; which neighbour grew makes no difference, so the
//! move is its target alone: `c3`) or jumps to an empty cell two steps away (`a1c2`). Enemies beside the target change
//! sides. A player who can do neither passes (`0000`), unless the game is over: the board is full, one side has no
//! pieces, or nobody can move. After 100 plies in a row without growth the game is a draw; that also bounds its length.
//!
//! The score is the difference in pieces. Positions are FEN as the engines of this game write it, blocked cells `-`,
//! then who moves and the plies since the last growth: `x5o/7/7/7/7/7/o5x x 0`. A move number after it is read and
//! ignored.

use perfectplay_core::{
    Cell, Drawing, Facts, Features, Game, GameInfo, Heuristic, Layout, Notation, OptionSet, OrderingHints, Params,
    Payoff, Persist, Plain, Player, Playouts, Setting, SolverHints, Status, Symmetric, TextError, Visitor, ZeroSum,
    options,
};

use crate::support::bits::Bits;
use crate::support::board::{self, first_column};
use crate::support::grid::{Grid, SIGNS, split_mover, where_is};
use crate::support::history::{self, Histories, History, PositionHistory};
use crate::support::playout;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "ataxx",
    summary: "grow or jump and turn the enemies beside you; most pieces win",
    players: "2",
    parameters: Parameters::docs,
    examples: &["ataxx:4", "ataxx:7", "ataxx:7,repetition=ends"],
    rules: "A move grows a piece, putting a new one onto an empty cell beside it (also diagonally), or lets a piece \
jump to an empty cell two steps away. All enemies beside the target then change sides. Who can do neither passes. The \
game ends when the board is full, when one side has no pieces, or when nobody can move: most pieces win. After 100 \
plies in a row without growth it is a draw. The score is the difference in pieces.

Which piece grew makes no difference, so growing is written as its target: `c3`. A jump is `a1c2`, a pass `0000`. \
Positions are FEN: rows from the top with `x`, `o` and `-` for cells nobody can use, who moves, and the plies since \
the last growth.

With `repetition=ends` a position that comes back ends the game at once and most pieces win; the state then holds the \
positions since the last growth, written after the position: `… after OLDEST, …`.",
    sources: &[
        "Virgin Games, Ataxx (1990)",
        "kz04px, libataxx: notation and counts",
        "Computer Olympiad: repetition ends the game",
    ],
};

options! {
    struct Parameters {
        size: u32 = Setting::whole("size", "cells along a side", 2..=8, 7).positional(),
        ends: bool = Setting::choice(
            "repetition",
            "what a position that comes back does",
            &[
                ("free", "nothing", false),
                ("ends", "it ends the game and most pieces win, as at the Computer Olympiad", true),
            ],
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size, ends } = Parameters::read(INFO.name, params)?;
    if ends || size > 7 {
        return Ok(visitor.zero_sum(Ataxx::<false>::new(size, ends)));
    }
    Ok(visitor.zero_sum(Ataxx::<true>::new(size, ends)))
}

/// Plies without growth that end the game.
const PATIENCE: u8 = 100;

/// The rules on a board of this size. `SMALL` boards leave room for the mover and the clock in the words of a set, and
/// remember nothing.
#[derive(Clone, Debug)]
pub struct Ataxx<const SMALL: bool> {
    grid: Grid,
    full: u64,
    /// All but the first column, and all but the last.
    not_first: u64,
    not_last: u64,
    beside: [u64; 64],
    two_away: [u64; 64],
    /// Whether a position that comes back ends the game.
    ends: bool,
    histories: Histories<Board>,
    /// What the heuristic says of each difference in pieces, from -64 on.
    worth: Vec<f32>,
}

/// Who stands where and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    /// The first player's pieces, then the second's.
    pub of: [u64; 2],
    /// Cells nobody can use.
    pub blocked: u64,
    /// Who moves.
    pub mover: Player,
}

impl Board {
    /// Two sets for three: blocked cells are in both.
    #[inline]
    fn sets(&self) -> [u64; 2] {
        self.of.map(|set| set | self.blocked)
    }

    #[inline]
    fn from_sets([x, o]: [u64; 2], mover: Player) -> Self {
        Board { of: [x & !o, o & !x], blocked: x & o, mover }
    }
}

/// A position with what the rules need of its past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State<const SMALL: bool> {
    /// The pieces.
    pub board: Board,
    /// Plies since a piece grew.
    clock: u8,
    /// Whether this position was there before.
    repeated: bool,
    past: History,
}

/// Where a set on a small board has a byte to spare.
const SPARE: u32 = 56;

impl<const SMALL: bool> Plain for State<SMALL> {
    const SIZE: usize = if SMALL { 16 } else { 22 };

    #[inline]
    fn put(&self, out: &mut [u8]) {
        let flags = self.board.mover.index() as u8 | u8::from(self.repeated) << 1;
        let [x, o] = self.board.sets();
        if SMALL {
            [x | u64::from(self.clock) << SPARE, o | u64::from(flags) << SPARE].put(out);
        } else {
            ([x, o], [self.clock, flags], self.past).put(out);
        }
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let (sets, [clock, flags], past) = if SMALL {
            let words = <[u64; 2]>::take(bytes)?;
            (words.map(|word| word & !(0xff << SPARE)), words.map(|word| (word >> SPARE) as u8), History::NONE)
        } else {
            Plain::take(bytes)?
        };
        let board = Board::from_sets(sets, Player::new((flags & 1).into()));
        Some(State { board, clock, repeated: flags & 2 != 0, past })
    }
}

/// One choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A new piece on this cell.
    Grow(u8),
    /// A piece goes from one cell to another.
    Jump(u8, u8),
    /// Nothing else is possible.
    Pass,
}

/// In place of a cell.
const NOWHERE: u8 = 255;

impl Plain for Move {
    const SIZE: usize = 2;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        match *self {
            Move::Grow(to) => [NOWHERE, to],
            Move::Jump(from, to) => [from, to],
            Move::Pass => [NOWHERE; 2],
        }
        .put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        match <[u8; 2]>::take(bytes)? {
            [NOWHERE, NOWHERE] => Some(Move::Pass),
            [NOWHERE, to @ 0..64] => Some(Move::Grow(to)),
            [from @ 0..64, to @ 0..64] => Some(Move::Jump(from, to)),
            _ => None,
        }
    }
}

impl<const SMALL: bool> Ataxx<SMALL> {
    /// The rules on `size` × `size` cells; `ends`: a position that comes back ends the game.
    ///
    /// # Panics
    /// If there are more than 64 cells, or more than 49 or a memory on a small board.
    pub fn new(size: u32, ends: bool) -> Self {
        assert!((2..=8).contains(&size) && !(SMALL && (ends || size == 8)), "{size}x{size} does not fit");
        let grid = Grid::new(size, size);
        let (full, first) = (grid.full::<u64>(), first_column::<u64>(size, size));
        let mut game = Ataxx {
            full,
            not_first: full & !first,
            not_last: full & !(first << (size - 1)),
            beside: [0; 64],
            two_away: [0; 64],
            ends,
            histories: Histories::default(),
            worth: (-64..=64).map(|score: i32| (score as f32 / 10.0).tanh() * 0.9).collect(),
            grid,
        };
        for cell in 0..game.grid.cells() as usize {
            let near = game.spread(1 << cell);
            game.beside[cell] = near & !(1 << cell);
            game.two_away[cell] = game.spread(near) & !near;
        }
        game
    }

    /// `set` and the cells beside it.
    #[inline]
    fn spread(&self, set: u64) -> u64 {
        let wide = set | set << 1 & self.not_first | set >> 1 & self.not_last;
        (wide | wide << self.grid.width | wide >> self.grid.width) & self.full
    }

    #[inline]
    fn empty(&self, board: &Board) -> u64 {
        self.full & !(board.of[0] | board.of[1] | board.blocked)
    }

    #[inline]
    fn can_move(&self, board: &Board, player: usize) -> bool {
        self.spread(self.spread(board.of[player])) & self.empty(board) != 0
    }

    #[inline]
    fn score(&self, board: &Board) -> i32 {
        board.of[0].count() as i32 - board.of[1].count() as i32
    }

    fn board_text(&self, board: &Board) -> String {
        let sign = |c| match (board.of[0].has(c), board.of[1].has(c), board.blocked.has(c)) {
            (true, ..) => Some('x'),
            (_, true, _) => Some('o'),
            (.., true) => Some('-'),
            _ => None,
        };
        format!("{} {}", self.grid.write(sign), SIGNS[board.mover.index()])
    }

    fn parse_board(&self, text: &str) -> Result<Board, TextError> {
        let (cells, mover) = split_mover(text, SIGNS)?;
        let cells = self.grid.read(cells, "xo-")?;
        let of: [u64; 2] = [where_is(&cells, 'x'), where_is(&cells, 'o')];
        if of == [0, 0] {
            return Err(TextError::new("there must be at least one piece"));
        }
        Ok(Board { of, blocked: where_is(&cells, '-'), mover })
    }

    /// Plays a move; `past` is that of the position, if the rules look back.
    #[inline]
    fn play_with(&self, state: &mut State<SMALL>, mv: Move, past: &mut impl PositionHistory<Board>) {
        let before = state.board;
        let board = &mut state.board;
        let (me, they) = (board.mover.index(), 1 - board.mover.index());
        if let Move::Jump(from, _) = mv {
            board.of[me] ^= 1 << from;
        }
        if let Move::Grow(to) | Move::Jump(_, to) = mv {
            let turned = self.beside[usize::from(to)] & board.of[they];
            board.of[me] |= turned | 1 << to;
            board.of[they] ^= turned;
        }
        board.mover = board.mover.opponent();
        let grows = matches!(mv, Move::Grow(_));
        state.clock = if grows { 0 } else { state.clock + 1 };
        if self.ends {
            if grows {
                past.clear()
            } else {
                past.push(before)
            }
            state.repeated = past.count(&state.board) > 0;
        }
    }

    fn parse_clock(text: &str) -> Result<u8, TextError> {
        text.parse().ok().filter(|&c| c <= PATIENCE).ok_or_else(|| {
            TextError::new(format!("the plies since the last growth must be 0 to {PATIENCE}, got \"{text}\""))
        })
    }
}

impl<const SMALL: bool> Game for Ataxx<SMALL> {
    type State = State<SMALL>;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = State<SMALL>;

    fn start(&self) -> State<SMALL> {
        let last = self.grid.width - 1;
        let corner = |c, r| 1 << self.grid.cell(c, r);
        let of = [corner(0, last) | corner(last, 0), corner(0, 0) | corner(last, last)];
        let board = Board { of, blocked: 0, mover: Player::FIRST };
        State { board, clock: 0, repeated: false, past: History::NONE }
    }

    #[inline]
    fn expand(&self, state: &State<SMALL>, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let board = &state.board;
        // Once somebody can move, that is not looked for again.
        if state.repeated || state.clock == PATIENCE || board.of.contains(&0) {
            let status = self.status(state);
            if status.mover().is_none() {
                return status;
            }
        }
        let (mine, empty) = (board.of[board.mover.index()], self.empty(board));
        let before = moves.len();
        moves.extend((self.spread(mine) & empty).cells().map(|c| Move::Grow(c as u8)));
        for from in mine.cells() {
            let targets = self.two_away[from as usize] & empty;
            moves.extend(targets.cells().map(|to| Move::Jump(from as u8, to as u8)));
        }
        if moves.len() == before {
            if !self.can_move(board, board.mover.opponent().index()) {
                return Status::Over(ZeroSum(self.score(board)));
            }
            moves.push(Move::Pass);
        }
        Status::Turn(board.mover)
    }

    #[inline]
    fn status(&self, state: &State<SMALL>) -> Status<ZeroSum> {
        let board = &state.board;
        let stuck = || !self.can_move(board, 0) && !self.can_move(board, 1);
        if state.repeated || board.of.contains(&0) || stuck() {
            Status::Over(ZeroSum(self.score(board)))
        } else if state.clock == PATIENCE {
            Status::Over(ZeroSum::draw())
        } else {
            Status::Turn(board.mover)
        }
    }

    #[inline]
    fn play(&self, state: &mut State<SMALL>, mv: Move) {
        let mut past = state.past;
        self.play_with(state, mv, &mut self.histories.past(&mut past));
        state.past = past;
    }

    #[inline]
    fn key(&self, state: &State<SMALL>) -> State<SMALL> {
        *state
    }

    fn facts(&self) -> Facts {
        let cells = self.grid.cells();
        Facts {
            history: self.ends,
            scores: vec![(-(cells as i32), cells as i32); 2],
            outcomes: Some((-(cells as i32)..=cells as i32).collect()),
            length: Some(cells * u32::from(PATIENCE)),
            states: (!self.ends).then(|| 4f64.powi(cells as i32) * 2.0 * f64::from(PATIENCE + 1)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<const SMALL: bool> Notation for Ataxx<SMALL> {
    fn position_text(&self, state: &State<SMALL>) -> String {
        let now = format!("{} {}", self.board_text(&state.board), state.clock);
        history::write(now, &self.histories.oldest_first(state.past), |b| self.board_text(b))
    }

    fn parse_position(&self, text: &str) -> Result<State<SMALL>, TextError> {
        let (now, earlier) = history::split(text, self.ends)?;
        let parts: Vec<&str> = now.split_whitespace().collect();
        let (board, clock) = match parts.as_slice() {
            [cells, mover] => (self.parse_board(&format!("{cells} {mover}"))?, 0),
            [cells, mover, clock] | [cells, mover, clock, _] => {
                (self.parse_board(&format!("{cells} {mover}"))?, Self::parse_clock(clock)?)
            }
            _ => return Err(TextError::new("expected the board, who moves and the plies since the last growth")),
        };
        let pieces = |b: &Board| (b.of[0] | b.of[1]).count();
        let fits = |before: &Board| before.blocked == board.blocked && pieces(before) == pieces(&board);
        let past = history::read(earlier, |text| self.parse_board(text), fits, 1, Some(clock.into()))?;
        Ok(State { board, clock, repeated: past.contains(&board), past: self.histories.from_oldest(past) })
    }

    fn move_text(&self, _: &State<SMALL>, mv: Move) -> String {
        match mv {
            Move::Grow(to) => self.grid.name(to.into()),
            Move::Jump(from, to) => self.grid.name(from.into()) + &self.grid.name(to.into()),
            Move::Pass => "0000".into(),
        }
    }

    fn drawing(&self, state: &State<SMALL>) -> Drawing {
        let board = &state.board;
        let drawing = self.grid.draw(|c| match (board.of[0].has(c), board.of[1].has(c), board.blocked.has(c)) {
            (true, ..) => Cell::Stone(Player::FIRST),
            (_, true, _) => Cell::Stone(Player::SECOND),
            (.., true) => Cell::Blocked,
            _ => Cell::Empty,
        });
        if state.clock == 0 { drawing } else { drawing.with_note(format!("{} plies without growth", state.clock)) }
    }
}

impl<const SMALL: bool> Symmetric for Ataxx<SMALL> {
    fn symmetries(&self) -> usize {
        self.grid.symmetries()
    }

    fn transform(&self, state: &State<SMALL>, index: usize) -> State<SMALL> {
        let image = |board: &Board| Board {
            of: board.of.map(|set| self.grid.image_of(set, index)),
            blocked: self.grid.image_of(board.blocked, index),
            ..*board
        };
        State { board: image(&state.board), past: self.histories.map(state.past, image), ..*state }
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        let image = |c: u8| self.grid.image(c.into(), index) as u8;
        match mv {
            Move::Grow(to) => Move::Grow(image(to)),
            Move::Jump(from, to) => Move::Jump(image(from), image(to)),
            Move::Pass => Move::Pass,
        }
    }
}

impl<const SMALL: bool> Playouts for Ataxx<SMALL> {
    /// Random games keep their past to themselves.
    fn playout(
        &self,
        state: State<SMALL>,
        most: u32,
        moves: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        let line = (state, self.histories.line(state.past));
        let draw = |(state, _): &mut (State<SMALL>, _)| self.random_move(state, moves, below);
        playout::run(line, most, draw, |(state, past), mv| self.play_with(state, mv, past))
    }
}

impl<const SMALL: bool> Heuristic for Ataxx<SMALL> {
    /// The difference in pieces.
    fn heuristic(&self, state: &State<SMALL>) -> f32 {
        self.worth[(self.score(&state.board) + 64) as usize]
    }
}

impl<const SMALL: bool> Features for Ataxx<SMALL> {
    fn layout(&self) -> Option<Layout> {
        Some(board::layout(self.grid.width, self.grid.height, 4, &["plies without growth"]))
    }

    /// Empty, mine, theirs, blocked.
    fn cell_values(&self, state: &State<SMALL>, out: &mut Vec<u8>) {
        let me = state.board.mover.index();
        let [mine, theirs] = [me, 1 - me].map(|p| state.board.sets()[p]);
        board::push_owners(0..self.grid.cells(), mine, theirs, out);
    }

    fn numbers(&self, state: &State<SMALL>, out: &mut Vec<f32>) {
        out.push(f32::from(state.clock) / f32::from(PATIENCE));
    }

    fn viewer(&self, state: &State<SMALL>) -> Player {
        state.board.mover
    }
}

impl<const SMALL: bool> SolverHints for Ataxx<SMALL> {}
impl<const SMALL: bool> OrderingHints for Ataxx<SMALL> {}

impl<const SMALL: bool> Persist for Ataxx<SMALL> {
    /// Where positions are remembered, keys hold the numbers of histories, given in the order in which they were met.
    fn stable_keys(&self) -> bool {
        !self.ends
    }

    fn kept_bytes(&self) -> usize {
        self.histories.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after<const SMALL: bool>(ends: bool, moves: &str) -> Status<ZeroSum> {
        let game = Ataxx::<SMALL>::new(7, ends);
        let mut state = game.start();
        for text in moves.split(' ') {
            let mv = game.parse_move(&state, text).unwrap();
            game.play(&mut state, mv);
        }
        game.status(&state)
    }

    #[test]
    fn a_repeated_position_ends_the_game_where_the_rules_say_so() {
        let there_and_back = "a7c7 a1c1 c7a7 c1a1";
        assert_eq!(after::<false>(true, there_and_back), Status::Over(ZeroSum::draw()));
        assert_eq!(after::<false>(false, there_and_back), Status::Turn(Player::FIRST));
        assert_eq!(after::<true>(false, there_and_back), Status::Turn(Player::FIRST));
        let without_growth = vec![there_and_back; 25].join(" ");
        assert_eq!(after::<true>(false, &without_growth), Status::Over(ZeroSum::draw()));
    }
}
