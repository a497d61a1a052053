//! What results mean: scores and Elo with error bars, sequential tests, ratings, the bootstrap. See docs/arena.md for
//! the formulas and where they come from.

mod bootstrap;
mod rating;
mod sample;
mod score;
mod sprt;

pub use bootstrap::{stratified_bootstrap, t_interval};
pub use rating::{Duel, Rating, ratings};
pub use sample::Sample;
pub use score::{Interval, ScoreEstimate, elo_of, score_of};
pub use sprt::{Sprt, SprtModel, SprtState, Verdict};

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The level of all intervals.
pub const LEVEL: f64 = 0.95;

/// Φ.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    Normal::standard().cdf(x)
}

/// The two-sided quantile of the normal distribution at our level: 1.96.
pub(crate) fn z() -> f64 {
    Normal::standard().inverse_cdf(0.5 + LEVEL / 2.0)
}

/// The two-sided quantile of Student's distribution at our level.
pub(crate) fn t(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.max(1.0)).map_or_else(|_| z(), |d| d.inverse_cdf(0.5 + LEVEL / 2.0))
}
