//! Who meets whom, from where, with which result; and that a tournament goes on where it was.

use std::collections::{HashMap, HashSet};

use perfectplay_arena::{
    Conditions, End, Ending, Kind, Openings, PlayerSpec, Rules, RunOptions, Seatings, Store, Tournament, move_lists,
    pgn,
};
use perfectplay_core::{Objective, Record};

fn players(texts: &[&str]) -> Vec<PlayerSpec> {
    texts.iter().map(|text| PlayerSpec::parse(text).unwrap()).collect()
}

fn plan(game: &str, texts: &[&str], conditions: Conditions) -> Tournament {
    Tournament::new(game, players(texts), conditions).unwrap()
}

fn rounds(rounds: u32) -> Conditions {
    Conditions { rounds: Some(rounds), ..Conditions::default() }
}

#[test]
fn everybody_meets_everybody_in_both_colours() {
    let tournament = plan("tic-tac-toe", &["random", "greedy", "ubfm", "random"], rounds(3));
    let seatings: Vec<&Vec<usize>> = tournament.jobs().iter().map(|job| &job.seating).collect();
    assert_eq!(seatings.len(), 3 * 6 * 2);
    for a in 0..4 {
        for b in (0..4).filter(|&b| b != a) {
            assert_eq!(seatings.iter().filter(|s| ***s == [a, b]).count(), 3, "{a} {b}");
        }
    }
    let names: HashSet<String> = tournament.jobs().iter().map(|job| job.name()).collect();
    assert_eq!(names.len(), 36);
    assert_eq!(tournament.labels()[3], "random #2");
    let gauntlet = Conditions { kind: Kind::Gauntlet, ..rounds(3) };
    let gauntlet = plan("tic-tac-toe", &["random", "greedy", "ubfm"], gauntlet);
    assert!(gauntlet.jobs().len() == 12 && gauntlet.jobs().iter().all(|job| job.seating.contains(&0)));
}

#[test]
fn mixed_seatings_give_two_equal_kinds_one_half() {
    let mixed = plan("mnk:3x3x3,players=3", &["random", "random"], rounds(60));
    let seatings: HashSet<Vec<usize>> = mixed.jobs().iter().map(|job| job.seating.clone()).collect();
    assert_eq!(seatings.len(), 6); // 2³ less the two in which one kind has all seats
    let mut store = Store::in_memory().unwrap();
    mixed.run(&mut store, &RunOptions::default(), &mut |_| {}).unwrap();
    let table = mixed.table(&store).unwrap();
    assert!((table.rows[0].score + table.rows[1].score - 1.0).abs() < 1e-9);
    assert!(table.rows.iter().all(|row| row.interval.contains(0.5)), "{table:?}");
    let orders = Conditions { seatings: Some(Seatings::Orders), ..rounds(1) };
    assert_eq!(plan("mnk:3x3x3,players=3", &["random", "greedy", "ubfm"], orders.clone()).jobs().len(), 6);
    assert!(Tournament::new("mnk:3x3x3,players=3", players(&["random", "greedy"]), orders).is_err());
}

#[test]
fn openings_are_seeded_read_or_complete() {
    let game = perfectplay_catalog::open("connect-four:7x6").unwrap();
    let random = Openings::parse("random:4").unwrap();
    let list = |n, seed| random.list(&*game, Some(n), 10, seed).unwrap();
    assert_eq!(list(20, 1), list(20, 1));
    assert_ne!(list(20, 1), list(20, 2));
    assert_eq!(list(5, 1), list(20, 1)[..5]); // more rounds go on with the same openings
    assert_eq!(list(20, 1).iter().map(|o| o.reach(&*game).unwrap().text()).collect::<HashSet<_>>().len(), 20);
    let all = |k| Openings::All(k).list(&*game, None, 10, 0).unwrap().len();
    assert_eq!([all(0), all(1), all(2)], [1, 7, 49]);
    assert_eq!(all(3), 238); // different positions after three plies: 4, 7 or 49 ways lead to some
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("openings.txt");
    std::fs::write(&file, "# well known\n4 4\n\n443\n").unwrap();
    let read = Openings::parse(&format!("file:{}", file.display())).unwrap();
    let openings = read.list(&*game, None, 10, 0).unwrap();
    assert_eq!(openings.iter().map(|o| o.moves.join("")).collect::<Vec<_>>(), ["44", "443"]);
    std::fs::write(&file, "4 9\n").unwrap();
    assert!(read.list(&*game, None, 10, 0).unwrap_err().to_string().contains("line 1"));
    for text in ["random", "all:x", "file:", "book", "random:9999"] {
        assert!(Openings::parse(text).is_err(), "{text}");
    }
    assert!(Openings::All(9).list(&*perfectplay_catalog::open("tic-tac-toe").unwrap(), None, 10, 0).is_err());
}

fn everything(tournament: &Tournament, store: &Store) -> Vec<(String, Vec<String>, Vec<i32>)> {
    tournament.games(store).unwrap().into_iter().map(|g| (g.job.name(), g.moves, g.gains)).collect()
}

#[test]
fn threads_and_interruptions_change_nothing() {
    // Games that take long enough for a stop to be heard before all of them are over.
    let players = ["ubfm@nodes=2500", "mcts@nodes=2000", "random"];
    let make = || plan("connect-four:5x4", &players, rounds(6));
    let mut alone = Store::in_memory().unwrap();
    let one = RunOptions { threads: Some(1), ..RunOptions::default() };
    assert_eq!(make().run(&mut alone, &one, &mut |_| {}).unwrap(), End::Complete);
    let mut broken = Store::in_memory().unwrap();
    let mut runs = 0;
    loop {
        let options = RunOptions { threads: Some(4), ..RunOptions::default() };
        let (stop, mut heard) = (options.stop.clone(), 0);
        runs += 1;
        let end = make().run(&mut broken, &options, &mut |_| {
            heard += 1;
            if heard == 2 {
                stop.pull();
            }
        });
        if end.unwrap() == End::Complete {
            break;
        }
    }
    assert!(runs > 2, "{runs}");
    assert_eq!(everything(&make(), &alone), everything(&make(), &broken));
    // More rounds: the first ones are not played again.
    let more = plan("connect-four:5x4", &players, rounds(7));
    let mut first = None;
    more.run(&mut alone, &one, &mut |progress| {
        first.get_or_insert(progress.done);
    })
    .unwrap();
    assert_eq!(first, Some(36));
    assert_eq!(everything(&more, &alone)[..36], everything(&make(), &broken));
}

#[test]
fn the_stronger_player_comes_first() {
    let texts = ["random", "ubfm@nodes=400", "greedy"];
    let tournament = plan("connect-four:7x6", &texts, rounds(15));
    let mut store = Store::in_memory().unwrap();
    tournament.run(&mut store, &RunOptions::default(), &mut |_| {}).unwrap();
    let table = tournament.table(&store).unwrap();
    assert_eq!(table.ranking()[0], 1, "{table:#?}");
    assert_eq!(table.ranking()[2], 0);
    let best = &table.rows[1];
    assert!(best.interval.0 > 0.6 && best.rating_interval.0 > 0.0, "{best:?}");
    assert!(table.rows.iter().all(|row| row.games == 60 && row.wins + row.draws + row.losses == 60));
    assert!(best.nodes > 0.0 && best.nodes <= 500.0, "{}", best.nodes); // the tree is kept, nodes count per move
    let penta: u64 = table.pairs[0].pentanomial.unwrap().iter().sum();
    assert_eq!(penta, 15);
}

#[test]
fn an_sprt_stops_early_and_at_the_same_game_every_time() {
    let tournament = plan("connect-four:5x4", &["ubfm@nodes=300", "random"], rounds(400));
    let mut counts = HashMap::new();
    for threads in [1, 3] {
        let mut store = Store::in_memory().unwrap();
        let sprt: perfectplay_arena::stats::Sprt = "elo0=0,elo1=50".parse().unwrap();
        let options = RunOptions { threads: Some(threads), sprt: Some(sprt), ..RunOptions::default() };
        assert_eq!(tournament.run(&mut store, &options, &mut |_| {}).unwrap(), End::Decided);
        let games = tournament.games(&store).unwrap();
        assert!(games.len() < 400, "{}", games.len());
        counts.insert(threads, format!("{:?}", tournament.sequential(&sprt, &games)));
    }
    assert_eq!(counts[&1], counts[&3]);
}

#[test]
fn games_that_are_too_long_are_draws_and_scores_can_count() {
    let short = Rules { longest: 3, ..Rules::default() };
    let tournament = plan("tic-tac-toe", &["random", "greedy"], Conditions { rules: short, ..rounds(2) });
    let mut store = Store::in_memory().unwrap();
    tournament.run(&mut store, &RunOptions::default(), &mut |_| {}).unwrap();
    let games = tournament.games(&store).unwrap();
    assert!(games.iter().any(|g| g.ending == Ending::Length && g.gains == [0, 0] && g.moves.len() == 3));
    let rules = Rules { objective: Objective::Score, ..Rules::default() };
    let tournament = plan("dots-and-boxes:2x2", &["random", "greedy"], Conditions { rules, ..rounds(3) });
    tournament.run(&mut store, &RunOptions::default(), &mut |_| {}).unwrap();
    assert_eq!(tournament.table(&store).unwrap().rows[0].games, 6);
}

#[test]
fn games_can_be_read_by_others() {
    let tournament = plan(
        "chess",
        &["random", "greedy"],
        Conditions { rules: Rules { longest: 30, ..Rules::default() }, ..rounds(2) },
    );
    let mut store = Store::in_memory().unwrap();
    tournament.run(&mut store, &RunOptions::default(), &mut |_| {}).unwrap();
    let games = tournament.games(&store).unwrap();
    let text = pgn(tournament.game(), &tournament.labels(), &games).unwrap();
    assert_eq!(text.matches("[Event ").count(), 4);
    assert!(text.lines().all(|line| line.len() < 80 || line.starts_with('[')), "{text}");
    // The moves in SAN lead through the same game as those in our notation.
    for (game, pgn) in games.iter().zip(text.split("[Event ").skip(1)) {
        let moves = pgn.split("\n\n").nth(1).unwrap().split('{').next().unwrap();
        let words = moves.split_whitespace().filter(|w| !w.ends_with('.') && !["1-0", "0-1", "1/2-1/2"].contains(w));
        let mut position = tournament.game().start();
        let mut ours = game.opening.moves.iter().chain(&game.moves);
        for san in words {
            let mut other = position.clone_box();
            other.play(ours.next().unwrap()).unwrap();
            position.play(san).unwrap();
            assert_eq!(position.text(), other.text(), "{san}");
        }
        assert_eq!(ours.next(), None);
    }
    let lists = move_lists("chess", &tournament.labels(), &games);
    let first = Record::parse(lists.split("\n\n[Game").next().unwrap()).unwrap();
    assert_eq!(first.moves.len(), games[0].opening.moves.len() + games[0].moves.len());
    assert!(pgn(perfectplay_catalog::open("hex:3").unwrap().as_ref(), &[], &games).is_err());
}

#[test]
fn stores_of_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let message = |name: &str| Store::open(&folder.path().join(name)).err().expect("refused").to_string();
    std::fs::write(
        folder.path().join("text"),
        "this is a text and no database at all, but long enough to be one\n".repeat(20),
    )
    .unwrap();
    assert!(message("text").contains("not a database"));
    let foreign = rusqlite::Connection::open(folder.path().join("foreign")).unwrap();
    foreign.execute_batch("CREATE TABLE x (y)").unwrap();
    assert!(message("foreign").contains("holds no tournaments"));
    drop(Store::open(&folder.path().join("old")).unwrap());
    rusqlite::Connection::open(folder.path().join("old")).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(message("old").contains("format 99"), "{}", message("old"));
    assert!(message("no/such/folder").contains("cannot be opened"));
    assert!(Store::open_existing(&folder.path().join("none")).is_err());
}

#[test]
fn bad_players_get_a_sentence() {
    for (text, word) in [
        ("ubfn", "did you mean ubfm"),
        ("ubfm@", "time="),
        ("ubfm@nodes=0", "neither can be 0"),
        ("ubfm@time=soon", "a time like 10s"),
        ("ubfm@depth=3", "memory="),
        ("ubfm@fast", "after @"),
        ("uci:", "a command"),
        ("uci:x?Hash", "Hash=64"),
        ("gtp:\"gnugo", "quote"),
    ] {
        let error = PlayerSpec::parse(text).unwrap_err().to_string();
        assert!(error.contains(word) && error.contains(text) && !error.contains('\n'), "{error}");
    }
    let stop = Default::default();
    let refused =
        |game: &str, player: &str| plan(game, &["random", player], rounds(1)).check(&stop).unwrap_err().to_string();
    assert!(refused("tic-tac-toe", "ubfm:eval=best").contains("eval"));
    assert!(refused("mnk:3x3x3,players=3", "pns").contains("two players"));
    assert!(refused("chess", "uci:/no/such/engine").contains("cannot start"));
    assert!(refused("tic-tac-toe", "uci:cat").contains("not tic-tac-toe"));
    assert_eq!(PlayerSpec::parse("ubfm@time=250ms,memory=1M").unwrap().limits().memory, Some(1 << 20));
    let limits = PlayerSpec::parse("ubfm@time=1h,nodes=1e6").unwrap().limits();
    assert_eq!((limits.time, limits.nodes), (Some(std::time::Duration::from_secs(3600)), Some(1_000_000)));
    assert_eq!(PlayerSpec::parse("alpha-beta:depth=3").unwrap().limits().nodes, None);
}
