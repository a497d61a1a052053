//! m,n,k games: k stones in a row win, on any board, for two or three players. More than k in a row win, too.
//!
//! A row takes one bit per column and one guard bit at its end, so that lines cannot run from one row into the next:
//!
//! ```text
//!   10 11 12 13  .
//!    5  6  7  8  .      bit = row · (columns + 1) + column,  here 4 columns and 3 rows
//!    0  1  2  3  .
//! ```
//!
//! With three players the one who gets k in a row wins and both others lose; a full board is a draw for all.

use std::marker::PhantomData;

use perfectplay_core::{
    Cell, Drawing, Estimate, Facts, Features, Figures, Game, GameInfo, Heuristic, Layout, Notation, OptionSet,
    OrderingHints, Params, Payoff, Persist, Player, Playouts, Scores, Setting, Sizes, SolverHints, Status, Symmetric,
    TextError, Visitor, ZeroSum, column_letters, options, plain_struct,
};

use crate::support::bits::{Bits, Wide};
use crate::support::playout::Bundles;
use crate::support::{board, fen};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "mnk",
    summary: "k stones in a row win, on a board of any size",
    players: "2-3",
    parameters: Parameters::docs,
    examples: &["mnk:3x4x3", "mnk:3x3x3,players=3", "mnk:4x4x4", "mnk:15x15x5"],
    rules: "Players put a stone of theirs on an empty cell in turn. Who first has k of its stones in a straight row, \
along a row, a column or a diagonal, wins; longer rows win, too. A full board is a draw.

With three players the winner wins alone and both others lose.",
    sources: &[
        "M. Farrugia, lecture slides n-Player Adversarial Search (three players)",
        "papers on m,n,k games: 3x3x3 and 4x4x4 are draws, 4x3x3 is a first-player win",
    ],
};

const MOST_BITS: u64 = 512;
/// On boards of at most so many bits (3 × 3 and 4 × 3 among them) rows are looked up, in 8 KiB at most.
const SMALL_BITS: u32 = 16;

options! {
    struct Parameters {
        size: [u64; 3] = Sizes::new(
            ["columns", "rows", "k"],
            "the board and the row that wins, rows × (columns + 1) at most 512",
            1..=MOST_BITS,
            [3, 3, 3],
        ),
        players: u64 = Setting::whole("players", "how many play", 2..=3, 2),
    }
}

/// Builds the board type that fits the size and the number of players.
pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size: [columns, rows, k], players } = Parameters::read(INFO.name, params)?;
    let bits = rows * (columns + 1);
    if bits > MOST_BITS {
        return Err(TextError::new(format!(
            "a board of {columns}x{rows} is too large: rows × (columns + 1) is {bits}, at most {MOST_BITS} is possible"
        )));
    }
    if k > columns.max(rows) {
        return Err(TextError::new(format!("{k} in a row do not fit on a board of {columns}x{rows}")));
    }
    let (c, r, k) = (columns as u32, rows as u32, k as u32);
    match (bits, players) {
        (..=64, 2) => Ok(visitor.zero_sum(Mnk2::<u64>::new(c, r, k))),
        (..=128, 2) => Ok(visitor.zero_sum(Mnk2::<u128>::new(c, r, k))),
        (..=256, 2) => Ok(visitor.zero_sum(Mnk2::<Wide<4>>::new(c, r, k))),
        (_, 2) => Ok(visitor.zero_sum(Mnk2::<Wide<8>>::new(c, r, k))),
        (..=64, _) => Ok(visitor.scores(Mnk3::<u64>::new(c, r, k))),
        (_, _) => Ok(visitor.scores(Mnk3::<Wide<8>>::new(c, r, k))),
    }
}

/// For two players.
pub type Mnk2<B> = Mnk<B, 2, ZeroSum>;
/// For three players.
pub type Mnk3<B> = Mnk<B, 3, Scores<3>>;

/// The rules for `N` players on a board of this size.
#[derive(Clone, Debug)]
pub struct Mnk<B, const N: usize, P> {
    columns: u32,
    rows: u32,
    k: u32,
    full: B,
    /// Distances between neighbours on a line, for the directions in which k fit.
    steps: Vec<u32>,
    /// Every row of k cells.
    lines: Vec<B>,
    /// On a small board: for every set of stones, as a number, one bit that says whether it holds k in a row.
    small: Vec<u64>,
    bundles: Bundles,
    /// What a line is worth that holds so many stones of one player alone.
    worth: Vec<f32>,
    /// For each symmetry, where every cell goes.
    images: Vec<Vec<u16>>,
    payoff: PhantomData<P>,
}

/// The stones of each player. Their number says who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board<B, const N: usize> {
    /// By player.
    pub stones: [B; N],
}

plain_struct!(impl[B: Bits, const N: usize] Board<B, N> { stones: [B; N] });

impl<B: Bits, const N: usize> Board<B, N> {
    fn all(&self) -> B {
        self.stones.iter().fold(B::none(), |all, &s| all | s)
    }
}

const SIGNS: [char; 3] = ['X', 'O', '#'];

impl<B: Bits, const N: usize, P: Payoff> Mnk<B, N, P> {
    /// The rules on `columns` × `rows` cells, `k` in a row win.
    ///
    /// # Panics
    /// If the board with its guard column does not fit into `B`, or `N` is not the number of players of `P`.
    pub fn new(columns: u32, rows: u32, k: u32) -> Self {
        assert!(N == P::PLAYERS && N <= SIGNS.len(), "{N} players");
        assert!(columns > 0 && rows > 0 && k > 0 && rows * (columns + 1) <= B::BITS, "{columns}x{rows} does not fit");
        let mut game = Mnk {
            columns,
            rows,
            k,
            full: B::none(),
            steps: Vec::new(),
            lines: Vec::new(),
            small: Vec::new(),
            bundles: Bundles::new((columns * rows) as usize),
            worth: (0..=k).map(|taken| 0.25f32.powi((k - taken) as i32)).collect(),
            images: Vec::new(),
            payoff: PhantomData,
        };
        for (column, row) in game.cells() {
            game.full = game.full | B::bit(game.bit(column, row));
        }
        for (across, up) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
            game.add_lines(across, up);
        }
        if rows * (columns + 1) <= SMALL_BITS {
            game.small = game.list_rows();
        }
        let symmetries = if columns == rows { 8 } else { 4 };
        game.images = (0..symmetries).map(|index| game.image(index)).collect();
        game
    }

    fn bit(&self, column: u32, row: u32) -> u32 {
        row * (self.columns + 1) + column
    }

    fn cells(&self) -> impl Iterator<Item = (u32, u32)> + use<B, N, P> {
        let columns = self.columns;
        (0..self.rows).flat_map(move |row| (0..columns).map(move |column| (column, row)))
    }

    /// Adds the lines in one direction, if k cells fit in it.
    fn add_lines(&mut self, across: i32, up: i32) {
        let (columns, rows, far) = (self.columns as i32, self.rows as i32, self.k as i32 - 1);
        let mut lines = Vec::new();
        for (column, row) in self.cells() {
            let (column, row) = (column as i32, row as i32);
            if (0..columns).contains(&(column + across * far)) && (0..rows).contains(&(row + up * far)) {
                let cell = |i| self.bit((column + across * i) as u32, (row + up * i) as u32);
                lines.push((0..=far).fold(B::none(), |line, i| line | B::bit(cell(i))));
            }
        }
        if !lines.is_empty() {
            self.steps.push((up * (columns + 1) + across) as u32);
            self.lines.extend(lines);
        }
    }

    /// Bit 0 mirrors the columns, bit 1 the rows, bit 2 exchanges columns and rows.
    fn image(&self, index: usize) -> Vec<u16> {
        let mut image = vec![0; (self.rows * (self.columns + 1)) as usize];
        for (column, row) in self.cells() {
            let c = if index & 1 == 0 { column } else { self.columns - 1 - column };
            let r = if index & 2 == 0 { row } else { self.rows - 1 - row };
            let (c, r) = if index & 4 == 0 { (c, r) } else { (r, c) };
            image[self.bit(column, row) as usize] = self.bit(c, r) as u16;
        }
        image
    }

    /// For every set of stones on a small board whether it has a row.
    fn list_rows(&self) -> Vec<u64> {
        let sets = 1u64 << (self.rows * (self.columns + 1));
        let word =
            |first: u64| (0..64).fold(0, |word, i| word | u64::from(self.finds_row(B::from_word(first + i))) << i);
        (0..sets).step_by(64).map(word).collect()
    }

    /// Whether `stones` hold k in a row.
    #[inline]
    fn has_row(&self, stones: B) -> bool {
        let set = stones.low_word();
        match self.small.get((set / 64) as usize) {
            Some(word) => word >> (set % 64) & 1 != 0,
            None => self.finds_row(stones),
        }
    }

    /// The same by looking: shifted onto themselves, stones keep the ends of ever longer rows.
    #[inline]
    fn finds_row(&self, stones: B) -> bool {
        self.steps.iter().any(|step| {
            let (mut ends, mut length) = (stones, 1);
            while length < self.k {
                let more = length.min(self.k - length);
                ends = ends & ends >> (more * step);
                length += more;
            }
            !ends.is_none()
        })
    }

    fn mover_after(stones: u32) -> Player {
        Player::new(stones as usize % N)
    }

    fn last_player(mover: Player) -> usize {
        (mover.index() + N - 1) % N
    }

    fn owner(&self, board: &Board<B, N>, column: u32, row: u32) -> Option<Player> {
        let bit = self.bit(column, row);
        Player::all(N).find(|p| board.stones[p.index()].has(bit))
    }

    /// Whether such numbers of stones arise when players take turns.
    fn check_counts(&self, board: &Board<B, N>) -> Result<(), TextError> {
        let counts = board.stones.map(B::count);
        let total: u32 = counts.iter().sum();
        let fair = |i: usize| (total as usize + N - 1 - i) as u32 / N as u32;
        if counts.iter().enumerate().all(|(i, &c)| c == fair(i)) {
            return Ok(());
        }
        let found: Vec<String> = counts.iter().zip(SIGNS).map(|(c, s)| format!("{c} {s}")).collect();
        let expected: Vec<String> = (0..N).map(|i| format!("{} {}", fair(i), SIGNS[i])).collect();
        Err(TextError::new(format!(
            "players take turns, so {total} stones must be {}, but there are {}",
            expected.join(", "),
            found.join(", ")
        )))
    }

    /// Whether nobody had k in a row before the last stone: one stone of the last player must break all its rows.
    fn could_happen(&self, board: &Board<B, N>) -> bool {
        let last = Self::last_player(Self::mover_after(board.all().count()));
        Player::all(N).all(|p| {
            let stones = board.stones[p.index()];
            !self.has_row(stones) || p.index() == last && stones.cells().any(|c| !self.has_row(stones ^ B::bit(c)))
        })
    }
}

impl<B: Bits, const N: usize, P: Payoff> Game for Mnk<B, N, P> {
    type State = Board<B, N>;
    type Move = u16;
    type Payoff = P;
    type Key = [B; 2];

    fn start(&self) -> Board<B, N> {
        Board { stones: [B::none(); N] }
    }

    #[inline]
    fn expand(&self, board: &Board<B, N>, moves: &mut Vec<u16>) -> Status<P> {
        let status = self.status(board);
        if let Status::Turn(_) = status {
            (self.full & !board.all()).cells().for_each(|cell| moves.push(cell as u16));
        }
        status
    }

    #[inline]
    fn status(&self, board: &Board<B, N>) -> Status<P> {
        let all = board.all();
        let mover = Self::mover_after(all.count());
        let last = Self::last_player(mover);
        if self.has_row(board.stones[last]) {
            Status::Over(P::win_for(Player::new(last)))
        } else if all == self.full {
            Status::Over(P::draw())
        } else {
            Status::Turn(mover)
        }
    }

    #[inline]
    fn play(&self, board: &mut Board<B, N>, cell: u16) {
        let mover = Self::mover_after(board.all().count());
        let stones = &mut board.stones[mover.index()];
        *stones = *stones | B::bit(u32::from(cell));
    }

    /// Two bits say whose a cell is, also if there are three to choose from.
    #[inline]
    fn key(&self, board: &Board<B, N>) -> [B; 2] {
        let third = board.stones.get(2).copied().unwrap_or_default();
        [board.stones[0] | third, board.stones[1] | third]
    }

    fn facts(&self) -> Facts {
        let cells = self.columns * self.rows;
        Facts {
            length: Some(cells),
            states: Some((N as f64 + 1.0).powi(cells as i32)),
            heuristic: true,
            ..Facts::win_draw_loss::<P>()
        }
    }
}

impl<B: Bits, const N: usize, P: Payoff> Notation for Mnk<B, N, P> {
    /// Rows from the top, `X`, `O` and `#` for the players, numbers for runs of empty cells: `3/1X1/O2`.
    fn position_text(&self, board: &Board<B, N>) -> String {
        let sign = |c, r| self.owner(board, c, r).map(|p| SIGNS[p.index()]);
        let rows = (0..self.rows).rev().map(|r| fen::write_row((0..self.columns).map(|c| sign(c, r))));
        rows.collect::<Vec<_>>().join("/")
    }

    fn parse_position(&self, text: &str) -> Result<Board<B, N>, TextError> {
        let signs: String = SIGNS[..N].iter().collect();
        let rows = fen::parse_rows(text, self.columns as usize, self.rows as usize, &signs)?;
        let mut board = self.start();
        for (row, cells) in rows.iter().rev().enumerate() {
            for (column, sign) in cells.iter().enumerate() {
                if let Some(player) = sign.and_then(|s| SIGNS.iter().position(|&p| p == s)) {
                    board.stones[player] = board.stones[player] | B::bit(self.bit(column as u32, row as u32));
                }
            }
        }
        self.check_counts(&board)?;
        if !self.could_happen(&board) {
            return Err(TextError::new("the game was over before the last stone was played"));
        }
        Ok(board)
    }

    /// Column letter and row number from the bottom: `a1`.
    fn move_text(&self, _: &Board<B, N>, cell: u16) -> String {
        let (row, column) = (u32::from(cell) / (self.columns + 1), u32::from(cell) % (self.columns + 1));
        format!("{}{}", column_letters(column as usize), row + 1)
    }

    fn drawing(&self, board: &Board<B, N>) -> Drawing {
        let cell = |c, r| self.owner(board, c, r).map_or(Cell::Empty, Cell::Stone);
        let rows = (0..self.rows).rev().map(|r| (0..self.columns).map(|c| cell(c, r)).collect());
        Drawing::lettered(rows.collect()).with_figures(Figures::CrossesAndRings)
    }
}

impl<B: Bits, const N: usize, P: Payoff> Symmetric for Mnk<B, N, P> {
    fn symmetries(&self) -> usize {
        self.images.len()
    }

    fn transform(&self, board: &Board<B, N>, index: usize) -> Board<B, N> {
        let image = &self.images[index];
        let move_all = |set: B| set.cells().fold(B::none(), |moved, c| moved | B::bit(u32::from(image[c as usize])));
        Board { stones: board.stones.map(move_all) }
    }

    fn transform_move(&self, _: &Self::State, cell: u16, index: usize) -> u16 {
        self.images[index][usize::from(cell)]
    }
}

impl<B: Bits, const N: usize, P: Payoff> Playouts for Mnk<B, N, P> {
    /// With a list of the empty cells, from which one is drawn faster than from a set; only the last stone can have
    /// completed a row.
    fn playout(
        &self,
        mut board: Board<B, N>,
        most: u32,
        empty: &mut Vec<u16>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<P>, u32) {
        let mut mover = match self.status(&board) {
            Status::Turn(mover) => mover.index(),
            Status::Over(payoff) => return (Some(payoff), 0),
        };
        empty.clear();
        empty.extend((self.full & !board.all()).cells().map(|cell| cell as u16));
        let mut choices = self.bundles.begin();
        // The first row needs so many stones: until then nobody has to look.
        let enough = (self.k - 1) * N as u32 + 1;
        let few = (self.columns * self.rows).saturating_sub(enough) as usize;
        for ply in 1..=most {
            let cell = empty.swap_remove(choices.next(empty.len(), below));
            let stones = &mut board.stones[mover];
            *stones = *stones | B::bit(u32::from(cell));
            if empty.len() <= few && self.has_row(*stones) {
                return (Some(P::win_for(Player::new(mover))), ply);
            }
            if empty.is_empty() {
                return (Some(P::draw()), ply);
            }
            mover = if mover + 1 == N { 0 } else { mover + 1 };
        }
        (None, most)
    }
}

impl<B: Bits, const N: usize, P: Payoff> Heuristic for Mnk<B, N, P> {
    /// Lines that only one player has begun count for that player, four times as much per stone.
    fn heuristic(&self, board: &Board<B, N>) -> P::Estimate {
        let all = board.all();
        let mut strength = [0f32; N];
        for &line in &self.lines {
            let taken = (line & all).count();
            let owner = board.stones.iter().position(|&s| (line & s).count() == taken);
            if let Some(player) = owner.filter(|_| taken > 0) {
                strength[player] += self.worth[taken as usize];
            }
        }
        Estimate::from_fn(|p| {
            let others = Player::all(N).filter(|&q| q != p).map(|q| strength[q.index()]).fold(0.0, f32::max);
            (strength[p.index()] - others).tanh() * 0.9
        })
    }
}

impl<B: Bits, const N: usize, P: Payoff> Features for Mnk<B, N, P> {
    fn layout(&self) -> Option<Layout> {
        Some(board::layout(self.columns, self.rows, N as u8 + 1, &[]))
    }

    /// 1 for the mover's stones, 2 for those of the player after it, and so on.
    fn cell_values(&self, board: &Board<B, N>, out: &mut Vec<u8>) {
        let mover = Self::mover_after(board.all().count());
        let turn = |player: Player| ((player.index() + N - mover.index()) % N) as u8 + 1;
        out.extend(self.cells().map(|(column, row)| self.owner(board, column, row).map_or(0, turn)));
    }

    fn viewer(&self, board: &Board<B, N>) -> Player {
        Self::mover_after(board.all().count())
    }
}
impl<B: Bits, const N: usize, P: Payoff> SolverHints for Mnk<B, N, P> {}
impl<B: Bits, const N: usize, P: Payoff> OrderingHints for Mnk<B, N, P> {}
impl<B: Bits, const N: usize, P: Payoff> Persist for Mnk<B, N, P> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::ends_as_move_by_move;
    use perfectplay_core::FullGame;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_found_as_by_looking_at_every_line(size in 1u32..=9, k in 1u32..=9, bits: u128, more: u128) {
            let columns = 10 - size;
            let k = k.min(size.max(columns));
            let game = Mnk2::<u128>::new(columns, size, k);
            for stones in [bits & game.full, (bits | more) & game.full] {
                prop_assert_eq!(game.has_row(stones), game.lines.iter().any(|&l| l & !stones == 0));
            }
            let small = Mnk2::<u64>::new(4, 3, k.min(4));
            let stones = bits as u64 & small.full;
            prop_assert_eq!(small.has_row(stones), small.lines.iter().any(|&l| l & !stones == 0));
        }
    }

    #[test]
    fn lines_are_counted() {
        assert_eq!(Mnk2::<u64>::new(3, 3, 3).lines.len(), 8);
        assert_eq!(Mnk2::<u64>::new(4, 3, 3).lines.len(), 3 * 2 + 4 + 2 * 2);
        assert_eq!(Mnk2::<u64>::new(7, 6, 4).lines.len(), 69);
        assert_eq!(Mnk2::<Wide<4>>::new(15, 15, 5).lines.len(), 572);
    }

    #[test]
    fn overlines_win() {
        let game = Mnk2::<u64>::new(7, 2, 3);
        let mut board = game.parse_position("OO1OO2/XX1XX2").unwrap();
        let mv = game.parse_move(&board, "c1").unwrap();
        game.play(&mut board, mv);
        assert_eq!(game.status(&board), Status::Over(ZeroSum(1)));
        assert_eq!(game.parse_position(&game.position_text(&board)), Ok(board));
    }

    #[test]
    fn playouts_follow_the_rules() {
        fn follow<B: Bits, const N: usize, P: Payoff>(game: &Mnk<B, N, P>, position: &str, most: u32) {
            ends_as_move_by_move(game, &game.parse_position(position).unwrap(), most);
        }
        follow(&Mnk2::<u64>::new(3, 3, 3), "3/3/3", 1000);
        follow(&Mnk2::<u64>::new(3, 3, 3), "X2/1O1/2X", 1000);
        follow(&Mnk2::<u64>::new(3, 3, 3), "XXX/OO1/3", 1000);
        follow(&Mnk2::<u64>::new(1, 1, 1), "1", 1000);
        follow(&Mnk2::<u64>::new(5, 4, 4), "5/5/5/5", 12);
        follow(&Mnk3::<u128>::new(8, 8, 4), "8/8/8/8/8/8/8/8", 1000);
    }

    #[test]
    fn impossible_positions_are_refused() {
        let game = Mnk2::<u64>::new(3, 3, 3);
        let error = |text| game.parse_position(text).unwrap_err().to_string();
        assert_eq!(error("3/3/2O"), "players take turns, so 1 stones must be 1 X, 0 O, but there are 0 X, 1 O");
        let over = "the game was over before the last stone was played";
        assert_eq!(error("XXX/OOO/3"), over);
        assert_eq!(error("XXX/OO1/O2"), over); // the second player would have moved after it was over
        assert!(game.parse_position("XXX/XOO/XOO").is_ok()); // one stone made both rows
        assert_eq!(
            Mnk2::<u64>::new(3, 5, 3).parse_position("XXX/OO1/OXO/1OO/XXX").unwrap_err().to_string(),
            over // no stone can have made both
        );
        assert!(Mnk3::<u64>::new(3, 3, 3).parse_position("X2/#O1/3").is_ok());
        assert!(Mnk3::<u64>::new(3, 3, 3).parse_position("X2/#1X/3").is_err());
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        struct Nothing;
        impl Visitor for Nothing {
            type Output = ();
            fn zero_sum<G: FullGame<Payoff = ZeroSum>>(self, _: G) {}
            fn scores<const N: usize, G: FullGame<Payoff = Scores<N>>>(self, _: G) {}
            fn up_to_six<G: FullGame<Payoff = perfectplay_core::UpToSix>>(self, _: G) {}
        }
        let open = |text| open(Params::parse(text).unwrap(), Nothing).map_err(|e| e.to_string());
        for good in ["", "1x1x1", "22x22x6", "3x3x3,players=3", "19x19x5,players=3", "255x2x2"] {
            assert_eq!(open(good), Ok(()), "{good}");
        }
        assert_eq!(
            open("22x23x5").unwrap_err(),
            "a board of 22x23 is too large: rows × (columns + 1) is 529, at most 512 is possible"
        );
        assert_eq!(open("3x4x5").unwrap_err(), "5 in a row do not fit on a board of 3x4");
        assert!(open("3x3").is_err() && open("3x3x3,players=4").is_err() && open("0x3x3").is_err());
    }
}
