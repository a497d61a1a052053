//! Searches as bytes: what [`Search::save`](crate::Search::save) writes and [`Search::restore`](crate::Search::restore)
//! reads.
//!
//! A search writes what cannot be found again cheaply: nodes, edges, tables, counts. States are never written; those on
//! the current line are played again from the root, move by move. So a file does not depend on how a game keeps its
//! states. Keys and moves are written as their types say ([`Plain`]). Where keys mean something only within one run of
//! the program ([`Persist::stable_keys`](perfectplay_core::Persist::stable_keys)), searches that keep a graph find them
//! again by playing all its moves once; searches that keep keys and nothing that leads to them refuse.
//!
//! Writing and reading go through one buffer of 64 KiB, whatever the size of the search: saving does not double memory.
//! Who stores the bytes guards them by a checksum; here only lengths are checked, so that a wrong file cannot ask for
//! more memory than its own size.

use std::io::{self, Read, Write};

use perfectplay_core::{FullGame, Plain};

/// Why a search could not be saved or restored: one sentence.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The file system says no.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The algorithm, or this game with this algorithm, cannot be saved.
    #[error("{0}")]
    Refused(String),
    /// The bytes are not what the search wrote.
    #[error("the saved search does not fit: {0}")]
    Damaged(&'static str),
}

impl SaveError {
    /// For algorithms that keep nothing worth saving.
    pub(crate) fn no_state() -> Self {
        SaveError::Refused(
            "this algorithm cannot be saved; best-first, proof-number and backward-induction searches can".into(),
        )
    }

    /// For what was larger when it was saved than the system now allows.
    pub(crate) fn no_memory() -> Self {
        SaveError::Refused("there is not enough memory for what was saved".into())
    }
}

/// For a search that has nothing but keys to know its states by.
pub(crate) fn require_stable_keys<G: FullGame>(game: &G) -> Result<(), SaveError> {
    if game.stable_keys() {
        return Ok(());
    }
    Err(SaveError::Refused(
        "this algorithm cannot be saved on this game: its keys number past positions anew in every run (use pns, \
mopns, ubfm or descent)"
            .into(),
    ))
}

const BUFFER: usize = 1 << 16;

/// Where a search is written to.
pub struct Writer<'a> {
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
}

impl<'a> Writer<'a> {
    /// Writes to `out`.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Writer { out, buffer: Vec::with_capacity(BUFFER + 4096) }
    }

    /// One value.
    #[inline]
    pub fn put<T: Plain>(&mut self, value: T) -> io::Result<()> {
        let at = self.buffer.len();
        self.buffer.resize(at + T::SIZE, 0);
        value.put(&mut self.buffer[at..]);
        self.spill()
    }

    /// How many items follow.
    pub fn put_len(&mut self, len: usize) -> io::Result<()> {
        self.put(len as u64)
    }

    /// A list of values with its length.
    pub fn put_all<T: Plain>(&mut self, values: &[T]) -> io::Result<()> {
        self.put_len(values.len())?;
        values.iter().try_for_each(|&value| self.put(value))
    }

    #[inline]
    fn spill(&mut self) -> io::Result<()> {
        if self.buffer.len() < BUFFER {
            return Ok(());
        }
        self.flush()
    }

    #[cold]
    fn flush(&mut self) -> io::Result<()> {
        let result = self.out.write_all(&self.buffer);
        self.buffer.clear();
        result
    }

    /// Writes what is left in the buffer.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush()
    }
}

/// Where a search is read from.
pub struct Reader<'a> {
    input: &'a mut dyn Read,
    buffer: Vec<u8>,
    at: usize,
    /// Bytes that `input` still has.
    left: u64,
}

impl<'a> Reader<'a> {
    /// Reads `len` bytes of `input` and no more.
    pub fn new(input: &'a mut dyn Read, len: u64) -> Self {
        Reader { input, buffer: Vec::with_capacity(BUFFER), at: 0, left: len }
    }

    #[inline]
    fn bytes(&mut self, count: usize) -> Result<&[u8], SaveError> {
        if self.buffer.len() - self.at < count {
            self.refill(count)?;
        }
        self.at += count;
        Ok(&self.buffer[self.at - count..self.at])
    }

    #[cold]
    fn refill(&mut self, count: usize) -> Result<(), SaveError> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let wanted = (BUFFER.max(count) - self.buffer.len()).min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = (&mut *self.input).take(wanted as u64).read_to_end(&mut self.buffer)?;
        self.left -= read as u64;
        if read < wanted || self.buffer.len() < count {
            return Err(SaveError::Damaged("it ends too soon"));
        }
        Ok(())
    }

    /// One value.
    #[inline]
    pub fn get<T: Plain>(&mut self) -> Result<T, SaveError> {
        T::take(self.bytes(T::SIZE)?).ok_or(SaveError::Damaged("a value that cannot be"))
    }

    /// How many items follow, each of at least `size` bytes.
    pub fn get_len(&mut self, size: usize) -> Result<usize, SaveError> {
        let len: u64 = self.get()?;
        let rest = (self.buffer.len() - self.at) as u64 + self.left;
        match len.checked_mul(size.max(1) as u64) {
            Some(bytes) if bytes <= rest => Ok(len as usize),
            _ => Err(SaveError::Damaged("a list longer than the file")),
        }
    }

    /// A list of values.
    pub fn get_all<T: Plain>(&mut self) -> Result<Vec<T>, SaveError> {
        let len = self.get_len(T::SIZE)?;
        let mut all = Vec::new();
        all.reserve_exact(len);
        for _ in 0..len {
            all.push(self.get()?);
        }
        Ok(all)
    }

    /// Whether everything was read.
    pub fn finish(self) -> Result<(), SaveError> {
        let nothing_left = self.at == self.buffer.len() && self.left == 0;
        nothing_left.then_some(()).ok_or(SaveError::Damaged("it goes on too long"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_longer_than_the_buffer_come_back() {
        let numbers: Vec<u64> = (0..100_000).map(|i| i * i).collect();
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes);
        writer.put(7u8).unwrap();
        writer.put_all(&numbers).unwrap();
        writer.finish().unwrap();
        let mut input = bytes.as_slice();
        let mut reader = Reader::new(&mut input, bytes.len() as u64);
        assert_eq!(reader.get::<u8>().unwrap(), 7);
        assert_eq!(reader.get_all::<u64>().unwrap(), numbers);
        reader.finish().unwrap();
    }

    #[test]
    fn no_length_asks_for_more_than_the_file() {
        let bytes = [255u8; 40];
        let mut input = bytes.as_slice();
        let mut reader = Reader::new(&mut input, 40);
        assert!(matches!(reader.get_all::<u32>(), Err(SaveError::Damaged(_))));
        let mut input = bytes.as_slice();
        let mut reader = Reader::new(&mut input, 4);
        assert!(matches!(reader.get::<u64>(), Err(SaveError::Damaged("it ends too soon"))));
    }
}
