//! Completion for any number of players (Cohen-Solal 2021, §3): UBFMⁿ, Descentⁿ and every other way to explore, in two
//! generalisations.
//!
//! Every player has its own part of c and v, and the mover maximises its own. For two players a proved win of the mover
//! ends the matter; for more it does not, because two wins of the mover may differ for the others. The two
//! generalisations answer that differently:
//!
//! - *first* (Alg. 4-10): an unresolved state shows c = 0; what its best child would make of it is kept apart, as c'.
//! - *second* (Alg. 11-15): c is always passed on, certain or not, and children are ordered by (r·c, c, v), so that a
//!   resolved win comes before one that only looks like it.
//!
//! A state is resolved when all its children are, or when its mover has a resolved child in which it wins and gets all
//! it can: v_j ≥ U_j, the upper bound that the game's facts state (Alg. 5, 12; any true bound is sound, a loose one
//! only stops later). *Relaxed* resolution (Remark 10) is content with a resolved win: sooner, but the value found need
//! not be the best for f_t among the wins.
//!
//! What is proved: (c, v) is the value of an equilibrium of the preference "gain first, then f_t"; the only one if f_t
//! breaks ties (Def. 11), one among several otherwise. With relaxed resolution: an equilibrium for the gain.
//!
//! Where the paper leaves a gap: `best_action_n_dual` of the first generalisation is (c_j, v_j, -n), and where all
//! children of an unresolved state are resolved the line ends (see [`crate::best_first::main_loop`]).

use perfectplay_core::{
    Estimate, EstimateOf, Evaluator, Facts, FullGame, Given, Noticed, Objective, Payoff, Plain, Player, Setting,
    options,
};

use crate::best_first::completion::in_order;
use crate::best_first::decisions::{Decision, Judge};
use crate::best_first::exploration::{Choice, Explore, best_dual};
use crate::best_first::node_data::NodeData;
use crate::best_first::policy::{Pick, Policy, Visit};
use crate::best_first::sync::{AtomicU32, Ordering};
use crate::best_first::tree::Family;
use crate::best_first::versioned::Versioned;
use crate::oracle::equilibria::one_of_several;
use crate::support::evaluations::{self, Finish, Terminal};

/// Which of the two generalisations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generalisation {
    /// c only where it is certain.
    #[default]
    First,
    /// c always, certain values first.
    Second,
}

/// What is particular to n players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForMany {
    /// Which generalisation.
    pub generalisation: Generalisation,
    /// Whether any resolved win resolves a state (Remark 10).
    pub relaxed: bool,
}

/// The option of that name, for searches and for who learns by them.
pub const GENERALISATION: Noticed<perfectplay_core::Choice<Generalisation>> = Setting::choice(
    "generalisation",
    "for n players, what an unresolved state shows",
    &[
        ("first", "no completion value", Generalisation::First),
        ("second", "that of its best child", Generalisation::Second),
    ],
)
.noticed();

options! {
    /// What can be said about games for many.
    pub(crate) struct ManyOptions {
        generalisation: Given<Generalisation> = GENERALISATION,
        relaxed: Given<bool> = Setting::choice(
            "resolution",
            "for n players, which win resolves a state",
            &[("strict", "one than which nothing better is possible", false), ("relaxed", "any", true)],
        )
        .noticed(),
    }
}

impl ManyOptions {
    /// `None` if nothing was said.
    pub(crate) fn chosen(&self) -> Option<ForMany> {
        let given = self.generalisation.given || self.relaxed.given;
        given.then_some(ForMany { generalisation: self.generalisation.value, relaxed: self.relaxed.value })
    }
}

/// One gain per player, two bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gains(u32);

impl Gains {
    /// Nobody wins or loses.
    pub const NONE: Gains = Gains(0x5555_5555);
    /// The most players for whom there is room.
    pub const PLAYERS: usize = 16;

    fn of<P: Payoff>(payoff: P) -> Self {
        let put = |bits: u32, p: Player| {
            bits & !(3 << (2 * p.index())) | ((payoff.gain(p).value() + 1) as u32) << (2 * p.index())
        };
        Gains(Player::all(payoff.players()).fold(Gains::NONE.0, put))
    }

    /// -1, 0 or 1.
    #[inline]
    pub fn get(self, player: Player) -> i8 {
        (self.0 >> (2 * player.index()) & 3) as i8 - 1
    }
}

/// c', v and r of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompletionN<E> {
    /// The value in the tree, to each player.
    pub v: E,
    /// The completion value of the best child, certain or not: c' of the first generalisation, c of the second.
    pub c: Gains,
    /// Whether c and v are exact.
    pub r: bool,
}

impl<E: Estimate> Default for CompletionN<E> {
    fn default() -> Self {
        CompletionN { v: E::from_fn(|_| 0.0), c: Gains::NONE, r: false }
    }
}

/// Room for c', v and r: final when r is set.
#[derive(Debug)]
pub struct CellN<E: Estimate> {
    v: E::Parts,
    c: AtomicU32,
    r: Versioned,
}

impl<E: Estimate> CellN<E> {
    fn read(&self) -> (E, Gains) {
        (E::read(&self.v), Gains(self.c.load(Ordering::Relaxed)))
    }

    fn write(&self, data: CompletionN<E>) {
        data.v.write(&self.v);
        self.c.store(data.c.0, Ordering::Relaxed);
    }
}

impl<E: Estimate> NodeData for CompletionN<E> {
    type Cell = CellN<E>;

    fn cell(self) -> CellN<E> {
        CellN { v: self.v.parts(), c: AtomicU32::new(self.c.0), r: Versioned::new(self.r) }
    }

    #[inline]
    fn load(cell: &CellN<E>) -> Self {
        let ((v, c), r) = cell.r.read(|| cell.read());
        CompletionN { v, c, r }
    }

    fn store(self, cell: &CellN<E>) {
        cell.write(self);
        cell.r.set(self.r);
    }

    fn update(cell: &CellN<E>, mut next: impl FnMut(Self) -> Option<Self>) -> Option<(Self, Self)> {
        next(Self::load(cell))?;
        let mut replaced = None;
        cell.r.write(|| {
            let (v, c) = cell.read();
            let now = CompletionN { v, c, r: false };
            let new = next(now)?;
            cell.write(new);
            replaced = Some((now, new));
            Some(new.r)
        });
        replaced
    }
}

impl<E: Estimate> Plain for CompletionN<E> {
    const SIZE: usize = E::SIZE + 5;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.v.put(out);
        (self.c.0, self.r).put(&mut out[E::SIZE..]);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        let (c, r) = Plain::take(bytes.get(E::SIZE..)?)?;
        Some(CompletionN { v: E::take(bytes)?, c: Gains(c), r })
    }
}

impl<E: Estimate> CompletionN<E> {
    /// c as its parents see it.
    #[inline]
    pub fn shown(self, generalisation: Generalisation) -> Gains {
        if self.r || generalisation == Generalisation::Second { self.c } else { Gains::NONE }
    }

    /// What comes before v in the order of `player`.
    #[inline]
    fn completion_rank(self, player: Player, generalisation: Generalisation) -> i64 {
        let c = i64::from(self.shown(generalisation).get(player));
        match generalisation {
            Generalisation::First => c,
            Generalisation::Second => i64::from(self.r) * c * 3 + c,
        }
    }

    /// The order of `player` as one number: (c, v), or (r·c, c, v).
    #[inline]
    pub fn rank(self, player: Player, generalisation: Generalisation) -> i64 {
        (self.completion_rank(player, generalisation) << 32) + i64::from(in_order(self.v.of(player)))
    }
}

/// The n-player policy: completion, explored by `X`.
pub struct ManyPlayers<G: FullGame, X> {
    /// Where to look.
    pub explore: X,
    /// Which generalisation, strict or relaxed.
    pub form: ForMany,
    /// f_t.
    pub terminal: Terminal,
    /// U: no player can get more than this.
    pub bounds: Vec<f32>,
    /// What is to be settled; when solving for the score, gains do not count.
    pub objective: Objective,
    /// f_θ; `None` is 0.
    pub evaluator: Option<Box<dyn Evaluator<G>>>,
    /// Whether new children are evaluated in one call.
    pub batch: bool,
    /// Off: the basic algorithms, which go by v alone.
    pub completion: bool,
    /// A state is resolved only when all its children are.
    pub strong: bool,
    /// The line ends where the best child is resolved, a draw most often (Remark 10): not complete.
    pub stop_at_draw: bool,
    /// Which move to play.
    pub decision: Decision,
    /// What a sure win counts in v.
    pub scale: f32,
    guesses: Vec<EstimateOf<G>>,
}

type Data<G> = CompletionN<EstimateOf<G>>;

impl<G: FullGame, X: Explore> ManyPlayers<G, X> {
    /// Completion on, f_θ = 0, play the best move.
    ///
    /// # Panics
    /// If there are more than 16 players.
    pub fn new(explore: X, form: ForMany, facts: &Facts, terminal: Terminal, objective: Objective) -> Self {
        assert!(facts.players <= Gains::PLAYERS, "at most {} players", Gains::PLAYERS);
        ManyPlayers {
            explore,
            form,
            terminal,
            bounds: Player::all(facts.players).map(|p| terminal.bound(facts, p)).collect(),
            objective,
            evaluator: None,
            batch: true,
            completion: true,
            strong: false,
            stop_at_draw: false,
            decision: Decision::Best,
            scale: 1.0,
            guesses: Vec::new(),
        }
    }

    #[inline]
    fn children<'a, 'b>(&self, family: &'a Family<'b, G, Data<G>>) -> Children<'a, 'b, G> {
        Children { family, generalisation: self.form.generalisation, open_only: self.open_only() }
    }

    fn open_only(&self) -> bool {
        self.completion && !self.stop_at_draw
    }

    fn rank(&self, data: Data<G>, player: Player) -> i64 {
        data.rank(player, self.form.generalisation)
    }

    /// Whether `mover` can be content with a resolved child worth (c, v).
    fn is_enough(&self, mover: Player, c: Gains, v: EstimateOf<G>) -> bool {
        let wins = self.objective == Objective::Score || c.get(mover) == 1;
        let relaxed = self.form.relaxed && self.objective == Objective::Gain;
        !self.strong && wins && (relaxed || v.of(mover) >= self.bounds[mover.index()])
    }
}

struct Children<'a, 'b, G: FullGame> {
    family: &'a Family<'b, G, Data<G>>,
    generalisation: Generalisation,
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
        (!self.open_only || !child.r).then(|| child.rank(self.family.mover(), self.generalisation))
    }

    #[inline]
    fn visits(&self, i: usize) -> u32 {
        self.family.visits(i)
    }
}

impl<G: FullGame, X: Explore> Policy<G> for ManyPlayers<G, X> {
    type Data = Data<G>;

    fn terminal(&self, game: &G, end: &Finish<'_, G>) -> Data<G> {
        let counts = self.completion && self.objective == Objective::Gain;
        let c = if counts { Gains::of(end.payoff) } else { Gains::NONE };
        CompletionN { v: self.terminal.values(game, end), c, r: true }
    }

    fn leaves(&mut self, game: &G, states: &[G::State], out: &mut Vec<Data<G>>) {
        let Some(evaluator) = &mut self.evaluator else {
            out.resize(out.len() + states.len(), CompletionN::default());
            return;
        };
        self.guesses.clear();
        for states in states.chunks(if self.batch { states.len() } else { 1 }) {
            evaluator.evaluate(game, states, &mut self.guesses);
        }
        out.extend(self.guesses.iter().map(|&v| CompletionN { v, ..CompletionN::default() }));
    }

    fn fork(&mut self, number: u64) -> Self {
        ManyPlayers {
            explore: self.explore.fork(number),
            evaluator: evaluations::forked(&mut self.evaluator),
            bounds: self.bounds.clone(),
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
    fn backup(&self, family: &Family<'_, G, Data<G>>) -> Data<G> {
        let mover = family.mover();
        let mut best: Option<((i64, u32), Data<G>)> = None;
        let mut all = true;
        for (child, visits) in family.children() {
            let key = (self.rank(child, mover), visits);
            if best.is_none_or(|(b, _)| key > b) {
                best = Some((key, child));
            }
            all &= child.r;
        }
        let (_, child) = best.expect("an opened state has children");
        let (c, v) = (child.shown(self.form.generalisation), child.v);
        let enough = || {
            self.is_enough(mover, c, v) && family.children().any(|(child, _)| child.r && child.c == c && child.v == v)
        };
        CompletionN { v, c, r: self.completion && (all || enough()) }
    }

    fn priority_child(&mut self, family: &Family<'_, G, Data<G>>, visit: Visit) -> Option<usize> {
        let children = self.children(family);
        if self.stop_at_draw {
            return best_dual(&children).filter(|&i| !family.child(i).r);
        }
        self.explore.priority_child(&children, visit)
    }

    #[inline]
    fn pick(&mut self, family: &Family<'_, G, Data<G>>, visit: Visit) -> Option<Pick> {
        if self.stop_at_draw {
            return self.priority_child(family, visit).map(Pick::from);
        }
        self.explore.pick(&self.children(family), visit)
    }

    fn foreseeable(&self) -> bool {
        self.explore.is_greedy()
    }

    fn continues(&mut self, _: &Family<'_, G, Data<G>>, visit: Visit) -> bool {
        self.explore.continues(visit)
    }

    #[inline]
    fn closed(&self, data: Data<G>) -> bool {
        data.r && self.completion
    }

    fn principal(&self, family: &Family<'_, G, Data<G>>) -> usize {
        // A resolved state keeps the value of one resolved child; others may have caught up with it since.
        let state = family.data();
        let fits = |child: Data<G>| !state.r || child.r && child.c == state.c && child.v == state.v;
        let key = |i: usize| {
            let child = family.child(i);
            (i64::from(fits(child)), 0, self.rank(child, family.mover()), family.visits(i))
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

    fn candidate(&self, family: &Family<'_, G, Data<G>>, child: usize) -> bool {
        let rank = |i| self.rank(family.child(i), family.mover());
        (0..family.len()).all(|i| rank(i) <= rank(child))
    }

    fn shown(&self, data: Data<G>) -> EstimateOf<G> {
        let certain = data.r && self.objective == Objective::Gain && self.completion;
        EstimateOf::<G>::from_fn(|p| if certain { f32::from(data.c.get(p)) } else { data.v.of(p) / self.scale })
    }
}

impl<G: FullGame, X: Explore> Judge<G> for ManyPlayers<G, X> {
    fn decide(&self, family: &Family<'_, G, Data<G>>) -> usize {
        let (mover, generalisation) = (family.mover(), self.form.generalisation);
        if family.data().r && self.completion {
            return self.principal(family); // the move that the proved value rests on
        }
        self.decision.choose((0..family.len()).map(|i| {
            let child = family.child(i);
            let (c, v) = (child.completion_rank(mover, generalisation), in_order(child.v.of(mover)));
            (c, i64::from(child.c.get(mover)), i64::from(v), family.visits(i))
        }))
    }

    fn proved(&self, data: Data<G>) -> bool {
        data.r && self.completion
    }

    fn objective(&self) -> Objective {
        self.objective
    }

    fn notes(&self, solved: bool) -> Vec<String> {
        if !self.completion {
            return vec!["without completion nothing is ever proved, and the search can be stuck".into()];
        }
        if !solved || G::Payoff::ZERO_SUM {
            return vec![];
        }
        let mut notes = vec![one_of_several(self.objective, "the one that its tree prefers")];
        if self.form.relaxed {
            notes.push("only gains were compared: it is an equilibrium of the game without scores".into());
        }
        notes
    }
}
