//! A board for random games of Go: it keeps chains with their pseudo-liberties and a list of empty points.
//!
//! Points have a border around them: point `(row + 1) · (size + 1) + column + 1`, so that the end of one row borders on
//! the beginning of the next. All arrays are by point; what belongs to a chain lies at one of its points, the root.
//! Empty points and those of the border are their own roots, and what lies there means nothing: so neighbours need not
//! be told apart where liberties are counted. What a branch would decide is mostly a matter of chance here, and so
//! there are few.
//!
//! A chain's pseudo-liberties are its pairs of a stone and an empty point beside it. They are 0 iff its liberties are,
//! and cheap to keep.

use perfectplay_core::{Player, ZeroSum};

#[cfg(test)]
use super::Move;
use super::{Go, Ko, Met, NOWHERE, State};
use crate::support::bits::Bits;
use crate::support::history::History;

const EMPTY: usize = 2;
const BORDER: usize = 3;
/// Above the root of a point lies its colour.
const COLOUR: u32 = 14;

/// Where a cell lies.
pub(super) fn point(cell: u32, size: u32) -> u16 {
    ((cell / size + 1) * (size + 1) + cell % size + 1) as u16
}

/// `LEN` is a power of two with room for all points: an index is cut to it, and no bound need be checked.
pub(super) struct Board<'a, B, const LEN: usize> {
    game: &'a Go<B>,
    /// From a point to the one above it.
    up: usize,
    /// Colour and root of each point.
    places: [u16; LEN],
    /// The next stone of a chain, in a circle.
    next: [u16; LEN],
    liberties: [u16; LEN],
    /// The hashes of the stones of a chain, together.
    hashes: [u64; LEN],
    /// The empty points in any order, `open` of them.
    empty: [u16; LEN],
    open: usize,
    mover: usize,
    passes: u8,
    /// The point that simple ko forbids.
    forbidden: u16,
    hash: u64,
    line: Line,
    history: History,
    before: Option<&'a Met<B>>,
}

/// The positions of a random game, for superko.
struct Line {
    /// The most stones there have been on the board.
    most: u32,
    /// A bit for each of many hashes.
    filter: [u64; 64],
    /// Each position's hash, mover, and how much of the log belongs to it.
    positions: Vec<(u64, u8, u32)>,
    /// Every stone put or taken: point and colour.
    log: Vec<u16>,
}

impl Line {
    fn new(most: u32) -> Self {
        Line { most, filter: [0; 64], positions: Vec::with_capacity(256), log: Vec::with_capacity(512) }
    }

    #[inline]
    fn place(hash: u64) -> (usize, u64) {
        ((hash >> 58) as usize, 1 << (hash >> 52 & 63))
    }

    #[inline]
    fn push(&mut self, hash: u64, mover: u8, stones: u32) {
        let (word, bit) = Self::place(hash);
        self.filter[word] |= bit;
        self.most = self.most.max(stones);
        self.positions.push((hash, mover, self.log.len() as u32));
    }

    #[inline]
    fn may_hold(&self, hash: u64) -> bool {
        let (word, bit) = Self::place(hash);
        self.filter[word] & bit != 0
    }
}

/// What a stone would do.
struct Effect {
    /// Empty points beside it.
    free: u16,
    takes: bool,
    suicide: bool,
    /// A chain of the same colour beside it, or the point itself.
    root: usize,
    /// Whether there are other such chains.
    joins: bool,
}

impl<'a, B: Bits, const LEN: usize> Board<'a, B, LEN> {
    pub(super) fn new(game: &'a Go<B>, state: &State<B>) -> Self {
        let before = game.histories.positions(state.history).next();
        let mut board = Board {
            game,
            up: game.size as usize + 1,
            places: std::array::from_fn(|point| place(BORDER, point)),
            next: [0; LEN],
            liberties: [0; LEN],
            hashes: [0; LEN],
            empty: [0; LEN],
            open: 0,
            mover: state.mover.index(),
            passes: state.passes,
            forbidden: NOWHERE,
            hash: 0,
            line: Line::new(before.map_or(0, |met| met.most.into())),
            history: state.history,
            before,
        };
        if game.rules.ko == Ko::Simple && state.point != NOWHERE {
            board.forbidden = game.points[usize::from(state.point)];
        }
        board.set_up(state);
        board
    }

    fn set_up(&mut self, state: &State<B>) {
        for &point in &self.game.points {
            self.places[usize::from(point) % LEN] = place(EMPTY, point.into());
        }
        for cell in state.empty(self.game.all).cells() {
            self.empty[self.open] = self.game.points[cell as usize];
            self.open += 1;
        }
        for colour in 0..2 {
            for cell in state.stones[colour].cells() {
                let point = usize::from(self.game.points[cell as usize]);
                self.press(point);
                let effect = self.effect(point, colour);
                self.set(point, colour, &effect);
            }
        }
    }

    #[inline]
    fn near(&self, point: usize) -> [usize; 4] {
        [point - 1, point + 1, point - self.up, point + self.up].map(|q| q % LEN)
    }

    #[inline]
    fn colour(&self, point: usize) -> usize {
        usize::from(self.places[point % LEN] >> COLOUR)
    }

    #[inline]
    fn root(&self, point: usize) -> usize {
        usize::from(self.places[point % LEN]) % LEN
    }

    /// The chains beside a point lose it as a liberty.
    #[inline]
    fn press(&mut self, point: usize) {
        for q in self.near(point) {
            let root = self.root(q);
            self.liberties[root] = self.liberties[root].wrapping_sub(1);
        }
    }

    /// The chains beside a point get it as a liberty.
    #[inline]
    fn release(&mut self, point: usize) {
        for q in self.near(point) {
            let root = self.root(q);
            self.liberties[root] = self.liberties[root].wrapping_add(1);
        }
    }

    /// Puts a stone on a point that has been pressed.
    #[inline]
    fn set(&mut self, point: usize, colour: usize, effect: &Effect) {
        let (hash, root) = (self.game.point_hashes[point][colour], effect.root);
        self.hash ^= hash;
        self.places[point] = place(colour, root);
        // It is a chain of one before it becomes part of that of the root, which may be itself.
        self.next[point] = point as u16;
        self.liberties[point] = 0;
        self.hashes[point] = 0;
        self.next.swap(point, root);
        self.liberties[root] += effect.free;
        self.hashes[root] ^= hash;
        if effect.joins {
            self.join_all(point, colour);
        }
    }

    fn join_all(&mut self, point: usize, colour: usize) {
        for q in self.near(point) {
            if self.colour(q) == colour && self.root(q) != self.root(point) {
                self.join(self.root(point), self.root(q), colour);
            }
        }
    }

    /// The stones of the chain of `other` become part of the chain of `root`.
    #[inline]
    fn join(&mut self, root: usize, other: usize, colour: usize) {
        let mut stone = other;
        loop {
            self.places[stone] = place(colour, root);
            stone = usize::from(self.next[stone]) % LEN;
            if stone == other {
                break;
            }
        }
        self.next.swap(root, other);
        self.liberties[root] += self.liberties[other];
        self.hashes[root] ^= self.hashes[other];
    }

    /// Takes a chain off the board.
    fn take_off(&mut self, root: usize) {
        let colour = self.colour(root) as u16;
        self.hash ^= self.hashes[root];
        let mut stone = root;
        loop {
            self.places[stone] = place(EMPTY, stone);
            self.release(stone);
            self.empty[self.open % LEN] = stone as u16;
            self.open += 1;
            self.line.log.push((stone as u16) << 1 | colour);
            stone = usize::from(self.next[stone]) % LEN;
            if stone == root {
                break;
            }
        }
    }

    /// What a stone on an empty point that has been pressed would do.
    #[inline]
    fn effect(&self, point: usize, mover: usize) -> Effect {
        let near = self.near(point).map(|q| (self.colour(q), self.root(q)));
        let (mut free, mut lives, mut takes, mut root) = (0, false, false, point);
        for (colour, chain) in near {
            let dead = self.liberties[chain] == 0;
            free += u16::from(colour == EMPTY);
            lives |= (colour == mover) & !dead;
            takes |= (colour == 1 - mover) & dead;
            root = if colour == mover { chain } else { root };
        }
        let joins = near.iter().fold(false, |joins, &(colour, chain)| joins | (colour == mover) & (chain != root));
        Effect { free, takes, suicide: (free == 0) & !lives & !takes, root, joins }
    }

    /// The hash after a stone on an empty point that has been pressed.
    #[inline]
    fn hash_after(&self, point: usize, effect: &Effect) -> u64 {
        let mut hash = self.hash ^ self.game.point_hashes[point][self.mover];
        if effect.takes || effect.suicide {
            self.for_each_dead(point, effect, |_, root| hash ^= self.hashes[root]);
            if effect.suicide {
                hash ^= self.game.point_hashes[point][self.mover];
            }
        }
        hash
    }

    /// Calls `each` for every chain that a stone on this point takes off.
    #[inline]
    fn for_each_dead(&self, point: usize, effect: &Effect, mut each: impl FnMut(&Self, usize)) {
        let loser = if effect.suicide { self.mover } else { 1 - self.mover };
        let mut done = [0; 4];
        for (i, q) in self.near(point).into_iter().enumerate() {
            let root = self.root(q);
            let dead = self.colour(q) == loser && self.liberties[root] == 0;
            if dead && !done.contains(&root) {
                each(self, root);
                done[i] = root;
            }
        }
    }

    /// Whether the rules allow a stone on an empty point that has been pressed.
    #[inline]
    fn allowed(&self, point: usize, effect: &Effect) -> bool {
        if effect.suicide && (effect.root == point || !self.game.rules.suicide) {
            return false;
        }
        if !self.game.superko() {
            return point != usize::from(self.forbidden);
        }
        // Without captures a position can only return if there were as many stones before.
        let returns = effect.takes || effect.suicide || self.stones_count() < self.line.most;
        !returns || !self.returns(point, effect)
    }

    fn stones_count(&self) -> u32 {
        (self.game.points.len() - self.open) as u32
    }

    fn returns(&self, point: usize, effect: &Effect) -> bool {
        let hash = self.hash_after(point, effect);
        self.line.may_hold(hash) && self.in_line(hash, point, effect)
            || self.before.is_some_and(|met| met.filter.may_hold(hash)) && self.in_history(hash, point, effect)
    }

    /// Whether the position after a stone on this point is one of this random game: all changes since then cancel out.
    #[cold]
    fn in_line(&self, hash: u64, point: usize, effect: &Effect) -> bool {
        let mark = self.mark(1 - self.mover);
        let alike = self.line.positions.iter().filter(|&&(earlier, mover, _)| earlier == hash && mover == mark);
        alike.into_iter().any(|&(_, _, since)| {
            let mut odd = [0u64; 16];
            let mut change = |entry: u16| odd[usize::from(entry >> 6) % 16] ^= 1 << (entry & 63);
            self.line.log[since as usize..].iter().for_each(|&entry| change(entry));
            self.for_each_change(point, effect, change);
            odd == [0; 16]
        })
    }

    /// Calls `each` for every stone put or taken by a stone on this point.
    fn for_each_change(&self, point: usize, effect: &Effect, mut each: impl FnMut(u16)) {
        let loser = if effect.suicide { self.mover } else { 1 - self.mover };
        let entry = |point: usize, colour: usize| (point as u16) << 1 | colour as u16;
        each(entry(point, self.mover));
        if effect.suicide {
            each(entry(point, self.mover));
        }
        self.for_each_dead(point, effect, |board, root| {
            let mut stone = root;
            loop {
                each(entry(stone, loser));
                stone = usize::from(board.next[stone]) % LEN;
                if stone == root {
                    break;
                }
            }
        });
    }

    /// Whether the position after a stone on this point came before this random game.
    #[cold]
    fn in_history(&self, hash: u64, point: usize, effect: &Effect) -> bool {
        let mut stones = self.stones();
        self.for_each_change(point, effect, |entry| {
            let cell = self.game.points.iter().position(|&p| p == entry >> 1).unwrap_or(0);
            let colour = usize::from(entry & 1);
            stones[colour] = stones[colour] ^ B::bit(cell as u32);
        });
        self.game.has_been(self.history, stones, hash, Player::new(1 - self.mover))
    }

    #[inline]
    fn mark(&self, mover: usize) -> u8 {
        self.game.mark(Player::new(mover))
    }

    /// Puts a stone on the empty point with this number in the list, if that is legal.
    #[inline]
    fn place(&mut self, index: usize) -> bool {
        let point = usize::from(self.empty[index % LEN]) % LEN;
        self.press(point);
        let effect = self.effect(point, self.mover);
        if !self.allowed(point, &effect) {
            self.release(point);
            return false;
        }
        self.leave();
        self.open -= 1;
        self.empty[index % LEN] = self.empty[self.open % LEN];
        self.line.log.push((point << 1 | self.mover) as u16);
        self.forbidden = NOWHERE;
        self.set(point, self.mover, &effect);
        if effect.takes {
            self.take_enemies(point, effect.free);
        } else if effect.suicide {
            self.take_off(self.root(point));
        }
        true
    }

    fn take_enemies(&mut self, point: usize, free: u16) {
        let before = self.open;
        for q in self.near(point) {
            let root = self.root(q);
            if self.colour(q) == 1 - self.mover && self.liberties[root] == 0 {
                self.take_off(root);
            }
        }
        // Simple ko: a single stone without another liberty took a single stone.
        let alone = self.next[point] == point as u16;
        if free == 0 && alone && self.open == before + 1 {
            self.forbidden = self.empty[before];
        }
    }

    /// Remembers the present position.
    #[inline]
    fn leave(&mut self) {
        if self.game.superko() {
            self.line.push(self.hash, self.mark(self.mover), self.stones_count());
        }
    }

    /// Plays a random legal move: the point, or [`NOWHERE`] for a pass. Points that turn out illegal are drawn no more,
    /// so all legal moves are equally likely.
    #[inline]
    pub(super) fn step(&mut self, below: &mut impl FnMut(usize) -> usize) -> u16 {
        let mut open = self.open;
        loop {
            let choice = below(open + 1);
            let point = self.empty[choice % LEN];
            if choice == open {
                self.leave();
                self.forbidden = NOWHERE;
                self.passes += 1;
                self.mover = 1 - self.mover;
                return NOWHERE;
            }
            if self.place(choice) {
                self.passes = 0;
                self.mover = 1 - self.mover;
                return point;
            }
            open -= 1;
            self.empty.swap(choice % LEN, open % LEN);
        }
    }

    pub(super) fn over(&self) -> bool {
        self.passes == 2
    }

    pub(super) fn stones(&self) -> [B; 2] {
        let mut stones = [B::none(); 2];
        for (cell, &point) in self.game.points.iter().enumerate() {
            if let Some(own) = stones.get_mut(self.colour(point.into())) {
                *own = *own | B::bit(cell as u32);
            }
        }
        stones
    }

    pub(super) fn run(&mut self, most: u32, below: &mut impl FnMut(usize) -> usize) -> (Option<ZeroSum>, u32) {
        let mut plies = 0;
        while !self.over() && plies < most {
            self.step(below);
            plies += 1;
        }
        let payoff = self.over().then(|| ZeroSum(self.game.score(self.stones())));
        (payoff, plies)
    }
}

#[inline]
fn place(colour: usize, root: usize) -> u16 {
    (colour << COLOUR | root) as u16
}

#[cfg(test)]
impl<B: Bits, const LEN: usize> Board<'_, B, LEN> {
    /// As [`perfectplay_core::Game::expand`] lists them.
    pub(super) fn legal_moves(&mut self) -> Vec<Move> {
        let mut cells: Vec<u16> = Vec::new();
        for i in 0..self.open {
            let point = usize::from(self.empty[i]);
            self.press(point);
            let effect = self.effect(point, self.mover);
            if self.allowed(point, &effect) {
                cells.extend(self.game.points.iter().position(|&p| usize::from(p) == point).map(|cell| cell as u16));
            }
            self.release(point);
        }
        cells.sort_unstable();
        cells.into_iter().map(Move::Place).chain([Move::Pass]).collect()
    }
}
