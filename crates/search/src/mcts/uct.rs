//! Monte-Carlo tree search: UCT (Kocsis and Szepesvári 2006) with maxⁿ backups for any number of players, and
//! MCTS-Solver on top of it.
//!
//! Every simulation walks down the tree by the rule UCB1 from the view of whoever moves,
//!
//! ```text
//!   mean gain of the child for the mover + c · √(ln visits of the state / visits of the child)
//! ```
//!
//! adds one state, plays random games from there, and takes the mean over all simulations at every state on the way.
//! The means are kept for all players (Sturtevant 2008), so no sign is flipped.
//!
//! **Solver** (Winands, Björnsson and Saito 2008, here for n players): a finished state is proved. A state is proved as
//! soon as one child is proved to be worth the most its mover can ever get, or all children are proved; then it is
//! worth what its mover likes best. Proved children are not visited again, so every simulation meets something new and
//! a finite game is solved in the end. Where the mover has a proved child, its worth stands in for simulations of
//! children with lower means: the mover would not go there. The value is exact once the root is proved; among three
//! players and more it is one equilibrium, as preferences may tie.
//!
//! Several threads share the tree (`side_by_side.rs`).
//!
//! A tree, not a graph: states reached by several ways are there several times. Memory: a node of 36 to 64 bytes for
//! every state visited, at most one per simulation, and 176 bytes for every state some of whose moves were tried and
//! some not; in all 50 to 120 bytes per simulation, however many moves there are (`tree.rs`).

use std::sync::{Arc, LazyLock};

use perfectplay_core::random::below;
use perfectplay_core::{
    Answer, Budget, Estimate, EstimateOf, Facts, FullGame, Game, Objective, Observer, OptionSet, Params, Payoff,
    Player, Progress, Setting, Status, Stop, options,
};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::payoffs::Payoffs;
use super::side_by_side::Tally;
use super::tree::{Node, Tree};
use crate::support::common_options::KEEP;
use crate::support::evaluations::{LONGEST_PLAYOUT, Terminal};
use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "mcts",
    summary: "Monte-Carlo tree search (UCT) with random playouts, means for all players, and proofs",
    players: "any",
    exact: true,
    threads: Threads::All,
    options: Options::docs,
};

options! {
    #[derive(Copy)]
    struct Options {
        c: f64 = Setting::fraction(
            "c",
            "how much to explore, where gains go from -1 to 1: the factor of UCB1",
            0.0..=1000.0,
            1.0,
        ),
        playouts: u32 = Setting::whole("playouts", "random games per simulation", 1..=1_000_000, 1),
        heuristic: bool = Setting::choice(
            "eval",
            "what a simulation ends with",
            &[("rollouts", "random games", false), ("heuristic", "the game's own guess instead of them", true)],
        ),
        solver: bool = Setting::switch("solver", "on: prove states (MCTS-Solver); off: plain UCT", true),
        by_mean: bool = Setting::choice(
            "decision",
            "which move to play if no win is proved",
            &[("visits", "the most visited", false), ("mean", "the best mean", true)],
        ),
        keep: bool = KEEP,
    }
}

/// For any number of players; refuses only `eval=heuristic` in games that have none.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    Ok(Box::new(Mcts::open(game, root, setup, params)?))
}

/// The search, or what one of several threads has of it.
pub(super) struct Mcts<G: FullGame> {
    pub(super) outlook: Outlook<G>,
    pub(super) root: G::State,
    facts: Facts,
    pub(super) objective: Objective,
    pub(super) seed: u64,
    pub(super) dice: Xoshiro256PlusPlus,
    pub(super) tree: Tree<G::Move, EstimateOf<G>>,
    pub(super) proved: Arc<Payoffs<G::Payoff>>,
    pub(super) simulations: u64,
    pub(super) path: Vec<u32>,
    /// Scratch space.
    moves: Vec<G::Move>,
    /// With several threads: the dice of each, whether they work in step, and how often they met.
    pub(super) others: Vec<Xoshiro256PlusPlus>,
    pub(super) reproducible: bool,
    pub(super) tally: Tally,
}

/// How a simulation ended: what it counts, and a proof if the last state of the path has one now.
struct End<P: Payoff> {
    worth: P::Estimate,
    proof: Option<P>,
}

/// Where a walk down the tree ended.
enum Leaf<G: FullGame> {
    /// At a state that was never looked at.
    New(G::State),
    /// At a state whose worth is known.
    Known(G::Payoff),
}

type NodeOf<'a, G> = Node<'a, <G as Game>::Move, EstimateOf<G>>;

/// What a state is worth at first sight. The threads have a copy each.
pub(super) struct Outlook<G: FullGame> {
    pub(super) game: Arc<G>,
    /// What a finished game counts in the means, and the factor that brings it to -1 … 1.
    pub(super) terminal: (Terminal, f32),
    options: Options,
    /// Of the first few numbers: most states are visited no more often.
    logarithms: &'static [f32],
}

static LOGARITHMS: LazyLock<[f32; 1 << 10]> = LazyLock::new(|| std::array::from_fn(|n| (n as f32).ln()));

// By hand: deriving would ask for `G: Clone`.
impl<G: FullGame> Clone for Outlook<G> {
    fn clone(&self) -> Self {
        Outlook { game: self.game.clone(), ..*self }
    }
}

/// Simulations between two reports to the observer.
pub(super) const REPORT_EVERY: u64 = 1 << 14;

impl<G: FullGame> Outlook<G> {
    fn worth(&self, payoff: G::Payoff) -> EstimateOf<G> {
        let (terminal, factor) = self.terminal;
        Estimate::from_fn(|p| terminal.value(payoff, p, 0) * factor)
    }

    /// What UCB1 divides by the visits of a child of a state that was visited so often.
    #[inline]
    fn explore(&self, visits: u32) -> f32 {
        let c = self.options.c as f32;
        c * c * self.logarithms.get(visits as usize).copied().unwrap_or_else(|| (visits as f32).ln())
    }

    /// What a state is worth at first sight. On its own, the loop of a random game has more registers.
    #[inline(never)]
    fn look(&self, state: G::State, dice: &mut Xoshiro256PlusPlus, moves: &mut Vec<G::Move>) -> End<G::Payoff> {
        if self.options.heuristic {
            return match self.game.status(&state) {
                Status::Over(payoff) => End { worth: self.worth(payoff), proof: Some(payoff) },
                Status::Turn(_) => End { worth: self.game.heuristic(&state), proof: None },
            };
        }
        let mut sum: EstimateOf<G> = Estimate::from_fn(|_| 0.0);
        for _ in 0..self.options.playouts {
            let mut below = |sides| below(dice.next_u64(), sides);
            let (payoff, plies) = self.game.playout(state, LONGEST_PLAYOUT, moves, &mut below);
            let Some(payoff) = payoff else { continue }; // too long: counts as a draw
            let worth = self.worth(payoff);
            if plies == 0 {
                return End { worth, proof: Some(payoff) };
            }
            sum = Estimate::from_fn(|p| sum.of(p) + worth.of(p));
        }
        End { worth: Estimate::from_fn(|p| sum.of(p) / self.options.playouts as f32), proof: None }
    }
}

impl<G: FullGame> Mcts<G> {
    /// Whether the move with the best mean is played, not the most visited one.
    pub(super) fn decides_by_mean(&self) -> bool {
        self.outlook.options.by_mean
    }

    pub(super) fn open(game: Arc<G>, root: G::State, setup: &Setup, params: Params) -> Result<Self, Refusal> {
        let options: Options = INFO.read(params)?;
        let facts = game.facts();
        if options.heuristic && !facts.heuristic {
            return Err(Refusal::Other("this game has no heuristic of its own: use eval=rollouts".into()));
        }
        let terminal = match setup.objective {
            Objective::Gain | Objective::Length => Terminal::Gain,
            Objective::Score => Terminal::Score,
        };
        Ok(Mcts {
            outlook: Outlook {
                game,
                terminal: (terminal, terminal.scale(&facts).recip()),
                options,
                logarithms: &*LOGARITHMS,
            },
            root,
            objective: setup.objective,
            facts,
            seed: setup.seed,
            dice: Xoshiro256PlusPlus::seed_from_u64(setup.seed),
            tree: Tree::new(),
            proved: Arc::new(Payoffs::new()),
            simulations: 0,
            path: Vec::new(),
            moves: Vec::new(),
            others: Vec::new(),
            reproducible: setup.reproducible,
            tally: Tally::default(),
        })
    }

    /// A search of its own, for a thread that is given pieces of the tree.
    pub(super) fn part(&self, dice: Xoshiro256PlusPlus) -> Self {
        Mcts {
            outlook: self.outlook.clone(),
            root: self.root,
            facts: self.facts.clone(),
            objective: self.objective,
            seed: self.seed,
            dice,
            tree: self.tree.part(),
            proved: self.proved.clone(),
            simulations: 0,
            path: Vec::new(),
            moves: Vec::new(),
            others: Vec::new(),
            reproducible: self.reproducible,
            tally: Tally::default(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.tree.bytes() + self.proved.bytes()
    }

    pub(super) fn progress(&self) -> Progress {
        let depth = Some(self.path.len() as u32);
        Progress { nodes: self.simulations, bytes: self.bytes(), share: None, depth }
    }

    pub(super) fn proof(&self, id: u32) -> Option<G::Payoff> {
        self.proved.get(self.tree.node(id).proof())
    }

    /// Whether proofs count.
    pub(super) fn has_solver(&self) -> bool {
        self.outlook.options.solver
    }

    pub(super) fn is_solved(&self) -> bool {
        self.tree.node(self.tree.root()).proof() > 0
    }

    pub(super) fn worth(&self, payoff: G::Payoff) -> EstimateOf<G> {
        self.outlook.worth(payoff)
    }

    /// One simulation, and what it counts at the root; none if there is no room to open a state that has to be opened.
    pub(super) fn simulate(&mut self, memory: usize) -> Option<EstimateOf<G>> {
        let End { worth, proof } = match self.descend(memory)? {
            Leaf::Known(payoff) => End { worth: self.worth(payoff), proof: None },
            Leaf::New(state) => self.outlook.look(state, &mut self.dice, &mut self.moves),
        };
        self.simulations += 1;
        let proof = proof.map_or(0, |payoff| self.proved.number(payoff));
        Some(self.back_up(self.path.len(), worth, proof, 1))
    }

    /// Walks down to a state that was never looked at, or whose worth is known; `path` tells which way.
    ///
    /// On the way it is enough to know the nodes: the states come in one go, where one is needed.
    fn descend(&mut self, memory: usize) -> Option<Leaf<G>> {
        let mut at = self.tree.root();
        self.path.clear();
        self.path.push(at);
        loop {
            let node = self.tree.node(at);
            if let Some(payoff) = self.proved.get(node.proof()) {
                return Some(Leaf::Known(payoff));
            }
            if node.visits() == 0 {
                return Some(Leaf::New(self.state()));
            }
            if node.moves() == 0 || node.has_untried() {
                break;
            }
            at = self.select(at, |_, _| true)?;
            self.path.push(at);
        }
        let mut state = self.state();
        let child = match self.tree.node(at).moves() {
            0 => self.expand(at, &state, memory),
            _ => self.try_next(at, &state, memory),
        }?;
        self.path.push(child);
        self.outlook.game.play(&mut state, self.tree.node(child).mv());
        Some(Leaf::New(state))
    }

    /// The state at the end of the path.
    fn state(&mut self) -> G::State {
        let mut state = self.root;
        self.moves.clear();
        self.moves.extend(self.path[1..].iter().map(|&id| self.tree.node(id).mv()));
        self.outlook.game.play_all(&mut state, &self.moves);
        state
    }

    /// Opens an unfinished state, and answers the first child.
    fn expand(&mut self, at: u32, state: &G::State, memory: usize) -> Option<u32> {
        let moves = &mut self.moves;
        moves.clear();
        let Status::Turn(mover) = self.outlook.game.expand(state, moves) else {
            unreachable!("finished states are proved when they are first seen")
        };
        let opened = self.tree.open(at, mover, moves, &mut self.dice, memory);
        opened.then(|| self.tree.add_child(at, moves[0], memory))?
    }

    /// The next child that was never visited.
    pub(super) fn try_next(&mut self, at: u32, state: &G::State, memory: usize) -> Option<u32> {
        let mv = self.tree.next_move(at, &mut self.moves, |moves| _ = self.outlook.game.expand(state, moves));
        self.tree.add_child(at, mv, memory)
    }

    /// The child that UCB1 likes best, of those that are free.
    #[inline]
    pub(super) fn select(&self, at: u32, is_free: impl Fn(u32, NodeOf<'_, G>) -> bool) -> Option<u32> {
        let node = self.tree.node(at);
        let mover = node.mover();
        let explore = self.outlook.explore(node.visits_with_pending());
        let is_open = |child: NodeOf<'_, G>| !(child.proof() > 0 && self.outlook.options.solver);
        let mut best = (f32::NEG_INFINITY, 0);
        for (id, child) in self.tree.all_children(at) {
            let bound = child.mean().of(mover) + (explore / child.visits_with_pending() as f32).sqrt();
            if bound > best.0 && is_open(child) && is_free(id, child) {
                best = (bound, id);
            }
        }
        // Without visits and without exploration a bound is no number.
        let any = || self.tree.all_children(at).find(|&(id, child)| is_open(child) && is_free(id, child));
        if best.1 > 0 { Some(best.1) } else { any().map(|(id, _)| id) }
    }

    /// Whether a child is proved to be a loss for who moved there.
    pub(super) fn is_lost(&self, id: u32, mover: Player) -> bool {
        self.proof(id)
            .is_some_and(|payoff| self.outlook.terminal.0.value(payoff, mover, 0) * self.outlook.terminal.1 <= -1.0)
    }

    /// Takes the end of `count` simulations, which are worth so much on average, into account at the first `plies`
    /// states of the path; `proof` is that of the last of these. Tells what they are worth at the first.
    pub(super) fn back_up(&self, plies: usize, mut worth: EstimateOf<G>, mut proof: u32, count: u32) -> EstimateOf<G> {
        for i in (0..plies).rev() {
            let node = self.tree.node(self.path[i]);
            if node.proof() > 0 {
                proof = node.proof(); // by another thread, meanwhile; it stays as it is
            }
            if let Some(payoff) = self.proved.get(proof) {
                node.set_proof(proof);
                worth = self.worth(payoff);
            } else if let Some(&child) = self.path.get(i + 1)
                && let Some(fallback) = self.proved.get(node.fallback())
            {
                worth = self.or_fallback(worth, self.worth(fallback), node.mover(), child);
            }
            let visits = node.visits().saturating_add(count);
            node.set_visits(visits);
            let share = if proof > 0 { 1.0 } else { count as f32 / visits as f32 };
            let mean = node.mean();
            node.set_mean(Estimate::from_fn(|p| mean.of(p) + (worth.of(p) - mean.of(p)) * share));
            proof = if proof > 0 && i > 0 { self.prove(self.path[i - 1]) } else { 0 };
        }
        worth
    }

    /// What a simulation through `child` counts at a state with a proved child: the mover prefers the proved one if the
    /// other's mean is lower.
    fn or_fallback(&self, worth: EstimateOf<G>, fallback: EstimateOf<G>, mover: Player, child: u32) -> EstimateOf<G> {
        if fallback.of(mover) > self.tree.node(child).mean().of(mover) { fallback } else { worth }
    }

    /// The number of what a state is proved to be worth by its children; 0 if that is open, and the best proved child
    /// is kept in mind.
    pub(super) fn prove(&self, id: u32) -> u32 {
        if !self.has_solver() {
            return 0;
        }
        let node = self.tree.node(id);
        let mover = node.mover();
        let (mut all, mut best) = (!node.has_untried(), 0);
        for child in self.tree.children(id) {
            let proof = self.tree.node(child).proof();
            let Some(payoff) = self.proved.get(proof) else {
                all = false;
                continue;
            };
            if self.is_unbeatable(payoff, mover) {
                return proof;
            }
            if self.proved.get(best).is_none_or(|best| self.objective.compare(mover, payoff, best).is_gt()) {
                best = proof;
            }
        }
        node.set_fallback(best);
        if all { best } else { 0 }
    }

    /// Whether nothing can be better for `mover`.
    pub(super) fn is_unbeatable(&self, payoff: G::Payoff, mover: Player) -> bool {
        let most = payoff.score(mover) >= self.facts.scores[mover.index()].1;
        match self.objective {
            Objective::Gain | Objective::Length => payoff.gain(mover).value() == 1 && (G::Payoff::ZERO_SUM || most),
            Objective::Score => most,
        }
    }

    pub(super) fn child_after(&self, mv: G::Move) -> Option<u32> {
        self.tree.children(0).find(|&id| self.tree.node(id).mv() == mv)
    }
}

impl<G: FullGame> Search<G> for Mcts<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let mut meter = budget.start();
        if budget.threads > 1 {
            return self.side_by_side(budget.threads, meter, observer);
        }
        while !self.is_solved() {
            if self.simulate(meter.memory()).is_none() {
                return Stop::Memory;
            }
            if let Some(stop) = meter.spend(1, self.bytes()) {
                return stop;
            }
            if self.simulations.is_multiple_of(REPORT_EVERY) && observer.progress(&self.progress()).is_break() {
                return Stop::Cancelled;
            }
        }
        Stop::Done
    }

    fn answer(&self) -> Answer<G> {
        self.report()
    }

    fn advance(&mut self, mv: G::Move) -> bool {
        let child = self.child_after(mv);
        self.outlook.game.play(&mut self.root, mv);
        match child.filter(|_| self.outlook.options.keep).and_then(|id| self.tree.below(id)) {
            Some(tree) => self.tree = tree,
            None => (self.tree, self.proved) = (Tree::new(), Arc::new(Payoffs::new())),
        }
        true
    }
}
