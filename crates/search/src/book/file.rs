//! A book as a file.
//!
//! ```text
//! perfectplay book\n        what it is
//! version                   u32, as all numbers the least significant byte first
//! game                      its length (u32) and its text
//! objective                 u8: 0 gain, 1 score
//! plies                     u32
//! bytes of a key            u8
//! positions                 u64
//! per position, by key      how many bytes of the key before it are the same (u8), the others, the value (varint)
//! checksum                  u32, CRC-32 of all that comes before
//! ```
//!
//! Values are the first player's, as 0, -1, 1, -2, 2 … in groups of seven bits.

use std::io;
use std::path::Path;

use perfectplay_core::{FullGame, Objective, Player, ZeroSum};

use crate::Refusal;
use crate::book::positions::key_bytes;

const MAGIC: &[u8] = b"perfectplay book\n";
const VERSION: u32 = 1;

/// Why there is no book, or no such one: one sentence.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file system says no.
    #[error("{0}: {1}")]
    Io(String, io::Error),
    /// The bytes are no book.
    #[error("{0}")]
    Damaged(&'static str),
    /// The game has no books, or none of this size.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It is no true book.
    #[error("{0}")]
    Wrong(String),
}

impl BookError {
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> BookError + use<> {
        let path = path.display().to_string();
        move |error| BookError::Io(path.clone(), error)
    }
}

/// What a book is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The text that opens the game.
    pub game: String,
    /// What the values are.
    pub objective: Objective,
    /// Positions within so many plies of the start are in it.
    pub plies: u32,
}

/// Positions with their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    header: Header,
    width: usize,
    /// `width` bytes each, ascending.
    keys: Vec<u8>,
    values: Vec<i32>,
}

impl Book {
    /// A book of these positions: their keys ([`key_bytes`]) and the first player's values.
    pub(crate) fn new(header: Header, entries: &[(Box<[u8]>, i32)]) -> Result<Book, BookError> {
        let width = entries.iter().map(|(key, _)| key.len()).max().unwrap_or(0).max(1);
        if width > usize::from(u8::MAX) {
            return Err(Refusal::Other("the keys of this game are too long for a book".into()).into());
        }
        let mut sorted: Vec<(Vec<u8>, i32)> = entries.iter().map(|(key, value)| (padded(key, width), *value)).collect();
        sorted.sort();
        let keys = sorted.iter().flat_map(|(key, _)| key.iter().copied()).collect();
        Ok(Book { header, width, keys, values: sorted.iter().map(|(_, value)| *value).collect() })
    }

    /// What it is about.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many positions it holds.
    pub fn positions(&self) -> usize {
        self.values.len()
    }

    /// The first player's value of `state` for `objective`, if it is known. Scores tell who wins; not the other way
    /// round.
    pub fn value<G: FullGame>(&self, game: &G, state: &G::State, objective: Objective) -> Option<i32> {
        let value = self.by_key(&key_bytes(game, state))?;
        match (self.header.objective, objective) {
            (Objective::Gain, Objective::Score) | (_, Objective::Length) => None,
            (_, Objective::Gain) => Some(objective.value(ZeroSum(value), Player::FIRST)),
            (_, Objective::Score) => Some(value),
        }
    }

    /// The value as it is written in the book.
    pub(crate) fn by_key(&self, key: &[u8]) -> Option<i32> {
        if key.len() > self.width {
            return None;
        }
        let key = padded(key, self.width);
        let (mut low, mut high) = (0, self.values.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.keys[middle * self.width..][..self.width].cmp(&key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(self.values[middle]),
            }
        }
        None
    }

    /// How many positions have which value, the least first.
    pub fn counts(&self) -> Vec<(i32, u64)> {
        let mut counts = std::collections::BTreeMap::new();
        self.values.iter().for_each(|&value| *counts.entry(value).or_insert(0) += 1);
        counts.into_iter().collect()
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.extend((self.header.game.len() as u32).to_le_bytes());
        out.extend(self.header.game.as_bytes());
        out.push(u8::from(self.header.objective == Objective::Score));
        out.extend(self.header.plies.to_le_bytes());
        out.push(self.width as u8);
        out.extend((self.values.len() as u64).to_le_bytes());
        let mut before: &[u8] = &[];
        for (key, &value) in self.keys.chunks_exact(self.width).zip(&self.values) {
            let same = key.iter().zip(before).take_while(|(a, b)| a == b).count();
            out.push(same as u8);
            out.extend(&key[same..]);
            put_value(&mut out, value);
            before = key;
        }
        out.extend(crc32fast::hash(&out).to_le_bytes());
        out
    }

    /// Reads a file's bytes, and checks everything that they tell about themselves.
    pub fn from_bytes(bytes: &[u8]) -> Result<Book, BookError> {
        let Some((body, checksum)) = bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_last_chunk::<4>()) else {
            return Err(BookError::Damaged("this is no opening book"));
        };
        let mut input = Input(body);
        let version: [u8; 4] = input.array()?;
        if u32::from_le_bytes(version) != VERSION {
            return Err(BookError::Damaged("this opening book has another version"));
        }
        if crc32fast::hash(&bytes[..bytes.len() - 4]) != u32::from_le_bytes(*checksum) {
            return Err(BookError::Damaged("this opening book is damaged: its checksum is wrong"));
        }
        let length = u32::from_le_bytes(input.array()?) as usize;
        let game = String::from_utf8(input.take(length)?.to_vec()).map_err(|_| BAD)?;
        let objective = match input.array::<1>()? {
            [0] => Objective::Gain,
            [1] => Objective::Score,
            _ => return Err(BAD),
        };
        let plies = u32::from_le_bytes(input.array()?);
        let [width] = input.array::<1>()?;
        let width = usize::from(width);
        let positions = u64::from_le_bytes(input.array()?) as usize;
        // A position takes two bytes at least: a wrong count cannot ask for more memory than the file's.
        if width == 0 || positions > input.0.len() / 2 {
            return Err(BAD);
        }
        let (mut keys, mut values) = (Vec::with_capacity(positions * width), Vec::with_capacity(positions));
        let mut key = vec![0; width];
        for i in 0..positions {
            let before = key.clone();
            let [same] = input.array::<1>()?;
            let tail = key.get_mut(usize::from(same)..).ok_or(BAD)?;
            tail.copy_from_slice(input.take(tail.len())?);
            if i > 0 && key <= before {
                return Err(BAD);
            }
            keys.extend(&key);
            values.push(input.value()?);
        }
        if !input.0.is_empty() {
            return Err(BAD);
        }
        Ok(Book { header: Header { game, objective, plies }, width, keys, values })
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Book, BookError> {
        let bytes = std::fs::read(path).map_err(BookError::io(path))?;
        Book::from_bytes(&bytes).map_err(|error| BookError::Wrong(format!("{}: {error}", path.display())))
    }
}

const BAD: BookError = BookError::Damaged("this opening book is damaged: its contents do not fit together");

fn padded(key: &[u8], width: usize) -> Vec<u8> {
    let mut out = vec![0; width - key.len()];
    out.extend(key);
    out
}

fn put_value(out: &mut Vec<u8>, value: i32) {
    let mut rest = (value << 1 ^ value >> 31) as u32;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], BookError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(BAD)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BookError> {
        self.take(N)?.try_into().map_err(|_| BAD)
    }

    fn value(&mut self) -> Result<i32, BookError> {
        let mut number = 0u64;
        for shift in (0..35).step_by(7) {
            let [byte] = self.array::<1>()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                let number = u32::try_from(number).map_err(|_| BAD)?;
                return Ok((number >> 1) as i32 ^ -((number & 1) as i32));
            }
        }
        Err(BAD)
    }
}
