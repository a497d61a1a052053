//! The one function that knows the classes.

use perfectplay_core::{FullGame, Scores, Spec, TextError, Visitor, ZeroSum};

use super::inline::fits;
use super::packed::Packed;
use crate::connect_four;

/// Receives a game together with the type that algorithms are compiled for.
pub trait SeamVisitor {
    /// What it makes of the game.
    type Output;
    /// A two-player zero-sum game of a type that is worth compiling algorithms for.
    fn native<G: FullGame<Payoff = ZeroSum>>(self, game: G) -> Self::Output;
    /// Any other two-player zero-sum game.
    fn zero_sum<const S: usize, const K: usize>(self, game: Packed<ZeroSum, S, K>) -> Self::Output;
    /// A game for several players with scores of their own.
    fn several<const N: usize, const S: usize, const K: usize>(self, game: Packed<Scores<N>, S, K>) -> Self::Output;
}

/// Opens the game that `spec` names as the type it is searched as; `None` if there is no such game.
///
/// Native is what was measured to gain more than a fifth by it: Connect Four on the standard board.
pub fn open<V: SeamVisitor>(spec: Spec, visitor: V) -> Option<Result<V::Output, TextError>> {
    match connect_four::standard(&spec) {
        Some(game) => Some(Ok(visitor.native(game))),
        None => open_packed(spec, visitor),
    }
}

/// Like [`open`], but no game is native.
pub fn open_packed<V: SeamVisitor>(spec: Spec, visitor: V) -> Option<Result<V::Output, TextError>> {
    Some(pack(spec)?.map(|game| match game {
        AnyPacked::Tiny(game) => visitor.zero_sum(game),
        AnyPacked::Small(game) => visitor.zero_sum(game),
        AnyPacked::Medium(game) => visitor.zero_sum(game),
        AnyPacked::Large(game) => visitor.zero_sum(game),
        AnyPacked::Two(game) => visitor.several(game),
        AnyPacked::Three(game) => visitor.several(game),
        AnyPacked::Four(game) => visitor.several(game),
        AnyPacked::Five(game) => visitor.several(game),
        AnyPacked::Six(game) => visitor.several(game),
    }))
}

/// A game of any class.
enum AnyPacked {
    Tiny(Packed<ZeroSum, 4, 2>),
    Small(Packed<ZeroSum, 10, 4>),
    Medium(Packed<ZeroSum, 18, 8>),
    Large(Packed<ZeroSum, 26, 16>),
    Two(Packed<Scores<2>, 18, 8>),
    Three(Packed<Scores<3>, 18, 8>),
    Four(Packed<Scores<4>, 18, 8>),
    Five(Packed<Scores<5>, 18, 8>),
    Six(Packed<Scores<6>, 26, 16>),
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
        if const { fits::<G>(4, 2) } {
            AnyPacked::Tiny(Packed::new(game))
        } else if const { fits::<G>(10, 4) } {
            AnyPacked::Small(Packed::new(game))
        } else if const { fits::<G>(18, 8) } {
            AnyPacked::Medium(Packed::new(game))
        } else if const { fits::<G>(26, 16) } {
            AnyPacked::Large(Packed::new(game))
        } else {
            AnyPacked::Tiny(Packed::new(game))
        }
    }

    fn scores<const N: usize, G: FullGame<Payoff = Scores<N>>>(self, game: G) -> AnyPacked {
        // Only one arm has the type of the game; the others are never taken.
        fn same<P: 'static, G: FullGame<Payoff = Q>, Q: 'static, const S: usize, const K: usize>(
            game: G,
        ) -> Packed<P, S, K>
        where
            Q: perfectplay_core::Payoff,
        {
            let packed: Box<dyn std::any::Any> = Box::new(Packed::<Q, S, K>::new(game));
            *packed.downcast().expect("the number of players says which type it is")
        }
        match N {
            2 => AnyPacked::Two(same(game)),
            3 => AnyPacked::Three(same(game)),
            4 => AnyPacked::Four(same(game)),
            5 => AnyPacked::Five(same(game)),
            6 => AnyPacked::Six(same(game)),
            _ => unreachable!("games are for two to six players"),
        }
    }
}
