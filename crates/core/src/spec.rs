//! Names with parameters: `connect-four:7x6`, `hex:11,swap=off`, `descent:completion=off`.
//!
//! After the colon stand the parameters, positional ones first, then `key=value`, separated by commas.
//! The form `hex(board_size=11)`, known from other systems, means the same; `_` and `-` are one in names.

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

    /// Complains about what nobody took; `names` are those of what could be given.
    pub fn finish(self, owner: &str, names: impl IntoIterator<Item: Into<String>>) -> Result<(), TextError> {
        let left = self.positional.first().cloned().or_else(|| self.named.first().map(|(k, v)| format!("{k}={v}")));
        let Some(left) = left else { return Ok(()) };
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let expected = if names.is_empty() { "no parameters".to_owned() } else { names.join(", ") };
        Err(TextError::new(format!("{owner} does not take \"{left}\"; expected: {expected}")))
    }
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
            assert_eq!(spec.params.take("board-size").as_deref(), Some("11"));
            assert_eq!(spec.params.take("swap").as_deref(), Some("off"));
            assert!(spec.params.is_empty());
        }
    }

    #[test]
    fn broken_specs_are_refused() {
        for text in ["", ":3", "hex(11", "a b:1", "x:=3", "x:a=1,a=2", "x:a=1,7"] {
            assert!(Spec::parse(text).is_err(), "{text}");
        }
    }
}
