//! Names that nobody knows, and what cannot be asked of those that are known.

use perfectplay_catalog::{ALGORITHMS, Algorithm, Setup, Threads, open};
use perfectplay_core::Budget;

#[test]
fn an_unknown_name_suggests_near_ones() {
    let error = |text| open(text).err().expect("no such game").to_string();
    assert_eq!(error("conect-for:7x6"), "there is no game \"conect-for\"; did you mean connect-four or connect6?");
    assert_eq!(error("zzz"), "there is no game \"zzz\"; `perfectplay games` lists them all");
    let error = Algorithm::parse("backwards-induction").unwrap_err().to_string();
    assert_eq!(error, "there is no algorithm \"backwards-induction\"; did you mean backward-induction?");
}

/// Threads are used, or it is said that they were not.
#[test]
fn no_thread_is_ignored_silently() {
    let game = open("tic-tac-toe").unwrap();
    'algorithms: for info in ALGORITHMS {
        let algorithm = Algorithm::parse(info.name).unwrap();
        for threads in [1, 2] {
            let mut search = match game.start().search(&algorithm, &Setup { threads, ..Setup::default() }) {
                Ok(search) => search,
                Err(_) => continue 'algorithms, // it does not play this game, however many threads there are
            };
            search.run(&Budget { threads, ..Budget::nodes(100) }, &mut ());
            let note = search.report().notes.into_iter().find(|note| note.contains("used one thread"));
            let expected = matches!(info.threads, Threads::One(_)) && threads > 1;
            assert_eq!(note.is_some(), expected, "{} with {threads}: {note:?}", info.name);
        }
        let reproducible = |threads| Setup { threads, reproducible: true, ..Setup::default() };
        assert!(game.start().search(&algorithm, &reproducible(1)).is_ok(), "one thread always is");
        let refusal = game.start().search(&algorithm, &reproducible(2)).err();
        assert_eq!(refusal.is_some(), matches!(info.threads, Threads::Racing(_)), "{}: {refusal:?}", info.name);
    }
}
