//! Lines of Action: join all your pieces. A piece moves exactly as far as there are pieces on its line.
//!
//! A game need not end by itself, so by default the third occurrence of a position is a draw and the state remembers
//! the positions since the last capture (see [`crate::support::history`]). With `repetition=free` it does not, and
//! positions can repeat.

use perfectplay_core::{
    Cell, Colour, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Layout, Look, Notation, OptionSet,
    OrderingHints, Params, Payoff, Persist, Player, Playouts, Setting, SolverHints, Status, Symmetric, TextError,
    Visitor, ZeroSum, options, plain_struct,
};

use crate::support::bits::Bits;
use crate::support::board;
use crate::support::grid::{DIRECTIONS, Grid, SIGNS, split_mover, where_is};
use crate::support::history::{self, Histories, History, Line, PositionHistory};
use crate::support::playout;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "lines-of-action",
    summary: "join all your pieces; a piece moves as far as there are pieces on its line",
    players: "2",
    parameters: Parameters::docs,
    examples: &["lines-of-action:repetition=free", "lines-of-action"],
    rules: "Black (`x`) stands on the top and bottom rows and moves first, White (`o`) on the outer columns. A piece \
moves in a straight line, also diagonally, by exactly as many cells as there are pieces of both colours on that line. \
It may pass over its own side, not over enemies; an enemy on the target is taken. Who joins all its pieces into one \
group, diagonals included, wins; a lone piece is one group. If a move joins both sides it is a draw. Who cannot move \
passes. A position that occurs for the third time is a draw.

Moves are two cells, `b1b3`, or `pass`. Positions are rows from the top and who moves; the state holds the positions \
since the last capture, written after the position: `… after OLDEST, …`. With `repetition=free` nothing is remembered \
and games may go on for ever.",
    sources: &[
        "C. Soucie; S. Sackson, A Gamut of Games (1969)",
        "M. Winands, Analysis and Implementation of Lines of Action (2000)",
    ],
};

options! {
    struct Parameters {
        draw: bool = Setting::choice(
            "repetition",
            "what happens if positions repeat",
            &[("draw", "the third occurrence is one", true), ("free", "nothing, without end", false)],
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { draw } = Parameters::read(INFO.name, params)?;
    Ok(visitor.zero_sum(LinesOfAction::new(draw)))
}

/// The board, its lines, and whether repetitions draw.
#[derive(Clone, Debug)]
pub struct LinesOfAction {
    grid: Grid,
    /// The four lines through each cell: along, up, and the two diagonals.
    lines: Vec<[u64; 4]>,
    /// `rays[cell][direction]`: the cells in this direction.
    rays: Vec<[u64; 8]>,
    /// Whether the third occurrence of a position is a draw.
    draws: bool,
    histories: Histories<Board>,
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

plain_struct!(impl[] Board { of: [u64; 2], mover: Player });

/// A position with what the rules need of its past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The pieces.
    pub board: Board,
    /// How often this position was there before.
    seen: u8,
    past: History,
}

plain_struct!(impl[] State { board: Board, seen: u8, past: History });

/// A piece goes from one cell to another; both the same for a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Where it was.
    pub from: u8,
    /// Where it goes.
    pub to: u8,
}

plain_struct!(impl[] Move { from: u8, to: u8 });

const PASS: Move = Move { from: 0, to: 0 };

/// Most pieces a side can have.
const PIECES: u32 = 12;

impl LinesOfAction {
    /// The rules on 8 × 8 cells; `draws`: the third occurrence of a position is a draw.
    pub fn new(draws: bool) -> Self {
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
        LinesOfAction { grid, lines, rays, draws, histories: Histories::default() }
    }

    /// Where the piece on `from` goes in direction `d`, if it can: `count` pieces stand on that line.
    #[inline]
    fn target(&self, from: u8, d: usize, count: u32, mine: u64, theirs: u64) -> Option<u8> {
        let to = i32::from(from) + APART[d] * count as i32;
        let ray = self.rays[usize::from(from)][d];
        if !(0..64).contains(&to) || ray >> to & 1 == 0 {
            return None; // it would leave the board
        }
        let between = ray & !self.rays[to as usize][d] & !(1 << to);
        (between & theirs == 0 && mine >> to & 1 == 0).then_some(to as u8)
    }

    /// Calls `found` with every move that is not a pass.
    #[inline]
    fn each_move(&self, board: &Board, mut found: impl FnMut(Move)) {
        let (mine, theirs) = (board.of[board.mover.index()], board.of[1 - board.mover.index()]);
        for from in mine.cells().map(|from| from as u8) {
            let counts = self.lines[usize::from(from)].map(|line| (line & (mine | theirs)).count_ones());
            for d in 0..8 {
                if let Some(to) = self.target(from, d, counts[LINE_OF[d]], mine, theirs) {
                    found(Move { from, to });
                }
            }
        }
    }

    /// Plays a move; `past` is that of the position, if the rules look back.
    #[inline]
    fn play_with(&self, state: &mut State, mv: Move, past: &mut impl PositionHistory<Board>) {
        let before = state.board;
        let board = &mut state.board;
        let me = board.mover.index();
        let to = if mv == PASS { 0 } else { 1u64 << mv.to };
        let takes = board.of[1 - me] & to != 0;
        if mv != PASS {
            board.of[me] ^= 1 << mv.from | to;
            board.of[1 - me] &= !to;
        }
        board.mover = board.mover.opponent();
        if self.draws {
            if takes {
                past.clear()
            } else {
                past.push(before)
            }
            state.seen = past.count(&state.board).min(2) as u8;
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

/// `set` and the cells beside it on the 8×8 board.
#[inline]
fn neighbourhood(set: u64) -> u64 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let wide = set | (set << 1 & NOT_A) | (set >> 1 & NOT_H);
    wide | wide << 8 | wide >> 8
}

impl Game for LinesOfAction {
    type State = State;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = State;

    fn start(&self) -> State {
        let board = Board { of: [0x7e00_0000_0000_007e, 0x0081_8181_8181_8100], mover: Player::FIRST };
        State { board, seen: 0, past: History::NONE }
    }

    fn expand(&self, state: &State, moves: &mut Vec<Move>) -> Status<ZeroSum> {
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

    fn status(&self, state: &State) -> Status<ZeroSum> {
        match state.board.of.map(connected) {
            [true, true] => Status::Over(ZeroSum::draw()),
            [true, false] => Status::Over(ZeroSum::win_for(Player::FIRST)),
            [false, true] => Status::Over(ZeroSum::win_for(Player::SECOND)),
            _ if state.seen >= 2 => Status::Over(ZeroSum::draw()),
            _ => Status::Turn(state.board.mover),
        }
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Move) {
        let mut past = state.past;
        self.play_with(state, mv, &mut self.histories.past(&mut past));
        state.past = past;
    }

    fn key(&self, state: &State) -> State {
        *state
    }

    fn facts(&self) -> Facts {
        Facts {
            acyclic: self.draws,
            history: self.draws,
            states: (!self.draws).then(|| 2.0 * 3f64.powi(64)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl Notation for LinesOfAction {
    fn position_text(&self, state: &State) -> String {
        let now = self.board_text(&state.board);
        history::write(now, &self.histories.oldest_first(state.past), |b| self.board_text(b))
    }

    fn parse_position(&self, text: &str) -> Result<State, TextError> {
        let (now, earlier) = history::split(text, self.draws)?;
        let board = self.parse_board(now)?;
        let fits = |before: &Board| before.of.map(Bits::count) == board.of.map(Bits::count);
        let past = history::read(earlier, |text| self.parse_board(text), fits, 2, None)?;
        let seen = past.iter().filter(|&&before| before == board).count().min(2) as u8;
        Ok(State { board, seen, past: self.histories.from_oldest(past) })
    }

    fn move_text(&self, _: &State, mv: Move) -> String {
        if mv == PASS { "pass".into() } else { self.grid.name(mv.from.into()) + &self.grid.name(mv.to.into()) }
    }

    fn drawing(&self, state: &State) -> Drawing {
        let drawing = self.grid.draw(|c| match state.board.of.map(|set| set.has(c)) {
            [true, _] => Cell::Stone(Player::FIRST),
            [_, true] => Cell::Stone(Player::SECOND),
            _ => Cell::Empty,
        });
        let drawing = drawing.with_look(Look::Checkered).in_colours([Colour::Black, Colour::White]);
        if state.seen == 0 { drawing } else { drawing.with_note(format!("occurrence {}", state.seen + 1)) }
    }
}

impl Symmetric for LinesOfAction {
    fn symmetries(&self) -> usize {
        self.grid.symmetries()
    }

    fn transform(&self, state: &State, index: usize) -> State {
        let image = |b: &Board| Board { of: b.of.map(|set| self.grid.image_of(set, index)), ..*b };
        State { board: image(&state.board), past: self.histories.map(state.past, image), ..*state }
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        if mv == PASS {
            return PASS;
        }
        let image = |c: u8| self.grid.image(c.into(), index) as u8;
        Move { from: image(mv.from), to: image(mv.to) }
    }
}

impl Playouts for LinesOfAction {
    /// On a board with lists of pieces.
    fn playout(
        &self,
        state: State,
        most: u32,
        _: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        playout::run(Lists::new(self, &state), most, |lists| lists.draw(self, below), |lists, go| lists.play(self, go))
    }
}

/// A position of a playout: pieces in lists, so that one can be drawn.
#[derive(Debug)]
struct Lists {
    board: Board,
    /// Each player's pieces; as many as the number beside them count.
    pieces: [([u8; PIECES as usize], u8); 2],
    over: Option<ZeroSum>,
    past: Line<Board>,
}

/// The piece with this number in the mover's list goes to a cell.
#[derive(Clone, Copy, Debug)]
struct Go {
    piece: u8,
    to: u8,
}

impl Lists {
    fn new(rules: &LinesOfAction, state: &State) -> Self {
        let list = |set: u64| {
            let mut list = [0; PIECES as usize];
            list.iter_mut().zip(set.cells()).for_each(|(at, cell)| *at = cell as u8);
            (list, set.count() as u8)
        };
        let over = match rules.status(state) {
            Status::Turn(_) => None,
            Status::Over(payoff) => Some(payoff),
        };
        let board = state.board;
        Lists { board, pieces: board.of.map(list), over, past: rules.histories.line(state.past) }
    }

    /// A random move, `None` for a pass, or how the game ended.
    ///
    /// Draws a piece and a direction until the piece can go there: each move has one of each, so all are equally
    /// likely.
    #[inline]
    fn draw(&self, rules: &LinesOfAction, below: &mut impl FnMut(usize) -> usize) -> Result<Option<Go>, ZeroSum> {
        if let Some(payoff) = self.over {
            return Err(payoff);
        }
        let me = self.board.mover.index();
        let (mine, theirs) = (self.board.of[me], self.board.of[1 - me]);
        let (list, number) = &self.pieces[me];
        for _ in 0..TRIES {
            let choice = below(8 * usize::from(*number));
            let (piece, d) = (choice / 8, choice % 8);
            let from = list[piece];
            let count = (rules.lines[usize::from(from)][LINE_OF[d]] & (mine | theirs)).count_ones();
            if let Some(to) = rules.target(from, d, count, mine, theirs) {
                return Ok(Some(Go { piece: piece as u8, to }));
            }
        }
        Ok(self.draw_from_all(rules, below))
    }

    /// The same, for positions with next to no moves.
    #[cold]
    fn draw_from_all(&self, rules: &LinesOfAction, below: &mut impl FnMut(usize) -> usize) -> Option<Go> {
        let mut moves = Vec::new();
        rules.each_move(&self.board, |mv| moves.push(mv));
        let mv = if moves.is_empty() { return None } else { moves[below(moves.len())] };
        let piece = self.pieces[self.board.mover.index()].0.iter().position(|&from| from == mv.from)?;
        Some(Go { piece: piece as u8, to: mv.to })
    }

    #[inline]
    fn play(&mut self, rules: &LinesOfAction, go: Option<Go>) {
        let before = self.board;
        let (me, they) = (before.mover.index(), 1 - before.mover.index());
        self.board.mover = before.mover.opponent();
        let mut takes = false;
        if let Some(Go { piece, to }) = go {
            let from = std::mem::replace(&mut self.pieces[me].0[usize::from(piece)], to);
            self.board.of[me] ^= 1 << from | 1 << to;
            takes = before.of[they] >> to & 1 != 0;
            if takes {
                self.remove(they, to);
            }
            // Who is not joined stays so while its pieces stay.
            let joined = [me, they].map(|p| (p == me || takes) && connected(self.board.of[p]));
            self.over = match joined {
                [false, false] => None,
                [true, true] => Some(ZeroSum::draw()),
                [mine, _] => Some(ZeroSum::win_for(if mine { before.mover } else { before.mover.opponent() })),
            };
        }
        if rules.draws {
            if takes {
                self.past.clear()
            } else {
                self.past.push(before)
            }
            if self.over.is_none() && self.past.count(&self.board) >= 2 {
                self.over = Some(ZeroSum::draw());
            }
        }
    }

    fn remove(&mut self, player: usize, cell: u8) {
        self.board.of[player] ^= 1 << cell;
        let (list, number) = &mut self.pieces[player];
        *number -= 1;
        if let Some(at) = list.iter().position(|&c| c == cell) {
            list[at] = list[usize::from(*number)];
        }
    }
}

/// Draws of a piece and a direction before all moves are looked at.
const TRIES: u32 = 40;

impl Heuristic for LinesOfAction {
    /// How far pieces stand from their centre of mass: closer together is better.
    fn heuristic(&self, state: &State) -> f32 {
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

impl Features for LinesOfAction {
    fn layout(&self) -> Option<Layout> {
        Some(board::layout(8, 8, 3, &["earlier occurrences"]))
    }

    /// Empty, mine, theirs.
    fn cell_values(&self, state: &State, out: &mut Vec<u8>) {
        let me = state.board.mover.index();
        let [mine, theirs] = [me, 1 - me].map(|p| state.board.of[p]);
        board::push_owners(0..64, mine, theirs, out);
    }

    fn numbers(&self, state: &State, out: &mut Vec<f32>) {
        out.push(f32::from(state.seen) / 2.0);
    }

    fn viewer(&self, state: &State) -> Player {
        state.board.mover
    }
}

impl SolverHints for LinesOfAction {}
impl OrderingHints for LinesOfAction {}

impl Persist for LinesOfAction {
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
    use crate::support::uniform::dice;

    #[test]
    fn the_third_occurrence_is_a_draw() {
        let game = LinesOfAction::new(true);
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
        let game = LinesOfAction::new(false);
        let over = |text| game.status(&game.parse_position(text).unwrap());
        assert_eq!(over("8/8/8/8/8/8/8/xx4oo x"), Status::Over(ZeroSum::draw()));
        assert_eq!(over("8/8/8/8/8/8/x7/1x3o1o x"), Status::Over(ZeroSum::win_for(Player::FIRST)));
        assert_eq!(over("8/8/8/8/8/8/x7/2x4o x"), Status::Over(ZeroSum::win_for(Player::SECOND)));
    }

    #[test]
    fn playouts_follow_the_rules() {
        for rules in [true, false].map(LinesOfAction::new) {
            let mut below = dice();
            for _ in 0..100 {
                let mut state = rules.start();
                let mut lists = Lists::new(&rules, &state);
                for _ in 0..1000 {
                    let go = match lists.draw(&rules, &mut below) {
                        Ok(go) => go,
                        Err(payoff) => {
                            assert_eq!(rules.status(&state), Status::Over(payoff));
                            break;
                        }
                    };
                    let from = |go: Go| lists.pieces[state.board.mover.index()].0[usize::from(go.piece)];
                    let mv = go.map_or(PASS, |go| Move { from: from(go), to: go.to });
                    let mut moves = Vec::new();
                    rules.expand(&state, &mut moves);
                    assert!(moves.contains(&mv), "{mv:?} in {state:?}");
                    rules.play(&mut state, mv);
                    lists.play(&rules, go);
                    let listed =
                        lists.pieces.map(|(list, n)| list[..n.into()].iter().fold(0, |set, c| set | 1u64 << c));
                    assert_eq!((lists.board, listed), (state.board, state.board.of));
                }
            }
        }
    }

    #[test]
    fn random_moves_of_playouts_are_uniform() {
        let rules = LinesOfAction::new(false);
        for text in ["8/8/8/8/1o6/o7/1o6/x6x x", "8/x5o1/3xo3/2x5/8/4xo2/1oo3x1/8 o"] {
            let state = rules.parse_position(text).unwrap();
            let (mut moves, mut below) = (Vec::new(), dice());
            rules.expand(&state, &mut moves);
            let mut counts = vec![0i32; moves.len()];
            for _ in 0..400 * moves.len() {
                let lists = Lists::new(&rules, &state);
                let Ok(Some(go)) = lists.draw(&rules, &mut below) else { panic!("there are moves") };
                let from = lists.pieces[state.board.mover.index()].0[usize::from(go.piece)];
                counts[moves.iter().position(|&mv| mv == Move { from, to: go.to }).expect("a legal move")] += 1;
            }
            assert!(counts.iter().all(|count| (count - 400).abs() < 120), "{counts:?}");
        }
    }
}
