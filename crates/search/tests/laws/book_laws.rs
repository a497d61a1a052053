//! Opening books: every value is the oracle's, an interrupted build goes on, a broken file is refused, a wrong book is
//! found out.

use std::path::Path;
use std::sync::Arc;

use crate::common::packed;
use perfectplay_core::{Budget, Facts, FullGame, Game, Objective, Player, Status, Stop, ZeroSum};
use perfectplay_games::breakthrough::Breakthrough;
use perfectplay_games::connect_four::ConnectFour;
use perfectplay_games::seam::Tiny;
use perfectplay_search::Search;
use perfectplay_search::alpha_beta::exact_solver::scorer;
use perfectplay_search::book::{Book, BookError, Built, FromBook, Header, Order, build, check};
use perfectplay_search::oracle::backward_induction::BackwardInduction;

fn order(folder: &Path, plies: u32, objective: Objective) -> Order {
    Order { header: Header { game: "test".into(), objective, plies }, out: folder.join("a.book") }
}

fn built<G: FullGame<Payoff = ZeroSum>>(game: &Arc<G>, order: &Order, threads: usize, budget: &Budget) -> Built {
    let scorers = (0..threads).map(|_| scorer(game.clone(), 1 << 16).unwrap()).collect();
    build(&**game, order, scorers, budget, &mut ()).unwrap()
}

fn checked<G: FullGame<Payoff = ZeroSum>>(game: &Arc<G>, book: &Book, sample: usize) -> Result<usize, String> {
    let mut scorer = scorer(game.clone(), 1 << 16).unwrap();
    let checked = check(&**game, book, sample, &mut *scorer, &Budget::unlimited()).map_err(|e| e.to_string())?;
    assert_eq!(checked.followed + checked.leaves, book.positions());
    Ok(checked.solved)
}

/// All states up to `plies` moves from the start that are not over.
fn states<G: Game>(game: &G, plies: u32) -> Vec<G::State> {
    let (mut all, mut last) = (vec![], vec![game.start()]);
    for _ in 0..=plies {
        let mut next = Vec::new();
        for state in last.drain(..) {
            let mut moves = Vec::new();
            if let Status::Turn(_) = game.expand(&state, &mut moves) {
                all.push(state);
                next.extend(moves.iter().map(|&mv| game.after(&state, mv)));
            }
        }
        last = next;
    }
    all
}

fn a_book_tells_what_the_oracle_tells<G: FullGame<Payoff = ZeroSum>>(game: G, plies: u32) {
    let game = packed(game);
    for objective in [Objective::Gain, Objective::Score] {
        let mut oracle = BackwardInduction::new(game.clone(), game.start(), objective).unwrap();
        oracle.run(&Budget::unlimited(), &mut ());
        let folder = tempfile::tempdir().unwrap();
        let order = order(folder.path(), plies, objective);
        let result = built(&game, &order, 2, &Budget::unlimited());
        assert_eq!((result.stop, result.solved), (Stop::Done, result.leaves));
        assert!(!folder.path().join("a.book.part").exists());
        let book = Book::read(&order.out).unwrap();
        assert_eq!(book.header(), &order.header);
        assert_eq!(book.positions(), result.positions);
        for state in states(&*game, plies) {
            let truth = objective.value(oracle.value(&state).unwrap(), Player::FIRST);
            assert_eq!(
                book.value(&*game, &state, objective),
                Some(truth),
                "{}",
                perfectplay_core::Notation::position_text(&*game, &state)
            );
            let answer = FromBook::new(&*game, &state, objective, &book).unwrap().answer();
            let mut at = state;
            for &mv in &answer.line {
                game.play(&mut at, mv);
                assert_eq!(objective.value(oracle.value(&at).unwrap(), Player::FIRST), truth);
            }
            for report in answer.moves {
                let truth = objective.value(oracle.value(&game.after(&state, report.mv)).unwrap(), Player::FIRST);
                assert!(report.verdict.solved().is_none_or(|value| value == ZeroSum(truth)));
            }
        }
        assert_eq!(checked(&game, &book, 7), Ok(7.min(result.leaves)));
    }
}

#[test]
fn books_tell_what_the_oracle_tells() {
    a_book_tells_what_the_oracle_tells(ConnectFour::<u64>::new(4, 4), 4);
    a_book_tells_what_the_oracle_tells(ConnectFour::<u64>::new(5, 3), 3);
    a_book_tells_what_the_oracle_tells(Breakthrough::<u64>::new(3, 4, 1), 5);
}

#[test]
fn scores_tell_who_wins_and_not_the_other_way_round() {
    let game = packed(ConnectFour::<u64>::new(4, 4));
    let folder = tempfile::tempdir().unwrap();
    for (objective, other, known) in
        [(Objective::Score, Objective::Gain, true), (Objective::Gain, Objective::Score, false)]
    {
        let order = order(folder.path(), 2, objective);
        built(&game, &order, 1, &Budget::unlimited());
        let book = Book::read(&order.out).unwrap();
        assert_eq!(book.value(&*game, &game.start(), other).is_some(), known);
    }
}

#[test]
fn an_interrupted_build_goes_on_and_ends_with_the_same_book() {
    let game = packed(ConnectFour::<u64>::new(5, 4));
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let order_in_pieces = order(folder.path(), 3, Objective::Score);
    let whole = order(other.path(), 3, Objective::Score);
    built(&game, &whole, 1, &Budget::unlimited());
    let part = folder.path().join("a.book.part");
    let mut before = 0;
    let mut runs = 0;
    loop {
        let result = built(&game, &order_in_pieces, 1, &Budget::nodes(60_000));
        assert!(result.found >= before.min(result.leaves), "what was solved stays solved");
        if result.stop == Stop::Done {
            break;
        }
        assert_eq!(result.stop, Stop::Nodes);
        assert!(!order_in_pieces.out.exists());
        before = result.solved;
        runs += 1;
        if runs == 1 {
            assert!(before > 1);
            // A kill in the middle of a record costs that record.
            let bytes = std::fs::read(&part).unwrap();
            std::fs::write(&part, &bytes[..bytes.len() - 3]).unwrap();
            before -= 1;
        }
    }
    assert!(runs > 1);
    assert_eq!(std::fs::read(&order_in_pieces.out).unwrap(), std::fs::read(&whole.out).unwrap());
}

#[test]
fn the_rest_of_another_book_is_refused() {
    let game = packed(ConnectFour::<u64>::new(4, 4));
    let folder = tempfile::tempdir().unwrap();
    let first = order(folder.path(), 3, Objective::Score);
    assert_eq!(built(&game, &first, 1, &Budget::nodes(2_000)).stop, Stop::Nodes);
    let second = order(folder.path(), 2, Objective::Score);
    let scorers = vec![scorer(game.clone(), 1 << 16).unwrap()];
    let error = build(&*game, &second, scorers, &Budget::unlimited(), &mut ()).unwrap_err();
    assert!(error.to_string().contains("another book"), "{error}");
}

fn small_book() -> (Arc<Tiny<ZeroSum>>, Book) {
    let game = packed(ConnectFour::<u64>::new(4, 4));
    let folder = tempfile::tempdir().unwrap();
    let order = order(folder.path(), 2, Objective::Score);
    built(&game, &order, 1, &Budget::unlimited());
    (game, Book::read(&order.out).unwrap())
}

#[test]
fn every_damaged_byte_and_every_cut_is_noticed() {
    let bytes = small_book().1.to_bytes();
    assert!(Book::from_bytes(&bytes).is_ok());
    for at in 0..bytes.len() {
        assert!(Book::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert!(Book::from_bytes(&damaged).is_err(), "bit {bit} of byte {at}");
        }
    }
}

/// Changes that carry a right checksum are refused, or the check finds them, or they are no change of what is said.
#[test]
fn a_wrong_book_with_a_right_checksum_is_found_out() {
    let (game, book) = small_book();
    let bytes = book.to_bytes();
    let (mut refused, mut found_out) = (0, 0);
    for at in 0..bytes.len() - 4 {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let end = changed.len() - 4;
            let checksum = crc32fast::hash(&changed[..end]).to_le_bytes();
            changed[end..].copy_from_slice(&checksum);
            match Book::from_bytes(&changed) {
                Err(_) => refused += 1,
                Ok(other) if other.header().game != "test" => {}
                Ok(other) => match checked(&game, &other, usize::MAX) {
                    Err(_) => found_out += 1,
                    // Here scores and gains are the same numbers.
                    Ok(_) => assert_eq!(other.header().objective, Objective::Gain, "bit {bit} of byte {at}"),
                },
            }
        }
    }
    assert!(refused > 0 && found_out > 0, "{refused} {found_out}");
}

/// Connect Four whose keys would number positions anew in every run.
#[derive(Clone)]
struct Unstable(ConnectFour<u64>);

impl Game for Unstable {
    type State = <ConnectFour<u64> as Game>::State;
    type Move = u8;
    type Payoff = ZeroSum;
    type Key = u64;

    fn start(&self) -> Self::State {
        self.0.start()
    }

    fn expand(&self, state: &Self::State, moves: &mut Vec<u8>) -> Status<ZeroSum> {
        self.0.expand(state, moves)
    }

    fn play(&self, state: &mut Self::State, mv: u8) {
        self.0.play(state, mv);
    }

    fn key(&self, state: &Self::State) -> u64 {
        self.0.key(state)
    }

    fn facts(&self) -> Facts {
        self.0.facts()
    }
}

impl perfectplay_core::Notation for Unstable {
    fn position_text(&self, state: &Self::State) -> String {
        self.0.position_text(state)
    }

    fn parse_position(&self, text: &str) -> Result<Self::State, perfectplay_core::TextError> {
        self.0.parse_position(text)
    }

    fn move_text(&self, state: &Self::State, mv: u8) -> String {
        self.0.move_text(state, mv)
    }
}

impl perfectplay_core::Symmetric for Unstable {}
impl perfectplay_core::Playouts for Unstable {}
impl perfectplay_core::Heuristic for Unstable {}
impl perfectplay_core::Features for Unstable {}
impl perfectplay_core::SolverHints for Unstable {}
impl perfectplay_core::OrderingHints for Unstable {}
impl perfectplay_core::Persist for Unstable {
    fn stable_keys(&self) -> bool {
        false
    }
}

#[test]
fn what_has_no_books_is_refused_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let unstable = Arc::new(Unstable(ConnectFour::<u64>::new(4, 4)));
    let scorers = vec![scorer(unstable.clone(), 1 << 16).unwrap()];
    let asked = order(folder.path(), 1, Objective::Score);
    let error = build(&*unstable, &asked, scorers, &Budget::unlimited(), &mut ()).unwrap_err();
    assert!(matches!(error, BookError::Refused(_)), "{error}");
    let game = packed(ConnectFour::<u64>::new(7, 6));
    let scorers = vec![scorer(game.clone(), 1 << 16).unwrap()];
    let budget = Budget { memory: Some(1 << 20), ..Budget::unlimited() };
    let error = build(&*game, &order(folder.path(), 20, Objective::Score), scorers, &budget, &mut ()).unwrap_err();
    assert!(error.to_string().contains("memory"), "{error}");
}
