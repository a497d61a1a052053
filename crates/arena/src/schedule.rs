//! Who meets whom, in which seats, from which opening. All games of a tournament are known before the first one; each
//! has a name ([`Job::name`]) that says what it is, so that it is played and counted once.
//!
//! A *block* is one opening played by one group in every seating: the games of a block are compared with each other, so
//! statistics treat the block as the unit of chance.

use serde::{Deserialize, Serialize};

use crate::dice::seed_for;

/// Which groups meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Everybody meets everybody.
    #[default]
    RoundRobin,
    /// The first player meets everybody else.
    Gauntlet,
}

impl Kind {
    /// `round-robin` or `gauntlet`.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::RoundRobin => "round-robin",
            Kind::Gauntlet => "gauntlet",
        }
    }
}

/// Who sits where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seatings {
    /// A group has one player per seat, and sits down in every order.
    Orders,
    /// A group has one player per seat; only the rotations of one order are played.
    Rotations,
    /// A group has two players, and the seats are given to them in every way that leaves no one out: for two seats both
    /// orders, for three seats six ways. By symmetry each of two equal players then scores 1/2.
    Mixed,
}

impl Seatings {
    /// What suits a game for `seats` and so many players.
    pub fn usual(seats: usize, players: usize) -> Self {
        match (seats, players) {
            (2, _) => Seatings::Orders,
            (seats, players) if players < seats || players == 2 => Seatings::Mixed,
            (3 | 4, _) => Seatings::Orders,
            _ => Seatings::Rotations,
        }
    }

    /// `orders`, `rotations` or `mixed`.
    pub const fn name(self) -> &'static str {
        match self {
            Seatings::Orders => "orders",
            Seatings::Rotations => "rotations",
            Seatings::Mixed => "mixed",
        }
    }
}

/// One game to be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Counted from 0; also the number of the opening.
    pub round: u32,
    /// Who meets, as numbers of players.
    pub group: Vec<usize>,
    /// Who sits in each seat, as numbers of players.
    pub seating: Vec<usize>,
    /// For everything left to chance in this game.
    pub seed: u64,
}

impl Job {
    /// A game whose seed follows from its name and the tournament's seed.
    pub fn new(round: u32, group: Vec<usize>, seating: Vec<usize>, seed: u64) -> Self {
        let mut job = Job { round, group, seating, seed: 0 };
        job.seed = seed_for(seed, &job.name());
        job
    }

    /// Names the games that are compared with each other: `r3 0-2`.
    pub fn block(&self) -> String {
        format!("r{} {}", self.round, dashes(&self.group))
    }

    /// Names this game within its tournament: `r3 0-2 2-0`.
    pub fn name(&self) -> String {
        format!("{} {}", self.block(), dashes(&self.seating))
    }
}

fn dashes(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join("-")
}

/// All games, in the order in which they are started: round by round, so that a tournament that is stopped is fair so
/// far.
pub(crate) fn jobs(kind: Kind, seatings: Seatings, players: usize, seats: usize, rounds: u32, seed: u64) -> Vec<Job> {
    let size = if seatings == Seatings::Mixed { 2 } else { seats };
    let mut groups = subsets(players, size);
    if kind == Kind::Gauntlet {
        groups.retain(|group| group.contains(&0));
    }
    let mut jobs = Vec::new();
    for round in 0..rounds {
        for group in &groups {
            for seating in seat(seatings, group, seats) {
                jobs.push(Job::new(round, group.clone(), seating, seed));
            }
        }
    }
    jobs
}

/// All sets of `size` numbers below `of`, in lexicographic order.
fn subsets(of: usize, size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![vec![]];
    }
    let mut all = Vec::new();
    for last in (size - 1)..of {
        for mut set in subsets(last, size - 1) {
            set.push(last);
            all.push(set);
        }
    }
    all.sort();
    all
}

fn seat(seatings: Seatings, group: &[usize], seats: usize) -> Vec<Vec<usize>> {
    match seatings {
        Seatings::Orders => orders(group),
        Seatings::Rotations => {
            (0..seats).map(|shift| (0..seats).map(|seat| group[(seat + shift) % seats]).collect()).collect()
        }
        Seatings::Mixed => {
            (1..(1usize << seats) - 1).map(|bits| (0..seats).map(|seat| group[bits >> seat & 1]).collect()).collect()
        }
    }
}

fn orders(group: &[usize]) -> Vec<Vec<usize>> {
    if group.len() <= 1 {
        return vec![group.to_vec()];
    }
    let mut all = Vec::new();
    for (i, &first) in group.iter().enumerate() {
        let rest: Vec<usize> = group.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, &p)| p).collect();
        all.extend(orders(&rest).into_iter().map(|mut order| {
            order.insert(0, first);
            order
        }));
    }
    all
}
