//! A page per game, made from what the game says about itself: `docs/games/NAME.md`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

use perfectplay_core::GameInfo;

/// As wide as all documents are.
const COLUMNS: usize = 120;

fn folder() -> PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/games")
}

/// The page of a game.
pub fn page(game: &GameInfo) -> String {
    let mut text = format!("# {}\n\n", game.name);
    text.push_str(&wrapped(&format!("{}. Players: {}.\n", capitalised(game.summary), game.players)));
    let _ = write!(text, "\n## Rules\n\n{}", wrapped(game.rules));
    let parameters = (game.parameters)();
    if !parameters.is_empty() {
        text.push_str("\n## Parameters\n\n| parameter | meaning | default |\n|---|---|---|\n");
        for option in parameters {
            let meaning = option.sentence().replace('|', "\\|");
            let _ = writeln!(text, "| `{}` | {meaning} | {} |", option.name, option.default);
        }
    }
    text.push_str("\n## Examples\n\n```sh\n");
    for example in game.examples {
        let quoted = if example.contains(['(', '[']) { format!("'{example}'") } else { (*example).to_owned() };
        let _ = writeln!(text, "perfectplay show {quoted}");
    }
    text.push_str("```\n");
    if !game.sources.is_empty() {
        text.push_str("\n## Sources\n\n");
        for source in game.sources {
            text.push_str(&wrapped(&format!("- {source}")));
        }
    }
    text
}

/// A list of all games with links to their pages.
pub fn index(games: &[&GameInfo]) -> String {
    let mut text = String::from(
        "# Games\n\nThese pages are made from what the games say about themselves.\n\n\
| game | players | |\n|---|---|---|\n",
    );
    for game in games {
        let _ =
            writeln!(text, "| [{0}]({0}.md) | {1} | {2} |", game.name, game.players, game.summary.replace('|', "\\|"));
    }
    text
}

/// Compares the pages of all games with the files in `docs/games`; `UPDATE_GOLDEN=1` writes them anew.
///
/// # Panics
/// If a page is missing, out of date, or of no game.
pub fn compare(games: &[&GameInfo]) {
    let mut pages: Vec<(String, String)> = games.iter().map(|g| (format!("{}.md", g.name), page(g))).collect();
    pages.push(("README.md".into(), index(games)));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(folder()).expect("a folder that can be written");
        for (name, text) in &pages {
            std::fs::write(folder().join(name), text).expect("a file that can be written");
        }
    }
    for (name, text) in &pages {
        let found = std::fs::read_to_string(folder().join(name)).unwrap_or_default();
        assert!(found == *text, "docs/games/{name} is out of date (UPDATE_GOLDEN=1 writes it anew)");
    }
    let known: BTreeSet<&String> = pages.iter().map(|(name, _)| name).collect();
    for entry in std::fs::read_dir(folder()).expect("docs/games") {
        let name = entry.expect("a file").file_name().to_string_lossy().into_owned();
        assert!(known.contains(&name), "docs/games/{name} is the page of no game");
    }
}

/// The text with prose in lines of at most [`COLUMNS`]; tables and blocks of code stay as they are. What goes on after
/// a dash is indented.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut in_code = false;
    for line in text.lines() {
        let fence = line.starts_with("```");
        if in_code || fence || line.starts_with('|') {
            out.push_str(line);
        } else {
            wrap(line, &mut out);
        }
        in_code ^= fence;
        out.push('\n');
    }
    out
}

fn wrap(line: &str, out: &mut String) {
    let indent = if line.starts_with("- ") { "\n  " } else { "\n" };
    let mut column = 0;
    for (n, piece) in unbroken(line).iter().enumerate() {
        let length = piece.chars().count();
        // At the start of a line these would begin a list or a heading.
        let breaks = column + 1 + length > COLUMNS && !["-", "+", "*", "#"].contains(&piece.as_str());
        match n {
            0 => {}
            _ if breaks => {
                out.push_str(indent);
                column = indent.len() - 1;
            }
            _ => {
                out.push(' ');
                column += 1;
            }
        }
        out.push_str(piece);
        column += length;
    }
}

/// The words of a line; words of code in backticks are one.
fn unbroken(line: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for word in line.split(' ') {
        match pieces.last_mut() {
            Some(last) if last.matches('`').count() % 2 == 1 => {
                last.push(' ');
                last.push_str(word);
            }
            _ => pieces.push(word.to_owned()),
        }
    }
    pieces
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
