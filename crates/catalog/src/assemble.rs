//! One proof out of many: what several searches have proved about positions of one game, each with a strategy in a
//! file, becomes the proof of the position above them all.
//!
//! Every state in which a strategy has a choice, and the state that the choice leads to, is proved to be worth what the
//! strategy says. So the proof is built from the root down like any other (`certify.rs`), with a search that remembers
//! all these states: two strategies that meet in a state may choose differently there, and either choice keeps the
//! value. What nobody remembers is proved again. The parts are checked as they are read, and the proof can be checked
//! as a whole.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use perfectplay_check::verify::Watch;
use perfectplay_check::{Claim, Part, check_parts};
use perfectplay_core::{Answer, Budget, Effort, FullGame, Objective, Observer, Payoff, Player, Stop, Verdict};
use perfectplay_search::{Refusal, Search};
use rustc_hash::FxHashMap;

use crate::Error;
use crate::certify::{ProofFile, ProofLine, Source};
use crate::position::{AnyPosition, Position};
use crate::search::header;

/// One side of what is proved: the first player gets at least this value, or at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofSide {
    /// At least, rather than at most.
    pub at_least: bool,
    /// Under the objective.
    pub value: i32,
}

impl ProofSide {
    pub(crate) fn part(self) -> Part {
        if self.at_least { Part::AtLeast } else { Part::AtMost }
    }
}

/// What a proof is put together from.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// What the value is about.
    pub objective: Objective,
    /// The value of the position, to the first player.
    pub value: i32,
    /// Files with strategies.
    pub parts: Vec<PathBuf>,
    /// What is proved about positions below, by the moves that lead there.
    pub known: Vec<(Vec<String>, ProofSide)>,
}

pub(crate) fn refusal() -> Error {
    Refusal::Other("proofs of one side are written for two players with opposed interests".into()).into()
}

/// [`proof`], for who has opposed interests.
pub(crate) type Assemble<G> =
    fn(&Position<G>, &Pieces, ProofFile, &Budget, &mut dyn Observer) -> Result<ProofLine, Error>;

pub(crate) fn proof<G: FullGame>(
    position: &Position<G>,
    pieces: &Pieces,
    file: ProofFile,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<ProofLine, Error> {
    let started = Instant::now();
    let opened = &position.opened;
    let (game, objective) = (&opened.game, pieces.objective);
    let mut known = Known::<G> {
        game: game.clone(),
        objective,
        outcomes: Outcomes::of(&**game, objective),
        bounds: FxHashMap::default(),
    };
    for path in &pieces.parts {
        let unread = |error: String| Error::Unreadable(format!("{}: {error}", path.display()));
        let mut choices = Choices { game: &**game, states: Vec::new(), moves: Vec::new() };
        let header = check_parts(path, &opened.spec, &**game, budget.memory_left(), &mut choices, observer);
        let header = header.map_err(|error| unread(error.to_string()))?;
        let Claim::Value(value) = header.claim else { return Err(unread("it is no strategy".into())) };
        if header.objective != objective {
            return Err(unread(format!("it is about the {}", header.objective)));
        }
        for (part, state) in choices.states {
            known.add(game.key(&state), ProofSide { at_least: part == Part::AtLeast, value });
        }
    }
    for (moves, side) in &pieces.known {
        let mut below = position.clone();
        for mv in moves {
            below.play(mv)?;
        }
        known.add(game.key(&below.state), *side);
    }
    let value = G::Payoff::from_scores(&[pieces.value, -pieces.value]);
    let root = &position.state;
    let source = Source { game, root, objective, value, search: &mut known, budget, observer };
    let draft = (opened.by_payoff.prove)(source)?;
    file.write(header(position, objective, &draft), draft, started)
}

/// All values there are, least first; the bounds of all if they cannot be listed.
struct Outcomes {
    listed: bool,
    values: Vec<i32>,
}

impl Outcomes {
    fn of<G: FullGame>(game: &G, objective: Objective) -> Self {
        let facts = game.facts();
        let (listed, scores) = match facts.outcomes {
            Some(outcomes) => (true, outcomes),
            None => (false, vec![facts.scores[0].0, facts.scores[0].1]),
        };
        let value = |score: i32| objective.value(G::Payoff::from_scores(&[score, -score]), Player::FIRST);
        Outcomes { listed, values: scores.into_iter().map(value).collect() }
    }

    fn limits(&self) -> (i32, i32) {
        (self.values[0], self.values[self.values.len() - 1])
    }

    /// The least outcome that is at least, or the greatest that is at most, so much: between two there is nothing.
    fn nearest(&self, side: ProofSide) -> i32 {
        let mut values = self.values.iter().copied().filter(|_| self.listed);
        let nearest = match side.at_least {
            true => values.find(|&v| v >= side.value),
            false => values.rfind(|&v| v <= side.value),
        };
        nearest.unwrap_or(side.value)
    }
}

/// Collects the states of a strategy that are worth what it says: where it chooses, and where the choice leads.
struct Choices<'a, G: FullGame> {
    game: &'a G,
    states: Vec<(Part, G::State)>,
    moves: Vec<G::Move>,
}

impl<G: FullGame> Watch<G> for Choices<'_, G> {
    fn chosen(&mut self, part: Part, state: &G::State, choice: usize) {
        self.moves.clear();
        self.game.expand(state, &mut self.moves);
        self.states.push((part, *state));
        self.states.extend(self.moves.get(choice).map(|&mv| (part, self.game.after(state, mv))));
    }
}

/// A search that has searched nothing and remembers what others have proved.
struct Known<G: FullGame> {
    game: Arc<G>,
    objective: Objective,
    outcomes: Outcomes,
    bounds: FxHashMap<G::Key, (i32, i32)>,
}

impl<G: FullGame> Known<G> {
    fn add(&mut self, key: G::Key, side: ProofSide) {
        let value = self.outcomes.nearest(side);
        let (lower, upper) = self.bounds.entry(key).or_insert(self.outcomes.limits());
        if side.at_least {
            *lower = (*lower).max(value);
        } else {
            *upper = (*upper).min(value);
        }
    }
}

impl<G: FullGame> Search<G> for Known<G> {
    fn run(&mut self, _: &Budget, _: &mut dyn Observer) -> Stop {
        Stop::Done
    }

    fn answer(&self) -> Answer<G> {
        Answer {
            mover: None,
            verdict: Verdict::Unknown,
            line: vec![],
            moves: vec![],
            effort: Effort { nodes: 0, bytes: 0 },
            counts: vec![],
            notes: vec![],
        }
    }

    fn proved(&self, state: &G::State) -> Verdict<G::Payoff> {
        let payoff = |value: i32| G::Payoff::from_scores(&[value, -value]);
        match self.bounds.get(&self.game.key(state)) {
            Some(&(lower, upper)) if lower <= upper => Verdict::bounds(self.objective, payoff(lower), payoff(upper)),
            _ => Verdict::Unknown,
        }
    }
}
