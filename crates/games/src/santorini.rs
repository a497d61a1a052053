//! Santorini without god powers: step, build, and be the first to stand on level three.
//!
//! Four sets of cells hold the heights: built at least once, twice, three times, and domed. Every turn adds a level, so
//! a game is short. Whoever stands on level three has won; there is no other trace of the end in a state.

use perfectplay_core::{
    Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Layout, Look, Notation, OptionSet,
    OrderingHints, Params, Payoff, Persist, Plain, Player, Playouts, Setting, SolverHints, Status, Symmetric,
    TextError, Visitor, ZeroSum, options, plain_struct,
};

use crate::support::bits::Bits;
use crate::support::board::{self, parse_cell};
use crate::support::grid::{DIRECTIONS, Grid};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "santorini",
    summary: "step, build, and be the first on level three",
    players: "2",
    parameters: Parameters::docs,
    examples: &["santorini", "santorini:turn=steps"],
    rules: "Each player puts two workers on the board. A turn moves a worker to a neighbouring cell, also diagonally, \
that is free, not domed and at most one level higher; then that worker builds one level on a free neighbouring cell (a \
fourth level is a dome). Who steps onto level three wins at once; who cannot move loses. No god powers.

A whole turn is one move, and so is the placing of both workers: `a1b2`, then `a1b2c3` (from, to, build) or `a1b2` for \
a winning step. With `turn=steps` each placing, step and building is a move of its own. Positions are the heights row \
by row from the top, the workers (`X`, `O`, `.`) and who moves; with `turn=steps`, after a step, also the worker that \
must build.",
    sources: &["G. Hamilton, Santorini (2004)"],
};

options! {
    struct Parameters {
        steps: bool = Setting::choice(
            "turn",
            "what one move is",
            &[("whole", "step and build, or both workers placed", false), ("steps", "each part of a turn", true)],
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { steps } = Parameters::read(INFO.name, params)?;
    Ok(visitor.zero_sum(Santorini::new(steps)))
}

const SIZE: u32 = 5;
const ALL: u64 = (1 << (SIZE * SIZE)) - 1;
/// No worker must build now.
const NOBODY: u8 = u8::MAX;

/// The 5×5 cells and what is beside each, and whether placing or building is a move of its own.
#[derive(Clone, Debug)]
pub struct Santorini {
    steps: bool,
    grid: Grid,
    beside: Vec<u64>,
}

/// Heights, workers and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Town {
    /// The cells built on at least once, twice, three times, four times (domes).
    pub built: [u32; 4],
    /// The first player's workers, then the second's.
    pub workers: [u32; 2],
    /// Who moves.
    pub mover: Player,
    /// Where the worker stands that has stepped and must build; [`u8::MAX`] if none.
    pub builder: u8,
}

/// One choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Both workers are placed.
    PlaceBoth(u8, u8),
    /// One worker is placed.
    Place(u8),
    /// A worker steps from one cell to another and builds on a third.
    Turn(u8, u8, u8),
    /// A worker only steps: onto level three, or because building is a move of its own.
    Step(u8, u8),
    /// The worker that stepped builds.
    Build(u8),
}

plain_struct!(impl[] Town { built: [u32; 4], workers: [u32; 2], mover: Player, builder: u8 });

/// Three cells; `NOBODY` where there is none, and beyond it which of two kinds a move of so many cells is.
impl Plain for Move {
    const SIZE: usize = 3;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        let cells = match *self {
            Move::Turn(from, to, site) => [from, to, site],
            Move::Step(from, to) => [from, to, NOBODY],
            Move::PlaceBoth(a, b) => [a, b, NOBODY - 1],
            Move::Build(site) => [site, NOBODY, NOBODY],
            Move::Place(cell) => [cell, NOBODY, NOBODY - 1],
        };
        cells.put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        const ANOTHER: u8 = NOBODY - 1;
        Some(match <[u8; 3]>::take(bytes)? {
            [site, NOBODY, NOBODY] => Move::Build(site),
            [cell, NOBODY, ANOTHER] => Move::Place(cell),
            [from, to, NOBODY] => Move::Step(from, to),
            [a, b, ANOTHER] => Move::PlaceBoth(a, b),
            [from, to, site] => Move::Turn(from, to, site),
        })
    }
}

impl Town {
    fn taken(&self) -> u64 {
        u64::from(self.workers[0] | self.workers[1])
    }

    fn level(&self, times: usize) -> u64 {
        self.built[times - 1].into()
    }

    fn height(&self, cell: u32) -> usize {
        self.built.iter().filter(|set| *set >> cell & 1 != 0).count()
    }

    fn build(&mut self, cell: u8) {
        let height = self.height(cell.into());
        self.built[height] |= 1 << cell;
    }

    fn placed(&self, player: usize) -> u32 {
        self.workers[player].count_ones()
    }

    fn all_placed(&self) -> bool {
        self.placed(0) == 2 && self.placed(1) == 2
    }

    /// Who stands on level three.
    fn winner(&self) -> Option<Player> {
        Player::all(2).find(|p| self.workers[p.index()] & self.built[2] != 0)
    }
}

impl Santorini {
    /// The rules; with `steps` every part of a turn is a move.
    pub fn new(steps: bool) -> Self {
        let grid = Grid::new(SIZE, SIZE);
        let beside = |c| DIRECTIONS.iter().filter_map(|&d| grid.moved(c, d)).fold(0u64, |set, n| set | 1 << n);
        Santorini { steps, beside: (0..grid.cells()).map(beside).collect(), grid: grid.clone() }
    }

    /// Where the worker on `from` can step.
    fn targets(&self, town: &Town, from: u32) -> u64 {
        let too_high = town.level((town.height(from) + 2).min(4));
        self.beside[from as usize] & !town.taken() & !too_high & !town.level(4)
    }

    /// Where a worker can build that stepped from `from` to `to`.
    fn sites(&self, town: &Town, from: u32, to: u32) -> u64 {
        self.beside[to as usize] & !(town.taken() ^ 1 << from) & !town.level(4)
    }

    fn can_step(&self, town: &Town) -> bool {
        u64::from(town.workers[town.mover.index()]).cells().any(|w| self.targets(town, w) != 0)
    }

    fn mobility(&self, town: &Town, player: usize) -> u32 {
        u64::from(town.workers[player]).cells().map(|w| self.targets(town, w).count()).sum()
    }

    /// The cells row by row from the top.
    fn rows_down(&self) -> impl Iterator<Item = u32> + '_ {
        (0..SIZE).rev().flat_map(move |r| (0..SIZE).map(move |c| self.grid.cell(c, r)))
    }

    fn parse_heights(&self, text: &str) -> Result<[u32; 4], TextError> {
        let mut built = [0; 4];
        for (i, (c, cell)) in text.chars().zip(self.rows_down()).enumerate() {
            let height = c.to_digit(5).ok_or_else(|| TextError::at(i, format!("a height is 0 to 4, got \"{c}\"")))?;
            built.iter_mut().take(height as usize).for_each(|set| *set |= 1 << cell);
        }
        Ok(built)
    }

    fn parse_workers(&self, text: &str, at: usize) -> Result<[u32; 2], TextError> {
        let mut workers = [0; 2];
        for (i, (c, cell)) in text.chars().zip(self.rows_down()).enumerate() {
            match c {
                'X' => workers[0] |= 1 << cell,
                'O' => workers[1] |= 1 << cell,
                '.' => {}
                c => return Err(TextError::at(at + i, format!("expected X, O or ., got \"{c}\""))),
            }
        }
        Ok(workers)
    }

    /// Whether the workers can have been placed like that, with this player to move.
    fn check_placing(&self, town: &Town) -> Result<(), TextError> {
        let fits = match [town.placed(0), town.placed(1)] {
            [2, 2] => true,
            [0, 0] => town.mover == Player::FIRST,
            [1, 0] => self.steps && town.mover == Player::FIRST,
            [2, 0] => town.mover == Player::SECOND,
            [2, 1] => self.steps && town.mover == Player::SECOND,
            _ => false,
        };
        if !fits {
            return Err(TextError::new("X places two workers, then O does"));
        }
        if !town.all_placed() && town.built[0] != 0 {
            return Err(TextError::new("nobody builds before all workers are placed"));
        }
        Ok(())
    }
}

impl Game for Santorini {
    type State = Town;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = u128;

    fn start(&self) -> Town {
        Town { built: [0; 4], workers: [0; 2], mover: Player::FIRST, builder: NOBODY }
    }

    #[inline]
    fn expand(&self, town: &Town, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let status = self.status(town);
        let Status::Turn(mover) = status else { return status };
        let free = ALL & !town.taken();
        if town.builder != NOBODY {
            let sites = self.beside[town.builder as usize] & free & !town.level(4);
            moves.extend(sites.cells().map(|c| Move::Build(c as u8)));
        } else if town.placed(mover.index()) < 2 {
            if self.steps {
                moves.extend(free.cells().map(|c| Move::Place(c as u8)));
            } else {
                let pairs = free.cells().flat_map(|a| free.cells().filter(move |&b| a < b).map(move |b| (a, b)));
                moves.extend(pairs.map(|(a, b)| Move::PlaceBoth(a as u8, b as u8)));
            }
        } else {
            for from in u64::from(town.workers[mover.index()]).cells() {
                for to in self.targets(town, from).cells() {
                    if self.steps || town.level(3).has(to) {
                        moves.push(Move::Step(from as u8, to as u8));
                    } else {
                        let sites = self.sites(town, from, to);
                        moves.extend(sites.cells().map(|b| Move::Turn(from as u8, to as u8, b as u8)));
                    }
                }
            }
        }
        status
    }

    /// Whoever can step can also build: on the cell that was left.
    #[inline]
    fn status(&self, town: &Town) -> Status<ZeroSum> {
        if let Some(winner) = town.winner() {
            Status::Over(ZeroSum::win_for(winner))
        } else if town.all_placed() && town.builder == NOBODY && !self.can_step(town) {
            Status::Over(ZeroSum::win_for(town.mover.opponent()))
        } else {
            Status::Turn(town.mover)
        }
    }

    #[inline]
    fn play(&self, town: &mut Town, mv: Move) {
        let mine = &mut town.workers[town.mover.index()];
        let mut turn_ends = true;
        match mv {
            Move::PlaceBoth(a, b) => *mine = 1 << a | 1 << b,
            Move::Place(cell) => {
                *mine |= 1 << cell;
                turn_ends = mine.count_ones() == 2;
            }
            Move::Turn(from, to, site) => {
                *mine ^= 1 << from | 1 << to;
                town.build(site);
            }
            Move::Step(from, to) => {
                *mine ^= 1 << from | 1 << to;
                turn_ends = town.built[2] >> to & 1 != 0;
                town.builder = if turn_ends { NOBODY } else { to };
            }
            Move::Build(site) => {
                town.build(site);
                town.builder = NOBODY;
            }
        }
        if turn_ends {
            town.mover = town.mover.opponent();
        }
    }

    /// Heights in binary take three bits per cell, workers two, and three are left for the mover and its worker that
    /// must build: none, the first or the other.
    #[inline]
    fn key(&self, town: &Town) -> u128 {
        let [one, two, three, four] = town.built;
        let [first, second] = town.workers;
        let builder = match town.builder {
            NOBODY => 0,
            cell => 1 + u32::from(town.workers[town.mover.index()] & ((1 << cell) - 1) != 0),
        };
        let rest = builder << 1 | town.mover.index() as u32;
        let sets = [one & !two | three & !four, two & !four, four, first, second, rest];
        sets.into_iter().rev().fold(0, |key, set| key << (SIZE * SIZE) | u128::from(set))
    }

    /// 25 cells take four levels each; every turn but a winning one adds one.
    fn facts(&self) -> Facts {
        let turns = 4 * SIZE * SIZE;
        Facts {
            alternating: !self.steps,
            outcomes: Some(vec![-1, 1]),
            length: Some(if self.steps { 4 + 2 * turns + 1 } else { 2 + turns + 1 }),
            states: Some(5f64.powi(25) * 326.0 * 326.0 * 2.0 * 26.0),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl Notation for Santorini {
    /// Heights row by row from the top, workers likewise (`X`, `O`, `.`), who moves, and the cell of the worker that
    /// must build, if one must.
    fn position_text(&self, town: &Town) -> String {
        let heights: String = self.rows_down().map(|c| char::from(b'0' + town.height(c) as u8)).collect();
        let sign = |c: u32| match town.workers.map(|set| set >> c & 1) {
            [1, _] => 'X',
            [_, 1] => 'O',
            _ => '.',
        };
        let workers: String = self.rows_down().map(sign).collect();
        let builder =
            if town.builder == NOBODY { String::new() } else { " ".to_owned() + &self.grid.name(town.builder.into()) };
        format!("{heights} {workers} {}{builder}", ["X", "O"][town.mover.index()])
    }

    fn parse_position(&self, text: &str) -> Result<Town, TextError> {
        let expected =
            || TextError::new("expected 25 heights, 25 cells with workers (X, O or .) and who moves (X or O)");
        let parts: Vec<&str> = text.split_whitespace().collect();
        let (heights, workers, mover, builder) = match *parts.as_slice() {
            [heights, workers, mover] => (heights, workers, mover, None),
            [heights, workers, mover, builder] if self.steps => (heights, workers, mover, Some(builder)),
            _ => return Err(expected()),
        };
        if [heights, workers].iter().any(|t| t.chars().count() != ALL.count() as usize) {
            return Err(expected());
        }
        let mover = match mover {
            "X" => Player::FIRST,
            "O" => Player::SECOND,
            _ => return Err(expected()),
        };
        let (built, workers) = (self.parse_heights(heights)?, self.parse_workers(workers, heights.len() + 1)?);
        let mut town = Town { built, workers, mover, builder: NOBODY };
        self.check_placing(&town)?;
        if town.taken() & town.level(4) != 0 {
            return Err(TextError::new("a worker cannot stand on a dome"));
        }
        let up = town.taken() & town.level(3);
        if up.count() > 1 || up & u64::from(workers[mover.index()]) != 0 || up != 0 && builder.is_some() {
            return Err(TextError::new("the game ended when the first worker stepped onto level three"));
        }
        if let Some(name) = builder {
            let cell = parse_cell(name, SIZE, SIZE)?;
            let sites = self.beside[cell as usize] & !town.taken() & !town.level(4);
            if !town.all_placed() || workers[mover.index()] >> cell & 1 == 0 || sites == 0 {
                return Err(TextError::new(format!("no worker of the mover can build from {name}")));
            }
            town.builder = cell as u8;
        }
        Ok(town)
    }

    fn move_text(&self, _: &Town, mv: Move) -> String {
        let names = |cells: &[u8]| cells.iter().map(|&c| self.grid.name(c.into())).collect::<String>();
        match mv {
            Move::PlaceBoth(a, b) | Move::Step(a, b) => names(&[a, b]),
            Move::Place(c) | Move::Build(c) => names(&[c]),
            Move::Turn(from, to, site) => names(&[from, to, site]),
        }
    }

    fn drawing(&self, town: &Town) -> Drawing {
        let digit = |c| char::from(b'0' + town.height(c) as u8);
        let drawing = self.grid.draw(|c| match town.workers.map(|set| set >> c & 1) {
            [1, _] => Cell::Piece(Player::FIRST, "XABC".chars().nth(town.height(c)).unwrap_or('X')),
            [_, 1] => Cell::Piece(Player::SECOND, "OPQR".chars().nth(town.height(c)).unwrap_or('O')),
            _ if town.height(c) == 4 => Cell::Blocked,
            _ if town.height(c) == 0 => Cell::Empty,
            _ => Cell::Sign(digit(c)),
        });
        let reading = Some("workers on levels 0 to 3: X A B C and O P Q R");
        let drawing = Drawing { reading, ..drawing.with_look(Look::Towers) };
        if town.builder == NOBODY {
            drawing
        } else {
            drawing.with_note(format!("the worker on {} must build", self.grid.name(town.builder.into())))
        }
    }
}

impl Symmetric for Santorini {
    fn symmetries(&self) -> usize {
        self.grid.symmetries()
    }

    fn transform(&self, town: &Town, index: usize) -> Town {
        let image = |set: u32| self.grid.image_of(u64::from(set), index) as u32;
        let builder = if town.builder == NOBODY { NOBODY } else { self.grid.image(town.builder.into(), index) as u8 };
        Town { built: town.built.map(image), workers: town.workers.map(image), builder, ..*town }
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        let image = |c: u8| self.grid.image(c.into(), index) as u8;
        match mv {
            Move::PlaceBoth(a, b) => {
                let (a, b) = (image(a), image(b));
                Move::PlaceBoth(a.min(b), a.max(b))
            }
            Move::Place(c) => Move::Place(image(c)),
            Move::Turn(from, to, site) => Move::Turn(image(from), image(to), image(site)),
            Move::Step(from, to) => Move::Step(image(from), image(to)),
            Move::Build(c) => Move::Build(image(c)),
        }
    }
}

impl Playouts for Santorini {}

impl Heuristic for Santorini {
    /// Height of the workers, and where they can step.
    fn heuristic(&self, town: &Town) -> f32 {
        let height =
            |p: usize| (1..=2).map(|h| (u64::from(town.workers[p]) & town.level(h)).count()).sum::<u32>() as f32;
        let steps = self.mobility(town, 0) as f32 - self.mobility(town, 1) as f32;
        Estimate::from_fn(|_| ((height(0) - height(1)) / 4.0 + steps / 20.0).tanh() * 0.9)
    }
}

impl Features for Santorini {
    fn layout(&self) -> Option<Layout> {
        let kinds = if self.steps { 4 } else { 3 };
        Some(board::layout(SIZE, SIZE, 5 * kinds, &[]))
    }

    /// The height, 5 more for a worker of the mover, 10 for one of the other player, 15 for the one that must build.
    fn cell_values(&self, town: &Town, out: &mut Vec<u8>) {
        let (mine, theirs) = (town.workers[town.mover.index()], town.workers[town.mover.opponent().index()]);
        let first = out.len();
        board::push_owners(0..SIZE * SIZE, mine, theirs, out);
        if town.builder != NOBODY {
            out[first + usize::from(town.builder)] = 3;
        }
        for (value, cell) in out[first..].iter_mut().zip(0..) {
            *value = 5 * *value + town.height(cell) as u8;
        }
    }

    fn viewer(&self, town: &Town) -> Player {
        town.mover
    }
}
impl SolverHints for Santorini {}
impl OrderingHints for Santorini {}
impl Persist for Santorini {}
