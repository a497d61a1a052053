//! The tree of a depth-first search, for whoever watches: a line for every state when it is left, with the moves that
//! were cut there.
//!
//! The search runs on a thread of its own, and observers stay on theirs: what is told waits in between ([`Told`]).

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use perfectplay_core::{Growth, Observer, Opened, Player, Progress, StateNow};

use crate::alpha_beta::scale::{INFINITE, Scale};

/// Lines that no observer has seen yet.
pub(crate) type Told = Arc<Mutex<Vec<Growth>>>;

/// Follows the search down and up.
pub(crate) struct Teller {
    to: Told,
    /// From the root to the state that was entered last.
    path: Vec<Visit>,
    /// States opened since the last line.
    opened: Vec<Opened>,
    states: u32,
    left: u64,
}

/// A state on the path.
struct Visit {
    state: u32,
    mv: String,
    window: [i32; 2],
    /// The best so far.
    value: Option<i32>,
    /// Leaves guessed at before it was entered.
    guesses: u64,
    mover: Player,
    /// Its moves lead to states numbered from here on.
    first: u32,
    moves: Vec<String>,
    tried: usize,
}

impl Teller {
    pub(crate) fn new(to: &Told) -> Self {
        Teller { to: to.clone(), path: vec![], opened: vec![], states: 1, left: 0 }
    }

    pub(crate) fn enter(&mut self, window: [i32; 2], guesses: u64) {
        let (state, mv) = match self.path.last_mut() {
            Some(above) => {
                above.tried += 1;
                (above.first + above.tried as u32 - 1, above.moves[above.tried - 1].clone())
            }
            None => (0, String::new()),
        };
        let visit =
            Visit { state, mv, window, value: None, guesses, mover: Player::FIRST, first: 0, moves: vec![], tried: 0 };
        self.path.push(visit);
    }

    pub(crate) fn opened(&mut self, mover: Player, moves: Vec<String>) {
        let visit = self.path.last_mut().expect("a state was entered");
        (visit.mover, visit.first) = (mover, self.states);
        let moves_now = moves.iter().zip(self.states..);
        let moves_now = moves_now.map(|(mv, state)| (mv.clone(), StateNow { state, ..StateNow::default() }, true));
        self.opened.push(Opened { state: visit.state, moves: moves_now.collect() });
        self.states += moves.len() as u32;
        visit.moves = moves;
    }

    pub(crate) fn leave(&mut self, value: i32, guesses: u64, scale: Scale) {
        self.left += 1;
        let last = self.path.last_mut().expect("a state was entered");
        last.value = Some(value);
        let [alpha, beta] = last.window;
        let exact = last.moves.is_empty() || alpha < value && value < beta;
        let mut visited: Vec<StateNow> = self.path.iter().map(|visit| visit.now(scale)).collect();
        let last = self.path.pop().expect("as above");
        visited.last_mut().expect("as above").resolved = exact && last.guesses == guesses;
        let mut line: Vec<String> = self.path.iter().skip(1).map(|visit| visit.mv.clone()).collect();
        line.extend((!self.path.is_empty()).then_some(last.mv));
        let cut = (last.first + last.tried as u32..last.first + last.moves.len() as u32).collect();
        let opened = std::mem::take(&mut self.opened);
        let growth = Growth { iteration: self.left, line, visited, opened, cut, nodes: self.states.into() };
        self.to.lock().expect("no holder panics").push(growth);
        if let Some(above) = self.path.last_mut() {
            let better = |best: i32| if above.mover == Player::FIRST { best.max(value) } else { best.min(value) };
            above.value = Some(above.value.map_or(value, better));
        }
    }
}

impl Visit {
    fn now(&self, scale: Scale) -> StateNow {
        let value = self.value.map_or(vec![], |value| {
            let value = scale.estimate(value);
            vec![value + 0.0, 0.0 - value] // no negative zero
        });
        let end = |end: i32| match end {
            INFINITE => f32::INFINITY,
            end if end == -INFINITE => f32::NEG_INFINITY,
            end => scale.estimate(end),
        };
        StateNow { state: self.state, value, resolved: false, numbers: vec![], window: Some(self.window.map(end)) }
    }
}

/// An observer who also hears what was told.
pub(crate) struct Relay<'a> {
    pub(crate) told: &'a Told,
    pub(crate) observer: &'a mut dyn Observer,
}

impl Relay<'_> {
    /// Tells the observer all that waits.
    pub(crate) fn pass_on(&mut self) -> ControlFlow<()> {
        let lines = std::mem::take(&mut *self.told.lock().expect("no holder panics"));
        lines.iter().try_for_each(|growth| self.observer.growth(growth))
    }
}

impl Observer for Relay<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.pass_on()?;
        self.observer.progress(progress)
    }
}
