//! Rows of pieces and runs of empty cells, as in chess: `7/7/3X3`. A run may have several digits.

use perfectplay_core::TextError;

/// One row: pieces as they are, runs of empty cells as numbers.
pub(crate) fn write_row(cells: impl Iterator<Item = Option<char>>) -> String {
    let mut row = String::new();
    let mut run = 0;
    for cell in cells {
        match cell {
            None => run += 1,
            Some(piece) => {
                flush(&mut row, &mut run);
                row.push(piece);
            }
        }
    }
    flush(&mut row, &mut run);
    row
}

fn flush(row: &mut String, run: &mut u32) {
    if *run > 0 {
        row.push_str(&run.to_string());
        *run = 0;
    }
}

/// `height` rows of `width` cells, top row first; pieces are the characters in `pieces`.
pub(crate) fn parse_rows(
    text: &str,
    width: usize,
    height: usize,
    pieces: &str,
) -> Result<Vec<Vec<Option<char>>>, TextError> {
    parse_uneven_rows(text, &vec![width; height], pieces)
}

/// One row for each of `widths`, top row first.
pub(crate) fn parse_uneven_rows(
    text: &str,
    widths: &[usize],
    pieces: &str,
) -> Result<Vec<Vec<Option<char>>>, TextError> {
    let height = widths.len();
    let mut rows: Vec<Vec<Option<char>>> = vec![Vec::new()];
    let mut run: Option<usize> = None;
    let end = text.chars().count();
    for (at, c) in text.chars().chain(['/']).enumerate() {
        if let Some(digit) = c.to_digit(10) {
            run = Some(run.unwrap_or(0).saturating_mul(10).saturating_add(digit as usize));
            continue;
        }
        let Some(&width) = widths.get(rows.len() - 1) else { break };
        let row = rows.last_mut().expect("there is always a row");
        let empty = run.take().unwrap_or(0);
        if empty.saturating_add(row.len()) > width {
            return Err(TextError::at(at, format!("row {} has more than {width} cells", rows.len())));
        }
        row.resize(row.len() + empty, None);
        match c {
            '/' if row.len() != width => {
                let cells = row.len();
                let row = rows.len();
                return Err(TextError::at(at.min(end), format!("row {row} has {cells} cells, expected {width}")));
            }
            '/' if at < end => rows.push(Vec::new()),
            '/' => {}
            c if pieces.contains(c) && row.len() < width => row.push(Some(c)),
            c if pieces.contains(c) => {
                return Err(TextError::at(at, format!("row {} has more than {width} cells", rows.len())));
            }
            c => {
                let known: Vec<String> = pieces.chars().map(String::from).collect();
                return Err(TextError::at(at, format!("expected {}, a number or /, got \"{c}\"", known.join(", "))));
            }
        }
    }
    if rows.len() != height {
        return Err(TextError::new(format!("expected {height} rows, got {}", rows.len())));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_back() {
        let rows = parse_rows("12/3X8/O10X", 12, 3, "XO").unwrap();
        let text: Vec<String> = rows.iter().map(|r| write_row(r.iter().copied())).collect();
        assert_eq!(text.join("/"), "12/3X8/O10X");
    }

    #[test]
    fn broken_rows_are_refused_with_their_place() {
        for (text, at) in [("3/4", 3), ("3/2", 3), ("3/2Y", 3), ("3/99999999999999999999999", 25), ("XXXX/3", 3)] {
            assert_eq!(parse_rows(text, 3, 2, "XO").unwrap_err().position(), Some(at), "{text}");
        }
        assert!(parse_rows("3", 3, 2, "XO").is_err());
        assert!(parse_rows("", 3, 2, "XO").is_err());
    }
}
