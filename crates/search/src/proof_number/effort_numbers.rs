//! Effort numbers: how many leaves must still be settled to prove or to disprove a goal.

use std::sync::atomic::AtomicU64;

use perfectplay_core::Plain;

use crate::support::cells::Cell;

/// Proof and disproof number of one goal. 0 means done, [`INFINITE`] means impossible; both are for ever.
///
/// One of the two is 0 exactly if the other is infinite (Saffidine and Cazenave 2012, Prop. 1 and 2). All code here
/// keeps to that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// What it takes to prove the goal: PN, or G of the goal's outcome.
    pub proof: u32,
    /// What it takes to disprove it: DN, or S of the outcome just below.
    pub disproof: u32,
}

/// The effort for what cannot be done.
pub(crate) const INFINITE: u32 = u32::MAX;

/// The largest effort that is still finite. Larger sums stop here.
pub(crate) const LARGEST: u32 = INFINITE - 1;

impl Pair {
    /// The goal is reached.
    pub const PROVED: Pair = Pair { proof: 0, disproof: INFINITE };
    /// The goal cannot be reached.
    pub const DISPROVED: Pair = Pair { proof: INFINITE, disproof: 0 };
    /// A leaf about which nothing is known.
    pub const UNIT: Pair = Pair { proof: 1, disproof: 1 };

    /// Whether nothing is left to find out.
    #[inline]
    pub fn closed(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// The same goal seen by the other side: proof and disproof change places.
    #[inline]
    pub fn swapped(self) -> Pair {
        Pair { proof: self.disproof, disproof: self.proof }
    }

    /// The numbers of a state from those of its successors (Saffidine and Cazenave 2012, Fig. 1), for the side that
    /// wants the proof (`for_max`) or the disproof: the mover needs one successor, the other side all of them.
    #[inline]
    pub fn of_successors(for_max: bool, successors: impl Iterator<Item = Pair>) -> Pair {
        let (mut least, mut sum) = (INFINITE, 0u64);
        for pair in successors {
            let pair = if for_max { pair } else { pair.swapped() };
            least = least.min(pair.proof);
            sum += u64::from(pair.disproof);
        }
        // A sum reaches infinity only through an infinite part, that is, if some successor settles the goal.
        let sum = if least == 0 { INFINITE } else { sum.min(u64::from(LARGEST)) as u32 };
        let own = Pair { proof: least, disproof: sum };
        if for_max { own } else { own.swapped() }
    }

    /// Like [`Pair::of_successors`], with the greatest effort plus one for each further open successor in the place of
    /// the sum. Where many lines share their end, a sum counts that end many times; this does not.
    #[inline]
    pub fn of_successors_weak(for_max: bool, successors: impl Iterator<Item = Pair>) -> Pair {
        let (mut least, mut greatest, mut open) = (INFINITE, 0, 0u64);
        for pair in successors {
            let pair = if for_max { pair } else { pair.swapped() };
            least = least.min(pair.proof);
            greatest = greatest.max(pair.disproof);
            open += u64::from(pair.disproof > 0);
        }
        let all = (u64::from(greatest) + open.saturating_sub(1)).min(u64::from(LARGEST)) as u32;
        let all = if least == 0 { INFINITE } else { all };
        let own = Pair { proof: least, disproof: all };
        if for_max { own } else { own.swapped() }
    }
}

/// The effort of the side to move: what it takes to reach its aim for the goal.
#[inline(always)]
pub(crate) fn own_effort(for_max: bool, pair: Pair) -> u32 {
    if for_max { pair.proof } else { pair.disproof }
}

/// The choice of least effort, each given with its effort: the first of them, or none if there are several and all take
/// the same. Then nothing was found out that tells them apart, and whichever is named first is no better than the
/// others.
pub(crate) fn least_effort<T>(choices: impl Iterator<Item = (T, u32)>) -> Option<T> {
    let (mut best, mut count, mut alike) = (None, 0, true);
    for (choice, effort) in choices {
        count += 1;
        match best {
            Some((_, least)) if effort >= least => alike &= effort == least,
            _ => {
                alike = best.is_none();
                best = Some((choice, effort));
            }
        }
    }
    best.filter(|_| count == 1 || !alike).map(|(choice, _)| choice)
}

/// Where a pair of numbers stands.
pub trait PairAt {
    /// The pair.
    fn pair(&self) -> Pair;
}

impl PairAt for Pair {
    #[inline(always)]
    fn pair(&self) -> Pair {
        *self
    }
}

/// Both numbers in one: threads that share them see them together.
impl PairAt for AtomicU64 {
    #[inline(always)]
    fn pair(&self) -> Pair {
        Pair::from_bits(self.get())
    }
}

impl Pair {
    #[inline(always)]
    pub(crate) fn bits(self) -> u64 {
        u64::from(self.proof) << 32 | u64::from(self.disproof)
    }

    #[inline(always)]
    pub(crate) fn from_bits(bits: u64) -> Pair {
        Pair { proof: (bits >> 32) as u32, disproof: bits as u32 }
    }
}

impl Default for Pair {
    fn default() -> Self {
        Pair::UNIT
    }
}

impl Plain for Pair {
    const SIZE: usize = 8;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        [self.proof, self.disproof].put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let [proof, disproof] = Plain::take(bytes)?;
        Some(Pair { proof, disproof })
    }
}

impl Plain for Window {
    const SIZE: usize = 4;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        [self.pessimistic, self.optimistic].put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let [pessimistic, optimistic] = Plain::take(bytes)?;
        Some(Window { pessimistic, optimistic })
    }
}

/// How many goals a search keeps numbers for: a constant where speed counts.
pub trait Goals: Copy + Send + Sync + 'static {
    /// All numbers of a state.
    type Numbers: Clone + Default + Send + AsRef<[Pair]> + AsMut<[Pair]>;
    /// What they take beside their own size.
    fn heap(self) -> usize {
        0
    }
    /// Copies them.
    fn keep(pairs: &[Pair]) -> Self::Numbers;
    /// The number of goals, one less than outcomes.
    fn count(self) -> usize;
}

/// One goal: proof-number search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct One;

/// Two goals: loss, draw and win.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Two;

/// Any number of goals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Many(pub usize);

impl Goals for One {
    type Numbers = [Pair; 1];

    #[inline(always)]
    fn keep(pairs: &[Pair]) -> [Pair; 1] {
        pairs.try_into().expect("as many numbers as goals")
    }

    #[inline(always)]
    fn count(self) -> usize {
        1
    }
}

impl Goals for Two {
    type Numbers = [Pair; 2];

    #[inline(always)]
    fn keep(pairs: &[Pair]) -> [Pair; 2] {
        pairs.try_into().expect("as many numbers as goals")
    }

    #[inline(always)]
    fn count(self) -> usize {
        2
    }
}

impl Goals for Many {
    type Numbers = Box<[Pair]>;

    fn heap(self) -> usize {
        self.0 * size_of::<Pair>() + 16 // what the allocator adds
    }

    fn keep(pairs: &[Pair]) -> Box<[Pair]> {
        pairs.into()
    }

    #[inline(always)]
    fn count(self) -> usize {
        self.0
    }
}

/// What is proved about a value, as ranks of outcomes: at least `pessimistic`, at most `optimistic` (Saffidine and
/// Cazenave 2012, §4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The worst outcome still possible.
    pub pessimistic: u16,
    /// The best outcome still possible.
    pub optimistic: u16,
}

impl Window {
    /// All of `goals` + 1 outcomes.
    pub fn full(goals: usize) -> Window {
        Window { pessimistic: 0, optimistic: goals as u16 }
    }

    /// What the numbers of one state prove. Who reaches a goal reaches all below it, even where their numbers do not
    /// say so yet: threads write them one after the other.
    #[inline]
    pub fn of<P: PairAt>(pairs: &[P]) -> Window {
        let pessimistic = pairs.iter().rposition(|p| p.pair().proof == 0).map_or(0, |goal| goal + 1);
        let optimistic = pairs.iter().position(|p| p.pair().disproof == 0).unwrap_or(pairs.len());
        Window { pessimistic: pessimistic as u16, optimistic: optimistic as u16 }
    }

    /// Both together. Relevancy bounds arise so, from the root down: (α, β) of Saffidine and Cazenave 2012, §4.5.
    #[inline]
    pub fn and(self, other: Window) -> Window {
        Window {
            pessimistic: self.pessimistic.max(other.pessimistic),
            optimistic: self.optimistic.min(other.optimistic),
        }
    }

    /// Whether nothing is left between the bounds: solved, or (for relevancy bounds) of no further interest.
    #[inline]
    pub fn closed(self) -> bool {
        self.pessimistic >= self.optimistic
    }

    /// Whether the goal is still undecided.
    #[inline]
    pub fn contains(self, goal: usize) -> bool {
        (self.pessimistic as usize) <= goal && goal < self.optimistic as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_effort_is_named_only_if_efforts_differ() {
        let named = |efforts: &[u32]| least_effort(efforts.iter().copied().enumerate());
        assert_eq!(named(&[]), None);
        assert_eq!(named(&[7]), Some(0), "the only one");
        assert_eq!(named(&[3, 3, 3]), None);
        assert_eq!(named(&[3, 3, 2]), Some(2));
        assert_eq!(named(&[3, 2, 2]), Some(1));
        assert_eq!(named(&[2, 2, 3]), Some(0));
        assert_eq!(named(&[2, INFINITE]), Some(0));
    }

    #[test]
    fn the_mover_needs_one_and_the_other_side_all() {
        let leaves = [Pair { proof: 2, disproof: 3 }, Pair { proof: 1, disproof: 5 }];
        assert_eq!(Pair::of_successors(true, leaves.into_iter()), Pair { proof: 1, disproof: 8 });
        assert_eq!(Pair::of_successors(false, leaves.into_iter()), Pair { proof: 3, disproof: 3 });
        assert_eq!(Pair::of_successors(true, [leaves[0], Pair::PROVED].into_iter()), Pair::PROVED);
        assert_eq!(Pair::of_successors(false, [leaves[0], Pair::DISPROVED].into_iter()), Pair::DISPROVED);
        assert_eq!(Pair::of_successors(true, [Pair::DISPROVED; 2].into_iter()), Pair::DISPROVED);
        let huge = Pair { proof: 1, disproof: LARGEST };
        assert_eq!(Pair::of_successors(true, [huge; 9].into_iter()), huge, "sums stay finite");
    }

    #[test]
    fn the_weak_sum_is_at_most_the_sum() {
        let leaves = [Pair { proof: 2, disproof: 3 }, Pair { proof: 1, disproof: 5 }, Pair::DISPROVED];
        assert_eq!(Pair::of_successors_weak(true, leaves.into_iter()), Pair { proof: 1, disproof: 6 });
        assert_eq!(Pair::of_successors_weak(true, [Pair::DISPROVED; 2].into_iter()), Pair::DISPROVED);
        assert_eq!(Pair::of_successors_weak(false, [Pair::PROVED; 2].into_iter()), Pair::PROVED);
    }

    #[test]
    fn windows_follow_the_numbers() {
        // Saffidine and Cazenave 2012, Fig. 2, as a finite game
        let pairs = [Pair::PROVED, Pair { proof: 500, disproof: 10 }];
        assert_eq!(Window::of(&pairs), Window { pessimistic: 1, optimistic: 2 });
        assert!(Window::of(&[Pair::PROVED, Pair::DISPROVED]).closed());
        assert_eq!(Window::of(&[Pair::UNIT, Pair::PROVED]), Window { pessimistic: 2, optimistic: 2 });
        assert_eq!(Window::of(&[Pair::DISPROVED, Pair::UNIT]), Window { pessimistic: 0, optimistic: 0 });
        assert!(Window::full(2).contains(1) && !Window::full(2).contains(2));
    }
}
