//! Which cells of a board stand for a move: told from two drawings, so that any game can be played with a pointer.

use super::{Cell, Drawing, Look};

/// The cells that belong to a move, as row and column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clicks {
    /// Where its pieces stood.
    pub from: Vec<(usize, usize)>,
    /// Where they stand afterwards, or what was put on the board; of a move that only takes away, where that begins.
    pub to: Vec<(usize, usize)>,
}

impl Drawing {
    /// The cells that something has come to since `before`: those that were empty, or else those where something else
    /// stands now.
    pub(super) fn arrived_since(&self, before: &Drawing) -> Vec<(usize, usize)> {
        let changed = self.places().filter(|&at| self.cell(at) != before.cell(at) && !self.cell(at).is_vacant());
        let changed: Vec<_> = changed.map(|at| (at, before.cell(at).is_vacant())).collect();
        let any_filled = changed.iter().any(|&(_, filled)| filled);
        changed.into_iter().filter(|&(_, filled)| filled || !any_filled).map(|(at, _)| at).collect()
    }

    /// The cells that stand for the move which made this board of `before`. A move without cells (a pass, or one that
    /// the board does not show) has none.
    pub fn clicks_since(&self, before: &Drawing) -> Clicks {
        let emptied: Vec<_> =
            before.places().filter(|&at| !before.cell(at).is_vacant() && self.cell(at).is_vacant()).collect();
        let mut to = self.arrived_since(before);
        let owners: Vec<_> = to.iter().filter_map(|&at| self.cell(at).owner()).collect();
        let moved = |&at: &(usize, usize)| before.cell(at).owner().is_some_and(|owner| owners.contains(&owner));
        let from = emptied.iter().copied().filter(moved).collect();
        if to.is_empty() {
            to.extend(emptied.first());
        }
        if self.look == Look::Wall {
            let above = |&(row, column): &(usize, usize)| (0..row).map(move |r| (r, column));
            let above: Vec<_> = to.iter().flat_map(above).collect();
            to.extend(above);
        }
        if self.look == Look::Dots {
            to.retain(|&(row, column)| (row + column) % 2 == 1); // lines, not the boxes that they close
        }
        Clicks { from, to }
    }

    /// Marks where the next move may go, unless that is every empty cell, or only where pieces stand now.
    #[must_use]
    pub fn with_targets<'a>(mut self, moves: impl IntoIterator<Item = &'a Clicks>) -> Self {
        let mut targets: Vec<_> = moves.into_iter().flat_map(|clicks| clicks.to.iter().copied()).collect();
        targets.sort_unstable();
        targets.dedup();
        if self.look == Look::Wall {
            // Only where the stone would come to lie.
            let lowest = |&(row, column): &(usize, usize)| self.cell((row + 1, column)) != Cell::Empty;
            targets.retain(lowest);
        }
        let empty = self.places().filter(|&at| self.cell(at) == Cell::Empty).count();
        let free = targets.iter().filter(|&&at| self.cell(at) == Cell::Empty).count();
        self.targets = if self.look == Look::Dots || free == empty { vec![] } else { targets };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Player;

    const X: Cell = Cell::Stone(Player::FIRST);
    const O: Cell = Cell::Stone(Player::SECOND);

    fn clicks(before: [Cell; 4], after: [Cell; 4]) -> (Vec<usize>, Vec<usize>) {
        let [before, after] = [before, after].map(|row| Drawing::square(vec![row.to_vec()]));
        let Clicks { from, to } = after.clicks_since(&before);
        let columns = |cells: Vec<(usize, usize)>| cells.into_iter().map(|(_, column)| column).collect();
        (columns(from), columns(to))
    }

    #[test]
    fn a_move_is_known_by_what_it_changes() {
        let e = Cell::Empty;
        assert_eq!(clicks([X, e, e, O], [X, X, e, O]), (vec![], vec![1]), "placed");
        assert_eq!(clicks([X, e, e, O], [e, e, X, O]), (vec![0], vec![2]), "moved");
        assert_eq!(clicks([X, e, e, O], [e, e, e, X]), (vec![0], vec![3]), "captured by moving there");
        assert_eq!(clicks([X, O, e, O], [e, e, X, O]), (vec![0], vec![2]), "captured by a jump");
        assert_eq!(clicks([X, O, e, O], [X, X, X, O]), (vec![], vec![2]), "flipped");
        assert_eq!(clicks([X, O, O, O], [X, e, e, O]), (vec![], vec![1]), "taken off");
        assert_eq!(clicks([X, O, O, O], [X, O, O, O]), (vec![], vec![]), "passed");
    }

    #[test]
    fn a_column_of_a_wall_is_one_target() {
        let column = |cells: [Cell; 3]| Drawing::square(cells.map(|c| vec![c]).to_vec()).with_look(Look::Wall);
        let before = column([Cell::Empty, Cell::Empty, X]);
        let clicks = column([Cell::Empty, O, X]).clicks_since(&before);
        assert_eq!(clicks.to, [(1, 0), (0, 0)]);
        let two = Drawing::square(vec![vec![Cell::Empty; 2]; 2]).with_look(Look::Wall);
        assert_eq!(two.with_targets(&[clicks]).targets, [(1, 0)]);
    }
}
