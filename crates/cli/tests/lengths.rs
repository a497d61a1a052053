//! `--for length`, `retrograde` and tables, as users meet them.

use std::process::{Command, Output};

fn perfectplay(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_perfectplay")).args(args).output().unwrap()
}

fn text(args: &[&str]) -> String {
    let output = perfectplay(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(args: &[&str]) -> String {
    let output = perfectplay(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

const MORPHY: &str = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
const QUEEN: &str = "8/8/8/8/3k4/8/8/KQ6 w - - 0 1";

#[test]
fn a_mate_is_told_in_plies_and_proved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.proof").display().to_string();
    let told = text(&["solve", "chess", "--position", MORPHY, "--for", "length", "--proof", &file]);
    assert!(told.contains("player 1 wins in 3 plies: proved by auto (alpha-beta)"), "{told}");
    assert!(told.contains("a1a6"), "{told}");
    assert!(text(&["verify", &file]).contains("player 1 wins in 3 plies"));
}

#[test]
fn a_table_goes_from_solve_to_verify_and_analyse() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kqk.table").display().to_string();
    let told = text(&["solve", "chess:draws=loose", "--position", QUEEN, "--table", &file]);
    assert!(told.contains("longest win 20") && told.contains("kqk.table"), "{told}");
    assert!(text(&["verify", &file]).contains("the longest win takes 20 plies"));
    let told = text(&["analyse", "chess:draws=loose", "--position", QUEEN, "--table", &file]);
    assert!(told.contains("win in "), "{told}");
    assert!(
        refused(&["analyse", "chess:draws=loose", "--position", MORPHY, "--table", &file]).contains("does not hold")
    );
    assert!(refused(&["analyse", "tic-tac-toe", "--table", &file]).contains("kqk.table"));
    assert!(refused(&["solve", "tic-tac-toe", "--with", "df-pn", "--table", &file]).contains("only retrograde"));
}

#[test]
fn who_cannot_count_plies_says_so() {
    for algorithm in ["df-pn", "ubfm", "mcts", "mtdf", "maxn", "equilibria"] {
        let told = refused(&["solve", "tic-tac-toe", "--for", "length", "--with", algorithm]);
        assert!(told.contains("cannot tell how long a win takes"), "{algorithm}: {told}");
    }
    assert!(refused(&["solve", "nim:1,2,2,players=3", "--for", "length"]).contains("two players"));
    assert!(refused(&["show", "tic-tac-toe", "--tree", "--for", "length"]).contains("gain or score"));
    assert!(refused(&["solve", "tic-tac-toe", "--with", "retrograde", "--for", "score"]).contains("not scores"));
}

#[test]
fn a_script_with_cycles_is_solved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.script");
    std::fs::write(&file, "a: 1 round->b\nb: 2 back->a on->c\nc: 1 win lose\nwin = 1\nlose = -1\n").unwrap();
    let game = format!("script:{}", file.display());
    let told = text(&["solve", &game, "--with", "retrograde"]);
    assert!(told.contains("draw: proved") && told.contains("without end"), "{told}");
}
