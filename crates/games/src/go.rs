//! Go: surround more of the board than the other.
//!
//! Cell `row · size + column`, row 0 at the bottom. Area scoring: stones on the board and empty points that only one
//! colour touches. Two passes in a row end the game.
//!
//! Under superko no position may return, so a state remembers all positions since the first: see `past.rs`. Keys
//! of states with different pasts differ, transpositions hardly ever meet, and a solver works on a tree. With `ko=simple`
//! the state is the board, the mover, the passes and one forbidden point; but then games can run in circles.
//!
//! Nothing about chains is kept in a state: they are found by flooding a bitboard where a move needs them. That keeps
//! states small for search. A filter of 512 bits tells most positions that are new without a look into the past.

use perfectplay_core::{Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Notation, OptionInfo, OrderingHints, Params, Persist, Player, Playouts, SolverHints, Status, Symmetric, TextError, Visitor, ZeroSum};

use crate::support::bits::{Bits, Wide};
use crate::support::past::{Past, Pasts};
use crate::support::{board, playout};

/// Name and parameters.
pub const INFO: GameInfo = GameInfo {
    name: "go",
    summary: "surround more of the board than the other",
    players: "2",
    parameters: &[
        OptionInfo { name: "SIZE", meaning: "lines along a side, also board-size=…; 1 to 19", default: "9" },
        OptionInfo {
            name: "komi",
            meaning: "points White gets for moving second, whole or with .5, from -400 to 400",
            default: "7",
        },
        OptionInfo {
            name: "ko",
            meaning: "positional: no board may return; situational: no board with the same player to move; simple: no \
                      board may return at once",
            default: "positional",
        },
        OptionInfo {
            name: "suicide",
            meaning: "off, or on: two and more stones of one's own may be taken by one's own move",
            default: "off",
        },
    ],
    examples: &["go:2", "go:3,komi=0", "go:3,ko=simple,suicide=on", "go:9", "go:13,komi=7.5,ko=situational"],
    rules: "Black moves first. A move puts a stone on an empty point, or passes. Stones of one colour that are neighbours \
along the lines form a chain; the empty points next to it are its liberties. A move takes all enemy chains that it leaves \
without a liberty off the board. A move that then leaves its own chain without a liberty is illegal (with `suicide=on` \
the chain is taken off, unless it is a single stone).

No position of the board may be repeated; a pass is always possible. Two passes in a row end the game. Every player scores \
the stones on the board and the empty points from which only these stones can be reached; White gets `komi` on top. With \
the usual komi of 7 there can be draws. The score is Black's points less White's, in half points if komi is not whole.

Positions are written row by row from the top, `X` for Black, `O` for White and numbers for runs of empty points, then `b` or \
`w` for the player to move and the number of passes just made; under superko the first position and all moves since then: \
`2/2 b 0 moves a1 pass`. With `ko=simple` a forbidden point follows as `ko=a1`. Points are written as in GTP: columns a, b, \
… without i, rows from the bottom, and `pass`.",
    sources: &[
        "J. Tromp, B. Taylor, The Logical Rules of Go",
        "E. van der Werf, Solving Go on Small Boards: 5x5 is won by Black with all 25 points",
        "Go Text Protocol, version 2: names of points",
    ],
};

/// Builds the board type that fits the size.
pub fn open<V: Visitor>(mut params: Params, visitor: V) -> Result<V::Output, TextError> {
    let size = params.take_first_number("board-size", 1..=19)?.unwrap_or(9) as u32;
    let komi = params.take_fraction("komi", -400.0..=400.0)?.unwrap_or(7.0);
    let ko = [("positional", Ko::Positional), ("situational", Ko::Situational), ("simple", Ko::Simple)];
    let rules = Rules {
        half_points: (2.0 * komi) as i32,
        ko: params.take_choice("ko", &ko)?,
        suicide: params.take_switch("suicide", false)?,
    };
    params.finish(INFO.name, INFO.parameters)?;
    if f64::from(rules.half_points) != 2.0 * komi {
        return Err(TextError::new(format!("komi must be whole or a half more, got {komi}")));
    }
    Ok(match size {
        ..=8 => visitor.zero_sum(Go::<u64>::new(size, rules)),
        9..=11 => visitor.zero_sum(Go::<u128>::new(size, rules)),
        _ => visitor.zero_sum(Go::<Wide<6>>::new(size, rules)),
    })
}

/// Which repetitions are forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ko {
    /// The board may never return.
    Positional,
    /// The board may never return with the same player to move.
    Situational,
    /// A stone that took one stone may not be taken back at once.
    Simple,
}

/// What can be chosen about the rules.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Twice the komi.
    pub half_points: i32,
    /// Which repetitions are forbidden.
    pub ko: Ko,
    /// Whether two and more stones of one's own may be taken by one's own move.
    pub suicide: bool,
}

/// The rules on a board of this size.
#[derive(Clone, Debug)]
pub struct Go<B> {
    size: u32,
    rules: Rules,
    all: B,
    not_left: B,
    not_right: B,
    neighbours: Vec<B>,
    hashes: Vec<[u64; 2]>,
    pasts: Pasts<Board<B>>,
}

/// What may not be repeated: stones, and the mover if that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Board<B> {
    stones: [B; 2],
    mover: u8,
}

/// Who has which stones, who moves, and what has been.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State<B: Bits> {
    /// Black's and White's stones.
    pub stones: [B; 2],
    /// Who moves.
    pub mover: Player,
    /// Passes just made.
    pub passes: u8,
    /// The point that simple ko forbids.
    forbidden: Option<u16>,
    past: Past<Board<B>, Move>,
    // The rest follows from stones and past.
    /// Whether stones have been taken since the first position: before that no position can return.
    taken: bool,
    hash: u64,
    filter: [u64; 8],
}

/// A stone on a point, or a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A stone on this point.
    Place(u16),
    /// No stone.
    Pass,
}

/// A stone on a point, and what it takes: the enemy's stones or, by suicide, one's own.
#[derive(Clone, Copy)]
struct Placing<B> {
    cell: u32,
    taken: B,
    suicide: bool,
}

/// What [`Game::key`] gives for Go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key<B> {
    stones: [B; 2],
    mover: u8,
    passes: u8,
    forbidden: u16,
    past: u32,
}

impl<B: Bits> State<B> {
    fn empty(&self, all: B) -> B {
        all & !(self.stones[0] | self.stones[1])
    }
}

impl<B: Bits> Go<B> {
    /// The rules on `size` × `size` points.
    ///
    /// # Panics
    /// If the board does not fit into `B`.
    pub fn new(size: u32, rules: Rules) -> Self {
        assert!(size > 0 && size * size <= B::BITS, "{size}x{size} does not fit");
        let all = board::all_cells::<B>(size, size);
        let left = board::first_column::<B>(size, size);
        let mut go = Go {
            size,
            rules,
            all,
            not_left: all & !left,
            not_right: all & !(left << (size - 1)),
            neighbours: Vec::new(),
            hashes: (0..u64::from(size * size)).map(|cell| [scramble(2 * cell), scramble(2 * cell + 1)]).collect(),
            pasts: Pasts::default(),
        };
        go.neighbours = (0..size * size).map(|cell| go.around(B::bit(cell))).collect();
        go
    }

    /// The points next to those in `set`.
    #[inline]
    fn around(&self, set: B) -> B {
        let beside = (set & self.not_left) >> 1 | (set & self.not_right) << 1;
        (beside | set << self.size | set >> self.size) & self.all
    }

    /// All of `within` that hangs together with `seed`.
    #[inline]
    fn chain(&self, seed: B, within: B) -> B {
        let mut chain = seed;
        loop {
            let more = (self.around(chain) & within) | chain;
            if more == chain {
                return chain;
            }
            chain = more;
        }
    }

    /// The chain of `seed` within `own` if it has no liberty among `empty`. Most chains show one after a step or two.
    #[inline]
    fn stifled(&self, seed: B, own: B, empty: B) -> Option<B> {
        let mut chain = seed;
        loop {
            let next = self.around(chain);
            if !(next & empty).is_none() {
                return None;
            }
            let more = (next & own) | chain;
            if more == chain {
                return Some(chain);
            }
            chain = more;
        }
    }

    /// The stones a move on an empty point takes, the enemy's or one's own; `None` if it is suicide that is not allowed.
    #[inline]
    fn taken(&self, state: &State<B>, cell: u32) -> Option<(B, bool)> {
        let (mine, theirs) = (state.stones[state.mover.index()], state.stones[state.mover.opponent().index()]);
        let (stone, next) = (B::bit(cell), self.neighbours[cell as usize]);
        let empty = state.empty(self.all) ^ stone;
        let mut taken = B::none();
        let mut enemies = next & theirs;
        while !enemies.is_none() {
            let enemy = enemies.lowest();
            enemies = enemies.without_lowest();
            let beside = self.neighbours[enemy as usize];
            if (beside & empty).is_none()
                && let Some(chain) = self.stifled(B::bit(enemy) | (beside & theirs), theirs, empty)
            {
                enemies = enemies & !chain;
                taken = taken | chain;
            }
        }
        if !taken.is_none() || !(next & empty).is_none() {
            return Some((taken, false));
        }
        match self.stifled(stone | (next & mine), mine, empty) {
            None => Some((taken, false)),
            Some(own) => (self.rules.suicide && own != stone).then_some((own, true)),
        }
    }

    /// Stones and hash after a move on `cell` that takes `taken`.
    #[inline]
    fn placed(&self, state: &State<B>, cell: u32, taken: B, suicide: bool) -> ([B; 2], u64) {
        let (me, they) = (state.mover.index(), state.mover.opponent().index());
        let mut stones = state.stones;
        let mut hash = state.hash ^ self.hashes[cell as usize][me];
        stones[me] = stones[me] | B::bit(cell);
        let loser = if suicide { me } else { they };
        stones[loser] = stones[loser] & !taken;
        for lost in taken.cells() {
            hash ^= self.hashes[lost as usize][loser];
        }
        (stones, hash)
    }

    /// What a move on an empty point does, if it is legal. `since` are positions after those in the past of the state.
    #[inline]
    fn legal(&self, state: &State<B>, since: &[Board<B>], cell: u32) -> Option<Placing<B>> {
        let (taken, suicide) = self.taken(state, cell)?;
        let legal = if self.rules.ko == Ko::Simple {
            state.forbidden != Some(cell as u16)
        } else {
            // As long as no stone was ever taken, this point was empty in every earlier position.
            !state.taken && !suicide || !self.returns(state, since, cell, taken, suicide)
        };
        legal.then_some(Placing { cell, taken, suicide })
    }

    /// Whether superko forbids what a move on `cell` leads to.
    fn returns(&self, state: &State<B>, since: &[Board<B>], cell: u32, taken: B, suicide: bool) -> bool {
        let (stones, hash) = self.placed(state, cell, taken, suicide);
        let (word, bit) = place_in_filter(hash);
        if state.filter[word] >> bit & 1 == 0 {
            return false;
        }
        let next = Board { stones, mover: self.mark(state.mover.opponent()) };
        state.past.positions().chain(since).any(|earlier| *earlier == next) || self.board(state) == next
    }

    /// A random move, `None` for a pass, or how the game ended. Draws until it hits a legal move: all legal moves are equally
    /// likely.
    #[inline]
    fn draw(
        &self,
        state: &State<B>,
        since: &[Board<B>],
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Option<Placing<B>>, ZeroSum> {
        if let Status::Over(payoff) = self.status(state) {
            return Err(payoff);
        }
        let mut open = state.empty(self.all);
        let mut count = open.count();
        loop {
            let choice = below(count as usize + 1) as u32;
            if choice == count {
                return Ok(None);
            }
            let cell = open.nth(choice);
            if let Some(placing) = self.legal(state, since, cell) {
                return Ok(Some(placing));
            }
            open = open ^ B::bit(cell);
            count -= 1;
        }
    }

    /// Plays a move, or passes; does not touch the past.
    #[inline]
    fn make(&self, state: &mut State<B>, placing: Option<Placing<B>>) {
        let superko = self.rules.ko != Ko::Simple;
        state.forbidden = None;
        state.passes += 1;
        if let Some(Placing { cell, taken, suicide }) = placing {
            let (stones, hash) = self.placed(state, cell, taken, suicide);
            state.stones = stones;
            if superko {
                state.hash = hash;
                let (word, bit) = place_in_filter(hash);
                state.filter[word] |= 1 << bit;
            }
            state.passes = 0;
            state.taken |= superko && !taken.is_none();
            let next = self.neighbours[cell as usize];
            let alone = (next & state.stones[state.mover.index()]).is_none();
            if !superko && !suicide && alone && taken.count() == 1 && next & state.empty(self.all) == taken {
                state.forbidden = Some(taken.lowest() as u16);
            }
        }
        state.mover = state.mover.opponent();
    }

    /// The mover, where it matters for repetitions.
    fn mark(&self, mover: Player) -> u8 {
        if self.rules.ko == Ko::Situational { mover.index() as u8 } else { 0 }
    }

    fn board(&self, state: &State<B>) -> Board<B> {
        Board { stones: state.stones, mover: self.mark(state.mover) }
    }

    /// A state without a past.
    fn state(&self, stones: [B; 2], mover: Player, passes: u8, forbidden: Option<u16>) -> State<B> {
        let (mut hash, mut filter) = (0, [0; 8]);
        if self.rules.ko != Ko::Simple {
            for (colour, own) in stones.iter().enumerate() {
                hash = own.cells().fold(hash, |hash, cell| hash ^ self.hashes[cell as usize][colour]);
            }
            let (word, bit) = place_in_filter(hash);
            filter[word] |= 1 << bit;
        }
        State { stones, mover, passes, forbidden, past: Past::NONE, taken: false, hash, filter }
    }

    /// Black's points less White's, without komi.
    fn area(&self, stones: [B; 2]) -> i32 {
        let empty = self.all & !(stones[0] | stones[1]);
        let reach = stones.map(|own| self.chain(self.around(own) & empty, empty));
        let points = |colour: usize| (stones[colour] | reach[colour] & !reach[1 - colour]).count() as i32;
        points(0) - points(1)
    }

    fn score(&self, stones: [B; 2]) -> i32 {
        let half_points = 2 * self.area(stones) - self.rules.half_points;
        half_points / self.unit()
    }

    /// Half points in a unit of the score.
    fn unit(&self) -> i32 {
        if self.rules.half_points % 2 == 0 { 2 } else { 1 }
    }

    fn point_name(&self, cell: u32) -> String {
        let column = (b'a' + (cell % self.size) as u8 + u8::from(cell % self.size > 7)) as char;
        format!("{column}{}", cell / self.size + 1)
    }

    fn read_point(&self, text: &str) -> Option<u32> {
        let (letter, row) = (text.chars().next()?.to_ascii_lowercase(), text.get(1..)?);
        if !letter.is_ascii_lowercase() || letter == 'i' || !row.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let column = u32::from(letter) - u32::from('a') - u32::from(letter > 'i');
        let row = row.parse::<u32>().ok()?.checked_sub(1)?;
        (column < self.size && row < self.size).then_some(row * self.size + column)
    }

    fn read_board(&self, text: &str) -> Result<State<B>, TextError> {
        let expected = || {
            TextError::new(format!("expected the rows, b or w, and 0, 1 or 2 passes, like \"9/9/… b 0\"; got \"{text}\""))
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let (rows, mover, passes, forbidden) = match fields[..] {
            [rows, mover, passes] => (rows, mover, passes, None),
            [rows, mover, passes, ko] if self.rules.ko == Ko::Simple => {
                let point = ko.strip_prefix("ko=").and_then(|name| self.read_point(name)).ok_or_else(expected)?;
                (rows, mover, passes, Some(point))
            }
            _ => return Err(expected()),
        };
        let mover = match mover {
            "b" => Player::FIRST,
            "w" => Player::SECOND,
            _ => return Err(expected()),
        };
        let passes = passes.parse().ok().filter(|&n| n <= 2).ok_or_else(expected)?;
        let rows = crate::support::fen::parse_rows(rows, self.size as usize, self.size as usize, "XO")?;
        let mut stones = [B::none(); 2];
        for (row, cells) in rows.iter().rev().enumerate() {
            for (column, sign) in cells.iter().enumerate() {
                let Some(sign) = sign else { continue };
                let side = &mut stones[usize::from(*sign == 'O')];
                *side = *side | B::bit(row as u32 * self.size + column as u32);
            }
        }
        let empty = self.all & !(stones[0] | stones[1]);
        for own in stones {
            let living = self.chain(self.around(empty) & own, own);
            if living != own {
                let dead = self.point_name((own & !living).lowest());
                return Err(TextError::new(format!("the chain on {dead} has no liberty")));
            }
        }
        if let Some(point) = forbidden.filter(|&point| !empty.has(point) || passes > 0) {
            return Err(TextError::new(format!("{} cannot be a ko here", self.point_name(point))));
        }
        Ok(self.state(stones, mover, passes, forbidden.map(|point| point as u16)))
    }

    fn image(&self, set: B, index: usize) -> B {
        board::square_images(set, self.size, self.size, index)
    }
}

/// A bit of the filter for a hash.
#[inline]
fn place_in_filter(hash: u64) -> (usize, u32) {
    ((hash >> 61) as usize, (hash >> 55) as u32 & 63)
}

/// A number that looks random, another one for every input.
fn scramble(n: u64) -> u64 {
    let mut x = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl<B: Bits> Game for Go<B> {
    type State = State<B>;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = Key<B>;

    fn start(&self) -> State<B> {
        self.state([B::none(); 2], Player::FIRST, 0, None)
    }

    fn expand(&self, state: &State<B>, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let status = self.status(state);
        if let Status::Turn(_) = status {
            let legal = state.empty(self.all).cells().filter(|&cell| self.legal(state, &[], cell).is_some());
            moves.extend(legal.map(|cell| Move::Place(cell as u16)));
            moves.push(Move::Pass);
        }
        status
    }

    #[inline]
    fn status(&self, state: &State<B>) -> Status<ZeroSum> {
        if state.passes == 2 { Status::Over(ZeroSum(self.score(state.stones))) } else { Status::Turn(state.mover) }
    }

    #[inline]
    fn play(&self, state: &mut State<B>, mv: Move) {
        let placing = match mv {
            Move::Pass => None,
            Move::Place(cell) => {
                let (taken, suicide) = self.taken(state, cell.into()).expect("a legal move");
                Some(Placing { cell: cell.into(), taken, suicide })
            }
        };
        if self.rules.ko != Ko::Simple {
            let board = self.board(state);
            state.past.push(board, mv);
        }
        self.make(state, placing);
    }

    fn key(&self, state: &State<B>) -> Key<B> {
        Key {
            stones: state.stones,
            mover: state.mover.index() as u8,
            passes: state.passes,
            forbidden: state.forbidden.unwrap_or(u16::MAX),
            past: self.pasts.number(&state.past),
        }
    }

    fn facts(&self) -> Facts {
        let cells = (self.size * self.size) as i32;
        let half = [-2 * cells, 2 * cells].map(|area| (area - self.rules.half_points) / self.unit());
        let superko = self.rules.ko != Ko::Simple;
        // Under superko there are at most as many stones played as positions, and between two of them at most one pass.
        let positions = 2.0 * 3f64.powi(cells);
        Facts {
            acyclic: superko,
            history: superko,
            scores: vec![(half[0], half[1]), (-half[1], -half[0])],
            outcomes: Some((half[0]..=half[1]).collect()),
            length: (superko && positions < 1e9).then(|| 2 * positions as u32 + 2),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<B: Bits> Notation for Go<B> {
    /// `9/9/… b 0`, and under superko ` moves …` if there were any.
    fn position_text(&self, state: &State<B>) -> String {
        let past = state.past.oldest_first();
        let first = past.first().map_or(state.stones, |(board, _)| board.stones);
        let rows = (0..self.size).rev().map(|r| {
            crate::support::fen::write_row((0..self.size).map(|c| {
                let cell = r * self.size + c;
                let colour = (0..2).find(|&colour| first[colour].has(cell))?;
                Some(['X', 'O'][colour])
            }))
        });
        // Who moved first follows from the number of moves. Passes before the first position are written, too.
        let mover = state.mover.index() ^ (past.len() % 2);
        let recent = past.iter().rev().take_while(|(_, mv)| *mv == Move::Pass).count();
        let passes = if recent == past.len() { usize::from(state.passes) - recent } else { 0 };
        let mut text = format!("{} {} {passes}", rows.collect::<Vec<_>>().join("/"), ['b', 'w'][mover]);
        if let Some(point) = state.forbidden {
            text.push_str(&format!(" ko={}", self.point_name(point.into())));
        }
        if !past.is_empty() {
            text.push_str(" moves");
        }
        for (_, mv) in past {
            text.push(' ');
            text.push_str(&self.move_text(state, mv));
        }
        text
    }

    fn parse_position(&self, text: &str) -> Result<State<B>, TextError> {
        let (board, moves) = text.split_once(" moves").unwrap_or((text, ""));
        let mut state = self.read_board(board)?;
        for text in moves.split_whitespace() {
            let mv = self.parse_move(&state, text)?;
            self.play(&mut state, mv);
        }
        Ok(state)
    }

    fn move_text(&self, _: &State<B>, mv: Move) -> String {
        match mv {
            Move::Place(cell) => self.point_name(cell.into()),
            Move::Pass => "pass".into(),
        }
    }

    fn parse_move(&self, state: &State<B>, text: &str) -> Result<Move, TextError> {
        if let Status::Over(_) = self.status(state) {
            return Err(TextError::new(format!("no move can be played: the game is over (got \"{text}\")")));
        }
        if text.eq_ignore_ascii_case("pass") {
            return Ok(Move::Pass);
        }
        let last = self.point_name(self.size * self.size - 1);
        let cell = self
            .read_point(text)
            .ok_or_else(|| TextError::new(format!("expected a point from a1 to {last} or pass, got \"{text}\"")))?;
        let reason = if !state.empty(self.all).has(cell) {
            "there is a stone"
        } else if self.taken(state, cell).is_none() {
            "the stone would have no liberty"
        } else if self.legal(state, &[], cell).is_none() {
            "the position would be repeated"
        } else {
            return Ok(Move::Place(cell as u16));
        };
        Err(TextError::new(format!("\"{text}\" is not a legal move here: {reason}")))
    }

    fn drawing(&self, state: &State<B>) -> Drawing {
        let cell = |cell| match (0..2).find(|&colour| state.stones[colour].has(cell)) {
            Some(colour) => Cell::Stone(Player::new(colour)),
            None => Cell::Empty,
        };
        let rows = (0..self.size).rev().map(|r| (0..self.size).map(|c| cell(r * self.size + c)).collect()).collect();
        let letters = (0..self.size).map(|c| self.point_name(c).chars().take(1).collect()).collect();
        let drawing = Drawing { column_labels: letters, ..Drawing::lettered(rows) };
        let area = self.area(state.stones);
        let komi = f64::from(self.rules.half_points) / 2.0;
        drawing.with_note(format!("X is ahead by {area} on the board, komi {komi}; passes: {}", state.passes))
    }
}

impl<B: Bits> Symmetric for Go<B> {
    /// All eight of the square, but none under superko: states with different pasts hardly ever meet.
    fn symmetries(&self) -> usize {
        if self.rules.ko == Ko::Simple { 8 } else { 1 }
    }

    fn transform(&self, state: &State<B>, index: usize) -> State<B> {
        if index == 0 {
            return state.clone();
        }
        let stones = state.stones.map(|set| self.image(set, index));
        let point = |cell: u16| board::square_image(cell.into(), self.size, self.size, index) as u16;
        self.state(stones, state.mover, state.passes, state.forbidden.map(point))
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        match mv {
            Move::Place(cell) => {
                Move::Place(board::square_image(cell.into(), self.size, self.size, index) as u16)
            }
            Move::Pass => Move::Pass,
        }
    }
}

impl<B: Bits> Playouts for Go<B> {
    #[inline]
    fn random_move(
        &self,
        state: &State<B>,
        _: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Move, ZeroSum> {
        let placing = self.draw(state, &[], below)?;
        Ok(placing.map_or(Move::Pass, |placing| Move::Place(placing.cell as u16)))
    }

    /// What a move takes is found once, and the positions since the first are one list.
    fn playout(
        &self,
        state: State<B>,
        most: u32,
        _: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        let draw = |(state, since): &mut (State<B>, Vec<_>)| self.draw(state, since, below);
        playout::run((state, Vec::new()), most, draw, |(state, since), placing| {
            if self.rules.ko != Ko::Simple {
                since.push(self.board(state));
            }
            self.make(state, placing);
        })
    }
}

impl<B: Bits> Heuristic for Go<B> {
    /// Points that one colour alone is near to, and liberties.
    fn heuristic(&self, state: &State<B>) -> f32 {
        let empty = state.empty(self.all);
        let near = state.stones.map(|own| (self.around(own) & empty) | own);
        let wide = near.map(|own| self.around(own) & empty | own);
        let count = |set: B| set.count() as f32;
        let worth = |c: usize| {
            count(state.stones[c]) + count(near[c] & !near[1 - c]) + 0.3 * count(wide[c] & !wide[1 - c])
        };
        let lead = worth(0) - worth(1) - self.rules.half_points as f32 / 4.0;
        let black = (lead / (2 * self.size) as f32).tanh() * 0.9;
        Estimate::from_fn(|p| if p == Player::FIRST { black } else { -black })
    }
}

impl<B: Bits> Features for Go<B> {}
impl<B: Bits> SolverHints for Go<B> {}
impl<B: Bits> OrderingHints for Go<B> {}

impl<B: Bits> Persist for Go<B> {
    /// Keys hold numbers of pasts, given as they are asked about.
    fn stable_keys(&self) -> bool {
        !self.facts().history
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::{dice, draws_evenly};

    /// The legal moves where the positions after the past are a list.
    fn legal(game: &Go<u64>, state: &State<u64>, since: &[Board<u64>]) -> Vec<Move> {
        let cells = state.empty(game.all).cells().filter(|&cell| game.legal(state, since, cell).is_some());
        cells.map(|cell| Move::Place(cell as u16)).chain([Move::Pass]).collect()
    }

    fn playouts_follow_the_rules(size: u32, rules: Rules) {
        let game = Go::<u64>::new(size, rules);
        let mut below = dice();
        for _ in 0..100 {
            let mut state = game.start();
            let (mut drawn, mut since) = (state.clone(), Vec::new());
            for _ in 0..500 {
                let placing = match game.draw(&drawn, &since, &mut below) {
                    Ok(placing) => placing,
                    Err(payoff) => {
                        assert_eq!(game.status(&state), Status::Over(payoff));
                        break;
                    }
                };
                let mut moves = Vec::new();
                game.expand(&state, &mut moves);
                assert_eq!(legal(&game, &drawn, &since), moves, "{}", game.position_text(&state));
                let mv = placing.map_or(Move::Pass, |placing| Move::Place(placing.cell as u16));
                assert!(moves.contains(&mv));
                game.play(&mut state, mv);
                since.push(game.board(&drawn));
                game.make(&mut drawn, placing);
                assert_eq!(State { past: state.past.clone(), ..drawn.clone() }, state);
            }
        }
    }

    #[test]
    fn all_playouts_follow_the_rules() {
        for ko in [Ko::Positional, Ko::Situational, Ko::Simple] {
            for suicide in [false, true] {
                for size in [2, 3, 5] {
                    playouts_follow_the_rules(size, Rules { half_points: 14, ko, suicide });
                }
            }
        }
    }

    #[test]
    fn random_moves_are_uniform() {
        let game = Go::<u64>::new(3, Rules { half_points: 14, ko: Ko::Positional, suicide: false });
        for text in ["3/3/3 b 0", "1XO/XO1/1XO w 0", "1XO/XO1/1XO b 0"] {
            draws_evenly(&game, &game.parse_position(text).unwrap());
        }
    }
}
