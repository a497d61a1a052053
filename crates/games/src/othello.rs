//! Othello: enclose the other's discs to make them yours.
//!
//! Cell `row · size + column`, row 0 on top as in the game's own notation, so `a1` is the top left corner. Who cannot
//! enclose anything must pass, which is a move of its own; when nobody can, the game is over.
//!
//! The score is the difference of the discs; cells left empty go to the winner, as in tournaments, or to nobody.

use perfectplay_core::{
    Cell, Colour, Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Layout, Leaf, Notation, OptionSet,
    OrderingHints, Params, Persist, Plain, Player, Playouts, Setting, SolverHints, Status, Symmetric, TextError,
    Visitor, ZeroSum, options, plain_struct,
};

use crate::support::bits::{Bits, Wide};
use crate::support::board;
use crate::support::enclose::Encloser;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "othello",
    summary: "enclose the other's discs to turn them over",
    players: "2",
    parameters: Parameters::docs,
    examples: &["othello:4", "othello:6", "othello:8", "othello:10", "othello:4,score=discs"],
    rules:
        "Four discs lie crosswise in the middle: white on d4 and e5, black on e4 and d5 (on the usual board). Black \
moves first. A move puts a disc on an empty cell such that in at least one of the eight directions an unbroken line of \
enemy discs lies between it and another disc of the mover; all discs enclosed in this way are turned over. Who has no \
such move passes, and may pass only then; a pass counts as a move. The game is over when neither side can move.

Most discs win. The score is the difference of the discs, where cells left empty count as the winner's, as in \
tournaments (score=discs: as nobody's). Of a draw the score is 0.

Positions are written as one character per cell from the top left, `X` (black), `O` (white) or `-`, then a space and \
the player to move, `X` or `O`. Moves are cells, rows numbered from the top, or `pass`.",
    sources: &[
        "World Othello Federation, rules of the game",
        "J. Feinstein (1993): 6x6 is a win for the second player by 4",
        "A. Bik: perft of the 8x8 board",
    ],
};

options! {
    struct Parameters {
        size: u32 = Setting::whole("size", "cells along a side, an even number", 4..=16, 8).positional(),
        score: Score = Setting::choice(
            "score",
            "whose the cells are that stay empty",
            &[("empties", "the winner's", Score::Empties), ("discs", "nobody's", Score::Discs)],
        ),
    }
}

pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { size, score } = Parameters::read(INFO.name, params)?;
    match size {
        _ if size % 2 == 1 => Err(TextError::new(format!("the size must be even, got {size}"))),
        ..=8 => Ok(visitor.zero_sum(Othello::<u64>::new(size, score))),
        9..=10 => Ok(visitor.zero_sum(Othello::<u128>::new(size, score))),
        _ => Ok(visitor.zero_sum(Othello::<Wide<4>>::new(size, score))),
    }
}

/// What counts at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Discs, and for the winner the cells left empty.
    Empties,
    /// Discs only.
    Discs,
}

/// The rules on a board of this size.
#[derive(Clone, Debug)]
pub struct Othello<B> {
    size: u32,
    score: Score,
    lines: Encloser<B>,
}

/// Who has which discs and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Discs<B> {
    /// The discs of each player, Black first.
    pub discs: [B; 2],
    /// Who moves.
    pub mover: Player,
}

plain_struct!(impl[B: Bits] Discs<B> { discs: [B; 2], mover: Player });

impl<B: Bits> Discs<B> {
    fn mine(&self) -> B {
        self.discs[self.mover.index()]
    }

    fn theirs(&self) -> B {
        self.discs[self.mover.opponent().index()]
    }

    fn difference(&self) -> i32 {
        self.discs[0].count() as i32 - self.discs[1].count() as i32
    }
}

/// A disc on a cell, or a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A disc on this cell.
    Place(u8),
    /// Nothing can be enclosed.
    Pass,
}

/// The cell, and one number beyond all cells for a pass: on the largest board there is no cell left in a byte.
impl Plain for Move {
    const SIZE: usize = 2;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        let number = match *self {
            Move::Place(cell) => cell.into(),
            Move::Pass => u16::MAX,
        };
        number.put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        match u16::take(bytes)? {
            u16::MAX => Some(Move::Pass),
            cell => cell.try_into().ok().map(Move::Place),
        }
    }
}

impl<B: Bits> Othello<B> {
    /// The rules on `size` × `size` cells.
    ///
    /// # Panics
    /// If the size is odd, below 4, or does not fit into `B`.
    pub fn new(size: u32, score: Score) -> Self {
        Othello { size, score, lines: Encloser::new(size) }
    }

    /// Black's score if it ends here.
    fn final_score(&self, state: &Discs<B>) -> i32 {
        let [black, white] = state.discs.map(|discs| discs.count() as i32);
        let empty = match self.score {
            Score::Empties => (self.size * self.size) as i32 - black - white,
            Score::Discs => 0,
        };
        black - white + empty * (black - white).signum()
    }

    /// Black's guess: corners, then mobility, then discs, which hardly matter before the end.
    #[inline]
    fn guess(&self, state: &Discs<B>, places: [B; 2]) -> f32 {
        let [black, white] = state.discs;
        let balance = |a: B, b: B| a.count() as f32 - b.count() as f32;
        let corners = balance(black & self.lines.corners, white & self.lines.corners);
        let mobility = balance(places[0], places[1]);
        let full = (black | white).count() as f32 / (self.size * self.size) as f32;
        let discs = state.difference() as f32 * (full - 0.7);
        ((8.0 * corners + mobility + discs) / 16.0).tanh() * 0.9
    }

    /// Where Black and White can enclose something.
    #[inline]
    fn places(&self, state: &Discs<B>) -> [B; 2] {
        let [black, white] = state.discs;
        [self.lines.places(black, white), self.lines.places(white, black)]
    }

    /// The mover's places and whose turn it is; no places and a turn means a pass.
    #[inline]
    fn look(&self, state: &Discs<B>) -> (B, Status<ZeroSum>) {
        let places = self.lines.places(state.mine(), state.theirs());
        if places.is_none() && self.lines.places(state.theirs(), state.mine()).is_none() {
            return (places, Status::Over(ZeroSum(self.final_score(state))));
        }
        (places, Status::Turn(state.mover))
    }
}

/// The symmetries of a square that keep the first position, as indices of [`board::square_image`].
const SYMMETRIES: [usize; 4] = [0, 3, 4, 7];

impl<B: Bits> Game for Othello<B> {
    type State = Discs<B>;
    type Move = Move;
    type Payoff = ZeroSum;
    type Key = (B, B);

    fn start(&self) -> Discs<B> {
        let [a, b, c, d] = self.lines.centre().map(B::bit);
        Discs { discs: [c | d, a | b], mover: Player::FIRST }
    }

    #[inline]
    fn expand(&self, state: &Discs<B>, moves: &mut Vec<Move>) -> Status<ZeroSum> {
        let (places, status) = self.look(state);
        if let Status::Turn(_) = status {
            if places.is_none() {
                moves.push(Move::Pass);
            }
            places.cells().for_each(|cell| moves.push(Move::Place(cell as u8)));
        }
        status
    }

    fn status(&self, state: &Discs<B>) -> Status<ZeroSum> {
        self.look(state).1
    }

    #[inline]
    fn play(&self, state: &mut Discs<B>, mv: Move) {
        if let Move::Place(cell) = mv {
            let turned = self.lines.enclosed(state.mine(), state.theirs(), cell.into());
            let (me, they) = (state.mover.index(), state.mover.opponent().index());
            state.discs[me] = state.discs[me] | turned | B::bit(cell.into());
            state.discs[they] = state.discs[they] ^ turned;
        }
        state.mover = state.mover.opponent();
    }

    /// Two disjoint sets if Black moves; all discs and Black's among them if White does. Black has a disc then: it
    /// either has just moved, or passed to a White who can enclose something.
    #[inline]
    fn key(&self, state: &Discs<B>) -> (B, B) {
        let [black, white] = state.discs;
        if state.mover == Player::FIRST { (black, white) } else { (black | white, black) }
    }

    fn facts(&self) -> Facts {
        let cells = (self.size * self.size) as i32;
        // With every cell somebody's, or as many of each, the difference is even.
        let step = if self.score == Score::Empties { 2 } else { 1 };
        Facts {
            scores: vec![(-cells, cells); 2],
            outcomes: Some((-cells..=cells).step_by(step).collect()),
            length: Some(2 * (cells as u32 - 4)), // a pass is followed by a disc
            states: Some(2.0 * 3f64.powi(cells)),
            heuristic: true,
            ..Facts::win_draw_loss::<ZeroSum>()
        }
    }
}

impl<B: Bits> Notation for Othello<B> {
    /// `-----OX--XO----- X`.
    fn position_text(&self, state: &Discs<B>) -> String {
        let [black, white] = state.discs;
        let sign = |cell| match (black.has(cell), white.has(cell)) {
            (true, _) => 'X',
            (_, true) => 'O',
            _ => '-',
        };
        let mover = if state.mover == Player::FIRST { 'X' } else { 'O' };
        let cells: String = (0..self.size * self.size).map(sign).collect();
        format!("{cells} {mover}")
    }

    /// `*` and `.` are read as `X` and `-`; a semicolon may end the text.
    fn parse_position(&self, text: &str) -> Result<Discs<B>, TextError> {
        let cells = (self.size * self.size) as usize;
        let signs: Vec<char> = text.trim().trim_end_matches(';').chars().filter(|c| !c.is_whitespace()).collect();
        if signs.len() != cells + 1 {
            return Err(TextError::new(format!(
                "expected {cells} cells (X, O or -) and the player to move (X or O), got {} signs",
                signs.len()
            )));
        }
        let mut discs = [B::none(); 2];
        for (cell, sign) in signs[..cells].iter().enumerate() {
            match sign.to_ascii_uppercase() {
                'X' | '*' => discs[0] = discs[0] | B::bit(cell as u32),
                'O' => discs[1] = discs[1] | B::bit(cell as u32),
                '-' | '.' => {}
                other => return Err(TextError::at(cell, format!("expected X, O or -, got \"{other}\""))),
            }
        }
        let mover = match signs[cells].to_ascii_uppercase() {
            'X' | '*' => Player::FIRST,
            'O' => Player::SECOND,
            other => return Err(TextError::new(format!("expected X or O as the player to move, got \"{other}\""))),
        };
        let state = Discs { discs, mover };
        if self.lines.centre().into_iter().any(|cell| !(discs[0] | discs[1]).has(cell)) {
            return Err(TextError::new("the four cells in the middle are never empty"));
        }
        if state.theirs().is_none() {
            return Err(TextError::new(format!("{} has no disc and cannot have moved last", mover.opponent())));
        }
        Ok(state)
    }

    fn move_text(&self, _: &Discs<B>, mv: Move) -> String {
        match mv {
            Move::Place(cell) => board::cell_name(cell.into(), self.size),
            Move::Pass => "pass".into(),
        }
    }

    fn drawing(&self, state: &Discs<B>) -> Drawing {
        let cell = |cell| match Player::all(2).find(|p| state.discs[p.index()].has(cell)) {
            Some(player) => Cell::Stone(player),
            None => Cell::Empty,
        };
        let rows = (0..self.size).map(|r| (0..self.size).map(|c| cell(r * self.size + c)).collect()).collect();
        let [black, white] = state.discs.map(B::count);
        Drawing { row_labels: (1..=self.size).map(|r| r.to_string()).collect(), ..Drawing::lettered(rows) }
            .in_colours([Colour::Black, Colour::White])
            .with_legend([black, white].map(|count| count.to_string()))
    }
}

impl<B: Bits> Symmetric for Othello<B> {
    fn symmetries(&self) -> usize {
        SYMMETRIES.len()
    }

    fn transform(&self, state: &Discs<B>, index: usize) -> Discs<B> {
        let image = |set| board::square_images(set, self.size, self.size, SYMMETRIES[index]);
        Discs { discs: state.discs.map(image), mover: state.mover }
    }

    fn transform_move(&self, _: &Self::State, mv: Move, index: usize) -> Move {
        match mv {
            Move::Place(cell) => {
                Move::Place(board::square_image(cell.into(), self.size, self.size, SYMMETRIES[index]) as u8)
            }
            Move::Pass => Move::Pass,
        }
    }
}

impl<B: Bits> Playouts for Othello<B> {
    #[inline]
    fn random_move(
        &self,
        state: &Discs<B>,
        _: &mut Vec<Move>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Move, ZeroSum> {
        match self.look(state) {
            (_, Status::Over(payoff)) => Err(payoff),
            (places, _) if places.is_none() => Ok(Move::Pass),
            (places, _) => Ok(Move::Place(places.nth(below(places.count() as usize) as u32) as u8)),
        }
    }
}

impl<B: Bits> Heuristic for Othello<B> {
    fn heuristic(&self, state: &Discs<B>) -> f32 {
        self.guess(state, self.places(state))
    }
}

impl<B: Bits> Features for Othello<B> {
    fn layout(&self) -> Option<Layout> {
        Some(board::layout_from_top(self.size, self.size, 3, &[]))
    }

    fn cell_values(&self, state: &Discs<B>, out: &mut Vec<u8>) {
        board::push_owners(0..self.size * self.size, state.mine(), state.theirs(), out);
    }

    fn viewer(&self, state: &Discs<B>) -> Player {
        state.mover
    }
}
impl<B: Bits> SolverHints for Othello<B> {}

impl<B: Bits> OrderingHints for Othello<B> {
    /// Where both can enclose something tells how the game stands and what to guess.
    #[inline]
    fn leaf(
        &self,
        state: &Discs<B>,
        mv: Move,
        player: Option<Player>,
        _: Option<&mut Vec<Move>>,
    ) -> Leaf<Discs<B>, ZeroSum> {
        let state = self.after(state, mv);
        let places = self.places(&state);
        if places.iter().all(|places| places.is_none()) {
            return Leaf { status: Status::Over(ZeroSum(self.final_score(&state))), guess: 0.0, noisy: None };
        }
        let guess = player.map_or(0.0, |player| self.guess(&state, places).of(player));
        Leaf { status: Status::Turn(state.mover), guess, noisy: None }
    }
}

impl<B: Bits> Persist for Othello<B> {}
