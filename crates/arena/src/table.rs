//! The table of a tournament: what the games say about the players.

use std::collections::BTreeMap;

use perfectplay_core::Objective;
use serde::Serialize;

use crate::match_play::{Ending, GameRecord};
use crate::stats::{Duel, Interval, Rating, Sample, ScoreEstimate, ratings};

/// A player's line. In games for more than two, a player may hold several seats of a game: `wins`, `draws` and `losses`
/// count seats, `games` counts games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub player: String,
    /// Games it played in.
    pub games: usize,
    /// Seats that won.
    pub wins: usize,
    /// Seats that drew.
    pub draws: usize,
    /// Seats that lost.
    pub losses: usize,
    /// Games it lost by a fault of its own.
    pub forfeits: usize,
    /// The mean over its games of the share of others it beat (alike counts half).
    pub score: f64,
    /// 95 %.
    pub interval: Interval,
    /// In Elo, 0 being the mean of the players.
    pub rating: f64,
    /// 95 %.
    pub rating_interval: Interval,
    /// Seconds per move.
    pub seconds: f64,
    /// Nodes per move, as far as told.
    pub nodes: f64,
    /// Depth of a move, as far as told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
}

/// How two players did against each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// The first of them.
    pub players: [usize; 2],
    /// Games in which both sat.
    pub games: usize,
    /// Duels the first won.
    pub wins: usize,
    /// Duels that ended alike.
    pub draws: usize,
    /// Duels the first lost.
    pub losses: usize,
    /// The score of the first.
    pub score: f64,
    /// 95 %.
    pub interval: Interval,
    /// The score as an Elo difference; none at 0 and 1.
    pub elo: Option<f64>,
    /// 95 %; an end that is infinite is none.
    pub elo_interval: [Option<f64>; 2],
    /// How sure it is that the first is the better one.
    pub superiority: f64,
    /// For two seats: pairs of games with 0, 1/2, 1, 3/2, 2 points for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pentanomial: Option<[u64; 5]>,
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// A line per player, in their own order.
    pub rows: Vec<Row>,
    /// Every two that met.
    pub pairs: Vec<Pair>,
}

impl Table {
    /// From games in which wins count.
    pub fn new(labels: &[String], games: &[GameRecord]) -> Self {
        Self::for_objective(labels, games, Objective::Gain)
    }

    /// From games in which wins or scores count.
    pub fn for_objective(labels: &[String], games: &[GameRecord], objective: Objective) -> Self {
        let numbers: BTreeMap<String, usize> = games
            .iter()
            .map(|game| game.job.block())
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .zip(0..)
            .collect();
        let mut duels = Vec::new();
        for game in games {
            let block = numbers[&game.job.block()];
            duels.extend(duels_of(game, objective).into_iter().map(|(_, _, duel)| Duel { block, ..duel }));
        }
        let ratings = ratings(labels.len(), &duels);
        let rows = labels.iter().enumerate().map(|(p, label)| row(p, label, games, objective, ratings[p])).collect();
        let mut pairs = Vec::new();
        for a in 0..labels.len() {
            for b in a + 1..labels.len() {
                pairs.extend(pair([a, b], games, objective));
            }
        }
        Table { rows, pairs }
    }

    /// Only the score of every player; none for those who have not played.
    pub(crate) fn scores(players: usize, games: &[GameRecord], objective: Objective) -> Vec<Option<f64>> {
        let score = |player| {
            let scores: Vec<f64> =
                games.iter().filter_map(|game| score_in(game, player, |_| true, objective)).collect();
            (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
        };
        (0..players).map(score).collect()
    }

    /// The numbers of the players, best first.
    pub fn ranking(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by(|&a, &b| self.rows[b].rating.total_cmp(&self.rows[a].rating));
        order
    }
}

/// Every two seats held by different players, weighted so that a player's duels in a game add up to one game each.
fn duels_of(game: &GameRecord, objective: Objective) -> Vec<(usize, usize, Duel)> {
    let seating = &game.job.seating;
    let duel = |seat: usize, other: usize| {
        let (player, against, score) = (seating[seat], seating[other], game.duel(seat, other, objective));
        let duel = Duel { player, other: against, score, weight: 1.0, block: 0 };
        (player != against).then_some((seat, other, duel))
    };
    let mut duels = Vec::new();
    for seat in 0..seating.len() {
        duels.extend((seat + 1..seating.len()).filter_map(|other| duel(seat, other)));
    }
    let weight = (seating.len() as f64 / 2.0) / duels.len().max(1) as f64;
    duels.iter_mut().for_each(|(_, _, duel)| duel.weight = weight);
    duels
}

/// The score of `player` against the others of `against` in a game; none if they do not meet.
fn score_in(game: &GameRecord, player: usize, against: impl Fn(usize) -> bool, objective: Objective) -> Option<f64> {
    let seating = &game.job.seating;
    let (mut sum, mut count) = (0.0, 0);
    for seat in (0..seating.len()).filter(|&s| seating[s] == player) {
        for other in (0..seating.len()).filter(|&o| seating[o] != player && against(seating[o])) {
            sum += game.duel(seat, other, objective);
            count += 1;
        }
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// Points and games per block.
fn blocks(games: &[GameRecord], score: impl Fn(&GameRecord) -> Option<f64>) -> Vec<(f64, f64)> {
    let mut blocks: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for game in games {
        if let Some(points) = score(game) {
            let block = blocks.entry(game.job.block()).or_default();
            *block = (block.0 + points, block.1 + 1.0);
        }
    }
    blocks.into_values().collect()
}

fn row(player: usize, label: &str, games: &[GameRecord], objective: Objective, rating: Rating) -> Row {
    let blocks = blocks(games, |game| score_in(game, player, |_| true, objective));
    let estimate = ScoreEstimate::from_blocks(&blocks);
    let mut row = Row {
        player: label.into(),
        games: 0,
        wins: 0,
        draws: 0,
        losses: 0,
        forfeits: 0,
        score: estimate.map_or(0.5, |e| e.score),
        interval: estimate.map_or(Interval(0.0, 1.0), |e| e.interval),
        rating: rating.elo,
        rating_interval: rating.interval,
        seconds: 0.0,
        nodes: 0.0,
        depth: None,
    };
    let (mut moves, mut depths, mut with_depth) = (0.0, 0.0, 0.0);
    for game in games.iter().filter(|game| game.job.seating.contains(&player)) {
        row.games += 1;
        for seat in (0..game.job.seating.len()).filter(|&s| game.job.seating[s] == player) {
            match game.gains[seat] {
                1 => row.wins += 1,
                0 => row.draws += 1,
                _ => row.losses += 1,
            }
            row.forfeits += usize::from(game.ending == Ending::Forfeit && game.gains[seat] < 0);
            let played = &game.played[seat];
            moves += f64::from(played.moves);
            row.seconds += played.seconds;
            row.nodes += played.nodes as f64;
            depths += played.depths as f64;
            with_depth += f64::from(played.with_depth);
        }
    }
    row.seconds /= f64::max(moves, 1.0);
    row.nodes /= f64::max(moves, 1.0);
    row.depth = (with_depth > 0.0).then(|| depths / with_depth);
    row
}

fn pair(players: [usize; 2], games: &[GameRecord], objective: Objective) -> Option<Pair> {
    let [a, b] = players;
    let met = |game: &GameRecord| score_in(game, a, |other| other == b, objective);
    let blocks = blocks(games, met);
    let estimate = ScoreEstimate::from_blocks(&blocks)?;
    let (mut wins, mut draws, mut losses) = (0, 0, 0);
    for game in games {
        let seating = &game.job.seating;
        for seat in (0..seating.len()).filter(|&s| seating[s] == a) {
            for other in (0..seating.len()).filter(|&o| seating[o] == b) {
                match game.duel(seat, other, objective) {
                    1.0 => wins += 1,
                    0.0 => losses += 1,
                    _ => draws += 1,
                }
            }
        }
    }
    let pentanomial = pairs_of(&blocks);
    let sample = match pentanomial {
        Some(counts) => Sample::pentanomial(counts),
        None => Sample::trinomial(losses as u64, draws as u64, wins as u64),
    };
    let finite = |x: f64| x.is_finite().then_some(x);
    let Interval(low, high) = estimate.elo_interval();
    Some(Pair {
        players,
        games: estimate.games,
        wins,
        draws,
        losses,
        score: estimate.score,
        interval: estimate.interval,
        elo: finite(estimate.elo()),
        elo_interval: [finite(low), finite(high)],
        superiority: sample.superiority(),
        pentanomial,
    })
}

/// Complete pairs of games by their points; none if blocks are not pairs.
fn pairs_of(blocks: &[(f64, f64)]) -> Option<[u64; 5]> {
    let mut counts = [0; 5];
    for &(points, games) in blocks {
        match games as u32 {
            2 => *counts.get_mut((points * 2.0).round() as usize)? += 1,
            1 => {} // the other half is still to come
            _ => return None,
        }
    }
    (counts.iter().sum::<u64>() > 0).then_some(counts)
}
