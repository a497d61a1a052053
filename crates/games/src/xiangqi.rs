//! Xiangqi, Chinese chess: mate the general, or leave the opponent without a move.
//!
//! The board is a list of 90 points with the pieces on them, rank 0 (Red's) first; sets of points of each side find the
//! pieces. A move is legal if it leaves the own general unattacked. Most moves cannot change that: if the general stands in
//! no check and neither end of the move lies on its rank, its file or the four points beside it on the diagonals (where
//! horses are blocked), nothing is tested.
//!
//! Repetition is judged as far as check goes, by the third occurrence: who gave check with every move since the first, while
//! the opponent did not, loses; otherwise it is a draw. Perpetual chases are not judged. The state remembers the positions
//! since the last capture for that (see [`crate::support::memory`]).

use perfectplay_core::{Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Notation, OptionInfo, OrderingHints, Params, Payoff, Persist, Player, Playouts, SolverHints, Status, Symmetric, TextError, Visitor, ZeroSum};

use crate::support::bits::Bits;
use crate::support::fen;
use crate::support::memory::{self, Memory, with_memory};

/// Name and parameters.
pub const INFO: GameInfo = GameInfo {
    name: "xiangqi",
    summary: "Chinese chess: mate or stalemate the general",
    players: "2",
    parameters: &[
        OptionInfo {
            name: "rules",
            meaning: "standard, or olympiad: the general is taken, the repeater loses, a draw after 200 plies",
            default: "standard",
        },
        OptionInfo {
            name: "repetition",
            meaning: "judged, or free: positions may repeat until another rule ends the game",
            default: "judged",
        },
    ],
    examples: &["xiangqi:repetition=free", "xiangqi:rules=olympiad", "xiangqi"],
    rules: "Chinese chess: general, advisors, elephants, horses, chariots, cannons and soldiers on 9×10 points. A general may not be left in check, and the two generals may not face each other on an open file. \
Checkmate and stalemate lose. A position that occurs for the third time ends the game: if one side gave check with every move since its first occurrence and the other did not, the checking side loses, otherwise it is a draw; perpetual chases are not judged. \
120 plies without a capture are a draw.

Positions are FEN (`rnbakabnr/… w - - 0 1`), moves two points: `h2e2`, files a to i, ranks 0 to 9. The state holds the positions since the last capture, written after the position: `… after OLDEST, …`; with \
`repetition=free` it does not.

With `rules=olympiad` check does not matter and the general can be taken, which wins; only moves after which the generals face each other are forbidden; who brings a position about again loses; the game is a draw after 200 plies.",
    sources: &["Asian Xiangqi Federation, rules", "Computer Olympiad: taking the general, repetition, length"],
};

/// Opens the game with or without a memory of positions.
pub fn open<V: Visitor>(mut params: Params, visitor: V) -> Result<V::Output, TextError> {
    let rules = params.take_choice("rules", &[("standard", Rules::Standard), ("olympiad", Rules::Olympiad)])?;
    let judged = params.take_choice("repetition", &[("judged", true), ("free", false)])?;
    params.finish(INFO.name, INFO.parameters)?;
    Ok(with_memory!(judged, Board => M, visitor.zero_sum(Xiangqi::<M>::new(rules))))
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

const FILES: usize = 9;
const RANKS: usize = 10;
const POINTS: usize = FILES * RANKS;
const STEPS: [isize; 4] = [1, -1, FILES as isize, -(FILES as isize)];

const GENERAL: u8 = 1;
const ADVISOR: u8 = 2;
const ELEPHANT: u8 = 3;
const HORSE: u8 = 4;
const CHARIOT: u8 = 5;
const CANNON: u8 = 6;
const SOLDIER: u8 = 7;
/// The letters of the pieces, by number.
const LETTERS: &str = " KABNRCP kabnrcp";
const GONE: u8 = u8::MAX;

/// The piece of `side`; Black's have the bit above the kind set.
const fn piece(kind: u8, side: usize) -> u8 {
    kind | (side as u8) << 3
}

/// The rules; `M` remembers positions, or not.
#[derive(Clone, Debug)]
pub struct Xiangqi<M: Memory<Board>> {
    rules: Rules,
    tables: Box<Tables>,
    pasts: M::Numbers,
}

/// Where pieces can go, from each point.
#[derive(Clone, Debug)]
struct Tables {
    /// Points up to the edge in each of the four directions.
    room: [[u8; 4]; POINTS],
    /// Where a general, an advisor and a soldier of each side go.
    general: Vec<Vec<u8>>,
    advisor: Vec<Vec<u8>>,
    soldier: [Vec<Vec<u8>>; 2],
    /// Where an elephant and a horse go, each with the point that must be free.
    elephant: Vec<Vec<(u8, u8)>>,
    horse: Vec<Vec<(u8, u8)>>,
    /// From where a horse attacks, with the point that must be free.
    horse_attacks: Vec<Vec<(u8, u8)>>,
    /// From where a soldier of each side attacks.
    soldier_attacks: [Vec<Vec<u8>>; 2],
    /// The points that matter for attacks on a general here.
    danger: Vec<u128>,
}

impl Tables {
    fn new() -> Self {
        let moved = |at: usize, (file, rank): (i32, i32)| {
            let (file, rank) = ((at % FILES) as i32 + file, (at / FILES) as i32 + rank);
            let inside = (0..FILES as i32).contains(&file) && (0..RANKS as i32).contains(&rank);
            inside.then(|| (rank * FILES as i32 + file) as u8)
        };
        let lists = |ways: &[(i32, i32)], allowed: &dyn Fn(usize, usize) -> bool| -> Vec<Vec<u8>> {
            let from = |at| ways.iter().filter_map(|&w| moved(at, w)).filter(|&to| allowed(at, to.into())).collect();
            (0..POINTS).map(from).collect()
        };
        let straight = [(1, 0), (-1, 0), (0, 1), (0, -1)];
        let diagonal = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
        let horse_way = |leg: (i32, i32), side: i32| (2 * leg.0 + side * leg.1.abs(), 2 * leg.1 + side * leg.0.abs());
        let horse = |at| {
            let ways = straight.into_iter().flat_map(|leg| [1, -1].map(|side| (leg, horse_way(leg, side))));
            ways.filter_map(|(leg, way)| Some((moved(at, way)?, moved(at, leg)?))).collect::<Vec<_>>()
        };
        let elephant = |at: usize| {
            let ways = diagonal.into_iter().map(|(x, y)| ((x, y), (2 * x, 2 * y)));
            let ways = ways.filter_map(|(eye, way)| Some((moved(at, way)?, moved(at, eye)?)));
            ways.filter(|&(to, _)| half(at) == half(to.into())).collect()
        };
        let forward = |side: usize| if side == 0 { 1 } else { -1 };
        let soldier = |side: usize| {
            lists(&[(0, forward(side)), (1, 0), (-1, 0)], &|at, to| at / FILES != to / FILES || half(at) != side)
        };
        let room = |at: usize| {
            let (file, rank) = (at % FILES, at / FILES);
            [FILES - 1 - file, file, RANKS - 1 - rank, rank].map(|n| n as u8)
        };
        let horses: Vec<Vec<(u8, u8)>> = (0..POINTS).map(horse).collect();
        let soldiers = [soldier(0), soldier(1)];
        let attacked_by = |to: usize| {
            let from = |at: usize| horses[at].iter().filter(move |m| usize::from(m.0) == to).map(move |m| (at as u8, m.1));
            (0..POINTS).flat_map(from).collect()
        };
        let soldier_attacks = [0, 1].map(|side: usize| {
            let from = |to: usize| (0..POINTS as u8).filter(|&at| soldiers[side][at as usize].contains(&(to as u8))).collect();
            (0..POINTS).map(from).collect()
        });
        let danger = |at: usize| {
            let lines = (0..POINTS).filter(|p| p % FILES == at % FILES || p / FILES == at / FILES).map(|p| p as u8);
            let legs = diagonal.into_iter().filter_map(|way| moved(at, way));
            lines.chain(legs).fold(0u128, |set, p| set | 1 << p)
        };
        Tables {
            room: std::array::from_fn(room),
            general: lists(&straight, &|at, to| in_palace(to) && half(at) == half(to)),
            advisor: lists(&diagonal, &|at, to| in_palace(to) && half(at) == half(to)),
            elephant: (0..POINTS).map(elephant).collect(),
            horse_attacks: (0..POINTS).map(attacked_by).collect(),
            horse: horses,
            soldier: soldiers,
            soldier_attacks,
            danger: (0..POINTS).map(danger).collect(),
        }
    }
}

/// Whose half of the board a point lies in.
fn half(at: usize) -> usize {
    usize::from(at / FILES >= RANKS / 2)
}

fn in_palace(at: usize) -> bool {
    let (file, rank) = (at % FILES, at / FILES);
    (3..=5).contains(&file) && (rank <= 2 || rank >= 7)
}

/// The pieces and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    cells: [u8; POINTS],
    /// Who moves.
    pub mover: Player,
    /// Whether the mover's general is attacked.
    checked: bool,
}

/// A position with what the rules need of its past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<M> {
    /// The pieces.
    pub board: Board,
    /// The points of each side's pieces.
    of: [u128; 2],
    /// Where the generals stand; 255 if one was taken.
    generals: [u8; 2],
    /// Plies since the last capture; by the Olympiad's rules plies since the start.
    clock: u8,
    /// What repetition has decided.
    verdict: Option<ZeroSum>,
    past: M,
}

/// A piece goes from one point to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Where it was.
    pub from: u8,
    /// Where it goes.
    pub to: u8,
}

impl<M: Memory<Board>> Xiangqi<M> {
    /// The game by these rules.
    pub fn new(rules: Rules) -> Self {
        Xiangqi { rules, tables: Box::new(Tables::new()), pasts: M::Numbers::default() }
    }

    /// Whether a piece of the other side attacks `side`'s general on `at`; generals that face each other do.
    #[inline]
    fn attacked(&self, cells: &[u8; POINTS], at: u8, side: usize) -> bool {
        let them = 1 - side;
        let t = &*self.tables;
        for (&step, &room) in STEPS.iter().zip(&t.room[at as usize]) {
            let mut point = at as usize;
            let mut screen = false;
            for _ in 0..room {
                point = point.wrapping_add_signed(step);
                let found = cells[point];
                if found == 0 {
                    continue;
                }
                if screen {
                    if found == piece(CANNON, them) {
                        return true;
                    }
                    break;
                }
                if found == piece(CHARIOT, them) || found == piece(GENERAL, them) {
                    return true;
                }
                screen = true;
            }
        }
        let horse = |&(from, leg): &(u8, u8)| cells[from as usize] == piece(HORSE, them) && cells[leg as usize] == 0;
        let soldier = |&from: &u8| cells[from as usize] == piece(SOLDIER, them);
        t.horse_attacks[at as usize].iter().any(horse) || t.soldier_attacks[them][at as usize].iter().any(soldier)
    }

    /// Whether the two generals face each other on an open file.
    fn facing(&self, cells: &[u8; POINTS], generals: [u8; 2]) -> bool {
        let [low, high] = generals.map(usize::from);
        if generals.contains(&GONE) || low % FILES != high % FILES {
            return false;
        }
        let (low, high) = (low.min(high), low.max(high));
        (low + FILES..high).step_by(FILES).all(|p| cells[p] == 0)
    }

    /// Whether the move may be made: `cells` is scratch and left as it was.
    #[inline]
    fn legal(&self, state: &State<M>, cells: &mut [u8; POINTS], mv: Move) -> bool {
        let side = state.board.mover.index();
        let mut generals = state.generals;
        let general = generals[side];
        let touches = |p: u8| self.tables.danger[general as usize] >> p & 1 != 0;
        if mv.from != general && !state.board.checked && !touches(mv.from) && !touches(mv.to) {
            return true;
        }
        if mv.from == general {
            generals[side] = mv.to;
        }
        if mv.to == generals[1 - side] {
            generals[1 - side] = GONE;
        }
        let (mover, taken) = (cells[mv.from as usize], cells[mv.to as usize]);
        cells[mv.to as usize] = mover;
        cells[mv.from as usize] = 0;
        let wrong = match self.rules {
            Rules::Standard => self.attacked(cells, generals[side], side),
            Rules::Olympiad => self.facing(cells, generals),
        };
        cells[mv.from as usize] = mover;
        cells[mv.to as usize] = taken;
        !wrong
    }

    /// Calls `found` with every move of the pieces, legal or not, until it answers true.
    #[inline]
    fn any_move(&self, state: &State<M>, mut found: impl FnMut(Move) -> bool) -> bool {
        let side = state.board.mover.index();
        let (cells, mine, t) = (&state.board.cells, state.of[side], &*self.tables);
        let own = |to: u8| mine >> to & 1 != 0;
        let mut pieces = mine;
        while pieces != 0 {
            let from = pieces.trailing_zeros() as u8;
            pieces &= pieces - 1;
            let mut go = |to: u8| !own(to) && found(Move { from, to });
            let mut list = |targets: &[u8]| targets.iter().any(|&to| go(to));
            let stop = match cells[from as usize] & 7 {
                GENERAL => list(&t.general[from as usize]),
                ADVISOR => list(&t.advisor[from as usize]),
                SOLDIER => list(&t.soldier[side][from as usize]),
                ELEPHANT => t.elephant[from as usize].iter().any(|&(to, eye)| cells[eye as usize] == 0 && go(to)),
                HORSE => t.horse[from as usize].iter().any(|&(to, leg)| cells[leg as usize] == 0 && go(to)),
                kind => self.any_slide(cells, from, kind == CANNON, go),
            };
            if stop {
                return true;
            }
        }
        false
    }

    /// A chariot's or a cannon's moves.
    #[inline]
    fn any_slide(&self, cells: &[u8; POINTS], from: u8, cannon: bool, mut go: impl FnMut(u8) -> bool) -> bool {
        for (&step, &room) in STEPS.iter().zip(&self.tables.room[from as usize]) {
            let mut point = from as usize;
            let mut screen = false;
            for _ in 0..room {
                point = point.wrapping_add_signed(step);
                let empty = cells[point] == 0;
                let goes = if screen { !empty } else { empty || !cannon };
                if goes && go(point as u8) {
                    return true;
                }
                if !empty {
                    if screen || !cannon {
                        break;
                    }
                    screen = true;
                }
            }
        }
        false
    }

    fn has_move(&self, state: &State<M>) -> bool {
        let mut cells = state.board.cells;
        self.any_move(state, |mv| self.legal(state, &mut cells, mv))
    }

    /// What ends the game before anybody looks for moves.
    fn decided(&self, state: &State<M>) -> Option<ZeroSum> {
        let limit = if self.rules == Rules::Standard { PATIENCE } else { LONGEST };
        match state.generals {
            [GONE, _] => Some(ZeroSum::win_for(Player::SECOND)),
            [_, GONE] => Some(ZeroSum::win_for(Player::FIRST)),
            _ if state.verdict.is_some() => state.verdict,
            _ if state.clock >= limit => Some(ZeroSum::draw()),
            _ => None,
        }
    }

    /// What the repetition of the present position decides.
    fn judge(&self, state: &State<M>) -> Option<ZeroSum> {
        let now = &state.board;
        let occurs = state.past.count(now);
        if self.rules == Rules::Olympiad {
            return (occurs > 0).then(|| ZeroSum::win_for(now.mover));
        }
        if occurs < 2 {
            return None;
        }
        let past = state.past.oldest_first();
        let first = past.iter().position(|p| p == now)?;
        let since = &past[first + 1..];
        let always_checked = |player: Player| {
            let mut boards = since.iter().chain([now]).filter(|b| b.mover == player);
            boards.all(|b| b.checked)
        };
        Some(match [Player::FIRST, Player::SECOND].map(always_checked) {
            [true, false] => ZeroSum::win_for(Player::FIRST),
            [false, true] => ZeroSum::win_for(Player::SECOND),
            _ => ZeroSum::draw(),
        })
    }

    /// The state with these pieces.
    fn state(&self, cells: [u8; POINTS], mover: Player, clock: u8) -> State<M> {
        let side = |s: usize| {
            let points = (0..POINTS).filter(|&p| cells[p] != 0 && usize::from(cells[p] >> 3) == s);
            points.fold(0u128, |set, p| set | 1 << p)
        };
        let general = |s: usize| cells.iter().position(|&c| c == piece(GENERAL, s)).map_or(GONE, |p| p as u8);
        let generals = [general(0), general(1)];
        let at = generals[mover.index()];
        let checked = self.rules == Rules::Standard && at != GONE && self.attacked(&cells, at, mover.index());
        let board = Board { cells, mover, checked };
        State { board, of: [side(0), side(1)], generals, clock, verdict: None, past: M::default() }
    }

    fn board_text(&self, board: &Board) -> String {
        let letter = |c: u8| (c != 0).then(|| char::from(LETTERS.as_bytes()[c as usize]));
        let rows = board.cells.chunks(FILES).rev().map(|row| fen::write_row(row.iter().map(|&c| letter(c))));
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
        Ok(self.state(cells, mover, 0).board)
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
        let state = self.state(*cells, mover, 0);
        if self.facing(cells, state.generals) {
            return Err(TextError::new("the generals may not face each other"));
        }
        let waiting = mover.opponent().index();
        if self.rules == Rules::Standard && self.attacked(cells, state.generals[waiting], waiting) {
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

impl<M: Memory<Board>> Game for Xiangqi<M> {
    type State = State<M>;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = (Board, u8, M::Number);

    fn start(&self) -> State<M> {
        let start = self.parse_board("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR", "w");
        self.state(start.expect("the start is a position").cells, Player::FIRST, 0)
    }

    fn expand(&self, state: &State<M>, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        if let Some(payoff) = self.decided(state) {
            return Status::Over(payoff);
        }
        let before = moves.len();
        let mut cells = state.board.cells;
        self.any_move(state, |mv| {
            if self.legal(state, &mut cells, mv) {
                moves.push(mv);
            }
            false
        });
        if moves.len() == before {
            return Status::Over(ZeroSum::win_for(state.board.mover.opponent()));
        }
        Status::Turn(state.board.mover)
    }

    fn status(&self, state: &State<M>) -> Status<ZeroSum> {
        match self.decided(state) {
            Some(payoff) => Status::Over(payoff),
            None if self.has_move(state) => Status::Turn(state.board.mover),
            None => Status::Over(ZeroSum::win_for(state.board.mover.opponent())),
        }
    }

    fn play(&self, state: &mut State<M>, mv: Move) {
        let before = state.board;
        let (me, from, to) = (before.mover.index(), usize::from(mv.from), usize::from(mv.to));
        let takes = before.cells[to] != 0;
        state.board.cells[to] = before.cells[from];
        state.board.cells[from] = 0;
        state.of[me] ^= 1 << from | 1 << to;
        if state.generals[me] == mv.from {
            state.generals[me] = mv.to;
        }
        if takes {
            state.of[1 - me] ^= 1 << to;
            if state.generals[1 - me] == mv.to {
                state.generals[1 - me] = GONE;
            }
            state.past.clear();
        } else {
            state.past.push(before);
        }
        state.clock = if takes && self.rules == Rules::Standard { 0 } else { state.clock + 1 };
        state.board.mover = before.mover.opponent();
        state.board.checked = self.rules == Rules::Standard
            && self.attacked(&state.board.cells, state.generals[1 - me], 1 - me);
        state.verdict = self.judge(state);
    }

    fn key(&self, state: &State<M>) -> Self::Key {
        (state.board, state.clock, state.past.number(&self.pasts))
    }

    fn facts(&self) -> Facts {
        let length = if self.rules == Rules::Standard { 31 * u32::from(PATIENCE) } else { LONGEST.into() };
        Facts { history: M::KEPT, length: Some(length), heuristic: true, ..Facts::win_draw_loss::<ZeroSum>() }
    }
}

impl<M: Memory<Board>> Notation for Xiangqi<M> {
    fn position_text(&self, state: &State<M>) -> String {
        let (clock, number) = match self.rules {
            Rules::Standard => (state.clock, 1),
            Rules::Olympiad => (0, state.clock / 2 + 1),
        };
        let now = format!("{} - - {clock} {number}", self.board_text(&state.board));
        memory::write(now, &state.past, |b| self.board_text(b))
    }

    fn parse_position(&self, text: &str) -> Result<State<M>, TextError> {
        let (now, earlier) = memory::split::<Board, M>(text)?;
        let parts: Vec<&str> = now.split_whitespace().collect();
        let (board, clock, moves) = match *parts.as_slice() {
            [board, mover] => (self.parse_board(board, mover)?, "0", "1"),
            [board, mover, _, _, clock, moves] => (self.parse_board(board, mover)?, clock, moves),
            _ => return Err(TextError::new("expected a FEN: board, w or b, -, -, plies since the last capture, move number")),
        };
        let number = |text: &str, least: u32, most: u32| {
            text.parse().ok().filter(|n| (least..=most).contains(n)).ok_or_else(|| {
                TextError::new(format!("expected a number from {least} to {most} at the end of the FEN, got \"{text}\""))
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
        let mut state = self.state(board.cells, board.mover, clock as u8);
        let pieces = |cells: &[u8; POINTS]| {
            let mut pieces: Vec<u8> = cells.iter().copied().filter(|&c| c != 0).collect();
            pieces.sort_unstable();
            pieces
        };
        let parse = |text: &str| {
            let expected = || TextError::new("expected earlier positions as BOARD w or BOARD b");
            let (cells, mover) = text.split_once(' ').ok_or_else(expected)?;
            self.parse_board(cells, mover.trim())
        };
        let fits = |before: &Board| pieces(&before.cells) == pieces(&board.cells);
        let most = if self.rules == Rules::Standard { 2 } else { 1 };
        state.past = memory::read(earlier, parse, fits, most, Some(clock as usize))?;
        state.verdict = self.judge(&state);
        Ok(state)
    }

    fn move_text(&self, _: &State<M>, mv: Move) -> String {
        name(mv.from) + &name(mv.to)
    }

    fn drawing(&self, state: &State<M>) -> Drawing {
        let cell = |&c: &u8| match c {
            0 => Cell::Empty,
            c => Cell::Piece(Player::new((c >> 3).into()), char::from(LETTERS.as_bytes()[c as usize])),
        };
        let rows = state.board.cells.chunks(FILES).rev().map(|row| row.iter().map(cell).collect()).collect();
        let row_labels = (0..RANKS).rev().map(|r| r.to_string()).collect();
        Drawing { row_labels, ..Drawing::lettered(rows) }
    }
}

impl<M: Memory<Board>> Symmetric for Xiangqi<M> {
    fn symmetries(&self) -> usize {
        2
    }

    fn transform(&self, state: &State<M>, index: usize) -> State<M> {
        if index == 0 {
            return state.clone();
        }
        let image = |b: &Board| Board { cells: std::array::from_fn(|p| b.cells[usize::from(mirror(p as u8))]), ..*b };
        let mirrored = self.state(image(&state.board).cells, state.board.mover, state.clock);
        State { verdict: state.verdict, past: state.past.map(image), ..mirrored }
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        if index == 0 { mv } else { Move { from: mirror(mv.from), to: mirror(mv.to) } }
    }
}

impl<M: Memory<Board>> Playouts for Xiangqi<M> {}

impl<M: Memory<Board>> Heuristic for Xiangqi<M> {
    /// Material; soldiers over the river count twice.
    fn heuristic(&self, state: &State<M>) -> f32 {
        let worth = |side: usize| {
            let value = |at: u32| match state.board.cells[at as usize] & 7 {
                ADVISOR | ELEPHANT => 2.0,
                HORSE => 4.0,
                CANNON => 4.5,
                CHARIOT => 9.0,
                SOLDIER if half(at as usize) != side => 2.0,
                SOLDIER => 1.0,
                _ => 0.0,
            };
            state.of[side].cells().map(value).sum::<f32>()
        };
        Estimate::from_fn(|_| ((worth(0) - worth(1)) / 10.0).tanh() * 0.9)
    }
}

impl<M: Memory<Board>> Features for Xiangqi<M> {}
impl<M: Memory<Board>> SolverHints for Xiangqi<M> {}
impl<M: Memory<Board>> OrderingHints for Xiangqi<M> {}

impl<M: Memory<Board>> Persist for Xiangqi<M> {
    /// There are 30 pieces to take; before, between and after captures at most 120 plies go by.
    /// Where pasts are kept, keys hold their numbers, given as they are asked about.
    fn stable_keys(&self) -> bool {
        !M::KEPT
    }
}

fn mirror(at: u8) -> u8 {
    let files = FILES as u8;
    at / files * files + (files - 1 - at % files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::memory::{Forget, Recall};

    fn after(rules: Rules, position: &str, moves: &str) -> Status<ZeroSum> {
        let game = Xiangqi::<Recall<Board>>::new(rules);
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

    #[test]
    fn by_the_olympiads_rules_the_repeater_loses_and_the_general_is_taken() {
        let won = Status::Over(ZeroSum::win_for(Player::FIRST));
        assert_eq!(after(Rules::Olympiad, "", "h0g2 h9g7 g2h0 g7h9"), won);
        assert_eq!(after(Rules::Olympiad, "3k5/9/9/p8/9/9/9/9/R8/4K4 w", "a1b1 a6a5 b1b9 a5a4 b9d9"), won);
    }

    #[test]
    fn pieces_stand_where_they_can() {
        let game = Xiangqi::<Forget>::new(Rules::Standard);
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
}
