//! `--growth FILE`: how a search grows its tree, one JSON document per iteration and line.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use perfectplay_catalog::{AnySearch, growing_in_words, growth_json};
use perfectplay_core::{Growth, Observer};

/// Where the lines go, and what went wrong with that.
pub(crate) struct GrowthFile {
    path: PathBuf,
    to: Box<dyn Write>,
    result: io::Result<()>,
}

impl GrowthFile {
    /// The file, if one was named; `-` is standard error, because standard output is the report's. A search that goes
    /// on where it was goes on in its file, too. Refuses a search that would never write.
    pub(crate) fn open(path: Option<&Path>, search: &dyn AnySearch, name: &str, resumed: bool) -> Result<Option<Self>> {
        let Some(path) = path else { return Ok(None) };
        if !search.grows() {
            bail!("{name} does not show how a tree grows: with --growth, use {}", growing_in_words());
        }
        let to: Box<dyn Write> = if path.as_os_str() == "-" {
            Box::new(io::stderr())
        } else {
            let file = OpenOptions::new().create(true).write(true).append(resumed).truncate(!resumed).open(path);
            Box::new(file.with_context(|| format!("cannot write {}", path.display()))?)
        };
        Ok(Some(GrowthFile { path: path.to_owned(), to, result: Ok(()) }))
    }

    /// Reports the first thing that went wrong while writing.
    pub(crate) fn finish(self) -> Result<()> {
        self.result.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

impl Observer for GrowthFile {
    fn wants_growth(&self) -> bool {
        self.result.is_ok()
    }

    /// In one piece, so that somebody can read along. A search whose growth cannot be written any more goes on.
    fn growth(&mut self, growth: &Growth) -> ControlFlow<()> {
        if self.result.is_ok() {
            self.result = self.to.write_all(format!("{}\n", growth_json(growth)).as_bytes());
        }
        ControlFlow::Continue(())
    }
}
