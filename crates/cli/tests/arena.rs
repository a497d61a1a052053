//! Matches and tournaments as scripts see them: tables, exports, one sentence for bad input, and no game lost or
//! counted twice whatever kills the program.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_perfectplay"));
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().expect("the binary runs")
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let output = run(folder, &[args, &["--json"]].concat());
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_tournament_ends_with_a_table_and_a_report_says_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let players = ["ubfm@nodes=300", "alpha-beta:table-mib=1@nodes=300", "mcts@nodes=200", "random"];
    let args = [&["tournament", "connect-four:5x4"], &players[..], &["--rounds", "5"]].concat();
    let report = json(folder.path(), &args);
    assert_eq!(report["status"], "complete");
    let table = report["table"].as_array().unwrap();
    assert_eq!(table.len(), 4);
    for row in table {
        assert_eq!(row["games"], 30);
        let count = |name: &str| row[name].as_u64().unwrap();
        assert_eq!(count("wins") + count("draws") + count("losses"), 30);
        let (score, interval) = (row["score"].as_f64().unwrap(), row["interval"].as_array().unwrap());
        let (low, high) = (interval[0].as_f64().unwrap(), interval[1].as_f64().unwrap());
        assert!(0.0 <= low && low <= score && score <= high && high <= 1.0 && low < high, "{row}");
    }
    assert_eq!(table[3]["player"], "random");
    // The default store is there, and says the same.
    let store = "perfectplay-arena.sqlite";
    let again = json(folder.path(), &["tournament", "report", store]);
    assert_eq!(again["table"], report["table"]);
    assert_eq!(again["pairs"], report["pairs"]);
    // The same command has nothing left to play.
    let started = Instant::now();
    assert_eq!(json(folder.path(), &args)["table"], report["table"]);
    assert!(started.elapsed() < Duration::from_secs(20));
    let csv = text(folder.path(), &["tournament", "report", store, "--format", "csv"]);
    assert_eq!(csv.lines().count(), 5);
    assert!(csv.starts_with("player,games,wins,draws,losses"));
    let html = text(folder.path(), &["tournament", "report", store, "--format", "html"]);
    assert_eq!(html.matches("<svg").count(), 2);
    assert!(
        !html.contains("http://")
            || html.matches("http://").count() == html.matches("http://www.w3.org/2000/svg").count()
    );
    assert!(html.contains("mcts@nodes=200") && html.contains("Against each other") && html.contains("Score over time"));
    let moves = text(folder.path(), &["tournament", "report", store, "--format", "moves"]);
    assert_eq!(moves.matches("[Game \"connect-four:5x4\"]").count(), 60);
    let shown = text(folder.path(), &["tournament", "report", store]);
    assert!(shown.contains("60 games") && shown.contains("random"), "{shown}");
    assert!(text(folder.path(), &["tournament", "report", store, "--list"]).contains("connect-four:5x4"));
    let list = text(folder.path(), &["tournament", "report", store, "--list", "--json"]);
    let list: Value = serde_json::from_str(&list).expect("JSON");
    assert_eq!((&list[0]["game"], &list[0]["number"]), (&Value::from("connect-four:5x4"), &Value::from(1)), "{list}");
}

#[test]
fn a_match_can_be_decided_early() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["match", "connect-four:5x4", "ubfm@nodes=300", "random", "--rounds", "500", "--sprt", "elo0=0,elo1=50"];
    let report = json(folder.path(), &args);
    assert_eq!(report["status"], "decided");
    assert_eq!(report["sprt"]["verdict"], "h1");
    assert!(report["games"].as_u64().unwrap() < 500);
}

#[test]
fn bad_requests_get_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("text.sqlite"),
        "not a database, only a text that is longer than a header ".repeat(9),
    )
    .unwrap();
    for (args, word) in [
        (&["tournament", "tic-tac-toe", "ubfn", "random"][..], "did you mean ubfm"),
        (&["tournament", "tic-tac-toe", "ubfm@nodes=many", "random"], "bad nodes"),
        (&["tournament", "tic-tac-to", "ubfm", "random"], "tic-tac-toe"),
        (&["tournament", "chess", "uci:/no/such/engine", "random"], "cannot start"),
        (&["tournament", "tic-tac-toe", "uci:cat", "random"], "tic-tac-toe"),
        (&["match", "tic-tac-toe", "pns:x=1", "random"], "x=1"),
        (&["match", "mnk:3x3x3,players=3", "pns", "random"], "two players"),
        (&["match", "tic-tac-toe", "ubfm", "random", "--store", "/no/folder/x"], "cannot use the store"),
        (&["match", "tic-tac-toe", "ubfm", "random", "--store", "text.sqlite"], "not a database"),
        (&["match", "tic-tac-toe", "ubfm", "random", "--sprt", "elo0=9"], "elo0"),
        (&["match", "tic-tac-toe", "ubfm", "random", "--openings", "book"], "random:PLIES"),
        (&["match", "tic-tac-toe", "ubfm", "random", "--longest", "0"], "one move"),
        (&["tournament", "report", "nothing.sqlite"], "no such file"),
        (&["tournament", "report", "text.sqlite"], "not a database"),
        (&["experiment", "completion", "nim"], "othello:8"),
        (&["experiment", "won-positions", "tic-tac-toe", "--with", "greedy"], "no position of tic-tac-toe"),
        (&["experiment", "won-positions", "rolit:4,players=3", "--with", "greedy"], "two players"),
        (&["experiment", "won-positions", "hex:2,swap=off", "--with", "greedi"], "greedy"),
        (&["experiment", "won-positions", "hex:2", "--with", "greedy:eval=learned:nothing"], "no model"),
        (&["experiment", "won-positions", "hex:2", "--with", "greedy", "--solved", "nothing"], "cannot read nothing"),
        (&["experiment", "won-positions", "hex:2", "--with", "greedy", "--solved", "text.sqlite"], "line 1"),
        (&["match", "tic-tac-toe", "perfect@nodes=10", "random"], "leave the limits out"),
        (&["match", "mnk:3x3x3,players=3", "perfect", "random"], "two players"),
        (&["experiment", "learned", "rolit:4,players=3", "--model", "nothing"], "no model"),
    ] {
        let output = run(folder.path(), args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{args:?}: {error}");
        assert!(error.contains(word), "{args:?}: {error}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

/// How many games the store holds, without disturbing who writes it.
fn stored(folder: &Path) -> i64 {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE;
    let Ok(store) = rusqlite::Connection::open_with_flags(folder.join("s.sqlite"), flags) else { return 0 };
    let _ = store.busy_timeout(Duration::from_secs(10));
    store.query_row("SELECT count(*) FROM game", [], |row| row.get(0)).unwrap_or(0)
}

/// 30 times killed without warning, 500 games, none lost and none twice.
#[test]
fn kills_change_nothing() {
    let whole = tempfile::tempdir().unwrap();
    let args = ["tournament", "tic-tac-toe", "ubfm@nodes=250", "mcts@nodes=60", "random", "random", "greedy"];
    // Ten pairs, 25 openings, both colours.
    let args = [&args[..], &["--rounds", "25", "--seed", "5", "--threads", "2", "--store", "s.sqlite"]].concat();
    let expected = json(whole.path(), &args);
    assert_eq!(expected["games"], 500);
    let folder = tempfile::tempdir().unwrap();
    let mut dice = 88172645463325252u64;
    let mut points: Vec<i64> = (0..30)
        .map(|_| {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            (dice % 480) as i64 + 5
        })
        .collect();
    points.sort_unstable();
    let mut kills = 0;
    for point in points {
        let mut child: Child =
            command(folder.path(), &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while stored(folder.path()) < point && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(300));
        }
        kills += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap(); // SIGKILL
        child.wait().unwrap();
    }
    assert!(kills >= 25, "only {kills} kills came before the end");
    let mut found = json(folder.path(), &args);
    // Everything but the clock is the same.
    let mut expected = expected;
    for report in [&mut found, &mut expected] {
        for row in report["table"].as_array_mut().unwrap() {
            row["seconds"] = Value::Null;
        }
    }
    assert_eq!(found, expected);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["match", "connect-four:7x6", "ubfm@nodes=2000", "random", "--rounds", "100000", "--openings", "start"];
    let args = [&args[..], &["--store", "s.sqlite"]].concat();
    let child = command(folder.path(), &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while stored(folder.path()) < 3 {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the same command goes on"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("ubfm@nodes=2000"));
    assert!(stored(folder.path()) >= 3);
}

/// It learns and plays what is missing, once: stopped or not, in one piece or in shards.
#[test]
fn the_experiment_on_completion_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let command = |store: &str, more: &[&str]| {
        let args =
            ["experiment", "completion", "tic-tac-toe", "connect-four:7x6", "--training", "200ms", "--nodes", "60"];
        json(folder.path(), &[&args[..], &["--store", store], more].concat())
    };
    let before = command("a.sqlite", &["--cost"]);
    assert_eq!(before["left"]["matches"], 16, "two functions, four pairs, two seats, two games");
    assert_eq!(before["outcome"]["matches"], 0);
    let played = command("a.sqlite", &["--picture", "a.svg"]);
    assert_eq!((&played["outcome"]["matches"], &played["left"]["matches"]), (&16.into(), &0.into()));
    assert_eq!(played["left"]["training"], 0.0);
    let sets = played["sets"].as_array().unwrap();
    assert_eq!([&sets[0]["game"], &sets[1]["game"]], ["connect-four:7x6", "tic-tac-toe"]);
    for set in sets {
        let trained = set["trained"].as_array().unwrap();
        let command = format!("perfectplay train {}", set["game"].as_str().unwrap());
        assert!(trained.len() == 2 && trained.iter().all(|line| line.as_str().unwrap().starts_with(&command)));
        assert_eq!(set["matches"].as_array().unwrap().len(), 8);
    }
    assert!(std::fs::read_to_string(folder.path().join("a.svg")).unwrap().contains("Connect Four"));
    for line in played["outcome"]["lines"].as_array().unwrap() {
        let results: u64 = line["won_drawn_lost"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum();
        assert_eq!((results, &line["matches"]), (8, &8.into()));
    }
    assert_eq!(command("a.sqlite", &[])["outcome"], played["outcome"], "nothing is played twice");
    // Another question is asked of the same functions.
    assert_eq!(command("a.sqlite", &["--compare", "mcts", "--cost"])["left"]["training"], 0.0);
    // Each shard learns and plays one of the two games.
    for (shard, matches) in [("1/2", 8), ("2/2", 16)] {
        assert_eq!(command("b.sqlite", &["--shard", shard])["outcome"]["matches"], matches);
    }
}

const SMALL_COMPLETION: [&str; 8] =
    ["experiment", "completion", "tic-tac-toe", "connect-four:7x6", "--training", "500ms", "--nodes", "60"];

fn completion(folder: &Path, more: &[&str]) -> Value {
    json(folder, &[&SMALL_COMPLETION[..], more].concat())
}

fn read(file: &Path) -> Option<Value> {
    serde_json::from_slice(&std::fs::read(file).ok()?).ok()
}

/// A machine that keeps the summary and nothing else: one is killed after its first set, the next one goes on.
#[test]
fn the_experiment_on_completion_goes_on_from_its_summary_alone() {
    let machines = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [first, second, third] = machines.each_ref().map(|folder| folder.path());
    let args = [&SMALL_COMPLETION[..], &["--threads", "1", "--store", "a.sqlite", "--summary", "s.json"]].concat();
    let mut child = command(first, &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    let sets = |summary: &Value| summary["sets"].as_array().unwrap().clone();
    while read(&first.join("s.json")).is_none_or(|summary| sets(&summary).is_empty()) {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let begun = read(&first.join("s.json")).expect("it is whole, whenever the program is killed");
    assert_eq!(sets(&begun).len(), 1);
    // What was played counts, and is not left to do.
    std::fs::copy(first.join("s.json"), second.join("s.json")).unwrap();
    let known = completion(second, &["--known", "s.json", "--cost"]);
    assert_eq!((&known["outcome"]["matches"], &known["left"]["matches"]), (&8.into(), &8.into()));
    assert_eq!(
        (&known["left"]["training"], &known["outcome"]["lines"][0]),
        (&0.5.into(), &begun["outcome"]["lines"][0])
    );
    let played = completion(second, &["--store", "b.sqlite", "--summary", "s.json"]);
    assert_eq!((&played["outcome"]["matches"], &played["left"]["matches"]), (&16.into(), &0.into()));
    assert!(sets(&played).contains(&sets(&begun)[0]), "what was known is written on");
    assert!(
        !std::fs::read_dir(second.join("b.models"))
            .unwrap()
            .any(|file| { file.unwrap().file_name().to_str().unwrap().starts_with("tic-tac-toe") })
    );
    // The summary alone says the same, and so do the stores.
    let written = read(&second.join("s.json")).unwrap();
    assert_eq!((&written["outcome"], &written["sets"]), (&played["outcome"], &played["sets"]));
    std::fs::copy(second.join("s.json"), third.join("s.json")).unwrap();
    let alone = completion(third, &["--summary", "s.json"]);
    assert_eq!((&alone["outcome"], &alone["left"]), (&played["outcome"], &played["left"]));
    assert!(!third.join("completion-quick.models").exists(), "nothing is learned again");
    std::fs::copy(second.join("b.sqlite"), first.join("b.sqlite")).unwrap();
    text(first, &["tournament", "merge", "a.sqlite", "--store", "b.sqlite"]);
    assert_eq!(completion(first, &["--store", "b.sqlite", "--cost"])["outcome"], played["outcome"]);
    // A summary of more than is asked for loses nothing.
    let args =
        ["experiment", "completion", "tic-tac-toe", "--training", "500ms", "--nodes", "60", "--summary", "s.json"];
    let fewer = json(third, &args);
    assert_eq!((&fewer["outcome"]["matches"], &fewer["sets"]), (&8.into(), &played["sets"]));
}

/// Each shard with a summary of its own; wrong summaries get one sentence.
#[test]
fn summaries_of_shards_are_put_together() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (shard, name) in [("1/2", "a"), ("2/2", "b"), ("1/2", "c")] {
        let [store, summary] = ["sqlite", "json"].map(|end| format!("{name}.{end}"));
        let found = completion(folder, &["--shard", shard, "--store", &store, "--summary", &summary, "--threads", "2"]);
        assert_eq!((&found["outcome"]["matches"], &found["left"]["matches"]), (&8.into(), &0.into()));
    }
    let all = completion(folder, &["--known", "a.json", "--known", "b.json", "--summary", "all.json", "--cost"]);
    assert_eq!((&all["outcome"]["matches"], &all["left"]["matches"]), (&16.into(), &0.into()));
    // A shard does what is left of its part.
    let shard = completion(folder, &["--known", "a.json", "--shard", "2/2", "--store", "new.sqlite", "--cost"]);
    assert_eq!((&shard["outcome"]["matches"], &shard["left"]["matches"]), (&8.into(), &8.into()));
    let good = std::fs::read_to_string(folder.join("all.json")).unwrap();
    let mut short: Value = serde_json::from_str(&good).unwrap();
    short["sets"][0]["matches"].as_array_mut().unwrap().pop();
    let gain = |text: &str| text.replacen(" rules ", ",2 rules ", 1);
    std::fs::write(folder.join("short.json"), short.to_string()).unwrap();
    std::fs::write(folder.join("gain.json"), gain(&good)).unwrap();
    std::fs::write(folder.join("cut.json"), &good[..good.len() / 2]).unwrap();
    std::fs::write(folder.join("game.json"), good.replace("\"tic-tac-toe\"", "\"nim\"")).unwrap();
    std::fs::write(folder.join("old.json"), "{ \"outcome\": {}, \"trained\": [] }").unwrap();
    for (more, word) in [
        (&["--known", "all.json", "--compare", "decision"][..], "it is about"),
        (&["--known", "all.json", "--seed", "5"], "another size or seed"),
        (&["--known", "all.json", "--nodes", "61"], "another size or seed"),
        (&["--summary", "short.json"], "is not what this experiment plays"),
        (&["--known", "game.json"], "is not what this experiment plays"),
        (&["--known", "gain.json"], "is not the result of a match"),
        (&["--known", "cut.json"], "it is no summary"),
        (&["--known", "old.json"], "it is no summary"),
        (&["--known", "nothing.json"], "cannot go on with nothing.json"),
        (&["--known", "a.json", "--known", "c.json"], "another one than that of an earlier summary"),
        (&["--summary", "no/folder/s.json"], "cannot write no/folder/s.json"),
    ] {
        let nodes = if more.contains(&"--nodes") { &[][..] } else { &SMALL_COMPLETION[6..] };
        let output = run(folder, &[&SMALL_COMPLETION[..6], nodes, &["--store", "wrong.sqlite"], more].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{more:?}: {error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{more:?}: {error}");
        assert!(error.contains(word), "{more:?}: {error}");
        assert!(output.stdout.is_empty(), "{more:?}");
    }
}

/// Its games are kept one by one.
#[test]
fn paranoid_against_maxn_goes_on_from_its_summary_alone() {
    let [first, second] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [first, second] = [first.path(), second.path()];
    let args = ["experiment", "paranoid-vs-maxn", "--players", "4,6", "--summary", "s.json", "--time"];
    let begun = json(first, &[&args[..], &["6s"]].concat());
    let games = |found: &Value, line: usize| found["lines"][line]["games"].as_u64().unwrap();
    assert!(games(&begun, 0) > 0 && games(&begun, 1) > 0, "{begun}");
    assert_eq!(read(&first.join("s.json")).unwrap(), begun);
    std::fs::copy(first.join("s.json"), second.join("s.json")).unwrap();
    let same = json(second, &[&args[..], &["0s"]].concat());
    assert_eq!(same, begun, "all is known, and there is no time for more");
    let more = json(second, &[&args[..], &["6s"]].concat());
    assert!(games(&more, 0) > games(&begun, 0) && games(&more, 1) >= games(&begun, 1));
    let list = |found: &Value| found["games"][0]["matches"].as_array().unwrap().clone();
    assert!(list(&begun).iter().all(|game| list(&more).contains(game)));
    let output = run(second, &[&args[..], &["0s", "--seed", "3"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("another size or seed"));
}

#[test]
fn a_player_is_measured_by_the_positions_it_wins() {
    let folder = tempfile::tempdir().unwrap();
    let won = ["experiment", "won-positions", "hex:3,swap=off", "--plies", "1"];
    let list = text(folder.path(), &[&won[..], &["--list"]].concat());
    // In the middle of a row or column every first move wins but those in the far corners.
    assert_eq!(list.lines().count(), 9, "{list}");
    assert!(list.contains("b2 1\n"), "{list}");
    std::fs::write(folder.path().join("solved.txt"), format!("# by the solver\n\n{list}")).unwrap();
    let from_file = ["experiment", "won-positions", "hex:3,swap=off", "--solved", "solved.txt"];
    let play = |with: &str, against: &str| {
        let players = ["--with", with, "--against", against, "--rounds", "4", "--store", "won.sqlite"];
        let line = json(folder.path(), &[&from_file[..], &players].concat());
        assert_eq!(json(folder.path(), &[&won[..], &players].concat()), line, "the store has these games");
        assert_eq!((line["positions"].as_u64(), line["games"].as_u64()), (Some(9), Some(36)));
        let count = |name: &str| line[name].as_u64().unwrap();
        assert_eq!(count("wins") + count("draws") + count("losses"), 36);
        assert!(count("different") <= 36);
        assert!(line["interval"][0].as_f64() <= line["share"].as_f64());
        line["share"].as_f64().unwrap()
    };
    assert_eq!(play("perfect", "random"), 1.0);
    assert_eq!(play("perfect", "perfect"), 1.0);
    assert!(play("random", "perfect") < 0.5);
    // Connect Four by its score.
    let args = ["experiment", "won-positions", "connect-four:5x4", "--plies", "7", "--sample", "12", "--rounds", "2"];
    let text = text(folder.path(), &[&args[..], &["--with", "perfect"]].concat());
    assert!(text.contains("100.0 % won"), "{text}");
}

/// Of equal players each wins a third.
#[test]
fn with_three_players_the_model_sits_alone() {
    let folder = tempfile::tempdir().unwrap();
    let game = "rolit:4,players=3";
    let model = folder.path().join("m.safetensors");
    let model = model.to_str().unwrap();
    text(
        folder.path(),
        &["train", game, "--games", "5", "--exam", "0", "--model", "tuples:count=3,length=3", "--out", model],
    );
    let args =
        ["experiment", "learned", game, "--model", model, "--time", "1ms", "--rounds", "2", "--store", "s.sqlite"];
    let lines = json(folder.path(), &args);
    for line in lines.as_array().unwrap() {
        assert_eq!(line["games"], 6, "one seat of three, two openings");
        assert!(line["wins_interval"][0].as_f64() <= line["wins"].as_f64());
    }
    assert!(text(folder.path(), &args).contains("games won"));
    let store = rusqlite::Connection::open(folder.path().join("s.sqlite")).unwrap();
    let mut seatings = store.prepare("SELECT DISTINCT seating FROM game ORDER BY seating").unwrap();
    let seatings: Vec<String> = seatings.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(seatings.len(), 3, "{seatings:?}");
}
