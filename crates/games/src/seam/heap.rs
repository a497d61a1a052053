//! A game whose states, keys or moves fit no class: states lie on the heap, and a number stands for each.
//!
//! Slower than [`Inline`](super::inline::Inline), and the memory of a state is given back only with the game. But
//! nothing else knows the difference: a state is its number, so is its key, a move is its index in the list of moves.

use std::hash::{Hash, Hasher};

use perfectplay_core::{
    Drawing, Facts, FeatureBatch, FullGame, Layout, Leaf, OrderHint, Payoff, Player, Status, Stop, Successor, Tally,
    TextError,
};

#[cfg(feature = "laws")]
use super::laws;
use super::payoffs::ShownAs;
use super::rules::{Below, Rules, Storage};
use super::words::{PackedMove, Words};
use crate::support::interner::Interner;

/// The game, and all its states that were met.
pub(crate) struct Heap<G: FullGame> {
    game: G,
    states: Interner<Keyed<G>>,
}

/// A state, known by its key.
struct Keyed<G: FullGame> {
    key: G::Key,
    state: G::State,
}

impl<G: FullGame> PartialEq for Keyed<G> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<G: FullGame> Eq for Keyed<G> {}

impl<G: FullGame> Hash for Keyed<G> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.key.hash(hasher);
    }
}

impl<G: FullGame> Heap<G> {
    pub(crate) fn new(game: G) -> Self {
        Heap { game, states: Interner::default() }
    }

    fn state<const N: usize>(&self, number: &Words<N>) -> &G::State {
        &self.states.get(number.unpack()).expect("states do not leave their game").state
    }

    fn number<const N: usize>(&self, state: G::State) -> Words<N> {
        Words::pack(&self.states.number(Keyed { key: self.game.key(&state), state }))
    }

    fn listed(&self, state: &G::State) -> (Status<G::Payoff>, Vec<G::Move>) {
        let mut moves = Vec::new();
        let status = self.game.expand(state, &mut moves);
        (status, moves)
    }

    fn mv<const M: usize>(&self, state: &G::State, mv: PackedMove<M>) -> G::Move {
        self.listed(state).1[mv.unpack::<u32>() as usize]
    }

    /// The index of a legal move. A game that breaks its laws gets an index that no move has.
    fn index<const M: usize>(&self, moves: &[G::Move], mv: G::Move) -> PackedMove<M> {
        PackedMove::pack(moves.iter().position(|m| *m == mv).unwrap_or(moves.len()) as u32)
    }
}

#[warn(clippy::missing_trait_methods)]
impl<G, P, const S: usize, const K: usize, const M: usize> Rules<P, S, K, M> for Heap<G>
where
    G: FullGame<Payoff: ShownAs<P>>,
    P: Payoff,
{
    fn expand(&self, state: &Words<S>, moves: &mut Vec<PackedMove<M>>) -> Status<P> {
        let (status, listed) = self.listed(self.state(state));
        moves.extend((0..listed.len() as u32).map(PackedMove::pack));
        status.map(ShownAs::shown)
    }

    fn status(&self, state: &Words<S>) -> Status<P> {
        self.game.status(self.state(state)).map(ShownAs::shown)
    }

    fn after(&self, state: &Words<S>, mv: PackedMove<M>) -> Words<S> {
        let state = self.state(state);
        self.number(self.game.after(state, self.mv(state, mv)))
    }

    fn after_all(&self, state: &Words<S>, moves: &[PackedMove<M>]) -> Words<S> {
        moves.iter().fold(*state, |state, &mv| Rules::<P, S, K, M>::after(self, &state, mv))
    }

    fn key(&self, state: &Words<S>) -> Words<K> {
        Words::pack(&state.unpack::<u32>())
    }

    fn children(
        &self,
        state: &Words<S>,
        moves: &mut Vec<PackedMove<M>>,
        children: &mut Vec<(Words<S>, Words<K>)>,
    ) -> Status<P> {
        let state = self.state(state);
        let (status, listed) = self.listed(state);
        for (i, &mv) in (0..).zip(&listed) {
            let child = self.number(self.game.after(state, mv));
            moves.push(PackedMove::pack::<u32>(i));
            children.push((child, Words::pack(&child.unpack::<u32>())));
        }
        status.map(ShownAs::shown)
    }

    fn canonical_key(&self, state: &Words<S>) -> Words<K> {
        let state = self.state(state);
        let images = (0..self.game.symmetries()).map(|i| self.game.transform(state, i));
        let least = images.min_by_key(|image| self.game.key(image)).expect("the identity is one");
        self.number(least)
    }

    fn heuristic(&self, state: &Words<S>) -> P::Estimate {
        G::Payoff::shown_guess(self.game.heuristic(self.state(state)))
    }

    fn heuristic_of(&self, state: &Words<S>, player: Player) -> f32 {
        self.game.heuristic_of(self.state(state), player)
    }

    fn heuristics(&self, states: &[Words<S>], out: &mut Vec<P::Estimate>) {
        out.extend(states.iter().map(|state| G::Payoff::shown_guess(self.game.heuristic(self.state(state)))));
    }

    fn random_move(&self, state: &Words<S>, mut below: Below<'_>) -> Result<PackedMove<M>, P> {
        let state = self.state(state);
        let mv = self.game.random_move(state, &mut Vec::new(), &mut below).map_err(ShownAs::shown)?;
        Ok(self.index(&self.listed(state).1, mv))
    }

    fn playout(&self, state: &Words<S>, most: u32, mut below: Below<'_>) -> (Option<P>, u32) {
        let (end, plies) = self.game.playout(*self.state(state), most, &mut Vec::new(), &mut below);
        (end.map(ShownAs::shown), plies)
    }

    fn score_bounds(&self, state: &Words<S>) -> (i32, i32) {
        self.game.score_bounds(self.state(state))
    }

    fn solver_successors(
        &self,
        state: &Words<S>,
        successors: &mut Vec<Successor<Words<S>, PackedMove<M>>>,
    ) -> Status<P> {
        let state = self.state(state);
        let mut natively = Vec::new();
        let status = self.game.solver_successors(state, &mut Vec::new(), &mut natively);
        let moves = self.listed(state).1;
        successors.extend(natively.iter().map(|s| Successor {
            mv: self.index(&moves, s.mv),
            state: self.number(s.state),
            lower: s.lower,
            upper: s.upper,
        }));
        status.map(ShownAs::shown)
    }

    fn exact_index(&self, state: &Words<S>) -> u64 {
        self.game.exact_index(self.state(state))
    }

    fn order_hint(&self, state: &Words<S>, mv: PackedMove<M>) -> OrderHint {
        let state = self.state(state);
        let mv = self.mv(state, mv);
        OrderHint { score: self.game.order_score(state, mv), history: self.game.history_index(state, mv) }
    }

    fn order_hints(&self, state: &Words<S>, moves: &[PackedMove<M>], hints: &mut Vec<OrderHint>) {
        let state = self.state(state);
        let listed = self.listed(state).1;
        let moves: Vec<G::Move> = moves.iter().map(|mv| listed[mv.unpack::<u32>() as usize]).collect();
        self.game.order_hints(state, &moves, hints);
    }

    fn noisy_moves(&self, state: &Words<S>, moves: &mut Vec<PackedMove<M>>) {
        let state = self.state(state);
        let (listed, mut noisy) = (self.listed(state).1, Vec::new());
        self.game.noisy_moves(state, &mut noisy);
        moves.extend(noisy.iter().map(|&mv| self.index(&listed, mv)));
    }

    fn null_move(&self, state: &Words<S>) -> Option<Words<S>> {
        self.game.null_move(self.state(state)).map(|next| self.number(next))
    }

    fn leaf(
        &self,
        state: &Words<S>,
        mv: PackedMove<M>,
        player: Option<Player>,
        noisy: Option<&mut Vec<PackedMove<M>>>,
    ) -> Leaf<Words<S>, P> {
        let state = Rules::<P, S, K, M>::after(self, state, mv);
        let mut leaf = Leaf { status: Rules::<P, S, K, M>::status(self, &state), guess: 0.0, noisy: None };
        if let Status::Turn(_) = leaf.status {
            leaf.guess = player.map_or(0.0, |player| self.game.heuristic_of(self.state(&state), player));
            if let Some(moves) = noisy {
                let before = moves.len();
                Rules::<P, S, K, M>::noisy_moves(self, &state, moves);
                leaf.noisy = (moves.len() > before).then_some(state);
            }
        }
        leaf
    }

    fn cell_values(&self, state: &Words<S>, out: &mut Vec<u8>) {
        self.game.cell_values(self.state(state), out);
    }

    fn numbers(&self, state: &Words<S>, out: &mut Vec<f32>) {
        self.game.numbers(self.state(state), out);
    }

    fn viewer(&self, state: &Words<S>) -> Player {
        self.game.viewer(self.state(state))
    }

    fn features(&self, states: &[Words<S>], out: &mut FeatureBatch) {
        states.iter().for_each(|state| self.game.features(&[*self.state(state)], out));
    }

    fn start(&self) -> Words<S> {
        self.number(self.game.start())
    }

    fn facts(&self) -> Facts {
        self.game.facts()
    }

    fn storage(&self) -> Storage {
        Storage::Heap
    }

    fn position_text(&self, state: &Words<S>) -> String {
        self.game.position_text(self.state(state))
    }

    fn parse_position(&self, text: &str) -> Result<Words<S>, TextError> {
        self.game.parse_position(text).map(|state| self.number(state))
    }

    fn position_note(&self, text: &str) -> Option<String> {
        self.game.position_note(text)
    }

    fn move_text(&self, state: &Words<S>, mv: PackedMove<M>) -> String {
        let state = self.state(state);
        self.game.move_text(state, self.mv(state, mv))
    }

    fn parse_move(&self, state: &Words<S>, text: &str) -> Result<PackedMove<M>, TextError> {
        let state = self.state(state);
        let mv = self.game.parse_move(state, text)?;
        Ok(self.index(&self.listed(state).1, mv))
    }

    fn drawing(&self, state: &Words<S>) -> Drawing {
        self.game.drawing(self.state(state))
    }

    fn symmetries(&self) -> usize {
        self.game.symmetries()
    }

    fn transform(&self, state: &Words<S>, index: usize) -> Words<S> {
        self.number(self.game.transform(self.state(state), index))
    }

    fn transform_move(&self, state: &Words<S>, mv: PackedMove<M>, index: usize) -> PackedMove<M> {
        let state = self.state(state);
        let image = self.game.transform_move(state, self.mv(state, mv), index);
        self.index(&self.listed(&self.game.transform(state, index)).1, image)
    }

    fn count(&self, state: &Words<S>, ply: usize, tally: &mut Tally) -> Result<(), Stop> {
        tally.count(&self.game, self.state(state), ply)
    }

    fn layout(&self) -> Option<Layout> {
        self.game.layout()
    }

    fn exact_index_bits(&self) -> u32 {
        self.game.exact_index_bits()
    }

    /// Numbers are given as states are met.
    fn stable_keys(&self) -> bool {
        false
    }

    fn kept_bytes(&self) -> usize {
        self.game.kept_bytes() + self.states.bytes()
    }

    #[cfg(feature = "laws")]
    fn broken_law(&self, state: &Words<S>) -> Option<&'static str> {
        laws::broken(&self.game, self.state(state))
    }
}
