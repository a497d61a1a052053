//! Intervals of means: of one stratum by Student's distribution, of the mean over strata by the stratified bootstrap
//! (B. Efron 1979; resampled within every stratum, so that all strata keep their weight).

use super::{Interval, LEVEL, t};
use crate::dice::Dice;

/// The mean, and its 95 % interval by Student's distribution.
pub fn t_interval(values: &[f64]) -> (f64, Interval) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return (mean, Interval(f64::NEG_INFINITY, f64::INFINITY));
    }
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = t(n - 1.0) * (variance / n).sqrt();
    (mean, Interval(mean - half, mean + half))
}

/// The mean of the strata's means, and its 95 % interval by resampling `times` times (percentiles).
pub fn stratified_bootstrap(strata: &[Vec<f64>], times: usize, seed: u64) -> (f64, Interval) {
    let strata: Vec<&Vec<f64>> = strata.iter().filter(|values| !values.is_empty()).collect();
    let overall = |means: &mut dyn Iterator<Item = f64>| means.sum::<f64>() / strata.len() as f64;
    let mean = overall(&mut strata.iter().map(|values| values.iter().sum::<f64>() / values.len() as f64));
    let mut dice = Dice::new(seed);
    let mut resampled: Vec<f64> = (0..times)
        .map(|_| {
            overall(&mut strata.iter().map(|values| {
                let sum: f64 = (0..values.len()).map(|_| values[dice.below(values.len())]).sum();
                sum / values.len() as f64
            }))
        })
        .collect();
    resampled.sort_by(f64::total_cmp);
    let at = |share: f64| resampled[((times as f64 * share) as usize).min(times - 1)];
    (mean, Interval(at((1.0 - LEVEL) / 2.0), at(f64::midpoint(1.0, LEVEL))))
}
