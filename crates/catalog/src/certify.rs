//! From a solved search to a proof: who wrote the value down must now show it.
//!
//! A search keeps what it needs for its answer, and forgets the rest: a table overwrites, a tree drops what is settled.
//! So the proof is built from the root down. In every state it asks the search what it still knows
//! ([`Search::proved`]), and where the search has forgotten, the question is answered again, by the search's own table
//! ([`Search::exceeds`]) or by alpha-beta with a table of its own. All of this counts against a budget.
//!
//! Two players: for each of them a strategy that gets the value. Several: an equilibrium, from the values of backward
//! induction or, if the search found another one, from the set of all equilibria.
//!
//! Memory: 20 bytes a state, 4 a move, and a table from keys to states; it is never more than a part of the states that
//! the search went through. Symmetry is not used, so that a checker needs to know nothing of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use perfectplay_check::format::{Packer, written};
use perfectplay_check::write::{FINISHED, Graph};
use perfectplay_check::{Claim, Header, Part};
use perfectplay_core::{
    Budget, FullGame, Gain, Meter, Objective, Observer, Payoff, Player, Progress, Status, Stop, Verdict, ZeroSum,
};
use perfectplay_search::alpha_beta::exact_solver::Solver;
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::oracle::equilibria::Equilibria;
use perfectplay_search::support::order::ascending;
use perfectplay_search::{Refusal, Search};
use rustc_hash::FxHashMap;

use crate::{Error, length_proof};

/// A claim and the graphs that prove it.
pub(crate) struct Draft {
    pub(crate) claim: Claim,
    pub(crate) parts: Vec<(Part, Graph)>,
}

/// What a proof is made of.
pub(crate) struct Source<'a, G: FullGame> {
    pub(crate) game: &'a Arc<G>,
    pub(crate) root: &'a G::State,
    pub(crate) objective: Objective,
    pub(crate) value: G::Payoff,
    pub(crate) search: &'a mut dyn Search<G>,
    pub(crate) budget: &'a Budget,
    pub(crate) observer: &'a mut dyn Observer,
}

/// How a proof is made for games of type `G`.
pub(crate) type Prove<G> = fn(Source<'_, G>) -> Result<Draft, Error>;

/// How one side of a proof is made.
pub(crate) type ProveSide<G> = fn(Source<'_, G>, Part) -> Result<Draft, Error>;

/// Bytes of the table for what the search has forgotten, unless memory is limited.
pub(crate) const TABLE_BYTES: usize = 256 << 20;

/// States between two reports.
pub(crate) const REPORT_EVERY: usize = 1 << 12;

pub(crate) fn stopped(stop: Stop) -> Error {
    Error::Unproved(format!(
        "the position is solved, but its proof could not be written within the limits (stopped: {})",
        stop.name()
    ))
}

pub(crate) fn refuse_cycles<G: FullGame>(game: &G) -> Result<(), Error> {
    if game.facts().acyclic { Ok(()) } else { Err(Refusal::Cyclic { algorithm: "a proof".into() }.into()) }
}

// ── two players ──

/// Two strategies, or one if the other player has nothing to show.
pub(crate) fn two_players<G: FullGame<Payoff = ZeroSum>>(source: Source<'_, G>) -> Result<Draft, Error> {
    if source.objective == Objective::Length && source.value != ZeroSum(0) {
        return length_proof::proof(source);
    }
    refuse_cycles(&**source.game)?;
    let value = source.objective.value(source.value, Player::FIRST);
    let claim = Claim::Value(value);
    if let Status::Over(_) = source.game.status(source.root) {
        return Ok(Draft { claim, parts: vec![] });
    }
    let (least, greatest) = match source.objective {
        Objective::Gain | Objective::Length => (-1, 1),
        Objective::Score => source.game.facts().scores[0],
    };
    let root = source.root;
    let mut prover = StrategyBuilder::new(source);
    let mut parts = Vec::new();
    if value > least {
        parts.push((Part::AtLeast, prover.strategy(Player::FIRST, value - 1, root)?));
    }
    if value < greatest {
        parts.push((Part::AtMost, prover.strategy(Player::SECOND, value, root)?));
    }
    Ok(Draft { claim, parts })
}

/// One strategy only: the first player gets at least, or at most, the value that `source` names, whatever else is
/// known.
pub(crate) fn one_side<G: FullGame<Payoff = ZeroSum>>(source: Source<'_, G>, part: Part) -> Result<Draft, Error> {
    refuse_cycles(&**source.game)?;
    if let Status::Over(_) = source.game.status(source.root) {
        return Err(Error::Unproved("a finished game needs no strategy".into()));
    }
    let (root, value) = (source.root, source.objective.value(source.value, Player::FIRST));
    let mut prover = StrategyBuilder::new(source);
    let graph = match part {
        Part::AtMost => prover.strategy(Player::SECOND, value, root)?,
        _ => prover.strategy(Player::FIRST, value - 1, root)?,
    };
    Ok(Draft { claim: Claim::Value(value), parts: vec![(part, graph)] })
}

struct StrategyBuilder<'a, G: FullGame<Payoff = ZeroSum>> {
    game: &'a Arc<G>,
    solver: Option<Solver<G>>,
    search: &'a mut dyn Search<G>,
    table_bytes: usize,
    meter: Meter,
    observer: &'a mut dyn Observer,
    /// Whose strategy it is.
    owner: Player,
    /// The first player gets more than this, or the second player concedes no more.
    alpha: i32,
    graph: Graph,
    numbers: FxHashMap<G::Key, u32>,
    open: Vec<(u32, G::State)>,
}

impl<'a, G: FullGame<Payoff = ZeroSum>> StrategyBuilder<'a, G> {
    fn new(source: Source<'a, G>) -> Self {
        StrategyBuilder {
            game: source.game,
            solver: None,
            search: source.search,
            table_bytes: TABLE_BYTES.min(source.budget.memory.map_or(usize::MAX, |m| m / 4)),
            meter: source.budget.start(),
            observer: source.observer,
            owner: Player::FIRST,
            alpha: 0,
            graph: Graph::default(),
            numbers: FxHashMap::default(),
            open: Vec::new(),
        }
    }

    fn strategy(&mut self, owner: Player, alpha: i32, root: &G::State) -> Result<Graph, Error> {
        (self.owner, self.alpha) = (owner, alpha);
        self.graph = Graph::default();
        self.numbers = FxHashMap::default();
        self.number(root);
        let (mut moves, mut children) = (Vec::new(), Vec::new());
        while let Some((at, state)) = self.open.pop() {
            self.report()?;
            moves.clear();
            children.clear();
            let Status::Turn(mover) = self.game.expand(&state, &mut moves) else {
                unreachable!("finished states are not opened");
            };
            if mover == owner {
                let (choice, child) = self.choose(&state, &moves)?;
                self.graph.choose(at, choice, child);
            } else {
                for &mv in &moves {
                    let next = self.game.after(&state, mv);
                    let child = match self.game.status(&next) {
                        Status::Over(payoff) if self.is_good(payoff) => FINISHED,
                        Status::Over(_) => return Err(contradiction()),
                        Status::Turn(_) => self.number(&next),
                    };
                    children.push(child);
                }
                self.graph.all(at, &children);
            }
        }
        Ok(std::mem::take(&mut self.graph))
    }

    /// The state's number; it is opened if it is new.
    fn number(&mut self, state: &G::State) -> u32 {
        *self.numbers.entry(self.game.key(state)).or_insert_with(|| {
            let number = self.graph.add();
            self.open.push((number, *state));
            number
        })
    }

    fn is_good(&self, payoff: ZeroSum) -> bool {
        (payoff.score(Player::FIRST) > self.alpha) == (self.owner == Player::FIRST)
    }

    /// A move that keeps the value: one that ends the game, else one to a state that is in the proof anyway, else one
    /// that the search remembers, else whatever can be proved again.
    fn choose(&mut self, state: &G::State, moves: &[G::Move]) -> Result<(usize, u32), Error> {
        let mut candidates: Vec<(usize, G::State)> = Vec::with_capacity(moves.len());
        for (i, &mv) in moves.iter().enumerate() {
            let next = self.game.after(state, mv);
            match self.game.status(&next) {
                Status::Over(payoff) if self.is_good(payoff) => return Ok((i, FINISHED)),
                Status::Over(_) => {}
                Status::Turn(_) => candidates.push((i, next)),
            }
        }
        for (i, next) in &candidates {
            if let Some(&number) = self.numbers.get(&self.game.key(next)) {
                return Ok((*i, number));
            }
        }
        let hints: Vec<Option<bool>> = candidates.iter().map(|(_, next)| self.remembered(next)).collect();
        if let Some(at) = hints.iter().position(|&hint| hint == Some(true)) {
            let (i, next) = &candidates[at];
            return Ok((*i, self.number(next)));
        }
        let score = |(i, _): &(usize, G::State)| -i64::from(self.game.order_score(state, moves[*i]));
        let scores: Vec<i64> = candidates.iter().map(score).collect();
        for at in ascending(&scores).into_iter().filter(|&at| hints[at].is_none()) {
            let (i, next) = &candidates[at];
            if self.prove_again(next)? {
                return Ok((*i, self.number(next)));
            }
        }
        Err(contradiction())
    }

    /// Whether the owner has the value in `state`, as far as the search or a look at the state tells.
    fn remembered(&self, state: &G::State) -> Option<bool> {
        let (lower, upper) = match self.search.proved(state) {
            Verdict::Solved(ZeroSum(score)) => (score, score),
            Verdict::Bounds { lower: ZeroSum(lower), upper: ZeroSum(upper), .. } => (lower, upper),
            _ => self.game.score_bounds(state),
        };
        let exceeds = if lower > self.alpha {
            true
        } else if upper <= self.alpha {
            false
        } else {
            return None;
        };
        Some(exceeds == (self.owner == Player::FIRST))
    }

    fn prove_again(&mut self, state: &G::State) -> Result<bool, Error> {
        let exceeds = match self.search.exceeds(state, self.alpha, &mut self.meter) {
            Some(result) => result,
            None => {
                if self.solver.is_none() {
                    self.solver = Some(Solver::new(self.game.clone(), self.table_bytes)?);
                }
                let solver = self.solver.as_mut().expect("made above");
                solver.exceeds(state, self.alpha, &mut self.meter)
            }
        };
        Ok(exceeds.map_err(stopped)? == (self.owner == Player::FIRST))
    }

    fn report(&mut self) -> Result<(), Error> {
        if !self.graph.len().is_multiple_of(REPORT_EVERY) {
            return Ok(());
        }
        let entry = size_of::<(G::Key, u32)>() + 1;
        let open = self.open.capacity() * size_of::<(u32, G::State)>();
        let bytes = self.graph.bytes() + self.numbers.capacity() * 8 / 7 * entry + open + self.table_bytes;
        report(self.observer, &mut self.meter, self.graph.len(), bytes)
    }
}

pub(crate) fn report(observer: &mut dyn Observer, meter: &mut Meter, states: usize, bytes: usize) -> Result<(), Error> {
    let progress = Progress { nodes: states as u64, bytes, share: None, depth: None };
    let stop = meter.look().or((bytes > meter.memory()).then_some(Stop::Memory));
    let stop = stop.or(observer.progress(&progress).is_break().then_some(Stop::Cancelled));
    stop.map_or(Ok(()), |stop| Err(stopped(stop)))
}

pub(crate) fn contradiction() -> Error {
    Error::Unproved("no proof was found for the value that the search reports: please report this as an error".into())
}

// ── several players ──

/// An equilibrium with the value that the search found.
pub(crate) fn several_players<G: FullGame>(source: Source<'_, G>) -> Result<Draft, Error> {
    refuse_cycles(&**source.game)?;
    let (game, root, objective) = (source.game, source.root, source.objective);
    let shown =
        |payoff: G::Payoff| -> Vec<i32> { Player::all(payoff.players()).map(|p| objective.value(payoff, p)).collect() };
    let claim = |payoff| Claim::Equilibrium(written(payoff));
    if let Status::Over(payoff) = game.status(root) {
        return Ok(Draft { claim: claim(payoff), parts: vec![] });
    }
    let wanted = shown(source.value);
    let mut values = BackwardInduction::new(game.clone(), *root, objective)?;
    let stop = Search::run(&mut values, source.budget, source.observer);
    let value = values.value(root).ok_or_else(|| stopped(stop))?;
    if shown(value) == wanted {
        let worth = |state: &G::State| vec![values.value(state).expect("every state below the root has a value")];
        let graph = equilibrium(&**game, root, objective, value, worth)?;
        return Ok(Draft { claim: claim(value), parts: vec![(Part::Equilibrium, graph)] });
    }
    drop(values);
    let mut values = Equilibria::new(game.clone(), *root, objective)?;
    let stop = Search::run(&mut values, source.budget, source.observer);
    let all = values.values(root).ok_or_else(|| stopped(stop))?;
    let value = *all.iter().find(|&&v| shown(v) == wanted).ok_or_else(contradiction)?;
    let worth = |state: &G::State| values.values(state).expect("every state below the root has values").to_vec();
    let graph = equilibrium(&**game, root, objective, value, worth)?;
    Ok(Draft { claim: claim(value), parts: vec![(Part::Equilibrium, graph)] })
}

/// `worth` tells values that a state has in equilibria: one that is consistent, or all of them.
fn equilibrium<G: FullGame>(
    game: &G,
    root: &G::State,
    objective: Objective,
    value: G::Payoff,
    worth: impl Fn(&G::State) -> Vec<G::Payoff>,
) -> Result<Graph, Error> {
    let mut builder = EquilibriumBuilder {
        game,
        graph: Graph::default(),
        payoffs: FxHashMap::default(),
        numbers: FxHashMap::default(),
        open: Vec::new(),
    };
    builder.number(root, value);
    let most: Vec<i32> = game.facts().scores.iter().map(|&(_, most)| most).collect();
    let mut moves = Vec::new();
    while let Some((at, state, value)) = builder.open.pop() {
        moves.clear();
        let Status::Turn(mover) = game.expand(&state, &mut moves) else {
            unreachable!("finished states are not opened");
        };
        let states: Vec<G::State> = moves.iter().map(|&mv| game.after(&state, mv)).collect();
        let worths: Vec<Vec<G::Payoff>> = states.iter().map(&worth).collect();
        let choice = worths.iter().position(|all| all.contains(&value)).ok_or_else(contradiction)?;
        let best_score = value.score(mover) >= most[mover.index()];
        let best_gain = objective == Objective::Score || value.gain(mover) == Gain::Win;
        if best_score && best_gain {
            let child = builder.number(&states[choice], value);
            builder.graph.choose(at, choice, child);
            continue;
        }
        let compare = |a: &&G::Payoff, b: &&G::Payoff| objective.compare(mover, **a, **b);
        let children: Vec<u32> = (0..moves.len())
            .map(|i| {
                let least = worths[i].iter().min_by(compare).expect("every state is worth something");
                builder.number(&states[i], if i == choice { value } else { *least })
            })
            .collect();
        builder.graph.prefer(at, choice, &children);
    }
    Ok(builder.graph)
}

struct EquilibriumBuilder<'a, G: FullGame> {
    game: &'a G,
    graph: Graph,
    payoffs: FxHashMap<G::Payoff, u32>,
    /// A state may be in the proof with several values, each in answer to another history.
    numbers: FxHashMap<(G::Key, u32), u32>,
    open: Vec<(u32, G::State, G::Payoff)>,
}

impl<G: FullGame> EquilibriumBuilder<'_, G> {
    fn number(&mut self, state: &G::State, value: G::Payoff) -> u32 {
        if let Status::Over(_) = self.game.status(state) {
            return FINISHED;
        }
        let payoff = *self.payoffs.entry(value).or_insert_with(|| {
            self.graph.payoffs.push(written(value));
            self.graph.payoffs.len() as u32 - 1
        });
        *self.numbers.entry((self.game.key(state), payoff)).or_insert_with(|| {
            let number = self.graph.add();
            self.graph.claim(number, payoff);
            self.open.push((number, *state, value));
            number
        })
    }
}

// ── the file ──

/// A certificate that is being written: it gets its name only when it is whole.
pub struct ProofFile {
    path: PathBuf,
    file: tempfile::NamedTempFile,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ProofLine {
    /// Where.
    pub file: String,
    /// How long the file is.
    pub bytes: u64,
    /// States in all parts together.
    pub states: u64,
    /// Time to build and write it.
    pub seconds: f64,
}

impl ProofFile {
    /// Prepares to write to `path`; says at once if that cannot be.
    pub fn new(path: &Path) -> Result<Self, Error> {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let unwritable = |why: &str| Error::Unwritable(format!("cannot write {}: {why}", path.display()));
        if path.is_dir() {
            return Err(unwritable("it is a folder"));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".proof-");
        // Everybody's, as far as the user's mask lets them: temporary files are otherwise for one pair of eyes.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder);
        Ok(ProofFile { path: path.to_owned(), file: file.map_err(|e| unwritable(&e.to_string()))? })
    }

    /// Writes with `write`, which tells the length, and gives the file its name: that and the length.
    pub(crate) fn finish(
        self,
        write: impl FnOnce(&std::fs::File) -> Result<u64, perfectplay_check::Error>,
    ) -> Result<(String, u64), Error> {
        let unwritable = |e: String| Error::Unwritable(format!("cannot write {}: {e}", self.path.display()));
        let bytes = write(self.file.as_file()).map_err(|e| unwritable(e.to_string()))?;
        self.file.as_file().sync_all().map_err(|e| unwritable(e.to_string()))?;
        let file = self.path.display().to_string();
        self.file.persist(&self.path).map_err(|e| Error::Unwritable(format!("cannot write {file}: {}", e.error)))?;
        Ok((file, bytes))
    }

    pub(crate) fn write(self, header: Header, draft: Draft, started: Instant) -> Result<ProofLine, Error> {
        let states = header.parts.iter().map(|&(_, states)| states).sum();
        let (file, bytes) = self.finish(|file| {
            let mut packer = Packer::new()?;
            for (part, graph) in &draft.parts {
                match part {
                    Part::Equilibrium => graph.write_equilibrium(&mut packer)?,
                    _ => graph.write_strategy(&mut packer)?,
                }
            }
            packer.finish(&header, file)
        })?;
        Ok(ProofLine { file, bytes, states, seconds: started.elapsed().as_secs_f64() })
    }
}
