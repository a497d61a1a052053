//! Chess, on the move generator of the crate `cozy-chess`; here are the rules about the end of the game, texts and facts.
//!
//! FIDE's draws end the game without anybody claiming them: the third occurrence of a position, a hundred plies without
//! capture or pawn's move, and too little material for any mate (two bare kings, one minor piece, or bishops on squares of
//! one colour only). Checkmate comes before all of them.
//!
//! Two positions are the same if the same moves are possible: an en passant square counts only if a capture there is legal.
//! States remember the positions since the last capture or pawn's move: see `past.rs`. With `draws=loose`
//! there is nothing to remember, but games need not end.

use cozy_chess::{
    Board, BoardBuilder, CastleRights, Color, File, Move, Piece, Rank, Square, get_bishop_moves, get_knight_moves, get_pawn_attacks, get_rook_moves,
    util,
};
use perfectplay_core::{Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Notation, OptionInfo, OrderingHints, Params, Payoff, Persist, Player, Playouts, SolverHints, Status, Symmetric, TextError, Visitor, ZeroSum};

use crate::support::past::{Past, Pasts};

/// Name and parameters.
pub const INFO: GameInfo = GameInfo {
    name: "chess",
    summary: "mate the king",
    players: "2",
    parameters: &[
        OptionInfo {
            name: "draws",
            meaning: "fide: third repetition, 50 moves, too little material; loose: positions may return for ever",
            default: "fide",
        },
        OptionInfo {
            name: "start",
            meaning: "number of the Chess960 position the game starts from, 0 to 959",
            default: "518, the usual one",
        },
    ],
    examples: &["chess", "chess:start=0"],
    rules: "The FIDE Laws of Chess. The game ends at once with checkmate, stalemate, the third occurrence of a position, 50 \
moves of each player without capture or pawn's move, or when neither side has enough material for any mate (nobody has to \
claim a draw). A position occurs again if the same pieces stand on the same squares, the same player moves and the same \
moves are possible.

Positions are written as FEN; the number of the move is not kept. If positions must be remembered for repetitions, the \
oldest of them and the moves since then follow: `FEN moves e1e2 e8e7`. Castling rights of Chess960 are read as X-FEN or \
Shredder-FEN. Moves are written as in UCI (`e2e4`, `e7e8q`, castling `e1g1`, and king to rook in Chess960); SAN is \
understood, too.",
    sources: &[
        "FIDE Laws of Chess (2023)",
        "cozy-chess (MIT licence): move generation",
        "Chess Programming Wiki, Perft Results",
    ],
};

/// Opens chess.
pub fn open<V: Visitor>(mut params: Params, visitor: V) -> Result<V::Output, TextError> {
    let draws = params.take_choice("draws", &[("fide", true), ("loose", false)])?;
    let start = params.take_number("start", 0..=959)?.unwrap_or(518) as u32;
    params.finish(INFO.name, INFO.parameters)?;
    Ok(visitor.zero_sum(Chess::new(start, draws)))
}

/// The rules.
#[derive(Clone, Debug)]
pub struct Chess {
    start: Board,
    draws: bool,
    pasts: Pasts<Position>,
}

/// All that makes positions different: three bits per square for the piece, one for the colour, and mover, castling rights
/// and en passant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pieces: [u64; 3],
    white: u64,
    rest: u32,
}

impl Position {
    fn of(board: &Board) -> Self {
        let mut pieces = [0; 3];
        for piece in Piece::ALL {
            for (bit, plane) in pieces.iter_mut().enumerate() {
                if (piece as usize + 1) >> bit & 1 == 1 {
                    *plane |= board.pieces(piece).0;
                }
            }
        }
        let mut rest = board.side_to_move() as u32;
        for color in Color::ALL {
            let rights = board.castle_rights(color);
            let en_passant = if color == Color::White { en_passant(board) } else { None };
            for file in [rights.short, rights.long, en_passant] {
                rest = rest << 4 | file.map_or(0, |file| file as u32 + 1);
            }
        }
        Position { pieces, white: board.colors(Color::White).0, rest }
    }
}

impl Position {
    /// The board this was packed from, with another clock.
    fn board(&self, clock: u8) -> Board {
        let mut builder = BoardBuilder::empty();
        for square in Square::ALL {
            let has = |set: u64| set >> square as usize & 1;
            let code = (0..3).map(|bit| has(self.pieces[bit]) << bit).sum::<u64>() as usize;
            let color = if has(self.white) == 1 { Color::White } else { Color::Black };
            builder.board[square as usize] = code.checked_sub(1).map(|piece| (Piece::index(piece), color));
        }
        let file = |shift: u32| ((self.rest >> shift & 15) as usize).checked_sub(1).map(File::index);
        let mover = Color::index((self.rest >> 24) as usize);
        builder.side_to_move = mover;
        builder.castle_rights = [CastleRights { short: file(20), long: file(16) }, CastleRights { short: file(8), long: file(4) }];
        builder.en_passant = file(12).map(|file| Square::new(file, Rank::Sixth.relative_to(mover)));
        builder.halfmove_clock = clock;
        builder.build().expect("a packed position is that of a board")
    }
}

/// The file on which an en passant capture is legal.
fn en_passant(board: &Board) -> Option<File> {
    let file = board.en_passant()?;
    let mover = board.side_to_move();
    let to = Square::new(file, Rank::Sixth.relative_to(mover));
    let pawns = get_pawn_attacks(to, !mover) & board.colored_pieces(mover, Piece::Pawn);
    pawns.into_iter().any(|from| board.is_legal(Move { from, to, promotion: None })).then_some(file)
}

/// A position and what the draw rules need to know.
#[derive(Clone, Debug)]
pub struct State {
    board: Board,
    past: Past<Position, Move>,
}

impl State {
    /// The board, as `cozy-chess` sees it.
    pub fn board(&self) -> &Board {
        &self.board
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        Position::of(&self.board) == Position::of(&other.board)
            && self.board.halfmove_clock() == other.board.halfmove_clock()
            && self.past == other.past
    }
}

impl Eq for State {}

/// What [`Game::key`] gives for chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    position: Position,
    clock: u8,
    past: u32,
}

fn player(color: Color) -> Player {
    Player::new(color as usize)
}

/// No mate is possible whatever the players do.
fn is_dead(board: &Board) -> bool {
    const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;
    let bishops = board.pieces(Piece::Bishop).0;
    let minors = board.pieces(Piece::Knight).0 | bishops;
    let kings = board.pieces(Piece::King).0;
    board.occupied().0 == minors | kings
        && (minors.count_ones() <= 1 || minors == bishops && (bishops & LIGHT == 0 || bishops & !LIGHT == 0))
}

/// Castling rights that FEN without Chess960 can write.
fn is_usual(board: &Board) -> bool {
    Color::ALL.into_iter().all(|color| {
        let rights = board.castle_rights(color);
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
        Chess { start: Board::chess960_startpos(start), draws, pasts: Pasts::default() }
    }

    fn is_drawn(&self, state: &State) -> bool {
        is_dead(&state.board) || self.draws && (state.board.halfmove_clock() >= 100 || self.repeated(state))
    }

    /// Whether the position occurs for the third time.
    fn repeated(&self, state: &State) -> bool {
        state.past.len() >= 8 && {
            let now = Position::of(&state.board);
            state.past.positions().skip(3).step_by(2).filter(|position| **position == now).count() >= 2
        }
    }

    fn over(board: &Board) -> ZeroSum {
        if board.checkers().is_empty() { ZeroSum::draw() } else { ZeroSum::win_for(player(!board.side_to_move())) }
    }

    fn fen(board: &Board) -> String {
        let text = if is_usual(board) { board.to_string() } else { format!("{board:#}") };
        let mut fields: Vec<&str> = text.split(' ').collect();
        if en_passant(board).is_none() {
            fields[3] = "-";
        }
        fields.join(" ")
    }

    fn read_fen(&self, text: &str) -> Result<Board, TextError> {
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
        let castling = shredder_rights(castling, &cells).ok_or_else(|| error(format!("castling \"{castling}\" is impossible")))?;
        let fen = [rows, mover, &castling, en_passant, clock, number].join(" ");
        let mut board = Board::from_fen(&fen, true)
            .map_err(|e| error(e.to_string().trim_end_matches('.').replacen("The", "the", 1)))?;
        board.set_fullmove_number(1);
        if !self.draws {
            board.set_halfmove_clock(0);
        }
        Ok(board)
    }

    fn worth(board: &Board, color: Color) -> f32 {
        let enemy_king = board.king(!color);
        let occupied = board.occupied();
        let mut worth = 0.0;
        for piece in Piece::ALL {
            for square in board.colored_pieces(color, piece) {
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
                        if board.colors(!color).len() <= 4 { -0.1 * near as f32 } else { 0.05 * off_centre }
                    }
                };
            }
        }
        if board.colors(!color).len() <= 4 {
            let (rank, file) = (enemy_king.rank() as usize as f32, enemy_king.file() as usize as f32);
            worth += 0.2 * ((rank - 3.5).abs() + (file - 3.5).abs());
        }
        worth
    }

    /// What the mover can win by its best capture, if a defended piece is retaken.
    fn threat(board: &Board) -> f32 {
        const VALUES: [f32; 6] = [1.0, 3.0, 3.1, 5.0, 9.2, 50.0];
        let mover = board.side_to_move();
        let enemies = board.colors(!mover);
        let mut best: f32 = 0.0;
        board.generate_moves(|moves| {
            for to in moves.to & enemies {
                let Some(victim) = board.piece_on(to) else { continue };
                let mut after = board.clone();
                let promotion = (moves.piece == Piece::Pawn && matches!(to.rank(), Rank::First | Rank::Eighth)).then_some(Piece::Queen);
                after.play_unchecked(Move { from: moves.from, to, promotion });
                let mut retaken = false;
                after.generate_moves(|replies| {
                    retaken |= replies.to.has(to);
                    retaken
                });
                let price = if retaken { VALUES[moves.piece as usize] } else { 0.0 };
                best = best.max(VALUES[victim as usize] - price);
            }
            false
        });
        best
    }
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
        State { board: self.start.clone(), past: Past::NONE }
    }

    fn expand(&self, state: &State, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let first = moves.len();
        state.board.generate_moves(|piece| {
            moves.extend(piece);
            false
        });
        if moves.len() == first {
            return Status::Over(Self::over(&state.board));
        }
        if self.is_drawn(state) {
            moves.truncate(first);
            return Status::Over(ZeroSum::draw());
        }
        Status::Turn(player(state.board.side_to_move()))
    }

    fn status(&self, state: &State) -> Status<ZeroSum> {
        if !state.board.generate_moves(|_| true) {
            Status::Over(Self::over(&state.board))
        } else if self.is_drawn(state) {
            Status::Over(ZeroSum::draw())
        } else {
            Status::Turn(player(state.board.side_to_move()))
        }
    }

    fn play(&self, state: &mut State, mv: Move) {
        let before = self.draws.then(|| Position::of(&state.board));
        state.board.play_unchecked(mv);
        state.board.set_fullmove_number(1);
        match before {
            None => state.board.set_halfmove_clock(0),
            Some(_) if state.board.halfmove_clock() == 0 => state.past = Past::NONE,
            Some(before) => state.past.push(before, mv),
        }
    }

    fn key(&self, state: &State) -> Key {
        Key {
            position: Position::of(&state.board),
            clock: state.board.halfmove_clock(),
            past: self.pasts.number(&state.past),
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
        let past = state.past.oldest_first();
        if past.is_empty() {
            return Self::fen(&state.board);
        }
        // The past holds packed positions. The oldest is unpacked by its text, which the moves then lead from.
        let oldest = past[0].0.board(state.board.halfmove_clock() - past.len() as u8);
        let mut board = oldest.clone();
        let mut text = Self::fen(&oldest) + " moves";
        for (_, mv) in past {
            text.push_str(&format!(" {}", uci(&board, mv)));
            board.play_unchecked(mv);
        }
        text
    }

    fn parse_position(&self, text: &str) -> Result<State, TextError> {
        let (fen, moves) = text.split_once(" moves").unwrap_or((text, ""));
        let mut state = State { board: self.read_fen(fen.trim())?, past: Past::NONE };
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
        let board = &state.board;
        let castling = text.replace('0', "O");
        // A move as we write it, a move with the king to the rook, a move in SAN.
        let usual = is_usual(board).then(|| util::parse_uci_move(board, text).ok()).flatten();
        let read = usual.or_else(|| text.parse().ok()).filter(|mv| board.is_legal(*mv));
        read.or_else(|| util::parse_san_move(board, text).ok())
            .or_else(|| util::parse_san_move(board, &castling).ok())
            .ok_or_else(|| {
                let mut moves = Vec::new();
                self.expand(state, &mut moves);
                let texts: Vec<String> = moves.iter().map(|&m| uci(board, m)).collect();
                TextError::illegal_move(text, &texts)
            })
    }

    fn drawing(&self, state: &State) -> Drawing {
        let cell = |square: Square| match (state.board.piece_on(square), state.board.color_on(square)) {
            (Some(piece), Some(color)) => {
                let letter = char::from(piece);
                let letter = if color == Color::White { letter.to_ascii_uppercase() } else { letter };
                Cell::Piece(player(color), letter)
            }
            _ => Cell::Empty,
        };
        let rows = Rank::ALL.into_iter().rev();
        let rows = rows.map(|rank| File::ALL.into_iter().map(|file| cell(Square::new(file, rank))).collect());
        let mover = if state.board.side_to_move() == Color::White { "White" } else { "Black" };
        let check = if state.board.checkers().is_empty() { "" } else { ", in check" };
        Drawing::lettered(rows.collect()).with_note(format!("{mover} to move{check}"))
    }
}

impl Symmetric for Chess {}
impl Playouts for Chess {}

impl Heuristic for Chess {
    /// Material, activity, and what the mover can take.
    fn heuristic(&self, state: &State) -> f32 {
        let board = &state.board;
        let threat = if board.side_to_move() == Color::White { 0.8 } else { -0.8 } * Self::threat(board);
        let lead = Self::worth(board, Color::White) - Self::worth(board, Color::Black) + threat;
        let white = (lead / 12.0).tanh() * 0.95;
        Estimate::from_fn(|p| if p == Player::FIRST { white } else { -white })
    }
}

impl Features for Chess {}
impl SolverHints for Chess {}
impl OrderingHints for Chess {}

impl Persist for Chess {
    /// Keys hold numbers of pasts, given as they are asked about.
    fn stable_keys(&self) -> bool {
        !self.draws
    }
}

/// A move as UCI writes it: castling as the king's two steps, or king to rook where that is the only clear way.
fn uci(board: &Board, mv: Move) -> String {
    if is_usual(board) { util::display_uci_move(board, mv).to_string() } else { mv.to_string() }
}
