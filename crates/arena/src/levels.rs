//! How well the machine plays: what a move may cost it, and how often it plays at random instead.

use std::time::Duration;

use perfectplay_core::{Budget, grouped, seconds_text};

/// One strength.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// Nodes that a move may take; only time counts if there is none.
    pub nodes: Option<u64>,
    /// Time that a move may take.
    pub time: Duration,
    /// Of a hundred moves, how many are drawn from all legal ones instead of being searched.
    pub random: usize,
}

const fn level(nodes: Option<u64>, milliseconds: u64, random: usize) -> Level {
    Level { nodes, time: Duration::from_millis(milliseconds), random }
}

/// Levels 1 to 9. Below 8 the nodes decide, so that a level is as strong on a slow machine as on a fast one; the time
/// is there for games whose nodes are dear.
pub const LEVELS: [Level; 9] = [
    level(Some(10), 300, 50),
    level(Some(30), 300, 35),
    level(Some(100), 300, 25),
    level(Some(500), 300, 15),
    level(Some(2_000), 300, 8),
    level(Some(10_000), 300, 3),
    level(Some(50_000), 300, 0),
    level(None, 300, 0),
    level(None, 1_000, 0),
];

/// The level of somebody who names none.
pub const USUAL: u8 = LEVELS.len() as u8;

impl Level {
    /// Levels count from 1.
    pub fn number(number: u8) -> Self {
        LEVELS[usize::from(number).clamp(1, LEVELS.len()) - 1]
    }

    /// The budget of one move.
    pub fn limit(&self, budget: Budget) -> Budget {
        Budget { time: Some(self.time), nodes: self.nodes, ..budget }
    }

    /// `500 nodes a move, 15 of 100 moves at random`.
    pub fn in_words(&self) -> String {
        let limit = limit_text(self.nodes, self.nodes.is_none().then_some(self.time));
        if self.random == 0 { limit } else { format!("{limit}, {} of 100 moves at random", self.random) }
    }
}

/// `500 nodes a move`, `1.00 s a move`.
pub fn limit_text(nodes: Option<u64>, time: Option<Duration>) -> String {
    let nodes = nodes.map(|nodes| format!("{} nodes", grouped(nodes)));
    let time = time.map(|time| match time.as_secs_f64() {
        s if s >= 1.0 && s.fract() == 0.0 => format!("{s} s"),
        s => seconds_text(s),
    });
    match nodes.into_iter().chain(time).collect::<Vec<_>>().join(" or ") {
        none if none.is_empty() => "no limit".into(),
        limits => format!("{limits} a move"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_level_is_given_less_than_the_one_below() {
        let cost = |l: &Level| (l.nodes.unwrap_or(u64::MAX), l.time, std::cmp::Reverse(l.random));
        assert!(LEVELS.windows(2).all(|pair| {
            let ((n, t, r), (more_n, more_t, less_r)) = (cost(&pair[0]), cost(&pair[1]));
            n <= more_n && t <= more_t && r <= less_r && cost(&pair[0]) != cost(&pair[1])
        }));
        assert_eq!(Level::number(USUAL).random, 0);
    }

    /// The page that explains the levels says what the table says.
    #[test]
    fn the_levels_are_documented() {
        let page = include_str!("../../../docs/play.md");
        for (number, level) in (1..).zip(LEVELS) {
            let row = format!("| {number} | {} |", level.in_words());
            assert!(page.contains(&row), "docs/play.md lacks \"{row}\"");
        }
    }

    #[test]
    fn limits_in_words() {
        assert_eq!(Level::number(4).in_words(), "500 nodes a move, 15 of 100 moves at random");
        assert_eq!(Level::number(8).in_words(), "300.0 ms a move");
        assert_eq!(limit_text(Some(1000), Some(Duration::from_secs(2))), "1,000 nodes or 2 s a move");
    }
}
