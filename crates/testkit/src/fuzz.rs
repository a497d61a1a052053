//! Nonsense for everything that reads text: it must answer with one sentence or with something that can be written
//! again, and never panic.

use std::fmt::Display;

use perfectplay_core::{FullGame, Params, Payoff, Record, Scores, Spec, Visitor, ZeroSum};
use perfectplay_games::seam::Packed;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use crate::random_states;
use crate::spec::{OnPacked, visit_packed};

/// Feeds the readers of the game called `spec` (positions and moves) random text and changed good text, `cases` of
/// each.
///
/// # Panics
/// If a reader panics, answers with more than one line, or accepts a position that it cannot write and read again.
pub fn never_panics_on_text(spec: &str, cases: u32) {
    struct Fuzz(u32);
    impl OnPacked for Fuzz {
        type Output = ();
        fn on<P: Payoff, const S: usize, const K: usize, const M: usize>(self, game: Packed<P, S, K, M>) {
            fuzz_game(&game, self.0);
        }
    }
    visit_packed(spec, Fuzz(cases));
}

fn fuzz_game<G: FullGame>(game: &G, cases: u32) {
    let mut states = random_states(game, 8, 5);
    states.push(game.start());
    let positions: Vec<String> = states.iter().map(|s| game.position_text(s)).collect();
    feed(&positions, cases, |text| check_position(game, text));
    let mut moves = Vec::new();
    let mut texts = vec![String::from("a1")];
    for state in &states {
        moves.clear();
        game.expand(state, &mut moves);
        texts.extend(moves.iter().take(6).map(|&m| game.move_text(state, m)));
    }
    feed(&texts, cases, |text| states.iter().try_for_each(|state| check_move(game, state, text)));
}

fn check_position<G: FullGame>(game: &G, text: &str) -> Result<(), String> {
    let state = match game.parse_position(text) {
        Ok(state) => state,
        Err(error) => return one_sentence(&error),
    };
    let written = game.position_text(&state);
    let read = game.parse_position(&written).map_err(|e| format!("reads {text:?}, writes {written:?}, then: {e}"))?;
    if game.position_text(&read) != written || !game.facts().history && read != state {
        return Err(format!("reads {text:?} as {state:?}, then {written:?} as {read:?}"));
    }
    let mut moves = Vec::new();
    game.expand(&state, &mut moves);
    for &mv in &moves {
        game.after(&state, mv);
    }
    game.drawing(&state);
    Ok(())
}

fn check_move<G: FullGame>(game: &G, state: &G::State, text: &str) -> Result<(), String> {
    let mut legal = Vec::new();
    game.expand(state, &mut legal);
    match game.parse_move(state, text) {
        Ok(mv) if legal.contains(&mv) => Ok(()),
        Ok(mv) => Err(format!("{text:?} is read as the illegal move {mv:?}")),
        Err(error) => one_sentence(&error),
    }
}

/// Feeds what reads names with parameters: they must be refused or open a game.
///
/// # Panics
/// If a reader panics or answers with more than one line.
pub fn names_never_panic(good: &[String], cases: u32) {
    feed(good, cases, |text| {
        if let Err(error) = Params::parse(text) {
            one_sentence(&error)?;
        }
        match Spec::parse(text) {
            Err(error) => one_sentence(&error),
            Ok(spec) => match perfectplay_games::open(spec, Opened) {
                Some(Err(error)) => one_sentence(&error),
                Some(Ok(_)) | None => Ok(()),
            },
        }
    });
}

/// Only whether it opens.
struct Opened;

impl Visitor for Opened {
    type Output = ();
    fn zero_sum<G: FullGame<Payoff = ZeroSum>>(self, _: G) {}
    fn scores<const N: usize, G: FullGame<Payoff = Scores<N>>>(self, _: G) {}
    fn up_to_six<G: FullGame<Payoff = perfectplay_core::UpToSix>>(self, _: G) {}
}

/// Feeds the reader of matches.
///
/// # Panics
/// If it panics, answers with more than one line, or reads a match that is not read again after writing it.
pub fn records_never_panic(good: &[String], cases: u32) {
    feed(good, cases, |text| match Record::parse(text) {
        Err(error) => one_sentence(&error),
        Ok(record) if Record::parse(&record.to_text()).as_ref() == Ok(&record) => Ok(()),
        Ok(record) => Err(format!("{record:?} is written {:?}", record.to_text())),
    });
}

fn one_sentence(error: &impl Display) -> Result<(), String> {
    let text = error.to_string();
    let fine = !text.trim().is_empty() && !text.contains(['\n', '\r']);
    if fine { Ok(()) } else { Err(format!("an error must be one line, got {text:?}")) }
}

/// A small change of a text.
#[derive(Clone, Debug)]
enum Change {
    Insert(usize, char),
    Replace(usize, char),
    Delete(usize),
    Repeat(usize, usize),
    Cut(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let sign = || {
        prop_oneof![
            6 => prop::sample::select("0123456789/,:=x()[]- .#+abcXOxo|\"".chars().collect::<Vec<_>>()),
            1 => any::<char>(),
        ]
    };
    prop_oneof![
        (0..200usize, sign()).prop_map(|(at, c)| Change::Insert(at, c)),
        (0..200usize, sign()).prop_map(|(at, c)| Change::Replace(at, c)),
        (0..200usize).prop_map(Change::Delete),
        (0..200usize, 1..30usize).prop_map(|(at, length)| Change::Repeat(at, length)),
        (0..200usize).prop_map(Change::Cut),
    ]
}

fn apply(text: &str, changes: &[Change]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for change in changes {
        let length = chars.len();
        match *change {
            Change::Insert(at, c) => chars.insert(at % (length + 1), c),
            _ if length == 0 => {}
            Change::Replace(at, c) => chars[at % length] = c,
            Change::Delete(at) => {
                chars.remove(at % length);
            }
            Change::Repeat(at, count) => {
                let at = at % length;
                let piece: Vec<char> = chars[at..(at + count).min(length)].to_vec();
                chars.splice(at..at, piece);
            }
            Change::Cut(at) => chars.truncate(at % length),
        }
    }
    chars.into_iter().collect()
}

/// The same cases every time; `PROPTEST_CASES` in the environment asks for more.
fn feed(good: &[String], cases: u32, check: impl Fn(&str) -> Result<(), String>) {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(cases);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let changed =
        (prop::sample::select(good.to_vec()), vec(change(), 0..4)).prop_map(|(text, changes)| apply(&text, &changes));
    let text = prop_oneof![3 => changed, 1 => any::<String>()];
    let result = runner.run(&text, |text| check(&text).map_err(TestCaseError::fail));
    result.unwrap_or_else(|error| panic!("{error}"));
}
