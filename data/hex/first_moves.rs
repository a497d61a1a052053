//! Which first moves of Hex 6×6 win, without the swap: `rustc -O --edition 2024 first_moves.rs && ./first_moves`.
//!
//! A search made for Hex, since searches that know the rules alone take too long. Each state gets the virtual
//! connections that Anshelevich's H-search finds (*A hierarchical approach to computer Hex*, 2002): sets of empty cells
//! (carriers) in which one colour links two places whoever moves (full), or if it moves first (semi). If the colour
//! that does not move has a full connection of its sides it wins; if the mover has a semi connection the mover wins.
//! Otherwise the mover must play in every semi connection of the other. Lists of connections are cut at a length, which
//! loses speed, never truth.

use std::collections::HashMap;

const SIZE: usize = 6;
const CELLS: usize = SIZE * SIZE;
/// The longest lists of carriers: full and semi.
const MOST: [usize; 2] = [12, 24];

fn cells(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(cell)
    })
}

/// Keeps a carrier, unless one within it is there; of too many the largest goes.
fn add(list: &mut Vec<u64>, carrier: u64, most: usize) -> bool {
    if list.iter().any(|&other| other & carrier == other) {
        return false;
    }
    list.retain(|&other| other & carrier != carrier);
    if list.len() >= most {
        let (at, largest) = (0..list.len()).map(|i| (i, list[i].count_ones())).max_by_key(|entry| entry.1).unwrap();
        if largest <= carrier.count_ones() {
            return false;
        }
        list.swap_remove(at);
    }
    list.push(carrier);
    true
}

/// The OR rule: semi connections that have no cell in common make a full one.
fn or(list: &[u64], common: u64, union: u64, depth: usize, out: &mut Vec<u64>) {
    for (i, &carrier) in list.iter().enumerate() {
        match common & carrier {
            0 => out.push(union | carrier),
            less if less != common && depth > 0 => or(&list[i + 1..], less, union | carrier, depth - 1, out),
            _ => {}
        }
    }
}

/// The connections between two places.
#[derive(Clone, Default)]
struct Pair {
    full: Vec<u64>,
    semi: Vec<u64>,
}

struct Solver {
    all: u64,
    /// The side each colour's chain begins at, and the side it must reach.
    sides: [[u64; 2]; 2],
    known: HashMap<[u64; 2], bool>,
    states: u64,
}

impl Solver {
    fn new() -> Self {
        let line = |step: usize, first: usize| (0..SIZE).fold(0u64, |set, i| set | 1 << (first + i * step));
        let sides = [[line(1, 0), line(1, CELLS - SIZE)], [line(SIZE, 0), line(SIZE, SIZE - 1)]];
        Solver { all: (1 << CELLS) - 1, sides, known: HashMap::new(), states: 0 }
    }

    /// The cells next to those in `set`.
    fn around(&self, set: u64) -> u64 {
        let (left, right) = (set & !self.sides[1][0], set & !self.sides[1][1]);
        let beside = left >> 1 | right << 1;
        (beside | set >> SIZE | right >> (SIZE - 1) | set << SIZE | left << (SIZE - 1)) & self.all
    }

    fn flood(&self, seed: u64, within: u64) -> u64 {
        let next = seed | self.around(seed) & within;
        if next == seed { seed } else { self.flood(next, within) }
    }

    /// The connections between the sides of a colour with these stones.
    fn connections(&self, colour: usize, own: u64, other: u64) -> Pair {
        let empty = self.all & !own & !other;
        let ends = self.sides[colour].map(|side| self.flood(own & side, own));
        if ends[0] & self.sides[colour][1] != 0 {
            return Pair { full: vec![0], semi: vec![] };
        }
        // Places: the two sides, the chains of stones between, the empty cells. What is next to each:
        let mut near = vec![];
        (0..2).for_each(|i| near.push((self.around(ends[i]) | self.sides[colour][i]) & empty));
        let mut rest = own & !ends[0] & !ends[1];
        while rest != 0 {
            let chain = self.flood(rest & rest.wrapping_neg(), own);
            rest &= !chain;
            near.push(self.around(chain) & empty);
        }
        let chains = near.len();
        let free: Vec<usize> = cells(empty).collect();
        near.extend(free.iter().map(|&cell| self.around(1 << cell) & empty));
        let places = near.len();
        let cell_of = |place: usize| if place < chains { 0u64 } else { 1 << free[place - chains] };
        let at = |x: usize, y: usize| x.min(y) * places + x.max(y);
        let mut pairs = vec![Pair::default(); places * places];
        for x in 0..places {
            for cell in cells(near[x]) {
                let y = chains + free.binary_search(&cell).unwrap();
                pairs[at(x, y)].full = vec![0];
            }
        }
        for _ in 0..7 {
            let mut changed = false;
            // The AND rule: two full connections with something between. A side is an end, never between.
            for between in 2..places {
                for x in (0..places).filter(|&x| x != between) {
                    for y in (x + 1..places).filter(|&y| y != between) {
                        let taken = cell_of(x) | cell_of(y);
                        let mut made = vec![];
                        for &a in pairs[at(x, between)].full.iter().filter(|&&a| a & taken == 0) {
                            let apart = |b: &&u64| **b & (taken | a) == 0;
                            made.extend(pairs[at(between, y)].full.iter().filter(apart).map(|b| a | b));
                        }
                        let pair = &mut pairs[at(x, y)];
                        for carrier in made {
                            changed |= if between < chains {
                                add(&mut pair.full, carrier, MOST[0])
                            } else {
                                pair.join(carrier | cell_of(between))
                            };
                        }
                    }
                }
            }
            if !changed || !pairs[at(0, 1)].full.is_empty() {
                break;
            }
        }
        std::mem::take(&mut pairs[at(0, 1)])
    }

    /// Stones that a colour lacks to link its sides, if the other passes.
    fn missing(&self, colour: usize, own: u64, other: u64) -> i32 {
        let mut reached = self.flood(self.sides[colour][0] & own, own);
        let mut next = self.sides[colour][0] | self.around(reached);
        for stones in 0.. {
            let step = next & !other & !reached;
            if reached & self.sides[colour][1] != 0 || step == 0 {
                return if reached & self.sides[colour][1] != 0 { stones } else { 99 };
            }
            reached = self.flood(reached | step, own | reached | step);
            next = self.around(reached);
        }
        unreachable!()
    }

    /// Whether `colour`, who moves, wins.
    fn wins(&mut self, colour: usize, own: u64, other: u64) -> bool {
        let stones = if colour == 0 { [own, other] } else { [other, own] };
        let turned = stones.map(|set| set.reverse_bits() >> (64 - CELLS));
        let key = stones.min(turned);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        self.states += 1;
        let theirs = self.connections(1 - colour, other, own);
        let value = theirs.full.is_empty() && {
            let mine = self.connections(colour, own, other);
            !mine.full.is_empty() || !mine.semi.is_empty() || self.some_move_wins(colour, own, other, &theirs)
        };
        self.known.insert(key, value);
        value
    }

    fn some_move_wins(&mut self, colour: usize, own: u64, other: u64, theirs: &Pair) -> bool {
        let empty = self.all & !own & !other;
        let mut moves = vec![];
        for cell in cells(theirs.semi.iter().fold(empty, |must, carrier| must & carrier)) {
            let after = own | 1 << cell;
            let mine = self.connections(colour, after, other);
            if !mine.full.is_empty() {
                return true;
            }
            // First what leaves the other least to choose from.
            let left = mine.semi.iter().fold(empty & !(1 << cell), |must, carrier| must & carrier).count_ones();
            let ahead = self.missing(colour, after, other) - self.missing(1 - colour, other, after);
            moves.push((left, ahead, cell));
        }
        moves.sort_unstable();
        moves.into_iter().any(|(_, _, cell)| !self.wins(1 - colour, other, own | 1 << cell))
    }
}

impl Pair {
    /// Keeps a semi connection, and what follows from it by the OR rule.
    fn join(&mut self, carrier: u64) -> bool {
        if self.full.iter().any(|&full| full & carrier == full) || !add(&mut self.semi, carrier, MOST[1]) {
            return false;
        }
        let mut made = vec![];
        or(&self.semi, carrier, carrier, 3, &mut made);
        for full in made {
            add(&mut self.full, full, MOST[0]);
        }
        true
    }
}

fn main() {
    let mut solver = Solver::new();
    for row in 0..SIZE {
        for column in 0..SIZE {
            let winner = if solver.wins(1, 0, 1 << (row * SIZE + column)) { 2 } else { 1 };
            println!("{}{} {winner}", (b'a' + column as u8) as char, row + 1);
        }
    }
    eprintln!("{} states", solver.states);
}
