//! Surakarta: capture by running round the corner loops.
//!
//! ```text
//!     ,-----.         ,-----.      The second lines from the edge are joined by the inner loops,
//!     | ,-. |         | ,-. |      the third by the outer ones; the edges have none.
//!     | |   +-+-+-+-+-+   | |      A piece that runs off the board at a3 comes back at c1, going up;
//!     | `---+-+-+-+-+-+---' |      off at a2, it comes back at b1.
//!     `-----+-+-+-+-+-+-----'
//!           …
//! ```
//!
//! 50 plies without a capture end the game, which bounds its length.

use perfectplay_core::{
    Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Layout, Look, Notation, OptionSet,
    OrderingHints, Params, Persist, Plain, Player, Playouts, Setting, SolverHints, Status, Symmetric, TextError,
    Visitor, ZeroSum, options, plain_struct,
};

use crate::support::bits::Bits;
use crate::support::board;
use crate::support::grid::{DIRECTIONS, Grid, SIGNS, split_mover, where_is};
use crate::support::history::{self, Histories, History, PositionHistory};
use crate::support::playout;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "surakarta",
    summary: "capture by running round the corner loops; most pieces win",
    players: "2",
    parameters: Parameters::docs,
    examples: &["surakarta", "surakarta:repetition=ends"],
    rules: "Twelve pieces a side on 6×6 points. A move steps to any adjacent empty point, also diagonally. A capture \
runs along the lines of the board and round at least one of the eight corner loops, over empty points only (the point \
where it began counts as empty), until it meets an enemy, which it takes. Who loses all pieces loses. After 50 plies \
without a capture, or if the mover cannot move, most pieces win. The score is the difference in pieces.

Moves are two points, `c2c3` and `c2xc5`. Positions are rows from the top, who moves, and the plies since the last \
capture. With `repetition=ends` a position that comes back ends the game at once and most pieces win; the state then \
holds the positions since the last capture, written after the position: `… after OLDEST, …`.",
    sources: &["Traditional, Java", "Computer Olympiad: end of the game"],
};

options! {
    struct Parameters {
        ends: bool = Setting::choice(
            "repetition",
            "what happens if a position comes back",
            &[
                ("free", "nothing", false),
                ("ends", "the game ends and most pieces win, as at the Computer Olympiad", true),
            ],
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { ends } = Parameters::read(INFO.name, params)?;
    Ok(visitor.zero_sum(Surakarta::new(ends)))
}

const SIZE: i32 = 6;
const PIECES: u32 = 12;
/// Plies without a capture that end the game.
const PATIENCE: u8 = 50;

/// A run along the lines: the points in order, and how many of them come before the first loop.
#[derive(Clone, Debug, Default)]
struct Track {
    points: Vec<u8>,
    before_loop: usize,
}

/// The board, the tracks round its corners, and whether a position that comes back ends the game.
#[derive(Clone, Debug)]
pub struct Surakarta {
    grid: Grid,
    full: u64,
    beside: Vec<u64>,
    /// The runs from every point that reach a loop.
    tracks: Vec<Vec<Track>>,
    /// Whether a position that comes back ends the game.
    ends: bool,
    histories: Histories<Board>,
}

/// Who stands where and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    /// The first player's pieces, then the second's.
    pub of: [u64; 2],
    /// Who moves.
    pub mover: Player,
}

/// A position with what the rules need of its past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The pieces.
    pub board: Board,
    /// Plies since the last capture.
    clock: u8,
    /// Whether this position was there before.
    repeated: bool,
    past: History,
}

/// A word holds a side's 36 points and has room for more: for the clock and for two flags.
const SPARE: u32 = 36;

/// The points in a word.
const POINTS: u64 = (1 << SPARE) - 1;

impl Plain for State {
    const SIZE: usize = 15;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        let flags = self.board.mover.index() as u64 | u64::from(self.repeated) << 1;
        let [x, o] = self.board.of;
        let words = [x | u64::from(self.clock) << SPARE, o | flags << SPARE];
        // Six bytes of the first and five of the second are used.
        words[0].put(out);
        words[1].put(&mut out[6..]);
        self.past.put(&mut out[11..]);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; 15] = bytes.first_chunk()?;
        let [x, o] = [u64::take(bytes)?, u64::take(&bytes[6..])?];
        let board = Board { of: [x & POINTS, o & POINTS], mover: Player::new((o >> SPARE & 1) as usize) };
        let (clock, repeated) = ((x >> SPARE & 0x3f) as u8, o >> (SPARE + 1) & 1 != 0);
        Some(State { board, clock, repeated, past: Plain::take(&bytes[11..])? })
    }
}

/// A piece goes from one point to another; an enemy there is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Where it was.
    pub from: u8,
    /// Where it goes.
    pub to: u8,
}

plain_struct!(impl[] Move { from: u8, to: u8 });

/// Where a run goes on that leaves the board behind (column, row) in this direction: the point and the new direction.
fn round_the_corner((column, row): (i32, i32), (dx, dy): (i32, i32)) -> Option<((i32, i32), (i32, i32))> {
    let last = SIZE - 1;
    let line = if dx != 0 { row } else { column };
    let depth = line.min(last - line); // 0: an edge, 1: an inner loop, 2: an outer loop
    if depth == 0 {
        return None;
    }
    // The corner it turns round: the side it leaves by, and the side its line is nearer to.
    let at = |low: bool| if low { depth } else { last - depth };
    let edge = |low: bool| if low { 0 } else { last };
    let inward = |low: bool| if low { 1 } else { -1 };
    Some(if dx != 0 {
        ((at(dx < 0), edge(row < 3)), (0, inward(row < 3)))
    } else {
        ((edge(column < 3), at(dy < 0)), (inward(column < 3), 0))
    })
}

impl Surakarta {
    /// The rules on 6 × 6 points; `ends`: a position that comes back ends the game.
    pub fn new(ends: bool) -> Self {
        let grid = Grid::new(SIZE as u32, SIZE as u32);
        let beside = |c| DIRECTIONS.iter().filter_map(|&d| grid.moved(c, d)).fold(0u64, |set, n| set | 1 << n);
        let tracks = |c: u32| {
            let start = ((c % SIZE as u32) as i32, (c / SIZE as u32) as i32);
            DIRECTIONS[..4].iter().map(|&d| Self::track(start, d)).filter(|t| t.before_loop < t.points.len()).collect()
        };
        Surakarta {
            full: grid.full(),
            beside: (0..grid.cells()).map(beside).collect(),
            tracks: (0..grid.cells()).map(tracks).collect(),
            ends,
            histories: Histories::default(),
            grid: grid.clone(),
        }
    }

    fn track(start: (i32, i32), direction: (i32, i32)) -> Track {
        let mut track = Track::default();
        let mut looped = false;
        let (mut at, mut way) = (start, direction);
        loop {
            let next = (at.0 + way.0, at.1 + way.1);
            if (0..SIZE).contains(&next.0) && (0..SIZE).contains(&next.1) {
                at = next;
            } else if let Some(corner) = round_the_corner(at, way) {
                looped = true;
                (at, way) = corner;
            } else {
                return track;
            }
            if (at, way) == (start, direction) {
                return track;
            }
            track.points.push((at.1 * SIZE + at.0) as u8);
            track.before_loop += usize::from(!looped);
        }
    }

    /// The enemies that the piece on `from` can take.
    fn captures(&self, mine: u64, theirs: u64, from: u32) -> u64 {
        let mut caught = 0;
        let others = (mine | theirs) & !(1 << from);
        for track in &self.tracks[from as usize] {
            let Some(i) = track.points.iter().position(|&p| others.has(p.into())) else { continue };
            let met = 1 << track.points[i];
            if i >= track.before_loop && theirs & met != 0 {
                caught |= met;
            }
        }
        caught
    }

    fn can_move(&self, board: &Board) -> bool {
        let (mine, theirs) = (board.of[board.mover.index()], board.of[1 - board.mover.index()]);
        let free = self.full & !(mine | theirs);
        mine.cells().any(|c| self.beside[c as usize] & free != 0)
            || mine.cells().any(|c| self.captures(mine, theirs, c) != 0)
    }

    /// Plays a move; `past` is that of the position, if the rules look back.
    #[inline]
    fn play_with(&self, state: &mut State, mv: Move, past: &mut impl PositionHistory<Board>) {
        let before = state.board;
        let board = &mut state.board;
        let me = board.mover.index();
        let takes = board.of[1 - me].has(mv.to.into());
        board.of[1 - me] &= !(1 << mv.to);
        board.of[me] ^= 1 << mv.from | 1 << mv.to;
        board.mover = board.mover.opponent();
        state.clock = if takes { 0 } else { state.clock + 1 };
        if self.ends {
            if takes {
                past.clear()
            } else {
                past.push(before)
            }
            state.repeated = past.count(&state.board) > 0;
        }
    }

    fn score(&self, board: &Board) -> i32 {
        board.of[0].count() as i32 - board.of[1].count() as i32
    }

    fn board_text(&self, board: &Board) -> String {
        let sign = |c| if board.of[0].has(c) { Some('x') } else { board.of[1].has(c).then_some('o') };
        format!("{} {}", self.grid.write(sign), SIGNS[board.mover.index()])
    }

    fn parse_board(&self, text: &str) -> Result<Board, TextError> {
        let (cells, mover) = split_mover(text, SIGNS)?;
        let cells = self.grid.read(cells, "xo")?;
        let of: [u64; 2] = [where_is(&cells, 'x'), where_is(&cells, 'o')];
        if of == [0, 0] || of.iter().any(|set| set.count() > PIECES) {
            return Err(TextError::new(format!("there must be pieces, at most {PIECES} on each side")));
        }
        Ok(Board { of, mover })
    }
}

impl Game for Surakarta {
    type State = State;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = State;

    fn start(&self) -> State {
        let board = Board { of: [0xfff, 0xfff << 24], mover: Player::FIRST };
        State { board, clock: 0, repeated: false, past: History::NONE }
    }

    fn expand(&self, state: &State, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let status = self.status(state);
        let Status::Turn(mover) = status else { return status };
        let (mine, theirs) = (state.board.of[mover.index()], state.board.of[1 - mover.index()]);
        let free = self.full & !(mine | theirs);
        for from in mine.cells() {
            let targets = self.beside[from as usize] & free | self.captures(mine, theirs, from);
            moves.extend(targets.cells().map(|to| Move { from: from as u8, to: to as u8 }));
        }
        status
    }

    fn status(&self, state: &State) -> Status<ZeroSum> {
        let board = &state.board;
        if state.repeated || state.clock == PATIENCE || board.of.contains(&0) || !self.can_move(board) {
            Status::Over(ZeroSum(self.score(board)))
        } else {
            Status::Turn(board.mover)
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

    /// There are at most 23 captures; before, between and after them at most 50 plies go by.
    fn facts(&self) -> Facts {
        let most = PIECES as i32;
        Facts {
            history: self.ends,
            scores: vec![(-most, most); 2],
            outcomes: Some((-most..=most).collect()),
            length: Some(24 * u32::from(PATIENCE)),
            states: (!self.ends).then(|| 2.0 * f64::from(PATIENCE + 1) * 3f64.powi(SIZE * SIZE)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl Notation for Surakarta {
    fn position_text(&self, state: &State) -> String {
        let now = format!("{} {}", self.board_text(&state.board), state.clock);
        history::write(now, &self.histories.oldest_first(state.past), |b| self.board_text(b))
    }

    fn parse_position(&self, text: &str) -> Result<State, TextError> {
        let (now, earlier) = history::split(text, self.ends)?;
        let parts: Vec<&str> = now.split_whitespace().collect();
        let expected = || {
            TextError::new(format!(
                "expected the board, who moves (x or o) and the plies since the last capture, 0 to {PATIENCE}"
            ))
        };
        let (cells, mover, clock) = match *parts.as_slice() {
            [cells, mover] => (cells, mover, 0),
            [cells, mover, clock] => (cells, mover, clock.parse().map_err(|_| expected())?),
            _ => return Err(expected()),
        };
        let board = self.parse_board(&format!("{cells} {mover}"))?;
        if clock > PATIENCE {
            return Err(expected());
        }
        let fits = |before: &Board| before.of.map(Bits::count) == board.of.map(Bits::count);
        let past = history::read(earlier, |text| self.parse_board(text), fits, 1, Some(clock.into()))?;
        Ok(State { board, clock, repeated: past.contains(&board), past: self.histories.from_oldest(past) })
    }

    fn move_text(&self, state: &State, mv: Move) -> String {
        let takes = state.board.of[1 - state.board.mover.index()].has(mv.to.into());
        self.grid.name(mv.from.into()) + if takes { "x" } else { "" } + &self.grid.name(mv.to.into())
    }

    fn drawing(&self, state: &State) -> Drawing {
        let drawing = self.grid.draw(|c| match state.board.of.map(|set| set.has(c)) {
            [true, _] => Cell::Stone(Player::FIRST),
            [_, true] => Cell::Stone(Player::SECOND),
            _ => Cell::Empty,
        });
        let drawing = drawing.with_look(Look::Loops);
        if state.clock == 0 { drawing } else { drawing.with_note(format!("{} plies without a capture", state.clock)) }
    }
}

impl Symmetric for Surakarta {
    fn symmetries(&self) -> usize {
        self.grid.symmetries()
    }

    fn transform(&self, state: &State, index: usize) -> State {
        let image = |b: &Board| Board { of: b.of.map(|set| self.grid.image_of(set, index)), ..*b };
        State { board: image(&state.board), past: self.histories.map(state.past, image), ..*state }
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        let image = |c: u8| self.grid.image(c.into(), index) as u8;
        Move { from: image(mv.from), to: image(mv.to) }
    }
}

impl Playouts for Surakarta {
    /// Random games keep their past to themselves.
    fn playout(
        &self,
        state: State,
        most: u32,
        moves: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        let line = (state, self.histories.line(state.past));
        let draw = |(state, _): &mut (State, _)| self.random_move(state, moves, below);
        playout::run(line, most, draw, |(state, past), mv| self.play_with(state, mv, past))
    }
}

impl Heuristic for Surakarta {
    /// The difference in pieces.
    fn heuristic(&self, state: &State) -> f32 {
        Estimate::from_fn(|_| (self.score(&state.board) as f32 / 4.0).tanh() * 0.9)
    }
}

impl Features for Surakarta {
    fn layout(&self) -> Option<Layout> {
        Some(board::layout(6, 6, 3, &["plies without a capture"]))
    }

    /// Empty, mine, theirs.
    fn cell_values(&self, state: &State, out: &mut Vec<u8>) {
        let me = state.board.mover.index();
        let [mine, theirs] = [me, 1 - me].map(|p| state.board.of[p]);
        board::push_owners(0..36, mine, theirs, out);
    }

    fn numbers(&self, state: &State, out: &mut Vec<f32>) {
        out.push(f32::from(state.clock) / f32::from(PATIENCE));
    }

    fn viewer(&self, state: &State) -> Player {
        state.board.mover
    }
}

impl SolverHints for Surakarta {}
impl OrderingHints for Surakarta {}

impl Persist for Surakarta {
    /// Where positions are remembered, keys hold the numbers of histories, given in the order in which they were met.
    fn stable_keys(&self) -> bool {
        !self.ends
    }

    fn kept_bytes(&self) -> usize {
        self.histories.bytes()
    }
}
