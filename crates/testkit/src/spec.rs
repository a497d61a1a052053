//! Games by name.

use perfectplay_core::{Game, Payoff, Spec, TextError};
use perfectplay_games::boxed::{AnyBoxed, Boxed};

use crate::explore::random_game;
use crate::{Dice, Extent, check_game};

/// Does the same with every game, put behind a box: compiled once per kind of payoff, not once per game.
pub(crate) trait OnBoxed {
    type Output;
    fn on<P: Payoff, const W: usize>(self, game: Boxed<P, W>) -> Self::Output;
}

/// Opens a game by its name and hands it over in a box.
///
/// # Panics
/// If there is no such game.
pub(crate) fn visit_boxed<B: OnBoxed>(spec: &str, action: B) -> B::Output {
    let opened = Spec::parse(spec)
        .and_then(|s| perfectplay_games::open_boxed(s).unwrap_or_else(|| Err(TextError::new("there is no such game"))));
    match opened.unwrap_or_else(|error| panic!("{spec}: {error}")) {
        AnyBoxed::ZeroSum(game) => action.on(game),
        AnyBoxed::ZeroSumLarge(game) => action.on(game),
        AnyBoxed::Two(game) => action.on(game),
        AnyBoxed::Three(game) => action.on(game),
        AnyBoxed::Four(game) => action.on(game),
        AnyBoxed::Five(game) => action.on(game),
        AnyBoxed::Six(game) => action.on(game),
    }
}

/// Checks the laws of a game on the game with this name.
pub fn check_spec(spec: &str, extent: &Extent) {
    struct Check<'a>(&'a Extent);
    impl OnBoxed for Check<'_> {
        type Output = ();
        fn on<P: Payoff, const W: usize>(self, game: Boxed<P, W>) {
            check_promises(&game);
            check_game(&game, self.0);
        }
    }
    visit_boxed(spec, Check(extent));
}

/// What a box hides is asked of the game itself.
fn check_promises<P: Payoff, const W: usize>(game: &Boxed<P, W>) {
    let mut dice = Dice::new(3);
    for _ in 0..4 {
        for (state, _) in random_game(game, &game.start(), 60, &mut dice) {
            if let Some(promise) = game.broken_promise(&state) {
                panic!("{promise}, at {}", game.position_text(&state));
            }
        }
    }
}
