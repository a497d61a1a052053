//! Ataxx: grow or jump, and turn every enemy beside the new piece; most pieces win.
//!
//! A piece grows onto an empty cell beside it (a new piece appears; which neighbour grew makes no difference, so the move is
//! its target alone: `c3`) or jumps to an empty cell two steps away (`a1c2`). Enemies beside the target change sides. A
//! player who can do neither passes (`0000`), unless the game is over: the board is full, one side has no pieces, or nobody
//! can move. After 100 plies in a row without growth the game is a draw; that also bounds its length.
//!
//! The score is the difference in pieces. Positions are FEN as the engines of this game write it, blocked cells `-`, then who
//! moves and the plies since the last growth: `x5o/7/7/7/7/7/o5x x 0`. A move number after it is read and ignored.

use perfectplay_core::{Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Notation, OptionInfo, OrderingHints, Params, Payoff, Persist, Player, Playouts, SolverHints, Status, Symmetric, TextError, Visitor, ZeroSum};

use crate::support::bits::Bits;
use crate::support::grid::{DIRECTIONS, Grid, SIGNS, Step, split_mover, where_is};
use crate::support::memory::{self, Memory, with_memory};

/// Name and parameters.
pub const INFO: GameInfo = GameInfo {
    name: "ataxx",
    summary: "grow or jump and turn the enemies beside you; most pieces win",
    players: "2",
    parameters: &[
        OptionInfo { name: "SIZE", meaning: "cells along a side, also size=…; 2 to 8", default: "7" },
        OptionInfo {
            name: "repetition",
            meaning: "free, or ends: a position that comes back ends the game and most pieces win (Computer Olympiad)",
            default: "free",
        },
    ],
    examples: &["ataxx:4", "ataxx:7", "ataxx:7,repetition=ends"],
    rules: "A move grows a piece, putting a new one onto an empty cell beside it (also diagonally), or lets a piece jump to an empty cell two \
steps away. All enemies beside the target then change sides. Who can do neither passes. The game ends when the board is full, when one \
side has no pieces, or when nobody can move: most pieces win. After 100 plies in a row without growth it is a draw. The score is \
the difference in pieces.

Which piece grew makes no difference, so growing is written as its target: `c3`. A jump is `a1c2`, a pass `0000`. Positions are FEN: rows \
from the top with `x`, `o` and `-` for cells nobody can use, who moves, and the plies since the last growth.

With `repetition=ends` a position that comes back ends the game at once and most pieces win; the state then holds the positions since the last \
growth, written after the position: `… after OLDEST, …`.",
    sources: &["Virgin Games, Ataxx (1990)", "kz04px, libataxx: notation and counts", "Computer Olympiad: repetition ends the game"],
};

/// Opens the game with or without a memory of positions.
pub fn open<V: Visitor>(mut params: Params, visitor: V) -> Result<V::Output, TextError> {
    let size = params.take_first_number("size", 2..=8)?.unwrap_or(7) as u32;
    let ends = params.take_choice("repetition", &[("free", false), ("ends", true)])?;
    params.finish(INFO.name, INFO.parameters)?;
    Ok(with_memory!(ends, Board => M, visitor.zero_sum(Ataxx::<M>::new(size))))
}

/// Plies without growth that end the game.
const PATIENCE: u8 = 100;

/// The rules on a board of this size; `M` remembers positions, or not.
#[derive(Clone, Debug)]
pub struct Ataxx<M: Memory<Board>> {
    grid: Grid,
    full: u64,
    across: [Step<u64>; 2],
    along: [Step<u64>; 2],
    beside: Vec<u64>,
    two_away: Vec<u64>,
    pasts: M::Numbers,
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

/// A position with what the rules need of its past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<M> {
    /// The pieces.
    pub board: Board,
    /// Plies since a piece grew.
    clock: u8,
    /// Whether this position was there before.
    repeated: bool,
    past: M,
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

impl<M: Memory<Board>> Ataxx<M> {
    /// The rules on `size` × `size` cells.
    ///
    /// # Panics
    /// If there are more than 64 cells.
    pub fn new(size: u32) -> Self {
        assert!((2..=8).contains(&size), "{size}x{size} does not fit");
        let grid = Grid::new(size, size);
        let [right, up, left, down] = std::array::from_fn(|d| grid.step(DIRECTIONS[d]));
        let mut game = Ataxx {
            full: grid.full(),
            across: [left, right],
            along: [up, down],
            beside: Vec::new(),
            two_away: Vec::new(),
            pasts: M::Numbers::default(),
            grid,
        };
        game.beside = (0..game.grid.cells()).map(|c| game.spread(1 << c) & !(1 << c)).collect();
        let two_away = |c: u32| game.spread(game.spread(1 << c)) & !game.spread(1 << c);
        game.two_away = (0..game.grid.cells()).map(two_away).collect();
        game
    }

    /// `set` and the cells beside it.
    #[inline]
    fn spread(&self, set: u64) -> u64 {
        let wide = self.across.iter().fold(set, |all, step| all | step.of(set));
        self.along.iter().fold(wide, |all, step| all | step.of(wide))
    }

    fn empty(&self, board: &Board) -> u64 {
        self.full & !(board.of[0] | board.of[1] | board.blocked)
    }

    fn can_move(&self, board: &Board, player: usize) -> bool {
        self.spread(self.spread(board.of[player])) & self.empty(board) != 0
    }

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

    fn parse_clock(text: &str) -> Result<u8, TextError> {
        text.parse().ok().filter(|&c| c <= PATIENCE).ok_or_else(|| {
            TextError::new(format!("the plies since the last growth must be 0 to {PATIENCE}, got \"{text}\""))
        })
    }
}

impl<M: Memory<Board>> Game for Ataxx<M> {
    type State = State<M>;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = (Board, u8, M::Number);

    fn start(&self) -> State<M> {
        let last = self.grid.width - 1;
        let corner = |c, r| 1 << self.grid.cell(c, r);
        let of = [corner(0, last) | corner(last, 0), corner(0, 0) | corner(last, last)];
        let board = Board { of, blocked: 0, mover: Player::FIRST };
        State { board, clock: 0, repeated: false, past: M::default() }
    }

    fn expand(&self, state: &State<M>, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let status = self.status(state);
        let Status::Turn(mover) = status else { return status };
        let (mine, empty) = (state.board.of[mover.index()], self.empty(&state.board));
        let before = moves.len();
        moves.extend((self.spread(mine) & empty).cells().map(|c| Move::Grow(c as u8)));
        for from in mine.cells() {
            let targets = self.two_away[from as usize] & empty;
            moves.extend(targets.cells().map(|to| Move::Jump(from as u8, to as u8)));
        }
        if moves.len() == before {
            moves.push(Move::Pass);
        }
        status
    }

    fn status(&self, state: &State<M>) -> Status<ZeroSum> {
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

    fn play(&self, state: &mut State<M>, mv: Move) {
        let board = &mut state.board;
        let me = board.mover.index();
        let to = match mv {
            Move::Grow(to) => {
                state.clock = 0;
                state.past.clear();
                Some(to)
            }
            _ => {
                state.clock += 1;
                state.past.push(*board);
                if let Move::Jump(from, to) = mv {
                    board.of[me] ^= 1 << from;
                    Some(to)
                } else {
                    None
                }
            }
        };
        if let Some(to) = to {
            let turned = self.beside[to as usize] & board.of[1 - me];
            board.of[me] |= turned | 1 << to;
            board.of[1 - me] ^= turned;
        }
        board.mover = board.mover.opponent();
        state.repeated = state.past.count(board) > 0;
    }

    fn key(&self, state: &State<M>) -> Self::Key {
        (state.board, state.clock, state.past.number(&self.pasts))
    }

    fn facts(&self) -> Facts {
        let cells = self.grid.cells();
        Facts {
            history: M::KEPT,
            scores: vec![(-(cells as i32), cells as i32); 2],
            outcomes: Some((-(cells as i32)..=cells as i32).collect()),
            length: Some(cells * u32::from(PATIENCE)),
            states: (!M::KEPT).then(|| 4f64.powi(cells as i32) * 2.0 * f64::from(PATIENCE + 1)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<M: Memory<Board>> Notation for Ataxx<M> {
    fn position_text(&self, state: &State<M>) -> String {
        let now = format!("{} {}", self.board_text(&state.board), state.clock);
        memory::write(now, &state.past, |b| self.board_text(b))
    }

    fn parse_position(&self, text: &str) -> Result<State<M>, TextError> {
        let (now, earlier) = memory::split::<Board, M>(text)?;
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
        let past: M = memory::read(earlier, |text| self.parse_board(text), fits, 1, Some(clock.into()))?;
        Ok(State { board, clock, repeated: past.count(&board) > 0, past })
    }

    fn move_text(&self, _: &State<M>, mv: Move) -> String {
        match mv {
            Move::Grow(to) => self.grid.name(to.into()),
            Move::Jump(from, to) => self.grid.name(from.into()) + &self.grid.name(to.into()),
            Move::Pass => "0000".into(),
        }
    }

    fn drawing(&self, state: &State<M>) -> Drawing {
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

impl<M: Memory<Board>> Symmetric for Ataxx<M> {
    fn symmetries(&self) -> usize {
        self.grid.symmetries()
    }

    fn transform(&self, state: &State<M>, index: usize) -> State<M> {
        let image = |board: &Board| Board {
            of: board.of.map(|set| self.grid.image_of(set, index)),
            blocked: self.grid.image_of(board.blocked, index),
            ..*board
        };
        State { board: image(&state.board), past: state.past.map(image), ..*state }
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

impl<M: Memory<Board>> Playouts for Ataxx<M> {}

impl<M: Memory<Board>> Heuristic for Ataxx<M> {
    /// The difference in pieces.
    fn heuristic(&self, state: &State<M>) -> f32 {
        Estimate::from_fn(|_| (self.score(&state.board) as f32 / 10.0).tanh() * 0.9)
    }
}

impl<M: Memory<Board>> Features for Ataxx<M> {}
impl<M: Memory<Board>> SolverHints for Ataxx<M> {}
impl<M: Memory<Board>> OrderingHints for Ataxx<M> {}

impl<M: Memory<Board>> Persist for Ataxx<M> {
    /// Where pasts are kept, keys hold their numbers, given as they are asked about.
    fn stable_keys(&self) -> bool {
        !M::KEPT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::memory::{Forget, Recall};

    fn after<M: Memory<Board>>(moves: &str) -> Status<ZeroSum> {
        let game = Ataxx::<M>::new(7);
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
        assert_eq!(after::<Recall<Board>>(there_and_back), Status::Over(ZeroSum::draw()));
        assert_eq!(after::<Forget>(there_and_back), Status::Turn(Player::FIRST));
        let without_growth = vec![there_and_back; 25].join(" ");
        assert_eq!(after::<Forget>(&without_growth), Status::Over(ZeroSum::draw()));
    }
}
