//! What is completion worth? (Cohen-Solal 2025, §7, Table 1.)
//!
//! UBFM with completion plays against UBFM without, both with safest decisions, transpositions and the same budget per
//! move. A game has several sets of learned evaluations that differ in strength; within a set every ordered pair of
//! functions (the first for the side with completion, the second for the other) meets once in each seat. A win counts
//! 1, a draw 0, a loss -1; a game's figure is the mean of its matches with a 95 % interval, the overall figure the mean
//! over games with a stratified bootstrap. The unit of chance is a pair of functions with all its matches.
//!
//! The same protocol answers other questions ([`COMPARISONS`]): which decision, which search. With more than two seats
//! one of the two sits alone among players of the other kind, in every seat, and then the other way round; what counts
//! is half the difference of what the two gained alone.
//!
//! Finished games are valued by their score or, where there is none, by how soon they end: an evaluation may then
//! promise more than a win that is at hand, and it is completion that takes the win.
//!
//! What differs from the paper: the limit is a number of states per move, not 10 s, and functions of a set come from
//! one run of learning, after a sixteenth of its time, an eighth, and so on.
//!
//! Sets are the units of work: a shard plays whole sets, since a set that is learned on two machines is two sets. The
//! results of a set whose matches are all played are a [`SetResults`], which a summary keeps where stores and functions
//! are lost: it is neither learned nor played again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use perfectplay_catalog::{Algorithm, Setup};
use perfectplay_core::{Budget, StopHandle};
use serde::{Deserialize, Serialize};

use super::results::{Match, read_summary};
use crate::match_play::{Ending, GameRecord, Rules};
use crate::runner::{RunOptions, Tournament};
use crate::schedule::Job;
use crate::stats::{Interval, stratified_bootstrap, t_interval};
use crate::store::{Shard, Store};
use crate::{Error, Opening, PlayerSpec, charts};

/// A game of Table 1: its name here, in the paper, and the paper's mean and half-width in percent.
pub type Printed = (&'static str, &'static str, i32, i32);

/// Table 1 of Cohen-Solal 2025.
pub const TABLE: [Printed; 22] = [
    ("amazons:10", "Amazons", 1, 2),
    ("arimaa:limit=900", "Arimaa", 7, 1),
    ("ataxx:7,repetition=ends", "Ataxx", 55, 2),
    ("breakthrough:8x8", "Breakthrough", -1, 1),
    ("brazilian-draughts:endings=drawn", "Brazilian", 2, 0),
    ("canadian-draughts:endings=drawn", "Canadian", 6, 1),
    ("clobber:10x10", "Clobber", 0, 1),
    ("connect6:19", "Connect6", 0, 2),
    ("international-draughts:endings=drawn", "International", 4, 0),
    ("chess", "Chess", 1, 1),
    ("go:9", "Go 9", 0, 2),
    ("gomoku:15,opening=outer", "Gomoku", 0, 1),
    ("havannah:8", "Havannah", 0, 2),
    ("hex:11", "Hex 11", 0, 1),
    ("hex:13", "Hex 13", 0, 1),
    ("hex:19", "Hex 19", 0, 1),
    ("lines-of-action", "Lines of A.", 5, 1),
    ("othello:10", "Othello 10", 24, 1),
    ("othello:8", "Othello 8", 28, 1),
    ("santorini", "Santorini", 14, 2),
    ("surakarta:repetition=ends", "Surakarta", 4, 1),
    ("xiangqi:rules=olympiad", "Xiangqi", 11, 1),
];

/// Games that the paper does not have: for three players, and small ones. Their last two numbers mean nothing.
pub const BEYOND: [Printed; 3] = [
    ("chinese-checkers:6,players=3", "Chinese Checkers, 3", 0, 0),
    ("connect-four:7x6", "Connect Four", 0, 0),
    ("tic-tac-toe", "tic-tac-toe", 0, 0),
];

/// The paper's overall mean and interval, in percent.
pub const PUBLISHED: (f64, f64, f64) = (6.34, 6.03, 6.66);

/// Two ways to play that are compared: algorithm and options, to which the evaluation is added.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// Its name on the command line.
    pub name: &'static str,
    /// What plays against what.
    pub question: &'static str,
    first: &'static str,
    second: &'static str,
}

/// What can be compared.
pub const COMPARISONS: [Comparison; 7] = [
    Comparison {
        name: "completion",
        question: "ubfm with completion against ubfm without",
        first: "ubfm:decision=safest",
        second: "ubfm:completion=off,decision=safest",
    },
    Comparison {
        name: "descent-completion",
        question: "descent with completion against descent without",
        first: "descent:decision=safest",
        second: "descent:completion=off,decision=safest",
    },
    Comparison {
        name: "decision",
        question: "ubfm, safest decision, against ubfm, best value",
        first: "ubfm:decision=safest",
        second: "ubfm:decision=best",
    },
    Comparison {
        name: "table",
        question: "ubfm with transpositions against ubfm without",
        first: "ubfm:decision=safest",
        second: "ubfm:table=off,decision=safest",
    },
    Comparison {
        name: "descent",
        question: "ubfm against descent",
        first: "ubfm:decision=safest",
        second: "descent:decision=safest",
    },
    Comparison {
        name: "alpha-beta",
        question: "ubfm against alpha-beta",
        first: "ubfm:decision=safest",
        second: "alpha-beta",
    },
    Comparison { name: "mcts", question: "ubfm against mcts", first: "ubfm:decision=safest", second: "mcts" },
];

/// How large.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Size {
    /// Sets of functions per game.
    pub sets: u32,
    /// Functions per set.
    pub functions: u32,
    /// Processor time to learn a set.
    pub training: Duration,
    /// States per move.
    pub nodes: u64,
    /// A longer match is a draw.
    pub longest: u32,
    /// f_t, if another than the most telling one of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<String>,
}

impl Size {
    /// A few minutes: to see that it works.
    pub const QUICK: Size =
        Size { sets: 1, functions: 2, training: Duration::from_secs(2), nodes: 200, longest: 300, terminal: None };
    /// About an hour on one core.
    pub const SMALL: Size =
        Size { sets: 1, functions: 5, training: Duration::from_secs(60), nodes: 2_000, longest: 400, terminal: None };
    /// About half a day on one core: some 50 ms per move.
    pub const MEDIUM: Size = Size {
        sets: 3,
        functions: 5,
        training: Duration::from_secs(300),
        nodes: 12_000,
        longest: 1000,
        terminal: None,
    };
    /// As printed: 10 s per move, here the states that this takes. (How long its functions learned is not printed.)
    /// Only what it would cost can be said.
    pub const PAPER: Size = Size { sets: 6, functions: 15, nodes: 6_000_000, ..Size::MEDIUM };

    /// Matches per game for two.
    pub fn matches(&self) -> u32 {
        self.sets * self.functions * self.functions * 2
    }
}

/// Makes and names the evaluations of a set.
pub trait Functions: Sync {
    /// The names of the functions of this set (`eval=learned:NAME`), without making them.
    fn names(&self, game: &str, set: u32) -> Vec<String>;
    /// f_t, by which they learned: what finished games are worth to searches that ask them.
    fn terminal(&self, game: &str) -> Result<String, String>;
    /// Makes those that are missing; `false` if it was stopped before.
    fn make(&self, game: &str, set: u32, stop: &StopHandle) -> Result<bool, String>;
    /// Processor time that making the missing ones will take.
    fn left(&self, game: &str, set: u32) -> Duration;
    /// How they were made, as far as they are there: a line each.
    fn trained(&self, game: &str, set: u32) -> Vec<String>;
}

/// A set whose matches are all played: all that its figures are made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetResults {
    /// The game.
    pub game: String,
    /// Which set of it.
    pub set: u32,
    /// How its functions were made.
    pub trained: Vec<String>,
    /// Its matches, in the order in which they were planned.
    pub matches: Vec<Match>,
}

/// What is read of a summary.
#[derive(Deserialize)]
struct Summary {
    outcome: Asked,
    sets: Vec<SetResults>,
}

/// What a summary is about.
#[derive(Deserialize)]
struct Asked {
    question: String,
    size: Size,
    seed: u64,
}

/// What is done.
pub struct Plan<'a> {
    /// Which games.
    pub games: &'a [Printed],
    /// Which question.
    pub comparison: &'a Comparison,
    /// How large.
    pub size: &'a Size,
    /// For what is left to chance.
    pub seed: u64,
    /// The evaluations.
    pub functions: &'a dyn Functions,
    /// The sets that are made and played here.
    pub shard: Shard,
    /// Sets that were played elsewhere ([`Plan::take_over`]).
    pub known: Vec<SetResults>,
}

/// What is still to be done, in seconds of one core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// To learn.
    pub training: f64,
    /// To play, judged by the matches played so far, or by lengths of random games.
    pub playing: f64,
    /// Matches left.
    pub matches: usize,
}

/// What a game showed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The game.
    pub game: &'static str,
    /// As the paper calls it.
    pub name: &'static str,
    /// Matches played.
    pub matches: usize,
    /// The mean score of the first, in percent.
    pub mean: Option<f64>,
    /// 95 %, in percent.
    pub interval: Option<Interval>,
    /// Won, drawn and lost by the first; none if there are more than two seats.
    pub won_drawn_lost: Option<[usize; 3]>,
    /// Matches that were ended by their length.
    pub too_long: usize,
    /// Plies of a match, on average.
    pub plies: f64,
    /// Milliseconds per move: of the first, of the second.
    pub milliseconds: [f64; 2],
    /// The paper's mean and half-width, in percent, for completion.
    pub paper: Option<(i32, i32)>,
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// What was compared.
    pub question: &'static str,
    /// How large.
    pub size: Size,
    /// For what was left to chance.
    pub seed: u64,
    /// A line per game.
    pub lines: Vec<Line>,
    /// Matches in all.
    pub matches: usize,
    /// The mean over games, in percent.
    pub mean: Option<f64>,
    /// By stratified bootstrap, in percent.
    pub interval: Option<Interval>,
    /// The paper's figures, if all of its games were asked for: mean, from, to.
    pub paper: Option<(f64, f64, f64)>,
}

/// Hears what is happening.
pub trait Listener: Sync {
    /// A set is learned or played (`doing`), and so many sets are done of how many.
    fn begins(&self, game: &str, set: u32, doing: &str, done: usize, of: usize);
    /// All matches of a set are played, and in the store.
    fn finished(&self, store: &Store) -> Result<(), Error>;
}

impl Plan<'_> {
    /// Games with their sets that are left to this shard: all first sets, then all second ones.
    fn units(&self) -> Vec<(&'static str, u32)> {
        let sets = (1..=self.size.sets).flat_map(|set| self.games.iter().map(move |&(game, ..)| (game, set)));
        let (number, of) = (self.shard.number as usize, self.shard.of as usize);
        let ours = sets.enumerate().filter(|(i, _)| i % of + 1 == number).map(|(_, unit)| unit);
        ours.filter(|&(game, set)| self.known(game, set).is_none()).collect()
    }

    fn known(&self, game: &str, set: u32) -> Option<&SetResults> {
        self.known.iter().find(|known| known.game == game && known.set == set)
    }

    /// Takes over the sets of a summary: they are neither learned nor played again. Refuses those of another question,
    /// size or seed, and sets that are not whole; how many sets the summary was to have does not matter.
    pub fn take_over(&mut self, file: &Path) -> Result<(), Error> {
        read_summary(file, |Summary { outcome: Asked { question, size, seed }, sets }| {
            let (ours, theirs) = (self.comparison.question, Size { sets: self.size.sets, ..size });
            if question != ours {
                return Err(format!("it is about \"{question}\", not about \"{ours}\""));
            }
            if (&theirs, seed) != (self.size, self.seed) {
                return Err("its matches were played with another size or seed".into());
            }
            sets.into_iter().try_for_each(|set| self.take_over_set(set))
        })
    }

    fn take_over_set(&mut self, new: SetResults) -> Result<(), String> {
        let SetResults { game, set, matches, .. } = &new;
        let listed = TABLE.iter().chain(&BEYOND).any(|(name, ..)| name == game);
        let jobs = listed.then(|| self.tournament(game, *set)).and_then(Result::ok);
        let whole = |jobs: &[Job]| jobs.len() == matches.len() && jobs.iter().zip(matches).all(|(job, m)| m.is(job));
        if !jobs.is_some_and(|tournament| whole(tournament.jobs())) {
            return Err(format!("set {set} of {game} is not what this experiment plays"));
        }
        match self.known(game, *set) {
            Some(known) if known.matches != *matches => {
                Err(format!("its set {set} of {game} is another one than that of an earlier summary"))
            }
            Some(_) => Ok(()),
            None => {
                self.known.push(new);
                Ok(())
            }
        }
    }

    /// The matches of a set that were played.
    fn matches(&self, game: &str, set: u32, store: &Store) -> Result<Vec<Match>, Error> {
        if let Some(known) = self.known(game, set) {
            return Ok(known.matches.clone());
        }
        Ok(self.tournament(game, set)?.games(store)?.iter().map(Match::from).collect())
    }

    /// All sets whose matches are all played, also those taken over that nobody asks for now: what a summary keeps.
    pub fn sets(&self, store: &Store) -> Result<Vec<SetResults>, Error> {
        let mut sets = self.known.clone();
        for &(game, ..) in self.games {
            for set in (1..=self.size.sets).filter(|&set| self.known(game, set).is_none()) {
                let (matches, trained) = (self.matches(game, set, store)?, self.functions.trained(game, set));
                if matches.len() == self.tournament(game, set)?.jobs().len() {
                    sets.push(SetResults { game: game.into(), set, trained, matches });
                }
            }
        }
        sets.sort_by(|a, b| (&a.game, a.set).cmp(&(&b.game, b.set)));
        Ok(sets)
    }

    /// The matches of a set: players 0 to F-1 are of the first kind, players F to 2F-1 of the second.
    fn tournament(&self, game: &str, set: u32) -> Result<Tournament, Error> {
        let names = self.functions.names(game, set);
        let kinds = names.len();
        let f = self.functions.terminal(game).map_err(Error::Request)?;
        let player = |way: &str, name: &String| {
            // Only best-first searches know of f_t.
            let way = if way.contains("decision") { format!("{way},f={f},") } else { format!("{way}:") };
            PlayerSpec::parse(&format!("{way}eval=learned:{name}@nodes={}", self.size.nodes))
        };
        let ways = [self.comparison.first, self.comparison.second];
        let players = ways.iter().flat_map(|way| names.iter().map(move |name| player(way, name)));
        let players = players.collect::<Result<Vec<_>, _>>()?;
        let seats = perfectplay_catalog::open(game)?.facts().players;
        let mut jobs = Vec::new();
        for pair in 0..kinds * kinds {
            let (first, second) = (pair / kinds, kinds + pair % kinds);
            let mut seatings = Vec::new();
            for (alone, others) in [(first, second), (second, first)] {
                for seat in 0..seats {
                    let mut seating = vec![others; seats];
                    seating[seat] = alone;
                    if !seatings.contains(&seating) {
                        seatings.push(seating);
                    }
                }
            }
            jobs.extend(seatings.into_iter().map(|s| Job::new(pair as u32, vec![first, second], s, self.seed)));
        }
        let openings = vec![Opening::default(); kinds * kinds];
        let rules = Rules { longest: self.size.longest, ..Rules::default() };
        let name = format!("{}, set {set}, seed {}", self.comparison.name, self.seed);
        Tournament::with_jobs(game, players, openings, jobs, rules, &name)
    }

    /// Learns and plays what is missing, `threads` sets at a time, each match kept as it ends. Stopped early, it can go
    /// on.
    pub fn run(&self, store: &Path, threads: usize, stop: &StopHandle, listener: &dyn Listener) -> Result<(), Error> {
        let units = self.units();
        let (next, done, failure) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(None));
        let work = || -> Result<(), Error> {
            let mut store = Store::open(store)?;
            while let Some(&(game, set)) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                let count = || done.load(Ordering::Relaxed);
                listener.begins(game, set, "learning", count(), units.len());
                if !self.functions.make(game, set, stop).map_err(Error::Request)? {
                    break;
                }
                listener.begins(game, set, "playing", count(), units.len());
                let options = RunOptions { threads: Some(1), stop: stop.clone(), ..RunOptions::default() };
                let tournament = self.tournament(game, set)?;
                tournament.check(stop)?;
                tournament.run(&mut store, &options, &mut |_| {})?;
                if stop.is_pulled() {
                    break;
                }
                done.fetch_add(1, Ordering::Relaxed);
                listener.finished(&store)?;
            }
            Ok(())
        };
        let worker = || {
            if let Err(error) = work() {
                failure.lock().expect("no holder panics").get_or_insert(error);
                stop.pull();
            }
        };
        std::thread::scope(|scope| (0..threads.clamp(1, units.len().max(1))).for_each(|_| drop(scope.spawn(worker))));
        failure.into_inner().expect("no holder panics").map_or(Ok(()), Err)
    }

    /// What is left to do here.
    pub fn cost(&self, store: &Store) -> Result<Cost, Error> {
        let mut cost = Cost::default();
        for (game, set) in self.units() {
            let played = self.matches(game, set, store)?;
            let left = self.tournament(game, set)?.jobs().len() - played.len();
            cost.training += self.functions.left(game, set).as_secs_f64();
            cost.matches += left;
            let seconds = match played.len() {
                0 => usual_plies(game)? * self.size.nodes as f64 / USUAL_RATE,
                count => played.iter().map(Match::seconds).sum::<f64>() / count as f64,
            };
            cost.playing += left as f64 * seconds;
        }
        Ok(cost)
    }

    /// What the matches in the store and those of known sets show.
    pub fn outcome(&self, store: &Store) -> Result<Outcome, Error> {
        let (mut lines, mut strata, mut matches) = (Vec::new(), Vec::new(), 0);
        let kinds = self.size.functions as usize;
        for &printed in self.games {
            let (mut values, mut all) = (Vec::new(), Vec::new());
            for set in 1..=self.size.sets {
                let played = self.matches(printed.0, set, store)?;
                values.extend(block_values(&played, kinds));
                all.extend(played);
            }
            matches += all.len();
            let paper = (self.is_printed() && TABLE.contains(&printed)).then_some((printed.2, printed.3));
            lines.push(Line { paper, ..Line::new(printed, &all, &values, kinds) });
            strata.push(values);
        }
        let overall = (matches > 0).then(|| stratified_bootstrap(&strata, 10_000, self.seed));
        Ok(Outcome {
            question: self.comparison.question,
            size: self.size.clone(),
            seed: self.seed,
            lines,
            matches,
            mean: overall.map(|(mean, _)| 100.0 * mean),
            interval: overall.map(|(_, interval)| interval.map(|v| 100.0 * v)),
            paper: (self.is_printed() && TABLE.iter().all(|game| self.games.contains(game))).then_some(PUBLISHED),
        })
    }

    /// Whether this is what the paper's table is about.
    fn is_printed(&self) -> bool {
        self.comparison.name == COMPARISONS[0].name
    }
}

/// States per second, before anything was measured.
const USUAL_RATE: f64 = 250_000.0;

/// The mean length of a few random games.
fn usual_plies(game: &str) -> Result<f64, Error> {
    const GAMES: u32 = 4;
    const LONGEST: u32 = 400;
    let opened = perfectplay_catalog::open(game)?;
    let mut dice = crate::dice::Dice::new(0);
    let mut plies = 0;
    for _ in 0..GAMES {
        let mut position = opened.start();
        for _ in 0..LONGEST {
            let moves = position.moves();
            if moves.is_empty() {
                break;
            }
            position.play(&moves[dice.below(moves.len())])?;
            plies += 1;
        }
    }
    Ok(f64::from(plies) / f64::from(GAMES))
}

impl Line {
    fn new(printed: Printed, matches: &[Match], values: &[f64], kinds: usize) -> Self {
        let (game, name, ..) = printed;
        let won_drawn_lost = matches.iter().try_fold([0; 3], |mut counts, played| {
            let ([first, _], [gain, other]) = (&played.seating[..], &played.gains[..]) else { return None };
            let gain = if *first < kinds { gain } else { other };
            counts[(1 - gain.signum()) as usize] += 1;
            Some(counts)
        });
        let per_move = |second: bool| {
            let seats = matches.iter().flat_map(|m| m.seating.iter().zip(&m.microseconds).zip(&m.moves));
            let ours = seats.filter(|((player, _), _)| (**player >= kinds) == second);
            let (time, moves) = ours.fold((0u64, 0u64), |(time, moves), ((_, t), m)| (time + t, moves + m));
            time as f64 / 1000.0 / moves.max(1) as f64
        };
        let plies: u64 = matches.iter().map(Match::plies).sum();
        let figures = (!values.is_empty()).then(|| t_interval(values));
        Line {
            game,
            name,
            matches: matches.len(),
            mean: figures.map(|(mean, _)| 100.0 * mean),
            interval: figures.map(|(_, i)| i.map(|v| 100.0 * v.clamp(-1.0, 1.0))),
            won_drawn_lost,
            too_long: matches.iter().filter(|played| played.ending == Ending::Length).count(),
            plies: plies as f64 / matches.len().max(1) as f64,
            milliseconds: [per_move(false), per_move(true)],
            paper: None,
        }
    }
}

/// The results of the first kind, from -1 to 1, in blocks: all matches between the same two functions, whoever had
/// which, so that which of the two is the better one does not count as chance. The mean of the blocks is that of the
/// matches.
///
/// With more than two seats what counts is half the difference between what the first and the second gained alone, in
/// blocks in which both have as often.
fn block_values(matches: &[Match], kinds: usize) -> Vec<f64> {
    #[derive(Default)]
    struct Block {
        sum: f64,
        matches: f64,
        balance: i32,
    }
    let mut blocks: BTreeMap<(usize, usize), Block> = BTreeMap::new();
    for Match { round, seating, gains, .. } in matches {
        let firsts = seating.iter().filter(|&&player| player < kinds).count();
        let alone = |player: &usize| (*player < kinds) == (firsts == 1);
        let gain = f64::from(gains[seating.iter().position(alone).expect("one sits alone")]);
        let pair = (*round as usize / kinds, *round as usize % kinds);
        let block = blocks.entry((pair.0.min(pair.1), pair.0.max(pair.1))).or_default();
        let sign = if firsts == 1 { 1 } else { -1 };
        block.sum += f64::from(sign) * gain;
        block.matches += 1.0;
        block.balance += sign;
    }
    let two = matches.iter().all(|played| played.seating.len() == 2);
    blocks.retain(|_, block| two || block.balance == 0);
    let (sum, matches) = blocks.values().fold((0.0, 0.0), |(s, m), block| (s + block.sum, m + block.matches));
    let (mean, size) = (sum / matches, matches / blocks.len() as f64);
    blocks.into_values().map(|block| mean + (block.sum - mean * block.matches) / size).collect()
}

/// The folder for the functions of the experiment whose matches are in `store`.
pub fn function_folder(store: &Path) -> PathBuf {
    store.with_extension("models")
}

/// The table as a picture: each game's mean with its interval, the paper's beside it.
pub fn picture(found: &Outcome) -> Result<String, String> {
    let rows: Vec<charts::Compared> = found
        .lines
        .iter()
        .filter_map(|line| Some((line.name, line.mean?, line.interval?, line.paper)))
        .map(|(name, mean, interval, paper)| charts::Compared {
            label: name.to_owned(),
            ours: (mean, interval),
            theirs: paper.map(|(mean, half)| {
                let (mean, half) = (f64::from(mean), f64::from(half));
                (mean, Interval(mean - half, mean + half))
            }),
        })
        .collect();
    charts::compared(&rows, found.question, ["here", "published"])
}

/// What the side without completion did in matches that it did not win, seen by the side with it: the same evaluation
/// and budget, asked at every move what it can prove.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Examined {
    /// The game, as the paper calls it.
    pub name: &'static str,
    /// Matches looked at.
    pub matches: usize,
    /// Matches in which it had a win that could be proved, and did not win.
    pub missed_a_win: usize,
    /// Matches in which it made a move after which its loss could be proved, and not before.
    pub walked_into_a_loss: usize,
    /// Matches that were drawn, or ended by their length, although it had a win that could be proved.
    pub stalled: usize,
}

impl Plan<'_> {
    /// Looks at up to `most` matches of each game, those that the second did not win.
    pub fn examine(&self, store: &Store, most: usize, stop: &StopHandle) -> Result<Vec<Examined>, Error> {
        let mut found = Vec::new();
        for &(game, name, ..) in self.games {
            let mut examined = Examined { name, ..Examined::default() };
            for set in 1..=self.size.sets {
                let tournament = self.tournament(game, set)?;
                for record in tournament.games(store)?.iter().filter(|r| r.job.seating.len() == 2) {
                    let second = usize::from(record.job.seating[1] >= self.size.functions as usize);
                    if examined.matches == most || stop.is_pulled() {
                        break;
                    }
                    if record.gains[second] <= 0 {
                        self.look_at(&tournament, record, second, &mut examined)?;
                    }
                }
            }
            found.push(examined);
        }
        Ok(found)
    }

    /// One match: what could be proved whenever the player in seat `second` was to move.
    fn look_at(
        &self,
        tournament: &Tournament,
        record: &GameRecord,
        second: usize,
        into: &mut Examined,
    ) -> Result<(), Error> {
        let function = record.job.seating[second] - self.size.functions as usize;
        let referee = tournament.players[function].text.split('@').next().unwrap_or_default();
        let algorithm = Algorithm::parse(referee)?;
        let mut position = record.opening.reach(tournament.game())?;
        let (mut had_a_win, mut walked, mut lost_before) = (false, false, false);
        for (ply, mv) in record.moves.iter().enumerate() {
            if position.status().is_ok_and(|mover| mover.index() == second) {
                let mut search = position.search(&algorithm, &Setup { seed: record.job.seed, ..Setup::default() })?;
                search.run(&Budget::nodes(self.size.nodes), &mut ());
                let proved = search.report().value.map(|value| value[second].signum());
                had_a_win |= proved == Some(1);
                // Lost now, and not a move of its own ago.
                walked |= proved == Some(-1) && !lost_before && ply > 1;
                lost_before |= proved == Some(-1);
            }
            position.play(mv)?;
        }
        into.matches += 1;
        into.missed_a_win += usize::from(had_a_win);
        into.walked_into_a_loss += usize::from(walked);
        into.stalled += usize::from(had_a_win && record.gains[second] == 0);
        Ok(())
    }
}
