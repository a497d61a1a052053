//! Which tuples a game gets: random walks from cell to neighbouring cell, single cells, patterns that mean the same
//! wherever they lie, and what the game's symmetries do to its cells.

use std::collections::{BTreeSet, HashMap, HashSet};

use perfectplay_core::{FeatureBatch, FullGame, Lattice, Layout, Status};
use perfectplay_model::{MOST_ENTRIES, OUTSIDE, Pattern};
use rand_core::SeedableRng;

use crate::choose::{Dice, draw};
use crate::options::{TupleOptions, USUAL_ENTRIES};
use crate::self_play::SelfPlay;

/// The neighbours of every cell; if a cell has none at a distance of one, those that are nearest.
pub(crate) fn neighbours(layout: &Layout) -> Vec<Vec<u16>> {
    let steps: &[(i16, i16)] = match layout.lattice {
        Lattice::Square => &[(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)],
        Lattice::Hexagonal => &[(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)],
    };
    let at: HashMap<(i16, i16), u16> = layout.cells.iter().copied().zip(0..).collect();
    let near = |&(x, y): &(i16, i16)| {
        let reach = (1..=8).map(|far| steps.iter().map(move |(dx, dy)| (x + dx * far, y + dy * far)));
        let mut found = reach.map(|places| places.filter_map(|place| at.get(&place).copied()).collect::<Vec<u16>>());
        found.find(|cells| !cells.is_empty()).unwrap_or_default()
    };
    layout.cells.iter().map(near).collect()
}

/// Cells per tuple if nobody says how many: a table of at most 10,000 entries, or of 8 cells if that is possible, 12
/// cells at most, no more than there are.
pub(crate) fn usual_length(layout: &Layout) -> usize {
    let values = usize::from(layout.values).max(2);
    let fits = |length: u32, most: usize| values.pow(length) <= most;
    let usual = (1..=12).take_while(|&length| fits(length, USUAL_ENTRIES) || length <= 8 && fits(8, MOST_ENTRIES));
    usual.count().max(2).min(layout.cells.len())
}

/// Different sets of connected cells, as many as asked for or as can be found.
pub(crate) fn random_walks(layout: &Layout, options: &TupleOptions, dice: &mut Dice) -> Vec<Vec<u16>> {
    let near = neighbours(layout);
    let cells = layout.cells.len();
    let length = options.length.unwrap_or_else(|| usual_length(layout)).min(cells);
    let (mut seen, mut tuples) = (HashSet::new(), Vec::new());
    for _ in 0..options.count * 50 {
        if tuples.len() == options.count {
            break;
        }
        let mut at = draw(dice, cells) as u16;
        let mut tuple = vec![at];
        for _ in 0..100 * length {
            if tuple.len() == length {
                break;
            }
            at = match near[usize::from(at)].as_slice() {
                [] => draw(dice, cells) as u16,
                near => near[draw(dice, near.len())],
            };
            if !tuple.contains(&at) {
                tuple.push(at);
            }
        }
        // What chance could not connect is filled up with any cells.
        while tuple.len() < length {
            let cell = draw(dice, cells) as u16;
            if !tuple.contains(&cell) {
                tuple.push(cell);
            }
        }
        tuple.sort_unstable();
        if seen.insert(tuple.clone()) {
            tuples.push(tuple);
        }
    }
    tuples
}

/// Values of a cell, and stones that a move turns, beyond which patterns cost more than they tell (docs/learning.md).
const MOST_VALUES: u8 = 5;
const MOST_TURNED: f64 = 1.2;

/// Whether patterns are worth their time: they tell much where a few kinds of stones are put side by side, less where
/// these change sides, and then where a stone lies matters more.
pub(crate) fn suits_patterns(game: &dyn SelfPlay) -> bool {
    game.layout().values <= MOST_VALUES && turned(game) <= MOST_TURNED
}

/// Stones that a move replaces by others, on average over random games: cells that are in use and show something else
/// when the same player looks again, divided by the plies in between.
fn turned(game: &dyn SelfPlay) -> f64 {
    let (mut cells, mut plies) = (0, 0);
    for seed in 0..GAMES as u64 {
        let mut batch = FeatureBatch::default();
        game.sample(&mut Dice::seed_from_u64(seed), &mut batch);
        for i in 0..batch.len() {
            let Some(next) = (i + 1..batch.len()).find(|&j| batch.viewers[j] == batch.viewers[i]) else { continue };
            let (now, then) = (batch.get(i).1, batch.get(next).1);
            cells += now.iter().zip(then).filter(|(a, b)| a != b && **a != 0 && **b != 0).count();
            plies += next - i;
        }
    }
    cells as f64 / plies.max(1) as f64
}

/// A tuple for every cell alone, but for those that symmetries make of others.
pub(crate) fn single_cells(images: &[Vec<u16>]) -> Vec<Vec<u16>> {
    let cells = images[0].len();
    let first = |cell: usize| images.iter().all(|image| usize::from(image[cell]) >= cell);
    (0..cells).filter(|&cell| first(cell)).map(|cell| vec![cell as u16]).collect()
}

/// From a cell to another, in columns and rows.
type Offset = (i16, i16);

/// Entries of the table of a line, and of a block.
const LINE_ENTRIES: usize = 4096;
const BLOCK_ENTRIES: usize = MOST_ENTRIES;
/// Those of all patterns together, at most.
pub(crate) const MOST_PATTERN_ENTRIES: usize = 4 * LINE_ENTRIES + BLOCK_ENTRIES;

/// Lines in every direction, and a block of neighbouring cells, wherever on the board they fit by more than a half.
pub(crate) fn patterns(layout: &Layout, images: &[Vec<u16>]) -> Vec<Pattern> {
    let base = usize::from(layout.values) + 1;
    let fits = |entries: usize, most: usize| {
        (1..=most).take_while(|&length| base.pow(length as u32) <= entries).last().unwrap_or(1)
    };
    let (directions, block): (&[Offset], &[Offset]) = match layout.lattice {
        Lattice::Square => (
            &[(1, 0), (0, 1), (1, 1), (1, -1)],
            &[(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (2, 1), (0, 2), (1, 2), (2, 2)],
        ),
        Lattice::Hexagonal => {
            (&[(1, 0), (0, 1), (1, -1)], &[(0, 0), (1, 0), (0, 1), (1, -1), (-1, 1), (-1, 0), (0, -1)])
        }
    };
    let length = fits(LINE_ENTRIES, 6) as i16;
    let lines = directions.iter().map(|&(dx, dy)| (0..length).map(|i| (i * dx, i * dy)).collect::<Vec<_>>());
    let block = block[..fits(BLOCK_ENTRIES, block.len())].to_vec();
    let mut patterns: Vec<Pattern> = Vec::new();
    for offsets in lines.chain([block]) {
        // A single cell is no pattern: counts of values say as much.
        if offsets.len() < 2 {
            continue;
        }
        let pattern = pattern(layout, images, &offsets);
        let cells = |place: &Vec<u16>| place.iter().copied().collect::<BTreeSet<u16>>();
        let Some(one) = pattern.places.first().map(cells) else { continue };
        let known = patterns.iter().any(|pattern| pattern.places.iter().any(|place| cells(place) == one));
        if pattern.places.len() > 1 && !known {
            patterns.push(pattern);
        }
    }
    patterns
}

/// The pattern of these cells, as they lie beside each other.
fn pattern(layout: &Layout, images: &[Vec<u16>], offsets: &[Offset]) -> Pattern {
    let at: HashMap<(i16, i16), u16> = layout.cells.iter().copied().zip(0..).collect();
    let anchors: BTreeSet<(i16, i16)> =
        layout.cells.iter().flat_map(|&(x, y)| offsets.iter().map(move |&(dx, dy)| (x - dx, y - dy))).collect();
    let place = |&(x, y): &(i16, i16)| -> Vec<u16> {
        offsets.iter().map(|(dx, dy)| at.get(&(x + dx, y + dy)).copied().unwrap_or(OUTSIDE)).collect()
    };
    let inside = |place: &Vec<u16>| place.iter().filter(|&&cell| cell != OUTSIDE).count();
    let upright: Vec<Vec<u16>> = anchors.iter().map(place).filter(|place| 2 * inside(place) > place.len()).collect();
    let seen = |place: &[u16], image: &[u16]| -> Vec<u16> {
        place.iter().map(|&cell| if cell == OUTSIDE { OUTSIDE } else { image[usize::from(cell)] }).collect()
    };
    // Symmetries that read the cells of a place in another order.
    let whole = || upright.iter().filter(|place| inside(place) == place.len());
    let mut turns: BTreeSet<Vec<u8>> = BTreeSet::new();
    for (place, image) in whole().flat_map(|place| images.iter().map(move |image| (place, image))) {
        let image = seen(place, image);
        let order = |other: &Vec<u16>| -> Option<Vec<u8>> {
            image.iter().map(|cell| other.iter().position(|c| c == cell).map(|k| k as u8)).collect()
        };
        let in_place = whole().filter(|other| other.contains(&image[0])).find_map(order);
        turns.extend(in_place.filter(|turn| !turn.is_sorted()));
    }
    let turns: Vec<Vec<u8>> = turns.into_iter().collect();
    let (mut known, mut places) = (HashSet::new(), Vec::new());
    for place in images.iter().flat_map(|image| upright.iter().map(|place| seen(place, image))) {
        if !known.contains(&place) {
            known.extend(turns.iter().map(|turn| turn.iter().map(|&k| place[usize::from(k)]).collect::<Vec<u16>>()));
            known.insert(place.clone());
            places.push(place);
        }
    }
    Pattern { places, turns }
}

/// Random games whose states show what symmetries do.
const GAMES: usize = 60;

/// What the symmetries of the game do to its cells, as far as they move cells only and say the same for every viewer;
/// the identity first. In image `i`, cell `c` shows what is on cell `images[i][c]`.
pub(crate) fn images<G: FullGame>(game: &G, dice: &mut Dice) -> Vec<Vec<u16>> {
    let cells = game.layout().map_or(0, |layout| layout.cells.len());
    let mut images: Vec<Vec<u16>> = vec![(0..cells as u16).collect()];
    let states = sample(game, dice);
    let features = |state: &G::State| {
        let (mut cells, mut numbers) = (Vec::new(), Vec::new());
        game.cell_values(state, &mut cells);
        game.numbers(state, &mut numbers);
        (game.viewer(state), cells, numbers)
    };
    let here: Vec<_> = states.iter().map(features).collect();
    for index in 1..game.symmetries() {
        let there: Vec<_> = states.iter().map(|state| features(&game.transform(state, index))).collect();
        let alike = here.iter().zip(&there).all(|(a, b)| a.0 == b.0 && a.2 == b.2);
        // A cell of the image shows a cell of the board if the two agree in all states.
        let column =
            |features: &[(_, Vec<u8>, _)], cell: usize| features.iter().map(|f| f.1[cell]).collect::<Vec<u8>>();
        let mut by_values: HashMap<Vec<u8>, Vec<u16>> = HashMap::new();
        (0..cells).rev().for_each(|cell| by_values.entry(column(&here, cell)).or_default().push(cell as u16));
        let image: Option<Vec<u16>> =
            (0..cells).map(|cell| by_values.get_mut(&column(&there, cell)).and_then(Vec::pop)).collect();
        images.extend(image.filter(|image| alike && !images.contains(image)));
    }
    images
}

/// States of random games.
fn sample<G: FullGame>(game: &G, dice: &mut Dice) -> Vec<G::State> {
    let mut states = Vec::new();
    let mut moves = Vec::new();
    for _ in 0..GAMES {
        let mut state = game.start();
        for _ in 0..200 {
            moves.clear();
            let Status::Turn(_) = game.expand(&state, &mut moves) else { break };
            states.push(state);
            game.play(&mut state, moves[draw(dice, moves.len())]);
        }
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(width: i16, height: i16) -> (Layout, Vec<Vec<u16>>) {
        let cells: Vec<(i16, i16)> = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).collect();
        let identity: Vec<u16> = (0..cells.len() as u16).collect();
        let mirrored = cells.iter().map(|&(x, y)| (y * width + width - 1 - x) as u16).collect();
        (Layout { lattice: Lattice::Square, cells, values: 3, numbers: &[] }, vec![identity, mirrored])
    }

    #[test]
    fn patterns_lie_wherever_they_fit_and_in_each_place_once() {
        let (layout, images) = board(7, 6);
        let patterns = patterns(&layout, &images);
        // Across, upright, aslant (both ways are one, mirrored), and a block.
        assert_eq!(patterns.len(), 4);
        // Six in a row on seven columns: two places inside, and two on either side that reach over the edge by less
        // than half.
        assert_eq!(patterns[0].places.len(), 6 * (2 + 2 + 2));
        assert_eq!(patterns[0].turns, [[5, 4, 3, 2, 1, 0]]);
        assert_eq!((patterns[1].places.len(), patterns[1].turns.len()), (7 * (1 + 2 + 2), 0));
        for pattern in &patterns {
            let orders = |place: &[u16]| -> Vec<Vec<u16>> {
                let turned = |turn: &Vec<u8>| turn.iter().map(|&k| place[usize::from(k)]).collect();
                std::iter::once(place.to_vec()).chain(pattern.turns.iter().map(turned)).collect()
            };
            let all: HashSet<&Vec<u16>> = pattern.places.iter().collect();
            assert_eq!(all.len(), pattern.places.len());
            for place in &pattern.places {
                assert_eq!(orders(place).iter().filter(|order| all.contains(order)).count(), 1, "{place:?}");
                let mirrored: Vec<u16> =
                    place.iter().map(|&c| if c == OUTSIDE { c } else { images[1][usize::from(c)] }).collect();
                assert!(orders(&mirrored).iter().any(|order| all.contains(order)), "{place:?} is there mirrored");
            }
        }
    }

    #[test]
    fn of_cells_that_symmetries_exchange_one_has_a_table() {
        let (_, images) = board(7, 6);
        assert_eq!(single_cells(&images).len(), 4 * 6);
    }
}
