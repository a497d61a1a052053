//! What a game remembers of the positions it has been through, where the rules ask for it: repetitions, superko.
//!
//! A state is plain data and has no room for a past. So the game value keeps an arena of histories ([`Histories`]), and
//! a state holds the number of its own ([`History`]): equal numbers, equal sequences of positions, whichever way they
//! were reached. A history is one more position after another history; tails are shared, so each costs one entry.
//! Entries stay as long as the game: their memory grows with the different histories that were met.
//!
//! A history holds the positions since the last move that cannot be undone (a capture, say): older ones cannot come
//! back.
//!
//! Random games would fill the arena with what nobody asks for again: they keep a list of their own ([`Line`]). Rules
//! that look back are written for both, by [`PositionHistory`].
//!
//! In texts the earlier positions follow the present one: `POSITION after OLDEST, …, NEWEST`.

use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use perfectplay_core::{Plain, TextError};

use super::interner::Interner;

/// The number of a history in its game's arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct History(u32);

impl History {
    /// No earlier position.
    pub const NONE: Self = History(0);

    /// Whether there is no earlier position.
    #[inline]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl Plain for History {
    const SIZE: usize = 4;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        self.0.put(out);
    }

    #[inline]
    fn take(bytes: &[u8]) -> Option<Self> {
        Plain::take(bytes).map(History)
    }
}

/// All histories that were met in one game. Clones share them.
pub struct Histories<P>(Arc<Interner<Entry<P>>>);

/// One position more after another history.
struct Entry<P> {
    position: P,
    before: History,
    /// How many positions there are. It follows from the rest.
    length: u32,
}

impl<P: PartialEq> PartialEq for Entry<P> {
    fn eq(&self, other: &Self) -> bool {
        self.before == other.before && self.position == other.position
    }
}

impl<P: Eq> Eq for Entry<P> {}

impl<P: Hash> Hash for Entry<P> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.before, &self.position).hash(hasher);
    }
}

impl<P> Default for Histories<P> {
    fn default() -> Self {
        Histories(Arc::default())
    }
}

impl<P> Clone for Histories<P> {
    fn clone(&self) -> Self {
        Histories(self.0.clone())
    }
}

impl<P> Debug for Histories<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<P: Copy + Eq + Hash> Histories<P> {
    #[inline]
    fn entry(&self, history: History) -> Option<&Entry<P>> {
        self.0.get(history.0.wrapping_sub(1))
    }

    /// Bytes that all histories take.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// How many positions it holds.
    #[inline]
    pub fn len(&self, history: History) -> usize {
        self.entry(history).map_or(0, |entry| entry.length as usize)
    }

    /// The history with one position more.
    pub fn push(&self, before: History, position: P) -> History {
        History(self.0.number(Entry { position, before, length: self.len(before) as u32 + 1 }) + 1)
    }

    /// The positions, newest first.
    #[inline]
    pub fn positions(&self, history: History) -> impl Iterator<Item = &P> {
        let entries = std::iter::successors(self.entry(history), |entry| self.entry(entry.before));
        entries.map(|entry| &entry.position)
    }

    /// The positions, oldest first.
    pub fn oldest_first(&self, history: History) -> Vec<P> {
        let mut positions: Vec<P> = self.positions(history).copied().collect();
        positions.reverse();
        positions
    }

    /// The history of these positions, oldest first.
    pub fn from_oldest(&self, positions: impl IntoIterator<Item = P>) -> History {
        positions.into_iter().fold(History::NONE, |history, position| self.push(history, position))
    }

    /// The history with every position replaced.
    pub fn map(&self, history: History, f: impl Fn(&P) -> P) -> History {
        self.from_oldest(self.oldest_first(history).iter().map(f))
    }

    /// The history as rules see it that look back and add to it.
    pub fn past<'a>(&'a self, now: &'a mut History) -> Interned<'a, P> {
        Interned { histories: self, now }
    }

    /// A copy of the history that random games can add to.
    pub fn line(&self, history: History) -> Line<P> {
        Line(self.oldest_first(history))
    }
}

/// Earlier positions, for rules that look back and add to them.
pub trait PositionHistory<P: Copy + Eq + 'static> {
    /// Remembers `position`, which is about to be left.
    fn push(&mut self, position: P);
    /// Forgets everything: the last move cannot be undone.
    fn clear(&mut self);
    /// The positions remembered, newest first.
    fn positions(&self) -> impl Iterator<Item = &P>;

    /// How often `position` was there before.
    #[inline]
    fn count(&self, position: &P) -> usize {
        self.positions().filter(|p| *p == position).count()
    }
}

/// A history in the arena.
pub struct Interned<'a, P> {
    histories: &'a Histories<P>,
    now: &'a mut History,
}

impl<P: Copy + Eq + Hash + 'static> PositionHistory<P> for Interned<'_, P> {
    #[inline]
    fn push(&mut self, position: P) {
        *self.now = self.histories.push(*self.now, position);
    }

    #[inline]
    fn clear(&mut self) {
        *self.now = History::NONE;
    }

    #[inline]
    fn positions(&self) -> impl Iterator<Item = &P> {
        self.histories.positions(*self.now)
    }
}

/// A history of one line of play that nobody else shares.
#[derive(Clone, Debug)]
pub struct Line<P>(Vec<P>);

impl<P: Copy + Eq + 'static> PositionHistory<P> for Line<P> {
    #[inline]
    fn push(&mut self, position: P) {
        self.0.push(position);
    }

    #[inline]
    fn clear(&mut self) {
        self.0.clear();
    }

    #[inline]
    fn positions(&self) -> impl Iterator<Item = &P> {
        self.0.iter().rev()
    }
}

/// `now`, followed by the earlier positions, oldest first.
pub(crate) fn write<P>(now: String, earlier: &[P], text: impl Fn(&P) -> String) -> String {
    if earlier.is_empty() {
        return now;
    }
    let earlier: Vec<String> = earlier.iter().map(text).collect();
    format!("{now} after {}", earlier.join(", "))
}

/// What [`write`] wrote: the present position, and the text of the earlier ones for [`read`]; refuses them unless
/// `kept`.
pub(crate) fn split(text: &str, kept: bool) -> Result<(&str, Option<&str>), TextError> {
    match text.split_once(" after ") {
        None => Ok((text.trim(), None)),
        Some((now, earlier)) if kept => Ok((now.trim(), Some(earlier))),
        Some((now, _)) => {
            Err(TextError::at(now.chars().count(), "with these rules a position does not depend on earlier ones"))
        }
    }
}

/// Reads the earlier positions. Each must satisfy `fits` (it can lead to the present one) and may stand there `most`
/// times; there must not be more than `plies` of them, if that is known.
pub(crate) fn read<P: Copy + Eq>(
    earlier: Option<&str>,
    parse: impl Fn(&str) -> Result<P, TextError>,
    fits: impl Fn(&P) -> bool,
    most: usize,
    plies: Option<usize>,
) -> Result<Vec<P>, TextError> {
    let mut past = Vec::new();
    for text in earlier.into_iter().flat_map(|texts| texts.split(',')).map(str::trim) {
        let before = parse(text)?;
        if !fits(&before) || past.iter().filter(|&&p| p == before).count() >= most {
            return Err(TextError::new(format!("\"{text}\" cannot have come before this position")));
        }
        past.push(before);
    }
    match plies {
        Some(plies) if past.len() > plies => {
            Err(TextError::new(format!("there are more earlier positions than the {plies} plies they took")))
        }
        _ => Ok(past),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_are_equal_iff_their_numbers_are() {
        let game = Histories::default();
        let pasts: [&[u64]; 8] = [&[], &[0], &[0, 0], &[1, 2], &[2, 1], &[1 << 32], &[1], &[1, 2, 1]];
        for (i, a) in pasts.iter().enumerate() {
            for (j, b) in pasts.iter().enumerate() {
                let [a, b] = [a, b].map(|past| game.from_oldest(past.iter().copied()));
                assert_eq!(i == j, a == b, "{:?} {:?}", game.oldest_first(a), game.oldest_first(b));
            }
        }
        let mut history = game.from_oldest([1, 2, 1]);
        assert_eq!((game.len(history), game.past(&mut history).count(&1), game.line(history).count(&1)), (3, 2, 2));
        assert_eq!(game.map(history, |p| p + 1), game.from_oldest([2, 3, 2]));
    }

    #[test]
    fn the_past_is_written_after_the_present() {
        let parse = |text: &str| text.parse::<u64>().map_err(|_| TextError::new("a number"));
        let text = write("3".into(), &[1, 2], u64::to_string);
        assert_eq!(text, "3 after 1, 2");
        let (now, earlier) = split(&text, true).unwrap();
        assert_eq!((now, read(earlier, parse, |_| true, 1, Some(2))), ("3", Ok(vec![1, 2])));
        assert!(read(earlier, parse, |_| true, 1, Some(1)).is_err());
        assert!(read(earlier, parse, |&p| p == 1, 1, None).is_err());
        assert!(read(Some("1, 1"), parse, |_| true, 1, None).is_err());
        assert!(read(Some("1, x"), parse, |_| true, 1, None).is_err());
        assert!(split(&text, false).is_err());
        assert_eq!(split("3", false), Ok(("3", None)));
    }
}
