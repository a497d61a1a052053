//! All equilibrium values of a game for any number of players.
//!
//! Where several moves are equally good for the mover, the choice may matter to the others, and maxⁿ finds only one of
//! the resulting equilibria. The set E of all of them follows by induction: E of a finished game is its payoff; at
//! mover j, a value v of successor s survives iff v_j is at least what j is sure of elsewhere, the maximum over the
//! *other* successors s' of the least w_j with w in E(s').
//!
//! Exact, for pure strategies. Cost: every reachable state once, and sets that may grow: an oracle for small games.
//! Whatever maxⁿ, UBFMⁿ or Descentⁿ returns must be a member.

use std::sync::Arc;

use perfectplay_core::{
    Answer, Budget, FullGame, MoveReport, Objective, Observer, OptionSet, Params, Payoff, Player, Status, Stop, Verdict,
};

use crate::oracle::induction::{Induction, Rule};
use crate::{AlgorithmInfo, Reader, Refusal, SaveError, Search, Setup, Threads, Writer};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "equilibria",
    summary: "all equilibrium values, for any number of players",
    players: "any",
    exact: true,
    threads: Threads::All,
    options: <()>::docs,
};

/// What a search says that proved one equilibrium where there may be several; `among_equals` is the move that a player
/// takes if it does not care.
pub(crate) fn one_of_several(objective: Objective, among_equals: &str) -> String {
    let preference = match objective {
        Objective::Gain => "its gain, then its score",
        Objective::Score => "its score",
        Objective::Length => "an early win, a late loss",
    };
    format!(
        "proved is one equilibrium: every player takes what is best for itself ({preference}) and among equal moves \
         {among_equals}; how many there are is not known (the algorithm {} counts them)",
        INFO.name
    )
}

/// The usual choice among equal moves.
pub(crate) const FIRST_IN_THE_RULES: &str = "the first in the order of the rules";

/// For any number of players; refuses games in which positions repeat.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    INFO.read::<()>(params)?;
    let mut search = Equilibria::new(game, root, setup.objective)?;
    search.walk = search.walk.reproducible(setup.reproducible);
    Ok(Box::new(search))
}

/// Keeps every value that some equilibrium leads to.
pub struct AllEquilibria(Objective);

impl<G: FullGame> Rule<G> for AllEquilibria {
    type Value = Vec<G::Payoff>;

    fn finished(&self, payoff: G::Payoff) -> Vec<G::Payoff> {
        vec![payoff]
    }

    fn choose(&self, mover: Player, successors: &[Vec<G::Payoff>]) -> Vec<G::Payoff> {
        let compare = |a: &G::Payoff, b: &G::Payoff| self.0.compare(mover, *a, *b);
        let least = |set: &Vec<G::Payoff>| set.iter().copied().min_by(compare).expect("no set is empty");
        let sure = successors.iter().map(least).max_by(compare).expect("a state with a mover has successors");
        let mut values = Vec::new();
        for &value in successors.iter().flatten() {
            if compare(&value, &sure).is_ge() && !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    fn save(value: &Vec<G::Payoff>, to: &mut Writer<'_>) -> Result<(), SaveError> {
        Ok(to.put_all(value)?)
    }

    fn restore(from: &mut Reader<'_>) -> Result<Vec<G::Payoff>, SaveError> {
        from.get_all()
    }

    /// What an allocator takes for it: 16 bytes at a time, with 8 for itself, 32 at least.
    fn heap_bytes(value: &Vec<G::Payoff>) -> usize {
        (value.capacity() * size_of::<G::Payoff>() + 8).next_multiple_of(16).max(32)
    }
}

/// The solver.
pub struct Equilibria<G: FullGame> {
    walk: Induction<G, AllEquilibria>,
    objective: Objective,
}

impl<G: FullGame> Equilibria<G> {
    /// Prepares to find the equilibrium values of `root` and all states below.
    pub fn new(game: Arc<G>, root: G::State, objective: Objective) -> Result<Self, Refusal> {
        Ok(Equilibria { walk: Induction::new(INFO.name, game, root, AllEquilibria(objective))?, objective })
    }

    /// The equilibrium values of `state` in one call: for tests and small games.
    pub fn solve(game: Arc<G>, state: G::State, objective: Objective) -> Result<Vec<G::Payoff>, Refusal> {
        let mut search = Self::new(game, state, objective)?;
        search.run(&Budget::unlimited(), &mut ());
        Ok(search.values(&state).expect("no limit was set").to_vec())
    }

    /// The equilibrium values of any state below the root, if they are known already.
    pub fn values(&self, state: &G::State) -> Option<&[G::Payoff]> {
        self.walk.value(state).map(Vec::as_slice)
    }

    /// The different values among these, as users see them: one number per player, the best for the first player first.
    fn vectors(&self, values: &[G::Payoff]) -> Vec<Vec<i32>> {
        best_first(
            values.iter().map(|&v| Player::all(v.players()).map(|p| self.objective.value(v, p)).collect()).collect(),
        )
    }

    /// Play that leads from the root to `value`, or to as equal a value as there is.
    fn line(&self, value: G::Payoff) -> Vec<G::Move> {
        let game = self.walk.game();
        let mut state = *self.walk.root();
        let (mut line, mut moves) = (Vec::new(), Vec::new());
        while let Status::Turn(_) = game.expand(&state, &mut moves) {
            let leads_there = |&mv: &G::Move| self.values(&game.after(&state, mv)).is_some_and(|v| v.contains(&value));
            let Some(mv) = moves.drain(..).find(leads_there) else { break };
            game.play(&mut state, mv);
            line.push(mv);
        }
        line
    }
}

/// Each once, the best for the first player first. Not generic: it is compiled once.
fn best_first(mut vectors: Vec<Vec<i32>>) -> Vec<Vec<i32>> {
    vectors.sort_unstable_by(|a, b| b.cmp(a));
    vectors.dedup();
    vectors
}

/// How many equilibrium values there are, and which.
fn in_words(vectors: &[Vec<i32>]) -> String {
    let vector = |v: &Vec<i32>| format!("({})", v.iter().map(i32::to_string).collect::<Vec<_>>().join(", "));
    let list: Vec<String> = vectors.iter().map(vector).collect();
    match list.as_slice() {
        [only] => format!("proved is the value of every equilibrium: {only}"),
        several => format!(
            "proved are all equilibrium values, {} in all, and none of them is the value, because players choose \
             differently among moves that are equal to them: {}",
            several.len(),
            several.join(" ")
        ),
    }
}

impl<G: FullGame> Search<G> for Equilibria<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        self.walk.run(budget, observer)
    }

    fn threads_used(&self, given: usize) -> usize {
        self.walk.threads_used(given)
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        self.walk.save_to(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), SaveError> {
        self.walk.restore_from(from)
    }

    fn answer(&self) -> Answer<G> {
        let mut legal = Vec::new();
        let status = self.walk.game().expand(self.walk.root(), &mut legal);
        let verdict = |state: &G::State| match self.values(state) {
            Some(values) => match self.vectors(values).len() {
                1 => Verdict::Solved(values[0]),
                several => Verdict::Equilibria(several as u32),
            },
            None => Verdict::Unknown,
        };
        let moves: Vec<MoveReport<G>> = legal
            .iter()
            .map(|&mv| MoveReport { mv, verdict: verdict(&self.walk.game().after(self.walk.root(), mv)), visits: None })
            .collect();
        let vectors = self.values(self.walk.root()).map(|values| self.vectors(values));
        let verdict = verdict(self.walk.root());
        let answer = Answer {
            mover: status.mover(),
            verdict,
            line: verdict.solved().map_or(vec![], |value| self.line(value)),
            moves,
            effort: self.walk.effort(),
            counts: vec![
                ("positions", self.walk.states() as u64),
                ("finished", self.walk.finished_states()),
                ("equilibria", vectors.as_ref().map_or(0, |v| v.len() as u64)),
            ],
            notes: vectors.map(|vectors| in_words(&vectors)).into_iter().chain(self.walk.note()).collect(),
        };
        if G::Payoff::ZERO_SUM { answer.reconciled(self.walk.game(), self.objective) } else { answer }
    }
}
