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
//! [`open_boxed`](crate::open_boxed) opens any game by its name in a box, without making its caller generic: everything a
//! box needs of a game is compiled here, once.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use perfectplay_core::{
    Budget, Codec, Drawing, Estimate, EstimateOf, Facts, Game, Payoff, Perft, Plain, Player, Scores, Status, Stop,
    TextError, Visitor, ZeroSum,
};

/// Any game with payoffs of type `P` whose keys have fewer than `8 * W` bytes.
pub struct Boxed<P, const W: usize> {
    rules: Arc<dyn Rules<P>>,
}

/// Words that fit the keys of most games.
pub const SMALL: usize = 4;
/// Words that fit the keys of all games.
pub const LARGE: usize = 32;

impl<P: Payoff, const W: usize> Boxed<P, W> {
    /// Puts `game` into a box.
    pub fn new<G: Game<Payoff = P>>(game: Arc<G>) -> Self {
        Boxed { rules: Arc::new(game) }
    }

    pub(crate) fn from_rules(rules: Arc<dyn Rules<P>>) -> Self {
        Boxed { rules }
    }

    pub(crate) fn rules(&self) -> &Arc<dyn Rules<P>> {
        &self.rules
    }

    /// A promise of [`Game`] that the game breaks in this state and that the box would hide. Tests ask for it.
    pub fn broken_promise(&self, state: &Shared) -> Option<&'static str> {
        self.rules.broken_promise(state)
    }
}

/// A state of `G` as a state of its box.
pub fn share<G: Game>(state: G::State) -> Shared {
    boxed::<G>(state)
}

fn boxed<G: Game>(state: G::State) -> Shared {
    Shared(Arc::new(Node::<G> { state, moves: OnceLock::new() }))
}

/// Any game, boxed by its kind of payoff.
pub enum AnyBoxed {
    /// Two players with opposed interests, small keys.
    ZeroSum(Boxed<ZeroSum, SMALL>),
    /// Two players with opposed interests, large keys.
    ZeroSumLarge(Boxed<ZeroSum, LARGE>),
    /// Two players with scores of their own.
    Two(Boxed<Scores<2>, LARGE>),
    /// Three players.
    Three(Boxed<Scores<3>, LARGE>),
    /// Four players.
    Four(Boxed<Scores<4>, LARGE>),
    /// Five players.
    Five(Boxed<Scores<5>, LARGE>),
    /// Six players.
    Six(Boxed<Scores<6>, LARGE>),
}

/// Puts a game into the box that fits.
#[cfg_attr(test, expect(dead_code))]
pub(crate) struct Boxer;

impl Visitor for Boxer {
    type Output = AnyBoxed;

    fn zero_sum<G: Game<Payoff = ZeroSum>>(self, game: G) -> AnyBoxed {
        let mut tape = Tape::<LARGE>::default();
        game.key(&game.start()).hash(&mut tape);
        let game = Arc::new(game);
        if tape.len < 8 * SMALL {
            AnyBoxed::ZeroSum(Boxed::new(game))
        } else {
            AnyBoxed::ZeroSumLarge(Boxed::new(game))
        }
    }

    fn scores<const N: usize, G: Game<Payoff = Scores<N>>>(self, game: G) -> AnyBoxed {
        fn unbox<T: 'static>(boxed: Box<dyn Any>) -> T {
            *boxed.downcast().expect("the number of players says which type it is")
        }
        let boxed: Box<dyn Any> = Box::new(Boxed::<Scores<N>, LARGE>::new(Arc::new(game)));
        match N {
            2 => AnyBoxed::Two(unbox(boxed)),
            3 => AnyBoxed::Three(unbox(boxed)),
            4 => AnyBoxed::Four(unbox(boxed)),
            5 => AnyBoxed::Five(unbox(boxed)),
            6 => AnyBoxed::Six(unbox(boxed)),
            _ => unreachable!("games are for two to six players"),
        }
    }
}

/// A state of some game.
#[derive(Clone)]
pub struct Shared(Arc<dyn AnyNode>);

trait AnyNode: Any + Send + Sync {
    fn same(&self, other: &dyn AnyNode) -> bool;
    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// What `expand` said.
type Listed<G> = (Status<<G as Game>::Payoff>, Box<[<G as Game>::Move]>);

struct Node<G: Game> {
    state: G::State,
    moves: OnceLock<Listed<G>>,
}

impl<G: Game> Node<G> {
    fn of(state: &Shared) -> &Self {
        let node: &dyn Any = &*state.0;
        node.downcast_ref().expect("states do not leave their game")
    }

    fn moves(&self, game: &G) -> &Listed<G> {
        self.moves.get_or_init(|| {
            let mut moves = Vec::new();
            let status = game.expand(&self.state, &mut moves);
            (status, moves.into_boxed_slice())
        })
    }

    fn nth(&self, game: &G, mv: Nth) -> G::Move {
        self.moves(game).1[mv.0 as usize]
    }

    /// The index of a legal move. A game that breaks its laws gets an index that no move has.
    fn find(&self, game: &G, mv: G::Move) -> Nth {
        let moves = &self.moves(game).1;
        Nth(moves.iter().position(|m| *m == mv).unwrap_or(moves.len()) as u32)
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

impl Plain for Nth {
    const SIZE: usize = 4;

    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(bytes: &[u8]) -> Option<Self> {
        Plain::take(bytes).map(Nth)
    }
}

impl<const W: usize> Plain for Written<W> {
    const SIZE: usize = 8 * W;

    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(bytes: &[u8]) -> Option<Self> {
        Plain::take(bytes).map(Written)
    }
}

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
pub(crate) trait Rules<P: Payoff>: Send + Sync {
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
    fn symmetries(&self) -> usize;
    fn transform(&self, state: &Shared, index: usize) -> Shared;
    fn transform_move(&self, state: &Shared, mv: Nth, index: usize) -> Nth;
    fn random_move(&self, state: &Shared, below: &mut dyn FnMut(usize) -> usize) -> Result<Nth, P>;
    fn playout(&self, state: &Shared, most: u32, below: &mut dyn FnMut(usize) -> usize) -> (Option<P>, u32);
    fn perft(&self, state: &Shared, depth: usize, finished: bool, budget: &Budget) -> Result<Perft, Stop>;
    fn broken_promise(&self, state: &Shared) -> Option<&'static str>;
    fn score_bounds(&self, state: &Shared) -> (i32, i32);
    fn promise(&self, state: &Shared, mv: Nth) -> i32;
    fn move_slot(&self, state: &Shared, mv: Nth) -> usize;
    fn noisy_moves(&self, state: &Shared, moves: &mut Vec<Nth>);
    fn pass(&self, state: &Shared) -> Option<Shared>;
    fn code_bits(&self) -> u32;
    fn code(&self, state: &Shared) -> u64;
    fn lasting_keys(&self) -> bool;
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
        Ok(node.find(self, G::parse_move(self, &node.state, text)?))
    }

    fn drawing(&self, state: &Shared) -> Drawing {
        G::drawing(self, &Node::<G>::of(state).state)
    }

    fn heuristic(&self, state: &Shared, player: Player) -> f32 {
        G::heuristic_of(self, &Node::<G>::of(state).state, player)
    }

    fn symmetries(&self) -> usize {
        G::symmetries(self)
    }

    fn transform(&self, state: &Shared, index: usize) -> Shared {
        boxed::<G>(G::transform(self, &Node::<G>::of(state).state, index))
    }

    fn transform_move(&self, state: &Shared, mv: Nth, index: usize) -> Nth {
        let node = Node::<G>::of(state);
        let image = G::transform_move(self, &node.state, node.nth(self, mv), index);
        Node::<G>::of(&Rules::transform(self, state, index)).find(self, image)
    }

    fn random_move(&self, state: &Shared, mut below: &mut dyn FnMut(usize) -> usize) -> Result<Nth, G::Payoff> {
        let node = Node::<G>::of(state);
        Ok(node.find(self, G::random_move(self, &node.state, &mut Vec::new(), &mut below)?))
    }

    fn playout(
        &self,
        state: &Shared,
        most: u32,
        mut below: &mut dyn FnMut(usize) -> usize,
    ) -> (Option<G::Payoff>, u32) {
        G::playout(self, Node::<G>::of(state).state.clone(), most, &mut Vec::new(), &mut below)
    }

    fn perft(&self, state: &Shared, depth: usize, finished: bool, budget: &Budget) -> Result<Perft, Stop> {
        G::perft(self, &Node::<G>::of(state).state, depth, finished, budget)
    }

    fn broken_promise(&self, state: &Shared) -> Option<&'static str> {
        let state = &Node::<G>::of(state).state;
        let mut moves = Vec::new();
        let status = G::expand(self, state, &mut moves);
        let count = moves.len();
        let again = G::expand(self, state, &mut moves);
        if status != again || moves.len() != 2 * count || moves[..count] != moves[count..] {
            return Some("expand must append the same moves each time");
        }
        if status != G::status(self, state) {
            return Some("status and expand disagree");
        }
        if (0..count.min(100)).any(|i| moves[..i].contains(&moves[i])) {
            return Some("a move is there twice");
        }
        let differs = |&mv: &G::Move| {
            let mut played = state.clone();
            G::play(self, &mut played, mv);
            played != G::after(self, state, mv)
        };
        if moves[..count].iter().take(8).any(differs) {
            return Some("play and after disagree");
        }
        if status.mover().is_some() && G::facts(self).heuristic {
            let guess = G::heuristic(self, state);
            let differs = |p| guess.of(p) != G::heuristic_of(self, state, p);
            if Player::all(G::Payoff::PLAYERS).any(differs) {
                return Some("heuristic_of is not the part of heuristic");
            }
        }
        None
    }

    fn score_bounds(&self, state: &Shared) -> (i32, i32) {
        G::score_bounds(self, &Node::<G>::of(state).state)
    }

    fn promise(&self, state: &Shared, mv: Nth) -> i32 {
        let node = Node::<G>::of(state);
        G::promise(self, &node.state, node.nth(self, mv))
    }

    fn move_slot(&self, state: &Shared, mv: Nth) -> usize {
        let node = Node::<G>::of(state);
        G::move_slot(self, &node.state, node.nth(self, mv))
    }

    fn noisy_moves(&self, state: &Shared, moves: &mut Vec<Nth>) {
        let node = Node::<G>::of(state);
        let mut noisy = Vec::new();
        G::noisy_moves(self, &node.state, &mut noisy);
        let index = |mv: &G::Move| node.moves(self).1.iter().position(|m| m == mv);
        moves.extend(noisy.iter().filter_map(index).map(|i| Nth(i as u32)));
    }

    fn pass(&self, state: &Shared) -> Option<Shared> {
        G::pass(self, &Node::<G>::of(state).state).map(boxed::<G>)
    }

    fn code_bits(&self) -> u32 {
        G::code_bits(self)
    }

    fn code(&self, state: &Shared) -> u64 {
        G::code(self, &Node::<G>::of(state).state)
    }

    fn lasting_keys(&self) -> bool {
        G::lasting_keys(self)
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

    fn perft(&self, state: &Shared, depth: usize, finished: bool, budget: &Budget) -> Result<Perft, Stop> {
        self.rules.perft(state, depth, finished, budget)
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

    fn heuristic_of(&self, state: &Shared, player: Player) -> f32 {
        self.rules.heuristic(state, player)
    }

    fn symmetries(&self) -> usize {
        self.rules.symmetries()
    }

    fn transform(&self, state: &Shared, index: usize) -> Shared {
        self.rules.transform(state, index)
    }

    fn transform_move(&self, state: &Shared, mv: Nth, index: usize) -> Nth {
        self.rules.transform_move(state, mv, index)
    }

    fn random_move(
        &self,
        state: &Shared,
        _moves: &mut Vec<Nth>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> Result<Nth, P> {
        self.rules.random_move(state, below)
    }

    fn playout(
        &self,
        state: Shared,
        most: u32,
        _moves: &mut Vec<Nth>,
        below: &mut impl FnMut(usize) -> usize,
    ) -> (Option<P>, u32) {
        self.rules.playout(&state, most, below)
    }

    fn score_bounds(&self, state: &Shared) -> (i32, i32) {
        self.rules.score_bounds(state)
    }

    fn promise(&self, state: &Shared, mv: Nth) -> i32 {
        self.rules.promise(state, mv)
    }

    fn move_slot(&self, state: &Shared, mv: Nth) -> usize {
        self.rules.move_slot(state, mv)
    }

    fn noisy_moves(&self, state: &Shared, moves: &mut Vec<Nth>) {
        self.rules.noisy_moves(state, moves);
    }

    fn pass(&self, state: &Shared) -> Option<Shared> {
        self.rules.pass(state)
    }

    fn code_bits(&self) -> u32 {
        self.rules.code_bits()
    }

    fn code(&self, state: &Shared) -> u64 {
        self.rules.code(state)
    }

    fn codec(&self) -> Option<Codec<Written<W>, Nth>> {
        Some(Codec::plain())
    }

    fn lasting_keys(&self) -> bool {
        self.rules.lasting_keys()
    }
}
