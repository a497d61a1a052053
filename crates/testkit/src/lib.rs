//! The laws that every game and every solver must pass.
//!
//! - [`game_laws!`] checks the rules of a game against what [`perfectplay_core::Game`] promises: see [`check_game`];
//! - [`solver_laws!`] checks an algorithm against the oracles: see [`SolverLaws`];
//! - [`perft_table`] compares counts with the tables in `data/perft`;
//! - [`fuzz`] feeds every reader of text with nonsense;
//! - [`playthrough`] writes a game out, to be compared with a golden file.
//!
//! Each is a plain function that panics with a sentence; the macros only make it one line per game and per solver.
//!
//! ```
//! perfectplay_testkit::check_game(&perfectplay_games::tic_tac_toe::new(), &Default::default());
//! ```
#![forbid(unsafe_code)]

mod corpus;
mod dice;
mod explore;
pub mod fuzz;
mod game_laws;
pub mod pages;
pub mod perft_table;
pub mod playthrough;
mod soak;
mod solver_laws;
mod spec;

pub use dice::Dice;
pub use explore::{Extent, random_states};
pub use game_laws::check_game;
pub use soak::soak;
pub use solver_laws::{AnySolver, SolverLaws, ZeroSumSolver};
pub use spec::{OnPacked, check_spec, visit_packed};

/// One test that a game obeys the laws: `game_laws!(name, "spec")` or `game_laws!(name, expression)`.
///
/// ```
/// perfectplay_testkit::game_laws!(three_in_a_row, "mnk:4x3x3");
/// perfectplay_testkit::game_laws!(
///     one_heap,
///     perfectplay_games::nim::Nim::<perfectplay_core::ZeroSum>::new(&[5], true)
/// );
/// ```
#[macro_export]
macro_rules! game_laws {
    ($name:ident, $spec:literal) => {
        #[test]
        fn $name() {
            $crate::check_spec($spec, &$crate::Extent::default());
        }
    };
    ($name:ident, $game:expr) => {
        #[test]
        fn $name() {
            $crate::check_game(&$game, &$crate::Extent::default());
        }
    };
}

/// One test that an algorithm obeys the laws: its kind (`any` for any number of players, `two_players` for zero-sum
/// games only), its module (with the function `open`), its options as after the colon, and which laws.
///
/// ```
/// use perfectplay_testkit::{SolverLaws, solver_laws};
/// solver_laws!(
///     backward_induction, any, perfectplay_search::oracle::backward_induction, "",
///     SolverLaws::default().complete_lines()
/// );
/// ```
#[macro_export]
macro_rules! solver_laws {
    ($name:ident, any, $module:path, $options:expr, $laws:expr) => {
        #[test]
        fn $name() {
            use $module as algorithm;
            struct Solver;
            impl $crate::AnySolver for Solver {
                fn open<G: ::perfectplay_core::FullGame>(
                    &self,
                    game: ::std::sync::Arc<G>,
                    root: G::State,
                    setup: &::perfectplay_search::Setup,
                ) -> Result<Box<dyn ::perfectplay_search::Search<G>>, ::perfectplay_search::Refusal> {
                    algorithm::open(game, root, setup, ::perfectplay_core::Params::parse($options)?)
                }
            }
            $laws.check_any(&Solver);
        }
    };
    ($name:ident, two_players, $module:path, $options:expr, $laws:expr) => {
        #[test]
        fn $name() {
            use $module as algorithm;
            struct Solver;
            impl $crate::ZeroSumSolver for Solver {
                fn open<G: ::perfectplay_core::FullGame<Payoff = ::perfectplay_core::ZeroSum>>(
                    &self,
                    game: ::std::sync::Arc<G>,
                    root: G::State,
                    setup: &::perfectplay_search::Setup,
                ) -> Result<Box<dyn ::perfectplay_search::Search<G>>, ::perfectplay_search::Refusal> {
                    algorithm::open(game, root, setup, ::perfectplay_core::Params::parse($options)?)
                }
            }
            $laws.check_zero_sum(&Solver);
        }
    };
}

/// A file or folder in `data/`.
pub(crate) fn data(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(path)
}

/// The worked example must compile and hold.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
