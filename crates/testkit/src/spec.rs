//! Games by name.

use perfectplay_core::{Game, Notation, Payoff, Spec, TextError, ZeroSum};
use perfectplay_games::seam::{self, Packed, SeamVisitor};

use crate::explore::random_game;
use crate::{Dice, Extent, check_game};

/// Does the same with every game behind the seam: compiled once per class, not once per game.
pub trait OnPacked {
    /// What it makes of the game.
    type Output;
    /// Does it.
    fn on<P: Payoff, const S: usize, const K: usize, const M: usize>(self, game: Packed<P, S, K, M>) -> Self::Output;
}

/// Opens a game by its name and hands it over.
///
/// # Panics
/// If there is no such game.
pub fn visit_packed<A: OnPacked>(spec: &str, action: A) -> A::Output {
    struct Visit<A>(A);
    impl<A: OnPacked> SeamVisitor for Visit<A> {
        type Output = A::Output;
        fn zero_sum<const S: usize, const K: usize, const M: usize>(self, game: Packed<ZeroSum, S, K, M>) -> A::Output {
            self.0.on(game)
        }
        fn several<P: Payoff, const S: usize, const K: usize, const M: usize>(
            self,
            game: Packed<P, S, K, M>,
        ) -> A::Output {
            self.0.on(game)
        }
    }
    let opened = Spec::parse(spec)
        .and_then(|s| seam::open(s, Visit(action)).unwrap_or_else(|| Err(TextError::new("there is no such game"))));
    opened.unwrap_or_else(|error| panic!("{spec}: {error}"))
}

/// Checks the laws of a game on the game with this name.
pub fn check_spec(spec: &str, extent: &Extent) {
    struct Check<'a>(&'a Extent);
    impl OnPacked for Check<'_> {
        type Output = ();
        fn on<P: Payoff, const S: usize, const K: usize, const M: usize>(self, game: Packed<P, S, K, M>) {
            check_hidden_laws(&game);
            check_game(&game, self.0);
        }
    }
    visit_packed(spec, Check(extent));
}

/// What the seam hides is asked of the game itself.
fn check_hidden_laws<P: Payoff, const S: usize, const K: usize, const M: usize>(game: &Packed<P, S, K, M>) {
    let mut dice = Dice::new(3);
    for _ in 0..4 {
        for (state, _) in random_game(game, &game.start(), 60, &mut dice) {
            if let Some(law) = game.broken_law(&state) {
                panic!("{law}, at {}", game.position_text(&state));
            }
        }
    }
}
