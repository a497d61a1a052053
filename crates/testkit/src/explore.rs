//! States to look at: all reachable ones if they are few, otherwise the first ones and those of random games.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use perfectplay_core::{FullGame, Status};

use crate::Dice;

/// How far to look.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// States to visit level by level from the start.
    pub states: usize,
    /// Random games to play.
    pub games: usize,
    /// Moves after which a random game is broken off, if the game declares no bound.
    pub moves: usize,
    /// No new state is looked at after this time, so that slow games do not take long; a failure names its state
    /// anyway.
    pub time: Duration,
}

impl Default for Extent {
    fn default() -> Self {
        Extent { states: 4000, games: 20, moves: 400, time: Duration::from_millis(400) }
    }
}

/// States reached from the start, each once.
pub(crate) struct Explored<G: FullGame> {
    pub(crate) states: Vec<G::State>,
    /// The successors of each state that was expanded, as indices.
    pub(crate) successors: Vec<Vec<usize>>,
    /// Whether these are all states there are.
    pub(crate) all: bool,
}

/// Visits states level by level. Equal keys must mean equal states.
pub(crate) fn explore<G: FullGame>(game: &G, extent: &Extent) -> Explored<G> {
    let started = Instant::now();
    let mut found: HashMap<G::Key, usize> = HashMap::new();
    let mut explored = Explored { states: vec![game.start()], successors: Vec::new(), all: true };
    found.insert(game.key(&game.start()), 0);
    let mut moves = Vec::new();
    while let Some(state) = explored.states.get(explored.successors.len()).cloned() {
        if explored.states.len() >= extent.states || started.elapsed() > extent.time {
            explored.all = false;
            break;
        }
        moves.clear();
        let status = game.expand(&state, &mut moves);
        let count = moves.len();
        assert_eq!(
            status.mover().is_some(),
            count > 0,
            "{status:?} with {count} moves at {}",
            game.position_text(&state)
        );
        let mut successors = Vec::with_capacity(moves.len());
        for &mv in &moves {
            let next = game.after(&state, mv);
            let index = *found.entry(game.key(&next)).or_insert(explored.states.len());
            if index == explored.states.len() {
                explored.states.push(next);
            } else {
                let same = &explored.states[index];
                assert!(*same == next, "equal keys for different states: {same:?} and {next:?}");
            }
            successors.push(index);
        }
        explored.successors.push(successors);
    }
    explored
}

/// The states of one random game from `state` on, `state` first. Broken off after `moves` moves.
pub(crate) fn random_game<G: FullGame>(
    game: &G,
    state: &G::State,
    moves: usize,
    dice: &mut Dice,
) -> Vec<(G::State, Option<G::Move>)> {
    let mut path: Vec<(G::State, Option<G::Move>)> = Vec::new();
    let (mut state, mut legal) = (*state, Vec::new());
    while let Status::Turn(_) = game.expand(&state, &mut legal) {
        if path.len() == moves {
            break;
        }
        let mv = *dice.choose(&legal);
        let next = game.after(&state, mv);
        path.push((state, Some(mv)));
        state = next;
        legal.clear();
    }
    path.push((state, None));
    path
}

/// Unfinished states from random games, at most `count`.
pub fn random_states<G: FullGame>(game: &G, count: usize, seed: u64) -> Vec<G::State> {
    let mut dice = Dice::new(seed);
    let mut states = Vec::new();
    for _ in 0..count {
        let path = random_game(game, &game.start(), 300, &mut dice);
        let unfinished: Vec<&G::State> = path.iter().filter(|(_, mv)| mv.is_some()).map(|(s, _)| s).collect();
        if !unfinished.is_empty() {
            states.push(*(*dice.choose(&unfinished)));
        }
    }
    states
}
