//! Arimaa: bring a rabbit to the far row; up to four steps a turn; stronger pieces push, pull and freeze weaker ones.
//!
//! Cell `row · 8 + column`, Gold at the bottom. A turn is made of steps, pushes and pulls (two steps each); after every
//! step pieces on the four traps without a friend beside them are gone. Goal, elimination and immobilisation are looked
//! at when a turn ends, the player who has moved first. A turn must change the board, and may not make a position with
//! the same player to move for the third time: states remember positions since the last loss of a piece
//! ([`crate::support::history`]), and from the first step of a turn on the one in which it began.
//!
//! A move of ours is one step, push or pull, or the end of the turn (`ply=step`); or a whole turn (`ply=turn`), one for
//! every board that turns can lead to. In the middle of a turn a player may find that neither going on nor stopping is
//! legal: that loses, like having no move at the beginning. Setting up is one piece a move, weakest first, in both
//! cases.

mod text;

use perfectplay_core::{
    Cell, Colour, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Lattice, Layout, Notation, OptionSet,
    OrderingHints, Params, Payoff, Persist, Plain, Player, Playouts, Setting, SolverHints, Status, Symmetric,
    TextError, Visitor, ZeroSum, options, plain_struct,
};
use rustc_hash::FxHashSet;

use crate::support::board::turn_note;
use crate::support::gather::Gather;
use crate::support::history::{Histories, History, PositionHistory};
use crate::support::playout;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "arimaa",
    summary: "bring a rabbit to the far row, with pieces that push, pull and freeze",
    players: "2",
    parameters: Parameters::docs,
    examples: &["arimaa:limit=900", "arimaa:setup=fixed,limit=400"],
    rules: "Gold first sets up sixteen pieces on the two rows at the bottom, then Silver on the two at the top: an \
elephant, a camel, two horses, two dogs, two cats and eight rabbits, from strong to weak. Gold begins. In a turn a \
player makes one to four steps with one or several pieces: a piece moves to the empty cell before, behind or beside \
it; rabbits do not step backwards. A piece can *push* a weaker enemy piece next to it to an empty cell and take its \
place, or step away and *pull* such a piece after it; either counts as two steps. A piece next to a stronger enemy and \
not next to a friend is *frozen* and cannot move by itself. A piece on one of the traps c3, f3, c6, f6 without a \
friend next to it is lost at once.

When a turn ends, the player who has moved wins with a rabbit on the far row; otherwise the other one does with one of \
his. The same for taking all enemy rabbits. Who has no legal move loses. A turn must change the board and must not \
make a position with the same player to move for the third time.

Positions are written as 64 letters from a8 to h1 (`E M H D C R` for Gold, small letters for Silver, `.` for empty \
cells), then `g` or `s` for the player to move; `setup` follows while pieces are set up, `steps=2` in the middle of a \
turn, and `after …` with the positions that must be remembered, oldest first. Moves after a position are read as well: \
`… moves Ra1n`. Steps are written `Ra1n`, pushes and pulls as their two steps, `rd5n,Ed4n`; a whole turn as all its \
steps; the end of a turn `pass`; setting up `Ra1`.",
    sources: &[
        "O. Syed, A. Syed, Arimaa: A New Game Designed to be Difficult for Computers (2003); Arimaa match rules",
        "Janzert, AEI and pyrimaa: counts of turns",
    ],
};

options! {
    struct Parameters {
        turns: bool = Setting::choice(
            "ply",
            "what a move is",
            &[("step", "a step, push or pull, or the end of the turn", false), ("turn", "a whole turn", true)],
        ),
        fixed_setup: bool = Setting::choice(
            "setup",
            "how the pieces come onto the board",
            &[("free", "the players set them up one by one", false), ("fixed", "they stand as in 99of9's setup", true)],
        ),
        limit: u16 = Setting::whole(
            "limit",
            "the game is a draw after so many moves (0: never; the Computer Olympiad takes 900)",
            0..=60_000,
            0,
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { turns, fixed_setup, limit } = Parameters::read(INFO.name, params)?;
    let rules = Rules { turns, fixed_setup, limit };
    Ok(visitor.zero_sum(Arimaa::new(rules)))
}

/// What can be chosen about the rules.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Whether a move is a whole turn.
    pub turns: bool,
    /// Whether the pieces stand already.
    pub fixed_setup: bool,
    /// A draw after so many moves; 0 for never.
    pub limit: u16,
}

/// Arimaa as [`Rules`] say, with the positions that were met after whole turns.
#[derive(Clone, Debug)]
pub struct Arimaa {
    rules: Rules,
    histories: Histories<Turning>,
}

const RABBIT: usize = 0;
/// From weak to strong.
const LETTERS: [char; 6] = ['R', 'C', 'D', 'H', 'M', 'E'];
const HAS: [u32; 6] = [8, 2, 2, 2, 1, 1];
const TRAPS: u64 = 1 << 18 | 1 << 21 | 1 << 42 | 1 << 45;
const NOT_A: u64 = !0x0101_0101_0101_0101;
const NOT_H: u64 = !0x8080_8080_8080_8080;
const FIXED: &str = "rrrrrrrrdhcemchd................................DHCMECHDRRRRRRRR";

/// North, east, south, west.
const DIRECTIONS: [usize; 4] = [0, 1, 2, 3];

#[inline]
fn shift(set: u64, direction: usize) -> u64 {
    match direction {
        0 => set << 8,
        1 => (set & NOT_H) << 1,
        2 => set >> 8,
        _ => (set & NOT_A) >> 1,
    }
}

#[inline]
fn around(set: u64) -> u64 {
    DIRECTIONS.into_iter().fold(0, |all, direction| all | shift(set, direction))
}

/// The cells of a set, one bit each.
fn bits(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let bit = set & set.wrapping_neg();
            set ^= bit;
            bit
        })
    })
}

/// Which pieces stand where: three bits per cell for the kind, 0 for none, and one for Gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Board {
    planes: [u64; 3],
    gold: u64,
}

plain_struct!(impl[] Board { planes: [u64; 3], gold: u64 });

/// A board at the beginning of a turn, and whose turn it is.
type Turning = (Board, Player);

impl Board {
    const EMPTY: Board = Board { planes: [0; 3], gold: 0 };

    #[inline]
    fn all(&self) -> u64 {
        self.planes[0] | self.planes[1] | self.planes[2]
    }

    /// The pieces of a player.
    #[inline]
    fn of(&self, player: Player) -> u64 {
        if player == Player::FIRST { self.gold } else { self.all() & !self.gold }
    }

    /// The pieces of one kind, of both players.
    #[inline]
    fn kind(&self, kind: usize) -> u64 {
        let plane = |bit: usize| if (kind + 1) >> bit & 1 == 1 { self.planes[bit] } else { !self.planes[bit] };
        plane(0) & plane(1) & plane(2)
    }

    fn kind_at(&self, cell: u8) -> Option<usize> {
        let bit = |plane: usize| (self.planes[plane] >> cell & 1) as usize;
        (bit(0) | bit(1) << 1 | bit(2) << 2).checked_sub(1)
    }

    fn set(&mut self, bit: u64, kind: usize, player: Player) {
        for (i, plane) in self.planes.iter_mut().enumerate() {
            *plane |= if (kind + 1) >> i & 1 == 1 { bit } else { 0 };
        }
        if player == Player::FIRST {
            self.gold |= bit;
        }
    }

    /// One step of whatever stands on `from`, and what the traps then do.
    #[inline]
    fn step(&mut self, from: u64, to: u64) {
        for plane in self.planes.iter_mut().chain([&mut self.gold]) {
            *plane ^= (from | to) & u64::from(*plane & from != 0).wrapping_neg();
        }
        let silver = self.all() & !self.gold;
        let alone = TRAPS & (self.gold & !around(self.gold) | silver & !around(silver));
        if alone != 0 {
            self.planes.iter_mut().for_each(|plane| *plane &= !alone);
            self.gold &= !alone;
        }
    }

    #[inline]
    fn act(&mut self, steps: Steps) {
        steps.iter().for_each(|(from, to)| self.step(1 << from, to));
    }

    /// All steps, and with two steps left pushes and pulls, of a player: one or two steps each.
    #[inline]
    fn actions(&self, player: Player, left: u8, mut push: impl FnMut(Steps)) {
        let (mine, theirs) = (self.of(player), self.of(player.opponent()));
        let empty = !(mine | theirs);
        let backwards = if player == Player::FIRST { 2 } else { 0 };
        let alone = !around(mine);
        let mut weaker = 0;
        for kind in 0..6 {
            let set = self.kind(kind);
            let frozen = around(theirs & !weaker & !set) & alone;
            for from in bits(set & mine & !frozen) {
                let prey = around(from) & weaker;
                for direction in DIRECTIONS {
                    let to = shift(from, direction);
                    if to & empty != 0 {
                        let own = Steps::one(from, direction);
                        if kind != RABBIT || direction != backwards {
                            push(own);
                        }
                        if left >= 2 {
                            bits(prey).for_each(|enemy| push(own.then(enemy, direction_to(enemy, from))));
                        }
                    } else if to & prey != 0 && left >= 2 {
                        let own = Steps::one(from, direction);
                        for away in bits(around(to) & empty) {
                            push(Steps::one(to, direction_to(to, away)).with(own));
                        }
                    }
                }
            }
            weaker |= set & theirs;
        }
    }
}

/// The direction of a step between two cells that touch.
#[inline]
fn direction_to(from: u64, to: u64) -> usize {
    match to.trailing_zeros().wrapping_sub(from.trailing_zeros()) as i32 {
        8 => 0,
        1 => 1,
        -8 => 2,
        _ => 3,
    }
}

/// Up to four steps, each a cell and a direction in one byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    len: u8,
    steps: [u8; 4],
}

impl Steps {
    #[inline]
    fn one(from: u64, direction: usize) -> Self {
        Steps { len: 1, steps: [(from.trailing_zeros() << 2) as u8 | direction as u8, 0, 0, 0] }
    }

    #[inline]
    fn then(self, from: u64, direction: usize) -> Self {
        self.with(Self::one(from, direction))
    }

    /// These steps and one or two more.
    #[inline]
    fn with(self, more: Steps) -> Self {
        let steps = u32::from_le_bytes(self.steps) | u32::from_le_bytes(more.steps) << (8 * (self.len & 3));
        Steps { len: self.len + more.len, steps: steps.to_le_bytes() }
    }

    /// From which cell to which set of one cell, one after the other.
    #[inline]
    fn iter(self) -> impl Iterator<Item = (u8, u64)> {
        let steps = self.steps.into_iter().take(self.len.into());
        steps.map(|step| (step >> 2, shift(1 << (step >> 2), usize::from(step & 3))))
    }
}

/// One choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Setting up: the next piece goes here.
    Place(u8),
    /// A step, or the two of a push or pull.
    Act(Steps),
    /// The turn is over.
    Pass,
    /// A whole turn.
    Whole(Steps),
}

/// The sort of move, with the number of steps, and the steps or the cell.
impl Plain for Move {
    const SIZE: usize = 5;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        let (sort, bytes) = match *self {
            Move::Place(cell) => (0, [cell, 0, 0, 0]),
            Move::Pass => (1, [0; 4]),
            Move::Act(steps) => (8 | steps.len, steps.steps),
            Move::Whole(steps) => (16 | steps.len, steps.steps),
        };
        (sort, bytes).put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let (sort, steps): (u8, [u8; 4]) = Plain::take(bytes)?;
        let len = sort & 7;
        match sort >> 3 {
            0 if sort == 0 => Some(Move::Place(steps[0])).filter(|_| steps[0] < 64),
            0 if sort == 1 => Some(Move::Pass),
            1 if len <= 2 => Some(Move::Act(Steps { len, steps })),
            2 if len <= 4 => Some(Move::Whole(Steps { len, steps })),
            _ => None,
        }
    }
}

/// A position and what the rules must remember.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    board: Board,
    mover: Player,
    /// Pieces still to be set up, of both players.
    to_place: u8,
    /// Steps made in this turn.
    steps: u8,
    /// Moves played, if there is a limit.
    moves: u16,
    /// Positions in which turns began. If steps were made, the newest is that of this turn.
    history: History,
}

impl Plain for State {
    const SIZE: usize = Board::SIZE + 9;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.board.put(out);
        ((self.mover, self.to_place, self.steps), self.moves, self.history).put(&mut out[Board::SIZE..]);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let board = Board::take(bytes)?;
        let ((mover, to_place, steps), moves, history): ((Player, u8, u8), _, _) =
            Plain::take(bytes.get(Board::SIZE..)?)?;
        let sound = mover.index() < 2 && to_place <= 32 && steps < 4;
        sound.then_some(State { board, mover, to_place, steps, moves, history })
    }
}

/// What [`Game::key`] gives for Arimaa: the occupied cells, four bits for each of the at most 32 pieces in their order,
/// the rest in one word, and the number of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    occupied: u64,
    pieces: [u32; 4],
    rest: u32,
    history: History,
}

plain_struct!(impl[] Key { occupied: u64, pieces: [u32; 4], rest: u32, history: History });

impl State {
    /// The kind that is set up next.
    fn next_kind(&self) -> usize {
        let placed = 32u32.saturating_sub(self.to_place.into()) % 16;
        (0..6).find(|&kind| placed < HAS[..=kind].iter().sum()).unwrap_or(5)
    }

    fn places(&self) -> u64 {
        let home = if self.mover == Player::FIRST { 0xffff } else { 0xffff << 48 };
        home & !self.board.all()
    }

    /// The board at the beginning of the turn.
    #[inline]
    fn start(&self, past: &impl PositionHistory<Turning>) -> Board {
        if self.steps == 0 { self.board } else { past.positions().next().map_or(self.board, |(board, _)| *board) }
    }

    /// The earlier positions with the other player to move, newest first.
    #[inline]
    fn others(&self, past: &impl PositionHistory<Turning>) -> impl Iterator<Item = Turning> {
        past.positions().skip(usize::from(self.steps > 0)).step_by(2).copied()
    }

    /// Whether the turn may end with this board.
    fn may_end(&self, board: &Board, past: &impl PositionHistory<Turning>) -> bool {
        let end = (*board, self.mover.opponent());
        *board != self.start(past) && self.others(past).filter(|earlier| *earlier == end).nth(1).is_none()
    }

    /// The boards with which the turn may not end.
    fn forbidden(&self, past: &impl PositionHistory<Turning>) -> Vec<Board> {
        let others: Vec<Turning> = self.others(past).filter(|(_, mover)| *mover != self.mover).collect();
        let twice = (1..others.len()).filter(|&i| others[..i].contains(&others[i])).map(|i| others[i].0);
        [self.start(past)].into_iter().chain(twice).collect()
    }

    /// The winner, at the beginning of a turn and if goals or rabbits decide.
    fn decided(&self) -> Option<Player> {
        let rabbits = self.board.kind(RABBIT);
        let goal = |player: Player| {
            let row = if player == Player::FIRST { 0xff << 56 } else { 0xff };
            rabbits & self.board.of(player) & row != 0
        };
        let eliminated = |player: Player| rabbits & self.board.of(player) == 0;
        let (last, next) = (self.mover.opponent(), self.mover);
        if goal(last) || !goal(next) && eliminated(next) {
            Some(last)
        } else if goal(next) || eliminated(last) {
            Some(next)
        } else {
            None
        }
    }
}

impl Arimaa {
    /// No position was met yet.
    pub fn new(rules: Rules) -> Self {
        Arimaa { rules, histories: Histories::default() }
    }

    /// Whether the action can be chosen: if it is the last of the turn, the turn may end there.
    #[inline]
    fn is_legal(state: &State, action: Steps, past: &impl PositionHistory<Turning>) -> bool {
        state.steps + action.len < 4 || {
            let mut board = state.board;
            board.act(action);
            state.may_end(&board, past)
        }
    }

    fn can_pass(state: &State, past: &impl PositionHistory<Turning>) -> bool {
        state.steps > 0 && state.may_end(&state.board, past)
    }

    /// Calls `found` for one turn to each board that can be reached; stops when it answers true.
    fn turns(state: &State, past: &impl PositionHistory<Turning>, mut found: impl FnMut(Steps) -> bool) -> bool {
        let forbidden = state.forbidden(past);
        let mut seen = FxHashSet::default();
        let mut edge = vec![(Steps::default(), state.board)];
        let mut next = Vec::new();
        // Boards are found by the number of steps; the same board with fewer steps leads to at least as much.
        for steps in 0..4 {
            // Boards after one step more are listed now, those after two with the next step.
            let mut reach = |turn: Steps, board: Board| {
                if turn.len == steps + 1 {
                    if !seen.insert(board) {
                        return false;
                    }
                    if !forbidden.contains(&board) && found(turn) {
                        return true;
                    }
                }
                if steps < 3 {
                    next.push((turn, board));
                }
                false
            };
            for (turn, board) in edge.drain(..) {
                let mut stop = false;
                if turn.len == steps {
                    board.actions(state.mover, 4 - steps, |action| {
                        let mut after = board;
                        after.act(action);
                        stop = stop || reach(turn.with(action), after);
                    });
                } else {
                    stop = reach(turn, board);
                }
                if stop {
                    return true;
                }
            }
            std::mem::swap(&mut edge, &mut next);
        }
        false
    }

    /// Whether the mover has any move; asked when nothing else has decided the game.
    fn can_move(&self, state: &State, past: &impl PositionHistory<Turning>) -> bool {
        if Self::can_pass(state, past) {
            return true;
        }
        let (mut some, mut found) = (false, false);
        state.board.actions(state.mover, 4 - state.steps, |action| {
            some = true;
            found = found
                || if self.rules.turns {
                    // A single step that ends the turn legally is enough, and there nearly always is one.
                    let mut board = state.board;
                    board.act(action);
                    state.may_end(&board, past)
                } else {
                    Self::is_legal(state, action, past)
                };
        });
        found || self.rules.turns && some && Self::turns(state, past, |_| true)
    }

    fn is_drawn(&self, state: &State) -> bool {
        self.rules.limit > 0 && state.moves >= self.rules.limit
    }

    /// What decides the game before moves are looked at.
    fn ended(&self, state: &State) -> Option<ZeroSum> {
        if state.to_place > 0 {
            return self.is_drawn(state).then(ZeroSum::draw);
        }
        let winner = if state.steps == 0 { state.decided() } else { None };
        winner.map(ZeroSum::win_for).or_else(|| self.is_drawn(state).then(ZeroSum::draw))
    }

    #[inline]
    fn expand_with(
        &self,
        state: &State,
        moves: &mut Vec<Move>,
        past: &impl PositionHistory<Turning>,
    ) -> Status<ZeroSum> {
        if let Some(payoff) = self.ended(state) {
            return Status::Over(payoff);
        }
        let first = moves.len();
        if state.to_place > 0 {
            moves.extend(bits(state.places()).map(|bit| Move::Place(bit.trailing_zeros() as u8)));
        } else if self.rules.turns {
            Self::turns(state, past, |turn| {
                moves.push(Move::Whole(turn));
                false
            });
        } else {
            state.board.actions(state.mover, 4 - state.steps, |action| {
                if Self::is_legal(state, action, past) {
                    moves.push(Move::Act(action));
                }
            });
            if Self::can_pass(state, past) {
                moves.push(Move::Pass);
            }
        }
        if moves.len() == first {
            return Status::Over(ZeroSum::win_for(state.mover.opponent()));
        }
        Status::Turn(state.mover)
    }

    #[inline]
    fn play_with(&self, state: &mut State, mv: Move, past: &mut impl PositionHistory<Turning>) {
        if self.rules.limit > 0 {
            state.moves += 1;
        }
        match mv {
            Move::Place(cell) => {
                state.board.set(1 << cell, state.next_kind(), state.mover);
                state.to_place -= 1;
                state.mover = Player::new(usize::from((1..=16).contains(&state.to_place)));
            }
            Move::Act(action) => {
                Self::make_steps(state, action, past);
                if state.steps == 4 {
                    Self::end_turn(state, past);
                }
            }
            Move::Pass => Self::end_turn(state, past),
            Move::Whole(turn) => {
                Self::make_steps(state, turn, past);
                Self::end_turn(state, past);
            }
        }
    }

    #[inline]
    fn make_steps(state: &mut State, steps: Steps, past: &mut impl PositionHistory<Turning>) {
        if state.steps == 0 {
            past.push((state.board, state.mover));
        }
        state.board.act(steps);
        state.steps += steps.len;
    }

    #[inline]
    fn end_turn(state: &mut State, past: &mut impl PositionHistory<Turning>) {
        if state.start(past).all().count_ones() != state.board.all().count_ones() {
            past.clear();
        }
        state.steps = 0;
        state.mover = state.mover.opponent();
    }
}

impl Game for Arimaa {
    type State = State;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = Key;

    fn start(&self) -> State {
        let (board, to_place) = match self.rules.fixed_setup {
            true => (text::read_board(FIXED).expect("a good setup"), 0),
            false => (Board::EMPTY, 32),
        };
        State { board, mover: Player::FIRST, to_place, steps: 0, moves: 0, history: History::NONE }
    }

    fn expand(&self, state: &State, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        self.expand_with(state, moves, &self.histories.past(&mut { state.history }))
    }

    fn status(&self, state: &State) -> Status<ZeroSum> {
        match self.ended(state) {
            Some(payoff) => Status::Over(payoff),
            None if state.to_place > 0 => Status::Turn(state.mover),
            None if self.can_move(state, &self.histories.past(&mut { state.history })) => Status::Turn(state.mover),
            None => Status::Over(ZeroSum::win_for(state.mover.opponent())),
        }
    }

    fn play(&self, state: &mut State, mv: Move) {
        let mut history = state.history;
        self.play_with(state, mv, &mut self.histories.past(&mut history));
        state.history = history;
    }

    fn key(&self, state: &State) -> Key {
        let board = &state.board;
        let occupied = board.all();
        let gather = Gather::new(occupied);
        let [a, b, c] = board.planes;
        let rest = state.mover.index() as u32 | u32::from(state.steps) << 1 | u32::from(state.to_place) << 4;
        Key {
            occupied,
            pieces: [a, b, c, board.gold].map(|plane| gather.of(plane) as u32),
            rest: rest | u32::from(state.moves) << 16,
            history: state.history,
        }
    }

    fn facts(&self) -> Facts {
        Facts {
            alternating: false,
            history: true,
            outcomes: Some(if self.rules.limit > 0 { vec![-1, 0, 1] } else { vec![-1, 1] }),
            length: (self.rules.limit > 0).then_some(self.rules.limit.into()),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl Notation for Arimaa {
    fn position_text(&self, state: &State) -> String {
        self.write(state)
    }

    fn parse_position(&self, text: &str) -> Result<State, TextError> {
        self.read(text)
    }

    fn move_text(&self, state: &State, mv: Move) -> String {
        text::write_move(state, mv)
    }

    fn parse_move(&self, state: &State, text: &str) -> Result<Move, TextError> {
        self.read_move(state, text)
    }

    fn drawing(&self, state: &State) -> Drawing {
        let cell = |cell: u32| {
            let bit = 1u64 << cell;
            match state.board.kind_at(cell as u8) {
                Some(kind) if state.board.gold & bit != 0 => Cell::Piece(Player::FIRST, LETTERS[kind]),
                Some(kind) => Cell::Piece(Player::SECOND, LETTERS[kind].to_ascii_lowercase()),
                None if TRAPS & bit != 0 => Cell::Sign('x'),
                None => Cell::Empty,
            }
        };
        let rows = (0..8).rev().map(|r| (0..8).map(|c| cell(8 * r + c)).collect()).collect();
        let turn = turn_note(self.status(state), ["Gold", "Silver"]);
        let what = match state.to_place {
            0 => format!("{} of 4 steps made", state.steps),
            _ => format!("to set up: {}", LETTERS[state.next_kind()]),
        };
        Drawing::lettered(rows).in_colours([Colour::Gold, Colour::Silver]).with_note(format!("{turn}, {what}"))
    }
}

impl Symmetric for Arimaa {}

impl Playouts for Arimaa {
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

impl Heuristic for Arimaa {
    /// Material, rabbits on their way, and pieces next to traps.
    fn heuristic(&self, state: &State) -> f32 {
        const VALUES: [f32; 6] = [1.0, 1.5, 2.0, 4.0, 6.0, 9.0];
        let worth = |player: Player| {
            let mine = state.board.of(player);
            let count = |kind: usize| (state.board.kind(kind) & mine).count_ones() as f32;
            let pieces: f32 = VALUES.iter().enumerate().map(|(kind, value)| count(kind) * value).sum();
            let run: u32 = bits(state.board.kind(RABBIT) & mine)
                .map(|bit| {
                    let row = bit.trailing_zeros() / 8;
                    let gone = if player == Player::FIRST { row } else { 7 - row };
                    // A rabbit that only friends and empty cells stand before is worth more with every row.
                    gone * gone
                })
                .sum();
            let guards = (around(TRAPS) & mine).count_ones();
            pieces + 0.04 * run as f32 + 0.1 * guards as f32
        };
        let gold = ((worth(Player::FIRST) - worth(Player::SECOND)) / 8.0).tanh() * 0.9;
        Estimate::from_fn(|p| if p == Player::FIRST { gold } else { -gold })
    }
}

impl Features for Arimaa {
    fn layout(&self) -> Option<Layout> {
        let cells = (0..64).map(|cell| (cell % 8, cell / 8)).collect();
        let numbers = &["steps made in this turn", "pieces to set up", "moves played of the limit"];
        Some(Layout { lattice: Lattice::Square, cells, values: 13, numbers })
    }

    /// 1 to 6 for the mover's pieces, from rabbit to elephant, 7 to 12 for the other's. Silver sees the rows turned.
    fn cell_values(&self, state: &State, out: &mut Vec<u8>) {
        let (mine, turned) = (state.board.of(state.mover), 56 * state.mover.index() as u8);
        out.extend((0..64).map(|cell| {
            let cell = cell ^ turned;
            match state.board.kind_at(cell) {
                None => 0,
                Some(kind) if mine >> cell & 1 == 1 => kind as u8 + 1,
                Some(kind) => kind as u8 + 7,
            }
        }));
    }

    fn numbers(&self, state: &State, out: &mut Vec<f32>) {
        let played = f32::from(state.moves) / f32::from(self.rules.limit.max(1));
        out.extend([f32::from(state.steps) / 4.0, f32::from(state.to_place) / 32.0, played]);
    }

    fn viewer(&self, state: &State) -> Player {
        state.mover
    }
}

impl SolverHints for Arimaa {}
impl OrderingHints for Arimaa {}

impl Persist for Arimaa {
    /// Keys hold numbers of histories, given as they are met.
    fn stable_keys(&self) -> bool {
        false
    }

    fn kept_bytes(&self) -> usize {
        self.histories.bytes()
    }
}
