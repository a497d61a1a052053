//! Woodpush: two rows of pieces walk past each other on a strip of squares, jumping and pushing.
//!
//! Left's pieces walk to the right, Right's to the left; Left begins with `LLL..RRR`. A move is one of
//!
//! - *forward*: a piece goes to the next empty square ahead, over any pieces in between, or off the board if there is
//!   none;
//! - *push*: a piece with an opponent's piece directly behind it steps one square back, and the whole unbroken string
//!   of pieces behind it, of either colour, moves along; a piece at the edge falls off.
//!
//! No move may recreate an earlier position of the game (superko: who is to move does not matter). The game ends when
//! one side has no pieces, and the score is the number of moves the other side could still make alone, one square at a
//! time, until the board is empty. A player whose moves are all forbidden loses, with the same count for the winner.
//!
//! Saffidine and Cazenave (2012) do not print their rules in full. These are ours; they give as many move sequences as
//! the paper has positions (99 for 8×3 after 4 plies, 256 for 13×2 after 8), and the last two rules are where programs
//! may differ.
//!
//! Superko makes the past a part of the state (see [`crate::support::history`]). Pieces never come back, so only
//! positions since the last piece left the board are kept. Transpositions hardly ever meet.

use perfectplay_core::{
    Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Layout, Notation, OptionSet, OrderingHints,
    Params, Persist, Player, Playouts, Sizes, SolverHints, Status, Symmetric, TextError, Visitor, ZeroSum, options,
    plain_struct,
};

use crate::support::board;
use crate::support::history::{Histories, History, PositionHistory};
use crate::support::playout;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "woodpush",
    summary: "pieces walk past each other on a strip, jumping and pushing; no position may return",
    players: "2",
    parameters: Parameters::docs,
    examples: &["woodpush:5x2", "woodpush:8x3", "woodpush:13x2"],
    rules: "Left's pieces stand at the left end of a strip and walk to the right, Right's the other way round; Left \
begins. A piece goes forward to the next empty square, over any pieces in between, or off the board if there is none. \
A piece with an opponent's piece directly behind it may instead step one square back, and the unbroken string of \
pieces behind it moves along; a piece at the edge falls off.

No move may recreate an earlier position of the game. The game ends when one side has no pieces; the score is the \
number of moves the other side can still make until the board is empty. A player all of whose moves are forbidden \
loses.",
    sources: &[
        "A. Saffidine, T. Cazenave, Multiple-Outcome Proof Number Search, ECAI (2012), which does not print the rules \
in full: the last two sentences are ours",
    ],
};

options! {
    struct Parameters {
        size: [u64; 2] = Sizes::new(
            ["length", "pieces"],
            "squares, and pieces of each player, for which there must be room",
            1..=32,
            [8, 3],
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size: [length, pieces] } = Parameters::read(INFO.name, params)?;
    if 2 * pieces > length {
        return Err(TextError::new(format!("{pieces} pieces of each player need at least {} squares", 2 * pieces)));
    }
    Ok(visitor.zero_sum(Woodpush::new(length as u32, pieces as u32)))
}

/// Pieces on the strip: bit i is square i from the left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    left: u32,
    right: u32,
}

plain_struct!(impl[] Board { left: u32, right: u32 });

impl Board {
    fn all(self) -> u32 {
        self.left | self.right
    }

    fn pieces(self) -> u32 {
        self.all().count_ones()
    }

    /// The strip seen by Right: the colours change names and the squares are counted from the other end.
    fn turned(self, length: u32) -> Board {
        let turn = |set: u32| set.reverse_bits() >> (32 - length);
        Board { left: turn(self.right), right: turn(self.left) }
    }

    /// Left's piece on `from` goes forward.
    fn forward(self, from: u32, length: u32) -> Board {
        let left = self.left & !(1 << from);
        let target = (from + 1..length).find(|&square| self.all() >> square & 1 == 0);
        Board { left: left | target.map_or(0, |square| 1 << square), ..self }
    }

    /// Left's piece on `from` pushes what is behind it; `None` if no opponent is there.
    fn push(self, from: u32) -> Option<Board> {
        if from == 0 || self.right >> (from - 1) & 1 == 0 {
            return None;
        }
        let behind = (0..from).rev().take_while(|&square| self.all() >> square & 1 == 1).last()?;
        let string = ((1u64 << (from + 1)) - (1u64 << behind)) as u32;
        let shift = |set: u32| set & !string | (set & string) >> 1;
        Some(Board { left: shift(self.left), right: shift(self.right) })
    }

    /// Moves that Left's pieces can make alone until all are off.
    fn moves_left(self, length: u32) -> i32 {
        (0..length).filter(|square| self.left >> square & 1 == 1).map(|square| (length - square) as i32).sum()
    }
}

/// A position and the positions that must not return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Strip {
    board: Board,
    mover: Player,
    /// Earlier positions with as many pieces.
    past: History,
}

plain_struct!(impl[] Strip { board: Board, mover: Player, past: History });

/// A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    from: u8,
    push: bool,
}

plain_struct!(impl[] Step { from: u8, push: bool });

/// The rules on a strip of this length.
#[derive(Debug)]
pub struct Woodpush {
    length: u32,
    pieces: u32,
    histories: Histories<Board>,
}

impl Woodpush {
    /// The rules for `pieces` on each side of `length` squares.
    ///
    /// # Panics
    /// If they do not fit on at most 32 squares.
    pub fn new(length: u32, pieces: u32) -> Self {
        assert!(length <= 32 && pieces > 0 && 2 * pieces <= length, "{pieces} pieces a side on {length} squares");
        Woodpush { length, pieces, histories: Histories::default() }
    }

    /// The board as the mover sees it: as if it were Left.
    fn seen(&self, strip: &Strip) -> Board {
        if strip.mover == Player::FIRST { strip.board } else { strip.board.turned(self.length) }
    }

    /// The board after a step, if the pieces allow it.
    fn moved(&self, strip: &Strip, step: Step) -> Option<Board> {
        let from = u32::from(step.from);
        let first = strip.mover == Player::FIRST;
        let from = if first { from } else { self.length - 1 - from };
        let seen = self.seen(strip);
        let next = if step.push { seen.push(from)? } else { seen.forward(from, self.length) };
        Some(if first { next } else { next.turned(self.length) })
    }

    /// What the game is worth if `winner` has won.
    fn won(&self, board: Board, winner: Player) -> ZeroSum {
        match winner {
            Player::FIRST => ZeroSum(board.moves_left(self.length)),
            _ => ZeroSum(-board.turned(self.length).moves_left(self.length)),
        }
    }

    fn over(&self, board: Board) -> Option<ZeroSum> {
        match board {
            Board { right: 0, .. } => Some(self.won(board, Player::FIRST)),
            Board { left: 0, .. } => Some(self.won(board, Player::SECOND)),
            _ => None,
        }
    }

    /// Calls `found` with every legal step until it says to stop; `past` holds what must not return.
    #[inline]
    fn steps(&self, strip: &Strip, past: &impl PositionHistory<Board>, mut found: impl FnMut(Step) -> bool) {
        let own = if strip.mover == Player::FIRST { strip.board.left } else { strip.board.right };
        for from in (0..self.length as u8).filter(|&square| own >> square & 1 == 1) {
            for push in [false, true] {
                let step = Step { from, push };
                let legal = self.moved(strip, step).is_some_and(|next| {
                    next.pieces() < strip.board.pieces() || next != strip.board && past.positions().all(|&b| b != next)
                });
                if legal && !found(step) {
                    return;
                }
            }
        }
    }

    fn expand_with(&self, strip: &Strip, past: &impl PositionHistory<Board>, moves: &mut Vec<Step>) -> Status<ZeroSum> {
        if let Some(payoff) = self.over(strip.board) {
            return Status::Over(payoff);
        }
        let before = moves.len();
        self.steps(strip, past, |step| {
            moves.push(step);
            true
        });
        if moves.len() == before {
            return Status::Over(self.won(strip.board, strip.mover.opponent()));
        }
        Status::Turn(strip.mover)
    }

    fn play_with(&self, strip: &mut Strip, step: Step, past: &mut impl PositionHistory<Board>) {
        let Some(next) = self.moved(strip, step) else { return };
        // Pieces do not come back: with one less, nothing earlier can return.
        if next.pieces() == strip.board.pieces() {
            past.push(strip.board)
        } else {
            past.clear()
        }
        strip.board = next;
        strip.mover = strip.mover.opponent();
    }

    fn board_text(&self, board: Board) -> String {
        let square = |i: u32| match (board.left >> i & 1, board.right >> i & 1) {
            (1, _) => 'L',
            (_, 1) => 'R',
            _ => '.',
        };
        (0..self.length).map(square).collect()
    }

    fn parse_board(&self, text: &str, at: usize) -> Result<Board, TextError> {
        let mut board = Board::default();
        for (i, c) in text.chars().enumerate() {
            match c {
                'L' if i < 32 => board.left |= 1 << i,
                'R' if i < 32 => board.right |= 1 << i,
                '.' => {}
                c => return Err(TextError::at(at + i, format!("expected L, R or a dot, got \"{c}\""))),
            }
        }
        let length = text.chars().count();
        if length != self.length as usize {
            return Err(TextError::at(at, format!("expected {} squares, got {length}", self.length)));
        }
        if board.left.count_ones().max(board.right.count_ones()) > self.pieces {
            return Err(TextError::at(at, format!("nobody has more than {} pieces", self.pieces)));
        }
        if board.all() == 0 {
            return Err(TextError::at(at, "at least one piece must be on the board"));
        }
        Ok(board)
    }
}

impl Game for Woodpush {
    type State = Strip;
    type Move = Step;
    type Payoff = ZeroSum;
    type Key = Strip;

    fn start(&self) -> Strip {
        let left = (1u32 << self.pieces) - 1;
        Strip {
            board: Board { left, right: left << (self.length - self.pieces) },
            mover: Player::FIRST,
            past: History::NONE,
        }
    }

    fn expand(&self, strip: &Strip, moves: &mut Vec<Step>) -> Status<ZeroSum> {
        self.expand_with(strip, &self.histories.past(&mut { strip.past }), moves)
    }

    fn status(&self, strip: &Strip) -> Status<ZeroSum> {
        if let Some(payoff) = self.over(strip.board) {
            return Status::Over(payoff);
        }
        let mut stuck = true;
        self.steps(strip, &self.histories.past(&mut { strip.past }), |_| {
            stuck = false;
            false
        });
        if stuck { Status::Over(self.won(strip.board, strip.mover.opponent())) } else { Status::Turn(strip.mover) }
    }

    fn play(&self, strip: &mut Strip, step: Step) {
        let mut past = strip.past;
        self.play_with(strip, step, &mut self.histories.past(&mut past));
        strip.past = past;
    }

    fn key(&self, strip: &Strip) -> Strip {
        *strip
    }

    fn facts(&self) -> Facts {
        let most = self.start().board.moves_left(self.length);
        Facts {
            history: true,
            scores: vec![(-most, most); 2],
            outcomes: Some((-most..=most).filter(|&score| score != 0).collect()),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl Notation for Woodpush {
    /// The strip, who moves (`L` or `R`), then the earlier positions that must not return, the latest first.
    fn position_text(&self, strip: &Strip) -> String {
        let mover = if strip.mover == Player::FIRST { "L" } else { "R" };
        let mut text = format!("{} {mover}", self.board_text(strip.board));
        for &board in self.histories.positions(strip.past) {
            text.push(' ');
            text.push_str(&self.board_text(board));
        }
        text
    }

    fn parse_position(&self, text: &str) -> Result<Strip, TextError> {
        let mut at = 0;
        let mut words = text.split(' ').map(|word| {
            let here = at;
            at += word.chars().count() + 1;
            (here, word)
        });
        let (here, board) = words.next().unwrap_or((0, ""));
        let board = self.parse_board(board, here)?;
        let mover = match words.next() {
            Some((_, "L")) => Player::FIRST,
            Some((_, "R")) => Player::SECOND,
            Some((here, other)) => {
                return Err(TextError::at(here, format!("expected L or R for who moves, got \"{other}\"")));
            }
            None => return Err(TextError::new("expected a strip and who moves, like \"LLL..RRR L\"")),
        };
        let mut earlier = Vec::new();
        for (here, word) in words {
            let old = self.parse_board(word, here)?;
            let (left, right) = (old.left.count_ones(), old.right.count_ones());
            if (left, right) != (board.left.count_ones(), board.right.count_ones())
                || old == board
                || earlier.contains(&old)
            {
                return Err(TextError::at(
                    here,
                    "an earlier position must differ from all others and have the same pieces",
                ));
            }
            earlier.push(old);
        }
        Ok(Strip { board, mover, past: self.histories.from_oldest(earlier.into_iter().rev()) })
    }

    /// The square, counted from 1 at the left, and `p` for a push.
    fn move_text(&self, _: &Strip, step: Step) -> String {
        format!("{}{}", step.from + 1, if step.push { "p" } else { "" })
    }

    fn drawing(&self, strip: &Strip) -> Drawing {
        let square = |i: u32| match (strip.board.left >> i & 1, strip.board.right >> i & 1) {
            (1, _) => Cell::Piece(Player::FIRST, 'L'),
            (_, 1) => Cell::Piece(Player::SECOND, 'R'),
            _ => Cell::Empty,
        };
        let column_labels = (1..=self.length).map(|i| i.to_string()).collect();
        let drawing = Drawing { column_labels, ..Drawing::square(vec![(0..self.length).map(square).collect()]) };
        let past: Vec<String> = self.histories.positions(strip.past).map(|&board| self.board_text(board)).collect();
        if past.is_empty() { drawing } else { drawing.with_note(format!("must not return: {}", past.join(" "))) }
    }
}

impl Symmetric for Woodpush {}
impl Playouts for Woodpush {
    /// Random games keep their past to themselves.
    fn playout(
        &self,
        strip: Strip,
        most: u32,
        moves: &mut Vec<Step>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        let expand = |(strip, past): &mut (Strip, _), moves: &mut Vec<Step>| self.expand_with(strip, past, moves);
        let play = |(strip, past): &mut (Strip, _), step| self.play_with(strip, step, past);
        playout::run_listed((strip, self.histories.line(strip.past)), most, moves, below, expand, play)
    }
}

impl Heuristic for Woodpush {
    /// Who has more moves left.
    fn heuristic(&self, strip: &Strip) -> f32 {
        let left = strip.board.moves_left(self.length) as f32;
        let right = strip.board.turned(self.length).moves_left(self.length) as f32;
        let lead = (left - right) / (left + right).max(1.0) * 0.9;
        Estimate::from_fn(|_| lead)
    }
}

impl Features for Woodpush {
    fn layout(&self) -> Option<Layout> {
        Some(board::layout(self.length, 1, 3, &[]))
    }

    /// Empty, mine, theirs; the mover walks to the right.
    fn cell_values(&self, strip: &Strip, out: &mut Vec<u8>) {
        let Board { left, right } = self.seen(strip);
        board::push_owners(0..self.length, left, right, out);
    }

    fn viewer(&self, strip: &Strip) -> Player {
        strip.mover
    }
}

impl SolverHints for Woodpush {}
impl OrderingHints for Woodpush {}

impl Persist for Woodpush {
    /// Keys hold the numbers of histories, given in the order in which they were met.
    fn stable_keys(&self) -> bool {
        false
    }

    fn kept_bytes(&self) -> usize {
        self.histories.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perfectplay_core::{Budget, perft};

    #[test]
    fn as_many_sequences_as_the_paper_has_positions() {
        for (length, pieces, plies, sequences) in [(8, 3, 4, 99), (13, 2, 8, 256)] {
            let game = Woodpush::new(length, pieces);
            let counts = perft(&game, &game.start(), plies, false, &Budget::unlimited()).unwrap();
            assert_eq!(counts.leaves.last(), Some(&sequences), "{length}x{pieces}");
        }
    }

    fn played(game: &Woodpush, position: &str, step: &str) -> String {
        let mut strip = game.parse_position(position).unwrap();
        let step = game.parse_move(&strip, step).unwrap();
        game.play(&mut strip, step);
        game.position_text(&strip)
    }

    #[test]
    fn pieces_jump_push_and_fall() {
        let game = Woodpush::new(6, 2);
        assert_eq!(played(&game, "LRR... L", "1"), ".RRL.. R LRR...", "over pieces of either colour");
        assert_eq!(played(&game, "L....R R", "6"), "L...R. L L....R");
        assert_eq!(played(&game, ".L.RL. L", "5p"), ".LRL.. R .L.RL.", "the string behind moves along");
        assert_eq!(played(&game, "LRRL.. L", "4p"), "RRL... R", "and may fall off");
        assert_eq!(played(&game, "R....L L", "6"), "R..... R", "forward off the board");
        assert_eq!(played(&game, "..RL.. R", "3p"), "...RL. L ..RL..", "Right pushes to the right");
    }

    #[test]
    fn no_position_returns() {
        let game = Woodpush::new(6, 2);
        let strip = game.parse_position("..RL.. R .RL...").unwrap();
        let mut moves = Vec::new();
        game.expand(&strip, &mut moves);
        let texts: Vec<String> = moves.iter().map(|&m| game.move_text(&strip, m)).collect();
        assert_eq!(texts, ["3", "3p"]);
        let back = game.parse_position(".RL... R ..RL..").unwrap();
        assert!(game.parse_move(&back, "2p").is_err());
    }

    #[test]
    fn the_winner_scores_its_moves() {
        let game = Woodpush::new(6, 2);
        let status = |text: &str| game.status(&game.parse_position(text).unwrap());
        assert_eq!(status("...L.L R"), Status::Over(ZeroSum(4)));
        assert_eq!(status("R..... L"), Status::Over(ZeroSum(-1)));
        assert_eq!(status("R....L L"), Status::Turn(Player::FIRST));
    }

    #[test]
    fn nonsense_is_refused() {
        let game = Woodpush::new(6, 2);
        for text in [
            "",
            "LL..RR",
            "LL..RR X",
            "LL..R L",
            "LL..RX L",
            "LLL... L",
            "...... L",
            "LL..RR L LL..RR",
            "LL..RR L L...RR",
        ] {
            assert!(game.parse_position(text).is_err(), "{text}");
        }
    }

    #[test]
    fn keys_tell_pasts_apart() {
        let game = Woodpush::new(6, 2);
        let keys = ["..RL.. R", "..RL.. R .RL...", "..RL.. L", "..RL.. R .R.L.."]
            .map(|t| game.key(&game.parse_position(t).unwrap()));
        for (i, a) in keys.iter().enumerate() {
            assert!(keys[..i].iter().all(|b| a != b));
        }
        assert_eq!(keys[1], game.key(&game.parse_position("..RL.. R .RL...").unwrap()));
    }
}
