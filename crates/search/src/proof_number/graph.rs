//! Best-first proof-number search on a directed acyclic graph: equal positions are one node.
//!
//! A node may have several parents, and only those on the current path hear of its new numbers. The others find out
//! when the search comes to them: every node is recomputed before the search goes below it, and if that changes its
//! numbers the search first goes back up. So each step either corrects a number or expands a leaf, and all numbers on
//! the path of an expansion are right.
//!
//! A sum over successors counts a shared leaf once per way to it (the *double count*), so effort can look far greater
//! than it is. `sum=weak` replaces the sum by the greatest summand and one for each other open successor: never too
//! large. Irrelevant nodes are not freed here: another parent may need them. Keys are exact.

use std::sync::Arc;

use perfectplay_core::{FullGame, Meter, Observer, Plain, Player, Progress, Status, Stop, ZeroSum};
use rustc_hash::FxHashMap;

use crate::proof_number::best_first::{Leaves, Options, Prover};
use crate::proof_number::effort_numbers::{Goals, Many, One, Pair, Two, Window};
use crate::proof_number::goals::{Aim, Outcomes, settle};
use crate::support::memory::{reserve_entries, reserve_exact};
use crate::support::saved::{Reader, SaveError, Writer, require_stable_keys};

/// How the side that must refute all successors counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// The sum.
    Plain,
    /// The greatest one, plus one for each other.
    Weak,
}

/// The fastest search on a graph for the number of goals. The game must not be over at `root`.
pub(crate) fn on_graph<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    outcomes: Arc<Outcomes>,
    aim: Aim,
    options: Options,
    sum: Sum,
) -> Box<dyn Prover<G>> {
    match aim.count(&outcomes) {
        1 => Box::new(OnGraph::new(game, root, outcomes, aim, options, sum, One)),
        2 => Box::new(OnGraph::new(game, root, outcomes, aim, options, sum, Two)),
        n => Box::new(OnGraph::new(game, root, outcomes, aim, options, sum, Many(n))),
    }
}

type Id = u32;

/// One position; its successors are `count` edges from `first` on.
#[derive(Clone, Copy)]
struct Node {
    first: u32,
    count: u16,
    for_max: bool,
}

struct Step<S> {
    node: Id,
    state: S,
}

/// The search.
pub(crate) struct OnGraph<G: FullGame<Payoff = ZeroSum>, W: Goals> {
    game: Arc<G>,
    outcomes: Arc<Outcomes>,
    aim: Aim,
    goals: W,
    options: Options,
    leaves: Leaves<G::Move>,
    sum: Sum,
    ids: FxHashMap<G::Key, Id>,
    nodes: Vec<Node>,
    numbers: Vec<Pair>,
    edges: Vec<(G::Move, Id)>,
    path: Vec<Step<G::State>>,
    root: Id,
    most_bytes: usize,
    goal: usize,
    moves: Vec<G::Move>,
    fresh: Vec<Pair>,
    expansions: u64,
    until_report: u64,
}

impl<G: FullGame<Payoff = ZeroSum>, W: Goals> OnGraph<G, W> {
    /// Prepares the search. The game must not be over at `root`.
    pub(crate) fn new(
        game: Arc<G>,
        root: G::State,
        outcomes: Arc<Outcomes>,
        aim: Aim,
        options: Options,
        sum: Sum,
        goals: W,
    ) -> Self {
        let mut search = OnGraph {
            leaves: Leaves::new(aim, &outcomes, options),
            game,
            outcomes,
            aim,
            goals,
            options,
            sum,
            ids: FxHashMap::default(),
            nodes: Vec::new(),
            numbers: Vec::new(),
            edges: Vec::new(),
            path: Vec::new(),
            root: 0,
            most_bytes: usize::MAX,
            goal: 0,
            moves: Vec::new(),
            fresh: vec![Pair::UNIT; goals.count()],
            expansions: 0,
            until_report: 0,
        };
        search.begin(&root);
        search
    }

    /// Begins at a position, new or known.
    fn begin(&mut self, root: &G::State) {
        self.root = self.reach(root, self.game.key(root));
        self.path.clear();
        self.path.push(Step { node: self.root, state: *root });
        self.goal = self.attracting_goal();
    }

    fn numbers_of(&self, id: Id) -> &[Pair] {
        &self.numbers[id as usize * self.goals.count()..][..self.goals.count()]
    }

    fn edges_of(&self, id: Id) -> &[(G::Move, Id)] {
        let node = self.nodes[id as usize];
        &self.edges[node.first as usize..][..node.count.into()]
    }

    fn done(&self) -> bool {
        Window::of(self.numbers_of(self.root)).closed()
    }

    fn attracting_goal(&self) -> usize {
        let pairs = self.numbers_of(self.root);
        let window = Window::of(pairs);
        crate::proof_number::best_first::attracting_goal(
            pairs,
            window,
            self.nodes[self.root as usize].for_max,
            self.options.ties,
        )
    }

    /// The node of a position, new if it was never reached before.
    fn reach(&mut self, state: &G::State, key: G::Key) -> Id {
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let id = self.nodes.len() as Id;
        let status = self.game.status(state);
        let for_max = status.mover() == Some(Player::FIRST);
        self.nodes.push(Node { first: 0, count: 0, for_max });
        self.numbers.resize(self.nodes.len() * self.goals.count(), Pair::UNIT);
        let count = self.goals.count();
        let pairs = &mut self.numbers[id as usize * count..];
        match status {
            Status::Over(payoff) => settle(self.aim.rank(self.outcomes.rank(payoff)), pairs),
            Status::Turn(_) => self.leaves.number(&*self.game, state, for_max, pairs),
        }
        self.ids.insert(key, id);
        id
    }

    /// Makes room for so many successors, if that stays within `limit` bytes. While the map of keys grows, the old one
    /// and one twice as large exist side by side.
    fn make_room(&mut self, successors: usize, limit: usize) -> Option<()> {
        let limit = limit / 8 * 7; // what is freed in between leaves holes
        let left = limit.checked_sub(self.bytes())?;
        if self.ids.len() + successors > self.ids.capacity() {
            let larger = Self::map_bytes(2 * self.ids.capacity().max(successors));
            left.checked_sub(larger)?;
            reserve_entries(&mut self.ids, successors).then_some(())?;
        }
        let left = limit.checked_sub(self.bytes())?;
        let left = left - grow_a_little(&mut self.nodes, successors, left)?;
        let left = left - grow_a_little(&mut self.numbers, successors * self.goals.count(), left)?;
        grow_a_little(&mut self.edges, successors, left).map(|_| ())
    }

    fn map_bytes(capacity: usize) -> usize {
        capacity * 8 / 7 * (size_of::<(G::Key, Id)>() + 1)
    }

    /// Gives the last node of the path its successors, new or known; tells how many are new.
    fn expand(&mut self, memory: usize) -> Result<u64, Stop> {
        let before = self.nodes.len();
        let step = self.path.last().expect("the path begins at the root");
        let (id, state) = (step.node, step.state);
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.game.expand(&state, &mut moves);
        if self.make_room(moves.len(), memory).is_none() {
            self.moves = moves;
            return Err(Stop::Memory);
        }
        let first = u32::try_from(self.edges.len()).map_err(|_| Stop::Memory)?;
        let count = u16::try_from(moves.len()).map_err(|_| Stop::Memory)?;
        for &mv in &moves {
            let successor = self.game.after(&state, mv);
            let key = self.game.key(&successor);
            let to = self.reach(&successor, key);
            self.edges.push((mv, to));
        }
        self.moves = moves;
        let node = &mut self.nodes[id as usize];
        (node.first, node.count) = (first, count);
        self.expansions += 1;
        Ok((self.nodes.len() - before) as u64)
    }

    /// The numbers of a node from those of its successors; whether they changed.
    fn recompute(&mut self, id: Id) -> bool {
        let (for_max, count) = (self.nodes[id as usize].for_max, self.goals.count());
        for goal in 0..count {
            let successors = self.edges_of(id).iter().map(|&(_, to)| self.numbers[to as usize * count + goal]);
            self.fresh[goal] = match self.sum {
                Sum::Plain => Pair::of_successors(for_max, successors),
                Sum::Weak => Pair::of_successors_weak(for_max, successors),
            };
        }
        let own = &mut self.numbers[id as usize * count..][..count];
        let changed = *own != self.fresh[..];
        own.copy_from_slice(&self.fresh);
        changed
    }

    fn most_proving(&self, id: Id) -> (G::Move, Id) {
        let own = self.numbers_of(id)[self.goal];
        let for_max = self.nodes[id as usize].for_max;
        let least = |&&(_, to): &&(G::Move, Id)| {
            let pair = self.numbers_of(to)[self.goal];
            if for_max { pair.proof == own.proof } else { pair.disproof == own.disproof }
        };
        *self.edges_of(id).iter().find(least).expect("the least effort is some successor's")
    }

    fn principal(&self, id: Id, rank: u16) -> Option<(G::Move, Id)> {
        let for_max = self.nodes[id as usize].for_max;
        let gives = |&&(_, to): &&(G::Move, Id)| {
            let window = Window::of(self.numbers_of(to));
            if for_max { window.pessimistic >= rank } else { window.optimistic <= rank }
        };
        self.edges_of(id).iter().find(gives).copied()
    }

    /// The edge to play: one that keeps what is proved for the mover, or else the most proving one.
    fn best(&self, id: Id) -> Option<(G::Move, Id)> {
        let own = Window::of(self.numbers_of(id));
        let for_max = self.nodes[id as usize].for_max;
        let sure = if for_max { own.pessimistic } else { own.optimistic };
        let nothing = if for_max { 0 } else { self.goals.count() as u16 };
        if own.closed() || sure != nothing {
            return self.principal(id, sure);
        }
        let pairs = |to: Id| self.numbers_of(to)[self.goal];
        let effort = |&&(_, to): &&(G::Move, Id)| if for_max { pairs(to).proof } else { pairs(to).disproof };
        self.edges_of(id).iter().min_by_key(effort).copied()
    }

    fn window_of(&self, id: Id) -> Window {
        self.aim.window(Window::of(self.numbers_of(id)), &self.outcomes)
    }
}

/// Nodes between two reports.
const REPORT_EVERY: u64 = 1 << 15;

impl<G: FullGame<Payoff = ZeroSum>, W: Goals> Prover<G> for OnGraph<G, W> {
    fn prove(&mut self, _threads: usize, meter: &mut Meter, observer: &mut dyn Observer) -> Option<Stop> {
        while !self.done() {
            let id = self.path.last().expect("the path begins at the root").node;
            let mut created = 0;
            if self.nodes[id as usize].count == 0 {
                match self.expand(meter.memory().min(self.most_bytes)) {
                    Ok(new) => created = new,
                    Err(stop) => return Some(stop),
                }
            }
            if self.recompute(id) {
                // The parent must hear of it, or the root choose anew.
                if self.path.len() > 1 {
                    self.path.pop();
                }
                if self.path.len() == 1 {
                    self.recompute(self.root);
                    self.goal = self.attracting_goal();
                }
            } else {
                let (mv, to) = self.most_proving(id);
                let state = self.game.after(&self.path.last().expect("not empty").state, mv);
                self.path.push(Step { node: to, state });
            }
            if let Some(stop) = meter.spend(created, self.bytes()) {
                return (!self.done()).then_some(stop);
            }
            self.until_report += created;
            if self.until_report >= REPORT_EVERY {
                self.until_report = 0;
                let depth = Some(self.path.len() as u32);
                let progress = Progress { nodes: self.nodes(), bytes: self.bytes(), share: None, depth };
                if observer.progress(&progress).is_break() {
                    return Some(Stop::Cancelled);
                }
            }
        }
        None
    }

    fn window(&self) -> Window {
        self.window_of(self.root)
    }

    fn moves(&self) -> Vec<(G::Move, Window)> {
        self.edges_of(self.root).iter().map(|&(mv, to)| (mv, self.window_of(to))).collect()
    }

    fn line(&self) -> Vec<G::Move> {
        let mut line = Vec::new();
        let mut id = self.root;
        while let Some((mv, to)) = self.best(id) {
            line.push(mv);
            id = to;
        }
        line
    }

    fn nodes(&self) -> u64 {
        self.nodes.len() as u64
    }

    fn expansions(&self) -> u64 {
        self.expansions
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        require_stable_keys(&*self.game)?;
        to.put([self.goal as u64, self.expansions, self.until_report])?;
        to.put_len(self.nodes.len())?;
        for node in &self.nodes {
            to.put((node.first, (node.count, node.for_max)))?;
        }
        to.put_all(&self.numbers)?;
        to.put_len(self.edges.len())?;
        for (mv, child) in &self.edges {
            to.put(*mv)?;
            to.put(*child)?;
        }
        to.put_len(self.ids.len())?;
        for (key, id) in &self.ids {
            to.put(*key)?;
            to.put(*id)?;
        }
        to.put_len(self.path.len())?;
        Ok(self.path.iter().try_for_each(|step| to.put(step.node))?)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        require_stable_keys(&*self.game)?;
        let goal;
        [goal, self.expansions, self.until_report] = from.get()?;
        self.goal = goal as usize;
        let count = from.get_len(7)?;
        self.nodes.clear();
        if !reserve_exact(&mut self.nodes, count) {
            return Err(SaveError::no_memory());
        }
        for _ in 0..count {
            let (first, (number, for_max)) = from.get()?;
            self.nodes.push(Node { first, count: number, for_max });
        }
        self.numbers = from.get_all()?;
        let edges = from.get_len(G::Move::SIZE + 4)?;
        self.edges.clear();
        if !reserve_exact(&mut self.edges, edges) {
            return Err(SaveError::no_memory());
        }
        for _ in 0..edges {
            self.edges.push((from.get()?, from.get()?));
        }
        let keys = from.get_len(G::Key::SIZE + 4)?;
        self.ids = FxHashMap::default();
        if !reserve_entries(&mut self.ids, keys) {
            return Err(SaveError::no_memory());
        }
        for _ in 0..keys {
            self.ids.insert(from.get()?, from.get()?);
        }
        let inside = |n: &Node| n.first as usize + usize::from(n.count) <= edges;
        let fits = self.nodes.iter().all(inside) && self.edges.iter().all(|&(_, to)| (to as usize) < count);
        if !fits || self.goal >= self.goals.count() || self.numbers.len() != count * self.goals.count() || keys != count
        {
            return Err(SaveError::Damaged("nodes and edges that do not belong together"));
        }
        let path: Vec<Id> = from.get_all()?;
        self.path.truncate(1);
        let root = path.first().copied().filter(|&root| (root as usize) < count);
        self.root = root.ok_or(SaveError::Damaged("no line"))?;
        self.path[0].node = self.root;
        for &node in path.iter().skip(1) {
            let last = self.path.last().expect("the path begins at the root");
            let Some(&(mv, _)) = self.edges_of(last.node).iter().find(|&&(_, to)| to == node) else {
                return Err(SaveError::Damaged("a line that leads nowhere"));
            };
            let state = self.game.after(&last.state, mv);
            self.path.push(Step { node, state });
        }
        // The search begins with the root on its path and nothing else.
        Ok(())
    }

    fn reroot(&mut self, root: &G::State) -> bool {
        self.begin(root);
        true
    }

    fn limit(&mut self, bytes: usize) {
        self.most_bytes = bytes;
    }

    fn known(&self, state: &G::State) -> Option<Window> {
        self.ids.get(&self.game.key(state)).map(|&id| self.window_of(id))
    }

    fn bytes(&self) -> usize {
        Self::map_bytes(self.ids.capacity())
            + self.nodes.capacity() * size_of::<Node>()
            + self.numbers.capacity() * size_of::<Pair>()
            + self.edges.capacity() * size_of::<(G::Move, Id)>()
    }
}

/// Makes room for `more` items and says how many bytes that took; `None` if it would take more than `left`.
///
/// Large arrays grow by a sixteenth, not to the double: the operating system moves their pages without copying them.
fn grow_a_little<T>(items: &mut Vec<T>, more: usize, left: usize) -> Option<usize> {
    let old = items.capacity();
    if items.len() + more <= old {
        return Some(0);
    }
    let fits = left / size_of::<T>();
    let wanted = (old / 16).max(more).max(64).min(fits);
    let fits = items.len() + more <= old + wanted && reserve_exact(items, old + wanted - items.len());
    fits.then(|| (items.capacity() - old) * size_of::<T>())
}
