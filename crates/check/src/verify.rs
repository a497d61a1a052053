//! The checker: it plays every move that the proof speaks of, by the rules, and believes nothing else.
//!
//! Strategies of two players. A state where the strategy's owner moves has one move, every other state has all of them;
//! all ways end in finished games, and each is worth to the owner at least what is claimed. So the owner gets that much
//! whatever the other does.
//!
//! Lengths of games (objective `length`). The claim is that a player wins in n plies. One part is a strategy of the
//! winner that has won after n plies at the latest; the other one, of the loser, is not lost after n - 1 plies. Every
//! state has a number of plies left, one less than the state before it, so no part of it can go round in a circle
//! either.
//!
//! Equilibria. Every state has a payoff that somebody claims. Where all moves are listed, one of them leads to that
//! payoff and no other to one that the mover likes better; finished games have the payoff that they have. So in every
//! state that is listed nobody gains by another move: by induction from the ends, this is an equilibrium in every
//! subgame. Other moves may be left out where the mover already gets the most that the game can give; whatever
//! equilibrium is played there changes nothing.
//!
//! Records refer to states that are announced and not yet spelled out, so no state can lead back to itself: there is no
//! cycle, and everything ends. A reference is good only if the state reached equals the state referred to, in full.
//!
//! Cost: one `expand` per state, one `play` per move. Memory: the states announced and not yet spelled out.

use std::collections::VecDeque;
use std::io::{Read, Seek};

use perfectplay_core::{
    Facts, Gain, Game, LONGEST, Notation, Objective, Observer, Payoff, Player, Progress, Status, plies_of,
};

use crate::Error;
use crate::format::{Claim, Header, Part, Records, read_payoff, written};

/// What a part of a proof consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Which part.
    pub part: Part,
    /// States in which somebody moves.
    pub states: u64,
    /// Moves that were played.
    pub moves: u64,
    /// Moves that ended the game.
    pub ends: u64,
    /// The most states that were announced at once.
    pub frontier: u64,
}

/// Called with every state in which the proof says what to play, and the number of that move.
pub trait Watch<G: Game> {
    /// One state.
    fn chosen(&mut self, part: Part, state: &G::State, choice: usize);
}

impl<G: Game> Watch<G> for () {
    #[inline]
    fn chosen(&mut self, _: Part, _: &G::State, _: usize) {}
}

/// Checks all parts.
pub fn verify<G: Game + Notation, F: Read + Seek>(
    game: &G,
    header: &Header,
    records: Records<F>,
    memory: usize,
    watch: &mut impl Watch<G>,
    observer: &mut dyn Observer,
) -> Result<Vec<Checked>, Error> {
    let root = game.parse_position(&header.position)?;
    let facts = game.facts();
    let parts: Vec<Part> = header.parts.iter().map(|&(part, _)| part).collect();
    if header.objective == Objective::Length && matches!(header.claim, Claim::Equilibrium(_)) {
        return Err(Error::Incomplete("plies to a win are counted between two opponents only"));
    }
    match (needed(game, &root, header, &facts)?, parts.as_slice()) {
        (needed, parts) if needed == parts => {}
        _ => return Err(Error::Incomplete("its parts are not those that its claim needs")),
    }
    verify_parts(game, header, records, memory, watch, observer)
}

/// Checks the parts that are there, and not whether they are all that the claim needs: each holds by itself.
pub fn verify_parts<G: Game + Notation, F: Read + Seek>(
    game: &G,
    header: &Header,
    mut records: Records<F>,
    memory: usize,
    watch: &mut impl Watch<G>,
    observer: &mut dyn Observer,
) -> Result<Vec<Checked>, Error> {
    let (root, facts) = (game.parse_position(&header.position)?, game.facts());
    let room = memory / size_of::<Option<(G::State, u32)>>();
    let mut checked: Vec<Checked> = Vec::new();
    let promised = header.parts.iter().fold(0, |sum: u64, &(_, states)| sum.saturating_add(states));
    for &(part, states) in &header.parts {
        let mut check = Check {
            game,
            facts: &facts,
            objective: header.objective,
            records: &mut records,
            pending: Pending::new(room, memory),
            moves: Vec::new(),
            counts: Checked { part, states: 0, moves: 0, ends: 0, frontier: 0 },
            before: checked.iter().map(|c| c.states).sum(),
            promised,
            observer: &mut *observer,
        };
        match &header.claim {
            Claim::Value(value) => check.strategy(root, Goal::new(*value, part, header.objective), watch)?,
            Claim::Equilibrium(payoff) => check.equilibrium(root, payoff, watch)?,
        }
        if check.counts.states != states {
            return Err(Error::damaged("a part has another number of states than promised"));
        }
        checked.push(check.counts);
    }
    records.finish()?;
    Ok(checked)
}

/// The parts that prove a claim. Nothing needs to be shown of a player who cannot get less, or more, in any game.
fn needed<G: Game + Notation>(game: &G, root: &G::State, header: &Header, facts: &Facts) -> Result<Vec<Part>, Error> {
    let end = match game.status(root) {
        Status::Over(payoff) => Some(payoff),
        Status::Turn(_) => None,
    };
    match &header.claim {
        Claim::Value(value) => {
            if !G::Payoff::ZERO_SUM {
                return Err(Error::Incomplete(
                    "a single value is claimed of a game in which interests are not opposed",
                ));
            }
            if let Some(payoff) = end {
                let true_value = match header.objective {
                    Objective::Length => header.objective.finished(payoff).score(Player::FIRST),
                    objective => objective.value(payoff, Player::FIRST),
                };
                return if true_value == *value {
                    Ok(vec![])
                } else {
                    Err(Error::Incomplete("the finished game has another value"))
                };
            }
            if header.objective == Objective::Length && *value != 0 {
                return needed_for_length(*value);
            }
            let (least, greatest) = match header.objective {
                Objective::Gain | Objective::Length => (-1, 1),
                Objective::Score => facts.scores[0],
            };
            if !(least..=greatest).contains(value) {
                return Err(Error::Incomplete("no game can have this value"));
            }
            let at_least = (*value > least).then_some(Part::AtLeast);
            let at_most = (*value < greatest).then_some(Part::AtMost);
            Ok(at_least.into_iter().chain(at_most).collect())
        }
        Claim::Equilibrium(payoff) => {
            if G::Payoff::ZERO_SUM || payoff.len() != facts.players {
                return Err(Error::Incomplete("its claim does not fit the number of players"));
            }
            match end {
                Some(end) if written(end) == *payoff => Ok(vec![]),
                Some(_) => Err(Error::Incomplete("the finished game has another value")),
                None => Ok(vec![Part::Equilibrium]),
            }
        }
    }
}

/// The winner's part, and the loser's unless there is nothing to put off.
fn needed_for_length(value: i32) -> Result<Vec<Part>, Error> {
    let plies = plies_of(value);
    if plies == 0 || plies >= LONGEST as u32 {
        return Err(Error::Incomplete("no game that is not over can have this value"));
    }
    let (winner, loser) = if value > 0 { (Part::AtLeast, Part::AtMost) } else { (Part::AtMost, Part::AtLeast) };
    let parts = [Part::AtLeast, Part::AtMost];
    Ok(parts.into_iter().filter(|&part| part == winner || part == loser && plies > 1).collect())
}

/// What the owner of a strategy has to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// At least this value, or at most.
    Value(i32),
    /// A win within so many plies.
    Win(u32),
    /// No loss within so many plies.
    Last(u32),
}

impl Goal {
    fn new(value: i32, part: Part, objective: Objective) -> Self {
        match (objective, value, part) {
            (Objective::Length, 1.., Part::AtLeast) | (Objective::Length, ..=-1, Part::AtMost) => {
                Goal::Win(plies_of(value))
            }
            (Objective::Length, 1.., _) | (Objective::Length, ..=-1, _) => Goal::Last(plies_of(value) - 1),
            _ => Goal::Value(value),
        }
    }

    fn plies(self) -> u32 {
        match self {
            Goal::Value(_) => 0,
            Goal::Win(plies) | Goal::Last(plies) => plies,
        }
    }

    /// The goal in a state with so many plies left.
    fn with(self, plies: u32) -> Self {
        match self {
            Goal::Value(value) => Goal::Value(value),
            Goal::Win(_) => Goal::Win(plies),
            Goal::Last(_) => Goal::Last(plies),
        }
    }
}

/// States announced and not yet spelled out.
struct Pending<T> {
    /// From the oldest to the newest; `None` where one was spelled out before an older one.
    states: VecDeque<Option<T>>,
    room: usize,
    memory: usize,
}

impl<T> Pending<T> {
    fn new(room: usize, memory: usize) -> Self {
        Pending { states: VecDeque::new(), room, memory }
    }

    #[inline]
    fn announce(&mut self, state: T) -> Result<(), Error> {
        // The queue doubles, and holds the old and the new states for a moment.
        if self.states.len() == self.states.capacity() && 3 * self.states.len() > self.room {
            return Err(Error::Memory(self.memory));
        }
        self.states.push_back(Some(state));
        Ok(())
    }

    /// The state that is `pick` places from the oldest one.
    #[inline]
    fn take(&mut self, pick: u64) -> Option<T> {
        let state = self.states.get_mut(usize::try_from(pick).ok()?)?.take();
        while let Some(None) = self.states.front() {
            self.states.pop_front();
        }
        state
    }

    /// The state announced `back` announcements ago, counted from 1.
    #[inline]
    fn back(&self, back: u64) -> Option<&T> {
        let index = self.states.len().checked_sub(usize::try_from(back).ok()?)?;
        self.states.get(index)?.as_ref()
    }
}

struct Check<'a, G: Game, F: Read + Seek> {
    game: &'a G,
    facts: &'a Facts,
    objective: Objective,
    records: &'a mut Records<F>,
    pending: Pending<(G::State, u32)>,
    moves: Vec<G::Move>,
    counts: Checked,
    /// States of the parts before, and of all parts as the header promises.
    before: u64,
    promised: u64,
    observer: &'a mut dyn Observer,
}

/// States between two reports of progress.
const REPORT_EVERY: u64 = 1 << 12;

const NEW: u64 = 0;
const OVER: u64 = 1;
const TOO_SOON: &str = "a game is lost sooner than is claimed";

impl<G: Game, F: Read + Seek> Check<'_, G, F> {
    fn unproved(&self, why: &'static str) -> Error {
        Error::Unproved { part: self.counts.part.name(), state: self.counts.states, why }
    }

    /// The next state to be spelled out, with its claim, its mover and its moves.
    #[inline]
    fn next(&mut self) -> Result<Option<(G::State, u32, Player)>, Error> {
        let frontier = self.pending.states.len() as u64;
        if frontier == 0 {
            return Ok(None);
        }
        self.counts.frontier = self.counts.frontier.max(frontier);
        if self.counts.states.is_multiple_of(REPORT_EVERY) {
            self.report()?;
        }
        let pick = self.records.number()?;
        let Some((state, claim)) = self.pending.take(pick) else {
            return Err(self.unproved("it spells out a state that was not announced"));
        };
        self.moves.clear();
        match self.game.expand(&state, &mut self.moves) {
            Status::Turn(mover) => Ok(Some((state, claim, mover))),
            Status::Over(_) => Err(self.unproved("the game is over, but it is said to go on")),
        }
    }

    #[cold]
    fn report(&mut self) -> Result<(), Error> {
        let nodes = self.before + self.counts.states;
        let progress = Progress {
            nodes,
            bytes: self.pending.states.capacity() * size_of::<Option<(G::State, u32)>>(),
            share: Some(nodes as f64 / self.promised.max(1) as f64),
            depth: None,
        };
        if self.observer.progress(&progress).is_break() { Err(Error::Stopped) } else { Ok(()) }
    }

    fn legal(&self, choice: u64) -> Result<usize, Error> {
        let choice = usize::try_from(choice).ok().filter(|&c| c < self.moves.len());
        choice.ok_or_else(|| self.unproved("it plays a move that is not legal"))
    }

    fn strategy(&mut self, root: G::State, goal: Goal, watch: &mut impl Watch<G>) -> Result<(), Error> {
        let part = self.counts.part;
        let owner = if part == Part::AtLeast { Player::FIRST } else { Player::SECOND };
        self.pending.announce((root, goal.plies()))?;
        while let Some((state, plies, mover)) = self.next()? {
            let goal = goal.with(plies);
            if mover == owner {
                let choice = self.records.number()?;
                let choice = self.legal(choice)?;
                watch.chosen(part, &state, choice);
                let next = self.game.after(&state, self.moves[choice]);
                self.successor(next, goal, owner)?;
            } else {
                for i in 0..self.moves.len() {
                    let next = self.game.after(&state, self.moves[i]);
                    self.successor(next, goal, owner)?;
                }
            }
            self.counts.states += 1;
        }
        Ok(())
    }

    #[inline]
    fn successor(&mut self, next: G::State, goal: Goal, owner: Player) -> Result<(), Error> {
        self.counts.moves += 1;
        let left = goal.plies().saturating_sub(1);
        if goal == Goal::Last(1) {
            // Nothing is written of a state about which nothing is left to show.
            return match self.game.status(&next) {
                Status::Over(payoff) if payoff.gain(owner) == Gain::Loss => Err(self.unproved(TOO_SOON)),
                _ => Ok(()),
            };
        }
        match self.records.number()? {
            NEW if left == 0 && matches!(goal, Goal::Win(_)) => {
                Err(self.unproved("the win takes longer than is claimed"))
            }
            NEW => self.pending.announce((next, left)),
            OVER => {
                self.counts.ends += 1;
                let Status::Over(payoff) = self.game.status(&next) else {
                    return Err(self.unproved("a game is said to be over that goes on"));
                };
                let found = self.objective.value(payoff, owner);
                match goal {
                    Goal::Value(value) if found >= if owner == Player::FIRST { value } else { -value } => Ok(()),
                    Goal::Win(_) if found > 0 => Ok(()),
                    Goal::Last(_) if found >= 0 => Ok(()),
                    Goal::Last(_) => Err(self.unproved(TOO_SOON)),
                    _ => Err(self.unproved("a game ends with less than is claimed")),
                }
            }
            back => match self.pending.back(back - 1) {
                Some((state, plies)) if *state == next => match goal {
                    Goal::Win(_) if *plies > left => Err(self.unproved("the win takes longer than is claimed")),
                    Goal::Last(_) if *plies < left => {
                        Err(self.unproved("it puts the end off for fewer plies than claimed"))
                    }
                    _ => Ok(()),
                },
                Some(_) => Err(self.unproved("it refers to a state that its move does not lead to")),
                None => Err(self.unproved("it refers to a state that is not waiting to be spelled out")),
            },
        }
    }

    fn equilibrium(&mut self, root: G::State, value: &[(Gain, i32)], watch: &mut impl Watch<G>) -> Result<(), Error> {
        let mut payoffs = vec![value.to_vec()];
        self.pending.announce((root, 0))?;
        while let Some((state, claim, mover)) = self.next()? {
            let code = self.records.number()?;
            let choice = self.legal(code >> 1)?;
            watch.chosen(Part::Equilibrium, &state, choice);
            let all = code & 1 == 1;
            if !all {
                if !self.is_most(mover, &payoffs[claim as usize]) {
                    return Err(self.unproved("it leaves out moves by which the mover might get more"));
                }
                let next = self.game.after(&state, self.moves[choice]);
                self.chosen_successor(next, claim, &payoffs)?;
            }
            for i in (0..self.moves.len()).take_while(|_| all) {
                let next = self.game.after(&state, self.moves[i]);
                if i == choice {
                    self.chosen_successor(next, claim, &payoffs)?;
                } else {
                    self.other_successor(next, claim, mover, &mut payoffs)?;
                }
            }
            self.counts.states += 1;
        }
        Ok(())
    }

    /// The move that is played leads to the very payoff that is claimed.
    fn chosen_successor(&mut self, next: G::State, claim: u32, payoffs: &[Vec<(Gain, i32)>]) -> Result<(), Error> {
        self.counts.moves += 1;
        let same = match self.records.number()? {
            NEW => return self.pending.announce((next, claim)),
            OVER => self.end(&next)? == payoffs[claim as usize],
            back => self.waiting(back, &next)? == claim,
        };
        if same { Ok(()) } else { Err(self.unproved("the move played does not lead to the payoff claimed")) }
    }

    /// No other move leads to more for the mover.
    fn other_successor(
        &mut self,
        next: G::State,
        claim: u32,
        mover: Player,
        payoffs: &mut Vec<Vec<(Gain, i32)>>,
    ) -> Result<(), Error> {
        self.counts.moves += 1;
        let own = self.rank(mover, &payoffs[claim as usize]);
        let other = match self.records.number()? {
            NEW => {
                let number = self.records.number()?;
                if number == payoffs.len() as u64 {
                    if payoffs.len() > self.pending.room {
                        return Err(Error::Memory(self.pending.memory));
                    }
                    payoffs.push(read_payoff(self.records, self.facts.players)?);
                }
                let Some(payoff) = usize::try_from(number).ok().and_then(|n| payoffs.get(n)) else {
                    return Err(self.unproved("it claims a payoff that it does not tell"));
                };
                self.pending.announce((next, number as u32))?;
                self.rank(mover, payoff)
            }
            OVER => {
                let payoff = self.end(&next)?;
                self.rank(mover, &payoff)
            }
            back => self.rank(mover, &payoffs[self.waiting(back, &next)? as usize]),
        };
        if other > own { Err(self.unproved("another move is better for the mover")) } else { Ok(()) }
    }

    fn end(&mut self, state: &G::State) -> Result<Vec<(Gain, i32)>, Error> {
        self.counts.ends += 1;
        match self.game.status(state) {
            Status::Over(payoff) => Ok(written(payoff)),
            Status::Turn(_) => Err(self.unproved("a game is said to be over that goes on")),
        }
    }

    /// The claim of a state announced before, which must be the state reached.
    fn waiting(&self, back: u64, next: &G::State) -> Result<u32, Error> {
        match self.pending.back(back - 1) {
            Some((state, claim)) if state == next => Ok(*claim),
            Some(_) => Err(self.unproved("it refers to a state that its move does not lead to")),
            None => Err(self.unproved("it refers to a state that is not waiting to be spelled out")),
        }
    }

    /// How much a player likes a payoff: as [`Objective::compare`] has it.
    fn rank(&self, player: Player, payoff: &[(Gain, i32)]) -> (Gain, i32) {
        let (gain, score) = payoff[player.index()];
        match self.objective {
            Objective::Gain | Objective::Length => (gain, score),
            Objective::Score => (Gain::Draw, score),
        }
    }

    fn is_most(&self, mover: Player, payoff: &[(Gain, i32)]) -> bool {
        let most = [(Gain::Win, self.facts.scores[mover.index()].1)];
        self.facts.acyclic && self.rank(mover, payoff) >= self.rank(Player::FIRST, &most)
    }
}
