//! Drawings for a terminal.

use std::fmt::Write;

use super::{Cell, Drawing};
use crate::Player;

/// What players' stones look like in text.
const SIGNS: [char; 6] = ['X', 'O', '#', '+', '%', '@'];
/// Near to [`super::Colour::PLAYERS`]; black and white would vanish on one terminal or the other.
const ANSI: [&str; 6] = ["34", "33", "32", "31", "35", "36"];

impl Drawing {
    /// The board for a terminal: with colours, marked cells are shown in reverse; without, they stand in parentheses.
    pub fn to_text(&self, colours: bool) -> String {
        let mut out = String::new();
        let labels = self.row_labels.iter().map(|l| l.chars().count()).max().map_or(0, |w| w + 1);
        let parentheses = !colours && !self.marked.is_empty();
        // A cell at the left edge needs a column for its parenthesis.
        let margin = labels.max(usize::from(parentheses));
        for (i, row) in self.rows.iter().enumerate() {
            let label = if labels > 0 { self.row_labels.get(i).map_or("", String::as_str) } else { "" };
            write!(out, "{label:>width$}", width = margin.saturating_sub(1)).expect("writing to a string");
            // What stands before cell `j`: the blank before the first belongs to the margin.
            let is_marked = |j: usize| self.marked.contains(&(i, j));
            let blank = |j: usize| match (j > 0 && is_marked(j - 1), is_marked(j)) {
                (false, true) if parentheses => '(',
                (true, false) if parentheses => ')',
                _ => ' ',
            };
            out.push_str(&" ".repeat(self.indents.get(i).copied().unwrap_or(0)));
            if margin > 0 {
                out.push(blank(0));
            }
            let mut line = String::new();
            for (j, &cell) in row.iter().enumerate() {
                line.push_str(&cell_text(cell, colours, is_marked(j)));
                line.push(blank(j + 1));
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        if !self.column_labels.is_empty() {
            let indent = self.indents.last().copied().unwrap_or(0);
            // Only the last character of a label fits, so that columns stay in line.
            let labels = self.column_labels.iter().map(|l| l.chars().last().unwrap_or(' ').to_string());
            let labels = labels.collect::<Vec<_>>().join(" ");
            writeln!(out, "{}{labels}", " ".repeat(margin + indent)).expect("writing to a string");
        }
        if !self.legend.is_empty() {
            let entry = |(player, text): &(Player, String)| {
                format!("{} {text}", cell_text(Cell::Stone(*player), colours, false))
            };
            out.push_str(&self.legend.iter().map(entry).collect::<Vec<_>>().join(", "));
            out.push('\n');
        }
        for note in self.notes.iter().map(String::as_str).chain(self.reading) {
            out.push_str(note);
            out.push('\n');
        }
        out
    }
}

/// The sign of a player's stones in text.
pub(super) fn sign(player: Player) -> char {
    SIGNS[player.index() % SIGNS.len()]
}

fn cell_text(cell: Cell, colours: bool, marked: bool) -> String {
    let (sign, owner) = match cell {
        Cell::Off => (' ', None),
        Cell::Empty => ('.', None),
        Cell::Blocked => ('*', None),
        Cell::Stone(player) => (sign(player), Some(player)),
        Cell::Piece(player, letter) => (letter, Some(player)),
        Cell::Sign(sign) => (sign, None),
    };
    let colour = owner.map(|player| ANSI[player.index() % ANSI.len()]);
    match (colour, marked) {
        (Some(colour), false) if colours => format!("\x1b[{colour}m{sign}\x1b[0m"),
        (colour, true) if colours => format!("\x1b[7;{}m{sign}\x1b[0m", colour.unwrap_or("39")),
        _ => sign.to_string(),
    }
}
