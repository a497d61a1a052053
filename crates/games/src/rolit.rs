//! Rolit: Othello for three or four. Enclosed balls of all other colours become yours; who can enclose nothing still
//! plays.
//!
//! Cell `row · size + column`, row 0 on top, as in Othello. Every move fills a cell and there is always one to fill, so
//! the number of balls says who moves and the game takes exactly as many moves as there are empty cells at the start.

use perfectplay_core::{
    Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Layout, Notation, OptionSet, OrderingHints,
    Params, Payoff, Persist, Player, Playouts, Scores, Setting, SolverHints, Status, Symmetric, TextError, Visitor,
    options, plain_struct,
};

use crate::support::bits::Bits;
use crate::support::board;
use crate::support::enclose::Encloser;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "rolit",
    summary: "Othello for three or four: enclose the balls of all others",
    players: "3-4",
    parameters: Parameters::docs,
    examples: &["rolit:4", "rolit:4,players=3", "rolit:6,players=3", "rolit"],
    rules:
        "Four balls lie in the middle, one of each player: clockwise from the top left the first, second, third and \
fourth. With three players the fourth ball is nobody's; it can be enclosed like any other. A move puts a ball of the \
mover on an empty cell that touches a ball, also diagonally. If in one of the eight directions an unbroken line of \
balls of other colours, mixed as they may be, lies between it and another ball of the mover, they all take the mover's \
colour. Who can enclose something must do so; who cannot puts its ball on any cell that touches another. The game is \
over when the board is full. The score is the number of balls of one's colour; most balls win, and several players can \
win together.

Positions are one character per cell from the top left, `X`, `O`, `#`, `+` for the players, `*` for nobody's ball and \
`-` for empty cells. The number of balls says who moves. Moves are cells, rows numbered from the top.",
    sources: &["Goliath, Rolit (1997): rules of the game"],
};

options! {
    struct Parameters {
        size: u32 = Setting::whole("size", "cells along a side, an even number", 4..=8, 8).positional(),
        players: u64 = Setting::whole("players", "how many play", 3..=4, 4),
    }
}

/// Counts the players.
pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size, players } = Parameters::read(INFO.name, params)?;
    match players {
        _ if size % 2 == 1 => Err(TextError::new(format!("the size must be even, got {size}"))),
        3 => Ok(visitor.scores(Rolit::<3>::new(size))),
        _ => Ok(visitor.scores(Rolit::<4>::new(size))),
    }
}

const SIGNS: [char; 4] = ['X', 'O', '#', '+'];
/// Nobody's ball.
const NEUTRAL: char = '*';

/// The rules for `N` players on a board of this size.
#[derive(Clone, Debug)]
pub struct Rolit<const N: usize> {
    size: u32,
    lines: Encloser<u64>,
    /// The cells in the middle, clockwise from the top left.
    middle: [u32; 4],
}

/// The balls of each player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Balls<const N: usize> {
    /// By player.
    pub of: [u64; N],
}

plain_struct!(impl[const N: usize] Balls<N> { of: [u64; N] });

impl<const N: usize> Rolit<N> {
    /// The rules on `size` × `size` cells.
    ///
    /// # Panics
    /// If the size is odd, below 4 or above 8, or there are not three or four players.
    pub fn new(size: u32) -> Self {
        assert!(N == 3 || N == 4, "{N} players");
        let lines = Encloser::new(size);
        let [top_left, bottom_right, top_right, bottom_left] = lines.centre();
        Rolit { size, lines, middle: [top_left, top_right, bottom_right, bottom_left] }
    }

    /// All balls. The cells in the middle are never empty, whoever has them.
    #[inline]
    fn occupied(&self, state: &Balls<N>) -> u64 {
        state.of.iter().fold(1 << self.middle[3], |all, set| all | set)
    }

    #[inline]
    fn mover(occupied: u64) -> usize {
        (occupied.count_ones() as usize - 4) % N
    }

    /// Where `player` may play.
    #[inline]
    fn places(&self, state: &Balls<N>, player: usize, occupied: u64) -> u64 {
        let mine = state.of[player];
        let enclosing = self.lines.places(mine, occupied & !mine);
        if enclosing == 0 { self.touching(occupied) } else { enclosing }
    }

    fn touching(&self, occupied: u64) -> u64 {
        let left = board::first_column::<u64>(self.size, self.size);
        let right = left << (self.size - 1);
        let wide = occupied | (occupied & !right) << 1 | (occupied & !left) >> 1;
        (wide | wide << self.size | wide >> self.size) & self.lines.all & !occupied
    }

    fn sign(&self, state: &Balls<N>, cell: u32) -> char {
        match (0..N).find(|&p| state.of[p].has(cell)) {
            Some(player) => SIGNS[player],
            None if self.occupied(state).has(cell) => NEUTRAL,
            None => '-',
        }
    }

    fn check(&self, state: &Balls<N>) -> Result<(), TextError> {
        let occupied = self.occupied(state);
        if self.middle.iter().any(|&cell| !occupied.has(cell)) || N == 4 && self.neutral(state) {
            return Err(TextError::new("the four cells in the middle hold a ball of somebody"));
        }
        // Balls spread from the middle.
        let mut reached = self.middle.iter().fold(0, |set, &cell| set | 1 << cell);
        loop {
            let next = reached | self.touching(reached) & occupied;
            if next == reached {
                break;
            }
            reached = next;
        }
        if reached != occupied {
            return Err(TextError::new("every ball must have touched another when it was played"));
        }
        let last = (Self::mover(occupied) + N - 1) % N;
        if occupied.count_ones() > 4 && state.of[last] == 0 {
            return Err(TextError::new(format!("{} has no ball and cannot have moved last", Player::new(last))));
        }
        Ok(())
    }

    fn neutral(&self, state: &Balls<N>) -> bool {
        state.of.iter().all(|set| !set.has(self.middle[3]))
    }
}

impl<const N: usize> Game for Rolit<N> {
    type State = Balls<N>;
    type Move = u8;
    type Payoff = Scores<N>;
    type Key = Balls<N>;

    fn start(&self) -> Balls<N> {
        Balls { of: std::array::from_fn(|p| 1 << self.middle[p]) }
    }

    fn expand(&self, state: &Balls<N>, moves: &mut Vec<u8>) -> Status<Scores<N>> {
        let status = self.status(state);
        if let Status::Turn(mover) = status {
            let places = self.places(state, mover.index(), self.occupied(state));
            moves.extend(places.cells().map(|cell| cell as u8));
        }
        status
    }

    #[inline]
    fn status(&self, state: &Balls<N>) -> Status<Scores<N>> {
        let occupied = self.occupied(state);
        if occupied == self.lines.all {
            return Status::Over(Scores::from_scores(&state.of.map(|set| set.count_ones() as i32)));
        }
        Status::Turn(Player::new(Self::mover(occupied)))
    }

    #[inline]
    fn play(&self, state: &mut Balls<N>, cell: u8) {
        let occupied = self.occupied(state);
        let me = Self::mover(occupied);
        let mine = state.of[me];
        let turned = self.lines.enclosed(mine, occupied & !mine, cell.into());
        state.of.iter_mut().for_each(|set| *set &= !turned);
        state.of[me] = mine | turned | 1 << cell;
    }

    fn key(&self, state: &Balls<N>) -> Balls<N> {
        *state
    }

    /// For four players the scores always add up to the number of cells; for three the neutral ball may be left over.
    fn facts(&self) -> Facts {
        let cells = (self.size * self.size) as i32;
        Facts {
            scores: vec![(0, cells); N],
            sum: (if N == 4 { cells } else { cells - 1 }, cells),
            outcomes: Some((0..=cells).collect()),
            length: Some(cells as u32 - 4),
            states: Some((N as f64 + 1.0).powi(cells)),
            heuristic: true,
            ..Facts::win_draw_loss::<Scores<N>>()
        }
    }
}

impl<const N: usize> Notation for Rolit<N> {
    fn position_text(&self, state: &Balls<N>) -> String {
        (0..self.size * self.size).map(|cell| self.sign(state, cell)).collect()
    }

    fn parse_position(&self, text: &str) -> Result<Balls<N>, TextError> {
        let cells = (self.size * self.size) as usize;
        let signs: Vec<char> = text.trim().chars().collect();
        if signs.len() != cells {
            return Err(TextError::new(format!("expected {cells} cells, got {} signs", signs.len())));
        }
        let mut state = Balls { of: [0; N] };
        for (cell, &sign) in signs.iter().enumerate() {
            match SIGNS[..N].iter().position(|&s| s == sign) {
                Some(player) => state.of[player] |= 1 << cell,
                None if sign == '-' && cell as u32 != self.middle[3] => {}
                None if sign == NEUTRAL && N == 3 && cell as u32 == self.middle[3] => {}
                None => {
                    let known: String = SIGNS[..N].iter().collect();
                    let expected = format!("expected one of {known} or -, in the middle no -, got \"{sign}\"");
                    return Err(TextError::at(cell, expected));
                }
            }
        }
        self.check(&state)?;
        Ok(state)
    }

    fn move_text(&self, _: &Balls<N>, cell: u8) -> String {
        board::cell_name(cell.into(), self.size)
    }

    fn drawing(&self, state: &Balls<N>) -> Drawing {
        let cell = |cell| match (0..N).find(|&p| state.of[p].has(cell)) {
            Some(player) => Cell::Stone(Player::new(player)),
            None if self.occupied(state).has(cell) => Cell::Sign(NEUTRAL),
            None => Cell::Empty,
        };
        let rows = (0..self.size).map(|r| (0..self.size).map(|c| cell(r * self.size + c)).collect()).collect();
        Drawing { row_labels: (1..=self.size).map(|r| r.to_string()).collect(), ..Drawing::lettered(rows) }
            .with_legend((0..N).map(|p| state.of[p].count_ones().to_string()))
    }
}

impl<const N: usize> Symmetric for Rolit<N> {}

impl<const N: usize> Playouts for Rolit<N> {
    #[inline]
    fn random_move(
        &self,
        state: &Balls<N>,
        _: &mut Vec<u8>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<u8, Scores<N>> {
        match self.status(state) {
            Status::Over(payoff) => Err(payoff),
            Status::Turn(mover) => {
                let places = self.places(state, mover.index(), self.occupied(state));
                Ok(places.nth(below(places.count() as usize) as u32) as u8)
            }
        }
    }
}

impl<const N: usize> Heuristic for Rolit<N> {
    fn heuristic(&self, state: &Balls<N>) -> [f32; N] {
        Estimate::from_fn(|player| self.heuristic_of(state, player))
    }

    /// Corners, which nobody can take back, and balls.
    fn heuristic_of(&self, state: &Balls<N>, player: Player) -> f32 {
        let mine = state.of[player.index()];
        let corners = (mine & self.lines.corners).count_ones() as f32;
        let fair = self.occupied(state).count_ones() as f32 / N as f32;
        0.9 * ((4.0 * corners + mine.count_ones() as f32 - fair) / 16.0).tanh()
    }
}

impl<const N: usize> Features for Rolit<N> {
    /// Rows are counted from the top in this game.
    fn layout(&self) -> Option<Layout> {
        Some(board::layout_from_top(self.size, self.size, N as u8 + 2, &[]))
    }

    /// Empty, mine, the next player's and so on, nobody's.
    fn cell_values(&self, state: &Balls<N>, out: &mut Vec<u8>) {
        let occupied = self.occupied(state);
        let me = Self::mover(occupied);
        let value = |cell: u32| match (0..N).find(|i| state.of[(me + i) % N].has(cell)) {
            Some(i) => i as u8 + 1,
            None => u8::from(occupied.has(cell)) * (N as u8 + 1),
        };
        out.extend((0..self.size * self.size).map(value));
    }

    fn viewer(&self, state: &Balls<N>) -> Player {
        Player::new(Self::mover(self.occupied(state)))
    }
}

impl<const N: usize> SolverHints for Rolit<N> {}

impl<const N: usize> OrderingHints for Rolit<N> {
    /// Corners first.
    fn order_score(&self, _: &Balls<N>, cell: u8) -> i32 {
        i32::from(self.lines.corners.has(cell.into()))
    }

    fn history_index(&self, _: &Balls<N>, cell: u8) -> usize {
        cell.into()
    }
}

impl<const N: usize> Persist for Rolit<N> {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The rules again, cell by cell.
    struct Slow {
        size: i32,
        players: usize,
        balls: BTreeMap<(i32, i32), usize>,
    }

    const AROUND: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

    impl Slow {
        fn new(size: i32, players: usize) -> Self {
            let (low, high) = (size / 2 - 1, size / 2);
            let balls = BTreeMap::from([((low, low), 0), ((low, high), 1), ((high, high), 2), ((high, low), 3)]);
            Slow { size, players, balls }
        }

        fn turned(&self, (row, column): (i32, i32), me: usize) -> Vec<(i32, i32)> {
            let mut turned = Vec::new();
            for (dr, dc) in AROUND {
                let line = (1..).map(|i| (row + i * dr, column + i * dc));
                let others: Vec<_> = line.take_while(|at| self.balls.get(at).is_some_and(|&b| b != me)).collect();
                let n = others.len() as i32 + 1;
                if self.balls.get(&(row + n * dr, column + n * dc)) == Some(&me) {
                    turned.extend(others);
                }
            }
            turned
        }

        fn count(&mut self, depth: u32) -> u64 {
            let me = (self.balls.len() - 4) % self.players;
            let all = (0..self.size).flat_map(|r| (0..self.size).map(move |c| (r, c)));
            let empty: Vec<_> = all.filter(|at| !self.balls.contains_key(at)).collect();
            let touches = |(r, c): (i32, i32)| AROUND.iter().any(|(dr, dc)| self.balls.contains_key(&(r + dr, c + dc)));
            let mut moves: Vec<_> = empty.iter().copied().filter(|&at| !self.turned(at, me).is_empty()).collect();
            if moves.is_empty() {
                moves = empty.into_iter().filter(|&at| touches(at)).collect();
            }
            if depth == 1 {
                return moves.len() as u64;
            }
            let mut count = 0;
            for at in moves {
                let before = self.balls.clone();
                for ball in self.turned(at, me) {
                    self.balls.insert(ball, me);
                }
                self.balls.insert(at, me);
                count += self.count(depth - 1);
                self.balls = before;
            }
            count
        }
    }

    fn compare<const N: usize>(size: u32, depth: u32) {
        let game = Rolit::<N>::new(size);
        let budget = perfectplay_core::Budget::unlimited();
        let fast = game.perft(&game.start(), depth as usize, false, &budget).unwrap();
        for depth in 1..=depth {
            let slow = Slow::new(size as i32, N).count(depth);
            println!("{N} players, size {size}, depth {depth}: {slow}"); // these are the counts in data/perft
            assert_eq!(fast.leaves[depth as usize - 1], slow, "{N} players, size {size}, depth {depth}");
        }
    }

    #[test]
    fn as_many_sequences_as_by_looking_at_every_line() {
        compare::<3>(4, 6);
        compare::<4>(4, 6);
        compare::<3>(8, 5);
        compare::<4>(8, 5);
    }

    #[test]
    fn impossible_positions_are_refused() {
        let game = Rolit::<3>::new(4);
        assert_eq!(game.position_text(&game.start()), "-----XO--*#-----");
        for good in ["-----XX--*#---X-", "-----XO--##-----"] {
            assert!(game.parse_position(good).is_ok(), "{good}");
        }
        let hole = "-----XO--*------";
        for bad in [hole, "*----XO--*#-----", "-----XO--+#-----", "X----XO--*#----", "----XXO--*#----#O"] {
            assert!(game.parse_position(bad).is_err(), "{bad}");
        }
        assert!(Rolit::<4>::new(4).parse_position("-----XO--*#-----").is_err());
    }
}
