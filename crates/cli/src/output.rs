//! Writing for people and for programs.

use std::io::{self, IsTerminal, Write};

use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use perfectplay_core::StopHandle;
pub(crate) use perfectplay_core::{grouped, seconds_text};
use serde::Serialize;

/// How a verb ended if nothing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The question was answered.
    Done,
    /// The question was answered, with no.
    No,
    /// A limit came first.
    NoAnswer,
}

/// How work ended that somebody may have stopped; `what` says what that means for the answer.
pub(crate) fn ended(stop: &StopHandle, what: &str) -> Outcome {
    if stop.is_pulled() {
        eprintln!("perfectplay: stopped: {what}");
        return Outcome::NoAnswer;
    }
    Outcome::Done
}

/// Writes to standard output. A reader that has gone away is no error.
pub(crate) fn emit(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Writes one JSON document to standard output.
pub(crate) fn emit_json(value: &impl Serialize) -> Result<()> {
    emit(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// Colours only on a terminal, and never with NO_COLOR.
pub(crate) fn colours() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// A table without lines. Columns named in `right` are aligned to the right.
pub(crate) fn table(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if io::stdout().is_terminal() {
        table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    }
    table.set_header(header.to_vec());
    for &column in right {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The table as text, without the blanks at the ends of lines.
pub(crate) fn table_text(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// 12345678 bytes as 11.8 MiB.
pub(crate) fn bytes_text(bytes: usize) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// Per second, in words: `3.2 M/s`.
pub(crate) fn rate_text(nodes: u64, seconds: f64) -> String {
    let rate = nodes as f64 / seconds.max(1e-9);
    match rate {
        r if r >= 1e6 => format!("{:.2} M/s", r / 1e6),
        r if r >= 1e3 => format!("{:.1} k/s", r / 1e3),
        r => format!("{r:.0} /s"),
    }
}

/// A line of moves, cut where it gets longer than `most` of them.
pub(crate) fn line_text(line: &[String], most: usize) -> String {
    let more = if line.len() > most { " …" } else { "" };
    line[..line.len().min(most)].join(" ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([5, 2048, 5 << 20].map(bytes_text), ["5 B", "2.0 KiB", "5.0 MiB"]);
        assert_eq!(seconds_text(0.0123), "12.3 ms");
        assert_eq!(seconds_text(125.0), "2 min 05 s");
    }
}
