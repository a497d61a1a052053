//! Engines: real ones play whole games; broken ones lose with the reason and leave no process behind.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use perfectplay_arena::{Conditions, Ending, GameRecord, Openings, PlayerSpec, Rules, RunOptions, Store, Tournament};

fn play(game: &str, texts: [&str; 2], openings: &str, longest: u32, grace: u64) -> Vec<GameRecord> {
    let players = texts.map(|text| PlayerSpec::parse(text).unwrap()).to_vec();
    let rules = Rules { longest, grace: Duration::from_millis(grace), ..Rules::default() };
    let openings = Some(Openings::parse(openings).unwrap());
    let tournament =
        Tournament::new(game, players, Conditions { rounds: Some(1), openings, rules, ..Conditions::default() });
    let tournament = tournament.unwrap();
    let mut store = Store::in_memory().unwrap();
    tournament.run(&mut store, &RunOptions::default(), &mut |_| {}).unwrap();
    tournament.games(&store).unwrap()
}

/// Whether a real engine is there. Where PERFECTPLAY_ENGINES is set, as in CI, it must be.
fn installed(program: &str) -> bool {
    let there = Path::new(program).exists();
    assert!(there || std::env::var_os("PERFECTPLAY_ENGINES").is_none(), "{program} is not installed");
    if !there {
        eprintln!("skipped: {program} is not installed");
    }
    there
}

/// Nobody forfeits, and the engine sits in both seats.
fn decent(games: &[GameRecord]) {
    assert_eq!(games.len(), 2);
    for game in games {
        assert_ne!(game.ending, Ending::Forfeit, "{}: {:?}", game.reason, game.moves);
        assert!(game.moves.len() >= 20, "{:?}", game.moves);
    }
}

#[test]
fn stockfish_plays_chess() {
    if !installed("/usr/games/stockfish") {
        return;
    }
    let games =
        play("chess", ["uci:/usr/games/stockfish?Hash=4@nodes=2000", "alpha-beta@nodes=1000"], "random:2", 200, 20_000);
    decent(&games);
    let strong = |game: &GameRecord| game.gains[usize::from(game.job.seating[0] != 0)];
    assert!(games.iter().all(|game| strong(game) >= 0), "{games:?}");
    assert!(games[0].versions.iter().any(|v| v.starts_with("Stockfish")), "{:?}", games[0].versions);
    assert!(games.iter().all(|g| g.played.iter().all(|p| p.nodes > 0 && p.with_depth > 0)));
}

#[test]
fn fairy_stockfish_plays_breakthrough() {
    if !installed("/usr/games/fairy-stockfish") {
        return;
    }
    let fairy = "uci:/usr/games/fairy-stockfish?UCI_Variant=breakthrough@nodes=1000";
    decent(&play("breakthrough:8x8", [fairy, "alpha-beta@nodes=1000"], "random:2", 200, 20_000));
}

#[test]
fn gnugo_plays_go() {
    if !installed("/usr/games/gnugo") {
        return;
    }
    let games = play(
        "go:9",
        ["gtp:gnugo --mode gtp --level 1 --chinese-rules --capture-all-dead", "greedy"],
        "start",
        300,
        20_000,
    );
    assert_eq!(games.len(), 2);
    for game in &games {
        // GNU Go is far better, if it takes dead stones off the board: ours counts all that stand there.
        assert_eq!(game.ending, Ending::Rules, "{}: {:?}", game.reason, game.moves);
        assert!(game.gains[usize::from(game.job.seating[0] != 0)] > 0, "{:?}", game.moves);
        assert!(game.versions.iter().any(|v| v.starts_with("GNU Go")));
    }
}

/// An engine of a few lines of shell that speaks UCI and then misbehaves. It writes its own number and that of a child.
fn fake(folder: &Path, on_go: &str) -> (String, PathBuf) {
    let (script, pids) = (folder.join("engine.sh"), folder.join("pids"));
    let text = format!(
        "#!/bin/sh\nsleep 1000 &\necho $$ $! >> {}\nwhile read line; do case \"$line\" in\n\
         uci) echo id name Fake; echo uciok;;\nisready) echo readyok;;\ngo*) {on_go};;\nesac; done\n",
        pids.display()
    );
    std::fs::write(&script, text).unwrap();
    (format!("uci:sh {}@time=50ms", script.display()), pids)
}

/// All processes named in the file are gone.
fn nobody_left(pids: &Path) {
    let text = std::fs::read_to_string(pids).unwrap();
    let deadline = Instant::now() + Duration::from_secs(5);
    for pid in text.split_whitespace() {
        let alive = || {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            !status.is_empty() && !status.contains("State:\tZ")
        };
        while alive() {
            assert!(Instant::now() < deadline, "process {pid} is still there");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn broken_engines_lose_and_leave_nothing_behind() {
    for (what, on_go, reason) in [
        ("hangs", "sleep 1000", "did not answer in time"),
        ("crashes", "kill -9 $$", "it ended"),
        ("leaves", "exit 3", "it ended"),
        ("cheats", "echo bestmove e1e8", "illegal move"),
        ("babbles", "echo bestmove hello", "illegal move"),
        ("resigns", "echo bestmove 0000", "named no move"),
        ("floods", "while :; do echo info depth 1 nodes 1; done", "in time"),
        (
            "never ends a line",
            "while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done",
            "did not answer in time",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (engine, pids) = fake(folder.path(), on_go);
        // Those who never answer should not hold up the test; those who do may be slow on a busy machine.
        let grace = if reason.contains("in time") { 500 } else { 20_000 };
        let games = play("chess", [&engine, "random"], "start", 100, grace);
        assert_eq!(games.len(), 2, "{what}");
        for game in &games {
            let seat = usize::from(game.job.seating[0] != 0);
            assert_eq!((game.ending, game.gains[seat], game.gains[1 - seat]), (Ending::Forfeit, -1, 1), "{what}");
            assert!(game.reason.contains(reason), "{what}: {}", game.reason);
        }
        nobody_left(&pids);
    }
}

#[test]
fn what_is_no_engine_is_refused_before_the_first_game() {
    let stop = Default::default();
    let check = |player: &str| {
        let players = vec![PlayerSpec::parse(player).unwrap(), PlayerSpec::parse("random").unwrap()];
        Tournament::new("chess", players, Conditions::default()).unwrap().check(&stop).unwrap_err().to_string()
    };
    assert!(check("uci:false").contains("does not speak UCI: it ended"), "{}", check("uci:false"));
    let folder = tempfile::tempdir().unwrap();
    let (engine, pids) = fake(folder.path(), "true");
    let with_option = engine.replace("@time", "?Hash=1@time");
    assert!(check(&with_option).contains("no option \"Hash\""), "{}", check(&with_option));
    nobody_left(&pids);
}
