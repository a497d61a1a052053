//! What a node carries, and where: in memory that threads share.
//!
//! Every thread that has changed something below a node computes the node's data anew from its children's. What it
//! found may be written only if nobody has written meanwhile: otherwise an older result could replace a newer one, and
//! a resolved state be unresolved again.

use perfectplay_core::Plain;

use crate::best_first::versioned::OneWord;

/// Data of a node.
pub trait NodeData: Plain + Default + PartialEq + Send + Sync {
    /// Room for it.
    type Cell: Send + Sync;
    /// Such room, with this data in it.
    fn cell(self) -> Self::Cell;
    /// The data, whole.
    fn load(cell: &Self::Cell) -> Self;
    /// Replaces the data: by a thread that is alone.
    fn store(self, cell: &Self::Cell);
    /// Replaces the data by what `next` makes of it, unless that is `None`: asked again if somebody else was faster.
    /// Tells what was replaced by what.
    fn update(cell: &Self::Cell, next: impl FnMut(Self) -> Option<Self>) -> Option<(Self, Self)>;
}

/// Data of one word.
pub(crate) trait Word: Copy {
    fn to_word(self) -> i64;
    fn from_word(word: i64) -> Self;
}

impl<D: Word + Plain + Default + PartialEq + Send + Sync> NodeData for D {
    type Cell = OneWord;

    fn cell(self) -> OneWord {
        OneWord::new(self.to_word())
    }

    #[inline]
    fn load(cell: &OneWord) -> Self {
        D::from_word(cell.get())
    }

    #[inline]
    fn store(self, cell: &OneWord) {
        cell.set(self.to_word());
    }

    #[inline]
    fn update(cell: &OneWord, mut next: impl FnMut(Self) -> Option<Self>) -> Option<(Self, Self)> {
        let replaced = cell.update(|now| next(D::from_word(now)).map(D::to_word));
        replaced.map(|(old, new)| (D::from_word(old), D::from_word(new)))
    }
}
