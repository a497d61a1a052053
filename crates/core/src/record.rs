//! A match as text (Červeňan 2025, §2.4): where it began, the moves, how it ended.
//!
//! ```text
//! [Game "connect-four:7x6"]
//! [Result "1-0"]
//!
//! 4 4 3 3 2 5 1
//! ```
//!
//! Tags first, each on a line of its own, then an empty line, then the moves, separated by white space.
//! `Game` is required; `Position` is there if the match did not begin at the start; other tags are kept as they are.

use std::fmt::Write;

use crate::TextError;

/// A match in text form. Whether its moves are legal is for the game to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The game with its parameters, as on the command line.
    pub game: String,
    /// Where it began, if not at the start.
    pub position: Option<String>,
    /// Further tags, in order: players, result, date …
    pub tags: Vec<(String, String)>,
    /// The moves in the game's notation.
    pub moves: Vec<String>,
}

impl Record {
    /// Writes the record. [`Record::parse`] reads it back.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let position = self.position.iter().map(|p| ("Position", p.as_str()));
        let tags = self.tags.iter().map(|(k, v)| (k.as_str(), v.as_str()));
        for (name, value) in [("Game", self.game.as_str())].into_iter().chain(position).chain(tags) {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            writeln!(text, "[{name} \"{value}\"]").expect("writing to a string");
        }
        text.push('\n');
        for (i, mv) in self.moves.iter().enumerate() {
            text.push_str(if i == 0 { "" } else { " " });
            text.push_str(mv);
        }
        text.push('\n');
        text
    }

    /// Reads a record.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let mut record = Record::default();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let here = at;
            at += line.chars().count();
            let line = line.trim();
            if let Some(tag) = line.strip_prefix('[') {
                let (name, value) = parse_tag(tag).filter(|_| record.moves.is_empty()).ok_or_else(|| {
                    TextError::at(here, "expected a tag like [Game \"tic-tac-toe\"] before the moves")
                })?;
                match name.as_str() {
                    "Game" => record.game = value,
                    "Position" => record.position = Some(value),
                    _ => record.tags.push((name, value)),
                }
            } else {
                record.moves.extend(line.split_whitespace().map(str::to_owned));
            }
        }
        if record.game.is_empty() {
            return Err(TextError::new("a match needs a tag [Game \"NAME\"] that says which game it is"));
        }
        Ok(record)
    }
}

/// The name and value of `Name "value"]`.
fn parse_tag(tag: &str) -> Option<(String, String)> {
    let (name, rest) = tag.strip_suffix(']')?.split_once(' ')?;
    let quoted = rest.strip_prefix('"')?.strip_suffix('"')?;
    let mut value = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => value.push(match chars.next()? {
                'n' => '\n',
                other => other,
            }),
            '"' => return None,
            c => value.push(c),
        }
    }
    (!name.is_empty()).then(|| (name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let record = Record {
            game: "script:a \"b\"\\c".into(),
            position: Some("x\ny".into()),
            tags: vec![("Result".into(), "1-0".into())],
            moves: vec!["4".into(), "e2e4".into()],
        };
        assert_eq!(Record::parse(&record.to_text()), Ok(record));
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(Record::parse("4 4 3").is_err());
        assert!(Record::parse("[Game tic-tac-toe]").is_err());
        assert!(Record::parse("[Game \"x\"]\na1\n[Late \"tag\"]").is_err());
    }
}
