//! The object-safe door: games, positions and searches whose types are known only inside.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use perfectplay_check::Header;
use perfectplay_core::{
    Budget, Drawing, Facts, Game, Objective, Observer, Payoff, Perft, Player, Scores, Spec, Status, Stop, TextError,
    Visitor, ZeroSum,
};
use perfectplay_games::boxed::{AnyBoxed, Boxed, LARGE, Shared, share};
use perfectplay_games::teams::{Teams, in_teams};
use perfectplay_search::oracle::backward_induction::{self, BackwardInduction};
use perfectplay_search::alpha_beta::exact_solver::{self, Scorer};
use perfectplay_search::{AlgorithmInfo, Reader, Refusal, SaveError, Search, Setup, Writer};

use crate::algorithms::{Entry, for_any, for_two};
use crate::certify::{self, ProofFile, ProofLine, Prove, Source};
use crate::matrix::Matrix;
use crate::report::{Context, Report};
use crate::tree::GameTree;
use crate::{Algorithm, Error};

/// A game of some type.
pub trait AnyGame: Send + Sync {
    /// The text it was opened with.
    fn spec(&self) -> &str;
    /// What is true of it.
    fn facts(&self) -> Facts;
    /// The position in which it begins.
    fn start(&self) -> Box<dyn AnyPosition>;
    /// The position written in the game's notation.
    fn parse_position(&self, text: &str) -> Result<Box<dyn AnyPosition>, TextError>;
    /// The algorithms that work on it.
    fn algorithms(&self) -> Vec<&'static AlgorithmInfo>;
    /// Finds the exact score of one position after the other, each from a cold start with a table of `bytes`; `each` hears
    /// of every result and may end it.
    fn score_set(
        &self,
        set: &[Scored],
        bytes: usize,
        each: &mut dyn FnMut(&SetResult) -> ControlFlow<()>,
    ) -> Result<(), Error>;
}

/// A position of a test set, and its score for the player to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scored {
    /// The moves from the start.
    pub moves: String,
    /// As the set says.
    pub score: i32,
}

/// How a position of a test set went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetResult {
    /// The score that was found, for the player to move.
    pub score: i32,
    /// States looked at.
    pub nodes: u64,
    /// Time it took.
    pub seconds: f64,
}

/// What random games amounted to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Playouts {
    /// Games played to their end, or to [`LONGEST_PLAYOUT`].
    pub games: u64,
    /// Moves played in all of them.
    pub moves: u64,
    /// Games that were broken off.
    pub unfinished: u64,
    /// Processor time where the system tells it, otherwise time on the clock.
    pub seconds: f64,
}

/// Random games that do not end by themselves are broken off after so many moves.
pub const LONGEST_PLAYOUT: u32 = 20_000;

/// Processor time of this thread where the system tells it: the machine may be busy with other things.
fn thread_seconds() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// -1, 0 or 1 for each player.
    pub gains: Vec<i32>,
    /// The score of each player.
    pub scores: Vec<i32>,
}

impl Ended {
    /// `player 1 wins`, `draw` …
    pub fn in_words(&self) -> String {
        crate::report::in_words(&self.gains, "gain")
    }
}

/// Called with the text of a position and its value per player.
pub type OnPosition = Box<dyn FnMut(&str, &[i32]) + Send>;

/// A position of a game of some type.
pub trait AnyPosition: Send + Sync {
    /// The text with which the game was opened.
    fn game(&self) -> &str;
    /// The position in the game's notation.
    fn text(&self) -> String;
    /// Differs if the rules differ that the name stands for, as far as the facts and the first moves tell.
    fn fingerprint(&self) -> String;
    /// The position to look at.
    fn drawing(&self) -> Drawing;
    /// Who moves, or how it ended.
    fn status(&self) -> Result<Player, Ended>;
    /// The legal moves as players write them.
    fn moves(&self) -> Vec<String>;
    /// Plays one move.
    fn play(&mut self, text: &str) -> Result<(), TextError>;
    /// Counts move sequences.
    fn perft(&self, depth: usize, finished: bool, budget: &Budget) -> Result<Perft, Stop>;
    /// Plays random games from here, one after the other, until the budget is spent (its nodes are the moves).
    fn playouts(&self, seed: u64, budget: &Budget) -> Playouts;
    /// A search for this position.
    fn search(&self, algorithm: &Algorithm, setup: &Setup) -> Result<Box<dyn AnySearch>, Error>;
    /// A strong solution: backward induction that calls `on_value` with every position, as it gets its value per player.
    fn strong(&self, objective: Objective, on_value: OnPosition) -> Result<Box<dyn AnySearch>, Error>;
    /// The game tree below, `depth` plies deep.
    fn tree(&self, depth: usize, objective: Objective, budget: &Budget) -> Result<GameTree, Error>;
    /// The normal form of the game from here on.
    fn matrix(&self, objective: Objective) -> Result<Matrix, Error>;
    /// A copy.
    fn clone_box(&self) -> Box<dyn AnyPosition>;

    /// Plays moves separated by white space or commas; run together (`443`) where every move is one character.
    fn play_all(&mut self, text: &str) -> Result<Vec<String>, TextError> {
        let mut played = Vec::new();
        for word in text.split([' ', '\t', '\n', ',']).filter(|w| !w.is_empty()) {
            let one_by_one = word.chars().count() > 1 && {
                let moves = self.moves();
                !moves.is_empty() && moves.iter().all(|m| m.chars().count() == 1)
            };
            let pieces: Vec<String> =
                if one_by_one { word.chars().map(String::from).collect() } else { vec![word.into()] };
            for piece in pieces {
                self.play(&piece).map_err(|e| TextError::new(format!("move {}: {e}", played.len() + 1)))?;
                played.push(piece);
            }
        }
        Ok(played)
    }
}

/// A search of some type at work on a position.
pub trait AnySearch: Send {
    /// Spends a budget; may be called again.
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop;
    /// What is known now.
    fn report(&self) -> Report;
    /// Notes why its caller will not go on.
    fn stopped(&mut self, stop: Stop);
    /// Goes on from the position after a move, with what is known about it; `false` if the search cannot, and a new one
    /// must be made for that position.
    fn advance(&mut self, text: &str) -> Result<bool, TextError>;
    /// Whether an observer is told how a tree grows.
    fn grows(&self) -> bool;
    /// Writes everything that going on depends on.
    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError>;
    /// Takes the place of the search that `save` wrote, after it had run for so many seconds.
    fn restore(&mut self, from: &mut Reader<'_>, seconds: f64) -> Result<(), SaveError>;
    /// Whether a proof of this game's positions can be written; a sentence if not.
    fn can_prove(&self) -> Result<(), Error>;
    /// Writes the proof of a solved position, as long as the budget lasts. Refuses if the position is not solved.
    fn write_proof(
        &mut self,
        file: ProofFile,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<ProofLine, Error>;
}

/// Opens the game called `text`: natively if its type asks for it, boxed otherwise.
pub(crate) fn open(text: &str, spec: Spec) -> Option<Result<Box<dyn AnyGame>, TextError>> {
    match perfectplay_games::open_native(spec.clone(), Opener { spec: text }) {
        Some(Ok(Some(native))) => return Some(Ok(native)),
        Some(Err(error)) => return Some(Err(error)),
        Some(Ok(None)) | None => {}
    }
    let opened = perfectplay_games::open_boxed(spec)?;
    Some(opened.map(|boxed| match boxed {
        AnyBoxed::ZeroSum(game) => room(text, game, for_zero_sum(), Extras::zero_sum()),
        AnyBoxed::ZeroSumLarge(game) => room(text, game, for_zero_sum(), Extras::zero_sum()),
        AnyBoxed::Two(game) => room(text, game, for_any(), Extras::several(teams_in_box)),
        AnyBoxed::Three(game) => room(text, game, for_any(), Extras::several(teams_in_box)),
        AnyBoxed::Four(game) => room(text, game, for_any(), Extras::several(teams_in_box)),
        AnyBoxed::Five(game) => room(text, game, for_any(), Extras::several(teams_in_box)),
        AnyBoxed::Six(game) => room(text, game, for_any(), Extras::several(teams_in_box)),
    }))
}

/// Takes games of native types as they are.
struct Opener<'a> {
    spec: &'a str,
}

impl Visitor for Opener<'_> {
    type Output = Option<Box<dyn AnyGame>>;

    fn zero_sum<G: Game<Payoff = ZeroSum>>(self, game: G) -> Self::Output {
        // Constant, so that algorithms are compiled for native types only.
        if const { G::NATIVE } { Some(room(self.spec, game, for_zero_sum(), Extras::zero_sum())) } else { None }
    }

    fn scores<const N: usize, G: Game<Payoff = Scores<N>>>(self, game: G) -> Self::Output {
        if const { G::NATIVE } { Some(room(self.spec, game, for_any(), Extras::several(native_teams))) } else { None }
    }
}

fn for_zero_sum<G: Game<Payoff = ZeroSum>>() -> Vec<Entry<G>> {
    let mut algorithms = for_any();
    algorithms.extend(for_two());
    algorithms
}

fn room<G: Game>(spec: &str, game: G, algorithms: Vec<Entry<G>>, extras: Extras<G>) -> Box<dyn AnyGame> {
    Box::new(Room(Arc::new(Inside { spec: spec.to_owned(), game: Arc::new(game), algorithms, extras })))
}

/// What depends on the kind of payoff.
struct Extras<G: Game> {
    /// For two players with opposed interests only.
    scorer: Option<OpenScorer<G>>,
    prove: Prove<G>,
    /// For all other games.
    teams: Option<OpenTeams<G>>,
}

impl<G: Game<Payoff = ZeroSum>> Extras<G> {
    fn zero_sum() -> Self {
        Extras { scorer: Some(solver::scorer), prove: certify::two_players, teams: None }
    }
}

impl<G: Game> Extras<G> {
    fn several(teams: OpenTeams<G>) -> Self {
        Extras { scorer: None, prove: certify::several_players, teams: Some(teams) }
    }
}

/// A game in teams with a state of it, from a game for many and a state of that.
type OpenTeams<G> = fn(&Arc<G>, &<G as Game>::State, Teams, Objective) -> (TeamGame, Shared);
type TeamGame = Boxed<ZeroSum, LARGE>;

fn teams_in_box<P: Payoff, const W: usize>(
    game: &Arc<Boxed<P, W>>,
    state: &Shared,
    teams: Teams,
    objective: Objective,
) -> (TeamGame, Shared) {
    (in_teams(game, teams, objective), state.clone())
}

fn native_teams<G: Game>(game: &Arc<G>, state: &G::State, teams: Teams, objective: Objective) -> (TeamGame, Shared) {
    (in_teams(&Boxed::<G::Payoff, LARGE>::new(game.clone()), teams, objective), share::<G>(state.clone()))
}

type OpenScorer<G> = fn(Arc<G>, usize) -> Result<Box<dyn Scorer<G>>, Refusal>;

/// A game with its name and its algorithms, shared by all its positions.
struct Room<G: Game>(Arc<Inside<G>>);

struct Inside<G: Game> {
    spec: String,
    game: Arc<G>,
    algorithms: Vec<Entry<G>>,
    extras: Extras<G>,
}

impl<G: Game> Room<G> {
    fn position(&self, state: G::State) -> Box<dyn AnyPosition> {
        Box::new(Position { room: self.0.clone(), state })
    }
}

impl<G: Game> AnyGame for Room<G> {
    fn spec(&self) -> &str {
        &self.0.spec
    }

    fn facts(&self) -> Facts {
        self.0.game.facts()
    }

    fn start(&self) -> Box<dyn AnyPosition> {
        self.position(self.0.game.start())
    }

    fn parse_position(&self, text: &str) -> Result<Box<dyn AnyPosition>, TextError> {
        let state = self.0.game.parse_position(text);
        Ok(self.position(state.map_err(|e| TextError::new(format!("bad position: {e}")))?))
    }

    fn algorithms(&self) -> Vec<&'static AlgorithmInfo> {
        self.0.algorithms.iter().map(|e| e.info).collect()
    }

    fn score_set(
        &self,
        set: &[Scored],
        bytes: usize,
        each: &mut dyn FnMut(&SetResult) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let game = &self.0.game;
        let Some(open) = self.0.extras.scorer else {
            return Err(Error::Refused(Refusal::Other(
                "scoring a set needs two players with opposed interests".into(),
            )));
        };
        let mut scorer = open(game.clone(), bytes)?;
        for line in set {
            let mut position = Position { room: self.0.clone(), state: game.start() };
            position.play_all(&line.moves)?;
            let sign = if game.status(&position.state).mover() == Some(Player::SECOND) { -1 } else { 1 };
            let (started, before) = (Instant::now(), scorer.nodes());
            let score = sign * scorer.score(&position.state);
            let result = SetResult { score, nodes: scorer.nodes() - before, seconds: started.elapsed().as_secs_f64() };
            if each(&result).is_break() {
                break;
            }
        }
        Ok(())
    }
}

struct Position<G: Game> {
    room: Arc<Inside<G>>,
    state: G::State,
}

impl<G: Game> AnyPosition for Position<G> {
    fn game(&self) -> &str {
        &self.room.spec
    }

    fn text(&self) -> String {
        self.room.game.position_text(&self.state)
    }

    fn fingerprint(&self) -> String {
        let mut drawn = String::new();
        let mut state = self.state.clone();
        let mut moves = Vec::new();
        for ply in 0..32 {
            moves.clear();
            self.room.game.expand(&state, &mut moves);
            let Some(&mv) = moves.get(ply % moves.len().max(1)) else { break };
            drawn += &format!(" {}:{}", moves.len(), self.room.game.move_text(&state, mv));
            self.room.game.play(&mut state, mv);
        }
        format!("{:?}{drawn}", self.room.game.facts())
    }

    fn drawing(&self) -> Drawing {
        self.room.game.drawing(&self.state)
    }

    fn status(&self) -> Result<Player, Ended> {
        match self.room.game.status(&self.state) {
            Status::Turn(mover) => Ok(mover),
            Status::Over(payoff) => {
                let players = || Player::all(G::Payoff::PLAYERS);
                let gains = players().map(|p| payoff.gain(p).value()).collect();
                Err(Ended { gains, scores: players().map(|p| payoff.score(p)).collect() })
            }
        }
    }

    fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.room.game.expand(&self.state, &mut moves);
        moves.iter().map(|&m| self.room.game.move_text(&self.state, m)).collect()
    }

    fn play(&mut self, text: &str) -> Result<(), TextError> {
        let mv = self.room.game.parse_move(&self.state, text)?;
        self.room.game.play(&mut self.state, mv);
        Ok(())
    }

    fn perft(&self, depth: usize, finished: bool, budget: &Budget) -> Result<Perft, Stop> {
        self.room.game.perft(&self.state, depth, finished, budget)
    }

    fn playouts(&self, seed: u64, budget: &Budget) -> Playouts {
        let mut random = seed;
        // Weyl sequence and mixer of SplitMix64; the high half scaled to the number of choices.
        let mut below = |sides: usize| {
            random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (random ^ random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((((mixed ^ mixed >> 31) >> 32) * sides as u64) >> 32) as usize
        };
        let (clock, before) = (Instant::now(), thread_seconds());
        let (mut meter, mut moves, mut sum) = (budget.start(), Vec::new(), Playouts::default());
        loop {
            let (payoff, plies) = self.room.game.playout(self.state.clone(), LONGEST_PLAYOUT, &mut moves, &mut below);
            sum.games += 1;
            sum.moves += u64::from(plies);
            sum.unfinished += u64::from(payoff.is_none());
            if meter.spend(u64::from(plies).max(1), 0).is_some() {
                break;
            }
        }
        sum.seconds = match (before, thread_seconds()) {
            (Some(before), Some(now)) if now > before => now - before,
            _ => clock.elapsed().as_secs_f64(),
        };
        sum
    }

    fn search(&self, algorithm: &Algorithm, setup: &Setup) -> Result<Box<dyn AnySearch>, Error> {
        let mut without = algorithm.clone();
        if let Some(teams) = without.params.take("teams") {
            return self.search_in_teams(&teams, &without, setup);
        }
        let Some(entry) = self.room.algorithms.iter().find(|e| e.info.name == algorithm.info.name) else {
            let (name, players) = (algorithm.info.name, G::Payoff::PLAYERS);
            return Err(Error::Refused(Refusal::Other(format!(
                "{name} needs two players with opposed interests; {} is a game for {players} with separate scores \
(teams=me, teams=leader or teams=1/… make two teams of them)",
                self.room.spec
            ))));
        };
        let game = self.room.game.clone();
        let search = (entry.open)(game, self.state.clone(), setup, algorithm.params.clone())?;
        Ok(self.running(search, &algorithm.text, setup.objective))
    }

    fn strong(&self, objective: Objective, mut on_value: OnPosition) -> Result<Box<dyn AnySearch>, Error> {
        let game = self.room.game.clone();
        let mut search = BackwardInduction::new(game.clone(), self.state.clone(), objective)?;
        search.on_value(Box::new(move |state, payoff| {
            let value: Vec<i32> = Player::all(G::Payoff::PLAYERS).map(|p| objective.value(*payoff, p)).collect();
            on_value(&game.position_text(state), &value);
        }));
        Ok(self.running(Box::new(search), backward_induction::INFO.name, objective))
    }

    fn tree(&self, depth: usize, objective: Objective, budget: &Budget) -> Result<GameTree, Error> {
        GameTree::build(&self.room.game, &self.state, depth, objective, budget)
    }

    fn matrix(&self, objective: Objective) -> Result<Matrix, Error> {
        Matrix::of_game(&*self.room.game, &self.state, objective)
    }

    fn clone_box(&self) -> Box<dyn AnyPosition> {
        Box::new(Position { room: self.room.clone(), state: self.state.clone() })
    }
}

impl<G: Game> Position<G> {
    /// The same algorithm on the game in which players have joined into two teams.
    fn search_in_teams(&self, text: &str, algorithm: &Algorithm, setup: &Setup) -> Result<Box<dyn AnySearch>, Error> {
        let Some(open) = self.room.extras.teams else {
            return Err(Error::Refused(Refusal::Other(format!(
                "teams={text} needs a game for more than two players or with separate scores; {} has two opposed players",
                self.room.spec
            ))));
        };
        let mover = self.status().ok();
        let teams = self.teams(text, mover.unwrap_or(Player::FIRST))?;
        let (game, state) = open(&self.room.game, &self.state, teams, setup.objective);
        let room = Inside {
            spec: self.room.spec.clone(),
            game: Arc::new(game),
            algorithms: for_zero_sum(),
            extras: Extras::zero_sum(),
        };
        let search = Position { room: Arc::new(room), state }.search(algorithm, setup)?;
        Ok(Box::new(InTeams { search, teams, mover, moves: self.moves() }))
    }

    /// The teams that a user's word means in this position.
    fn teams(&self, text: &str, mover: Player) -> Result<Teams, Error> {
        let (game, players) = (&self.room.game, G::Payoff::PLAYERS);
        match text {
            "me" => Ok(Teams::alone(mover, players)),
            "leader" if !game.facts().heuristic => Err(Error::Refused(Refusal::Other(format!(
                "teams=leader needs a heuristic that says who leads, and {} has none",
                self.room.spec
            )))),
            "leader" => {
                let part = |p: Player| match game.status(&self.state) {
                    Status::Over(payoff) => payoff.score(p) as f32,
                    Status::Turn(_) => game.heuristic_of(&self.state, p),
                };
                // The lowest seat among equals.
                let leader = Player::all(players).rev().max_by(|&a, &b| part(a).total_cmp(&part(b)));
                Ok(Teams::alone(leader.unwrap_or(mover), players))
            }
            _ => Ok(Teams::parse(text, players)?),
        }
    }

    fn running(&self, search: Box<dyn Search<G>>, name: &str, objective: Objective) -> Box<dyn AnySearch> {
        let position = Position { room: self.room.clone(), state: self.state.clone() };
        Box::new(Running { position, search, name: name.to_owned(), objective, spent: Duration::ZERO, stop: None })
    }
}

struct Running<G: Game> {
    position: Position<G>,
    search: Box<dyn Search<G>>,
    name: String,
    objective: Objective,
    spent: Duration,
    stop: Option<Stop>,
}

impl<G: Game> AnySearch for Running<G> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        let started = Instant::now();
        let stop = self.search.run(budget, observer);
        self.spent += started.elapsed();
        self.stop = Some(stop);
        stop
    }

    fn report(&self) -> Report {
        let context = Context {
            game: &self.position.room.spec,
            algorithm: &self.name,
            objective: self.objective,
            seconds: self.spent.as_secs_f64(),
            stop: self.stop,
        };
        Report::new(&*self.position.room.game, &self.position.state, self.search.answer(), context)
    }

    fn stopped(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    fn advance(&mut self, text: &str) -> Result<bool, TextError> {
        let game = &self.position.room.game;
        let mv = game.parse_move(&self.position.state, text)?;
        let kept = self.search.advance(mv);
        if kept {
            game.play(&mut self.position.state, mv);
            self.stop = None;
        }
        Ok(kept)
    }

    fn grows(&self) -> bool {
        self.search.grows()
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        self.search.save(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>, seconds: f64) -> Result<(), SaveError> {
        self.spent = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        self.search.restore(from)
    }

    fn can_prove(&self) -> Result<(), Error> {
        certify::refuse_cycles(&*self.position.room.game)
    }

    fn write_proof(
        &mut self,
        file: ProofFile,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<ProofLine, Error> {
        let started = Instant::now();
        let Some(value) = self.search.answer().verdict.solved() else {
            return Err(Error::Unproved("there is no proof: the position is not solved".into()));
        };
        let (room, root) = (&self.position.room, &self.position.state);
        let (objective, search) = (self.objective, &mut *self.search);
        let draft = (room.extras.prove)(Source { game: &room.game, root, objective, value, search, budget, observer })?;
        let header = Header {
            game: room.spec.clone(),
            position: room.game.position_text(root),
            objective,
            claim: draft.claim.clone(),
            parts: draft.parts.iter().map(|(part, graph)| (*part, graph.len() as u64)).collect(),
        };
        file.write(header, draft, started)
    }
}

/// A search of the game in teams, told as what it is.
struct InTeams {
    search: Box<dyn AnySearch>,
    teams: Teams,
    mover: Option<Player>,
    moves: Vec<String>,
}

impl AnySearch for InTeams {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop {
        self.search.run(budget, observer)
    }

    fn report(&self) -> Report {
        let mut report = self.search.report();
        let members = |team| {
            let names: Vec<String> = self.teams.members(team).map(|p| (p.index() + 1).to_string()).collect();
            format!("player{} {}", if names.len() > 1 { "s" } else { "" }, names.join(" and "))
        };
        let (first, second) = (members(Player::FIRST), members(Player::SECOND));
        let against = if self.teams.members(Player::SECOND).count() > 1 { "hold together" } else { "does its worst" };
        let note = format!(
            "the value is that of a game of two teams: what {first} can secure if {second} {against}; it is no equilibrium \
of {}",
            report.game
        );
        report.notes.insert(0, note);
        report.teams = Some(self.teams.to_string());
        report.mover = self.mover.map(|p| p.index() + 1);
        report
    }

    fn stopped(&mut self, stop: Stop) {
        self.search.stopped(stop);
    }

    fn grows(&self) -> bool {
        self.search.grows()
    }

    fn save(&self, to: &mut Writer<'_>) -> Result<(), SaveError> {
        self.search.save(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>, seconds: f64) -> Result<(), SaveError> {
        self.search.restore(from, seconds)
    }

    /// A certificate names a game, and a game in teams has no name.
    fn can_prove(&self) -> Result<(), Error> {
        Err(Error::Unproved("proofs are written for games as they are, not for games in teams".into()))
    }

    fn write_proof(&mut self, _: ProofFile, _: &Budget, _: &mut dyn Observer) -> Result<ProofLine, Error> {
        Err(self.can_prove().expect_err("it never can"))
    }

    /// Teams are fixed at the root of each search.
    fn advance(&mut self, text: &str) -> Result<bool, TextError> {
        if self.moves.iter().any(|m| m == text) { Ok(false) } else { Err(TextError::illegal_move(text, &self.moves)) }
    }
}
