//! Which branches maxⁿ may leave out, and exactly when. Every rule here keeps the value and the move of plain maxⁿ with
//! the same tie rule; `tests/maxn_laws.rs` holds them to it on thousands of random games.
//!
//! Write L_p for the least part of player p and S for the greatest sum of a vector, both true bounds the game declares.
//! At a node, *need* is the least own part with which the branch being searched would be taken: the best so far, plus
//! one if ties go to the best so far.
//!
//! - **Immediate**: no branch can reach need, because it is beyond the mover's maximum. Needs true maxima, no sums.
//! - **Shallow** (Korf 1991): the mover c of a node already has v_c, so the parent p gets at most
//!   S - v_c - Σ L of the others. If that is less than p's need, the node will not be taken. Needs bounded sums.
//! - **Last branch** (after Sturtevant 2003): the same with an ancestor a further up, where every node in between
//!   searches its last branch, and no player moves twice on the way. A vector that passes them all has at least their
//!   needs, so a gets at most S - v_c - Σ needs - Σ L. That is not enough: if a node in between does *not* take the
//!   vector, it returns its own best, and a might take that. So each of those must be refused on its way up as well.
//!   They are known, so it is checked.
//! - **Speculative** (after Sturtevant 2003): a the grandparent, the parent b not at its last branch. What b returns in
//!   the end is then its best x or the unknown vector. If a refuses x, both are refused and nothing is lost. If not,
//!   and the vector left out could still beat x, it is searched again, without looking beyond b.
//!
//! Deep pruning in general is wrong for more than two players (Korf 1991), and so are: sums with a bound one too small,
//! negative parts that are not shifted (L_p = 0 taken for granted), and bounds between nodes of the same mover. The
//! tests pin each.
//!
//! The part of a node that was cut is no value: it is not stored, and nodes in between do not store theirs.

use perfectplay_core::{FullGame, Kind, Player, Setting, Values};

use crate::n_player::maxn::Maxn;
use crate::n_player::tie_rules::Ties;
use crate::n_player::vector_value::Value;

pub(crate) const PRUNE: Setting<Rules> = Setting::new(
    "prune",
    "off, all, or any of immediate, shallow, last-branch, speculative joined by +: leave out what cannot matter",
    Rules,
    "immediate",
);

/// The rules in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prune {
    pub(crate) immediate: bool,
    pub(crate) shallow: bool,
    pub(crate) last_branch: bool,
    pub(crate) speculative: bool,
}

impl Prune {
    /// `off`, `all`, or names joined by `+`.
    fn parse(text: &str) -> Option<Self> {
        let mut prune = Prune::default();
        for word in text.split('+') {
            match word.trim() {
                "off" if text.trim() == "off" => {}
                "all" => prune = Prune { immediate: true, shallow: true, last_branch: true, speculative: true },
                "immediate" => prune.immediate = true,
                "shallow" => prune.shallow = true,
                "last-branch" => prune.last_branch = true,
                "speculative" => prune.speculative = true,
                _ => return None,
            }
        }
        Some(prune)
    }

    pub(crate) fn any(self) -> bool {
        self.immediate || self.by_sums()
    }

    /// Whether a rule rests on sums.
    pub(crate) fn by_sums(self) -> bool {
        self.shallow || self.last_branch || self.speculative
    }
}

/// How the option `prune` is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules;

impl Kind for Rules {
    type Value = Prune;
    type Default = &'static str;

    fn read(&self, text: &str) -> Option<Prune> {
        Prune::parse(text)
    }

    fn expected(&self) -> String {
        "off, all, or some of immediate, shallow, last-branch, speculative joined by +".into()
    }

    fn values(&self) -> Values {
        Values::Text
    }

    fn value(&self, default: &'static str) -> Prune {
        Prune::parse(default).expect("the default can be read")
    }

    fn show(&self, default: &'static str) -> String {
        default.into()
    }
}

/// What is known at a node of the path.
pub(crate) struct Frame<G: FullGame> {
    pub(crate) mover: Player,
    /// The best vector so far, and the move it belongs to.
    pub(crate) best: Option<Value<G>>,
    pub(crate) best_index: usize,
    /// The move being searched.
    pub(crate) current: usize,
    /// The least own part with which it would be taken.
    pub(crate) need: i32,
    /// Whether no other move is left.
    pub(crate) last: bool,
    /// Whether a move was left out on speculation.
    pub(crate) pending: bool,
    /// Whether nothing above may be looked at.
    pub(crate) barrier: bool,
    pub(crate) line: Vec<G::Move>,
}

/// A node need not be searched further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Its value will not be taken; nor that of so many nodes above.
    Sure(u8),
    /// On speculation; the parent's part of it is at most this.
    Speculative(i64),
}

impl<G: FullGame> Maxn<G> {
    /// Whether the mover at `ply` takes the vector of move `index` rather than its best so far.
    #[inline]
    pub(crate) fn takes(&mut self, ply: usize, value: &mut Value<G>, index: usize) -> bool {
        let Maxn { game, leaves, frames, target, root_player, .. } = self;
        let Frame { mover, best, best_index, .. } = &mut frames[ply];
        let Some(best) = best else { return true };
        let (new, old) = match *target {
            // Compared the other way round: less for the target is better.
            Some(target) if mover == root_player => (leaves.part(game, best, target), leaves.part(game, value, target)),
            _ => (leaves.part(game, value, *mover), leaves.part(game, best, *mover)),
        };
        if new == old {
            let before = index < *best_index;
            self.takes_equal(ply, value, before)
        } else {
            new > old
        }
    }

    fn takes_equal(&mut self, ply: usize, value: &mut Value<G>, before: bool) -> bool {
        let Maxn { game, leaves, frames, ties, root_player, .. } = self;
        let Frame { mover, best: Some(best), .. } = &mut frames[ply] else { return true };
        let players = leaves.scale.players;
        let mut less = |player| {
            let (new, old) = (leaves.part(game, value, player), leaves.part(game, best, player));
            (new != old).then_some(new < old)
        };
        match ties {
            Ties::MinimiseRoot if mover != root_player => less(*root_player).unwrap_or(before),
            Ties::Leftmost | Ties::MinimiseRoot => before,
            Ties::Order => {
                let others = (1..players).map(|k| Player::new((mover.index() + k) % players));
                others.into_iter().find_map(less).unwrap_or(before)
            }
        }
    }

    /// What the mover at `ply` has so far.
    #[inline]
    fn own(&mut self, ply: usize) -> i32 {
        let Frame { mover, best, .. } = &mut self.frames[ply];
        match best {
            Some(best) => self.leaves.part(&self.game, best, *mover),
            None => self.leaves.scale.least[mover.index()],
        }
    }

    /// The least own part with which the mover at `ply` would take the vector of move `index`.
    #[inline]
    pub(crate) fn need(&mut self, ply: usize, index: usize) -> i32 {
        let own = self.own(ply);
        if self.frames[ply].best.is_none() {
            return own;
        }
        let mover = self.frames[ply].mover;
        let first_wins = match self.ties {
            Ties::Leftmost => true,
            Ties::MinimiseRoot => mover == self.root_player,
            Ties::Order => false,
        };
        own + i32::from(first_wins && index > self.frames[ply].best_index)
    }

    /// Whether the node at `ply`, which has a best vector, can be left now.
    pub(crate) fn cut(&mut self, ply: usize) -> Option<Cut> {
        let scale = self.leaves.scale;
        let mover = self.frames[ply].mover;
        let own = self.own(ply);
        let least = |p: Player| i64::from(scale.least[p.index()]);
        let others: i64 = Player::all(scale.players).filter(|&p| p != mover).map(least).sum();
        // What all the others can have above their least, together; then what those not passed yet can.
        let mut room = scale.sum.expect("sums are bounded, or nothing is cut") - i64::from(own) - others;
        let mut passed = 1u8 << mover.index();
        let mut all_last = true;
        for top in (0..ply).rev() {
            let frame = &self.frames[top];
            let (above, need) = (frame.mover, i64::from(frame.need));
            if passed & 1 << above.index() != 0 {
                return None; // the same player again: the sum says nothing about it
            }
            let (last, pending, barrier) = (frame.last, frame.pending, frame.barrier);
            if room + least(above) < need {
                let between = ply - 1 - top;
                if between == 0 {
                    if self.prune.shallow {
                        return Some(Cut::Sure(0));
                    }
                } else if all_last {
                    if self.prune.last_branch && self.all_refused(top, ply) {
                        return Some(Cut::Sure(between as u8));
                    }
                } else {
                    // `room` is less what the parent needs, so this is what the parent can get at most.
                    debug_assert_eq!(between, 1, "speculation goes over the parent only");
                    return Some(Cut::Speculative(room + i64::from(self.frames[ply - 1].need)));
                }
            }
            if barrier || top == 0 {
                return None;
            }
            let as_last = all_last && self.prune.last_branch && last && !pending;
            let on_speculation = self.prune.speculative && top == ply - 1 && !last;
            if !as_last && !on_speculation {
                return None;
            }
            all_last = as_last;
            room -= need - least(above);
            passed |= 1 << above.index();
        }
        None
    }

    /// Whether the node at `top` refuses the best vector of every node between it and `ply`, on whatever way up.
    fn all_refused(&mut self, top: usize, ply: usize) -> bool {
        (top + 1..ply).all(|between| {
            let Some(mut value) = self.frames[between].best.clone() else { return true };
            for above in (top..between).rev() {
                if !self.takes(above, &mut value, self.frames[above].current) {
                    return true; // there another vector goes on, one that is asked about, too
                }
            }
            false
        })
    }

    /// Whether the node above `ply` would refuse the best vector of `ply`.
    pub(crate) fn is_refused(&mut self, ply: usize) -> bool {
        match self.frames[ply].best.clone() {
            Some(mut value) => !self.takes(ply - 1, &mut value, self.frames[ply - 1].current),
            None => true,
        }
    }
}
