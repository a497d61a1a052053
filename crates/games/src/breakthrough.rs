//! Breakthrough: bring one man to the far row.
//!
//! Men step one row forward, straight or slanting; only slanting steps capture. Cell `row · columns + column`; the
//! first player starts on the bottom rows and moves up.
//!
//! A mover always has a move: nothing of its own stands ahead of its foremost man, and at most one of the two or three
//! cells ahead (the straight one) can be barred by an enemy. That needs two columns, so one column is refused.

use perfectplay_core::{
    Cell, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Layout, Look, Notation, OptionSet,
    OrderingHints, Params, Payoff, Persist, Player, Playouts, Setting, Sizes, SolverHints, Spec, Status, Symmetric,
    TextError, Visitor, ZeroSum, options, plain_struct,
};

use crate::support::bits::Bits;
use crate::support::{board, fen};

pub(crate) const INFO: GameInfo = GameInfo {
    name: "breakthrough",
    summary: "bring one man to the far row",
    players: "2",
    parameters: Parameters::docs,
    examples: &["breakthrough:3x4", "breakthrough:4x5", "breakthrough:6x6", "breakthrough:8x8"],
    rules:
        "Both players begin with two full rows of men, the first player at the bottom. A move takes one man one row \
forward, straight ahead or slanting. A slanting step may capture an enemy man by taking its place; a straight step \
needs an empty cell. Capturing is never forced.

Who reaches the far row, or captures the last man of the other side, wins at once. There are no draws: somebody can \
always move, and every move goes forward.

Positions are written like chess positions, `P` for the first player's men and `p` for the second's, then `w` or `b` \
for the player to move; moves as `a2b3`, and `a2-b3` or `a2xb3` are understood.",
    sources: &[
        "D. Troyka, the game's inventor (2000)",
        "A. Saffidine, N. Jouandeau, T. Cazenave, Solving Breakthrough with Race Patterns and Job-Level Proof Number \
Search (2011): 6x5 is a win for the second player",
    ],
};

options! {
    struct Parameters {
        size: [u64; 2] =
            Sizes::new(["columns", "rows"], "size of the board, at most 26 columns and 128 cells", 2..=128, [8, 8]),
        men: u32 = Setting::whole("men", "rows of men each player starts with", 1..=64, 2),
    }
}

/// Whether a game with these parameters is the one that other programs know: 8×8, two rows of men.
pub fn is_usual(params: Params) -> Result<bool, TextError> {
    let Parameters { size, men } = Parameters::read(INFO.name, params)?;
    Ok(size == [8, 8] && men == 2)
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size, men } = Parameters::read(INFO.name, params)?;
    let [w, h] = size.map(|n| n as u32);
    if h < 2 * men {
        return Err(TextError::new(format!("{men} rows of men for each player need {} rows, got {h}", 2 * men)));
    }
    match w * h {
        _ if w > 26 => Err(TextError::new(format!("at most 26 columns are possible, got {w}"))),
        ..=64 => Ok(visitor.zero_sum(Breakthrough::<u64>::new(w, h, men))),
        65..=128 => Ok(visitor.zero_sum(Breakthrough::<u128>::new(w, h, men))),
        cells => {
            Err(TextError::new(format!("a board of {w}x{h} is too large: {cells} cells, at most 128 are possible")))
        }
    }
}

/// The game on a board of up to 64 cells, if that is what `spec` names.
pub(crate) fn small(spec: &Spec) -> Option<Breakthrough<u64>> {
    if spec.name != INFO.name {
        return None;
    }
    let Parameters { size, men } = Parameters::read(INFO.name, spec.params.clone()).ok()?;
    let [w, h] = size.map(|n| n as u32);
    (w <= 26 && w * h <= 64 && h >= 2 * men).then(|| Breakthrough::new(w, h, men))
}

/// The rules on a board of this size.
#[derive(Clone, Debug)]
pub struct Breakthrough<B> {
    width: u32,
    height: u32,
    rows_of_men: u32,
    all: B,
    bottom: B,
    top: B,
    not_left: B,
    not_right: B,
    /// Slice k: the rows whose number has bit k. A sum over rows is then a few counts.
    slices: [B; SLICES],
}

/// Enough for the 64 rows of the highest board.
const SLICES: usize = 6;

/// Who stands where and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Men<B> {
    /// The men of each player.
    pub men: [B; 2],
    /// Who moves.
    pub mover: Player,
}

plain_struct!(impl[B: Bits] Men<B> { men: [B; 2], mover: Player });

impl<B: Bits> Men<B> {
    fn mine(&self) -> B {
        self.men[self.mover.index()]
    }

    fn theirs(&self) -> B {
        self.men[self.mover.opponent().index()]
    }
}

/// A step of one man.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Where it stands.
    pub from: u8,
    /// Where it goes.
    pub to: u8,
}

plain_struct!(impl[] Step { from: u8, to: u8 });

impl Step {
    #[inline]
    fn onto(to: u32, way_back: i32) -> Self {
        Step { from: (to as i32 + way_back) as u8, to: to as u8 }
    }
}

impl<B: Bits> Breakthrough<B> {
    /// The rules on `width` columns and `height` rows, with so many rows of men on each side.
    ///
    /// # Panics
    /// If the board does not fit into `B`, or the men not onto the board, or there is one column only.
    pub fn new(width: u32, height: u32, rows_of_men: u32) -> Self {
        assert!(width * height <= B::BITS.min(256), "{width}x{height} does not fit");
        assert!(width > 1 && rows_of_men > 0 && 2 * rows_of_men <= height, "{rows_of_men} rows of men do not fit");
        let (all, bottom) = (board::all_cells::<B>(width, height), board::first_row::<B>(width));
        let left = board::first_column::<B>(width, height);
        let slice = |k: usize| {
            let rows = (0..height).filter(|row| row >> k & 1 == 1);
            rows.fold(B::none(), |set, row| set | bottom << (width * row))
        };
        Breakthrough {
            width,
            height,
            rows_of_men,
            all,
            bottom,
            top: bottom << (width * (height - 1)),
            not_left: all & !left,
            not_right: all & !(left << (width - 1)),
            slices: std::array::from_fn(slice),
        }
    }

    /// The row a player runs for.
    fn goal(&self, player: Player) -> B {
        if player == Player::FIRST { self.top } else { self.bottom }
    }

    /// The row numbers of all men, added up.
    fn sum_of_rows(&self, men: B) -> u32 {
        let used = u32::BITS - (self.height - 1).leading_zeros();
        (0..used).map(|k| (men & self.slices[k as usize]).count() << k).sum()
    }

    /// How many rows `player`'s man on `cell` has gone from its own edge.
    fn advance(&self, player: Player, cell: u32) -> u32 {
        let row = cell / self.width;
        if player == Player::FIRST { row } else { self.height - 1 - row }
    }

    /// Where the mover's men can go: slanting to the left, straight, slanting to the right.
    #[inline]
    fn targets(&self, state: &Men<B>) -> [B; 3] {
        let (mine, w) = (state.mine(), self.width);
        let (from_left, from_right) = (mine & self.not_left, mine & self.not_right);
        let [left, ahead, right] = if state.mover == Player::FIRST {
            [from_left << (w - 1), mine << w, from_right << (w + 1)]
        } else {
            [from_left >> (w + 1), mine >> w, from_right >> (w - 1)]
        };
        [left & !mine, ahead & self.all & !(mine | state.theirs()), right & !mine]
    }

    /// From the targets back to where the men stand.
    #[inline]
    fn way_back(&self, mover: Player) -> [i32; 3] {
        let w = self.width as i32;
        if mover == Player::FIRST { [1 - w, -w, -1 - w] } else { [1 + w, w, w - 1] }
    }

    fn cell(&self, state: &Men<B>, column: u32, row: u32) -> Cell {
        let bit = row * self.width + column;
        match Player::all(2).find(|p| state.men[p.index()].has(bit)) {
            Some(player) => Cell::Stone(player),
            None => Cell::Empty,
        }
    }
}

impl<B: Bits> Game for Breakthrough<B> {
    type State = Men<B>;
    type Move = Step;
    type Payoff = ZeroSum;
    type Key = (B, B);

    fn start(&self) -> Men<B> {
        let first = board::all_cells::<B>(self.width, self.rows_of_men);
        Men { men: [first, first << (self.width * (self.height - self.rows_of_men))], mover: Player::FIRST }
    }

    #[inline]
    fn expand(&self, state: &Men<B>, moves: &mut Vec<Step>) -> Status<ZeroSum> {
        let status = self.status(state);
        if let Status::Turn(mover) = status {
            for (targets, back) in self.targets(state).into_iter().zip(self.way_back(mover)) {
                targets.cells().for_each(|to| moves.push(Step::onto(to, back)));
            }
        }
        status
    }

    #[inline]
    fn status(&self, state: &Men<B>) -> Status<ZeroSum> {
        let last = state.mover.opponent();
        if !(state.theirs() & self.goal(last)).is_none() || state.mine().is_none() {
            Status::Over(ZeroSum::win_for(last))
        } else {
            Status::Turn(state.mover)
        }
    }

    #[inline]
    fn play(&self, state: &mut Men<B>, step: Step) {
        let (me, they) = (state.mover.index(), state.mover.opponent().index());
        let to = B::bit(step.to.into());
        state.men[me] = state.men[me] ^ B::bit(step.from.into()) | to;
        state.men[they] = state.men[they] & !to;
        state.mover = state.mover.opponent();
    }

    /// Two disjoint sets if the first player moves; all men and the first player's among them otherwise. Who has just
    /// moved has a man, so the second pair is never disjoint.
    #[inline]
    fn key(&self, state: &Men<B>) -> (B, B) {
        let [first, second] = state.men;
        if state.mover == Player::FIRST { (first, second) } else { (first | second, first) }
    }

    fn facts(&self) -> Facts {
        // Every move takes one man one row on.
        let steps: u32 = (0..self.rows_of_men).map(|row| self.height - 1 - row).sum();
        Facts {
            outcomes: Some(vec![-1, 1]),
            length: Some(2 * self.width * steps),
            states: Some(2.0 * 3f64.powi((self.width * self.height) as i32)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<B: Bits> Notation for Breakthrough<B> {
    /// `pppp/pppp/PPPP/PPPP w`.
    fn position_text(&self, state: &Men<B>) -> String {
        let rows = (0..self.height).rev().map(|r| {
            fen::write_row((0..self.width).map(|c| match self.cell(state, c, r) {
                Cell::Stone(Player::FIRST) => Some('P'),
                Cell::Stone(_) => Some('p'),
                _ => None,
            }))
        });
        let mover = if state.mover == Player::FIRST { 'w' } else { 'b' };
        format!("{} {mover}", rows.collect::<Vec<_>>().join("/"))
    }

    /// Also takes the four fields that chess programs write after the mover (`- - 1 26`).
    fn parse_position(&self, text: &str) -> Result<Men<B>, TextError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let mover = match fields[..] {
            [_, "w"] | [_, "w", "-", "-", _, _] => Player::FIRST,
            [_, "b"] | [_, "b", "-", "-", _, _] => Player::SECOND,
            _ => {
                return Err(TextError::new(format!(
                    "expected the rows and w or b for the player to move, got \"{text}\""
                )));
            }
        };
        let rows = fen::parse_rows(fields[0], self.width as usize, self.height as usize, "Pp")?;
        let mut men = [B::none(); 2];
        for (row, cells) in rows.iter().rev().enumerate() {
            for (column, sign) in cells.iter().enumerate() {
                let Some(sign) = sign else { continue };
                let side = &mut men[usize::from(*sign == 'p')];
                *side = *side | B::bit(row as u32 * self.width + column as u32);
            }
        }
        let most = self.width * self.rows_of_men;
        for player in Player::all(2) {
            let count = men[player.index()].count();
            if count > most {
                return Err(TextError::new(format!("{player} has {count} men, at most {most} are possible")));
            }
        }
        let state = Men { men, mover };
        if !(state.mine() & self.goal(mover)).is_none() {
            return Err(TextError::new(format!("{mover} to move has already reached the far row")));
        }
        let last = mover.opponent();
        if state.theirs().is_none() || (state.theirs() & self.goal(last)).count() > 1 {
            return Err(TextError::new(format!("the game was over before {last} moved")));
        }
        Ok(state)
    }

    fn move_text(&self, _: &Men<B>, step: Step) -> String {
        board::cell_name(step.from.into(), self.width) + &board::cell_name(step.to.into(), self.width)
    }

    /// Takes `a2b3`, `a2-b3` and `a2xb3`.
    fn parse_move(&self, state: &Men<B>, text: &str) -> Result<Step, TextError> {
        let mut moves = Vec::new();
        self.expand(state, &mut moves);
        let read = || {
            let (from, rest) = board::split_cell(text, self.width, self.height)?;
            let rest = rest.strip_prefix(['-', 'x']).unwrap_or(rest);
            let (to, rest) = board::split_cell(rest, self.width, self.height)?;
            rest.is_empty().then_some(Step { from: from as u8, to: to as u8 })
        };
        read().filter(|step| moves.contains(step)).ok_or_else(|| {
            let texts: Vec<String> = moves.iter().map(|&m| self.move_text(state, m)).collect();
            TextError::illegal_move(text, &texts)
        })
    }

    fn drawing(&self, state: &Men<B>) -> Drawing {
        let rows = (0..self.height).rev();
        let rows = rows.map(|r| (0..self.width).map(|c| self.cell(state, c, r)).collect()).collect();
        Drawing::lettered(rows).with_look(Look::Checkered)
    }
}

impl<B: Bits> Symmetric for Breakthrough<B> {
    /// Left and right.
    fn symmetries(&self) -> usize {
        2
    }

    fn transform(&self, state: &Men<B>, index: usize) -> Men<B> {
        if index == 0 {
            return *state;
        }
        Men { men: state.men.map(|set| board::mirror(set, self.width, self.height)), mover: state.mover }
    }

    fn transform_move(&self, _: &Self::State, step: Step, index: usize) -> Step {
        let image = |cell: u8| board::square_image(cell.into(), self.width, self.height, index) as u8;
        Step { from: image(step.from), to: image(step.to) }
    }
}

impl<B: Bits> Playouts for Breakthrough<B> {
    #[inline]
    fn random_move(
        &self,
        state: &Men<B>,
        _: &mut Vec<Step>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Step, ZeroSum> {
        if let Status::Over(payoff) = self.status(state) {
            return Err(payoff);
        }
        let targets = self.targets(state);
        let counts = targets.map(B::count);
        let mut choice = below(counts.iter().sum::<u32>() as usize) as u32;
        let mut way = 0;
        while choice >= counts[way] {
            choice -= counts[way];
            way += 1;
        }
        Ok(Step::onto(targets[way].nth(choice), self.way_back(state.mover)[way]))
    }
}

impl<B: Bits> Heuristic for Breakthrough<B> {
    /// Men and how far they have come; the foremost one counts most.
    fn heuristic(&self, state: &Men<B>) -> f32 {
        let [first, second] = state.men;
        let last = self.height - 1;
        let worth = |men: u32, advance: u32, best: u32| (self.height * men + advance + best * best) as f32;
        let first = worth(first.count(), self.sum_of_rows(first), first.highest() / self.width);
        let men = second.count();
        let second = worth(men, last * men - self.sum_of_rows(second), last - second.lowest() / self.width);
        let lead = (first - second) / (self.width * self.height) as f32;
        let first = 0.9 * 2.0 * lead / (1.0 + 2.0 * lead.abs());
        Estimate::from_fn(|p| if p == Player::FIRST { first } else { -first })
    }
}

impl<B: Bits> Features for Breakthrough<B> {
    fn layout(&self) -> Option<Layout> {
        Some(board::layout(self.width, self.height, 3, &[]))
    }

    /// With the rows in the order in which the mover's men meet them: they always go up.
    fn cell_values(&self, state: &Men<B>, out: &mut Vec<u8>) {
        let (width, height, upward) = (self.width, self.height, state.mover == Player::FIRST);
        let row = move |r| if upward { r } else { height - 1 - r };
        let cells = (0..height).flat_map(|r| (0..width).map(move |c| row(r) * width + c));
        board::push_owners(cells, state.mine(), state.theirs(), out);
    }

    fn viewer(&self, state: &Men<B>) -> Player {
        state.mover
    }
}

impl<B: Bits> SolverHints for Breakthrough<B> {
    /// Who can step onto the last row has won.
    fn score_bounds(&self, state: &Men<B>) -> (i32, i32) {
        let winner = match self.status(state) {
            Status::Over(ZeroSum(score)) => return (score, score),
            Status::Turn(mover) => mover,
        };
        let [left, ahead, right] = self.targets(state);
        if ((left | ahead | right) & self.goal(winner)).is_none() {
            return (-1, 1);
        }
        let score = ZeroSum::win_for(winner).0;
        (score, score)
    }
}

impl<B: Bits> OrderingHints for Breakthrough<B> {
    /// Captures, and men far ahead.
    fn order_score(&self, state: &Men<B>, step: Step) -> i32 {
        let captures = i32::from(state.theirs().has(step.to.into()));
        self.advance(state.mover, step.to.into()) as i32 + self.height as i32 * captures
    }

    fn history_index(&self, _: &Men<B>, step: Step) -> usize {
        usize::from(step.from) * 64 + usize::from(step.to)
    }

    /// Captures, and steps onto the last row.
    fn noisy_moves(&self, state: &Men<B>, moves: &mut Vec<Step>) {
        let worth = state.theirs() | self.goal(state.mover);
        for (targets, back) in self.targets(state).into_iter().zip(self.way_back(state.mover)) {
            moves.extend((targets & worth).cells().map(|to| Step::onto(to, back)));
        }
    }

    /// A free move for the opponent.
    fn null_move(&self, state: &Men<B>) -> Option<Men<B>> {
        Some(Men { mover: state.mover.opponent(), ..*state })
    }
}

impl<B: Bits> Persist for Breakthrough<B> {}
