//! `play` as a person meets it.

use assert_cmd::Command;

/// What is printed for this input; the program ends well.
fn play(game: &str, input: &str, extra: &[&str]) -> String {
    let output = command(&[&["play", game], extra].concat()).write_stdin(input).output().unwrap();
    assert!(output.status.success(), "{game} {extra:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_perfectplay"));
    command.args(args);
    command
}

#[test]
fn the_opponent_and_its_limit_are_named() {
    let out = play("connect-four:7x6", "quit\n", &["--level", "3"]);
    let level = "level 3: 100 nodes a move, 25 of 100 moves at random";
    let learned = "ubfm:eval=learned,decision=safest";
    assert!(out.starts_with(&format!("You are player 1 (X). Against you: {learned}, {level}.")), "{out}");
    let out = play("connect-four:7x7", "quit\n", &["--level", "3"]);
    assert!(out.starts_with(&format!("You are player 1 (X). Against you: mcts, {level}.")), "no model fits: {out}");
    let out = play("tic-tac-toe", "quit\n", &["--as", "2", "--with", "ubfm", "--nodes", "2000"]);
    assert!(out.starts_with("You are player 2 (O). Against you: ubfm, 2,000 nodes a move."), "{out}");
    let out = play("tic-tac-toe", "quit\n", &[]);
    assert!(out.contains("Against you: alpha-beta, level 9: 1 s a move."), "{out}");
    let out = play("mnk:3x3x3,players=3", "quit\n", &["--as", "1,3", "--level", "9"]);
    assert!(out.starts_with("You are player 1 (X) and player 3 (#). Against you: "), "{out}");
    let out = play("tic-tac-toe", "", &["--as", "0"]);
    assert!(out.starts_with("The machine plays alone: ") && out.contains("Game over: draw"), "{out}");
}

#[test]
fn what_cannot_be_played_is_refused() {
    for args in [
        &["--level", "0"][..],
        &["--level", "10"],
        &["--level", "3", "--time", "1s"],
        &["--as", "3"],
        &["--as", "0,1"],
        &["--save", "no/such/folder/file"],
        &["--load", "no/such/file"],
    ] {
        let output = command(&[&["play", "tic-tac-toe"], args].concat()).write_stdin("a1\n").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn two_people_play_the_last_move_is_marked_and_the_end_is_not_the_end() {
    let out = play("tic-tac-toe", "a1\nb1\na2\nb2\na3\na1\nundo\nmoves\nc3\nreplay\n", &["--as", "1,2"]);
    assert!(out.contains("Nobody plays against you; hints come from auto, 1 s a move."), "{out}");
    assert!(out.contains("Game over: player 1 wins"), "{out}");
    assert!(out.contains("the game is over (got \"a1\")"), "a move after the end: {out}");
    assert!(out.contains("\na3 c1 c2 b3 c3\n") || out.contains("\nc1 c2 a3 b3 c3\n"), "moves after undo: {out}");
    assert!(out.contains("(X)") && out.contains("(O)"), "{out}");
    assert!(out.contains("\n1. player 1 played a1\n") && out.contains("\n5. player 1 played c3\n"), "{out}");
    assert!(!out.contains('\x1b'), "no colours in a pipe");
}

#[test]
fn hints_and_evaluations_tell_value_and_line() {
    // a1 and a2 against b1 and b2: whoever moves completes a line.
    let threats = ["--as", "1,2", "--moves", "a1 b1 a2 b2"];
    let out = play("tic-tac-toe", "hint\neval\neval on\nc3\neval off\nhint\n", &threats);
    assert!(out.contains("hint: a3: player 1 wins in 1 ply (proved), line a3\n"), "{out}");
    let evaluation = "evaluation: player 1 wins in 1 ply (proved)\n";
    assert!(out.matches(evaluation).count() == 2, "asked for, and switched on: {out}");
    assert!(out.contains("evaluation: player 2 wins in 1 ply (proved)\n"), "after c3: {out}");
    assert!(out.contains(": player 2 wins in 1 ply (proved), line "), "the hint after c3: {out}");
}

/// The book that comes with the program knows the value of the empty board.
#[test]
fn hints_come_from_the_book_where_it_has_one() {
    let out = play("connect-four:7x6", "hint\n", &["--as", "1,2"]);
    assert!(out.contains("hint: 4: player 1 wins (proved), line 4"), "{out}");
}

/// Whoever must win does it at once, and whoever must lose holds out: also where positions are too many to know them
/// all.
#[test]
fn hints_prefer_the_fastest_win_and_the_slowest_loss() {
    // Three in a row with both ends open: it wins at once, and cannot be stopped.
    let out = play("connect-four:7x6", "hint\n3\nhint\n", &["--as", "1,2", "--moves", "4 4 3 3 5 5"]);
    let hints: Vec<&str> = out.lines().filter(|line| line.contains("hint: ")).collect();
    assert!(hints[0].contains("player 1 wins in 1 ply (proved)"), "{out}");
    assert!(hints[1].contains("player 1 wins in 2 plies (proved)"), "{out}");
}

#[test]
fn words_that_mean_nothing_get_a_sentence() {
    let out = play("tic-tac-toe", "hnit\nresing\nundo 3\nz9\nhelp\n", &[]);
    assert!(out.contains("\"hnit\" is neither a legal move nor a command; did you mean hint?"), "{out}");
    assert!(out.contains("did you mean resign?"), "{out}");
    assert!(out.contains("The command is: undo\n"), "{out}");
    assert!(out.contains("\"z9\" is not a legal move here"), "{out}");
    for word in ["moves", "hint", "eval", "undo", "replay", "save", "resign", "help", "quit"] {
        assert!(out.contains(&format!("\n  {word}")), "{word}: {out}");
    }
}

#[test]
fn matches_are_saved_after_every_move_loaded_and_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a match");
    let name = file.to_str().unwrap();
    let read = || std::fs::read_to_string(&file).unwrap();
    play("tic-tac-toe", "b2\nundo\na1\n", &["--save", name]);
    assert!(read().contains("[Result \"*\"]\n\na1 "), "{}", read());
    let out = play("tic-tac-toe", "undo\nundo\n", &["--load", name]);
    assert!(out.contains("nothing to take back"), "the loaded moves can be taken back, and no more: {out}");
    play("tic-tac-toe", "resign\n", &["--load", name, "--save", name]);
    assert!(read().contains("[Result \"player 1 resigns\"]"), "{}", read());
    let other = folder.path().join("other.match");
    let typed = format!("c3\nsave {}\nquit\n", other.display());
    let out = play("tic-tac-toe", &typed, &[]);
    assert!(out.contains("--load"), "{out}");
    assert!(std::fs::read_to_string(&other).unwrap().contains("\n\nc3 "));
    let refused = command(&["play", "connect-four", "--load", name]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
}

/// Signals: `kill` sends them, and Linux tells when the program listens.
#[cfg(target_os = "linux")]
mod signals {
    use std::io::{Read, Write};
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    struct Running(Child);

    impl Running {
        fn start(folder: &Path, args: &[&str]) -> Self {
            let mut command = Command::new(env!("CARGO_BIN_EXE_perfectplay"));
            command.args(args).current_dir(folder);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let child = Running(command.spawn().unwrap());
            // Bit 1: SIGINT has a handler.
            child.wait_until(|status| {
                let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:")).unwrap_or("0");
                u64::from_str_radix(caught.trim(), 16).unwrap_or(0) & 2 != 0
            });
            child
        }

        fn wait_until(&self, ready: impl Fn(&str) -> bool) {
            let begun = Instant::now();
            let file = format!("/proc/{}/status", self.0.id());
            while !std::fs::read_to_string(&file).is_ok_and(|status| ready(&status)) {
                assert!(begun.elapsed() < Duration::from_secs(60), "it does not listen");
                std::thread::sleep(Duration::from_millis(10));
            }
        }

        fn signal(&self, name: &str) {
            let sent = Command::new("kill").args([name, &self.0.id().to_string()]).status().unwrap();
            assert!(sent.success());
        }

        fn says(&mut self, text: &str) {
            let (mut seen, mut byte) = (Vec::new(), [0]);
            let out = self.0.stdout.as_mut().unwrap();
            while !String::from_utf8_lossy(&seen).contains(text) {
                assert_eq!(out.read(&mut byte).unwrap(), 1, "it never says {text}");
                seen.push(byte[0]);
            }
        }

        fn types(&mut self, line: &str) {
            writeln!(self.0.stdin.as_mut().unwrap(), "{line}").unwrap();
        }

        /// The exit code, and what it still said, first on standard output.
        fn ends(mut self) -> (Option<i32>, String, String) {
            let input = self.0.stdin.take(); // stays open: nobody must wait for its end
            let output = self.0.wait_with_output().unwrap();
            drop(input);
            let text = |bytes| String::from_utf8(bytes).unwrap();
            (output.status.code(), text(output.stdout), text(output.stderr))
        }
    }

    #[test]
    fn ctrl_c_asks_and_a_second_one_saves_and_ends() {
        let folder = tempfile::tempdir().unwrap();
        let mut game = Running::start(folder.path(), &["play", "tic-tac-toe"]);
        game.says("help.");
        game.types("b2");
        game.says("plays");
        game.signal("-INT");
        game.says("Save and quit?");
        game.types("n");
        game.types("moves");
        game.says("c3");
        game.signal("-INT");
        game.says("Save and quit?");
        game.signal("-INT");
        let (code, out, _) = game.ends();
        assert_eq!(code, Some(0), "{out}");
        assert!(out.contains("Saved in tic-tac-toe.match"), "{out}");
        let saved = std::fs::read_to_string(folder.path().join("tic-tac-toe.match")).unwrap();
        assert!(saved.contains("\n\nb2 "), "{saved}");
    }

    #[test]
    fn ctrl_c_is_heard_while_the_machine_thinks() {
        let folder = tempfile::tempdir().unwrap();
        let mut game = Running::start(folder.path(), &["play", "chess", "--as", "2", "--time", "10m"]);
        game.says("help.");
        game.signal("-INT");
        game.says("Quit?");
        game.types("y");
        assert_eq!(game.ends().0, Some(0));
    }

    #[test]
    fn a_request_to_end_saves() {
        let folder = tempfile::tempdir().unwrap();
        let mut game = Running::start(folder.path(), &["play", "tic-tac-toe", "--moves", "b2 a1"]);
        game.says("help.");
        game.signal("-TERM");
        let (code, out, _) = game.ends();
        assert_eq!(code, Some(0), "{out}");
        assert!(folder.path().join("tic-tac-toe.match").exists(), "{out}");
    }

    #[test]
    fn long_work_ends_with_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let proof = folder.path().join("p");
        let commands: [&[&str]; 4] = [
            &["perft", "chess", "12"],
            &["solve", "chess", "--with", "ubfm", "--memory", "1G"],
            &["bench", "--playouts", "--time", "1h"],
            &["solve", "connect-four:7x6", "--proof", proof.to_str().unwrap()],
        ];
        for args in commands {
            let work = Running::start(folder.path(), args);
            work.signal("-INT");
            let (code, out, error) = work.ends();
            assert_eq!(code, Some(3), "{args:?}: {out}{error}");
            assert!(out.contains("stopped") || error.contains("stopped"), "{args:?}: {out}{error}");
        }
    }
}
