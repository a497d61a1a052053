//! The colours of players: the same in every picture, on the page and in charts.

/// A player's colour. Those of [`Colour::PLAYERS`] can be told apart by colour-blind people, too (after Okabe and Ito,
/// 2008).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Colour {
    Blue,
    Orange,
    Green,
    Red,
    Purple,
    Sky,
    Black,
    White,
    Gold,
    Silver,
}

impl Colour {
    /// Of players 1 to 6, where a game has no colours of its own.
    pub const PLAYERS: [Colour; 6] =
        [Colour::Blue, Colour::Orange, Colour::Green, Colour::Red, Colour::Purple, Colour::Sky];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Colour::Blue => "blue",
            Colour::Orange => "orange",
            Colour::Green => "green",
            Colour::Red => "red",
            Colour::Purple => "purple",
            Colour::Sky => "sky blue",
            Colour::Black => "black",
            Colour::White => "white",
            Colour::Gold => "gold",
            Colour::Silver => "silver",
        }
    }

    /// Red, green and blue, as in `#0072b2`.
    pub const fn fill(self) -> &'static str {
        match self {
            Colour::Blue => "#0072b2",
            Colour::Orange => "#e69f00",
            Colour::Green => "#009e73",
            Colour::Red => "#c8452b",
            Colour::Purple => "#cc79a7",
            Colour::Sky => "#56b4e9",
            Colour::Black => "#26241f",
            Colour::White => "#fbfaf6",
            Colour::Gold => "#d9a520",
            Colour::Silver => "#aab4bf",
        }
    }

    /// What can be read on it.
    pub const fn ink(self) -> &'static str {
        match self {
            Colour::Blue | Colour::Red | Colour::Black => "#ffffff",
            _ => "#1d1b16",
        }
    }

    /// The line around a thing of this colour.
    pub(super) const fn edge(self) -> &'static str {
        match self {
            Colour::Black => "#000000",
            _ => "#2b2820",
        }
    }
}
