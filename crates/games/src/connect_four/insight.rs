//! What Connect Four knows without searching: forced replies, threats, and who will be in zugzwang.
//!
//! **Threats.** An empty cell that would complete four for a player is that player's threat. A mover with a playable
//! threat wins at once; one who faces two playable threats, or must play below a threat, loses with the reply. Moves
//! right below an opponent's threat are left out: they lose at once, and the bounds already say what that costs.
//!
//! **Zugzwang.** Whoever follows can answer every move by one on top of it (the well-known *claimeven*). The *follower*
//! is the player after whose moves an even number of cells is empty: the second player, unless the whole board has an
//! odd number of cells. The other one leads. Counted from a cell to the top of its column, the cell included, an even
//! number makes it a cell of the leader: the follower answers there, on top of it. Columns whose lowest empty cell is
//! none of the leader's are the exception: there is an even number of them when the leader is to move, and whenever it
//! plays the lowest cell of one, the follower plays the lowest cell of another. So, whatever the leader does, it only
//! ever gets
//!
//! ```text
//!   its stones  +  empty cells of the leader  +  cells that can be played now                          (1)
//! ```
//!
//! If (1) holds no four, the leader cannot win; and if besides the follower has a threat in a cell that is none of the
//! leader's and cannot be played now, it will win there, at the latest when everything but the cells above that threat
//! is full. When the follower is to move the number of such columns is odd, it plays the lowest cell of one, and the
//! same holds.
//!
//! The roles change when the leader has a threat in one of its cells, not playable now. Nobody wants to play the cell
//! below it, so take that cell and all above it away: an odd number of cells, which turns the parity round. Now the
//! leader can answer every move as above, and only ever leaves to the follower
//!
//! ```text
//!   its stones  +  empty cells of the leader and cells that can be played now, in the other columns
//!               +  the empty cells below the threat in its column                                      (2)
//! ```
//!
//! If (2) holds no four, the follower never wins, at last has to play below the threat, and loses.
//!
//! On boards of even height, such as the usual one, the leader is the first player and its cells are the odd rows.

use perfectplay_core::Successor;

use super::{ConnectFour, Stones};
use crate::support::bits::Bits;

/// Codes are made equal for mirror images up to this share of the cells; later, images hardly ever meet.
const MIRRORED_UP_TO: u32 = 3; // of 8

impl<B: Bits, const HEIGHT: u32> ConnectFour<B, HEIGHT> {
    /// The empty cells that would complete four for `stones`.
    #[inline]
    pub(super) fn threats(&self, stones: B, empty: B) -> B {
        let guard = self.height() + 1;
        let mut cells = stones << 1 & stones << 2 & stones << 3;
        for step in [guard - 1, guard, guard + 1] {
            if 3 * step < B::BITS {
                let (low, high) = (stones << step, stones >> step);
                let (two_low, two_high) = (low & stones << (2 * step), high & stones >> (2 * step));
                cells = cells | two_low & (stones << (3 * step) | high) | two_high & (stones >> (3 * step) | low);
            }
        }
        cells & empty
    }

    /// The lowest empty cell of each column.
    #[inline]
    pub(super) fn playable(&self, all: B) -> B {
        // Adding the bottom row carries through the stones.
        all.plus(self.bottom) & self.full
    }

    /// The playable cells that do not lose at once; all of them lose if there is none.
    #[inline]
    fn safe(&self, playable: B, their_threats: B) -> B {
        let forced = playable & their_threats;
        let open = if forced.is_none() {
            playable
        } else if forced.without_lowest().is_none() {
            forced
        } else {
            return B::none();
        };
        open & !(their_threats >> 1)
    }

    /// What the stones say at first sight.
    pub(super) fn insight(&self, stones: Stones<B>) -> Insight<B> {
        let empty = self.full & !stones.all;
        Insight {
            stones,
            my_threats: self.threats(stones.mine, empty),
            their_threats: self.threats(stones.theirs(), empty),
            count: stones.all.count(),
        }
    }

    /// Bounds on the leader's score by the argument of the module comment.
    #[inline]
    fn zugzwang_bounds(&self, leader: B, follower: B, empty: B, playable: B, threats: [B; 2]) -> (i32, i32) {
        let late = empty & !playable;
        let loose = empty & self.leaders | playable;
        let [leads, follows] = threats;
        let good = leads & self.leaders & late;
        if !good.is_none() {
            return (self.leaders_threat_bound(follower, empty, loose, good), i32::MAX);
        }
        if self.has_four(leader | loose) {
            return (i32::MIN, i32::MAX);
        }
        let good = follows & late & !self.leaders;
        (i32::MIN, if good.is_none() { 0 } else { -self.score_of_waiting(good) })
    }

    /// What the leader gets at least for threats in its own cells.
    fn leaders_threat_bound(&self, follower: B, empty: B, loose: B, mut threats: B) -> i32 {
        let guard = self.height() + 1;
        let mut best = i32::MIN;
        while !threats.is_none() {
            let cell = threats.lowest();
            let column = self.column(cell / guard);
            // The lowest threat of a column counts: what is above it is never played.
            threats = threats & !column;
            let below = empty & column & B::bit(cell).minus_one();
            if !self.has_four(follower | loose & !column | below) {
                best = best.max(self.score_of_waiting(B::bit(cell)));
            }
        }
        best
    }

    /// The score of a win in one of `cells`, at the latest when all but the cells above it are full.
    fn score_of_waiting(&self, cells: B) -> i32 {
        let guard = self.height() + 1;
        let above = cells.cells().map(|c| self.height() - 1 - c % guard).max().unwrap_or(0);
        self.winners_score(self.width * self.height() - above)
    }

    /// The columns worth trying, those first after which the mover has the most threats, then the central ones.
    #[inline]
    pub(super) fn ordered(&self, stones: Stones<B>, successors: &mut Vec<Successor<Stones<B>, u8>>) {
        let guard = self.height() + 1;
        let empty = self.full & !stones.all;
        let count = stones.all.count() + 1;
        let playable = self.playable(stones.all);
        let their_threats = self.threats(stones.theirs(), empty);
        let safe = self.safe(playable, their_threats);
        // A solver never asks where the bounds settle everything; whoever asks nevertheless gets all moves.
        let worth = if safe.is_none() { playable } else { safe };
        let start = successors.len();
        let mut ranks = [0u32; 64];
        for cell in worth.cells() {
            let column = cell / guard;
            let stone = B::bit(cell);
            let after = Stones { mine: stones.theirs(), all: stones.all | stone };
            let insight = Insight {
                stones: after,
                my_threats: their_threats & !stone,
                their_threats: self.threats(stones.mine | stone, empty & !stone),
                count,
            };
            let central = self.width - (2 * column + 1).abs_diff(self.width);
            let rank = insight.their_threats.count() * 256 + central;
            let (lower, upper) = insight.bounds(self);
            let successor = Successor { mv: column as u8, state: after, lower, upper };
            // Insertion sort: there are few columns.
            let mut at = successors.len();
            successors.push(successor);
            while at > start && ranks[at - start - 1] < rank {
                successors[at] = successors[at - 1];
                ranks[at - start] = ranks[at - start - 1];
                at -= 1;
            }
            successors[at] = successor;
            ranks[at - start] = rank;
        }
    }

    /// The key, made equal for mirror images in the first part of the game.
    #[inline]
    pub(super) fn mirrored_key(&self, stones: Stones<B>) -> B {
        let key = stones.mine.plus(stones.all);
        if stones.all.count() * 8 > self.width * self.height() * MIRRORED_UP_TO {
            return key;
        }
        let guard = self.height() + 1;
        let column = B::bit(guard).minus_one();
        let mirrored = (0..self.width)
            .fold(B::none(), |set, c| set | (key >> (c * guard) & column) << ((self.width - 1 - c) * guard));
        key.min(mirrored)
    }
}

/// Stones with the threats of both sides: found once, used for order and bounds.
#[derive(Clone, Copy)]
pub(super) struct Insight<B> {
    stones: Stones<B>,
    my_threats: B,
    their_threats: B,
    count: u32,
}

impl<B: Bits> Insight<B> {
    /// Bounds on the first player's score.
    #[inline]
    pub(super) fn bounds<const HEIGHT: u32>(&self, game: &ConnectFour<B, HEIGHT>) -> (i32, i32) {
        let first_moves = self.count.is_multiple_of(2);
        let sign = |score: i32| if first_moves { score } else { -score };
        let playable = game.playable(self.stones.all);
        if !(self.my_threats & playable).is_none() {
            let score = sign(game.winners_score(self.count + 1));
            return (score, score);
        }
        let left = game.width * game.height() - self.count;
        if left > 1 && game.safe(playable, self.their_threats).is_none() {
            let score = sign(-game.winners_score(self.count + 2));
            return (score, score);
        }
        if left <= 2 {
            return (0, 0);
        }
        // The mover wins with its second stone at the earliest, the opponent with its second.
        let (mine, theirs) = (game.winners_score(self.count + 3), game.winners_score(self.count + 4));
        let nearest = if first_moves { (-theirs, mine) } else { (-mine, theirs) };
        let empty = game.full & !self.stones.all;
        let (mine, theirs) = (self.stones.mine, self.stones.theirs());
        // An even number of empty cells: the leader is to move.
        let (lower, upper) = if left.is_multiple_of(2) {
            game.zugzwang_bounds(mine, theirs, empty, playable, [self.my_threats, self.their_threats])
        } else {
            game.zugzwang_bounds(theirs, mine, empty, playable, [self.their_threats, self.my_threats])
        };
        let first_leads = left.is_multiple_of(2) == first_moves;
        let (lower, upper) =
            if first_leads { (lower, upper) } else { (upper.saturating_neg(), lower.saturating_neg()) };
        (lower.max(nearest.0), upper.min(nearest.1))
    }
}
