//! Go: surround more of the board than the other.
//!
//! Cell `row · size + column`, row 0 at the bottom. Area scoring: stones on the board and empty points that only one
//! colour touches. Two passes in a row end the game.
//!
//! Under superko no position may return, so a state knows the history of all positions since the first: see
//! `history.rs`. Keys of states with different histories differ, transpositions hardly ever meet, and a solver works on
//! a tree. With `ko=simple` the state is the board, the mover, the passes and one forbidden point; but then games can
//! run in circles.
//!
//! Nothing about chains is kept in a state: they are found by flooding a bitboard where a move needs them. That keeps
//! states small for search. Random games have a board that keeps chains: see `playout.rs`. What tells quickly that a
//! position is new (how many stones there ever were, a filter of hashes) lies with the history.

mod playout;

use std::hash::{Hash, Hasher};

use perfectplay_core::random::mix;
use perfectplay_core::{
    Cell, Colour, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Lattice, Layout, Look, Notation,
    OptionSet, OrderingHints, Params, Persist, Plain, Player, Playouts, Setting, SolverHints, Status, Successor,
    Symmetric, TextError, Visitor, ZeroSum, options,
};

use crate::support::bits::{Bits, Wide};
use crate::support::board;
use crate::support::history::{Histories, History};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "go",
    summary: "surround more of the board than the other",
    players: "2",
    parameters: Parameters::docs,
    examples: &["go:2", "go:3,komi=0", "go:3,ko=simple,suicide=on", "go:9", "go:13,komi=7.5,ko=situational"],
    rules: "Black moves first. A move puts a stone on an empty point, or passes. Stones of one colour that are \
neighbours along the lines form a chain; the empty points next to it are its liberties. A move takes all enemy chains \
that it leaves without a liberty off the board. A move that then leaves its own chain without a liberty is illegal \
(with `suicide=on` the chain is taken off, unless it is a single stone).

No position of the board may be repeated; a pass is always possible. Two passes in a row end the game. Every player \
scores the stones on the board and the empty points from which only these stones can be reached; White gets `komi` on \
top. With the usual komi of 7 there can be draws. The score is Black's points less White's, in half points if komi is \
not whole.

Positions are written row by row from the top, `X` for Black, `O` for White and numbers for runs of empty points, then \
`b` or `w` for the player to move and the number of passes just made; under superko the first position and all moves \
since then: `2/2 b 0 moves a1 pass`. With `ko=simple` a forbidden point follows as `ko=a1`. Points are written as in \
GTP: columns a, b, … without i, rows from the bottom, and `pass`.",
    sources: &[
        "J. Tromp, B. Taylor, The Logical Rules of Go",
        "E. van der Werf, Solving Go on Small Boards: 5x5 is won by Black with all 25 points",
        "Go Text Protocol, version 2: names of points",
    ],
};

options! {
    struct Parameters {
        size: u32 = Setting::whole("board-size", "lines along a side", 1..=19, 9).positional(),
        komi: f64 = Setting::fraction(
            "komi",
            "points White gets for moving second, whole or with .5",
            -400.0..=400.0,
            7.0,
        ),
        ko: Ko = Setting::choice(
            "ko",
            "which boards may not return",
            &[
                ("positional", "any", Ko::Positional),
                ("situational", "any, with the same player to move", Ko::Situational),
                ("simple", "the one just before", Ko::Simple),
            ],
        ),
        suicide: bool = Setting::switch(
            "suicide",
            "on: two and more stones of one's own may be taken by one's own move",
            false,
        ),
    }
}

/// What other programs have to be told of a game with these parameters: lines along a side, and komi.
pub fn size_and_komi(params: Params) -> Result<(u32, f64), TextError> {
    let Parameters { size, komi, .. } = Parameters::read(INFO.name, params)?;
    Ok((size, komi))
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size, komi, ko, suicide } = Parameters::read(INFO.name, params)?;
    let rules = Rules { half_points: (2.0 * komi) as i32, ko, suicide };
    if f64::from(rules.half_points) != 2.0 * komi {
        return Err(TextError::new(format!("komi must be whole or a half more, got {komi}")));
    }
    Ok(match size {
        ..=7 => visitor.zero_sum(Go::<u64>::new(size, rules)),
        8..=11 => visitor.zero_sum(Go::<u128>::new(size, rules)),
        12..=13 => visitor.zero_sum(Go::<Wide<3>>::new(size, rules)),
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
    /// Random numbers for a black and a white stone on each point.
    hashes: Vec<[u64; 2]>,
    /// Where each cell lies on the board for random games, and the hashes there.
    points: Vec<u16>,
    point_hashes: Vec<[u64; 2]>,
    histories: Histories<Met<B>>,
}

/// A position that has been, and what helps to tell that another one has not.
#[derive(Clone, Copy, Debug)]
struct Met<B> {
    stones: [B; 2],
    /// Who moved, where that matters for repetitions.
    mover: u8,
    // The rest follows from these and the history before.
    /// Where the last stone was put; [`NOWHERE`] after a pass and at first.
    point: u16,
    /// The most stones on the board, so far.
    most: u16,
    hash: u64,
    filter: Filter,
}

impl<B: Bits> PartialEq for Met<B> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        (self.stones, self.mover) == (other.stones, other.mover)
    }
}

impl<B: Bits> Eq for Met<B> {}

impl<B: Bits> Hash for Met<B> {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.hash, self.mover).hash(hasher);
    }
}

/// A Bloom filter of hashes, with three bits for each.
#[derive(Clone, Copy, Debug, Default)]
struct Filter([u64; 8]);

impl Filter {
    /// Words and bits for a hash.
    #[inline]
    fn places(hash: u64) -> [(usize, u64); 3] {
        [0, 9, 18].map(|shift| ((hash >> shift & 7) as usize, 1 << (hash >> (shift + 3) & 63)))
    }

    #[inline]
    fn insert(&mut self, hash: u64) {
        Self::places(hash).iter().for_each(|&(word, bit)| self.0[word] |= bit);
    }

    /// False only if this hash was never put in.
    #[inline]
    fn may_hold(&self, hash: u64) -> bool {
        Self::places(hash).iter().all(|&(word, bit)| self.0[word] & bit != 0)
    }
}

/// No point.
const NOWHERE: u16 = u16::MAX;

/// Who has which stones, who moves, and what has been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<B> {
    /// Black's and White's stones.
    pub stones: [B; 2],
    /// Who moves.
    pub mover: Player,
    /// Passes just made.
    pub passes: u8,
    /// With simple ko the point that it forbids, with superko where the last stone was put; or [`NOWHERE`].
    point: u16,
    history: History,
}

impl<B: Bits> Plain for State<B> {
    const SIZE: usize = 2 * B::SIZE + 7;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        (self.stones, self.turn(), (self.point, self.history)).put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let (stones, turn, (point, history)) = <([B; 2], u8, (u16, History))>::take(bytes)?;
        let (mover, passes) = (Player::new((turn % 2).into()), turn / 2);
        (passes <= 2).then_some(State { stones, mover, passes, point, history })
    }
}

/// What [`Game::key`] gives for Go: a state with a history is known by it and by the last move, others by their stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key<B> {
    stones: [B; 2],
    turn: u8,
    point: u16,
    history: History,
}

/// Bits that a board leaves to the rest of the key.
const SPARE: u32 = 7;

/// Takes no more bytes than the stones: 7 bits at the end of both boards are free. In the last byte of Black's there
/// are the low 7 bits of the point, in that of White's the turn and the next 2 bits of the point; or a mark that a
/// history follows.
impl<B: Bits> Plain for Key<B> {
    const SIZE: usize = 2 * B::SIZE;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        if self.history.is_none() {
            self.stones.put(out);
            out[B::SIZE - 1] |= (self.point as u8) << 1;
            out[Self::SIZE - 1] |= self.turn << 1 | ((self.point >> 7 & 3) as u8) << 4;
        } else {
            out[..Self::SIZE].fill(0);
            (self.history, self.point, self.turn).put(out);
            out[Self::SIZE - 1] = 0x80;
        }
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let (low, high) = (bytes.get(B::SIZE - 1)? >> 1, bytes.get(Self::SIZE - 1)? >> 1);
        if high == 0x40 {
            let (history, point, turn) = Plain::take(bytes)?;
            return Some(Key { stones: [B::none(); 2], turn, point, history });
        }
        let board = B::bit(B::BITS - SPARE).minus_one();
        let stones = <[B; 2]>::take(bytes)?.map(|set| set & board);
        let point = match u16::from(high >> 3) << 7 | u16::from(low) {
            0x1ff => NOWHERE,
            point => point,
        };
        (high & 7 < 6).then_some(Key { stones, turn: high & 7, point, history: History::NONE })
    }
}

/// A stone on a point, or a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A stone on this point.
    Place(u16),
    /// No stone.
    Pass,
}

/// The point, or `NOWHERE` for a pass.
impl Plain for Move {
    const SIZE: usize = 2;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.point().put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        u16::take(bytes).map(Move::from_point)
    }
}

impl Move {
    #[inline]
    fn point(self) -> u16 {
        match self {
            Move::Place(point) => point,
            Move::Pass => NOWHERE,
        }
    }

    #[inline]
    fn from_point(point: u16) -> Self {
        if point == NOWHERE { Move::Pass } else { Move::Place(point) }
    }
}

/// A stone on a point, and what it takes: the enemy's stones or, by suicide, one's own.
#[derive(Clone, Copy)]
struct Placing<B> {
    cell: u32,
    taken: B,
    suicide: bool,
}

/// What superko must know about a state to judge its moves.
struct Watch<'a, B> {
    /// The position before, with its history.
    before: Option<&'a Met<B>>,
    stones: u32,
    hash: u64,
}

impl<B: Bits> Watch<'_, B> {
    /// The present position as one that has been.
    fn met(&self, state: &State<B>, mover: u8) -> Met<B> {
        let (most, mut filter) = self.before.map_or((0, Filter::default()), |met| (met.most, met.filter));
        filter.insert(self.hash);
        let most = most.max(self.stones as u16);
        Met { stones: state.stones, mover, point: state.point, most, hash: self.hash, filter }
    }
}

impl<B: Bits> State<B> {
    /// Who moves and how many passes there were, as a number.
    #[inline]
    fn turn(&self) -> u8 {
        self.mover.index() as u8 | self.passes << 1
    }

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
        assert!(size > 0 && size * size + SPARE <= B::BITS, "{size}x{size} does not fit");
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
            points: Vec::new(),
            point_hashes: Vec::new(),
            histories: Histories::default(),
        };
        go.points = (0..size * size).map(|cell| playout::point(cell, size)).collect();
        go.point_hashes = vec![[0; 2]; usize::from(playout::point(size * size, size))];
        for (&point, &hashes) in go.points.iter().zip(&go.hashes) {
            go.point_hashes[usize::from(point)] = hashes;
        }
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

    /// The stones a move on an empty point takes, the enemy's or one's own; `None` if it is suicide that is not
    /// allowed.
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

    /// Stones after a move that takes something or not.
    #[inline]
    fn placed(&self, state: &State<B>, placing: Placing<B>) -> [B; 2] {
        let (me, they) = (state.mover.index(), state.mover.opponent().index());
        let mut stones = state.stones;
        stones[me] = stones[me] | B::bit(placing.cell);
        let loser = if placing.suicide { me } else { they };
        stones[loser] = stones[loser] & !placing.taken;
        stones
    }

    fn superko(&self) -> bool {
        self.rules.ko != Ko::Simple
    }

    /// The hash of other stones, from that of `stones`: where little has changed that is little work.
    #[inline]
    fn hash_after(&self, mut hash: u64, stones: [B; 2], after: [B; 2]) -> u64 {
        for colour in 0..2 {
            let changed = (stones[colour] ^ after[colour]).cells();
            changed.for_each(|cell| hash ^= self.hashes[cell as usize][colour]);
        }
        hash
    }

    #[inline]
    fn watch(&self, state: &State<B>) -> Watch<'_, B> {
        if !self.superko() {
            return Watch { before: None, stones: 0, hash: 0 };
        }
        let before = self.histories.positions(state.history).next();
        let (hash, stones) = before.map_or((0, [B::none(); 2]), |met| (met.hash, met.stones));
        let hash = self.hash_after(hash, stones, state.stones);
        Watch { before, stones: state.stones[0].count() + state.stones[1].count(), hash }
    }

    /// What a move on an empty point does, if it is legal.
    #[inline]
    fn legal(&self, state: &State<B>, watch: &Watch<B>, cell: u32) -> Option<Placing<B>> {
        let (taken, suicide) = self.taken(state, cell)?;
        let placing = Placing { cell, taken, suicide };
        let legal = if self.superko() { !self.returns(state, watch, placing) } else { state.point != cell as u16 };
        legal.then_some(placing)
    }

    /// Whether superko forbids what a move leads to.
    #[inline]
    fn returns(&self, state: &State<B>, watch: &Watch<B>, placing: Placing<B>) -> bool {
        let Some(before) = watch.before else { return false };
        // There never were so many stones.
        if placing.taken.is_none() && watch.stones >= before.most.into() {
            return false;
        }
        let stones = self.placed(state, placing);
        let hash = self.hash_after(watch.hash, state.stones, stones);
        before.filter.may_hold(hash) && self.has_been(state.history, stones, hash, state.mover.opponent())
    }

    /// Whether a position is in a history.
    #[cold]
    fn has_been(&self, history: History, stones: [B; 2], hash: u64, mover: Player) -> bool {
        let mover = self.mark(mover);
        let count = (stones[0].count() + stones[1].count()) as u16;
        // Further back there never were so many stones.
        let positions = self.histories.positions(history).take_while(|met| met.most >= count);
        positions.filter(|met| met.hash == hash).any(|met| met.stones == stones && met.mover == mover)
    }

    /// A random move, `None` for a pass, or how the game ended. Draws until it hits a legal move: all legal moves are
    /// equally likely.
    #[inline]
    fn draw(&self, state: &State<B>, below: &mut impl FnMut(usize) -> usize) -> Result<Option<Placing<B>>, ZeroSum> {
        if let Status::Over(payoff) = self.status(state) {
            return Err(payoff);
        }
        let watch = self.watch(state);
        let mut open = state.empty(self.all);
        let mut count = open.count();
        loop {
            let choice = below(count as usize + 1) as u32;
            if choice == count {
                return Ok(None);
            }
            let cell = open.nth(choice);
            if let Some(placing) = self.legal(state, &watch, cell) {
                return Ok(Some(placing));
            }
            open = open ^ B::bit(cell);
            count -= 1;
        }
    }

    /// The history after leaving this state.
    #[inline]
    fn left(&self, state: &State<B>, watch: &Watch<B>) -> History {
        if !self.superko() {
            return History::NONE;
        }
        self.histories.push(state.history, watch.met(state, self.mark(state.mover)))
    }

    /// The state after a move, or a pass.
    #[inline]
    fn made(&self, state: &State<B>, placing: Option<Placing<B>>, history: History) -> State<B> {
        let mover = state.mover.opponent();
        let Some(placing) = placing else {
            return State { mover, passes: state.passes + 1, point: NOWHERE, history, stones: state.stones };
        };
        let stones = self.placed(state, placing);
        let next = State { stones, mover, passes: 0, point: placing.cell as u16, history };
        if self.superko() { next } else { State { point: self.forbidden(&next, placing), ..next } }
    }

    /// The point that simple ko forbids after this move: a single stone took a single stone.
    #[inline]
    fn forbidden(&self, after: &State<B>, placing: Placing<B>) -> u16 {
        let next = self.neighbours[placing.cell as usize];
        let alone = (next & after.stones[after.mover.opponent().index()]).is_none();
        let one = !placing.suicide && placing.taken.count() == 1;
        if one && alone && next & after.empty(self.all) == placing.taken {
            placing.taken.lowest() as u16
        } else {
            NOWHERE
        }
    }

    /// Calls `each` with every legal move, in order, and the state it leads to.
    #[inline]
    fn for_each_child(&self, state: &State<B>, mut each: impl FnMut(Move, State<B>)) -> Status<ZeroSum> {
        let status = self.status(state);
        if let Status::Turn(_) = status {
            let watch = self.watch(state);
            let history = self.left(state, &watch);
            for placing in state.empty(self.all).cells().filter_map(|cell| self.legal(state, &watch, cell)) {
                each(Move::Place(placing.cell as u16), self.made(state, Some(placing), history));
            }
            each(Move::Pass, self.made(state, None, history));
        }
        status
    }

    /// The mover, where it matters for repetitions.
    fn mark(&self, mover: Player) -> u8 {
        if self.rules.ko == Ko::Situational { mover.index() as u8 } else { 0 }
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
            TextError::new(format!(
                "expected the rows, b or w, and 0, 1 or 2 passes, like \"9/9/… b 0\"; got \"{text}\""
            ))
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
        let point = forbidden.map_or(NOWHERE, |point| point as u16);
        Ok(State { stones, mover, passes, point, history: History::NONE })
    }

    fn image_of_point(&self, point: u16, index: usize) -> u16 {
        match point {
            NOWHERE => NOWHERE,
            cell => board::square_image(cell.into(), self.size, self.size, index) as u16,
        }
    }

    fn image(&self, set: B, index: usize) -> B {
        board::square_images(set, self.size, self.size, index)
    }
}

/// A number that looks random, another one for every input.
fn scramble(n: u64) -> u64 {
    mix((n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

impl<B: Bits> Game for Go<B> {
    type State = State<B>;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = Key<B>;

    fn start(&self) -> State<B> {
        State { stones: [B::none(); 2], mover: Player::FIRST, passes: 0, point: NOWHERE, history: History::NONE }
    }

    fn expand(&self, state: &State<B>, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let status = self.status(state);
        if let Status::Turn(_) = status {
            let watch = self.watch(state);
            let legal = state.empty(self.all).cells().filter(|&cell| self.legal(state, &watch, cell).is_some());
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
        let history = self.left(state, &self.watch(state));
        *state = self.made(state, placing, history);
    }

    #[inline]
    fn key(&self, state: &State<B>) -> Key<B> {
        let stones = if state.history.is_none() { state.stones } else { [B::none(); 2] };
        Key { stones, turn: state.turn(), point: state.point, history: state.history }
    }

    /// The history of all children is one.
    #[inline]
    fn children(
        &self,
        state: &State<B>,
        moves: &mut Vec<Move>,
        children: &mut Vec<(State<B>, Key<B>)>,
    ) -> Status<ZeroSum> {
        self.for_each_child(state, |mv, child| {
            moves.push(mv);
            children.push((child, self.key(&child)));
        })
    }

    fn facts(&self) -> Facts {
        let cells = (self.size * self.size) as i32;
        let half = [-2 * cells, 2 * cells].map(|area| (area - self.rules.half_points) / self.unit());
        let superko = self.superko();
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
        let past = self.histories.oldest_first(state.history);
        let first = past.first().map_or(state.stones, |met| met.stones);
        let rows = (0..self.size).rev().map(|r| {
            crate::support::fen::write_row((0..self.size).map(|c| {
                let cell = r * self.size + c;
                let colour = (0..2).find(|&colour| first[colour].has(cell))?;
                Some(['X', 'O'][colour])
            }))
        });
        // Who moved first follows from the number of moves. Passes before the first position are written, too.
        let mover = state.mover.index() ^ (past.len() % 2);
        let points = past.iter().skip(1).map(|met| met.point).chain((!past.is_empty()).then_some(state.point));
        let moves: Vec<Move> = points.map(Move::from_point).collect();
        let recent = moves.iter().rev().take_while(|mv| **mv == Move::Pass).count();
        let passes = if recent == moves.len() { usize::from(state.passes) - recent } else { 0 };
        let mut text = format!("{} {} {passes}", rows.collect::<Vec<_>>().join("/"), ['b', 'w'][mover]);
        if !self.superko() && state.point != NOWHERE {
            text.push_str(&format!(" ko={}", self.point_name(state.point.into())));
        }
        if !moves.is_empty() {
            text.push_str(" moves");
        }
        for mv in moves {
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
        } else if self.legal(state, &self.watch(state), cell).is_none() {
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
        let drawing = Drawing { column_labels: letters, look: Look::Crossings, ..Drawing::lettered(rows) };
        let area = self.area(state.stones);
        let komi = f64::from(self.rules.half_points) / 2.0;
        drawing
            .in_colours([Colour::Black, Colour::White])
            .with_legend([format!("{area:+} on the board"), format!("komi {komi}")])
            .with_note(format!("passes: {}", state.passes))
    }
}

impl<B: Bits> Symmetric for Go<B> {
    /// All eight of the square, but none under superko: states with different pasts hardly ever meet.
    fn symmetries(&self) -> usize {
        if self.rules.ko == Ko::Simple { 8 } else { 1 }
    }

    fn transform(&self, state: &State<B>, index: usize) -> State<B> {
        if index == 0 {
            return *state;
        }
        let stones = state.stones.map(|set| self.image(set, index));
        State { stones, point: self.image_of_point(state.point, index), ..*state }
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        Move::from_point(self.image_of_point(mv.point(), index))
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
        let placing = self.draw(state, below)?;
        Ok(placing.map_or(Move::Pass, |placing| Move::Place(placing.cell as u16)))
    }

    /// On a board that keeps chains.
    fn playout(
        &self,
        state: State<B>,
        most: u32,
        _: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        // The smallest power of two that the points with their border fit into, for each type of board.
        match B::BITS {
            ..=64 => playout::Board::<B, 128>::new(self, &state).run(most, below),
            65..=192 => playout::Board::<B, 256>::new(self, &state).run(most, below),
            _ => playout::Board::<B, 512>::new(self, &state).run(most, below),
        }
    }
}

impl<B: Bits> Heuristic for Go<B> {
    /// Points that one colour alone is near to, and liberties.
    fn heuristic(&self, state: &State<B>) -> f32 {
        let empty = state.empty(self.all);
        let near = state.stones.map(|own| (self.around(own) & empty) | own);
        let wide = near.map(|own| self.around(own) & empty | own);
        let count = |set: B| set.count() as f32;
        let worth =
            |c: usize| count(state.stones[c]) + count(near[c] & !near[1 - c]) + 0.3 * count(wide[c] & !wide[1 - c]);
        let lead = worth(0) - worth(1) - self.rules.half_points as f32 / 4.0;
        let black = (lead / (2 * self.size) as f32).tanh() * 0.9;
        Estimate::from_fn(|p| if p == Player::FIRST { black } else { -black })
    }
}

impl<B: Bits> Features for Go<B> {
    fn layout(&self) -> Option<Layout> {
        let cells = (0..self.size * self.size).map(|cell| ((cell % self.size) as i16, (cell / self.size) as i16));
        let numbers = &["passes", "komi for the mover"];
        Some(Layout { lattice: Lattice::Square, cells: cells.collect(), values: 4, numbers })
    }

    /// 0 empty, 1 mine, 2 theirs, 3 empty but forbidden by ko.
    fn cell_values(&self, state: &State<B>, out: &mut Vec<u8>) {
        let watch = self.watch(state);
        let (mine, theirs) = (state.stones[state.mover.index()], state.stones[state.mover.opponent().index()]);
        out.extend((0..self.size * self.size).map(|cell| match (mine.has(cell), theirs.has(cell)) {
            (true, _) => 1,
            (_, true) => 2,
            _ => 3 * u8::from(self.taken(state, cell).is_some() && self.legal(state, &watch, cell).is_none()),
        }));
    }

    fn numbers(&self, state: &State<B>, out: &mut Vec<f32>) {
        let komi = self.rules.half_points as f32 / (2 * self.size * self.size) as f32;
        let mine = if state.mover == Player::FIRST { -komi } else { komi };
        out.extend([f32::from(state.passes) / 2.0, mine.clamp(-1.0, 1.0)]);
    }

    fn viewer(&self, state: &State<B>) -> Player {
        state.mover
    }
}

impl<B: Bits> SolverHints for Go<B> {
    /// The history of all successors is one.
    fn solver_successors(
        &self,
        state: &State<B>,
        _: &mut Vec<Move>,
        successors: &mut Vec<Successor<State<B>, Move>>,
    ) -> Status<ZeroSum> {
        let (lower, upper) = self.score_bounds(state);
        self.for_each_child(state, |mv, state| successors.push(Successor { mv, state, lower, upper }))
    }
}

impl<B: Bits> OrderingHints for Go<B> {}

impl<B: Bits> Persist for Go<B> {
    /// Keys hold numbers of histories, given as they are met.
    fn stable_keys(&self) -> bool {
        !self.facts().history
    }

    fn kept_bytes(&self) -> usize {
        self.histories.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::{dice, draws_evenly};

    fn playouts_follow_the_rules<B: Bits>(size: u32, rules: Rules) {
        let game = Go::<B>::new(size, rules);
        let mut below = dice();
        for _ in 0..40 {
            let mut state = game.start();
            let mut board = playout::Board::<B, 256>::new(&game, &state);
            for ply in 0..400 {
                if ply % 30 == 29 {
                    board = playout::Board::new(&game, &state); // as if the random game began here
                }
                let mut moves = Vec::new();
                let status = game.expand(&state, &mut moves);
                assert_eq!(board.over(), matches!(status, Status::Over(_)));
                if board.over() {
                    break;
                }
                let text = game.position_text(&state);
                assert_eq!(board.legal_moves(), moves, "{text}");
                let point = board.step(&mut below);
                let cell = game.points.iter().position(|&p| p == point);
                let mv = cell.map_or(Move::Pass, |cell| Move::Place(cell as u16));
                assert!(moves.contains(&mv), "{mv:?} in {text}");
                game.play(&mut state, mv);
                assert_eq!(board.stones(), state.stones, "after {mv:?} in {text}");
            }
        }
    }

    #[test]
    fn all_playouts_follow_the_rules() {
        for ko in [Ko::Positional, Ko::Situational, Ko::Simple] {
            for suicide in [false, true] {
                for size in [1, 2, 3, 5] {
                    playouts_follow_the_rules::<u64>(size, Rules { half_points: 14, ko, suicide });
                }
                playouts_follow_the_rules::<u128>(9, Rules { half_points: 14, ko, suicide });
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
