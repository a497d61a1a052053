//! Statistics against published figures, and against simulated tournaments whose truth is known.

use perfectplay_arena::stats::{
    Duel, Interval, Sample, ScoreEstimate, Sprt, Verdict, elo_of, ratings, score_of, stratified_bootstrap, t_interval,
};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn close(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{a} is not {b} ± {within}");
}

/// Results as cutechess-cli printed them: M. Vanthoor, Rustic (book), "SPRT results": wins, losses, draws, Elo, ±.
#[test]
fn elo_as_cutechess_prints_it() {
    for (wins, losses, draws, elo, error) in
        [(869, 646, 357, 41.6, 14.2), (409, 197, 133, 102.5, 23.5), (628, 416, 277, 56.2, 16.8)]
    {
        let (found, half) = Sample::trinomial(losses, draws, wins).elo();
        close(found, elo, 0.05);
        close(half, error, 0.05);
    }
}

/// The cases with which fastchess checks its own figures (Disservin/fastchess, app/tests/elo_test.cpp).
#[test]
fn elo_as_fastchess_prints_it() {
    let a = Sample::trinomial(96, 111, 136);
    close(a.elo().0, 40.70, 0.01);
    close(a.elo().1, 30.43, 0.01);
    close(a.normalised_elo().0, 49.77, 0.01);
    close(a.normalised_elo().1, 36.77, 0.01);
    close(a.superiority(), 0.9960, 0.0001);
    close(Sample::trinomial(89, 123, 76).superiority(), 0.1553, 0.0001);
    // Pairs: LL, LD, WL + DD, WD, WW.
    let b = Sample::pentanomial([34, 54, 31 + 32, 64, 75]);
    close(b.elo().0, 55.58, 0.01);
    close(b.elo().1, 27.65, 0.01);
    close(b.normalised_elo().0, 57.94, 0.01);
    close(b.normalised_elo().1, 28.28, 0.01);
    let c = Sample::pentanomial([332, 433, 457 + 41, 333, 334]);
    close(c.elo().0, -8.64, 0.01);
    close(c.elo().1, 10.33, 0.01);
    close(c.superiority(), 0.0505, 0.0001);
}

/// The cases with which fastchess checks its LLR (app/tests/sprt_test.cpp).
#[test]
fn llr_as_fastchess_prints_it() {
    let test = |text: &str| text.parse::<Sprt>().unwrap();
    let logistic = [
        ("elo0=0.5,elo1=2.5", Sample::trinomial(21184, 40708, 21404), -1.57),
        ("elo0=0,elo1=2", Sample::trinomial(57030, 106593, 57433), -2.59),
        ("elo0=0.5,elo1=2.5", Sample::pentanomial([223, 9863, 20279 + 1000, 10037, 246]), -3.07),
        ("elo0=0,elo1=2", Sample::pentanomial([871, 26175, 55003 + 980, 26678, 821]), -4.98),
    ];
    let normalised = [
        ("elo0=0,elo1=2,model=normalised", Sample::trinomial(36027, 68692, 36433), 0.92),
        ("elo0=-1.75,elo1=0.25,model=normalised", Sample::trinomial(10650, 20431, 10871), 2.30),
        ("elo0=0,elo1=2,model=normalised", Sample::pentanomial([365, 16618, 36029 + 200, 16974, 390]), 2.25),
        ("elo0=-1.75,elo1=0.25,model=normalised", Sample::pentanomial([127, 4883, 10311 + 401, 5150, 104]), 3.01),
    ];
    for (text, sample, llr) in logistic.into_iter().chain(normalised) {
        close(test(text).llr(&sample), llr, 0.011);
    }
    let state = test("elo0=0,elo1=5").state(&Sample::pentanomial([0; 5]));
    close(state.upper, 2.94, 0.01);
    close(state.lower, -2.94, 0.01);
    assert_eq!(state.verdict, Verdict::Open);
}

#[test]
fn elo_and_score_are_inverse() {
    close(score_of(400.0), 10.0 / 11.0, 1e-12);
    for elo in [-300.0, 0.0, 5.0, 250.0] {
        close(elo_of(score_of(elo)), elo, 1e-9);
    }
    assert_eq!(elo_of(1.0), f64::INFINITY);
}

#[test]
fn bad_tests_are_refused() {
    for text in ["elo0=5,elo1=0", "elo0=x", "alpha=0", "beta=0.7", "elo2=1", "elo0"] {
        assert!(text.parse::<Sprt>().is_err(), "{text}");
    }
}

struct Dice(Xoshiro256PlusPlus);

impl Dice {
    fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// 1, 1/2 or 0, with the given chance of a draw; the mean is `score`.
    fn game(&mut self, score: f64, draws: f64) -> f64 {
        let share = self.share();
        let win = score - draws / 2.0;
        if share < win {
            1.0
        } else if share < win + draws {
            0.5
        } else {
            0.0
        }
    }
}

fn dice(seed: u64) -> Dice {
    Dice(Xoshiro256PlusPlus::seed_from_u64(seed))
}

/// 2,000 matches of 100 pairs; an opening favours one colour, so the games of a pair depend on each other.
#[test]
fn intervals_of_scores_cover_the_truth() {
    for (score, draws, bias) in [(0.5, 0.3, 0.0), (0.5, 0.1, 0.3), (0.7, 0.2, 0.15), (0.85, 0.1, 0.05)] {
        let mut dice = dice(7);
        let (mut covered, mut covered_elo) = (0, 0);
        for _ in 0..2000 {
            let mut counts = [0u64; 5];
            let blocks: Vec<(f64, f64)> = (0..100)
                .map(|_| {
                    let tilt = if dice.share() < 0.5 { bias } else { -bias };
                    let points = dice.game(score + tilt, draws) + dice.game(score - tilt, draws);
                    counts[(points * 2.0) as usize] += 1;
                    (points, 2.0)
                })
                .collect();
            let estimate = ScoreEstimate::from_blocks(&blocks).unwrap();
            covered += usize::from(estimate.interval.contains(score));
            let (elo, half) = Sample::pentanomial(counts).elo();
            covered_elo += usize::from(Interval(elo - half, elo + half).contains(elo_of(score)));
        }
        assert!((1860..=1940).contains(&covered), "score {score}, bias {bias}: {covered} of 2000");
        assert!((1860..=1940).contains(&covered_elo), "Elo at {score}, bias {bias}: {covered_elo} of 2000");
    }
}

/// 2,000 tournaments of four players of known strength, 30 rounds, both colours.
#[test]
fn intervals_of_ratings_cover_the_truth() {
    let truth = [120.0, 40.0, -40.0, -120.0];
    let expected = |player: usize, other: usize| score_of(truth[player] - truth[other]);
    let mut dice = dice(3);
    let mut covered = [0; 4];
    for _ in 0..2000 {
        let mut duels = Vec::new();
        let mut block = 0;
        for _ in 0..30 {
            for player in 0..4 {
                for other in player + 1..4 {
                    block += 1;
                    let score = expected(player, other);
                    for _ in 0..2 {
                        let score = dice.game(score, 0.2f64.min(2.0 * score.min(1.0 - score)));
                        duels.push(Duel { player, other, score, weight: 1.0, block });
                    }
                }
            }
        }
        for (i, rating) in ratings(4, &duels).iter().enumerate() {
            covered[i] += usize::from(rating.interval.contains(truth[i]));
        }
    }
    assert!(covered.iter().all(|c| (1860..=1940).contains(c)), "{covered:?} of 2000");
}

#[test]
fn the_bootstrap_covers_the_truth() {
    let means = [0.0, 0.3, -0.1, 0.6, 0.2];
    let truth = means.iter().sum::<f64>() / 5.0;
    let mut dice = dice(11);
    let (mut covered, mut covered_t) = (0, 0);
    for seed in 0..2000 {
        let strata: Vec<Vec<f64>> =
            means.iter().map(|m| (0..40).map(|_| 2.0 * dice.game((m + 1.0) / 2.0, 0.2) - 1.0).collect()).collect();
        let (mean, interval) = stratified_bootstrap(&strata, 400, seed);
        assert!(interval.contains(mean));
        covered += usize::from(interval.contains(truth));
        covered_t += usize::from(t_interval(&strata[1]).1.contains(0.3));
    }
    assert!((1860..=1940).contains(&covered), "{covered} of 2000");
    assert!((1860..=1940).contains(&covered_t), "{covered_t} of 2000");
}

/// A test at level 5 % errs in about 5 % of all cases, never in many more.
#[test]
fn sequential_tests_err_as_seldom_as_they_promise() {
    let test: Sprt = "elo0=0,elo1=60".parse().unwrap();
    for (elo, wrong) in [(0.0, Verdict::H1), (60.0, Verdict::H0)] {
        let mut dice = dice(5);
        let (mut errors, mut open) = (0, 0);
        for _ in 0..400 {
            let mut counts = [0; 5];
            let verdict = (0..2000)
                .map(|_| {
                    let points = dice.game(score_of(elo), 0.3) + dice.game(score_of(elo), 0.3);
                    counts[(points * 2.0) as usize] += 1;
                    test.state(&Sample::pentanomial(counts)).verdict
                })
                .find(|&verdict| verdict != Verdict::Open);
            errors += usize::from(verdict == Some(wrong));
            open += usize::from(verdict.is_none());
        }
        assert!((4..=34).contains(&errors), "at {elo}: {errors} errors of 400");
        assert!(open < 4, "at {elo}: {open} not decided");
    }
}

/// Whoever always wins gets a finite rating, and its interval has a width.
#[test]
fn extremes_stay_sensible() {
    let all = ScoreEstimate::from_blocks(&[(2.0, 2.0); 25]).unwrap();
    assert!(all.score == 1.0 && all.interval.1 == 1.0 && (0.85..0.95).contains(&all.interval.0), "{all:?}");
    let drawn = ScoreEstimate::from_blocks(&[(1.0, 2.0); 25]).unwrap();
    assert!(drawn.score == 0.5 && drawn.interval.0 > 0.4 && drawn.interval.0 < 0.5, "{drawn:?}");
    assert!(ScoreEstimate::from_blocks(&[]).is_none());
    let duel = |block| Duel { player: 0, other: 1, score: 1.0, weight: 1.0, block };
    let rated = ratings(3, &(0..20).map(duel).collect::<Vec<_>>());
    assert!(rated[0].elo > 200.0 && rated[0].elo.is_finite() && rated[0].interval.0 < rated[0].elo, "{rated:?}");
    close(rated[2].elo, 0.0, 1e-6);
}
