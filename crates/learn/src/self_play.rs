//! One game of self-play, and the examples it gives.
//!
//! The way of Cohen-Solal (2020): every move is chosen after a search; if the state is resolved the best is played,
//! otherwise mostly a good one. The tree is kept for the whole game, and at its end every state that was opened, and
//! every finished one, is an example with its value in the tree. The other ways differ in what is searched and which
//! states are learned.

use std::sync::Arc;

use perfectplay_core::{
    Estimate, EstimateOf, Evaluation, Evaluator, Facts, FeatureBatch, FullGame, Game, Layout, Model, Objective, Payoff,
    Player, Spec, Status, TextError, ZeroSum,
};
use perfectplay_games::seam::{self, Packed, SeamVisitor};
use perfectplay_model::Shape;
use perfectplay_search::best_first::completion::TwoPlayers;
use perfectplay_search::best_first::exploration::Instance;
use perfectplay_search::best_first::main_loop::{BestFirst, LoopOptions, Policy};
use perfectplay_search::best_first::n_player::{ForMany, ManyPlayers};
use perfectplay_search::support::evaluations::{Finish, Heuristic, Terminal};
use rand_core::SeedableRng;

use crate::choose::{Chance, Dice, draw};
use crate::examples::Examples;
use crate::options::{Learn, Method, Target, Way};
use crate::resolved::{self, Remembering, Resolved, Shared, locked};
use crate::structure;

/// How a game begins.
#[derive(Clone, Debug)]
pub(crate) enum Begin {
    /// After so many random plies.
    Random(usize),
    /// After these moves, by their numbers among the legal ones.
    After(Vec<u16>),
}

/// A game that was played.
#[derive(Clone, Debug, Default)]
pub(crate) struct Played {
    /// The moves by their numbers among the legal ones.
    pub(crate) moves: Vec<u16>,
    /// How many of them were played before the learner took over.
    pub(crate) opening: usize,
    /// What each player gained.
    pub(crate) gains: Vec<i32>,
    /// States evaluated.
    pub(crate) evaluations: u64,
    /// States in the tree, and how many of them are resolved.
    pub(crate) states: u64,
    pub(crate) resolved: u64,
}

/// What a game of self-play depends on.
#[derive(Clone)]
pub(crate) struct Table<'a> {
    pub(crate) method: &'a Method,
    /// What plays.
    pub(crate) model: Arc<dyn Model>,
    /// An earlier self, and the seat it takes.
    pub(crate) past: Option<(Arc<dyn Model>, usize)>,
    /// P of the targets that count plies, and the most moves that are counted.
    pub(crate) length: u32,
    pub(crate) width: u32,
    /// Whether the hand-written evaluation plays, and every state learns the outcome.
    pub(crate) taught: bool,
    /// Whether what is resolved is kept.
    pub(crate) keeps: bool,
}

/// How random games went, a few of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomGames {
    /// Plies.
    pub(crate) mean: f64,
    /// Plies of the longest.
    pub(crate) longest: u32,
    /// Whether anybody won any of them.
    pub(crate) decided: bool,
}

/// A game that can be learned, whatever its type.
pub(crate) trait SelfPlay: Send + Sync {
    /// What a model is asked about.
    fn shape(&self) -> &Shape;
    /// The board.
    fn layout(&self) -> &Layout;
    /// What symmetries do to the board.
    fn images(&self, dice: &mut Dice) -> Vec<Vec<u16>>;
    /// Whether Descent applies: no position repeats.
    fn acyclic(&self) -> bool;
    /// Whether somebody wrote an evaluation by hand.
    fn has_heuristic(&self) -> bool;
    /// Whether states can be known again by another run.
    fn stable_keys(&self) -> bool;
    /// How random games go.
    fn random_games(&self, dice: &mut Dice) -> RandomGames;
    /// The most moves that somebody could choose from in a few random games.
    fn most_moves(&self) -> u32;
    /// The resolved states that are kept, and what was written of them.
    fn save_resolved(&self) -> Vec<u8>;
    /// `false` if these bytes were not written here.
    fn restore_resolved(&self, bytes: &[u8]) -> bool;
    /// Plays a game and appends examples.
    fn play(&self, table: &Table<'_>, begin: &Begin, dice: &mut Dice, out: &mut Examples) -> Played;
    /// Appends the last state of a random game.
    fn random_end(&self, table: &Table<'_>, dice: &mut Dice, out: &mut Examples);
    /// Moves as players write them.
    fn texts(&self, moves: &[u16]) -> Vec<String>;
    /// Appends the states of a random game.
    fn sample(&self, dice: &mut Dice, out: &mut FeatureBatch);
    /// What a model says about a position to each player; `None` if the game is over there.
    fn evaluate(&self, model: &Arc<dyn Model>, position: &str) -> Result<Option<Vec<f32>>, TextError>;
}

/// The game of this name, to be learned.
pub(crate) fn open(game: &str) -> Result<Box<dyn SelfPlay>, TextError> {
    let spec = Spec::parse(game)?;
    seam::open(spec, Open)
        .ok_or_else(|| TextError::new(format!("there is no game \"{game}\"")))??
        .ok_or_else(|| TextError::new(format!("{game} has no board that a learner could look at")))
}

struct Open;

impl SeamVisitor for Open {
    type Output = Option<Box<dyn SelfPlay>>;

    fn zero_sum<const S: usize, const K: usize, const M: usize>(self, game: Packed<ZeroSum, S, K, M>) -> Self::Output {
        Some(Box::new(Learned::new(game, two_players)?))
    }

    fn several<P: Payoff, const S: usize, const K: usize, const M: usize>(
        self,
        game: Packed<P, S, K, M>,
    ) -> Self::Output {
        Some(Box::new(Learned::new(game, many_players)?))
    }
}

struct Learned<G: FullGame, P: Policy<G>> {
    game: Arc<G>,
    facts: Facts,
    layout: Layout,
    shape: Shape,
    policy: fn(&Facts, &Method, Terminal, Box<dyn Evaluator<G>>) -> P,
    resolved: Shared<G, P>,
}

/// A search of self-play.
type Searching<G, P> = BestFirst<G, Remembering<G, P>>;

fn two_players<G: FullGame>(
    facts: &Facts,
    method: &Method,
    terminal: Terminal,
    evaluator: Box<dyn Evaluator<G>>,
) -> TwoPlayers<G, Instance> {
    let mut policy = TwoPlayers::new(instance(method.way));
    (policy.terminal, policy.scale, policy.evaluator) = (terminal, terminal.scale(facts), Some(evaluator));
    policy
}

fn many_players<G: FullGame>(
    facts: &Facts,
    method: &Method,
    terminal: Terminal,
    evaluator: Box<dyn Evaluator<G>>,
) -> ManyPlayers<G, Instance> {
    let form = ForMany { generalisation: method.options.generalisation.value, ..ForMany::default() };
    let mut policy = ManyPlayers::new(instance(method.way), form, facts, terminal, Objective::Gain);
    (policy.scale, policy.evaluator) = (terminal.scale(facts), Some(evaluator));
    policy
}

fn instance(way: Way) -> Instance {
    if way == Way::Ubfm { Instance::Ubfm } else { Instance::Descent }
}

/// What self-play reads of a best-first search.
trait Read<G: FullGame>: Policy<G> {
    /// v, to each player.
    fn value(&self, data: Self::Data) -> EstimateOf<G>;
    /// What grows with what `mover` prefers.
    fn rank(&self, data: Self::Data, mover: Player) -> i64;
    /// c of a resolved state, to each player.
    fn gains(&self, data: Self::Data) -> Vec<i32>;
}

impl<G: FullGame> Read<G> for TwoPlayers<G, Instance> {
    fn value(&self, data: Self::Data) -> EstimateOf<G> {
        EstimateOf::<G>::from_fn(|p| if p == Player::FIRST { data.v() } else { -data.v() })
    }

    fn rank(&self, data: Self::Data, mover: Player) -> i64 {
        data.rank(mover)
    }

    fn gains(&self, data: Self::Data) -> Vec<i32> {
        vec![data.c().into(), (-data.c()).into()]
    }
}

impl<G: FullGame> Read<G> for ManyPlayers<G, Instance> {
    fn value(&self, data: Self::Data) -> EstimateOf<G> {
        data.v
    }

    fn rank(&self, data: Self::Data, mover: Player) -> i64 {
        data.rank(mover, self.form.generalisation)
    }

    fn gains(&self, data: Self::Data) -> Vec<i32> {
        Player::all(G::Payoff::PLAYERS).map(|p| data.c.get(p).into()).collect()
    }
}

/// Asks a model, on the scale of f_t.
struct Asking {
    model: Arc<dyn Model>,
    evaluation: Evaluation,
    scale: f32,
}

impl<G: FullGame> Evaluator<G> for Asking {
    fn evaluate(&mut self, game: &G, states: &[G::State], out: &mut Vec<EstimateOf<G>>) {
        let first = out.len();
        self.evaluation.evaluate::<G::Payoff>(&*self.model, |batch| game.features(states, batch), out);
        if self.scale != 1.0 {
            for guess in &mut out[first..] {
                *guess = EstimateOf::<G>::from_fn(|p| guess.of(p) * self.scale);
            }
        }
    }
}

/// What the outputs for a state seen by `viewer` should be.
fn push_targets<P: Payoff>(shape: &Shape, viewer: u8, value: P::Estimate, scale: f32, out: &mut Vec<f32>) {
    let players = shape.outputs.max(2); // one output is for two opposed players
    let part = |k: usize| value.of(Player::new((usize::from(viewer) + k) % players)) / scale;
    out.extend((0..shape.outputs).map(part));
}

/// A line of play that knows its moves by number.
struct Line<G: Game> {
    state: G::State,
    moves: Vec<G::Move>,
    played: Vec<u16>,
    /// Moves from which the last one was chosen.
    choices: u32,
}

impl<G: FullGame> Line<G> {
    fn new(game: &G) -> Self {
        Line { state: game.start(), moves: Vec::new(), played: Vec::new(), choices: 0 }
    }

    /// Lists the moves.
    fn look(&mut self, game: &G) -> Status<G::Payoff> {
        self.moves.clear();
        game.expand(&self.state, &mut self.moves)
    }

    fn play(&mut self, game: &G, number: usize) {
        game.play(&mut self.state, self.moves[number]);
        self.played.push(number as u16);
        self.choices = self.moves.len() as u32;
    }

    /// What the finished game is worth, if it began after `opening` plies.
    fn outcome(&self, game: &G, terminal: Terminal, payoff: G::Payoff, opening: usize) -> EstimateOf<G> {
        let (depth, choices) = ((self.played.len() - opening) as u32, self.choices);
        terminal.values(game, &Finish { state: &self.state, payoff, depth, choices })
    }

    /// Plays what a game begins with, so that it is not over.
    fn begin(&mut self, game: &G, begin: &Begin, dice: &mut Dice) {
        let mut plies = match begin {
            Begin::Random(plies) => *plies,
            Begin::After(moves) => moves.len(),
        };
        loop {
            (self.state, self.played) = (game.start(), Vec::new());
            let mut over = matches!(self.look(game), Status::Over(_));
            for ply in 0..plies {
                if over {
                    break;
                }
                let number = match begin {
                    Begin::Random(_) => draw(dice, self.moves.len()),
                    Begin::After(moves) => usize::from(moves[ply]).min(self.moves.len() - 1),
                };
                self.play(game, number);
                over = matches!(self.look(game), Status::Over(_));
            }
            if !over || plies == 0 {
                return;
            }
            plies /= 2;
        }
    }
}

impl<G: FullGame, P: Read<G> + 'static> Learned<G, P> {
    fn new(game: G, policy: fn(&Facts, &Method, Terminal, Box<dyn Evaluator<G>>) -> P) -> Option<Self> {
        let (layout, facts) = (game.layout()?, game.facts());
        let shape = Shape::new(&layout, &facts, G::Payoff::ZERO_SUM);
        Some(Learned { game: Arc::new(game), facts, layout, shape, policy, resolved: Shared::<G, P>::default() })
    }

    fn terminal(&self, table: &Table<'_>) -> Terminal {
        let length = table.length;
        match table.method.options.f {
            Target::Gain => Terminal::Gain,
            Target::Score => Terminal::Score,
            Target::Depth => Terminal::Depth { length },
            Target::Ratio => Terminal::Ratio { length },
            Target::Presence => Terminal::Presence { most: self.layout.cells.len() as u32 },
            Target::Mobility => Terminal::Mobility { most: table.width },
        }
    }

    fn example(&self, state: &G::State, value: EstimateOf<G>, scale: f32, out: &mut Examples) {
        self.game.features(std::slice::from_ref(state), &mut out.batch);
        let viewer = *out.batch.viewers.last().expect("one was pushed");
        push_targets::<G::Payoff>(&self.shape, viewer, value, scale, &mut out.targets);
    }

    fn asking(&self, model: Arc<dyn Model>, terminal: Terminal) -> Box<dyn Evaluator<G>> {
        Box::new(Asking { model, evaluation: Evaluation::default(), scale: terminal.scale(&self.facts) })
    }

    /// The evaluation that plays: the learner's own, or the hand-written one.
    fn evaluator(&self, table: &Table<'_>, terminal: Terminal) -> Box<dyn Evaluator<G>> {
        if table.taught {
            return Box::new(Heuristic { scale: terminal.scale(&self.facts) });
        }
        self.asking(table.model.clone(), terminal)
    }

    /// A game in which every move is chosen after a best-first search.
    fn best_first(&self, table: &Table<'_>, mut line: Line<G>, dice: &mut Dice, out: &mut Examples) -> Played {
        let (game, method) = (&*self.game, table.method);
        let (terminal, opening, begun) = (self.terminal(table), line.played.len(), line.state);
        let chance = Chance::new(method.options.choose, method.options.epsilon, dice);
        let search = |evaluator| {
            let policy = (self.policy)(&self.facts, method, terminal, evaluator);
            let resolved = (method.options.resolved && !table.taught).then(|| self.resolved.clone());
            let policy = Remembering { policy, resolved };
            BestFirst::new("learning", self.game.clone(), begun, policy, LoopOptions::default())
                .expect("the game has no cycles: it was asked")
        };
        let mut own = search(self.evaluator(table, terminal));
        let mut past = table.past.as_ref().map(|(model, seat)| (search(self.asking(model.clone(), terminal)), *seat));
        let (outcome, gains) = loop {
            let mover = match line.look(game) {
                Status::Over(payoff) => break (line.outcome(game, terminal, payoff, opening), gains(payoff)),
                Status::Turn(mover) => mover,
            };
            // What an earlier game has resolved needs no more moves.
            if let Some(known) = known_root(&own).or_else(|| past.as_ref().and_then(|(past, _)| known_root(past))) {
                let policy = &own.policy().policy;
                break (policy.value(known), policy.gains(known));
            }
            let asked = match &mut past {
                Some((past, seat)) if *seat == mover.index() => past,
                _ => &mut own,
            };
            let until = asked.effort().nodes + method.options.evaluations.value;
            while asked.effort().nodes < until && !asked.is_closed(asked.root()) {
                asked.iterate();
            }
            let mv = self.choose(asked, mover, chance, dice);
            let number = line.moves.iter().position(|&m| m == mv).expect("a legal move");
            for search in std::iter::once(&mut own).chain(past.as_mut().map(|(past, _)| past)) {
                if search.tree().family(search.root()).is_none() {
                    search.iterate();
                }
                search.follow(mv);
            }
            line.play(game, number);
        };
        if method.options.resolved && table.keeps && !table.taught {
            resolved::keep(&self.resolved, &own);
        }
        match if table.taught { Learn::Terminal } else { method.options.learn.value } {
            Learn::Tree => self.tree_examples(&own, begun, terminal, out),
            Learn::Root => self.line_examples(begun, &line.played[opening..], out, |state, out| {
                let found = own.tree().find(game.key(state)).map(|id| own.tree().node(id).data());
                let found = found.map(|data| own.policy().policy.value(data));
                self.example(state, found.unwrap_or(outcome), terminal.scale(&self.facts), out);
            }),
            Learn::Terminal => self.line_examples(begun, &line.played[opening..], out, |state, out| {
                self.example(state, outcome, terminal.scale(&self.facts), out);
            }),
        }
        Played {
            opening,
            moves: line.played,
            gains,
            evaluations: own.effort().nodes,
            states: own.tree().len() as u64,
            resolved: own.resolved(),
        }
    }

    /// The best move of a resolved state, otherwise one that chance gives.
    fn choose(&self, search: &Searching<G, P>, mover: Player, chance: Chance, dice: &mut Dice) -> G::Move {
        let family = search.tree().family(search.root()).expect("a searched state is open");
        if search.is_closed(search.root()) {
            return family.mv(search.policy().principal(&family));
        }
        let moves: Vec<(i64, f32)> = (0..family.len())
            .map(|i| {
                (search.policy().policy.rank(family.child(i), mover), search.policy().shown(family.child(i)).of(mover))
            })
            .collect();
        family.mv(chance.pick(&moves, dice).0)
    }

    /// All states that were opened, and all finished ones, with their values in the tree.
    fn tree_examples(&self, search: &Searching<G, P>, begun: G::State, terminal: Terminal, out: &mut Examples) {
        let (tree, scale) = (search.tree(), terminal.scale(&self.facts));
        let mut seen = vec![false; tree.nodes().map(|(id, _)| id).max().map_or(0, |most| most as usize + 1)];
        let mut todo = vec![(0u32, begun)];
        while let Some((id, state)) = todo.pop() {
            if std::mem::replace(&mut seen[id as usize], true) {
                continue;
            }
            let node = tree.node(id);
            let family = tree.family(id);
            if family.is_some() || node.mover().is_none() {
                self.example(&state, search.policy().policy.value(node.data()), scale, out);
            }
            let Some(family) = family else { continue };
            for i in 0..family.len() {
                let child = family.id(i);
                let leaf = tree.family(child).is_none() && tree.node(child).mover().is_some();
                if !leaf && !seen[child as usize] {
                    todo.push((child, self.game.after(&state, family.mv(i))));
                }
            }
        }
    }

    /// TD(λ), seen forwards (Sutton 1988): a state is worth a mixture of what the next state is worth and of what the
    /// rest of the game shows; nothing is handed back past a move that was not the best.
    fn trace_examples(
        &self,
        trace: &[(G::State, EstimateOf<G>, bool)],
        outcome: EstimateOf<G>,
        lambda: f32,
        scale: f32,
        out: &mut Examples,
    ) {
        let mut later = outcome;
        for &(ref state, value, learned) in trace.iter().rev() {
            let rest = if learned { later } else { value };
            later = EstimateOf::<G>::from_fn(|p| value.of(p) + lambda * (rest.of(p) - value.of(p)));
            if learned {
                self.example(state, later, scale, out);
            }
        }
    }

    /// Calls `each` with every state of a line, the last one included.
    fn line_examples(
        &self,
        mut state: G::State,
        moves: &[u16],
        out: &mut Examples,
        mut each: impl FnMut(&G::State, &mut Examples),
    ) {
        let mut legal = Vec::new();
        for &number in moves {
            each(&state, out);
            legal.clear();
            self.game.expand(&state, &mut legal);
            self.game.play(&mut state, legal[usize::from(number)]);
        }
        each(&state, out);
    }

    /// A game in which every move is chosen by looking a fixed number of plies ahead.
    fn fixed_depth(&self, table: &Table<'_>, mut line: Line<G>, dice: &mut Dice, out: &mut Examples) -> Played {
        let (game, method) = (&*self.game, table.method);
        let (terminal, opening, begun) = (self.terminal(table), line.played.len(), line.state);
        let scale = terminal.scale(&self.facts);
        let chance = Chance::new(method.options.choose, method.options.epsilon, dice);
        let depth = if method.way == Way::Td { 1 } else { method.options.depth.value };
        let learn = if table.taught { Learn::Terminal } else { method.options.learn.value };
        let mut own = Minimax::new(self, self.evaluator(table, terminal), terminal, opening);
        let mut past = table
            .past
            .as_ref()
            .map(|(model, seat)| (Minimax::new(self, self.asking(model.clone(), terminal), terminal, opening), *seat));
        let lambda = method.options.lambda.value as f32;
        // For td: the states of the game, what each was worth, and whether it is learned.
        let mut trace: Vec<(G::State, EstimateOf<G>, bool)> = Vec::new();
        // The last state of every player, with its number.
        let mut last: Vec<Option<G::State>> = vec![None; self.facts.players];
        let payoff = loop {
            let mover = match line.look(game) {
                Status::Over(payoff) => break payoff,
                Status::Turn(mover) => mover,
            };
            let (asked, is_own) = match &mut past {
                Some((past, seat)) if *seat == mover.index() => (past, false),
                _ => (&mut own, true),
            };
            asked.examples =
                (is_own && method.way == Way::Minimax && learn == Learn::Tree).then(|| std::mem::take(out));
            asked.children.clear();
            let value = asked.value(&line.state, mover, depth, line.played.len() as u32, true);
            if let Some(examples) = asked.examples.take() {
                *out = examples;
            }
            let ranked: Vec<(i64, f32)> = asked.children.iter().map(|v| (in_order(v.of(mover)), v.of(mover))).collect();
            let (number, best) = chance.pick(&ranked, dice);
            match (method.way, learn) {
                (Way::Td, _) => trace.push((line.state, value, best && is_own)),
                (Way::Minimax, Learn::Root) if is_own => self.example(&line.state, value, scale, out),
                _ => {}
            }
            last[mover.index()] = Some(line.state);
            line.play(game, number);
        };
        let outcome = line.outcome(game, terminal, payoff, opening);
        match (method.way, learn) {
            (Way::Td, _) if !table.taught => {
                self.example(&line.state, outcome, scale, out);
                self.trace_examples(&trace, outcome, lambda, scale, out);
                if method.options.last_states {
                    last.iter().flatten().for_each(|state| self.example(state, outcome, scale, out));
                }
            }
            (_, Learn::Terminal) => self.line_examples(begun, &line.played[opening..], out, |state, out| {
                self.example(state, outcome, scale, out);
            }),
            _ => self.example(&line.state, outcome, scale, out),
        }
        let states = line.played.len() as u64;
        Played { opening, moves: line.played, gains: gains(payoff), evaluations: own.evaluations, states, resolved: 0 }
    }
}

/// What is known of the state searched, if nothing was searched for it.
fn known_root<G: FullGame, P: Policy<G>>(search: &BestFirst<G, P>) -> Option<P::Data> {
    let known = search.is_closed(search.root()) && search.tree().family(search.root()).is_none();
    known.then(|| search.tree().node(search.root()).data())
}

/// A whole number that is greater for a greater float.
fn in_order(value: f32) -> i64 {
    let bits = (value + 0.0).to_bits() as i32;
    i64::from(bits ^ ((bits >> 31) as u32 >> 1) as i32)
}

fn gains<P: Payoff>(payoff: P) -> Vec<i32> {
    Player::all(payoff.players()).map(|p| payoff.gain(p).value()).collect()
}

/// Minimax of a fixed depth, or maxⁿ: the mover takes what is best for it. Leaves of one state are evaluated in one
/// call.
struct Minimax<'a, G: FullGame, P: Policy<G>> {
    of: &'a Learned<G, P>,
    evaluator: Box<dyn Evaluator<G>>,
    terminal: Terminal,
    scale: f32,
    /// Plies before the learner took over.
    opening: usize,
    /// The values of the moves at the root.
    children: Vec<EstimateOf<G>>,
    /// Where states that were opened or are finished go.
    examples: Option<Examples>,
    evaluations: u64,
}

impl<'a, G: FullGame, P: Read<G> + 'static> Minimax<'a, G, P> {
    fn new(of: &'a Learned<G, P>, evaluator: Box<dyn Evaluator<G>>, terminal: Terminal, opening: usize) -> Self {
        let scale = terminal.scale(&of.facts);
        Minimax { of, evaluator, terminal, scale, opening, children: Vec::new(), examples: None, evaluations: 0 }
    }

    /// The value of an unfinished state.
    fn value(&mut self, state: &G::State, mover: Player, depth: u32, ply: u32, root: bool) -> EstimateOf<G> {
        let game = &*self.of.game;
        let (mut moves, mut children) = (Vec::new(), Vec::new());
        game.children(state, &mut moves, &mut children);
        let mut values: Vec<Option<EstimateOf<G>>> = Vec::with_capacity(children.len());
        let mut open: Vec<G::State> = Vec::new();
        for (child, _) in &children {
            values.push(match game.status(child) {
                Status::Over(payoff) => {
                    let (depth, choices) = (ply + 1 - self.opening as u32, children.len() as u32);
                    let value = self.terminal.values(game, &Finish { state: child, payoff, depth, choices });
                    if let Some(examples) = &mut self.examples {
                        self.of.example(child, value, self.scale, examples);
                    }
                    Some(value)
                }
                Status::Turn(next) if depth > 1 => Some(self.value(child, next, depth - 1, ply + 1, false)),
                Status::Turn(_) => {
                    open.push(*child);
                    None
                }
            });
        }
        let mut guesses = Vec::new();
        self.evaluations += open.len() as u64;
        if !open.is_empty() {
            self.evaluator.evaluate(game, &open, &mut guesses);
        }
        let mut guesses = guesses.into_iter();
        let values: Vec<EstimateOf<G>> = values
            .into_iter()
            .map(|value| value.unwrap_or_else(|| guesses.next().expect("one per open state")))
            .collect();
        let best = values.iter().copied().reduce(|a, b| if b.of(mover) > a.of(mover) { b } else { a });
        let best = best.expect("an unfinished state has moves");
        if let Some(examples) = &mut self.examples {
            self.of.example(state, best, self.scale, examples);
        }
        if root {
            self.children = values;
        }
        best
    }
}

impl<G: FullGame, P: Read<G> + 'static> SelfPlay for Learned<G, P> {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn images(&self, dice: &mut Dice) -> Vec<Vec<u16>> {
        structure::images(&*self.game, dice)
    }

    fn acyclic(&self) -> bool {
        self.facts.acyclic
    }

    fn has_heuristic(&self) -> bool {
        self.facts.heuristic
    }

    fn stable_keys(&self) -> bool {
        self.game.stable_keys()
    }

    fn random_games(&self, dice: &mut Dice) -> RandomGames {
        const GAMES: u32 = 50;
        let mut below = |sides| draw(dice, sides);
        let mut moves = Vec::new();
        let games: Vec<(Option<G::Payoff>, u32)> =
            (0..GAMES).map(|_| self.game.playout(self.game.start(), 2000, &mut moves, &mut below)).collect();
        RandomGames {
            mean: games.iter().map(|game| f64::from(game.1)).sum::<f64>() / f64::from(GAMES),
            longest: games.iter().map(|game| game.1).max().unwrap_or(1),
            decided: games.iter().filter_map(|game| game.0).any(|payoff| gains(payoff).contains(&1)),
        }
    }

    fn most_moves(&self) -> u32 {
        const GAMES: u64 = 10;
        let mut most = 1;
        for seed in 0..GAMES {
            let (mut line, mut dice) = (Line::new(&*self.game), Dice::seed_from_u64(seed));
            while line.played.len() < 2000 && matches!(line.look(&self.game), Status::Turn(_)) {
                let number = draw(&mut dice, line.moves.len());
                line.play(&self.game, number);
                most = most.max(line.choices);
            }
        }
        most
    }

    fn save_resolved(&self) -> Vec<u8> {
        locked(&self.resolved).save()
    }

    fn restore_resolved(&self, bytes: &[u8]) -> bool {
        let read = Resolved::restore(bytes);
        read.map(|read| *locked(&self.resolved) = read).is_some()
    }

    fn play(&self, table: &Table<'_>, begin: &Begin, dice: &mut Dice, out: &mut Examples) -> Played {
        let mut line = Line::new(&*self.game);
        line.begin(&self.game, begin, dice);
        match table.method.way {
            Way::Descent | Way::Ubfm => self.best_first(table, line, dice, out),
            Way::Minimax | Way::Td => self.fixed_depth(table, line, dice, out),
        }
    }

    fn random_end(&self, table: &Table<'_>, dice: &mut Dice, out: &mut Examples) {
        let terminal = self.terminal(table);
        let mut line: Line<G> = Line::new(&*self.game);
        for _ in 0..2000 {
            match line.look(&self.game) {
                Status::Over(payoff) => {
                    let outcome = line.outcome(&*self.game, terminal, payoff, 0);
                    self.example(&line.state, outcome, terminal.scale(&self.facts), out);
                    return;
                }
                Status::Turn(_) => {
                    let number = draw(dice, line.moves.len());
                    line.play(&self.game, number);
                }
            }
        }
    }

    fn texts(&self, moves: &[u16]) -> Vec<String> {
        let mut line = Line::new(&*self.game);
        let mut texts = Vec::new();
        for &number in moves {
            line.look(&self.game);
            let Some(&mv) = line.moves.get(usize::from(number)) else { break };
            texts.push(self.game.move_text(&line.state, mv));
            line.play(&self.game, number.into());
        }
        texts
    }

    fn sample(&self, dice: &mut Dice, out: &mut FeatureBatch) {
        let mut line = Line::new(&*self.game);
        while let Status::Turn(_) = line.look(&self.game) {
            self.game.features(std::slice::from_ref(&line.state), out);
            let number = draw(dice, line.moves.len());
            line.play(&self.game, number);
        }
    }

    fn evaluate(&self, model: &Arc<dyn Model>, position: &str) -> Result<Option<Vec<f32>>, TextError> {
        let state = self.game.parse_position(position)?;
        if matches!(self.game.status(&state), Status::Over(_)) {
            return Ok(None);
        }
        let mut guess = Vec::new();
        let mut asking = Asking { model: model.clone(), evaluation: Evaluation::default(), scale: 1.0 };
        Evaluator::<G>::evaluate(&mut asking, &*self.game, &[state], &mut guess);
        Ok(Some(Player::all(self.facts.players).map(|p| guess[0].of(p)).collect()))
    }
}
