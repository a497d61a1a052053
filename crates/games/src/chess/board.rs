//! The pieces as plain data, and which moves they have: on bitboards, with the attack tables of `cozy-chess`.
//!
//! Four words hold a board: three bits per square for what stands there, one for White. A rook that may still castle is
//! a kind of its own, so that castling rights need no words.

use cozy_chess::{
    BitBoard, BoardBuilder, CastleRights, Color, File, Piece, Rank, Square, get_between_rays, get_bishop_moves,
    get_bishop_rays, get_king_moves, get_knight_moves, get_line_rays, get_pawn_attacks, get_pawn_quiets,
    get_rook_moves, get_rook_rays,
};
use perfectplay_core::{Plain, Player, plain_struct};

use crate::support::fen::write_row;

/// What stands on a square, as a number of three bits; 0 is nothing.
pub(super) type Kind = usize;
pub(super) const PAWN: Kind = 1;
pub(super) const KNIGHT: Kind = 2;
pub(super) const BISHOP: Kind = 3;
pub(super) const ROOK: Kind = 4;
pub(super) const QUEEN: Kind = 5;
pub(super) const KING: Kind = 6;
/// A rook that may still castle.
pub(super) const CASTLING_ROOK: Kind = 7;

/// By kind.
pub(super) const LETTERS: [char; 8] = [' ', 'p', 'n', 'b', 'r', 'q', 'k', 'r'];

const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;

/// All that makes positions different.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    /// The bits of the kinds.
    pub(super) planes: [u64; 3],
    pub(super) white: u64,
    pub(super) mover: Player,
    /// The file of a pawn that can legally be captured en passant, from 1; 0 if there is none.
    pub(super) en_passant: u8,
}

plain_struct!(impl[] Board { planes: [u64; 3], white: u64, mover: Player, en_passant: u8 });

/// A move: from where, to where, and what a pawn becomes. Castling is the king's move to the rook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move(u16);

impl Move {
    #[inline]
    fn new(from: Square, to: Square, promotion: Kind) -> Self {
        Move(from as u16 | (to as u16) << 6 | (promotion as u16) << 12)
    }

    /// The square the piece leaves.
    #[inline]
    pub fn from(self) -> Square {
        Square::index(usize::from(self.0 & 63))
    }

    /// The square it goes to, or that of the rook.
    #[inline]
    pub fn to(self) -> Square {
        Square::index(usize::from(self.0 >> 6 & 63))
    }

    /// What a pawn becomes on the last rank.
    pub fn promotion(self) -> Option<Piece> {
        Piece::try_index(self.promotion_kind().wrapping_sub(1))
    }

    #[inline]
    fn promotion_kind(self) -> Kind {
        usize::from(self.0 >> 12)
    }

    /// Both squares as one number, never 0 and less than 2^12.
    #[inline]
    pub(super) fn squares(self) -> u16 {
        self.0 & 0xfff
    }
}

impl From<cozy_chess::Move> for Move {
    fn from(mv: cozy_chess::Move) -> Self {
        Move::new(mv.from, mv.to, mv.promotion.map_or(0, |piece| piece as usize + 1))
    }
}

impl Plain for Move {
    const SIZE: usize = 2;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.0.put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        u16::take(bytes).filter(|bits| bits >> 12 == 0 || (2..=5).contains(&(bits >> 12))).map(Move)
    }
}

/// Some moves of one piece.
#[derive(Clone, Copy)]
pub(super) struct PieceMoves {
    pub(super) kind: Kind,
    pub(super) from: Square,
    pub(super) to: BitBoard,
}

impl PieceMoves {
    /// The move to a square, to a queen where a pawn must become something.
    pub(super) fn move_to(self, to: Square) -> Move {
        let promotes = self.kind == PAWN && to.bitboard().0 & LAST_RANKS != 0;
        Move::new(self.from, to, if promotes { QUEEN } else { 0 })
    }
}

/// Legal moves one by one, on the stack: a list on the heap asks for room with every move.
struct MoveBuffer {
    moves: [Move; 256],
    len: u8,
}

impl MoveBuffer {
    #[inline]
    fn push(&mut self, mv: Move) {
        self.moves[usize::from(self.len)] = mv;
        self.len += 1;
    }

    /// By target; promotions from knight to queen.
    #[inline]
    fn push_all(&mut self, piece: PieceMoves, moves: &mut Vec<Move>) {
        // No piece has more than 27 moves.
        if self.len > 224 {
            self.flush(moves);
        }
        let promotes = piece.kind == PAWN && piece.to.0 & LAST_RANKS != 0;
        let (from, mut to) = (piece.from as u16, piece.to.0);
        while to != 0 {
            let mv = from | (to.trailing_zeros() as u16) << 6;
            to &= to - 1;
            if promotes {
                [KNIGHT, BISHOP, ROOK, QUEEN].into_iter().for_each(|kind| self.push(Move(mv | (kind as u16) << 12)));
            } else {
                self.push(Move(mv));
            }
        }
    }

    #[inline]
    fn flush(&mut self, moves: &mut Vec<Move>) {
        moves.extend_from_slice(&self.moves[..usize::from(std::mem::take(&mut self.len))]);
    }
}

/// What move generation looks up again and again.
struct View {
    color: Color,
    mine: BitBoard,
    theirs: BitBoard,
    occupied: BitBoard,
    king: Square,
    /// The enemy's bishops and queens, rooks and queens.
    diagonal: BitBoard,
    straight: BitBoard,
    checkers: BitBoard,
    pinned: BitBoard,
    /// Where pieces other than the king may land: not on their own, and in check so that it ends.
    targets: BitBoard,
}

/// Files become ranks: three exchanges of blocks off the diagonal.
fn transposed(mut plane: u64) -> u64 {
    for (mask, shift) in [(0x00aa_00aa_00aa_00aa, 7), (0x0000_cccc_0000_cccc, 14), (0x0000_0000_f0f0_f0f0, 28)] {
        let differ = (plane ^ plane >> shift) & mask;
        plane ^= differ ^ differ << shift;
    }
    plane
}

impl Board {
    #[inline]
    pub(super) fn occupied(&self) -> u64 {
        self.planes[0] | self.planes[1] | self.planes[2]
    }

    #[inline]
    pub(super) fn color(&self) -> Color {
        if self.mover == Player::FIRST { Color::White } else { Color::Black }
    }

    #[inline]
    pub(super) fn of(&self, color: Color) -> u64 {
        if color == Color::White { self.white } else { self.occupied() & !self.white }
    }

    /// The board mirrored from left to right if `index` is odd, then, if there are no pawns, turned upside down and
    /// along its diagonal by the next bits.
    pub(super) fn image(&self, index: usize) -> Board {
        let image = |plane: u64| {
            let plane = if index & 1 == 0 { plane } else { plane.reverse_bits().swap_bytes() };
            let plane = if index & 2 == 0 { plane } else { plane.swap_bytes() };
            if index & 4 == 0 { plane } else { transposed(plane) }
        };
        let en_passant = if index & 1 == 1 && self.en_passant != 0 { 9 - self.en_passant } else { self.en_passant };
        Board { planes: self.planes.map(image), white: image(self.white), mover: self.mover, en_passant }
    }

    /// The squares of one kind, of both colours; rooks with those that may castle.
    #[inline]
    pub(super) fn kind(&self, kind: Kind) -> u64 {
        let [a, b, c] = self.planes;
        match kind {
            PAWN => a & !b & !c,
            KNIGHT => !a & b & !c,
            BISHOP => a & b & !c,
            ROOK => c & !(a ^ b),
            QUEEN => a & !b & c,
            KING => !a & b & c,
            _ => a & b & c,
        }
    }

    #[inline]
    fn diagonal(&self) -> u64 {
        self.planes[0] & (self.planes[1] ^ self.planes[2])
    }

    #[inline]
    fn straight(&self) -> u64 {
        self.planes[2] & (self.planes[0] | !self.planes[1])
    }

    #[inline]
    pub(super) fn at(&self, square: Square) -> Kind {
        let at = |plane: u64| (plane >> square as u32 & 1) as usize;
        at(self.planes[0]) | at(self.planes[1]) << 1 | at(self.planes[2]) << 2
    }

    #[inline]
    fn clear(&mut self, squares: u64) {
        self.planes.iter_mut().for_each(|plane| *plane &= !squares);
        self.white &= !squares;
    }

    #[inline]
    fn set(&mut self, square: u64, kind: Kind, color: Color) {
        for (bit, plane) in self.planes.iter_mut().enumerate() {
            *plane |= square & (kind as u64 >> bit & 1).wrapping_neg();
        }
        self.white |= if color == Color::White { square } else { 0 };
    }

    #[inline]
    pub(super) fn king(&self, color: Color) -> Square {
        // A board without a king is never made; the first square keeps us from panicking over one.
        BitBoard(self.kind(KING) & self.of(color)).next_square().unwrap_or(Square::A1)
    }

    /// Whether this could be a board of chess: bytes from a file need not.
    #[inline]
    pub(super) fn is_sound(&self) -> bool {
        let kings = self.kind(KING);
        kings.count_ones() == 2
            && (kings & self.white).count_ones() == 1
            && self.mover.index() < 2
            && self.en_passant <= 8
    }

    #[inline]
    fn view(&self) -> View {
        let color = self.color();
        let occupied = self.occupied();
        let mine = self.of(color);
        let theirs = occupied & !mine;
        let king = BitBoard(self.kind(KING) & mine).next_square().unwrap_or(Square::A1);
        let (diagonal, straight) = (BitBoard(self.diagonal() & theirs), BitBoard(self.straight() & theirs));
        let mut checkers = get_knight_moves(king) & BitBoard(self.kind(KNIGHT) & theirs)
            | get_pawn_attacks(king, color) & BitBoard(self.kind(PAWN) & theirs);
        let mut pinned = BitBoard::EMPTY;
        for square in get_bishop_rays(king) & diagonal | get_rook_rays(king) & straight {
            let between = get_between_rays(square, king) & BitBoard(occupied);
            if between.is_empty() {
                checkers |= square.bitboard();
            } else if between.0 & (between.0 - 1) == 0 {
                pinned |= between;
            }
        }
        let ends_check = checkers
            .next_square()
            .map_or(BitBoard::FULL, |checker| get_between_rays(checker, king) | checker.bitboard());
        let targets = ends_check & BitBoard(!mine);
        let [mine, theirs, occupied] = [mine, theirs, occupied].map(BitBoard);
        View { color, mine, theirs, occupied, king, diagonal, straight, checkers, pinned, targets }
    }

    /// Who gives check to the mover.
    pub(super) fn checkers(&self) -> BitBoard {
        self.view().checkers
    }

    /// Calls `found` with the legal moves to `wanted` squares, until it answers true. In the order of `cozy-chess`:
    /// pawns, knights, bishops, rooks, queens, king; of each kind pinned pieces last.
    #[inline]
    pub(super) fn generate(&self, wanted: BitBoard, found: &mut impl FnMut(PieceMoves) -> bool) -> bool {
        let v = &self.view();
        if v.checkers.len() > 1 {
            return self.king_moves(v, wanted, found);
        }
        self.pawn_moves(v, wanted, found)
            || self.piece_moves(v, KNIGHT, wanted, found, get_knight_moves)
            || self.piece_moves(v, BISHOP, wanted, found, |from| get_bishop_moves(from, v.occupied))
            || self.piece_moves(v, ROOK, wanted, found, |from| get_rook_moves(from, v.occupied))
            || self.piece_moves(v, QUEEN, wanted, found, |from| {
                get_bishop_moves(from, v.occupied) | get_rook_moves(from, v.occupied)
            })
            || self.king_moves(v, wanted, found)
    }

    /// Pushes all legal moves.
    #[inline]
    pub(super) fn push_moves(&self, moves: &mut Vec<Move>) {
        let mut buffer = MoveBuffer { moves: [Move(0); 256], len: 0 };
        self.generate(BitBoard::FULL, &mut |piece| {
            buffer.push_all(piece, moves);
            false
        });
        buffer.flush(moves);
    }

    #[inline]
    fn piece_moves(
        &self,
        v: &View,
        kind: Kind,
        wanted: BitBoard,
        found: &mut impl FnMut(PieceMoves) -> bool,
        reach: impl Fn(Square) -> BitBoard,
    ) -> bool {
        let pieces = BitBoard(self.kind(kind)) & v.mine;
        let targets = v.targets & wanted;
        for from in pieces & !v.pinned {
            let to = reach(from) & targets;
            if !to.is_empty() && found(PieceMoves { kind, from, to }) {
                return true;
            }
        }
        if v.checkers.is_empty() {
            for from in pieces & v.pinned {
                let to = reach(from) & targets & get_line_rays(v.king, from);
                if !to.is_empty() && found(PieceMoves { kind, from, to }) {
                    return true;
                }
            }
        }
        false
    }

    #[inline]
    fn pawn_moves(&self, v: &View, wanted: BitBoard, found: &mut impl FnMut(PieceMoves) -> bool) -> bool {
        let reach = |from| get_pawn_quiets(from, v.color, v.occupied) | get_pawn_attacks(from, v.color) & v.theirs;
        if self.piece_moves(v, PAWN, wanted, found, reach) {
            return true;
        }
        let Some(file) = File::try_index(usize::from(self.en_passant).wrapping_sub(1)) else { return false };
        let to = Square::new(file, Rank::Sixth.relative_to(v.color));
        for from in get_pawn_attacks(to, !v.color) & BitBoard(self.kind(PAWN)) & v.mine {
            let en_passant = PieceMoves { kind: PAWN, from, to: to.bitboard() };
            if wanted.has(to) && en_passant_is_safe(v, from, to) && found(en_passant) {
                return true;
            }
        }
        false
    }

    #[inline]
    fn king_moves(&self, v: &View, wanted: BitBoard, found: &mut impl FnMut(PieceMoves) -> bool) -> bool {
        let near = get_king_moves(v.king) & !v.mine & wanted;
        let mut to = BitBoard::EMPTY;
        if !near.is_empty() {
            let leaped = self.leaped(v);
            to = (near & !leaped).iter().filter(|&square| is_off_lines(v, square)).collect();
        }
        if v.checkers.is_empty() {
            for rook in BitBoard(self.kind(CASTLING_ROOK)) & v.mine & wanted {
                if self.can_castle(v, rook) {
                    to |= rook.bitboard();
                }
            }
        }
        !to.is_empty() && found(PieceMoves { kind: KING, from: v.king, to })
    }

    /// What the enemy's pawns, knights and king attack.
    #[inline]
    fn leaped(&self, v: &View) -> BitBoard {
        const NOT_A: u64 = !0x0101_0101_0101_0101;
        const NOT_H: u64 = !0x8080_8080_8080_8080;
        let theirs = |kind: Kind| self.kind(kind) & v.theirs.0;
        let pawns = theirs(PAWN);
        let pawns = match v.color {
            Color::White => (pawns & NOT_A) >> 9 | (pawns & NOT_H) >> 7,
            Color::Black => (pawns & NOT_A) << 7 | (pawns & NOT_H) << 9,
        };
        let leapers = BitBoard(theirs(KNIGHT)).iter().map(get_knight_moves);
        leapers.chain(BitBoard(theirs(KING)).iter().map(get_king_moves)).fold(BitBoard(pawns), |all, set| all | set)
    }

    fn can_castle(&self, v: &View, rook: Square) -> bool {
        let [king_to, rook_to] = castled(v.king, rook);
        let blockers = v.occupied ^ v.king.bitboard() ^ rook.bitboard();
        let safe = get_between_rays(v.king, king_to) | king_to.bitboard();
        let empty = safe | get_between_rays(v.king, rook) | rook_to.bitboard();
        !v.pinned.has(rook)
            && (blockers & empty).is_empty()
            && (safe & self.leaped(v)).is_empty()
            && safe.iter().all(|square| is_off_lines(v, square))
    }

    /// Whether a move of the mover to this square is the king's to its own rook.
    pub(super) fn is_castling(&self, mv: Move) -> bool {
        self.of(self.color()) >> mv.to() as u32 & 1 == 1
    }

    /// Plays a legal move; answers whether it was a capture or a pawn's.
    #[inline]
    pub(super) fn play(&mut self, mv: Move) -> bool {
        let color = self.color();
        let kind = self.at(mv.from());
        let [from, to] = [mv.from(), mv.to()].map(|square| square.bitboard().0);
        if kind == KING {
            let rooks = self.kind(CASTLING_ROOK) & self.of(color);
            // A castling rook less two bits is a rook.
            self.planes[0] &= !rooks;
            self.planes[1] &= !rooks;
        }
        let en_passant = std::mem::take(&mut self.en_passant);
        self.mover = self.mover.opponent();
        if kind == KING && self.of(color) & to != 0 {
            let [king_to, rook_to] = castled(mv.from(), mv.to()).map(|square| square.bitboard().0);
            self.clear(from | to);
            self.set(king_to, KING, color);
            self.set(rook_to, ROOK, color);
            return false;
        }
        let takes = self.occupied() & to != 0;
        self.clear(from | to);
        let becomes = match kind {
            CASTLING_ROOK => ROOK,
            PAWN if mv.promotion_kind() != 0 => mv.promotion_kind(),
            _ => kind,
        };
        self.set(to, becomes, color);
        if kind == PAWN {
            self.after_pawn(mv, color, en_passant);
        }
        kind == PAWN || takes
    }

    /// What a pawn's move does beside the pawn.
    #[inline]
    fn after_pawn(&mut self, mv: Move, color: Color, en_passant: u8) {
        let (from, to) = (mv.from(), mv.to());
        if (from as u32).abs_diff(to as u32) == 16 {
            self.allow_en_passant(to);
        } else if en_passant as usize == to.file() as usize + 1 && to.rank() == Rank::Sixth.relative_to(color) {
            self.clear(Square::new(to.file(), from.rank()).bitboard().0);
        }
    }

    /// The pawn on `pawn` has just made two steps: it can be taken en passant, if that is legal.
    #[inline]
    fn allow_en_passant(&mut self, pawn: Square) {
        let color = self.color();
        let to = Square::new(pawn.file(), Rank::Sixth.relative_to(color));
        let takers = get_pawn_attacks(to, !color).0 & self.kind(PAWN) & self.of(color);
        if takers != 0 {
            let v = self.view();
            if v.checkers.len() < 2 && BitBoard(takers).iter().any(|from| en_passant_is_safe(&v, from, to)) {
                self.en_passant = pawn.file() as u8 + 1;
            }
        }
    }

    /// The position before a quiet move of these [`Move::squares`] that took no right away.
    #[inline]
    pub(super) fn before(mut self, squares: u16) -> Self {
        let mv = Move(squares);
        let both = mv.from().bitboard().0 | mv.to().bitboard().0;
        for plane in self.planes.iter_mut().chain([&mut self.white]) {
            // Exactly one of both squares is occupied: swap them.
            *plane ^= both & (u64::from(*plane & both != 0)).wrapping_neg();
        }
        self.mover = self.mover.opponent();
        self
    }

    /// Castling rights of a colour.
    pub(super) fn rights(&self, color: Color) -> CastleRights {
        let king = self.king(color).file();
        let rooks = BitBoard(self.kind(CASTLING_ROOK) & self.of(color));
        let file = |short: bool| rooks.iter().map(Square::file).find(|&file| (file > king) == short);
        CastleRights { short: file(true), long: file(false) }
    }

    /// A board with these pieces, from the eighth rank down, without castling and en passant.
    pub(super) fn of_pieces(rows: &[Vec<Option<char>>], mover: Player) -> Self {
        let mut board = Board { planes: [0; 3], white: 0, mover, en_passant: 0 };
        let cells = rows.iter().rev().flatten();
        for (square, letter) in Square::ALL.into_iter().zip(cells).filter_map(|(square, cell)| Some((square, (*cell)?)))
        {
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            if let Some(kind) = LETTERS.iter().position(|&known| known == letter.to_ascii_lowercase()) {
                board.set(square.bitboard().0, kind, color);
            }
        }
        board
    }

    /// The pieces as a FEN has them.
    pub(super) fn rows(&self) -> String {
        let letter = |square: Square| match self.at(square) {
            0 => None,
            kind if self.white >> square as u32 & 1 == 1 => Some(LETTERS[kind].to_ascii_uppercase()),
            kind => Some(LETTERS[kind]),
        };
        let row = |rank: Rank| write_row(File::ALL.into_iter().map(|file| letter(Square::new(file, rank))));
        Rank::ALL.into_iter().rev().map(row).collect::<Vec<_>>().join("/")
    }

    /// Whether the mover could take the other king, which is then no position.
    pub(super) fn can_take_king(&self) -> bool {
        !Board { mover: self.mover.opponent(), ..*self }.checkers().is_empty()
    }

    /// The same position as `cozy-chess` has it; it refuses more than two checks at once.
    pub(super) fn cozy(&self, clock: u8) -> Option<cozy_chess::Board> {
        let mut builder = BoardBuilder::empty();
        for square in Square::ALL {
            let color = if self.white >> square as u32 & 1 == 1 { Color::White } else { Color::Black };
            let piece = match self.at(square) {
                CASTLING_ROOK => Some(Piece::Rook),
                kind => Piece::try_index(kind.wrapping_sub(1)),
            };
            builder.board[square as usize] = piece.map(|piece| (piece, color));
        }
        builder.side_to_move = self.color();
        builder.castle_rights = [Color::White, Color::Black].map(|color| self.rights(color));
        let file = File::try_index(usize::from(self.en_passant).wrapping_sub(1));
        builder.en_passant = file.map(|file| Square::new(file, Rank::Sixth.relative_to(self.color())));
        builder.halfmove_clock = clock;
        builder.build().ok()
    }
}

impl From<&cozy_chess::Board> for Board {
    fn from(cozy: &cozy_chess::Board) -> Self {
        let mover = Player::new(cozy.side_to_move() as usize);
        let mut board = Board { planes: [0; 3], white: 0, mover, en_passant: 0 };
        for square in cozy.occupied() {
            if let (Some(piece), Some(color)) = (cozy.piece_on(square), cozy.color_on(square)) {
                board.set(square.bitboard().0, piece as usize + 1, color);
            }
        }
        for color in Color::ALL {
            let rights = cozy.castle_rights(color);
            for file in [rights.short, rights.long].into_iter().flatten() {
                let rook = Square::new(file, Rank::First.relative_to(color));
                board.set(rook.bitboard().0, CASTLING_ROOK, color);
            }
        }
        if let Some(file) = cozy.en_passant() {
            board.allow_en_passant(Square::new(file, Rank::Fifth.relative_to(board.color())));
        }
        board
    }
}

/// Where king and rook go if they castle.
fn castled(king: Square, rook: Square) -> [Square; 2] {
    let files = if king.file() < rook.file() { [File::G, File::F] } else { [File::C, File::D] };
    files.map(|file| Square::new(file, king.rank()))
}

/// Whether no enemy bishop, rook or queen would attack the king on a square.
#[inline]
fn is_off_lines(v: &View, square: Square) -> bool {
    let blockers = v.occupied ^ v.king.bitboard() | square.bitboard();
    ((get_bishop_rays(square) & v.diagonal).is_empty() || (get_bishop_moves(square, blockers) & v.diagonal).is_empty())
        && ((get_rook_rays(square) & v.straight).is_empty()
            || (get_rook_moves(square, blockers) & v.straight).is_empty())
}

/// Whether no line onto the king opens if this pawn takes en passant.
fn en_passant_is_safe(v: &View, from: Square, to: Square) -> bool {
    let victim = Square::new(to.file(), from.rank());
    let blockers = v.occupied ^ victim.bitboard() ^ from.bitboard() | to.bitboard();
    (get_bishop_moves(v.king, blockers) & v.diagonal).is_empty()
        && (get_rook_moves(v.king, blockers) & v.straight).is_empty()
}
