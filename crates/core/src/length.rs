//! How long it takes to win: values under [`Objective::Length`].
//!
//! The winner wants to win soon, the loser to lose late; draws lie in between. A value depends on the position alone: a
//! won game is worth [`LONGEST`] to the winner at its end, and one less for every ply before it. So the value of a
//! state follows from its best successor by one step ([`Objective::before`]), and equal positions have equal values
//! however they were reached.

use crate::{Objective, Payoff, Player};

/// More plies than any win takes: what a game just won is worth. (Below 2^24, so an `f32` holds it exactly.)
pub const LONGEST: i32 = 1_000_000;

impl Objective {
    /// What a finished game is worth under this objective.
    #[inline]
    pub fn finished<P: Payoff>(self, payoff: P) -> P {
        if self != Objective::Length || !P::ZERO_SUM {
            return payoff;
        }
        opposed(payoff.gain(Player::FIRST).value() * LONGEST)
    }

    /// What a state is worth in which the move to a state worth `payoff` is played.
    #[inline]
    pub fn before<P: Payoff>(self, payoff: P) -> P {
        if self != Objective::Length || !P::ZERO_SUM {
            return payoff;
        }
        opposed(one_ply_earlier(payoff.score(Player::FIRST)))
    }

    /// How many plies the game still takes, if that is what `payoff` tells and somebody wins.
    pub fn plies<P: Payoff>(self, payoff: P) -> Option<u32> {
        let score = payoff.score(Player::FIRST);
        (self == Objective::Length && P::ZERO_SUM && score != 0).then(|| plies_of(score))
    }
}

fn opposed<P: Payoff>(score: i32) -> P {
    P::from_scores(&[score, -score])
}

/// The value one ply before a state with this value: a win is one ply further away.
#[inline]
pub const fn one_ply_earlier(value: i32) -> i32 {
    match value {
        2.. => value - 1,
        ..=-2 => value + 1,
        _ => value,
    }
}

/// How many plies away the win is that a value other than 0 speaks of.
#[inline]
pub const fn plies_of(value: i32) -> u32 {
    LONGEST.abs_diff(value.abs())
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;
    use crate::ZeroSum;

    #[test]
    fn soon_is_better_for_the_winner_and_late_for_the_loser() {
        let length = Objective::Length;
        let won = length.finished(ZeroSum(17));
        let lost = length.finished(ZeroSum(-3));
        assert_eq!((won, lost, length.finished(ZeroSum(0))), (ZeroSum(LONGEST), ZeroSum(-LONGEST), ZeroSum(0)));
        let in_two = length.before(length.before(won));
        assert_eq!((length.plies(in_two), length.plies(lost), length.plies(ZeroSum(0))), (Some(2), Some(0), None));
        assert_eq!(length.compare(Player::FIRST, won, in_two), Ordering::Greater);
        assert_eq!(length.compare(Player::SECOND, won, in_two), Ordering::Less);
        assert_eq!(length.compare(Player::FIRST, lost, length.before(lost)), Ordering::Less);
        assert_eq!(length.compare(Player::FIRST, in_two, ZeroSum(0)), Ordering::Greater);
        assert_eq!(length.value(in_two, Player::SECOND), -1);
        assert_eq!((Objective::Gain.before(won), Objective::Gain.plies(won)), (won, None));
    }

    #[test]
    fn no_win_turns_into_a_draw_by_waiting() {
        assert_eq!((one_ply_earlier(1), one_ply_earlier(-1), one_ply_earlier(0)), (1, -1, 0));
    }
}
