//! Sparse words made dense: keys keep what stands on occupied cells only.

/// The bits of words that stand where a mask has ones, moved together at the low end.
///
/// Warren, Hacker's Delight (2012), compress: the mask's work is done once for all words.
pub(crate) struct Gather {
    mask: u64,
    moves: [u64; 6],
}

impl Gather {
    #[inline]
    pub(crate) fn new(mask: u64) -> Self {
        let (mut rest, mut gaps) = (mask, !mask << 1);
        let moves = std::array::from_fn(|i| {
            let odd = [1, 2, 4, 8, 16, 32].into_iter().fold(gaps, |odd, by| odd ^ odd << by);
            let moving = odd & rest;
            rest = rest ^ moving | moving >> (1 << i);
            gaps &= !odd;
            moving
        });
        Gather { mask, moves }
    }

    #[inline]
    pub(crate) fn of(&self, word: u64) -> u64 {
        self.moves.iter().enumerate().fold(word & self.mask, |word, (i, moves)| {
            let moving = word & moves;
            word ^ moving | moving >> (1 << i)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_keep_their_order() {
        let mut random = 1u64;
        for _ in 0..1000 {
            let mut next = || {
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                random ^ random >> 29
            };
            let (mask, word) = (next() & next(), next());
            let bits = (0..64).filter(|at| mask >> at & 1 == 1).enumerate();
            let expected = bits.fold(0, |set, (i, at)| set | (word >> at & 1) << i);
            assert_eq!(Gather::new(mask).of(word), expected);
        }
    }
}
