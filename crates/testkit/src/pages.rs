//! A page per game, made from what the game says about itself: `docs/games/NAME.md`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

use perfectplay_core::GameInfo;

fn folder() -> PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/games")
}

/// The page of a game.
pub fn page(game: &GameInfo) -> String {
    let mut text = format!("# {}\n\n{}. Players: {}.\n", game.name, capitalised(game.summary), game.players);
    let _ = write!(text, "\n## Rules\n\n{}\n", game.rules);
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
            let _ = writeln!(text, "- {source}");
        }
    }
    text
}

/// A list of all games with links to their pages.
pub fn index(games: &[&GameInfo]) -> String {
    let mut text = String::from(
        "# Games\n\nThese pages are made from what the games say about themselves.\n\n| game | players | |\n|---|---|---|\n",
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

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
