//! Ratings of any number of players, from duels: every game, of any number of seats, is a set of comparisons between
//! two seats (R. A. Bradley, M. E. Terry 1952; a comparison that ends alike is half of each).
//!
//! The ratings maximise the likelihood of all comparisons. Comparisons within a block depend on each other, so the
//! errors come from the differences between blocks (the sandwich estimator of composite likelihoods): H⁻¹ J H⁻¹, where
//! H is the curvature and J the sum over blocks of the squared slope.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Interval, t};

/// How a player did against another.
#[derive(Clone, Debug, PartialEq)]
pub struct Duel {
    /// Who.
    pub player: usize,
    /// Against whom.
    pub other: usize,
    /// From 0 to 1.
    pub score: f64,
    /// What it counts: the duels of one game share the weight of one game per player.
    pub weight: f64,
    /// Duels of the same block may depend on each other.
    pub block: usize,
}

/// A rating in Elo, 0 being the mean of all players.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// The most likely.
    pub elo: f64,
    /// 95 %.
    pub interval: Interval,
}

/// Every player also has this much of a drawn game against an average player: without it, somebody who always wins
/// would have no finite rating.
const PRIOR: f64 = 0.5;

/// From natural units to Elo.
const PER_UNIT: f64 = 400.0 / std::f64::consts::LN_10;

/// The ratings of `players` players.
pub fn ratings(players: usize, duels: &[Duel]) -> Vec<Rating> {
    let mut strength = vec![0.0; players];
    for _ in 0..100 {
        let (slope, curvature) = derivatives(&strength, duels);
        let mut step = multiply(&invert(curvature), &slope);
        // A long step would jump over the top.
        let longest = step.iter().fold(0.0f64, |m, s| m.max(s.abs()));
        if longest > 1.0 {
            step.iter_mut().for_each(|s| *s /= longest);
        }
        strength.iter_mut().zip(&step).for_each(|(s, d)| *s += d);
        if longest < 1e-10 {
            break;
        }
    }
    let mean = strength.iter().sum::<f64>() / players.max(1) as f64;
    let (covariance, blocks) = errors(&strength, duels);
    let quantile = t(blocks - 1.0);
    (0..players)
        .map(|i| {
            // The variance of a rating against the mean of all.
            let row: f64 = covariance[i].iter().sum::<f64>() / players as f64;
            let all: f64 = covariance.iter().flatten().sum::<f64>() / (players * players) as f64;
            let half = quantile * (covariance[i][i] - 2.0 * row + all).max(0.0).sqrt() * PER_UNIT;
            let elo = (strength[i] - mean) * PER_UNIT;
            Rating { elo, interval: Interval(elo - half, elo + half) }
        })
        .collect()
}

type Matrix = Vec<Vec<f64>>;

fn expected(strength: &[f64], duel: &Duel) -> f64 {
    1.0 / (1.0 + (strength[duel.other] - strength[duel.player]).exp())
}

/// Slope and negative curvature of the log-likelihood.
fn derivatives(strength: &[f64], duels: &[Duel]) -> (Vec<f64>, Matrix) {
    let n = strength.len();
    let (mut slope, mut curvature) = (vec![0.0; n], vec![vec![0.0; n]; n]);
    for duel in duels {
        let p = expected(strength, duel);
        let (i, j) = (duel.player, duel.other);
        slope[i] += duel.weight * (duel.score - p);
        slope[j] -= duel.weight * (duel.score - p);
        let c = duel.weight * p * (1.0 - p);
        curvature[i][i] += c;
        curvature[j][j] += c;
        curvature[i][j] -= c;
        curvature[j][i] -= c;
    }
    for (i, own) in strength.iter().enumerate() {
        let p = 1.0 / (1.0 + (-own).exp());
        slope[i] += PRIOR * (0.5 - p);
        curvature[i][i] += PRIOR * p * (1.0 - p);
    }
    (slope, curvature)
}

/// The covariance of the strengths, and the number of blocks.
fn errors(strength: &[f64], duels: &[Duel]) -> (Matrix, f64) {
    let n = strength.len();
    let mut blocks: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for duel in duels {
        let slope = blocks.entry(duel.block).or_insert_with(|| vec![0.0; n]);
        let d = duel.weight * (duel.score - expected(strength, duel));
        slope[duel.player] += d;
        slope[duel.other] -= d;
    }
    let count = blocks.len() as f64;
    let mut middle: Matrix = vec![vec![0.0; n]; n];
    for slope in blocks.values() {
        for (row, a) in middle.iter_mut().zip(slope) {
            for (cell, b) in row.iter_mut().zip(slope) {
                *cell += a * b;
            }
        }
    }
    let inverse = invert(derivatives(strength, duels).1);
    let sandwich = product(&product(&inverse, &middle), &inverse);
    let correction = if count > 1.0 { count / (count - 1.0) } else { 1.0 };
    // Drawn a little towards the error of independent games, so that results that are all alike leave a doubt.
    let mixed = |i: usize, j: usize| (count * correction * sandwich[i][j] + inverse[i][j]) / (count + 1.0);
    ((0..n).map(|i| (0..n).map(|j| mixed(i, j)).collect()).collect(), count)
}

fn multiply(matrix: &Matrix, vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let n = a.len();
    (0..n).map(|i| (0..n).map(|j| (0..n).map(|k| a[i][k] * b[k][j]).sum()).collect()).collect()
}

/// The inverse of a positive definite matrix, by Gauss and Jordan.
fn invert(mut m: Matrix) -> Matrix {
    let n = m.len();
    let mut inverse: Matrix = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
    for column in 0..n {
        let pivot = (column..n).max_by(|&a, &b| m[a][column].abs().total_cmp(&m[b][column].abs())).expect("rows left");
        m.swap(column, pivot);
        inverse.swap(column, pivot);
        let divisor = m[column][column];
        for k in 0..n {
            m[column][k] /= divisor;
            inverse[column][k] /= divisor;
        }
        for row in (0..n).filter(|&row| row != column) {
            let factor = m[row][column];
            for k in 0..n {
                m[row][k] -= factor * m[column][k];
                inverse[row][k] -= factor * inverse[column][k];
            }
        }
    }
    inverse
}
