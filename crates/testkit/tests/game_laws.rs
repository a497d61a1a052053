//! The laws of games, on every example of every game; one line more for each variant worth it.

use perfectplay_core::{Scores, ZeroSum};
use perfectplay_games::GAMES;
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::script::Script;
use perfectplay_games::seam::Packed;
use perfectplay_testkit::perft_table::{self, Patience};
use perfectplay_testkit::{Extent, check_spec, fuzz, game_laws, pages, playthrough, soak};
use std::collections::HashSet;

/// A part of the games, so that parts are tested side by side.
fn examples(part: usize) -> impl Iterator<Item = &'static str> {
    GAMES.iter().skip(part).step_by(4).flat_map(|game| game.examples.iter().copied())
}

macro_rules! in_four_parts {
    ($($test:ident: $check:expr;)*) => {$(
        mod $test {
            #[allow(unused_imports)]
            use super::*;

            #[test]
            fn part_1() {
                examples(0).for_each($check);
            }
            #[test]
            fn part_2() {
                examples(1).for_each($check);
            }
            #[test]
            fn part_3() {
                examples(2).for_each($check);
            }
            #[test]
            fn part_4() {
                examples(3).for_each($check);
            }
        }
    )*};
}

in_four_parts! {
    every_example_obeys_the_laws: |spec| check_spec(spec, &Extent::default());
    no_reader_panics: |spec| fuzz::never_panics_on_text(spec, 64);
}

game_laws!(one_cell, "mnk:1x1x1");
game_laws!(rows_of_one, "mnk:5x1x2");
game_laws!(wide_board, "mnk:22x22x6");
game_laws!(wide_board_for_three, "mnk:19x19x5,players=3");
game_laws!(flat_connect_four, "connect-four:9x1");
game_laws!(wide_connect_four, "connect-four:15x14");
game_laws!(many_heaps, "nim:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15");
game_laws!(large_heaps, "nim:255,255,players=6,misere=on");
game_laws!(five_players, "random:players=5,depth=9,transpositions=0.7,turns=any");
game_laws!(two_with_own_scores, "random:zero-sum=off,outcomes=4");
game_laws!(zugzwang, Script::<ZeroSum>::parse(include_str!("../../../data/scripts/zugzwang.txt")).unwrap());
game_laws!(kingmaker, Script::<Scores<3>>::parse(include_str!("../../../data/scripts/kingmaker.txt")).unwrap());
game_laws!(native, ConnectFour::<u64>::new(4, 3));
game_laws!(packed, Packed::<ZeroSum, 4, 2, 1>::new(ConnectFour::<u64>::new(4, 3)));
game_laws!(on_the_heap, Packed::<ZeroSum, 1, 1, 1>::new(ConnectFour::<u64>::new(4, 3)));

#[test]
fn names_are_unique_and_have_examples() {
    let mut names = HashSet::new();
    for game in GAMES {
        assert!(names.insert(game.name), "two games are called {}", game.name);
        assert!(!game.examples.is_empty(), "{} has no example", game.name);
        assert!(game.examples.iter().all(|e| e.starts_with(game.name)), "{}", game.name);
    }
}

#[test]
fn readers_of_names_and_matches_never_panic() {
    let names: Vec<String> = GAMES.iter().flat_map(|g| g.examples).map(|&e| e.to_owned()).collect();
    fuzz::names_never_panic(&names, 1000);
    let records =
        ["[Game \"connect-four:7x6\"]\n[Result \"1-0\"]\n\n4 4 3 3\n", "[Game \"x\"]\n[Position \"a \\\"b\\\"\"]\n\n"];
    fuzz::records_never_panic(&records.map(String::from), 1000);
}

#[test]
fn playthroughs_are_as_they_were() {
    for game in GAMES {
        playthrough::compare(game.name, game.examples[0]);
    }
}

fn compare_counts(part: usize) {
    for name in perft_table::names().iter().skip(part).step_by(2) {
        assert!(GAMES.iter().any(|g| g.name == name), "data/perft has a table for {name}, which is no game");
        let compared: usize = perft_table::load(name).iter().map(|e| perft_table::check(e, Patience::SHORT)).sum();
        assert!(compared >= 5, "only {compared} counts of {name} were compared");
    }
}

#[test]
fn counts_agree_with_other_programs() {
    compare_counts(0);
}

#[test]
fn counts_agree_with_other_programs_too() {
    compare_counts(1);
}

#[test]
#[ignore = "takes hours"]
fn all_counts_agree_with_other_programs() {
    for name in perft_table::names() {
        for entry in perft_table::load(&name) {
            let compared = perft_table::check(&entry, Patience::LONG);
            println!("{name} {:?} {} {}: {compared} of {}", entry.kind, entry.game, entry.position, entry.counts.len());
        }
    }
}

#[test]
fn pages_say_what_the_games_say() {
    pages::compare(GAMES);
}

#[test]
fn random_games_keep_all_bounds() {
    for spec in GAMES.iter().flat_map(|game| game.examples) {
        soak(spec, 5, 3);
    }
}

#[test]
#[ignore = "takes minutes"]
fn ten_thousand_random_games_keep_all_bounds() {
    for game in GAMES {
        let each = 10_000 / game.examples.len() as u32 + 1;
        for spec in game.examples {
            let started = std::time::Instant::now();
            let moves = soak(spec, each, 4);
            println!("{spec}: {each} games, {moves} moves, {:.0} s", started.elapsed().as_secs_f32());
        }
    }
}
