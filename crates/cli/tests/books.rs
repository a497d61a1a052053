//! Opening books from the command line: built, interrupted and resumed, shown, verified, asked, refused.

use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_perfectplay")).args(args).current_dir(folder).output().expect("the binary runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {}", text(output)))
}

#[test]
fn a_book_is_built_shown_verified_and_asked() {
    let folder = tempfile::tempdir().unwrap();
    let at = |args: &[&str]| run(folder.path(), args);
    let built = json(&at(&["book", "build", "connect-four:5x4", "--plies", "3", "--threads", "2", "--json"]));
    assert_eq!((&built["stop"], &built["solved"]), (&"done".into(), &built["last_ply"]));
    let shown = json(&at(&["book", "show", "connect-four-5x4.book", "--json"]));
    assert_eq!((&shown["game"], &shown["objective"]), (&"connect-four:5x4".into(), &"score".into()));
    assert_eq!(shown["positions"], built["positions"]);
    let verified = at(&["book", "verify", "connect-four-5x4.book"]);
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified));
    for objective in ["gain", "score"] {
        let solve = |extra: &[&str]| {
            let base = ["solve", "connect-four:5x4", "--moves", "3 3", "--for", objective, "--json"];
            json(&at(&[&base[..], extra].concat()))
        };
        let (from_book, searched) = (solve(&["--book", "connect-four-5x4.book"]), solve(&["--with", "alpha-beta"]));
        assert_eq!(from_book["algorithm"], "opening-book");
        assert_eq!(from_book["value"], searched["value"]);
        assert_eq!(from_book["nodes"], 0);
    }
    let analysed =
        json(&at(&["analyse", "connect-four:5x4", "--for", "score", "--book", "connect-four-5x4.book", "--json"]));
    let moves = analysed["moves"].as_array().unwrap();
    assert!(moves.len() == 5 && moves.iter().all(|m| m["resolved"] == true), "{analysed}");
    // Beyond the book a search answers, and says so.
    let beyond =
        json(&at(&["solve", "connect-four:5x4", "--moves", "3333", "--book", "connect-four-5x4.book", "--json"]));
    assert_ne!(beyond["algorithm"], "opening-book");
    assert!(beyond["notes"].to_string().contains("does not tell"), "{beyond}");
}

#[test]
fn a_build_that_is_stopped_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let build = |extra: &[&str]| {
        let base = ["book", "build", "connect-four:6x5", "--plies", "2", "--out", "a.book", "--json"];
        run(folder.path(), &[&base[..], extra].concat())
    };
    let stopped = build(&["--time", "1ms"]);
    assert_eq!(stopped.status.code(), Some(3), "{}", text(&stopped));
    assert!(!folder.path().join("a.book").exists());
    assert_eq!(json(&build(&[]))["stop"], "done");
    assert!(folder.path().join("a.book").exists() && !folder.path().join("a.book.part").exists());
}

#[test]
fn what_cannot_be_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("broken.book"), "perfectplay book\nno").unwrap();
    run(folder.path(), &["book", "build", "connect-four:4x4", "--plies", "1", "--out", "four.book"]);
    for args in [
        &["book", "build", "nim:1,2,players=3", "--plies", "1"][..],
        &["book", "build", "chess", "--plies", "1"],
        &["book", "show", "broken.book"],
        &["book", "verify", "missing.book"],
        &["solve", "connect-four:5x4", "--book", "four.book"],
        &["solve", "connect-four:4x4", "--book", "four.book", "--with", "ubfm"],
    ] {
        let output = run(folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output));
    }
}

/// The scores that are published for the first move on the usual board (P. Pons, J. Tromp).
#[test]
fn the_first_move_of_connect_four_is_known_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/books/connect-four-7x6.book");
    for (game, extra) in [("connect-four:7x6", &[][..]), ("connect-four", &[]), ("connect-four", &["--book", book])] {
        let base = ["analyse", game, "--for", "score", "--json"];
        let report = json(&run(folder.path(), &[&base[..], extra].concat()));
        let score = |m: &serde_json::Value| (m["move"].as_str().unwrap().to_owned(), m["value"][0].as_f64().unwrap());
        let mut scores: Vec<(String, f64)> = report["moves"].as_array().unwrap().iter().map(score).collect();
        scores.sort_by(|a, b| a.0.cmp(&b.0));
        let scores: Vec<f64> = scores.into_iter().map(|(_, score)| score).collect();
        assert_eq!(scores, [-2.0, -1.0, 0.0, 1.0, 0.0, -1.0, -2.0], "{report}");
        assert_eq!(report["nodes"], 0);
    }
}
