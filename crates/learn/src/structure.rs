//! Which tuples a game gets: random walks from cell to neighbouring cell, and what the game's symmetries do to its cells.

use std::collections::{HashMap, HashSet};

use perfectplay_core::{FullGame, Lattice, Layout, Status};

use crate::choose::{Dice, draw};
use crate::options::{TupleOptions, USUAL_ENTRIES};

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

/// Cells per tuple if nobody says how many: a table of at most 10,000 entries, 12 cells at most, no more than there are.
pub(crate) fn usual_length(layout: &Layout) -> usize {
    let values = usize::from(layout.values).max(2);
    let fits = (1..=12).take_while(|&length| values.pow(length) <= USUAL_ENTRIES).last().unwrap_or(1);
    (fits as usize).max(2).min(layout.cells.len())
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

/// Random games whose states show what symmetries do.
const GAMES: usize = 60;

/// What the symmetries of the game do to its cells, as far as they move cells only and say the same for every viewer; the
/// identity first. In image `i`, cell `c` shows what is on cell `images[i][c]`.
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
