//! The shortest win: is there one within 1, 2, 3 … plies? It is what `alpha-beta --for length` does.
//!
//! Each question has the narrowest window there is, "does this player win within n plies?", and is answered by
//! alpha-beta to that very depth; so the first n for which the answer is yes is the distance under best play, and it is
//! proved when it is found: no search of n plies saw a shorter win. A table remembers by exact keys what was answered
//! about a state, relative to that state. If an answer is no without any line cut short, the player never wins; if that
//! holds for both it is a draw.
//!
//! Proves wins and losses in any game for two, also where positions repeat; draws only where all lines end. Cost: as
//! every search of fixed depth it grows with the distance. The replies are counted first: forcing moves come first.

use std::mem::size_of;
use std::sync::{Arc, Mutex};

use perfectplay_core::{
    Answer, Budget, Effort, FullGame, Gain, LONGEST, Meter, MoveReport, Objective, Observer, Payoff, Player, Progress,
    Status, Stop, Verdict, ZeroSum,
};
use rustc_hash::FxHashMap;

use crate::Search;
use crate::alpha_beta::exact_solver::Metered;
use crate::alpha_beta::null_window::Count;
use crate::support::order::ascending;
use crate::support::pausable_threads::{Interrupted, PausableThreads, PauseHandle};

/// Whether a player wins within some plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Win {
    Yes,
    /// Not within these plies, perhaps later.
    NotYet,
    /// However long the game may take.
    Never,
}

/// What is known about a state and one player.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// There is a win within so many plies.
    within: u32,
    /// There is none within less than so many plies.
    least: u32,
}

impl Known {
    const NOTHING: Known = Known { within: u32::MAX, least: 0 };

    fn answer(self, plies: u32) -> Option<Win> {
        match self {
            Known { within, .. } if within <= plies => Some(Win::Yes),
            Known { least: u32::MAX, .. } => Some(Win::Never),
            Known { least, .. } if least > plies => Some(Win::NotYet),
            _ => None,
        }
    }

    fn learn(&mut self, plies: u32, win: Win) {
        match win {
            Win::Yes => self.within = self.within.min(plies),
            Win::NotYet => self.least = self.least.max(plies + 1),
            Win::Never => self.least = u32::MAX,
        }
    }
}

/// Below this many plies looking again is faster than remembering.
const TABLE_FROM: u32 = 2;
/// From this many plies on, successors are put in the order of the replies they leave.
const ORDER_FROM: u32 = 3;

/// Answers one question after the other, with one table.
pub struct ShortestWin<G: FullGame<Payoff = ZeroSum>> {
    game: Arc<G>,
    table: FxHashMap<G::Key, [Known; 2]>,
    /// Entries that the table may have.
    most: usize,
}

impl<G: FullGame<Payoff = ZeroSum>> ShortestWin<G> {
    /// With a table of at most so many bytes.
    pub fn new(game: Arc<G>, bytes: usize) -> Self {
        // A table that grows holds its old and its new entries for a while, and is half empty then.
        ShortestWin { game, table: FxHashMap::default(), most: bytes / (4 * Self::ENTRY) }
    }

    const ENTRY: usize = size_of::<(G::Key, [Known; 2])>() + 1;

    /// Whether `player` wins in `state` within so many plies whatever the other does.
    pub fn within(&mut self, state: &G::State, plies: u32, player: Player, meter: &mut Meter) -> Result<bool, Stop> {
        let mut count = Metered::new(meter);
        let win = self.ask(state, plies, player, &mut count);
        win.map(|win| win == Win::Yes).map_err(|_| count.stopped())
    }

    fn bytes(&self) -> usize {
        self.table.capacity() * 8 / 7 * Self::ENTRY
    }

    /// Makes room if there is none: what is deeper will be found again.
    fn make_room(&mut self) {
        if self.table.len() >= self.most {
            self.table.clear();
        }
    }

    fn ask(
        &mut self,
        state: &G::State,
        plies: u32,
        player: Player,
        count: &mut impl Count,
    ) -> Result<Win, Interrupted> {
        count.tick(1)?;
        let mut moves = Vec::new();
        let mover = match self.game.expand(state, &mut moves) {
            Status::Over(payoff) if payoff.gain(player) == Gain::Win => return Ok(Win::Yes),
            Status::Over(_) => return Ok(Win::Never),
            Status::Turn(_) if plies == 0 => return Ok(Win::NotYet),
            Status::Turn(mover) => mover,
        };
        let key = (plies >= TABLE_FROM).then(|| self.game.key(state));
        let known = key.and_then(|key| self.table.get(&key)).map(|known| known[player.index()]);
        if let Some(win) = known.and_then(|known| known.answer(plies)) {
            return Ok(win);
        }
        let win = self.successors(state, &moves, mover == player, plies, player, count)?;
        if let Some(key) = key
            && (known.is_some() || self.table.len() < self.most)
        {
            self.table.entry(key).or_insert([Known::NOTHING; 2])[player.index()].learn(plies, win);
        }
        Ok(win)
    }

    /// The player who wins needs one good move, and against the other all moves must be.
    fn successors(
        &mut self,
        state: &G::State,
        moves: &[G::Move],
        attacks: bool,
        plies: u32,
        player: Player,
        count: &mut impl Count,
    ) -> Result<Win, Interrupted> {
        let decisive = |win: Win| if attacks { win == Win::Yes } else { win != Win::Yes };
        let mut never = attacks;
        let mut next: Vec<G::State> = Vec::with_capacity(moves.len());
        for &mv in moves {
            let state = self.game.after(state, mv);
            let known = if plies > TABLE_FROM { self.table.get(&self.game.key(&state)) } else { None };
            match known.and_then(|known| known[player.index()].answer(plies - 1)) {
                Some(win) if decisive(win) => return Ok(win),
                Some(win) => never &= win == Win::Never,
                None => next.push(state),
            }
        }
        if plies >= ORDER_FROM {
            let mut replies = Vec::new();
            let mut rank = |state: &G::State| {
                replies.clear();
                self.game.expand(state, &mut replies);
                if attacks { replies.len() as i64 } else { -(replies.len() as i64) }
            };
            let ranks: Vec<i64> = next.iter().map(&mut rank).collect();
            next = ascending(&ranks).into_iter().map(|at| next[at]).collect();
        }
        for state in next {
            let win = self.ask(&state, plies - 1, player, count)?;
            if decisive(win) {
                return Ok(win);
            }
            never &= win == Win::Never;
        }
        Ok(match attacks {
            false => Win::Yes,
            true if never => Win::Never,
            true => Win::NotYet,
        })
    }
}

/// The same as a search.
pub(crate) struct Length<G: FullGame<Payoff = ZeroSum>> {
    shared: Arc<Shared<G>>,
    bytes: usize,
    threads: Option<PausableThreads>,
}

struct Shared<G: FullGame> {
    game: Arc<G>,
    root: G::State,
    found: Mutex<Found<G>>,
}

struct Found<G: FullGame> {
    /// Nobody wins within less than so many plies.
    least: u32,
    value: Option<i32>,
    line: Vec<G::Move>,
    bytes: usize,
}

impl<G: FullGame<Payoff = ZeroSum>> Length<G> {
    /// Prepares to find the length of best play from `root`, with a table of at most so many bytes.
    pub(crate) fn new(game: Arc<G>, root: G::State, bytes: usize) -> Self {
        let found = Mutex::new(Found { least: 0, value: None, line: vec![], bytes: 0 });
        Length { shared: Arc::new(Shared { game, root, found }), bytes, threads: None }
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Shared<G> {
    fn work(&self, bytes: usize, pause: &mut PauseHandle) -> Result<(), Interrupted> {
        pause.begin_task()?;
        let mut solver = ShortestWin::new(self.game.clone(), bytes);
        let players = [Player::FIRST, Player::SECOND];
        let mut value = 0;
        for plies in 0.. {
            solver.make_room();
            let mut wins = [Win::Never; 2];
            for player in players {
                wins[player.index()] = solver.ask(&self.root, plies, player, pause)?;
            }
            let mut found = self.found.lock().expect("no holder panics");
            found.bytes = solver.bytes();
            if let Some(winner) = players.into_iter().find(|p| wins[p.index()] == Win::Yes) {
                value = ZeroSum::win_for(winner).0 * (LONGEST - plies as i32);
            } else if wins != [Win::Never; 2] {
                found.least = plies + 1;
                continue;
            }
            found.value = Some(value);
            break;
        }
        self.find_line(&mut solver, value, pause)
    }

    /// The winner takes a move that wins a ply sooner, the loser one that does not lose sooner than that. A drawn line
    /// is one move after which neither can win.
    fn find_line(&self, solver: &mut ShortestWin<G>, value: i32, pause: &mut PauseHandle) -> Result<(), Interrupted> {
        let winner = if value > 0 { Player::FIRST } else { Player::SECOND };
        let mut left = if value == 0 { u32::MAX } else { LONGEST.abs_diff(value.abs()) };
        let mut state = self.root;
        let mut moves = Vec::new();
        while let Status::Turn(mover) = self.game.expand(&state, &mut moves) {
            let mut best = None;
            for mv in moves.drain(..) {
                let next = self.game.after(&state, mv);
                let keeps = if value == 0 {
                    solver.ask(&next, u32::MAX - 1, mover.opponent(), pause)? == Win::Never
                } else if mover == winner {
                    solver.ask(&next, left - 1, winner, pause)? == Win::Yes
                } else {
                    left < 2 || solver.ask(&next, left - 2, winner, pause)? != Win::Yes
                };
                if keeps {
                    best = Some((mv, next));
                    break;
                }
            }
            let Some((mv, next)) = best else { return Ok(()) };
            state = next;
            left = left.saturating_sub(1);
            self.found.lock().expect("no holder panics").line.push(mv);
        }
        Ok(())
    }
}

impl<G: FullGame<Payoff = ZeroSum>> Search<G> for Length<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        if self.threads.is_none() {
            let (shared, bytes) = (self.shared.clone(), self.bytes.min(budget.memory_left()));
            let shared_plies = shared.game.facts().length;
            self.threads = Some(PausableThreads::new(shared_plies, move |pause| {
                if shared.work(bytes, pause).is_ok() {
                    pause.finish();
                }
            }));
        }
        let one_thread = Budget { threads: 1, ..budget.clone() };
        let shared = self.shared.clone();
        let progress = |nodes| {
            let found = shared.found.lock().expect("no holder panics");
            Progress { nodes, bytes: found.bytes, share: None, depth: Some(found.least) }
        };
        self.threads.as_mut().expect("made above").run(&one_thread, observer, progress)
    }

    fn answer(&self) -> Answer<G> {
        let found = self.shared.found.lock().expect("no holder panics");
        let game = &*self.shared.game;
        let mut legal = Vec::new();
        let status = game.expand(&self.shared.root, &mut legal);
        let verdict = match (status, found.value) {
            (Status::Over(payoff), _) => Verdict::Solved(Objective::Length.finished(payoff)),
            (_, Some(value)) => Verdict::Solved(ZeroSum(value)),
            _ => Verdict::Unknown,
        };
        let best = found.line.first().copied();
        let report = |&mv: &G::Move| {
            let known = found.value.filter(|_| best == Some(mv));
            let later = |value: i32| Verdict::Solved(ZeroSum(value + value.signum()));
            MoveReport { mv, verdict: known.map_or(Verdict::Unknown, later), visits: None }
        };
        let unsolved = found.value.is_none() && found.least > 0;
        let note = || format!("neither player can force a win within {} plies", found.least - 1);
        Answer {
            mover: status.mover(),
            verdict,
            line: found.line.clone(),
            moves: legal.iter().map(report).collect(),
            effort: Effort { nodes: self.threads.as_ref().map_or(0, PausableThreads::nodes), bytes: found.bytes },
            counts: vec![("plies excluded", u64::from(found.least))],
            notes: unsolved.then(note).into_iter().collect(),
        }
    }
}
