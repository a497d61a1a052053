//! How a run learns: every choice of the loop, as options.

use perfectplay_core::{Given, Layout, OptionDoc, OptionSet, Optional, Params, Setting, Spec, TextError, options};
use perfectplay_model::MOST_ENTRIES;
use perfectplay_search::best_first::n_player::{GENERALISATION, Generalisation};

use crate::learner::{OtherModel, other_model};
use crate::structure::{MOST_PATTERN_ENTRIES, usual_length};

/// Entries of a table if nobody says how long tuples are.
pub(crate) const USUAL_ENTRIES: usize = 10_000;

/// How states are valued while learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Descent with completion (Cohen-Solal 2020).
    Descent,
    /// Unbounded best-first minimax with completion.
    Ubfm,
    /// Minimax of a fixed depth: TreeStrap (Veness, Silver, Uther and Blair 2009) with `learn=tree`, fitted one-step
    /// values with `depth=1`.
    Minimax,
    /// Temporal differences: one ply ahead; a state is worth what the states after it in the game were.
    Td,
}

/// Which states become examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learn {
    /// All that were opened or are finished, with their values in the tree.
    Tree,
    /// Those of the game, with their values in the tree.
    Root,
    /// Those of the game, with its outcome.
    Terminal,
}

/// f_t: what a finished game counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// -1, 0, 1.
    Gain,
    /// The game's score.
    Score,
    /// Additive depth.
    Depth,
    /// Multiplicative depth.
    Ratio,
    /// The winner's pieces.
    Presence,
    /// The winner's moves.
    Mobility,
}

/// How a move is chosen where nothing is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choose {
    /// By the ordinal distribution.
    Ordinal,
    /// The best, or any with a small probability.
    Epsilon,
    /// By the exponential of the value.
    Softmax,
}

/// Which examples are learned after a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Those of the game, once.
    Off,
    /// Drawn from those of the last games.
    Window,
    /// Drawn game by game from the last games.
    Stratified,
}

/// Where games begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// After some random plies.
    Random,
    /// At positions of earlier games.
    Earlier,
}

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opponents {
    /// The learner alone.
    Itself,
    /// In every fourth game the learner as it was earlier.
    Past,
}

options! {
    /// The loop.
    pub struct LoopOptions {
        /// States to evaluate per move.
        pub evaluations: Given<u64> =
            Setting::whole("evaluations", "states to evaluate per move, for descent and ubfm", 1..=10_000_000, 100).noticed(),
        /// Of minimax.
        pub depth: Given<u32> = Setting::whole("depth", "plies to look ahead, for minimax", 1..=6, 2).noticed(),
        /// Which states become examples.
        pub learn: Given<Learn> = Setting::choice(
            "learn",
            "which states become examples",
            &[
                ("tree", "all that were opened or are finished", Learn::Tree),
                ("root", "those of the game with what the search found", Learn::Root),
                ("terminal", "those of the game with its outcome", Learn::Terminal),
            ],
        )
        .noticed(),
        /// f_t.
        pub f: Target = Setting::choice(
            "f",
            "what a finished game counts",
            &[
                ("gain", "", Target::Gain),
                ("score", "the game's own", Target::Score),
                ("depth", "early wins and late losses are better, additive", Target::Depth),
                ("ratio", "the same, multiplicative", Target::Ratio),
                ("presence", "wins with many pieces are better", Target::Presence),
                ("mobility", "wins with many moves to choose from are better", Target::Mobility),
            ],
        ),
        /// P of the targets that count plies.
        pub plies: Option<u32> = Optional::whole(
            "plies",
            "for f=depth and f=ratio: P, the plies of the longest game; the larger, the more a late win differs from a draw",
            1..=1_000_000,
            "those of the longest of 50 random games",
        ),
        /// How moves are chosen.
        pub choose: Choose = Setting::choice(
            "choose",
            "which move to play where nothing is proved",
            &[
                ("ordinal", "by rank", Choose::Ordinal),
                ("epsilon", "the best, or any with probability epsilon", Choose::Epsilon),
                ("softmax", "by value", Choose::Softmax),
            ],
        ),
        /// How much is left to chance.
        pub epsilon: Option<f64> = Optional::fraction(
            "epsilon",
            "how sure to take the best (ordinal), how often to take any (epsilon), the temperature (softmax)",
            0.0..=10.0,
            "ordinal: drawn anew for every game; epsilon and softmax: 0.1",
        ),
        /// The longest random opening.
        pub opening: Option<u32> = Optional::whole(
            "opening",
            "games begin after 0 to so many random plies",
            0..=10_000,
            "the mean length of random games, 60 at most",
        ),
        /// Where games begin.
        pub start: Start = Setting::choice(
            "start",
            "where games begin",
            &[("random", "after random plies", Start::Random), ("earlier", "at positions of earlier games", Start::Earlier)],
        ),
        /// How values of several players are backed up.
        pub generalisation: Given<Generalisation> = GENERALISATION,
        /// Which examples are learned.
        pub replay: Replay = Setting::choice(
            "replay",
            "which examples are learned after a game",
            &[
                ("off", "its own, once", Replay::Off),
                ("window", "drawn from those of the last games", Replay::Window),
                ("stratified", "as many of each of the last games", Replay::Stratified),
            ],
        ),
        /// Games in the window.
        pub window: Given<usize> = Setting::whole("window", "games that replay draws from", 1..=100_000, 100).noticed(),
        /// How often an example is learned.
        pub uses: Given<u32> = Setting::whole("uses", "how often replay learns an example, on average", 1..=100, 3).noticed(),
        /// Games by the hand-written evaluation to begin with.
        pub lessons: Option<u64> = Optional::whole(
            "lessons",
            "the first games are played by the hand-written evaluation, and their states learn the outcome",
            0..=1_000_000_000,
            "0; 2,000 where random games do not end with a winner",
        ),
        /// Whether resolved states are kept.
        pub resolved: bool = Setting::switch(
            "resolved",
            "on: what a game has resolved is known to later ones (for descent and ubfm)",
            false,
        ),
        /// Random games to begin with.
        pub warm: usize = Setting::whole("warm", "random games whose last states are learned first", 0..=10_000_000, 0),
        /// Where steps begin to shrink.
        pub anneal: f64 = Setting::fraction(
            "anneal",
            "in this last part of a run whose end is known steps shrink to nothing",
            0.0..=1.0,
            0.25,
        ),
        /// How much of a value comes from the end of the game.
        pub lambda: Given<f64> = Setting::fraction(
            "lambda",
            "for td: which part of a target comes from later in the game, up to its end, instead of from the next state",
            0.0..=1.0,
            0.0,
        )
        .noticed(),
        /// Whether the last state of every player learns the outcome.
        pub last_states: bool = Setting::switch(
            "last-states",
            "on: the last state of every player learns the outcome (for td)",
            true,
        ),
        /// Who plays.
        pub opponents: Opponents = Setting::choice(
            "opponents",
            "who plays",
            &[("itself", "", Opponents::Itself), ("past", "every fourth game against an earlier self", Opponents::Past)],
        ),
    }
}

/// A way to learn with its options: `descent:evaluations=200`.
#[derive(Clone, Debug)]
pub struct Method {
    /// How states are valued.
    pub way: Way,
    /// The rest.
    pub options: LoopOptions,
    /// As it was written.
    pub text: String,
}

/// Ways to learn: name, meaning.
pub const WAYS: &[(&str, &str, Way)] = &[
    ("descent", "Descent with completion, learning the whole tree", Way::Descent),
    ("ubfm", "best-first minimax with completion", Way::Ubfm),
    ("minimax", "minimax of a fixed depth", Way::Minimax),
    ("td", "temporal differences, one ply ahead", Way::Td),
];

impl Method {
    /// Reads `NAME:OPTIONS`.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let spec = Spec::parse(text)?;
        let Some(&(name, _, way)) = WAYS.iter().find(|way| way.0 == spec.name) else {
            let names: Vec<_> = WAYS.iter().map(|way| way.0).collect();
            return Err(TextError::new(format!(
                "there is no way to learn \"{}\"; expected {}",
                spec.name,
                names.join(", ")
            )));
        };
        let options = LoopOptions::read(name, spec.params)?;
        let unused = |option: &str| Err(TextError::new(format!("{option} means nothing to {text}")));
        if options.evaluations.given && !matches!(way, Way::Descent | Way::Ubfm) {
            return unused("evaluations");
        }
        if options.depth.given && way != Way::Minimax {
            return unused("depth");
        }
        if options.learn.given && way == Way::Td {
            return unused("learn");
        }
        if (options.window.given || options.uses.given) && options.replay == Replay::Off {
            return unused("window, or uses, without replay");
        }
        if options.opening.is_some() && options.start == Start::Earlier {
            return unused("opening, with start=earlier");
        }
        if options.plies.is_some() && !matches!(options.f, Target::Depth | Target::Ratio) {
            return unused("plies");
        }
        if options.lambda.given && way != Way::Td {
            return unused("lambda");
        }
        if options.generalisation.given && !matches!(way, Way::Descent | Way::Ubfm) {
            return unused("generalisation");
        }
        if options.resolved && !matches!(way, Way::Descent | Way::Ubfm) {
            return unused("resolved");
        }
        if options.resolved && matches!(options.f, Target::Depth | Target::Ratio) {
            return Err(TextError::new("resolved=on needs another f: plies count from where a game begins"));
        }
        if options.epsilon.is_some_and(|epsilon| epsilon > 1.0) && options.choose != Choose::Softmax {
            return Err(TextError::new("epsilon must be a number from 0 to 1"));
        }
        Ok(Method { way, options, text: text.to_owned() })
    }

    /// The options of all ways.
    pub fn docs() -> Vec<OptionDoc> {
        LoopOptions::docs()
    }
}

/// How steps are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// The same for all weights, smaller and smaller.
    Plain,
    /// Temporal coherence (Beal and Smith 1999): smaller where a weight is pushed to and fro.
    Coherence,
}

options! {
    /// Tables.
    pub struct TupleOptions {
        /// How many.
        pub count: usize = Setting::whole("count", "how many tuples", 1..=1000, 70),
        /// Cells per tuple.
        pub length: Option<usize> = Optional::whole(
            "length",
            "cells per tuple",
            1..=16,
            "as many as make a table of at most 10,000 entries, or 8 where cells have at most four values; 12 at most",
        ),
        /// Patterns.
        pub patterns: Option<bool> = Optional::switch(
            "patterns",
            "on: also a table for every cell alone, and for lines and blocks of cells that mean the same wherever they lie",
            "on where cells have at most five values and a move turns at most 1.2 stones on average",
        ),
        /// Tables per player.
        pub sides: Option<bool> = Optional::switch(
            "sides",
            "on: tables of their own for each player to move",
            "on for two players, off for more",
        ),
        /// Phases.
        pub phases: usize = Setting::whole("phases", "cut the game into so many phases with tables of their own", 1..=16, 1),
        /// How steps are taken.
        pub steps: Steps = Setting::choice(
            "steps",
            "how steps are taken",
            &[
                ("plain", "alike for all weights", Steps::Plain),
                ("coherence", "smaller where a weight is pushed to and fro", Steps::Coherence),
            ],
        ),
        /// The first step.
        pub rate: f64 = Setting::fraction("rate", "which part of the error the first step takes away", 0.0001..=1.0, 0.3),
        /// After so many examples steps are smaller by √2.
        pub decay: f64 = Setting::fraction("decay", "after so many million examples steps are smaller by √2", 0.001..=1e6, 2.0),
    }
}

options! {
    /// Layers.
    pub struct MlpOptions {
        /// The step of Adam.
        pub rate: f64 = Setting::fraction("rate", "the step of Adam", 0.000001..=0.1, 0.001),
        /// After so many examples steps are smaller by √2.
        pub decay: f64 = Setting::fraction("decay", "after so many million examples steps are smaller by √2", 0.001..=1e6, 2.0),
        /// Examples per step.
        pub batch: usize = Setting::whole("batch", "examples per step", 1..=65_536, 64),
        /// Whether examples are turned and mirrored at random.
        pub augment: bool = Setting::switch("augment", "on: examples are turned and mirrored at random", true),
    }
}

impl TupleOptions {
    /// Bytes that tables for this many players, and what learning them needs, may take at most.
    pub fn most_bytes(&self, layout: &Layout, players: usize) -> usize {
        let length = self.length.unwrap_or_else(|| usual_length(layout)) as u32;
        let entries = usize::from(layout.values).saturating_pow(length).min(MOST_ENTRIES);
        let (outputs, sums) = (players, if self.steps == Steps::Coherence { 3 } else { 1 });
        let patterns = if self.patterns == Some(false) { 0 } else { MOST_PATTERN_ENTRIES };
        (self.count * entries + patterns) * self.phases * players * outputs * sums * size_of::<f32>()
    }
}

/// A kind of model: name, meaning, options.
pub type ModelKind = (&'static str, &'static str, fn() -> Vec<OptionDoc>);

/// The kinds of models.
pub const MODELS: &[ModelKind] = &[
    ("tuples", "tables of the patterns on a few cells each", TupleOptions::docs),
    ("mlp", "layers of a network, the whole board at once", MlpOptions::docs),
];

/// What is trained.
#[derive(Clone, Debug)]
pub enum ModelOptions {
    /// Tables.
    Tuples(TupleOptions),
    /// Layers.
    Mlp(MlpOptions),
    /// What the program was built with beside these, with its options.
    Other(&'static OtherModel, Params),
}

impl ModelOptions {
    /// Reads `tuples:OPTIONS` or `mlp:OPTIONS`.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let spec = Spec::parse(text)?;
        match spec.name.as_str() {
            "tuples" => Ok(ModelOptions::Tuples(TupleOptions::read("tuples", spec.params)?)),
            "mlp" => Ok(ModelOptions::Mlp(MlpOptions::read("mlp", spec.params)?)),
            other => match (other_model(other), other) {
                (Some(model), _) => Ok(ModelOptions::Other(model, spec.params)),
                (None, "conv") => Err(TextError::new(
                    "conv is not built into this program (docs/learning.md tells how to build it); take tuples or mlp",
                )),
                (None, _) => Err(TextError::new(format!("there is no model \"{other}\"; expected tuples or mlp"))),
            },
        }
    }
}
