//! `solve --proof`, `verify` and `play --proof` as scripts see them.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

fn perfectplay(args: &[&str], input: &str) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_perfectplay")).args(args).write_stdin(input).output().expect("the binary runs")
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_proof_is_written_checked_and_played() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hex.proof");
    let solved = perfectplay(&["solve", "hex:3,swap=off", "--proof", text(&file), "--json"], "");
    assert_eq!(solved.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&solved.stdout).unwrap();
    assert!(report["proof"]["states"].as_u64().unwrap() > 5);
    assert_eq!(report["proof"]["bytes"].as_u64(), Some(std::fs::metadata(&file).unwrap().len()));

    let verified = perfectplay(&["verify", text(&file)], "");
    assert_eq!(verified.status.code(), Some(0));
    let words = String::from_utf8(verified.stdout).unwrap();
    assert!(words.contains("proved: player 1 wins") && words.contains("always wins"), "{words}");
    let verified = perfectplay(&["verify", text(&file), "--json"], "");
    let document: Value = serde_json::from_slice(&verified.stdout).unwrap();
    assert_eq!(document["proved"], true);
    assert_eq!(document["value"], serde_json::json!([1, -1]));
    assert_eq!(document["states"], report["proof"]["states"]);

    // Player 2 tries every cell, legal or not, until the game is over.
    let tries: String = "a1\nb1\nc1\na2\nb2\nc2\na3\nb3\nc3\n".repeat(5);
    let played = perfectplay(&["play", "hex:3,swap=off", "--as", "2", "--proof", text(&file)], &tries);
    let words = String::from_utf8(played.stdout).unwrap();
    assert!(words.contains("Proved: player 1 wins") && words.contains("Game over: player 1 wins"), "{words}");
    let other = perfectplay(&["play", "hex:4,swap=off", "--as", "2", "--proof", text(&file)], "");
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8(other.stderr).unwrap().contains("hex:3"));
}

#[test]
fn what_proves_nothing_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.proof");
    assert_eq!(perfectplay(&["solve", "tic-tac-toe", "--proof", text(&file)], "").status.code(), Some(0));
    let mut bytes = std::fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    let cases = [
        (bytes.clone(), 1, "checksum"),
        (bytes[..50].to_vec(), 1, "cut off"),
        (b"PNG".to_vec(), 2, "not a certificate"),
    ];
    for (bytes, code, word) in cases {
        std::fs::write(&file, bytes).unwrap();
        let refused = perfectplay(&["verify", text(&file)], "");
        let error = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(code), "{error}");
        assert!(error.contains(word) && error.trim_end().lines().count() == 1, "{error}");
        assert!(refused.stdout.is_empty());
    }
    assert_eq!(perfectplay(&["verify", "no/such/file"], "").status.code(), Some(2));
}

#[test]
fn a_proof_that_cannot_be_written_is_refused_before_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("no/such/folder/a.proof");
    let refused = perfectplay(&["solve", "connect-four:7x6", "--proof", text(&nowhere)], "");
    assert_eq!(refused.status.code(), Some(2));
    let file = folder.path().join("a.proof");
    let limited = perfectplay(&["solve", "connect-four:7x6", "--nodes", "1000", "--proof", text(&file)], "");
    assert_eq!(limited.status.code(), Some(3));
    assert!(!file.exists());
}
