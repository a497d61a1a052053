//! A game whose states, keys and moves fit a class: packed and unpacked around every call, nothing allocated.

use std::cell::Cell;

use perfectplay_core::{
    Drawing, Facts, FeatureBatch, FullGame, Layout, Leaf, OrderHint, Payoff, Plain, Player, Status, Stop, Successor,
    Tally, TextError,
};
use thread_local::ThreadLocal;

#[cfg(feature = "laws")]
use super::laws;
use super::payoffs::ShownAs;
use super::rules::{Below, Rules, Storage};
use super::words::{PackedMove, Words};

/// The game, and lists that its methods fill.
pub(crate) struct Inline<G: FullGame> {
    game: G,
    lists: ThreadLocal<Lists<G>>,
}

/// One list of each kind per thread.
struct Lists<G: FullGame> {
    moves: Scratch<G::Move>,
    successors: Scratch<Successor<G::State, G::Move>>,
    children: Scratch<(G::State, G::Key)>,
    states: Scratch<G::State>,
}

/// A list that is lent to one call at a time.
struct Scratch<T>(Cell<Vec<T>>);

impl<T> Default for Scratch<T> {
    fn default() -> Self {
        Scratch(Cell::default())
    }
}

impl<T> Scratch<T> {
    /// Calls `f` with an empty list. A call within a call gets a new one.
    #[inline]
    fn with<R>(&self, f: impl FnOnce(&mut Vec<T>) -> R) -> R {
        let mut list = self.0.take();
        list.clear();
        let result = f(&mut list);
        self.0.set(list);
        result
    }
}

impl<G: FullGame> Inline<G> {
    pub(crate) fn new(game: G) -> Self {
        Inline { game, lists: ThreadLocal::new() }
    }

    #[inline]
    fn lists(&self) -> &Lists<G> {
        let empty = || Lists {
            moves: Scratch::default(),
            successors: Scratch::default(),
            children: Scratch::default(),
            states: Scratch::default(),
        };
        self.lists.get_or(empty)
    }
}

/// A class has room for `G`.
pub(crate) const fn fits<G: FullGame, const S: usize, const K: usize, const M: usize>() -> bool {
    let (state, key, mv) = (Words::<S>::BYTES, Words::<K>::BYTES, PackedMove::<M>::BYTES);
    G::State::SIZE <= state && G::Key::SIZE <= key && G::Move::SIZE <= mv
}

#[warn(clippy::missing_trait_methods)]
impl<G, P, const S: usize, const K: usize, const M: usize> Rules<P, S, K, M> for Inline<G>
where
    G: FullGame<Payoff: ShownAs<P>>,
    P: Payoff,
{
    fn expand(&self, state: &Words<S>, moves: &mut Vec<PackedMove<M>>) -> Status<P> {
        self.lists().moves.with(|list| {
            let status = self.game.expand(&state.unpack(), list);
            moves.extend(list.iter().map(|&mv| PackedMove::pack(mv)));
            status.map(ShownAs::shown)
        })
    }

    fn status(&self, state: &Words<S>) -> Status<P> {
        self.game.status(&state.unpack()).map(ShownAs::shown)
    }

    fn after(&self, state: &Words<S>, mv: PackedMove<M>) -> Words<S> {
        Words::pack(&self.game.after(&state.unpack(), mv.unpack()))
    }

    fn after_all(&self, state: &Words<S>, moves: &[PackedMove<M>]) -> Words<S> {
        let mut state = state.unpack();
        moves.iter().for_each(|mv| self.game.play(&mut state, mv.unpack()));
        Words::pack(&state)
    }

    fn key(&self, state: &Words<S>) -> Words<K> {
        Words::pack(&self.game.key(&state.unpack()))
    }

    fn children(
        &self,
        state: &Words<S>,
        moves: &mut Vec<PackedMove<M>>,
        children: &mut Vec<(Words<S>, Words<K>)>,
    ) -> Status<P> {
        let lists = self.lists();
        lists.moves.with(|list| {
            lists.children.with(|natively| {
                let status = self.game.children(&state.unpack(), list, natively);
                moves.extend(list.iter().map(|&mv| PackedMove::pack(mv)));
                children.extend(natively.iter().map(|(child, key)| (Words::pack(child), Words::pack(key))));
                status.map(ShownAs::shown)
            })
        })
    }

    fn canonical_key(&self, state: &Words<S>) -> Words<K> {
        Words::pack(&self.game.canonical_key(&state.unpack()))
    }

    fn heuristic(&self, state: &Words<S>) -> P::Estimate {
        G::Payoff::shown_guess(self.game.heuristic(&state.unpack()))
    }

    fn heuristic_of(&self, state: &Words<S>, player: Player) -> f32 {
        self.game.heuristic_of(&state.unpack(), player)
    }

    fn heuristics(&self, states: &[Words<S>], out: &mut Vec<P::Estimate>) {
        self.lists().states.with(|list| {
            list.extend(states.iter().map(|state| state.unpack::<G::State>()));
            G::Payoff::push_shown(out, |out| self.game.heuristics(list, out));
        });
    }

    fn random_move(&self, state: &Words<S>, mut below: Below<'_>) -> Result<PackedMove<M>, P> {
        let mv = self.lists().moves.with(|list| self.game.random_move(&state.unpack(), list, &mut below));
        mv.map(PackedMove::pack).map_err(ShownAs::shown)
    }

    fn playout(&self, state: &Words<S>, most: u32, mut below: Below<'_>) -> (Option<P>, u32) {
        let (end, plies) = self.lists().moves.with(|list| self.game.playout(state.unpack(), most, list, &mut below));
        (end.map(ShownAs::shown), plies)
    }

    fn score_bounds(&self, state: &Words<S>) -> (i32, i32) {
        self.game.score_bounds(&state.unpack())
    }

    fn solver_successors(
        &self,
        state: &Words<S>,
        successors: &mut Vec<Successor<Words<S>, PackedMove<M>>>,
    ) -> Status<P> {
        let lists = self.lists();
        lists.moves.with(|list| {
            lists.successors.with(|natively| {
                let status = self.game.solver_successors(&state.unpack(), list, natively);
                successors.extend(natively.iter().map(|s| Successor {
                    mv: PackedMove::pack(s.mv),
                    state: Words::pack(&s.state),
                    lower: s.lower,
                    upper: s.upper,
                }));
                status.map(ShownAs::shown)
            })
        })
    }

    fn exact_index(&self, state: &Words<S>) -> u64 {
        self.game.exact_index(&state.unpack())
    }

    fn order_hint(&self, state: &Words<S>, mv: PackedMove<M>) -> OrderHint {
        let (state, mv) = (state.unpack(), mv.unpack());
        OrderHint { score: self.game.order_score(&state, mv), history: self.game.history_index(&state, mv) }
    }

    fn order_hints(&self, state: &Words<S>, moves: &[PackedMove<M>], hints: &mut Vec<OrderHint>) {
        self.lists().moves.with(|list| {
            list.extend(moves.iter().map(|mv| mv.unpack::<G::Move>()));
            self.game.order_hints(&state.unpack(), list, hints);
        });
    }

    fn noisy_moves(&self, state: &Words<S>, moves: &mut Vec<PackedMove<M>>) {
        self.lists().moves.with(|list| {
            self.game.noisy_moves(&state.unpack(), list);
            moves.extend(list.iter().map(|&mv| PackedMove::pack(mv)));
        });
    }

    fn null_move(&self, state: &Words<S>) -> Option<Words<S>> {
        self.game.null_move(&state.unpack()).map(|next| Words::pack(&next))
    }

    fn leaf(
        &self,
        state: &Words<S>,
        mv: PackedMove<M>,
        player: Option<Player>,
        noisy: Option<&mut Vec<PackedMove<M>>>,
    ) -> Leaf<Words<S>, P> {
        let (state, mv) = (state.unpack(), mv.unpack());
        let leaf = match noisy {
            None => self.game.leaf(&state, mv, player, None),
            Some(noisy) => self.lists().moves.with(|list| {
                let leaf = self.game.leaf(&state, mv, player, Some(list));
                noisy.extend(list.iter().map(|&mv| PackedMove::pack(mv)));
                leaf
            }),
        };
        Leaf {
            status: leaf.status.map(ShownAs::shown),
            guess: leaf.guess,
            noisy: leaf.noisy.map(|state| Words::pack(&state)),
        }
    }

    fn cell_values(&self, state: &Words<S>, out: &mut Vec<u8>) {
        self.game.cell_values(&state.unpack(), out);
    }

    fn numbers(&self, state: &Words<S>, out: &mut Vec<f32>) {
        self.game.numbers(&state.unpack(), out);
    }

    fn viewer(&self, state: &Words<S>) -> Player {
        self.game.viewer(&state.unpack())
    }

    fn features(&self, states: &[Words<S>], out: &mut FeatureBatch) {
        states.iter().for_each(|state| self.game.features(&[state.unpack()], out));
    }

    fn start(&self) -> Words<S> {
        Words::pack(&self.game.start())
    }

    fn facts(&self) -> Facts {
        self.game.facts()
    }

    fn storage(&self) -> Storage {
        Storage::Packed { state: G::State::SIZE, key: G::Key::SIZE, mv: G::Move::SIZE }
    }

    fn position_text(&self, state: &Words<S>) -> String {
        self.game.position_text(&state.unpack())
    }

    fn parse_position(&self, text: &str) -> Result<Words<S>, TextError> {
        self.game.parse_position(text).map(|state| Words::pack(&state))
    }

    fn position_note(&self, text: &str) -> Option<String> {
        self.game.position_note(text)
    }

    fn move_text(&self, state: &Words<S>, mv: PackedMove<M>) -> String {
        self.game.move_text(&state.unpack(), mv.unpack())
    }

    fn parse_move(&self, state: &Words<S>, text: &str) -> Result<PackedMove<M>, TextError> {
        self.game.parse_move(&state.unpack(), text).map(PackedMove::pack)
    }

    fn drawing(&self, state: &Words<S>) -> Drawing {
        self.game.drawing(&state.unpack())
    }

    fn symmetries(&self) -> usize {
        self.game.symmetries()
    }

    fn transform(&self, state: &Words<S>, index: usize) -> Words<S> {
        Words::pack(&self.game.transform(&state.unpack(), index))
    }

    fn transform_move(&self, state: &Words<S>, mv: PackedMove<M>, index: usize) -> PackedMove<M> {
        PackedMove::pack(self.game.transform_move(&state.unpack(), mv.unpack(), index))
    }

    fn count(&self, state: &Words<S>, ply: usize, tally: &mut Tally) -> Result<(), Stop> {
        tally.count(&self.game, &state.unpack(), ply)
    }

    fn layout(&self) -> Option<Layout> {
        self.game.layout()
    }

    fn exact_index_bits(&self) -> u32 {
        self.game.exact_index_bits()
    }

    fn stable_keys(&self) -> bool {
        self.game.stable_keys()
    }

    fn kept_bytes(&self) -> usize {
        self.game.kept_bytes()
    }

    #[cfg(feature = "laws")]
    fn broken_law(&self, state: &Words<S>) -> Option<&'static str> {
        laws::broken(&self.game, &state.unpack())
    }
}
