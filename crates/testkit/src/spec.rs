//! Games by name.

use std::sync::Arc;

use perfectplay_core::{Game, Payoff, Scores, Spec, TextError, Visitor, ZeroSum};
use perfectplay_games::boxed::{Boxed, LARGE};

use crate::game_laws::check_unboxed;
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

/// Does the same with every game, put behind a box: compiled once per kind of payoff, not once per game.
pub(crate) trait OnBoxed {
    type Output;
    fn on<P: Payoff>(self, game: Boxed<P, LARGE>) -> Self::Output;
}

/// Opens a game by its name and hands it over in a box.
///
/// # Panics
/// If there is no such game.
pub(crate) fn visit_boxed<B: OnBoxed>(spec: &str, action: B) -> B::Output {
    struct Put<B>(B);
    impl<B: OnBoxed> Visitor for Put<B> {
        type Output = B::Output;
        fn zero_sum<G: Game<Payoff = ZeroSum>>(self, game: G) -> B::Output {
            self.0.on(Boxed::new(Arc::new(game)))
        }
        fn scores<const N: usize, G: Game<Payoff = Scores<N>>>(self, game: G) -> B::Output {
            self.0.on(Boxed::new(Arc::new(game)))
        }
    }
    visit(spec, Put(action))
}

/// Checks the laws of a game on the game with this name.
///
/// What a box hides, symmetries and random moves, is checked on the game itself.
pub fn check_spec(spec: &str, extent: &Extent) {
    struct Check<'a>(&'a Extent);
    impl OnBoxed for Check<'_> {
        type Output = ();
        fn on<P: Payoff>(self, game: Boxed<P, LARGE>) {
            check_game(&game, self.0);
        }
    }
    struct Unboxed;
    impl Visitor for Unboxed {
        type Output = ();
        fn zero_sum<G: Game<Payoff = ZeroSum>>(self, game: G) {
            check_unboxed(&game);
        }
        fn scores<const N: usize, G: Game<Payoff = Scores<N>>>(self, game: G) {
            check_unboxed(&game);
        }
    }
    visit_boxed(spec, Check(extent));
    visit(spec, Unboxed);
}
