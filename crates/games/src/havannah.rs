//! Havannah: a bridge between two corners, a fork between three sides, or a ring wins.
//!
//! Cells lie at (x, y), x to the right and y downwards, on the hexagon |x|, |y|, |x + y| < base around the centre; the
//! neighbours of a cell are at (±1, 0), (0, ±1), (1, -1), (-1, 1).
//!
//! Beside the stones a state keeps the groups as a forest of links, each root with the corners and sides its group touches,
//! so that a stone costs a handful of steps. What a new stone can complete:
//! - a bridge or a fork: its merged group touches two corners or three sides;
//! - a ring round a cell that is not the ring's own colour: then the stone joins two stretches of neighbours, separate round
//!   the stone, that hang together already;
//! - a ring round cells of its own colour only: then some cell and its six neighbours are all of that colour.

use perfectplay_core::{Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Notation, OptionInfo, OrderingHints, Params, Payoff, Persist, Player, Playouts, Shape, SolverHints, Status, Symmetric, TextError, Visitor, ZeroSum, column_letters};

use crate::support::bits::{Bits, Wide};
use crate::support::{fen, playout};

/// Name and parameters.
pub const INFO: GameInfo = GameInfo {
    name: "havannah",
    summary: "a bridge, a fork or a ring on a hexagon wins",
    players: "2",
    parameters: &[
        OptionInfo { name: "BASE", meaning: "cells along a side, also base=…; 2 to 10", default: "8" },
        OptionInfo { name: "swap", meaning: "whether the second player may take over the first stone", default: "on" },
    ],
    examples: &["havannah:2", "havannah:4,swap=off", "havannah:8", "havannah:10"],
    rules: "Players put a stone on an empty cell of a hexagonal board in turn. Three things win: a bridge joins two of the six corners, a fork joins three of the six sides \
(corners belong to no side), a ring surrounds at least one cell, whatever is on it. A full board without them is a draw. With `swap=on` the second player may answer the first stone with \
`swap`: the stone stays, the players exchange colours.

Positions are written row by row from the top, `X` for the first colour, `O` for the second, numbers for runs of empty cells, with `swapped` after them if the players \
have exchanged colours. Cells are a letter for the diagonal and a number for the row, counted from the bottom.",
    sources: &["C. Freeling, Havannah (1979)", "T. Ewalds, Playing and Solving Havannah (2012)"],
};

/// Builds the board type that fits the size.
pub fn open<V: Visitor>(mut params: Params, visitor: V) -> Result<V::Output, TextError> {
    let base = params.take_first_number("base", 2..=10)?.unwrap_or(8) as u32;
    let swap = params.take_switch("swap", true)?;
    params.finish(INFO.name, INFO.parameters)?;
    Ok(match 3 * base * (base - 1) + 1 {
        ..=64 => visitor.zero_sum(Havannah::<u64, 64>::new(base, swap)),
        65..=128 => visitor.zero_sum(Havannah::<u128, 128>::new(base, swap)),
        129..=169 => visitor.zero_sum(Havannah::<Wide<3>, 170>::new(base, swap)),
        _ => visitor.zero_sum(Havannah::<Wide<5>, 272>::new(base, swap)),
    })
}

/// The six neighbours in the order of the clock.
const AROUND: [(i32, i32); 6] = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];
/// Marks the root of a group; its low bits are the corners (6) and sides (6) the group touches.
const ROOT: u16 = 0x8000;
/// Marks a stone, with its colour in the bit below. The rest of a stone that is no root is the way to it.
const STONE: u16 = 0x4000;
const SIGN: u16 = 0x6000;
const LOW: u16 = 0x0fff;
const CORNERS: u16 = 0x003f;
const SIDES: u16 = 0x0fc0;

/// What a stone of `colour` is marked with.
fn sign(colour: usize) -> u16 {
    STONE | (colour as u16) << 13
}

/// The rules on a board of fewer than `N` cells: the last of `N` links is beyond the edge and always empty.
#[derive(Clone, Debug)]
pub struct Havannah<B, const N: usize> {
    base: u32,
    swap: bool,
    all: B,
    /// Where each cell lies.
    places: Vec<(i32, i32)>,
    neighbours: Vec<[u16; 6]>,
    /// What each cell touches: a root of a group of one.
    touches: Vec<u16>,
    images: Vec<Vec<u16>>,
}

/// Stones by colour. Their number says which colour moves.
#[derive(Clone, Copy, Debug)]
pub struct Stones<B, const N: usize> {
    /// The stones of each colour.
    pub stones: [B; 2],
    count: u16,
    /// Whether the players have exchanged colours.
    pub swapped: bool,
    /// Whether the last stone won.
    won: bool,
    /// For each stone its colour, and its parent in its group or what a root says; 0 where there is none. Nothing in it
    /// that the stones do not say.
    links: [u16; N],
}

impl<B: Bits, const N: usize> PartialEq for Stones<B, N> {
    fn eq(&self, other: &Self) -> bool {
        (self.stones, self.swapped) == (other.stones, other.swapped)
    }
}

impl<B: Bits, const N: usize> Eq for Stones<B, N> {}

impl<B: Bits, const N: usize> Stones<B, N> {
    fn empty() -> Self {
        Stones { stones: [B::none(); 2], count: 0, swapped: false, won: false, links: [0; N] }
    }

    /// The colour to move.
    fn colour(&self) -> usize {
        usize::from(self.count % 2)
    }

    fn player(&self, colour: usize) -> Player {
        Player::new(colour ^ usize::from(self.swapped))
    }
}

/// The root of the group of `cell`; shortens the way on the way.
#[inline]
fn root<const N: usize>(links: &mut [u16; N], mut cell: u16) -> u16 {
    loop {
        let up = links[cell as usize];
        if up & ROOT != 0 {
            return cell;
        }
        let parent = up & LOW;
        let further = links[parent as usize];
        if further & ROOT != 0 {
            return parent;
        }
        links[cell as usize] = further;
        cell = further & LOW;
    }
}

/// A stone, or taking over the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A stone on this cell.
    Place(u16),
    /// The players exchange colours.
    Swap,
}

impl<B: Bits, const N: usize> Havannah<B, N> {
    /// The rules with `base` cells along a side.
    ///
    /// # Panics
    /// If the board does not fit.
    pub fn new(base: u32, swap: bool) -> Self {
        let last = base as i32 - 1;
        let on = |(x, y): (i32, i32)| x.abs().max(y.abs()).max((x + y).abs()) <= last;
        let rows = (-last..=last).flat_map(|y| (-last..=last).map(move |x| (x, y)));
        let places: Vec<(i32, i32)> = rows.filter(|&p| on(p)).collect();
        assert!(base >= 2 && places.len() < N && places.len() <= B::BITS as usize, "base {base} does not fit");
        let index = |place: (i32, i32)| places.iter().position(|&p| p == place).map_or(N as u16 - 1, |i| i as u16);
        let neighbours = places.iter().map(|&(x, y)| AROUND.map(|(dx, dy)| index((x + dx, y + dy)))).collect();
        // On side i the i-th of these is at its greatest; in a corner two of them are.
        let touches = |&(x, y): &(i32, i32)| {
            let extremes = [x, x + y, y, -x, -x - y, -y].map(|v| v == last);
            match (0..6).find(|&i| extremes[i]) {
                None => ROOT,
                Some(i) if extremes[(i + 1) % 6] => ROOT | 1 << i,
                Some(0) if extremes[5] => ROOT | 1 << 5,
                Some(i) => ROOT | 1 << (6 + i),
            }
        };
        let image = |s: usize, &(x, y): &(i32, i32)| {
            let z = -x - y;
            let (x, y) = [(x, y), (y, z), (z, x), (y, x), (z, y), (x, z)][s % 6];
            index(if s < 6 { (x, y) } else { (-x, -y) })
        };
        Havannah {
            base,
            swap,
            all: (0..places.len() as u32).fold(B::none(), |set, c| set | B::bit(c)),
            touches: places.iter().map(touches).collect(),
            images: (0..12).map(|s| places.iter().map(|p| image(s, p)).collect()).collect(),
            neighbours,
            places,
        }
    }

    fn cells(&self) -> usize {
        self.places.len()
    }

    fn free(&self, state: &Stones<B, N>) -> B {
        self.all & !(state.stones[0] | state.stones[1])
    }

    fn can_swap(&self, state: &Stones<B, N>) -> bool {
        self.swap && state.count == 1 && !state.swapped
    }

    /// Puts a stone of `colour` on `cell` and says whether it completes something.
    #[inline]
    fn put(&self, state: &mut Stones<B, N>, colour: usize, cell: u16) -> bool {
        state.stones[colour] = state.stones[colour] | B::bit(cell.into());
        self.join(&mut state.links, colour, cell)
    }

    /// Joins a new stone to the groups beside it and says whether it completes something.
    #[inline]
    fn join(&self, links: &mut [u16; N], colour: usize, cell: u16) -> bool {
        let sign = sign(colour);
        let neighbours = &self.neighbours[cell as usize];
        let own = |i: usize| u32::from(links[neighbours[i] as usize] & SIGN == sign) << i;
        let own = own(0) | own(1) | own(2) | own(3) | own(4) | own(5);
        links[cell as usize] = self.touches[cell as usize] | sign;
        // Where a stretch of own stones begins, clockwise.
        let before = (own << 1 | own >> 5) & 0x3f;
        let mut begins = if own == 0x3f { 1 } else { own & !before };
        let mut ring = false;
        let mut here = cell;
        while begins != 0 {
            let root = root(links, neighbours[begins.trailing_zeros() as usize]);
            begins &= begins - 1;
            if root == here {
                ring = true;
            } else {
                links[root as usize] |= links[here as usize];
                links[here as usize] = sign | root;
                here = root;
            }
        }
        let touched = links[here as usize];
        let after = own >> 1 | (own & 1) << 5;
        ring || (touched & CORNERS).count_ones() >= 2
            || (touched & SIDES).count_ones() >= 3
            || self.any_filled(links, neighbours, own & before & after, sign)
    }

    /// Whether one of `centres` (as indices of neighbours) has six neighbours with this sign.
    fn any_filled(&self, links: &[u16; N], neighbours: &[u16; 6], mut centres: u32, sign: u16) -> bool {
        while centres != 0 {
            let centre = neighbours[centres.trailing_zeros() as usize];
            if self.neighbours[centre as usize].iter().all(|&n| links[n as usize] & SIGN == sign) {
                return true;
            }
            centres &= centres - 1;
        }
        false
    }

    /// Whether these stones have won.
    fn has_won(&self, stones: B) -> bool {
        let mut state = Stones::empty();
        stones.cells().any(|c| self.put(&mut state, 0, c as u16))
    }

    fn name(&self, cell: u16) -> String {
        let (x, y) = self.places[cell as usize];
        let last = self.base as i32 - 1;
        format!("{}{}", column_letters((x + last) as usize), last - y + 1)
    }

    /// The cells row by row from the top.
    fn rows(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let last = self.base as i32 - 1;
        (-last..=last).map(|y| (0..self.cells()).filter(|&c| self.places[c].1 == y).collect())
    }

    fn parse_stones(&self, text: &str) -> Result<[B; 2], TextError> {
        let rows: Vec<&str> = text.split('/').collect();
        let expected = 2 * self.base as usize - 1;
        if rows.len() != expected {
            return Err(TextError::new(format!("expected {expected} rows, got {}", rows.len())));
        }
        let mut stones = [B::none(); 2];
        for (cells, row) in self.rows().zip(rows) {
            let pieces = fen::parse_rows(row, cells.len(), 1, "XO")
                .map_err(|_| TextError::new(format!("expected a row of {} cells (X, O, numbers), got \"{row}\"", cells.len())))?;
            for (cell, piece) in cells.into_iter().zip(&pieces[0]) {
                if let Some(sign) = piece {
                    let colour = usize::from(*sign == 'O');
                    stones[colour] = stones[colour] | B::bit(cell as u32);
                }
            }
        }
        Ok(stones)
    }

    /// What a colour's best group touches, and how large its groups are.
    fn solver_successors(&self, state: &Stones<B, N>, colour: usize) -> f32 {
        let mut links = state.links;
        let mut sizes = [0u16; N];
        state.stones[colour].cells().for_each(|c| sizes[root(&mut links, c as u16) as usize] += 1);
        let group = |root: usize| {
            let touched = state.links[root];
            let goals = 2 * (touched & CORNERS).count_ones() + (touched & SIDES).count_ones();
            (1 + goals) as f32 * f32::from(sizes[root]).sqrt()
        };
        (0..self.cells()).filter(|&c| sizes[c] > 0).map(|c| group(c).powi(2)).sum::<f32>()
    }
}

impl<B: Bits, const N: usize> Game for Havannah<B, N> {
    type State = Stones<B, N>;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = ([B; 2], bool);

    fn start(&self) -> Stones<B, N> {
        Stones::empty()
    }

    fn expand(&self, state: &Stones<B, N>, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let status = self.status(state);
        if let Status::Turn(_) = status {
            moves.extend(self.free(state).cells().map(|c| Move::Place(c as u16)));
            if self.can_swap(state) {
                moves.push(Move::Swap);
            }
        }
        status
    }

    fn status(&self, state: &Stones<B, N>) -> Status<ZeroSum> {
        if state.won {
            Status::Over(ZeroSum::win_for(state.player(1 - state.colour())))
        } else if usize::from(state.count) == self.cells() {
            Status::Over(ZeroSum::draw())
        } else {
            Status::Turn(state.player(state.colour()))
        }
    }

    fn play(&self, state: &mut Stones<B, N>, mv: Move) {
        match mv {
            Move::Place(cell) => {
                state.won = self.put(state, state.colour(), cell);
                state.count += 1;
            }
            Move::Swap => state.swapped = true,
        }
    }

    fn key(&self, state: &Stones<B, N>) -> ([B; 2], bool) {
        (state.stones, state.swapped)
    }

    fn facts(&self) -> Facts {
        let cells = self.cells() as u32;
        Facts {
            length: Some(cells + u32::from(self.swap)),
            states: Some(2.0 * 3f64.powi(cells as i32)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<B: Bits, const N: usize> Notation for Havannah<B, N> {
    fn position_text(&self, state: &Stones<B, N>) -> String {
        let sign = |c: usize| match state.stones.map(|set| set.has(c as u32)) {
            [true, _] => Some('X'),
            [_, true] => Some('O'),
            _ => None,
        };
        let rows: Vec<String> = self.rows().map(|row| fen::write_row(row.into_iter().map(sign))).collect();
        rows.join("/") + if state.swapped { " swapped" } else { "" }
    }

    fn parse_position(&self, text: &str) -> Result<Stones<B, N>, TextError> {
        let (board, swapped) = match text.trim().strip_suffix(" swapped") {
            Some(board) => (board.trim_end(), true),
            None => (text.trim(), false),
        };
        let stones = self.parse_stones(board)?;
        let [x, o] = stones.map(Bits::count);
        if x != o && x != o + 1 {
            return Err(TextError::new(format!("X must have as many stones as O or one more, but there are {x} X and {o} O")));
        }
        if swapped && (!self.swap || x == 0) {
            return Err(TextError::new("nobody can have swapped here"));
        }
        let mut state = Stones { count: (x + o) as u16, swapped, ..Stones::empty() };
        let last = stones[1 - state.colour()];
        let without_last = || last.cells().any(|c| !self.has_won(last ^ B::bit(c)));
        if self.has_won(stones[state.colour()]) || self.has_won(last) && !without_last() {
            return Err(TextError::new("the game was over before the last stone was placed"));
        }
        for (colour, set) in stones.into_iter().enumerate() {
            for cell in set.cells() {
                state.won |= self.put(&mut state, colour, cell as u16);
            }
        }
        Ok(state)
    }

    fn move_text(&self, _: &Stones<B, N>, mv: Move) -> String {
        match mv {
            Move::Place(cell) => self.name(cell),
            Move::Swap => "swap".into(),
        }
    }

    fn drawing(&self, state: &Stones<B, N>) -> Drawing {
        let cell = |c: usize| match state.stones.map(|set| set.has(c as u32)) {
            [true, _] => Cell::Stone(Player::FIRST),
            [_, true] => Cell::Stone(Player::SECOND),
            _ => Cell::Empty,
        };
        let rows: Vec<Vec<usize>> = self.rows().collect();
        let height = rows.len();
        let drawing = Drawing {
            shape: Shape::Hex,
            indents: rows.iter().map(|row| height - row.len()).collect(),
            row_labels: rows.iter().map(|row| self.name(row[0] as u16)).collect(),
            ..Drawing::square(rows.iter().map(|row| row.iter().map(|&c| cell(c)).collect()).collect())
        };
        let drawing = drawing.with_note("each row begins with the cell named at its left; letters go on to the right");
        if state.swapped { drawing.with_note("the players have exchanged colours") } else { drawing }
    }
}

impl<B: Bits, const N: usize> Symmetric for Havannah<B, N> {
    fn symmetries(&self) -> usize {
        self.images.len()
    }

    fn transform(&self, state: &Stones<B, N>, index: usize) -> Stones<B, N> {
        let images = &self.images[index];
        let mut image = Stones { stones: [B::none(); 2], links: [0; N], ..*state };
        for (colour, set) in state.stones.into_iter().enumerate() {
            for cell in set.cells() {
                self.put(&mut image, colour, images[cell as usize]);
            }
        }
        image
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        match mv {
            Move::Place(cell) => Move::Place(self.images[index][cell as usize]),
            Move::Swap => Move::Swap,
        }
    }
}

impl<B: Bits, const N: usize> Playouts for Havannah<B, N> {
    fn random_move(
        &self,
        state: &Stones<B, N>,
        _: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Move, ZeroSum> {
        if let Status::Over(payoff) = self.status(state) {
            return Err(payoff);
        }
        let free = self.cells() - usize::from(state.count);
        let choice = below(free + usize::from(self.can_swap(state)));
        Ok(if choice == free { Move::Swap } else { Move::Place(self.free(state).nth(choice as u32) as u16) })
    }

    /// With a list of the free cells, from which one is drawn faster than from a set; the sets of stones are left as they are.
    fn playout(
        &self,
        state: Stones<B, N>,
        most: u32,
        _: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<ZeroSum>, u32) {
        let mut free: Vec<u16> = (0..self.cells() as u16).collect();
        free.retain(|&cell| state.links[cell as usize] == 0);
        let draw = |state: &mut Stones<B, N>| match self.status(state) {
            Status::Over(payoff) => Err(payoff),
            Status::Turn(_) => {
                let choice = below(free.len() + usize::from(self.can_swap(state)));
                Ok(if choice == free.len() { Move::Swap } else { Move::Place(free.swap_remove(choice)) })
            }
        };
        playout::run(state, most, draw, |state, mv| match mv {
            Move::Place(cell) => {
                let colour = state.colour();
                state.won = self.join(&mut state.links, colour, cell);
                state.count += 1;
            }
            Move::Swap => state.swapped = true,
        })
    }
}

impl<B: Bits, const N: usize> Heuristic for Havannah<B, N> {
    /// Large groups that touch corners and sides.
    fn heuristic(&self, state: &Stones<B, N>) -> f32 {
        let lead = (self.prospects(state, 0) - self.prospects(state, 1)) / (20.0 * self.base as f32);
        let value = lead.tanh() * 0.9;
        Estimate::from_fn(|player| if player == state.player(0) { value } else { -value })
    }
}

impl<B: Bits, const N: usize> Features for Havannah<B, N> {}
impl<B: Bits, const N: usize> SolverHints for Havannah<B, N> {}
impl<B: Bits, const N: usize> OrderingHints for Havannah<B, N> {}
impl<B: Bits, const N: usize> Persist for Havannah<B, N> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::dice;

    fn over(game: &Havannah<u64, 64>, moves: &str) -> Option<Player> {
        let mut state = game.start();
        for text in moves.split(' ') {
            let mv = game.parse_move(&state, text).unwrap();
            game.play(&mut state, mv);
        }
        match game.status(&state) {
            Status::Over(payoff) => Player::all(2).find(|&p| payoff == ZeroSum::win_for(p)),
            Status::Turn(_) => None,
        }
    }

    #[test]
    fn the_three_ways_to_win() {
        let game = Havannah::<u64, 64>::new(4, false);
        // A bridge along the bottom side: a1 and d1 are corners.
        assert_eq!(over(&game, "a1 d4 b1 c4 c1 e4 d1"), Some(Player::FIRST));
        assert_eq!(over(&game, "a1 d4 b1 c4 c1 e4"), None);
        // A ring round the empty centre, then one round a stone of its own.
        assert_eq!(over(&game, "d5 a1 e5 b1 e4 g7 d3 f7 c3 a4 c4"), Some(Player::FIRST));
        assert_eq!(over(&game, "d5 a1 e5 b1 e4 g7 d3 f7 c3 a4 d4 a3 c4"), Some(Player::FIRST));
    }

    /// The three ways to win as the rules put them.
    fn won_by_the_rules(game: &Havannah<u64, 64>, stones: u64) -> bool {
        let beside = |c: u32| game.neighbours[c as usize].iter().filter(|&&n| n != 63).map(|&n| u32::from(n));
        let flood = |from: u64, within: u64| {
            let mut reached = from & within;
            loop {
                let more = reached.cells().flat_map(beside).fold(reached, |set, n| set | 1 << n) & within;
                if more == reached {
                    return reached;
                }
                reached = more;
            }
        };
        let joined = stones.cells().any(|c| {
            let group = flood(1 << c, stones);
            let touched = group.cells().fold(0, |t, c| t | game.touches[c as usize]);
            (touched & CORNERS).count_ones() >= 2 || (touched & SIDES).count_ones() >= 3
        });
        let rim = (0..game.cells() as u32).filter(|&c| beside(c).count() < 6).fold(0u64, |set, c| set | 1 << c);
        let others = game.all & !stones;
        let enclosed = others != flood(rim, others);
        let full = |c: u32| beside(c).count() == 6 && beside(c).all(|n| stones.has(n));
        joined || enclosed || stones.cells().any(full)
    }

    #[test]
    fn wins_are_found_when_the_rules_say_so() {
        let game = Havannah::<u64, 64>::new(5, false);
        let mut below = dice();
        for _ in 0..300 {
            let mut state = game.start();
            while let Ok(mv) = game.random_move(&state, &mut Vec::new(), &mut below) {
                let colour = state.colour();
                game.play(&mut state, mv);
                assert_eq!(state.won, won_by_the_rules(&game, state.stones[colour]), "{}", game.position_text(&state));
            }
        }
    }

    #[test]
    fn playouts_are_as_long_as_games_move_by_move() {
        let game = Havannah::<u64, 64>::new(3, true);
        let mut below = dice();
        let (mut in_playouts, mut by_moves) = (0, 0);
        for _ in 0..20_000 {
            in_playouts += game.playout(game.start(), 100, &mut Vec::new(), &mut below).1;
            let mut state = game.start();
            while let Ok(mv) = game.random_move(&state, &mut Vec::new(), &mut below) {
                game.play(&mut state, mv);
                by_moves += 1;
            }
        }
        assert!(in_playouts.abs_diff(by_moves) < 2_000, "{in_playouts} moves, expected about {by_moves}");
    }

    #[test]
    fn corners_belong_to_no_side() {
        let game = Havannah::<u64, 64>::new(4, false);
        let of = |touched: u16| game.touches.iter().filter(|&&t| t == touched | ROOT).count();
        for i in 0..6 {
            assert_eq!((of(1 << i), of(1 << (6 + i))), (1, 2));
        }
        assert_eq!(of(0), 37 - 6 - 12);
    }
}
