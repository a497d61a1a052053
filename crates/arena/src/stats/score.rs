//! A score with its interval, from games that come in blocks.

use serde::Serialize;

use super::t;

/// From, to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval(pub f64, pub f64);

impl Interval {
    /// Whether it contains `x`.
    pub fn contains(&self, x: f64) -> bool {
        self.0 <= x && x <= self.1
    }

    /// The interval with both ends changed by a growing function.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Interval(f(self.0), f(self.1))
    }
}

/// The Elo difference at which the stronger player scores `score`: ±∞ at 1 and 0.
pub fn elo_of(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        -400.0 * (1.0 / score - 1.0).log10()
    }
}

/// The expected score at an Elo difference.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// A mean of numbers from 0 to 1, and where the truth lies with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScoreEstimate {
    /// The mean.
    pub score: f64,
    /// 95 %.
    pub interval: Interval,
    /// How many games.
    pub games: usize,
}

impl ScoreEstimate {
    /// From the sum of points and the number of games of every block. `None` without games.
    ///
    /// The variance of the mean is estimated from the differences between blocks, so games of a block may depend on
    /// each other. Its ratio to the variance of independent games without draws (the design effect, drawn a little
    /// towards 1: with weight 1 against the number of blocks) says how many independent games these are worth; for so
    /// many, the interval is Wilson's, with Student's quantile. It stays within 0 and 1 and has a width even if all
    /// games ended alike.
    pub fn from_blocks(blocks: &[(f64, f64)]) -> Option<Self> {
        let (points, games) = blocks.iter().fold((0.0, 0.0), |(p, g), b| (p + b.0, g + b.1));
        if games <= 0.0 {
            return None;
        }
        let (score, count) = (points / games, blocks.len() as f64);
        let independent = score * (1.0 - score) / games;
        let effect = if independent > 1e-12 && count > 1.0 {
            let squares: f64 = blocks.iter().map(|b| (b.0 - score * b.1).powi(2)).sum();
            let variance = squares / games.powi(2) * count / (count - 1.0);
            (count * variance / independent + 1.0) / (count + 1.0)
        } else {
            1.0
        };
        let interval = wilson(score, games / effect, t(count - 1.0));
        Some(ScoreEstimate { score, interval, games: games.round() as usize })
    }

    /// The score as an Elo difference.
    pub fn elo(&self) -> f64 {
        elo_of(self.score)
    }

    /// The interval as Elo differences.
    pub fn elo_interval(&self) -> Interval {
        self.interval.map(elo_of)
    }
}

/// E. B. Wilson's interval (1927): the means at which an observed `score` would lie `quantile` standard deviations off.
fn wilson(score: f64, n: f64, quantile: f64) -> Interval {
    let q = quantile * quantile / n;
    let centre = (score + q / 2.0) / (1.0 + q);
    let half = (quantile / (1.0 + q)) * (score * (1.0 - score) / n + q / (4.0 * n)).sqrt();
    // At 0 and 1 the score is an end of the interval: rounding may not put it outside.
    Interval((centre - half).clamp(0.0, score), (centre + half).clamp(score, 1.0))
}
