//! The search algorithms, a folder per family, a file each.
//!
//! Every algorithm is a value that implements [`Search`]: it is created on a game and a state, [`Search::run`] spends a
//! budget (and may be called again), and [`Search::answer`] tells at any time what is known.
//!
//! ```
//! use std::sync::Arc;
//! use perfectplay_core::{Budget, Game, Objective, Stop, ZeroSum};
//! use perfectplay_games::connect_four::ConnectFour;
//! use perfectplay_search::{Search, oracle::backward_induction::BackwardInduction};
//!
//! let game = Arc::new(ConnectFour::<u64>::new(4, 4));
//! let mut search = BackwardInduction::new(game.clone(), game.start(), Objective::Gain)?;
//! assert_eq!(search.run(&Budget::unlimited(), &mut ()), Stop::Done);
//! assert_eq!(search.answer().verdict.solved(), Some(ZeroSum(0))); // a draw
//! assert_eq!(search.states(), 161_029);
//! # Ok::<(), perfectplay_search::Refusal>(())
//! ```

use std::borrow::Cow;

use perfectplay_core::{
    Answer, Budget, FullGame, Item, Meter, Objective, Observer, OptionDoc, OptionSet, Optional, Params, Stop, Text,
    TextError, Values, Verdict,
};

pub mod alpha_beta;
pub mod baseline;
pub mod best_first;
pub mod book;
pub mod mcts;
pub mod n_player;
pub mod oracle;
pub mod portfolio;
pub mod proof_number;
pub mod support;

pub use support::saved::{Reader, SaveError, Writer};

/// A search at work on one state of one game.
pub trait Search<G: FullGame>: Send {
    /// Goes on searching until the question is answered ([`Stop::Done`]) or the budget is used up.
    ///
    /// Limits on time and nodes count from this call, the limit on memory counts all that the search holds.
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Stop;

    /// What is known now.
    fn answer(&self) -> Answer<G>;

    /// Goes on from the state after `mv`, a legal move at the root, with what is known about it; `false` if the search
    /// cannot, and a new one must be made.
    fn advance(&mut self, _mv: G::Move) -> bool {
        false
    }

    /// Whether an observer is told how a tree grows.
    fn grows(&self) -> bool {
        false
    }

    /// Writes everything that going on depends on.
    fn save(&self, _to: &mut Writer<'_>) -> Result<(), SaveError> {
        Err(SaveError::no_state())
    }

    /// Takes the place of the search that [`Search::save`] wrote: one that was made in the same way, for the same
    /// question. It then goes on as that one would have. After an error this search is of no more use.
    fn restore(&mut self, _from: &mut Reader<'_>) -> Result<(), SaveError> {
        Err(SaveError::no_state())
    }

    /// Takes over what another search has proved about the root: it is worth at least `lower` and at most `upper` to
    /// the first player, under the objective. Most searches have no use for it.
    fn narrow(&mut self, _lower: G::Payoff, _upper: G::Payoff) {}

    /// Which algorithm found the value, where several are at work.
    fn prover(&self) -> Option<&'static str> {
        None
    }

    /// How many of the threads that the last run was given it used: a note of the answer says why, if not all.
    fn threads_used(&self, given: usize) -> usize {
        given
    }

    /// What the search remembers to have proved about any state, without searching: for whoever writes the proof down.
    fn proved(&self, _state: &G::State) -> Verdict<G::Payoff> {
        Verdict::Unknown
    }

    /// Whether all values of a finished strong solution with distances could be told: `each` hears of every canonical
    /// key and its value under [`Objective::Length`].
    fn strong_values(&self, _each: &mut dyn FnMut(&G::Key, i32)) -> bool {
        false
    }

    /// Whether the first player's score in `state` is more than `alpha`: proved again where memory of it was lost, with
    /// what is left. `None` if the search cannot do that.
    fn exceeds(&mut self, _state: &G::State, _alpha: i32, _meter: &mut Meter) -> Option<Result<bool, Stop>> {
        None
    }
}

/// What an algorithm does with the threads of a [`Budget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// Uses one, for this reason.
    One(&'static str),
    /// Uses all, and [`Setup::reproducible`] makes as many threads find the same every time.
    All,
    /// Uses all, and two runs may differ, for this reason. What they prove does not.
    Racing(&'static str),
}

/// Why most searches with a table are [`Threads::Racing`].
pub(crate) const A_SHARED_TABLE: &str = "what a thread finds in the shared table depends on how far the others are";

/// What an algorithm says about its name and options.
///
/// Beside it, every algorithm's file has a function `open` that makes a boxed search from a game, a state, a [`Setup`]
/// and the options: that is all the catalog needs.
#[derive(Clone, Copy, Debug)]
pub struct AlgorithmInfo {
    /// Kebab-case.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// How many players, in words: `2`, `any`.
    pub players: &'static str,
    /// Whether it can prove a value. What it says before that is an estimate.
    pub exact: bool,
    /// What it does with several threads.
    pub threads: Threads,
    /// The options of its own; [`AlgorithmInfo::options`] tells all.
    pub options: fn() -> Vec<OptionDoc>,
}

/// Which players join, for every algorithm. Whoever opens a game for many takes this option first, and hands the search
/// a game for two.
pub const TEAMS: Optional<Text> = Optional::text(
    "teams",
    "make two teams of the players of a game for many: me (the player to move against the rest), leader (who leads, by \
the game's heuristic, against the rest), or who plays with whom, as in 1/23",
    "everybody plays alone",
);

/// A guess at unfinished states for every algorithm that can ask the game's heuristic. Whoever opens the game takes it
/// first, and hands the search a game whose heuristic is a model.
pub const LEARNED: (&str, &str) =
    ("learned", "what was learned: learned:FILE, learned:NAME in the folder of models, or learned for the game's own");

impl AlgorithmInfo {
    /// What stands after the colon in `--with NAME:…`.
    pub fn options(&self) -> Vec<OptionDoc> {
        let mut options = (self.options)();
        for option in options.iter_mut().filter(|option| option.name == "eval") {
            if let Values::Choice(words) = &mut option.values
                && words.iter().any(|word| word.0 == "heuristic")
            {
                words.push(LEARNED);
            }
        }
        [options, Item::<Option<String>>::docs(&TEAMS)].concat()
    }

    /// What makes the algorithm ask the game's heuristic: an option and its value, or nothing to say where it always
    /// does.
    pub fn asks_heuristic(&self) -> Option<&'static str> {
        let options = (self.options)();
        let named = |name: &str| options.iter().find(|option| option.name == name);
        match (named("eval").map(|option| &option.values), named("heuristic").map(|option| &option.values)) {
            (Some(Values::Choice(words)), _) if words.iter().any(|word| word.0 == "heuristic") => {
                Some("eval=heuristic")
            }
            (_, Some(Values::Switch)) => Some("heuristic=on"),
            _ => (self.name == portfolio::every_move::INFO.name).then_some(""),
        }
    }

    /// Whether the algorithm can settle this objective; a sentence if not.
    pub fn settles(&self, objective: Objective) -> Result<(), Refusal> {
        const FOR_LENGTH: [&AlgorithmInfo; 5] = [
            &portfolio::INFO,
            &portfolio::every_move::INFO,
            &oracle::backward_induction::INFO,
            &oracle::retrograde::INFO,
            &alpha_beta::iterative_deepening::INFO,
        ];
        if objective != Objective::Length || FOR_LENGTH.iter().any(|able| able.name == self.name) {
            return Ok(());
        }
        Err(Refusal::Other(format!(
            "{} cannot tell how long a win takes; {} can",
            self.name,
            FOR_LENGTH.map(|able| able.name).join(", ")
        )))
    }

    /// Whether the algorithm can do as asked; a sentence if not.
    pub fn accepts(&self, setup: &Setup) -> Result<(), Refusal> {
        self.settles(setup.objective)?;
        match self.threads {
            Threads::Racing(why) if setup.reproducible && setup.threads > 1 => Err(Refusal::Other(format!(
                "{} with {} threads cannot be reproducible: {why}; one thread is",
                self.name, setup.threads
            ))),
            _ => Ok(()),
        }
    }

    /// How many of so many threads it uses.
    pub fn used(&self, threads: usize) -> usize {
        if let Threads::One(_) = self.threads { 1 } else { threads }
    }

    /// What to tell somebody who gave it so many threads, if it did not use them.
    pub fn note_on(&self, threads: usize) -> Option<String> {
        match self.threads {
            Threads::One(why) if threads > 1 => Some(format!("{} used one thread of {threads}: {why}", self.name)),
            _ => None,
        }
    }

    /// Reads the options, all of them: what is left was not understood.
    pub fn read<O: OptionSet>(&self, mut params: Params) -> Result<O, TextError> {
        debug_assert_eq!(O::docs(), (self.options)(), "{} lists other options than it reads", self.name);
        let options = O::take(&mut params)?;
        let teams: Option<String> = TEAMS.take(&mut params)?;
        if let Some(teams) = teams {
            return Err(TextError::new(format!("teams={teams} needs a game for more than two players")));
        }
        params.finish(self.name, self.options().into_iter().map(|option| option.name))?;
        Ok(options)
    }
}

/// What every algorithm is told beside its own options.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What is to be settled.
    pub objective: Objective,
    /// For everything that is left to chance.
    pub seed: u64,
    /// Whether the caller wants the value proved, rather than a good move in good time. An algorithm that can do both
    /// chooses.
    pub exact: bool,
    /// Bytes it may hold in all; an algorithm with a table of fixed size makes it fit.
    pub memory: Option<usize>,
    /// How many threads its budgets will have.
    pub threads: usize,
    /// Whether the same threads, seed and nodes must give the same result every time. One thread always does.
    pub reproducible: bool,
}

impl Default for Setup {
    fn default() -> Self {
        let objective = Objective::default();
        Setup { objective, seed: 0, exact: false, memory: None, threads: 1, reproducible: false }
    }
}

/// Why an algorithm will not work on a game: one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Positions can repeat and nothing in the state prevents it.
    #[error("{algorithm} needs a game in which no position repeats, and in this one positions can repeat")]
    Cyclic {
        /// Who refuses.
        algorithm: Cow<'static, str>,
    },
    /// This form of the algorithm is compiled for another type of the same game: whoever opens games by name goes
    /// there.
    #[error("this form of the algorithm is not compiled for games of this type")]
    Elsewhere,
    /// An option of the algorithm could not be understood.
    #[error("{0}")]
    Option(#[from] TextError),
    /// Another reason.
    #[error("{0}")]
    Other(String),
}
