//! Names with parameters: `connect-four:7x6`, `hex:11,swap=off`, `descent:completion=off`.
//!
//! After the colon stand the parameters, positional ones first, then `key=value`, separated by commas.
//! The form `hex(board_size=11)`, known from other systems, means the same; `_` and `-` are one in names.

use std::ops::RangeInclusive;

use crate::{OptionDoc, TextError};

/// What a game says about its name and parameters.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// Kebab-case.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// How many players, in words: `2`, `2-4`.
    pub players: &'static str,
    /// What stands after the colon.
    pub parameters: fn() -> Vec<OptionDoc>,
    /// Specs worth trying, small ones first. They are also what tests and the benchmark run on.
    pub examples: &'static [&'static str],
    /// The rules in a few sentences, with what is peculiar to this implementation. Paragraphs are divided by empty
    /// lines.
    pub rules: &'static str,
    /// Where rules, notation and known values come from.
    pub sources: &'static [&'static str],
}

/// A name and its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Kebab-case name.
    pub name: String,
    /// The parameters, not yet understood.
    pub params: Params,
}

impl Spec {
    /// Splits a text into name and parameters.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let end = text.find([':', '(']).unwrap_or(text.len());
        let name = text[..end].trim().replace('_', "-").to_ascii_lowercase();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return Err(TextError::new(format!("expected NAME or NAME:PARAMETERS, got \"{text}\"")));
        }
        let rest = &text[end..];
        let inner = match rest.chars().next() {
            None => "",
            Some(':') => &rest[1..],
            Some(_) => rest[1..].strip_suffix(')').ok_or_else(|| {
                TextError::at(text.chars().count(), format!("\"{text}\" lacks its closing parenthesis"))
            })?,
        };
        Ok(Spec { name, params: Params::parse(inner)? })
    }
}

/// Parameters to be taken one by one; what is left at the end was not understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    raw: String,
    positional: Vec<String>,
    named: Vec<(String, String)>,
}

impl Params {
    /// Splits `a,b,key=value`.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let mut params = Params { raw: text.to_owned(), ..Params::default() };
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            match part.split_once('=') {
                Some((key, value)) => {
                    let key = key.trim().replace('_', "-").to_ascii_lowercase();
                    if key.is_empty() || params.named.iter().any(|(k, _)| *k == key) {
                        return Err(TextError::new(format!("parameter \"{part}\" has no name or is given twice")));
                    }
                    params.named.push((key, value.trim().to_owned()));
                }
                None if !params.named.is_empty() => {
                    return Err(TextError::new(format!(
                        "expected key=value, got \"{part}\": positional parameters come first"
                    )));
                }
                None => params.positional.push(part.to_owned()),
            }
        }
        Ok(params)
    }

    /// Everything after the colon, as it was typed. Taking it takes all parameters.
    pub fn take_raw(&mut self) -> String {
        std::mem::take(self).raw
    }

    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.positional.is_empty() && self.named.is_empty()
    }

    /// How many are left.
    pub fn len(&self) -> usize {
        self.positional.len() + self.named.len()
    }

    /// The next positional parameter.
    pub fn take_positional(&mut self) -> Option<String> {
        (!self.positional.is_empty()).then(|| self.positional.remove(0))
    }

    /// All positional parameters.
    pub fn take_positionals(&mut self) -> Vec<String> {
        std::mem::take(&mut self.positional)
    }

    /// The parameter called `name`.
    pub fn take(&mut self, name: &str) -> Option<String> {
        let at = self.named.iter().position(|(k, _)| k == name)?;
        Some(self.named.remove(at).1)
    }

    /// The number called `name`, within `range`.
    pub fn take_number(&mut self, name: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, TextError> {
        self.take(name).map(|text| number(name, &text, range)).transpose()
    }

    /// The next positional parameter, or the one called `name`, as a number within `range`.
    pub fn take_first_number(&mut self, name: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, TextError> {
        match self.take_positional() {
            Some(text) => number(name, &text, range).map(Some),
            None => self.take_number(name, range),
        }
    }

    /// The fraction called `name`, within `range`.
    pub fn take_fraction(&mut self, name: &str, range: RangeInclusive<f64>) -> Result<Option<f64>, TextError> {
        let Some(text) = self.take(name) else { return Ok(None) };
        let value = text.parse::<f64>().ok().filter(|v| range.contains(v));
        value.map(Some).ok_or_else(|| {
            TextError::new(format!("{name} must be a number from {} to {}, got \"{text}\"", range.start(), range.end()))
        })
    }

    /// The next positional parameter as `AxBx…`: one number per name, each within its range.
    ///
    /// Each number may instead be given by its name.
    pub fn take_sizes<const K: usize>(
        &mut self,
        names: [&str; K],
        range: RangeInclusive<u64>,
        default: [u64; K],
    ) -> Result<[u64; K], TextError> {
        let mut sizes = default;
        if let Some(text) = self.take_positional() {
            let parts: Vec<&str> = text.split(['x', 'X', '×']).collect();
            if parts.len() != K {
                let form = names.map(|n| n.to_uppercase()).join("x");
                return Err(TextError::new(format!("expected {form}, got \"{text}\"")));
            }
            for ((size, part), name) in sizes.iter_mut().zip(parts).zip(names) {
                *size = number(name, part, range.clone())?;
            }
        }
        for (size, name) in sizes.iter_mut().zip(names) {
            if let Some(given) = self.take_number(name, range.clone())? {
                *size = given;
            }
        }
        Ok(sizes)
    }

    /// The switch called `name`: on or off.
    pub fn take_switch(&mut self, name: &str, default: bool) -> Result<bool, TextError> {
        match self.take(name).as_deref() {
            None => Ok(default),
            Some("on" | "true" | "yes" | "1") => Ok(true),
            Some("off" | "false" | "no" | "0") => Ok(false),
            Some(other) => Err(TextError::new(format!("{name} must be on or off, got \"{other}\""))),
        }
    }

    /// The parameter called `name` as one of the named choices; the first is the default.
    pub fn take_choice<T: Copy>(&mut self, name: &str, choices: &[(&str, T)]) -> Result<T, TextError> {
        let Some(text) = self.take(name) else { return Ok(choices[0].1) };
        choices.iter().find(|(n, _)| *n == text).map(|&(_, value)| value).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(n, _)| *n).collect();
            TextError::new(format!("{name} must be one of {}, got \"{text}\"", names.join(", ")))
        })
    }

    /// Complains about what nobody took; `names` are those of what could be given.
    pub fn finish(self, owner: &str, names: impl IntoIterator<Item: Into<String>>) -> Result<(), TextError> {
        let left = self.positional.first().cloned().or_else(|| self.named.first().map(|(k, v)| format!("{k}={v}")));
        let Some(left) = left else { return Ok(()) };
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let expected = if names.is_empty() { "no parameters".to_owned() } else { names.join(", ") };
        Err(TextError::new(format!("{owner} does not take \"{left}\"; expected: {expected}")))
    }
}

fn number(name: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64, TextError> {
    text.trim().parse().ok().filter(|n| range.contains(n)).ok_or_else(|| {
        TextError::new(format!(
            "{name} must be a whole number from {} to {}, got \"{text}\"",
            range.start(),
            range.end()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_mean_the_same() {
        let mut ours = Spec::parse("hex:board-size=11,swap=off").unwrap();
        let mut theirs = Spec::parse("Hex(board_size=11, swap=off)").unwrap();
        assert_eq!(ours.name, theirs.name);
        for spec in [&mut ours, &mut theirs] {
            assert_eq!(spec.params.take_number("board-size", 1..=19), Ok(Some(11)));
            assert_eq!(spec.params.take_switch("swap", true), Ok(false));
            assert!(spec.params.is_empty());
        }
    }

    #[test]
    fn sizes_are_positional_or_named() {
        let take = |text| Params::parse(text).unwrap().take_sizes(["columns", "rows"], 1..=9, [7, 6]);
        assert_eq!(take(""), Ok([7, 6]));
        assert_eq!(take("5x4"), Ok([5, 4]));
        assert_eq!(take("rows=4"), Ok([7, 4]));
        assert_eq!(take("5").unwrap_err().to_string(), "expected COLUMNSxROWS, got \"5\"");
        assert_eq!(take("5x40").unwrap_err().to_string(), "rows must be a whole number from 1 to 9, got \"40\"");
    }

    #[test]
    fn broken_specs_are_refused() {
        for text in ["", ":3", "hex(11", "a b:1", "x:=3", "x:a=1,a=2", "x:a=1,7"] {
            assert!(Spec::parse(text).is_err(), "{text}");
        }
    }
}
