//! `--memory` is kept: the whole process stays within the limit and a tenth more, on games that need far more.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const LIMIT: &str = "40M";
const MOST: u64 = 44 * MEGABYTE;
const MEGABYTE: u64 = 1 << 20;

/// What the process holds now, in bytes, as the system counts it; `None` when it has ended. Pages of the program's own
/// file do not count: the system drops them when it likes.
fn held(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// Solves with a limit and tells the report, the exit code and the peak.
fn solve(game: &str, with: &str, more: &[&str]) -> (Value, Option<i32>, u64) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_perfectplay"))
        .args(["solve", game, "--with", with, "--memory", LIMIT, "--json"])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let (mut most, started) = (0, Instant::now());
    while child.try_wait().expect("a child").is_none() {
        most = most.max(held(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
        assert!(started.elapsed() < Duration::from_secs(120), "{with} does not end");
    }
    let output = child.wait_with_output().expect("a child ends");
    let report = serde_json::from_slice(&output.stdout).expect("a report");
    (report, output.status.code(), most)
}

/// Stops when the memory is used up, with an answer, and has used most of it.
fn stops(game: &str, with: &str) {
    let (report, code, most) = solve(game, with, &[]);
    assert_eq!((&report["stop"], code), (&Value::from("memory"), Some(3)), "{with}: {report}");
    assert!(report["status"] == "unsolved" || report["status"] == "bounds", "{with}: {report}");
    // Induction names a move when the first one has its value.
    let induction = ["backward-induction", "equilibria"].contains(&with);
    assert!(induction || report["best_move"].is_string(), "{with}: {report}");
    let bytes = report["bytes"].as_u64().expect("a number");
    assert!(bytes > 8 * MEGABYTE, "{with} uses {bytes} bytes only");
    assert!(most <= MOST, "{with} held {} MiB", most / MEGABYTE);
}

/// Makes do with a table that fits, for so many nodes.
fn makes_do(game: &str, with: &str, nodes: &str) {
    let (report, code, most) = solve(game, with, &["--nodes", nodes]);
    assert_eq!(code, Some(3), "{with}: {report}");
    assert!(most <= MOST, "{with} held {} MiB", most / MEGABYTE);
}

#[test]
fn best_first_searches_stop_within_their_memory() {
    for with in ["ubfm", "descent", "umb:policy=least-visited"] {
        stops("connect-four:7x6", with);
    }
}

#[test]
fn proof_number_searches_stop_within_their_memory() {
    for with in ["pns", "pns:table=on", "mopns"] {
        stops("connect-four:7x6", with);
    }
}

#[test]
fn inductions_stop_within_their_memory() {
    for with in ["backward-induction", "equilibria"] {
        stops("connect-four:7x6", with);
    }
}

#[test]
fn searches_with_tables_make_do() {
    for (with, nodes) in [("df-pn", "3M"), ("df-mopns", "2M"), ("alpha-beta", "1M"), ("mtdf", "1M")] {
        makes_do("connect-four:7x6", with, nodes);
    }
    makes_do("connect-four:7x6", "descent:when-full=drop", "1500000");
}
