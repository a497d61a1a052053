//! Nim for two to six players: take any number of matches from one heap; who takes the last match comes first.
//!
//! With more than two players there is a podium: the player who took the last match is first, the one who moved before
//! is second, and so on backwards in the order of seats. First place scores players - 1, last place 0. All preferences
//! are strict, so there is exactly one equilibrium; and it is known: the player who moved last before a position comes
//! first iff in every binary column of the heaps the ones add up to 0 modulo the number of players. A rare oracle for
//! games with many players.
//!
//! `misere=on` turns the podium upside down: who takes the last match comes last, the one before second to last, and so
//! on.

use std::marker::PhantomData;

use perfectplay_core::{
    Cell, Drawing, Facts, Features, Game, GameInfo, Heuristic, Layout, Look, Notation, Numbers, OptionSet,
    OrderingHints, Params, Payoff, Persist, Plain, Player, Playouts, Scores, Setting, SolverHints, Status, Symmetric,
    TextError, UpToSix, Visitor, ZeroSum, column_letters, options, plain_struct,
};

use crate::support::board;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "nim",
    summary: "take matches from one heap, the last one counts; with a podium for more than two",
    players: "2-6",
    parameters: Parameters::docs,
    examples: &["nim:1,2,3", "nim:1,3,5,misere=on", "nim:2,3,4,players=3", "nim:1,3,5,7"],
    rules: "Players in turn take any number of matches, at least one, from one of the heaps. With two players, who \
takes the last match wins (misère: loses).

With more players there is a podium: who takes the last match comes first, the player before it second, and so \
on backwards through the order of turns (misère: the order of places is reversed). The score of a place is the \
number of players behind it, so preferences are strict and the outcome under perfect play is unique.

A move names a heap by its letter and the matches taken: b2 takes two from the second heap.",
    sources: &[
        "theorem for n players: the previous player comes first iff every binary column of the heaps sums to 0 modulo \
n",
    ],
};

const MOST_HEAPS: usize = 15;
const MOST_PLAYERS: usize = 6;

options! {
    struct Parameters {
        heaps: Vec<u64> = Numbers::new("HEAP,HEAP,…", "matches per heap", MOST_HEAPS, 1..=255, &[1, 3, 5, 7]),
        players: u64 = Setting::whole("players", "how many play", 2..=MOST_PLAYERS as u64, 2),
        misere: bool = Setting::switch("misere", "on: who takes the last match comes last, off: comes first", false),
    }
}

/// Counts the players.
pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { heaps, players, misere } = Parameters::read(INFO.name, params)?;
    let heaps: Vec<u8> = heaps.into_iter().map(|heap| heap as u8).collect();
    match players {
        2 => Ok(visitor.zero_sum(Nim::<ZeroSum>::new(&heaps, misere))),
        3 => Ok(visitor.scores(Nim::<Scores<3>>::new(&heaps, misere))),
        _ => Ok(visitor.up_to_six(Nim::<UpToSix>::for_players(players as usize, &heaps, misere))),
    }
}

/// The rules for these heaps.
#[derive(Clone, Debug)]
pub struct Nim<P> {
    heaps: Vec<u8>,
    players: usize,
    misere: bool,
    payoff: PhantomData<P>,
}

/// The heaps, one byte each from the lowest, and in the highest byte the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Heaps(u128);

/// The number as it is.
impl Plain for Heaps {
    const SIZE: usize = 16;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.0.put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        u128::take(bytes).map(Heaps)
    }
}

impl Heaps {
    fn new(heaps: &[u8], mover: Player) -> Self {
        let mut bytes = [0; 16];
        bytes[..heaps.len()].copy_from_slice(heaps);
        bytes[MOST_HEAPS] = mover.index() as u8;
        Heaps(u128::from_le_bytes(bytes))
    }

    /// The matches in heap `index`.
    pub fn heap(self, index: usize) -> u8 {
        (self.0 >> (8 * index)) as u8
    }

    /// The player to move.
    pub fn mover(self) -> Player {
        Player::new((self.0 >> (8 * MOST_HEAPS)) as usize)
    }
}

/// Matches taken from one heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Take {
    /// Which heap, from 0.
    pub heap: u8,
    /// How many matches.
    pub count: u8,
}

plain_struct!(impl[] Take { heap: u8, count: u8 });

impl<P: Payoff> Nim<P> {
    /// The rules for these heaps.
    ///
    /// # Panics
    /// If there are no heaps or more than 15.
    pub fn new(heaps: &[u8], misere: bool) -> Self {
        Self::for_players(P::PLAYERS, heaps, misere)
    }

    /// The same for so many players, where the kind of payoff leaves it open.
    ///
    /// # Panics
    /// As above, and if `P` is not for so many.
    pub fn for_players(players: usize, heaps: &[u8], misere: bool) -> Self {
        assert!((1..=MOST_HEAPS).contains(&heaps.len()), "{} heaps", heaps.len());
        assert!(P::fits(players), "{players} players");
        Nim { heaps: heaps.to_vec(), players, misere, payoff: PhantomData }
    }

    #[inline]
    fn players(&self) -> usize {
        if P::ZERO_SUM { 2 } else { self.players }
    }

    /// The binary digits of the largest heap.
    fn digits(&self) -> u32 {
        u8::BITS - self.heaps.iter().fold(1, |all, heap| all | heap).leading_zeros()
    }

    /// The podium after all matches are gone.
    fn podium(&self, mover: Player) -> P {
        let n = self.players();
        // How long ago a player moved last: 0 for the one who took the last match.
        let ago = |p: usize| (mover.index() + 2 * n - 1 - p) % n;
        let score = |p| if self.misere { ago(p) } else { n - 1 - ago(p) } as i32;
        if P::ZERO_SUM {
            return P::win_for(Player::new(usize::from(score(1) > score(0))));
        }
        let scores: [i32; MOST_PLAYERS] = std::array::from_fn(score);
        P::from_scores(&scores[..n])
    }

    /// Whether play can lead here: the number of moves made, which decides who moves, lies between the number of heaps
    /// touched and the number of matches taken.
    fn could_happen(&self, heaps: &[u8], mover: Player) -> bool {
        let taken: Vec<usize> = self.heaps.iter().zip(heaps).map(|(&h, &left)| usize::from(h - left)).collect();
        let (least, most) = (taken.iter().filter(|&&t| t > 0).count(), taken.iter().sum::<usize>());
        (least..=most).take(self.players()).any(|moves| moves % self.players() == mover.index())
    }
}

impl<P: Payoff> Game for Nim<P> {
    type State = Heaps;
    type Move = Take;
    type Payoff = P;
    type Key = Heaps;

    fn start(&self) -> Heaps {
        Heaps::new(&self.heaps, Player::FIRST)
    }

    fn expand(&self, &state: &Heaps, moves: &mut Vec<Take>) -> Status<P> {
        for heap in 0..self.heaps.len() {
            moves.extend((1..=state.heap(heap)).map(|count| Take { heap: heap as u8, count }));
        }
        self.status(&state)
    }

    fn status(&self, &state: &Heaps) -> Status<P> {
        if state.0 << 8 == 0 { Status::Over(self.podium(state.mover())) } else { Status::Turn(state.mover()) }
    }

    fn play(&self, state: &mut Heaps, take: Take) {
        let mover = |p: Player| (p.index() as u128) << (8 * MOST_HEAPS);
        let heaps = state.0 - mover(state.mover()) - (u128::from(take.count) << (8 * take.heap));
        *state = Heaps(heaps | mover(state.mover().next(self.players())));
    }

    fn key(&self, &state: &Heaps) -> Heaps {
        state
    }

    fn facts(&self) -> Facts {
        let n = self.players() as i32;
        let podium = if P::ZERO_SUM {
            Facts { outcomes: Some(vec![-1, 1]), ..Facts::win_draw_loss::<P>() }
        } else {
            Facts {
                players: self.players(),
                scores: vec![(0, n - 1); self.players()],
                sum: (n * (n - 1) / 2, n * (n - 1) / 2),
                outcomes: Some((0..n).collect()),
                ..Facts::win_draw_loss::<P>()
            }
        };
        Facts {
            length: Some(self.heaps.iter().map(|&h| u32::from(h)).sum()),
            states: Some(self.heaps.iter().map(|&h| f64::from(h) + 1.0).product::<f64>() * f64::from(n)),
            ..podium
        }
    }
}

impl<P: Payoff> Notation for Nim<P> {
    /// The heaps and the player to move: `1,3,5,7 1`.
    fn position_text(&self, &state: &Heaps) -> String {
        let heaps: Vec<String> = (0..self.heaps.len()).map(|i| state.heap(i).to_string()).collect();
        format!("{} {}", heaps.join(","), state.mover().index() + 1)
    }

    fn parse_position(&self, text: &str) -> Result<Heaps, TextError> {
        let start: Vec<String> = self.heaps.iter().map(u8::to_string).collect();
        let expected = || {
            let players = self.players();
            TextError::new(format!(
                "expected heaps of at most {} and the player to move, 1 to {players}, like \"{} 1\"; got \"{text}\"",
                start.join(","),
                start.join(",")
            ))
        };
        let (heaps, mover) = text.trim().split_once(' ').ok_or_else(expected)?;
        let heaps: Vec<u8> = heaps.split(',').map(|h| h.parse().ok()).collect::<Option<_>>().ok_or_else(expected)?;
        let mover = mover.trim().parse().ok().filter(|m| (1..=self.players()).contains(m)).ok_or_else(expected)?;
        let mover = Player::new(mover - 1);
        if heaps.len() != self.heaps.len() || heaps.iter().zip(&self.heaps).any(|(h, most)| h > most) {
            return Err(expected());
        }
        if !self.could_happen(&heaps, mover) {
            return Err(TextError::new(format!("{mover} cannot be to move in \"{text}\"")));
        }
        Ok(Heaps::new(&heaps, mover))
    }

    /// The letter of the heap and how many matches are taken: `b2`.
    fn move_text(&self, _: &Heaps, take: Take) -> String {
        format!("{}{}", column_letters(take.heap.into()), take.count)
    }

    fn drawing(&self, &state: &Heaps) -> Drawing {
        let matches = |i| vec![Cell::Sign('|'); state.heap(i).into()];
        let labels = (0..self.heaps.len()).map(column_letters).collect();
        let board = Drawing {
            row_labels: labels,
            look: Look::Bare,
            ..Drawing::square((0..self.heaps.len()).map(matches).collect())
        };
        match self.status(&state) {
            Status::Turn(mover) => board.with_note(format!("{mover} to move")),
            Status::Over(_) => board,
        }
    }
}

impl<P: Payoff> Symmetric for Nim<P> {}
/// One in each byte, and the highest bit of each.
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHEST: u64 = 0x80 * ONES;

/// Random moves on heaps that lie side by side in a word, a byte each, `left` matches in all: how many are left in the
/// end, and how many moves were played. Which heap a match is in is found without a jump that nobody could foresee.
fn empty(mut heaps: u64, mut left: usize, most: u32, below: &mut impl FnMut(usize) -> usize) -> (usize, u32) {
    for ply in 0..most {
        if left == 0 {
            return (0, ply);
        }
        let choice = below(left) as u64;
        // Matches up to each heap: at most 127, so no byte runs over into the next, here and below.
        let sums = heaps.wrapping_mul(ONES);
        let whole = (((choice * ONES) | HIGHEST) - sums) & HIGHEST; // the heaps before the one it is in
        let shift = 8 * whole.count_ones();
        let before = (sums << 8 >> shift) & 0xff;
        let taken = choice - before + 1;
        heaps -= taken << shift;
        left -= taken as usize;
    }
    (left, most)
}

impl<P: Payoff> Playouts for Nim<P> {
    /// The moves are numbered heap by heap, as many as there are matches.
    fn playout(
        &self,
        state: Heaps,
        most: u32,
        _: &mut Vec<Take>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<P>, u32) {
        let mut heaps = state.0.to_le_bytes();
        let heaps = &mut heaps[..self.heaps.len()];
        let mut left: usize = heaps.iter().map(|&heap| usize::from(heap)).sum();
        if let Some(&word) = state.0.to_le_bytes().first_chunk().filter(|_| heaps.len() < 8 && left < 128) {
            let heaps = u64::from_le_bytes(word) & ((1 << (8 * heaps.len())) - 1);
            let (left, plies) = empty(heaps, left, most, below);
            let mover = Player::new((state.mover().index() + plies as usize) % self.players());
            return ((left == 0).then(|| self.podium(mover)), plies);
        }
        let mut mover = state.mover();
        for ply in 0..most {
            if left == 0 {
                return (Some(self.podium(mover)), ply);
            }
            let mut choice = below(left);
            for heap in &mut *heaps {
                let matches = usize::from(*heap);
                if choice < matches {
                    *heap -= choice as u8 + 1;
                    left -= choice + 1;
                    break;
                }
                choice -= matches;
            }
            mover = mover.next(self.players());
        }
        ((left == 0).then(|| self.podium(mover)), most)
    }
}
impl<P: Payoff> Heuristic for Nim<P> {}
impl<P: Payoff> Features for Nim<P> {
    /// Every heap is a column of binary digits: its theory goes by them.
    fn layout(&self) -> Option<Layout> {
        Some(board::layout(self.heaps.len() as u32, self.digits(), 2, &[]))
    }

    fn cell_values(&self, &state: &Heaps, out: &mut Vec<u8>) {
        let heaps = 0..self.heaps.len();
        out.extend((0..self.digits()).flat_map(|digit| heaps.clone().map(move |i| state.heap(i) >> digit & 1)));
    }

    fn viewer(&self, state: &Heaps) -> Player {
        state.mover()
    }
}
impl<P: Payoff> SolverHints for Nim<P> {}
impl<P: Payoff> OrderingHints for Nim<P> {}
impl<P: Payoff> Persist for Nim<P> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::uniform::plays_as_move_by_move;

    #[test]
    fn the_podium_goes_backwards_from_the_last_mover() {
        let last_match = |misere| {
            let game = Nim::<Scores<3>>::new(&[2, 1], misere);
            let mut state = game.start();
            for text in ["a1", "b1", "a1"] {
                let take = game.parse_move(&state, text).unwrap();
                game.play(&mut state, take);
            }
            match game.status(&state) {
                Status::Over(payoff) => payoff.scores,
                Status::Turn(_) => panic!("all matches are gone"),
            }
        };
        assert_eq!(last_match(false), [0, 1, 2]);
        assert_eq!(last_match(true), [2, 1, 0]);
    }

    #[test]
    fn playouts_follow_the_rules() {
        plays_as_move_by_move(&Nim::<Scores<3>>::new(&[1, 3, 5, 7], true), 1000);
        plays_as_move_by_move(&Nim::<ZeroSum>::new(&[1, 3, 5, 7], false), 4);
        // On both sides of where heaps fit a word.
        for heaps in [&[100, 27][..], &[100, 28], &[18, 18, 18, 18, 18, 18, 19], &[9; 8]] {
            plays_as_move_by_move(&Nim::<UpToSix>::for_players(4, heaps, false), 1000);
        }
    }

    #[test]
    fn one_heap_for_two() {
        let after_all = |misere| {
            let game = Nim::<ZeroSum>::new(&[3], misere);
            game.status(&game.after(&game.start(), Take { heap: 0, count: 3 }))
        };
        assert_eq!(after_all(false), Status::Over(ZeroSum(1)));
        assert_eq!(after_all(true), Status::Over(ZeroSum(-1)));
    }

    #[test]
    fn impossible_positions_are_refused() {
        let game = Nim::<ZeroSum>::new(&[1, 3], false);
        for good in ["1,3 1", "0,3 2", "1,1 1", "1,1 2", "0,0 1"] {
            assert_eq!(game.position_text(&game.parse_position(good).unwrap()), good);
        }
        assert_eq!(game.parse_position("1,3 2").unwrap_err().to_string(), "player 2 cannot be to move in \"1,3 2\"");
        for bad in ["", "1,3", "2,3 1", "1,3,0 1", "1 1", "1,3 3", "1,3 0", "0,3 1", "1,2 1", "-1,3 2", "1,999 1"] {
            assert!(game.parse_position(bad).is_err(), "{bad}");
        }
    }
}
