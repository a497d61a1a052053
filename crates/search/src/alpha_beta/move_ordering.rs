//! Which move to try first: the one that was best before, then by the game's own order score, then killers, then what
//! cut off often. (Killers before that score took three times the nodes on Connect Four.)

/// Places in the history per player.
const PLACES: usize = 1 << 12;
/// Where the bands of the order begin.
const TABLE: i64 = 1 << 60;
const SCORE: u32 = 26;
const KILLER: i64 = 1 << 24;

/// What one thread has learned about moves.
pub(crate) struct Ordering<M> {
    killers: Vec<[Option<M>; 2]>,
    history: Vec<u32>,
    pub(crate) use_killers: bool,
    pub(crate) use_history: bool,
}

impl<M: Copy + Eq> Ordering<M> {
    pub(crate) fn new(use_killers: bool, use_history: bool) -> Self {
        Ordering {
            killers: vec![],
            history: vec![0; if use_history { 2 * PLACES } else { 0 }],
            use_killers,
            use_history,
        }
    }

    /// Room for killers at this distance from the root.
    pub(crate) fn reach(&mut self, ply: usize) {
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [None; 2]);
        }
    }

    /// How early to try a move with this order score and place in the history: the greatest first.
    #[inline]
    pub(crate) fn rank(&self, score: i32, place: u16, mv: M, ply: usize, from_table: bool) -> i64 {
        if from_table {
            return TABLE;
        }
        let killer = match self.killers[ply] {
            [Some(k), _] if self.use_killers && k == mv => KILLER + 1,
            [_, Some(k)] if self.use_killers && k == mv => KILLER,
            _ => 0,
        };
        let history = if self.use_history { self.history[usize::from(place)] } else { 0 };
        (i64::from(score) << SCORE) + killer + i64::from(history)
    }

    /// A move cut off: remember it.
    pub(crate) fn cut(&mut self, place: u16, mv: M, ply: usize, depth: u32) {
        if self.use_killers && self.killers[ply][0] != Some(mv) {
            self.killers[ply] = [Some(mv), self.killers[ply][0]];
        }
        if self.use_history {
            let history = &mut self.history[usize::from(place)];
            *history += depth.min(64) * depth.min(64);
            if *history >= 1 << 23 {
                self.history.iter_mut().for_each(|h| *h /= 2);
            }
        }
    }
}

/// The place in the history of a player's moves with this [history
/// index](perfectplay_core::OrderingHints::history_index).
#[inline]
pub(crate) fn history_place(mover: usize, index: usize) -> u16 {
    (mover * PLACES + index % PLACES) as u16
}
