//! Chexers: three players race four pieces each across a board of hexagons; who jumps over a piece takes it over.
//!
//! Cells have axial coordinates (q, r) with q, r and -q-r in -3..3. A row takes eight bits, of which seven are cells at
//! most, so a step in each of the six directions is one shift and what leaves the board falls on no cell:
//!
//! ```text
//!   bit = 8 · (r + 3) + (q + 3)          . . . x x x x .
//!                                         . . x x x x x .
//!   east +1, south-east +8,               . x x x x x x .
//!   south-west +7, and back               x x x x x x x .
//!                                         x x x x x x . .
//! ```
//!
//! The cell a piece jumps over lies in the middle of the two bits. The state holds the number of moves made (it says
//! who moves and when the game is drawn), so games are finite and no position can occur twice in one.

use perfectplay_core::{
    Cell, Colour, Drawing, Estimate, Facts, Features, Figures, Gain, Game, GameInfo, Heuristic, Lattice, Layout,
    Notation, OptionSet, OrderingHints, Params, Persist, Plain, Player, Playouts, Scores, Setting, Shape, SolverHints,
    Status, Symmetric, TextError, Visitor, column_letters, options, plain_struct,
};

use crate::support::bits::Bits;
use crate::support::fen;
use crate::support::history::{self, Histories, History, PositionHistory};
use crate::support::playout;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "chexers",
    summary: "race four pieces across a board of hexagons, jumping takes pieces over",
    players: "3",
    parameters: Parameters::docs,
    examples: &["chexers:repetition=free,turns=3", "chexers:repetition=free", "chexers"],
    rules: "Red, Green and Blue have four pieces each on three sides of a hexagon of 37 cells and move in turn. A \
piece steps to an empty cell beside it, or jumps in a straight line over a piece beside it to the empty cell behind; a \
piece of another colour that was jumped over becomes the mover's. A piece on one of the four cells of the side \
opposite to its home may leave the board. Who can do nothing of this passes, and may pass only then. Who has four \
pieces off the board first wins alone. A draw: the same board with the same mover for the fourth time (the start \
counts), or 256 turns of everybody. The winner scores 2 and the others -1, a draw is 0 for all, so scores always add \
up to 0.

Cells are named by a letter for q = -3 … 3 and a number for r = -3 … 3: Red starts on a4 to a7, Green on d1 to g1, \
Blue on d7, e6, f5 and g4. Moves are `a4b4` for steps and jumps, `g1out`, or `pass`. Positions are the rows from r = \
-3, who moves (r, g or b), the pieces each has taken off, and the turns the mover has had: `GGGG/5/6/R5B/R4B/R3B/R2B r \
0,0,0 0`. With `repetition=draw` the state holds the positions since a piece last left the board, written after it: `… \
after OLDEST, …`. With `repetition=free` only the limit of turns ends a game that nobody wins; with `turns=0` as well \
it may go on for ever.",
    sources: &["University of Melbourne, COMP30024 Artificial Intelligence (2019): specification of Chexers"],
};

options! {
    struct Parameters {
        draw: bool = Setting::choice(
            "repetition",
            "what becomes of a position that comes back",
            &[
                ("draw", "its fourth occurrence is a draw", true),
                ("free", "nothing, as no position is remembered", false),
            ],
        ),
        turns: u16 = Setting::whole(
            "turns",
            "the game is drawn when everybody has had so many turns (0: no limit)",
            0..=5000,
            256,
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { draw, turns } = Parameters::read(INFO.name, params)?;
    Ok(visitor.scores(Chexers::new(draw, turns)))
}

/// Pieces that must leave the board.
const GOAL: u8 = 4;
/// Occurrences of a position that make a draw.
const OCCURRENCES: usize = 4;
const LETTERS: [char; 3] = ['R', 'G', 'B'];
/// East, south-east, south-west; the others are their opposites.
const STEPS: [u32; 3] = [1, 8, 7];

const fn bit(q: i32, r: i32) -> u64 {
    1 << (8 * (r + 3) + q + 3)
}

const fn on_board(q: i32, r: i32) -> bool {
    -3 <= q && q <= 3 && -3 <= r && r <= 3 && -3 <= q + r && q + r <= 3
}

/// `cells[player][d]`: where a piece needs d more moves without jumping to leave the board (d from 1 to 7).
const AWAY: [[u64; 8]; 3] = {
    let mut away = [[0; 8]; 3];
    let mut q = -3;
    while q <= 3 {
        let mut r = -3;
        while r <= 3 {
            if on_board(q, r) {
                away[0][(4 - q) as usize] |= bit(q, r);
                away[1][(4 - r) as usize] |= bit(q, r);
                away[2][(4 + q + r) as usize] |= bit(q, r);
            }
            r += 1;
        }
        q += 1;
    }
    away
};

/// The cells of the board.
const CELLS: u64 = {
    let (mut all, mut d) = (0, 1);
    while d < 8 {
        all |= AWAY[0][d];
        d += 1;
    }
    all
};

/// Where each player's pieces stand at first, and where they may leave.
const HOME: [u64; 3] = [AWAY[0][7], AWAY[1][7], AWAY[2][7]];
const EXITS: [u64; 3] = [AWAY[0][1], AWAY[1][1], AWAY[2][1]];

/// What ends a game as a draw, and the positions that were met.
#[derive(Clone, Debug)]
pub struct Chexers {
    /// Turns of each player after which the game is drawn; 0 for no limit.
    turns: u16,
    /// Whether the fourth occurrence of a position is a draw.
    draws: bool,
    histories: Histories<Board>,
}

/// Who stands where and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    /// By player.
    pub pieces: [u64; 3],
    /// Who moves.
    pub mover: Player,
}

plain_struct!(impl[] Board { pieces: [u64; 3], mover: Player });

/// A position with what the rules need of its past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The pieces.
    pub board: Board,
    /// Pieces that have left, by player.
    pub out: [u8; 3],
    /// Turns the mover has had; 0 where they are not limited.
    turn: u16,
    /// Whether this position occurs for the fourth time.
    repeated: bool,
    past: History,
}

plain_struct!(impl[] State { board: Board, out: [u8; 3], turn: u16, repeated: bool, past: History });

/// One choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// To a cell beside.
    Step(u8, u8),
    /// Over one piece.
    Jump(u8, u8),
    /// A piece leaves the board.
    Exit(u8),
    /// Nothing else is possible.
    Pass,
}

/// In place of a cell, and added to the cell a jump starts from.
const NOWHERE: u8 = 255;
const JUMP: u8 = 64;

impl Plain for Move {
    const SIZE: usize = 2;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        match *self {
            Move::Step(from, to) => [from, to],
            Move::Jump(from, to) => [from + JUMP, to],
            Move::Exit(from) => [from, NOWHERE],
            Move::Pass => [NOWHERE; 2],
        }
        .put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        match <[u8; 2]>::take(bytes)? {
            [from @ 0..64, to @ 0..64] => Some(Move::Step(from, to)),
            [from @ 64..128, to @ 0..64] => Some(Move::Jump(from - JUMP, to)),
            [from @ 0..64, NOWHERE] => Some(Move::Exit(from)),
            [NOWHERE, NOWHERE] => Some(Move::Pass),
            _ => None,
        }
    }
}

#[inline]
fn onward(set: u64, step: u32) -> [u64; 2] {
    [set << step, set >> step]
}

impl Chexers {
    /// The rules; `draws`: the fourth occurrence of a position is a draw, as are so many turns of everybody, 0 for no
    /// limit.
    pub fn new(draws: bool, turns: u16) -> Self {
        Chexers { turns, draws, histories: Histories::default() }
    }

    /// Plays a move; `past` is that of the position, if the rules look back.
    #[inline]
    fn play_with(&self, state: &mut State, mv: Move, past: &mut impl PositionHistory<Board>) {
        let before = state.board;
        let me = before.mover.index();
        let pieces = &mut state.board.pieces;
        match mv {
            Move::Step(from, to) => pieces[me] ^= 1 << from | 1 << to,
            Move::Jump(from, to) => {
                let over = 1u64 << ((from + to) / 2);
                pieces.iter_mut().for_each(|set| *set &= !over);
                pieces[me] = pieces[me] ^ 1 << from | 1 << to | over;
            }
            Move::Exit(from) => {
                pieces[me] ^= 1 << from;
                state.out[me] += 1;
            }
            Move::Pass => {}
        }
        state.board.mover = before.mover.next(3);
        state.turn += u16::from(me == 2 && self.turns > 0);
        if self.draws {
            state.repeated = Self::remember(past, before, mv) && Self::occurrences(past, &state.board) >= OCCURRENCES;
        }
    }

    /// Adds the position before `mv` to the past, or forgets all if none of it can come back; answers whether it can.
    #[inline]
    fn remember(past: &mut impl PositionHistory<Board>, before: Board, mv: Move) -> bool {
        let comes_back = !matches!(mv, Move::Exit(_));
        if comes_back {
            past.push(before)
        } else {
            past.clear()
        }
        comes_back
    }

    /// How often the position has occurred, now included. Only every third one had the same mover.
    #[inline]
    fn occurrences(past: &impl PositionHistory<Board>, board: &Board) -> usize {
        past.positions().skip(2).step_by(3).filter(|earlier| *earlier == board).count() + 1
    }

    /// Where the pieces in `mine` step to and jump to, by direction.
    #[inline]
    fn targets(board: &Board) -> [([u64; 2], [u64; 2], u32); 3] {
        let mine = board.pieces[board.mover.index()];
        let all = board.pieces[0] | board.pieces[1] | board.pieces[2];
        let empty = CELLS & !all;
        STEPS.map(|step| {
            let [up, down] = onward(mine, step);
            let jumps = [onward(up & all, step)[0] & empty, onward(down & all, step)[1] & empty];
            ([up & empty, down & empty], jumps, step)
        })
    }

    fn board_text(&self, board: &Board) -> String {
        let sign = |cell| (0..3).find(|&p| board.pieces[p].has(cell)).map(|p| LETTERS[p]);
        let rows: Vec<String> = rows().map(|row| fen::write_row(row.map(sign))).collect();
        format!("{} {}", rows.join("/"), LETTERS[board.mover.index()].to_ascii_lowercase())
    }

    fn parse_board(text: &str) -> Result<Board, TextError> {
        let (cells, mover) = text.trim().rsplit_once(' ').unwrap_or((text, ""));
        let widths: Vec<usize> = rows().map(Iterator::count).collect();
        let cells = fen::parse_uneven_rows(cells.trim_end(), &widths, "RGB")?;
        let mut pieces = [0; 3];
        for (row, signs) in rows().zip(cells) {
            for (cell, sign) in row.zip(signs) {
                if let Some(player) = sign.and_then(|s| LETTERS.iter().position(|&l| l == s)) {
                    pieces[player] |= 1 << cell;
                }
            }
        }
        let mover = ["r", "g", "b"].iter().position(|l| *l == mover).ok_or_else(|| {
            TextError::new(format!("expected the board and who moves, r, g or b, got \"{mover}\" at the end"))
        })?;
        Ok(Board { pieces, mover: Player::new(mover) })
    }

    fn parse_out(text: &str) -> Result<[u8; 3], TextError> {
        let counts: Option<Vec<u8>> = text.split(',').map(|n| n.parse().ok().filter(|&n| n <= GOAL)).collect();
        counts.and_then(|c| c.try_into().ok()).ok_or_else(|| {
            TextError::new(format!(
                "expected three numbers of pieces off the board, 0 to {GOAL}, like 0,1,2, got \"{text}\""
            ))
        })
    }

    /// Whether play can lead here, as far as numbers tell.
    fn check(&self, board: &Board, out: [u8; 3], turn: u16) -> Result<(), TextError> {
        let standing: u32 = board.pieces.iter().map(|set| set.count()).sum();
        let gone: u32 = out.iter().map(|&n| u32::from(n)).sum();
        let moves = 3 * u32::from(turn) + board.mover.index() as u32;
        if standing + gone != 12 {
            return Err(TextError::new(format!(
                "there must be 12 pieces, {standing} stand and {gone} are off the board"
            )));
        }
        if self.turns > 0 && (moves > 3 * u32::from(self.turns) || moves < gone) {
            return Err(TextError::new(format!(
                "the turn must be 0 to {}, and fit the pieces off the board",
                self.turns
            )));
        }
        let winners: Vec<usize> = (0..3).filter(|&p| out[p] == GOAL).collect();
        let last = (board.mover.index() + 2) % 3;
        if winners.iter().any(|&w| w != last) {
            return Err(TextError::new("the game was over before the last move"));
        }
        Ok(())
    }
}

/// The cells of each row.
fn rows() -> impl Iterator<Item = impl Iterator<Item = u32>> {
    (0..7u32).map(|r| (8 * r..8 * r + 7).filter(|&cell| CELLS.has(cell)))
}

fn name(cell: u8) -> String {
    format!("{}{}", column_letters(usize::from(cell % 8)), cell / 8 + 1)
}

fn won_by(winner: Player) -> Scores<3> {
    let gains = std::array::from_fn(|p| if p == winner.index() { Gain::Win } else { Gain::Loss });
    Scores { gains, scores: gains.map(|g| if g == Gain::Win { 2 } else { -1 }) }
}

const DRAW: Scores<3> = Scores { gains: [Gain::Draw; 3], scores: [0; 3] };

impl Game for Chexers {
    type State = State;
    type Move = Move;
    type Payoff = Scores<3>;
    type Key = State;

    fn start(&self) -> State {
        let board = Board { pieces: HOME, mover: Player::FIRST };
        State { board, out: [0; 3], turn: 0, repeated: false, past: History::NONE }
    }

    #[inline]
    fn expand(&self, state: &State, moves: &mut Vec<Move>) -> Status<Scores<3>> {
        let status = self.status(state);
        let Status::Turn(mover) = status else { return status };
        let before = moves.len();
        let exits = state.board.pieces[mover.index()] & EXITS[mover.index()];
        moves.extend(exits.cells().map(|cell| Move::Exit(cell as u8)));
        for ([up, down], [far_up, far_down], step) in Self::targets(&state.board) {
            let step = step as u8;
            moves.extend(far_up.cells().map(|to| Move::Jump(to as u8 - 2 * step, to as u8)));
            moves.extend(far_down.cells().map(|to| Move::Jump(to as u8 + 2 * step, to as u8)));
            moves.extend(up.cells().map(|to| Move::Step(to as u8 - step, to as u8)));
            moves.extend(down.cells().map(|to| Move::Step(to as u8 + step, to as u8)));
        }
        if moves.len() == before {
            moves.push(Move::Pass);
        }
        status
    }

    #[inline]
    fn status(&self, state: &State) -> Status<Scores<3>> {
        let last = (state.board.mover.index() + 2) % 3;
        if state.out[last] == GOAL {
            Status::Over(won_by(Player::new(last)))
        } else if state.repeated || self.turns > 0 && state.turn == self.turns {
            Status::Over(DRAW)
        } else {
            Status::Turn(state.board.mover)
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

    /// A winner gets 2 and the others -1, so that scores always add up to 0.
    fn facts(&self) -> Facts {
        let limited = self.turns > 0;
        Facts {
            zero_sum: true,
            sum: (0, 0),
            scores: vec![(-1, 2); 3],
            outcomes: Some(vec![-1, 0, 2]),
            acyclic: self.draws || limited,
            history: self.draws,
            length: limited.then(|| 3 * u32::from(self.turns)),
            states: (!self.draws).then(|| 4f64.powi(37) * 125.0 * 3.0 * f64::from(self.turns + 1)),
            heuristic: true,
            ..Facts::win_draw_loss::<Scores<3>>()
        }
    }
}

impl Notation for Chexers {
    fn position_text(&self, state: &State) -> String {
        let [red, green, blue] = state.out;
        let now = format!("{} {red},{green},{blue} {}", self.board_text(&state.board), state.turn);
        history::write(now, &self.histories.oldest_first(state.past), |board| self.board_text(board))
    }

    fn parse_position(&self, text: &str) -> Result<State, TextError> {
        let (now, earlier) = history::split(text, self.draws)?;
        let parts: Vec<&str> = now.split_whitespace().collect();
        let [cells, mover, out, turn] = parts[..] else {
            return Err(TextError::new("expected the board, who moves, the pieces off the board and the turn"));
        };
        let board = Self::parse_board(&format!("{cells} {mover}"))?;
        let out = Self::parse_out(out)?;
        let turn: u16 = turn.parse().ok().filter(|&t| self.turns > 0 || t == 0).ok_or_else(|| {
            TextError::new(format!("expected the number of turns, 0 to {}, at the end, got \"{turn}\"", self.turns))
        })?;
        self.check(&board, out, turn)?;
        let pieces = |b: &Board| b.pieces.iter().map(|set| set.count()).sum::<u32>();
        let fits = |before: &Board| pieces(before) == pieces(&board);
        let plies = (self.turns > 0).then(|| 3 * usize::from(turn) + board.mover.index());
        let past = history::read(earlier, Self::parse_board, fits, OCCURRENCES - 1, plies)?;
        let movers = past.iter().chain([&board]).map(|b| b.mover);
        if !movers.clone().zip(movers.skip(1)).all(|(before, after)| before.next(3) == after) {
            return Err(TextError::new("in the earlier positions the players must take turns"));
        }
        let occurrences = past.iter().filter(|&&b| b == board).count() + 1;
        let past = self.histories.from_oldest(past);
        Ok(State { board, out, turn, repeated: occurrences >= OCCURRENCES, past })
    }

    fn move_text(&self, _: &State, mv: Move) -> String {
        match mv {
            Move::Step(from, to) | Move::Jump(from, to) => name(from) + &name(to),
            Move::Exit(from) => name(from) + "out",
            Move::Pass => "pass".into(),
        }
    }

    fn drawing(&self, state: &State) -> Drawing {
        let cell = |cell| match (0..3).find(|&p| state.board.pieces[p].has(cell)) {
            Some(player) => Cell::Piece(Player::new(player), LETTERS[player]),
            None => Cell::Empty,
        };
        let rows: Vec<Vec<u32>> = rows().map(Iterator::collect).collect();
        let drawing = Drawing {
            shape: Shape::Hex,
            figures: Figures::Plain,
            indents: rows.iter().map(|row| 7 - row.len()).collect(),
            row_labels: rows.iter().map(|row| name(row[0] as u8)).collect(),
            ..Drawing::square(rows.iter().map(|row| row.iter().map(|&c| cell(c)).collect()).collect())
        };
        let [red, green, blue] = state.out;
        drawing
            .with_note("each row begins with the cell named at its left; letters go on to the right")
            .in_colours([Colour::Red, Colour::Green, Colour::Blue])
            .with_note(format!("off the board: red {red}, green {green}, blue {blue}"))
    }
}

impl Symmetric for Chexers {}

impl Playouts for Chexers {
    /// Random games keep their past to themselves.
    fn playout(
        &self,
        state: State,
        most: u32,
        moves: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<Scores<3>>, u32) {
        let line = (state, self.histories.line(state.past));
        let draw = |(state, _): &mut (State, _)| self.random_move(state, moves, below);
        playout::run(line, most, draw, |(state, past), mv| self.play_with(state, mv, past))
    }
}

impl Heuristic for Chexers {
    fn heuristic(&self, state: &State) -> [f32; 3] {
        Estimate::from_fn(|player| self.heuristic_of(state, player))
    }

    /// Minus the moves that `player` needs to take off what is missing for a win, with its pieces nearest to the exit.
    /// A piece that it does not have yet counts more than any it has; one too many is worth a little.
    #[inline]
    fn heuristic_of(&self, state: &State, player: Player) -> f32 {
        const UNOWNED: u32 = 11;
        let p = player.index();
        let mut missing = u32::from(GOAL - state.out[p]);
        let mut moves = 0;
        for (away, cells) in AWAY[p].iter().enumerate().skip(1) {
            let used = (state.board.pieces[p] & cells).count_ones().min(missing);
            moves += used * away as u32;
            missing -= used;
        }
        moves += missing * UNOWNED;
        let standing = state.board.pieces[p].count_ones() + u32::from(state.out[p]);
        0.9 - moves as f32 * (1.8 / (u32::from(GOAL) * UNOWNED) as f32) + standing.saturating_sub(4) as f32 * 0.01
    }
}

impl Features for Chexers {
    fn layout(&self) -> Option<Layout> {
        let cells = CELLS.cells().map(|c| ((c % 8) as i16, (c / 8) as i16)).collect();
        Some(Layout { lattice: Lattice::Hexagonal, cells, values: 4, numbers: NUMBERS })
    }

    /// Empty, mine, the next player's, the one's after it. The board is turned so that the mover goes the way Red does.
    fn cell_values(&self, state: &State, out: &mut Vec<u8>) {
        let me = state.board.mover.index();
        let sets: [u64; 3] = std::array::from_fn(|i| state.board.pieces[(me + i) % 3]);
        let value = |cell: u8| sets.iter().zip(1..).map(|(set, value)| (set >> cell & 1) as u8 * value).sum::<u8>();
        out.extend(TURNED[me].iter().map(|&cell| value(cell)));
    }

    fn numbers(&self, state: &State, out: &mut Vec<f32>) {
        let me = state.board.mover.index();
        out.extend((0..3).map(|i| f32::from(state.out[(me + i) % 3]) / f32::from(GOAL)));
        out.push(f32::from(state.turn) / f32::from(self.turns.max(1)));
    }

    fn viewer(&self, state: &State) -> Player {
        state.board.mover
    }
}

const NUMBERS: &[&str] =
    &["my pieces off the board", "the next player's", "the third player's", "turns of those allowed"];

/// For every mover and every cell, the cell that lies for the mover where this one lies for Red.
const TURNED: [[u8; 37]; 3] = {
    let mut turned = [[0; 37]; 3];
    let (mut i, mut bit) = (0, 0);
    while bit < 64 {
        if CELLS >> bit & 1 == 1 {
            // A third of a turn takes (q, r, s) to (s, q, r): what is q for Red is r for Green and s for Blue.
            let (q, r) = (bit % 8 - 3, bit / 8 - 3);
            let s = -q - r;
            let cells = [(q, r), (s, q), (r, s)];
            let mut player = 0;
            while player < 3 {
                let (q, r) = cells[player];
                turned[player][i] = (8 * (r + 3) + q + 3) as u8;
                player += 1;
            }
            i += 1;
        }
        bit += 1;
    }
    turned
};

impl SolverHints for Chexers {}

impl OrderingHints for Chexers {
    /// Leaving and taking come first, then whatever brings a piece nearer to its exit.
    fn order_score(&self, state: &State, mv: Move) -> i32 {
        let mover = state.board.mover.index();
        let away = |cell: u8| match mover {
            0 => 7 - i32::from(cell % 8),
            1 => 7 - i32::from(cell / 8),
            _ => i32::from(cell % 8 + cell / 8) - 2,
        };
        match mv {
            Move::Exit(_) => 8,
            Move::Jump(from, to) => {
                let takes = !state.board.pieces[mover].has(u32::from((from + to) / 2));
                away(from) - away(to) + if takes { 6 } else { 0 }
            }
            Move::Step(from, to) => away(from) - away(to),
            Move::Pass => 0,
        }
    }

    fn history_index(&self, _: &State, mv: Move) -> usize {
        match mv {
            Move::Step(from, to) | Move::Jump(from, to) => 64 * usize::from(from) + usize::from(to),
            Move::Exit(from) => 65 * usize::from(from),
            Move::Pass => 0,
        }
    }
}

impl Persist for Chexers {
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

    fn play(game: &Chexers, from: &str, moves: &str) -> State {
        let mut state = if from.is_empty() { game.start() } else { game.parse_position(from).unwrap() };
        for text in moves.split_whitespace() {
            let mv = game.parse_move(&state, text).unwrap();
            game.play(&mut state, mv);
        }
        state
    }

    #[test]
    fn cells_are_where_the_specification_puts_them() {
        assert_eq!(CELLS.count_ones(), 37);
        let set = |cells: [(i32, i32); 4]| cells.iter().fold(0, |set, &(q, r)| set | bit(q, r));
        assert_eq!(HOME[0], set([(-3, 3), (-3, 2), (-3, 1), (-3, 0)]));
        assert_eq!(HOME[1], set([(0, -3), (1, -3), (2, -3), (3, -3)]));
        assert_eq!(HOME[2], set([(3, 0), (2, 1), (1, 2), (0, 3)]));
        assert_eq!(EXITS[0], set([(3, -3), (3, -2), (3, -1), (3, 0)]));
        assert_eq!(EXITS[1], set([(-3, 3), (-2, 3), (-1, 3), (0, 3)]));
        assert_eq!(EXITS[2], set([(-3, 0), (-2, -1), (-1, -2), (0, -3)]));
    }

    #[test]
    fn jumping_takes_over_and_the_fourth_exit_wins() {
        let game = Chexers::new(false, 256);
        let state = play(&game, "4/5/6/RG5/3GGG/BBBB1/4 r 3,0,0 9", "a4c4");
        assert_eq!(state.board.pieces.map(u64::count_ones), [2, 3, 4]);
        let state = play(&game, "3G/5/6/6R/3GGG/BBBB1/4 r 3,0,0 9", "g4out");
        assert_eq!(game.status(&state), Status::Over(won_by(Player::FIRST)));
        // A win with the very last move counts, and so does the limit.
        let state = play(&game, "4/5/6/B6/3GGG/GRRRR/4 b 0,0,3 255", "a4out");
        assert_eq!(game.status(&state), Status::Over(won_by(Player::new(2))));
        let state = play(&game, "4/5/6/B6/3GGG/GRRRR/4 b 0,0,3 255", "a4b4");
        assert_eq!(game.status(&state), Status::Over(DRAW));
    }

    #[test]
    fn who_has_nothing_to_move_passes() {
        let game = Chexers::new(false, 256);
        let state = play(&game, "4/GGGGG/6/RRRRRRR/6/5/4 b 0,0,0 7", "pass");
        assert_eq!(state.board.mover, Player::FIRST);
    }

    #[test]
    fn the_fourth_occurrence_is_a_draw_and_the_start_counts() {
        let round = "a5b5 d1d2 d7d6 b5a5 d2d1 d6d7 ";
        let game = Chexers::new(true, 256);
        assert_eq!(game.status(&play(&game, "", &round.repeat(2))), Status::Turn(Player::FIRST));
        assert_eq!(game.status(&play(&game, "", &round.repeat(3))), Status::Over(DRAW));
        let game = Chexers::new(false, 256);
        assert_eq!(game.status(&play(&game, "", &round.repeat(3))), Status::Turn(Player::FIRST));
    }

    #[test]
    fn everybody_sees_its_own_way_alike() {
        for player in 0..3 {
            for (red, mine) in [(HOME[0], HOME[player]), (EXITS[0], EXITS[player])] {
                let seen = CELLS.cells().zip(TURNED[player]).filter(|&(_, cell)| mine >> cell & 1 == 1);
                assert_eq!(seen.fold(0, |set, (place, _)| set | 1 << place), red);
            }
        }
    }
}
