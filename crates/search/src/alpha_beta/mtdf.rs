//! MTD(f): the value by null-window searches only, each starting where the last one ended.
//!
//! A null-window search around a first guess says on which side the value lies and, fail-soft, how far at least. The
//! next search asks there. With a table the repeated work is small; with a good guess there are two or three searches.

use std::sync::Arc;

use perfectplay_core::{FullGame, OptionSet, Params, ZeroSum};

use crate::alpha_beta::iterative_deepening::{self, Driver, EngineOptions};
use crate::{A_SHARED_TABLE, AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "mtdf",
    summary: "iterative deepening by MTD(f): null-window searches around a guess",
    players: "2",
    exact: true,
    threads: Threads::Racing(A_SHARED_TABLE),
    options: EngineOptions::docs,
};

/// For two opposed players: the same search as [`iterative_deepening::open`], driven by null windows.
pub fn open<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    iterative_deepening::open_with(&INFO, Driver::Mtdf, game, root, setup, params)
}

/// The value, by questions "more than α?" whose answers obey the fail-soft contract.
pub(crate) fn mtdf<E>(guess: i32, mut test: impl FnMut(i32) -> Result<i32, E>) -> Result<i32, E> {
    let (mut lower, mut upper) = (i64::MIN, i64::MAX);
    let mut value = guess;
    while lower < upper {
        let alpha = if i64::from(value) == lower { value } else { value.saturating_sub(1) };
        value = test(alpha)?;
        if value > alpha {
            lower = value.into();
        } else {
            upper = value.into();
        }
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::mtdf;

    #[test]
    fn any_guess_leads_to_the_value() {
        for value in -5..=5 {
            for guess in -9..=9 {
                for slack in 0..3 {
                    // As weak or as strong as an answer may be.
                    let test = |alpha: i32| -> Result<i32, ()> {
                        Ok(if value > alpha { (value - slack).max(alpha + 1) } else { (value + slack).min(alpha) })
                    };
                    assert_eq!(mtdf(guess, test), Ok(value), "{value} {guess} {slack}");
                }
            }
        }
    }
}
