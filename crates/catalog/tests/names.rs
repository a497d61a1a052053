//! Names that nobody knows, and what cannot be asked of those that are known.

use perfectplay_catalog::{ALGORITHMS, Algorithm, AnyGame, GROWING, Report, Setup, Threads, open};
use perfectplay_core::{Budget, Observer};

#[test]
fn an_unknown_name_suggests_near_ones() {
    let error = |text| open(text).err().expect("no such game").to_string();
    assert_eq!(error("conect-for:7x6"), "there is no game \"conect-for\"; did you mean connect-four or connect6?");
    assert_eq!(error("zzz"), "there is no game \"zzz\"; `perfectplay games` lists them all");
    let error = Algorithm::parse("backwards-induction").unwrap_err().to_string();
    assert_eq!(error, "there is no algorithm \"backwards-induction\"; did you mean backward-induction?");
}

/// The first of these games that an algorithm plays.
fn played_by(algorithm: &Algorithm, games: &[&str]) -> Box<dyn AnyGame> {
    let mut opened = games.iter().map(|game| open(game).unwrap());
    let found = opened.find(|game| game.start().search(algorithm, &Setup::default()).is_ok());
    found.unwrap_or_else(|| panic!("{} plays none", algorithm.info.name))
}

/// Threads are used, or it is said that they were not.
#[test]
fn no_thread_is_ignored_silently() {
    for info in ALGORITHMS {
        let algorithm = Algorithm::parse(info.name).unwrap();
        let game = played_by(&algorithm, &["tic-tac-toe", "breakthrough:4x4", "chinese-checkers:3,players=3"]);
        for threads in [1, 2] {
            let mut search = game.start().search(&algorithm, &Setup { threads, ..Setup::default() }).unwrap();
            search.run(&Budget { threads, ..Budget::nodes(100) }, &mut ());
            let report = search.report();
            let note = report.notes.iter().find(|note| note.contains("used one thread"));
            let expected = matches!(info.threads, Threads::One(_)) && threads > 1;
            assert_eq!(note.is_some(), expected, "{} with {threads}: {note:?}", info.name);
            assert_eq!(report.threads, if expected { 1 } else { threads }, "{}", info.name);
        }
        let reproducible = |threads| Setup { threads, reproducible: true, ..Setup::default() };
        assert!(game.start().search(&algorithm, &reproducible(1)).is_ok(), "one thread always is");
        let refusal = game.start().search(&algorithm, &reproducible(2)).err();
        assert_eq!(refusal.is_some(), matches!(info.threads, Threads::Racing(_)), "{}: {refusal:?}", info.name);
    }
}

#[test]
fn those_that_are_said_to_tell_how_their_tree_grows_do_and_no_others() {
    for info in ALGORITHMS {
        let algorithm = Algorithm::parse(info.name).unwrap();
        let game = played_by(&algorithm, &["tic-tac-toe", "breakthrough:4x4", "chinese-checkers:3,players=3"]);
        let search = game.start().search(&algorithm, &Setup::default()).unwrap();
        let said = GROWING.iter().any(|growing| growing.name == info.name);
        assert_eq!(search.grows(), said, "{}", info.name);
    }
}

/// Who wants to see how the tree grows.
struct Watcher;

impl Observer for Watcher {
    fn wants_growth(&self) -> bool {
        true
    }
}

#[test]
fn a_search_that_is_watched_says_that_it_used_one_thread() {
    for name in ["ubfm", "descent", "umb"] {
        let algorithm = Algorithm::parse(name).unwrap();
        let mut search = open("tic-tac-toe").unwrap().start().search(&algorithm, &Setup::default()).unwrap();
        search.run(&Budget { threads: 2, ..Budget::nodes(100) }, &mut Watcher);
        let report = search.report();
        assert_eq!(report.threads, 1, "{name}");
        assert!(report.notes.iter().any(|note| note.contains("one thread of 2")), "{name}: {:?}", report.notes);
    }
}

/// As many threads, the same seed and the same budget: the same report, but for the time it took. Where that cannot be,
/// it is refused (above).
#[test]
fn what_is_reproducible_is_the_same_every_time() {
    for info in ALGORITHMS.iter().filter(|info| !matches!(info.threads, Threads::Racing(_))) {
        let algorithm = Algorithm::parse(info.name).unwrap();
        let game = played_by(&algorithm, &["connect-four:4x4", "breakthrough:4x4", "chinese-checkers:3,players=3"]);
        for threads in [2, 3, 8] {
            for nodes in [1_000, 30_000] {
                let found = || {
                    let setup = Setup { seed: 7, threads, reproducible: true, ..Setup::default() };
                    let mut search = game.start().search(&algorithm, &setup).unwrap();
                    search.run(&Budget { threads, ..Budget::nodes(nodes) }, &mut ());
                    Report { seconds: 0.0, ..search.report() }
                };
                let first = found();
                let one = first.notes.iter().any(|note| note.contains("one thread of"));
                assert_eq!(first.threads, if one { 1 } else { threads }, "{}: {:?}", info.name, first.notes);
                for _ in 0..2 {
                    assert_eq!(found(), first, "{}, {threads} threads, {nodes} nodes", info.name);
                }
            }
        }
    }
}
