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
use std::time::{Duration, Instant};

use perfectplay_core::StopHandle;
use serde::Serialize;

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

/// Plays it into `store`; `on_game` hears for how many players games are played, and how many there are. Stopped early,
/// it tells what was played so far.
pub fn run(
    table: &[Printed],
    size: &Size,
    seed: u64,
    store: &mut Store,
    stop: &StopHandle,
    on_game: &mut dyn FnMut(usize, usize),
) -> Result<Vec<Line>, Error> {
    let started = Instant::now();
    for (number, &(players, ..)) in table.iter().enumerate() {
        if stop.is_pulled() {
            break;
        }
        let tournament = plan(players, size, seed)?;
        on_game(players, tournament.games(store)?.len());
        // Each number of players gets its share of the time that is left.
        let time = size.time.map(|t| t.saturating_sub(started.elapsed()) / (table.len() - number) as u32);
        run_for(&tournament, store, time, stop)?;
    }
    table.iter().map(|&printed| Ok(line(printed, &plan(printed.0, size, seed)?.games(store)?))).collect()
}

/// Player 0 is paranoid, player 1 is not.
fn plan(players: usize, size: &Size, seed: u64) -> Result<Tournament, Error> {
    let game = format!("chinese-checkers:6,players={players}");
    let kinds = ["paranoid", "maxn"].map(|name| PlayerSpec::parse(&format!("{name}@nodes={}", size.nodes)));
    let seatings = (1u32 << players) - 2;
    let conditions = Conditions {
        seatings: Some(Seatings::Mixed),
        openings: Some(Openings::Random(size.plies * players as u32)),
        rounds: Some(size.games.div_ceil(seatings)),
        seed,
        rules: Rules::default(),
        ..Conditions::default()
    };
    Tournament::new(&game, kinds.into_iter().collect::<Result<_, _>>()?, conditions)
}

fn line((players, published, published_depths): Printed, games: &[GameRecord]) -> Line {
    let mut blocks: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    let (mut undecided, mut depths) = (0, [(0, 0); 2]);
    for game in games {
        let winner = game.gains.iter().position(|&gain| gain == 1);
        undecided += usize::from(winner.is_none());
        let points = winner.map_or(0.5, |seat| if game.job.seating[seat] == 0 { 1.0 } else { 0.0 });
        let block = blocks.entry(game.job.round).or_default();
        *block = (block.0 + points, block.1 + 1.0);
        for (&kind, played) in game.job.seating.iter().zip(&game.played) {
            depths[kind] = (depths[kind].0 + played.depths, depths[kind].1 + u64::from(played.with_depth));
        }
    }
    let estimate = ScoreEstimate::from_blocks(&blocks.into_values().collect::<Vec<_>>());
    let mean = |(sum, count): (u64, u64)| sum as f64 / count as f64;
    Line {
        players,
        games: games.len(),
        undecided,
        share: estimate.map(|e| 100.0 * e.score),
        interval: estimate.map(|e| e.interval.map(|v| 100.0 * v)),
        depths: depths.iter().all(|d| d.1 > 0).then(|| (mean(depths[0]), mean(depths[1]))),
        published,
        published_depths,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_one_counts_every_seating_once_and_goes_on_where_it_was() {
        let size = Size { nodes: 30, games: 6, plies: 2, time: None };
        let (mut store, stop) = (Store::in_memory().unwrap(), StopHandle::new());
        let table = [(3, 60.6, None)];
        let lines = run(&table, &size, 1, &mut store, &stop, &mut |_, _| {}).unwrap();
        let line = &lines[0];
        assert_eq!(line.games, 6, "one opening, six ways to share three seats");
        let (share, Interval(low, high)) = (line.share.unwrap(), line.interval.unwrap());
        assert!(low <= share && share <= high && (0.0..=100.0).contains(&low) && high <= 100.0);
        assert!(line.depths.is_some());
        let again =
            run(&table, &Size { games: 12, ..size }, 1, &mut store, &stop, &mut |_, before| assert_eq!(before, 6));
        assert_eq!(again.unwrap()[0].games, 12);
    }
}
