//! A game behind a box, as a game again.
//!
//! Compiling every algorithm, and every law, for every game would take most of an hour. So only games that ask for it
//! ([`Game::NATIVE`]) are searched as they are; all others are put behind [`Boxed`], one type per kind of payoff, and what
//! is generic is compiled for that. The price is one allocation per state and one per list of moves.
//!
//! - A state is shared: cloning it counts a reference. It keeps its list of moves once that was asked for.
//! - A move is an index into that list, so playing it does not generate moves again.
//! - A key is what the game's own key feeds to a hasher, byte by byte: as exact as the key itself.
//!
//! Symmetries are kept in the canonical key only, since an index cannot be mirrored without its state.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use perfectplay_core::{Drawing, Estimate, EstimateOf, Facts, Game, Payoff, Player, Status, TextError};

/// Any game with payoffs of type `P` whose keys have fewer than `8 * W` bytes.
pub struct Boxed<P, const W: usize> {
    rules: Box<dyn Rules<P>>,
}

/// Words that fit the keys of most games.
pub const SMALL: usize = 4;
/// Words that fit the keys of all games.
pub const LARGE: usize = 32;

impl<P: Payoff, const W: usize> Boxed<P, W> {
    /// Puts `game` into a box.
    pub fn new<G: Game<Payoff = P>>(game: Arc<G>) -> Self {
        Boxed { rules: Box::new(game) }
    }
}

/// A state of `G` behind the box.
pub fn wrap<G: Game>(state: &G::State) -> Shared {
    boxed::<G>(state.clone())
}

fn boxed<G: Game>(state: G::State) -> Shared {
    Shared(Arc::new(Node::<G> { state, moves: OnceLock::new() }))
}

/// How many bytes the keys of `game` have.
pub fn key_bytes<G: Game>(game: &G) -> usize {
    let mut tape = Tape::<LARGE>::default();
    game.key(&game.start()).hash(&mut tape);
    tape.len
}

/// A state of some game.
#[derive(Clone)]
pub struct Shared(Arc<dyn AnyNode>);

trait AnyNode: Any + Send + Sync {
    fn same(&self, other: &dyn AnyNode) -> bool;
    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

struct Node<G: Game> {
    state: G::State,
    moves: OnceLock<(Status<G::Payoff>, Box<[G::Move]>)>,
}

impl<G: Game> Node<G> {
    fn of(state: &Shared) -> &Self {
        let node: &dyn Any = &*state.0;
        node.downcast_ref().expect("states do not leave their game")
    }

    fn moves(&self, game: &G) -> &(Status<G::Payoff>, Box<[G::Move]>) {
        self.moves.get_or_init(|| {
            let mut moves = Vec::new();
            let status = game.expand(&self.state, &mut moves);
            (status, moves.into_boxed_slice())
        })
    }

    fn nth(&self, game: &G, mv: Nth) -> G::Move {
        self.moves(game).1[mv.0 as usize]
    }
}

impl<G: Game> AnyNode for Node<G> {
    fn same(&self, other: &dyn AnyNode) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Self>().is_some_and(|o| o.state == self.state)
    }

    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.state, f)
    }
}

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        self.0.same(&*other.0)
    }
}

impl Eq for Shared {}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug(f)
    }
}

/// The n-th legal move of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nth(u32);

/// A key, written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Written<const W: usize>([u64; W]);

/// A hasher that keeps what it is fed. The last byte is left for the length.
struct Tape<const W: usize> {
    words: [u64; W],
    len: usize,
}

impl<const W: usize> Default for Tape<W> {
    fn default() -> Self {
        Tape { words: [0; W], len: 0 }
    }
}

impl<const W: usize> Hasher for Tape<W> {
    fn write(&mut self, bytes: &[u8]) {
        assert!(self.len + bytes.len() < 8 * W, "a key of this game does not fit {W} words");
        for &byte in bytes {
            self.words[self.len / 8] |= u64::from(byte) << (8 * (self.len % 8));
            self.len += 1;
        }
    }

    fn finish(&self) -> u64 {
        unreachable!("a tape is read, not hashed")
    }
}

impl<const W: usize> Tape<W> {
    /// All that was fed, and how much: keys of different lengths are different.
    fn read(mut self) -> Written<W> {
        self.words[W - 1] |= (self.len as u64) << 56;
        Written(self.words)
    }
}

/// What a game can do, without its types.
trait Rules<P: Payoff>: Send + Sync {
    fn start(&self) -> Shared;
    fn expand(&self, state: &Shared) -> (Status<P>, u32);
    fn status(&self, state: &Shared) -> Status<P>;
    fn play(&self, state: &Shared, mv: Nth) -> Shared;
    fn write_key(&self, state: &Shared, tape: &mut dyn Hasher);
    fn write_canonical_key(&self, state: &Shared, tape: &mut dyn Hasher);
    fn facts(&self) -> Facts;
    fn position_text(&self, state: &Shared) -> String;
    fn parse_position(&self, text: &str) -> Result<Shared, TextError>;
    fn move_text(&self, state: &Shared, mv: Nth) -> String;
    fn parse_move(&self, state: &Shared, text: &str) -> Result<Nth, TextError>;
    fn drawing(&self, state: &Shared) -> Drawing;
    fn heuristic(&self, state: &Shared, player: Player) -> f32;
}

impl<G: Game> Rules<G::Payoff> for Arc<G> {
    fn start(&self) -> Shared {
        boxed::<G>(G::start(self))
    }

    fn expand(&self, state: &Shared) -> (Status<G::Payoff>, u32) {
        let (status, moves) = Node::<G>::of(state).moves(self);
        (*status, moves.len() as u32)
    }

    fn status(&self, state: &Shared) -> Status<G::Payoff> {
        let node = Node::<G>::of(state);
        node.moves.get().map_or_else(|| G::status(self, &node.state), |(status, _)| *status)
    }

    fn play(&self, state: &Shared, mv: Nth) -> Shared {
        let node = Node::<G>::of(state);
        boxed::<G>(self.after(&node.state, node.nth(self, mv)))
    }

    fn write_key(&self, state: &Shared, mut tape: &mut dyn Hasher) {
        self.key(&Node::<G>::of(state).state).hash(&mut tape);
    }

    fn write_canonical_key(&self, state: &Shared, mut tape: &mut dyn Hasher) {
        self.canonical_key(&Node::<G>::of(state).state).hash(&mut tape);
    }

    fn facts(&self) -> Facts {
        G::facts(self)
    }

    fn position_text(&self, state: &Shared) -> String {
        G::position_text(self, &Node::<G>::of(state).state)
    }

    fn parse_position(&self, text: &str) -> Result<Shared, TextError> {
        Ok(boxed::<G>(G::parse_position(self, text)?))
    }

    fn move_text(&self, state: &Shared, mv: Nth) -> String {
        let node = Node::<G>::of(state);
        G::move_text(self, &node.state, node.nth(self, mv))
    }

    fn parse_move(&self, state: &Shared, text: &str) -> Result<Nth, TextError> {
        let node = Node::<G>::of(state);
        let mv = G::parse_move(self, &node.state, text)?;
        let index = node.moves(self).1.iter().position(|m| *m == mv);
        index.map(|i| Nth(i as u32)).ok_or_else(|| TextError::new(format!("\"{text}\" is not a legal move here")))
    }

    fn drawing(&self, state: &Shared) -> Drawing {
        G::drawing(self, &Node::<G>::of(state).state)
    }

    fn heuristic(&self, state: &Shared, player: Player) -> f32 {
        G::heuristic(self, &Node::<G>::of(state).state).of(player)
    }
}

impl<P: Payoff, const W: usize> Game for Boxed<P, W> {
    type State = Shared;
    type Move = Nth;
    type Payoff = P;
    type Key = Written<W>;

    fn start(&self) -> Shared {
        self.rules.start()
    }

    fn expand(&self, state: &Shared, moves: &mut Vec<Nth>) -> Status<P> {
        let (status, count) = self.rules.expand(state);
        moves.extend((0..count).map(Nth));
        status
    }

    fn status(&self, state: &Shared) -> Status<P> {
        self.rules.status(state)
    }

    fn play(&self, state: &mut Shared, mv: Nth) {
        *state = self.rules.play(state, mv);
    }

    fn key(&self, state: &Shared) -> Written<W> {
        let mut tape = Tape::default();
        self.rules.write_key(state, &mut tape);
        tape.read()
    }

    fn canonical_key(&self, state: &Shared) -> Written<W> {
        let mut tape = Tape::default();
        self.rules.write_canonical_key(state, &mut tape);
        tape.read()
    }

    fn facts(&self) -> Facts {
        self.rules.facts()
    }

    fn position_text(&self, state: &Shared) -> String {
        self.rules.position_text(state)
    }

    fn parse_position(&self, text: &str) -> Result<Shared, TextError> {
        self.rules.parse_position(text)
    }

    fn move_text(&self, state: &Shared, mv: Nth) -> String {
        self.rules.move_text(state, mv)
    }

    fn parse_move(&self, state: &Shared, text: &str) -> Result<Nth, TextError> {
        self.rules.parse_move(state, text)
    }

    fn drawing(&self, state: &Shared) -> Drawing {
        self.rules.drawing(state)
    }

    fn heuristic(&self, state: &Shared) -> EstimateOf<Self> {
        Estimate::from_fn(|player| self.rules.heuristic(state, player))
    }
}
