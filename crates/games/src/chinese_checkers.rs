//! Chinese checkers on stars of any size up to the usual one, for two, three, four or six players.
//!
//! Cells have axial coordinates (q, r) and s = -q-r. A star of side k is the union of two large triangles, q, r, s ≤ k
//! and q, r, s ≥ -k; both together are the hexagon in the middle, what only one of them has are the six small
//! triangles:
//!
//! ```text
//!             3                cells are numbered row by row from the top; a set of cells is 128 bits
//!            3 3
//!       2 2 . . . 4 4          side   pieces   cells
//!        2 . . . . 4             1       1       13
//!         . . . . .              2       3       37
//!        1 . . . . 5             3       6       73
//!       1 1 . . . 5 5            4      10      121
//!            0 0
//!             0
//! ```
//!
//! A piece may stand in the middle and in the two triangles where it starts and ends, never in the others, not even
//! during a series of hops. Each state holds, beside the pieces, the sum of their distances to go, which a move changes
//! by the difference of two entries in a table: evaluating costs next to nothing.
//!
//! Nothing in the rules brings a game to an end, so the number of turns is limited (see the parameter `turns`). The
//! state holds the number of moves made; without a limit it holds only whose turn it is and positions can return.

use std::marker::PhantomData;

use perfectplay_core::{
    Cell, Drawing, Estimate, EstimateOf, Facts, Features, Game, GameInfo, Heuristic, Lattice, Layout, Look, Notation,
    OptionSet, OrderingHints, Params, Payoff, Persist, Plain, Player, Playouts, Scores, Setting, Shape, SolverHints,
    Status, Symmetric, TextError, Visitor, ZeroSum, column_letters, options, plain_struct,
};

use crate::support::bits::Bits;
use crate::support::fen;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "chinese-checkers",
    summary: "step and hop to the opposite point of the star",
    players: "2-6 (not 5)",
    parameters: Parameters::docs,
    examples: &[
        "chinese-checkers:1,turns=12",
        "chinese-checkers:1,players=3,turns=3",
        "chinese-checkers:3,players=4,blocking=harmless",
        "chinese-checkers:6,players=3",
        "chinese-checkers:6,players=6,turns=0",
        "chinese-checkers",
    ],
    rules: "The board is a star with six points; the pieces of each player fill one point and must reach the opposite \
one. Two players sit opposite each other, three in every second point, four in two opposite pairs. A move is a step to \
an empty cell beside, or a series of hops: each in a straight line over one piece of anybody, right beside, to the \
empty cell behind it. Nothing is captured. A piece may use the middle and its own two points only, also during a \
series of hops. Whose pieces fill the opposite point after its own move wins alone. Who cannot move passes.

A piece that stays at home can keep its opponent from ever filling the point; with `blocking=harmless` it is enough \
that after a player's move its target is full and at least one piece there is its own. The game is drawn when \
everybody has had 100 turns (another limit: `turns`); with `turns=0` nothing ends a game that nobody wins. The winner \
scores one less than the number of players and everybody else -1, so scores always add up to 0.

Cells are named by the letter of their row from the top and their number in it: `a1` is the topmost. Moves are two \
cells, from and to, or `pass`; a series of hops is named by its ends. Positions are the rows from the top with `X`, \
`O`, `#`, `+`, `%`, `@` for the players, who moves, and the turns it has had: `1/4/3/4/X X 0`.",
    sources: &[
        "Ravensburger, Stern-Halma (1892): the board and the moves",
        "N. Sturtevant, Multi-player games: algorithms and approaches (2003): the star with 6 pieces as a test for \
searches",
    ],
};

options! {
    struct Parameters {
        pieces: u32 = Setting::whole("pieces", "pieces of each player (1, 3, 6 or 10)", 1..=10, 10).positional(),
        players: u32 = Setting::whole("players", "how many play (not 5)", 2..=6, 2),
        harmless: bool = Setting::choice(
            "blocking",
            "keeping the enemy from winning by staying at home",
            &[
                ("allowed", "a target must be full of one's own pieces", false),
                ("harmless", "a full target with at least one piece of yours wins", true),
            ],
        ),
        turns: u16 = Setting::whole(
            "turns",
            "the game is drawn when everybody has had so many turns (0: no limit)",
            0..=5000,
            100,
        ),
    }
}

/// Builds the type for the number of players.
pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { pieces, players, harmless, turns } = Parameters::read(INFO.name, params)?;
    let side = (1..=4)
        .find(|side| side * (side + 1) / 2 == pieces as i32)
        .ok_or_else(|| TextError::new(format!("pieces must be 1, 3, 6 or 10, got {pieces}")))?;
    match players {
        2 => Ok(visitor.zero_sum(ChineseCheckers::<2, ZeroSum>::new(side, harmless, turns))),
        3 => Ok(visitor.scores(ChineseCheckers::<3, Scores<3>>::new(side, harmless, turns))),
        4 => Ok(visitor.scores(ChineseCheckers::<4, Scores<4>>::new(side, harmless, turns))),
        6 => Ok(visitor.scores(ChineseCheckers::<6, Scores<6>>::new(side, harmless, turns))),
        _ => Err(TextError::new(format!("players must be 2, 3, 4 or 6, got {players}"))),
    }
}

const SIGNS: [char; 6] = ['X', 'O', '#', '+', '%', '@'];
const DIRECTIONS: [(i32, i32); 6] = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];
/// No cell: the bit of this number is never set.
const NOWHERE: u8 = 127;

/// The points of the star in which players start, clockwise from the bottom.
fn seats(players: usize) -> &'static [usize] {
    match players {
        2 => &[0, 3],
        3 => &[0, 2, 4],
        4 => &[0, 1, 3, 4],
        _ => &[0, 1, 2, 3, 4, 5],
    }
}

/// How far (q, r) lies towards the tip of each point of the star; greater than the side if it is in that point.
fn towards((q, r): (i32, i32), point: usize) -> i32 {
    [r, -q, -q - r, -r, q, q + r][point]
}

fn in_star(cell: (i32, i32), side: i32) -> bool {
    let within = |parity: usize| (0..3).all(|i| towards(cell, 2 * i + parity) <= side);
    within(0) || within(1)
}

/// The rules for `N` players.
#[derive(Clone, Debug)]
pub struct ChineseCheckers<const N: usize, P> {
    side: i32,
    harmless: bool,
    /// Turns of each player after which the game is drawn; 0 for no limit.
    turns: u16,
    coordinates: Vec<(i32, i32)>,
    /// The cells beside each cell, as a set and by direction.
    beside: Vec<u128>,
    neighbours: Vec<[u8; 6]>,
    /// Where a hop lands, by direction.
    landings: Vec<[u8; 6]>,
    home: [u128; N],
    target: [u128; N],
    /// Where each player's pieces may stand.
    allowed: [u128; N],
    /// How far each cell is from the tip of each player's target.
    far: [Vec<u8>; N],
    /// What the distances of all pieces add up to at the start and in the target.
    most_to_go: u16,
    least: u16,
    /// Where cells go when left and right are exchanged.
    mirror: Vec<u8>,
    /// For each mover and every cell, the cell that lies for the mover where this one lies for who starts at the
    /// bottom.
    turned: [Vec<u8>; N],
    payoff: PhantomData<P>,
}

/// The pieces of each player and whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pieces<const N: usize> {
    /// By player.
    pub of: [u128; N],
    /// The distances to go of each player's pieces, added up. They follow from the pieces.
    to_go: [u16; N],
    /// Moves made; modulo `N` where turns are not limited.
    ply: u16,
}

/// Bits of a set that are no cells.
const SPARE: u32 = 121;

impl<const N: usize> Pieces<N> {
    /// The pieces, and in the seven bits that a set has to spare a part of the number of moves each.
    #[inline]
    fn packed(&self) -> [u128; N] {
        std::array::from_fn(|p| self.of[p] | u128::from(u64::from(self.ply) >> (7 * p) & 127) << SPARE)
    }

    #[inline]
    fn mover(&self) -> Player {
        Player::new(usize::from(self.ply) % N)
    }

    #[inline]
    fn all(&self) -> u128 {
        self.of.iter().fold(0, |all, set| all | set)
    }
}

impl<const N: usize> Plain for Pieces<N> {
    const SIZE: usize = 18 * N;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        (self.packed(), self.to_go).put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let (packed, to_go) = <([u128; N], [u16; N])>::take(bytes)?;
        let ply = packed.iter().take(3).rev().fold(0, |ply, set| ply << 7 | (set >> SPARE) as u32);
        let of = packed.map(|set| set & ((1 << SPARE) - 1));
        Some(Pieces { of, to_go, ply: u16::try_from(ply).ok()? })
    }
}

/// A piece goes from one cell to another; both the same for a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Where it was.
    pub from: u8,
    /// Where it goes.
    pub to: u8,
}

plain_struct!(impl[] Move { from: u8, to: u8 });

const PASS: Move = Move { from: NOWHERE, to: NOWHERE };

impl<const N: usize, P: Payoff> ChineseCheckers<N, P> {
    /// The rules on a star of this side.
    ///
    /// # Panics
    /// If the side is not 1 to 4, there are more than 5000 turns, or `N` is not the number of players of `P`.
    pub fn new(side: i32, harmless: bool, turns: u16) -> Self {
        assert!((1..=4).contains(&side) && turns <= 5000, "side {side}, {turns} turns");
        assert!(N == P::PLAYERS && [2, 3, 4, 6].contains(&N), "{N} players");
        let span = -2 * side..=2 * side;
        let all = span.clone().flat_map(|r| span.clone().map(move |q| (q, r)));
        let coordinates: Vec<(i32, i32)> = all.filter(|&cell| in_star(cell, side)).collect();
        let find = |at: (i32, i32)| coordinates.iter().position(|&c| c == at).map_or(NOWHERE, |c| c as u8);
        let beyond = |steps: i32| -> Vec<[u8; 6]> {
            let from = |&(q, r): &(i32, i32)| DIRECTIONS.map(|(dq, dr)| find((q + steps * dq, r + steps * dr)));
            coordinates.iter().map(from).collect()
        };
        let set = |fits: &dyn Fn((i32, i32)) -> bool| {
            coordinates.iter().enumerate().filter(|(_, c)| fits(**c)).fold(0u128, |set, (i, _)| set | 1 << i)
        };
        let point = |p: usize| set(&|c| towards(c, p) > side);
        let middle = set(&|c| (0..6).all(|p| towards(c, p) <= side));
        let home: [u128; N] = std::array::from_fn(|p| point(seats(N)[p]));
        let target: [u128; N] = std::array::from_fn(|p| point((seats(N)[p] + 3) % 6));
        let far = std::array::from_fn(|p| {
            let point = (seats(N)[p] + 3) % 6;
            let tip = coordinates.iter().position(|&c| towards(c, point) == 2 * side).expect("a tip");
            coordinates.iter().map(|&c| distance(c, coordinates[tip])).collect()
        });
        let neighbours = beyond(1);
        let on_board = |cells: &[u8; 6]| cells.iter().filter(|&&c| c != NOWHERE).fold(0u128, |set, c| set | 1 << c);
        let mut game = ChineseCheckers {
            side,
            harmless,
            turns,
            beside: neighbours.iter().map(on_board).collect(),
            neighbours,
            landings: beyond(2),
            allowed: std::array::from_fn(|p| middle | home[p] | target[p]),
            home,
            target,
            far,
            most_to_go: 0,
            least: 0,
            mirror: coordinates.iter().map(|&(q, r)| find((-q - r, r))).collect(),
            turned: std::array::from_fn(|p| turned(&coordinates, seats(N)[p])),
            coordinates,
            payoff: PhantomData,
        };
        game.least = game.distances(0, target[0]);
        game.most_to_go = game.distances(0, home[0]) - game.least;
        game
    }

    fn distances(&self, player: usize, pieces: u128) -> u16 {
        pieces.cells().map(|c| u16::from(self.far[player][c as usize])).sum()
    }

    fn state(&self, of: [u128; N], ply: u16) -> Pieces<N> {
        Pieces { of, to_go: std::array::from_fn(|p| self.distances(p, of[p]) - self.least), ply }
    }

    /// Where the piece on `from` can go. `all` holds all pieces, `free` the empty cells that it may use.
    #[inline]
    fn targets(&self, from: u32, all: u128, free: u128) -> u128 {
        let others = all ^ 1 << from;
        let mut landed = 0u128;
        let mut open = 1u128 << from;
        while open != 0 {
            let cell = open.trailing_zeros() as usize;
            open &= open - 1;
            if self.beside[cell] & others == 0 {
                continue;
            }
            for (&over, &to) in self.neighbours[cell].iter().zip(&self.landings[cell]) {
                if others >> over & free >> to & 1 != 0 {
                    let to = 1u128 << to;
                    open |= to & !landed;
                    landed |= to;
                }
            }
        }
        landed | self.beside[from as usize] & free
    }

    /// Whether `player` has won, if it has just moved.
    #[inline]
    fn arrived(&self, state: &Pieces<N>, player: usize) -> bool {
        let target = self.target[player];
        if self.harmless {
            state.of[player] & target != 0 && state.all() & target == target
        } else {
            state.of[player] == target
        }
    }

    /// The cells of each row, from the top.
    fn rows(&self) -> Vec<Vec<usize>> {
        let row = |r: i32| (0..self.coordinates.len()).filter(move |&c| self.coordinates[c].1 == r).collect();
        (-2 * self.side..=2 * self.side).map(row).collect()
    }

    fn name(&self, cell: u8) -> String {
        let (_, r) = self.coordinates[usize::from(cell)];
        let number = self.coordinates[..usize::from(cell)].iter().filter(|c| c.1 == r).count() + 1;
        format!("{}{number}", column_letters((r + 2 * self.side) as usize))
    }

    fn check(&self, state: &Pieces<N>) -> Result<(), TextError> {
        let pieces = self.home[0].count();
        for (p, set) in state.of.iter().enumerate() {
            if set.count() != pieces {
                let sign = SIGNS[p];
                return Err(TextError::new(format!("there must be {pieces} {sign}, but there are {}", set.count())));
            }
            if set & !self.allowed[p] != 0 {
                return Err(TextError::new(format!("{} may use the middle and its own two points only", SIGNS[p])));
            }
        }
        let last = (state.mover().index() + N - 1) % N;
        if (0..N).any(|p| p != last && state.of[p] == self.target[p]) {
            return Err(TextError::new("the game was over before the last move"));
        }
        let start = self.start();
        if self.turns > 0 && state.ply == 0 && *state != start {
            return Err(TextError::new("before the first turn the pieces stand at home"));
        }
        Ok(())
    }

    fn parse_turn(&self, mover: &str, turn: &str) -> Result<u16, TextError> {
        let signs: Vec<String> = SIGNS[..N].iter().map(char::to_string).collect();
        let mover = signs.iter().position(|s| s == mover).ok_or_else(|| {
            TextError::new(format!("expected who moves, one of {}, got \"{mover}\"", signs.join(" ")))
        })?;
        let most = usize::from(self.turns) * N;
        let ply = turn.parse::<u16>().ok().map(|turn| usize::from(turn) * N + mover);
        ply.filter(|&ply| if self.turns > 0 { ply <= most } else { ply < N }).map(|ply| ply as u16).ok_or_else(|| {
            TextError::new(format!("expected the turns the mover has had, 0 to {}, got \"{turn}\"", self.turns))
        })
    }
}

/// For each cell, the one that lies as far towards every point of the star, counted from `seat`, as this one does from
/// the bottom.
fn turned(coordinates: &[(i32, i32)], seat: usize) -> Vec<u8> {
    let image = |&place: &(i32, i32)| {
        let alike = |&cell: &(i32, i32)| [0, 1].iter().all(|p| towards(cell, (seat + p) % 6) == towards(place, *p));
        coordinates.iter().position(alike).map_or(NOWHERE, |cell| cell as u8)
    };
    coordinates.iter().map(image).collect()
}

/// Steps between two cells on an empty board.
fn distance(a: (i32, i32), b: (i32, i32)) -> u8 {
    let (q, r) = (a.0 - b.0, a.1 - b.1);
    q.abs().max(r.abs()).max((q + r).abs()) as u8
}

impl<const N: usize, P: Payoff> Game for ChineseCheckers<N, P> {
    type State = Pieces<N>;
    type Move = Move;
    type Payoff = P;
    type Key = [u128; N];

    fn start(&self) -> Pieces<N> {
        self.state(self.home, 0)
    }

    #[inline]
    fn expand(&self, state: &Pieces<N>, moves: &mut Vec<Move>) -> Status<P> {
        let status = self.status(state);
        let Status::Turn(mover) = status else { return status };
        let before = moves.len();
        let all = state.all();
        let free = self.allowed[mover.index()] & !all;
        for from in state.of[mover.index()].cells() {
            let targets = self.targets(from, all, free);
            moves.extend(targets.cells().map(|to| Move { from: from as u8, to: to as u8 }));
        }
        if moves.len() == before {
            moves.push(PASS);
        }
        status
    }

    #[inline]
    fn status(&self, state: &Pieces<N>) -> Status<P> {
        let mover = state.mover();
        let last = (mover.index() + N - 1) % N;
        if self.arrived(state, last) {
            let scores: [i32; N] = std::array::from_fn(|p| if p == last { N as i32 - 1 } else { -1 });
            Status::Over(P::from_scores(&scores))
        } else if self.turns > 0 && usize::from(state.ply) == N * usize::from(self.turns) {
            Status::Over(P::draw())
        } else {
            Status::Turn(mover)
        }
    }

    #[inline]
    fn play(&self, state: &mut Pieces<N>, mv: Move) {
        let me = state.mover().index();
        if mv != PASS {
            state.of[me] ^= 1 << mv.from | 1 << mv.to;
            let far = &self.far[me];
            state.to_go[me] = state.to_go[me] + u16::from(far[mv.to as usize]) - u16::from(far[mv.from as usize]);
        }
        state.ply += 1;
        if self.turns == 0 && usize::from(state.ply) == N {
            state.ply = 0;
        }
    }

    fn key(&self, state: &Pieces<N>) -> Self::Key {
        state.packed()
    }

    /// The winner gets N - 1 and the others -1, so that scores always add up to 0.
    fn facts(&self) -> Facts {
        let (n, limited) = (N as i32, self.turns > 0);
        let plies = N as f64 * f64::from(self.turns) + 1.0;
        Facts {
            zero_sum: true,
            sum: (0, 0),
            scores: vec![(-1, n - 1); N],
            outcomes: Some(vec![-1, 0, n - 1]),
            acyclic: limited,
            length: limited.then(|| u32::from(self.turns) * N as u32),
            states: Some(self.placements().powi(n) * if limited { plies } else { N as f64 }),
            heuristic: true,
            ..Facts::win_draw_loss::<P>()
        }
    }
}

impl<const N: usize, P: Payoff> Notation for ChineseCheckers<N, P> {
    fn position_text(&self, state: &Pieces<N>) -> String {
        let sign = |c: usize| (0..N).find(|&p| state.of[p].has(c as u32)).map(|p| SIGNS[p]);
        let rows: Vec<String> = self.rows().iter().map(|row| fen::write_row(row.iter().map(|&c| sign(c)))).collect();
        format!("{} {} {}", rows.join("/"), SIGNS[state.mover().index()], usize::from(state.ply) / N)
    }

    fn parse_position(&self, text: &str) -> Result<Pieces<N>, TextError> {
        let parts: Vec<&str> = text.split_whitespace().collect();
        let [cells, mover, turn] = parts[..] else {
            return Err(TextError::new("expected the board, who moves and the turns it has had"));
        };
        let rows = self.rows();
        let widths: Vec<usize> = rows.iter().map(Vec::len).collect();
        let signs: String = SIGNS[..N].iter().collect();
        let mut of = [0u128; N];
        for (cell, sign) in fen::parse_uneven_rows(cells, &widths, &signs)?.into_iter().flatten().enumerate() {
            if let Some(player) = sign.and_then(|s| SIGNS.iter().position(|&p| p == s)) {
                of[player] |= 1 << cell;
            }
        }
        let ply = self.parse_turn(mover, turn)?;
        // The distances make sense only for the right number of pieces.
        self.check(&Pieces { of, to_go: self.start().to_go, ply })?;
        Ok(self.state(of, ply))
    }

    fn move_text(&self, _: &Pieces<N>, mv: Move) -> String {
        if mv == PASS { "pass".into() } else { self.name(mv.from) + &self.name(mv.to) }
    }

    fn drawing(&self, state: &Pieces<N>) -> Drawing {
        let cell = |&c: &usize| match (0..N).find(|&p| state.of[p].has(c as u32)) {
            Some(player) => Cell::Stone(Player::new(player)),
            None => Cell::Empty,
        };
        let rows = self.rows();
        let left = |row: &[usize]| 2 * self.coordinates[row[0]].0 + self.coordinates[row[0]].1;
        let leftmost = rows.iter().map(|row| left(row)).min().unwrap_or(0);
        Drawing {
            shape: Shape::Hex,
            look: Look::Holes,
            indents: rows.iter().map(|row| (left(row) - leftmost) as usize).collect(),
            row_labels: (0..rows.len()).map(column_letters).collect(),
            ..Drawing::square(rows.iter().map(|row| row.iter().map(cell).collect()).collect())
        }
        .with_legend((0..N).map(|p| format!("to go {}", state.to_go[p])))
    }
}

impl<const N: usize, P: Payoff> Symmetric for ChineseCheckers<N, P> {
    /// Left and right, if everybody sits on the axis.
    fn symmetries(&self) -> usize {
        if N == 2 { 2 } else { 1 }
    }

    fn transform(&self, state: &Pieces<N>, index: usize) -> Pieces<N> {
        if index == 0 {
            return *state;
        }
        let image = |set: u128| set.cells().fold(0, |image, c| image | 1 << self.mirror[c as usize]);
        Pieces { of: state.of.map(image), ..*state }
    }

    fn transform_move(&self, _: &Pieces<N>, mv: Move, index: usize) -> Move {
        if index == 0 || mv == PASS {
            return mv;
        }
        Move { from: self.mirror[mv.from as usize], to: self.mirror[mv.to as usize] }
    }
}

impl<const N: usize, P: Payoff> Playouts for ChineseCheckers<N, P> {}

impl<const N: usize, P: Payoff> Heuristic for ChineseCheckers<N, P> {
    fn heuristic(&self, state: &Pieces<N>) -> EstimateOf<Self> {
        Estimate::from_fn(|player| self.heuristic_of(state, player))
    }

    /// How much of its way a player has behind it; for two, who is ahead.
    #[inline]
    fn heuristic_of(&self, state: &Pieces<N>, player: Player) -> f32 {
        let to_go = |p: usize| f32::from(state.to_go[p]);
        let p = player.index();
        if N == 2 {
            return 0.9 * (to_go(1 - p) - to_go(p)) / f32::from(self.most_to_go);
        }
        0.9 - 1.8 * to_go(p) / f32::from(self.most_to_go)
    }
}

impl<const N: usize, P: Payoff> Features for ChineseCheckers<N, P> {
    fn layout(&self) -> Option<Layout> {
        let cells = self.coordinates.iter().map(|&(q, r)| (q as i16, r as i16)).collect();
        Some(Layout { lattice: Lattice::Hexagonal, cells, values: N as u8 + 1, numbers: NUMBERS })
    }

    /// Empty, mine, the next player's and so on. The board is turned so that the mover starts at the bottom.
    fn cell_values(&self, state: &Pieces<N>, out: &mut Vec<u8>) {
        let me = state.mover().index();
        let value = |&cell: &u8| (0..N).find(|i| state.of[(me + i) % N].has(cell.into())).map_or(0, |i| i as u8 + 1);
        out.extend(self.turned[me].iter().map(value));
    }

    fn numbers(&self, state: &Pieces<N>, out: &mut Vec<f32>) {
        let (me, next) = (state.mover().index(), (state.mover().index() + 1) % N);
        let turns = usize::from(state.ply) / N;
        out.push(turns as f32 / f32::from(self.turns.max(1)));
        out.push(((seats(N)[next] + 6 - seats(N)[me]) % 6) as f32 / 3.0);
    }

    fn viewer(&self, state: &Pieces<N>) -> Player {
        state.mover()
    }
}

const NUMBERS: &[&str] = &["turns of those allowed", "the way round the star to the next player, of half of it"];

impl<const N: usize, P: Payoff> SolverHints for ChineseCheckers<N, P> {}

impl<const N: usize, P: Payoff> OrderingHints for ChineseCheckers<N, P> {
    /// What brings a piece nearer to its target.
    #[inline]
    fn order_score(&self, state: &Pieces<N>, mv: Move) -> i32 {
        if mv == PASS {
            return 0;
        }
        let far = &self.far[state.mover().index()];
        i32::from(far[mv.from as usize]) - i32::from(far[mv.to as usize])
    }

    #[inline]
    fn history_index(&self, _: &Pieces<N>, mv: Move) -> usize {
        128 * usize::from(mv.from) + usize::from(mv.to)
    }
}

impl<const N: usize, P: Payoff> Persist for ChineseCheckers<N, P> {}

impl<const N: usize, P> ChineseCheckers<N, P> {
    /// In how many ways one player's pieces can stand.
    fn placements(&self) -> f64 {
        let (cells, pieces) = (self.allowed[0].count(), self.home[0].count());
        (0..pieces).map(|i| f64::from(cells - i) / f64::from(i + 1)).product()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    type At = (i32, i32);

    /// The rules again, as slow and as plain as possible: coordinates, no tables, every series of hops walked.
    struct Slow {
        side: i32,
        pieces: Vec<BTreeSet<At>>,
    }

    impl Slow {
        fn triangle(side: i32, point: usize) -> BTreeSet<At> {
            let span = -2 * side..=2 * side;
            let all = span.clone().flat_map(|q| span.clone().map(move |r| (q, r)));
            all.filter(|&(q, r)| {
                let s = -q - r;
                let [main, a, b] = match point % 3 {
                    0 => [r, q, s],
                    1 => [-q, -r, -s],
                    _ => [s, q, r],
                };
                let flip = if point >= 3 { -1 } else { 1 };
                main * flip > side && a * flip >= -side && b * flip >= -side
            })
            .collect()
        }

        fn may_stand(&self, at: At, point: usize) -> bool {
            let middle = at.0.abs().max(at.1.abs()).max((at.0 + at.1).abs()) <= self.side;
            middle || [point, (point + 3) % 6].iter().any(|&p| Self::triangle(self.side, p).contains(&at))
        }

        fn occupied(&self, at: At) -> bool {
            self.pieces.iter().any(|set| set.contains(&at))
        }

        fn hop_on(&self, at: At, point: usize, ends: &mut BTreeSet<At>) {
            for (dq, dr) in DIRECTIONS {
                let (over, to) = ((at.0 + dq, at.1 + dr), (at.0 + 2 * dq, at.1 + 2 * dr));
                if self.occupied(over) && !self.occupied(to) && self.may_stand(to, point) && ends.insert(to) {
                    self.hop_on(to, point, ends);
                }
            }
        }

        fn moves(&mut self, player: usize, point: usize) -> Vec<(At, At)> {
            let mut moves = Vec::new();
            for from in self.pieces[player].clone() {
                self.pieces[player].remove(&from);
                let mut ends = BTreeSet::new();
                self.hop_on(from, point, &mut ends);
                for (dq, dr) in DIRECTIONS {
                    let to = (from.0 + dq, from.1 + dr);
                    if !self.occupied(to) && self.may_stand(to, point) {
                        ends.insert(to);
                    }
                }
                ends.remove(&from);
                moves.extend(ends.into_iter().map(|to| (from, to)));
                self.pieces[player].insert(from);
            }
            moves
        }

        fn count(&mut self, seats: &[usize], player: usize, depth: u32) -> u64 {
            let moves = self.moves(player, seats[player]);
            if depth == 1 {
                return moves.len().max(1) as u64;
            }
            if moves.is_empty() {
                return self.count(seats, (player + 1) % seats.len(), depth - 1);
            }
            let mut count = 0;
            for (from, to) in moves {
                self.pieces[player].remove(&from);
                self.pieces[player].insert(to);
                if self.pieces[player] != Self::triangle(self.side, (seats[player] + 3) % 6) {
                    count += self.count(seats, (player + 1) % seats.len(), depth - 1);
                }
                self.pieces[player].remove(&to);
                self.pieces[player].insert(from);
            }
            count
        }
    }

    fn compare<const N: usize, P: Payoff>(side: i32, depth: u32) {
        let game = ChineseCheckers::<N, P>::new(side, false, 100);
        let budget = perfectplay_core::Budget::unlimited();
        let fast = game.perft(&game.start(), depth as usize, false, &budget).unwrap();
        for depth in 1..=depth {
            let pieces = seats(N).iter().map(|&seat| Slow::triangle(side, seat)).collect();
            let slow = Slow { side, pieces }.count(seats(N), 0, depth);
            println!("{N} players, side {side}, depth {depth}: {slow}"); // these are the counts in data/perft
            assert_eq!(fast.leaves[depth as usize - 1], slow, "{N} players, side {side}, depth {depth}");
        }
    }

    #[test]
    fn as_many_sequences_as_by_walking_every_series_of_hops() {
        compare::<2, ZeroSum>(1, 7);
        compare::<3, Scores<3>>(2, 4);
        compare::<3, Scores<3>>(3, 4);
        compare::<6, Scores<6>>(3, 4);
        compare::<2, ZeroSum>(4, 3);
        compare::<4, Scores<4>>(4, 3);
    }

    /// Along a game in which pieces mostly go forward, so that many meet in the middle.
    fn compare_along_a_game<const N: usize, P: Payoff>(side: i32) {
        let game = ChineseCheckers::<N, P>::new(side, false, 100);
        let mut state = game.start();
        let mut hops = 0;
        for ply in 0..25 * N {
            let mut moves = Vec::new();
            let Status::Turn(mover) = game.expand(&state, &mut moves) else { break };
            let at = |cell: u32| game.coordinates[cell as usize];
            let pieces = state.of.iter().map(|set| set.cells().map(at).collect()).collect();
            let slow: BTreeSet<(At, At)> =
                Slow { side, pieces }.moves(mover.index(), seats(N)[mover.index()]).into_iter().collect();
            let fast: BTreeSet<(At, At)> = moves.iter().map(|mv| (at(mv.from.into()), at(mv.to.into()))).collect();
            assert_eq!(fast, slow, "{}", game.position_text(&state));
            hops += fast.iter().filter(|(from, to)| distance(*from, *to) > 2).count();
            moves.sort_by_key(|&mv| -game.order_score(&state, mv));
            game.play(&mut state, moves[ply * 7 % moves.len().min(5)]);
        }
        assert!(hops > 50, "only {hops} series of hops");
    }

    #[test]
    fn the_same_moves_as_by_walking_every_series_of_hops() {
        compare_along_a_game::<2, ZeroSum>(3);
        compare_along_a_game::<3, Scores<3>>(3);
        compare_along_a_game::<4, Scores<4>>(4);
        compare_along_a_game::<6, Scores<6>>(4);
    }

    #[test]
    fn boards_have_the_usual_sizes() {
        for (side, cells, pieces) in [(1, 13, 1), (2, 37, 3), (3, 73, 6), (4, 121, 10)] {
            let game = ChineseCheckers::<6, Scores<6>>::new(side, false, 100);
            assert_eq!((game.coordinates.len(), game.home[3].count()), (cells, pieces));
            assert!((0..6).all(|p| game.distances(p, game.home[p]) == game.most_to_go + game.least));
        }
    }

    #[test]
    fn a_full_target_wins_and_blocking_can_be_made_harmless() {
        let strict = ChineseCheckers::<2, ZeroSum>::new(2, false, 100);
        let harmless = ChineseCheckers::<2, ZeroSum>::new(2, true, 100);
        let arrived = strict.parse_position("X/XX/7/6/5/6/7/1O/O O 9");
        assert!(arrived.is_err()); // a piece is missing
        let arrived = strict.parse_position("X/XX/7/6/5/4O1/7/1O/O O 9").unwrap();
        assert_eq!(strict.status(&arrived), Status::Over(ZeroSum(1)));
        let blocked = "O/XX/7/6/5/3XO1/7/1O/1 O 9";
        let read = |game: &ChineseCheckers<2, ZeroSum>| game.status(&game.parse_position(blocked).unwrap());
        assert_eq!(read(&strict), Status::Turn(Player::SECOND));
        assert_eq!(read(&harmless), Status::Over(ZeroSum(1)));
    }

    #[test]
    fn foreign_points_are_closed() {
        let game = ChineseCheckers::<3, Scores<3>>::new(2, false, 100);
        let mut state = game.start();
        let mut moves = Vec::new();
        game.expand(&state, &mut moves);
        for mv in moves {
            let before = state;
            game.play(&mut state, mv);
            assert_eq!(state.of[0] & (game.home[1] | game.home[2] | game.target[1] | game.target[2]), 0);
            state = before;
        }
        // The second player's home is at the left, its end at the right.
        assert!(game.parse_position("1/2/OO5/O5/5/6/7/XX/X O 3").is_err()); // no third player
        assert!(game.parse_position("1/2/OO3##/O4#/5/6/7/XX/X O 3").is_ok());
        assert!(game.parse_position("O/2/O4##/O4#/5/6/7/XX/X O 3").is_err());
    }

    #[test]
    fn everybody_starts_at_the_bottom() {
        let game = ChineseCheckers::<4, Scores<4>>::new(3, false, 100);
        let turn =
            |set: u128, p: usize| (0..73).filter(|&c| set.has(game.turned[p][c].into())).fold(0, |s, c| s | 1u128 << c);
        for p in 0..4 {
            assert_eq!((turn(game.home[p], p), turn(game.target[p], p)), (game.home[0], game.target[0]));
        }
    }
}
