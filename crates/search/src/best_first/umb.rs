//! The unbounded minimax-based searches for two players (Cohen-Solal 2025, Alg. 4): the general form, and what all of
//! them share.
//!
//! With completion each of them proves the value of any acyclic game in at most 2·|S| iterations, whatever the
//! evaluation: an iteration opens a state or resolves one. Cost of an iteration: the moves on its line, each read
//! twice.
//!
//! [`crate::best_first::ubfm`] and [`crate::best_first::descent`] are the two instances with names of their own.

use std::sync::Arc;

use perfectplay_core::{
    Evaluator, Facts, FullGame, Given, Group, Objective, OptionSet, Params, Payoff, Setting, ZeroSum, options,
};

use crate::best_first::completion::{Resolution, TwoPlayers};
use crate::best_first::decisions::Decision;
use crate::best_first::exploration::{Instance, PolicyOptions};
use crate::best_first::main_loop::{BestFirst, LoopOptions, WhenFull};
use crate::best_first::n_player::{self, ManyOptions};
use crate::support::common_options::{KEEP, PLAYOUTS};
use crate::support::evaluations::{self, Ending, Guess, Terminal};
use crate::{AlgorithmInfo, Refusal, Search, Setup, Threads};

/// Its entry in the list of algorithms.
pub const INFO: AlgorithmInfo = AlgorithmInfo {
    name: "umb",
    summary: "the family of ubfm and descent, with a policy of your choice",
    players: "any",
    exact: true,
    threads: Threads::All,
    options: UmbOptions::docs,
};

options! {
    struct UmbOptions {
        policy: PolicyOptions = Group,
        shared: Options = Group,
    }
}

/// For any number of players; refuses games in which positions repeat. The policy says which member of the class it is.
pub fn open<G: FullGame>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let UmbOptions { policy, shared } = INFO.read(params)?;
    open_instance(INFO.name, policy.instance(setup.seed)?, game, root, setup, &shared)
}

/// The same for two players with opposed interests, without the forms for many.
pub fn open_for_two<G: FullGame<Payoff = ZeroSum>>(
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    params: Params,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let UmbOptions { policy, shared } = INFO.read(params)?;
    open_for_two_as(INFO.name, policy.instance(setup.seed)?, game, root, setup, &shared)
}

options! {
    /// The options of all unbounded minimax-based searches.
    pub(crate) struct Options {
        completion: bool = Setting::switch(
            "completion",
            "on, or off: the basic algorithm, which proves nothing and can be stuck for ever",
            true,
        ),
        strong: bool = Setting::switch(
            "strong",
            "on: a state is resolved only when everything below it is, so that all winning moves are found",
            false,
        ),
        f: Option<Ending> = evaluations::F,
        eval: Guess = evaluations::EVAL,
        playouts: Given<u32> = PLAYOUTS,
        decision: Decision = Decision::OPTION,
        reread: bool = Setting::switch(
            "reread",
            "on: look at the children of a state again before going on below it",
            false,
        ),
        table: bool = Setting::switch(
            "table",
            "on: a state reached by several orders of moves is one node; off: one for each of them",
            true,
        ),
        batch: bool =
            Setting::switch("batch", "on: evaluate all new children of a state in one call; off: one by one", true),
        keep: bool = KEEP,
        when_full: WhenFull = Setting::choice(
            "when-full",
            "what to do when the memory is used up",
            &[
                ("stop", "", WhenFull::Stop),
                ("drop", "forget unresolved states that were seldom visited", WhenFull::Drop),
            ],
        ),
        stop_at_draw: bool = Setting::switch(
            "stop-at-draw",
            "on: a line ends where the best child is resolved; not complete",
            false,
        ),
        for_many: ManyOptions = Group,
    }
}

/// Makes one instance: for two players, or its n-player form if the payoff is not zero-sum or a generalisation is
/// named.
pub(crate) fn open_instance<G: FullGame>(
    name: &'static str,
    instance: Instance,
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    options: &Options,
) -> Result<Box<dyn Search<G>>, Refusal> {
    let parts = Parts::new(instance, &*game, setup, options)?;
    // What is said at compile time is not compiled.
    if const { !G::Payoff::ZERO_SUM } || options.for_many.chosen().is_some() {
        parts.for_many(name, game, root, setup, options)
    } else {
        parts.for_two(name, game, root, setup, options)
    }
}

/// Makes one instance for two players; who names a generalisation must go elsewhere.
pub(crate) fn open_for_two_as<G: FullGame<Payoff = ZeroSum>>(
    name: &'static str,
    instance: Instance,
    game: Arc<G>,
    root: G::State,
    setup: &Setup,
    options: &Options,
) -> Result<Box<dyn Search<G>>, Refusal> {
    if options.for_many.chosen().is_some() {
        return Err(Refusal::Elsewhere);
    }
    Parts::new(instance, &*game, setup, options)?.for_two(name, game, root, setup, options)
}

/// What both forms are made of.
struct Parts<G: FullGame> {
    instance: Instance,
    facts: Facts,
    terminal: Terminal,
    evaluator: Option<Box<dyn Evaluator<G>>>,
    scale: f32,
    in_loop: LoopOptions,
}

impl<G: FullGame> Parts<G> {
    fn new(instance: Instance, game: &G, setup: &Setup, options: &Options) -> Result<Self, Refusal> {
        let &Options { reread, table, when_full, keep, .. } = options;
        let facts = game.facts();
        let for_many = !G::Payoff::ZERO_SUM || options.for_many.chosen().is_some();
        let usual = if for_many { Ending::Score } else { Ending::Gain };
        let terminal = Terminal::choose(options.f, usual, setup.objective, &facts)?;
        let evaluator = evaluations::evaluator::<G>(options.eval, options.playouts, setup.seed, terminal, &facts)?;
        let scale = if setup.objective == Objective::Score { 1.0 } else { terminal.scale(&facts) };
        Ok(Parts {
            instance,
            facts,
            terminal,
            evaluator,
            scale,
            in_loop: LoopOptions { reread, table, when_full, keep, reproducible: setup.reproducible },
        })
    }

    fn for_many(
        self,
        name: &'static str,
        game: Arc<G>,
        root: G::State,
        setup: &Setup,
        options: &Options,
    ) -> Result<Box<dyn Search<G>>, Refusal> {
        let Parts { instance, facts, terminal, evaluator, scale, in_loop } = self;
        if facts.players > n_player::Gains::PLAYERS {
            return Err(Refusal::Other(format!("{name} takes at most {} players", n_player::Gains::PLAYERS)));
        }
        let form = options.for_many.chosen().unwrap_or_default();
        let mut policy = n_player::ManyPlayers::new(instance, form, &facts, terminal, setup.objective);
        (policy.evaluator, policy.decision, policy.batch) = (evaluator, options.decision, options.batch);
        (policy.stop_at_draw, policy.completion) = (options.stop_at_draw, options.completion);
        (policy.strong, policy.scale) = (options.strong, scale);
        Ok(Box::new(BestFirst::new(name, game, root, policy, in_loop)?))
    }

    fn for_two(
        self,
        name: &'static str,
        game: Arc<G>,
        root: G::State,
        setup: &Setup,
        options: &Options,
    ) -> Result<Box<dyn Search<G>>, Refusal> {
        let Parts { instance, facts, terminal, evaluator, scale, in_loop } = self;
        let mut policy = TwoPlayers::new(instance);
        if setup.objective == Objective::Score {
            policy = policy.for_score(&facts);
        }
        policy.resolution = match (options.completion, options.strong) {
            (false, true) => return Err(Refusal::Other("strong=on needs completion=on".into())),
            (false, false) => Resolution::Off,
            (true, true) if setup.objective == Objective::Score => Resolution::Score([f32::INFINITY; 2]),
            (true, true) => Resolution::Strong,
            (true, false) => policy.resolution,
        };
        (policy.terminal, policy.evaluator, policy.decision) = (terminal, evaluator, options.decision);
        (policy.stop_at_draw, policy.batch, policy.scale) = (options.stop_at_draw, options.batch, scale);
        Ok(Box::new(BestFirst::new(name, game, root, policy, in_loop)?))
    }
}
