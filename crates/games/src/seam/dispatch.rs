//! The one function that knows the classes.

use std::any::Any;

use perfectplay_core::{FullGame, Payoff, Scores, Spec, TextError, UpToSix, Visitor, ZeroSum};

use super::packed::Packed;
use crate::{breakthrough, connect_four};

/// Receives a game as the type that algorithms are compiled for.
pub trait SeamVisitor {
    /// What it makes of the game.
    type Output;
    /// A two-player zero-sum game.
    fn zero_sum<const S: usize, const K: usize, const M: usize>(self, game: Packed<ZeroSum, S, K, M>) -> Self::Output;
    /// A game for several players with scores of their own.
    fn several<P: Payoff, const S: usize, const K: usize, const M: usize>(
        self,
        game: Packed<P, S, K, M>,
    ) -> Self::Output;
}

/// Opens the game that `spec` names as the type it is searched as; `None` if there is no such game.
pub fn open<V: SeamVisitor>(spec: Spec, visitor: V) -> Option<Result<V::Output, TextError>> {
    Some(pack(spec)?.map(|game| game.accept(visitor)))
}

/// Receives a game of a type that is worth compiling algorithms for, and the same game behind the seam.
pub trait NativeVisitor {
    /// What it makes of the game.
    type Output;
    /// The bytes of states, keys and moves are the same in both.
    fn native<G: FullGame<Payoff = ZeroSum>>(self, game: G, packed: Tiny<ZeroSum>) -> Self::Output;
}

/// Opens the game that `spec` names if it is native: what was measured to gain more than a fifth by it, Connect Four
/// and Breakthrough on boards of 64 bits.
pub fn open_native<V: NativeVisitor>(spec: &Spec, visitor: V) -> Option<V::Output> {
    if let Some(game) = connect_four::standard(spec) {
        return Some(visitor.native(game.clone(), Packed::new(game)));
    }
    if let Some(game) = connect_four::small(spec) {
        return Some(visitor.native(game.clone(), Packed::new(game)));
    }
    let game = breakthrough::small(spec)?;
    Some(visitor.native(game.clone(), Packed::new(game)))
}

/// Hands a game to `visitor` that has no name here: one that somebody else brings.
pub fn open_game<G: FullGame, V: SeamVisitor>(game: G, visitor: V) -> V::Output {
    G::Payoff::accept(game, Packer).accept(visitor)
}

/// The smallest class. Alpha-beta copies states and best-first search keeps keys and moves: what is asked for most is
/// smallest.
pub type Tiny<P> = Packed<P, 4, 2, 1>;
type Small<P> = Packed<P, 10, 4, 2>;
type Medium<P> = Packed<P, 18, 7, 1>;
pub(super) type Large<P> = Packed<P, 26, 16, 2>;
/// For three players.
pub type ForThree<P> = Packed<P, 7, 6, 1>;
/// For two players whose interests are not opposed, and for four to six.
pub type ForSeveral = Packed<UpToSix, 14, 12, 1>;

/// A game of any class.
enum AnyPacked {
    Tiny(Tiny<ZeroSum>),
    Small(Small<ZeroSum>),
    Medium(Medium<ZeroSum>),
    Large(Large<ZeroSum>),
    Three(ForThree<Scores<3>>),
    Several(ForSeveral),
}

impl AnyPacked {
    fn accept<V: SeamVisitor>(self, visitor: V) -> V::Output {
        match self {
            AnyPacked::Tiny(game) => visitor.zero_sum(game),
            AnyPacked::Small(game) => visitor.zero_sum(game),
            AnyPacked::Medium(game) => visitor.zero_sum(game),
            AnyPacked::Large(game) => visitor.zero_sum(game),
            AnyPacked::Three(game) => visitor.several(game),
            AnyPacked::Several(game) => visitor.several(game),
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

    /// Each game in one class: what is compiled for a second one would never be used. Most games for many are for
    /// three; all others share a kind of payoff.
    fn scores<const N: usize, G: FullGame<Payoff = Scores<N>>>(self, game: G) -> AnyPacked {
        if const { N == 3 && ForThree::<Scores<N>>::fits::<G>() } {
            let game: Box<dyn Any> = Box::new(ForThree::<Scores<N>>::new(game));
            AnyPacked::Three(*game.downcast().expect("for three players"))
        } else {
            AnyPacked::Several(Packed::new(game)) // on the heap if there is no room
        }
    }

    fn up_to_six<G: FullGame<Payoff = UpToSix>>(self, game: G) -> AnyPacked {
        AnyPacked::Several(Packed::new(game))
    }
}
