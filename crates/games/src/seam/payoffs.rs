//! The payoffs of a game as those that algorithms are compiled for: the same, or [`UpToSix`].

use perfectplay_core::{Payoff, Scores, UpToSix};

/// A payoff that the seam shows as a `P`.
pub trait ShownAs<P: Payoff>: Payoff {
    /// The same payoff.
    fn shown(self) -> P;
    /// The same guess.
    fn shown_guess(guess: Self::Estimate) -> P::Estimate;
    /// Pushes the guesses that `list` pushes.
    fn push_shown(out: &mut Vec<P::Estimate>, list: impl FnOnce(&mut Vec<Self::Estimate>));
}

impl<P: Payoff> ShownAs<P> for P {
    #[inline]
    fn shown(self) -> P {
        self
    }

    #[inline]
    fn shown_guess(guess: P::Estimate) -> P::Estimate {
        guess
    }

    #[inline]
    fn push_shown(out: &mut Vec<P::Estimate>, list: impl FnOnce(&mut Vec<P::Estimate>)) {
        list(out);
    }
}

impl<const N: usize> ShownAs<UpToSix> for Scores<N> {
    #[inline]
    fn shown(self) -> UpToSix {
        self.into()
    }

    #[inline]
    fn shown_guess(guess: [f32; N]) -> [f32; 6] {
        std::array::from_fn(|i| guess.get(i).copied().unwrap_or(0.0))
    }

    fn push_shown(out: &mut Vec<[f32; 6]>, list: impl FnOnce(&mut Vec<[f32; N]>)) {
        let mut guesses = Vec::new();
        list(&mut guesses);
        out.extend(guesses.into_iter().map(<Self as ShownAs<UpToSix>>::shown_guess));
    }
}
