//! Arimaa positions and moves as text.

use perfectplay_core::{Game, Player, TextError};

use super::{Action, Arimaa, Board, HAS, LETTERS, Move, State, Turn};
use crate::support::board;
use crate::support::past::Past;

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
            Some(kind) => board.put(1 << (8 * (7 - at / 8) + at % 8), kind, player),
            None if letter == '.' => {}
            None => return Err(TextError::at(at, format!("expected one of E M H D C R e m h d c r ., got \"{letter}\""))),
        }
        cells += 1;
    }
    if cells != 64 {
        return Err(TextError::new(format!("expected 64 cells, got {cells}")));
    }
    for player in Player::all(2) {
        for (kind, most) in HAS.into_iter().enumerate() {
            let count = (board.kinds[kind] & board.of(player)).count_ones();
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

fn write_board(board: &Board) -> String {
    let letter = |cell: usize| {
        let bit = 1u64 << cell;
        match board.kind_at(bit) {
            Some(kind) if board.gold & bit != 0 => LETTERS[kind],
            Some(kind) => LETTERS[kind].to_ascii_lowercase(),
            None => '.',
        }
    };
    (0..64).map(|at| letter(8 * (7 - at / 8) + at % 8)).collect()
}

/// `Ra1n`.
fn write_step(board: &Board, from: u8, to: u8) -> String {
    let bit = 1u64 << from;
    let letter = LETTERS[board.kind_at(bit).expect("a piece that moves")];
    let letter = if board.gold & bit != 0 { letter } else { letter.to_ascii_lowercase() };
    let way = i32::from(to) - i32::from(from);
    let direction = DIRECTIONS.iter().find(|(_, step)| *step == way).map_or('?', |(name, _)| *name);
    format!("{letter}{}{direction}", board::cell_name(from.into(), 8))
}

/// The steps of an action, in their order.
fn write_action(board: &Board, action: Action) -> String {
    let own = write_step(board, action.from, action.to);
    match action.enemy {
        None => own,
        Some((from, to)) if from == action.to => format!("{},{own}", write_step(board, from, to)),
        Some((from, to)) => format!("{own},{}", write_step(board, from, to)),
    }
}

fn write_turn(board: &Board, turn: &Turn) -> String {
    let mut board = *board;
    let texts: Vec<String> = turn
        .actions()
        .map(|action| {
            let text = write_action(&board, action);
            board.act(action);
            text
        })
        .collect();
    texts.join(",")
}

pub(super) fn write_move(state: &State, mv: Move) -> String {
    match mv {
        Move::Place(cell) => {
            let letter = LETTERS[state.next_kind()];
            let letter = if state.mover == Player::FIRST { letter } else { letter.to_ascii_lowercase() };
            format!("{letter}{}", board::cell_name(cell.into(), 8))
        }
        Move::Act(action) => write_action(&state.board, action),
        Move::Pass => "pass".into(),
        Move::Whole(turn) => write_turn(&state.board, &turn),
    }
}

impl Arimaa {
    /// The oldest board that must be remembered, who moved there, and the moves since then.
    pub(super) fn write(&self, state: &State) -> String {
        if state.to_place > 0 {
            let mover = if state.mover == Player::FIRST { "g" } else { "s" };
            return format!("{} {mover} setup{}", write_board(&state.board), self.write_count(state.moves));
        }
        let past = state.past.oldest_first();
        let (oldest, mover) = past.first().map_or((state.start, state.mover), |((packed, mover), _)| {
            (Board::unpacked(packed), Player::new((*mover).into()))
        });
        let mut moves = String::new();
        let mut count = 0;
        let mut tell = |board: &Board, turn: &Turn, ended: bool| {
            if self.rules.turns {
                moves.push_str(&format!(" {}", write_turn(board, turn)));
                count += 1;
                return;
            }
            let mut board = *board;
            for action in turn.actions() {
                moves.push_str(&format!(" {}", write_action(&board, action)));
                board.act(action);
                count += 1;
            }
            if ended && turn.steps() < 4 {
                moves.push_str(" pass");
                count += 1;
            }
        };
        for ((packed, _), turn) in &past {
            tell(&Board::unpacked(packed), turn, true);
        }
        if state.turn.steps() > 0 {
            tell(&state.start, &state.turn, false);
        }
        let mover = if mover == Player::FIRST { "g" } else { "s" };
        let before = self.write_count(state.moves.saturating_sub(count));
        let moves = if moves.is_empty() { moves } else { format!(" moves{moves}") };
        format!("{} {mover}{before}{moves}", write_board(&oldest))
    }

    fn write_count(&self, moves: u16) -> String {
        if moves > 0 { format!(" n={moves}") } else { String::new() }
    }

    pub(super) fn read(&self, text: &str) -> Result<State, TextError> {
        let (position, moves) = text.split_once(" moves").unwrap_or((text, ""));
        let mut state = self.read_position(position)?;
        for text in moves.split_whitespace() {
            let mv = self.read_move(&state, text)?;
            self.play(&mut state, mv);
        }
        Ok(state)
    }

    fn read_position(&self, text: &str) -> Result<State, TextError> {
        let expected = || TextError::new(format!("expected 64 cells and g or s for the player to move, got \"{text}\""));
        let mut fields = text.split_whitespace();
        let board = read_board(fields.next().ok_or_else(expected)?)?;
        let mover = match fields.next() {
            Some("g" | "w") => Player::FIRST,
            Some("s" | "b") => Player::SECOND,
            _ => return Err(expected()),
        };
        let mut state = State { board, mover, to_place: 0, start: board, turn: Turn::default(), moves: 0, past: Past::NONE };
        for field in fields {
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
                turn.actions().for_each(|action| after.act(action));
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
    (owned && board.kinds[kind] & bit != 0 && to != 0 && to & board.all() == 0)
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
        (board.kinds[kind] & mine).count_ones() == here
    });
    if homes && in_turn && in_order {
        return Ok(32 - gold - silver);
    }
    Err(TextError::new("pieces are set up on the player's own two rows, Gold first, rabbits first and the elephant last"))
}
