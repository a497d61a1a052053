//! Errors in what a person typed.

use std::fmt;

/// One sentence about a text that could not be read: what was expected and, where known, where it went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    message: String,
    at: Option<usize>,
}

impl TextError {
    /// An error about the text as a whole.
    pub fn new(message: impl Into<String>) -> Self {
        TextError { message: one_line(message.into()), at: None }
    }

    /// An error at character `at` (counted from 0) of the text.
    pub fn at(at: usize, message: impl Into<String>) -> Self {
        TextError { message: one_line(message.into()), at: Some(at) }
    }

    /// `text` is none of the legal moves `legal`.
    pub fn illegal_move(text: &str, legal: &[String]) -> Self {
        const SHOWN: usize = 24;
        let more = if legal.len() > SHOWN { format!(" … ({} in all)", legal.len()) } else { String::new() };
        let list = legal[..legal.len().min(SHOWN)].join(" ");
        TextError::new(format!("\"{text}\" is not a legal move here; expected one of: {list}{more}"))
    }

    /// Where in the text, if known.
    pub fn position(&self) -> Option<usize> {
        self.at
    }
}

/// Messages quote what was typed: line breaks and other invisible characters in it are shown as escapes.
fn one_line(message: String) -> String {
    if !message.contains(char::is_control) {
        return message;
    }
    let show = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    message.chars().map(show).collect()
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.at {
            Some(at) => write!(f, " (at character {})", at + 1),
            None => Ok(()),
        }
    }
}

impl std::error::Error for TextError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        assert_eq!(TextError::at(3, "got \"a\nb\u{7}\"").to_string(), "got \"a\\nb\\u{7}\" (at character 4)");
    }
}
