//! Results of a match between two players, counted: single games (loss, draw, win) or pairs of games with colours
//! exchanged, from 0 to 2 points (pentanomial).

use serde::Serialize;

use super::{Interval, elo_of, normal_cdf, z};

/// 800 / ln 10: what an Elo difference is, small ones, in units of normalised difference.
pub(crate) const ELO: f64 = 347.435_585_522_601_4;

/// How often each result occurred, worst first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sample {
    counts: Vec<u64>,
}

impl Sample {
    /// Single games.
    pub fn trinomial(losses: u64, draws: u64, wins: u64) -> Self {
        Sample { counts: vec![losses, draws, wins] }
    }

    /// Pairs of games with 0, 1/2, 1, 3/2, 2 points.
    pub fn pentanomial(counts: [u64; 5]) -> Self {
        Sample { counts: counts.to_vec() }
    }

    /// The counts, worst first.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Pairs, or games.
    pub fn entries(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// 2 for pairs, 1 for single games.
    pub fn games_per_entry(&self) -> f64 {
        if self.counts.len() == 5 { 2.0 } else { 1.0 }
    }

    /// Each result as a score from 0 to 1, and its share.
    pub(crate) fn shares(&self, floor: f64) -> Vec<(f64, f64)> {
        let counts: Vec<f64> = self.counts.iter().map(|&c| (c as f64).max(floor)).collect();
        let all: f64 = counts.iter().sum();
        let last = (counts.len() - 1) as f64;
        counts.iter().enumerate().map(|(i, c)| (i as f64 / last, c / all)).collect()
    }

    /// Mean score and variance of an entry.
    pub fn mean_variance(&self) -> (f64, f64) {
        moments(&self.shares(0.0))
    }

    /// The Elo difference and half the width of its 95 % interval (by the normal distribution, as chess tools print
    /// it).
    pub fn elo(&self) -> (f64, f64) {
        let (mean, variance) = self.mean_variance();
        let half = z() * (variance / self.entries() as f64).sqrt();
        let Interval(low, high) = Interval(mean - half, mean + half).map(elo_of);
        (elo_of(mean), (high - low) / 2.0)
    }

    /// The normalised Elo difference, in units of the deviation of a game, and half the width of its 95 % interval.
    pub fn normalised_elo(&self) -> (f64, f64) {
        let (mean, variance) = self.mean_variance();
        let per_game = (variance * self.games_per_entry()).sqrt();
        let games = self.entries() as f64 * self.games_per_entry();
        ((mean - 0.5) / per_game * ELO, z() * ELO / games.sqrt())
    }

    /// The likelihood of superiority: how sure it is that the first player is the better one.
    pub fn superiority(&self) -> f64 {
        let (mean, variance) = self.mean_variance();
        if variance <= 0.0 {
            return if mean > 0.5 {
                1.0
            } else if mean < 0.5 {
                0.0
            } else {
                0.5
            };
        }
        normal_cdf((mean - 0.5) / (variance / self.entries() as f64).sqrt())
    }
}

/// Mean and variance of a distribution.
pub(crate) fn moments(shares: &[(f64, f64)]) -> (f64, f64) {
    let mean: f64 = shares.iter().map(|(value, share)| value * share).sum();
    let variance = shares.iter().map(|(value, share)| share * (value - mean).powi(2)).sum();
    (mean, variance)
}
