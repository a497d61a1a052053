//! Arimaa: bring a rabbit to the far row; up to four steps a turn; stronger pieces push, pull and freeze weaker ones.
//!
//! Cell `row · 8 + column`, Gold at the bottom. A turn is made of steps, pushes and pulls (two steps each); after every step
//! pieces on the four traps without a friend beside them are gone. Goal, elimination and immobilisation are looked at when
//! a turn ends, the player who has moved first. A turn must change the board, and may not make a position with the same
//! player to move for the third time: states remember positions since the last loss of a piece (`past.rs`).
//!
//! A move of ours is one step, push or pull, or the end of the turn (`ply=step`); or a whole turn (`ply=turn`), one for
//! every board that turns can lead to. In the middle of a turn a player may find that neither going on nor stopping is
//! legal: that loses, like having no move at the beginning. Setting up is one piece a move, weakest first, in both cases.

mod text;

use std::collections::HashSet;

use perfectplay_core::{Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Notation, OptionInfo, OrderingHints, Params, Payoff, Persist, Player, Playouts, SolverHints, Status, Symmetric, TextError, Visitor, ZeroSum};

use crate::support::past::{Past, Pasts};

/// Name and parameters.
pub const INFO: GameInfo = GameInfo {
    name: "arimaa",
    summary: "bring a rabbit to the far row, with pieces that push, pull and freeze",
    players: "2",
    parameters: &[
        OptionInfo {
            name: "ply",
            meaning: "step: a move is a step, push or pull, or ends the turn; turn: a move is a whole turn",
            default: "step",
        },
        OptionInfo {
            name: "setup",
            meaning: "free: the players set up their pieces one by one; fixed: they stand as in 99of9's setup",
            default: "free",
        },
        OptionInfo {
            name: "limit",
            meaning: "the game is a draw after so many moves, 0: never (the Computer Olympiad takes 900)",
            default: "0",
        },
    ],
    examples: &["arimaa:limit=900", "arimaa:setup=fixed,limit=400"],
    rules: "Gold first sets up sixteen pieces on the two rows at the bottom, then Silver on the two at the top: an elephant, a \
camel, two horses, two dogs, two cats and eight rabbits, from strong to weak. Gold begins. In a turn a player makes one \
to four steps with one or several pieces: a piece moves to the empty cell before, behind or beside it; rabbits do not step \
backwards. A piece can *push* a weaker enemy piece next to it to an empty cell and take its place, or step away and *pull* \
such a piece after it; either counts as two steps. A piece next to a stronger enemy and not next to a friend is *frozen* \
and cannot move by itself. A piece on one of the traps c3, f3, c6, f6 without a friend next to it is lost at once.

When a turn ends, the player who has moved wins with a rabbit on the far row; otherwise the other one does with one of \
his. The same for taking all enemy rabbits. Who has no legal move loses. A turn must change the board and must not make \
a position with the same player to move for the third time.

Positions are written as 64 letters from a8 to h1 (`E M H D C R` for Gold, small letters for Silver, `.` for empty cells), \
then `g` or `s` for the player to move; `setup` follows while pieces are set up, and `moves …` for what must be remembered. \
Steps are written `Ra1n`, pushes and pulls as their two steps, `rd5n,Ed4n`; a whole turn as all its steps; the end of a \
turn `pass`; setting up `Ra1`.",
    sources: &[
        "O. Syed, A. Syed, Arimaa: A New Game Designed to be Difficult for Computers (2003); Arimaa match rules",
        "Janzert, AEI and pyrimaa: counts of turns",
    ],
};

/// Opens Arimaa.
pub fn open<V: Visitor>(mut params: Params, visitor: V) -> Result<V::Output, TextError> {
    let rules = Rules {
        turns: params.take_choice("ply", &[("step", false), ("turn", true)])?,
        fixed_setup: params.take_choice("setup", &[("free", false), ("fixed", true)])?,
        limit: params.take_number("limit", 0..=60_000)?.unwrap_or(0) as u16,
    };
    params.finish(INFO.name, INFO.parameters)?;
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

/// The rules.
#[derive(Clone, Debug)]
pub struct Arimaa {
    rules: Rules,
    pasts: Pasts<Turning>,
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

/// Which pieces stand where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Board {
    /// By kind, of both players.
    kinds: [u64; 6],
    gold: u64,
}

/// A board in four words: three bits per cell for the kind, one for the owner.
type Packed = [u64; 4];
/// A board at the beginning of a turn, and whose turn it is.
type Turning = (Packed, u8);

impl Board {
    const EMPTY: Board = Board { kinds: [0; 6], gold: 0 };

    fn all(&self) -> u64 {
        self.kinds.iter().fold(0, |all, kind| all | kind)
    }

    /// The pieces of a player.
    fn of(&self, player: Player) -> u64 {
        if player == Player::FIRST { self.gold } else { self.all() & !self.gold }
    }

    fn kind_at(&self, bit: u64) -> Option<usize> {
        self.kinds.iter().position(|kind| kind & bit != 0)
    }

    fn packed(&self) -> Packed {
        let mut packed = [0, 0, 0, self.gold];
        for (kind, set) in self.kinds.iter().enumerate() {
            for (bit, plane) in packed[..3].iter_mut().enumerate() {
                if (kind + 1) >> bit & 1 == 1 {
                    *plane |= set;
                }
            }
        }
        packed
    }

    fn unpacked(packed: &Packed) -> Self {
        let plane = |code: usize, bit: usize| if code >> bit & 1 == 1 { packed[bit] } else { !packed[bit] };
        let kinds = std::array::from_fn(|kind| plane(kind + 1, 0) & plane(kind + 1, 1) & plane(kind + 1, 2));
        Board { kinds, gold: packed[3] }
    }

    fn put(&mut self, bit: u64, kind: usize, player: Player) {
        self.kinds[kind] |= bit;
        if player == Player::FIRST {
            self.gold |= bit;
        }
    }

    /// One step of whatever stands on `from`, and what the traps then do.
    fn step(&mut self, from: u64, to: u64) {
        for kind in &mut self.kinds {
            if *kind & from != 0 {
                *kind ^= from | to;
            }
        }
        if self.gold & from != 0 {
            self.gold ^= from | to;
        }
        let all = self.all();
        let silver = all & !self.gold;
        let lost = TRAPS & (self.gold & !around(self.gold) | silver & !around(silver));
        if lost != 0 {
            self.kinds.iter_mut().for_each(|kind| *kind &= !lost);
            self.gold &= !lost;
        }
    }

    fn act(&mut self, action: Action) {
        let [from, to] = [action.from, action.to].map(|cell| 1 << cell);
        match action.enemy {
            None => self.step(from, to),
            Some((enemy, away)) if enemy == action.to => {
                self.step(1 << enemy, 1 << away);
                self.step(from, to);
            }
            Some((enemy, into)) => {
                self.step(from, to);
                self.step(1 << enemy, 1 << into);
            }
        }
    }

    /// All steps, and with two steps left pushes and pulls, of a player.
    fn actions(&self, player: Player, left: u8, push: &mut impl FnMut(Action)) {
        let (mine, theirs) = (self.of(player), self.of(player.opponent()));
        let empty = !(mine | theirs);
        let backwards = if player == Player::FIRST { 2 } else { 0 };
        let mut weaker = 0;
        for (kind, set) in self.kinds.iter().enumerate() {
            let stronger = theirs & !weaker & !set;
            let frozen = around(stronger) & !around(mine);
            for from in bits(set & mine & !frozen) {
                let here = from.trailing_zeros() as u8;
                let prey = around(from) & theirs & weaker;
                for direction in DIRECTIONS {
                    let to = shift(from, direction);
                    let there = to.trailing_zeros() as u8;
                    if to & empty != 0 {
                        if kind != RABBIT || direction != backwards {
                            push(Action { from: here, to: there, enemy: None });
                        }
                        if left >= 2 {
                            for enemy in bits(prey) {
                                push(Action { from: here, to: there, enemy: Some((enemy.trailing_zeros() as u8, here)) });
                            }
                        }
                    } else if to & prey != 0 && left >= 2 {
                        for away in bits(around(to) & empty) {
                            push(Action { from: here, to: there, enemy: Some((there, away.trailing_zeros() as u8)) });
                        }
                    }
                }
            }
            weaker |= set & theirs;
        }
    }
}

/// A step, push or pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// Where the mover's piece stands.
    pub from: u8,
    /// Where it goes.
    pub to: u8,
    /// From where to where an enemy piece goes: from `to` if it is pushed, to `from` if it is pulled.
    pub enemy: Option<(u8, u8)>,
}

impl Action {
    fn steps(self) -> u8 {
        1 + u8::from(self.enemy.is_some())
    }
}

/// What a turn consists of, so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Turn {
    actions: [Option<Action>; 4],
}

impl Turn {
    fn actions(&self) -> impl Iterator<Item = Action> {
        self.actions.into_iter().flatten()
    }

    fn with(mut self, action: Action) -> Self {
        if let Some(free) = self.actions.iter_mut().find(|a| a.is_none()) {
            *free = Some(action);
        }
        self
    }

    fn steps(&self) -> u8 {
        self.actions().map(Action::steps).sum()
    }
}

/// One choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Setting up: the next piece goes here.
    Place(u8),
    /// A step, push or pull.
    Act(Action),
    /// The turn is over.
    Pass,
    /// A whole turn.
    Whole(Turn),
}

/// A position and what the rules must remember.
#[derive(Clone, Debug)]
pub struct State {
    board: Board,
    mover: Player,
    /// Pieces still to be set up, of both players.
    to_place: u8,
    /// What has been done in this turn. Only the number of its steps and the board it began with matter for the future.
    turn: Turn,
    /// The board at the beginning of the turn.
    start: Board,
    /// Moves played, if there is a limit.
    moves: u16,
    past: Past<Turning, Turn>,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        let same = |s: &State| (s.board, s.mover, s.to_place, s.turn.steps(), s.start, s.moves);
        same(self) == same(other) && self.past == other.past
    }
}

impl Eq for State {}

/// What [`Game::key`] gives for Arimaa.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    board: Packed,
    start: Packed,
    mover: u8,
    to_place: u8,
    steps: u8,
    moves: u16,
    past: u32,
}

impl State {
    /// The kind that is set up next.
    fn next_kind(&self) -> usize {
        let placed = (32 - u32::from(self.to_place)) % 16;
        (0..6).find(|&kind| placed < HAS[..=kind].iter().sum()).unwrap_or(5)
    }

    fn places(&self) -> u64 {
        let home = if self.mover == Player::FIRST { 0xffff } else { 0xffff << 48 };
        home & !self.board.all()
    }

    /// Whether the turn may end with this board.
    fn may_end(&self, board: &Board) -> bool {
        *board != self.start && {
            let end = (board.packed(), self.mover.opponent().index() as u8);
            // Positions with the other player to move are every second one.
            self.past.positions().step_by(2).filter(|earlier| **earlier == end).count() < 2
        }
    }

    fn end_turn(&mut self) {
        let begun = (self.start.packed(), self.mover.index() as u8);
        let lost = self.start.all().count_ones() != self.board.all().count_ones();
        if lost {
            self.past = Past::NONE;
        } else {
            self.past.push(begun, self.turn);
        }
        self.turn = Turn::default();
        self.start = self.board;
        self.mover = self.mover.opponent();
    }

    /// The winner, at the beginning of a turn and if goals or rabbits decide.
    fn decided(&self) -> Option<Player> {
        let rabbits = self.board.kinds[RABBIT];
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
    /// The rules.
    pub fn new(rules: Rules) -> Self {
        Arimaa { rules, pasts: Pasts::default() }
    }

    /// Whether the action can be chosen: if it is the last of the turn, the turn may end there.
    fn is_legal(state: &State, action: Action) -> bool {
        state.turn.steps() + action.steps() < 4 || {
            let mut board = state.board;
            board.act(action);
            state.may_end(&board)
        }
    }

    fn can_pass(state: &State) -> bool {
        state.turn.steps() > 0 && state.may_end(&state.board)
    }

    /// Calls `found` for one turn to each board that can be reached; stops when it answers true.
    fn turns(state: &State, found: &mut impl FnMut(Turn, &Board) -> bool) -> bool {
        let mut seen = HashSet::new();
        let mut edge = vec![(Turn::default(), state.board)];
        // Boards are found by the number of steps; the same board with fewer steps leads to at least as much.
        for steps in 0..4 {
            let mut next = Vec::new();
            for (turn, board) in &edge {
                if turn.steps() != steps {
                    next.push((*turn, *board));
                    continue;
                }
                let mut actions = Vec::new();
                board.actions(state.mover, 4 - steps, &mut |action| actions.push(action));
                for action in actions {
                    let mut after = *board;
                    after.act(action);
                    next.push((turn.with(action), after));
                }
            }
            edge.clear();
            for (turn, board) in next {
                if turn.steps() == steps + 1 {
                    if !seen.insert(board.packed()) {
                        continue;
                    }
                    if state.may_end(&board) && found(turn, &board) {
                        return true;
                    }
                }
                edge.push((turn, board));
            }
        }
        false
    }

    /// Whether the mover has any move; asked when nothing else has decided the game.
    fn can_move(&self, state: &State) -> bool {
        if Self::can_pass(state) {
            return true;
        }
        let mut actions = Vec::new();
        state.board.actions(state.mover, 4 - state.turn.steps(), &mut |action| actions.push(action));
        if self.rules.turns {
            // A single step that ends the turn legally is enough, and there nearly always is one.
            let single = |action: &Action| {
                let mut board = state.board;
                board.act(*action);
                state.may_end(&board)
            };
            return actions.iter().any(single) || !actions.is_empty() && Self::turns(state, &mut |_, _| true);
        }
        actions.into_iter().any(|action| Self::is_legal(state, action))
    }

    fn is_drawn(&self, state: &State) -> bool {
        self.rules.limit > 0 && state.moves >= self.rules.limit
    }

    /// What decides the game before moves are looked at.
    fn ended(&self, state: &State) -> Option<ZeroSum> {
        if state.to_place > 0 {
            return self.is_drawn(state).then(ZeroSum::draw);
        }
        let winner = if state.turn.steps() == 0 { state.decided() } else { None };
        winner.map(ZeroSum::win_for).or_else(|| self.is_drawn(state).then(ZeroSum::draw))
    }
}

impl Game for Arimaa {
    type State = State;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = Key;

    fn start(&self) -> State {
        let board = if self.rules.fixed_setup { text::read_board(FIXED).expect("a good setup") } else { Board::EMPTY };
        State {
            board,
            mover: Player::FIRST,
            to_place: if self.rules.fixed_setup { 0 } else { 32 },
            turn: Turn::default(),
            start: board,
            moves: 0,
            past: Past::NONE,
        }
    }

    fn expand(&self, state: &State, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        if let Some(payoff) = self.ended(state) {
            return Status::Over(payoff);
        }
        let first = moves.len();
        if state.to_place > 0 {
            moves.extend(bits(state.places()).map(|bit| Move::Place(bit.trailing_zeros() as u8)));
        } else if self.rules.turns {
            Self::turns(state, &mut |turn, _| {
                moves.push(Move::Whole(turn));
                false
            });
        } else {
            state.board.actions(state.mover, 4 - state.turn.steps(), &mut |action| {
                if Self::is_legal(state, action) {
                    moves.push(Move::Act(action));
                }
            });
            if Self::can_pass(state) {
                moves.push(Move::Pass);
            }
        }
        if moves.len() == first {
            return Status::Over(ZeroSum::win_for(state.mover.opponent()));
        }
        Status::Turn(state.mover)
    }

    fn status(&self, state: &State) -> Status<ZeroSum> {
        match self.ended(state) {
            Some(payoff) => Status::Over(payoff),
            None if state.to_place > 0 || self.can_move(state) => Status::Turn(state.mover),
            None => Status::Over(ZeroSum::win_for(state.mover.opponent())),
        }
    }

    fn play(&self, state: &mut State, mv: Move) {
        if self.rules.limit > 0 {
            state.moves += 1;
        }
        match mv {
            Move::Place(cell) => {
                state.board.put(1 << cell, state.next_kind(), state.mover);
                state.to_place -= 1;
                state.mover = Player::new(usize::from((1..=16).contains(&state.to_place)));
                state.start = state.board;
            }
            Move::Act(action) => {
                state.board.act(action);
                state.turn = state.turn.with(action);
                if state.turn.steps() == 4 {
                    state.end_turn();
                }
            }
            Move::Pass => state.end_turn(),
            Move::Whole(turn) => {
                state.turn = turn;
                turn.actions().for_each(|action| state.board.act(action));
                state.end_turn();
            }
        }
    }

    fn key(&self, state: &State) -> Key {
        Key {
            board: state.board.packed(),
            start: state.start.packed(),
            mover: state.mover.index() as u8,
            to_place: state.to_place,
            steps: state.turn.steps(),
            moves: state.moves,
            past: self.pasts.number(&state.past),
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
            let bit = 1 << cell;
            match state.board.kind_at(bit) {
                Some(kind) if state.board.gold & bit != 0 => Cell::Piece(Player::FIRST, LETTERS[kind]),
                Some(kind) => Cell::Piece(Player::SECOND, LETTERS[kind].to_ascii_lowercase()),
                None if TRAPS & bit != 0 => Cell::Sign('x'),
                None => Cell::Empty,
            }
        };
        let rows = (0..8).rev().map(|r| (0..8).map(|c| cell(8 * r + c)).collect()).collect();
        let mover = if state.mover == Player::FIRST { "Gold" } else { "Silver" };
        let what = match state.to_place {
            0 => format!("{} of 4 steps made", state.turn.steps()),
            _ => format!("to set up: {}", LETTERS[state.next_kind()]),
        };
        Drawing::lettered(rows).with_note(format!("{mover} to move, {what}"))
    }
}

impl Symmetric for Arimaa {}
impl Playouts for Arimaa {}

impl Heuristic for Arimaa {
    /// Material, rabbits on their way, and pieces next to traps.
    fn heuristic(&self, state: &State) -> f32 {
        const VALUES: [f32; 6] = [1.0, 1.5, 2.0, 4.0, 6.0, 9.0];
        let worth = |player: Player| {
            let mine = state.board.of(player);
            let pieces: f32 = state.board.kinds.iter().zip(VALUES).map(|(k, v)| (k & mine).count_ones() as f32 * v).sum();
            let run: u32 = bits(state.board.kinds[RABBIT] & mine)
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

impl Features for Arimaa {}
impl SolverHints for Arimaa {}
impl OrderingHints for Arimaa {}

impl Persist for Arimaa {
    /// Keys hold numbers of pasts, given as they are asked about.
    fn stable_keys(&self) -> bool {
        false
    }
}
