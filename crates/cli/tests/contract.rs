//! The command line as scripts see it: verbs, JSON, exit codes, one sentence for bad input.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

fn perfectplay(args: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_perfectplay")).args(args).output().expect("the binary runs")
}

fn text(args: &[&str]) -> String {
    let output = perfectplay(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = perfectplay(&[args, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}"))
}

/// Exit code 2 and one sentence on standard error that contains all of `words`.
fn refused(args: &[&str], words: &[&str]) {
    let output = perfectplay(args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{args:?}: {error}");
    assert!(output.stdout.is_empty(), "{args:?}");
    for word in words {
        assert!(error.contains(word), "{args:?}: \"{error}\" lacks \"{word}\"");
    }
}

/// Whoever names no algorithm gets all cores; whoever wants the same run every time gets one.
#[test]
fn the_default_uses_all_cores_unless_the_run_is_to_be_repeated() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let position = ["connect-four:5x4", "--moves", "3 3"];
    let threads = |verb: &str, more: &[&str]| json(&[&[verb], &position[..], more].concat())["threads"].clone();
    assert_eq!(threads("solve", &[]), cores);
    assert_eq!(threads("analyse", &["--time", "200ms"]), cores);
    assert_eq!(threads("solve", &["--with", "auto"]), cores);
    for one in [&["--nodes", "10M"][..], &["--reproducible"], &["--threads", "1"], &["--with", "alpha-beta"]] {
        assert_eq!(threads("solve", one), 1, "{one:?}");
    }
    assert_eq!(threads("solve", &["--threads", "3"]), 3);
    for same in [&["solve", "--nodes", "10M"][..], &["solve", "--reproducible"], &["analyse", "--reproducible"]] {
        let told = || {
            let mut report = json(&[&same[..1], &position[..], &same[1..]].concat());
            report["seconds"].take();
            report
        };
        assert_eq!(told(), told(), "{same:?}");
    }
}

#[test]
fn tic_tac_toe_is_a_draw_with_5478_positions() {
    let report = json(&["solve", "tic-tac-toe", "--strong"]);
    assert_eq!(report["counts"]["positions"], 5478);
    let report = json(&["solve", "tic-tac-toe"]);
    for field in [
        "game",
        "position",
        "algorithm",
        "status",
        "value",
        "outcome",
        "best_move",
        "pv",
        "nodes",
        "seconds",
        "bytes",
        "stop",
    ] {
        assert!(!report[field].is_null(), "{field}");
    }
    assert_eq!(report["status"], "solved");
    assert_eq!(report["outcome"], "draw");
    assert_eq!(report["value"], serde_json::json!([0, 0]));
    assert!(text(&["solve", "tic-tac-toe"]).contains("draw"));
}

#[test]
fn perft_counts_leaves_and_finished_games() {
    let perft = json(&["perft", "tic-tac-toe", "9"]);
    assert_eq!(perft["finished"], serde_json::json!([0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872]));
    assert_eq!(perft["finished_total"], 255_168);
    let perft = json(&["perft", "connect-four:7x6", "8", "--bulk"]);
    assert_eq!(perft["counts"], serde_json::json!([7, 49, 343, 2401, 16807, 117649, 823536, 5673234]));
    assert!(text(&["perft", "tic-tac-toe", "9"]).contains("255,168"));
    assert_eq!(perfectplay(&["perft", "tic-tac-toe", "100000000000"]).status.code(), Some(2));
}

#[test]
fn analyse_tells_every_move() {
    let report = json(&["analyse", "connect-four:4x4", "--moves", "22"]);
    let moves = report["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 4);
    assert!(moves.iter().all(|m| m["resolved"] == true && m["move"].is_string() && m["value"].is_array()));
}

#[test]
fn the_form_of_other_systems_is_understood() {
    let ours = json(&["perft", "connect-four:5x4", "3"]);
    let theirs = json(&["perft", "connect_four(columns=5,rows=4)", "3"]);
    assert_eq!(ours["counts"], theirs["counts"]);
}

#[test]
fn the_score_is_stones_left() {
    // The first player completes four with its fourth stone: 22 - 4 = 18.
    let report = json(&["solve", "connect-four:7x6", "--moves", "4433221", "--for", "score"]);
    assert_eq!(report["value"], serde_json::json!([18, -18]));
    assert_eq!(report["mover"], Value::Null);
}

#[test]
fn limits_end_with_code_3_and_no_move_that_was_not_looked_at() {
    let output = perfectplay(&["solve", "mnk:5x5x4", "--with", "backward-induction", "--nodes", "1000", "--json"]);
    assert_eq!(output.status.code(), Some(3));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["stop"], "nodes");
    assert_ne!(report["status"], "solved");
    assert!(report["best_move"].is_null(), "no move has its value yet");
    let output = perfectplay(&["solve", "mnk:5x5x4", "--with", "backward-induction", "--memory", "1M", "--json"]);
    assert_eq!(output.status.code(), Some(3));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["stop"], "memory");
    assert!(report["bytes"].as_u64().unwrap() <= 1 << 20);
}

#[test]
fn bad_input_gets_one_sentence() {
    refused(&["solve", "tictactoe"], &["tic-tac-toe"]);
    refused(&["solve", "connect-four:7"], &["COLUMNSxROWS"]);
    refused(&["solve", "connect-four:7x6,colour=red"], &["colour=red"]);
    refused(&["solve", "connect-four:60x60"], &["too large", "256"]);
    refused(&["solve", "connect-four", "--moves", "4 4 8"], &["move 3", "\"8\"", "1 2 3"]);
    refused(&["solve", "connect-four", "--position", "7/7/7/7/7/3Y3"], &["Y", "character 12"]);
    refused(&["solve", "connect-four", "--position", "7/7/7/7/3X3/7"], &["air"]);
    refused(&["solve", "tic-tac-toe", "--with", "backward-inductoin"], &["backward-induction"]);
    refused(&["solve", "tic-tac-toe", "--with", "backward-induction:x=1"], &["x=1"]);
    refused(&["solve", "nim:1,x"], &[]);
    refused(&["solve", "script:no/such/file"], &["no/such/file"]);
    refused(&["show", "mnk:3x3x3,players=3", "--matrix"], &["two players"]);
    refused(&["show", "tic-tac-toe", "--tree", "--depth", "9"], &["--depth"]);
    refused(&["show", "tic-tac-toe", "--match", "no/such/file"], &["no/such/file"]);
    refused(&["show", "rock-paper-scissors:2"], &["--matrix"]);
    refused(&["play", "tic-tac-toe", "--as", "3"], &["--as"]);
    refused(&["solve", "tic-tac-toe", "--strong", "--values", "/no/such/folder/file"], &["/no/such/folder/file"]);
}

#[test]
fn wrong_usage_ends_with_code_2() {
    for args in [
        &["solve"][..],
        &["sovle", "tic-tac-toe"],
        &["solve", "tic-tac-toe", "--time", "soon"],
        &["perft", "tic-tac-toe", "x"],
    ] {
        assert_eq!(perfectplay(args).status.code(), Some(2), "{args:?}");
    }
}

/// What was typed is named, with what is wrong about it.
#[test]
fn limits_below_nothing_are_refused_for_what_they_are() {
    for (option, value) in [("--time", "-1s"), ("--nodes", "-5"), ("--memory", "-2G"), ("--every", "-3m")] {
        let output = perfectplay(&["solve", "tic-tac-toe", option, value]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{option}: {error}");
        assert!(error.contains("less than nothing") && error.contains(value), "{option}: {error}");
    }
    for args in [&["solve", "tic-tac-toe", "--threads", "-1"][..], &["perft", "tic-tac-toe", "-1"]] {
        let output = perfectplay(args);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains("invalid value '-1'"), "{args:?}");
    }
}

#[test]
fn a_position_may_begin_with_a_hyphen() {
    let shown = text(&["show", "othello:4", "--position", "-----OX--XO----- O"]);
    assert!(shown.contains("to move   player 2"), "{shown}");
}

#[test]
fn an_unknown_game_is_refused_by_every_verb() {
    for verb in ["bench", "solve", "analyse", "show", "games"] {
        refused(&[verb, "nope"], &["nope"]);
    }
    refused(&["perft", "nope", "1"], &["nope"]);
    refused(&["bench", "tic-tac-toe", "--with", "nope"], &["nope"]);
}

/// A FEN that a strict reader would refuse is read, and what was overlooked is said.
#[test]
fn what_is_overlooked_in_a_position_is_said() {
    let note = |position: &str| {
        let output = perfectplay(&["show", "chess", "--position", position]);
        assert!(output.status.success(), "{position}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(note("4k3/8/8/8/8/8/8/4K3 w - e6 0 1").contains("en passant on e6 is set aside"));
    assert!(note("4k3/4r3/8/8/1b5q/5n2/8/4K3 w - - 0 1").contains("4 pieces check the king"));
    assert_eq!(note("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1"), "", "as many programs write it after every double step");
    let report = json(&["solve", "chess", "--position", "4k3/4r3/8/8/1b5q/5n2/8/4K3 w - - 0 1", "--nodes", "1000"]);
    assert_eq!(report["position"], "4k3/4r3/8/8/1b5q/5n2/8/4K3 w - - 0 1");
}

#[test]
fn after_a_repetition_nobody_is_to_move() {
    let knights = ["g1f3 g8f6 f3g1 f6g8"; 2].join(" ");
    let shown = text(&["show", "chess", "--moves", &knights]);
    assert!(shown.contains("the game is over") && shown.contains("draw") && !shown.contains("to move"), "{shown}");
    refused(&["show", "chess", "--moves", &format!("{knights} e2e4")], &["the game is over"]);
}

/// What the system refuses is not asked for again: the table is smaller, and that is said.
#[cfg(target_os = "linux")]
#[test]
fn little_memory_makes_tables_smaller() {
    let huge = text(&["solve", "connect-four:4x4", "--with", "alpha-beta:table-mib=1000000"]);
    assert!(huge.contains("draw") && huge.contains("no 1000000 MiB"), "{huge}");
    let limited = |kib: u32, args: &str| {
        let command = format!("ulimit -v {kib}; exec {} {args}", env!("CARGO_BIN_EXE_perfectplay"));
        let output = Command::new("sh").args(["-c", &command]).output().unwrap();
        assert!(output.status.code().is_some_and(|code| [0, 3].contains(&code)), "{kib} {args}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for with in ["", "--with alpha-beta", "--with mtdf", "--with ubfm", "--with df-pn", "--with pns", "--with mcts"] {
        let out = limited(300_000, &format!("solve othello:4 --time 5s {with}"));
        assert!(out.contains("player 2 wins"), "{with}: {out}");
    }
    // What would grow for ever ends within what there is.
    for with in ["backward-induction", "ubfm", "pns", "pns:table=on", "mcts", "descent"] {
        let out = limited(150_000, &format!("solve breakthrough:6x6 --time 20s --with {with}"));
        assert!(out.contains("stopped: memory") || out.contains("stopped: time"), "{with}: {out}");
    }
}

/// Tic-tac-toe does not fit, and what is dropped is found again: it ends, and says why.
#[test]
fn a_search_that_only_drops_and_finds_again_ends() {
    let drop = ["solve", "tic-tac-toe", "--with", "ubfm:when-full=drop"];
    let output = perfectplay(&[&drop[..], &["--memory", "128K", "--json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    if report["status"] != "solved" {
        assert_eq!((output.status.code(), report["stop"].as_str()), (Some(3), Some("stalled")), "{report}");
        assert!(report["notes"][0].as_str().unwrap().contains("more memory"), "{report}");
    }
    assert_eq!(
        json(&[&drop[..], &["--memory", "512K"]].concat())["outcome"],
        "draw",
        "with a little more it is solved"
    );
}

#[test]
fn the_ends_of_a_script_are_shown_as_written() {
    let tree = text(&["show", "script:[[3,12],[2,4]]", "--tree"]);
    assert!(tree.contains("end: 12, gain 1"), "{tree}");
    let tree = text(&["show", "script:[(10,8,2),(6,6,8)]", "--tree", "--for", "score"]);
    assert!(tree.contains("end: (10, 8, 2)\n"), "{tree}");
    let tree = json(&["show", "script:[(10,8,2),(6,6,8)]", "--tree"]);
    assert_eq!(tree["children"][0]["scores"], serde_json::json!([10, 8, 2]));
}

#[test]
fn a_game_tells_its_rules() {
    let chess = text(&["games", "chess"]);
    assert!(chess.contains("FEN") && chess.contains("sources"), "{chess}");
}

/// Proofs are for others to check, who must be able to read them.
#[cfg(unix)]
#[test]
fn proofs_can_be_read_by_others() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    for (mask, mode) in [("022", 0o644), ("077", 0o600)] {
        let file = folder.path().join(mask);
        let solve = format!("solve tic-tac-toe --with df-pn --proof {}", file.display());
        let command = format!("umask {mask}; exec {} {solve}", env!("CARGO_BIN_EXE_perfectplay"));
        assert!(Command::new("sh").args(["-c", &command]).output().unwrap().status.success());
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, mode, "umask {mask}");
    }
}

/// A bash with the completions, asked what it would offer at the end of a line.
#[cfg(unix)]
#[test]
fn bash_completes_games_algorithms_and_their_options() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("perfectplay.bash");
    std::fs::write(&script, text(&["completions", "bash"])).unwrap();
    let offered = |line: &str| {
        let ask = "source \"$1\"; COMP_LINE=$2; COMP_POINT=${#2}; read -ra COMP_WORDS <<< \"$2\"
            [[ $2 == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
            _perfectplay_named perfectplay \"${COMP_WORDS[-1]}\" \"${COMP_WORDS[-2]}\"; \
printf '%s\\n' \"${COMPREPLY[@]}\"";
        let mut bash = Command::new("bash");
        let path = Path::new(env!("CARGO_BIN_EXE_perfectplay")).parent().unwrap().display();
        bash.env("PATH", format!("{path}:{}", std::env::var("PATH").unwrap()));
        bash.args(["--norc", "-c", ask, "bash"]).arg(&script).arg(line);
        let output = bash.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let has = |line: &str, word: &str| assert!(offered(line).iter().any(|w| w == word), "{line}: {:?}", offered(line));
    has("perfectplay solve conn", "connect-four");
    has("perfectplay solve ", "tic-tac-toe");
    has("perfectplay games oth", "othello");
    has("perfectplay solve othello --with df", "df-pn");
    has("perfectplay algorithms ub", "ubfm");
    // bash breaks words at : and =, so what it offers begins after them.
    has("perfectplay solve othello --with ubfm:whe", "when-full=");
    has("perfectplay solve othello --with ubfm:when-full=d", "drop");
    has("perfectplay solve othello --with alpha-beta:exact=on,pv", "on,pvs=");
    has("perfectplay solve othello:4,score=d", "discs");
    has("perfectplay match othello ub", "ubfm");
    has("perfectplay sol", "solve");
    has("perfectplay solve tic-tac-toe --ti", "--time");
    assert!(
        !offered("perfectplay solve othello --with ubfm:when-full=drop,whe").iter().any(|w| w.contains("when-full"))
    );
}

#[test]
fn trees_and_matrices_are_drawn() {
    assert!(text(&["show", "tic-tac-toe", "--tree", "--depth", "1"]).contains("a1 → player 2: 0"));
    assert!(text(&["show", "tic-tac-toe", "--tree", "--depth", "2", "--format", "dot"]).starts_with("digraph"));
    assert!(text(&["show", "tic-tac-toe", "--tree", "--depth", "1", "--format", "svg"]).starts_with("<svg"));
    assert!(text(&["show", "connect-four:7x6", "--moves", "44", "--format", "svg"]).contains("<circle"));
    assert!(text(&["show", "connect-four:2x2", "--matrix"]).contains("value for player 1: 0"));
    let matrix = json(&["show", "rock-paper-scissors:2", "--matrix"]);
    assert_eq!(matrix["rows"].as_array().unwrap().len(), 9);
    assert_eq!(matrix["equilibrium"]["value"], 0.0);
}

#[test]
fn nothing_is_coloured_in_a_pipe() {
    assert!(!text(&["show", "connect-four", "--moves", "4"]).contains('\x1b'));
}

#[test]
fn completions_and_the_man_page_know_every_verb() {
    let (bash, man) = (text(&["completions", "bash"]), text(&["man"]));
    for verb in ["games", "algorithms", "show", "perft", "solve", "analyse", "play", "bench"] {
        assert!(bash.contains(verb) && man.contains(verb), "{verb}");
    }
    assert!(man.contains("\\-\\-position"));
}

#[test]
fn a_person_plays_takes_back_asks_and_saves() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("match.txt");
    let play = |input: &str, extra: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_perfectplay"));
        let output = command.args(["play", "tic-tac-toe"]).args(extra).write_stdin(input).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let file_name = file.to_str().unwrap();
    let out = play("undo\nz9\nb2\nundo\na1\nhint\nmoves\nquit\n", &["--save", file_name]);
    assert!(out.contains("nothing to take back"));
    assert!(out.contains("\"z9\" is not a legal move"));
    assert!(out.contains("hint: ") && out.contains("Player 2 (alpha-beta) plays"));
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(saved.starts_with("[Game \"tic-tac-toe\"]\n[Result \"*\"]\n\na1 "), "{saved}");
    assert!(text(&["show", "tic-tac-toe", "--match", file_name]).contains('X'));
    refused(&["show", "connect-four", "--match", file_name], &["tic-tac-toe"]);
    let out = play("quit\n", &["--load", file_name]);
    assert!(out.contains('O'));
    let out = play("", &["--as", "0"]);
    assert!(out.contains("Game over: draw"), "perfect play of both sides is a draw: {out}");
}

#[test]
fn a_strong_solution_is_written_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("values.txt");
    text(&["solve", "tic-tac-toe", "--strong", "--values", file.to_str().unwrap()]);
    let values = std::fs::read_to_string(&file).unwrap();
    assert_eq!(values.lines().count(), 5478);
    assert!(values.lines().any(|l| l == "3/3/3\t0 0"));
}

/// Node counts must not move unless an algorithm does. After a wanted change: UPDATE_GOLDEN=1 cargo test.
#[test]
fn the_bench_signature_has_not_changed() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/bench-signature.txt");
    let signature = text(&["bench", "--nodes", "50000", "--signature"]);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(golden, &signature).unwrap();
    }
    let expected = std::fs::read_to_string(golden).expect("data/bench-signature.txt");
    assert_eq!(signature, expected, "run with UPDATE_GOLDEN=1 if the change is wanted");
}

#[test]
fn the_default_stands_beside_the_best_and_beside_other_programs() {
    let out = text(&["experiment", "defaults", "tic-tac-toe", "go:2", "--time", "20s", "--peer", "go:2=exit 0"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 4, "a head, two games, a sum: {out}");
    assert!(lines[1].starts_with("go:2 ") && lines[1].ends_with("ms"), "{out}");
    assert!(lines[2].starts_with("tic-tac-toe ") && lines[2].contains(" backward-induction "), "{out}");
    assert!(lines[3].contains(" of 2: at most 2 times the best time and 50 ms"), "{out}");
    let rows = json(&["experiment", "defaults", "go:2", "--peer", "go:2=exit 0"]);
    assert!(rows[0]["peer_seconds"].as_f64().is_some() && rows[0]["default_seconds"].as_f64().is_some(), "{rows}");
    refused(&["experiment", "defaults", "go:2", "--peer", "nonsense"], &["GAME=COMMAND", "nonsense"]);
    refused(&["experiment", "defaults", "go:2", "--peer", "go:2=exit 1", "--json"], &["the peer of go:2 failed"]);
}

#[test]
fn solvers_are_compared_side_by_side() {
    let rows = json(&["experiment", "solvers", "tic-tac-toe", "nim:1,2,players=3", "--nodes", "200k"]);
    let rows = rows.as_array().unwrap();
    let of = |game: &str| rows.iter().filter(|r| r["game"] == game).collect::<Vec<_>>();
    assert!(
        of("tic-tac-toe").len() > of("nim:1,2,players=3").len(),
        "two-player algorithms are left out of a three-player game"
    );
    for name in ["ubfm", "descent"] {
        let row = of("tic-tac-toe").into_iter().find(|r| r["algorithm"] == name).unwrap();
        assert_eq!((row["status"].as_str(), row["value"][0].as_i64()), (Some("solved"), Some(0)));
        assert!(row["nodes"].as_u64().unwrap() < 5_478 + 1, "never more than all states");
    }
    assert!(text(&["experiment", "solvers", "tic-tac-toe", "--with", "ubfm"]).contains("draw"));
    refused(&["experiment", "solvers", "chessboxing"], &["no game"]);
}

#[test]
fn a_search_that_is_stuck_says_so() {
    let report = json(&["solve", "script:[1,[3]]", "--for", "score", "--with", "ubfm:completion=off"]);
    assert_eq!((report["status"].as_str(), report["stop"].as_str()), (Some("unsolved"), Some("stalled")));
    assert_eq!(json(&["solve", "script:[1,[3]]", "--for", "score", "--with", "ubfm"])["value"][0], 3);
}

#[test]
fn evaluations_are_timed() {
    let rows = json(&["bench", "othello:8", "--evaluations", "--time", "20ms"]);
    let named: Vec<_> = rows.as_array().unwrap().iter().map(|row| row["evaluation"].as_str().unwrap()).collect();
    assert_eq!(named, ["learned", "hand-written"]);
    for row in rows.as_array().unwrap() {
        let (states, calls) = (row["evaluations"].as_u64().unwrap(), row["calls"].as_u64().unwrap());
        assert!(calls > 10 && (2 * calls..20 * calls).contains(&states), "children by the handful: {row}");
    }
    assert!(text(&["bench", "othello:8", "--evaluations", "--time", "20ms"]).contains("evaluations/s"));
    assert!(text(&["bench", "tic-tac-toe", "--evaluations", "--time", "20ms"]).contains("hand-written"));
    refused(&["bench", "nim:1,2", "--evaluations"], &["nim:1,2", "neither a learned nor a hand-written"]);
    refused(&["bench", "othello:8", "--evaluations", "--model", "hex-11"], &["hex-11 is a model of hex:11"]);
    for unclear in [&["--evaluations", "--playouts"][..], &["--model", "othello-8"], &["--time", "1s"]] {
        let output = perfectplay(&[&["bench", "othello:8"], unclear].concat());
        assert_eq!(output.status.code(), Some(2), "{unclear:?}");
    }
}

#[test]
fn random_games_are_counted() {
    let rows = json(&["bench", "nim:1,2,3", "--playouts", "--time", "20ms"]);
    let row = &rows[0];
    assert_eq!(row["game"], "nim:1,2,3");
    let (games, moves) = (row["playouts"].as_u64().unwrap(), row["moves"].as_u64().unwrap());
    // Six matches in three heaps take three to six moves.
    assert!(games > 100 && (3 * games..=6 * games).contains(&moves), "{row}");
    assert_eq!(row["unfinished"], 0);
    assert!(text(&["bench", "nim:1,2,3", "--playouts", "--time", "20ms"]).contains("playouts/s"));
    refused(&["bench", "no-such-game", "--playouts"], &["no-such-game"]);
}

/// One line per iteration, from which the tree can be drawn; a search that goes on later goes on in its file.
#[test]
fn the_growth_of_a_tree_can_be_followed() {
    let folder = tempfile::tempdir().unwrap();
    let [file, saved] = ["growth.jsonl", "saved"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let lines = |text: &str| text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect::<Vec<Value>>();
    let solve = ["solve", "tic-tac-toe", "--with", "descent", "--growth", &file];
    let check = |growth: &[Value], report: &Value| {
        let mut states = 1; // the root
        for (i, event) in growth.iter().enumerate() {
            assert_eq!(event["iteration"], i + 1);
            let all = |name: &str| event[name].as_array().unwrap().clone();
            assert_eq!(all("visited").len(), all("line").len() + 1);
            let moves = all("opened").into_iter().flat_map(|o| o["moves"].as_array().unwrap().clone());
            states += moves.filter(|m| m["new"] == true).count();
            assert_eq!(event["nodes"], states);
        }
        let last = growth.last().unwrap();
        assert_eq!((&last["nodes"], &last["visited"][0]["resolved"]), (&report["nodes"], &Value::Bool(true)));
        assert_eq!(report["counts"]["iterations"], growth.len());
    };
    let whole = json(&solve);
    let growth = std::fs::read_to_string(&file).unwrap();
    check(&lines(&growth), &whole);
    perfectplay(&[&solve[..], &["--nodes", "1000", "--checkpoint", &saved]].concat());
    assert!(std::fs::read_to_string(&file).unwrap().len() < growth.len(), "begun anew");
    check(&lines(&growth), &json(&[&solve[..], &["--resume", &saved]].concat()));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), growth, "the same as without a break");
    let output = perfectplay(&["analyse", "tic-tac-toe", "--with", "ubfm", "--nodes", "50", "--json", "--growth", "-"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("one document");
    let growth = lines(&String::from_utf8(output.stderr).unwrap());
    assert_eq!(growth.last().unwrap()["nodes"], report["nodes"]);
    refused(&["solve", "tic-tac-toe", "--with", "df-pn", "--growth", &file], &["df-pn", "ubfm"]);
    assert!(!std::fs::read_to_string(&file).unwrap().is_empty(), "who is refused loses nothing");
    refused(&["solve", "tic-tac-toe", "--with", "ubfm", "--growth", "/no/such/folder/file"], &["/no/such/folder/file"]);
}
