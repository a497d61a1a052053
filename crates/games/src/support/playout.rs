//! Random games on boards that are made for them: they keep what a draw needs and a state has no room for.

use perfectplay_core::Status;

/// Plays moves that `draw` finds until it says how the game ended, but at most `most` of them: the answer of
/// [`Playouts::playout`](perfectplay_core::Playouts::playout).
#[inline]
pub(crate) fn run<B, M, P>(
    mut board: B,
    most: u32,
    mut draw: impl FnMut(&mut B) -> Result<M, P>,
    play: impl Fn(&mut B, M),
) -> (Option<P>, u32) {
    for ply in 0..most {
        match draw(&mut board) {
            Ok(mv) => play(&mut board, mv),
            Err(payoff) => return (Some(payoff), ply),
        }
    }
    (draw(&mut board).err(), most)
}

/// Random choices among ever fewer things, several for one random number: a number below 9 · 8 · 7 is as good as three
/// below 9, 8 and 7.
#[derive(Clone, Debug)]
pub(crate) struct Bundles(Vec<Bundle>);

/// What is drawn at once when so many things are left.
#[derive(Clone, Copy, Debug)]
struct Bundle {
    choices: u32,
    /// How many ways there are to make them all.
    ways: u32,
    /// The share that each way has of 2^64.
    share: u64,
}

/// Below 2^31 the first half of a way's share is never lost by rounding, so that all choices are exactly as likely.
const MOST_WAYS: u32 = 1 << 30;

impl Bundles {
    /// For at most so many things.
    pub(crate) fn new(most: usize) -> Self {
        let bundle = |left: usize| {
            let (mut choices, mut ways) = (0, 1u32);
            for sides in (1..=left as u32).rev() {
                let Some(more) = ways.checked_mul(sides).filter(|&ways| ways <= MOST_WAYS) else { break };
                (choices, ways) = (choices + 1, more);
            }
            Bundle { choices, ways, share: u64::MAX / u64::from(ways) }
        };
        Bundles((0..=most).map(bundle).collect())
    }

    /// Nothing is drawn so far.
    pub(crate) fn begin(&self) -> Choices<'_> {
        Choices { bundles: &self.0, rest: 0, ready: 0 }
    }
}

/// Choices that were drawn and not yet made.
#[derive(Clone, Debug)]
pub(crate) struct Choices<'a> {
    bundles: &'a [Bundle],
    /// A fraction of 2^64: the choices are its digits.
    rest: u64,
    ready: u32,
}

impl Choices<'_> {
    /// A number below `left`, which is one less at every call.
    #[inline]
    pub(crate) fn next(&mut self, left: usize, below: &mut impl FnMut(usize) -> usize) -> usize {
        if self.ready == 0 {
            let Bundle { choices, ways, share } = self.bundles[left];
            self.rest = below(ways as usize) as u64 * share + share / 2;
            self.ready = choices;
        }
        self.ready -= 1;
        let digits = u128::from(self.rest) * left as u128;
        self.rest = digits as u64;
        (digits >> 64) as usize
    }
}

/// Several choices for one random number, where it is not known beforehand among how many things: almost as likely, as
/// long as there are far fewer than [`MOST_WAYS`] ways in all.
pub(crate) struct Digits(u64);

impl Digits {
    #[inline]
    pub(crate) fn new(below: &mut impl FnMut(usize) -> usize) -> Self {
        Digits((below(MOST_WAYS as usize) as u64) << 26 | 1 << 25) // of 2^56: there is room for a product
    }

    /// A number below `sides`, of which there are at most 256.
    #[inline]
    pub(crate) fn next(&mut self, sides: usize) -> usize {
        let digits = self.0 * sides as u64;
        self.0 = digits % (1 << 56);
        (digits >> 56) as usize
    }
}

/// The same with moves that `expand` lists, each of them as likely. `moves` is scratch space.
#[inline]
pub(crate) fn run_listed<B, M: Copy, P>(
    board: B,
    most: u32,
    moves: &mut Vec<M>,
    below: &mut impl FnMut(usize) -> usize,
    expand: impl Fn(&mut B, &mut Vec<M>) -> Status<P>,
    play: impl Fn(&mut B, M),
) -> (Option<P>, u32) {
    let draw = |board: &mut B| {
        moves.clear();
        match expand(board, moves) {
            Status::Turn(_) => Ok(moves[below(moves.len())]),
            Status::Over(payoff) => Err(payoff),
        }
    };
    run(board, most, draw, play)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_comes_up_once() {
        let bundles = Bundles::new(6);
        let mut orders = std::collections::HashSet::new();
        for way in 0..720 {
            let mut choices = bundles.begin();
            let mut below = |sides| {
                assert_eq!(sides, 720, "one number is enough");
                way
            };
            orders.insert((1..=6).rev().map(|left| choices.next(left, &mut below)).collect::<Vec<_>>());
        }
        assert!(orders.len() == 720 && orders.iter().flatten().all(|&choice| choice < 6));
    }

    /// The first and the last way, where rounding would be felt.
    #[test]
    fn bundles_keep_to_their_digits() {
        let bundles = Bundles::new(512);
        for most in 1..=512 {
            let (mut low, mut high) = (bundles.begin(), bundles.begin());
            for left in (1..=most).rev() {
                assert_eq!(low.next(left, &mut |_| 0), 0);
                assert_eq!(high.next(left, &mut |sides| sides - 1), left - 1);
            }
        }
    }
}
