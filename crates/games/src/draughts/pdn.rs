//! Draughts positions and moves in the notation of PDN, the portable draughts notation.

use perfectplay_core::{Game, TextError};

use super::{BLACK, Draughts, Move, Position, State, WHITE, Ways, ranked, ranks};
use crate::support::bits::Bits;
use crate::support::history::History;

impl<B: Bits> Draughts<B> {
    /// PDN's form of a position, `W:W31-50:B1-20`; `:H7` counts moves without progress, `:E7` those of three pieces
    /// against a king. If positions must be remembered, the oldest of them and the moves since then:
    /// `W:WK1:BK50 moves 1-6 50-45`.
    pub(super) fn write(&self, state: &State<B>) -> String {
        let past = self.histories.oldest_first(state.history);
        let since = past.len() as u8;
        let oldest = past.first().unwrap_or(&state.position);
        let mut text = self.write_position(oldest, state.quiet - since, state.hunt.saturating_sub(since));
        if since > 0 {
            text.push_str(" moves");
        }
        for (before, after) in past.iter().zip(past.iter().skip(1).chain([&state.position])) {
            // Only quiet moves are remembered: one piece has left a square and come to another.
            let own = usize::from(before.mover);
            let (from, to) = (before.pieces[own] & !after.pieces[own], after.pieces[own] & !before.pieces[own]);
            text.push_str(&format!(" {}-{}", self.number(from.lowest()), self.number(to.lowest())));
        }
        text
    }

    pub(super) fn read(&self, text: &str) -> Result<State<B>, TextError> {
        let (position, moves) = text.split_once(" moves").unwrap_or((text, ""));
        let mut state = self.read_position(position.trim())?;
        for text in moves.split_whitespace() {
            let mv = self.read_move(&state, text)?;
            self.play(&mut state, mv);
        }
        Ok(state)
    }

    /// `32-28`, `32x23`; if that could mean several captures, all squares where the piece lands: `32x19x23`.
    pub(super) fn write_move(&self, state: &State<B>, mv: Move) -> String {
        let number = |bit: u8| self.number(bit.into()).to_string();
        if mv.captured == 0 {
            return format!("{}-{}", number(mv.from), number(mv.to));
        }
        let mut moves = Vec::new();
        self.expand(state, &mut moves);
        if moves.iter().filter(|m| (m.from, m.to) == (mv.from, mv.to)).count() == 1 {
            return format!("{}x{}", number(mv.from), number(mv.to));
        }
        let path: Vec<String> = self.path(&state.position, mv).into_iter().map(number).collect();
        path.join("x")
    }

    /// Squares between the first and the last choose among several captures; they need not be complete.
    pub(super) fn read_move(&self, state: &State<B>, text: &str) -> Result<Move, TextError> {
        let mut moves = Vec::new();
        self.expand(state, &mut moves);
        let illegal = || {
            let texts: Vec<String> = moves.iter().map(|&m| self.write_move(state, m)).collect();
            TextError::illegal_move(text, &texts)
        };
        let parts = text.split(['-', 'x', ':']).map(|part| part.parse().ok().and_then(|number| self.bit(number)));
        let squares: Vec<u8> = parts.map(|s| s.map(|s| s as u8)).collect::<Option<_>>().ok_or_else(illegal)?;
        let [from, between @ .., to] = &squares[..] else { return Err(illegal()) };
        moves.retain(|m| (m.from, m.to) == (*from, *to) && (m.captured == 0) != text.contains('x'));
        if let Some(mv) = moves.iter().find(|m| !between.is_empty() && self.path(&state.position, **m) == squares) {
            return Ok(*mv);
        }
        match (moves.len(), between) {
            (0, _) => Err(TextError::new(format!("\"{text}\" is not a legal move here"))),
            (1, []) => Ok(moves[0]),
            _ => {
                let mut fitting: Vec<Move> = Vec::new();
                let mut exact = None;
                self.captures(&state.position, (*from).into(), Ways::Every, &mut |to, captured, path| {
                    let mv = Move { from: *from, to, captured: ranks(captured, state.position.theirs()) };
                    let mut way = path.iter();
                    if !moves.contains(&mv) || !squares.iter().all(|square| way.any(|s| s == square)) {
                        return;
                    }
                    if path == squares {
                        exact = Some(mv);
                    }
                    if !fitting.contains(&mv) {
                        fitting.push(mv);
                    }
                });
                match (exact, &fitting[..]) {
                    (Some(mv), _) | (None, &[mv]) => Ok(mv),
                    (None, []) => Err(TextError::new(format!("\"{text}\" is not a legal move here"))),
                    (None, _) => {
                        Err(TextError::new(format!("\"{text}\" can mean several captures: name the squares between")))
                    }
                }
            }
        }
    }

    /// The way of a capture, as the squares it touches.
    fn path(&self, position: &Position<B>, mv: Move) -> Vec<u8> {
        let taken = ranked(mv.captured, position.theirs());
        let mut path = Vec::new();
        self.captures(position, mv.from.into(), Ways::One, &mut |to, captured, way| {
            if path.is_empty() && to == mv.to && captured == taken {
                path = way.to_vec();
            }
        });
        path
    }

    fn write_side(&self, position: &Position<B>, colour: usize) -> String {
        let mut text = String::from(if colour == WHITE { "W" } else { "B" });
        let numbers = |set: B| set.cells().map(|bit| self.number(bit)).collect::<Vec<_>>();
        let men = numbers(position.pieces[colour] & !position.kings);
        let kings = numbers(position.pieces[colour] & position.kings);
        let mut parts: Vec<String> = kings.iter().map(|n| format!("K{n}")).collect();
        for run in men.chunk_by(|a, b| a + 1 == *b) {
            match run {
                [first, _, .., last] => parts.push(format!("{first}-{last}")),
                few => parts.extend(few.iter().map(u32::to_string)),
            }
        }
        text.push_str(&parts.join(","));
        text
    }

    fn write_position(&self, position: &Position<B>, quiet: u8, hunt: u8) -> String {
        let mover = if usize::from(position.mover) == WHITE { "W" } else { "B" };
        let mut text = format!("{mover}:{}:{}", self.write_side(position, WHITE), self.write_side(position, BLACK));
        if quiet > 0 {
            text.push_str(&format!(":H{quiet}"));
        }
        if hunt > 0 {
            text.push_str(&format!(":E{hunt}"));
        }
        text
    }

    /// One side of the board: `W31-50` or `BK3,7`.
    fn read_side(&self, text: &str, position: &mut Position<B>) -> Result<(), TextError> {
        let colour = if text.starts_with('W') { WHITE } else { BLACK };
        let most = self.rules.size * self.half;
        for part in text[1..].split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let expected =
                || TextError::new(format!("expected squares from 1 to {most} like 7, K7 or 1-20, got \"{part}\""));
            let (king, numbers) = match part.strip_prefix('K') {
                Some(numbers) => (true, numbers),
                None => (false, part),
            };
            let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
            let read = |text: &str| text.strip_prefix('K').unwrap_or(text).parse::<u32>().map_err(|_| expected());
            let (first, last) = (read(first)?, read(last)?);
            if first > last || first < 1 || last > most {
                return Err(expected());
            }
            for number in first..=last {
                let square = B::bit(self.bit(number).ok_or_else(expected)?);
                if !((position.pieces[0] | position.pieces[1]) & square).is_none() {
                    return Err(TextError::new(format!("two pieces stand on square {number}")));
                }
                if !king && !(square & self.last_row[colour]).is_none() {
                    return Err(TextError::new(format!("a man on square {number} would be a king")));
                }
                position.pieces[colour] = position.pieces[colour] | square;
                if king {
                    position.kings = position.kings | square;
                }
            }
        }
        Ok(())
    }

    fn read_position(&self, text: &str) -> Result<State<B>, TextError> {
        let expected = || TextError::new(format!("expected a position like W:W31-50:B1-20, got \"{text}\""));
        let mut fields = text.strip_suffix('.').unwrap_or(text).split(':').map(str::trim);
        let mover = match fields.next() {
            Some("W") => WHITE,
            Some("B") => BLACK,
            _ => return Err(expected()),
        };
        let mut position = Position { pieces: [B::none(); 2], kings: B::none(), mover: mover as u8 };
        let (mut quiet, mut hunt) = (0, 0);
        let mut sides = String::new();
        for field in fields {
            let clock = |limit: u8| {
                let count = field[1..].parse::<u8>().ok().filter(|&n| n <= 2 * limit);
                count.ok_or_else(|| TextError::new(format!("expected a number up to {}, got \"{field}\"", 2 * limit)))
            };
            match field.chars().next() {
                Some(side @ ('W' | 'B')) if !sides.contains(side) => {
                    sides.push(side);
                    self.read_side(field, &mut position)?;
                }
                Some('H') => quiet = clock(self.rules.quiet_limit)?,
                Some('E') if self.rules.three_against_one.is_some() => {
                    hunt = clock(self.rules.three_against_one.unwrap_or(0))?;
                }
                Some('F') if field[1..].parse::<u32>().is_ok() => {} // the number of the move, in other programs
                _ => return Err(expected()),
            }
        }
        if sides.len() != 2 {
            return Err(expected());
        }
        let most = self.rules.rows_of_men * self.half;
        for (pieces, name) in position.pieces.iter().zip(["White", "Black"]) {
            if pieces.count() > most {
                return Err(TextError::new(format!(
                    "{name} has {} pieces, at most {most} are possible",
                    pieces.count()
                )));
            }
        }
        if position.theirs().is_none() {
            return Err(TextError::new("the player who is not to move has no piece"));
        }
        if hunt > 0 && !self.hunted(&position) {
            return Err(TextError::new("E counts moves of three pieces against one king, and these are others"));
        }
        if self.rules.endless {
            (quiet, hunt) = (0, 0);
        }
        Ok(State { position, quiet, hunt, history: History::NONE })
    }
}
