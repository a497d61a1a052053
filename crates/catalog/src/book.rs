//! Opening books of games by name.

use std::path::Path;

use perfectplay_core::{Budget, FullGame, Objective, Observer, Spec, ZeroSum};
use perfectplay_search::book::{self, Book, BookError, Built, Checked, FromBook, Header, Order};
use perfectplay_search::{Refusal, Search};

use crate::game::{AnyGame, OpenGame};

/// Books that come with the program: what `book build` wrote, by `include_bytes!`.
const BUILT_IN: &[&[u8]] = &[include_bytes!("../../../data/books/connect-four-7x6.book")];

/// Bytes of a thread's table if nobody says how many.
const TABLE_BYTES: usize = 256 << 20;

/// The name under which reports mention a book.
pub(crate) const NAME: &str = "opening-book";

/// Makes the search that answers from a book.
type Ask<G> = fn(&G, &<G as perfectplay_core::Game>::State, Objective, &Book) -> Option<Box<dyn Search<G>>>;

fn ask<G: FullGame<Payoff = ZeroSum>>(
    game: &G,
    root: &G::State,
    objective: Objective,
    book: &Book,
) -> Option<Box<dyn Search<G>>> {
    Some(Box::new(FromBook::new(game, root, objective, book)?))
}

/// Reads a book and refuses it if it is not about `game`.
pub fn open_book(path: &Path, game: &dyn AnyGame) -> Result<Book, BookError> {
    let book = Book::read(path)?;
    if is_about(&book, game) {
        return Ok(book);
    }
    let (path, of) = (path.display(), &book.header().game);
    Err(BookError::Wrong(format!("{path} is a book of {of}, not of {}", game.spec())))
}

/// The book of `game` that comes with the program, if there is one.
pub fn built_in_book(game: &dyn AnyGame) -> Option<Book> {
    let books = BUILT_IN.iter().map(|bytes| Book::from_bytes(bytes).expect("as it was built"));
    books.into_iter().find(|book| is_about(book, game))
}

/// Whether the book's game and `game` have the same name and, as far as can be told, the same rules: `connect-four` and
/// `connect-four:7x6` are one game.
fn is_about(book: &Book, game: &dyn AnyGame) -> bool {
    let name = |text: &str| Spec::parse(text).map(|spec| spec.name).ok();
    name(&book.header().game) == name(game.spec())
        && crate::open(&book.header().game).is_ok_and(|of| of.start().fingerprint() == game.start().fingerprint())
}

/// What is done with books of games of type `G`: for two players with opposed interests only.
pub(crate) struct Tools<G: FullGame> {
    pub(crate) ask: Ask<G>,
    pub(crate) build: Build<G>,
    pub(crate) check: Check<G>,
}

type Build<G> = fn(&OpenGame<G>, Header, &Path, &Budget, &mut dyn Observer) -> Result<Built, BookError>;
type Check<G> = fn(&OpenGame<G>, &Book, usize, &Budget) -> Result<Checked, BookError>;

impl<G: FullGame<Payoff = ZeroSum>> Tools<G> {
    pub(crate) fn new() -> Self {
        Tools { ask, build, check }
    }
}

pub(crate) fn refusal() -> BookError {
    Refusal::Other("a book needs two players with opposed interests".into()).into()
}

fn build<G: FullGame<Payoff = ZeroSum>>(
    opened: &OpenGame<G>,
    header: Header,
    out: &Path,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Built, BookError> {
    let threads = budget.threads.max(1);
    // A quarter is for the list of positions.
    let bytes = budget.memory.map_or(TABLE_BYTES, |limit| limit / 4 * 3 / threads);
    let scorers = (0..threads).filter_map(|_| opened.scorer(bytes)).collect::<Result<_, _>>()?;
    book::build(&*opened.game, &Order { header, out: out.to_owned() }, scorers, budget, observer)
}

fn check<G: FullGame<Payoff = ZeroSum>>(
    opened: &OpenGame<G>,
    book: &Book,
    sample: usize,
    budget: &Budget,
) -> Result<Checked, BookError> {
    let bytes = budget.memory.map_or(TABLE_BYTES, |limit| limit / 4 * 3);
    let mut scorer = opened.scorer(bytes).ok_or_else(refusal)??;
    book::check(&*opened.game, book, sample, &mut *scorer, budget)
}
