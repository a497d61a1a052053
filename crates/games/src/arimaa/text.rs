//! Arimaa positions and moves as text.

use perfectplay_core::{Game, Player, TextError};

use super::{Arimaa, Board, HAS, LETTERS, Move, State, Steps, Turning};
use crate::support::board;
use crate::support::history::{self, History};

const DIRECTIONS: [(char, i32); 4] = [('n', 8), ('e', 1), ('s', -8), ('w', -1)];

/// 64 letters from a8 to h1.
pub(super) fn read_board(text: &str) -> Result<Board, TextError> {
    let mut board = Board::EMPTY;
    let mut cells = 0;
    for (at, letter) in text.chars().enumerate() {
        let kind = LETTERS.iter().position(|l| *l == letter.to_ascii_uppercase());
        let player = Player::new(usize::from(letter.is_ascii_lowercase()));
        match kind {
            _ if at >= 64 => return Err(TextError::new("expected 64 cells, got more")),
            Some(kind) => board.set(1 << (8 * (7 - at / 8) + at % 8), kind, player),
            None if letter == '.' => {}
            None => {
                return Err(TextError::at(at, format!("expected one of E M H D C R e m h d c r ., got \"{letter}\"")));
            }
        }
        cells += 1;
    }
    if cells != 64 {
        return Err(TextError::new(format!("expected 64 cells, got {cells}")));
    }
    for player in Player::all(2) {
        for (kind, most) in HAS.into_iter().enumerate() {
            let count = (board.kind(kind) & board.of(player)).count_ones();
            if count > most {
                let letter = LETTERS[kind];
                return Err(TextError::new(format!("{player} has {count} of {letter}, at most {most} are possible")));
            }
        }
    }
    let silver = board.all() & !board.gold;
    let doomed = super::TRAPS & (board.gold & !super::around(board.gold) | silver & !super::around(silver));
    if doomed != 0 {
        let name = board::cell_name(doomed.trailing_zeros(), 8);
        return Err(TextError::new(format!("the piece on the trap {name} has no friend next to it")));
    }
    Ok(board)
}

/// The letter of a piece, if there is one.
fn letter_at(board: &Board, cell: u8) -> Option<char> {
    let letter = LETTERS[board.kind_at(cell)?];
    Some(if board.gold >> cell & 1 == 1 { letter } else { letter.to_ascii_lowercase() })
}

fn write_board(board: &Board) -> String {
    (0..64).map(|at| letter_at(board, 8 * (7 - at / 8) + at % 8).unwrap_or('.')).collect()
}

fn sign(player: Player) -> &'static str {
    if player == Player::FIRST { "g" } else { "s" }
}

fn read_sign(text: Option<&str>) -> Option<Player> {
    match text? {
        "g" | "w" => Some(Player::FIRST),
        "s" | "b" => Some(Player::SECOND),
        _ => None,
    }
}

/// `Ra1n`, one for every step.
fn write_steps(board: &Board, steps: Steps) -> String {
    let mut board = *board;
    let write = |(from, to): (u8, u64)| {
        let letter = letter_at(&board, from).unwrap_or('?');
        let way = to.trailing_zeros() as i32 - i32::from(from);
        let direction = DIRECTIONS.iter().find(|(_, step)| *step == way).map_or('?', |(name, _)| *name);
        board.step(1 << from, to);
        format!("{letter}{}{direction}", board::cell_name(from.into(), 8))
    };
    steps.iter().map(write).collect::<Vec<_>>().join(",")
}

pub(super) fn write_move(state: &State, mv: Move) -> String {
    match mv {
        Move::Place(cell) => {
            let letter = LETTERS[state.next_kind()];
            let letter = if state.mover == Player::FIRST { letter } else { letter.to_ascii_lowercase() };
            format!("{letter}{}", board::cell_name(cell.into(), 8))
        }
        Move::Pass => "pass".into(),
        Move::Act(steps) | Move::Whole(steps) => write_steps(&state.board, steps),
    }
}

impl Arimaa {
    /// The board, who moves, how far the turn is, and the earlier positions.
    pub(super) fn write(&self, state: &State) -> String {
        let setup = if state.to_place > 0 { " setup" } else { "" };
        let steps = if state.steps > 0 { format!(" steps={}", state.steps) } else { String::new() };
        let mover = sign(state.mover);
        let now = format!("{} {mover}{setup}{steps}{}", write_board(&state.board), self.write_count(state.moves));
        let earlier = self.histories.oldest_first(state.history);
        history::write(now, &earlier, |(board, mover)| format!("{} {}", write_board(board), sign(*mover)))
    }

    fn write_count(&self, moves: u16) -> String {
        if moves > 0 { format!(" n={moves}") } else { String::new() }
    }

    pub(super) fn read(&self, text: &str) -> Result<State, TextError> {
        let (position, moves) = text.split_once(" moves").unwrap_or((text, ""));
        let (now, earlier) = history::split(position, true)?;
        let mut state = self.read_position(now)?;
        self.read_earlier(&mut state, earlier)?;
        for text in moves.split_whitespace() {
            let mv = self.read_move(&state, text)?;
            self.play(&mut state, mv);
        }
        Ok(state)
    }

    /// Positions in which turns began, with the players taking turns; the last one is that of this turn, if it has
    /// begun.
    fn read_earlier(&self, state: &mut State, earlier: Option<&str>) -> Result<(), TextError> {
        let parse = |text: &str| {
            let expected = || TextError::new("expected earlier positions as 64 cells and g or s");
            let (board, mover) = text.split_once(' ').ok_or_else(expected)?;
            Ok((read_board(board)?, read_sign(Some(mover.trim())).ok_or_else(expected)?))
        };
        let past: Vec<Turning> = history::read(earlier, parse, |_| state.to_place == 0, 2, None)?;
        let begun = if state.steps > 0 { past.last().copied() } else { Some((state.board, state.mover)) };
        let counts = |board: &Board| {
            std::array::from_fn::<_, 6, _>(|kind| {
                Player::all(2).map(|player| (board.kind(kind) & board.of(player)).count_ones()).collect::<Vec<_>>()
            })
        };
        let turns = past.iter().rev().skip(usize::from(state.steps > 0)).enumerate();
        let fits = begun.is_some_and(|(board, mover)| {
            let mut turns = turns.map(|(i, turning)| (if i % 2 == 0 { mover.opponent() } else { mover }, turning));
            mover == state.mover
                && turns.all(|(player, before)| before.1 == player && counts(&before.0) == counts(&board))
        });
        if !fits {
            return Err(TextError::new("the earlier positions do not lead to this one"));
        }
        state.history = self.histories.from_oldest(past);
        Ok(())
    }

    fn read_position(&self, text: &str) -> Result<State, TextError> {
        let expected =
            || TextError::new(format!("expected 64 cells and g or s for the player to move, got \"{text}\""));
        let mut fields = text.split_whitespace();
        let board = read_board(fields.next().ok_or_else(expected)?)?;
        let mover = read_sign(fields.next()).ok_or_else(expected)?;
        let mut state = State { board, mover, to_place: 0, steps: 0, moves: 0, history: History::NONE };
        for field in fields {
            if let Some(steps) = field.strip_prefix("steps=").filter(|_| !self.rules.turns && state.to_place == 0) {
                state.steps = steps.parse().ok().filter(|n| (1..4).contains(n)).ok_or_else(expected)?;
                continue;
            }
            match field.strip_prefix("n=") {
                None if field == "setup" && !self.rules.fixed_setup => state.to_place = to_place(&board, mover)?,
                Some(count) if self.rules.limit > 0 => {
                    state.moves = count.parse().ok().filter(|&n| n <= self.rules.limit).ok_or_else(expected)?;
                }
                _ => return Err(expected()),
            }
        }
        if state.to_place == 0 && board.all() == 0 {
            return Err(TextError::new("there is no piece on the board"));
        }
        Ok(state)
    }

    pub(super) fn read_move(&self, state: &State, text: &str) -> Result<Move, TextError> {
        let mut moves = Vec::new();
        self.expand(state, &mut moves);
        let illegal = || {
            let texts: Vec<String> = moves.iter().take(200).map(|&m| write_move(state, m)).collect();
            TextError::illegal_move(text, &texts)
        };
        if !self.rules.turns || state.to_place > 0 {
            // Losses in traps, `Rc3x`, may be written and are left out.
            let text: Vec<&str> = text.split(',').filter(|part| part.len() < 4 || !part.ends_with('x')).collect();
            let text = text.join(",");
            return moves.iter().copied().find(|&m| write_move(state, m) == text).ok_or_else(illegal);
        }
        // Any way to the same board will do.
        let mut board = state.board;
        for part in text.split(',').filter(|part| !part.ends_with('x')) {
            let (from, to) = read_step(&board, part).ok_or_else(illegal)?;
            board.step(1 << from, 1 << to);
        }
        let leads_there = |mv: &Move| match mv {
            Move::Whole(turn) => {
                let mut after = state.board;
                after.act(*turn);
                after == board
            }
            _ => false,
        };
        moves.iter().copied().find(leads_there).ok_or_else(illegal)
    }
}

/// From where to where a step like `Ra1n` goes, if that piece stands there and the cell is empty.
fn read_step(board: &Board, text: &str) -> Option<(u8, u8)> {
    let mut letters = text.chars();
    let (piece, column, row, way) = (letters.next()?, letters.next()?, letters.next()?, letters.next()?);
    if letters.next().is_some() || !('a'..='h').contains(&column) || !('1'..='8').contains(&row) {
        return None;
    }
    let from = 8 * (row as i32 - '1' as i32) + (column as i32 - 'a' as i32);
    let bit = 1u64 << from;
    let kind = LETTERS.iter().position(|l| *l == piece.to_ascii_uppercase())?;
    let owned = (board.gold & bit != 0) == piece.is_ascii_uppercase();
    let direction = DIRECTIONS.iter().position(|(name, _)| *name == way)?;
    let to = super::shift(bit, direction);
    (owned && board.kind(kind) & bit != 0 && to != 0 && to & board.all() == 0)
        .then(|| (from as u8, to.trailing_zeros() as u8))
}

/// How many pieces are still to be set up on this board.
fn to_place(board: &Board, mover: Player) -> Result<u8, TextError> {
    let [gold, silver] = [Player::FIRST, Player::SECOND].map(|player| board.of(player).count_ones() as u8);
    let full = if mover == Player::FIRST { 0 } else { 16 };
    let homes = board.gold & !0xffff == 0 && (board.all() & !board.gold) & !(0xffff << 48) == 0;
    let in_turn = if mover == Player::FIRST { silver == 0 && gold < 16 } else { gold == 16 && silver < 16 };
    let mut rest = (gold + silver).saturating_sub(full);
    let mine = board.of(mover);
    let in_order = HAS.into_iter().enumerate().all(|(kind, has)| {
        let here = has.min(rest.into());
        rest -= here as u8;
        (board.kind(kind) & mine).count_ones() == here
    });
    if homes && in_turn && in_order {
        return Ok(32 - gold - silver);
    }
    Err(TextError::new(
        "pieces are set up on the player's own two rows, Gold first, rabbits first and the elephant last",
    ))
}
