//! Tables 1 and 2 of Saffidine and Cazenave 2012: how many nodes MOPNS and PNS create to solve all positions after a
//! few moves.
//!
//! Positions are *move sequences*: two ways to the same position count twice, as in the paper. Both searches are
//! best-first on a tree without a table. MOPNS solves a position in one run. PNS is charged with the runs that prove
//! the value and no others (it is told the value, so to speak): "at least v", and "at least the next better outcome",
//! which fails; the best and the worst outcome need one of the two only.
//!
//! On Connect Four the totals are known to the node from an independent program with the same convention (children in
//! the order of columns, all children of an expanded node created and counted, plus the root). The paper's own totals
//! differ from these by less than one percent. On Woodpush the paper does not print all rules; ours are in the game's
//! file.

use std::sync::Arc;
use std::time::Instant;

use perfectplay_core::{Budget, FullGame, Objective, Observer, Status, Stop, ZeroSum};
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::woodpush::Woodpush;
use perfectplay_search::Search;
use perfectplay_search::proof_number::goals::Outcomes;
use perfectplay_search::proof_number::mopns::Mopns;
use perfectplay_search::proof_number::pns::{Mode, Pns, Shape};
use perfectplay_search::proof_number::tree_search::{Options, on_tree};
use serde::Serialize;

use super::scatter::scatter;
use crate::Error;

/// Which positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    game: Kind,
    /// Moves played before.
    plies: usize,
    /// What the paper printed for MOPNS and PNS: see [`Printed`].
    paper: Option<[Printed; 2]>,
    /// Nodes created by an independent program.
    known: Option<[u64; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    ConnectFour(u32, u32),
    /// Length, pieces; and the scores that MOPNS takes into account, as the paper did.
    Woodpush(u32, u32, i32),
}

/// A column of the paper's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Printed {
    /// Total time.
    pub seconds: u64,
    /// Total node creations.
    pub nodes: u64,
    /// Positions solved in less time.
    pub lowest_time: u64,
    /// Positions solved with fewer nodes.
    pub lowest_nodes: u64,
}

const fn printed(seconds: u64, nodes: u64, lowest_time: u64, lowest_nodes: u64) -> Printed {
    Printed { seconds, nodes, lowest_time, lowest_nodes }
}

/// What `mopns-tables` does by default.
pub const QUICK: &[Problem] = &[
    Problem {
        game: Kind::ConnectFour(4, 5),
        plies: 4,
        paper: Some([printed(99, 16_947_536, 21, 227), printed(85, 20_175_238, 235, 13)]),
        known: Some([16_944_696, 20_082_774]),
    },
    Problem {
        game: Kind::Woodpush(8, 3, 5),
        plies: 4,
        paper: Some([printed(718, 31_328_178, 25, 76), printed(702, 34_869_213, 74, 23)]),
        known: None,
    },
];

/// What it does with `--full`, after the quick ones.
pub const FULL: &[Problem] = &[
    Problem { game: Kind::ConnectFour(4, 4), plies: 4, paper: None, known: Some([1_920_138, 2_400_206]) },
    Problem { game: Kind::ConnectFour(5, 4), plies: 4, paper: None, known: Some([156_123_253, 180_568_702]) },
    Problem { game: Kind::ConnectFour(4, 6), plies: 4, paper: None, known: Some([145_626_314, 179_663_400]) },
    Problem {
        game: Kind::ConnectFour(5, 5),
        plies: 4,
        paper: Some([printed(11_230, 1_557_490_694, 55, 406), printed(9055, 1_757_370_222, 570, 140)]),
        known: Some([1_568_431_485, 1_745_639_718]),
    },
    Problem {
        game: Kind::Woodpush(13, 2, 5),
        plies: 8,
        paper: Some([printed(4796, 155_756_022, 98, 205), printed(4573, 174_285_199, 158, 51)]),
        known: None,
    },
];

/// What one search spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Nodes created.
    pub nodes: u64,
    /// Nodes expanded.
    pub expansions: u64,
    /// Time.
    pub seconds: f64,
}

impl Cost {
    fn add(&mut self, other: Cost) {
        self.nodes += other.nodes;
        self.expansions += other.expansions;
        self.seconds += other.seconds;
    }
}

/// One position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// How it was reached.
    pub moves: String,
    /// Its value for the first player.
    pub value: i32,
    /// By MOPNS.
    pub mopns: Cost,
    /// By PNS.
    pub pns: Cost,
}

/// One block of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Block {
    /// The game's spec.
    pub game: String,
    /// Moves played before.
    pub plies: usize,
    /// Every position.
    pub rows: Vec<Row>,
    /// What the paper printed, for MOPNS and PNS.
    pub paper: Option<[Printed; 2]>,
    /// Nodes created by an independent program.
    pub known: Option<[u64; 2]>,
}

impl Block {
    /// Sums over all positions, for MOPNS and PNS.
    pub fn totals(&self) -> [Cost; 2] {
        let mut totals = [Cost::default(); 2];
        for row in &self.rows {
            totals[0].add(row.mopns);
            totals[1].add(row.pns);
        }
        totals
    }

    /// For how many positions each creates fewer nodes.
    pub fn lowest_nodes(&self) -> [usize; 2] {
        self.lower(|cost| cost.nodes as f64)
    }

    /// For how many positions each takes less time.
    pub fn lowest_time(&self) -> [usize; 2] {
        self.lower(|cost| cost.seconds)
    }

    fn lower(&self, of: impl Fn(&Cost) -> f64) -> [usize; 2] {
        let lower = self.rows.iter().filter(|r| of(&r.mopns) < of(&r.pns)).count();
        let higher = self.rows.iter().filter(|r| of(&r.mopns) > of(&r.pns)).count();
        [lower, higher]
    }

    /// How many positions are wins, draws and losses of the first player.
    pub fn wins_draws_losses(&self) -> [usize; 3] {
        [1, 0, -1].map(|sign| self.rows.iter().filter(|r| r.value.signum() == sign).count())
    }

    /// Nodes created per position, MOPNS against PNS: Figure 4.
    pub fn picture(&self) -> Result<String, Error> {
        let points: Vec<_> = self.rows.iter().map(|r| (r.mopns.nodes as f64, r.pns.nodes as f64)).collect();
        let title = format!("{} after {} moves, {} positions", self.game, self.plies, self.rows.len());
        scatter(&title, "nodes created by MOPNS", "nodes created by PNS", &points).map_err(Error::Request)
    }
}

impl Problem {
    /// The game, as users write it.
    pub fn spec(&self) -> String {
        match self.game {
            Kind::ConnectFour(width, height) => format!("connect-four:{width}x{height}"),
            Kind::Woodpush(length, pieces, _) => format!("woodpush:{length}x{pieces}"),
        }
    }

    /// Solves every position with both searches; `told` hears how many are done, of how many.
    pub fn run(
        &self,
        budget: &Budget,
        observer: &mut dyn Observer,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<Block, Stop> {
        let rows = match self.game {
            Kind::ConnectFour(width, height) => {
                let game = ConnectFour::<u64>::new(width, height);
                let outcomes = Outcomes::of(&game, Objective::Gain, "pns").expect("Connect Four lists its outcomes");
                solve_all(game, outcomes, self.plies, budget, observer, told)
            }
            Kind::Woodpush(length, pieces, most) => {
                let game = Woodpush::new(length, pieces);
                let outcomes = Outcomes::of(&game, Objective::Score, "pns").expect("Woodpush lists its outcomes");
                solve_all(game, outcomes.within(-most, most), self.plies, budget, observer, told)
            }
        }?;
        Ok(Block { game: self.spec(), plies: self.plies, rows, paper: self.paper, known: self.known })
    }
}

fn solve_all<G: FullGame<Payoff = ZeroSum>>(
    game: G,
    outcomes: Outcomes,
    plies: usize,
    budget: &Budget,
    observer: &mut dyn Observer,
    told: &mut dyn FnMut(usize, usize),
) -> Result<Vec<Row>, Stop> {
    let game = Arc::new(game);
    let positions = sequences(&*game, plies);
    let mut rows = Vec::new();
    for (moves, state) in &positions {
        told(rows.len(), positions.len());
        let solver =
            Mopns::new("mopns", game.clone(), *state, outcomes.clone(), Shape::Tree(on_tree), Options::default());
        let (value, mopns) = cost(&mut solver.expect("the game is acyclic"), budget, observer)?;
        let value = value.expect("a finished run has the value").0;
        let mut pns = Cost::default();
        for goal in outcomes.deciding_goals(value) {
            let (mode, options) = (Mode::Goal(goal), Options::default());
            let run = Pns::new("pns", game.clone(), *state, outcomes.clone(), mode, Shape::Tree(on_tree), options);
            pns.add(cost(&mut run.expect("the game is acyclic"), budget, observer)?.1);
        }
        rows.push(Row { moves: moves.join(" "), value, mopns, pns });
    }
    told(rows.len(), positions.len());
    Ok(rows)
}

/// Every sequence of exactly so many moves, with the state it leads to.
pub fn sequences<G: FullGame>(game: &G, plies: usize) -> Vec<(Vec<String>, G::State)> {
    let mut all = vec![(Vec::new(), game.start())];
    for _ in 0..plies {
        let mut longer = Vec::new();
        for (texts, state) in all {
            let mut moves = Vec::new();
            if let Status::Turn(_) = game.expand(&state, &mut moves) {
                for mv in moves {
                    let mut texts = texts.clone();
                    texts.push(game.move_text(&state, mv));
                    longer.push((texts, game.after(&state, mv)));
                }
            }
        }
        all = longer;
    }
    all
}

fn cost<G: FullGame<Payoff = ZeroSum>>(
    search: &mut dyn Search<G>,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<(Option<ZeroSum>, Cost), Stop> {
    let started = Instant::now();
    match search.run(budget, observer) {
        Stop::Done => {}
        stop => return Err(stop),
    }
    let seconds = started.elapsed().as_secs_f64();
    let answer = search.answer();
    let expansions = answer.counts.iter().find(|(name, _)| *name == "expansions").map_or(0, |&(_, n)| n);
    Ok((answer.verdict.solved(), Cost { nodes: answer.effort.nodes, expansions, seconds }))
}
