//! The loop: games of self-play, examples, steps, and now and then a look at the clock, a file, a report.
//!
//! What a game leaves to chance follows from the seed and the number of the game alone. So a run in one thread that was
//! stopped and goes on does what it would have done, to the last bit.

pub(crate) mod away;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use perfectplay_core::random::mix;
use perfectplay_core::{Budget, FeatureBatch, Model, Objective, StopHandle, TextError};
use perfectplay_model::file::{FileError, Tensor, VERSION};
use perfectplay_model::{Header, MOST_ENTRIES, ModelFile, Network, Structure, Tuples};
use rand_core::SeedableRng;
use serde::{Deserialize, Serialize};

use crate::anneal::End;
use crate::choose::{Dice, draw};
use crate::curve::Point;
use crate::examples::{Examples, Window};
use crate::layers::LayerLearner;
use crate::learner::{Learner, ModelSeed, tensor};
use crate::options::{Method, ModelOptions, Opponents, Replay, Start, Target, Way};
use crate::self_play::{self, Begin, Played, SelfPlay, Table};
use crate::structure;
use crate::tables::TableLearner;

/// What went wrong before a run: one sentence.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A text could not be understood.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// The catalog.
    #[error(transparent)]
    Catalog(#[from] perfectplay_catalog::Error),
    /// Anything else.
    #[error("{0}")]
    Request(String),
}

/// What is to be learned, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The game.
    pub game: String,
    /// The model, `tuples:count=70`.
    pub model: String,
    /// The way to learn, `descent:evaluations=100`.
    pub method: String,
    /// For everything left to chance.
    pub seed: u64,
}

/// How far a run may go, counted from its beginning (games) or from this call (time).
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Games in all, those before a resumption included.
    pub games: Option<u64>,
    /// Time from now on.
    pub time: Option<Duration>,
    /// Threads that play.
    pub threads: usize,
    /// A request to stop.
    pub stop: StopHandle,
    /// Where the run will end, of which this may be a part: steps shrink towards it.
    pub end: End,
}

/// How far a run has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Count {
    /// Games.
    pub games: u64,
    /// Plies of these games that the learner chose.
    pub plies: u64,
    /// States evaluated.
    pub evaluations: u64,
    /// Examples learned.
    pub examples: u64,
    /// Seconds, over all resumptions.
    pub seconds: f64,
    /// States in all trees, and resolved ones among them.
    pub states: u64,
    /// See `states`.
    pub resolved: u64,
    /// Sum of squared errors over the outputs of all examples, before each was learned.
    pub squared_errors: f64,
}

impl Count {
    fn add(&mut self, played: &Played, examples: usize, squared: f64) {
        self.games += 1;
        self.plies += (played.moves.len() - played.opening) as u64;
        self.evaluations += played.evaluations;
        self.examples += examples as u64;
        self.states += played.states;
        self.resolved += played.resolved;
        self.squared_errors += squared;
    }
}

/// A game as the log of games tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameLine {
    /// Counted from 1.
    pub game: u64,
    /// All moves.
    pub moves: Vec<String>,
    /// How many of them were drawn before the learner took over.
    pub opening: usize,
    /// What each player gained.
    pub gains: Vec<i32>,
}

/// Hears how a run goes.
pub trait Listener: Send {
    /// After each game, from the thread that played it.
    fn game(&mut self, _count: &Count) {}
    /// Whether games shall be told move by move.
    fn wants_games(&self) -> bool {
        false
    }
    /// A game, if they are wanted.
    fn record(&mut self, _game: &GameLine) {}
    /// After each look at the run.
    fn look(&mut self, _point: &Point) {}
}

impl Listener for () {}

/// A run: a game, a learner, and how far it has come.
pub struct Run {
    plan: Plan,
    method: Method,
    game: Box<dyn SelfPlay>,
    learner: Arc<dyn Learner>,
    rules: String,
    /// The longest random opening, P of targets that count plies, and the most moves that are counted.
    opening: u32,
    length: u32,
    width: u32,
    /// Games that the hand-written evaluation plays.
    lessons: u64,
    state: Mutex<State>,
    next: AtomicU64,
}

/// What threads share under a lock.
struct State {
    count: Count,
    window: Window,
    /// Earlier games, as moves by number.
    earlier: Vec<Vec<u16>>,
    /// An earlier self.
    past: Option<Arc<Network>>,
}

/// Plies of random games beyond which a line of Descent, which goes to the end each time, costs too much.
const LONG_GAME: f64 = 120.0;

/// Whether Descent suits a game: positions cannot repeat, and games are not long.
pub(crate) fn descends(game: &str) -> Result<bool, Error> {
    let game = self_play::open(game)?;
    let random = game.random_games(&mut Dice::seed_from_u64(0));
    Ok(game.acyclic() && random.mean <= LONG_GAME)
}

/// How this game is learned if nobody says how: by Descent where it suits, otherwise by temporal differences.
pub fn usual_method(game: &str) -> Result<&'static str, Error> {
    Ok(if descends(game)? { "descent" } else { "td:choose=epsilon,lambda=0.7,opening=8" })
}

/// Plies beyond which no game is long enough for the number of its plies to tell much.
const LONG_BOUND: u32 = 500;

/// f_t as Cohen-Solal's experiments take it: the game's own score, otherwise additive depth; where that says nothing,
/// the gain.
pub fn expressive_terminal(game: &str) -> Result<&'static str, Error> {
    let facts = perfectplay_catalog::open(game)?.facts();
    Ok(match facts.length {
        _ if facts.scores.iter().any(|&(low, high)| low < -1 || high > 1) => "score",
        Some(length) if length <= LONG_BOUND => "depth",
        _ => "gain",
    })
}

/// The longest random opening if nobody says how long: what lies further from the start in a long game is not met in
/// play.
const LONGEST_OPENING: f64 = 60.0;
/// Games by the hand-written evaluation where nobody wins a random game: without a winner there is nothing to learn.
const USUAL_LESSONS: u64 = 2000;
/// A game of so many states is looked at whole.
const MOST_STATES: f64 = 20_000.0;
/// Games between two earlier selves.
const PAST_EVERY: u64 = 1000;
/// Earlier games that are kept to begin at.
const EARLIER: usize = 1000;

impl Run {
    /// A run from nothing.
    pub fn new(plan: Plan) -> Result<Self, Error> {
        let rules = perfectplay_catalog::fingerprint(&plan.game)?;
        let (game, method) = (self_play::open(&plan.game)?, Method::parse(&plan.method)?);
        let mut dice = Dice::seed_from_u64(plan.seed);
        let images = game.images(&mut dice);
        let learner: Arc<dyn Learner> = match ModelOptions::parse(&plan.model)? {
            ModelOptions::Tuples(options) => {
                let mut tuples = structure::random_walks(game.layout(), &options, &mut dice);
                let fits = |tuple: &Vec<u16>| {
                    let size = game.shape().values.checked_pow(tuple.len() as u32);
                    size.is_some_and(|size| size <= MOST_ENTRIES)
                };
                if !tuples.iter().all(fits) {
                    return Err(Error::Request(format!(
                        "length is too large: a table for cells of {} values would have more than {} entries",
                        game.shape().values,
                        MOST_ENTRIES
                    )));
                }
                let patterned = options.patterns.unwrap_or_else(|| structure::suits_patterns(&*game));
                let patterns = if patterned { structure::patterns(game.layout(), &images) } else { Vec::new() };
                if patterned {
                    tuples.extend(structure::single_cells(&images));
                }
                let sides = options.sides.unwrap_or(game.shape().players == 2);
                let structure = Structure { tuples, patterns, images, sides, phases: options.phases };
                Arc::new(TableLearner::new(Tuples::new(game.shape().clone(), structure), options))
            }
            ModelOptions::Mlp(options) => Arc::new(LayerLearner::new(game.shape(), images, options, plan.seed)),
            ModelOptions::Other(model, params) => (model.begin)(params, &model_seed(&*game, &images, plan.seed))?,
        };
        Self::with(plan, rules, game, method, learner, dice)
    }

    fn with(
        plan: Plan,
        rules: String,
        game: Box<dyn SelfPlay>,
        method: Method,
        learner: Arc<dyn Learner>,
        mut dice: Dice,
    ) -> Result<Self, Error> {
        if matches!(method.way, Way::Descent | Way::Ubfm) && !game.acyclic() {
            let (game, text) = (&plan.game, &method.text);
            return Err(Error::Request(format!(
                "{text} needs a game in which no position repeats, and in {game} positions can repeat: use td or minimax"
            )));
        }
        if method.options.generalisation.given && game.shape().outputs == 1 {
            return Err(Error::Request(format!(
                "{} is a game for two, to which generalisation means nothing",
                plan.game
            )));
        }
        if method.options.resolved && !game.stable_keys() {
            let game = &plan.game;
            return Err(Error::Request(format!(
                "resolved=on cannot be resumed in {game}, where the past of a game counts"
            )));
        }
        let random = game.random_games(&mut dice);
        let opening = method.options.opening.unwrap_or(random.mean.round().min(LONGEST_OPENING) as u32);
        let lessons = match method.options.lessons {
            Some(lessons) if lessons > 0 && !game.has_heuristic() => {
                return Err(Error::Request(format!("{} has no hand-written evaluation for lessons", plan.game)));
            }
            Some(lessons) => lessons,
            None if random.decided || !game.has_heuristic() => 0,
            None => USUAL_LESSONS,
        };
        let state = State { count: Count::default(), window: Window::default(), earlier: Vec::new(), past: None };
        let next = AtomicU64::new(0);
        let length = method.options.plies.unwrap_or(random.longest);
        let (width, state) = (width(&*game, &method), Mutex::new(state));
        let run = Run { plan, method, game, learner, rules, opening, length, width, lessons, state, next };
        run.warm_up();
        Ok(run)
    }

    /// Learns the last states of random games.
    fn warm_up(&self) {
        let mut examples = Examples::default();
        let table = self.table(None);
        let mut dice = Dice::seed_from_u64(mix(self.plan.seed ^ 0x5741_524d));
        (0..self.method.options.warm).for_each(|_| self.game.random_end(&table, &mut dice, &mut examples));
        if !examples.is_empty() {
            self.learner.learn(&examples, 1.0);
        }
    }

    fn table(&self, past: Option<(Arc<dyn Model>, usize)>) -> Table<'_> {
        let (method, model, length, width) = (&self.method, self.learner.model(), self.length, self.width);
        Table { method, model, past, length, width, taught: false, keeps: true }
    }

    /// Plays and learns until a limit is reached; may be called again.
    pub fn go_on(&self, limits: &Limits, listener: &mut dyn Listener) {
        let started = Instant::now();
        let (before, end) = (self.count().seconds, AtomicBool::new(false));
        let listener = Mutex::new(listener);
        let work = || {
            while !end.load(Ordering::Relaxed) {
                let late = limits.time.is_some_and(|time| started.elapsed() >= time);
                if late || limits.stop.is_pulled() {
                    end.store(true, Ordering::Relaxed);
                    break;
                }
                let number = self.next.fetch_add(1, Ordering::Relaxed);
                if limits.games.is_some_and(|games| number >= games) {
                    self.next.fetch_sub(1, Ordering::Relaxed);
                    break;
                }
                let seconds = || before + started.elapsed().as_secs_f64();
                self.one_game(number, &limits.end, seconds, &listener);
            }
        };
        match limits.threads {
            0 | 1 => work(),
            threads => std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work)))),
        }
    }

    fn one_game(&self, number: u64, end: &End, seconds: impl Fn() -> f64, listener: &Mutex<&mut dyn Listener>) {
        let mut dice = dice_of(self.plan.seed, number);
        let mut examples = Examples::default();
        let played = self.play_game(number, &self.table(None), &mut dice, &mut examples);
        self.learn_game((number, end), played, examples, &mut dice, seconds, listener);
    }

    fn play_game(&self, number: u64, table: &Table<'_>, dice: &mut Dice, examples: &mut Examples) -> Played {
        let (begin, taught) = (self.begin(dice), number < self.lessons);
        let opponents = self.method.options.opponents;
        let past = (opponents == Opponents::Past && number % 4 == 3 && !taught).then(|| self.past()).flatten();
        let past = past.map(|model| (model, draw(dice, self.game.shape().players)));
        self.game.play(&Table { past, taught, ..table.clone() }, &begin, dice, examples)
    }

    fn learn_game(
        &self,
        (number, end): (u64, &End),
        played: Played,
        mut examples: Examples,
        dice: &mut Dice,
        seconds: impl Fn() -> f64,
        listener: &Mutex<&mut dyn Listener>,
    ) {
        let options = &self.method.options;
        let fresh = examples.len();
        if options.replay != Replay::Off {
            let mut state = self.state.lock().expect("no holder panics");
            state.window.push(std::mem::take(&mut examples), options.window.value);
            let wanted = fresh * options.uses.value as usize;
            state.window.sample(wanted, options.replay == Replay::Stratified, dice, &mut examples);
        }
        let pace = end.pace(options.anneal, number, seconds());
        let squared = self.learner.learn(&examples, pace);
        let mut state = self.state.lock().expect("no holder panics");
        state.count.add(&played, examples.len(), squared);
        state.count.seconds = seconds();
        if options.opponents == Opponents::Past && number.is_multiple_of(PAST_EVERY) {
            state.past = Some(Arc::new(self.learner.network()));
        }
        let count = state.count.clone();
        let mut listener = listener.lock().expect("no holder panics");
        if listener.wants_games() {
            let (moves, gains) = (self.game.texts(&played.moves), played.gains.clone());
            listener.record(&GameLine { game: number + 1, moves, opening: played.opening, gains });
        }
        if options.start == Start::Earlier {
            let place = (number as usize) % EARLIER;
            match state.earlier.get_mut(place) {
                Some(game) => *game = played.moves,
                None => state.earlier.push(played.moves),
            }
        }
        drop(state);
        listener.game(&count);
    }

    /// Where the next game begins.
    fn begin(&self, dice: &mut Dice) -> Begin {
        if self.method.options.start == Start::Earlier {
            let state = self.state.lock().expect("no holder panics");
            if !state.earlier.is_empty() && draw(dice, 2) == 0 {
                let game = &state.earlier[draw(dice, state.earlier.len())];
                return Begin::After(game[..draw(dice, game.len().max(1))].to_vec());
            }
            return Begin::Random(0);
        }
        Begin::Random(draw(dice, self.opening as usize + 1))
    }

    fn past(&self) -> Option<Arc<dyn Model>> {
        let state = self.state.lock().expect("no holder panics");
        state.past.clone().map(|network| network as Arc<dyn Model>)
    }

    /// How far it has come.
    pub fn count(&self) -> Count {
        self.state.lock().expect("no holder panics").count.clone()
    }

    /// What is learned.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The model as it is now, for as long as nobody learns.
    pub fn model(&self) -> Arc<dyn Model> {
        self.learner.model()
    }

    /// Appends the features of the states of a random game.
    pub fn sample_features(&self, seed: u64, out: &mut FeatureBatch) {
        self.game.sample(&mut Dice::seed_from_u64(seed), out);
    }

    /// Of all unfinished states of a game small enough to be solved whole: how many the model values wrongly (a win
    /// that does not look like one, a draw that looks like a win or a loss), and how many there are.
    pub fn wrong_states(&self) -> Result<(usize, usize), Error> {
        let solved = Arc::new(Mutex::new(Vec::new()));
        let list = solved.clone();
        let note = move |position: &str, value: &[i32]| {
            list.lock().expect("no holder panics").push((position.to_owned(), value.to_vec()));
        };
        let start = perfectplay_catalog::open(&self.plan.game)?.start();
        start.strong(Objective::Gain, Box::new(note))?.run(&Budget::unlimited(), &mut ());
        let (model, mut wrong, mut all) = (self.model(), 0, 0);
        for (position, value) in solved.lock().expect("no holder panics").iter() {
            let Some(guess) = self.game.evaluate(&model, position)? else { continue };
            all += 1;
            let third = |guess: f32| i32::from(guess > 1.0 / 3.0) - i32::from(guess < -1.0 / 3.0);
            wrong += usize::from(guess.iter().zip(value).any(|(&guess, &value)| third(guess) != value.signum()));
        }
        Ok((wrong, all))
    }

    /// Which part of all states the model values rightly; `None` if the game is too large to ask.
    pub(crate) fn right_states(&self) -> Result<Option<f64>, Error> {
        let facts = perfectplay_catalog::open(&self.plan.game)?.facts();
        if !facts.acyclic || facts.states.is_none_or(|states| states > MOST_STATES) {
            return Ok(None);
        }
        let (wrong, all) = self.wrong_states()?;
        Ok(Some(1.0 - wrong as f64 / all.max(1) as f64))
    }

    /// A copy of the model, to be used or shared.
    pub fn file(&self) -> ModelFile {
        let (network, count) = (self.learner.network(), self.count());
        let Plan { game, model, method, seed } = &self.plan;
        let made_by = format!(
            "perfectplay train {game} --model {model} --with {method} --seed {seed}: {} games{}, {} examples, {:.0} s",
            count.games,
            match self.lessons {
                0 => String::new(),
                lessons => format!(" (the first {lessons} by the hand-written evaluation)"),
            },
            count.examples,
            count.seconds
        );
        let (sides, phases) = match &network {
            Network::Tuples(tuples) => (tuples.structure().sides, tuples.structure().phases),
            Network::Mlp(_) | Network::Other(_) => (false, 1),
        };
        let header = Header {
            version: VERSION,
            game: game.clone(),
            rules: self.rules.clone(),
            kind: network.kind().into(),
            shape: network.shape().clone(),
            sides,
            phases,
            made_by,
        };
        ModelFile { header, network, training: BTreeMap::new() }
    }

    /// The model with everything that going on depends on.
    pub fn saved(&self) -> ModelFile {
        let mut file = self.file();
        let state = self.state.lock().expect("no holder panics");
        file.training = self.learner.save();
        file.training.extend(state.window.save().map(|(name, tensor)| (name.to_owned(), tensor)));
        let Plan { game, model, method, seed } = self.plan.clone();
        let (count, &Run { opening, length, lessons, .. }) = (state.count.clone(), self);
        let whole = Saved { game, model, method, seed, count, opening, length, lessons };
        let text = serde_json::to_string(&whole).expect("plain data");
        file.training.insert("run".into(), Tensor::bytes(text.into_bytes()));
        let games =
            state.earlier.iter().flat_map(|game| std::iter::once(game.len() as u16).chain(game.iter().copied()));
        file.training.insert("earlier".into(), Tensor::whole(games));
        if self.method.options.resolved {
            file.training.insert("resolved".into(), Tensor::bytes(self.game.save_resolved()));
        }
        if let Some(past) = &state.past {
            let past = ModelFile { header: file.header.clone(), network: (**past).clone(), training: BTreeMap::new() };
            file.training.insert("past".into(), Tensor::bytes(past.to_bytes()));
        }
        file
    }

    /// Goes on from what [`Run::saved`] wrote.
    pub fn resume(file: ModelFile) -> Result<Self, Error> {
        let get = |name: &str| tensor(&file.training, name);
        let broken = |error| Error::Request(format!("this file does not say how it was trained: {error}"));
        let saved: Saved = serde_json::from_slice(get("run")?.as_bytes()).map_err(broken)?;
        let Saved { game, model, method, seed, count, opening, length, lessons } = saved;
        let rules = perfectplay_catalog::fingerprint(&game)?;
        if file.header.rules != rules {
            return Err(Error::Request(format!("the rules of {game} have changed since this file was written")));
        }
        let plan = Plan { game, model, method, seed };
        let (game, method) = (self_play::open(&plan.game)?, Method::parse(&plan.method)?);
        if game.shape() != file.network.shape() {
            return Err(Error::Request(format!("the board of {} has changed since this file was written", plan.game)));
        }
        let mut dice = Dice::seed_from_u64(plan.seed);
        let images = game.images(&mut dice);
        let learner: Arc<dyn Learner> = match (ModelOptions::parse(&plan.model)?, file.network) {
            (ModelOptions::Tuples(options), Network::Tuples(tuples)) => Arc::new(TableLearner::new(*tuples, options)),
            (ModelOptions::Mlp(options), Network::Mlp(mlp)) => Arc::new(LayerLearner::of(mlp, images, options)),
            (ModelOptions::Other(model, params), network) => {
                (model.resume)(params, &network, &model_seed(&*game, &images, plan.seed))?
            }
            _ => return Err(Error::Request("this file holds another kind of model than it says".into())),
        };
        learner.restore(&file.training)?;
        let window = Window::restore(game.shape(), get)?;
        let mut earlier = Vec::new();
        let words = get("earlier")?.as_whole()?;
        let mut rest = words.as_slice();
        while let [count, after @ ..] = rest {
            let cut = || Error::Request("the games in this file are cut off".into());
            let (moves, after) = after.split_at_checked(usize::from(*count)).ok_or_else(cut)?;
            earlier.push(moves.to_vec());
            rest = after;
        }
        if method.options.resolved && !game.restore_resolved(get("resolved")?.as_bytes()) {
            return Err(Error::Request("the resolved states in this file are cut off".into()));
        }
        let past = match file.training.get("past") {
            Some(past) => Some(Arc::new(ModelFile::from_bytes(past.as_bytes())?.network)),
            None => None,
        };
        let (next, width) = (AtomicU64::new(count.games), width(&*game, &method));
        let state = Mutex::new(State { count, window, earlier, past });
        Ok(Run { plan, method, game, learner, rules, opening, length, width, lessons, state, next })
    }
}

fn model_seed<'a>(game: &'a dyn SelfPlay, images: &'a [Vec<u16>], seed: u64) -> ModelSeed<'a> {
    ModelSeed { shape: game.shape(), layout: game.layout(), images, seed }
}

/// The most moves that are counted, if any are.
fn width(game: &dyn SelfPlay, method: &Method) -> u32 {
    if method.options.f == Target::Mobility { game.most_moves() } else { 0 }
}

/// What chance gives in the game of this number.
fn dice_of(seed: u64, number: u64) -> Dice {
    Dice::seed_from_u64(mix(seed ^ mix(number + 1)))
}

/// What a file says about the run that wrote it.
#[derive(Serialize, Deserialize)]
struct Saved {
    game: String,
    model: String,
    method: String,
    seed: u64,
    count: Count,
    opening: u32,
    length: u32,
    #[serde(default)]
    lessons: u64,
}
