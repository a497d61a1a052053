//! A line of play from the root to the end of the game on which both sides keep the value that is proved.
//!
//! The value alone does not tell it: a search for one goal knows the moves of one side only, trees are freed below what
//! is settled, and tables lose entries. So once the value is known, the position at the end of the line is asked about
//! again, in the name of its mover, until the game is over there. A search that keeps its positions (a graph, a table)
//! goes on from one position of the line to the next and has most answers at hand; a tree is grown anew.
//!
//! Nothing is guessed: if the budget is used up, the line ends where it is.

use std::sync::Arc;

use perfectplay_core::{FullGame, Meter, Observer, Player, Status, Stop, ZeroSum};

use crate::proof_number::effort_numbers::Window;
use crate::proof_number::goals::{Aim, Outcomes};
use crate::proof_number::pns::Shape;
use crate::proof_number::tree_search::{Options, Prover, Tally};
use crate::support::saved::{Reader, SaveError, Writer};

/// What searches are made from.
pub(crate) struct Ground<G: FullGame<Payoff = ZeroSum>> {
    pub(crate) game: Arc<G>,
    pub(crate) outcomes: Arc<Outcomes>,
    pub(crate) shape: Shape<G>,
    pub(crate) options: Options,
}

impl<G: FullGame<Payoff = ZeroSum>> Ground<G> {
    /// Bytes that a search is made for.
    fn memory(&self) -> usize {
        if let Shape::Table(settings, _) = &self.shape { settings.memory } else { usize::MAX }
    }

    pub(crate) fn prover(&self, root: &G::State, aim: Aim) -> Box<dyn Prover<G>> {
        let (game, outcomes) = (self.game.clone(), self.outcomes.clone());
        match self.shape {
            Shape::Tree(make) => make(game, *root, outcomes, aim, self.options),
            Shape::Graph(sum, make) => make(game, *root, outcomes, aim, self.options, sum),
            Shape::Table(settings, make) => make(game, *root, outcomes, aim, settings),
        }
    }
}

/// What is asked in positions whose value is known, to find a move that keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Questions {
    /// For all goals at once, of both sides.
    All,
    /// One of each side: the first player wants its goal proved, the second player its goal disproved. A side that
    /// cannot fare worse has none.
    Sides([Option<usize>; 2]),
}

impl Questions {
    /// The goals on both sides of the outcome of this rank.
    pub(crate) fn about(rank: u16, goals: usize) -> Self {
        let rank = usize::from(rank);
        Questions::Sides([rank.checked_sub(1), (rank < goals).then_some(rank)])
    }

    /// The number and the aim of the question for `mover`, and whether its whole line keeps the value; `None` if every
    /// line does, because the game has one outcome only.
    fn of(self, mover: Player) -> Option<(usize, Aim, bool)> {
        match self {
            Questions::All => Some((0, Aim::All, true)),
            Questions::Sides([Some(goal), None]) => Some((0, Aim::Goal(goal), true)),
            Questions::Sides([None, Some(goal)]) => Some((1, Aim::Goal(goal), true)),
            Questions::Sides(goals) => goals[mover.index()].map(|goal| (mover.index(), Aim::Goal(goal), false)),
        }
    }

    fn aim(self, number: usize) -> Option<Aim> {
        match self {
            Questions::All => (number == 0).then_some(Aim::All),
            Questions::Sides(goals) => goals[number].map(Aim::Goal),
        }
    }

    /// Which of them a search for `aim` answers.
    fn number(self, aim: Aim) -> Option<usize> {
        (0..2).find(|&number| self.aim(number) == Some(aim))
    }
}

/// What searches took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) nodes: u64,
    pub(crate) expansions: u64,
    pub(crate) collections: u64,
    pub(crate) tally: Tally,
}

impl Spent {
    pub(crate) fn of<G: FullGame<Payoff = ZeroSum>>(prover: &dyn Prover<G>) -> Self {
        Spent {
            nodes: prover.nodes(),
            expansions: prover.expansions(),
            collections: prover.collections(),
            tally: prover.tally(),
        }
    }
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.expansions += other.expansions;
        self.collections += other.collections;
        self.tally += other.tally;
    }
}

/// A search that has answered a question, or is about to, in the position after so many moves of the line.
struct Asked<G: FullGame<Payoff = ZeroSum>> {
    after: usize,
    prover: Box<dyn Prover<G>>,
}

/// The line and the searches that continue it.
pub(crate) struct ProvedLine<G: FullGame<Payoff = ZeroSum>> {
    pub(crate) moves: Vec<G::Move>,
    asked: [Option<Asked<G>>; 2],
    /// By searches that are no longer there.
    spent: Spent,
}

impl<G: FullGame<Payoff = ZeroSum>> ProvedLine<G> {
    pub(crate) fn new() -> Self {
        ProvedLine { moves: Vec::new(), asked: [None, None], spent: Spent::default() }
    }

    /// Takes over a search that has settled the root for `aim`: it may know the moves to come.
    pub(crate) fn take_over(&mut self, prover: Box<dyn Prover<G>>, aim: Aim, questions: Questions) {
        self.release();
        let number = questions.number(aim).unwrap_or(0);
        self.asked[number] = Some(Asked { after: 0, prover });
    }

    /// Frees all searches: their memory is needed.
    pub(crate) fn release(&mut self) {
        for asked in &mut self.asked {
            Self::drop_search(asked, &mut self.spent);
        }
    }

    fn drop_search(asked: &mut Option<Asked<G>>, spent: &mut Spent) {
        if let Some(Asked { prover, .. }) = asked.take() {
            *spent += Spent::of(&*prover);
        }
    }

    /// What all its searches took so far.
    pub(crate) fn spent(&self) -> Spent {
        let mut all = self.spent;
        self.asked.iter().flatten().for_each(|asked| all += Spent::of(&*asked.prover));
        all
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.asked.iter().flatten().map(|asked| asked.prover.bytes()).sum()
    }

    /// What the searches remember of a state.
    pub(crate) fn known(&self, state: &G::State) -> Option<Window> {
        self.asked.iter().flatten().filter_map(|asked| asked.prover.known(state)).reduce(Window::and)
    }

    fn state_after(&self, game: &G, root: &G::State, moves: usize) -> G::State {
        self.moves[..moves].iter().fold(*root, |state, &mv| game.after(&state, mv))
    }

    /// Continues the line to the end of the game, or until something stops it.
    pub(crate) fn extend(
        &mut self,
        ground: &Ground<G>,
        root: &G::State,
        questions: Questions,
        threads: usize,
        meter: &mut Meter,
        observer: &mut dyn Observer,
    ) -> Option<Stop> {
        let memory = ground.memory().min(meter.memory());
        self.share(memory);
        let mut end = self.state_after(&ground.game, root, self.moves.len());
        while let Status::Turn(mover) = ground.game.status(&end) {
            let Some((number, aim, whole)) = questions.of(mover).filter(|_| ground.outcomes.goals() > 0) else {
                let mut moves = Vec::new();
                ground.game.expand(&end, &mut moves);
                ground.game.play(&mut end, moves[0]);
                self.moves.push(moves[0]);
                continue;
            };
            let after = self.moves.len();
            if self.asked[number].as_ref().is_none_or(|asked| asked.after != after) {
                self.ask(number, ground, &end, aim);
                self.share(memory);
            }
            let asked = self.asked[number].as_mut().expect("asked above");
            if let Some(stop) = asked.prover.prove(threads, meter, observer) {
                return Some(stop);
            }
            let mut found = asked.prover.line();
            found.truncate(if whole { usize::MAX } else { 1 });
            if found.is_empty() {
                return None;
            }
            for &mv in &found {
                ground.game.play(&mut end, mv);
            }
            self.moves.append(&mut found);
        }
        None
    }

    /// Sets a search to work on `end`, the position at the end of the line: the one that is there if it can go on.
    fn ask(&mut self, number: usize, ground: &Ground<G>, end: &G::State, aim: Aim) {
        let after = self.moves.len();
        if let Some(asked) = &mut self.asked[number]
            && asked.prover.reroot(end)
        {
            asked.after = after;
            return;
        }
        Self::drop_search(&mut self.asked[number], &mut self.spent);
        self.asked[number] = Some(Asked { after, prover: ground.prover(end, aim) });
    }

    /// Two searches share the memory.
    fn share(&mut self, memory: usize) {
        if let [Some(a), Some(b)] = &mut self.asked {
            a.prover.limit(memory / 2);
            b.prover.limit((memory / 2).min(memory.saturating_sub(a.prover.bytes())));
        }
    }

    /// Writes the line, and with `searches` what goes on with it.
    pub(crate) fn save(&self, searches: bool, to: &mut Writer<'_>) -> Result<(), SaveError> {
        let spent = if searches { self.spent } else { self.spent() };
        to.put([spent.nodes, spent.expansions, spent.collections])?;
        to.put_all(&self.moves)?;
        for asked in &self.asked {
            let asked = asked.as_ref().filter(|_| searches);
            to.put(asked.is_some())?;
            if let Some(Asked { after, prover }) = asked {
                to.put(*after as u64)?;
                prover.save(to)?;
            }
        }
        Ok(())
    }

    /// Reads what [`ProvedLine::save`] wrote.
    pub(crate) fn restore(
        &mut self,
        ground: &Ground<G>,
        root: &G::State,
        questions: Questions,
        from: &mut Reader<'_>,
    ) -> Result<(), SaveError> {
        [self.spent.nodes, self.spent.expansions, self.spent.collections] = from.get()?;
        self.moves = from.get_all()?;
        for number in 0..2 {
            if !from.get::<bool>()? {
                continue;
            }
            let after = from.get::<u64>()? as usize;
            let aim = questions.aim(number).filter(|_| after <= self.moves.len());
            let aim = aim.ok_or(SaveError::Damaged("a search beyond its line"))?;
            let state = self.state_after(&ground.game, root, after);
            if !matches!(ground.game.status(&state), Status::Turn(_)) {
                return Err(SaveError::Damaged("a search beyond the end of the game"));
            }
            let mut prover = ground.prover(&state, aim);
            prover.restore(from)?;
            self.asked[number] = Some(Asked { after, prover });
        }
        Ok(())
    }
}
