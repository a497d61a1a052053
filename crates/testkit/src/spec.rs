//! Games by name.

use perfectplay_core::{Game, Scores, Spec, TextError, Visitor, ZeroSum};

use crate::{Extent, check_game};

/// Opens a game by its name and hands it to a visitor.
///
/// # Panics
/// If there is no such game.
pub fn visit<V: Visitor>(spec: &str, visitor: V) -> V::Output {
    let opened = Spec::parse(spec).and_then(|s| {
        perfectplay_games::open(s, visitor).unwrap_or_else(|| Err(TextError::new("there is no such game")))
    });
    opened.unwrap_or_else(|error| panic!("{spec}: {error}"))
}

/// Checks the laws of a game on the game with this name.
pub fn check_spec(spec: &str, extent: &Extent) {
    struct Check<'a>(&'a Extent);
    impl Visitor for Check<'_> {
        type Output = ();
        fn zero_sum<G: Game<Payoff = ZeroSum>>(self, game: G) {
            check_game(&game, self.0);
        }
        fn scores<const N: usize, G: Game<Payoff = Scores<N>>>(self, game: G) {
            check_game(&game, self.0);
        }
    }
    visit(spec, Check(extent));
}
