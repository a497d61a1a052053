//! Lines of Action: join all your pieces. A piece moves exactly as far as there are pieces on its line.
//!
//! A game need not end by itself, so by default the third occurrence of a position is a draw and the state remembers the
//! positions since the last capture (see [`crate::support::memory`]). With `repetition=free` it does not, and positions can repeat.

use perfectplay_core::{Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Notation, OptionInfo, OrderingHints, Params, Payoff, Persist, Player, Playouts, SolverHints, Status, Symmetric, TextError, Visitor, ZeroSum};

use crate::support::bits::Bits;
use crate::support::grid::{DIRECTIONS, Grid, SIGNS, split_mover, where_is};
use crate::support::memory::{self, Memory, with_memory};

/// Name and parameters.
pub const INFO: GameInfo = GameInfo {
    name: "lines-of-action",
    summary: "join all your pieces; a piece moves as far as there are pieces on its line",
    players: "2",
    parameters: &[OptionInfo {
        name: "repetition",
        meaning: "draw: the third occurrence of a position is a draw; free: positions may repeat without end",
        default: "draw",
    }],
    examples: &["lines-of-action:repetition=free", "lines-of-action"],
    rules: "Black (`x`) stands on the top and bottom rows and moves first, White (`o`) on the outer columns. A piece moves in a straight line, \
also diagonally, by exactly as many cells as there are pieces of both colours on that line. It may pass over its own side, not over enemies; \
an enemy on the target is taken. Who joins all its pieces into one group, diagonals included, wins; a lone piece is one group. If a move joins \
both sides it is a draw. Who cannot move passes. A position that occurs for the third time is a draw.

Moves are two cells, `b1b3`, or `pass`. Positions are rows from the top and who moves; the state holds the positions since the last \
capture, written after the position: `… after OLDEST, …`. With `repetition=free` nothing is remembered and games may go on for ever.",
    sources: &["C. Soucie; S. Sackson, A Gamut of Games (1969)", "M. Winands, Analysis and Implementation of Lines of Action (2000)"],
};

/// Opens the game with or without a memory of positions.
pub fn open<V: Visitor>(mut params: Params, visitor: V) -> Result<V::Output, TextError> {
    let draw = params.take_choice("repetition", &[("draw", true), ("free", false)])?;
    params.finish(INFO.name, INFO.parameters)?;
    Ok(with_memory!(draw, Board => M, visitor.zero_sum(LinesOfAction::<M>::new())))
}

/// The rules; `M` remembers positions, or not.
#[derive(Clone, Debug)]
pub struct LinesOfAction<M: Memory<Board>> {
    grid: Grid,
    /// The four lines through each cell: along, up, and the two diagonals.
    lines: Vec<[u64; 4]>,
    /// `rays[cell][direction]`: the cells in this direction.
    rays: Vec<[u64; 8]>,
    pasts: M::Numbers,
}

/// Which of the four lines each of [`DIRECTIONS`] follows, and how far apart its cells are.
const LINE_OF: [usize; 8] = [0, 1, 0, 1, 2, 3, 2, 3];
const APART: [i32; 8] = [1, 8, -1, -8, 9, 7, -9, -7];

/// Who stands where and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    /// The first player's pieces, then the second's.
    pub of: [u64; 2],
    /// Who moves.
    pub mover: Player,
}

/// A position with what the rules need of its past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<M> {
    /// The pieces.
    pub board: Board,
    /// How often this position was there before.
    seen: u8,
    past: M,
}

/// A piece goes from one cell to another; both the same for a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Where it was.
    pub from: u8,
    /// Where it goes.
    pub to: u8,
}

const PASS: Move = Move { from: 0, to: 0 };

/// Most pieces a side can have.
const PIECES: u32 = 12;

impl<M: Memory<Board>> LinesOfAction<M> {
    /// The rules on 8 × 8 cells.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let grid = Grid::new(8, 8);
        let ray = |cell: u32, (columns, rows): (i32, i32)| {
            let cells = (1..8).map_while(|i| grid.moved(cell, (i * columns, i * rows)));
            cells.fold(0u64, |set, c| set | 1 << c)
        };
        let rays: Vec<[u64; 8]> = (0..64).map(|c| DIRECTIONS.map(|d| ray(c, d))).collect();
        let line = |cell: usize, l: usize| {
            (0..8).filter(|&d| LINE_OF[d] == l).fold(1u64 << cell, |set, d| set | rays[cell][d])
        };
        let lines = (0..64).map(|c| std::array::from_fn(|l| line(c, l))).collect();
        LinesOfAction { grid, lines, rays, pasts: M::Numbers::default() }
    }

    /// Calls `found` with every move that is not a pass.
    #[inline]
    fn each_move(&self, board: &Board, mut found: impl FnMut(Move)) {
        let (mine, theirs) = (board.of[board.mover.index()], board.of[1 - board.mover.index()]);
        for from in mine.cells() {
            let counts = self.lines[from as usize].map(|line| (line & (mine | theirs)).count_ones());
            for d in 0..8 {
                let ray = self.rays[from as usize][d];
                let count = counts[LINE_OF[d]];
                if ray.count_ones() < count {
                    continue; // it would leave the board
                }
                let to = (from as i32 + APART[d] * count as i32) as u32;
                let between = ray & !self.rays[to as usize][d] & !(1 << to);
                if between & theirs == 0 && !mine.has(to) {
                    found(Move { from: from as u8, to: to as u8 });
                }
            }
        }
    }

    /// Whether `set` is one group.
    #[inline]
    fn connected(set: u64) -> bool {
        let mut group = set & set.wrapping_neg();
        loop {
            let grown = neighbourhood(group) & set;
            if grown == group {
                return group == set;
            }
            group = grown;
        }
    }

    fn board_text(&self, board: &Board) -> String {
        let sign = |c| if board.of[0].has(c) { Some('x') } else { board.of[1].has(c).then_some('o') };
        format!("{} {}", self.grid.write(sign), SIGNS[board.mover.index()])
    }

    fn parse_board(&self, text: &str) -> Result<Board, TextError> {
        let (cells, mover) = split_mover(text, SIGNS)?;
        let cells = self.grid.read(cells, "xo")?;
        let of: [u64; 2] = [where_is(&cells, 'x'), where_is(&cells, 'o')];
        if of.iter().any(|&set| !(1..=PIECES).contains(&set.count())) {
            return Err(TextError::new(format!("each side must have 1 to {PIECES} pieces")));
        }
        Ok(Board { of, mover })
    }
}

/// `set` and the cells beside it on the 8×8 board.
#[inline]
fn neighbourhood(set: u64) -> u64 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let wide = set | (set << 1 & NOT_A) | (set >> 1 & NOT_H);
    wide | wide << 8 | wide >> 8
}

impl<M: Memory<Board>> Game for LinesOfAction<M> {
    type State = State<M>;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = (Board, M::Number);

    fn start(&self) -> State<M> {
        let board = Board { of: [0x7e00_0000_0000_007e, 0x0081_8181_8181_8100], mover: Player::FIRST };
        State { board, seen: 0, past: M::default() }
    }

    fn expand(&self, state: &State<M>, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let status = self.status(state);
        if let Status::Turn(_) = status {
            let before = moves.len();
            self.each_move(&state.board, |mv| moves.push(mv));
            if moves.len() == before {
                moves.push(PASS);
            }
        }
        status
    }

    fn status(&self, state: &State<M>) -> Status<ZeroSum> {
        match state.board.of.map(Self::connected) {
            [true, true] => Status::Over(ZeroSum::draw()),
            [true, false] => Status::Over(ZeroSum::win_for(Player::FIRST)),
            [false, true] => Status::Over(ZeroSum::win_for(Player::SECOND)),
            _ if state.seen >= 2 => Status::Over(ZeroSum::draw()),
            _ => Status::Turn(state.board.mover),
        }
    }

    fn play(&self, state: &mut State<M>, mv: Move) {
        let board = &mut state.board;
        let me = board.mover.index();
        let (from, to) = (1u64 << mv.from, 1u64 << mv.to);
        if board.of[1 - me] & to != 0 && mv != PASS {
            state.past.clear();
            board.of[1 - me] ^= to;
        } else {
            state.past.push(*board);
        }
        if mv != PASS {
            board.of[me] ^= from | to;
        }
        board.mover = board.mover.opponent();
        state.seen = state.past.count(board).min(2) as u8;
    }

    fn key(&self, state: &State<M>) -> Self::Key {
        (state.board, state.past.number(&self.pasts))
    }

    fn facts(&self) -> Facts {
        Facts {
            acyclic: M::KEPT,
            history: M::KEPT,
            states: (!M::KEPT).then(|| 2.0 * 3f64.powi(64)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<M: Memory<Board>> Notation for LinesOfAction<M> {
    fn position_text(&self, state: &State<M>) -> String {
        let now = self.board_text(&state.board);
        memory::write(now, &state.past, |b| self.board_text(b))
    }

    fn parse_position(&self, text: &str) -> Result<State<M>, TextError> {
        let (now, earlier) = memory::split::<Board, M>(text)?;
        let board = self.parse_board(now)?;
        let fits = |before: &Board| before.of.map(Bits::count) == board.of.map(Bits::count);
        let past: M = memory::read(earlier, |text| self.parse_board(text), fits, 2, None)?;
        Ok(State { board, seen: past.count(&board).min(2) as u8, past })
    }

    fn move_text(&self, _: &State<M>, mv: Move) -> String {
        if mv == PASS { "pass".into() } else { self.grid.name(mv.from.into()) + &self.grid.name(mv.to.into()) }
    }

    fn drawing(&self, state: &State<M>) -> Drawing {
        let drawing = self.grid.draw(|c| match state.board.of.map(|set| set.has(c)) {
            [true, _] => Cell::Stone(Player::FIRST),
            [_, true] => Cell::Stone(Player::SECOND),
            _ => Cell::Empty,
        });
        if state.seen == 0 { drawing } else { drawing.with_note(format!("occurrence {}", state.seen + 1)) }
    }
}

impl<M: Memory<Board>> Symmetric for LinesOfAction<M> {
    fn symmetries(&self) -> usize {
        self.grid.symmetries()
    }

    fn transform(&self, state: &State<M>, index: usize) -> State<M> {
        let image = |b: &Board| Board { of: b.of.map(|set| self.grid.image_of(set, index)), ..*b };
        State { board: image(&state.board), past: state.past.map(image), ..*state }
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        if mv == PASS {
            return PASS;
        }
        let image = |c: u8| self.grid.image(c.into(), index) as u8;
        Move { from: image(mv.from), to: image(mv.to) }
    }
}

impl<M: Memory<Board>> Playouts for LinesOfAction<M> {}

impl<M: Memory<Board>> Heuristic for LinesOfAction<M> {
    /// How far pieces stand from their centre of mass: closer together is better.
    fn heuristic(&self, state: &State<M>) -> f32 {
        let scatter = |set: u64| {
            let n = set.count() as f32;
            let (x, y) = set.cells().fold((0.0, 0.0), |(x, y), c| (x + (c % 8) as f32, y + (c / 8) as f32));
            let away = |c: u32| ((c % 8) as f32 - x / n).abs().max(((c / 8) as f32 - y / n).abs());
            set.cells().map(away).sum::<f32>() / n
        };
        let [x, o] = state.board.of;
        Estimate::from_fn(|_| (scatter(o) - scatter(x)).tanh() * 0.9)
    }
}

impl<M: Memory<Board>> Features for LinesOfAction<M> {}
impl<M: Memory<Board>> SolverHints for LinesOfAction<M> {}
impl<M: Memory<Board>> OrderingHints for LinesOfAction<M> {}

impl<M: Memory<Board>> Persist for LinesOfAction<M> {
    /// Where pasts are kept, keys hold their numbers, given as they are asked about.
    fn stable_keys(&self) -> bool {
        !M::KEPT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::memory::{Forget, Recall};

    #[test]
    fn the_third_occurrence_is_a_draw() {
        let game = LinesOfAction::<Recall<Board>>::new();
        let mut state = game.start();
        for text in "b1b3 a2c2 b3b1 c2a2 b1b3 a2c2 b3b1 c2a2".split(' ') {
            assert_eq!(game.status(&state), Status::Turn(state.board.mover));
            let mv = game.parse_move(&state, text).unwrap();
            game.play(&mut state, mv);
        }
        assert_eq!(game.status(&state), Status::Over(ZeroSum::draw()));
        assert_eq!(game.parse_position(&game.position_text(&state)), Ok(state));
    }

    #[test]
    fn who_joins_both_sides_draws() {
        let game = LinesOfAction::<Forget>::new();
        let over = |text| game.status(&game.parse_position(text).unwrap());
        assert_eq!(over("8/8/8/8/8/8/8/xx4oo x"), Status::Over(ZeroSum::draw()));
        assert_eq!(over("8/8/8/8/8/8/x7/1x3o1o x"), Status::Over(ZeroSum::win_for(Player::FIRST)));
        assert_eq!(over("8/8/8/8/8/8/x7/2x4o x"), Status::Over(ZeroSum::win_for(Player::SECOND)));
    }
}
