//! Work as a text, for another process or another machine: everything that decides the result stands in it, seeds
//! included. The same text gives the same result anywhere, except for the seconds that somebody measured. Its id is a
//! hash of it, so whoever hands out work can tell what has come back.
//!
//! ```
//! use perfectplay_arena::{Plan, Store};
//! use perfectplay_jobs::{Outcome, Task};
//!
//! let plan: Plan = serde_json::from_str(
//!     r#"{"game": "tic-tac-toe", "players": ["ubfm@nodes=100", "random"], "rounds": 2}"#,
//! ).unwrap();
//! let tournament = plan.tournament()?;
//! let mut store = Store::in_memory()?;
//! let task = Task::Games(tournament.task(tournament.left(&store)?));
//! let text = serde_json::to_string(&task).unwrap(); // to be sent somewhere
//! let done = serde_json::from_str::<Task>(&text).unwrap().run(None, &Default::default())?;
//! let Outcome::Games { games } = done.outcome else { panic!() };
//! assert_eq!(tournament.enter(&mut store, &games)?, 4);
//! assert_eq!(tournament.enter(&mut store, &games)?, 0); // none counts twice
//! # Ok::<(), perfectplay_jobs::Error>(())
//! ```
#![forbid(unsafe_code)]

use perfectplay_arena::{GameRecord, Games, ProofTask, Proved};
use perfectplay_core::StopHandle;
use perfectplay_learn::{SelfPlayTask, SelfPlayed, hash};
use serde::{Deserialize, Serialize};

/// One piece of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "kebab-case")]
pub enum Task {
    /// Games of a tournament.
    Games(Games),
    /// A search with a fixed effort: what it can prove about one position.
    Proof(ProofTask),
    /// Games of self-play, for a learner.
    SelfPlay(SelfPlayTask),
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaskResult {
    /// The id of the task.
    pub id: String,
    /// The rest.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came out, by kind of work.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Outcome {
    /// The games that were played.
    Games {
        /// In the order of the task.
        games: Vec<GameRecord>,
    },
    /// What the search found.
    Proof(Box<Proved>),
    /// Games and examples.
    SelfPlay(SelfPlayed),
}

/// Why there is no result: one sentence.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Of a match or a search.
    #[error(transparent)]
    Arena(#[from] perfectplay_arena::Error),
    /// Of self-play.
    #[error(transparent)]
    Learn(#[from] perfectplay_learn::Error),
}

impl Task {
    /// A hash of everything in it.
    pub fn id(&self) -> String {
        hash(serde_json::to_string(self).expect("plain data").as_bytes())
    }

    /// Does it. Work that somebody stops early has no result. `model` is what the file of a self-play's model holds, if
    /// it was sent along.
    pub fn run(&self, model: Option<&[u8]>, stop: &StopHandle) -> Result<TaskResult, Error> {
        let id = self.id();
        let outcome = match self {
            Task::Games(task) => Outcome::Games { games: task.play(stop)? },
            Task::Proof(task) => Outcome::Proof(Box::new(task.search(&id, stop)?)),
            Task::SelfPlay(task) => Outcome::SelfPlay(task.run(model, stop)?),
        };
        Ok(TaskResult { id, outcome })
    }
}
