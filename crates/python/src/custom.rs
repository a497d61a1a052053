//! A game that somebody wrote in Python, behind the same seam as all others.
//!
//! A state is the number of a Python object in an arena of the game value; states with equal keys (Python's own `==`
//! and `hash`) have one number, so the number is an exact key. A move is its place in the list that `moves` gave. What
//! the class said once is remembered: each state is expanded once and each move played once, however often a search
//! comes back. Random games leave the arena alone.
//!
//! Traits of games have no room for exceptions. The first one is kept, the state it came from counts as a draw (and
//! that is not remembered), the search is stopped, and its caller raises the exception: no answer ever rests on it.

use std::marker::PhantomData;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use perfectplay_catalog::{AnyGame, open_game};
use perfectplay_check::{Error, Proof, check_game_file};
use perfectplay_core::{
    Drawing, Estimate, EstimateOf, Facts, Features, Game, Heuristic, Notation, Observer, OrderingHints, Payoff,
    Persist, Player, Playouts, Scores, SolverHints, Status, Symmetric, TextError, ZeroSum,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyList};

use crate::errors::value_error;
use crate::game;

/// What an object of the arena takes, about: a small Python object with its place in a dictionary.
const BYTES_PER_STATE: usize = 500;

/// No child yet; as a state, one that the class failed to make: it counts as a draw, and nobody remembers it.
const UNKNOWN: u32 = u32::MAX;

/// The methods of the class, and everything that was met.
pub(crate) struct Custom {
    name: String,
    methods: Methods,
    facts: Facts,
    start: OnceLock<u32>,
    /// Numbers by key: a Python dictionary, because keys are compared as Python compares.
    numbers: Mutex<Py<PyDict>>,
    states: boxcar::Vec<State>,
    failure: Mutex<Option<PyErr>>,
    failed: AtomicBool,
}

/// Bound methods. Those that a class need not have are none if it has not.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Methods {
    start: Py<PyAny>,
    moves: Py<PyAny>,
    play: Py<PyAny>,
    payoff: Py<PyAny>,
    key: Option<Py<PyAny>>,
    mover: Option<Py<PyAny>>,
    text: Option<Py<PyAny>>,
    move_text: Option<Py<PyAny>>,
    heuristic: Option<Py<PyAny>>,
    evaluate: Option<Py<PyAny>>,
    /// A copy of a state, and a move played in it: for random games.
    copy: Option<Py<PyAny>>,
    apply: Option<Py<PyAny>>,
}

/// What is true of the game, as Python says it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Told {
    players: usize,
    zero_sum: bool,
    acyclic: bool,
    alternating: bool,
    scores: Vec<(i32, i32)>,
    outcomes: Option<Vec<i32>>,
    length: Option<u32>,
    states: Option<f64>,
}

struct State {
    object: Py<PyAny>,
    /// Whose turn it is by counting, where the class does not say.
    turn: Player,
    /// The state before it and the move that led here; the first way that was met.
    before: Option<(u32, u32)>,
    expanded: OnceLock<Expanded>,
}

enum Expanded {
    Turn { mover: Player, moves: Vec<Py<PyAny>>, children: Vec<AtomicU32> },
    Over(Vec<i32>),
}

/// Opens a game that is an object with these methods.
#[pyfunction]
pub(crate) fn open_custom(
    py: Python<'_>,
    name: String,
    methods: &Bound<'_, PyDict>,
    facts: &Bound<'_, PyDict>,
) -> PyResult<game::Game> {
    let (methods, told): (Methods, Told) = (methods.extract()?, facts.extract()?);
    let facts = facts_of(told, methods.heuristic.is_some() || methods.evaluate.is_some())?;
    let custom = Arc::new(Custom {
        name,
        methods,
        facts,
        start: OnceLock::new(),
        numbers: Mutex::new(PyDict::new(py).unbind()),
        states: boxcar::Vec::new(),
        failure: Mutex::new(None),
        failed: AtomicBool::new(false),
    });
    Ok(game::Game { game: custom.open(), custom: Some(custom) })
}

/// The most outcomes that are listed one by one.
const MOST_OUTCOMES: i32 = 1000;

fn facts_of(told: Told, heuristic: bool) -> PyResult<Facts> {
    let Told { players, zero_sum, acyclic, alternating, scores, outcomes, length, states } = told;
    if !(2..=6).contains(&players) {
        return Err(value_error(format!("games are for 2 to 6 players, got players = {players}")));
    }
    if zero_sum && players != 2 {
        return Err(value_error("zero_sum = True is for games of two players; others have a score for each"));
    }
    if scores.len() != players || scores.iter().any(|(low, high)| low > high) {
        return Err(value_error(format!("scores must be (least, greatest), got {scores:?} for {players} players")));
    }
    if zero_sum && scores[1] != (-scores[0].1, -scores[0].0) {
        return Err(value_error(format!(
            "in a zero-sum game the scores of both players mirror each other: {scores:?}"
        )));
    }
    let (low, high) = scores[0];
    let few = zero_sum && high.checked_sub(low).is_some_and(|n| n <= MOST_OUTCOMES);
    let outcomes = outcomes.or(few.then(|| (low..=high).collect()));
    let total = |part: fn(&(i32, i32)) -> i32| scores.iter().map(part).fold(0, i32::saturating_add);
    let sum = if zero_sum { (0, 0) } else { (total(|s| s.0), total(|s| s.1)) };
    Ok(Facts {
        players,
        zero_sum,
        acyclic,
        alternating,
        history: false,
        scores,
        sum,
        outcomes,
        length,
        states,
        heuristic,
    })
}

/// Calls `$body` with `$P` standing for the kind of payoff that a game has.
macro_rules! with_payoff {
    ($facts:expr, $P:ident => $body:expr) => {
        match ($facts.zero_sum, $facts.players) {
            (true, _) => with_payoff!(@ $P = ZeroSum => $body),
            (false, 2) => with_payoff!(@ $P = Scores<2> => $body),
            (false, 3) => with_payoff!(@ $P = Scores<3> => $body),
            (false, 4) => with_payoff!(@ $P = Scores<4> => $body),
            (false, 5) => with_payoff!(@ $P = Scores<5> => $body),
            (false, _) => with_payoff!(@ $P = Scores<6> => $body),
        }
    };
    (@ $P:ident = $Payoff:ty => $body:expr) => {{
        type $P = $Payoff;
        $body
    }};
}

impl Custom {
    fn open(self: &Arc<Self>) -> Box<dyn AnyGame> {
        with_payoff!(self.facts, P => open_game(&self.name, PyGame::<P>::new(self)))
    }

    /// Checks a proof about this game.
    pub(crate) fn check_file(
        self: &Arc<Self>,
        file: &Path,
        memory: usize,
        observer: &mut dyn Observer,
    ) -> Result<Proof, Error> {
        with_payoff!(self.facts, P => check_game_file(file, &self.name, PyGame::<P>::new(self), memory, observer))
    }

    /// Whether its code has raised an exception that nobody took yet.
    pub(crate) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// The exception.
    pub(crate) fn take_failure(&self, py: Python<'_>) -> Option<PyErr> {
        if !self.failed() {
            return None;
        }
        let mut failure = self.failure.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        self.failed.store(false, Ordering::Relaxed);
        failure.take()
    }

    /// Calls code of the class; its first exception is kept.
    fn call<T>(&self, f: impl FnOnce(Python<'_>) -> PyResult<T>) -> Option<T> {
        if self.failed() {
            return None;
        }
        Python::attach(|py| match f(py) {
            Ok(value) => Some(value),
            Err(error) => {
                let mut failure = self.failure.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert(error);
                self.failed.store(true, Ordering::Relaxed);
                None
            }
        })
    }

    fn state(&self, number: u32) -> &State {
        self.states.get(number as usize).expect("states do not leave their game")
    }

    fn begin(&self) -> u32 {
        let start = || self.call(|py| self.number(self.methods.start.bind(py).call0()?, Player::FIRST, None));
        if let Some(&start) = self.start.get() {
            return start;
        }
        match start() {
            Some(number) => *self.start.get_or_init(|| number),
            None => UNKNOWN,
        }
    }

    /// The number of a state: that of the state with an equal key, or a new one.
    fn number(&self, object: Bound<'_, PyAny>, turn: Player, before: Option<(u32, u32)>) -> PyResult<u32> {
        let py = object.py();
        let key = match &self.methods.key {
            Some(key) => key.bind(py).call1((&object,))?,
            None => object.clone(),
        };
        // Where the class does not say whose turn it is, that is part of the key.
        let key = match &self.methods.mover {
            Some(_) => key,
            None => (key, turn.index()).into_pyobject(py)?.into_any(),
        };
        let numbers = self.numbers.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let numbers = numbers.bind(py);
        if let Some(number) = numbers.get_item(&key).map_err(|error| self.unhashable(py, error))? {
            return number.extract();
        }
        let state = State { object: object.unbind(), turn, before, expanded: OnceLock::new() };
        let number = u32::try_from(self.states.push(state)).expect("memory ends before numbers do");
        numbers.set_item(key, number)?;
        Ok(number)
    }

    fn unhashable(&self, py: Python<'_>, error: PyErr) -> PyErr {
        if !error.is_instance_of::<PyTypeError>(py) {
            return error;
        }
        let what = if self.methods.key.is_some() { "keys" } else { "states" };
        let sentence =
            format!("{what} of {} cannot be looked up ({error}): define key(state) with a hashable answer", self.name);
        let told = PyTypeError::new_err(sentence);
        told.set_cause(py, Some(error));
        told
    }

    /// Moves or payoff of a state; none if the class failed.
    fn expanded(&self, number: u32) -> Option<&Expanded> {
        if number == UNKNOWN {
            return None;
        }
        let state = self.state(number);
        if let Some(expanded) = state.expanded.get() {
            return Some(expanded);
        }
        let expanded = self.call(|py| self.expand_now(state, py))?;
        Some(state.expanded.get_or_init(|| expanded))
    }

    fn expand_now(&self, state: &State, py: Python<'_>) -> PyResult<Expanded> {
        let object = state.object.bind(py);
        let listed = self.methods.moves.bind(py).call1((object,))?;
        let moves = listed.try_iter()?.map(|mv| mv.map(Bound::unbind)).collect::<PyResult<Vec<_>>>()?;
        if moves.is_empty() {
            return self.scores(object).map(Expanded::Over);
        }
        let mover = match &self.methods.mover {
            None => state.turn,
            Some(mover) => {
                let number: usize = mover.bind(py).call1((object,))?.extract()?;
                if !(1..=self.facts.players).contains(&number) {
                    let players = self.facts.players;
                    return Err(value_error(format!("mover(state) must be 1 to {players}, got {number}")));
                }
                Player::new(number - 1)
            }
        };
        let children = moves.iter().map(|_| AtomicU32::new(UNKNOWN)).collect();
        Ok(Expanded::Turn { mover, moves, children })
    }

    /// What a finished game is worth to each player.
    fn scores(&self, object: &Bound<'_, PyAny>) -> PyResult<Vec<i32>> {
        let told = self.methods.payoff.bind(object.py()).call1((object,))?;
        let scores: Vec<i32> = match told.extract::<i32>() {
            Ok(score) if self.facts.zero_sum => vec![score, -score],
            _ => told.extract().map_err(|_| self.bad_payoff(&told, "whole numbers, one for each player"))?,
        };
        if scores.len() != self.facts.players {
            return Err(self.bad_payoff(&told, &format!("{} numbers", self.facts.players)));
        }
        if self.facts.zero_sum && scores[0].checked_neg() != Some(scores[1]) {
            return Err(self.bad_payoff(&told, "opposed: what one wins the other loses (or say zero_sum = False)"));
        }
        for (score, (low, high)) in scores.iter().zip(&self.facts.scores) {
            if !(low..=high).contains(&score) {
                return Err(self.bad_payoff(&told, &format!("within scores = ({low}, {high})")));
            }
        }
        Ok(scores)
    }

    fn bad_payoff(&self, told: &Bound<'_, PyAny>, must: &str) -> PyErr {
        value_error(format!("payoff(state) of {} must be {must}, got {told}", self.name))
    }

    fn child(&self, number: u32, mv: u32) -> u32 {
        let Some(Expanded::Turn { mover, moves, children }) = self.expanded(number) else { return UNKNOWN };
        let Some(known) = children.get(mv as usize) else { return UNKNOWN };
        let child = known.load(Ordering::Relaxed);
        if child != UNKNOWN {
            return child;
        }
        let played = self.call(|py| {
            let next = self.methods.play.bind(py).call1((&self.state(number).object, &moves[mv as usize]))?;
            self.number(next, mover.next(self.facts.players), Some((number, mv)))
        });
        // Nowhere, where everything is over: a search that is about to be stopped must not run in circles.
        let Some(child) = played else { return UNKNOWN };
        known.store(child, Ordering::Relaxed);
        child
    }

    fn move_text(&self, number: u32, mv: u32) -> String {
        let Some(Expanded::Turn { moves, .. }) = self.expanded(number) else { return "?".into() };
        let Some(mv) = moves.get(mv as usize) else { return "?".into() };
        let text = self.call(|py| match &self.methods.move_text {
            Some(text) => text.bind(py).call1((&self.state(number).object, mv))?.extract::<String>(),
            None => Ok(mv.bind(py).str()?.to_string()),
        });
        text.unwrap_or_default().split_whitespace().collect()
    }

    /// The moves from the start: what can always be read back.
    fn position_text(&self, mut number: u32) -> String {
        let mut line = Vec::new();
        while number != UNKNOWN
            && let Some((before, mv)) = self.state(number).before
        {
            line.push(self.move_text(before, mv));
            number = before;
        }
        line.reverse();
        if line.is_empty() { START.into() } else { line.join(" ") }
    }

    fn estimates(&self, states: &[u32]) -> Option<Vec<Vec<f32>>> {
        if states.contains(&UNKNOWN) {
            return None;
        }
        self.call(|py| {
            let objects = states.iter().map(|&number| &self.state(number).object);
            let Some(evaluate) = &self.methods.evaluate else {
                let heuristic = self.methods.heuristic.as_ref().expect("asked only if there is one").bind(py);
                return objects.map(|object| self.estimate(&heuristic.call1((object,))?)).collect();
            };
            let list = PyList::new(py, objects)?;
            let told = evaluate.bind(py).call1((list,))?;
            let told = if told.hasattr("tolist")? { told.call_method0("tolist")? } else { told };
            let estimates = told.try_iter()?.map(|guess| self.estimate(&guess?)).collect::<PyResult<Vec<_>>>()?;
            if estimates.len() != states.len() {
                let (got, wanted) = (estimates.len(), states.len());
                return Err(value_error(format!("evaluate(states) must answer {wanted} guesses, got {got}")));
            }
            Ok(estimates)
        })
    }

    /// An estimate for each player: a number is the first player's.
    fn estimate(&self, told: &Bound<'_, PyAny>) -> PyResult<Vec<f32>> {
        let estimate = match told.extract::<f32>() {
            Ok(first) if self.facts.players == 2 => vec![first, -first],
            _ => told.extract()?,
        };
        if estimate.len() != self.facts.players || estimate.iter().any(|g| !g.is_finite()) {
            let players = self.facts.players;
            return Err(value_error(format!("a guess must be a number for each of {players} players, got {told}")));
        }
        Ok(estimate)
    }

    /// A random game on objects alone.
    fn playout(
        &self,
        number: u32,
        most: u32,
        below: &mut dyn FnMut(usize) -> usize,
    ) -> Option<(Option<Vec<i32>>, u32)> {
        self.call(|py| {
            let mut object = self.state(number).object.bind(py).clone();
            let (moves, play) = (self.methods.moves.bind(py), self.methods.play.bind(py));
            let in_place = self.methods.copy.as_ref().zip(self.methods.apply.as_ref());
            if let Some((copy, _)) = in_place {
                object = copy.bind(py).call1((&object,))?;
            }
            for ply in 0..=most {
                let listed = moves.call1((&object,))?;
                let listed = match listed.cast_into::<PyList>() {
                    Ok(list) => list,
                    Err(other) => {
                        let other = other.into_inner();
                        PyList::new(py, other.try_iter()?.collect::<PyResult<Vec<_>>>()?)?
                    }
                };
                if listed.is_empty() {
                    return Ok((Some(self.scores(&object)?), ply));
                }
                if ply == most {
                    break;
                }
                let mv = listed.get_item(below(listed.len()))?;
                match in_place {
                    Some((_, apply)) => drop(apply.bind(py).call1((&object, mv))?),
                    None => object = play.call1((object, mv))?,
                }
            }
            Ok((None, most))
        })
    }
}

/// The text of the position in which a game begins.
const START: &str = "start";

/// The game with payoffs of type `P`.
struct PyGame<P> {
    custom: Arc<Custom>,
    payoff: PhantomData<P>,
}

impl<P: Payoff> PyGame<P> {
    fn new(custom: &Arc<Custom>) -> Self {
        PyGame { custom: custom.clone(), payoff: PhantomData }
    }

    fn status_of(expanded: Option<&Expanded>) -> Status<P> {
        match expanded {
            Some(Expanded::Turn { mover, .. }) => Status::Turn(*mover),
            Some(Expanded::Over(scores)) => Status::Over(P::from_scores(scores)),
            None => Status::Over(P::draw()),
        }
    }
}

impl<P: Payoff> Game for PyGame<P> {
    type State = u32;
    type Move = u32;
    type Payoff = P;
    type Key = u32;

    fn start(&self) -> u32 {
        self.custom.begin()
    }

    fn expand(&self, &state: &u32, moves: &mut Vec<u32>) -> Status<P> {
        let expanded = self.custom.expanded(state);
        if let Some(Expanded::Turn { moves: listed, .. }) = expanded {
            moves.extend(0..listed.len() as u32);
        }
        Self::status_of(expanded)
    }

    fn play(&self, state: &mut u32, mv: u32) {
        *state = self.custom.child(*state, mv);
    }

    fn key(&self, &state: &u32) -> u32 {
        state
    }

    fn facts(&self) -> Facts {
        self.custom.facts.clone()
    }

    fn status(&self, &state: &u32) -> Status<P> {
        Self::status_of(self.custom.expanded(state))
    }
}

impl<P: Payoff> Notation for PyGame<P> {
    fn position_text(&self, &state: &u32) -> String {
        self.custom.position_text(state)
    }

    fn parse_position(&self, text: &str) -> Result<u32, TextError> {
        let mut state = self.start();
        for word in text.split_whitespace().filter(|&word| word != START) {
            let mv = self.parse_move(&state, word)?;
            self.play(&mut state, mv);
        }
        Ok(state)
    }

    fn move_text(&self, &state: &u32, mv: u32) -> String {
        self.custom.move_text(state, mv)
    }

    fn drawing(&self, &state: &u32) -> Drawing {
        let text = self.custom.methods.text.as_ref().filter(|_| state != UNKNOWN);
        let drawn = text.and_then(|text| {
            self.custom.call(|py| text.bind(py).call1((&self.custom.state(state).object,))?.extract::<String>())
        });
        Drawing::text(drawn.unwrap_or_else(|| self.custom.position_text(state)))
    }
}

impl<P: Payoff> Playouts for PyGame<P> {
    fn playout(
        &self,
        state: u32,
        most: u32,
        _: &mut Vec<u32>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<P>, u32) {
        if state == UNKNOWN {
            return (Some(P::draw()), 0);
        }
        match self.custom.playout(state, most, below) {
            Some((scores, plies)) => (scores.map(|scores| P::from_scores(&scores)), plies),
            None => (Some(P::draw()), 0),
        }
    }
}

impl<P: Payoff> Heuristic for PyGame<P> {
    fn heuristic(&self, &state: &u32) -> EstimateOf<Self> {
        let estimate = self.custom.estimates(&[state]).and_then(|mut all| all.pop());
        Estimate::from_fn(|p| estimate.as_ref().map_or(0.0, |parts| parts[p.index()]))
    }

    fn heuristics(&self, states: &[u32], out: &mut Vec<EstimateOf<Self>>) {
        let estimates = self.custom.estimates(states).unwrap_or_else(|| vec![vec![0.0; P::PLAYERS]; states.len()]);
        out.extend(estimates.iter().map(|parts| <EstimateOf<Self>>::from_fn(|p| parts[p.index()])));
    }
}

impl<P: Payoff> Persist for PyGame<P> {
    /// Numbers are given in the order in which states are met.
    fn stable_keys(&self) -> bool {
        false
    }

    fn kept_bytes(&self) -> usize {
        self.custom.states.count() * BYTES_PER_STATE
    }
}

impl<P: Payoff> Symmetric for PyGame<P> {}
impl<P: Payoff> Features for PyGame<P> {}
impl<P: Payoff> SolverHints for PyGame<P> {}
impl<P: Payoff> OrderingHints for PyGame<P> {}
