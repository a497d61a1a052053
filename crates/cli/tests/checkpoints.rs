//! Saved searches: killed at any moment, damaged, of another game, without room on the disk.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

fn perfectplay(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_perfectplay"));
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null());
    command
}

fn output(args: &[&str]) -> Output {
    perfectplay(args).output().expect("the binary runs")
}

/// What must not depend on interruptions: value, line and node count.
fn told(output: &Output) -> (Value, Value, Value, Value) {
    let error = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {error}"));
    (report["status"].clone(), report["value"].clone(), report["pv"].clone(), report["nodes"].clone())
}

/// One sentence on standard error that contains all of `words`, exit code 2.
fn refused(output: &Output, words: &[&str]) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    for word in words {
        assert!(error.contains(word), "\"{error}\" lacks \"{word}\"");
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", path.display()))
}

/// Numbers from 0 to `below` - 1 that look random, from the clock: every run of the tests kills at other moments.
struct Moments(u64);

impl Moments {
    fn new() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
        Moments(now.as_nanos() as u64 | 1)
    }

    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

/// Kills a solve again and again, resumes it each time, lets it end at last.
fn survives(game: &str, with: &str, kills: u32) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("search");
    let name = file.to_str().expect("a plain path");
    let question = ["solve", game, "--with", with, "--json", "--every", "10ms"];
    let expected = told(&output(&question));
    let mut moments = Moments::new();
    let mut killed = 0;
    loop {
        let exists = file.exists() || beside(&file, ".prev").exists();
        let saving = [if exists { "--resume" } else { "--checkpoint" }, name];
        let mut child = perfectplay(&[&question[..], &saving].concat()).spawn().expect("the binary runs");
        if killed < kills {
            std::thread::sleep(Duration::from_millis(moments.next(80)));
            killed += u32::from(child.try_wait().expect("a child").is_none());
            child.kill().expect("a child can be killed");
        }
        let output = child.wait_with_output().expect("a child ends");
        let error = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            None => {}
            Some(0) => {
                assert_eq!(told(&output), expected, "{game} with {with}");
                if killed >= kills {
                    return;
                }
                // It was faster than the killer: from the beginning.
                let _ = (fs::remove_file(&file), fs::remove_file(beside(&file, ".prev")));
            }
            code => panic!("{game} with {with}: {code:?} {error}"),
        }
    }
}

#[test]
fn killed_best_first_searches_go_on() {
    survives("connect-four:4x4", "ubfm", 7);
    survives("connect-four:4x4", "descent:strong=on", 6);
}

#[test]
fn killed_proof_number_searches_go_on() {
    survives("connect-four:4x4", "pns:table=on", 5);
    survives("mnk:3x4x3", "mopns", 5);
}

#[test]
fn killed_depth_first_proofs_and_inductions_go_on() {
    survives("connect-four:4x4", "df-pn", 5);
    survives("nim:3,4,5,players=3", "backward-induction", 4);
}

/// A solve stopped after so many nodes, and its file.
fn stopped(folder: &Path, game: &str, with: &str, nodes: &str) -> String {
    let file = folder.join("search").to_str().expect("a plain path").to_owned();
    let stopped = output(&["solve", game, "--with", with, "--nodes", nodes, "--json", "--checkpoint", &file]);
    assert_eq!(stopped.status.code(), Some(3), "{}", String::from_utf8_lossy(&stopped.stderr));
    file
}

#[test]
fn a_node_budget_reaches_over_interruptions() {
    for (game, with) in
        [("connect-four:5x4", "ubfm"), ("connect-four:5x4", "df-mopns"), ("chess", "pns:mode=iterative")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let file = stopped(folder.path(), game, with, "3000");
        let resumed = output(&["solve", game, "--with", with, "--nodes", "20000", "--json", "--resume", &file]);
        assert_eq!(resumed.status.code(), Some(3));
        assert_eq!(told(&resumed), told(&output(&["solve", game, "--with", with, "--nodes", "20000", "--json"])));
        let again = output(&["solve", game, "--with", with, "--nodes", "20000", "--json", "--resume", &file]);
        assert_eq!(told(&again), told(&resumed), "nothing is left to spend");
    }
}

#[test]
fn another_question_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = stopped(folder.path(), "connect-four:5x4", "ubfm", "1000");
    let resume = |args: &[&str]| output(&[&["solve"], args, &["--resume", &file, "--nodes", "2000"]].concat());
    refused(&resume(&["connect-four:4x5", "--with", "ubfm"]), &["another game", "connect-four:5x4"]);
    refused(&resume(&["connect-four:5x4", "--with", "descent"]), &["another algorithm", "ubfm"]);
    refused(&resume(&["connect-four:5x4", "--with", "ubfm:reread=on"]), &["another algorithm"]);
    refused(&resume(&["connect-four:5x4", "--with", "ubfm", "--moves", "3"]), &["another position"]);
    refused(&resume(&["connect-four:5x4", "--with", "ubfm", "--for", "score"]), &["another question"]);
    refused(&resume(&["connect-four:5x4", "--with", "ubfm", "--seed", "7"]), &["another seed"]);
    let fresh = output(&["solve", "connect-four:5x4", "--with", "ubfm", "--checkpoint", &file]);
    refused(&fresh, &["holds a saved search", "--resume"]);
}

/// Nobody needs to know which algorithm can be saved, or which one was.
#[test]
fn no_algorithm_has_to_be_named() {
    for (game, nodes) in
        [("connect-four:5x4", "3000"), ("chess", "500"), ("mnk:3x4x3", "1000"), ("rolit:4,players=3", "500")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("search").to_str().expect("a plain path").to_owned();
        let stopped = output(&["solve", game, "--nodes", nodes, "--json", "--checkpoint", &file]);
        assert_eq!(stopped.status.code(), Some(3), "{game}: {}", String::from_utf8_lossy(&stopped.stderr));
        let report: Value = serde_json::from_slice(&stopped.stdout).expect("a report");
        let name = report["algorithm"].as_str().expect("a name").to_owned();
        let more = |with: &[&str]| output(&[&["solve", game, "--nodes", "5000", "--json"], with].concat());
        let resumed = more(&["--resume", &file]);
        if name == "auto" {
            // Members that cannot be saved begin again, so the nodes are others; the search is the same one.
            let report: Value = serde_json::from_slice(&resumed.stdout).expect("a report");
            assert_eq!(report["algorithm"], "auto", "{game}");
        } else {
            assert_eq!(told(&resumed), told(&more(&["--with", &name])), "{game} with {name}");
        }
        let other = if name == "descent" { "ubfm" } else { "descent" };
        refused(&more(&["--resume", &file, "--with", other]), &["another algorithm", &name]);
    }
}

/// What was saved with options goes on with them.
#[test]
fn the_options_are_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = stopped(folder.path(), "connect-four:5x4", "descent:strong=on", "3000");
    let resumed = output(&["solve", "connect-four:5x4", "--nodes", "9000", "--json", "--resume", &file]);
    let whole = ["solve", "connect-four:5x4", "--nodes", "9000", "--json", "--with", "descent:strong=on"];
    assert_eq!(told(&resumed), told(&output(&whole)));
}

#[test]
fn what_cannot_be_saved_says_so_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("search").to_str().expect("a plain path").to_owned();
    let solve = |game: &str, with: &str| output(&["solve", game, "--with", with, "--checkpoint", &file]);
    refused(&solve("connect-four:5x4", "alpha-beta"), &["cannot be saved"]);
    refused(&solve("go:3,ko=positional", "df-pn"), &["number past positions"]);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is left behind");
}

#[test]
fn a_damaged_file_gives_way_to_the_one_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = stopped(folder.path(), "connect-four:5x4", "descent", "3000");
    let question = ["solve", "connect-four:5x4", "--with", "descent", "--nodes", "9000", "--json"];
    let expected = told(&output(&question));
    let (whole, before) = (fs::read(&file).expect("a file"), beside(Path::new(&file), ".prev"));
    let older = fs::read(&before).expect("the first save");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    for damaged in [&whole[..whole.len() - 1], &whole[..20], &flipped, b""] {
        fs::write(&file, damaged).expect("a file");
        fs::write(&before, &older).expect("a file");
        let resumed = output(&[&question[..], &["--resume", &file]].concat());
        assert!(String::from_utf8_lossy(&resumed.stderr).contains(".prev"));
        assert_eq!(told(&resumed), expected);
        // A damaged file never takes the place of the whole one before it.
        assert_eq!(fs::read(&before).expect("a file"), older);
        fs::write(&file, damaged).expect("a file");
        fs::write(&before, &damaged[..damaged.len() / 2]).expect("a file");
        refused(&output(&[&question[..], &["--resume", &file]].concat()), &["cannot resume"]);
    }
    let nowhere = output(&[&question[..], &["--resume", "/nowhere/search"]].concat());
    refused(&nowhere, &["cannot resume", "/nowhere/search"]);
}

/// Terminating it politely saves it.
#[test]
fn a_terminated_search_is_saved_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("search").to_str().expect("a plain path").to_owned();
    for signal in ["TERM", "INT"] {
        let how = if signal == "TERM" { "--checkpoint" } else { "--resume" };
        let args = ["solve", "connect-four:7x6", "--with", "ubfm", "--json", how, &file];
        let child = perfectplay(&args).spawn().expect("the binary runs");
        std::thread::sleep(Duration::from_millis(600));
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(sent.expect("kill is there").success());
        let output = child.wait_with_output().expect("a child ends");
        assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        assert_eq!(report["stop"], "cancelled");
        assert!(fs::metadata(&file).expect("a file").len() > 10 * report["nodes"].as_u64().expect("a number"));
    }
}

#[test]
fn without_room_the_result_is_not_lost() {
    let unwritable = ["solve", "connect-four:4x4", "--with", "ubfm", "--checkpoint", "/nowhere/search"];
    refused(&output(&unwritable), &["cannot save", "/nowhere/search"]);
    let folder = tempfile::tempdir().expect("a folder");
    let file = stopped(folder.path(), "connect-four:4x4", "ubfm", "3000");
    let before = fs::read(&file).expect("a file");
    // The new file is written beside the old one: on a disk that is always full.
    if !Path::new("/dev/full").exists() {
        return;
    }
    std::os::unix::fs::symlink("/dev/full", beside(Path::new(&file), ".tmp")).expect("a link");
    let args = ["solve", "connect-four:4x4", "--with", "ubfm", "--json", "--nodes", "20000", "--resume", &file];
    let output = output(&args);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot save the search"));
    assert_eq!(told(&output).0, "unsolved");
    assert_eq!(fs::read(&file).expect("a file"), before, "what was saved before is still there");
}
