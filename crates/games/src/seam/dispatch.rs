//! The one function that knows the classes.

use std::any::Any;

use perfectplay_core::{FullGame, Payoff, Scores, Spec, TextError, Visitor, ZeroSum};

use super::packed::Packed;
use crate::{breakthrough, connect_four};

/// Receives a game together with the type that algorithms are compiled for.
pub trait SeamVisitor {
    /// What it makes of the game.
    type Output;
    /// A two-player zero-sum game of a type that is worth compiling algorithms for.
    fn native<G: FullGame<Payoff = ZeroSum>>(self, game: G) -> Self::Output;
    /// Any other two-player zero-sum game.
    fn zero_sum<const S: usize, const K: usize, const M: usize>(self, game: Packed<ZeroSum, S, K, M>) -> Self::Output;
    /// A game for several players with scores of their own.
    fn several<const N: usize, const S: usize, const K: usize, const M: usize>(
        self,
        game: Packed<Scores<N>, S, K, M>,
    ) -> Self::Output;
}

/// Opens the game that `spec` names as the type it is searched as; `None` if there is no such game.
///
/// Native is what was measured to gain more than a fifth by it: Connect Four and Breakthrough on boards of 64 bits.
pub fn open<V: SeamVisitor>(spec: Spec, visitor: V) -> Option<Result<V::Output, TextError>> {
    if let Some(game) = connect_four::standard(&spec) {
        return Some(Ok(visitor.native(game)));
    }
    if let Some(game) = connect_four::small(&spec) {
        return Some(Ok(visitor.native(game)));
    }
    if let Some(game) = breakthrough::small(&spec) {
        return Some(Ok(visitor.native(game)));
    }
    open_packed(spec, visitor)
}

/// Like [`open`], but no game is native.
pub fn open_packed<V: SeamVisitor>(spec: Spec, visitor: V) -> Option<Result<V::Output, TextError>> {
    Some(pack(spec)?.map(|game| game.accept(visitor)))
}

/// Hands a game to `visitor` that has no name here: one that somebody else brings.
pub fn open_game<G: FullGame, V: SeamVisitor>(game: G, visitor: V) -> V::Output {
    G::Payoff::accept(game, Packer).accept(visitor)
}

/// The classes. Alpha-beta copies states and best-first search keeps keys and moves: what is asked for most is smallest.
type Tiny<P> = Packed<P, 4, 2, 1>;
type Small<P> = Packed<P, 10, 4, 2>;
type Medium<P> = Packed<P, 18, 7, 1>;
pub(super) type Large<P> = Packed<P, 26, 16, 2>;

/// A game of any class.
enum AnyPacked {
    Tiny(Tiny<ZeroSum>),
    Small(Small<ZeroSum>),
    Medium(Medium<ZeroSum>),
    Large(Large<ZeroSum>),
    Two(Medium<Scores<2>>),
    Three(Medium<Scores<3>>),
    ThreeLarge(Large<Scores<3>>),
    Four(Medium<Scores<4>>),
    FourLarge(Large<Scores<4>>),
    Five(Medium<Scores<5>>),
    Six(Large<Scores<6>>),
}

impl AnyPacked {
    fn accept<V: SeamVisitor>(self, visitor: V) -> V::Output {
        match self {
            AnyPacked::Tiny(game) => visitor.zero_sum(game),
            AnyPacked::Small(game) => visitor.zero_sum(game),
            AnyPacked::Medium(game) => visitor.zero_sum(game),
            AnyPacked::Large(game) => visitor.zero_sum(game),
            AnyPacked::Two(game) => visitor.several(game),
            AnyPacked::Three(game) => visitor.several(game),
            AnyPacked::ThreeLarge(game) => visitor.several(game),
            AnyPacked::Four(game) => visitor.several(game),
            AnyPacked::FourLarge(game) => visitor.several(game),
            AnyPacked::Five(game) => visitor.several(game),
            AnyPacked::Six(game) => visitor.several(game),
        }
    }
}

/// Not generic: what the seam needs of every game is compiled in this crate, once.
fn pack(spec: Spec) -> Option<Result<AnyPacked, TextError>> {
    crate::open(spec, Packer)
}

/// Puts a game into the least class with room for it.
struct Packer;

impl Visitor for Packer {
    type Output = AnyPacked;

    fn zero_sum<G: FullGame<Payoff = ZeroSum>>(self, game: G) -> AnyPacked {
        if const { Tiny::<ZeroSum>::fits::<G>() } {
            AnyPacked::Tiny(Packed::new(game))
        } else if const { Small::<ZeroSum>::fits::<G>() } {
            AnyPacked::Small(Packed::new(game))
        } else if const { Medium::<ZeroSum>::fits::<G>() } {
            AnyPacked::Medium(Packed::new(game))
        } else if const { Large::<ZeroSum>::fits::<G>() } {
            AnyPacked::Large(Packed::new(game))
        } else {
            AnyPacked::Tiny(Packed::new(game)) // on the heap, where one class is as good as another
        }
    }

    /// Each game in one class: what is compiled for a second one would never be used.
    fn scores<const N: usize, G: FullGame<Payoff = Scores<N>>>(self, game: G) -> AnyPacked {
        if const { matches!(N, 2 | 5) || N < 5 && Medium::<Scores<N>>::fits::<G>() } {
            of_medium(Box::new(Medium::<Scores<N>>::new(game)))
        } else {
            of_large(Box::new(Large::<Scores<N>>::new(game)))
        }
    }
}

/// The variant for this number of players.
fn of_medium(game: Box<dyn Any>) -> AnyPacked {
    let game = match game.downcast() {
        Ok(game) => return AnyPacked::Two(*game),
        Err(game) => game,
    };
    let game = match game.downcast() {
        Ok(game) => return AnyPacked::Three(*game),
        Err(game) => game,
    };
    match game.downcast() {
        Ok(game) => AnyPacked::Four(*game),
        Err(game) => AnyPacked::Five(*game.downcast().expect("games are for two to six players")),
    }
}

/// The variant for this number of players.
fn of_large(game: Box<dyn Any>) -> AnyPacked {
    let game = match game.downcast() {
        Ok(game) => return AnyPacked::ThreeLarge(*game),
        Err(game) => game,
    };
    match game.downcast() {
        Ok(game) => AnyPacked::FourLarge(*game),
        Err(game) => AnyPacked::Six(*game.downcast().expect("games are for two to six players")),
    }
}
