//! What must be true of every solver.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use perfectplay_core::{
    Answer, Budget, FullGame, Game, Ledger, Objective, Observer, Payoff, Player, Progress, Scores, SolveStatus, Status,
    Stop, UpToSix, Verdict, ZeroSum,
};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::mnk::{Mnk2, Mnk3};
use perfectplay_games::nim::Nim;
use perfectplay_games::seam::{ForSeveral, ForThree, ShownAs, Tiny};
use perfectplay_games::tic_tac_toe;
use perfectplay_search::oracle::backward_induction::BackwardInduction;
use perfectplay_search::oracle::equilibria::Equilibria;
use perfectplay_search::{Reader, Refusal, Search, Setup, Writer};

use crate::{Dice, corpus, random_states};

/// An algorithm for any number of players.
pub trait AnySolver {
    /// Makes a search.
    fn open<G: FullGame>(&self, game: Arc<G>, root: G::State, setup: &Setup) -> Result<Box<dyn Search<G>>, Refusal>;
}

/// An algorithm for two players with opposed interests.
pub trait ZeroSumSolver {
    /// Makes a search.
    fn open<G: FullGame<Payoff = ZeroSum>>(
        &self,
        game: Arc<G>,
        root: G::State,
        setup: &Setup,
    ) -> Result<Box<dyn Search<G>>, Refusal>;
}

/// Which laws to check, and on how much.
///
/// On scripted, random and small real games, for gain and score (an algorithm may refuse one of them, or some games),
/// and if asked for the length of the game:
/// - a search that is done has solved its root: the value is the one of backward induction (two players, opposed
///   interests) or one of the equilibrium values; the move to play is optimal; every move reported as solved is right;
/// - the line is legal;
/// - running again changes nothing;
/// - a budget cut into slices gives the same answer;
/// - if the algorithm can be saved: a search saved and restored after every slice does the same, to the node;
/// - what a search stopped at any time claims to have proved is true, and the first move of its line keeps what is
///   proved for the mover: a value, or its side of the bounds;
/// - a search that has looked at nothing names no move.
#[derive(Clone, Copy, Debug)]
pub struct SolverLaws {
    complete_lines: bool,
    resumes: bool,
    by_the_clock: bool,
    gain_only: bool,
    lengths: bool,
    saves: bool,
    most_states: u64,
    random_games: u64,
}

impl Default for SolverLaws {
    fn default() -> Self {
        SolverLaws {
            complete_lines: false,
            resumes: false,
            by_the_clock: false,
            gain_only: false,
            lengths: false,
            saves: false,
            most_states: 10_000,
            random_games: 240,
        }
    }
}

impl SolverLaws {
    /// The line of a solved search leads to the end of the game, and to the value.
    #[must_use]
    pub fn complete_lines(self) -> Self {
        SolverLaws { complete_lines: true, ..self }
    }

    /// Without a limit on nodes the clock decides who works: another run may find another line to the same value.
    #[must_use]
    pub fn by_the_clock(self) -> Self {
        SolverLaws { by_the_clock: true, ..self }
    }

    /// A search cut into slices does not begin again with each of them: it takes at most a few times the work.
    #[must_use]
    pub fn resumes(self) -> Self {
        SolverLaws { resumes: true, ..self }
    }

    /// The search can be saved and restored at any time: to the node, it goes on as if nothing had been.
    #[must_use]
    pub fn saves(self) -> Self {
        SolverLaws { saves: true, ..self }
    }

    /// The algorithm settles the gain only.
    #[must_use]
    pub fn gain_only(self) -> Self {
        SolverLaws { gain_only: true, ..self }
    }

    /// The algorithm finds the fastest win and the slowest loss, too.
    #[must_use]
    pub fn lengths(self) -> Self {
        SolverLaws { lengths: true, ..self }
    }

    /// Leaves out real games with more positions.
    #[must_use]
    pub fn most_states(self, most_states: u64) -> Self {
        SolverLaws { most_states, ..self }
    }

    /// How many random games of each kind.
    #[must_use]
    pub fn random_games(self, random_games: u64) -> Self {
        SolverLaws { random_games, ..self }
    }

    /// Checks an algorithm for two players.
    ///
    /// # Panics
    /// With a sentence, if it breaks a law.
    pub fn check_zero_sum(&self, solver: &impl ZeroSumSolver) {
        let mut tally = Tally::default();
        for game in corpus::zero_sum_scripts() {
            self.two(&Arc::new(Tiny::<ZeroSum>::new(game)), &mut tally, solver);
        }
        for game in corpus::random_games::<ZeroSum>(self.random_games) {
            self.two(&Arc::new(Tiny::<ZeroSum>::new(game)), &mut tally, solver);
        }
        self.two_packed(tic_tac_toe::new(), 5_478, &mut tally, solver);
        self.two_packed(ConnectFour::<u64>::new(3, 3), 694, &mut tally, solver);
        self.two_packed(ConnectFour::<u64>::new(4, 3), 6_000, &mut tally, solver);
        self.two_packed(ConnectFour::<u64>::new(4, 4), 161_029, &mut tally, solver);
        self.two_packed(Nim::<ZeroSum>::new(&[1, 2, 3], false), 48, &mut tally, solver);
        self.two_packed(Nim::<ZeroSum>::new(&[1, 3, 4], true), 80, &mut tally, solver);
        self.two_packed(Mnk2::<u64>::new(3, 4, 3), 60_000, &mut tally, solver);
        tally.finish();
    }

    /// Games go behind the seam, as they do for users, so that a solver is compiled for few types.
    fn two_packed<G: FullGame<Payoff = ZeroSum>>(
        &self,
        game: G,
        states: u64,
        tally: &mut Tally,
        solver: &impl ZeroSumSolver,
    ) {
        if states <= self.most_states {
            self.two(&Arc::new(Tiny::<ZeroSum>::new(game)), tally, solver);
        }
    }

    fn two<G: FullGame<Payoff = ZeroSum>>(&self, game: &Arc<G>, tally: &mut Tally, solver: &impl ZeroSumSolver) {
        for objective in self.objectives() {
            let mut oracle = BackwardInduction::new(game.clone(), game.start(), objective).expect("an acyclic game");
            oracle.run(&Budget::unlimited(), &mut ());
            let open = |game, root: G::State, setup: &Setup| solver.open::<G>(game, root, setup);
            self.check_roots(game, objective, tally, &open, &ValueOf(&oracle, objective));
        }
    }

    /// Checks an algorithm for any number of players, on games for two as well.
    ///
    /// # Panics
    /// With a sentence, if it breaks a law.
    pub fn check_any(&self, solver: &impl AnySolver) {
        struct ForTwo<'a, S>(&'a S);
        impl<S: AnySolver> ZeroSumSolver for ForTwo<'_, S> {
            fn open<G: FullGame<Payoff = ZeroSum>>(
                &self,
                game: Arc<G>,
                root: G::State,
                setup: &Setup,
            ) -> Result<Box<dyn Search<G>>, Refusal> {
                self.0.open(game, root, setup)
            }
        }
        self.check_zero_sum(&ForTwo(solver));
        let mut tally = Tally::default();
        for game in corpus::scripts::<Scores<3>>() {
            self.three(game, &mut tally, solver);
        }
        for game in corpus::random_games::<Scores<3>>(self.random_games) {
            self.three(game, &mut tally, solver);
        }
        for game in corpus::random_games::<Scores<2>>(self.random_games / 4) {
            self.several(game, &mut tally, solver);
        }
        for game in corpus::random_games::<Scores<4>>(self.random_games / 4) {
            self.several(game, &mut tally, solver);
        }
        for game in corpus::random_games::<Scores<5>>(self.random_games / 8) {
            self.several(game, &mut tally, solver);
        }
        self.three(Nim::<Scores<3>>::new(&[2, 3, 4], false), &mut tally, solver);
        self.several(Nim::<Scores<4>>::new(&[1, 2, 3], true), &mut tally, solver);
        if self.most_states >= 40_000 {
            self.three(Mnk3::<u64>::new(3, 3, 3), &mut tally, solver);
        }
        tally.finish();
    }

    fn three(&self, game: impl FullGame<Payoff = Scores<3>>, tally: &mut Tally, solver: &impl AnySolver) {
        self.many(&Arc::new(ForThree::<Scores<3>>::new(game)), tally, solver);
    }

    /// Any other number of players shares a type, as everywhere behind the seam.
    fn several<G: FullGame>(&self, game: G, tally: &mut Tally, solver: &impl AnySolver)
    where
        G::Payoff: ShownAs<UpToSix>,
    {
        self.many(&Arc::new(ForSeveral::new(game)), tally, solver);
    }

    fn many<G: FullGame>(&self, game: &Arc<G>, tally: &mut Tally, solver: &impl AnySolver) {
        for objective in self.objectives() {
            let mut oracle = Equilibria::new(game.clone(), game.start(), objective).expect("an acyclic game");
            oracle.run(&Budget::unlimited(), &mut ());
            let open = |game, root, setup: &Setup| solver.open(game, root, setup);
            self.check_roots(game, objective, tally, &open, &MembersOf(&oracle, objective));
        }
    }

    fn objectives(&self) -> impl Iterator<Item = Objective> + '_ {
        let asked = move |objective: &Objective| match objective {
            Objective::Gain => true,
            Objective::Score => !self.gain_only,
            Objective::Length => self.lengths,
        };
        Objective::ALL.into_iter().filter(asked)
    }

    fn check_roots<G: FullGame>(
        &self,
        game: &Arc<G>,
        objective: Objective,
        tally: &mut Tally,
        open: &Open<'_, G>,
        oracle: &dyn Oracle<G>,
    ) {
        let others = if objective == Objective::Gain { 2 } else { 0 };
        for root in [game.start()].into_iter().chain(random_states(&**game, others, 7)) {
            tally.asked += 1;
            let setup = Setup { objective, seed: 1, ..Setup::default() };
            if open(game.clone(), root, &setup).is_ok() {
                tally.answered += 1;
                let case = Case { laws: self, game, root, setup, open, oracle };
                let answer = case.check_finished();
                case.check_slices(&answer);
                case.check_stopped();
                if self.saves {
                    case.check_saved(&answer);
                }
            }
        }
    }
}

/// How many questions were not refused.
#[derive(Default)]
struct Tally {
    asked: u32,
    answered: u32,
}

impl Tally {
    fn finish(self) {
        assert!(
            4 * self.answered >= self.asked,
            "the solver refused {} of {} games",
            self.asked - self.answered,
            self.asked
        );
    }
}

type Open<'a, G> = dyn Fn(Arc<G>, <G as Game>::State, &Setup) -> Result<Box<dyn Search<G>>, Refusal> + 'a;

/// Who knows the truth about every state.
trait Oracle<G: FullGame> {
    /// Whether a claim that `state` is worth `value` is right.
    fn right(&self, state: &G::State, value: G::Payoff) -> bool;
    /// Whether bounds for the first player hold.
    fn holds(&self, state: &G::State, lower: G::Payoff, upper: G::Payoff) -> bool;
    /// Whether in `state` the player who moved there still has what `verdict` says that it has.
    fn keeps(&self, state: &G::State, mover: Player, verdict: &Verdict<G::Payoff>) -> bool;
    /// How many different equilibrium values a state has.
    fn count(&self, state: &G::State) -> usize;
    /// Whether two values count as the same.
    fn same(&self, a: G::Payoff, b: G::Payoff) -> bool;
}

struct ValueOf<'a, G: FullGame>(&'a BackwardInduction<G>, Objective);

impl<G: FullGame<Payoff = ZeroSum>> Oracle<G> for ValueOf<'_, G> {
    fn right(&self, state: &G::State, value: ZeroSum) -> bool {
        self.same(self.0.value(state).expect("a state below the root"), value)
    }

    fn holds(&self, state: &G::State, lower: ZeroSum, upper: ZeroSum) -> bool {
        let value = self.0.value(state).expect("a state below the root");
        let compare = |a, b| self.1.compare(Player::FIRST, a, b);
        compare(lower, value).is_le() && compare(value, upper).is_le()
    }

    fn keeps(&self, state: &G::State, mover: Player, verdict: &Verdict<ZeroSum>) -> bool {
        let value = self.0.value(state).expect("a state below the root");
        match *verdict {
            Verdict::Solved(sure) => self.same(value, sure),
            Verdict::Bounds { lower, .. } if mover == Player::FIRST => self.1.compare(mover, value, lower).is_ge(),
            Verdict::Bounds { upper, .. } => self.1.compare(mover, value, upper).is_ge(),
            _ => true,
        }
    }

    fn count(&self, _: &G::State) -> usize {
        1
    }

    fn same(&self, a: ZeroSum, b: ZeroSum) -> bool {
        self.1.compare(Player::FIRST, a, b).is_eq()
    }
}

struct MembersOf<'a, G: FullGame>(&'a Equilibria<G>, Objective);

impl<G: FullGame> Oracle<G> for MembersOf<'_, G> {
    fn right(&self, state: &G::State, value: G::Payoff) -> bool {
        self.0.values(state).expect("a state below the root").contains(&value)
    }

    fn holds(&self, state: &G::State, lower: G::Payoff, upper: G::Payoff) -> bool {
        let scores = |p: G::Payoff| (p.gain(Player::FIRST), p.score(Player::FIRST));
        let values = self.0.values(state).expect("a state below the root");
        values.iter().any(|&v| scores(lower) <= scores(v) && scores(v) <= scores(upper))
    }

    fn keeps(&self, state: &G::State, _: Player, verdict: &Verdict<G::Payoff>) -> bool {
        verdict.solved().is_none_or(|value| self.right(state, value))
    }

    fn count(&self, state: &G::State) -> usize {
        let shown = |v: &G::Payoff| Player::all(v.players()).map(|p| self.1.value(*v, p)).collect::<Vec<_>>();
        let values = self.0.values(state).expect("a state below the root");
        values.iter().map(shown).collect::<HashSet<_>>().len()
    }

    fn same(&self, a: G::Payoff, b: G::Payoff) -> bool {
        a == b
    }
}

/// One search problem.
struct Case<'a, G: FullGame> {
    laws: &'a SolverLaws,
    game: &'a Arc<G>,
    root: G::State,
    setup: Setup,
    open: &'a Open<'a, G>,
    oracle: &'a dyn Oracle<G>,
}

/// Long enough for any of these small games; a solver that needs more does not end.
fn patience() -> Budget {
    Budget::time(Duration::from_secs(60))
}

impl<G: FullGame> Case<'_, G> {
    fn search(&self) -> Box<dyn Search<G>> {
        (self.open)(self.game.clone(), self.root, &self.setup).expect("it did not refuse before")
    }

    fn place(&self) -> String {
        let facts = self.game.facts();
        format!(
            "position {:?} (for {}, {} players, {:?} states, start {:?})",
            self.game.position_text(&self.root),
            self.setup.objective.name(),
            facts.players,
            facts.states,
            self.game.position_text(&self.game.start()),
        )
    }

    fn check_finished(&self) -> Answer<G> {
        let mut search = self.search();
        let fresh = search.answer();
        let named = fresh.best_move().is_some() && fresh.verdict.status() == SolveStatus::Unsolved;
        assert!(!named, "it names a move before it looked at any: {}", self.place());
        assert_eq!(search.run(&patience(), &mut ()), Stop::Done, "not done in time: {}", self.place());
        let answer = search.answer();
        self.check_solved(&answer);
        assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done, "done, then not: {}", self.place());
        let again = search.answer();
        assert_eq!(
            (again.verdict, &again.line),
            (answer.verdict, &answer.line),
            "it changed its mind: {}",
            self.place()
        );
        answer
    }

    fn check_solved(&self, answer: &Answer<G>) {
        self.check_usable(answer);
        let mover = self.game.status(&self.root).mover();
        if let Verdict::Equilibria(_) = answer.verdict {
            assert!(answer.line.is_empty(), "one of several equilibria is called the best: {}", self.place());
            return;
        }
        let value = answer.verdict.solved();
        let value = value.unwrap_or_else(|| panic!("done, but {:?}: {}", answer.verdict, self.place()));
        assert_eq!(answer.best_move().is_some(), mover.is_some(), "solved, but no move to play: {}", self.place());
        let end = self.play(&answer.line);
        match self.game.status(&end) {
            Status::Over(payoff) => {
                let (payoff, value) = (self.setup.objective.finished(payoff), self.later(value, answer.line.len()));
                assert!(
                    self.oracle.same(payoff, value),
                    "the line ends in {payoff:?}, not {value:?}: {}",
                    self.place()
                );
            }
            Status::Turn(_) => {
                assert!(!self.laws.complete_lines, "the line stops before the end: {}", self.place());
                let value = self.later(value, answer.line.len());
                assert!(self.oracle.right(&end, value), "the line leaves {value:?}: {}", self.place());
            }
        }
    }

    /// What must hold at any time: the mover is right, the move is legal, nothing is claimed that is not true.
    fn check_usable(&self, answer: &Answer<G>) {
        let status = self.game.status(&self.root);
        assert_eq!(answer.mover, status.mover(), "the mover: {}", self.place());
        self.play(&answer.line);
        self.check_verdict(&self.root, &answer.verdict, "the root");
        if let (Some(mover), Some(mv)) = (status.mover(), answer.best_move()) {
            let after = self.game.after(&self.root, mv);
            let text = self.game.move_text(&self.root, mv);
            let keeps = self.oracle.keeps(&after, mover, &self.after_a_move(&answer.verdict));
            assert!(keeps, "{text} does not keep {:?}: {}", answer.verdict, self.place());
        }
        let mut moves = Vec::new();
        self.game.expand(&self.root, &mut moves);
        let reported: Vec<G::Move> = answer.moves.iter().map(|m| m.mv).collect();
        assert!(reported.is_empty() || reported == moves, "moves in another order than the rules: {}", self.place());
        for report in &answer.moves {
            let after = self.game.after(&self.root, report.mv);
            self.check_verdict(&after, &report.verdict, &self.game.move_text(&self.root, report.mv));
        }
    }

    fn check_verdict(&self, state: &G::State, verdict: &Verdict<G::Payoff>, what: &str) {
        let right = match *verdict {
            Verdict::Solved(value) => self.oracle.right(state, value),
            Verdict::Bounds { lower, upper, .. } => {
                self.oracle.holds(state, lower, upper) && !self.oracle.same(lower, upper)
            }
            Verdict::Equilibria(count) => count >= 2 && self.oracle.count(state) == count as usize,
            Verdict::Estimated(_) | Verdict::Unknown => true,
        };
        assert!(right, "{verdict:?} is wrong for {what}: {}", self.place());
    }

    /// The value so many plies later, if both sides keep it: a win is nearer by as many.
    fn later(&self, value: G::Payoff, plies: usize) -> G::Payoff {
        if self.setup.objective != Objective::Length || !G::Payoff::ZERO_SUM {
            return value;
        }
        let score = value.score(Player::FIRST);
        let score = score + score.signum() * plies as i32;
        G::Payoff::from_scores(&[score, -score])
    }

    /// What a verdict says about the state after a move that keeps it.
    fn after_a_move(&self, verdict: &Verdict<G::Payoff>) -> Verdict<G::Payoff> {
        match *verdict {
            Verdict::Solved(value) => Verdict::Solved(self.later(value, 1)),
            Verdict::Bounds { lower, upper, .. } => {
                Verdict::bounds(self.setup.objective, self.later(lower, 1), self.later(upper, 1))
            }
            other => other,
        }
    }

    /// Plays a line; panics if it is not legal.
    fn play(&self, line: &[G::Move]) -> G::State {
        let mut state = self.root;
        for mv in line {
            let mut legal = Vec::new();
            self.game.expand(&state, &mut legal);
            assert!(legal.contains(mv), "{mv:?} is not legal in the line {line:?}: {}", self.place());
            self.game.play(&mut state, *mv);
        }
        state
    }

    /// Slices grow, so that large games do not take forever; they begin small enough to cut everywhere.
    fn check_slices(&self, whole: &Answer<G>) {
        let mut sliced = self.search();
        let mut dice = Dice::new(3);
        let (mut slices, mut spent) = (0u32, 0);
        loop {
            let nodes = 1 + dice.below(20 << (slices / 20).min(20)) as u64;
            spent += nodes;
            if sliced.run(&Budget::nodes(nodes), &mut ()) == Stop::Done {
                break;
            }
            if slices < 40 {
                self.check_usable(&sliced.answer());
            }
            slices += 1;
            assert!(slices < 1000, "in slices the search does not end: {}", self.place());
        }
        let enough = 4 * whole.effort.nodes + 1000;
        assert!(!self.laws.resumes || spent <= enough, "it begins again with every slice: {}", self.place());
        let sliced = sliced.answer();
        if self.laws.by_the_clock {
            self.check_solved(&sliced);
            return;
        }
        assert_eq!((sliced.verdict, &sliced.line), (whole.verdict, &whole.line), "slices change it: {}", self.place());
    }

    /// A search that is saved and restored after every slice does what an uninterrupted one does; with a limit on
    /// nodes, too.
    fn check_saved(&self, whole: &Answer<G>) {
        let limit = whole.effort.nodes / 2 + 1;
        let mut half = self.search();
        half.run(&Budget::nodes(limit), &mut ());
        let half = half.answer();
        for (limit, expected) in [(u64::MAX, whole), (limit, &half)] {
            let ledger = Ledger::default();
            let (mut search, mut dice) = (self.search(), Dice::new(5));
            let mut slices = 0u32;
            while ledger.spent() < limit {
                let nodes = (1 + dice.below(20 << (slices / 10).min(20)) as u64).min(limit - ledger.spent());
                let budget = Budget { ledger: ledger.clone(), ..Budget::nodes(nodes) };
                if search.run(&budget, &mut ()) == Stop::Done {
                    break;
                }
                search = self.restored(&*search);
                slices += 1;
                assert!(slices < 2000, "saved again and again the search does not end: {}", self.place());
            }
            let found = search.answer();
            let told = |answer: &Answer<G>| (answer.verdict, answer.line.clone(), answer.effort.nodes);
            assert_eq!(told(&found), told(expected), "saving changes it (limit {limit}): {}", self.place());
        }
    }

    /// The search as it comes back from a file.
    fn restored(&self, search: &dyn Search<G>) -> Box<dyn Search<G>> {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes);
        search.save(&mut writer).expect("it can be saved");
        writer.finish().expect("writing to memory does not fail");
        let mut restored = self.search();
        let mut input = bytes.as_slice();
        let mut reader = Reader::new(&mut input, bytes.len() as u64);
        restored.restore(&mut reader).unwrap_or_else(|e| panic!("{e}: {}", self.place()));
        reader.finish().expect("all was read");
        restored
    }

    fn check_stopped(&self) {
        struct Impatient;
        impl Observer for Impatient {
            fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
                ControlFlow::Break(())
            }
        }
        for nodes in 1..4 {
            let mut search = self.search();
            search.run(&Budget::nodes(nodes), &mut ());
            self.check_usable(&search.answer());
        }
        let pulled = Budget::unlimited();
        pulled.stop.pull();
        let mut search = self.search();
        let stop = search.run(&pulled, &mut ());
        assert!(matches!(stop, Stop::Cancelled | Stop::Done), "pulled, but {stop:?}: {}", self.place());
        self.check_usable(&search.answer());
        let mut search = self.search();
        let stop = search.run(&patience(), &mut Impatient);
        assert!(matches!(stop, Stop::Cancelled | Stop::Done), "cancelled, but {stop:?}: {}", self.place());
        self.check_usable(&search.answer());
        // A search that was stopped goes on where it was.
        assert_eq!(search.run(&patience(), &mut ()), Stop::Done, "not done after a stop: {}", self.place());
        self.check_solved(&search.answer());
    }
}
