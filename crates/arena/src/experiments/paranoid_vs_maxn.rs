//! Paranoid against maxⁿ on Chinese checkers with six pieces: who wins more? (N. Sturtevant, *A Comparison of
//! Algorithms for Multi-Player Games*, 2002; the figures that Farrugia 2019 reports.)
//!
//! Every opening is played with all mixed seatings: the two kinds of player share the seats in every way that leaves
//! none of them out, so two equally good kinds win half of the games each. A game without a winner counts half.
//!
//! What differs from the publication: openings begin with random moves, as our players leave nothing to chance; the
//! evaluation is the game's own heuristic, the distance to go; and the move generators are not the same, so neither are
//! 250,000 nodes.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use perfectplay_core::StopHandle;
use serde::{Deserialize, Serialize};

use super::results::{Match, read_summary};
use super::run_for;
use crate::match_play::{GameRecord, Rules};
use crate::runner::{Conditions, Tournament};
use crate::schedule::Seatings;
use crate::stats::{Interval, ScoreEstimate};
use crate::store::Store;
use crate::{Error, Openings, PlayerSpec};

/// Players, the share of games that paranoid won in percent, and the depths that paranoid and maxⁿ reached, where
/// printed.
pub type Printed = (usize, f64, Option<(f64, f64)>);

/// The published figures: 600 games each, 250,000 nodes per move.
pub const TABLE: [Printed; 3] = [(3, 60.6, Some((4.9, 3.1))), (4, 59.3, None), (6, 58.2, None)];

/// How large.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// Nodes per move.
    pub nodes: u64,
    /// Games for each number of players: rounded up to whole openings.
    pub games: u32,
    /// Random moves of every player at the beginning.
    pub plies: u32,
    /// The experiment ends after this time, with the games played so far.
    pub time: Option<Duration>,
}

impl Size {
    /// Ends within two minutes on any machine.
    pub fn quick() -> Self {
        Size { nodes: 5_000, games: 600, plies: 2, time: Some(Duration::from_secs(100)) }
    }

    /// As published.
    pub fn full() -> Self {
        Size { nodes: 250_000, time: None, ..Self::quick() }
    }
}

/// What a number of players showed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// How many players.
    pub players: usize,
    /// Games played.
    pub games: usize,
    /// Games that nobody won.
    pub undecided: usize,
    /// The share that paranoid won, in percent.
    pub share: Option<f64>,
    /// 95 %, in percent.
    pub interval: Option<Interval>,
    /// The mean depths that paranoid and maxⁿ reached.
    pub depths: Option<(f64, f64)>,
    /// The published share in percent.
    pub published: f64,
    /// The published depths.
    pub published_depths: Option<(f64, f64)>,
}

/// The games for so many players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Games {
    /// How many players.
    pub players: usize,
    /// The games, by round and seating. Player 0 is paranoid, player 1 is not.
    pub matches: Vec<Match>,
}

/// All there is to know: what a summary keeps where a store would be lost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Nodes per move.
    pub nodes: u64,
    /// Random moves of every player at the beginning.
    pub plies: u32,
    /// For what was left to chance.
    pub seed: u64,
    /// What the games show.
    pub lines: Vec<Line>,
    /// All games, also those taken over that nobody asks for now.
    pub games: Vec<Games>,
}

/// What is read of a summary.
#[derive(Deserialize)]
struct Written {
    nodes: u64,
    plies: u32,
    seed: u64,
    games: Vec<Games>,
}

/// What is done.
#[derive(Clone, Debug)]
pub struct Plan {
    /// For how many players.
    pub table: Vec<Printed>,
    /// How large.
    pub size: Size,
    /// For what is left to chance.
    pub seed: u64,
    /// Games that were played elsewhere, by players ([`Plan::take_over`]).
    known: BTreeMap<usize, ByName>,
}

/// Games by what names them: round and seating.
type ByName = BTreeMap<(u32, Vec<usize>), Match>;

impl Plan {
    /// Nothing is known.
    pub fn new(table: Vec<Printed>, size: Size, seed: u64) -> Self {
        Plan { table, size, seed, known: BTreeMap::new() }
    }

    /// Takes over the games of a summary: they are not played again. Refuses those of another size or seed; for how
    /// many games the summary was to be does not matter.
    pub fn take_over(&mut self, file: &Path) -> Result<(), Error> {
        read_summary(file, |Written { nodes, plies, seed, games }| {
            if (nodes, plies, seed) != (self.size.nodes, self.size.plies, self.seed) {
                return Err("its games were played with another size or seed".into());
            }
            for Games { players, matches } in games {
                let listed = TABLE.iter().any(|printed| printed.0 == players);
                let mixed =
                    |m: &Match| m.seating.len() == players && [0, 1].iter().all(|kind| m.seating.contains(kind));
                let fits = |m: &Match| mixed(m) && m.seating.iter().all(|&kind| kind < 2);
                if !listed || !matches.iter().all(fits) {
                    return Err(format!("its games for {players} players are not what this experiment plays"));
                }
                let known = self.known.entry(players).or_default();
                for played in matches {
                    let name = (played.round, played.seating.clone());
                    if *known.entry(name).or_insert_with(|| played.clone()) != played {
                        return Err(format!("a game for {players} players is another one than in an earlier summary"));
                    }
                }
            }
            Ok(())
        })
    }

    /// Plays what is missing into `store`; `on_game` hears for how many players games are played, and what there is
    /// after every game. Stopped early, it can go on.
    pub fn run(
        &self,
        store: &mut Store,
        stop: &StopHandle,
        on_game: &mut dyn FnMut(usize, &Summary),
    ) -> Result<Summary, Error> {
        let started = Instant::now();
        let mut all = self.known.clone();
        for &(players, ..) in &self.table {
            add(&mut all, players, &self.left(players)?.games(store)?);
        }
        for (number, &(players, ..)) in self.table.iter().enumerate() {
            if stop.is_pulled() {
                break;
            }
            // Each number of players gets its share of the time that is left.
            let shares = (self.table.len() - number) as u32;
            let time = self.size.time.map(|t| t.saturating_sub(started.elapsed()) / shares);
            run_for(&self.left(players)?, store, time, stop, &mut |progress| {
                add(&mut all, players, progress.games);
                on_game(players, &self.summary(&all));
            })?;
        }
        Ok(self.summary(&all))
    }

    fn summary(&self, all: &BTreeMap<usize, ByName>) -> Summary {
        let &Size { nodes, plies, .. } = &self.size;
        let of = |players: usize| all.get(&players).into_iter().flat_map(BTreeMap::values);
        let planned = |players: usize| of(players).filter(move |m| m.round < self.rounds(players));
        let lines = self.table.iter().map(|&printed| line(printed, planned(printed.0)));
        let games = all.keys().map(|&players| Games { players, matches: of(players).cloned().collect() });
        Summary { nodes, plies, seed: self.seed, lines: lines.collect(), games: games.collect() }
    }

    /// Openings: each is played with all mixed seatings.
    fn rounds(&self, players: usize) -> u32 {
        self.size.games.div_ceil((1 << players) - 2)
    }

    /// The games that are not known.
    fn left(&self, players: usize) -> Result<Tournament, Error> {
        let game = format!("chinese-checkers:6,players={players}");
        let kinds = ["paranoid", "maxn"].map(|name| PlayerSpec::parse(&format!("{name}@nodes={}", self.size.nodes)));
        let conditions = Conditions {
            seatings: Some(Seatings::Mixed),
            openings: Some(Openings::Random(self.size.plies * players as u32)),
            rounds: Some(self.rounds(players)),
            seed: self.seed,
            rules: Rules::default(),
            ..Conditions::default()
        };
        let mut tournament = Tournament::new(&game, kinds.into_iter().collect::<Result<_, _>>()?, conditions)?;
        if let Some(known) = self.known.get(&players) {
            tournament.leave_out(|job| known.contains_key(&(job.round, job.seating.clone())));
        }
        Ok(tournament)
    }
}

fn add(all: &mut BTreeMap<usize, ByName>, players: usize, games: &[GameRecord]) {
    let named = games.iter().map(|game| ((game.job.round, game.job.seating.clone()), Match::from(game)));
    all.entry(players).or_default().extend(named);
}

fn line<'a>((players, published, published_depths): Printed, matches: impl Iterator<Item = &'a Match>) -> Line {
    let mut blocks: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    let (mut games, mut undecided, mut depths) = (0, 0, [(0, 0); 2]);
    for played in matches {
        games += 1;
        let winner = played.gains.iter().position(|&gain| gain == 1);
        undecided += usize::from(winner.is_none());
        let points = winner.map_or(0.5, |seat| if played.seating[seat] == 0 { 1.0 } else { 0.0 });
        let block = blocks.entry(played.round).or_default();
        *block = (block.0 + points, block.1 + 1.0);
        for (&kind, (sum, told)) in played.seating.iter().zip(played.depths.iter().zip(&played.with_depth)) {
            depths[kind] = (depths[kind].0 + sum, depths[kind].1 + told);
        }
    }
    let estimate = ScoreEstimate::from_blocks(&blocks.into_values().collect::<Vec<_>>());
    let mean = |(sum, count): (u64, u64)| sum as f64 / count as f64;
    Line {
        players,
        games,
        undecided,
        share: estimate.map(|e| 100.0 * e.score),
        interval: estimate.map(|e| e.interval.map(|v| 100.0 * v)),
        depths: depths.iter().all(|d| d.1 > 0).then(|| (mean(depths[0]), mean(depths[1]))),
        published,
        published_depths,
    }
}
