//! Xiangqi, Chinese chess: mate the general, or leave the opponent without a move.
//!
//! The board is four sets of points, rank 0 (Red's) first: three bits for the kind of the piece on a point and one for
//! Black. A move is legal if it leaves the own general unattacked. Most moves cannot change that: if the general stands
//! in no check, only moves of few pieces (that shield it from chariots, are the second screen before a cannon, or
//! hobble a horse) and to few points (between it and a cannon) are tested.
//!
//! Repetition is judged as far as check goes, by the third occurrence: who gave check with every move since the first,
//! while the opponent did not, loses; otherwise it is a draw. Perpetual chases are not judged. The state remembers the
//! positions since the last capture for that ([`crate::support::history`]); the newest of them is told by the last
//! move.

mod board;

use perfectplay_core::{
    Cell, Colour, Drawing, Estimate, Facts, Features, Figures, Game, GameInfo, Heuristic, Lattice, Layout, Look,
    Notation, OptionSet, OrderingHints, Params, Payoff, Persist, Plain, Player, Playouts, Setting, SolverHints, Status,
    Symmetric, TextError, Visitor, ZeroSum, options, plain_struct,
};

use self::board::{
    ADVISOR, CANNON, CHARIOT, ELEPHANT, FILES, GENERAL, Guard, HORSE, POINTS, RANKS, SOLDIER, Tables, half, in_palace,
    piece,
};
pub use self::board::{Board, Move};
use crate::support::history::{self, Histories, History, PositionHistory};
use crate::support::{fen, playout};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "xiangqi",
    summary: "Chinese chess: mate or stalemate the general",
    players: "2",
    parameters: Parameters::docs,
    examples: &["xiangqi:repetition=free", "xiangqi:rules=olympiad", "xiangqi"],
    rules: "Chinese chess: general, advisors, elephants, horses, chariots, cannons and soldiers on 9×10 points. A \
general may not be left in check, and the two generals may not face each other on an open file. Checkmate and \
stalemate lose. A position that occurs for the third time ends the game: if one side gave check with every move since \
its first occurrence and the other did not, the checking side loses, otherwise it is a draw; perpetual chases are not \
judged. 120 plies without a capture are a draw, unless the last of them leaves no move.

Positions are FEN (`rnbakabnr/… w - - 0 1`), moves two points: `h2e2`, files a to i, ranks 0 to 9. The state holds the \
positions since the last capture, written after the position: `… after OLDEST, …`; with `repetition=free` it does not.

With `rules=olympiad` check does not matter and the general can be taken, which wins; only moves after which the \
generals face each other are forbidden; who brings a position about again loses; the game is a draw after 200 plies.",
    sources: &["Asian Xiangqi Federation, rules", "Computer Olympiad: taking the general, repetition, length"],
};

options! {
    struct Parameters {
        rules: Rules = Setting::choice(
            "rules",
            "how the game is lost and drawn",
            &[
                ("standard", "mate and stalemate lose", Rules::Standard),
                ("olympiad", "the general is taken, the repeater loses, a draw after 200 plies", Rules::Olympiad),
            ],
        ),
        judged: bool = Setting::choice(
            "repetition",
            "what happens if positions repeat",
            &[("judged", "the game ends", true), ("free", "nothing until another rule ends the game", false)],
        ),
    }
}

/// Opens the game, with or without judging repetitions.
pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { rules, judged } = Parameters::read(INFO.name, params)?;
    Ok(visitor.zero_sum(Xiangqi::new(rules, judged)))
}

/// Which rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// A general may not be left in check; mate and stalemate lose.
    Standard,
    /// The general is taken like any piece; only the generals facing each other is forbidden.
    Olympiad,
}

/// Plies without a capture that end a game by the standard rules.
const PATIENCE: u8 = 120;
/// Plies that end a game by the Olympiad's rules.
const LONGEST: u8 = 200;

/// The letters of the pieces, by number.
const LETTERS: &str = " KABNRCP kabnrcp";

/// One of the two sets of [`Rules`], with tables of moves and the positions that were met.
#[derive(Clone, Debug)]
pub struct Xiangqi {
    rules: Rules,
    /// Whether repetitions are judged: otherwise there is nothing to remember.
    judged: bool,
    tables: Box<Tables>,
    histories: Histories<Board>,
}

/// A position with what the rules need of its past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The pieces and who moves.
    pub board: Board,
    /// Whether the mover's general is attacked.
    checked: bool,
    /// Plies since the last capture; by the Olympiad's rules plies since the start.
    clock: u8,
    /// The last move if the position before it counts, as [`Move::points`]; otherwise 0.
    last: u16,
    /// The positions before that.
    history: History,
}

impl Plain for State {
    const SIZE: usize = Board::SIZE + 8;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.board.put(out);
        ((self.checked, self.clock), self.last, self.history).put(&mut out[Board::SIZE..]);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let board = Board::take(bytes)?;
        let ((checked, clock), last, history) = Plain::take(bytes.get(Board::SIZE..)?)?;
        Move::are_points(last).then_some(State { board, checked, clock, last, history })
    }
}

/// What [`Game::key`] gives for xiangqi: the pieces, the rest in one word, the number of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    low: [u64; 4],
    high: [u32; 4],
    rest: u32,
    history: History,
}

plain_struct!(impl[] Key { low: [u64; 4], high: [u32; 4], rest: u32, history: History });

impl Xiangqi {
    /// The game by these rules; repetitions are judged, or positions may return.
    pub fn new(rules: Rules, judged: bool) -> Self {
        Xiangqi { rules, judged, tables: Box::new(Tables::new()), histories: Histories::default() }
    }

    /// What must be tested of the mover's moves.
    #[inline]
    fn guard(&self, state: &State) -> Guard {
        match self.rules {
            Rules::Standard => self.tables.guard(&state.board, state.checked),
            Rules::Olympiad => self.tables.facing_guard(&state.board),
        }
    }

    /// Whether a move that needs a test may be made.
    #[inline]
    fn is_legal(&self, board: &Board, mv: Move) -> bool {
        let side = board.mover.index();
        match self.rules {
            Rules::Standard => !self.tables.attacked_after(board, mv, side),
            Rules::Olympiad => {
                let mut after = *board;
                after.play(mv);
                !self.tables.facing(&after)
            }
        }
    }

    fn has_move(&self, state: &State) -> bool {
        let legal = |mv, tested: bool| !tested || self.is_legal(&state.board, mv);
        self.tables.any_move(&state.board, &self.guard(state), legal)
    }

    /// What ends the game before anybody looks for moves.
    #[inline]
    fn decided(&self, state: &State, past: &impl PositionHistory<Board>) -> Option<ZeroSum> {
        if self.rules == Rules::Olympiad {
            // Who has lost his general is to move.
            let generals = state.board.kind(GENERAL) & state.board.of(state.board.mover.index());
            if generals == 0 {
                return Some(ZeroSum::win_for(state.board.mover.opponent()));
            }
        }
        let limit = if self.rules == Rules::Standard { PATIENCE } else { LONGEST };
        // Mate and stalemate come first.
        self.judge(state, past).or_else(|| (state.clock >= limit && self.has_move(state)).then(ZeroSum::draw))
    }

    /// What the repetition of the present position decides.
    #[inline]
    fn judge(&self, state: &State, past: &impl PositionHistory<Board>) -> Option<ZeroSum> {
        // A position comes back after four plies at the earliest, and then with the same player to move.
        let (most, least) = if self.rules == Rules::Standard { (2, 8) } else { (1, 4) };
        if !self.judged || state.clock < least {
            return None;
        }
        let skipped = 3 - usize::from(state.last != 0);
        let same = past.positions().skip(skipped).step_by(2).filter(|&earlier| *earlier == state.board);
        if same.take(most).count() < most {
            return None;
        }
        Some(match self.rules {
            Rules::Olympiad => ZeroSum::win_for(state.board.mover),
            Rules::Standard => self.judge_checks(state, past),
        })
    }

    /// What the third occurrence of the present position is worth.
    #[cold]
    fn judge_checks(&self, state: &State, past: &impl PositionHistory<Board>) -> ZeroSum {
        let before = (state.last != 0).then(|| state.board.before(state.last));
        let mut positions: Vec<Board> =
            [state.board].into_iter().chain(before).chain(past.positions().copied()).collect();
        let first = positions.iter().rposition(|p| *p == state.board).unwrap_or(0);
        positions.truncate(first);
        let always_checked = |player: Player| {
            let mut boards = positions.iter().filter(|b| b.mover == player);
            boards.all(|b| self.tables.attacked(b, player.index()))
        };
        match [Player::FIRST, Player::SECOND].map(always_checked) {
            [true, false] => ZeroSum::win_for(Player::FIRST),
            [false, true] => ZeroSum::win_for(Player::SECOND),
            _ => ZeroSum::draw(),
        }
    }

    /// The state with these pieces and no past.
    fn state(&self, board: Board, clock: u8) -> State {
        let checked = self.rules == Rules::Standard && self.tables.attacked(&board, board.mover.index());
        State { board, checked, clock, last: 0, history: History::NONE }
    }

    /// The state with these earlier positions, oldest first.
    fn with_past(&self, state: State, mut past: Vec<Board>) -> State {
        let last = past.last().and_then(|before| before.quiet_move_to(&state.board));
        if last.is_some() {
            past.pop();
        }
        State { last: last.map_or(0, Move::points), history: self.histories.from_oldest(past), ..state }
    }

    /// The earlier positions, oldest first.
    fn past(&self, state: &State) -> Vec<Board> {
        let mut past = self.histories.oldest_first(state.history);
        if state.last != 0 {
            past.push(state.board.before(state.last));
        }
        past
    }

    #[inline]
    fn expand_with(&self, state: &State, moves: &mut Vec<Move>, past: &impl PositionHistory<Board>) -> Status<ZeroSum> {
        if let Some(payoff) = self.decided(state, past) {
            return Status::Over(payoff);
        }
        // On the stack first: a list on the heap asks for room with every move. No side has more than 119 moves.
        let (mut buffer, mut len) = ([Move { from: 0, to: 0 }; 128], 0);
        self.tables.any_move(&state.board, &self.guard(state), |mv, tested| {
            buffer[len & 127] = mv;
            len += usize::from(!tested || self.is_legal(&state.board, mv));
            false
        });
        moves.extend_from_slice(&buffer[..len & 127]);
        if len == 0 {
            return Status::Over(ZeroSum::win_for(state.board.mover.opponent()));
        }
        Status::Turn(state.board.mover)
    }

    #[inline]
    fn play_with(&self, state: &mut State, mv: Move, past: &mut impl PositionHistory<Board>) {
        let before = state.board;
        let takes = state.board.play(mv);
        let last = std::mem::take(&mut state.last);
        if self.judged && takes {
            past.clear();
        } else if self.judged {
            if last != 0 {
                past.push(before.before(last));
            }
            state.last = mv.points();
        }
        state.clock = if takes && self.rules == Rules::Standard { 0 } else { state.clock + 1 };
        state.checked = self.rules == Rules::Standard && self.tables.attacked(&state.board, state.board.mover.index());
    }

    fn board_text(&self, board: &Board) -> String {
        let letter = |c: u8| (c != 0).then(|| char::from(LETTERS.as_bytes()[c as usize]));
        let cells = board.cells();
        let rows = cells.chunks(FILES).rev().map(|row| fen::write_row(row.iter().map(|&c| letter(c))));
        format!("{} {}", rows.collect::<Vec<_>>().join("/"), ["w", "b"][board.mover.index()])
    }

    fn parse_board(&self, text: &str, mover: &str) -> Result<Board, TextError> {
        let rows = fen::parse_rows(text, FILES, RANKS, &LETTERS.replace(' ', ""))?;
        let mut cells = [0; POINTS];
        for (cell, sign) in cells.iter_mut().zip(rows.iter().rev().flatten()) {
            *cell = sign.map_or(0, |c| LETTERS.find(c).expect("only letters of pieces are read") as u8);
        }
        let mover = match mover {
            "w" | "r" => Player::FIRST,
            "b" => Player::SECOND,
            _ => return Err(TextError::new(format!("expected w or b for who moves, got \"{mover}\""))),
        };
        self.check_pieces(&cells, mover)?;
        Ok(Board::new(&cells, mover))
    }

    /// Whether pieces can stand like that.
    fn check_pieces(&self, cells: &[u8; POINTS], mover: Player) -> Result<(), TextError> {
        for side in 0..2 {
            let count = |kind| cells.iter().filter(|&&c| c == piece(kind, side)).count();
            let lost = self.rules == Rules::Olympiad && mover.index() == side;
            if count(GENERAL) != 1 && !(lost && count(GENERAL) == 0) {
                return Err(TextError::new("each side must have one general"));
            }
            let too_many = (ADVISOR..=SOLDIER).find(|&k| count(k) > if k == SOLDIER { 5 } else { 2 });
            if let Some(kind) = too_many {
                let letter = char::from(LETTERS.as_bytes()[piece(kind, side) as usize]);
                return Err(TextError::new(format!("there are too many {letter}")));
            }
        }
        for (at, &c) in cells.iter().enumerate().filter(|(_, c)| **c != 0) {
            if !self.can_stand(c, at) {
                let letter = char::from(LETTERS.as_bytes()[c as usize]);
                return Err(TextError::new(format!("{letter} can never stand on {}", name(at as u8))));
            }
        }
        let board = Board::new(cells, mover);
        if self.tables.facing(&board) {
            return Err(TextError::new("the generals may not face each other"));
        }
        if self.rules == Rules::Standard && self.tables.attacked(&board, mover.opponent().index()) {
            return Err(TextError::new("the general of the side that has just moved is in check"));
        }
        Ok(())
    }

    fn can_stand(&self, c: u8, at: usize) -> bool {
        let side = usize::from(c >> 3);
        let home = half(at) == side;
        let (file, rank) = (at % FILES, if side == 0 { at / FILES } else { RANKS - 1 - at / FILES });
        match c & 7 {
            GENERAL => home && in_palace(at),
            ADVISOR => home && in_palace(at) && (file + rank) % 2 == 1,
            ELEPHANT => matches!((file, rank), (2 | 6, 0 | 4) | (0 | 4 | 8, 2)),
            SOLDIER => rank >= 5 || rank >= 3 && file % 2 == 0,
            _ => true,
        }
    }
}

/// `a0` … `i9`.
fn name(at: u8) -> String {
    format!("{}{}", char::from(b'a' + at % FILES as u8), at / FILES as u8)
}

impl Game for Xiangqi {
    type State = State;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = Key;

    fn start(&self) -> State {
        let start = self.parse_board("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR", "w");
        self.state(start.expect("the start is a position"), 0)
    }

    fn expand(&self, state: &State, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        self.expand_with(state, moves, &self.histories.past(&mut { state.history }))
    }

    fn status(&self, state: &State) -> Status<ZeroSum> {
        match self.decided(state, &self.histories.past(&mut { state.history })) {
            Some(payoff) => Status::Over(payoff),
            None if self.has_move(state) => Status::Turn(state.board.mover),
            None => Status::Over(ZeroSum::win_for(state.board.mover.opponent())),
        }
    }

    fn play(&self, state: &mut State, mv: Move) {
        let mut history = state.history;
        self.play_with(state, mv, &mut self.histories.past(&mut history));
        state.history = history;
    }

    fn key(&self, state: &State) -> Key {
        let planes = &state.board.planes;
        let rest = state.board.mover.index() as u32 | u32::from(state.clock) << 1 | u32::from(state.last) << 9;
        Key {
            low: planes.map(|plane| plane as u64),
            high: planes.map(|plane| (plane >> 64) as u32),
            rest,
            history: state.history,
        }
    }

    /// There are 30 pieces to take; before, between and after captures at most 120 plies go by.
    fn facts(&self) -> Facts {
        let length = if self.rules == Rules::Standard { 31 * u32::from(PATIENCE) } else { LONGEST.into() };
        Facts { history: self.judged, length: Some(length), heuristic: true, ..Facts::win_draw_loss::<ZeroSum>() }
    }
}

impl Notation for Xiangqi {
    fn position_text(&self, state: &State) -> String {
        let (clock, number) = match self.rules {
            Rules::Standard => (state.clock, 1),
            Rules::Olympiad => (0, state.clock / 2 + 1),
        };
        let now = format!("{} - - {clock} {number}", self.board_text(&state.board));
        history::write(now, &self.past(state), |b| self.board_text(b))
    }

    fn parse_position(&self, text: &str) -> Result<State, TextError> {
        let (now, earlier) = history::split(text, self.judged)?;
        let parts: Vec<&str> = now.split_whitespace().collect();
        let (board, clock, moves) = match *parts.as_slice() {
            [board, mover] => (self.parse_board(board, mover)?, "0", "1"),
            [board, mover, _, _, clock, moves] => (self.parse_board(board, mover)?, clock, moves),
            _ => {
                return Err(TextError::new(
                    "expected a FEN: board, w or b, -, -, plies since the last capture, move number",
                ));
            }
        };
        let number = |text: &str, least: u32, most: u32| {
            text.parse().ok().filter(|n| (least..=most).contains(n)).ok_or_else(|| {
                TextError::new(format!(
                    "expected a number from {least} to {most} at the end of the FEN, got \"{text}\""
                ))
            })
        };
        let clock = match self.rules {
            Rules::Standard => {
                number(moves, 0, u32::MAX)?;
                number(clock, 0, PATIENCE.into())?
            }
            Rules::Olympiad => 2 * (number(moves, 1, u32::from(LONGEST) / 2 + 1)? - 1) + board.mover.index() as u32,
        };
        if self.rules == Rules::Olympiad && clock > u32::from(LONGEST) {
            return Err(TextError::new(format!("a game has at most {LONGEST} plies")));
        }
        let pieces = |board: &Board| {
            let mut pieces = board.cells();
            pieces.sort_unstable();
            pieces
        };
        let parse = |text: &str| {
            let expected = || TextError::new("expected earlier positions as BOARD w or BOARD b");
            let (cells, mover) = text.split_once(' ').ok_or_else(expected)?;
            self.parse_board(cells, mover.trim())
        };
        let fits = |before: &Board| pieces(before) == pieces(&board);
        let most = if self.rules == Rules::Standard { 2 } else { 1 };
        let past = history::read(earlier, parse, fits, most, Some(clock as usize))?;
        Ok(self.with_past(self.state(board, clock as u8), past))
    }

    fn move_text(&self, _: &State, mv: Move) -> String {
        name(mv.from) + &name(mv.to)
    }

    fn drawing(&self, state: &State) -> Drawing {
        let cell = |&c: &u8| match c {
            0 => Cell::Empty,
            c => Cell::Piece(Player::new((c >> 3).into()), char::from(LETTERS.as_bytes()[c as usize])),
        };
        let rows = state.board.cells().chunks(FILES).rev().map(|row| row.iter().map(cell).collect()).collect();
        let row_labels = (0..RANKS).rev().map(|r| r.to_string()).collect();
        Drawing { row_labels, ..Drawing::lettered(rows) }
            .with_look(Look::River)
            .with_figures(Figures::Xiangqi)
            .in_colours([Colour::Red, Colour::Black])
    }
}

impl Symmetric for Xiangqi {
    fn symmetries(&self) -> usize {
        2
    }

    fn transform(&self, state: &State, index: usize) -> State {
        if index == 0 {
            return *state;
        }
        let last = if state.last == 0 { 0 } else { Move::of_points(state.last).mirrored().points() };
        let history = self.histories.map(state.history, Board::mirrored);
        State { board: state.board.mirrored(), last, history, ..*state }
    }

    fn transform_move(&self, _: &State, mv: Move, index: usize) -> Move {
        if index == 0 { mv } else { mv.mirrored() }
    }
}

impl Playouts for Xiangqi {
    fn playout(
        &self,
        state: State,
        most: u32,
        moves: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        let expand = |(state, line): &mut (State, _), moves: &mut Vec<Move>| self.expand_with(state, moves, line);
        let play = |(state, line): &mut (State, _), mv| self.play_with(state, mv, line);
        playout::run_listed((state, self.histories.line(state.history)), most, moves, below, expand, play)
    }
}

impl Heuristic for Xiangqi {
    /// Material; soldiers over the river count twice.
    fn heuristic(&self, state: &State) -> f32 {
        let board = &state.board;
        let worth = |side: usize| {
            let count = |set: u128| (set & board.of(side)).count_ones() as f32;
            let soldiers = board.kind(SOLDIER);
            2.0 * count(board.kind(ADVISOR) | board.kind(ELEPHANT))
                + 4.0 * count(board.kind(HORSE))
                + 4.5 * count(board.kind(CANNON))
                + 9.0 * count(board.kind(CHARIOT))
                + count(soldiers)
                + count(soldiers & board::HALVES[1 - side])
        };
        Estimate::from_fn(|_| ((worth(0) - worth(1)) / 10.0).tanh() * 0.9)
    }
}

impl Features for Xiangqi {
    fn layout(&self) -> Option<Layout> {
        let cells = (0..POINTS as i16).map(|at| (at % FILES as i16, at / FILES as i16)).collect();
        let numbers = &["plies that count for a draw", "the mover is in check"];
        Some(Layout { lattice: Lattice::Square, cells, values: 15, numbers })
    }

    /// 1 to 7 for the mover's pieces, general, advisor, elephant, horse, chariot, cannon, soldier; 8 to 14 for the
    /// other's. Black sees the board with the ranks turned.
    fn cell_values(&self, state: &State, out: &mut Vec<u8>) {
        let (cells, side) = (state.board.cells(), state.board.mover.index() as u8);
        let value = |c: &u8| match c & 7 {
            0 => 0,
            kind if c >> 3 == side => kind,
            kind => kind + 7,
        };
        for rank in 0..RANKS {
            let rank = if side == 0 { rank } else { RANKS - 1 - rank };
            out.extend(cells[rank * FILES..][..FILES].iter().map(value));
        }
    }

    fn numbers(&self, state: &State, out: &mut Vec<f32>) {
        let limit = if self.rules == Rules::Standard { PATIENCE } else { LONGEST };
        out.extend([f32::from(state.clock) / f32::from(limit), f32::from(u8::from(state.checked))]);
    }

    fn viewer(&self, state: &State) -> Player {
        state.board.mover
    }
}

impl SolverHints for Xiangqi {}
impl OrderingHints for Xiangqi {}

impl Persist for Xiangqi {
    /// Where repetitions are judged, keys hold numbers of histories, given as they are met.
    fn stable_keys(&self) -> bool {
        !self.judged
    }

    fn kept_bytes(&self) -> usize {
        self.histories.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::dice;

    fn after(rules: Rules, position: &str, moves: &str) -> Status<ZeroSum> {
        let game = Xiangqi::new(rules, true);
        let mut state = if position.is_empty() { game.start() } else { game.parse_position(position).unwrap() };
        for text in moves.split(' ') {
            let mv = game.parse_move(&state, text).unwrap();
            game.play(&mut state, mv);
        }
        game.status(&state)
    }

    #[test]
    fn repetition_is_a_draw_unless_one_side_gives_check_all_the_time() {
        let shuffle = "h0g2 h9g7 g2h0 g7h9";
        assert_eq!(after(Rules::Standard, "", shuffle), Status::Turn(Player::FIRST));
        assert_eq!(after(Rules::Standard, "", &format!("{shuffle} {shuffle}")), Status::Over(ZeroSum::draw()));
        let chase = "d9d8 a9a8 d8d9 a8a9";
        let checks = format!("a1a9 {chase} {chase}");
        let lost = Status::Over(ZeroSum::win_for(Player::SECOND));
        assert_eq!(after(Rules::Standard, "3k5/9/9/9/9/9/9/9/R8/4K4 w", &checks), lost);
    }

    /// OpenSpiel 2.0.2 counts the last ply the same way.
    #[test]
    fn a_mate_by_the_last_ply_that_counts_is_no_draw() {
        let game = Xiangqi::new(Rules::Standard, false);
        let status = |text: &str| game.status(&game.parse_position(text).unwrap());
        let mated = "2b6/3ka4/9/9/9/9/3n5/9/4p4/p4K3 w - - 120 1";
        assert_eq!(status(mated), Status::Over(ZeroSum::win_for(Player::SECOND)));
        assert_eq!(status(&mated.replace("/4p4/", "/9/")), Status::Over(ZeroSum::draw()));
    }

    #[test]
    fn by_the_olympiads_rules_the_repeater_loses_and_the_general_is_taken() {
        let won = Status::Over(ZeroSum::win_for(Player::FIRST));
        assert_eq!(after(Rules::Olympiad, "", "h0g2 h9g7 g2h0 g7h9"), won);
        assert_eq!(after(Rules::Olympiad, "3k5/9/9/p8/9/9/9/9/R8/4K4 w", "a1b1 a6a5 b1b9 a5a4 b9d9"), won);
    }

    #[test]
    fn pieces_stand_where_they_can() {
        let game = Xiangqi::new(Rules::Standard, false);
        for (text, why) in [
            ("9/9/9/9/9/9/9/9/9/4K4 w", "general"),
            ("4k4/9/9/9/9/9/9/9/9/4K4 w", "face"),
            ("3k5/9/9/9/9/9/9/9/P8/4K4 w", "P can never stand on a1"),
            ("3k5/9/9/9/9/9/9/9/9/B3K4 w", "B can never stand on a0"),
            ("3k5/9/9/9/9/9/9/9/9/RRR1K4 w", "too many R"),
            ("R2k5/9/9/9/9/9/9/9/9/4K4 w", "in check"),
        ] {
            let error = game.parse_position(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    /// Every move of the pieces is legal if and only if it does not leave the general attacked.
    #[test]
    fn moves_that_are_not_tested_are_legal() {
        let mut below = dice();
        for rules in [Rules::Standard, Rules::Olympiad] {
            let game = Xiangqi::new(rules, false);
            for _ in 0..60 {
                let mut state = game.start();
                let mut moves = Vec::new();
                while let Status::Turn(_) = game.expand(&state, &mut moves) {
                    let mut all = Vec::new();
                    game.tables.any_move(&state.board, &Guard::ALL, |mv, _| {
                        let mut after = state.board;
                        after.play(mv);
                        let wrong = match rules {
                            Rules::Standard => game.tables.attacked(&after, state.board.mover.index()),
                            Rules::Olympiad => game.tables.facing(&after),
                        };
                        all.extend((!wrong).then_some(mv));
                        false
                    });
                    assert_eq!(moves, all, "{}", game.position_text(&state));
                    game.play(&mut state, moves[below(moves.len())]);
                    moves.clear();
                }
            }
        }
    }
}
