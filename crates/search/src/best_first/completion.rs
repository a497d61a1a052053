//! Completion for two players (Cohen-Solal 2025, §3.2, Alg. 3): c, v and r per state, and how they follow from the
//! children's.
//!
//! - c: the exact minimax value for the gain, if it is known, from the first player's view; 0 if it is not known.
//! - v: the value in the tree as it stands, f_t at finished states and f_θ at leaves.
//! - r: whether the state is resolved: c is exact.
//!
//! The mover prefers children by (c, v). A state is resolved when c is ±1 (a win is proved for someone) or all its
//! children are resolved. What is resolved never changes (Lemma 4), |c| = 1 implies resolved (Lemma 5).
//!
//! Three more ways to resolve share the code ([`Resolution`]): strong solving (Cohen-Solal 2025, §8.2) without the
//! short cut at |c| = 1; solving for the score, where the short cut is a resolved child that reaches the best score the
//! game allows; and none at all, the basic algorithms without completion, which go by v alone and can be stuck for
//! ever.

use perfectplay_core::{Estimate, EstimateOf, Evaluator, Facts, FullGame, Objective, Payoff, Plain, Player};

use crate::best_first::decisions::{Decision, Judge};
use crate::best_first::exploration::{Choice, Explore, best_dual};
use crate::best_first::node_data::Word;
use crate::best_first::policy::{Pick, Policy, Visit};
use crate::best_first::tree::Family;
use crate::support::evaluations::{self, Finish, Terminal};

/// c, v and r of a state, packed so that comparing two of them takes one instruction:
///
/// ```text
///   bits 63 … 33   32 … 1                              0
///        c         v, as a number that grows with it   r
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Completion(i64);

impl Completion {
    /// Puts the three together.
    #[inline]
    pub fn new(c: i8, v: f32, r: bool) -> Self {
        let v = in_order(v).wrapping_sub(i32::MIN) as u32;
        Completion(i64::from(c) << 33 | i64::from(v) << 1 | i64::from(r))
    }

    /// The gain of the first player, if it is known.
    #[inline]
    pub fn c(self) -> i8 {
        (self.0 >> 33) as i8
    }

    /// The value in the tree, to the first player.
    #[inline]
    pub fn v(self) -> f32 {
        let ordered = ((self.0 >> 1) as u32).wrapping_add(i32::MIN as u32) as i32;
        f32::from_bits((ordered ^ ((ordered >> 31) as u32 >> 1) as i32) as u32)
    }

    /// Whether c (and, when solving for the score, v) is exact.
    #[inline]
    pub fn r(self) -> bool {
        self.0 & 1 == 1
    }

    /// (c, v) as one number that grows with what `mover` prefers.
    #[inline]
    pub fn rank(self, mover: Player) -> i64 {
        let rank = self.0 >> 1;
        if mover == Player::FIRST { rank } else { -rank }
    }
}

impl Word for Completion {
    #[inline]
    fn to_word(self) -> i64 {
        self.0
    }

    #[inline]
    fn from_word(word: i64) -> Self {
        Completion(word)
    }
}

impl Plain for Completion {
    const SIZE: usize = 8;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.0.put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        Plain::take(bytes).map(Completion)
    }
}

impl std::fmt::Debug for Completion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "c {} v {} r {}", self.c(), self.v(), u8::from(self.r()))
    }
}

/// A whole number that is greater for a greater float.
#[inline]
pub(crate) fn in_order(value: f32) -> i32 {
    let bits = (value + 0.0).to_bits() as i32; // + 0.0 makes one zero of two
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// What `value`, the first player's, is to `player`.
#[inline]
fn opposed(value: f32, player: Player) -> f32 {
    if player == Player::FIRST { value } else { -value }
}

/// When a state counts as resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolution {
    /// When its gain is certain.
    Weak,
    /// When everything below it is resolved: all its winning moves are known.
    Strong,
    /// When its score is certain. Holds the best score for each player.
    Score([f32; 2]),
    /// Never: no completion.
    Off,
}

/// The two-player policy: completion, explored by `X`.
pub struct TwoPlayers<G: FullGame, X> {
    /// Where to look.
    pub explore: X,
    /// When a state is resolved.
    pub resolution: Resolution,
    /// What is to be settled.
    pub objective: Objective,
    /// f_t.
    pub terminal: Terminal,
    /// f_θ; `None` is 0.
    pub evaluator: Option<Box<dyn Evaluator<G>>>,
    /// Whether new children are evaluated in one call.
    pub batch: bool,
    /// The line ends where the best child is resolved, a draw most often (Cohen-Solal 2021, Remark 10): not complete.
    pub stop_at_draw: bool,
    /// Which move to play.
    pub decision: Decision,
    /// What a sure win counts in v.
    pub scale: f32,
    /// The guesses of one call.
    pub guesses: Vec<EstimateOf<G>>,
}

impl<G: FullGame, X: Explore> TwoPlayers<G, X> {
    /// Completion on, f_t = gain, f_θ = 0, play the best move.
    pub fn new(explore: X) -> Self {
        TwoPlayers {
            explore,
            resolution: Resolution::Weak,
            objective: Objective::Gain,
            terminal: Terminal::Gain,
            evaluator: None,
            batch: true,
            stop_at_draw: false,
            decision: Decision::Best,
            scale: 1.0,
            guesses: Vec::new(),
        }
    }

    /// Resolves states when their score is certain.
    #[must_use]
    pub fn for_score(mut self, facts: &Facts) -> Self {
        self.objective = Objective::Score;
        self.terminal = Terminal::Score;
        self.resolution = Resolution::Score([Player::FIRST, Player::SECOND].map(|p| Terminal::Score.bound(facts, p)));
        self.scale = 1.0;
        self
    }

    #[inline]
    fn children<'a, 'b>(&self, family: &'a Family<'b, G, Completion>) -> Children<'a, 'b, G> {
        Children { family, mover: family.mover(), open_only: self.open_only() }
    }

    fn open_only(&self) -> bool {
        self.resolution != Resolution::Off && !self.stop_at_draw
    }
}

/// A family with what its mover prefers.
struct Children<'a, 'b, G: FullGame> {
    family: &'a Family<'b, G, Completion>,
    mover: Player,
    open_only: bool,
}

impl<G: FullGame> Choice for Children<'_, '_, G> {
    #[inline]
    fn len(&self) -> usize {
        self.family.len()
    }

    #[inline]
    fn rank(&self, i: usize) -> Option<i64> {
        let child = self.family.child(i);
        (!self.open_only || !child.r()).then_some(child.rank(self.mover))
    }

    #[inline]
    fn visits(&self, i: usize) -> u32 {
        self.family.visits(i)
    }
}

impl<G: FullGame, X: Explore> Policy<G> for TwoPlayers<G, X> {
    type Data = Completion;

    fn terminal(&self, game: &G, end: &Finish<'_, G>) -> Completion {
        let c = match self.resolution {
            Resolution::Weak | Resolution::Strong => end.payoff.gain(Player::FIRST).value() as i8,
            Resolution::Score(_) | Resolution::Off => 0,
        };
        Completion::new(c, self.terminal.values(game, end).of(Player::FIRST), true)
    }

    fn leaves(&mut self, game: &G, states: &[G::State], out: &mut Vec<Completion>) {
        let Some(evaluator) = &mut self.evaluator else {
            out.resize(out.len() + states.len(), Completion::new(0, 0.0, false));
            return;
        };
        self.guesses.clear();
        for states in states.chunks(if self.batch { states.len() } else { 1 }) {
            evaluator.evaluate(game, states, &mut self.guesses);
        }
        out.extend(self.guesses.iter().map(|g| Completion::new(0, g.of(Player::FIRST), false)));
    }

    fn fork(&mut self, number: u64) -> Self {
        TwoPlayers {
            explore: self.explore.fork(number),
            evaluator: evaluations::forked(&mut self.evaluator),
            guesses: Vec::new(),
            ..*self
        }
    }

    fn batch(&self) -> usize {
        self.evaluator.as_ref().filter(|_| self.batch).map_or(1, |evaluator| evaluator.batch().max(1))
    }

    fn evaluates(&self) -> bool {
        self.evaluator.is_some()
    }

    #[inline]
    fn backup(&self, family: &Family<'_, G, Completion>) -> Completion {
        let mover = family.mover();
        if let Resolution::Score(bounds) = self.resolution {
            // A guess may promise more than the game can give: what is certain comes before it.
            let enough = |child: &Completion| child.r() && opposed(child.v(), mover) >= bounds[mover.index()];
            if let Some((child, _)) = family.children().find(|(child, _)| enough(child)) {
                return child;
            }
        }
        // With r set everywhere, only (c, v) is compared. One pass, as this runs for every state on every line.
        let mut all = 1;
        let mut note = |child: Completion| {
            all &= child.0;
            child.0 | 1
        };
        let children = family.children();
        let best = if mover == Player::FIRST {
            children.fold(i64::MIN, |best, (child, _)| best.max(note(child)))
        } else {
            children.fold(i64::MAX, |best, (child, _)| best.min(note(child)))
        };
        let r = match self.resolution {
            Resolution::Weak => all | i64::from(Completion(best).c() != 0),
            Resolution::Strong | Resolution::Score(_) => all,
            Resolution::Off => 0,
        };
        Completion((best - 1) | r)
    }

    #[inline]
    fn priority_child(&mut self, family: &Family<'_, G, Completion>, visit: Visit) -> Option<usize> {
        let children = self.children(family);
        if self.stop_at_draw {
            return best_dual(&children).filter(|&i| !family.child(i).r());
        }
        self.explore.priority_child(&children, visit)
    }

    #[inline]
    fn pick(&mut self, family: &Family<'_, G, Completion>, visit: Visit) -> Option<Pick> {
        if self.stop_at_draw {
            return self.priority_child(family, visit).map(Pick::from);
        }
        self.explore.pick(&self.children(family), visit)
    }

    fn foreseeable(&self) -> bool {
        self.explore.is_greedy()
    }

    #[inline]
    fn continues(&mut self, _: &Family<'_, G, Completion>, visit: Visit) -> bool {
        self.explore.continues(visit)
    }

    #[inline]
    fn closed(&self, data: Completion) -> bool {
        data.r() && self.resolution != Resolution::Off
    }

    fn principal(&self, family: &Family<'_, G, Completion>) -> usize {
        // Where the score is certain, an unresolved child may still look better than the one that makes it certain.
        let state = family.data();
        let score = matches!(self.resolution, Resolution::Score(_)) && state.r();
        let key = |i: usize| {
            let child = family.child(i);
            let fits = !score || child.r() && child.v() == state.v();
            (i64::from(fits), 0, child.rank(family.mover()), family.visits(i))
        };
        Decision::Best.choose((0..family.len()).map(key))
    }

    fn drawn(&self) -> u64 {
        self.explore.drawn()
    }

    fn draw(&mut self, drawn: u64) {
        self.explore.draw(drawn);
    }

    fn can_stall(&self) -> bool {
        !self.open_only() && self.explore.is_greedy()
    }

    fn candidate(&self, family: &Family<'_, G, Completion>, child: usize) -> bool {
        let rank = |i| family.child(i).rank(family.mover());
        (0..family.len()).all(|i| rank(i) <= rank(child))
    }

    fn shown(&self, data: Completion) -> EstimateOf<G> {
        let value = if data.c() == 0 { data.v() / self.scale } else { f32::from(data.c()) };
        EstimateOf::<G>::from_fn(|p| opposed(value, p))
    }
}

impl<G: FullGame, X: Explore> Judge<G> for TwoPlayers<G, X> {
    fn decide(&self, family: &Family<'_, G, Completion>) -> usize {
        let mover = family.mover();
        if matches!(self.resolution, Resolution::Score(_)) && family.data().r() {
            return self.principal(family);
        }
        // (c, v) is split for the safest move, which looks at c, then at n, then at v.
        let ranks = (0..family.len()).map(|i| {
            let child = family.child(i);
            let c = opposed(f32::from(child.c()), mover) as i64;
            let v = in_order(opposed(child.v(), mover));
            (c, 0, v.into(), family.visits(i))
        });
        self.decision.choose(ranks)
    }

    fn proved(&self, data: Completion) -> bool {
        self.resolution != Resolution::Off && (data.r() || data.c() != 0)
    }

    fn objective(&self) -> Objective {
        self.objective
    }

    fn notes(&self, _: bool) -> Vec<String> {
        match self.resolution {
            Resolution::Off => vec!["without completion nothing is ever proved, and the search can be stuck".into()],
            _ => vec![],
        }
    }
}
