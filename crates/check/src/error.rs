//! Why a certificate or a table proves nothing.

use perfectplay_core::TextError;

/// One sentence.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read at all.
    #[error("cannot read the file")]
    Io(#[from] std::io::Error),
    /// It is something else.
    #[error("this is not a certificate or a table of perfectplay")]
    NotACertificate,
    /// It is of another time.
    #[error("the file has version {0} of the format; this program reads version {ours}", ours = crate::VERSION)]
    Version(u16),
    /// It was truncated, a bit was flipped, or it was never whole.
    #[error("the file is damaged: {0}")]
    Damaged(String),
    /// It is whole, but its game, its position or its claim cannot be understood.
    #[error("the file makes no sense: {0}")]
    Senseless(String),
    /// It would take more memory than was allowed.
    #[error("checking needs more than {0} bytes of memory; allow more with --memory")]
    Memory(usize),
    /// Somebody asked to stop before all was checked.
    #[error("stopped before the whole certificate was checked")]
    Stopped,
    /// It is whole and understood, and it does not prove what it claims.
    #[error("not proved: {part}, state {state}: {why}")]
    Unproved {
        /// Which part of the proof.
        part: &'static str,
        /// Which record in it, counted from 0.
        state: u64,
        /// What is wrong there.
        why: &'static str,
    },
    /// The claim and the parts that should prove it do not fit together.
    #[error("not proved: {0}")]
    Incomplete(&'static str),
}

impl Error {
    pub(crate) fn damaged(why: impl Into<String>) -> Self {
        Error::Damaged(why.into())
    }

    /// Whether the question "does this certificate prove its claim?" was asked and answered with no; otherwise it could
    /// not be asked.
    pub fn is_a_no(&self) -> bool {
        !matches!(self, Error::Io(_) | Error::NotACertificate | Error::Version(_) | Error::Memory(_) | Error::Stopped)
    }
}

impl From<TextError> for Error {
    fn from(error: TextError) -> Self {
        Error::Senseless(error.to_string())
    }
}
