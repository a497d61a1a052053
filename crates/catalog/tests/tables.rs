//! Tables of all values: what is written is looked up and verified, and nothing false passes.

use std::fs::File;
use std::path::Path;

use perfectplay_catalog::{Algorithm, Error, ProofFile, Setup, open};
use perfectplay_check::table::{Table, check_table, is_table};
use perfectplay_core::{Budget, LONGEST, Objective, Plain, plies_of};

const MEMORY: usize = 1 << 28;

fn write(game: &str, file: &Path) -> Result<u64, Error> {
    let position = open(game)?.start();
    let mut search = position.search(&Algorithm::parse("retrograde")?, &Setup::default())?;
    search.can_write_table()?;
    search.run(&Budget::unlimited(), &mut ());
    search.write_table(ProofFile::new(file)?).map(|line| line.positions)
}

/// A game whose positions repeat, with wins of both sides and draws.
const LOOPY: &str = "random:depth=7,branching=3,cycles=0.3,turns=any,seed=9";

#[test]
fn a_table_is_written_verified_and_looked_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.table");
    for game in [LOOPY, "tic-tac-toe", "connect-four:4x3", "nim:1,2,3", "go:2,ko=simple"] {
        let positions = write(game, &file).unwrap();
        assert!(is_table(&file).unwrap());
        let checked = check_table(&file, MEMORY).unwrap();
        assert_eq!(checked.header.positions, positions, "{game}");
        assert_eq!(checked.won_drawn_lost.iter().sum::<u64>(), positions, "{game}");
        let mut position = open(game).unwrap().start();
        let setup = Setup { objective: Objective::Length, ..Setup::default() };
        for _ in 0..3 {
            let told = position.look_up(&file, MEMORY).unwrap();
            let mut search = position.search(&Algorithm::parse("retrograde").unwrap(), &setup).unwrap();
            search.run(&Budget::unlimited(), &mut ());
            let searched = search.report();
            assert_eq!((&told.value, told.plies, &told.moves), (&searched.value, searched.plies, &searched.moves));
            assert_eq!(told.best_move, searched.best_move, "{game}");
            let Some(mv) = position.moves().last().cloned() else { break };
            position.play(&mv).unwrap();
        }
    }
}

#[test]
fn wrong_tables_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [file, forged] = ["a", "b"].map(|name| folder.path().join(name));
    // A game in which somebody wins late, and somebody draws.
    let loopy = |seed: u32| {
        let game = format!("random:depth=7,branching=3,cycles=0.3,turns=any,seed={seed}");
        let positions = write(&game, &file).unwrap() as usize;
        let (header, table) = Table::<[u64; 2]>::read(File::open(&file).unwrap(), MEMORY).unwrap();
        let keys = (0..u64::from(u16::MAX)).map(|n| [n, 0]);
        let entries: Vec<([u64; 2], i32)> = keys.filter_map(|key| Some((key, table.value(&key)?))).collect();
        assert_eq!(entries.len(), positions, "keys of random games are small numbers");
        let late = entries.iter().any(|e| e.1 != 0 && plies_of(e.1) > 2);
        (late && entries.iter().any(|e| e.1 == 0)).then_some((positions, header, entries))
    };
    let (positions, header, entries) = (0..100).find_map(loopy).expect("a late win and a draw in one of them");
    let check = |entries: Vec<([u64; 2], i32)>| {
        let out = File::create(&forged).unwrap();
        Table::new(entries).write(header.game.clone(), header.position.clone(), out).unwrap();
        check_table(&forged, MEMORY)
    };
    assert!(check(entries.clone()).is_ok());
    for at in 0..positions {
        for value in [0, LONGEST - 1, 1 - LONGEST, LONGEST - 3, 2, -2, 1, -1] {
            let mut wrong = entries.clone();
            wrong[at].1 = value;
            assert!(value == entries[at].1 || check(wrong).is_err(), "entry {at} with {value}");
        }
        let mut without = entries.clone();
        without.remove(at);
        assert!(check(without).is_err(), "without entry {at}");
    }
    let mut more = entries.clone();
    more.push(([1 << 20, 0], 0));
    assert!(check(more).is_err(), "a position that cannot be reached");
    // Draws told as far wins of one player: they would hold each other up, if distances had no end.
    let far = |sign: i32| entries.iter().map(|&(key, v)| (key, if v == 0 { sign } else { v })).collect();
    assert!(check(far(1)).is_err() && check(far(-1)).is_err());
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&forged, &bytes).unwrap();
    assert!(check_table(&forged, MEMORY).is_err(), "a flipped bit");
    assert_eq!(<[u64; 2]>::SIZE as u64, header.key_bytes);
}

#[test]
fn who_cannot_write_or_answer_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.table");
    let refused = |game: &str, with: &str| {
        let search = open(game).unwrap().start().search(&Algorithm::parse(with).unwrap(), &Setup::default()).unwrap();
        search.can_write_table().unwrap_err().to_string()
    };
    assert!(refused("tic-tac-toe", "alpha-beta").contains("only retrograde"));
    assert!(refused("chess", "retrograde").contains("no table can be written"));
    write("tic-tac-toe", &file).unwrap();
    let other = open("connect-four:4x3").unwrap().start().look_up(&file, MEMORY).unwrap_err().to_string();
    assert!(other.contains("keys") || other.contains("is about"), "{other}");
    let missing = open("tic-tac-toe").unwrap().start().look_up(&folder.path().join("no"), MEMORY);
    assert!(matches!(missing, Err(Error::Unreadable(_))));
    let nothing =
        open("tic-tac-toe").unwrap().start().search(&Algorithm::parse("retrograde").unwrap(), &Setup::default());
    assert!(matches!(nothing.unwrap().write_table(ProofFile::new(&file).unwrap()), Err(Error::Unproved(_))));
}
