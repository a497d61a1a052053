//! `train` from the command line: what a run leaves behind, going on with it, and what is refused.

use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_perfectplay")).args(args).current_dir(folder).output().expect("the binary runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_run_leaves_its_model_its_curves_and_its_games_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let train = |args: &[&str]| {
        let output = run(folder.path(), &[&["train", "tic-tac-toe", "--exam", "1", "--json"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let files = ["--log", "log.jsonl", "--report", "page.html", "--picture", "curve.svg", "--games", "games.jsonl"];
    let begun = train(&[&["--seed", "1", "--games", "40"], &files[..]].concat());
    assert_eq!((&begun["games"], &begun["file"]), (&40.into(), &"tic-tac-toe.safetensors".into()));
    let curve = begun["curve"].as_array().unwrap();
    assert_eq!((curve.len(), read("log.jsonl").lines().count(), read("games.jsonl").lines().count()), (10, 10, 40));
    assert!(curve.iter().all(|point| point["exam_games"] == 1 && !point["scores"].as_array().unwrap().is_empty()));
    // The picture and the page show the same opponents.
    for opponent in curve[9]["scores"].as_array().unwrap() {
        let name = opponent[0].as_str().unwrap();
        assert!(read("curve.svg").contains(name) && read("page.html").contains(name), "{name}");
    }
    let resume = ["--resume", "tic-tac-toe.safetensors", "--games", "60", "--games", "games.jsonl"];
    assert_eq!(train(&resume)["games"], 60);
    assert_eq!(read("games.jsonl").lines().count(), 60);
}

#[test]
fn what_cannot_be_trained_is_refused_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    for (args, sentence) in [
        (&["no-such-game"][..], "there is no game"),
        (&["tic-tac-toe", "--with", "td:lambda=2"], "lambda"),
        (&["tic-tac-toe", "--model", "tuples:rate=x"], "rate"),
        (&["tic-tac-toe", "--picture", "p.svg", "--exam", "0"], "--picture"),
        (&["tic-tac-toe", "--report", "no/such/folder/page.html"], "no/such/folder/page.html"),
        (&["tic-tac-toe", "--with", "descent:generalisation=second"], "generalisation"),
        (&["tic-tac-toe", "--resume", "missing.safetensors"], "missing.safetensors"),
        (&["tic-tac-toe", "--games", "5", "--games", "6"], "two numbers"),
        (&["tic-tac-toe", "--games", "5", "--out", "no/such/folder/m.safetensors"], "cannot write"),
    ] {
        let output = run(folder.path(), &[&["train"], args].concat());
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(sentence) && said.trim_end().lines().count() <= 2, "{args:?}: {said}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was left behind");
}
