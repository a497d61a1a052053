//! Learning to play from the rules alone: evaluations by self-play, for two players and for many, on a processor.
//!
//! A [`Run`] plays games ([`options::Method`]: Descent with completion, or others), makes examples of them and changes
//! a model ([`options::ModelOptions`]: tables or layers). It can be saved at any game and goes on from there. An
//! [`Exam`] says how strong the model is, [`curve`] how that went.
//!
//! ```
//! use perfectplay_learn::{Limits, Plan, Run};
//!
//! let plan = Plan {
//!     game: "tic-tac-toe".into(),
//!     model: "tuples:count=8,length=5".into(),
//!     method: "descent:evaluations=50".into(),
//!     seed: 1,
//! };
//! let run = Run::new(plan)?;
//! run.go_on(&Limits { games: Some(20), ..Limits::default() }, &mut ());
//! assert_eq!(run.count().games, 20);
//! // Saved and resumed, it does what it would have done.
//! let again = Run::resume(run.saved())?;
//! for run in [&run, &again] {
//!     run.go_on(&Limits { games: Some(25), ..Limits::default() }, &mut ());
//! }
//! assert_eq!(run.file().to_bytes().len(), again.file().to_bytes().len());
//! # Ok::<(), perfectplay_learn::Error>(())
//! ```
#![forbid(unsafe_code)]

mod adam;
mod anneal;
mod choose;
pub mod curve;
mod exam;
mod examples;
mod installed;
mod layers;
mod learner;
mod onnx;
pub mod options;
mod resolved;
mod run;
mod self_play;
mod sets;
mod structure;
mod tables;
mod training;

pub use adam::{Adam, AdamStep};
pub use anneal::End;
pub use choose::ordinal_probability;
pub use exam::{Exam, ExamLimits, Marks};
pub use examples::Examples;
pub use installed::install;
pub use layers::LayerLearner;
pub use learner::{Begun, Learner, ModelSeed, OtherModel, add_model};
pub use onnx::export as onnx;
pub use perfectplay_model::file::{Tensor, write_whole};
pub use perfectplay_model::{FileError, ModelFile};
pub use run::away::{PlayedAway, SelfPlayTask, SelfPlayed, hash};
pub use run::{Count, Error, GameLine, Limits, Listener, Plan, Run, expressive_terminal, usual_method};
pub use sets::FunctionSet;
pub use tables::TableLearner;
pub use training::{Request, Training};
