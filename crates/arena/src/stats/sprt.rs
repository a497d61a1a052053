//! The sequential probability ratio test: is the Elo difference elo0 or elo1? It looks at the log-likelihood ratio
//! (LLR) after every pair of games and stops as soon as the ratio leaves Wald's bounds; errors of either kind then have
//! probability α and β.
//!
//! The distribution of results is unknown beside its mean, so the ratio is generalised: each hypothesis is represented
//! by the distribution most likely to give these counts among those it allows. For the logistic model it allows those
//! with mean s = score_of(elo), and the best of them is pᵢ / (1 + θ (aᵢ - s)) with the θ that makes the mean s (M. Van
//! den Bergh, *The generalized maximum likelihood ratio for the expectation value of a distribution*). For the
//! normalised model it allows those with mean = 1/2 + τσ; σ depends on the distribution, so the condition is linearised
//! and solved again until it stays.

use std::str::FromStr;

use perfectplay_core::{OptionSet, Params, Setting, options};
use serde::Serialize;

use super::sample::{ELO, Sample, moments};
use super::score_of;

/// What an Elo difference means in the hypotheses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtModel {
    /// The expected score.
    #[default]
    Logistic,
    /// The expected score in units of the deviation of a game.
    Normalised,
}

/// A test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// The difference if the test fails.
    pub elo0: f64,
    /// The difference if it passes.
    pub elo1: f64,
    /// Probability that it passes at elo0.
    pub alpha: f64,
    /// Probability that it fails at elo1.
    pub beta: f64,
    /// What Elo means.
    pub model: SprtModel,
}

/// What the test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Not yet.
    Open,
    /// elo0.
    H0,
    /// elo1.
    H1,
}

/// Where the test stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtState {
    /// The log-likelihood ratio.
    pub llr: f64,
    /// Below: elo0.
    pub lower: f64,
    /// Above: elo1.
    pub upper: f64,
    /// What follows.
    pub verdict: Verdict,
}

options! {
    /// A test as it is typed.
    struct SprtOptions {
        elo0: f64 = Setting::fraction("elo0", "the difference if the test fails", LEAST_ELO..=MOST_ELO, 0.0),
        elo1: f64 = Setting::fraction("elo1", "the difference if it passes", LEAST_ELO..=MOST_ELO, 5.0),
        alpha: f64 = Setting::fraction("alpha", "probability that it passes at elo0", 0.0..=0.5, 0.05),
        beta: f64 = Setting::fraction("beta", "probability that it fails at elo1", 0.0..=0.5, 0.05),
        model: SprtModel = Setting::choice(
            "model",
            "what Elo means",
            &[
                ("logistic", "the expected score", SprtModel::Logistic),
                ("normalised", "the expected score in units of the deviation of a game", SprtModel::Normalised),
                ("normalized", "the same", SprtModel::Normalised),
            ],
        ),
    }
}

const LEAST_ELO: f64 = -100_000.0;
const MOST_ELO: f64 = 100_000.0;

impl FromStr for Sprt {
    type Err = String;

    /// `elo0=0,elo1=5`, and `alpha=`, `beta=`, `model=logistic` or `normalised`.
    fn from_str(text: &str) -> Result<Self, String> {
        let read = Params::parse(text).and_then(|params| SprtOptions::read("a test", params));
        let SprtOptions { elo0, elo1, alpha, beta, model } = read.map_err(|error| error.to_string())?;
        if elo0 >= elo1 {
            return Err(format!("elo0 must be less than elo1, got {elo0} and {elo1}"));
        }
        let chance = |p: f64| p > 0.0 && p < 0.5;
        if !chance(alpha) || !chance(beta) {
            return Err("alpha and beta must lie between 0 and 0.5".into());
        }
        Ok(Sprt { elo0, elo1, alpha, beta, model })
    }
}

/// A result that never happened still may: it counts as one thousandth.
const FLOOR: f64 = 1e-3;

impl Sprt {
    /// The log-likelihood ratio of elo1 to elo0.
    pub fn llr(&self, sample: &Sample) -> f64 {
        if sample.entries() == 0 {
            return 0.0;
        }
        let shares = sample.shares(FLOOR);
        let [under0, under1] = [self.elo0, self.elo1].map(|elo| match self.model {
            SprtModel::Logistic => with_mean(&shares, score_of(elo)),
            SprtModel::Normalised => with_normalised(&shares, elo / ELO * sample.games_per_entry().sqrt()),
        });
        let ratio = shares.iter().zip(under0.iter().zip(&under1)).map(|(&(_, p), (p0, p1))| p * (p1 / p0).ln());
        // Regularised counts are a little more than the real ones.
        sample.counts().iter().map(|&c| (c as f64).max(FLOOR)).sum::<f64>() * ratio.sum::<f64>()
    }

    /// Where the test stands.
    pub fn state(&self, sample: &Sample) -> SprtState {
        let (lower, upper) = ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln());
        let llr = self.llr(sample);
        let verdict = match llr {
            llr if llr >= upper => Verdict::H1,
            llr if llr <= lower => Verdict::H0,
            _ => Verdict::Open,
        };
        SprtState { llr, lower, upper, verdict }
    }
}

/// The distribution closest to `shares` with mean `mean`.
fn with_mean(shares: &[(f64, f64)], mean: f64) -> Vec<f64> {
    let shifted: Vec<(f64, f64)> = shares.iter().map(|&(value, share)| (value - mean, share)).collect();
    let theta = secular(&shifted);
    shifted.iter().map(|(value, share)| share / (1.0 + theta * value)).collect()
}

/// The distribution closest to `shares` whose mean lies `tau` deviations above 1/2.
fn with_normalised(shares: &[(f64, f64)], tau: f64) -> Vec<f64> {
    let mut found: Vec<f64> = vec![1.0 / shares.len() as f64; shares.len()];
    for _ in 0..20 {
        let now: Vec<(f64, f64)> = shares.iter().zip(&found).map(|(&(value, _), &p)| (value, p)).collect();
        let (mean, variance) = moments(&now);
        let deviation = variance.sqrt();
        // Σ p (a - 1/2) = τ σ(p), with σ(p) replaced by its tangent at the distribution found last.
        let condition = |value: f64| value - 0.5 - tau * deviation * (1.0 + ((mean - value) / deviation).powi(2)) / 2.0;
        let shifted: Vec<(f64, f64)> = shares.iter().map(|&(value, share)| (condition(value), share)).collect();
        let theta = secular(&shifted);
        let next: Vec<f64> = shifted.iter().map(|(value, share)| share / (1.0 + theta * value)).collect();
        let change = next.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        found = next;
        if change < 1e-9 {
            break;
        }
    }
    found
}

/// The θ with Σ p a / (1 + θ a) = 0 and all 1 + θ a > 0: by bisection, since the sum falls with θ.
fn secular(shares: &[(f64, f64)]) -> f64 {
    let (least, greatest) = shares.iter().fold((0.0f64, 0.0f64), |(l, g), &(a, _)| (l.min(a), g.max(a)));
    if least >= 0.0 || greatest <= 0.0 {
        return 0.0; // no such distribution; the counts cannot tell
    }
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    let (width, margin) = (high - low, 1e-12);
    low += width * margin;
    high -= width * margin;
    for _ in 0..200 {
        let theta = f64::midpoint(low, high);
        let sum: f64 = shares.iter().map(|(a, p)| p * a / (1.0 + theta * a)).sum();
        if sum > 0.0 { low = theta } else { high = theta }
    }
    f64::midpoint(low, high)
}
