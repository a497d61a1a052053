//! Amazons: move like a queen, shoot like a queen; who cannot move loses.
//!
//! Cell `row · size + column`, row 0 at the bottom. A turn is a queen's move of one amazon and an arrow shot from where
//! it arrives, along a queen's line, onto an empty cell (the one it came from is empty by then). Cells with arrows are
//! closed for good, so every turn takes one cell away and the game ends.
//!
//! A turn is one move, or two (`ply=half`), or three (`ply=third`): a turn has so many choices, above two thousand at
//! the start, that searches which look at all moves of a state do better with parts of turns.

use perfectplay_core::{
    Cell, Colour, Drawing, Estimate, Facts, Features, Figures, Game, GameInfo, Heuristic, Layout, Look, Notation,
    OptionSet, OrderingHints, Params, Payoff, Persist, Plain, Player, Playouts, Setting, SolverHints, Status,
    Symmetric, TextError, Visitor, ZeroSum, options, plain_struct,
};

use crate::support::bits::Bits;
use crate::support::{board, fen, playout};

mod lines;
use lines::{Board, LINES, Lines, PLACES};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "amazons",
    summary: "queens that shoot arrows; who cannot move loses",
    players: "2",
    parameters: Parameters::docs,
    examples: &[
        "amazons:4",
        "amazons:4,ply=half",
        "amazons:4,ply=third",
        "amazons:6",
        "amazons:10",
        "amazons:10,ply=half",
    ],
    rules:
        "Each player has four amazons: White on a4, d1, g1 and j4, Black on a7, d10, g10 and j7 of the usual board; \
on other sizes they stand a third of the way from the corners. White moves first. In a turn the player moves one \
amazon like a chess queen over empty cells, and then shoots an arrow from there, again along a queen's line over empty \
cells. The arrow closes its cell for the rest of the game; the cell the amazon has left is open to it. Nothing is ever \
captured. Who cannot move loses.

Positions are written like chess positions with `Q` and `q` for amazons, `*` for arrows, and `w` or `b` for the player \
to move; between the parts of a turn there follows `d1-` if the amazon there must move, `d7` if it must shoot. A turn \
is written `d1-d7/g7`; with `ply=half` its halves are `d1-d7` and `g7`, with `ply=third` its parts are `d1`, `d1-d7` \
and `g7`.",
    sources: &["W. Zamkauskas, the game's inventor (1988)", "Computer Olympiad, rules of Amazons"],
};

options! {
    struct Parameters {
        size: u32 = Setting::whole("size", "cells along a side", 4..=11, 10).positional(),
        ply: Ply = Setting::choice(
            "ply",
            "how much of a turn one move is",
            &[
                ("full", "all of it", Ply::Full),
                ("half", "the amazon's move, or the arrow", Ply::Half),
                ("third", "the choice of the amazon, its move, or the arrow", Ply::Third),
            ],
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size, ply } = Parameters::read(INFO.name, params)?;
    Ok(match size {
        ..=8 => visitor.zero_sum(Amazons::<u64>::new(size, ply)),
        _ => visitor.zero_sum(Amazons::<u128>::new(size, ply)),
    })
}

/// How much of a turn one move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ply {
    /// All of it.
    Full,
    /// The amazon's move, or the arrow.
    Half,
    /// The choice of an amazon, its move, or the arrow.
    Third,
}

/// The rules on a board of this size.
#[derive(Clone, Debug)]
pub struct Amazons<B> {
    size: u32,
    ply: Ply,
    all: B,
    not_left: B,
    not_right: B,
    /// For every cell the cells in each of eight directions: four that go up in number, then the four opposite ones.
    rays: Vec<[B; 8]>,
    lines: Lines,
    /// For every line the cells on it before the first, the second … place.
    before: Box<[[B; PLACES]; LINES]>,
    /// The guess by how many more cells the first player is nearer to, from -[`MOST_CELLS`] on.
    worth: Vec<f32>,
}

/// Cells of the largest board.
const MOST_CELLS: usize = 127;

/// Who stands where and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position<B> {
    /// The amazons of each player.
    pub amazons: [B; 2],
    /// The closed cells.
    pub arrows: B,
    /// Who moves.
    pub mover: Player,
    /// What of the turn comes next.
    pub stage: Stage,
}

/// What of a turn comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// All of it.
    Begin,
    /// The amazon on this cell was chosen and must move.
    Walk(u8),
    /// The amazon on this cell has moved and must shoot.
    Shoot(u8),
}

plain_struct!(impl[B: Bits] Position<B> { amazons: [B; 2], arrows: B, mover: Player, stage: Stage });

/// One byte: a cell that walks, 128 more for one that shoots, or what is left.
impl Plain for Stage {
    const SIZE: usize = 1;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        out[0] = match *self {
            Stage::Begin => u8::MAX,
            Stage::Walk(cell) => cell,
            Stage::Shoot(cell) => SHOOT | cell,
        };
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        Some(match *bytes.first()? {
            u8::MAX => Stage::Begin,
            byte if byte & SHOOT != 0 => Stage::Shoot(byte & !SHOOT),
            cell => Stage::Walk(cell),
        })
    }
}

/// No cell has a number as great.
const SHOOT: u8 = 0x80;

impl<B: Bits> Position<B> {
    fn occupied(&self) -> B {
        self.amazons[0] | self.amazons[1] | self.arrows
    }

    fn mine(&self) -> B {
        self.amazons[self.mover.index()]
    }

    fn walk(&mut self, from: u8, to: u8) {
        let mine = &mut self.amazons[self.mover.index()];
        *mine = *mine ^ B::bit(from.into()) | B::bit(to.into());
    }

    fn shoot(&mut self, at: u8) {
        self.arrows = self.arrows | B::bit(at.into());
        self.mover = self.mover.opponent();
    }
}

/// A turn or part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A whole turn: from, to, arrow.
    Turn(u8, u8, u8),
    /// The choice of the amazon on this cell.
    Choice(u8),
    /// The amazon's move: from, to.
    Walk(u8, u8),
    /// The arrow.
    Arrow(u8),
}

/// From, to, arrow; `SHOOT` where there is none.
impl Plain for Move {
    const SIZE: usize = 3;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        let cells = match *self {
            Move::Turn(from, to, arrow) => [from, to, arrow],
            Move::Choice(from) => [from, SHOOT, SHOOT],
            Move::Walk(from, to) => [from, to, SHOOT],
            Move::Arrow(at) => [SHOOT, SHOOT, at],
        };
        cells.put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        Some(match <[u8; 3]>::take(bytes)? {
            [SHOOT, SHOOT, at] => Move::Arrow(at),
            [from, SHOOT, SHOOT] => Move::Choice(from),
            [from, to, SHOOT] => Move::Walk(from, to),
            [from, to, arrow] => Move::Turn(from, to, arrow),
        })
    }
}

impl<B: Bits> Amazons<B> {
    /// The rules on `size` × `size` cells.
    ///
    /// # Panics
    /// If the board has no room for the amazons or does not fit into `B`.
    pub fn new(size: u32, ply: Ply) -> Self {
        assert!(size >= 4 && size * size <= B::BITS.min(MOST_CELLS as u32), "{size}x{size} does not fit");
        let all = board::all_cells::<B>(size, size);
        let left = board::first_column::<B>(size, size);
        let steps = [(1, 0), (-1, 1), (0, 1), (1, 1), (-1, 0), (1, -1), (0, -1), (-1, -1)];
        let ray = |cell: u32, (dx, dy): (i32, i32)| {
            let n = size as i32;
            let cells = (1..n).map(|k| (cell as i32 % n + k * dx, cell as i32 / n + k * dy));
            let on_board = cells.take_while(|(x, y)| (0..n).contains(x) && (0..n).contains(y));
            on_board.fold(B::none(), |set, (x, y)| set | B::bit((y * n + x) as u32))
        };
        let lines = Lines::new(size);
        Amazons {
            before: lines.before(),
            worth: (0..=2 * MOST_CELLS).map(|lead| ((lead as f32 - MOST_CELLS as f32) / 8.0).tanh() * 0.9).collect(),
            lines,
            size,
            ply,
            all,
            not_left: all & !left,
            not_right: all & !(left << (size - 1)),
            rays: (0..size * size).map(|cell| steps.map(|step| ray(cell, step))).collect(),
        }
    }

    /// The cells a queen on `cell` reaches.
    #[inline]
    fn queen(&self, cell: u32, occupied: B) -> B {
        let mut reached = B::none();
        for (direction, ray) in self.rays[cell as usize].into_iter().enumerate() {
            let blockers = ray & occupied;
            reached = reached ^ ray;
            if !blockers.is_none() {
                let first = if direction < 4 { blockers.lowest() } else { blockers.highest() };
                reached = reached ^ self.rays[first as usize][direction] ^ B::bit(first);
            }
        }
        reached
    }

    /// The same where `board` is closed, line by line. The cell itself lies on four lines and falls out.
    #[inline]
    fn queen_on(&self, board: &Board, cell: u32) -> B {
        let spans = board.spans(cell as u8).into_iter();
        spans.fold(B::none(), |reached, (line, [low, high])| {
            let before = &self.before[line];
            reached ^ before[low % PLACES] ^ before[high % PLACES]
        })
    }

    /// Hands `f` every walk of a turn, from where to where, and the arrows that can follow.
    #[inline]
    fn each_walk(&self, state: &Position<B>, mut f: impl FnMut(u8, u8, B)) {
        let mut board = Board::new(self, state);
        for from in state.mine().cells() {
            let goals = self.queen_on(&board, from);
            board.toggle(from as u8);
            goals.cells().for_each(|to| f(from as u8, to as u8, self.queen_on(&board, to)));
            board.toggle(from as u8);
        }
    }

    /// Whether two sets have room for what a key says beside cells.
    #[inline]
    fn has_room(&self) -> bool {
        self.size * self.size + 7 <= B::BITS
    }

    /// What a key says of the turn in seven bits: the amazon that must shoot (by its cell, at most 120) or move (as one
    /// of four).
    #[inline]
    fn stage_number(&self, state: &Position<B>) -> u64 {
        match state.stage {
            Stage::Begin => 0,
            Stage::Shoot(cell) => u64::from(cell) + 1,
            Stage::Walk(cell) => 122 + u64::from((state.mine() & B::bit(cell.into()).minus_one()).count()),
        }
    }

    /// The key of a state after an arrow at `at`, if everything else is as `key` says.
    #[inline]
    fn key_with_arrow(&self, [first, second]: [B; 2], at: B) -> [B; 2] {
        [first | at, if self.has_room() { second | at } else { second }]
    }

    /// The cells next to those in `set`, on a board of this size.
    #[inline(always)]
    fn around(&self, size: u32, set: B) -> B {
        let wide = set | (set & self.not_left) >> 1 | (set & self.not_right) << 1;
        (wide | wide << size | wide >> size) & self.all & !set
    }

    /// All that queens on `from` reach over `empty` in one move, on a board of this size.
    #[inline(always)]
    fn reach(&self, size: u32, from: B, empty: B) -> B {
        let mut reached = B::none();
        let open = [empty & self.not_left, empty, empty & self.not_right];
        for (step, up, down) in [(1, 0, 2), (size, 1, 1), (size + 1, 0, 2), (size - 1, 2, 0)] {
            let (mut upward, mut downward) = (from << step & open[up], from >> step & open[down]);
            // `cells` cells of each ray are filled, and `free` holds where a run of as many open cells ends.
            let (mut free, mut cells) = ([open[up], open[down]], 1);
            while 2 * cells < size {
                upward = upward | upward << (step * cells) & free[0];
                downward = downward | downward >> (step * cells) & free[1];
                free[0] = free[0] & free[0] << (step * cells);
                free[1] = free[1] & free[1] >> (step * cells);
                cells *= 2;
            }
            for _ in cells..size - 1 {
                upward = upward | upward << step & open[up];
                downward = downward | downward >> step & open[down];
            }
            reached = reached | upward | downward;
        }
        reached
    }

    /// Each player's cells nearer to its own amazons, in queen's moves; a tie goes to who walks next.
    fn territory(&self, state: &Position<B>) -> [u32; 2] {
        // Shifts by a number that the compiler knows are three times as fast.
        match self.size {
            10 => self.territory_on(10, state),
            size => self.territory_on(size, state),
        }
    }

    /// [`Amazons::territory`] on a board of this size.
    #[inline(always)]
    fn territory_on(&self, size: u32, state: &Position<B>) -> [u32; 2] {
        let mut empty = self.all & !state.occupied();
        let next = if let Stage::Shoot(_) = state.stage { state.mover.opponent() } else { state.mover };
        let (me, they) = (next.index(), next.opponent().index());
        let mut front = state.amazons;
        let mut owned = [0; 2];
        loop {
            // Cells beside a front are reached from it: often that is all that is left, and no ray need be followed.
            let beside = front.map(|front| self.around(size, front) & empty);
            if beside[me] == empty {
                owned[me] += empty.count();
                return owned;
            }
            if (beside[me] | beside[they]).is_none() {
                return owned;
            }
            let mine = if beside[me].is_none() { B::none() } else { self.reach(size, front[me], empty) };
            let rest = empty & !mine;
            if (rest & !beside[they]).is_none() {
                owned[me] += mine.count();
                owned[they] += rest.count();
                return owned;
            }
            let theirs = if beside[they].is_none() { B::none() } else { self.reach(size, front[they], empty) & rest };
            owned[me] += mine.count();
            owned[they] += theirs.count();
            front[me] = front[me] | mine;
            front[they] = front[they] | theirs;
            empty = rest & !theirs;
        }
    }

    /// The mover's amazons that can move.
    #[inline]
    fn movable(&self, state: &Position<B>) -> B {
        state.mine() & self.around(self.size, self.all & !state.occupied())
    }

    /// Refuses an amazon that cannot be the one to move or to shoot.
    fn check_stage(&self, state: &Position<B>) -> Result<(), TextError> {
        let (cell, problem) = match state.stage {
            Stage::Begin => return Ok(()),
            Stage::Walk(cell) => (u32::from(cell), "cannot move"),
            Stage::Shoot(cell) => (u32::from(cell), "cannot have moved there"),
        };
        let name = board::cell_name(cell, self.size);
        if !state.mine().has(cell) {
            return Err(TextError::new(format!("no amazon of {} stands on {name}", state.mover)));
        }
        if !self.movable(state).has(cell) {
            return Err(TextError::new(format!("the amazon on {name} {problem}: no cell around it is empty")));
        }
        Ok(())
    }

    /// How far from the corners the amazons start.
    fn offset(&self) -> u32 {
        (self.size - 1) / 3
    }

    fn cell(&self, state: &Position<B>, cell: u32) -> Cell {
        match Player::all(2).find(|p| state.amazons[p.index()].has(cell)) {
            Some(player) => Cell::Piece(player, if player == Player::FIRST { 'Q' } else { 'q' }),
            None if state.arrows.has(cell) => Cell::Blocked,
            None => Cell::Empty,
        }
    }
}

impl<B: Bits> Game for Amazons<B> {
    type State = Position<B>;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = [B; 2];

    fn start(&self) -> Position<B> {
        let (n, off) = (self.size, self.offset());
        let white = [off * n, off, n - 1 - off, off * n + n - 1];
        let set = |cells: [u32; 4]| cells.into_iter().fold(B::none(), |set, cell| set | B::bit(cell));
        Position {
            amazons: [set(white), set(white.map(|cell| n * n - 1 - cell))],
            arrows: B::none(),
            mover: Player::FIRST,
            stage: Stage::Begin,
        }
    }

    fn expand(&self, state: &Position<B>, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let status = self.status(state);
        if let Status::Over(_) = status {
            return status;
        }
        let occupied = state.occupied();
        match state.stage {
            Stage::Walk(from) => {
                moves.extend(self.queen(from.into(), occupied).cells().map(|to| Move::Walk(from, to as u8)));
            }
            Stage::Shoot(from) => {
                moves.extend(self.queen(from.into(), occupied).cells().map(|at| Move::Arrow(at as u8)));
            }
            Stage::Begin if self.ply == Ply::Third => {
                moves.extend(self.movable(state).cells().map(|from| Move::Choice(from as u8)));
            }
            Stage::Begin if self.ply == Ply::Half => {
                for from in state.mine().cells() {
                    self.queen(from, occupied).cells().for_each(|to| moves.push(Move::Walk(from as u8, to as u8)));
                }
            }
            Stage::Begin => self.each_walk(state, |from, to, arrows| {
                arrows.cells().for_each(|at| moves.push(Move::Turn(from, to, at as u8)));
            }),
        }
        status
    }

    /// Who can step can also shoot: at the cell just left.
    #[inline]
    fn status(&self, state: &Position<B>) -> Status<ZeroSum> {
        if state.stage == Stage::Begin && self.movable(state).is_none() {
            Status::Over(ZeroSum::win_for(state.mover.opponent()))
        } else {
            Status::Turn(state.mover)
        }
    }

    #[inline]
    fn play(&self, state: &mut Position<B>, mv: Move) {
        match mv {
            Move::Turn(from, to, arrow) => {
                state.walk(from, to);
                state.shoot(arrow);
            }
            Move::Choice(from) => state.stage = Stage::Walk(from),
            Move::Walk(from, to) => {
                state.walk(from, to);
                state.stage = Stage::Shoot(to);
            }
            Move::Arrow(at) => {
                state.stage = Stage::Begin;
                state.shoot(at);
            }
        }
    }

    /// Two bits per cell, and beyond the cells who moves and what. Where no room is left beyond them (8x8), the arrows,
    /// and the cells of the amazons as eight numbers.
    #[inline]
    fn key(&self, state: &Position<B>) -> [B; 2] {
        let cells = self.size * self.size;
        let (stage, mover) = (self.stage_number(state), state.mover.index() as u64);
        if self.has_room() {
            let [white, black] = state.amazons.map(|set| set | state.arrows);
            return [white | B::from_word(stage) << cells, black | B::from_word(mover) << cells];
        }
        let amazons = state.amazons.into_iter().flat_map(B::cells);
        let numbers = amazons.fold(mover << 7 | stage, |word, cell| word << 6 | u64::from(cell));
        [state.arrows, B::from_word(numbers)]
    }

    /// Turns that differ in the arrow alone share the rest of the work.
    fn children(
        &self,
        state: &Position<B>,
        moves: &mut Vec<Move>,
        children: &mut Vec<(Position<B>, [B; 2])>,
    ) -> Status<ZeroSum> {
        if self.ply == Ply::Full {
            self.each_walk(state, |from, to, arrows| {
                let mut walked = *state;
                walked.walk(from, to);
                walked.mover = state.mover.opponent();
                let key = self.key(&walked);
                arrows.cells().for_each(|at| {
                    let arrow = B::bit(at);
                    moves.push(Move::Turn(from, to, at as u8));
                    let child = Position { arrows: walked.arrows | arrow, ..walked };
                    children.push((child, self.key_with_arrow(key, arrow)));
                });
            });
            return self.status(state);
        }
        let first = moves.len();
        let status = self.expand(state, moves);
        children.extend(moves[first..].iter().map(|&mv| self.after(state, mv)).map(|child| (child, self.key(&child))));
        status
    }

    fn facts(&self) -> Facts {
        let cells = self.size * self.size;
        let parts = match self.ply {
            Ply::Full => 1,
            Ply::Half => 2,
            Ply::Third => 3,
        };
        Facts {
            outcomes: Some(vec![-1, 1]),
            alternating: self.ply == Ply::Full,
            length: Some((cells - 8) * parts),
            states: None,
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<B: Bits> Notation for Amazons<B> {
    /// `3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w`, `… w d1-` if the amazon on d1 must move and `… w d7` if that on d7
    /// must shoot.
    fn position_text(&self, state: &Position<B>) -> String {
        let rows = (0..self.size).rev().map(|r| {
            fen::write_row((0..self.size).map(|c| match self.cell(state, r * self.size + c) {
                Cell::Piece(_, letter) => Some(letter),
                Cell::Blocked => Some('*'),
                _ => None,
            }))
        });
        let mover = if state.mover == Player::FIRST { 'w' } else { 'b' };
        let name = |cell: u8| board::cell_name(cell.into(), self.size);
        let stage = match state.stage {
            Stage::Begin => String::new(),
            Stage::Walk(from) => format!(" {}-", name(from)),
            Stage::Shoot(from) => format!(" {}", name(from)),
        };
        format!("{} {mover}{stage}", rows.collect::<Vec<_>>().join("/"))
    }

    /// Also takes the four fields that chess programs write after the mover (`- - 0 1`).
    fn parse_position(&self, text: &str) -> Result<Position<B>, TextError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let cell = |text: &str| board::parse_cell(text, self.size, self.size).map(|cell| cell as u8);
        let (mover, stage) = match fields[..] {
            [_, mover @ ("w" | "b")] | [_, mover @ ("w" | "b"), "-", "-", _, _] => (mover, Stage::Begin),
            [_, mover @ ("w" | "b"), amazon] if self.ply != Ply::Full => match amazon.strip_suffix('-') {
                Some(from) if self.ply == Ply::Third => (mover, Stage::Walk(cell(from)?)),
                _ => (mover, Stage::Shoot(cell(amazon)?)),
            },
            _ => {
                let amazon = match self.ply {
                    Ply::Full => "",
                    Ply::Half => ", and the cell of an amazon that must shoot",
                    Ply::Third => ", and the cell of an amazon that must shoot or, with - after it, move",
                };
                return Err(TextError::new(format!(
                    "expected the rows and w or b for the player to move{amazon}, got \"{text}\""
                )));
            }
        };
        let rows = fen::parse_rows(fields[0], self.size as usize, self.size as usize, "Qq*")?;
        let mover = Player::new(usize::from(mover == "b"));
        let mut state = Position { amazons: [B::none(); 2], arrows: B::none(), mover, stage };
        for (row, cells) in rows.iter().rev().enumerate() {
            for (column, sign) in cells.iter().enumerate() {
                let bit = B::bit(row as u32 * self.size + column as u32);
                match sign {
                    Some('Q') => state.amazons[0] = state.amazons[0] | bit,
                    Some('q') => state.amazons[1] = state.amazons[1] | bit,
                    Some(_) => state.arrows = state.arrows | bit,
                    None => {}
                }
            }
        }
        for player in Player::all(2) {
            let count = state.amazons[player.index()].count();
            if count != 4 {
                return Err(TextError::new(format!("{player} has {count} amazons, expected 4")));
            }
        }
        self.check_stage(&state)?;
        Ok(state)
    }

    fn move_text(&self, _: &Position<B>, mv: Move) -> String {
        let name = |cell: u8| board::cell_name(cell.into(), self.size);
        match mv {
            Move::Turn(from, to, arrow) => format!("{}-{}/{}", name(from), name(to), name(arrow)),
            Move::Walk(from, to) => format!("{}-{}", name(from), name(to)),
            Move::Choice(cell) | Move::Arrow(cell) => name(cell),
        }
    }

    fn drawing(&self, state: &Position<B>) -> Drawing {
        let rows = (0..self.size).rev();
        let rows = rows.map(|r| (0..self.size).map(|c| self.cell(state, r * self.size + c)).collect()).collect();
        let drawing = Drawing::lettered(rows).with_look(Look::Checkered).with_figures(Figures::Chess);
        let drawing = drawing.in_colours([Colour::White, Colour::Black]);
        let name = |cell: u8| board::cell_name(cell.into(), self.size);
        match state.stage {
            Stage::Begin => drawing,
            Stage::Walk(from) => drawing.with_note(format!("{} must move", name(from))),
            Stage::Shoot(from) => drawing.with_note(format!("{} must shoot", name(from))),
        }
    }
}

impl<B: Bits> Symmetric for Amazons<B> {
    /// Left and right.
    fn symmetries(&self) -> usize {
        2
    }

    fn transform(&self, state: &Position<B>, index: usize) -> Position<B> {
        if index == 0 {
            return *state;
        }
        let image = |set: B| board::mirror(set, self.size, self.size);
        let cell = |cell: u8| board::square_image(cell.into(), self.size, self.size, 1) as u8;
        Position {
            amazons: state.amazons.map(image),
            arrows: image(state.arrows),
            mover: state.mover,
            stage: match state.stage {
                Stage::Begin => Stage::Begin,
                Stage::Walk(from) => Stage::Walk(cell(from)),
                Stage::Shoot(from) => Stage::Shoot(cell(from)),
            },
        }
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        let image = |cell: u8| board::square_image(cell.into(), self.size, self.size, index) as u8;
        match mv {
            Move::Turn(from, to, arrow) => Move::Turn(image(from), image(to), image(arrow)),
            Move::Choice(from) => Move::Choice(image(from)),
            Move::Walk(from, to) => Move::Walk(image(from), image(to)),
            Move::Arrow(at) => Move::Arrow(image(at)),
        }
    }
}

impl<B: Bits> Playouts for Amazons<B> {
    fn random_move(
        &self,
        state: &Position<B>,
        _: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Move, ZeroSum> {
        Board::new(self, state).draw(below)
    }

    /// On a board kept line by line.
    fn playout(
        &self,
        state: Position<B>,
        most: u32,
        _: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        let mut board = Board::new(self, &state);
        let plies = if self.ply == Ply::Third { board.play_whole_turns(most, below) } else { 0 };
        let (end, more) = playout::run(board, most - plies, |board| board.draw(below), Board::play);
        (end, plies + more)
    }
}

impl<B: Bits> Heuristic for Amazons<B> {
    /// Who is nearer to more of the board.
    fn heuristic(&self, state: &Position<B>) -> f32 {
        let [white, black] = self.territory(state).map(|cells| cells as usize);
        let first = self.worth[MOST_CELLS + white - black];
        Estimate::from_fn(|p| if p == Player::FIRST { first } else { -first })
    }
}

impl<B: Bits> Features for Amazons<B> {
    fn layout(&self) -> Option<Layout> {
        let values = if self.ply == Ply::Full { 4 } else { 6 };
        Some(board::layout(self.size, self.size, values, &[]))
    }

    /// 3 for an arrow, 4 for the amazon that must move and 5 for the one that must shoot.
    fn cell_values(&self, state: &Position<B>, out: &mut Vec<u8>) {
        let (mine, theirs) = (state.mine(), state.amazons[state.mover.opponent().index()]);
        let first = out.len();
        board::push_owners(0..self.size * self.size, mine | state.arrows, theirs | state.arrows, out);
        match state.stage {
            Stage::Begin => {}
            Stage::Walk(cell) => out[first + usize::from(cell)] = 4,
            Stage::Shoot(cell) => out[first + usize::from(cell)] = 5,
        }
    }

    fn viewer(&self, state: &Position<B>) -> Player {
        state.mover
    }
}
impl<B: Bits> SolverHints for Amazons<B> {}
impl<B: Bits> OrderingHints for Amazons<B> {}
impl<B: Bits> Persist for Amazons<B> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::{draws_evenly, ends_as_move_by_move};

    /// Waves of queen's moves, one after the other, with no short cut.
    fn territory_by_waves(game: &Amazons<u128>, state: &Position<u128>) -> [u32; 2] {
        let next = if let Stage::Shoot(_) = state.stage { state.mover.opponent() } else { state.mover };
        let (mut owned, mut front, mut empty) = ([0; 2], state.amazons, game.all & !state.occupied());
        loop {
            let mut wave = [0; 2];
            for player in [next, next.opponent()] {
                wave[player.index()] = game.reach(game.size, front[player.index()], empty) & !wave[next.index()];
            }
            if wave == [0; 2] {
                return owned;
            }
            for player in 0..2 {
                owned[player] += wave[player].count();
                front[player] |= wave[player];
                empty &= !wave[player];
            }
        }
    }

    #[test]
    fn territory_is_what_waves_reach() {
        for (size, ply) in [(4, Ply::Full), (6, Ply::Full), (10, Ply::Full), (10, Ply::Half), (11, Ply::Full)] {
            let game = Amazons::<u128>::new(size, ply);
            let mut seed = 1u64;
            for _ in 0..20 {
                let (mut state, mut moves) = (game.start(), Vec::new());
                loop {
                    assert_eq!(
                        game.territory(&state),
                        territory_by_waves(&game, &state),
                        "{}",
                        game.position_text(&state)
                    );
                    moves.clear();
                    if let Status::Over(_) = game.expand(&state, &mut moves) {
                        break;
                    }
                    seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                    game.play(&mut state, moves[(seed >> 33) as usize % moves.len()]);
                }
            }
        }
    }

    #[test]
    fn queens_reach_what_their_rays_say() {
        for size in [4, 5, 8, 10, 11] {
            let game = Amazons::<u128>::new(size, Ply::Full);
            let mut seed = 1u128;
            for _ in 0..200 {
                seed = seed.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(11);
                let (from, blocked) = (seed & seed << 7 & seed >> 5 & game.all, seed.rotate_left(64) & seed << 1);
                let empty = game.all & !blocked & !from;
                let mut slow = 0;
                for cell in (0..size * size).filter(|&cell| from & 1 << cell != 0) {
                    for (dx, dy) in [(1, 0), (-1, 1), (0, 1), (1, 1), (-1, 0), (1, -1), (0, -1), (-1, -1)] {
                        let (mut x, mut y) = ((cell % size) as i32 + dx, (cell / size) as i32 + dy);
                        let n = size as i32;
                        while (0..n).contains(&x) && (0..n).contains(&y) && empty & 1 << (y * n + x) != 0 {
                            slow |= 1 << (y * n + x);
                            (x, y) = (x + dx, y + dy);
                        }
                    }
                }
                assert_eq!(game.reach(size, from, empty), slow, "size {size}");
            }
        }
    }

    #[test]
    fn playouts_of_thirds_end_as_games_do() {
        let game = Amazons::<u64>::new(4, Ply::Third);
        for stage in ["", " b1-", " b1"] {
            let state = game.parse_position(&format!("1qq1/q2q/Q2Q/1QQ1 w{stage}")).unwrap();
            ends_as_move_by_move(&game, &state, 1000);
            ends_as_move_by_move(&game, &state, 7);
        }
        ends_as_move_by_move(&game, &game.parse_position("*qq*/q**q/Q2Q/*QQ* w").unwrap(), 1000);
    }

    #[test]
    fn random_turns_are_uniform() {
        for ply in [Ply::Full, Ply::Half, Ply::Third] {
            let game = Amazons::<u64>::new(4, ply);
            draws_evenly(&game, &game.start());
            draws_evenly(&game, &game.parse_position("*qq*/q**q/Q2Q/*QQ* w").unwrap());
        }
        let game = Amazons::<u64>::new(4, Ply::Third);
        for stage in ["b1-", "b1"] {
            draws_evenly(&game, &game.parse_position(&format!("1qq1/q2q/Q2Q/1QQ1 w {stage}")).unwrap());
        }
        for ply in [Ply::Half, Ply::Third] {
            let game = Amazons::<u128>::new(11, ply);
            draws_evenly(&game, &game.start());
        }
    }
}
