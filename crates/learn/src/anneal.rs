//! Annealing: towards the end of a run steps shrink to nothing, so that what chance did to the last examples averages
//! out. Only a run that knows where it will end can do so; one that goes on afterwards begins with whole steps again.

use std::ops::Range;

/// Where a run is to end, as far as that is known when it begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// After so many games in all.
    pub games: Option<u64>,
    /// The seconds of learning at which it began, and at which it is to end.
    pub seconds: Option<Range<f64>>,
}

impl End {
    /// Which part of the run is over, before the game with this number (from 0).
    fn progress(&self, number: u64, seconds: f64) -> f64 {
        let games = self.games.map_or(0.0, |games| number as f64 / games.max(1) as f64);
        let part = |range: &Range<f64>| (seconds - range.start) / (range.end - range.start).max(1e-9);
        games.max(self.seconds.as_ref().map_or(0.0, part))
    }

    /// What steps are multiplied by, if they shrink evenly in the last `part` of the run.
    pub(crate) fn pace(&self, part: f64, number: u64, seconds: f64) -> f32 {
        let left = 1.0 - self.progress(number, seconds);
        if part > 0.0 { (left / part).clamp(0.0, 1.0) as f32 } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_shrink_evenly_to_nothing_at_the_end_that_comes_first() {
        let end = End { games: Some(100), seconds: Some(10.0..20.0) };
        let pace = |number, seconds| end.pace(0.25, number, seconds);
        assert_eq!([pace(0, 10.0), pace(75, 10.0), pace(0, 17.5)], [1.0; 3]);
        let shrunk = [pace(90, 10.0), pace(99, 10.0), pace(0, 19.0)];
        assert!(shrunk.iter().zip([0.4, 0.04, 0.4]).all(|(pace, expected)| (pace - expected).abs() < 1e-6));
        assert_eq!([pace(0, 20.0), pace(0, 21.0)], [0.0; 2]);
        assert_eq!(end.pace(0.0, 100, 20.0), 1.0);
        assert_eq!(End::default().pace(0.25, u64::MAX, 1e9), 1.0);
    }
}
