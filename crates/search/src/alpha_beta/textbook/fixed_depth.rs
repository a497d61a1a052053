//! What the textbook searches share: a depth, an evaluation of the leaves, and the moves at the root.
//!
//! Each of them is a [`Method`] on a page of its own. All values are the first player's; the mover takes the greatest
//! or the least of them, so it does not matter whether turns alternate.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use perfectplay_core::{
    Answer, Budget, Choice, Effort, FullGame, MoveReport, Observer, Optional, Player, Progress, Setting, Status, Stop,
    Verdict, ZeroSum, options,
};

use crate::alpha_beta::scale::{INFINITE, Scale};
use crate::alpha_beta::textbook::told::{Relay, Teller, Told};
use crate::support::pausable_threads::{Interrupted, PausableThreads, PauseHandle};
use crate::{Refusal, Search, Setup};

options! {
    /// How deep to look, and how to guess there.
    pub(crate) struct FixedDepthOptions {
        depth: Option<u32> =
            Optional::whole("depth", "plies to look ahead", 1..=1000, "to the end of the game"),
        heuristic: bool = EVAL,
    }
}

pub(crate) const EVAL: Setting<Choice<bool>> = Setting::choice(
    "eval",
    "guess at unfinished games",
    &[("heuristic", "the game's own, where it has one", true), ("zero", "", false)],
);

/// A way to value a state.
pub(crate) trait Method<G: FullGame<Payoff = ZeroSum>>: Send + 'static {
    /// Whether the bounds found at the root may be passed down.
    const WINDOW: bool = true;
    /// Whether a value that rests on finished games only is proved.
    const SOUND: bool = true;
    /// Whether it tells of its tree: [`Walk::enter`], [`Walk::opened`] and [`Walk::leave`] for every state.
    const GROWS: bool = false;

    /// The value of `state` looking `depth` plies ahead, or a bound beyond the window: see the method's contract.
    fn value(
        &mut self,
        walk: &mut Walk<'_, G>,
        state: &G::State,
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> Result<i32, Interrupted>;

    /// Bytes it holds.
    fn bytes(&self) -> usize {
        0
    }
}

/// What a recursion carries along.
pub(crate) struct Walk<'a, G: FullGame> {
    pub(crate) game: &'a G,
    pub(crate) scale: Scale,
    pub(crate) pause: &'a mut PauseHandle,
    /// The moves of all states on the path, one after the other.
    pub(crate) moves: Vec<G::Move>,
    /// How many leaves were guessed at.
    pub(crate) guesses: u64,
    /// If somebody watches.
    teller: Option<Teller>,
}

impl<G: FullGame<Payoff = ZeroSum>> Walk<'_, G> {
    /// What a leaf is worth: exactly if the game is over there, a guess otherwise.
    #[inline]
    pub(crate) fn leaf(&mut self, state: &G::State) -> i32 {
        match self.game.status(state) {
            Status::Over(payoff) => self.scale.exact(payoff),
            Status::Turn(_) => {
                self.guesses += 1;
                self.scale.guess(self.game.heuristic_of(state, Player::FIRST))
            }
        }
    }

    /// The next move of the state above leads here.
    #[inline]
    pub(crate) fn enter(&mut self, alpha: i32, beta: i32) {
        if let Some(teller) = &mut self.teller {
            teller.enter([alpha, beta], self.guesses);
        }
    }

    /// The moves of the state that was entered last are those from `first` on.
    #[inline]
    pub(crate) fn opened(&mut self, state: &G::State, mover: Player, first: usize) {
        if let Some(teller) = &mut self.teller {
            teller.opened(mover, self.moves[first..].iter().map(|&mv| self.game.move_text(state, mv)).collect());
        }
    }

    /// The state that was entered last is worth `value`.
    #[inline]
    pub(crate) fn leave(&mut self, value: i32) -> i32 {
        if let Some(teller) = &mut self.teller {
            teller.leave(value, self.guesses, self.scale);
        }
        value
    }
}

/// The least or greatest value: what a mover who has not looked at any move can count on.
#[inline]
pub(crate) fn nothing_yet(mover: Player) -> i32 {
    if mover == Player::FIRST { -INFINITE } else { INFINITE }
}

/// A method as a search.
pub(crate) struct FixedDepth<G: FullGame<Payoff = ZeroSum>, M> {
    shared: Arc<Shared<G>>,
    method: Option<M>,
    threads: Option<PausableThreads>,
    told: Told,
    bytes: usize,
}

struct Shared<G: FullGame> {
    game: Arc<G>,
    root: G::State,
    scale: Scale,
    depth: u32,
    found: Mutex<Found<G>>,
}

struct Found<G: FullGame> {
    legal: Vec<G::Move>,
    /// As many as have been looked at: what each is worth, and whether that is no mere bound.
    values: Vec<(i32, bool)>,
    best: usize,
    solved: bool,
}

/// Makes the search; a game that may never end needs a depth.
pub(crate) fn open<G: FullGame<Payoff = ZeroSum>, M: Method<G>>(
    name: &'static str,
    options: &FixedDepthOptions,
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    method: M,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let &FixedDepthOptions { depth, heuristic } = options;
    let facts = game.facts();
    if depth.is_none() && !facts.acyclic {
        return Err(Refusal::Other(format!("{name} needs a depth here (depth=N): in this game positions can repeat")));
    }
    let scale = Scale::new(&facts, setup.objective, heuristic);
    let mut legal = Vec::new();
    game.expand(&root, &mut legal);
    let found = Mutex::new(Found { legal, values: vec![], best: 0, solved: false });
    let depth = depth.unwrap_or(u32::MAX);
    let bytes = method.bytes();
    let shared = Arc::new(Shared { game, root, scale, depth, found });
    Ok(Box::new(FixedDepth { shared, method: Some(method), threads: None, told: Told::default(), bytes }))
}

impl<G: FullGame<Payoff = ZeroSum>> Shared<G> {
    fn work<M: Method<G>>(
        &self,
        method: &mut M,
        pause: &mut PauseHandle,
        teller: Option<Teller>,
    ) -> Result<(), Interrupted> {
        pause.begin_task()?;
        let Status::Turn(mover) = self.game.status(&self.root) else { return Ok(()) };
        let legal = self.found.lock().expect("no holder panics").legal.clone();
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut best = nothing_yet(mover);
        let moves = legal.clone();
        let mut walk = Walk { game: &*self.game, scale: self.scale, pause, moves, guesses: 0, teller };
        walk.enter(alpha, beta);
        walk.opened(&self.root, mover, 0);
        for (i, &mv) in legal.iter().enumerate() {
            let value = method.value(&mut walk, &self.game.after(&self.root, mv), self.depth - 1, alpha, beta)?;
            let mut found = self.found.lock().expect("no holder panics");
            found.values.push((value, !M::WINDOW || alpha < value && value < beta));
            if if mover == Player::FIRST { value > best } else { value < best } {
                best = value;
                found.best = i;
            }
            if M::WINDOW {
                if mover == Player::FIRST { alpha = alpha.max(value) } else { beta = beta.min(value) }
            }
        }
        walk.leave(best);
        self.found.lock().expect("no holder panics").solved = M::SOUND && walk.guesses == 0;
        Ok(())
    }
}

impl<G: FullGame<Payoff = ZeroSum>, M: Method<G>> Search<G> for FixedDepth<G, M> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        if let Some(method) = self.method.take() {
            let (shared, depth) = (self.shared.clone(), self.shared.depth);
            let plies = if depth == u32::MAX { shared.game.facts().length } else { Some(depth) };
            // Who begins to watch later has missed the tree.
            let teller = (M::GROWS && observer.wants_growth()).then(|| Teller::new(&self.told));
            let work = Mutex::new((method, teller));
            self.threads = Some(PausableThreads::new(plies, move |pause| {
                let (method, teller) = &mut *work.lock().expect("one thread only");
                if shared.work(method, pause, teller.take()).is_ok() {
                    pause.finish();
                }
            }));
        }
        if budget.memory.is_some_and(|limit| self.bytes > limit) {
            return Stop::Memory;
        }
        let one_thread = Budget { threads: 1, ..budget.clone() };
        let (bytes, depth) = (self.bytes, (self.shared.depth != u32::MAX).then_some(self.shared.depth));
        let progress = |nodes| Progress { nodes, bytes, share: None, depth };
        let mut relay = Relay { told: &self.told, observer };
        let stop = self.threads.as_mut().expect("made above").run(&one_thread, &mut relay, progress);
        match relay.pass_on() {
            ControlFlow::Break(()) if stop != Stop::Done => Stop::Cancelled,
            _ => stop,
        }
    }

    fn grows(&self) -> bool {
        M::GROWS
    }

    fn answer(&self) -> Answer<G> {
        let found = self.shared.found.lock().expect("no holder panics");
        let (game, scale) = (&*self.shared.game, self.shared.scale);
        let status = game.status(&self.shared.root);
        let complete = found.values.len() == found.legal.len();
        let verdict = match (status, found.values.get(found.best)) {
            (Status::Over(payoff), _) => Verdict::Solved(payoff),
            (_, Some(&(value, _))) if complete && found.solved => Verdict::Solved(scale.payoff(value)),
            (_, Some(&(value, _))) if complete => Verdict::Estimated(scale.estimate(value)),
            _ => Verdict::Unknown,
        };
        let report = |(i, &mv): (usize, &G::Move)| {
            let verdict = match found.values.get(i) {
                Some(&(value, true)) if found.solved => Verdict::Solved(scale.payoff(value)),
                Some(&(value, true)) => Verdict::Estimated(scale.estimate(value)),
                _ => Verdict::Unknown,
            };
            MoveReport { mv, verdict, visits: None }
        };
        let looked_at = &found.legal[..found.values.len()];
        let answer = Answer {
            mover: status.mover(),
            verdict,
            line: looked_at.get(found.best).copied().into_iter().collect(),
            moves: found.legal.iter().enumerate().map(report).collect(),
            effort: Effort { nodes: self.threads.as_ref().map_or(0, PausableThreads::nodes), bytes: self.bytes },
            counts: vec![],
            notes: vec![],
        };
        answer.reconciled(game, scale.objective())
    }
}
