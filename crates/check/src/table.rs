//! A table: the value and the distance of every position that can be reached, by key (`docs/certificate.md` describes
//! the file).
//!
//! Checking needs no proof beside the table. A walk from the first position looks at every state once and asks: is it
//! in the table, are all its successors, and is its value one ply before the best of theirs? A win in n plies then has
//! a move to a loss in n - 1, and so on down to a finished game: wins and losses hold. A draw has a move to a draw or
//! to a drawn end, and none to a win; so both sides can stay among draws for ever, and a game without end is a draw.
//!
//! Positions are known by canonical keys. So the checker trusts the game's rules and its symmetries, nothing else.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;

use perfectplay_core::{
    Game, LONGEST, Notation, Objective, Payoff, Plain, Player, Spec, Status, Symmetric, ZeroSum, one_ply_earlier,
    plies_of,
};
use perfectplay_games::seam::{self, Packed, SeamVisitor};

use crate::Error;
use crate::bytes::{Bytes, put, put_text};
use crate::format::{Body, LONGEST_HEADER, Packer, Records, begins_with, open_with};

/// The first bytes of every table.
pub const MAGIC: [u8; 8] = *b"\x89PPV\r\n\x1a\n";

/// What a table is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableHeader {
    /// The game as it is opened by name.
    pub game: String,
    /// The position from which all others are reached, in the game's notation.
    pub position: String,
    /// Bytes of a key.
    pub key_bytes: u64,
    /// How many positions there are.
    pub positions: u64,
}

impl TableHeader {
    fn write(&self, body: &Body) -> Vec<u8> {
        let mut out = Vec::new();
        put_text(&mut out, &self.game);
        put_text(&mut out, &self.position);
        put(&mut out, self.key_bytes);
        put(&mut out, self.positions);
        body.write(&mut out);
        out
    }

    fn read(bytes: &mut Bytes<&[u8]>) -> Result<(Self, Body), Error> {
        let (game, position) = (bytes.text(LONGEST_HEADER)?, bytes.text(LONGEST_HEADER)?);
        let (key_bytes, positions) = (bytes.number()?, bytes.number()?);
        Ok((TableHeader { game, position, key_bytes, positions }, Body::read(bytes)?))
    }
}

/// Values by key, all in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table<K> {
    keys: Vec<K>,
    values: Vec<i32>,
}

impl<K: Plain + Ord> Table<K> {
    /// Of these positions with their values under [`Objective::Length`].
    pub fn new(mut entries: Vec<(K, i32)>) -> Self {
        entries.sort_unstable_by_key(|entry| entry.0);
        let (keys, values) = entries.into_iter().unzip();
        Table { keys, values }
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The value of the position with this canonical key.
    pub fn value(&self, key: &K) -> Option<i32> {
        self.index(key).map(|at| self.values[at])
    }

    fn index(&self, key: &K) -> Option<usize> {
        self.keys.binary_search(key).ok()
    }

    /// Writes the file; says how many bytes it has.
    pub fn write(&self, game: String, position: String, file: impl Write) -> Result<u64, Error> {
        let (key_bytes, positions) = (K::SIZE as u64, self.len() as u64);
        let header = TableHeader { game, position, key_bytes, positions };
        let mut packer = Packer::new()?;
        for (key, &value) in self.keys.iter().zip(&self.values) {
            let out = packer.out();
            let at = out.len();
            out.resize(at + K::SIZE, 0);
            key.put(&mut out[at..]);
            put(out, code(value));
            packer.flush()?;
        }
        packer.finish_with(MAGIC, |body| header.write(body), file)
    }

    /// Reads a file whose keys are of this type, with at most so many bytes of memory.
    pub fn read(file: impl Read + Seek, memory: usize) -> Result<(TableHeader, Self), Error> {
        let (header, records) = open_with(file, MAGIC, TableHeader::read)?;
        let table = Self::read_entries(&header, records, memory)?;
        Ok((header, table))
    }

    fn read_entries<F: Read + Seek>(
        header: &TableHeader,
        mut records: Records<F>,
        memory: usize,
    ) -> Result<Self, Error> {
        if header.key_bytes != K::SIZE as u64 {
            return Err(Error::Senseless("its keys are not those of this game".into()));
        }
        if header.positions > (memory / (size_of::<K>() + 4)) as u64 {
            return Err(Error::Memory(memory));
        }
        let mut table = Table { keys: Vec::new(), values: Vec::new() };
        let mut bytes = vec![0; K::SIZE];
        for _ in 0..header.positions {
            for byte in &mut bytes {
                *byte = records.byte()?;
            }
            let key = K::take(&bytes).ok_or_else(|| Error::damaged("it holds a key that is none"))?;
            if table.keys.last().is_some_and(|last| *last >= key) {
                return Err(Error::damaged("its keys are not in order"));
            }
            table.keys.push(key);
            table.values.push(value_of(records.number()?)?);
        }
        records.finish()?;
        Ok(table)
    }
}

/// 0 for a draw, odd numbers for wins of the first player, even ones for wins of the second.
fn code(value: i32) -> u64 {
    match value {
        0 => 0,
        1.. => 2 * u64::from(plies_of(value)) + 1,
        _ => 2 * u64::from(plies_of(value)) + 2,
    }
}

fn value_of(code: u64) -> Result<i32, Error> {
    let plies = code.saturating_sub(1) / 2;
    // The longest distance would be its own predecessor, and a cycle of such claims would hold itself up.
    match (i32::try_from(plies).ok().filter(|&plies| plies < LONGEST - 1), code) {
        (_, 0) => Ok(0),
        (Some(plies), odd) if odd % 2 == 1 => Ok(LONGEST - plies),
        (Some(plies), _) => Ok(plies - LONGEST),
        (None, _) => Err(Error::damaged("it holds a distance that is too long")),
    }
}

/// A table that was checked position by position: all its values are true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedTable {
    /// What it is about.
    pub header: TableHeader,
    /// The value of its first position under [`Objective::Length`].
    pub value: i32,
    /// Positions that are won by the first player, drawn, won by the second player.
    pub won_drawn_lost: [u64; 3],
    /// The longest of all wins, in plies.
    pub longest: u32,
    /// Moves that were played.
    pub moves: u64,
    /// Length of the file.
    pub bytes: u64,
}

/// Whether this file is a table.
pub fn is_table(path: &Path) -> Result<bool, Error> {
    begins_with(&mut File::open(path)?, MAGIC)
}

/// Checks the table in this file with at most so many bytes of memory.
pub fn check_table(path: &Path, memory: usize) -> Result<CheckedTable, Error> {
    let file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let (header, records) = open_with(file, MAGIC, TableHeader::read)?;
    let spec = Spec::parse(&header.game)?;
    let unknown = || Error::Senseless(format!("there is no game called \"{}\"", spec.name));
    let job = Job { header: &header, records, memory };
    let checked = seam::open(spec.clone(), job).ok_or_else(unknown)??;
    checked.map(|checked| CheckedTable { bytes, ..checked })
}

struct Job<'a> {
    header: &'a TableHeader,
    records: Records<File>,
    memory: usize,
}

impl Job<'_> {
    fn run<G: Game<Payoff = ZeroSum> + Notation + Symmetric>(self, game: &G) -> Result<CheckedTable, Error> {
        let table = Table::<G::Key>::read_entries(self.header, self.records, self.memory)?;
        verify(game, self.header, &table, self.memory)
    }
}

impl SeamVisitor for Job<'_> {
    type Output = Result<CheckedTable, Error>;

    fn zero_sum<const S: usize, const K: usize, const M: usize>(self, game: Packed<ZeroSum, S, K, M>) -> Self::Output {
        self.run(&game)
    }

    fn several<P: Payoff, const S: usize, const K: usize, const M: usize>(self, _: Packed<P, S, K, M>) -> Self::Output {
        Err(Error::Incomplete("a table is about two players with opposed interests"))
    }
}

/// Walks through all positions and checks each against its successors.
fn verify<G: Game<Payoff = ZeroSum> + Notation + Symmetric>(
    game: &G,
    header: &TableHeader,
    table: &Table<G::Key>,
    memory: usize,
) -> Result<CheckedTable, Error> {
    let root = game.parse_position(&header.position)?;
    let mut met = vec![false; table.len()];
    let mut checked =
        CheckedTable { header: header.clone(), value: 0, won_drawn_lost: [0; 3], longest: 0, moves: 0, bytes: 0 };
    let no = |at: usize, why| Error::Unproved { part: "the table", state: at as u64, why };
    let find = |state: &G::State, from: usize| {
        table.index(&game.canonical_key(state)).ok_or_else(|| no(from, "a position that can be reached is missing"))
    };
    let first = find(&root, 0)?;
    met[first] = true;
    checked.value = table.values[first];
    let room = memory.saturating_sub(table.len() * (size_of::<G::Key>() + 5)) / (2 * size_of::<(usize, G::State)>());
    let (mut open, mut moves) = (vec![(first, root)], Vec::new());
    while let Some((at, state)) = open.pop() {
        moves.clear();
        let value = match game.expand(&state, &mut moves) {
            Status::Over(payoff) => Objective::Length.finished(payoff).0,
            Status::Turn(mover) => {
                let mut best: Option<i32> = None;
                for &mv in &moves {
                    let next = game.after(&state, mv);
                    let to = find(&next, at)?;
                    if !std::mem::replace(&mut met[to], true) {
                        open.push((to, next));
                    }
                    let own = ZeroSum(table.values[to]).score(mover);
                    best = Some(best.map_or(own, |best| best.max(own)));
                }
                checked.moves += moves.len() as u64;
                let best = best.ok_or_else(|| no(at, "somebody moves, but there is no move"))?;
                one_ply_earlier(if mover == Player::FIRST { best } else { -best })
            }
        };
        if value != table.values[at] {
            return Err(no(at, "its value does not follow from those of its successors"));
        }
        if open.len() > room {
            return Err(Error::Memory(memory));
        }
        checked.won_drawn_lost[(1 - value.signum()) as usize] += 1;
        checked.longest = checked.longest.max(if value == 0 { 0 } else { plies_of(value) });
    }
    match met.iter().position(|met| !met) {
        Some(at) => Err(no(at, "the position cannot be reached")),
        None => Ok(checked),
    }
}
