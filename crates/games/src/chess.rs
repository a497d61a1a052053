//! Chess: here are the rules about the end of the game, texts and facts; `chess/board.rs` has the pieces and their
//! moves.
//!
//! FIDE's draws end the game without anybody claiming them: the third occurrence of a position, a hundred plies without
//! capture or pawn's move, and too little material for any mate (two bare kings, one minor piece, or bishops on squares
//! of one colour only). Checkmate comes before all of them.
//!
//! Two positions are the same if the same moves are possible: an en passant square counts only if a capture there is
//! legal. States remember the positions since the last capture or pawn's move ([`crate::support::history`]). The last
//! of them is not in the arena while the last move tells it: only states that are played on from cost an entry. With
//! `draws=loose` there is nothing to remember, but games need not end.

mod board;

use cozy_chess::{
    BitBoard, Color, File, Piece, Rank, Square, get_bishop_moves, get_knight_moves, get_rook_moves, util,
};
use perfectplay_core::{
    Cell, Colour, Drawing, Estimate, Facts, Features, Figures, Game, GameInfo, Heuristic, Lattice, Layout, Look,
    Notation, OptionSet, OrderingHints, Params, Payoff, Persist, Plain, Player, Playouts, Setting, SolverHints, Status,
    Symmetric, TextError, Visitor, ZeroSum, options, plain_struct,
};

use self::board::{BISHOP, CASTLING_ROOK, KING, KNIGHT, LETTERS, PAWN};
pub use self::board::{Board, Move};
use crate::support::board::turn_note;
use crate::support::gather::Gather;
use crate::support::history::{Histories, History, PositionHistory};
use crate::support::playout;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "chess",
    summary: "mate the king",
    players: "2",
    parameters: Parameters::docs,
    examples: &["chess", "chess:start=0", "chess:draws=loose"],
    rules: "The FIDE Laws of Chess. The game ends at once with checkmate, stalemate, the third occurrence of a \
position, 50 moves of each player without capture or pawn's move, or when neither side has enough material for any \
mate (nobody has to claim a draw). A position occurs again if the same pieces stand on the same squares, the same \
player moves and the same moves are possible.

Positions are written as FEN; the number of the move is not kept. If positions must be remembered for repetitions, the \
oldest of them and the moves since then follow: `FEN moves e1e2 e8e7`. Castling rights of Chess960 are read as X-FEN \
or Shredder-FEN. Moves are written as in UCI (`e2e4`, `e7e8q`, castling `e1g1`, and king to rook in Chess960); SAN is \
understood, too.",
    sources: &[
        "FIDE Laws of Chess (2023)",
        "cozy-chess (MIT licence): attack tables, order of moves, texts",
        "Chess Programming Wiki, Perft Results",
    ],
};

const USUAL_START: u64 = 518;

options! {
    struct Parameters {
        draws: bool = Setting::choice(
            "draws",
            "what makes a draw, beside stalemate",
            &[
                ("fide", "third repetition, 50 moves, too little material", true),
                ("loose", "too little material; positions may return for ever", false),
            ],
        ),
        start: u32 = Setting::whole(
            "start",
            "number of the Chess960 position the game starts from (518 is the usual one)",
            0..=959,
            USUAL_START,
        ),
    }
}

/// Whether a game with these parameters begins at another position than the usual one: other programs have to be told.
pub fn is_chess960(params: Params) -> Result<bool, TextError> {
    Ok(u64::from(Parameters::read(INFO.name, params)?.start) != USUAL_START)
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { draws, start } = Parameters::read(INFO.name, params)?;
    Ok(visitor.zero_sum(Chess::new(start, draws)))
}

/// Where a game starts, and whether FIDE's draws end it.
#[derive(Clone, Debug)]
pub struct Chess {
    start: Board,
    draws: bool,
    histories: Histories<Board>,
}

/// A position and what the draw rules need to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    board: Board,
    /// Plies without capture or pawn's move.
    clock: u8,
    /// From where to where the last move went, if that tells the position before; otherwise 0.
    last: u16,
    /// The positions before that.
    history: History,
}

impl Plain for State {
    const SIZE: usize = Board::SIZE + 7;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.board.put(out);
        (self.clock, self.last, self.history).put(&mut out[Board::SIZE..]);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let board = Board::take(bytes).filter(Board::is_sound)?;
        let (clock, last, history) = Plain::take(bytes.get(Board::SIZE..)?)?;
        (clock <= 100 && last < 1 << 12).then_some(State { board, clock, last, history })
    }
}

/// What [`Game::key`] gives for chess: the occupied squares, four bits for each of the at most 32 pieces in their
/// order, the rest in one word, and the number of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    occupied: u64,
    pieces: [u32; 4],
    rest: u32,
    history: History,
}

plain_struct!(impl[] Key { occupied: u64, pieces: [u32; 4], rest: u32, history: History });

/// No mate is possible whatever the players do.
#[inline]
fn is_dead(board: &Board) -> bool {
    const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;
    let bishops = board.kind(BISHOP);
    let minors = board.kind(KNIGHT) | bishops;
    board.occupied() == minors | board.kind(KING)
        && (minors.count_ones() <= 1 || minors == bishops && (bishops & LIGHT == 0 || bishops & !LIGHT == 0))
}

/// Castling rights that FEN without Chess960 can write.
fn is_usual(board: &Board) -> bool {
    Color::ALL.into_iter().all(|color| {
        let rights = board.rights(color);
        let king = rights.short.is_none() && rights.long.is_none() || board.king(color).file() == File::E;
        king && rights.short.is_none_or(|f| f == File::H) && rights.long.is_none_or(|f| f == File::A)
    })
}

impl Chess {
    /// Chess from one of the 960 start positions (the usual one is 518), with FIDE's draws or without.
    ///
    /// # Panics
    /// If there is no such start position.
    pub fn new(start: u32, draws: bool) -> Self {
        let start = Board::from(&cozy_chess::Board::chess960_startpos(start));
        Chess { start, draws, histories: Histories::default() }
    }

    fn state(board: Board, clock: u8) -> State {
        State { board, clock, last: 0, history: History::NONE }
    }

    #[inline]
    fn is_drawn(&self, state: &State, past: &impl PositionHistory<Board>) -> bool {
        is_dead(&state.board) || self.draws && (state.clock >= 100 || Self::occurred(state, past, 2) >= 2)
    }

    /// How often the position occurred before, counted up to `most`.
    #[inline]
    fn occurred(state: &State, past: &impl PositionHistory<Board>, most: usize) -> usize {
        // A position comes back after four plies at the earliest, and then with the same player to move.
        if usize::from(state.clock) < 4 * most {
            return 0;
        }
        let skipped = 3 - usize::from(state.last != 0);
        past.positions().skip(skipped).step_by(2).filter(|&earlier| *earlier == state.board).take(most).count()
    }

    fn over(board: &Board) -> ZeroSum {
        if board.checkers().is_empty() { ZeroSum::draw() } else { ZeroSum::win_for(board.mover.opponent()) }
    }

    #[inline]
    fn expand_with(&self, state: &State, moves: &mut Vec<Move>, past: &impl PositionHistory<Board>) -> Status<ZeroSum> {
        let first = moves.len();
        state.board.push_moves(moves);
        if moves.len() == first {
            return Status::Over(Self::over(&state.board));
        }
        if self.is_drawn(state, past) {
            moves.truncate(first);
            return Status::Over(ZeroSum::draw());
        }
        Status::Turn(state.board.mover)
    }

    #[inline]
    fn play_with(&self, state: &mut State, mv: Move, past: &mut impl PositionHistory<Board>) {
        let before = state.board;
        let lasting = state.board.play(mv);
        if !self.draws {
            return;
        }
        let last = std::mem::take(&mut state.last);
        if lasting {
            state.clock = 0;
            return past.clear();
        }
        state.clock = (state.clock + 1).min(100);
        if last != 0 {
            past.push(before.before(last));
        }
        if before.en_passant == 0 && before.kind(CASTLING_ROOK) == state.board.kind(CASTLING_ROOK) {
            state.last = mv.squares();
        } else {
            past.push(before);
        }
    }

    /// The positions remembered, oldest first.
    fn past(&self, state: &State) -> Vec<Board> {
        let mut past = self.histories.oldest_first(state.history);
        if state.last != 0 {
            past.push(state.board.before(state.last));
        }
        past
    }

    fn fen(board: &Board, clock: u8) -> String {
        match board.cozy(clock) {
            Some(cozy) if is_usual(board) => cozy.to_string(),
            Some(cozy) => format!("{cozy:#}"),
            // Nothing but an impossible check, so there is neither castling nor en passant.
            None => {
                let mover = if board.mover == Player::FIRST { 'w' } else { 'b' };
                format!("{} {mover} - - {clock} 1", board.rows())
            }
        }
    }

    /// The position, and what had to be overlooked in the text.
    fn read_fen(&self, text: &str) -> Result<(State, Option<String>), TextError> {
        let error = |message: String| TextError::new(format!("{message} in the FEN \"{text}\""));
        let mut fields: Vec<&str> = text.split_whitespace().collect();
        if fields.len() == 4 {
            fields.extend(["0", "1"]);
        }
        let [rows, mover, castling, en_passant, clock, number] = fields[..] else {
            return Err(error(format!("expected six fields, got {}", fields.len())));
        };
        // Rows are checked here: their errors can be told with more words.
        let cells = crate::support::fen::parse_rows(rows, 8, 8, "PNBRQKpnbrqk")?;
        for (king, name) in [('K', "white"), ('k', "black")] {
            let count = cells.iter().flatten().filter(|cell| **cell == Some(king)).count();
            if count != 1 {
                return Err(error(format!("expected one {name} king, got {count}")));
            }
        }
        let castling =
            shredder_rights(castling, &cells).ok_or_else(|| error(format!("castling \"{castling}\" is impossible")))?;
        let read = |en_passant: &str| {
            let fen = [rows, mover, &castling, en_passant, clock, number].join(" ");
            cozy_chess::Board::from_fen(&fen, true)
        };
        let state = |board: Board, clock: u8| Self::state(board, if self.draws { clock } else { 0 });
        let refusal = match read(en_passant) {
            Ok(board) => return Ok((state(Board::from(&board), board.halfmove_clock()), None)),
            Err(refusal) => refusal,
        };
        let plain = if en_passant.parse::<Square>().is_ok() { read("-") } else { Err(refusal) };
        let aside = || format!("en passant on {en_passant} is set aside: no pawn can have just passed there");
        if let Ok(board) = plain {
            return Ok((state(Board::from(&board), board.halfmove_clock()), Some(aside())));
        }
        // What only a game could not lead to: more checks than a move can give.
        let board = (castling == "-" && read_without_checks(&cells, mover, clock, number)).then(|| {
            let mover = if mover == "w" { Player::FIRST } else { Player::SECOND };
            Board::of_pieces(&cells, mover)
        });
        let Some(board) = board.filter(|board| board.checkers().len() > 2 && !board.can_take_king()) else {
            return Err(error(refusal.to_string().trim_end_matches('.').replacen("The", "the", 1)));
        };
        let note = format!("no game leads here: {} pieces check the king at once", board.checkers().len());
        Ok((state(board, clock.parse().unwrap_or(0)), Some(note)))
    }

    fn worth(board: &Board, color: Color) -> f32 {
        let (mine, enemies) = (board.of(color), board.of(!color).count_ones());
        let enemy_king = board.king(!color);
        let occupied = BitBoard(board.occupied());
        let mut worth = 0.0;
        for piece in Piece::ALL {
            for square in BitBoard(board.kind(piece as usize + 1) & mine) {
                let rank = (square.rank() as i32 - Rank::First.relative_to(color) as i32).unsigned_abs() as f32;
                let file = square.file() as usize as f32;
                let off_centre = (rank - 3.5).abs().max((file - 3.5).abs());
                worth += match piece {
                    Piece::Pawn => 1.0 + 0.02 * rank * rank,
                    Piece::Knight => 3.0 + 0.05 * get_knight_moves(square).len() as f32,
                    Piece::Bishop => 3.1 + 0.04 * get_bishop_moves(square, occupied).len() as f32,
                    Piece::Rook => 5.0 + 0.03 * get_rook_moves(square, occupied).len() as f32,
                    Piece::Queen => 9.2,
                    Piece::King => {
                        // With little left to fear the king helps to drive the other one to the edge.
                        let near = (enemy_king.file() as i32 - square.file() as i32)
                            .abs()
                            .max((enemy_king.rank() as i32 - square.rank() as i32).abs());
                        if enemies <= 4 { -0.1 * near as f32 } else { 0.05 * off_centre }
                    }
                };
            }
        }
        if enemies <= 4 {
            let (rank, file) = (enemy_king.rank() as usize as f32, enemy_king.file() as usize as f32);
            worth += 0.2 * ((rank - 3.5).abs() + (file - 3.5).abs());
        }
        worth
    }

    /// What the mover can win by its best capture, if a defended piece is retaken.
    fn threat(board: &Board) -> f32 {
        const VALUES: [f32; 8] = [0.0, 1.0, 3.0, 3.1, 5.0, 9.2, 50.0, 5.0];
        let mut best: f32 = 0.0;
        board.generate(BitBoard(board.of(!board.color())), &mut |moves| {
            for to in moves.to {
                let victim = VALUES[board.at(to)];
                if victim <= best {
                    continue;
                }
                let mut after = *board;
                after.play(moves.move_to(to));
                let retaken = after.generate(to.bitboard(), &mut |_| true);
                let price = if retaken { VALUES[moves.kind] } else { 0.0 };
                best = best.max(victim - price);
            }
            false
        });
        best
    }
}

/// Whether nothing but a check can be wrong: pieces, pawns, who moves, clock and number.
fn read_without_checks(cells: &[Vec<Option<char>>], mover: &str, clock: &str, number: &str) -> bool {
    let count = |wanted: &dyn Fn(char) -> bool| cells.iter().flatten().flatten().filter(|&&c| wanted(c)).count();
    let pieces = count(&|c| c.is_ascii_uppercase()) <= 16 && count(&|c| c.is_ascii_lowercase()) <= 16;
    let pawns = count(&|c| c == 'P') <= 8 && count(&|c| c == 'p') <= 8;
    let inside = [&cells[0], &cells[7]].into_iter().flatten().flatten().all(|c| !c.eq_ignore_ascii_case(&'p'));
    let numbers = clock.parse::<u8>().is_ok_and(|n| n <= 100) && number.parse::<u16>().is_ok_and(|n| n > 0);
    pieces && pawns && inside && numbers && ["w", "b"].contains(&mover)
}

/// Castling rights as Shredder-FEN writes them, from any of the three ways to write them.
fn shredder_rights(text: &str, rows: &[Vec<Option<char>>]) -> Option<String> {
    if text == "-" {
        return Some(text.to_owned());
    }
    let right = |c: char| {
        let (row, king, rook) = if c.is_ascii_uppercase() { (&rows[7], 'K', 'R') } else { (&rows[0], 'k', 'r') };
        let king = row.iter().position(|cell| *cell == Some(king))?;
        let is_rook = |file: &usize| row[*file] == Some(rook);
        let file = match c.to_ascii_lowercase() {
            'k' => (king + 1..8).rev().find(is_rook)?,
            'q' => (0..king).find(is_rook)?,
            file @ 'a'..='h' => Some(file as usize - 'a' as usize).filter(is_rook)?,
            _ => return None,
        };
        let letter = char::from(b'a' + file as u8);
        Some(if c.is_ascii_uppercase() { letter.to_ascii_uppercase() } else { letter })
    };
    text.chars().map(right).collect()
}

impl Game for Chess {
    type State = State;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = Key;

    fn start(&self) -> State {
        Self::state(self.start, 0)
    }

    fn expand(&self, state: &State, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        self.expand_with(state, moves, &self.histories.past(&mut { state.history }))
    }

    fn status(&self, state: &State) -> Status<ZeroSum> {
        if !state.board.generate(BitBoard::FULL, &mut |_| true) {
            Status::Over(Self::over(&state.board))
        } else if self.is_drawn(state, &self.histories.past(&mut { state.history })) {
            Status::Over(ZeroSum::draw())
        } else {
            Status::Turn(state.board.mover)
        }
    }

    fn play(&self, state: &mut State, mv: Move) {
        let mut history = state.history;
        self.play_with(state, mv, &mut self.histories.past(&mut history));
        state.history = history;
    }

    fn key(&self, state: &State) -> Key {
        let board = &state.board;
        let occupied = board.occupied();
        let gather = Gather::new(occupied);
        let [a, b, c] = board.planes;
        let rest = board.mover.index() as u32 | u32::from(board.en_passant) << 1 | u32::from(state.clock) << 5;
        Key {
            occupied,
            pieces: [a, b, c, board.white].map(|plane| gather.of(plane) as u32),
            rest: rest | u32::from(state.last) << 12,
            history: state.history,
        }
    }

    fn facts(&self) -> Facts {
        Facts {
            acyclic: self.draws,
            history: self.draws,
            // 30 captures and 96 pawn's moves, with at most 100 plies before, between and after them.
            length: self.draws.then_some((30 + 96 + 1) * 100),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl Notation for Chess {
    fn position_text(&self, state: &State) -> String {
        let past = self.past(state);
        let oldest = past.first().unwrap_or(&state.board);
        let mut text = Self::fen(oldest, state.clock - past.len() as u8);
        if !past.is_empty() {
            text.push_str(" moves");
        }
        for (i, before) in past.iter().enumerate() {
            let after = past.get(i + 1).unwrap_or(&state.board);
            text.push_str(&move_between(before, after).map_or_else(String::new, |mv| format!(" {}", uci(before, mv))));
        }
        text
    }

    fn position_note(&self, text: &str) -> Option<String> {
        let fen = text.split_once(" moves").map_or(text, |(fen, _)| fen);
        self.read_fen(fen.trim()).ok()?.1
    }

    fn parse_position(&self, text: &str) -> Result<State, TextError> {
        let (fen, moves) = text.split_once(" moves").unwrap_or((text, ""));
        let (mut state, _) = self.read_fen(fen.trim())?;
        for text in moves.split_whitespace() {
            let mv = self.parse_move(&state, text)?;
            self.play(&mut state, mv);
        }
        Ok(state)
    }

    fn move_text(&self, state: &State, mv: Move) -> String {
        uci(&state.board, mv)
    }

    fn parse_move(&self, state: &State, text: &str) -> Result<Move, TextError> {
        if let Status::Over(_) = self.status(state) {
            return Err(TextError::new(format!("no move can be played: the game is over (got \"{text}\")")));
        }
        let read = |board: cozy_chess::Board| {
            let castling = text.replace('0', "O");
            // A move as we write it, a move with the king to the rook, a move in SAN.
            let usual = is_usual(&state.board).then(|| util::parse_uci_move(&board, text).ok()).flatten();
            let read = usual.or_else(|| text.parse().ok()).filter(|mv| board.is_legal(*mv));
            read.or_else(|| util::parse_san_move(&board, text).ok())
                .or_else(|| util::parse_san_move(&board, &castling).ok())
                .map(|mv| -> Move { mv.into() })
        };
        state.board.cozy(0).and_then(read).map_or_else(
            || {
                let mut moves = Vec::new();
                self.expand(state, &mut moves);
                let texts: Vec<String> = moves.iter().map(|&m| uci(&state.board, m)).collect();
                let found = texts.iter().position(|t| t == text);
                found.map(|i| moves[i]).ok_or_else(|| TextError::illegal_move(text, &texts))
            },
            Ok,
        )
    }

    fn drawing(&self, state: &State) -> Drawing {
        let cell = |square: Square| match state.board.at(square) {
            0 => Cell::Empty,
            kind if state.board.white >> square as u32 & 1 == 1 => {
                Cell::Piece(Player::FIRST, LETTERS[kind].to_ascii_uppercase())
            }
            kind => Cell::Piece(Player::SECOND, LETTERS[kind]),
        };
        let rows = Rank::ALL.into_iter().rev();
        let rows = rows.map(|rank| File::ALL.into_iter().map(|file| cell(Square::new(file, rank))).collect());
        let turn = turn_note(self.status(state), ["White", "Black"]);
        let check = if state.board.checkers().is_empty() { "" } else { ", in check" };
        let drawing = Drawing::lettered(rows.collect()).with_note(format!("{turn}{check}"));
        drawing.with_look(Look::Checkered).with_figures(Figures::Chess).in_colours([Colour::White, Colour::Black])
    }
}

impl Symmetric for Chess {
    /// Boards have symmetries of their own: without castling left and right are alike, without pawns all eight images.
    fn canonical_key(&self, state: &State) -> Key {
        let board = &state.board;
        let images = match (board.kind(CASTLING_ROOK), board.kind(PAWN)) {
            _ if self.draws => 1, // the positions remembered would have to turn with the board
            (0, 0) => 8,
            (0, _) => 2,
            _ => 1,
        };
        let image = |index| self.key(&State { board: board.image(index), ..*state });
        (1..images).map(image).fold(self.key(state), Ord::min)
    }
}

impl Playouts for Chess {
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

impl Heuristic for Chess {
    /// Material, activity, and what the mover can take.
    fn heuristic(&self, state: &State) -> f32 {
        let board = &state.board;
        let threat = if board.mover == Player::FIRST { 0.8 } else { -0.8 } * Self::threat(board);
        let lead = Self::worth(board, Color::White) - Self::worth(board, Color::Black) + threat;
        let white = (lead / 12.0).tanh() * 0.95;
        Estimate::from_fn(|p| if p == Player::FIRST { white } else { -white })
    }
}

impl Features for Chess {
    fn layout(&self) -> Option<Layout> {
        let cells = (0..64).map(|square| (square % 8, square / 8)).collect();
        let numbers = &["plies without capture or pawn's move", "earlier occurrences of the position"];
        Some(Layout { lattice: Lattice::Square, cells, values: 16, numbers })
    }

    /// 1 to 7 for the mover's pieces, from pawn to king and then rooks that may castle, 8 to 14 for the other's; 15
    /// where a pawn can be captured en passant. Black sees the board with the ranks turned.
    fn cell_values(&self, state: &State, out: &mut Vec<u8>) {
        let board = &state.board;
        let (mine, turned) = (board.of(board.color()), 56 * board.mover.index());
        let en_passant = 39 + usize::from(board.en_passant);
        out.extend((0..64).map(|cell| {
            let square = Square::index(cell ^ turned);
            match board.at(square) as u8 {
                0 if cell == en_passant && board.en_passant > 0 => 15,
                0 => 0,
                kind if mine >> square as u32 & 1 == 1 => kind,
                kind => kind + 7,
            }
        }));
    }

    fn numbers(&self, state: &State, out: &mut Vec<f32>) {
        let occurred = Self::occurred(state, &self.histories.past(&mut { state.history }), 1);
        out.extend([f32::from(state.clock) / 100.0, occurred as f32]);
    }

    fn viewer(&self, state: &State) -> Player {
        state.board.mover
    }
}

impl SolverHints for Chess {}
impl OrderingHints for Chess {}

impl Persist for Chess {
    /// Keys hold numbers of histories, given as they are met.
    fn stable_keys(&self) -> bool {
        !self.draws
    }

    fn kept_bytes(&self) -> usize {
        self.histories.bytes()
    }
}

/// The move that leads from a position to the next.
fn move_between(before: &Board, after: &Board) -> Option<Move> {
    let mut moves = Vec::new();
    before.push_moves(&mut moves);
    let leads_there = |mv: &Move| {
        let mut board = *before;
        board.play(*mv);
        board == *after
    };
    moves.into_iter().find(leads_there)
}

/// A move as UCI writes it: castling as the king's two steps, or king to rook where that is the only clear way.
fn uci(board: &Board, mv: Move) -> String {
    let to = match mv.to() {
        rook if board.is_castling(mv) && is_usual(board) => {
            let file = if rook.file() > mv.from().file() { File::G } else { File::C };
            Square::new(file, rook.rank())
        }
        to => to,
    };
    let promotion = mv.promotion().map_or_else(String::new, |piece| char::from(piece).to_string());
    format!("{}{to}{promotion}", mv.from())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::dice;

    /// Images of a board have images for successors, and the same canonical key.
    #[test]
    fn boards_can_be_turned_as_far_as_pawns_and_castling_allow() {
        let game = Chess::new(518, false);
        for (fen, images) in [
            ("8/8/8/8/4k3/8/1Q6/K7 w - - 0 1", 8),
            ("8/1b6/8/8/3k4/8/1R4N1/K7 b - - 0 1", 8),
            ("4k3/8/8/3pP3/8/8/8/4K2R w - d6 0 1", 2),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", 1),
        ] {
            let state = game.parse_position(fen).unwrap();
            let told = |state: &State| {
                let (mut moves, mut children) = (Vec::new(), Vec::new());
                let status = game.children(state, &mut moves, &mut children);
                let mut keys: Vec<Key> = children.iter().map(|(child, _)| game.canonical_key(child)).collect();
                keys.sort_unstable();
                (status, game.canonical_key(state), keys)
            };
            let turned = |index| State { board: state.board.image(index), ..state };
            assert!((0..images).all(|index| told(&turned(index)) == told(&state)), "{fen}");
            let different = (0..8).map(|index| game.key(&turned(index))).collect::<std::collections::BTreeSet<_>>();
            assert_eq!(different.len(), 8, "{fen}: the images are images of each other");
        }
    }

    #[test]
    fn a_finished_game_is_drawn_as_one() {
        let game = Chess::new(518, true);
        for moves in ["f2f3 e7e5 g2g4 d8h4", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8"] {
            let start = game.position_text(&game.start());
            let state = game.parse_position(&format!("{start} moves {moves}")).unwrap();
            assert!(game.drawing(&state).notes[0].starts_with("the game is over"), "{moves}");
        }
    }

    /// Plays a random game by our rules and by those of `cozy-chess`; they must agree about everything.
    fn same_game(game: &Chess, below: &mut impl FnMut(usize) -> usize) {
        let mut cozy = game.start.cozy(0).unwrap();
        let mut state = game.start();
        let mut moves = Vec::new();
        while let Status::Turn(_) = game.expand(&state, &mut moves) {
            let mut theirs = Vec::new();
            cozy.generate_moves(|piece| {
                theirs.extend(piece);
                false
            });
            let legal: Vec<Move> = theirs.iter().map(|&mv| mv.into()).collect();
            assert_eq!(moves, legal, "{cozy}");
            let i = below(moves.len());
            let text = if is_usual(&state.board) {
                util::display_uci_move(&cozy, theirs[i]).to_string()
            } else {
                theirs[i].to_string()
            };
            assert_eq!(game.move_text(&state, moves[i]), text, "{cozy}");
            game.play(&mut state, moves[i]);
            cozy.play_unchecked(theirs[i]);
            assert_eq!(state.board, Board::from(&cozy), "{cozy} after {text}");
            assert_eq!((state.clock, state.board.checkers()), (cozy.halfmove_clock(), cozy.checkers()), "{cozy}");
            moves.clear();
        }
        assert_eq!(game.parse_position(&game.position_text(&state)), Ok(state));
    }

    #[test]
    fn moves_and_boards_are_those_of_cozy_chess() {
        let mut below = dice();
        for start in (0..960).step_by(37).chain([518; 10]) {
            same_game(&Chess::new(start, true), &mut below);
        }
    }

    #[test]
    fn en_passant_is_remembered_where_it_is_legal_only() {
        let game = Chess::new(518, true);
        for (before, mv, file) in [
            ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4", 5),
            ("4k3/8/8/8/6p1/8/4P3/4K3 w - - 0 1", "e2e4", 0),
            // The rank opens if both pawns leave it.
            ("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e2e4", 0),
            ("4k3/8/8/8/3p1p2/8/4P3/4K3 w - - 0 1", "e2e4", 5),
        ] {
            let mut state = game.parse_position(before).unwrap();
            let mv = game.parse_move(&state, mv).unwrap();
            game.play(&mut state, mv);
            assert_eq!(state.board.en_passant, file, "{before}");
        }
    }

    #[test]
    fn the_third_occurrence_is_a_draw_and_texts_hold_the_past() {
        let game = Chess::new(518, true);
        let mut state = game.start();
        for (ply, text) in ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle().take(8).enumerate() {
            assert_eq!(game.status(&state), Status::Turn(Player::new(ply % 2)));
            let mv = game.parse_move(&state, text).unwrap();
            game.play(&mut state, mv);
        }
        assert_eq!(game.status(&state), Status::Over(ZeroSum::draw()));
        assert!(game.position_text(&state).ends_with("- 0 1 moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8"));
        assert_eq!(game.parse_position(&game.position_text(&state)), Ok(state));
    }

    #[test]
    fn castling_goes_into_the_past_whole() {
        let game = Chess::new(518, true);
        let mut state = game.parse_position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 1").unwrap();
        for text in ["a1a2", "e8c8", "e1g1", "c8b8"] {
            let mv = game.parse_move(&state, text).unwrap();
            game.play(&mut state, mv);
        }
        assert_eq!(game.position_text(&state), "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 1 moves a1a2 e8c8 e1g1 c8b8");
        assert_eq!(game.parse_position(&game.position_text(&state)), Ok(state));
    }
}
